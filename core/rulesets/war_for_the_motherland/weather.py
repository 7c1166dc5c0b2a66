"""Weather (11.0): mud and snow by the turn record, and what they make of terrain (11.1, 11.2)."""

from __future__ import annotations

from core.board import Hex
from core.rulesets.war_for_the_motherland.charts import TerrainRow, Turn
from core.rulesets.war_for_the_motherland.terms import DESTROYED
from core.views import View


def turn_of(view: View) -> Turn:
    """Return the running turn of the turn record."""
    turn: Turn = view.charts.turns.of(view.position.turn)
    return turn


def is_mud(view: View) -> bool:
    """Say whether this is a mud turn (11.11)."""
    return turn_of(view).weather == "mud"


def is_snow(view: View) -> bool:
    """Say whether this is a snow turn (11.21)."""
    return turn_of(view).weather == "snow"


def is_fortress(view: View, here: Hex) -> bool:
    """Say whether a hex holds a fortress that no Axis unit has entered yet (8.47)."""
    return "fortress" in view.board.facts[here].features and not view.position.place_mark(here, DESTROYED)


def terrain(view: View, here: Hex) -> str:
    """Return the terrain that counts in a hex now: its city before what lies around it, swamp as forest in snow (11.24)."""
    fact = view.board.facts[here]
    if "fortress" in fact.features:
        return "fortress" if is_fortress(view, here) else "minor_city"  # 8.47
    if fact.city:
        return f"{fact.city}_city"
    if fact.terrain == "swamp" and is_snow(view):
        return "forest"  # 5.27, 11.24
    return fact.terrain


def terrain_row(view: View, here: Hex) -> TerrainRow:
    """Return the row of the Terrain Effects Chart that counts in a hex now."""
    row: TerrainRow = view.charts.terrain.of(terrain(view, here))
    return row


def is_land(view: View, here: Hex) -> bool:
    """Say whether land units may stand in a hex at all."""
    return view.board.facts[here].terrain not in ("sea", "lake")


def bars_all(view: View, here: Hex, there: Hex) -> bool:
    """Say whether the hexside is sea or lake without regard to ice: no movement, ZOC, combat, retreat or advance (4.24, 9.44)."""
    return view.board.side_has(here, there, "sea", "lake", "causeway", "ice_road")


def is_ice_road(view: View, here: Hex, there: Hex) -> bool:
    """Say whether the hexside is an ice road that is frozen now (5.26, 11.23)."""
    return is_snow(view) and view.board.side_has(here, there, "ice_road")

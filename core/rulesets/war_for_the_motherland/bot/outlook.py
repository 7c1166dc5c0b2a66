"""What the combat table promises before the die: mean points to pay on either side, and the chances to be lost as a whole."""

from __future__ import annotations

from bisect import bisect_right

import msgspec

from core.board import Hex, Place
from core.derived import PLACES, TRACKS
from core.mechanics.combat_table import Result, read_result
from core.mechanics.odds import ratio
from core.rulesets.war_for_the_motherland import battle, supply, weather
from core.rulesets.war_for_the_motherland.terms import DESTROYED
from core.units import Side
from core.views import View

OSG_MODIFIER = 3  # 8.62
MINOR, MAJOR = 1, 2


class Prospect(msgspec.Struct, frozen=True, gc=False):
    """What an attack at certain odds leads to: points that each side pays in the mean, chances of DE and AE, and of ground given up."""

    defender: float
    attacker: float
    defender_gone: float
    attacker_gone: float
    gives_way: float


class _Row(msgspec.Struct, frozen=True):
    ratios: tuple[float, ...]
    prospects: tuple[Prospect, ...]


def prospect(view: View, here: Hex, attack: float, defence: float, *, osg: bool = False) -> Prospect:
    """Return what an attack on a hex leads to by the odds of the totals, terrain and weather."""
    row = row_of(view, here)
    found = view.derived.get(("bot outlook", row, osg), (TRACKS,), lambda: _make(view, row, osg))
    return found.prospects[max(0, bisect_right(found.ratios, attack / max(defence, 1.0)) - 1)]


def row_of(view: View, here: Hex) -> str:
    """Return the row of the combat table for a land hex now."""
    destroyed = view.derived.get("bot destroyed", (PLACES,), lambda: _destroyed(view))
    return view.derived.get(("bot rows", weather.is_snow(view), destroyed), (), lambda: _rows(view))[here]


def _destroyed(view: View) -> frozenset[Place]:
    return frozenset(view.position.place_marks.get(DESTROYED, ()))


def _rows(view: View) -> tuple[str, ...]:
    return tuple(weather.terrain_row(view, Hex(i)).row if weather.is_land(view, Hex(i)) else "" for i in range(view.board.size))


def _make(view: View, row: str, osg: bool) -> _Row:
    table, faces = battle.table_of(view), view.charts.combat.faces
    drm = weather.turn_of(view).combat_modifier + (OSG_MODIFIER if osg else 0)  # 11.27
    headings = table.headings[row]
    columns = [[read_result(table.result(die + drm, i)) for die in range(1, faces + 1)] for i in range(len(headings))]
    return _Row(tuple(float(ratio(heading)) for heading in headings), tuple(_mean(some) for some in columns))


def _mean(results: list[Result]) -> Prospect:
    n = len(results)
    return Prospect(
        sum(one.defender for one in results) / n,
        sum(one.attacker for one in results) / n,
        sum(one.eliminated == "defender" for one in results) / n,
        sum(one.eliminated == "attacker" for one in results) / n,
        sum(bool(one.defender and one.retreat) or one.eliminated == "defender" for one in results) / n,
    )


# -------------------------------------------------------------------- ground


def neighbours(view: View) -> tuple[tuple[Hex, ...], ...]:
    """Return the neighbours of each hex that land units can go to and fight over."""
    return view.derived.get("bot neighbours", (), lambda: tuple(_neighbours(view, Hex(i)) for i in range(view.board.size)))


def _neighbours(view: View, here: Hex) -> tuple[Hex, ...]:
    if not weather.is_land(view, here):
        return ()
    ring = view.board.adjacent[here]
    return tuple(there for there in ring if weather.is_land(view, there) and not weather.bars_all(view, here, there))


def has_exit(view: View, here: Hex, side: Side) -> bool:
    """Say whether units in a hex could retreat without loss."""
    closed = supply.blocked(view, side)
    return any(there not in closed for there in neighbours(view)[here])


def rivers(view: View) -> tuple[dict[Hex, int], ...]:
    """Return for each hex its neighbours behind a river: `MINOR` or `MAJOR`."""
    return view.derived.get("bot rivers", (), lambda: tuple(_rivers(view, Hex(i)) for i in range(view.board.size)))


def _rivers(view: View, here: Hex) -> dict[Hex, int]:
    found = {}
    for there in view.board.adjacent[here]:
        if view.board.side_has(here, there, "major_river"):
            found[there] = MAJOR
        elif view.board.side_has(here, there, "minor_river"):
            found[there] = MINOR
    return found


def river_bonus(view: View, here: Hex, sources: list[Hex], defence: float) -> float:
    """Return what rivers add to a defence if all attackers come across one (8.42 to 8.45)."""
    behind = rivers(view)[here]
    kinds = [behind.get(there, 0) for there in sources]
    if not kinds or 0 in kinds:
        return 0.0
    return 2.0 if MAJOR not in kinds else defence

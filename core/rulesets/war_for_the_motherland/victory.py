"""Victory (15.0 and each scenario's own conditions).

A scenario's ``[rules.victory]`` says what counts: *army_points* (15.2), *cities* (label = points), *assets* (kind = points of each
destroyed EA, *other* for the rest), *levels* (rows of winner, result, least points, best Axis result last). Turning Point's
two thresholds, *axis_wins* and *draw_from*, are short for three levels.

Rules: 1.0c, 3.0.7k, 15.11, 15.12, 15.13a, 15.13b, 15.21a, 15.21b, 15.22a, 15.22b, 16.51, 16.52, 17.51, 17.52, 17.54, 18.51, 18.52, 18.54,
19.51, 19.53, 20.36.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec

from core.board import Hex
from core.derived import CONTROL, MARKS, STEPS, TRACKS, UNITS
from core.events import Event, Explained, GameEnded, Line, Part
from core.game import Game
from core.position import Outcome
from core.rulesets.war_for_the_motherland import supply, weather
from core.rulesets.war_for_the_motherland.terms import AXIS, DESTROYED_EA, MARKERS, SOVIET, is_panzer, side_title
from core.shapes import convert
from core.text import text
from core.units import Side, UnitId
from core.views import View

AIRBASE_POINTS, DEPOT_POINTS, PANZER_STEP, OTHER_STEP = 4, 2, 2, 1  # 15.21
Points = Annotated[int, msgspec.Meta(ge=0)]


class Level(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A result that the Axis reaches with *least* points or more; *winner* is empty for a draw."""

    winner: Side
    result: str
    least: Points


class Conditions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[rules.victory]`` of a scenario."""

    army_points: bool = True
    cities: dict[str, Points] = {}
    assets: dict[str, Points] = {}
    axis_wins: Points | None = None
    draw_from: Points | None = None
    levels: tuple[Level, ...] = ()

    def ladder(self) -> tuple[Level, ...]:
        """Return the levels from the worst for the Axis to the best."""
        if self.axis_wins is None or self.draw_from is None:
            return self.levels
        return (Level(SOVIET, "Soviet victory", 0), Level("", "Draw", self.draw_from), Level(AXIS, "Axis victory", self.axis_wins))


def conditions(view: View) -> Conditions:
    """Return what the scenario says of victory; its form was checked when the scenario was loaded."""
    return view.derived.get("victory conditions", (), lambda: convert(view.setting.scenario.rules.get("victory", {}), Conditions))


# -------------------------------------------------------------------- the end


def judge(game: Game) -> Iterator[Event]:
    """Count the points, explain them and end the game (1.0c)."""
    points = score(game)[AXIS]
    level = level_of(conditions(game), points)
    yield explain(game)
    yield GameEnded(Outcome(level.winner, level.result, {AXIS: points}))


def level_of(conditions: Conditions, points: int) -> Level:
    """Return the best level that the Axis reaches with so many points (16.52, 17.54, 18.54, 19.53)."""
    reached = [level for level in conditions.ladder() if points >= level.least]
    assert reached, f"no level for {points} points"
    return reached[-1]


def explain(view: View) -> Explained:
    """Return how the points come about."""
    lines = tuple(line for line in (_army_line(view), _city_line(view), _asset_line(view)) if line is not None)
    total = sum(int(line.value) for line in lines)
    return Explained("victory", text("{side} victory points: {n}", side=side_title(AXIS), n=total), lines)


def score(view: View) -> Mapping[str, int]:
    """Return the Axis points as they would count now; the Soviet side scores none."""
    return view.derived.get("score", (UNITS, STEPS, MARKS, CONTROL, TRACKS), lambda: {AXIS: sum(_totals(view))})


def _totals(view: View) -> tuple[int, ...]:
    return tuple(int(line.value) for line in (_army_line(view), _city_line(view), _asset_line(view)) if line is not None)


def _line(key: str, parts: list[Part]) -> Line:
    return Line(key, str(sum(int(part.value) for part in parts)), tuple(parts))


# -------------------------------------------------------------------- the army


def _army_line(view: View) -> Line | None:
    if not conditions(view).army_points:
        return None
    worth = [(unit.id, army_points(view, unit.id)) for unit in view.position.on_map()]
    return _line("army", [Part(str(points), "15.21", text("{unit}", unit=view.name(unit))) for unit, points in worth if points])


def army_points(view: View, unit: UnitId) -> int:
    """Return what a unit on the map is worth: nothing if it isn't in supply by a fresh check without air supply (15.2, D-80)."""
    kind = view.type(unit)
    if kind.side != AXIS or kind.kind in MARKERS:
        return 0
    if kind.kind == "supply_depot":
        return DEPOT_POINTS  # 15.21, 15.22
    if supply.judge(view, unit, air=False) != "supplied":
        return 0  # 15.22
    if kind.kind == "airbase":
        return AIRBASE_POINTS  # 15.21
    return view.unit(unit).steps * (PANZER_STEP if is_panzer(kind) else OTHER_STEP)  # 15.21, D-81


# -------------------------------------------------------------------- cities and economic assets


def _city_line(view: View) -> Line | None:
    cities = {view.board.hex(label): points for label, points in conditions(view).cities.items() if view.board.has(label)}
    if not cities:
        return None
    linked = linked_to_source(view)
    held = [here for here in sorted(cities) if view.position.control.get(here) == AXIS and here in linked]  # 15.12, 15.13
    return _line("cities", [Part(str(cities[here]), "15.11", text("{city}", city=view.board.name(here))) for here in held])


def linked_to_source(view: View) -> frozenset[Hex]:
    """Return the hexes with a path of any length to an Axis source, out of Soviet hexes and bare Soviet ZOC (15.13).

    The path's first hex, the city itself, may lie in a Soviet ZOC: it is not entered.
    """
    closed, joined = supply.blocked(view, AXIS), _joined(view)
    rim = sorted(supply.sources(view, AXIS))
    ends = set(rim)
    while rim:
        for there in joined[rim.pop()]:
            if there not in ends:
                ends.add(there)
                if there not in closed:
                    rim.append(there)
    return frozenset(ends)


def _joined(view: View) -> tuple[tuple[Hex, ...], ...]:
    """Return for each hex those that a path may go on to: over no sea or lake, frozen or not, but the causeway (15.13, D-92)."""
    return view.derived.get("joined by land", (), lambda: tuple(_ways(view, Hex(i)) for i in range(view.board.size)))


def _ways(view: View, here: Hex) -> tuple[Hex, ...]:
    """Return the neighbours of a hex that lines of supply reach from it by land or by the causeway."""
    return tuple(
        there
        for there in view.board.adjacent[here]
        if weather.is_land(view, there)
        and (view.board.side_has(here, there, "causeway") or not weather.bars_all(view, here, there))
    )


def _asset_line(view: View) -> Line | None:
    assets = conditions(view).assets
    if not assets:
        return None
    destroyed = view.position.at(view.board.box(DESTROYED_EA))
    parts = [
        Part(str(assets.get(view.type(unit).kind, assets.get("other", 0))), "18.52", text("{unit}", unit=view.name(unit)))
        for unit in destroyed
    ]
    return _line("assets", parts)

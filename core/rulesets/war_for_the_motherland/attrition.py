"""Attrition of isolated units (9.9).

Rules: 9.91a, 9.91b, 9.91c (depots never come here), 9.92, 5.27a (swamp under snow), and the losses of 8.9 (D-60).
"""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.events import Event, Explained, Line, Part
from core.game import Game
from core.rulesets.war_for_the_motherland import losses, weather
from core.rulesets.war_for_the_motherland.charts import AttritionChart
from core.rulesets.war_for_the_motherland.terms import AXIS
from core.text import text
from core.units import UnitId
from core.views import View


def modifiers(view: View, unit: UnitId) -> tuple[Part, ...]:
    """Return what changes a unit's die: nation, weather, terrain (9.91, 9.92)."""
    chart: AttritionChart = view.charts.attrition
    kind, here = view.type(unit), Hex(view.unit(unit).place)
    parts = [Part(f"{chart.nation[kind.nation]:+}", "9.91", text("nationality"))]
    if kind.side == AXIS and weather.turn_of(view).winter == 1 and kind.nation not in chart.first_winter_exempt:
        parts.append(Part(f"{chart.first_winter_axis:+}", "9.91", text("first winter")))
    parts.append(_terrain(view, here))
    return tuple(part for part in parts if int(part.value))


def _terrain(view: View, here: Hex) -> Part:
    """Return the part of the terrain: its city, or what lies in a hex without one; a swamp under snow is forest here too (5.27)."""
    chart: AttritionChart = view.charts.attrition
    cities = {"minor_city": chart.minor_city, "major_city": chart.major_city, "fortress": chart.fortress}
    terrain = weather.terrain(view, here)
    if terrain in cities:
        return Part(f"{cities[terrain]:+}", "9.92", text(terrain.replace("_", " ")))
    hard = chart.hard_terrain_modifier if terrain in chart.hard_terrain else 0
    return Part(f"{hard:+}", "9.91", text(terrain))


def steps_lost(view: View, modified: int) -> int:
    """Return the steps that the chart takes at a modified roll (9.91)."""
    chart: AttritionChart = view.charts.attrition
    return next(row.steps for row in chart.result if modified <= row.up_to)


def check(game: Game, unit: UnitId) -> Iterator[Event]:
    """Roll for an isolated unit and take its losses at once (9.91)."""
    die = yield from game.roll("attrition")
    parts = modifiers(game, unit)
    modified = die + sum(int(part.value) for part in parts)
    steps = steps_lost(game, modified)
    yield Explained(
        "attrition",
        text("{unit} is isolated: {n} {n:step|steps} lost", unit=game.name(unit), n=steps),
        (
            Line("roll", str(modified), (Part(str(die), "", text("die")), *parts)),
            Line("steps", str(steps), (Part(str(steps), "9.91", text("Attrition Decision Chart")),)),
        ),
    )
    bearer: UnitId | None = unit
    for _ in range(steps):
        if bearer is not None:
            bearer = yield from losses.lose_step(game, bearer)  # 9.91, 8.94, D-60

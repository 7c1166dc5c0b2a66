"""What lies beside the map: the turn's modifiers, what is due, the ladder of victory. Shown, never decided on."""

from __future__ import annotations

from collections.abc import Iterator

from core.ruleset import Row, Sheet
from core.rulesets.war_for_the_motherland import victory
from core.rulesets.war_for_the_motherland.terms import AXIS, DUE, SOVIET, TRACK, side_title
from core.text import text
from core.units import Side
from core.views import View

_RULES = {"army": "15.21", "cities": "15.11", "assets": "18.52"}


def sheets(view: View) -> tuple[Sheet, ...]:
    """Return the sheets that have anything on them; what the cups hold is not shown (7.0)."""
    found = (_turn(view), _due(view, AXIS), _due(view, SOVIET), _ladder(view))
    return tuple(sheet for sheet in found if sheet.rows)


def _turn(view: View) -> Sheet:
    record, rows = view.charts.turns.of(view.position.turn), []
    if record.combat_modifier:
        rows.append(Row(text("Every combat die"), f"+{record.combat_modifier}", "11.28"))
    if record.production_number is not None:
        rows.append(Row(text("Production Turn, number"), str(record.production_number), "12.21"))
    return Sheet(text("This turn"), tuple(rows))


def _due(view: View, side: Side) -> Sheet:
    """Return what comes by the schedule and from the turn track, this turn and later."""
    rows = sorted([*_scheduled(view, side), *_on_track(view, side)], key=lambda item: item[0])
    return Sheet(text("Reinforcements: {side}", side=side_title(side)), tuple(row for _, row in rows))


def _scheduled(view: View, side: Side) -> Iterator[tuple[int, Row]]:
    for arrival in view.setting.scenario.arrival:
        if arrival.side != side or arrival.turn <= view.position.turn:
            continue
        for type, name in arrival.units:
            if "optional" in view.types[type].traits and not view.options.get("security_divisions"):
                continue  # 20.31
            yield arrival.turn, _row(view, arrival.turn, view.types[type].called(name), "13.0")


def _on_track(view: View, side: Side) -> Iterator[tuple[int, Row]]:
    for unit in view.side_at(view.board.box(TRACK), side):
        due = view.position.mark(unit, DUE)
        yield due, _row(view, due, view.name(unit), "13.51")


def _row(view: View, turn: int, name: str, rule: str) -> Row:
    last = view.setting.scenario.last_turn
    when = text("turn {turn}", turn=turn) if turn <= last else text("after the last turn")
    return Row(text("{unit}", unit=name), when, rule)


def _ladder(view: View) -> Sheet:
    levels = victory.conditions(view).ladder()
    rows = tuple(Row(text(level.result), text("from {n}", n=level.least), "15.0") for level in reversed(levels))
    lines = tuple(Row(text("Axis points, {what}", what=line.key), line.value, _RULES[line.key]) for line in victory.explain(view).lines)
    return Sheet(text("Victory"), (*lines, *rows))

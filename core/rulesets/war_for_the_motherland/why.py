"""Answers to "why?" of a unit and of a hex, as the rules see them now. Nothing here decides."""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.ruleset import Answer
from core.rulesets.war_for_the_motherland import stacking, supply, supply_overlay, zoc
from core.rulesets.war_for_the_motherland.strength import is_in_lack, is_out_of_supply
from core.rulesets.war_for_the_motherland.terms import AXIS, MARKERS, SOVIET, is_unit, side_title, units_at
from core.text import text
from core.units import Side, UnitId
from core.views import View

RULE_OF_STATUS = {"out": "9.51", "isolated": "9.58"}


def of_unit(view: View, unit: UnitId) -> tuple[Answer, ...]:
    """Return what holds of a unit: what phase 1 judged, its line of supply now or what cuts it, its zone of control."""
    if view.unit(unit).place < 0 or view.type(unit).kind in MARKERS:
        return ()
    return (*_judged(view, unit), *_supply(view, unit), *_zone(view, unit))


def _judged(view: View, unit: UnitId) -> Iterator[Answer]:
    if is_out_of_supply(view, unit):
        yield Answer(text("Out of Supply since the supply phase"), "9.51", good=False)
    if is_in_lack(view, unit):
        yield Answer(text("Lack of Supply since the supply phase"), "9.61" if view.side(unit) == AXIS else "9.34", good=False)


def _supply(view: View, unit: UnitId) -> Iterator[Answer]:
    """Tell how the unit would be judged if phase 1 were now (9.12)."""
    if unit not in supply.judged(view):
        return
    status = supply.judge(view, unit)
    if status == "supplied":
        line = supply_overlay.line_of(view, unit)
        if len(line) > 1:
            words = text("Now a line of supply reaches it from {hex}", hex=view.board.name(line[-1]))
        else:
            words = text("Now it is in supply where it stands")
        yield Answer(words, "9.41", line=line, good=True)
        return
    rule = RULE_OF_STATUS.get(status, "9.61" if view.side(unit) == AXIS else "9.34")
    line, places = supply_overlay.wanted_line(view, unit)
    words = text("Now it would have no full supply: {why}", why=str(supply_overlay.why_out(view, unit)))
    yield Answer(words, rule, places=places, line=line, good=False)


def _zone(view: View, unit: UnitId) -> Iterator[Answer]:
    if is_unit(view.type(unit)):
        has = zoc.exerts_zoc(view, unit)
        yield Answer(text("It has a zone of control") if has else text("It has no zone of control"), "4.21")


def of_hex(view: View, here: Hex) -> tuple[Answer, ...]:
    """Return what holds of a hex: whose zones of control lie on it and from where, who is crowded there."""
    answers = [_zones(view, here, side) for side in (AXIS, SOVIET)]
    for side in (AXIS, SOVIET):
        if units_at(view, here, side) and stacking.excess(view, here, side):
            answers.append(Answer(text("Too many units of the {side}", side=side_title(side)), "4.18", good=False))
    return tuple(answers)


def _zones(view: View, here: Hex, side: Side) -> Answer:
    if here not in zoc.exerted(view, side):
        return Answer(text("No zone of control of the {side}", side=side_title(side)), "4.23")
    ring = view.board.adjacent[here]
    sources = tuple(there for there in ring if any(_reaches(view, unit, there, here) for unit in units_at(view, there, side)))
    where = ", ".join(view.board.name(there) for there in sources)
    words = text("Zone of control of the {side}, from {where}", side=side_title(side), where=where)
    if units_at(view, here, view.other(side)):
        words = text(
            "Zone of control of the {side}, from {where}; for retreats and supply the units in the hex cancel it",
            side=side_title(side),
            where=where,
        )
        return Answer(words, "4.25", places=sources)
    return Answer(words, "4.23", places=sources)


def _reaches(view: View, unit: UnitId, there: Hex, here: Hex) -> bool:
    return zoc.exerts_zoc(view, unit) and zoc.reaches(view, unit, there, here)

"""How the game shows: counters, phases, turns, what is left to do. Nothing here decides."""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.flow import Decision
from core.ruleset import CounterLook, Duty
from core.rulesets.war_for_the_motherland import arrivals, economy, movement, movement_phase, stacking, supply, withdrawals
from core.rulesets.war_for_the_motherland.strength import is_in_lack, is_out_of_supply, printed
from core.rulesets.war_for_the_motherland.strength import movement as points
from core.rulesets.war_for_the_motherland.terms import ATTACKED, FINISHED, MARKERS, SPENT, STRATEGIC, is_army
from core.text import Text, text
from core.units import Side, UnitId
from core.views import View

NAMED = 4  # units of a list; of more the number of the rest is told
PHASE_NAMES = {
    "": "Set-up",
    "mutual_supply": "Mutual Supply",
    "axis_movement": "Axis Movement",
    "axis_combat": "Axis Combat",
    "soviet_combat": "Soviet Combat",
    "soviet_movement": "Soviet Movement",
    "german_mechanized_movement": "German Mechanized Movement",
    "administrative": "Administrative",
}


def counter(view: View, unit: UnitId) -> CounterLook:
    """Return values, steps and badges of a counter."""
    kind, position = view.type(unit), view.position
    badges = []
    if is_out_of_supply(view, unit):
        badges.append("out_of_supply")
    if is_in_lack(view, unit):
        badges.append("lack_of_supply")
    if position.mark(unit, SPENT) or position.mark(unit, STRATEGIC):  # panzers that moved in phase 2 may move again in phase 6
        badges.append("moved")
    if position.mark(unit, ATTACKED):
        badges.append("attacked")
    done = bool(position.mark(unit, FINISHED) or position.mark(unit, ATTACKED))
    return CounterLook(_values(view, unit), view.unit(unit).steps, kind.steps, tuple(badges), done)


def _values(view: View, unit: UnitId) -> str:
    kind, face = view.type(unit), printed(view, unit)
    if kind.kind == "air_fleet":
        return f"{kind.values['azoi']}/{kind.values['range']}"
    if kind.kind in MARKERS:
        return ""
    if is_army(kind) and unit not in view.position.chits:
        return f"{kind.cup}-{face.move}"
    return f"{face.attack}-{face.defence}-{face.move}"


def remarks(view: View, unit: UnitId) -> tuple[Text, ...]:
    """Return what an air fleet's figures are, and what a unit that has moved can still spend in this phase."""
    values, mark = view.type(unit).values, view.position.mark
    if view.type(unit).kind == "air_fleet":
        words = "zone of {zone} {zone:hex|hexes}, range of {range} {range:hex|hexes}"
        return (text(words, zone=values["azoi"], range=values["range"]),)
    if not mark(unit, SPENT) or mark(unit, FINISHED):
        return ()
    left, of = movement.left(view, unit), points(view, unit)
    return (text("{left} of {of} movement {of:point|points} left", left=movement.in_points(left), of=of),)


def phase_name(phase: str) -> Text:
    """Return a phase's name."""
    return text(PHASE_NAMES[phase])


def turn_name(view: View, turn: int) -> Text:
    """Return date and weather of a turn: ``Nov 1942, snow``."""
    record = view.charts.turns.of(turn)
    return text("{date}, {weather}", date=record.name, weather=record.weather)


def duties(view: View) -> tuple[Duty, ...]:
    """Return what the side to act still must or can do, and what will be mended against its wish at the end of the phase."""
    decision = view.decision()
    if decision is None:
        return ()
    found = list(_of_decision(view, decision))
    found += [_excess(view, here) for here in view.position.occupied() if stacking.excess(view, here, decision.side)]
    return tuple(found)


def _of_decision(view: View, decision: Decision) -> Iterator[Duty]:
    match decision:
        case arrivals.Reinforce():
            for unit in arrivals.waiting(view, decision.side):
                yield Duty(text("{unit} may be placed, or waits", unit=view.name(unit)), "13.17", order="place_reinforcement")
        case economy.PlaceOsgChoice():
            yield Duty(text("The new OSG must be placed"), "12.22", must=True, order="place_osg")
        case withdrawals.Withdrawal():
            yield Duty(text("One airbase must be withdrawn"), "13.7", must=True, order="withdraw_airbase")
        case movement_phase.MoveUnits():
            yield from _without_supply(view, decision.side)


TAKEN_OFF = {"airbase": "9.55", "osg": "9.56", "headquarters": "9.57"}  # without supply
_TO_COME = {
    "9.51": text("As things stand, the next supply phase leaves without supply: {units}"),
    "9.58": text("As things stand, the next supply phase rolls for attrition of the isolated: {units}"),
}
_OFF_THE_MAP = text("As things stand, the next supply phase takes off the map: {units}")


def _without_supply(view: View, side: Side) -> Iterator[Duty]:
    """Tell what the next supply phase would do to a side's units, if nobody moved any more: where they stand now is what it judges."""
    units = [unit for unit in supply.judged(view) if view.side(unit) == side]
    hurt: dict[str, list[UnitId]] = {}
    for unit, status in supply.judge_all(view, units).items():
        taken = TAKEN_OFF.get(view.type(unit).kind)
        if status in ("out", "isolated"):
            hurt.setdefault(taken or ("9.58" if status == "isolated" else "9.51"), []).append(unit)
    for rule, those in sorted(hurt.items()):
        names = [view.name(unit) for unit in those]
        told = ", ".join(names[:NAMED]) + (f" +{len(names) - NAMED}" if len(names) > NAMED else "")
        words = Text(_TO_COME.get(rule, _OFF_THE_MAP).template, {"units": told})
        yield Duty(words, rule, places=tuple(dict.fromkeys(view.unit(unit).place for unit in those)), foreseen=True)


def _excess(view: View, here: Hex) -> Duty:
    words = text("Too many units in {hex}: at the end of the phase one is eliminated", hex=view.board.name(here))
    return Duty(words, "4.18", places=(here,))

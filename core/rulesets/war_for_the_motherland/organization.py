"""German breakdown, buildup and exchange of steps (14.1, 14.2).

Rules: 3.0.7a, 9.54, 11.15 (German part), 14.0, 14.11, 14.12a, 14.12b, 14.13, 14.14, 14.15, 14.21a, 14.21b, 14.21c, 14.22, 14.23a, 14.23b,
14.24, 14.25a, 14.25b, 17.42a (breakdown), 14.26a, 14.26b, 14.27, 14.28, 14.29a, 14.29b, 20.33b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress

from core.board import Hex
from core.derived import MARKS, STEPS, TRACKS, UNITS, forces
from core.errors import Refused
from core.events import Event, FramePopped, FramePushed, Line, Marked, Part, Placed, Removed, StepsChanged
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import OneOption, OneUnit, OptionPick, Order, Pick, UnitPick, UnitSet
from core.ruleset import Ahead, Preview
from core.rulesets.war_for_the_motherland import first_turn, recovery, stacking, weather, zoc
from core.rulesets.war_for_the_motherland.charts import BreakdownRow
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.strength import is_supplied
from core.rulesets.war_for_the_motherland.terms import (
    ARRIVALS,
    AXIS,
    BROKEN_DOWN,
    ORGANIZED,
    SOVIET,
    TRACK,
    counters,
    free_name,
    is_german,
    units_at,
)
from core.text import Text, text
from core.units import UnitId, UnitType
from core.views import View

EXCHANGING = frozenset({"infantry", "panzer"})  # 14.29


class AskOrganization(Step, frozen=True, kw_only=True):
    """Ask for the next action while one is possible (14.11)."""


def _prompt(view: View, decision: Organize) -> Text:
    del view, decision
    return text("Break down, build up, exchange steps")


@RULES.decision(
    _prompt, title=text("Breaking down and building up"),
    ahead=(Ahead.of(text("Organize no more"), "end_organization", side=AXIS),),
)
class Organize(Decision, frozen=True, kw_only=True):
    """The Axis breaks units down, builds corps, exchanges steps, or is done (14.11)."""

    orders = ("break_down", "build_up", "exchange_step", "end_organization")
    rule = "14.11"


class BreakDown(Order, frozen=True, tag="break_down"):
    """Break a corps into KG, or a KG of two steps into two of one (14.21)."""

    unit: OneUnit = None


class BuildUp(Order, frozen=True, tag="build_up"):
    """Build a corps from KG (14.23)."""

    units: UnitSet = ()


class ExchangeStep(Order, frozen=True, tag="exchange_step"):
    """Let one of two units, called by its name, take a step from the other (14.26)."""

    units: UnitSet = ()
    taker: OneOption = None


class EndOrganization(Order, frozen=True, tag="end_organization"):
    """Do no more of this in this turn."""


@RULES.step(AskOrganization)
def ask_organization(game: Game, step: AskOrganization) -> Iterator[Event]:
    """Ask while anything can be organized."""
    del step
    if any(_why_whole(game, unit) is None for unit in ready(game)) or _any_buildup(game) or _any_exchange(game):
        yield FramePushed(Organize(side=AXIS).frame())


# -------------------------------------------------------------------- who may act


def is_kg(kind: UnitType) -> bool:
    """Say whether a type is a Kampfgruppe."""
    return kind.size == "KG"


def refusal_for(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit may take part in no action now, None if it may (14.12, 14.15, 14.25)."""
    if not is_german(view.type(unit)):
        return Refused("14.15", text("{unit} is not German", unit=view.name(unit)))
    if view.unit(unit).place < 0:
        rule = "14.14" if view.unit(unit).place == view.board.box(ARRIVALS) else "14.11"
        return Refused(rule, text("{unit} is not on the map", unit=view.name(unit)))
    if not is_supplied(view, unit):
        return Refused("14.12", text("{unit} is not in supply", unit=view.name(unit)))  # 9.54, D-58
    if zoc.in_enemy_zoc(view, Hex(view.unit(unit).place), AXIS) and not weather.is_mud(view):  # 11.15
        return Refused("14.12", text("{unit} is in an enemy ZOC", unit=view.name(unit)))
    if view.position.mark(unit, ORGANIZED):
        return Refused("14.25", text("{unit} has had its breakdown, buildup or exchange of this turn", unit=view.name(unit)))
    return None


def ready(view: View) -> tuple[UnitId, ...]:
    """Return the units that may still take part in an action, lowest number first."""
    return view.derived.get("ready to organize", (UNITS, STEPS, MARKS, TRACKS), lambda: _ready(view))


def _ready(view: View) -> tuple[UnitId, ...]:
    """Look at the Germans whom the last action touched: beside its own hex and marks a unit's answer hangs on enemies and weather alone."""
    germans = tuple([unit.id for unit, kind in counters(view, AXIS) if is_german(kind)])
    able = view.derived.each(
        "may organize", germans, lambda unit: refusal_for(view, unit) is None,
        of=view.derived.stamp(forces(SOVIET), TRACKS), near=lambda place: (),
    )
    return tuple(compress(germans, able))


def _stacks(view: View) -> list[tuple[UnitId, ...]]:
    """Return the ready units hex by hex (14.13)."""
    return view.derived.get("ready stacks", (UNITS, STEPS, MARKS, TRACKS), lambda: _find_stacks(view))


def _find_stacks(view: View) -> list[tuple[UnitId, ...]]:
    found: dict[int, list[UnitId]] = {}
    for unit in ready(view):
        found.setdefault(view.unit(unit).place, []).append(unit)
    return [tuple(units) for _, units in sorted(found.items())]


def _find_door(candidates: Callable[[UnitId], bool]) -> Callable[[Pick], Door | None]:
    """Return what finds the door of one unit, without those of all others."""
    return lambda pick: Door(pick) if isinstance(pick, UnitPick) and candidates(pick.unit) else None


# -------------------------------------------------------------------- breakdown


def chart_row(view: View, unit: UnitId) -> BreakdownRow | None:
    """Return the line of the Breakdown Chart for a corps as it stands, None for other units (14.22)."""
    counter = view.unit(unit)
    rows: tuple[BreakdownRow, ...] = view.charts.breakdown.breakdown
    return next((row for row in rows if (row.corps, row.steps) == (counter.type, counter.steps)), None)


def breakdown_refusal(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit can't be broken down now, None if it can."""
    return refusal_for(view, unit) or _why_whole(view, unit)


def _why_whole(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit that may take part in an action can't be broken down, None if it can."""
    if frozen := first_turn.why_frozen(view, unit):
        return frozen
    row = chart_row(view, unit)
    if row is None and not (is_kg(view.type(unit)) and view.unit(unit).steps == 2):
        return Refused("14.21", text("{unit} can't be divided", unit=view.name(unit)))
    made = [view.type(unit)] * 2 if row is None else [view.types[row.kg]] * len(row.kg_steps)
    others = (other for other in units_at(view, Hex(view.unit(unit).place), AXIS) if other != unit)
    if stacking.load(view, others) + sum(map(stacking.weight, made)) > stacking.limit(AXIS):
        return Refused("14.21", text("{n} KG instead of {unit} would break the stacking limit", n=len(made), unit=view.name(unit)))
    return None


def compose_breakdown(view: View, draft: BreakDown) -> Offer:
    """Offer each unit that can be broken down."""
    if draft.unit is not None:
        return Offer()
    return offer(
        (Door(UnitPick(unit)) for unit in ready(view) if _why_whole(view, unit) is None),
        unfinished=Refused("14.21", text("a corps, or a KG of two steps, must be chosen")),
        unknown=lambda pick: breakdown_refusal(view, pick.unit) if isinstance(pick, UnitPick) else None,
        find=_find_door(lambda unit: unit in ready(view) and _why_whole(view, unit) is None),
    )


def preview_breakdown(view: View, draft: BreakDown) -> Preview | None:
    """Show which unit is divided, and into what: a click on a stack takes one of its units."""
    if draft.unit is None:
        return None
    row = chart_row(view, draft.unit)
    steps, rule = ([1, 1], "14.21") if row is None else (row.kg_steps, "14.22")
    parts = tuple(Part(str(one), rule, text("a KG of {n} {n:step|steps}", n=one)) for one in steps)
    title = text("{unit} becomes {n} KG", unit=view.name(draft.unit), n=len(parts))
    return Preview(title, (Line("steps", str(sum(steps)), parts),))


@RULES.order(BreakDown, text("Break down"), rule="14.21", compose=compose_breakdown, preview=preview_breakdown)
def take_breakdown(game: Game, order: BreakDown) -> Iterator[Event]:
    """Replace a corps by its KG, or halve a KG; all that take part have acted (14.25)."""
    assert order.unit is not None
    yield from _answered()
    unit, place, row = order.unit, game.unit(order.unit).place, chart_row(game, order.unit)
    if row is None:
        yield StepsChanged(unit, 1)  # 14.21
        yield Marked((unit,), ORGANIZED)
        yield from new_kg(game, game.unit(unit).type, place, 1)
        return
    yield from recovery.to_box(game, unit, BROKEN_DOWN, "broken down")
    for steps in row.kg_steps:
        yield from new_kg(game, row.kg, place, steps)  # 14.21, 14.22


def new_kg(game: Game, type: str, place: int, steps: int) -> Iterator[Event]:
    """Place a KG that has acted; there are as many as anybody needs (14.25)."""
    unit = UnitId(game.position.next_unit)
    yield Placed(unit, type, free_name(game, type), place, steps)
    yield Marked((unit,), ORGANIZED)


# -------------------------------------------------------------------- buildup


def idle_corps(view: View, type: str) -> UnitId | None:
    """Return a corps counter of a type that was broken down or destroyed, None if all are in play or yet to come (14.23)."""
    pool = view.position.at(view.board.box(BROKEN_DOWN))
    return next((unit for unit in pool if view.unit(unit).type == type), None)


def _rows_for(view: View, units: Sequence[UnitId]) -> list[BreakdownRow]:
    """Return the chart lines that a set of KG is part of, or all of, with a corps counter at hand."""
    kg, steps = view.unit(units[0]).type, _steps_of(view, units)
    if any(view.unit(unit).type != kg for unit in units):
        return []
    rows: tuple[BreakdownRow, ...] = view.charts.breakdown.breakdown
    return [row for row in rows if row.kg == kg and _has(row.kg_steps, steps) and idle_corps(view, row.corps) is not None]


def _steps_of(view: View, units: Iterable[UnitId]) -> list[int]:
    return [view.unit(unit).steps for unit in units]


def _has(whole: Sequence[int], part: Sequence[int]) -> bool:
    """Say whether KG of these steps are among others."""
    return all(part.count(steps) <= whole.count(steps) for steps in part)


def finished_row(view: View, units: tuple[UnitId, ...]) -> BreakdownRow | None:
    """Return the line of the Breakdown Chart that a set of KG makes whole, None if it makes none (14.23)."""
    return next((row for row in _rows_for(view, units) if len(row.kg_steps) == len(units)), None)


def _can_grow(view: View, units: tuple[UnitId, ...], stack: tuple[UnitId, ...]) -> bool:
    """Say whether a set of KG, all of one stack, is a corps or becomes one with others of the stack."""
    kg = view.unit(units[0]).type
    alike = _steps_of(view, (unit for unit in stack if view.unit(unit).type == kg))
    return any(_has(alike, row.kg_steps) for row in _rows_for(view, units))


def _any_buildup(view: View) -> bool:
    return any(_may_join(view, (), unit, stack) for stack in _stacks(view) for unit in stack)


def _may_join(view: View, units: tuple[UnitId, ...], unit: UnitId, stack: tuple[UnitId, ...]) -> bool:
    return unit not in units and is_kg(view.type(unit)) and _can_grow(view, (*units, unit), stack)


def keeps_apart(view: View, order: BuildUp) -> Refused | None:
    """Return what keeps the units of a buildup from becoming a corps together (14.12 to 14.15, 14.24), None if it is none of that."""
    return _first_bar(view, order.units, lambda others, unit: _no_buildup(view, BuildUp(others), UnitPick(unit)), but="14.23")


def _first_bar(
    view: View, units: tuple[UnitId, ...], why: Callable[[tuple[UnitId, ...], UnitId], Refused | None], *, but: str
) -> Refused | None:
    """Return why the first of some units can't join those before it, by another rule than *but*."""
    for number, unit in enumerate(units):
        barred = _not_yet(view, unit) or why(units[:number], unit)
        if barred is not None and barred.rule != but:
            return barred
    return None


def _not_yet(view: View, unit: UnitId) -> Refused | None:
    if view.unit(unit).place != view.board.box(TRACK):
        return None
    return Refused("14.24", text("{unit} is still to come", unit=view.name(unit)))


def compose_buildup(view: View, draft: BuildUp) -> Offer:
    """Offer KG until the set is a line of the chart."""
    stacks = _stacks(view)
    if draft.units:
        stacks = [stack for stack in stacks if set(draft.units) <= set(stack)]
    complete = bool(draft.units) and finished_row(view, draft.units) is not None
    return offer(
        (Door(UnitPick(unit)) for stack in stacks for unit in stack if _may_join(view, draft.units, unit, stack)),
        unfinished=None if complete else Refused("14.23", text("KG of one type in one hex must be chosen, as the Breakdown Chart says")),
        unknown=lambda pick: _no_buildup(view, draft, pick),
        find=_find_door(lambda unit: any(unit in stack and _may_join(view, draft.units, unit, stack) for stack in stacks)),
    )


def _no_buildup(view: View, draft: BuildUp, pick: Pick) -> Refused | None:
    if not isinstance(pick, UnitPick):
        return None
    unit, name = pick.unit, view.name(pick.unit)
    if not is_kg(view.type(unit)):
        return Refused("14.23", text("{unit} is no KG", unit=name))
    barred = refusal_for(view, unit)
    if barred is not None:
        return barred
    if any(view.unit(other).place != view.unit(unit).place for other in draft.units):
        return Refused("14.13", text("{unit} is in another hex", unit=name))
    if any(view.unit(other).type != view.unit(unit).type for other in draft.units):
        return Refused("14.23", text("{unit} is of another type", unit=name))
    return _bar_of_partner(view, (*draft.units, unit)) or Refused(
        "14.23", text("with {unit} no line of the Breakdown Chart, with a corps at hand, can be made", unit=name)
    )


def _bar_of_partner(view: View, units: tuple[UnitId, ...]) -> Refused | None:
    """Return what bars a KG of the same stack with which these would become a corps, None if it isn't that."""
    place, kind = Hex(view.unit(units[0]).place), view.type(units[0])
    stack = tuple(unit for unit in units_at(view, place, AXIS) if view.type(unit) == kind)
    if not _can_grow(view, units, stack):
        return None
    return next(filter(None, (refusal_for(view, unit) for unit in stack)), None)


@RULES.order(BuildUp, text("Build up a corps"), rule="14.23", compose=compose_buildup, together=keeps_apart)
def take_buildup(game: Game, order: BuildUp) -> Iterator[Event]:
    """Replace the KG by a corps, which has acted (14.25)."""
    row = finished_row(game, order.units)
    assert row is not None
    corps = idle_corps(game, row.corps)
    assert corps is not None
    yield from _answered()
    place, counter = game.unit(order.units[0]).place, game.unit(corps)
    for unit in order.units:
        yield Removed(unit, "built up")
    yield Placed(corps, counter.type, counter.name, place, row.steps)  # 14.23
    yield Marked((corps,), ORGANIZED)


# -------------------------------------------------------------------- exchange of steps


def can_give(kind: UnitType) -> bool:
    """Say whether a unit may give a step: German infantry and panzer units, divisions too (14.29)."""
    return is_german(kind) and kind.kind in EXCHANGING


def can_take(view: View, unit: UnitId) -> bool:
    """Say whether a unit that may give a step may take one too: a corps or KG on its weaker side, no division (14.29)."""
    kind = view.type(unit)
    return kind.size in ("XXX", "KG") and view.unit(unit).steps == kind.steps - 1  # 14.26


def _takers(view: View, pair: tuple[UnitId, ...]) -> tuple[UnitId, ...]:
    one, two = pair
    if view.type(one).kind != view.type(two).kind or not can_give(view.type(one)):
        return ()
    return tuple(taker for taker, giver in (pair, (two, one)) if can_take(view, taker) and giving_refusal(view, giver) is None)


def leaves_kg(view: View, giver: UnitId) -> bool:
    """Say whether a unit that gives a step becomes a KG by it (14.26, 14.28)."""
    then = view.type(giver).then
    return bool(then) and view.unit(giver).steps - 1 == view.types[then].steps


def giving_refusal(view: View, giver: UnitId) -> Refused | None:
    """Return why a unit of the right type gives no step: a corps that would be broken down into a KG by it may not be (17.42, 14.28)."""
    return first_turn.why_frozen(view, giver) if leaves_kg(view, giver) else None


def _any_exchange(view: View) -> bool:
    return any(_takers(view, (one, two)) for stack in _stacks(view) for one in stack for two in stack if one < two)


def _partners(view: View, unit: UnitId) -> list[UnitId]:
    able = ready(view)
    if unit not in able:
        return []
    stack = (other for other in view.position.at(view.unit(unit).place) if other != unit and other in able)
    return [other for other in stack if _takers(view, (unit, other))]


def compose_exchange(view: View, draft: ExchangeStep) -> Offer:
    """Offer two stacked units of one type, then who takes the step."""
    if len(draft.units) < 2:
        some = _partners(view, draft.units[0]) if draft.units else (unit for unit in ready(view) if _partners(view, unit))
        return offer(
            (Door(UnitPick(unit)) for unit in some),
            unfinished=Refused("14.26", text("two stacked units of one type must be chosen, one of them on its weaker side")),
            unknown=lambda pick: _no_exchange(view, draft, pick),
            find=None if draft.units else _find_door(lambda unit: bool(_partners(view, unit))),
        )
    if len(draft.units) > 2:
        return Offer(unfinished=Refused("14.26", text("a step goes from one unit to one other")))
    if draft.taker is None:
        return offer(
            (Door(OptionPick(option), label=text("{unit} takes the step", unit=option)) for option in taker_options(view, draft.units)),
            unfinished=Refused("14.26", text("who takes the step must be chosen")),
            unknown=lambda pick: _not_taking(view, draft.units, pick),
        )
    return Offer()


def taker_options(view: View, pair: tuple[UnitId, ...]) -> dict[str, UnitId]:
    """Return the units of a pair that may take the step, by the name that the order calls them."""
    same = view.name(pair[0]) == view.name(pair[1])
    return {f"{view.name(unit)} #{unit}" if same else view.name(unit): unit for unit in _takers(view, pair)}


def _no_exchange(view: View, draft: ExchangeStep, pick: Pick) -> Refused | None:
    if not isinstance(pick, UnitPick):
        return None
    unit, name = pick.unit, view.name(pick.unit)
    barred = refusal_for(view, unit)
    if barred is not None:
        return barred
    if (no_kind := _no_exchanger(view, unit)) is not None:
        return no_kind
    for other in draft.units:
        if view.unit(other).place != view.unit(unit).place:
            return Refused("14.13", text("{unit} is in another hex", unit=name))
        if view.type(other).kind != view.type(unit).kind:
            return Refused("14.26", text("{unit} is of another type", unit=name))
    frozen = giving_refusal(view, unit) if any(can_take(view, other) for other in draft.units) else None
    return frozen or Refused("14.26", text("{unit} has nobody to exchange a step with", unit=name))


def _no_exchanger(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit is of no kind that exchanges steps, None if it is (14.29)."""
    return None if can_give(view.type(unit)) else Refused("14.29", text("{unit} exchanges no steps", unit=view.name(unit)))


def bars_exchange(view: View, order: ExchangeStep) -> Refused | None:
    """Return what bars two units from an exchange, whoever is named first (14.12 to 14.15, 14.29); None if it is none of that."""
    return _first_bar(view, order.units, lambda others, unit: _no_exchange(view, ExchangeStep(others), UnitPick(unit)), but="14.26")


def _not_taking(view: View, pair: tuple[UnitId, ...], pick: Pick) -> Refused | None:
    if not isinstance(pick, OptionPick):
        return Refused("14.26", text("a step goes from one unit to one other"))
    asked = pick.option
    if any(view.name(unit) == asked and view.type(unit).size not in ("XXX", "KG") for unit in pair):
        return Refused("14.29", text("{unit} gives steps, but takes none", unit=asked))
    for taker, giver in (pair, pair[::-1]):
        if view.name(taker) == asked and can_take(view, taker) and (frozen := giving_refusal(view, giver)):
            return frozen
    return Refused("14.26", text("{unit} can't take a step", unit=asked))


@RULES.order(ExchangeStep, text("Exchange a step"), rule="14.26", compose=compose_exchange, together=bars_exchange)
def take_exchange(game: Game, order: ExchangeStep) -> Iterator[Event]:
    """Move one step; a corps that gives its third becomes a KG, which is fresh out of this very action (14.28)."""
    assert order.taker is not None
    taker = taker_options(game, order.units)[order.taker]
    giver = next(unit for unit in order.units if unit != taker)
    yield from _answered()
    yield from _give(game, giver)
    yield StepsChanged(taker, game.unit(taker).steps + 1)  # 14.26
    yield Marked((taker,), ORGANIZED)  # 14.27


def _give(game: Game, giver: UnitId) -> Iterator[Event]:
    counter, kind = game.unit(giver), game.type(giver)
    left = counter.steps - 1
    if left == 0:
        yield Removed(giver, "absorbed")  # 14.28
    elif leaves_kg(game, giver):
        yield from recovery.to_box(game, giver, BROKEN_DOWN, "broken down")
        yield from new_kg(game, kind.then, counter.place, left)  # 14.26, 14.28
    else:
        yield StepsChanged(giver, left)
        yield Marked((giver,), ORGANIZED)  # 14.27


# -------------------------------------------------------------------- the end


def _answered() -> Iterator[Event]:
    yield FramePopped()
    yield FramePushed(AskOrganization().frame())


def compose_end(view: View, draft: EndOrganization) -> Offer:
    """Nobody has to organize."""
    del view, draft
    return Offer()


@RULES.order(EndOrganization, text("Organize no more"), rule="14.11", compose=compose_end)
def take_end(game: Game, order: EndOrganization) -> Iterator[Event]:
    """Go on."""
    del game, order
    yield FramePopped()

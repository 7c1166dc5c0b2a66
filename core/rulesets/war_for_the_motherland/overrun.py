"""Overruns (6.0): attacks within movement.

Rules: 4.17, 5.21b, 5.45, 6.0a, 6.0b, 6.1.1a, 6.1.1b, 6.1.4, 6.21, 6.22, 6.23a to 6.23e, 6.24, 6.25a, 6.26a, 6.26b, 6.26c, 6.27a, 6.28a,
6.28b, 8.24, 11.29, 17.41; D-18, D-28, D-29. The battle itself (6.1.2, 6.1.3, 6.27b, 6.29) is in `combat`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from core.board import Hex
from core.derived import PLACES
from core.errors import Refused
from core.events import Event, FramePushed, Moved
from core.flow import Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, OneHex, Order, Pick, UnitPick, UnitSet
from core.ruleset import Preview
from core.rulesets.war_for_the_motherland import combat, control, first_turn, marching, movement, stacking, weather
from core.rulesets.war_for_the_motherland.marching import refused
from core.rulesets.war_for_the_motherland.movement import BY_OVERRUN, NORMAL
from core.rulesets.war_for_the_motherland.movement_costs import QUARTERS
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.strength import is_supplied, printed
from core.rulesets.war_for_the_motherland.strength import movement as points
from core.rulesets.war_for_the_motherland.terms import SOVIET, has_enemy, is_army, units_at
from core.text import text
from core.units import Side, UnitId
from core.views import View


class Overrun(Order, frozen=True, tag="overrun"):
    """Units in one hex attack a neighbouring hex while they move."""

    units: UnitSet = ()
    hex: OneHex = None


class AfterOverrun(Step, frozen=True, kw_only=True):
    """All payments of an overrun are made: see how it went (6.26, 6.27).

    *steps* are those the attackers had; a counter from number *fresh* on came into play by the battle, for one that was replaced.
    """

    side: Side
    units: tuple[int, ...]
    steps: tuple[int, ...]
    fresh: int
    origin: int
    target: int


# -------------------------------------------------------------------- who and where


def cost(view: View, side: Side) -> int:
    """Return the quarter points that an overrun costs each unit, whatever the terrain (6.1.1a)."""
    return QUARTERS * (2 if side == SOVIET and weather.is_snow(view) else 3)  # 11.29


def bar(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit can't take part in any overrun now, None if it can."""
    side, here = view.side(unit), Hex(view.unit(unit).place)
    closed = movement.bar(view, unit)
    if closed is not None:
        return closed
    if not is_supplied(view, unit):
        return refused("6.22", "{unit} is not supplied and can't overrun", view, unit)
    if not is_army(view.type(unit)) and printed(view, unit).attack == 0:
        return refused("8.24", "{unit} has no attack strength", view, unit)
    if stacking.excess(view, here, side):
        return Refused("4.17", text("{hex} is overstacked: no overrun from there", hex=view.board.name(here)))  # 6.23d
    if movement.left(view, unit) < cost(view, side):
        words = text(
            "{unit} has {left} movement points left, an overrun costs {cost}",
            unit=view.name(unit),
            left=movement.in_points(movement.left(view, unit)),
            cost=cost(view, side) // QUARTERS,
        )
        return Refused("6.1.1a", words)
    return None


def joins(view: View, units: Sequence[UnitId], unit: UnitId) -> Refused | None:
    """Return why a unit can't overrun together with others (6.23)."""
    closed = marching.joins(view, units, unit)
    if closed is not None:
        return Refused("6.23a", closed.text)
    if points(view, unit) != points(view, units[0]):
        return refused("6.23b", "{unit} has another movement allowance than the others", view, unit)
    return None


def why_not_target(view: View, units: Sequence[UnitId], there: Hex) -> Refused | None:
    """Return why a stack can't overrun a hex, None if it can (6.24, 6.28)."""
    here, name = Hex(view.unit(units[0]).place), view.board.name(there)
    if not view.board.are_adjacent(here, there):
        return Refused("6.1.1a", text("{hex} is not adjacent", hex=name))
    if not has_enemy(view, there, view.side(units[0])):
        return Refused("6.24", text("no enemy unit is in {hex}", hex=name))
    return why_not_from(view, units, here, there)


def why_not_from(view: View, units: Sequence[UnitId], here: Hex, there: Hex) -> Refused | None:
    """Return why the ground lets no stack overrun a hex from the one beside it, None if it does (6.28)."""
    name = view.board.name(there)
    if weather.bars_all(view, here, there):
        return Refused("6.28a", text("water lies before {hex}", hex=name))
    river = view.board.side_has(here, there, "minor_river") or view.board.side_has(here, there, "major_river")
    if river and not _ignores_rivers(view, units):
        return Refused("6.28a", text("a river lies before {hex}", hex=name))
    if not weather.terrain_row(view, there).overrun:
        return Refused("6.28b", text("the terrain of {hex} can't be overrun", hex=name))
    return None


def _ignores_rivers(view: View, units: Sequence[UnitId]) -> bool:
    """German units in the first turn (17.41, D-29)."""
    return all(first_turn.ignores_rivers(view, view.type(unit)) for unit in units)


# -------------------------------------------------------------------- composing


def unit_doors(view: View, side: Side) -> tuple[Door, ...]:
    """Return a door for each unit of a side on the map."""

    def door(unit: UnitId) -> Door:
        return _unit_door(view, unit)

    of = (*movement.hangs_on(view, side), view.derived.stamp(PLACES))   # places: fortresses that were entered
    return view.derived.each(("overrun", side), marching.own_units(view, side), door, of=of, near=view.position.at)


def _unit_door(view: View, unit: UnitId) -> Door:
    return Door(UnitPick(unit), bar(view, unit) or _without_target(view, (unit,)))


def can_overrun(view: View, side: Side) -> bool:
    """Say whether any unit of a side can overrun now."""
    return any(door.is_open for door in unit_doors(view, side))


def _without_target(view: View, units: Sequence[UnitId]) -> Refused | None:
    """Return why there is no hex that a stack can overrun, None if there is one."""
    side, around = view.side(units[0]), view.board.adjacent[marching.start_of(view, units)]
    closed = [why_not_target(view, units, there) for there in around if has_enemy(view, there, side)]   # most units have none beside them
    if None in closed:
        return None
    return next(iter(closed), None) or refused("6.1.1a", "{unit} has no enemy next to it that it could overrun", view, units[0])


def compose_overrun(view: View, draft: Overrun) -> Offer:
    """Offer units that can overrun together, then their targets."""
    side = view.side_to_act()
    if not draft.units:
        return offer(
            _all_unit_doors(view, side),
            unfinished=Refused("6.0a", text("a unit must be chosen")),
            unknown=lambda pick: marching.why_not_unit(view, pick, (), side),
            find=lambda pick: _find_unit(view, pick, side),
        )
    closed = _bar_of_stack(view, draft.units, side)
    if draft.hex is not None or closed is not None:
        return offer(unfinished=closed or why_not_target(view, draft.units, Hex(draft.hex or 0)))
    return offer(
        chain(_more_units(view, draft.units, side), _targets(view, draft.units)),
        unfinished=Refused("6.24", text("a hex must be chosen")),
        unknown=lambda pick: _why_not(view, draft, pick, side),
    )


def _all_unit_doors(view: View, side: Side) -> Iterator[Door]:
    yield from unit_doors(view, side)


def _find_unit(view: View, pick: Pick, side: Side) -> Door | None:
    if isinstance(pick, UnitPick) and marching.not_yours(view, pick.unit, side) is None:   # `own_units` hang on where all of them stand
        return _unit_door(view, pick.unit)
    return None


def _bar_of_stack(view: View, units: Sequence[UnitId], side: Side) -> Refused | None:
    closed = marching.bar_of_stack(view, units, side, bar)
    others = (joins(view, units[:number], unit) for number, unit in enumerate(units) if number)
    return closed or next((why for why in others if why is not None), None)


def _more_units(view: View, units: Sequence[UnitId], side: Side) -> Iterator[Door]:
    for unit in units_at(view, marching.start_of(view, units), side):
        if unit not in units:
            yield Door(UnitPick(unit), bar(view, unit) or joins(view, units, unit) or _without_target(view, (*units, unit)))


def _targets(view: View, units: Sequence[UnitId]) -> Iterator[Door]:
    for there in view.board.adjacent[marching.start_of(view, units)]:
        closed = why_not_target(view, units, there)
        if closed is None or closed.rule != "6.24":
            yield Door(HexPick(there), closed)


def _why_not(view: View, draft: Overrun, pick: Pick, side: Side) -> Refused | None:
    if isinstance(pick, HexPick):
        return why_not_target(view, draft.units, pick.hex)
    if isinstance(pick, UnitPick) and pick.unit not in draft.units:
        return marching.not_yours(view, pick.unit, side) or joins(view, draft.units, pick.unit)
    return None


def preview(view: View, draft: Overrun) -> Preview | None:
    """Return the odds of an overrun before it is declared."""
    if not draft.units or draft.hex is None:
        return None
    return combat.preview(view, draft.units, (draft.hex,), overrun=True)


# -------------------------------------------------------------------- carrying out


@RULES.order(Overrun, text("Overrun"), rule="6.0a", compose=compose_overrun, preview=preview)
def take_overrun(game: Game, order: Overrun) -> Iterator[Event]:
    """Pay, then fight; what follows waits below the answers of both sides (6.1.1b)."""
    assert order.hex is not None, order
    side, origin = game.side(order.units[0]), marching.start_of(game, order.units)
    yield from movement.take_in_hand(game, order.units, NORMAL)
    yield from movement.spend(game, dict.fromkeys(order.units, cost(game, side)))  # 6.1.1a, 5.45
    after = AfterOverrun(
        side=side,
        units=order.units,
        steps=tuple(game.unit(unit).steps for unit in order.units),
        fresh=game.position.next_unit,
        origin=origin,
        target=order.hex,
    )
    yield FramePushed(after.frame())
    yield from combat.begin_battle(game, attackers=order.units, targets=(order.hex,), overrun=True)  # 6.1.2, 6.1.3


@RULES.step(AfterOverrun)
def after_overrun(game: Game, step: AfterOverrun) -> Iterator[Event]:
    """Let the attackers enter the hex if it is empty, and end their movement unless the overrun was clean."""
    remaining = _attackers_now(game, step)
    if not remaining:
        return
    target = Hex(step.target)
    driven_back = any(game.unit(unit).place != step.origin for unit in remaining)
    vacated = not has_enemy(game, target, step.side)
    # A result makes one side retreat and leaves the other where it stands, and a red box makes nobody retreat (8.83, 8.86a).
    assert not (vacated and driven_back), step
    if vacated:
        yield Moved(remaining, (target,))  # 6.1.4, 6.26c, 6.27a
        yield from control.enter(game, remaining, target)
    if not vacated or _has_lost(game, step):
        yield from movement.finish(remaining, BY_OVERRUN)  # 6.26a, 6.26b, 6.26c


def _attackers_now(game: Game, step: AfterOverrun) -> tuple[UnitId, ...]:
    """Return the attackers that are left, with the counters that replaced some of them."""
    old = [UnitId(unit) for unit in step.units if game.unit(UnitId(unit)).place >= 0]
    new = [unit.id for unit in game.position.on_map() if unit.id >= step.fresh and game.side(unit.id) == step.side]
    return tuple(sorted({*old, *new}))


def _has_lost(game: Game, step: AfterOverrun) -> bool:
    """Say whether the attackers lost any step."""
    now = (game.unit(UnitId(unit)) for unit in step.units)
    return any(unit.place < 0 or unit.steps < before for unit, before in zip(now, step.steps, strict=True))

"""Advance after combat (8.11).

Rules: 8.24 (advance), 8.87, 8.111a, 8.111b, 8.111c, 8.112a, 8.112b, 8.113a, 8.113b, 8.114a,
8.115a to 8.115d, 8.116, 8.117, 8.118; D-47 to D-50.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from core.board import Hex
from core.errors import Refused
from core.events import Event, Explained, FramePopped, FramePushed, Line, Marked, Moved, Part
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, Order, Path, Pick, UnitPick, UnitSet
from core.ruleset import Ahead, Way
from core.rulesets.war_for_the_motherland import control, first_turn, moscow, stacking, strength, weather, zoc
from core.rulesets.war_for_the_motherland.battle import ATTACKING, DEFENDING, Battle, Role, fighters, side_of
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import ADVANCED, has_enemy, is_armored, is_army, is_panzer
from core.text import Text, text
from core.units import UnitId
from core.views import View

FARTHEST = 3  # hexes of any advance (8.113, 8.114)


class Advance(Order, frozen=True, tag="advance"):
    """Advance units of one hex together, hex by hex (8.111)."""

    units: UnitSet = ()
    path: Path = ()


class EndAdvance(Order, frozen=True, tag="end_advance"):
    """Advance no further (8.111)."""


class OfferAdvance(Step, frozen=True, kw_only=True):
    """The winner may advance if any of his units can. *first* are the vacated hexes, *length* the limit of 8.113."""

    battle: Battle
    role: Role
    first: tuple[Hex, ...]
    length: int


def _ask(view: View, decision: AdvanceAfterCombat) -> Text:
    hexes = ", ".join(view.board.name(here) for here in decision.first)
    return text("Advance after combat into {hexes}: up to {n} {n:hex|hexes}", hexes=hexes, n=decision.length)


@RULES.decision(_ask, title=text("Advance after combat"), ahead=(Ahead.of(text("Advance no further"), "end_advance"),))
class AdvanceAfterCombat(Decision, frozen=True, kw_only=True):
    """The winner advances or stays."""

    orders: ClassVar = ("advance", "end_advance")
    rule: ClassVar = "8.111"
    battle: Battle
    role: Role
    first: tuple[Hex, ...]
    length: int


def opportunity(view: View, battle: Battle) -> OfferAdvance | None:
    """Return who may advance after a battle, and how far, which may be no hex; None if nobody may (8.87, 8.111, 8.113, D-47, D-50)."""
    if battle.overrun:
        return None  # 8.111c
    for role, losing in ((ATTACKING, DEFENDING), (DEFENDING, ATTACKING)):
        held = battle.targets if role == ATTACKING else battle.sources
        first = tuple(here for here in held if not has_enemy(view, here, side_of(view, battle, role)))
        if first and fighters(view, role):
            return OfferAdvance(battle=battle, role=role, first=first, length=_length(view, battle, losing))
    return None


def why_none(view: View, chance: OfferAdvance) -> Explained:
    """Return what tells the winner why he may not even enter the hex that was vacated (8.113, D-47)."""
    number, lost = _number_and_lost(chance.battle, DEFENDING if chance.role == ATTACKING else ATTACKING)
    parts = (Part(str(number), "8.113", text("result")), Part(str(-lost), "8.113", text("steps lost to it")))
    hexes = ", ".join(view.board.name(here) for here in chance.first)
    return Explained("advance", text("No advance into {hexes}: all was paid by steps", hexes=hexes), (Line("length", "0", parts),))


def _length(view: View, battle: Battle, losing: Role) -> int:
    result = battle.meaning()
    if result.eliminated:
        return FARTHEST  # 8.113
    number, lost = _number_and_lost(battle, losing)
    least = 1 if number and view.options["minimum_advance_one"] else 0
    return max(number - lost, least)  # 8.113


def _number_and_lost(battle: Battle, losing: Role) -> tuple[int, int]:
    """Return the number that the result has for a side, and the steps that it lost to it."""
    result = battle.meaning()
    return (result.attacker, battle.lost[0]) if losing == ATTACKING else (result.defender, battle.lost[1])


def allowance(view: View, unit: UnitId, length: int) -> int:
    """Return how many hexes a unit may advance in all (8.24, 8.112, 8.113, 8.114)."""
    kind = view.type(unit)
    if strength.printed(view, unit).move == 0 or first_turn.why_frozen(view, unit):
        return 0  # 8.112; 17.42a, D-82
    if not is_army(kind) and strength.printed(view, unit).attack == 0:
        return 0  # 8.24, D-48, and with it 8.117 for OSG and siege artillery
    by_type = 3 if is_panzer(kind) else 2 if is_armored(kind) else 1  # 8.114
    return min(by_type, length)


def next_hexes(view: View, choice: AdvanceAfterCombat, unit: UnitId, path: Sequence[Hex] = ()) -> frozenset[Hex]:
    """Return the hexes that a unit may enter next after advancing along *path*."""
    done = view.position.mark(unit, ADVANCED) + len(path)
    if done >= allowance(view, unit, choice.length):
        return frozenset()
    here = path[-1] if path else Hex(view.unit(unit).place)
    if path and (stops_in(view, choice, path[-1]) or moscow.halts(view, path[-1], choice.side)):
        return frozenset()  # 8.116; 19.43a: a die is rolled there first, and another order may go on
    near = view.board.adjacent[here] if done else [there for there in view.board.adjacent[here] if there in choice.first]  # 8.115a
    return frozenset([there for there in near if barred(view, choice, unit, here, there, first=done == 0) is None])


def stops_in(view: View, choice: AdvanceAfterCombat, here: Hex) -> bool:
    """Say whether an advance ends in a hex: in an enemy ZOC, but for the hexes that were fought for (8.116)."""
    return here not in choice.first and zoc.in_enemy_zoc(view, here, choice.side)


def barred(view: View, choice: AdvanceAfterCombat, unit: UnitId, here: Hex, there: Hex, *, first: bool) -> Refused | None:
    """Return why a unit may not advance from a hex into a neighbour, None if it may."""
    name = view.board.name(there)
    if weather.bars_all(view, here, there) or not weather.is_land(view, there):
        return Refused("8.115", text("no advance over water to {hex}", hex=name))
    if has_enemy(view, there, choice.side):
        return Refused("8.111", text("{hex} is held by the enemy", hex=name))
    if first and there not in choice.first:
        return Refused("8.115", text("the first hex of an advance is one that the enemy held, not {hex}", hex=name))
    if not first and view.board.side_has(here, there, "major_river"):
        return Refused("8.115", text("only the first hex of an advance may lie behind a major river, not {hex}", hex=name))
    if not first and weather.terrain(view, there) == "swamp":
        return Refused("8.115", text("only the first hex of an advance may be a swamp, not {hex}", hex=name))
    if stacking.closed_to_nation(view, unit, there):
        return Refused("4.15", text("{hex} is closed to {unit}: another nation stands there", hex=name, unit=view.name(unit)))
    return None


def common(view: View, choice: AdvanceAfterCombat, units: Sequence[UnitId], path: Sequence[Hex] = ()) -> frozenset[Hex]:
    """Return the hexes that units of one hex may enter next together."""
    return frozenset.intersection(*(next_hexes(view, choice, unit, path) for unit in units))


def can_join(view: View, choice: AdvanceAfterCombat, units: Sequence[UnitId], unit: UnitId) -> bool:
    """Say whether a unit may advance together with others."""
    if any(view.unit(other).place != view.unit(unit).place for other in units):
        return False
    return bool(common(view, choice, (*units, unit)))


def compose_advance(view: View, draft: Advance) -> Offer:
    """Offer units of one hex, then their path."""
    choice = view.decision()
    assert isinstance(choice, AdvanceAfterCombat), choice
    own = fighters(view, choice.role)
    unfinished = Refused("8.111", text("a hex must be chosen") if draft.units else text("units must be chosen"))

    def unknown(pick: Pick) -> Refused | None:
        return _why_not(view, choice, draft, pick)

    if any(unit not in own or not can_join(view, choice, [o for o in draft.units if o < unit], unit) for unit in draft.units):
        return offer(unfinished=unfinished)
    doors = []
    if not draft.path:
        doors += [Door(UnitPick(unit)) for unit in own if unit not in draft.units and can_join(view, choice, draft.units, unit)]
    if draft.units and _walked(view, choice, draft):
        doors += [Door(HexPick(there)) for there in sorted(common(view, choice, draft.units, draft.path))]
        if draft.path:
            return offer(doors, unknown=unknown)
    return offer(doors, unfinished=unfinished, unknown=unknown)


def _walked(view: View, choice: AdvanceAfterCombat, draft: Advance) -> bool:
    return all(there in common(view, choice, draft.units, draft.path[:i]) for i, there in enumerate(draft.path))


def _why_not(view: View, choice: AdvanceAfterCombat, draft: Advance, pick: Pick) -> Refused | None:
    """Say why a pick is not among those offered."""
    if isinstance(pick, UnitPick):
        return _why_no_unit(view, choice, draft, pick.unit)
    if not isinstance(pick, HexPick) or not draft.units:
        return None
    here = draft.path[-1] if draft.path else Hex(view.unit(draft.units[0]).place)
    if not view.board.are_adjacent(here, pick.hex):
        return Refused("8.115", text("{hex} is no neighbour of {here}", hex=view.board.name(pick.hex), here=view.board.name(here)))
    if draft.path and stops_in(view, choice, here):
        return Refused("8.116", text("the advance stops in the enemy ZOC of {hex}", hex=view.board.name(here)))
    if draft.path and moscow.halts(view, here, choice.side):
        return Refused("19.43a", text("nobody goes on from {hex} before a die is rolled there", hex=view.board.name(here)))
    for unit in draft.units:
        done = view.position.mark(unit, ADVANCED) + len(draft.path)
        if done >= allowance(view, unit, choice.length):
            return _no_more(view, choice, unit, done)
        closed = barred(view, choice, unit, here, pick.hex, first=done == 0)
        if closed is not None:
            return closed
    return None


def _why_no_unit(view: View, choice: AdvanceAfterCombat, draft: Advance, unit: UnitId) -> Refused:
    name = view.name(unit)
    kind = view.type(unit)
    if unit not in fighters(view, choice.role) or kind.kind in ("osg", "siege_artillery"):
        return Refused("8.117", text("{unit} did not fight in this combat", unit=name))
    if strength.printed(view, unit).move == 0:
        return Refused("8.112", text("{unit} has no movement points", unit=name))
    if frozen := first_turn.why_frozen(view, unit):
        return frozen
    if allowance(view, unit, choice.length) == 0:
        return Refused("8.24", text("{unit} has no attack strength", unit=name))
    if draft.units and any(view.unit(other).place != view.unit(unit).place for other in draft.units):
        return Refused("8.111", text("{unit} is in another hex", unit=name))
    return _why_stuck(view, choice, unit)


def _no_more(view: View, choice: AdvanceAfterCombat, unit: UnitId, done: int) -> Refused:
    rule = "8.113" if done >= choice.length else "8.114"
    return Refused(rule, text("{unit} may advance no more than {n} {n:hex|hexes}", unit=view.name(unit), n=done))


def _why_stuck(view: View, choice: AdvanceAfterCombat, unit: UnitId) -> Refused:
    """Return why no hex is open to a unit that fought and may advance by its kind."""
    here, done = Hex(view.unit(unit).place), view.position.mark(unit, ADVANCED)
    if done and stops_in(view, choice, here):
        return Refused("8.116", text("the advance stops in the enemy ZOC of {hex}", hex=view.board.name(here)))
    if done >= allowance(view, unit, choice.length):
        return _no_more(view, choice, unit, done)
    near = (there for there in view.board.adjacent[here] if done or there in choice.first)
    bars = (barred(view, choice, unit, here, there, first=not done) for there in near)
    none = Refused("8.115", text("{unit} can enter no hex that the enemy held", unit=view.name(unit)))
    return next(filter(None, bars), none)


def reach_advance(view: View, draft: Advance) -> tuple[Way, ...]:
    """Return every hex that the named units can advance to, with one shortest path."""
    choice = view.decision()
    if not isinstance(choice, AdvanceAfterCombat) or not draft.units or not set(draft.units) <= set(fighters(view, choice.role)):
        return ()
    found: dict[Hex, tuple[Hex, ...]] = {}
    edge: list[tuple[Hex, ...]] = [()]
    while edge:
        paths = [(*path, there) for path in edge for there in sorted(common(view, choice, draft.units, path))]
        edge = [path for path in paths if path[-1] not in found]
        for path in edge:
            found.setdefault(path[-1], path)
    return tuple(Way(here, path, 0) for here, path in sorted(found.items()))


@RULES.order(Advance, text("Advance"), rule="8.111", compose=compose_advance, reach=reach_advance)
def take_advance(game: Game, order: Advance) -> Iterator[Event]:
    """Move the units hex by hex; the decision comes back while anybody can go on."""
    choice = game.decision()
    assert isinstance(choice, AdvanceAfterCombat), choice
    yield FramePopped()
    yield FramePushed(OfferAdvance(battle=choice.battle, role=choice.role, first=choice.first, length=choice.length).frame())
    here = Hex(game.unit(order.units[0]).place)
    for there in order.path:
        yield Moved(order.units, (here, there))
        for unit in order.units:
            yield Marked((unit,), ADVANCED, game.position.mark(unit, ADVANCED) + 1)
        yield from control.enter(game, order.units, there)
        here = there
    if stops_in(game, choice, here):
        yield Marked(order.units, ADVANCED, FARTHEST)  # 8.116


def compose_end(view: View, draft: EndAdvance) -> Offer:
    """Nothing is picked."""
    return offer()


@RULES.order(EndAdvance, text("Advance no further"), rule="8.111", compose=compose_end, declines=True)
def take_end_advance(game: Game, order: EndAdvance) -> Iterator[Event]:
    """Leave the rest where they stand."""
    yield FramePopped()


@RULES.step(OfferAdvance)
def offer_advance(game: Game, step: OfferAdvance) -> Iterator[Event]:
    """Ask the winner if any of his units can go on."""
    choice = AdvanceAfterCombat(
        side=side_of(game, step.battle, step.role), battle=step.battle, role=step.role, first=step.first, length=step.length
    )
    if any(next_hexes(game, choice, unit) for unit in fighters(game, step.role)):
        yield FramePushed(choice.frame())

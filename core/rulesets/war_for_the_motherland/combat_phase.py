"""Combat phases: who attacks whom, and the end of it (3.0 phases 3 and 4, 8.2, 8.3).

Rules: 8.0, 8.1.1, 8.21a, 8.21b, 8.22a, 8.23a, 8.23b, 8.23c, 8.24, 8.32, 8.33, 8.34, 8.36a, 8.36b,
8.46a, 8.46b, 5.63 (attack), 4.11 (phase end).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from core.board import Hex
from core.derived import MARKS, STEPS, TRACKS, UNITS
from core.errors import Refused
from core.events import Event, FramePopped, FramePushed, MarksCleared
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, HexSet, Order, Pick, UnitPick, UnitSet
from core.ruleset import Preview
from core.rulesets.war_for_the_motherland import combat, first_turn, stacking, strength, weather, zoc
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import (
    ATTACKED,
    OF_A_COMBAT_PHASE,
    REFUGEE,
    SOVIET,
    STRATEGIC,
    WAS_ATTACKED,
    has_enemy,
    is_allied,
    is_armored,
    is_army,
    is_unit,
    units_at,
)
from core.text import Text, text
from core.units import Side, UnitId
from core.views import View


class Fight(Step, frozen=True, kw_only=True):
    """A side attacks where it wants, as long as it can (8.22)."""

    side: Side


class EndOfCombat(Step, frozen=True, kw_only=True):
    """Stacking is enforced and the marks of the phase go (4.11)."""

    side: Side


class Attack(Order, frozen=True, tag="attack"):
    """Declare one combat: the hexes attacked, then the units that attack them (8.1)."""

    targets: HexSet = ()
    units: UnitSet = ()


class EndCombat(Order, frozen=True, tag="end_combat"):
    """Make no more attacks in this phase (8.22)."""


def _ask(view: View, decision: ChooseCombat) -> Text:
    return text("Attack, or end the combat phase")


@RULES.decision(_ask, title=text("Attacks of the combat phase"))
class ChooseCombat(Decision, frozen=True, kw_only=True):
    """The phasing side attacks or ends its combat phase."""

    orders: ClassVar = ("attack", "end_combat")
    rule: ClassVar = "8.22"


# -------------------------------------------------------------------- who may attack whom


def unfit(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit can't attack at all now, None if it can."""
    kind = view.type(unit)
    if not is_unit(kind) or (not is_army(kind) and strength.printed(view, unit).attack == 0):
        return Refused("8.24", text("{unit} has no attack strength", unit=view.name(unit)))
    if view.position.mark(unit, ATTACKED):
        return Refused("8.23", text("{unit} has attacked in this phase", unit=view.name(unit)))
    if frozen := first_turn.why_frozen(view, unit):
        return frozen
    if view.position.mark(unit, STRATEGIC):
        return Refused("5.63", text("{unit} used strategic movement in this turn", unit=view.name(unit)))
    return None


def spent(view: View, here: Hex, side: Side) -> bool:
    """Say whether *side* can't attack a hex any more: all its defenders have been attacked in this phase (8.23, D-45)."""
    units = units_at(view, here, view.other(side))
    attacked = [unit for unit in units if view.position.mark(unit, WAS_ATTACKED)]
    return len(attacked) == len(units) and not all(view.position.mark(unit, REFUGEE) for unit in units)


def over_water(view: View, unit: UnitId, here: Hex, there: Hex) -> Refused | None:
    """Return why a unit can't attack over the water of a hexside, None if it can or there is none (8.46)."""
    if not weather.bars_all(view, here, there):
        return None
    kind = view.type(unit)
    if weather.is_ice_road(view, here, there) and kind.side == SOVIET and not is_armored(kind):
        return None  # 8.46
    return Refused("8.46", text("{unit} can't attack over water to {hex}", unit=view.name(unit), hex=view.board.name(there)))


def attackable(view: View, side: Side) -> Mapping[UnitId, frozenset[Hex]]:
    """Return the hexes that each unit of a side may attack now; units that may attack none are left out."""
    return view.derived.get(("attackable", side), (UNITS, STEPS, MARKS, TRACKS), lambda: _attackable(view, side))


def _attackable(view: View, side: Side) -> Mapping[UnitId, frozenset[Hex]]:
    found: dict[UnitId, frozenset[Hex]] = {}
    targets, adjacent, over_land = unspent(view, side), view.board.adjacent, zoc.over_land(view)
    for here in zoc.held(view, side):
        near = targets.intersection(adjacent[here])
        if not near:
            continue
        across = near.difference(over_land[here])
        for unit in units_at(view, here, side):
            hexes = near.difference(there for there in across if over_water(view, unit, here, there) is not None) if across else near
            if hexes and unfit(view, unit) is None:
                found[unit] = hexes
    return MappingProxyType(dict(sorted(found.items())))


def unspent(view: View, side: Side) -> frozenset[Hex]:
    """Return the hexes with enemies that a side can still attack in this phase (8.23)."""
    enemies = zoc.held(view, view.other(side))
    attacked = view.position.unit_marks.get(WAS_ATTACKED)
    if attacked is None:
        return enemies
    units = view.position.units  # a hex where nobody has been attacked is not spent, and most are such
    among = enemies.intersection([Hex(units[unit].place) for unit in attacked])
    return enemies.difference([there for there in among if spent(view, there, side)])


def compose_attack(view: View, draft: Attack) -> Offer:
    """Offer targets, then attackers: one unit against any number of hexes, or any number against one (8.34)."""
    side = view.side_to_act()
    able = attackable(view, side)
    targets = frozenset(draft.targets)
    ready = [unit for unit, hexes in able.items() if targets <= hexes]
    unfinished = Refused("8.1", text("attackers must be chosen") if draft.targets else text("a target must be chosen"))
    if not ready or _clash(view, draft, ready) is not None:
        return offer(unfinished=unfinished, unknown=lambda pick: _why_not(view, draft, pick))
    doors: list[Door] = []
    if not draft.units:
        further = {there for unit in ready for there in able[unit]} - targets
        doors += [Door(HexPick(there)) for there in sorted(further)]
    if targets:
        doors += [_unit_door(view, draft, unit) for unit in _near(view, draft, side) if unit not in draft.units]
    return offer(doors, unfinished=None if draft.units else unfinished, unknown=lambda pick: _why_not(view, draft, pick))


def _near(view: View, draft: Attack, side: Side) -> list[UnitId]:
    """Return the side's units next to all targets, whether they can attack them or not."""
    hexes = frozenset.intersection(*(frozenset(view.board.adjacent[there]) for there in draft.targets))
    return sorted(unit for here in hexes for unit in units_at(view, here, side))


def _unit_door(view: View, draft: Attack, unit: UnitId) -> Door:
    return Door(UnitPick(unit), _why_no_unit(view, draft, unit))


def _clash(view: View, draft: Attack, ready: Sequence[UnitId]) -> Refused | None:
    """Return why the attackers of a draft can't be those, None if they can."""
    for i, unit in enumerate(draft.units):
        if unit not in ready:
            return Refused("8.21", text("{unit} can't attack there", unit=view.name(unit)))
        closed = _with_others(view, draft.targets, draft.units[:i], unit)
        if closed is not None:
            return closed
    return None


def _with_others(view: View, targets: Sequence[Hex], others: Sequence[UnitId], unit: UnitId) -> Refused | None:
    """Return why a unit can't attack together with others, None if it can."""
    if others and len(targets) > 1:
        return Refused("8.34", text("only one unit may attack several hexes at once"))
    nations = {view.type(other).nation for other in (*others, unit) if is_allied(view.type(other))}
    if len(nations) > 1:
        return Refused("8.36", text("{unit} can't attack together with another allied nation", unit=view.name(unit)))
    return None


def _why_not(view: View, draft: Attack, pick: Pick) -> Refused | None:
    """Say why a pick is not among those offered."""
    if isinstance(pick, UnitPick):
        return _why_no_unit(view, draft, pick.unit)
    if isinstance(pick, HexPick) and not draft.units:
        return _why_no_target(view, draft, pick.hex)
    return None


def _why_no_target(view: View, draft: Attack, there: Hex) -> Refused:
    side, name = view.side_to_act(), view.board.name(there)
    if not has_enemy(view, there, side):
        return Refused("8.21", text("there is no enemy unit in {hex}", hex=name))
    if spent(view, there, side):
        return Refused("8.23", text("{hex} has been attacked in this phase", hex=name))
    near = [unit for here in view.board.adjacent[there] for unit in units_at(view, here, side)]
    if not near:
        return Refused("8.21", text("no unit stands next to {hex}", hex=name))
    if draft.targets and any(there in hexes for hexes in attackable(view, side).values()):
        return Refused("8.34", text("no single unit can attack {hex} and the other targets", hex=name))
    for unit in near:
        closed = unfit(view, unit) or over_water(view, unit, Hex(view.unit(unit).place), there)
        if closed is not None:
            return closed
    return Refused("8.21", text("nobody can attack {hex}", hex=name))


def _why_no_unit(view: View, draft: Attack, unit: UnitId) -> Refused | None:
    """Return why a unit can't attack the targets of a draft together with its units, None if it can."""
    side, here = view.side_to_act(), view.unit(unit).place
    if view.side(unit) != side or here < 0:
        return Refused("8.21", text("{unit} is none of the attacker's units on the map", unit=view.name(unit)))
    closed = unfit(view, unit)
    if closed is not None:
        return closed
    for there in draft.targets:
        if not view.board.are_adjacent(Hex(here), there):
            return Refused("8.21", text("{unit} is not next to {hex}", unit=view.name(unit), hex=view.board.name(there)))
        closed = over_water(view, unit, Hex(here), there)
        if closed is not None:
            return closed
    return _with_others(view, draft.targets, draft.units, unit)


def preview_attack(view: View, draft: Attack) -> Preview | None:
    """Return what the combat would be, None while the draft is no order yet."""
    if not isinstance(view.decision(), ChooseCombat) or not compose_attack(view, draft).complete:
        return None
    return combat.preview(view, draft.units, draft.targets, overrun=False)


# -------------------------------------------------------------------- the phase


@RULES.order(Attack, text("Attack"), rule="8.21", compose=compose_attack, preview=preview_attack)
def take_attack(game: Game, order: Attack) -> Iterator[Event]:
    """Fight the combat; the phase goes on after it."""
    side = game.side_to_act()
    yield FramePopped()
    yield FramePushed(Fight(side=side).frame())
    yield from combat.begin_battle(game, attackers=order.units, targets=order.targets, overrun=False)


def compose_end(view: View, draft: EndCombat) -> Offer:
    """Nothing is picked."""
    return offer()


@RULES.order(EndCombat, text("End the combat phase"), rule="8.22", compose=compose_end)
def take_end_combat(game: Game, order: EndCombat) -> Iterator[Event]:
    """End the phase."""
    yield FramePopped()


@RULES.step(Fight)
def run_fight(game: Game, step: Fight) -> Iterator[Event]:
    """Ask for the next combat while one is possible (8.23)."""
    if attackable(game, step.side):
        yield FramePushed(ChooseCombat(side=step.side).frame())


@RULES.step(EndOfCombat)
def run_end_of_combat(game: Game, step: EndOfCombat) -> Iterator[Event]:
    """Clear the marks of the phase and check stacking, the phasing side's first (4.11, 4.18)."""
    yield MarksCleared(OF_A_COMBAT_PHASE)
    for side in (game.other(step.side), step.side):
        yield FramePushed(stacking.CheckStacking(side=side).frame())

"""Whole combat phases from random positions: what is offered is accepted, what is accepted is offered, and nothing is lost."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain, combinations

import pytest

from core import events
from core.board import Hex
from core.game import decide
from core.options import options, refusal
from core.orders import OptionPick, Order, Picks, compose, name_of
from core.rulesets.war_for_the_motherland import losses, stacking, terms, zoc
from core.rulesets.war_for_the_motherland.advance import AdvanceAfterCombat, allowance, barred, next_hexes
from core.rulesets.war_for_the_motherland.battle import fighters
from core.rulesets.war_for_the_motherland.combat_phase import Attack, spent, unspent
from core.rulesets.war_for_the_motherland.retreat_ways import ways
from core.rulesets.war_for_the_motherland.terms import ADVANCED
from core.trials.table import PlainBoard, Table
from core.units import UnitId
from core.views import View
from tests.rules.war_for_the_motherland.battles import (
    AIRBASE,
    ARMY,
    CORPS,
    DEPOT,
    FACTORY,
    GUN,
    ITALIANS,
    KG,
    OSG,
    PANZER_KG,
    PANZERS,
    RUMANIANS,
    SOVIET_CORPS,
    TANKS,
    begin,
)
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moments import RandomDice

MOUNTAIN, RUMANIAN_HQ = "ger_mountain_corps", "rum_headquarters"
AXIS_KINDS = [CORPS, CORPS, KG, PANZERS, PANZERS, PANZER_KG, RUMANIANS, ITALIANS, DEPOT, AIRBASE, GUN, MOUNTAIN, RUMANIAN_HQ]
SOVIET_KINDS = [ARMY, ARMY, ARMY, TANKS, "sov_guard_army", SOVIET_CORPS, "sov_mechanized_corps", FACTORY, OSG, "sov_headquarters"]
FIELD = [f"{row}{column:02}" for row in range(19, 23) for column in range(8, 13)]
EAGER = [OptionPick("attack"), OptionPick("retreat"), OptionPick("advance")]  # ends of a phase and of an advance come soon enough
GROUNDS = ["clear", "clear", "clear", "forest", "swamp", "mountain"]


def random_field(new_table: NewTable, chance: random.Random) -> Table:
    """Strew units over a small field with rivers, lakes and cities; each stack may be overfull, and be out of supply."""

    def edit(board: PlainBoard) -> None:
        for at in FIELD:
            board.hex(at, terrain=chance.choice(GROUNDS), city=chance.choice(["", "", "", "minor", "major"]))
        for one, other in combinations(FIELD, 2):
            a, b = board.facts[one], board.facts[other]
            if max(abs(a.q - b.q), abs(a.r - b.r), abs(a.q + a.r - b.q - b.r)) == 1 and chance.random() < 0.4:
                kinds = chance.choice([("major_river",), ("minor_river",), ("lake",), ("lake", "ice_road"), ("rail",)])
                board.side(one, other, *kinds)

    table = new_table(edit)
    table.cup("C", {"C 4-5/2-3": 3, "C* 2-3/1-2": 2, "C 6-9/3-5": 2})
    table.cup("A", {"A 7-5/4-3": 1})
    for at in FIELD:
        draw = chance.random()
        kinds = AXIS_KINDS if draw < 0.35 else SOVIET_KINDS if draw < 0.7 else []
        nation = chance.choice([RUMANIANS, ITALIANS])
        for _ in range(chance.choice([1, 1, 2, 2]) if kinds else 0):
            kind = chance.choice(kinds)
            if kind in (RUMANIANS, ITALIANS, RUMANIAN_HQ) and kind != nation:
                continue  # 4.15: never two allied nations in one hex
            marks = {chance.choice(["out_of_supply", "lack_of_supply"]): 1} if chance.random() < 0.3 else {}
            table.place(kind, at, steps=chance.randint(1, table.setting.types[kind].steps), **marks)
    return table


def random_walk(view: View, chance: random.Random) -> Order:
    """Compose an order by random picks; it ends where it is complete and the dice say so, or nothing more is offered."""
    picks: Picks = ()
    while True:
        offered = options(view, picks)
        if offered.complete and (not offered.picks or chance.random() < 0.5):
            break
        assert offered.picks, f"a dead end after {picks}: {offered.unfinished}"
        wanted = [pick for pick in offered.picks if pick in EAGER] if not picks and chance.random() < 0.8 else []
        picks = (*picks, chance.choice(wanted or offered.picks))
    head = picks[0]
    assert isinstance(head, OptionPick)
    return compose(view.ruleset.orders[head.option].order, picks[1:])


def play(table: Table, chance: random.Random, phase: str) -> Iterator[tuple[View, Order, tuple[events.Event, ...], View]]:
    """Play a combat phase at random; yield each order with the views before and after it."""
    view = table.view
    while view.position.phase == phase and view.decision() is not None:
        order = random_walk(view, chance)
        assert refusal(view, order) is None, f"{order} was offered"
        decided = decide(view, view.side_to_act(), order, RandomDice(chance))
        after = View(table.setting, decided.position, derived=decided.derived)
        yield view, order, decided.events, after
        view = after


@pytest.mark.parametrize("side", ["axis", "soviet"])
@pytest.mark.parametrize("seed", range(40))
def test_every_offered_walk_is_accepted_to_the_end_of_the_phase(new_table: NewTable, side: str, seed: int) -> None:
    chance = random.Random(f"{side} {seed}")
    table = random_field(new_table, chance)
    begin(table, side, turn=chance.choice([9, 12, 13, 22]))
    for before, order, happened, after in play(table, chance, f"{side}_combat"):
        note = f"seed {seed}: {name_of(order)} {order}"
        check_marks(after, note)
        check_losses(before, order, happened, note)
        if after.position.phase != before.position.phase:
            break
        assert options(after).picks, note
        dropped = View(table.setting, after.position)
        assert options(dropped).picks == options(after).picks, note


@pytest.mark.parametrize("seed", range(40))
def test_what_is_looked_at_only_where_it_can_be_is_what_a_look_everywhere_finds(new_table: NewTable, seed: int) -> None:
    chance = random.Random(f"look {seed}")
    table = random_field(new_table, chance)
    begin(table, "axis", turn=chance.choice([9, 12, 13, 22]))
    check_places(table.view, f"seed {seed}")
    for _, order, _, after in play(table, chance, "axis_combat"):
        check_places(after, f"seed {seed}: after {order}")


def check_places(view: View, note: str) -> None:
    """Look at all hexes for stacks over the limit, for targets and for advances, without what is kept."""
    for side in view.setting.sides:
        held = zoc.held(view, side)
        assert stacking.overstacked(view, side) == {here for here in held if stacking.excess(view, here, side)}, note
        assert unspent(view, view.other(side)) == {here for here in held if not spent(view, here, view.other(side))}, note
    choice = view.decision()
    if isinstance(choice, AdvanceAfterCombat):
        for unit in fighters(view, choice.role):
            done, here = view.position.mark(unit, ADVANCED), Hex(view.unit(unit).place)
            near = {to for to in view.board.adjacent[here] if barred(view, choice, unit, here, to, first=done == 0) is None}
            may_go_on = done < allowance(view, unit, choice.length)
            assert next_hexes(view, choice, unit) == (near if may_go_on else set()), note


def check_marks(view: View, note: str) -> None:
    """Nobody stands in a hex with an enemy or with another allied nation; marks of a battle are gone when it is over."""
    for here in view.position.occupied():
        units = [unit for unit in view.position.units_at(here) if terms.is_unit(view.types[unit.type])]
        assert len({view.types[unit.type].side for unit in units}) <= 1, f"{note}: both sides in {view.board.label(here)}"
        assert len({kind.nation for unit in units if terms.is_allied(kind := view.types[unit.type])}) <= 1, note
    decision = view.decision()
    if decision is not None and type(decision).__name__ == "ChooseCombat":
        assert view.position.unit_marks.keys().isdisjoint(terms.OF_A_BATTLE), note
        assert "in_battle" not in str(view.position.frames), note


def check_losses(before: View, order: Order, happened: tuple[events.Event, ...], note: str) -> None:
    """A unit named for a step was one of the bearers, and something was lost."""
    if name_of(order) == "lose_step":
        unit = order.unit  # type: ignore[attr-defined]
        assert losses.steps_left(before, unit) >= 1, note
        assert any(isinstance(event, (events.StepsChanged, events.Removed)) and event.unit == unit for event in happened), note
    if name_of(order) == "retreat":
        for unit in order.units:  # type: ignore[attr-defined]
            assert order.hex in ways(before, unit), note  # type: ignore[attr-defined]


# -------------------------------------------------------------------- attacks are offered exactly


@pytest.mark.rule("war_for_the_motherland", "8.21b", "8.34", "8.36a", "8.24")
@pytest.mark.parametrize("seed", range(15))
def test_exactly_the_legal_attacks_are_accepted(new_table: NewTable, seed: int) -> None:
    chance = random.Random(seed)
    table = random_field(new_table, chance)
    begin(table)
    view = table.view
    units = [unit.id for unit in view.position.on_map() if view.types[unit.type].side == "axis"]
    chosen = chance.sample(units, min(5, len(units)))
    near = sorted({there for unit in chosen for there in view.board.adjacent[view.unit(unit).place]})
    targets = chance.sample(near, min(5, len(near)))
    for some in subsets(targets, 3):
        for group in subsets(chosen, 3):
            order = Attack(some, group)
            assert (refusal(view, order) is None) is legal(view, some, group), f"{order}: {refusal(view, order)}"


def subsets(items: list[int], most: int) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(sorted(items), n) for n in range(1, most + 1))


def legal(view: View, targets: tuple[int, ...], units: tuple[int, ...]) -> bool:
    """Say by the words of 8.2 and 8.3 whether Axis units may attack these hexes together, in clear weather."""
    if len(targets) > 1 and len(units) > 1:
        return False
    nations = {kind.nation for unit in units if (kind := view.type(UnitId(unit))).nation != "german"}
    fit = len(nations) <= 1
    for unit in units:
        here, kind = Hex(view.unit(UnitId(unit)).place), view.type(UnitId(unit))
        fit &= kind.faces[0].attack > 0
        for there in map(Hex, targets):
            enemies = [view.types[other.type].kind for other in view.position.units_at(there) if view.types[other.type].side == "soviet"]
            fit &= bool(enemies) and view.board.distance(here, there) == 1 and not view.board.side_has(here, there, "lake")
    return fit


def test_bearers_are_never_spared_while_they_have_a_zoc(new_table: NewTable) -> None:
    for seed in range(30):
        table = random_field(new_table, random.Random(seed))
        for here in table.position.occupied():
            units = terms.units_at(table.view, here, "axis")
            able = losses.bearers(table.view, units)
            with_zoc = [unit for unit in units if zoc.exerts_zoc(table.view, unit)]
            assert set(able) <= set(with_zoc or units), f"seed {seed}"
            assert bool(able) is bool(units), f"seed {seed}"

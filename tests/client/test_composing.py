"""Clicks become picks, and closed doors their reasons; all from the game's options alone."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from client.session import composing
from client.session.composing import Clicked, Composer
from client.session.local import PERSON
from client.session.saved import SavedMatch, begin
from client.words import cite
from core.board import Hex
from core.errors import Refused
from core.events import Placed
from core.fold import fold
from core.options import Door, Offer, offer
from core.orders import HexPick, HexSet, OptionPick, Order, UnitPick, UnitSet, compose
from core.ruleset import OrderKind
from core.text import text
from core.units import UnitId
from core.views import View
from rasputitsa.packs import load_pack
from tests.toy.ruleset import Act, End, Go, Strike, missing

Maker = Callable[..., SavedMatch]


@pytest.fixture
def match(new_match: Maker) -> SavedMatch:
    return new_match()


@pytest.fixture
def composer(match: SavedMatch) -> Composer:
    return Composer(match)


def at(match: SavedMatch, label: str) -> Hex:
    return match.setting.board.hex(label)


def test_a_click_on_a_stack_begins_the_first_order_that_takes_it(match: SavedMatch, composer: Composer) -> None:
    assert composer.click(at(match, "T0201")) is Clicked.PICKED
    assert composer.picks == (OptionPick("go"), UnitPick(UnitId(0)))
    assert set(composer.ways()) == set(match.setting.board.adjacent[at(match, "T0201")]) - set(match.view.position.occupied())


def test_a_click_on_a_way_makes_the_order_ready(match: SavedMatch, composer: Composer) -> None:
    composer.click(at(match, "T0201"))
    goal = min(composer.ways())
    assert composer.click(goal) is Clicked.READY
    assert composer.draft() == Go(UnitId(0), goal)


def test_an_order_with_arithmetic_waits_to_be_given(match: SavedMatch, composer: Composer) -> None:
    assert composer.choose(OptionPick("strike")) is Clicked.PICKED
    composer.click(at(match, "T0203"))
    target = next(pick.hex for pick in composer.offer().picks if isinstance(pick, HexPick))
    assert composer.click(target) is Clicked.PICKED
    assert composer.is_complete
    preview = composer.preview()
    assert preview is not None
    assert composer.draft() == Strike((UnitId(1),), target)


def test_a_choice_without_picks_is_ready_at_once(composer: Composer) -> None:
    assert composer.choose(OptionPick("end")) is Clicked.READY
    assert composer.draft() == End()


def test_back_takes_one_click_back(match: SavedMatch, composer: Composer) -> None:
    composer.click(at(match, "T0201"))
    composer.click(at(match, "T0203"))
    assert composer.units() == (UnitId(1),)
    assert composer.back()
    assert composer.units() == (UnitId(0),)
    assert composer.back()
    assert not composer.picks
    assert not composer.back()


def test_a_hex_where_nothing_can_begin_leaves_no_draft(match: SavedMatch, composer: Composer) -> None:
    assert composer.click(at(match, "T0303")) is Clicked.NOTHING
    assert not composer.picks


def test_a_closed_door_gives_its_reason(match: SavedMatch) -> None:
    board = match.setting.board
    pawn = at(match, "T0203")
    for here in board.adjacent[pawn]:
        if not match.view.position.at(here):
            _fill(match, here)
    composer = Composer(match)
    walk = (OptionPick("go"), UnitPick(UnitId(1)))
    door = next(door for door in composer.offer(walk[:1]).doors if door.pick == walk[1])
    assert isinstance(door.refused, Refused)
    assert composer.click_unit(UnitId(1)) is Clicked.PICKED  # it may still strike
    assert composer.picks[0] == OptionPick("strike")
    composer.reset()
    composer.picks = walk[:1]
    why = composer.why_not(pawn)
    assert why is not None
    assert (why.rule, why.text) == ("3", door.refused.text)


def _shut_in(match: SavedMatch, pawn: Hex) -> Refused:
    """Leave a pawn no free hex to go to; return why it can't go."""
    for here in match.setting.board.adjacent[pawn]:
        if not match.view.position.at(here):
            _fill(match, here)
    door = next(door for door in Composer(match).offer((OptionPick("go"),)).doors if door.pick == UnitPick(UnitId(1)))
    assert door.refused is not None
    return door.refused


def test_a_unit_that_can_strike_but_not_go_tells_at_a_free_hex_why_it_can_not_go(match: SavedMatch) -> None:
    pawn = at(match, "T0203")
    told = _shut_in(match, pawn)
    far = next(Hex(here) for here in range(match.setting.board.size) if not match.view.position.at(Hex(here)))
    composer = Composer(match)
    composer.click(pawn)
    assert composer.picks[0] == OptionPick("strike")
    assert composer.refused is None
    assert composer.click(far) is Clicked.REFUSED
    assert composer.refused is not None
    assert composer.refused.text == told.text
    why = composer.why_not(far)
    assert why is not None
    assert why.text == told.text


def test_a_unit_that_can_not_give_the_chosen_order_says_so_as_it_begins_another(match: SavedMatch) -> None:
    pawn = at(match, "T0203")
    told = _shut_in(match, pawn)
    composer = Composer(match)
    composer.choose(OptionPick("go"))
    assert composer.click(pawn) is Clicked.PICKED
    assert composer.picks[0] == OptionPick("strike")
    assert composer.refused is not None
    assert composer.refused.text == told.text


def _fill(match: SavedMatch, here: Hex) -> None:
    position = match.match.view.position
    fold(position, Placed(UnitId(position.next_unit), "red_pawn", "x", here, 2))


def test_units_can_be_taken_in_and_out_one_by_one(match: SavedMatch, composer: Composer) -> None:
    here = match.setting.board.adjacent[at(match, "T0303")][0]
    _fill(match, here) if not match.view.position.at(here) else None
    composer.reset()
    composer.choose(OptionPick("strike"))
    first = next(pick.unit for pick in composer.offer().picks if isinstance(pick, UnitPick))
    composer.click_unit(first, adding=True)
    second = next((pick.unit for pick in composer.offer().picks if isinstance(pick, UnitPick)), None)
    assert second is not None, "the toy lets two pawns strike together"
    composer.click_unit(second, adding=True)
    assert set(composer.units()) == {first, second}
    composer.click_unit(second, adding=True)
    assert composer.units() == (first,)


def test_what_is_closed_stays_in_sight_until_the_draft_asks_for_nothing(match: SavedMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = OrderKind(Strike, text("Strike"), "4", lambda view, draft: offer(unfinished=missing("a foe")), lambda game, order: iter(()))
    monkeypatch.setitem(match.setting.ruleset.orders, "strike", closed)
    composer = Composer(match)
    composer.choose(OptionPick("go"))
    assert [choice.pick for choice in composer.choices() if choice.refused is not None] == [OptionPick("strike")]
    composer.reset()
    composer.choose(OptionPick("end"))
    assert composer.choices() == []


def test_alternatives_switch_the_order_type_and_keep_the_units(match: SavedMatch, composer: Composer) -> None:
    composer.click(at(match, "T0203"))
    other = next(choice for choice in composer.alternatives() if choice.pick == OptionPick("strike"))
    composer.switch(other.pick)
    assert composer.picks == (OptionPick("strike"), UnitPick(UnitId(1)))


class Bombard(Order, frozen=True, tag="bombard"):
    """Targets first, then who fires at them: the walk that starts where the enemy stands."""

    hexes: HexSet = ()
    units: UnitSet = ()


def compose_bombard(view: View, draft: Bombard) -> Offer:
    side = view.side_to_act()
    enemies = [h for h in view.position.occupied() if view.side_at(h, view.other(side)) and h not in draft.hexes]
    doors = [] if draft.units else [Door(HexPick(h)) for h in enemies]
    if draft.hexes:
        doors += [Door(UnitPick(u.id)) for u in view.position.on_map() if view.side(u.id) == side and u.id not in draft.units]
    return offer(doors, unfinished=None if draft.units else missing("a gun"))


@pytest.fixture
def bombarding(match: SavedMatch, monkeypatch: pytest.MonkeyPatch) -> Composer:
    """A phase in which only bombarding is open."""
    kind = OrderKind(Bombard, text("Bombard"), "5", compose_bombard, lambda game, order: iter(()))
    monkeypatch.setitem(match.setting.ruleset.orders, "bombard", kind)
    monkeypatch.setattr(Act, "orders", ("bombard", "end"))
    return Composer(match)


def test_a_stack_clicked_before_its_target_joins_the_attack(match: SavedMatch, bombarding: Composer) -> None:
    assert bombarding.click(at(match, "T0203")) is not Clicked.READY
    assert not bombarding.picks
    bombarding.click(at(match, "T0303"))
    assert bombarding.draft() == Bombard((at(match, "T0303"),), (UnitId(1),))


def test_a_stack_looked_at_joins_the_attack_that_is_chosen_on_the_card(match: SavedMatch, bombarding: Composer) -> None:
    bombarding.click(at(match, "T0203"))
    bombarding.choose(OptionPick("bombard"))
    bombarding.click(at(match, "T0303"))
    assert bombarding.draft() == Bombard((at(match, "T0303"),), (UnitId(1),))
    bombarding.reset()
    bombarding.choose(OptionPick("bombard"))
    bombarding.click(at(match, "T0303"))
    assert bombarding.draft() == Bombard((at(match, "T0303"),))


def test_a_stack_looked_at_is_shown_with_the_targets_beside_it(match: SavedMatch, bombarding: Composer) -> None:
    here = at(match, "T0203")
    assert bombarding.looked_at() == ((), ())
    bombarding.click(here)
    foes = {near for near in match.setting.board.adjacent[here] if match.view.side_at(near, "blue")}
    units, targets = bombarding.looked_at()
    assert units == (UnitId(1),)
    assert set(targets) == foes != set()
    bombarding.click(min(foes))
    assert bombarding.looked_at() == ((), ())
    bombarding.reset()
    bombarding.click(min(foes))
    bombarding.back()
    assert bombarding.looked_at() == ((), ())


def test_who_can_join_an_attack_is_told_so_though_it_begins_with_its_target(match: SavedMatch, bombarding: Composer) -> None:
    own, enemy = UnitId(1), match.view.position.at(at(match, "T0303"))[0]
    assert [(str(name), why) for name, why in bombarding.standing_of(own)] == [("Bombard", None)]
    assert bombarding.standing_of(enemy) == []


def test_shift_adds_a_target_to_a_draft_that_has_gone_on(match: SavedMatch, bombarding: Composer) -> None:
    bombarding.click(at(match, "T0303"))
    bombarding.click(at(match, "T0203"))
    bombarding.click(at(match, "T0301"), adding=True)
    assert bombarding.draft() == Bombard((at(match, "T0301"), at(match, "T0303")), (UnitId(1),))


def test_a_target_clicked_again_leaves_the_draft(match: SavedMatch, bombarding: Composer) -> None:
    bombarding.click(at(match, "T0303"))
    bombarding.click(at(match, "T0301"))
    bombarding.click(at(match, "T0303"))
    assert bombarding.draft() == Bombard((at(match, "T0301"),))


class Withdraw(Order, frozen=True, tag="withdraw"):
    """Up to two of one's units, wherever they are."""

    units: UnitSet = ()


def compose_withdrawal(view: View, draft: Withdraw) -> Offer:
    full = Refused("7", text("two leave, no more")) if len(draft.units) > 1 else None
    own = (unit.id for unit in view.position.on_map() if view.side(unit.id) == view.side_to_act())
    doors = [Door(UnitPick(unit), full) for unit in own if unit not in draft.units]
    return offer(doors, unfinished=None if draft.units else missing("a unit"))


def test_a_stack_of_which_nobody_can_be_picked_says_why_of_who_lies_on_top(match: SavedMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    here = at(match, "T0203")
    below, top = match.view.position.at(here)[0], UnitId(match.view.position.next_unit)
    _fill(match, here)
    monkeypatch.setattr(composing, "stacked", lambda view, here: [view.unit(below), view.unit(top)])
    elsewhere = match.view.position.at(at(match, "T0201"))[0]
    refused = {elsewhere: None, **{unit: Refused("7", text("{unit} stays", unit=unit)) for unit in (below, top)}}
    kind = OrderKind(
        Withdraw, text("Withdraw"), "7",
        lambda view, draft: offer([Door(UnitPick(unit), why) for unit, why in refused.items()], unfinished=missing("a unit")),
        lambda game, order: iter(()),
    )
    monkeypatch.setitem(match.setting.ruleset.orders, "withdraw", kind)
    monkeypatch.setattr(Act, "orders", ("withdraw", "end"))
    composer = Composer(match)
    composer.choose(OptionPick("withdraw"))
    assert composer.click(here) is Clicked.REFUSED
    assert composer.refused == refused[top]


def test_what_was_gathered_is_not_lost_by_a_click_on_a_stack_that_can_not_join(
    match: SavedMatch, monkeypatch: pytest.MonkeyPatch,
) -> None:
    kind = OrderKind(Withdraw, text("Withdraw"), "7", compose_withdrawal, lambda game, order: iter(()))
    monkeypatch.setitem(match.setting.ruleset.orders, "withdraw", kind)
    monkeypatch.setattr(Act, "orders", ("withdraw", "end"))
    composer = Composer(match)
    composer.click(at(match, "T0201"))
    composer.click(at(match, "T0203"))
    gathered = (OptionPick("withdraw"), UnitPick(UnitId(0)), UnitPick(UnitId(1)))
    third = match.view.position.at(at(match, "T0205"))[0]
    assert composer.click(at(match, "T0205")) is composer.click_unit(third) is Clicked.REFUSED
    assert composer.picks == gathered
    assert composer.refused is not None
    assert composer.refused.rule == "7"


def test_units_beside_the_map_are_always_buttons(match: SavedMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    position = match.match.view.position
    for _ in range(12):
        fold(position, Placed(UnitId(position.next_unit), "red_pawn", "x", at(match, "T0501"), 2))
    waiting = UnitId(0)
    position.put(msgspec.structs.replace(position.units[waiting], place=-2))
    units = sorted(position.units)
    raised = OrderKind(
        Strike, text("Raise"), "6", lambda view, draft: offer([Door(UnitPick(u)) for u in units]), lambda game, order: iter(())
    )
    monkeypatch.setitem(match.setting.ruleset.orders, "strike", raised)
    monkeypatch.setattr(Act, "orders", ("strike", "end"))
    composer = Composer(match)
    composer.choose(OptionPick("strike"))
    assert [choice.pick for choice in composer.choices()] == [UnitPick(waiting)]


def test_a_unit_beside_the_map_that_can_not_be_picked_is_named_with_the_reason(
    match: SavedMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = match.match.view.position
    here, there = [unit.id for unit in position.on_map() if match.match.view.side(unit.id) == match.view.side_to_act()][:2]
    for unit in (here, there):
        position.put(msgspec.structs.replace(position.units[unit], place=-2))
    closed, missing = Refused("13", text("no hex is open to it")), Refused("13", text("a unit must be chosen"))
    doors = (Door(UnitPick(here)), Door(UnitPick(there), closed))
    offers = (Offer((Door(OptionPick("go")),), missing), Offer(doors, missing), Offer())
    monkeypatch.setattr(match, "options", lambda walk=(): offers[len(walk)])
    assert [(choice.pick, choice.refused) for choice in Composer(match).choices()] == [(UnitPick(here), None), (UnitPick(there), closed)]


def test_a_decision_with_one_order_type_is_begun_by_itself(match: SavedMatch) -> None:
    target = _strike_until_hit(match)
    composer = Composer(match)
    assert composer.picks == (OptionPick("pay"),)
    choices = composer.choices()
    assert [choice.place for choice in choices] == [target]
    assert composer.choose(choices[0].pick) is Clicked.READY


def _strike_until_hit(match: SavedMatch) -> Hex:
    """Let pawns strike, turn by turn, until somebody must pay."""
    for _ in range(40):
        composer = Composer(match)
        composer.choose(OptionPick("strike"))
        units = [pick for pick in composer.offer().picks if isinstance(pick, UnitPick)]
        if not composer.picks or not units:
            match.order(End())
            continue
        composer.choose(units[0])
        target = next(pick for pick in composer.offer().picks if isinstance(pick, HexPick))
        composer.choose(target)
        order = composer.draft()
        assert order is not None
        match.order(order)
        if match.view.position.top is not None and match.view.position.top.name == "Pay":
            return target.hex
    raise AssertionError("nobody was hit")


def test_nothing_can_be_picked_in_the_past_or_for_a_bot(new_match: Maker) -> None:
    match = new_match(red="random")
    composer = Composer(match)
    assert not composer.offer().picks
    assert composer.click(at(match, "T0201")) is Clicked.NOTHING
    match = new_match()
    match.order(End())
    match.seek(0)
    assert not Composer(match).offer().picks
    with pytest.raises(Refused, match="past"):
        match.order(End())


@pytest.fixture
def stacked(match: SavedMatch, monkeypatch: pytest.MonkeyPatch) -> Composer:
    """A phase in which all is open, with two counters in T0201."""
    kind = OrderKind(Bombard, text("Bombard"), "5", compose_bombard, lambda game, order: iter(()))
    monkeypatch.setitem(match.setting.ruleset.orders, "bombard", kind)
    monkeypatch.setattr(Act, "orders", ("go", "strike", "bombard", "end"))
    fold(match.match.view.position, Placed(UnitId(20), "red_pawn", "9", at(match, "T0201"), 2))
    return Composer(match)


def test_a_double_click_takes_the_whole_stack_by_the_order_that_takes_most(match: SavedMatch, stacked: Composer) -> None:
    stack = at(match, "T0201")
    stacked.click(stack)
    assert len(stacked.units()) == 1  # only one may go
    assert stacked.take_all(stack) is Clicked.PICKED
    assert stacked.picks[0] == OptionPick("strike")
    assert set(stacked.units()) == {UnitId(0), UnitId(20)}


def test_a_double_click_takes_the_whole_stack_into_the_attack_that_is_being_composed(match: SavedMatch, stacked: Composer) -> None:
    stack, target = at(match, "T0201"), HexPick(at(match, "T0303"))
    stacked.choose(OptionPick("bombard"))
    stacked.click(target.hex)
    stacked.click_unit(UnitId(20))
    assert stacked.take_all(stack) is Clicked.PICKED
    assert stacked.picks[:2] == (OptionPick("bombard"), target)
    assert set(stacked.units()) == {UnitId(0), UnitId(20)}


def test_a_double_click_on_what_can_not_act_changes_nothing(match: SavedMatch, stacked: Composer) -> None:
    stacked.click(at(match, "T0201"))
    before = stacked.picks
    assert stacked.take_all(at(match, "T0503")) is Clicked.NOTHING
    assert stacked.picks == before


def test_a_second_click_on_attackers_takes_them_out_and_keeps_the_target(match: SavedMatch, stacked: Composer) -> None:
    target = HexPick(at(match, "T0303"))
    stacked.choose(OptionPick("bombard"))
    for here in (target.hex, at(match, "T0201"), at(match, "T0203")):
        stacked.click(here)
    assert len(stacked.units()) == 3
    stacked.click(at(match, "T0201"))
    assert stacked.picks == (OptionPick("bombard"), target, UnitPick(UnitId(1)))


def keys(composer: Composer) -> dict[UnitId, int | None]:
    return {choice.pick.unit: choice.number for choice in composer.ways_on() if isinstance(choice.pick, UnitPick)}


def test_attackers_keep_their_keys_while_others_are_picked_and_taken_out(match: SavedMatch, stacked: Composer) -> None:
    stacked.choose(OptionPick("bombard"))
    stacked.click(at(match, "T0303"))
    first = keys(stacked)
    one, *others = first
    assert None not in first.values()
    assert len(others) > 1
    stacked.choose(UnitPick(one))
    assert keys(stacked) == {unit: first[unit] for unit in others}
    assert stacked.keys_of_picked() == {one: first[one]}
    stacked.choose(UnitPick(others[1]))
    stacked.click_unit(one, adding=True)
    assert keys(stacked) == {unit: number for unit, number in first.items() if unit != others[1]}
    stacked.reset()
    assert stacked.keys_of_picked() == {}


def test_after_a_target_attackers_are_asked_for_first_and_further_targets_say_that_they_are(match: SavedMatch, stacked: Composer) -> None:
    stacked.choose(OptionPick("bombard"))
    assert not any(str(choice.label).startswith("Also ") for choice in stacked.choices())
    stacked.click(at(match, "T0303"))
    asked = [choice for choice in stacked.choices() if isinstance(choice.pick, (HexPick, UnitPick))]
    hexes = [choice for choice in asked if isinstance(choice.pick, HexPick)]
    assert hexes
    assert asked[-len(hexes):] == hexes
    assert {str(choice.label)[:5] for choice in hexes} == {"Also "}
    assert not any(str(choice.label).startswith("Also ") for choice in asked if isinstance(choice.pick, UnitPick))


def test_whom_another_order_leaves_out_of_the_stack_is_told_with_the_rule() -> None:
    match = begin(load_pack("war_for_the_motherland"), "war_for_the_motherland", {"axis": PERSON, "soviet": PERSON})
    while OptionPick("overrun") not in match.options().picks:
        ending = Composer(match).ending
        assert isinstance(ending, OptionPick)
        match.order(compose(match.setting.ruleset.orders[ending.option].order, ()))
    composer, board = Composer(match), match.setting.board
    composer.click(board.hex("C4230"))
    panzer, infantry = sorted(composer.units(), key=lambda unit: match.view.name(unit) != "48. Panzer Corps")
    composer.click(board.hex("C4229"))
    assert composer.units() == (panzer,)
    assert composer.refused is not None
    assert cite(composer.refused) == "left out: 44. Corps has another movement allowance than the others (6.23b)"
    assert match.view.name(infantry) == "44. Corps"

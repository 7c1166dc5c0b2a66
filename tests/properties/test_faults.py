"""What a fault of a rule's code leaves behind: nothing before the first draw, the spent number and the pending order after it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from core import bots
from core.bots.walks import every_walk, order_of
from core.errors import Broken, Refused
from core.events import Drawn, Event, Rolled
from core.match import ServerDice, new_server_match
from core.orders import Order, name_of
from tests.properties.games import turning_point

Handle = Callable[[Any, Any], Iterator[Event]]


def until_an_attack(seed: int) -> tuple[ServerDice, Order]:
    """Play to the first attack that a side wants to make."""
    keeper = new_server_match(turning_point(), game=f"fault-{seed}", seed=bytes([seed] * 32), clock=lambda: 0, links=2000)
    rng, choose = random.Random(seed), bots.load("steady")
    keeper.begin()
    while True:
        view = keeper.match.view
        order = choose(view, rng)
        if name_of(order) == "attack":
            return keeper, order
        keeper.order(view.side_to_act(), order)


def breaks_at(handle: Handle, when: Callable[[Event], bool]) -> Handle:
    """Return a handler that breaks right after the first event of a kind."""

    def broken(game: Any, order: Any) -> Iterator[Event]:
        for event in handle(game, order):
            yield event
            if when(event):
                raise Broken("the rule's code is at fault")

    return broken


def state_of(keeper: ServerDice) -> tuple[str, int, int]:
    match = keeper.match
    return match.view.position.digest(), len(match.log), match.log.k


def with_fault(monkeypatch: pytest.MonkeyPatch, keeper: ServerDice, when: Callable[[Event], bool]) -> None:
    orders = keeper.match.setting.ruleset.orders
    monkeypatch.setitem(orders, "attack", replace(orders["attack"], handle=breaks_at(orders["attack"].handle, when)))


def test_a_fault_before_the_first_draw_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    keeper, attack = until_an_attack(1)
    before = state_of(keeper)
    with monkeypatch.context() as patch:
        with_fault(patch, keeper, lambda event: not isinstance(event, (Drawn, Rolled)))
        with pytest.raises(Broken):
            keeper.order(keeper.match.view.side_to_act(), attack)
    assert state_of(keeper) == before
    assert keeper.match.log.pending is None
    keeper.order(keeper.match.view.side_to_act(), attack)
    assert len(keeper.match.log) == before[1] + 1


def test_a_fault_after_a_draw_leaves_the_order_pending_and_the_game_goes_on_when_it_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    keeper, attack = until_an_attack(2)
    twin, _ = until_an_attack(2)
    side = keeper.match.view.side_to_act()
    position, entries, k = state_of(keeper)
    with monkeypatch.context() as patch:
        with_fault(patch, keeper, lambda event: isinstance(event, (Drawn, Rolled)))
        with pytest.raises(Broken):
            keeper.order(side, attack)
    assert state_of(keeper) == (position, entries, k + 1)
    assert keeper.match.log.pending is not None
    with pytest.raises(Refused):
        keeper.order(side, attack)
    keeper.match.accept(*keeper.finish())
    twin.order(side, attack)
    assert state_of(keeper) == state_of(twin)
    assert keeper.match.log.last_hash == twin.match.log.last_hash


def test_a_refused_order_leaves_no_trace() -> None:
    keeper, _ = until_an_attack(3)
    before = state_of(keeper)
    view = keeper.match.view
    walk = next(every_walk(view, "attack"))
    attack = order_of(view, walk)
    hostile = replace(attack, units=tuple(view.side_at(attack.targets[0], view.other(view.side_to_act()))))  # type: ignore[attr-defined]
    with pytest.raises(Refused):
        keeper.order(view.side_to_act(), hostile)
    with pytest.raises(Refused):
        keeper.order(view.other(view.side_to_act()), attack)
    assert state_of(keeper) == before
    assert keeper.match.log.pending is None

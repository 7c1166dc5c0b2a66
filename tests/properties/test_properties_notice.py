"""The properties see the faults that they are there for, planted in the toy game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from core.errors import Broken, Refused
from core.events import Event
from core.match import new_server_match
from core.options import Door, Offer, offer
from core.orders import UnitPick
from core.text import text
from core.trials import properties
from core.views import View
from tests.toy.ruleset import Strike, compose_strike, fresh, missing, toy_setting


@pytest.fixture
def view() -> View:
    keeper = new_server_match(toy_setting(), game="faulty", seed=bytes(32), clock=lambda: 0, links=100)
    keeper.begin()
    return keeper.match.view


def plant(monkeypatch: pytest.MonkeyPatch, view: View, name: str, **changes: Any) -> None:
    monkeypatch.setitem(view.ruleset.orders, name, replace(view.ruleset.orders[name], **changes))


def test_the_sound_game_passes(view: View) -> None:
    properties.offered_is_accepted(view, random.Random(1))
    assert properties.accepted_is_offered(view, random.Random(1)) > 100


def test_a_dead_end_is_noticed(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    def compose(view: View, draft: Any) -> Offer:
        doors = [Door(UnitPick(unit)) for unit in fresh(view, "red")] if draft.unit is None else []
        return offer(doors, unfinished=missing("a hex"))

    plant(monkeypatch, view, "go", compose=compose)
    with pytest.raises(Broken, match="nothing is offered"):
        properties.offered_is_accepted(view, random.Random(1))


def test_a_set_that_can_only_be_picked_downwards_is_noticed(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    def compose(view: View, draft: Strike) -> Offer:
        found = compose_strike(view, draft)
        above = max(draft.units, default=view.position.next_unit)
        lower = [door for door in found.doors if not isinstance(door.pick, UnitPick) or door.pick.unit < above]
        return offer(lower, unfinished=found.unfinished)

    both = [unit.id for unit in view.position.on_map() if view.side(unit.id) == "red"][:2]
    shared = next(h for h in range(view.board.size) if all(h in view.board.adjacent[view.unit(u).place] for u in both))
    victim = next(unit.id for unit in view.position.on_map() if view.side(unit.id) == "blue")
    view.position.put(replace(view.unit(victim), place=shared))
    plant(monkeypatch, view, "strike", compose=compose)
    with pytest.raises(Broken, match="offered and refused"):
        properties.offered_is_accepted(view, random.Random(1))


def test_an_order_that_its_handler_refuses_is_noticed(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    def handle(game: Any, order: Any) -> Iterator[Event]:
        raise Refused("3", text("changed my mind"))
        yield

    plant(monkeypatch, view, "go", handle=handle)
    with pytest.raises(Broken, match="refused when it is decided"):
        properties.offered_is_accepted(view, random.Random(1))


def test_an_order_accepted_behind_closed_doors_is_noticed(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    assert properties.accepted_is_offered(view, random.Random(1)) > 0
    monkeypatch.setattr(properties, "refusal", lambda view, order: None)
    with pytest.raises(Broken, match="accepted and not offered"):
        properties.accepted_is_offered(view, random.Random(1))

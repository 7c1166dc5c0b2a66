"""A match from its first order to its last: two passes, undo and redo, rewinding anywhere, files."""

from __future__ import annotations

import contextlib
import gc
import importlib
import random
from collections.abc import Callable, Iterator

import msgspec
import pytest

from core.bots.random_bot import choose
from core.derived import UNITS
from core.errors import BadInput, Refused
from core.events import AnyEvent, Drawn, Event, Revealed, Rolled
from core.fold import fold_all
from core.game import Game
from core.log import Log, Pause, Pending, Seat
from core.match import Match, OrderCodec, ServerDice, new_server_match
from core.options import refusal
from core.orders import Order, name_of
from core.position import Position
from core.units import UnitId
from tests.toy.ruleset import End, Go, Strike, toy_setting
from tests.toy.witnessed import Host


def new_match(seed: int = 1) -> ServerDice:
    return new_server_match(toy_setting(), game=f"toy-{seed}", seed=bytes([seed] * 32), clock=lambda: 0, links=1000)


def play(keeper: ServerDice, rng: random.Random, *, orders: int = 10_000) -> None:
    for _ in range(orders):
        view = keeper.match.view
        if view.position.outcome is not None:
            return
        order = choose(view, rng)
        assert refusal(view, order) is None, f"{name_of(order)} was offered and is refused"
        keeper.order(view.side_to_act(), order)


@pytest.mark.parametrize("seed", range(5))
def test_a_game_of_random_orders_ends(seed: int) -> None:
    keeper = new_match(seed)
    play(keeper, random.Random(seed))
    assert keeper.match.view.position.outcome is not None


def test_undo_and_redo_give_equal_hashes() -> None:
    keeper = new_match()
    play(keeper, random.Random(3), orders=12)
    match = keeper.match
    here, now = match.log.head, match.view.position.digest()
    keeper.rewind(match.log.back() or 0)
    assert match.view.position.digest() != now
    forward = match.log.forward()
    assert forward == here
    keeper.rewind(forward)
    assert match.view.position.digest() == now


def test_another_branch_grows_from_any_entry_and_the_number_of_chance_only_grows() -> None:
    keeper = new_match()
    play(keeper, random.Random(4))
    spent = keeper.match.log.k
    keeper.rewind(0)
    play(keeper, random.Random(9))
    later = [entry.k for entry in keeper.match.log.entries if entry.k]
    assert later == sorted(set(later))
    assert later[-1] > spent


def test_a_copied_log_and_the_one_it_came_from_grow_apart() -> None:
    keeper = new_match()
    for _ in range(5):
        keeper.order(keeper.match.view.side_to_act(), choose(keeper.match.view, random.Random(1)))
    log, copied = keeper.match.log, keeper.match.log.copied()
    then, head = copied.last_hash, copied.seek(copied.head).digest()
    keeper.order(keeper.match.view.side_to_act(), choose(keeper.match.view, random.Random(1)))
    assert (copied.last_hash, copied.seek(copied.head).digest(), copied.child(copied.head)) == (then, head, None)
    copied.add(log.entries[-1])
    assert (copied.last_hash, copied.seek(copied.head).digest()) == (log.last_hash, log.seek(log.head).digest())


def test_seeking_with_and_without_snapshots_is_the_same() -> None:
    keeper = new_match()
    play(keeper, random.Random(6))
    log = keeper.match.log
    numbers = [entry.number for entry in log.entries if entry.bears_order]
    first = [log.seek(number).digest() for number in numbers]
    log.drop_snapshots()
    assert [log.seek(number).digest() for number in reversed(numbers)] == first[::-1]


def test_a_pass_over_a_log_with_branches_keeps_positions_that_are_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.log.SNAPSHOT_EVERY", 2)
    monkeypatch.setattr("core.log.SNAPSHOTS", 4)
    monkeypatch.setattr("core.log.SLICE", 5)
    keeper = new_match()
    play(keeper, random.Random(6), orders=20)
    keeper.rewind(3)
    play(keeper, random.Random(8), orders=20)
    log = Log()
    for entry in keeper.match.log.entries:
        log.add(entry)
    assert list(log.pass_over()) == list(range(5, len(log) + 1, 5))
    assert 0 < len(log._snapshots) <= 4
    for entry in log.entries:
        if entry.bears_order:
            folded = Position()
            for before in log.path(entry.number):
                fold_all(folded, before.events)
            assert log.seek(entry.number) == folded


def test_a_refused_order_changes_nothing() -> None:
    keeper = new_match()
    before = keeper.match.view.position.digest()
    with pytest.raises(Refused):
        keeper.order("red", Go(unit=0, hex=24))
    with pytest.raises(Refused):
        keeper.order("blue", End())
    assert keeper.match.view.position.digest() == before
    assert len(keeper.match.log) == 1


def test_a_fault_after_the_draw_leaves_the_order_pending_and_the_same_roll_comes_when_it_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    keeper, twin = new_match(), new_match()
    rng = random.Random(7)
    while True:
        view = keeper.match.view
        order = choose(view, rng)
        if name_of(order) == "strike":
            break
        keeper.order(view.side_to_act(), order)
        twin.order(view.side_to_act(), order)
    expected = twin.order(view.side_to_act(), order)
    monkeypatch.setattr("tests.toy.ruleset.Explained", _fail)
    with pytest.raises(ZeroDivisionError):
        keeper.order(view.side_to_act(), order)
    monkeypatch.undo()
    assert keeper.match.log.pending is not None
    assert keeper.match.log.k == expected.k
    with pytest.raises(Refused):
        keeper.order(view.side_to_act(), End())
    entry, decided = keeper.finish()
    keeper.match.accept(entry, decided)
    assert entry.events == expected.events


def _fail(*parts: object) -> None:
    raise ZeroDivisionError


def before_a_strike() -> tuple[ServerDice, Order]:
    keeper, rng = new_match(), random.Random(7)
    while True:
        order = choose(keeper.match.view, rng)
        if name_of(order) == "strike":
            return keeper, order
        keeper.order(keeper.match.view.side_to_act(), order)


def test_rules_are_asked_once_about_an_order_whose_two_passes_see_the_same_view(monkeypatch: pytest.MonkeyPatch) -> None:
    keeper, order = before_a_strike()
    asked = counted(monkeypatch, "core.game.refusal")
    keeper.order(keeper.match.view.side_to_act(), order)
    assert len(asked) == 1


def test_what_was_derived_before_the_die_fell_is_made_in_the_first_pass_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    keeper, order = before_a_strike()
    kinds, made = keeper.match.setting.ruleset.orders, list[str]()
    strike = kinds["strike"]

    def handle(game: Game, order: Strike) -> Iterator[Event]:
        game.derived.get("asked for", (UNITS,), lambda: made.append("a value"))
        yield from strike.handle(game, order)

    monkeypatch.setitem(kinds, "strike", msgspec.structs.replace(strike, handle=handle))
    keeper.order(keeper.match.view.side_to_act(), order)
    assert made == ["a value"]


def test_rules_are_asked_again_where_pass_one_was_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    keeper, order = before_a_strike()
    pending = keeper.match.propose(keeper.match.view.side_to_act(), order)
    assert isinstance(pending, Pending)
    log = Log()
    for entry in keeper.match.log.entries:
        log.add(entry)
    match = Match(keeper.match.setting, game=keeper.match.game, chains=keeper.match.chains, clock=lambda: 0, log=log)
    later = ServerDice(match, keeper.chain)
    later.match.hold(pending)
    asked = counted(monkeypatch, "core.game.refusal")
    later.match.accept(*later.finish())
    assert len(asked) == 1


def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[object]:
    """Return a list that grows by what a function is called with."""
    calls: list[object] = []
    module, _, function = name.rpartition(".")
    work = getattr(importlib.import_module(module), function)
    monkeypatch.setattr(name, lambda *args: (calls.append(args), work(*args))[1])
    return calls


def test_the_moment_that_orders_name_is_the_last_order_or_rewind_whatever_acts_come_after() -> None:
    keeper = new_match()
    play(keeper, random.Random(3), orders=6)
    match, acts = keeper.match, (Seat("red", "Anna"), Pause(True))
    for back in (None, 2, 4, None):
        if back is not None:
            keeper.rewind(back)
        for act in acts:
            match.accept_act(match.act(act))
        assert match.log.moved_at == max(entry.number for entry in match.log.entries if entry.moves)
    assert match.log.moved_at < len(match.log) - 1


def test_an_entry_that_was_changed_after_it_was_sealed_breaks_the_chain() -> None:
    keeper = new_match()
    sealed = keeper.match.act(Pause(True))
    with pytest.raises(ValueError, match="breaks the hash chain"):
        keeper.match.log.add(msgspec.structs.replace(sealed, player="Eve"))
    other = keeper.match.act(Pause(False))
    keeper.match.log.add(sealed)  # another was sealed since: it is hashed again, and fits
    with pytest.raises(ValueError, match="can't follow"):
        keeper.match.log.add(other)


def test_undo_is_free_until_chance_or_another_side_came_between() -> None:
    keeper = new_match()
    keeper.order("red", Go(unit=0, hex=keeper.match.setting.board.hex("T0101")))
    log = keeper.match.log
    assert log.undo_is_free(0, "red")
    keeper.order("red", End())
    keeper.order("blue", End())
    assert not log.undo_is_free(0, "red")


@pytest.mark.parametrize("event", [Drawn("C", "strong", UnitId(0)), Rolled("combat", 6, 3), Revealed(UnitId(0))])
def test_what_was_drawn_or_shown_is_not_taken_back_unasked(event: AnyEvent) -> None:
    """bugs-of-peers 1: a card, a die, a counter that was turned up; each by itself, whatever number it spent."""
    keeper = new_match()
    keeper.order("red", Go(unit=0, hex=keeper.match.setting.board.hex("T0101")))
    log, order = keeper.match.log, keeper.match.codec.encode(End())
    before = log.head
    assert log.undo_is_free(0, "red")
    log.add(log.seal(time_ms=0, side="red", order=order, events=(event,)))
    assert not log.undo_is_free(before, "red")


def test_what_spent_a_number_is_not_taken_back_unasked_whatever_it_shows() -> None:
    keeper = new_match()
    log = keeper.match.log
    log.add(log.seal(time_ms=0, side="red", order=keeper.match.codec.encode(End()), k=1))
    assert not log.undo_is_free(0, "red")


def held_of_refusals(asked: Callable[[], object]) -> list[Refused]:
    """Return the refusals that hold frames, and so positions, after one that was answered."""
    gc.collect()
    gc.disable()  # a cycle would go by chance
    try:
        with contextlib.suppress(Refused):
            asked()
        return [one for one in gc.get_objects() if isinstance(one, Refused) and one.__traceback__ is not None]
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "data",
    [
        msgspec.msgpack.encode({"order": "end", "later": 1}), msgspec.msgpack.encode({"order": "leap"}), msgspec.msgpack.encode([]), b"",
        b"\x81\xa5order" + b"\x91" * 5000, b"\x82\xa5order\xa2go\xa4unit" + b"\x91" * 5000, b"\x81\xa5order\xa2\xff\xfe",
    ],
    ids=["a field too many", "another game's", "a list", "nothing", "nested", "nested in a field", "no text"],
)
def test_an_order_has_the_fields_of_its_kind_and_no_others(data: bytes) -> None:
    with pytest.raises(BadInput, match="an order of this game"):
        OrderCodec(toy_setting()).decode(data)


def test_a_refused_order_keeps_no_position_in_memory() -> None:
    match = new_match().match
    side = match.view.side_to_act()
    with pytest.raises(Refused, match="a target is missing"):
        match.propose(side, Strike())
    assert held_of_refusals(lambda: match.propose(side, Strike())) == []


def test_an_order_that_waits_for_witnesses_keeps_no_position_in_memory() -> None:
    host = Host()
    host.begin()
    host.sit("red", "Anna")
    assert held_of_refusals(lambda: host.propose(End())) == []

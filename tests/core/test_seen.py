"""Entries numbered a viewer: no gap, no order, no number that tells what is hidden; and all is checked when the game lies open."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

import msgspec
import pytest

from core.board import Hex
from core.bots.random_bot import busy
from core.errors import Refused
from core.events import Explained, Revealed
from core.game import Decided, NeedsDice, StopDice, decide
from core.hidden import PUBLIC
from core.log import ROOT, Entry, Limit, Log, Rewind
from core.match import Match, ServerDice, new_server_match
from core.options import options
from core.orders import Order
from core.seen import SOME, UNSEEN, SeenEntry, SeenLog, SeenMatch, check, fingerprint
from core.table import SIDES_ARE_APART
from core.units import UnitId
from core.views import View
from tests.hidden_toy.pack import ambush
from tests.hidden_toy.ruleset import Deploy, Draw, End, Lay, March, Plan

SETTING = ambush()


def new_game(seed: int = 1) -> ServerDice:
    return new_server_match(SETTING, game="seen", seed=bytes([seed]) * 32, clock=lambda: 0)


def orders_of(seed: int) -> list[tuple[str, Order]]:
    """Return the orders of a random game."""
    keeper, rng = new_game(seed), random.Random(seed)
    given: list[tuple[str, Order]] = []
    while keeper.match.view.position.outcome is None:
        side = keeper.match.view.side_to_act()
        order = busy(keeper.match.view.seen_by(side), rng)
        keeper.order(side, order)
        given.append((side, order))
    return given


def told_to(keeper: ServerDice, viewer: str) -> list[SeenEntry]:
    return list(SeenLog(SETTING, keeper.match.log, viewer).grow())


def swapped(order: Order, one: int, other: int) -> Order:
    """Return an order with two counters in each other's place."""
    across = {one: UnitId(other), other: UnitId(one)}
    changes: dict[str, object] = {}
    for field in order.__struct_fields__:
        value = getattr(order, field)
        if field == "unit":
            changes[field] = across.get(value, value)
        elif field == "units":
            changes[field] = tuple(sorted(across.get(unit, unit) for unit in value))
    return msgspec.structs.replace(order, **changes)


def tells_apart(entry: Entry, units: set[int]) -> bool:
    """Say whether an entry shows by the rules what the twins differ in: a swapped counter, a plan in a battle."""
    return any(
        (isinstance(event, Revealed) and event.unit in units) or (isinstance(event, Explained) and event.subject in ("strike", "mine"))
        for event in entry.events
    )


class SameDice:
    """Dice that fall alike in two games at the same order, whatever the order was."""

    def __init__(self, turn: int) -> None:
        self._rng = random.Random(turn)

    def roll(self, faces: int) -> int:
        return self._rng.randint(1, faces)

    def draw(self, chits: Mapping[str, int]) -> str:
        return self._rng.choice(sorted(chits))


def give(keeper: ServerDice, side: str, order: Order) -> Entry:
    """Give an order whose dice fall as they do for its twin."""
    match = keeper.match
    decided = decide(match.view, side, order, SameDice(len(match.log)))
    entry = match.log.seal(time_ms=0, side=side, order=match.codec.encode(order), events=decided.events)
    match.accept(entry, decided)
    return entry


@pytest.mark.parametrize("seed", range(20))
def test_twins_that_differ_in_who_is_who_and_in_the_plan_look_alike_to_the_other_side(seed: int) -> None:
    """bugs-of-peers 20: two games that differ only in what is hidden, down to the last byte but the commitments."""
    one, other = new_game(), new_game()
    compared = 0
    for side, order in orders_of(seed):
        twin = swapped(order, 0, 2) if side == "red" else order
        if isinstance(order, Plan) and side == "red":
            twin = Plan("wary" if order.plan == "bold" else "bold")
        try:
            entry = give(one, side, order)
        except Refused:
            break   # the random game went another way: its dice were others
        give(other, side, twin)
        if tells_apart(entry, {0, 2}) or tells_apart(other.match.log.entries[-1], {0, 2}):
            break
        assert fingerprint(told_to(one, "blue")) == fingerprint(told_to(other, "blue"))
        assert fingerprint(told_to(one, PUBLIC)) == fingerprint(told_to(other, PUBLIC))
        assert SeenLog(SETTING, one.match.log, "blue").moved_at == SeenLog(SETTING, other.match.log, "blue").moved_at
        compared += 1
    assert compared >= 5


def deployed(keeper: ServerDice, red: str, blue: str) -> None:
    """Deploy a counter of each side at hexes, plan, and come to red's first turn."""
    board = SETTING.board
    keeper.order("red", Deploy(UnitId(0), board.hex(red)))
    keeper.order("red", End())
    keeper.order("blue", Deploy(UnitId(6), board.hex(blue)))
    keeper.order("blue", End())
    keeper.order("red", Plan("bold"))
    keeper.order("blue", Plan("wary"))


def test_an_order_that_the_other_side_may_not_know_of_has_no_number_there() -> None:
    """bugs-of-peers 20: the count of hidden entries must not be readable from gaps."""
    quiet, busy = new_game(), new_game()
    for keeper, orders in ((quiet, 0), (busy, 1)):
        deployed(keeper, "T0202", "T0402")
        for _ in range(orders):
            keeper.order("red", Lay(SETTING.board.hex("T0202")))
        keeper.order("red", End())
    assert len(quiet.match.log) < len(busy.match.log)
    assert fingerprint(told_to(quiet, "blue")) == fingerprint(told_to(busy, "blue"))
    assert [entry.number for entry in told_to(busy, "blue")] == list(range(len(told_to(busy, "blue"))))
    assert len(told_to(busy, "red")) == len(busy.match.log)


def test_what_is_undone_of_it_has_no_number_either() -> None:
    quiet, busy = new_game(), new_game()
    deployed(quiet, "T0202", "T0402")
    deployed(busy, "T0202", "T0402")
    start = busy.match.log.head
    laid = busy.order("red", Lay(SETTING.board.hex("T0202")))
    busy.rewind(start, side="red")
    busy.rewind(laid.number, side="red")
    busy.rewind(start, side="red")
    for keeper in (quiet, busy):
        marched = keeper.order("red", March((UnitId(0),), SETTING.board.hex("T0203")))
        keeper.rewind(marched.parent, side="red")
        keeper.rewind(marched.number, side="red")
        keeper.order("red", End())
    assert fingerprint(told_to(quiet, "blue")) == fingerprint(told_to(busy, "blue"))
    moves = [entry.act for entry in told_to(busy, "blue") if entry.act is not None]
    assert moves == [entry.act for entry in told_to(quiet, "blue") if entry.act is not None]
    assert [type(act) for act in moves] == [Rewind, Rewind]


def test_a_draw_tells_that_a_card_was_drawn_and_not_which() -> None:
    """bugs-of-peers 1 and bugs-of-peers 5: neither card nor order of the deck goes over the wire; it is a multiset for everybody."""
    told: list[str] = []
    for seed in range(2, 9):   # other secrets, other cards
        keeper = new_game(seed)
        deployed(keeper, "T0202", "T0402")
        keeper.order("red", Draw())
        told.append(fingerprint(told_to(keeper, "blue")))
        seen = View(SETTING, keeper.match.view.position).seen_by("blue")
        assert seen.position.cups["deck"] == {"rush": 6, "fog": 6}
    assert len(set(told)) == 1


def limited(units: tuple[UnitId, ...] | None) -> ServerDice:
    """Return a game in which it was said what another seat of red commands."""
    keeper = new_game()
    log = keeper.match.log
    log.add(log.seal(time_ms=0, side="red", player="Anna", act=Limit("red", "second", units)))
    return keeper


def test_which_counters_a_seat_commands_its_own_side_alone_is_told() -> None:
    stacks: list[tuple[UnitId, ...]] = [(UnitId(0),), (UnitId(2),), (UnitId(2), UnitId(4))]
    for viewer in ("blue", PUBLIC):
        assert len({fingerprint(told_to(limited(units), viewer)) for units in stacks}) == 1
        told = [told_to(limited(units), viewer)[-1].act for units in (None, (), stacks[0])]
        assert told == [Limit("red", "second", None), Limit("red", "second", ()), Limit("red", "second", SOME)]
    assert told_to(limited(stacks[0]), "red")[-1].act == Limit("red", "second", stacks[0])


def test_games_from_before_told_all_which_counters_a_seat_commands() -> None:
    keeper = limited((UnitId(0),))
    match, before = keeper.match, SIDES_ARE_APART - 1
    told = list(SeenLog(SETTING, match.log, "blue", version=before).grow())
    assert told[-1].act == Limit("red", "second", (UnitId(0),))
    assert check(SETTING, match.log, "blue", told, version=before) == ""
    assert "told otherwise" in check(SETTING, match.log, "blue", told)


@pytest.mark.parametrize("viewer", ["red", "blue", PUBLIC])
@pytest.mark.parametrize("seed", range(6))
def test_a_match_grown_from_what_is_told_stands_at_the_view(seed: int, viewer: str) -> None:
    keeper, rng = new_game(seed), random.Random(seed)
    log = SeenLog(SETTING, keeper.match.log, viewer)
    mine = SeenMatch.of(Match(SETTING, game="seen", chains=keeper.match.chains, clock=lambda: 0), viewer)
    while keeper.match.view.position.outcome is None:
        for entry in log.grow()[len(mine.log) :]:
            mine.take(entry)
            assert mine.view.viewer == viewer
        assert mine.view.position == keeper.match.view.seen_by(viewer).position
        assert mine.log.head == log.head
        assert mine.log.moved_at == log.moved_at
        side = keeper.match.view.side_to_act()
        if side == viewer:
            assert options(mine.view).picks == options(keeper.match.view).picks
        if rng.random() < 0.2 and keeper.match.log.back() is not None:
            keeper.rewind(rng.choice([entry.number for entry in keeper.match.log.path()]), side=side)
        else:
            keeper.order(side, busy(keeper.match.view.seen_by(side), rng))
        if len(keeper.match.log) > 150:
            break
    assert check(SETTING, keeper.match.log, viewer, log.entries) == ""


def test_an_order_is_foretold_on_the_view_unless_it_hangs_on_what_is_hidden() -> None:
    keeper = new_game()
    deployed(keeper, "T0203", "T0403")
    march = March((UnitId(0),), SETTING.board.hex("T0204"))
    mine = keeper.match.view.seen_by("red")
    foretold = decide(mine, "red", march, StopDice())
    entry = keeper.order("red", march)
    assert isinstance(foretold, Decided)
    assert foretold.position == keeper.match.view.seen_by("red").position
    assert foretold.events == entry.events
    beside = next(here for here in SETTING.board.adjacent[SETTING.board.hex("T0403")] if SETTING.board.label(here).startswith("T03"))
    keeper.rewind(entry.parent, side="red")
    if SETTING.board.are_adjacent(SETTING.board.hex("T0203"), beside):
        with pytest.raises(NeedsDice):
            decide(mine, "red", March((UnitId(0),), Hex(beside)), StopDice())


def test_the_order_and_links_of_the_other_side_stay_with_the_server() -> None:
    keeper = new_game()
    deployed(keeper, "T0202", "T0402")
    keeper.order("red", Draw())
    for entry, true in zip(told_to(keeper, "red"), keeper.match.log.entries, strict=True):
        assert entry.order == (true.order if true.side in ("", "red") else UNSEEN)
    bare = msgspec.msgpack.encode(told_to(keeper, "blue"))
    last = keeper.match.log.entries[-1]
    assert last.links
    assert not any(link in bare for link in last.links.values())
    assert next(entry.order for entry in told_to(keeper, "blue") if entry.side == "red") == UNSEEN


# -------------------------------------------------------------------- when all lies open


def lies() -> Iterator[tuple[str, Callable[[list[SeenEntry]], list[SeenEntry]]]]:
    def change(**changes: object) -> Callable[[list[SeenEntry]], list[SeenEntry]]:
        return lambda told: [*told[:4], msgspec.structs.replace(told[4], **changes), *told[5:]]

    yield "another one", change(commitment=bytes(32))
    yield "told otherwise", change(events=())
    yield "told otherwise", change(player="Mallory")
    yield "another one", lambda told: [*told[:4], *told[5:]]
    yield "only", lambda told: [*told, told[-1]]


@pytest.mark.parametrize(("wrong", "lie"), list(lies()))
def test_whatever_was_told_otherwise_comes_to_light(wrong: str, lie: Callable[[list[SeenEntry]], list[SeenEntry]]) -> None:
    keeper = new_game()
    deployed(keeper, "T0202", "T0402")
    told = told_to(keeper, "blue")
    assert check(SETTING, keeper.match.log, "blue", told) == ""
    assert wrong in check(SETTING, keeper.match.log, "blue", lie(told))


def test_a_hidden_fact_can_not_be_changed_after_it_was_committed_to() -> None:
    keeper, other = new_game(), new_game()
    for game, plan in ((keeper, "bold"), (other, "wary")):
        board = SETTING.board
        game.order("red", Deploy(UnitId(0), board.hex("T0202")))
        game.order("red", End())
        game.order("blue", End())
        game.order("red", Plan(plan))
    told = told_to(keeper, "blue")
    assert fingerprint(told) == fingerprint(told_to(other, "blue"))
    assert "another one" in check(SETTING, other.match.log, "blue", told)


def test_a_number_that_the_viewer_does_not_know_is_refused_with_his_own_last() -> None:
    keeper = new_game()
    deployed(keeper, "T0202", "T0402")
    keeper.order("red", Lay(SETTING.board.hex("T0202")))
    seen = SeenLog(SETTING, keeper.match.log, "blue")
    seen.grow()
    with pytest.raises(Refused, match=f"the last is {len(seen.entries) - 1}"):
        seen.true(len(seen.entries))
    assert seen.true(ROOT) == ROOT
    assert [seen.true(entry.number) for entry in seen.entries] == [
        next(true.number for true in keeper.match.log.entries if true.hash == entry.commitment) for entry in seen.entries
    ]


def test_a_log_without_entries_tells_nothing() -> None:
    assert list(SeenLog(SETTING, Log(), "red").grow()) == []

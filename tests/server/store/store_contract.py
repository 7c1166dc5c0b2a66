"""What every store must do. A store's tests inherit `StoreContract` and say how one is opened; nothing in here knows how it keeps things.

``opened()`` opens the same games each time, as another server process would: several of them may be open at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from core.dice import ChainEnd
from core.errors import Broken
from core.gamefile import FORMAT, MAGIC, Head
from core.log import Entry, Log, Pending, Resign
from core.protocol import ChatLine
from server.store.contract import Glance, Standing, Store, StoredGame, Taken

Opened = Callable[[], Store]
PACK = {"pack.toml": b"a = 1\n", "map/hexes.csv": bytes(range(256))}


def stored(game: str = "g") -> StoredGame:
    head = Head(MAGIC, FORMAT, game, "toy", 1, "duel", {"fog": True, "turns": 7}, (ChainEnd("server", b"e" * 32, 100),))
    return StoredGame(game, "digest", head, b"s" * 32)


def written(count: int, *, name: str = "red") -> list[Entry]:
    """Return entries that follow from one another."""
    log = Log()
    for number in range(count):
        if number == 0:
            log.add(log.seal(time_ms=number, salt=b"salt"))
        else:
            log.add(log.seal(time_ms=number, side=name, player="Anna", act=Resign(name), signature=bytes([number % 256])))
    return log.entries


def pending(k: int) -> Pending:
    return Pending("red", "Anna", b"\x80", 0, k, b"h" * 32, b"sig")


def line(text: str, *, player: str = "Anna", room: str = "game", time_ms: int = 5) -> ChatLine:
    return ChatLine(-1, time_ms, room, player, text)


def began(store: Store, game: str = "g", *, made_ms: int = 1) -> Store:
    """Keep a pack and a game of it."""
    store.add_pack("digest", PACK).result()
    store.add_game(stored(game), made_ms).result()
    return store


class StoreContract:
    """Inherit, and give a fixture ``opened``."""

    @pytest.fixture
    def opened(self) -> Opened:
        raise NotImplementedError

    @contextmanager
    def after_restart(self, store: Store, opened: Opened) -> Iterator[Store]:
        store.close()
        again = opened()
        yield again
        again.close()

    # ---------------------------------------------------------------- what is kept

    def test_a_new_store_has_nothing(self, opened: Opened) -> None:
        store = opened()
        assert (store.names(), store.glances(), store.account_acts(), store.old_names(), store.waiting) == ([], [], [], [], 0)
        assert (store.alive_ms(), store.restored_ms()) == (None, None)
        assert (store.pack("digest"), store.entries("g"), store.lines("g", rooms={"game": 0}, after=-1, most=9)) == ({}, [], [])
        with pytest.raises(KeyError):
            store.game("g")
        store.close()

    def test_games_come_back_as_they_were_oldest_first(self, opened: Opened) -> None:
        store = began(began(opened(), "late", made_ms=2), "early", made_ms=1)
        with self.after_restart(store, opened) as again:
            assert again.names() == ["early", "late"]
            assert again.game("late") == stored("late")
            assert again.pack("digest") == PACK

    def test_a_pack_is_kept_once(self, opened: Opened) -> None:
        store = began(opened())
        store.add_pack("digest", PACK).result()
        assert store.pack("digest") == PACK
        store.close()

    def test_a_game_is_begun_once_and_only_with_a_pack_that_its_id_names(self, opened: Opened) -> None:
        store = began(opened())
        with pytest.raises(Taken):
            store.add_game(stored(), 2).result()
        assert store.names() == ["g"]
        store.close()

    def test_entries_come_back_in_order_with_the_orders_that_they_answer(self, opened: Opened) -> None:
        store, entries = began(opened()), written(12)
        for entry in entries:
            store.add_entry("g", entry, order_id="" if entry.number % 2 else f"order {entry.number}").result()
        with self.after_restart(store, opened) as again:
            assert again.entries("g") == entries
            assert again.orders("g") == {f"order {number}": number for number in range(0, 12, 2)}
            assert again.entries("other") == []

    def test_a_record_is_kept_with_all_its_entries_or_not_at_all(self, opened: Opened) -> None:
        store = began(opened())
        entries = tuple(written(5))
        store.add_record(stored("record"), 3, entries, seed=b"n" * 32, pending=pending(3)).result()
        with pytest.raises(Taken):
            store.add_record(stored("broken"), 4, (*entries, entries[2]), pending=pending(1)).result()
        with self.after_restart(store, opened) as again:
            assert again.names() == ["g", "record"]
            assert (again.entries("record"), again.seeds("record")) == (list(entries), {4: b"n" * 32})
            assert (again.pending("record"), again.pending("broken")) == ([(pending(3), "")], [])

    def test_a_chain_that_an_entry_publishes_is_kept_with_it(self, opened: Opened) -> None:
        store, entries = began(opened()), written(3)
        store.add_entry("g", entries[0]).result()
        store.add_entry("g", entries[1], seed=b"n" * 32).result()
        with pytest.raises(Taken):
            store.add_entry("g", entries[1], seed=b"x" * 32).result()
        with self.after_restart(store, opened) as again:
            assert again.seeds("g") == {1: b"n" * 32}
            assert again.seeds("other") == {}

    def test_pending_records_stay_for_ever(self, opened: Opened) -> None:
        store = began(opened())
        for k in (2, 1):
            store.add_pending("g", pending(k), order_id=f"order {k}").result()
        with self.after_restart(store, opened) as again:
            assert again.pending("g") == [(pending(1), "order 1"), (pending(2), "order 2")]

    def test_an_answer_given_ahead_is_replaced_and_forgotten(self, opened: Opened) -> None:
        store = began(opened())
        first, second = (Standing(name, "Anna", b"\x80", turn, b"sig") for name, turn in (("a", -1), ("b", 3)))
        store.keep_answer("g", "red", "Retreat", first).result()
        store.keep_answer("g", "red", "Retreat", second).result()
        store.keep_answer("g", "blue", "Retreat", first).result()
        store.keep_answer("g", "blue", "Retreat", None).result()
        with self.after_restart(store, opened) as again:
            assert again.answers("g") == {("red", "Retreat"): second}

    def test_by_whom_and_under_which_id_an_answer_was_given_or_taken_back_is_known_for_ever(self, opened: Opened) -> None:
        store, answer = began(began(opened()), "other"), Standing("a", "Anna", b"\x80", -1, b"sig")
        store.keep_answer("g", "red", "Retreat", answer, asked=("Anna", "given")).result()
        store.keep_answer("g", "red", "Retreat", None, asked=("Anna", "taken back")).result()
        with pytest.raises(Taken):
            store.keep_answer("g", "red", "Retreat", answer, asked=("Anna", "given")).result()
        store.keep_answer("g", "blue", "Retreat", None).result()
        with self.after_restart(store, opened) as again:
            assert again.was_asked("g", "Anna", "given")
            assert again.was_asked("g", "Anna", "taken back")
            assert not again.was_asked("g", "Boris", "given")
            assert not again.was_asked("other", "Anna", "given")
            assert again.answers("g") == {}

    def test_a_glance_tells_what_was_kept_last_of_a_game_and_where_its_log_ends_now(self, opened: Opened) -> None:
        store, entries = began(began(opened(), "bare", made_ms=2), made_ms=1), written(3)
        store.keep_summary("g", b"first").result()
        for entry in entries:
            store.add_entry("g", entry).result()
        store.keep_summary("g", b"second").result()
        for k in (1, 2):
            store.add_pending("g", pending(k)).result()
        store.keep_answer("g", "red", "Retreat", Standing("a", "Anna", b"\x80", -1, b"")).result()
        with self.after_restart(store, opened) as again:
            assert again.glances() == [Glance("g", b"second", entries[-1], 2, True), Glance("bare", b"", None, 0, False)]

    def test_lines_of_chat_are_numbered_a_room_and_kept_once_a_player_and_id(self, opened: Opened) -> None:
        store = began(opened())
        kept = [store.add_line("g", line(str(number)), line_id=f"l{number}").result()[0] for number in range(5)]
        assert store.add_line("g", line("again"), line_id="l2").result() == (kept[2], False)
        other, is_new = store.add_line("g", line("mine", player="Boris"), line_id="l2").result()
        lobby, _ = store.add_line("", line("hello"), line_id="l2").result()
        apart, _ = store.add_line("g", line("psst", room="side:red"), line_id="l9").result()
        assert (other.number, is_new, lobby.number, apart.number) == (5, True, 0, 0)
        assert store.add_line("g", line("psst", room="side:red"), line_id="l9").result() == (apart, False)
        with self.after_restart(store, opened) as again:
            both = {other.room: 0, apart.room: 0}
            assert again.lines("g", rooms=both, after=-1, most=99) == [*kept, other, apart]
            assert again.lines("g", rooms=both, after=2, most=2) == [kept[4], other]
            assert again.lines("g", rooms={other.room: 0}, after=-1, most=2) == [kept[4], other]
            assert again.lines("g", rooms={apart.room: 0, "no room": 0}, after=-1, most=9) == [apart]
            later, _ = again.add_line("g", line("later", room="side:red", time_ms=6), line_id="l10").result()
            assert again.lines("g", rooms={other.room: 6, apart.room: 6}, after=-1, most=9) == [later]
            assert again.lines("g", rooms={other.room: 5, apart.room: 6}, after=4, most=9) == [other]
            assert again.lines("", rooms={lobby.room: 0}, after=-1, most=1) == [lobby]
            assert (again.line_of("g", "Anna", "l2"), again.line_of("g", "Anna", "l9")) == (kept[2], apart)
            assert again.line_of("", "Anna", "l2") == lobby
            assert (again.line_of("g", "Boris", "l1"), again.line_of("other", "Anna", "l1")) == (None, None)

    def test_the_last_sign_of_life_and_what_became_of_accounts_stay(self, opened: Opened) -> None:
        store = opened()
        for number, act in enumerate((b"first", b"second")):
            store.add_account_act(number, act).result()
        for time_ms in (7, 9, 8):
            store.keep_alive(time_ms).result()
        with self.after_restart(store, opened) as again:
            assert (again.account_acts(), again.alive_ms()) == ([b"first", b"second"], 8)

    # ---------------------------------------------------------------- what is refused

    def test_what_was_written_is_never_written_over(self, opened: Opened) -> None:
        store, mine, theirs = began(opened()), written(3), written(3, name="blue")
        store.add_entry("g", mine[0], order_id="first").result()
        store.add_entry("g", mine[1], order_id="second").result()
        store.add_pending("g", pending(1)).result()
        store.add_account_act(0, b"first").result()
        again: list[Callable[[], Future[Any]]] = [
            lambda: store.add_entry("g", theirs[1]),
            lambda: store.add_entry("g", mine[0]),
            lambda: store.add_entry("g", mine[2], order_id="first"),
            lambda: store.add_pending("g", pending(1), order_id="other"),
            lambda: store.add_account_act(0, b"other"),
        ]
        for write in again:
            with pytest.raises(Taken):
                write().result()
        assert store.entries("g") == mine[:2]
        assert (store.orders("g"), store.pending("g"), store.account_acts()) == (
            {"first": 0, "second": 1}, [(pending(1), "")], [b"first"],
        )
        store.add_entry("g", mine[2], order_id="third").result()
        store.close()

    def test_no_entry_is_written_behind_a_gap(self, opened: Opened) -> None:
        store, entries = began(opened()), written(3)
        with pytest.raises(Broken):
            store.add_entry("g", entries[1], order_id="early").result()
        assert (store.entries("g"), store.orders("g")) == ([], {})
        store.close()

    def test_nothing_is_written_of_a_game_that_is_not_there(self, opened: Opened) -> None:
        store = opened()
        for write in (store.add_entry("g", written(1)[0]), store.add_pending("g", pending(1)), store.keep_answer(
            "g", "red", "Retreat", Standing("a", "Anna", b"\x80", -1, b"")
        ), store.keep_summary("g", b"summary")):
            with pytest.raises(Broken):
                write.result()
        assert (store.entries("g"), store.pending("g"), store.answers("g")) == ([], [], {})
        store.close()

    def test_a_write_that_fails_takes_no_other_with_it(self, opened: Opened) -> None:
        store, entries = began(opened()), written(3)
        writes = [store.add_entry("g", entry) for entry in (entries[0], entries[0], entries[1], entries[1], entries[2])]
        assert [type(write.exception()) for write in writes] == [type(None), Taken, type(None), Taken, type(None)]
        assert store.entries("g") == entries
        store.close()

    # ---------------------------------------------------------------- several at once

    def test_of_two_servers_that_append_the_same_number_one_does(self, opened: Opened) -> None:
        one, other = began(opened()), opened()
        mine, theirs = written(40), written(40, name="blue")
        for number in range(40):
            writes = [one.add_entry("g", mine[number], order_id=f"m{number}"), other.add_entry("g", theirs[number], order_id=f"t{number}")]
            failed = [write.exception() for write in writes]
            assert sorted(type(error).__name__ for error in failed) == ["NoneType", "Taken"]
            won = mine if failed[0] is None else theirs
            assert one.entries("g")[number:] == other.entries("g")[number:] == [won[number]]
        assert len(one.orders("g")) == 40
        one.close()
        other.close()

    def test_many_threads_that_write_many_games_lose_nothing(self, opened: Opened) -> None:
        store, entries = opened(), written(25)
        store.add_pack("digest", PACK).result()
        games = [f"game {number}" for number in range(12)]

        def play(game: str) -> None:
            store.add_game(stored(game), 1).result()
            for entry in entries:
                store.add_entry(game, entry, order_id=f"{entry.number}").result()

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(play, games))
        with self.after_restart(store, opened) as again:
            assert all(again.entries(game) == entries and len(again.orders(game)) == 25 for game in games)

    def test_a_write_that_nobody_waits_for_any_more_harms_no_other(self, opened: Opened) -> None:
        store, entries = began(opened()), written(50)
        writes = [store.add_entry("g", entry) for entry in entries]
        cancelled = [write.cancel() for write in writes[40:]]
        done = [write for write, was in zip(writes[40:], cancelled, strict=True) if not was]
        assert [write.exception() for write in writes[:40]] == [None] * 40
        assert all(write.exception() is None or isinstance(write.exception(), Broken) for write in done)
        kept = store.entries("g")
        assert kept == entries[: len(kept)]
        store.close()

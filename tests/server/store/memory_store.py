"""A store in memory, for tests: the contract's second implementation. Several of them may share one `Shelf`, as processes a database."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

import msgspec

from core.errors import Broken
from core.log import Entry, Pending
from core.protocol import ChatLine
from server.store.contract import Glance, Standing, StoredGame, Taken

T = TypeVar("T")


class Tables(msgspec.Struct):
    """What is kept."""

    packs: dict[str, dict[str, bytes]] = {}
    games: dict[str, tuple[int, StoredGame]] = {}
    entries: dict[str, list[Entry]] = {}
    seeds: dict[str, dict[int, bytes]] = {}
    orders: dict[str, dict[str, int]] = {}
    pending: dict[str, dict[int, tuple[Pending, str]]] = {}
    answers: dict[str, dict[tuple[str, str], Standing]] = {}
    asked: dict[str, dict[tuple[str, str], None]] = {}
    lines: dict[str, list[tuple[str, ChatLine]]] = {}
    accounts: dict[int, bytes] = {}
    alive: list[int] = []
    summaries: dict[str, bytes] = {}


class Shelf:
    """The tables, and what keeps two writers apart."""

    def __init__(self) -> None:
        self.tables, self.lock = Tables(), threading.Lock()

    def write(self, job: Callable[[Tables], T]) -> Future[T]:
        """Run a job whole or not at all."""
        done: Future[T] = Future()
        with self.lock:
            tables = copy.deepcopy(self.tables)
            try:
                found = job(tables)
            except Exception as error:
                done.set_exception(error)
            else:
                self.tables = tables
                done.set_result(found)
        return done


def _put(table: dict[Any, Any], key: object, value: object) -> None:
    if key in table:
        raise Taken(f"{key} is there")
    table[key] = value


class MemoryStore:
    """Games in memory; a `server.store.contract.Store`."""

    waiting = 0
    stalled_s = 0.0
    is_held_up = False

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def hear(self) -> bool:
        return False

    def trouble(self) -> str:
        return ""

    def close(self) -> None:
        return

    # ---------------------------------------------------------------- writing

    def add_pack(self, digest: str, files: Mapping[str, bytes]) -> Future[None]:
        return self._shelf.write(lambda tables: _nothing(tables.packs.setdefault(digest, dict(files))))

    def add_game(self, game: StoredGame, made_ms: int) -> Future[None]:
        return self._shelf.write(lambda tables: _put(tables.games, game.game, (made_ms, game)))

    def add_record(
        self, game: StoredGame, made_ms: int, entries: tuple[Entry, ...], *, seed: bytes = b"", pending: Pending | None = None
    ) -> Future[None]:
        def job(tables: Tables) -> None:
            _put(tables.games, game.game, (made_ms, game))
            for entry in entries:
                _append(tables, game.game, entry)
            if seed:
                tables.seeds[game.game] = {entries[-1].number: seed}
            if pending is not None:
                tables.pending[game.game] = {pending.k: (pending, "")}

        return self._shelf.write(job)

    def add_entry(self, game: str, entry: Entry, *, order_id: str = "", seed: bytes = b"") -> Future[None]:
        def job(tables: Tables) -> None:
            _append(tables, game, entry)
            if order_id:
                _put(tables.orders.setdefault(game, {}), order_id, entry.number)
            if seed:
                tables.seeds.setdefault(game, {})[entry.number] = seed

        return self._shelf.write(job)

    def add_pending(self, game: str, pending: Pending, *, order_id: str = "") -> Future[None]:
        return self._shelf.write(lambda tables: _put(_of(tables, tables.pending, game), pending.k, (pending, order_id)))

    def add_account_act(self, number: int, act: bytes) -> Future[None]:
        return self._shelf.write(lambda tables: _put(tables.accounts, number, act))

    def add_line(self, game: str, line: ChatLine, *, line_id: str) -> Future[tuple[ChatLine, bool]]:
        def job(tables: Tables) -> tuple[ChatLine, bool]:
            lines = tables.lines.setdefault(game, [])
            for known_id, known in lines:
                if (known_id, known.player) == (line_id, line.player):
                    return known, False
            kept = msgspec.structs.replace(line, number=sum(one.room == line.room for _, one in lines))
            lines.append((line_id, kept))
            return kept, True

        return self._shelf.write(job)

    def keep_answer(
        self, game: str, side: str, decision: str, answer: Standing | None, *, asked: tuple[str, str] | None = None
    ) -> Future[None]:
        def job(tables: Tables) -> None:
            answers = _of(tables, tables.answers, game)
            answers.pop((side, decision), None)
            if answer is not None:
                answers[side, decision] = answer
            if asked is not None:
                _put(_of(tables, tables.asked, game), asked, None)

        return self._shelf.write(job)

    def keep_summary(self, game: str, summary: bytes) -> Future[None]:
        def job(tables: Tables) -> None:
            if game not in tables.games:
                raise Broken(f"no game {game}")
            tables.summaries[game] = summary

        return self._shelf.write(job)

    def took_up(self) -> Future[None]:
        return self._shelf.write(_nothing)

    def keep_alive(self, time_ms: int) -> Future[None]:
        return self._shelf.write(lambda tables: tables.alive.append(time_ms))

    # ---------------------------------------------------------------- reading

    def names(self) -> list[str]:
        games = self._shelf.tables.games
        return sorted(games, key=lambda game: (games[game][0], game))

    def glances(self) -> list[Glance]:
        tables = self._shelf.tables
        return [
            Glance(
                game, tables.summaries.get(game, b""), next(reversed(tables.entries.get(game, [])), None),
                max(tables.pending.get(game, {}), default=0), bool(tables.answers.get(game)),
            )
            for game in self.names()
        ]

    def game(self, name: str) -> StoredGame:
        return self._shelf.tables.games[name][1]

    def pack(self, digest: str) -> dict[str, bytes]:
        return self._shelf.tables.packs.get(digest, {})

    def entries(self, game: str) -> list[Entry]:
        return list(self._shelf.tables.entries.get(game, ()))

    def seeds(self, game: str) -> dict[int, bytes]:
        return self._shelf.tables.seeds.get(game, {})

    def pending(self, game: str) -> list[tuple[Pending, str]]:
        return [record for _, record in sorted(self._shelf.tables.pending.get(game, {}).items())]

    def orders(self, game: str) -> dict[str, int]:
        return dict(self._shelf.tables.orders.get(game, {}))

    def lines(self, game: str, *, rooms: Mapping[str, int], after: int, most: int) -> list[ChatLine]:
        of_game = (line for _, line in self._shelf.tables.lines.get(game, []))
        return [line for line in of_game if line.room in rooms and line.number > after and line.time_ms >= rooms[line.room]][-most:]

    def line_of(self, game: str, player: str, line_id: str) -> ChatLine | None:
        lines = self._shelf.tables.lines.get(game, [])
        return next((line for known_id, line in lines if (known_id, line.player) == (line_id, player)), None)

    def answers(self, game: str) -> dict[tuple[str, str], Standing]:
        return self._shelf.tables.answers.get(game, {})

    def was_asked(self, game: str, player: str, order_id: str) -> bool:
        return (player, order_id) in self._shelf.tables.asked.get(game, {})

    def restored_ms(self) -> int | None:
        return None

    def alive_ms(self) -> int | None:
        return self._shelf.tables.alive[-1] if self._shelf.tables.alive else None

    def old_names(self) -> list[str]:
        return []

    def account_acts(self) -> list[bytes]:
        return [act for _, act in sorted(self._shelf.tables.accounts.items())]


def _of(tables: Tables, table: dict[str, dict[Any, Any]], game: str) -> dict[Any, Any]:
    if game not in tables.games:
        raise Broken(f"no game {game}")
    return table.setdefault(game, {})


def _append(tables: Tables, game: str, entry: Entry) -> None:
    if game not in tables.games:
        raise Broken(f"no game {game}")
    entries = tables.entries.setdefault(game, [])
    if entry.number != len(entries):
        words = f"entry {entry.number} of {game}: the log has {len(entries)}"
        raise Taken(words) if entry.number < len(entries) else Broken(words)
    entries.append(entry)


def _nothing(_: object) -> None:
    return None

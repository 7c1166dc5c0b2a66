"""What a server asks of whatever keeps its games: append-only, and durable before anything is acknowledged.

`Store` says it; `server.store.sqlite` keeps games in a file of SQLite. Whoever writes another, such as one over PostgreSQL that several
server processes share, lets its tests inherit ``tests/server/store/store_contract.py``. Two things make that possible. Nothing is
overwritten or counted in the process: who writes entry 7 of a game where somebody else has written an entry 7 meanwhile gets `Taken`, and
nothing of his is kept (an optimistic lock on game and number). And every write is one transaction, whose future is done when it is durable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Protocol

import msgspec

from core.errors import Broken

if TYPE_CHECKING:  # a backup is made beside a server that runs: to load what games are made of would take half of its time
    from core.gamefile import Head
    from core.log import Entry, Pending
    from core.protocol import ChatLine

Appended = Future[None] | asyncio.Future[None]  # of the running loop where the store tells there what was appended; it costs a tenth


class Taken(Broken):
    """Somebody else has written in this place meanwhile; nothing was kept."""


class Standing(msgspec.Struct, frozen=True):
    """An answer given ahead, as it is kept. *turn* is the last one of its use, -1: any."""

    order_id: str
    player: str
    order: bytes
    turn: int
    signature: bytes


class StoredGame(msgspec.Struct, frozen=True):
    """What the store keeps of a game besides its entries.

    *seed* is the secret of the server's first chain; empty where the game is kept as a record, and nobody here can go on with it.
    """

    game: str
    pack: str
    head: Head
    seed: bytes


class Glance(msgspec.Struct, frozen=True):
    """What is seen of a game without reading it: what was kept of it as a cache, and where its log really ends.

    *summary* is empty where none was kept, *last* the log's last entry, *k* the highest of its pending records; *has_answers*: some were
    given ahead.
    """

    game: str
    summary: bytes
    last: Entry | None
    k: int
    has_answers: bool


class Store(Protocol):
    """Games, and what belongs to them.

    Futures of writes are done when the write is durable. They have `Taken` where something stands in its place, OSError where the
    system can't write it down now (a full disk, a lock), `Broken` where the store is damaged; then nothing of the write is there, for
    good, and the store goes on. Reads see every write whose future is done; they have the same errors, and `BadInput` where what they
    find can't be decoded.
    """

    # ---------------------------------------------------------------- writing

    @property
    def waiting(self) -> int:
        """Return how many writes wait to be durable, about."""

    @property
    def stalled_s(self) -> float:
        """Return for how long the oldest write under way has been waiting to be durable; 0 if none is under way."""

    @property
    def is_held_up(self) -> bool:
        """Say whether nothing can be written now, or a write under way takes far longer than usual."""

    def hear(self) -> bool:
        """Resolve, now, the futures of writes that are durable already: the loop need not be woken for them; say whether there were any."""

    def add_pack(self, digest: str, files: Mapping[str, bytes]) -> Future[None]:
        """Keep a pack, once a hash; nothing if it is there."""

    def add_game(self, game: StoredGame, made_ms: int) -> Future[None]:
        """Keep a new game whose pack is there; `Taken` if there is one of its id."""

    def add_record(
        self, game: StoredGame, made_ms: int, entries: tuple[Entry, ...], *, seed: bytes = b"", pending: Pending | None = None
    ) -> Future[None]:
        """Keep a new game with all its entries, in one; `Taken` if there is one of its id.

        Args:
            seed: the secret of the server's chain from the last entry on, if that publishes one.
            pending: an order that waits for its dice, or waited as the game ended; None: none does.
        """

    def add_entry(self, game: str, entry: Entry, *, order_id: str = "", seed: bytes = b"") -> Appended:
        """Append an entry.

        Args:
            order_id: of the order that it answers.
            seed: the secret of the server's chain from here on, if the entry publishes a new one.

        The future has `Taken` if the number or the order id has been used, `Broken` if the entry before it is missing.
        """

    def add_pending(self, game: str, pending: Pending, *, order_id: str = "") -> Appended:
        """Keep a pending order: from here on its *k* is spent; `Taken` if it was before."""

    def add_account_act(self, number: int, act: bytes) -> Future[None]:
        """Append what became of a name, key or invite; `Taken` if the number is."""

    def add_line(self, game: str, line: ChatLine, *, line_id: str) -> Future[tuple[ChatLine, bool]]:
        """Keep a line of chat under the next free number of its room, once a player and *line_id*; return it, and whether it is new.

        Args:
            game: empty for the lobby's.
            line: its number is not asked.
        """

    def keep_answer(
        self, game: str, side: str, decision: str, answer: Standing | None, *, asked: tuple[str, str] | None = None
    ) -> Future[None]:
        """Keep an answer given ahead in the place of an earlier one, or forget it.

        Args:
            asked: the player who asked for it and the id that he gave it, kept for ever; None: nobody asked. `Taken` if it was before.
        """

    def keep_summary(self, game: str, summary: bytes) -> Future[None]:
        """Keep what `glances` gives back of a game, in the place of an earlier one."""

    def took_up(self) -> Future[None]:
        """Forget that the store is a backup: a server has taken it up."""

    def keep_alive(self, time_ms: int) -> Future[None]:
        """Keep the time, so that a server after this one knows how long nobody did."""

    def trouble(self) -> str:
        """Return what is wrong where the store is kept, such as that it was moved away, or its disk is full; empty if nothing is."""

    def close(self) -> None:
        """Finish what waits, and close. Nothing may be asked afterwards."""

    # ---------------------------------------------------------------- reading

    def names(self) -> list[str]:
        """Return the ids of all games, oldest first."""

    def glances(self) -> list[Glance]:
        """Return all games at a glance, oldest first."""

    def game(self, name: str) -> StoredGame:
        """Return a game; KeyError if there is none of this id."""

    def pack(self, digest: str) -> dict[str, bytes]:
        """Return a pack's files, none if it isn't there."""

    def entries(self, game: str) -> list[Entry]:
        """Return a game's entries in order."""

    def seeds(self, game: str) -> dict[int, bytes]:
        """Return the secrets of chains that entries have published, by entry."""

    def pending(self, game: str) -> list[tuple[Pending, str]]:
        """Return the pending records of a game with their order ids, by *k*."""

    def orders(self, game: str) -> dict[str, int]:
        """Return the entry number of each order id."""

    def lines(self, game: str, *, rooms: Mapping[str, int], after: int, most: int) -> list[ChatLine]:
        """Return the latest lines of chat in these rooms of a game, of each those behind a number and since a time, in order."""

    def line_of(self, game: str, player: str, line_id: str) -> ChatLine | None:
        """Return the line of chat that a player wrote under an id, None if he wrote none."""

    def answers(self, game: str) -> dict[tuple[str, str], Standing]:
        """Return the answers given ahead in a game, by side and decision."""

    def was_asked(self, game: str, player: str, order_id: str) -> bool:
        """Say whether a player has given an answer ahead, or taken one back, under an id."""

    def restored_ms(self) -> int | None:
        """Return when the backup was made that this store is, None if it is none, or a server has taken it up already."""

    def alive_ms(self) -> int | None:
        """Return when a server on this store last kept time, None if none has."""

    def old_names(self) -> list[str]:
        """Return the names that were known by tokens, before keys."""

    def account_acts(self) -> list[bytes]:
        """Return all that became of names, keys and invites, in order."""

"""What tests of the table do again and again: open a game on terms, sit down, do acts and hear the answers."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

import msgspec
from msgspec.structs import replace

from client.connection import table
from client.connection.games import Up
from client.connection.notes import Answered, Ready
from core import protocol
from core.dice import Keeper
from core.gamefile import Head, agreement
from core.identity import Identity, chain_message
from core.log import AnyAct, Entry
from core.match import Match
from core.orders import Order
from core.terms import Terms
from server.store.sqlite import STORE, SqliteStore
from tests.server.conftest import SERVER, Host, Player, take_names

GAME = "table"


def open_table(one: Player, terms: Terms | None = None) -> Match:
    """Begin a game on these terms and follow it."""
    one.wait(lambda note: isinstance(note, Up))
    take_names(one.games, terms.referees if terms else ())
    one.games.send(protocol.CreateGame(GAME, "toy", "duel", terms=terms or Terms()))
    return follow(one, up=True)


def follow(one: Player, *, up: bool = False) -> Match:
    if not up:
        one.wait(lambda note: isinstance(note, Up))
    one.games.follow(GAME)
    one.wait(lambda note: isinstance(note, Ready))
    match = one.games.match(GAME)
    assert match is not None
    return match


def answer_to(one: Player, order_id: str) -> Answered:
    answer = one.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    assert isinstance(answer, Answered)
    return answer


def do(one: Player, side: str, act: AnyAct) -> str:
    """Do an act; return why it was refused, or nothing."""
    answer = answer_to(one, table.do(one.games, GAME, side, act))
    return "" if answer.refused is None else str(answer.refused)


def order(one: Player, side: str, wanted: Order) -> str:
    """Give an order; return why it was refused, or nothing."""
    answer = answer_to(one, one.games.give(GAME, side, wanted))
    return "" if answer.refused is None else str(answer.refused)


def take_turn(one: Player, side: str, wanted: Order) -> str:
    """Give an order once it is known to be the side's turn; return why it was refused, or nothing."""
    until(one, lambda match: match.view.side_to_act() == side)
    return order(one, side, wanted)


def sit(one: Player, side: str, seat: str = "") -> None:
    """Take a seat, and wait for the entry by which it was taken: who left it a moment ago may not know of that yet."""
    name, known = one.games.line.name if one.games.line is not None else "", _entries(one)
    one.games.send(protocol.TakeSeat(GAME, side, seat))
    until(one, lambda match: len(match.log) > known and name in match.table.holders(side))


def _entries(one: Player) -> int:
    with one.games.reading():
        match = one.games.match(GAME)
        return 0 if match is None else len(match.log)


def until(one: Player, wanted: Callable[[Match], bool]) -> None:
    """Wait until what somebody knows of the game is as wanted."""
    match = one.games.match(GAME)
    assert match is not None

    def there() -> bool:
        with one.games.reading():
            return wanted(match)

    one.until(there)


def last(one: Player) -> Entry:
    match = one.games.match(GAME)
    assert match is not None
    with one.games.reading():
        return match.log.entries[-1]


def duel(anna: Player, boris: Player, terms: Terms | None = None) -> tuple[Match, Match]:
    """Seat Anna at red and Boris at blue."""
    hers = open_table(anna, terms)
    his = follow(boris)
    sit(anna, "red")
    sit(boris, "blue")
    until(anna, lambda match: bool(match.table.holders("blue")))
    until(boris, lambda match: bool(match.table.holders("red")))
    return hers, his


def under(head: Head, terms: Terms, keeper: Identity | None) -> Head:
    """Return the head of a game under other terms, signed by the server that is said to have kept it."""
    (end,) = head.chains
    bare = replace(head, terms=terms, keeper=Keeper(keeper.key if keeper else ""))
    signature = keeper.sign(chain_message(bare.game, agreement(bare), end.end, end.links)) if keeper else b""
    return replace(bare, keeper=replace(bare.keeper, signature=signature))


def change_terms(host: Host, terms: Terms) -> None:
    """Write other terms into the store of a server that does not run."""
    with closing(SqliteStore(host.data / STORE)) as store:
        head = under(store.game(GAME).head, terms, SERVER)
    with closing(sqlite3.connect(host.data / STORE)) as connection, connection:
        (trigger,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'games_update'").fetchone()
        connection.execute("DROP TRIGGER games_update")
        connection.execute("UPDATE games SET head = ?", (msgspec.msgpack.encode(head),))
        connection.execute(trigger)


class Withheld:
    """A player's links, kept back as long as that is wanted."""

    def __init__(self, one: Player, game: str = GAME) -> None:
        self._one, self._game, self._answer = one, game, one.games._witnessing.answer
        self.is_held, self.asked = False, 0
        one.games._witnessing.answer = self._asked  # type: ignore[method-assign]

    def _asked(self, match: Match | None, wanted: protocol.LinkWanted) -> None:
        self.asked += 1
        if not self.is_held:
            self._answer(match, wanted)
        elif self._game in (games := self._one.games._witnessing._games):
            games[self._game]._asked = wanted.pending.k  # who keeps his link back knows that it was asked for

    def release(self) -> None:
        """Show what is asked for, from now on: whoever follows the game again is asked again."""
        self.is_held = False
        self._one.games.follow(self._game)

"""One game on the server: a match whose entries are durable before anybody hears of them."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Mapping

from core.dice import Chain, ChainEnd
from core.errors import BadInput, Refused
from core.gamefile import Head, new_head
from core.log import AnyAct, Consent, Entry, Log, Offer, Pending, Resign, Rewind, Seat
from core.match import Match
from core.orders import Order
from core.pack import Pack, setting
from core.protocol import GameLine
from core.rulesets import load
from core.setting import Setting
from core.text import text
from core.units import Side
from server import faultpoints
from server.store import Store, StoredGame

LINKS = 20_000
SALT_BYTES = 16


def now_ms() -> int:
    """Return the wall clock in milliseconds."""
    return time.time_ns() // 1_000_000


def new_salt() -> bytes:
    """Return fresh random bytes for an entry."""
    return secrets.token_bytes(SALT_BYTES)


class Room:
    """A game with its store.

    Attributes:
        match: the game.
        seats: player of each side, empty if none.
        orders: entry number by order id.
    """

    def __init__(self, store: Store, stored: StoredGame, chosen: Setting, log: Log) -> None:
        self.store = store
        self.stored = stored
        self.chain = Chain(stored.seed, links=stored.head.chains[0].links)
        self.match = Match(
            chosen, game=stored.game, chains=stored.head.chains, clock=now_ms, salt=new_salt, log=log
        )
        self.seats: dict[Side, str] = dict.fromkeys(chosen.sides, "")
        self.orders = store.orders(stored.game)
        self.lock = asyncio.Lock()
        for entry in log.entries:
            self._note(entry)

    # ---------------------------------------------------------------- making and resuming

    @classmethod
    async def create(
        cls, store: Store, game: str, pack: Pack, scenario: str, options: Mapping[str, bool | int | str]
    ) -> Room:
        """Begin a game and write it down.

        Raises:
            BadInput: unknown scenario or option.
        """
        chosen = setting(load(pack.manifest.ruleset), pack, scenario, options)
        seed = secrets.token_bytes(32)
        ends = (ChainEnd("server", Chain(seed, links=LINKS).end, LINKS),)
        head = new_head(chosen, game, ends, made_by="rasputitsa")
        stored = StoredGame(game, pack.digest, head, seed)
        room = cls(store, stored, chosen, Log())
        await asyncio.wrap_future(store.add_pack(pack.digest, pack.files))
        await asyncio.wrap_future(store.add_game(stored, now_ms()))
        await room.order("", None, player="", order_id="")
        return room

    @classmethod
    async def resume(cls, store: Store, stored: StoredGame) -> Room:
        """Take a game up where its log ends, and finish the order that was waiting for chance.

        Raises:
            BadInput: the stored game can't be read.
        """
        chosen = setting(load(stored.head.ruleset), Pack(store.pack(stored.pack)), stored.head.scenario, stored.head.options)
        log = Log()
        for entry in store.entries(stored.game):
            log.add(entry)
        waiting = [(pending, order_id) for pending, order_id in store.pending(stored.game) if pending.k > log.k]
        room = cls(store, stored, chosen, log)
        if waiting:
            pending, order_id = waiting[-1]
            room.match.hold(pending)
            await room._finish(order_id)
        elif not log.entries:
            await room.order("", None, player="", order_id="")
        return room

    def _note(self, entry: Entry) -> None:
        if isinstance(entry.act, Seat):
            self.seats[entry.act.side] = entry.act.player

    # ---------------------------------------------------------------- what moves the game

    @property
    def seq(self) -> int:
        """Return the last entry that moved the game."""
        return self.match.log.moved_at

    async def give(self, side: Side, data: bytes, *, player: str, order_id: str, seq: int) -> list[Entry]:
        """Decide a player's order; return the new entries, none if this order id was answered before.

        Raises:
            Refused, BadInput: nothing has changed.
        """
        if order_id in self.orders:
            return []
        self.check_seat(side, player)
        if seq != self.seq:
            raise Refused("", text("the order was made at entry {seq}, and the game has gone on to {now}", seq=seq, now=self.seq))
        return [await self.order(side, self.match.codec.decode(data), player=player, order_id=order_id)]

    def check_seat(self, side: Side, player: str) -> None:
        """Refuse whoever does not hold the seat of a side."""
        if side not in self.seats:
            raise BadInput.one("side", " or ".join(self.seats), side)
        if self.seats[side] != player:
            held = self.seats[side] or "nobody"
            raise Refused("", text("the {side} seat is held by {held}, not by {player}", side=side, held=held, player=player))

    async def order(self, side: Side, order: Order | None, *, player: str, order_id: str) -> Entry:
        """Run both passes; the pending record is durable before its links are used, the entry before it is returned."""
        if self.match.log.pending is not None:
            await self._finish("")  # a fault that was mended meanwhile lets the waiting order through first
        proposed = self.match.propose(side, order, player=player)
        if isinstance(proposed, Pending):
            faultpoints.reach("before pending")
            await asyncio.wrap_future(self.store.add_pending(self.stored.game, proposed, order_id=order_id))
            faultpoints.reach("after pending")
            self.match.hold(proposed)
            return await self._finish(order_id)
        entry, decided = proposed
        faultpoints.reach("before entry")
        await asyncio.wrap_future(self.store.add_entry(self.stored.game, entry, order_id=order_id))
        self.match.accept(entry, decided)
        self._answered(order_id, entry)
        return entry

    async def _finish(self, order_id: str) -> Entry:
        pending = self.match.log.pending
        assert pending is not None, "nothing is pending"
        entry, decided = self.match.finish({"server": self.chain.link(pending.k)})
        faultpoints.reach("before entry")
        await asyncio.wrap_future(self.store.add_entry(self.stored.game, entry, order_id=order_id))
        faultpoints.reach("after entry")
        self.match.accept(entry, decided)
        self._answered(order_id, entry)
        return entry

    def _answered(self, order_id: str, entry: Entry) -> None:
        if order_id:
            self.orders[order_id] = entry.number

    # ---------------------------------------------------------------- table acts

    async def act(self, act: AnyAct, *, side: Side = "", player: str = "") -> Entry:
        """Write a table act down and carry it out."""
        entry = self.match.act(act, side=side, player=player)
        await asyncio.wrap_future(self.store.add_entry(self.stored.game, entry))
        self.match.accept_act(entry)
        self._note(entry)
        return entry

    async def take_seat(self, side: Side, player: str) -> list[Entry]:
        """Give a free seat to a player.

        Raises:
            BadInput: no such side. Refused: somebody else holds it.
        """
        if side not in self.seats:
            raise BadInput.one("side", " or ".join(self.seats), side)
        if self.seats[side] == player:
            return []
        if self.seats[side]:
            raise Refused("", text("the {side} seat is held by {held}", side=side, held=self.seats[side]))
        return [await self.act(Seat(side, player), side=side, player=player)]

    async def leave_seat(self, side: Side, player: str) -> list[Entry]:
        """Free a seat; Refused if the player doesn't hold it."""
        self.check_seat(side, player)
        return [await self.act(Seat(side, ""), side=side, player=player)]

    async def ask_rewind(self, side: Side, to: int, player: str) -> list[Entry]:
        """Rewind at once where that is free, or where one player holds all seats; else offer it to the others."""
        self.check_seat(side, player)
        alone = all(holder in ("", player) for holder in self.seats.values())
        if alone or self.match.log.undo_is_free(to, side):
            return [await self.act(Rewind(to), side=side, player=player)]
        self.match.act(Rewind(to), side=side, player=player)  # refuses what could never be done
        return [await self.act(Offer("rewind", to), side=side, player=player)]

    async def answer(self, side: Side, offer: int, *, yes: bool, player: str) -> list[Entry]:
        """Answer an offer of the other side, and carry it out if the answer is yes.

        Raises:
            Refused: there is no such open offer of the other side.
        """
        self.check_seat(side, player)
        entries = self.match.log.entries
        asked = entries[offer] if 0 <= offer < len(entries) else None
        answered = {entry.act.offer for entry in entries if isinstance(entry.act, Consent)}
        if asked is None or not isinstance(asked.act, Offer) or asked.side == side or offer in answered:
            raise Refused("", text("entry {offer} is no open offer of the other side", offer=offer))
        new = [await self.act(Consent(offer, yes), side=side, player=player)]
        if yes and asked.act.what == "rewind":
            new.append(await self.act(Rewind(asked.act.to), side=asked.side, player=asked.player))
        return new

    async def resign(self, side: Side, player: str) -> list[Entry]:
        """Write down that a side gives up."""
        self.check_seat(side, player)
        return [await self.act(Resign(side), side=side, player=player)]

    # ---------------------------------------------------------------- for lists

    def line(self) -> GameLine:
        """Return the game's line in the lobby."""
        view, head = self.match.view, self.stored.head
        return GameLine(
            self.stored.game, head.ruleset, head.scenario, dict(self.seats), view.side_to_act(), view.position.turn,
            view.position.phase, len(self.match.log.entries) - 1, view.position.outcome is not None,
        )

    @property
    def head(self) -> Head:
        """Return the head of the game's file."""
        return self.stored.head

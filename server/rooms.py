"""One game on the server: a match whose entries are durable before anybody hears of them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial

from core.dice import Chain
from core.errors import BadInput, Refused
from core.gamefile import SALT_BYTES, Head, began_so, first_salt
from core.hidden import OPEN
from core.identity import Identity, PublicKey, fingerprint, verify, waiting_message
from core.log import ROOT, AnyAct, Entry, Log, Pending
from core.match import Clock, Match
from core.orders import Order, units_of
from core.pack import Pack
from core.protocol import ORDER_WAITS, AnswerAhead, Give, LinkWanted
from core.rulesets import load
from core.setting import Setting
from core.table_rules import Moment, permit_order
from core.terms import Terms, check
from core.text import text
from core.units import Side, UnitId
from core.witnesses import SERVER, WITNESSED
from server import faultpoints, steady
from server.chains import LINKS, made_chain, signed_head, takeover
from server.gathering import Gathering
from server.settings import Settings
from server.store.contract import Standing, Store, StoredGame
from server.store.durable import durable
from server.turns import FairLock
from server.viewers import Viewers


def _nothing() -> None:
    return None


def _units(order: Order) -> Iterator[UnitId]:
    yield from units_of(order)  # asked for only where a seat has limits


def _pack(store: Store, digest: str) -> Pack:
    """Return a pack of the store; BadInput if it is another than it was: a disk lost some of it, or somebody changed it."""
    pack = Pack(store.pack(digest))
    if pack.digest != digest:
        raise BadInput.one("pack in the store", f"files of hash {digest[:12]}…", f"others, of hash {pack.digest[:12]}…")
    return pack


def new_salt() -> bytes:
    """Return fresh random bytes for an entry."""
    return secrets.token_bytes(SALT_BYTES)


def _salt_after(log: Log, head: Head) -> bytes:
    """Return the salt of a log's next entry; the first one's holds all that follow to the terms."""
    return new_salt() if log.entries else first_salt(new_salt(), head)


def _time_after(log: Log, ahead_ms: int) -> int:
    """Return the time for a log's next entry: never before the last one's.

    Where a server before this one had a later clock, by *ahead_ms*, the game's time goes on from there: if it stood still until this
    machine's clock had caught up, somebody could think for nothing.
    """
    return max(steady.now_ms() + ahead_ms, log.entries[-1].time_ms if log.entries else 0)


class Room:
    """A game with its store.

    Attributes:
        match: the game.
        now_ms: returns the time for its next entry.
        viewers: who may see what of it.
        orders: entry number by order id.
        gathering: the order that waits for links, None while none does.
        dropped: the order that waited when the table ended the game: nobody is asked for its links any more. Its record stays in store and
            log, so that all know of it, and that its number is spent.
        answers: those given ahead, by side and decision; None until they are read (`server.standing`).
        users: how many are at something with it that needs it to stay in memory.
        stirred: called when entries were published: whoever tends the game looks after it (`server.tending`).
    """

    def __init__(self, store: Store, stored: StoredGame, chosen: Setting, log: Log, *, keeper: Identity) -> None:
        self.store = store
        self.stored = stored
        self.keeper = keeper
        head = stored.head
        ahead_ms = max(0, log.entries[-1].time_ms - steady.now_ms()) if log.entries else 0
        self.now_ms: Clock = partial(_time_after, log, ahead_ms)  # bound to the log, not to the room: that would be a reference cycle
        self.match = Match(
            chosen, game=stored.game, chains=head.chains, clock=self.now_ms, salt=partial(_salt_after, log, head), log=log,
            terms=head.terms, keeper=head.keeper, signs_undo=head.signs_undo, table_version=head.table,
        )
        self.match.kept_by = keeper
        self.viewers = Viewers(self.match)
        self.gathering: Gathering | None = None
        self.dropped: Gathering | None = None
        self.orders = store.orders(stored.game)
        self.lock = FairLock()
        self.answers: dict[tuple[Side, str], Standing] | None = None
        self.users = 0
        self.stirred: Callable[[], None] = _nothing
        self._chain: Chain | None = None

    async def own_chain(self) -> Chain:
        """Return the server's own chain: the one that an entry published last, else that of the head."""
        if self._chain is None:
            seeds = self.store.seeds(self.stored.game)
            seed = seeds[max(seeds)] if seeds else self.stored.seed
            self._chain = await made_chain(seed, self.match.witnesses.chains[SERVER].links)
        return self._chain

    @cached_property
    def is_record(self) -> bool:
        """Whether the game is only kept: it came here when it was over, without the secret of its dice."""
        return not self.stored.seed and not self.store.seeds(self.stored.game)

    @property
    def keeper_key(self) -> str:
        """Return the key of the server that keeps the log, as the log knows it; empty where none signs."""
        return self.match.witnesses.keeper or self.head.keeper.key

    @property
    def is_anothers(self) -> bool:
        """Whether a server with another key has kept the log up to here: players show this one no links."""
        return self.keeper_key not in ("", self.keeper.key)

    @property
    def is_busy(self) -> bool:
        """Say whether the game must stay in memory: an order waits for links, or somebody is at something with it."""
        return bool(self.users) or self.gathering is not None or self.lock.locked()

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the game in memory meanwhile."""
        self.users += 1
        try:
            yield
        finally:
            self.users -= 1

    # ---------------------------------------------------------------- making and resuming

    @classmethod
    async def create(
        cls, store: Store, game: str, pack: Pack, scenario: str, options: Mapping[str, bool | int | str], *,
        settings: Settings, keeper: Identity, terms: Terms | None = None,
    ) -> Room:
        """Write a new game down; `begin_if_possible` sets it up.

        Args:
            settings: those that other games have.
            keeper: the server's key.

        Raises:
            BadInput: unknown scenario or option, or terms that don't fit the game.
        """
        agreed = terms or Terms()
        ruleset = await asyncio.to_thread(load, pack.manifest.ruleset)  # the first time that takes as long as the setting
        chosen = await settings.made(ruleset, pack, scenario, options, dice=agreed.dice.kind)
        check(agreed, chosen.sides)
        if chosen.ruleset.secrets and agreed.dice.kind == WITNESSED:
            wanted = "server, as whoever witnesses dice is shown the order, and this game has secrets"
            raise BadInput.one("terms: dice: kind", wanted, WITNESSED)
        seed = secrets.token_bytes(32)
        chain = await made_chain(seed, LINKS)
        stored = StoredGame(game, pack.digest, signed_head(chosen, game, chain, agreed, keeper), seed)
        room = cls(store, stored, chosen, Log(), keeper=keeper)
        room._chain = chain
        await durable(store.add_pack(pack.digest, pack.files))
        await durable(store.add_game(stored, steady.now_ms()))
        faultpoints.reach("game without entries")
        return room

    @classmethod
    def read(cls, store: Store, stored: StoredGame, *, settings: Settings, keeper: Identity) -> Room:
        """Read a game up to where its log ends; the order that was waiting for chance waits on.

        Args:
            settings: those that other games have.
            keeper: the server's key.

        Raises:
            BadInput: the stored game can't be read. ValueError: its log or its terms were altered.
        """
        head = stored.head
        chosen = settings.of(load(head.ruleset), head, stored.pack, lambda: _pack(store, stored.pack))
        log = Log()
        for entry in store.entries(stored.game):
            log.add(entry)
        if log.entries and not began_so(log.entries[0], head):
            raise ValueError("its first entry was written under other terms")
        waiting = [(pending, order_id) for pending, order_id in store.pending(stored.game) if pending.k > log.k]
        room = cls(store, stored, chosen, log, keeper=keeper)
        if waiting:
            pending, order_id = waiting[-1]
            room.match.hold(pending)
            room.gathering = Gathering(pending, order_id)
            room._drop_if_ended()
            if room.dropped is not None:
                room.dropped.is_told = True  # when it was
        return room

    @classmethod
    async def resume(cls, store: Store, stored: StoredGame, *, settings: Settings, keeper: Identity) -> Room:
        """Read a game and go on where it ended: an order that waited for chance is finished, unless a player's link is missing."""
        room = cls.read(store, stored, settings=settings, keeper=keeper)
        await room.settle()
        await room.begin_if_possible()
        return room

    async def begin_if_possible(self) -> list[Entry]:
        """Set the game up, unless that has happened or its dice wait for witnesses; return the new entries."""
        if self.match.log.head != ROOT or self.gathering is not None or self.match.table.ended is not None:
            return []
        try:
            return await self.order("", None, player="", order_id="")
        except Refused:
            return []

    # ---------------------------------------------------------------- what moves the game

    def viewer(self, player: str) -> Side:
        """Return as which viewer a player sees the game by the seats that he holds (`server.viewers`)."""
        if not self.viewers.hides:
            return OPEN
        return self.viewers.viewer(self.match.table.sides_of(player), over=self.match.table.ended is not None)

    @property
    def seq(self) -> int:
        """Return the last entry that moved the game."""
        return self.match.log.moved_at

    async def give(self, frame: Give, *, player: str, key: PublicKey) -> list[Entry]:
        """Decide a player's order; return the new entries: none if this id was answered before, or if links are asked for now.

        Args:
            key: by which he signs, unless he sat down under another.

        Raises:
            Refused, BadInput: nothing has changed.
        """
        if self.answer_to(frame.order_id, player) is not None or self.is_waiting(frame.order_id):
            return []
        order = self.match.codec.decode(frame.order)
        moment = self.moment()
        if (fall := moment.table.next_fall()) is not None and fall.at_ms <= moment.now_ms:
            self.stirred()  # the flag is written as soon as the room is free
        permit_order(moment, frame.side, player, _units(order))
        viewer = self.viewer(player)
        self.viewers.check_is_present(viewer, frame.seq)
        signed = self.viewers.order_bytes(viewer, frame.side, frame.order)  # at this moment of this very game
        self.check_signature(frame, order, signed, player=player, key=self.match.witnesses.key(player) or key)
        return await self.order(frame.side, order, player=player, order_id=frame.order_id, signature=frame.signature)

    def check_signature(self, frame: Give | AnswerAhead, order: Order, signed: bytes, *, player: str, key: PublicKey) -> None:
        """Refuse a frame whose order is in another form than the one that is kept, or not signed by a player's key, as *signed* says."""
        if self.match.codec.encode(order) != frame.order:
            raise BadInput.one("order", "an order in the one form that can be signed: sets sorted, nothing left out", frame.order.hex())
        if not verify(key, signed, frame.signature):
            raise Refused("", text("the order is not signed by the key of {player}", player=player))

    async def order(
        self, side: Side, order: Order | None, *, player: str, order_id: str, signature: bytes = b""
    ) -> list[Entry]:
        """Run pass 1, and pass 2 if no player's link is needed; return the new entries, none if links are asked for now.

        The pending record is durable before any link is used or asked for, the entry before it is returned.
        """
        if self.gathering is not None and self.is_anothers:
            words = ORDER_WAITS + ", and only the server with the key {key} can throw them, which began to"
            raise Refused("", text(words, key=fingerprint(self.keeper_key)))
        if self.gathering is not None:
            names = ", ".join(self.missing()) or "the server"
            raise Refused("", text(ORDER_WAITS + ", and they wait for {names}", names=names))
        proposed, new = self.match.propose(side, order, player=player, signature=signature), list[Entry]()
        if isinstance(proposed, Pending) and self.is_record:
            raise Refused("", text("the game came here when it was over: no dice can be thrown for it"))
        if isinstance(proposed, Pending) and self._needs_chain(proposed.k):
            new = [await self.take_over()]
            proposed = self.match.propose(side, order, player=player, signature=signature)
        if isinstance(proposed, Pending):
            faultpoints.reach("before pending")
            await durable(self.store.add_pending(self.stored.game, proposed, order_id=order_id))
            faultpoints.reach("after pending")
            self.match.hold(proposed)
            self.gathering = Gathering(proposed, order_id)
            finished = await self.settle()
            return new if finished is None else [*new, finished]
        entry, decided = proposed
        faultpoints.reach("before entry")
        await durable(self.store.add_entry(self.stored.game, entry, order_id=order_id))
        self.match.accept(entry, decided)
        self._answered(order_id, entry)
        return [entry]

    def _needs_chain(self, k: int) -> bool:
        """Say whether the dice of a number need a new chain: this one is used up, or the game was over when its server got another key."""
        return self.is_anothers or k > self.match.witnesses.chains[SERVER].links

    def missing(self) -> list[str]:
        """Return the players whose links the waiting order still needs."""
        if self.gathering is None:
            return []
        return [name for name in self.match.wanted(self.gathering.pending) if name != SERVER and name not in self.gathering.shown]

    def link_wanted(self) -> LinkWanted:
        """Return what asks for links against the record of the waiting order."""
        assert self.gathering is not None, "nothing waits"
        pending = self.gathering.pending
        message = waiting_message(self.match.game, pending.k, self.gathering.digest)
        return LinkWanted(self.match.game, pending, self.keeper.sign(message))

    async def settle(self) -> Entry | None:
        """Run pass 2 of the waiting order if no link is missing; return its entry. A fault in it leaves the order waiting."""
        gathering = self.gathering
        if gathering is None or self.missing():
            return None
        faultpoints.reach("pending with its links")
        pending = gathering.pending
        chain = await self.own_chain()
        shown = {SERVER: chain.link(pending.k), **gathering.shown}
        entry, decided = self.match.finish({name: shown[name] for name in self.match.wanted(pending)})
        faultpoints.reach("before entry")
        await durable(self.store.add_entry(self.stored.game, entry, order_id=gathering.order_id))
        faultpoints.reach("after entry")
        self.gathering = None
        self.match.accept(entry, decided)
        self._answered(gathering.order_id, entry)
        return entry

    def answer_to(self, order_id: str, player: str) -> int | None:
        """Return the entry that answered a player's order or act of this id, None if none has.

        Raises:
            Refused: it was somebody else's, and answers nobody else.
        """
        number = self.orders.get(order_id)
        waits = self.gathering.pending.player if self.is_waiting(order_id) and self.gathering is not None else player
        if waits != player or (number is not None and self.match.log.entries[number].player != player):
            raise Refused("", text("what has the id {id} was sent by somebody else", id=order_id))
        return number

    def is_waiting(self, order_id: str) -> bool:
        """Say whether the order that waits for its dice has this id."""
        return bool(order_id) and self.gathering is not None and self.gathering.order_id == order_id

    def _answered(self, order_id: str, entry: Entry) -> None:
        if order_id:
            self.orders[order_id] = entry.number

    # ---------------------------------------------------------------- table acts

    async def act(self, act: AnyAct, *, side: Side = "", player: str = "") -> Entry:
        """Write down a table act that needs no signature, and carry it out; whether it is allowed was asked before (`server.table`)."""
        return await self.append(self.match.act(act, side=side, player=player))

    async def append(self, entry: Entry, *, order_id: str = "") -> Entry:
        """Write down the sealed entry of a table act, and carry it out.

        Raises:
            Refused: its id is that of the order which waits for its dice: an id is written down once, and the order could never be.
        """
        if self.is_waiting(order_id):
            raise Refused("", text("an order with the id {id} waits for its dice", id=order_id))
        faultpoints.reach("before act")
        await durable(self.store.add_entry(self.stored.game, entry, order_id=order_id))
        faultpoints.reach("after act")
        self.match.accept_act(entry)
        self._answered(order_id, entry)
        self._drop_if_ended()
        return entry

    def _drop_if_ended(self) -> None:
        """Let the order that waits for links wait no more, if the table has ended the game: by the log, so a restart does the same."""
        if self.gathering is None or self.match.table.ended is None:
            return
        if self.gathering.timer is not None:
            self.gathering.timer.cancel()
        self.gathering, self.dropped = None, self.gathering

    def permit_way_back(self) -> None:
        """Refuse to go back behind an end at which an order was dropped.

        Whoever has all links knows its dice, if only this server. And players witness no other order under its number, as none of their
        links may ever decide two.
        """
        if self.dropped is not None:
            words = "an order waited for its dice when the game ended; nobody goes back behind that, as they may be known"
            raise Refused("", text(words))

    async def take_over(self) -> Entry:
        """Go on with a new dice chain, as the old one may be known, or has no more links; no order may be waiting."""
        entry, seed = takeover(self.match, self.keeper)
        await durable(self.store.add_entry(self.stored.game, entry, seed=seed))
        self.match.accept_act(entry)
        self._chain = None
        self.__dict__.pop("is_record", None)
        return entry

    def moment(self) -> Moment:
        """Return the table as it stands now, for `core.table_rules`."""
        now = self.now_ms()
        return Moment(self.match.table, self.match.log, self.match.view.position.outcome is not None, now, self.is_given_up(now))

    def is_given_up(self, now: int) -> bool:
        """Say whether all for whose links the order waits have had their time."""
        gathering, wait_ms = self.gathering, self.match.terms.dice.wait_ms
        if gathering is None or gathering.asked_ms is None or now < gathering.asked_ms + wait_ms:
            return False
        return self.match.witnesses.is_given_up(gathering.pending.k, now_ms=now, wait_ms=wait_ms)

    @property
    def head(self) -> Head:
        """Return the head of the game's file."""
        return self.stored.head

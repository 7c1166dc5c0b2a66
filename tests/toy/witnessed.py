"""A witnessed game without sockets: a host who keeps the log, and the programs of players who follow it."""

from __future__ import annotations

import random
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import msgspec

from client.connection.fouls import Foul
from client.connection.left_out import LeftOut
from client.connection.shown import Memory
from client.connection.witness import Witness
from core import protocol
from core.bots.random_bot import choose
from core.dice import Chain, ChainEnd, Keeper
from core.gamefile import SALT_BYTES, GameFile, Head, agreement, first_salt, new_head, open_match, read, write
from core.identity import Identity, chain_message, seat_signature, waiting_message
from core.log import AnyAct, ChainPublished, Consent, Entry, Fallback, Late, Log, Offer, Pending, Rewind, Seat
from core.match import Match
from core.orders import Order, name_of
from core.ruleset import Ruleset
from core.setting import Setting
from core.signed import fallback_signature, moment_message, order_bytes
from core.table import VERSION
from core.terms import DiceTerms, SeatTerms, Terms
from core.trials.verify import Report, verify
from core.units import Side
from core.witnesses import SERVER
from tests.toy.ruleset import RULESET, toy_files, toy_setting

SERVER_KEY = Identity(b"s" * 32)
SIDES = {"red": "Anna", "blue": "Boris"}
WAIT_MS = 60_000


def key_of(name: str) -> Identity:
    """Return a player's identity."""
    return Identity(name.encode().ljust(32, b"."))


def seated_by(signer: Identity, act: Seat, *, number: int, server: Identity = SERVER_KEY) -> bytes:
    """Return the signature of somebody who sits down in the game of a server, for the one time that the number tells."""
    return seat_signature(signer, "duel", server.key, act.side, act.seat, number=number)


def toy(name: str) -> Ruleset:
    return RULESET


def witnessed_head(
    setting: Setting, seed: bytes, *, seats: tuple[SeatTerms, ...] = (), terms: Terms | None = None, table: int = VERSION
) -> Head:
    """Return the head of a game with witnessed dice, its server's chain signed."""
    end = ChainEnd(SERVER, Chain(seed, links=1000).end, 1000)
    terms = terms or Terms(seats=seats, dice=DiceTerms("witnessed", WAIT_MS))
    bare = new_head(setting, "duel", (end,), terms=terms, keeper=Keeper(SERVER_KEY.key), signs_undo=True, table=table)
    signature = SERVER_KEY.sign(chain_message("duel", agreement(bare), end.end, end.links))
    return msgspec.structs.replace(bare, keeper=Keeper(SERVER_KEY.key, signature))


def salt_after(log: Log, head: Head) -> bytes:
    """Return the salt of a log's next entry: that of the first one holds all to what the head says."""
    return b"" if log.entries else first_salt(bytes(SALT_BYTES), head)


class Program:
    """What a player runs: it follows the game, witnesses, and remembers in *memory*.

    Attributes:
        sent: frames that the host has not taken yet.
        fouls: what it found wrong with the host.
        left_out: what it told of that was decided without its player.
        troubles: what went wrong in it.
    """

    def __init__(
        self, name: str, head: Head, *, ruleset: Ruleset = RULESET, file: Path | None = None, identity: Identity | None = None
    ) -> None:
        self.name, self.head, self.ruleset = name, head, ruleset
        self.identity = identity or key_of(name)
        self.memory = Memory(file)
        self.sent: list[protocol.Frame] = []
        self.fouls: list[Foul] = []
        self.left_out: list[LeftOut] = []
        self.troubles: list[str] = []
        self.restart()

    def restart(self) -> None:
        """Start the program anew: it knows what is on its disk, and no more."""
        self.sent.clear()
        self.match = open_match(GameFile(self.head, toy_files(), (), None), clock=lambda: 0, load=lambda name: self.ruleset)
        self.witness = Witness(
            self.identity, self.name, self.head, self.memory, send=self.sent.append, tell=self._note, trouble=self.troubles.append
        )

    def _note(self, note: Foul | LeftOut) -> None:
        if isinstance(note, Foul):
            self.fouls.append(note)
        else:
            self.left_out.append(note)

    def hear(self, entries: Iterable[Entry], *, live: bool = True) -> None:
        """Take in new entries."""
        for entry in entries:
            self.witness.watch(self.match, entry, live=live)
            self.match.accept_foreign(entry)
        self.witness.catch_up(self.match)

    def links(self) -> list[protocol.ShowLink]:
        """Return the links that were sent, and forget what was sent."""
        found = [frame for frame in self.sent if isinstance(frame, protocol.ShowLink)]
        self.sent.clear()
        return found


class Host:
    """Keeps the log, honestly; a hostile one is made of its parts.

    Attributes:
        programs: the players' programs that follow, by name.
        others: by which keys, other than their first ones, players sit down.
    """

    def __init__(
        self, *, seed: bytes = b"c" * 32, setting: Setting | None = None, seats: tuple[SeatTerms, ...] = (), terms: Terms | None = None,
        table: int = VERSION,
    ) -> None:
        self.setting = setting or toy_setting()
        self.chain = Chain(seed, links=1000)
        self.head = witnessed_head(self.setting, seed, seats=seats, terms=terms, table=table)
        self.key = SERVER_KEY
        self.now_ms = 0
        self.programs: dict[str, Program] = {}
        self.pending: Pending | None = None
        self.others: dict[str, Identity] = {}
        self.match = self._new_match(Log())

    def _new_match(self, log: Log) -> Match:
        setting = msgspec.structs.replace(self.setting, dice="witnessed")
        return Match(
            setting, game="duel", chains=self.head.chains, clock=lambda: self.now_ms, log=log,
            salt=partial(salt_after, log, self.head), terms=self.head.terms, keeper=self.head.keeper, table_version=self.head.table,
        )

    def restart(self) -> None:
        """Start anew from what is on disk: entries and the pending record."""
        log = Log()
        for entry in self.match.log.entries:
            log.add(entry)
        self.match = self._new_match(log)
        if self.pending is not None:
            self.match.hold(self.pending)

    def tell(self, *entries: Entry) -> None:
        """Send new entries to all who follow."""
        for program in self.programs.values():
            program.hear(entries)

    # ---------------------------------------------------------------- the table

    def begin(self) -> None:
        """Set the game up."""
        entry, decided = self.match.propose("", None)  # type: ignore[misc]
        self.match.accept(entry, decided)
        self.tell(entry)

    def sit(self, side: str, name: str, seat: str = "", *, publishes: bool = True) -> Program:
        """Seat a player; his program follows from now on and publishes its chain."""
        if name not in self.programs:
            self.programs[name] = Program(name, self.head, ruleset=self.setting.ruleset)
            self.programs[name].hear(self.match.log.entries)
        self.act(Seat(side, name, seat, key=key_of(name).key), side=side, player=name)
        if publishes:
            self.take_chains()
        return self.programs[name]

    def leave(self, side: Side) -> None:
        """Have a side's player leave his seat, and let others sit there."""
        player = self.holder(side)
        self.act(Seat(side, ""), side=side, player=player)
        if self.match.table.chairs[side, ""].kept_for:
            self.act(Seat(side, ""), side=side, player=player)

    def take_chains(self) -> None:
        """Write down the chains that were published."""
        for name, program in self.programs.items():
            for frame in [frame for frame in program.sent if isinstance(frame, protocol.PublishChain)]:
                program.sent.remove(frame)
                self.act(ChainPublished(name, frame.end, frame.links), player=name, signature=frame.signature)

    def act(self, act: AnyAct, *, side: str = "", player: str = "", signature: bytes = b"") -> Entry:
        """Write down a table act, signed by its player if no signature is given; who is late is so for the order that waits."""
        if isinstance(act, Late) and not act.came and self.match.witnesses.names_records:
            act = msgspec.structs.replace(act, waits=act.waits or self.pending)
        if isinstance(act, Seat) and act.player and act.player == player and not signature:
            signature = seated_by(self.others.get(act.key, key_of(player)), act, number=len(self.match.log), server=self.key)
        elif player and not signature and len(self.match.log):
            message = moment_message(self.match.witnesses, act, player)
            signature = key_of(player).sign(message("duel", self.match.log.last_hash, side, act))
        entry = self.match.act(act, side=side, player=player, signature=signature)
        self.match.accept_act(entry)
        self.tell(entry)
        return entry

    def rewind(self, to: int, *, asks: str = "red", agrees: str = "blue") -> None:
        """Go back, as the other side agrees."""
        offer = self.act(Offer("rewind", to), side=asks, player=self.holder(asks))
        self.act(Consent(offer.number, True), side=agrees, player=self.holder(agrees))
        self.act(Rewind(to), side=asks, player=self.holder(asks))

    def holder(self, side: str) -> str:
        """Return who plays a side: who leads it, if anybody does."""
        return next(holder for (held, _), holder in sorted(self.match.witnesses.holders.items()) if held == side)

    # ---------------------------------------------------------------- orders

    def propose(self, order: Order, player: str = "") -> Pending | None:
        """Give an order for the side to act, signed by its first player; return the record if it needs dice, None if it is an entry.

        Args:
            player: another one who gives it.
        """
        side = self.match.view.side_to_act()
        player = player or self.holder(side)
        data = self.match.codec.encode(order)
        signature = key_of(player).sign(order_bytes(self.match.log, "duel", side, data))
        found = self.match.propose(side, order, player=player, signature=signature)
        if not isinstance(found, Pending):
            self.match.accept(*found)
            self.tell(found[0])
            return None
        self.pending = found
        self.match.hold(found)
        return found

    def wanted(self, pending: Pending) -> protocol.LinkWanted:
        """Return the request for links against a record, signed by the server."""
        return protocol.LinkWanted("duel", pending, self.key.sign(waiting_message("duel", pending.k, pending.digest())))

    def ask(self, name: str, pending: Pending) -> protocol.ShowLink | None:
        """Ask a player's program for its link; return what it shows, None if it shows nothing."""
        program = self.programs[name]
        program.witness.answer(program.match, self.wanted(pending))
        return next(iter(program.links()), None)

    def gather(self, pending: Pending, *, absent: Iterable[str] = ()) -> dict[str, bytes]:
        """Ask everybody but the absent."""
        found = {SERVER: self.chain.link(pending.k)}
        for name in self.match.wanted(pending):
            shown = self.ask(name, pending) if name != SERVER and name not in absent else None
            if shown is not None:
                found[name] = shown.link + shown.signature
        return found

    def finish(self, links: dict[str, bytes]) -> Entry:
        """Run pass 2 and tell the result."""
        entry, decided = self.match.finish(links)
        self.match.accept(entry, decided)
        self.pending = None
        self.tell(entry)
        return entry

    def order(self, order: Order) -> Entry:
        """Give an order and see it through."""
        pending = self.propose(order)
        return self.match.log.entries[-1] if pending is None else self.finish(self.gather(pending))

    def strike(self, rng: object, *, orders: int = 200) -> Order:
        """Play at random until the next choice is a strike, which needs a die; return it, not given yet."""
        for _ in range(orders):
            order = choose(self.match.view, rng)  # type: ignore[arg-type]
            if name_of(order) == "strike":
                return order
            self.order(order)
        raise AssertionError("no strike in a whole game")

    def waiting(self, seed: int = 1) -> Pending:
        """Play at random until an order waits for its dice; return its record."""
        pending = self.propose(self.strike(random.Random(seed)))
        assert pending is not None, "a strike without dice"
        return pending

    def give_up_on(self, participant: str, pending: Pending, choice: str, *, waits_ms: int = WAIT_MS) -> Entry:
        """Let a participant's time go by, and another side choose."""
        self.act(Late(participant, pending.k, 0))
        self.now_ms += waits_ms
        chooser = next(name for name in self.match.witnesses.seated if self.match.witnesses.may_choose(name, participant))
        return self.chooses(chooser, min(self.match.witnesses.sides_of(chooser)), participant, pending, choice)

    def chooses(self, player: str, side: Side, participant: str, pending: Pending, choice: str, *, signer: str = "") -> Entry:
        """Write down what somebody chose for a side about a participant's link, signed by himself if nothing else is said."""
        act = Fallback(participant, pending.k, choice, pending.digest())
        sign = key_of(signer or player).sign
        signature = fallback_signature(self.match.witnesses, sign, "duel", act, number=len(self.match.log))
        return self.act(act, side=side, player=player, signature=signature)

    # ---------------------------------------------------------------- afterwards

    def file(self) -> GameFile:
        """Return the game as its file is read back."""
        return read(write(self.head, toy_files(), self.match.log))

    def report(self) -> Report:
        """Verify the file."""
        return verify(self.file(), load=toy)


def seated(*, terms: Terms | None = None, table: int = VERSION) -> Host:
    """Return a game at its start, with Anna at red and Boris at blue."""
    host = Host(terms=terms, table=table)
    host.begin()
    for side, name in SIDES.items():
        host.sit(side, name)
    return host


def rolled(host: Host, seed: int = 1) -> Entry:
    """Play to the first strike and return its entry."""
    return host.order(host.strike(random.Random(seed)))

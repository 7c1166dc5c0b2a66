"""A player's part in witnessed dice: it publishes his chain, shows its links when asked, and watches that the server keeps to its word.

Before a link is shown, the record that it is asked for must follow the entries that are known here, bear the order of whoever holds the
side, signed by him, and the next number; and no link of this number was ever shown against another record. After it was shown, nothing but
that very order may move the game, with the dice that all links lead to. What does not hold is a `Foul`: told, with the evidence kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from client.connection.shown import Memory, Shown
from client.writing import write_whole
from core import identity, protocol
from core.dice import Chain, Stream, seed
from core.errors import BadInput, Refused
from core.game import Dice, NeedsDice, StopDice, begin, decide
from core.gamefile import Head, agreement
from core.log import ROOT, ChainPublished, Entry, Fallback, Late, Pending, Seat
from core.match import Match
from core.text import Text, text
from core.witnesses import UNWITNESSED, WITNESSED, links_alone

LINKS = 20_000  # more entries with dice than any game has
Send = Callable[[protocol.Frame], None]
Choice = Literal["wait", "unwitnessed", "claim"]


class Evidence(msgspec.Struct, frozen=True):
    """What a server did and should not have: the game's head, what it asked before and now, or the entry that it wrote."""

    text: str
    head: Head
    shown: Shown | None = None
    asked: protocol.LinkWanted | None = None
    entry: Entry | None = None


class Foul(msgspec.Struct, frozen=True):
    """Something that an honest server does not do; for the player to read. *evidence* names the file that proves it, if one is kept."""

    game: str
    text: Text
    evidence: str = ""

    def __str__(self) -> str:
        return f"{self.text}; what proves it is kept in {self.evidence}" if self.evidence else str(self.text)


class Witness:
    """Witnesses one game.

    Args:
        own: the player's identity.
        name: his name on the server.
        head: what the game is.
        memory: what was shown ever.
        send: sends a frame to the server.
        foul: called with what an honest server does not do.
    """

    def __init__(
        self, own: identity.Identity, name: str, head: Head, memory: Memory, *, send: Send, foul: Callable[[Foul], None]
    ) -> None:
        self.name = name
        self._own, self._head, self._memory = own, head, memory
        self._send, self._tell = send, foul
        self._agreed = agreement(head)
        self._chain: Chain | None = None
        self._published = False
        self._wanted: protocol.LinkWanted | None = None
        self._waits: Pending | None = None
        self._broken = False  # the server went back on what was witnessed: it gets no more links

    @property
    def chain(self) -> Chain:
        """The player's chain for this game: nobody else's, and of no other game, whatever bears its name."""
        if self._chain is None:
            secret = seed(self._own.derived("dice"), f"{self._head.game} {self._agreed.hex()}")
            self._chain = Chain(secret, links=LINKS)
        return self._chain

    # ---------------------------------------------------------------- what is sent

    def begin_anew(self) -> None:
        """After a silence: what was sent may not have come."""
        self._published = False

    def catch_up(self, match: Match) -> None:
        """Publish the chain if a seat is held without one, and answer what could not be answered before."""
        witnesses = match.witnesses
        if witnesses.witnessed and self.name in witnesses.seated and self.name not in witnesses.chains and not self._published:
            self._published = True
            chain = self.chain
            signature = self._own.sign(identity.chain_message(self._head.game, self._agreed, chain.end, chain.links))
            self._send(protocol.PublishChain(self._head.game, chain.end, chain.links, signature))
        if self._wanted is not None:
            self.answer(match, self._wanted)

    def answer(self, match: Match, wanted: protocol.LinkWanted) -> None:
        """Show the link that is asked for, or tell why not; wait if the record's past is not known here yet."""
        pending, self._wanted = wanted.pending, None
        if pending.k <= match.log.k:
            return  # it was decided meanwhile
        if not any(entry.hash == pending.before for entry in match.log.entries) and pending.before != bytes(32):
            self._wanted = wanted
            return
        why = self._doubt(match, wanted)
        if why is not None:
            self._foul(why, asked=wanted)
            return
        self._waits = pending
        first = self._memory.show(self.chain.end, pending, wanted.signature)
        if first.pending != pending:
            what = text("the server asks for the dice of number {k} again, for another order than you witnessed", k=pending.k)
            self._foul(what, shown=first, asked=wanted)
            return
        self._show(pending)

    def _show(self, pending: Pending) -> None:
        link, digest = self.chain.link(pending.k), pending.digest()
        signature = self._own.sign(identity.link_message(self._head.game, pending.k, digest, link))
        self._send(protocol.ShowLink(self._head.game, pending.k, digest, link, signature))

    def choose(self, match: Match, participant: str, choice: Choice) -> None:
        """Choose what shall be, as a participant's link stays away from the order that waits.

        Raises:
            Refused: no order waits for links, as far as is known here.
        """
        waits = self._waits
        if waits is None or waits.k <= match.log.k:
            raise Refused("", text("no order waits for its dice"))
        side = min(match.witnesses.sides_of(self.name) - match.witnesses.sides_of(participant), default="")
        digest = waits.digest()
        signature = self._own.sign(identity.fallback_message(self._head.game, waits.k, digest, participant, choice))
        self._send(protocol.ChooseFallback(self._head.game, side, participant, waits.k, digest, choice, signature))

    # ---------------------------------------------------------------- what is doubted

    def _doubt(self, match: Match, wanted: protocol.LinkWanted) -> Text | None:
        """Return why no link is shown against a record, None if all is well."""
        pending, log = wanted.pending, match.log
        if self._broken:
            return text("no more dice are witnessed here: the server broke its word before")
        message = identity.waiting_message(self._head.game, pending.k, pending.digest())
        if self._head.keeper.key and not identity.verify(self._head.keeper.key, message, wanted.signature):
            return text("the server asks for dice and does not sign for it")
        if pending.k != log.k + 1:
            return text("the server asks for the dice of number {k}, and {next} is the next", k=pending.k, next=log.k + 1)
        if pending.parent != log.head or self._has_moved_since(match, pending.before):
            return text("the server asks for the dice of an order that does not follow the game as it is known here")
        if self.name not in match.wanted(pending):
            return text("the server asks for dice that you don't witness")
        return self._doubt_order(match, pending)

    def _doubt_order(self, match: Match, pending: Pending) -> Text | None:
        if not pending.order:
            return None if match.log.head == ROOT else text("the server asks for the dice of a game that has begun")
        if pending.player not in match.table.holders(pending.side):
            return text("the server asks for the dice of {player}, who does not play {side}", player=pending.player, side=pending.side)
        if not match.witnesses.key(pending.player) or not match.witnesses.signed_order(match.log, pending, match.game):
            return text("the server asks for the dice of an order that {player} did not sign", player=pending.player)
        return None

    @staticmethod
    def _has_moved_since(match: Match, before: bytes) -> bool:
        for entry in reversed(match.log.entries):
            if entry.hash == before:
                return False
            if entry.moves:
                return True
        return before != bytes(32)

    # ---------------------------------------------------------------- what is watched

    def watch(self, match: Match, entry: Entry, *, live: bool) -> None:
        """Look at an entry before it is taken in; tell what should not be.

        Args:
            live: whether it has just happened; its events are then decided again.
        """
        if self._head.terms.dice.kind != WITNESSED:
            return
        for what, shown in self._faults(match, entry, live=live):
            self._broken = self._broken or not isinstance(entry.act, Fallback)
            self._foul(what, shown=shown, entry=entry)
        if isinstance(entry.act, Late) and entry.act.participant == self.name:
            first = self._memory.get(self.chain.end, entry.act.k)
            if first is not None:
                self._show(first.pending)  # it was shown, and may have been lost

    def _faults(self, match: Match, entry: Entry, *, live: bool) -> Iterator[tuple[Text, Shown | None]]:
        act = entry.act
        shown = self._memory.get(self.chain.end, match.log.k + 1) if self.name in match.witnesses.chains else None
        if shown is not None and self._goes_past(match, entry, shown):
            yield text("the server went past the order whose dice you had witnessed"), shown
        elif entry.act is None:
            for what in self._faults_of_order(match, entry, live=live):
                yield what, shown
        if act is not None and not match.witnesses.signed_act(match.log, entry, match.game, hides=False):
            yield text("the server wrote down what {player} did not sign: {act}", player=entry.player, act=type(act).__name__), None
        if isinstance(act, Seat) and act.player == self.name and act.key != self._own.key:
            yield text("the server seated somebody under your name with another key"), None
        if isinstance(act, ChainPublished) and not match.witnesses.signed_chain(entry, game=match.game, agreed=self._agreed):
            yield text("the server wrote down a dice chain that {player} did not publish", player=act.player), None
        if isinstance(act, Fallback):
            if not match.witnesses.signed_fallback(entry, game=match.game):
                yield text("the server wrote down a choice that {player} did not sign", player=entry.player or "nobody"), None
            if act.participant == self.name and act.choice == UNWITNESSED and shown is not None and shown.pending.digest() == act.pending:
                yield text("{player} went on without your link, though you had shown it", player=entry.player), shown

    def _goes_past(self, match: Match, entry: Entry, shown: Shown) -> bool:
        """Say whether an entry takes the place of the one that a link was shown for: its number, or its turn."""
        if not entry.moves or shown.pending == entry.pending_record():
            return False
        return entry.k >= shown.k or not self._has_moved_since(match, shown.pending.before)

    def _faults_of_order(self, match: Match, entry: Entry, *, live: bool) -> Iterator[Text]:
        if entry.order and not match.witnesses.signed_order(match.log, entry, match.game):
            yield text("the server wrote down an order that {player} did not sign", player=entry.player)
        if entry.k:
            try:
                match.check_links(entry.pending_record(), entry.links)
            except BadInput as error:
                yield text("the server used dice that do not fit: {why}", why=str(error))
                return
        if live and entry.parent == match.log.head and not self._follows(match, entry):
            yield text("entry {number} is not what its order and dice lead to", number=entry.number)

    def _follows(self, match: Match, entry: Entry) -> bool:
        """Say whether an entry's events are those that its order and links lead to."""
        dice: Dice = StopDice()
        if entry.k:
            digest = entry.pending_record().digest()
            dice = Stream(links_alone(entry.links), game=match.game, k=entry.k, pending=digest)
        try:
            if not entry.order:
                return begin(match.setting, dice).events == entry.events
            return decide(match.view, entry.side, match.codec.decode(entry.order), dice).events == entry.events
        except (Refused, BadInput, NeedsDice):
            return False

    # ---------------------------------------------------------------- evidence

    def _foul(
        self, what: Text, *, shown: Shown | None = None, asked: protocol.LinkWanted | None = None, entry: Entry | None = None
    ) -> None:
        found = Evidence(str(what), self._head, shown, asked, entry)
        file = self._evidence_file(found)
        if file is not None:
            write_whole(file, msgspec.msgpack.encode(found))
        self._tell(Foul(self._head.game, what, str(file or "")))

    def _evidence_file(self, found: Evidence) -> Path | None:
        """Return where evidence is kept: the same for the same, so that a server that asks on and on fills no disk."""
        if self._memory.file is None:
            return None
        kind = found.asked.pending.digest() if found.asked is not None else found.entry.hash if found.entry is not None else b""
        folder = self._memory.file.parent / "evidence"
        folder.mkdir(exist_ok=True, mode=0o700)
        return folder / f"{self._head.game}-{kind.hex()[:16]}.msgpack"


class Witnessing:
    """All games that one client witnesses on one server.

    Args:
        send: sends a frame to the server.
        foul: called with what an honest server does not do.
    """

    def __init__(self, send: Send, foul: Callable[[Foul], None]) -> None:
        self._send, self._foul = send, foul
        self._own: identity.Identity | None = None
        self._memory: Memory | None = None
        self._file: Path | None = None
        self._name = ""
        self._games: dict[str, Witness] = {}
        self._early: dict[str, protocol.LinkWanted] = {}

    def be(self, own: identity.Identity, file: Path | None) -> None:
        """Witness as this identity, and remember in this file; None: no longer than the process, as the identity."""
        self._own, self._file = own, file

    def known_as(self, name: str) -> None:
        """The server knows us by this name now; what was sent before may not have come."""
        self._name = name
        for witness in self._games.values():
            witness.begin_anew()

    def close(self) -> None:
        """Close the memory."""
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def begin(self, head: Head, match: Match) -> None:
        """Take part in a game, if its dice are witnessed."""
        if head.terms.dice.kind != WITNESSED or self._own is None or head.game in self._games:
            return
        if self._memory is None:
            self._memory = Memory(self._file)
        self._games[head.game] = Witness(self._own, self._name, head, self._memory, send=self._send, foul=self._foul)

    def watch(self, match: Match, entry: Entry, *, live: bool) -> None:
        """Look at an entry before it is taken in."""
        if match.game in self._games:
            self._games[match.game].watch(match, entry, live=live)

    def catch_up(self, match: Match) -> None:
        """After entries came: do what is to be done at the game as it stands."""
        witness = self._games.get(match.game)
        if witness is not None:
            early = self._early.pop(match.game, None)
            if early is not None:
                witness.answer(match, early)
            witness.catch_up(match)

    def answer(self, match: Match | None, wanted: protocol.LinkWanted) -> None:
        """Show a link, or keep the request until the game is open."""
        witness = self._games.get(wanted.game)
        if match is None or witness is None:
            self._early[wanted.game] = wanted
        else:
            witness.answer(match, wanted)

    def choose(self, match: Match, participant: str, choice: Choice) -> None:
        """Choose what shall be about the order that waits for a participant's link."""
        self._games[match.game].choose(match, participant, choice)

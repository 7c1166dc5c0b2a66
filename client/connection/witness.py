"""A player's part in witnessed dice: it publishes his chain, shows its links when asked, and watches that the server keeps to its word.

Before a link is shown, the record that it is asked for must follow the entries that are known here, bear the order of whoever holds the
side, signed by him, and the next number; and no link of this number was ever shown against another record. After it was shown, nothing but
that very order may move the game, with the dice that all links lead to. What does not hold is a `Foul`: told, with the evidence kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from client.connection import hours
from client.connection.fouls import (
    BROKEN,
    JOINED,
    Evidence,
    Foul,
    accepts_draw,
    doubt,
    fault_of_kind,
    fault_of_time,
    faults_of_act,
    faults_of_order,
    faults_of_rewind,
    goes_past,
    has_moved_since,
    not_permitted,
    owner_decides,
    runs_out,
)
from client.connection.hours import Hours, Silence
from client.connection.kept_back import KeptBack
from client.connection.left_out import Knows, LeftOut, hour, in_few, what_was_decided
from client.connection.namesake import SEATED, is_anothers
from client.connection.shown import Memory, Shown
from client.connection.watcher import Behind, decided_again
from client.writing import write_whole
from core import dice, identity, protocol
from core.dice import Chain, seed
from core.errors import Refused
from core.gamefile import Head, agreement
from core.log import Entry, Fallback, Flag, Late, Pending, Rewind, Seat, TakenOver
from core.match import Match
from core.signed import fallback_signature
from core.text import Text, text
from core.witnesses import CLAIM, UNWITNESSED, WAIT, WITNESSED

LINKS = dice.LINKS  # of a new chain: more orders with dice than any game has
MOST_EVIDENCE = 50  # files of one game: whoever breaks his word again and again is known by the first
OLD_LINKS = 20_000  # of those that earlier programs made
UNLESS_LOST = ", unless it was lost as the line was cut or the server stopped"
UNLESS_ON_ITS_WAY = ", unless it was on its way still, or lost as the line was cut or the server stopped"
NAMED_UNASKED = "the server named you late for the dice of number {k} before it asked for your link, unless it was lost"
Send = Callable[[protocol.Frame], None]
Choice = Literal["wait", "unwitnessed", "claim"]


class Witness:
    """Witnesses one game.

    Args:
        own: the player's identity.
        name: his name on the server.
        head: what the game is.
        memory: what was shown ever.
        send: sends a frame to the server.
        tell: called with what an honest server does not do, and with what is decided by our link's absence.
        trouble: called with what goes wrong here.

    Attributes:
        waits: the record for whose dice a link was asked last, and nothing stood against showing it.
        asked_for: the same, also where something stood against it, which was told: its order waits for its dice all the same.
    """

    def __init__(
        self, own: identity.Identity, name: str, head: Head, memory: Memory, *,
        send: Send, tell: Callable[[Foul | LeftOut], None], trouble: Callable[[str], None],
    ) -> None:
        self.name = name
        self.waits: Pending | None = None
        self.asked_for: Pending | None = None
        self._own, self._head, self._memory = own, head, memory
        self._send, self._tell, self._trouble = send, tell, trouble
        self._agreed = agreement(head)
        self._chain: Chain | None = None
        self._links = LINKS
        self._published_at = -1  # the number of dice when the chain was sent last; -1: it was not
        self._wanted: protocol.LinkWanted | None = None
        self._asked = 0  # the last number for which a link was asked for
        self._up_since = hour()
        self._upto: int | None = -1  # the last entry that there was as the game was opened since; None: it was not yet
        self._unasked = 0  # the last one for which its owner was named late, while we were here, though it was not
        self._is_here = False  # since the line came up the game is known up to its last entry
        self._is_asked = False  # what comes now was written since the line came up and we follow the game: we are asked for its links
        self._hours, self._told_time = Hours(), False
        self._silence, self._kept_back = Silence(), KeptBack()
        self._kept_files: int | None = None
        self._past: list[Entry] = []
        self._missed: list[tuple[bytes, Text]] = []  # what was decided without us before the game was opened, by the hashes of its entries
        self._lost_ms: int | None = None  # when it was found that the log lacks what we have shown or known, None: it does not
        self._known = -1  # the last entry that is remembered
        self._broken = False  # the server went back on what was witnessed: it gets no more links

    @property
    def chain(self) -> Chain:
        """The player's chain for this game: nobody else's, and of no other game, whatever bears its name."""
        if self._chain is None:
            # Each length has a secret of its own: the end of a shorter chain would else be a link of a longer one, from which its first
            # ones follow, and a server that hides what was published before could have both.
            length = "" if self._links == OLD_LINKS else f" {self._links}"
            secret = seed(self._own.derived("dice"), f"{self._head.game} {self._agreed.hex()}{length}")
            self._chain = Chain(secret, links=self._links)
        return self._chain

    def _know_length(self, match: Match) -> None:
        """Take note of how long the chain is that was published, before it is made: older programs made shorter ones."""
        if self._chain is None and self._has_published(match):
            self._links = min(match.witnesses.chains[self.name].links, dice.LINKS)

    def _has_published(self, match: Match) -> bool:
        """Say whether the chain under our name is ours: there may be one of somebody who sat there under it with another key."""
        witnesses = match.witnesses
        return self.name in witnesses.chains and witnesses.published_under.get(self.name) == self._own.key

    # ---------------------------------------------------------------- what is sent

    def line_is_up(self, silent_since_ms: int | None) -> None:
        """The line has come up; *silent_since_ms* as of `begin_anew`."""
        self._up_since, self._upto = hour(), None
        self.begin_anew(silent_since_ms)

    def reopens(self, last: int) -> None:
        """The game is opened, up to an entry: first since the line came up, what is new up to there came while it was down."""
        if self._upto is None:
            self._upto = last

    def begin_anew(self, silent_since_ms: int | None = None) -> None:
        """After a silence: what was sent may not have come, and what was asked for may have passed by.

        Args:
            silent_since_ms: when the server was heard last, where the line was down, and we follow the game.
        """
        goes_on = not self._is_here and silent_since_ms is not None
        if not goes_on:
            self._silence.begin_anew(silent_since_ms)
        self._hours.begin_anew()
        self._kept_back.begin_anew()
        self._lost_ms = None
        self._published_at, self._unasked, self._is_here, self._is_asked, self._told_time = -1, 0, False, False, False

    def sees_later(self) -> None:
        """The game is shown later than it is played, the server says; as long as the line is up our links are asked for at once, too.

        So is that of who has left his seat: a server that says this of who has not can't leave him out.
        """
        asked, unasked = self._is_asked, self._unasked
        self.begin_anew()
        self._is_asked, self._unasked = asked, unasked

    def plays(self) -> None:
        """An order that we gave since the line came up, while we follow the game, was written down; what comes now, behind that."""
        self._is_asked = True

    def publish_again(self, match: Match) -> None:
        """The chain that was sent has not come."""
        self._published_at = -1
        self.catch_up(match)

    def heard(self, at_ms: int) -> None:
        """A ping that was sent then was answered, and all of the game that was written before is known: what we sent before has come."""
        self._hours.heard(at_ms)
        self._kept_back.heard(at_ms)

    def look_at_chain(self, match: Match, *, runs: bool) -> None:
        """All of the game is known: tell where our clock runs for want of a chain that the server has; *runs*: clocks do, it says."""
        ours = match.witnesses.sides_of(self.name)
        if (wrong := self._kept_back.fault_of_clock(match, ours, owes=self._is_without_chain(match), runs=runs)) is not None:
            self._foul(wrong)

    def _is_without_chain(self, match: Match) -> bool:
        """Say whether we are to witness, and no chain of ours is written down."""
        return self.name in match.witnesses.witnessing.values() and self.owes_chain(match)

    def was_not_written(self) -> None:
        """The server says that it could not write something of this game down: it may have been our chain."""
        self._kept_back.was_not_written()

    def known_to_its_end(self, match: Match) -> None:
        """The game is known up to the server's last entry: what comes from here on happens while we are here."""
        if not self._is_here:
            self._know_length(match)
            self._lost_ms = hours.now_ms() if self._lacks(match) else None
        self._is_here = self._is_asked = True
        if self._upto is not None:
            self._upto = min(self._upto, len(match.log) - 1)  # a server may have said falsely that there is more

    def look_for_lost(self, match: Match, at_ms: int) -> None:
        """A ping that was sent then is answered: tell of what should be known by now, and remember what is.

        Another program of ours may have shown its link a moment ago, or known more, as this one was sent the game.
        """
        if not self._is_here or (self._lost_ms is not None and self._lost_ms >= at_ms):
            return
        lacks = self._lacks(match) if self._lost_ms is not None else ""
        self._lost_ms = None
        if lacks:
            self._trouble(f"{self._head.game}: {lacks}: it went on from a backup, or was cut back")
        if lacks or (self._has_published(match) and len(match.log) - 1 > self._known):
            self._known = len(match.log) - 1
            self._memory.knows(self._agreed, self._known, match.log.last_hash, anew=bool(lacks))

    def _lacks(self, match: Match) -> str:
        """Return what we have shown, or known, of a game and its log has not; empty if nothing.

        What was known is kept by what the game is: a log may have been cut back behind the entry of our chain, too.
        """
        try:
            last = self._memory.last(self.chain.end) if self._has_published(match) else None
            upto = self._memory.upto(self._agreed)
        except OSError as error:
            self._trouble(f"what was witnessed of {self._head.game} can't be read here: {error}")
            return ""
        if last is not None and last.k > match.log.k and has_moved_since(match, last.pending.before):
            return f"you have shown a link for number {last.k} here, and this log has no order that waited for it"
        if upto is not None and (upto[0] >= len(match.log) or match.hash_of(upto[0]) != upto[1]):
            return f"this program has known it up to entry {upto[0]}, and this log has no such entry"
        return ""

    def catch_up(self, match: Match) -> None:
        """Publish the chain if a seat is held without one, and answer what could not be answered before."""
        self._know_length(match)
        if self.owes_chain(match) and match.log.k > self._published_at:  # while an order waits for its dice it is not written down
            self._published_at = match.log.k
            chain = self.chain
            signature = self._own.sign(identity.chain_message(self._head.game, self._agreed, chain.end, chain.links))
            self._send(protocol.PublishChain(self._head.game, chain.end, chain.links, signature))
            self._kept_back.sent()
        if self._wanted is not None:
            self.answer(match, self._wanted)

    def owes_chain(self, match: Match) -> bool:
        """Say whether a seat is held without a chain of ours, as far as is known here."""
        witnesses = match.witnesses
        sits = self.name in witnesses.seated and witnesses.key(self.name) == self._own.key
        return witnesses.witnessed and sits and not self._has_published(match)

    def answer(self, match: Match, wanted: protocol.LinkWanted) -> None:
        """Show the link that is asked for, or tell why not; wait if the record's past is not known here yet."""
        pending, self._wanted = wanted.pending, None
        self._know_length(match)
        if pending.k <= match.log.k:
            return  # it was decided meanwhile
        if not _knows_past(match, pending):
            self._wanted = wanted
            return
        self.asked_for = pending
        why = BROKEN if self._broken else doubt(match, self._head, wanted, self.name)
        if why is not None:
            self._foul(why, asked=wanted)
            return
        if pending.k > self._asked and pending.k == self._unasked:
            self._foul(text(NAMED_UNASKED, k=pending.k), asked=wanted)
        self.waits, self._asked = pending, pending.k
        if not self._has_published(match) or self.name not in match.wanted(pending):
            return  # it is the chain of another key from which a link is wanted, and this one order goes on without; or we may only choose
        try:
            first = self._memory.show(self.chain.end, pending, wanted.signature, known=len(match.log) - 1)
        except OSError as error:
            self._trouble(f"no dice are witnessed here, as that can't be remembered: {error}")
            return
        if first.pending != pending:
            what = text("the server asks for the dice of number {k} again, for another order than you witnessed", k=pending.k)
            self._foul(what, shown=first, asked=wanted)
            return
        self._hours.showed(match, pending.k, match.witnesses.sides_about(self.name))
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
        waits = self.waits
        if waits is None or waits.k <= match.log.k:
            raise Refused("", text("no order waits for its dice"))
        side = min(match.witnesses.choosing(self.name, participant), default="")
        act = Fallback(participant, waits.k, choice, waits.digest())
        # By how much is known: till something has come of it, it is signed alike, so that a server that refuses it falsely has no second.
        signature = fallback_signature(match.witnesses, self._own.sign, self._head.game, act, number=len(match.log))
        self._send(protocol.ChooseFallback(self._head.game, side, participant, waits.k, act.pending, choice, signature))

    # ---------------------------------------------------------------- what is watched

    def watch(self, match: Match, entry: Entry, *, live: bool) -> None:
        """Look at an entry before it is taken in; tell what should not be.

        Args:
            live: whether it has just happened; its events are then decided again.
        """
        if self._head.terms.dice.kind != WITNESSED:
            return
        try:
            self._look_at(match, entry, live=live)
        except OSError as error:  # the player's own disk, and no fault of the entry
            self._trouble(f"what was witnessed of {self._head.game} can't be read here: {error}")

    def _look_at(self, match: Match, entry: Entry, *, live: bool) -> None:
        self._note_past(entry, live=live)
        self._know_length(match)
        if (kept_back := self._kept_back.fault(match, entry, owes=self._is_without_chain(match))) is not None:
            self._foul(kept_back, entry=entry)
        if live and self._is_here:
            self._watch_time(match, entry)
        found = [*self._faults(match, entry, live=live)] or [(what, None) for what in not_permitted(match, entry)]
        for what, shown in found:
            self._broken = self._broken or not isinstance(entry.act, Fallback | Flag)  # a link may have been lost on its way
            self._foul(what, shown=shown, entry=entry)
        if isinstance(entry.act, Late) and entry.act.participant == self.name and not entry.act.came:
            self._is_named(match, entry.act, live=live)
        if not found:
            self._note_left_out(match, entry, live=live)

    def _note_left_out(self, match: Match, entry: Entry, *, live: bool) -> None:
        """Tell what is decided without us; of what was before the game was opened, as that is here, what came since our last link."""
        k, has_chain = match.log.k + 1, self._has_published(match)

        def knows() -> Knows:
            shown = has_chain and self._memory.get(self.chain.end, k) is not None
            was_down = self._upto is not None and entry.number <= self._upto
            return Knows(shown, live and self._was_asked(match, k), self._up_since if live else "", was_down)

        if (decided := what_was_decided(match, entry, self.name, knows)) is None:
            return
        if live:
            if has_chain:
                self._memory.tells(self.chain.end, entry.hash)
            self._tell(LeftOut(self._head.game, decided))
        elif has_chain and ((last := self._memory.last(self.chain.end)) is None or k >= last.k):
            self._missed.append((entry.hash, decided))

    def _note_past(self, entry: Entry, *, live: bool) -> None:
        """Keep what happened before the game was opened, to have it decided again; it may come from its beginning anew."""
        if not entry.number:
            self._past, self._missed = [], []
        if not live:
            self._past.append(entry)

    def look_back(self, match: Match, behind: Behind) -> None:
        """As the game is here: have that decided again which was not when it came, and tell what was decided without us."""
        missed = [decided for known, decided in self._missed if self._memory.tells(self.chain.end, known)]
        self._missed = []
        for left_out in in_few(self._head.game, missed):
            self._tell(left_out)
        if self._past:
            behind.look(decided_again, match, self._past)
            self._past = []

    def _is_named(self, match: Match, late: Late, *, live: bool) -> None:
        """We are named late for a number: what was shown may have been lost on its way; or it was not asked for."""
        k = late.k
        if live:
            self._silence.named(k)
        first = self._memory.get(self.chain.end, k) if self._has_published(match) else None
        waits = self.asked_for if self.asked_for is not None and self.asked_for.k == k else late.waits
        if first is None:
            if live and self._is_asked and not self._was_asked(match, k):
                self._unasked = k
        elif waits in (None, first.pending):  # after a backup another order may wait, which takes no such link
            if live and self._is_here:
                self._hours.showed(match, k, match.witnesses.sides_about(self.name))
            self._show(first.pending)

    def _was_asked(self, match: Match, k: int) -> bool:
        """Say whether the link of a number was asked for, also against a record whose past has come only now."""
        wanted = self._wanted
        return k <= self._asked or (wanted is not None and wanted.pending.k == k and _knows_past(match, wanted.pending))

    def _watch_time(self, match: Match, entry: Entry) -> None:
        """Tell, once as long as the line is up, where time is taken from the clocks that should not be."""
        for what in self._faults_of_time(match, entry):
            self._tell_time(what, entry)
        if isinstance(entry.act, Late) and entry.act.participant == self.name:
            self._hours.shows_again(entry.act.k)

    def _tell_time(self, what: Text, entry: Entry) -> None:
        if not self._told_time:
            self._told_time = True
            self._foul(what, entry=entry)

    def _faults_of_time(self, match: Match, entry: Entry) -> Iterator[Text]:
        ours, late = match.witnesses.sides_about(self.name), match.witnesses.late_for(match.log.k + 1) - {self.name}
        if any(ours & match.witnesses.sides_about(other) for other in late):
            self._hours.forgive(match, entry)
        lost, in_all = self._hours.lost_ms(match, entry), self._hours.count_lost_in_all_ms(match, entry)
        self._hours.comes(entry)
        if lost:
            yield text("our clock has lost {seconds} s while an order waited, though our link was shown", seconds=lost // 1000)
        if in_all:
            yield text("our clock has lost {seconds} s in all while orders waited, though the server had our links", seconds=in_all // 1000)

    def _faults(self, match: Match, entry: Entry, *, live: bool) -> Iterator[tuple[Text, Shown | None]]:
        act = entry.act
        shown = self._memory.get(self.chain.end, match.log.k + 1) if self._has_published(match) else None
        if (no_kind := fault_of_kind(entry)) is not None:
            yield no_kind, shown
            return
        if (back := fault_of_time(match, entry)) is not None:
            yield back, None
        if shown is not None and goes_past(match, entry, shown.pending):
            yield text("the server went past the order whose dice you had witnessed"), shown
        elif act is None:
            for what in faults_of_order(match, entry, live=live):
                yield what, shown
        else:
            for what in faults_of_act(match, entry, self._agreed):
                yield what, None
        if isinstance(act, Rewind):
            for what in faults_of_rewind(match, entry, signs=self._head.signs_undo):
                yield what, None
        if isinstance(act, Seat) and is_anothers(match, act, self.name, self._own.key, live=live):
            yield SEATED, None
        if shown is not None and not has_moved_since(match, shown.pending.before):  # where it is read again it doesn't wait yet
            for what in self._faults_while_waiting(match, entry, live=live):
                yield what, shown
            if live if shown.known is None else entry.number > shown.known:
                for what in self._faults_once_shown(match, entry, shown.pending):
                    yield what, shown
        elif self._asked < match.log.k + 1 == self._unasked:
            for what in self._faults_unasked(match, entry):
                yield what, None
        gives_up = live and isinstance(act, Fallback) and act.participant == self.name and act.choice != WAIT
        if isinstance(act, Fallback) and gives_up and self._silence.is_too_short(act.k, match.terms.dice.wait_ms):
            words = "{player} decided about your link ({choice}), and the agreed time to wait for it has not passed since the line was down"
            yield text(words, player=entry.player, choice=act.choice), None

    def _faults_unasked(self, match: Match, entry: Entry) -> Iterator[Text]:
        """Yield what is decided by our link's absence, as we were named late for it while we were here, and never asked."""
        act = entry.act
        if isinstance(act, Fallback) and act.participant == self.name and act.choice != WAIT:
            words = "{player} decided about your link ({choice}), for which the server never asked"
            yield text(words, player=entry.player, choice=act.choice)
        if isinstance(act, Flag) and act.side in match.witnesses.sides_about(self.name):
            yield text("the server let time run out for {side} by your link, for which it never asked", side=act.side)

    def _faults_while_waiting(self, match: Match, entry: Entry, *, live: bool) -> Iterator[Text]:
        """Yield what no server writes down while an order waits: whoever keeps the log may know its dice."""
        act = entry.act
        if isinstance(act, TakenOver):
            yield text(
                "the server took another dice chain after you had shown your link, "
                "unless it was restored from a backup of before that, as its host can tell you"
            )
        if accepts_draw(match, act):
            words = "{player} accepted a draw while an order waited, whose dice may be known since you showed your link"
            yield text(words, player=entry.player)
        here = live and self._is_here and self.name in match.witnesses.seated and match.witnesses.may_be_chosen(match.log.k + 1)
        if owner_decides(match, entry, here=here):
            words = "{player} decided about the game while an order waited, whose dice may be known since you showed your link: {act}"
            yield text(words, player=entry.player, act=type(act).__name__)
        if isinstance(act, Seat) and act.player and match.witnesses.bars_joining and not match.witnesses.comes_back(act):
            yield text(JOINED, player=act.player)

    def _faults_once_shown(self, match: Match, entry: Entry, pending: Pending) -> Iterator[Text]:
        """Yield what is wrong with an act that comes as our link was shown already."""
        act = entry.act
        unless = UNLESS_LOST if self._hours.is_there(pending.k) else UNLESS_ON_ITS_WAY
        if isinstance(act, Flag) and runs_out(match, act, pending, self.name):
            words = "the server let time run out for {side} while an order waited, though you had shown your link"
            yield text(words + unless, side=act.side)
        if isinstance(act, Fallback) and act.participant == self.name and act.k == pending.k:  # also of another record
            if act.choice == UNWITNESSED:
                yield text("{player} went on without your link, though you had shown it" + unless, player=entry.player)
            elif act.choice == CLAIM:
                words = "{player} claimed the game for want of your link, though you had shown it"
                yield text(words + unless, player=entry.player)

    # ---------------------------------------------------------------- evidence

    def _foul(
        self, what: Text, *, shown: Shown | None = None, asked: protocol.LinkWanted | None = None, entry: Entry | None = None
    ) -> None:
        found = Evidence(str(what), self._head, shown, asked, entry)
        file = ""
        try:
            file = self._kept(found)
        except OSError as error:
            self._trouble(f"what proves it can't be kept: {error}")
        self._tell(Foul(self._head.game, what, file))

    def _kept(self, found: Evidence) -> str:
        """Keep evidence and return where: in one file for the same, so that a server that asks on and on fills no disk."""
        if self._memory.file is None:
            return ""
        folder = self._memory.file.parent / "evidence"
        if self._kept_files is None:  # under other heads a server could have as many again
            self._kept_files = len([*folder.glob(f"{self._head.game}-{'[0-9a-f]' * 16}.msgpack")])
        if self._kept_files >= MOST_EVIDENCE:
            return ""
        kind = found.asked.pending.digest() if found.asked is not None else found.entry.hash if found.entry is not None else b""
        folder.mkdir(exist_ok=True, mode=0o700)
        file = folder / f"{self._head.game}-{kind.hex()[:16]}.msgpack"
        self._kept_files += not file.exists()
        write_whole(file, msgspec.msgpack.encode(found))
        return str(file)


def _knows_past(match: Match, pending: Pending) -> bool:
    """Say whether the entry is known after which an order began to wait for its dice."""
    return pending.before == bytes(32) or any(entry.hash == pending.before for entry in reversed(match.log.entries))

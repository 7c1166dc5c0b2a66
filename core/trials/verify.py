"""Recheck a whole game from its file: hash chain, dice, table acts, fold, and every order decided again.

The hash chain alone says only that nobody changed the file since it was sealed; whoever keeps a log could seal another. So nothing in an
entry is believed that could have been chosen freely: its number *k* is the next, its links are those of the chains that all who witness
have published, each signed for this very record; the entry after which it began to wait is one before it with nothing but table acts
between; its order is signed by whoever held the seat; nobody was left out of the dice but by the signed choice of another side; and it
follows from today's rules. What is in order and still worth knowing, such as dice that not all have witnessed, is a remark; so are
explanations that read otherwise than today's, as a later version words or adds some, and nothing in the game hangs on them.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import partial

import msgspec

from core.dice import Stream, parted
from core.errors import BadInput, Refused
from core.events import happened
from core.fold import fold_all
from core.game import Dice, NeedsDice, StopDice, begin, decide, needs_chance
from core.gamefile import GameFile, agreement, began_so, held_to_less, keeper_signed, open_match
from core.log import ROOT, AnyAct, ChainPublished, Claim, Entry, Fallback, Late, Log, Pending, Result, Rewind, Seat, TakenOver
from core.match import Match
from core.orders import Order, units_of
from core.permitted import acts_as_referee, decides_unsigned, faults_of_choice, faults_of_late, why_no_order, why_not
from core.position import Position
from core.ruleset import Ruleset
from core.rulesets import load
from core.seen import SeenLog
from core.signed import (
    CROSSED,
    SeenUndo,
    is_players_to_sign,
    last_of_the_log,
    signed_act,
    signed_by_keeper,
    signed_chain,
    signed_fallback,
    signed_link,
    signed_order,
    signed_takeover,
    sits_down,
    undo_by_the_log,
)
from core.table import Table
from core.table_rules import follows
from core.text import counted
from core.units import Side
from core.views import View, eyes_of
from core.waiting import Behind, why_none_waits
from core.ways_back import way_back
from core.witnesses import SERVER, UNWITNESSED, WAIT, WITNESSED, Witnesses, links_alone, whose_seat

ANOTHER = "it is another order than the one for which somebody was named late"
SHOWN = 200
MOST_BRIDGED = 3_000_000  # numbers that chains are hashed over, from one link that was shown to the next, in a whole file; a second


class Finding(msgspec.Struct, frozen=True):
    """One thing that is not as it should be, or to be known.

    *kind* is ``dice``, ``signature``, ``table``, ``events``, ``rules``, ``words``, ``version``, or ``earlier``: today's rules decide
    otherwise, and the game was begun under an earlier version of them.
    """

    entry: int
    kind: str
    text: str


class Report(msgspec.Struct, frozen=True):
    """What was checked, and what was found; *remarks* are no faults.

    *orders* counts the set-up as well, *signed* those that bear a signature; *unsigned* are the entries of players' orders that bear none.
    """

    entries: int
    orders: int
    rolls: int
    findings: tuple[Finding, ...]
    remarks: tuple[Finding, ...] = ()
    signed: int = 0
    unsigned: tuple[int, ...] = ()

    @property
    def holds(self) -> bool:
        """Say whether nothing was found."""
        return not self.findings

    @property
    def holds_by_earlier_rules(self) -> bool:
        """Say whether all that was found may come from rules that were decided otherwise when the game was begun."""
        return all(finding.kind == "earlier" for finding in self.findings)


def verify(
    file: GameFile, *, progress: Callable[[int, int], None] | None = None, load: Callable[[str], Ruleset] = load
) -> Report:
    """Recheck a game file whose form and hash chain `core.gamefile.read` has checked.

    Args:
        progress: called with (entries done, entries).
        load: finds a ruleset by its name.

    Raises:
        BadInput: the file can't be played at all: unknown ruleset, faulty pack, a chain in its head that is not the server's, events at
            its head that don't follow; or it holds only what one viewer was told of a game with secrets.
    """
    if file.head.viewer:
        raise BadInput.one("head: viewer", "a file of a game that lies open", f"what {file.head.viewer} was told of it while it ran")
    match = open_match(file, clock=lambda: 0, load=load)
    return _Recheck(file, match).run(progress)


def _side_after(match: Match, bad: Set[int], number: int) -> Side:
    return "" if number in bad else match.side_after(number)


class _Recheck:
    """One pass over a file.

    Attributes:
        log: the entries that were passed.
        witnesses: who held seats, under which keys and with which chains, then.
        table: what was offered and agreed on, then.
        bad: entries whose events, or those of an entry before them, don't fold.
        explained_otherwise: entries whose explanations are not those that today's program gives.
    """

    def __init__(self, file: GameFile, match: Match) -> None:
        self.file, self.match = file, match
        self.log = Log()
        head, chosen = file.head, match.setting
        self.witnesses = self._new_witnesses()
        self._then, self._then_noted = self._new_witnesses(), 0  # after so many entries: where the last order began to wait
        self._bridged = 0
        self.bad: set[int] = set()
        side_after = partial(_side_after, match, self.bad)  # of a method it would be held in a cycle: see `core.match`
        self.table = Table(chosen.sides, head.terms, side_after, version=head.table, eye_of=eyes_of(chosen))
        self.explained_otherwise: list[int] = []
        self.shown = {end.participant: (0, end.end) for end in head.chains}
        self.agreed = agreement(head)
        self.findings: list[Finding] = []
        self.remarks: list[Finding] = []
        self.orders = self.rolls = self.signed = 0
        self.unsigned: list[int] = []
        self._bound: set[str] = set()  # who has signed anything that holds in this game alone
        self._chainless: list[str] = []  # who had published no chain when an order last had its dice
        self._behind: list[Entry] = []  # the acts since the last entry that bears an order or a player's signature
        self._kept = 0  # for how many of these the server has signed
        self._told: dict[Side, SeenLog] = {}

    def _new_witnesses(self) -> Witnesses:
        head, chosen = self.file.head, self.match.setting
        seats = head.terms.seats_for(chosen.sides)
        witnessed, keeper = chosen.dice == WITNESSED, head.keeper.key
        return Witnesses(head.chains, chosen.sides, seats, witnessed=witnessed, version=head.table, keeper=keeper)

    def run(self, progress: Callable[[int, int], None] | None) -> Report:
        """Pass over the file and report."""
        self._check_keeper()
        if self.file.entries and not began_so(self.file.entries[0], self.file.head):
            self._find(self.file.entries[0], "table", "it was written under other terms, or by another server, than the file says")
        self._remark_rules()
        for entry in self.file.entries:
            self._check_time(entry)
            if entry.misfit:
                self._find(entry, "table" if entry.act is not None else "events", entry.misfit)
            self._check_chance(entry)
            self._check_table(entry)
            if entry.bears_order:
                self.orders += 1
                self._check_order(entry)
            self._note_behind(entry)
            self.log.add_checked(entry)
            self._note(entry)
            if progress is not None:
                progress(entry.number + 1, len(self.file.entries))
        if not self.file.entries:
            self.findings.append(Finding(0, "events", "the game was never set up"))
        if self.file.pending is not None:
            self._check_pending(self.file.pending)
        self._remark_end()
        self._remark_unbound()
        self._remark_explanations()
        return Report(
            len(self.file.entries), self.orders, self.rolls, tuple(self.findings), tuple(self.remarks), self.signed,
            tuple(self.unsigned),
        )

    def _find(self, entry: Entry, kind: str, text: str) -> None:
        self.findings.append(Finding(entry.number, kind, text))

    def _remark(self, entry: Entry, kind: str, text: str) -> None:
        self.remarks.append(Finding(entry.number, kind, text))

    def _check_time(self, entry: Entry) -> None:
        """Check that time did not go back; a server's never does, whatever becomes of its machine's clock."""
        if self.file.head.keeper.key and self.log.dates_back(entry):
            self._find(entry, "table", "its time lies before that of the entry before it")

    def _note(self, entry: Entry) -> None:
        if isinstance(entry.act, ChainPublished):
            known = self.witnesses.chains.get(entry.act.player)
            if known is None or known.end != entry.act.end:
                self.shown[entry.act.player] = (0, entry.act.end)
        if isinstance(entry.act, TakenOver):
            self.shown[SERVER] = (0, entry.act.end)
        if self._binds(entry):
            self._bound.add(entry.player)
        self.witnesses.note(entry)
        try:
            self.table.note(entry)
        except BadInput as error:
            self._find(entry, "table", str(error))
            self.table.noted += 1

    def _remark_rules(self) -> None:
        """Remark, of a game of several people, that it is held to less than a server's of today: also one that is made up today can be."""
        head = self.file.head
        sits = any(isinstance(entry.act, Seat) and entry.act.key for entry in self.file.entries)  # somebody, who signs what he does
        for why in held_to_less(head) if head.keeper.key or head.terms.owner or sits else ():
            words = f"{why}: a host could do more in it that nobody finds than in a game begun today"
            self.remarks.append(Finding(0, "version", words))
        then, today = self.match.setting.version, self.match.setting.ruleset.version
        if then != today:
            words = f"it was begun under version {then} of its rules; a game begun today goes by version {today}"
            self.remarks.append(Finding(0, "version", words))

    def _check_keeper(self) -> None:
        """Check that the server signed the end of its own chain, where it has a key."""
        if not keeper_signed(self.file.head):
            self.findings.append(Finding(0, "signature", f"the chain of {SERVER} is not signed by the server's key"))

    # ---------------------------------------------------------------- chance

    def _check_chance(self, entry: Entry) -> None:
        if self.witnesses.named_in_vain(entry, self.log.k + 1):
            self._find(entry, "dice", f"somebody was named late for number {self.log.k + 1}, and no order waited for it")
        if not entry.k or not entry.bears_order:
            return
        self.rolls += 1
        is_next = entry.k == self.log.k + 1
        if not is_next:
            self._find(entry, "dice", f"its number is {entry.k}, and the next one was {self.log.k + 1}")
        if not self._waited_after(entry.pending):
            self._find(entry, "dice", "it waited for chance after no entry of this moment")
        digest = entry.pending_record().digest()
        if self.witnesses.record_of(entry.k) not in (b"", digest):
            self._find(entry, "dice", ANOTHER)
        then = self._witnesses_after(entry.pending)
        asked, joined = then.participants, self.witnesses.joined_since(then)
        excused = [name for name in asked if self.witnesses.is_excused(name, entry.k, digest)]
        wanted = [name for name in asked if name not in excused]
        if sorted(entry.links) != wanted or not wanted:
            shown = ", ".join(sorted(entry.links)) or "nobody"
            self._find(entry, "dice", f"it shows links of {shown}; chains were published by {', '.join(wanted) or 'nobody'}")
        for participant in wanted:
            if then.chains[participant] != self.witnesses.chains[participant] and participant not in joined:
                self._find(entry, "dice", f"the chain of {participant} was published after the order had begun to wait")
            if is_next:  # else whoever forges a file could have a hundred thousand hashes made for each of its entries
                self._check_link(entry, participant, digest)
        if then.named_early(entry.k):
            self._find(entry, "dice", f"somebody was named late for number {entry.k} before its order began to wait")
        for name in joined:
            self._find(entry, "dice", f"{name} takes part in the dice since the order is said to have begun to wait")
        for name in then.without_chain:
            if name not in self._chainless:
                self._remark(entry, "dice", f"{name} had published no chain: from here on dice fell that he has not witnessed")
        self._chainless = then.without_chain
        if excused:
            self._remark(entry, "dice", f"not witnessed by {', '.join(excused)}, as the others chose")

    def _check_link(self, entry: Entry, participant: str, digest: bytes) -> None:
        new, last = entry.links.get(participant), self.shown[participant]
        self._bridged += max(entry.k - last[0] - 1, 0)
        if self._bridged > MOST_BRIDGED:
            self._find(entry, "dice", f"the link {entry.k} of {participant} was not checked: too many chains begin anew")
            return
        if new is None or not self.witnesses.fits_chain(participant, entry.k, new, last):
            self._find(entry, "dice", f"the link {entry.k} of {participant} does not fit its chain")
            return
        self.shown[participant] = (entry.k, parted(new)[0])
        if not signed_link(self.witnesses, participant, new, game=self.match.game, k=entry.k, pending=digest):
            self._find(entry, "signature", f"the link {entry.k} of {participant} is not signed for this order")

    def _witnesses_after(self, before: bytes) -> Witnesses:
        """Return who witnessed after the entry with a hash: the last one but where table acts came between."""
        upto = self._place_of(before)
        if upto is None or upto == len(self.log):
            return self.witnesses
        # No order began to wait before an earlier one was decided, so this goes on from where it was: once through the log in all. Where a
        # file has two records of one moment, the second is found to be another than the first, whoever witnessed then.
        while self._then_noted < upto:
            self._then.note(self.log.entries[self._then_noted])
            self._then_noted += 1
        return self._then

    def _waited_after(self, before: bytes) -> bool:
        """Say whether an order can have begun to wait at the end of this moment, or earlier in it, behind the entry with a hash."""
        return self._place_of(before) is not None

    def _place_of(self, before: bytes) -> int | None:
        """Return behind how many entries an order began to wait whose record names a hash.

        None if it is neither that of the last one, nor of one that only table acts followed that leave game and keeper alone.
        """
        if before == self.log.last_hash:
            return len(self.log)
        for entry in reversed(self.log.entries):
            if entry.hash == before:
                return entry.number + 1
            if entry.moves or isinstance(entry.act, TakenOver):
                return None
        return 0 if before == bytes(32) else None

    def _check_pending(self, pending: Pending) -> None:
        number, sides = len(self.log), self.match.setting.sides
        fits_in = pending.k == self.log.k + 1 and pending.parent == self.log.head and self._waited_after(pending.before)
        if not fits_in or (self.log.head != ROOT and pending.side not in sides):
            self.findings.append(Finding(number, "dice", "the waiting order does not belong to the end of the log"))
        elif self.witnesses.record_of(pending.k) not in (b"", pending.digest()):
            self.findings.append(Finding(number, "dice", ANOTHER))
        elif pending.order and not self._signed_waiting(pending):
            self.findings.append(Finding(number, "signature", f"the waiting order is not signed by the key of {pending.player}"))

    def _signed_waiting(self, pending: Pending) -> bool:
        then = self._witnesses_after(pending.before)
        awaited, seen = partial(self._awaited, pending.parent), self._seen_by(pending.side)
        return signed_order(then, self.log, pending, self.match.game, awaited=awaited, seen=seen)

    def _awaited(self, parent: int) -> tuple[str, int]:
        """Return name and turn of the decision that comes up behind an entry; of none where its position could never come."""
        if parent in self.bad or not 0 <= parent < len(self.log):
            return "", 0
        try:
            return View(self.match.setting, self.match.log.seek(parent)).awaited()
        except Exception:  # what makes it such a position is found where its entry is decided again
            return "", 0

    # ---------------------------------------------------------------- the table

    def _check_table(self, entry: Entry) -> None:
        act = entry.act
        if act is None:
            self._check_seat(entry)
            return
        if isinstance(act, Rewind):
            self._check_rewind(entry, act)
        elif isinstance(act, ChainPublished) and not signed_chain(self.witnesses, entry, game=self.match.game, agreed=self.agreed):
            self._find(entry, "signature", f"{act.player} did not publish this chain, or published another before")
        elif isinstance(act, TakenOver):
            self._check_takeover(entry, act)
        elif isinstance(act, Fallback) and self.witnesses.witnessed:
            self._check_fallback(entry, act)
        elif isinstance(act, Late):
            self._check_late(entry)
        elif why := why_not(self.table, self.log, entry, hosted=self.match.is_hosted):
            self._find(entry, "table", f"{entry.player or 'nobody'} could not do this: {why}")
        elif not self._signed_act(entry):
            self._find(entry, "signature", f"{entry.player} did not sign this: {type(act).__name__}")
        elif acts_as_referee(self.table, self.log, entry) and not isinstance(act, Rewind):
            self._remark(entry, "table", f"{entry.player} acted as referee: {type(act).__name__}")
        elif isinstance(act, Seat | Result) and decides_unsigned(self.witnesses, self.table, entry):
            what = f"decided about it, and nobody signed that: {type(act).__name__}"
            self._remark(entry, "table", f"{entry.player}, who owns the game and has never played it, {what}")
        if isinstance(act, Seat) and act.key != (self.witnesses.key(act.player) or act.key):
            self._remark(entry, "signature", f"{act.player} signs by another key from here on: whoever knows him can say whether it is his")

    def _check_seat(self, entry: Entry) -> None:
        """Check that an order is its seat's holder's, signed, and that all who shall witness the dice were there."""
        then = self._witnesses_after(entry.pending) if entry.k else self.witnesses
        if not entry.order:
            return
        if whose := whose_seat(entry, then, self.witnesses, hosted=self.match.is_hosted):
            self._find(entry, "table", f"{entry.player or 'nobody'} ordered, and the seat of {entry.side} was {whose}'s")
        self.signed += bool(entry.signature)
        if not entry.signature:
            self.unsigned.append(entry.number)
        awaited, seen = partial(self._awaited, entry.parent), self._seen_by(entry.side)
        if not signed_order(then, self.log, entry, self.match.game, awaited=awaited, seen=seen):
            self._find(entry, "signature", f"the order is not signed by the key of {entry.player}")
        lacking = then.refusal(entry.player)
        if lacking is not None:
            self._find(entry, "dice", f"the order was decided too early: {lacking.text}")

    def _seen_by(self, side: Side) -> tuple[int, bytes] | None:
        """Return number and hash of the last entry that moved the game for a side from whom anything is hidden."""
        if not self.match.setting.ruleset.secrets or self.bad:
            return None
        seen = self._told.setdefault(side, SeenLog(self.match.setting, self.log, side))
        seen.grow()
        return seen.moved_at, seen.commitment(seen.moved_at)

    def _check_fallback(self, entry: Entry, act: Fallback) -> None:
        """Check that a link was given up by another side's signed choice, after its owner had had his time."""
        for text in faults_of_choice(self.witnesses, self.table, self.log, entry):
            self._find(entry, "dice", text)
        if not signed_fallback(self.witnesses, entry, game=self.match.game):
            self._find(entry, "signature", f"{entry.player or 'nobody'} did not choose this, or may not choose for {act.participant}")
        if act.choice != WAIT:
            what = "went on without a link of" if act.choice == UNWITNESSED else "claimed the game, as no link came of"
            self._remark(entry, "dice", f"{entry.player} {what} {act.participant}")

    def _check_late(self, entry: Entry) -> None:
        """Check that a link that is said to be late can have been asked for."""
        for text in faults_of_late(self.witnesses, self.table, self.log, entry, why_none_waits=self._why_none_waits):
            self._find(entry, "dice", text)

    def _why_none_waits(self, late: Late) -> str:
        then = self.witnesses if late.waits is None else self._witnesses_after(late.waits.before)
        match, awaited = self.match, partial(self._awaited, self.log.head)
        behind = Behind(
            match.game, self.log, self.table, self.witnesses, match.codec.decode, self._draws, awaited, hosted=match.is_hosted
        )
        return why_none_waits(late, then, behind)

    def _draws(self, pending: Pending) -> bool:
        """Say whether an order at the end of the log needs chance; also where another version of the rules decided so."""
        setting = self.match.setting
        if setting.version != setting.ruleset.version or self.log.head in self.bad:
            return True
        try:
            order = self.match.codec.decode(pending.order) if pending.order else None
            position = self.match.log.seek(self.log.head) if self.log.head != ROOT else Position()
            return needs_chance(View(setting, position), pending.side, order)
        except Exception:  # the order can't be read, or its position never come, which is found elsewhere
            return False

    def _check_takeover(self, entry: Entry, act: TakenOver) -> None:
        """Check that whoever keeps the log from here on has signed for it; it is to be known in any case, as the dice are others."""
        if not signed_takeover(self.witnesses, entry, game=self.match.game):
            self._find(entry, "signature", "the server that takes the game over did not sign for it")
        old, same = self.witnesses.chains.get(SERVER), act.key == (self.witnesses.keeper or self.file.head.keeper.key)
        if same and old is not None and self.log.k >= old.links:
            self._remark(entry, "dice", "the server's dice chain was used up; its dice come from a new one")
        else:
            self._remark(entry, "dice", "a server took the game over, from another or from a backup; its dice come from a new chain")

    def _check_rewind(self, entry: Entry, act: Rewind) -> None:
        """Check that whoever goes back was let by the others, or needed to ask nobody and signed it; or is a referee."""
        if self.match.setting.ruleset.secrets and self.bad & {act.to, self.log.head}:
            return  # what a side was told on a way that can't be folded nobody knows; what is wrong there is found already
        moment, mine = self._seen_by(entry.side), self._by_his_numbers(entry)
        seen = [undo_by_the_log(self.log, act)]
        if moment is not None and isinstance(mine, Rewind):
            seen.append(SeenUndo(*moment, mine.to))
        hosted, signs = self.match.is_hosted, self.file.head.signs_undo
        match way_back(self.log, self.table, self.witnesses, entry, self.match.game, hosted=hosted, signs=signs, seen=seen):
            case "unsigned":
                self._find(entry, "signature", f"{entry.player} did not sign the way back to entry {act.to}")
            case "as referee":
                self._remark(entry, "table", f"{entry.player} went back to entry {act.to} as referee")
            case "unasked":
                self._find(entry, "table", f"it goes back to entry {act.to}, and nobody was asked")

    def _signed_act(self, entry: Entry) -> bool:
        assert entry.act is not None, "an order"
        mine, named, told = self._by_his_numbers(entry), [entry.act], list[bytes]()  # who plays all sides names it as the log does
        if mine is not None:
            told = last_of_the_log(self.witnesses, self.log, entry.act)
            named, told = [mine, entry.act], [*told, *(known.commitment for known in self._told[entry.side].entries[-CROSSED:])]
        return signed_act(self.witnesses, self.log, entry, self.match.game, named=named, told=told)

    def _note_behind(self, entry: Entry) -> None:
        """Keep the acts that no player signed since the last entry that bears an order or a player's signature: by it they were taken so.

        What is signed behind an end tells nothing of it, nor do a claim, whoever makes it, and what is signed for no moment: that could
        be written there again. What the server signs, with all before, nobody else can have written.
        """
        if entry.act is not None and not self._is_signed(entry, entry.act):
            self._behind.append(entry)
            if signed_by_keeper(self.witnesses, entry, self.match.game, keeper=self.file.head.keeper.key):
                self._kept = len(self._behind)
        elif self.table.ended is None and not isinstance(entry.act, ChainPublished | Claim | Fallback | Seat | TakenOver):
            self._behind.clear()
            self._kept = 0

    def _is_signed(self, entry: Entry, act: AnyAct) -> bool:
        """Say whether an act bears a signature, or carries out what the signed one before it agreed on; where one lacks, that is found."""
        if act == follows(self.table):
            return not self._behind
        return is_players_to_sign(self.witnesses, entry, signs_undo=self.file.head.signs_undo)

    def _remark_end(self) -> None:
        """Remark with what the file ends that no player signed, where players do, and what of it whoever hands it on could have written."""
        if not any(self.witnesses.keys.values()):
            return
        for who, acts in (("the server alone", self._behind[: self._kept]), ("nobody", self._behind[self._kept :])):
            if acts:
                kinds = ", ".join(dict.fromkeys(type(entry.act).__name__ for entry in acts))
                self._remark(acts[0], "signature", f"{who} signed what the file ends with, from here on: {kinds}")

    def _binds(self, entry: Entry) -> bool:
        """Say whether an entry bears a signature of its player's that holds in this game alone."""
        act = entry.act
        if act is None:
            return bool(entry.signature)
        sits = isinstance(act, Seat) and sits_down(act, entry.player)
        return not sits and is_players_to_sign(self.witnesses, entry, signs_undo=self.file.head.signs_undo)

    def _remark_unbound(self) -> None:
        """Remark, of a game that is over, who sits there and has signed nothing of it: that he sat down holds in any game of its id."""
        if self.table.ended is None:
            return
        for player in self.witnesses.seated:
            if self.witnesses.key(player) and player not in self._bound:
                words = f"{player} has signed nothing of this game but that he sat down, which its server can write into others of this id"
                self.remarks.append(Finding(len(self.log) - 1, "signature", words))

    def _by_his_numbers(self, entry: Entry) -> AnyAct | None:
        """Return an act as its player named and signed it, where anything is hidden from his side; None elsewhere."""
        if entry.act is None or not entry.side or self._seen_by(entry.side) is None:
            return None
        return self._told[entry.side].by_his_numbers(entry.act)

    # ---------------------------------------------------------------- the rules

    def _check_order(self, entry: Entry) -> None:
        if entry.parent != self.log.head:
            self._find(entry, "events", f"it was decided at entry {entry.parent}, and the head was {self.log.head}")
        if entry.parent in self.bad:
            self.bad.add(entry.number)
            return
        position = self.match.log.seek(entry.parent) if entry.parent != ROOT else Position()
        recorded = position.copy()
        try:
            fold_all(recorded, entry.events)
        except Exception as error:  # a forger's events may break anywhere
            self.bad.add(entry.number)
            self._find(entry, "events", f"its events don't follow from one another: {type(error).__name__}: {error}")
            return
        try:
            self._decide_again(entry, position, recorded)
        except Exception as error:  # nor do rules promise anything of a position that could never come
            self._find(entry, "rules", f"it can't be decided again: {type(error).__name__}: {error}")

    def _decide_again(self, entry: Entry, position: Position, recorded: Position) -> None:
        """Decide an order as today's rules would, and compare."""
        view, dice = View(self.match.setting, position), _stream(self.match, entry)
        try:
            order = self.match.codec.decode(entry.order) if entry.order else None
            if order is not None and (why := why_no_order(self.table, self.log, entry, order, hosted=self.match.is_hosted)):
                self._find(entry, "table", f"{entry.player} could not order this: {why}")
            elif order is not None and entry.k and not self._commanded(entry, order):
                self._find(entry, "table", f"{entry.player} could not order this: his seat did not command it")
            decided = begin(self.match.setting, dice) if order is None else decide(view, entry.side, order, dice)
        except Refused as refused:
            self._find_otherwise(entry, f"the order is refused today: {refused}")
        except NeedsDice:
            self._find(entry, "dice", "the order needs chance, and the entry shows none")
        except BadInput as error:
            self._find(entry, "rules", f"the order can't be read: {error}")
        else:
            if happened(decided.events) != happened(entry.events):
                self._find_otherwise(entry, _difference(happened(decided.events), happened(entry.events)))
            elif recorded.digest() != decided.position.digest():
                self._find(entry, "events", "its events fold to another position")
            elif decided.events != entry.events:
                self.explained_otherwise.append(entry.number)

    def _commanded(self, entry: Entry, order: Order) -> bool:
        """Say whether whoever gave an order that waited for its dice commanded its units when it began to."""
        return self._witnesses_after(entry.pending).commands(entry.player, entry.side, units_of(order))

    def _find_otherwise(self, entry: Entry, text: str) -> None:
        """Note that today's rules decide otherwise, and whether those may be others than when the game was begun."""
        then, today = self.match.setting.version, self.match.setting.ruleset.version
        if then == today:
            self._find(entry, "rules", text)
        else:
            self._find(entry, "earlier", f"{text} (begun under version {then} of the rules, and decided again by version {today})")

    def _remark_explanations(self) -> None:
        """Remark, once for all, that results are explained otherwise than today; who wrote a file could have written what he liked."""
        if self.explained_otherwise:
            first, count = self.explained_otherwise[0], counted(len(self.explained_otherwise), "entry explains", "entries explain")
            words = f"{count} what happened otherwise than this version would, this one first; what happened is the same"
            self.remarks.append(Finding(first, "words", words))


def _stream(match: Match, entry: Entry) -> Dice:
    if not entry.k:
        return StopDice()
    return Stream(links_alone(entry.links), game=match.game, k=entry.k, pending=entry.pending_record().digest())


def _difference(today: tuple[object, ...], then: tuple[object, ...]) -> str:
    for number, (new, old) in enumerate(zip(today, then, strict=False)):
        if new != old:
            where, new, old = _closer(f"event {number}", new, old)
            return f"{where} is {_short(new)} today, and {_short(old)} in the file"
    return f"{len(today)} events today, {len(then)} in the file"


def _closer(where: str, new: object, old: object) -> tuple[str, object, object]:
    """Return the one field in which two events of a kind differ; of long ones that are alike at first one would see no difference."""
    if type(new) is not type(old) or not isinstance(new, msgspec.Struct):
        return where, new, old
    differ = [name for name in new.__struct_fields__ if getattr(new, name) != getattr(old, name)]
    if len(differ) != 1:
        return where, new, old
    return f"{where}, {type(new).__name__}: {differ[0]}", getattr(new, differ[0]), getattr(old, differ[0])


def _short(event: object) -> str:
    shown = repr(event)
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"

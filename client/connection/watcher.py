"""What players' programs watch in games whose dice the server alone throws: that nothing is written there in another's name.

Whoever keeps the server may know those dice, and what an order leads to is not decided again; but he can't make up what others sign, nor
give the numbers of his chain other links. To check a signature takes as long as all else that the line does with an entry: what happened
before a game was opened is looked at when that is there, by a thread of its own that rests again and again, and what is found is told with
a message that comes then.

The set-up is decided again there as well. In games of witnessed dice that thread decides all again that happened before; where one was
begun under earlier rules that is no more than a remark.

Games with secrets are not watched: while they run no signatures are shown, and what is signed goes by each side's own numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import msgspec

from client.connection.fouls import (
    Foul,
    fault_of_kind,
    fault_of_links,
    fault_of_outcome,
    fault_of_place,
    fault_of_time,
    faults_of_act,
    faults_of_rewind,
    has_moved_since,
    not_permitted,
    not_signed,
)
from client.connection.namesake import SEATED, is_anothers
from core.gamefile import Head, agreement
from core.identity import PublicKey
from core.log import Entry, Log, Rewind, Seat
from core.match import Match
from core.signed import signed_order
from core.text import Text, counted, text
from core.witnesses import whose_seat

SLICE, REST_S = 10, 0.02  # entries that are looked at without a rest, some 3 ms: a window is made meanwhile, by the same interpreter
MOST_TOLD = 5  # of what happened before a game was opened: whoever makes up a whole game is known by the first


class Otherwise(msgspec.Struct, frozen=True):
    """What of a game today's rules decide otherwise than it happened; it was begun under earlier ones, and may be right by those.

    *entries* are their numbers, *version* that of the rules of then.
    """

    game: str
    version: int
    entries: tuple[int, ...]

    def __str__(self) -> str:
        what = counted(len(self.entries), "entry", "entries")
        return (
            f"{self.game}: today's rules decide {what} of before it was opened otherwise, entry {self.entries[0]} first; "
            f"that may come of its having begun under version {self.version} of them, or its host made it up"
        )


Look = Callable[[Match, Entry], Sequence[Foul | Otherwise]]  # what is wrong with an entry before it is taken in


class Behind:
    """A thread that looks at what happened before games were opened, one after the other."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "looking back")
        self._found: list[Future[list[Foul | Otherwise]]] = []
        self._ended = threading.Event()

    def look(self, look: Look, match: Match, entries: Sequence[Entry]) -> None:
        """Have the first entries of a game looked at."""
        self._found.append(self._thread.submit(_fouls, look, Match.on(Log(), match), entries, self._ended))

    def found(self) -> Iterator[Foul | Otherwise]:
        """Yield what was found since in games that were looked through, once."""
        while self._found and self._found[0].done():
            yield from self._found.pop(0).result()

    def close(self) -> None:
        """End the thread; what it has not looked at is left."""
        self._ended.set()
        self._thread.shutdown(wait=False, cancel_futures=True)


def _fouls(look: Look, match: Match, entries: Sequence[Entry], ended: threading.Event) -> list[Foul | Otherwise]:
    """Return what is wrong with entries, found to be chained by their hashes, that a match which has none yet takes in."""
    found: list[Foul | Otherwise] = []
    others: list[int] = []  # what today's rules decide otherwise is told as one thing
    for number, entry in enumerate(entries):
        if number % SLICE == 0 and number:
            ended.wait(REST_S)
        if ended.is_set() or len(found) >= MOST_TOLD:
            break
        try:
            for one in look(match, entry):
                if isinstance(one, Foul):
                    found.append(one)
                else:
                    others += one.entries
            match.accept_checked(entry)
        except Exception as error:  # the border: whatever a server makes up
            why = str(error) or type(error).__name__
            found.append(Foul(match.game, text("entry {number} can't be looked at: {why}", number=entry.number, why=why)))
            break
    return [*found, Otherwise(match.game, match.setting.version, tuple(others))] if others else found


def decided_again(match: Match, entry: Entry) -> Sequence[Foul | Otherwise]:
    """Return that an entry's order and dice lead to something else: by today's rules, in a game that was begun under others."""
    if entry.act is not None:
        return []
    if match.setting.version == match.setting.ruleset.version:
        wrong = fault_of_outcome(match, entry)
        return [] if wrong is None else [Foul(match.game, wrong)]
    try:
        is_same = fault_of_outcome(match, entry) is None
    except Exception:  # nor do today's rules promise anything of a position to which others led
        is_same = False
    return [] if is_same else [Otherwise(match.game, match.setting.version, (entry.number,))]


class Watcher:
    """Watches one game.

    Args:
        own: the player's key.
        name: his name on the server.
        head: what the game is.
        foul: called with what an honest server does not do.
    """

    def __init__(self, own: PublicKey, name: str, head: Head, *, foul: Callable[[Foul], None]) -> None:
        self._own, self._name, self._head, self._tell = own, name, head, foul
        self._agreed = agreement(head)
        self._past: list[Entry] = []

    def watch(self, match: Match, entry: Entry, *, live: bool) -> None:
        """Look at an entry before it is taken in, and tell what should not be; at one of before the game was opened later."""
        if not live:
            self._past.append(entry)
            return
        if entry.hash != entry.digest():
            return  # it is not taken in, and tells of a damaged store rather than of its host
        for foul in self.fouls(match, entry, live=True):
            self._tell(foul)

    def look_back(self, match: Match, behind: Behind) -> None:
        """As the game is here: have those looked at that were not when they came."""
        if self._past:
            behind.look(partial(self.fouls, live=False), match, self._past)
            self._past = []

    def fouls(self, match: Match, entry: Entry, *, live: bool) -> list[Foul]:
        """Return what is wrong with an entry before it is taken in."""
        return [Foul(match.game, what) for what in [*self._faults(match, entry, live=live)] or [*not_permitted(match, entry)]]

    def _faults(self, match: Match, entry: Entry, *, live: bool) -> Iterator[Text]:
        act = entry.act
        if (no_kind := fault_of_kind(entry)) is not None:
            yield no_kind
            return
        if (back := fault_of_time(match, entry)) is not None:
            yield back
        if act is None:
            yield from _faults_of_order(match, entry)
        else:
            yield from faults_of_act(match, entry, self._agreed)
        if isinstance(act, Rewind):
            yield from faults_of_rewind(match, entry, signs=self._head.signs_undo)
        if isinstance(act, Seat) and is_anothers(match, act, self._name, self._own, live=live):
            yield SEATED


def _faults_of_order(match: Match, entry: Entry) -> Iterator[Text]:
    if (elsewhere := fault_of_place(match, entry)) is not None:
        yield elsewhere
        return
    if entry.k and (entry.k != match.log.k + 1 or has_moved_since(match, entry.pending)):
        yield text("the server used dice that do not fit: {why}", why=f"{entry.k} is not the number of this moment")
        return
    if entry.k and (why := fault_of_links(match, entry)) is not None:
        yield why
    if not entry.order:
        yield from (foul.text for foul in decided_again(match, entry) if isinstance(foul, Foul))
        return
    then = match.witnesses_after(entry.pending) if entry.k else match.witnesses
    if whose_seat(entry, then, match.witnesses, hosted=match.is_hosted):
        who = entry.player or "nobody"
        yield text("the server wrote down an order of {player}, who did not play {side}", player=who, side=entry.side)
    if not signed_order(then, match.log, entry, match.game, awaited=match.awaited):
        yield not_signed(entry)

"""What of ours is taken back: what was refused, an answer ahead that was revoked. No server writes it down afterwards.

It bears our signature all the same, and one who plays could say falsely that she refuses an order, or forgets an answer, and use it when
it suits her. Whether the very same was given again by another program of ours, or before this one was started, nobody here knows. It is
remembered as long as the program runs.

What a server says that it can't write down may be half-way, and what is refused while something of its game is on its way may be done: of
the one a remark is made if it is done later, of the other it is found out as soon as the game is known to its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from core import protocol
from core.identity import SIGNATURE_BYTES
from core.log import Entry, Late, Pending
from core.match import Match
from core.text import Text, text

ELSEWHERE = ", unless you gave it elsewhere as well, or before this program was started"
WRITTEN = "the server wrote down an order of yours that it had refused or forgotten" + ELSEWHERE
WAITS_REFUSED = "the server says that an order of yours waits which it had refused" + ELSEWHERE
DONE = "the server wrote down what you had asked for and it had refused, unless you asked for it anew elsewhere"
HAD_WAITED = (
    "the server wrote down an order of yours that it had refused while one waited for its dice: that may have been the very same, given "
    "elsewhere as well or before this program was started, or its host had this one wait"
)
LATER = (
    "the server wrote down what it had said that it can't, and only later: its disk was full, or it failed, when it was half-way with it, "
    "or its host chose when"
)
Asked = protocol.Give | protocol.AnswerAhead | protocol.Revoke
Which = tuple[str, str, str]  # an answer ahead's game, side and decision


class _Refusal(NamedTuple):
    """Something was refused; *may_wait*: as an order waits for its dice, and that may be the very same."""

    frame: protocol.Give | protocol.AnswerAhead | protocol.DoAct
    may_wait: bool = False


class TakenBack:
    """Keeps what one client gave and took back.

    Args:
        spent: the signatures of acts that were given so far, with the ids under which they were asked for last; it grows elsewhere.
    """

    def __init__(self, spent: Mapping[bytes, str]) -> None:
        self._spent = spent
        self._given: dict[bytes, set[str]] = {}  # by signature, the ids under which an order or answer was given, and not refused
        self._answers: dict[Which, protocol.AnswerAhead] = {}
        self._given_up: dict[Which, list[protocol.AnswerAhead]] = {}  # what may be kept, and something else was asked for since
        self._refused: set[bytes] = set()  # signatures of orders
        # By signatures of what may wait for its dice already, as an answer that was revoked: the true hash of the last entry known by then.
        self._revoked: dict[bytes, bytes] = {}
        self._refused_while_waiting: dict[bytes, bytes] = {}
        self._refused_acts: set[str] = set()  # the ids under which they were asked for
        self._doubtful: dict[str, list[_Refusal]] = {}  # by game, what was refused or forgotten as it was not known to its end
        self._unwritten: dict[bytes | str, str] = {}  # signatures and ids of what the server could not write down, with their games
        self._long_unwritten: set[bytes | str] = set()  # those of them whose games were known to their end since

    def asked(self, frame: object) -> None:
        """Take note of what is asked: what is given anew is not taken back."""
        if isinstance(frame, protocol.Give | protocol.AnswerAhead):
            self._given.setdefault(frame.signature, set()).add(frame.order_id)
            self._refused.discard(frame.signature)
            self._revoked.pop(frame.signature, None)
            self._refused_while_waiting.pop(frame.signature, None)
            self._is_written(frame.signature)

    def accepted(self, frame: object, match: Match | None) -> None:
        """Take note that something was done that we asked for.

        Args:
            match: the game as it was then, None where that is not known.
        """
        if isinstance(frame, protocol.Give) and self._given.get(frame.signature) == {frame.order_id}:
            del self._given[frame.signature]  # given under another id too, it may be refused still, and is no less written down
        if not isinstance(frame, protocol.AnswerAhead | protocol.Revoke):
            return
        which, before = which_of(frame), self._given_up.pop(which_of(frame), [])
        if which in self._answers:
            before.append(self._answers.pop(which))
        if isinstance(frame, protocol.AnswerAhead):
            self._is_last(frame)
            self._answers[which] = frame
            self._revoked.pop(frame.signature, None)  # the very same was refused as well meanwhile
        for answer in before:
            self._forget(_Refusal(answer), match)

    def gives_up(self, frame: protocol.AnswerAhead | protocol.Revoke) -> None:
        """Take note that something is not asked for again, though it has no answer: it is forgotten with what was asked for since."""
        if isinstance(frame, protocol.AnswerAhead):
            self._is_last(frame)
            self._given_up.setdefault(which_of(frame), []).append(frame)

    def refused(self, frame: object, why: Text, match: Match | None, *, is_known: bool, another_waits: bool) -> None:
        """Take note that something was refused.

        Args:
            match: the game, where it is followed.
            is_known: whether the game is known to its end; else the very same may be done already.
            another_waits: it is known that another order waits for its dice.
        """
        if not isinstance(frame, protocol.Give | protocol.AnswerAhead | protocol.DoAct):
            return
        if not isinstance(frame, protocol.DoAct) and not self._is_last(frame):
            return  # the very same was given under another id as well
        if isinstance(frame, protocol.AnswerAhead) and frame.signature in self._still_kept():
            return
        if why.template == protocol.NOT_WRITTEN:
            self._unwritten[frame.order_id if isinstance(frame, protocol.DoAct) else frame.signature] = frame.game
            return
        may_wait = why.template.startswith(protocol.ORDER_WAITS) and not another_waits
        self._forget(_Refusal(frame, may_wait), match if is_known else None)

    def tells_kept(self, told: protocol.Answers) -> None:
        """Take note which answers of a side the server says that it keeps: what it has dropped it uses no more."""
        kept = {(one.decision, one.order, one.turn) for one in told.answers}
        for which, answer in [*self._answers.items()]:
            if which[:2] == (told.game, told.side) and (answer.decision, answer.order, answer.turn) not in kept:
                del self._answers[which]
                self._forget(_Refusal(answer), None)  # what it was used for before may be on its way

    def known_to_its_end(self, match: Match, waits: Pending | None) -> None:
        """A game that is shown as it is played is known to its end: nothing that was refused before is done still on its way.

        Args:
            waits: the order that waits for its dice, where that is known.
        """
        for refusal in self._doubtful.pop(match.game, ()):
            if not isinstance(refusal.frame, protocol.Give):
                self._forget(refusal, match)
            elif waits is not None and waits.signature == refusal.frame.signature:
                self._forget(refusal, None)
            elif not match.viewer:  # to a viewer no signatures are shown by which to tell what was done
                self._forget(refusal, match)
        self._long_unwritten.update(name for name, game in self._unwritten.items() if game == match.game)

    def _is_last(self, frame: protocol.Give | protocol.AnswerAhead) -> bool:
        """Count the answer to something that was given; say whether the very same was given under no other id."""
        ids = self._given.get(frame.signature, set())
        ids.discard(frame.order_id)
        if not ids:
            self._given.pop(frame.signature, None)
        return not ids

    def _forget(self, refusal: _Refusal, match: Match | None) -> None:
        """Take note that something is not to be done any more: at once, or if the game is None, when that is known to its end."""
        frame = refusal.frame
        if match is None:
            self._doubtful.setdefault(frame.game, []).append(refusal)
        elif isinstance(frame, protocol.DoAct):
            self._forget_act(frame, match)
        elif frame.signature in self._given or frame.signature in self._still_kept():
            return  # the very same was given anew, or is kept already
        elif isinstance(frame, protocol.AnswerAhead):
            self._revoked[frame.signature] = match.hash_of(len(match.log) - 1)
        elif any(entry.order and entry.signature == frame.signature for entry in reversed(match.log.entries)):
            return  # it was done before
        elif refusal.may_wait:
            self._refused_while_waiting[frame.signature] = match.hash_of(len(match.log) - 1)
        else:
            self._refused.add(frame.signature)

    def _forget_act(self, frame: protocol.DoAct, match: Match) -> None:
        signatures = {signature for signature, asked_as in self._spent.items() if asked_as == frame.order_id}
        if not match.viewer and signatures.isdisjoint(match.witnesses.spent):  # else it was done, and is asked for again
            self._refused_acts.add(frame.order_id)

    def _still_kept(self) -> Iterator[bytes]:
        """Yield the signatures of answers that are kept, or may be."""
        return (answer.signature for answer in chain(self._answers.values(), *self._given_up.values()))

    def _is_written(self, name: bytes | str) -> bool:
        """Take note that something is written down, or was given anew; say whether that had been put off for long."""
        self._unwritten.pop(name, None)
        was_long = name in self._long_unwritten
        self._long_unwritten.discard(name)
        return was_long

    def waits(self, pending: Pending) -> Text | None:
        """Take note that an order waits for its dice; return what is wrong with that, once, None if nothing is."""
        signature = pending.signature[:SIGNATURE_BYTES]
        if signature not in self._refused:
            return None
        self._refused.discard(signature)
        return text(WAITS_REFUSED)

    def fault(self, match: Match, entry: Entry) -> Text | None:
        """Return what is wrong with an entry that comes next and is not in the match yet, None if nothing is."""
        if isinstance(entry.act, Late) and entry.act.waits is not None and (wrong := self.waits(entry.act.waits)) is not None:
            return wrong
        if self._spent.get(entry.signature) in self._refused_acts:
            return text(DONE)
        signature = entry.signature[:SIGNATURE_BYTES]
        took_back = (self._revoked, self._refused_while_waiting)
        is_taken_back = signature in self._refused or any(_is_used(match, entry, known.get(signature)) for known in took_back)
        return text(WRITTEN) if entry.order and is_taken_back else None

    def remark(self, entry: Entry) -> Text | None:
        """Return what is worth knowing of an entry that comes next, and may be honest as well; None if nothing is."""
        signature = entry.signature[:SIGNATURE_BYTES]
        if self._is_written(signature if entry.order else self._spent.get(entry.signature, "")):
            return text(LATER)
        return text(HAD_WAITED) if entry.order and self._refused_while_waiting.pop(signature, None) is not None else None


def which_of(frame: protocol.AnswerAhead | protocol.Revoke) -> Which:
    """Return which answer ahead a frame is about."""
    return frame.game, frame.side, frame.decision


def _is_used(match: Match, entry: Entry, last: bytes | None) -> bool:
    """Say whether an entry uses what was taken back as an entry was the last that was known; None: it was not.

    A game that comes anew tells once more where it was used before.
    """
    if last is None:
        return False
    known = next((one.number for one in reversed(match.log.entries) if one.hash == last), None)
    if known is None:
        return not any(last)  # nothing was known of the game then
    return not entry.k or not any(one.hash == entry.pending for one in match.log.entries[: known + 1])  # it may have waited for dice

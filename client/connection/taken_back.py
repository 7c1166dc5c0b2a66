"""What of ours is taken back: what was refused, an answer ahead that was revoked. No server writes it down afterwards.

It bears our signature all the same, and one who plays could say falsely that she refuses an order, or forgets an answer, and use it when
it suits her. Whether the very same was given again by another program of ours nobody here knows. It is remembered as long as the program
runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from core import protocol
from core.identity import SIGNATURE_BYTES
from core.log import Entry, Late, Pending
from core.match import Match
from core.text import Text, text

WAITS_REFUSED = "the server says that an order of yours waits which it had refused, unless you gave it anew elsewhere"
Asked = protocol.Give | protocol.AnswerAhead | protocol.Revoke


class TakenBack:
    """Keeps what one client gave and took back.

    Args:
        spent: the signatures of acts that were given so far, with the ids under which they were asked for last; it grows elsewhere.
    """

    def __init__(self, spent: Mapping[bytes, str]) -> None:
        self._spent = spent
        self._given: dict[bytes, set[str]] = {}  # by signature, the ids under which an order was given, and not refused
        self._answers: dict[tuple[str, str, str], bytes] = {}  # by game, side and decision
        self._refused: set[bytes] = set()  # signatures of orders
        self._revoked: dict[bytes, bytes] = {}  # those of answers, with the true hash of the last entry that was known by then
        self._refused_acts: set[str] = set()  # the ids under which they were asked for

    def asked(self, frame: object) -> None:
        """Take note of what is asked: what is given anew is not taken back."""
        if isinstance(frame, protocol.Give | protocol.AnswerAhead):
            self._refused.discard(frame.signature)
            self._revoked.pop(frame.signature, None)
        if isinstance(frame, protocol.Give):
            self._given.setdefault(frame.signature, set()).add(frame.order_id)

    def accepted(self, frame: object, match: Match | None) -> None:
        """Take note that something was done that we asked for.

        Args:
            match: the game as it was then, None where that is not known.
        """
        if isinstance(frame, protocol.Give) and self._given.get(frame.signature) == {frame.order_id}:
            del self._given[frame.signature]  # given under another id too, it may be refused still, and is no less written down
        if not isinstance(frame, protocol.AnswerAhead | protocol.Revoke):
            return
        which = (frame.game, frame.side, frame.decision)
        before = self._answers.pop(which, b"")
        if isinstance(frame, protocol.AnswerAhead):
            self._answers[which] = frame.signature
            self._revoked.pop(frame.signature, None)  # the very same was refused as well meanwhile
        if match is not None and before and before != self._answers.get(which):
            self._revoked[before] = match.hash_of(len(match.log) - 1)

    def refused(self, frame: object, why: Text, match: Match | None, *, is_known: bool) -> None:
        """Take note that something was refused; what can't be written down may be half-way, and done later.

        So may the very same that was given before this program was started anew, where an order waits.

        Args:
            match: the game, where it is followed.
            is_known: whether the game is known to its end; else the very same may be done already.
        """
        is_half_way = why.template == protocol.NOT_WRITTEN or why.template.startswith(protocol.ORDER_WAITS)
        if is_half_way or not is_known:
            return
        match frame:
            case protocol.Give():
                ids = self._given.get(frame.signature, set())
                ids.discard(frame.order_id)
                if not ids:
                    self._given.pop(frame.signature, None)
                    self._refused.add(frame.signature)
            case protocol.AnswerAhead() if match is not None:
                if self._answers.get((frame.game, frame.side, frame.decision)) != frame.signature:  # else the very same is kept still
                    self._revoked[frame.signature] = match.hash_of(len(match.log) - 1)
            case protocol.DoAct() if match is not None and not match.viewer:  # to a viewer no signatures are shown
                signatures = {signature for signature, asked_as in self._spent.items() if asked_as == frame.order_id}
                if signatures.isdisjoint(match.witnesses.spent):  # else it was done, and is asked for again
                    self._refused_acts.add(frame.order_id)

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
            return text("the server wrote down what you had asked for and it had refused, unless you asked for it anew elsewhere")
        signature = entry.signature[:SIGNATURE_BYTES]
        if not entry.order or not (signature in self._refused or self._is_revoked(match, entry, signature)):
            return None
        return text("the server wrote down an order of yours that it had refused or forgotten, unless you gave it anew elsewhere")

    def _is_revoked(self, match: Match, entry: Entry, signature: bytes) -> bool:
        """Say whether an answer was revoked before it was used; a game that comes anew tells once more where it was used before."""
        if (last := self._revoked.get(signature)) is None:
            return False
        known = next((one.number for one in reversed(match.log.entries) if one.hash == last), None)
        if known is None:
            return not any(last)  # nothing was known of the game then
        return not entry.k or not any(one.hash == entry.pending for one in match.log.entries[: known + 1])  # it may have waited for dice

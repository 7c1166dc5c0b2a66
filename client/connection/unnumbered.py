"""What was asked for without an id: which of it refusals are of that name none, where only that can be meant.

It would be a guess else: that somebody was set at a seat by what was refused is told to no player who only did several things at once.
"""

from __future__ import annotations

from core import protocol

OTHERS = protocol.Follow | protocol.Unfollow | protocol.ReadChat  # what is refused by words of its own, or never
NO_ACT = (protocol.CLOSED, protocol.FOLLOWS_MANY, protocol.READS_MUCH)  # by which words


class Unnumbered:
    """Keeps what one line sent without an id, each as long as it may have no answer yet, and one ping longer: others may tell of it."""

    def __init__(self) -> None:
        self._sent: dict[str, list[tuple[int, protocol.Frame]]] = {}  # by game, each behind how many pings
        self._refusals: dict[str, list[int]] = {}  # by game, of each that is not known of what it is: how many pings were answered by then

    def begin_anew(self) -> None:
        """What was sent over an earlier line is answered by nothing."""
        self._sent.clear()
        self._refusals.clear()

    def sends(self, frame: protocol.Frame, pinged: int, answered: int) -> None:
        """Take note that a frame is sent, behind so many pings, of which so many were answered."""
        game = getattr(frame, "game", "")
        if game and not hasattr(frame, "order_id") and not isinstance(frame, OTHERS):
            self._forget(game, answered)
            self._sent.setdefault(game, []).append((pinged, frame))

    def refused(self, game: str, why: str, *, answered: int) -> list[protocol.Frame]:
        """Return what is known by now to be refused at a game, and was not before.

        Args:
            why: the words that say so.
            answered: the number of the ping that was answered last: so is all that was sent before it.
        """
        if game not in self._sent:
            return []  # whatever games a server names, of those at which nothing was asked nothing is kept
        self._forget(game, answered)
        sent, refusals = self._sent[game], self._refusals[game]
        if why in NO_ACT or all(pinged < answered for pinged, _ in sent):
            return []
        refusals.append(answered)
        for first in sorted({pinged for pinged, _ in sent}):
            # Each refusal that came as that ping was answered is of one of these: as many of them as there are mean all.
            of_these = [frame for pinged, frame in sent if pinged >= first]
            if len(of_these) <= sum(one >= first for one in refusals):
                self._sent[game] = [one for one in sent if one[0] < first]
                self._refusals[game] = [one for one in refusals if one < first]
                return of_these
        return []

    def _forget(self, game: str, answered: int) -> None:
        """Forget what has had its answer for a ping and longer, with the refusals of that time."""
        self._sent[game] = [one for one in self._sent.get(game, ()) if one[0] >= answered - 1]
        self._refusals[game] = [one for one in self._refusals.get(game, ()) if one >= answered - 1]

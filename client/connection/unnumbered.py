"""What was asked for without an id: which of it a refusal is of that names none, where only one thing can be meant.

It would be a guess else: that somebody was set at a seat by what was refused is told to no player who only did several things at once.
"""

from __future__ import annotations

from core import protocol

OTHERS = protocol.Follow | protocol.Unfollow | protocol.ReadChat  # what is refused by words of its own, or never
NO_ACT = (protocol.CLOSED, protocol.FOLLOWS_MANY, protocol.READS_MUCH)  # by which words


class Unnumbered:
    """Keeps what one line sent without an id, each as long as it may have no answer yet."""

    def __init__(self) -> None:
        self._sent: dict[str, list[tuple[int, protocol.Frame]]] = {}  # by game, each behind how many pings

    def begin_anew(self) -> None:
        """What was sent over an earlier line is answered by nothing."""
        self._sent.clear()

    def sends(self, frame: protocol.Frame, pinged: int, answered: int) -> None:
        """Take note that a frame is sent, behind so many pings, of which so many were answered."""
        game = getattr(frame, "game", "")
        if game and not hasattr(frame, "order_id") and not isinstance(frame, OTHERS):
            self._sent[game] = [*self._waiting(game, answered), (pinged, frame)]

    def refused(self, game: str, why: str, *, answered: int) -> protocol.Frame | None:
        """Return what is refused at a game, None where that is not known.

        Args:
            why: the words that say so.
            answered: the number of the ping that was answered last: so is all that was sent before it.
        """
        waiting = self._sent[game] = self._waiting(game, answered)
        return waiting.pop()[1] if len(waiting) == 1 and why not in NO_ACT else None

    def _waiting(self, game: str, answered: int) -> list[tuple[int, protocol.Frame]]:
        return [one for one in self._sent.get(game, ()) if one[0] >= answered]

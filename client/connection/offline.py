"""What is not asked for while there is no line: when it is back the game may have gone on, and who asked may think otherwise."""

from __future__ import annotations

from core import protocol
from core.text import Text, text

NO_LINE = text("there is no line to the server; it is tried again, and the game goes on when it is back")
NOT_LATER = (
    protocol.CreateGame, protocol.TakeSeat, protocol.LeaveSeat, protocol.AskRewind, protocol.Answer, protocol.GiveUp,
    protocol.ChooseFallback, protocol.DoAct, protocol.Say, protocol.AnswerAhead, protocol.Revoke,
)  # not an order: it holds for its moment alone


def why_not_now(frame: protocol.Frame, *, is_down: bool) -> Text | None:
    """Return why a frame is not sent, at once or later; None if it may be."""
    return NO_LINE if is_down and isinstance(frame, NOT_LATER) else None

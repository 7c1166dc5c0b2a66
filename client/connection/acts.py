"""Signing what is done at a table: a frame that becomes a table act bears its player's signature for that very act."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from core import protocol
from core.identity import act_then_message, undo_message
from core.log import AnyAct, Consent, Offer, Resign, Rewind, Seat
from core.match import Match

F = TypeVar("F", bound=protocol.Frame)
Sign = Callable[[bytes], bytes]


def act_of(frame: protocol.Frame, match: Match, player: str) -> AnyAct | None:
    """Return the act that a frame asks for, None if it asks for none that is signed."""
    match frame:
        case protocol.DoAct():
            return frame.act
        case protocol.Answer():
            return Consent(frame.offer, frame.yes)
        case protocol.GiveUp():
            return Resign(frame.side)
        case protocol.AskRewind():
            return Offer("rewind", frame.to)  # what becomes of it where it is not free
        case protocol.LeaveSeat():
            held = match.table.seats_of(frame.side, player)
            return Seat(frame.side, "", held[0].name if held and not frame.seat else frame.seat)
        case _:
            return None


def signed(frame: F, match: Match, player: str, sign: Sign) -> F:
    """Return a frame with the signature of the act that it asks for; as it is where it asks for none, or the game has no entry yet."""
    act = act_of(frame, match, player)
    if act is None or not len(match.log):
        return frame
    side, seq = getattr(frame, "side", ""), match.log.moved_at
    if isinstance(act, Rewind):
        return msgspec.structs.replace(frame, signature=sign(undo_message(match.game, side, seq, match.hash_of(seq), act.to)))
    changes = {"signature": sign(act_then_message(match.game, match.hash_of(len(match.log) - 1), side, act))}
    if isinstance(frame, protocol.AskRewind):
        changes["undo"] = sign(undo_message(match.game, side, seq, match.hash_of(seq), frame.to))
    return msgspec.structs.replace(frame, **changes)

"""Frames about what happens at the table and not in the game: seats, offers, resigning."""

from __future__ import annotations

from collections.abc import Iterable

from core import protocol
from core.log import Entry
from server.handlers import Table, in_room
from server.rooms import Room
from server.sessions import Session


async def take_seat(room: Room, session: Session, frame: protocol.TakeSeat) -> Iterable[Entry]:
    """Give a side to a player."""
    return await room.take_seat(frame.side, session.player)


async def leave_seat(room: Room, session: Session, frame: protocol.LeaveSeat) -> Iterable[Entry]:
    """Free a side."""
    return await room.leave_seat(frame.side, session.player)


async def ask_rewind(room: Room, session: Session, frame: protocol.AskRewind) -> Iterable[Entry]:
    """Go to another entry, or ask the others to."""
    return await room.ask_rewind(frame.side, frame.to, session.player)


async def answer(room: Room, session: Session, frame: protocol.Answer) -> Iterable[Entry]:
    """Take an answer to an offer."""
    return await room.answer(frame.side, frame.offer, yes=frame.yes, player=session.player)


async def give_up(room: Room, session: Session, frame: protocol.GiveUp) -> Iterable[Entry]:
    """Let a side resign."""
    return await room.resign(frame.side, session.player)


HANDLERS: Table = {
    protocol.TakeSeat: in_room(take_seat),
    protocol.LeaveSeat: in_room(leave_seat),
    protocol.AskRewind: in_room(ask_rewind),
    protocol.Answer: in_room(answer),
    protocol.GiveUp: in_room(give_up),
}

"""Frames that move a game: orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core import protocol
from core.errors import Refused
from core.text import text
from server import faultpoints, publishing, witness
from server.sessions import Session

if TYPE_CHECKING:
    from server.handlers import Table
    from server.service import Service


async def give(service: Service, session: Session, frame: protocol.Give) -> None:
    """Decide an order; it is acknowledged when its entry is durable, which may wait for links of other players."""
    room = service.room(frame.game)
    if session.role != protocol.OWNER and not service.limits.ordering.take(session.player):
        raise Refused("", text("you have given more orders than anybody can; wait a moment"))
    async with room.lock.of(session.user):
        before = room.match.view
        if room.gathering is not None:
            await witness.settle(service, room)  # a fault that was mended meanwhile lets the waiting order through first
        new = await room.give(frame, player=session.player, key=session.key)
        publishing.publish(service.sessions, room, new)
        number = room.answer_to(frame.order_id, session.player)
        if number is not None:
            faultpoints.reach("before it is accepted")
            mine = room.viewers.number(room.viewer(session.player), number)
            service.sessions.send(session, protocol.Accepted(frame.game, frame.order_id, mine))
        if room.gathering is not None:
            witness.ask(service, room)
        del before  # the position from before takes a while to free: only now that the order is answered


HANDLERS: Table = {protocol.Give: give}

"""Frames that move a game: orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core import protocol
from server import publishing
from server.sessions import Session

if TYPE_CHECKING:
    from server.handlers import Table
    from server.service import Service


async def give(service: Service, session: Session, frame: protocol.Give) -> None:
    """Decide an order; it is acknowledged when its entry is durable."""
    room = service.room(frame.game)
    async with room.lock:
        new = await room.give(frame.side, frame.order, player=session.player, order_id=frame.order_id, seq=frame.seq)
        publishing.publish(service.sessions, room, new)
        service.sessions.send(session, protocol.Accepted(frame.game, frame.order_id, room.orders[frame.order_id]))


HANDLERS: Table = {protocol.Give: give}

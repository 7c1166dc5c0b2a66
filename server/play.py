"""Frames that move a game: orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core import protocol
from core.errors import Refused
from core.identity import verify
from core.text import text
from core.units import Side
from server import faultpoints, publishing, witness
from server.rooms import Room
from server.sessions import Session

if TYPE_CHECKING:
    from server.handlers import Table
    from server.service import Service


async def give(service: Service, session: Session, frame: protocol.Give) -> None:
    """Decide an order; it is acknowledged when its entry is durable, which may wait for links of other players."""
    room = service.room(frame.game)
    if session.role != protocol.OWNER and not service.ordering.take(session.player):
        raise Refused("", text("you have given more orders than anybody can; wait a moment"))
    async with room.lock:
        before = room.match.view
        if room.gathering is not None:
            await witness.settle(service, room)  # a fault that was mended meanwhile lets the waiting order through first
        signed_by = ""
        viewer = room.viewer(session.player)
        is_seated = bool(room.match.table.sides_of(session.player))  # who is not is refused without a word of where the game stands
        if is_seated and room.answer_to(frame.order_id, session.player) is None and frame.seq == room.viewers.seq(viewer):
            check_signature(room, viewer, session, frame)
            signed_by = session.key
        new = await room.give(
            frame.side, frame.order, player=session.player, order_id=frame.order_id, seq=frame.seq, signature=frame.signature,
            signed_by=signed_by,
        )
        publishing.publish(service.sessions, room, new)
        number = room.answer_to(frame.order_id, session.player)
        if number is not None:
            faultpoints.reach("before it is accepted")
            mine = room.viewers.number(room.viewer(session.player), number)
            service.sessions.send(session, protocol.Accepted(frame.game, frame.order_id, mine))
        if room.gathering is not None:
            witness.ask(service, room)
        del before  # the position from before takes a while to free: only now that the order is answered


def check_signature(room: Room, viewer: Side, session: Session, frame: protocol.Give) -> None:
    """Refuse an order that is not signed, at this moment of this very game, by the key of whoever gives it, as *viewer*."""
    message = room.viewers.order_bytes(viewer, frame.side, frame.order)
    if not verify(session.key, message, frame.signature):
        raise Refused("", text("the order is not signed by the key of {player}", player=session.player))


HANDLERS: Table = {protocol.Give: give}

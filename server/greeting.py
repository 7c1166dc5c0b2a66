"""What somebody is told with a game that he follows and what is no entry of it: its people, its chat, whom it waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from server import chat, spectators, tending
from server.rooms import Room
from server.sessions import Session

if TYPE_CHECKING:
    from server.service import Service


async def greet(service: Service, room: Room, session: Session) -> None:
    """Tell a new follower of a game what is no entry of it."""
    await chat.send_history(service, session, room.stored.game)
    service.presence.tell(room, session)
    now = room.now_ms()
    seen = spectators.sight(room, session.player, now)
    told = tending.waiting(room, now, seen.viewer) if seen.upto is None and not seen.is_closed else tending.seats_alone(room, now)
    tending.tell_waiting(service, session, told)

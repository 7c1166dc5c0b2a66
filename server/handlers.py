"""Which function answers which frame.

A module that answers frames has a table ``HANDLERS`` from frame type to function, and stands in `server.service.MODULES`. A handler may
raise `Refused` or `BadInput`: whoever asked is told. `in_room` makes one of a function that moves a game: all of a game's frames are
handled one after another, and the entries it returns go to the followers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from core import protocol
from core.errors import Refused
from core.log import Entry
from server import publishing
from server.rooms import Room
from server.sessions import Session

if TYPE_CHECKING:
    from server.service import Service

F = TypeVar("F", bound=protocol.Frame)
Handler = Callable[["Service", Session, F], Awaitable[None]]
Mover = Callable[[Room, Session, F], Awaitable[Iterable[Entry]]]
Table = Mapping[type[protocol.Frame], Handler[Any]]


def in_room(move: Mover[F]) -> Handler[F]:
    """Return a handler that calls *move* with the frame's game, alone, by the log's numbers, and publishes the entries it returns."""

    async def handle(service: Service, session: Session, frame: F) -> None:
        room = service.room(frame.game)  # type: ignore[attr-defined]
        async with room.lock.of(session.user):
            with by_the_logs_numbers(room, session, frame) as understood:
                new = await move(room, session, understood)
            publishing.publish(service.sessions, room, new)

    return handle


@contextmanager
def by_the_logs_numbers(room: Room, session: Session, frame: F) -> Iterator[F]:
    """Yield a frame with the log's numbers of the entries that it names; a refusal meanwhile names them by those of whoever asked.

    Raises:
        Refused: he knows no such entry, or what was refused.
    """
    viewer = publishing.viewer(room, session.player)
    publishing.permit_numbers(room, session, frame)
    understood = room.viewers.understood(viewer, frame)
    try:
        yield understood
    except Refused as refused:
        raise room.viewers.told(viewer, refused) from refused


def collected(modules: Iterable[ModuleType]) -> Table:
    """Return the handlers of all modules; no frame has two."""
    table: dict[type[protocol.Frame], Handler[Any]] = {}
    for module in modules:
        for frame, handler in module.HANDLERS.items():
            assert frame not in table, f"{frame.__name__} has a second handler in {module.__name__}"
            table[frame] = handler
    return table

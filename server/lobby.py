"""Frames before and around a game: hello, lists, new games, following."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

from core import protocol
from core.errors import BadInput, Refused
from core.text import text
from server import publishing
from server.sessions import Session

if TYPE_CHECKING:
    from server.handlers import Table
    from server.service import Service

MAX_PLAYERS = 10_000
TOKEN_BYTES = 32


async def hello(service: Service, session: Session, frame: protocol.Hello) -> None:
    """Let somebody show who he is."""
    if frame.version != protocol.VERSION:
        raise BadInput.one("hello: version", str(protocol.VERSION), frame.version)
    token = frame.token
    known = service.players.get(frame.name)
    if known is None:
        if len(service.players) >= MAX_PLAYERS:
            raise Refused("", text("this server takes no more players"))
        token = frame.token if len(frame.token) >= TOKEN_BYTES else secrets.token_bytes(TOKEN_BYTES)
        await service.add_player(frame.name, _digest(token))
    elif not hmac.compare_digest(known, _digest(token)):
        raise Refused("", text("the name {name} belongs to somebody else here", name=frame.name))
    session.player = frame.name
    service.sessions.remember(session)
    service.sessions.send(session, protocol.Welcome(protocol.VERSION, frame.name, token, protocol.MAX_FRAME, service.program))


async def ping(service: Service, session: Session, frame: protocol.Ping) -> None:
    """Say that we are here."""
    service.sessions.send(session, protocol.Pong())


async def list_games(service: Service, session: Session, frame: protocol.ListGames) -> None:
    """Tell the games."""
    service.sessions.send(session, protocol.Games(tuple(room.line() for room in service.rooms.values())))


async def create(service: Service, session: Session, frame: protocol.CreateGame) -> None:
    """Begin a game, or tell of the one that an earlier asking began."""
    room = await service.create(frame)
    service.sessions.send(session, protocol.Games((room.line(),)))


async def follow(service: Service, session: Session, frame: protocol.Follow) -> None:
    """Send a game from an entry on."""
    await publishing.follow(service.sessions, service.room(frame.game), session, frame.after)


async def unfollow(service: Service, session: Session, frame: protocol.Unfollow) -> None:
    """Send a game no more."""
    session.follows.discard(frame.game)


async def need_pack(service: Service, session: Session, frame: protocol.NeedPack) -> None:
    """Send a scenario pack."""
    await publishing.send_pack(service.sessions, service.store, session, frame.pack)


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


HANDLERS: Table = {
    protocol.Hello: hello,
    protocol.Ping: ping,
    protocol.ListGames: list_games,
    protocol.CreateGame: create,
    protocol.Follow: follow,
    protocol.Unfollow: unfollow,
    protocol.NeedPack: need_pack,
}

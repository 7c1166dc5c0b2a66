"""Frames before and around a game: hello, lists, new games, following."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core import protocol
from core.errors import BadInput, Refused
from core.text import text
from server import publishing, security, tending, witness
from server.accounts import user_of
from server.greeting import greet
from server.listing import lines
from server.sessions import Session

if TYPE_CHECKING:
    from server.handlers import Table
    from server.service import Service

MOST_TABLES = 20  # games that somebody may own at which nobody else sits
TABLES_PER_S = 0.1  # and how many he may begin each second after as many: two who sit down at each other's could fill the disk
MOST_FOLLOWED = 1_000  # games that one key may follow: each stays in memory, and is told of in the answer to each ping
logger = logging.getLogger("rasputitsa.server")


async def hello(service: Service, session: Session, frame: protocol.Hello) -> None:
    """Let somebody show who he is: the key that he names must be the one that his connection is encrypted with."""
    if frame.version != protocol.VERSION:
        words = "this server ({program}) speaks version {ours} of the protocol, and your program {theirs} version {version}"
        theirs = frame.program or "?"
        raise Refused("", text(words, program=service.program, ours=protocol.VERSION, theirs=theirs, version=frame.version))
    if not frame.key or user_of(frame.key) != session.user:
        raise BadInput.one("hello: key", "the key that this connection is encrypted with", frame.key or "none")
    known = service.accounts.of_user(session.user)
    source = security.source(session.address)
    if known is None and frame.invite:
        if not service.limits.codes.take(source):
            raise Refused("", text("too many invite codes were tried from your address; wait a minute"))
        if service.accounts.lets_in(frame.invite):
            service.limits.codes.give_back(source)  # a club behind one address is many newcomers with good codes
    needs_none = known is None and not frame.invite and service.accounts.is_open and not security.is_loopback(session.address)
    if needs_none and not service.limits.naming.take(source):
        raise Refused("", text("too many names were taken from your address; wait a minute, or bring an invite code"))
    greets_again = bool(session.key)
    account = await service.accounts.enter(frame.key, frame.name, frame.invite, suggested=frame.suggested)
    session.player, session.key, session.role = account.name, account.key, account.role
    session.program = _plain(frame.program)
    service.sessions.remember(session)
    if not greets_again:  # else somebody could fill the log, which keeps so much and no more, with himself
        is_new = known is None and bool(account.name)  # who looks after the server without a name takes none, and never is
        logger.info("hello", extra=session.told() | ({"new": True} if is_new else {}))
    welcome = protocol.Welcome(protocol.VERSION, account.name, account.role, protocol.MAX_ASKED, service.program)
    service.sessions.send(session, welcome)


def _plain(program: str) -> str:
    """Return what a program says that it is as others are told it: short, and in letters that are taken for nothing else."""
    return re.sub(rf"[^{protocol.PROGRAM_LETTERS}]", "?", program)[: protocol.LONGEST_PROGRAM].strip()


async def ping(service: Service, session: Session, frame: protocol.Ping) -> None:
    """Say that we are here, and what was sent up to now, so that the peer finds out what it lacks."""
    last = {game: number for game, (_, number) in session.sent.items() if game in session.follows}
    service.sessions.send(session, protocol.Pong(last, number=frame.number))


async def list_games(service: Service, session: Session, frame: protocol.ListGames) -> None:
    """Tell the games, or what has changed of them."""
    online = service.presence.online()
    own = service.rooms.own_lines(session.player, online) if session.player else ()
    for message in service.listing.messages(service.rooms.lines(online), frame.known, own):
        if not await service.sessions.send_bytes_patiently(session, message):
            return


async def create(service: Service, session: Session, frame: protocol.CreateGame) -> None:
    """Begin a game, or tell of the one that an earlier asking began."""
    if frame.game not in service.rooms:
        _check_referees(service, frame.terms.referees)
    room = await service.create(frame, session.player, most=None if session.role == protocol.OWNER else MOST_TABLES)
    service.sessions.send(session, protocol.Games(lines(service, (room,), session.player)))


def _check_referees(service: Service, names: Sequence[str]) -> None:
    """Refuse a referee whose name nobody holds here: it would be whoever takes it, and lists tell all of it."""
    for number, name in enumerate(names):
        if not service.accounts.is_held(name):
            raise BadInput.one(f"terms: referees[{number}]", "a name that somebody holds here", name)


async def follow(service: Service, session: Session, frame: protocol.Follow) -> None:
    """Send a game from an entry on."""
    room = service.room(frame.game)
    _check_may_follow(service, session, frame.game)
    missing = publishing.missing(room, session, frame)
    if many := missing // security.CATCH_ENTRIES:  # the game itself was counted when it was asked for
        service.count_reading(session, many)
    with room.in_use():
        try:
            await publishing.follow(service.sessions, room, session, frame)
        except Refused:  # he follows it all the same: were he told nothing now, the next entry would bring it, and tell when it came
            tending.tell_waiting(service, session, tending.seats_alone(room, room.now_ms()))
            raise
    witness.ask(service, room, among=(session,))  # before anything else is told: who is named late first was not asked
    await greet(service, room, session)


def _check_may_follow(service: Service, session: Session, game: str) -> None:
    """Refuse one game too many, over whatever lines of its key it is asked for."""
    theirs = service.sessions.of_user(session.user)
    if sum(len(one.follows) for one in theirs) < MOST_FOLLOWED:
        return
    followed = set().union(*(one.follows for one in theirs))  # a line that was cut a moment ago still counts, with what is asked for anew
    if game not in followed and len(followed) >= MOST_FOLLOWED:
        raise Refused("", text(protocol.FOLLOWS_MANY, n=len(followed)))


async def unfollow(service: Service, session: Session, frame: protocol.Unfollow) -> None:
    """Send a game no more."""
    service.sessions.unfollow(session, frame.game)


async def need_pack(service: Service, session: Session, frame: protocol.NeedPack) -> None:
    """Send a scenario pack, or the rest of it."""
    service.count_reading(session)
    await publishing.send_pack(service.sessions, service.store, session, frame.pack, after=frame.after)


HANDLERS: Table = {
    protocol.Hello: hello,
    protocol.Ping: ping,
    protocol.ListGames: list_games,
    protocol.CreateGame: create,
    protocol.Follow: follow,
    protocol.Unfollow: unfollow,
    protocol.NeedPack: need_pack,
}

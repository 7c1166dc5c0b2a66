"""Chat: stored beside the games and no part of their logs; who may write where, who reads what, and how much.

Rooms of a game: ``game`` (its players and referees write; spectators read it too, unless the game is closed to them, or shown to them
later, until it ends: players talk of what has just happened), ``side:`` and a side's name (only who sits there), ``spectators`` (who has
played reads it after the end, or if the owner lets him). The server's own: ``lobby``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core import protocol
from core.errors import BadInput, Refused
from core.log import Admit
from core.protocol import ChatLine
from core.table_rules import is_referee
from core.terms import CLOSED
from core.text import text
from server import faultpoints, spectators, steady
from server.rooms import Room
from server.sessions import Session
from server.store.contract import Store
from server.store.durable import durable
from server.table import LETS_RULE
from server.viewers import bunches

if TYPE_CHECKING:
    from server.handlers import Table
    from server.service import Service

LOBBY, GAME, SIDE, SPECTATORS = "lobby", "game", "side:", "spectators"
HISTORY = 200  # lines that are sent to whoever comes
BURST, PER_S = 8, 0.5  # lines that somebody may write at once, and each second after that


# -------------------------------------------------------------------- who


def rooms_of(room: Room) -> tuple[str, ...]:
    """Return the names of a game's rooms."""
    return GAME, *(SIDE + side for side in room.match.table.sides), SPECTATORS


def may_write(room: Room, session: Session, name: str) -> None:
    """Check that somebody may write in a room of a game; Refused if not, BadInput if there is no such room."""
    table = room.match.table
    if name not in (GAME, SPECTATORS) and name.removeprefix(SIDE) not in table.sides:
        raise BadInput.one("room", " or ".join(rooms_of(room)), name)
    seated, over = session.player in table.players(), spectators.is_over(room)
    if name == GAME and not seated and not is_referee(table, session.player, role=session.role in LETS_RULE):
        raise Refused("", text("who holds no seat writes in the spectators' room"))
    if name == SPECTATORS and seated and not over:
        raise Refused("", text("players write in the room of the game while it runs"))
    if name == SPECTATORS and session.player in table.has_played and not over:
        raise Refused("", text("who has played does not talk with spectators while the game runs"))
    if name == SPECTATORS and not seated and table.spectators.view == CLOSED and not over:
        raise Refused("", text("the game is closed until it ends"))
    if name.startswith(SIDE) and session.player not in table.holders(name.removeprefix(SIDE)):
        raise Refused("", text("only who sits at {side} writes there", side=name.removeprefix(SIDE)))


def may_read(room: Room, player: str, name: str, *, role: str) -> bool:
    """Say whether somebody may read a room of a game now."""
    table, over = room.match.table, spectators.is_over(room)
    seated = player in table.players()
    if name.startswith(SIDE):
        return player in table.holders(name.removeprefix(SIDE))
    if is_referee(table, player, role=role in LETS_RULE) or over:
        return True
    if name == SPECTATORS:  # nor does a player who leaves his seat for a moment
        return table.spectators.chat or not (seated or player in table.has_played)
    return seated or not (table.spectators.view == CLOSED or spectators.are_held_up(room))


def _readable(room: Room, session: Session) -> dict[str, int]:
    """Return the rooms of a game that somebody may read now, each with since when: 0 from the first line."""
    rooms = {name: 0 for name in rooms_of(room) if may_read(room, session.player, name, role=session.role)}
    table = room.match.table
    if SPECTATORS in rooms and session.player in table.players() | table.has_played and not spectators.is_over(room):
        rooms[SPECTATORS] = _let_in_since(room)
    return rooms


def _let_in_since(room: Room) -> int:
    """Return since when players may read what spectators say while the game runs: not what they said while players could not."""
    since_ms = 0 if room.match.terms.spectators.chat else None
    for entry in room.match.log.acts():
        if isinstance(entry.act, Admit):
            since_ms = (entry.time_ms if since_ms is None else since_ms) if entry.act.spectators.chat else None
    return since_ms or 0


# -------------------------------------------------------------------- keeping


async def keep(store: Store, frame: protocol.Say, player: str, now_ms: int) -> tuple[ChatLine, bool]:
    """Write a line down; return it, and whether it is new: this id of the player's was not written before."""
    line = ChatLine(-1, now_ms, frame.room, player, frame.text)
    return await durable(store.add_line(frame.game, line, line_id=frame.order_id))


# -------------------------------------------------------------------- frames


async def say(service: Service, session: Session, frame: protocol.Say) -> None:
    """Keep a line and send it to whoever may read it and is there; one that is kept already is answered as it was then."""
    room = service.room(frame.game) if frame.game else None
    if (known := service.store.line_of(frame.game, session.player, frame.order_id)) is not None:
        service.sessions.send(session, protocol.Accepted(frame.game, frame.order_id, known.number))
        return
    if room is not None:
        may_write(room, session, frame.room)
    elif frame.room != LOBBY:
        raise BadInput.one("room", LOBBY, frame.room)
    if not service.limits.talk.take(session.player):
        raise Refused("", text("you write faster than others read; wait a moment"))
    now_ms = steady.now_ms() if room is None else room.now_ms()  # as its entries have it: from some of them on who plays may read
    line, is_new = await keep(service.store, frame, session.player, now_ms)
    faultpoints.reach("after chat")
    told = protocol.Chat(frame.game, (line,))
    for other in readers(service, frame.game, line) if is_new else ():
        service.sessions.send(other, told)
    service.sessions.send(session, protocol.Accepted(frame.game, frame.order_id, line.number))


def readers(service: Service, game: str, line: ChatLine) -> list[Session]:
    """Return the connections that a new line goes to."""
    if not game:
        return [session for session in service.sessions if session.in_lobby]
    room = service.room(game)
    return [
        session for session in service.sessions.followers(game) if may_read(room, session.player, line.room, role=session.role)
    ]


async def read_chat(service: Service, session: Session, frame: protocol.ReadChat) -> None:
    """Send what was written, as far as it may be read; whoever reads the lobby hears what is written there from now on."""
    if not frame.game:
        session.in_lobby = True
    await send_history(service, session, frame.game, frame.after)


async def send_history(service: Service, session: Session, game: str, after: int = -1) -> None:
    """Send the latest lines that somebody may read."""
    room = service.room(game) if game else None
    # Looked for in these rooms alone: how many there are must not hang on how much is talked where he may not read.
    rooms = {LOBBY: 0} if room is None else _readable(room, session)
    lines = service.store.lines(game, rooms=rooms, after=after, most=HISTORY)
    for bunch in bunches(lines):
        if not await service.sessions.send_patiently(session, protocol.Chat(game, bunch)):
            return


HANDLERS: Table = {protocol.Say: say, protocol.ReadChat: read_chat}

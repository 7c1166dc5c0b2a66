"""Frames of a server's owners: invites, roles, who is shut out, how the server is, its end."""

from __future__ import annotations

import itertools
import logging
import time
from collections import Counter
from typing import TYPE_CHECKING

from core import protocol
from core.errors import Refused
from core.identity import fingerprint
from core.text import text
from server.accounts import digest_of, mark_of, user_of
from server.memory import memory
from server.presence import SILENT_S, programs_of
from server.sessions import SHUT_OUT, Session

if TYPE_CHECKING:
    from server.handlers import Table
    from server.service import Service

MEMBERS, FAULTY, INVITES = 2_000, 200, 200  # listed at most
WHY = 300  # letters of why a game can't be read
logger = logging.getLogger("rasputitsa.server")


async def make_invite(service: Service, session: Session, frame: protocol.MakeInvite) -> None:
    """Make an invite code and tell it to whoever asked."""
    code = await service.accounts.invite(frame.role, uses=frame.uses, days=frame.days, by=session.player, key=session.key)
    logger.info("invite made", extra={"by": session.player, "role": frame.role, "uses": frame.uses, "days": frame.days})
    service.sessions.send(session, protocol.Invite(code, frame.role, frame.uses, frame.days, mark_of(digest_of(code))))


async def revoke_invite(service: Service, session: Session, frame: protocol.RevokeInvite) -> None:
    """Let an invite code let nobody in any more."""
    await service.accounts.revoke(frame.code)
    logger.info("invite revoked", extra={"by": session.player})
    await ask_status(service, session, protocol.AskStatus())


async def give_role(service: Service, session: Session, frame: protocol.GiveRole) -> None:
    """Give a name a role, here and now."""
    account = await service.accounts.grant(frame.name, frame.role)
    for theirs in service.sessions.of_user(user_of(account.key)):  # also where he looks after the server without his name
        theirs.role = account.role
    logger.info("role given", extra={"by": session.player, "player": account.name, "role": account.role})
    await ask_status(service, session, protocol.AskStatus())


async def kick(service: Service, session: Session, frame: protocol.Kick) -> None:
    """Shut a name out: its lines are ended, and its key gets none any more."""
    account = await service.accounts.shut_out(frame.name)
    words = text("{name} was shut out of this server", name=account.name)
    for theirs in service.sessions.of_user(user_of(account.key)):
        service.sessions.dismiss(theirs, protocol.NotAccepted("", "", "", words), SHUT_OUT)
    logger.warning("shut out", extra={"by": session.player, "player": account.name})
    await ask_status(service, session, protocol.AskStatus())


async def end_server(service: Service, session: Session, frame: protocol.EndServer) -> None:
    """End the server, if it was left to run by whoever started it; the games are kept."""
    if service.ending is None:
        raise Refused("", text("this server was not started by a window: whoever started it ends it there"))
    logger.warning("ended", extra={"by": session.player})
    service.sessions.send(session, protocol.Accepted("", protocol.ENDED, 0))
    service.ending.set()


async def ask_status(service: Service, session: Session, frame: protocol.AskStatus) -> None:
    """Tell how the server is."""
    service.sessions.send(session, status(service))


def status(service: Service) -> protocol.Status:
    """Return how the server is."""
    there = [session for session in service.sessions if not session.is_silent(SILENT_S) and service.sessions.is_there(session)]
    here, programs = Counter(session.player for session in there), programs_of(there)
    # Whoever is here first, then who may do most, as a message has not room for ten thousand.
    accounts = sorted(service.accounts, key=lambda one: (not here[one.name], -protocol.ROLES.index(one.role)))
    members = tuple(
        protocol.Member(one.name, one.role, one.is_shut_out, fingerprint(one.key), here[one.name], programs.get(one.name, ()))
        for one in accounts[:MEMBERS]
    )
    faulty = {game: why[:WHY] for game, why in itertools.islice(service.faulty.items(), FAULTY)}
    uptime, queue = int(time.monotonic() - service.began), service.sessions.waiting + service.store.waiting
    return protocol.Status(
        service.program, uptime, memory(), here.total(), queue, len(service.rooms), faulty, members,
        max(0, len(accounts) - MEMBERS), service.tending.look_at_store(), len(service.faulty) - len(faulty),
        tuple(service.accounts.open_invites()[:INVITES]), service.ending is not None,
    )


HANDLERS: Table = {
    protocol.MakeInvite: make_invite,
    protocol.RevokeInvite: revoke_invite,
    protocol.GiveRole: give_role,
    protocol.Kick: kick,
    protocol.AskStatus: ask_status,
    protocol.EndServer: end_server,
}

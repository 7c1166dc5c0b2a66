"""Who may connect: the server's CURVE key, and the gate that libzmq asks about every key (ZAP, RFC 27).

A client proves in the handshake that it holds the key that it names; the gate then lets it in or not, and its answer, the *user*, comes
with every message of that connection. Whoever has no name here yet is let in as well, but gets no further than `server.lobby.hello`.
Keys that were shut out get nothing, and unknown ones from one address only so many a minute.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import time
from collections.abc import Callable
from typing import Any

import zmq
import zmq.asyncio

from core import protocol
from core.errors import Refused
from core.identity import KEY_BYTES, Identity, key_text
from core.text import text

ZAP = "inproc://zeromq.zap.01"
DOMAIN = b"rasputitsa"
UNKNOWN_BURST, UNKNOWN_PER_S = 60, 1.0  # handshakes of unknown keys from one address
KNOWN_BURST, KNOWN_PER_S = 200, 2.0  # handshakes of a key that is known: each line takes one of the files that may be open
CODE_BURST, CODE_PER_S = 8, 0.1  # tries of an invite code from one address
ACT_BURST, ACT_PER_S, ACT_BYTES = 1_000, 5.0, 500  # acts and answers ahead of one player, kept as long as games: for so many bytes one
CATCH_BURST, CATCH_PER_S, CATCH_ENTRIES = 300, 1.0, 1_000  # games asked for by one player: each counts one, and one for so many entries
ORDER_BURST, ORDER_PER_S = 100_000, 5.0  # orders of one player: each is kept for ever, and the disk is the host's
NAME_BURST, NAME_PER_S = 60, 1 / 60  # names that are taken from one address without an invite: each is kept for ever
REFUSED_BURST, REFUSED_PER_S = 20, 1 / 60  # refused connections that the log tells of, which keeps so much and no more
HELD_OFF_S = 30.0  # whoever flooded his line may come again after that
ADDRESSES = 10_000  # remembered at most
FOR_OWNERS = frozenset((
    protocol.MakeInvite, protocol.RevokeInvite, protocol.GiveRole, protocol.Kick, protocol.AskStatus, protocol.TakeIn, protocol.EndServer,
))
FOR_PLAYERS = frozenset((protocol.CreateGame, protocol.TakeSeat, protocol.Give, protocol.AnswerAhead))
ACTS = frozenset((
    protocol.DoAct, protocol.TakeSeat, protocol.LeaveSeat, protocol.AskRewind, protocol.Answer, protocol.GiveUp, protocol.ChooseFallback,
    protocol.AnswerAhead, protocol.Revoke,
))
FOR_ANYBODY = frozenset((protocol.Hello, protocol.Ping, protocol.ListGames, protocol.Follow, protocol.Unfollow, protocol.NeedPack))
logger = logging.getLogger("rasputitsa.server.security")

Clock = Callable[[], float]


class Limit:
    """So many at once, then so many a second, for each of many.

    >>> now = [0.0]
    >>> limit = Limit(2, 1.0, clock=lambda: now[0])
    >>> [limit.take("10.0.0.7") for _ in range(3)], limit.take("10.0.0.8")
    ([True, True, False], True)
    """

    def __init__(self, burst: int, per_s: float, *, clock: Clock = time.monotonic) -> None:
        self._burst, self._per_s, self._clock = burst, per_s, clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, who: str, many: int = 1) -> bool:
        """Take one for *who*, or as *many*, if so many are left."""
        now = self._clock()
        left, since = self._left.pop(who, (float(self._burst), now))
        left = min(float(self._burst), left + (now - since) * self._per_s)
        allowed = left >= min(many, self._burst)
        self._left[who] = (max(0.0, left - many) if allowed else left, now)
        if len(self._left) > ADDRESSES:  # the longest unheard one has the most left
            del self._left[next(iter(self._left))]
        return allowed

    def give_back(self, who: str) -> None:
        """Undo the last `take` of *who*."""
        left, since = self._left.get(who, (float(self._burst), self._clock()))
        self._left[who] = min(float(self._burst), left + 1), since


def is_loopback(address: str) -> bool:
    """Say whether an address is this machine's own."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = found.ipv4_mapped if found.version == 6 else None
    return (mapped or found).is_loopback


def source(address: str) -> str:
    """Return what is counted as one address: of IPv6 the first half, as whoever has a network has all addresses of the other.

    >>> source("2001:db8::7") == source("2001:db8::8"), source("::ffff:10.0.0.7"), source("10.0.0.7")
    (True, '10.0.0.7', '10.0.0.7')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    return str(found.ipv4_mapped or ipaddress.IPv6Network((int(found), 64), strict=False))


class Gate:
    """Answers libzmq's question whether a key may connect.

    Args:
        known: says whether a user has a name here: limited for himself alone, and generously.
        shut: says whether a user was shut out.
        unlimited: says for which addresses nothing is counted.
    """

    def __init__(
        self,
        known: Callable[[str], bool],
        shut: Callable[[str], bool],
        *,
        unlimited: Callable[[str], bool] = is_loopback,
        clock: Clock = time.monotonic,
    ) -> None:
        self._known, self._shut, self._unlimited = known, shut, unlimited
        self._unknown = Limit(UNKNOWN_BURST, UNKNOWN_PER_S, clock=clock)
        self._often = Limit(KNOWN_BURST, KNOWN_PER_S, clock=clock)
        self._loggable, self._unlogged = Limit(REFUSED_BURST, REFUSED_PER_S, clock=clock), 0
        self._clock = clock
        self._held_off: dict[str, float] = {}  # keys, and addresses of such as nobody knows, until when

    def hold_off(self, user: str, address: str) -> None:
        """Let a key that has flooded its line not in for a while; nor, if nobody knows it, any such from its address."""
        who = user if self._known(user) or self._unlimited(address) else source(address)
        self._held_off.pop(who, None)
        self._held_off[who] = self._clock() + HELD_OFF_S
        if len(self._held_off) > ADDRESSES:
            del self._held_off[next(iter(self._held_off))]

    def _is_held_off(self, user: str, address: str) -> bool:
        who = source(address) if source(address) in self._held_off and not self._known(user) else user
        return self._clock() < self._held_off.get(who, 0.0)

    def decide(self, address: str, mechanism: bytes, credentials: list[bytes]) -> tuple[bytes, bytes, str]:
        """Return ZAP's status and reason, and the user."""
        if mechanism != b"CURVE" or len(credentials) != 1 or len(credentials[0]) != KEY_BYTES:
            return b"400", b"CURVE is required", ""
        user = key_text(credentials[0])
        if self._shut(user):
            return b"400", b"this key was shut out", ""
        if self._is_held_off(user, address):
            return b"300", b"its line was flooded a moment ago", ""
        if self._known(user):
            if not self._often.take(user):
                return b"300", b"too many connections of your key", ""
        elif not self._unlimited(address) and not self._unknown.take(source(address)):
            return b"300", b"too many new keys from your address", ""
        return b"200", b"OK", user

    def open(self, context: zmq.asyncio.Context) -> asyncio.Task[None]:
        """Bind the socket that libzmq asks at, and answer there until the task is cancelled; to be called before any other bind.

        Raises:
            zmq.ZMQError: another gate is open in this context.
        """
        socket: zmq.asyncio.Socket = context.socket(zmq.REP)
        socket.setsockopt(zmq.LINGER, 0)
        try:
            socket.bind(ZAP)
        except zmq.ZMQError:
            socket.close()
            raise
        task = asyncio.create_task(self._answer(socket))
        task.add_done_callback(lambda _: socket.close())
        return task

    async def _answer(self, socket: zmq.asyncio.Socket) -> None:
        while True:
            request = await socket.recv_multipart()
            await socket.send_multipart(self._reply(request))

    def _reply(self, request: list[bytes]) -> list[bytes]:
        version, number, domain, address, _, mechanism, *credentials = request
        if version != b"1.0" or domain != DOMAIN:
            return [b"1.0", number, b"500", b"not asked so", b"", b""]
        where = address.decode(errors="replace")
        status, reason, user = self.decide(where, mechanism, credentials)
        if status != b"200":
            self._log_refused(where, reason.decode())
        return [b"1.0", number, status, reason, user.encode(), b""]

    def _log_refused(self, address: str, reason: str) -> None:
        """Tell the log of a refused connection, and with it of how many before that it was not told."""
        if not self._loggable.take(""):
            self._unlogged += 1
            return
        told = {"address": address, "reason": reason, **({"before": self._unlogged} if self._unlogged else {})}
        self._unlogged = 0
        logger.info("connection refused", extra=told)


def is_ours(peer: bytes) -> bool:
    """Say whether a routing id is of the kind that ROUTER makes: a zero and four bytes from a random start.

    Who chose his own could choose another's, and get what is sent to that one after he has left. These can't be guessed.
    """
    return len(peer) == 5 and peer[0] == 0


def check_role(player: str, role: protocol.Role, frame: protocol.Frame) -> None:
    """Refuse a frame that is not for everybody to whoever has not the role for it."""
    kind = type(frame)
    if kind in FOR_OWNERS and role != protocol.OWNER:
        raise Refused("", text("that is for the owner of this server"))
    if not player and kind not in FOR_OWNERS and kind not in FOR_ANYBODY:
        raise Refused("", text("take a name first: join with one"))
    if kind in FOR_PLAYERS and role == protocol.SPECTATOR:
        raise Refused("", text("you are a spectator on this server; its owner can make you a player"))


def encrypt(socket: zmq.Socket[Any], identity: Identity) -> None:
    """Make a socket one that only speaks CURVE, and asks the gate; where no gate is open nobody gets in."""
    socket.setsockopt(zmq.CURVE_SERVER, 1)
    socket.setsockopt(zmq.CURVE_SECRETKEY, identity.curve_secret())
    socket.setsockopt(zmq.ZAP_DOMAIN, DOMAIN)
    socket.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)

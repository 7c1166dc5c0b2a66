"""The connections of a server: who is behind each, what it follows, and how something is sent to it.

A peer that can't be reached is forgotten: whatever it sends next is answered by `WhoAreYou`, and it catches up with `Follow`. One that does
not read has its line ended as well: libzmq keeps what was sent over it for as long as it is open. Nobody waits for either.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Coroutine, Iterator
from typing import Any
from weakref import WeakValueDictionary

import zmq

from core import protocol
from server import always, endless
from server.wire import Wire

PATIENCE_S = 20.0  # how long a peer that catches up may take for room for one message
WAIT_S = 0.02
READ_S = 1.0  # in which whoever is dismissed can have read why
MAX_SESSIONS = 5_000  # connections that are remembered; the longest silent ones are forgotten first
MOST_OWED, MOST_OWED_BYTES = 1_000, 1 << 18  # messages, and their size together, for which there is no room yet
MOST_ENDED = 1_000  # peers that are known not to be there any more; the server gives none their ids again
UNREAD, SHUT_OUT = "nothing is read on it", "shut out"  # why lines are ended
_STILL_HERE = protocol.encode(protocol.Pong(is_busy=True))  # tells a client nothing that it would act on
MOST_OF_ONE = 100  # of them of one key: whoever opens very many pushes out his own, and nobody else's


class Session:
    """What is known of one connection.

    Attributes:
        peer: where answers go; it identifies nobody.
        user: whose connection it is, as the gate said: the CURVE key that was proved in the handshake.
        address: where it comes from, over the *line* that has this descriptor here.
        taken_bytes: how much has come of it, as it came over the line, about.
        player: the name that he holds, empty before his hello.
        key: the key that the name belongs to, empty before his hello.
        role: what he may do.
        program: what his program says that it is, in the letters of `protocol.Program`.
        follows: the games it is sent; changed by `Sessions.follow` and `unfollow`.
        sent: as which viewer it is sent a game, and the last entry that it was sent, by his numbers.
        catching_up: what sends it the much that it misses of a game, as it takes that in; ended as it follows that no more.
        waits: what it was told last of whom a game waits for.
        in_lobby: whether it is sent the lobby's chat.
        heard_s: when it was heard last, on the monotonic clock.
        inbox: what it sent and waits to be answered, of *inbox_bytes* together.
        dropped: how much more it has sent since all was answered, for which there was no room.
        begun_s: when the message that is being answered was begun; None while none is.
        owed: what he is to be sent as soon as there is room for it, of *owed_bytes* together.
    """

    def __init__(self, peer: bytes, user: str) -> None:
        self.peer, self.user, self.address = peer, user, ""
        self.line, self.taken_bytes = -1, 0
        self.player = ""
        self.key = ""
        self.role: protocol.Role = protocol.SPECTATOR
        self.program = ""
        self.follows: set[str] = set()
        self.sent: dict[str, tuple[str, int]] = {}
        self.catching_up: dict[str, asyncio.Task[None]] = {}
        self.waits: dict[str, tuple[object, ...]] = {}
        self.in_lobby = False
        self.heard_s = time.monotonic()
        self.inbox: deque[bytes] = deque()
        self.inbox_bytes = self.dropped = 0
        self.begun_s: float | None = None
        self.owed: deque[bytes] = deque()
        self.owed_bytes = 0

    def told(self) -> dict[str, object]:
        """Return who it is, as logs tell it: without the name that an owner may lack."""
        told: dict[str, object] = {"player": self.player, "role": self.role}
        return told if self.player else {"role": self.role}

    def is_at_work_for(self, seconds: float) -> bool:
        """Say whether one of its messages has been being answered for so long."""
        return self.begun_s is not None and time.monotonic() - self.begun_s > seconds

    def is_silent(self, seconds: float) -> bool:
        """Say whether nothing was heard for so long; clients say something every few seconds."""
        return time.monotonic() - self.heard_s > seconds


class Sessions:
    """All connections, the longest silent first.

    Attributes:
        ended: how many lines were ended.
    """

    def __init__(self) -> None:
        self._all: dict[bytes, Session] = {}
        self._by_game: dict[str, dict[bytes, Session]] = {}
        self._by_player: dict[str, dict[bytes, Session]] = {}
        self._by_user: dict[str, dict[bytes, Session]] = {}  # each user's the longest silent first
        self._by_line: dict[int, Session] = {}  # which came last over a line
        self.ended = 0
        self._ended: dict[bytes, None] = {}  # the peers whose lines were ended last
        self._wire: Wire | None = None
        self._sending: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # by user

    def send_over(self, wire: Wire) -> None:
        """Send over this ROUTER from now on."""
        self._wire = wire

    def heard(self, peer: bytes, user: str) -> Session:
        """Return the session of a peer that was just heard of, a new one if it is not known, or was another user's."""
        session = self._all.pop(peer, None)
        if session is None or session.user != user:
            if session is not None:
                self._strike(session)
            session = Session(peer, user)
        session.heard_s = time.monotonic()
        self._all[peer] = session
        theirs = self._by_user.setdefault(user, {})
        theirs.pop(peer, None)
        theirs[peer] = session
        if len(self._all) > MAX_SESSIONS:
            self.forget(next(iter(self._all.values())))
        return session

    def knows(self, session: Session) -> bool:
        """Say whether the session was not forgotten meanwhile."""
        return self._all.get(session.peer) is session

    def forget(self, session: Session) -> None:
        """Know it no more."""
        session.owed.clear()
        session.owed_bytes = 0
        if self.knows(session):
            del self._all[session.peer]
            self._strike(session)

    def comes_over(self, session: Session, line: int, address: str) -> None:
        """Note over which line a new session comes, and from where; one too many of a key pushes out the longest silent one of that key."""
        session.line, session.address = line, address
        self._by_line[line] = session  # before one is ended: a line that is gone may have had this number
        theirs = self._by_user[session.user]
        if len(theirs) > MOST_OF_ONE:
            self.end(next(iter(theirs.values())), f"more than {MOST_OF_ONE} of one key")  # each takes one of the files that may be open

    def end(self, session: Session, why: str) -> None:
        """Forget a session and end its line, if that is still its own."""
        if self._close(session):
            endless.end(session.line, why)

    def dismiss(self, session: Session, frame: protocol.Frame, why: str) -> None:
        """Tell somebody something last, forget him and take in nothing more of his, and end his line when he can have read it."""
        self.send(session, frame)
        if self._close(session):
            self._by_line[session.line] = session
            asyncio.get_running_loop().call_later(READ_S, self._end_dismissed, session, why)

    def _end_dismissed(self, session: Session, why: str) -> None:
        if self._by_line.get(session.line) is session:  # else another has come under its number since
            del self._by_line[session.line]
            endless.end(session.line, why)

    def _close(self, session: Session) -> bool:
        """Forget a session, and take in nothing more of its peer if it is known by its line; return whether it was."""
        is_its_own = self._by_line.get(session.line) is session  # else another has come under its number since
        self.forget(session)
        if is_its_own:
            self.ended += 1
            self._ended[session.peer] = None
            if len(self._ended) > MOST_ENDED:
                del self._ended[next(iter(self._ended))]
        return is_its_own

    def has_ended(self, peer: bytes) -> bool:
        """Say whether the line of a peer was ended lately: what has come over it before, libzmq hands on all the same."""
        return peer in self._ended

    def remember(self, session: Session) -> None:
        """Register a session under its player; also one that was forgotten meanwhile, unless its peer has a newer session."""
        if self._all.setdefault(session.peer, session) is session:
            self._by_user.setdefault(session.user, {})[session.peer] = session
            self._by_line.setdefault(session.line, session)  # unless another has come under its number meanwhile
            _take_off(self._by_player, "", session)  # an owner who had no name, and has taken one
            self._by_player.setdefault(session.player, {})[session.peer] = session
            for game in session.follows:
                self._by_game.setdefault(game, {})[session.peer] = session

    def _strike(self, session: Session) -> None:
        """Take a session that is known no more off the lists of its games, its player and its user."""
        for game in session.follows:
            _take_off(self._by_game, game, session)
        _take_off(self._by_player, session.player, session)
        _take_off(self._by_user, session.user, session)
        if self._by_line.get(session.line) is session:
            del self._by_line[session.line]

    def follow(self, session: Session, game: str) -> None:
        """Count a session among the followers of a game."""
        session.follows.add(game)
        if self.knows(session):
            self._by_game.setdefault(game, {})[session.peer] = session

    def unfollow(self, session: Session, game: str) -> None:
        """Count it no more."""
        if (catching_up := session.catching_up.pop(game, None)) is not None:
            catching_up.cancel()
        session.follows.discard(game)
        _take_off(self._by_game, game, session)

    def sending(self, user: str) -> asyncio.Lock:
        """Return what is held while a user is sent the much that he misses of a game: one after another."""
        return self._sending.setdefault(user, asyncio.Lock())

    def catch_up(self, session: Session, game: str, sending: Coroutine[Any, Any, None]) -> None:
        """Send a follower what it misses of a game beside all else."""
        task = session.catching_up[game] = always.begin(f"sending {game}", sending)
        task.add_done_callback(lambda _: session.catching_up.pop(game) if session.catching_up.get(game) is task else None)

    def close(self) -> None:
        """Send nobody what he misses any more."""
        for session in self:
            for catching_up in session.catching_up.values():
                catching_up.cancel()

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._all.values()))

    def __len__(self) -> int:
        return len(self._all)

    @property
    def waiting(self) -> int:
        """Return how many messages wait to be answered."""
        return sum(len(session.inbox) for session in self._all.values())

    def taken(self, line: int) -> endless.Came | None:
        """Return what was taken in of a line, None if nothing is known of it."""
        session = self._by_line.get(line)
        return endless.Came(session.peer, session.taken_bytes) if session is not None and self.knows(session) else None

    def followers(self, game: str) -> list[Session]:
        """Return who follows a game."""
        return list(self._by_game.get(game, {}).values())

    def of(self, player: str) -> list[Session]:
        """Return the connections of a player."""
        return list(self._by_player.get(player, {}).values())

    def of_user(self, user: str) -> list[Session]:
        """Return the connections of a key, with a name or without one yet."""
        return list(self._by_user.get(user, {}).values())

    # ---------------------------------------------------------------- sending

    def send(self, session: Session, frame: protocol.Frame) -> bool:
        """Send without waiting; a peer that is gone, or far behind, is forgotten."""
        return self.send_bytes(session, protocol.encode(frame))

    def send_bytes(self, session: Session, data: bytes) -> bool:
        """Send a frame's bytes without waiting, for what goes to many."""
        # Whoever follows many games is sent more at a moment than there is room for; forgotten, he would ask for all of them again.
        if session.owed or isinstance(failed := self._try_send(session, data), zmq.Again):
            if not (is_owed := self._owe(session, data)):
                self.end(session, UNREAD)
            return is_owed
        if failed is not None:
            self.forget(session)
        return failed is None

    def _owe(self, session: Session, data: bytes) -> bool:
        """Keep what somebody is to be sent as soon as there is room for it; False if that would be too much."""
        if len(session.owed) >= MOST_OWED or session.owed_bytes + len(data) > MOST_OWED_BYTES:
            return False
        if not session.owed:
            asyncio.get_running_loop().call_later(WAIT_S, self._pay, session, time.monotonic() + PATIENCE_S)
        session.owed.append(data)
        session.owed_bytes += len(data)
        return True

    def _pay(self, session: Session, until: float) -> None:
        """Send what somebody is owed, as far as there is room for it; he is forgotten if there has been none *until* then."""
        while session.owed:
            failed = self._try_send(session, session.owed[0])
            if isinstance(failed, zmq.Again) and time.monotonic() < until:
                asyncio.get_running_loop().call_later(WAIT_S, self._pay, session, until)
                return
            if failed is not None:
                self._give_up(session, failed)
                return
            session.owed_bytes -= len(session.owed.popleft())
            until = time.monotonic() + PATIENCE_S

    async def paid(self, session: Session) -> bool:
        """Wait until somebody was sent all that he is owed; False if he was forgotten for it."""
        if not session.owed:
            return True
        while session.owed:
            await asyncio.sleep(WAIT_S)
        return self.knows(session)

    def offer(self, session: Session, frame: protocol.Frame) -> None:
        """Send what nobody lacks without waiting, if there is room for it: a peer that is behind has enough to hear."""
        if not session.owed:
            self._try_send(session, protocol.encode(frame))

    def is_there(self, session: Session) -> bool:
        """Say whether anything still comes to a peer: that a line was closed is known at once to who sends over it."""
        if session.owed:
            return True
        failed = self._try_send(session, _STILL_HERE)
        return failed is None or isinstance(failed, zmq.Again)

    async def send_patiently(self, session: Session, frame: protocol.Frame) -> bool:
        """Send one of many messages, waiting for room for it; only this peer waits."""
        return await self.send_bytes_patiently(session, protocol.encode(frame))

    async def send_bytes_patiently(self, session: Session, data: bytes) -> bool:
        """Send a frame's bytes, waiting for room for them."""
        if not await self.paid(session):
            return False
        until = time.monotonic() + PATIENCE_S
        while isinstance(failed := self._try_send(session, data), zmq.Again) and time.monotonic() < until:
            await asyncio.sleep(WAIT_S)
        if failed is not None:
            self._give_up(session, failed)
        return failed is None

    def _give_up(self, session: Session, failed: zmq.ZMQError) -> None:
        """Forget a peer to which nothing can be sent: as it reads nothing, or as it is gone."""
        if isinstance(failed, zmq.Again):
            self.end(session, UNREAD)
        else:
            self.forget(session)

    def _try_send(self, session: Session, data: bytes) -> zmq.ZMQError | None:
        assert self._wire is not None, "send before bind"
        return self._wire.send(session.peer, data)


def _take_off(lists: dict[str, dict[bytes, Session]], of: str, session: Session) -> None:
    there = lists.get(of, {})
    if there.get(session.peer) is session:
        del there[session.peer]
        if not there:
            del lists[of]

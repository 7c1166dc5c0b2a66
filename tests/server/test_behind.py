"""Who follows many games asks for more at a moment, and is sent more, than there is room for: it waits, and he isn't forgotten at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing

import pytest
import zmq

from client.connection.line import Line
from core import protocol
from server import sessions as module
from server.sessions import Session, Sessions
from tests.server.conftest import SERVER, of
from tests.server.store.test_durable import turned

ANNA = b"\0anna"


class Narrow:
    """The server's socket in short: there is room for so many messages."""

    def __init__(self, room: int) -> None:
        self.room, self.sent = room, list[int]()

    def send(self, peer: bytes, data: bytes) -> zmq.ZMQError | None:
        if not self.room:
            return zmq.Again()
        self.room -= 1
        frame = protocol.decode_from_server(data)
        assert isinstance(frame, protocol.Accepted)
        self.sent.append(frame.number)
        return None


def told(sessions: Sessions, session: Session, *numbers: int) -> list[bool]:
    return [sessions.send(session, protocol.Accepted("g", "a", number)) for number in numbers]


def over_narrow(what: Callable[[Sessions, Session, Narrow], Coroutine[None, None, None]], *, room: int) -> None:
    async def run() -> None:
        sessions, wire = Sessions(), Narrow(room)
        sessions.send_over(wire)  # type: ignore[arg-type]
        await what(sessions, sessions.heard(ANNA, "anna's key"), wire)

    asyncio.run(run())


def test_what_there_is_no_room_for_comes_in_its_order_as_soon_as_there_is() -> None:
    async def many(sessions: Sessions, anna: Session, wire: Narrow) -> None:
        assert all(told(sessions, anna, *range(5)))
        assert (sessions.knows(anna), wire.sent) == (True, [0, 1])
        wire.room = 9
        assert told(sessions, anna, 5) == [True]  # not before those that wait
        assert await sessions.send_patiently(anna, protocol.Accepted("g", "a", 6))
        assert wire.sent == [0, 1, 2, 3, 4, 5, 6]
        assert (len(anna.owed), anna.owed_bytes) == (0, 0)

    over_narrow(many, room=2)


def test_who_is_far_behind_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_OWED", 3)

    async def more(sessions: Sessions, anna: Session, wire: Narrow) -> None:
        assert told(sessions, anna, *range(5)) == [True, True, True, True, False]
        assert not sessions.knows(anna)
        assert not anna.owed

    over_narrow(more, room=1)


def test_who_is_owed_very_much_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(protocol.encode(protocol.Accepted("g", "a", 1)))
    monkeypatch.setattr(module, "MOST_OWED_BYTES", 2 * size)

    async def more(sessions: Sessions, anna: Session, wire: Narrow) -> None:
        assert told(sessions, anna, 1, 2, 3) == [True, True, False]
        assert not sessions.knows(anna)

    over_narrow(more, room=0)


def test_who_reads_nothing_is_forgotten_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 0.0)

    async def silence(sessions: Sessions, anna: Session, wire: Narrow) -> None:
        assert told(sessions, anna, 1) == [True]
        while sessions.knows(anna):
            await turned()
        assert not await sessions.send_patiently(anna, protocol.Accepted("g", "a", 2))

    over_narrow(silence, room=0)


@pytest.mark.parametrize("how", ["is owed too much", "has no room for long", "has no room for one of many"])
def test_whose_line_nothing_is_read_on_has_it_ended(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was sent over it libzmq kept as long as it was open: two gigabytes in a minute, for one key."""
    ended: list[tuple[int, str]] = []
    monkeypatch.setattr(module, "PATIENCE_S", 0.0)
    monkeypatch.setattr(module, "MOST_OWED", 0 if how == "is owed too much" else 1)
    monkeypatch.setattr(module.endless, "end", lambda line, why: ended.append((line, why)))

    async def silence(sessions: Sessions, anna: Session, wire: Narrow) -> None:
        sessions.comes_over(anna, 7, "10.0.0.1")
        if how == "has no room for one of many":
            assert not await sessions.send_patiently(anna, protocol.Accepted("g", "a", 1))
        else:
            told(sessions, anna, 1)
        while sessions.knows(anna):
            await turned()
        assert ended == [(7, "nothing is read on it")]

    over_narrow(silence, room=0)


def test_who_is_gone_is_forgotten_at_once() -> None:
    async def gone(sessions: Sessions, anna: Session, wire: Narrow) -> None:
        wire.send = lambda peer, data: zmq.ZMQError(zmq.EHOSTUNREACH)  # type: ignore[method-assign]
        assert told(sessions, anna, 1) == [False]
        assert not sessions.knows(anna)

    over_narrow(gone, room=0)


# -------------------------------------------------------------------- the player's side


class Full:
    """A player's socket in short: there is room for so many messages."""

    def __init__(self, room: int) -> None:
        self.room, self.sent = room, list[bytes]()

    def send(self, data: bytes, flags: int) -> None:
        if len(self.sent) == self.room:
            raise zmq.Again
        self.sent.append(data)


@pytest.fixture
def line() -> Iterator[Line]:
    """Return the line of somebody who was greeted, without its thread."""
    made = Line("tcp://127.0.0.1:1", "Anna", lambda note: None, identity=of("Anna"))
    made._known = True
    yield made
    made.close()
    made._wake.close(0)


def test_a_player_who_asks_for_more_than_there_is_room_for_asks_for_the_rest_later_and_greets_nobody_anew(line: Line) -> None:
    asked = [protocol.Follow(f"g{number}") for number in range(5)]
    for frame in asked:
        line.send(frame)
    socket = Full(2)
    for room in (2, 4, 9):
        socket.room = room
        assert not line._flush(socket)  # type: ignore[arg-type]
    assert socket.sent == [protocol.encode(frame) for frame in asked]
    assert (line._known, line._must_greet) == (True, False)


def test_what_waits_when_the_line_goes_down_is_not_sent_when_it_is_up_again(line: Line) -> None:
    line.send(protocol.Follow("g"))
    assert not line._flush(Full(0))  # type: ignore[arg-type]
    line._known = False
    socket = Full(9)
    assert not line._flush(socket)  # type: ignore[arg-type]
    line._known = True
    assert not line._flush(socket)  # type: ignore[arg-type]
    assert not socket.sent


@pytest.fixture
def dealer(line: Line) -> Iterator[zmq.Socket[bytes]]:
    """Return a socket as the line uses it, connected to where nobody is."""
    line._server = SERVER.key
    with closing(zmq.Context.instance().socket(zmq.DEALER)) as made:
        line._set_up(made)
        made.connect("tcp://127.0.0.1:1")
        yield made


def test_what_is_sent_while_nobody_is_at_the_other_end_does_not_wait_in_the_socket_for_somebody(
    line: Line, dealer: zmq.Socket[bytes]
) -> None:
    assert not line._try_send(dealer, protocol.encode(protocol.Ping()))


def test_a_players_socket_takes_in_all_that_a_server_says_and_nothing_keeps_it_open(dealer: zmq.Socket[bytes]) -> None:
    wanted = {"RCVHWM": 0, "SNDHWM": 100, "MAXMSGSIZE": 1 << 20, "HANDSHAKE_IVL": 10_000, "LINGER": 0}
    assert {name: dealer.getsockopt(getattr(zmq, name)) for name in wanted} == wanted


def test_a_line_that_is_closed_is_closed_though_there_is_no_room(line: Line) -> None:
    line.send(protocol.Follow("g"))
    line.close()
    assert line._flush(Full(0))  # type: ignore[arg-type]

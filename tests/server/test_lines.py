"""Lines that go wrong, over real sockets: half-open, silent, slow, cut, too long, offline; and the line that tells the key."""

from __future__ import annotations

import gc
import itertools
import queue
import select
import socket
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
import zmq
import zmq.asyncio

from client.connection.games import Games, Up
from client.connection.hours import now_ms
from client.connection.identity import KnownServers, ask_key
from client.connection.line import Down, Line
from client.connection.notes import Answered
from client.connection.pings import Pings
from core import protocol
from core.address import Place
from core.identity import fingerprint
from rasputitsa.serving import let_many_in
from server import router, security, sessions
from server.memory import memory
from server.security import Limit
from tests.server.conftest import SERVER, Host, Player, free_pair, of, raw_line
from tests.server.test_play import End, look_on, open_game, sit

NewPlayer = Callable[..., Player]


class Wire:
    """A TCP proxy before a server; it can be told to carry nothing more, and to cut."""

    bytes_at_once = 65_536

    def __init__(self, there: Place) -> None:
        self._there = there
        self._door = socket.create_server(("127.0.0.1", 0))
        self.place = Place("127.0.0.1", self._door.getsockname()[1], there.key)
        self.carries = True
        self.ended = threading.Event()  # the server has closed a line by itself
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while True:
            lines = [line for pair in self._pairs for line in (pair if self.carries else pair[1:])]
            ready, _, _ = select.select([self._door, self._woken, *lines], [], [])
            if self._woken in ready:
                match self._woken.recv(1):
                    case b"x":
                        return
                    case b"m":
                        self.carries = True
                        for pair in list(self._pairs):
                            self._cut(pair)
                continue
            if self._door in ready:
                self._enter(self._door.accept()[0])
            for pair in list(self._pairs):
                for here, there in (pair, pair[::-1]):
                    if here in ready and pair in self._pairs:
                        self._carry(pair, here, there)

    def _enter(self, line: socket.socket) -> None:
        self._pairs.append((line, socket.create_connection((self._there.host, self._there.port))))

    def _carry(self, pair: tuple[socket.socket, socket.socket], here: socket.socket, there: socket.socket) -> int:
        """Carry what has come, and return how many bytes."""
        try:
            data = here.recv(self.bytes_at_once)
            if data and self.carries:
                there.sendall(self._changed(data, from_server=here is pair[1]))
        except OSError:
            data = b""
        if not data:
            if here is pair[1]:
                self.ended.set()
            self._cut(pair)
        return len(data)

    def _changed(self, data: bytes, *, from_server: bool) -> bytes:
        """Return what is carried instead of what has come."""
        return data

    def _cut(self, pair: tuple[socket.socket, socket.socket]) -> None:
        self._pairs.remove(pair)
        for line in pair:
            line.close()

    def stall(self) -> None:
        """Carry nothing more, and keep all lines."""
        self.carries = False
        self._wake.send(b"!")

    def mend(self) -> None:
        """Cut all lines, and carry new ones again."""
        self._wake.send(b"m")  # in the thread, which may just have cut one itself

    def close(self) -> None:
        if not self._thread.is_alive():
            return
        self._wake.send(b"x")
        self._thread.join(10)
        for pair in list(self._pairs):
            self._cut(pair)
        for one in (self._door, self._wake, self._woken):
            one.close()


@pytest.fixture
def wire(host: Host) -> Iterator[Wire]:
    made = Wire(host.place)
    yield made
    made.close()


def test_a_connection_that_never_shakes_hands_is_closed(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.stop()
    monkeypatch.setattr(router, "HANDSHAKE_MS", 200)
    host.start()
    with closing(socket.create_connection((host.place.host, host.place.port), timeout=10)) as half_open:
        said = b""
        while more := half_open.recv(1000):
            said += more
    assert said.startswith(b"\xff")  # its greeting, and then the end


def test_a_thousand_half_open_connections_cost_the_others_nothing(host: Host, player: NewPlayer) -> None:
    let_many_in()
    before = memory()
    with ExitStack() as half_open:
        for number in range(1_000):
            line = half_open.enter_context(closing(socket.create_connection((host.place.host, host.place.port))))
            line.sendall(b"\xff\0\0\0\0\0\0\0\1\x7f"[: number % 11])
        open_game(player("Anna"))
        assert memory() - before < 64 << 20


def test_a_line_that_goes_dead_is_closed_by_the_server(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.stop()
    for name, value in (("HEARTBEAT_MS", 100), ("HEARTBEAT_TIMEOUT_MS", 200), ("HEARTBEAT_TTL_MS", 300)):
        monkeypatch.setattr(router, name, value)
    host.start()
    wire = Wire(host.place)
    anna = Player(wire.place.link, "Anna")
    try:
        anna.wait(lambda note: isinstance(note, Up))
        wire.stall()
        assert wire.ended.wait(10)
    finally:
        anna.games.close()
        wire.close()


def test_the_lines_of_a_server_have_the_limits_that_the_page_of_the_protocol_tells() -> None:
    wanted = {
        "HEARTBEAT_IVL": 5_000, "HEARTBEAT_TIMEOUT": 15_000, "HEARTBEAT_TTL": 30_000, "HANDSHAKE_IVL": 10_000, "MAXMSGSIZE": 64 << 10,
        "SNDHWM": 32, "RCVHWM": 0,
    }
    with zmq.asyncio.Context() as context, closing(router.made(context, SERVER)) as made:
        assert {name: made.getsockopt(getattr(zmq, name)) for name in wanted} == wanted


def test_what_tells_how_a_line_fares_is_closed_when_nothing_more_is_told_to_it(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ZeroMQ's thread waits for ever to tell something to a monitor that is closed, and whoever asks it to stop waits with it."""
    closed: list[bool] = []
    disable = zmq.Socket.disable_monitor

    def look_and_disable(self: zmq.Socket[bytes]) -> None:
        assert self._monitor_socket is not None
        closed.append(self._monitor_socket.closed)
        disable(self)

    monkeypatch.setattr(zmq.Socket, "disable_monitor", look_and_disable)
    anna = player("Anna")
    anna.wait(lambda note: isinstance(note, Up))
    anna.games.close()
    assert closed == [False]


def test_a_line_that_was_cut_comes_back_and_misses_nothing(host: Host, wire: Wire, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris", address=wire.place.link)
    match = open_game(anna)
    sit(anna, "first", "red")
    sit(anna, "first", "blue")
    look_on(boris)
    wire.stall()
    anna.games.give("first", "red", End())
    anna.wait(lambda note: isinstance(note, Answered))
    wire.close()
    boris.wait(lambda note: isinstance(note, Down))
    boris.games.close()
    again = player("Boris")
    theirs = look_on(again)
    assert theirs.log.last_hash == match.log.last_hash


class Fed:
    """A line's socket that gives what a test puts in."""

    def __init__(self) -> None:
        self.there: list[protocol.FromServer] = []

    def poll(self, timeout: int) -> bool:
        return bool(self.there)

    def recv(self, *, copy: bool) -> SimpleNamespace:
        return SimpleNamespace(bytes=protocol.encode(self.there.pop(0)), more=False)

    def send(self, data: bytes, flags: int) -> None:
        return


def test_a_line_that_comes_back_tells_when_the_server_was_heard_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """By when the ping was sent whose answer came: that may have lain here for long before it was taken in."""
    now = iter(range(100, 1_000, 100))
    monkeypatch.setattr("client.connection.hours.now_ms", lambda: next(now))
    told: list[object] = []
    line, socket = Line("tcp://127.0.0.1:9", "Anna", told.append, identity=of("Anna")), Fed()
    line._place = Place("127.0.0.1", 9, SERVER.key)

    def comes(*frames: protocol.FromServer) -> int | None:
        """Return what the line tells with the last welcome, which it asked for."""
        line._greet(socket, "")  # type: ignore[arg-type]
        socket.there += frames
        line._receive(socket)  # type: ignore[arg-type]
        return next(one.heard_ms for one in reversed(told) if isinstance(one, Up))

    welcome, pong = protocol.Welcome(protocol.VERSION, "Anna", protocol.PLAYER, 1), protocol.Pong()
    assert comes(welcome) is None
    line._ping(socket)  # type: ignore[arg-type]
    line._ping(socket)  # type: ignore[arg-type]
    assert comes(pong, protocol.Pong(is_busy=True), welcome) == 100
    assert comes(pong, welcome) == 100  # the answer to a ping on the line before
    line._ping(socket)  # type: ignore[arg-type]
    assert comes(pong, welcome) == 300
    line.close()


def numbers(*given: int) -> list[protocol.Pong]:
    return [protocol.Pong(number=one) for one in given]


@pytest.mark.parametrize(
    ("pongs", "taken", "answered", "heard_ms"),
    [
        pytest.param(numbers(1, 3), [True, True], 3, 300, id="one is lost"),
        pytest.param(numbers(0, 0), [True, True], 2, 200, id="a server of before"),
        pytest.param(numbers(1, 0), [True, False], 1, 100, id="no number any more"),
        pytest.param(numbers(2, 2, 1, 9), [True, False, False, False], 2, 200, id="nothing waits for it"),
    ],
)
def test_an_answer_is_to_the_ping_that_it_names(pongs: list[protocol.Pong], taken: list[bool], answered: int, heard_ms: int) -> None:
    """A host swallowed one, and was held to no clock as long as the line was up: each later answer seemed five seconds late."""
    pings = Pings()
    for at_ms in (100, 200, 300):
        assert pings.next().number == pings.sent + 1
        pings.sends(at_ms)
    assert [pings.answers(pong) for pong in pongs] == taken
    assert (pings.answered, pings.heard_ms) == (answered, heard_ms)


def test_a_server_of_before_numbers_is_pinged_without_them_until_the_line_comes_up_anew() -> None:
    """It knows no other ping for one while it is busy, and says then that it is there."""
    pings = Pings()
    pings.sends(100)
    assert pings.answers(protocol.Pong())
    assert protocol.encode(pings.next()) == msgspec.msgpack.encode({"frame": "ping"})
    pings.begin_anew()
    assert pings.next().number == 2


def test_a_welcome_that_nobody_asked_for_is_none_and_a_line_that_is_forgotten_was_down() -> None:
    """A host had programs believe that they had been away, and left their links out, with nothing to be seen on the screen."""
    told: list[object] = []
    line, socket = Line("tcp://127.0.0.1:9", "Anna", told.append, identity=of("Anna")), Fed()
    line._place = Place("127.0.0.1", 9, SERVER.key)

    def comes(frame: protocol.FromServer) -> list[str]:
        told.clear()
        socket.there.append(frame)
        line._receive(socket)  # type: ignore[arg-type]
        return [type(one).__name__ for one in told]

    welcome = protocol.Welcome(protocol.VERSION, "Anna", protocol.PLAYER, 1)
    assert comes(welcome) == []
    line._greet(socket, "")  # type: ignore[arg-type]
    assert [comes(welcome), comes(welcome)] == [["Up"], []]
    assert [comes(protocol.WhoAreYou()), comes(protocol.WhoAreYou()), comes(welcome)] == [["Down"], [], []]
    line._greet(socket, "")  # type: ignore[arg-type]
    assert comes(welcome) == ["Up"]
    line.close()


@pytest.mark.parametrize("frame", [
    protocol.PublishChain("nowhere", bytes(32), 1, bytes(64)), protocol.ShowLink("nowhere", 1, bytes(32), bytes(32), bytes(64)),
])
def test_it_is_soon_known_that_a_link_or_chain_has_come(player: NewPlayer, monkeypatch: pytest.MonkeyPatch, frame: protocol.Frame) -> None:
    monkeypatch.setattr("client.connection.line.PING_S", 10_000.0)
    anna = player("Anna")
    anna.wait(lambda note: isinstance(note, Up))
    line = anna.games.line
    assert line is not None
    before = now_ms()
    anna.games.send(protocol.ListGames())
    anna.games.send(frame)
    anna.until(lambda: line.answered == 1)
    assert line.heard_ms is not None
    assert line.heard_ms >= before


def test_an_order_given_while_the_line_was_dead_is_refused_when_the_game_has_gone_on(host: Host, wire: Wire, player: NewPlayer) -> None:
    anna, same = player("Anna"), player("Anna", address=wire.place.link)
    open_game(anna)
    sit(anna, "first", "red")
    sit(anna, "first", "blue")
    look_on(same)
    wire.stall()
    late = same.games.give("first", "red", End())  # on its way, and the way is shut
    anna.games.give("first", "red", End())
    anna.wait(lambda note: isinstance(note, Answered) and note.order_id != "" and note.refused is None)
    with anna.games.reading():
        before = len(anna.games.match("first").log)  # type: ignore[union-attr]
    wire.mend()
    answer = same.wait(lambda note: isinstance(note, Answered) and note.order_id == late)
    assert isinstance(answer, Answered)
    assert "gone on" in str(answer.refused)
    with anna.games.reading():
        assert len(anna.games.match("first").log) == before  # type: ignore[union-attr]


def test_a_peer_that_does_not_read_is_forgotten_and_catches_up(host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "PATIENCE_S", 0.1)
    monkeypatch.setattr(security, "HELD_OFF_S", 0.0)  # he asks for so much that it is a flood
    # Else most answers are short refusals, for which all buffers may have room.
    monkeypatch.setattr(host.service.limits, "catching", Limit(1_000_000, 1.0))
    anna = player("Anna")
    match = open_game(anna)
    with raw_line(host, of("Deaf"), RCVHWM=1, RCVBUF=4096) as deaf:
        deaf.send(protocol.encode(protocol.Hello(protocol.VERSION, "Deaf", of("Deaf").key)))
        while any(host.service.sessions.of("Deaf")) or not host.service.accounts.of_user(_user("Deaf")):
            for _ in range(50):  # until no buffer on the way has room for an answer
                with suppress(zmq.Again):
                    deaf.send(protocol.encode(protocol.NeedPack(match.setting.pack)), zmq.DONTWAIT)
                    deaf.send(protocol.encode(protocol.Follow("first")), zmq.DONTWAIT)
            anna.games.send(protocol.ListGames())  # the others are served meanwhile
            anna.wait(lambda note: isinstance(note, protocol.Games))
        monkeypatch.setattr(sessions, "PATIENCE_S", 20.0)  # what he is owed from here on waits until he has read
        ask_until(protocol.WhoAreYou, deaf, protocol.Ping(), at=host.place.tcp)
        hello = protocol.Hello(protocol.VERSION, "", of("Deaf").key)
        ask_until(protocol.NewEntries, deaf, hello, protocol.Follow("first"), at=host.place.tcp)


def ask_until(wanted: type[object], line: zmq.Socket[bytes], *frames: protocol.Frame, at: str) -> None:
    """Read until something of a kind comes, and ask again where nothing comes at all: what was asked on a line that was cut is lost.

    As programs do, it makes the line anew where nothing has come for long: the server may take in no more on one that it has ended.
    """
    found: object = None
    for asked in itertools.count(1):
        for frame in frames:  # without waiting: while he takes nothing in he does not notice that the server has ended his line
            with suppress(zmq.Again):
                line.send(protocol.encode(frame), zmq.DONTWAIT)
        while line.poll(1_000) and not isinstance(found, wanted):
            found = protocol.decode_from_server(line.recv())
        if isinstance(found, wanted):
            return
        if asked % 5 == 0:
            line.disconnect(at)
            line.connect(at)


def _user(name: str) -> str:
    from server.accounts import user_of

    return user_of(of(name).key)


# -------------------------------------------------------------------- the line that tells the key


def test_whoever_asks_is_told_the_key_and_whoever_only_connects_costs_nothing(host: Host) -> None:
    idle = [socket.create_connection((host.place.host, host.place.port + 1)) for _ in range(100)]
    assert ask_key(host.place) == SERVER.key
    for line in idle:
        line.close()


def taken_above_a_free_one() -> socket.socket:
    """Return a listening socket, the port under which is nobody's."""
    while True:
        with suppress(OSError):  # another test took it since it was found free
            return socket.create_server(("127.0.0.1", free_pair() + 1))


def test_a_port_that_is_taken_leaves_the_link(host: Host, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    host.stop()
    with closing(taken_above_a_free_one()) as taken:
        host.start(f"tcp://127.0.0.1:{taken.getsockname()[1] - 1}")
        anna = Player(host.place.link, "Anna", known=KnownServers())
        anna.wait(lambda note: isinstance(note, Up))
        anna.games.close()
    assert "hand out the join link" in caplog.text


def test_a_client_of_a_server_that_is_not_there_says_so(player: NewPlayer) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    down = player("Anna", address=f"tcp://127.0.0.1:{port}").wait(lambda note: isinstance(note, Down))
    assert isinstance(down, Down)
    assert f"nobody answers at 127.0.0.1:{port}" in down.reason


def test_the_longer_a_server_is_not_there_the_longer_is_waited_between_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.line.BACKOFF_S", (0.0, 0.001, 0.002, 0.003))
    told: queue.SimpleQueue[object] = queue.SimpleQueue()
    line = Line(f"tcp://127.0.0.1:{free_pair()}", "Anna", told.put, identity=of("Anna"))
    line.start()
    try:
        tries = [told.get(timeout=30) for _ in range(4)]
    finally:
        line.close()
    assert [one.retry_s for one in tries if isinstance(one, Down)] == [0.001, 0.002, 0.003, 0.003]


def test_who_comes_by_a_link_of_another_key_than_the_servers_is_told_both(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.connection.line.STRANGE_S", 0.0)
    link = msgspec.structs.replace(host.place, key=of("lost").key).link
    note = player("Anna", address=link).wait(lambda note: isinstance(note, Down))
    assert isinstance(note, Down)
    both = f"its fingerprint is said to be {fingerprint(SERVER.key)}, and that of the link is {fingerprint(of('lost').key)}"
    assert both in note.reason
    assert note.retry_s > 0
    player("Boris").wait(lambda note: isinstance(note, Up))


@pytest.mark.parametrize("is_met", [False, True])
def test_who_wants_to_a_server_that_is_not_there_is_told_so_before_long(
    player: NewPlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_met: bool
) -> None:
    monkeypatch.setattr("client.connection.line.STRANGE_S", 0.0)
    place, known = Place("127.0.0.1", free_pair(), SERVER.key), KnownServers(tmp_path / "servers")
    if is_met:  # so its key is known, and need not be in the address
        known.remember(place.place, SERVER.key)
    anna = player("Anna", address=place.place if is_met else place.link, known=known)
    down = anna.wait(lambda note: isinstance(note, Down))
    assert isinstance(down, Down)
    assert down.reason == f"nobody answers at {place.place} (Connection refused): its server may not be running"
    assert down.retry_s > 0


def test_a_link_of_a_server_that_is_not_there_is_tried_until_it_is(host: Host, player: NewPlayer) -> None:
    place = host.place
    host.stop()
    anna = player("Anna", address=msgspec.structs.replace(place).link)
    host.start(place.tcp)
    anna.wait(lambda note: isinstance(note, Up))


def test_lines_that_are_opened_and_closed_one_after_another_never_stand_in_each_others_way() -> None:
    """The library lets go of what a closed one bound when it comes to it: "Address already in use", for one that had the same name."""
    names = set()
    for _ in range(50):
        line = Line(f"tcp://127.0.0.1:9#{SERVER.key}", "Anna", lambda note: None, identity=of("Anna"))
        names.add(line._wake.last_endpoint)
        line.close()
        del line  # the next one may lie where it lay
    assert len(names) == 50


def test_what_a_client_knew_of_a_server_goes_with_its_line(player: NewPlayer) -> None:
    anna = player("Anna")
    match = open_game(anna)
    sit(anna, "first", "red")
    anna.games.close()
    there = weakref.ref(anna.games), weakref.ref(match)
    gc.collect()
    gc.disable()  # a cycle would stay until the collector looks at all
    try:
        del match
        anna.notes.clear()
        anna.games = Games(anna._note)
        assert [one() for one in there] == [None, None]
    finally:
        gc.enable()

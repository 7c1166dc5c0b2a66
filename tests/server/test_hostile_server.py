"""A server that is none of ours, and sends whatever it likes: a client stays small, says what is wrong, and can be closed."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import get_args

import msgspec
import pytest
import zmq

from client.connection import early, line, listed, packs, unfinished
from client.connection.games import HAPPENS, Games, Up
from client.connection.line import Down
from client.connection.notes import Answered, Trouble
from client.connection.unfinished import Unfinished
from client.session.talk import TableTalk
from core import protocol
from core.address import Place
from core.errors import BadInput
from core.log import Pending
from core.text import Text
from tests.server.conftest import SERVER, Host, Player, of, raw_line
from tests.server.test_lines import Wire
from tests.server.test_play import open_game

GREETED = protocol.encode(protocol.Welcome(protocol.VERSION, "Anna", "player", protocol.MAX_ASKED))


class Rogue:
    """Takes whoever comes, and sends him what it is told to.

    Attributes:
        place: where it is.
    """

    def __init__(self, send: Callable[[zmq.Socket[bytes], bytes], None]) -> None:
        self._send, self._ends = send, threading.Event()
        self._socket = zmq.Context.instance().socket(zmq.ROUTER)
        for option, value in ((zmq.CURVE_SERVER, 1), (zmq.CURVE_SECRETKEY, SERVER.curve_secret()), (zmq.LINGER, 0), (zmq.SNDHWM, 1000)):
            self._socket.setsockopt(option, value)  # type: ignore[arg-type]
        self.place = Place("127.0.0.1", self._socket.bind_to_random_port("tcp://127.0.0.1"), SERVER.key)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        with closing(self._socket):
            met = set[bytes]()
            while not self._ends.is_set():
                if not self._socket.poll(20):
                    continue
                peer, _ = self._socket.recv_multipart()
                if peer not in met:
                    met.add(peer)
                    self._socket.send_multipart([peer, GREETED])
                    self._send(self._socket, peer)

    def has_ended(self) -> bool:
        return self._ends.is_set()

    def close(self) -> None:
        self._ends.set()
        self._thread.join(10)


@contextmanager
def rogue(*messages: list[bytes] | protocol.Frame) -> Iterator[Rogue]:
    """Run one that sends these, whole or in parts, once to each line."""

    def send(socket: zmq.Socket[bytes], peer: bytes) -> None:
        for one in messages:
            socket.send_multipart([peer, *(one if isinstance(one, list) else [protocol.encode(one)])])

    made = Rogue(send)
    try:
        yield made
    finally:
        made.close()


@contextmanager
def client(place: Place) -> Iterator[Player]:
    one = Player(place.link, "Anna")
    try:
        yield one
    finally:
        one.games.close()


def given_up(one: Player) -> str:
    note = one.wait(lambda note: isinstance(note, Answered) and not note.order_id)
    assert isinstance(note, Answered)
    return str(note.refused)


def line_of(number: int, **more: object) -> protocol.GameLine:
    return protocol.GameLine(f"g{number}", "toy", "duel", {}, "red", 1, "p", 1, False, **more)  # type: ignore[arg-type]


# -------------------------------------------------------------------- the line


def test_a_message_of_several_parts_ends_the_line_each_time_and_is_not_taken_in() -> None:
    with rogue([b"x", b"y"]) as server, client(server.place) as one:
        for _ in range(2):
            down = one.wait(lambda note: isinstance(note, Down | Trouble))
            assert isinstance(down, Down)
            assert "was changed on the way, or is no server's of this game" in down.reason
        assert down.retry_s > line.BACKOFF_S[0]


class Turning(Wire):
    """Says of the next encrypted message of the server's that more of it comes, which takes no key."""

    def __init__(self, there: Place) -> None:
        self.turns = threading.Event()
        super().__init__(there)

    def _changed(self, data: bytes, *, from_server: bool) -> bytes:
        at = data.find(b"\x07MESSAGE")
        if not self.turns.is_set() or not from_server or at < 2:
            return data
        self.turns.clear()
        return data[: at - 2] + bytes([data[at - 2] | 1]) + data[at - 1 :]


def test_nobody_on_the_way_has_an_honest_server_left_for_good(host: Host) -> None:
    with closing(Turning(host.place)) as wire, client(wire.place) as one:
        one.wait(lambda note: isinstance(note, Up))
        wire.turns.set()
        for _ in range(2):
            one.games.send(protocol.ListGames())
        down = one.wait(lambda note: isinstance(note, Down | Answered))
        assert isinstance(down, Down)
        assert "was changed on the way" in down.reason
        one.wait(lambda note: isinstance(note, Up))


def test_a_message_that_is_longer_than_any_of_a_server_cuts_the_line_and_is_not_taken_in() -> None:
    with rogue([bytes(protocol.MAX_FRAME + 1)]) as server, client(server.place) as one:
        assert isinstance(one.wait(lambda note: isinstance(note, Down | Trouble)), Down)


class Half(Wire):
    """Carries up to three megabytes from the server, and then nothing more."""

    left = 3 << 20

    def _carry(self, pair: tuple[socket.socket, socket.socket], here: socket.socket, there: socket.socket) -> int:
        carried = super()._carry(pair, here, there)
        if here is pair[1]:
            self.left -= carried
            self.carries = self.left > 0
        return carried


@pytest.mark.skipif(sys.platform != "linux", reason="other systems don't say what came over a line")
def test_a_message_that_never_ends_ends_the_line_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfinished, "MUCH", 1 << 20)
    with rogue([bytes(60_000)] * 100) as server:
        wire = Half(server.place)
        try:
            with client(wire.place) as one:
                assert "a message without an end" in given_up(one)
        finally:
            wire.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems don't say what came over a line")
def test_what_came_is_counted_of_the_line_that_was_connected_and_of_no_other() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as door:
        port = door.getsockname()[1]
        with closing(socket.create_connection(("127.0.0.1", port))) as near, closing(door.accept()[0]) as far:
            far.sendall(bytes(1000))
            near.recv(1, socket.MSG_PEEK)
            known, other = Unfinished(port), Unfinished(port + 1)
            assert known.received() == 0
            for one in (known, other):
                one.connected(near.fileno())
            assert known.received() == 1000
            assert other.received() == 0
            assert near.recv(1000) == bytes(1000)  # it is open as before
            known.looked()
            assert not known.is_much(1000 + unfinished.MUCH, waiting=0)
            assert known.is_much(1001 + unfinished.MUCH, waiting=0)
            assert not known.is_much(1001 + unfinished.MUCH, waiting=1)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems don't say what came over a line")
def test_a_message_that_never_ends_ends_the_line_for_good_while_the_window_is_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfinished, "MUCH", 1 << 20)
    monkeypatch.setattr(protocol, "MAX_FRAME", 10_000)
    notes, ended, is_behind = list[object](), threading.Event(), threading.Event()

    def tell(note: object) -> None:
        notes.append(note)
        is_behind.set()
        if isinstance(note, Answered):
            ended.set()

    def send(socket: zmq.Socket[bytes], peer: bytes) -> None:
        for _ in range(2):
            socket.send_multipart([peer, protocol.encode(protocol.Chat("", (protocol.ChatLine(1, 1, "lobby", "Eve", "x"),)))])
        assert is_behind.wait(10)  # what comes while whole messages are taken is not counted
        socket.send_multipart([peer, *[bytes(5_000)] * 1000])

    with closing(Rogue(send)) as server:
        wire = Half(server.place)
        one = Games(tell, is_behind=is_behind.is_set)  # type: ignore[arg-type]
        one.connect(wire.place.link, "Anna", identity=of("Anna"))
        try:
            assert ended.wait(10)
        finally:
            one.close()
            wire.close()
    assert "a message without an end" in str(notes[-1])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems don't say what came over a line")
def test_a_line_on_which_too_much_waits_is_ended_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be left to the system while the window is behind: a line that broke off then ended the program, by a fault of libzmq."""
    monkeypatch.setattr(unfinished, "BACKLOG", 1 << 20)
    notes, is_down, is_behind = list[object](), threading.Event(), threading.Event()

    def tell(note: object) -> None:
        notes.append(note)
        is_behind.set()
        if isinstance(note, Down):
            is_down.set()
            is_behind.clear()

    with rogue(*[protocol.Chat("", (protocol.ChatLine(1, 1, "lobby", "Eve", "x" * 10_000),))] * 300) as server:
        one = Games(tell, is_behind=is_behind.is_set)  # type: ignore[arg-type]
        one.connect(server.place.link, "Anna", identity=of("Anna"))
        try:
            assert is_down.wait(10)
            assert "what waits is asked for again" in str(next(note for note in notes if isinstance(note, Down)))
        finally:
            one.close()


class Plenty:
    """A socket with one more message at each look, as large as said, until so many were taken."""

    def __init__(self, count: int, size: int) -> None:
        self.left, self._size, self.brought = count, size, 0

    def poll(self, timeout: int) -> int:
        return int(self.left > 0)

    def recv(self, *, copy: bool) -> zmq.Frame:
        self.left, self.brought = self.left - 1, self.brought + self._size
        return zmq.Frame(protocol.encode(protocol.WhoAreYou()))


def test_much_that_comes_in_whole_messages_ends_no_line_whatever_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where as many had come as are taken in at once, and then none for a second, an honest server was left for good."""
    plenty = Plenty(line.AT_ONCE, unfinished.MUCH)
    monkeypatch.setattr(Unfinished, "received", lambda self: plenty.brought)
    one = line.Line("tcp://127.0.0.1:1", "Anna", lambda what: None, identity=of("Anna"))
    with closing(one):
        one._receive(plenty)  # type: ignore[arg-type]
        one._look_for_end(plenty)  # type: ignore[arg-type]
    assert not plenty.left


def test_nothing_more_is_taken_in_while_the_window_is_behind() -> None:
    said = [protocol.Chat("", (protocol.ChatLine(number, 1, "lobby", "Eve", "x"),)) for number in range(500)]
    notes: list[object] = []
    at_rest: list[int] = []  # how many notes there were when the window had been behind for a while
    all_of_them, is_behind = threading.Event(), [False]

    def tell(note: object) -> None:
        notes.append(note)
        is_behind[0] = is_behind[0] or (len(notes) > 10 and not at_rest)
        if len(notes) == 501:
            all_of_them.set()

    looks = iter(range(5))

    def asked() -> bool:
        if is_behind[0] and next(looks, None) is None:
            is_behind[0] = False
            at_rest.append(len(notes))
        return is_behind[0]

    with rogue(*said) as server:
        one = Games(tell, is_behind=asked)  # type: ignore[arg-type]
        one.connect(server.place.link, "Anna", identity=of("Anna"))
        try:
            assert all_of_them.wait(10)
        finally:
            one.close()
    assert at_rest, "it never came to rest"
    assert at_rest[0] <= 11 + line.AT_ONCE


def test_a_line_over_which_messages_come_without_end_can_be_closed() -> None:
    flood = protocol.encode(protocol.Pong({}))

    def send(socket: zmq.Socket[bytes], peer: bytes) -> None:
        while not server.has_ended():
            with suppress(zmq.Again):
                socket.send_multipart([peer, flood], zmq.DONTWAIT)

    server = Rogue(send)
    try:
        with client(server.place) as one:
            one.wait(lambda note: isinstance(note, Up))
        one.games.line._thread.join(30)  # type: ignore[union-attr]
        assert not one.games.line._thread.is_alive()  # type: ignore[union-attr]
    finally:
        server.close()


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged, each with the name of what was raised."""
    return [f"{one.getMessage()}: {one.exc_info[0].__name__}" for one in caplog.records if one.exc_info and one.exc_info[0]]


def test_a_frame_over_which_the_client_breaks_is_told_and_the_line_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Why it broke nobody could find: it was not logged."""
    monkeypatch.setitem(HAPPENS, protocol.PackPart, lambda games, part: 1 // 0)
    part = protocol.PackPart("p", "f", b"", 0)
    with rogue(part, part, protocol.Games(())) as server, client(server.place) as one:
        assert "what this program can use, got a frame pack_part" in str(one.wait(lambda note: isinstance(note, Trouble)))
        one.wait(lambda note: isinstance(note, protocol.Games))
        assert logged(caplog) == [f"a frame pack_part of {server.place.tcp} broke: ZeroDivisionError"]


def test_who_is_welcomed_by_another_name_than_he_came_with_is_told_so_and_the_line_ends() -> None:
    """His program took nothing for his that was done to him by his true name: he lost by time, and was told nothing."""
    with rogue() as server:
        one = Player(server.place.link, "Boris")
        try:
            assert given_up(one).startswith(f"the server at {server.place.tcp} calls you Anna now, and you have come as Boris")
        finally:
            one.games.close()


def test_a_line_that_breaks_says_so(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(line.Line, "_receive", lambda self, socket: 1 // 0)
    with rogue() as server, client(server.place) as one:
        assert given_up(one).endswith(" broke, by a fault of this program")
        assert logged(caplog) == [f"the line to {server.place.tcp} broke: ZeroDivisionError"]


def test_all_that_a_line_tells_is_taken_in() -> None:
    assert HAPPENS.keys() == {*get_args(line.Happening)}


# -------------------------------------------------------------------- what is kept


def test_of_what_nobody_asked_for_nothing_is_kept(host: Host, player: Callable[[str], Player]) -> None:
    anna = player("Anna")
    match = open_game(anna)
    opened = anna.games._opened["first"]
    pending = Pending("red", "Anna", b"", 0, 1, match.log.last_hash, b"")
    with anna.games.reading():
        for number in range(10):
            anna.games.happen(protocol.Opened(f"g{number}", opened.head, "0" * 64, 5))
            anna.games.happen(protocol.PackPart(f"p{number}", "file", b"x", 3))
            anna.games.happen(protocol.LinkWanted(f"g{number}", pending))
    assert anna.games._opened.keys() == {"first"}
    assert not anna.games._packs._parcels
    assert not anna.games._witnessing._early


def test_a_pack_and_a_game_that_never_end_are_given_up(
    host: Host, player: Callable[[str], Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = player("Anna")
    match = open_game(anna)
    monkeypatch.setattr(packs, "MOST_OF_PACK", 1000)
    monkeypatch.setattr(early, "MOST_EARLY", 1000)
    opened = anna.games._opened["first"]
    with anna.games.reading():
        anna.games._wanted.add("other")
        anna.games.happen(protocol.Opened("other", opened.head, "0" * 64, 5))
        for number in range(20):
            anna.games.happen(protocol.NewEntries("other", (msgspec.structs.replace(match.log.entries[0], number=number),)))
        for _ in range(20):
            anna.games.happen(protocol.PackPart("0" * 64, "file", bytes(100), 3))
    assert not anna.games._packs._parcels
    assert not anna.games._early._kept
    troubles = [str(note) for note in anna.notes if isinstance(note, Trouble)]
    assert [("pack of hash" in one, "its pack does not come" in one) for one in troubles].count((True, False)) == 1
    assert [("pack of hash" in one, "its pack does not come" in one) for one in troubles].count((False, True)) == 1


def pieces(raw: zmq.Socket[bytes], digest: str, after: int) -> list[protocol.PackPart]:
    """Return what a server sends of a pack."""
    raw.send(protocol.encode(protocol.NeedPack(digest, after)))
    found: list[protocol.PackPart] = []
    while not found or found[-1].left:
        frame = protocol.decode_from_server(raw.recv())
        if isinstance(frame, protocol.PackPart):
            found.append(frame)
    return found


def taken(opened: protocol.Opened, *sendings: Sequence[protocol.PackPart]) -> tuple[Games, list[int]]:
    """Return a client to which a pack came in these sendings, each over a new line, and after how many pieces it asked for each."""
    asked: list[int] = []
    client = Games(lambda note: None)
    client._packs._ask = lambda frame: asked.append(frame.after)
    client._wanted.add(opened.game)
    for parts in sendings:
        client.happen(opened)
        for part in parts:
            client.happen(part)
    return client, asked


def test_a_pack_goes_on_where_a_cut_line_left_it_and_comes_whole_from_a_server_that_can_not(
    host: Host, player: Callable[[str], Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "PACK_PART", 200)
    anna = player("Anna")
    digest = open_game(anna).setting.pack
    with raw_line(host, of("Boris")) as raw:
        raw.send(protocol.encode(protocol.Hello(protocol.VERSION, "Boris", of("Boris").key)))
        whole = pieces(raw, digest, 0)
        assert len(whole) > 5
        assert pieces(raw, digest, 3) == whole[3:]
        assert pieces(raw, digest, len(whole)) == whole
    opened = anna.games._opened["first"]
    for rest in (whole[3:], whole):
        client, asked = taken(opened, whole[:3], rest)
        assert (asked, client.match("first") is not None) == ([0, 3], True)
    spoiled = [msgspec.structs.replace(part, data=part.data + b"#") for part in whole[3:]]
    client, asked = taken(opened, whole[:3], spoiled)
    assert (asked, client.match("first")) == ([0, 3, 0], None)


def test_a_pack_that_is_none_is_told_and_its_game_is_asked_for_again(
    host: Host, player: Callable[[str], Player]
) -> None:
    anna = player("Anna")
    digest = open_game(anna).setting.pack
    told: list[object] = []
    other = Games(told.append)
    other._packs._ask = lambda frame: None
    other._wanted.add("first")
    other.happen(anna.games._opened["first"])
    other.happen(protocol.PackPart(digest, "board.csv", b"nothing", 0))
    (trouble,) = [note for note in told if isinstance(note, Trouble)]
    assert "pack.toml" in str(trouble)
    assert "first" not in other._due.stuck  # a piece of it may have come twice


def test_a_list_that_does_not_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed, "MOST", 10)
    known = listed.GameList()
    lists = [known.take(protocol.Games((line_of(number),), left=1_000_000 - number)) for number in range(100)]
    assert max(len(one.games) for one in lists if one is not None) <= 10
    assert len(known._parts) <= 10
    told = [known.take(protocol.Games((line_of(number),), 0, f"m.{number}", 1, added=number > 0)) for number in range(100)]
    assert max(len(one.games) for one in told if one is not None) == 10
    assert len(known._lines) <= 10
    assert known.asked().known == ""  # the whole of it, the next time


def test_of_packs_that_are_named_one_after_the_other_and_do_not_end_one_is_kept(host: Host, player: Callable[[str], Player]) -> None:
    anna = player("Anna")
    open_game(anna)
    opened = anna.games._opened["first"]
    other = Games(lambda note: None)
    other._packs._ask = lambda frame: None
    other._wanted.add("first")
    for number in range(5):
        digest = f"{number:064x}"
        other.happen(msgspec.structs.replace(opened, pack=digest))
        other.happen(protocol.PackPart(digest, "board.csv", b"x" * 1_000, 1))
    assert [(digest, parcel.size) for digest, parcel in other._packs._parcels.items()] == [(f"{4:064x}", 1_009)]


def test_chat_without_end_is_kept_as_far_as_somebody_reads_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.session.talk.MOST_LINES", 10)
    talk = TableTalk("", lambda: 0)
    for number in range(100):
        talk.take(protocol.Chat("", (protocol.ChatLine(number, number, "lobby", "Eve", "x"),)))
    assert [line.number for line in talk.lines] == list(range(90, 100))


# -------------------------------------------------------------------- what it calls things


@pytest.mark.parametrize("frame", [
    protocol.Games((line_of(1, owner="x" * 100_000),)),
    protocol.Games((line_of(1, owner="Anna\nBoris"),)),
    protocol.Games((line_of(1, owner="Anna\u202eBoris"),)),
    protocol.Welcome(protocol.VERSION, "A\x1b[2J", "player", 1),
    protocol.Chat("", (protocol.ChatLine(1, 1, "lobby", "Eve", "x" * 500_000),)),
    protocol.Failed("x" * 500_000, "", ""),
], ids=["long", "two lines", "turned round", "a control", "a book", "a fault without end"])
def test_no_name_that_a_server_makes_up_fills_the_screen_or_turns_the_writing_round(frame: protocol.Frame) -> None:
    with pytest.raises(BadInput) as told:
        protocol.decode_from_server(protocol.encode(frame))
    assert len(str(told.value)) < 500


def test_a_refusal_of_a_megabyte_is_cut(host: Host, player: Callable[[str], Player]) -> None:
    anna = player("Anna")
    anna.wait(lambda note: isinstance(note, Up))
    anna.games.happen(protocol.NotAccepted("", "", "", Text("{a}", {"a": "x" * 900_000})))
    assert len(given_up(anna)) < 5_000

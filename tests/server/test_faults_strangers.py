"""Hostile and hapless peers, against a server in a process of its own: what they cost it in memory, and the others in their game.

Forged identities are in `test_security`, half-open connections and slow readers in `test_lines` and `test_trouble`.
"""

from __future__ import annotations

import functools
import gc
import random
import resource
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import msgspec
import pytest
import zmq

from client.connection.games import Up
from client.connection.notes import Answered, Grown, Ready, Trouble
from client.connection.table import do
from core import protocol
from core.address import parse
from core.board import Hex
from core.errors import BadInput, Refused
from core.gamefile import open_match
from core.identity import act_message, curve_key
from core.log import Offer, Pause, Seat
from core.match import Match
from core.units import UnitId
from tests.server.conftest import Host, Player, of, raw_line, signed, toy
from tests.server.doors import heard
from tests.server.processes import Mortal
from tests.server.test_lines import Wire
from tests.server.test_play import End, look_on, open_game, play_on, sit
from tests.toy.ruleset import Go

NewPlayer = Callable[..., Player]
MIB = 1 << 20
FLOODERS, BUNCH = 8, 40  # how many they are, and what each sends while an order is given: as fast as they can they fill the wire


@pytest.fixture
def mortal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mortal]:
    monkeypatch.setattr("client.connection.games.open_match", functools.partial(open_match, load=toy))
    made = Mortal(tmp_path)
    made.start()
    yield made
    made.close()


def most_memory(pid: int) -> int:
    """Return the most that a process ever had in memory, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) << 10


def seated(one: Player) -> Match:
    match = open_game(one)
    for side in ("red", "blue"):
        sit(one, "first", side)
    return match


def stranger(server: Mortal, name: str) -> zmq.Socket[bytes]:
    """Return a line of somebody who has said hello, and will read nothing."""
    place = parse("address", server.address)
    line = zmq.Context.instance().socket(zmq.DEALER)
    for option, value in (
        (zmq.CURVE_SERVERKEY, curve_key(place.key)), (zmq.CURVE_PUBLICKEY, curve_key(of(name).key)),
        (zmq.CURVE_SECRETKEY, of(name).curve_secret()), (zmq.LINGER, 0), (zmq.RCVHWM, 1), (zmq.SNDHWM, 100), (zmq.SNDTIMEO, 200),
    ):
        line.setsockopt(option, value)
    line.connect(place.tcp)
    line.send(protocol.encode(protocol.Hello(protocol.VERSION, name, of(name).key)))
    return line


# -------------------------------------------------------------------- memory


_BARE_ACT: dict[str, object] = {"frame": "act", "game": "first", "side": "red", "order_id": "x"}
_REFEREE = {"act": "referee", "text": ["{a}", {str(number): number for number in range(9_000)}]}
NESTED = {
    "nested arrays": b"\x91" * 60_000,
    "arrays that claim to be long": b"\xdd\xff\xff\xff\xff" * 12_000,
    "maps that claim to be long": b"\xdf\xff\xff\xff\xff" * 12_000,
    "nested maps": b"\x81\xa1a" * 20_000,
    "bytes that claim to be long": b"\x81\xa5frame\xc6\xff\xff\xff\xff" + bytes(1000),
    "an act nested deeply": b"\x85" + msgspec.msgpack.encode(_BARE_ACT)[1:] + b"\xa3act" + b"\x91" * 60_000,
    "a field of a later version nested deeply": b"\x82\xa5frame\xa4ping\xa5later" + b"\x91" * 60_000,
    "a referee's text of many arguments": msgspec.msgpack.encode({**_BARE_ACT, "act": _REFEREE}),
}


@pytest.mark.parametrize("what", NESTED)
def test_nested_frames_cost_the_server_no_memory(what: str, mortal: Mortal) -> None:
    anna = mortal.player("Anna")
    match = seated(anna)
    with closing(stranger(mortal, "Mallory")) as mallory:
        before = most_memory(mortal.pid)
        for _ in range(50):
            mallory.send(NESTED[what])
        play_on(anna, match, random.Random(1))
    assert match.outcome is not None
    assert most_memory(mortal.pid) - before < 16 * MIB


def test_oversized_frames_end_their_line_and_cost_the_server_no_memory(mortal: Mortal) -> None:
    anna = mortal.player("Anna")
    match = seated(anna)
    before = most_memory(mortal.pid)
    with ExitStack() as lines:
        for number in range(20):
            mallory = lines.enter_context(closing(stranger(mortal, f"Mallory {number}")))
            mallory.send(bytes(8 * MIB))
        play_on(anna, match, random.Random(1))
    assert match.outcome is not None
    assert most_memory(mortal.pid) - before < 32 * MIB


def test_a_game_goes_on_amid_a_flood_that_nobody_reads_the_answers_to(mortal: Mortal) -> None:
    """Nothing has to be asked twice: each order is answered once, in a game whose every message passes the flood."""
    anna = mortal.player("Anna")
    match = seated(anna)
    before = most_memory(mortal.pid)
    over, sent, due = threading.Event(), [0] * FLOODERS, [threading.Semaphore(0) for _ in range(FLOODERS)]
    flood = [protocol.encode(protocol.Say("first", "game", "x", "y")) + bytes(60_000), protocol.encode(protocol.ListGames()),
             protocol.encode(protocol.Follow("first")), protocol.encode(protocol.NeedPack(match.setting.pack))]

    def pour(number: int) -> None:
        rng = random.Random(number)
        with closing(stranger(mortal, f"Mallory {number}")) as line:
            while due[number].acquire() and not over.is_set():
                for _ in range(BUNCH):
                    with suppress(zmq.Again):  # the server takes no more of his now
                        line.send(rng.choice(flood))
                        sent[number] += 1

    def next_bunch() -> None:
        for one in due:
            one.release()

    threads = [threading.Thread(target=pour, args=(number,)) for number in range(FLOODERS)]
    for thread in threads:
        thread.start()
    try:
        given = play_all(anna, match, amid=next_bunch)
        anna.until(lambda: min(sent) > 10)
    finally:
        over.set()
        next_bunch()
        for thread in threads:
            thread.join()
    assert match.outcome is not None
    assert sorted(note.order_id for note in anna.notes if isinstance(note, Answered) and note.order_id) == []
    assert len(given) > 5
    assert most_memory(mortal.pid) - before < 64 * MIB


def play_all(one: Player, match: Match, *, amid: Callable[[], None]) -> list[str]:
    """Play to the end; return the order ids, each answered once and not refused, amid what is done before each."""
    given: list[str] = []
    rng = random.Random(3)
    while match.outcome is None:
        here = match.log.moved_at
        amid()
        play_on(one, match, rng, orders=1)
        one.until(lambda here=here: match.log.moved_at > here, seconds=30)  # type: ignore[misc]
        given.append(str(here))
    return given


def test_a_server_that_has_no_descriptor_left_goes_on_with_those_who_are_there_and_lets_others_in_later(mortal: Mortal) -> None:
    anna = mortal.player("Anna")
    match = seated(anna)
    place = parse("address", mortal.address)
    soft = len(list(Path(f"/proc/{mortal.pid}/fd").iterdir())) + 4
    resource.prlimit(mortal.pid, resource.RLIMIT_NOFILE, (soft, soft))
    with ExitStack() as crowd:
        for _ in range(60):
            crowd.enter_context(closing(socket.create_connection((place.host, place.port))))
        play_on(anna, match, random.Random(1), orders=5)
    boris = mortal.player("Boris")
    boris.wait(lambda note: isinstance(note, Up), seconds=30)
    boris.games.follow("first")
    boris.wait(lambda note: isinstance(note, Ready))
    play_on(anna, match, random.Random(2))
    assert match.outcome is not None


# -------------------------------------------------------------------- the same bytes from somebody else


def test_the_bytes_of_an_order_do_nothing_from_another_connection(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    match = seated(anna)
    frame = signed(of("Anna"), match, protocol.Give("first", "red", "one", match.log.moved_at, match.codec.encode(End())))
    room = host.service.room("first")
    with raw_line(host, of("Mallory")) as mallory:
        mallory.send(protocol.encode(protocol.Hello(protocol.VERSION, "Mallory", of("Mallory").key)))
        assert isinstance(heard(mallory), protocol.Welcome)
        mallory.send(protocol.encode(frame))
        assert "held by Anna, not by Mallory" in refusal(mallory)
        anna.games.send(frame)
        anna.wait(lambda note: isinstance(note, Answered) and note.order_id == "one")
        before = len(room.match.log)
        mallory.send(protocol.encode(frame))
        assert "sent by somebody else" in refusal(mallory)
    same = player("Anna")
    same.wait(lambda note: isinstance(note, Up))
    same.games.send(frame)
    answer = same.wait(lambda note: isinstance(note, Answered) and note.order_id == "one")
    assert isinstance(answer, Answered)
    assert answer.refused is None
    assert len(room.match.log) == before


def test_the_bytes_of_an_act_do_nothing_from_another_connection_and_nothing_again(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match = open_game(anna)
    sit(anna, "first", "red")
    look_on(boris)
    do(boris.games, "first", "blue", Seat("blue", "Boris"))
    anna.until(lambda: match.table.holders("blue") == {"Boris"})
    act = Offer("draw")
    message = act_message("first", match.hash_of(0), "red", act)
    frame = protocol.DoAct("first", "red", "one", act, of("Anna").sign(message))
    room = host.service.room("first")
    with raw_line(host, of("Mallory")) as mallory:
        mallory.send(protocol.encode(protocol.Hello(protocol.VERSION, "Mallory", of("Mallory").key)))
        assert isinstance(heard(mallory), protocol.Welcome)
        mallory.send(protocol.encode(frame))
        refusal(mallory)
        assert not room.match.table.offers
        anna.games.send(frame)
        anna.wait(lambda note: isinstance(note, Answered) and note.order_id == "one")
        before = len(room.match.log)
        mallory.send(protocol.encode(frame))
        assert "sent by somebody else" in refusal(mallory)
    assert len(room.match.log) == before


def test_an_id_that_somebody_else_used_first_takes_nobodys_order_away(host: Host, player: NewPlayer) -> None:
    """Whoever learns an id beforehand could else have its order answered as if it had been taken."""
    anna, boris = player("Anna"), player("Boris")
    match = open_game(anna)
    sit(anna, "first", "red")
    look_on(boris)
    boris.games.ask(protocol.DoAct("first", "blue", "one", Seat("blue", "Boris")))
    boris.wait(lambda note: isinstance(note, Answered) and note.order_id == "one")
    anna.until(lambda: match.table.holders("blue") == {"Boris"})
    anna.games.send(signed(of("Anna"), match, protocol.Give("first", "red", "one", match.log.moved_at, match.codec.encode(End()))))
    answer = anna.wait(lambda note: isinstance(note, Answered) and note.order_id == "one")
    assert isinstance(answer, Answered)
    assert "sent by somebody else" in str(answer.refused)
    do(anna.games, "first", "red", Pause(on=True))


def refusal(line: zmq.Socket[bytes]) -> str:
    answer = heard(line)
    assert isinstance(answer, protocol.NotAccepted), answer
    return str(answer.text)


def errors() -> list[Refused | BadInput]:
    """Return all that are in memory."""
    return [one for one in gc.get_objects() if isinstance(one, Refused | BadInput)]


def test_what_was_wrong_and_is_answered_leaves_nothing_behind(host: Host, player: NewPlayer) -> None:
    """A server looks for dead cycles once an hour: what each wrong message left there would fill its memory."""
    anna = player("Anna")
    match = seated(anna)
    side, seq = match.view.side_to_act(), match.log.moved_at
    march = protocol.Give("first", side, "march", seq, match.codec.encode(Go(UnitId(99), Hex(0))))
    wrong = [
        b"\x91" * 50, signed(of("Anna"), match, march),
        protocol.Give("first", side, "bytes", seq, b"\xc0"), protocol.Give("first", side, "unsigned", seq, march.order),
        protocol.DoAct("first", side, "seat", Seat(side, "Boris")), protocol.DoAct("first", side, "pause", Pause(on=False)),
        protocol.TakeSeat("first", "nobody's"), protocol.Follow("nowhere"), protocol.ShowLink("first", 1, bytes(32), bytes(32), b""),
    ]
    with raw_line(host, of("Anna")) as line:
        line.send(protocol.encode(protocol.Hello(protocol.VERSION, "Anna", of("Anna").key)))
        heard(line)
        gc.collect()
        gc.disable()
        before = errors()  # what other tests keep
        try:
            for frame in wrong:
                line.send(frame if isinstance(frame, bytes) else protocol.encode(frame))
                assert isinstance(heard(line), protocol.NotAccepted | protocol.Failed), frame
            line.send(protocol.encode(protocol.Ping()))
            assert isinstance(heard(line), protocol.Pong)  # the last one was left behind before
            left = [one for one in errors() if not any(one is other for other in before)]
        finally:
            gc.enable()
    assert left == []


# -------------------------------------------------------------------- gone, cut, half closed, slow


def test_an_order_of_somebody_who_is_gone_at_once_is_whole_for_the_others(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    open_game(anna)
    sit(anna, "first", "red")
    theirs = look_on(boris)
    with raw_line(host, of("Anna")) as gone:
        gone.send(protocol.encode(protocol.Hello(protocol.VERSION, "Anna", of("Anna").key)))
        heard(gone)
        give = protocol.Give("first", "red", "one", theirs.log.moved_at, theirs.codec.encode(End()))
        gone.send(protocol.encode(signed(of("Anna"), theirs, give)))
        gone.setsockopt(zmq.LINGER, -1)  # what was sent goes, and nobody waits for the answer
    anna.games.close()
    boris.until(lambda: theirs.view.side_to_act() == "blue")
    again = player("Anna")
    known = look_on(again)
    assert known.log.last_hash == theirs.log.last_hash


def test_whoever_is_gone_while_he_catches_up_is_forgotten(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    match = seated(anna)
    play_on(anna, match, random.Random(1))
    for number in range(20):
        with raw_line(host, of(f"Hasty {number}")) as line:
            line.send(protocol.encode(protocol.Hello(protocol.VERSION, f"Hasty {number}", of(f"Hasty {number}").key)))
            heard(line)
            for _ in range(20):
                line.send(protocol.encode(protocol.Follow("first")))
                line.send(protocol.encode(protocol.NeedPack(match.setting.pack)))
    boris = player("Boris")
    theirs = open_game(boris, "second")
    sit(boris, "second", "red")
    play_on(boris, theirs, random.Random(1), orders=1)
    assert not any(isinstance(note, Trouble) for note in (*anna.notes, *boris.notes))


class Slow(Wire):
    """A wire that carries little at a time, and can close one half of its lines."""

    bytes_at_once = 50

    def half_close(self) -> None:
        """Say on each line that nothing more comes from the client, and go on carrying the other way."""
        for _, far in list(self._pairs):
            far.shutdown(socket.SHUT_WR)


def test_a_line_that_carries_a_few_bytes_at_a_time_carries_a_game(host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(host.place)
    try:
        anna = player("Anna", address=slow.place.link)
        match = seated(anna)
        play_on(anna, match, random.Random(1))
        assert match.outcome is not None
    finally:
        slow.close()


def test_a_line_that_is_half_closed_comes_back_and_misses_nothing(host: Host, player: NewPlayer) -> None:
    wire = Slow(host.place)
    try:
        anna, boris = player("Anna"), player("Boris", address=wire.place.link)
        match = seated(anna)
        look_on(boris)
        wire.half_close()
        play_on(anna, match, random.Random(1), orders=4)
        boris.wait(lambda note: isinstance(note, Up), seconds=30)
        theirs = boris.games.match("first")
        assert theirs is not None
        boris.until(lambda: theirs.log.last_hash == match.log.last_hash)
        assert any(isinstance(note, Grown | Ready) for note in boris.notes)
    finally:
        boris.games.close()
        wire.close()

"""Frames that nobody should send: mutated and random bytes, against a server that goes on serving."""

from __future__ import annotations

import random

import msgspec

from client.connection.games import Up
from client.connection.notes import Ready
from core import protocol
from core.errors import BadInput
from core.log import Admit, Limit, Offer, Referee, Result, Seat, SetClock
from core.terms import ClockTerms, SeatTerms, SpectatorTerms, Terms
from core.text import text
from core.units import UnitId
from tests.server.conftest import Host, Player, of, raw_line

FRAMES = [
    protocol.Hello(2, "Anna", of("Anna").key, "abcd"),
    protocol.ListGames(),
    protocol.CreateGame("g", "toy", "duel", {"x": 1}),
    protocol.Follow("g", 3),
    protocol.NeedPack("abc"),
    protocol.TakeSeat("g", "red"),
    protocol.Give("g", "red", "id", 3, b"\x81\xa5order\xa3end"),
    protocol.AskRewind("g", "red", 0),
    protocol.Answer("g", "red", 3, True),
    protocol.GiveUp("g", "red"),
    protocol.CreateGame("g", "toy", "duel", terms=Terms(clock=ClockTerms("turn", 9), seats=(SeatTerms("red", "a", (UnitId(1),)),))),
    *(protocol.DoAct("g", "red", "id", act) for act in (Seat("red", "Anna"), Limit("red", "a", None), Offer("rewind", 3))),
    protocol.DoAct("g", "", "id", SetClock("red", 7)),
    *(protocol.DoAct("g", "", "id", act) for act in (Admit(SpectatorTerms("red", 3)), Referee(text("{a}", a=1)), Result("", "tired"))),
    protocol.Say("g", "side:red", "id", "hello"),
    protocol.ReadChat("g", 3),
    protocol.AnswerAhead("g", "red", "id", "Act", b"\x81\xa5order\xa3end", 2, bytes(64)),
    protocol.Revoke("g", "red", "id", "Act"),
    protocol.ListAnswers("g", "red"),
]
TIMES = 3000


def mutated(rng: random.Random) -> bytes:
    data = bytearray(protocol.encode(rng.choice(FRAMES)))
    for _ in range(rng.randrange(1, 6)):
        kind, at = rng.randrange(4), rng.randrange(len(data) + 1)
        if kind == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at:at] = rng.randbytes(rng.randrange(1, 9))
        elif kind == 2:
            del data[at : at + rng.randrange(1, 9)]
        else:
            data = bytearray(rng.randbytes(rng.randrange(60)))
    return bytes(data)


def test_no_bytes_do_anything_but_raise_bad_input() -> None:
    rng = random.Random(1)
    refused = 0
    for _ in range(10_000):
        try:
            protocol.decode_from_client(mutated(rng))
        except BadInput:
            refused += 1
    assert refused > 5_000


def test_nested_arrays_and_oversized_frames_are_refused() -> None:
    for data in (b"\x91" * 100_000, msgspec.msgpack.encode(["x" * 70_000] * 20), b"\xdd\xff\xff\xff\xff"):
        try:
            protocol.decode_from_client(data)
        except BadInput:
            continue
        raise AssertionError("a frame that is none was decoded")


def test_a_server_under_fuzz_serves_another_game_meanwhile(host: Host) -> None:
    rng = random.Random(2)
    anna = Player(host.address, "Anna-2")
    with raw_line(host, of("Mallory")) as socket:
        socket.send(protocol.encode(protocol.Hello(protocol.VERSION, "Mallory", of("Mallory").key)))
        for number in range(TIMES):
            socket.send(mutated(rng))
            if number % 50 == 0:
                socket.send_multipart([b"", rng.randbytes(9), b"three parts"])
            while socket.poll(0):
                socket.recv()
    try:
        anna.wait(lambda note: isinstance(note, Up))
        anna.games.send(protocol.CreateGame("quiet", "toy", "duel"))
        anna.games.follow("quiet")
        anna.wait(lambda note: isinstance(note, Ready))
    finally:
        anna.games.close()

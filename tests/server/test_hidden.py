"""Games with secrets over real sockets: no byte that a side is sent tells what the other hides."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from client.connection import table
from client.connection.fouls import Foul
from client.connection.notes import Answered, Ready, Trouble
from core import protocol
from core.dice import Keeper
from core.events import Shown
from core.hidden import PUBLIC
from core.log import ROOT, Offer, Rewind
from core.match import Match
from core.orders import Order
from core.seen import SeenLog
from core.units import UnitId
from core.witnesses import SERVER
from tests.hidden_toy.ruleset import Deploy, Draw, End, Lay, March, Plan
from tests.server.dark import (
    AT,
    BOARD,
    GAME,
    PLAIN,
    SETTING,
    TWINS,
    DarkHost,
    Listener,
    NewClient,
    Red,
    begun,
    client,
    dark,
    heard,
    known_here,
    play,
    set_up,
    take_back,
    truth,
)

__all__ = ["client", "dark", "heard"]  # fixtures
SECRET_WORDS = {"red": (b"red_plan", b"red_mine"), "blue": (b"blue_plan", b"blue_mine")}


# -------------------------------------------------------------------- what the bytes hold


def told_names(match: Match, viewer: str) -> set[bytes]:
    """Return the names of the other side's counters that a viewer was shown by the rules."""
    shown = {
        event.unit.name
        for entry in SeenLog(SETTING, match.log, viewer).grow()
        for event in entry.events
        if isinstance(event, Shown) and event.unit.id >= 0
    }
    return {name.encode() for name in shown}


@pytest.mark.parametrize("seed", range(3))
def test_no_byte_of_a_whole_game_tells_what_the_other_side_hides(
    dark: DarkHost, client: NewClient, heard: dict[int, list[bytes]], seed: int
) -> None:
    """bugs-of-peers 4 (undo, snapshots), bugs-of-peers 5 (the set-up, to whoever joins early), bugs-of-peers 20 (counts).

    And bugs-of-peers 21: the wrong side's facts.
    """
    there = begun(client, watched=True)
    marks = {viewer: len(heard[one.thread]) for viewer, one in there.items()}
    assert min(marks.values()) > 0
    play(dark, there, random.Random(seed), most=60)
    names = {unit.name.encode() for unit in truth(dark).view.position.units.values() if "-" in unit.name}
    for viewer, one in there.items():
        if truth(dark).outcome is None:
            one.until(known_here(one, dark, viewer))
        sent = b"".join(running(heard[one.thread]))
        hidden = {name for name in names if not name.startswith(viewer.encode())} - told_names(truth(dark), viewer)
        assert hidden, "all was revealed: the game tests nothing"
        assert [name for name in sorted(hidden) if name in sent] == []
        for side, words in SECRET_WORDS.items():
            if side != viewer:
                assert [word for word in words if word in sent] == []
    # Nor is anybody told that the others did not sign what they gave: they signed it over numbers that nobody else knows.
    assert [note for one in there.values() for note in one.notes if isinstance(note, Foul)] == []


def running(messages: list[bytes]) -> list[bytes]:
    """Return the messages that came while the game ran, but for the pack, which holds what is printed on all counters."""
    frames = [protocol.decode_from_server(data) for data in messages]
    opened = next((n for n, frame in enumerate(frames) if isinstance(frame, protocol.NewEntries)), len(frames))
    return [data for data, frame in zip(messages[:opened], frames, strict=False) if not isinstance(frame, protocol.PackPart)]


# -------------------------------------------------------------------- two games that differ only in what is hidden


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no clock and no random byte tell two games apart."""
    monkeypatch.setattr("server.steady.now_ms", lambda: 1_000)
    monkeypatch.setattr("server.rooms.secrets", SimpleNamespace(token_bytes=bytes))


def script(dark: DarkHost, there: dict[str, Listener], red: Red) -> None:
    """Play a game whose red side does what it hides; blue asks for what he may and may not."""
    anna, boris = there["red"], there["blue"]

    def give(side: str, order: Order) -> None:
        there[side].until(known_here(there[side], dark, side))
        assert there[side].give(side, order).refused is None

    give("red", red.first)
    give("red", red.second)
    give("red", End())
    give("blue", Deploy(UnitId(6), BOARD.hex("T0402")))
    give("blue", End())
    if red.ahead:
        sent = table.answer_ahead(anna.games, GAME, "red", "Planning", Plan(red.plan))
        anna.wait(lambda note: isinstance(note, Answered) and note.order_id == sent)
        anna.until(lambda: truth(dark).view.side_to_act() == "blue")
    else:
        give("red", Plan(red.plan))
    give("blue", Plan("wary"))
    for n in range(red.mines + red.undone):
        anna.until(known_here(anna, dark, "red"))
        head = anna.match.log.head
        give("red", Lay(AT))
        if n >= red.mines:
            take_back(dark, there, "red", head, yes=True)
    ask_in_vain(dark, boris)
    give("red", Draw())
    ask_in_vain(dark, boris)
    give("red", March((red.first.unit,), BOARD.hex("T0203")))  # type: ignore[arg-type]
    give("red", End())
    boris.until(known_here(boris, dark, "blue"))
    before = boris.match.log.head
    give("blue", End())
    for _ in range(red.mines):
        give("red", Lay(BOARD.hex("T0203")))
    take_back(dark, there, "blue", before, yes=False)   # it must be asked for, whether red has done anything or not
    assert any(isinstance(entry.act, Offer) for entry in boris.match.log.entries)
    boris.until(known_here(boris, dark, "blue"))


def ask_in_vain(dark: DarkHost, boris: Listener) -> None:
    """Ask, as blue in red's turn, for all that tells where the log stands: orders of now and of then, going back, an offer."""
    boris.until(known_here(boris, dark, "blue"))
    with boris.games.reading():
        match = boris.match
        seqs, last, data = (match.log.moved_at, match.log.moved_at - 1, 10_000, ROOT), len(match.log) - 1, match.codec.encode(End())
    for seq in seqs:
        boris.games.send(protocol.Give(GAME, "blue", f"vain{seq}", seq, data, b"x" * 64))
        boris.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    for to in (match.log.head, last + 1, 10_000, ROOT):
        boris.games.send(protocol.AskRewind(GAME, "blue", to))
        boris.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    for side in ("blue", "red", ""):
        for frame in (protocol.DoAct(GAME, side, f"vain-{side}", Rewind(match.log.head)), protocol.AskRewind(GAME, side, match.log.head)):
            boris.games.send(frame)
            boris.wait(lambda note: isinstance(note, Answered | Trouble))
    boris.games.send(protocol.Answer(GAME, "blue", last, yes=True))
    boris.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    boris.settle()


def told_bytes(messages: list[bytes]) -> list[bytes]:
    """Return what came, with the commitments blanked; what comes by the clock (a pong, whom the game waits for) is left out."""
    told: list[bytes] = []
    for data in messages:
        frame = protocol.decode_from_server(data)
        if isinstance(frame, protocol.SeenEntries):
            told += [msgspec.msgpack.encode(msgspec.structs.replace(entry, commitment=b"")) for entry in frame.entries]
        elif isinstance(frame, protocol.Accepted):
            told.append(protocol.encode(msgspec.structs.replace(frame, order_id="")))  # the client's own, and random
        elif isinstance(frame, protocol.Games):
            told.append(protocol.encode(msgspec.structs.replace(frame, mark=frame.mark.partition(".")[2])))  # without the server's name
        elif isinstance(frame, protocol.Opened):  # without the end of its dice chain, by which a server commits itself to its secret
            bare = msgspec.structs.replace(frame.head, chains=(), keeper=Keeper())
            told.append(protocol.encode(msgspec.structs.replace(frame, head=bare)))
        elif not isinstance(frame, protocol.Pong | protocol.Waiting | protocol.Present | protocol.Welcome | protocol.PackPart):
            told.append(protocol.encode(frame))
    return told


def recorded(dark: DarkHost, client: NewClient, heard: dict[int, list[bytes]], red: Red) -> tuple[list[bytes], list[bytes]]:
    there = begun(client, watched=True)
    script(dark, there, red)
    carla = there[PUBLIC]
    carla.until(known_here(carla, dark, PUBLIC))
    told = told_bytes(heard[there["blue"].thread]), told_bytes(heard[carla.thread])
    for one in there.values():
        one.games.close()
        heard.pop(one.thread)   # a later thread may have its number
    return told


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("red", TWINS.values(), ids=TWINS)
def test_games_that_differ_in_what_is_hidden_send_the_other_side_the_same_bytes(
    dark: DarkHost, client: NewClient, heard: dict[int, list[bytes]], tmp_path: Path, red: Red
) -> None:
    """bugs-of-peers 4 and bugs-of-peers 20: entries, refusals, numbers, lists and what is undone are the same to the last byte."""
    plain = recorded(dark, client, heard, PLAIN)
    dark.stop()
    dark.data = tmp_path / "twin"
    dark.start()
    twin = recorded(dark, client, heard, red)
    assert len(plain[0]) > 35
    assert twin[0] == plain[0]
    assert twin[1] == plain[1]


@pytest.mark.usefixtures("still")
def test_games_that_differ_in_the_secret_of_their_dice_send_the_other_side_the_same_bytes(
    dark: DarkHost, client: NewClient, heard: dict[int, list[bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Red draws a card by these dice; and as long as none is open nothing that is sent hangs on them, nor on the salts of entries."""
    plain, chain = recorded(dark, client, heard, PLAIN), truth(dark).witnesses.chains[SERVER]
    dark.stop()
    monkeypatch.setattr("server.rooms.secrets", SimpleNamespace(token_bytes=lambda size: b"\1" * size))
    dark.data = tmp_path / "twin"
    dark.start()
    twin = recorded(dark, client, heard, PLAIN)
    assert truth(dark).witnesses.chains[SERVER] != chain
    assert twin == plain


@pytest.mark.usefixtures("still")
def test_nothing_at_all_is_sent_while_the_other_side_does_what_can_not_be_seen(
    dark: DarkHost, client: NewClient, heard: dict[int, list[bytes]]
) -> None:
    there = begun(client)
    anna, boris = there["red"], there["blue"]
    set_up(dark, there)
    boris.until(known_here(boris, dark, "blue"))
    window = client("Boris")  # of his who has just come: he is told what he lacks once
    window.games.follow(GAME)
    window.wait(lambda note: isinstance(note, Ready))
    ask = len(heard[boris.thread])
    for one in (boris, window):
        one.settle()
    before = {one: len(heard[one.thread]) for one in (boris, window)}
    assert before[boris] > ask
    for _ in range(3):
        anna.until(known_here(anna, dark, "red"))
        head = anna.match.log.head
        assert anna.give("red", Lay(AT)).refused is None
        take_back(dark, there, "red", head, yes=True)
    for one in (boris, window):
        one.settle()
        came = [protocol.decode_from_server(data) for data in heard[one.thread][before[one]:]]
        assert [type(frame) for frame in came if not isinstance(frame, protocol.Pong)] == [protocol.Games]

"""What no server could read is refused where it is asked, and never sent."""

from __future__ import annotations

from typing import cast

import pytest

from client.connection import table
from client.connection.games import Games
from client.connection.line import Line, Up
from client.connection.notes import Answered, Note, Trouble
from core import protocol
from core.log import Resign


class Sink:
    """Stands for a line, and keeps what is sent."""

    def __init__(self) -> None:
        self.name, self.heard_ms, self.sent = "Anna", None, list[protocol.Frame]()
        self.pinged = self.answered = 0

    def send(self, frame: protocol.Frame) -> None:
        self.sent.append(frame)


@pytest.fixture
def sink() -> Sink:
    return Sink()


@pytest.fixture
def notes() -> list[Note]:
    return []


@pytest.fixture
def games(sink: Sink, notes: list[Note]) -> Games:
    made = Games(notes.append)
    made.line = cast(Line, sink)
    return made


def refusal(notes: list[Note], order_id: str) -> str:
    found, = (note for note in notes if isinstance(note, Answered) and note.order_id == order_id)
    return str(found.refused)


@pytest.mark.parametrize("words", ["", "x" * 501, "\n", "a\u200bb"])
def test_a_line_that_no_server_can_read_is_refused_and_never_sent(games: Games, sink: Sink, notes: list[Note], words: str) -> None:
    said = table.say(games, "first", "game", words)
    games.happen(Up("Anna"))  # what was not answered goes out again
    assert sink.sent == []
    assert refusal(notes, said) == "a line of chat is 1 to 500 letters that can be seen, without a blank at its ends"


def test_what_no_server_can_read_is_refused_by_its_field(games: Games, sink: Sink, notes: list[Note]) -> None:
    given_up = table.do(games, "first", "red", Resign("r" * 5_000))
    revoked = table.revoke(games, "first", "r" * 65, "Meet")
    assert sink.sent == []
    assert refusal(notes, given_up).startswith("this can't be sent: act.side: ")
    assert refusal(notes, revoked).startswith("this can't be sent: side: ")


@pytest.mark.parametrize(("frame", "field"), [
    (protocol.TakeSeat("first", "r" * 65), "side"), (protocol.Kick("\n"), "name"), (protocol.GiveUp("first", "r" * 65), "side"),
    (protocol.Follow("no game's name"), "game"),
])
def test_what_has_no_id_and_no_server_can_read_is_told_by_its_field_and_never_sent(
    games: Games, sink: Sink, notes: list[Note], frame: protocol.Frame, field: str
) -> None:
    games.send(frame)
    told, = notes
    assert sink.sent == []
    assert isinstance(told, Trouble)
    assert told.fault is not None
    assert told.fault.where == f"frame `$.{field}`"


def test_a_game_of_which_no_server_can_know_is_not_asked_for_again(games: Games, sink: Sink, notes: list[Note]) -> None:
    games.follow("no game's name")
    games.happen(protocol.Pong())
    games.happen(protocol.Pong())
    games.happen(Up("Anna"))
    assert sink.sent == []
    assert [type(note) for note in notes] == [Trouble, Up]


def test_what_a_server_can_read_goes_out_again_until_it_is_answered(games: Games, sink: Sink) -> None:
    said = table.say(games, "first", "game", "good luck")
    games.happen(Up("Anna"))
    games.happen(protocol.Accepted("first", said, 0))
    games.happen(Up("Anna"))
    assert sink.sent == [protocol.Say("first", "game", said, "good luck")] * 2

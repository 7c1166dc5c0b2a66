"""By what a player's program signs that he sits down: a host gets one signature at a time, and one that counts nowhere else."""

from __future__ import annotations

from typing import cast

import pytest

from client.connection.acts import Sittings
from client.connection.games import Games
from client.connection.line import Line as RealLine
from client.connection.line import Up
from core import protocol
from core.identity import SIGNATURE_BYTES, Identity, act_then_message, verify
from core.log import Seat
from core.match import Match
from core.table import VERSION
from core.text import Text
from core.units import Side
from tests.server.conftest import of
from tests.toy.witnessed import SERVER_KEY, key_of, seated

KEY = SERVER_KEY.key


class Line:
    """Stands for Boris' line, and keeps what is sent."""

    name, heard_ms, pinged, answered = "Boris", None, 0, 0

    def __init__(self) -> None:
        self.sent: list[protocol.Frame] = []

    def send(self, frame: protocol.Frame) -> None:
        self.sent.append(frame)


def boris(own: Identity) -> tuple[Games, list[protocol.Frame]]:
    """Return Boris' games, and what is sent by them."""
    games, line = Games(lambda note: None), Line()
    games.line, games._identity = cast(RealLine, line), own
    return games, line.sent


def sat_down(signature: bytes) -> Match:
    """Return the game of which Boris' program knows by then: he has left his seat, and sat down again by a signature."""
    host = seated()
    host.act(Seat("blue", ""), side="blue", player="Boris")
    host.act(Seat("blue", "Boris", key=of("Boris").key), side="blue", player="Boris", signature=signature)
    return host.match


def test_a_seat_that_is_asked_for_again_is_signed_alike_until_that_has_come_of_it() -> None:
    sittings, own = Sittings(), of("Boris")
    first = sittings.signature(own, KEY, "duel", "blue", "", None)
    assert sittings.signature(own, KEY, "duel", "blue", "", seated().match) == first
    assert sittings.signature(own, KEY, "duel", "blue", "second", None) != first
    assert sittings.signature(own, of("Other").key, "duel", "blue", "", None) != first
    assert sittings.signature(own, KEY, "duel", "blue", "", sat_down(first)) != first


def test_who_sees_no_signatures_signs_anew_each_time() -> None:
    sittings, own = Sittings(), of("Boris")
    match = seated().match
    match.viewer = Side("blue")
    assert len({sittings.signature(own, KEY, "duel", "blue", "", match) for _ in range(3)}) == 3


@pytest.mark.parametrize(("why", "is_anew"), [
    (protocol.ACT_NOT_SIGNED, True), ("the {side} seat is held by {held}", False), ("the game is over: {why}", False),
])
def test_who_has_not_heard_what_came_of_it_signs_anew_where_the_server_knows_it_already(why: str, is_anew: bool) -> None:
    games, own = Games(lambda note: None), of("Boris")
    first, other = (games._sittings.signature(own, KEY, game, "blue", "", None) for game in ("duel", "other"))
    games.happen(protocol.NotAccepted("duel", "", "", Text(why, {})))
    assert (games._sittings.signature(own, KEY, "duel", "blue", "", None) != first) == is_anew
    assert games._sittings.signature(own, KEY, "other", "blue", "", None) == other


def test_frames_that_take_a_seat_bear_that_signature_whether_the_game_is_open_or_not() -> None:
    games, sent = boris(of("Boris"))
    games.happen(Up("Boris", server=KEY))
    games.send(protocol.TakeSeat("duel", "blue"))
    games._matches["duel"] = seated().match
    games.send(protocol.TakeSeat("duel", "blue"))
    games.ask(protocol.DoAct("duel", "blue", "one", Seat("blue", "Boris")))
    games.send(protocol.Ping())
    signatures = {frame.signature for frame in sent if isinstance(frame, protocol.TakeSeat | protocol.DoAct)}
    assert len(signatures) == 1
    first = signatures.pop()
    games._matches["duel"] = sat_down(first)
    games.ask(protocol.DoAct("duel", "blue", "one", Seat("blue", "Boris")))  # as its answer was lost
    games.send(protocol.TakeSeat("duel", "blue"))
    assert [frame.signature == first for frame in sent[-2:] if isinstance(frame, protocol.TakeSeat | protocol.DoAct)] == [True, False]


def test_an_act_that_takes_a_seat_of_a_game_from_before_bears_no_longer_signature_than_its_server_reads() -> None:
    games, sent = boris(key_of("Boris"))
    for table in (4, VERSION):
        games._matches["duel"] = seated(table=table).match
        games.ask(protocol.DoAct("duel", "blue", f"in-{table}", Seat("blue", "Boris")))
    assert [len(frame.signature) for frame in sent if isinstance(frame, protocol.DoAct)] == [SIGNATURE_BYTES, SIGNATURE_BYTES + 8]


@pytest.mark.parametrize("told", [(), (protocol.SeatLine("blue", "", "", online=False, limited=False, kept_for="Boris"),)])
def test_what_leaves_a_seat_lets_nobody_else_have_it_whatever_the_server_says_of_that(told: tuple[protocol.SeatLine, ...]) -> None:
    """Said to have left it already, for a moment, he signed that others may have it: good for whenever he would have."""
    games, sent = boris(key_of("Boris"))
    games._matches["duel"] = match = seated().match
    games._chairs["duel"] = told
    games.send(protocol.LeaveSeat("duel", "blue"))
    frame = sent[-1]
    assert isinstance(frame, protocol.LeaveSeat)
    leaves = act_then_message("duel", match.log.last_hash, "blue", Seat("blue", ""))
    assert verify(key_of("Boris").key, leaves, frame.signature)


def test_what_leaves_a_seat_is_signed_when_it_is_known_how_the_seats_stand() -> None:
    """Who has just sat down where the game has secrets is told it anew: by its first entries nothing is signed that holds."""
    games, sent = boris(key_of("Boris"))
    games._matches["duel"] = seated().match
    games._wanted.add("duel")
    games.send(protocol.LeaveSeat("duel", "blue"))
    assert not [frame for frame in sent if isinstance(frame, protocol.LeaveSeat)]
    games._note_chairs("duel", ())
    assert isinstance(sent[-1], protocol.LeaveSeat)


def test_who_leaves_a_seat_of_a_game_with_secrets_again_signs_another_moment() -> None:
    games, sent = boris(key_of("Boris"))
    games._matches["duel"] = match = seated().match
    games._chairs["duel"] = ()
    for viewer, signed in (("", 1), ("blue", 3)):
        sent.clear()
        match.viewer = viewer
        for _ in range(3):
            games.send(protocol.LeaveSeat("duel", "blue"))
        assert len({frame.signature for frame in sent if isinstance(frame, protocol.LeaveSeat)}) == signed

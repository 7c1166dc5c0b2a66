"""By what a player's program signs that he sits down: a host gets one signature at a time, and one that counts nowhere else."""

from __future__ import annotations

import msgspec

from client.connection.acts import Sittings
from client.connection.games import Games
from client.connection.line import Up
from core import protocol
from core.log import Seat
from core.match import Match
from tests.server.conftest import of
from tests.toy.witnessed import SERVER_KEY, seated

KEY = SERVER_KEY.key


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


def test_who_knows_nothing_of_a_game_signs_anew_where_its_server_knows_what_he_signed_already() -> None:
    sittings, own = Sittings(), of("Boris")
    first, other = (sittings.signature(own, KEY, game, "blue", "", None) for game in ("duel", "other"))
    sittings.refused("duel")
    assert sittings.signature(own, KEY, "duel", "blue", "", None) != first
    assert sittings.signature(own, KEY, "other", "blue", "", None) == other


def test_frames_that_take_a_seat_bear_that_signature_whether_the_game_is_open_or_not() -> None:
    sent = list[protocol.Frame]()

    class Line:
        name, heard_ms = "Boris", None
        send = staticmethod(sent.append)

    games = Games(lambda note: None)
    games.line, games._identity = Line(), of("Boris")  # type: ignore[assignment]
    games.happen(Up("Boris", server=KEY))
    games.send(protocol.TakeSeat("duel", "blue"))
    games._matches["duel"] = seated().match
    games.send(protocol.TakeSeat("duel", "blue"))
    games.ask(protocol.DoAct("duel", "blue", "one", Seat("blue", "Boris")))
    games.send(protocol.Ping())
    signatures = {frame.signature for frame in sent if isinstance(frame, protocol.TakeSeat | protocol.DoAct)}
    assert len(signatures) == 1
    games._matches["duel"] = sat_down(signatures.pop())
    games.send(msgspec.structs.replace(sent[0]))
    assert isinstance(sent[-1], protocol.TakeSeat)
    assert sent[-1].signature not in {frame.signature for frame in sent[:-1] if isinstance(frame, protocol.TakeSeat)}

"""`rasputitsa join` without a game lists those of a server, to be read and to be named again."""

from __future__ import annotations

import json
from typing import Literal

import msgspec
import pytest

from client.connection.lan import Found
from core import protocol
from core.address import parse
from core.identity import SEED_BYTES, Identity
from core.protocol import LineTerms
from core.terms import DiceTerms
from rasputitsa.find import _table
from rasputitsa.join import _show
from rasputitsa.owner import tell_status
from rasputitsa.screen import Screen

LONG = "turning_point-20261129-041702-a1b2c3"


def line(game: str) -> protocol.GameLine:
    return protocol.GameLine(
        game, "war_for_the_motherland", "turning_point", {"axis": "Anna of the long name", "soviet": "Boris"}, "axis", 3,
        "axis_combat", 40, False,
    )


@pytest.mark.parametrize("columns", ["40", "80"])
@pytest.mark.parametrize("at_terminal", [False, True])
def test_the_id_of_a_game_is_whole_however_narrow_the_terminal_as_game_takes_it_only_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str, at_terminal: bool
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("sys.stdout.isatty", lambda: at_terminal)
    _show(protocol.Games((line(LONG), line("evening"))))
    told = capsys.readouterr().out
    assert LONG in told
    assert "…" not in told
    if not at_terminal:
        assert "war_for_the_motherland/turning_point" in told
        assert all(word in next(row for row in told.splitlines() if LONG in row) for word in ("Anna of the long name", "axis_combat"))


def chair(side: str, player: str) -> protocol.SeatLine:
    return protocol.SeatLine(side, "", player, online=True, limited=False)


@pytest.mark.parametrize(("dice", "soviet", "links", "told"), [
    ("server", "", (), "axis"), ("witnessed", "", (), "somebody who plays soviet"), ("witnessed", "Boris", (), "axis"),
    ("witnessed", "Boris", ("Boris",), "the dice links of Boris"),
])
def test_a_game_waits_for_what_keeps_it_from_going_on(
    capsys: pytest.CaptureFixture[str], dice: Literal["server", "witnessed"], soviet: str, links: tuple[str, ...], told: str
) -> None:
    seats = (chair("axis", "Anna"), chair("soviet", soviet))
    _show(protocol.Games((msgspec.structs.replace(line("evening"), chairs=seats, dice=links, terms=LineTerms(dice=DiceTerms(dice))),)))
    row = next(row for row in capsys.readouterr().out.splitlines() if "evening" in row)
    assert row.strip("│ ").split("│")[-1].strip() == told


@pytest.mark.parametrize(("winner", "result", "told"), [
    ("soviet", "soviet claimed the game: the others had no time left", "over, soviet wins by claim: the others had no time left"),
    ("soviet", "axis resigned", "over, soviet wins: axis resigned"), ("", "a draw was agreed", "over: a draw was agreed"),
])
def test_a_game_that_is_over_is_told_as_the_window_does(capsys: pytest.CaptureFixture[str], winner: str, result: str, told: str) -> None:
    _show(protocol.Games((msgspec.structs.replace(line("evening"), over=True, winner=winner, result=result),)))
    row = next(row for row in capsys.readouterr().out.splitlines() if "evening" in row)
    assert row.strip("│ ").split("│")[-1].strip() == told


ANNA = Identity(b"a" * SEED_BYTES)


@pytest.mark.parametrize("columns", ["74", "80"])
def test_a_fingerprint_and_an_address_are_whole_however_long_the_name_of_their_server(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    found = Found("ü" * 63, (parse("place", "tcp://192.168.100.200:5757"),), ANNA.key, protocol.VERSION, 0, "new")
    Screen().print(_table((found,)))
    told = capsys.readouterr().out
    assert all(word in told for word in (found.print_, "192.168.100.200:5757"))
    assert told.count("ü") == 63


def test_the_status_shows_whole_names_and_fingerprints_and_no_table_where_nobody_has_a_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    status = protocol.Status("rasputitsa", 60, 1 << 20, 1, 0, 0, {}, ())
    tell_status(status, as_json=False)
    assert capsys.readouterr().out.splitlines()[1:] == ["nobody has taken a name here yet"]
    member = protocol.Member("Anna" * 8, "player", False, "abcd-efgh-ijkl-mnop-qrst", 1)
    tell_status(protocol.Status("rasputitsa", 60, 1 << 20, 1, 0, 0, {}, (member,)), as_json=False)
    told = capsys.readouterr().out
    assert member.fingerprint in told
    assert "…" not in told


def test_the_status_tells_each_ones_programs_in_a_column_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    member = protocol.Member("Anna", "player", False, "abcd-efgh-ijkl-mnop-qrst", 2, ("rasputitsa 9.8", "tui 1"))
    status = protocol.Status("rasputitsa", 60, 1 << 20, 1, 0, 0, {}, (member,))
    tell_status(status, as_json=False)
    rows = [row.split("┃" if "┃" in row else "│") for row in capsys.readouterr().out.splitlines() if "name" in row or "Anna" in row]
    head, anna = ([cell.strip() for cell in row] for row in rows)
    assert dict(zip(head, anna, strict=True))["program"] == "rasputitsa 9.8, tui 1"
    tell_status(status, as_json=True)
    assert json.loads(capsys.readouterr().out)["members"][0]["programs"] == ["rasputitsa 9.8", "tui 1"]

"""`rasputitsa join` without a game lists those of a server, to be read and to be named again."""

from __future__ import annotations

import pytest

from core import protocol
from rasputitsa.join import _show

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

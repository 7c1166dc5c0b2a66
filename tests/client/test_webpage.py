"""A game as a web page: whole, self-contained, every state drawn, nothing decided in the browser."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from client.session.saved import SavedMatch
from client.webpage import WebPage
from core.errors import BadInput
from core.orders import Order
from core.text import text
from core.units import UnitId
from rasputitsa.render import render
from tests.toy.ruleset import End, Go, free

Maker = Callable[..., SavedMatch]


class Reader(HTMLParser):
    """Collects what a page loads and the text of its scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.loaded: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag == "script":
            self._inside = True
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts[-1] += data


@pytest.fixture
def played(new_match: Maker) -> SavedMatch:
    match = new_match()
    orders: list[Order] = [Go(UnitId(0), free(match.view, UnitId(0))[0]), End(), End()]
    for order in orders:
        match.order(order)
    return match


def page_of(match: SavedMatch) -> tuple[Reader, dict[str, Any]]:
    page = WebPage(match)
    assert [round(share, 2) for share in page.draw()] == [0.25, 0.5, 0.75, 1.0]
    reader = Reader()
    reader.feed(page.to_bytes().decode())
    data = msgspec.json.decode(reader.scripts[0])
    stood: list[list[int]] = []
    for state in data["states"]:
        below, above, fresh = state["changed"] = state["units"]
        state["units"] = stood = [*stood[:below], *fresh, *stood[len(stood) - above :]]
    return reader, data


def test_every_moment_is_a_whole_drawn_state(qapp: object, played: SavedMatch) -> None:
    reader, data = page_of(played)
    assert len(reader.scripts) == 2
    assert reader.loaded == []
    assert len(data["states"]) == len(played.moments())
    for index, state in enumerate(data["states"]):
        played.seek(index)
        assert len(state["units"]) == len(played.view.position.on_map())
        assert all(0 <= sprite < len(data["sprites"]) for sprite, _, _ in state["units"])
        assert all(0 <= x <= data["width"] and 0 <= y <= data["height"] for _, x, y in state["units"])
    assert data["states"][0]["units"] != data["states"][1]["units"]
    assert all(picture.startswith("data:image/webp;base64,") for picture in (*data["maps"], *data["sprites"]))


def test_a_moment_tells_of_the_counters_only_what_changed(qapp: object, played: SavedMatch) -> None:
    _, data = page_of(played)
    counters = len(data["states"][0]["units"])
    assert data["states"][0]["changed"] == [0, 0, data["states"][0]["units"]]
    below, above, fresh = data["states"][1]["changed"]
    assert fresh != []
    assert below + above + len(fresh) == counters
    assert data["states"][2]["changed"] == [counters, 0, []]  # the end of a turn moves nobody


def test_a_page_looks_where_something_happened_and_at_first_where_most_counters_lie(qapp: object, played: SavedMatch) -> None:
    _, data = page_of(played)
    first, moved = data["states"][0], data["states"][1]
    before, after = ({(x, y) for _, x, y in state["units"]} for state in (first, moved))
    assert tuple(moved["at"]) in after - before
    assert data["states"][2]["at"] == moved["at"]  # the end of a turn happens nowhere
    assert min(x for x, _ in before) <= first["at"][0] <= max(x for x, _ in before)
    assert min(y for _, y in before) <= first["at"][1] <= max(y for _, y in before)


def test_a_page_of_some_turns_shows_these_and_all_who_stand_in_them(qapp: object, played: SavedMatch) -> None:
    turns = [moment.turn for moment in played.moments()]
    last = turns[-1]
    assert turns[0] < last
    page = WebPage(played, turns=(last, last))
    assert list(page.draw())[-1] == 1.0
    assert [state.turn for state in page.states] == [turn for turn in turns if turn == last]
    below, above, fresh = page.states[0].units
    played.seek(turns.index(last))
    assert (below, above, len(fresh)) == (0, 0, len(played.view.position.on_map()))


@pytest.mark.parametrize("turns", [(99, 99), (1, 99)])
def test_turns_that_were_not_played_are_named(qapp: object, played: SavedMatch, turns: tuple[int, int]) -> None:
    with pytest.raises(BadInput, match=r"turn: expected a turn that was played, 1 to \d+, got 99"):
        WebPage(played, turns=turns)


def test_the_match_is_left_where_it_was(qapp: object, played: SavedMatch) -> None:
    played.seek(1)
    list(WebPage(played).draw())
    assert played.cursor == 1
    drawing = WebPage(played).draw()
    next(drawing)
    drawing.close()
    assert played.cursor == 1


def test_no_text_of_a_game_can_end_the_script(qapp: object, played: SavedMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(played.setting.ruleset), "phase_name", lambda self, phase: text("</script><script>alert(1)</script>"))
    reader, data = page_of(played)
    assert len(reader.scripts) == 2
    assert "</script>" in data["states"][0]["title"]
    assert all("<script" not in state["log"] for state in data["states"])


def test_the_command_line_writes_the_page(qapp: object, played: SavedMatch, tmp_path: Path) -> None:
    file, out = tmp_path / "g.rasputitsa", tmp_path / "g.html"
    file.write_bytes(played.to_bytes())
    done = CliRunner().invoke(render, [str(file), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "4 moments" in done.output
    assert out.read_bytes().startswith(b"<!DOCTYPE html>")


def test_the_command_line_writes_some_turns_and_refuses_what_are_none(qapp: object, played: SavedMatch, tmp_path: Path) -> None:
    file, out = tmp_path / "g.rasputitsa", tmp_path / "g.html"
    file.write_bytes(played.to_bytes())
    first = sum(moment.turn <= 1 for moment in played.moments())
    done = CliRunner().invoke(render, [str(file), "--turn", "1-1", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert f"{first} moment" in done.output
    for words in ("two", "2-1", "1-", "-1", "1-2-3"):
        refused = CliRunner().invoke(render, [str(file), f"--turn={words}", "--out", str(out)])
        assert isinstance(refused.exception, BadInput)
        assert "such as 22-24" in str(refused.exception)
    assert "ends in .html" in str(CliRunner().invoke(render, [str(file), "--turn", "1-2"]).exception)

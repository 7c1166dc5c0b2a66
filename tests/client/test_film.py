"""A turn as a moving picture: one frame a moment, written from the window with its progress, or stopped."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image, ImageChops, ImageSequence, ImageStat
from PySide6.QtGui import QAction, QImage, QPainter
from pytestqt.qtbot import QtBot

from client import film as films
from client.film import DRAWN, FRAME_MS, LAST_MS, LEAST_HEX, STRIP, Film
from client.map.geometry import HEX
from client.map.ground import ground_of
from client.map.symbols import paint as paint_sign
from client.qt import Qt
from client.session.saved import SavedMatch
from client.window import MainWindow
from core.board import Hex
from core.errors import BadInput
from core.units import UnitId
from rasputitsa.render import render
from tests.toy.ruleset import End, Go, free

Maker = Callable[..., SavedMatch]


@pytest.fixture
def match(new_match: Maker) -> SavedMatch:
    made = new_match()
    made.order(Go(UnitId(0), free(made.view, UnitId(0))[0]))
    made.order(End())
    made.order(End())
    return made


def frames_of(file: Path) -> int:
    with Image.open(file) as picture:
        return int(picture.n_frames)


def test_each_moment_of_the_turn_is_a_frame_and_the_last_one_stays_longer(qapp: object, match: SavedMatch) -> None:
    film = Film(match, 1, width=400)
    shares = list(film.draw())
    assert shares == sorted(shares)
    assert shares[-1] == DRAWN
    picture = Image.open(io.BytesIO(film.to_bytes()))
    assert picture.format == "PNG"
    assert picture.n_frames == len(shares) == len([m for m in match.moments() if m.turn == 1])
    durations = []
    for n in range(picture.n_frames):
        picture.seek(n)
        durations.append(picture.info["duration"])
    assert durations[-1] == LAST_MS
    assert set(durations[:-1]) == {FRAME_MS}


def pixels(film: Film) -> list[Image.Image]:
    """Return the frames of the file, as whoever plays it sees them."""
    with Image.open(io.BytesIO(film.to_bytes())) as picture:
        return [frame.convert("RGB") for frame in ImageSequence.Iterator(picture)]


def test_a_move_can_be_seen_between_two_frames_and_each_is_whole_and_has_its_colours(qapp: object, match: SavedMatch) -> None:
    film, drawn = Film(match, 1, width=900), list[Image.Image]()
    frame = film._drawn
    film._drawn = lambda moments: (drawn.append(frame(moments)), drawn[-1])[1]  # type: ignore[method-assign]
    list(film.draw())
    seen = pixels(film)
    assert seen[0].tobytes() != seen[1].tobytes()
    assert seen[0].size == drawn[0].size
    for shown, meant in zip(seen, drawn[-len(seen) :], strict=True):
        off = ImageChops.difference(shown, meant)
        assert max(ImageStat.Stat(off).mean) < 3
        assert max(high for _, high in off.getextrema()) < 60  # an edge of a letter between two colours


def test_a_turn_without_memory_for_all_its_frames_has_several_moments_in_each(
    qapp: object, match: SavedMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Film(match, 1, width=400)
    assert list(whole.draw())
    assert not whole.is_joined
    size = whole.frames[0].size
    monkeypatch.setattr(films, "MOST_PIXELS", 2 * size[0] * size[1])
    film = Film(match, 1, width=400)
    shares = list(film.draw())
    assert len(whole.frames) > 2 >= len(shares)
    assert film.is_joined
    last = pixels(film)[-1]
    assert max(ImageStat.Stat(ImageChops.difference(last, pixels(whole)[-1])).mean) < 3, "it ends as the whole turn does"


def test_writing_the_picture_can_be_stopped(qapp: object, match: SavedMatch) -> None:
    class UnwantedError(Exception):
        pass

    def going() -> None:
        raise UnwantedError

    film = Film(match, 1, width=400, going=going)
    list(film.draw())
    with pytest.raises(UnwantedError):
        film.to_bytes()


def test_a_turn_that_was_not_played_is_told_with_those_that_were(qapp: object, match: SavedMatch) -> None:
    with pytest.raises(BadInput) as refused:
        Film(match, 40)
    assert "turn: expected a turn that was played, 1 to 2, got 40" in str(refused.value)


def test_the_whole_map_is_shown_however_little_of_it_is_moved_on(qapp: object, match: SavedMatch) -> None:
    bounds = ground_of(match.setting.board).bounds
    film = Film(match, 1, width=400)
    list(film.draw())
    assert film.frames[0].size == (400, round(bounds.height() * 400 / bounds.width()) + STRIP)


def test_hexes_of_a_wide_map_can_be_told_apart_without_asking_for_it(
    qapp: object, match: SavedMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(films, "WIDTH", 20)
    film = Film(match, 1)
    list(film.draw())
    assert film.frames[0].width >= LEAST_HEX * ground_of(match.setting.board).bounds.width() / HEX


def test_the_window_draws_only_what_is_in_sight_if_that_is_asked_for(
    window: MainWindow, match: SavedMatch, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.show_match(match)
    page = window.page()
    page.map.zoom_to_scale(4.0)
    page.map.show_hex(match.view.position.occupied()[0])
    monkeypatch.setattr(window.errands, "ask_where", lambda caption, name, kinds: tmp_path / "part.png")
    action = next(one for one in window.actions() + window.findChildren(QAction) if one.shortcut().toString() == "Ctrl+Alt+P")
    action.trigger()
    part = page.map.part_in_sight().intersected(page.scene.ground.bounds)
    qtbot.waitUntil(lambda: window.errands.work is None)
    with Image.open(tmp_path / "part.png") as picture:
        assert picture.size == (films.WIDTH, round(part.height() * films.WIDTH / part.width()) + STRIP)


def test_the_match_is_left_where_it_was_even_if_the_drawing_is_stopped(qapp: object, match: SavedMatch) -> None:
    match.seek(2)
    drawing = Film(match, 1, width=200).draw()
    next(drawing)
    drawing.close()  # type: ignore[attr-defined]
    assert match.cursor == 2


def test_the_command_line_draws_a_turn(qapp: object, match: SavedMatch, tmp_path: Path) -> None:
    file = tmp_path / "g.rasputitsa"
    file.write_bytes(match.to_bytes())
    done = CliRunner().invoke(render, [str(file), "--turn", "1", "--width", "300"])
    assert done.exit_code == 0, done.output
    assert frames_of(tmp_path / "g.turn1.png") > 1
    one, other = (match.view.board.label(Hex(here)) for here in (0, 1))
    part = tmp_path / "part.png"
    done = CliRunner().invoke(render, [str(file), "--turn", "1", "--width", "300", "--region", f"{one}-{other}", "--out", str(part)])
    assert done.exit_code == 0, done.output
    with Image.open(part) as small, Image.open(tmp_path / "g.turn1.png") as whole:
        assert small.height != whole.height
    done = CliRunner().invoke(render, [str(file), "--turn", "1", "--out", str(tmp_path / "g.gif")])
    assert done.exit_code != 0


def test_the_window_draws_it_while_it_goes_on(window: MainWindow, match: SavedMatch, qtbot: QtBot, tmp_path: Path) -> None:
    window.show_match(match)
    window.errands.draw_turn(tmp_path / "turn.png", 1)
    work = window.errands.work
    assert work is not None
    assert work.isVisible()
    qtbot.waitUntil(lambda: window.errands.work is None)
    assert (tmp_path / "turn.png").is_file()
    assert frames_of(tmp_path / "turn.png") > 1


def test_the_window_draws_the_shown_turn_as_a_web_page(
    window: MainWindow, match: SavedMatch, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.show_match(match)
    monkeypatch.setattr(window.errands, "ask_where", lambda caption, name, kinds: tmp_path / name)
    window.page().time.seek(0)
    window.errands.save_page(turn=True)
    qtbot.waitUntil(lambda: window.errands.work is None)
    (page,) = tmp_path.glob("*.html")
    first = [moment for moment in match.moments() if moment.turn == match.moments()[0].turn]
    assert page.read_text().count('"turn":') == len(first) < len(match.moments())


def test_whoever_gets_fewer_frames_than_moments_is_told(
    window: MainWindow, match: SavedMatch, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(films, "MOST_PIXELS", 2 * films.WIDTH * films.WIDTH)
    window.show_match(match)
    window.errands.draw_turn(tmp_path / "turn.png", 1)
    qtbot.waitUntil(lambda: window.errands.work is None)
    moments = len([m for m in match.moments() if m.turn == 1])
    assert f"turn.png; {moments} moments in {frames_of(tmp_path / 'turn.png')} frames" in window.notice.title.text()


@pytest.mark.parametrize("draw", ["draw_turn", "draw_page"])
def test_what_is_stopped_writes_nothing(window: MainWindow, match: SavedMatch, qtbot: QtBot, tmp_path: Path, draw: str) -> None:
    window.show_match(match)
    file = tmp_path / "out"
    getattr(window.errands, draw)(file, *([1] if draw == "draw_turn" else []))
    work = window.errands.work
    assert work is not None
    qtbot.mouseClick(work.stop_button, Qt.MouseButton.LeftButton)
    assert window.errands.work is None
    assert not file.exists()
    assert "nothing was written" in window.notice.title.text()


def test_a_folder_that_cannot_be_written_is_told(window: MainWindow, match: SavedMatch, qtbot: QtBot, tmp_path: Path) -> None:
    window.show_match(match)
    window.errands.draw_turn(tmp_path / "no such folder" / "turn.png", 1)
    qtbot.waitUntil(lambda: window.notice.title.text() == "This file can't be written")


def test_no_counter_at_the_edge_of_the_picture_is_drawn_over_the_words_below(qapp: object) -> None:
    image = QImage(120, 120, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setClipRect(0, 0, 120, 60)
    painter.translate(60, 60)
    painter.scale(3, 3)
    paint_sign(painter, "infantry")
    painter.end()
    assert {image.pixelColor(x, 40).name() for x in range(120)} != {"#ffffff"}
    assert {image.pixelColor(x, y).name() for y in range(61, 120) for x in range(120)} == {"#ffffff"}

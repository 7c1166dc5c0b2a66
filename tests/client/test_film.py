"""A turn as a moving picture: one frame a moment, written from the window with its progress, or stopped."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from client.apng import Apng
from client.film import FRAME_MS, LAST_MS, Film
from client.map.symbols import paint as paint_sign
from client.qt import Qt
from client.session.saved import SavedMatch
from client.window import MainWindow
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
    assert shares[-1] == 1.0
    picture = Image.open(io.BytesIO(film.to_bytes()))
    assert picture.format == "PNG"
    assert picture.n_frames == len(shares) == len([m for m in match.moments() if m.turn == 1])
    durations = []
    for n in range(picture.n_frames):
        picture.seek(n)
        durations.append(picture.info["duration"])
    assert durations[-1] == LAST_MS
    assert set(durations[:-1]) == {FRAME_MS}


def test_a_move_can_be_seen_between_two_frames_and_each_is_whole(qapp: object, match: SavedMatch) -> None:
    film = Film(match, 1, width=400)
    drawn: list[QImage] = []
    add = film.frames.add
    film.frames.add = lambda image, ms: (drawn.append(image.copy()), add(image, ms))[1]  # type: ignore[method-assign]
    list(film.draw())
    assert drawn[0] != drawn[1]
    picture = Image.open(io.BytesIO(film.to_bytes()))
    for n, image in enumerate(drawn):
        picture.seek(n)
        seen = picture.convert("RGB")
        assert seen.size == (image.width(), image.height())
        spots = [(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)]
        assert [seen.getpixel(spot) for spot in spots] == [QColor(image.pixel(*spot)).toTuple()[:3] for spot in spots]


def test_frames_that_are_equal_are_a_pixel_each(qapp: object) -> None:
    image = QImage(300, 200, QImage.Format.Format_RGB32)
    image.fill(QColor("#EAE3D0"))
    film = Apng()
    film.add(image, 100)
    alone = len(film.to_bytes())
    for _ in range(10):
        film.add(image, 100)
    assert len(film.to_bytes()) < alone + 10 * 120


def test_a_turn_that_was_not_played_is_told_with_those_that_were(qapp: object, match: SavedMatch) -> None:
    with pytest.raises(BadInput) as refused:
        Film(match, 40)
    assert "turn: expected a turn that was played, 1 to 2, got 40" in str(refused.value)


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
    done = CliRunner().invoke(render, [str(file), "--turn", "1", "--out", str(tmp_path / "g.gif")])
    assert done.exit_code != 0


def test_the_window_draws_it_while_it_goes_on(window: MainWindow, match: SavedMatch, qtbot: QtBot, tmp_path: Path) -> None:
    window.show_match(match)
    window.errands.draw_turn(tmp_path / "turn.png", 1)
    work = window.errands.work
    assert work is not None
    assert work.isVisible()
    qtbot.waitUntil(lambda: window.errands.work is None, timeout=20_000)
    assert (tmp_path / "turn.png").is_file()
    assert frames_of(tmp_path / "turn.png") > 1


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
    qtbot.waitUntil(lambda: window.notice.title.text() == "This file can't be written", timeout=20_000)


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

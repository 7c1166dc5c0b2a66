"""Overlays of the games that are installed: each has a key of its own, a button, and is made from the shown view alone."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem

from client import reading
from client.game import GamePage
from client.map.overlays import HexesLayer
from client.map.palette import DARK, LIGHT, PALETTES, Palette, contrast, rgb, side_colour
from client.map.patches import hatching
from client.qt import QPointF
from client.session import saved
from client.session.local import PERSON
from client.session.saved import SavedMatch
from core.board import Hex
from core.ruleset import Overlay
from core.text import text
from rasputitsa.packs import installed, load_pack
from tests.client.conftest import delete


def shortest(game: str) -> SavedMatch:
    files = load_pack(game)
    scenario = min(files.scenarios.values(), key=lambda one: one.last_turn - one.first_turn)
    return saved.begin(files, scenario.id, dict.fromkeys(files.manifest.sides, PERSON))


@pytest.fixture(params=installed())
def page(request: pytest.FixtureRequest, qapp: object) -> Iterator[GamePage]:
    made = GamePage(shortest(request.param), LIGHT)
    made.resize(1500, 900)
    yield made
    made.close_down()
    delete(made)


def test_each_overlay_has_a_letter_of_its_own_and_a_button_that_names_it(page: GamePage) -> None:
    keys = reading.overlay_keys(page.match)
    assert set(keys) == set(page.match.setting.ruleset.overlays)
    assert "" not in keys.values()
    assert len(set(keys.values())) == len(keys)
    assert all(f"({keys[name]})" in button.toolTip() for name, button in page.overlay_buttons.items())


def test_each_overlay_is_shown_for_both_sides_and_goes_again(page: GamePage) -> None:
    for name in page.match.setting.ruleset.overlays:
        page.toggle_overlay(name)
        assert len(page.scene.overlays) == 2, name
        assert page.overlay_buttons[name].isChecked()
        page.toggle_overlay(name)
        assert not page.scene.overlays


def test_an_overlay_with_nothing_to_show_says_so(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    page.said.connect(said.append)
    name = next(iter(page.match.setting.ruleset.overlays))
    page.toggle_overlay(name)
    page.toggle_overlay(name)
    assert said == []
    monkeypatch.setitem(page.match.setting.ruleset.overlays, name, lambda view, side: Overlay(text("zone of {side}", side=side)))
    first, second = page.match.setting.sides
    page.toggle_overlay(name, first)
    assert said == [f"{reading.overlay_title(name)}: nothing to show now"]
    page.toggle_overlay(name, first)
    of_one = {first: {Hex(1): ""}, second: dict[Hex, str]()}
    monkeypatch.setitem(page.match.setting.ruleset.overlays, name, lambda view, side: Overlay(text("zone"), of_one[side]))
    page.toggle_overlay(name)  # one side has something
    page.toggle_overlay(name)
    assert len(said) == 1
    page.toggle_overlay(name, second)
    assert len(said) == 2


def test_an_overlay_is_made_from_the_view_that_is_handed_to_it(page: GamePage) -> None:
    view = page.match.view
    before = view.position.digest()
    for name, make in page.match.setting.ruleset.overlays.items():
        for side in page.match.setting.sides:
            shown = make(view, side)
            assert shown == make(view, side), name
            assert all(0 <= here < view.board.size for here in shown.hexes), name
            assert all(b in view.board.adjacent[a] for a, b in shown.front), name
    assert view.position.digest() == before


def test_words_of_an_overlay_lie_over_the_counters_and_go_with_it(page: GamePage) -> None:
    view, side = page.match.view, page.match.setting.sides[0]
    name = next(name for name, make in view.ruleset.overlays.items() if any(make(view, side).hexes.values()))
    page.toggle_overlay(name)
    worded = [layer for layer in page.scene.overlays.values() if layer.labels.words]
    assert worded
    assert all(layer.labels.zValue() > item.zValue() for layer in worded for item in page.scene.counters.values())
    assert all(layer.labels.scene() is page.scene for layer in worded)
    page.toggle_overlay(name)
    assert all(layer.labels.scene() is None for layer in worded)


def test_moves_of_the_turn_before_are_shown_by_shift_l_and_go_again(page: GamePage) -> None:
    match = page.match
    assert isinstance(match, SavedMatch)
    page.show_moves("turn")
    assert page.moves_of == "turn"
    page.show_moves("phase")
    assert page.moves_of == "phase"
    page.show_moves("phase")
    assert page.moves_of == ""
    assert reading.moves_since(match, "") == []


def test_hatching_lies_within_its_hexes_and_in_each_of_them(page: GamePage) -> None:
    geometry = page.scene.geometry
    hexes = page.match.view.position.occupied()[:12]
    path = hatching(geometry, hexes)
    strokes = [path.elementAt(i) for i in range(path.elementCount())]
    assert len(strokes) % 2 == 0
    hatched = set()
    for a, b in zip(strokes[::2], strokes[1::2], strict=True):
        middle = ((a.x + b.x) / 2, (a.y + b.y) / 2)  # type: ignore[attr-defined]
        hatched.add(geometry.hex_at(*middle))
        assert a.x + a.y == pytest.approx(b.x + b.y)  # type: ignore[attr-defined]
    assert hatched == set(hexes)
    assert hatching(geometry, []).isEmpty()


def test_the_arrow_of_a_leap_over_the_sea_has_the_head_of_any_other_and_ends_where_it_led(page: GamePage) -> None:
    board, geometry, moves = page.match.setting.board, page.scene.geometry, page.scene.moves
    first = next(here for here in map(Hex, range(len(board.facts))) if board.adjacent[here])
    far = max(map(Hex, range(len(board.facts))), key=lambda here: abs(geometry.centre(here).x - geometry.centre(first).x))
    moves.show([[first, board.adjacent[first][0]]])
    usual = moves._heads.boundingRect()
    moves.show([[first, far]])
    leapt, end = moves._heads.boundingRect(), geometry.centre(far)
    assert max(leapt.width(), leapt.height()) < 1.5 * max(usual.width(), usual.height())
    near = moves.gap + 2
    assert leapt.adjusted(-near, -near, near, near).contains(QPointF(end.x, end.y))


@pytest.mark.parametrize("scale", [0.12, 0.3, 1.0])
def test_what_may_be_picked_is_marked_however_far_out_the_map_is_seen(page: GamePage, scale: float) -> None:
    board, marks = page.match.setting.board, page.scene.marks
    marks.show([Hex(board.size // 2)], targets=[Hex(board.size // 3)], keys={Hex(board.size // 2): "1"})
    centre, target = (page.scene.centre(Hex(board.size // part)) for part in (2, 3))
    for at, colour, least in ((centre, LIGHT.accent, 16), (target, LIGHT.target, 12)):
        image = QImage(120, 120, QImage.Format.Format_RGB32)
        image.fill(QColor("white"))
        painter = QPainter(image)
        painter.translate(60, 60)
        painter.scale(scale, scale)
        painter.translate(-at.x, -at.y)
        for layer in (marks, marks.words):
            layer.paint(painter, QStyleOptionGraphicsItem())
        painter.end()
        wanted = QColor(colour).name()
        assert sum(image.pixelColor(x, y).name() == wanted for x in range(120) for y in range(120)) >= least, colour


@pytest.mark.parametrize(("scale", "across"), [(0.5, "|#|"), (1.0, "|#|#|"), (2.0, "|#|#|")])
def test_a_line_is_told_from_a_railway_by_the_light_around_and_within_it(page: GamePage, scale: float, across: str) -> None:
    here = next(here for here in map(Hex, range(page.match.setting.board.size)) if page.match.setting.board.adjacent[here])
    there = page.match.setting.board.adjacent[here][0]
    layer, (a, b) = HexesLayer(page.scene.geometry, LIGHT, "#000000"), (page.scene.centre(one) for one in (here, there))
    layer.show({}, lines=[(here, there)])
    image = QImage(80, 80, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.rail))  # as dark all around as a railway
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(40.5, 40.5)
    painter.rotate(90 - math.degrees(math.atan2(b.y - a.y, b.x - a.x)))  # so that the line goes down the picture
    painter.scale(scale, scale)
    painter.translate(-(a.x + b.x) / 2, -(a.y + b.y) / 2)
    layer.tiles._drawing.draw(painter, layer.tiles._drawing.near(page.scene.ground.bounds), layer.inks(), scale)
    painter.end()
    light = [image.pixelColor(x, 40).lightness() > 112 for x in range(80)]
    runs = "".join("|" if bright else "#" for bright, before in zip(light[1:], light, strict=False) if bright != before)
    assert runs == f"{across}#"


@pytest.mark.parametrize("side", ["axis", "soviet"])
def test_a_line_stands_out_from_the_ground_as_much_as_a_railway_of_the_dark_theme(page: GamePage, side: str) -> None:
    files = load_pack("war_for_the_motherland").manifest
    colour = side_colour(DARK, ("axis", "soviet"), files.side_colours, side)
    assert contrast(colour, DARK.paper) < contrast(DARK.rail, DARK.paper)
    line = HexesLayer(page.scene.geometry, DARK, colour).inks().line
    assert contrast(line, DARK.paper) >= contrast(DARK.rail, DARK.paper)
    assert line not in (DARK.ink, DARK.rail), "it keeps its hue"


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES.keys())
def test_words_of_both_sides_are_told_apart_and_can_be_read_in_each_theme(page: GamePage, palette: Palette) -> None:
    page.set_palette(palette)
    page.toggle_overlay(next(iter(page.match.setting.ruleset.overlays)))
    inks = [layer.labels.ink() for layer in page.scene.overlays.values()]
    assert len(inks) == 2
    assert all(contrast(ink, palette.card) >= 7 for ink in inks)
    assert sum(abs(a - b) for a, b in zip(rgb(inks[0]), rgb(inks[1]), strict=True)) > 65
    for layer in page.scene.overlays.values():
        assert layer.labels.colour == layer.colour

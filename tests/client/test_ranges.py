"""What is placed or moved shows how far it would act, as a ring, and what speaks against a hex, by hatching and in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.geometry import Geometry
from client.map.overlays import MOST_RINGS, RingLayer
from client.map.palette import LIGHT
from client.map.scene import COUNTERS_Z
from client.qt import QRectF, QSettings, Qt
from client.session.local import PERSON
from client.session.saved import SavedMatch, begin
from client.window import MainWindow
from core.board import Hex
from core.options import Door, Offer, offer
from core.orders import HexPick, OptionPick, UnitPick, compose
from core.text import text
from core.units import UnitId
from core.views import View
from rasputitsa.packs import load_pack
from tests.client.conftest import TOY, delete
from tests.client.test_window import at
from tests.toy.ruleset import Go, compose_go

Maker = Callable[..., SavedMatch]


def covers_go(view: View, draft: Go) -> frozenset[Hex]:
    if draft.unit is None:
        return frozenset()
    return view.board.within(draft.hex if draft.hex is not None else Hex(view.unit(draft.unit).place), 1)


def warned_go(view: View, draft: Go) -> Offer:
    plain = compose_go(view, draft)
    hexes = [door for door in plain.doors if isinstance(door.pick, HexPick)]
    if not hexes:
        return plain
    doors = [msgspec.structs.replace(door, warning=text("a bog lies there")) if i == 0 else door for i, door in enumerate(hexes)]
    return offer(doors, unfinished=plain.unfinished)


@pytest.fixture
def ranged(window: MainWindow, new_match: Maker, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> GamePage:
    """The toy, whose pawns act on the hexes next to them, one of which a warning speaks against; no reach is shown."""
    go = msgspec.structs.replace(TOY.orders["go"], covers=covers_go, compose=warned_go, reach=None)
    monkeypatch.setitem(TOY.orders, "go", go)
    window.show_match(new_match())
    qtbot.waitExposed(window)
    return window.page()


def pick_pawn(page: GamePage) -> tuple[UnitId, list[Door]]:
    """Take the first pawn that can go; return it with the doors of its hexes."""
    page.choose(next(choice for choice in page.composer.ways_on() if choice.pick == OptionPick("go")))
    (unit, *_) = (door.pick.unit for door in page.composer.offer().doors if door.is_open and isinstance(door.pick, UnitPick))
    page.click_unit(unit)
    return unit, [door for door in page.composer.offer().doors if isinstance(door.pick, HexPick)]


def test_a_ring_goes_around_what_a_counter_would_act_on_from_the_hex_under_the_cursor(ranged: GamePage) -> None:
    board = ranged.match.setting.board
    assert not ranged.scene.ring.hexes
    unit, doors = pick_pawn(ranged)
    ranged.map.hex_hovered.emit(None)
    assert ranged.scene.ring.hexes == board.within(Hex(ranged.match.view.unit(unit).place), 1)
    for door in doors:
        assert isinstance(door.pick, HexPick)
        ranged.map.hex_hovered.emit(door.pick.hex)
        assert ranged.scene.ring.hexes == board.within(door.pick.hex, 1)
    ranged.step_back()
    ranged.step_back()
    assert not ranged.scene.ring.hexes


def test_a_warning_is_hatched_and_told_before_the_hex_is_picked(ranged: GamePage) -> None:
    _, doors = pick_pawn(ranged)
    warned, plain = doors[0], doors[1]
    assert isinstance(warned.pick, HexPick)
    assert isinstance(plain.pick, HexPick)
    box, centre = ranged.scene.marks._warned.boundingRect(), ranged.scene.centre
    assert box.contains(*centre(warned.pick.hex))
    assert not box.contains(*centre(plain.pick.hex))
    ranged.map.hex_hovered.emit(warned.pick.hex)
    assert ranged.hint.isVisible()
    assert ranged.hint.text() == "A bog lies there"
    ranged.map.hex_hovered.emit(plain.pick.hex)
    assert not ranged.hint.isVisible()


def test_the_ring_is_drawn_along_the_rim_alone(page: GamePage) -> None:
    board = page.match.setting.board
    layer, here = RingLayer(Geometry(board), LIGHT), at(page, "T0303")
    layer.show(board.within(here, 1))
    image = QImage(400, 400, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter, option, centre = QPainter(image), QStyleOptionGraphicsItem(), layer.geometry.centre(here)
    option.exposedRect = QRectF(0, 0, 400, 400)  # type: ignore[attr-defined]
    painter.translate(200 - centre.x, 200 - centre.y)
    layer.paint(painter, option)
    painter.end()
    inside = {image.pixel(x, y) for x in range(160, 241) for y in range(160, 241)}
    assert len(inside) == 1
    assert len({image.pixel(x, 200) for x in range(400)}) > 2


@pytest.fixture
def fleets(qtbot: QtBot, tmp_path: Path) -> Iterator[GamePage]:
    """Turning Point where its first air fleet is to be placed."""
    QSettings("rasputitsa", "rasputitsa").clear()
    files = load_pack("war_for_the_motherland")
    match = begin(files, "turning_point", {"soviet": PERSON, "axis": PERSON})
    match.order(compose(match.setting.ruleset.orders["keep_depots"].order, ()))
    window = MainWindow([files], folder=tmp_path)
    window.show()
    window.show_match(match)
    assert window.game is not None
    yield window.game
    window.close()
    delete(window)


def test_an_air_fleet_shows_its_zone_of_influence_while_it_is_placed(fleets: GamePage) -> None:
    page, view = fleets, fleets.match.view
    fleet = next(door.pick.unit for door in page.composer.offer((OptionPick("place_fleet"),)).doors if isinstance(door.pick, UnitPick))
    page.choose(next(choice for choice in page.composer.ways_on() if choice.pick == OptionPick("place_fleet")))
    page.choose(next(choice for choice in page.composer.ways_on() if choice.pick == UnitPick(fleet)))
    here = page.goals()[0]
    page.map.hex_hovered.emit(here)
    assert page.scene.ring.hexes == view.board.within(here, view.type(fleet).values["azoi"])


@pytest.mark.parametrize("count", [MOST_RINGS, MOST_RINGS + 1])
def test_many_open_hexes_are_one_area_below_the_counters_and_few_have_a_ring_each(page: GamePage, count: int) -> None:
    marks, hexes = page.scene.marks, [Hex(here) for here in range(count)]
    marks.show(hexes)
    is_area = count > MOST_RINGS
    assert (len(marks._open), marks.area.hexes) == (0 if is_area else count, frozenset(hexes if is_area else ()))
    assert marks.area.scene() is page.scene
    assert marks.area.zValue() < COUNTERS_Z < marks.zValue()

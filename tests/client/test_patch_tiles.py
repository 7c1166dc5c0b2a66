"""Patches of an overlay as tiles: painted when there is time, once a look, and not anew while they look the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.overlays import HexesLayer
from client.map.palette import LIGHT
from client.map.patches import Content, Inks, Patches
from client.session import saved
from client.session.local import PERSON
from core.board import Hex
from rasputitsa.packs import installed, load_pack
from tests.client.conftest import delete

RED = "#C02020"


@pytest.fixture
def page(qapp: object, qtbot: QtBot) -> Iterator[GamePage]:
    files = load_pack(installed()[0])
    scenario = min(files.scenarios.values(), key=lambda one: one.last_turn - one.first_turn)
    made = GamePage(saved.begin(files, scenario.id, dict.fromkeys(files.manifest.sides, PERSON)), LIGHT)
    made.resize(900, 700)
    made.show()
    qtbot.waitUntil(lambda: not made.scene.idle.is_busy)
    yield made
    made.close_down()
    delete(made)


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many hexes each tile had that was painted."""
    counts, draw = list[int](), Patches.draw

    def counting(patches: Patches, painter: QPainter, content: Content, inks: Inks, scale: float) -> None:
        counts.append(len(content.hexes))
        draw(patches, painter, content, inks, scale)

    monkeypatch.setattr(Patches, "draw", counting)
    return counts


def lay(page: GamePage, hexes: list[Hex], *, lined: bool = False) -> HexesLayer:
    """Lay an overlay over some hexes; where it is *lined*, lines lead from each to its neighbours, and a front goes round it as well."""
    beside = [(here, there) for here in hexes for there in page.match.setting.board.adjacent[here]] if lined else []
    lines = [(there, here) for here, there in beside if here % 3 == 0]
    page.scene.show_overlay("all", dict.fromkeys(hexes, ""), lines, front=[pair for pair in beside if pair[0] % 5 == 0], colour=RED)
    return page.scene.overlays["all"]


def everywhere(page: GamePage) -> list[Hex]:
    return [Hex(i) for i in range(page.match.setting.board.size)]


def seen(page: GamePage) -> QImage:
    return page.map.viewport().grab().toImage()


def whole(page: GamePage, qtbot: QtBot) -> None:
    seen(page)
    qtbot.waitUntil(lambda: not page.scene.idle.is_busy)


def test_an_overlay_is_painted_when_there_is_time_and_once(page: GamePage, qtbot: QtBot, painted: list[int]) -> None:
    lay(page, everywhere(page))
    seen(page)
    assert painted == []
    whole(page, qtbot)
    assert painted
    assert sum(painted) < 3 * len(everywhere(page))
    painted.clear()
    whole(page, qtbot)
    assert painted == []


def test_after_an_order_only_what_has_changed_is_painted_anew(page: GamePage, qtbot: QtBot, painted: list[int]) -> None:
    hexes = everywhere(page)
    lay(page, hexes)
    whole(page, qtbot)
    tiles = len(painted)
    painted.clear()
    lay(page, hexes)
    whole(page, qtbot)
    assert painted == []
    middle = page.map.hex_at(page.map.viewport().rect().center())
    lay(page, [here for here in hexes if here != middle])
    whole(page, qtbot)
    assert 0 < len(painted) < tiles


def test_lines_and_a_front_are_painted_once_too(page: GamePage, qtbot: QtBot, painted: list[int]) -> None:
    layer = lay(page, everywhere(page), lined=True)
    whole(page, qtbot)
    lined = seen(page)
    assert painted
    painted.clear()
    whole(page, qtbot)
    assert painted == []
    lay(page, everywhere(page))
    whole(page, qtbot)
    assert len(painted) == len(layer.tiles._kept)  # all of them had lines
    assert seen(page) != lined


def test_what_was_shown_stands_in_at_another_scale(page: GamePage, qtbot: QtBot, painted: list[int]) -> None:
    layer = lay(page, everywhere(page))
    whole(page, qtbot)
    painted.clear()
    page.map.zoom_by(1)
    shown = seen(page)
    layer.hide()
    assert painted == []
    assert shown != seen(page)


@pytest.mark.parametrize("lined", [False, True])
def test_tiles_look_as_if_all_were_painted_straight(page: GamePage, qtbot: QtBot, lined: bool) -> None:
    layer = lay(page, everywhere(page), lined=lined)
    whole(page, qtbot)
    tiled, layer.tiles.idle = seen(page), None
    straight = seen(page)
    spots = [(x, y) for x in range(0, tiled.width(), 3) for y in range(0, tiled.height(), 3)]
    differences = sorted(abs(tiled.pixelColor(*spot).green() - straight.pixelColor(*spot).green()) for spot in spots)
    assert differences[len(spots) * 99 // 100] <= 12
    assert sum(differences) / len(spots) < 2


def test_an_overlay_that_is_gone_is_painted_no_more(page: GamePage, painted: list[int]) -> None:
    layer = lay(page, everywhere(page))
    seen(page)
    assert page.scene.idle.has(layer.tiles._group)
    page.scene.show_overlay("all", None, colour=RED)
    assert not page.scene.idle.has(layer.tiles._group)

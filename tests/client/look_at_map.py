"""Looks at the map at four zooms, in a process with a pixel ratio of its own: prints what it saw as JSON; see `test_screens`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PySide6.QtGui import QAction, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from client.game import GamePage
from client.qt import QPoint, QPointF, Qt
from client.session import saved
from client.session.saved import SavedMatch
from client.window import MainWindow, application
from core import pack, rulesets
from core.board import Hex
from core.match import new_server_match
from rasputitsa.packs import load_pack

GAME, SCENARIO = "war_for_the_motherland", "turning_point"
SCALES = (0.25, 0.5, 1.0, 2.0)
WAIT_MS = 10


def main(folder: Path) -> None:
    """Begin a game and look at it."""
    application()
    files = load_pack(GAME)
    setting = pack.setting(rulesets.load(GAME), files, SCENARIO)
    keeper = new_server_match(setting, game="look", seed=bytes(32), clock=saved.clock, links=100)
    window = MainWindow([files], folder=folder)
    window.resize(1280, 800)
    window.show()
    window.show_match(SavedMatch(keeper, files, dict.fromkeys(setting.sides, "person"), seed=bytes(32)))
    assert window.game is not None, "the game is shown"
    seen: dict[str, object] = {str(scale): look(window.game, scale, folder) for scale in SCALES}
    print(json.dumps(seen | {"ways": {way: there_and_back(window, window.game, way) for way in ("menu", "key", "wheel")}}))
    window.close()


def look(page: GamePage, scale: float, folder: Path) -> dict[str, object]:
    """Return what is seen at a scale."""
    view, at = page.map, page.match.view.position.at
    lone = next(here for here in sorted(page.match.view.position.occupied()) if len(at(here)) == 1)
    view.zoom_to_scale(scale)
    view.centre_within_map(lone)
    wait_until_painted(page)
    image = view.viewport().grab().toImage()
    image.save(str(folder / f"{scale}.png"), "PNG")  # type: ignore[call-overload]
    centre, item = page.scene.centre(lone), page.scene.counters[at(lone)[0]]
    clear = [colour_at(page, image, page.scene.centre(here).x + 9, page.scene.centre(here).y - 3) for here in clear_hexes(page)]
    ground = max(set(clear), key=clear.count)
    across = [colour_at(page, image, centre.x + step, centre.y) for step in range(-20, 21, 2)]
    return {
        "size": (image.width(), image.height()),
        "ratio": image.devicePixelRatio(),
        "logical": (view.viewport().width(), view.viewport().height()),
        "counter": colour_at(page, image, centre.x - 18.5, centre.y + 15.5),
        "far": colour_at(page, image, centre.x - 19, centre.y - 10),
        "printed": item.art.ground,
        "block": item.side_colour,
        "clear": ground,
        "share": clear.count(ground) / len(clear),
        "whole": sum(colour != ground for colour in across) / len(across),
        "colours": len({image.pixelColor(x, y).name() for x in range(0, image.width(), 9) for y in range(0, image.height(), 9)}),
    }


def wait_until_painted(page: GamePage) -> None:
    """Look at the map, which asks for what is missing, and wait until nothing is."""
    page.map.viewport().grab()
    while page.scene.idle.is_busy:
        QTest.qWait(WAIT_MS)
        if not page.scene.idle.is_busy:
            page.map.viewport().grab()  # asks for what has come into sight meanwhile


def there_and_back(window: MainWindow, page: GamePage, way: str) -> dict[str, object]:
    """Zoom out as far as it goes, in to 100 %, and to the whole map, by menu, key or wheel; return what is seen at each."""
    actions = {action.text(): action for action in window.findChildren(QAction)}

    def zoom(notches: int) -> None:
        port = page.map.viewport()
        match way:
            case "menu":
                actions["Zoom in" if notches > 0 else "Zoom out"].trigger()
            case "key":
                QTest.keyClick(page.map, Qt.Key.Key_Plus if notches > 0 else Qt.Key.Key_Minus)
            case _:
                middle, turned = QPointF(port.rect().center()), QPoint(0, 120 * notches)
                keys, phase = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
                QApplication.sendEvent(
                    port, QWheelEvent(middle, port.mapToGlobal(middle), QPoint(), turned, Qt.MouseButton.NoButton, keys, phase, False)
                )

    page.map.zoom_to_scale(1.0)
    window.activateWindow()  # or keys would lead nowhere
    QTest.qWaitForWindowActive(window)
    for _ in range(60):
        zoom(-1)
    far = seen_now(page)
    while page.map.scale_now() < 0.9:
        zoom(1)
    near = seen_now(page)
    if way == "key":
        QTest.keyClick(page.map, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    else:
        actions["Whole map"].trigger()
    shown = page.map.mapToScene(page.map.viewport().rect()).boundingRect().adjusted(-2, -2, 2, 2)
    return {"far": far, "near": near, "whole": seen_now(page), "holds_all": shown.contains(page.scene.ground.bounds)}


def seen_now(page: GamePage) -> tuple[float, int]:
    """Return the scale, and how many colours are seen in the middle third of the map."""
    wait_until_painted(page)
    image = page.map.viewport().grab().toImage()
    xs, ys = range(image.width() // 3, 2 * image.width() // 3, 3), range(image.height() // 3, 2 * image.height() // 3, 3)
    return page.map.scale_now(), len({image.pixel(x, y) for x in xs for y in ys})


def clear_hexes(page: GamePage) -> list[Hex]:
    """Return hexes in sight where nothing is printed or lies, away from cards."""
    board, view = page.match.setting.board, page.map
    area = view.viewport().rect().adjusted(10, 10, -10, -10)
    cards = [card.geometry() for card in (page.prompt, page.minimap, page.tools) if card.isVisible()]
    found = []
    for here in map(Hex, range(board.size)):
        where = view.mapFromScene(*page.scene.centre(here))
        is_bare = board.terrain(here) == "clear" and not board.facts[here].name and not page.match.view.position.at(here)
        if is_bare and area.contains(where) and not any(card.contains(where) for card in cards):
            found.append(here)
    return found[:60]


def colour_at(page: GamePage, image: QImage, x: float, y: float) -> str:
    """Return the colour of a point of the map in a picture of it."""
    where, ratio = page.map.mapFromScene(x, y), image.devicePixelRatio()
    return str(image.pixelColor(round(where.x() * ratio), round(where.y() * ratio)).name())


if __name__ == "__main__":
    main(Path(sys.argv[1]))

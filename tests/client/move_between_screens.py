"""Moves a window between two screens of different pixel ratios: prints what it saw as JSON; see `test_screens`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage, QScreen
from PySide6.QtTest import QTest

from client.qt import Qt
from client.session import saved
from client.session.saved import SavedMatch
from client.window import MainWindow, application
from core import pack, rulesets
from core.match import new_server_match
from rasputitsa.packs import load_pack
from tests.client.look_at_map import GAME, SCENARIO, WAIT_MS, wait_until_painted

SIZE = (780, 460)  # smaller than the dense screen, counted in its own pixels


def main(folder: Path) -> None:
    """Look at a game on one screen, on the other, and on the first again."""
    named = {screen.name(): screen for screen in application().screens()}
    plain, dense = named["plain"], named["dense"]
    window = shown_on(plain, folder)
    first = picture(window)
    move(window, dense)
    second = picture(window)
    move(window, plain)
    third = picture(window)
    window.close()
    other = shown_on(dense, folder)
    fresh = picture(other)
    other.close()
    enlarged = first.scaled(second.size(), Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)
    print(
        json.dumps(
            {
                "ratios": [image.devicePixelRatio() for image in (first, second, third)],
                "off_fresh": off(second, fresh),
                "off_blurred": off(second, enlarged),
                "off_before": off(first, third),
            }
        )
    )


def shown_on(screen: QScreen, folder: Path) -> MainWindow:
    """Return a window with a game on a screen."""
    files = load_pack(GAME)
    setting = pack.setting(rulesets.load(GAME), files, SCENARIO)
    keeper = new_server_match(setting, game="move", seed=bytes(32), clock=saved.clock, links=100)
    window = MainWindow([files], folder=folder)
    window.resize(*SIZE)
    window.show()
    move(window, screen)
    window.show_match(SavedMatch(keeper, files, dict.fromkeys(setting.sides, "person"), seed=bytes(32)))
    assert window.game is not None, "the game is shown"
    window.game.map.zoom_to_scale(1.0)
    window.game.map.centre_within_map(max(window.game.match.view.position.occupied()))
    return window


def move(window: MainWindow, screen: QScreen) -> None:
    """Move the window to a screen and give it its size again."""
    window.windowHandle().setScreen(screen)
    window.move(screen.geometry().topLeft())
    window.resize(*SIZE)
    QTest.qWait(WAIT_MS)


def picture(window: MainWindow) -> QImage:
    """Return what is seen of the map, once all of it is painted."""
    assert window.game is not None, "the game is shown"
    wait_until_painted(window.game)
    return window.game.map.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def off(one: QImage, other: QImage) -> float:
    """Return by how much two pictures differ on average, of 255."""
    pixels = [np.frombuffer(image.constBits(), np.uint8).astype(int) for image in (one, other)]
    if pixels[0].size != pixels[1].size:
        return 255.0
    return float(abs(pixels[0] - pixels[1]).mean())


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Signs instead of words on the tools and the rail."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from client.map.pens import pen
from client.panels.pictograms import BOX, SIGNS, SignButton
from client.session.saved import SavedMatch
from client.window import MainWindow
from core import rulesets
from rasputitsa.packs import installed

Maker = Callable[..., SavedMatch]


def drawn(sign: str) -> QImage:
    """Return a sign of 40 pixels, black on white."""
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.translate(20, 20)
    painter.scale(40 / BOX, 40 / BOX)
    painter.setPen(pen("#000000", 1.6))
    SIGNS[sign](painter)
    painter.end()
    return image


def darkest(image: QImage) -> int:
    return min(image.pixelColor(x, y).lightness() for x in range(image.width()) for y in range(image.height()))


def test_every_sign_is_drawn_and_no_two_are_alike(qapp: object) -> None:
    images = {name: drawn(name) for name in SIGNS}
    assert all(darkest(image) < 60 for image in images.values())
    names = list(images)
    assert not [(one, other) for i, one in enumerate(names) for other in names[:i] if images[one] == images[other]]


def test_every_overlay_and_panel_of_the_games_has_a_sign_of_its_own(window: MainWindow, new_match: Maker) -> None:
    window.show_match(new_match())
    assert window.game is not None
    assert set(window.game.side.names) | {"players", "chat"} <= set(SIGNS)
    for name in installed():
        assert set(rulesets.load(name).overlays) - {"zone"} <= set(SIGNS)


def test_a_sign_is_as_light_as_the_words_of_its_theme_and_says_what_it_is(
    window: MainWindow, new_match: Maker, qtbot: QtBot
) -> None:
    window.show_match(new_match())
    assert window.game is not None
    sign = window.game.rail.findChildren(SignButton)[0]
    assert (sign.text(), sign.toolTip(), sign.accessibleName()) == ("", "Stack", "Stack")
    window.set_theme("dark")
    qtbot.waitUntil(window.updatesEnabled)
    lightest = max(sign.grab().toImage().pixelColor(x, y).lightness() for x in range(36) for y in range(30))
    assert lightest > 180
    window.set_theme("light")
    qtbot.waitUntil(window.updatesEnabled)
    assert darkest(sign.grab().toImage()) < 90


def test_the_tools_stand_in_two_columns_where_the_map_is_low_and_never_outside_it(
    window: MainWindow, new_match: Maker, qtbot: QtBot
) -> None:
    window.looks.set_text(200)
    window.show_match(new_match())
    assert window.game is not None
    page = window.game
    for height in (900, 640):
        window.resize(1500, height)
        qtbot.waitUntil(lambda height=height: window.height() == height)  # type: ignore[misc]
        assert page.tools.geometry().bottom() <= page.map.height()
    one = page.tools.width()
    page.tools.fit(page.tools.height() // 2)
    assert page.tools.width() > 1.5 * one
    window.looks.set_text(100)


def test_a_sign_is_drawn_once_however_often_the_map_moves_under_it(qapp: object) -> None:
    drawn_signs, button = list[str](), SignButton("zone", tip="Zones", key="Z")
    draw = button._draw
    button._draw = lambda painter: (drawn_signs.append("zone"), draw(painter))  # type: ignore[assignment]
    first = button.grab().toImage()
    assert button.grab().toImage() == first
    assert drawn_signs == ["zone"]
    palette = button.palette()
    palette.setColor(palette.ColorRole.WindowText, QColor("#C02020"))
    button.setPalette(palette)
    assert button.grab().toImage() != first
    assert drawn_signs == ["zone", "zone"]

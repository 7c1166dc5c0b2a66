"""Counters as they are printed: badges on their corners, what is done is paler, and all of it can be read far out. Sampled in pixels."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from client.map.counters import BADGES, HALF, MARGIN, SIDE, URGENT, CounterArt, CounterPixmaps, paint_counter
from client.map.geometry import HEX
from client.map.idle import Idle
from client.map.items import SHOWN_IN_STACK, CounterItem
from client.map.levels import Level, level_at
from client.map.palette import LIGHT, PALETTES, Palette, contrast, text_on
from client.qt import Qt
from client.session.saved import SavedMatch
from client.window import MainWindow
from core.events import Placed
from core.fold import fold
from core.units import UnitId

Maker = Callable[..., SavedMatch]
PLAIN = CounterArt("#D98B4A", "infantry", "XXXX", "62", "5-6-3", 2, 2)
pytestmark = pytest.mark.usefixtures("qapp")


def painted(art: CounterArt, scale: float = 4.0, palette: Palette = LIGHT) -> QImage:
    """Return a counter alone on white, at *scale* pixels a scene unit."""
    side = round((SIDE + 2 * MARGIN) * scale)
    image = QImage(side, side, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(side / 2, side / 2)
    painter.scale(scale, scale)
    paint_counter(painter, art, palette, level_at(scale))
    painter.end()
    return image


def differs_at(one: QImage, other: QImage, right: int, down: int, *, scale: float = 4.0) -> bool:
    """Say whether two pictures differ on the disc of a corner."""
    middle = one.width() / 2
    x, y = (round(middle + sign * (HALF - 1.5) * scale) for sign in (right, down))
    reach = round(4 * scale)
    spots = [(x + dx, y + dy) for dx in range(-reach, reach + 1, 3) for dy in range(-reach, reach + 1, 3)]
    return sum(one.pixel(*spot) != other.pixel(*spot) for spot in spots if 0 <= spot[0] < one.width() and 0 <= spot[1] < one.width()) > 8


@pytest.mark.parametrize("badge", sorted(BADGES))
def test_a_state_is_a_badge_on_its_own_corner_and_on_no_other(badge: str) -> None:
    plain, marked = painted(PLAIN), painted(msgspec.structs.replace(PLAIN, badges=(badge,)))
    corners = {corner for corner in ((1, -1), (1, 1), (-1, 1), (-1, -1)) if differs_at(plain, marked, *corner)}
    assert corners == {BADGES[badge]}


@pytest.mark.parametrize("badge", sorted(BADGES))
def test_no_badge_lies_over_the_values(badge: str) -> None:
    plain, marked = painted(PLAIN), painted(msgspec.structs.replace(PLAIN, badges=(badge,)))
    middle, ink = plain.width() // 2, QColor(text_on(PLAIN.ground)).rgb()
    spots = [(x, y) for x in range(middle - 72, middle + 73) for y in range(middle + 34, middle + 74)]
    written = [spot for spot in spots if plain.pixel(*spot) == ink]
    assert len(written) > 500
    assert sum(marked.pixel(*spot) != ink for spot in written) <= 0.01 * len(written)


@pytest.mark.parametrize("name", ["5", "66", "GD", "SW", "3 Gd", "11 Lw", "3. Army"])
def test_an_id_lies_on_nothing_else_and_within_its_counter(name: str) -> None:
    art = msgspec.structs.replace(PLAIN, values="10-9-8", full_steps=6, steps=6)
    bare = painted(msgspec.structs.replace(art, id=" " * len(name)))  # the symbol makes room all the same
    named = painted(msgspec.structs.replace(art, id=name))
    spots = [(x, y) for x in range(bare.width()) for y in range(bare.width()) if bare.pixel(x, y) != named.pixel(x, y)]
    assert len(spots) > 200
    ground = QColor(art.ground)
    over = [spot for spot in spots if abs(QColor(bare.pixel(*spot)).red() - ground.red()) > 30]
    assert len(over) <= 0.01 * len(spots), f"{len(over)} of {len(spots)}"


@pytest.mark.parametrize("name", ["5", "11", "66", "GD", "SW"])
def test_between_a_short_id_and_the_symbol_lies_a_strip_of_the_counters_ground(name: str) -> None:
    art, scale = msgspec.structs.replace(PLAIN, full_steps=6, steps=6), 4.0
    bare = painted(msgspec.structs.replace(art, id=" " * len(name)), scale)
    named = painted(msgspec.structs.replace(art, id=name), scale)
    spots = [(x, y) for x in range(bare.width()) for y in range(bare.width()) if bare.pixel(x, y) != named.pixel(x, y)]
    left, strip = min(x for x, _ in spots), range(1, round(1.2 * scale))
    beside = {QColor(bare.pixel(left - x, y)).lightnessF() for x in strip for y in {y for _, y in spots}}
    assert max(beside) - min(beside) < 0.1


def test_lack_and_want_of_supply_share_a_corner_and_differ_in_shape_not_only_in_colour() -> None:
    assert BADGES["out_of_supply"] == BADGES["lack_of_supply"]
    grey = [painted(msgspec.structs.replace(PLAIN, badges=(badge,))).convertToFormat(QImage.Format.Format_Grayscale8) for badge in
            ("out_of_supply", "lack_of_supply")]  # fmt: skip
    assert grey[0] != grey[1]


@pytest.mark.parametrize("ground", ["#D98B4A", "#C4402F", "#8FA3AD", "#8CA56B", "#E2C85A"])
def test_what_has_acted_is_paler_and_not_darker(ground: str) -> None:
    art = msgspec.structs.replace(PLAIN, ground=ground)
    fresh, done = painted(art), painted(msgspec.structs.replace(art, done=True))
    spot = (round(fresh.width() / 2 - 12 * 4), round(fresh.width() / 2 + 5 * 4))  # ground between symbol and values
    before, after = QColor(fresh.pixel(*spot)), QColor(done.pixel(*spot))
    assert after.hslSaturationF() < 0.75 * before.hslSaturationF()
    assert after.lightnessF() > before.lightnessF() - 0.05


# ---------------------------------------------------------------- far out


def dark_share(image: QImage) -> float:
    """Return the share of pixels within the counter that are much darker or lighter than most of it."""
    side, edge = image.width(), round(image.width() * (MARGIN + 3) / (SIDE + 2 * MARGIN))
    tones = [QColor(image.pixel(x, y)).lightness() for x in range(edge, side - edge) for y in range(edge, side - edge)]
    usual = sorted(tones)[len(tones) // 2]
    return sum(abs(tone - usual) > 50 for tone in tones) / len(tones)


@pytest.mark.parametrize("theme", PALETTES)
def test_at_24_pixels_a_hex_the_symbol_still_stands_out_from_its_counter(theme: str) -> None:
    scale = 24 / HEX
    assert level_at(scale) == Level.MID
    assert 0.12 < dark_share(painted(PLAIN, scale, PALETTES[theme])) < 0.75


@pytest.mark.parametrize("badge", sorted(URGENT))
def test_at_24_pixels_a_hex_trouble_is_still_seen(badge: str) -> None:
    scale = 24 / HEX
    plain, marked = painted(PLAIN, scale), painted(msgspec.structs.replace(PLAIN, badges=(badge,)), scale)
    changed = sum(plain.pixel(x, y) != marked.pixel(x, y) for x in range(plain.width()) for y in range(plain.width()))
    assert changed >= 16


@pytest.mark.parametrize("ground", ["#D98B4A", "#C4402F", "#8FA3AD", "#8CA56B", "#E2C85A", "#3C3F41", "#B9CF9B", "#8FB7D9"])
def test_values_can_be_read_on_every_ground(ground: str) -> None:
    assert contrast(text_on(ground), ground) >= 4.5


# ---------------------------------------------------------------- painted when there is time


def test_a_window_that_must_not_wait_shows_bare_ground_then_the_counter(qtbot: QtBot) -> None:
    pixmaps, made = CounterPixmaps(LIGHT, Idle()), list[str]()
    pixmaps.patient = True
    first = pixmaps.get(PLAIN, 2.0, Level.NEAR, lambda: made.append("painted")).toImage()
    middle = QColor(first.pixel(first.width() // 2, first.height() // 2))
    assert middle.name().upper() == PLAIN.ground
    qtbot.waitUntil(lambda: made == ["painted"])
    assert pixmaps.get(PLAIN, 2.0, Level.NEAR, list).toImage() != first


def test_a_counter_stands_in_for_itself_in_another_theme(qtbot: QtBot) -> None:
    pixmaps = CounterPixmaps(LIGHT, Idle())
    light = pixmaps.get(PLAIN, 2.0, Level.NEAR, list)
    pixmaps.palette, pixmaps.patient = PALETTES["dark"], True
    assert pixmaps.get(PLAIN, 2.0, Level.NEAR, list).cacheKey() == light.cacheKey()


def test_other_sizes_of_texts_leave_what_is_painted_of_the_map(window: MainWindow, new_match: Maker, qtbot: QtBot) -> None:
    window.show_match(new_match())
    old = window.page()
    qtbot.waitUntil(lambda: not old.scene.idle.is_busy and bool(old.scene.tiles._kept))
    try:
        window.looks.set_text(110)
        new = window.page()
        assert new is not old
        painted = {key: pixmap.cacheKey() for key, pixmap in new.scene.tiles._kept.items()}
        assert all(painted[key] == pixmap.cacheKey() for key, pixmap in old.scene.tiles._kept.items())
        assert old.scene.pixmaps._kept.keys() <= new.scene.pixmaps._kept.keys()
    finally:
        window.looks.set_text(100)


# ---------------------------------------------------------------- stacks


@pytest.mark.parametrize(("count", "badged"), [(2, False), (SHOWN_IN_STACK, False), (SHOWN_IN_STACK + 1, True)])
def test_a_number_stands_on_stacks_of_more_than_three(count: int, badged: bool) -> None:
    def drawn(n: int) -> QImage:
        item = CounterItem(UnitId(0), PLAIN, CounterPixmaps(LIGHT, Idle()))
        item.show_as(PLAIN, side_colour="#B4472F", count=n, steps=n, selected=False)
        image = QImage(160, 160, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        painter.translate(80, 80)
        painter.scale(2, 2)
        item.paint(painter, None)  # type: ignore[arg-type]
        painter.end()
        return image

    assert (drawn(count) != drawn(1)) == badged


def test_a_stack_fans_out_under_the_mouse_and_on_f_and_shows_each_counter_whole(window: MainWindow, new_match: Maker) -> None:
    window.show_match(new_match())
    page = window.game
    assert page is not None
    here = page.match.setting.board.hex("T0201")
    position = page.match.view.position
    for _ in range(3):
        fold(position, Placed(UnitId(position.next_unit), "red_pawn", "x", here, 2))
    page.refresh()
    page.map.hovered = here
    page.fan()
    assert page.scene.fanned == here
    places = [page.scene.counters[unit].pos() for unit in position.at(here)]
    apart = [abs(a.x() - b.x()) + abs(a.y() - b.y()) for i, a in enumerate(places) for b in places[:i]]
    assert min(apart) >= SIDE * 0.9
    page.fan()
    assert page.scene.fanned is None
    page.map._fan_timer.timeout.emit()
    assert page.scene.fanned == here
    assert page.map._fan_timer.interval() == 150

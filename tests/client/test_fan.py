"""A spread stack: each counter lies whole, has its name beside it, and a key by which it can be picked."""

from __future__ import annotations

from itertools import combinations

import pytest
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.counters import HALF
from client.map.fan import FanLayer, Slip, fan_offset
from client.map.geometry import Geometry
from client.map.levels import Level
from client.map.palette import LIGHT
from client.qt import QPointF, QRectF, Qt
from client.session.stacks import stacked
from core.board import Hex
from core.events import Moved, Placed
from core.fold import fold
from core.orders import OptionPick, UnitPick
from core.ruleset import OrderKind
from core.text import text
from core.units import UnitId
from tests.client.conftest import middle
from tests.client.test_composing import Bombard, compose_bombard
from tests.client.test_window import at, key
from tests.toy.ruleset import Act


@pytest.fixture
def stack(page: GamePage) -> Hex:
    """A hex with four counters of the side that acts, under the hex cursor."""
    position, here = page.match.view.position, at(page, "T0201")
    while len(position.at(here)) < 4:
        fold(position, Placed(UnitId(position.next_unit), "red_pawn", f"x{position.next_unit}", here, 2))
    page.refresh()
    page.map.zoom_to_scale(1.0)
    page.map.set_cursor(here)
    return here


def order_of(page: GamePage, here: Hex) -> list[UnitId]:
    return [unit.id for unit in stacked(page.match.view, here)]


@pytest.mark.parametrize("count", range(1, 9))
@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
def test_neither_counters_nor_slips_of_a_spread_stack_lie_over_one_another(page: GamePage, count: int, scale: float) -> None:
    layer, offsets = FanLayer(Geometry(page.match.setting.board), LIGHT), [fan_offset(index, count) for index in range(count)]
    layer.show(QPointF(0, 0), [Slip(offset, "1", "22nd Guards Mechanized Corps") for offset in offsets])
    counters = [QRectF(one.x() - HALF, one.y() - HALF, 2 * HALF, 2 * HALF) for one in offsets]
    for one, other in combinations([*counters, *layer.boxes(max(scale, 1.0))], 2):
        assert not one.intersects(other)
    for one, other in combinations(layer.boxes(scale), 2):
        assert not one.intersects(other)


def test_counters_that_a_stack_is_spread_under_while_they_glide_lie_in_the_spread(page: GamePage, stack: Hex) -> None:
    units, scene = order_of(page, stack), page.scene
    before = {unit: QPointF(0, 0) for unit in units}
    scene.glide(before, [Moved(tuple(units), (stack,))])
    gliding = scene._gliding
    assert gliding is not None
    scene.fan(stack)
    gliding.setCurrentTime(gliding.duration())
    centre = scene.centre(stack)
    spread = [QPointF(centre.x, centre.y) + fan_offset(index, len(units)) for index in range(len(units))]
    assert [scene.counters[unit].pos() for unit in units] == spread


def test_f_gives_each_counter_its_name_and_a_key_that_picks_it(page: GamePage, stack: Hex, qtbot: QtBot) -> None:
    key(qtbot, page, Qt.Key.Key_F)
    units, slips = order_of(page, stack), page.scene.slips.slips
    assert [slip.key for slip in slips] == ["1", "2", "3", "4"]
    assert [slip.name for slip in slips] == [page.match.view.name(unit) for unit in units]
    able = [unit for unit in units if page.composer._opens((OptionPick("go"),), UnitPick(unit))]
    wanted = able[-1]
    key(qtbot, page, getattr(Qt.Key, f"Key_{units.index(wanted) + 1}"))
    assert page.composer.units() == (wanted,)
    assert page.scene.fanned == stack


def test_a_spread_stack_is_closed_by_f_by_esc_and_by_the_way_to_another_hex(page: GamePage, stack: Hex, qtbot: QtBot) -> None:
    for close in (Qt.Key.Key_F, Qt.Key.Key_Escape, Qt.Key.Key_Down):
        page.map.set_cursor(stack)
        key(qtbot, page, Qt.Key.Key_F)
        assert page.scene.fanned == stack
        key(qtbot, page, close)
        assert page.scene.fanned is None
        assert not page.scene.slips.slips
        assert not page.scene.fan_keys


def test_a_stack_that_is_spread_by_the_mouse_shows_names_and_the_keys_of_the_card_alone(page: GamePage, stack: Hex) -> None:
    page.map.set_cursor(None)
    page.scene.fan(stack)
    assert [slip.name for slip in page.scene.slips.slips] == [page.match.view.name(unit) for unit in order_of(page, stack)]
    asked = {c.pick.unit: str(c.number) for c in page.composer.ways_on() if isinstance(c.pick, UnitPick) and c.number is not None}
    assert [slip.key for slip in page.scene.slips.slips] == [asked.get(unit, "") for unit in order_of(page, stack)]
    page.choose(next(choice for choice in page.composer.ways_on() if choice.pick == OptionPick("go")))
    page.scene.fan(stack)
    asked = {c.pick.unit: str(c.number) for c in page.composer.ways_on() if isinstance(c.pick, UnitPick) and c.number is not None}
    assert set(asked) & set(order_of(page, stack))
    assert [slip.key for slip in page.scene.slips.slips] == [asked.get(unit, "") for unit in order_of(page, stack)]


def test_a_picked_counter_keeps_the_key_by_which_the_card_offered_it_and_is_taken_out_by_it(
    page: GamePage, stack: Hex, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    kind = OrderKind(Bombard, text("Bombard"), "5", compose_bombard, lambda game, order: iter(()))
    monkeypatch.setitem(page.match.setting.ruleset.orders, "bombard", kind)
    monkeypatch.setattr(Act, "orders", ("go", "strike", "bombard", "end"))
    page.refresh()
    page.choose(next(choice for choice in page.composer.ways_on() if choice.pick == OptionPick("bombard")))
    page.click(at(page, "T0303"))
    key(qtbot, page, Qt.Key.Key_F)
    before = [slip.key for slip in page.scene.slips.slips]
    assert all(before)
    units = order_of(page, stack)
    for number, picked in ((0, {0}), (2, {0, 2}), (0, {2}), (1, {1, 2})):
        key(qtbot, page, getattr(Qt.Key, f"Key_{before[number]}"))
        assert set(page.composer.units()) == {units[index] for index in picked}
        assert [slip.key for slip in page.scene.slips.slips] == before
    page.scene.fan(None)
    key(qtbot, page, getattr(Qt.Key, f"Key_{before[1]}"))  # also where the stack is not spread
    assert set(page.composer.units()) == {units[2]}


def test_a_stack_stays_spread_while_the_mouse_goes_up_to_its_top(page: GamePage, stack: Hex, qtbot: QtBot) -> None:
    page.map.set_cursor(None)
    page.map.centerOn(*page.scene.centre(stack))
    spot = middle(page, stack)
    qtbot.mouseMove(page.map.viewport(), spot)
    page.scene.fan(stack)
    for _ in range(70):
        spot.setY(spot.y() - 1)
        qtbot.mouseMove(page.map.viewport(), spot)
        assert page.scene.fanned == stack


def test_f_comes_nearer_where_blocks_stand_for_counters(page: GamePage, stack: Hex, qtbot: QtBot) -> None:
    page.map.zoom_to_scale(0.2)
    assert page.level == Level.FAR
    key(qtbot, page, Qt.Key.Key_F)
    assert page.level > Level.MID
    assert page.scene.fanned == stack
    assert page.map.viewport().rect().contains(middle(page, stack))


def test_a_spread_stack_lies_on_a_ground_of_its_own_above_the_counters_of_other_hexes(page: GamePage, stack: Hex, qtbot: QtBot) -> None:
    ground = page.scene.slips.ground
    assert ground._ground.isEmpty()
    key(qtbot, page, Qt.Key.Key_F)
    spread = [page.scene.counters[unit] for unit in order_of(page, stack)]
    others = [item for unit, item in page.scene.counters.items() if unit not in order_of(page, stack)]
    assert ground.scene() is page.scene
    assert others
    assert max(item.zValue() for item in others) < ground.zValue() < min(item.zValue() for item in spread)
    for item in spread:
        assert ground._ground.contains(QRectF(item.x() - HALF, item.y() - HALF, 2 * HALF, 2 * HALF))
    key(qtbot, page, Qt.Key.Key_F)
    assert ground._ground.isEmpty()

"""Words on the map: costs of reach and an overlay's words cross neither place names nor one another; names lie over counters."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations, pairwise

import pytest
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.geometry import HEX, Geometry
from client.map.ground import ground_of
from client.map.idle import Idle
from client.map.lettering import Names
from client.map.levels import level_at
from client.map.overlays import FEW_NAMES, AnswersLayer, HexesLayer, LabelsLayer, NamesLayer, Reachable, ReachLayer
from client.map.palette import LIGHT
from client.map.scene import COUNTERS_Z
from client.map.tiles import paint_map
from client.map.wording import A_STEP, Words
from client.qt import QPointF, QRectF
from core.board import Hex
from core.pack import build_board
from core.ruleset import Answer
from core.text import text
from tests.packs import pack_of

SCALES = (0.71, 1.0, 1.41, 2.0)


@pytest.fixture(scope="module")
def names() -> Names:
    pack = pack_of("war_for_the_motherland")
    scenario = pack.scenarios["turning_point"]
    return Names(Geometry(build_board(pack, scenario)), pack.lettering(scenario.sections))


def land(names: Names) -> list[Hex]:
    board = names.geometry.board
    return [here for here in map(Hex, range(board.size)) if board.terrain(here) != "sea"]


def crossing(boxes: list[QRectF]) -> int:
    return sum(one.adjusted(0.5, 0.5, -0.5, -0.5).intersects(other) for one, other in combinations(boxes, 2))


@pytest.mark.parametrize("scale", SCALES)
def test_no_cost_crosses_a_town_or_another_cost(qapp: object, names: Names, scale: float) -> None:
    layer = ReachLayer(names.geometry, LIGHT)
    layer.costs.names = names
    layer.show({here: Reachable(0, str(1 + here % 13)) for here in land(names)})
    boxes = list(layer.costs.at(scale).values())
    towns = [name.bounds.adjusted(2, 2, -2, -2) for name in names.at(scale) if name.role == "town"]
    assert len(boxes) == len(land(names))
    assert crossing(boxes) == 0
    assert not [box for box in boxes for town in towns if box.intersects(town)]


@pytest.mark.parametrize("scale", SCALES)
def test_words_of_an_overlay_keep_off_towns_costs_and_one_another(qapp: object, names: Names, scale: float) -> None:
    costs = Words(names.geometry.centre, 12.5, lambda word: 9.0 * len(word))
    costs.names = names
    costs.show(dict.fromkeys(land(names)[::2], "7"))
    layer = LabelsLayer(names.geometry, LIGHT, "#000000")
    layer.placed.names, layer.placed.others = names, lambda scale: costs.at(scale).values()
    layer.show(dict.fromkeys(land(names)[::3], "12"))
    boxes = [*costs.at(scale).values(), *layer.placed.at(scale).values()]
    assert crossing(boxes) == 0


def test_a_word_without_room_takes_the_place_where_least_is_hidden(qapp: object, names: Names) -> None:
    here = land(names)[40]
    centre = names.geometry.centre(here)
    words = Words(names.geometry.centre, 12.0, lambda word: 12.0)
    words.show({here: "9"})
    free = words.at(1.0)[here]
    wall = QRectF(centre.x - 60, centre.y - 60, 120, 119)
    words.others = lambda scale: (wall,)
    assert words.at(1.0)[here].center().y() >= free.center().y() - 0.5  # the lowest place


@pytest.mark.parametrize("scale", [0.35, 0.42, 0.5, 1.0])
def test_a_name_that_a_counter_would_hide_is_written_over_it(qapp: object, names: Names, scale: float) -> None:
    town = next(name for name in names.at(scale) if name.role == "town")
    layer = NamesLayer(names.geometry, LIGHT, names)
    layer.show([QRectF(town.bounds.center().x() - 21, town.bounds.center().y() - 21, 42, 42)])
    assert town in layer.at(scale)
    layer.show([])
    assert layer.at(scale) == []


def test_many_new_names_over_counters_are_painted_when_there_is_time(qapp: object, names: Names, qtbot: QtBot) -> None:
    layer, image = NamesLayer(names.geometry, LIGHT, names), QImage(900, 900, QImage.Format.Format_ARGB32_Premultiplied)
    layer.idle = idle = Idle()
    everywhere = QRectF(-10_000, -10_000, 50_000, 50_000)
    layer.show([everywhere])
    assert len(layer.at(0.5)) > FEW_NAMES

    class Option:
        exposedRect = everywhere  # noqa: N815  Qt's name

    def painted() -> bool:
        image.fill(0)
        painter = QPainter(image)
        painter.scale(0.5, 0.5)
        painter.translate(QPointF(900, 900) - layer.at(0.5)[0].bounds.center())
        layer.paint(painter, Option())  # type: ignore[arg-type]
        painter.end()
        return any(image.constBits())

    assert not painted()
    qtbot.waitUntil(lambda: not idle.is_busy)
    assert painted()
    assert not idle.is_busy


def test_a_name_that_a_front_crosses_is_written_over_it(qapp: object, names: Names) -> None:
    board, town = names.geometry.board, next(name for name in names.at(1.0) if name.role == "town")
    centre = town.bounds.center()
    sides = [(here, there) for here in land(names) for there in board.adjacent[here]]

    def far(side: tuple[Hex, Hex]) -> float:
        a, b = (names.geometry.centre(here) for here in side)
        return abs((a.x + b.x) / 2 - centre.x()) + abs((a.y + b.y) / 2 - centre.y())

    front = HexesLayer(names.geometry, LIGHT, "#000000")
    front.show({}, front=[min(sides, key=far)])
    layer = NamesLayer(names.geometry, LIGHT, names)
    layer.crossed = lambda: front.crossed
    assert town in layer.at(1.0)
    front.show({})
    assert layer.at(1.0) == []


def test_a_name_that_a_line_crosses_is_written_over_it(qapp: object, names: Names) -> None:
    board, town = names.geometry.board, next(name for name in names.at(1.0) if name.role == "town")
    centre, overlay = town.bounds.center(), HexesLayer(names.geometry, LIGHT, "#000000")
    layer = NamesLayer(names.geometry, LIGHT, names)
    layer.crossed = lambda: overlay.lined
    below = names.geometry.hex_at(centre.x(), centre.y())
    assert below is not None
    overlay.show({}, lines=[(here, below, there) for here in board.adjacent[below] for there in board.adjacent[below] if here < there])
    assert town in layer.at(1.0)
    assert all(name.bounds.intersects(QRectF(centre.x() - 200, centre.y() - 200, 400, 400)) for name in layer.at(1.0))
    overlay.show({})
    assert layer.at(1.0) == []


@pytest.mark.parametrize("good", [True, False])
def test_a_name_that_the_line_of_an_answer_crosses_is_written_over_it(qapp: object, names: Names, good: bool) -> None:
    board, town = names.geometry.board, next(name for name in names.at(1.0) if name.role == "town")
    answers, layer = AnswersLayer(names.geometry, LIGHT), NamesLayer(names.geometry, LIGHT, names)
    layer.crossed = lambda: answers.lined
    below = names.geometry.hex_at(town.bounds.center().x(), town.bounds.center().y())
    assert below is not None
    sides = [(here, below, there) for here in board.adjacent[below] for there in board.adjacent[below] if here < there]
    answers.show([Answer(text("cut off"), line=side, good=good) for side in sides])
    assert town in layer.at(1.0)
    assert COUNTERS_Z < answers.zValue() < layer.zValue()
    answers.show([])
    assert layer.at(1.0) == []


def test_a_name_below_the_line_from_the_source_of_a_zone_is_written_over_it(qapp: object, names: Names) -> None:
    board, town = names.geometry.board, next(name for name in names.at(1.0) if name.role == "town")
    answers, layer = AnswersLayer(names.geometry, LIGHT), NamesLayer(names.geometry, LIGHT, names)
    layer.crossed = lambda: answers.lined
    below = names.geometry.hex_at(town.bounds.center().x(), town.bounds.center().y())
    assert below is not None
    answers.show([], [Answer(text("a zone"), places=tuple(board.adjacent[below]))], below)
    assert town in layer.at(1.0)
    answers.show([], [])
    assert layer.at(1.0) == []


def test_a_name_that_the_line_around_open_hexes_crosses_is_written_over_it(battlefield: GamePage) -> None:
    scene = battlefield.scene
    town = next(name for name in scene.names.at(1.0) if name.role == "town")
    board, here = scene.board, scene.geometry.hex_at(town.bounds.center().x(), town.bounds.center().y())
    assert here is not None
    scene.over.show([])
    assert town not in scene.over.at(1.0)
    around = [there for there in map(Hex, range(board.size)) if board.distance(here, there) <= 3]
    for hexes in ([here], around):
        scene.marks.area.show(hexes)
        crossed = any(box.intersects(town.bounds) for box in scene.marks.area.crossed)
        assert (town in scene.over.at(1.0)) == crossed
    scene.marks.area.show([here])
    assert town in scene.over.at(1.0)
    assert scene.marks.area.zValue() < scene.over.zValue()


def test_no_name_is_written_over_the_blocks_that_are_seen_from_far(qapp: object, names: Names) -> None:
    layer = NamesLayer(names.geometry, LIGHT, names)
    layer.show([QRectF(-10_000, -10_000, 50_000, 50_000)])
    assert level_at(0.2).name == "FAR"
    assert layer.at(0.2) == []


@pytest.mark.parametrize("scale", [1.41, 2.0, 2.83])
def test_the_letters_of_a_region_lie_beside_the_numbers_of_hexes(qapp: object, names: Names, scale: float) -> None:
    size = max(8.0, min(12.0, scale * HEX * 0.125)) / scale
    centres = [names.geometry.centre(here) for here in land(names)]
    numbers = [QRectF(centre.x - 1.1 * size, centre.y - 29.5, 2.2 * size, 0.9 * size) for centre in centres]
    regions = [name for name in names.at(scale) if name.role == "region"]
    letters = [name.place.mapRect(letter.boundingRect()) for name in regions for letter in name.outline.toSubpathPolygons()]
    assert len(letters) > 20
    assert not [letter for letter in letters for number in numbers if letter.intersects(number)]


def test_a_number_of_a_hex_is_written_over_the_name_of_a_region(qapp: object, names: Names) -> None:
    order: list[str] = []

    class Told(Names):
        def paint(self, *args: object, roles: Collection[str], **named: object) -> None:
            order.extend(roles)

        def paint_numbers(self, *args: object, **named: object) -> None:
            order.append("number")

    ground = ground_of(names.geometry.board)
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    paint_map(painter, QRectF(0, 0, 8, 8), ground, Told(names.geometry, ()), LIGHT, scale=2.0, weather="clear")
    painter.end()
    assert order == ["region", "number", "water", "town"]


def test_many_words_are_placed_a_few_at_a_stretch(qapp: object, names: Names) -> None:
    asked = list[str]()

    def wide(word: str) -> float:
        asked.append(word)
        return 12.0

    words = Words(names.geometry.centre, 12.0, wide)
    words.names = names
    words.show(dict.fromkeys(land(names), "9"))
    steps = list[int]()
    for _ in words.placing(1.0):
        steps.append(len(asked))
    assert len(land(names)) > A_STEP
    assert max(b - a for a, b in pairwise(steps)) <= A_STEP
    assert words.is_placed(1.0)
    assert words.latest(1.0) == words.at(1.0)


def test_words_stay_where_they_were_until_there_is_time_to_place_them_anew(qapp: object, names: Names, qtbot: QtBot) -> None:
    layer, before = LabelsLayer(names.geometry, LIGHT, "#000000"), list[QRectF]()
    layer.placed.names, layer.placed.others, layer.idle = names, lambda scale: before, Idle()
    layer.show(dict.fromkeys(land(names)[::3], "12"))
    first = dict(layer.placed.at(1.0))
    before.extend(first.values())

    class Option:
        exposedRect = QRectF(0, 0, 10, 10)  # noqa: N815  Qt's name

    image = QImage(40, 40, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    layer.paint(painter, Option())  # type: ignore[arg-type]
    painter.end()
    assert layer.placed_now(1.0) == first
    qtbot.waitUntil(lambda: not layer.idle.is_busy)  # type: ignore[union-attr]
    assert layer.placed_now(1.0) != first

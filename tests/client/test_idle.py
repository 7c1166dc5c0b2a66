"""Work that waits for a quiet moment: what is added singly comes before what is given as a whole, and zooming forgets all of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.map.idle import MORE, Idle, by_steps
from client.map.lettering import Names
from client.map.palette import LIGHT
from client.map.tiles import TilePainter
from client.qt import QRectF

pytestmark = pytest.mark.usefixtures("qapp")


def test_a_counter_does_not_wait_for_all_the_ground(qtbot: QtBot) -> None:
    idle, done = Idle(), list[str]()
    idle.replace("tiles", [partial(done.append, f"tile {n}") for n in range(3)])
    for n in range(2):
        idle.add("counters", partial(done.append, f"counter {n}"))
    qtbot.waitUntil(lambda: not idle.is_busy)
    assert done == ["counter 0", "counter 1", "tile 0", "tile 1", "tile 2"]


def test_what_was_wanted_before_is_forgotten(qtbot: QtBot) -> None:
    idle, done = Idle(), list[str]()
    idle.add("counters", partial(done.append, "old scale"))
    idle.come_to(2.0)
    idle.replace("tiles", [partial(done.append, "old tiles")])
    idle.replace("tiles", [partial(done.append, "new tiles")])
    qtbot.waitUntil(lambda: not idle.is_busy)
    assert done == ["new tiles"]


def test_tiles_in_sight_are_painted_though_only_a_part_of_the_map_is_asked_for_anew(page: GamePage, qtbot: QtBot) -> None:
    idle = Idle()
    tiles = TilePainter(page.scene.ground, page.scene.names, LIGHT, idle)
    row = [tiles.key(column, 0, 4.0, 1.0) for column in range(5)]
    in_sight = row[0].area.united(row[3].area).adjusted(1, 1, -1, -1)
    tiles.want(row[2:], in_sight)
    tiles.want(row[:1], in_sight)
    qtbot.waitUntil(lambda: not idle.is_busy)
    assert [tiles.kept(key) is not None for key in row] == [True, False, True, True, False]  # nobody asked for one, one went out of sight
    tiles.want([tiles.key(9, 0, 4.0, 1.0)], QRectF())
    tiles.want([tiles.key(1, 0, 2.0, 1.0)], page.scene.ground.bounds)
    qtbot.waitUntil(lambda: not idle.is_busy)
    assert tiles.kept(tiles.key(9, 0, 4.0, 1.0)) is None  # it was of another scale


def test_work_by_steps_is_done_before_the_rest_of_its_group(qtbot: QtBot) -> None:
    idle, done = Idle(), list[str]()

    def steps() -> Iterator[None]:
        for n in range(3):
            done.append(f"step {n}")
            yield

    idle.replace("tiles", [by_steps(steps()), partial(done.append, "tile")])
    qtbot.waitUntil(lambda: not idle.is_busy)
    assert done == ["step 0", "step 1", "step 2", "tile"]


def test_names_go_on_being_placed_though_other_tiles_are_wanted(page: GamePage, qtbot: QtBot) -> None:
    idle, names = Idle(), Names(page.scene.geometry, page.scene.names.lettering * 30)
    tiles, begun = TilePainter(page.scene.ground, names, LIGHT, idle), list[float]()
    placing = names.placing

    def counting(scale: float) -> Iterator[None]:
        begun.append(scale)
        return placing(scale)

    names.placing = counting  # type: ignore[method-assign]
    sight = QRectF(0, 0, 400, 400)
    for column in range(3):
        tiles.want([tiles.key(column, 0, 1.0, 1.0)], sight)
    qtbot.waitUntil(lambda: not idle.is_busy)
    assert begun == [1.0]
    assert names.is_placed(1.0)
    assert tiles.kept(tiles.key(2, 0, 1.0, 1.0)) is not None


def test_a_tile_that_is_half_painted_is_gone_on_with_though_others_are_wanted_first(page: GamePage) -> None:
    tiles, sight = TilePainter(page.scene.ground, page.scene.names, LIGHT, Idle()), QRectF(0, 0, 4000, 4000)
    first, later = (tiles.key(column, 0, 4.0, 1.0) for column in (1, 2))
    tiles.want([first], sight)
    done = 0
    while tiles.kept(first) is None:
        job = tiles.idle._jobs["tiles"].popleft()
        assert done < 10
        done += 1
        if job() is MORE:
            tiles.want([later, first], sight)  # the map moved on, and this is nearer to its middle now
    assert done > 1
    assert tiles.kept(later) is None
    tiles.idle.stop()


def test_a_tile_that_nobody_wants_any_more_is_left_half_painted(page: GamePage, qtbot: QtBot) -> None:
    tiles = TilePainter(page.scene.ground, page.scene.names, LIGHT, Idle())
    given_up, wanted = (tiles.key(column, 0, 4.0, 1.0) for column in (1, 2))
    assert tiles._paint(given_up) is MORE
    tiles.want([wanted], wanted.area)
    qtbot.waitUntil(lambda: not tiles.idle.is_busy)
    assert tiles.kept(wanted) is not None
    assert tiles.kept(given_up) is None
    assert tiles._begun is None

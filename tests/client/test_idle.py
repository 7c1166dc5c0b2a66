"""Work that waits for a quiet moment: what is added singly comes before what is given as a whole, and zooming forgets all of it."""

from __future__ import annotations

from functools import partial

import pytest
from pytestqt.qtbot import QtBot

from client.map.idle import Idle

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

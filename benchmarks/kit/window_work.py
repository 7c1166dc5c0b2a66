"""What the window is measured at, in a process of its own: ``python -m benchmarks.kit.window_work PART`` prints milliseconds as JSON.

A frame is timed from the moment at which it was due, every 1/60 s, until the event loop has nothing left to do for it; what the loop did
meanwhile for other reasons (tiles that waited) makes the next frame late, and so counts. Time is processor time of the window's thread:
what other programs take of the machine at that moment is not ours.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from benchmarks.kit import games
from client.game import GamePage
from client.session import saved
from client.session.local import PERSON
from client.session.replay import FileMatch
from client.session.saved import SavedMatch
from client.window import MainWindow, application
from core import gamefile, pack, rulesets
from core.board import Hex
from core.match import new_server_match
from core.orders import OptionPick
from core.units import Unit, UnitId
from rasputitsa.packs import load_pack

LARGE = "fall_barbarossa"  # 2,450 hexes
COUNTERS = 700
SIZE = (1920, 1080)
FRAME_S = 1 / 60
DRAGS, DRAG_FRAMES, TURNS = 8, 30, 60


class Paints(QObject):
    """Counts what the map paints."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  Qt's name
        self.count += event.type() == QEvent.Type.Paint
        return False


class Sitting:
    """The window with a game, and a hand on mouse and wheel."""

    def __init__(self) -> None:
        self.app = application()
        self.folder = tempfile.TemporaryDirectory()
        self.files = load_pack(games.GAME)
        self.window = MainWindow([self.files], folder=Path(self.folder.name))
        self.window.resize(*SIZE)
        self.window.show()

    @property
    def page(self) -> GamePage:
        """The page of the game."""
        assert self.window.game is not None, "a game is shown"
        return self.window.game

    def settle(self) -> None:
        """Let everything that waits be done."""
        self.page.scene.settle()
        rest = time.perf_counter() + 0.4
        while time.perf_counter() < rest:
            self.app.processEvents()
            time.sleep(0.002)

    def frames(self, inputs: Iterator[Callable[[], None]]) -> list[float]:
        """Send an input every 1/60 s; return how long after its due time each was on the screen, in milliseconds."""
        taken, due = [], time.thread_time()
        for send in inputs:
            while time.thread_time() < due:
                self.app.processEvents()
            send()
            self.app.processEvents()
            done = time.thread_time()
            taken.append(1000 * (done - due))
            due = max(due + FRAME_S, done)
        return taken

    def mouse(self, kind: QEvent.Type, where: QPoint, *, down: bool) -> None:
        """Send a mouse event to the map."""
        port = self.page.map.viewport()
        button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
        buttons = Qt.MouseButton.LeftButton if down else Qt.MouseButton.NoButton
        at = QPointF(where)
        event = QMouseEvent(kind, at, port.mapToGlobal(at), button, buttons, Qt.KeyboardModifier.NoModifier)
        QCoreApplication.sendEvent(port, event)

    def wheel(self, where: QPoint, delta: int) -> None:
        """Turn the wheel over the map."""
        port, at = self.page.map.viewport(), QPointF(where)
        event = QWheelEvent(
            at, port.mapToGlobal(at), QPoint(), QPoint(0, delta), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase, False,
        )
        QCoreApplication.sendEvent(port, event)


def crowded(sitting: Sitting) -> SavedMatch:
    """Return the largest game of one kind of map with as many counters on it as games ever have, by person and person."""
    setting = pack.setting(rulesets.load(games.GAME), sitting.files, LARGE)
    keeper = new_server_match(setting, game="crowd", seed=bytes(32), clock=lambda: 0, links=saved.LINKS)
    position = keeper.match.view.position
    on_map, rng = position.on_map(), random.Random(1)
    land = [here for here in map(Hex, range(setting.board.size)) if setting.board.terrain(here) not in ("sea", "lake")]
    for number in range(COUNTERS - len(on_map)):
        like = on_map[number % len(on_map)]
        position.put(Unit(UnitId(100_000 + number), like.type, like.name, rng.choice(land), like.steps))
    return SavedMatch(keeper, sitting.files, dict.fromkeys(setting.sides, PERSON), seed=bytes(32))


def drags(sitting: Sitting) -> Iterator[Callable[[], None]]:
    """Yield the inputs of dragging the map to and fro in all directions."""
    rng, middle = random.Random(2), QPoint(700, 450)
    for _ in range(DRAGS):
        sitting.mouse(QEvent.Type.MouseButtonPress, middle, down=True)
        step = QPoint(rng.randint(-22, 22), rng.randint(-22, 22))
        for number in range(DRAG_FRAMES):
            at = middle + step * number
            yield lambda at=at: sitting.mouse(QEvent.Type.MouseMove, at, down=True)  # type: ignore[misc]
        sitting.mouse(QEvent.Type.MouseButtonRelease, middle, down=False)


def turns(sitting: Sitting) -> Iterator[Callable[[], None]]:
    """Yield the inputs of turning the wheel in and out, a third of a notch each, as fine wheels and touch pads do."""
    for number in range(4 * TURNS):
        delta = 40 if (number // TURNS) % 2 else -40
        yield lambda delta=delta: sitting.wheel(QPoint(700, 450), delta)  # type: ignore[misc]


def frames(sitting: Sitting) -> dict[str, list[float]]:
    """Time panning and zooming over the crowded map, from the first sight of it on."""
    sitting.window.show_match(crowded(sitting))
    paints = Paints()
    sitting.page.map.viewport().installEventFilter(paints)
    sitting.settle()
    taken: dict[str, list[float]] = {"pan": [], "zoom": []}
    for step in (0, -4, 2):
        sitting.page.map.zoom_by(step)
        sitting.settle()
        taken["pan"] += sitting.frames(drags(sitting))
    taken["zoom"] = sitting.frames(turns(sitting))
    painted = paints.count
    assert painted > 0.9 * sum(map(len, taken.values())), f"{painted} paints for the frames: expected one each"
    return taken


def scrub(sitting: Sitting) -> dict[str, list[float]]:
    """Time each position of a whole game, all forward, all backward, and at random."""
    log = games.game_of("steady").match.log
    data = gamefile.write(gamefile.head_of(games.game_of("steady").match), sitting.files.files, log)
    sitting.window.show_match(FileMatch(data, name="bench", clock=lambda: 0))
    sitting.settle()
    page, count = sitting.page, len(sitting.page.match.moments())
    everywhere = list(range(count))
    random.Random(3).shuffle(everywhere)
    taken: dict[str, list[float]] = {}
    for name, order in (("forward", range(1, count)), ("backward", range(count - 2, 0, -1)), ("at random", everywhere)):
        taken[name] = [_time(sitting.app, page.time.seek, index) for index in order]
    return taken


def reach(sitting: Sitting) -> dict[str, list[float]]:
    """Time a click on each stack that can move until its reach is painted."""
    keeper = games.game_of("busy")
    log = keeper.match.log
    keeper.rewind(next(each.number for each in log.path() if log.seek(each.number).phase.endswith("movement")), player=PERSON)
    seats = dict.fromkeys(keeper.match.setting.sides, PERSON)
    sitting.window.show_match(SavedMatch(keeper, sitting.files, seats, seed=bytes(32)))
    sitting.settle()
    page, taken = sitting.page, []
    stacks = next(places for head, places in page.composer.able().items() if head == OptionPick("move"))
    for here in stacks:
        page.composer.reset()
        page.show_draft()
        sitting.settle()
        taken.append(_time(sitting.app, page.click, here))
        assert page.composer.ways(), "a stack that can move has a reach"
    return {"click": taken}


def first(sitting: Sitting) -> dict[str, list[float]]:
    """Time the press on Play until the map is painted, all threads together."""
    sitting.app.processEvents()
    window, began = sitting.window, time.process_time()
    window.start.play.click()
    while window.game is None or window.game.scene.idle.is_busy:
        sitting.app.processEvents()
        time.sleep(0.001)
    return {"press": [1000 * (time.process_time() - began)]}


def _time(app: QApplication, act: Callable[..., object], *arguments: object) -> float:
    """Return how long an act takes until it is painted."""
    began = time.thread_time()
    act(*arguments)
    app.processEvents()
    return 1000 * (time.thread_time() - began)


PARTS = {"frames": frames, "scrub": scrub, "reach": reach, "first": first}

if __name__ == "__main__":
    work = Sitting()
    print(json.dumps(PARTS[sys.argv[1]](work)))
    work.window.close()
    QApplication.processEvents()

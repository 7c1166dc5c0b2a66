"""A toy game with reach, preview and an overlay, and windows on it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from client import fonts
from client.game import GamePage
from client.qt import QCoreApplication, QEvent, QPoint, QSettings
from client.session import saved
from client.session.local import PERSON
from client.session.saved import SavedMatch, begin
from client.window import MainWindow, application
from core import gamefile as core_gamefile
from core import pack as core_pack
from core.board import Hex
from core.events import Line, Part
from core.match import new_server_match
from core.orders import compose
from core.pack import Pack
from core.ruleset import Ahead, Chance, Duty, Overlay, Preview, Way
from core.text import text
from core.views import View
from rasputitsa.packs import load_pack
from tests.toy.ruleset import RULES, Go, Strike, Toy, free, toy_files


def reach_go(view: View, draft: Go) -> tuple[Way, ...]:
    if draft.unit is None:
        return ()
    return tuple(Way(here, (here,), 6, text("crowded") if i == 0 else None) for i, here in enumerate(free(view, draft.unit)))


def preview_strike(view: View, draft: Strike) -> Preview | None:
    if not draft.units or draft.hex is None:
        return None
    parts = (Part("6", "4", text("die")), Part(str(len(draft.units) - 1), "4.1", text("helpers")))
    return Preview(
        text("Strike at {hex}", hex=view.board.label(draft.hex)),
        (Line("roll", "6", parts),),
        (Chance("hit", 1, 2, text("a step is lost")), Chance("miss", 1, 2, text("nothing"))),
        ((0, 0), (0, 50)),
    )


class ShownToy(Toy):
    """The toy with all that a window shows."""

    def duties(self, view: View) -> tuple[Duty, ...]:
        return (Duty(text("strike somebody"), "4", places=tuple(view.position.occupied()[:1])),)


TOY = ShownToy("toy", version=1, registry=RULES)
TOY.orders = {
    **RULES.orders,
    "go": msgspec.structs.replace(RULES.orders["go"], reach=reach_go),
    "strike": msgspec.structs.replace(RULES.orders["strike"], preview=preview_strike),
}
TOY.titles = {**RULES.titles, "Act": text("Somebody's turn")}
TOY.ahead = {"Act": (Ahead.of(text("Rest at once"), "end"),)}
TOY.overlays = {"zone": lambda view, side: Overlay(text("zone"), dict.fromkeys(view.position.occupied(), side[0]))}


PATIENCE_MS = 60_000  # longer than anything takes on a machine that does much besides; the 5 s of pytest-qt are not


class Patient(QtBot):
    """Waits for what will be, however slow the machine: none of these tests is about how long something takes."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **how: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **how)


@pytest.fixture
def qtbot(qapp: object, request: pytest.FixtureRequest) -> QtBot:
    return Patient(request)


class _Nobody:
    """Stands for a network on which nobody announces a server."""

    def __init__(self, tell: object, known: object) -> None:
        del tell, known

    def close(self) -> None:
        """There is nothing to end."""


@pytest.fixture(autouse=True)
def _quiet_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither start page nor lobby asks the network that this machine happens to be on: servers of other tests are announced there."""
    monkeypatch.setattr("client.meeting.nearby_list.AFTER_MS", 1_000_000_000)
    monkeypatch.setattr("client.nearby.Browser", _Nobody)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Pack:
    """The toy's pack; `core.rulesets.load` finds its ruleset."""
    monkeypatch.setattr("core.rulesets.load", lambda name: TOY)
    opens = {**core_gamefile.open_match.__kwdefaults__, "load": lambda name: TOY}
    monkeypatch.setattr("core.gamefile.open_match.__kwdefaults__", opens)
    opening = {**core_gamefile.Opening.__init__.__kwdefaults__, "load": lambda name: TOY}
    monkeypatch.setattr("core.gamefile.Opening.__init__.__kwdefaults__", opening)
    return Pack(toy_files())


@pytest.fixture
def new_match(toy: Pack) -> Callable[..., SavedMatch]:
    """Return a maker of matches: ``new_match(blue="random")``; a person sits where nobody is named."""

    def make(**seats: str) -> SavedMatch:
        setting = core_pack.setting(TOY, toy, "duel")
        keeper = new_server_match(setting, game="toy", seed=bytes(32), clock=saved.clock, links=1000)
        return SavedMatch(keeper, toy, {"red": PERSON, "blue": PERSON, **seats}, seed=bytes(32))

    return make


@pytest.fixture
def qapp() -> object:
    """The application with the client's fonts."""
    app = application()
    fonts.load()
    return app


def delete(widget: QWidget) -> None:
    """Delete a widget now: pytest-qt leaves that to an event loop that may never run, and windows would pile up."""
    widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@contextmanager
def no_collector() -> Iterator[None]:
    """Leave dead cycles where they are, as the collector does with what was there when a game came to the front."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def opened(window: MainWindow, qtbot: QtBot) -> GamePage:
    """Wait for the game that is being opened aside, and return its page."""
    qtbot.waitUntil(lambda: window.errands.opening is None)
    assert window.game is not None, window.notice.lines.text()
    return window.game


def failed_to_open(window: MainWindow, qtbot: QtBot) -> str:
    """Wait until what was to be opened has failed, and return what is told of it."""
    qtbot.waitUntil(lambda: window.errands.opening is None)
    return window.notice.lines.text()


@contextmanager
def managed(window: QWidget) -> Iterator[None]:
    """Do what a window manager does, and nobody offscreen once a window has floated: give the focus to the window that is left."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)

    def manage(focused: object) -> None:
        if focused is None and window.isVisible():
            window.windowHandle().requestActivate()

    app.focusWindowChanged.connect(manage)
    manage(app.focusWindow())
    yield
    app.focusWindowChanged.disconnect(manage)


@pytest.fixture
def window(qtbot: QtBot, toy: Pack, tmp_path: Path) -> Iterator[MainWindow]:
    """The main window with the toy installed."""
    QSettings("rasputitsa", "rasputitsa").clear()  # no test finds the layout of another
    made = MainWindow([toy], folder=tmp_path)
    made.resize(1500, 900)
    made.show()
    qtbot.waitExposed(made)
    with managed(made):
        yield made
    made.close()
    delete(made)


@pytest.fixture
def page(window: MainWindow, new_match: Callable[..., SavedMatch], qtbot: QtBot) -> GamePage:
    """The page of a game of the toy, both sides played here."""
    window.show_match(new_match())
    made = window.page()
    qtbot.waitExposed(made)
    return made


def middle(page: GamePage, here: Hex) -> QPoint:
    """Return where on the map's widget a hex has its middle."""
    centre = page.scene.centre(here)
    return page.map.mapFromScene(centre.x, centre.y)


@pytest.fixture
def battlefield(qtbot: QtBot, tmp_path: Path) -> Iterator[GamePage]:
    """Turning Point in its first Soviet combat phase, both sides at this table."""
    QSettings("rasputitsa", "rasputitsa").clear()
    files = load_pack("war_for_the_motherland")
    match = begin(files, "turning_point", {"soviet": PERSON, "axis": PERSON})
    for skipped in ("keep_depots", "end_fleets"):
        match.order(compose(match.setting.ruleset.orders[skipped].order, ()))
    window = MainWindow([files], folder=tmp_path)
    window.resize(1500, 900)
    window.show()
    qtbot.waitExposed(window)
    window.show_match(match)
    assert window.game is not None
    window.game.animates = window.game.warns = window.game.map.fans_by_itself = window.game.map.pans_at_edge = False
    with managed(window):
        yield window.game
    window.close()
    delete(window)

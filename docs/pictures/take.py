"""Take the pictures of the player's guide from the real window: `python docs/pictures/take.py [FOLDER]`.

The game is begun with fixed dice and played by clicks and keys, so that the pictures show the same game each time.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from client.game import GamePage
from client.meeting import nearby_list
from client.qt import QSettings, Qt
from client.session import saved
from client.session.local import PERSON
from client.session.saved import SavedMatch
from client.window import MainWindow, application
from core import lessons, pack, rulesets
from core.board import Hex
from core.match import new_server_match
from core.orders import OptionPick
from rasputitsa.packs import load_pack

HERE = Path(__file__).parent
GAME, SCENARIO, SIZE = "war_for_the_motherland", "turning_point", (1280, 800)
WAIT_MS = 60_000
MOVED = "E4311", "E4511"


class Photographer:
    """The window with a hand on mouse and keys."""

    def __init__(self, folder: Path, *, album: Path) -> None:
        self.album = album
        nearby_list.AFTER_MS = 1_000_000_000  # no picture shows who plays on this network
        self.app = application()
        self.files = load_pack(GAME)
        self.window = MainWindow([self.files], folder=folder)
        self.window.resize(*SIZE)
        self.window.show()
        QTest.qWaitForWindowExposed(self.window)

    @property
    def page(self) -> GamePage:
        """Return the page of the game."""
        assert self.window.game is not None, "the game has begun"
        return self.window.game

    def begin(self) -> None:
        """Begin the game with dice that are the same each time."""
        setting = pack.setting(rulesets.load(GAME), self.files, SCENARIO)
        keeper = new_server_match(setting, game="guide", seed=bytes(range(32)), clock=lambda: 0, links=saved.LINKS)
        first, second = setting.sides
        self.window.show_match(SavedMatch(keeper, self.files, {first: "steady", second: PERSON}, seed=bytes(range(32))))
        self.wait(lambda: self.page.match.may_act)

    def wait(self, until: Callable[[], bool]) -> None:
        """Let the window run until something is so."""
        for _ in range(WAIT_MS // 20):
            if until():
                return
            QTest.qWait(20)
        where = self.window.game.match.view.moment() if self.window.game is not None else "the start page"
        raise SystemExit(f"waited in vain at {where}")

    def take(self, name: str) -> None:
        """Take a picture; with few colours, so that it is small."""
        if self.window.game is not None:
            self.page.scene.settle()
        QTest.qWait(600)
        if self.window.game is not None:
            self.wait(lambda: not self.page.scene.idle.is_busy)  # nothing of the map is missing
        image = with_few_colours(self.window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32))
        image.save(str(self.album / f"{name}.png"), "PNG")  # type: ignore[call-overload]
        print(f"{name}.png")

    def click(self, label: str) -> None:
        """Click a hex."""
        here = self.page.match.setting.board.hex(label)
        self.page.map.show_hex(here)
        centre = self.page.scene.centre(here)
        where = self.page.map.mapFromScene(centre.x, centre.y)
        QTest.mouseMove(self.page.map.viewport(), where)
        QTest.mouseClick(self.page.map.viewport(), Qt.MouseButton.LeftButton, pos=where)

    def choose(self, option: str) -> None:
        """Take the choice of an order type."""
        self.page.choose(next(choice for choice in self.page.prompt.keyed if choice.pick == OptionPick(option)))


def with_few_colours(image: QImage) -> QImage:
    """Return a picture in its 256 most frequent colours, the others as the nearest of them; like ones count as their most frequent."""
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)[:, : image.width()]
    colours, counts = np.unique(pixels | np.uint32(0xFF000000), return_counts=True)
    likes, of = np.unique(colours & np.uint32(0xFFFCFCFC), return_inverse=True)
    rising, usual = np.argsort(counts), np.empty_like(likes)
    usual[of[rising]] = colours[rising]  # the last one stays
    table = [int(colour) for colour in usual[np.argsort(np.bincount(of, counts))[-256:]]]
    flat = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    return image.convertToFormat(QImage.Format.Format_Indexed8, table, flat)


def main() -> None:
    """Take them all."""
    if not os.environ.get("DISPLAY"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        # The settings of whoever runs this, and of what runs beside it, stay out of the pictures.
        QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, folder)
        hand = Photographer(Path(folder), album=Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
        hand.wait(lambda: not hand.window.start.scene.is_empty)
        hand.take("start")
        hand.begin()
        hand.take("first")
        _attack(hand)
        _move(hand)
        _look(hand)
        _lay_over(hand)
        _lay_panels(hand)
        _try_out(hand)
        _learn(hand)
        hand.window.close()


def _attack(hand: Photographer) -> None:
    hand.click("E4612")
    for label in ("E4512", "E4511"):
        hand.click(label)
    hand.take("attack")
    hand.page.give()
    hand.wait(lambda: hand.page.match.may_act)
    hand.take("prompt")
    _answer_all(hand)
    hand.page.dice.hide()  # as it does by itself, some seconds later


def _answer_all(hand: Photographer) -> None:
    """Answer every question that the battle left with its first choice, until the phase can end."""
    page = hand.page
    while page.match.may_act and "end_combat" not in _open(page) and "end_phase" not in _open(page):
        door = next(door for door in page.composer.offer().doors if door.is_open)
        page._after(page.composer.choose(door.pick), None)
        if page.composer.is_complete:
            page.give()
        hand.wait(lambda: page.match.may_act)


def _open(page: GamePage) -> list[str]:
    return [pick.option for door in page.composer.offer(()).doors if door.is_open and isinstance(pick := door.pick, OptionPick)]


def _move(hand: Photographer) -> None:
    page = hand.page
    hand.choose(next(option for option in _open(page) if option.startswith("end")))
    hand.take("undone")
    page.give()
    hand.wait(lambda: page.match.may_act)
    _answer_all(hand)
    hand.wait(lambda: OptionPick("move") in page.composer.able())
    stack = max(page.composer.able()[OptionPick("move")], key=_reach(page))
    page.map.centre_within_map(stack)
    hand.click(page.match.setting.board.label(stack))
    ways = page.composer.ways()
    page.map.hex_hovered.emit(max(ways, key=lambda here: ways[here].cost_quarters))
    hand.take("reach")
    page.map.hex_hovered.emit(None)
    page.step_back()
    for label in MOVED:
        hand.click(label)
    if page.composer.is_complete:
        page.give()
    hand.wait(lambda: page.match.may_act)


def _reach(page: GamePage) -> Callable[[Hex], int]:
    def reach(here: Hex) -> int:
        page.composer.reset()
        page.composer.click(here)
        return len(page.composer.ways())

    return reach


def _look(hand: Photographer) -> None:
    page = hand.page
    hand.click("E5405")
    page.toggle_answers()
    page.map.show_hex(page.match.setting.board.hex("E5401"))  # so that the cut is in sight, beside the panel
    hand.take("why")
    page.toggle_answers()
    page.show_rule("8.43")
    hand.take("rules")
    page.side.undock("log")  # many counters are in sight
    page.search_forces()
    hand.take("forces")
    page.side.dock("log")
    page.open_side("battle")
    page.time.step_to_change(-1, what="battle")
    hand.take("replay")


def _lay_panels(hand: Photographer) -> None:
    side = hand.page.side
    side.put("forces", "left")
    side.join("record", "forces")
    side.put("log", "bottom")
    side.hide()
    hand.take("panels")
    hand.page.reset_layout()
    side.hide()


def _lay_over(hand: Photographer) -> None:
    page = hand.page
    page.back_to_now()
    page.side.hide()
    page.toggle_overlay("control")
    page.toggle_overlay("supply_cuts")
    page.show_moves("turn")
    page.map.zoom_by(-2)
    page.map.centre_within_map(page.match.setting.board.hex("E4909"))
    hand.take("overlays")
    page.toggle_overlay("control")
    page.toggle_overlay("supply_cuts")
    page.show_moves("phase")
    page.map.zoom_by(2)
    page.open_side("record")
    hand.take("record")


def _try_out(hand: Photographer) -> None:
    page = hand.page
    page.time.step_to_change(-1, what="battle")
    page.write_note()
    assert page.notes.editor is not None, "a note is being written"
    page.notes.editor.setText("Here the Don front broke")
    page.notes.editor.returnPressed.emit()
    hand.take("notes")
    hand.window.errands.what_if()
    hand.wait(lambda: hand.window.errands.opening is None)
    hand.page.side.hide()
    hand.take("what_if")
    hand.window.errands.end_what_if()


def _learn(hand: Photographer) -> None:
    hand.window.errands.learn(hand.files, lessons.names(hand.files)[0])
    hand.wait(lambda: hand.window.errands.opening is None)
    guide = hand.window.errands.guide
    assert guide is not None, "the lesson has begun"
    hand.wait(lambda: hand.page.match.may_act)
    while guide.step.until.select == "":
        guide.go_on()
    hand.take("learn")


if __name__ == "__main__":
    main()

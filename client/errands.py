"""Errands of the window beside the game itself: lessons, what-if games, moving pictures, web pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import platformdirs
from PySide6.QtWidgets import QFileDialog

from client import helping
from client.learning import guide
from client.panels.branch import BranchBar
from client.panels.progress import Work
from client.qt import QObject
from client.session import saved
from client.session.match import LoggedMatch
from client.session.replay import FileMatch
from client.session.sandbox import SandboxMatch
from client.writing import write_whole
from core import lessons
from core.errors import BadInput, Refused
from core.pack import Pack

if TYPE_CHECKING:
    from client.game import GamePage
    from client.window import MainWindow


class Drawing(Protocol):
    """Something that is drawn piece by piece, then written."""

    def draw(self) -> Iterator[float]: ...
    def to_bytes(self) -> bytes: ...


class Errands(QObject):
    """Does what takes the window elsewhere for a while.

    Attributes:
        real: the page of the real game while a what-if game is shown, else None.
        guide: the guide of the lesson that is under way, else None.
        work: the drawing that is under way, else None.
        reading: the reading of a file that is under way, else None.
        keys: the list of keys, once it was asked for.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self.real: GamePage | None = None
        self.guide: guide.Guide | None = None
        self.work: Work | None = None
        self.reading: Work | None = None
        self.keys: helping.KeysWindow | None = None

    @property
    def holds_page(self) -> bool:
        """Say whether the shown page belongs to a lesson or a what-if game."""
        return self.real is not None or self.guide is not None

    # ---------------------------------------------------------------- help

    def show_keys(self) -> None:
        """List every key and what the mouse does, in a window beside the game."""
        if self.keys is None:
            self.keys = helping.KeysWindow(self.window)
        self.keys.show_keys(self.window.menuBar())

    def show_about(self) -> None:
        """Say what this program is."""
        self.window.notice.tell("Rasputitsa", helping.about())

    # ---------------------------------------------------------------- files

    def ask_where(self, caption: str, name: str, kinds: str) -> Path | None:
        """Ask where a file shall be written: where the last one was, at first among the documents; None if nowhere."""
        settings = self.window.settings
        kept = Path(str(settings.value("exports", "")))
        folder = kept if kept.is_absolute() and kept.is_dir() else platformdirs.user_documents_path()
        chosen, _ = QFileDialog.getSaveFileName(self.window, caption, str(folder / name), kinds)
        if not chosen:
            return None
        settings.setValue("exports", str(Path(chosen).parent))
        return Path(chosen)

    def read_on(self, match: FileMatch) -> None:
        """Read what is left of the file that is shown, while its first position can be looked at already."""
        self.reading = Work(
            self.window,
            self.tr("Reading {file}").format(file=match.file.name if match.file is not None else match.title),
            self._growing(match),
            done=self._read,
            failed=self._read_failed,
            stopped=self._reading_stopped,
        )

    def _growing(self, match: FileMatch) -> Iterator[float]:
        """Read on, and let the timeline grow with what was read."""
        known = len(match.moments())
        for share in match.go_on():
            if len(match.moments()) > known and self.window.game is not None:
                known = len(match.moments())
                self.window.game.follow()
            yield share

    def end_reading(self) -> None:
        """Read no more of a file whose page goes."""
        if self.reading is not None:
            reading, self.reading = self.reading, None
            reading.stop()

    def _read(self) -> None:
        page, self.reading = self.window.game, None
        if page is not None:
            page.follow()

    def _reading_stopped(self) -> None:
        if self.reading is not None:  # by the player, and not because the page goes
            self._read()
            self.window.notice.say(self.tr("Stopped: only the beginning of the game is there"))

    def _read_failed(self, error: Exception) -> None:
        self._read()
        if not isinstance(error, BadInput):
            raise error
        told = [str(fault) for fault in error.faults]
        self.window.notice.tell(self.tr("This file is faulty; what comes before the fault is shown"), told)

    # ---------------------------------------------------------------- lessons

    def learn(self, files: Pack, name: str) -> None:
        """Begin a lesson of a pack, or say in words what is wrong with it."""
        try:
            lesson = lessons.read(files, name)
            match = guide.begin(files, lesson)
            lessons.check(files, name, lesson, match.setting)
        except BadInput as error:
            self.window.notice.tell(self.tr("This lesson can't be begun"), [str(fault) for fault in error.faults])
            return
        page = self.window.new_page(match)
        self.window.replace_page(page)
        self.guide = guide.Guide(lesson, page)
        self.guide.left.connect(self._left)

    def _left(self) -> None:
        self.guide = None

    # ---------------------------------------------------------------- what if

    def what_if(self) -> None:
        """Branch a game off the shown moment, to be tried out here; the real one stays as it is."""
        page = self.window.game
        assert page is not None, "the action is enabled in a game only"
        if self.real is not None:
            self.window.notice.say(self.tr("This is a what-if game already: Shift+I goes back to the real one"))
            return
        if not isinstance(page.match, LoggedMatch):
            self.window.notice.say(self.tr("From this game nothing can be branched off"))
            return
        self._branch(page, SandboxMatch(page.match, page.match.cursor, clock=saved.clock))

    def _branch(self, page: GamePage, match: SandboxMatch) -> None:
        page.timeline.stop()
        branch = self.window.new_page(match)
        bar = BranchBar(branch, match)
        bar.back_wanted.connect(self.end_what_if)
        bar.seats_changed.connect(branch.refresh)
        branch.happened.connect(bar.restyle)
        self.real = page
        self.window.show_page(branch)
        branch.map.setTransform(page.map.transform())
        branch.map.centerOn(page.map.mapToScene(page.map.viewport().rect().center()))

    def end_what_if(self) -> None:
        """Drop the what-if game and show the real one again, where it was left."""
        if self.real is None:
            return
        real, branch, self.real = self.real, self.window.game, None
        assert branch is not None, "a what-if game has a page"
        branch.close_down()
        self.window.pages.removeWidget(branch)
        branch.deleteLater()
        self.window.show_page(real)
        real.refresh()

    # ---------------------------------------------------------------- pictures

    def save_turn(self) -> None:
        """Ask where the shown turn shall be written as an animated PNG, and draw it while the window goes on."""
        page = self.window.game
        assert page is not None, "the action is enabled in a game only"
        turn = page.match.view.position.turn
        caption, kinds = self.tr("Save turn {turn} as a moving picture").format(turn=turn), self.tr("Animated PNG (*.png)")
        path = self.ask_where(caption, f"turn-{turn}.png", kinds)
        if path is not None:
            self.draw_turn(path, turn)

    def draw_turn(self, path: Path, turn: int) -> None:
        """Draw a turn of the shown game as an animated PNG."""
        from client.film import Film  # loaded when it is needed: the first map shall not wait for it

        title = self.tr("Drawing turn {turn}").format(turn=turn)
        self._draw(path, title, lambda: Film(self._copy(path), turn, palette=self.window.palette_))

    def save_page(self) -> None:
        """Ask where the game shall be written as a web page, and draw it while the window goes on."""
        caption, kinds = self.tr("Save the game as a web page"), self.tr("Web pages (*.html)")
        path = self.ask_where(caption, "game.html", kinds)
        if path is not None:
            self.draw_page(path)

    def draw_page(self, path: Path) -> None:
        """Draw the shown game as a web page."""
        from client.webpage import WebPage

        self._draw(path, self.tr("Drawing the web page"), lambda: WebPage(self._copy(path), self.window.palette_))

    def _copy(self, path: Path) -> FileMatch:
        """Return the shown game as a match of its own, so that it can be played on while it is drawn."""
        assert self.window.game is not None, "there is a game to draw"
        return FileMatch(self.window.game.match.to_bytes(), name=path.name, clock=saved.clock)

    def _draw(self, path: Path, title: str, make: Callable[[], Drawing]) -> None:
        if self.work is not None:
            self.window.notice.say(self.tr("Another picture is being drawn: stop it, or wait for it"))
            return
        try:
            drawing = make()
        except BadInput as error:
            self._failed(error)
            return
        self.work = Work(
            self.window,
            title,
            drawing.draw(),
            done=lambda: self._drawn(path, drawing),
            failed=self._failed,
            stopped=self._stopped,
        )

    def _drawn(self, path: Path, drawing: Drawing) -> None:
        self.work = None
        self.window.write_file(path, lambda path: write_whole(path, drawing.to_bytes()))

    def _stopped(self) -> None:
        self.work = None
        self.window.notice.say(self.tr("Stopped; nothing was written"))

    def _failed(self, error: Exception) -> None:
        self.work = None
        if not isinstance(error, (BadInput, OSError, Refused)):
            raise error
        self.window.notice.tell(self.tr("This can't be drawn"), [str(error)])

"""Errands of the window beside the game itself: lessons, what-if games, moving pictures, web pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import platformdirs
from PySide6.QtWidgets import QFileDialog

from client import helping, reading
from client.learning import guide
from client.map.ground import ground_of
from client.map.lettering import names_of
from client.panels.branch import BranchBar
from client.panels.progress import SHORT_MS, Aside, Tell, Work, wait_for_all
from client.qt import QObject, QRectF, Qt, QTimer
from client.render import drawn_position, kind_of
from client.session import saved
from client.session.dragging import DragComposer
from client.session.match import LoggedMatch, Match
from client.session.remote import RemoteMatch
from client.session.replay import FileMatch
from client.session.sandbox import SandboxMatch
from client.session.saved import SavedMatch
from client.writing import write_whole
from core import lessons
from core.errors import BadInput, Refused
from core.pack import Pack
from core.views import View

if TYPE_CHECKING:
    from client.game import GamePage
    from client.window import MainWindow


M = TypeVar("M", bound=LoggedMatch)

BREATH_MS = 1  # between two stretches; what is to follow after 0 comes before what the player did meanwhile
GROWN = 0.05  # share of a file after which what was read meanwhile is shown
FIRST_SCALES = (1.0, 2**0.25, 2**0.5)  # where a map is looked at first, as wide as the window is: names are placed before it is seen


def file_name(match: Match, suffix: str) -> str:
    """Return what a file is called at first that a game is written into: its scenario and the shown turn."""
    words = f"{match.setting.scenario.title} turn {match.view.position.turn}"
    return "-".join(re.findall(r"\w+", words.lower())) + suffix


class Drawing(Protocol):
    """Something that is drawn piece by piece, then written."""

    def draw(self) -> Iterator[float]: ...
    def to_bytes(self) -> bytes: ...


D = TypeVar("D", bound=Drawing)


class Errands(QObject):
    """Does what takes the window elsewhere for a while.

    Attributes:
        real: the page of the real game while a what-if game is shown, else None.
        guide: the guide of the lesson that is under way, else None.
        opening: the match that is being made, else None.
        built: its page, until it is shown.
        work: the drawing or writing that is under way, else None.
        reading: the reading of a file that is under way, else None.
        keys: the list of keys, once it was asked for.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self.real: GamePage | None = None
        self.guide: guide.Guide | None = None
        self.opening: Aside | None = None
        self.built: GamePage | None = None
        self.work: Aside | None = None
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

    # ---------------------------------------------------------------- games

    def open_game(self, title: str, make: Callable[[], M], show: Callable[[GamePage, M], object], *, untold: str = "") -> None:
        """Let a match be made aside, with the ground of its map, and show its page then, or say in words why there is none.

        Args:
            title: what is being done.
            show: brings the page to the front; it is built before, in a stretch of its own, for that takes as long.
            untold: what is said over the faults of what can't be made.
        """

        def work(tell: Tell) -> M:
            tell(0.1)
            match = make()
            tell(0.4)
            _prepare(match, lambda share: tell(0.4 + share / 2))
            _look_first(match)
            return match

        self._open(title, work, show, untold)

    def _bring(self, match: LoggedMatch, show: Callable[[GamePage], object]) -> Iterator[None]:
        """Build the page of a match, write what it shows, and bring it to the front: each takes a frame's time and more."""
        page = self.built = self.window.new_page(match, at_once=False)
        yield
        if self.built is not page:  # something else was wanted meanwhile
            return
        page.refresh()
        yield
        if self.built is page:
            self._opened()
            show(page)

    def _in_stretches(self, steps: Iterator[None]) -> None:
        """Go on with what is being opened; the window breathes between two steps."""
        try:
            goes_on = next(steps, self) is None
        except Exception:
            self._opened()
            raise
        if goes_on:
            QTimer.singleShot(BREATH_MS, self, lambda: self._in_stretches(steps))

    def open_remote(self, match: RemoteMatch) -> None:
        """Let the ground of a server's game be made aside, and show the game then, as it has become meanwhile."""

        def work(tell: Tell) -> RemoteMatch:
            tell(0.1)
            # Nothing that looks at the position: the server's news change it meanwhile.
            _prepare(match, lambda share: tell(0.1 + 0.9 * share))
            return match

        self._open(self.tr("Opening the game"), work, lambda page, _: self.window.replace_page(page), "")

    def _open(self, title: str, work: Callable[[Tell], M], show: Callable[[GamePage, M], object], untold: str) -> None:
        self.end_opening()

        def done(match: object) -> None:
            self._in_stretches(self._bring(match, lambda page: show(page, match)))  # type: ignore[arg-type]

        def failed(error: Exception) -> None:
            self._opened()
            self._say_why_not(error, untold)

        self.window.setCursor(Qt.CursorShape.BusyCursor)
        self.opening = Aside(self.window, title, work, done=done, failed=failed, stopped=self._opened, after_ms=SHORT_MS)

    def _opened(self) -> None:
        self.opening = self.built = None
        self.window.unsetCursor()

    def end_opening(self) -> None:
        """Open nothing: another page is wanted."""
        if self.built is not None:
            page = self.built
            self._opened()
            page.close_down()
            page.deleteLater()
        elif self.opening is not None:
            self.opening.stop()

    def end_all(self) -> None:
        """End whatever works aside, before the window goes."""
        self.end_opening()
        if self.work is not None:
            self.work.stop()
        wait_for_all(self.window)

    def _say_why_not(self, error: Exception, untold: str) -> None:
        tell = self.window.notice.tell
        match error:
            case BadInput() if untold:
                tell(untold, [str(fault) for fault in error.faults])
            case BadInput():
                found = self.tr("It is damaged, or no game of Rasputitsa. What was found:")
                tell(self.tr("This game can't be opened"), [found, *(str(fault) for fault in error.faults)])
            case Refused():
                tell(self.tr("This game can't be begun"), [str(error)])
            case OSError():
                tell(self.tr("This file can't be read"), [f"{error.filename}: {error.strerror}"])
            case _:
                raise error

    # ---------------------------------------------------------------- files

    def ask_where(self, caption: str, name: str, kinds: str) -> Path | None:
        """Ask where a file shall be written: where the last one was, at first among the documents; None if nowhere."""
        settings = self.window.settings
        kept = Path(str(settings.value("exports", "")))
        places = (kept, platformdirs.user_documents_path(), Path.home())  # there may be no folder for documents
        folder = next((place for place in places if place.is_absolute() and place.is_dir()), Path.home())
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
        known, shown = len(match.moments()), 0.0
        for share in match.go_on():
            if share - shown >= GROWN and len(match.moments()) > known and self.window.game is not None:
                known, shown = len(match.moments()), share
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

        def make() -> SavedMatch:
            lesson = lessons.read(files, name)
            self.window.saver.wait()  # the one before may be written only now, and keeps its name
            match = guide.begin(files, lesson, self.window.folder)
            lessons.check(files, name, lesson, match.setting)
            return match

        def show(page: GamePage, _: SavedMatch) -> None:
            self.window.replace_page(page)
            self.guide = guide.Guide(lessons.read(files, name), page)
            self.guide.left.connect(self._left)

        self.open_game(self.tr("Setting up the lesson"), make, show, untold=self.tr("This lesson can't be begun"))

    def _left(self) -> None:
        self.guide = None

    def forget_lesson(self) -> None:
        """Teach no more: the page of the lesson goes, and its guide with it."""
        self.guide = None

    # ---------------------------------------------------------------- what if

    def what_if(self) -> None:
        """Branch a game off the shown moment, to be tried out here; the real one stays as it is."""
        page = self.window.page()
        if self.real is not None:
            self.window.notice.say(self.tr("This is a what-if game already: Shift+I goes back to the real one"))
            return
        if not isinstance(page.match, LoggedMatch):
            self.window.notice.say(self.tr("From this game nothing can be branched off"))
            return
        if page.match.view.viewer:
            self.window.notice.say(self.tr("While this game keeps secrets nothing can be branched off"))
            return
        match, index = page.match, page.match.cursor
        self.open_game(
            self.tr("Branching off"), lambda: SandboxMatch(match, index, clock=saved.clock), self._branch
        )

    def _branch(self, branch: GamePage, match: SandboxMatch) -> None:
        page = self.window.page()
        page.timeline.stop()
        branch.take_over(page)
        bar = BranchBar(branch, match)
        bar.back_wanted.connect(self.end_what_if)
        bar.seats_changed.connect(branch.refresh)
        branch.happened.connect(bar.restyle)
        self.real = page
        self.window.show_page(branch)
        branch.map.setTransform(page.map.transform())
        branch.map.centerOn(page.map.mapToScene(page.map.viewport().rect().center()))
        branch.look_at_decision()

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

    def save_turn(self, *, in_sight: bool = False) -> None:
        """Ask where the shown turn shall be written as an animated PNG, of the whole map or of the part that is *in_sight*, and draw it
        while the window goes on."""
        page = self.window.page()
        turn = page.match.view.position.turn
        caption, kinds = self.tr("Save turn {turn} as a moving picture").format(turn=turn), self.tr("Animated PNG (*.png)")
        path = self.ask_where(caption, file_name(page.match, "-moving.png"), kinds)
        if path is not None:
            self.draw_turn(path, turn, area=page.map.part_in_sight() if in_sight else None)

    def draw_turn(self, path: Path, turn: int, *, area: QRectF | None = None) -> None:
        """Draw a turn of the shown game as an animated PNG: a part of the map in scene units, or all of it."""
        from client.film import DRAWN, Film  # loaded when it is needed: the first map shall not wait for it

        title = self.tr("Drawing turn {turn}").format(turn=turn)
        words = self.tr("{moments} moments in {frames} frames, to spare memory")
        copied, palette = self._copy(path), self.window.palette_

        def told(film: Film) -> str:
            return words.format(moments=len(film.shown), frames=len(film.frames)) if film.is_joined else ""

        self._draw(path, title, lambda tell: Film(copied(), turn, area=area, palette=palette, going=lambda: tell(DRAWN)), told)

    def save_page(self, *, turn: bool = False) -> None:
        """Ask where the game, or only the shown *turn*, shall be written as a web page, and draw it while the window goes on."""
        match, kinds = self.window.page().match, self.tr("Web pages (*.html)")
        shown = match.view.position.turn
        caption = self.tr("Save turn {turn} as a web page").format(turn=shown) if turn else self.tr("Save the game as a web page")
        path = self.ask_where(caption, file_name(match, ".html"), kinds)
        if path is not None:
            self.draw_page(path, turns=(shown, shown) if turn else None)

    def draw_page(self, path: Path, *, turns: tuple[int, int] | None = None) -> None:
        """Draw the shown game, or its *turns* from the first to the last, as a web page."""
        from client.webpage import WebPage

        copied, palette = self._copy(path), self.window.palette_
        self._draw(path, self.tr("Drawing the web page"), lambda _: WebPage(copied(), palette, turns=turns))

    def draw_map(self, path: Path) -> None:
        """Draw the shown position as a PNG or SVG."""
        match, palette = self.window.page().match, self.window.palette_
        view = View(match.setting, match.view.position.copy(), viewer=match.view.viewer)
        kind = kind_of(path)
        self.write(
            path, self.tr("Drawing the map"), lambda: drawn_position(view, match.lettering, kind, manifest=match.manifest, palette=palette)
        )

    def _copy(self, path: Path) -> Callable[[], FileMatch]:
        """Return what copies the shown game of now, in any thread, so that it can be played on while it is drawn."""
        content = self.window.page().match.writer()
        return lambda: FileMatch(content(), name=path.name, clock=saved.clock)

    def _draw(self, path: Path, title: str, make: Callable[[Tell], D], told: Callable[[D], str] = lambda _: "") -> None:
        """Draw piece by piece aside, then write it; *told* returns what is said of it afterwards, beside that it is written."""

        def work(tell: Tell) -> str:
            drawing = make(tell)
            for share in drawing.draw():
                tell(share)
            content = drawing.to_bytes()
            tell(1.0)
            write_whole(path, content)
            return told(drawing)

        self._write(path, title, work)

    def write(self, path: Path, title: str, make: Callable[[], bytes]) -> None:
        """Make what a file shall hold aside, write it, and say so."""

        def work(tell: Tell) -> str:
            tell(0.1)
            content = make()
            tell(0.9)
            write_whole(path, content)
            return ""

        self._write(path, title, work)

    def _write(self, path: Path, title: str, work: Callable[[Tell], str]) -> None:
        if self.work is not None:
            self.window.notice.say(self.tr("Another file is being written: stop it, or wait for it"))
            return

        def done(told: object) -> None:
            self.work = None
            words = self.tr("Written: {file}").format(file=path.name)
            self.window.notice.say(f"{words}; {told}" if told else words)

        self.work = Aside(self.window, title, work, done=done, failed=self._failed, stopped=self._stopped)

    def _stopped(self) -> None:
        self.work = None
        self.window.notice.say(self.tr("Stopped; nothing was written"))

    def _failed(self, error: Exception) -> None:
        self.work = None
        if not isinstance(error, (BadInput, OSError, Refused)):
            raise error
        self.window.notice.tell(self.tr("This file can't be written"), [str(error)])


def _look_first(match: Match) -> None:
    """Ask of the position what the first sight asks, in a thread that has time: what is found is kept."""
    reading.score_line(match)
    if match.may_act:
        DragComposer(match).able()
        match.view.ruleset.duties(match.view)


def _prepare(match: Match, tell: Tell) -> None:
    """Make what the map of a match is painted from, in a thread that has time: for the largest it takes most of a second."""
    ground_of(match.setting.board)
    tell(0.5)
    names = names_of(match.setting.board, match.lettering)
    for done, scale in enumerate(FIRST_SCALES, 1):
        names.prepare((scale,))
        tell(0.5 + done / (2 * len(FIRST_SCALES)))

"""The main window: the start page, the lobby, and the page of the game; what they ask of files and of one another."""

from __future__ import annotations

import gc
import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

import platformdirs
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow, QStackedWidget, QWidget

from client import fonts
from client.errands import BREATH_MS, Errands, file_name
from client.game import GamePage
from client.lobby import Lobby
from client.looks import Looks
from client.map.palette import LIGHT, PALETTES
from client.map.view import Sight
from client.meeting.lastgame import LastGame, last_game
from client.menus import Menus
from client.panels.notice import Notice
from client.qt import QByteArray, QCoreApplication, QEvent, QSettings, QSize, QSizeF, Qt, QTimer, Signal
from client.remote import RemotePage
from client.render import render_position
from client.saving import Saver
from client.session import bookmarks, saved
from client.session.bookmarks import Bookmarks
from client.session.local import LocalMatch
from client.session.match import Match
from client.session.remote import RemoteMatch
from client.session.replay import FileMatch
from client.session.saved import SavedMatch
from client.signals import Signals
from client.start import NewGame, StartPage
from client.style import sheet
from client.words import name_among, word
from core.pack import Pack
from core.views import View

PICTURE_WIDTH = 460
PICTURE_OF = QSizeF(640, 362)  # units of the map: ten hexes and six rows, where most counters lie
SAVE_AFTER_MS = 1500


def games_folder() -> Path:
    """Return where games begun here are kept."""
    return platformdirs.user_data_path("rasputitsa", appauthor=False) / "games"


class MainWindow(QMainWindow):
    """The whole client.

    Args:
        packs: the games that can be begun.
        folder: where games are kept.

    Signals:
        erred(list): an error that nobody foresaw, in lines; emitted on any thread.
    """

    erred = Signal(list)

    def __init__(self, packs: Sequence[Pack], *, folder: Path | None = None) -> None:
        super().__init__()
        self.folder = folder if folder is not None else games_folder()
        self.settings = QSettings("rasputitsa", "rasputitsa")
        self.palette_ = PALETTES.get(str(self.settings.value("theme", LIGHT.name)), LIGHT)
        self.setWindowTitle("Rasputitsa")
        self.setMinimumSize(QSize(960, 640))
        self.pages = QStackedWidget()
        self.setCentralWidget(self.pages)
        self.is_ended: Callable[[], bool] = lambda: False  # whether the system wants the program to end
        self._goes = False  # whether the window shall close though a clock runs here
        self.fault = ""  # what was wrong with the settings, told when the window is there
        self.looks = Looks(self)
        self._packs, self._keys = packs, folder
        self.game: GamePage | None = None
        self._building: Iterator[None] | None = None  # of the page of the game
        self._blank: QWidget | None = None  # is in front while there is none
        self._sought: Sight | None = None  # where a page that was just built shall look as soon as it is laid out
        self.notice = Notice(self, self.palette_)
        self.pages.currentChanged.connect(lambda: self.notice.look_anew())
        self.erred.connect(self._tell_error)
        self._save_timer = QTimer(self)
        self._save_timer.setSingleShot(True)
        self._save_timer.timeout.connect(self.save)
        self.saver = Saver(self)
        self.saver.failed.connect(lambda why: self.notice.say(self.tr("The game could not be saved: {why}").format(why=why)))
        self.saver.written.connect(self._show_saved)
        self.errands = Errands(self)
        self.menus = Menus(self)
        self.menus.build()
        self._start: StartPage | None = None
        self._lobby: Lobby | None = None
        self.setStyleSheet(sheet(self.palette_))
        self._apply_palette()
        self.pages.setCurrentWidget(self.start)
        if self.fault:
            self.notice.tell(self.tr("This language can't be spoken"), [self.fault])

    @property
    def start(self) -> StartPage:
        """Return the start page; it is built when it is needed, and anew after the look of texts has changed."""
        if self._start is None:
            self._start = self._new_start()
        return self._start

    @property
    def lobby(self) -> Lobby:
        """Return the lobby; it is built when it is needed, and anew after the look of texts has changed."""
        if self._lobby is None:
            self._lobby = self._new_lobby()
        return self._lobby

    def _new_start(self) -> StartPage:
        start = StartPage(
            self._packs, lambda after: saved.recent(self.folder, after=after), self.palette_,
            keys=self._keys, there=lambda: last_game(self.settings),
        )
        self.pages.insertWidget(0, start)
        start.game_wanted.connect(self.begin)
        start.resume_wanted.connect(self.resume)
        start.file_wanted.connect(self.choose_file)
        start.join_wanted.connect(self.join)
        start.host_wanted.connect(self.host)
        start.server_wanted.connect(self.join_server)
        start.there_wanted.connect(self.go_on_there)
        start.lesson_wanted.connect(self.errands.learn)
        return start

    def _new_lobby(self) -> Lobby:
        lobby = Lobby(self._packs, self.settings, keys=self._keys, palette=self.palette_)
        self.pages.addWidget(lobby)
        lobby.match_opened.connect(self.errands.open_remote)
        for told, act in (
            (lobby.match_grown, RemotePage.follow), (lobby.match_anew, RemotePage.begin_anew), (lobby.match_told, RemotePage.show_table),
            (lobby.match_caught_up, RemotePage.caught_up), (lobby.line_changed, RemotePage.line_changed),
            (lobby.answered, RemotePage.answered), (lobby.turned_out, RemotePage.turned_out),
        ):
            told.connect(lambda *args, act=act: self._tell_remote(act, *args))
        lobby.said.connect(self.notice.say)
        lobby.said_enough.connect(self.notice.unsay)
        lobby.troubled.connect(lambda words: self.notice.warn(self.tr("Something is wrong with a game"), words))
        lobby.fouled.connect(lambda words: self.notice.warn(self.tr("The server does what no honest one does"), words))
        lobby.left_out.connect(lambda words, kind: self.notice.warn(self.tr("Decided without you"), words, kind=kind))
        lobby.left.connect(self.show_start)
        lobby.server_ended.connect(self._tell_server_ended)
        lobby.others_known.connect(self._tell_who_is_here)
        return lobby

    def build_anew(self) -> None:
        """Build everything that holds words again, as their size or language has changed.

        A lobby that is connected, a lesson and a what-if game stay as they are until they are left.
        """
        self.finish_building()
        shown, is_start = self.pages.currentWidget(), self.pages.currentWidget() is self._start
        self.errands.end_opening()
        self._drop_hidden_words()
        if self.game is not None and shown is self.game and not self.errands.holds_page:
            self._building = self._build_page_anew(self.game)
            self._go_on_building()
            return
        self._restyle()
        if shown is not self.game:
            self.pages.setCurrentWidget(self.start if is_start else self.lobby)

    def _build_page_anew(self, page: GamePage) -> Iterator[None]:
        """Put a page of the same game in the place of one, in three stretches; between them clicks find the old one, or nothing."""
        new = self.new_page(page.match, at_once=False)
        yield
        self.setUpdatesEnabled(False)  # until it is there
        self._keep_layout()
        kept = page.kept()
        self._sought = self._sought or page.map.sight()  # of two sizes in a row, the page between them was never laid out
        self.game, self._blank = new, QWidget()
        self.pages.setCurrentIndex(self.pages.addWidget(self._blank))
        page.close_down()
        self._remove(page)
        QCoreApplication.sendPostedEvents(page, QEvent.Type.DeferredDelete)  # what goes need not be styled anew before: half the time
        self._restyle()
        yield
        new.take_over(page)
        self.show_page(new)
        self._remove(self._blank)
        self._blank = None
        new.go_on_with(kept)
        self.setUpdatesEnabled(True)
        QTimer.singleShot(0, self, self._look_where)  # once it is laid out

    def _go_on_building(self) -> None:
        building, self._building = self._building, None  # nobody who asks for the page meanwhile can go on with it
        if building is not None and next(building, self) is None:
            self._building = building
            QTimer.singleShot(BREATH_MS, self, self._go_on_building)

    def finish_building(self) -> None:
        """Finish at once what is being built anew: somebody needs the page."""
        while self._building is not None:
            self._go_on_building()

    def _restyle(self) -> None:
        """Write the menus anew, and style what there is, before anything new is styled by the old sheet."""
        self.menus.build()
        self.setStyleSheet(sheet(self.palette_))
        if self.game is not None:
            self.menus.list_overlays()

    def _drop_hidden_words(self) -> None:
        """Drop the start page and a lobby that neither hosts nor has a line: each is built again when it is needed."""
        start, self._start = self._start, None
        if start is not None:
            start.close_down()
            self._remove(start)
        if self._lobby is not None and self._lobby.link is None and not self._lobby.hosting.runs:
            lobby, self._lobby = self._lobby, None
            lobby.close_down()
            self._remove(lobby)

    def shows_game(self) -> bool:
        """Say whether the page of a game is in front, or will be as soon as it is built anew."""
        return self.pages.currentWidget() in (self.game, self._blank)

    def _tell_error(self, lines: list[str]) -> None:
        self.notice.tell(self.tr("An error that nobody foresaw"), lines)

    def _look_where(self) -> None:
        sought, self._sought = self._sought, None
        if self.game is not None and sought is not None:
            self.game.map.look_at(sought)

    def _remove(self, page: QWidget) -> None:
        self.pages.removeWidget(page)
        page.deleteLater()

    def page(self) -> GamePage:
        """Return the page of the game; there is one while its actions can be used."""
        self.finish_building()
        assert self.game is not None, "an action of the game is enabled without one"
        return self.game

    # ---------------------------------------------------------------- games

    def begin(self, wanted: NewGame) -> None:
        """Begin a local game."""
        title = self.tr("Setting up {scenario}").format(scenario=word(wanted.pack.scenarios[wanted.scenario].title))

        def begun() -> SavedMatch:
            return saved.begin(wanted.pack, wanted.scenario, wanted.seats, options=wanted.options)

        self.errands.open_game(title, begun, self._show_opened)

    def resume(self, file: Path) -> None:
        """Go on with a saved game."""

        def take_up() -> SavedMatch:
            self.saver.wait()  # it may be this very game that is being written
            return saved.resume(file)

        self.errands.open_game(self.tr("Opening the game"), take_up, self._show_opened)

    def watch(self, file: Path) -> None:
        """Open a game file to look at."""

        def show(page: GamePage, match: FileMatch) -> None:
            self.replace_page(page)
            self.errands.read_on(match)

        self.errands.open_game(
            self.tr("Opening {file}").format(file=file.name),
            lambda: FileMatch(file.read_bytes(), name=file.name, clock=saved.clock, file=file, whole=False),
            show,
        )

    def _show_opened(self, page: GamePage, _: Match) -> None:
        self.replace_page(page)

    def show_match(self, match: Match) -> None:
        """Show a match on a page of its own, instead of the one before."""
        self.replace_page(self.new_page(match))

    def replace_page(self, page: GamePage) -> None:
        """Show a page instead of the one before, which is saved."""
        if self.game is not None:
            page.scene.take_over(self.game.scene)
        self._drop_page()
        self.show_page(page)

    def new_page(self, match: Match, *, at_once: bool = True) -> GamePage:
        """Return a page for a match; it is not in front yet, and shows nothing yet unless *at_once*."""
        file = self._notes_file(match)
        kept = Bookmarks(file, match.screen.readers) if isinstance(match, LocalMatch) else Bookmarks(file)
        page = (
            RemotePage(match, self.palette_, kept, at_once=at_once) if isinstance(match, RemoteMatch)
            else GamePage(match, self.palette_, kept, at_once=at_once)
        )
        page.animates = self.menus.animate.isChecked()
        page.warns = self.menus.warn.isChecked()
        page.said.connect(lambda words: self.notice.say(words))
        page.copy_wanted.connect(self.save_copy)
        page.start_wanted.connect(lambda: QTimer.singleShot(0, self, self.show_start))  # not amidst the click on a button that goes
        if isinstance(page, RemotePage):
            page.news.connect(lambda words: self.notice.say_in_turn(words))
            page.again_wanted.connect(lambda swapped: self.lobby.play_again(swapped=swapped))
            page.sit_wanted.connect(self.lobby.go_over)
            page.lobby_wanted.connect(lambda: QTimer.singleShot(0, self, self.join))  # not amidst a signal of what goes
        page.changed.connect(lambda: self._save_timer.start(SAVE_AFTER_MS))
        return page

    def show_page(self, page: GamePage) -> None:
        """Bring a page of a game to the front."""
        self.game = page
        self.pages.addWidget(page)
        kept = {name: self.settings.value(f"layout/{name}") for name in page.layout_state()}
        page.restore_layout({name: str(value) for name, value in kept.items() if value is not None})
        self.pages.setCurrentWidget(page)
        self.menus.list_overlays()
        self.menus.enable()
        match, called = page.match, word(page.match.title)
        if isinstance(match, RemoteMatch):
            called = f"{called} · {name_among(match.game, match.setting.scenario.id)}"
        self.setWindowTitle(f"{called} – Rasputitsa")
        page.map.setFocus(Qt.FocusReason.OtherFocusReason)
        gc.freeze()  # the collector looks no more through what stays while the game is shown: that took two frames' time

    def _notes_file(self, match: Match) -> Path | None:
        """Return where the bookmarks of a match are kept, None where it has no file."""
        if isinstance(match, SavedMatch):
            return bookmarks.beside(self.folder / f"{match.name}{saved.SUFFIX}")
        if isinstance(match, RemoteMatch):  # a server names its games as it likes: no such name becomes a path
            return bookmarks.beside(self.folder / f"{hashlib.sha256(match.game.encode()).hexdigest()[:24]}{saved.SUFFIX}")
        return bookmarks.beside(match.file) if isinstance(match, FileMatch) and match.file is not None else None

    def _drop_page(self) -> None:
        self.finish_building()
        self.errands.end_opening()
        self.errands.end_what_if()
        self.errands.end_reading()
        self.errands.forget_lesson()
        if self.game is None:
            return
        self.save()
        self._keep_layout()
        self.game.close_down()
        self._remove(self.game)
        self.game = None
        gc.unfreeze()

    def _keep_layout(self) -> None:
        assert self.game is not None, "a game has a layout"
        for name, value in self.game.layout_state().items():
            self.settings.setValue(f"layout/{name}", value)

    def show_start(self) -> None:
        """Go back to the start page; the game is saved."""
        self._drop_page()
        if self._lobby is not None:
            self._lobby.close_line()
        self.start.refresh()
        self.pages.setCurrentWidget(self.start)
        self.menus.overlays.clear()
        self.menus.enable()
        self.setWindowTitle("Rasputitsa")

    def choose_file(self) -> None:
        """Ask for a game file and watch it."""
        folder = self.folder if self.folder.is_dir() else Path.home()  # of what is not there the dialog makes a file's name
        name, _ = QFileDialog.getOpenFileName(self, self.tr("Open a game file"), str(folder), self._file_kinds())
        if name:
            self.watch(Path(name))

    def _file_kinds(self) -> str:
        return self.tr("Games of Rasputitsa ({pattern});;All files (*)").format(pattern=f"*{saved.SUFFIX}")

    # ---------------------------------------------------------------- the network

    def join(self) -> None:
        """Show the lobby: the hall of the server that was joined, or the door to all of them."""
        self._drop_page()
        self.lobby.come_back()
        self.pages.setCurrentWidget(self.lobby)
        self.menus.enable()
        self.setWindowTitle("Rasputitsa")
        self.lobby.take_focus()

    def join_server(self, link: str) -> None:
        """Join a server that was found; what it lacks (a name, trust in its key) is asked in the lobby."""
        self.join()
        self.lobby.join(link)

    def go_on_there(self, last: LastGame) -> None:
        """Go on with the server's game that was played last."""
        self.join()
        self.lobby.go_on(last)

    def host(self) -> None:
        """Start a server here and show its lobby."""
        self.join()
        self.lobby.host()

    def _tell_remote(self, act: Callable[..., None], *args: object) -> None:
        """Let the page of a server's game take in what came, be it shown, behind a what-if game, or not shown yet."""
        self.finish_building()
        for page in (self.errands.built, self.errands.real, self.game):
            if isinstance(page, RemotePage):
                act(page, *args)

    def open_table(self, name: str) -> None:
        """Open ``players`` or ``chat``, where there is a table with others."""
        page = self.page()
        if not isinstance(page, RemotePage):
            self.notice.say(self.tr("Nobody else sits at this table: players and chat are for games of a server"))
        elif name == "chat":
            page.write()
        else:
            page.open_side(name)

    # ---------------------------------------------------------------- saving

    def save(self) -> None:
        """Save a game that was begun here; others are files already."""
        self._save_timer.stop()
        page = self.errands.real or self.game
        if page is None or not isinstance(page.match, SavedMatch):
            return
        match, palette = page.match, self.palette_

        def draw(view: View, path: Path) -> None:
            render_position(view, match.lettering, path, PICTURE_WIDTH, manifest=match.manifest, palette=palette, region=PICTURE_OF)

        self.saver.save(match.saver(self.folder, draw=draw))

    def _show_saved(self) -> None:
        """List a game that was written, where the list is seen."""
        if self._start is not None and self.pages.currentWidget() is self._start:
            self._start.refresh()

    def save_copy(self) -> None:
        """Ask where the game shall be written, and write it."""
        path = self.errands.ask_where(self.tr("Save a copy"), file_name(self.page().match, saved.SUFFIX), self._file_kinds())
        if path is not None:
            self.errands.write(path, self.tr("Writing {file}").format(file=path.name), self.page().match.writer())

    def save_picture(self) -> None:
        """Ask where the map shall be drawn, and draw it."""
        kinds = self.tr("Pictures (*.png *.svg)")
        chosen = self.errands.ask_where(self.tr("Save the map as a picture"), file_name(self.page().match, ".png"), kinds)
        if chosen is not None:
            self.errands.draw_map(chosen)

    # ---------------------------------------------------------------- look

    def set_theme(self, name: str) -> None:
        """Change all colours."""
        self.finish_building()
        self.palette_ = PALETTES[name]
        self.settings.setValue("theme", name)
        if self._start is not None and self.pages.currentWidget() is not self._start:
            self._drop_hidden_words()  # which would be styled with what is seen, and cost as much
        self.setUpdatesEnabled(False)  # until all of the window has changed
        self._apply_palette()
        QTimer.singleShot(0, self, self._style_widgets)

    def _style_widgets(self) -> None:
        """Style the widgets in the colours of now: a stretch of its own, as long as that of the map and the words."""
        self.setStyleSheet(sheet(self.palette_))
        self.setUpdatesEnabled(True)

    def _apply_palette(self) -> None:
        """Give pages and cards their colours, which is all but the style sheet."""
        self.notice.palette_ = self.palette_
        for page in (self._start, self._lobby):
            if page is not None:
                page.set_palette(self.palette_)
        if self.game is not None:
            self.game.set_palette(self.palette_)

    def _ask_to_close(self) -> None:
        """Ask what shall become of the server that was started here, for whoever is there, and then close."""
        self._choose_how_to_close()
        self.lobby.ask_who_is_here()

    def _tell_who_is_here(self) -> None:
        """Tell anew who would lose the server, where the window asks what shall become of it."""
        notice = self.notice
        if notice.isVisible() and notice.title.text() == self._closing_title() and notice.lines.text() != "\n".join(self._closing_lines()):
            self._choose_how_to_close()

    def _closing_title(self) -> str:
        return self.tr("This window hosts a server")

    def _closing_lines(self) -> tuple[str, str]:
        others = self.lobby.others_here()
        here = self.tr("Nobody else is connected.")
        if others is None:
            here = self.tr("Others may be connected to it; this window has left it, and does not know.")
        elif others:
            here = self.tr("Connected now: {names}.").format(names=", ".join(others))
        return here, self.tr("All games are kept on this disk, and go on when you host again; nothing is lost either way.")

    def _choose_how_to_close(self) -> None:
        def close(act: Callable[[], object]) -> None:
            self._goes = True
            act()
            QTimer.singleShot(0, self, self.close)  # not amidst the click on a button of this window

        self.notice.choose(self._closing_title(), self._closing_lines(), (
            (self.tr("Keep serving until the last player leaves"), lambda: close(self.lobby.hosting.leave_alone)),
            (self.tr("End the server and close"), lambda: close(self.lobby.hosting.stop)),
            (self.tr("Stay here"), lambda: None),
        ))

    def _clock_runs_here(self) -> bool:
        """Say whether a clock of ours runs in a server's game that is shown."""
        match = self.game.match if self.game is not None else None
        if not isinstance(match, RemoteMatch) or match.match.outcome is not None:
            return False
        clocks = match.match.table.clocks
        return clocks.are_kept and clocks.runs and match.match.table.on_clock() in match.my_sides()

    def _ask_to_go(self) -> None:
        def go() -> None:
            self._goes = True
            QTimer.singleShot(0, self, self.close)  # not amidst the click on a button of this window

        words = self.tr("It is your turn, and your clock runs on while this window is closed. The game is kept by its server.")
        self.notice.choose(self.tr("Your clock runs"), [words], (
            (self.tr("Close all the same"), go), (self.tr("Stay here"), lambda: None),
        ))

    def _tell_server_ended(self, why: str) -> None:
        """Say that the server that was started here has ended while its game is shown, and offer to start it again."""
        words = self.tr("All games are kept on this disk. Once it is started again, this game goes on by itself.")
        self.notice.choose(self.tr("The server of this computer has ended"), [line for line in (why, words) if line], (
            (self.tr("Start it again"), self.lobby.start_again), (self.tr("Not now"), lambda: None),
        ))

    def closeEvent(self, event: QCloseEvent) -> None:
        hosting = self._lobby.hosting if self._lobby is not None else None
        if hosting is not None and hosting.runs and self.is_ended():
            hosting.leave_alone()  # a signal of the system asks nobody
        if hosting is not None and hosting.runs:
            event.ignore()
            self._ask_to_close()
            return
        if self._clock_runs_here() and not self._goes and not self.is_ended():
            event.ignore()
            self._ask_to_go()
            return
        self._drop_page()
        self.errands.end_all()
        self.saver.wait()
        for page in (self._lobby, self._start):
            if page is not None:
                page.close_down()
        self.looks.hush()
        self.settings.setValue("window", self.saveGeometry())
        super().closeEvent(event)


def first_size(room: QSize) -> QSize:
    """Return how large the window opens where no size was kept; it leaves the screen's edge and the window's frame their room."""
    return QSize(1600, 960).boundedTo(room - QSize(40, 60))


def application() -> QApplication:
    """Return the running application, or make it, with the client's fonts."""
    running = QApplication.instance()
    app = running if isinstance(running, QApplication) else QApplication(["rasputitsa"])
    app.setApplicationName("rasputitsa")
    app.setStyle("Fusion")  # the same widgets under the style sheet on every system
    fonts.load()
    app.setFont(fonts.interface(13))
    return app


def teller_of_errors(
    window: MainWindow, report: Callable[[BaseException], Path] | None
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """Return what tells of an error that nobody foresaw; it may be called on any thread, and the window tells on its own."""

    def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        del kind
        lines = [f"{type(error).__name__}: {error}"]
        if report is not None:
            lines.append(window.tr("The report is in {file}").format(file=report(error.with_traceback(trace))))
        window.erred.emit(lines)

    return tell


def run(
    packs: Sequence[Pack], *, file: Path | None = None, chosen: tuple[str, str] | None = None,
    report: Callable[[BaseException], Path] | None = None,
) -> int:
    """Show the window until it is closed; return its exit code.

    Args:
        packs: the games that can be begun.
        file: a game file to be watched at once.
        chosen: game and scenario that the start page begins with, instead of the shortest.
        report: writes a crash report for an error that nobody foresaw, and returns where.
    """
    app = application()
    window = MainWindow(packs)
    window.resize(first_size(window.screen().availableSize()))
    kept = window.settings.value("window")
    if isinstance(kept, QByteArray):
        window.restoreGeometry(kept)
    window.show()

    sys.excepthook = teller_of_errors(window, report)
    if chosen is not None:
        window.start.choose(*chosen)
    if file is not None:
        window.watch(file)
    signals = Signals(app)
    window.is_ended = lambda: signals.code != 0
    try:
        return app.exec() or signals.code
    finally:
        signals.close()

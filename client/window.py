"""The main window: menus with every action and its key, the start page, and the page of the game."""

from __future__ import annotations

import gc
import hashlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

import platformdirs
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QLineEdit, QMainWindow, QMenu, QStackedWidget, QWidget

from client import fonts, reading
from client.errands import Errands
from client.game import GamePage
from client.lobby import Lobby
from client.looks import Looks
from client.map.palette import LIGHT, PALETTES
from client.panels.notice import Notice
from client.qt import QByteArray, QSettings, QSize, Qt, QTimer
from client.remote import RemotePage
from client.render import render_position
from client.session import bookmarks, saved
from client.session.bookmarks import Bookmarks
from client.session.match import Match
from client.session.remote import RemoteMatch
from client.session.replay import FileMatch
from client.session.saved import SavedMatch
from client.signals import Signals
from client.start import NewGame, StartPage
from client.style import sheet
from core.errors import BadInput, Refused
from core.pack import Pack

PICTURE_WIDTH = 460
SAVE_AFTER_MS = 1500


def games_folder() -> Path:
    """Return where games begun here are kept."""
    return platformdirs.user_data_path("rasputitsa", appauthor=False) / "games"


class MainWindow(QMainWindow):
    """The whole client.

    Args:
        packs: the games that can be begun.
        folder: where games are kept.
    """

    def __init__(self, packs: Sequence[Pack], *, folder: Path | None = None) -> None:
        super().__init__()
        self.folder = folder if folder is not None else games_folder()
        self.settings = QSettings("rasputitsa", "rasputitsa")
        self.palette_ = PALETTES.get(str(self.settings.value("theme", LIGHT.name)), LIGHT)
        self.setWindowTitle("Rasputitsa")
        self.setMinimumSize(QSize(960, 640))
        self.pages = QStackedWidget()
        self.setCentralWidget(self.pages)
        self.fault = ""  # what was wrong with the settings, told when the window is there
        self.looks = Looks(self)
        self._packs, self._keys = packs, folder
        self.game: GamePage | None = None
        self.notice = Notice(self, self.palette_)
        self._save_timer = QTimer(self)
        self._save_timer.setSingleShot(True)
        self._save_timer.timeout.connect(self.save)
        self._game_actions: list[QAction] = []
        self.errands = Errands(self)
        self._build_menus()
        self.start = self._new_start()
        self.lobby = self._new_lobby()
        self._apply_palette()
        if self.fault:
            self.notice.tell(self.tr("This language can't be spoken"), [self.fault])

    def _new_start(self) -> StartPage:
        start = StartPage(self._packs, lambda: saved.recent(self.folder), self.palette_)
        self.pages.insertWidget(0, start)
        start.game_wanted.connect(self.begin)
        start.resume_wanted.connect(self.resume)
        start.file_wanted.connect(self.choose_file)
        start.join_wanted.connect(self.join)
        start.host_wanted.connect(self.host)
        start.lesson_wanted.connect(self.errands.learn)
        return start

    def _new_lobby(self) -> Lobby:
        lobby = Lobby(self._packs, self.settings, keys=self._keys, palette=self.palette_)
        self.pages.addWidget(lobby)
        lobby.match_opened.connect(self.show_match)
        for told, act in (
            (lobby.match_grown, RemotePage.follow), (lobby.match_anew, RemotePage.begin_anew), (lobby.match_told, RemotePage.show_table),
            (lobby.match_caught_up, RemotePage.caught_up), (lobby.line_changed, RemotePage.line_changed),
            (lobby.answered, RemotePage.answered),
        ):
            told.connect(lambda *args, act=act: self._tell_remote(act, *args))
        lobby.said.connect(self.notice.say)
        lobby.left.connect(self.show_start)
        return lobby

    def build_anew(self) -> None:
        """Build everything that holds words again, as their size or language has changed.

        A lobby that is connected, a lesson and a what-if game stay as they are until they are left.
        """
        shown = self.pages.currentWidget()
        self._build_menus()
        old, self.start = self.start, self._new_start()
        old.close_down()
        self._remove(old)
        if self.lobby.link is None:
            old_lobby, self.lobby = self.lobby, self._new_lobby()
            old_lobby.close_down()
            self._remove(old_lobby)
        if self.game is not None:
            self._overlay_actions()
        if self.game is not None and shown is self.game and not self.errands.holds_page:
            self._keep_layout()
            page, self.game = self.game, None
            page.close_down()
            self._remove(page)
            self.show_page(self.new_page(page.match))
        elif shown is not self.game:
            self.pages.setCurrentWidget(self.start if shown is old else self.lobby)
        self._apply_palette()

    def _remove(self, page: QWidget) -> None:
        self.pages.removeWidget(page)
        page.deleteLater()

    # ---------------------------------------------------------------- menus

    def _build_menus(self) -> None:
        """Fill the menu bar; what was in it before goes."""
        for action in self.findChildren(QAction, options=Qt.FindChildOption.FindDirectChildrenOnly):
            action.setShortcuts([])  # it is deleted later, and its keys are wanted now
            action.deleteLater()
        self.menuBar().clear()
        for menu in self.menuBar().findChildren(QMenu):
            menu.clear()
            menu.deleteLater()
        self._game_actions.clear()
        game = self._menu(self.tr("&Game"))
        self.add_action(game, self.tr("Start page"), "Ctrl+W", self.show_start, always=True)
        self.add_action(game, self.tr("Open a game file …"), "Ctrl+O", self.choose_file, always=True)
        self.add_action(game, self.tr("Join a game …"), "Ctrl+J", self.join, always=True)
        self.add_action(game, self.tr("Host a game …"), "Ctrl+H", self.host, always=True)
        self.add_action(game, self.tr("Save a copy …"), "Ctrl+S", self.save_copy)
        self.add_action(game, self.tr("Save the map as a picture …"), "Ctrl+P", self.save_picture)
        self.add_action(game, self.tr("Save a turn as a moving picture …"), "Ctrl+Shift+P", self.errands.save_turn)
        self.add_action(game, self.tr("Save the game as a web page …"), "Ctrl+E", self.errands.save_page)
        self.add_action(game, self.tr("Quit"), "Ctrl+Q", self.close, always=True)
        edit = self._menu(self.tr("&Edit"))
        self.add_action(edit, self.tr("Undo the last order"), "Backspace", lambda: self._page().undo())
        self.add_action(edit, self.tr("Redo"), "Shift+Backspace", lambda: self._page().redo())
        self.add_action(edit, self.tr("One step back"), "Esc", lambda: self._page().step_back())
        self.add_action(edit, self.tr("Accept: pick the hex, give the order"), "Return", self._accept, also="Enter")
        self.add_action(edit, self.tr("Next stack that can act"), "Space", self._space)
        self.add_action(edit, self.tr("Next thing to do"), "N", lambda: self._page().next_task())
        view = self._menu(self.tr("&View"))
        self.add_action(view, self.tr("Zoom in"), "+", lambda: self._page().map.zoom_by(1), also="=")
        self.add_action(view, self.tr("Zoom out"), "-", lambda: self._page().map.zoom_by(-1))
        self.add_action(view, self.tr("Whole map"), "Ctrl+0", lambda: self._page().map.zoom_fit())
        self.add_action(view, self.tr("Go to a hex …"), "G", lambda: self._page().ask_hex())
        self.add_action(view, self.tr("Find a counter …"), "Ctrl+Shift+F", lambda: self._page().search_forces())
        self.add_action(view, self.tr("Spread the stack"), "F", lambda: self._page().fan())
        self.add_action(view, self.tr("Why? What units can and can't do, and their supply"), "W", lambda: self._page().toggle_answers())
        view.addSeparator()
        self.add_action(view, self.tr("Moves of this phase"), "L", lambda: self._page().show_moves("phase"))
        self.add_action(view, self.tr("Moves since the turn before began"), "Shift+L", lambda: self._page().show_moves("turn"))
        self.add_action(view, self.tr("Side panel"), "F9", lambda: self._page().toggle_side())
        self.add_action(view, self.tr("Side panel in a window of its own"), "Shift+F9", lambda: self._page().float_side())
        self.add_action(view, self.tr("Panel in front: dock, float, make a tab"), "Ctrl+F9", lambda: self._page().side.move_on())
        self.add_action(view, self.tr("Players and clocks"), "Ctrl+T", lambda: self._open_table("players"))
        self.add_action(view, self.tr("Chat …"), "Ctrl+M", lambda: self._open_table("chat"))
        self.add_action(view, self.tr("Timeline"), "F10", lambda: self._page().toggle_timeline())
        self.add_action(view, self.tr("Only the map"), "F11", lambda: self._page().toggle_all())
        view.addSeparator()
        self.animate = self.add_action(view, self.tr("Let counters glide"), "M", self._toggle_motion, always=True)
        self.animate.setCheckable(True)
        self.animate.setChecked(str(self.settings.value("glide", "true")) == "true")
        self.warn = self.add_action(view, self.tr("Warn of what a phase leaves undone"), "Shift+W", self._toggle_warning, always=True)
        self.warn.setCheckable(True)
        self.warn.setChecked(str(self.settings.value("warn", "true")) == "true")
        self.looks.add_menus(view)
        self._time_menu()
        self.overlay_menu = self._menu(self.tr("&Overlays"))
        helping = self._menu(self.tr("&Help"))
        self.add_action(helping, self.tr("Rules of the game"), "F1", lambda: self._page().show_rules())
        self.add_action(helping, self.tr("Search the rules …"), "Ctrl+F", lambda: self._page().search_rules())
        self._enable_actions()

    def _time_menu(self) -> None:
        time = self._menu(self.tr("&Time"))
        for words, key, act in (
            (self.tr("Play or stop"), "P", lambda: self._page().timeline.toggle_play()),
            (self.tr("Entry back"), ",", lambda: self._page().time.step(-1)),
            (self.tr("Entry forward"), ".", lambda: self._page().time.step(1)),
            (self.tr("Phase back"), "Shift+,", lambda: self._page().time.step_to_change(-1, what="phase")),
            (self.tr("Phase forward"), "Shift+.", lambda: self._page().time.step_to_change(1, what="phase")),
            (self.tr("Turn back"), "Ctrl+,", lambda: self._page().time.step_to_change(-1, what="turn")),
            (self.tr("Turn forward"), "Ctrl+.", lambda: self._page().time.step_to_change(1, what="turn")),
            (self.tr("Next battle"), "B", lambda: self._page().time.step_to_change(1, what="battle")),
            (self.tr("Battle before"), "Shift+B", lambda: self._page().time.step_to_change(-1, what="battle")),
            (self.tr("Set or take away a bookmark"), "K", lambda: self._page().time.toggle_bookmark()),
            (self.tr("Next bookmark"), "Ctrl+K", lambda: self._page().time.step_to_change(1, what="bookmark")),
            (self.tr("Bookmark before"), "Ctrl+Shift+K", lambda: self._page().time.step_to_change(-1, what="bookmark")),
            (self.tr("Play slower"), "[", lambda: self._page().timeline.change_speed(-1)),
            (self.tr("Play faster"), "]", lambda: self._page().timeline.change_speed(1)),
            (self.tr("First entry"), "Ctrl+Home", lambda: self._page().time.seek(0)),
            (self.tr("Back to now"), "Ctrl+End", lambda: self._page().back_to_now()),
            (self.tr("Write a note at this moment …"), "Shift+K", lambda: self._page().write_note()),
            (self.tr("What if: try out from here"), "I", self.errands.what_if),
            (self.tr("Back to the real game"), "Shift+I", self.errands.end_what_if),
        ):
            self.add_action(time, words, key, act, also={"Shift+,": "<", "Shift+.": ">"}.get(key, ""))

    def _toggle_motion(self) -> None:
        self.settings.setValue("glide", "true" if self.animate.isChecked() else "false")
        if self.game is not None:
            self.game.animates = self.animate.isChecked()

    def _toggle_warning(self) -> None:
        self.settings.setValue("warn", "true" if self.warn.isChecked() else "false")
        if self.game is not None:
            self.game.warns = self.warn.isChecked()

    def _menu(self, title: str) -> QMenu:
        return self.menuBar().addMenu(title)

    def add_action(
        self, menu: QMenu, words: str, key: str, act: Callable[[], object], *, also: str = "", always: bool = False
    ) -> QAction:
        """Add an action with its key, and a tooltip that names it."""
        action = QAction(words, self)
        keys = [QKeySequence(key), *([QKeySequence(also)] if also else [])]
        action.setShortcuts(keys)
        action.setToolTip(f"{words.replace('&', '')} ({key})")
        action.triggered.connect(lambda _checked=False: act())
        menu.addAction(action)
        if not always:
            self._game_actions.append(action)
        return action

    def _enable_actions(self) -> None:
        for action in self._game_actions:
            action.setEnabled(self.game is not None and self.pages.currentWidget() is self.game)

    def _overlay_actions(self) -> None:
        """List the overlays of the game's ruleset, a key each."""
        self.overlay_menu.clear()
        page = self._page()
        number = 1
        for name, key in reading.overlay_keys(page.match).items():
            both = self.tr("{overlay}: both sides").format(overlay=reading.overlay_title(name))
            self._overlay_action(both, key or f"Alt+Shift+{number}", lambda name=name: page.toggle_overlay(name))  # type: ignore[misc]
            for side in page.match.setting.sides:
                title = page.match.manifest.side_titles.get(side, side)
                words = self.tr("{overlay}: {side}").format(overlay=reading.overlay_title(name), side=title)
                self._overlay_action(words, f"Alt+{number}", lambda name=name, side=side: page.toggle_overlay(name, side))  # type: ignore[misc]
                number += 1

    def _overlay_action(self, words: str, key: str, act: Callable[[], object]) -> None:
        action = QAction(words, self.overlay_menu)
        action.setShortcut(key)
        action.setToolTip(f"{words} ({key})")
        action.triggered.connect(lambda _checked=False: act())
        self.overlay_menu.addAction(action)

    # ---------------------------------------------------------------- keys that mean different things

    def _space(self) -> None:
        focused = QApplication.focusWidget()
        if isinstance(focused, QAbstractButton):
            focused.click()
        else:
            self._page().next_stack()

    def _accept(self) -> None:
        focused = QApplication.focusWidget()
        if isinstance(focused, QLineEdit):
            focused.returnPressed.emit()
        elif isinstance(focused, QAbstractButton):
            focused.click()
        else:
            self._page().accept()

    def _page(self) -> GamePage:
        assert self.game is not None, "an action of the game is enabled without one"
        return self.game

    # ---------------------------------------------------------------- games

    def begin(self, wanted: NewGame) -> None:
        """Begin a local game."""
        self._open(lambda: saved.begin(wanted.pack, wanted.scenario, wanted.seats))

    def resume(self, file: Path) -> None:
        """Go on with a saved game."""
        self._open(lambda: saved.resume(file))

    def watch(self, file: Path) -> None:
        """Open a game file to look at."""
        match = self._open(lambda: FileMatch(file.read_bytes(), name=file.name, clock=saved.clock, file=file, whole=False))
        if isinstance(match, FileMatch):
            self.errands.read_on(match)

    def _open(self, make: Callable[[], Match]) -> Match | None:
        """Show the match that *make* returns and return it, or say in words why there is none."""
        try:
            match = make()
        except BadInput as error:
            lines = [str(fault) for fault in error.faults]
            self.notice.tell(self.tr("This game can't be opened"), lines)
            return None
        except Refused as error:
            self.notice.tell(self.tr("This game can't be begun"), [str(error)])
            return None
        except OSError as error:
            self.notice.tell(self.tr("This file can't be read"), [f"{error.filename}: {error.strerror}"])
            return None
        self.show_match(match)
        return match

    def show_match(self, match: Match) -> None:
        """Show a match on a page of its own, instead of the one before."""
        self.replace_page(self.new_page(match))

    def replace_page(self, page: GamePage) -> None:
        """Show a page instead of the one before, which is saved."""
        self._drop_page()
        self.show_page(page)

    def new_page(self, match: Match) -> GamePage:
        """Return a page for a match; it is not shown yet."""
        kept = Bookmarks(self._notes_file(match))
        page = RemotePage(match, self.palette_, kept) if isinstance(match, RemoteMatch) else GamePage(match, self.palette_, kept)
        page.animates = self.animate.isChecked()
        page.warns = self.warn.isChecked()
        page.said.connect(lambda words: self.notice.say(words))
        page.changed.connect(lambda: self._save_timer.start(SAVE_AFTER_MS))
        return page

    def show_page(self, page: GamePage) -> None:
        """Bring a page of a game to the front."""
        self.game = page
        self.pages.addWidget(page)
        kept = {name: self.settings.value(f"layout/{name}") for name in page.layout_state()}
        page.restore_layout({name: str(value) for name, value in kept.items() if value is not None})
        self.pages.setCurrentWidget(page)
        self._overlay_actions()
        self._enable_actions()
        self.setWindowTitle(f"{page.match.title} – Rasputitsa")
        page.map.setFocus(Qt.FocusReason.OtherFocusReason)
        gc.freeze()  # the collector looks no more through what stays while the game is shown: that took two frames' time

    def _notes_file(self, match: Match) -> Path | None:
        """Return where the bookmarks of a match are kept, None where it has no file."""
        if isinstance(match, SavedMatch):
            return bookmarks.beside(self.folder / f"{match.match.game}{saved.SUFFIX}")
        if isinstance(match, RemoteMatch):  # a server names its games as it likes: no such name becomes a path
            return bookmarks.beside(self.folder / f"{hashlib.sha256(match.game.encode()).hexdigest()[:24]}{saved.SUFFIX}")
        return bookmarks.beside(match.file) if isinstance(match, FileMatch) and match.file is not None else None

    def _drop_page(self) -> None:
        self.errands.end_what_if()
        self.errands.end_reading()
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
        self.lobby.close_line()
        self.start.refresh()
        self.pages.setCurrentWidget(self.start)
        self.overlay_menu.clear()
        self._enable_actions()
        self.setWindowTitle("Rasputitsa")

    def choose_file(self) -> None:
        """Ask for a game file and watch it."""
        name, _ = QFileDialog.getOpenFileName(self, self.tr("Open a game file"), str(self.folder), self._file_kinds())
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
        self._enable_actions()
        self.lobby.name.setFocus()

    def host(self) -> None:
        """Start a server here and show its lobby."""
        self.join()
        self.lobby.host()

    def _tell_remote(self, act: Callable[..., None], *args: object) -> None:
        """Let the page of a server's game take in what came, be it shown or behind a what-if game."""
        page = self.errands.real or self.game
        if isinstance(page, RemotePage):
            act(page, *args)

    def _open_table(self, name: str) -> None:
        """Open ``players`` or ``chat``, where there is a table with others."""
        page = self._page()
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
        match = page.match
        try:
            match.save(self.folder, draw=lambda path: self._draw(match, path))
        except (OSError, BadInput) as error:
            self.notice.say(self.tr("The game could not be saved: {why}").format(why=str(error)))

    def _draw(self, match: Match, path: Path) -> None:
        render_position(match.view, match.lettering, path, PICTURE_WIDTH, manifest=match.manifest, palette=self.palette_)

    def save_copy(self) -> None:
        """Ask where the game shall be written, and write it."""
        name, _ = QFileDialog.getSaveFileName(self, self.tr("Save a copy"), f"game{saved.SUFFIX}", self._file_kinds())
        if name:
            self.write_file(Path(name), lambda path: path.write_bytes(self._page().match.to_bytes()))

    def save_picture(self) -> None:
        """Ask where the map shall be drawn, and draw it."""
        kinds = self.tr("Pictures (*.png *.svg)")
        name, _ = QFileDialog.getSaveFileName(self, self.tr("Save the map as a picture"), "map.png", kinds)
        if name:
            match = self._page().match
            self.write_file(
                Path(name),
                lambda path: render_position(
                    match.view, match.lettering, path, manifest=match.manifest, palette=self.palette_
                ),
            )

    def write_file(self, path: Path, write: Callable[[Path], object]) -> None:
        try:
            write(path)
        except (OSError, BadInput) as error:
            self.notice.tell(self.tr("This file can't be written"), [str(error)])
            return
        self.notice.say(self.tr("Written: {file}").format(file=path.name))

    # ---------------------------------------------------------------- look

    def set_theme(self, name: str) -> None:
        """Change all colours."""
        self.palette_ = PALETTES[name]
        self.settings.setValue("theme", name)
        self._apply_palette()

    def _apply_palette(self) -> None:
        self.setStyleSheet(sheet(self.palette_))
        self.start.set_palette(self.palette_)
        self.notice.palette_ = self.palette_
        self.lobby.set_palette(self.palette_)
        if self.game is not None:
            self.game.set_palette(self.palette_)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._drop_page()
        self.lobby.close_down()
        self.start.close_down()
        self.looks.hush()
        self.settings.setValue("window", self.saveGeometry())
        super().closeEvent(event)


def application() -> QApplication:
    """Return the running application, or make it, with the client's fonts."""
    running = QApplication.instance()
    app = running if isinstance(running, QApplication) else QApplication(["rasputitsa"])
    app.setApplicationName("rasputitsa")
    app.setStyle("Fusion")  # the same widgets under the style sheet on every system
    fonts.load()
    app.setFont(fonts.interface(13))
    return app


def run(
    packs: Sequence[Pack], *, file: Path | None = None, report: Callable[[BaseException], Path] | None = None
) -> int:
    """Show the window until it is closed; return its exit code.

    Args:
        packs: the games that can be begun.
        file: a game file to be watched at once.
        report: writes a crash report for an error that nobody foresaw, and returns where.
    """
    app = application()
    window = MainWindow(packs)
    window.resize(1600, 960)
    kept = window.settings.value("window")
    if isinstance(kept, QByteArray):
        window.restoreGeometry(kept)
    window.show()

    def unforeseen(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        del kind
        lines = [f"{type(error).__name__}: {error}"]
        if report is not None:
            lines.append(window.tr("The report is in {file}").format(file=report(error.with_traceback(trace))))
        window.notice.tell(window.tr("An error that nobody foresaw"), lines)

    sys.excepthook = unforeseen
    if file is not None:
        window.watch(file)
    signals = Signals(app)
    try:
        return app.exec() or signals.code
    finally:
        signals.close()

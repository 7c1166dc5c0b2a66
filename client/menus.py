"""The menus of the window: every action with its key, and a tooltip that names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QMenu

from client import reading
from client.qt import QObject, Qt
from client.words import side_title
from core.units import Side

if TYPE_CHECKING:
    from client.window import MainWindow


class Menus(QObject):
    """Fills the menu bar of a window, anew when its words change.

    Attributes:
        animate: whether counters glide.
        warn: whether the end of a phase warns of what it leaves undone.
        overlays: the menu of the overlays of the game that is shown.
    """

    animate: QAction
    warn: QAction
    overlays: QMenu

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self._game_actions: list[QAction] = []

    def build(self) -> None:
        """Fill the menu bar; what was in it before goes."""
        for action in self.window.findChildren(QAction, options=Qt.FindChildOption.FindDirectChildrenOnly):
            action.setShortcuts([])  # it is deleted later, and its keys are wanted now
            action.deleteLater()
        self.window.menuBar().clear()
        for menu in self.window.menuBar().findChildren(QMenu):
            menu.clear()
            menu.deleteLater()
        self._game_actions.clear()
        game = self._menu(self.tr("&Game"))
        self.add(game, self.tr("Start page"), "Ctrl+W", self.window.show_start, always=True)
        self.add(game, self.tr("Open a game file …"), "Ctrl+O", self.window.choose_file, always=True)
        self.add(game, self.tr("Join a game …"), "Ctrl+J", self.window.join, always=True)
        self.add(game, self.tr("Host a game …"), "Ctrl+H", self.window.host, always=True)
        self.add(game, self.tr("Save a copy …"), "Ctrl+S", self.window.save_copy)
        self.add(game, self.tr("Save the map as a picture …"), "Ctrl+P", self.window.save_picture)
        self.add(game, self.tr("Save a turn as a moving picture …"), "Ctrl+Shift+P", self.window.errands.save_turn)
        seen = self.tr("Save a turn as a moving picture of the part in sight …")
        self.add(game, seen, "Ctrl+Alt+P", lambda: self.window.errands.save_turn(in_sight=True))
        self.add(game, self.tr("Save the game as a web page …"), "Ctrl+E", self.window.errands.save_page)
        self.add(game, self.tr("Save the turn as a web page …"), "Ctrl+Alt+E", lambda: self.window.errands.save_page(turn=True))
        self.add(game, self.tr("Quit"), "Ctrl+Q", self.window.close, always=True)
        edit = self._menu(self.tr("&Edit"))
        self.add(edit, self.tr("Undo the last order"), "Backspace", lambda: self.window.page().undo(), also="Ctrl+Z")
        self.add(edit, self.tr("Redo"), "Shift+Backspace", lambda: self.window.page().redo(), also="Ctrl+Shift+Z")
        self.add(edit, self.tr("One step back"), "Esc", lambda: self.window.page().step_back())
        self.add(edit, self.tr("All steps back: drop the order; without one, leave the lesson"), "Shift+Esc", self._all_back)
        self.add(edit, self.tr("Accept: pick the hex, give the order"), "Return", self._accept, also="Enter").setAutoRepeat(False)
        through = self.tr("Add the hex, or lead the way through it")
        self.add(edit, through, "Shift+Return", lambda: self.window.page().lead_through(), also="Shift+Enter")
        self.add(edit, self.tr("Next stack that can act"), "Space", self._space)
        self.add(edit, self.tr("Next thing to do"), "N", lambda: self.window.page().next_task())
        self._view_menu()
        self._time_menu()
        self.overlays = self._menu(self.tr("&Overlays"))
        helping = self._menu(self.tr("&Help"))
        self.add(helping, self.tr("Rules of the game"), "F1", lambda: self.window.page().show_rules())
        self.add(helping, self.tr("Search the rules …"), "Ctrl+F", lambda: self.window.page().search_rules())
        helping.addSeparator()
        self.add(helping, self.tr("Keys and mouse"), "Shift+F1", self.window.errands.show_keys, always=True)
        self.add(helping, self.tr("About Rasputitsa"), "Ctrl+F1", self.window.errands.show_about, always=True)
        self.enable()

    def _view_menu(self) -> None:
        view = self._menu(self.tr("&View"))
        self.add(view, self.tr("Zoom in"), "+", lambda: self.window.page().map.zoom_by(1), also="=")
        self.add(view, self.tr("Zoom out"), "-", lambda: self.window.page().map.zoom_by(-1))
        self.add(view, self.tr("Whole map"), "Ctrl+0", lambda: self.window.page().map.zoom_fit())
        self.add(view, self.tr("Go to a hex …"), "G", lambda: self.window.page().ask_hex())
        self.add(view, self.tr("Find a counter …"), "Ctrl+Shift+F", lambda: self.window.page().search_forces())
        self.add(view, self.tr("Spread the stack"), "F", lambda: self.window.page().fan())
        self.add(view, self.tr("Why? What units can and can't do, and their supply"), "W", lambda: self.window.page().toggle_answers())
        view.addSeparator()
        self.add(view, self.tr("Moves of this phase"), "L", lambda: self.window.page().show_moves("phase"))
        self.add(view, self.tr("Moves since the turn before began"), "Shift+L", lambda: self.window.page().show_moves("turn"))
        self.add(view, self.tr("Side panel"), "F9", lambda: self.window.page().toggle_side())
        self.add(view, self.tr("Side panel in a window of its own"), "Shift+F9", lambda: self.window.page().float_side())
        self._panel_menu(view.addMenu(self.tr("Panel in front")))
        self.add(view, self.tr("Players and clocks"), "Ctrl+T", lambda: self.window.open_table("players"))
        self.add(view, self.tr("Chat …"), "Ctrl+M", lambda: self.window.open_table("chat"))
        self.add(view, self.tr("Timeline"), "F10", lambda: self.window.page().toggle_timeline())
        self.add(view, self.tr("Only the map"), "F11", lambda: self.window.page().toggle_all())
        view.addSeparator()
        self.animate = self.add(view, self.tr("Let counters glide"), "M", self._toggle_motion, always=True)
        self.animate.setCheckable(True)
        self.animate.setChecked(str(self.window.settings.value("glide", "true")) == "true")
        self.warn = self.add(view, self.tr("Warn of what a phase leaves undone"), "Shift+W", self._toggle_warning, always=True)
        self.warn.setCheckable(True)
        self.warn.setChecked(str(self.window.settings.value("warn", "true")) == "true")
        self.window.looks.add_menus(view)

    def _panel_menu(self, menu: QMenu) -> None:
        """List where the panel in front can go."""
        self.add(menu, self.tr("To its next place: dock, float, make a tab"), "Ctrl+F9", lambda: self.window.page().side.move_on())
        for words, key, place in (
            (self.tr("At the left of the map"), "Ctrl+Shift+Left", "left"),
            (self.tr("At the right of the map"), "Ctrl+Shift+Right", "right"),
            (self.tr("Above the map"), "Ctrl+Shift+Up", "top"), (self.tr("Below the map"), "Ctrl+Shift+Down", "bottom"),
        ):
            self.add(menu, words, key, lambda place=place: self.window.page().side.put_front(place))  # type: ignore[misc]
        joined = self.tr("Into the place of the panel docked last, as tabs")
        self.add(menu, joined, "Ctrl+Shift+F9", lambda: self.window.page().side.join_front())
        self.add(menu, self.tr("Among the tabs again"), "Alt+F9", lambda: self.window.page().side.put_front("tabs"))
        menu.addSeparator()
        self.add(menu, self.tr("All panels as at first"), "Shift+F11", lambda: self.window.page().reset_layout())

    def _time_menu(self) -> None:
        time = self._menu(self.tr("&Time"))
        for words, key, act in (
            (self.tr("Play or stop"), "P", lambda: self.window.page().timeline.toggle_play()),
            (self.tr("Entry back"), ",", lambda: self.window.page().time.step(-1)),
            (self.tr("Entry forward"), ".", lambda: self.window.page().time.step(1)),
            (self.tr("Phase back"), "Shift+,", lambda: self.window.page().time.step_to_change(-1, what="phase")),
            (self.tr("Phase forward"), "Shift+.", lambda: self.window.page().time.step_to_change(1, what="phase")),
            (self.tr("Turn back"), "Ctrl+,", lambda: self.window.page().time.step_to_change(-1, what="turn")),
            (self.tr("Turn forward"), "Ctrl+.", lambda: self.window.page().time.step_to_change(1, what="turn")),
            (self.tr("Next battle"), "B", lambda: self.window.page().time.step_to_change(1, what="battle")),
            (self.tr("Battle before"), "Shift+B", lambda: self.window.page().time.step_to_change(-1, what="battle")),
            (self.tr("Set or take away a bookmark"), "K", lambda: self.window.page().time.toggle_bookmark()),
            (self.tr("Next bookmark"), "Ctrl+K", lambda: self.window.page().time.step_to_change(1, what="bookmark")),
            (self.tr("Bookmark before"), "Ctrl+Shift+K", lambda: self.window.page().time.step_to_change(-1, what="bookmark")),
            (self.tr("Play slower"), "[", lambda: self.window.page().timeline.change_speed(-1)),
            (self.tr("Play faster"), "]", lambda: self.window.page().timeline.change_speed(1)),
            (self.tr("First entry"), "Ctrl+Home", lambda: self.window.page().time.seek(0)),
            (self.tr("Back to now"), "Ctrl+End", lambda: self.window.page().back_to_now()),
            (self.tr("Write a note at this moment …"), "Shift+K", lambda: self.window.page().write_note()),
            (self.tr("What if: try out from here"), "I", self.window.errands.what_if),
            (self.tr("Back to the real game"), "Shift+I", self.window.errands.end_what_if),
        ):
            self.add(time, words, key, act)

    def _toggle_motion(self) -> None:
        self.window.settings.setValue("glide", "true" if self.animate.isChecked() else "false")
        if self.window.game is not None:
            self.window.game.animates = self.animate.isChecked()

    def _toggle_warning(self) -> None:
        self.window.settings.setValue("warn", "true" if self.warn.isChecked() else "false")
        if self.window.game is not None:
            self.window.game.warns = self.warn.isChecked()

    def _menu(self, title: str) -> QMenu:
        return self.window.menuBar().addMenu(title)

    def add(
        self, menu: QMenu, words: str, key: str, act: Callable[[], object], *, also: str = "", always: bool = False
    ) -> QAction:
        """Add an action with its key, and a tooltip that names it."""
        action = QAction(words, self.window)
        keys = [QKeySequence(key), *([QKeySequence(also)] if also else [])]
        action.setShortcuts(keys)
        action.setToolTip(f"{words.replace('&', '')} ({key})")
        action.triggered.connect(lambda _checked=False: act())
        menu.addAction(action)
        if not always:
            self._game_actions.append(action)
        return action

    def enable(self) -> None:
        """Let the actions of a game be used while one is shown."""
        is_seen = self.window.game is not None and self.window.shows_game()
        for action in (*self._game_actions, *self.overlays.actions()):
            action.setEnabled(is_seen)

    def list_overlays(self) -> None:
        """List the overlays of the game's ruleset, a key each; the menu outlives the page, so each action asks for that of now."""
        self.overlays.clear()
        page = self.window.page()

        def toggle(name: str, side: Side = "") -> Callable[[], object]:
            return lambda: self.window.page().toggle_overlay(name, side)

        number = 1
        for name, key in reading.overlay_keys(page.match).items():
            both = self.tr("{overlay}: both sides").format(overlay=reading.overlay_title(name))
            self._overlay_action(both, key or f"Alt+Shift+{number}", toggle(name))
            for side in page.match.setting.sides:
                title = side_title(page.match.manifest, side)
                words = self.tr("{overlay}: {side}").format(overlay=reading.overlay_title(name), side=title)
                self._overlay_action(words, f"Alt+{number}", toggle(name, side))
                number += 1

    def _overlay_action(self, words: str, key: str, act: Callable[[], object]) -> None:
        action = QAction(words, self.overlays)
        action.setShortcut(key)
        action.setToolTip(f"{words} ({key})")
        action.triggered.connect(lambda _checked=False: act())
        self.overlays.addAction(action)

    # ---------------------------------------------------------------- keys that mean different things

    def _space(self) -> None:
        focused = QApplication.focusWidget()
        if isinstance(focused, QAbstractButton):
            focused.click()
        else:
            self.window.page().next_stack()

    def _all_back(self) -> None:
        guide = self.window.errands.guide
        if not self.window.page().step_all_back() and guide is not None:
            guide.leave()

    def _accept(self) -> None:
        focused = QApplication.focusWidget()
        if isinstance(focused, QLineEdit):
            focused.returnPressed.emit()
        elif isinstance(focused, QAbstractButton):
            focused.click()
        else:
            self.window.page().accept()

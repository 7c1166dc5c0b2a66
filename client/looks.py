"""How the window looks and speaks: theme, size of texts, language; each kept in the settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QApplication, QMenu

from client import fonts, languages
from client.map.palette import PALETTES
from client.qt import QObject, QTranslator
from client.scale import STEP, px, set_text_percent, text_percent
from core.errors import BadInput

if TYPE_CHECKING:
    from client.window import MainWindow


def language_folders() -> tuple[Path, ...]:
    """Return where catalogues lie: with the program, and in the user's data for whoever makes one."""
    return languages.HERE, platformdirs.user_data_path("rasputitsa", appauthor=False) / "languages"


class Looks(QObject):
    """Changes the look of a window.

    Args:
        window: builds its pages anew when asked to.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self._translator: QTranslator | None = None
        set_text_percent(int(str(window.settings.value("text", 100))))
        self._speak(str(window.settings.value("language", languages.ENGLISH)))
        self._apply_font()

    def add_menus(self, view: QMenu) -> None:
        """Add what changes the look to the View menu."""
        themes = view.addMenu(self.tr("Theme"))
        group = QActionGroup(self.window)
        for i, (name, palette) in enumerate(PALETTES.items(), 1):
            key = f"Ctrl+Alt+{i}"
            action = self.window.menus.add(themes, self.tr(palette.title), key, lambda name=name: self.window.set_theme(name), always=True)  # type: ignore[misc]
            action.setCheckable(True)
            action.setChecked(palette is self.window.palette_)
            group.addAction(action)
        sizes = view.addMenu(self.tr("Size of texts"))
        self.window.menus.add(sizes, self.tr("Larger texts"), "Ctrl++", lambda: self.change_text(STEP), also="Ctrl+=", always=True)
        self.window.menus.add(sizes, self.tr("Smaller texts"), "Ctrl+-", lambda: self.change_text(-STEP), always=True)
        self.window.menus.add(sizes, self.tr("Texts as they were"), "Ctrl+Shift+0", lambda: self.set_text(100), always=True)
        self._add_languages(view)

    def _add_languages(self, view: QMenu) -> None:
        files = languages.found(language_folders())
        spoken = str(self.window.settings.value("language", languages.ENGLISH))
        menu = view.addMenu(self.tr("Language"))
        group = QActionGroup(self.window)
        for i, code in enumerate([languages.ENGLISH, *sorted(files)], 1):
            try:
                name = languages.read(files[code]).name if code in files else "English"
            except (BadInput, OSError):
                continue  # told when it is chosen by the settings; nobody can choose it here
            key = f"Ctrl+Alt+Shift+{i}"
            action = self.window.menus.add(menu, name, key, lambda code=code: self.set_language(code), always=True)  # type: ignore[misc]
            action.setCheckable(True)
            action.setChecked(code == spoken)
            group.addAction(action)

    # ---------------------------------------------------------------- texts

    def change_text(self, by: int) -> None:
        """Make texts larger or smaller by some percent of their common size."""
        self.set_text(text_percent() + by)

    def set_text(self, percent: int) -> None:
        """Show texts in a size, within the limits; at a limit nothing is built anew."""
        before = text_percent()
        set_text_percent(percent)
        self.window.settings.setValue("text", text_percent())
        if text_percent() != before:
            self._apply_font()
            self.window.build_anew()
        self.window.notice.say(self.tr("Texts at {percent} %").format(percent=text_percent()))

    def _apply_font(self) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication), "a window has an application"
        app.setFont(fonts.interface(px(13)))

    # ---------------------------------------------------------------- language

    def set_language(self, code: str) -> None:
        """Speak a language from now on."""
        self.window.settings.setValue("language", code)
        self._speak(code)
        self.window.build_anew()

    def _speak(self, code: str) -> None:
        app = QApplication.instance()
        assert app is not None, "a window has an application"
        self.hush()
        try:
            self._translator = languages.install(app, code, language_folders())
        except (BadInput, OSError) as error:
            self.window.fault = str(error)

    def hush(self) -> None:
        """Speak English again."""
        app = QApplication.instance()
        if self._translator is not None and app is not None:
            app.removeTranslator(self._translator)
            self._translator = None

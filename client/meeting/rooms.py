"""The rooms of the lobby, in one card: the door to the servers, and behind it the hall of the one that was joined."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from client.connection.identity import user_folder
from client.link import Link
from client.map.palette import Palette
from client.meeting.around import Around
from client.meeting.door import Door
from client.meeting.hall import Hall
from client.panels.widgets import Chooser
from client.qt import QSettings
from client.scale import px
from client.session.saved import clock
from client.session.talk import TableTalk
from client.weakly import weakly
from core.identity import PublicKey
from core.pack import Pack

PORT = 5757
WIDTH = 860


class Rooms(QWidget):
    """Door and hall, one of them in front; servers are looked for while the door is seen."""

    def __init__(self, packs: Sequence[Pack], settings: QSettings, *, keys: Path | None, palette: Palette) -> None:
        super().__init__()
        self.setObjectName("page")
        self.packs, self.settings = packs, settings
        self.keys = keys if keys is not None else user_folder()  # where this user's key and known servers are
        self.link: Link | None = None
        self.talk = TableTalk("", clock)  # the server's own chat
        self.door = Door()
        self.around = Around(self.door, self.keys, is_wanted=weakly(self._is_door_seen), own=weakly(self._own_key))
        self._hall: Hall | None = None
        self._palette = palette
        self._build()

    def _is_door_seen(self) -> bool:
        return self.link is None and self.isVisible()

    def _build(self) -> None:
        self._card = QFrame()
        self._card.setObjectName("card")
        column = QVBoxLayout(self._card)
        column.setContentsMargins(10, 10, 10, 10)
        self._stack = QStackedWidget()
        self._stack.setStyleSheet("QStackedWidget { background: transparent; }")  # the card shows through
        self._stack.addWidget(self.door)
        column.addWidget(self._stack)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(20, 20, 20, 20)
        outer.addStretch(1)
        outer.addWidget(self._card)
        outer.addStretch(1)
        self.address, self.name, self.go = self.door.address, self.door.name, self.door.go
        self.address.setText(str(self.settings.value("address", f"127.0.0.1:{PORT}")))
        self.name.setText(str(self.settings.value("player", "")))
        self.door.admits.setCurrentIndex(int(str(self.settings.value("host/invited", "false")) == "true"))

    @property
    def hall(self) -> Hall:
        """Return the hall, built when a server is joined for the first time: the start page shall not wait for it."""
        if self._hall is None:
            self._hall = Hall(self.packs, self._palette)
            self._stack.addWidget(self._hall)
            self._wire_hall(self._hall)
        return self._hall

    @property
    def state(self) -> QLabel:
        """Return the line about the server that is joined."""
        return self.hall.state

    @property
    def new(self) -> Chooser:
        """Return the scenarios that can be begun."""
        return self.hall.new.scenario

    def take_focus(self) -> None:
        """Let keys go to what is seen: to the door's name, or a tab of the hall; a field that is hidden would take them too."""
        hall = self._hall
        if hall is not None and self._stack.currentWidget() is hall:
            hall.tabs[hall.tab].setFocus()
        else:
            self.name.setFocus()

    def _own_key(self) -> PublicKey:
        """Return the key of the server that was started here, empty without one."""
        return ""

    def _wire_hall(self, hall: Hall) -> None:
        """Let the hall's wishes be heard by whoever meets them."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the card as wide as it may be."""
        super().resizeEvent(event)
        self._card.setFixedWidth(max(320, min(px(WIDTH), self.width() - 40)))

    def set_palette(self, palette: Palette) -> None:
        """Change the theme."""
        self._palette = palette
        if self._hall is not None:
            self._hall.chat.palette_ = palette
            self._hall.chat.show_lines(self.talk.lines)

    def _tell(self, words: str) -> None:
        """Say something about the line, wherever it is looked at."""
        self.door.tell(words)
        if self._hall is not None:
            self._hall.state.setText(words)

    def showEvent(self, event: QShowEvent) -> None:
        """Look for servers while the page is seen and none is connected."""
        super().showEvent(event)
        self.around.look()

    def hideEvent(self, event: QHideEvent) -> None:
        """Look no more."""
        super().hideEvent(event)
        self.around.stop()

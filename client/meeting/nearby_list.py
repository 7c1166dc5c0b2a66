"""The servers on the local network as a short list: each with what is played there, and a button that joins it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLayout, QVBoxLayout, QWidget

from client.connection.identity import SERVERS_FILE, KnownServers
from client.connection.lan import Found
from client.nearby import Nearby
from client.panels.widgets import button, clear, label, row
from client.qt import QCoreApplication, QTimer, Signal
from client.words import say
from core.errors import BadInput
from core.text import text

MOST = 3  # servers that are listed; the page behind "Join" lists all
AFTER_MS = 500  # that the list must have been in sight before anybody is asked


class NearbyList(QWidget):
    """Looks around while it is seen.

    Args:
        keys: where the servers that were met are remembered.

    Signals:
        join_wanted(str): a server shall be joined: its link.
    """

    join_wanted = Signal(str)

    def __init__(self, keys: Path) -> None:
        super().__init__()
        self._keys = keys
        self.nearby = Nearby(self)
        self.nearby.found.connect(self.show_servers)
        self._lines = QVBoxLayout(self)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setSpacing(4)
        self._soon = QTimer(self, singleShot=True, interval=AFTER_MS)
        self._soon.timeout.connect(self._look)
        self._tell(self.tr("Servers on your network appear here by themselves."))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._soon.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._soon.stop()
        self.nearby.stop()

    def close_down(self) -> None:
        """Stop looking, and wait until nobody does."""
        self._soon.stop()
        self.nearby.stop()
        self.nearby.wait()

    def _look(self) -> None:
        try:
            why = self.nearby.start(KnownServers(self._keys / SERVERS_FILE))
        except (BadInput, OSError) as error:
            why = str(error)
        if why:
            self._tell(why)

    def _tell(self, words: str) -> None:
        list_servers(self._lines, (), words)

    def show_servers(self, servers: Sequence[Found]) -> None:
        """List these servers, as they are now."""
        lines: list[QWidget] = [self._line(server) for server in servers[:MOST]]
        if len(servers) > MOST:
            lines.append(label(self.tr("and %n more: see “Join a game”", "", len(servers) - MOST), "soft", wrap=True))
        list_servers(self._lines, lines, self.tr("No server is announced on your network now."))

    def _line(self, server: Found) -> QFrame:
        told = say(text(
            "{name}\n{players} {players:player|players} · {games} {games:game|games}",
            name=called(server), players=server.players, games=server.games,
        ))
        return server_line(server, told, self.join_wanted.emit)


def called(server: Found) -> str:
    """Return what a server is called in a list: one's own is told from those of others."""
    return tr("Your own server, {name}").format(name=server.name) if server.state == "own" else server.name


def server_line(server: Found, told: str, join: Callable[[str], object]) -> QFrame:
    """Return what is told of a server that is announced, and the button that calls *join* with its link, where it can be understood."""
    words = tr("Join {server}") if server.speaks_ours else tr("{server} speaks another version than this program")
    place = server.places[0]
    if server.state == "own":  # it is remembered at this address already: under another it would be met a second time
        place = msgspec.structs.replace(place, host="127.0.0.1")
    joins = button(tr("Join"), lambda: join(place.link), tip=words.format(server=server.name))
    joins.setEnabled(server.speaks_ours)
    warns = server.state == "changed" or not server.speaks_ours
    holder = QFrame()
    holder.setLayout(row(label(told, "warning" if warns else "", wrap=True), joins, stretch=0))
    return holder


def list_servers(lines: QLayout, parts: Sequence[QWidget], otherwise: str) -> None:
    """Fill a list anew with these parts; with words where there is none."""
    clear(lines)
    for part in parts or [label(otherwise, "soft", wrap=True)]:
        lines.addWidget(part)


def tr(words: str) -> str:
    """Return words of this module in the player's language."""
    return QCoreApplication.translate("nearby_list", words)

"""A server's line as the window holds it: notes of the line's thread become a signal of the window's."""

from __future__ import annotations

import threading

from client.connection.games import Games
from client.connection.identity import KnownServers
from client.connection.notes import Note
from client.connection.packs import FindPack
from client.qt import QObject, Qt, Signal
from client.weakly import weakly
from core.identity import Identity

MOST_WAITING = 50  # notes that the window has not taken in; each may be a long list


class Link(QObject):
    """One server.

    Signals:
        heard(object): a note of `client.connection.games`, in the window's thread.
    """

    heard = Signal(object)
    _noted = Signal(object)
    _ended = Signal()

    def __init__(self, parent: QObject, find_pack: FindPack) -> None:
        super().__init__(parent)
        self._told = self._taken = 0  # notes: each is counted by one thread alone
        self.games = Games(weakly(self._tell), find_pack, is_behind=weakly(self._is_behind))
        self.address = ""
        self.name = ""
        self._closer: threading.Thread | None = None
        self._noted.connect(self._hear, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self.deleteLater, Qt.ConnectionType.QueuedConnection)

    def _is_behind(self) -> bool:
        return self._told - self._taken > MOST_WAITING

    def _tell(self, note: Note) -> None:
        self._told += 1
        self._noted.emit(note)

    def _hear(self, note: Note) -> None:
        self._taken += 1
        if self._closer is None:  # told before it was closed
            self.heard.emit(note)

    def connect_to(self, address: str, name: str, *, identity: Identity, known: KnownServers) -> None:
        """Open the line."""
        self.address, self.name = address, name
        self.games.connect(address, name, identity=identity, known=known)

    def close(self) -> None:
        """Close the line and hear nothing more of it; its thread may be asking somebody who is slow, and is not waited for."""
        if self._closer is None:
            self._closer = threading.Thread(target=self._end, name="closing a line")
            self._closer.start()

    def _end(self) -> None:
        self.games.close()
        self._ended.emit()

    def wait(self) -> None:
        """Wait until the line is closed."""
        if self._closer is not None:
            self._closer.join()

"""The line to a server, as the window hears it: notes of the line's thread become signals of the window's."""

from __future__ import annotations

from client.connection.games import FindPack, Games, Note
from client.connection.identity import KnownServers
from client.qt import QObject, Qt, Signal
from core.identity import Identity


class Link(QObject):
    """One server.

    Signals:
        heard(object): a note of `client.connection.games`, in the window's thread.
    """

    heard = Signal(object)
    _noted = Signal(object)

    def __init__(self, parent: QObject, find_pack: FindPack) -> None:
        super().__init__(parent)
        self.games = Games(self._tell, find_pack)
        self.address = ""
        self.name = ""
        self._noted.connect(self.heard, Qt.ConnectionType.QueuedConnection)

    def _tell(self, note: Note) -> None:
        self._noted.emit(note)

    def connect_to(self, address: str, name: str, *, identity: Identity, known: KnownServers) -> None:
        """Open the line."""
        self.address, self.name = address, name
        self.games.connect(address, name, identity=identity, known=known)

    def close(self) -> None:
        """Close the line and wait for its thread."""
        self.games.close()

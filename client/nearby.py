"""The servers on the local network, as the window hears of them: what zeroconf's thread tells becomes a signal of the window's."""

from __future__ import annotations

from client.connection.identity import KnownServers
from client.connection.lan import Browser, Found
from client.qt import QObject, Qt, Signal


class Nearby(QObject):
    """Looks around while it is switched on.

    Signals:
        found(object): all servers that are announced now, a tuple of `client.connection.lan.Found`; in the window's thread.
    """

    found = Signal(object)
    _told = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._browser: Browser | None = None
        self._told.connect(self._hear, Qt.ConnectionType.QueuedConnection)

    def start(self, known: KnownServers) -> str:
        """Look around; return why that can't be, empty if it can."""
        if self._browser is None:
            try:
                self._browser = Browser(self._told.emit, known)
            except OSError as error:
                return error.strerror or str(error)
        return ""

    def stop(self) -> None:
        """Look no more, and wait for the thread."""
        browser, self._browser = self._browser, None
        if browser is not None:
            browser.close()

    def _hear(self, servers: tuple[Found, ...]) -> None:
        if self._browser is not None:  # told before it was switched off
            self.found.emit(servers)

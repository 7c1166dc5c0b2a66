"""The servers on the local network, as the window hears of them: what zeroconf's thread tells becomes a signal of the window's."""

from __future__ import annotations

import threading

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
        self._closers: list[threading.Thread] = []
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
        """Look no more; the thread may be asking somebody who is slow, and is not waited for."""
        browser, self._browser = self._browser, None
        self._closers = [one for one in self._closers if one.is_alive()]
        if browser is not None:
            self._closers.append(threading.Thread(target=browser.close, name="closing the browser"))
            self._closers[-1].start()

    def wait(self) -> None:
        """Wait until nothing looks around any more."""
        for one in self._closers:
            one.join()

    def _hear(self, servers: tuple[Found, ...]) -> None:
        if self._browser is not None:  # told before it was switched off
            self.found.emit(servers)

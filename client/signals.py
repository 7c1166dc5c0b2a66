"""Signals of the system while the window runs: Ctrl-C and SIGTERM close it as its own button does, with what it keeps on disk.

Qt's loop is no Python: a handler set in Python would wait until something else calls Python. So the number of each signal is written to a
socket at once, and Qt wakes for that.
"""

from __future__ import annotations

import signal
import socket
from types import FrameType

from PySide6.QtWidgets import QApplication

from client.qt import QSocketNotifier, QTimer


class Signals:
    """Closes the application's windows at SIGINT or SIGTERM, until it is closed itself.

    Attributes:
        code: the exit code that a signal asks for, 0 while none came.
    """

    def __init__(self, app: QApplication) -> None:
        self._app = app
        self.code = 0
        self._ours, self._theirs = socket.socketpair()
        for end in (self._ours, self._theirs):
            end.setblocking(False)
        self._before = {number: signal.signal(number, self._came) for number in (signal.SIGINT, signal.SIGTERM)}
        signal.set_wakeup_fd(self._theirs.fileno())
        self._notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._wake)

    def _wake(self) -> None:
        """Take in what woke Qt; back in Python, the handler runs by itself."""
        self._ours.recv(64)

    def _came(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.code = 128 + number
        QTimer.singleShot(0, self._close)  # a handler runs amidst any Python, a paint event too

    def _close(self) -> None:
        self._app.closeAllWindows()
        self._app.exit(self.code)

    def close(self) -> None:
        """Leave the signals as they were."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(-1)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._ours.close()
        self._theirs.close()

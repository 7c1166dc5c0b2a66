"""Saving beside the window: a game is written by a thread, one writing after the other, while it is played on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from client.qt import QObject, Qt, Signal
from core.errors import BadInput


class Saver(QObject):
    """Writes games, the latest asked for last.

    Signals:
        written(): a game has been written, or could not be.
        failed(str): why a game could not be written.
    """

    written = Signal()
    failed = Signal(str)
    _ended = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._ended.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def save(self, write: Callable[[], Path]) -> None:
        """Write a game in a thread, after those that were asked for before."""
        with self._lock:
            before, self._thread = self._thread, threading.Thread(target=lambda: self._run(before, write), name="saving a game")
            self._thread.start()

    def wait(self) -> None:
        """Wait until all that was asked for is on the disk; any thread may wait."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self, before: threading.Thread | None, write: Callable[[], Path]) -> None:
        if before is not None:
            before.join()
        try:
            write()
        except Exception as error:
            self._ended.emit(error)
        else:
            self._ended.emit(None)

    def _tell(self, error: Exception | None) -> None:
        self.written.emit()
        if isinstance(error, (OSError, BadInput)):
            self.failed.emit(str(error))
        elif error is not None:
            raise error

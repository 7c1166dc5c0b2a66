"""A server of one's own, run as a process beside the window; the same program that ``rasputitsa host`` runs."""

from __future__ import annotations

import sys

from client.qt import QObject, QProcess, Signal

READY = "listening on "
END_MS, KILL_MS = 5000, 1000


class Hosting(QObject):
    """Starts a server, listens to what it says, and ends it with the window.

    Signals:
        started(str): it listens; its join link.
        ended(str): it is gone, by itself; why, in its own words.
    """

    started = Signal(str)
    ended = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._said = ""
        self.link = ""  # empty while none listens

    @property
    def runs(self) -> bool:
        """Say whether a server was started here and has not ended."""
        return self._process is not None

    def start(self, port: int, *, invited: bool, name: str = "") -> None:
        """Start a server that the whole network reaches, if none was started yet."""
        if self._process is not None:
            return
        self._said = ""
        process = self._process = QProcess(self)
        process.readyReadStandardOutput.connect(self._hear)
        process.errorOccurred.connect(lambda _: self._end())
        process.finished.connect(lambda *_: self._end())
        who = "--invited" if invited else "--open"
        named = ["--name", name] if name else []
        process.start(sys.executable, ["-m", "rasputitsa", "host", "--address", f"tcp://0.0.0.0:{port}", who, *named])

    def _hear(self) -> None:
        assert self._process is not None, "only a running server says something"
        self._said += bytes(self._process.readAllStandardOutput().data()).decode(errors="replace")
        first, newline, _ = self._said.partition("\n")
        if newline and first.startswith(READY) and not self.link:
            self.link = first.removeprefix(READY).strip()
            self.started.emit(self.link)

    def _end(self) -> None:
        if self._process is None:
            return
        why = bytes(self._process.readAllStandardError().data()).decode(errors="replace").strip().splitlines()
        process, self._process, self.link = self._process, None, ""
        process.deleteLater()
        self.ended.emit(why[-1] if why else "")

    def stop(self) -> None:
        """End the server and wait for it."""
        if self._process is None:
            return
        process, self._process, self.link = self._process, None, ""
        process.terminate()
        if not process.waitForFinished(END_MS):
            process.kill()
            process.waitForFinished(KILL_MS)
        process.deleteLater()

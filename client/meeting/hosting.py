"""A server of one's own, run as a process beside the window; the same program that ``rasputitsa host`` runs.

It is no child that goes with its parent: if the window goes without a word, it serves on until the last player has left.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

from client.bounded import read_bounded
from client.qt import QObject, Qt, Signal
from core.address import parse
from core.errors import BadInput

READY = "listening on "
SAYS = "rasputitsa: "  # before why a command ended
NOTE = Path("server", "running")  # in a user's folder: where the server of the folder answers
MOST_OF_NOTE = 1_000  # bytes; it has some 90
PORTS = 10  # that are tried, each with the one above it, where who asks is told the key
END_S, KILL_S = 5.0, 1.0


class Hosting(QObject):
    """Starts a server, listens to what it says, and ends it or leaves it to itself.

    Signals:
        started(str): it listens; its join link.
        ended(str): it is gone, by itself; why, in its own words.
    """

    started = Signal(str)
    ended = Signal(str)
    _ready = Signal(object, str)
    _gone = Signal(object, str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._process: subprocess.Popen[bytes] | None = None
        self._listeners: list[threading.Thread] = []
        self.link = ""  # empty while none listens
        self._ready.connect(self._listens, Qt.ConnectionType.QueuedConnection)
        self._gone.connect(self._ended, Qt.ConnectionType.QueuedConnection)

    @property
    def runs(self) -> bool:
        """Say whether a server was started here and has not ended."""
        return self._process is not None

    def start(self, port: int, *, invited: bool, name: str = "") -> None:
        """Start a server that the whole network reaches, if none was started yet."""
        if self._process is not None:
            return
        command = [sys.executable, "-m", "rasputitsa", "host", "--address", f"tcp://0.0.0.0:{port}", "--outlive-stdin"]
        command += ["--invited" if invited else "--open", *(["--name", name] if name else [])]
        pipe = subprocess.PIPE
        try:
            # In a session of its own: Ctrl-C in the terminal of the window is not meant for it.
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        except OSError as error:
            self._gone.emit(None, str(error))
            return
        self._process = process
        for listen in (self._hear, self._drain):
            listener = threading.Thread(target=listen, args=(process,), name="listening to the server", daemon=True)
            self._listeners.append(listener)
            listener.start()

    def _hear(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for the link, in a thread of its own."""
        assert process.stdout is not None, "the server speaks into a pipe"
        with process.stdout:
            for line in process.stdout:
                if line.decode(errors="replace").startswith(READY):
                    self._ready.emit(process, line.decode(errors="replace").removeprefix(READY).strip())

    def _drain(self, process: subprocess.Popen[bytes]) -> None:
        """Read what goes wrong until the end, in a thread of its own; the last line tells why."""
        assert process.stderr is not None, "the server complains into a pipe"
        last = ""
        with process.stderr:
            for line in process.stderr:
                last = line.decode(errors="replace").strip() or last
        was_killed = process.wait() < 0  # then its last words were of something else
        self._gone.emit(process, "" if was_killed else last.removeprefix(SAYS))

    def _listens(self, process: object, link: str) -> None:
        if process is self._process:
            self.link = link
            self.started.emit(link)

    def _ended(self, process: object, why: str) -> None:
        if process is not None and process is not self._process:
            return  # it was ended, or left to itself
        if self._process is not None:
            self._let_go(self._process)
        self._process, self.link = None, ""
        self.ended.emit(why)

    def stop(self) -> None:
        """End the server and wait for it."""
        process, self._process, self.link = self._process, None, ""
        if process is None:
            return
        process.terminate()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(KILL_S)
        self._let_go(process)

    def leave_alone(self) -> None:
        """Let the server serve on until the last player has left, whatever becomes of this window."""
        process, self._process, self.link = self._process, None, ""
        self._listeners.clear()  # they go with the program; who waits for them would wait for the last player
        if process is not None:
            _hang_up(process)

    def wait(self) -> None:
        """Wait until no server that was started here says anything any more."""
        for listener in self._listeners:
            listener.join()
        self._listeners.clear()

    def _let_go(self, process: subprocess.Popen[bytes]) -> None:
        _hang_up(process)
        self.wait()


def _hang_up(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None, "the server listens to a pipe"
    process.stdin.close()


# -------------------------------------------------------------------- where


def free_port(first: int) -> int:
    """Return the first port from *first* on that nobody has, nor the one above it; *first* if none was found."""
    return next((port for port in range(first, first + 2 * PORTS, 2) if _is_free(port) and _is_free(port + 1)), first)


def _is_free(port: int) -> bool:
    with socket.socket() as ours:
        if os.name == "posix":  # else lines of a server that has just ended would keep it; on Windows it would take a port from another
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            ours.bind(("0.0.0.0", port))
        except OSError:
            return False
    return True


def own_port(keys: Path, usual: int) -> int:
    """Return the port of the server that runs on the folder beside a user's keys, the usual one if it does not say."""
    note = keys / NOTE
    with contextlib.suppress(OSError, BadInput):
        return parse(str(note), read_bounded(note, MOST_OF_NOTE).decode(errors="replace").strip()).port
    return usual

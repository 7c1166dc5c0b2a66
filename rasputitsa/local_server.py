"""A server as a process of its own on this machine's loopback, for a game that needs no host."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from core.address import Place, parse
from core.errors import Broken

READY = "listening on "
GRACE_S = 10
ANYWHERE = "tcp://127.0.0.1:*"  # a port that is free
LOG_NAME = "server.log"  # in a server's data folder, as the three that follow
SERVER_KEY = "server.key"
RUNNING = "running"
LAST_ADDRESS = "last-address"


def command(data: Path, address: str = ANYWHERE) -> list[str]:
    """Return the command of a server over a data folder, open to all and told to nobody, that ends with whoever started it."""
    return [
        sys.executable, "-m", "rasputitsa", "host", "--address", address, "--data", str(data), "--open", "--quiet", "--end-with-stdin",
    ]


@contextmanager
def local_server(data: Path, address: str = ANYWHERE) -> Iterator[str]:
    """Start a server over a data folder and yield its join link; stop it at the end.

    It ends with this process, whatever ends this one: its stdin closes.

    Args:
        address: where it listens.

    Raises:
        OSError: this machine can't reach itself.
        Broken: it did not come up, or something broke while it served; what its log says is in the message.
    """
    # Its stderr is a file: nobody reads a pipe while the game goes on, and a full one would stop the server.
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command(data, address), stdout=subprocess.PIPE, stderr=said, stdin=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if not line.startswith(READY):
                process.wait(GRACE_S)
                raise Broken(f"the server did not start: {line.strip()}")
            link = line.removeprefix(READY).strip()
            _reach(parse("address", link))
            yield link
        except Broken as error:
            raise Broken(f"{error}\n{_all(said)}{logged(data)}") from error
        finally:
            _end(process)


def _reach(place: Place) -> None:
    """Raise OSError where not even this machine's own loopback is up: libzmq would try again for ever, and say nothing."""
    try:
        socket.create_connection((place.host, place.port), timeout=GRACE_S).close()
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), place.tcp) from error


def _all(said: IO[bytes]) -> str:
    said.seek(0)
    return said.read().decode(errors="replace")


def logged(data: Path) -> str:
    """Return what the log of a server over a data folder says, for people."""
    log = data / LOG_NAME
    said = log.read_text("utf-8", errors="replace") if log.is_file() else ""
    return "".join(_plain(line) for line in said.splitlines())


def _plain(line: str) -> str:
    """Return a line of the log for people: what was said, and the exception as it was."""
    try:
        found = json.loads(line)
    except ValueError:
        return f"{line}\n"
    return f"{found.get('level')} {found.get('message')}\n{found.get('exception', '')}"


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()

"""A server as a process of its own on this machine's loopback, for a game that needs no host."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import Broken

READY = "listening on "
GRACE_S = 10


@contextmanager
def local_server(data: Path) -> Iterator[str]:
    """Start a server over a data folder and yield its address; stop it at the end.

    Raises:
        Broken: it did not come up; what it said is in the message.
    """
    command = [sys.executable, "-m", "rasputitsa", "host", "--address", "tcp://127.0.0.1:*", "--data", str(data)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = process.stdout.readline()
        if not line.startswith(READY):
            process.kill()
            raise Broken(f"the server did not start: {line.strip()} {process.stderr.read().strip()}")
        yield line.removeprefix(READY).strip()
    finally:
        process.terminate()
        try:
            process.communicate(timeout=GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()

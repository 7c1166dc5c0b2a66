"""Named places between receipt and acknowledgement where a test may kill the server, to show that nothing is lost."""

from __future__ import annotations

import os
import signal

VARIABLE = "RASPUTITSA_FAULT_POINT"
NAMES = ("before pending", "after pending", "pending with its links", "before entry", "after entry")


def reach(name: str) -> None:
    """Die here, as by ``kill -9``, if the environment names this place."""
    assert name in NAMES, name
    if os.environ.get(VARIABLE) == name:
        os.kill(os.getpid(), signal.SIGKILL)

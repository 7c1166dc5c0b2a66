"""Named places between receipt and acknowledgement where a test may kill the server, to show that nothing is lost.

The environment names a place, and which time it is to be the last: ``after commit`` or ``after commit#7``.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

VARIABLE = "RASPUTITSA_FAULT_POINT"
OF_ORDERS = ("before pending", "after pending", "pending with its links", "before entry", "after entry", "before it is accepted")
OF_LINKS = ("after pending", "links asked for", "pending with its links")  # where players' links are needed
OF_TABLES = ("game without entries", "before act", "after act", "act before it is accepted", "after chat", "after answer ahead")
OF_STORE = ("before commit", "after commit")
NAMES = frozenset((*OF_ORDERS, *OF_LINKS, *OF_TABLES, *OF_STORE))
_wanted, _, _time = os.environ.get(VARIABLE, "").partition("#")
_met: Counter[str] = Counter()


def is_wanted(*names: str) -> bool:
    """Say whether the environment names one of these places."""
    return _wanted in names


def reach(name: str) -> None:
    """Die here, as by ``kill -9``, if the environment names this place and time."""
    if not _wanted:
        return
    assert name in NAMES, name
    if name == _wanted:
        _met[name] += 1
        if _met[name] == int(_time or 1):
            os.kill(os.getpid(), signal.SIGKILL)

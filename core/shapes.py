"""Converting into structs from several threads.

msgspec learns a type at its first use and is not safe while it does so: two threads that convert into the same struct for the first time
can crash the interpreter (seen with msgspec 0.22). So the first use of each type happens under one lock; later uses don't wait.
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
_learning = threading.RLock()
_known: set[Any] = set()


def convert(value: Any, cls: type[T]) -> T:
    """Return *value* as *cls*, as `msgspec.convert` does.

    Raises:
        msgspec.ValidationError: it isn't one.
    """
    if cls in _known:
        return msgspec.convert(value, cls)
    with _learning:
        made = msgspec.convert(value, cls)
        _known.add(cls)
    return made


def decoder(cls: Any) -> msgspec.msgpack.Decoder[Any]:
    """Return a msgpack decoder of *cls*."""
    with _learning:
        return msgspec.msgpack.Decoder(cls)

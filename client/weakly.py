"""How what somebody owns calls him back: without holding him, or both would stay when nobody has them any more.

The collector would find them; but what is there when a game comes to the front, or a long file is read, it is told to pass by.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar
from weakref import WeakMethod

P = ParamSpec("P")
R = TypeVar("R")


def weakly(method: Callable[P, R]) -> Callable[P, R]:
    """Return a bound method as the parts of its object may keep it: it may be called for as long as the object is there.

    Raises:
        AssertionError: when it is called later.
    """
    held = WeakMethod(method)

    def call(*args: P.args, **named: P.kwargs) -> R:
        found = held()
        assert found is not None, "what is called back has gone before what it owns"
        return found(*args, **named)

    return call

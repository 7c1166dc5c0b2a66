"""How what somebody owns calls him back, and knows him: without holding him, or both would stay when nobody has them any more.

The collector would find them; but what is there when a game comes to the front, or a long file is read, it is told to pass by.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar
from weakref import WeakMethod, ref

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


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


class Owner(Generic[T]):
    """An attribute of what somebody owns, that names him: written like any other, and read for as long as he is there.

    Raises:
        AssertionError: when it is read later.
    """

    def __set_name__(self, holder: type, name: str) -> None:
        self._slot = f"{name}: owner"

    def __set__(self, holder: object, owner: T) -> None:
        holder.__dict__[self._slot] = ref(owner)

    def __get__(self, holder: object, kind: type) -> T:
        owner: T | None = holder.__dict__[self._slot]()
        assert owner is not None, "an owner has gone before what he owns"
        return owner

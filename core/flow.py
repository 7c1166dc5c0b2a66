"""Flow as data: what the game waits for and what it will do next stands in the position as a stack of frames."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import msgspec

from core.shapes import convert
from core.units import Side


class Frame(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One entry of the stack, as it is stored: a name, who must answer (empty: nobody, it runs by itself), arguments."""

    name: str
    side: Side = ""
    args: dict[str, Any] = {}


class FrameArgs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments of a frame as its ruleset types them; `frame()` makes what the position stores."""

    def _stored(self) -> Frame:
        # Through bytes, so that a frame just made equals the same frame read back: tuples are lists in both.
        args = msgspec.msgpack.decode(msgspec.msgpack.encode(self))
        side = args.pop("side") if isinstance(self, Decision) else ""
        return Frame(type(self).__name__, side, args)


class Step(FrameArgs, frozen=True, kw_only=True):
    """A frame that runs by itself as soon as it is on top."""

    def frame(self) -> Frame:
        """Return the stored form."""
        return self._stored()


class Decision(FrameArgs, frozen=True, kw_only=True):
    """A frame that waits for *side* to give one of the orders in `orders`.

    *rule* is where the rulebook hands this choice to the player.
    """

    orders: ClassVar[tuple[str, ...]] = ()
    rule: ClassVar[str] = ""
    side: Side

    def frame(self) -> Frame:
        """Return the stored form."""
        return self._stored()


T = TypeVar("T", bound=FrameArgs)


def typed(frame: Frame, cls: type[T]) -> T:
    """Return a stored frame as its ruleset's struct."""
    args = {**frame.args, "side": frame.side} if issubclass(cls, Decision) else frame.args
    return convert(args, cls)

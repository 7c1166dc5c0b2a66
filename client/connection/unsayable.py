"""What no server could read: found here, as nobody could say there to which asking it belongs, and it would be asked again for ever."""

from __future__ import annotations

from core import protocol
from core.errors import BadInput, Fault
from core.text import Text, text

CHAT = text("a line of chat is 1 to {n} letters that can be seen, without a blank at its ends", n=500)


def fault_of(frame: protocol.Frame) -> Fault | None:
    """Return what a server would say that it can't read in a frame; None if it can be sent."""
    try:
        protocol.decode_from_client(protocol.encode(frame))
    except BadInput as error:
        return error.faults[0]
    return None


def why_unsayable(frame: protocol.Frame) -> Text | None:
    """Return why no server could read a frame, naming the field; None if it can be sent."""
    fault = fault_of(frame)
    if fault is None:
        return None
    if isinstance(frame, protocol.Say) and fault.where.endswith("$.text`"):
        return CHAT
    return text("this can't be sent: {field}: {why}", field=fault.where.removeprefix("frame ").strip("`$."), why=fault.got)

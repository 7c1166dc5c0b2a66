"""When the server's memory is searched for cycles: never all of it while players wait, but at long intervals.

The interpreter's collector looks through everything again whenever a quarter more has come: 0.2 s with two hundred games in memory, in
which no order is answered. So what has lived for a moment is set aside (`gc.freeze`), where the collector doesn't look; what has died
there as part of a cycle is found by a pass over all of it at times. Games are in none, and go when they are put away; a pass follows soon
all the same, for what it gives back. Where none was put away it finds a few thousand objects an hour, and is done once in one.

Nor does it look through what is new: that took 10 ms twice a second at 500 orders a second, and found a dozen dead objects in 2,000 orders.
Only where very much comes between two moments, as in a flood, is that looked through.

What a pass has freed goes back to the system: by itself the C library keeps it, four tenths of what games leave that were put away.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import logging
import os
import time
from collections.abc import Callable

from server.always import again

ASIDE_EVERY_S = 1.0
ALL_EVERY_S, RARELY_S = 600.0, 3_600.0  # where games were put away, and where none was
YOUNG = 100_000  # objects more since a moment ago: five times what 500 orders a second leave
GONE = 100  # games that were put away since the last pass over everything: their memory is worth one
logger = logging.getLogger("rasputitsa.server")


async def keep_collecting(gone: Callable[[], int]) -> None:
    """Set aside what lives, and look at all of it at times, until it is cancelled.

    Args:
        gone: counts the games that were put away since the server began.
    """
    seen, last = gone(), time.monotonic()
    usual = gc.get_threshold()
    gc.set_threshold(YOUNG, *usual[1:])

    async def look() -> None:
        nonlocal seen, last
        now = time.monotonic()
        left = gone() - seen
        if left >= GONE or now - last >= (ALL_EVERY_S if left else RARELY_S):
            seen, last = seen + left, now
            look_at_all()
        gc.freeze()  # counts what is new from nothing

    try:
        await again("searching the memory for cycles", look, ASIDE_EVERY_S)
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


def look_at_all() -> None:
    """Look at everything, once, and give what was freed back to the system."""
    began = time.monotonic()
    gc.unfreeze()
    found = gc.collect()
    give_back()
    logger.info("memory searched for cycles", extra={"found": found, "ms": round(1000 * (time.monotonic() - began))})


def let_go(error: BaseException) -> None:
    """Drop the frames that an error leads to, once it is answered, and those of what caused it.

    They hold the message that was wrong, and often the error itself: such a cycle stays until all is looked at. By a thousand wrong
    messages a second, each of which left 3 KB, somebody could fill the memory.
    """
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop()
        if one is not None:
            left += (one.__cause__, one.__context__)
            one.__traceback__ = one.__cause__ = one.__context__ = None


def give_back() -> None:
    """Give free memory back to the system, where the C library has a call for it."""
    if (trim := _trim()) is not None:
        trim(0)


@functools.cache
def _trim() -> Callable[[int], int] | None:
    if os.name != "posix":
        return None
    found: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it
    return found

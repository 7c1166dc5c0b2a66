"""What a server does again and again for as long as it runs: whatever goes wrong in it is told, and it goes on.

A fault that comes again at each look is told once: the log keeps so much and no more.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

logger = logging.getLogger("rasputitsa.server")


class Faults:
    """Tells what goes wrong, each fault once until what it was a fault in has gone well."""

    def __init__(self) -> None:
        self._told: dict[str, str] = {}

    @contextmanager
    def told(self, what: str) -> Iterator[None]:
        """Let a fault in *what* is done here go no further than into the log; what the system can't give is told without its frames."""
        try:
            yield
        except Exception as error:
            if self._told.get(what) != repr(error):
                self._told[what] = repr(error)
                frames = None if isinstance(error, OSError) else error
                logger.error("%s went wrong, and is tried again: %s", what, str(error) or repr(error), exc_info=frames)
        else:
            self._told.pop(what, None)


def begin(what: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Begin what goes on beside all else; the log tells at once if it ends by a fault, which nobody waits for."""

    def look(task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("%s ended: %s", what, error, exc_info=error)

    task = asyncio.get_running_loop().create_task(work)
    task.add_done_callback(look)
    return task


async def again(what: str, look: Callable[[], Awaitable[None]], every_s: float) -> NoReturn:
    """Do something until cancelled, so many seconds after it was done before.

    Args:
        what: what the log calls it if it goes wrong.
    """
    faults = Faults()
    while True:
        with faults.told(what):
            await look()
        await asyncio.sleep(every_s)

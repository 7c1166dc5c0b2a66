"""A server that was started by a window outlives it until the last player has left."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server.service import Service

LOOK_S = 1.0
EMPTY_S = 45.0  # that nobody is here before the server ends: a line that broke comes back within it


async def outlive(service: Service, gone: asyncio.Event, stop: asyncio.Event, *, empty_s: float = EMPTY_S) -> None:
    """Wait until the window is gone and then nobody has been here for a while; end the server."""
    await gone.wait()
    loop = asyncio.get_running_loop()
    empty_since = None
    while empty_since is None or loop.time() - empty_since < empty_s:
        if service.presence.online():
            empty_since = None
        elif empty_since is None:
            empty_since = loop.time()
        await asyncio.sleep(min(LOOK_S, empty_s))
    stop.set()

"""What a server tells the service manager that started it (systemd): that it serves, that it gets on, that it ends.

The protocol is that of sd_notify(3): datagrams to the socket that the environment names. Whoever was started by hand tells nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
import os
import socket
from collections.abc import Callable, MutableMapping

PATIENCE_S = 1.0  # for a manager that doesn't read: then the datagram is lost, as no player shall wait for it
SIGNS_A_LIMIT = 3  # of life, in the time after which the manager takes a server for hung
logger = logging.getLogger("rasputitsa.server")


class Manager:
    """The service manager, as the environment tells of it; processes that this one starts are not told.

    Attributes:
        every_s: seconds between two signs of life; None if none are wanted.
        limit_s: seconds without one after which the manager takes the server for hung.
    """

    def __init__(self, environment: MutableMapping[str, str] = os.environ) -> None:
        self._path = environment.pop("NOTIFY_SOCKET", "")
        limit, wanted_of = environment.pop("WATCHDOG_USEC", ""), environment.pop("WATCHDOG_PID", "")
        is_wanted = self._path and limit.isdecimal() and int(limit) and wanted_of in ("", str(os.getpid()))
        self.limit_s = int(limit) / 1e6 if is_wanted else 0.0
        self.every_s = self.limit_s / SIGNS_A_LIMIT if is_wanted else None
        self._is_stalled = False

    def tell(self, what: str) -> None:
        """Send one line; where that can't be the log says so, and the server goes on."""
        if not self._path:
            return
        name = "\0" + self._path[1:] if self._path.startswith("@") else self._path  # an abstract one
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
                out.settimeout(PATIENCE_S)
                out.sendto(what.encode(), name)
        except OSError as error:
            logger.warning("the service manager was not told %s: %s", what, error)

    async def keep_told(self, stop: asyncio.Event, stalled_s: Callable[[], float]) -> None:
        """Tell that the server serves, that it lives, and at *stop*, or when cancelled, that it ends.

        The signs of life come from the loop that answers the players, so that they stop if it does; and there are none while a write has
        waited for longer than the manager would for one: a slow disk has twice that time before a server is taken for hung. The manager
        ends such a server by SIGABRT, at which what each thread was at goes to stderr.

        Args:
            stalled_s: tells for how long the oldest write under way has been waiting.
        """
        if self.every_s is not None:
            with contextlib.suppress(OSError, ValueError):  # no stderr that is a file
                faulthandler.enable()
        self.tell("READY=1")
        try:
            while not stop.is_set():
                if self.every_s is not None and self._gets_on(stalled_s()):
                    self.tell("WATCHDOG=1")
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), self.every_s)
        finally:
            self.tell("STOPPING=1")

    def _gets_on(self, stalled_s: float) -> bool:
        """Say whether what is written gets on; the log tells once that it doesn't."""
        is_stalled = stalled_s > self.limit_s
        if is_stalled and not self._is_stalled:
            logger.error("a write has waited for %d s: the service manager gets no sign of life until it is done", stalled_s)
        self._is_stalled = is_stalled
        return not is_stalled

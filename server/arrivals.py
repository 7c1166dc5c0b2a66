"""Games of files taken in while the server runs: whoever owns it puts a file among the arrivals in its folder, and asks for it by name.

The file is rechecked by `rasputitsa import` before, as that may take minutes; whoever can write into the server's folder could write games
into its store as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

from core import gamefile, protocol
from core.errors import BadInput
from core.gamefile import GameFile
from core.rulesets import load
from server import archive
from server.sessions import Session

if TYPE_CHECKING:
    from server.handlers import Table
    from server.service import Service

ARRIVALS = "arrivals"  # in a server's data folder
LEFT_S = 24 * 3600.0  # what has lain there for longer nobody waits for any more
logger = logging.getLogger("rasputitsa.server")


async def take_in(service: Service, session: Session, frame: protocol.TakeIn) -> None:
    """Take a game in, and tell how many entries it has here; the others are served meanwhile."""
    file = await asyncio.to_thread(_read, service.arrivals, frame.file)
    async with service.creating:
        match = await archive.take_in(service.store, file, keeper=service.identity, accounts=service.accounts, find_ruleset=load)
        room = await service.reading.beside(match.game)
        service.rooms.add(room)
        service.tending.attend(room)
    logger.info("game taken in", extra={"by": session.player, "game": match.game})
    service.sessions.send(session, protocol.Accepted(match.game, frame.file, len(match.log) - 1))


def _read(folder: Path | None, name: str) -> GameFile:
    if folder is None or not (folder / name).is_file():
        raise BadInput.one("take_in: file", f"a file among the {ARRIVALS} in the server's folder", name)
    with open(folder / name, "rb") as file:
        return gamefile.read(file.read(gamefile.MAX_FILE + 1), name=name)


def clear(folder: Path) -> None:
    """Remove what was left there: whoever is killed while a game of his is taken in leaves its file."""
    with contextlib.suppress(OSError):
        for file in folder.iterdir():
            if time.time() - file.stat().st_mtime > LEFT_S:
                file.unlink()


HANDLERS: Table = {protocol.TakeIn: take_in}

"""A server of the toy game as a process of its own: ``python -m tests.toy.host DATA [ADDRESS]``."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import server.rooms
from core.address import Place
from core.identity import Identity
from core.pack import Pack
from server import running, service
from tests.toy.ruleset import RULESET, toy_files


async def _serve(data: Path, address: str) -> None:
    def ready(bound: Place, _: service.Service) -> None:
        print(bound.link, flush=True)

    identity, stop = Identity(b"s" * 32), asyncio.Event()
    await running.run(data, address, lambda name: Pack(toy_files()), stop, identity=identity, is_open=True, apart=True, ready=ready)


if __name__ == "__main__":
    server.rooms.load = lambda name: RULESET
    asyncio.run(_serve(Path(sys.argv[1]), *(sys.argv[2:] or ["tcp://127.0.0.1:*"])))

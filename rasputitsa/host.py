"""`rasputitsa host`: a server that others join."""

from __future__ import annotations

import asyncio
import logging
import signal
from pathlib import Path

import click
import platformdirs

from rasputitsa.local_server import READY
from rasputitsa.packs import load_pack
from server import service

DEFAULT_PORT = 5757


@click.command(epilog="\b\nExample:\n  rasputitsa host --port 5757\n  rasputitsa host --address tcp://0.0.0.0:5757 --data ./games")
@click.option("--port", type=click.IntRange(1, 65535), default=DEFAULT_PORT, show_default=True, help="Port on this machine's loopback.")
@click.option("--address", help="Where to listen instead, as tcp://HOST:PORT; tcp://0.0.0.0:5757 is open to the whole network.")
@click.option("--data", type=click.Path(file_okay=False, path_type=Path), help="Folder of the games. Default: the user's data folder.")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="warning", show_default=True)
def host(port: int, address: str | None, data: Path | None, log_level: str) -> None:
    """Run a server. Its games survive any crash and are taken up again at the next start.

    Connections are not encrypted yet: open it to networks that you trust only. Ctrl-C ends it.
    """
    logging.basicConfig(level=log_level.upper(), format="%(asctime)s %(levelname)s %(message)s")
    folder = data or platformdirs.user_data_path("rasputitsa", appauthor=False) / "server"
    asyncio.run(_serve(folder, address or f"tcp://127.0.0.1:{port}"))


async def _serve(folder: Path, address: str) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    await service.run(folder, address, load_pack, stop, ready=_say_ready)


def _say_ready(bound: str, running: service.Service) -> None:
    click.echo(f"{READY}{bound}")
    click.echo(f"{len(running.rooms)} games here", err=True)
    for game, reason in running.faulty.items():
        click.echo(f"game {game} can't be taken up: {reason}", err=True)

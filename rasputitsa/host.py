"""`rasputitsa host`: a server that others join."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import threading
from logging.handlers import RotatingFileHandler
from pathlib import Path

import click
import platformdirs

from core.text import printable
from rasputitsa.local_server import LOG_NAME, READY
from rasputitsa.packs import load_pack
from server import service

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

DEFAULT_PORT = 5757
LOG_BYTES = 1 << 20


@click.command(epilog="\b\nExample:\n  rasputitsa host --port 5757\n  rasputitsa host --address tcp://0.0.0.0:5757 --data ./games")
@click.option("--port", type=click.IntRange(1, 65535), default=DEFAULT_PORT, show_default=True, help="Port on this machine's loopback.")
@click.option("--address", help="Where to listen instead, as tcp://HOST:PORT; tcp://0.0.0.0:5757 is open to the whole network.")
@click.option("--data", type=click.Path(file_okay=False, path_type=Path), help="Folder of the games. Default: the user's data folder.")
@click.option(
    "--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="warning", show_default=True,
    help="What is said on stderr, and in full in server.log beside the games.",
)
@click.option("--end-with-stdin", is_flag=True, hidden=True, help="End when stdin closes: whoever started this server is gone.")
def host(port: int, address: str | None, data: Path | None, log_level: str, end_with_stdin: bool) -> None:
    """Run a server. Its games survive any crash and are taken up again at the next start.

    Connections are not encrypted yet: open it to networks that you trust only. Ctrl-C ends it.
    """
    folder = data or platformdirs.user_data_path("rasputitsa", appauthor=False) / "server"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    log_to(folder / LOG_NAME, log_level.upper())
    let_many_in()
    asyncio.run(_serve(folder, address or f"tcp://127.0.0.1:{port}", end_with_stdin=end_with_stdin))


async def _serve(folder: Path, address: str, *, end_with_stdin: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    if end_with_stdin:
        threading.Thread(target=_wait_for_end, args=(loop, stop), daemon=True).start()
    await service.run(folder, address, load_pack, stop, ready=_say_ready)


def _wait_for_end(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    while os.read(0, 4096):
        continue
    with contextlib.suppress(RuntimeError):  # it has ended already
        loop.call_soon_threadsafe(stop.set)


class OneLine(logging.Formatter):
    """Leaves tracebacks out: they are in the file."""

    def formatException(self, ei: object) -> str:  # noqa: N802  logging's name
        """Return the exception alone."""
        error = ei[1] if isinstance(ei, tuple) else None
        return f"  {type(error).__name__}: {error}"

    def format(self, record: logging.LogRecord) -> str:
        """Return one record, never with the text that another handler made of its exception."""
        record.exc_text = None
        told = printable(super().format(record))
        record.exc_text = None
        return told


def log_to(file: Path, level: str) -> None:
    """Log to stderr in short and to a file in full; a file that can't be written is said once."""
    words = "%(asctime)s %(levelname)s %(message)s"
    screen = logging.StreamHandler()
    screen.setFormatter(OneLine(words))
    handlers: list[logging.Handler] = [screen]
    try:
        full = RotatingFileHandler(file, maxBytes=LOG_BYTES, backupCount=3, encoding="utf-8", delay=True)
        full.setFormatter(logging.Formatter(words))
        handlers.append(full)
    except OSError as error:
        click.echo(f"no log in {file}: {error.strerror}", err=True)
    logging.basicConfig(level=level, handlers=handlers, force=True)
    logging.raiseExceptions = False  # a disk that is full must not turn the log into a stream of tracebacks


def let_many_in() -> None:
    """Let the process have as many connections as the system allows it; every one takes a descriptor."""
    if resource is not None:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _say_ready(bound: str, running: service.Service) -> None:
    click.echo(f"{READY}{bound}")
    click.echo(f"{len(running.rooms)} games here", err=True)
    for game, reason in running.faulty.items():
        click.echo(printable(f"game {game} can't be taken up: {reason}"), err=True)

"""A server that runs: from its start to its end, with what its host is told."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shlex
import signal
import sys
import threading
from pathlib import Path

import click

from client.connection.identity import KEY_FILE, identity_in, user_folder
from core.address import Place
from core.identity import PublicKey, fingerprint
from core.text import counted, printable
from rasputitsa import __version__, endings, linger, owner
from rasputitsa.local_server import READY, SERVER_KEY
from rasputitsa.packs import load_pack
from server import always, discovery
from server.collecting import keep_collecting
from server.running import run
from server.service import Service
from server.store.schema import STORE, knows_keys
from server.watchdog import Manager

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

# The thread that writes needs the interpreter between the statements of a group; with the usual 5 ms it waits for whole orders. The slowest
# group in a hundred took 18 ms with 0.5 ms, 6 with 0.1 and with 0.02, where all else became slower.
SWITCH_S = 0.000_1
logger = logging.getLogger("rasputitsa.server")


def serve(
    folder: Path, where: Place, *, is_open: bool, name: str, announce: bool, end_with_stdin: bool, outlive_stdin: bool
) -> None:
    """Run a server on a folder until it is ended; errors as for `server.running.run`."""
    let_many_in()
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:  # the usual one of Windows watches no socket of ZeroMQ
        runner.run(_serve(
            folder, where, is_open=is_open, name=name, announce=announce, end_with_stdin=end_with_stdin, outlive_stdin=outlive_stdin
        ))


async def _serve(
    folder: Path, where: Place, *, is_open: bool, name: str, announce: bool, end_with_stdin: bool, outlive_stdin: bool
) -> None:
    stop, gone = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    _end_on_signals(loop, stop)
    if end_with_stdin or outlive_stdin:
        threading.Thread(target=_wait_for_end, args=(loop, stop if end_with_stdin else gone), daemon=True).start()
    _warn_of_new_store(folder)
    had_key = (folder / SERVER_KEY).exists()
    identity = identity_in(folder / SERVER_KEY)
    _warn_of_other_key(folder, identity.key, is_new=not had_key)
    owner.note_gone(folder)
    sys.setswitchinterval(SWITCH_S)
    manager = Manager()
    beside: list[asyncio.Task[None]] = []

    def ready(bound: Place, running: Service) -> None:
        beside.append(always.begin("searching the memory for cycles", keep_collecting(lambda: running.rooms.gone)))
        beside.append(always.begin("waiting for the last player to leave", linger.outlive(running, gone, stop)))
        owner.note_running(folder, bound)
        running.ending = stop if outlive_stdin else None  # where there is no terminal in which it could be ended
        _say_ready(bound, running, folder)
        beside.append(always.begin("telling the service manager", manager.keep_told(stop, lambda: running.store.stalled_s)))

    try:
        await run(
            folder, where.tcp, load_pack, stop, identity=identity, owner=None if end_with_stdin else _owner(), is_open=is_open,
            program=f"rasputitsa {__version__}", announce=discovery.Announcing(name) if announce else None, apart=True, ready=ready,
        )
    finally:
        for task in beside:
            task.cancel()
        if beside:  # where it never served, the note may be another server's, which runs on the folder
            owner.note_ended(folder)


def _end_on_signals(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, *_of_a_terminal()):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # no loop of Windows takes them
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))


def _of_a_terminal() -> list[signal.Signals]:
    """Return the signal of a terminal that is closed: none where there is none, or whoever started the server had it ignored (nohup)."""
    if sys.platform == "win32" or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return []
    return [signal.SIGHUP]


def _warn_of_new_store(folder: Path) -> None:
    """Say that a server which was here before has lost its games: moved away while it was stopped, or emptied, as by a power cut."""
    store = folder / STORE
    lost = "no" if not store.exists() else "an empty" if not store.stat().st_size else ""
    if lost and (folder / SERVER_KEY).is_file():
        words = "%s has a server's key, but %s %s: a new one is begun, without games and names; if there was one, stop and put it back"
        logger.warning(words, folder, lost, STORE)


def _warn_of_other_key(folder: Path, key: PublicKey, *, is_new: bool) -> None:
    """Say that a server which was here before has another key now: its players can't tell it from somebody else's."""
    last = owner.last_place(folder)
    was = last.key if last is not None else ""
    store = folder / STORE
    if (is_new if not was else was != key) and store.is_file() and store.stat().st_size and knows_keys(store):
        words = (
            "%s has another %s than its games knew%s: links and invites that were handed out lead nowhere, players are warned of it, and "
            "games go on with new dice chains; if the old one can be had, stop and put it back"
        )
        logger.warning(words, folder, SERVER_KEY, f" (fingerprint {fingerprint(was)})" if was else "")


def _owner() -> PublicKey | None:
    """Return the key of whoever starts the server; None, with the reason said, where he can have none."""
    try:
        return identity_in(user_folder() / KEY_FILE).key
    except OSError as error:
        click.echo(printable(f"this server has no owner: {endings.system_says(error)}"), err=True)
        return None


def _wait_for_end(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    while os.read(0, 4096):
        continue
    with contextlib.suppress(RuntimeError):  # it has ended already
        loop.call_soon_threadsafe(ended.set)


def let_many_in() -> None:
    """Let the process have as many connections as the system allows it; every one takes a descriptor."""
    if resource is not None:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _say_ready(bound: Place, running: Service, folder: Path) -> None:
    links = discovery.links(bound)
    click.echo(f"{READY}{links[0]}")
    for link in links[1:]:
        click.echo(f"also by {link}", err=True)
    click.echo(f"fingerprint {fingerprint(running.identity.key)}; {counted(len(running.rooms), 'game')} here", err=True)
    if not running.accounts.is_open:
        click.echo(printable(f"a newcomer needs an invite: rasputitsa host{_data(folder)} --invite makes one"), err=True)
    for game, reason in running.faulty.items():
        click.echo(printable(f"game {game} can't be taken up: {reason}"), err=True)


def _data(folder: Path) -> str:
    """Return what a command has to say of a server's folder; nothing where that is the usual one."""
    with contextlib.suppress(OSError):  # whoever has no home has no usual one
        if folder == user_folder() / "server":
            return ""
    return f" --data {shlex.quote(str(folder.absolute()))}"

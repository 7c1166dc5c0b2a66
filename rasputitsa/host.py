"""`rasputitsa host`: a server that others join; and what its owner asks of a running one."""

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
from core import protocol
from core.address import DEFAULT_PORT, Place, parse
from core.errors import BadInput
from core.identity import PublicKey, fingerprint
from core.text import counted, printable
from rasputitsa import __version__, endings, linger, owner
from rasputitsa.given import given
from rasputitsa.kinds import TEXT, NamedPath
from rasputitsa.local_server import LOG_NAME, READY, SERVER_KEY
from rasputitsa.logs import log_to
from rasputitsa.packs import load_pack
from server import discovery, service
from server.collecting import keep_collecting
from server.sqlite_store import STORE
from server.watchdog import Manager

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

# The thread that writes needs the interpreter between the statements of a group; with the usual 5 ms it waits for whole orders. The slowest
# group in a hundred took 18 ms with 0.5 ms, 6 with 0.1 and with 0.02, where all else became slower.
SWITCH_S = 0.000_1
logger = logging.getLogger("rasputitsa.server")
ROLES = ("player", "spectator", "referee", "owner")
BELONG = {"--uses": ["--invite"], "--days": ["--invite"], "--role": ["--invite", "--give"], "--json": ["--status"]}


@click.command(
    epilog="\b\nExample:\n  rasputitsa host --port 5757\n  rasputitsa host --address tcp://0.0.0.0:5757 --data ./games\n"
    "  rasputitsa host --invite --uses 5\n  rasputitsa host --status"
)
@click.option("--port", type=click.IntRange(1, 65534), default=DEFAULT_PORT, show_default=True, help="Port on this machine's loopback.")
@click.option("--address", type=TEXT, help="Where to listen instead, as tcp://HOST:PORT; tcp://0.0.0.0:5757 is open to the whole network.")
@click.option("--data", type=NamedPath(file_okay=False, path_type=Path), help="Folder of the games. Default: in the user's data folder.")
@click.option(
    "--open/--invited", "is_open", default=None,
    help="Whether newcomers need no invite code. Default: open on the loopback, invited on a network.",
)
@click.option("--name", type=TEXT, default="", help="What the server is called where it is announced. Default: this machine's name.")
@click.option("--announce/--quiet", default=True, show_default=True, help="Whether the local network is told (zeroconf).")
@click.option("--log", type=NamedPath(dir_okay=False, path_type=Path), help="A second log file, one JSON object a line, as server.log.")
@click.option(
    "--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="warning", show_default=True,
    help="What is said on stderr, and in full in server.log beside the games.",
)
@click.option("--invite", is_flag=True, help="Make an invite code for the server of --data, running or not, and print its join link.")
@click.option("--uses", type=int, default=1, show_default=True, help="With --invite: how many newcomers the code lets in.")
@click.option("--days", type=int, default=7, show_default=True, help="With --invite: how many days it is good.")
@click.option("--role", type=click.Choice(ROLES), default="player", show_default=True, help="With --invite and --give: what they may do.")
@click.option(
    "--revoke", type=TEXT, metavar="CODE",
    help="Let an invite code let nobody in any more: the code, or its mark in --status; running or not.",
)
@click.option("--give", "give_to", type=TEXT, metavar="NAME", help="Give a name of the running server the role of --role.")
@click.option("--kick", type=TEXT, metavar="NAME", help="Shut a name out of the running server.")
@click.option("--status", is_flag=True, help="Print who and what is on the running server.")
@click.option("--json", "as_json", is_flag=True, help="With --status: as JSON.")
@click.option("--end-with-stdin", is_flag=True, hidden=True, help="End when stdin closes: whoever started this server is gone.")
@click.option("--outlive-stdin", is_flag=True, hidden=True, help="End when stdin has closed and the last player has left.")
def host(
    port: int, address: str | None, data: Path | None, is_open: bool | None, name: str, announce: bool, log: Path | None, log_level: str,
    invite: bool, uses: int, days: int, role: protocol.Role, revoke: str | None, give_to: str | None, kick: str | None, status: bool,
    as_json: bool, end_with_stdin: bool, outlive_stdin: bool,
) -> None:
    """Run a server. Its games survive any crash and are taken up again at the next start. Ctrl-C ends it.

    Connections are encrypted. Whoever starts the server first owns it: his key (in his data folder) makes invites, gives roles and
    asks for the status, by the options --invite, --revoke, --give, --kick and --status.
    """
    folder = data or user_folder() / "server"
    named = {"--revoke": revoke, "--give": give_to, "--kick": kick}  # who writes "$NAME" and has no NAME wants no server
    asked = [what for what, wanted in (("--invite", invite), *named.items(), ("--status", status)) if wanted not in (None, False)]
    if len(asked) > 1:
        raise BadInput.one("options", "one of --invite, --revoke, --give, --kick, --status", " and ".join(asked))
    if "" in named.values():
        raise BadInput.one(asked[0], "an invite code or its mark" if revoke is not None else "a name of the server", "nothing")
    _check_belong(asked)
    if asked and (where_to := given("port", "address")):
        raise BadInput.one(f"--{where_to[0]}", f"no address with {asked[0]}, which goes to the server of --data", address or port)
    if invite:
        owner.invite(folder, role, uses=uses, days=days)
    elif revoke is not None:
        owner.revoke(folder, revoke)
    elif give_to is not None:
        owner.tell_status(owner.ask(folder, protocol.GiveRole(give_to, role)), as_json=False)
    elif kick is not None:
        owner.tell_status(owner.ask(folder, protocol.Kick(kick)), as_json=False)
    elif status:
        owner.tell_status(owner.ask(folder, protocol.AskStatus()), as_json=as_json)
    else:
        where = _bound_to(f"tcp://127.0.0.1:{port}" if address is None else address)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        log_to([folder / LOG_NAME, *([log] if log else [])], log_level.upper())
        let_many_in()
        wanted = where.is_here if is_open is None else is_open
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:  # the usual one of Windows watches no socket of ZeroMQ
            runner.run(_serve(
                folder, where, is_open=wanted, name=name, announce=announce, end_with_stdin=end_with_stdin, outlive_stdin=outlive_stdin
            ))


def _check_belong(asked: list[str]) -> None:
    """Raise BadInput for an option that says more about what was not asked for: who forgot --invite wanted no server."""
    for name, needed in BELONG.items():
        if given(name.removeprefix("--").replace("json", "as_json")) and not {*asked} & {*needed}:
            raise BadInput.one(name, f"{' or '.join(needed)} with it", asked[0] if asked else "none")


def _bound_to(address: str) -> Place:
    """Return where a server shall listen; a join link leads to one that does already."""
    expected = "tcp://HOST:PORT, such as tcp://0.0.0.0:5757, with a port from 1 to 65535"
    try:
        where = parse("--address", address, any_port=True)
    except BadInput as error:
        raise BadInput.one("--address", expected, address) from error
    if where.key or where.invite:
        raise BadInput.one("--address", expected, address)
    return where


async def _serve(
    folder: Path, where: Place, *, is_open: bool, name: str, announce: bool, end_with_stdin: bool, outlive_stdin: bool
) -> None:
    stop, gone = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    _end_on_signals(loop, stop)
    if end_with_stdin or outlive_stdin:
        threading.Thread(target=_wait_for_end, args=(loop, stop if end_with_stdin else gone), daemon=True).start()
    _warn_of_new_store(folder)
    identity = identity_in(folder / SERVER_KEY)

    sys.setswitchinterval(SWITCH_S)
    manager = Manager()
    beside: list[asyncio.Task[None]] = []

    def ready(bound: Place, running: service.Service) -> None:
        beside.append(loop.create_task(keep_collecting(lambda: running.rooms.gone)))
        beside.append(loop.create_task(linger.outlive(running, gone, stop)))
        owner.note_running(folder, bound)
        running.ending = stop if outlive_stdin else None  # where there is no terminal in which it could be ended
        _say_ready(bound, running, folder)
        beside.append(loop.create_task(manager.keep_told(stop, lambda: running.store.stalled_s)))

    try:
        await service.run(
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
    """Say that a server which was here before has lost its games, as somebody may have moved them away while it was stopped."""
    if (folder / SERVER_KEY).is_file() and not (folder / STORE).exists():
        words = "%s has a server's key, but no %s: a new one is begun, without games and names; if there was one, stop and put it back"
        logger.warning(words, folder, STORE)


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


def _say_ready(bound: Place, running: service.Service, folder: Path) -> None:
    links = discovery.links(bound)
    click.echo(f"{READY}{links[0]}")
    for link in links[1:]:
        click.echo(f"also by {link}", err=True)
    click.echo(f"fingerprint {fingerprint(running.identity.key)}; {counted(len(running.rooms), 'game')} here", err=True)
    if not running.accounts.is_open:
        where = "" if folder == user_folder() / "server" else f" --data {shlex.quote(str(folder.absolute()))}"
        click.echo(printable(f"a newcomer needs an invite: rasputitsa host{where} --invite makes one"), err=True)
    for game, reason in running.faulty.items():
        click.echo(printable(f"game {game} can't be taken up: {reason}"), err=True)

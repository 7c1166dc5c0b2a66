"""`rasputitsa host`: a server that others join; and what its owner asks of a running one."""

from __future__ import annotations

import signal
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from client.connection.identity import user_folder
from core import protocol
from core.address import DEFAULT_PORT, Place, parse
from core.errors import BadInput
from rasputitsa import endings, owner
from rasputitsa.given import given
from rasputitsa.kinds import TEXT, NamedPath
from rasputitsa.local_server import LOG_NAME
from rasputitsa.logs import log_to

LAST_PORT = 65534  # the one above tells the server's key
ASKED = ["--invite", "--revoke", "--give", "--kick", "--status"]
OF_A_START = {  # by the names of their arguments
    "is_open": "--open and --invited", "name": "--name", "announce": "--announce and --quiet", "log": "--log", "log_level": "--log-level",
}
BELONG = {"--uses": ["--invite"], "--days": ["--invite"], "--role": ["--invite", "--give"], "--json": ["--status"], "--key": ASKED}


@click.command(
    epilog="\b\nExample:\n  rasputitsa host --port 5757\n  rasputitsa host --address tcp://0.0.0.0:5757 --data ./games\n"
    "  rasputitsa host --invite --uses 5\n  rasputitsa host --status"
)
@click.option("--port", type=click.IntRange(1, LAST_PORT), default=DEFAULT_PORT, show_default=True, help="Port on this machine's loopback.")
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
@click.option(
    "--role", type=click.Choice(protocol.ROLES), default="player", show_default=True, help="With --invite and --give: what they may do.",
)
@click.option(
    "--revoke", type=TEXT, metavar="CODE",
    help="Let an invite code let nobody in any more: the code, or its mark in --status; running or not.",
)
@click.option("--give", "give_to", type=TEXT, metavar="NAME", help="Give a name of the running server the role of --role.")
@click.option("--kick", type=TEXT, metavar="NAME", help="Shut a name out of the running server.")
@click.option("--status", is_flag=True, help="Print who and what is on the running server.")
@click.option("--json", "as_json", is_flag=True, help="With --status: as JSON.")
@click.option(
    "--key", type=NamedPath(exists=True, dir_okay=False, path_type=Path),
    help="With these five, of a running server: an owner's key file instead of yours.",
)
@click.option("--end-with-stdin", is_flag=True, hidden=True, help="End when stdin closes: whoever started this server is gone.")
@click.option("--outlive-stdin", is_flag=True, hidden=True, help="End when stdin has closed and the last player has left.")
def host(
    port: int, address: str | None, data: Path | None, is_open: bool | None, name: str, announce: bool, log: Path | None, log_level: str,
    invite: bool, uses: int, days: int, role: protocol.Role, revoke: str | None, give_to: str | None, kick: str | None, status: bool,
    as_json: bool, key: Path | None, end_with_stdin: bool, outlive_stdin: bool,
) -> None:
    """Run a server. Its games survive any crash and are taken up again at the next start. Ctrl-C ends it.

    Connections are encrypted. Whoever starts the server first owns it: his key (in his data folder) makes invites, gives roles and
    asks for the status, by the options --invite, --revoke, --give, --kick and --status.
    """
    folder = data or user_folder() / "server"
    named = {"--revoke": revoke, "--give": give_to, "--kick": kick}  # who writes "$NAME" and has no NAME wants no server
    asked = [what for what, wanted in (("--invite", invite), *named.items(), ("--status", status)) if wanted not in (None, False)]
    if len(asked) > 1:
        raise BadInput.one("options", f"one of {', '.join(ASKED)}", " and ".join(asked))
    if "" in named.values():
        raise BadInput.one(asked[0], "an invite code or its mark" if revoke is not None else "a name of the server", "nothing")
    _check_belong(asked)
    if asked and (where_to := given("port", "address")):
        raise BadInput.one(f"--{where_to[0]}", f"no address with {asked[0]}, which goes to the server of --data", address or port)
    if invite:
        owner.invite(folder, role, uses=uses, days=days, key=key)
    elif revoke is not None:
        owner.revoke(folder, revoke, key=key)
    elif give_to is not None:
        owner.tell_status(owner.ask(folder, protocol.GiveRole(give_to, role), key=key), as_json=False)
    elif kick is not None:
        owner.tell_status(owner.ask(folder, protocol.Kick(kick), key=key), as_json=False)
    elif status:
        owner.tell_status(owner.ask(folder, protocol.AskStatus(), key=key), as_json=as_json)
    else:
        where = _bound_to(f"tcp://127.0.0.1:{port}" if address is None else address)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        log_to([folder / LOG_NAME, *([log] if log else [])], log_level.upper())
        signal.signal(signal.SIGTERM, _end)
        from rasputitsa.serving import serve  # only here: whoever asks a server that runs, as its health check does, loads none

        wanted = where.is_here if is_open is None else is_open
        serve(folder, where, is_open=wanted, name=name, announce=announce, end_with_stdin=end_with_stdin, outlive_stdin=outlive_stdin)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    """End a server that is told to end before it serves as one that does: to a service manager all else is a failure."""
    del number, frame
    raise SystemExit(endings.DONE)


def _check_belong(asked: list[str]) -> None:
    """Raise BadInput for an option that says more about what was not asked for: who forgot --invite wanted no server."""
    for name, needed in BELONG.items():
        if given(name.removeprefix("--").replace("json", "as_json")) and not {*asked} & {*needed}:
            raise BadInput.one(name, f"{' or '.join(needed)} with it", asked[0] if asked else "none")
    if asked and (of_a_start := given(*OF_A_START)):
        raise BadInput.one(OF_A_START[of_a_start[0]], "a server that is to start", asked[0])
    if len(given("port", "address")) > 1:
        raise BadInput.one("--port", "no --address with it, which names a port as well", "both")


def _bound_to(address: str) -> Place:
    """Return where a server shall listen; a join link leads to one that does already."""
    expected = f"tcp://HOST:PORT, such as tcp://0.0.0.0:5757, with a port from 1 to {LAST_PORT}"
    try:
        where = parse("--address", address, any_port=True)
    except BadInput as error:
        raise BadInput.one("--address", expected, address) from error
    if where.key or where.invite or where.port > LAST_PORT:
        raise BadInput.one("--address", expected, address)
    return where

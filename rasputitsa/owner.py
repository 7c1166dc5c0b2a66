"""What the owner of a server asks of it from the command line: an invite, a role, its status."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import queue
import shlex
import time
from pathlib import Path

import click
import msgspec
from rich.table import Table
from rich.text import Text

from client.bounded import read_bounded
from client.connection.games import Games
from client.connection.identity import KEY_FILE, identity_in, user_folder
from client.connection.line import Down, Up
from client.connection.notes import Answered, Note, Trouble
from client.writing import write_whole
from core import protocol
from core.address import DEFAULT_PORT, Place, parse
from core.errors import BadInput, Broken, Fault, Refused
from core.identity import fingerprint
from core.text import counted, printable, text
from rasputitsa.local_server import LAST_ADDRESS, RUNNING, SERVER_KEY
from rasputitsa.screen import FINGERPRINT, folded, show, whole
from server import discovery
from server.accounts import MAX_DAYS, MAX_USES, Accounts, digest_of, mark_of
from server.store.sqlite import STORE, SqliteStore, holding

MOST_OF_NOTE = 1_000  # bytes of where a server answers; it has some 90
ANSWER_S = 30.0  # what a slow disk takes to keep an invite: whoever is told of no answer would make another
NOT_OURS = (
    "that is for the owner of this server, and your key is nobody's there: {fingerprint}, of {file}. "
    "The owner is whoever started the server first; run this as that user, with his HOME, or name an owner's key file by --key"
)
NOT_YET = "{folder} is in use, and no server answers there: one that starts reads its games first; try again in a while"


# -------------------------------------------------------------------- where the server is


def note_running(folder: Path, bound: Place) -> None:
    """Write down beside the games where their server answers."""
    write_whole(folder / RUNNING, f"{bound.link}\n".encode())


def note_gone(folder: Path) -> None:
    """Keep the note that a server left which was killed as that of where it was last, unless another has the folder."""
    with contextlib.suppress(Refused, OSError), holding(folder):
        note_ended(folder)


def note_ended(folder: Path) -> None:
    """Keep the note as that of where the server was last."""
    with contextlib.suppress(OSError):
        (folder / RUNNING).replace(folder / LAST_ADDRESS)


def last_place(folder: Path) -> Place | None:
    """Return where the server of a folder listened last, with the key that it had; None if it never did, or nobody can tell."""
    for note in (folder / RUNNING, folder / LAST_ADDRESS):  # one that was killed left the first
        with contextlib.suppress(OSError, BadInput):
            return parse(str(note), read_bounded(note, MOST_OF_NOTE).decode(errors="replace").strip())
    return None


def running(folder: Path) -> Place:
    """Return where the server of a folder is bound.

    Raises:
        Refused: none runs, or it does not answer yet.
    """
    note, is_noted = folder / RUNNING, (folder / RUNNING).is_file()
    if not (is_noted or (folder / STORE).is_file()) or not _is_held(folder):  # one that was killed left its note
        raise Refused("", text("no server runs on {folder}", folder=str(folder)))
    if not is_noted:
        raise Refused("", text(NOT_YET, folder=str(folder)))
    return parse(str(note), read_bounded(note, MOST_OF_NOTE).decode(errors="replace").strip())


def _is_held(folder: Path) -> bool:
    """Say whether a server has a folder, as far as whoever asks can tell."""
    try:
        with holding(folder):
            return False
    except (Refused, OSError):
        return True


def check_is_a_servers(folder: Path) -> None:
    """Refuse a folder that no server has begun, and one of which half is gone: a slip in a path shall not make a server."""
    lacking = [name for name in (SERVER_KEY, STORE) if not (folder / name).is_file()]
    if len(lacking) == 1:
        words = "{folder} is no whole server's: it has no {name}; put it back, or restore a backup into an empty folder"
        raise Refused("", text(words, folder=str(folder), name=lacking[0]))
    if lacking:
        words = "there is no server in {folder} yet: start one with rasputitsa host --data {quoted}"
        raise Refused("", text(words, folder=str(folder), quoted=shlex.quote(str(folder))))


def from_here(bound: Place) -> Place:
    """Return where a bound server is reached from its own machine."""
    return msgspec.structs.replace(bound, host={"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(bound.host, bound.host))


# -------------------------------------------------------------------- asking


def ask(
    folder: Path, frame: protocol.Frame, *, key: Path | None = None, patience_s: float = ANSWER_S
) -> protocol.Status | protocol.Invite | Answered:
    """Send a frame to the running server of a folder, as whoever calls, and return its answer.

    Args:
        key: his key file; None: the one in his data folder.
        patience_s: how long to wait for it.

    Raises:
        Refused: no server runs, or it says no. BadInput: what was asked can't be.
        OSError: it does not answer. Broken: it could not go on.
    """
    place = from_here(running(folder))
    notes: queue.SimpleQueue[Note] = queue.SimpleQueue()
    games = Games(notes.put)
    key_file = key or user_folder() / KEY_FILE
    identity = identity_in(key_file)
    # No name: the owner of a new server may have none there yet, who has not joined it.
    games.connect(place.link, "", identity=identity)
    try:
        return _answer(notes, games, frame, place, patience_s)
    except _Unknown as error:
        raise Refused("", text(NOT_OURS, file=str(key_file), fingerprint=fingerprint(identity.key))) from error
    finally:
        games.close()


class _Unknown(Exception):
    """The server knows nobody of our key."""


def _answer(
    notes: queue.SimpleQueue[Note], games: Games, frame: protocol.Frame, place: Place, patience_s: float
) -> protocol.Status | protocol.Invite | Answered:
    while True:
        try:
            note = notes.get(timeout=patience_s)
        except queue.Empty:
            raise OSError(errno.ETIMEDOUT, f"no answer for {patience_s:.0f} s", place.tcp) from None
        match note:
            case Up():
                games.send(frame)
            case protocol.Status() | protocol.Invite():
                return note
            case Answered() if note.refused is not None:
                raise Refused(note.rule, note.refused)
            case Answered() if note.game:
                return note
            case Down():
                raise OSError(errno.ECONNABORTED, note.reason)  # which names the place
            case Trouble(fault=Fault(where=protocol.NO_NAME)):
                raise _Unknown
            case Trouble():
                raise BadInput([note.fault]) if note.fault is not None and not note.broke else Broken(note.text)
            case _:
                continue


# -------------------------------------------------------------------- invites


def invite(folder: Path, role: protocol.Role, *, uses: int, days: int, key: Path | None = None) -> None:
    """Make an invite code, print it and the link that carries it; by the running server, or in its folder while none runs."""
    for option, value, most in (("--uses", uses, MAX_USES), ("--days", days, MAX_DAYS)):
        if not 1 <= value <= most:  # of a number that no frame holds nobody could be told by the server
            raise BadInput.one(option, f"a whole number from 1 to {most}", value)
    check_is_a_servers(folder)
    try:
        with holding(folder):
            code = asyncio.run(_invite_here(folder, role, uses=uses, days=days))
            server = identity_in(folder / SERVER_KEY).key
            was = last_place(folder)
            # Where it never was the host knows where it will be.
            place = Place("HOST", DEFAULT_PORT, server) if was is None else msgspec.structs.replace(was, key=server)
            remark = " (where it answered last)" if was else " (the host's address for HOST, and its port)"
    except Refused:
        made = ask(folder, protocol.MakeInvite(role, uses, days), key=key)
        assert isinstance(made, protocol.Invite), "an invite was asked for"
        code, place, remark = made.code, running(folder), ""
    mark = mark_of(digest_of(code))
    click.echo(f"invite code {code}: {role}, {counted(uses, 'newcomer')}, {counted(days, 'day')}; listed as {mark}")
    for link in discovery.links(place, invite=code):
        click.echo(f"join by {link}{remark}")


async def _invite_here(folder: Path, role: protocol.Role, *, uses: int, days: int) -> str:
    store = SqliteStore(folder / STORE)
    try:
        return await Accounts(store).invite(role, uses=uses, days=days)
    finally:
        store.close()


def revoke(folder: Path, code: str, *, key: Path | None = None) -> None:
    """Let an invite code let nobody in any more, by the running server, or in its folder while none runs."""
    check_is_a_servers(folder)
    try:
        with holding(folder):
            asyncio.run(_revoke_here(folder, code))
    except Refused:
        ask(folder, protocol.RevokeInvite(code), key=key)
    click.echo(printable(f"invite {code} lets nobody in any more"))


async def _revoke_here(folder: Path, code: str) -> None:
    store = SqliteStore(folder / STORE)
    try:
        await Accounts(store).revoke(code)
    finally:
        store.close()


# -------------------------------------------------------------------- status


def tell_status(status: protocol.Status | protocol.Invite | Answered, *, as_json: bool) -> None:
    """Print how a server is."""
    assert isinstance(status, protocol.Status), "the status was asked for"
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(status), indent=1))
        return
    hours, minutes = divmod(status.uptime_s // 60, 60)
    click.echo(
        f"{printable(status.program)}: up {hours} h {minutes:02} min, {status.memory >> 20} MiB, "
        f"{counted(status.connections, 'connection')}, {status.queue} waiting, {counted(status.games, 'game')}"
    )
    if status.trouble:
        click.echo(printable(status.trouble))
    for game, reason in status.faulty.items():
        click.echo(printable(f"game {game} can't be taken up: {reason}"))
    if status.unread:
        click.echo(f"and {counted(status.unread, 'game')} more")
    if not status.members:
        click.echo("nobody has taken a name here yet")
    table = Table(*map(folded, ("name", "role", "connections", "program")), whole("fingerprint", FINGERPRINT))
    for one in status.members:
        role = "shut out" if one.is_shut_out else one.role
        table.add_row(*(Text(printable(word)) for word in (one.name, role, str(one.lines), ", ".join(one.programs), one.fingerprint)))
    if status.members:
        show(table)
    if status.unnamed:
        click.echo(f"and {counted(status.unnamed, 'name')} more")
    for invite in status.invites:
        until = time.strftime("%Y-%m-%d %H:%M", time.localtime(invite.until_ms / 1000))
        click.echo(f"open invite {invite.mark}: {invite.role}, {counted(invite.uses, 'newcomer')}, until {until}")

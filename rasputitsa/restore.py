"""`rasputitsa restore`: a server from its backup."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from client.writing import OWNER_MAY, sync_folder, write_whole
from core.errors import Refused
from core.text import printable, text
from rasputitsa.backup import tell_damages
from rasputitsa.kinds import NamedPath
from rasputitsa.local_server import SERVER_KEY
from server.store import backups
from server.store.schema import STORE


@click.command(epilog="\b\nExample:\n  rasputitsa restore server-2026-11-28.backup /var/lib/rasputitsa/server")
@click.argument("file", type=NamedPath(exists=True, dir_okay=False, path_type=Path))
@click.argument("data", type=NamedPath(file_okay=False, path_type=Path))
def restore(file: Path, data: Path) -> int:
    """Put the backup FILE into the folder DATA, which has no server yet; `rasputitsa host --data DATA` then goes on.

    Games that are under way get a new dice chain at that start, and an entry that says so: what the old chain showed after the backup was
    made is known to the players.

    Exit status 1 if it was put back, and some of FILE was found altered: an earlier backup may have it whole.
    """
    key = data / SERVER_KEY
    if key.exists() and (data / STORE).exists():
        raise Refused("", text("{folder} is a server's already", folder=str(data)))

    def keep(kept: bytes) -> None:
        if key.exists() and key.read_bytes() != kept:
            raise Refused("", text("{folder} is a server's already", folder=str(data)))
        for left in data.glob(f".{SERVER_KEY}.*"):  # by a restore that was killed as it wrote the key
            left.unlink()
        if kept:
            write_whole(key, kept, mode=OWNER_MAY)

    backups.restore(file, data, keep_key=keep)
    sync_folder(data)
    click.echo(printable(f"{data}: restored; start it with rasputitsa host --data {shlex.quote(str(data))}"))
    return tell_damages(data / STORE, "an earlier backup may have it whole: restore that into an empty folder instead")

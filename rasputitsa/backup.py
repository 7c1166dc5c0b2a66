"""`rasputitsa backup`: a server's games and key as one file, while it runs."""

from __future__ import annotations

from pathlib import Path

import click

from client.connection.identity import identity_of
from client.writing import sync_folder
from core.text import counted, printable
from rasputitsa import endings
from rasputitsa.kinds import NamedPath
from rasputitsa.local_server import SERVER_KEY
from rasputitsa.screen import progress
from server.store import backups, soundness


@click.command(epilog="\b\nExample:\n  rasputitsa backup /var/lib/rasputitsa/server server-2026-11-28.backup")
@click.argument("data", type=NamedPath(exists=True, file_okay=False, path_type=Path))
@click.argument("file", type=NamedPath(dir_okay=False, path_type=Path))
def backup(data: Path, file: Path) -> int:
    """Copy all that a server keeps in DATA into the new FILE: games, chat, names, the secrets of dice, and the server's key.

    The server may run meanwhile; FILE is as the folder was at one moment. Whoever has FILE can set up the server in your place: keep it as
    you would the key. `rasputitsa restore` puts it back.

    Exit status 1 if FILE was made, and some of it was found altered, as by a disk that loses bytes: keep the backups from before.
    """
    key = data / SERVER_KEY
    if key.exists():
        identity_of(key)  # one that no server can use is told now, and not when the backup is needed
    with progress() as bars:
        task = bars.add_task(str(file), total=None)
        games = backups.backup(
            data, file, key=key.read_bytes() if key.exists() else b"",
            progress=lambda done, total: bars.update(task, completed=done, total=total),
        )
    sync_folder(file.parent)
    click.echo(printable(f"{file}: {counted(games, 'game')}, {file.stat().st_size} bytes"))
    return tell_damages(file, "an earlier backup may have it whole")


def tell_damages(store: Path, remedy: str) -> int:
    """Say what a store has lost, each with what can be done, and return the exit code of that."""
    damages = soundness.damages(store)
    for damage in damages:
        click.echo(printable(f"{store}: {damage}; {remedy}"), err=True)
    return endings.FAILED if damages else endings.DONE

"""`rasputitsa import`: games of files, taken into a server."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from client.connection.identity import identity_in
from core.errors import Refused
from core.identity import Identity
from core.text import counted, printable
from core.trials.verify import verify
from rasputitsa import endings
from rasputitsa.files import read_game
from rasputitsa.local_server import SERVER_KEY
from rasputitsa.screen import progress
from server import archive
from server.sqlite_store import STORE, SqliteStore, holding


@click.command("import", epilog="\b\nExample:\n  rasputitsa import ./games evening.rasputitsa")
@click.argument("data", type=click.Path(file_okay=False, path_type=Path))
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE...")
def import_games(data: Path, files: tuple[Path, ...]) -> int:
    """Take the games of FILE into the server of DATA, which must not run meanwhile. Each is rechecked first, as by `rasputitsa verify`.

    A game that is over is kept as it is. One that is under way goes on: its players come back under their keys and names, and its dice
    come from a new chain of this server, which an entry says to all. One that waits for its dice is refused; its own server must finish
    that order first.

    Exit status 0 if all were taken in, 1 if one does not hold, 3 if one is refused.
    """
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    with holding(data):
        keeper, store = identity_in(data / SERVER_KEY), SqliteStore(data / STORE)
        try:
            return max(_import_one(store, file, keeper) for file in files)
        finally:
            store.close()


def _import_one(store: SqliteStore, file: Path, keeper: Identity) -> int:
    game = read_game(file)
    with progress() as bars:
        task = bars.add_task(file.name, total=None)
        report = verify(game, progress=lambda done, total: bars.update(task, completed=done, total=total))
    for finding in report.findings:
        click.echo(printable(f"{file}: entry {finding.entry}: {finding.kind}: {finding.text}"))
    if not report.holds:
        click.echo(printable(f"{file}: not taken in: {counted(len(report.findings), 'finding')}"))
        return endings.FAILED
    try:
        match = asyncio.run(archive.take_in(store, game, keeper=keeper))
    except Refused as refused:
        click.echo(printable(f"{file}: refused: {refused}"), err=True)
        return endings.REFUSED
    how = "over, kept as it is" if match.outcome is not None else "it goes on here, with dice of a new chain"
    click.echo(printable(f"{file}: {game.head.game}: {counted(len(game.entries), 'entry', 'entries')}, {how}"))
    return endings.DONE

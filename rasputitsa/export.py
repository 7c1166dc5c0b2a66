"""`rasputitsa export`: a game of a server as a file that anyone can check."""

from __future__ import annotations

from pathlib import Path

import click

from client.writing import sync_folder
from core import gamefile
from core.errors import BadInput, Broken
from core.rulesets import load
from core.text import counted, printable
from rasputitsa import endings
from rasputitsa.kinds import NamedPath
from server import archive
from server.store import backups
from server.store.reads import StoreReads, looking_at
from server.store.schema import STORE


@click.command(epilog="\b\nExample:\n  rasputitsa export ./games\n  rasputitsa export ./games evening evening.rasputitsa")
@click.argument("data", type=NamedPath(exists=True, file_okay=False, path_type=Path))
@click.argument("game", required=False)
@click.argument("file", required=False, type=NamedPath(dir_okay=False, path_type=Path))
def export(data: Path, game: str | None, file: Path | None) -> int:
    """Write GAME of the server in DATA into the new FILE; without them, list its games. The server may run meanwhile.

    FILE has all that belongs to the game: its scenario pack with the owner's charts, every entry, each order signed by its player's key,
    the links of all dice. `rasputitsa verify` rechecks it, `replay` tells it, `import` takes it into another server. No secret of the
    server is in it; but what the game hides lies open there.
    """
    with looking_at(data / STORE) as store:
        if game is None:
            return _list(store, data)
        if file is None:
            raise BadInput.one("FILE", "where the game is to be written", "nothing")
        content = archive.export(store, game)
    written = gamefile.read(content, name=game)
    with backups.new_file(file) as part:
        part.write_bytes(content)
    sync_folder(file.parent)
    if load(written.head.ruleset).secrets and written.head.viewer == "":
        click.echo("what the game hides lies open in this file: while it is under way, show it to nobody who plays", err=True)
    waits = ", and an order that waits for its dice" if written.pending is not None else ""
    click.echo(printable(f"{file}: {counted(len(written.entries), 'entry', 'entries')}{waits}, {file.stat().st_size} bytes"))
    return endings.DONE


def _list(store: StoreReads, data: Path) -> int:
    """Print a line a game, also of those that can't be read: whoever saves what is whole must see it all."""
    names, worst = store.names(), endings.DONE
    for name in names:
        try:
            line = _line(store, name)
        except (BadInput, Broken, KeyError) as error:
            why = "it is listed, and not found" if isinstance(error, KeyError) else error
            line, worst = f"{name}  can't be read: {why}", endings.FAILED
        click.echo(printable(line))
    if not names:
        click.echo(printable(f"no games in {data}"), err=True)
    return worst


def _line(store: StoreReads, name: str) -> str:
    head = store.game(name).head
    return f"{name}  {head.ruleset}/{head.scenario}  {counted(len(store.entries(name)), 'entry', 'entries')}"

"""`rasputitsa import`: games of files, taken into a server."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

import click

from client.connection.identity import identity_in
from core import protocol
from core.errors import BadInput, Refused
from core.gamefile import GameFile, open_match
from core.identity import Identity
from core.text import counted, printable
from core.trials.verify import verify
from rasputitsa import endings, owner
from rasputitsa.files import named, read_game
from rasputitsa.kinds import NamedPath
from rasputitsa.local_server import SERVER_KEY
from rasputitsa.screen import progress
from rasputitsa.verify import tell
from server import archive
from server.arrivals import ARRIVALS
from server.store import backups
from server.store.sqlite import STORE, SqliteStore, give_to_whose_folder_it_is, holding

PATIENCE_S = 600.0  # for a server that takes a very long game in


@click.command("import", epilog="\b\nExample:\n  rasputitsa import ./games evening.rasputitsa")
@click.argument("data", type=NamedPath(file_okay=False, path_type=Path))
@click.argument("files", nargs=-1, required=True, type=NamedPath(exists=True, dir_okay=False, path_type=Path), metavar="FILE...")
@click.option("--earlier-rules", is_flag=True, help="Take also games in which today's rules decide otherwise than the earlier ones under "
              "which they were begun: on your word, as nobody can recheck those entries.")
@click.option("--key", type=NamedPath(exists=True, dir_okay=False, path_type=Path),
              help="Of a server that runs: an owner's key file instead of yours.")
def import_games(data: Path, files: tuple[Path, ...], *, earlier_rules: bool, key: Path | None) -> int:
    """Take the games of FILE into the server of DATA, whether it runs (you must be its owner) or not; it was started there before. Each
    game is rechecked first, as by `rasputitsa verify`, and what there is to know of it printed.

    A game that is over is kept as it is. One that is under way goes on: its players come back under their keys and names, and its dice
    come from a new chain of this server, which an entry says to all. One that waits for its dice is refused; its own server must finish
    that order first.

    Exit status 0 if all were taken in, 1 if one does not hold, 2 if one can't be read, 3 if one is refused.
    """
    owner.check_is_a_servers(data)
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(holding(data))
        except Refused:
            owner.running(data)  # else whoever has the folder is no server
            by_server = functools.partial(_by_server, data, key)
            return max(_import_one(file, functools.partial(by_server, file), earlier_rules=earlier_rules) for file in files)
        keeper, store = identity_in(data / SERVER_KEY), SqliteStore(data / STORE)
        stack.callback(store.close)
        return max(_import_one(file, lambda game: _here(store, game, keeper), earlier_rules=earlier_rules) for file in files)


def _import_one(file: Path, take_in: Callable[[GameFile], None], *, earlier_rules: bool) -> int:
    try:
        game = read_game(file)
        with named(file), progress() as bars:
            task = bars.add_task(file.name, total=None)
            report = verify(game, progress=lambda done, total: bars.update(task, completed=done, total=total))
    except BadInput as error:
        return endings.list_faults(error)
    tell(file, game, report)
    if not report.holds and not (earlier_rules and report.holds_by_earlier_rules):
        rest = "; --earlier-rules takes it in all the same" if report.holds_by_earlier_rules else ""
        click.echo(printable(f"{file}: not taken in: {counted(len(report.findings), 'finding')}{rest}"))
        return endings.FAILED
    try:
        take_in(game)
    except Refused as refused:
        click.echo(printable(f"{file}: refused: {refused}"), err=True)
        return endings.REFUSED
    over = open_match(game, clock=lambda: 0).outcome is not None
    how = "over, kept as it is" if over else "it goes on here, with dice of a new chain"
    click.echo(printable(f"{file}: {game.head.game}: {counted(len(game.entries), 'entry', 'entries')}, {how}"))
    return endings.DONE


def _here(store: SqliteStore, game: GameFile, keeper: Identity) -> None:
    """Write a game into the store of a server that does not run."""
    asyncio.run(archive.take_in(store, game, keeper=keeper))


def _by_server(data: Path, key: Path | None, file: Path, game: GameFile) -> None:
    """Let the running server of a folder take a file in: it is put among the arrivals there, and asked for by name."""
    folder = data / ARRIVALS
    folder.mkdir(exist_ok=True, mode=0o700)
    give_to_whose_folder_it_is(folder)
    there = folder / f"{secrets.token_hex(8)}.rasputitsa"
    try:
        with backups.new_file(there) as part:
            shutil.copyfile(file, part)
        give_to_whose_folder_it_is(there)
        owner.ask(data, protocol.TakeIn(there.name), key=key, patience_s=PATIENCE_S)
    finally:
        there.unlink(missing_ok=True)

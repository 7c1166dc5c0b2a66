"""Stores and games as files: a store backed up while its server runs, and put back; a game written out, and taken in elsewhere.

A backup is the whole store with every secret, and the server's key: whoever has it has the server. A game's file has no secret. So a game
that goes on at another server goes on with a dice chain of that server's own, and an entry (`core.log.TakenOver`) says so to all; the same
happens to games of a backup, as the links that were shown after it was made are known.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from core import gamefile
from core.errors import BadInput, Refused
from core.gamefile import GameFile, open_match
from core.identity import Identity
from core.log import Away, Log
from core.match import Match
from core.pack import Pack
from core.ruleset import Ruleset
from core.rulesets import load
from core.text import text
from server import schema, steady
from server.accounts import Accounts
from server.chains import takeover
from server.durable import durable
from server.sqlite_store import STORE
from server.store import Store, StoredGame
from server.store_reads import Progress, StoreReads, looking_at

if sys.platform != "win32":
    import fcntl

PAGES = 1_000  # copied at a stretch; the server writes in between


# -------------------------------------------------------------------- files


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Yield where a file is to be written that will be *path*, whole, or not be there; readable by its owner only.

    Whoever is killed meanwhile leaves nothing under that name, and what he leaves beside it is cleared away by the next one. The folder
    is synced by whoever says that the file is there.

    Raises:
        Refused: it is there already, just being written, or an earlier one's journal is there. OSError: it can't be written.
    """
    part = schema.part_of(path)
    with _told_of(path, part):
        held = os.open(part, os.O_RDWR | os.O_CREAT, 0o600)
    is_ours = False
    try:
        _hold(held, path)
        is_ours = True
        if path.exists():
            raise Refused("", text("{file} is there already, and nothing is written over", file=str(path)))
        _check_beside(path)
        _clear_beside(part)
        os.ftruncate(held, 0)
        with _told_of(path, part):
            yield part
            with open(part, "rb") as written:
                os.fsync(written.fileno())
        _name(part, path)
    finally:
        if is_ours:
            _clear_beside(part)
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
        os.close(held)


@contextmanager
def _told_of(path: Path, part: Path) -> Iterator[None]:
    """Have an error of the system that names no file, or the one beside, name the one that is wanted."""
    try:
        yield
    except OSError as error:
        of_part = error.filename in (None, str(part)) or error.filename2 == str(part)  # who copies names where from, too
        if not of_part or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _hold(file: int, path: Path) -> None:
    """Keep a file to this process until it is closed, where the system knows such a thing; Refused if another has it."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Refused("", text("{file} is just being written by another", file=str(path))) from error


def _check_beside(path: Path) -> None:
    """Refuse a place beside which the journal of an earlier store lies: SQLite would write what is in there into the new one."""
    for left in (path.with_name(path.name + what) for what in ("-journal", "-wal")):
        if left.exists():
            words = "{left} is there, the journal of a store that was {file}: put it back beside that store, or remove it"
            raise Refused("", text(words, left=str(left), file=str(path)))


def _clear_beside(part: Path) -> None:
    """Remove what SQLite left beside a file that its writer did not finish: it would be taken for the journal of the next one."""
    for what in ("-journal", "-wal", "-shm"):
        part.with_name(part.name + what).unlink(missing_ok=True)


def _name(part: Path, path: Path) -> None:
    """Give a file its name, which nobody has taken meanwhile."""
    try:
        os.link(part, path)
    except FileExistsError as error:
        raise Refused("", text("{file} is there already, and nothing is written over", file=str(path))) from error
    except (OSError, AttributeError, NotImplementedError):  # no file system for two names of one file
        part.rename(path)


# -------------------------------------------------------------------- backups


def backup(folder: Path, file: Path, *, key: bytes, progress: Progress | None = None) -> int:
    """Copy the store of a data folder as it is at one moment, while its server runs or not; return how many games it has.

    Args:
        key: the server's secret key, which the copy keeps.
        progress: called with (pages done, pages).

    Raises:
        Refused: the file is there already. BadInput: the folder has no sound store. OSError: something can't be read or written.
    """
    with looking_at(folder / STORE) as store, new_file(file) as part, schema.told(file):
        copy = sqlite3.connect(part, isolation_level=None)
        try:
            store.copy_to(copy, pages=PAGES, progress=progress)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, with nothing beside it
            schema.bring_up(copy, have=schema.check_kind(copy, part))
            copy.execute("INSERT OR REPLACE INTO backups VALUES (1, ?, ?)", (steady.now_ms(), key))
            schema.check_whole(copy, file)
            return int(copy.execute("SELECT count(*) FROM games").fetchone()[0])
        finally:
            copy.close()


def restore(file: Path, folder: Path, *, keep_key: Callable[[bytes], object] | None = None) -> bytes:
    """Put a backup into a data folder that has no store yet; return the server's secret key that it has kept.

    The server that starts on it takes its games up and gives them new dice chains.

    Args:
        keep_key: called with the key before the store is there: no server shall start on it with another.

    Raises:
        Refused: the folder has a store. BadInput: the file is no backup. OSError: something can't be read or written.
    """
    with looking_at(file) as store:
        kept = store.server_key()
        if kept is None:
            raise BadInput.one(str(file), "a backup that was made by `rasputitsa backup`", "a store that is none")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with new_file(folder / STORE) as part, schema.told(folder / STORE):
            copy = sqlite3.connect(part, isolation_level=None)
            try:
                store.copy_to(copy, pages=-1, progress=None)
                copy.execute("PRAGMA journal_mode = DELETE")
                schema.check_whole(copy, file)
            finally:
                copy.close()
            if keep_key is not None:
                keep_key(kept)
    return kept


# -------------------------------------------------------------------- games out


def export(store: StoreReads, game: str) -> bytes:
    """Return a game of a store as a game file, its hash chain checked.

    Raises:
        BadInput: there is none of this id, or it was altered.
    """
    try:
        stored = store.game(game)
    except KeyError as error:
        raise BadInput.one("GAME", "a game of this store", game) from error
    log = Log()
    for entry in store.entries(game):
        try:
            log.add(entry)
        except ValueError as error:
            raise BadInput.one(f"{store.path}: {game}", "a log that was not altered", error) from error
    waiting = [pending for pending, _ in store.pending(game) if pending.k > log.k]
    if waiting:
        log.hold(waiting[-1])
    return gamefile.write(stored.head, store.pack(stored.pack), log)


# -------------------------------------------------------------------- games in


async def take_in(
    store: Store, file: GameFile, *, keeper: Identity, accounts: Accounts | None = None, find_ruleset: Callable[[str], Ruleset] = load
) -> Match:
    """Keep a game of a file that was verified; one that is not over goes on here, under a dice chain of this server.

    The names at its table, and those for whom a seat is kept, are theirs here as well: nobody else can come under them.

    Args:
        accounts: those of the server that runs on the store; read from it where none does.

    Raises:
        Refused: a game of this id is here, a name at its table is somebody else's here, or it waits for dice that only its server can show.
    """
    head = file.head
    if " " in head.game:
        raise Refused("", text("{game} is a what-if game of somebody's window; no server keeps those", game=head.game))
    if head.game in store.names():
        raise Refused("", text("a game {game} is here already", game=head.game))
    clock = _clock(file)
    match = await asyncio.to_thread(open_match, file, clock=clock, load=find_ruleset)
    over = match.outcome is not None
    if file.pending is not None and not over:
        words = "an order of {game} waits for its dice, and only its own server can finish it: export the game again when it has"
        raise Refused("", text(words, game=head.game))
    known = accounts if accounts is not None else Accounts(store)  # one without a name yet is false
    await known.keep_names({player: match.witnesses.key(player) for player in _of_consequence(match)})
    seed = b"" if over else _go_on(match, clock, keeper)
    pack = Pack(file.files)
    stored = StoredGame(head.game, pack.digest, head, b"")
    await durable(store.add_pack(pack.digest, pack.files))
    await durable(store.add_record(stored, steady.now_ms(), tuple(match.log.entries), seed=seed))
    return match


def _of_consequence(match: Match) -> set[str]:
    """Return whose names somebody else could do harm with: who sits there, for whom a seat is kept, owner and referees.

    Whose key the log never named, as that of a referee, comes by his name as he did where the game was begun.
    """
    table = match.table
    kept = {chair.kept_for for chair in table.chairs.values()}
    return (table.players() | kept | {table.terms.owner, *table.terms.referees}) - {""}


def _clock(file: GameFile) -> Callable[[], int]:
    """Return a clock that stands still once it was asked: so it is said to the millisecond how long no clock of the game ran."""
    last = file.entries[-1].time_ms if file.entries else 0
    return cache(lambda: max(steady.now_ms(), last))


def _go_on(match: Match, clock: Callable[[], int], keeper: Identity) -> bytes:
    """Write down that no clock ran on the way here, and that this server goes on; return the secret of its chain."""
    clocks, last = match.table.clocks, match.log.entries[-1].time_ms if match.log.entries else 0
    ms = clock() - last
    if clocks.are_kept and clocks.runs and ms:
        match.accept_act(match.act(Away(ms)))
    entry, seed = takeover(match, keeper)
    match.accept_act(entry)
    return seed


"""A store as one file: backed up while its server runs, and put back; and how a new file comes to be there whole or not at all.

A backup is the whole store with every secret, and the server's key: whoever has it has the server. Games of one go on with a new dice
chain, as the links that were shown after it was made are known, and an entry (`core.log.TakenOver`) says so to all.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import BadInput, Refused
from core.text import text
from server import steady
from server.store import schema

if sys.platform != "win32":
    import fcntl

PAGES = 1_000  # copied at a stretch; the server writes in between
THERE = "{file} is there already, and nothing is written over"
Progress = Callable[[int, int], None]  # pages done, pages


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
        _check_free(path)
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


def _check_free(path: Path) -> None:
    """Refuse a name that something has, also a link that leads nowhere."""
    if path.is_symlink() and not path.exists():
        raise Refused("", text("{file} is a link that leads nowhere: remove it, or make what it leads to", file=str(path)))
    if path.exists():
        raise Refused("", text(THERE, file=str(path)))


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
        raise Refused("", text(THERE, file=str(path))) from error
    except (OSError, AttributeError, NotImplementedError):  # no file system for two names of one file
        _check_free(path)
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
    with schema.reading(folder / schema.STORE) as store, new_file(file) as part, schema.told(file):
        copy = sqlite3.connect(part, isolation_level=None)
        try:
            _copy(store, copy, pages=PAGES, progress=progress)
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
    with schema.reading(file) as store:
        kept = server_key(store, file)
        if kept is None:
            raise BadInput.one(str(file), "a backup that was made by `rasputitsa backup`", "a store that is none")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with new_file(folder / schema.STORE) as part, schema.told(folder / schema.STORE):
            copy = sqlite3.connect(part, isolation_level=None)
            try:
                _copy(store, copy, pages=-1, progress=None)
                copy.execute("PRAGMA journal_mode = DELETE")
                schema.check_whole(copy, file)
            finally:
                copy.close()
            if keep_key is not None:
                keep_key(kept)
    return kept


def _copy(store: sqlite3.Connection, copy: sqlite3.Connection, *, pages: int, progress: Progress | None) -> None:
    """Copy a store as its connection sees it, so many pages at a stretch (-1: all); whoever writes to it does so meanwhile."""

    def tell(_: int, left: int, total: int) -> None:
        if progress is not None:
            progress(total - left, total)

    store.backup(copy, pages=pages, progress=tell, sleep=0)


def server_key(store: sqlite3.Connection, path: Path) -> bytes | None:
    """Return the server's secret key that a backup has kept, None if this is none."""
    try:
        if not store.execute("SELECT 1 FROM sqlite_schema WHERE name = 'backups'").fetchone():
            return None
        row = store.execute("SELECT server_key FROM backups").fetchone()
    except sqlite3.Error as error:
        raise schema.named(error, path) from error
    return bytes(row[0]) if row else None

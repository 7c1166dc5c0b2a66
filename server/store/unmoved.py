"""Whether a store still lies where it was opened, as long as it was, and its lock where it was taken.

A system lets files be moved away and removed that a program has open, and the program goes on writing to them: a server would acknowledge
orders that nobody finds again. With a rollback journal SQLite itself writes nothing then (`SQLITE_READONLY_DBMOVED`); with a write-ahead
log it does not look, nor whether what it has written before is there still: a store never becomes shorter, and in one that was cut nothing
that is acknowledged would be found again. So whoever writes looks here before. A lock in whose place there is none, or another, keeps no
second server off.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

JOURNALS = ("-wal", "-shm")  # what SQLite keeps beside an open store: entries written last, and where they lie
UNKNOWN = (-1, -1)
PUT_BACK = "put back what was there"
LOCK_AGAIN = "it keeps a second server off these games; put it back, or stop the server and start it again"
CUT_SHORT = "{file} was cut short: stop the server and restore the newest backup; until then nothing is written"


class _Known(NamedTuple):
    """A file that is watched: by device and number, what it is to whoever plays, and what to do once it is gone."""

    file: str
    number: tuple[int, int]
    is_what: str
    remedy: str


class Files:
    """The files of a store that is open, known by device and number.

    Args:
        path: the store's. A journal that is not there yet is not looked for.
        guards: the files whose locks keep others off it.
    """

    def __init__(self, path: Path, guards: Iterable[Path] = ()) -> None:
        self._longest, self._is_cut = 0, False
        self._path, file = path, path.resolve()  # where the path is a link SQLite keeps journals beside what it leads to
        beside = (file.with_name(file.name + what) for what in JOURNALS)
        self._known = [
            *_known((path, *beside), "the file that its games are kept in", PUT_BACK),
            *_known(guards, "the lock of its games", LOCK_AGAIN),
        ]
        self._moved()  # so it is known how long it is

    def trouble(self) -> str:
        """Return what is wrong: which file was moved away, removed or cut short, or has another in its place; empty if nothing is."""
        if (found := self._moved()) is not None:
            return _told(*found)
        return CUT_SHORT.format(file=self._path) if self._is_cut else ""

    def check(self) -> None:
        """Raise OSError if something is wrong, in words for whoever plays: where the store lies is no business of his."""
        if (found := self._moved()) is not None:
            raise OSError(errno.ENOENT, f"{found[0].is_what} was moved away", str(self._path))
        if self._is_cut:
            raise OSError(errno.EIO, f"{self._known[0].is_what} was cut short", str(self._path))

    def _moved(self) -> tuple[_Known, tuple[int, int] | None] | None:
        """Return the first file that is not where it was, with the number of what is there now; None if all are.

        The store is the first of them, and seen shorter than ever before it is cut short: SQLite makes it as long again, with holes in it.
        """
        longest = self._longest  # another thread may see it longer just now
        for known in self._known:  # each asked for once, without a call of our own: it is done for each group that is written
            try:
                there = os.stat(known.file)
            except (FileNotFoundError, NotADirectoryError):
                return known, None
            except OSError:
                continue  # it can't be seen now
            if (number := (there.st_dev, there.st_ino)) != known.number:
                return known, number
            if known is self._known[0]:
                self._is_cut = self._is_cut or there.st_size < longest
                self._longest = max(self._longest, there.st_size)
        return None


def _known(files: Iterable[Path], is_what: str, remedy: str) -> Iterator[_Known]:
    for file in files:
        if (number := _number(str(file))) is not None:
            yield _Known(str(file), number, is_what, remedy)


def _told(known: _Known, there: tuple[int, int] | None) -> str:
    what = "is there no more" if there is None else "is another file"
    return f"{known.file} {what}: {known.remedy}; until then nothing is written, and games can only be read"


def _number(file: str) -> tuple[int, int] | None:
    """Return device and number of a file, None if nothing is there, `UNKNOWN` if that can't be seen now."""
    try:
        found = os.stat(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return UNKNOWN
    return found.st_dev, found.st_ino

"""Whether a store still lies where it was opened.

A system lets files be moved away and removed that a program has open, and the program goes on writing to them: a server would acknowledge
orders that nobody finds again. With a rollback journal SQLite itself writes nothing then (`SQLITE_READONLY_DBMOVED`); with a write-ahead
log it does not look. So whoever writes looks here before.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

JOURNALS = ("-wal", "-shm")  # what SQLite keeps beside an open store: entries written last, and where they lie
UNKNOWN = (-1, -1)


class Files:
    """The files of a store that is open, known by device and number.

    Args:
        path: the store's. A journal that is not there yet is not looked for.
    """

    def __init__(self, path: Path) -> None:
        self._path, file = path, path.resolve()  # where the path is a link SQLite keeps journals beside what it leads to
        beside = [file.with_name(file.name + what) for what in JOURNALS]
        self._known = [(file, str(file), found) for file in (path, *beside) if (found := _number(str(file))) is not None]

    def trouble(self) -> str:
        """Return what is wrong: which file was moved away or removed, or has another in its place; empty if nothing is."""
        for file, name, known in self._known:
            if (there := _number(name)) not in (known, UNKNOWN):
                what = "is there no more" if there is None else "is another file"
                return f"{file} {what}: put back what was there; until then nothing is written, and games can only be read"
        return ""

    def check(self) -> None:
        """Raise OSError if something is wrong, in words for whoever plays: where the store lies is no business of his."""
        if self.trouble():
            raise OSError(errno.ENOENT, "the file that its games are kept in was moved away", str(self._path))


def _number(file: str) -> tuple[int, int] | None:
    """Return device and number of a file, None if nothing is there, `UNKNOWN` if that can't be seen now."""
    try:
        found = os.stat(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return UNKNOWN
    return found.st_dev, found.st_ino

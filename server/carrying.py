"""What lies in the store's journal is carried into its file beside the appending, so that no order waits for it.

By itself SQLite does that in whichever commit finds 1,000 pages in the journal: 3 ms of processor, and a sync of all that was copied. At
500 orders a second two in a hundred waited for it, 5 to 10 ms each. Here a thread with a connection of its own copies and syncs while more
is appended; the little that came meanwhile is carried between two groups, and the journal begins anew.

A checkpoint is begun only where something was written since the last one, and by nobody else meanwhile: before 3.51.3 SQLite can lose
writes where one begins over a journal that lies in the file already, just as somebody else writes (its "WAL-reset bug").
"""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
import time
from enum import Enum
from pathlib import Path

EVERY = 500  # rows, about 2,500 pages
FEW = 100  # rows that are carried between two groups; when more came they are carried beside them as well
LATEST_S = 30.0  # how long something lies in the journal at most, when anything comes
USUAL = 1_000  # pages, after which SQLite does it by itself where nothing else is asked for
_CARRY = "PRAGMA wal_checkpoint(PASSIVE)"


def leave_journal(connection: sqlite3.Connection) -> None:
    """Have a connection carry nothing by itself."""
    connection.execute("PRAGMA wal_autocheckpoint = 0")


def mind_journal(connection: sqlite3.Connection) -> None:
    """Have a connection carry by itself what lies in the journal, as is usual."""
    connection.execute(f"PRAGMA wal_autocheckpoint = {USUAL}")


class _State(Enum):
    AT_REST, UNDER_WAY, NEARLY_DONE = range(3)


class Carrying:
    """Carries what one connection appends.

    Args:
        path: the store.
        own: the connection that appends; used here by the thread that calls.
        beside: another one, used by the thread here alone; closed at the end.
        every: after how many rows.

    Attributes:
        trouble: what kept it from carrying the last time, empty if nothing did: the journal grows on, and it is tried again.
    """

    def __init__(self, path: Path, own: sqlite3.Connection, beside: sqlite3.Connection, *, every: int = EVERY) -> None:
        self._own, self._beside, self._every = own, beside, every
        leave_journal(own)
        # Never closed while a connection is open: that would drop the locks that SQLite has on the file in this process.
        self._file = os.open(path, os.O_RDWR)
        self.trouble = ""
        self._rows, self._since_s = 0, time.monotonic()
        self._seen = self._writes_of_others()
        self._state = _State.AT_REST
        self._wanted: queue.Queue[bool] = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="store carrier", daemon=True)
        self._thread.start()

    def appended(self, rows: int) -> None:
        """Take note that a group was appended: it may be time to carry. Called between two groups."""
        self._rows += rows
        match self._state:
            case _State.AT_REST if self._rows >= self._every or time.monotonic() - self._since_s >= LATEST_S:
                self._begin()
            case _State.NEARLY_DONE if self._rows > FEW:
                self._begin()
            case _State.NEARLY_DONE:
                self._finish()

    def quiet(self) -> None:
        """Take note that nothing has come for a while: what was written since is carried, by whomever."""
        match self._state:
            case _State.AT_REST if self._rows or self._writes_of_others() != self._seen:
                self._finish()
            case _State.NEARLY_DONE:  # whether others have written before that or since can't be known; next time it can
                self._state, self._seen = _State.AT_REST, self._writes_of_others()

    def settle(self) -> None:
        """Wait until what is under way is done."""
        self._wanted.join()

    def close(self) -> None:
        """Wait until what is under way is done, and let the other connection go."""
        self._wanted.put(False)
        self._thread.join()
        self._beside.close()

    def _begin(self) -> None:
        self._state, self._rows, self._since_s = _State.UNDER_WAY, 0, time.monotonic()
        self._wanted.put(True)

    def _finish(self) -> None:
        """Carry what is left here and now, so that the next group finds nothing in the journal and begins it anew."""
        self._state, self._rows, self._since_s = _State.AT_REST, 0, time.monotonic()
        try:
            self._own.execute(_CARRY)
        except sqlite3.Error as error:
            self.trouble = str(error)
        else:
            self.trouble = ""
        self._seen = self._writes_of_others()

    def _work(self) -> None:
        while self._wanted.get():
            try:
                self._beside.execute(_CARRY)
                os.fsync(self._file)  # SQLite syncs only where nothing has come meanwhile
            except (sqlite3.Error, OSError) as error:
                self.trouble = str(error)
                self._state = _State.AT_REST
            else:
                self._state = _State.NEARLY_DONE
            self._wanted.task_done()

    def _writes_of_others(self) -> int:
        """Return a number that changes when another connection has written."""
        found: int = self._own.execute("PRAGMA data_version").fetchone()[0]
        return found

"""What lies in the store's journal is carried into its file beside the appending, so that no order waits for it.

By itself SQLite does that in whichever commit finds 1,000 pages in the journal: 3 ms of processor, and a sync of all that was copied. At
500 orders a second two in a hundred waited for it, 5 to 10 ms each. Here a thread with a connection of its own copies and syncs while more
is appended. The little that came meanwhile is carried by a pass or two more: when nothing comes during one, the journal begins anew. Where
groups come without a break, the last pass is made between two of them.

Nor does a group wait for the journal to become longer: each time that costs a commit of the file system's own journal, half a millisecond
and more. It is made as long at the start as it will be.

A checkpoint is begun only where something was written since the last one, and by nobody else meanwhile: before 3.51.3 SQLite can lose
writes where one begins over a journal that lies in the file already, just as somebody else writes (its "WAL-reset bug").
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import sqlite3
import threading
import time
from enum import Enum
from pathlib import Path

EVERY = 500  # rows, about 2,500 pages
EVERY_IF_SHORT = 100  # where room is short: what the journal takes there the store's file can't have
LENGTH = 12_000_000  # bytes of a journal that holds these, and what comes while they are carried
SPARE = 10  # times the length: room is short where less is free
PASSES = 4  # beside the appending, before one between two groups
LATEST_S = 30.0  # how long something lies in the journal at most, when anything comes
USUAL = 1_000  # pages, after which SQLite does it by itself where nothing else is asked for
_CARRY = "PRAGMA wal_checkpoint(PASSIVE)"


def leave_journal(connection: sqlite3.Connection) -> None:
    """Have a connection carry nothing by itself."""
    connection.execute("PRAGMA wal_autocheckpoint = 0")


def mind_journal(connection: sqlite3.Connection) -> None:
    """Have a connection carry by itself what lies in the journal, as is usual."""
    connection.execute(f"PRAGMA wal_autocheckpoint = {USUAL}")


def has_room(path: Path, length: int = LENGTH) -> bool:
    """Say whether the disk of a store has much more room than a journal of that length needs."""
    return shutil.disk_usage(path).free >= SPARE * length


def lengthen_journal(connection: sqlite3.Connection, path: Path, length: int = LENGTH) -> bool:
    """Have SQLite make the journal's file as long as that, by writing what it takes back; return whether there is room for it.

    Where room is short it stays as it is: it would have what its own pages need in the store's file, and be carried there no more. A quota
    is seen only where it ends; what the journal has taken until then is given back.
    """
    if not has_room(path, length):
        return False
    usual: int = connection.execute("PRAGMA cache_size").fetchone()[0]
    connection.execute("PRAGMA cache_size = 10")  # pages that wait in memory for a commit: the others go to the journal before
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("CREATE TABLE filling (pages)")
        connection.execute("INSERT INTO filling VALUES (zeroblob(?))", (length,))
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):  # a quota is the latter
            raise
        took = False
    else:
        took = True
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.execute(f"PRAGMA cache_size = {usual}")
    if not took:
        with contextlib.suppress(sqlite3.OperationalError):  # what can't be carried yet may be later
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return took


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

    def __init__(self, path: Path, own: sqlite3.Connection, beside: sqlite3.Connection, *, every: int) -> None:
        self._own, self._beside = own, beside
        self._every = every
        leave_journal(own)
        # Never closed while a connection is open: that would drop the locks that SQLite has on the file in this process.
        self._file = os.open(path, os.O_RDWR)
        self.trouble = ""
        self._rows, self._since_s, self._passes = 0, time.monotonic(), 0
        self._frames = 0  # of the journal, at the last pass
        self._seen = self._writes_of_others()
        self._state = self._was = _State.AT_REST  # the thread changes the first, from UNDER_WAY alone
        self._wanted: queue.Queue[bool] = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="store carrier", daemon=True)
        self._thread.start()

    def appended(self, rows: int) -> None:
        """Take note that a group was appended: it may be time to carry. Called between two groups."""
        match self._was:  # before this group: none that came while a pass was under way is surely not carried
            case _State.AT_REST:
                self._rows += rows
                if self._rows >= self._every or time.monotonic() - self._since_s >= LATEST_S:
                    self._passes = self._frames = 0
                    self._begin()
            case _State.NEARLY_DONE if self._passes < PASSES:
                self._begin()
            case _State.NEARLY_DONE:
                self._carry_here()
        self._was = self._state

    def quiet(self) -> None:
        """Take note that nothing has come for a while, or could be written: what was written since is carried, by whomever."""
        match self._state:
            case _State.AT_REST if self._rows or self._writes_of_others() != self._seen:
                self._carry_here()
            case _State.NEARLY_DONE:  # what others have written may be carried or not; what they write from here on is not
                self._state, self._rows, self._seen = _State.AT_REST, 0, self._writes_of_others()
        self._was = self._state

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
        self._passes += 1
        self._wanted.put(True)

    def _carry_here(self) -> None:
        """Carry all between two groups, so that the next one finds nothing in the journal and begins it anew."""
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
                _, frames, _ = self._beside.execute(_CARRY).fetchone()
                os.fsync(self._file)  # SQLite syncs only where nothing has come meanwhile
            except (sqlite3.Error, OSError) as error:
                self.trouble = str(error)
                self._state = _State.AT_REST
            else:
                self.trouble = ""
                has_begun_anew, self._frames = frames < self._frames, frames
                self._state = _State.AT_REST if has_begun_anew else _State.NEARLY_DONE
            self._wanted.task_done()

    def _writes_of_others(self) -> int:
        """Return a number that changes when another connection has written."""
        found: int = self._own.execute("PRAGMA data_version").fetchone()[0]
        return found


def begun(path: Path, own: sqlite3.Connection, beside: sqlite3.Connection) -> Carrying:
    """Lengthen the journal of a store, and carry it as often as there is room for."""
    return Carrying(path, own, beside, every=EVERY if lengthen_journal(own, path) else EVERY_IF_SHORT)

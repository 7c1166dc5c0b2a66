"""Writes to SQLite in groups: one thread takes all that wait into one transaction, and tells them when it is on disk.

Nothing is held back for a group to form: while one is being synced, the next gathers by itself. Where a process appends beside it
(`server.store.apart`), the thread has what is left: whatever is no entry and no pending record, and what the process could not append.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from server import faultpoints
from server.store import appending, carrying
from server.store.apart import Apart, Waiting, is_possible
from server.store.contract import Appended

LATE_S = 2.0  # what waits for longer holds all up: a disk that is only slow takes a tenth
SLOW_S = 30.0  # what waits for longer is told: three times what a write waits for another program to let the file go
T = TypeVar("T")
Job = Callable[[sqlite3.Connection], T]
logger = logging.getLogger("rasputitsa.store")


class GroupCommit:
    """Writes jobs in their order, in a thread of its own.

    Args:
        connection: the only one that writes; closed at the end.
        named: makes one of our errors of SQLite's.
        check: raises why nothing may be written now, if so; asked before each group.
    """

    def __init__(
        self, connection: sqlite3.Connection, named: Callable[[sqlite3.Error], Exception], check: Callable[[], None]
    ) -> None:
        self._connection, self._named, self._check = connection, named, check
        appending.prepare(connection)
        self._jobs: queue.SimpleQueue[Waiting | None] = queue.SimpleQueue()
        self._begun_s: float | None = None  # when the group that is being written was begun
        self._failed: tuple[float, str] | None = None  # what kept the last group out, and when
        self._thread = threading.Thread(target=self._work, name="store writer", daemon=True)
        self._thread.start()
        self._apart: Apart | None = None

    @property
    def waiting(self) -> int:
        """Return how many jobs wait, about."""
        return self._jobs.qsize() + (0 if self._apart is None else self._apart.waiting)

    @property
    def stalled_s(self) -> float:
        """Return for how long the oldest write under way has been waiting to be durable."""
        begun = self._begun_s  # the thread changes it
        return max(0.0 if begun is None else time.monotonic() - begun, 0.0 if self._apart is None else self._apart.stalled_s)

    @property
    def is_held_up(self) -> bool:
        """Say whether a write under way takes far longer than usual, or the last one could not be written."""
        return self.stalled_s > LATE_S or bool(self._kept_out())

    def _kept_out(self) -> str:
        """Return what kept out what was to be written last; empty if nothing did."""
        failed = self._failed
        return failed[1] if failed is not None and (self._apart is None or self._apart.written_s < failed[0]) else ""

    def trouble(self) -> str:
        """Return what kept out what was to be written last, or keeps the journal out of the store's file; empty if nothing does."""
        if self.stalled_s > SLOW_S:
            return f"what is to be written has waited for the disk for more than {SLOW_S:.0f} s"
        if why := self._kept_out():
            return f"what was to be written last could not be: {why}; it is tried again with whatever comes next"
        if self._apart is not None and self._apart.trouble:
            return f"the store's journal can't be carried into its file, and grows: {self._apart.trouble}"
        return ""

    def append_apart(self, path: Path) -> Apart | None:
        """Have rows appended by a process, which the running loop hears; None where that can't be, or a test waits for a place here."""
        if is_possible() and not faultpoints.is_wanted(*faultpoints.OF_STORE):
            self.write(carrying.leave_journal)
            self._apart = Apart(path, self._take_over, self._check, self._mind_journal)
        return self._apart

    def _mind_journal(self) -> None:
        self.write(carrying.mind_journal)

    def _take_over(self, jobs: list[Waiting]) -> None:
        for one in jobs:
            self._jobs.put(one)

    def write(self, job: Job[T]) -> Future[T]:
        """Queue a job; the future is done when what it wrote is durable, or has the error that kept it out."""
        return self._queue(Waiting(job, Future()))

    def append(self, job: Job[None], row: appending.Row) -> Appended:
        """Queue a row.

        Args:
            job: does the same by itself; it runs only if appending a whole group fails, to find out which row was at fault, and why.
        """
        if self._apart is not None and self._apart.takes():
            return self._apart.append(job, row)
        return self._queue(Waiting(job, Future(), row))

    def _queue(self, one: Waiting) -> Future[Any]:
        self._jobs.put(one)
        return one.done

    def hear(self) -> bool:
        """Resolve, now, the futures of what the process has written; say whether there were any."""
        return self._apart is not None and self._apart.hear()

    def close(self) -> None:
        """Finish what waits, checkpoint and close."""
        if self._apart is not None:
            self._apart.close()
        self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        while True:
            batch = [self._jobs.get()]
            while not self._jobs.empty():
                batch.append(self._jobs.get())
            # From here on nobody can cancel: what is written is written. A job that nobody waits for any more is not begun.
            self._begun_s = time.monotonic()
            self._commit([one for one in batch if one is not None and (one.done.running() or one.done.set_running_or_notify_cancel())])
            self._begun_s = None
            if None in batch:
                self._end()
                return

    def _end(self) -> None:
        try:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            logger.warning("the store keeps its journal until it is opened again: %s", error)
        finally:
            self._connection.close()

    def _commit(self, jobs: list[Waiting]) -> None:
        """Run jobs in one transaction; one that fails is rolled back alone, and if the transaction fails they all do."""
        results: list[tuple[object, Exception | None]] = []
        try:
            if jobs:
                self._check()
                results = self._after_apart(jobs)
        except Exception as error:
            results = [(None, self._rolled_back(error))] * len(jobs)
        if any(failed is None for _, failed in results):
            self._failed = None
        for one, (value, failed) in zip(jobs, results, strict=True):
            if failed is None:
                one.done.set_result(value)
            else:
                one.done.set_exception(failed)

    def _after_apart(self, jobs: list[Waiting]) -> list[tuple[object, Exception | None]]:
        """Run jobs in one transaction: where the process is just writing it is waited for, however slow the disk is."""
        while True:
            try:
                return self._together(jobs)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or self._apart is None or not self._apart.is_writing:
                    raise

    def _together(self, jobs: list[Waiting]) -> list[tuple[object, Exception | None]]:
        """Run jobs in one transaction: plainly, and if one fails all again, each so that it can be taken back alone.

        Savepoints cost a third of the rate: each is two statements more a job, and the interpreter is handed over at every statement.
        """
        if self._at_once(jobs):
            return [(None, None)] * len(jobs)
        run = self._connection.execute
        run("BEGIN IMMEDIATE")
        try:
            results: list[tuple[object, Exception | None]] = [(one.job(self._connection), None) for one in jobs]
        except Exception:
            if self._connection.in_transaction:  # else SQLite has dropped it by itself, as it may when the disk is full
                run("ROLLBACK")
            run("BEGIN IMMEDIATE")
            results = [self._run(one.job) for one in jobs]
        faultpoints.reach("before commit")
        run("COMMIT")
        faultpoints.reach("after commit")
        return results

    def _at_once(self, jobs: list[Waiting]) -> bool:
        """Append all by one statement, which is its own transaction; False if they are not all rows, or one of them has no place.

        Where a test waits for a place within the transaction, jobs are run one by one.
        """
        rows = [one.row for one in jobs if one.row is not None]
        if len(rows) < len(jobs) or len(rows) > appending.AT_ONCE or faultpoints.is_wanted(*faultpoints.OF_STORE):
            return False
        try:
            appending.append(self._connection, rows)
        except sqlite3.IntegrityError:
            return False
        return True

    def _run(self, job: Job[Any]) -> tuple[object, Exception | None]:
        self._connection.execute("SAVEPOINT one")
        try:
            found: tuple[object, Exception | None] = (job(self._connection), None)
        except Exception as error:
            # Raises where SQLite has dropped the whole transaction by itself, as it may when the disk is full.
            self._connection.execute("ROLLBACK TO one")
            found = (None, self._ours(error))
        self._connection.execute("RELEASE one")
        return found

    def _rolled_back(self, error: Exception) -> Exception:
        """Drop the transaction; return what is told to whoever waits."""
        first = error.__context__ if isinstance(error.__context__, sqlite3.Error) else error  # why the transaction was gone
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            logger.exception("a transaction could not be rolled back")
        if isinstance(first, sqlite3.Error) and getattr(first, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR:
            self._write_over()
        return self._ours(first)

    def _write_over(self) -> None:
        """Write what changes nothing where the last group lies in the journal.

        SQLite syncs a group after it has written it. One that could not be synced is refused, and would be there all the same after a
        kill: whoever opens the store next reads the journal up to its last whole transaction.
        """
        run = self._connection.execute
        with contextlib.suppress(sqlite3.Error):  # it may not be synced either
            run(f"PRAGMA user_version = {run('PRAGMA user_version').fetchone()[0]}")

    def _ours(self, error: Exception) -> Exception:
        """Return an error of SQLite as one of ours, and keep in mind what the system said."""
        if not isinstance(error, sqlite3.Error):
            return error
        ours = self._named(error)
        if isinstance(ours, OSError):
            self._failed = time.monotonic(), ours.strerror or str(error)
        return ours

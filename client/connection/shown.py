"""What a player's program has witnessed, on disk: for no number of a chain it ever shows its link against two records. With it, how far
it knew each game, by what was agreed on.

One file for all games and servers of an identity, and for all its programs that run at once: a chain belongs to a game's terms and not to
who serves them, and of two programs that are asked at the same moment only one can be first.
"""

from __future__ import annotations

import errno
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from core.errors import BadInput
from core.log import Pending

_pendings = msgspec.msgpack.Decoder(Pending)
_encode = msgspec.msgpack.Encoder().encode


class Shown(msgspec.Struct, frozen=True):
    """A link was shown for number *k* against this record; *signature* is that of the server that asked.

    *known* is the last entry that was known by then, None where an earlier program showed it.
    """

    k: int
    pending: Pending
    signature: bytes
    known: int | None = None


class Memory:
    """All links that were shown.

    Args:
        file: keeps them; None: they are forgotten with the process, as its identity must be.

    Raises:
        BadInput: the file is something else, or damaged.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._store = _opened(file)
        try:
            self._store.execute("PRAGMA journal_mode = WAL")
            self._store.execute("PRAGMA synchronous = FULL")
            self._store.execute("PRAGMA fullfsync = 1")
            self._store.execute(
                "CREATE TABLE IF NOT EXISTS shown (chain BLOB NOT NULL, k INTEGER NOT NULL, pending BLOB NOT NULL, "
                "signature BLOB NOT NULL, PRIMARY KEY (chain, k)) WITHOUT ROWID"
            )
            self._store.execute(  # beside it, so that an earlier program can go on with the file
                "CREATE TABLE IF NOT EXISTS known (chain BLOB NOT NULL, k INTEGER NOT NULL, entry INTEGER NOT NULL, "
                "PRIMARY KEY (chain, k)) WITHOUT ROWID"
            )
            self._store.execute(
                "CREATE TABLE IF NOT EXISTS told (chain BLOB NOT NULL, entry BLOB NOT NULL, PRIMARY KEY (chain, entry)) WITHOUT ROWID"
            )
            self._store.execute(
                "CREATE TABLE IF NOT EXISTS reached (game BLOB PRIMARY KEY NOT NULL, entry INTEGER NOT NULL, hash BLOB NOT NULL) "
                "WITHOUT ROWID"
            )
        except sqlite3.DatabaseError as error:
            self._store.close()
            raise BadInput.one(str(file), "what this program has witnessed", error) from error

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def show(self, chain: bytes, pending: Pending, signature: bytes, *, known: int) -> Shown:
        """Remember, durably, that a link is shown against a record; return what was shown first for its number.

        Args:
            chain: the end of the chain.
            known: the last entry that is known.

        Raises:
            OSError: it could not be written; then nothing may be shown.
        """
        try:
            self._store.execute("INSERT OR IGNORE INTO known VALUES (?, ?, ?)", (chain, pending.k, known))
            self._store.execute("INSERT OR IGNORE INTO shown VALUES (?, ?, ?, ?)", (chain, pending.k, _encode(pending), signature))
        except sqlite3.Error as error:
            raise OSError(errno.EIO, str(error), str(self.file)) from error
        found = self.get(chain, pending.k)
        assert found is not None, "what was written is not there"
        return found

    def tells(self, chain: bytes, entry: bytes) -> bool:
        """Remember that it is told what the entry of a hash decides without this chain's owner; say whether it was not before.

        What can't be remembered is told once more.
        """
        try:
            return self._store.execute("INSERT OR IGNORE INTO told VALUES (?, ?)", (chain, entry)).rowcount > 0
        except sqlite3.Error:
            return True

    def knows(self, agreed: bytes, entry: int, known: bytes, *, anew: bool = False) -> None:
        """Remember number and hash of the last entry that is known of a game; *anew*, though another program of ours knew more.

        What can't be remembered is not missed before the next start.

        Args:
            agreed: the hash of what the game is.
        """
        ahead = "" if anew else " WHERE excluded.entry > entry"
        with suppress(sqlite3.Error):
            self._store.execute(
                "INSERT INTO reached VALUES (?, ?, ?) "
                f"ON CONFLICT (game) DO UPDATE SET entry = excluded.entry, hash = excluded.hash{ahead}", (agreed, entry, known),
            )

    def upto(self, agreed: bytes) -> tuple[int, bytes] | None:
        """Return the last entry that any program of ours knew of a game, None if none did; OSError if that can't be read."""
        row = self._read("SELECT entry, hash FROM reached WHERE game = ?", (agreed,))
        return None if row is None else (row[0], bytes(row[1]))

    def last(self, chain: bytes) -> Shown | None:
        """Return what was shown for the highest number, None if nothing was; OSError if that can't be read."""
        (k,) = self._read("SELECT max(k) FROM shown WHERE chain = ?", (chain,)) or (None,)
        return None if k is None else self.get(chain, k)

    def get(self, chain: bytes, k: int) -> Shown | None:
        """Return what was shown for a number, None if nothing was; OSError if that can't be read."""
        asked = "SELECT pending, signature, entry FROM shown LEFT JOIN known USING (chain, k) WHERE chain = ? AND k = ?"
        row = self._read(asked, (chain, k))
        return None if row is None else Shown(k, _pendings.decode(row[0]), bytes(row[1]), row[2])

    def _read(self, asked: str, of: tuple[bytes | int, ...]) -> tuple[Any, ...] | None:
        try:
            return self._store.execute(asked, of).fetchone()  # type: ignore[no-any-return]
        except sqlite3.Error as error:
            raise OSError(errno.EIO, str(error), str(self.file)) from error


def _opened(file: Path | None) -> sqlite3.Connection:
    try:
        return sqlite3.connect(file or ":memory:", isolation_level=None, check_same_thread=False, timeout=10)
    except sqlite3.Error as error:
        raise OSError(errno.EIO, str(error), str(file)) from error

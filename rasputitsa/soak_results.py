"""The results of a soak: a line of JSON a game, so that a soak of many hours can be ended and taken up again."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import IO

import msgspec

from client.bounded import read_bounded
from core.errors import BadInput
from core.text import counted
from core.trials.soak import Rates, Soaked

MOST_BYTES = 64 << 20
BEGIN = b'{"number":'  # of each line, as we write it


class Series(msgspec.Struct, frozen=True):
    """What games of a soak have in common; those of another series are other games."""

    game: str
    scenario: str
    bot: str
    rates: Rates
    pack: str
    options: dict[str, bool | int | str] = {}


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the file: a game that held every promise, or why it did not."""

    number: int
    series: Series
    soaked: Soaked | None = None
    failed: str = ""


class Results:
    """The games of a series so far, and the file that they go to.

    Attributes:
        known: the numbers of the games that there are results of.
    """

    def __init__(self, series: Series, file: IO[bytes] | None = None, rows: tuple[Row, ...] = ()) -> None:
        self.series = series
        self._file = file
        self._rows = {row.number: row for row in rows if row.series == series}

    @classmethod
    def open(cls, path: Path | None, series: Series) -> Results:
        """Open a file of results, or none.

        Raises:
            BadInput: a line of it is no result; with its number. A last one of ours that was cut off is written anew.
        """
        if path is None:
            return cls(series)
        data = read_bounded(path, MOST_BYTES) if path.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]
        rows = tuple(_row(f"{path}:{number}", line) for number, line in enumerate(whole.splitlines(), 1))
        torn = data[len(whole) :]
        if torn[: len(BEGIN)] != BEGIN[: len(torn)]:  # somebody's notes of one line are no result that was cut off
            raise BadInput.one(f"{path}:{len(rows) + 1}", "the result of a game", "what does not begin as one")
        file = path.open("ab")
        file.truncate(len(whole))
        return cls(series, file, rows)

    def __enter__(self) -> Results:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()

    @property
    def known(self) -> frozenset[int]:
        """Return the numbers of the games of this series that there are results of."""
        return frozenset(self._rows)

    @property
    def failed(self) -> int:
        """Return how many games broke a promise."""
        return sum(1 for row in self._rows.values() if row.soaked is None)

    def add(self, result: Soaked | tuple[int, str, bytes]) -> None:
        """Write a result down."""
        if isinstance(result, Soaked):
            row = Row(result.number, self.series, soaked=result)
        else:
            row = Row(result[0], self.series, failed=result[1])
        self._rows[row.number] = row
        if self._file is not None:
            self._file.write(msgspec.json.encode(row) + b"\n")
            self._file.flush()

    def summary(self) -> str:
        """Return all results in a sentence, with the rates of the checks."""
        held = [row.soaked for row in self._rows.values() if row.soaked is not None]
        orders, dear = sum(one.orders for one in held), sum(one.dear for one in held)
        exact, tried = sum(one.exact for one in held), sum(one.tried for one in held)
        return (
            f"{counted(len(held), 'game')} held every promise, {self.failed} did not; {counted(orders, 'order')}, "
            f"{dear} of them with the dear checks, {exact} with the exact ones; {tried} composable orders enumerated"
        )


def _row(where: str, line: bytes) -> Row:
    try:
        return msgspec.json.decode(line, type=Row)
    except msgspec.DecodeError as error:
        raise BadInput.one(where, "the result of a game", str(error)) from error

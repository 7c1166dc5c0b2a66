"""Lines of supply: how far each hex is from a source, by which path, which links of a chain are fed, and what cuts a hex off.

Distances are counted in half hexes, so that a railroad that counts half needs no fractions. A line runs from a unit to a source and
pays for each hex that it enters, the source's included and the unit's own not. Which hexsides are closed, what a hex counts and
which hexes bar a line is the ruleset's; the search is `core_ext.supply`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import cast

import numpy as np
import numpy.typing as npt

from core.board import Board, Hex, once_a_board
from core.mechanics.movement import grid_of
from core_ext import supply as kernel
from core_ext.grid import FORBIDDEN, UNLIMITED, UNREACHED, Bytes, Ints

CLOSED = FORBIDDEN
"""A count from here on closes the hexside."""

HALF, WHOLE = 1, 2

Counts = kernel.Lines
Cut = kernel.Cut
Cuts = kernel.Cuts


def counts_of(board: Board, by_side: npt.NDArray[np.integer]) -> Counts:
    """Return what each directed hexside counts, ready to be traced: the half hexes for entering the hex beyond, or `CLOSED`."""
    return Counts(grid_of(board), np.ascontiguousarray(by_side, dtype=np.int16))


class Bars(Collection[Hex]):
    """Hexes that bar lines: a mask for the search, and a collection for the rules. Those that bar the same hexes are equal."""

    __slots__ = ("_marks", "mask")

    def __init__(self, marks: bytes) -> None:
        """*marks* has a byte for each hex of the board: 1 if it is barred, else 0."""
        self._marks = marks
        self.mask: Bytes = np.frombuffer(marks, np.uint8)   # it can't be written in

    def __contains__(self, here: object) -> bool:
        return isinstance(here, int) and 0 <= here < len(self._marks) and self._marks[here] != 0

    def __iter__(self) -> Iterator[Hex]:
        return iter(_where(self.mask.view(np.bool_)))

    def __len__(self) -> int:
        return self._marks.count(1)

    def free(self, hexes: Iterable[Hex]) -> tuple[Hex, ...]:
        """Return those of *hexes* that are not barred."""
        marks = self._marks
        return tuple([here for here in hexes if not marks[here]])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bars) and self._marks == other._marks

    def __hash__(self) -> int:
        return hash(self._marks)


def same(old: Bars, new: Bars) -> Bars:
    """Return *old* if *new* bars the same hexes: what was made of it then holds, and is known to without comparing them again."""
    return old if old == new else new


def bars_of(board: Board, hexes: Iterable[Hex]) -> Bars:
    """Return what bars lines in these hexes."""
    return _barred(board.size, frozenset(hexes))


class Field:
    """Where lines of supply lead from."""

    def __init__(self, traced: kernel.Supply, *, from_barred: bool = True) -> None:
        """*from_barred* says whether lines run from barred hexes as well; over and into them none does."""
        self._traced, self._from_barred = traced, from_barred
        for kept in (traced.distances, traced.onward):
            kept.flags.writeable = False

    @cached_property
    def distances(self) -> Ints:
        """int32[size], half hexes to the nearest source; `UNREACHED` where no line runs."""
        return self._but_from_barred(self._traced.distances, UNREACHED)

    @cached_property
    def onward(self) -> Ints:
        """int32[size], the next hex of that line; -1 at the source, and where no line runs."""
        return self._but_from_barred(self._traced.onward, -1)

    def _but_from_barred(self, found: Ints, nothing: int) -> Ints:
        if self._from_barred:
            return found
        shown = np.where(self._traced.given[2].view(np.bool_), np.int32(nothing), found)
        shown.flags.writeable = False
        return shown

    @cached_property
    def halves(self) -> dict[Hex, int]:
        """The distance of each hex that a line runs from."""
        reached = self.distances != UNREACHED
        return dict(zip(_where(reached), self.distances[reached].tolist(), strict=True))

    def within(self, limit: int) -> frozenset[Hex]:
        """Return the hexes at most *limit* half hexes from a source."""
        return frozenset(_where(self.distances <= limit))

    def distance(self, here: Hex) -> int:
        """Return the half hexes from a hex to its nearest source, `UNREACHED` if no line leads to one."""
        if not self._from_barred and self._traced.given[2][here]:
            return UNREACHED
        return self._halves_by_hex[here]

    @cached_property
    def _halves_by_hex(self) -> memoryview[int]:
        found: memoryview[int] = self._traced.distances.data   # a third of the time of an array's items
        return found

    def reaches(self, here: Hex) -> bool:
        """Say whether a line runs from a hex."""
        return self.distance(here) != UNREACHED

    @cached_property
    def _onward_by_hex(self) -> memoryview[int]:
        found: memoryview[int] = self.onward.data
        return found

    def path(self, here: Hex) -> tuple[Hex, ...]:
        """Return the line from a hex to its source, both included; empty if there is none."""
        if not self.reaches(here):
            return ()
        path, onward = [here], self._onward_by_hex
        while (there := onward[path[-1]]) >= 0:
            path.append(Hex(there))
        return tuple(path)

    def mended(self, blocked: Collection[Hex]) -> Field:
        """Return the field of the same sources and limit when other hexes are blocked, for a fraction of what tracing costs.

        It is this very field where nothing changes that a line could meet.
        """
        found = kernel.mend(self._traced, _mask(self._traced.lines.grid.size, blocked))
        return self if found is self._traced else Field(found, from_barred=self._from_barred)


class Paths(Mapping[Hex, tuple[Hex, ...]]):
    """The lines of a field from some of its hexes, each walked when it is asked for."""

    def __init__(self, field: Field, hexes: Iterable[Hex]) -> None:
        self._field = field
        self._paths: dict[Hex, tuple[Hex, ...]] = dict.fromkeys((here for here in hexes if field.reaches(here)), ())

    def __getitem__(self, here: Hex) -> tuple[Hex, ...]:
        path = self._paths[here]
        if not path:
            path = self._paths[here] = self._field.path(here)
        return path

    def __iter__(self) -> Iterator[Hex]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __contains__(self, here: object) -> bool:
        return here in self._paths


def _where(mask: npt.NDArray[np.bool_]) -> list[Hex]:
    """Return the hexes that a mask marks, lowest first."""
    return cast("list[Hex]", np.flatnonzero(mask).tolist())   # to name them one by one took longer than the search


def _mask(size: int, hexes: Collection[Hex]) -> Bytes:
    """Return uint8[size], 1 for each of *hexes*."""
    return (hexes if isinstance(hexes, Bars) else _barred(size, frozenset(hexes))).mask


@lru_cache(maxsize=64)
def _barred(size: int, hexes: frozenset[Hex]) -> Bars:
    """Return bars; several lines ask for the same."""
    mask = np.zeros(size, np.uint8)
    mask[list(hexes)] = 1
    return Bars(mask.tobytes())


def trace(counts: Counts, *, sources: Iterable[Hex], blocked: Collection[Hex], limit: int = UNLIMITED) -> Field:
    """Return the field of all lines of at most *limit* half hexes.

    A line may begin in one of the *blocked* hexes, but neither enter nor pass one; a source among them gives nothing to others. Ties
    go to the line over the lowest hex, so equal positions show equal lines.
    """
    return Field(kernel.trace(counts, sorted(sources), limit=limit, blocked=_mask(counts.grid.size, blocked)))


class Chain(Mapping[Hex, tuple[Hex, ...]]):
    """Links that are fed, each with the line to what feeds it, both ends included."""

    def __init__(self, found: kernel.Chain) -> None:
        self._found = found
        links = cast("list[Hex]", found.links.tolist())
        self._places = {links[i]: i for i in found.fed.tolist()}

    def __getitem__(self, link: Hex) -> tuple[Hex, ...]:
        return tuple(map(Hex, self._found.path(self._places[link])))

    def __iter__(self) -> Iterator[Hex]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, link: object) -> bool:
        return link in self._places

    @property
    def fed(self) -> frozenset[Hex]:
        """Return the hexes of the fed links."""
        return frozenset(self._places)

    def holds(self, blocked: Collection[Hex]) -> bool:
        """Say whether it is surely the same when other hexes are blocked: none that the search met is blocked or opened."""
        return self._found.holds(_mask(len(self._found.blocked), blocked))


def chain(counts: Counts, *, sources: Iterable[Hex], links: Collection[Hex], blocked: Collection[Hex], limit: int) -> Chain:
    """Return which links reach a source within *limit* half hexes, directly or over other fed links.

    It grows outward from the sources, so that links which only feed one another feed nobody.
    """
    mask = _mask(counts.grid.size, blocked)
    return Chain(kernel.chain(counts, sorted(set(sources)), sorted(set(links)), limit=limit, blocked=mask))


def cuts(counts: Counts, *, sources: Iterable[Hex], blocked: Collection[Hex], limit: int) -> Cuts:
    """Return what keeps hexes from a line of at most *limit* half hexes."""
    return Cuts(counts, sorted(sources), limit=limit, blocked=_mask(counts.grid.size, blocked), closed_cost=WHOLE)


def barred(old: Cuts, counts: Counts, blocked: Collection[Hex]) -> Cuts:
    """Return *old* where other hexes are blocked, for a fraction of what it takes to make it anew."""
    return old.barred(_mask(counts.grid.size, blocked))


def connected(board: Board, kind: str, *, goals: Iterable[Hex], blocked: Collection[Hex]) -> Field:
    """Return the hexes that an unbroken line of hexsides of one *kind* (``"rail"``) joins to a goal.

    Blocked hexes are not part of any line, not even as its end; a goal is joined to itself. Distances count hexsides.
    """
    found = kernel.trace(_along(board, kind), sorted(set(goals)), limit=board.size, blocked=_mask(board.size, blocked))
    return Field(found, from_barred=False)


@once_a_board
def _along(board: Board, kind: str) -> Counts:
    return counts_of(board, np.where(board.mask(kind), 1, CLOSED))

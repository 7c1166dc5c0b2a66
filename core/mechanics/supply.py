"""Lines of supply: how far each hex is from a source, by which path, which links of a chain are fed, and what cuts a hex off.

Distances are counted in half hexes, so that a railroad that counts half needs no fractions. A line runs from a unit to a source and
pays for each hex that it enters, the source's included and the unit's own not. Which hexsides are closed, what a hex counts and
which hexes bar a line is the ruleset's; the search is `core_ext.supply`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import cast

import msgspec
import numpy as np
import numpy.typing as npt

from core.board import Board, Hex
from core.mechanics.movement import grid_of
from core_ext import supply as kernel
from core_ext.grid import FORBIDDEN, UNLIMITED, UNREACHED, Bytes, Ints

CLOSED = FORBIDDEN
"""A count from here on closes the hexside."""

HALF, WHOLE = 1, 2

Counts = kernel.Lines
Cut = kernel.Cut


def counts_of(board: Board, by_side: npt.NDArray[np.integer]) -> Counts:
    """Return what each directed hexside counts, ready to be traced: the half hexes for entering the hex beyond, or `CLOSED`."""
    return Counts(grid_of(board), np.ascontiguousarray(by_side, dtype=np.int16))


class Field:
    """Where lines of supply lead from.

    Attributes:
        distances: int32[size], half hexes to the nearest source; `UNREACHED` where no line runs.
        onward: int32[size], the next hex of that line; -1 at the source, and where no line runs.
    """

    def __init__(self, distances: Ints, onward: Ints, *, traced: kernel.Supply | None = None) -> None:
        self.distances, self.onward, self._traced = distances, onward, traced
        for kept in (distances, onward):
            kept.flags.writeable = False

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
        return int(self.distances[here])

    def reaches(self, here: Hex) -> bool:
        """Say whether a line runs from a hex."""
        return self.distance(here) != UNREACHED

    def path(self, here: Hex) -> tuple[Hex, ...]:
        """Return the line from a hex to its source, both included; empty if there is none."""
        if not self.reaches(here):
            return ()
        path, onward = [here], self.onward.data   # a third of the time of an array's items
        while (there := onward[path[-1]]) >= 0:
            path.append(Hex(there))
        return tuple(path)

    def mended(self, blocked: Collection[Hex]) -> Field | None:
        """Return the field of the same sources and limit when other hexes are blocked, for a fraction of what tracing costs.

        None if it can't be: a source was blocked when it was traced or is now, and those that give nothing are not in it.
        """
        if self._traced is None:
            return None
        barred = _mask(self._traced.lines.grid.size, frozenset(blocked))
        if barred[self._traced.given[0]].any():
            return None
        found = kernel.mend(self._traced, barred)
        return Field(found.distances, found.onward, traced=found)


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


def mask_of(counts: Counts, hexes: Collection[Hex]) -> Bytes:
    """Return uint8[size], 1 for each of *hexes*."""
    return _mask(counts.grid.size, frozenset(hexes))


@lru_cache(maxsize=64)
def _mask(size: int, hexes: frozenset[Hex]) -> Bytes:
    """Return a mask; after a move several lines ask for the same."""
    mask = np.zeros(size, np.uint8)
    mask[list(hexes)] = 1
    mask.flags.writeable = False
    return mask


def trace(counts: Counts, *, sources: Iterable[Hex], blocked: Collection[Hex], limit: int = UNLIMITED) -> Field:
    """Return the field of all lines of at most *limit* half hexes.

    A line may begin in one of the *blocked* hexes, but neither enter nor pass one; a source among them gives nothing to others. Ties
    go to the line over the lowest hex, so equal positions show equal lines.
    """
    barred = frozenset(blocked)
    wanted = sorted(sources)
    giving = [source for source in wanted if source not in barred]
    found = kernel.trace(counts, giving, limit=limit, blocked=mask_of(counts, barred))
    return Field(found.distances, found.onward, traced=found if len(giving) == len(wanted) else None)


class Chain(msgspec.Struct, frozen=True):
    """Links that are fed, each with the line to what feeds it."""

    lines: dict[Hex, tuple[Hex, ...]]

    @property
    def fed(self) -> frozenset[Hex]:
        """Return the hexes of the fed links."""
        return frozenset(self.lines)


def chain(counts: Counts, *, sources: Iterable[Hex], links: Collection[Hex], blocked: Collection[Hex], limit: int) -> Chain:
    """Return which links reach a source within *limit* half hexes, directly or over other fed links.

    It grows outward from the sources, so that links which only feed one another feed nobody.
    """
    barred = frozenset(blocked)
    places = sorted(set(links))
    giving = sorted(set(sources) - barred)
    found = kernel.chain(counts, giving, places, limit=limit, blocked=mask_of(counts, barred))
    fed = [i for i, link in enumerate(places) if found.rounds[i]]
    return Chain({places[i]: tuple(Hex(here) for here in found.path(i)) for i in fed})


def cut_of(counts: Counts, here: Hex, *, sources: Iterable[Hex], blocked: Collection[Hex], limit: int) -> Cut | None:
    """Return what keeps a hex from a line of at most *limit* half hexes; None if it has one."""
    mask = mask_of(counts, blocked)
    return kernel.cuts(counts, sorted(sources), [here], limit=limit, blocked=mask, closed_cost=WHOLE)[0]


def connected(board: Board, kind: str, *, goals: Iterable[Hex], blocked: Collection[Hex]) -> Field:
    """Return the hexes that an unbroken line of hexsides of one *kind* (``"rail"``) joins to a goal.

    Blocked hexes are not part of any line, not even as its end; a goal is joined to itself. Distances count hexsides.
    """
    barred = frozenset(blocked)
    mask = _mask(board.size, barred)
    found = kernel.trace(_along(board, kind), sorted(set(goals) - barred), blocked=mask)
    ends = mask.view(np.bool_)
    found.distances[ends], found.onward[ends] = UNREACHED, -1
    return Field(found.distances, found.onward)


@lru_cache(maxsize=16)
def _along(board: Board, kind: str) -> Counts:
    return counts_of(board, np.where(board.mask(kind), 1, CLOSED))

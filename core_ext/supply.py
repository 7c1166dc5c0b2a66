"""Lines of supply: how far each hex is from what feeds it, over which hexes, and what cuts it off.

A line runs *from* the unit *to* its source: each step costs what it costs to enter the next hex on the way to the source, in any unit
that the game counts in (half hexes, movement points), 1 or more. Nothing is traced through or into a blocked hex; a line may
start in one. A source in a blocked hex therefore feeds nobody.

A line of several legs (cross country, then by road, then by rail) is several traces: the hexes of one are the sources of the next.
After a move, lines that are there are *mended* where hexes were blocked or opened: the same answer for a fraction of the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from core_ext._supply import Net
from core_ext.grid import FORBIDDEN, UNLIMITED, UNREACHED, Bytes, Grid, Hexes, Ints, Shorts, check, check_costs

WIDEST = 0xFFFF
"""How far apart the limits of one trace may be."""

MENDABLE = 0x3FFF
"""The longest limit with which lines are mended and not traced anew: a bucket is kept for each distance up to it."""

_CLOSED = 0x40000000   # longer than any line


class Lines:
    """What the steps of a line cost; ready to be traced by any number of threads.

    Attributes:
        by_side: int16[6 * size], the cost of leaving a hex over a side towards the source; ``FORBIDDEN`` closes it.

    Raises:
        ValueError: wrong type or shape, or a cost below 1.
    """

    __slots__ = ("_opened", "by_side", "dearest", "grid", "net")

    def __init__(self, grid: Grid, by_side: Shorts) -> None:
        check_costs("by_side", by_side, (6 * grid.size,), least=1)
        self.grid = grid
        self.by_side = by_side
        self.dearest = int(by_side.max(where=by_side < FORBIDDEN, initial=1))
        self.net = Net(self.steps().reshape(-1))
        self._opened: dict[int, Lines] = {}

    def steps(self, closed_cost: int = _CLOSED) -> Ints:
        """Return int32[6 * size, 2]: by the hex that a step enters, the hex that it leaves and its cost."""
        grid, entering = self.grid, self.by_side[self.grid.across].astype(np.int32)
        edge = grid.neighbours < 0
        steps = np.empty((6 * grid.size, 2), np.int32)
        steps[:, 0] = np.where(edge, np.arange(6 * grid.size, dtype=np.int32) // 6, grid.neighbours)
        steps[:, 1] = np.where(entering < FORBIDDEN, entering, closed_cost)
        steps[edge, 1] = _CLOSED
        return steps

    def opened(self, closed_cost: int) -> Lines:
        """Return these lines with closed hexsides crossed at a cost; made once, for they are asked for whenever a unit is cut off."""
        found = self._opened.get(closed_cost)
        if found is None:
            found = self._opened[closed_cost] = _Opened(self, closed_cost)
        return found

    def cost(self, hex_: int, side: int) -> int:
        """Return the cost of leaving *hex_* over *side*."""
        return int(self.by_side[6 * hex_ + side])


class Supply:
    """The way of every hex to its source, as it was traced.

    Attributes:
        distances: int32[size], ``UNREACHED`` where no line runs.
        onward: int32[size], the next hex towards the source; -1 at the source, and where no line runs.
        sources: int32[size], the place of the source among those that were given; -1 where no line runs.
        table: those three, one after another.
        given: the sources, the limit and the blocked hexes that these lines were traced with, none of which may change; the limit is
            ``None`` where the sources' differ.
    """

    __slots__ = ("distances", "given", "lines", "onward", "sources", "table")

    def __init__(self, lines: Lines, table: Ints, given: tuple[Ints, int | None, Bytes]) -> None:
        self.lines, self.table, self.given = lines, table, given
        self.distances, self.onward, self.sources = table

    def reaches(self, hex_: int) -> bool:
        """Whether a line runs from *hex_*."""
        return int(self.distances[hex_]) != UNREACHED

    def path(self, hex_: int) -> list[int]:
        """Return the hexes of the line from *hex_* to its source, both included.

        Raises:
            ValueError: no line runs from there.
        """
        self.lines.grid.require("hex", hex_)
        if not self.reaches(hex_):
            raise ValueError(f"hex: no line runs from {hex_}")
        path = [hex_]
        while (onward := int(self.onward[path[-1]])) >= 0:
            path.append(onward)
        return path


def trace(
    lines: Lines, sources: Hexes, *, limit: int | Sequence[int] | Ints = UNLIMITED, blocked: Bytes | None = None
) -> Supply:
    """Find the line of every hex to one of *sources*.

    Args:
        limit: the longest line, for all sources or one a source. With different limits a line runs to the source that leaves most
            of its limit unused; with one limit, to the nearest. Of equal lines that over the lowest next hex is taken.
        blocked: uint8[size], not 0 where nothing is traced through or into.

    Raises:
        ValueError: a source that is not on the board, a limit below 0, a mask of the wrong kind.
    """
    where = lines.grid.hexes("sources", sources)
    mask = _mask(lines.grid, blocked)
    if isinstance(limit, int):
        return Supply(lines, _spread(lines, where, None, check_limit("limit", limit), mask), (where, limit, mask))
    limits = _limits("limit", limit, len(where))
    np.minimum(limits, lines.grid.size * lines.dearest, out=limits)   # no line is longer
    most = int(limits.max(initial=0))
    if most - int(limits.min(initial=most)) > WIDEST:
        raise ValueError(f"limit: expected limits at most {WIDEST} apart, got {int(limits.min())} to {most}")
    return Supply(lines, _spread(lines, where, most - limits, most, mask), (where, None, mask))


def mend(old: Supply, blocked: Bytes | None) -> Supply:
    """Return what ``trace`` would with the same lines, sources and limit and other *blocked* hexes; *old* stays as it is.

    It forgets the lines over hexes that became blocked, and searches on from what borders on them and from what was opened. It costs by
    what changes; with a limit above ``MENDABLE`` it traces anew. Where nothing changes that a search would meet it returns *old* itself.

    Raises:
        ValueError: a mask of the wrong kind, or lines whose sources have different limits.
    """
    lines, (sources, limit, before) = old.lines, old.given
    mask = _mask(lines.grid, blocked)
    if limit is None:
        raise ValueError("old: expected lines with one limit, got several")
    scratch = Scratch(lines.grid, len(sources), limit if limit <= MENDABLE else 0)
    changes = lines.net.differ(sources, before, mask, old.table, scratch.changed)
    table = old.table.copy() if changes > 0 and limit <= MENDABLE else None
    if table is not None:
        lines.net.remake(sources, scratch.changed, changes, mask, limit, table, scratch.ring, scratch.pool, scratch.lost)
    scratch.give_back()
    if changes == 0:
        return old
    return trace(lines, sources, limit=limit, blocked=mask) if table is None else Supply(lines, table, (sources, limit, mask))


@dataclass(frozen=True, eq=False)
class Chain:
    """Which links of a chain are fed, and by whom.

    Attributes:
        rounds: int32[links], 1 for a link fed by a source, 2 for one fed by such a link, and so on; 0 for one that is not fed.
        feeders: int32[links], who feeds it: a place among the sources, or the number of sources plus a place among the links;
            -1 if nobody does.
        distances: int32[links], how far the feeder is; ``UNREACHED`` if there is none.
        hops, ways: int32[links] and int32[links, ..], how many hexes the way to the feeder has, both ends included, and which.
        blocked: the hexes that it was found with; they may not change.
        met: uint8[size], 1 for each hex of which it was asked whether it is blocked, and some more.
    """

    sources: Ints
    links: Ints
    rounds: Ints
    feeders: Ints
    distances: Ints
    hops: Ints
    ways: Ints
    blocked: Bytes
    met: Bytes

    def holds(self, blocked: Bytes) -> bool:
        """Whether it is the same with other *blocked* hexes for sure: none that was looked at differs; ``ValueError`` for a wrong mask."""
        check("blocked", blocked, np.uint8, self.blocked.shape)
        return not (self.met.view(np.bool_) & (self.blocked != blocked)).any()

    @cached_property
    def fed(self) -> npt.NDArray[np.intp]:
        """The links that are fed: their places among the links."""
        return np.flatnonzero(self.rounds)

    @cached_property
    def feeding(self) -> Ints:
        """The hexes that units may trace to: the sources and the links that are fed."""
        return np.concatenate([self.sources, self.links[self.fed]])

    def path(self, link: int) -> list[int]:
        """Return the hexes of the line from a link to its feeder, both included; ``ValueError`` if it has none."""
        if not 0 <= link < len(self.links) or self.rounds[link] == 0:
            raise ValueError(f"link: {link} is not fed")
        found: list[int] = self.ways[link, : self.hops[link]].tolist()
        return found


def chain(
    lines: Lines, sources: Hexes, links: Hexes, *, limit: int | Sequence[int] | Ints, blocked: Bytes | None = None
) -> Chain:
    """Find which *links* are fed by a source, or by a link that is fed; links in a ring do not feed each other.

    Each link traces to its feeder within its own limit. A link in a blocked hex may be fed, and feeds nobody. It is fed in the
    earliest round possible, by the nearest of the links that the round before fed.

    Raises:
        ValueError: as ``trace``.
    """
    grid = lines.grid
    where, places = grid.hexes("sources", sources), grid.hexes("links", links)
    limits = _limits("limit", limit, len(places))
    mask = _mask(grid, blocked)
    fed = np.zeros((4, len(places)), np.int32)
    fed[1:3] = np.array([[-1], [UNREACHED]], np.int32)
    most, furthest = len(where) + len(places), int(limits.max(initial=0))
    ways = np.empty((len(places), min(grid.size, furthest + 1)), np.int32)
    order, frontier = np.zeros(most, np.int32), np.zeros(most, np.int32)
    scratch, table = Scratch(grid, most, lines.dearest), np.empty((3, grid.size), np.int32)
    met = np.zeros(grid.size, np.uint8)
    lines.net.chain(where, places, limits, furthest, mask, fed, ways, order, frontier, met, table, scratch.ring, scratch.pool)
    scratch.give_back()
    return Chain(where, places, fed[0], fed[1], fed[2], fed[3], ways, mask, met)


@dataclass(frozen=True)
class Cut:
    """Why a hex has no line, and where its best one is cut.

    Attributes:
        reason: ``hex``: the first blocked hex on the best line that would be short enough, *hex*; ``hexside``: the closed hexside from
            *hex* to *onward* on it; ``range``: the best line is *distance* long, and that is too far; ``none``: no source can ever
            be reached.
        path: the line that would be, from the unit's hex to the source; empty for ``none``.
    """

    reason: Literal["hex", "hexside", "range", "none"]
    hex: int
    onward: int = -1
    distance: int = UNREACHED
    path: tuple[int, ...] = ()


def cuts(
    lines: Lines, sources: Hexes, hexes: Iterable[int], *, limit: int, blocked: Bytes | None = None, closed_cost: int
) -> list[Cut | None]:
    """Tell for each of *hexes* what cuts it off; ``None`` where a line runs. See `Cuts`.

    Raises:
        ValueError: as ``trace``, or *closed_cost* below 1.
    """
    found = Cuts(lines, sources, limit=limit, blocked=blocked, closed_cost=closed_cost)
    return [found.of(hex_) for hex_ in hexes]


class Cuts:
    """What cuts hexes off from sources; the map is searched once, however many are asked for, and whatever is blocked later.

    The best line is the shortest that ignores blocked hexes; where that is too long or there is none, the shortest that crosses closed
    hexsides as well, at *closed_cost* each. Where several things bar the former and fewer closed hexsides one around all that is blocked,
    that is the best one: a river before the nearest source explains more than a way through three stacks.

    Raises:
        ValueError: as ``trace``, or *closed_cost* below 1.
    """

    def __init__(self, lines: Lines, sources: Hexes, *, limit: int, blocked: Bytes | None = None, closed_cost: int) -> None:
        if not 1 <= closed_cost < FORBIDDEN:
            raise ValueError(f"closed_cost: expected 1 to {FORBIDDEN - 1}, got {closed_cost}")
        where = lines.grid.hexes("sources", sources)
        self._ways, self._blocked = _Ways(lines, where, check_limit("limit", limit), closed_cost), _mask(lines.grid, blocked)

    def barred(self, blocked: Bytes | None) -> Cuts:
        """Return what cuts hexes off where others are blocked; what does not hang on them is not searched again."""
        other = copy(self)
        other._blocked = _mask(self._ways.lines.grid, blocked)
        for kept in ("_real", "_around"):
            other.__dict__.pop(kept, None)
        return other

    @cached_property
    def _real(self) -> Supply:
        return trace(self._ways.lines, self._ways.where, limit=self._ways.limit, blocked=self._blocked)

    @cached_property
    def _around(self) -> Supply:
        """Lines over closed hexsides around what is blocked, within the limit."""
        return trace(self._ways.opened, self._ways.where, limit=self._ways.limit, blocked=self._blocked)

    def of(self, hex_: int) -> Cut | None:
        """Return what cuts a hex off; None if a line runs from it."""
        self._ways.lines.grid.require("hexes", hex_)
        return None if self._real.reaches(hex_) else self.cutting(hex_)

    def cutting(self, hex_: int) -> Cut:
        """Return what cuts off a hex from which no line runs."""
        ways = self._ways
        ways.lines.grid.require("hexes", hex_)
        if ways.unblocked.distances[hex_] <= ways.limit:
            bars = sum(bool(self._blocked[onward]) for onward in ways.unblocked.path(hex_)[1:])
            if bars > 1 and self._around.reaches(hex_) and _closed_on(ways.lines, self._around.path(hex_)) < bars:
                return _first_cut(ways.lines, self._around, hex_, self._blocked)
            return _first_cut(ways.lines, ways.unblocked, hex_, self._blocked)
        if ways.near_unclosed.reaches(hex_):
            return _first_cut(ways.lines, ways.near_unclosed, hex_, self._blocked)
        return _too_far(ways.unblocked if ways.unblocked.reaches(hex_) else ways.unclosed, hex_)


class _Ways:
    """Lines that ignore what is blocked, each kind searched when it is first asked for."""

    def __init__(self, lines: Lines, where: Ints, limit: int, closed_cost: int) -> None:
        self.lines, self.where, self.limit, self._closed_cost = lines, where, limit, closed_cost

    @property
    def opened(self) -> Lines:
        """Lines that cross closed hexsides at their cost."""
        return self.lines.opened(self._closed_cost)

    @cached_property
    def unblocked(self) -> Supply:
        """Lines however long."""
        return trace(self.lines, self.where)

    @cached_property
    def near_unclosed(self) -> Supply:
        """Lines over closed hexsides, within the limit: a third of the map at the most."""
        return trace(self.opened, self.where, limit=self.limit)

    @cached_property
    def unclosed(self) -> Supply:
        """Lines over closed hexsides, however long: only where no other explains a hex."""
        return trace(self.opened, self.where)


def _closed_on(lines: Lines, path: Sequence[int]) -> int:
    """Return how many closed hexsides a line crosses."""
    return sum(lines.cost(here, lines.grid.side(here, onward)) >= FORBIDDEN for here, onward in pairwise(path))


def _first_cut(lines: Lines, supply: Supply, hex_: int, blocked: Bytes) -> Cut:
    """Return the first thing on the line of *supply* from *hex_* that a real line could not pass."""
    path = tuple(supply.path(hex_))
    distance = int(supply.distances[hex_])
    for here, onward in pairwise(path):
        if lines.cost(here, lines.grid.side(here, onward)) >= FORBIDDEN:
            return Cut("hexside", here, onward, distance, path)
        if blocked[onward]:
            return Cut("hex", onward, -1, distance, path)
    return Cut("hex", path[0], -1, distance, path)   # the hex is itself a source, and blocked


def _too_far(supply: Supply, hex_: int) -> Cut:
    if not supply.reaches(hex_):
        return Cut("none", hex_)
    return Cut("range", hex_, -1, int(supply.distances[hex_]), tuple(supply.path(hex_)))


class _Opened(Lines):
    """Lines whose closed hexsides are crossed at a cost."""

    __slots__ = ()

    def __init__(self, lines: Lines, closed_cost: int) -> None:
        self.grid, self.by_side = lines.grid, lines.by_side
        self.dearest = max(lines.dearest, closed_cost)
        self.net = Net(lines.steps(closed_cost).reshape(-1))
        self._opened = {}


class Scratch:
    """What one search writes in: lent by the grid, and given back.

    Attributes:
        ring: int32[a power of two above *span*], the buckets.
        pool: int32[..], their entries, two numbers each.
        changed, lost: int32[size], for mending.
    """

    __slots__ = ("_lent", "_spares", "changed", "lost", "pool", "ring")

    def __init__(self, grid: Grid, sources: int, span: int) -> None:
        buckets, entries = 1 << span.bit_length(), 2 * (8 * grid.size + sources)   # a hexside, a hex lost, a hex opened: one entry each
        self._spares = grid.spares
        self._lent = lent = grid.spares.take(entries + 2 * grid.size + buckets)
        self.pool = lent[:entries]
        self.changed, self.lost = lent[entries : entries + grid.size], lent[entries + grid.size : entries + 2 * grid.size]
        self.ring = lent[entries + 2 * grid.size : entries + 2 * grid.size + buckets]

    def give_back(self) -> None:
        """End the use of these arrays."""
        self._spares.give(self._lent)


def _spread(lines: Lines, sources: Ints, ahead: Ints | None, limit: int, blocked: Bytes) -> Ints:
    span = lines.dearest if ahead is None else max(lines.dearest, int(ahead.max(initial=0)))
    scratch, table = Scratch(lines.grid, len(sources), span), np.empty((3, lines.grid.size), np.int32)
    lines.net.trace(sources, ahead, blocked, limit, table, scratch.ring, scratch.pool)
    scratch.give_back()
    return table


def _limits(name: str, limit: int | Sequence[int] | Ints, count: int) -> Ints:
    """Return one limit for each of *count*."""
    given = [limit] * count if isinstance(limit, int) else list(limit)
    if len(given) != count:
        raise ValueError(f"{name}: expected one limit or {count}, got {len(given)}")
    return np.array([check_limit(name, each) for each in given], np.int32)


def check_limit(name: str, limit: int) -> int:
    """Return a limit; refuse one that no line can have."""
    if not 0 <= limit <= UNLIMITED:
        raise ValueError(f"{name}: expected 0 to {UNLIMITED}, got {limit}")
    return limit


def _mask(grid: Grid, blocked: Bytes | None) -> Bytes:
    if blocked is None:
        return grid.no_bytes
    check("blocked", blocked, np.uint8, (grid.size,))
    return blocked

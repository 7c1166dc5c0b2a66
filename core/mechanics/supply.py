"""Lines of supply: how far each hex is from a source, by which path, and which links of a chain are fed.

Distances are counted in half hexes, so that a railroad that counts half needs no fractions. A line runs from a unit to a source and
pays for each hex that it enters, the source's included and the unit's own not; fields are therefore searched backwards, from the
sources. Which hexsides are closed, what a hex counts and which hexes bar a line is the ruleset's.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence

import msgspec

from core.board import SIDES, Board, Hex

CLOSED = 0x3FFF  # a count from here on closes the hexside
UNLIMITED = 0x3FFFFFFF
HALF, WHOLE = 1, 2


class Field(msgspec.Struct, frozen=True):
    """Where lines of supply lead from.

    Attributes:
        halves: half hexes to the nearest source, of each hex within the limit.
        towards: the next hex of that line; a source leads to itself.
    """

    halves: dict[Hex, int]
    towards: dict[Hex, Hex]

    def within(self, limit: int) -> frozenset[Hex]:
        """Return the hexes at most *limit* half hexes from a source."""
        return frozenset(here for here, halves in self.halves.items() if halves <= limit)

    def distance(self, here: Hex) -> int:
        """Return the half hexes from a hex to its nearest source, UNLIMITED if no line leads to one."""
        return self.halves.get(here, UNLIMITED)

    def path(self, here: Hex) -> tuple[Hex, ...]:
        """Return the line from a hex to its source, both included; empty if there is none."""
        if here not in self.towards:
            return ()
        path = [here]
        while self.towards[path[-1]] != path[-1]:
            path.append(self.towards[path[-1]])
        return tuple(path)


def trace(board: Board, counts: Sequence[int], *, sources: Iterable[Hex], blocked: Collection[Hex], limit: int = UNLIMITED) -> Field:
    """Return the field of all lines of at most *limit* half hexes.

    Args:
        counts: of each directed hexside, the half hexes for entering the hex beyond; `CLOSED` or more bars it.
        sources: a caller leaves out those that give nothing.
        blocked: hexes that a line may begin in, but neither enter nor pass. A source among them gives nothing.

    Ties go to the line through the lowest hex, so equal positions show equal lines.
    """
    halves: dict[Hex, int] = {source: 0 for source in sources if source not in blocked}
    towards: dict[Hex, Hex] = {source: source for source in halves}
    heap = [(0, source) for source in sorted(halves)]
    neighbours = board.neighbours
    while heap:
        so_far, there = heapq.heappop(heap)
        if so_far > halves[there] or there in blocked:
            continue
        for side in range(SIDES):
            here = Hex(int(neighbours[SIDES * there + side]))
            if here < 0:
                continue
            count = counts[SIDES * here + (side + 3) % SIDES]  # the line enters *there* from *here*
            total = so_far + count
            if count < CLOSED and total <= limit and total < halves.get(here, UNLIMITED):
                halves[here], towards[here] = total, there
                heapq.heappush(heap, (total, here))
    return Field(halves, towards)


class Chain(msgspec.Struct, frozen=True):
    """Links that are fed, each with the line to what feeds it."""

    lines: dict[Hex, tuple[Hex, ...]]

    @property
    def fed(self) -> frozenset[Hex]:
        """Return the hexes of the fed links."""
        return frozenset(self.lines)


def chain(
    board: Board,
    counts: Sequence[int],
    *,
    sources: Collection[Hex],
    links: Collection[Hex],
    blocked: Collection[Hex],
    limit: int,
) -> Chain:
    """Return which links reach a source within *limit* half hexes, directly or over other fed links.

    It grows outward from the sources, so that links which only feed one another feed nobody.
    """
    lines: dict[Hex, tuple[Hex, ...]] = {}
    givers = frozenset(sources)
    while givers:
        field = trace(board, counts, sources=givers, blocked=blocked, limit=limit)
        new = {link: field.path(link) for link in sorted(links) if link not in lines and link in field.halves}
        lines.update(new)
        givers = frozenset(new)
    return Chain(lines)


def connected(board: Board, kind: str, *, goals: Iterable[Hex], blocked: Collection[Hex]) -> Field:
    """Return the hexes that an unbroken line of hexsides of one *kind* (``"rail"``) joins to a goal.

    Blocked hexes are not part of any line, not even as its end; a goal is joined to itself. Distances count hexsides.
    """
    halves: dict[Hex, int] = {goal: 0 for goal in sorted(goals) if goal not in blocked}
    towards: dict[Hex, Hex] = {goal: goal for goal in halves}
    line = list(halves)
    for there in line:  # grows while it is walked
        for here in board.adjacent[there]:
            if here not in halves and here not in blocked and board.side_has(there, here, kind):
                halves[here], towards[here] = halves[there] + 1, there
                line.append(here)
    return Field(halves, towards)

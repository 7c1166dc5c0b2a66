"""What a finished map must hold: rivers that lead somewhere, rails that lead on, towns on their railway, no hex forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mapmaker.build import Built
from mapmaker.draft import RIVERS, Draft
from mapmaker.grid import Grid, Spot
from mapmaker.lattice import Corner, Side, side
from mapmaker.rails import degrees
from mapmaker.tables import RailRow, SideRow, Tables

TERRAINS = frozenset({"clear", "forest", "swamp", "mountain", "tundra", "sea", "lake"})


def problems(built: Built, letters: Iterable[str]) -> list[str]:
    """Return what is wrong with the sections, one line each, each named once."""
    found: dict[str, None] = {}
    for letter in letters:
        tables = built.section(letter)
        for line in (*hexes_without_terrain(built.draft, tables), *twisted_sides(built.grid, tables)):
            found[line] = None
        for line in (*lost_rivers(built, letter), *rail_stubs(built, letter), *towns_off_their_rail(built, letter)):
            found[line] = None
        for line in cut_off(built, letter):
            found[line] = None
    return list(found)


def hexes_without_terrain(draft: Draft, tables: Tables) -> Iterator[str]:
    """Yield hexes of a section that are missing or have no known terrain."""
    there = {row.hex for row in tables.hexes}
    for spot in tables.section.spots():
        label = tables.section.label(spot)
        if label not in there:
            yield f"{label}: no row"
        elif draft.hexes[spot].terrain not in TERRAINS:
            yield f"{label}: unknown terrain {draft.hexes[spot].terrain!r}"


def twisted_sides(grid: Grid, tables: Tables) -> Iterator[str]:
    """Yield rows of hexsides and rails whose hexes aren't neighbours, stand the wrong way round, or come twice."""
    seen: set[tuple[str, ...]] = set()
    rows: list[SideRow | RailRow] = [*tables.sides, *tables.rails]
    for row in rows:
        key = (*row[:3], type(row).__name__)
        if row.hex >= row.other:
            yield f"{row.hex}/{row.other}: the lower label must come first"
        if grid.spot(row.other) not in grid.neighbours(grid.spot(row.hex)):
            yield f"{row.hex}/{row.other}: not neighbours"
        if key in seen:
            yield f"{row.hex}/{row.other}: twice"
        seen.add(key)


def lost_rivers(built: Built, letter: str) -> Iterator[str]:
    """Yield ends of rivers inside a section that are neither source, mouth, confluence, shore nor the map's edge.

    A river has one end of its own, its source; one that runs into sand has two. Where a correction ends one, it is meant.
    """
    draft = built.draft
    section = built.grid.section(letter)
    ways: dict[Corner, set[str]] = {}
    count: dict[tuple[str, Corner], int] = {}
    for where, kinds in draft.sides.items():
        for kind in RIVERS:
            if kind in kinds:
                for corner in draft.lattice.ends[where]:
                    ways.setdefault(corner, set()).add(kinds[kind].name)
                    count[kinds[kind].name, corner] = count.get((kinds[kind].name, corner), 0) + 1
    allowed = {(course.name, course.corners[end]) for course in draft.courses for end in (0, -1)}
    meant = {corner for where in draft.corrected_sides for corner in draft.lattice.ends[where]}
    for (name, corner), times in count.items():
        if times != 1 or len(ways[corner]) > 1 or (name, corner) in allowed or corner in meant:
            continue
        hexes = draft.lattice.hexes_at[corner]
        if any(draft.is_wet(s) for s, _ in draft.lattice.fan[corner]) or not all(section.label(spot) for spot in hexes):
            continue
        yield f"{'/'.join(sorted(map(str, _labels(built.grid, letter, hexes))))}: river {name} ends in nowhere"


def rail_stubs(built: Built, letter: str) -> Iterator[str]:
    """Yield hexes where a railway ends though no line has its terminus or a junction there and the map goes on."""
    draft = built.draft
    section = built.grid.section(letter)
    for spot, ways in sorted(draft.rail_ways().items()):
        label = section.label(spot)
        at_edge = any(section.label(there) is None for there in built.grid.neighbours(spot))
        if ways == 1 and label and not at_edge and not draft.hexes[spot].name and "terminus" not in draft.hexes[spot].features:
            yield f"{label}: a railway ends here that goes on in truth"


def towns_off_their_rail(built: Built, letter: str) -> Iterator[str]:
    """Yield named hexes without a railway whose town is a station of one."""
    draft = built.draft
    section = built.grid.section(letter)
    railed = {spot for where in draft.rails for spot in where}
    for line in built.geography.railways:
        points = built.grid.forward(*degrees(line.stations))
        for station, point in zip(line.stations, points, strict=True):
            spot = draft.town_at(point)
            if spot is not None and spot not in railed and section.label(spot) and draft.is_land(spot):
                yield f"{section.label(spot)}: {station.name} had a railway ({line.id} {line.name}), the hex has none"


def cut_off(built: Built, letter: str) -> Iterator[str]:
    """Yield hexes of the settings' promises from which no railway leads to any source."""
    grid = built.grid
    section = grid.section(letter)
    for reach in built.settings.reach:
        if reach.section != letter:
            continue
        within = [s for s in section.spots() if reach.lines[0] <= s[0] + section.line_offset <= reach.lines[1]]
        goals = [grid.spot(label) for label in reach.to]
        for label in reach.start:
            if out_of_reach(built.draft, grid.spot(label), goals, day=reach.day, within=within):
                yield f"{label}: no railway to {', '.join(reach.to)} on {reach.day} ({reach.reason})"


def out_of_reach(draft: Draft, start: Spot, goals: Iterable[Spot], *, day: str, within: Iterable[Spot]) -> bool:
    """Say whether no railway that was open on *day* (``1942-11``) leads from *start* to one of *goals*."""
    allowed, wanted = set(within), set(goals)
    seen, queue = {start}, [start]
    while queue:
        here = queue.pop()
        if here in wanted:
            return False
        for there in draft.lattice.around[here]:
            if there in seen or there not in allowed or not is_open(draft, side(here, there), day):
                continue
            seen.add(there)
            queue.append(there)
    return True


def is_open(draft: Draft, where: Side, day: str) -> bool:
    """Say whether a railway crossed a hexside on a day."""
    fact = draft.rails.get(where)
    return fact is not None and fact.opened[: len(day)] <= day


def _labels(grid: Grid, letter: str, spots: Iterable[Spot]) -> list[str]:
    section = grid.section(letter)
    return [label for spot in spots if (label := section.label(spot))]

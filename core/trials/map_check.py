"""What a pack's map must hold whoever wrote it: no hex without terrain, no hexside twice, rivers and railways that lead somewhere.

The checks read the pack's tables alone, so they serve maps that were typed in as well as maps that were made from geography
(`mapmaker.check` compares those with the truth besides).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from core.board import HexFacts
from core.datafile import Faults, read_csv
from core.pack import HEX_COLUMNS, RAIL_COLUMNS, SIDE_COLUMNS, Pack, Section, hex_facts, read_section

Cube = tuple[int, int]
Corner = frozenset[Cube]
AROUND = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
ANY = (0, 99)  # the lines of a section that doesn't say which it has
WET = frozenset({"sea", "lake"})
WATER = "water"  # what a river may end at, among the names of rivers
RIVERS = frozenset({"minor_river", "major_river"})


class Row(NamedTuple):
    """A row of a table of hexsides: where it stands, its hexes, what it is and what it is called; a *note* says that it is meant so."""

    where: str
    hex: str
    other: str
    kind: str
    name: str
    note: str


class Sheet(NamedTuple):
    """A section of the map as its tables have it: hexes by label, hexsides, railways; and where each hex stands in its table."""

    letter: str
    hexes: dict[str, HexFacts]
    sides: list[Row]
    rails: list[Row]
    where: dict[str, str]


def sheets(pack: Pack, faults: Faults) -> Iterator[Sheet]:
    """Yield the sections of a pack's map, with what makes them unreadable noted."""
    for name in sorted(pack.files):
        if name.startswith("map/") and name.endswith("/section.toml"):
            letter = name.split("/")[1]
            section = read_section(pack, letter, faults)
            if section is not None:
                yield _sheet(pack, letter, section, faults)


def _sheet(pack: Pack, letter: str, section: Section, faults: Faults) -> Sheet:
    hexes: dict[str, HexFacts] = {}
    where: dict[str, str] = {}
    name = f"map/{letter}/hexes.csv"
    for line, row in read_csv(name, pack.files.get(name, b""), HEX_COLUMNS, faults):
        label = row["hex"]
        if not label[-4:].isdigit():
            faults.add(f"{name}:{line}: hex", "a label such as E4312", label)
        elif not section.holds(label):
            faults.add(f"{name}:{line}: hex", section.extent, label)
        elif label in hexes:
            faults.add(f"{name}:{line}: hex", "each hex once", f"{label} again")
        else:
            if not row["terrain"]:
                faults.add(f"{name}:{line}: terrain", "a terrain", "none")
            hexes[label] = hex_facts(section, row)
            where[label] = f"{name}:{line}"
    if 2 * len(hexes) < section.size and section.lines != ANY:
        faults.add(name, f"most of the section's {section.size} hexes", len(hexes))
        hexes = {}
    sides = list(_rows(pack, f"map/{letter}/hexsides.csv", SIDE_COLUMNS, "kind", "name", faults))
    rails = list(_rows(pack, f"map/{letter}/rails.csv", RAIL_COLUMNS, "line", "line", faults))
    return Sheet(letter, hexes, sides, rails, where)


def _rows(pack: Pack, name: str, columns: tuple[str, ...], kind: str, called: str, faults: Faults) -> Iterator[Row]:
    for line, row in read_csv(name, pack.files.get(name, b""), columns, faults):
        yield Row(f"{name}:{line}", row["hex"], row["other"], row[kind], row[called], row["note"])


def check_map(pack: Pack, faults: Faults) -> bool:
    """Note every fault of a pack's map; say whether each section's hexes could be read.

    Where a section's hexes are missing as a whole, what stands on them is not judged: that would bury the fault under hundreds.
    """
    every = list(sheets(pack, faults))
    sections = {name.split("/")[1] for name in pack.files if name.startswith("map/") and name.count("/") == 2}
    if {sheet.letter for sheet in every if sheet.hexes} != sections:
        return False
    labels = {label for sheet in every for label in sheet.hexes}
    for sheet in every:
        check_rows(sheet, labels, faults)
        check_rivers(sheet, faults)
        check_rails(sheet, faults)
    for i, sheet in enumerate(every):
        for other in every[:i]:
            check_join(other, sheet, faults)
    return True


# -------------------------------------------------------------------- hexsides


def check_rows(sheet: Sheet, labels: Set[str], faults: Faults) -> None:
    """Note hexsides that are none, stand the wrong way round, or come twice; a section may join another one's hexes (all *labels*)."""
    seen: dict[tuple[str, str, str], str] = {}
    for row in (*sheet.sides, *sheet.rails):
        if row.hex >= row.other:
            faults.add(row.where, "the lower label first", f"{row.hex},{row.other}")
        missing = [label for label in (row.hex, row.other) if label not in labels]
        if missing:
            faults.add(row.where, "hexes of the map", " and ".join(missing))
        elif row.hex in sheet.hexes and row.other in sheet.hexes and cube(sheet, row.other) not in around(cube(sheet, row.hex)):
            faults.add(row.where, "two neighbouring hexes", f"{row.hex} and {row.other}")
        key = (min(row.hex, row.other), max(row.hex, row.other), row.kind)
        if key in seen:
            faults.add(row.where, f"each hexside once (it is in {seen[key]})", f"{row.hex}/{row.other} {row.kind} again")
        seen.setdefault(key, row.where)


def cube(sheet: Sheet, label: str) -> Cube:
    """Return a hex's place."""
    facts = sheet.hexes[label]
    return facts.q, facts.r


def around(here: Cube) -> tuple[Cube, ...]:
    """Return the six places next to one, in order round it."""
    return tuple((here[0] + q, here[1] + r) for q, r in AROUND)


# -------------------------------------------------------------------- joins


def check_join(one: Sheet, other: Sheet, faults: Faults) -> None:
    """Note where two sections print different things in the hexes that they share, and on the hexsides between these."""
    known = {cube(one, label): facts for label, facts in one.hexes.items()}
    shared = {label: known[there] for label in other.hexes if (there := cube(other, label)) in known}
    back = {facts.label: label for label, facts in shared.items()}
    for label, facts in shared.items():
        here = other.hexes[label]
        for field in ("terrain", "city", "name", "port", "country", "features"):
            mine, theirs = _printed(here, field), _printed(facts, field)
            if mine != theirs:
                faults.add(f"{other.where[label]}: {field}", f"what {facts.label}, the same hex, has: {theirs}", f"{mine} in {label}")
    for table, rows, others in (("hexsides", one.sides, other.sides), ("rails", one.rails, other.rails)):
        here_kinds = _kinds(others, {label: label for label in shared})
        there_kinds = _kinds(rows, back)
        for pair in sorted(here_kinds.keys() | there_kinds.keys()):
            first, second, kind = pair
            if pair not in there_kinds:
                faults.add(here_kinds[pair], f"the same as in section {one.letter}, which has no {kind}", f"{kind} at {first}/{second}")
            elif pair not in here_kinds:
                where = f"map/{other.letter}/{table}.csv"
                faults.add(where, f"the same as {there_kinds[pair]}, which has {kind}", f"no {kind} at {first}/{second}")


def _printed(facts: HexFacts, field: str) -> str:
    """Return what is printed in a hex, in words; that a section or a railway ends there is no matter of the other section's."""
    if field == "features":
        return ";".join(sorted(facts.features - {"edge", "terminus"})) or "nothing"
    return getattr(facts, field) or "nothing"


def _kinds(rows: Iterable[Row], called: Mapping[str, str]) -> dict[tuple[str, str, str], str]:
    """Return the kinds of hexsides between hexes of a join, by the labels that they are *called*, and where each stands."""
    found = {}
    for row in rows:
        if row.hex in called and row.other in called:
            first, second = sorted((called[row.hex], called[row.other]))
            found[first, second, row.kind] = row.where
    return found


# -------------------------------------------------------------------- rivers


def check_rivers(sheet: Sheet, faults: Faults) -> None:
    """Note rivers in pieces, and those with more ends in the open than a source.

    A river may end at another river, at water, at the section's edge, or where a note says why; and it has one end of its own: its source.
    """
    placed = {cube(sheet, label): facts for label, facts in sheet.hexes.items()}
    rivers: dict[str, list[tuple[Row, Corner]]] = {}
    met: dict[Corner, set[str]] = {}
    for row in sheet.sides:
        name = WATER if row.kind in WET else row.name or row.where
        if row.kind in RIVERS | WET and row.hex in sheet.hexes and row.other in sheet.hexes:
            for corner in corners(cube(sheet, row.hex), cube(sheet, row.other)):
                met.setdefault(corner, set()).add(name)
                if row.kind in RIVERS:
                    rivers.setdefault(name, []).append((row, corner))
    for name, run in rivers.items():
        open_ends = [(row, corner) for row, corner in ends_of(run) if is_open(corner, placed, met) and not row.note]
        for row, corner in open_ends[1:]:
            hexes = "/".join(sorted(placed[place].label for place in corner))
            faults.add(row.where, f"a river with one source; {name} has {len(open_ends)} open ends", f"one at {hexes}")


def corners(one: Cube, other: Cube) -> tuple[Corner, ...]:
    """Return the two corners of a hexside, each as the three hexes that meet there; none if they aren't neighbours."""
    if other not in around(one):
        return ()
    return tuple(frozenset((one, other, there)) for there in sorted(set(around(one)) & set(around(other))))


def ends_of(run: Iterable[tuple[Row, Corner]]) -> Iterator[tuple[Row, Corner]]:
    """Yield the corners that only one hexside of a river touches."""
    touching: dict[Corner, list[Row]] = {}
    for row, corner in run:
        touching.setdefault(corner, []).append(row)
    yield from ((rows[0], corner) for corner, rows in touching.items() if len(rows) == 1)


def is_open(corner: Corner, placed: Mapping[Cube, HexFacts], met: Mapping[Corner, set[str]]) -> bool:
    """Say whether a river that ends at a corner ends in the open: no other river, no water, not the edge."""
    if len(met[corner]) > 1 or any(place not in placed for place in corner):
        return False
    nearby = {there for place in corner for there in around(place)}
    if any(place not in placed for place in nearby):
        return False
    return not any(placed[place].terrain in WET for place in corner)


# -------------------------------------------------------------------- railways


def check_rails(sheet: Sheet, faults: Faults) -> None:
    """Note hexes where a railway ends though the map goes on, there is no place there, and it isn't marked as a ``terminus``."""
    touching: dict[str, list[Row]] = {}
    for row in sheet.rails:
        for label in (row.hex, row.other):
            touching.setdefault(label, []).append(row)
    placed = {cube(sheet, label) for label in sheet.hexes}
    for label, rows in sorted(touching.items()):
        if label not in sheet.hexes or len({(row.hex, row.other) for row in rows}) > 1:
            continue
        at_edge = any(there not in placed for there in around(cube(sheet, label)))
        facts = sheet.hexes[label]
        if not at_edge and not facts.name and "terminus" not in facts.features:
            faults.add(rows[0].where, "a railway that ends at a named place, a terminus or the map's edge", f"an end in {label}")


def lost_railways(before: Pack, after: Pack) -> Iterator[str]:
    """Yield the named places that have a railway in one pack's map and none in the other's: no fault, but worth a look."""
    old, new = (dict(_stations(pack)) for pack in (before, after))
    for label, (where, name, railed) in new.items():
        if not railed and label in old and old[label][2]:
            yield f"{where}: {name} ({label}) has no railway, and had one in the pack"


def _stations(pack: Pack) -> Iterator[tuple[str, tuple[str, str, bool]]]:
    for sheet in sheets(pack, Faults()):
        railed = {label for row in sheet.rails for label in (row.hex, row.other)}
        for label, facts in sheet.hexes.items():
            if facts.name:
                yield label, (f"map/{sheet.letter}/rails.csv", facts.name, label in railed)

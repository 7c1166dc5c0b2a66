"""The checked-in tables of a section: ``hexes.csv``, ``hexsides.csv``, ``rails.csv``, ``names.csv`` and ``section.toml``."""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from mapmaker.draft import Draft
from mapmaker.grid import Grid, Section, Spot
from mapmaker.lattice import Side


class HexRow(NamedTuple):
    """A row of ``hexes.csv``."""

    hex: str
    terrain: str
    city: str
    name: str
    port: str
    country: str
    features: str
    note: str


class SideRow(NamedTuple):
    """A row of ``hexsides.csv``: one a hexside and kind, the lower label first."""

    hex: str
    other: str
    kind: str
    name: str
    note: str


class RailRow(NamedTuple):
    """A row of ``rails.csv``: a railway from a hex to its neighbour, the lower label first."""

    hex: str
    other: str
    line: str
    opened: str
    note: str


class NameRow(NamedTuple):
    """A row of ``names.csv``: lettering, in the board plane (one unit a hex, x right, y down), angle clockwise."""

    kind: str
    name: str
    x: str
    y: str
    angle: str
    size: str
    note: str


class Tables(NamedTuple):
    """All of a section."""

    section: Section
    hexes: tuple[HexRow, ...]
    sides: tuple[SideRow, ...]
    rails: tuple[RailRow, ...]
    names: tuple[NameRow, ...]

    def files(self, grid: Grid) -> dict[str, str]:
        """Return file name → text."""
        return {
            "hexes.csv": _csv(HexRow._fields, self.hexes),
            "hexsides.csv": _csv(SideRow._fields, self.sides),
            "rails.csv": _csv(RailRow._fields, self.rails),
            "names.csv": _csv(NameRow._fields, self.names),
            "section.toml": section_toml(grid, self.section),
        }


def tables(draft: Draft, names: Iterable[NameRow], section: Section) -> Tables:
    """Cut a section out of the draft, with the hexsides and railways that join it to the sections named before it."""
    labels = _labels(section)
    pairs = _Pairs(labels, _before(draft.lattice.grid, section))
    sides = tuple(sorted(_side_rows(draft, pairs)))
    drawn = {row.name for row in sides}
    nearest = draft.lattice.grid.nearest
    return Tables(
        section,
        tuple(sorted(_hex_row(draft, spot, labels) for spot in labels)),
        sides,
        tuple(sorted(_rail_rows(draft, pairs))),
        tuple(
            row
            for row in names
            if nearest(float(row.x), float(row.y)) in labels and (row.kind != "river" or row.name in drawn)
        ),
    )


def _hex_row(draft: Draft, spot: Spot, labels: Mapping[Spot, str]) -> HexRow:
    here = draft.hexes[spot]
    edge = {"edge"} if any(there not in labels for there in draft.lattice.grid.neighbours(spot)) else set()
    features = ";".join(sorted(here.features | edge))
    return HexRow(labels[spot], here.terrain, here.city, here.name, here.port, here.country, features, here.note)


def _labels(section: Section) -> dict[Spot, str]:
    return {spot: label for spot in section.spots() if (label := section.label(spot))}


def _before(grid: Grid, section: Section) -> tuple[dict[Spot, str], ...]:
    """Return the labels of the sections that name shared hexes before this one does."""
    letters = [one.letter for one in grid.spec.map]
    return tuple(_labels(one) for one in grid.spec.map[: letters.index(section.letter)])


class _Pairs(NamedTuple):
    """Which hexsides a section's tables hold: its own, and those to hexes that only an earlier section has."""

    own: Mapping[Spot, str]
    before: tuple[Mapping[Spot, str], ...]

    def labels(self, where: Side) -> tuple[str, str] | None:
        """Return the two labels of a hexside, the lower first; None if the tables don't hold it."""
        if not all(spot in self.own for spot in where) and any(all(spot in one for spot in where) for one in self.before):
            return None
        found = [self.own.get(spot) or self._elsewhere(spot) for spot in where]
        if not any(spot in self.own for spot in where) or not all(found):
            return None
        low, high = sorted(found)
        return low, high

    def _elsewhere(self, spot: Spot) -> str:
        return next((one[spot] for one in self.before if spot in one), "")


def _side_rows(draft: Draft, pairs: _Pairs) -> Iterable[SideRow]:
    for where, kinds in draft.sides.items():
        pair = pairs.labels(where)
        if pair is None or all(draft.hexes[spot].is_water for spot in where):
            continue
        for kind, fact in kinds.items():
            yield SideRow(*pair, kind, fact.name, fact.note)


def _rail_rows(draft: Draft, pairs: _Pairs) -> Iterable[RailRow]:
    for where, fact in draft.rails.items():
        pair = pairs.labels(where)
        if pair is not None:
            yield RailRow(*pair, ";".join(fact.lines), fact.opened, fact.note)


def _csv(fields: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(fields)
    writer.writerows(rows)
    return text.getvalue()


def section_toml(grid: Grid, section: Section) -> str:
    """Return the numbering facts that a loader needs, with the joins to the game's other sections."""
    shape = grid.spec.geometry
    joins = [
        f'  {{ section = "{other.letter}", line = {other.line_offset - section.line_offset}, '
        f"position = {other.position_offset - section.position_offset} }},"
        for other in grid.spec.map
        if other is not section
    ]
    return "\n".join(
        [
            "# Made by `rasputitsa build-map` from scenarios/geo; edit grid.toml there.",
            'source = "reconstructed"',
            'note = "made from geography on the hex numbers that the rulebook gives; the printed map decides"',
            f'letter = "{section.letter}"',
            f'orientation = "{shape.orientation}"',
            f'line = "{shape.line}"',
            f'line_grows = "{shape.line_grows}"',
            f'position_grows = "{shape.position_grows}"',
            "# how far the hexes of even and odd lines are shifted, in hexes, towards growing positions",
            f"shift_even = {shape.shift_even}",
            f"shift_odd = {shape.shift_odd}",
            "# added to a label's numbers they give those that all sections of the game share",
            f"line_offset = {-section.line_offset}",
            f"position_offset = {-section.position_offset}",
            f"lines = [{section.lines[0]}, {section.lines[1]}]",
            f"positions = [{section.positions[0]}, {section.positions[1]}]",
            f"keep = {[list(cut) for cut in section.keep]}",
            f"hex_km = {shape.hex_km}",
            "# label of another section = label here + line, + position",
            "joins = [",
            *joins,
            "]",
            "",
        ]
    )


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files of a section."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")


def differences(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Return what the files in *folder* have that a rebuild hasn't (-) and the other way round (+), one line a row."""
    found: list[str] = []
    for name, text in files.items():
        path = folder / name
        old = path.read_text("utf-8").splitlines() if path.exists() else []
        lines = difflib.unified_diff(old, text.splitlines(), n=0, lineterm="")
        found += [
            f"{path}: {line[0]} {line[1:]}" for line in lines if line[0] in "+-" and not line.startswith(("+++", "---"))
        ]
    return found



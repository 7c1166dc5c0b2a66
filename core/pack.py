"""Scenario packs: a game's data as bytes, turned into a setting. Paths are opened by the callers.

A pack is a mapping from relative file name to bytes::

    pack.toml                    ruleset, sides, boxes, nations, options
    units.toml                   unit types
    charts/*.toml                charts, typed by the ruleset
    scenarios/<id>.toml          set-up, arrivals, the scenario's own rules
    map/<section>/section.toml   numbering        map/<section>/{hexes,hexsides,rails,names}.csv

An owner's overrides are a second mapping whose files replace those of the pack.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, MutableMapping, Sequence
from typing import Any, Literal

import msgspec

from core import scenario_checks
from core.board import Board, HexFacts
from core.datafile import Faults, TomlFile, read_csv
from core.errors import BadInput
from core.hidden import unknown_types
from core.packhash import pack_hash
from core.ruleset import Ruleset
from core.setting import Setting
from core.units import Side, UnitType

HEX_COLUMNS = ("hex", "terrain", "city", "name", "port", "country", "features", "note")
SIDE_COLUMNS = ("hex", "other", "kind", "name", "note")
RAIL_COLUMNS = ("hex", "other", "line", "opened", "note")
NAME_COLUMNS = ("kind", "name", "x", "y", "angle", "size", "note")
LETTERED = ("city", "lake", "mountains", "region", "river", "sea")  # what a name on the map may be of
Boards = MutableMapping[Hashable, Board]
FAR = 1000.0  # labels have two digits a way, so no hex lies so far from the origin


class Option(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A choice made before a game: optional rules and readings."""

    id: str
    title: str
    rule: str
    default: bool | int | str
    choices: tuple[bool | int | str, ...] = (False, True)
    sections: tuple[str, ...] = ()  # of the map, with one of which it changes anything; empty: with all

    def matters_in(self, scenario: Scenario) -> bool:
        """Say whether the choice changes anything in a scenario."""
        return not self.sections or not set(self.sections).isdisjoint(scenario.sections)


class Nation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A nationality: its side, and the colours of its counters (``#rrggbb``)."""

    id: str
    title: str
    side: Side
    colour: str
    elite: str = ""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``pack.toml``."""

    ruleset: str
    title: str
    sides: tuple[Side, Side]
    side_titles: dict[Side, str]
    side_colours: dict[Side, str]
    boxes: tuple[str, ...] = ()
    box_titles: dict[str, str] = {}
    option: tuple[Option, ...] = ()
    nation: tuple[Nation, ...] = ()
    note: str = ""


class SetupLine(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One counter of a set-up: hex or box, type, designation, steps (0: full strength)."""

    place: str
    type: str
    name: str
    steps: int = 0


class Arrival(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Counters that arrive on a turn, each as (type, designation)."""

    turn: int
    side: Side
    units: tuple[tuple[str, str], ...]
    source: str = "rulebook"
    note: str = ""


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A scenario: which part of the map, how long, who stands where, and what is special (*rules*, the ruleset's own words)."""

    id: str
    title: str
    rule: str
    sections: tuple[str, ...]
    first_turn: int
    last_turn: int
    source: str
    lines: tuple[int, int] | None = None
    rails_until: str = "1941-06"
    blurb: str = ""
    note: str = ""
    setup: tuple[SetupLine, ...] = ()
    arrival: tuple[Arrival, ...] = ()
    rules: dict[str, Any] = {}


class Section(msgspec.Struct, frozen=True):
    """``section.toml``: how a map section numbers its hexes, and where it lies on the joined map."""

    letter: str
    orientation: Literal["pointy-top", "flat-top"]
    line_grows: Literal["south", "north", "east", "west"]
    position_grows: Literal["south", "north", "east", "west"]
    shift_even: float
    shift_odd: float
    line_offset: int = 0
    position_offset: int = 0
    lines: tuple[int, int] = (0, 99)
    positions: tuple[int, int] = (0, 99)

    def holds(self, label: str) -> bool:
        """Say whether a label is one of this section's: its letter, then a line and a position within the extent."""
        number = label.removeprefix(self.letter)
        if not (label.startswith(self.letter) and len(number) == 4 and number.isascii() and number.isdigit()):
            return False
        return self.lines[0] <= int(number[:2]) <= self.lines[1] and self.positions[0] <= int(number[2:]) <= self.positions[1]

    @property
    def extent(self) -> str:
        """Which labels the section has, in words."""
        (top, bottom), (first, last) = self.lines, self.positions
        return f"a hex of section {self.letter}: lines {top:02d} to {bottom:02d}, positions {first:02d} to {last:02d}"

    @property
    def size(self) -> int:
        """How many hexes the section can have."""
        (top, bottom), (first, last) = self.lines, self.positions
        return (bottom - top + 1) * (last - first + 1)

    def plane(self, label: str) -> tuple[float, float]:
        """Return x, y of a hex's centre (right, down; one unit is the distance of neighbouring centres)."""
        line = int(label[-4:-2]) + self.line_offset
        position = int(label[-2:]) + self.position_offset + (self.shift_odd if line % 2 else self.shift_even)
        along_line, across = position * _sign(self.position_grows), line * _sign(self.line_grows) * math.sqrt(3) / 2
        return (along_line, across) if self.orientation == "pointy-top" else (across, along_line)

    def facts(self, label: str, terrain: str) -> HexFacts:
        """Return a hex of this terrain where its label puts it."""
        x, y = self.plane(label)
        if self.orientation == "pointy-top":
            r = round(y / (math.sqrt(3) / 2))
            q = round(x - r / 2)
        else:
            q = round(x / (math.sqrt(3) / 2))
            r = round(y - q / 2)
        return HexFacts(label, q, r, x, y, terrain)


def _sign(grows: str) -> int:
    return 1 if grows in ("south", "east") else -1


class Lettering(msgspec.Struct, frozen=True):
    """A name on the map: what it names, where (board plane), its angle in degrees, its weight 1 … 4."""

    kind: str
    name: str
    x: float
    y: float
    angle: float
    size: int


def apart(files: Mapping[str, bytes], others: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the names of the files in which two packs differ, those included that one of them lacks."""
    return tuple(sorted(name for name in files.keys() | others.keys() if files.get(name) != others.get(name)))


class Pack:
    """A game's data.

    Args:
        files: relative name → bytes.
        overrides: files that replace those of the same name.

    Raises:
        BadInput: with all faults found in manifest, units and scenarios.
    """

    def __init__(self, files: Mapping[str, bytes], overrides: Mapping[str, bytes] | None = None) -> None:
        self.files = {**files, **(overrides or {})}
        self.overridden = tuple(sorted(overrides or {}))
        self._parsed: dict[str, TomlFile] = {}
        faults = Faults()
        manifest = self._manifest(faults)
        units = self._units(faults)
        self.types = {kind.id: kind for _, kind in units}
        self.scenarios = self._scenarios(faults)
        if manifest is not None:
            self.manifest = manifest
            self._check_references(units, faults)
        faults.check()

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all files, in hexadecimal: a pack's identity."""
        return pack_hash(self.files)

    def toml(self, name: str) -> TomlFile:
        """Return a file of the pack as TOML; BadInput if it is missing or isn't TOML."""
        if name not in self.files:
            raise BadInput.one(name, "a file of this name in the pack", "none")
        data = self.files[name]
        parsed = self._parsed.get(name)
        if parsed is None or parsed.data is not data:   # whoever checks a file asks for it again, and to parse it takes longest
            parsed = self._parsed[name] = TomlFile(name, data)
        return parsed

    # ---------------------------------------------------------------- parts

    def _manifest(self, faults: Faults) -> Manifest | None:
        try:
            file = self.toml("pack.toml")
        except BadInput as error:
            faults.take(error)
            return None
        found: Manifest | None = file.struct(file.tree, Manifest, "", faults)
        return found

    def _units(self, faults: Faults) -> list[tuple[int, UnitType]]:
        """Return the unit types that are well-formed, each with its place in the file."""
        try:
            file = self.toml("units.toml")
        except BadInput as error:
            faults.take(error)
            return []
        units = file.numbered("unit", UnitType, faults)
        ids: set[str] = set()
        for i, kind in units:
            if kind.id in ids:
                faults.add(file.where(f"unit[{i}].id"), "an id that no other unit type has", kind.id)
            ids.add(kind.id)
        return units

    def _ids(self) -> frozenset[object] | None:
        """Return the ids of unit types, those at fault too, for whoever names one is at no fault; None if nobody can tell."""
        try:
            rows = self.toml("units.toml").tree.get("unit")
        except BadInput:
            return None
        if not isinstance(rows, list) or not all(isinstance(row, dict) and isinstance(row.get("id"), str) for row in rows):
            return None
        return frozenset(row["id"] for row in rows)

    def _scenarios(self, faults: Faults) -> dict[str, Scenario]:
        found: dict[str, Scenario] = {}
        for name in sorted(self.files):
            if not (name.startswith("scenarios/") and name.endswith(".toml")):
                continue
            try:
                file = self.toml(name)
            except BadInput as error:
                faults.take(error)
                continue
            scenario = file.struct(file.tree, Scenario, "", faults)
            if scenario is not None:
                found[scenario.id] = scenario
        if not found and not faults.found:
            faults.add("scenarios/", "at least one scenario", "none")
        return found

    def _check_references(self, units: Sequence[tuple[int, UnitType]], faults: Faults) -> None:
        """Note what names a thing that the pack lacks, in all that is well-formed, whatever else is at fault."""
        nations, known = {nation.id for nation in self.manifest.nation}, self._ids()
        for box in sorted(set(self.manifest.box_titles) - set(self.manifest.boxes)):
            faults.add(self.toml("pack.toml").where(f"box_titles.{box}"), "a box of pack.toml", box)
        for i, kind in units:
            where = self.toml("units.toml").where
            if kind.side not in self.manifest.sides:
                faults.add(where(f"unit[{i}].side"), " or ".join(self.manifest.sides), kind.side)
            if kind.nation not in nations:
                faults.add(where(f"unit[{i}].nation"), "a nation of pack.toml", kind.nation)
            if kind.then and known is not None and kind.then not in known:
                faults.add(where(f"unit[{i}].then"), "the id of a unit type", kind.then)
        for scenario in self.scenarios.values():
            try:
                self.check_scenario(scenario, faults)
            except BadInput as error:  # no file is called like it
                faults.take(error)

    def lay(self, file: TomlFile, scenario: Scenario) -> None:
        """Let a scenario stand in the pack as it was read from what is left of its file (`TomlFile.without`)."""
        self.files[file.name], self._parsed[file.name], self.scenarios[scenario.id] = file.data, file, scenario

    def check_scenario(self, scenario: Scenario, faults: Faults) -> None:
        """Note what a scenario names that the pack lacks, and numbers and sides that don't fit it.

        Raises:
            BadInput: no file is called like it.
        """
        file, known = self.toml(f"scenarios/{scenario.id}.toml"), self._ids()
        named = [(f"setup[{i}]", line.type) for i, line in enumerate(scenario.setup)]
        named += [
            (f"arrival[{i}].units", kind) for i, arrival in enumerate(scenario.arrival) for kind, _ in arrival.units
        ]
        for path, kind in named:
            if known is not None and kind not in known:
                faults.add(file.where(path), "the id of a unit type", kind)
        for section in scenario.sections:
            if f"map/{section}/hexes.csv" not in self.files:
                faults.add(file.where("sections"), "a section of the map", section)
        scenario_checks.check_scenario(file, scenario, self.manifest.sides, self.types, faults)

    def lettering(self, sections: Iterable[str]) -> tuple[Lettering, ...]:
        """Return the names to be written on the map."""
        faults = Faults()
        found: list[Lettering] = []
        for letter in sections:
            name = f"map/{letter}/names.csv"
            for line, row in read_csv(name, self.files.get(name, b""), NAME_COLUMNS, faults):
                one = _lettering(f"{name}:{line}", row, faults)
                if one is not None:
                    found.append(one)
        faults.check()
        return tuple(found)


def _lettering(where: str, row: Mapping[str, str], faults: Faults) -> Lettering | None:
    """Return a row of ``names.csv``, or None with its faults noted."""
    try:
        one = Lettering(
            row["kind"], row["name"], float(row["x"]), float(row["y"]), float(row["angle"] or 0), int(row["size"] or 1)
        )
    except ValueError:
        faults.add(where, "numbers for x, y, angle and size", ",".join(row.values()))
        return None
    found = len(faults.found)
    if one.kind not in LETTERED:
        faults.add(f"{where}: kind", "one of " + ", ".join(LETTERED), one.kind)
    for field, value in (("x", one.x), ("y", one.y)):
        if not abs(value) < FAR:  # nor is what is no number
            faults.add(f"{where}: {field}", "a place on the board's plane", row[field])
    if not abs(one.angle) <= 90:
        faults.add(f"{where}: angle", "degrees from -90 to 90", row["angle"])
    if not 1 <= one.size <= 4:
        faults.add(f"{where}: size", "a size from 1 to 4", row["size"])
    return one if len(faults.found) == found else None


# -------------------------------------------------------------------- the map


def build_board(pack: Pack, scenario: Scenario) -> Board:
    """Return the joined board of a scenario's sections.

    Where two sections share a hex, the one that the scenario names first gives it its label and what is printed in it; the other
    label stays good as another name.

    Raises:
        BadInput: with every fault of the map files.
    """
    faults = Faults()
    facts: dict[tuple[int, int], HexFacts] = {}
    alias: dict[str, str] = {}
    sides: dict[tuple[str, str], set[str]] = {}
    sections = [(letter, read_section(pack, letter, faults)) for letter in scenario.sections]
    for letter, section in sections:
        if section is not None:
            _read_hexes(pack, letter, section, scenario, facts, alias, faults)
    known = {fact.label: fact for fact in facts.values()}
    for letter, _ in sections:
        _read_sides(pack, letter, known, alias, sides, faults)
        _read_rails(pack, letter, scenario.rails_until, known, alias, sides, faults)
    faults.check()
    orientation = next(section.orientation for _, section in sections if section is not None)
    ordered = sorted(facts.values(), key=lambda fact: fact.label)
    return Board(ordered, sides, orientation=orientation, boxes=pack.manifest.boxes, aliases=alias)


def read_section(pack: Pack, letter: str, faults: Faults) -> Section | None:
    """Return how a section numbers its hexes; None if its file is at fault, which is noted."""
    try:
        file = pack.toml(f"map/{letter}/section.toml")
    except BadInput as error:
        faults.take(error)
        return None
    section: Section | None = file.struct(file.tree, Section, "", faults)
    if section is None:
        return None
    before = len(faults.found)
    if section.letter != letter:
        faults.add(file.where("letter"), f"{letter}, as the folder is called", section.letter)
    for field, (first, last) in (("lines", section.lines), ("positions", section.positions)):
        if not 0 <= first <= last <= 99:
            faults.add(file.where(field), "the first and the last, of two digits", [first, last])
    return section if len(faults.found) == before else None


def _read_hexes(
    pack: Pack,
    letter: str,
    section: Section,
    scenario: Scenario,
    facts: dict[tuple[int, int], HexFacts],
    alias: dict[str, str],
    faults: Faults,
) -> None:
    """Read a section's hexes; where sections overlap, the one read first names the hex."""
    name = f"map/{letter}/hexes.csv"
    first, last = scenario.lines or (0, 99)
    for line, row in read_csv(name, pack.files.get(name, b""), HEX_COLUMNS, faults):
        label = row["hex"]
        if not label[-4:].isdigit():
            faults.add(f"{name}:{line}: hex", "a label such as E4312", label)
            continue
        if not section.holds(label):
            faults.add(f"{name}:{line}: hex", section.extent, label)
            continue
        if not first <= int(label[-4:-2]) <= last:
            continue
        bare = section.facts(label, row["terrain"])
        cube = (bare.q, bare.r)
        if cube in facts:
            alias[label] = facts[cube].label
            continue
        facts[cube] = hex_facts(section, row)


def hex_facts(section: Section, row: Mapping[str, str]) -> HexFacts:
    """Return what a row of ``hexes.csv`` says of a hex, where its label puts it."""
    bare = section.facts(row["hex"], row["terrain"])
    return HexFacts(
        bare.label, bare.q, bare.r, bare.x, bare.y, bare.terrain,
        city=row["city"],
        name=row["name"],
        port=row["port"],
        country=row["country"],
        features=frozenset(word for word in row["features"].split(";") if word),
    )


def _pair(
    name: str, line: int, row: dict[str, str], known: Mapping[str, HexFacts], alias: Mapping[str, str], faults: Faults
) -> tuple[str, str] | None:
    """Return the two labels of a row that lies on the board, in order; None if it doesn't."""
    one, other = (alias.get(row[key], row[key]) for key in ("hex", "other"))
    if one not in known or other not in known:
        return None
    a, b = known[one], known[other]
    if max(abs(a.q - b.q), abs(a.r - b.r), abs(a.q + a.r - b.q - b.r)) != 1:
        faults.add(f"{name}:{line}", "two neighbouring hexes", f"{one} and {other}")
        return None
    return (one, other) if one < other else (other, one)


def _read_sides(
    pack: Pack,
    letter: str,
    known: Mapping[str, HexFacts],
    alias: Mapping[str, str],
    sides: dict[tuple[str, str], set[str]],
    faults: Faults,
) -> None:
    name = f"map/{letter}/hexsides.csv"
    for line, row in read_csv(name, pack.files.get(name, b""), SIDE_COLUMNS, faults):
        pair = _pair(name, line, row, known, alias, faults)
        if pair is not None:
            sides.setdefault(pair, set()).add(row["kind"])


def _read_rails(
    pack: Pack,
    letter: str,
    until: str,
    known: Mapping[str, HexFacts],
    alias: Mapping[str, str],
    sides: dict[tuple[str, str], set[str]],
    faults: Faults,
) -> None:
    """Read the railways that were open by *until* (``1942-11``)."""
    name = f"map/{letter}/rails.csv"
    for line, row in read_csv(name, pack.files.get(name, b""), RAIL_COLUMNS, faults):
        if row["opened"] > until:
            continue
        pair = _pair(name, line, row, known, alias, faults)
        if pair is not None:
            sides.setdefault(pair, set()).add("rail")


# -------------------------------------------------------------------- a game's setting


def chosen_options(manifest: Manifest, chosen: Mapping[str, bool | int | str]) -> dict[str, bool | int | str]:
    """Return every option of a pack with its chosen or default value; BadInput for what doesn't exist.

    A value is kept as the pack writes it: 1 chooses true where an option is true or false, and so do games that kept it as 1.
    """
    faults = Faults()
    known = {option.id: option for option in manifest.option}
    for name, value in chosen.items():
        if name not in known:
            faults.add("option", "one of " + ", ".join(known) if known else "no option", name)
        elif value not in known[name].choices:
            faults.add(f"option {name}", "one of " + ", ".join(map(str, known[name].choices)), value)
    faults.check()
    kept = {name: known[name].choices[known[name].choices.index(value)] for name, value in chosen.items()}
    return {name: kept.get(name, option.default) for name, option in known.items()}


def setting(
    ruleset: Ruleset,
    pack: Pack,
    scenario: str,
    options: Mapping[str, bool | int | str] | None = None,
    *,
    board: Board | None = None,
    boards: Boards | None = None,
) -> Setting:
    """Return what stays the same through a game of this scenario.

    Args:
        board: another board than the scenario's own, for case files.
        boards: those of other settings, of which the scenario's own is taken, or put among them: of the largest map one takes 9 MB.

    Raises:
        BadInput: unknown scenario or option, or faults in map, charts or set-up.
    """
    if scenario not in pack.scenarios:
        raise BadInput.one("scenario", "one of " + ", ".join(sorted(pack.scenarios)), scenario)
    ruleset.check_scenario(pack, pack.scenarios[scenario])
    agreed = chosen_options(pack.manifest, options or {})
    chosen = ruleset.scenario_with(pack.scenarios[scenario], agreed)
    return Setting(
        ruleset=ruleset,
        board=board if board is not None else _board_of(pack, chosen, {} if boards is None else boards),
        types={**pack.types, **unknown_types(pack.manifest.sides)} if ruleset.secrets.hides_units else pack.types,
        charts=ruleset.charts(pack),
        scenario=chosen,
        options=agreed,
        sides=pack.manifest.sides,
        pack=pack.digest,
    )


def _board_of(pack: Pack, scenario: Scenario, boards: Boards) -> Board:
    """Return a scenario's board; whatever else is agreed on, the same sections of a pack's map are the same board."""
    shown = (pack.digest, scenario.sections, scenario.lines, scenario.rails_until)
    if (found := boards.get(shown)) is None:
        found = boards[shown] = build_board(pack, scenario)
    return found

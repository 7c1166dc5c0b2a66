"""What an owner's file changes of the pack beneath it, value by value: for `rasputitsa check-pack`.

Tables of an array are told apart by what names them (``id``, ``number`` …), so that a new order of the tables is no difference; arrays
without names are compared as heaps, but for lists of figures, whose order says which is which. Rows of a map are told apart by their hexes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from core.datafile import Faults, TomlFile, read_csv

SEVERAL = 3  # cells that a line has at least, so that it is known again when one of them changes
NAMES = ("id", "number", "name", "section", "kind")
KEYS = {
    "hexes.csv": ("hex",),
    "hexsides.csv": ("hex", "other", "kind"),
    "rails.csv": ("hex", "other", "line"),
    "names.csv": ("kind", "name", "x", "y"),
}


class Difference(msgspec.Struct, frozen=True):
    """One value that an owner's file changes.

    *where* is ``file:line`` in his file, in the pack's for what his lacks; *what* names the value; *before* is empty for one that is
    new, *after* for one that is missing.
    """

    where: str
    what: str
    before: str
    after: str

    @property
    def missing(self) -> bool:
        """Say whether the owner's file lacks what the pack has."""
        return not self.after


class Reconstruction(msgspec.Struct, frozen=True):
    """A table of data that is reconstructed: where it begins, and what it is."""

    where: str
    what: str


def differences(name: str, before: bytes, after: bytes) -> Iterator[Difference]:
    """Yield what *after* changes of *before*, two files of this name.

    Raises:
        BadInput: one of them can't be read.
    """
    if name.endswith(".toml"):
        yield from _of_toml(TomlFile(name, before), TomlFile(name, after))
    elif name.endswith(".csv"):
        yield from _of_rows(name, before, after)
    elif before != after:
        yield Difference(name, "the whole file", f"{len(before)} bytes", f"{len(after)} bytes")


# -------------------------------------------------------------------- TOML


class _Value(NamedTuple):
    """A value as people write it, its path, and its cells if it is a line of a heap, told by the heap it lies in."""

    text: str
    path: str
    heap: str = ""
    cells: tuple[str, ...] = ()


def _of_toml(before: TomlFile, after: TomlFile) -> Iterator[Difference]:
    old, new = dict(_values(before.tree, "", "")), dict(_values(after.tree, "", ""))
    gone = {what: value for what, value in old.items() if what not in new}
    for what, value in new.items():
        where, was = f"{after.name}:{after.line_of(value.path)}", old.get(what)
        origin = None if was or not value.cells else _same_but_one(value, gone)
        if origin is not None:
            yield Difference(where, value.heap, gone.pop(origin).text, value.text)
        elif was is None or was.text != value.text:
            yield Difference(where, what, was.text if was else "", value.text)
    for what, value in gone.items():
        yield Difference(f"{before.name}:{before.line_of(value.path)}", what, value.text, "")


def _same_but_one(line: _Value, gone: Mapping[str, _Value]) -> str | None:
    """Return which line of the same heap a line was before one of its cells changed, such as a counter's hex; None if none or many."""
    found = [
        what
        for what, value in gone.items()
        if value.heap == line.heap and len(value.cells) == len(line.cells) >= SEVERAL
        and sum(one != other for one, other in zip(value.cells, line.cells, strict=True)) == 1
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


def _values(value: Any, what: str, path: str) -> Iterator[tuple[str, _Value]]:
    """Yield (what names a value, the value) for every value in a tree."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _values(inner, f"{what}: {key}" if what else key, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        for one, name, number in _named(value):
            yield from _values(one, f"{what} {name}", f"{path}[{number}]")
    elif _are_figures(value):
        for number, one in enumerate(value):
            yield f"{what} {number + 1}", _Value(written(one), f"{path}[{number}]")
    elif isinstance(value, list) and any(isinstance(one, list) for one in value):
        seen: Counter[str] = Counter()
        for number, one in enumerate(value):
            shown = written(one)
            seen[shown] += 1
            again = f" ({seen[shown]})" if seen[shown] > 1 else ""
            cells = tuple(map(written, one)) if isinstance(one, list) else ()
            yield f"{what} {shown}{again}", _Value(shown, f"{path}[{number}]", what, cells)
    else:
        yield what, _Value(written(value), path)


def _are_figures(value: Any) -> bool:
    """Say whether a value is a list of lists of numbers, such as the faces of a counter: each is told by its place."""
    rows = value if isinstance(value, list) else []
    return bool(rows) and all(isinstance(row, list) and row and all(isinstance(one, (int, float)) for one in row) for row in rows)


def _named(tables: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], str, int]]:
    """Yield each table of an array with what tells it from the others, and its number."""
    names = [str(number) for number in range(1, len(tables) + 1)]
    for key in NAMES:
        found = [str(table[key]) for table in tables if key in table]
        if len(set(found)) == len(tables):
            names = found
            break
    yield from ((table, name, number) for number, (table, name) in enumerate(zip(tables, names, strict=True)))


def written(value: Any) -> str:
    """Return a value as a TOML file writes it.

    >>> written([1, "a", True, {"b": []}])
    '[1, "a", true, {b = []}]'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {written(inner)}" for key, inner in value.items()) + "}"
    return str(value)


# -------------------------------------------------------------------- CSV


def _of_rows(name: str, before: bytes, after: bytes) -> Iterator[Difference]:
    faults = Faults()
    old, new = _rows(name, before, faults), _rows(name, after, faults)
    faults.check()
    for key, (line, row) in new.items():
        was = old.get(key)
        if was is None:
            yield Difference(f"{name}:{line}", " ".join(key), "", _short(row))
            continue
        for column, value in row.items():
            if was[1].get(column) != value:
                yield Difference(f"{name}:{line}", f"{' '.join(key)}: {column}", f'"{was[1].get(column, "")}"', f'"{value}"')
    for key, (line, row) in old.items():
        if key not in new:
            yield Difference(f"{name}:{line}", " ".join(key), _short(row), "")


def _rows(name: str, data: bytes, faults: Faults) -> dict[tuple[str, ...], tuple[int, dict[str, str]]]:
    header = next((line for line in data.decode("utf-8-sig", "replace").splitlines() if line and not line.startswith("#")), "")
    columns = tuple(header.split(","))
    keys = KEYS.get(name.rpartition("/")[2], columns)
    found = read_csv(name, data, columns, faults)
    return {tuple(row.get(key, "") for key in keys): (line, row) for line, row in found}


def _short(row: Mapping[str, str]) -> str:
    return ",".join(row.values()).rstrip(",")


# -------------------------------------------------------------------- what is reconstructed


def reconstructions(name: str, data: bytes) -> Iterator[Reconstruction]:
    """Yield the tables of a TOML file that say ``source = "reconstructed"``."""
    file = TomlFile(name, data)
    for what, path in _reconstructed(file.tree, "", ""):
        yield Reconstruction(f"{name}:{file.line_of(path or 'source')}", what or "the whole file")


def _reconstructed(value: Any, what: str, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        if value.get("source") == "reconstructed":
            yield what, path
            return
        for key, inner in value.items():
            yield from _reconstructed(inner, f"{what}: {key}" if what else key, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        for one, name, number in _named(value):
            yield from _reconstructed(one, f"{what} {name}", f"{path}[{number}]")

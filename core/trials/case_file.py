"""A case file as it is written: TOML into structs, every fault of it named with its line."""

from __future__ import annotations

import re
from typing import Any, TypeVar, get_args

import msgspec

from core.datafile import Faults, TomlFile, explain
from core.pack import Section
from core.shapes import convert

Words = str  # several words in a string: hexes, units, marks
OrderText = str | dict[str, Any]


class HexText(msgspec.Struct, frozen=True):
    """``[[board.hex]]``: what is printed in some hexes; what is left out stays as it was."""

    at: Words
    terrain: str | None = None
    city: str | None = None
    name: str | None = None
    port: str | None = None
    country: str | None = None
    features: tuple[str, ...] | None = None


class BoardText(msgspec.Struct, frozen=True):
    """``[board]``: a small board of one's own, or changes to the scenario's map."""

    rows: tuple[int, int] | None = None
    columns: tuple[int, int] | None = None
    picture: str = ""
    legend: dict[str, str] = {}
    everywhere: dict[str, str] = {}
    terrain: dict[str, Words] = {}
    sides: dict[str, Words] = {}
    rails: tuple[Words, ...] = ()
    labels: dict[str, str] = {}
    hex: tuple[HexText, ...] = ()
    numbering: Section | None = None


class UnitText(msgspec.Struct, frozen=True):
    """A unit written as a table instead of a line of words."""

    at: str
    type: str
    name: str | None = None
    faces: tuple[str, ...] = ()
    steps: int = 0
    chit: str = ""
    marks: Words = ""


class StateText(msgspec.Struct, frozen=True):
    """What lies on the board and beside it; in a step, what changes there outside the rules."""

    units: dict[str, str | UnitText] = {}
    marks: dict[str, Words] = {}
    steps: dict[str, int] = {}
    chits: dict[str, str] = {}
    move: dict[str, str] = {}
    remove: Words = ""
    control: dict[str, Words] = {}
    hex_marks: dict[str, Words] = {}
    tracks: dict[str, int] = {}
    cups: dict[str, tuple[str, ...]] = {}


class ExpectText(msgspec.Struct, frozen=True):
    """What must hold."""

    at: dict[str, str] = {}
    steps: dict[str, int] = {}
    values: dict[str, str] = {}
    chits: dict[str, str] = {}
    marks: dict[str, Words] = {}
    hexes: dict[str, Words] = {}
    empty: Words = ""
    control: dict[str, str] = {}
    hex_marks: dict[str, Words] = {}
    tracks: dict[str, int] = {}
    cups: dict[str, dict[str, int]] = {}
    result: str | None = None
    explained: dict[str, str] = {}
    decides: str | None = None
    may: Words | None = None
    accepted: tuple[OrderText, ...] = ()
    refused: dict[str, str] = {}
    next: dict[str, Words] = {}
    score: dict[str, int] = {}
    outcome: str | None = None
    winner: str | None = None
    turn: int | None = None
    phase: str | None = None


class Moment(msgspec.Struct, frozen=True):
    """A phase of a turn."""

    turn: int
    phase: str


class StepText(msgspec.Struct, frozen=True):
    """``[[step]]``: one thing that happens, and what must hold after it."""

    again: bool = False
    begin: Moment | None = None
    change: StateText = StateText()
    until: str = ""
    order: OrderText = ""
    side: str = ""
    dice: tuple[int, ...] = ()
    draws: tuple[str, ...] = ()
    refused: str = ""
    undo: bool = False
    expect: ExpectText = ExpectText()
    note: str = ""


class ArrivalText(msgspec.Struct, frozen=True):
    """``[[arrival]]``: counters that come on a turn, each as (type, designation); the scenario's own come no more."""

    turn: int
    side: str
    units: tuple[tuple[str, str], ...]


class CaseText(StateText, frozen=True, kw_only=True):
    """A whole case file; what it inherits is the state that it sets up."""

    title: str
    game: str
    scenario: str
    rules: tuple[str, ...]
    note: str = ""
    open: str = ""
    setup: bool = False
    options: dict[str, bool | int | str] = {}
    special: dict[str, Any] = {}
    board: BoardText | None = None
    called: dict[str, str] = {}
    turn: int | None = None
    phase: str = ""
    dice: tuple[int, ...] = ()
    draws: tuple[str, ...] = ()
    expect: ExpectText = ExpectText()
    step: tuple[StepText, ...] = ()
    arrival: tuple[ArrivalText, ...] | None = None


# -------------------------------------------------------------------- lines

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def lines_of(text: str) -> dict[str, int]:
    """Return the line of each header and key of a TOML text, by a path such as ``step[2].expect.at``."""
    found: dict[str, int] = {}
    counts: dict[str, int] = {}
    prefix, fence = "", ""
    for number, line in enumerate(text.splitlines(), start=1):
        if fence:
            fence = "" if fence in line else fence
            continue
        header, key = _HEADER.match(line), _KEY.match(line)
        if header and not key:
            prefix = _entered(header[2], counts, grows=header[1] == "[[")
            found.setdefault(prefix, number)
        elif key:
            name = ".".join(part.strip().strip("\"'") for part in key[1].split("."))
            found.setdefault(f"{prefix}.{name}" if prefix else name, number)
        fence = next((mark for mark in ('"""', "'''") if line.count(mark) == 1), "")
    return found


def _entered(header: str, counts: dict[str, int], *, grows: bool) -> str:
    path, done = "", ""
    parts = [part.strip() for part in header.split(".")]
    for i, part in enumerate(parts):
        path = f"{path}.{part}" if path else part
        if grows and i == len(parts) - 1:
            counts[path] = counts.get(path, -1) + 1
        done = f"{done}.{part}" if done else part
        if path in counts:
            done += f"[{counts[path]}]"
    return done


class Source:
    """Where the values of a file stand, and the faults found in it.

    Attributes:
        faults: collects them.
    """

    def __init__(self, file: TomlFile) -> None:
        self.name = file.name
        self.faults = Faults()
        self._lines = lines_of(file.text)

    def where(self, path: str) -> str:
        """Return ``file:line: path`` of a value, or of the nearest thing above it that has a line."""
        up = path
        while up and up not in self._lines:
            up = re.sub(r"\[[^\[]*\]$", "", up) if up.endswith("]") else up.rpartition(".")[0]
        return f"{self.name}:{self._lines.get(up, 1)}: {path}"

    def fault(self, path: str, expected: str, got: object) -> None:
        """Note a fault."""
        self.faults.add(self.where(path), expected, got)


# -------------------------------------------------------------------- structs

T = TypeVar("T", bound=msgspec.Struct)


def read(source: Source, tree: dict[str, Any]) -> CaseText | None:
    """Return a file's tree as a case, None if that can't be; all faults are noted in *source*."""
    return take(source, CaseText, tree, "")


def take(source: Source, cls: type[T], table: object, path: str) -> T | None:
    """Return a table as a struct, None if it isn't one; unknown keys are faults."""
    if not isinstance(table, dict):
        source.fault(path, "a table", table)
        return None
    fields = {field.name: field for field in msgspec.structs.fields(cls)}
    values: dict[str, Any] = {}
    whole = True
    for name, value in table.items():
        here = f"{path}.{name}" if path else name
        if name not in fields:
            source.fault(here, "a key that is known here: " + ", ".join(fields), name)
            whole = False
            continue
        taken = _value(source, fields[name].type, value, here)
        whole = whole and taken is not _FAULTY
        values[name] = taken
    for name, field in fields.items():
        if field.required and name not in table:
            source.fault(path or name, f"a key `{name}`", "none")
            whole = False
    return cls(**values) if whole else None


_FAULTY = object()


def _value(source: Source, hint: Any, value: object, path: str) -> Any:
    """Return a value as its type, `_FAULTY` if it isn't of that type."""
    struct, many = _struct_in(hint)
    if struct is Section or struct is None or struct is UnitText:
        return _plain(source, hint, value, path)
    if not many:
        taken = take(source, struct, value, path)
        return _FAULTY if taken is None else taken
    if not isinstance(value, list):
        source.fault(path, f"tables [[{path}]]", value)
        return _FAULTY
    rows = [take(source, struct, row, f"{path}[{i}]") for i, row in enumerate(value)]
    return _FAULTY if None in rows else tuple(rows)


def _struct_in(hint: Any) -> tuple[type[msgspec.Struct] | None, bool]:
    """Return the struct that a type is or holds, and whether it holds many."""
    for one in (hint, *get_args(hint)):
        if isinstance(one, type) and issubclass(one, msgspec.Struct):
            return one, getattr(hint, "__origin__", None) is tuple
        inner = [arg for arg in get_args(one) if isinstance(arg, type) and issubclass(arg, msgspec.Struct)]
        if inner and getattr(one, "__origin__", None) is tuple:
            return inner[0], True
    return None, False


def _plain(source: Source, hint: Any, value: object, path: str) -> Any:
    try:
        return convert(value, hint)
    except msgspec.ValidationError as error:
        expected, got, inner = explain(error)
        if inner.startswith("[...]") and isinstance(value, dict):  # it doesn't say which: each by itself, and all are told
            if len(value) > 1:
                for name, one in value.items():
                    _plain(source, hint, {name: one}, path)
                return _FAULTY
            inner = f".{next(iter(value))}{inner.removeprefix('[...]')}"
        source.fault(path + inner, expected, got or repr(value))
        return _FAULTY

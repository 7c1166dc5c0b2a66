"""TOML and CSV as typed structs, with every fault of a file named: file, line, field, what was expected, what came."""

from __future__ import annotations

import copy
import csv
import io
import re
import tomllib
from collections.abc import Iterable, Iterator
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin

import msgspec

from core import tomllines
from core.errors import BadInput, Fault
from core.shapes import convert

T = TypeVar("T")
_MESSAGE = re.compile(r"(?P<what>.*?)(?: - at `(?P<path>.*)`)?$", re.DOTALL)
_EXPECTED = re.compile(r"Expected `(?P<expected>.+?)`(?:, got `?(?P<got>.+?)`?)?$")
_PART = re.compile(r"(\w*)(?:\[(\d+)\])?(?:\.(\w+))?")
_ROW = re.compile(r"(\w+)\[(\d+)\]")
# what people who write files call the types of values
WORDS = {
    "int": "a whole number", "float": "a number", "str": "text", "bool": "true or false",
    "array": "a list", "object": "a table", "null": "nothing",
}  # fmt: skip


class Faults:
    """Collects faults, so that all of a file are told at once."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def add(self, where: str, expected: str, got: object) -> None:
        """Note one fault."""
        self.found.append(Fault(where, expected, str(got)))

    def take(self, error: BadInput) -> None:
        """Note the faults of another error."""
        self.found.extend(error.faults)

    def check(self) -> None:
        """Raise BadInput if there was any."""
        if self.found:
            raise BadInput(self.found)


def decode_text(name: str, data: bytes) -> str:
    """Return a file's text; BadInput if it isn't UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadInput.one(f"{name}:{line}", "UTF-8 text", f"byte {data[error.start]:#04x}") from error


class TomlFile:
    """A TOML file that can say on which line a value stands.

    Args:
        name: its name for people, relative to the pack.
        data: its bytes.
    """

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data
        self.text = decode_text(name, data)
        self._kept: dict[str, list[int]] = {}  # lists of which rows are left out: which are left
        try:
            self.tree: dict[str, Any] = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            line = re.search(r"line (\d+)", str(error))
            raise BadInput.one(f"{name}:{line.group(1) if line else 1}", "TOML", error) from error
        except RecursionError as error:
            raise BadInput.one(f"{name}:1", "TOML", "lists or tables too deep within one another") from error
        except ValueError as error:  # the parser takes what Python reads as a number, and that ends at some thousand digits
            raise BadInput.one(f"{name}:1", "TOML", "a number of very many digits") from error

    def line_of(self, path: str) -> int:
        """Return the line of a value such as ``unit[2].faces[0]``, or of the nearest thing above it that has one."""
        return tomllines.line_of(self.text, self._as_written(path))

    def where(self, path: str) -> str:
        """Return ``file:line: path`` for messages."""
        return f"{self.name}:{self.line_of(path)}: {self._as_written(path)}"

    def without(self, paths: Iterable[str]) -> TomlFile:
        """Return the file without what these paths name: rows of lists, fields of tables, other values. What is left keeps its lines.

        >>> left = TomlFile("x.toml", b"setup = [1, 2,\\n3]").without(["setup[1]"])
        >>> left.tree, left.where("setup[1]")
        ({'setup': [1, 3]}, 'x.toml:2: setup[2]')
        """
        left = copy.copy(self)
        left.tree = copy.deepcopy(self.tree)
        rows: dict[str, set[int]] = {}
        for part in map(self.part_of, paths):
            key, index, field = _pieces(part)
            value = left.tree.get(key)
            if index and isinstance(value, list):
                rows.setdefault(key, set()).add(int(index))
            elif field and isinstance(value, dict):
                value.pop(field, None)
            else:
                left.tree.pop(key, None)
        left._kept = {key: [i for i in range(len(left.tree[key])) if i not in out] for key, out in rows.items() if key in left.tree}
        for key, kept in left._kept.items():
            left.tree[key] = [left.tree[key][i] for i in kept]
        return left

    def has_all(self, key: str) -> bool:
        """Say whether no row of a list was left out."""
        return key not in self._kept

    @staticmethod
    def part_of(path: str) -> str:
        """Return the part that `without` takes out for a path.

        >>> [TomlFile.part_of(path) for path in ("setup[3][1]", "arrival[0].units[1]", "rules.skipped[0]", "title")]
        ['setup[3]', 'arrival[0]', 'rules.skipped', 'title']
        """
        key, index, field = _pieces(path)
        return f"{key}[{index}]" if index else f"{key}.{field}" if field else key

    def _as_written(self, path: str) -> str:
        """Return a path of what is left as it stands in the file."""
        row = _ROW.match(path)
        kept = self._kept.get(row[1]) if row else None
        return f"{row[1]}[{kept[int(row[2])]}]{path[row.end():]}" if row and kept is not None and int(row[2]) < len(kept) else path

    def struct(self, value: Any, cls: Any, path: str, faults: Faults) -> Any | None:
        """Return *value* as *cls*, or None with all its faults noted."""
        try:
            return convert(value, cls)
        except msgspec.ValidationError as error:
            for inner, expected, got in list(_faults_in(value, cls, "")) or [_first_fault(value, "", error)]:
                faults.add(self.where((path + inner).lstrip(".")), expected, got)
            return None

    def list_of(self, key: str, cls: type[T], faults: Faults, *, required: bool = True) -> list[T]:
        """Return the array of tables ``[[key]]``, each as *cls*; those at fault are left out."""
        return [row for _, row in self.numbered(key, cls, faults, required=required)]

    def numbered(self, key: str, cls: type[T], faults: Faults, *, required: bool = True) -> list[tuple[int, T]]:
        """Return what `list_of` does, each with its place in the file: ``key[3]`` stays so whatever is at fault before it."""
        rows = self.tree.get(key, [])
        if not isinstance(rows, list) or (required and not rows):
            faults.add(self.where(key), f"at least one [[{key}]]", rows)
            return []
        found = [(i, self.struct(row, cls, f"{key}[{i}]", faults)) for i, row in enumerate(rows)]
        return [(i, row) for i, row in found if row is not None]


def _pieces(path: str) -> tuple[str, str | None, str | None]:
    """Return the first steps of a path: name, number of a row, name of a field."""
    found = _PART.match(path)
    assert found is not None, path  # any of it may be missing
    return found[1], found[2], found[3]


def _faults_in(value: Any, cls: Any, path: str) -> Iterator[tuple[str, str, str]]:
    """Yield (path, expected, got) of every fault; msgspec itself stops at the first of a value."""
    origin, args = get_origin(cls), get_args(cls)
    if origin is UnionType and len(args) == 2 and args[1] is NoneType and value is not None:  # what may be left out is there
        yield from _faults_in(value, args[0], path)
    elif isinstance(value, dict) and isinstance(cls, type) and issubclass(cls, msgspec.Struct):
        yield from _faults_of_fields(value, cls, path)
    elif isinstance(value, dict) and origin is dict:
        for key, inner in value.items():
            yield from _faults_in(inner, args[1], f"{path}.{key}")
    elif isinstance(value, list) and origin is tuple and args[-1] is Ellipsis:
        for i, inner in enumerate(value):
            yield from _faults_in(inner, args[0], f"{path}[{i}]")
    elif origin is Literal:
        if value not in args:
            yield path, "one of " + ", ".join(map(str, args)), str(value)
    else:
        try:
            convert(value, cls)
        except msgspec.ValidationError as error:
            yield _first_fault(value, path, error)


def _faults_of_fields(value: dict[str, Any], cls: type[msgspec.Struct], path: str) -> Iterator[tuple[str, str, str]]:
    known = {field.encode_name: field for field in msgspec.structs.fields(cls)}
    if cls.__struct_config__.forbid_unknown_fields:
        for name in sorted(set(value) - set(known)):
            yield f"{path}.{name}", "only known fields", f"`{name}`"
    for name, field in known.items():
        if name in value:
            yield from _faults_in(value[name], field.type, f"{path}.{name}")
        elif field.required:
            yield path, f"a field `{name}`", "none"


def _first_fault(value: Any, path: str, error: msgspec.ValidationError) -> tuple[str, str, str]:
    expected, got, inner = explain(error)
    found = _value_at(value, inner)
    return path + inner, expected, str(got if got and isinstance(found, (list, dict)) else found)


def _value_at(value: Any, inner: str) -> Any:
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", inner):
        try:
            value = value[int(index)] if index else value[name]
        except (KeyError, IndexError, TypeError):
            return "nothing"
    return repr(value) if isinstance(value, str) else value


def explain(error: msgspec.ValidationError) -> tuple[str, str, str]:
    """Return what was expected, what came (may be empty) and the path of a validation error, in the words of people who write files."""
    message = _MESSAGE.match(str(error))
    assert message is not None
    path = (message["path"] or "").removeprefix("$")
    what = message["what"]
    expected = _EXPECTED.match(what)
    if expected:
        return in_words(expected["expected"]), in_words(expected["got"] or ""), path
    limit = re.match(r"Expected `(.+)` (<=|>=|<|>) (.+)", what)
    if limit:
        return f"{in_words(limit[1])} {limit[2]} {limit[3]}", "", path
    length = re.match(r"Expected `array` of (?:(at least|at most) )?length (\d+)(?:, got (\d+))?", what)
    if length:
        least = f"{length[1]} " if length[1] else ""
        return f"a list of {least}{length[2]} values", f"{length[3]} values" if length[3] else "", path
    missing = re.match(r"Object missing required field `(.+)`", what)
    if missing:
        return f"a field `{missing[1]}`", "none", path
    unknown = re.match(r"Object contains unknown field `(.+)`", what)
    if unknown:
        return "only known fields", f"`{unknown[1]}`", f"{path}.{unknown[1]}"
    return re.sub(r"`(.+?)`", lambda quoted: in_words(quoted[1]), what), "", path


def in_words(types: str) -> str:
    """Return what people call a type, or several of which any will do; that a value may be left out goes without saying.

    >>> in_words("int"), in_words("int | str | null"), in_words("2026-01-01")
    ('a whole number', 'a whole number or text', '2026-01-01')
    """
    parts = types.split(" | ")
    return " or ".join(WORDS.get(one, one) for one in parts if one != "null" or len(parts) == 1)


def read_csv(name: str, data: bytes, columns: tuple[str, ...], faults: Faults) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (line, row) of a CSV file with exactly these *columns*; lines that begin with # are notes."""
    try:
        text = decode_text(name, data)
    except BadInput as error:
        faults.take(error)
        return
    header: tuple[str, ...] | None = None
    for line, row in _records(name, text, faults):
        if not row or row[0].startswith("#"):
            continue
        if header is None:
            header = tuple(row)
            if header != columns:
                faults.add(f"{name}:{line}", ",".join(columns), ",".join(row))
                return
        elif len(row) != len(columns):
            faults.add(f"{name}:{line}", f"{len(columns)} fields with commas between", f"{len(row)} field{'s' * (len(row) != 1)}")
        else:
            yield line, dict(zip(columns, row, strict=True))
    if header is None:
        faults.add(f"{name}:1", ",".join(columns), "an empty file")


def _records(name: str, text: str, faults: Faults) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, fields); the line is the one that a record begins on, which a quote left open moves far from its end."""
    reader = csv.reader(io.StringIO(text), strict=True)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        faults.add(f"{name}:{line}", "a row of CSV", error)

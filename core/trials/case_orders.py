"""Orders of case files: ``attack 2010 with A, B`` as the struct of that order, by the kinds of its fields alone.

No order type is known here: the first word is an order's name, and each further word goes to the field that picks its kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from core.board import Board
from core.errors import BadInput
from core.orders import FieldKind, Order, fields_of
from core.ruleset import Ruleset
from core.text import whole_number
from core.trials.case_board import hexes_in
from core.trials.case_file import OrderText
from core.trials.case_units import handles_in
from core.units import UnitId
from core.views import View

FILLERS = frozenset(("with", "to", "and", "by", "at", "from", "of", "in", "on", "into", "for", "via", "then", "along", "against", "->"))
_TOKEN = re.compile(r"\w+=(?:\"[^\"]*\"|\S+)|\"[^\"]*\"|[^\s,]+")


class Units:
    """Names that a case gives to units."""

    def __init__(self) -> None:
        self.handles: dict[str, UnitId] = {}

    def looks_like_unit(self, word: str) -> bool:
        """Say whether a word names a unit."""
        return word in self.handles or word[:1] in "#*" or "@" in word or all(one in self.handles for one in handles_in(word))

    def find(self, view: View, word: str) -> tuple[UnitId, ...]:
        """Return the units that a word names.

        Raises:
            BadInput: it names none.
        """
        position, board = view.position, view.board
        if word in self.handles:
            return (self.handles[word],)
        if word.startswith("#") and (number := whole_number(word[1:])) is not None and UnitId(number) in position.units:
            return (UnitId(number),)
        if word.startswith("*") and board.has(word[1:]):
            side = view.side_to_act()
            return tuple(unit for unit in position.at(board.hex(word[1:])) if not side or view.side(unit) == side)
        if "@" in word:
            return _standing(view, word)
        if all(one in self.handles for one in handles_in(word)):
            return tuple(self.handles[one] for one in handles_in(word))
        return _called(view, word)

    def one(self, view: View, word: str) -> UnitId:
        """Return the one unit that a word names."""
        found = self.find(view, word)
        if len(found) != 1:
            raise BadInput.one(f"unit {word}", "a word that names one unit", f"{len(found)} units")
        return found[0]


def _standing(view: View, word: str) -> tuple[UnitId, ...]:
    type, _, label = word.partition("@")
    if not (view.board.has(label) or label in view.board.boxes):
        raise BadInput.one(f"unit {word}", "a hex or box after @", label)
    there = view.position.at(view.board.place(label))
    found = tuple(unit for unit in there if view.unit(unit).type == type)
    if not found:
        raise BadInput.one(f"unit {word}", f"a unit of this type in {label}", ", ".join(view.name(unit) for unit in there))
    return found


def _called(view: View, word: str) -> tuple[UnitId, ...]:
    type, _, name = word.partition(":")
    found = tuple(unit.id for unit in view.position.units.values() if (unit.type, unit.name) == (type, name))
    if not found:
        raise BadInput.one(f"unit {word}", "a handle of [units] or [called], #number, type:designation, type@hex or *hex", word)
    return found


# -------------------------------------------------------------------- parsing


def parse(view: View, units: Units, text: OrderText) -> Order:
    """Return the order, or draft of one, that a text describes.

    Raises:
        BadInput: no order has this name, or a word fits none of its fields.
    """
    if isinstance(text, dict):
        return _from_table(view, units, text)
    name, *words = _TOKEN.findall(text) or [""]
    cls = order_type(view.ruleset, name)
    filled: dict[str, list[Any]] = {}
    at = 0
    for word in (word.rstrip(":;") for word in words):
        if not word or word.lower() in FILLERS:
            continue
        explicit, equals, value = word.partition("=")
        if equals and explicit in cls.__struct_fields__:
            field = next(field for field in fields_of(cls) if field.name == explicit)
            filled.setdefault(field.name, []).extend(_values(view, units, field.pick, value.strip('"')))
            continue
        kind = kind_of(view.board, units, word)
        at = _field_for(cls, kind, at, filled, word)
        filled.setdefault(fields_of(cls)[at].name, []).extend(_values(view, units, fields_of(cls)[at].pick, word.strip('"')))
    return _made(cls, filled)


def order_type(ruleset: Ruleset, name: str) -> type[Order]:
    """Return the order type of a name."""
    if name not in ruleset.orders:
        raise BadInput.one("order", "one of " + ", ".join(sorted(ruleset.orders)), name)
    return ruleset.orders[name].order


def kind_of(board: Board, units: Units, word: str) -> str:
    """Return what a word of an order is: ``unit``, ``hex``, ``number`` or ``option``."""
    if word.startswith('"'):
        return "option"
    if all(board.has(label) for label in hexes_in(word)):
        return "hex"
    if units.looks_like_unit(word) or ":" in word:
        return "unit"
    return "option" if whole_number(word) is None else "number"


def _field_for(cls: type[Order], kind: str, at: int, filled: Mapping[str, list[Any]], word: str) -> int:
    """Return the index of the field that takes a word: the one being filled, else the next free one of its kind."""
    fields = fields_of(cls)
    kinds = ("option", "text") if kind == "option" else (kind,)

    def takes(i: int) -> bool:
        return fields[i].pick in kinds and not (fields[i].many == "one" and fields[i].name in filled)

    found: int | None = next((i for i in (*range(at, len(fields)), *range(at)) if takes(i)), None)
    if found is None:
        shown = ", ".join(f"{field.name} ({field.many} {field.pick})" for field in fields) or "nothing"
        raise BadInput.one(f"order {cls.__struct_config__.tag}", f"words for its fields: {shown}", f"{word}, a {kind}")
    return found


def _values(view: View, units: Units, pick: str, word: str) -> Iterable[Any]:
    if pick == "unit":
        return units.find(view, word)
    if pick == "hex":
        missing = [label for label in hexes_in(word) if not view.board.has(label)]
        if missing:
            raise BadInput.one("hex", "a hex of the board", missing[0])
        return [view.board.hex(label) for label in hexes_in(word)]
    if pick == "number":
        number = whole_number(word)
        if number is None:
            raise BadInput.one("number", "a whole number", word)
        return [number]
    return [view.name(units.handles[word]) if word in units.handles else word]


def _from_table(view: View, units: Units, table: Mapping[str, Any]) -> Order:
    cls = order_type(view.ruleset, str(table.get("order", "")))
    known: dict[str, FieldKind] = {field.name: field for field in fields_of(cls)}
    filled: dict[str, list[Any]] = {}
    for name, value in table.items():
        if name == "order":
            continue
        if name not in known:
            raise BadInput.one(f"order {table['order']}", "one of its fields: " + ", ".join(known), name)
        for one in value if isinstance(value, list) else [value]:
            filled.setdefault(name, []).extend(_values(view, units, known[name].pick, str(one)))
    return _made(cls, filled)


def _made(cls: type[Order], filled: Mapping[str, list[Any]]) -> Order:
    values: dict[str, Any] = {}
    for field in fields_of(cls):
        some = filled.get(field.name, [])
        if field.many == "one" and len(some) > 1:
            raise BadInput.one(f"order {cls.__struct_config__.tag}, {field.name}", "one " + field.pick, f"{len(some)}")
        if some:
            values[field.name] = some[0] if field.many == "one" else tuple(some)
    return cls(**values)

"""What a player may ask, as a walk of picks.

An order type is a frozen struct whose every field has a default: an order under composition is the same struct with some fields
still empty. A field's type tells what is picked for it, and fields are filled from left to right, so that an order and
its walk are the same thing written twice. Fields that stand side by side differ in the kind of pick.
"""

from __future__ import annotations

import typing
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, TypeVar

import msgspec

from core.board import Hex
from core.errors import BadInput
from core.units import UnitId


class UnitPick(msgspec.Struct, frozen=True, tag="unit", tag_field="pick"):
    """A unit is named."""

    unit: UnitId


class HexPick(msgspec.Struct, frozen=True, tag="hex", tag_field="pick"):
    """A hex is named: a target, or the next hex of a path."""

    hex: Hex


class OptionPick(msgspec.Struct, frozen=True, tag="option", tag_field="pick"):
    """One of several named choices is taken; the first pick of a walk names the order type."""

    option: str


class NumberPick(msgspec.Struct, frozen=True, tag="number", tag_field="pick"):
    """A number is said."""

    number: int


class TextPick(msgspec.Struct, frozen=True, tag="text", tag_field="pick"):
    """Words are written."""

    text: str


Pick = UnitPick | HexPick | OptionPick | NumberPick | TextPick
Picks = tuple[Pick, ...]

# How a field is picked: a set's order means nothing (it is kept sorted), a path's does; "one" is picked once or not at all.
UnitSet = Annotated[tuple[UnitId, ...], msgspec.Meta(max_length=200, extra={"pick": "unit", "many": "set"})]
HexSet = Annotated[tuple[Hex, ...], msgspec.Meta(max_length=200, extra={"pick": "hex", "many": "set"})]
Path = Annotated[tuple[Hex, ...], msgspec.Meta(max_length=200, extra={"pick": "hex", "many": "path"})]
OneUnit = Annotated[UnitId | None, msgspec.Meta(extra={"pick": "unit", "many": "one"})]
OneHex = Annotated[Hex | None, msgspec.Meta(extra={"pick": "hex", "many": "one"})]
OneOption = Annotated[str | None, msgspec.Meta(extra={"pick": "option", "many": "one"})]
OneNumber = Annotated[int | None, msgspec.Meta(extra={"pick": "number", "many": "one"})]
OneText = Annotated[str | None, msgspec.Meta(extra={"pick": "text", "many": "one"})]


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="order"):
    """Base of all order types; the struct's tag is the name of the order type."""


class FieldKind(msgspec.Struct, frozen=True):
    """How one field of an order is picked."""

    name: str
    pick: str
    many: str


O = TypeVar("O", bound=Order)  # noqa: E741
_MAKE: dict[str, Any] = {"unit": UnitPick, "hex": HexPick, "option": OptionPick, "number": NumberPick, "text": TextPick}
_KIND: dict[type[Pick], str] = {make: kind for kind, make in _MAKE.items()}   # also the name of the field that holds what was picked


@cache
def fields_of(cls: type[Order]) -> tuple[FieldKind, ...]:
    """Return how the fields of an order type are picked, from left to right."""
    found = []
    for name, hint in typing.get_type_hints(cls, include_extras=True).items():
        if name not in cls.__struct_fields__:
            continue
        extra = next(meta.extra for meta in hint.__metadata__ if isinstance(meta, msgspec.Meta) and meta.extra)
        found.append(FieldKind(name, extra["pick"], extra["many"]))
    assert all(a.pick != b.pick for a, b in pairwise(found)), f"{cls.__name__}: ambiguous picks"
    return tuple(found)


def name_of(order: Order | type[Order]) -> str:
    """Return the name of an order's type: the tag of its struct."""
    return str(order.__struct_config__.tag)


def picks_of(order: Order) -> Picks:
    """Return the walk that composes an order, without the pick of its type."""
    walk: list[Pick] = []
    for field in fields_of(type(order)):
        value = getattr(order, field.name)
        some = () if value is None else (value,) if field.many == "one" else value
        walk.extend(_MAKE[field.pick](one) for one in some)
    return tuple(walk)


def units_of(order: Order) -> tuple[UnitId, ...]:
    """Return the units that an order names."""
    return tuple(pick.unit for pick in picks_of(order) if isinstance(pick, UnitPick))


def kind_of(pick: Pick) -> str:
    """Return ``"unit"``, ``"hex"``, ``"option"``, ``"number"`` or ``"text"``."""
    return _KIND[type(pick)]


def value_of(pick: Pick) -> Any:
    """Return what was picked."""
    return getattr(pick, _KIND[type(pick)])


def compose(cls: type[O], picks: Sequence[Pick]) -> O:
    """Return the order, or draft of one, that a walk leads to.

    Raises:
        BadInput: a pick fits no field that is still open.
    """
    values: dict[str, Any] = {}
    done, end = 0, len(picks)
    for field in fields_of(cls):
        first, kind = done, field.pick
        last = min(first + 1, end) if field.many == "one" else end
        while done < last and _KIND[type(picks[done])] == kind:
            done += 1
        taken = [getattr(pick, kind) for pick in picks[first:done]]
        if field.many == "one":
            values[field.name] = taken[0] if taken else None
        else:
            values[field.name] = tuple(sorted(taken)) if field.many == "set" else tuple(taken)
    if done < end:
        raise BadInput.one(f"order {name_of(cls)}", "no further pick of this kind", f"{kind_of(picks[done])} {value_of(picks[done])}")
    return cls(**values)


def normal(order: O) -> O:
    """Return an order with its sets sorted and without repetitions, as it is decided, hashed and stored; itself if it is so already."""
    changes: dict[str, tuple[Any, ...]] = {}
    for name in _sets_of(type(order)):
        value = getattr(order, name)
        if value != (in_order := tuple(sorted(set(value)))):
            changes[name] = in_order
    return msgspec.structs.replace(order, **changes) if changes else order


@cache
def _sets_of(cls: type[Order]) -> tuple[str, ...]:
    """Return the names of the fields of an order that are sets."""
    return tuple(field.name for field in fields_of(cls) if field.many == "set")

"""Unit types as the counters print them, and units as they stand."""

from __future__ import annotations

from typing import NewType

import msgspec

from core.board import Place

UnitId = NewType("UnitId", int)
Side = str  # "axis", "soviet": the pack names them


class Face(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Values of one face of a counter: attack and defence in strength points, move in movement points."""

    attack: int
    defence: int
    move: int


class UnitType(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of counter.

    *faces* run from full strength down; *steps* counts them with those of the type that replaces it (*then*). A type that draws
    a chit for its strength names the cup in *cup* and prints only its *move*. *traits* are words that a ruleset gives a meaning.
    *values* are further figures of the counter, such as the range of an air fleet. ``{id}`` in *name* stands for the designation,
    ``{nth}`` for it with a point where it is a number: not all corps of a type are numbered.
    """

    id: str
    side: Side
    nation: str
    kind: str
    size: str
    stacking: str
    name: str
    faces: tuple[Face, ...] = ()
    steps: int = 1
    then: str = ""
    cup: str = ""
    move: int = 0
    motorized: bool = False
    traits: frozenset[str] = frozenset()
    values: dict[str, int] = {}
    source: str = "rulebook"
    note: str = ""

    def called(self, designation: str) -> str:
        """Return how people call a counter of this type.

        >>> corps = UnitType("corps", "red", "red", "infantry", "XXX", "corps", "{nth} Rifle Corps")
        >>> corps.called("5"), corps.called("Riga")
        ('5. Rifle Corps', 'Riga Rifle Corps')
        """
        nth = f"{designation}." if designation.isdecimal() else designation
        return self.name.replace("{id}", designation).replace("{nth}", nth)


class Unit(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A counter: its number for ever, its type, the designation printed on it, where it is and what is left of it."""

    id: UnitId
    type: str
    name: str
    place: Place
    steps: int

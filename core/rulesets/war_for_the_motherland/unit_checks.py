"""What the rows of ``units.toml`` must hold besides their form: an owner may have typed them in, and a word that no rule knows would
take a unit's ability away without a sound, or break a game.

Rules: 2.22, 4.12 to 4.14 (stacking), 4.21, 5.5, 5.66 (traits), 7.13 (cups), 8.91 to 8.93 (steps).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.datafile import Faults
from core.rulesets.war_for_the_motherland.terms import ARMY_KINDS, EA_KINDS, MARKERS, NOT_STACKING, SOVIET, is_corps
from core.units import UnitType

if TYPE_CHECKING:
    from core.pack import Pack

KINDS = frozenset(
    {
        *ARMY_KINDS,
        *MARKERS,
        *NOT_STACKING,
        *("airborne", "cavalry", "marine", "mechanized", "mountain", "panzer", "security"),
    }
)
SIZES = ("XXXXX", "XXXX", "XXX", "XX", "KG", "special", "marker")
WEIGHED = ("army", "corps", "kg", "division")
TRAITS = ("zoc", "kg_zoc", "strategic", "strategic_mud", "sea", "sea_half", "optional")
CUPS = ("A", "B", "C")
NEEDED = ("sov_infantry_army", "sov_infantry_corps", "sov_mechanized_corps", "sov_osg")  # which rules put on the map themselves

_Fault = tuple[str, str, object]  # the field, what was expected, what came


def check_units(pack: Pack, faults: Faults) -> None:
    """Note every word and number of the unit types that the rules can't play with."""
    file = pack.toml("units.toml")
    for i, kind in enumerate(pack.types.values()):
        for field, expected, got in (*_words(kind), *_numbers(kind, pack)):
            faults.add(file.where(f"unit[{i}].{field}"), expected, got)
    for id in NEEDED:
        if id not in pack.types:
            faults.add(file.where("unit"), f'a [[unit]] with id = "{id}"', "none")


def _words(kind: UnitType) -> Iterator[_Fault]:
    for field, value, known in (("kind", kind.kind, sorted(KINDS)), ("size", kind.size, SIZES)):
        if value not in known:
            yield field, _one_of(known), value
    stacking = ("marker",) if kind.kind in MARKERS else ("free",) if kind.kind in NOT_STACKING else WEIGHED
    if kind.kind in KINDS and kind.stacking not in stacking:
        yield "stacking", _one_of(stacking), kind.stacking
    for trait in sorted(kind.traits.difference(TRAITS)):
        yield "traits", "of " + ", ".join(TRAITS), trait


def _numbers(kind: UnitType, pack: Pack) -> Iterator[_Fault]:
    if is_drawn(kind):
        yield from _numbers_of_army(kind)
    elif kind.cup:
        yield "cup", "none: Soviet armies alone draw their strength", kind.cup
    elif kind.kind not in MARKERS:
        yield from _numbers_of_faces(kind, pack)
    if kind.kind == "air_fleet":
        for value in ("azoi", "range"):
            if kind.values.get(value, -1) < 0:
                yield "values", f"a whole number {value} >= 0", kind.values.get(value, "none")


def is_drawn(kind: UnitType) -> bool:
    """Say whether a unit is an army whose strength is drawn from a cup (7.0)."""
    return kind.side == SOVIET and kind.kind in ARMY_KINDS and not is_corps(kind)


def _numbers_of_army(kind: UnitType) -> Iterator[_Fault]:
    if kind.cup not in CUPS:
        yield "cup", _one_of(CUPS), kind.cup or "none"
    if kind.faces:
        yield "faces", "none: its strength is drawn", f"{len(kind.faces)} faces"
    if kind.move < 1:
        yield "move", "a whole number >= 1", kind.move
    if kind.steps != 2:
        yield "steps", "2, the sides of its marker", kind.steps


def _numbers_of_faces(kind: UnitType, pack: Pack) -> Iterator[_Fault]:
    """A unit has a step for each face, and those of the unit that replaces it (8.91, 8.92)."""
    if not kind.faces:
        yield "faces", "at least one face", "none"
    for i, face in enumerate(kind.faces):
        if min(face.attack, face.defence, face.move) < 0:
            yield f"faces[{i}]", "whole numbers >= 0", [face.attack, face.defence, face.move]
        if kind.kind in EA_KINDS and face.move:
            yield f"faces[{i}]", "0 movement points: economic assets don't move", face.move
    then = pack.types.get(kind.then)
    if kind.kind in KINDS and then is not None and (then.side, then.nation, then.kind) != (kind.side, kind.nation, kind.kind):
        yield "then", "a unit of the same nation and kind", kind.then
    steps = len(kind.faces) + (then.steps if then is not None else 0)
    if kind.faces and kind.steps != steps:
        yield "steps", f"{steps}, a step for each face" + (f" and those of {kind.then}" if then is not None else ""), kind.steps


def _one_of(words: tuple[str, ...] | list[str]) -> str:
    return ("one of " if len(words) > 1 else "") + ", ".join(words)

"""Units of case files: a line of words such as ``2010 corps 3-5-4 #8 +out_of_supply`` as a counter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from core.ruleset import Vocabulary
from core.text import whole_number
from core.trials.case_file import Source, UnitText
from core.units import Face, UnitType

SIZES = {"XXXXX": "front", "XXXX": "army", "XXX": "corps", "XX": "division", "KG": "kg"}
_VALUES = re.compile(r"\d+-\d+-\d+$")
_CLASS = re.compile(r"([A-Z])-([0-9]{1,4})$")
_MANY = re.compile(r"([A-Za-z_]+)([0-9]{1,4})-(?:\1)?([0-9]{1,4})$")
_WORD = re.compile(r"\[[^\]]*\]|#\"[^\"]*\"|\S+")


class Counter(msgspec.Struct, frozen=True):
    """A counter as a case places it. *faces* are values of its own, empty for those that its type prints."""

    handle: str
    type: str
    name: str
    place: str
    steps: int
    chit: str = ""
    marks: Mapping[str, int] = {}
    faces: tuple[Face, ...] = ()


class Catalogue(msgspec.Struct, frozen=True):
    """What a pack and its ruleset know of counters."""

    types: Mapping[str, UnitType]
    vocabulary: Vocabulary


def handles_in(key: str) -> list[str]:
    """Return the handles that a key stands for: ``D1-D3`` are three.

    >>> handles_in("D1-D3")
    ['D1', 'D2', 'D3']
    """
    found = _MANY.match(key)
    if found is None:
        return [key]
    return [f"{found[1]}{number}" for number in range(int(found[2]), int(found[3]) + 1)]


def counters(source: Source, catalogue: Catalogue, units: Mapping[str, str | UnitText], path: str) -> list[Counter]:
    """Return the counters of a table of units; what can't be understood is a fault."""
    found = []
    for key, text in units.items():
        here = f"{path}.{key}"
        for handle in handles_in(key):
            counter = _from_words(source, catalogue, handle, text, here) if isinstance(text, str) else None
            if isinstance(text, UnitText):
                counter = _from_table(source, catalogue, handle, text, here)
            if counter is not None:
                found.append(counter)
    return found


def _from_words(source: Source, catalogue: Catalogue, handle: str, line: str, path: str) -> Counter | None:
    place, *rest = _WORD.findall(line) or [""]
    chit, name, steps, values, faces = "", handle, 0, "", ""
    kind: list[str] = []
    marks: list[str] = []
    for word in rest:
        if word.startswith("["):
            chit = word
        elif word.startswith("#"):
            name = word[1:].strip('"')
        elif word.startswith("+"):
            marks.append(word[1:])
        elif word.startswith("steps="):
            steps = number_at(source, word[6:], path) or 0
        elif word.startswith("="):
            faces = word[1:]
        elif _VALUES.match(word) or _CLASS.match(word):
            values = word
        else:
            kind.append(word)
    type = find_type(source, catalogue.types, kind, values, path)
    if type is None:
        return None
    at_face = steps or _steps_showing(type, values)
    made = UnitText(place, type.id, name, tuple(faces.split("/")) if faces else (), at_face, chit, " ".join(marks))
    return _from_table(source, catalogue, handle, made, path)


def _from_table(source: Source, catalogue: Catalogue, handle: str, text: UnitText, path: str) -> Counter | None:
    type = catalogue.types.get(text.type) or find_type(source, catalogue.types, text.type.split(), "", path)
    if type is None:
        return None
    faces = tuple(face for face in (_face(source, one, path) for one in text.faces) if face is not None)
    steps = text.steps or type.steps
    if not 1 <= steps <= type.steps:
        source.fault(path, f"1 to {type.steps} steps", steps)
    chit, steps = read_chit(source, catalogue, type, text.chit, steps, path) if text.chit else ("", steps)
    marks = marks_in(source, catalogue.vocabulary, text.marks, path)
    name = handle if text.name is None else text.name
    return Counter(handle, type.id, name, text.at, steps, chit, {mark: value for mark, value in marks.items() if value}, faces)


def _face(source: Source, words: str, path: str) -> Face | None:
    numbers = [number for part in words.split("-") if (number := whole_number(part)) is not None]
    if len(numbers) != 3 or words.count("-") != 2:
        source.fault(path, "values such as 5-7-4", words)
        return None
    return Face(*numbers)


def number_at(source: Source, word: str, path: str) -> int | None:
    """Return the number that a word is; None with a fault if it is none."""
    number = whole_number(word)
    if number is None or number < 0:
        source.fault(path, "a whole number", word)
        return None
    return number


# -------------------------------------------------------------------- types


def find_type(source: Source, types: Mapping[str, UnitType], kind: Sequence[str], values: str, path: str) -> UnitType | None:
    """Return the one type that all words and values fit; a fault if there is none, or more than one."""
    if len(kind) == 1 and kind[0] in types:
        found = [types[kind[0]]]
    else:
        found = [one for one in types.values() if all(word.lower() in _words_of(one) for word in kind)]
    fitting = [one for one in found if not values or _shows(one, values)]
    wanted = " ".join((*kind, values)).strip()
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        source.fault(path, "a unit type, by its id or by words of it and values that it prints", wanted or "nothing")
    else:
        source.fault(path, "words that only one type fits, not " + ", ".join(one.id for one in fitting[:6]), wanted)
    return None


def _words_of(type: UnitType) -> set[str]:
    own = {type.id, type.side, type.nation, type.kind, type.size.lower(), SIZES.get(type.size, ""), type.stacking}
    return own | set(type.id.split("_")) | set(type.kind.split("_")) | {word.strip(".").lower() for word in type.name.split()}


def _shows(type: UnitType, values: str) -> bool:
    by_class = _CLASS.match(values)
    if by_class:
        return type.cup == by_class[1] and type.move == int(by_class[2])
    return values in [f"{face.attack}-{face.defence}-{face.move}" for face in type.faces]


def _steps_showing(type: UnitType, values: str) -> int:
    """Return with how many steps a counter shows these values, 0 for its full strength."""
    shown = [f"{face.attack}-{face.defence}-{face.move}" for face in type.faces]
    return type.steps - shown.index(values) if values in shown else 0


# -------------------------------------------------------------------- chits and marks


def read_chit(source: Source, catalogue: Catalogue, type: UnitType, text: str, steps: int, path: str) -> tuple[str, int]:
    """Return the chit that ``[6-9]``, ``[6-9/3-5]`` or ``[3-5 back]`` means for a type, and the unit's steps."""
    inner = text.strip("[] ")
    back = inner.endswith(" back")
    found = find_chit(catalogue.vocabulary.chits, type.cup, inner.removesuffix(" back").removesuffix(" front"), back=back)
    if not type.cup:
        source.fault(path, "a unit that draws chits", type.id)
    elif not found:
        source.fault(path, f"a chit of cup {type.cup}: " + ", ".join(c for c in catalogue.vocabulary.chits if c[0] == type.cup), text)
    return found, type.steps - 1 if back else steps


def find_chit(chits: Sequence[str], cup: str, words: str, *, back: bool = False) -> str:
    """Return the full name of a chit of a cup, empty if there is none; one without a star comes first."""
    star = "*" in words
    wanted = words.replace("*", "").strip()
    able = []
    for chit in chits:
        head, _, values = chit.partition(" ")
        front, _, reverse = values.partition("/")
        shown = {values, reverse if back else front}
        if head.rstrip("*") == cup and wanted in shown and (not star or head.endswith("*")):
            able.append(chit)
    return next((chit for chit in able if "*" not in chit), able[0] if able else "")


def full_chit(chits: Sequence[str], words: str) -> str:
    """Return the full name of a chit whose cup is named: ``C 6-9``, ``C* 2-3/1-2``; empty if there is none."""
    head, _, values = words.strip("[] ").partition(" ")
    return find_chit(chits, head.rstrip("*"), values + ("*" if head.endswith("*") else ""))


def marks_in(source: Source, vocabulary: Vocabulary, text: str, path: str, *, of_hexes: bool = False) -> dict[str, int]:
    """Return the marks of a list: ``attacked due=14 !moved``, the value of a mark that must be missing being 0."""
    known = vocabulary.place_marks if of_hexes else vocabulary.unit_marks
    found: dict[str, int] = {}
    for word in text.replace(",", " ").split():
        mark, _, value = word.removeprefix("!").partition("=")
        if mark not in known:
            source.fault(path, "one of the marks " + ", ".join(sorted(known)), mark)
        elif (number := number_at(source, value or "1", path)) is not None:
            found[mark] = 0 if word.startswith("!") else number
    return found

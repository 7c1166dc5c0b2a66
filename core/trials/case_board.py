"""Boards of case files: drawn, listed, or the scenario's map with changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

import msgspec

from core.board import SIDES, STEPS, Board, Hex, HexFacts
from core.pack import Section
from core.trials.case_file import BoardText, HexText, Source

_LABEL = re.compile(r"([A-Za-z]*)(\d\d)(\d\d)$")
_RANGE = re.compile(r"([A-Za-z]*\d{4})-([A-Za-z]*\d{4})$")


def words(text: str) -> list[str]:
    """Return the words of a list, divided by spaces or commas."""
    return [word for word in re.split(r"[\s,]+", text) if word]


def hexes_in(text: str) -> list[str]:
    """Return the labels that a list of hexes names: ``2010 2012-2015``; a range over several rows is a rectangle.

    >>> hexes_in("2010 2012-2014")
    ['2010', '2012', '2013', '2014']
    >>> hexes_in("1909-2010")
    ['1909', '1910', '2009', '2010']
    """
    return [label for word in words(text) for label in _expand(word)]


def _expand(word: str) -> Iterator[str]:
    found = _RANGE.match(word)
    one, other = (_LABEL.match(end) for end in found.groups()) if found else (None, None)
    if one is None or other is None:
        yield word
        return
    for line in _span(int(one[2]), int(other[2])):
        for position in _span(int(one[3]), int(other[3])):
            yield f"{one[1]}{line:02}{position:02}"


def _span(first: int, last: int) -> range:
    return range(first, last + 1) if first <= last else range(first, last - 1, -1)


class Draft:
    """A board under construction.

    Args:
        numbering: how labels lie.
        source: takes the faults.
    """

    def __init__(self, numbering: Section, source: Source) -> None:
        self.numbering = numbering
        self.source = source
        self.facts: dict[str, HexFacts] = {}
        self.sides: dict[tuple[str, str], set[str]] = {}

    def add(self, label: str, terrain: str = "clear") -> None:
        """Add a hex."""
        self.facts[label] = self.numbering.facts(label, terrain)

    def known(self, text: str, path: str) -> list[str]:
        """Return the hexes of a list; those that the board lacks are faults."""
        found = hexes_in(text)
        for label in found:
            if label not in self.facts:
                self.source.fault(path, "a hex of the board", label)
        return [label for label in found if label in self.facts]

    def change(self, labels: Iterable[str], facts: dict[str, object]) -> None:
        """Change what is printed in hexes."""
        for label in labels:
            self.facts[label] = msgspec.structs.replace(self.facts[label], **facts)

    def neighbours(self, label: str) -> list[str]:
        """Return the labels around a hex."""
        here = self.facts[label]
        around = {(here.q + dq, here.r + dr) for dq, dr in STEPS}
        return [other.label for other in self.facts.values() if (other.q, other.r) in around]

    def side(self, one: str, other: str, kind: str) -> None:
        """Add a kind to a hexside."""
        key = (one, other) if (one, other) in self.sides else (other, one) if (other, one) in self.sides else (one, other)
        self.sides.setdefault(key, set()).add(kind)

    def build(self, boxes: Iterable[str]) -> Board:
        """Return the board."""
        ordered = sorted(self.facts.values(), key=lambda fact: fact.label)
        return Board(ordered, self.sides, orientation=self.numbering.orientation, boxes=boxes)


def draft_of(board: Board, numbering: Section, source: Source) -> Draft:
    """Return a draft of a board that is there already, to change it."""
    draft = Draft(numbering, source)
    draft.facts = {fact.label: fact for fact in board.facts}
    for here in range(board.size):
        for side in range(SIDES):
            there = board.neighbour(Hex(here), side)
            bits = int(board.side_kinds[SIDES * here + side])
            if there is not None and here < there and bits:
                kinds = {kind for i, kind in enumerate(board.kinds) if bits >> i & 1}
                draft.sides[board.label(here), board.label(there)] = kinds
    return draft


# -------------------------------------------------------------------- reading


def is_own_board(text: BoardText) -> bool:
    """Say whether a file describes a board of its own, not changes to a map."""
    return bool(text.picture or text.rows or text.columns)


def make(text: BoardText, numbering: Section, source: Source, boxes: Iterable[str], base: Board | None) -> Board:
    """Return the board that ``[board]`` describes; *base* is the map that it changes, if it does."""
    draft = Draft(numbering, source) if base is None else draft_of(base, numbering, source)
    if base is None:
        _lay_hexes(draft, text)
    if text.everywhere:
        draft.change(list(draft.facts), _everywhere(text, source))
    for terrain, labels in text.terrain.items():
        draft.change(draft.known(labels, f"board.terrain.{terrain}"), {"terrain": terrain})
    for i, one in enumerate(text.hex):
        _change(draft, draft.known(one.at, f"board.hex[{i}].at"), one)
    for kind, pairs in text.sides.items():
        for here, there in sides_in(draft, pairs, f"board.sides.{kind}"):
            draft.side(here, there, kind)
    for i, line in enumerate(text.rails):
        _lay_rail(draft, draft.known(line, f"board.rails[{i}]"), f"board.rails[{i}]")
    _rename(draft, text)
    return draft.build(boxes)


def _everywhere(text: BoardText, source: Source) -> dict[str, object]:
    known = ("terrain", "city", "name", "port", "country")
    for key in text.everywhere:
        if key not in known:
            source.fault(f"board.everywhere.{key}", "one of " + ", ".join(known), key)
    return {key: value for key, value in text.everywhere.items() if key in known}


def _lay_hexes(draft: Draft, text: BoardText) -> None:
    if text.rows and text.columns:
        for line in _span(*text.rows):
            for position in _span(*text.columns):
                draft.add(f"{line:02}{position:02}")
    elif text.rows or text.columns:
        draft.source.fault("board", "both `rows` and `columns`, first and last of each", "one of them")
    for row in text.picture.splitlines():
        if row.strip():
            _draw(draft, row, {".": "clear", **text.legend})


def _draw(draft: Draft, row: str, legend: dict[str, str]) -> None:
    """Draw a row of a picture: the label of its leftmost hex, then a sign a hex, as one sees them on the map."""
    first, *rest = row.replace(":", " ").split()
    found = _LABEL.match(first)
    if found is None:
        draft.source.fault("board.picture", "rows that begin with the label of their leftmost hex", row.strip())
        return
    step = -1 if draft.numbering.position_grows == "west" else 1
    for i, sign in enumerate("".join(rest)):
        if sign not in legend:
            draft.source.fault("board.picture", "signs of the legend: " + " ".join(legend), sign)
            return
        draft.add(f"{found[1]}{found[2]}{int(found[3]) + step * i:02}", legend[sign])


def _change(draft: Draft, labels: list[str], text: HexText) -> None:
    facts = {name: value for name in ("terrain", "city", "name", "port", "country") if (value := getattr(text, name)) is not None}
    if text.features is not None:
        facts["features"] = frozenset(text.features)
    draft.change(labels, facts)


def sides_in(draft: Draft, text: str, path: str) -> list[tuple[str, str]]:
    """Return the hexsides that a list names: ``2010/2011``, ``2010/*`` all around, ``1908-1912/2008-2012`` all between two rows."""
    found: list[tuple[str, str]] = []
    for word in words(text):
        one, slash, other = word.partition("/")
        if not slash:
            draft.source.fault(path, "hexsides such as 2010/2011", word)
            continue
        here = draft.known(one, path)
        ends = None if other == "*" else draft.known(other, path)
        pairs = [(a, b) for a in here for b in draft.neighbours(a) if ends is None or b in ends]
        if not pairs:
            draft.source.fault(path, "two neighbouring hexes", word)
        found += pairs
    return found


def _lay_rail(draft: Draft, line: list[str], path: str) -> None:
    for here, there in pairwise(line):
        if there not in draft.neighbours(here):
            draft.source.fault(path, "hexes each of which is next to the one before", f"{here} {there}")
        else:
            draft.side(here, there, "rail")


def _rename(draft: Draft, text: BoardText) -> None:
    """Give hexes labels that the rules know, such as that of a capital."""
    new = dict(text.labels)
    for old in new:
        if old not in draft.facts:
            draft.source.fault(f"board.labels.{old}", "a hex of the board", old)
    draft.facts = {new.get(label, label): msgspec.structs.replace(fact, label=new.get(label, label)) for label, fact in draft.facts.items()}
    draft.sides = {(new.get(a, a), new.get(b, b)): kinds for (a, b), kinds in draft.sides.items()}

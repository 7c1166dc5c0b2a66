"""Words for people: a template and its arguments, formatted and translated only where they are shown."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

_NAME = re.compile(r"\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}")  # {n}, or {n:step|steps}: the word for one and for any other number

_WHOLE = re.compile(r"-?[0-9]{1,9}")  # Python reads other digits too, and refuses thousands of them

Argument = str | int
LONGEST = 100_000  # letters that are filled into one template: one long word, named ten thousand times, makes gigabytes of a short frame


class Text(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A template in English with named arguments.

    >>> str(text("{n} hexes to {hex}", n=3, hex="E4708"))
    '3 hexes to E4708'
    >>> str(text("{n} {n:step|steps} lost", n=1))
    '1 step lost'
    """

    template: str
    args: dict[str, Argument] = {}

    def __str__(self) -> str:
        # Not str.format: a template may come from another's file or server, and a format can ask for gigabytes of blanks.
        room = LONGEST

        def filled(found: re.Match[str]) -> str:
            nonlocal room
            word = self._filled(found)
            room -= len(word)
            return word if room >= 0 else found[0]

        return _NAME.sub(filled, self.template)

    def _filled(self, found: re.Match[str]) -> str:
        value = self.args.get(found[1])
        if value is None:
            return found[0]
        if found[2] is None:
            return str(value)
        return found[2] if value == 1 else found[3]

    def __hash__(self) -> int:
        return hash((self.template, tuple(sorted(self.args.items(), key=lambda item: item[0]))))


def text(template: str, /, **args: Argument) -> Text:
    """Make a Text; every name in *template* must be among *args*."""
    return Text(template, args)


def counted(number: int, word: str, words: str = "") -> str:
    """Return a number with its word; *words* is the word for any other number than one, where it isn't made by an *s*.

    >>> counted(1, "game"), counted(0, "game"), counted(2, "entry", "entries")
    ('1 game', '0 games', '2 entries')
    """
    return f"{number} {word if number == 1 else words or word + 's'}"


def shortened(named: Sequence[object], most: int = 10) -> str:
    """Return the first of what is named as a list, with an ellipsis for the rest.

    >>> shortened([1, 2]), shortened("abc", most=2)
    ('1, 2', 'a, b, …')
    """
    return ", ".join(map(str, named[:most])) + (", …" if len(named) > most else "")


def brief(words: object, most: int = 200) -> str:
    """Return words, without their middle where they are long: they may quote whatever somebody has put into a file.

    >>> brief("expected an int, got a str"), brief("x" * 90, most=11)
    ('expected an int, got a str', 'xxxxx…xxxxx')
    """
    shown = str(words)
    end = (most - 1) // 2
    return shown if len(shown) <= most else f"{shown[: most - 1 - end]}…{shown[-end:]}"


def whole_number(word: str) -> int | None:
    """Return the whole number that a word is; None if it is none, or longer than anything that is counted.

    >>> whole_number("-12"), whole_number("²"), whole_number("9" * 5000)
    (-12, None, None)
    """
    return int(word) if _WHOLE.fullmatch(word) else None


def printable(words: str) -> str:
    """Return words that do nothing to a terminal and stay on their line: controls, and what turns the direction of writing, as escapes."""
    return words if words.isprintable() else "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in words)

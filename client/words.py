"""Texts of the core in the player's language."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Mapping

from client.languages import WORD
from client.qt import QCoreApplication
from core.board import NEAR
from core.errors import Refused
from core.pack import Manifest
from core.text import Text
from core.units import Side

PEOPLES = frozenset(("player", "late", "said"))  # arguments that are people's names, or what they said: nobody's to translate

NAMES_A_SIDE = frozenset(("side", "against"))  # arguments of refusals that are sides

NO_NAME = re.compile(r"[0-9a-f]{6}")  # of a game that was given none

_JOINT = re.compile(r"(, | · | \d+\b)")  # a number stays: how many orders of a side, which air fleet
_VALUE = re.compile(r"(?:^|(?<=, ))[a-z]+(?: [a-z]+)*(?= \(|$)")  # of a figure that is a word: a state of supply; or what is said of one


def say(words: Text) -> str:
    """Return a text of the core, its template and the words that it takes in translated where there is a translation."""
    args = {key: word(value) if isinstance(value, str) and key not in PEOPLES else value for key, value in words.args.items()}
    return str(Text(QCoreApplication.translate("core", words.template), args))


def word(source: str) -> str:
    """Return a word or a text of a game's data, a side's or a scenario's title as its pack has it, translated if there is a translation."""
    label, near, place = source.partition(NEAR)
    if near and label.isalnum() and label[-1].isdigit():  # a hex
        return QCoreApplication.translate(WORD, "{hex} near {place}").format(hex=label, place=word(place))
    said = QCoreApplication.translate(WORD, source) if source else ""
    if said == source and len(parts := _JOINT.split(source)) > 1:  # several beside one another: a date and its weather, two titles
        return "".join(part if _JOINT.fullmatch(part) else word(part) for part in parts)
    return said


def reckoned(told: str) -> str:
    """Return how a figure came about, translated where it is a word and no sum."""
    return _VALUE.sub(lambda found: word(found[0]), told)


def side_title(manifest: Manifest, side: Side) -> str:
    """Return what people call a side."""
    return word(manifest.side_titles.get(side, side))


def side_titles(manifest: Manifest) -> dict[Side, str]:
    """Return what people call the sides."""
    return {side: word(title) for side, title in manifest.side_titles.items()}


def cite(refused: Refused) -> str:
    """Return a refusal in one line, with its rule."""
    return f"{say(refused.text)} ({refused.rule})" if refused.rule else say(refused.text)


def sentence(refused: Refused, titles: Mapping[Side, str]) -> str:
    """Return a refusal as a sentence with its rule, sides called as players call them."""
    args = refused.text.args
    named = {name: titles.get(str(value), value) if name in NAMES_A_SIDE else value for name, value in args.items()}
    return capital(cite(Refused(refused.rule, Text(refused.text.template, named))))


def capital(words: str) -> str:
    """Return words with a capital first letter."""
    return words[:1].upper() + words[1:]


def name_among(game: str, scenario: str) -> str:
    """Return what a game is called among those of its scenario: as it was named, or by the letters that its id was given.

    >>> name_among("evening", "duel"), name_among("duel-3f2a1c", "duel")
    ('evening', '3f2a1c')
    """
    return game.removeprefix(f"{scenario}-")


def next_name(name: str, taken: Container[str]) -> str:
    """Return what the game after another one of this name is called: the next number that is not taken.

    >>> next_name("evening", {"evening"}), next_name("evening-2", {"evening", "evening-2", "evening-3"})
    ('evening-2', 'evening-4')
    """
    stem, _, number = name.rpartition("-")
    if not stem or not number.isdecimal() or len(number) > 3:
        stem, number = name, "1"
    return next(made for count in itertools.count(int(number) + 1) if (made := f"{stem}-{count}") not in taken)

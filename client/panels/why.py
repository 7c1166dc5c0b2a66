"""Answers to "why?" as lines of a panel: words with their rule as a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
from PySide6.QtWidgets import QLabel, QVBoxLayout

from client.map.palette import Palette
from client.panels.links import linked, rule_of
from client.panels.widgets import label
from client.qt import QCoreApplication, Qt
from client.session.composing import Composer
from client.session.match import Match
from client.words import capital, cite, say
from core.board import Hex
from core.errors import Refused
from core.hidden import is_unknown
from core.ruleset import Answer
from core.text import Text
from core.units import UnitId

MARKS = {True: "✓", False: "✗", None: "·"}


class Why(msgspec.Struct, frozen=True):
    """Answers in words: for a hex, and for each unit in it."""

    of_hex: tuple[str, ...] = ()
    of_units: Mapping[UnitId, tuple[str, ...]] = {}


def why_of(match: Match, composer: Composer, here: Hex) -> tuple[Why, tuple[Answer, ...], tuple[Answer, ...]]:
    """Return the answers for a hex in words; those of its units and of the hex itself as they are, for drawing their lines."""
    view, rules = match.view, match.setting.ruleset
    of_units = {unit: rules.why_unit(view, unit) for unit in view.position.at(here) if not is_unknown(unit)}
    told = {unit: _lines_of(match, composer.standing_of(unit), answers) for unit, answers in of_units.items()}
    of_hex = rules.why_hex(view, here)
    why = Why(tuple(map(answer_words, of_hex)), told)
    return why, tuple(answer for answers in of_units.values() for answer in answers), of_hex


def _lines_of(match: Match, standing: Sequence[tuple[Text, Refused | None]], answers: Sequence[Answer]) -> tuple[str, ...]:
    """Return what a unit can begin, or what is asked instead; then what holds of it; then why it can't begin the rest.

    An order that is not about this unit at all, as placing others is not, would else be blamed before what keeps it.
    """
    can = answers_of_options([(order, why) for order, why in standing if why is None])
    cannot = answers_of_options([(order, why) for order, why in standing if why is not None])
    prompt, decision = match.view.prompt(), match.view.decision()
    if not can and match.may_act and prompt is not None and decision is not None:
        words = QCoreApplication.translate("why", "Nothing can be begun with it in this moment: {what}").format(what=say(prompt))
        can = [f"{MARKS[None]} {words} ({decision.rule})" if decision.rule else f"{MARKS[None]} {words}"]
    return (*can, *map(answer_words, answers), *cannot)


def answers_of_options(standing: Sequence[tuple[Text, Refused | None]]) -> list[str]:
    """Return what a unit can begin now, and why it can't begin the rest."""
    can, cannot = QCoreApplication.translate("why", "can be begun now"), QCoreApplication.translate("why", "{order}: {why}")
    lines = []
    for order, why in standing:
        told = cannot.format(order=capital(say(order)), why=can if why is None else cite(why))
        lines.append(f"{MARKS[why is None]} {told}")
    return lines


def answer_words(answer: Answer) -> str:
    """Return an answer in one line, with its rule."""
    words = f"{MARKS[answer.good]} {say(answer.text)}"
    return f"{words} ({answer.rule})" if answer.rule else words


def add_answers(column: QVBoxLayout, lines: Sequence[str], palette: Palette, go: Callable[[str], object]) -> None:
    """Add lines to a panel; *go* takes the rule that is clicked."""
    for words in lines:
        column.addWidget(_line(words, palette, go))


def _line(words: str, palette: Palette, go: Callable[[str], object]) -> QLabel:
    made = label("", "soft", wrap=True)
    made.setTextFormat(Qt.TextFormat.RichText)
    made.setText(linked(words, palette.ink_soft))
    made.setAccessibleName(words)
    made.linkActivated.connect(lambda target: go(rule_of(target)))
    return made

"""Rule numbers in texts become links into the rule reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from PySide6.QtWidgets import QLabel

from client.map.palette import Palette, mixed, text_on
from client.panels.widgets import label
from client.qt import Qt

SCHEME = "rule"
_NUMBER = r"(?:\d+\.\d+(?:\.\d+)*[a-z]?|D-\d+)"  # of a rule, or of a reading of rules
_CITED = re.compile(rf"(?<=[(,;\s])({_NUMBER})(?=[),;\s])")
_BRACKET = re.compile(rf"\([^()]*?{_NUMBER}[^()]*\)")


def linked(words: str, colour: str) -> str:
    """Return words as rich text in which each rule number within brackets is a link.

    >>> linked("7 (8.42)", "#000")
    '7 (<a href="rule:8.42" style="color:#000">8.42</a>)'
    >>> linked("1.5 points", "#000")
    '1.5 points'
    >>> linked("no hex (D-47)", "#000")
    'no hex (<a href="rule:D-47" style="color:#000">D-47</a>)'
    """

    def bracket(found: re.Match[str]) -> str:
        return _CITED.sub(lambda number: link(number[1], colour), found[0])

    return _BRACKET.sub(bracket, escape(words, quote=False))


def is_cited(rule: str, words: str) -> bool:
    """Say whether words cite a rule within brackets, where `linked` makes it a link.

    >>> is_cited("8.4", "3 + 2 (8.42)"), is_cited("8.42", "3 + 2 (8.42)")
    (False, True)
    """
    return any(rule in _CITED.findall(bracket) for bracket in _BRACKET.findall(words))


def link(rule: str, colour: str, words: str = "") -> str:
    """Return a link to a rule."""
    return f'<a href="{SCHEME}:{escape(rule)}" style="color:{colour}">{escape(words or rule)}</a>'


def rule_of(target: str) -> str:
    """Return the rule that a link names, empty for another link."""
    kind, _, rule = target.partition(":")
    return rule if kind == SCHEME else ""


def rule_label() -> QLabel:
    """Return a label for rule numbers; its ``linkActivated`` gives what `rule_of` reads."""
    made = label("", "rule")
    made.setTextFormat(Qt.TextFormat.RichText)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard)
    return made


def show_rules(shown: QLabel, rules: Sequence[str], palette: Palette) -> None:
    """Write rule numbers as links, and hide the label where there are none."""
    colour = text_on(mixed(palette.chrome, palette.accent, 0.35))
    shown.setText(", ".join(f'<span style="white-space:nowrap">{link(rule, colour)}</span>' for rule in rules))
    shown.setToolTip(shown.tr("Rule {numbers}: click to read it").format(numbers=", ".join(rules)))
    shown.setAccessibleName(shown.tr("Rule {numbers}").format(numbers=", ".join(rules)))
    shown.setVisible(any(rules))

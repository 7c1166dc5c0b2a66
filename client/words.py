"""Texts of the core in the player's language."""

from __future__ import annotations

from client.qt import QCoreApplication
from core.errors import Refused
from core.text import Text


def say(words: Text) -> str:
    """Return a text of the core, its template translated if there is a translation, its arguments filled in."""
    return str(Text(QCoreApplication.translate("core", words.template), words.args))


def cite(refused: Refused) -> str:
    """Return a refusal in one line, with its rule."""
    return f"{say(refused.text)} ({refused.rule})" if refused.rule else say(refused.text)


def capital(words: str) -> str:
    """Return words with a capital first letter."""
    return words[:1].upper() + words[1:]

"""The server's game that was played last, kept in the settings: a window that went without a word finds it again."""

from __future__ import annotations

import msgspec

from client.qt import QSettings
from core.address import parse
from core.errors import BadInput

KEY = "lobby/last"


class LastGame(msgspec.Struct, frozen=True):
    """A game of a server that was open and not over: its server's link, id and title; whether the server was started on this computer."""

    link: str
    game: str
    title: str
    own: bool = False


def remember(settings: QSettings, last: LastGame) -> None:
    """Keep a game, on the disk at once: whoever crashes writes nothing more."""
    settings.setValue(KEY, msgspec.json.encode(last).decode())
    settings.sync()


def forget(settings: QSettings) -> None:
    """Keep none: the game is over, or there no more."""
    settings.remove(KEY)


def last_game(settings: QSettings) -> LastGame | None:
    """Return the game that is kept; None if none is, or it can't be read."""
    try:
        last = msgspec.json.decode(str(settings.value(KEY, "")), type=LastGame)
        parse(KEY, last.link)
    except (msgspec.DecodeError, BadInput):
        return None
    return last

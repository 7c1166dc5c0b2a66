"""Victory (15.0, 16.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.events import Event
from core.game import Game
from core.views import View


def judge(game: Game) -> Iterator[Event]:
    """End the game."""
    raise NotImplementedError


def score(view: View) -> Mapping[str, int]:
    """Return the victory points as they would count now."""
    raise NotImplementedError

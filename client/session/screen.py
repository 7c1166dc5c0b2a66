"""Whose view of a local game the screen shows: where the rules hide something, only that of whoever looks at it.

One person against bots sees his own side's. Where several sides are played at one screen, it is passed on: until the next one says that he
sits there, it shows what lies open on the table.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.hidden import PUBLIC
from core.log import Log
from core.match import Match
from core.seen import SeenLog, SeenMatch
from core.text import text
from core.units import Side

PASSED_ON = text("the screen is being passed on")


class Screen:
    """Shows a game, or what one viewer may know of it.

    Args:
        game: all of it.
        persons: the sides that people play here; with none, everything lies open.

    Attributes:
        viewer: whose view is shown where anything is hidden: a side, or `core.hidden.PUBLIC` while the screen is passed on.
    """

    def __init__(self, game: Match, persons: frozenset[Side]) -> None:
        self._game, self._persons = game, persons
        self._seen: dict[Side, tuple[SeenLog, SeenMatch]] = {}
        self.viewer: Side = min(persons) if len(persons) == 1 else PUBLIC

    @property
    def hides(self) -> bool:
        """Say whether anything is kept from whoever looks at the screen: when the game is over it all lies open."""
        return bool(self._game.setting.ruleset.secrets) and bool(self._persons) and self._game.outcome is None

    @property
    def awaits(self) -> Side:
        """Return the side whose player shall sit down at the screen; empty if nobody need."""
        side = self._game.view.side_to_act()
        return side if self.hides and self.viewer == PUBLIC and side in self._persons else ""

    def sit_down(self) -> None:
        """Show the game as the side sees it that was waited for."""
        self.viewer = self.awaits or self.viewer

    def follow(self) -> None:
        """After the game went on: let the screen be passed on, if another person decides now."""
        if self._game.view.side_to_act() in self._persons - {self.viewer}:
            self.viewer = PUBLIC

    def readers(self) -> tuple[Side, ...]:
        """Return whose notes may be read at the screen: those of all, or of the side that sits there; nobody's while it is passed on.

        When the game is over, what was kept from one another is for all.
        """
        if not self._game.setting.ruleset.secrets or len(self._persons) < 2:
            return ("",)
        if not self.hides:
            return ("", *sorted(self._persons))
        return () if self.viewer == PUBLIC else (self.viewer,)

    def match(self) -> Match:
        """Return the game as it may be shown now."""
        if not self.hides:
            return self._game
        if self.viewer not in self._seen:
            self._seen[self.viewer] = (SeenLog(self._game.setting, self._game.log, self.viewer), self._new_match())
        told, seen = self._seen[self.viewer]
        for entry in told.grow()[len(seen.log) :]:
            seen.take(entry)
        return seen

    def _new_match(self) -> SeenMatch:
        made = SeenMatch.on(Log(), self._game)
        made.viewer = self.viewer
        return made


def persons_of(seats: Mapping[Side, str], person: str) -> frozenset[Side]:
    """Return the sides that people play."""
    return frozenset(side for side, who in seats.items() if who == person)

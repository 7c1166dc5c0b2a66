"""A game in this process: against a bot, hot seat, or two bots to look at. The core decides here; dice are `server` dice."""

from __future__ import annotations

from collections.abc import Mapping

from client.session.match import NOT_LIVE, LoggedMatch
from core.errors import Refused
from core.log import Log
from core.match import ServerDice
from core.orders import Order
from core.pack import Pack
from core.text import text
from core.units import Side
from core.views import View

PERSON = "person"


class LocalMatch(LoggedMatch):
    """A local game.

    Args:
        keeper: the match with its dice.
        pack: its pack.
        seats: who plays each side: PERSON, or the name of a bot.
    """

    def __init__(self, keeper: ServerDice, pack: Pack, seats: Mapping[Side, str], *, title: str = "") -> None:
        self.keeper = keeper
        self.seats = dict(seats)
        super().__init__(keeper.match, pack, title=title)

    @property
    def may_act(self) -> bool:
        """Say whether a person decides now, and the window shows now."""
        return self.is_live and self.seats.get(self.match.view.side_to_act()) == PERSON

    @property
    def bot_to_act(self) -> str:
        """Return the name of the bot that decides now, empty if none does."""
        seat = self.seats.get(self.match.view.side_to_act(), PERSON)
        return "" if seat == PERSON else seat

    def bot_view(self) -> View:
        """Return the present view on a position of its own, so that a bot may think about it in another thread."""
        now = self.match.view
        if now.ruleset.secrets:
            return now.seen_by(now.side_to_act())
        return View(self.setting, now.position.copy(), viewer=now.side_to_act(), derived=now.derived.copy())

    def order(self, order: Order) -> None:
        """Give an order for the side that decides.

        Raises:
            Refused: the past is shown, or the game says no.
        """
        if not self.is_live:
            raise Refused("", NOT_LIVE)
        self._give(order)

    def bot_order(self, order: Order) -> None:
        """Give a bot's order; whoever looks at the past stays there."""
        self._give(order)

    def _give(self, order: Order) -> None:
        side = self.match.view.side_to_act()
        self.keeper.order(side, order, player=self.seats.get(side, PERSON))
        self.refresh()

    def undo(self) -> None:
        """Go back to before the last order of a person.

        Against a bot all is free here: the bot minds nothing, and k never goes back, so that new dice fall.
        """
        log: Log = self.match.log
        number = log.head
        while True:
            entry = log.entries[number] if number >= 0 else None
            if entry is None or not entry.order:
                raise Refused("", text("there is no order of yours to take back"))
            number = entry.parent
            if self.seats.get(entry.side) == PERSON:
                break
        self.keeper.rewind(number, player=PERSON)
        self._cursor = None
        self.refresh()

    def redo(self) -> None:
        """Bring the last undone order back, with its events."""
        forward = self.match.log.forward()
        if forward is None:
            raise Refused("", text("there is nothing to bring back"))
        self.keeper.rewind(forward, player=PERSON)
        self._cursor = None
        self.refresh()

    def players(self) -> Mapping[str, str]:
        """Return who plays each side."""
        return self.seats

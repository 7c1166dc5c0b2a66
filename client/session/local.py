"""A game in this process: against a bot, hot seat, or two bots to look at. The core decides here; dice are `server` dice."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from client.session.acts import PERSON as PERSON
from client.session.match import NOT_LIVE, LoggedMatch
from client.session.screen import PASSED_ON, Screen, persons_of
from core import dark_ways
from core.errors import Refused
from core.hidden import PUBLIC
from core.log import Log
from core.match import ServerDice
from core.orders import Order
from core.pack import Pack
from core.text import text
from core.units import Side
from core.views import View, eye_of


class LocalMatch(LoggedMatch):
    """A local game.

    Args:
        keeper: the match with its dice.
        pack: its pack.
        seats: who plays each side: PERSON, or the name of a bot.

    Attributes:
        screen: whose view is shown, where the rules hide something.
    """

    def __init__(self, keeper: ServerDice, pack: Pack, seats: Mapping[Side, str], *, title: str = "") -> None:
        self.keeper = keeper
        self.seats = dict(seats)
        self.screen = Screen(keeper.match, persons_of(seats, PERSON))
        super().__init__(self.screen.match(), pack, title=title)

    @property
    def may_act(self) -> bool:
        """Say whether a person decides now, sits at the screen, and the window shows now."""
        return self.is_live and not self.screen.awaits and self.seats.get(self.match.view.side_to_act()) == PERSON

    def sit_down(self) -> None:
        """Show the game to whom the screen was passed, at the present."""
        self.screen.sit_down()
        self._look_again()

    def _look_again(self) -> None:
        """Show what may be seen now."""
        shown = self.screen.match()
        if shown is not self.match:
            self.show_other(shown)
        self.refresh()

    @property
    def bot_to_act(self) -> str:
        """Return the name of the bot that decides now, empty if none does."""
        seat = self.seats.get(self.match.view.side_to_act(), PERSON)
        return "" if seat == PERSON else seat

    def bot_view(self) -> View:
        """Return the present view on a position of its own, so that a bot may think about it in another thread."""
        now = self.keeper.match.view
        if now.ruleset.secrets:
            return now.seen_by(now.side_to_act())
        return View(self.setting, now.position.copy(), viewer=now.side_to_act(), derived=now.derived.copy())

    def picture_view(self) -> View:
        """Return what a picture of the present may show to whoever comes by, on a position of its own."""
        now = self.keeper.match.view
        return now.seen_by(PUBLIC) if self.screen.hides else View(self.setting, now.position.copy(), viewer=now.viewer)

    def order(self, order: Order) -> None:
        """Give an order for the side that decides.

        Raises:
            Refused: the past is shown, the side's player does not sit at the screen, or the game says no.
        """
        if not self.is_live:
            raise Refused("", NOT_LIVE)
        if self.screen.awaits:
            raise Refused("", PASSED_ON)
        self._give(order)

    def bot_order(self, order: Order) -> None:
        """Give a bot's order; whoever looks at the past stays there."""
        self._give(order)

    def _give(self, order: Order) -> None:
        side = self.keeper.match.view.side_to_act()
        self.keeper.order(side, order, player=self.seats.get(side, PERSON))
        self._went_on()

    def _went_on(self) -> None:
        self.screen.follow()
        self._look_again()

    def undo(self) -> None:
        """Go back to before the last order of a person.

        Against a bot all is free here: the bot minds nothing, and k never goes back, so that new dice fall. Where anything is hidden,
        only what nobody else has answered and nothing was learnt by.
        """
        log: Log = self.keeper.match.log
        number = log.head
        while True:
            entry = log.entries[number] if number >= 0 else None
            if entry is None or not entry.order:
                raise Refused("", text("there is no order of yours to take back"))
            number = entry.parent
            if self.seats.get(entry.side) == PERSON:
                break
        self._check_way(number)
        self._go(number)

    def redo(self) -> None:
        """Bring the last undone order back, with its events, and what bots answered to it: one who was asked anew would lose the rest."""
        log: Log = self.keeper.match.log
        forward = log.forward()
        if forward is None:
            raise Refused("", text("there is nothing to bring back"))
        following = log.child(forward)
        while following is not None and self.seats.get(log.entries[following].side, PERSON) != PERSON:
            forward, following = following, log.child(following)
        self._check_way(forward)
        self._go(forward)

    def _check_way(self, to: int) -> None:
        """Refuse a way back or forth by which somebody would learn what he must not, or go past what another did."""
        if not self.screen.hides:
            return
        if self.screen.awaits:
            raise Refused("", PASSED_ON)
        match, side = self.keeper.match, self.screen.viewer
        if match.view.side_to_act() != side or not dark_ways.is_free(match.log, to, eye_of(match.setting, side)):
            raise Refused("", text("in a game with secrets only your own last orders can be taken back, and while nothing was revealed"))

    def _go(self, to: int) -> None:
        self.keeper.rewind(to, player=PERSON)
        self._cursor = None
        self._went_on()

    def writer(self) -> Callable[[], bytes]:
        """Return what returns the game of now as a file, all of it: whoever goes on with it needs it."""
        return self.writer_of(self.keeper.match)

    def players(self) -> Mapping[str, str]:
        """Return who plays each side."""
        return self.seats

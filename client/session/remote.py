"""A game kept by a server: followed here on a log of its own, orders sent and answered over the line."""

from __future__ import annotations

from collections.abc import Mapping

from client.connection.games import Answered, Games, Grown
from client.session.match import NOT_LIVE, LoggedMatch
from core import gamefile, protocol
from core.errors import Refused
from core.log import ROOT
from core.orders import Order
from core.pack import Pack
from core.table import OpenOffer, lost_by
from core.text import text
from core.units import Side

WAIT = text("the server has not answered the last order yet")


class RemoteMatch(LoggedMatch):
    """A game on a server, as one player there sees it. Everything but the sending happens in the window's own thread.

    Args:
        games: the line's games; this one is open there.
        game: its id.
        player: who sits here.
    """

    def __init__(self, games: Games, game: str, player: str) -> None:
        self.games, self.game, self.player = games, game, player
        self._asked = ""
        self.begin_anew()

    def begin_anew(self) -> None:
        """Take the game from the line as it is there now: at first, and when it begins anew as another viewer sees it."""
        file = gamefile.read(self.games.file(self.game), name=self.game)
        super().__init__(gamefile.open_match(file, clock=lambda: 0), Pack(file.files))

    # ---------------------------------------------------------------- what comes

    def take_entries(self, grown: Grown) -> bool:
        """Add the entries that are new here; say whether there were any."""
        new = [entry for entry in grown.entries if entry.number >= len(self.match.log)]
        for entry in new:
            self.match.accept_foreign(entry)
        if new:
            self.refresh()
        return bool(new)

    def take_answer(self, answered: Answered) -> Refused | None:
        """Note that an order was answered; return the refusal if it was refused."""
        if answered.order_id == self._asked:
            self._asked = ""
        return None if answered.refused is None else Refused(answered.rule, answered.refused)

    # ---------------------------------------------------------------- who plays

    def players(self) -> Mapping[Side, str]:
        """Return who holds each side's first seat, empty where nobody does."""
        table = self.match.table
        return {side: table.first_seat(side).player for side in table.sides}

    def my_sides(self) -> tuple[Side, ...]:
        """Return the sides of which a seat is held here."""
        return self.match.table.sides_of(self.player)

    @property
    def may_act(self) -> bool:
        """Say whether an order may be given here now: live, a seat of ours decides, and nothing is under way."""
        going_on = self.match.table.ended is None and not self.match.table.paused
        return self.is_live and not self._asked and going_on and self.match.view.side_to_act() in self.my_sides()

    @property
    def awaits_answer(self) -> bool:
        """Say whether an order was sent and not answered yet."""
        return bool(self._asked)

    def order(self, order: Order) -> None:
        """Send an order; the server's entry or refusal comes later.

        Raises:
            Refused: the past is shown, the seat is another's, or an order is under way.
        """
        if not self.is_live:
            raise Refused("", NOT_LIVE)
        if self._asked:
            raise Refused("", WAIT)
        side = self.match.view.side_to_act()
        if side not in self.my_sides():
            raise Refused("", text("you don't hold the seat that decides"))
        self._asked = self.games.give(self.game, side, order)

    # ---------------------------------------------------------------- going back

    def undo(self) -> None:
        """Ask the server to go back to before the last order given here; where that isn't free the other side is asked."""
        mine = self.my_sides()
        number = self.match.log.head
        while number >= 0:
            entry = self.match.log.entries[number]
            if entry.parent == ROOT:
                break
            number = entry.parent
            if entry.side in mine:
                self.games.send(protocol.AskRewind(self.game, entry.side, number))
                return
        raise Refused("", text("there is no order of yours to take back"))

    def redo(self) -> None:
        """Ask the server to bring the undone order back."""
        forward, mine = self.match.log.forward(), self.my_sides()
        if forward is None or not mine:
            raise Refused("", text("there is nothing to bring back"))
        self.games.send(protocol.AskRewind(self.game, mine[0], forward))

    def open_offer(self) -> OpenOffer | None:
        """Return another side's offer that waits for an answer from here, None if there is none."""
        mine, table = self.my_sides(), self.match.table
        for offer in table.offers.values():
            asked = [side for side in mine if side != offer.side and side not in offer.yes and table.leads(side, self.player)]
            if asked and offer.player != self.player:
                return offer
        return None

    def lost_orders(self, offer: OpenOffer) -> int:
        """Return how many orders an offered rewind would take back."""
        return sum(lost_by(self.match.log, offer.to).orders.values())

    def answer(self, offer: OpenOffer, *, yes: bool) -> None:
        """Answer an offer of another side."""
        side = next(side for side in self.my_sides() if side != offer.side)
        self.games.send(protocol.Answer(self.game, side, offer.number, yes))

"""A table of the toy game without sockets: its clock is set by hand, its acts are checked, written and carried out as by a server."""

from __future__ import annotations

from core.dice import Chain, ChainEnd
from core.log import AnyAct, Entry, Seat
from core.match import Match, ServerDice
from core.orders import Order, units_of
from core.table import VERSION
from core.table_rules import Moment, Who, follows, is_referee, permit, permit_order
from core.terms import Terms
from core.units import Side, UnitId
from tests.toy.ruleset import Go, toy_setting

LINKS = 500
OWNED = Terms(owner="Anna", referees=("Rita",))


class ToyTable:
    """A duel, its table, and the time."""

    def __init__(self, terms: Terms | None = None, *, version: int = VERSION) -> None:
        self.now = 0
        chain = Chain(b"t" * 32, links=LINKS)
        self.match = Match(
            toy_setting(), game="toy", chains=(ChainEnd("server", chain.end, LINKS),), clock=self._time, terms=terms or Terms(),
            table_version=version,
        )
        self.keeper = ServerDice(self.match, chain)
        self.keeper.begin()

    def _time(self) -> int:
        entries = self.match.log.entries
        return max(self.now, entries[-1].time_ms if entries else 0)

    @property
    def moment(self) -> Moment:
        return Moment(self.match.table, self.match.log, self.match.view.position.outcome is not None, self._time())

    def who(self, player: str, side: Side = "", *, role: bool = False) -> Who:
        return Who(player, side, referee=not side and is_referee(self.match.table, player, role=role))

    def do(self, player: str, side: Side, act: AnyAct, *, role: bool = False) -> Entry:
        """Do an act if it is allowed, and what follows from it; return the act's entry."""
        return self.perform(act, self.who(player, side, role=role))

    def perform(self, act: AnyAct, who: Who) -> Entry:
        permit(self.moment, act, who)
        entry = self.match.act(act, side="" if who.referee else who.side, player=who.player)
        self.match.accept_act(entry)
        agreed, then = self.match.table.agreed, follows(self.match.table)
        if agreed is not None and then is not None:
            self.match.accept_act(self.match.act(then, side=agreed.side, player=agreed.player))
        return entry

    def sit(self, **players: str) -> ToyTable:
        """Seat a player at each side named."""
        for side, player in players.items():
            self.do(player, side, Seat(side, player))
        return self

    def order(self, player: str, order: Order, side: Side = "") -> Entry:
        side = side or self.match.view.side_to_act()
        permit_order(self.moment, side, player, units_of(order))
        return self.keeper.order(side, order, player=player)


def duel(terms: Terms = OWNED) -> ToyTable:
    """Return a table with Anna at red and Boris at blue."""
    return ToyTable(terms).sit(red="Anna", blue="Boris")


def go(toy: ToyTable, unit: int) -> Go:
    """Return an order that takes a unit to a free hex beside its own."""
    view = toy.match.view
    return Go(UnitId(unit), next(h for h in view.board.adjacent[view.unit(UnitId(unit)).place] if not view.position.at(h)))

"""Who sits, has left, leads and witnesses is reckoned by the table and by the dice, each for itself: whatever happens they agree.

If they did not, a side's time would run for what nobody can end.
"""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from core.dice import ChainEnd
from core.log import AnyAct, ChainPublished, Limit, Log, Rewind, Seat
from core.table import CHAINS_MAKE_WITNESSES, LEADERS_WITNESS, SIDES_ARE_APART, VERSION, Table
from core.terms import ClockTerms, DiceTerms, SeatTerms, Terms
from core.units import Side, UnitId
from core.witnesses import SERVER, Witnesses

SIDES, NAMES = ("red", "blue"), ("Anna", "Boris", "Carla", "Dora")
UNITS = st.sampled_from([None, (), (UnitId(1),)])
ACTS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 4), st.sampled_from(NAMES), UNITS), max_size=60)


class Both:
    """A game's table, and who witnesses its dice, after the same entries."""

    def __init__(self, seats: tuple[SeatTerms, ...], version: int) -> None:
        terms = Terms(seats=seats, dice=DiceTerms("witnessed"), clock=ClockTerms("absolute", 10**9))
        self.log, self.seats = Log(), seats
        self.table = Table(SIDES, terms, lambda number: "red", version=version)
        chains = (ChainEnd(SERVER, bytes(32), 9),)
        self.witnesses = Witnesses(chains, SIDES, terms.seats_for(SIDES), witnessed=True, version=version, keeper="k")
        self.put()

    def put(self, act: AnyAct | None = None, *, side: Side = "", player: str = "", order: bytes = b"", k: int = 0) -> None:
        entry = self.log.seal(time_ms=1000 * len(self.log), side=side, player=player, act=act, order=order, k=k)
        self.log.add(entry)
        self.table.note(entry)
        self.witnesses.note(entry)

    def do(self, what: int, number: int, name: str, units: tuple[UnitId, ...] | None) -> None:
        """Do one of all that may happen at a seat, also what no rule of the table lets anybody do."""
        side, seat = self.seats[number].side, self.seats[number].name
        chair = self.table.chairs[side, seat]
        if what < 4:
            self.put(Seat(side, name, seat, "k"), side=side, player=name)
        elif what < 6:
            self.put(Seat(side, "", seat), side=side, player=chair.player or chair.kept_for)
        elif what == 6:
            self.put(Seat(side, "", seat), player=name)
        elif what == 7 and seat:
            self.put(Limit(side, seat, units), side=side, player=name)
        elif what == 8 and name in self.witnesses.seated:
            self.put(ChainPublished(name, bytes(32), 9), player=name)
        elif what == 9:
            self.put(Rewind(0), side=side, player=name)
        else:  # in games from before who had left as the first order's dice were waited for was not the same in both
            has_dice = what == 11 and self.table.version >= SIDES_ARE_APART
            self.put(side=side, player=name, order=b"order", k=self.log.k + 1 if has_dice else 0)


# Who plays both sides leaves one of them, at which somebody sits: it is kept for nobody.
@example(VERSION, (None, None, None), [
    (0, 0, "Anna", None), (0, 1, "Anna", None), (0, 4, "Dora", None), (10, 0, "Anna", None), (4, 1, "Anna", None),
])
# Who has left his seat before the first order has not played, if somebody else has sat down since: no order waited by then.
@example(VERSION, (None, None, None), [
    (0, 0, "Anna", None), (0, 1, "Dora", None), (4, 1, "Dora", None), (0, 1, "Boris", None), (11, 0, "Anna", None),
])
@given(st.integers(CHAINS_MAKE_WITNESSES, VERSION), st.tuples(UNITS, UNITS, UNITS), ACTS)
def test_the_table_and_the_dice_agree_on_who_sits_leads_and_witnesses(
    version: int, limits: tuple[tuple[UnitId, ...] | None, ...], acts: list[tuple[int, int, str, tuple[UnitId, ...] | None]]
) -> None:
    further = zip((("red", "north"), ("red", "south"), ("blue", "west")), limits, strict=True)
    both = Both((SeatTerms("red"), SeatTerms("blue"), *(SeatTerms(side, seat, units) for (side, seat), units in further)), version)
    for act in acts:
        both.do(*act)
        table, witnesses = both.table, both.witnesses
        assert (table.has_played, table.vacated) == (witnesses.has_played, witnesses.vacated)
        if table.begun:
            served = {side for (side, _), holder in witnesses.witnessing.items() if holder in witnesses.chains}
            assert table._without_witness() == [side for side in SIDES if side not in served]
        if version >= LEADERS_WITNESS:
            for name in NAMES:
                assert witnesses.sides_led_by(name) == {side for side in SIDES if table.leads(side, name)}
                assert witnesses.sides_claimed_by(name) == {side for side in SIDES if table.claims(side, name)}

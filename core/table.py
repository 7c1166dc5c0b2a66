"""The state of a table as a pure function of its log: who sits where, what is offered, whose time runs, who is waited for, how it ended.

None of it is part of the position or its hash. A `Table` takes the entries of a log in their order and never looks ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec.structs import replace

from core import clocks, dark_ways
from core.errors import BadInput
from core.events import FramePopped, FramePushed, GameEnded
from core.hidden import Eye
from core.log import (
    ROOT,
    Admit,
    Away,
    ChainPublished,
    Claim,
    Consent,
    Entry,
    Fallback,
    Flag,
    Late,
    Limit,
    Log,
    Offer,
    Pause,
    Resign,
    Result,
    Rewind,
    Seat,
    SetClock,
    TakenOver,
    Withdraw,
)
from core.terms import Terms
from core.text import Text, text
from core.units import Side, UnitId

if TYPE_CHECKING:
    from core.seen import SeenLog

VERSION = 7  # of how a table is reckoned; it grows where it would reckon what stands in a log otherwise than before
RULES_STOP_CLOCKS = 2  # since when no clock runs once the rules have ended the game
CHAINS_MAKE_WITNESSES = 2  # since when nobody waits for the dice of who has published no chain while another of his side has
WITNESSES_MAY_ORDER = 3  # since when whoever only looks on from his seat witnesses no dice, and a side is not lost by another's link
ACTS_ARE_OF_THE_MOMENT = 4  # since when what players of witnessed dice sign holds until the game is moved, and who leads a side chooses
SEATS_ARE_SIGNED = 5  # since when whoever sits down signs it
LEADERS_WITNESS = 6  # since when nobody witnesses the dice beside who has the first seat of his side
SIDES_ARE_APART = 7  # since when nobody plays a side and sits beside others at another, nor takes orders back on another's clock
SideAfter = Callable[[int], Side]  # number of an order-bearing entry → who is to act after it
EyeOf = Callable[[Side], Eye]


# Of a seat: left for anybody, left and kept for who left it, taken from who held it, or, where nobody sits, given to others to sit there.
Fate = Literal["left", "kept", "freed", "opened"]


class Chair(msgspec.Struct, frozen=True):
    """A seat and who sits there (empty: nobody) since when; *units* are the only ones it may order, None: any.

    *kept_for* is who left it after the first order: it is his until he, the game's owner or a referee lets others sit there.
    """

    side: Side
    name: str
    player: str
    units: tuple[UnitId, ...] | None
    since_ms: int = 0
    kept_for: str = ""

    @property
    def looks_on(self) -> bool:
        """Whether whoever sits there orders nothing."""
        return self.units is not None and not self.units


class OpenOffer(msgspec.Struct, frozen=True):
    """An offer that waits for answers: the entry that made it, what it asks, who asks, which sides said yes already."""

    number: int
    what: str
    to: int
    side: Side
    player: str
    yes: frozenset[Side] = frozenset()


class Ended(msgspec.Struct, frozen=True):
    """How the table ended the game: who won (empty: nobody), why, by which entry."""

    winner: Side
    text: Text
    number: int


class Lost(msgspec.Struct, frozen=True):
    """What a rewind takes back: orders by side, and how many of them had drawn on chance."""

    orders: dict[Side, int]
    rolls: int


class Table:
    """The table of a game.

    Args:
        sides: the game's sides.
        terms: what was agreed on.
        side_after: tells who is to act after an entry; asked only where a clock runs.
        version: of how it is reckoned. In games from before 1 a late link cost its owner two seconds and no more, the side to act paid for
            all else, and flags, claims and draws that came after the rules had ended the game stood. In those from before 2 the time of a
            side of witnessed dice that was left ran on after that end, and so did that of one of whose players any had published no chain.
            In those from before 3 whoever only looked on from his seat witnessed them, too, and nobody's time ran for the late link of
            who had left his seat and let others have it. In those from before 4 its owner ended a game that others had left for a while,
            and who had played it could rule on it later. In those from before 6 the others of a side witnessed beside who leads it, and its
            owner ended a game that others had played as soon as he let others have their seats; and in one with secrets an order was taken
            back without asking whatever it had met.
            In those from before 7 who played a side could sit beside others at another, and took orders back without asking also on
            another's clock; whoever had a seat without limit spoke for its side; whose seat others were let have was gone only since then;
            clocks ran on where an opponent had left his seat before the first order, and who had left it then was taken for one who had
            played it, if that order had dice, whoever sat there by then; and in a game with secrets whether somebody had to ask before he
            took an order back could tell him of what he was not told.
        eye_of: what tells what a side may know, where the game has secrets. Offers then end only with what all can see, lest an order that
            the other side may not know of ends one: when another decision comes up; going back ends none.

    Attributes:
        chairs: seats by side and name, those of a side in order.
        offers: open ones by entry number.
        clocks: as they stood at the last entry.
        paused: whether the game stands still; *ruled*: by a referee, *ruled_by*.
        begun: whether every side has had a player; clocks run from then on, but see `_are_met`.
        moved: whether an order was given.
        left: what became of a seat that was left or freed, by the entry that did it.
        vacated: who sat last at each seat that is empty, and the entry by which he has it no more.
        played: who has sat at each side since the first order, and did not let others have it since.
        has_played: who has ever sat at a side since the first order, or before it while it waited for its dice.
        agreed: what the sides agreed on by the last entry, not counting the keeper's own, to be carried out next; None otherwise.
        spectators: what they may see now.
        ended: how the table ended the game, None while it has not.
    """

    def __init__(
        self, sides: Sequence[Side], terms: Terms, side_after: SideAfter, *, version: int = VERSION, eye_of: EyeOf | None = None
    ) -> None:
        self.sides, self.terms, self.version, self.dark = tuple(sides), terms, version, eye_of is not None
        self.chairs = {(seat.side, seat.name): Chair(seat.side, seat.name, "", seat.units) for seat in terms.seats_for(sides)}
        self.offers: dict[int, OpenOffer] = {}
        self.clocks = clocks.new_clocks(terms.clock, sides)
        self.paused = self.ruled = self.begun = self.moved = False
        self.left: dict[int, Fate] = {}
        self.played: dict[Side, set[str]] = {side: set() for side in sides}
        self.has_played: set[str] = set()
        self.agreed: OpenOffer | None = None
        self.spectators = terms.spectators
        self.ended: Ended | None = None
        self.noted = 0
        self._side_after, self._eye_of = side_after, eye_of
        self._seated: dict[str, tuple[Side, ...]] = {}
        self._head = ROOT
        self._gone: set[Side] = set()
        self._over_at: set[int] = set()  # the entries by which the rules ended the game, on whatever branch; kept with clocks alone
        self._published: set[str] = set()  # who has a dice chain
        self.vacated: dict[tuple[Side, str], tuple[str, int]] = {}
        self.ruled_by = ""
        self._left_of: dict[str, list[Side]] = {}  # of which sides each player has had a seat no more since the game was moved last
        self._late: dict[str, Side] = {}  # who owes a link of the dice, the side on whose clock the others wait for it

    # ---------------------------------------------------------------- reading

    def holders(self, side: Side) -> set[str]:
        """Return who sits at a side."""
        return {chair.player for chair in self.chairs.values() if chair.side == side and chair.player}

    def players(self) -> set[str]:
        """Return who sits anywhere."""
        return set(self._seated)

    @property
    def frees_at_last(self) -> bool:
        """Whether whoever plays lets others have a seat that has been empty for two weeks."""
        return self.version >= SIDES_ARE_APART

    @property
    def is_dark(self) -> bool:
        """Whether what somebody's own order shows may be another's secret; in games from before it was his to take back."""
        return self.dark and self.version >= LEADERS_WITNESS

    @property
    def seated(self) -> Mapping[str, tuple[Side, ...]]:
        """Who sits anywhere, with his sides; another one as soon as somebody takes or leaves a seat."""
        return self._seated

    def sides_of(self, player: str) -> tuple[Side, ...]:
        """Return the sides at which somebody sits."""
        return self._seated.get(player, ())

    def seats_of(self, side: Side, player: str) -> list[Chair]:
        """Return the seats of a side that somebody holds."""
        return [chair for chair in self.chairs.values() if chair.side == side and player and chair.player == player]

    def commands_all(self, side: Side, player: str) -> bool:
        """Say whether somebody holds a seat of a side without limit."""
        return any(chair.units is None for chair in self.seats_of(side, player))

    def leads(self, side: Side, player: str) -> bool:
        """Say whether somebody may speak for a side: he holds its first seat; or one without limit, while that is nobody's.

        In games from before 7 whoever held a seat without limit: somebody who had just come sat down beside a side's leader, and resigned.
        """
        if self.version < SIDES_ARE_APART or not self.commands_all(side, player):
            return self.commands_all(side, player)
        first = self.first_seat(side)
        return (first.player or first.kept_for) in ("", player)

    def claims(self, side: Side, player: str) -> bool:
        """Say whether somebody may take what only helps a side: he leads it, or has a seat without limit while nobody sits at its first.

        Else who has left that one for a while, or a friend of the other side's for good, keeps from a won game those who play on.
        """
        return self.leads(side, player) or (self.commands_all(side, player) and not self.first_seat(side).player)

    def first_seat(self, side: Side) -> Chair:
        """Return the seat that may limit the others of its side."""
        return next(chair for chair in self.chairs.values() if chair.side == side)

    def to_answer(self, side: Side, player: str) -> set[Side]:
        """Return the sides that must say yes to an offer: all others at which anybody else sits who speaks for them."""
        others = (one for one in self.sides if one != side)
        return {one for one in others if any(self.leads(one, holder) for holder in self.holders(one) - {player})}

    def to_act(self) -> Side:
        """Return the side that the game waits for, empty before its first entry or after its end."""
        return "" if self._head == ROOT or self.ended is not None else self._side_after(self._head)

    def on_clock(self) -> Side:
        """Return the side whose time runs where clocks do: the one that the game waits for, unless others keep it waiting for the dice."""
        side, others = self.to_act(), [*self._late.values()] or self._without_witness()
        return side if not others or side in others else others[0]

    def _without_witness(self) -> list[Side]:
        """Return the sides without which no order is decided: the dice are witnessed, and nobody plays there, or has no chain yet."""
        if self.terms.dice.kind != "witnessed" or not self.begun or not self.version:
            return []
        return [side for side in self.sides if not self._witnesses(side)]

    def _witnesses(self, side: Side) -> bool:
        """Say whether a side has who witnesses the dice for it, and he a chain: who leads it, or plays it while nobody does.

        In games from before anybody of it with a chain; in those from before that all of it must have one.
        """
        first, holders = self.first_seat(side), self.holders(side)
        if self.version >= WITNESSES_MAY_ORDER:
            there = [chair for chair in self.chairs.values() if chair.side == side and chair.player]
            ordering = [chair for chair in there if chair is first or not chair.looks_on]
            holders = {chair.player for chair in ordering}
            if self.version >= LEADERS_WITNESS and ordering:
                return min(ordering, key=lambda chair: chair is not first and chair.units is not None).player in self._published
        return bool(holders & self._published) and (self.version >= CHAINS_MAKE_WITNESSES or holders <= self._published)

    def lets_undo(self, log: Log, to: int, side: Side) -> bool:
        """Say whether a side may go back, or forward again, unasked while others play: nothing was shown, and nobody else acted since.

        Where clocks are kept it must be to act itself: else it thinks as the other's time runs, takes back that its turn has ended, and
        ends it anew.
        """
        if self.version < SIDES_ARE_APART:
            return log.undo_is_free(to, side, dark=self.is_dark)
        if self.clocks.are_kept and self.to_act() not in (side, ""):
            return False
        return log.undo_is_free(to, side) if self._eye_of is None else dark_ways.is_free(log, to, self._eye_of(side))

    def clocks_at(self, now_ms: int) -> clocks.Clocks:
        """Return the clocks as they stand at a later moment."""
        return clocks.passed(self.clocks, now_ms, self.on_clock() if self.clocks.are_kept else "")

    def next_fall(self) -> clocks.Fall | None:
        """Return whose flag falls next, None if none will as things stand, or the rules have ended the game."""
        if not self.clocks.are_kept or self.ended is not None:
            return None
        is_over = self.version and self._head != ROOT and not self.to_act()
        return None if is_over else clocks.next_fall(self.clocks, self.on_clock())

    # ---------------------------------------------------------------- taking entries in

    def take(self, log: Log, most: int | None = None) -> Table:
        """Take in the entries of a log that are new here, all or *most* of them; return the table.

        Raises:
            BadInput: an act names a seat that the game hasn't.
        """
        for entry in log.entries[self.noted : None if most is None else self.noted + most]:
            self.note(entry)
        return self

    def note(self, entry: Entry) -> None:
        """Take in the next entry."""
        assert entry.number == self.noted, f"entry {entry.number} can't follow {self.noted - 1}"
        self._let_time_pass(entry)
        if not isinstance(entry.act, Away | TakenOver):  # what was agreed on before the keeper ended or changed is still to be carried out
            self.agreed = None
        if entry.act is None:
            self._ordered(entry)
        else:
            self._act(entry)
        ruled_over = self._head in self._over_at and self.version >= RULES_STOP_CLOCKS
        on = self._are_met() and not self.paused and self.ended is None and not ruled_over
        if on != self.clocks.runs:
            self.clocks = clocks.running(self.clocks, on=on)
        self.noted += 1

    def _are_met(self) -> bool:
        """Say whether clocks run as far as seats go: every side has had a player, and until the first order who is to act has opponents.

        Else who waits for one loses by time to nobody. Who is to act himself does not get time to think by leaving his seat.
        """
        if self.moved or not self.begun or not self.clocks.are_kept or self.version < SIDES_ARE_APART:
            return self.begun
        return all(self.holders(side) for side in self.sides if side != self.to_act())

    def _ordered(self, entry: Entry) -> None:
        self.clocks = clocks.reached(self.clocks, entry.events)
        self._head = entry.number
        self._note_players(entry)
        self._late.clear()
        self._left_of.clear()
        if not self.offers and not self.clocks.are_kept:  # as nearly always: in a long log nobody looks through the events of each entry
            return
        ends = any(isinstance(event, GameEnded) for event in entry.events)
        if ends and self.clocks.are_kept:
            self._over_at.add(entry.number)
        if self.version and ends:
            self.offers = {}
        elif not self.dark or any(isinstance(event, FramePushed | FramePopped) for event in entry.events):
            self._expire(entry.side)

    def _let_time_pass(self, entry: Entry) -> None:
        if not self.clocks.are_kept:
            return
        # Whoever ordered is whom the game waited for, unless a link was owed to him; else the position says so.
        ordered = entry.side if entry.act is None and not self._late else ""
        side = ordered or (self.on_clock() if self.clocks.runs else "")
        match entry.act:
            case Away(ms=ms):
                self.clocks = clocks.away(self.clocks, ms, entry.time_ms, side)
            case Late(ms=ms, participant=participant, came=False):
                self.clocks = clocks.late(self.clocks, ms, entry.time_ms, side, self._owes(participant))
            case _:
                self.clocks = clocks.passed(self.clocks, entry.time_ms, side)

    def _owes(self, participant: str) -> Side:
        """Return on whose clock the others wait for a link: of a side that its owner plays, that is kept for him, or that he left last."""
        if not self.version:
            return next(iter(self.sides_of(participant)), "")
        theirs = [chair.side for chair in self.chairs.values() if participant in (chair.player, chair.kept_for)]
        left = self._left_of.get(participant, [""])[-1] if self.version >= WITNESSES_MAY_ORDER else ""
        return self.to_act() if self.to_act() in theirs else next(iter(theirs), left)

    def _is_of_all(self, participant: str) -> bool:
        """Say whether a participant sits at all sides: each has to choose, and he is waited for until the last one has."""
        return self.version >= SEATS_ARE_SIGNED and set(self.sides_of(participant)) == set(self.sides)

    def _expire(self, side: Side) -> None:
        """Drop the offers that the game went past: a rewind with any order, others when a side that was asked plays on."""
        self.offers = {
            number: offer for number, offer in self.offers.items() if offer.what != "rewind" and side == offer.side
        }

    def _act(self, entry: Entry) -> None:
        match entry.act:
            case Rewind():
                self._head, self.ended = entry.act.to, None
                self._late.clear()
                self._left_of.clear()
                self.offers = self.offers if self.dark else {}
                self._gone.clear()
            case Seat():
                self._take_seat(entry, entry.act)
            case Limit():
                chair = self._chair(entry, entry.act.side, entry.act.seat)
                self.chairs[chair.side, chair.name] = replace(chair, units=entry.act.units)
            case Offer():
                self.offers[entry.number] = OpenOffer(entry.number, entry.act.what, entry.act.to, entry.side, entry.player)
            case Withdraw():
                self.offers.pop(entry.act.offer, None)
            case Consent():
                self._consent(entry, entry.act)
            case Pause():
                self.paused, self.ruled = entry.act.on, entry.act.on and not entry.side
                self.ruled_by = entry.player if self.ruled else ""
                if self.version:
                    self.offers = {number: offer for number, offer in self.offers.items() if offer.what != "pause"}
            case ChainPublished():
                self._published.add(entry.act.player)
            case Late(came=True):
                self._late.pop(entry.act.participant, None)
            case Late() if self.version:
                self._late[entry.act.participant] = self._owes(entry.act.participant)
            case Fallback(choice="unwitnessed") if not self._is_of_all(entry.act.participant):  # all sides choose about who is of all
                self._late.pop(entry.act.participant, None)
            case SetClock():
                self.clocks = clocks.given(self.clocks, entry.act.side, entry.act.left_ms)
            case Admit():
                self.spectators = entry.act.spectators
            case _:
                self._end_by(entry)

    def _take_seat(self, entry: Entry, act: Seat) -> None:
        chair = self._chair(entry, act.side, act.seat)
        leaves = bool(chair.player) and not act.player and entry.player == chair.player
        kept_for = chair.player if leaves and self.moved else ""
        if kept_for and any(one.player == kept_for and one.side != chair.side for one in self.chairs.values()):
            self.played[chair.side].discard(kept_for)  # who plays on at another side leaves this one to others
            kept_for = ""
        if not act.player:
            self.left[entry.number] = "kept" if kept_for else "left" if leaves else "freed" if chair.player else "opened"
        if not act.player and not chair.player and entry.player == chair.kept_for:
            self.played[chair.side].discard(entry.player)  # so does who lets others sit where he sat
        if act.player and self.version >= SIDES_ARE_APART and not self._comes_back(act):  # so no order waits
            self._left_of.clear()
        if chair.player and chair.player != act.player:
            self._left_of.setdefault(chair.player, []).append(chair.side)
        if act.player:
            self.vacated.pop((chair.side, chair.name), None)
        elif chair.player:
            self.vacated[chair.side, chair.name] = (chair.player, entry.number)
        is_coming_or_going = bool(chair.player or act.player) or self.version < SIDES_ARE_APART
        since_ms = entry.time_ms if is_coming_or_going else chair.since_ms  # else who let others have it would be gone anew from then on
        self.chairs[chair.side, chair.name] = replace(chair, player=act.player, since_ms=since_ms, kept_for=kept_for)
        self._note_seats()
        if act.player and self.moved:
            self.played[chair.side].add(act.player)
            self.has_played.add(act.player)

    def _comes_back(self, act: Seat) -> bool:
        """Say whether somebody sits down again where he left since the game was moved, as `core.witnesses.Witnesses.comes_back` has it."""
        player, _ = self.vacated.get((act.side, act.seat), ("", ROOT))
        return player == act.player and act.side in self._left_of.get(player, ())

    def _note_players(self, entry: Entry) -> None:
        """At the first order: note who plays which side."""
        if entry.order and not self.moved:
            self.moved = True
            for side in self.sides:
                self.played[side] |= self.holders(side)
            self.has_played |= self.players() | (self._left_of.keys() if entry.k else set())

    def _note_seats(self) -> None:
        """Keep who sits where, which is asked a dozen times an order, and whether every side has had a player by now."""
        players = {chair.player for chair in self.chairs.values() if chair.player}
        self._seated = {player: tuple(side for side in self.sides if player in self.holders(side)) for player in players}
        self.begun = self.begun or all(self.holders(side) for side in self.sides)

    def _chair(self, entry: Entry, side: Side, seat: str) -> Chair:
        chair = self.chairs.get((side, seat))
        if chair is None:
            raise BadInput.one(f"entry {entry.number}", "a seat of this game", f"{side} {seat}".strip())
        return chair

    def _consent(self, entry: Entry, act: Consent) -> None:
        offer = self.offers.get(act.offer)
        if offer is None:
            return
        if not act.yes:
            del self.offers[offer.number]
            return
        offer = replace(offer, yes=offer.yes | {entry.side})
        self.offers[offer.number] = offer
        if self.to_answer(offer.side, offer.player) <= offer.yes:
            del self.offers[offer.number]
            self.agreed = offer
            if offer.what == "draw":
                self._end(entry, "", text("a draw was agreed"))

    def _end_by(self, entry: Entry) -> None:
        match entry.act:
            case Resign():
                self._leave_game(entry, entry.act.side, text("{side} resigned", side=entry.act.side))
            case Flag():
                self.clocks = clocks.fell(self.clocks, entry.act.side)
                if self.clocks.are_kept and self.terms.clock.on_flag == "lose":
                    self._leave_game(entry, entry.act.side, text("{side} ran out of time", side=entry.act.side))
            case Claim():
                self._end(entry, entry.act.side, text("{side} claimed the game: the others had no time left", side=entry.act.side))
            case Fallback(choice="claim"):
                self._end(entry, entry.side, text("{side} claimed the game, as a link of the dice stayed away", side=entry.side))
            case Result():
                self._end(entry, entry.act.winner, text("ended by {player}: {why}", player=entry.player, why=entry.act.text))

    def _leave_game(self, entry: Entry, side: Side, why: Text) -> None:
        self._gone.add(side)
        left = [one for one in self.sides if one not in self._gone]
        if len(left) <= 1:
            self._end(entry, left[0] if left else "", why)

    def _end(self, entry: Entry, winner: Side, why: Text) -> None:
        if self.ended is None:
            self.ended = Ended(winner, why, entry.number)
            self.offers = {}


def waited_since(log: Log | SeenLog, side: Side, known: tuple[int, int] = (ROOT, 0)) -> int:
    """Return since when a game has been waiting for a side without anybody else in between; 0 for a log without entries.

    Args:
        known: an entry that moved the game, and the answer when it was the last one: so no phase is gone through again at each order.
    """
    moved = log.moved_at
    if moved == ROOT:
        return 0
    here = log.entries[moved]
    while here.number != known[0] and here.bears_order and here.side == side and here.parent != ROOT:
        here = log.entries[here.parent]
    return known[1] if here.number == known[0] else here.time_ms


def taken_back(log: Log, to: int, head: int | None = None) -> list[Entry]:
    """Return the order-bearing entries up to the head (now's, or another) that going back to an entry takes back."""
    kept = {entry.number for entry in log.path(to)}
    return [entry for entry in log.path(head) if entry.number not in kept]


def lost_by(log: Log, to: int, head: int | None = None) -> Lost:
    """Return what a rewind from the head (now's, or another) to an entry takes back; nothing where that is no part of the head's past."""
    orders: dict[Side, int] = {}
    rolls = 0
    for entry in taken_back(log, to, head):
        if entry.order:
            orders[entry.side] = orders.get(entry.side, 0) + 1
            rolls += bool(entry.k)
    return Lost(orders, rolls)

"""What no host brings about unseen: said of one step from a state to the next, without asking the rules that are tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.log import (
    ChainPublished,
    Claim,
    Consent,
    Entry,
    Fallback,
    Flag,
    Late,
    Limit,
    Pending,
    Resign,
    Result,
    Rewind,
    Seat,
    SetClock,
)
from core.orders import units_of
from core.table import LEADERS_WITNESS, OpenOffer
from core.units import Side
from core.witnesses import CLAIM, SERVER, UNWITNESSED
from tests.adversary.state import State
from tests.adversary.table import BLUE, BORIS
from tests.toy.witnessed import WAIT_MS


class Seats:
    """Who sits where, what each seat commands and who has published a chain, after some entries of a log."""

    def __init__(self, state: State, entries: Sequence[Entry]) -> None:
        terms = state.stage.head.terms.seats_for((Side("red"), Side("blue")))
        self.beside = state.stage.head.table < LEADERS_WITNESS
        self.units = {(seat.side, seat.name): seat.units for seat in terms}
        self.held: dict[tuple[Side, str], str] = {}
        self.published: set[str] = set()
        self.gave_up = False  # Boris let others have his seat,
        self.opened = False  # or somebody did, once he had left it: who sits there speaks for the side
        self.begun = False
        for entry in entries:
            self._note(entry)

    def _note(self, entry: Entry) -> None:
        self.begun = self.begun or bool(entry.order)
        match entry.act:
            case Seat() as act if act.player:
                self.held[act.side, act.seat] = act.player
                if (act.side, act.player) == (BLUE, BORIS):
                    self.gave_up = self.opened = False
            case Seat() as act:
                before = self.held.pop((act.side, act.seat), "")
                if act.side == BLUE and not act.seat and (not before or not self.begun):  # before the first order nothing is kept
                    self.opened, self.gave_up = True, self.gave_up or entry.player == BORIS
            case Limit() as act:
                self.units[act.side, act.seat] = act.units
            case ChainPublished() as act:
                self.published.add(act.player)

    def sides_of(self, player: str) -> set[Side]:
        return {side for (side, _), holder in self.held.items() if holder == player}

    def leads(self, side: Side, player: str) -> bool:
        """Say whether somebody speaks for a side."""
        return any(holder == player and one == side and self.units[one, seat] is None for (one, seat), holder in self.held.items())

    def witnesses(self) -> set[str]:
        """Return whose links dice need: beside who leads a side nobody's, but in games from before."""
        order = {
            holder for (side, seat), holder in self.held.items()
            if not seat or (self.units[side, seat] != () and (self.beside or (side, "") not in self.held))
        }
        return {SERVER} | (order & self.published)


def broken(before: State, after: State) -> Iterator[str]:
    """Yield what the host brought about by the last entry, though it was neither told nor found."""
    if len(after.log) <= len(before.log):
        return
    entry = after.log.entries[-1]
    if entry.moves:
        yield from _moved(before, entry)
    if entry.order:
        yield from _ordered(before, entry)
    if entry.bears_order and entry.k:
        yield from _thrown(before, entry)
    if isinstance(entry.act, Rewind):
        yield from _gone_back(before, after, entry.act)
    if entry.act == Flag(BLUE):
        yield from _flagged(before)
    if isinstance(entry.act, SetClock):
        yield "time was given by who is no referee"
    if isinstance(entry.act, Seat):
        yield from _put_out(before, entry, entry.act)
    if before.match.table.ended is None and after.match.table.ended is not None and after.match.table.ended.winner != BLUE:
        yield from _ended(before, after, entry)


# -------------------------------------------------------------------- dice


def _moved(before: State, entry: Entry) -> Iterator[str]:
    """Once Boris has shown his link against a record, that very order is what moves the game."""
    record = before.record
    if record is not None and not (entry.bears_order and entry.pending_record() == record):
        yield "the game went past the order whose dice Boris witnessed"


def _ordered(before: State, entry: Entry) -> Iterator[str]:
    """Who orders sat at the side, and commands what the order names, when it was made."""
    seats = Seats(before, before.log.entries[: before.made_at if entry.k else len(before.log)])
    mine = [seats.units[seat] for seat, holder in seats.held.items() if holder == entry.player and seat[0] == entry.side]
    named = set(units_of(before.match.codec.decode(entry.order)))
    if None not in mine and not (named and named <= {unit for units in mine for unit in units or ()}):
        yield f"{entry.player} ordered for {entry.side} what is not his to order"


def _thrown(before: State, entry: Entry) -> Iterator[str]:
    """Dice bear the links of all who were asked, but where another side went without one."""
    if any(known.k == entry.k for known in before.log.entries):
        yield f"number {entry.k} was thrown twice"
    there, now = (Seats(before, before.log.entries[:count]).witnesses() for count in (before.made_at, len(before.log)))
    asked = Seats(before, _until(before, entry.pending)).witnesses() | (there & now)  # whatever the record says of when it was made
    for name in sorted(asked - set(entry.links)):
        if not any(_may_go_without(before, choice, entry.pending_record(), name) for choice in before.log.entries):
            yield f"dice fell without the link of {name}, and nobody who may chose so"


def _until(state: State, before: bytes) -> Sequence[Entry]:
    entries = state.log.entries
    return entries[: next((entry.number + 1 for entry in entries if entry.hash == before), 0)]


def _may_go_without(state: State, entry: Entry, record: Pending, name: str) -> bool:
    """Say whether an entry is the choice of who speaks for another side to go on without a link that was late long enough."""
    act = entry.act
    if not isinstance(act, Fallback) or (act.choice, act.participant, act.pending) != (UNWITNESSED, name, record.digest()):
        return False
    if name == BORIS and state.record == record:
        return False
    sides, seats = _sides_since(state, record, name, entry.number), Seats(state, state.log.entries[: entry.number])
    if BLUE in sides and name != BORIS and seats.leads(BLUE, BORIS):  # with a friend's link and without it the host has two throws
        return False
    return entry.player != name and entry.side not in sides and seats.leads(entry.side, entry.player) and _had_time(state, entry, name)


def _sides_since(state: State, record: Pending, name: str, until: int) -> set[Side]:
    """Return the sides at which somebody sat from when an order began to wait until an entry."""
    first = len(_until(state, record.before))
    return {side for count in range(first, until + 1) for side in Seats(state, state.log.entries[:count]).sides_of(name)}


def _had_time(state: State, entry: Entry, name: str) -> bool:
    """Say whether a link had been late for as long as was agreed on when somebody chose about it."""
    assert isinstance(entry.act, Fallback), "nobody chose"
    named = [
        (one.act.came, one.time_ms) for one in state.log.entries[: entry.number]
        if isinstance(one.act, Late) and (one.act.participant, one.act.k) == (name, entry.act.k)
    ]
    return bool(named) and not named[-1][0] and entry.time_ms - named[-1][1] >= WAIT_MS


# -------------------------------------------------------------------- seats, and ways back


def _put_out(before: State, entry: Entry, act: Seat) -> Iterator[str]:
    """Nobody but himself takes Boris' seat from him once orders were given, nor while he has shown his link."""
    seats = Seats(before, before.log.entries)
    is_his = seats.held.get((act.side, act.seat)) == BORIS
    if is_his and BORIS not in (act.player, entry.player) and (before.record is not None or seats.begun):
        yield "Boris was put out of his seat"


def _gone_back(before: State, after: State, act: Rewind) -> Iterator[str]:
    """Dice that Boris witnessed are taken back only as he, or who speaks for his side, agreed to when he knew them."""
    log = before.log
    back = {one.number for one in log.path(act.to)}
    lost = max((one.k for one in log.path() if one.number not in back and BORIS in one.links), default=0)
    if not lost and before.match.table.ended is None:
        return
    agreed = before.match.table.agreed
    if Seats(before, log.entries).gave_up:
        return
    if agreed is None or (agreed.what, agreed.to) != ("rewind", act.to):
        yield "dice were taken back, and nobody of blue agreed"
    else:
        yield from _said(after, agreed, "go back", lost)


def _said(after: State, agreed: OpenOffer, what: str, k: int) -> Iterator[str]:
    """Yield what is wrong with blue's part of an agreement on dice of number *k*."""
    mine = _part_of_blue(after, agreed)
    if mine is None:
        yield f"nobody of blue agreed to {what}"
        return
    known = after.knew.get(mine.number)
    if known is None:
        if mine.player == BORIS or not Seats(after, after.log.entries[: mine.number]).leads(BLUE, mine.player):
            yield f"{mine.player} agreed for blue to {what}, and may not, or did not"
    elif known.signed.decided < k:
        yield f"Boris agreed to {what} before he knew the dice"


def _part_of_blue(before: State, agreed: OpenOffer) -> Entry | None:
    """Return the entry by which blue made an offer, or said yes to it."""
    if agreed.side == BLUE:
        return before.log.entries[agreed.number]
    yes = [one for one in before.log.entries if one.act == Consent(agreed.number, True) and one.side == BLUE]
    return yes[-1] if yes else None


# -------------------------------------------------------------------- the end


def _ended(before: State, after: State, entry: Entry) -> Iterator[str]:
    """A game that Boris did not win was ended by himself, by who speaks for his side, or by what he let happen."""
    act, seats = entry.act, Seats(before, before.log.entries)
    if seats.opened and BLUE not in seats.sides_of(BORIS):
        return
    match act:
        case Resign():
            yield from _resigned(after, entry, seats)
        case Consent():
            yield from _drawn(before, after, entry, act)
        case Claim() if before.match.table.terms.clock.on_flag == "claim":
            return  # what is wrong with the flag was said when it fell
        case Flag():
            return
        case Fallback(choice=choice) if choice == CLAIM:
            yield from _claimed(before, entry, act)
        case Result() if before.record is None and not any(one.order for one in before.log.entries):
            return  # nobody has begun, and no dice are known
        case Result():
            yield "the game was ended for nobody while Boris plays it"
        case _:
            yield f"the game was ended by {type(act).__name__}"


def _resigned(after: State, entry: Entry, seats: Seats) -> Iterator[str]:
    known = after.knew.get(entry.number)
    if not seats.leads(BLUE, entry.player):
        yield f"{entry.player} resigned for blue"
    elif known is not None and known.signed.decided < known.then.decided:
        yield "Boris' resignation was kept back until the dice were known"


def _drawn(before: State, after: State, entry: Entry, act: Consent) -> Iterator[str]:
    """A draw takes back no dice that the host may know, and was not agreed to before them and written behind them."""
    mine = entry if entry.side == BLUE else _part_of_blue(after, before.match.table.offers[act.offer])
    assert mine is not None, "a draw that red agreed on alone"
    record, known = before.record, after.knew.get(mine.number)
    if mine.player != BORIS:
        if not Seats(after, after.log.entries[: mine.number]).leads(BLUE, mine.player):
            yield f"{mine.player} agreed on a draw for blue"
        if record is not None:
            yield "a draw was agreed on whose dice the host knows, for Boris by another"
    elif known is None:
        yield "Boris has agreed on no draw"
    elif record is not None and known.signed.shown < record.k:
        yield "the host took a draw for dice that she knows, which Boris agreed on before"
    elif known.signed.decided < known.then.decided:
        yield "a draw that Boris agreed on was kept back until the dice were known"


def _flagged(before: State) -> Iterator[str]:
    """Boris' time does not run out while he has shown his link, and nobody of his side keeps others waiting."""
    left = before.match.table.clocks_at(before.now_ms).left_ms.get(BLUE, 0)
    if before.stolen_ms and left + before.stolen_ms > 0:
        yield "blue's time ran out while Boris had shown his link and the host knew the dice"


def _claimed(before: State, entry: Entry, act: Fallback) -> Iterator[str]:
    """The game is claimed for a link of Boris', or of who leads his side now, that stayed away as long as was agreed on."""
    record = before.waiting
    assert record is not None, "no order waits"
    if act.participant == BORIS and before.record is not None:
        yield "the game was claimed for a link that Boris had shown"
    elif act.participant == BORIS and before.forced:
        yield "the game was claimed for Boris' link, who was made to sit down"
    elif not _had_time(before, entry, act.participant):
        yield "the game was claimed before the agreed time"
    elif act.participant != BORIS and _first_of_blue(before) != act.participant:
        yield f"the game was claimed for the link of {act.participant}, who sat beside Boris"


def _first_of_blue(state: State) -> str:
    """Return who holds the first seat of blue, or held it last."""
    sat = [one.act.player for one in state.log.entries if isinstance(one.act, Seat) and one.act.player and not one.act.seat
           and one.act.side == BLUE]
    return sat[-1] if sat else ""

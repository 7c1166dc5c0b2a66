"""What is allowed at a table: each act checked against the table as it stands, and refused with the reason.

Server, client and verification ask the same function, `permit`. It changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from core.datafile import Faults
from core.errors import BadInput, Refused
from core.log import (
    ROOT,
    Act,
    Admit,
    AnyAct,
    Away,
    Claim,
    Consent,
    Flag,
    Limit,
    Log,
    Offer,
    Pause,
    Referee,
    Resign,
    Result,
    Rewind,
    Seat,
    SetClock,
    Withdraw,
)
from core.table import ACTS_ARE_OF_THE_MOMENT, LEADERS_WITNESS, SIDES_ARE_APART, Chair, OpenOffer, Table
from core.terms import CLOSED, OPEN, TABLE, SpectatorTerms, check_spectators
from core.text import Text, text
from core.units import Side, UnitId
from core.witnesses import SERVER, WITNESSED

OFFERS = ("rewind", "draw", "pause")
LONGEST_NOTE = 500
DAY_MS = 86_400_000
MOST_UNITS = 1 << 16  # more than any game has
GONE_MS = 14 * DAY_MS  # who has left a game for so long, and for whom no seat is kept, plays it no more
DECIDING = text("an order is being decided; wait for its result")


class Who(msgspec.Struct, frozen=True):
    """Who acts: a player, for which side (empty: for none), as referee, as the keeper of the log itself; a *guest* may only watch."""

    player: str = ""
    side: Side = ""
    referee: bool = False
    keeper: bool = False
    guest: bool = False


class Moment(msgspec.Struct, frozen=True):
    """The table and its game at the moment of an act.

    *over* says whether the position itself is final, *now_ms* what the log's clock shows; *given_up* whether all for whose links an order
    waits have had their time (`core.witnesses.Witnesses.is_given_up`).
    """

    table: Table
    log: Log
    over: bool
    now_ms: int
    given_up: bool = False

    @property
    def is_set_up_only(self) -> bool:
        """Say whether nobody has given an order yet."""
        return not any(entry.order for entry in self.log.entries)


A = TypeVar("A", bound=Act)
Check = Callable[[Moment, Any, Who], None]
_CHECKS: dict[type[Act], Check] = {}


def checks(kind: type[A]) -> Callable[[Callable[[Moment, A, Who], None]], Callable[[Moment, A, Who], None]]:
    """Register the function that checks acts of a kind."""

    def register(check: Callable[[Moment, A, Who], None]) -> Callable[[Moment, A, Who], None]:
        _CHECKS[kind] = check
        return check

    return register


def checked_acts() -> set[type[Act]]:
    """Return the kinds of acts that `permit` knows."""
    return set(_CHECKS)


def permit(moment: Moment, act: AnyAct, who: Who, *, besides: Callable[[], None] | None = None) -> None:
    """Check that somebody may do an act now.

    Args:
        besides: refuses what else whoever keeps the game forbids: who is refused anyway is not told whether an order waits for its dice.

    Raises:
        Refused: not he, or not now. BadInput: it names what isn't there.
    """
    check = _CHECKS.get(type(act))
    if check is None:
        raise Refused("", text("nobody may ask for that"))
    check(moment, act, who)
    if besides is not None:
        besides()
    if isinstance(act, Seat):
        _check_seat_meanwhile(moment, act, who)


def is_signed(act: AnyAct, side: Side) -> bool:
    """Say whether an act for a side bears its player's signature: all that he alone can bring about."""
    if not side:
        return False
    leaves = isinstance(act, Seat) and not act.player
    goes_on = isinstance(act, Pause) and not act.on
    return leaves or goes_on or isinstance(act, Limit | Offer | Withdraw | Consent | Resign | Claim)


def follows(table: Table) -> AnyAct | None:
    """Return the act by which the last entry's agreement is carried out; None if it made none, or needs no further act."""
    agreed = table.agreed
    if agreed is None or agreed.what == "draw":
        return None
    return Rewind(agreed.to) if agreed.what == "rewind" else Pause(on=True)


def permit_order(moment: Moment, side: Side, player: str, units: Iterable[UnitId]) -> None:
    """Check that somebody may order for a side now, and these units; none named: something that no unit does.

    Raises:
        Refused: the game has ended or is paused, the time is out, the seat is another's, or doesn't go so far. BadInput: no such side.
    """
    table = moment.table
    _check_side(table, side)
    seats = table.seats_of(side, player)
    if not seats:
        raise Refused("", _not_yours(table, side, player))
    if table.ended is not None:
        raise Refused("", text("the game is over: {why}", why=str(table.ended.text)))
    if table.paused:
        raise Refused("", text("the game is paused"))
    fall = table.next_fall() if table.terms.clock.on_flag == "lose" else None
    if fall is not None and fall.side == side and fall.at_ms <= moment.now_ms:
        raise Refused("", text("{side} ran out of time", side=side))
    if any(seat.units is None for seat in seats):
        return
    named = set(units)
    if not named:
        raise Refused("", text("only the first seat of {side} may order what names no unit", side=side))
    others = named - {unit for seat in seats for unit in seat.units or ()}
    if others:
        raise Refused("", text("the seat of {player} does not command unit {unit}", player=player, unit=min(others)))


# -------------------------------------------------------------------- who


def _not_yours(table: Table, side: Side, player: str) -> Any:
    held = " and ".join(sorted(table.holders(side))) or "nobody"
    return text("the {side} seat is held by {held}, not by {player}", side=side, held=held, player=player)


def _check_side(table: Table, side: Side) -> None:
    if side not in table.sides:
        raise BadInput.one("side", " or ".join(table.sides), side)


def _chair(table: Table, side: Side, seat: str) -> Chair:
    _check_side(table, side)
    if (side, seat) not in table.chairs:
        names = " or ".join(repr(name) for one, name in table.chairs if one == side)
        raise BadInput.one("seat", names, repr(seat))
    return table.chairs[side, seat]


def _must_lead(moment: Moment, who: Who) -> None:
    """Refuse whoever may not speak for the side."""
    _check_side(moment.table, who.side)
    if not moment.table.seats_of(who.side, who.player):
        raise Refused("", _not_yours(moment.table, who.side, who.player))
    if not moment.table.leads(who.side, who.player):
        raise Refused("", _who_leads(moment.table, who.side))


def _must_claim(moment: Moment, who: Who) -> None:
    """Refuse whoever may not even do for the side what only helps it."""
    _check_side(moment.table, who.side)
    if not moment.table.claims(who.side, who.player):
        _must_lead(moment, who)


def _who_leads(table: Table, side: Side) -> Text:
    first = table.first_seat(side)
    if table.version >= SIDES_ARE_APART and (leader := first.player or first.kept_for):
        return text("{player} speaks for {side}, whose first seat is his", player=leader, side=side)
    return text("only a seat without limit speaks for {side}", side=side)


def _must_command_all(moment: Moment, who: Who) -> None:
    """Refuse whoever may not take a side's orders back."""
    _check_side(moment.table, who.side)
    if not moment.table.seats_of(who.side, who.player):
        raise Refused("", _not_yours(moment.table, who.side, who.player))
    if not moment.table.commands_all(who.side, who.player):
        raise Refused("", text("only a seat without limit takes orders of {side} back", side=who.side))


def _must_act_for_none(moment: Moment, who: Who) -> None:
    """Refuse what the game's owner does in the name of a side: `verify` would take it for that side's, which need not sign it."""
    if moment.table.version >= SIDES_ARE_APART and who.side and who.player == moment.table.terms.owner:
        raise BadInput.one("side", "none, as its owner does it", who.side)


def _must_referee(moment: Moment, who: Who, what: str) -> None:
    if not who.referee:
        raise Refused("", text("only a referee may {what}", what=what))


def _must_go_on(moment: Moment) -> None:
    if moment.table.ended is not None:
        raise Refused("", text("the game is over: {why}", why=str(moment.table.ended.text)))


def _must_not_know_dice(moment: Moment, who: Who) -> None:
    """Refuse an owner what he alone decides while an order waits: a host may know its dice by then, and be his friend or himself."""
    if who.player == moment.table.terms.owner and not is_named_referee(moment.table, who.player) and moment.log.pending is not None:
        raise Refused("", DECIDING)


def is_named_referee(table: Table, player: str) -> bool:
    """Say whether the terms name somebody as a referee, which all agreed on, and he may rule on the game still."""
    return player in table.terms.referees and may_rule(table, player)


def _must_be_able_to_witness(moment: Moment, player: str) -> None:
    """Refuse who bears the name of the server among those who witness: its chain would count as his."""
    table = moment.table
    if table.version >= ACTS_ARE_OF_THE_MOMENT and table.terms.dice.kind == WITNESSED and player == SERVER:
        raise Refused("", text("who is called {name} can't witness: it is the server's name there", name=player))


def _must_not_wait_for_links(moment: Moment) -> None:
    """Refuse whoever would take part in the dice from here on while an order waits for its own.

    Else a host could say of each order that it began to wait before somebody sat down, whose link it then needs not.
    """
    if moment.table.terms.dice.kind == WITNESSED and moment.log.pending is not None:
        raise Refused("", text("an order waits for its dice; sit down, or let others order, when it is decided"))


def _left_meanwhile(moment: Moment, act: Seat) -> bool:
    """Say whether whoever sits down had that seat when the order that waits began to, and left it since: he is asked for a link anyhow."""
    player, number = moment.table.vacated.get((act.side, act.seat), ("", ROOT))
    pending = moment.log.pending
    if pending is None or player != act.player:
        return False
    since = next((entry.number for entry in reversed(moment.log.entries) if entry.hash == pending.before), ROOT)
    has_sat = any(isinstance(entry.act, Seat) and entry.act.player for entry in moment.log.entries[number:])
    return number > since and not has_sat


def is_referee(table: Table, player: str, *, role: bool) -> bool:
    """Say whether somebody is a referee here: named by the terms or by his *role* on the server, and no player of the game.

    Who leaves his seat is one no more: nobody goes out to rule on his own game, and comes back.
    """
    plays = player in table.players() or any(player in played for played in table.played.values())
    return (role or player in table.terms.referees) and not plays and may_rule(table, player)


def may_rule(table: Table, player: str) -> bool:
    """Say whether somebody who sits nowhere may rule on a game, if he is a referee: in those from before also who had played it."""
    has_played = table.version >= ACTS_ARE_OF_THE_MOMENT and player in table.has_played
    return player not in table.players() and not has_played


def _never_sat(table: Table, player: str) -> bool:
    """Say whether somebody has no dice to dislike: he sits nowhere, has played nothing, and did not leave a seat that is empty still."""
    return may_rule(table, player) and player not in {one for one, _ in table.vacated.values()}


# -------------------------------------------------------------------- seats


@checks(Seat)
def check_seat(moment: Moment, act: Seat, who: Who) -> None:
    """A free seat is for whoever asks, once orders were given only as `_check_free` says; its holder may leave it, a referee give it.

    The owner frees one before the first order. One that is kept for who left it he lets others have, and so does whoever left it.
    """
    chair = _chair(moment.table, act.side, act.seat)
    leaves = not act.player and bool(who.player) and chair.player == who.player
    if act.player:
        _must_be_able_to_witness(moment, act.player)
    _check_whose_seat(moment, act, who, chair, leaves=leaves)


def _check_seat_meanwhile(moment: Moment, act: Seat, who: Who) -> None:
    """Refuse to let anybody sit down while an order waits for its dice, but who left that seat since; and an owner to free one then."""
    chair = _chair(moment.table, act.side, act.seat)
    if act.player and not _left_meanwhile(moment, act):
        _must_not_wait_for_links(moment)
    elif not act.player and not (who.player and who.player in (chair.player, chair.kept_for)):
        _must_not_know_dice(moment, who)


def _check_whose_seat(moment: Moment, act: Seat, who: Who, chair: Chair, *, leaves: bool) -> None:
    """Refuse whoever has no business with a seat; *leaves*: it is his, and he leaves it."""
    if who.referee or (leaves and who.side == act.side):
        return
    if leaves:  # for his side he signs it: else a server could write down that he has left
        raise BadInput.one("side", f"{act.side}, whose seat you leave", who.side or "none")
    _must_go_on(moment)
    if not act.player:
        _check_freeing(moment, chair, who)
        return
    if act.player != who.player:
        raise Refused("", text("only a referee may give a seat to somebody else"))
    if who.guest:
        raise Refused("", text("{player} may only watch on this server", player=who.player))
    if chair.player:
        raise Refused("", text("the {side} seat is held by {held}", side=act.side, held=chair.player))
    _check_free(moment.table, chair, who.player)
    _check_apart(moment.table, chair, who.player)


def _check_freeing(moment: Moment, chair: Chair, who: Who) -> None:
    """Refuse whoever frees a seat that is neither his nor, as the game's owner, his to free."""
    if chair.kept_for and (who.player, who.side) == (chair.kept_for, chair.side):
        return
    if _may_open_at_last(moment, chair, who):
        return
    _must_act_for_none(moment, who)
    if chair.kept_for and who.player == moment.table.terms.owner:
        _must_not_be_against(moment, chair, who)
        return
    if chair.kept_for:
        raise Refused("", _kept(chair))
    if not chair.player or who.player != moment.table.terms.owner:
        raise Refused("", _not_yours(moment.table, chair.side, who.player))
    if not moment.is_set_up_only:
        raise Refused("", text("the game has begun; only a referee may free the seat of {player}", player=chair.player))


def _must_not_be_against(moment: Moment, chair: Chair, who: Who) -> None:
    """Refuse an owner who plays against who left a seat for a while: a friend of his would sit down there, and resign."""
    table = moment.table
    plays = who.player in table.has_played or who.player in table.players()
    beside = who.player == chair.kept_for or chair.side in table.sides_of(who.player)
    if table.version < LEADERS_WITNESS or not plays or beside or is_gone(chair, moment.now_ms):
        return
    words = "the {side} seat is kept for {player}, against whom you play; he or a referee can let others sit there, you after {days} days"
    raise Refused("", text(words, side=chair.side, player=chair.kept_for, days=GONE_MS // DAY_MS))


def _may_open_at_last(moment: Moment, chair: Chair, who: Who) -> bool:
    """Say whether whoever plays lets others have a seat that has been empty for long: its owner may have left the game for good, too."""
    plays = moment.table.frees_at_last and who.side in moment.table.sides_of(who.player)
    return plays and bool(chair.kept_for) and is_gone(chair, moment.now_ms)


def is_gone(chair: Chair, now_ms: int) -> bool:
    """Say whether a seat has been empty for so long that who left it plays no more."""
    return not chair.player and now_ms >= chair.since_ms + GONE_MS


def _kept(chair: Chair) -> Text:
    words = "the {side} seat is kept for {player}, who left it; he, the game's owner or a referee can let others sit there"
    return text(words, side=chair.side, player=chair.kept_for)


def _check_free(table: Table, chair: Chair, player: str) -> None:
    """Refuse a seat that is kept for who left it; and one of a side that others have played, to whoever has played against them."""
    if chair.kept_for not in ("", player):
        raise Refused("", _kept(chair))
    others = table.played[chair.side] - {player}
    against = [side for side in table.sides if side != chair.side and player in table.played[side]]
    if others and against:
        words = "{player} has played {against} against {others}; only a referee may give him the {side} seat"
        named = " and ".join(sorted(others))
        raise Refused("", text(words, player=player, against=against[0], others=named, side=chair.side))


def _check_apart(table: Table, chair: Chair, player: str) -> None:
    """Refuse a seat by which somebody would sit beside another, and one of the two play another side as well.

    Where an order waited for his link its time would run for that other one, and whatever is for who sits at his side to decide be his.
    For whom a seat is kept, after the first order, `_check_free` minds.
    """
    if table.version < SIDES_ARE_APART:
        return
    sides = {player: {*table.sides_of(player), chair.side}}
    sides |= {one: {*table.sides_of(one)} for one in table.holders(chair.side) - {player}}
    for one, his in sides.items():
        if len(his) > 1 and any((table.holders(side) | {player} if side == chair.side else table.holders(side)) - {one} for side in his):
            words = "{player} sits at several sides only where nobody sits beside him: he must leave one before"
            raise Refused("", text(words, player=one))


@checks(Limit)
def check_limit(moment: Moment, act: Limit, who: Who) -> None:
    """Whoever holds a side's first seat limits the others; a referee may as well."""
    chair = _chair(moment.table, act.side, act.seat)
    first = moment.table.first_seat(act.side)
    if chair.name == first.name:
        raise Refused("", text("the first seat of {side} has no limit", side=act.side))
    if not who.referee and (first.player != who.player or who.side != act.side):
        raise Refused("", text("only the first seat of {side} may limit the others", side=act.side))
    _check_units(moment.table, act.units or ())
    if chair.looks_on and act.units != ():
        _must_not_wait_for_links(moment)


def _check_units(table: Table, units: tuple[UnitId, ...]) -> None:
    """Refuse numbers that no units have: each limit is kept as long as its game, and thousands of large numbers fill disk and memory."""
    usual = sorted({unit for unit in units if 0 <= unit < MOST_UNITS})
    if table.version >= SIDES_ARE_APART and [*units] != usual:
        raise BadInput.one("limit: units", f"numbers of units below {MOST_UNITS}, each once and in order", f"{len(units)} others")


# -------------------------------------------------------------------- offers


@checks(Offer)
def check_offer(moment: Moment, act: Offer, who: Who) -> None:
    """A side may ask for one thing of a kind at a time, and only where somebody is there to answer."""
    if act.what not in OFFERS:
        raise BadInput.one("offer: what", " or ".join(OFFERS), act.what)
    _must_lead(moment, who)
    _must_go_on(moment)
    if act.what == "rewind":
        check_target(moment.log, act.to)
    elif moment.over:
        raise Refused("", text("the game is over"))
    if act.what == "pause" and moment.table.paused:
        raise Refused("", text("the game is paused"))
    if any((offer.what, offer.side) == (act.what, who.side) for offer in moment.table.offers.values()):
        raise Refused("", text("this was offered already, and waits for an answer"))
    if not moment.table.to_answer(who.side, who.player):
        raise Refused("", text("nobody sits at the other side who could answer"))


@checks(Withdraw)
def check_withdraw(moment: Moment, act: Withdraw, who: Who) -> None:
    """Whoever speaks for the side that offered may take the offer back."""
    _must_lead(moment, who)
    if _open(moment, act.offer).side != who.side:
        raise Refused("", text("entry {offer} is no open offer of {side}", offer=act.offer, side=who.side or "nobody"))


@checks(Consent)
def check_consent(moment: Moment, act: Consent, who: Who) -> None:
    """An offer is answered by another side, once, and never by whoever made it."""
    _must_lead(moment, who)
    offer = _open(moment, act.offer)
    if offer.side == who.side:
        raise Refused("", text("entry {offer} is no open offer of the other side", offer=act.offer))
    if offer.player == who.player:
        raise Refused("", text("nobody answers his own offer"))
    if who.side in offer.yes:
        raise Refused("", text("{side} has answered", side=who.side))
    if act.yes and offer.what == "rewind":
        check_target(moment.log, offer.to)
    if act.yes and offer.what == "draw" and moment.log.pending is not None:  # whoever has all links knows its dice, if a host who plays
        raise Refused("", DECIDING)


def _open(moment: Moment, number: int) -> OpenOffer:
    offer = moment.table.offers.get(number)
    if offer is None:
        raise Refused("", text("entry {offer} is no open offer", offer=number))
    return offer


def check_target(log: Log, to: int) -> None:
    """Refuse a rewind to where the game can't go."""
    if log.pending is not None:
        raise Refused("", DECIDING)
    if to == ROOT or not 0 <= to < len(log.entries) or not log.entries[to].bears_order:
        raise Refused("", text("entry {to} has no position to go back to", to=to))
    if to == log.head:
        raise Refused("", text("the game stands at entry {to}", to=to))


@checks(Rewind)
def check_rewind(moment: Moment, act: Rewind, who: Who) -> None:
    """Going back, or forward again, is free where nobody learns or loses anything by it; else it was agreed on just now."""
    agreed = moment.table.agreed
    is_agreed = agreed is not None and (agreed.what, agreed.to) == ("rewind", act.to)
    if not (who.referee or is_agreed):
        _must_command_all(moment, who)  # before anything that tells how the game stands: it may be shown to him later
    check_target(moment.log, act.to)
    if who.referee or is_agreed:
        _must_have_time(moment.table)
        return
    _must_go_on(moment)
    if not rewind_is_free(moment, act.to, who):
        raise Refused("", text("the others must agree to go back to entry {to}", to=act.to))


def _must_have_time(table: Table) -> None:
    """Refuse to go back behind a loss on time before that side is given some: its flag would stay down, and no clock of it run."""
    out = [side for side in table.sides if side in table.clocks.fallen and table.clocks.left_ms.get(side, 0) <= 0]
    if table.ended is not None and table.terms.clock.on_flag == "lose" and out:
        raise Refused("", text("{side} has no time left: give it some, and then go back", side=out[0]))


def rewind_is_free(moment: Moment, to: int, who: Who) -> bool:
    """Say whether nobody needs to be asked: the game is one person's, or nothing was shown and nobody else acted since."""
    alone = is_alone(moment.table, who.player)
    return alone or (moment.table.lets_undo(moment.log, to, who.side) and not moment.table.paused)


def is_alone(table: Table, player: str) -> bool:
    """Say whether nobody else plays: at no seat, at none that is kept for him, and at none that he played until it was freed."""
    kept = {chair.kept_for for chair in table.chairs.values() if chair.kept_for}
    # Also whose seat was freed by the owner, until he sits there himself: else an owner frees it to throw his dice again.
    played = {other for side in table.sides if player not in table.holders(side) for other in table.played[side]}
    return table.players() | kept | played <= {player}  # who left for a while shall find the game as it was played


# -------------------------------------------------------------------- the end


@checks(Resign)
def check_resign(moment: Moment, act: Resign, who: Who) -> None:
    """A side resigns by whoever speaks for it, while there is a game to resign."""
    _must_lead(moment, who)
    if act.side != who.side:
        raise Refused("", text("{side} can't resign for {other}", side=who.side, other=act.side))
    _must_go_on(moment)
    if moment.over:
        raise Refused("", text("the game is over"))


@checks(Result)
def check_result(moment: Moment, act: Result, who: Who) -> None:
    """A referee ends a game with any result; its owner one in which no order was given, or nobody else sits or left for a while."""
    _must_go_on(moment)
    _check_words("text", act.text)
    if act.winner and act.winner not in moment.table.sides:
        raise BadInput.one("winner", " or ".join(("nobody", *moment.table.sides)), act.winner)
    if not who.referee:
        _must_own(moment, act, who)
    if not (moment.given_up and not act.winner and _never_sat(moment.table, who.player)):  # else a game that all have left waits for ever
        _must_not_know_dice(moment, who)  # at last, as of who sits down


def _must_own(moment: Moment, act: Result, who: Who) -> None:
    """Refuse whoever may not end a game as its owner."""
    if who.player != moment.table.terms.owner or not who.player or act.winner:
        _must_referee(moment, who, "end the game with a result")
    _must_act_for_none(moment, who)
    if not moment.is_set_up_only and _others_play(moment, who.player):
        words = "others play this game, or have left it for less than {days} days; only a referee may end it"
        raise Refused("", text(words, days=GONE_MS // DAY_MS))


def _others_play(moment: Moment, player: str) -> bool:
    """Say whether anybody but a game's owner plays it: also whose seat is kept, or who is not gone for long.

    Else an owner whose dice displease him ends the game while the other is away, and lets others have that one's seat before.
    """
    table = moment.table
    if not table.players() <= {player}:
        return True
    if table.version < LEADERS_WITNESS:
        return table.version >= ACTS_ARE_OF_THE_MOMENT and any(chair.kept_for not in ("", player) for chair in table.chairs.values())
    others = [chair for chair in table.chairs.values() if chair.player != player]
    return not is_alone(table, player) and not all(is_gone(chair, moment.now_ms) for chair in others)


# -------------------------------------------------------------------- clocks


@checks(Flag)
def check_flag(moment: Moment, act: Flag, who: Who) -> None:
    """A flag falls when the time is out, whoever says so first."""
    _check_side(moment.table, act.side)
    _must_go_on(moment)
    if not who.keeper:
        _must_claim(moment, who)
    fall = moment.table.next_fall()
    if fall is None or fall.side != act.side or moment.now_ms < fall.at_ms:
        raise Refused("", text("the time of {side} is not out", side=act.side))


@checks(Claim)
def check_claim(moment: Moment, act: Claim, who: Who) -> None:
    """Where a fallen flag lets the others claim the game, a side may do so when the flags of all others are down."""
    _must_claim(moment, who)
    _must_go_on(moment)
    if moment.over and moment.table.version:
        raise Refused("", text("the game is over"))
    if act.side != who.side:
        raise Refused("", text("{side} can't claim for {other}", side=who.side, other=act.side))
    up = [side for side in moment.table.sides if side != act.side and side not in moment.table.clocks.fallen]
    if moment.table.terms.clock.on_flag != "claim" or up:
        raise Refused("", text("no fallen flag gives the game to {side}", side=act.side))


@checks(Pause)
def check_pause(moment: Moment, act: Pause, who: Who) -> None:
    """A pause is agreed on or a referee's; each side may end one that was agreed on."""
    _must_go_on(moment)
    agreed = moment.table.agreed
    is_agreed = act.on and agreed is not None and agreed.what == "pause"
    if not (who.referee or is_agreed):
        _must_lead(moment, who)
    if act.on == moment.table.paused:
        raise Refused("", text("the game is paused") if act.on else text("the game is not paused"))
    if who.referee or is_agreed:
        return
    if act.on:
        raise Refused("", text("the others must agree to a pause"))
    if moment.table.ruled and may_rule(moment.table, moment.table.ruled_by):  # who plays by now can let nothing go on
        raise Refused("", text("a referee paused the game; only a referee lets it go on"))


@checks(Away)
def check_away(moment: Moment, act: Away, who: Who) -> None:
    """Only the keeper of the log knows that he was away."""
    if not who.keeper:
        raise Refused("", text("nobody may ask for that"))
    passed = moment.now_ms - moment.log.entries[-1].time_ms if moment.log.entries else 0
    if moment.table.version >= ACTS_ARE_OF_THE_MOMENT and act.ms > passed:
        raise BadInput.one("away: ms", f"at most {passed}, as have passed since the entry before", act.ms)


@checks(SetClock)
def check_set_clock(moment: Moment, act: SetClock, who: Who) -> None:
    """A referee sets clocks that there are."""
    _must_referee(moment, who, "set a clock")
    _check_side(moment.table, act.side)
    if not moment.table.clocks.are_kept:
        raise Refused("", text("this game is played without clocks"))


@checks(Referee)
def check_note(moment: Moment, act: Referee, who: Who) -> None:
    """A referee says something for the record."""
    _must_referee(moment, who, "write into the log")
    if len(act.text.template) + sum(len(name) + len(str(value)) for name, value in act.text.args.items()) > 2 * LONGEST_NOTE:
        raise BadInput.one("text", f"at most {LONGEST_NOTE} letters", "more in what they are made of")
    _check_words("text", str(act.text))


def _check_words(where: str, words: str) -> None:
    if not 0 < len(words) <= LONGEST_NOTE or not words.isprintable():
        raise BadInput.one(where, f"1 to {LONGEST_NOTE} letters that can be seen", ascii(words[:60]))


# -------------------------------------------------------------------- spectators


@checks(Admit)
def check_admit(moment: Moment, act: Admit, who: Who) -> None:
    """The owner says what spectators see; once orders were given he can only show them less, or let them be read."""
    faults = Faults()
    check_spectators(act.spectators, moment.table.sides, faults)
    faults.check()
    if who.referee:
        return
    _must_act_for_none(moment, who)
    if who.player != moment.table.terms.owner or not who.player:
        raise Refused("", text("only the owner of the game, or a referee, says what spectators see"))
    if not moment.is_set_up_only and shows_more(moment.table, act.spectators):
        raise Refused("", text("the game has begun; only a referee may show spectators more"))


def shows_more(table: Table, new: SpectatorTerms) -> bool:
    """Say whether spectators would see anything that they don't see now, or earlier."""
    old = table.spectators
    if new.view == CLOSED:
        return False
    more = new.view != old.view and (table.version < SIDES_ARE_APART or _openness(new) >= _openness(old))  # one side's is not another's
    return more or new.delay_entries < old.delay_entries or new.delay_ms < old.delay_ms


def _openness(terms: SpectatorTerms) -> int:
    """Return how much a view shows: nothing, what lies open on the table, a side's secrets besides, or all."""
    return {CLOSED: 0, TABLE: 1, OPEN: 3}.get(terms.view, 2)

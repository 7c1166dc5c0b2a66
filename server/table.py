"""Frames about what happens at the table and not in the game: seats, offers, clocks, resigning, what referee and owner do.

Each is checked by `core.table_rules.permit` and becomes an entry of the log. The same id twice does nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from core import protocol
from core.errors import BadInput, Refused
from core.log import ROOT, AnyAct, Consent, Entry, Flag, Limit, Offer, Pause, Resign, Rewind, Seat
from core.signed import signed_act, signed_undo
from core.table import SIDES_ARE_APART
from core.table_rules import DAY_MS, DECIDING, Who, check_target, follows, is_referee, permit, rewind_is_free
from core.text import text
from core.units import Side
from server import faultpoints, publishing
from server.handlers import Table, by_the_logs_numbers, in_room
from server.presence import programs_of
from server.rooms import Room
from server.sessions import Session

if TYPE_CHECKING:
    from server.service import Service

MINUTE_MS = 60_000
LEAVES_IT = "{others} plays {side} by now, and sits down there and leaves it to others himself; or a referee gives it to him"
LETS_IN = "{others} plays {side} by now, and lets somebody in by saying what a free seat commands; or a referee gives it to him"
LETS_RULE = ("referee", "owner")  # roles on the server that may act as referee at tables where they hold no seat


def who_is(room: Room, session: Session, side: str) -> Who:
    """Return who somebody is at a table; as a referee he acts for no side."""
    table = room.match.table
    rules = not side and is_referee(table, session.player, role=session.role in LETS_RULE)
    return Who(session.player, side, referee=rules, guest=session.role == protocol.SPECTATOR)


async def perform(
    room: Room, act: AnyAct, who: Who, *, order_id: str = "", signature: bytes = b"", is_left: bool = True
) -> list[Entry]:
    """Write an act down if it is allowed and signed, and what follows from it; return the new entries.

    Args:
        is_left: whether nobody is here who waits for the dice of an order.

    Raises:
        Refused, BadInput: nothing has changed, but maybe who keeps the game.
    """
    if isinstance(act, Rewind):
        room.permit_way_back()
    if who.referee or room.match.table.sides_of(who.player):
        _check_target(room, act, who)
    moment = room.moment()
    made = partial(room.match.act, act, side=_side(who), player=who.player, signature=signature)
    permit(replace(moment, given_up=moment.given_up and is_left), act, who, besides=lambda: _permit_besides(room, act, who, made))
    new = await _taken_over(room, act)
    _check_signed(room, entry := made())
    return [*new, await room.append(entry, order_id=order_id), *await carry_out(room)]


def _permit_besides(room: Room, act: AnyAct, who: Who, made: Callable[[], Entry]) -> None:
    """Refuse an act for what the log alone does not tell; and one that is not signed, where an order waits: he would be told that.

    Args:
        made: makes its entry, which the server signs.
    """
    if isinstance(act, Flag) and not who.keeper and room.gathering is not None:  # the server looks after that: see `name_for_flag`
        raise Refused("", DECIDING)
    if isinstance(act, Seat) and act.player and not (who.referee and act.player != who.player):  # nobody vouches for himself
        _permit_beside(room, act)
    room.viewers.permit(act, who.player, _side(who), by_referee=who.referee)
    if room.gathering is not None:
        _check_signed(room, made())


def _side(who: Who) -> Side:
    """Return the side for which somebody does an act: a referee and the server rule for none."""
    return "" if who.referee or who.keeper else who.side


def _check_signed(room: Room, entry: Entry) -> None:
    """Refuse an act that does not bear the signature that it needs."""
    if not _is_signed(room, entry):
        if _is_signed(room, entry, late=True):
            raise Refused("", text("the game has moved meanwhile; if you still mean it, do it again"))
        raise Refused("", text(protocol.ACT_NOT_SIGNED, player=entry.player))


def _check_target(room: Room, act: AnyAct, who: Who) -> None:
    """Refuse to go to where the game stands as far as whoever asks can tell; to agree on it, as far as all can, as all read of it."""
    if isinstance(act, Rewind | Offer):
        room.viewers.check_target(act.to, publishing.viewer(room, who.player))
    elif isinstance(act, Consent) and act.yes and (offer := room.match.table.offers.get(act.offer)) is not None:
        room.viewers.check_target(offer.to, room.viewer(""))


def _permit_beside(room: Room, act: Seat) -> None:
    """Refuse a seat beside others to who has not played their side, once orders were given, unless who leads it has let somebody in.

    Else a friend of the other side's sits down there, reads what is said and hidden, and resigns.
    """
    table = room.match.table
    kept = {chair.kept_for for chair in table.chairs.values() if chair.side == act.side}
    others = (table.holders(act.side) | kept) - {"", act.player}
    if not table.moved or not others or act.player in table.played[act.side] or _is_let_in(room, act):
        return
    if act.seat == table.first_seat(act.side).name:
        words = LEAVES_IT
    else:
        words = LETS_IN
    raise Refused("", text(words, others=" or ".join(sorted(others)), side=act.side))


def _is_let_in(room: Room, act: Seat) -> bool:
    """Say whether what was done last with a free seat, since the first order, lets somebody sit down there beside others.

    It was said what it commands: not nothing, to keep all out. Or who had it, the first of its side, has let others have it.
    """
    entries = room.match.log.entries
    for entry in reversed(entries):
        if isinstance(entry.act, Seat | Limit) and (entry.act.side, entry.act.seat) == (act.side, act.seat):
            opens = entry.act.units != () if isinstance(entry.act, Limit) else _hands_on(room, entry, entry.act)
            return opens and any(one.order for one in entries[: entry.number])
    return False


def _hands_on(room: Room, entry: Entry, act: Seat) -> bool:
    """Say whether by an entry, the last at that seat, who led a side has left that to others: nobody else does it for him."""
    table = room.match.table
    had, _ = table.vacated.get((act.side, act.seat), ("", ROOT))
    return act.seat == table.first_seat(act.side).name and entry.player == had and not table.chairs[act.side, act.seat].kept_for


async def _taken_over(room: Room, act: AnyAct) -> list[Entry]:
    """Take over, as somebody may sit down, a game that was over when this server got another key, and goes on: he signs it for that.

    Where he doesn't it stands all the same, and is told with what comes next.
    """
    sits = isinstance(act, Seat) and bool(act.player) and room.match.witnesses.signs_seats
    goes_on = room.gathering is None and room.match.outcome is None and not room.is_record
    return [await room.take_over()] if sits and goes_on and room.is_anothers else []


def _is_signed(room: Room, entry: Entry, *, late: bool = False) -> bool:
    """Say whether an act bears the signature that it needs, by the numbers of whoever does it; *late*: though the game was moved since."""
    match, act = room.match, entry.act
    if act is None:
        return True
    viewer = room.viewer(entry.player)
    if isinstance(act, Rewind):
        needed = bool(entry.side) and room.head.signs_undo
        return not needed or signed_undo(match.witnesses, match.log, entry, match.game, seen=room.viewers.undo(viewer, act))
    named, told = [room.viewers.by_his_numbers(viewer, act)], room.viewers.last_hashes(viewer, act)
    return signed_act(match.witnesses, match.log, entry, match.game, named=named, told=told, late=late)


async def carry_out(room: Room) -> list[Entry]:
    """Write down what the last entry made the sides agree on: going back, or a pause."""
    agreed, act = room.match.table.agreed, follows(room.match.table)
    if agreed is None or act is None:
        return []
    permit(room.moment(), act, Who(agreed.player, agreed.side))
    return [await room.act(act, side=agreed.side, player=agreed.player)]


async def do(service: Service, session: Session, frame: protocol.DoAct) -> None:
    """Do any act that is allowed; it is acknowledged when it is durable."""
    room = service.room(frame.game)
    async with room.lock.of(session.user):
        if room.answer_to(frame.order_id, session.player) is None:
            with by_the_logs_numbers(room, session, frame) as understood:
                new = await _done(service, room, session, understood)
            publishing.publish(service.sessions, room, new)
        faultpoints.reach("act before it is accepted")
        number = publishing.told_number(room, session.player, room.orders[frame.order_id])
        service.sessions.send(session, protocol.Accepted(frame.game, frame.order_id, number))


async def _done(service: Service, room: Room, session: Session, frame: protocol.DoAct) -> list[Entry]:
    """Do an act for whoever asked; return the new entries."""
    act, who = with_key(service, session, frame.act), who_is(room, session, frame.side)
    _permit_going_on(service, room, act, who)
    is_left = _is_left(service, room)
    return await perform(room, act, who, order_id=frame.order_id, signature=frame.signature, is_left=is_left)


def _is_left(service: Service, room: Room) -> bool:
    """Say whether nobody is here who sits at a game and has shown his link for the order that waits; or nobody of it may choose."""
    if room.gathering is None or not room.match.witnesses.may_be_chosen(room.gathering.pending.k):
        return True
    return not any(service.sessions.of(player) for player in room.gathering.shown if player in room.match.witnesses.seated)


def _permit_going_on(service: Service, room: Room, act: AnyAct, who: Who) -> None:
    """Refuse a side to end a pause that was agreed on while nobody is here of another: its time would run, and its dice be missed, unseen.

    A day after the pause began each side may. Whatever else forbids it `permit` tells.
    """
    if not _ends_agreed_pause(room, act, who):
        return
    began_ms = max(entry.time_ms for entry in room.match.log.acts() if isinstance(entry.act, Pause) and entry.act.on)
    minutes = -(-(began_ms + DAY_MS - room.now_ms()) // MINUTE_MS)
    here = programs_of(service.sessions.followers(room.stored.game))
    for side in room.match.table.sides:
        awaited = _speakers(room, side) - {who.player}
        if side != who.side and awaited and awaited.isdisjoint(here) and minutes > 0:
            words = "the pause was agreed on, and {names} of {side} is not here; you can end it alone in {hours} h and {minutes} min"
            names = " or ".join(sorted(awaited))
            raise Refused("", text(words, names=names, side=side, hours=minutes // 60, minutes=minutes % 60))


def _ends_agreed_pause(room: Room, act: AnyAct, who: Who) -> bool:
    table = room.match.table
    ends = isinstance(act, Pause) and not act.on and table.paused and table.ended is None
    return ends and not table.ruled and table.leads(who.side, who.player)


def _speakers(room: Room, side: Side) -> set[str]:
    """Return who speaks for a side, or did so and has left it for a while: whose its first seat is, else who has one without limit."""
    table = room.match.table
    first = table.first_seat(side)
    if table.version >= SIDES_ARE_APART and (leader := first.player or first.kept_for):
        return {leader}
    chairs = (chair for chair in table.chairs.values() if chair.side == side and chair.units is None)
    return {chair.player or chair.kept_for for chair in chairs} - {""}


def with_key(service: Service, session: Session, act: AnyAct) -> AnyAct:
    """Return an act as it is written down: whoever sits down does so under the key that the server knows him by."""
    if not isinstance(act, Seat):
        return act
    if not act.player:
        return replace(act, key="")
    if act.player == session.player:
        return replace(act, key=session.key)
    account = service.accounts.named(act.player)
    return replace(act, player=account.name, key=account.key)  # as he is called, however whoever gives him the seat wrote it


# -------------------------------------------------------------------- frames of one purpose


async def take_seat(room: Room, session: Session, frame: protocol.TakeSeat) -> list[Entry]:
    """Give a seat to a player; nothing if it is his, or if he names none and has one of the side: he may only have come back."""
    table = room.match.table
    if frame.side not in table.sides:
        raise BadInput.one("side", " or ".join(table.sides), frame.side)
    if not frame.seat and table.seats_of(frame.side, session.player):
        return []
    seat = _named(room, frame.side, frame.seat)
    if (chair := table.chairs.get((frame.side, seat))) and chair.player == session.player:
        return []
    signs = room.match.witnesses.signs_seats and bool(session.key)
    if signs and not frame.signature:
        raise Refused("", text("your program does not sign that you sit down, as this game wants it; a later version does"))
    act = Seat(frame.side, session.player, seat, session.key)
    return await perform(room, act, who_is(room, session, frame.side), signature=frame.signature if signs else b"")


async def leave_seat(room: Room, session: Session, frame: protocol.LeaveSeat) -> list[Entry]:
    """Free a seat."""
    held = room.match.table.seats_of(frame.side, session.player)
    seat = held[0].name if held and not frame.seat else frame.seat
    return await perform(room, Seat(frame.side, "", seat), who_is(room, session, frame.side), signature=frame.signature)


def _named(room: Room, side: str, seat: str) -> str:
    """Return the seat that is meant: where none of an empty name is, the first that is free."""
    table = room.match.table
    if (side, seat) in table.chairs or seat:
        return seat
    free = (chair.name for chair in table.chairs.values() if chair.side == side and not chair.player)
    return next(free, table.first_seat(side).name)


async def ask_rewind(room: Room, session: Session, frame: protocol.AskRewind) -> list[Entry]:
    """Rewind at once where that is free; else offer it to the others."""
    room.permit_way_back()
    who, moment = who_is(room, session, frame.side), room.moment()
    if not (who.referee or moment.table.seats_of(frame.side, session.player)):
        return await perform(room, Rewind(frame.to), who)  # is refused, and tells him nothing of where the game stands
    room.viewers.check_target(frame.to, publishing.viewer(room, session.player))
    check_target(moment.log, frame.to)
    free = rewind_is_free(moment, frame.to, who) and room.viewers.lets_undo(session.player, frame.side)
    if who.referee or free:
        return await perform(room, Rewind(frame.to), who, signature=frame.undo)
    if frame.undo and not frame.signature:
        raise Refused("", text("that is not free any more: the others have acted since; ask again, and they are asked"))
    return await perform(room, Offer("rewind", frame.to), who, signature=frame.signature)


async def answer(room: Room, session: Session, frame: protocol.Answer) -> list[Entry]:
    """Take an answer to an offer."""
    return await perform(room, Consent(frame.offer, frame.yes), who_is(room, session, frame.side), signature=frame.signature)


async def give_up(room: Room, session: Session, frame: protocol.GiveUp) -> list[Entry]:
    """Let a side resign."""
    return await perform(room, Resign(frame.side), who_is(room, session, frame.side), signature=frame.signature)


HANDLERS: Table = {
    protocol.DoAct: do,
    protocol.TakeSeat: in_room(take_seat),
    protocol.LeaveSeat: in_room(leave_seat),
    protocol.AskRewind: in_room(ask_rewind),
    protocol.Answer: in_room(answer),
    protocol.GiveUp: in_room(give_up),
}

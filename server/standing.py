"""Answers given ahead: an order for a decision of a named kind, kept by the server until that decision comes up for the side.

Nobody but the side learns that there is one. When it is used it becomes an ordinary entry, signed by whoever gave it. If the order is not
allowed at that moment, or its time is over, or the game went back over what it did, it is dropped and its side is told.
"""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING

from core import protocol
from core.errors import BadInput, Refused
from core.identity import ahead_message, standing_message, with_number
from core.log import Entry, Log, Rewind
from core.orders import name_of, units_of
from core.table import taken_back
from core.table_rules import permit_order
from core.text import Text, text
from core.units import Side
from server import faultpoints, publishing
from server.rooms import Room
from server.sessions import Session
from server.store.contract import Standing
from server.store.durable import durable

if TYPE_CHECKING:
    from server.handlers import Table
    from server.service import Service

ID_BYTES = 16
MOST_IN_A_ROW = 50  # answers used one after another, before others may act again
logger = logging.getLogger("rasputitsa.server")


# -------------------------------------------------------------------- keeping


def answers(room: Room) -> dict[tuple[Side, str], Standing]:
    """Return all answers of a game by side and decision."""
    if room.answers is None:
        room.answers = room.store.answers(room.match.game)
    return room.answers


def kept(room: Room, side: Side) -> dict[str, Standing]:
    """Return the answers of a side by decision."""
    return {decision: answer for (one, decision), answer in answers(room).items() if one == side}


async def _keep(room: Room, side: Side, decision: str, answer: Standing | None, *, asked: tuple[str, str] | None = None) -> None:
    """Keep an answer in the place of an earlier one, or forget it; *asked*: by which player, under which id."""
    await durable(room.store.keep_answer(room.match.game, side, decision, answer, asked=asked))
    room.answers = None  # to be read again


# -------------------------------------------------------------------- using


async def use(service: Service, room: Room) -> list[Entry]:
    """Answer the decision that the game waits for, if that was done ahead, and those that follow; return the new entries."""
    new: list[Entry] = []
    for _ in range(MOST_IN_A_ROW):
        some = await _use_one(service, room)
        if not some:
            break
        new += some
    return new


def is_due(room: Room) -> bool:
    """Say whether the decision that the game waits for was answered ahead."""
    return _due(room) is not None


def _due(room: Room) -> tuple[Side, str, Standing] | None:
    """Return side, name and answer of the decision that the game waits for; None if it has no answer, or no order can be decided now."""
    if room.gathering is not None or not answers(room) or room.match.outcome is not None:
        return None
    side, (decision, _) = room.match.view.side_to_act(), room.match.awaited()
    answer = answers(room).get((side, decision))
    if answer is None or room.match.witnesses.refusal(answer.player) is not None:
        return None
    return side, decision, answer


async def _use_one(service: Service, room: Room) -> list[Entry]:
    match, due = room.match, _due(room)
    if due is None:
        return []
    side, decision, answer = due
    if 0 <= answer.turn < match.view.position.turn:
        why = text("the answer to {decision} was for turn {turn}", decision=decision, turn=answer.turn)
        await _drop(service, room, side, decision, why)
        return []
    if _went_back_over(match.log, answer):
        why = text("the game went back over what the answer to {decision} did: whoever did that decides anew", decision=decision)
        await _drop(service, room, side, decision, why)
        return []
    order_id = secrets.token_hex(ID_BYTES)  # one answer may be used many times; an id that could be foreseen could be taken by an act
    try:
        order = match.codec.decode(answer.order)
        permit_order(room.moment(), side, answer.player, units_of(order))
        return await room.order(side, order, player=answer.player, order_id=order_id, signature=_signature(room, answer))
    except (Refused, BadInput) as error:
        if match.table.paused:
            return []  # it keeps for later
        why = text("the answer to {decision} could not be used: {why}", decision=decision, why=str(error))
        await _drop(service, room, side, decision, why)
        return []


def _went_back_over(log: Log, answer: Standing) -> bool:
    """Say whether the game stands where it does as somebody took back what an answer did: it would do that again in the same moment."""
    last = log.entries[log.moved_at]
    if not isinstance(last.act, Rewind):
        return False
    back = taken_back(log, last.act.to, last.parent)
    return any((entry.player, entry.order) == (answer.player, answer.order) for entry in back)


def _signature(room: Room, answer: Standing) -> bytes:
    """Return the signature of an answer as it stands in its entry."""
    is_bound = room.match.witnesses.bounds_answers and answer.signature
    return with_number(answer.signature, answer.turn) if is_bound else answer.signature


async def _drop(service: Service, room: Room, side: Side, decision: str, why: Text) -> None:
    await _keep(room, side, decision, None)
    publishing.publish(service.sessions, room)  # where it was used before: else whose it was takes that for a use of what was dropped
    for player in room.match.table.holders(side):
        for session in service.sessions.of(player):
            service.sessions.send(session, listed(room, side, dropped=why))


def listed(room: Room, side: Side, *, dropped: Text | None = None) -> protocol.Answers:
    """Return what a side is told of its answers."""
    answers = kept(room, side)
    shown = tuple(protocol.KeptAnswer(name, one.player, one.order, one.turn) for name, one in answers.items())
    return protocol.Answers(room.match.game, side, shown, dropped)


# -------------------------------------------------------------------- frames


async def answer_ahead(service: Service, session: Session, frame: protocol.AnswerAhead) -> None:
    """Keep an answer; it is acknowledged when it is durable, and used at once if its decision is open."""
    room = service.room(frame.game)
    async with room.lock.of(session.user):
        if not _was_done(room, session, frame):
            _check(room, session, frame)
            answer = Standing(frame.order_id, session.player, frame.order, frame.turn, frame.signature)
            await _keep(room, frame.side, frame.decision, answer, asked=(session.player, frame.order_id))
        faultpoints.reach("after answer ahead")
        _acknowledge(service, room, session, frame)
        room.stirred()


def _was_done(room: Room, session: Session, frame: protocol.AnswerAhead | protocol.Revoke) -> bool:
    """Say whether a frame has come before: what comes twice must not bring back an answer that was taken back in between.

    That is asked of the store: the signature of an answer holds for as long as the game, over any restart.
    """
    return room.store.was_asked(room.match.game, session.player, frame.order_id)


def _acknowledge(service: Service, room: Room, session: Session, frame: protocol.AnswerAhead | protocol.Revoke) -> None:
    service.sessions.send(session, protocol.Accepted(frame.game, frame.order_id, -1))
    service.sessions.send(session, listed(room, frame.side))


def _check(room: Room, session: Session, frame: protocol.AnswerAhead) -> None:
    match, decisions = room.match, room.match.setting.ruleset.decisions
    order = match.codec.decode(frame.order)
    permit_order(room.moment(), frame.side, session.player, units_of(order))
    if frame.decision not in decisions:
        raise BadInput.one("decision", "one of " + ", ".join(sorted(decisions)), frame.decision)
    if name_of(order) not in decisions[frame.decision].orders:
        wanted = " or ".join(decisions[frame.decision].orders)
        raise BadInput.one("order", f"an answer to {frame.decision}: {wanted}", name_of(order))
    key = match.witnesses.key(session.player)
    if not key:
        return
    began = match.log.entries[0].hash
    signed = standing_message(match.game, began, frame.side, frame.order)
    if match.witnesses.bounds_answers:
        signed = ahead_message(match.game, began, frame.side, frame.decision, frame.turn, frame.order)
    room.check_signature(frame, order, signed, player=session.player, key=key)


async def revoke(service: Service, session: Session, frame: protocol.Revoke) -> None:
    """Forget an answer; whoever gave it may, and whoever speaks for the side."""
    room = service.room(frame.game)
    async with room.lock.of(session.user):
        _must_sit(room, session, frame.side)
        if not _was_done(room, session, frame):
            _must_have_say(room, session, frame)
            await _keep(room, frame.side, frame.decision, None, asked=(session.player, frame.order_id))
        _acknowledge(service, room, session, frame)


async def list_answers(service: Service, session: Session, frame: protocol.ListAnswers) -> None:
    """Tell somebody his side's answers."""
    room = service.room(frame.game)
    async with room.lock.of(session.user):  # not between the use of an answer and its telling
        _must_sit(room, session, frame.side)
        service.sessions.send(session, listed(room, frame.side))


def _must_sit(room: Room, session: Session, side: str) -> None:
    table = room.match.table
    if side not in table.sides:
        raise BadInput.one("side", " or ".join(table.sides), side)
    if session.player not in table.holders(side):
        raise Refused("", text("only who sits at {side} sees its answers", side=side))


def _must_have_say(room: Room, session: Session, frame: protocol.Revoke) -> None:
    """Refuse to take back what another gave to whoever does not speak for the side, such as who only looks on from his seat."""
    answer = kept(room, frame.side).get(frame.decision)
    if answer is not None and answer.player != session.player and not room.match.table.leads(frame.side, session.player):
        raise Refused("", text("only {player}, or a seat without limit, takes that answer back", player=answer.player))


HANDLERS: Table = {
    protocol.AnswerAhead: answer_ahead,
    protocol.Revoke: revoke,
    protocol.ListAnswers: list_answers,
}

"""What Anna and her friends do at the table: they sign what they like. Each move bears the words by which it is told, and asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from core import identity
from core.errors import BadInput, Refused
from core.log import (
    Admit,
    AnyAct,
    ChainPublished,
    Claim,
    Consent,
    Fallback,
    Flag,
    Limit,
    Offer,
    Pause,
    Resign,
    Result,
    Rewind,
    Seat,
    SetClock,
    Withdraw,
)
from core.signed import fallback_signature
from core.table_rules import Moment, Who, permit
from core.terms import CLOSED, SpectatorTerms
from core.units import Side
from core.witnesses import CLAIM, UNWITNESSED
from tests.adversary.state import State
from tests.adversary.table import ANEW, ANNA, BLUE, DORAS, GAME, RED, SECOND, key_of
from tests.toy.witnessed import WAIT_MS

Make = Callable[[], State]
Moves = Iterator[tuple[str, Make]]


def named(act: AnyAct) -> str:
    """Return an act in a few words."""
    match act:
        case Seat(player=""):
            return f"{act.side} {act.seat}".strip() + " is left"
        case Seat():
            return f"{act.side} {act.seat}".strip() + f" is taken by {act.player}"
        case Limit():
            return f"limit {act.side} {act.seat} to {'all' if act.units is None else len(act.units)}"
        case Offer() | Rewind():
            return f"{getattr(act, 'what', 'goes back')}{f' to {act.to}' if act.to >= 0 else ''}"
        case Consent():
            return f"{'yes' if act.yes else 'no'} to {act.offer}"
        case Withdraw():
            return f"withdraws {act.offer}"
        case Resign() | Flag() | Claim():
            return f"{type(act).__name__.lower()} {act.side}"
        case Pause():
            return "pause" if act.on else "goes on"
        case Result():
            return f"result {act.winner or 'nobody'}"
        case _:
            return type(act).__name__.lower()


def by_a_friend(state: State, name: str) -> Moves:
    table = state.match.table
    for chair in table.chairs.values():
        if not chair.player:
            yield from act_of(state, Seat(chair.side, name, chair.name, key=key_of(name).key), chair.side, name)
        yield from act_of(state, Seat(chair.side, "", chair.name), chair.side if chair.player == name else "", name)
    for side in sorted(state.match.witnesses.sides_of(name)):
        for act in for_side(state, side):
            yield from act_of(state, act, side, name)
        yield from _choices(state, side, name)
        for to in places(state):
            yield f"{name}: {named(Rewind(to))}", partial(_gone_back, state, Rewind(to), side, name)
    if name == ANNA and not table.first_seat(RED).player and state.signer(ANNA) is not key_of(ANEW):
        yield "Anna sits down anew", partial(_anew, state)
    if name in (ANNA, state.stage.head.terms.owner):
        yield from ((f"{name} as referee: {named(Rewind(to))}", partial(_gone_back, state, Rewind(to), "", name)) for to in places(state))
        yield from act_of(state, Result("", "enough"), "", name)
        yield from act_of(state, Result(RED, "enough"), "", name)
        yield from act_of(state, Admit(SpectatorTerms(CLOSED)), "", name)
        yield from act_of(state, SetClock(BLUE, 0), "", name)


def _anew(state: State) -> State:
    """Return the state after Anna sat down again under another key, and published another chain."""
    chain = state.stage.chains[ANEW]
    after = state.write(Seat(RED, ANNA, key=key_of(ANEW).key), side=RED, player=ANNA)
    return after.write(ChainPublished(ANNA, chain.end, chain.links), player=ANNA)


def for_side(state: State, side: Side) -> Iterator[AnyAct]:
    """Yield the acts for a side that its players sign, but for leaving."""
    yield from _offers(state)
    for number in state.match.table.offers:
        yield from (Consent(number, True), Consent(number, False), Withdraw(number))
    yield from (Pause(True), Pause(False), Claim(side), *([Resign(side)] if side == BLUE else []))
    yield from (Limit(side, SECOND, units) for units in (None, (), DORAS) if (side, SECOND) in state.match.table.chairs)


def _offers(state: State) -> Iterator[Offer]:
    yield from (Offer("draw"), Offer("pause"), *(Offer("rewind", to) for to in places(state)))


def places(state: State) -> Iterator[int]:
    """Yield where one could go back to, or forward again."""
    ways = (state.stage.start, state.stage.earlier, state.log.forward())
    yield from sorted({to for to in ways if to is not None and to not in (-1, state.log.head)})


def _gone_back(state: State, act: Rewind, side: Side, name: str) -> State:
    moved = state.log.moved_at
    message = identity.undo_message(GAME, side, moved, state.match.hash_of(moved), act.to)
    return state.write(act, side=side, player=name, signature=state.signer(name).sign(message))


def _choices(state: State, side: Side, name: str) -> Moves:
    """Yield what somebody may choose about the links of the order that waits."""
    pending = state.waiting
    for late in sorted(state.match.witnesses.late_for(state.log.k + 1)) if pending is not None else ():
        for choice in (UNWITNESSED, CLAIM):
            yield f"{name}: {choice} about {late} for {side}", partial(chosen, state, side, name, late, choice)


def chosen(state: State, side: Side, name: str, late: str, choice: str) -> State:
    pending = state.waiting
    assert pending is not None, "no order waits"
    act = Fallback(late, pending.k, choice, pending.digest())
    signature = fallback_signature(state.match.witnesses, state.signer(name).sign, GAME, act, number=len(state.log))
    return state.write(act, side=side, player=name, signature=signature)


def act_of(state: State, act: AnyAct, side: Side = "", player: str = "") -> Moves:
    """Yield an act, if the rules of the table let it be done, if only by a referee: what they refuse `verify` finds."""
    if may(state, act, side, player):
        yield f"{player or 'server'}: {named(act)}", partial(state.write, act, side=side, player=player)


def may(state: State, act: AnyAct, side: Side, player: str) -> bool:
    """Say whether somebody may do something now, if only as a referee who sits nowhere."""
    table = state.match.table
    who = Who(player, side, keeper=not player, referee=not side and bool(player) and player not in table.players())
    given_up = state.match.witnesses.is_given_up(state.log.k + 1, now_ms=state.now_ms, wait_ms=WAIT_MS)
    moment = Moment(table, state.log, state.match.view.position.outcome is not None, state.now_ms, given_up)
    for one in (who, Who(player, side, keeper=not player)):
        try:
            permit(moment, act, one)
        except (Refused, BadInput):
            continue
        return True
    return False

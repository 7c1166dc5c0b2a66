"""All that can be done at a moment: by Anna and her friends, who sign what they like, by her server, and by Boris, who is honest.

What Boris signs the host may write at once, or keep and write later. Each move bears the words by which it is told, and asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from core import identity
from core.identity import takeover_message
from core.log import (
    Admit,
    AnyAct,
    Away,
    Claim,
    Consent,
    Fallback,
    Flag,
    Late,
    Limit,
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
from core.table_rules import follows
from core.terms import CLOSED, SpectatorTerms
from core.trials.verify_table import why_not
from core.units import Side
from core.witnesses import CLAIM, SERVER, UNWITNESSED
from tests.adversary.state import Kept, State, Written
from tests.adversary.table import ANNA, BLUE, BORIS, DORAS, GAME, LINKS, RED, SECOND, SERVER_KEY, key_of, some
from tests.toy.witnessed import WAIT_MS

Make = Callable[[], State]
Moves = Iterator[tuple[str, Make]]
MOST_KEPT = 1  # acts of Boris' in the host's hand at once


def moves(state: State) -> Moves:
    """Yield what can be done now, right or wrong: its words, and what makes the state after it, or raises Caught."""
    yield from _at_the_dice(state)
    yield from _by_the_server(state)
    for name in state.stage.friends:
        yield from _by_a_friend(state, name)
    yield from _by_boris(state)
    yield from _kept(state)


def done(state: State, words: str) -> State:
    """Return the state after the move of these words.

    Raises:
        Caught: it is told or found. LookupError: there is no such move.
    """
    for known, make in moves(state):
        if known == words:
            return make()
    raise LookupError(f"no move {words!r} after {' | '.join(state.trail) or 'nothing'}")


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


# -------------------------------------------------------------------- dice


def _at_the_dice(state: State) -> Moves:
    pending, view = state.waiting, state.match.view
    side = view.side_to_act()
    if pending is None and side and state.match.table.ended is None:
        order = some(view, "end") or some(view, "pay")
        for name in (*state.stage.friends, BORIS):
            if name in state.match.table.holders(side):
                if state.log.head == state.stage.start:
                    yield from _strikes(state, name)
                if order is not None:
                    yield f"{name} plays on", partial(state.order, order, name)
    if pending is None:
        return
    yield "the order is dropped", partial(_dropped, state)
    links = state.links(pending)
    asked = state.match.witnesses_after(pending.before).participants
    if BORIS in asked and BORIS not in links:
        yield "Boris is asked", state.ask
    if len(links) == len(asked):
        yield "finished", partial(state.finish, links)
    # The links of all others are checked: what is tried is whether they can be done without.
    for name in sorted({*state.match.witnesses.late_for(pending.k), *(set(asked) - set(links))}):
        yield f"finished without {name}", partial(state.finish, {one: link for one, link in links.items() if one != name})


def _strikes(state: State, name: str) -> Moves:
    """Yield the order that needs a die; also as if it had begun to wait when other links were asked for."""
    yield f"{name} strikes", partial(state.order, state.stage.strike, name)
    asked, entries = {state.match.witnesses.participants}, state.log.entries
    for number in range(len(entries) - 1, max(state.log.moved_at, 0), -1):
        then = state.match.witnesses_after(entries[number].hash)
        if then.participants not in asked and then.refusal(name) is None:
            asked.add(then.participants)
            yield f"{name} strikes, dated back to {number}", partial(state.order, state.stage.strike, name, before=entries[number].hash)


def _dropped(state: State) -> State:
    after = state.later()
    after.waiting = None
    return after


# -------------------------------------------------------------------- whoever keeps the log


def _by_the_server(state: State) -> Moves:
    if state.now_ms < 2 * WAIT_MS:
        yield "time passes", partial(_passed, state)
    table, pending = state.match.table, state.waiting
    for side in (RED, BLUE):
        yield from _act(state, Flag(side))
    yield from _act(state, Away(WAIT_MS))
    yield "taken over", partial(_taken_over, state)
    then, agreed = follows(table), table.agreed
    if then is not None and agreed is not None:
        yield f"so {named(then)}", partial(state.write, then, side=agreed.side, player=agreed.player)
    for name in state.match.witnesses_after(pending.before).participants if pending is not None else ():
        if name != SERVER:
            late = name in state.match.witnesses.late_for(state.log.k + 1)
            yield f"{name} is {'no more ' if late else ''}late", partial(state.write, Late(name, state.log.k + 1, 0, came=late))
    for chair in table.chairs.values():
        if not chair.player:
            act = Seat(chair.side, BORIS, chair.name, key=key_of(BORIS).key)
            yield f"unasked, {named(act)}", partial(_forced, state, act)


def _passed(state: State) -> State:
    after = state.later(now_ms=state.now_ms + WAIT_MS)
    record, witnesses = state.record, state.match.witnesses
    if record is None or state.match.table.on_clock() != BLUE:
        return after
    late = any(BLUE in witnesses.sides_about(name) for name in witnesses.late_for(record.k) - {BORIS})
    if not late and (record.side == BLUE or BORIS in witnesses.seated):  # else blue keeps others waiting, or has nobody there
        after.stolen_ms += WAIT_MS
    return after


def _taken_over(state: State) -> State:
    bare = TakenOver(SERVER_KEY.key, state.stage.other_chain.end, LINKS)
    return state.write(bare, signature=SERVER_KEY.sign(takeover_message(GAME, state.log.last_hash, bare.end, bare.links)))


def _forced(state: State, act: Seat) -> State:
    after = state.write(act, side=act.side, player=BORIS)
    after.forced = state.forced | {len(state.log)}
    return after


# -------------------------------------------------------------------- Anna and her friends


def _by_a_friend(state: State, name: str) -> Moves:
    table = state.match.table
    for chair in table.chairs.values():
        if not chair.player:
            yield from _act(state, Seat(chair.side, name, chair.name, key=key_of(name).key), chair.side, name)
        yield from _act(state, Seat(chair.side, "", chair.name), chair.side if chair.player == name else "", name)
    for side in sorted(state.match.witnesses.sides_of(name)):
        for act in _for_side(state, side):
            yield from _act(state, act, side, name)
        yield from _choices(state, side, name)
        for to in _places(state):
            yield f"{name}: {named(Rewind(to))}", partial(_gone_back, state, Rewind(to), side, name)
    if name in (ANNA, state.stage.head.terms.owner):
        yield from _act(state, Result("", "enough"), "", name)
        yield from _act(state, Result(RED, "enough"), "", name)
        yield from _act(state, Admit(SpectatorTerms(CLOSED)), "", name)
        yield from _act(state, SetClock(BLUE, 0), "", name)


def _for_side(state: State, side: Side) -> Iterator[AnyAct]:
    """Yield the acts for a side that its players sign, but for leaving."""
    yield from _offers(state)
    for number in state.match.table.offers:
        yield from (Consent(number, True), Consent(number, False), Withdraw(number))
    yield from (Pause(True), Pause(False), Claim(side), *([Resign(side)] if side == BLUE else []))
    yield from (Limit(side, SECOND, units) for units in (None, (), DORAS) if (side, SECOND) in state.match.table.chairs)


def _offers(state: State) -> Iterator[Offer]:
    yield from (Offer("draw"), Offer("pause"), *(Offer("rewind", to) for to in _places(state)))


def _places(state: State) -> Iterator[int]:
    """Yield where one could go back to, or forward again."""
    ways = (state.stage.start, state.stage.earlier, state.log.forward())
    yield from sorted({to for to in ways if to is not None and to not in (-1, state.log.head)})


def _gone_back(state: State, act: Rewind, side: Side, name: str) -> State:
    moved = state.log.moved_at
    message = identity.undo_message(GAME, side, moved, state.match.hash_of(moved), act.to)
    return state.write(act, side=side, player=name, signature=key_of(name).sign(message))


def _choices(state: State, side: Side, name: str) -> Moves:
    """Yield what somebody may choose about the links of the order that waits."""
    pending = state.waiting
    for late in sorted(state.match.witnesses.late_for(state.log.k + 1)) if pending is not None else ():
        for choice in (UNWITNESSED, CLAIM):
            yield f"{name}: {choice} about {late} for {side}", partial(_chosen, state, side, name, late, choice)


def _chosen(state: State, side: Side, name: str, late: str, choice: str) -> State:
    pending = state.waiting
    assert pending is not None, "no order waits"
    message = identity.fallback_message(GAME, pending.k, pending.digest(), late, choice)
    act = Fallback(late, pending.k, choice, pending.digest())
    return state.write(act, side=side, player=name, signature=key_of(name).sign(message))


def _act(state: State, act: AnyAct, side: Side = "", player: str = "") -> Moves:
    """Yield an act, if the rules of the table let it be done: what they refuse `verify` finds."""
    entry = state.log.seal(time_ms=state.now_ms, side=side, player=player, act=act)
    if not why_not(state.match.table, state.log, entry, hosted=True):
        yield f"{player or 'server'}: {named(act)}", partial(state.write, act, side=side, player=player)


# -------------------------------------------------------------------- Boris


def _by_boris(state: State) -> Moves:
    for side in sorted(state.match.witnesses.sides_of(BORIS)):
        for act in _for_side(state, side):
            if not (isinstance(act, Offer) and any(isinstance(one.act, Offer) for one in state.kept)):
                yield from _signs(state, act, side)
        for name in sorted(state.match.witnesses.late_for(state.log.k + 1) - {BORIS}) if state.waiting is not None else ():
            yield f"Boris: {UNWITNESSED} about {name} for {side}", partial(_chosen, state, side, BORIS, name, UNWITNESSED)
    for chair in state.match.table.chairs.values():
        if BORIS in (chair.player, chair.kept_for):
            yield from _signs(state, Seat(chair.side, "", chair.name), chair.side)
        if not chair.player and chair.side == BLUE:
            act = Seat(chair.side, BORIS, chair.name, key=key_of(BORIS).key)
            yield from _act(state, act, chair.side, BORIS)


def _signs(state: State, act: AnyAct, side: Side) -> Moves:
    """Yield that Boris does something which his program lets him do, and the host writes it down or keeps it."""
    entry = state.log.seal(time_ms=state.now_ms, side=side, player=BORIS, act=act)
    if why_not(state.match.table, state.log, entry, hosted=True):
        return
    message = identity.act_then_message(GAME, state.log.last_hash, side, act)
    kept = Kept(act, side, key_of(BORIS).sign(message), state.known)
    yield f"Boris: {named(act)}", partial(_written, state, kept)
    if len(state.kept) < MOST_KEPT:
        yield f"Boris: {named(act)}, kept back", partial(_put_by, state, kept)


def _put_by(state: State, kept: Kept) -> State:
    after = state.later()
    after.kept = (*state.kept, kept)
    return after


def _kept(state: State) -> Moves:
    for kept in state.kept:
        yield f"written at last: {named(kept.act)}", partial(_written, state, kept)
    for number in state.knew:
        entry = state.log.entries[number]
        assert entry.act is not None, "Boris signed no act"
        again = partial(state.write, entry.act, side=entry.side, player=BORIS, signature=entry.signature)
        yield f"written again: {named(entry.act)}", again


def _written(state: State, kept: Kept) -> State:
    after = state.write(kept.act, side=kept.side, player=BORIS, signature=kept.signature)
    after.kept = tuple(one for one in state.kept if one != kept)
    after.knew = {**state.knew, len(state.log): Written(kept.signed, state.known)}
    return after

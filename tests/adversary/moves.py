"""All that can be done at a moment: with the order that waits, by Anna's server, by her and her friends, and by Boris."""

from __future__ import annotations

from functools import partial

from core.identity import takeover_message
from core.log import Away, Flag, Late, Result, Seat, TakenOver
from core.table_rules import follows
from core.witnesses import SERVER
from tests.adversary.acts import Moves, act_of, by_a_friend, named
from tests.adversary.boris import by_boris, of_kept
from tests.adversary.state import State
from tests.adversary.table import BLUE, BORIS, GAME, LINKS, RED, SERVER_KEY, key_of, some
from tests.toy.witnessed import WAIT_MS


def moves(state: State) -> Moves:
    """Yield what can be done now, right or wrong: its words, and what makes the state after it, or raises Caught."""
    yield from _at_the_dice(state)
    yield from _by_the_server(state)
    for name in state.stage.friends:
        yield from by_a_friend(state, name)
    yield from by_boris(state)
    yield from of_kept(state)


def done(state: State, words: str) -> State:
    """Return the state after the move of these words.

    Raises:
        Caught: it is told or found. LookupError: there is no such move.
    """
    for known, make in moves(state):
        if known == words:
            return make()
    raise LookupError(f"no move {words!r} after {' | '.join(state.trail) or 'nothing'}")


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
    if state.log.k:
        yield "the game is cut back", state.cut_back
    if state.now_ms < 2 * WAIT_MS:
        yield "time passes", partial(_passed, state)
    table, pending = state.match.table, state.waiting
    for side in (RED, BLUE):
        yield from act_of(state, Flag(side))
    yield from act_of(state, Away(WAIT_MS))
    yield "taken over", partial(_taken_over, state)
    then, agreed = follows(table), table.agreed
    if then is not None and agreed is not None:
        yield f"so {named(then)}", partial(state.write, then, side=agreed.side, player=agreed.player)
    for name in state.match.witnesses_after(pending.before).participants if pending is not None else ():
        if name != SERVER:
            late = name in state.match.witnesses.late_for(state.log.k + 1)
            waits = pending if state.match.witnesses.names_records and not late else None
            act = Late(name, state.log.k + 1, 0, came=late, waits=waits)
            yield f"{name} is {'no more ' if late else ''}late", partial(state.write, act)
    for chair in table.chairs.values():
        if not chair.player:
            act = Seat(chair.side, BORIS, chair.name, key=key_of(BORIS).key)
            yield f"unasked, {named(act)}", partial(_forced, state, act)
    if state.stage.head.terms.owner == BORIS:  # what he does for no side nobody signs
        acts = (Result("", "enough"), *(Seat(chair.side, "", chair.name) for chair in table.chairs.values()))
        yield from ((f"forged, {words}", make) for act in acts for words, make in act_of(state, act, "", BORIS))


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

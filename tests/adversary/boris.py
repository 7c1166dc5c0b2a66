"""What Boris does at the table: he is honest. What his program lets him sign the host writes down at once, or keeps back."""

from __future__ import annotations

from functools import partial

from core.log import AnyAct, Offer, Seat
from core.signed import moment_message
from core.units import Side
from core.witnesses import UNWITNESSED
from tests.adversary.acts import Moves, chosen, for_side, may, named
from tests.adversary.state import Kept, State, Written
from tests.adversary.table import BLUE, BORIS, GAME, key_of

MOST_KEPT = 1  # acts in the host's hand at once


def by_boris(state: State) -> Moves:
    for side in sorted(state.match.witnesses.sides_of(BORIS)):
        for act in for_side(state, side):
            if not (isinstance(act, Offer) and any(isinstance(one.act, Offer) for one in state.kept)):
                yield from _signs(state, act, side)
        for name in sorted(state.match.witnesses.late_for(state.log.k + 1) - {BORIS}) if state.waiting is not None else ():
            yield f"Boris: {UNWITNESSED} about {name} for {side}", partial(chosen, state, side, BORIS, name, UNWITNESSED)
    for chair in state.match.table.chairs.values():
        if BORIS in (chair.player, chair.kept_for):
            yield from _signs(state, Seat(chair.side, "", chair.name), chair.side)
        if not chair.player and chair.side == BLUE:
            yield from _signs(state, Seat(chair.side, BORIS, chair.name, key=key_of(BORIS).key), chair.side)


def _signs(state: State, act: AnyAct, side: Side) -> Moves:
    """Yield that Boris does something which his program lets him do, and the host writes it down or keeps it."""
    if not may(state, act, side, BORIS):
        return
    if isinstance(act, Seat) and act.player:
        signature = state.sits(act)
    else:
        message = moment_message(state.match.witnesses, act, BORIS)
        signature = key_of(BORIS).sign(message(GAME, state.log.last_hash, side, act))
    kept = Kept(act, side, signature, state.known)
    yield f"Boris: {named(act)}", partial(_written, state, kept)
    if len(state.kept) < MOST_KEPT:
        yield f"Boris: {named(act)}, kept back", partial(_put_by, state, kept)


def _put_by(state: State, kept: Kept) -> State:
    after = state.later()
    after.kept = (*state.kept, kept)
    return after


def of_kept(state: State) -> Moves:
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

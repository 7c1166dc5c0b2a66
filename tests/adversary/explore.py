"""Goes through all that a hostile host can bring about from a base, breadth first, and keeps what was neither told nor found."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from core.log import Pending
from core.table import VERSION
from tests.adversary.acts import Make
from tests.adversary.bases import begin_at
from tests.adversary.invariants import broken
from tests.adversary.moves import done, moves
from tests.adversary.state import Caught, State, findings
from tests.adversary.table import ANNA


class Hole(NamedTuple):
    """What a host brought about unseen, from which base, and by what."""

    base: str
    what: str
    trail: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.base or 'nothing'}: {self.what}\n    {' | '.join(self.trail)}"


def explore(base: str, *, depth: int, version: int = VERSION) -> Iterator[Hole | int]:
    """Yield the holes that are found so many moves deep, each kind once, and how many states were gone through at each depth.

    Nothing behind a hole is gone through.
    """
    start = begin_at(base, version=version)
    seen, edge, told = {key(start)}, [start], set()
    for _ in range(depth):
        found: list[State] = []
        for after, what in _beyond(edge):
            if not what and (mark := key(after)) not in seen:
                seen.add(mark)
                found.append(after)
            elif what and what not in told:
                told.add(what)
                yield Hole(base, what, after.trail)
        edge = found
        yield len(seen)


def holes(base: str, *, depth: int, version: int = VERSION) -> Iterator[Hole]:
    """Yield the holes alone."""
    yield from (found for found in explore(base, depth=depth, version=version) if isinstance(found, Hole))


def walk(base: str, rng: random.Random, *, length: int, version: int = VERSION) -> Hole | None:
    """Go one way of so many moves by chance, further than all can be gone; return what hole it met, its way made short."""
    for state, what in wander(base, rng, length=length, version=version):
        if what:
            return Hole(base, what, _shortened(base, state.trail, what, version))
    return None


def wander(base: str, rng: random.Random, *, length: int, version: int = VERSION) -> Iterator[tuple[State, str]]:
    """Yield the silent states of one way by chance, each with what must not be, empty where all is well."""
    state = begin_at(base, version=version)
    for _ in range(length):
        ways = list(moves(state))
        rng.shuffle(ways)
        found = next(_taken(state, ways), None)
        if found is None:
            return
        yield found
        state = found[0]


def _shortened(base: str, trail: tuple[str, ...], what: str, version: int) -> tuple[str, ...]:
    """Return a way without the moves that it does not need."""
    for left_out in range(len(trail)):
        shorter = trail[:left_out] + trail[left_out + 1 :]
        if _leads_to(base, shorter, version) == what:
            return _shortened(base, shorter, what, version)
    return trail


def _leads_to(base: str, trail: tuple[str, ...], version: int) -> str:
    """Return what must not be at the end of a way, empty where all is well, it is told, or there is no such way."""
    state, what = begin_at(base, version=version), ""
    for words in trail:
        try:
            after = done(state, words)
        except (Caught, LookupError):
            return ""
        state, what = after, next(broken(state, after), "")
    return what


def _beyond(edge: Iterable[State]) -> Iterator[tuple[State, str]]:
    """Yield the silent states one move further, each with what must not be, empty where all is well."""
    for state in edge:
        yield from _taken(state, moves(state))


def _taken(state: State, ways: Iterable[tuple[str, Make]]) -> Iterator[tuple[State, str]]:
    for words, make in ways:
        try:
            after = make()
        except Caught:
            continue
        after.trail = (*state.trail, words)
        what = next(broken(state, after), "")
        assert not (what and findings(after)), f"entry by entry nothing was found: {findings(after)}"
        yield after, what


# -------------------------------------------------------------------- what is the same


def key(state: State) -> object:
    """Return what a state is, as far as it matters: the way there, entries' numbers, hashes and salts left out."""
    log, table, record = state.log, state.match.table, state.record
    offers = tuple(
        (one.what, _place(state, one.to), one.side, one.player, one.yes, _knew(state, one.number)) for one in table.offers.values()
    )
    agreed = table.agreed and (table.agreed.what, _place(state, table.agreed.to), table.agreed.side)
    chairs = tuple((one.side, one.name, one.player, one.units, one.kept_for) for one in table.chairs.values())
    kept = tuple((repr(_plain(state, one.act)), one.side, one.signed, log.k) for one in state.kept)
    clocks = table.on_clock(), *table.clocks.left_ms.values(), table.clocks.runs, table.clocks.fallen, state.now_ms, state.stolen_ms
    played = tuple(frozenset(players) for players in table.played.values())
    stands = log.depth(log.head), table.to_act(), log.k, log.head == state.stage.start, log.forward() is not None
    ended = table.ended and table.ended.winner
    return (
        offers, agreed, chairs, kept, clocks, played, stands, ended, table.paused, table.ruled, _waits(state, state.waiting),
        record is not None and (record == state.waiting or state.waiting is None), bool(state.forced), state.match.witnesses.keeper,
        state.match.witnesses.key(ANNA),
        tuple(sorted(state.match.witnesses.chains)),
    )


def _waits(state: State, pending: Pending | None) -> object:
    """Return what an order that waits is: whose, who is asked, who is late since when, whom the others go without."""
    if pending is None:
        return None
    witnesses, digest = state.match.witnesses, pending.digest()
    about = tuple(
        (name, witnesses.is_excused(name, pending.k, digest), frozenset(witnesses.sides_about(name)), name in witnesses.late_for(pending.k),
         witnesses.patience_left(name, pending.k, now_ms=state.now_ms, wait_ms=0))
        for name in state.match.witnesses_after(pending.before).participants
    )
    return pending.side, pending.player, about, state.log.moved_at <= _number(state, pending.before)


def _number(state: State, before: bytes) -> int:
    return next((one.number for one in state.log.entries if one.hash == before), -1)


def _place(state: State, to: int) -> object:
    """Return an entry to go back to, by what it is."""
    return "start" if to == state.stage.start else "earlier" if to == state.stage.earlier else "none" if to < 0 else "there"


def _knew(state: State, number: int) -> object:
    return state.knew.get(number)


def _plain(state: State, act: object) -> object:
    """Return an act without the number of the offer that it is about."""
    number = getattr(act, "offer", -1)
    offer = state.match.table.offers.get(number)
    return act if number < 0 else (type(act).__name__, offer and (offer.what, offer.side), getattr(act, "yes", None))

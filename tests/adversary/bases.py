"""Where a host begins: a game up to its order, and what its base says has been done there."""

from __future__ import annotations

from collections.abc import Iterator

from core.table import VERSION
from tests.adversary.moves import done
from tests.adversary.state import State, begin
from tests.adversary.table import ANNA, BLUE, BORIS, DORA, Stage


def begin_at(base: str, *, version: int = VERSION) -> State:
    """Return the state that a base tells of, its trail empty.

    Raises:
        ValueError: it has a word that is none. LookupError: what it says can't be done.
    """
    stage = Stage(base, version=version)
    state = begin(stage)
    for words in _steps(stage):
        state = done(state, words)
    return state


def _steps(stage: Stage) -> Iterator[str]:
    """Yield the moves of a base."""
    words = stage.words
    offers = [what for what in ("draw", "rewind", "pause") if what in words]
    number = stage.start + 1  # of the entry that the offer is in
    for what in offers:
        by = BORIS if "own" in words else ANNA
        told = f"{what} to {stage.earlier}" if what == "rewind" else what
        kept = ", kept back" if "refused" in words and by == BORIS else ""
        yield f"{by}: {told}{kept}"
        if "refused" in words and by == ANNA:
            yield f"Boris: yes to {number}, kept back"
    if "unasked" in words:
        yield from ("Boris: blue is left", "unasked, blue is taken by Boris")
    if "back" in words:
        yield from ("Boris: blue is left", "Boris: blue is taken by Boris")
    strikes = f"{DORA if 'hers' in words else BORIS if BLUE in words else ANNA} strikes"
    if words & {"waits", "shown", "thrown"}:
        yield strikes
    if words & {"shown", "thrown"}:
        yield "Boris is asked"
    if "thrown" in words:
        yield "finished"
    late = [name for word, name in (("slow", ANNA), ("late", DORA), ("blamed", BORIS)) if word in words]
    yield from (f"{name} is late" for name in late)
    yield from ["time passes"] if late else []
    if "again" in words:
        yield from ("the order is dropped", strikes)
    if "gone" in words:
        yield f"{ANNA}: red is left"
    if words & {"left", "opened"}:
        yield "Boris: blue is left"
    if "opened" in words:
        yield f"{stage.head.terms.owner}: blue is left"

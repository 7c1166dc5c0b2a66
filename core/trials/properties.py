"""Promises that every game keeps at every step. Each function returns nothing, or raises `Broken` with what it saw."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

from core.board import Hex
from core.bots.walks import every_walk, order_of
from core.derived import Derived
from core.errors import Broken, Refused
from core.fold import fold, fold_all
from core.game import Decided, NeedsDice, StopDice, decide
from core.log import ROOT, Entry, Log
from core.match import Match, ServerDice
from core.options import options, refusal
from core.orders import OptionPick, Order, Picks, fields_of
from core.position import Position
from core.units import UnitId
from core.views import View, cut, view_for

MOST_ORDERS = 5_000  # an order type with more composable orders than this is walked, not enumerated
WALKS = 400  # random walks where all of them would be too many


def require(holds: bool, what: str) -> None:
    """Raise Broken with *what* unless it holds."""
    if not holds:
        raise Broken(what)


# -------------------------------------------------------------------- options


def offered_is_accepted(view: View, rng: random.Random) -> None:
    """Every walk of offered picks is accepted; all walks of an order type, or random ones where there are too many."""
    offered = options(view)
    require(bool(offered.picks), f"a decision without options: {view.position.top}")
    for pick in offered.picks:
        assert isinstance(pick, OptionPick)
        walks = list(itertools.islice(every_walk(view, pick.option), WALKS))
        require(bool(walks), f"{pick.option} is offered, and no walk through it ends")
        for walk in walks if len(walks) < WALKS else rng.sample(walks, WALKS // 4):
            order = order_of(view, walk)
            closed = refusal(view, order)
            require(closed is None, f"{order} is offered and refused: {closed}")


def accepted_is_offered(view: View) -> int:
    """Where an order type has few composable orders, each one is offered if and only if it is accepted; return how many were tried."""
    tried = 0
    decision = view.decision()
    for name in decision.orders if decision is not None else ():
        universe = list(itertools.islice(composable(view, name), MOST_ORDERS + 1))
        if len(universe) > MOST_ORDERS:
            continue
        reachable = {order_of(view, walk) for walk in every_walk(view, name)} if _is_open(view, name) else set()
        for order in universe:
            tried += 1
            accepted = refusal(view, order) is None
            require(accepted == (order in reachable), f"{order} is {'accepted and not offered' if accepted else 'offered and refused'}")
    return tried


def _is_open(view: View, name: str) -> bool:
    return OptionPick(name) in options(view).picks


def composable(view: View, name: str) -> Iterator[Order]:
    """Yield every order of a type that can be put together from units in one place, hexes near them, and offered choices.

    It is a wider world than what is offered: units of both sides, hexes two away, paths up to two hexes; choices are those that any
    walk has named.
    """
    kind = view.ruleset.orders[name]
    units = [unit.id for unit in view.position.units.values()]
    places = sorted({unit.place for unit in view.position.units.values()})
    stacks = [some for place in places for some in _subsets(view.position.at(place))]
    hexes = list(range(view.board.size))
    choices = _named_choices(view, name)
    pools: list[Sequence[object]] = []
    for field in fields_of(kind.order):
        match field.pick, field.many:
            case "unit", "one":
                pools.append([None, *units])
            case "unit", _:
                pools.append([(), *stacks])
            case "hex", "one":
                pools.append([None, *(Hex(h) for h in hexes)])
            case "hex", "set":
                pools.append([(), *((Hex(h),) for h in hexes)])
            case "hex", _:
                pools.append([(), *((Hex(h),) for h in hexes)])
            case _:
                pools.append([None, *choices])
    names = [field.name for field in fields_of(kind.order)]
    for values in itertools.product(*pools):
        yield kind.order(**dict(zip(names, values, strict=True)))


def _subsets(units: tuple[UnitId, ...]) -> Iterator[tuple[UnitId, ...]]:
    for size in range(1, min(len(units), 3) + 1):
        yield from itertools.combinations(units, size)


def _named_choices(view: View, name: str) -> list[object]:
    found: dict[object, None] = {}
    if _is_open(view, name):
        for walk in itertools.islice(every_walk(view, name), WALKS):
            for pick in walk[1:]:
                value = getattr(pick, "option", getattr(pick, "number", getattr(pick, "text", None)))
                if value is not None:
                    found[value] = None
    return list(found)


# -------------------------------------------------------------------- positions


def dropping_derived_changes_nothing(view: View) -> None:
    """Options are the same from a cache and from nothing."""
    fresh = View(view.setting, view.position.copy(), viewer=view.viewer, derived=Derived())
    require(_offers(view) == _offers(fresh), f"options hang on the cache in {view.position.top}")


def _offers(view: View) -> list[Picks]:
    first = options(view).picks
    return [first, *(options(view, (pick,)).picks for pick in first)]


def bytes_give_the_position_back(position: Position) -> None:
    """A position and its bytes are the same thing."""
    require(Position.decode(position.encode()).digest() == position.digest(), "a position is not what its bytes say")


def log_folds_to(log: Log, position: Position) -> None:
    """The fold of the log from zero is the position."""
    folded = Position()
    for entry in log.path():
        fold_all(folded, entry.events)
    require(folded.digest() == position.digest(), f"the log does not fold to the position at entry {log.head}")


def views_keep_their_law(match: Match, entry: Entry) -> None:
    """For both sides: the view of what was folded is the fold of what they may see."""
    setting = match.setting
    for side in setting.sides:
        position = match.log.seek(entry.parent) if entry.parent != ROOT else Position()
        seen = view_for(setting, position, side)
        for event in entry.events:
            known = cut(setting, position, event, side)
            if known is not None:
                fold(seen, known)
            fold(position, event)
        require(seen.digest() == view_for(setting, position, side).digest(), f"{side} sees entry {entry.number} fold to another position")
        own = View(setting, view_for(setting, position, side), viewer=side)
        if own.side_to_act() == side:
            require(_offers(own) == _offers(View(setting, position)), f"{side} is offered something else than the game allows")


# -------------------------------------------------------------------- orders


def refused_changes_nothing(keeper: ServerDice, rng: random.Random) -> None:
    """A refused order leaves position, log and the number of chance as they were."""
    match = keeper.match
    view = match.view
    before = (view.position.digest(), len(match.log), match.log.k)
    names = list(view.ruleset.orders)
    units = [unit.id for unit in view.position.units.values()]
    for _ in range(5):
        kind = view.ruleset.orders[rng.choice(names)].order
        values: dict[str, object] = {}
        for field in fields_of(kind):
            one = rng.choice(units) if field.pick == "unit" else rng.randrange(view.board.size)
            if field.pick in ("unit", "hex"):
                values[field.name] = one if field.many == "one" else (one,)
        order = kind(**values)
        if refusal(view, order) is None:
            continue
        try:
            keeper.order(view.side_to_act(), order)
        except Refused:
            pass
        else:
            raise Broken(f"{order} is refused by refusal and accepted by decide")
    require(before == (match.view.position.digest(), len(match.log), match.log.k), "a refused order left a trace")


def decides_alike_twice(view: View, order: Order) -> None:
    """Without chance, an order decided twice from one position gives the same events, and leaves that position alone."""
    before = view.position.digest()
    results: list[Decided] = []
    for _ in range(2):
        try:
            results.append(decide(view, view.side_to_act(), order, StopDice()))
        except NeedsDice:
            break
    require(view.position.digest() == before, f"deciding {order} changed the position it was decided in")
    if len(results) == 2:
        require(results[0].events == results[1].events, f"{order} was decided in two ways")

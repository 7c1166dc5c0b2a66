"""Promises that every game keeps at every step. Each function returns nothing, or raises `Broken` with what it saw."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

from core.board import Hex
from core.bots.walks import every_walk, order_of
from core.errors import Broken, Refused
from core.events import Drawn, Rolled
from core.fold import fold, fold_all
from core.game import Decided, NeedsDice, StopDice, decide
from core.hidden import PUBLIC
from core.log import ROOT, Entry, Log
from core.match import Match, ServerDice
from core.options import options, refusal
from core.orders import HexPick, OptionPick, Order, Pick, Picks, UnitPick, fields_of, name_of, value_of
from core.position import Position
from core.units import UnitId
from core.views import View, cut, view_for

MOST_ORDERS = 5_000  # an order type with more composable orders than this is walked, not enumerated
MOST_UNITS = 8
WALKS = 400  # random walks where all of them would be too many
DECIDED = 2  # orders of a type that are decided, not only offered
WALKED = 0.8  # share of corners around a walk that is offered


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
        for walk in rng.sample(walks, min(len(walks), DECIDED)):
            decides_alike_twice(view, order_of(view, walk))


def accepted_is_offered(view: View, rng: random.Random, *, most: int = MOST_ORDERS) -> int:
    """What is accepted is exactly what walks of offered picks lead to; return how many orders were tried.

    All orders that can be put together are tried where a type has at most *most* of them, else all of a corner of that size,
    laid around a random walk.
    """
    tried = 0
    decision = view.decision()
    for name in decision.orders if decision is not None else ():
        corner = corner_of(view, name, rng, most=most)
        reachable = set(corner.offered(view)) if _is_open(view, name) else set()
        for order in corner.orders():
            tried += 1
            accepted = refusal(view, order) is None
            require(accepted == (order in reachable), f"{order} is {'accepted and not offered' if accepted else 'offered and refused'}")
        require(reachable <= set(corner.orders()), f"walks through {name} leave their corner")
    return tried


def _is_open(view: View, name: str) -> bool:
    return OptionPick(name) in options(view).picks


class Corner(msgspec.Struct, frozen=True):
    """All values that each field of an order type may take; every value's beginnings and parts are among them."""

    order: type[Order]
    pools: tuple[tuple[object, ...], ...]

    @property
    def size(self) -> int:
        """Return how many orders can be put together."""
        return math.prod(len(pool) for pool in self.pools)

    def orders(self) -> Iterator[Order]:
        """Yield every order that can be put together."""
        names = [field.name for field in fields_of(self.order)]
        for values in itertools.product(*self.pools):
            yield self.order(**dict(zip(names, values, strict=True)))

    def offered(self, view: View) -> Iterator[Order]:
        """Yield every complete order that walks of offered picks lead to within the corner."""
        names = [field.name for field in fields_of(self.order)]
        within = [frozenset(pool) for pool in self.pools]
        seen: set[Order] = set()
        stack: list[Picks] = [(OptionPick(name_of(self.order)),)]
        while stack:
            walk = stack.pop()
            draft = order_of(view, walk)
            if draft in seen or any(getattr(draft, name) not in pool for name, pool in zip(names, within, strict=True)):
                continue
            seen.add(draft)
            found = options(view, walk)
            if found.complete:
                yield draft
            stack.extend((*walk, pick) for pick in found.picks)


def corner_of(view: View, name: str, rng: random.Random, *, most: int) -> Corner:
    """Return a corner of an order type with at most *most* orders: all units and hexes, or those around a walk or stack."""
    kind = view.ruleset.orders[name].order
    choices = _named_choices(view, name)
    corner = _corner(kind, sorted(view.position.units), [Hex(here) for here in range(view.board.size)], choices, together=2)
    if corner.size <= most:
        return corner
    units, centres = _around(view, name, rng)
    corner = _corner(kind, units[:1], centres[:1], choices, together=1)
    for radius, together in ((0, 2), (1, 1), (1, 2), (2, 2), (2, 3)):
        hexes = sorted({here for centre in centres for here in view.board.within(centre, radius)})
        wider = _corner(kind, units, hexes, choices, together=together)
        if wider.size > most:
            break
        corner = wider
    return corner


def _corner(kind: type[Order], units: Sequence[UnitId], hexes: Sequence[Hex], choices: Sequence[object], *, together: int) -> Corner:
    """Return all orders of these; sets have up to *together* members, paths up to two hexes."""
    pools: list[tuple[object, ...]] = []
    for field in fields_of(kind):
        match field.pick, field.many:
            case "unit", "one":
                pools.append((None, *units))
            case "unit", _:
                pools.append(tuple(_subsets(units, together)))
            case "hex", "one":
                pools.append((None, *hexes))
            case "hex", "set":
                pools.append(tuple(_subsets(hexes, together)))
            case "hex", _:
                pools.append(tuple(_paths(hexes, min(together, 2))))
            case _:
                pools.append((None, *choices))
    return Corner(kind, tuple(pools))


def _around(view: View, name: str, rng: random.Random) -> tuple[list[UnitId], list[Hex]]:
    """Return the units and hexes that a corner is laid around: those of a random walk with their stacks, or a random stack's."""
    walk = _random_walk(view, name, rng) if _is_open(view, name) and rng.random() < WALKED else ()
    named = [pick.unit for pick in walk if isinstance(pick, UnitPick)] or [rng.choice(sorted(view.position.units))]
    places = [view.unit(unit).place for unit in named]
    centres = [pick.hex for pick in walk if isinstance(pick, HexPick)][-2:]
    centres = centres or [Hex(place) for place in places if place >= 0][:1] or [Hex(rng.randrange(view.board.size))]
    stacks = [unit for place in dict.fromkeys(places) for unit in view.position.at(place)]
    beside = [unit for here in sorted(view.board.within(centres[0], 1)) for unit in view.position.at(here)]
    units = list(dict.fromkeys((*named, *stacks, *beside)))
    return sorted(units[:MOST_UNITS]), centres


def _random_walk(view: View, name: str, rng: random.Random) -> Picks:
    walk: Picks = (OptionPick(name),)
    while True:
        found = options(view, walk)
        if not found.picks or (found.complete and rng.random() < 0.5):
            return walk
        walk = (*walk, rng.choice(found.picks))


T = TypeVar("T")


def _subsets(some: Sequence[T], most: int) -> Iterator[tuple[T, ...]]:
    for size in range(min(len(some), most) + 1):
        yield from itertools.combinations(some, size)


def _paths(hexes: Sequence[Hex], longest: int) -> Iterator[tuple[Hex, ...]]:
    return itertools.chain.from_iterable(itertools.product(hexes, repeat=n) for n in range(longest + 1))


def _named_choices(view: View, name: str) -> list[object]:
    found: dict[object, None] = {}
    if _is_open(view, name) and any(field.pick not in ("unit", "hex") for field in fields_of(view.ruleset.orders[name].order)):
        for walk in itertools.islice(every_walk(view, name), WALKS):
            for pick in walk[1:]:
                if not isinstance(pick, (UnitPick, HexPick)):
                    found[value_of(pick)] = None
    return list(found)


# -------------------------------------------------------------------- positions


def dropping_derived_changes_nothing(view: View) -> None:
    """Options are the same from a cache and from nothing, to the words of each closed door."""
    fresh = View(view.setting, view.position.copy(), viewer=view.viewer)
    for walk in ((), *((pick,) for pick in options(fresh).picks)):
        require(_doors(view, walk) == _doors(fresh, walk), f"options after {walk} hang on the cache in {view.position.top}")


def _doors(view: View, walk: Picks) -> list[tuple[Pick, str, str]]:
    return [(door.pick, door.refused.rule if door.refused else "", str(door.refused or "")) for door in options(view, walk).doors]


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
    """For both sides and whoever is none: the view of what was folded is the fold of what they may see."""
    setting = match.setting
    if entry.order and setting.ruleset.secrets:
        _names_unseen_chance(match, entry)
    for side in (*setting.sides, PUBLIC):
        position = match.log.seek(entry.parent) if entry.parent != ROOT else Position()
        seen = view_for(setting, position, side)
        for event in entry.events:
            fold_all(seen, cut(setting, position, event, side))
            fold(position, event)
        require(seen.digest() == view_for(setting, position, side).digest(), f"{side} sees entry {entry.number} fold to another position")
        own = View(setting, view_for(setting, position, side), viewer=side)
        if own.side_to_act() == side:
            require(_offers(own) == _offers(View(setting, position)), f"{side} is offered something else than the game allows")


def _names_unseen_chance(match: Match, entry: Entry) -> None:
    """A ruleset names the orders in which chance falls of which their giver is not told, who could give them until it pleases him."""
    secrets, name, position = match.setting.ruleset.secrets, name_of(match.codec.decode(entry.order)), match.log.seek(entry.parent)
    for event in entry.events:
        told = cut(match.setting, position, event, entry.side)
        is_seen = bool(told) or not isinstance(event, Rolled | Drawn)
        require(is_seen or name in secrets.unseen_chance, f"{entry.side} is not told of chance in {name}, which is not in unseen_chance")
        fold(position, event)


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
    """An offered order is decided; without chance, twice from one position gives the same events, and leaves that position alone."""
    before = view.position.digest()
    results: list[Decided] = []
    for _ in range(2):
        try:
            results.append(decide(view, view.side_to_act(), order, StopDice()))
        except NeedsDice:
            break
        except Refused as refused:
            raise Broken(f"{order} is offered, and refused when it is decided: {refused}") from refused
    require(view.position.digest() == before, f"deciding {order} changed the position it was decided in")
    if len(results) == 2:
        require(results[0].events == results[1].events, f"{order} was decided in two ways")

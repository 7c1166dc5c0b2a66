"""Which orders are open, answered one pick at a time, and why a door is closed.

`options` and `refusal` are the same walk. *Exact* means: every offered pick can be completed to an accepted order, and every
accepted order can be reached pick by pick. A ruleset keeps that promise in the `compose` function of each order type; trials
test it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import msgspec

from core.errors import Refused
from core.orders import OptionPick, Order, Pick, Picks, compose, name_of, normal, picks_of, value_of
from core.text import Text, text

if TYPE_CHECKING:
    from core.ruleset import OrderKind
    from core.views import View


class Door(msgspec.Struct, frozen=True):
    """One next pick, open or closed; *label* says what it means where the pick alone doesn't (an option, a cost).

    *warning* says what speaks against it, though it may be taken.
    """

    pick: Pick
    refused: Refused | None = None
    label: Text | None = None
    warning: Text | None = None

    @property
    def is_open(self) -> bool:
        """Say whether the pick may be taken."""
        return self.refused is None


class Offer:
    """What may follow a draft.

    *doors* holds every pick worth naming, the closed ones with the rule that closed them; *unfinished* is None when the draft is
    an order that may be given as it stands, else what is missing. *unknown* tells why any other pick is refused. *find* returns the
    door of one pick (without its label), None if it is not among them, where that takes less than to make them all: an order asks only
    for the doors that it goes through.
    """

    __slots__ = ("_doors", "_find", "_made", "unfinished", "unknown")

    def __init__(
        self,
        doors: Iterable[Door] = (),
        unfinished: Refused | None = None,
        unknown: Callable[[Pick], Refused | None] | None = None,
        find: Callable[[Pick], Door | None] | None = None,
    ) -> None:
        self.unfinished = unfinished
        self.unknown = unknown
        self._doors = doors
        self._made: tuple[Door, ...] | None = None
        self._find = find

    @property
    def doors(self) -> tuple[Door, ...]:
        """Every pick worth naming; they are made when they are first asked for."""
        if self._made is None:
            self._made = tuple(self._doors)
        return self._made

    @property
    def complete(self) -> bool:
        """Say whether the draft may be given as an order."""
        return self.unfinished is None

    @property
    def picks(self) -> Picks:
        """Return the picks that are offered."""
        return tuple([door.pick for door in self.doors if door.refused is None])

    def door(self, pick: Pick) -> Door | None:
        """Return the door of a pick, None if it is not worth naming."""
        if self._find is not None and self._made is None:
            return self._find(pick)
        return next((door for door in self.doors if door.pick == pick), None)


def offer(
    doors: Iterable[Door] = (),
    *,
    unfinished: Refused | None = None,
    unknown: Callable[[Pick], Refused | None] | None = None,
    find: Callable[[Pick], Door | None] | None = None,
) -> Offer:
    """Make an Offer from any iterable of doors; it is gone through only if they are asked for."""
    return Offer(doors, unfinished, unknown, find)


def options(view: View, picks: Picks = ()) -> Offer:
    """Return what may be picked next by the side that the game waits for; nothing in the view of another side that can't know that.

    The first pick names the order type. An offer without doors and not complete comes only from a walk that was not offered.
    """
    decision = view.decision()
    if decision is None:
        return Offer(unfinished=Refused("", text("the game waits for nobody")))
    if view.hides_from(decision.side):
        return Offer(unfinished=Refused(decision.rule, text("{side} decides now", side=decision.side)))
    if not picks:
        doors = (_order_door(view, name) for name in decision.orders if not _is_absent(view, name))
        return offer(doors, unfinished=Refused(decision.rule, text("an order must be chosen")))
    head = picks[0]
    if not isinstance(head, OptionPick) or head.option not in decision.orders:
        return Offer(unfinished=_not_open(view, str(value_of(head))))
    kind = view.ruleset.orders[head.option]
    return kind.compose(view, compose(kind.order, picks[1:]))


def _order_door(view: View, name: str) -> Door:
    """Open the door of an order type when any walk through it can be completed."""
    kind = view.ruleset.orders[name]
    first = kind.compose(view, kind.order())
    refused = None
    if not first.complete and not any(door.refused is None for door in first.doors):
        why = [door.refused for door in first.doors if door.refused]
        rules = {closed.rule for closed in why}
        refused = next((closed for closed in kind.nobody if closed.rule in rules), why[0] if why else first.unfinished)
    return Door(OptionPick(name), refused, kind.label)


def _is_absent(view: View, name: str) -> bool:
    absent = view.ruleset.orders[name].absent
    return absent is not None and absent(view)


def _not_open(view: View, name: str) -> Refused:
    decision = view.decision()
    assert decision is not None
    kind = view.ruleset.orders.get(name)
    rule = decision.rule if kind is None else kind.rule
    asked = name if kind is None else str(kind.label)
    return Refused(rule, text("{order} is no order of this moment ({phase})", order=asked, phase=view.moment()))


def refusal(view: View, order: Order) -> Refused | None:
    """Return why an order is refused, None if it is accepted: the walk of its picks, door by door."""
    decision = view.decision()
    if decision is None:
        return Refused("", text("the game waits for nobody"))
    name = name_of(order)
    if name not in decision.orders:
        return _not_open(view, name)
    kind = view.ruleset.orders[name]
    walk = picks_of(normal(order))
    for done, pick in enumerate(walk):
        offered = kind.compose(view, compose(kind.order, walk[:done]))
        closed = _closed(view, offered, pick, rule=kind.rule)
        if closed is not None:
            return (_apart(view, kind, walk) if offered.door(pick) is None else None) or closed
    return kind.compose(view, compose(kind.order, walk)).unfinished


def _apart(view: View, kind: OrderKind, walk: Picks) -> Refused | None:
    """Return what keeps the units of an order apart, None if it says nothing of that."""
    if kind.together is None or not all(view.knows(pick) for pick in walk):
        return None
    return kind.together(view, compose(kind.order, walk))


def _closed(view: View, offered: Offer, pick: Pick, *, rule: str) -> Refused | None:
    door = offered.door(pick)
    if door is not None:
        return door.refused
    why = offered.unknown(pick) if offered.unknown is not None and view.knows(pick) else None
    return why or Refused(rule, text("{pick} can't be picked here", pick=view.name_pick(pick)))

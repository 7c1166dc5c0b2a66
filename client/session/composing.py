"""Composing an order out of clicks: each click becomes the picks that the game's options offer there.

Knows no order type and no ruleset: whatever `options` opens can be composed, and whatever it closes is told with its rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum, auto

import msgspec

from client.session.doors import Doors
from client.session.match import Match
from client.session.stacks import stacked
from core.board import Hex, Place
from core.errors import Refused
from core.options import Door, Offer
from core.orders import HexPick, NumberPick, OptionPick, Order, Pick, Picks, TextPick, UnitPick, compose, fields_of
from core.ruleset import OrderKind, Preview, Way
from core.text import Text, text
from core.units import UnitId

MAX_CHOICES = 9  # as many as there are keys


class Clicked(Enum):
    """What a click led to."""

    PICKED = auto()
    READY = auto()  # the draft is an order, and this click asked for it: it can be given
    REFUSED = auto()
    NOTHING = auto()


class Choice(msgspec.Struct, frozen=True):
    """One way on, as a button: its pick, words, the refusal that closes it, the place it marks on the map and its key, None without."""

    pick: Pick
    label: Text
    refused: Refused | None = None
    place: Place | None = None
    number: int | None = None


class Composer(Doors):
    """The order under composition.

    Attributes:
        picks: the walk so far; its first names the order type.
        refused: why the last click led nowhere.
        standby: a hex that was clicked to no effect; its units join the next order that begins with a target.
        chosen: the order type that the player named himself, None where a click on the map found it.
    """

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.picks: Picks = ()
        self.refused: Refused | None = None
        self.standby: Hex | None = None
        self.chosen: Pick | None = None
        self._back: list[Picks] = []
        self._keys: dict[Pick, int] = {}  # of counters and hexes, as this draft has offered them so far
        self._ways: tuple[Picks, dict[Hex, Way]] | None = None
        self._turns: tuple[Picks, dict[Hex, Picks]] | None = None
        self.reset()

    # ---------------------------------------------------------------- the draft

    def reset(self) -> None:
        """Drop the draft; where only one order type is open and it asks for picks, begin it."""
        self.picks, self._back, self.refused, self._ways, self.standby, self.chosen = (), [], None, None, None, None
        self._turns = None
        self._offers, self._keys = {}, {}
        if not self.match.may_act:
            return
        open_doors = [door for door in self.offer().doors if door.is_open]
        if len(open_doors) == 1:
            only = (open_doors[0].pick,)
            if not self.offer(only).complete:
                forced = self._forced(only)
                self.picks = only if self.offer(forced).complete else forced

    def offer(self, picks: Picks | None = None) -> Offer:
        """Return what may follow the draft, or another walk; asked once each."""
        return self.offered(self.picks if picks is None else picks)

    @property
    def kind(self) -> OrderKind | None:
        """Return the type of the order that is being composed."""
        if not self.picks:
            return None
        head = self.picks[0]
        assert isinstance(head, OptionPick), "a walk begins with an order type"
        return self.match.setting.ruleset.orders[head.option]

    def draft(self) -> Order | None:
        """Return the draft as an order with fields still open, None before its type is chosen."""
        kind = self.kind
        return None if kind is None else compose(kind.order, self.picks[1:])

    @property
    def is_complete(self) -> bool:
        """Say whether the draft may be given as it stands."""
        return bool(self.picks) and self.offer().complete

    def units(self) -> tuple[UnitId, ...]:
        """Return the units picked so far."""
        return tuple(pick.unit for pick in self.picks if isinstance(pick, UnitPick))

    def ways(self) -> dict[Hex, Way]:
        """Return where the draft can be completed to, by hex."""
        if self._ways is None or self._ways[0] != self.picks:
            kind, found = self.kind, dict[Hex, Way]()
            if kind is not None and kind.reach is not None and self.units():
                for way in kind.reach(self.match.view, self.draft()):
                    if way.hex not in found or way.cost_quarters < found[way.hex].cost_quarters:
                        found[way.hex] = way
            self._ways = (self.picks, found)
        return self._ways[1]

    def door_to(self, here: Hex) -> Door | None:
        """Return the open door through which the draft takes a hex, None if there is none."""
        return next((door for door in self.offer().doors if door.is_open and door.pick == HexPick(here)), None)

    def covered(self, here: Hex | None) -> frozenset[Hex]:
        """Return the hexes in range of the draft's units if it led them to a hex, else from where they are; none if they have no range."""
        kind = self.kind
        if kind is None or kind.covers is None:
            return frozenset()
        way = None if here is None else self.ways().get(here)
        steps = way.path if way is not None else () if here is None or self.door_to(here) is None else (here,)
        return kind.covers(self.match.view, compose(kind.order, (*self.picks[1:], *map(HexPick, steps))))

    def preview(self) -> Preview | None:
        """Return what the draft would lead to, None where that can't be said."""
        return self._preview_of(self.picks)

    def preview_with(self, pick: Pick) -> Preview | None:
        """Return what the draft would lead to with one pick more, None where that can't be said."""
        if isinstance(pick, HexPick) and pick.hex in self.turns():
            return self._preview_of(self.turns()[pick.hex])
        return self._preview_of((*self.picks, pick)) if self._opens(self.picks, pick) else None

    def _preview_of(self, walk: Picks) -> Preview | None:
        head = walk[0] if walk else None
        kind = self.match.setting.ruleset.orders[head.option] if isinstance(head, OptionPick) else None
        return None if kind is None or kind.preview is None else kind.preview(self.match.view, compose(kind.order, walk[1:]))

    @property
    def lone(self) -> Pick | None:
        """Return the order type that is all that can be given now and asks for nothing; None before any other, and in a draft."""
        heads = self._heads() if self.match.may_act and not self.picks else []
        offered = self.offer((heads[0],)) if len(heads) == 1 else None
        return heads[0] if offered is not None and offered.complete and not offered.picks else None

    @property
    def ending(self) -> Pick | None:
        """Return the only order type that asks for nothing, as the end of a phase does; None in a draft, or where there are others."""
        return self._end_of_moment() if self.match.may_act and not self.picks else None

    def _end_of_moment(self) -> Pick | None:
        found = [head for head in self._heads() if self.offer((head,)).complete and not self.offer((head,)).picks]
        return found[0] if len(found) == 1 else None

    @property
    def before(self) -> Picks | None:
        """Return the draft as it was before the last click, None if there was none: a question begins its only order by itself."""
        return self._back[-1] if self._back else None

    def back(self) -> bool:
        """Take back the last click; False if there is nothing to take back."""
        self.refused = None
        if not self._back:
            return False
        self.picks = self._back.pop()
        if self.picks[:1] != (self.chosen,):
            self.chosen = None
        return True

    def as_one(self) -> None:
        """Let the next step back take back all clicks."""
        del self._back[1:]

    @property
    def clicks(self) -> int:
        """Return how many clicks have led to the draft."""
        return len(self._back)

    def _go(self, picks: Picks) -> None:
        self._back.append(self.picks)
        self.picks = picks
        self.refused = None

    # ---------------------------------------------------------------- choices

    def choices(self) -> list[Choice]:
        """Return the ways on that are shown as buttons: all named choices, and hexes or units where they are few."""
        doors = self.offer().doors
        named = [door for door in doors if isinstance(door.pick, (OptionPick, NumberPick, TextPick))]
        further = self._further(doors)
        placed = [door for door in doors if isinstance(door.pick, (HexPick, UnitPick)) and door not in further] + further
        shown = named
        off_map = [door for door in placed if door.is_open and (self.place_of(door.pick) or 0) < 0]
        few = len([door for door in placed if door.is_open]) + len(named) <= MAX_CHOICES
        if few and not self.ways():  # where reach is shown, the map is the better list
            shown = [*named, *(door for door in placed if door.is_open)]
        elif off_map:  # what no click on the map can reach is always a button
            shown = [*named, *off_map]
        waiting = [door for door in placed if not door.is_open and isinstance(door.pick, UnitPick) and (self.place_of(door.pick) or 0) < 0]
        if len(shown) + len(waiting) <= MAX_CHOICES:  # no hex tells why they can't be picked
            shown = [*shown, *waiting]
        if len(self.picks) == 1 and not self.is_complete:  # what is closed stays in sight, with its reason, until nothing else is asked
            shown = [*shown, *(door for door in self.offer(()).doors if door.refused is not None)]
        ending = self.ending  # stands last, so that the others' numbers leave no gap: it has a key of its own
        shown = [*(door for door in shown if door.pick != ending), *(door for door in shown if door.pick == ending)]
        return [Choice(door.pick, self._button_words(door, further), door.refused, self.place_of(door.pick)) for door in shown]

    def _further(self, doors: Sequence[Door]) -> list[Door]:
        """Return the doors to more of what was picked last, such as further targets, where something else is asked for."""
        last = self.picks[-1] if len(self.picks) > 1 else None
        more = [door for door in doors if isinstance(last, (HexPick, UnitPick)) and type(door.pick) is type(last)]
        return more if len(more) < len(doors) else []

    def _button_words(self, door: Door, further: Sequence[Door]) -> Text:
        words = self._label(door)
        return text("Also {what}", what=str(words)) if door in further and door.is_open else words

    def ways_on(self) -> list[Choice]:
        """Return all buttons with their keys: an order type keeps its own in the whole phase, and what a draft asks takes those left.

        What a draft has offered once keeps its key in it, before all else: whoever picks several goes by the numbers that he saw first.
        A question is over with its answer, so that no order type has a key to keep in its draft: what stands first bears the first.
        """
        shown, own = [*self.choices(), *self.alternatives()], self._keys_of_orders() if not self.picks or not self.must_answer() else {}
        is_open = [choice.pick for choice in shown if choice.refused is None]
        keys = {pick: self._keys[pick] for pick in is_open if pick in self._keys and pick not in own}
        used = {*keys.values(), *self.keys_of_picked().values()}
        keys |= {pick: own[pick] for pick in is_open if pick in own and own[pick] not in used}
        free = iter(sorted(set(range(1, MAX_CHOICES + 1)) - set(keys.values()), key=lambda number: (number in used, number)))
        for pick in is_open:
            if pick not in keys and (number := next(free, None)) is not None:
                keys[pick] = number
        self._keys |= {pick: number for pick, number in keys.items() if pick not in own}
        return [
            choice if choice.refused is not None else msgspec.structs.replace(choice, number=keys.get(choice.pick)) for choice in shown
        ]

    def keys_of_picked(self) -> dict[UnitId, int]:
        """Return the keys by which the counters of the draft were offered: by them they are taken out again."""
        return {pick.unit: self._keys[pick] for pick in self.picks if isinstance(pick, UnitPick) and pick in self._keys}

    def _keys_of_orders(self) -> dict[Pick, int]:
        """Return the keys of the order types: what is closed keeps its own for when it opens, unless there are more than keys."""
        ending, doors = self._end_of_moment(), self.offer(()).doors
        others = [door for door in doors if door.pick != ending]
        if len(others) > MAX_CHOICES:
            others = [door for door in others if door.is_open][:MAX_CHOICES]
        keys = {door.pick: number for number, door in enumerate(others, 1)}
        return keys if ending is None else {**keys, ending: 0}

    def choose(self, pick: Pick) -> Clicked:
        """Take a choice."""
        door = next((d for d in self.offer().doors if d.pick == pick), None)
        if door is None or door.refused is not None:
            self.refused = door.refused if door is not None else None
            return Clicked.REFUSED
        if not self.picks:
            self.chosen = pick
        self._go(self._forced((*self.picks, pick)))
        return self._ready_if_nothing_left()

    def _forced(self, walk: Picks) -> Picks:
        """Go on with the counter that a question leaves no choice of; a phase that can be ended asks for none."""
        while self.must_answer():
            offered = self.offer(walk)
            doors = [door for door in offered.doors if door.is_open]
            if offered.complete or len(doors) != 1 or not isinstance(doors[0].pick, UnitPick):
                break
            walk = (*walk, doors[0].pick)
        return walk

    def _ready_if_nothing_left(self) -> Clicked:
        """A draft that is an order and could grow no further is ready, unless its arithmetic should be seen first."""
        offered = self.offer()
        if offered.complete and not offered.picks and self.preview() is None:
            return Clicked.READY
        return Clicked.PICKED

    # ---------------------------------------------------------------- clicks

    def click(self, here: Hex, *, adding: bool = False) -> Clicked:
        """Turn a click on a hex into picks."""
        self.refused = None
        if not self.match.may_act:
            return Clicked.NOTHING
        if self.picks:
            clicked = self._go_on(here, adding=adding)
            if clicked is not None:
                return clicked
            turned = self.turns().get(here)
            if turned is not None:
                left = self._left_behind(turned)
                self._go(turned)
                self.refused = left
                return self._ready_if_nothing_left()
        if self._holds_against(self.match.view.position.at(here)):
            return Clicked.REFUSED
        if self._begin(here, self.picks[0] if len(self.picks) == 1 else None):
            self.standby = None
            return self._ready_if_no_other(self.picks[:1], here)
        those = self._stacks_to(here)
        if len(those) == 1:
            self._go(those[0])
            return Clicked.PICKED
        self.standby = here
        several = Refused("", text("several stacks can go to {hex}: choose the one that shall", hex=self.match.view.board.name(here)))
        self.refused = several if those else self._why_not(here)
        return Clicked.REFUSED if self.refused is not None else Clicked.NOTHING

    def click_unit(self, unit: UnitId, *, adding: bool = False) -> Clicked:
        """Turn a click on one counter into a pick: in or out of the draft, or the beginning of one."""
        self.refused = None
        if not self.match.may_act:
            return Clicked.NOTHING
        pick = UnitPick(unit)
        if pick in self.picks:
            without = tuple(p for p in self.picks if p != pick)
            if len(self.units()) > 1 and self._is_walkable(without):
                self._go(without)
            return Clicked.PICKED
        if self.picks and (adding or self._opens(self.picks, pick)) and self._opens(self.picks, pick):
            self._go((*self.picks, pick))
            return self._ready_if_nothing_left()
        if self._holds_against((unit,)):
            return Clicked.REFUSED
        for head in self._heads():
            if self._opens((head,), pick):
                self._go((head, pick))
                return self._ready_if_nothing_left()
        self.refused = self._refusal_of(self.picks or (), pick)
        return Clicked.REFUSED if self.refused is not None else Clicked.NOTHING

    def _go_on(self, here: Hex, *, adding: bool) -> Clicked | None:
        """Continue the draft with a hex; None if the draft has no use for it."""
        standing = self._picked_in(here)
        if standing and not adding:
            return self._cycle(here)
        way = None if adding else self.ways().get(here)
        if way is not None:
            walk = (*self.picks, *(HexPick(step) for step in way.path))
            if self.offer(walk).complete:
                self._go(walk)
                return Clicked.READY if self.preview() is None else Clicked.PICKED
        if HexPick(here) in self.picks:
            return self._drop(HexPick(here))
        if adding and self._insert(HexPick(here)):
            return Clicked.PICKED
        if self._opens(self.picks, HexPick(here)) and not adding:
            begun = (*self.picks, HexPick(here))
            if len(begun) == 2 and self.standby is not None:  # the order was chosen on the card, for the stack that was looked at
                begun = self._take_stack(begun, self.standby)
            self._go(begun)
            return self._ready_if_nothing_left()
        before, taken = self.picks, self._take_stack(self.picks, here)
        if taken != before:
            self._go(taken)
            return self._ready_if_no_other(before, here)
        return None

    def takes(self, here: Hex) -> bool:
        """Say whether a click on a hex adds it, or what stands there, to the draft."""
        if HexPick(here) in self.picks or self._picked_in(here):
            return False
        picks: list[Pick] = [HexPick(here), *map(UnitPick, self.match.view.position.at(here))]
        return here in self.ways() or any(self._opens(self.picks, pick) for pick in picks)

    def _ready_if_no_other(self, before: Picks, here: Hex) -> Clicked:
        """Let a click on a hex give no order by itself if it could have taken other counters of the hex instead: none was named."""
        left = [UnitPick(unit) for unit in self.match.view.position.at(here) if UnitPick(unit) not in self.picks]
        return Clicked.PICKED if any(self._opens(before, pick) for pick in left) else self._ready_if_nothing_left()

    def _drop(self, pick: Pick) -> Clicked:
        """Take one pick out of the draft again, where the rest still is a walk that is offered."""
        without = tuple(p for p in self.picks if p != pick)
        if self._is_walkable(without):
            self._go(without)
        return Clicked.PICKED

    def _insert(self, pick: Pick) -> bool:
        """Put one more pick into the draft where it belongs; False if it fits nowhere."""
        for at in range(len(self.picks), 0, -1):
            walk = (*self.picks[:at], pick, *self.picks[at:])
            if self._is_walkable(walk):
                self._go(walk)
                return True
        return False

    def _holds_against(self, stack: Iterable[UnitId]) -> bool:
        """Keep what was gathered in several hexes where one's own stack can't join it, with the reason: it would begin anew and be lost."""
        view = self.match.view
        if not self._is_gathered():
            return False
        own = (unit for unit in stack if view.side(unit) == view.side_to_act())
        refusals = (self._refusal_of(self.picks, UnitPick(unit)) for unit in own)
        self.refused = next((refused for refused in refusals if refused is not None), None)
        return self.refused is not None

    def _is_gathered(self) -> bool:
        kind, view = self.kind, self.match.view
        sets = [field.name for field in fields_of(kind.order) if field.pick == "unit" and field.many == "set"] if kind is not None else []
        return any(len({view.unit(unit).place for unit in getattr(self.draft(), name)}) > 1 for name in sets)

    def _begin(self, here: Hex, chosen: Pick | None = None) -> bool:
        """Begin a draft with a hex: the first open order type that offers its units or the hex itself; say why it is not the chosen one."""
        heads = self._heads()
        if self.picks and self.picks[0] in heads:  # the type being composed goes first
            heads = [self.picks[0], *(head for head in heads if head != self.picks[0])]
        for head in heads:
            taken = self._take_stack((head,), here)
            if len(taken) == 1 and self._opens((head,), HexPick(here)):
                taken = (head, HexPick(here))
                if self.standby is not None:
                    taken = self._take_stack(taken, self.standby)
            if len(taken) > 1:
                self._go(taken)
                if chosen is not None and chosen != head and self.units():
                    self.refused = self._refusal_of((chosen,), UnitPick(self.units()[0]))
                return True
        return False

    def _stacks_to(self, here: Hex) -> list[Picks]:
        """Return a draft of each stack that can go to a hex, where a question is open; in a phase, whoever clicks there wants to look."""
        found = list[Picks]()
        for head, places in self.able().items() if self.is_asked() and len(self.picks) <= 1 else ():
            assert isinstance(head, OptionPick), "a walk begins with an order type"
            kind = self.match.setting.ruleset.orders[head.option]
            for place in places if kind.reach is not None and head in (self.picks or (head,)) else ():
                walk = self._take_stack((head,), place)
                if kind.reach is not None and any(way.hex == here for way in kind.reach(self.match.view, compose(kind.order, walk[1:]))):
                    found.append(walk)
        return found

    def looked_at(self) -> tuple[tuple[UnitId, ...], tuple[Hex, ...]]:
        """Return the units that stand by for an order that begins with its target, and the targets beside them."""
        if self.standby is None or self.picks or not self.match.may_act:
            return (), ()
        units, targets = dict[UnitId, None](), list[Hex]()
        beside = frozenset(self.match.setting.board.adjacent[self.standby])
        for head in self._heads():
            for door in self.offer((head,)).doors:
                if not door.is_open or not isinstance(door.pick, HexPick) or door.pick.hex not in beside:
                    continue
                walk = (head, door.pick)
                able = [unit for unit in self.match.view.position.at(self.standby) if self._opens(walk, UnitPick(unit))]
                units |= dict.fromkeys(able)
                targets += [door.pick.hex] if able else []
        return tuple(units), tuple(targets)

    def alternatives(self) -> list[Choice]:
        """Return the other open order types that the units picked so far could begin."""
        if not self.units():
            return []
        found = []
        for door in self.offer(()).doors:
            if door.is_open and door.pick != self.picks[0] and self._opens((door.pick,), UnitPick(self.units()[0])):
                found.append(Choice(door.pick, self._label(door)))
        return found

    def switch(self, head: Pick) -> None:
        """Begin another order type with the units picked so far, as many as it takes."""
        self.chosen = head
        self._go(self._with((head,), self.units()))

    def _with(self, walk: Picks, units: Sequence[UnitId]) -> Picks:
        """Return a walk with those of the units that are offered one after the other."""
        for unit in units:
            if UnitPick(unit) not in walk and self._opens(walk, UnitPick(unit)):
                walk = (*walk, UnitPick(unit))
        return walk

    def turns(self) -> dict[Hex, Picks]:
        """Return the foes beside the units picked that another open order type takes as their target, with the picks of that order."""
        if self._turns is None or self._turns[0] != self.picks:
            self._turns = (self.picks, self._find_turns())
        return self._turns[1]

    def _find_turns(self) -> dict[Hex, Picks]:
        view, board, found = self.match.view, self.match.setting.board, dict[Hex, Picks]()
        if not self.units() or any(isinstance(pick, HexPick) for pick in self.picks):
            return found
        foe = view.other(view.side_to_act())
        places = {view.unit(unit).place for unit in self.units()}
        beside = sorted({there for place in places if place >= 0 for there in board.adjacent[place]})
        foes = [there for there in beside if view.side_at(there, foe) and not self._opens(self.picks, HexPick(there))]
        for choice in self.alternatives() if foes else ():
            walk = self._with((choice.pick,), self.units())
            for there in foes:
                if self._opens(walk, HexPick(there)):
                    found.setdefault(there, (*walk, HexPick(there)))
        return found

    def _left_behind(self, walk: Picks) -> Refused | None:
        """Return which units picked another order leaves out, and why; None if it takes them all."""
        left = [unit for unit in self.units() if UnitPick(unit) not in walk]
        if not left:
            return None
        doors = self.offer(tuple(pick for pick in walk if not isinstance(pick, HexPick))).doors
        why = next((door.refused for door in doors if door.pick == UnitPick(left[0]) and door.refused is not None), None)
        if why is None or len(left) > 1:
            names = ", ".join(map(self.match.view.name, left))
            return Refused("" if why is None else why.rule, text("left out: {units}", units=names))
        return Refused(why.rule, text("left out: {why}", why=str(why.text)))

    def _cycle(self, here: Hex) -> Clicked:
        """Click again: from the whole stack to each of its units in turn, from the top down, and back to all.

        Where units join an order that began with something else, as attackers do, the second click takes theirs out.
        """
        head = self.picks[0]
        singles: list[Picks] = [
            (head, UnitPick(unit.id)) for unit in reversed(stacked(self.match.view, here)) if self._opens((head,), UnitPick(unit.id))
        ]
        whole = self._take_stack((head,), here)
        if len(whole) == 1:
            left = self._without(here)
            if self._is_walkable(left):
                self._go(left)
            return Clicked.PICKED
        turns = [whole, *(single for single in singles if single != whole)]
        now = turns.index(self.picks) if self.picks in turns else -1
        if len(turns) > 1 or now < 0:
            self._go(turns[(now + 1) % len(turns)])
        return Clicked.PICKED

    def take_all(self, here: Hex) -> Clicked:
        """Take every counter of a hex that can act: into the draft if it has use for one, else for the order type that takes most."""
        self.refused = None
        if not self.match.may_act:
            return Clicked.NOTHING
        left = self._without(here)
        walks = [self._take_stack(left, here)] if len(left) > 1 and self._is_walkable(left) else []
        if not walks or walks[0] == left:
            heads = sorted(self._heads(), key=lambda head: head not in self.picks[:1])  # the type being composed goes first
            walks = [self._take_stack((head,), here) for head in heads]
        most = max(walks, key=len, default=())
        if len(most) < 2 or most == left:
            return Clicked.NOTHING
        if most != self.picks:
            self._go(most)
        return Clicked.PICKED

    def _without(self, here: Hex) -> Picks:
        """Return the draft without the counters of a hex."""
        units = set(self.match.view.position.at(here))
        return tuple(pick for pick in self.picks if not (isinstance(pick, UnitPick) and pick.unit in units))

    def _picked_in(self, here: Hex) -> bool:
        return any(self.match.view.unit(unit).place == here for unit in self.units())

    # ---------------------------------------------------------------- reasons

    def why_not(self, here: Hex) -> Refused | None:
        """Return why a hex can't be picked now, None if it can or nothing is to be said."""
        if not self.match.may_act or here in self.ways() or HexPick(here) in self.picks or self._picked_in(here) or here in self.turns():
            return None
        if self._opens(self.picks, HexPick(here)) or any(
            self._opens(self.picks, UnitPick(unit)) for unit in self.match.view.position.at(here)
        ):
            return None
        return self._why_not(here)

    def why_no_turn(self, here: Hex) -> Choice | None:
        """Return the other order type that could be against the foes of a hex beside the units picked, with what closes it there."""
        view, units, kinds = self.match.view, self.units(), self.match.setting.ruleset.orders
        beside = any(view.unit(unit).place >= 0 and here in view.board.adjacent[view.unit(unit).place] for unit in units)
        if not beside or not view.side_at(here, view.other(view.side_to_act())):
            return None
        for door in self.offer(()).doors:
            assert isinstance(door.pick, OptionPick), "a walk begins with an order type"
            if door.pick == self.picks[0] or kinds[door.pick.option].preview is None:
                continue
            why = door.refused or self._refusal_of((door.pick, *map(UnitPick, units)), HexPick(here))
            why = why or self._refusal_of((door.pick,), UnitPick(units[0]))
            if why is not None:
                return Choice(door.pick, self._label(door), why)
        return None

    def _passed_over(self, here: Hex) -> Refused | None:
        """Return why a unit of the draft can't begin the first order type, where that is what a hex without foes was clicked for.

        A click begins the first type that takes the unit: what stops a move, not what an overrun lacks, is news where nobody stands.
        """
        view, units = self.match.view, self.units()
        if not units or view.side_at(here, view.other(view.side_to_act())):
            return None
        first = self._heads()[0]
        return None if first == self.picks[0] else self._refusal_of((first,), UnitPick(units[0]))

    def _why_not(self, here: Hex) -> Refused | None:
        passed_over = self._passed_over(here)
        if passed_over is not None:
            return passed_over
        walks: Sequence[Picks] = [self.picks] if len(self.picks) > 1 else [(head,) for head in self._heads()]
        view = self.match.view
        picks: list[Pick] = [UnitPick(unit.id) for unit in reversed(stacked(view, here))]  # who lies on top is whom one clicked
        own = bool(view.side_at(here, view.side_to_act()))
        if not own:  # of his own stack one asks what it can do, not whether it is a target
            picks.insert(0, HexPick(here))
        for walk in walks:
            refusals = [self._refusal_of(walk, pick) for pick in picks]
            if own and None in refusals:
                continue  # one of the stack may still come into it: what bars another is no answer for the hex
            why = next((refused for refused in refusals if refused is not None), None)
            if why is not None:
                return why
        return None

    # ---------------------------------------------------------------- what is asked

    def must_answer(self) -> bool:
        """Say whether the moment is a question, such as that for losses: nothing that is open can be given without a pick."""
        heads = self._heads() if self.match.may_act else []
        return bool(heads) and not any(self.offer((head,)).complete for head in heads)

    def is_asked(self) -> bool:
        """Say whether the moment is a question: one that must be answered, or that an order says no to."""
        orders = self.match.setting.ruleset.orders
        heads = self._heads() if self.match.may_act else []
        return self.must_answer() or any(isinstance(head, OptionPick) and orders[head.option].declines for head in heads)

    def asked(self) -> tuple[Hex, ...]:
        """Return the hexes that a question is about, none where it is about more than can be looked at."""
        hexes = sorted({here for led in self.able().values() for here in led}) if self.is_asked() else []
        return tuple(hexes) if len(hexes) <= MAX_CHOICES else ()

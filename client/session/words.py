"""Events in words, for the log: what happened, with its arithmetic and rules. Bookkeeping that nobody asks for is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from core import events
from core.board import NEAR, Place
from core.fold import fold
from core.hidden import is_unknown
from core.log import Entry
from core.text import Text, text
from core.units import UnitId
from core.views import View

FIGURES = {
    "army": text("Army"),
    "assets": text("Economic assets"),
    "attack": text("Attack"),
    "cities": text("Cities"),
    "city_losses": text("Losses in the city"),
    "column": text("Column"),
    "defence": text("Defence"),
    "destroyed_assets": text("Destroyed assets"),
    "die": text("Die"),
    "drm": text("DRM"),
    "due": text("Due"),
    "if_it_fires": text("If it fires"),
    "landing": text("Landing"),
    "length": text("Length"),
    "odds": text("Odds"),
    "production": text("Production"),
    "production_number": text("Production Number"),
    "ratio": text("Ratio"),
    "result": text("Result"),
    "roll": text("Roll"),
    "siege_artillery": text("Siege artillery"),
    "steps": text("Steps"),
    "total": text("Total"),
}


_MINUS = re.compile(r"(?<![\w.])-(?=\d)")  # before a number, and not between two: odds are 1-2
STEPS_ON = frozenset({"column"})  # figures whose parts do not add up: each takes the place of the one before
SIGNED = frozenset({"drm"})  # figures that are added to a die: they bear their sign, as on a chart
TABLE_ENDS = str(text("where the table ends"))


class Figure(msgspec.Struct, frozen=True):
    """One explained figure: its name, how it came about, the rules that made it."""

    key: str
    sum: str
    value: str
    rules: tuple[str, ...]

    @property
    def name(self) -> Text:
        """Return the figure's name for people; one that is no common figure, such as a counter's, names itself."""
        return FIGURES.get(self.key) or Text("{name}", {"name": self.key[:1].upper() + self.key[1:].replace("_", " ")})

    @property
    def is_sum(self) -> bool:
        """Say whether it came about of several parts, one after another."""
        return " + " in self.sum or " − " in self.sum or "→" in self.sum

    @property
    def total(self) -> str:
        """Return the value where the sum doesn't end in it already."""
        if self.key in STEPS_ON and (f"→ {self.value}" in self.sum or f"{self.value}, {TABLE_ENDS}" in self.sum):
            return ""
        return "" if self.sum in (self.value, f"{self.value} ({self.rules[0] if self.rules else ''})") else self.value


class LogLine(msgspec.Struct, frozen=True):
    """One line of the log. *places* are for jumping there.

    *kind*: ``phase``, ``move``, ``battle``, ``loss``, ``dice``, ``table`` (a table act), ``other``.
    """

    kind: str
    text: Text
    figures: tuple[Figure, ...] = ()
    places: tuple[Place, ...] = ()


def describe(
    event: events.Event,
    view: View,
    titles: Mapping[str, str] = MappingProxyType({}),
    boxes: Mapping[str, str] = MappingProxyType({}),
) -> LogLine | None:
    """Return an event in words, None for bookkeeping.

    Names are read from *view*, where every counter ever placed is known; *titles* are those of the sides, *boxes* those of the boxes.
    """
    if isinstance(event, events.ControlChanged):
        return _control(event, view, titles)
    if isinstance(event, events.Moved) and event.path[-1] < 0:
        return _boxed(event, view, boxes)
    tell = _TELL.get(type(event))
    return None if tell is None else tell(event, view)


def told(
    happened: Iterable[tuple[events.Event, View]], titles: Mapping[str, str], boxes: Mapping[str, str]
) -> Iterator[tuple[events.Event, LogLine]]:
    """Yield events, each with its view, in words; what goes off the map into a box is told in one line."""
    removed: tuple[events.Removed, LogLine] | None = None  # that may go into a box yet
    for event, view in happened:
        line = describe(event, view, titles, boxes)
        if removed is not None:
            if isinstance(event, events.Moved) and event.units == (removed[0].unit,) and event.path[-1] < 0:
                line = _laid_aside(removed[0], event, view, boxes)
            else:
                yield removed
        removed = (event, line) if isinstance(event, events.Removed) and line is not None else None
        if removed is None and line is not None:
            yield event, line
    if removed is not None:
        yield removed


def _laid_aside(removed: events.Removed, moved: events.Moved, view: View, boxes: Mapping[str, str]) -> LogLine:
    box, why = box_title(view.board.name(moved.path[-1]), boxes), removed.why.replace("_", " ")
    return LogLine(_loss_or_other(removed, view), text("{unit}: {why}, to the {box}", unit=view.name(removed.unit), why=why, box=box))


def tellable(entry: Entry, view: View) -> Iterator[tuple[events.Event, View]]:
    """Fold an entry into the position of a view; yield each event when the view knows the counters that it names.

    They may not be known before it, and a viewer forgets those that go out of his sight.
    """
    for event in entry.events:
        goes = isinstance(event, events.Veiled)
        if not goes:
            fold(view.position, event)
        yield event, view
        if goes:
            fold(view.position, event)


def names_of(units: tuple[UnitId, ...], view: View) -> str:
    """Return units as people list them; more than three are counted."""
    known = [view.name(unit) for unit in units if unit in view.position.units]
    if len(known) > 3:
        return f"{', '.join(known[:2])} +{len(known) - 2}"
    return ", ".join(known)


def figure_of(line: events.Line, *, of_battle: bool = True) -> Figure:
    """Return an explained figure for showing; what counts together for something else than a battle, such as cities, is named."""
    rules = tuple(dict.fromkeys(part.rule for part in line.parts if part.rule))
    told = str(line)
    if line.key in STEPS_ON:
        told = "".join(_moved_on(line.parts)) or told
    elif len(line.parts) > 1 and len({part.rule for part in line.parts}) == 1 and rules:  # one rule for all: it is cited once
        named = not of_battle and all(part.value.isdecimal() and str(part.text) for part in line.parts)
        told = f"{' + '.join(f'{part.text} {part.value}' if named else part.value for part in line.parts)} ({rules[0]})"
    elif len(rules) < len([part for part in line.parts if part.rule]):
        told = " + ".join(_gathered(line.parts))
    told, value = told.replace("+ -", "− ").replace("+ +", "+ "), line.value  # parts that bear their own sign
    if line.key in SIGNED:
        told, value = (f"+{one}" if one[:1].isdigit() and one != "0" else one for one in (told, value))
    return Figure(line.key, with_minus(told), with_minus(value), rules)


def _moved_on(parts: Sequence[events.Part]) -> Iterator[str]:
    """Yield each part, after the first by way of an arrow; one that leaves all as it was says why: there is nowhere further to go."""
    before = ""
    for part in parts:
        if before:
            yield f", {TABLE_ENDS}" if part.value == before else f" → {part.value}"
        else:
            yield part.value
        yield f" ({part.rule})" if part.rule else ""
        before = part.value


def with_minus(told: str) -> str:
    """Return figures with the sign of a minus before what is less than nothing.

    >>> with_minus("-2 (8.5) + 1-2")
    '−2 (8.5) + 1-2'
    """
    return _MINUS.sub("−", told)


def _gathered(parts: Sequence[events.Part]) -> Iterator[str]:
    """Yield the parts of a sum, those of one rule together where the first of them stands: a rule is cited once in a line."""
    of = {rule: [part.value for part in parts if part.rule == rule] for rule in dict.fromkeys(part.rule for part in parts)}
    for part in parts:
        values = of.pop(part.rule, []) if part.rule else [part.value]
        if len(values) == 1:
            told = values[0]
        elif len(set(values)) == 1 and values[0][:1].isdigit():
            told = f"{len(values)} × {values[0]}"
        else:
            told = f"({' + '.join(values)})"
        if values:
            yield f"{told} ({part.rule})" if part.rule else told


def together(*titles: str) -> str:
    """Return titles beside one another, none of them twice.

    >>> together("The War", "The War"), together("The War", "A Battle")
    ('The War', 'The War · A Battle')
    """
    return " · ".join(dict.fromkeys(titles))


def is_battle(event: events.Explained) -> bool:
    """Say whether an explanation is that of a battle: it names odds, or the column that they led to."""
    return any(line.key in ("column", "odds", "ratio") for line in event.lines)


def _phase(event: events.PhaseBegan, view: View) -> LogLine:
    turn, phase = view.ruleset.turn_name(view, event.turn), view.ruleset.phase_name(event.phase)
    return LogLine("phase", text("Turn {turn}, {date}: {phase}", turn=event.turn, date=str(turn), phase=str(phase)))


def _placed(event: events.Placed, view: View) -> LogLine | None:
    if event.place < 0:
        return None
    what = text("{unit} appears in {hex}", unit=view.name(event.unit), hex=view.board.name(event.place))
    return LogLine("other", what, places=(event.place,))


def _moved(event: events.Moved, view: View) -> LogLine:
    what = text("{units} to {hex}", units=names_of(event.units, view), hex=view.board.name(event.path[-1]))
    return LogLine("move", what, places=tuple(place for place in event.path if place >= 0))


def _boxed(event: events.Moved, view: View, boxes: Mapping[str, str]) -> LogLine:
    what = text("{units}: to the {box}", units=names_of(event.units, view), box=box_title(view.board.name(event.path[-1]), boxes))
    return LogLine("move", what, places=tuple(place for place in event.path if place >= 0))


def box_title(name: str, boxes: Mapping[str, str]) -> str:
    """Return a box's name for people: the pack's title, else its own words."""
    return boxes.get(name, name.replace("_", " "))


def _shown(event: events.Shown, view: View) -> LogLine | None:
    unit = event.unit
    if is_unknown(unit.id):
        return None  # how they go is told by `UnknownMoved`
    name = view.types[unit.type].called(unit.name)
    if unit.place < 0:
        return LogLine("other", text("{unit} is known now", unit=name))
    return LogLine("other", text("{unit} is seen in {hex}", unit=name, hex=view.board.name(unit.place)), places=(unit.place,))


def _revealed(event: events.Revealed, view: View) -> LogLine:
    return LogLine("other", text("{unit} is turned up", unit=view.name(event.unit)))


def _unknown_moved(event: events.UnknownMoved, view: View) -> LogLine:
    places = tuple(place for place in event.path if place >= 0)
    return LogLine("move", text("unknown counters to {hex}", hex=view.board.name(event.path[-1])), places=places)


def _removed(event: events.Removed, view: View) -> LogLine:
    return LogLine(_loss_or_other(event, view), text("{unit}: {why}", unit=view.name(event.unit), why=event.why.replace("_", " ")))


def _loss_or_other(event: events.Removed, view: View) -> str:
    return "loss" if view.ruleset.losses.are(event.why) else "other"  # who is converted or built into another is not lost


def _steps(event: events.StepsChanged, view: View) -> LogLine:
    place = view.unit(event.unit).place
    full = view.type(event.unit).steps
    what = text("{unit} has {steps} of {full} {full:step|steps}", unit=view.name(event.unit), steps=event.steps, full=full)
    kind = "loss" if event.steps < full else "other"  # who has all of them lost none, but won some, or gave a marker back
    return LogLine(kind, what, places=(place,) if place >= 0 else ())


def _control(event: events.ControlChanged, view: View, titles: Mapping[str, str]) -> LogLine:
    what = text("{hex} is held by the {side}", hex=view.board.name(event.hex), side=titles.get(event.side, event.side))
    return LogLine("other", what, places=(event.hex,))


def _drawn(event: events.Drawn, view: View) -> LogLine:
    return LogLine("dice", text("{unit} draws {chit}", unit=view.name(event.unit), chit=event.chit))


def _returned(event: events.Returned, view: View) -> LogLine:
    words = "{unit}: its marker goes back into cup {cup}" if event.cup else "{unit}: its marker leaves the game"
    return LogLine("dice", text(words, unit=view.name(event.unit), cup=event.cup))


def _rolled(event: events.Rolled, view: View) -> LogLine:
    del view
    return LogLine("dice", text("{purpose}: rolls {value}", purpose=event.purpose.replace("_", " "), value=event.value))


def _explained(event: events.Explained, view: View) -> LogLine:
    battle = is_battle(event)
    figures = tuple(figure_of(line, of_battle=battle) for line in event.lines)
    return LogLine("battle" if battle else "other", event.title, figures, places=_places_in(event.title, view))


def _places_in(title: Text, view: View) -> tuple[Place, ...]:
    """Return the hexes that a title names: an explanation holds words alone."""
    named = [part for value in title.args.values() if isinstance(value, str) for part in value.split(", ")]
    labels = [part.partition(NEAR)[0].rpartition("(")[2].rstrip(")") for part in named]
    return tuple(view.board.hex(label) for label in labels if view.board.has(label))


def _ended(event: events.GameEnded, view: View) -> LogLine:
    del view
    return LogLine("phase", text("The game is over: {result}", result=event.outcome.result))


_TELL: dict[type[events.Event], Callable[[Any, View], LogLine | None]] = {
    events.PhaseBegan: _phase,
    events.Placed: _placed,
    events.Moved: _moved,
    events.Removed: _removed,
    events.Shown: _shown,
    events.Revealed: _revealed,
    events.UnknownMoved: _unknown_moved,
    events.StepsChanged: _steps,
    events.Drawn: _drawn,
    events.Returned: _returned,
    events.Rolled: _rolled,
    events.Explained: _explained,
    events.GameEnded: _ended,
}

"""A game as a window sees it: the position shown, what may be picked, the entries so far, and where in time it stands.

`Match` is what every kind of game offers; `LoggedMatch` gives it for any game whose log is at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Protocol

import msgspec

from client.session.acts import lines_of
from client.session.course import Course
from client.session.course import Moment as Moment
from client.session.tally import Tally, tally_of
from client.session.words import LogLine, is_battle, tellable, together, told
from core import match as core_match
from core.board import OUT, Place
from core.errors import Refused
from core.events import ControlChanged, Event, Explained, Moved, PhaseBegan, Placed, Removed, Shown, UnknownMoved
from core.log import ROOT, Entry
from core.options import Offer, options
from core.orders import Order, Picks, name_of
from core.pack import Lettering, Manifest, Pack
from core.position import Outcome, Position
from core.seen import is_read
from core.setting import Setting
from core.text import text
from core.units import Side, UnitId
from core.views import View


class Route(msgspec.Struct, frozen=True):
    """A move with the place where it began."""

    start: Place
    move: Moved


class Match(Protocol):
    """A game that a window shows and, where it may, plays.

    Attributes:
        setting: rules, board, scenario.
        manifest: titles and colours of the pack.
        lettering: names on the map.
        title: what the window calls the game.
        course: the runs and battles of its moments.
    """

    setting: Setting
    manifest: Manifest
    lettering: tuple[Lettering, ...]
    title: str
    course: Course

    @property
    def view(self) -> View:
        """Return the position that is shown."""

    @property
    def cursor(self) -> int:
        """Return the index of the shown moment."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game has ended at the moment that is shown, by its rules or at the table; None while it goes on."""

    @property
    def is_live(self) -> bool:
        """Say whether the shown position is the game's present one."""

    @property
    def may_act(self) -> bool:
        """Say whether whoever sits here may give an order now: live, and the decision is his."""

    @property
    def awaits_answer(self) -> bool:
        """Say whether an order is under way whose answer comes later."""

    def moments(self) -> Sequence[Moment]:
        """Return the entries that led to the present position."""

    def lines(self, index: int) -> Sequence[LogLine]:
        """Return what happened in a moment, in words."""

    def moves(self, index: int) -> Sequence[Route]:
        """Return the moves of a moment."""

    def tally(self, index: int) -> Tally:
        """Return what a moment cost, and its dice."""

    def order_name(self, index: int) -> str:
        """Return the type of the order that a moment holds, empty for the set-up."""

    def seek(self, index: int) -> None:
        """Show another moment, any one, in either direction."""

    def options(self, picks: Picks = ()) -> Offer:
        """Return what may be picked next."""

    def order(self, order: Order) -> None:
        """Give an order for the side that the game waits for; Refused if the game says no."""

    def undo(self) -> None:
        """Take the last order of whoever sits here back; Refused where that is not free."""

    def redo(self) -> None:
        """Bring back what was undone; Refused if there is nothing."""

    def to_bytes(self) -> bytes:
        """Return the game as a file."""

    def writer(self) -> Callable[[], bytes]:
        """Return what returns the game of now as a file: in any thread, whatever is played meanwhile."""


KEPT_EVERY, KEPT_LATELY = 128, 16  # moments after which what an undo goes back to is kept: of the whole game, and of its last stretch
NOT_LIVE = text("this is the past: go back to now to give orders")


class LoggedMatch:
    """A match over a `core.match.Match`: time travel, words, moments. Subclasses say who may act and how an order is given.

    Args:
        match: setting, log, present view.
        pack: the pack that the setting was made from.
    """

    def __init__(self, match: core_match.Match, pack: Pack, *, title: str = "") -> None:
        self.match = match
        self.setting: Setting = match.setting
        self.pack = pack
        self.manifest: Manifest = pack.manifest
        self.lettering: tuple[Lettering, ...] = pack.lettering(match.setting.scenario.sections)
        self.title = title or together(pack.manifest.title, match.setting.scenario.title)
        self.show_other(match)
        self.refresh()

    def show_other(self, match: core_match.Match) -> None:
        """Take up another match on the same setting, at its present; `refresh` follows it."""
        self.match = match
        self._path: list[Entry] = []
        self._moments: list[Moment] = []
        self.course = Course()
        self._routes: list[tuple[Route, ...]] = []
        self._places: dict[UnitId, Place] = {}
        self._tallies: list[Tally] = []
        self._steps: dict[UnitId, int] = {}
        self._known: dict[int, tuple[dict[UnitId, Place], dict[UnitId, int]]] = {}  # where everything lay and how strong, by moments told
        self._lines: dict[int, tuple[LogLine, ...]] = {}
        self._cursor: int | None = None  # None: live
        self._past: tuple[int, View] | None = None

    @property
    def outcome(self) -> Outcome | None:
        """How the game has ended at the moment that is shown: by its rules, or at the table; None while it goes on."""
        return self.match.outcome if self.is_live else self.view.position.outcome

    # ---------------------------------------------------------------- time

    def refresh(self) -> None:
        """Follow the log: its head may have moved or gone back."""
        same = self._follow_path()
        path = self._path
        if same < len(self._moments):
            del self._moments[same:]
            self.course.cut(same)
            self._tell_back(same)
        for entry in path[same:]:
            self._moments.append(_moment(entry, self._moments[-1] if self._moments else None))
        lately, side_named = len(path) - KEPT_EVERY, self._sides_by_name()
        for entry in path[len(self._routes) :]:
            at = len(self._routes)
            if at % (KEPT_EVERY if at <= lately else KEPT_LATELY) == 0:
                self._known[at] = dict(self._places), dict(self._steps)
            self._routes.append(_routes(entry, self._places))
            tally = tally_of(entry, self._steps, self._side_of, self.setting.ruleset.losses, side_named=side_named)
            self._tallies.append(tally)
        self._known = {at: kept for at, kept in self._known.items() if at % KEPT_EVERY == 0 or at > lately}
        self.course.follow(self._moments, self._tallies)
        if self._cursor is not None and self._cursor >= len(path) - 1:
            self._cursor = None

    def _follow_path(self) -> int:
        """Take up the path to the head from where it leaves the one that was known; return how many entries stayed.

        To an entry leads one way alone: what lies before one that is on both paths is the same on both.
        """
        log, new = self.match.log, list[Entry]()
        number, same = log.head, 0
        while number != ROOT:
            same = log.depth(number)
            if same <= len(self._path) and self._path[same - 1].number == number:
                break
            new.append(log.entries[number])
            number, same = log.entries[number].parent, 0
        self._path[same:] = reversed(new)
        return same

    def _tell_back(self, count: int) -> None:
        """Go back in time to where no more than so many moments were told of, and where everything lay then is known."""
        there = max(at for at in self._known if at <= count)
        places, steps = self._known[there]
        self._places, self._steps = dict(places), dict(steps)
        self._known = {at: kept for at, kept in self._known.items() if at <= there}
        del self._routes[there:], self._tallies[there:]

    @property
    def view(self) -> View:
        """Return the position that is shown."""
        if self._cursor is None:
            return self.match.view
        number = self._path[self._cursor].number
        if self._past is None or self._past[0] != number:
            self._past = (number, View(self.setting, self.match.log.seek(number), viewer=self.match.viewer))
        return self._past[1]

    @property
    def cursor(self) -> int:
        """Return the index of the shown moment."""
        return len(self._path) - 1 if self._cursor is None else self._cursor

    @property
    def is_live(self) -> bool:
        """Say whether the shown position is the present one."""
        return self._cursor is None

    @property
    def may_act(self) -> bool:
        """Say whether whoever sits here may give an order now."""
        return False

    @property
    def awaits_answer(self) -> bool:
        """Say whether an order is under way: never where the core decides at once."""
        return False

    def seek(self, index: int) -> None:
        """Show another moment."""
        index = max(0, min(index, len(self._path) - 1))
        self._cursor = None if index == len(self._path) - 1 else index

    def moments(self) -> Sequence[Moment]:
        """Return the entries that led to the present position."""
        return self._moments

    def moves(self, index: int) -> Sequence[Route]:
        """Return the moves of a moment."""
        return self._routes[index]

    def tally(self, index: int) -> Tally:
        """Return what a moment cost, and its dice."""
        return self._tallies[index]

    def entries(self, index: int) -> Sequence[Entry]:
        """Return the entries that led to a moment, and its own."""
        return self._path[: index + 1]

    def order_name(self, index: int) -> str:
        """Return the type of the order that a moment holds; empty for the set-up, and for an order that may not be read here."""
        entry = self._path[index]
        return name_of(type(self.match.codec.decode(entry.order))) if is_read(entry) else ""

    def _side_of(self, unit: UnitId) -> Side:
        """Return a unit's side; empty for one that this viewer has never known."""
        return self.match.view.side(unit) if unit in self.match.view.position.units else ""

    def _sides_by_name(self) -> Callable[[str], Side]:
        """Return what says which side a unit of a name is of, empty if both have one; names are gathered when the first is asked for."""

        @cache
        def gathered() -> dict[str, Side]:
            view, found = self.match.view, dict[str, Side]()
            for unit in view.position.units:
                name, side = view.name(unit), view.side(unit)
                found[name] = side if found.get(name, side) == side else ""
            return found

        return lambda name: gathered().get(name, "")

    def lines(self, index: int) -> Sequence[LogLine]:
        """Return what happened in a moment, in words."""
        entry = self._path[index]
        if entry.number not in self._lines:
            happened = (
                (event, view) for event, view in self._tellable(entry)
                if entry.order or not isinstance(event, (Placed, Shown, ControlChanged))
            )
            lines = (line for _, line in told(happened, self.manifest.side_titles, self.manifest.box_titles))
            self._lines[entry.number] = (*_set_up(entry), *lines)
        acts = lines_of(self._acts(index), self.manifest.side_titles, self.match.table.left, log=self.match.log)
        return (*self._lines[entry.number], *acts)

    def _acts(self, index: int) -> Sequence[Entry]:
        """Return the table acts between a moment and the next."""
        after = self._path[index + 1].number if index + 1 < len(self._path) else len(self.match.log)
        return [entry for entry in self.match.log.entries[self._path[index].number + 1 : after] if entry.act is not None]

    def _tellable(self, entry: Entry) -> Iterator[tuple[Event, View]]:
        """Yield an entry's events, each with a view that knows the counters it names: a viewer forgets those that go out of his sight."""
        present = self.match.view
        if not present.viewer:
            yield from ((event, present) for event in entry.events)
            return
        position = self.match.log.seek(entry.parent) if entry.parent != ROOT else Position()
        yield from tellable(entry, View(self.setting, position, viewer=present.viewer))

    # ---------------------------------------------------------------- orders

    def options(self, picks: Picks = ()) -> Offer:
        """Return what may be picked next; nothing where nobody here may act."""
        if not self.may_act:
            why = NOT_LIVE if not self.is_live else text("you don't decide now")
            return Offer(unfinished=Refused("", why))
        return options(self.match.view, picks)

    def order(self, order: Order) -> None:
        """Refuse: nobody plays here."""
        raise Refused("", text("this game is only watched"))

    def undo(self) -> None:
        """Refuse: nobody plays here."""
        raise Refused("", text("this game is only watched"))

    def redo(self) -> None:
        """Refuse: nobody plays here."""
        raise Refused("", text("this game is only watched"))

    def to_bytes(self) -> bytes:
        """Return the game as a file."""
        return self.writer()()

    def writer(self) -> Callable[[], bytes]:
        """Return what returns the game of now as a file: in any thread, whatever is played meanwhile."""
        return self.writer_of(self.match)

    def writer_of(self, match: core_match.Match) -> Callable[[], bytes]:
        """Return what returns a match of this pack as it is now as a file."""
        from core import gamefile

        head = gamefile.head_of(match, made_by="rasputitsa", players=self.players())
        files, log = self.pack.files, match.log.copied()
        return lambda: gamefile.write(head, files, log)

    def players(self) -> Mapping[str, str]:
        """Return who plays each side."""
        return {}


def _routes(entry: Entry, places: dict[UnitId, Place]) -> tuple[Route, ...]:
    """Return an entry's moves, and keep *places* up to date."""
    routes = []
    for event in entry.events:
        if isinstance(event, Placed):
            places[event.unit] = event.place
        elif isinstance(event, Moved):
            routes.append(Route(places.get(event.units[0], OUT), event))
            places.update(dict.fromkeys(event.units, event.path[-1]))
        elif isinstance(event, Removed):
            places[event.unit] = OUT
        elif isinstance(event, Shown):
            places[event.unit.id] = event.unit.place
        elif isinstance(event, UnknownMoved):
            routes.append(Route(event.path[0], Moved((), event.path[1:])))
    return tuple(routes)


def _set_up(entry: Entry) -> tuple[LogLine, ...]:
    """Return one line for all counters that a set-up places."""
    placed = sum(isinstance(event, Placed | Shown) for event in entry.events)
    if entry.order or not placed:
        return ()
    return (LogLine("other", text("{n} {n:counter is|counters are} set up", n=placed)),)


def _moment(entry: Entry, before: Moment | None) -> Moment:
    turn, phase, side = (before.turn, before.phase, before.phase_side) if before else (0, "", "")
    battles = 0
    for event in entry.events:
        if isinstance(event, PhaseBegan):
            turn, phase, side = event.turn, event.phase, event.side
        elif isinstance(event, Explained) and is_battle(event):
            battles += 1
    return Moment(entry.number, turn, phase, side, entry.side, battles)

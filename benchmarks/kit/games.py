"""Games, logs and positions to measure the core on: real ones of bots, and made ones of any size."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from core import events, gamefile, rulesets
from core.board import OUT, Hex
from core.bots import load
from core.events import Event
from core.game import StopDice, begin
from core.log import Entry, Log
from core.match import Match, ServerDice
from core.pack import setting
from core.position import Position
from core.setting import Setting
from core.trials.selfplay import play
from core.trials.table import Table
from core.units import Side, UnitId
from core.views import View
from rasputitsa.packs import load_pack

GAME, SCENARIO, CAMPAIGN = "war_for_the_motherland", "turning_point", "war_for_the_motherland"
LONG = 100_000   # entries of the long log
MANY = 100   # units of the plainest fold
CHITS = (events.CupFilled, events.Drawn, events.ChitPlaced, events.Returned)


@cache
def turning_point() -> Setting:
    """Return the setting of the scenario that all this is measured in."""
    return setting(rulesets.load(GAME), load_pack(GAME), SCENARIO, {})


@cache
def game_of(bot: str, number: int = 3) -> ServerDice:
    """Return a whole game of two bots of one kind."""
    chosen = turning_point()
    return play(chosen, {side: load(bot) for side in chosen.sides}, number)


def events_of(log: Log) -> list[Event]:
    """Return the events of a log in their order."""
    return [event for entry in log.entries for event in entry.events]


@cache
def long_log(length: int = LONG) -> Log:
    """Return a log of *length* entries in one row: the orders of a real game, over and over, after its set-up."""
    real = game_of("busy").match.log.entries
    log = Log()
    log.add(_sealed(log, real[0], list(real[0].events)))
    again = _round(real[1:])
    while len(log) < length:
        for entry, happened in again:
            log.add(_sealed(log, entry, happened))
            if len(log) == length:
                break
    return log


def _sealed(log: Log, like: Entry, happened: Sequence[Event]) -> Entry:
    k = log.k + 1 if like.k else 0
    return log.seal(
        time_ms=like.time_ms + 1000 * len(log), side=like.side, player=like.player, order=like.order, events=happened,
        k=k, links=like.links, salt=bytes(16), pending=log.last_hash if k else b"",
    )


def _round(entries: Sequence[Entry]) -> list[tuple[Entry, list[Event]]]:
    """Return entries with the events that can happen again and again: no chit is drawn, nothing ends, all frames are popped."""
    frames, found = 0, []
    for entry in entries:
        happened: list[Event] = []
        for event in entry.events:
            if isinstance(event, (*CHITS, events.GameEnded)) or (isinstance(event, events.FramePopped) and not frames):
                continue
            frames += isinstance(event, events.FramePushed) - isinstance(event, events.FramePopped)
            happened.append(event)
        found.append((entry, happened))
    found[-1][1].extend([events.FramePopped()] * frames)
    return found


def file_of(match: Match, log: Log | None = None) -> bytes:
    """Return a match as a game file, with another log than its own if one is given."""
    return gamefile.write(gamefile.head_of(match), load_pack(GAME).files, match.log if log is None else log)


@dataclass(frozen=True)
class Moving:
    """A movement phase: the view of who is to move, with what can be moved."""

    view: View
    side: Side
    units: int


def moving(units: int) -> Moving:
    """Return the first movement phase of a real game, the side to move with *units* counters on the map."""
    match = game_of("busy").match
    positions = (match.log.seek(entry.number) for entry in match.log.path())
    view = View(match.setting, next(position for position in positions if position.phase.endswith("movement")))
    side = view.side_to_act()
    table = Table.on(view)
    mine = [unit for unit in view.position.on_map() if view.side(unit.id) == side]
    for here, like in zip(_free(view), mine * units, strict=False):
        if len(mine) == units:
            break
        mine.append(table.unit(table.place(like.type, view.board.label(here), steps=like.steps, began_at=here + 1)))
    return Moving(View(view.setting, view.position), side, len(mine))


def _free(view: View) -> Iterator[Hex]:
    """Yield hexes beside units of the side to move, where nobody stands, in no order."""
    side = view.side_to_act()
    near = {there for unit in view.position.on_map() if view.side(unit.id) == side for there in view.board.within(Hex(unit.place), 2)}
    hexes = sorted(here for here in near if view.board.terrain(here) not in ("sea", "lake") and not view.position.at(here))
    random.Random(4).shuffle(hexes)
    yield from hexes


def campaign() -> Setting:
    """Return the setting of the campaign on all three maps, read anew from its files."""
    return setting(rulesets.load(GAME), load_pack(GAME), CAMPAIGN, {})


def campaign_start() -> View:
    """Return the campaign on all three maps as it is set up."""
    chosen = campaign()
    return View(chosen, begin(chosen, StopDice()).position)


@cache
def finished_campaign(number: int = 1) -> Match:
    """Return a whole campaign of two steady bots."""
    chosen = campaign()
    return play(chosen, {side: load("steady") for side in chosen.sides}, number).match


def some_movers(view: View, count: int) -> list[UnitId]:
    """Return so many units of each side that can step to an empty hex, spread over the map."""
    found: list[UnitId] = []
    for side in view.setting.sides:
        free = [
            unit.id
            for unit in view.position.on_map()
            if view.side(unit.id) == side and not all(view.position.at(there) for there in view.board.adjacent[Hex(unit.place)])
        ]
        found += free[:: max(1, len(free) // count)][:count]
    return found


def crowd(units: int) -> Position:
    """Return a position of *units* counters as real games have them: on the map and out of it, with marks, chits and control."""
    real = game_of("busy").match
    position = Position()
    counters = list(real.view.position.units.values())
    size = real.setting.board.size
    for number in range(units):
        like, unit = counters[number % len(counters)], UnitId(number)
        position.put(type(like)(unit, like.type, like.name, number * 7 % size if number % 8 else OUT, like.steps))
    position.unit_marks["began_at"] = {UnitId(number): 1 + number for number in range(units)}
    position.unit_marks["moved"] = {UnitId(number): 1 for number in range(1, units, 2)}
    position.place_marks["axis_supplied"] = dict.fromkeys(range(size), 1)
    for city in range(100):
        position.control[Hex(city)] = "axis"
    position.next_unit = units
    return position


def plain_events(count: int) -> list[Event]:
    """Return moves and marks of one unit each, in turn."""
    made: list[Event] = []
    for number in range(count // 2):
        unit = UnitId(number % MANY)
        made += [events.Moved((unit,), (number,)), events.Marked((unit,), "spent", number)]
    return made


def plain_fold(happened: Sequence[Event]) -> None:
    """Fold moves and marks into two dicts and nothing else: the least that any fold in Python does."""
    places: dict[UnitId, int] = {}
    marks: dict[tuple[UnitId, str], int] = {}
    for event in happened:
        if type(event) is events.Moved:
            for unit in event.units:
                places[unit] = event.path[-1]
        elif type(event) is events.Marked:
            for unit in event.units:
                marks[unit, event.mark] = event.value

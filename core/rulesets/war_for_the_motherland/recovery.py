"""What becomes of counters that leave the map: for good, to a box, or to the turn track to come back (12.12, 13.5).

Rules: 3.0.1a (airbases), 7.22, 9.27, 9.55, 9.56, 9.57, 12.12, 13.51 to 13.59, 14.23 (destroyed corps).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.events import Event, Explained, Line, Marked, Moved, Part, Placed, Removed
from core.game import Game
from core.ruleset import Losses
from core.rulesets.war_for_the_motherland import strength_markers
from core.rulesets.war_for_the_motherland.terms import (
    BROKEN_DOWN,
    CONVERSION_WAITING,
    CONVERTED,
    DESTROYED_EA,
    DUE,
    EA_KINDS,
    FLEETS,
    TRACK,
    is_army,
    name_or_free,
)
from core.text import text
from core.units import UnitId
from core.views import View

AIRBASE_TURNS = 4  # 9.55, 13.52
DEPOT_TURNS = 4  # 9.27, 13.53
CORPS_TURNS = 2  # 13.55, 13.56
INFANTRY_ARMY, INFANTRY_CORPS, MECHANIZED_CORPS = "sov_infantry_army", "sov_infantry_corps", "sov_mechanized_corps"
CORPS_FOR = {"infantry": INFANTRY_CORPS, "tank": MECHANIZED_CORPS}  # who comes instead of an army that is lost for good
LOSSES = Losses(
    whole=frozenset({"eliminated", "lost for good", "lost in the drop", "overstacked", "cut off", "out of supply"}),
    weakened=frozenset({"replaced"}),  # a corps by its KG (8.91)
    rolled=frozenset({"attrition", "city_losses", "recovery"}),  # 9.91, 20.41, 13.54 to 13.57
)
RETURN_RULES = {"infantry": "13.55", "tank": "13.56"}


def eliminate(game: Game, unit: UnitId, why: str = "eliminated") -> Iterator[Event]:
    """Take a unit off the map and decide what becomes of its counter.

    Every elimination comes here, whatever its cause (D-69). *why* is the log's word for it.
    """
    kind = game.type(unit)
    if unit in game.position.chits:
        yield from strength_markers.take_off(game, unit)  # 7.22
    if kind.kind in EA_KINDS:
        yield from to_box(game, unit, DESTROYED_EA, why)  # 12.12
    elif is_buildable(game, unit):
        yield from to_box(game, unit, BROKEN_DOWN, why)  # 14.23
    elif is_army(kind):
        yield from _ARMIES[kind.kind](game, unit, why)
    elif kind.kind in _SERVICES:
        yield from _SERVICES[kind.kind](game, unit, why)
    else:
        yield Removed(unit, why)  # 13.58, 13.59


def is_buildable(view: View, unit: UnitId) -> bool:
    """Say whether a counter is a German corps, which KG may build again once it is off the map (14.23)."""
    kind = view.type(unit)
    return any(row.corps == kind.id for row in view.charts.breakdown.breakdown)


def to_box(game: Game, unit: UnitId, box: str, why: str) -> Iterator[Event]:
    """Take a unit off the map, without its marks, into a box."""
    yield Removed(unit, why)
    yield Moved((unit,), (game.board.box(box),))


def to_track(game: Game, unit: UnitId, turns: int, why: str = "eliminated", *, rule: str = "13.51") -> Iterator[Event]:
    """Lay a unit on the turn track; it is a reinforcement *turns* turns from now (13.51), as *rule* says."""
    yield from to_box(game, unit, TRACK, why)
    yield from _fix_return(game, unit, turns, rule)


def _fix_return(game: Game, unit: UnitId, turns: int, rule: str) -> Iterator[Event]:
    """Mark a counter on the track with the turn on which it comes, and tell it."""
    due = game.position.turn + turns
    yield Marked((unit,), DUE, due)
    parts = (Part(str(game.position.turn), "", text("this turn")), Part(str(turns), rule, text("turns")))
    title = text("{unit} comes on turn {turn}", unit=game.name(unit), turn=due)
    yield Explained("recovery", title, (Line("due", str(due), parts),))


def take_airbase_off(game: Game, unit: UnitId, why: str) -> Iterator[Event]:
    """Lay an airbase on the track; its fleet waits for it off the map (9.55, 13.52, D-63)."""
    fleet = fleet_of(game, unit)
    if fleet is not None and game.unit(fleet).place >= 0:
        yield Moved((fleet,), (game.board.box(FLEETS),))
    yield from to_track(game, unit, AIRBASE_TURNS, why, rule="13.52")  # 9.55


def fleet_of(view: View, airbase: UnitId) -> UnitId | None:
    """Return the fleet of an airbase, wherever it is: the one that bears its number (10.0); None if it isn't in this game."""
    name = view.unit(airbase).name
    for unit, counter in sorted(view.position.units.items()):
        if counter.name == name and view.type(unit).kind == "air_fleet":
            return unit
    return None


def _take_depot_off(game: Game, unit: UnitId, why: str) -> Iterator[Event]:
    yield from to_track(game, unit, DEPOT_TURNS, why, rule="13.53")  # 9.27


def _take_headquarters_off(game: Game, unit: UnitId, why: str) -> Iterator[Event]:
    die = yield from game.roll("recovery")
    yield from to_track(game, unit, 1 if die <= 3 else 2, why, rule="13.54")  # 9.57


def _lose_army(game: Game, unit: UnitId, why: str) -> Iterator[Event]:
    """Roll for the return of an infantry or tank army (13.55, 13.56)."""
    die = yield from game.roll("recovery")
    yield Removed(unit, why if die > 1 else "lost for good")
    yield from _return_army(game, unit, die)


def _return_army(game: Game, army: UnitId, die: int) -> Iterator[Event]:
    """Let an army that is off the map come back, or a corps for it (13.55, 13.56)."""
    kind = game.type(army).kind
    rule = RETURN_RULES[kind]
    if die > 1:
        yield Moved((army,), (game.board.box(TRACK),))
        yield from _fix_return(game, army, 2 * die, rule)
    else:
        yield from new_on_track(game, CORPS_FOR[kind], game.unit(army).name, CORPS_TURNS, rule=rule)


def new_on_track(game: Game, type: str, name: str, turns: int, *, rule: str) -> Iterator[Event]:
    """Lay a counter that was not yet in play on the turn track; it is called *name* unless another of its type is."""
    unit = UnitId(game.position.next_unit)
    yield Placed(unit, type, name_or_free(game, type, name), game.board.box(TRACK), game.types[type].steps)
    yield from _fix_return(game, unit, turns, rule)


def _lose_guards(game: Game, unit: UnitId, why: str) -> Iterator[Event]:
    """A Guard or Shock army waits to be converted into again, and an army that was converted may come back (13.57)."""
    yield from to_box(game, unit, CONVERSION_WAITING, why)
    army = _converted_army(game)
    if army is None and not game.setting.scenario.rules.get("guard_and_shock_on_map"):
        return  # all that were converted have been rebuilt since (13.26): nobody is left to come back
    die = yield from game.roll("recovery")
    if army is None:
        # The scenario begins with Guards on the map; the army that was converted into this one was never placed.
        army = UnitId(game.position.next_unit)
        box = game.board.box(CONVERTED)
        yield Placed(army, INFANTRY_ARMY, f"{game.unit(unit).name}a", box, game.types[INFANTRY_ARMY].steps)
    if die == 1:
        yield Removed(army, "lost for good")  # struck from the pool (D-70)
    yield from _return_army(game, army, die)


def _converted_army(view: View) -> UnitId | None:
    """Return an army of the pool of converted ones; they differ in nothing but their numbers (D-70)."""
    pool = view.position.at(view.board.box(CONVERTED))
    return next((unit for unit in pool if view.type(unit).kind == "infantry"), None)


_Way = Callable[[Game, UnitId, str], Iterator[Event]]
_ARMIES: dict[str, _Way] = {"infantry": _lose_army, "tank": _lose_army, "guard": _lose_guards, "shock": _lose_guards}
_SERVICES: dict[str, _Way] = {
    "airbase": take_airbase_off,
    "supply_depot": _take_depot_off,
    "headquarters": _take_headquarters_off,
}

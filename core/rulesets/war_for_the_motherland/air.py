"""German airpower (10.0): placing fleets, their zone, lifting them.

Rules: 3.0.1b, 9.62, 9.63, 9.65, 10.0, 10.11, 10.12, 10.13, 10.21a, 10.21b, 10.22, 10.25, 10.26, 11.12, 11.22, and the area of 8.52 to 8.55.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from core.board import Hex
from core.derived import forces
from core.errors import Refused
from core.events import Event, FramePopped, FramePushed, Moved
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, OneHex, OneUnit, Order, Pick, UnitPick
from core.ruleset import Ahead
from core.rulesets.war_for_the_motherland import weather
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import AXIS, FLEETS, counters
from core.text import Text, text
from core.units import UnitId
from core.views import View

RANGE = 4  # hexes from the airbase (10.12, D-62)

# -------------------------------------------------------------------- zone of influence


def fleets(view: View) -> tuple[UnitId, ...]:
    """Return the fleets on the map, lowest number first."""
    return view.derived.get("air fleets", (forces(AXIS),), lambda: tuple(unit for unit, _ in _of_kind(view, "air_fleet")))


def zone(view: View, fleet: UnitId) -> frozenset[Hex]:
    """Return the Air Zone of Influence of a fleet on the map (10.21)."""
    return zone_from(view, fleet, Hex(view.unit(fleet).place))


def zone_from(view: View, fleet: UnitId, here: Hex) -> frozenset[Hex]:
    """Return the zone that a fleet would have in a hex (10.21)."""
    return view.board.within(here, view.type(fleet).values["azoi"])


def in_zone(view: View, here: Hex) -> bool:
    """Say whether a hex lies in any fleet's zone (9.61, 10.23)."""
    return any(here in zone(view, fleet) for fleet in fleets(view))


def covers(view: View, hexes: Iterable[Hex]) -> bool:
    """Say whether one fleet's zone holds all these hexes and the weather lets it support combat (8.52 to 8.55, D-35)."""
    if weather.is_mud(view) or weather.is_snow(view):
        return False  # 8.55, 10.26
    wanted = frozenset(hexes)
    return bool(wanted) and any(wanted <= zone(view, fleet) for fleet in fleets(view))  # 10.22, 8.54


# -------------------------------------------------------------------- placing


class PlaceFleet(Order, frozen=True, tag="place_fleet"):
    """Put an air fleet into a hex within range of its airbase (10.11)."""

    fleet: OneUnit = None
    hex: OneHex = None


class EndFleets(Order, frozen=True, tag="end_fleets"):
    """Leave the remaining fleets off the map this turn (10.11)."""


class PlaceFleets(Step, frozen=True, kw_only=True):
    """The Axis places his air fleets (3.0.1b, 10.1)."""


class LiftFleets(Step, frozen=True, kw_only=True):
    """All fleets leave the map (10.13)."""


def _ask(view: View, decision: FleetsChoice) -> Text:
    waiting = len(waiting_fleets(view))
    return text("Place air fleets: {n} can still be placed", n=waiting)


@RULES.decision(_ask, title=text("Placing air fleets"), ahead=(Ahead.of(text("Place no more fleets"), "end_fleets", side=AXIS),))
class FleetsChoice(Decision, frozen=True, kw_only=True):
    """Each fleet whose airbase is on the map may be placed."""

    orders: ClassVar = ("place_fleet", "end_fleets")
    rule: ClassVar = "10.11"


def airbase_of(view: View, fleet: UnitId) -> UnitId | None:
    """Return the airbase of a fleet if it is on the map: the one that bears its number (10.0)."""
    bases = view.derived.get("airbases", (forces(AXIS),), lambda: _of_kind(view, "airbase"))
    name = view.unit(fleet).name
    return next((base for base, of in bases if of == name), None)


def _of_kind(view: View, kind: str) -> tuple[tuple[UnitId, str], ...]:
    """Return the Axis counters of a kind on the map with their names, lowest number first."""
    return tuple((unit.id, unit.name) for unit, type in counters(view, AXIS) if type.kind == kind)


def waiting_fleets(view: View) -> tuple[UnitId, ...]:
    """Return the fleets that may be placed: off the map, their airbase on it (10.11, 9.63, D-63)."""
    box = view.position.at(view.board.box(FLEETS))
    return tuple(unit for unit in box if view.type(unit).kind == "air_fleet" and airbase_of(view, unit) is not None)


def fleet_hexes(view: View, fleet: UnitId) -> frozenset[Hex]:
    """Return where a fleet may be placed: near its airbase, enemies and terrain ignored (10.12)."""
    base = airbase_of(view, fleet)
    return view.board.within(Hex(view.unit(base).place), RANGE) if base is not None else frozenset()


def compose_place(view: View, draft: PlaceFleet) -> Offer:
    """Offer fleets, then hexes."""
    if draft.fleet is None:
        return _offer_fleets(view)
    if draft.fleet not in waiting_fleets(view):
        return offer(unfinished=_no_fleet(view, draft.fleet))
    hexes = fleet_hexes(view, draft.fleet)
    if draft.hex is None:
        fleet = draft.fleet
        return offer(
            _hex_doors(view, fleet, hexes),
            unfinished=Refused("10.11", text("a hex must be chosen")),
            unknown=lambda pick: _too_far(view, fleet, pick),
            find=lambda pick: Door(pick) if isinstance(pick, HexPick) and pick.hex in hexes else None,
        )
    return offer(unfinished=None if draft.hex in hexes else _too_far(view, draft.fleet, HexPick(draft.hex)))


def _hex_doors(view: View, fleet: UnitId, hexes: frozenset[Hex]) -> Iterator[Door]:
    hungry = needy(view)
    for here in sorted(hexes):
        yield Door(HexPick(here), label=_helped(view, fleet, here, hungry))


def _offer_fleets(view: View) -> Offer:
    box = view.position.at(view.board.box(FLEETS))
    ready = waiting_fleets(view)
    doors = (Door(UnitPick(unit), None if unit in ready else _no_fleet(view, unit)) for unit in box)
    unfinished = Refused("10.11", text("a fleet must be chosen"))
    return offer(doors, unfinished=unfinished, unknown=lambda pick: _no_fleet(view, pick.unit) if isinstance(pick, UnitPick) else None)


def _helped(view: View, fleet: UnitId, here: Hex, hungry: tuple[Hex, ...]) -> Text | None:
    """Return how many of the *hungry* a fleet would supply from a hex (9.61), None if it helps none."""
    zone_there = zone_from(view, fleet, here)
    count = sum(there in zone_there for there in hungry)
    return text("air supply for {n}", n=count) if count else None


def needy(view: View) -> tuple[Hex, ...]:
    """Return the hexes of the German units that only a fleet can supply now, one a unit (9.61)."""
    from core.rulesets.war_for_the_motherland import supply  # it imports us

    units = [unit for unit in supply.judged(view) if view.type(unit).nation == "german" and view.type(unit).kind not in supply.SERVICE]
    return tuple(Hex(view.unit(unit).place) for unit in units if supply.judge(view, unit, air=False) != "supplied")


def _no_fleet(view: View, unit: UnitId) -> Refused:
    """Say why a unit can't be placed as a fleet."""
    if view.type(unit).kind != "air_fleet":
        return Refused("10.11", text("{unit} is no air fleet", unit=view.name(unit)))
    if view.unit(unit).place != view.board.box(FLEETS):
        return Refused("10.11", text("{unit} has been placed", unit=view.name(unit)))
    return Refused("9.63", text("{unit}: its airbase is not on the map", unit=view.name(unit)))


def _too_far(view: View, fleet: UnitId, pick: Pick) -> Refused | None:
    base = airbase_of(view, fleet)
    if base is None or not isinstance(pick, HexPick):
        return None
    distance = view.board.distance(Hex(view.unit(base).place), pick.hex)
    where, whose = view.board.name(pick.hex), view.name(base)
    return Refused("10.12", text("{hex} is {n} hexes from {base}; the range is {range}", hex=where, n=distance, base=whose, range=RANGE))


def compose_end(view: View, draft: EndFleets) -> Offer:
    """Nothing is picked."""
    return offer()


def _zone_of_draft(view: View, draft: PlaceFleet) -> frozenset[Hex]:
    return frozenset() if draft.fleet is None or draft.hex is None else zone_from(view, draft.fleet, draft.hex)


@RULES.order(PlaceFleet, text("Place an air fleet"), rule="10.11", compose=compose_place, covers=_zone_of_draft)
def take_place_fleet(game: Game, order: PlaceFleet) -> Iterator[Event]:
    """Lay the fleet into its hex; the decision stays while another may follow."""
    assert order.fleet is not None, order
    assert order.hex is not None, order
    yield Moved((order.fleet,), (order.hex,))
    if not waiting_fleets(game):
        yield FramePopped()


@RULES.order(EndFleets, text("Place no more fleets"), rule="10.11", compose=compose_end)
def take_end_fleets(game: Game, order: EndFleets) -> Iterator[Event]:
    """Go on without the remaining fleets."""
    yield FramePopped()


@RULES.step(PlaceFleets)
def place_fleets(game: Game, step: PlaceFleets) -> Iterator[Event]:
    """Ask for fleets, except in mud (10.25, 11.12)."""
    if not weather.is_mud(game) and waiting_fleets(game):
        yield FramePushed(FleetsChoice(side=AXIS).frame())


@RULES.step(LiftFleets)
def lift_fleets(game: Game, step: LiftFleets) -> Iterator[Event]:
    """Put all fleets back into their box (10.13)."""
    flying = fleets(game)
    if flying:
        yield Moved(flying, (game.board.box(FLEETS),))

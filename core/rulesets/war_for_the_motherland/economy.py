"""Soviet war economy: strategic ports, OSG production, evacuation (12.0).

Rules: 3.0.7e, 3.0.7f, 3.0.7g, 12.0a, 12.0b, 12.11a, 12.11b, 12.12, 12.21, 12.22a, 12.22b, 12.23, 12.24, 12.31, 12.32a, 12.32b, 12.33a,
12.33b, 12.33c, 12.41, 16.41b.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.board import OUT, Hex
from core.errors import Refused
from core.events import Event, Explained, FramePopped, FramePushed, Line, Marked, Part, Placed
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, OneHex, Order, Pick, UnitPick, UnitSet
from core.ruleset import Ahead, Preview
from core.rulesets.war_for_the_motherland import control, recovery, supply, weather, zoc
from core.rulesets.war_for_the_motherland.ranges import OSG_RANGE
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import AXIS, BEGAN_IN_ZOC, DESTROYED_EA, EVACUATED, SOVIET
from core.text import Text, text
from core.units import UnitId
from core.views import View

OSG = "sov_osg"
MOST_OSG = 10  # on the map (12.24)
MOST_EVACUATIONS = 3  # a Production Turn (12.32)


class CheckPorts(Step, frozen=True, kw_only=True):
    """Strategic ports without a railroad are destroyed, every turn (12.41)."""


class ProduceOsg(Step, frozen=True, kw_only=True):
    """On Production Turns an OSG may be produced (12.22)."""


class AskEvacuation(Step, frozen=True, kw_only=True):
    """On Production Turns factories may be evacuated (12.32)."""


def _osg_prompt(view: View, decision: PlaceOsgChoice) -> Text:
    del view, decision
    return text("Place the new OSG")


@RULES.decision(_osg_prompt, title=text("Placing the new OSG"))
class PlaceOsgChoice(Decision, frozen=True, kw_only=True):
    """The Soviet side places the OSG just produced; it can't wait (12.22)."""

    orders = ("place_osg",)
    rule = "12.22"


class PlaceOsg(Order, frozen=True, tag="place_osg"):
    """Put the new OSG on the map."""

    hex: OneHex = None


def _evacuation_prompt(view: View, decision: Evacuation) -> Text:
    del view, decision
    return text("Evacuate up to {n} factories", n=MOST_EVACUATIONS)


@RULES.decision(
    _evacuation_prompt, title=text("Evacuation of factories"),
    ahead=(Ahead.of(text("Evacuate no factory"), "end_evacuation", side=SOVIET),),
)
class Evacuation(Decision, frozen=True, kw_only=True):
    """The Soviet side evacuates factories, or none (12.32)."""

    orders = ("evacuate", "end_evacuation")
    rule = "12.32"


class Evacuate(Order, frozen=True, tag="evacuate"):
    """Take up to three factories to the east."""

    units: UnitSet = ()


class EndEvacuation(Order, frozen=True, tag="end_evacuation"):
    """Evacuate no factory this turn."""


def on_map_of(view: View, kind: str) -> list[UnitId]:
    """Return the counters of a kind on the map, by hex, then number."""
    found = [unit for unit in view.position.on_map() if view.types[unit.type].kind == kind]
    return [unit.id for unit in sorted(found, key=lambda unit: (unit.place, unit.id))]


def is_production_turn(view: View) -> bool:
    """Say whether this is a Production Turn (12.21)."""
    return weather.turn_of(view).production_number is not None


# -------------------------------------------------------------------- ports


@RULES.step(CheckPorts)
def check_ports(game: Game, step: CheckPorts) -> Iterator[Event]:
    """Destroy each Strategic Port whose railroad is cut; all are judged by one picture."""
    del step
    ports = on_map_of(game, "strategic_port")
    cut = [unit for unit in ports if not supply.rail_to_source(game, Hex(game.unit(unit).place), SOVIET)]
    for unit in cut:
        yield from recovery.eliminate(game, unit, "cut off")  # 12.41


# -------------------------------------------------------------------- production


@RULES.step(ProduceOsg)
def produce_osg(game: Game, step: ProduceOsg) -> Iterator[Event]:
    """Compare the destroyed EA with the Production Number; an OSG that nobody can place is lost (12.22, 12.24, D-67)."""
    del step
    number = weather.turn_of(game).production_number
    if number is None or not game.setting.scenario.rules.get("osg_production", True):
        return  # 12.21, 16.41
    destroyed = len(game.position.at(game.board.box(DESTROYED_EA)))
    yield _explain_production(destroyed, number)
    if destroyed >= number or len(on_map_of(game, "osg")) >= MOST_OSG:
        return  # 12.22, 12.24
    hexes = osg_hexes(game)
    if len(hexes) == 1:
        yield from _place_new(game, hexes[0])
    elif hexes:
        yield FramePushed(PlaceOsgChoice(side=SOVIET).frame())


def _explain_production(destroyed: int, number: int) -> Explained:
    result = "an OSG" if destroyed < number else "none"
    lines = (
        Line("destroyed_assets", str(destroyed), (Part(str(destroyed), "12.22", text("destroyed EA")),)),
        Line("production_number", str(number), (Part(str(number), "12.21", text("Production Number")),)),
    )  # two lines: they are compared, not added
    return Explained("production", text("OSG production: {result}", result=result), lines)


def osg_hexes(view: View) -> tuple[Hex, ...]:
    """Return the hexes in Soviet supply now and in no Axis ZOC, occupied by Soviets or not (12.23, D-67)."""
    fed = supply.supplied_from(view, "soviet") - zoc.exerted(view, AXIS)
    return tuple([here for here in sorted(fed) if weather.is_land(view, here)])


def compose_osg(view: View, draft: PlaceOsg) -> Offer:
    """Offer the hexes."""
    if draft.hex is not None:
        return Offer()
    return offer(
        (Door(HexPick(here)) for here in osg_hexes(view)),
        unfinished=Refused("12.22", text("a hex must be chosen; the OSG can't wait")),
        unknown=lambda pick: _no_osg_hex(view, pick),
    )


def _no_osg_hex(view: View, pick: Pick) -> Refused | None:
    if not isinstance(pick, HexPick):
        return None
    name = view.board.name(pick.hex)
    if zoc.in_enemy_zoc(view, pick.hex, SOVIET):
        return Refused("12.23", text("{hex} is in an Axis ZOC", hex=name))
    return Refused("12.23", text("{hex} is not in Soviet supply", hex=name))


def _covered(view: View, draft: PlaceOsg) -> frozenset[Hex]:
    return frozenset() if draft.hex is None else view.board.within(draft.hex, OSG_RANGE)


@RULES.order(PlaceOsg, text("Place the OSG"), rule="12.22", compose=compose_osg, covers=_covered)
def take_osg(game: Game, order: PlaceOsg) -> Iterator[Event]:
    """Put the OSG there."""
    assert order.hex is not None
    yield FramePopped()
    yield from _place_new(game, order.hex)


def _place_new(game: Game, here: Hex) -> Iterator[Event]:
    """Place an OSG that was lost before, else a new one (12.24); it takes control as any unit does (5.72)."""
    lost = next((unit for unit in sorted(game.position.units.values(), key=lambda unit: unit.id) if _is_lost_osg(game, unit.id)), None)
    count = sum(1 for unit in game.position.units.values() if unit.type == OSG)
    unit, name = (lost.id, lost.name) if lost is not None else (UnitId(game.position.next_unit), str(count + 1))
    yield Placed(unit, OSG, name, here, game.types[OSG].steps)
    yield from control.enter(game, (unit,), here)


def _is_lost_osg(view: View, unit: UnitId) -> bool:
    counter = view.unit(unit)
    return counter.type == OSG and counter.place == OUT


# -------------------------------------------------------------------- evacuation


def mark_factories_in_zoc(game: Game) -> Iterator[Event]:
    """Mark the factories that begin the Administrative Phase of a Production Turn in an Axis ZOC (12.33)."""
    factories = on_map_of(game, "factory") if is_production_turn(game) else []
    caught = tuple(unit for unit in factories if zoc.in_enemy_zoc(game, Hex(game.unit(unit).place), SOVIET))
    if caught:
        yield Marked(caught, BEGAN_IN_ZOC)


@RULES.step(AskEvacuation)
def ask_evacuation(game: Game, step: AskEvacuation) -> Iterator[Event]:
    """Ask if it is a Production Turn and any factory can leave."""
    del step
    if is_production_turn(game) and any(evacuation_refusal(game, unit) is None for unit in on_map_of(game, "factory")):
        yield FramePushed(Evacuation(side=SOVIET).frame())


def evacuation_refusal(view: View, unit: UnitId) -> Refused | None:
    """Return why a counter can't be evacuated, None if it can (12.31, 12.33)."""
    kind, place, name = view.type(unit), view.unit(unit).place, view.name(unit)
    if kind.kind != "factory":
        return Refused("12.31", text("{unit} is no factory", unit=name))
    if place < 0:
        return Refused("12.31", text("{unit} is not on the map", unit=name))
    if view.position.mark(unit, BEGAN_IN_ZOC):
        return Refused("12.33", text("{unit} was in an Axis ZOC when the Administrative Phase began", unit=name))
    if not supply.rail_to_source(view, Hex(place), SOVIET):
        return Refused("12.33", text("no open railroad leads from {unit} to a Soviet supply source", unit=name))
    return None


def compose_evacuation(view: View, draft: Evacuate) -> Offer:
    """Offer factories, three at most."""
    full = len(draft.units) >= MOST_EVACUATIONS
    doors = [
        Door(UnitPick(unit))
        for unit in ([] if full else on_map_of(view, "factory"))
        if unit not in draft.units and evacuation_refusal(view, unit) is None
    ]
    return offer(
        doors,
        unfinished=None if draft.units else Refused("12.32", text("a factory must be chosen")),
        unknown=lambda pick: _no_evacuation(view, draft, pick),
    )


def _no_evacuation(view: View, draft: Evacuate, pick: Pick) -> Refused | None:
    if not isinstance(pick, UnitPick):
        return None
    if len(draft.units) >= MOST_EVACUATIONS:
        return Refused("12.32", text("{n} factories a turn may be evacuated, no more", n=MOST_EVACUATIONS))
    return evacuation_refusal(view, pick.unit)


def preview_evacuation(view: View, draft: Evacuate) -> Preview | None:
    """Show which factories leave: a click on a city takes all that stand there, and none comes back."""
    if not draft.units:
        return None
    lines = []
    for unit in draft.units:
        here = view.board.name(view.unit(unit).place)
        lines.append(Line(view.name(unit), here, (Part(here, "12.32", text("leaves the map")),)))
    return Preview(text("{n} {n:factory leaves|factories leave} the map for good", n=len(draft.units)), tuple(lines))


@RULES.order(Evacuate, text("Evacuate factories"), rule="12.32", compose=compose_evacuation, preview=preview_evacuation)
def take_evacuation(game: Game, order: Evacuate) -> Iterator[Event]:
    """Take the factories to their box, for good (12.32)."""
    yield FramePopped()
    for unit in order.units:
        yield from recovery.to_box(game, unit, EVACUATED, "evacuated")


def compose_end(view: View, draft: EndEvacuation) -> Offer:
    """No factory has to leave."""
    del view, draft
    return Offer()


@RULES.order(EndEvacuation, text("Evacuate no factory"), rule="12.32", compose=compose_end, declines=True)
def take_end(game: Game, order: EndEvacuation) -> Iterator[Event]:
    """Go on."""
    del game, order
    yield FramePopped()

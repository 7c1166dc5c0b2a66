"""Soviet partisans: where they are put and when (9.81, 9.82). What they do to lines is in `supply`.

Rules: 3.0.7h, 9.81a, 9.81b, 9.82a, 9.82b, 13.17b (partisans), 20.35; D-02.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from core.board import Hex
from core.derived import UNITS
from core.errors import Refused
from core.events import Event, FramePopped, FramePushed, Marked, Moved
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, OneHex, OneUnit, Order, Pick, UnitPick
from core.ruleset import Ahead
from core.rulesets.war_for_the_motherland import posts, weather, zoc
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import ARRIVALS, AXIS, PLACED_PARTISAN, SOVIET, units_at
from core.text import Text, text
from core.units import UnitId
from core.views import View

SOVIET_LAND = "soviet"  # country of the hexes where partisans live (9.82)
FROM_SECURITY = 2  # hexes (20.35)


class DeployPartisans(Step, frozen=True, kw_only=True):
    """The Soviet places or moves partisans; *last* in the Administrative Phase, after which new ones can't wait (9.81, 3.0.7h, D-02)."""

    last: bool = False


class PlacePartisan(Order, frozen=True, tag="place_partisan"):
    """Put a partisan into a hex, whether it is new or stands elsewhere (9.81)."""

    partisan: OneUnit = None
    hex: OneHex = None


class EndPartisans(Order, frozen=True, tag="end_partisans"):
    """Leave the other partisans where they are (9.81)."""


def _ask(view: View, decision: PartisansChoice) -> Text:
    return text("Place or move partisans: {n} can still go", n=len(free(view)))


@RULES.decision(
    _ask, title=text("Placing partisans"),
    ahead=(Ahead.of(text("Leave partisans where they are"), "end_partisans", side=SOVIET),),
)
class PartisansChoice(Decision, frozen=True, kw_only=True):
    """Each partisan may be put into another hex, once a turn."""

    orders: ClassVar = ("place_partisan", "end_partisans")
    rule: ClassVar = "9.81"
    last: bool = False


def free(view: View) -> tuple[UnitId, ...]:
    """Return the partisans that may be put somewhere: new or on the map, not yet placed or moved this turn (9.81, D-02)."""
    box = view.board.box(ARRIVALS)
    return tuple(
        unit.id
        for unit in sorted(view.position.units.values(), key=lambda unit: unit.id)
        if view.types[unit.type].kind == "partisan"
        and (unit.place >= 0 or unit.place == box)
        and not view.position.mark(unit.id, PLACED_PARTISAN)
    )


def closed(view: View, here: Hex) -> Refused | None:
    """Return why no partisan may be put into a hex, None if one may (9.82, 20.35)."""
    name = view.board.name(here)
    if not weather.is_land(view, here) or view.board.facts[here].country != SOVIET_LAND:
        return Refused("9.82", text("{hex} is no land of the Soviet Union", hex=name))
    if units_at(view, here, AXIS):
        return Refused("9.82", text("an Axis unit is in {hex}", hex=name))
    if any(view.type(unit).kind == "partisan" for unit in view.position.at(here)):
        return Refused("9.82", text("a partisan is in {hex}", hex=name))
    if here in near_security(view):
        return Refused("20.35", text("a security division is within {n} hexes of {hex}", n=FROM_SECURITY, hex=name))
    return None


def near_security(view: View) -> frozenset[Hex]:
    """Return the hexes that security divisions keep free of partisans (20.35)."""
    if not view.options.get("security_divisions"):
        return frozenset()
    return view.derived.get("near security", (UNITS,), lambda: _near_security(view))


def _near_security(view: View) -> frozenset[Hex]:
    divisions = [unit for unit in view.position.on_map() if view.types[unit.type].kind == "security"]
    return frozenset().union(*(view.board.within(Hex(unit.place), FROM_SECURITY) for unit in divisions))


def open_hexes(view: View) -> tuple[Hex, ...]:
    """Return the hexes where a partisan may be put, lowest first: all that are not `closed`."""
    country = view.derived.get("land of partisans", (), lambda: _country(view))   # 9.82
    shut = (country, zoc.held(view, AXIS), posts.hexes_of(view, "partisan"), near_security(view))  # 9.82, 20.35
    return view.derived.keep("open to partisans", shut, lambda: tuple(sorted(country.difference(*shut[1:]))))


def _country(view: View) -> frozenset[Hex]:
    """Return the land of the Soviet Union."""
    facts = enumerate(view.board.facts)
    return frozenset(Hex(i) for i, fact in facts if fact.country == SOVIET_LAND and weather.is_land(view, Hex(i)))


def compose_place(view: View, draft: PlacePartisan) -> Offer:
    """Offer partisans, then hexes."""
    hexes = open_hexes(view)
    if draft.partisan is None:
        doors = (Door(UnitPick(unit)) for unit in free(view) if hexes)
        missing = text("a partisan must be chosen") if hexes else text("there is no hex for a partisan")
        return offer(
            doors,
            unfinished=Refused("9.81" if hexes else "9.82", missing),
            unknown=lambda pick: _not_free(view, pick.unit) if isinstance(pick, UnitPick) else None,
        )
    if draft.partisan not in free(view):
        return offer(unfinished=_not_free(view, draft.partisan))
    if draft.hex is None:
        return offer(
            (Door(HexPick(here)) for here in hexes),
            unfinished=Refused("9.81", text("a hex must be chosen")),
            unknown=lambda pick: _closed_pick(view, pick),
            find=lambda pick: Door(pick) if isinstance(pick, HexPick) and closed(view, pick.hex) is None else None,
        )
    return offer(unfinished=closed(view, draft.hex))


def _closed_pick(view: View, pick: Pick) -> Refused | None:
    return closed(view, pick.hex) if isinstance(pick, HexPick) else None


def _not_free(view: View, unit: UnitId) -> Refused:
    name = view.name(unit)
    if view.type(unit).kind != "partisan":
        return Refused("9.81", text("{unit} is no partisan", unit=name))
    if view.position.mark(unit, PLACED_PARTISAN):
        return Refused("9.81", text("{unit} has been placed this turn", unit=name))
    return Refused("9.81", text("{unit} has not arrived", unit=name))


def compose_end(view: View, draft: EndPartisans) -> Offer:
    """Nothing is picked; at the turn's last chance new partisans must have been placed (13.17)."""
    decision = view.decision()
    assert isinstance(decision, PartisansChoice), decision
    new = [unit for unit in free(view) if view.unit(unit).place < 0]
    if decision.last and new and open_hexes(view):
        return offer(unfinished=Refused("13.17", text("{unit} can't be delayed", unit=view.name(new[0]))))
    return offer()


@RULES.order(PlacePartisan, text("Place a partisan"), rule="9.81", compose=compose_place)
def take_place_partisan(game: Game, order: PlacePartisan) -> Iterator[Event]:
    """Put the partisan into its hex; the decision stays while another may follow."""
    assert order.partisan is not None, order
    assert order.hex is not None, order
    yield Moved((order.partisan,), (order.hex,))
    yield Marked((order.partisan,), PLACED_PARTISAN)
    if not free(game):
        yield FramePopped()


@RULES.order(EndPartisans, text("Leave partisans where they are"), rule="9.81", compose=compose_end)
def take_end_partisans(game: Game, order: EndPartisans) -> Iterator[Event]:
    """Go on."""
    yield FramePopped()


@RULES.step(DeployPartisans)
def deploy_partisans(game: Game, step: DeployPartisans) -> Iterator[Event]:
    """Ask where partisans go, if any can go anywhere."""
    if free(game) and open_hexes(game):
        yield FramePushed(PartisansChoice(side=SOVIET, last=step.last).frame())

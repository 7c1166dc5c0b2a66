"""Reinforcements: markers into cups, counters from schedule and turn track onto the map (13.0 to 13.3, 13.5).

Rules: 3.0.1d, 3.0.2a, 3.0.5a, 7.15b, 13.0, 13.11a, 13.11b, 13.12, 13.13a, 13.13b, 13.13c, 13.14, 13.15a, 13.15b, 13.16, 13.17a, 13.17b,
13.21, 13.31, 13.32, 13.41, 13.46, 14.14, 14.24, 16.31a, 16.31b, 16.33, 20.31, 20.32.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from core.board import Hex
from core.derived import CONTROL, MARKS, PLACES, STEPS, TRACKS, UNITS
from core.errors import Refused
from core.events import CupFilled, Event, FramePopped, FramePushed, Moved, Placed, PlaceMarked, PlaceUnmarked, Unmarked
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, OneHex, OneUnit, Order, Pick, UnitPick
from core.ruleset import Ahead
from core.rulesets.war_for_the_motherland import control, posts, ranges, sea_supply, stacking, strength_markers, supply, weather, zoc
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import (
    ARRIVALS,
    AXIS,
    AXIS_SUPPLIED,
    CONVERSION_WAITING,
    DUE,
    FINNISH_SUPPLIED,
    FLEETS,
    GERMAN_SEA_SUPPLIED,
    PARATROOP_WAITING,
    RUMANIAN_SUPPLIED,
    SOVIET,
    SOVIET_SUPPLIED,
    TRACK,
    is_allied,
    is_unit,
    side_title,
)
from core.text import Text, text
from core.units import Side, UnitId, UnitType
from core.views import View

AXIS_DISTANCE = 4  # hexes from Soviet units (13.12), and of headquarters from enemies (13.14)
_TOO_NEAR = "{hex} is less than {n} hexes from an enemy unit"
SUPPLIED_MARK = {
    "axis": AXIS_SUPPLIED,
    "rumanian": RUMANIAN_SUPPLIED,
    "finnish": FINNISH_SUPPLIED,
    "soviet": SOVIET_SUPPLIED,
}
# Hexes whose railroad led to a source of the user in this turn's phase 1; kept on turns on which a headquarters waits (13.14, 13.15).
RAILROAD_MARK = {"rumanian": "rumanian_railroad", "finnish": "finnish_railroad", "soviet": "soviet_railroad"}


class NewStrengthMarkers(Step, frozen=True, kw_only=True):
    """Markers due this turn go into their cups (3.0.1d, 13.32)."""


class KeepRailroads(Step, frozen=True, kw_only=True):
    """Keep the picture of the railroads for headquarters that come this turn (13.14, 13.15, D-68)."""


class PlaceReinforcements(Step, frozen=True, kw_only=True):
    """A side receives its reinforcements, then places them (13.11)."""

    side: Side


class AskReinforcements(Step, frozen=True, kw_only=True):
    """Ask for the next reinforcement while one can be placed; *dropped*: an airborne corps has jumped in this phase (13.44)."""

    side: Side
    dropped: bool = False


def _reinforce_prompt(view: View, decision: Reinforce) -> Text:
    n = len(waiting(view, decision.side))
    if not n:
        return text("{side}: an airborne corps may be dropped", side=side_title(decision.side))
    return text("{side}: place reinforcements ({n} {n:waits|wait})", side=side_title(decision.side), n=n)


@RULES.decision(
    _reinforce_prompt, title=text("Placing reinforcements"),
    ahead=(Ahead.of(text("Place no more reinforcements now"), "end_reinforcements"),),
)
class Reinforce(Decision, frozen=True, kw_only=True):
    """A side places a reinforcement, drops an airborne corps, or leaves the rest for later (13.11, 13.17, 13.42)."""

    orders = ("place_reinforcement", "drop_airborne", "end_reinforcements")
    rule = "13.11"
    dropped: bool = False


class PlaceReinforcement(Order, frozen=True, tag="place_reinforcement"):
    """Put a waiting counter on the map."""

    unit: OneUnit = None
    hex: OneHex = None


class EndReinforcements(Order, frozen=True, tag="end_reinforcements"):
    """Leave what is still waiting for a later turn."""


# -------------------------------------------------------------------- markers


@RULES.step(NewStrengthMarkers)
def new_strength_markers(game: Game, step: NewStrengthMarkers) -> Iterator[Event]:
    """Put this turn's markers into the cups; they can't wait (13.17, 13.32)."""
    del step
    for marker in game.charts.mix.marker:
        if marker.turn == game.position.turn and not strength_markers.is_there_at_start(game, marker):
            yield CupFilled(marker.cls, marker.chit, marker.count)  # 7.15, 13.31, 13.32


# -------------------------------------------------------------------- receiving


@RULES.step(KeepRailroads)
def keep_railroads(game: Game, step: KeepRailroads) -> Iterator[Event]:
    """Mark the railroads that headquarters due this turn may use, before anything is judged or lost."""
    del step
    for user, mark in RAILROAD_MARK.items():
        if old := game.position.places_marked(mark):
            yield PlaceUnmarked(tuple(old), mark)
        if any(kind.kind == "headquarters" and supply.user_of(kind) == user for kind in _expected(game)):
            fed = tuple(sorted(supply.clean_rail(game, user).halves))
            if fed:
                yield PlaceMarked(fed, mark)


def _expected(view: View) -> Iterator[UnitType]:
    """Yield the types of the counters that can be placed this turn: those that wait, those due on the track and by the schedule."""
    position, board = view.position, view.board
    due = (unit for unit in position.at(board.box(TRACK)) if position.mark(unit, DUE) <= position.turn)
    yield from (view.type(unit) for unit in (*position.at(board.box(ARRIVALS)), *due))
    arriving = (arrival for arrival in view.setting.scenario.arrival if arrival.turn == position.turn)
    yield from (view.types[type] for arrival in arriving for type, _ in arrival.units)  # 13.0


@RULES.step(PlaceReinforcements)
def receive_reinforcements(game: Game, step: PlaceReinforcements) -> Iterator[Event]:
    """Receive what is due from the turn track and by the schedule, then ask where it goes (3.0.2a, 3.0.5a)."""
    yield from _from_track(game, step.side)
    yield from _from_schedule(game, step.side)
    yield FramePushed(AskReinforcements(side=step.side).frame())


def _from_track(game: Game, side: Side) -> Iterator[Event]:
    """Counters that were removed come back whole; they keep the mark of the track until they are placed (13.51)."""
    for unit in game.side_at(game.board.box(TRACK), side):
        due = game.position.mark(unit, DUE)
        if due <= game.position.turn:
            counter = game.unit(unit)
            yield Placed(unit, counter.type, counter.name, game.board.box(ARRIVALS), game.type(unit).steps)


def _from_schedule(game: Game, side: Side) -> Iterator[Event]:
    """Each counter of the schedule comes whole (13.16), into the box where its kind waits."""
    scenario = game.setting.scenario
    for arrival in scenario.arrival:
        if arrival.turn == game.position.turn and arrival.side == side:  # 13.0
            for type, name in arrival.units:
                kind = game.types[type]
                if "optional" in kind.traits and not game.options.get("security_divisions"):
                    continue  # 20.31
                box = game.board.box(waiting_box(game, kind))
                yield Placed(UnitId(game.position.next_unit), type, name, box, kind.steps)


def waiting_box(view: View, kind: UnitType) -> str:
    """Return the box in which a new counter waits (13.11, 13.21, 13.41)."""
    if kind.kind in ("guard", "shock") and not view.setting.scenario.rules.get("guard_and_shock_on_map"):  # 16.33
        return CONVERSION_WAITING  # 13.21
    return {"airborne": PARATROOP_WAITING, "air_fleet": FLEETS}.get(kind.kind, ARRIVALS)  # 13.41, 13.46


@RULES.step(AskReinforcements)
def ask_reinforcements(game: Game, step: AskReinforcements) -> Iterator[Event]:
    """Ask the side while it has anything to place or drop."""
    from core.rulesets.war_for_the_motherland import airborne  # it asks again by our step

    may_drop = step.side == SOVIET and not step.dropped and airborne.can_drop(game)
    if may_drop or any(legal_hexes(game, unit) for unit in waiting(game, step.side)):
        yield FramePushed(Reinforce(side=step.side, dropped=step.dropped).frame())


# -------------------------------------------------------------------- where


def waiting(view: View, side: Side) -> tuple[UnitId, ...]:
    """Return a side's units that wait to be placed; partisans have their own step (9.81)."""
    box = view.side_at(view.board.box(ARRIVALS), side)
    return tuple(unit for unit in box if is_unit(view.type(unit)))


class Bar(NamedTuple):
    """A rule that closes hexes to counters that arrive: those that are among *hexes*, or with *outside* all others."""

    rule: str
    words: str
    hexes: frozenset[Hex]
    outside: bool = False

    def closes(self, here: Hex) -> bool:
        """Say whether a hex is closed by it."""
        return (here in self.hexes) != self.outside


def legal_hexes(view: View, unit: UnitId) -> tuple[Hex, ...]:
    """Return the hexes where a waiting counter may be placed now, lowest first; all counters that arrive alike have the same."""
    kind = view.type(unit)
    key = ("legal hexes", *_alike(kind))
    return view.derived.get(key, (UNITS, STEPS, MARKS, CONTROL, TRACKS), lambda: _legal_hexes(view, kind))


def _alike(kind: UnitType) -> tuple[Side, supply.User, str, bool, bool]:
    """Return what decides where a counter may arrive."""
    nation = kind.nation if is_allied(kind) else ""
    return (kind.side, supply.user_of(kind), nation, kind.kind == "headquarters", _uses_german_ships(kind))


def _uses_german_ships(kind: UnitType) -> bool:
    """Say whether a unit is one that the Axis may supply by sea (9.72, 9.73, D-56)."""
    return kind.side == AXIS and sea_supply.may_use(kind)


def _legal_hexes(view: View, kind: UnitType) -> tuple[Hex, ...]:
    found: frozenset[Hex] | None = None
    for bar in sorted(_bars(view, kind), key=lambda bar: not bar.outside):   # first those that leave few hexes
        found = bar.hexes if found is None else found & bar.hexes if bar.outside else found - bar.hexes
    return tuple(sorted(found or ()))


def refusal_at(view: View, unit: UnitId, here: Hex) -> Refused | None:
    """Return why a waiting counter may not be placed in a hex, None if it may; stacking counts only later (13.11)."""
    closed = next((bar for bar in _bars(view, view.type(unit)) if bar.closes(here)), None)
    return closed and Refused(closed.rule, text(closed.words, hex=view.board.name(here), n=AXIS_DISTANCE))


def _bars(view: View, kind: UnitType) -> Iterator[Bar]:
    """Yield what closes hexes to a waiting counter, in the order in which refusals name it; at least one of them is *outside*."""
    side, user = kind.side, supply.user_of(kind)
    yield Bar("13.11", "{hex} is water", water(view))
    yield Bar(_rule_of(kind), "{hex} is held by the enemy", zoc.held(view, view.other(side)))  # 13.12, 13.13
    if is_allied(kind):
        yield Bar("4.15", "{hex} holds another Axis nation's units", stacking.allied_elsewhere(view, kind.nation))
    if kind.kind == "headquarters":
        yield Bar("13.14", _TOO_NEAR, near_enemies(view, side))
        yield Bar("13.14", "no railroad leads from {hex} to a source", frozenset(supply.clean_rail(view, user).halves), outside=True)
        yield Bar("13.15", "{hex} was cut off in this turn's Mutual Supply Phase", _marked(view, RAILROAD_MARK[user]), outside=True)
        return
    was_fed = _marked(view, SUPPLIED_MARK[user])
    if _uses_german_ships(kind):
        was_fed |= _marked(view, GERMAN_SEA_SUPPLIED)  # 9.72
    yield Bar("13.15", "{hex} was not in supply in this turn's Mutual Supply Phase", was_fed, outside=True)  # 13.11
    if side == AXIS:
        yield Bar("13.12", _TOO_NEAR, near_enemies(view, side))
    else:
        yield Bar("13.13", "{hex} is in an Axis ZOC", zoc.exerted(view, AXIS))
        yield Bar("13.13", "no Soviet headquarters is in or next to {hex}", _by_headquarters(view), outside=True)


def _rule_of(kind: UnitType) -> str:
    if kind.kind == "headquarters":
        return "13.14"
    return "13.12" if kind.side == AXIS else "13.13"


def water(view: View) -> frozenset[Hex]:
    """Return the hexes where no land unit can stand."""
    hexes = map(Hex, range(view.board.size))
    return view.derived.get("water hexes", (), lambda: frozenset(here for here in hexes if not weather.is_land(view, here)))


def _marked(view: View, mark: str) -> frozenset[Hex]:
    """Return the hexes that bear a mark."""
    places = view.position.place_marks.get(mark, ())
    return view.derived.get(
        ("marked", mark), (PLACES,), lambda: cast("frozenset[Hex]", frozenset([place for place in places if place >= 0]))
    )


def near_enemies(view: View, side: Side) -> frozenset[Hex]:
    """Return the hexes that lie too near to units of the other side; fleets and partisans don't count (13.12, 13.14)."""
    held = zoc.held(view, view.other(side))
    return view.derived.keep(("near enemies", side), (held,), lambda: _near(view, held))


def _near(view: View, held: frozenset[Hex]) -> frozenset[Hex]:
    return frozenset().union(*[view.board.within(there, AXIS_DISTANCE - 1) for there in held])


def _by_headquarters(view: View) -> frozenset[Hex]:
    """Return the hexes with a Soviet headquarters in or next to them."""
    staffs = posts.of_kind(view, SOVIET, "headquarters")
    return view.derived.keep(
        "by headquarters", (staffs,), lambda: frozenset().union(*[view.board.within(Hex(staff.place), 1) for staff in staffs])
    )


# -------------------------------------------------------------------- orders


def compose_placement(view: View, draft: PlaceReinforcement) -> Offer:
    """Offer the waiting units, then the hexes of the chosen one."""
    decision = view.decision()
    assert isinstance(decision, Reinforce)
    if draft.unit is None:
        doors = [_unit_door(view, unit) for unit in waiting(view, decision.side)]
        missing = Refused("13.11", text("no reinforcement waits" if not doors else "a reinforcement must be chosen"))
        return offer(doors, unfinished=missing, unknown=lambda pick: _not_waiting(view, pick))
    if draft.hex is None:
        unit = draft.unit
        return offer(
            (Door(HexPick(here), warning=_stranded(view, unit, here)) for here in legal_hexes(view, unit)),
            unfinished=Refused("13.11", text("a hex must be chosen for {unit}", unit=view.name(unit))),
            unknown=lambda pick: refusal_at(view, unit, pick.hex) if isinstance(pick, HexPick) else None,
        )
    return Offer()


def _stranded(view: View, unit: UnitId, here: Hex) -> Text | None:
    """Return the warning that a unit could never leave a hex, None if it could."""
    if view.type(unit).kind != "siege_artillery" or any(view.board.side_has(here, there, "rail") for there in view.board.adjacent[here]):
        return None
    return text("{unit} moves by railroad alone, and none leads from {hex} (5.28)", unit=view.name(unit), hex=view.board.name(here))


def _covered(view: View, draft: PlaceReinforcement) -> frozenset[Hex]:
    return frozenset() if draft.unit is None or draft.hex is None else ranges.covered_from(view, (draft.unit,), draft.hex)


def _unit_door(view: View, unit: UnitId) -> Door:
    if legal_hexes(view, unit):
        return Door(UnitPick(unit))
    return Door(UnitPick(unit), Refused(_rule_of(view.type(unit)), text("no hex is open to {unit}; it waits", unit=view.name(unit))))


def _not_waiting(view: View, pick: Pick) -> Refused | None:
    if not isinstance(pick, UnitPick):
        return None
    box = view.board.label(view.unit(pick.unit).place)
    if box == CONVERSION_WAITING:
        return Refused("13.21", text("{unit} enters by conversion only", unit=view.name(pick.unit)))
    if box == PARATROOP_WAITING:
        return Refused("13.46", text("{unit} enters by a drop only", unit=view.name(pick.unit)))
    if view.unit(pick.unit).place >= 0:
        return Refused("13.0", text("{unit} is on the map already", unit=view.name(pick.unit)))
    return Refused("13.0", text("{unit} is no reinforcement of this turn", unit=view.name(pick.unit)))


@RULES.order(PlaceReinforcement, text("Place a reinforcement"), rule="13.11", compose=compose_placement, covers=_covered)
def take_placement(game: Game, order: PlaceReinforcement) -> Iterator[Event]:
    """Put the counter on the map and ask for the next one."""
    assert order.unit is not None
    assert order.hex is not None
    decision = game.decision()
    assert isinstance(decision, Reinforce)
    yield FramePopped()
    yield FramePushed(AskReinforcements(side=decision.side, dropped=decision.dropped).frame())
    if game.position.mark(order.unit, DUE):
        yield Unmarked((order.unit,), DUE)
    yield Moved((order.unit,), (order.hex,))
    yield from control.enter(game, (order.unit,), order.hex)


def compose_end(view: View, draft: EndReinforcements) -> Offer:
    """The rest may always wait (13.17)."""
    del view, draft
    return Offer()


@RULES.order(EndReinforcements, text("Place no more reinforcements now"), rule="13.17", compose=compose_end)
def take_end(game: Game, order: EndReinforcements) -> Iterator[Event]:
    """Go on to movement; what waits stays in its box."""
    del game, order
    yield FramePopped()

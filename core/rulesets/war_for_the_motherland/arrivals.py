"""Reinforcements: markers into cups, counters from schedule and turn track onto the map (13.0 to 13.3, 13.5).

Rules: 3.0.1d, 3.0.2a, 3.0.5a, 7.15b, 13.0, 13.11a, 13.11b, 13.12, 13.13a, 13.13b, 13.13c, 13.14, 13.15a, 13.15b, 13.16, 13.17a, 13.17b,
13.21, 13.31, 13.32, 13.41, 13.46, 14.14, 14.24, 16.31a, 16.31b, 16.33, 20.31, 20.32.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.derived import CONTROL, MARKS, STEPS, TRACKS, UNITS
from core.errors import Refused
from core.events import CupFilled, Event, FramePopped, FramePushed, Moved, Placed, PlaceMarked, PlaceUnmarked, Unmarked
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, OneHex, OneUnit, Order, Pick, UnitPick
from core.rulesets.war_for_the_motherland import control, stacking, strength_markers, supply, weather, zoc
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import (
    ARRIVALS,
    AXIS,
    AXIS_SUPPLIED,
    CONVERSION_WAITING,
    DUE,
    FINNISH_SUPPLIED,
    FLEETS,
    PARATROOP_WAITING,
    RUMANIAN_SUPPLIED,
    SOVIET,
    SOVIET_SUPPLIED,
    TRACK,
    has_enemy,
    is_unit,
    side_title,
    units_at,
)
from core.text import Text, text
from core.units import Side, UnitId, UnitType
from core.views import View

AXIS_DISTANCE = 4  # hexes from Soviet units (13.12), and of headquarters from enemies (13.14)
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
    return text("{side}: place reinforcements ({n} wait)", side=side_title(decision.side), n=n)


@RULES.decision(_reinforce_prompt)
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
        old = sorted(place for place, name in game.position.place_marks if name == mark)
        if old:
            yield PlaceUnmarked(tuple(old), mark)
        if any(_is_headquarters_of(game, unit, user) for unit in _expected(game)):
            fed = tuple(sorted(supply.clean_rail(game, user).halves))
            if fed:
                yield PlaceMarked(fed, mark)


def _is_headquarters_of(view: View, unit: UnitId, user: str) -> bool:
    kind = view.type(unit)
    return kind.kind == "headquarters" and supply.user_of(kind) == user


def _expected(view: View) -> tuple[UnitId, ...]:
    """Return the counters that can be placed this turn: those that wait, and those due on the track."""
    position, board = view.position, view.board
    due = tuple(unit for unit in position.at(board.box(TRACK)) if position.mark(unit, DUE) <= position.turn)
    return position.at(board.box(ARRIVALS)) + due


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


def legal_hexes(view: View, unit: UnitId) -> tuple[Hex, ...]:
    """Return the hexes where a waiting counter may be placed now, lowest first."""
    return view.derived.get(("legal hexes", unit), (UNITS, STEPS, MARKS, CONTROL, TRACKS), lambda: _legal_hexes(view, unit))


def _legal_hexes(view: View, unit: UnitId) -> tuple[Hex, ...]:
    return tuple(here for here in _candidates(view, unit) if refusal_at(view, unit, here) is None)


def _candidates(view: View, unit: UnitId) -> list[Hex]:
    """Return hexes among which all legal ones are: those in supply, or next to a headquarters."""
    kind = view.type(unit)
    if kind.kind == "headquarters":
        mark = RAILROAD_MARK[supply.user_of(kind)]
    else:
        mark = SUPPLIED_MARK[supply.user_of(kind)]
    return sorted(Hex(place) for place, name in view.position.place_marks if name == mark and place >= 0)


def refusal_at(view: View, unit: UnitId, here: Hex) -> Refused | None:
    """Return why a waiting counter may not be placed in a hex, None if it may; stacking counts only later (13.11)."""
    kind = view.type(unit)
    if not weather.is_land(view, here):
        return Refused("13.11", text("{hex} is water", hex=view.board.name(here)))
    if has_enemy(view, here, kind.side):
        return Refused(_rule_of(kind), text("{hex} is held by the enemy", hex=view.board.name(here)))  # 13.12, 13.13
    if stacking.closed_to_nation(view, unit, here):
        return Refused("4.15", text("{hex} holds another Axis nation's units", hex=view.board.name(here)))
    if kind.kind == "headquarters":
        return _headquarters_refusal(view, unit, here)
    if not view.position.place_mark(here, SUPPLIED_MARK[supply.user_of(kind)]):
        return Refused("13.15", text("{hex} was not in supply in this turn's Mutual Supply Phase", hex=view.board.name(here)))  # 13.11
    return _too_near(view, kind.side, here, "13.12") if kind.side == AXIS else _soviet_refusal(view, here)


def _rule_of(kind: UnitType) -> str:
    if kind.kind == "headquarters":
        return "13.14"
    return "13.12" if kind.side == AXIS else "13.13"


def _headquarters_refusal(view: View, unit: UnitId, here: Hex) -> Refused | None:
    kind = view.type(unit)
    near = _too_near(view, kind.side, here, "13.14")
    if near is not None:
        return near
    user = supply.user_of(kind)
    if not supply.rail_to_source(view, here, user):
        return Refused("13.14", text("no railroad leads from {hex} to a source", hex=view.board.name(here)))
    if not view.position.place_mark(here, RAILROAD_MARK[user]):
        return Refused("13.15", text("{hex} was cut off in this turn's Mutual Supply Phase", hex=view.board.name(here)))
    return None


def _too_near(view: View, side: Side, here: Hex, rule: str) -> Refused | None:
    if here not in near_enemies(view, side):
        return None
    return Refused(rule, text("{hex} is less than {n} hexes from an enemy unit", hex=view.board.name(here), n=AXIS_DISTANCE))


def near_enemies(view: View, side: Side) -> frozenset[Hex]:
    """Return the hexes that lie too near to units of the other side; fleets and partisans don't count (13.12, 13.14)."""
    return view.derived.get(("near enemies", side), (UNITS,), lambda: _near_enemies(view, side))


def _near_enemies(view: View, side: Side) -> frozenset[Hex]:
    enemy = view.other(side)
    rings = [view.board.within(there, AXIS_DISTANCE - 1) for there in view.position.occupied() if units_at(view, there, enemy)]
    return frozenset().union(*rings)


def _soviet_refusal(view: View, here: Hex) -> Refused | None:
    if zoc.in_enemy_zoc(view, here, SOVIET):
        return Refused("13.13", text("{hex} is in an Axis ZOC", hex=view.board.name(here)))
    near = (here, *view.board.adjacent[here])
    if not any(view.type(unit).kind == "headquarters" for there in near for unit in units_at(view, there, SOVIET)):
        return Refused("13.13", text("no Soviet headquarters is in or next to {hex}", hex=view.board.name(here)))
    return None


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
            (Door(HexPick(here)) for here in legal_hexes(view, unit)),
            unfinished=Refused("13.11", text("a hex must be chosen for {unit}", unit=view.name(unit))),
            unknown=lambda pick: refusal_at(view, unit, pick.hex) if isinstance(pick, HexPick) else None,
        )
    return Offer()


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
    return Refused("13.0", text("{unit} is no reinforcement of this turn", unit=view.name(pick.unit)))


@RULES.order(PlaceReinforcement, text("Place a reinforcement"), rule="13.11", compose=compose_placement)
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

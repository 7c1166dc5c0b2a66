"""Soviet armies: rebuilt from corps, mended by a corps, broken into corps (14.3, 14.4, 20.2).

Rules: 3.0.7c, 3.0.7d, 9.54, 13.26, 14.31, 14.32a, 14.32b, 14.33, 14.34, 14.41, 14.42, 14.43, 14.44, 14.45, 20.21a, 20.21b, 20.22, 20.23.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.errors import Refused
from core.events import Event, FramePopped, FramePushed, Marked, Placed, Removed, StepsChanged
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import OneOption, OneUnit, OptionPick, Order, Pick, UnitPick, UnitSet
from core.ruleset import Ahead
from core.rulesets.war_for_the_motherland import recovery, strength_markers, weather
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.strength import is_in_lack, is_out_of_supply, is_supplied
from core.rulesets.war_for_the_motherland.terms import (
    ARRIVALS,
    AXIS,
    BROKEN_DOWN,
    CONVERTED,
    DUE,
    LACK_OF_SUPPLY,
    ORGANIZED,
    SOVIET,
    TRACK,
    free_name,
    is_army,
    is_corps,
    units_at,
)
from core.text import Text, text
from core.units import UnitId, UnitType
from core.views import View

INCORPORATED = frozenset({"infantry", "mechanized"})  # 14.44
BROKEN_INTO = {  # 20.22
    "two infantry corps": ("sov_infantry_corps", "sov_infantry_corps"),
    "infantry and mechanized corps": ("sov_infantry_corps", "sov_mechanized_corps"),
}


class AskRebuilding(Step, frozen=True, kw_only=True):
    """Ask for the next rebuilding or incorporation while one is possible (14.45)."""


class AskArmyBreakdown(Step, frozen=True, kw_only=True):
    """Ask for the army to be broken down, with the option and on Production Turns (20.21)."""


def _prompt(view: View, decision: Decision) -> Text:
    del view, decision
    return text("Rebuild armies, incorporate corps")


@RULES.decision(
    _prompt, title=text("Rebuilding of armies"),
    ahead=(Ahead.of(text("Rebuild and incorporate no more"), "end_rebuilding", side=SOVIET),),
)
class Rebuild(Decision, frozen=True, kw_only=True):
    """The Soviet side rebuilds an army, mends one, or is done (14.31, 14.41)."""

    orders = ("rebuild_army", "incorporate", "end_rebuilding")
    rule = "14.31"


class RebuildArmy(Order, frozen=True, tag="rebuild_army"):
    """Make an army, called by its name, out of two stacked corps."""

    units: UnitSet = ()
    army: OneOption = None


class Incorporate(Order, frozen=True, tag="incorporate"):
    """Let an army with a reduced marker take in a corps next to it."""

    units: UnitSet = ()


class EndRebuilding(Order, frozen=True, tag="end_rebuilding"):
    """Do no more of this in this turn."""


@RULES.step(AskRebuilding)
def ask_rebuilding(game: Game, step: AskRebuilding) -> Iterator[Event]:
    """Ask while anything can be rebuilt or incorporated."""
    del step
    corps = _corps_on_map(game)
    if any(_corps_partners(game, unit) for unit in corps) or any(_armies_for(game, unit) for unit in corps):
        yield FramePushed(Rebuild(side=SOVIET).frame())


def _corps_on_map(view: View) -> list[UnitId]:
    return [u.id for u in view.position.on_map() if (kind := view.types[u.type]).side == SOVIET and is_corps(kind)]


# -------------------------------------------------------------------- rebuilding


def corps_refusal(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit can't become part of an army, None if it can; ZOC is no bar (14.31, 14.32)."""
    kind, name = view.type(unit), view.name(unit)
    if not (kind.side == SOVIET and is_corps(kind)):
        return Refused("14.31", text("{unit} is no Soviet corps", unit=name))
    if kind.kind == "airborne":
        return Refused("14.32", text("{unit} is an airborne corps", unit=name))
    if view.unit(unit).place < 0:
        return Refused("14.31", text("{unit} is not on the map", unit=name))
    if is_out_of_supply(view, unit):
        return Refused("14.32", text("{unit} is Out of Supply", unit=name))
    return None


def idle_armies(view: View, corps: tuple[UnitId, ...]) -> dict[str, UnitId]:
    """Return the armies that two corps may become, by name (14.33, D-71).

    They are infantry armies that were converted, broken down or eliminated and may come back, and tank armies for two
    mechanized corps; never Guard and Shock armies.
    """
    wanted = {"infantry", "tank"} if all(view.type(unit).kind == "mechanized" for unit in corps) else {"infantry"}
    found: dict[str, UnitId] = {}
    for box in (CONVERTED, BROKEN_DOWN, TRACK, ARRIVALS):
        for unit in view.side_at(view.board.box(box), SOVIET):
            kind = view.type(unit)
            if box == ARRIVALS and not view.position.mark(unit, DUE):
                continue  # a new one, which was never eliminated
            if is_army(kind) and kind.kind in wanted:
                found.setdefault(view.name(unit), unit)
    return found


def _corps_partners(view: View, unit: UnitId) -> list[UnitId]:
    """Return the corps that make an army with this one."""
    if corps_refusal(view, unit) is not None:
        return []
    stack = view.side_at(view.unit(unit).place, SOVIET)
    return [other for other in stack if other != unit and corps_refusal(view, other) is None and idle_armies(view, (unit, other))]


def compose_rebuilding(view: View, draft: RebuildArmy) -> Offer:
    """Offer two stacked corps, then the armies that are out of play."""
    if len(draft.units) < 2:
        some = _corps_partners(view, draft.units[0]) if draft.units else [u for u in _corps_on_map(view) if _corps_partners(view, u)]
        return offer(
            (Door(UnitPick(unit)) for unit in some),
            unfinished=Refused("14.31", text("two stacked corps must be chosen")),
            unknown=lambda pick: _no_partner(view, draft, pick),
        )
    if len(draft.units) > 2:
        return Offer(unfinished=Refused("14.31", text("two corps make an army")))
    if draft.army is None:
        return offer(
            (Door(OptionPick(name), label=_army_label(view, name, unit)) for name, unit in idle_armies(view, draft.units).items()),
            unfinished=Refused("14.31", text("an army must be chosen")),
            unknown=lambda pick: _no_such_army(view, pick),
        )
    return Offer()


def _army_label(view: View, name: str, unit: UnitId) -> Text:
    due = view.position.mark(unit, DUE)
    if due:
        return text("{army} (instead of its return on turn {turn})", army=name, turn=due)
    return text("{army}", army=name)


def _no_partner(view: View, draft: RebuildArmy, pick: Pick) -> Refused | None:
    if not isinstance(pick, UnitPick):
        return None
    barred = corps_refusal(view, pick.unit)
    if barred is not None:
        return barred
    if any(view.unit(other).place != view.unit(pick.unit).place for other in draft.units):
        return Refused("14.13", text("{unit} is in another hex", unit=view.name(pick.unit)))
    stack = [other for other in view.side_at(view.unit(pick.unit).place, SOVIET) if is_corps(view.type(other))]
    why = next(filter(None, (corps_refusal(view, other) for other in stack)), None)
    return why or Refused("14.31", text("{unit} has no second corps, or no army is out of play", unit=view.name(pick.unit)))


def _no_such_army(view: View, pick: Pick) -> Refused:
    asked = pick.option if isinstance(pick, OptionPick) else ""
    guards = any(view.name(unit) == asked and view.types[u.type].kind in ("guard", "shock") for unit, u in view.position.units.items())
    if guards:
        return Refused("14.33", text("{army} comes by conversion only", army=asked))
    return Refused("14.31", text("no army {army} is out of play and may come back this way", army=asked))


@RULES.order(RebuildArmy, text("Rebuild an army"), rule="14.31", compose=compose_rebuilding)
def take_rebuilding(game: Game, order: RebuildArmy) -> Iterator[Event]:
    """Replace the corps by the army, without a marker; a return that it waited for is off (14.31, D-71)."""
    assert order.army is not None
    army = idle_armies(game, order.units)[order.army]
    place, counter = game.unit(order.units[0]).place, game.unit(army)
    hungry = any(is_in_lack(game, unit) for unit in order.units)
    yield FramePopped()
    yield FramePushed(AskRebuilding().frame())
    for unit in order.units:
        yield Removed(unit, "rebuilt")
    yield Removed(army, "rebuilt")  # its marks go
    yield Placed(army, counter.type, counter.name, place, game.type(army).steps)
    if hungry:
        yield Marked((army,), LACK_OF_SUPPLY)  # the supply of this turn lasts (9.12)


# -------------------------------------------------------------------- incorporation


def army_refusal(view: View, unit: UnitId) -> Refused | None:
    """Return why an army can't take in a corps, None if it can (14.41, 14.43)."""
    kind, name = view.type(unit), view.name(unit)
    if not is_army(kind):
        return Refused("14.41", text("{unit} is no army", unit=name))
    if view.unit(unit).place < 0:
        return Refused("14.41", text("{unit} is not on the map", unit=name))
    if view.unit(unit).steps == kind.steps:
        return Refused("14.41", text("{unit} has no reduced marker", unit=name))
    if not is_supplied(view, unit):
        return Refused("14.43", text("{unit} is not in supply", unit=name))
    return None


def food_refusal(view: View, unit: UnitId) -> Refused | None:
    """Return why a corps can't be taken in by any army, None if it can (14.43, 14.44)."""
    kind, name = view.type(unit), view.name(unit)
    if not (kind.side == SOVIET and is_corps(kind) and kind.kind in INCORPORATED):
        return Refused("14.44", text("{unit} is no infantry or mechanized corps", unit=name))
    if view.unit(unit).place < 0:
        return Refused("14.41", text("{unit} is not on the map", unit=name))
    if not is_supplied(view, unit):
        return Refused("14.43", text("{unit} is not in supply", unit=name))
    return None


def takes_in(army: UnitType, corps: UnitType) -> bool:
    """Say whether an army of this type may take in a corps of that type (14.44)."""
    return corps.kind == "mechanized" or army.kind != "tank"


def _armies_for(view: View, corps: UnitId) -> list[UnitId]:
    if food_refusal(view, corps) is not None:
        return []
    here = Hex(view.unit(corps).place)
    near = [unit for there in view.board.adjacent[here] for unit in view.side_at(there, SOVIET)]  # 14.41, D-75
    return sorted(unit for unit in near if army_refusal(view, unit) is None and takes_in(view.type(unit), view.type(corps)))


def _corps_for(view: View, army: UnitId) -> list[UnitId]:
    return [unit for unit in _corps_on_map(view) if army in _armies_for(view, unit)]


def compose_incorporation(view: View, draft: Incorporate) -> Offer:
    """Offer a corps and an army in either order."""
    if len(draft.units) >= 2:
        done = len(draft.units) == 2
        return Offer(unfinished=None if done else Refused("14.42", text("one corps joins one army")))
    if draft.units:
        one = draft.units[0]
        some = _corps_for(view, one) if is_army(view.type(one)) else _armies_for(view, one)
    else:
        pairs = {corps: _armies_for(view, corps) for corps in _corps_on_map(view)}
        some = sorted({unit for corps, armies in pairs.items() if armies for unit in (corps, *armies)})
    return offer(
        (Door(UnitPick(unit)) for unit in some),
        unfinished=Refused("14.41", text("an army with a reduced marker and a corps next to it must be chosen")),
        unknown=lambda pick: _no_incorporation(view, draft, pick),
    )


def _no_incorporation(view: View, draft: Incorporate, pick: Pick) -> Refused | None:
    if not isinstance(pick, UnitPick):
        return None
    unit = pick.unit
    barred = _own_refusal(view, unit)
    if barred is not None:
        return barred
    near = [other for there in view.board.adjacent[Hex(view.unit(unit).place)] for other in view.side_at(there, SOVIET)]
    others = draft.units or [other for other in near if is_army(view.type(other)) != is_army(view.type(unit))]
    found = [why for other in others if (why := _pair_refusal(view, unit, other)) is not None]
    found.sort(key=lambda why: why.rule != "14.43")  # who lacks only supply is the partner that was meant
    return found[0] if found else Refused("14.41", text("{unit} has no partner in a neighbouring hex", unit=view.name(unit)))


def _own_refusal(view: View, unit: UnitId) -> Refused | None:
    return army_refusal(view, unit) if is_army(view.type(unit)) else food_refusal(view, unit)


def _pair_refusal(view: View, unit: UnitId, other: UnitId) -> Refused | None:
    army, corps = (unit, other) if is_army(view.type(unit)) else (other, unit)
    if not takes_in(view.type(army), view.type(corps)):
        return Refused("14.44", text("{army} takes in mechanized corps only", army=view.name(army)))
    return _own_refusal(view, other)


def keeps_apart(view: View, order: Incorporate) -> Refused | None:
    """Return what keeps the army and the corps of an order apart, whoever else is near (14.41 to 14.44); None if it is none of that."""
    if len(order.units) != 2:
        return None
    one, two = order.units
    closed = _own_refusal(view, one) or _own_refusal(view, two) or _pair_refusal(view, one, two)
    if closed is None and not view.board.are_adjacent(Hex(view.unit(one).place), Hex(view.unit(two).place)):
        return Refused("14.41", text("{unit} is not next to {other}", unit=view.name(one), other=view.name(two)))
    return closed


@RULES.order(Incorporate, text("Incorporate a corps"), rule="14.41", compose=compose_incorporation, together=keeps_apart)
def take_incorporation(game: Game, order: Incorporate) -> Iterator[Event]:
    """Remove the corps and turn the army's marker to its front (14.42)."""
    one, two = order.units
    army, corps = (one, two) if is_army(game.type(one)) else (two, one)
    yield FramePopped()
    yield FramePushed(AskRebuilding().frame())
    yield Removed(corps, "incorporated")
    yield StepsChanged(army, game.type(army).steps)  # 14.42
    yield Marked((army,), ORGANIZED)  # 20.21


def compose_end(view: View, draft: Order) -> Offer:
    """Nobody has to."""
    del view, draft
    return Offer()


@RULES.order(EndRebuilding, text("Rebuild and incorporate no more"), rule="14.31", compose=compose_end)
def take_end(game: Game, order: EndRebuilding) -> Iterator[Event]:
    """Go on."""
    del game, order
    yield FramePopped()


# -------------------------------------------------------------------- breaking an army down (20.2)


def _breakdown_prompt(view: View, decision: BreakArmyDown) -> Text:
    del view, decision
    return text("Break one army down into two corps, or none")


@RULES.decision(
    _breakdown_prompt, title=text("Breaking an army down"),
    ahead=(Ahead.of(text("Break no army down"), "keep_armies", side=SOVIET),),
)
class BreakArmyDown(Decision, frozen=True, kw_only=True):
    """The Soviet side breaks one army into corps, or none (20.21)."""

    orders = ("break_army", "keep_armies")
    rule = "20.21"


class BreakArmy(Order, frozen=True, tag="break_army"):
    """Break an army into two corps: two of infantry, or one of infantry and one mechanized."""

    army: OneUnit = None
    into: OneOption = None


class KeepArmies(Order, frozen=True, tag="keep_armies"):
    """Break no army down."""


@RULES.step(AskArmyBreakdown)
def ask_army_breakdown(game: Game, step: AskArmyBreakdown) -> Iterator[Event]:
    """Ask if the option is on and any army qualifies."""
    del step
    if not game.options.get("army_breakdown") or weather.turn_of(game).production_number is None:
        return  # 14.34, 20.21
    if any(break_refusal(game, unit.id) is None for unit in game.position.on_map()):
        yield FramePushed(BreakArmyDown(side=SOVIET).frame())


def break_refusal(view: View, unit: UnitId) -> Refused | None:
    """Return why an army can't be broken down, None if it can (20.21, 20.23)."""
    kind, name = view.type(unit), view.name(unit)
    if not (is_army(kind) and kind.kind == "infantry") or view.unit(unit).place < 0:
        return Refused("20.21", text("{unit} is no regular army on the map", unit=name))
    if view.position.mark(unit, ORGANIZED):
        return Refused("20.21", text("{unit} has incorporated a corps this turn", unit=name))
    if not is_supplied(view, unit):
        return Refused("20.23", text("{unit} is not in supply", unit=name))
    if any(units_at(view, there, AXIS) for there in view.board.adjacent[Hex(view.unit(unit).place)]):
        return Refused("20.23", text("{unit} is next to Axis units", unit=name))
    return None


def compose_breakdown(view: View, draft: BreakArmy) -> Offer:
    """Offer the armies, then the kinds of corps."""
    if draft.army is None:
        return offer(
            (Door(UnitPick(unit.id)) for unit in view.position.on_map() if break_refusal(view, unit.id) is None),
            unfinished=Refused("20.21", text("an army must be chosen")),
            unknown=lambda pick: break_refusal(view, pick.unit) if isinstance(pick, UnitPick) else None,
        )
    if draft.into is None:
        return offer(
            (Door(OptionPick(option), label=text(option)) for option in BROKEN_INTO),
            unfinished=Refused("20.22", text("the kinds of corps must be chosen")),
        )
    return Offer()


@RULES.order(BreakArmy, text("Break an army down"), rule="20.21", compose=compose_breakdown)
def take_army_breakdown(game: Game, order: BreakArmy) -> Iterator[Event]:
    """Replace the army by two corps; it may be built again (20.21, 20.22)."""
    assert order.army is not None
    assert order.into is not None
    place = game.unit(order.army).place
    yield FramePopped()
    if order.army in game.position.chits:
        yield from strength_markers.remove_from(game, order.army)
    yield from recovery.to_box(game, order.army, BROKEN_DOWN, "broken down")
    for type in BROKEN_INTO[order.into]:
        unit = UnitId(game.position.next_unit)
        yield Placed(unit, type, free_name(game, type), place, game.types[type].steps)


@RULES.order(KeepArmies, text("Break no army down"), rule="20.21", compose=compose_end, declines=True)
def keep_armies(game: Game, order: KeepArmies) -> Iterator[Event]:
    """Go on."""
    del game, order
    yield FramePopped()

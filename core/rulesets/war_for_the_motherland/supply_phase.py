"""Mutual Supply Phase (3.0 phase 1): expending depots, airbases, supply status, attrition.

Rules: 3.0.1.0, 3.0.1a, 3.0.1c, 9.11, 9.12, 9.13, 9.26a, 9.26c, 9.26d, 9.27, 9.28d, 9.51, 9.55, 9.56, 9.57, 9.58, 9.63, 10.14, 13.15b (the
picture), 19.44a, 19.44c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from core.board import Hex
from core.errors import Refused
from core.events import Event, Explained, FramePopped, FramePushed, Line, Marked, MarksCleared, Part, PlaceMarked
from core.flow import Decision, Step
from core.game import Game
from core.mechanics import supply as lines
from core.options import Door, Offer, offer
from core.orders import Order, UnitPick, UnitSet
from core.ruleset import Ahead, Preview
from core.rulesets.war_for_the_motherland import attrition, recovery, sea_supply, supply, supply_overlay, zoc
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import (
    AXIS,
    AXIS_SUPPLIED,
    EXPENDED,
    FINNISH_SUPPLIED,
    GERMAN_SEA_SUPPLIED,
    LACK_OF_SUPPLY,
    OUT_OF_SUPPLY,
    RUMANIAN_SUPPLIED,
    SOVIET,
    SOVIET_SUPPLIED,
)
from core.text import Text, text
from core.units import Side, UnitId
from core.views import View

PICTURE = {"axis": AXIS_SUPPLIED, "rumanian": RUMANIAN_SUPPLIED, "finnish": FINNISH_SUPPLIED, "soviet": SOVIET_SUPPLIED}

# -------------------------------------------------------------------- expending depots

NAMED = 3  # units, and depots, that the question names; of more units it tells how many


class ExpendDepots(Step, frozen=True, kw_only=True):
    """The Axis may expend depots before everything else (3.0.1.0, 9.26)."""


class Expend(Order, frozen=True, tag="expend"):
    """Expend supply depots: they supply this turn whoever traces to them, and leave at the end of the phase (9.26)."""

    depots: UnitSet = ()


class KeepDepots(Order, frozen=True, tag="keep_depots"):
    """Expend no depot (9.26)."""


def _ask(view: View, decision: DepotsChoice) -> Text:
    del decision
    # all depots together reach whomever any of them does
    gaining = [view.name(unit) for unit, gains in _changes(view, supply.depots(view)) if gains]
    if not gaining:
        return text("Expend supply depots? No unit would gain supply by it")
    helping = [view.name(depot) for depot in supply.depots(view) if any(gains for _, gains in _changes(view, (depot,)))]
    units, depots = ", ".join(gaining), ", ".join(helping)
    if not 0 < len(helping) <= NAMED:  # only several together, or any of many
        if len(gaining) > NAMED:
            return text("Expend supply depots? {n} units would gain supply by it", n=len(gaining))
        return text("Expend supply depots? {units} would gain supply by it", units=units)
    if len(gaining) > NAMED:
        return text("Expend supply depots? {n} units would gain supply by {depots}", n=len(gaining), depots=depots)
    return text("Expend supply depots? {units} would gain supply by {depots}", units=units, depots=depots)


@RULES.decision(_ask, title=text("Expending supply depots"), ahead=(Ahead.of(text("Expend none"), "keep_depots"),))
class DepotsChoice(Decision, frozen=True, kw_only=True):
    """Any number of depots may be expended, once, before anything is judged."""

    orders: ClassVar = ("expend", "keep_depots")
    rule: ClassVar = "9.26"


@RULES.step(ExpendDepots)
def expend_depots(game: Game, step: ExpendDepots) -> Iterator[Event]:
    """Settle which conquered hexes are sources this turn, then ask for depots to expend."""
    yield MarksCleared((supply.CONQUERED,))
    rules = game.setting.scenario.rules
    labels = [label for label in rules.get("conquered_sources", ()) if game.board.has(label)]
    gained = tuple(here for label in labels if game.position.control.get(here := game.board.hex(label)) == AXIS)  # 19.44, D-84
    if gained:
        yield PlaceMarked(gained, supply.CONQUERED)
    if supply.depots(game):
        yield FramePushed(DepotsChoice(side=AXIS).frame())


def compose_expend(view: View, draft: Expend) -> Offer:
    """Offer the depots that are not yet named."""
    left = (unit for unit in supply.depots(view) if unit not in draft.depots)
    unfinished = None if draft.depots else Refused("9.26", text("a depot must be chosen"))
    return offer(
        (Door(UnitPick(unit)) for unit in left),
        unfinished=unfinished,
        unknown=lambda pick: _no_depot(view, pick.unit) if isinstance(pick, UnitPick) else None,
    )


def _no_depot(view: View, unit: UnitId) -> Refused:
    if view.type(unit).kind != "supply_depot":
        return Refused("9.26", text("{unit} is no supply depot", unit=view.name(unit)))
    if view.unit(unit).place < 0:
        return Refused("9.26", text("{unit} is not on the map", unit=view.name(unit)))
    return Refused("9.26", text("{unit} is named already", unit=view.name(unit)))


def _changes(view: View, depots: Sequence[UnitId]) -> Iterator[tuple[UnitId, bool]]:
    """Yield each unit that gains a line, or else loses it, if these depots are expended."""
    now, then = supply.network(view, "axis"), supply.network_with(view, "axis", frozenset(depots))
    for unit in supply.judged(view):
        kind, here = view.type(unit), Hex(view.unit(unit).place)
        if supply.user_of(kind) != "axis" or supply.needs_no_line(kind) or now.supplies(here) == then.supplies(here):
            continue
        yield unit, then.supplies(here)


def preview_expend(view: View, draft: Expend) -> Preview | None:
    """Show which units gain or lose a line if these depots are expended."""
    if not draft.depots:
        return None
    lines = []
    for unit, gains in _changes(view, draft.depots):
        word = text("gains supply") if gains else text("loses supply")
        lines.append(Line(view.name(unit), str(word), (Part(str(word), "9.26", word),)))
    if not lines:
        return Preview(text("{n} {n:depot|depots} expended: no unit gains or loses supply", n=len(draft.depots)))
    return Preview(text("{n} {n:depot|depots} expended", n=len(draft.depots)), tuple(lines))


def compose_keep(view: View, draft: KeepDepots) -> Offer:
    """Nothing is picked."""
    return offer()


@RULES.order(Expend, text("Expend depots"), rule="9.26", compose=compose_expend, preview=preview_expend)
def take_expend(game: Game, order: Expend) -> Iterator[Event]:
    """Turn the depots over (9.26)."""
    yield Marked(order.depots, EXPENDED)
    yield FramePopped()


@RULES.order(KeepDepots, text("Expend none"), rule="9.26", compose=compose_keep, declines=True)
def take_keep_depots(game: Game, order: KeepDepots) -> Iterator[Event]:
    """Go on."""
    yield FramePopped()


class RemoveExpended(Step, frozen=True, kw_only=True):
    """Expended depots leave the map (9.26)."""


@RULES.step(RemoveExpended)
def remove_expended(game: Game, step: RemoveExpended) -> Iterator[Event]:
    """Lay expended depots on the track for four turns (9.26, 9.27)."""
    for depot in game.position.marked(EXPENDED):
        yield from recovery.eliminate(game, depot, "expended")


# -------------------------------------------------------------------- airbases


class JudgeAirbases(Step, frozen=True, kw_only=True):
    """Airbases without supply leave the map (3.0.1a, 9.55)."""


@RULES.step(JudgeAirbases)
def judge_airbases(game: Game, step: JudgeAirbases) -> Iterator[Event]:
    """Judge all airbases at once, then take off those without a line (9.55, 9.63, 10.14)."""
    bases = [unit for unit in supply.judged(game) if game.type(unit).kind == "airbase"]
    for base in [unit for unit in bases if not supply.can_trace(game, unit)]:
        yield from recovery.eliminate(game, base, "out of supply")  # 9.55


# -------------------------------------------------------------------- all other units


class JudgeUnits(Step, frozen=True, kw_only=True):
    """All units are judged; isolated ones roll (3.0.1c)."""


@RULES.step(JudgeUnits)
def judge_units(game: Game, step: JudgeUnits) -> Iterator[Event]:
    """Judge every unit in one picture of lines, then let what follows happen (D-08).

    A headquarters without supply feeds nobody in that picture, so its armies are judged as if it had gone before them (9.57).
    """
    units = [unit for unit in supply.judged(game) if game.type(unit).kind != "airbase"]  # judged in step a
    status = supply.judge_all(game, units)
    if "isolated" in status.values():
        game.will_draw()  # 9.58; all the rest is made once, and it is the most that any order leads to
    lines = {unit: _line(game, unit, found) for unit, found in status.items() if found != "supplied"}
    yield from _mark_hexes(game)
    yield MarksCleared((OUT_OF_SUPPLY, LACK_OF_SUPPLY))  # 9.51
    yield from _explain(status, lines)
    yield from _remove_services(game, [unit for unit in lines if status[unit] == "out"])
    staying = {unit: status[unit] for unit in units if game.unit(unit).place >= 0}
    yield from _mark_units(staying)
    for side in (AXIS, SOVIET):  # D-08
        for unit, found in staying.items():
            if found == "isolated" and game.side(unit) == side:
                yield from attrition.check(game, unit)  # 9.58


def _mark_hexes(game: Game) -> Iterator[Event]:
    """Keep the picture of supplied hexes for reinforcements (13.11, 13.15, D-68)."""
    picture = {mark: tuple(sorted(_supplied_hexes(game, user))) for user, mark in PICTURE.items()}  # all of one position: made once
    by_sea = tuple(sorted(_by_sea(game, AXIS)))
    yield MarksCleared(tuple(picture))
    if GERMAN_SEA_SUPPLIED in game.position.place_marks:
        yield MarksCleared((GERMAN_SEA_SUPPLIED,))
    for mark, places in (*picture.items(), (GERMAN_SEA_SUPPLIED, by_sea)):
        if places:
            yield PlaceMarked(places, mark)


def _supplied_hexes(view: View, user: supply.User) -> frozenset[Hex]:
    if user == "axis":
        return supply.supplied_from_others(view, view.setting.scenario.rules.get("not_for_arrivals", ()))  # 19.44
    found = supply.supplied_from(view, user)
    if user == "soviet":
        found |= _by_sea(view, SOVIET)  # 9.71
    if user == "finnish":
        found |= _from_finnish_sources(view)
    return found


def _by_sea(view: View, side: Side) -> frozenset[Hex]:
    """Return the hexes where units of a side that may use it, on the Axis side German ones, would be supplied by sea (9.71, 9.72)."""
    return sea_supply.supplied_from(view, side) - zoc.held(view, view.other(side))


def _from_finnish_sources(view: View) -> frozenset[Hex]:
    """Return the hexes that have a line to a source which serves no arrivals but Finnish ones: the exception that 13.12 makes (19.44)."""
    labels, limit = view.setting.scenario.rules.get("not_for_arrivals", ()), supply.RANGE_HALVES["axis"]
    givers = tuple(here for here in supply.sources(view, "axis") if view.board.label(here) in labels)
    if not givers:
        return frozenset()
    of = (supply.counts(view, AXIS), givers, supply.blocked(view, AXIS))
    field: lines.Field = view.derived.keep(
        "lines to finnish sources", of,
        lambda: lines.trace(of[0], sources=givers, blocked=of[2], limit=limit),
        mend=lambda old, was: old.mended(of[2]) if was[:2] == of[:2] else None,
    )
    return field.within(limit) - zoc.held(view, SOVIET)


def _remove_services(game: Game, lost: list[UnitId]) -> Iterator[Event]:
    """Take headquarters, then OSG off the map (9.56, 9.57, D-08)."""
    for kind in ("headquarters", "osg"):
        for unit in lost:
            if game.type(unit).kind == kind:
                yield from recovery.eliminate(game, unit, "out of supply")


def _mark_units(status: dict[UnitId, supply.Status]) -> Iterator[Event]:
    out = tuple(unit for unit, found in status.items() if found in ("out", "isolated"))
    lack = tuple(unit for unit, found in status.items() if found == "lack")
    if out:
        yield Marked(out, OUT_OF_SUPPLY)  # 9.51
    if lack:
        yield Marked(lack, LACK_OF_SUPPLY)  # 9.34, 9.61


_STATES = {"lack": text("lack"), "out": text("out"), "isolated": text("isolated"), "supplied": text("supplied")}


def _explain(status: dict[UnitId, supply.Status], lines: dict[UnitId, Line]) -> Iterator[Event]:
    if lines:
        lack = sum(status[unit] == "lack" for unit in lines)
        title = text("Out of Supply: {out}, Lack of Supply: {lack}", out=len(lines) - lack, lack=lack)
        yield Explained("supply", title, tuple(lines.values()))


def _line(view: View, unit: UnitId, status: supply.Status) -> Line:
    """Return a unit's status and why it has no line, as the log shows it."""
    here = view.board.name(view.unit(unit).place)
    word = str(_STATES[status])
    rule = {"lack": "9.61" if view.side(unit) == AXIS else "9.34", "isolated": "9.58"}.get(status, "9.51")
    return Line(f"{view.name(unit)} ({here})", word, (Part(word, rule, supply_overlay.why_out(view, unit)),))

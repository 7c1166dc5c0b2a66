"""Supply shown: which hexes a side supplies now, along which lines its units and links trace, and what cuts the others off."""

from __future__ import annotations

from core.board import Hex
from core.mechanics import supply as lines
from core.ruleset import Overlay
from core.rulesets.war_for_the_motherland import sea_supply, supply, zoc
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import side_title
from core.text import Text, text
from core.units import Side, UnitId, UnitType
from core.views import View


@RULES.overlay("supply")
def supply_overlay(view: View, side: Side) -> Overlay:
    """Return a side's supplied hexes with their distance, and the lines of all its units, depots and headquarters.

    It shows the present position; what was judged in phase 1 stands on the counters (9.12).
    """
    field = supply.network(view, side).field
    hexes = {here: supply.hexes_text(field.distance(here)) for here in sorted(supply.supplied_from(view, side))}
    lines = {line for user in supply.USERS if supply.side_of(user) == side for line in supply.network(view, user).links.values()}
    lines |= {line_of(view, unit) for unit in supply.judged(view) if view.side(unit) == side}
    return Overlay(text("{side} supply", side=side_title(side)), hexes, tuple(sorted(line for line in lines if len(line) > 1)))


def line_of(view: View, unit: UnitId) -> tuple[Hex, ...]:
    """Return the line that supplies a unit now, from its hex to what gives; empty if there is none or it needs none."""
    kind, here = view.type(unit), Hex(view.unit(unit).place)
    return line_by(view, supply.network(view, supply.user_of(kind)), kind, here)


def line_by(view: View, found: supply.Network, kind: UnitType, here: Hex) -> tuple[Hex, ...]:
    """Return the line that supplies a unit of a type in a hex now; *found* is its user's network."""
    if supply.needs_no_line(kind) or kind.kind == "headquarters":
        return found.links.get(here, ())
    if found.supplies(here):
        return found.field.path(here)
    return sea_supply.line(view, kind.side, here) if sea_supply.reaches(view, kind, here) else ()


@RULES.overlay("supply_cuts")
def cuts_overlay(view: View, side: Side) -> Overlay:
    """Return the units of a side that have no full supply now, with the line that each would need and a cross where it is cut."""
    hexes: dict[Hex, str] = {}
    wanted = []
    for unit in supply.judged(view):
        if view.side(unit) != side or (status := supply.judge(view, unit)) == "supplied":
            continue
        hexes[Hex(view.unit(unit).place)] = status
        line, cut = wanted_line(view, unit)
        if len(line) > 1:
            wanted.append(line)
            hexes |= {here: "×" for here in cut if here not in hexes}
    return Overlay(text("{side} without supply", side=side_title(side)), hexes, tuple(sorted(set(wanted))))


def wanted_line(view: View, unit: UnitId) -> tuple[tuple[Hex, ...], tuple[Hex, ...]]:
    """Return the line that a unit would need, with the hex where it is cut; where one is open and too long, as `why_out` says, that one."""
    cut = cut_of(view, unit)
    if cut is None:
        return (), ()
    field, here = supply.network(view, supply.user_of(view.type(unit))).field, Hex(view.unit(unit).place)
    if field.reaches(here):
        return field.path(here), ()
    return tuple(Hex(there) for there in cut.path), (Hex(cut.hex),) if cut.reason in ("hex", "hexside") else ()


def cut_of(view: View, unit: UnitId) -> lines.Cut | None:
    """Return what keeps a unit from a line of normal length; None if it has one, or is a headquarters: that needs a railroad."""
    kind, here = view.type(unit), Hex(view.unit(unit).place)
    user = supply.user_of(kind)
    if kind.kind == "headquarters" or supply.network(view, user).supplies(here):
        return None
    return _cuts(view, user).cutting(here)


def _cuts(view: View, user: supply.User) -> lines.Cuts:
    """Return what keeps hexes from a line of normal length of a user."""
    found, side = supply.network(view, user), supply.side_of(user)
    counts, blocked = supply.counts(view, side), supply.blocked(view, side)
    of = (counts, found.givers, blocked)
    return view.derived.keep(
        ("cuts", user), of,
        lambda: lines.cuts(counts, sources=found.givers, blocked=blocked, limit=found.range_halves),
        mend=lambda old, was: lines.barred(old, counts, blocked) if was[:2] == of[:2] else None,
    )


def why_out(view: View, unit: UnitId) -> Text:
    """Return in words why a unit has no line of its own."""
    kind, here = view.type(unit), Hex(view.unit(unit).place)
    found = supply.network(view, supply.user_of(kind))
    allowed = supply.hexes_text(found.range_halves)
    if kind.kind == "headquarters" or found.supplies(here):
        return text("no clean railroad to a source")
    if found.field.reaches(here):
        return text("{n} hexes to supply, {limit} allowed", n=supply.hexes_text(found.field.distance(here)), limit=allowed)
    cut = _cuts(view, supply.user_of(kind)).cutting(here)
    if cut.reason == "hex":
        return _cut_at(view, kind.side, Hex(cut.hex))
    if cut.reason == "hexside":
        return text("cut between {hex} and {other}", hex=view.board.name(Hex(cut.hex)), other=view.board.name(Hex(cut.onward)))
    if cut.reason == "range":
        return text("at least {n} hexes to supply, {limit} allowed", n=supply.hexes_text(cut.distance), limit=allowed)
    return text("nothing to trace to")


def _cut_at(view: View, side: Side, here: Hex) -> Text:
    name = view.board.name(here)
    if zoc.ground(view, view.other(side)).is_held[here]:
        return text("cut at {hex}, which the enemy holds", hex=name)  # 9.42
    return text("cut at {hex}, which is in an enemy ZOC", hex=name)

"""Lines of supply and what they mean for a unit (9.1 to 9.7).

A *user* is one of four: ``"axis"`` (German, Italian, Hungarian), ``"rumanian"``, ``"finnish"``, ``"soviet"``.

Rules: 5.26b, 9.11, 9.21a, 9.21b, 9.22, 9.23, 9.25, 9.26a, 9.26b, 9.28a to 9.28d, 9.29, 9.31a, 9.31b, 9.32a, 9.32b, 9.33, 9.34, 9.35,
9.41 to 9.47, 9.51, 9.58, 9.61, 9.62, 9.64, 9.83, 9.85, 19.44a, 20.11, 20.12.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from operator import attrgetter
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from core.board import Hex
from core.derived import CONTROL, MARKS, PLACES, STEPS, TRACKS, UNITS, forces
from core.mechanics import supply as lines
from core.rulesets.war_for_the_motherland import air as airpower
from core.rulesets.war_for_the_motherland import posts, weather, zoc
from core.rulesets.war_for_the_motherland.terms import (
    AXIS,
    DESTROYED,
    EXPENDED,
    MARKERS,
    SOVIET,
    is_ea,
    units_at,
)
from core.units import Side, Unit, UnitId, UnitType
from core.views import View

User = str
USERS: tuple[User, ...] = ("axis", "rumanian", "finnish", "soviet")
Status = Literal["supplied", "lack", "out", "isolated"]

RANGE_HALVES: dict[User, int] = {"axis": 8, "rumanian": 8, "finnish": 8, "soviet": 12}  # 9.21, D-54, 9.31
CAPITALS = {"rumanian": "C6327", "finnish": "C1225"}  # 9.28, D-53
MOSCOW = "C2706"  # 9.32
CONQUERED = "conquered_source"  # mark of a hex that serves the Axis as a source this turn (19.44, D-84)
SERVICE = frozenset({"headquarters", "supply_depot", "airbase", "osg"})  # 9.73

_ASPECTS = (UNITS, STEPS, TRACKS, MARKS, CONTROL)
_ON_FORCES = (forces(AXIS), forces(SOVIET), TRACKS)  # what stands and exerts where; the season with it


def side_of(user: User) -> Side:
    """Return the side that a user belongs to."""
    return SOVIET if user == "soviet" else AXIS


def user_of(kind: UnitType) -> User:
    """Return the user that a unit traces as (9.21, 9.28, 9.31)."""
    if kind.side == SOVIET:
        return "soviet"
    return kind.nation if kind.nation in CAPITALS else "axis"


# -------------------------------------------------------------------- what a line may cross, and what it counts


def blocked(view: View, side: Side) -> lines.Bars:
    """Return the hexes that no line of a side may enter: held by enemies, or in enemy ZOC without a friend (9.42, 9.47)."""
    return view.derived.get(("los blocked", side), _ON_FORCES, lambda: _blocked(view, side))


def _blocked(view: View, side: Side) -> lines.Bars:
    friends, enemies = zoc.ground(view, side), zoc.ground(view, view.other(side))

    def found() -> lines.Bars:
        return lines.Bars((enemies.is_held | enemies.is_in_zone & ~friends.is_held).tobytes())  # 9.42, 4.25

    return view.derived.keep(("bars", side), (friends, enemies), found, mend=lambda old, _: lines.same(old, found()))


def counts(view: View, side: Side) -> lines.Counts:
    """Return for each directed hexside what entering the hex beyond counts in a line of a side, in half hexes (9.43 to 9.46, 9.83)."""
    plain = view.derived.get(("plain counts", side), (PLACES, TRACKS), lambda: _plain(view, side))
    partisans = view.derived.get("hindering", _ON_FORCES, lambda: _hindering(view)) if side == AXIS else ()
    if not partisans:
        return plain
    made = (plain, partisans)
    return view.derived.keep(("hindered counts", side), made, lambda: lines.counts_of(view.board, _with_partisans(view, *made)))


def _plain(view: View, side: Side) -> lines.Counts:
    """Return what a line of a side counts where no partisan is; it hangs on the season and on fortresses that count no more (8.47)."""
    destroyed = frozenset(view.position.place_marks.get(DESTROYED, ()))
    key = ("los counts", side, weather.is_snow(view), destroyed)
    return view.derived.get(key, (), lambda: lines.counts_of(view.board, _plain_counts(view, side)))


def _plain_counts(view: View, side: Side) -> npt.NDArray[np.int32]:
    board = view.board
    hexes = [Hex(i) for i in range(board.size)]
    count_of = np.array([2 * weather.terrain_row(view, here).supply if weather.is_land(view, here) else lines.CLOSED for here in hexes])
    rail, there = board.mask("rail"), board.neighbours
    out = np.where(there >= 0, count_of[there], lines.CLOSED)  # 9.46, 11.24
    out[board.mask("major_river") & ~rail] = lines.CLOSED  # 9.43
    out[rail] = lines.HALF  # 9.45
    water = board.mask("sea", "lake", "ice_road") & ~board.mask("causeway")  # 9.43, 9.44
    if side == SOVIET and weather.is_snow(view):
        water &= ~board.mask("ice_road")  # 5.26, 9.43
    out[water] = lines.CLOSED
    out[np.repeat(count_of >= lines.CLOSED, 6)] = lines.CLOSED
    return out.astype(np.int32)


def _with_partisans(view: View, plain: lines.Counts, partisans: tuple[Hex, ...]) -> npt.NDArray[np.int16]:
    out = plain.by_side.copy()
    for there in partisans:
        for here in view.board.adjacent[there]:
            step = 6 * here + view.board.side_to(here, there)
            if out[step] < lines.CLOSED:
                out[step] = lines.WHOLE if out[step] == lines.HALF else 2 * lines.WHOLE  # 9.83
    return out


def _hindering(view: View) -> tuple[Hex, ...]:
    partisans = {Hex(unit.place) for side in (AXIS, SOVIET) for unit in posts.of_kind(view, side, "partisan")}
    return tuple(here for here in sorted(partisans) if hinders(view, here))


def hinders(view: View, here: Hex) -> bool:
    """Say whether a partisan in a hex counts: there is one, and no Axis unit negates it (9.83, 9.85)."""
    return any(view.type(unit).kind == "partisan" for unit in view.position.at(here)) and not units_at(view, here, AXIS)


# -------------------------------------------------------------------- sources and railroads


def sources(view: View, user: User) -> tuple[Hex, ...]:
    """Return the hexes that feed a user's chains or railroads now: map sources, or a nation's capital (9.21, 9.28, 9.32, D-55).

    A nation whose capital is off the map has its railroads end at the Axis sources instead (D-79).
    """
    printed, closed = _printed_sources(view, user), blocked(view, side_of(user))
    return view.derived.keep(("sources", user), (printed, closed), lambda: closed.free(printed))  # D-55


def _printed_sources(view: View, user: User) -> tuple[Hex, ...]:
    return view.derived.get(("printed sources", user), (MARKS, CONTROL), lambda: _find_sources(view, user))


def _find_sources(view: View, user: User) -> tuple[Hex, ...]:
    board, position = view.board, view.position
    if user in CAPITALS and board.has(CAPITALS[user]):
        return (board.hex(CAPITALS[user]),) if not capital_lost(view, user) else ()
    found = view.derived.get(("named sources", user), (), lambda: _named_sources(view, user))
    if user == "axis":
        found |= _conquered(view)  # 19.44
    if user == "soviet" and board.has(MOSCOW) and position.place_mark(board.hex(MOSCOW), DESTROYED):
        found -= {board.hex(MOSCOW)}  # 9.32: a fortress that lies in ruins (8.47) is a source as before
    return tuple(sorted(found))


def _named_sources(view: View, user: User) -> frozenset[Hex]:
    labels = list(view.setting.scenario.rules.get("soviet_sources" if user == "soviet" else "axis_sources", ()))
    if user == "soviet":
        labels.append(MOSCOW)  # 9.32
    return frozenset(view.board.hex(label) for label in labels if view.board.has(label))


def _conquered(view: View) -> frozenset[Hex]:
    return frozenset(map(Hex, view.position.place_marks.get(CONQUERED, ())))


def capital_lost(view: View, user: User) -> bool:
    """Say whether the enemy controls a nation's capital (9.28)."""
    capital = CAPITALS.get(user, "")
    return view.board.has(capital) and view.position.control.get(view.board.hex(capital)) == SOVIET


def clean_rail(view: View, user: User) -> lines.Field:
    """Return the railroad hexes that are joined to a user's sources, free of enemies and of bare enemy ZOC (9.47)."""
    return view.derived.get(("clean rail", user), _ASPECTS, lambda: _clean_rail(view, user))


def _clean_rail(view: View, user: User) -> lines.Field:
    goals, closed = _printed_sources(view, user), blocked(view, side_of(user))
    found: lines.Field = view.derived.keep(
        ("rail field", user), (goals, closed),
        lambda: lines.connected(view.board, "rail", goals=goals, blocked=closed),
        mend=lambda old, was: old.mended(closed) if was[0] == goals else None,
    )
    return found


def rail_to_source(view: View, here: Hex, side: User) -> bool:
    """Say whether an unbroken clean railroad leads from a hex to a source of the side or user (9.47, 12.33)."""
    return clean_rail(view, side).reaches(here)


# -------------------------------------------------------------------- the network of a user


class Network(msgspec.Struct, frozen=True):
    """Whom a user traces to.

    Attributes:
        givers: hexes of sources, linked or expended depots, supplied headquarters, capital.
        links: of each linked depot or headquarters hex, the line that feeds it.
        field: lines to the givers, up to twice the range (9.58).
        range_halves: the length up to which a line supplies.
    """

    givers: frozenset[Hex]
    links: Mapping[Hex, tuple[Hex, ...]]
    field: lines.Field
    range_halves: int

    def supplies(self, here: Hex) -> bool:
        """Say whether a unit in this hex has a line of normal length."""
        return self.field.distance(here) <= self.range_halves


def network(view: View, user: User) -> Network:
    """Return whom a user traces to in the present position."""
    return view.derived.get(("network", user), _ASPECTS, lambda: network_with(view, user, _expended(view, user)))


def _expended(view: View, user: User) -> tuple[UnitId, ...]:
    """Return a user's depots that are expended in this phase (9.26)."""
    if user != "axis" or EXPENDED not in view.position.unit_marks:
        return ()
    return tuple(depot for depot in depots(view) if view.position.mark(depot, EXPENDED))


def network_with(view: View, user: User, expended: Collection[UnitId], *, without: Collection[Hex] = ()) -> Network:
    """Return whom a user would trace to if these depots were expended (9.26), and without some sources."""
    without = frozenset(without)
    givers, links = _depots(view, expended, without) if user == "axis" else _headquarters(view, user)
    limit, side = RANGE_HALVES[user], side_of(user)
    by_side, closed = counts(view, side), blocked(view, side)
    of = (by_side, givers, closed)
    field = view.derived.keep(
        ("line field", user, without), of,   # each mends its own
        lambda: lines.trace(by_side, sources=givers, blocked=closed, limit=2 * limit),
        mend=lambda old, was: old.mended(closed) if was[:2] == of[:2] else None,   # most moves change what is blocked alone
    )
    return Network(givers, links, field, limit)


def depots(view: View) -> tuple[UnitId, ...]:
    """Return the supply depots on the map, lowest number first."""
    return tuple(unit.id for unit in posts.of_kind(view, AXIS, "supply_depot"))


def _depots(view: View, expended: Collection[UnitId], without: frozenset[Hex]) -> tuple[frozenset[Hex], Mapping[Hex, tuple[Hex, ...]]]:
    """Return sources with linked and expended depots, and the chain's lines (9.21, 9.22, 9.26, D-61)."""
    start, all_depots = sources(view, "axis"), posts.of_kind(view, AXIS, "supply_depot")
    start = tuple(here for here in start if here not in without)
    standing = tuple([unit for unit in all_depots if unit.id not in expended])
    extended_last = _extended_last(view)
    chain = _nearest_normal(view, start, standing, without) if extended_last else _chain(view, start, standing, of=("all", without))
    used = [Hex(unit.place) for unit in all_depots if unit.id in expended]
    return frozenset(chain).union(start, used), chain


def _chain(view: View, start: tuple[Hex, ...], depots: tuple[Unit, ...], *, of: Hashable) -> Mapping[Hex, tuple[Hex, ...]]:
    by_side, closed, limit = counts(view, AXIS), blocked(view, AXIS), RANGE_HALVES["axis"]
    made = (by_side, start, tuple([unit.place for unit in depots]), closed)   # of each *of*: it mends its own
    return view.derived.keep(
        ("chain", of), made,
        lambda: lines.chain(by_side, sources=start, links=[Hex(unit.place) for unit in depots], blocked=closed, limit=limit),  # 9.22
        mend=lambda old, was: old if was[:3] == made[:3] and old.holds(closed) else None,
    )


def _extended_last(view: View) -> bool:
    """Say whether 20.1 is played; a scenario that has extended depots only is exempt (20.12)."""
    return bool(view.options.get("extended_depots")) and view.derived.get("normal depots", (), lambda: _has_normal_depots(view))


def _has_normal_depots(view: View) -> bool:
    scenario = view.setting.scenario
    named = {line.type for line in scenario.setup} | {kind for arrival in scenario.arrival for kind, _ in arrival.units}
    return "axis_depot_normal" in named


def _nearest_normal(
    view: View, start: tuple[Hex, ...], depots: tuple[Unit, ...], without: frozenset[Hex]
) -> dict[Hex, tuple[Hex, ...]]:
    """Chain normal depots to the sources, then extended ones to the normal ones (20.11, 20.12, D-89)."""
    normal = _chain(view, start, tuple(unit for unit in depots if unit.type != "axis_depot_extended"), of=("normal", without))
    rest = tuple(unit for unit in depots if unit.type == "axis_depot_extended" and unit.place not in normal)
    return {**_chain(view, tuple(sorted(normal)), rest, of=("extended", without)), **normal}


def _headquarters(view: View, user: User) -> tuple[frozenset[Hex], Mapping[Hex, tuple[Hex, ...]]]:
    """Return the hexes of supplied headquarters and the capital, and the railroads of the former (9.28, 9.32)."""
    rail, standing = clean_rail(view, user), _standing_headquarters(view, user)
    of = (rail, standing)   # most moves change neither
    links = view.derived.keep(("links", user), of, lambda: lines.Paths(rail, standing))
    capital = sources(view, user) if user in CAPITALS and view.board.has(CAPITALS[user]) else ()
    givers = view.derived.keep(("fed", user), (*of, capital), lambda: frozenset(links) | frozenset(capital))
    return givers, links


def _standing_headquarters(view: View, user: User) -> tuple[Hex, ...]:
    units = posts.of_kind(view, side_of(user), "headquarters")
    return view.derived.keep(("standing", user), (units,), lambda: _hexes_of_user(view, units, user))


def _hexes_of_user(view: View, units: tuple[Unit, ...], user: User) -> tuple[Hex, ...]:
    return tuple(sorted({Hex(unit.place) for unit in units if user_of(view.types[unit.type]) == user}))


# -------------------------------------------------------------------- questions


def supplied_from(view: View, user: User) -> frozenset[Hex]:
    """Return the hexes from where a unit of *user* could trace a line of supply now (D-25, D-67, D-68)."""
    return view.derived.get(("supplied from", user), _ASPECTS, lambda: _supplied_from(view, user))


def _supplied_from(view: View, user: User) -> frozenset[Hex]:
    return _hexes_of(view, network(view, user), user)


def supplied_from_others(view: View, labels: Collection[str]) -> frozenset[Hex]:
    """Return the hexes from where the Axis could trace a line without the sources of these labels (19.44)."""
    without = frozenset(view.board.hex(label) for label in labels if view.board.has(label))
    if not without:
        return supplied_from(view, "axis")
    return _hexes_of(view, network_with(view, "axis", _expended(view, "axis"), without=without), "axis", without)


def _hexes_of(view: View, found: Network, user: User, without: frozenset[Hex] = frozenset()) -> frozenset[Hex]:
    enemies = zoc.held(view, view.other(side_of(user)))
    key = ("lines from", user, without)
    return view.derived.keep(key, (found.field, enemies), lambda: found.field.within(found.range_halves) - enemies)


def needs_no_line(kind: UnitType) -> bool:
    """Say whether a unit is in supply wherever it stands: depots and EA (9.25, 9.33)."""
    return kind.kind == "supply_depot" or is_ea(kind)


def can_trace(view: View, unit: UnitId) -> bool:
    """Say whether a unit on the map has a line of supply now, from its hex, without air, sea or factory."""
    return _tracing(view, view.type(unit))(Hex(view.unit(unit).place))


def _tracing(view: View, kind: UnitType) -> Callable[[Hex], bool]:
    """Return what tells from which hexes units of a type can trace a line now."""
    if needs_no_line(kind):
        return _anywhere
    found = network(view, user_of(kind))
    return found.links.__contains__ if kind.kind == "headquarters" else found.supplies  # 9.28, 9.32; 9.21, 9.28, 9.31


def _anywhere(here: Hex) -> bool:
    return True


def judge(view: View, unit: UnitId, *, air: bool = True) -> Status:
    """Return the supply status that a unit on the map has by the present position (9.51, 9.58).

    *air* says whether air supply counts (not in the last count of a game, D-80).
    """
    from core.rulesets.war_for_the_motherland import sea_supply  # it imports us

    kind, here = view.type(unit), Hex(view.unit(unit).place)
    if can_trace(view, unit) or sea_supply.reaches(view, kind, here):
        return "supplied"
    if kind.kind in SERVICE:
        return "out"  # 9.55 to 9.57: removed, never isolated (D-57)
    if air and kind.nation == "german" and airpower.in_zone(view, here):
        return "lack"  # 9.61, 9.64
    if kind.side == SOVIET and any(view.type(other).kind == "factory" for other in view.position.at(here)):
        return "lack"  # 9.34
    found = network(view, user_of(kind))
    return "out" if found.field.distance(here) <= 2 * found.range_halves else "isolated"  # 9.58


def judge_all(view: View, units: Iterable[UnitId]) -> dict[UnitId, Status]:
    """Return the status that each of these units on the map has: most have a line, and that is asked for a type at once."""
    by_type: dict[str, Callable[[Hex], bool]] = {}
    found: dict[UnitId, Status] = {}
    for unit in units:
        counter = view.unit(unit)
        has_line = by_type.get(counter.type)
        if has_line is None:
            has_line = by_type[counter.type] = _tracing(view, view.types[counter.type])
        found[unit] = "supplied" if has_line(Hex(counter.place)) else judge(view, unit)
    return found


def judged(view: View) -> tuple[UnitId, ...]:
    """Return the units on the map that have a status, by hex, then number."""
    units = [unit for unit in view.position.on_map() if view.types[unit.type].kind not in MARKERS]
    return tuple([unit.id for unit in sorted(units, key=attrgetter("place"))])   # those of a hex stay by number


def hexes_text(halves: int) -> str:
    """Return a count of half hexes as people say it: ``3½``."""
    whole, half = divmod(halves, 2)
    return f"{whole or ''}½" if half else str(whole)

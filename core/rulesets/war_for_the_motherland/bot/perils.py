"""Which lines and railroads hold while the enemy moves: those over ground that he can't come to, nor next to, before supply is judged."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.board import Hex
from core.derived import ASPECTS
from core.mechanics import supply as lines
from core.rulesets.war_for_the_motherland import supply, zoc
from core.rulesets.war_for_the_motherland.bot import ground
from core.rulesets.war_for_the_motherland.bot.worth_of_units import Standing
from core.rulesets.war_for_the_motherland.terms import AXIS, SOVIET
from core.units import Side
from core.views import View

MARCH = 3  # hexes that an enemy goes in open ground

Mask = npt.NDArray[np.bool_]


def line_holds(view: View, here: Hex, user: supply.User = "axis", *, more: int = 0) -> bool:
    """Say whether an Axis unit in a hex would keep its line; *more* half hexes may be made up for yet."""
    sure = _sure_lines(view) if user == "axis" else _sure_lines_of_ally(view, user)
    return sure.distance(here) <= supply.RANGE_HALVES[user] + more


def _sure_lines(view: View) -> lines.Field:
    return view.derived.get("bot sure lines", ASPECTS, lambda: _find_sure_lines(view))


def _find_sure_lines(view: View) -> lines.Field:
    limit, depots = supply.RANGE_HALVES["axis"], tuple(Hex(view.unit(unit).place) for unit in supply.depots(view))
    of = (supply.counts(view, AXIS), supply.sources(view, "axis"), depots, threatened(view, AXIS))
    return view.derived.keep("bot sure field", of, lambda: _trace(*of, limit=limit))


def _sure_lines_of_ally(view: View, user: supply.User) -> lines.Field:
    return view.derived.get(("bot sure lines", user), ASPECTS, lambda: _find_sure_lines_of_ally(view, user))


def _find_sure_lines_of_ally(view: View, user: supply.User) -> lines.Field:
    givers = tuple(sorted(here for here in supply.network(view, user).givers if rail_holds(view, here, user)))
    of = (supply.counts(view, AXIS), givers, threatened(view, AXIS))
    found: lines.Field = view.derived.keep(
        ("bot sure field", user), of, lambda: lines.trace(of[0], sources=givers, blocked=of[2], limit=2 * supply.RANGE_HALVES[user])
    )
    return found


def _trace(counts: lines.Counts, sources: tuple[Hex, ...], depots: tuple[Hex, ...], barred: lines.Bars, *, limit: int) -> lines.Field:
    givers = lines.chain(counts, sources=sources, links=depots, blocked=barred, limit=limit).fed | frozenset(sources)
    return lines.trace(counts, sources=givers, blocked=barred, limit=2 * limit)


def rail_holds(view: View, here: Hex, user: supply.User) -> bool:
    """Say whether a headquarters in a hex would keep its railroad to a source (9.28, 9.32)."""
    return _sure_rail(view, user).reaches(here)


def _sure_rail(view: View, user: supply.User) -> lines.Field:
    return view.derived.get(("bot sure rail", user), ASPECTS, lambda: _find_sure_rail(view, user))


def _find_sure_rail(view: View, user: supply.User) -> lines.Field:
    sources, barred = supply.sources(view, user), threatened(view, supply.side_of(user))
    found: lines.Field = view.derived.keep(
        ("bot sure rail field", user),
        (sources, barred),
        lambda: lines.connected(view.board, "rail", goals=sources, blocked=barred),
        mend=lambda old, was: old.mended(barred) if was[0] == sources else None,
    )
    return found


def threatened(view: View, side: Side) -> lines.Bars:
    """Return the hexes without troops of a side that enemies can come to, or next to, in one march past its ZOC (4.26).

    After the Soviets have marched, only motorized Germans do before supply is judged (3.0).
    """
    own, fighters = zoc.ground(view, side), tuple(one.here for one in ground.enemies(view, side) if _may_march(one))
    return view.derived.keep(("bot threatened", side), (own, fighters), lambda: _threatened(view, own, fighters))


def _may_march(enemy: Standing) -> bool:
    return bool(enemy.attack) and (enemy.side == SOVIET or enemy.kind.motorized)


def _threatened(view: View, own: zoc.Ground, fighters: tuple[Hex, ...]) -> lines.Bars:
    start = np.zeros(view.board.size, dtype=bool)
    start[list(fighters)] = True
    free, bars = ~own.is_held, own.is_in_zone
    reached = start & ~bars
    for _ in range(MARCH):
        reached = reached | ground.around(view, reached & ~bars) & free
    reached |= start | ground.around(view, start & bars) & free  # out of a ZOC one hex is possible at least (5.24)
    return lines.Bars(((reached | ground.around(view, reached)) & free).tobytes())

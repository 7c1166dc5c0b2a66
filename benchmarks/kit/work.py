"""The work that is measured, done by the kernels: what a game asks of them after a move, and of one unit."""

from __future__ import annotations

import numpy as np

from benchmarks.kit.ground import LEAVE_ZONE, SUPPLY_LIMIT, Scene
from core_ext.grid import FORBIDDEN, Ints, Shorts
from core_ext.reach import Field, MoveCosts, Policy, Reach, reach
from core_ext.supply import Lines
from core_ext.theatre import Ground, Theatre
from core_ext.zoc import ZocField


def theatre_of(scene: Scene, lines: Lines) -> Theatre:
    """Return the arrays that a game keeps for both sides, as the scene has them."""
    theatre = Theatre(*[Ground(lines, scene.ground.passes, SUPPLY_LIMIT)] * 2)
    lay_out(theatre, scene)
    return theatre


def lay_out(theatre: Theatre, scene: Scene) -> None:
    """Make zones and supply of both sides anew, from lists of where stacks and sources are."""
    one, other = scene.sides
    theatre.lay_out((one.units, other.units), sources=(one.sources, other.sources))


def field_of(scene: Scene, costs: MoveCosts, enemy: ZocField) -> Field:
    """Return the field in which the first side moves: the enemy closes his hexes, leaving his zone costs, and zone to zone is banned."""
    closed = scene.ground.grid.no_bytes.copy()
    closed[scene.sides[1].units] = 1
    zone = enemy.mask()
    return Field(costs, Policy(closed=closed, zone=zone, leave_extra=zone * np.int16(LEAVE_ZONE), zone_to_zone=FORBIDDEN))


def full_costs(scene: Scene, field: Field) -> Shorts:
    """Return the same field as one cost by hexside, for those who know nothing of zones."""
    grid, policy = scene.ground.grid, field.policy
    assert policy.closed is not None
    assert policy.zone is not None
    assert policy.leave_extra is not None
    here, there = np.repeat(np.arange(grid.size), 6), grid.neighbours
    costs = scene.ground.move.astype(np.int64) + policy.leave_extra[here]
    costs[(policy.closed[there] != 0) | ((policy.zone[here] != 0) & (policy.zone[there] != 0)) | (there < 0)] = FORBIDDEN
    full: Shorts = np.minimum(costs, FORBIDDEN).astype(np.int16)
    return full


def reach_all(field: Field, starts: list[int], budget: int) -> list[Reach]:
    """Find what one unit reaches from each of *starts*."""
    return [reach(field, start, budget=budget) for start in starts]


def starts_of(scene: Scene, count: int) -> Ints:
    """Return some of the hexes where the first side's units stand."""
    units = scene.sides[0].units
    return units[:: max(1, len(units) // count)][:count]

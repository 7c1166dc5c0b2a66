"""The work that is measured, done by the kernels: what a game asks of them after a move, and of one unit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.kit.ground import LEAVE_ZONE, SUPPLY_LIMIT, Scene
from core_ext.grid import FORBIDDEN, Bytes, Ints, Shorts
from core_ext.reach import Field, MoveCosts, Policy, Reach, reach
from core_ext.supply import Lines, Supply, trace
from core_ext.zoc import ZocField

Zones = tuple[ZocField, ZocField]


@dataclass(frozen=True)
class Whole:
    """Zones of control and supply of both sides."""

    zones: Zones
    supply: tuple[Supply, Supply]


def empty_zones(scene: Scene) -> Zones:
    """Return the fields that a game keeps."""
    return ZocField(scene.ground.grid), ZocField(scene.ground.grid)


def whole(scene: Scene, lines: Lines, zones: Zones) -> Whole:
    """Build the zones of both sides anew in the fields that are kept, and trace the supply of both into new arrays."""
    for field, side in zip(zones, scene.sides, strict=True):
        field.clear()
        field.add_all(side.units, scene.ground.passes)
    found = [
        trace(lines, scene.sides[side].sources, limit=SUPPLY_LIMIT, blocked=blocked(scene, side, zones[1 - side])) for side in range(2)
    ]
    return Whole(zones, (found[0], found[1]))


def blocked(scene: Scene, side: int, enemy: ZocField) -> Bytes:
    """Return what a line of one side may not pass: enemy units, and their zones where no friend stands."""
    return enemy.mask(without=scene.sides[side].units, also=scene.sides[1 - side].units)


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

"""Shapes of the map: hexes by arithmetic, outlines, courses, scatter, names."""

from __future__ import annotations

import itertools
import math
import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.map.geometry import HEX, RADIUS, Geometry, Point
from client.map.ground import Ground, ground_of
from client.map.lettering import Names
from client.map.levels import Level, level_at
from client.map.outlines import along_hexsides, middle, outline, parts_of, regions, through_hexes
from client.map.overlays import TEETH, _teeth
from client.map.scatter import noise, pattern
from client.qt import QPointF, QRectF
from core import rulesets
from core.board import SIDES, Board, Hex, HexFacts
from core.pack import Lettering, build_board
from core.trials.table import PlainBoard
from tests.packs import PLAIN, pack_of


def plain(orientation: str = "pointy-top") -> Board:
    if orientation == "pointy-top":
        return PlainBoard(PLAIN, (16, 20), (1, 6)).build(())
    facts = [HexFacts(f"{q:02}{r:02}", q, r - q // 2, q * math.sqrt(3) / 2, r + q % 2 / 2, "clear") for q in range(6) for r in range(5)]
    return Board(sorted(facts, key=lambda fact: fact.label), {}, orientation="flat-top")


@pytest.mark.parametrize("orientation", ["pointy-top", "flat-top"])
def test_every_hex_is_found_at_its_centre_and_near_its_corners(orientation: str) -> None:
    geometry = Geometry(plain(orientation))
    for here in map(Hex, range(geometry.board.size)):
        centre = geometry.centre(here)
        assert geometry.hex_at(*centre) == here
        for corner in geometry.corners(here):
            inside = Point(centre.x + 0.95 * (corner.x - centre.x), centre.y + 0.95 * (corner.y - centre.y))
            assert geometry.hex_at(*inside) == here


@pytest.mark.parametrize("orientation", ["pointy-top", "flat-top"])
def test_a_hexside_has_the_same_ends_and_middle_from_both_hexes(orientation: str) -> None:
    geometry = Geometry(plain(orientation))
    board = geometry.board
    for here, side in itertools.product(map(Hex, range(board.size)), range(SIDES)):
        there = board.neighbour(here, side)
        if there is None:
            continue
        ours = {geometry.key(point) for point in geometry.edge(geometry.cube_of[here], side)}
        theirs = {geometry.key(point) for point in geometry.edge(geometry.cube_of[there], (side + 3) % 6)}
        assert ours == theirs
        a, b = geometry.side_middle(here, side), geometry.side_middle(there, (side + 3) % 6)
        assert math.dist(a, b) < 1e-6
        assert math.dist(geometry.centre(here), geometry.centre(there)) == pytest.approx(HEX)


@given(st.floats(-500, 900), st.floats(-500, 2000))
def test_the_hex_at_a_point_is_the_one_whose_centre_is_nearest(x: float, y: float) -> None:
    geometry = GEOMETRY
    cube = geometry.cube_at(x, y)
    nearest = math.dist(geometry.centre_of(cube), (x, y))
    assert nearest <= RADIUS + 1e-6
    for side in range(SIDES):
        assert nearest <= math.dist(geometry.centre_of(geometry.step(cube, side)), (x, y)) + 1e-6


GEOMETRY = Geometry(plain())


def test_a_region_with_a_hole_has_two_loops_and_each_side_is_drawn_once() -> None:
    centre = GEOMETRY.cube_of[GEOMETRY.board.hex("1803")]
    ring = [GEOMETRY.step(centre, side) for side in range(SIDES)]
    loops = outline(GEOMETRY, ring, wobble=0.0, smooth=False)
    assert sorted(len(loop) for loop in loops) == [6, 18]


def test_regions_are_connected_and_cover_their_kind() -> None:
    kinds = dict.fromkeys(GEOMETRY.hex_of, "clear")
    for label in ("1601", "1602", "2006"):
        kinds[GEOMETRY.cube_of[GEOMETRY.board.hex(label)]] = "forest"
    found = regions(GEOMETRY, kinds, "forest", wobble=5.0)
    assert sorted(len(region.cubes) for region in found) == [1, 2]


def test_a_river_is_one_course_without_gaps_and_tapers_only_at_its_source() -> None:
    sides = {("1801", "1701"), ("1802", "1701"), ("1802", "1702"), ("1803", "1702")}
    board = GEOMETRY.board

    def rank(here: Hex, side: int) -> int:
        there = board.neighbour(here, side)
        pair = (board.label(here), board.label(there)) if there is not None else ("", "")
        return int(pair in sides or pair[::-1] in sides)

    curves = along_hexsides(GEOMETRY, rank, is_water=lambda cube: False)
    ends = [point for curve in curves for point in (curve.start, curve.end)]
    loose = [point for point in ends if sum(math.dist(point, other) < 1e-6 for other in ends) == 1]
    assert len(loose) == 2
    assert sum(curve.tapers for curve in curves) <= 2


def test_a_river_bends_to_its_source_without_a_kink_and_grows_narrower_part_by_part() -> None:
    board = GEOMETRY.board
    sides = {frozenset(("1801", "1701")), frozenset(("1802", "1701"))}

    def rank(here: Hex, side: int) -> int:
        there = board.neighbour(here, side)
        return int(there is not None and frozenset((board.label(here), board.label(there))) in sides)

    curves = along_hexsides(GEOMETRY, rank, is_water=lambda cube: False)
    last = [curve for curve in curves if curve.tapers]
    assert last
    for curve in last:
        (before,) = (one for one in curves if one is not curve and curve.start in (one.start, one.end))
        onward = math.atan2(curve.control.y - curve.start.y, curve.control.x - curve.start.x)
        came = math.atan2(curve.start.y - before.control.y, curve.start.x - before.control.x)
        assert abs(math.remainder(onward - came, math.tau)) < math.radians(5)
        parts = list(parts_of(curve, 4))
        assert (parts[0].start, parts[-1].end) == (curve.start, curve.end)
        assert all(one.end == other.start for one, other in itertools.pairwise(parts))
        assert parts[1].end == pytest.approx(middle(middle(curve.start, curve.control), middle(curve.control, curve.end)))


def test_a_railway_passes_through_its_hexes_and_ends_in_their_middles() -> None:
    board = GEOMETRY.board
    line = [board.hex(label) for label in ("1801", "1802", "1803", "1804")]
    joined = {frozenset(pair) for pair in itertools.pairwise(line)}
    curves = through_hexes(
        GEOMETRY, lambda here, side: (there := board.neighbour(here, side)) is not None and frozenset((here, there)) in joined
    )
    ends = {curve.end for curve in curves} | {curve.start for curve in curves}
    for here in (line[0], line[-1]):
        assert any(math.dist(end, GEOMETRY.centre(here)) < 1e-6 for end in ends)
    assert len(curves) == 4


def test_scattered_points_keep_their_distance_and_never_change() -> None:
    points = pattern(10.0)
    assert points == pattern.__wrapped__(10.0)
    assert len(points) > 1500
    closest = min(math.dist(a[:2], b[:2]) for a, b in itertools.combinations(points[:400], 2))
    assert closest >= 10.0


def test_noise_hangs_on_its_key_alone() -> None:
    values = [noise(i, j) for i in range(40) for j in range(40)]
    assert values == [noise(i, j) for i in range(40) for j in range(40)]
    assert all(-1 <= value <= 1 for value in values)
    assert abs(sum(values) / len(values)) < 0.1
    assert len(set(values)) > 1500


@pytest.mark.parametrize(("width", "level"), [(21.9, Level.FAR), (22, Level.MID), (44, Level.NEAR), (90, Level.CLOSE)])
def test_levels_begin_at_their_width(width: float, level: Level) -> None:
    assert level_at(width / HEX) == level


PACK = pack_of("war_for_the_motherland")
ZOOMS = [0.1, 0.14, 0.2, 0.28, 0.35, 0.5, 0.7, 0.84, 1.0, 1.41, 2.0, 4.0]


@cache
def map_of(scenario: str) -> tuple[Board, Names]:
    """Return a scenario's board, and the names on it."""
    rulesets.load("war_for_the_motherland")
    about = PACK.scenarios[scenario]
    board = build_board(PACK, about)
    return board, Names(Geometry(board), PACK.lettering(about.sections))


def turning_point() -> tuple[Board, Names]:
    return map_of("turning_point")


@pytest.mark.parametrize("scenario", sorted(PACK.scenarios))
@pytest.mark.parametrize("zoom", ZOOMS)
def test_names_never_overlap_and_lie_within_the_map(qapp: object, zoom: float, scenario: str) -> None:
    board, names = map_of(scenario)
    inked = sorted((name.place.mapRect(name.outline.boundingRect()) for name in names.at(zoom)), key=QRectF.left)
    assert len(inked) >= 2
    for i, one in enumerate(inked):
        for other in itertools.takewhile(lambda other, one=one: other.left() < one.right(), inked[i + 1 :]):  # type: ignore[misc]
            assert not one.intersects(other)
    left, top, right, bottom = Geometry(board).bounds
    assert all(QRectF(left, top, right - left, bottom - top).contains(box) for box in inked)


def test_a_name_that_two_sections_of_a_map_bring_is_written_once(qapp: object) -> None:
    board, _ = turning_point()
    x, y = board.facts[0].x, board.facts[0].y
    twice = [Lettering("sea", "White Sea", x + dx, y, 0.0, 3) for dx in (0.0, 0.5)]
    far = Lettering("sea", "White Sea", board.facts[-1].x, board.facts[-1].y, 0.0, 3)
    names = Names(Geometry(board), [*twice, far])
    assert {one for one in names.lettering if one.kind == "sea"} == {twice[0], far}
    assert sum(one.kind == "sea" for one in names.lettering) == 2


def test_a_sea_that_is_named_in_two_places_is_named_once_where_one_glance_sees_both(qapp: object) -> None:
    board, _ = turning_point()
    one, other = (board.facts[at] for at in (len(board.facts) // 2, len(board.facts) // 2 + 8))
    names = Names(Geometry(board), [Lettering("sea", "White Sea", fact.x, fact.y, 0.0, 4) for fact in (one, other)])
    apart = math.dist((one.x, one.y), (other.x, other.y)) * HEX
    seen = {scale: sum(name.role == "water" for name in names.at(scale)) for scale in (0.25, 2.0)}
    assert apart * 0.25 < 400 < apart * 2.0
    assert seen == {0.25: 1, 2.0: 2}


def test_the_thickest_hex_has_most_others_around_it() -> None:
    board = map_of("turning_point")[0]
    geometry, rng = Geometry(board), random.Random(1)
    hexes = rng.sample(range(board.size), 60)
    counts = {here: sum(board.distance(Hex(here), Hex(other)) <= 5 for other in hexes) for here in hexes}
    assert counts[geometry.thickest([Hex(here) for here in hexes], 5)] == max(counts.values())


def test_the_large_towns_are_named_at_a_hundred_percent(qapp: object) -> None:
    _, names = turning_point()
    assert sum(name.role == "town" for name in names.at(1.0)) >= 20


def test_ground_is_made_of_every_terrain_and_hexside_of_the_map(qapp: object) -> None:
    board, _ = turning_point()
    ground = Ground(board, Geometry(board))
    assert {shape.kind for shape in (*ground.land, *ground.water)} == set(board.terrains)
    for lines in (ground.major_rivers, ground.minor_rivers, ground.rails):
        assert sum(path.elementCount() for _, path in lines) > 50
    assert len(ground.towns) == sum(bool(fact.city) for fact in board.facts)


def test_an_ice_road_is_an_arrow_both_ways_and_a_strait_is_none(qapp: object) -> None:
    pack = pack_of("war_for_the_motherland")
    ground = ground_of(build_board(pack, pack.scenarios["fall_barbarossa"]))
    ((_, arrow),) = ground.ice_roads
    shaft, *head = [(arrow.elementAt(i), arrow.elementAt(i + 1)) for i in range(0, arrow.elementCount(), 2)]
    tips = [(tip.x, tip.y) for tip, _ in head]
    assert sorted(tips) == sorted(2 * [(end.x, end.y) for end in shaft])
    one, other = (ground.geometry.hex_at(end.x, end.y) for end in shaft)
    board = ground.board
    assert {one, other} == {board.hex("C1316"), board.hex("C1416")}
    ((_, straits),) = ground.crossings
    pairs = [(here, there) for here in map(Hex, range(board.size)) for there in board.adjacent[here] if here < there]
    assert straits.elementCount() == 2 * sum(board.side_has(here, there, "strait", "causeway") for here, there in pairs)


def test_teeth_of_a_zone_of_control_lie_inside_the_barred_hexside() -> None:
    board = plain()
    geometry = Geometry(board)
    here = Hex(0)
    there = board.adjacent[here][0]
    a, b = geometry.centre(here), geometry.centre(there)
    points = [end.toTuple() for tooth in _teeth(geometry, here, there) for end in (tooth.p1(), tooth.p2())]
    assert len(points) == 2 * TEETH
    assert all(math.dist(point, (a.x, a.y)) <= math.dist(point, (b.x, b.y)) + 0.01 for point in points)
    assert min(math.dist(point, ((a.x + b.x) / 2, (a.y + b.y) / 2)) for point in points) < HEX / TEETH


@pytest.mark.parametrize("scenario", ["turning_point", "fall_barbarossa"])
def test_many_points_lie_in_the_hexes_that_each_of_them_lies_in(scenario: str) -> None:
    pack = pack_of("war_for_the_motherland")
    geometry = Geometry(build_board(pack, pack.scenarios[scenario]))
    left, top, right, bottom = geometry.bounds
    dice = np.random.default_rng(3)
    xs, ys = dice.uniform(left - 200, right + 200, 5_000), dice.uniform(top - 200, bottom + 200, 5_000)
    one_by_one = [geometry.hex_at(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True)]
    assert geometry.hexes_at(xs, ys).tolist() == [-1 if here is None else here for here in one_by_one]
    assert {-1} < set(geometry.hexes_at(xs, ys).tolist())


@pytest.mark.parametrize("scenario", sorted(PACK.scenarios))
@pytest.mark.parametrize("zoom", [0.14, 0.2, 0.28, 0.5, 1.0, 2.0])
def test_both_ends_of_a_regions_name_lie_over_hexes(qapp: object, zoom: float, scenario: str) -> None:
    _, names = map_of(scenario)
    for name in names.at(zoom):
        box = name.outline.boundingRect()
        ends = [name.place.map(QPointF(x, box.center().y())) for x in (box.left(), box.right())]
        assert name.role != "region" or all(names.geometry.hex_at(end.x(), end.y()) is not None for end in ends)

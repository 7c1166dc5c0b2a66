"""Area ``kernels``: zones, supply and reach, against plain C and graph libraries that give the same answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.kit import graphs, plain_c
from benchmarks.kit import work as kernel_work
from benchmarks.kit.ground import MP, SUPPLY_LIMIT, Ground, Scene, largest_map, rectangle, scene
from benchmarks.kit.measure import Timing, race, repeat
from core_ext.reach import Field, MoveCosts, reach
from core_ext.supply import Lines
from core_ext.zoc import ZocField
from rasputitsa.bench import Figure

US = 1e6
BUDGET = 6 * MP
STARTS = 32
NO_LIBRARY = "distances only"


def figures() -> Iterator[Figure]:
    """Measure the kernels on the largest map and on boards of 500, 2500 and 10,000 hexes."""
    grounds = [largest_map(), *(rectangle(size) for size in (500, 2500, 10_000))]
    for ground in grounds:
        placed = scene(ground, ground.grid.size // 16)
        yield from _whole(placed)
        yield from _zone(placed)
        yield from _reach(placed)
    yield from _growth()


def work() -> None:
    """What `--profile` looks at: whole-map supply and zones, fields and reaches, as a game asks for them."""
    placed = scene(largest_map(), 250)
    lines, costs = Lines(placed.ground.grid, placed.ground.line), _costs(placed)
    starts = [int(start) for start in kernel_work.starts_of(placed, STARTS)]
    for _ in range(200):
        found = kernel_work.whole(placed, lines)
        kernel_work.reach_all(kernel_work.field_of(placed, costs, found.zones[1]), starts, BUDGET)


def _costs(placed: Scene) -> MoveCosts:
    return MoveCosts(placed.ground.grid, placed.ground.move.reshape(1, -1))


def _figure(name: str, timing: Timing, unit: str, scale: float, **more: object) -> Figure:
    low, high = timing.spread
    return Figure(name, timing.median * scale, unit, spread=(low * scale, high * scale), **more)   # type: ignore[arg-type]


def _title(ground: Ground) -> str:
    return f"{ground.name} ({ground.grid.size} hexes)"


def _whole(placed: Scene) -> Iterator[Figure]:
    """Supply and zones of both sides over the whole map."""
    lines = Lines(placed.ground.grid, placed.ground.line)
    in_c = plain_c.WholeInC(placed, lines)
    graph, zones = graphs.SupplyGraph(placed, placed.ground.line), graphs.Adjacency(placed.ground)
    ours = kernel_work.whole(placed, lines)
    blocked = [kernel_work.blocked(placed, side, ours.zones[1 - side]) for side in range(2)]
    ready: list[list[Any]] = [[make(mask) for mask in blocked] for make in (graph.scipy, graph.networkx)]
    rust = [graph.rustworkx(mask, side.sources) for mask, side in zip(blocked, placed.sides, strict=True)]
    unit_lists = [side.units.tolist() for side in placed.sides]

    def by_scipy(built: Sequence[Any]) -> list[Any]:
        for side in placed.sides:
            zones.by_scipy(side.units)
        return [graphs.supply_by_scipy(built[i], placed.sides[i].sources, blocked[i]) for i in range(2)]

    def by_networkx(built: Sequence[Any]) -> list[Any]:
        for units in unit_lists:
            zones.by_lists(units)
        return [graphs.supply_by_networkx(built[i], placed.sides[i].sources, blocked[i]) for i in range(2)]

    def by_rustworkx(built: Sequence[Any]) -> list[Any]:
        for side in placed.sides:
            zones.by_scipy(side.units)
        return [graphs.supply_by_rustworkx(each) for each in built]

    in_c.run(1)
    _check_whole(placed, ours, in_c, zones, [by_scipy(ready[0]), by_networkx(ready[1]), by_rustworkx(rust)])
    fast = race(
        {
            "ours": repeat(lambda: kernel_work.whole(placed, lines)),
            "C": in_c.run,
            "scipy": repeat(lambda: by_scipy(ready[0])),
            "scipy, rebuilt": repeat(lambda: by_scipy([graph.scipy(mask) for mask in blocked])),
        }
    )
    slow = race(
        {
            "ours": repeat(lambda: kernel_work.whole(placed, lines)),
            "networkx": repeat(lambda: by_networkx(ready[1])),
            "networkx, rebuilt": repeat(lambda: by_networkx([graph.networkx(mask) for mask in blocked])),
            "rustworkx": repeat(lambda: by_rustworkx(rust)),
            "rustworkx, rebuilt": repeat(
                lambda: by_rustworkx([graph.rustworkx(m, s.sources) for m, s in zip(blocked, placed.sides, strict=True)])
            ),
        },
        rounds=5,
    )
    yield from _compare("whole-map supply and zones of both sides", placed, fast, slow)


def _check_whole(
    placed: Scene, ours: kernel_work.Whole, in_c: plain_c.WholeInC, zones: graphs.Adjacency, others: Sequence[Sequence[Any]]
) -> None:
    """Refuse to compare times of different answers."""
    size = placed.ground.grid.size
    for side in range(2):
        supply, counts = ours.supply[side], ours.zones[side].counts[0]
        units = placed.sides[side].units
        assert np.array_equal(in_c.table[side], np.stack([supply.distances, supply.onward, supply.sources])), "plain C: other lines"
        assert np.array_equal(in_c.counts[side], counts), "plain C: other zones"
        assert np.array_equal(zones.by_scipy(units), counts), "scipy: other zones"
        assert zones.by_lists(units.tolist()) == counts.tolist(), "lists: other zones"
        for name, found in zip(("scipy", "networkx", "rustworkx"), others, strict=True):
            assert np.array_equal(graphs.as_ints(size, found[side], SUPPLY_LIMIT), supply.distances), f"{name}: other distances"


WHOLE_GOALS = {"scipy": 3, "scipy, rebuilt": 20, "networkx": 30, "networkx, rebuilt": 100}
REACH_GOALS = {"scipy": 10}


def _compare(what: str, placed: Scene, fast: dict[str, Timing], slow: dict[str, Timing]) -> Iterator[Figure]:
    """Tell our time, then how often it fits into each other's."""
    where, whole = _title(placed.ground), what.startswith("whole")
    goals = WHOLE_GOALS if whole else REACH_GOALS
    yield _figure(f"{what}, {where}", fast["ours"], "µs", US, goal=None if whole else 10.0)
    ratio = fast["ours"].over(fast["C"])
    yield _figure(f"{what}: ours against plain C, {where}", ratio, "times its time", 1, goal=1.3 if whole else None)
    for timings in (fast, slow):
        for name, timing in timings.items():
            if name in ("ours", "C"):
                continue
            note = NO_LIBRARY if not name.startswith("scipy") else ""
            title = f"{what}: {name} against ours, {where}"
            yield _figure(title, timing.over(timings["ours"]), "times our time", 1, goal=goals.get(name), better="more", note=note)


def _zone(placed: Scene) -> Iterator[Figure]:
    """What one move changes in a zone."""
    ground, side = placed.ground, placed.sides[0]
    zones = ZocField(ground.grid)
    zones.add_all(side.units, ground.passes)
    here = int(side.units[len(side.units) // 2])
    there = next(int(each) for each in ground.grid.neighbours[6 * here : 6 * here + 6] if each >= 0)
    moves = 5000
    hexes = np.tile(np.array([here, there, there, here], np.int32), moves // 2)
    amounts = np.tile(np.array([-1, 1, -1, 1], np.int16), moves // 2)

    def back_and_forth() -> None:
        zones.move(here, there, ground.passes)
        zones.move(there, here, ground.passes)

    timed = race({"kernel": repeat(lambda: zones.add_all(hexes, ground.passes, amounts)), "python": repeat(back_and_forth)})
    yield _figure(f"zone after a move, inside the kernel, {_title(ground)}", timed["kernel"], "µs", US / moves, goal=1.0)
    yield _figure(f"zone after a move, from Python, {_title(ground)}", timed["python"], "µs", US / 2)


def _reach(placed: Scene) -> Iterator[Figure]:
    """What one unit reaches with 6 MP, and making its field anew after a move."""
    enemy = ZocField(placed.ground.grid)
    enemy.add_all(placed.sides[1].units, placed.ground.passes)
    costs = _costs(placed)
    field = kernel_work.field_of(placed, costs, enemy)
    starts = kernel_work.starts_of(placed, STARTS)
    each = [int(start) for start in starts]
    full = kernel_work.full_costs(placed, field)
    in_c, graph = plain_c.ReachInC(placed, full, starts, BUDGET), graphs.ReachGraph(placed, full, BUDGET)
    _check_reach(placed, field, each, in_c, graph)
    many = len(each)
    fast = race(
        {
            "ours": repeat(lambda: kernel_work.reach_all(field, each, BUDGET)),
            "C": in_c.run,
            "scipy": repeat(lambda: [graph.by_scipy(start) for start in each]),
        }
    )
    slow = race(
        {
            "ours": repeat(lambda: kernel_work.reach_all(field, each, BUDGET)),
            "networkx": repeat(lambda: [graph.by_networkx(start) for start in each]),
            "rustworkx": repeat(lambda: [graph.by_rustworkx(start) for start in each[:4]]),
        },
        rounds=5,
    )
    fast, slow = _a_start(fast, many), _a_start(slow, many, {"rustworkx": min(4, many)})
    yield from _compare("reach of one unit", placed, fast, slow)
    refresh = race({"ours": repeat(lambda: kernel_work.field_of(placed, costs, enemy))})["ours"]
    yield _figure(f"field of costs made anew after a move, {_title(placed.ground)}", refresh, "µs", US)


def _a_start(timings: dict[str, Timing], many: int, fewer: dict[str, int] | None = None) -> dict[str, Timing]:
    """Divide by the number of starts that each did."""
    counts = fewer or {}
    return {name: Timing(tuple(second / counts.get(name, many) for second in timing.seconds)) for name, timing in timings.items()}


def _check_reach(placed: Scene, field: Field, starts: list[int], in_c: plain_c.ReachInC, graph: graphs.ReachGraph) -> None:
    """Refuse to compare times of different answers."""
    size = placed.ground.grid.size
    for start in starts:
        ours = reach(field, start, budget=BUDGET).costs
        for name, found in (("scipy", graph.by_scipy(start)), ("networkx", graph.by_networkx(start))):
            assert np.array_equal(graphs.as_ints(size, found, BUDGET), ours), f"{name}: other costs from {start}"
    rust = graphs.as_ints(size, graph.by_rustworkx(starts[-1]), BUDGET)
    rust[starts[-1]] = 0   # it leaves the start out
    in_c.run(1)
    last = reach(field, starts[-1], budget=BUDGET)
    assert np.array_equal(rust, last.costs), "rustworkx: other costs"
    reached = last.hexes
    assert np.array_equal(in_c.best, last.costs), "plain C: other costs"
    assert np.array_equal(in_c.before[reached], last.nodes[1][reached]), "plain C: other ways"


def _growth() -> Iterator[Figure]:
    """How the whole-map work grows with hexes, and with units."""
    for size in (1000, 2500, 5000, 10_000):
        placed = scene(rectangle(size), size // 16)
        yield _grown(placed, f"growth with hexes: {size} hexes, {size // 16} units a side")
    ground = rectangle(10_000)
    for units in (50, 150, 500, 1500):
        yield _grown(scene(ground, units), f"growth with units: 10,000 hexes, {units} units a side")


def _grown(placed: Scene, name: str) -> Figure:
    lines = Lines(placed.ground.grid, placed.ground.line)
    timing = race({"ours": repeat(lambda: kernel_work.whole(placed, lines))}, rounds=9)["ours"]
    return _figure(name, timing, "µs", US, note=f"{timing.median * 1e9 / placed.ground.grid.size:.1f} ns a hex")

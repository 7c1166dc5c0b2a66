"""The three contests: who does the same work how fast, once all have given the same answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.kit import graphs, moving, plain_c, work
from benchmarks.kit.ground import MP, SUPPLY_LIMIT, Scene
from benchmarks.kit.measure import Timing, race, repeat
from core_ext.reach import MoveCosts, reach
from core_ext.supply import Lines, trace
from core_ext.zoc import ZocField

BUDGET = 6 * MP
STARTS = 32
MOVES = 24       # there, and back again
FEW = 4          # starts for those that search the whole board each time
SLOW_ROUNDS = 5


class WholeMap:
    """Zones of control and supply of both sides over the whole map."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.lines = Lines(scene.ground.grid, scene.ground.line)
        self.theatre = work.theatre_of(scene, self.lines)
        self.in_c = plain_c.WholeInC(scene, self.lines)
        self.zones = graphs.Adjacency(scene.ground)
        self.graph = graphs.SupplyGraph(scene, scene.ground.line)
        self.lists = [side.units.tolist() for side in scene.sides]
        self.blocked = [mask.copy() for mask in self.theatre.blocked]

    def ours(self) -> None:
        """Do it by the kernels, from Python."""
        work.lay_out(self.theatre, self.scene)

    def for_scipy(self) -> list[Any]:
        """Build scipy's two graphs."""
        return [self.graph.scipy(mask) for mask in self.blocked]

    def by_scipy(self, built: Sequence[Any]) -> list[Any]:
        """Do it by scipy, on its graphs."""
        for side in self.scene.sides:
            self.zones.by_scipy(side.units)
        return [graphs.supply_by_scipy(built[i], self.scene.sides[i].sources, self.blocked[i]) for i in range(2)]

    def for_networkx(self) -> list[Any]:
        """Build networkx's two graphs."""
        return [self.graph.networkx(mask) for mask in self.blocked]

    def by_networkx(self, built: Sequence[Any]) -> list[Any]:
        """Do it by networkx and lists, on its graphs."""
        for units in self.lists:
            self.zones.by_lists(units)
        return [graphs.supply_by_networkx(built[i], self.scene.sides[i].sources, self.blocked[i]) for i in range(2)]

    def for_rustworkx(self) -> list[Any]:
        """Build rustworkx's two graphs."""
        return [self.graph.rustworkx(mask, side.sources) for mask, side in zip(self.blocked, self.scene.sides, strict=True)]

    def by_rustworkx(self, built: Sequence[Any]) -> list[Any]:
        """Do it by rustworkx, and scipy for the zones, on its graphs."""
        for side in self.scene.sides:
            self.zones.by_scipy(side.units)
        return [graphs.supply_by_rustworkx(each) for each in built]

    def check(self) -> None:
        """Refuse to compare the times of different answers."""
        self.in_c.run(1)
        self.ours()
        ours = self.theatre
        others = {
            "scipy": self.by_scipy(self.for_scipy()),
            "networkx": self.by_networkx(self.for_networkx()),
            "rustworkx": self.by_rustworkx(self.for_rustworkx()),
        }
        size = self.scene.ground.grid.size
        for side, units in enumerate(self.lists):
            supply, counts = ours.supply[side], ours.zones[side].counts[0]
            assert np.array_equal(self.in_c.table[side], np.stack([supply.distances, supply.onward, supply.sources])), "C: other lines"
            anew = trace(self.lines, self.scene.sides[side].sources, limit=SUPPLY_LIMIT, blocked=self.blocked[side])
            assert np.array_equal(supply.table, anew.table), "trace: other lines"
            assert np.array_equal(self.in_c.counts[side], counts), "C: other zones"
            assert np.array_equal(self.zones.by_scipy(np.array(units, np.int32)), counts), "scipy: other zones"
            assert self.zones.by_lists(units) == counts.tolist(), "lists: other zones"
            for name, found in others.items():
                assert np.array_equal(graphs.as_ints(size, found[side], SUPPLY_LIMIT), supply.distances), f"{name}: other distances"

    def race(self) -> tuple[dict[str, Timing], dict[str, Timing]]:
        """Time all: the fast ones among themselves, then ours with the slow ones."""
        scipy, networkx, rustworkx = self.for_scipy(), self.for_networkx(), self.for_rustworkx()
        fast = {
            "ours": repeat(self.ours),
            "C": self.in_c.run,
            "scipy": repeat(lambda: self.by_scipy(scipy)),
            "scipy, rebuilt": repeat(lambda: self.by_scipy(self.for_scipy())),
        }
        slow = {
            "ours": repeat(self.ours),
            "networkx": repeat(lambda: self.by_networkx(networkx)),
            "networkx, rebuilt": repeat(lambda: self.by_networkx(self.for_networkx())),
            "rustworkx": repeat(lambda: self.by_rustworkx(rustworkx)),
            "rustworkx, rebuilt": repeat(lambda: self.by_rustworkx(self.for_rustworkx())),
        }
        return race(fast), race(slow, rounds=SLOW_ROUNDS)


class AfterMove:
    """Zones of control and supply of both sides, known before one stack goes to the next hex, and again after it."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.moves = moving.some_moves(scene, MOVES)
        lines = Lines(scene.ground.grid, scene.ground.line)
        self.lines = lines
        self.theatre = work.theatre_of(scene, lines)
        kinds = (moving.ByScipy, moving.InPlaceByScipy, moving.ByNetworkx, moving.ByRustworkx)
        self.others = {kind.name: kind(scene, lines) for kind in kinds}

    def ours(self) -> None:
        """Do all moves by the kernels, from Python."""
        for move in self.moves:
            self.theatre.move(*move)

    def by(self, name: str) -> None:
        """Do all moves by a library."""
        other = self.others[name]
        for move in self.moves:
            other.move(*move)

    def check(self) -> None:
        """Refuse to compare the times of different answers."""
        size = self.scene.ground.grid.size
        for move in self.moves:
            self.theatre.move(*move)
            for other in self.others.values():
                other.move(*move)
            for side, supply in enumerate(self.theatre.supply):
                sources, _, blocked = supply.given
                anew = trace(self.lines, sources, limit=SUPPLY_LIMIT, blocked=blocked)
                assert np.array_equal(supply.table, anew.table), f"ours: other lines after {move}"
                for name, other in self.others.items():
                    assert np.array_equal(other.blocked[side], blocked), f"{name}: other zones after {move}"
                    found = graphs.as_ints(size, other.found[side], SUPPLY_LIMIT)
                    assert np.array_equal(found, supply.distances), f"{name}: other distances after {move}"

    def race(self) -> tuple[dict[str, Timing], dict[str, Timing]]:
        """Time a move by each: scipy in turns with ours, then the slow ones."""
        work_of = {"ours": repeat(self.ours)} | {name: repeat(partial(self.by, name)) for name in self.others}
        fast = race({name: work_of[name] for name in work_of if name == "ours" or "scipy" in name})
        slow = race({name: work_of[name] for name in work_of if "scipy" not in name}, rounds=SLOW_ROUNDS)
        return _a_part(fast, len(self.moves)), _a_part(slow, len(self.moves))


class OneUnit:
    """What one unit of the first side reaches with 6 MP, from several of its side's hexes in turn."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.costs = MoveCosts(scene.ground.grid, scene.ground.move.reshape(1, -1))
        self.enemy = ZocField(scene.ground.grid)
        self.enemy.add_all(scene.sides[1].units, scene.ground.passes)
        self.field = work.field_of(scene, self.costs, self.enemy)
        starts = work.starts_of(scene, STARTS)
        self.starts = [int(start) for start in starts]
        full = work.full_costs(scene, self.field)
        self.in_c = plain_c.ReachInC(scene, full, starts, BUDGET)
        self.graph = graphs.ReachGraph(scene, full, BUDGET)

    def check(self) -> None:
        """Refuse to compare the times of different answers."""
        size = self.scene.ground.grid.size
        for start in self.starts:
            ours = reach(self.field, start, budget=BUDGET).costs
            for name, found in (("scipy", self.graph.by_scipy(start)), ("networkx", self.graph.by_networkx(start))):
                assert np.array_equal(graphs.as_ints(size, found, BUDGET), ours), f"{name}: other costs from {start}"
        self.in_c.run(1)
        last = reach(self.field, self.starts[-1], budget=BUDGET)
        assert np.array_equal(self.in_c.best, last.costs), "C: other costs"
        assert np.array_equal(self.in_c.before[last.hexes], last.nodes[1][last.hexes]), "C: other ways"
        rust = graphs.as_ints(size, self.graph.by_rustworkx(last.start), BUDGET)
        rust[last.start] = 0   # it leaves the start out
        assert np.array_equal(rust, last.costs), "rustworkx: other costs"

    def race(self) -> tuple[dict[str, Timing], dict[str, Timing]]:
        """Time all, a start each."""
        many, few = len(self.starts), self.starts[:FEW]
        ours = repeat(lambda: work.reach_all(self.field, self.starts, BUDGET))
        fast = race({"ours": ours, "C": self.in_c.run, "scipy": repeat(lambda: [self.graph.by_scipy(each) for each in self.starts])})
        slow = race({"ours": ours, "networkx": repeat(lambda: [self.graph.by_networkx(each) for each in self.starts])}, rounds=SLOW_ROUNDS)
        whole = race({"rustworkx": repeat(lambda: [self.graph.by_rustworkx(each) for each in few])}, rounds=SLOW_ROUNDS)
        found = {name: timing.part(many) for name, timing in slow.items()} | {"rustworkx": whole["rustworkx"].part(len(few))}
        return {name: timing.part(many) for name, timing in fast.items()}, found

    def make_field(self) -> None:
        """Make the field anew, as after a move of the enemy."""
        work.field_of(self.scene, self.costs, self.enemy)


def _a_part(timings: dict[str, Timing], count: int) -> dict[str, Timing]:
    return {name: timing.part(count) for name, timing in timings.items()}

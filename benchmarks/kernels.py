"""Area ``kernels``: zones, supply and reach, against plain C and graph libraries that give the same answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

import numpy as np

from benchmarks.kit import work as kernel_work
from benchmarks.kit.contests import BUDGET, AfterMove, OneUnit, WholeMap
from benchmarks.kit.ground import Ground, Scene, largest_map, rectangle, scene
from benchmarks.kit.measure import Timing, race, repeat
from core_ext.zoc import ZocField
from rasputitsa.bench import Figure

US = 1e6
HEXES_A_UNIT = 16
MOVES = 5000
WHOLE_GOALS = {"scipy": 3.0, "networkx": 30.0}
AFTER_GOALS = {"scipy, rebuilt": 20.0, "networkx, rebuilt": 100.0}
REACH_GOALS = {"scipy": 10.0}
LESS_WORK = {"networkx": "distances only", "rustworkx": "distances only, to the end of the board"}


def figures() -> Iterator[Figure]:
    """Measure on the largest map and on boards of 500, 2500 and 10,000 hexes; then how the cost grows."""
    for ground in (largest_map(), *(rectangle(size) for size in (500, 2500, 10_000))):
        placed = scene(ground, ground.grid.size // HEXES_A_UNIT)
        yield from _whole(placed)
        yield from _after_move(placed)
        yield from _zone(placed)
        yield from _reach(placed)
    yield from _growth()


def check(placed: Scene) -> None:
    """Fail if anybody who is measured gives other answers than the kernels."""
    WholeMap(placed).check()
    AfterMove(placed).check()
    OneUnit(placed).check()


def work() -> Callable[[], None]:
    """Prepare what `--profile` looks at: whole-map supply and zones, fields and reaches, as a game asks for them."""
    placed = scene(largest_map(), 250)
    whole, moved, unit = WholeMap(placed), AfterMove(placed), OneUnit(placed)

    def play() -> None:
        for _ in range(200):
            whole.ours()
            moved.ours()
            unit.make_field()
            kernel_work.reach_all(unit.field, unit.starts, BUDGET)

    return play


def _whole(placed: Scene) -> Iterator[Figure]:
    contest = WholeMap(placed)
    contest.check()
    fast, slow = contest.race()
    what, where = "whole-map supply and zones of both sides", _title(placed.ground)
    yield _figure(f"{what}, {where}", fast["ours"])
    yield _against_c(what, where, fast, goal=1.3)
    yield from _against_libraries(what, where, fast, WHOLE_GOALS)
    yield from _against_libraries(what, where, slow, WHOLE_GOALS)


def _after_move(placed: Scene) -> Iterator[Figure]:
    contest = AfterMove(placed)
    contest.check()
    fast, slow = contest.race()
    what, where = "zones and supply of both sides after a move", _title(placed.ground)
    yield _figure(f"{what}, {where}", fast["ours"])
    yield from _against_libraries(what, where, fast, AFTER_GOALS)
    yield from _against_libraries(what, where, slow, AFTER_GOALS)


def _reach(placed: Scene) -> Iterator[Figure]:
    contest = OneUnit(placed)
    contest.check()
    fast, slow = contest.race()
    what, where = "reach of one unit", _title(placed.ground)
    yield _figure(f"{what}, {where}", fast["ours"], goal=10.0)
    yield _against_c(what, where, fast, goal=None)
    yield from _against_libraries(what, where, fast, REACH_GOALS)
    ours = fast["ours"].median
    for name in ("networkx", "rustworkx"):
        ratio = Timing(tuple(second / ours for second in slow[name].seconds))
        yield _ratio(f"{what}: {name} against ours, {where}", ratio, REACH_GOALS.get(name), note=LESS_WORK[name])
    yield _figure(f"field of costs made anew after a move, {where}", race({"ours": repeat(contest.make_field)})["ours"])


def _zone(placed: Scene) -> Iterator[Figure]:
    """What one move changes in a zone: moves without a Python call between them, and one a call."""
    ground, side = placed.ground, placed.sides[0]
    zones = ZocField(ground.grid)
    zones.add_all(side.units, ground.passes)
    here = int(side.units[len(side.units) // 2])
    there = next(int(each) for each in ground.grid.neighbours[6 * here : 6 * here + 6] if each >= 0)
    hexes = np.tile(np.array([here, there, there, here], np.int32), MOVES // 2)
    amounts = np.tile(np.array([-1, 1, -1, 1], np.int16), MOVES // 2)

    def back_and_forth() -> None:
        zones.move(here, there, ground.passes)
        zones.move(there, here, ground.passes)

    timed = race({"kernel": repeat(lambda: zones.add_all(hexes, ground.passes, amounts)), "python": repeat(back_and_forth)})
    yield _figure(f"zone after a move, inside the kernel, {_title(ground)}", timed["kernel"].part(MOVES), goal=1.0)
    yield _figure(f"zone after a move, from Python, {_title(ground)}", timed["python"].part(2))


def _growth() -> Iterator[Figure]:
    """How the whole-map work grows with hexes, and with units."""
    for size in (1000, 2500, 5000, 10_000):
        units = size // HEXES_A_UNIT
        yield _grown(scene(rectangle(size), units), f"growth with hexes: {size:,} hexes, {units} units a side")
    ground = rectangle(10_000)
    for units in (50, 150, 500, 1500):
        yield _grown(scene(ground, units), f"growth with units: 10,000 hexes, {units} units a side")


def _grown(placed: Scene, name: str) -> Figure:
    timing = race({"ours": repeat(WholeMap(placed).ours)}, rounds=9)["ours"]
    return _figure(name, timing, note=f"{timing.median * 1e9 / placed.ground.grid.size:.1f} ns a hex")


def _title(ground: Ground) -> str:
    return f"{ground.name} of {ground.grid.size:,} hexes"


def _figure(name: str, timing: Timing, *, goal: float | None = None, note: str = "") -> Figure:
    low, high = timing.spread
    return Figure(name, timing.median * US, "µs", goal=goal, spread=(low * US, high * US), note=note)


def _ratio(name: str, ratio: Timing, goal: float | None, *, better: Literal["less", "more"] = "more", note: str = "") -> Figure:
    return Figure(name, ratio.median, "times", goal=goal, better=better, spread=ratio.spread, note=note)


def _against_c(what: str, where: str, timings: Mapping[str, Timing], *, goal: float | None) -> Figure:
    return _ratio(f"{what}: ours against plain C, {where}", timings["ours"].over(timings["C"]), goal, better="less")


def _against_libraries(what: str, where: str, timings: Mapping[str, Timing], goals: Mapping[str, float]) -> Iterator[Figure]:
    for name, timing in timings.items():
        if name not in ("ours", "C"):
            note = LESS_WORK.get(name.partition(",")[0], "")
            yield _ratio(f"{what}: {name} against ours, {where}", timing.over(timings["ours"]), goals.get(name), note=note)

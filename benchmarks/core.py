"""Area ``core``: folding, files, seeking, hashing, options, whole games and memory, on real games of bots and on a long log."""

from __future__ import annotations

import cProfile
import gc
import os
import pstats
import random
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.kit import first_position, games, recorded
from benchmarks.kit.measure import Timing, race, repeat
from core import gamefile
from core.board import Hex
from core.events import Event, Moved
from core.fold import fold_all
from core.game import NeedsDice, StopDice, decide
from core.log import Log
from core.match import Match
from core.options import options
from core.orders import OptionPick, Picks, compose
from core.position import Position
from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.movement import MOVEMENT_CLASS, NORMAL
from core.units import UnitId
from core.views import View
from rasputitsa import bench
from rasputitsa.bench import Figure

MS, US = 1e3, 1e6
MANY = 700        # counters of the largest games
SIDE = 60         # units of a side whose options are measured
MOVERS = 12       # units of each side whose moves spoil supply
SEEKS = 2000
OPENINGS = 3
PLAIN = 2000
GAMES = 3


def figures() -> Iterator[Figure]:
    """Measure on games of two bots, and on a log of 100,000 entries."""
    yield from _folds()
    yield from _seeks()
    yield from _file()
    yield from _positions()
    yield from _options()
    yield from _deciding()
    yield from _supply()
    yield from _game()
    yield from _campaign()


def work() -> Callable[[], None]:
    """Prepare what `--profile` looks at: a game of two `steady` bots."""
    games.turning_point()
    return lambda: _play(1)


def _folds() -> Iterator[Figure]:
    """Fold real games, in turns with the plainest fold there is: what it does tells how fast the machine was at that moment."""
    games_of = {bot: games.events_of(games.game_of(bot).match.log) for bot in ("steady", "busy")}
    plain = games.plain_events(PLAIN)
    work = {bot: repeat(partial(_fold, happened)) for bot, happened in games_of.items()}
    timed = race({**work, "plain": repeat(partial(games.plain_fold, plain))})
    for bot, happened in games_of.items():
        rate = _rate(timed[bot], len(happened))
        title = f"fold of a game of two {bot} bots, {len(happened):,} events"
        yield Figure(title, rate.median, "events/s", goal=500_000, better="more", spread=rate.spread)
    rate = _rate(timed["plain"], PLAIN)
    yield Figure("the plainest fold, of two kinds of events, at the same time", rate.median, "events/s", spread=rate.spread)


def _fold(happened: Sequence[Event]) -> None:
    fold_all(Position(), happened)


def _rate(timing: Timing, events: int) -> Timing:
    return Timing(tuple(events / seconds for seconds in timing.seconds))


# -------------------------------------------------------------------- files and seeking


def _file() -> Iterator[Figure]:
    data = games.file_of(games.game_of("busy").match, games.long_log())
    games.long_log.cache_clear()   # who opens a file does not have its log already
    title = f"game file of {games.LONG:,} entries, {len(data) >> 20} MiB"
    runs = [_open(data) for _ in range(OPENINGS)]
    first, loaded, passed = (Timing(tuple(run[part] for run in runs)) for part in range(3))
    yield _figure(f"{title}: its first position", first, MS, "ms", goal=250.0)
    yield _figure(f"{title}: all its entries, checked", loaded, 1.0, "s", goal=2.0)
    yield _figure(f"{title}: the pass over them in the background", passed, 1.0, "s")


def _open(data: bytes) -> tuple[float, float, float]:
    """Open a game file, and return how long its first position took, all its entries, and the pass over them."""
    clock = time.thread_time
    gc.collect()
    began = clock()
    opening = gamefile.Opening(data, clock=lambda: 0)
    shown, loaded = clock(), began
    for share in opening.go_on():
        if share <= 0.5:
            loaded = clock()
    return shown - began, loaded - began, clock() - loaded


def _seeks() -> Iterator[Figure]:
    for name, log in (
        ("a game of two steady bots", games.game_of("steady").match.log),
        (f"a log of {games.LONG:,} entries", games.long_log()),
    ):
        for _ in log.pass_over():
            pass
        rng = random.Random(1)
        taken = sorted(_seek(log, rng.randrange(len(log))) for _ in range(SEEKS))
        note = f"median {bench.number(MS * statistics.median(taken))}"
        yield Figure(f"seek in {name}, 99th percentile", MS * taken[SEEKS * 99 // 100], "ms", goal=20.0, note=note)


def _seek(log: Log, number: int) -> float:
    began = time.thread_time()
    log.seek(number)
    return time.thread_time() - began


# -------------------------------------------------------------------- positions


def _positions() -> Iterator[Figure]:
    end = games.game_of("busy").match.view.position
    crowd = games.crowd(MANY)
    timed = race({
        "hash": repeat(end.digest), "hash of many": repeat(crowd.digest), "copy": repeat(end.copy), "copy of many": repeat(crowd.copy),
    })
    real, many = f"Turning Point, {len(end.units)} counters", f"{MANY} counters"
    yield _figure(f"canonical hash, {real}", timed["hash"], US, "µs")
    yield _figure(f"canonical hash, {many}", timed["hash of many"], MS, "ms", goal=2.0)
    yield _figure(f"copy of a position, {real}", timed["copy"], US, "µs", goal=30.0)
    yield _figure(f"copy of a position, {many}", timed["copy of many"], US, "µs", goal=120.0)
    yield Figure(f"memory of a position, {real}", _kilobytes(lambda: Position.decode(end.encode())), "KB", goal=100.0)
    yield Figure(f"memory of one more copy, {real}", _kilobytes(end.copy), "KB")


def _kilobytes(make: Callable[[], object]) -> float:
    make()   # what the first call learns of its types stays, whatever is made
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        made = make()
        taken = tracemalloc.get_traced_memory()[0] - before
        del made
        return taken / 1000
    finally:
        tracemalloc.stop()


# -------------------------------------------------------------------- options


def _options() -> Iterator[Figure]:
    moving = games.moving(SIDE)
    view = moving.view
    offer_all(view)   # what the setting keeps for all its positions is there
    after, later = _moved(view, 1), _moved(view, 2)
    timed = race({
        "first": repeat(lambda: offer_all(View(view.setting, view.position))),
        "after": repeat(lambda: offer_all(_again(after))),
        "later": repeat(lambda: offer_all(_again(later))),
    })
    title = f"options of a movement phase, {moving.units} units to move"
    yield _figure(f"{title}: first call", timed["first"], MS, "ms", goal=5.0)
    note = "it ends sea and strategic movement: the doors of all units change"
    yield _figure(f"{title}: after the first move of the phase", timed["after"], MS, "ms", goal=0.5, note=note)
    yield _figure(f"{title}: after a move that follows", timed["later"], MS, "ms", goal=0.5)


def offer_all(view: View) -> None:
    """Ask for the order types, and for the first picks of each that is open."""
    for pick in options(view).picks:
        _ = options(view, (pick,)).doors


def _again(view: View) -> View:
    """Return a view that has kept what the view before the move knew, as often as it is asked for."""
    return View(view.setting, view.position, derived=view.derived.copy())


def _moved(view: View, moves: int) -> View:
    """Return the view after so many moves of combat units, all asked for their options but the last."""
    rng = random.Random(5)
    for _ in range(moves):
        offer_all(view)
        view = next(after for _ in range(100) if (after := _one_move(view, rng)).position.tracks[MOVEMENT_CLASS] == NORMAL)
    return view


def _one_move(view: View, rng: random.Random) -> View:
    walk: Picks = (OptionPick("move"),)
    while not (offered := options(view, walk)).complete:
        walk = (*walk, rng.choice(offered.picks))
    order = compose(view.ruleset.orders["move"].order, walk[1:])
    decided = decide(view, view.side_to_act(), order, StopDice())
    return View(view.setting, decided.position, derived=decided.derived)


# -------------------------------------------------------------------- deciding


def _deciding() -> Iterator[Figure]:
    """Decide each order of a game again, with the dice that fell then; of each the fastest of some runs counts."""
    keeper = games.game_of("steady")
    runs = [_decide_all(keeper.match) for _ in range(OPENINGS)]
    taken = [min(times) for times in zip(*runs, strict=True)]
    title = f"deciding an order of a game of two steady bots, {len(taken)} orders"
    yield Figure(f"{title}: mean", MS * statistics.mean(taken), "ms", goal=0.35)
    yield Figure(f"{title}: the slowest", MS * max(taken), "ms", goal=2.5, note="one that begins a turn: supply is judged")


def _decide_all(match: Match) -> list[float]:
    """Return how long each order of a game takes, both passes of those with dice, each decided on what the one before it left."""
    view, taken = View(match.setting, match.log.seek(0)), []
    for entry in match.log.entries[1:]:
        order, fallen = match.codec.decode(entry.order), recorded.fallen(entry)
        dice = recorded.RecordedStream(iter(fallen.rolls), iter(fallen.chits))
        began = time.thread_time()
        try:
            decided = decide(view, entry.side, order, StopDice())
        except NeedsDice:
            decided = decide(view, entry.side, order, dice)
        taken.append(time.thread_time() - began)
        view = View(match.setting, decided.position, derived=decided.derived)
    return taken


# -------------------------------------------------------------------- supply by the rules


def _supply() -> Iterator[Figure]:
    """Zones, railways, chains and lines of all users at the campaign's start: from nothing, and after moves of both sides."""
    view = games.campaign_start()
    trace_all(view)
    moved = [_after_step(view, unit) for unit in games.some_movers(view, MOVERS)]

    def after_each() -> None:
        for after in moved:
            trace_all(_again(after))

    timed = race({"nothing": repeat(lambda: trace_all(View(view.setting, view.position))), "after": repeat(after_each)})
    title = "supply of both sides on all three maps, by the rules"
    yield _figure(f"{title}: after a move", timed["after"].part(len(moved)), US, "µs", goal=200.0)
    yield _figure(f"{title}: from nothing", timed["nothing"], US, "µs")


def trace_all(view: View) -> None:
    """Ask whom each user of supply traces to."""
    for user in supply.USERS:
        supply.network(view, user)


def _after_step(view: View, unit: UnitId) -> View:
    """Return the view after a unit went to an empty hex beside it, with what the one before it knew."""
    there = next(hex_ for hex_ in view.board.adjacent[Hex(view.unit(unit).place)] if not view.position.at(hex_))
    position, derived, event = view.position.copy(), view.derived.copy(), Moved((unit,), (there,))
    derived.touch(event, position)
    fold_all(position, (event,))
    return View(view.setting, position, derived=derived)


# -------------------------------------------------------------------- whole games


def _play(number: int) -> None:
    games.game_of.__wrapped__("steady", number)


def _game() -> Iterator[Figure]:
    taken = [_taken(partial(_play, number)) for number in range(GAMES)]
    yield Figure("game of two steady bots, mean of 3", statistics.mean(taken), "s", goal=3.0, spread=(min(taken), max(taken)))
    name, share = _heaviest()
    yield Figure("game of two steady bots: largest share of one function outside the kernels", 100 * share, "%", goal=15.0, note=name)


def _heaviest() -> tuple[str, float]:
    """Return the function outside the kernels with the largest share of own time in a game, and that share."""
    profile = cProfile.Profile()
    profile.runcall(_play, 1)
    times = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    total = sum(entry[2] for entry in times.values())
    (file, _, function), own = max(
        ((where, entry[2]) for where, entry in times.items() if "core_ext" not in where[0]), key=lambda item: item[1]
    )
    return f"{Path(file).stem}.{function}", own / total


def _campaign() -> Iterator[Figure]:
    """The whole war: until it is set up, a game of it, and what the log, positions along it and the pack take at its end."""
    starts = Timing(tuple(_first_positions(OPENINGS)))
    yield _figure("first position of the campaign, from its files, in a new process", starts, MS, "ms", goal=300.0)
    games.finished_campaign.cache_clear()
    took = _taken(games.finished_campaign)
    match = games.finished_campaign()
    turns, entries = match.view.position.turn, len(match.log)
    yield Figure("campaign of two steady bots", took, "s", goal=60.0, note=f"one game, {turns} turns, {entries:,} entries")
    yield _placements(match)
    data = games.file_of(match)
    title = f"memory of a finished campaign with all its entries, {len(data) >> 20} MiB as a file"
    yield Figure(title, _kilobytes(lambda: _opened(data)) / 1000, "MB", goal=150.0, note="its pack and positions along it included")


def _placements(match: Match) -> Figure:
    """Ask for the options where a side of the campaign places reinforcements, with nothing kept but what hangs on the setting alone."""
    positions = (match.log.seek(entry.number) for entry in match.log.path())
    asked = [position for position in positions if position.top is not None and position.top.name == "Reinforce"]
    taken = [_taken(partial(offer_all, View(match.setting, position))) for position in asked]
    title = f"options at a placement of reinforcements in the campaign, slowest of {len(asked)}"
    return Figure(title, MS * max(taken), "ms", goal=30.0, note=f"median {bench.number(MS * statistics.median(taken))}")


def _first_positions(count: int) -> Iterator[float]:
    """Yield the seconds that new processes took; one before them leaves the bytecode that any start but the first finds."""
    with tempfile.TemporaryDirectory() as bytecode:
        around = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        around.pop("PYTHONDONTWRITEBYTECODE", None)
        for number in range(count + 1):
            taken = _first_position(around)
            if number:
                yield taken


def _first_position(around: dict[str, str]) -> float:
    program = [sys.executable, "-m", first_position.__name__]
    told = subprocess.run(program, cwd=bench.BENCHMARKS.parent, env=around, capture_output=True, text=True, check=True)
    return float(told.stdout)


def _opened(data: bytes) -> Match:
    opening = gamefile.Opening(data, clock=lambda: 0)
    for _ in opening.go_on():
        pass
    return opening.match


def _taken(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


def _figure(name: str, timing: Timing, scale: float, unit: str, *, goal: float | None = None, note: str = "") -> Figure:
    low, high = timing.spread
    return Figure(name, timing.median * scale, unit, goal=goal, spread=(low * scale, high * scale), note=note)

"""Area ``server``: appending durably, against bare SQLite; many games that clients play again over the wire; idle games and connections."""

from __future__ import annotations

import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.kit import durable, recorded
from benchmarks.kit.crowd import Idle, Linger, Open, Play, Played, Rush
from benchmarks.kit.hosting import Crowds, Served, crowds, served
from benchmarks.kit.timers import Spent
from core.errors import Broken
from rasputitsa.bench import Figure

ROOT = Path(__file__).parent.parent
GROUPS = (1, 8, 64, 200)
ROUNDS = 9
GAMES = 200
RATE = 500.0  # orders a second
PLAY_S, COUNT_S = 10.0, 5.0
RUSH_UPTO = 0.5  # of a game's orders: where it stands when the measured stretch begins, at most
CLIENTS = 2  # processes
IDLE_LINES = 2_000
LOW_LIMIT = 256  # open files that a server's shell lets it have
LINGER_S = 10.0
BACKUP_S = 4.0
MB, KB, US, MS = 1e6, 1e3, 1e6, 1e3


def figures() -> Iterator[Figure]:
    """Measure the store, then a server with 200 games, then one with 2,000 idle connections."""
    yield from _appending()
    with _recordings() as (file, folder):
        yield from _games(file, folder)
        yield from _idle_lines(file, folder)


@contextmanager
def _recordings() -> Iterator[tuple[Path, Path]]:
    """Yield a file of recorded games, and a folder on the disk of the checkout."""
    with _folder() as folder:
        file = folder / "recordings"
        recorded.save({one.name: one for one in (recorded.record(*which) for which in recorded.RECORDED)}, file)
        yield file, folder


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield a folder that is on a disk: what is durable in memory tells nothing."""
    place = ROOT / "build"
    place.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place, prefix="bench-") as folder:
        yield Path(folder)


# -------------------------------------------------------------------- the store


def _appending() -> Iterator[Figure]:
    for group in GROUPS:
        with _folder() as folder:
            rates = durable.race(folder, group, rounds=ROUNDS, games_at_once=GAMES)
        ours, bare = statistics.median(rates.ours), statistics.median(rates.bare)
        costs = [US / statistics.median(rate) for rate in (rates.ours_processor, rates.bare_processor)]
        note = f"{ours:,.0f} entries/s against {bare:,.0f}; {costs[0]:.0f} µs of processor an entry against {costs[1]:.0f}"
        low, middle, high = statistics.quantiles([100 * ratio for ratio in rates.ratios], n=4, method="inclusive")
        name = f"decided entries appended durably, {rates.group:.0f} a transaction: the store's rate, of bare SQLite's"
        yield Figure(name, middle, "%", goal=50, better="more", spread=(low, high), note=note)


# -------------------------------------------------------------------- many games


def _games(recordings: Path, folder: Path) -> Iterator[Figure]:
    with served(recordings, folder / "many") as server:
        before = server.spent()
        with crowds(recordings, server.link, GAMES, processes=CLIENTS) as players:
            players.tell(Open(), int)
            yield _most(server, players)
            yield from _steadily(server, players, RATE, within=10.0, ending=50.0)
            yield from _steadily(server, players, RATE / 2)
            yield from _backed_up(players, folder / "many" / "games", folder / "backup")
            yield from _where(server, players)
        left = server.when(lambda spent: spent.loaded == 0)
    yield from _idle_games(recordings, folder, before, left)


def _idle_games(recordings: Path, folder: Path, before: Spent, left: Spent) -> Iterator[Figure]:
    """Count the memory of games that nobody follows: in a server that has just begun with them, and in one that has played them all."""
    with served(recordings, folder / "many") as server:
        idle = server.when(lambda spent: spent.loaded == 0)
    note = "resident memory of a server that begins with them, above one without games"
    each = (idle.memory - before.memory) / GAMES / KB
    yield Figure(f"memory of an idle game, {GAMES} games half played", each, "KB", goal=200, note=note)
    note = "what the interpreter has not given back to the system; the next games use it"
    name = f"memory that stays of a game, when {GAMES} games were in use at once and all were put away"
    yield Figure(name, (left.memory - before.memory) / GAMES / KB, "KB", note=note)


def _most(server: Served, players: Crowds) -> Figure:
    """Let every game give its next order as soon as its last one is acknowledged."""
    before = server.spent()
    played = players.tell(Rush(RUSH_UPTO), Played)
    spent, orders = server.spent(), _orders(played)
    group = statistics.mean(spent.groups[len(before.groups) :])
    note = f"{orders:,} orders, {group:.1f} writes a transaction, {_cost(before, spent, orders):.0f} µs of the server's processor an order"
    rate = orders / max(one.seconds for one in played)
    name = f"{GAMES} games at once, each order given when the last one is acknowledged"
    return Figure(name, rate, "orders/s", goal=RATE, better="more", note=note)


def _steadily(
    server: Served, players: Crowds, rate: float, *, within: float | None = None, ending: float | None = None
) -> Iterator[Figure]:
    """Let orders be due at random moments, so many a second.

    Args:
        within, ending: goals for the 99th of 100 orders within a phase, and that end one, in milliseconds.
    """
    before = server.spent()
    played = players.tell(Play(rate / CLIENTS, PLAY_S), Played)
    spent, orders = server.spent(), _orders(played)
    title = f"{GAMES} games, {rate:.0f} orders/s at random moments, from due to acknowledged"
    seconds = max(one.seconds for one in played)
    busy = 100 * (spent.thread - before.thread) / seconds
    note = f"{orders / seconds:.0f} orders/s came; the serving thread works {busy:.0f} % of the time"
    note += f", the server {_cost(before, spent, orders):.0f} µs of processor an order; players sent none more than "
    note += f"{max(one.late_ms for one in played):.1f} ms after it was due"
    for which, taken, goal in (
        ("within a phase", [ms for one in played for ms in one.within], within),
        ("that end a phase", [ms for one in played for ms in one.ending], ending),
    ):
        yield Figure(f"{title}: orders {which}, 99th of 100", _share(taken, 0.99), "ms", goal=goal, note=note)
        many = f"{len(taken):,} orders"
        yield Figure(f"{title}: orders {which}, median", statistics.median(taken), "ms", spread=_quartiles(taken), note=many)


def _backed_up(players: Crowds, data: Path, file: Path) -> Iterator[Figure]:
    """Let as many orders be due while the store is copied; that none is refused the players see to."""
    # As a host starts it: where all this runs in real time it would else hold a processor for 100 ms at a stretch.
    usual = ["chrt", "--other", "0"] if shutil.which("chrt") else []
    command = [*usual, sys.executable, "-m", "rasputitsa", "backup", str(data), str(file)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as copying:
        played = players.tell(Play(RATE / CLIENTS, BACKUP_S), Played)
        is_copied = copying.poll() is not None
    if copying.returncode:
        raise Broken(f"the backup of a benchmark ended with {copying.returncode}; what it said is above")
    taken = [ms for one in played for ms in (*one.within, *one.ending)]
    note = f"{len(taken):,} orders, {max(taken):.0f} ms at most; {file.stat().st_size / MB:.0f} MB"
    note += "" if is_copied else ", and the backup took longer than the orders"
    name = f"{GAMES} games, {RATE:.0f} orders/s at random moments while `rasputitsa backup` runs, from due to acknowledged: 99th of 100"
    yield Figure(name, _share(taken, 0.99), "ms", note=note)


def _where(server: Served, players: Crowds) -> Iterator[Figure]:
    """Say where the time goes, by counters that cost some themselves."""
    server.count_kinds()
    before = server.spent()
    orders = _orders(players.tell(Play(RATE / CLIENTS, COUNT_S), Played))
    spent = server.spent()
    kinds = {kind: seconds - before.kinds.get(kind, 0.0) for kind, seconds in spent.kinds.items()}
    kinds["the loop, the tables of games, and these counters"] = spent.thread - before.thread - sum(kinds.values())
    kinds["store: the process that appends, and the thread that writes the rest"] = spent.writer - before.writer
    kinds["carry and encrypt: the threads of ZeroMQ"] = spent.background - before.background
    for kind, seconds in sorted(kinds.items(), key=lambda each: -each[1]):
        yield Figure(f"where an order's time goes: {kind}", US * seconds / orders, "µs")


def _orders(played: Sequence[Played]) -> int:
    return sum(len(one.within) + len(one.ending) for one in played)


def _cost(before: Spent, after: Spent, orders: int) -> float:
    return US * (after.process - before.process) / orders


def _share(taken: Sequence[float], share: float) -> float:
    return sorted(taken)[min(len(taken) - 1, int(share * len(taken)))]


def _quartiles(taken: Sequence[float]) -> tuple[float, float]:
    low, _, high = statistics.quantiles(taken, n=4, method="inclusive")
    return low, high


# -------------------------------------------------------------------- idle connections


def _idle_lines(recordings: Path, folder: Path) -> Iterator[Figure]:
    """Open as many connections as a server that began with a low limit of open files can take."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # of the players' process: two descriptors a connection
    with served(recordings, folder / "idle", descriptors=LOW_LIMIT) as server:
        before = server.spent()
        with crowds(recordings, server.link, 0, processes=1) as players:
            players.tell(Idle(IDLE_LINES), int)
            there = server.spent()
            players.tell(Linger(LINGER_S), int)
            after = server.spent()
    note = f"all encrypted; the server began with a limit of {LOW_LIMIT} open files"
    yield Figure("idle connections", after.players, "", goal=IDLE_LINES, better="more", note=note)
    yield Figure("memory of an idle connection", (after.memory - before.memory) / IDLE_LINES / KB, "KB")
    share = 100 * (after.process - there.process) / LINGER_S
    yield Figure(f"processor time of a server with {IDLE_LINES:,} idle connections that ping every 5 s", share, "% of a core")

"""`rasputitsa soak`: games by bots that check every promise on the way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count
from pathlib import Path

import click

from client.writing import write_whole
from core import bots
from core.trials.soak import Failed, Soaked, soak_one
from rasputitsa import endings
from rasputitsa.match import BOT, give_up, let_parent_answer, made_setting
from rasputitsa.packs import load_pack
from rasputitsa.screen import progress


@click.command(epilog="\b\nExample:\n  rasputitsa soak --games 200\n  rasputitsa soak --minutes 30 --bot busy --out ./failures")
@click.option("--games", type=click.IntRange(1), default=20, show_default=True, help="How many games.")
@click.option("--minutes", type=click.FloatRange(min=0), help="Stop after so many minutes instead.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Number of the first game.")
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Processes at once.")
@click.option("--bot", type=BOT, default="busy", show_default=True, help="Who plays both sides.")
@click.option("--game", default="war_for_the_motherland", show_default=True, help="The game.")
@click.option("--scenario", default="turning_point", show_default=True, help="The scenario.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path(), help="Folder for the files of games that failed.")
def soak(games: int, minutes: float | None, seed: int, jobs: int, bot: str, game: str, scenario: str, out: Path) -> int:
    """Play whole games and check at every step what the program promises.

    Options are exactly what is accepted, no decision is without options, the log folds to the position, undo and redo agree, views keep
    their law, a refused order leaves no trace, files verify. A game that fails leaves its file; exit status 1.
    """
    made_setting(game, scenario)
    until = None if minutes is None else time.monotonic() + minutes * 60
    numbers = count(seed) if minutes is not None else iter(range(seed, seed + games))
    failed = done = orders = tried = 0
    with progress() as bars:
        task = bars.add_task("soak", total=None if minutes is not None else games)
        for result in _run(numbers, jobs, until, (bot, game, scenario)):
            bars.advance(task)
            if isinstance(result, Soaked):
                done, orders, tried = done + 1, orders + result.orders, tried + result.tried
            else:
                failed += 1
                _report(result, out)
    click.echo(f"{done} games held every promise, {failed} did not; {orders} orders, {tried} composable orders enumerated")
    return endings.FAILED if failed else endings.DONE


def _soak(number: int, bot: str, game: str, scenario: str) -> Soaked | tuple[int, str, bytes]:
    setting = made_setting(game, scenario)
    chosen = {side: bots.load(bot) for side in setting.sides}
    try:
        return soak_one(setting, load_pack(game).files, chosen, number)
    except Failed as failed:
        return failed.number, failed.why, failed.file


def _run(
    numbers: Iterator[int], jobs: int, until: float | None, what: tuple[str, str, str]
) -> Iterator[Soaked | tuple[int, str, bytes]]:
    """Yield results as they come; no new game is begun after *until* (monotonic seconds)."""
    running: set[Future[Soaked | tuple[int, str, bytes]]] = set()
    with ProcessPoolExecutor(jobs, initializer=let_parent_answer) as pool:
        try:
            while True:
                while len(running) < jobs and (until is None or time.monotonic() < until):
                    number = next(numbers, None)
                    if number is None:
                        break
                    running.add(pool.submit(_soak, number, *what))
                if not running:
                    return
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for one in finished:
                    yield one.result()
        except BaseException:
            give_up(pool)
            raise


def _report(result: tuple[int, str, bytes], out: Path) -> None:
    number, why, data = result
    file = out / f"soak-{number}.rasputitsa"
    click.echo(f"game {number}: {why}")
    if data:
        out.mkdir(parents=True, exist_ok=True)
        write_whole(file, data)
        click.echo(f"  file: {file}; see it with `rasputitsa replay {file}`, play it again with --seed {number} --games 1")

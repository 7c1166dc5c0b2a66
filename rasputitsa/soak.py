"""`rasputitsa soak`: games by bots that check every promise on the way."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import count
from pathlib import Path

import click

from client.writing import write_whole
from core import bots
from core.errors import BadInput, Broken
from core.setting import Setting
from core.text import counted
from core.trials.soak import Failed, Rates, Soaked, soak_one
from rasputitsa import endings
from rasputitsa.killing import Massacre
from rasputitsa.kinds import NamedPath
from rasputitsa.match import BOT, OPTION, chosen_options, made_setting
from rasputitsa.packs import load_pack
from rasputitsa.screen import progress
from rasputitsa.soak_results import Results, Series
from rasputitsa.workers import workers

EXAMPLE = """\b
Example:
  rasputitsa soak --games 200
  rasputitsa soak --minutes 30 --bot busy --failures ./failures
  rasputitsa soak --kill 100 --games 10 --bot steady
  rasputitsa soak --option extended_depots --option army_breakdown
  rasputitsa soak --scenario fall_barbarossa --bot steady --dear 40 --exact 800 --games 200 --out soak.jsonl"""


@click.command(epilog=EXAMPLE)
@click.option("--games", type=click.IntRange(1), default=20, show_default=True, help="How many games.")
@click.option("--minutes", type=click.FloatRange(min=0), help="Begin no game after so many minutes, however many they are.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Number of the first game.")
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Processes at once.")
@click.option("--bot", type=BOT, default="busy", show_default=True, help="Who plays both sides.")
@click.option("--game", default="war_for_the_motherland", show_default=True, help="The game.")
@click.option("--scenario", default="turning_point", show_default=True, help="The scenario.")
@OPTION
@click.option("--dear", type=click.IntRange(1), default=7, show_default=True, help="Check views, bytes and offers at one step in so many.")
@click.option("--exact", type=click.IntRange(1), default=35, show_default=True, help="Put all orders together at one step in so many.")
@click.option("--out", type=NamedPath(dir_okay=False, path_type=Path), help="File of results; games that it holds are passed over.")
@click.option("--kill", type=click.IntRange(1), help="Play over a server instead, that is killed so many times meanwhile.")
@click.option("--failures", type=NamedPath(file_okay=False, path_type=Path), default=Path(), help="Folder for files of games that failed.")
def soak(
    games: int,
    minutes: float | None,
    seed: int,
    jobs: int,
    bot: str,
    game: str,
    scenario: str,
    options: tuple[str, ...],
    dear: int,
    exact: int,
    out: Path | None,
    kill: int | None,
    failures: Path,
) -> int:
    """Play whole games and check at every step what the program promises.

    No decision is without options, and the game's own invariants hold, at every step. At one step in --dear: offered orders are accepted,
    options are the same from nothing, views keep their law, bytes give the position back, a refused order leaves no trace. At one in
    --exact: options are exactly what is accepted, the log folds to the position, undo and redo agree. In the end the file is verified.
    A game that fails leaves its file; exit status 1.

    With --out a soak that was ended goes on where it was.

    With --kill the games go over a server of its own, some at a time, which dies by SIGKILL again and again: at a place between receipt
    and acknowledgement, or anywhere. What it acknowledged must be there after each death, and nothing by halves; each file is verified.
    """
    agreed = chosen_options(options)
    chosen = made_setting(game, scenario, agreed)  # bad input is told before any process starts
    if kill is not None:
        if out is not None or minutes is not None:
            raise BadInput.one("--kill", "no --out or --minutes with it", "both")
        return _kill(chosen, bot, seed, games, kill)
    if minutes is not None and math.isnan(minutes):
        raise BadInput.one("--minutes", "a number of minutes", minutes)
    series = Series(game, scenario, bot, Rates(dear, exact), load_pack(game).digest, agreed)
    with Results.open(out, series) as results:
        numbers = count(seed) if minutes is not None else iter(range(seed, seed + games))
        left = (number for number in numbers if number not in results.known)
        until = None if minutes is None else time.monotonic() + minutes * 60
        with progress() as bars:
            task = bars.add_task("soak", total=None if minutes is not None else games, completed=len(results.known))
            for result in _run(left, jobs, until, series):
                bars.advance(task)
                results.add(result)
                if not isinstance(result, Soaked):
                    _report(result, failures)
    click.echo(results.summary())
    return endings.FAILED if results.failed else endings.DONE


def _kill(setting: Setting, bot: str, seed: int, games: int, kills: int) -> int:
    with progress() as bars:
        task = bars.add_task("deaths", total=kills)
        massacre = Massacre(setting, bot, seed=seed, killed=lambda number, where: bars.update(task, completed=number, description=where))
        try:
            survived = massacre.run(games, kills)
        except Broken as error:
            click.echo(f"seed {seed}: {error}")
            return endings.FAILED
    held, given = counted(survived.games, "game"), counted(survived.orders, "order")
    click.echo(f"{held}, {given} acknowledged, none lost, none twice; all files verify")
    for where, times in sorted(survived.deaths.items()):
        click.echo(f"  killed {times} times {where}")
    return endings.DONE


Result = Soaked | tuple[int, str, bytes]


def _soak(number: int, series: Series) -> Result:
    setting = made_setting(series.game, series.scenario, series.options)
    chosen = {side: bots.load(series.bot) for side in setting.sides}
    try:
        return soak_one(setting, load_pack(series.game).files, chosen, number, rates=series.rates)
    except Failed as failed:
        return failed.number, failed.why, failed.file


def _run(numbers: Iterator[int], jobs: int, until: float | None, series: Series) -> Iterator[Result]:
    """Yield results as they come; no new game is begun after *until* (monotonic seconds)."""
    running: set[Future[Result]] = set()
    with workers(jobs) as pool:
        while True:
            while len(running) < jobs and (until is None or time.monotonic() < until):
                number = next(numbers, None)
                if number is None:
                    break
                running.add(pool.submit(_soak, number, series))
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for one in finished:
                yield one.result()


def _report(result: tuple[int, str, bytes], folder: Path) -> None:
    number, why, data = result
    file = folder / f"soak-{number}.rasputitsa"
    click.echo(f"game {number}: {why}")
    if data:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(file, data)
        click.echo(f"  file: {file}; see it with `rasputitsa replay {file}`, play it again with --seed {number} --games 1")

"""`rasputitsa match`: two bots play many games."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import as_completed

import click

from core import bots
from core.errors import BadInput
from core.pack import setting
from core.rulesets import load
from core.setting import Setting
from core.text import whole_number
from core.trials.course import figure_names
from core.trials.series import Played, play_one
from rasputitsa import match_report
from rasputitsa.packs import load_pack
from rasputitsa.screen import progress
from rasputitsa.workers import workers

BOT = click.Choice(bots.NAMES)
Chosen = Mapping[str, bool | int | str]
OPTION = click.option(
    "--option", "options", multiple=True, metavar="NAME[=VALUE]",
    help="Choose an option of the game, such as city_losses, or north_sea_supply=false; may be given several times.",
)  # fmt: skip


EXAMPLE = """\b
Example:
  rasputitsa match steady random --games 100
  rasputitsa match steady steady --games 20 --stats --figure vp
  rasputitsa match steady steady --option army_breakdown --option city_losses"""


@click.command(epilog=EXAMPLE)
@click.argument("first", type=BOT)
@click.argument("second", type=BOT)
@click.option("--games", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many; sides alternate.")
@click.option("--game", default="war_for_the_motherland", show_default=True, help="The game.")
@click.option("--scenario", default="turning_point", show_default=True, help="The scenario.")
@OPTION
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Number of the first game.")
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Processes at once.")
@click.option("--stats", is_flag=True, help="Print besides how the games went: bands of the outcome by turn.")
@click.option("--figure", "figures", multiple=True, metavar="NAME", help="Only this figure of --stats; may be given several times.")
@click.option("--json", "as_json", is_flag=True, help="Print it all as one JSON object instead, with every game.")
def match(
    first: str,
    second: str,
    games: int,
    game: str,
    scenario: str,
    options: tuple[str, ...],
    seed: int,
    jobs: int,
    stats: bool,
    figures: tuple[str, ...],
    as_json: bool,
) -> None:
    """Let the bots FIRST and SECOND play many games, and print the score of FIRST with its 95 % interval.

    With --stats it prints bands of the outcome by turn: least, quartiles, median and most of each figure, when the turn
    began and at the end.
    """
    agreed = chosen_options(options)
    chosen = made_setting(game, scenario, agreed)  # bad input is told before any process starts
    _check_figures(figures, chosen, stats=stats)
    played = _play_all((first, second), (game, scenario, agreed), range(seed, seed + games), jobs)
    sides = chosen.sides
    if as_json:
        click.echo(match_report.as_json(played, first, sides))
        return
    match_report.print_score(played, first, sides)
    if stats:
        match_report.print_bands(played, figures)


def _check_figures(figures: tuple[str, ...], chosen: Setting, *, stats: bool) -> None:
    """Refuse figures that there are none of, or that nobody would see, before hundreds of games are played."""
    if figures and not stats:
        raise BadInput.one("--figure", "--stats with it", "none")
    names = figure_names(chosen)
    unknown = [name for name in figures if name not in names]
    if unknown:
        raise BadInput.one("--figure", "one of " + ", ".join(sorted(names)), unknown[0])


def chosen_options(options: tuple[str, ...]) -> dict[str, bool | int | str]:
    """Return the options that a command line names: ``name``, ``name=false``, ``name=3``."""
    return {name: _value_of(name, value) if is_given else True for name, is_given, value in (option.partition("=") for option in options)}


def _value_of(name: str, word: str) -> bool | int | str:
    if not word:
        raise BadInput.one(f"--option {name}", "a value behind =", "nothing")
    if word in ("true", "false"):
        return word == "true"
    number = whole_number(word)
    return word if number is None else number


def made_setting(game: str, scenario: str, options: Chosen | None = None) -> Setting:
    """Return the setting of a scenario of this installation; BadInput if there is none."""
    pack = load_pack(game)
    return setting(load(game), pack, scenario, options)


def _play(names: tuple[str, str], of: tuple[str, str, Chosen], number: int) -> Played:
    return play_one(made_setting(*of), names, number)


def _play_all(names: tuple[str, str], of: tuple[str, str, Chosen], numbers: range, jobs: int) -> list[Played]:
    played = []
    with progress() as bars, workers(jobs) as pool:
        task = bars.add_task(f"{names[0]} – {names[1]}", total=len(numbers))
        waiting = [pool.submit(_play, names, of, number) for number in numbers]
        for done in as_completed(waiting):
            played.append(done.result())
            bars.advance(task)
    return sorted(played, key=lambda one: one.number)

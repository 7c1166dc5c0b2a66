"""`rasputitsa scenarios`: the games and scenarios of this installation, with their options; checks packs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.datafile import Faults
from core.errors import BadInput
from core.pack import Option, Pack, Scenario, build_board
from core.rulesets import load
from rasputitsa import packs
from rasputitsa.screen import Screen


@click.command(
    epilog="\b\nExamples:\n  rasputitsa scenarios\n  rasputitsa scenarios war_for_the_motherland --check",
)
@click.argument("ruleset", required=False)
@click.option("--check", is_flag=True, help="Check every file of the pack, your overrides laid over it: map, charts, scenarios.")
def scenarios(ruleset: str | None, check: bool) -> None:
    """List the games that can be played, or those of RULESET, with their scenarios and options.

    Files in your folder of overrides replace those of the pack; they are named in the list.
    """
    names = packs.installed() if ruleset is None else (ruleset,)
    console = Screen()
    for name in names:
        pack = packs.load_pack(name)
        show(console, name, pack)
        if check:
            check_pack(name, pack)
            console.print(Text(f"{name}: no faults in {len(pack.files)} files"))


def show(console: Console, name: str, pack: Pack) -> None:
    """Print one game: its scenarios, its options, whose files replace the pack's."""
    console.print(Text(f"{pack.manifest.title}  ({name})", style="bold"))
    console.print(scenario_table(pack.scenarios.values()))
    if pack.manifest.option:
        console.print(option_table(pack.manifest.option))
    if pack.overridden:
        console.print(Text(f"Your overrides in {packs.overrides_folder(name)}: {', '.join(pack.overridden)}", style="yellow"))
    console.print()


def scenario_table(some: Iterable[Scenario]) -> Table:
    """Return scenarios as a table."""
    table = Table(box=None, pad_edge=False)
    for title in ("scenario", "title", "rule", "turns", "map", "about"):
        table.add_column(title, overflow="fold")
    for one in some:
        row = (one.id, one.title, one.rule, f"{one.first_turn} to {one.last_turn}", ", ".join(one.sections), one.blurb)
        table.add_row(*map(Text, row))
    return table


def option_table(some: tuple[Option, ...]) -> Table:
    """Return options as a table."""
    table = Table(box=None, pad_edge=False)
    for title in ("option", "rule", "default", "choices", "about"):
        table.add_column(title, overflow="fold")
    for one in some:
        table.add_row(*map(Text, (one.id, one.rule, word(one.default), ", ".join(map(word, one.choices)), one.title)))
    return table


def word(value: bool | int | str) -> str:
    """Return the value of an option as people write it."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def check_pack(name: str, pack: Pack) -> None:
    """Check what a pack's own loading leaves to its ruleset and to the map.

    Raises:
        BadInput: with the faults of all files.
    """
    faults = Faults()
    ruleset = load(name)
    _try(faults, ruleset.charts, pack)
    for scenario in pack.scenarios.values():
        _try(faults, ruleset.check_scenario, pack, scenario)
        _try(faults, build_board, pack, scenario)
        _try(faults, pack.lettering, scenario.sections)
    faults.found = list(dict.fromkeys(faults.found))  # scenarios share sections of the map
    faults.check()


def _try(faults: Faults, check: Callable[..., object], *what: object) -> None:
    try:
        check(*what)
    except BadInput as error:
        faults.take(error)

"""`rasputitsa scenarios`: the games and scenarios of this installation, with their options."""

from __future__ import annotations

from collections.abc import Iterable

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.pack import Option, Pack, Scenario
from rasputitsa import packs
from rasputitsa.screen import Screen


@click.command(
    epilog="\b\nExamples:\n  rasputitsa scenarios\n  rasputitsa scenarios war_for_the_motherland",
)
@click.argument("ruleset", required=False)
def scenarios(ruleset: str | None) -> None:
    """List the games that can be played, or those of RULESET, with their scenarios and options.

    Files in your folder of overrides replace those of the pack; they are named in the list.
    """
    names = packs.installed() if ruleset is None else (ruleset,)
    console = Screen()
    for name in names:
        pack = packs.load_pack(name)
        show(console, name, pack)


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
    table.add_column("scenario", no_wrap=True)  # it is to be typed after --scenario
    for title in ("title", "rule", "turns", "map", "about"):
        table.add_column(title, overflow="fold")
    for one in some:
        row = (one.id, one.title, one.rule, f"{one.first_turn} to {one.last_turn}", ", ".join(one.sections), one.blurb)
        table.add_row(*map(Text, row))
    return table


def option_table(some: tuple[Option, ...]) -> Table:
    """Return options as a table."""
    table = Table(box=None, pad_edge=False)
    table.add_column("option", no_wrap=True)
    for title in ("rule", "default", "choices", "about"):
        table.add_column(title, overflow="fold")
    for one in some:
        table.add_row(*map(Text, (one.id, one.rule, word(one.default), ", ".join(map(word, one.choices)), one.title)))
    return table


def word(value: bool | int | str) -> str:
    """Return the value of an option as people write it."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)

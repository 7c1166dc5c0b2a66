"""`rasputitsa rules`: how each rule of a rulebook stands."""

from __future__ import annotations

import click
from rich.table import Table
from rich.text import Text

from core.errors import BadInput
from core.text import counted
from rasputitsa import ledger
from rasputitsa.screen import Screen

COLOURS = {"proved": "green", "written": "yellow", "missing": "red", "flavour": "dim"}


@click.command(
    epilog="\b\nExamples:\n  rasputitsa rules war_for_the_motherland\n"
    "  rasputitsa rules war_for_the_motherland --missing --section 8\n"
    "  rasputitsa rules war_for_the_motherland --tests --section 8.42",
)
@click.argument("ruleset")
@click.option("--missing", is_flag=True, help="Only the rules that are missing.")
@click.option("--tests", "named", is_flag=True, help="Name the tests and case files of each rule, and what it demands.")
@click.option("--section", metavar="N", help="Only one section or paragraph, such as 8 or 8.4.")
def rules(ruleset: str, missing: bool, named: bool, section: str | None) -> None:
    """Print how each rule of RULESET stands, and the totals.

    A rule is proved if a test or a case file shows it, written if the code cites it, else missing. Rows of the rulebook that hold nothing
    to play are counted as flavour.
    """
    some = ledger.standings(ruleset)
    if section is not None:
        some = tuple(one for one in some if is_in(one.rule.id, section))
        if not some:
            raise BadInput.one("--section", f"a section of {ruleset}, such as 8 or 8.4", section)
    console = Screen()
    shown = [one for one in some if not missing or one.state == "missing"]
    if named:
        for one in shown:
            tell_tests(console, one)
    elif shown:
        console.print(table_of(shown))
    if not ledger.has_tests():
        console.print("The tests are not part of this installation: what they prove shows as written or missing.", style="yellow")
    console.print(summary(some))


def is_in(id: str, section: str) -> bool:
    """Say whether a rule belongs to a section or paragraph: ``8.42a`` is in ``8``, ``8.4`` and ``8.42``, not in ``8.2``."""
    head = section.rstrip(".")
    rest = id[len(head) :]
    if not id.startswith(head):
        return False
    return "." in head or rest.startswith(".")


def table_of(some: list[ledger.Standing]) -> Table:
    """Return the rules as a table."""
    table = Table(box=None, pad_edge=False)
    table.add_column("rule", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("tests", justify="right", no_wrap=True)
    table.add_column("cases", justify="right", no_wrap=True)
    table.add_column("what it is about")
    for one in some:
        state = Text(one.state, style=COLOURS[one.state])
        table.add_row(one.rule.id, state, str(len(one.tests) or ""), str(len(one.cases) or ""), Text(one.rule.title))
    return table


def tell_tests(console: Screen, one: ledger.Standing) -> None:
    """Print a rule with what it demands, its tests by their sentences, and its case files by their titles."""
    console.print(Text.assemble(f"{one.rule.id} {one.rule.title}: ", (one.state, COLOURS[one.state])))
    console.print(Text(f"  {one.rule.must}", style="dim"))
    for test in one.tests:
        file, _, name = test.partition("::")
        console.print(Text(f"  test: {name.removeprefix('test_').replace('_', ' ')} ({file})"))
    for case in one.cases:
        console.print(Text(f"  case: {ledger.title_of_case(case)} ({case})"))


def summary(some: tuple[ledger.Standing, ...]) -> str:
    """Return the totals in one line: ``100 rules: 60 proved, 30 written, 6 missing, 4 flavour``."""
    count = ledger.totals(some)
    return f"{counted(len(some), 'rule')}: " + ", ".join(f"{count[state]} {state}" for state in ledger.STATES)

"""``rasputitsa case``: run case files."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click

from client.bounded import read_bounded
from core import rulesets
from core.errors import BadInput
from core.trials import case_words
from core.trials.cases import Library, Result, load, run
from rasputitsa import endings
from rasputitsa.kinds import NamedPath
from rasputitsa.packs import load_pack

RULESETS = Path(rulesets.__file__).parent
MOST = 1 << 20  # bytes of a case file; those there are have some thousand

EXAMPLES = (
    "\b\nExample:\n"
    "  rasputitsa case tests/cases/war_for_the_motherland\n"
    "  rasputitsa case my_case.toml\n"
    "  rasputitsa case --words war_for_the_motherland"
)


@click.command(epilog=EXAMPLES)
@click.argument("files", nargs=-1, type=NamedPath(exists=True, path_type=Path), metavar="FILE...")
@click.option("--all/--failing", "show_all", default=True, help="A line for each case, or only for those that don't pass.")
@click.option("--words", metavar="GAME", help="Print the words that case files of a game can use: orders, phases, marks, types.")
def case(files: tuple[Path, ...], show_all: bool, words: str | None) -> int:
    """Run case files: FILE is a case, or a folder of cases. How to write one is told in docs/cases.md.

    Prints one line a case, and below it what differs. Exit status 0 if all pass, 1 if any fails, 2 if a file has faults, 70 if the
    program itself broke. A case that its file calls open doesn't count as failed.
    """
    if words is not None:
        click.echo("\n".join(case_words.words(rulesets.load(words), load_pack(words))))
        return endings.DONE
    if not files:
        raise click.UsageError("Missing argument 'FILE...': a case file, or a folder of them.")
    library, code = new_library(), endings.DONE
    counts: dict[str, int] = {}
    for file in _files(files):
        try:
            result = run(load(str(file), read_bounded(file, MOST), library))
        except BadInput as error:
            code = max(code, endings.list_faults(error))
            counts["faulty"] = counts.get("faulty", 0) + 1
            continue
        counts[result.state] = counts.get(result.state, 0) + 1
        code = max(code, {"failed": endings.FAILED, "broken": endings.INTERNAL}.get(result.state, endings.DONE))
        if show_all or result.state != "passed":
            _show(result)
    click.echo(", ".join(f"{count} {state}" for state, count in sorted(counts.items())) or "no case")
    return code


def new_library() -> Library:
    """Return the library of this installation: its packs, with the user's overrides, and its ledgers."""
    return Library(rulesets.load, load_pack, ledger)


@cache
def ledger(ruleset: str) -> tuple[str, ...] | None:
    """Return the ids of a game's rules in the order of its ledger, None if it has none."""
    file = RULESETS / ruleset / "rules.tsv"
    if not file.is_file():
        return None
    with open(file, encoding="utf-8", newline="") as lines:
        return tuple(row["id"] for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _files(paths: tuple[Path, ...]) -> Iterator[Path]:
    for path in paths:
        found = sorted(path.rglob("*.toml")) if path.is_dir() else [path]
        if not found:
            raise BadInput.one(str(path), "a folder with case files, *.toml", "none in it")
        yield from found


def _show(result: Result) -> None:
    click.echo(f"{result.id}: {result.state}: {result.title}")
    for line in result.lines:
        click.echo(f"    {line}")

"""`rasputitsa verify`: recheck game files."""

from __future__ import annotations

from pathlib import Path

import click
from rich.progress import Progress

from core.errors import BadInput
from core.gamefile import GameFile
from core.text import counted, printable, shortened
from core.trials.verify import Report
from core.trials.verify import verify as recheck
from rasputitsa import endings
from rasputitsa.files import named, read_game
from rasputitsa.kinds import NamedPath
from rasputitsa.packs import unlike_installed
from rasputitsa.screen import progress


@click.command(epilog="\b\nExample:\n  rasputitsa verify game.rasputitsa\n  rasputitsa verify games/*.rasputitsa")
@click.argument("files", nargs=-1, required=True, type=NamedPath(exists=True, dir_okay=False, path_type=Path), metavar="FILE...")
def verify(files: tuple[Path, ...]) -> int:
    """Recheck FILE: its hash chain, every die against the published chains, all signatures, the fold, and each order decided again.

    Prints one line a finding, and one for each thing that is in order and worth knowing, such as dice that not all players witnessed.
    Exit status 0 if everything holds, 1 if something does not, 2 if a file can't be read.
    """
    worst = endings.DONE
    with progress() as bars:
        for file in files:
            worst = max(worst, _verify_one(file, bars))
    return worst


def _verify_one(file: Path, bars: Progress) -> int:
    task = bars.add_task(file.name, total=None)
    try:
        game = read_game(file)
        with named(file):
            report = recheck(game, progress=lambda done, total: bars.update(task, completed=done, total=total))
    except BadInput as error:
        return endings.list_faults(error)
    tell(file, game, report)
    return endings.DONE if report.holds else endings.FAILED


def tell(file: Path, game: GameFile, report: Report) -> None:
    """Print what was found in a file, what is to be known of it, and what it holds."""
    for finding in report.findings:
        click.echo(printable(f"{file}: entry {finding.entry}: {finding.kind}: {finding.text}"))
    for remark in report.remarks:
        click.echo(printable(f"{file}: entry {remark.entry}: remark: {remark.text}"))
    if others := unlike_installed(game):
        click.echo(printable(f"{file}: remark: its pack is not the one installed here: it differs in {shortened(others)}"))
    verdict = "everything holds" if report.holds else counted(len(report.findings), "finding")
    if report.findings and report.holds_by_earlier_rules:
        verdict += ", all of entries that earlier rules may have decided so"
    orders = f"{counted(report.signed + len(report.unsigned), 'order')} ({_signed(report)}), {report.rolls} with dice"
    click.echo(printable(f"{file}: {counted(report.entries, 'entry', 'entries')}, {orders}: {verdict}"))


def _signed(report: Report) -> str:
    """Say how many of the players' orders bear signatures, and which don't; the set-up, which nobody orders, needs none."""
    if not report.unsigned:
        return "all signed"
    if not report.signed:
        return "none signed"
    return f"{report.signed} signed; not in {'entry' if len(report.unsigned) == 1 else 'entries'} {shortened(report.unsigned)}"

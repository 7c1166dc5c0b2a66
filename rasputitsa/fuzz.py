"""`rasputitsa fuzz`: frames that nobody should send, against a whole server."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import click

from client.writing import write_whole
from core import bots
from core.text import counted
from rasputitsa import endings
from rasputitsa.kinds import NamedPath
from rasputitsa.match import made_setting
from rasputitsa.packs import load_pack
from rasputitsa.screen import progress
from server.memory import memory
from server.trials.fuzzing import Found, Range

FRESH_EVERY = 50_000  # frames a server gets; a list of ever more games would only make it slow


@click.command(epilog="\b\nExample:\n  rasputitsa fuzz --frames 1000000\n  rasputitsa fuzz --frames 20000 --seed 7 --failures ./failures")
@click.option("--frames", type=click.IntRange(1), default=100_000, show_default=True, help="How many.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the chance that makes them.")
@click.option("--game", default="war_for_the_motherland", show_default=True, help="The game that is played meanwhile.")
@click.option("--scenario", default="turning_point", show_default=True, help="The scenario.")
@click.option("--failures", type=NamedPath(file_okay=False, path_type=Path), default=Path(), help="Folder for frames that showed a fault.")
def fuzz(frames: int, seed: int, game: str, scenario: str, failures: Path) -> int:
    """Send frames that nobody should send to a server, and see that it answers each and goes on.

    The frames are good ones with bytes or values changed, from a player at a running game, a spectator or a stranger; those that lead to
    lines of the server, or to answers, that none led to before are changed further. A fault is kept with the frame that shows it; exit
    status 1.
    """
    made_setting(game, scenario)  # bad input is told before any server starts
    known, before, began = Found(), memory(), time.monotonic()
    with progress() as bars:
        task = bars.add_task("fuzz", total=frames)
        for first in range(0, frames, FRESH_EVERY):
            with tempfile.TemporaryDirectory(prefix="rasputitsa-fuzz-") as folder:
                target = Range(Path(folder), load_pack, game, scenario, bots.load("busy"), seed=f"{seed} {first}", found=known)
                some = min(FRESH_EVERY, frames - first)
                found = target.run(some, progress=lambda done, first=first: bars.update(task, completed=first + done))  # type: ignore[misc]
    seconds = time.monotonic() - began
    click.echo(
        f"{counted(frames, 'frame')} in {seconds:.0f} s; {counted(found.lines, 'line')} reached, "
        f"{counted(found.kept, 'frame')} kept to be changed further; "
        f"memory grew by {(memory() - before) >> 20} MiB"
    )
    for kind, times in sorted(found.answers.items(), key=lambda one: -one[1]):
        click.echo(f"  {times:>9}  {kind}")
    for number, (what, data) in enumerate(found.faults):
        file = failures / f"fuzz-{seed}-{number}.frame"
        failures.mkdir(parents=True, exist_ok=True)
        write_whole(file, data)
        click.echo(f"fault: {what}\n  frame: {file}")
    return endings.FAILED if found.faults else endings.DONE

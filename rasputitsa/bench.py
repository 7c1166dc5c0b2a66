"""``rasputitsa bench``: measures, against named goals. Each area is a module in ``benchmarks/`` of the checkout."""

from __future__ import annotations

import cProfile
import importlib
import json
import os
import platform
import pstats
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import click
from rich.console import Console
from rich.markup import escape

from core.errors import BadInput
from rasputitsa import __version__, endings
from rasputitsa.kinds import NamedPath

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
TOP = 15


@dataclass(frozen=True)
class Figure:
    """One thing that was measured.

    Attributes:
        name: what, for whom, on what; the same in every run.
        value: in *unit*; the median where *spread* is given.
        goal: what it is measured against; ``None`` if it is only told.
        better: which way the goal is passed.
        spread: the lower and upper quartile.
        note: what a reader must know to read it.
    """

    name: str
    value: float
    unit: str
    goal: float | None = None
    better: Literal["less", "more"] = "less"
    spread: tuple[float, float] | None = None
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the goal is met; ``None`` if there is none."""
        if self.goal is None:
            return None
        return self.value <= self.goal if self.better == "less" else self.value >= self.goal


@click.command(
    epilog="\b\nExamples:\n  rasputitsa bench\n  rasputitsa bench kernels --strict --json figures.json\n  rasputitsa bench core --profile",
)
@click.argument("areas", metavar="[AREA]...", nargs=-1)
@click.option("--json", "file", type=NamedPath(dir_okay=False, writable=True, path_type=Path), help="Write the figures to a file as well.")
@click.option("--strict", is_flag=True, help="Exit with 1 when a goal is missed.")
@click.option("--profile", is_flag=True, help="Show which functions an area's work spends its time in, instead of its figures.")
def bench(areas: tuple[str, ...], file: Path | None, strict: bool, profile: bool) -> int:
    """Measure, against named goals.

    An AREA is a part of the program: kernels, core and so on; all of them when none is named. What each figure means, and against whom
    it is measured, is told in benchmarks/README.md.
    """
    there = known_areas()
    unknown = [area for area in areas if area not in there]
    if unknown:
        raise BadInput.one("AREA", "any of " + ", ".join(there), ", ".join(unknown))
    chosen = areas or there
    if profile:
        if file is not None or strict:
            raise click.UsageError("--profile measures no figures: leave out --json and --strict.")
        for area in chosen:
            show_profile(area, load(area))
        return endings.DONE
    figures = {area: measured(area, load(area)) for area in chosen}
    if file is not None:
        file.write_text(json.dumps(report(figures), indent=1) + "\n", encoding="utf-8")
    missed = [figure for each in figures.values() for figure in each if figure.holds is False]
    goals = sum(figure.goal is not None for each in figures.values() for figure in each)
    click.echo(f"{len(missed)} of {goals} goals missed")
    return endings.FAILED if strict and missed else endings.DONE


def known_areas() -> tuple[str, ...]:
    """Return the names of the areas there are.

    Raises:
        endings.Missing: this installation has no benchmarks.
    """
    names = tuple(sorted(file.stem for file in BENCHMARKS.glob("*.py") if not file.stem.startswith("_")))
    if not names:
        raise endings.Missing("bench", "benchmarks")
    return names


def load(area: str) -> ModuleType:
    """Import an area.

    Raises:
        endings.Missing: it measures against a package that is not installed.
    """
    root = str(BENCHMARKS.parent)
    if root not in sys.path:
        sys.path.append(root)   # the benchmarks are part of the checkout, not of what is installed
    try:
        return importlib.import_module(f"benchmarks.{area}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in ("benchmarks", "core", "core_ext", "rasputitsa"):
            raise
        raise endings.Missing("bench", error.name) from error


def measured(area: str, module: ModuleType) -> list[Figure]:
    """Measure an area, and print its figures: those that miss their goal first."""
    figures: list[Figure] = []
    with Console(stderr=True).status(f"{area}: measuring") as status:
        for figure in module.figures():
            figures.append(figure)
            status.update(f"{area}: {len(figures)} figures, last {escape(figure.name)}")
    click.echo(f"{area}:")
    for figure in sorted(figures, key=lambda each: each.holds is not False):
        click.echo(line_of(figure))
    return figures


def line_of(figure: Figure) -> str:
    """Return a figure as one line: its verdict, value and goal, and what it is."""
    verdict = {True: "holds", False: "MISSED", None: ""}[figure.holds]
    sign = "at most" if figure.better == "less" else "at least"
    goal = "" if figure.goal is None else f"{sign} {number(figure.goal)}"
    spread = "" if figure.spread is None else "  [{} to {}]".format(*(number(each) for each in figure.spread))
    note = f" ({figure.note})" if figure.note else ""
    return f"  {verdict:7}{number(figure.value):>8} {figure.unit:15}{goal:14}{figure.name}{note}{spread}"


def number(value: float) -> str:
    """Write a figure with three digits that count."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def report(figures: dict[str, list[Figure]]) -> dict[str, Any]:
    """Return a run as JSON takes it: the machine's facts, and each area's figures."""
    return {
        "rasputitsa": __version__,
        "machine": machine(),
        "areas": {area: [asdict(each) | {"holds": each.holds} for each in some] for area, some in figures.items()},
    }


def machine() -> dict[str, Any]:
    """Return what of this machine bears on its figures."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "processors": os.cpu_count(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def processor() -> str:
    """Return the processor's name as the system tells it, or what Python knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor())


def show_profile(area: str, module: ModuleType) -> None:
    """Print the functions that an area's work spends most time in themselves, with their share."""
    prepare = getattr(module, "work", None)
    if prepare is None:
        click.echo(f"{area}: has no work to profile")
        return
    work = prepare()
    profile = cProfile.Profile()
    profile.runcall(work)
    click.echo(f"{area}: own time by function")
    for name, calls, seconds, share in hottest(pstats.Stats(profile)):
        click.echo(f"  {share:6.1%} {1000 * seconds:9.1f} ms {calls:>9,} calls  {name}")


def hottest(stats: pstats.Stats) -> Iterator[tuple[str, int, float, float]]:
    """Yield the functions with most own time: name, calls, seconds, share of all."""
    times: dict[tuple[str, int, str], tuple[int, int, float, float, Any]] = stats.stats  # type: ignore[attr-defined]
    total = sum(entry[2] for entry in times.values()) or 1.0
    ordered = sorted(times.items(), key=lambda item: -item[1][2])
    for (file, line, function), (_, calls, own, _, _) in ordered[:TOP]:
        where = f"{Path(file).stem}:{line} " if line else ""
        yield f"{where}{function}", calls, own, own / total

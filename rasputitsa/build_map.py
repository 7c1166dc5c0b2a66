"""The command ``build-map``: makes a game's map tables from geography, or checks that they are what would be made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.errors import BadInput
from core.text import counted
from rasputitsa.kinds import NamedPath

if TYPE_CHECKING:
    from mapmaker.build import Built

SCENARIOS = Path(__file__).parent.parent / "scenarios"
SHOWN = 40  # differences told one by one


@click.command(
    "build-map",
    epilog="Example: rasputitsa build-map war_for_the_motherland --section E --picture map_e.svg",
)
@click.argument("ruleset")
@click.option("--section", "letters", multiple=True, help="A section's letter, as E; may be repeated. Default: all.")
@click.option(
    "--out",
    type=NamedPath(file_okay=False, path_type=Path),
    help="Where a folder for each section is written. Default: the game's own map folder.",
)
@click.option("--check", is_flag=True, help="Write nothing; compare the tables with a rebuild. Exit status 1 if they differ.")
@click.option(
    "--picture",
    type=NamedPath(dir_okay=False, path_type=Path),
    help="Draw the section as SVG, the true coasts and rivers laid over it. Several: the letter is put into the name.",
)
@click.option("--beside", is_flag=True, help="Draw the true geography beside the hexes instead of over them.")
def build_map(ruleset: str, letters: tuple[str, ...], out: Path | None, *, check: bool, picture: Path | None, beside: bool) -> None:
    """Make hexes, hexsides, rails and names of RULESET's map out of geography, and apply its corrections.

    RULESET is a folder of scenarios/geo, such as war_for_the_motherland. What the pipeline could not do, and corrections
    that change nothing any more, are told, and end the command with exit status 1.
    """
    # Only now: the packages that maps need are not in every installation, and this help is.
    from mapmaker.build import build_map as build
    from mapmaker.check import problems
    from mapmaker.grid import Grid

    if picture is not None and picture.suffix.lower() != ".svg":
        raise BadInput.one("--picture", "a name that ends in .svg", picture)
    if beside and picture is None:
        raise BadInput.one("--beside", "a --picture to draw", "none")
    if not (SCENARIOS / "geo" / ruleset).is_dir():
        games = ", ".join(sorted(path.name for path in (SCENARIOS / "geo").iterdir() if (path / "grid.toml").exists()))
        raise BadInput.one("RULESET", f"one of {games}", ruleset)
    grid = Grid.load(SCENARIOS / "geo" / ruleset)
    chosen = tuple(grid.section(letter).letter for letter in letters) or tuple(s.letter for s in grid.spec.map)
    built = build(SCENARIOS, ruleset)
    folder = out or SCENARIOS / ruleset / "map"
    different = compare(built, chosen, folder) if check else make(built, chosen, folder)
    if picture is not None:
        draw(built, chosen, picture, beside=beside)
    faults = [*built.faults, *problems(built, chosen)]
    for line in built.notes:
        click.echo(f"note: {line}")
    for fault in faults:
        click.echo(fault, err=True)
    if faults or different:
        raise SystemExit(1)


def make(built: Built, letters: tuple[str, ...], folder: Path) -> bool:
    """Write the tables of the sections; return whether anything differs from what was made (never)."""
    from mapmaker.tables import write

    for letter in letters:
        tables = built.section(letter)
        write(section_folder(folder, letter), tables.files(built.grid))
        click.echo(
            f"{section_folder(folder, letter)}: {len(tables.hexes)} hexes, {len(tables.sides)} hexsides, "
            f"{len(tables.rails)} rails, {len(tables.names)} names"
        )
    return False


def compare(built: Built, letters: tuple[str, ...], folder: Path) -> bool:
    """Tell what the checked-in tables have that a rebuild has not; return whether they differ."""
    from mapmaker.tables import differences

    found: list[str] = []
    for letter in letters:
        where = section_folder(folder, letter)
        if where.is_dir():
            found += differences(where, built.section(letter).files(built.grid))
        else:
            found.append(f"{where}: no tables")
    for line in found[:SHOWN]:
        click.echo(line)
    if len(found) > SHOWN:
        click.echo(f"… and {len(found) - SHOWN} more")
    click.echo(counted(len(found), "difference") if found else "The tables are what the pipeline and the corrections make.")
    return bool(found)


def section_folder(folder: Path, letter: str) -> Path:
    """Return the folder of a section; a game with one sheet without a letter has it in ``all``."""
    return folder / (letter or "all")


def draw(built: Built, letters: tuple[str, ...], picture: Path, *, beside: bool) -> None:
    """Write a picture of each section."""
    from mapmaker import truth
    from mapmaker.picture import svg

    make = truth.beside if beside else svg
    for letter in letters:
        path = picture if len(letters) == 1 else picture.with_stem(f"{picture.stem}_{letter}")
        path.write_text(make(built, built.section(letter)), "utf-8")
        click.echo(f"{path}")

"""``rasputitsa render``: any position of a game file as a picture."""

from __future__ import annotations

from pathlib import Path

import click

from client.bounded import read_bounded
from client.writing import write_whole
from core import gamefile
from core.board import Hex
from core.errors import BadInput
from core.log import Log
from core.pack import Pack
from core.text import counted
from core.views import View
from rasputitsa import display
from rasputitsa.files import named, of_a_game, read_game
from rasputitsa.given import given
from rasputitsa.kinds import NamedPath
from rasputitsa.screen import progress


@click.command(
    epilog="\b\nExample:\n  rasputitsa render game.rasputitsa --entry 40 --out don.png --region E4312-E5307\n"
    "  rasputitsa render game.rasputitsa --turn 22\n"
    "  rasputitsa render game.rasputitsa --turn 22-24 --out winter.html",
)
@click.argument("file", type=NamedPath(exists=True, dir_okay=False, path_type=Path))
@click.option("--entry", type=int, help="Number of the entry whose position is drawn; the last by default.")
@click.option(
    "--turn", "turns", metavar="TURN[-TURN]",
    help="Number of a turn that is drawn move by move, as an animated PNG; or the turn, or the first and the last, of a web page.",
)
@click.option("--out", type=NamedPath(dir_okay=False, path_type=Path), help="PNG, SVG or HTML by its name; .png by default.")
@click.option("--width", type=click.IntRange(64, 10_000), default=1400, show_default=True, help="Width in pixels.")
@click.option("--region", metavar="HEX-HEX", help="Only the rectangle between two hexes, such as E4312-E5307; of a turn as well.")
@click.option("--theme", default="light", show_default=True, help="light, dark, contrast, deuteran or tritan.")
def render(
    file: Path, entry: int | None, turns: str | None, out: Path | None, width: int, region: str | None, theme: str
) -> None:
    """Draw any position of a game file as PNG or SVG, a turn as an animated PNG, or the game, or some turns of it, as one web page that
    replays it (a name that ends in .html)."""
    display.need_none()
    from client.render import palette_named, render_position

    if turns is not None and entry is not None:
        raise BadInput.one("--turn", "no --entry with it", "both")
    if out is not None and out.suffix.lower() == ".html":
        if idle := [f"--{name}" for name in given("entry", "region", "width")]:
            raise BadInput.one("--out", f"a picture, .png or .svg, with {' and '.join(idle)}", f"{out}, a page of the whole game")
        _web_page(file, out, theme, None if turns is None else _turns(turns))
        return
    if turns is not None:
        first, last = _turns(turns)
        if first != last:
            raise BadInput.one("--turn", "one turn for a moving picture, or --out with a name that ends in .html", turns)
        _film(file, first, out if out is not None else file.with_suffix(f".turn{first}.png"), width, theme, region)
        return

    palette = palette_named(theme)
    target = out if out is not None else file.with_suffix(".png")
    if target.suffix.lower() not in (".png", ".svg"):
        raise BadInput.one("--out", "a name that ends in .png, .svg or .html", target)
    read = read_game(file)
    with named(file):
        match, pack = gamefile.open_match(read, clock=lambda: 0), Pack(read.files)
    number = match.log.head if entry is None else entry
    _check_entry(match.log, number)
    with of_a_game(read, str(file)):
        view = View(match.setting, match.log.seek(number))
        render_position(
            view,
            pack.lettering(match.setting.scenario.sections),
            target,
            width,
            manifest=pack.manifest,
            region=None if region is None else _region(view, region),
            palette=palette,
        )
    click.echo(f"{target}: entry {number}, {view.moment()}")


def _turns(words: str) -> tuple[int, int]:
    """Return the first and the last turn that are meant."""
    first, _, last = words.partition("-")
    if not (first.isdecimal() and (last.isdecimal() or words == first)) or int(first) > int(last or first):
        raise BadInput.one("--turn", "the number of a turn, or of the first and the last such as 22-24", words)
    return int(first), int(last or first)


def _web_page(file: Path, out: Path, theme: str, turns: tuple[int, int] | None) -> None:
    from client.render import palette_named
    from client.session.replay import FileMatch
    from client.webpage import WebPage

    data = read_bounded(file, gamefile.MAX_FILE)
    match = FileMatch(data, name=str(file), clock=lambda: 0)
    page = WebPage(match, palette_named(theme), turns=turns)
    with of_a_game(gamefile.read(data, name=str(file)), str(file)), progress() as bars:
        task = bars.add_task("drawing", total=len(page.moments))
        for _ in page.draw():
            bars.advance(task)
    write_whole(out, page.to_bytes())
    click.echo(f"{out}: {len(page.states)} moments, {out.stat().st_size // 1024} KiB")


def _film(file: Path, turn: int, out: Path, width: int, theme: str, region: str | None) -> None:
    """Draw a turn as an animated PNG."""
    from client.film import Film
    from client.render import area_between, palette_named
    from client.session.replay import FileMatch

    if out.suffix.lower() not in (".png", ".apng"):
        raise BadInput.one("--out", "a name that ends in .png or .apng", out)
    palette = palette_named(theme)
    data = read_bounded(file, gamefile.MAX_FILE)
    match = FileMatch(data, name=str(file), clock=lambda: 0)
    with of_a_game(gamefile.read(data, name=str(file)), str(file)), progress() as bars:
        area = None if region is None else area_between(match.setting.board, _region(match.view, region))
        film = Film(match, turn, width=width, area=area, palette=palette)
        task = bars.add_task("drawing", total=1.0)
        for share in film.draw():
            bars.update(task, completed=share)
    write_whole(out, film.to_bytes())
    frames = counted(len(film.frames), "frame")
    drawn = f"{counted(len(film.shown), 'moment')} in {frames} to spare memory" if film.is_joined else frames
    click.echo(f"{out}: turn {turn}, {drawn}, {out.stat().st_size // 1024} KiB")


def _check_entry(log: Log, number: int) -> None:
    if not (0 <= number < len(log.entries) and log.entries[number].bears_order):
        raise BadInput.one("--entry", f"an entry with an order, 0 to {len(log.entries) - 1}", number)


def _region(view: View, words: str) -> tuple[Hex, Hex]:
    one, _, other = words.partition("-")
    for label in (one, other):
        if not view.board.has(label):
            raise BadInput.one("--region", "two hexes of the map, such as E4312-E5307", words)
    return view.board.hex(one), view.board.hex(other)

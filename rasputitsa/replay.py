"""`rasputitsa replay`: a game, entry by entry."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from client.session.acts import lines_of, of_no_news
from client.session.words import tellable, told
from core.errors import BadInput
from core.events import Event, Explained, Line, Part
from core.fold import fold_all
from core.gamefile import open_match
from core.log import Entry, Log
from core.match import Match
from core.orders import OptionPick, Pick, picks_of, value_of
from core.pack import Manifest, Pack
from core.position import Position
from core.seen import is_read
from core.text import printable
from core.views import View
from rasputitsa.files import named, of_a_game, read_game
from rasputitsa.kinds import NamedPath
from rasputitsa.window import open_window


@click.command(epilog="\b\nExample:\n  rasputitsa replay game.rasputitsa --from 100 --to 120\n  rasputitsa replay game.rasputitsa --window")
@click.argument("file", type=NamedPath(exists=True, dir_okay=False, path_type=Path))
@click.option("--from", "first", type=click.IntRange(0), default=0, show_default=True, help="First entry to print.")
@click.option("--to", "last", type=click.IntRange(0), help="Last entry to print. Default: the last of the game.")
@click.option("--window", is_flag=True, help="Open the window at the game instead.")
def replay(file: Path, first: int, last: int | None, window: bool) -> int | None:
    """Print FILE in words: who ordered what, what came of it, each figure with its rules."""
    if window:
        return open_window(file)
    found = read_game(file)
    end = len(found.entries) - 1
    if first > end:
        raise BadInput.one("--from", f"an entry of the game, 0 to {end}", first)
    if last is not None and last < first:
        raise BadInput.one("--to", f"an entry from {first} on", last)
    with named(file):
        match, manifest = open_match(found, clock=lambda: 0), Pack(found.files).manifest
    with of_a_game(found, str(file)):
        for line in _tell(match, manifest, first, last):
            click.echo(printable(line))
    return None


def _tell(match: Match, manifest: Manifest, first: int, last: int | None) -> Iterator[str]:
    for entry in match.log.entries[first : None if last is None else last + 1]:
        if entry.act is not None:
            yield f"{entry.number:5}  {_act(entry, manifest, match.log)}"
            continue
        before = match.log.seek(entry.parent) if entry.parent >= 0 else Position()
        yield from _tell_entry(match, manifest, entry, before)


def _act(entry: Entry, manifest: Manifest, log: Log | None = None) -> str:
    """Return a table act as the window's log tells it, or would if it were news there."""
    for line in lines_of((entry,), manifest.side_titles, log=log):
        return str(line.text)
    return str(of_no_news(entry, manifest.side_titles))


def _tell_entry(match: Match, manifest: Manifest, entry: Entry, position: Position) -> Iterator[str]:
    who = f"{entry.side}: {_order(match, entry, View(match.setting, position))}" if entry.order else "the game begins"
    yield f"{entry.number:5}  {who}"
    for event, line in told(_viewed(match, entry, position), manifest.side_titles, manifest.box_titles):
        yield f"         {line.text}"
        if isinstance(event, Explained):
            yield from (f"           {_figure(figure)}" for figure in event.lines)


def _viewed(match: Match, entry: Entry, position: Position) -> Iterator[tuple[Event, View]]:
    """Fold an entry; yield its events with a view that knows what they name."""
    view = View(match.setting, position, viewer=match.viewer)
    if match.viewer:
        yield from tellable(entry, view)
        return
    fold_all(position, entry.events)
    yield from ((event, view) for event in entry.events)


def _order(match: Match, entry: Entry, view: View) -> str:
    """Return an order as it is read: what is done, then units and hexes in the order of its picks."""
    if not is_read(entry):
        return "an order that may not be read here"
    order = match.codec.decode(entry.order)
    kind = match.setting.ruleset.orders[str(order.__struct_config__.tag)]
    return ", ".join((str(kind.label), *(_pick(view, pick) for pick in picks_of(order))))


def _pick(view: View, pick: Pick) -> str:
    return str(value_of(pick)) if isinstance(pick, OptionPick) else view.name_pick(pick)


def _figure(line: Line) -> str:
    """Return an explained figure with what each of its parts is, and the rule that brings it."""
    told = " + ".join(_part(part) for part in line.parts).replace("+ -", "− ").replace("+ +", "+ ")
    if len(line.parts) == 1 and line.parts[0].value == line.value:
        return f"{line.key}: {told}"
    return f"{line.key}: {line.value}" + (f" = {told}" if told else "")


def _part(part: Part) -> str:
    why = ", ".join(word for word in (str(part.text), part.rule) if word)
    return f"{part.value} ({why})" if why else part.value

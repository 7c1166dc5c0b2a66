"""How a match of two bots is told: the score with its interval, and bands of the outcome by turn, as tables or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from rich.table import Table

from core.trials.course import Band, bands_by_turn
from core.trials.series import Played, Tally, bands, tally
from rasputitsa.screen import Screen

MARKS = (0, 0.1, 0.5, 0.9, 1)


def print_score(played: Sequence[Played], name: str, sides: Sequence[str]) -> None:
    """Print what a bot won, on each side and on both."""
    table = Table("side", f"won by {name}", "of decided", "drawn", "share", "95 % interval")
    for side, counted in _tallies(played, name, sides).items():
        table.add_row(side, *_row(counted))
    Screen().print(table)


def _tallies(played: Sequence[Played], name: str, sides: Sequence[str]) -> dict[str, Tally]:
    return {side: tally(played, name, side=side) for side in sides} | {"both": tally(played, name)}


def _row(counted: Tally) -> tuple[str, str, str, str, str]:
    low, high = counted.interval()
    return str(counted.won), str(counted.decided), str(counted.drawn), f"{counted.share:.1%}", f"{low:.1%} to {high:.1%}"


# -------------------------------------------------------------------- bands


def print_bands(played: Sequence[Played], names: Sequence[str] = ()) -> None:
    """Print the bands of the score, then those of each figure by turn.

    Args:
        names: the figures to print; all if there are none.
    """
    by_turn = bands_by_turn([one.course for one in played])
    screen = Screen()
    screen.print(_score_table(played))
    for name, turns in by_turn.items():
        if not names or name in names:
            screen.print(_figure_table(name, turns))


def _score_table(played: Sequence[Played]) -> Table:
    table = Table("figure", "least", "10 %", "median", "90 %", "most")
    for key, values in (*bands(played), ("orders", sorted(one.orders for one in played))):
        table.add_row(key, *(str(values[min(len(values) - 1, round(part * (len(values) - 1)))]) for part in MARKS))
    return table


def _figure_table(name: str, turns: Mapping[str, Band]) -> Table:
    table = Table("turn", "least", "25 %", "median", "75 %", "most", title=name, title_justify="left")
    for turn, band in sorted(turns.items(), key=lambda one: int(one[0]) if one[0].isdigit() else 10_000):
        table.add_row(turn, *(f"{value:g}" for value in msgspec.structs.astuple(band)))
    return table


def as_json(played: Sequence[Played], name: str, sides: Sequence[str]) -> str:
    """Return score, bands and games as one JSON object."""
    score = {}
    for side, counted in _tallies(played, name, sides).items():
        score[side] = {**msgspec.to_builtins(counted), "share": counted.share, "interval": counted.interval()}
    told = {"bot": name, "score": score, "bands": bands_by_turn([one.course for one in played]), "games": played}
    return msgspec.json.format(msgspec.json.encode(told), indent=1).decode()

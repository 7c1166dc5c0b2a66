"""The fall of Moscow: one die when the first Axis unit enters it (19.43).

A scenario has it by the rule ``moscow_die``.

Rules: 19.43a, 19.43b, 19.43c, 19.43d; D-83.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.events import CupFilled, Event, Explained, GameEnded, Line, Part
from core.game import Game
from core.position import Outcome
from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.terms import AXIS, DESTROYED
from core.text import Text, text
from core.units import Side
from core.views import View

LENINGRAD = "C1418"
SURRENDER, CRISIS = 1, 3  # highest totals (19.43)
SURRENDERS = text("Moscow has fallen: the Soviet Union surrenders")
WAVERS = text("Moscow has fallen: the will to resist is shaken, and removed markers with a star come back")
FIGHTS_ON = text("Moscow has fallen: the Soviet Union fights on")


def is_moscow(view: View, here: Hex) -> bool:
    """Say whether a hex is Moscow."""
    return view.board.label(here) == supply.MOSCOW


def is_open(view: View) -> bool:
    """Say whether the die is still to be rolled: no Axis unit has been in Moscow (19.43a)."""
    if not view.setting.scenario.rules.get("moscow_die") or not view.board.has(supply.MOSCOW):
        return False
    return not view.position.place_mark(view.board.hex(supply.MOSCOW), DESTROYED)


def halts(view: View, here: Hex, side: Side) -> bool:
    """Say whether a path of a side ends in a hex: in Moscow, while its die is still to be rolled there (19.43a, D-83)."""
    return side == AXIS and is_moscow(view, here) and is_open(view)


def roll(game: Game) -> Iterator[Event]:
    """Roll whether the Soviet Union goes on (19.43)."""
    die = yield from game.roll("moscow")
    parts = []
    if game.board.has(LENINGRAD) and game.position.control.get(game.board.hex(LENINGRAD)) == AXIS:
        parts.append(Part("-1", "19.43a", text("Leningrad is held by the Axis")))
    total = die + sum(int(part.value) for part in parts)
    words, rule = _outcome(total)
    yield Explained("moscow", words, (Line("total", str(total), (Part(str(die), rule, text("die")), *parts)),))
    if total <= SURRENDER:
        from core.rulesets.war_for_the_motherland import victory  # it counts with everything else

        yield GameEnded(Outcome(AXIS, "Axis Decisive Victory", dict(victory.score(game))))  # 19.43b
    elif total <= CRISIS:
        yield from _return_stars(game)  # 19.43c; above it nothing: 19.43d


def _outcome(total: int) -> tuple[Text, str]:
    if total <= SURRENDER:
        return SURRENDERS, "19.43b"
    return (WAVERS, "19.43c") if total <= CRISIS else (FIGHTS_ON, "19.43d")


def _return_stars(game: Game) -> Iterator[Event]:
    """Put the markers with a star that were removed for good back into their cups (19.43c, D-83)."""
    lying = list(game.position.chits.values())
    left_out = game.setting.scenario.rules.get("without_star_of", ())  # 16.44
    for marker in game.charts.mix.marker:
        if not marker.star or marker.turn > game.position.turn or marker.cls in left_out:
            continue
        removed = marker.count - game.position.cups.get(marker.cls, {}).get(marker.chit, 0) - lying.count(marker.chit)
        if removed > 0:
            yield CupFilled(marker.cls, marker.chit, removed)

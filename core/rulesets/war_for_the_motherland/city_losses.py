"""Option 20.4: armor that attacks cities without enough infantry may lose steps after the battle.

Whether an attack falls under it is seen when it is declared; the dice are rolled when all has been paid and advanced, before stacking is
enforced (D-87).

Rules: 20.41, 20.42, 20.43, 20.44; D-86, D-87.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.board import Hex
from core.events import Event, Explained, Line, Part
from core.flow import Step
from core.game import Game
from core.rulesets.war_for_the_motherland import losses, weather
from core.rulesets.war_for_the_motherland.battle import ATTACKING, fighters
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import BATTLE_LOST, RETREATED_FROM, is_armored
from core.text import text
from core.units import UnitId
from core.views import View

CITIES = frozenset({"major_city", "fortress"})
UNHARMED, HURT = 1, 3  # highest dice that cost a step (20.42, 20.43)


class RollCityLosses(Step, frozen=True, kw_only=True):
    """The battle is paid and the advance is over: each armored attacker rolls."""


def threaten(view: View, attackers: Sequence[UnitId], targets: Sequence[Hex]) -> bool:
    """Say whether an attack will cost dice: a city among the targets, and more than half of the attacking steps armored (20.41).

    Steps count as they stand when the attack is declared, those of both sides' attackers alike (D-87).
    """
    if not view.options["city_losses"] or not any(weather.terrain(view, there) in CITIES for there in targets):
        return False
    steps = {unit: losses.steps_left(view, unit) for unit in attackers}
    armored = sum(count for unit, count in steps.items() if is_armored(view.type(unit)))
    return 2 * armored > sum(steps.values())  # 20.41


def warning(view: View, attackers: Sequence[UnitId]) -> Line:
    """Return who will roll after the battle, for those who look at an attack before they declare it (20.44)."""
    armor = [unit for unit in attackers if is_armored(view.type(unit))]
    words = "{unit} rolls after the battle: 1 costs a step, 1 to 3 if it was hurt"
    parts = tuple(Part("1", "20.41", text(words, unit=view.name(unit))) for unit in armor)
    return Line("city_losses", str(len(armor)), parts)


@RULES.step(RollCityLosses)
def roll_city_losses(game: Game, step: RollCityLosses) -> Iterator[Event]:
    """Roll for each armored attacker that is left, whatever its size (20.44), and take its step at once."""
    del step
    for unit in fighters(game, ATTACKING):
        if is_armored(game.type(unit)):
            die = yield from game.roll("city_losses")
            limit, rule = _limit(game, unit)
            words = text("a step is lost by {n} or less", n=limit)
            title = text("{unit} fought in a city: {n} {n:step|steps} lost", unit=game.name(unit), n=int(die <= limit))
            yield Explained("city_losses", title, (Line("die", str(die), (Part(str(die), rule, words),)),))
            if die <= limit:
                yield from losses.lose_step(game, unit)


def _limit(view: View, unit: UnitId) -> tuple[int, str]:
    """Return the highest die that costs a unit a step, and the rule that says so."""
    mark = view.position.mark
    if mark(unit, BATTLE_LOST) or mark(unit, RETREATED_FROM):
        return HURT, "20.43"
    return UNHARMED, "20.42"  # D-86: from 2 on nothing

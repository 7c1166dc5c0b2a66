"""The words that a position of the game may hold, for those who write positions down."""

from __future__ import annotations

from core.ruleset import Vocabulary
from core.rulesets.war_for_the_motherland import arrivals, movement, supply, terms
from core.setting import Setting

UNIT_MARKS = frozenset(
    {
        *terms.OF_A_MOVEMENT_PHASE,
        *terms.OF_A_COMBAT_PHASE,
        *terms.OF_A_TURN,
        terms.EXPENDED,
        terms.OUT_OF_SUPPLY,
        terms.LACK_OF_SUPPLY,
        terms.DUE,
        terms.DROPPED,
    }
)
PLACE_MARKS = frozenset(
    {
        terms.DESTROYED,
        terms.GERMAN_SEA_SUPPLIED,
        supply.CONQUERED,
        *arrivals.SUPPLIED_MARK.values(),
        *arrivals.RAILROAD_MARK.values(),
    }
)


def vocabulary(setting: Setting) -> Vocabulary:
    """Return the marks, tracks and strength markers of the game."""
    return Vocabulary(UNIT_MARKS, PLACE_MARKS, frozenset({"turn", movement.MOVEMENT_CLASS}), tuple(setting.charts.markers))

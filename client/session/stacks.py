"""In which order the counters of a hex lie on one another."""

from __future__ import annotations

from core.board import Hex
from core.units import Unit
from core.views import View


def stacked(view: View, here: Hex) -> list[Unit]:
    """Return the counters of a hex from below to top: the strongest on top, markers without values at the bottom."""

    def weight(unit: Unit) -> tuple[int, int, int]:
        kind = view.types[unit.type]
        attack = kind.faces[0].attack if kind.faces else 0
        return (1 if kind.cup or attack else 0, attack, -unit.id)

    return sorted(view.position.units_at(here), key=weight)

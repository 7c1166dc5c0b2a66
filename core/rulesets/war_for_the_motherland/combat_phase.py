"""Combat phases (3.0 phases 3, 4)."""

from __future__ import annotations

from core.flow import Step
from core.units import Side


class Fight(Step, frozen=True, kw_only=True):
    """A side attacks where it wants (8.22)."""

    side: Side


class EndOfCombat(Step, frozen=True, kw_only=True):
    """Stacking is enforced and the marks of the phase go."""

    side: Side

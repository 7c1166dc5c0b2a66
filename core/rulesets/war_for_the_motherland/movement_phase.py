"""Movement phases (3.0 phases 2, 5, 6)."""

from __future__ import annotations

from core.flow import Step
from core.units import Side


class Move(Step, frozen=True, kw_only=True):
    """A side moves."""

    side: Side


class EndOfMovement(Step, frozen=True, kw_only=True):
    """Stacking is enforced and the marks of the phase go."""

    side: Side

"""German airpower (10.0): placing fleets, their zone, lifting them."""

from __future__ import annotations

from core.flow import Step


class PlaceFleets(Step, frozen=True, kw_only=True):
    """The Axis places his air fleets (3.0.1b, 10.1)."""


class LiftFleets(Step, frozen=True, kw_only=True):
    """All fleets leave the map (10.13)."""

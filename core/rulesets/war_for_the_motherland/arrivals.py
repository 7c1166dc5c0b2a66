"""Reinforcements (13.0)."""

from __future__ import annotations

from core.flow import Step
from core.units import Side


class NewStrengthMarkers(Step, frozen=True, kw_only=True):
    """Markers due this turn go into their cups (3.0.1d, 13.32)."""


class PlaceReinforcements(Step, frozen=True, kw_only=True):
    """A side places its reinforcements (13.11)."""

    side: Side

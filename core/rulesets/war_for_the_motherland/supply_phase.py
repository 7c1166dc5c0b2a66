"""Mutual Supply Phase (3.0 phase 1): expending depots, airbases, supply status, attrition."""

from __future__ import annotations

from core.flow import Step


class ExpendDepots(Step, frozen=True, kw_only=True):
    """The Axis may expend depots before everything else (3.0.1.0, 9.26)."""


class JudgeAirbases(Step, frozen=True, kw_only=True):
    """Airbases without supply leave the map (3.0.1a, 9.55)."""


class JudgeUnits(Step, frozen=True, kw_only=True):
    """All units are judged; isolated ones roll (3.0.1c)."""


class RemoveExpended(Step, frozen=True, kw_only=True):
    """Expended depots leave the map (9.26)."""

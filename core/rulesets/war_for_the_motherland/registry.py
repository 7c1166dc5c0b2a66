"""Where the modules of this ruleset register their orders, decisions, steps and overlays."""

from __future__ import annotations

from core.ruleset import Registry

RULES = Registry()

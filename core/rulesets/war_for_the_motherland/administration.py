"""Administrative Phase (3.0 phase 7): its steps in order."""

from __future__ import annotations

from core.flow import Step

STEPS: tuple[Step, ...] = ()

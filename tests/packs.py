"""Scenario packs as the tests read them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from core.pack import Pack, Section

SCENARIOS = Path(__file__).parent.parent / "scenarios"

PLAIN = Section(
    letter="",
    orientation="pointy-top",
    line_grows="south",
    position_grows="west",
    shift_even=0.0,
    shift_odd=0.5,
)
"""Numbering of plain boards: row, then column growing west, odd rows half a hex further west."""


@cache
def pack_of(ruleset: str) -> Pack:
    """Return the pack of a ruleset as it is checked in."""
    folder = SCENARIOS / ruleset
    return Pack({str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()})

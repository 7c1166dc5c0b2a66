"""A combat results table: columns headed by ratios, one row of headings a terrain, one row of results a die roll."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from core.mechanics import odds


class Result(msgspec.Struct, frozen=True):
    """What a result asks of each side.

    *eliminated* names the side that is lost as a whole. *attacker* and *defender* are points to pay; *retreat* says whether hexes of
    retreat may pay them too, or only steps.
    """

    eliminated: Literal["", "attacker", "defender"] = ""
    attacker: int = 0
    defender: int = 0
    retreat: bool = False

    @property
    def hurt(self) -> Literal["nobody", "attacker", "defender", "both"]:
        """Return who pays for the result."""
        attacker, defender = self.attacker or self.eliminated == "attacker", self.defender or self.eliminated == "defender"
        if attacker and defender:
            return "both"
        return "attacker" if attacker else "defender" if defender else "nobody"


def read_result(written: str) -> Result:
    """Return what a result means: ``NE``, ``AE``, ``DE``, ``A2``, ``D1``, ``1/2``, ``1/-``.

    Raises:
        ValueError: *written* is none of these.
    """
    match written:
        case "NE":
            return Result()
        case "AE":
            return Result(eliminated="attacker")
        case "DE":
            return Result(eliminated="defender")
    left, slash, right = written.partition("/")
    if slash:
        return Result(attacker=_points(written, left), defender=_points(written, right))
    if written[:1] == "A":
        return Result(attacker=_points(written, written[1:]), retreat=True)
    if written[:1] == "D":
        return Result(defender=_points(written, written[1:]), retreat=True)
    raise ValueError(f"{written!r} is no result such as NE, AE, A2, D1 or 1/2")


def _points(written: str, number: str) -> int:
    if number == "-":
        return 0
    if not number.isdigit():
        raise ValueError(f"{written!r} is no result such as NE, AE, A2, D1 or 1/2")
    return int(number)


class CombatTable(msgspec.Struct, frozen=True):
    """The table; *results* hold the row of roll 1 first."""

    headings: Mapping[str, tuple[str, ...]]
    results: tuple[tuple[str, ...], ...]

    def column(self, row: str, attack: odds.Points, defence: odds.Points) -> int:
        """Return the index of the column for two totals, held within the table."""
        return odds.column(attack, defence, self.headings[row])

    def shifted(self, column: int, by: int) -> int:
        """Return a column moved to the right, or to the left by less than 0, never off the table."""
        return min(max(column + by, 0), len(self.results[0]) - 1)

    def capped(self, roll: int) -> int:
        """Return a modified roll, held within the rows of the table."""
        return min(max(roll, 1), len(self.results))

    def result(self, roll: int, column: int) -> str:
        """Return the result as the table writes it."""
        return self.results[self.capped(roll) - 1][column]

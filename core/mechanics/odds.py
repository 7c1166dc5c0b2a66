"""Odds: two totals of strength points against the ratios that head a table, rounded in favour of the defender.

Totals are whole numbers in a battle; in a preview with unknown strengths they may be expectations, hence fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

Points = int | Fraction


@cache
def ratio(heading: str) -> Fraction:
    """Return the ratio that a heading names.

    >>> ratio("3:2")
    Fraction(3, 2)

    Raises:
        ValueError: *heading* is not two whole numbers with a colon.
    """
    attack, colon, defence = heading.partition(":")
    if not (colon and attack.isdigit() and defence.isdigit() and int(attack) and int(defence)):
        raise ValueError(f"{heading!r} is no ratio such as 3:2")
    return Fraction(int(attack), int(defence))


def column(attack: Points, defence: Points, headings: Sequence[str]) -> int:
    """Return the index of the best column that the totals pay for, the first if they pay for none.

    *headings* rise from left to right; anything between two of them belongs to the lower, which favours the defender.

    >>> column(15, 4, ["1:1", "3:2", "2:1", "3:1", "4:1"])
    3
    """
    found = 0
    for index, heading in enumerate(headings):
        least = ratio(heading)
        if attack * least.denominator >= least.numerator * defence:   # a product with a fraction takes twenty times as long
            found = index
    return found

"""Odds and the combat results table, apart from any game."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mechanics import odds
from core.mechanics.combat_table import CombatTable, Result, read_result

HEADINGS = ("1:3", "1:2", "1:1", "3:2", "2:1", "3:1")


@pytest.mark.parametrize(
    ("attack", "defence", "heading"),
    [(15, 5, "3:1"), (14, 5, "2:1"), (11, 6, "3:2"), (12, 6, "2:1"), (2, 5, "1:3"), (1, 2, "1:2"), (5, 6, "1:2"), (6, 6, "1:1")],
)
def test_a_ratio_between_two_headings_is_the_lower_one(attack: int, defence: int, heading: str) -> None:
    assert HEADINGS[odds.column(attack, defence, HEADINGS)] == heading


@pytest.mark.parametrize(("attack", "defence", "heading"), [(1, 30, "1:3"), (40, 4, "3:1")])
def test_ratios_off_the_table_use_its_ends(attack: int, defence: int, heading: str) -> None:
    assert HEADINGS[odds.column(attack, defence, HEADINGS)] == heading


def test_expected_strengths_are_compared_exactly() -> None:
    assert odds.column(Fraction(9, 2), Fraction(9, 4), HEADINGS) == HEADINGS.index("2:1")
    assert odds.column(Fraction(9, 2) - Fraction(1, 1000), Fraction(9, 4), HEADINGS) == HEADINGS.index("3:2")


@given(st.integers(1, 99), st.integers(1, 99))
def test_the_column_is_the_last_that_the_quotient_reaches(attack: int, defence: int) -> None:
    quotient = Fraction(attack, defence)
    reached = [i for i, heading in enumerate(HEADINGS) if quotient >= odds.ratio(heading)]
    assert odds.column(attack, defence, HEADINGS) == (reached[-1] if reached else 0)


@pytest.mark.parametrize("heading", ["3", "3:", ":2", "0:1", "1:0", "-1:2", "1.5:1"])
def test_a_heading_that_is_no_ratio_is_named(heading: str) -> None:
    with pytest.raises(ValueError, match=r"is no ratio"):
        odds.ratio(heading)


@pytest.mark.parametrize(
    ("written", "result"),
    [
        ("NE", Result()),
        ("AE", Result(eliminated="attacker")),
        ("DE", Result(eliminated="defender")),
        ("A2", Result(attacker=2, retreat=True)),
        ("D3", Result(defender=3, retreat=True)),
        ("1/2", Result(attacker=1, defender=2)),
        ("1/-", Result(attacker=1)),
    ],
)
def test_results_are_read_as_they_are_printed(written: str, result: Result) -> None:
    assert read_result(written) == result


@pytest.mark.parametrize(
    ("written", "hurt"),
    [("NE", "nobody"), ("AE", "attacker"), ("A2", "attacker"), ("1/-", "attacker"),
     ("DE", "defender"), ("D1", "defender"), ("1/2", "both")],
)
def test_a_result_says_who_pays_for_it(written: str, hurt: str) -> None:
    assert read_result(written).hurt == hurt


@pytest.mark.parametrize("written", ["", "A", "D-1", "X1", "1/x", "EX", "a2"])
def test_a_result_that_means_nothing_is_named(written: str) -> None:
    with pytest.raises(ValueError, match=r"is no result"):
        read_result(written)


def test_shifts_and_rolls_stay_on_the_table() -> None:
    table = CombatTable({"plain": ("1:1", "2:1")}, (("A1", "D1"), ("NE", "DE")))
    assert [table.shifted(0, -1), table.shifted(0, 1), table.shifted(1, 1)] == [0, 1, 1]
    assert [table.capped(0), table.capped(2), table.capped(13)] == [1, 2, 2]
    assert table.result(13, 1) == "DE"

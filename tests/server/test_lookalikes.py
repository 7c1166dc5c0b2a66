"""Names that look alike, by themselves; who may take them is told in test_accounts.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Refused
from server import lookalikes
from server.lookalikes import check_legible, check_of_one_alphabet, likeness


@pytest.mark.parametrize(("one", "other"), [
    ("Anna", "anna"), ("Anna", "Аnna"), ("Борис", "БОРИС"), ("HOBBIT", "НОВВІТ"), ("Jürgen", "Jurgen"), ("Zoe", "Zoë"), ("oleg", "0leg"),
    ("Will", "Wi11"), ("Anna K", "Anna  K"), ("Straße", "STRASSE"), ("ﬁn", "fin"),
])  # fmt: skip
def test_they_are_alike(one: str, other: str) -> None:
    assert likeness(one) == likeness(other)


@pytest.mark.parametrize(("one", "other"), [("Anna", "Hanna"), ("Анна", "Инна"), ("李", "王"), ("Anna", "Ann a"), ("Kurt", "Curt")])
def test_they_are_not(one: str, other: str) -> None:
    assert likeness(one) != likeness(other)


@given(st.text(max_size=40))
def test_a_likeness_is_like_itself(name: str) -> None:
    assert likeness(likeness(name)) == likeness(name)


def test_no_letter_is_like_two_plain_ones() -> None:
    letters = "".join(lookalikes._LOOK_LIKE.values())
    assert len(letters) == len(set(letters))
    assert not set(letters) & set(lookalikes._LOOK_LIKE)


@pytest.mark.parametrize("name", ["B०b", "B٥b", "B〇b", "B○b", "Pau∣", "Pau۱", "Pau׀", "Ma×", "Ann℮", "∨era", "⊂arl"])
def test_a_figure_or_sign_that_no_keyboard_has_is_in_no_new_name(name: str) -> None:
    with pytest.raises(Refused, match="the signs of a keyboard"):
        check_legible(name)


@pytest.mark.parametrize("name", ["ㅣvo", "ㅇno", "丨gor", "丅om", "Олегㅇ"])
def test_a_letter_of_east_asia_stands_beside_no_latin_one(name: str) -> None:
    with pytest.raises(Refused, match="east asian"):
        check_of_one_alphabet(name)


@pytest.mark.parametrize("name", ["Anna", "Anna K.", "O'Neil", "Jean-Luc 2", "Борис", "山田 たろう", "山田 Taro", "김철수", "Zoë_1941"])
def test_names_that_people_bear_are_legible(name: str) -> None:
    check_legible(name)
    check_of_one_alphabet(name)


@pytest.mark.parametrize("name", ["Anna.", "Anna,", ".Anna"])
def test_a_point_at_the_edge_makes_no_other_name(name: str) -> None:
    assert likeness(name) == likeness("Anna")

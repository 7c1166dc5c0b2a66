"""Names that look alike, by themselves; who may take them is told in test_accounts.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server import lookalikes
from server.lookalikes import likeness


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

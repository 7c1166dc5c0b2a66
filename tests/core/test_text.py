"""Words with their arguments filled in."""

from __future__ import annotations

import pytest

from core.text import Text, text


@pytest.mark.parametrize(("n", "told"), [(0, "0 steps lost"), (1, "1 step lost"), (2, "2 steps lost"), ("1½", "1½ steps lost")])
def test_the_word_follows_the_number(n: int | str, told: str) -> None:
    assert str(text("{n} {n:step|steps} lost", n=n)) == told


def test_what_has_no_argument_is_left_as_it_is_written() -> None:
    assert str(Text("{a} {b:one|many} {c!r} {{d}}", {"a": 1, "d": 2})) == "1 {b:one|many} {c!r} {2}"


def test_a_long_word_that_is_named_often_fills_no_memory() -> None:
    filled = str(Text("{a}" * 10_000, {"a": "x" * 30_000}))
    assert filled.startswith("x" * 90_000 + "{a}")
    assert len(filled) < 200_000

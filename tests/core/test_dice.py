"""Dice: chains that only lead backwards, streams that favour nothing."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dice import Chain, Stream, fits, hashed, seed, step


def stream(k: int = 1, pending: bytes = b"order", **links: bytes) -> Stream:
    return Stream(links or {"server": bytes(32)}, game="g", k=k, pending=pending)


@given(st.integers(1, 2999))
def test_each_link_hashes_to_the_one_shown_before_it(k: int) -> None:
    chain = Chain(seed(b"key", "game"), links=3000)
    assert step(chain.link(k + 1)) == chain.link(k)
    assert fits(chain.link(k), chain.end, gap=k)
    assert not fits(chain.link(k + 1), chain.end, gap=k)


def test_links_are_the_same_in_whatever_order_they_are_asked_for() -> None:
    one_by_one = Chain(seed(b"key", "game"), links=2_100)
    links = {k: one_by_one.link(k) for k in range(1, 2_101)}
    assert all(step(links[k + 1]) == links[k] for k in range(1, 2_100))
    here_and_there = Chain(seed(b"key", "game"), links=2_100)
    assert all(here_and_there.link(k) == links[k] for k in (2_100, 1, 1_050, 1_049, 2_099, 100, 101, 1_900, 1_901, 200, 201))


@pytest.mark.parametrize("links", [1, 10, 199, 200, 201, 2_000, 2_100])
def test_a_chain_that_is_made_bit_by_bit_is_the_one_made_at_once(links: int) -> None:
    at_once, made = Chain(bytes(32), links=links), list(hashed(bytes(32), links))
    bit_by_bit = Chain(bytes(32), links=links, made=made)
    assert (bit_by_bit.end, len(made)) == (at_once.end, -(-links // 200))
    assert fits(bit_by_bit.link(links), at_once.end, gap=links)
    assert all(bit_by_bit.link(k) == at_once.link(k) for k in (1, links // 2 + 1, links))


def test_a_chain_has_no_link_beyond_its_length() -> None:
    with pytest.raises(ValueError, match="none for 11"):
        Chain(bytes(32), links=10).link(11)


def test_the_stream_hangs_on_every_link_the_number_and_the_order() -> None:
    rolls = [
        tuple(made.roll(6) for _ in range(20))
        for made in (stream(), stream(k=2), stream(pending=b"other"), stream(server=bytes(32), axis=bytes(32)))
    ]
    assert len(set(rolls)) == len(rolls)
    assert rolls[0] == tuple(stream_again.roll(6) for stream_again in [stream()] for _ in range(20))


def test_rolls_and_draws_do_not_move_each_other() -> None:
    one, other = stream(), stream()
    one.draw({"a": 3, "b": 2})
    assert [one.roll(6) for _ in range(5)] == [other.roll(6) for _ in range(5)]


@pytest.mark.parametrize("faces", [2, 6, 10, 12, 100, 300])
def test_every_face_comes_up_about_as_often(faces: int) -> None:
    made, throws = stream(), 200 * faces
    seen = Counter(made.roll(faces) for _ in range(throws))
    assert set(seen) <= set(range(1, faces + 1))
    chi = sum((seen[face] - 200) ** 2 / 200 for face in range(1, faces + 1))
    assert chi < faces + 6 * (2 * faces) ** 0.5  # six standard deviations above the mean of chi squared


def test_a_draw_weighs_each_counter_alike() -> None:
    made = stream()
    seen = Counter(made.draw({"few": 1, "many": 9}) for _ in range(4000))
    assert 3400 < seen["many"] < 3800

"""Taking an order back in a game with secrets: what it met may be the other side's, and is nobody's to find out for nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core import protocol
from core.log import Offer, Rewind
from core.orders import Order
from core.units import UnitId
from tests.hidden_toy.ruleset import Deploy, End, Lay, March, Plan
from tests.server.dark import BOARD, GAME, DarkHost, Listener, begun, client, dark, heard, known_here

__all__ = ["client", "dark", "heard"]
RED, BLUE = UnitId(0), UnitId(6)
NEAR, MINED, FAR = (BOARD.hex(name) for name in ("T0402", "T0302", "T0202"))
ASIDE, ANOTHER = BOARD.hex("T0102"), BOARD.hex("T0502")


def to_the_minefield(dark: DarkHost, there: dict[str, Listener]) -> None:
    """Have red lay a mine and go away, till blue is to march beside it."""
    orders: list[tuple[str, Order]] = [
        ("red", Deploy(RED, FAR)), ("red", End()), ("blue", Deploy(BLUE, NEAR)), ("blue", End()),
        ("red", Plan("bold")), ("blue", Plan("bold")),
        ("red", March((RED,), MINED)), ("red", End()), ("blue", End()),
        ("red", Lay(MINED)), ("red", March((RED,), FAR)), ("red", End()), ("blue", End()), ("red", March((RED,), ASIDE)), ("red", End()),
    ]
    for side, order in orders:
        gives(dark, there[side], side, order)


def gives(dark: DarkHost, one: Listener, side: str, order: Order) -> None:
    one.until(known_here(one, dark, side))
    answer = one.give(side, order)
    assert answer.refused is None, answer
    one.until(known_here(one, dark, side))


@pytest.mark.parametrize(("where", "act"), [(MINED, Offer), (ANOTHER, Rewind)], ids=["onto a mine", "where nothing is"])
def test_who_marches_onto_a_mine_that_he_does_not_see_asks_before_he_goes_back(
    dark: DarkHost, client: Callable[[str], Listener], where: int, act: type[Offer | Rewind]
) -> None:
    there = begun(client)
    to_the_minefield(dark, there)
    boris = there["blue"]
    boris.until(known_here(boris, dark, "blue"))
    before = boris.match.log.head
    gives(dark, boris, "blue", March((BLUE,), where))
    many = len(boris.match.log)
    boris.games.send(protocol.AskRewind(GAME, "blue", before))
    boris.until(lambda: len(boris.match.log) > many)
    assert isinstance(boris.match.log.entries[many].act, act)

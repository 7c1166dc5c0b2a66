"""What a hostile host brings about unseen in a game with witnessed dice: nothing, as far as is looked; and whoever looks sees.

`tests.adversary` looks further than is done here: ``python -m tests.adversary --base "beside limited clock" --depth 4``.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from client.connection import witness as program
from core import ways_back
from core.table import ACTS_ARE_OF_THE_MOMENT, LEADERS_WITNESS, VERSION, Table
from core.witnesses import Witnesses
from tests.adversary.explore import holes, wander
from tests.adversary.state import findings

BASES = {
    "": 2, "shown": 2, "thrown": 2, "blue": 2, "blue shown": 2, "left shown": 3,
    "draw shown": 2, "draw own shown": 2, "draw refused shown": 2, "pause own shown": 2,
    "rewind refused": 2, "rewind own refused thrown": 2,
    "clock shown": 2, "blue clock shown": 2, "blue fischer claim shown": 2, "turn claim blamed shown": 2, "blamed again shown": 1,
    "beside shown": 2, "blue beside limited hers waits": 2, "beside limited shown": 2,
    "beside limited clock shown": 1, "beside onlooker shown": 1, "beside left shown": 2,
    "pool slow gone shown": 1, "his opened": 2, "third owner left shown": 2,
    "first shown": 2, "third owner first shown": 2, "third owner blamed first shown": 1, "his first shown": 2,
    "came first": 2, "beside back": 2, "his thrown": 2, "clock": 2,
}


@pytest.mark.parametrize("base", BASES)
def test_nothing_is_brought_about_unseen(base: str) -> None:
    assert [str(hole) for hole in holes(base, depth=BASES[base])] == []


@pytest.mark.parametrize("base", ["beside clock shown", "pool thrown", "third"])
def test_what_is_silent_entry_by_entry_is_so_in_the_whole_game(base: str) -> None:
    for number in range(3):
        *_, (state, _) = wander(base, random.Random(number), length=8)
        assert findings(state) == [], state.trail


def never(*_: object, **__: object) -> bool:
    return False


def nobody(*_: object) -> list[str]:
    return []


def sits_alone(table: Table, player: str) -> bool:
    return table.players() <= {player}


def always(*_: object) -> bool:
    return True


HOLES: dict[str, tuple[str, str, int, tuple[object, str, Callable[..., Any] | str]]] = {
    "a draw that was kept back until it pleases": ("draw refused shown", "the host took a draw", 1, (program, "accepts_draw", never)),
    "a draw that the host takes for the dice": ("draw own shown", "the host took a draw", 1, (program, "accepts_draw", never)),
    "time that runs out for the host's link": ("blue clock shown", "blue's time ran out", 2, (program, "runs_out", never)),
    "a choice of who sits beside the late one": (
        "pool slow gone shown", "dice fell without the link of Anna", 2, (Witnesses, "sides_about", Witnesses.sides_of),
    ),
    "a way back while the other is out": ("left shown", "dice were taken back", 2, (ways_back, "is_alone", sits_alone)),
    "a claim for a friend's link": ("beside late shown", "the game was claimed for the link", 1, (Witnesses, "may_be_claimed", always)),
    "a claim for a link that was shown": ("blamed shown", "the game was claimed for a link", 1, (program, "CLAIM", "")),
    "an owner who ends the game for the dice": ("first shown", "the game was ended for nobody", 2, (program, "owner_decides", never)),
    "an order that is dated back": ("came first", "dice fell without the link of Boris", 2, (Witnesses, "joined_since", nobody)),
    "a player who leaves to rule on the game": ("thrown", "dice were taken back", 2, (ways_back, "may_rule", always)),
    "dice without a link that was shown": ("blamed shown", "dice fell without the link of Boris", 2, (program, "UNWITNESSED", "")),
}


SIGNED_LONG = ACTS_ARE_OF_THE_MOMENT - 1
BESIDE = LEADERS_WITNESS - 1  # in games from before Dora witnesses beside Boris
FROM_BEFORE = {"a claim for a friend's link": BESIDE}


@pytest.mark.parametrize("name", HOLES)
def test_a_hole_that_was_mended_is_seen_where_it_is_there_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    base, told, depth, (whose, what, put_back) = HOLES[name]
    monkeypatch.setattr(whose, what, put_back)
    assert any(hole.what.startswith(told) for hole in holes(base, depth=depth, version=FROM_BEFORE.get(name, VERSION)))


@pytest.mark.parametrize(("base", "told", "depth", "version"), [
    ("draw own refused thrown", "a draw that Boris agreed on was kept back", 2, SIGNED_LONG),
    ("rewind own refused thrown", "Boris agreed to go back before he knew the dice", 3, SIGNED_LONG),
    ("left shown", "the game was ended for nobody", 2, SIGNED_LONG),
    ("blue beside limited hers shown", "Dora ordered for blue", 2, SIGNED_LONG),
    ("beside limited slow shown", "dice fell without the link of Anna", 2, SIGNED_LONG),
    ("beside late shown", "dice fell without the link of Dora", 2, BESIDE),
])
def test_what_games_from_before_let_be_is_seen(base: str, told: str, depth: int, version: int) -> None:
    assert any(hole.what.startswith(told) for hole in holes(base, depth=depth, version=version))

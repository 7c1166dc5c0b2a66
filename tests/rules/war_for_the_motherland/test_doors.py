"""An order is refused by the doors that it goes through; each of them, found alone, is the one among all."""

from __future__ import annotations

import random

from core.bots import load
from core.options import Offer, options
from core.orders import HexPick, OptionPick, Pick, Picks, UnitPick
from core.trials.selfplay import play
from core.views import View
from tests.properties.games import turning_point


def test_a_door_found_alone_is_the_one_among_all() -> None:
    rng, asked = random.Random(4), set[str]()
    bots = {side: load("busy") for side in turning_point().sides}
    match = play(turning_point(), bots, 4).match
    for entry in match.log.path()[:-1:3]:
        view = View(match.setting, match.log.seek(entry.number))
        for walk in _walks(view, rng):
            _assert_found_alone(options(view, walk), options(view, walk), view)
            asked.add(str(walk[0]))
    assert len(asked) > 10


def _walks(view: View, rng: random.Random) -> list[Picks]:
    """Return some half-composed orders of each type that is open."""
    walks: list[Picks] = []
    for head in options(view).picks:
        walk: Picks = (head,)
        while True:
            walks.append(walk)
            picks = options(view, walk).picks
            if not picks or len(walk) > 4:
                break
            walk = (*walk, rng.choice(picks))
    return walks


def _assert_found_alone(one: Offer, all_of_them: Offer, view: View) -> None:
    doors = {door.pick: door.refused and str(door.refused) for door in all_of_them.doors}
    others: list[Pick] = [UnitPick(unit.id) for unit in view.position.on_map()]
    others += [HexPick(here) for here in range(view.board.size)]
    for pick in (*doors, *others, OptionPick("nothing")):
        found = one.door(pick)
        assert (found is not None) == (pick in doors), pick
        assert found is None or (found.refused and str(found.refused)) == doors[pick], pick

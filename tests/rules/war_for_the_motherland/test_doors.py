"""An order is refused by the doors that it goes through; each of them, found alone, is the one among all."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from core.board import Hex
from core.bots import load
from core.game import StopDice, decide
from core.mechanics import movement
from core.options import Offer, options
from core.orders import HexPick, OptionPick, Pick, Picks, UnitPick
from core.rulesets.war_for_the_motherland.movement import Move
from core.trials.selfplay import play
from core.views import View
from tests.properties.games import turning_point


def test_a_door_found_alone_is_the_one_among_all() -> None:
    rng, asked = random.Random(4), set[str]()
    for view in _positions(number=4):
        for walk in _walks(view, rng):
            _assert_found_alone(options(view, walk), options(view, walk), view)
            asked.add(str(walk[0]))
    assert len(asked) > 10


def test_a_way_is_walked_once_however_many_hexes_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = [play(turning_point(), {side: load("busy") for side in turning_point().sides}, number).match for number in (4, 5, 6)]
    walked: list[Hex] = []
    walk = movement.walk
    monkeypatch.setattr(movement, "walk", lambda movers, start, path, **on: (walked.extend(path), walk(movers, start, path, **on))[1])
    longest = 0
    for match, entry in [(one, entry) for one in matches for entry in one.log.path()[1:]]:
        order = match.codec.decode(entry.order)
        if isinstance(order, Move) and len(order.path) > 1:
            walked.clear()
            decide(View(match.setting, match.log.seek(entry.parent)), entry.side, order, StopDice())
            assert tuple(walked) == order.path
            longest = max(longest, len(order.path))
    assert longest > 3


def test_a_unit_that_can_enter_no_hex_is_told_of_lacking_points_before_all_else_then_of_the_first_without_foes() -> None:
    told: set[str] = set()
    for number in range(9, 60):  # games until each has happened
        for view in _positions(number=number):
            told.update(_told_of_stuck_units(view))
        if told == {"short", "first", "behind foes"}:
            return
    pytest.fail(f"only {told} in 51 games")


def _told_of_stuck_units(view: View) -> Iterator[str]:
    """Yield which reason each unit is told that can enter no hex, once it is seen to be the right one."""
    for kind in ("move", "strategic"):
        head = (OptionPick(kind),)
        doors = {door.pick: door.refused for door in options(view, head).doors} if head[0] in options(view).picks else {}
        for pick, refused in doors.items():
            hexes = [door for door in options(view, (*head, pick)).doors if isinstance(door.pick, HexPick)]
            if refused is None or not hexes or any(door.is_open for door in hexes):
                continue   # it may go, or is barred wherever it goes
            reasons = [door.refused for door in hexes if door.refused is not None]
            short = next((reason for reason in reasons if reason.rule in ("5.13", "5.24d")), None)
            shown = short or next((reason for reason in reasons if reason.rule != "5.32a"), reasons[0])
            assert (refused.rule, str(refused)) == (shown.rule, str(shown))
            yield "short" if short else "first" if shown is reasons[0] else "behind foes"


def _positions(*, number: int) -> Iterator[View]:
    """Yield positions of a game of two bots."""
    match = play(turning_point(), {side: load("busy") for side in turning_point().sides}, number).match
    for entry in match.log.path()[:-1:2]:
        yield View(match.setting, match.log.seek(entry.number))


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

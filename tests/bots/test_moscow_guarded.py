"""How `steady` guards the place whose fall may end the war: Moscow, while its die is to be rolled (19.43), before the enemy is there."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from core.board import Hex
from core.events import PlaceMarked
from core.fold import fold
from core.rulesets.war_for_the_motherland import supply
from core.rulesets.war_for_the_motherland.bot import aims, posts, trains
from core.rulesets.war_for_the_motherland.bot.worth_of_units import Standing, of_side
from core.rulesets.war_for_the_motherland.terms import DESTROYED
from core.views import View
from tests.bots.set_up import in_turn

NEAR, NEARER = "C2714", "C2711"  # eight and five hexes before Moscow


@pytest.fixture
def first() -> View:
    return in_turn(5)


def anew(view: View) -> View:
    return View(view.setting, view.position)


def moscow(view: View) -> Hex:
    return view.board.hex(supply.MOSCOW)


def with_panzers(view: View, label: str) -> View:
    """Return the view after a panzer corps has gone there."""
    panzers = next(one for one in of_side(view, "axis") if one.kind.kind == "panzer")
    view.position.put(replace(view.unit(panzers.unit), place=view.board.hex(label)))
    return anew(view)


def armies(view: View) -> list[Standing]:
    return [one for one in of_side(view, "soviet") if one.kind.kind == "infantry" and one.defence > 1]


def garrison(view: View, others: int) -> float:
    """Return what it is worth to join so many others in Moscow."""
    return posts.garrison(view, posts.scene(view, "soviet"), moscow(view), armies(view)[:others])


def test_a_garrison_is_wanted_before_the_enemy_is_there_and_the_more_the_nearer_he_is(first: View) -> None:
    assert garrison(first, 0) == 0
    far = garrison(with_panzers(first, NEAR), 0)
    assert 0 < far < garrison(with_panzers(first, NEARER), 0)


def test_one_army_is_not_enough_and_each_more_is_worth_less(first: View) -> None:
    view = with_panzers(first, NEAR)
    worths = [garrison(view, others) for others in range(4)]
    assert worths == sorted(worths, reverse=True)
    assert worths[2] > 0
    assert worths[3] == 0


def test_when_the_die_is_rolled_moscow_is_a_city_like_others(first: View) -> None:
    view = with_panzers(first, NEAR)
    fold(view.position, PlaceMarked((moscow(view),), DESTROYED))
    assert garrison(anew(view), 0) == 0
    assert aims.called(anew(view), "soviet", moscow(view)) == 0


def test_troops_are_called_for_around_it_by_its_holder(first: View) -> None:
    view = with_panzers(first, NEAR)
    beside = view.board.adjacent[moscow(view)][0]
    assert aims.called(view, "soviet", moscow(view)) > aims.called(view, "soviet", beside) > 0
    assert aims.called(view, "axis", moscow(view)) == 0


def test_a_headquarters_goes_where_troops_are_called_for(first: View) -> None:
    post = next(one for one in of_side(first, "soviet") if one.kind.kind == "headquarters")

    def gain(view: View) -> float:
        return trains.look(view, post, moscow(view)) - trains.look(view, post, view.board.hex("C2702"))

    calm = gain(first)
    assert gain(with_panzers(first, NEAR)) > calm + 8  # for the call, and since troops will come to it


def test_moscow_draws_troops_more_than_leningrad_while_enemies_come_near(first: View) -> None:
    view = with_panzers(first, NEAR)
    weights = {aim.here: aim.weight for aim in aims.aims(view, "soviet") if aim.hold}
    assert weights[moscow(view)] > weights[view.board.hex("C1418")] + 2

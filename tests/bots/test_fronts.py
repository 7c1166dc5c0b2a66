"""How `steady` keeps a front: whoever is too many in one place is drawn to where there are too few."""

from __future__ import annotations

from core.board import Hex
from core.rulesets.war_for_the_motherland.bot import aims, ground, posts, trains
from core.rulesets.war_for_the_motherland.bot.worth_of_units import roster
from core.units import UnitId
from core.views import View
from tests.bots.test_campaign import anew, first, named, put, unit

__all__ = ["first"]
MOSCOW, LENINGRAD = "Moscow", "Leningrad"


def soviet_armies(view: View) -> list[UnitId]:
    return [one.unit for one in roster(view) if one.side == "soviet" and one.kind.kind == "infantry" and one.kind.size == "XXXX"]


def aim(view: View, side: str, here: Hex) -> aims.Aim:
    return next(one for one in aims.aims(view, side) if one.here == here)


def test_a_city_draws_its_side_the_more_the_nearer_the_enemy_is(first: View) -> None:
    moscow, corps = named(first, MOSCOW), unit(first, "57. Panzer Corps")
    weights = []
    for far in (15, 10, 6):
        here = next(Hex(i) for i in range(first.board.size) if ground.away(first, moscow)[i] == far)
        put(first, corps, first.board.label(here))
        one = aim(anew(first), "soviet", moscow)
        assert one.hold
        weights.append(one.weight)
    assert weights == sorted(weights)
    assert weights[0] < weights[-1]


def test_a_city_that_no_enemy_can_come_to_soon_draws_nobody_who_holds_it(first: View) -> None:
    moscow = named(first, MOSCOW)
    assert ground.gap(first, "soviet")[moscow] >= aims.ALARM[1]
    assert all(one.here != moscow for one in aims.aims(first, "soviet"))


def test_armies_crowded_around_one_city_are_drawn_to_another_that_stands_open(first: View) -> None:
    moscow, leningrad = named(first, MOSCOW), named(first, LENINGRAD)
    armies, around = soviet_armies(first), ground.rings(first, leningrad)
    spots = [here for ring in around for here in ring]
    for army, here in zip(armies, spots, strict=False):
        put(first, army, first.board.label(here))
    put(first, unit(first, "57. Panzer Corps"), first.board.label(ground.rings(first, moscow)[4][0]))
    view = anew(first)
    pull = aims.pull(view, "soviet")
    assert pull[moscow] > pull[leningrad] + 3


def test_a_second_headquarters_belongs_elsewhere_than_beside_the_first(first: View) -> None:
    one = next(one for one in roster(first) if one.side == "soviet" and one.kind.kind == "headquarters")
    other = next(two for two in roster(first) if two.kind == one.kind and two.unit != one.unit)
    beside = first.board.adjacent[one.here][0]
    assert trains._apart(first, other, beside) < trains._apart(first, other, other.here)


def test_a_headquarters_does_not_wander_into_the_rear_of_the_enemy(first: View) -> None:
    post = next(one for one in roster(first) if one.side == "soviet" and one.kind.kind == "headquarters")
    seen, far = posts.scene(first, "soviet"), named(first, "Warsaw")
    assert ground.screen(first, "soviet")[far] > seen.gap[far]
    assert trains._stray(first, seen, post, far) > 0
    assert trains._stray(first, seen, post, post.here) == 0


def test_who_does_not_think_of_attacking_is_not_drawn_to_what_the_enemy_holds(first: View) -> None:
    assert ground.posture(first, "soviet") == 0
    bucharest = named(first, "Bucharest")
    assert aim(first, "soviet", bucharest).weight <= 0
    assert aim(first, "axis", named(first, "Minsk")).weight > aims.OFFENSIVE

"""What the core is measured on is what it says."""

from __future__ import annotations

from benchmarks import core
from benchmarks.kit import games
from core.derived import Derived
from core.fold import fold_all
from core.position import Position
from core.views import View


def test_a_long_log_folds_in_one_row_to_its_end():
    log = games.long_log(400)
    assert len(log) == len(log.path()) == 400
    position = Position()
    for entry in log.entries:
        fold_all(position, entry.events)
    assert log.seek(399) == position


def test_each_round_of_a_long_log_leaves_as_many_frames_as_the_one_before():
    one_round = len(games.game_of("busy").match.log) - 1
    log = games.long_log(1 + 3 * one_round)
    after_set_up, *after_rounds = (len(log.seek(number * one_round).frames) for number in range(4))
    assert after_rounds == [after_set_up] * 3


def test_a_movement_phase_has_the_units_it_says():
    moving = games.moving(60)
    mine = [unit for unit in moving.view.position.on_map() if moving.view.side(unit.id) == moving.side]
    assert len(mine) == moving.units == 60


def test_options_after_a_measured_move_are_those_made_from_nothing():
    after = core._moved(games.moving(60).view, 2)
    fresh = View(after.setting, after.position, derived=Derived(after.setting))
    for pick in core.options(fresh).picks:
        assert core.options(after, (pick,)).picks == core.options(fresh, (pick,)).picks


def test_supply_after_a_measured_step_is_that_traced_from_nothing():
    start = games.campaign_start()
    core.trace_all(start)
    movers = games.some_movers(start, 4)
    assert {start.side(unit) for unit in movers} == set(start.setting.sides)
    for unit in movers:
        after = core._after_step(start, unit)
        fresh = View(after.setting, after.position, derived=Derived(after.setting))
        for user in core.supply.USERS:
            mended, anew = (core.supply.network(view, user) for view in (after, fresh))
            assert (mended.givers, dict(mended.links)) == (anew.givers, dict(anew.links))
            assert mended.field.halves == anew.field.halves
            assert all(mended.field.path(here) == anew.field.path(here) for here in anew.field.halves)

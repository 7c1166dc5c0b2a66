"""How games are told: bands by turn, losses on balance, a game's own invariants."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from core.board import Hex
from core.match import new_server_match
from core.trials.course import Band, Recorder, TurnFigures, band, bands_by_turn, fights
from core.trials.selfplay import play
from core.units import UnitId
from core.views import View
from tests.properties.games import turning_point


def test_a_band_is_made_of_values_that_were_seen() -> None:
    assert band([5, 1, 4, 2, 3]) == Band(1, 2, 3, 4, 5)
    assert band([7]) == Band(7, 7, 7, 7, 7)


def test_a_turn_that_not_every_game_reached_counts_the_games_that_did() -> None:
    long = (TurnFigures(1, False, {"vp": 3}), TurnFigures(2, False, {"vp": 5}), TurnFigures(2, True, {"vp": 6}))
    short = (TurnFigures(1, False, {"vp": 1}), TurnFigures(1, True, {"vp": 0}))
    found = bands_by_turn([long, short])["vp"]
    assert list(found) == ["1", "2", "end"]
    assert found["1"] == Band(1, 1, 1, 3, 3)
    assert found["2"].median == 5
    assert (found["end"].least, found["end"].most) == (0, 6)


def test_a_recorder_has_each_turn_once_and_losses_that_only_grow() -> None:
    from core import bots

    recorder = Recorder()
    play(turning_point(), {side: bots.load("steady") for side in turning_point().sides}, 1, watch=recorder)
    assert [(one.turn, one.over) for one in recorder.turns] == [(22, False), (23, False), (24, False), (24, True)]
    for key in ("axis_lost", "soviet_lost"):
        values = [one.figures[key] for one in recorder.turns]
        assert values == sorted(values)
        assert values[-1] > 0
    assert recorder.turns[-1].figures["vp"] > 0


def test_only_troops_are_lost_by_leaving_the_map(view: View) -> None:
    kinds = view.types
    assert not any(fights(kinds[name]) for name in ("ger_air_fleet_3", "sov_factory", "ger_airbase", "rum_headquarters"))
    assert all(fights(kinds[name]) for name in ("ger_panzer_corps", "rum_infantry_corps", "sov_infantry_army", "sov_infantry_corps"))


# -------------------------------------------------------------------- invariants


@pytest.fixture
def view() -> View:
    keeper = new_server_match(turning_point(), game="invariants", seed=bytes(32), clock=lambda: 0, links=10)
    keeper.begin()
    now = keeper.match.view
    return View(now.setting, now.position.copy())


def put(view: View, unit: UnitId, *, at: Hex | None = None, steps: int | None = None) -> None:
    counter = view.unit(unit)
    view.position.put(replace(counter, place=counter.place if at is None else at, steps=counter.steps if steps is None else steps))


def some(view: View, name: str) -> UnitId:
    return next(unit.id for unit in view.position.on_map() if view.name(unit.id) == name)


def test_nothing_is_wrong_with_the_first_position(view: View) -> None:
    assert list(view.ruleset.broken(view)) == []


def test_units_of_both_sides_in_a_hex_are_found(view: View) -> None:
    put(view, some(view, "62. Army"), at=Hex(view.unit(some(view, "51. Corps")).place))
    assert any(one.startswith("both sides stand in") for one in view.ruleset.broken(view))


def test_a_unit_with_more_steps_than_it_has_is_found(view: View) -> None:
    put(view, some(view, "51. Corps"), steps=9)
    assert list(view.ruleset.broken(view)) == ["51. Corps has 9 steps of 4"]


def test_a_hex_over_the_limit_between_phases_is_found(view: View) -> None:
    put(view, some(view, "62. Army"), at=Hex(view.unit(some(view, "64. Army")).place))
    assert [one for one in view.ruleset.broken(view) if "overstacked" in one]

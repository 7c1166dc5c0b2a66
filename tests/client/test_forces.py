"""The list of counters, losses and luck."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.session.saved import SavedMatch
from client.session.tally import Roll, luck_of, tally_of
from core.events import Explained, Moved, PhaseBegan, Placed, Removed, Rolled, StepsChanged
from core.fold import fold
from core.log import Entry
from core.pack import Arrival
from core.ruleset import Losses
from core.rulesets import load
from core.text import text
from core.units import UnitId

Maker = Callable[..., SavedMatch]
A, B, C = UnitId(0), UnitId(1), UnitId(2)


def test_steps_and_units_lost_are_counted_by_side_and_other_removals_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    class Told:
        side = "red"
        events = (
            Placed(A, "t", "1", 0, 3),
            StepsChanged(A, 2),
            StepsChanged(A, 3),
            Placed(B, "t", "2", 0, 2),
            Removed(B, "eliminated"),
            Removed(A, "converted"),
            Rolled("combat", 6, 5),
        )

    entry: Entry = Told()  # type: ignore[assignment]
    steps: dict[UnitId, int] = {}
    tally = tally_of(entry, steps, lambda unit: {A: "blue", B: "red"}[unit])
    assert tally.steps == {"blue": 1, "red": 2}
    assert tally.units == {"red": 1}
    assert tally.rolls == (Roll("red", "combat", 6, 5),)
    assert steps == {}


def test_steps_of_a_counter_that_another_replaces_and_units_lost_by_other_words_are_counted_once() -> None:
    class Told:
        side = "red"
        events = (
            Placed(A, "t", "1", 0, 3),
            Removed(A, "replaced"),
            Placed(C, "t", "1", 0, 2),
            Placed(B, "t", "2", 0, 2),
            Removed(B, "drowned"),
            Removed(B, "drowned"),  # from the box where it lay
        )

    entry: Entry = Told()  # type: ignore[assignment]
    losses = Losses(frozenset({"eliminated", "drowned"}), frozenset({"replaced"}))
    tally = tally_of(entry, {}, lambda unit: {A: "blue", B: "red", C: "blue"}[unit], losses)
    assert tally.steps == {"blue": 1, "red": 2}
    assert tally.units == {"red": 1}


def test_dice_that_decide_on_a_unit_are_its_owners_whoever_ended_the_question_before() -> None:
    def isolated(unit: str) -> Explained:
        return Explained("attrition", text("{unit} is isolated: {n} {n:step|steps} lost", unit=unit, n=0))

    class Told:
        side = "red"
        events = (
            Rolled("attrition", 6, 1), isolated("4. Corps"),
            Rolled("attrition", 6, 2), isolated("9. Corps"),  # of which both sides have one
            Rolled("recovery", 6, 3), Removed(A, "eliminated"),
            Rolled("recovery", 6, 4), Moved((A,), (-2,)),
            Rolled("combat", 6, 5), StepsChanged(A, 1),
            Rolled("recovery", 6, 6),
        )  # fmt: skip

    entry: Entry = Told()  # type: ignore[assignment]
    losses = Losses(rolled=frozenset({"attrition", "recovery"}))
    tally = tally_of(entry, {}, lambda unit: "blue", losses, side_named=lambda name: {"4. Corps": "blue"}.get(name, ""))
    assert [(roll.side, roll.value) for roll in tally.rolls] == [("blue", 1), ("", 2), ("blue", 3), ("blue", 4), ("red", 5), ("", 6)]


def test_a_unit_whose_fate_was_rolled_is_known_by_its_name(battlefield: GamePage) -> None:
    view = battlefield.match.view
    side_named = battlefield.match._sides_by_name()  # type: ignore[attr-defined]
    assert {side_named(view.name(unit)) for unit in view.position.units if view.side(unit) == "axis"} == {"axis"}
    assert {side_named(view.name(unit)) for unit in view.position.units if view.side(unit) == "soviet"} == {"soviet"}
    assert side_named("nobody") == ""


def test_every_word_for_a_loss_of_the_game_is_one_that_its_rules_say() -> None:
    losses = load("war_for_the_motherland").losses
    said = Path("core/rulesets/war_for_the_motherland")
    text = "".join(file.read_text(encoding="utf-8") for file in said.glob("*.py") if file.name != "recovery.py")
    text += (said / "recovery.py").read_text(encoding="utf-8").partition("LOSSES = ")[2].partition("\n)\n")[2]
    assert {why for why in losses.whole | losses.weakened if f'"{why}"' not in text} == set()


def test_whoever_begins_with_fewer_steps_has_lost_none(new_match: Maker) -> None:
    class Told:
        side = ""
        events = (
            new_match().entries(1)[0].events[0],
            Placed(A, "t", "1", 0, 3),
            StepsChanged(A, 2),
            PhaseBegan(1, "act", "red"),
            StepsChanged(A, 1),
        )

    entry: Entry = Told()  # type: ignore[assignment]
    assert tally_of(entry, {}, lambda unit: "blue").steps == {"blue": 1}


def test_luck_is_told_by_side_beside_what_is_fair() -> None:
    red, blue = luck_of([Roll("red", "a", 6, 6), Roll("blue", "a", 6, 1), Roll("red", "b", 6, 4)])[::-1]
    assert (red.mean, red.fair, red.counts) == (5.0, 3.5, (0, 0, 0, 1, 0, 1))
    assert blue.mean == 1.0


def test_the_search_finds_counters_and_a_click_goes_there(page: GamePage, qtbot: QtBot) -> None:
    page.search_forces()
    assert page.side.current == "forces"
    unit = page.match.view.position.on_map()[0]
    name = page.match.view.name(unit.id)
    whole = page.forces.text.toPlainText()
    assert name in whole
    assert "Losses and luck" in whole
    qtbot.keyClicks(page.forces.search, "no such counter")
    qtbot.waitUntil(lambda: name not in page.forces.text.toPlainText())
    page.forces.place_wanted.emit(unit.place)
    assert page.selected_hex == unit.place


def test_buttons_leave_only_one_side_or_what_lies_beside_the_map(page: GamePage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    page.open_side("forces")
    board, view = page.match.view.board, page.match.view
    monkeypatch.setattr(board, "boxes", ("out", "long_bench"))
    fold(view.position, Moved((UnitId(0),), (-2,)))
    panel = page.forces
    panel.write()
    assert "long bench" in panel.text.toPlainText()
    panel._filter("where", "boxes")
    told = panel.text.toPlainText()
    assert view.name(UnitId(0)) in told
    assert "1 counter\n" in told + "\n"
    panel._filter("where", "boxes")
    panel._filter("side", "blue")
    assert "Red:" not in panel.text.toPlainText()
    assert "Blue:" in panel.text.toPlainText()


def test_who_comes_later_by_the_schedule_is_found_with_his_turn(battlefield: GamePage) -> None:
    forces, match = battlefield.forces, battlefield.match
    now = match.view.position.turn
    scenario = match.setting.scenario
    later = Arrival(now + 2, "axis", (("ger_siege_artillery", ""), ("ger_infantry_corps", "99")))
    gone = Arrival(now, "axis", (("ger_infantry_corps", "98"),))
    match.setting = msgspec.structs.replace(match.setting, scenario=msgspec.structs.replace(scenario, arrival=(gone, later)))
    forces.search.setText("siege")
    told = "".join(forces.parts(match))
    assert f"To come on turn {now + 2}, " in told
    assert "99" not in told
    forces.search.setText("XXXX no such")
    assert "To come" not in "".join(forces.parts(match))
    forces.search.setText("infantry")
    told = "".join(forces.parts(match))
    assert "99" in told.partition("To come")[2]
    assert "98" not in told.partition("To come")[2].partition("</p>")[0]

"""What is kept beside a position is what would be made from nothing, and only what events touched is made anew."""

from __future__ import annotations

import random

import pytest

from core import events, pack
from core.bots import load
from core.derived import MANY, MARKS, NOTES, PLACES, Derived, forces
from core.fold import fold
from core.log import Entry
from core.match import ServerDice
from core.position import Position
from core.rulesets import load as load_rules
from core.setting import Setting
from core.trials import properties
from core.trials.selfplay import play
from core.units import UnitId
from rasputitsa.packs import load_pack
from tests.toy.ruleset import toy_setting

RED, BLUE = UnitId(0), UnitId(1)


@pytest.fixture
def made() -> list[UnitId]:
    return []


@pytest.fixture
def board(made: list[UnitId]) -> Kept:
    return Kept(made)


class Kept:
    """Two pawns in hexes 0 and 1, and a value kept for each that hangs on its own hex."""

    def __init__(self, made: list[UnitId]) -> None:
        self.position, self.derived, self.made = Position(), Derived(toy_setting()), made
        types = {kind.side: id for id, kind in toy_setting().types.items()}
        self.happen(events.Placed(RED, types["red"], "r", 0, 2), events.Placed(BLUE, types["blue"], "b", 1, 2))

    def happen(self, *happened: events.Event) -> None:
        for event in happened:
            self.derived.touch(event, self.position)
            fold(self.position, event)

    def ask(self, *of: object) -> list[UnitId]:
        """Ask for the values of both; return whose were made anew."""
        self.made.clear()
        self.derived.each("key", (RED, BLUE), self._make, of=of, near=self.position.at)
        return list(self.made)

    def _make(self, unit: UnitId) -> int:
        self.made.append(unit)
        return self.position.units[unit].place


@pytest.mark.parametrize(
    ("event", "whose"),
    [
        (events.Moved((RED,), (7,)), [RED]),
        (events.Marked((BLUE,), "acted"), [BLUE]),
        (events.StepsChanged(BLUE, 1), [BLUE]),
        (events.Moved((RED,), (1,)), [RED, BLUE]),
        (events.PlaceMarked((1,), "mark"), [BLUE]),
        (events.PlaceMarked(tuple(range(100, 101 + MANY)), "mark"), [RED, BLUE]),
        (events.MarksCleared(("acted",)), []),
        (events.Rolled("strike", 6, 1), []),
        (events.TrackSet("turn", 2), []),
    ],
)
def test_only_the_values_of_units_that_an_event_touches_are_made_anew(board: Kept, event: events.Event, whose: list[UnitId]) -> None:
    assert board.ask() == [RED, BLUE]
    board.happen(event)
    assert sorted(board.ask()) == whose
    assert board.ask() == []


def test_marks_cleared_touch_who_and_what_bore_them_alone(board: Kept) -> None:
    def stamps() -> tuple[int, ...]:
        return board.derived.stamp(MARKS, PLACES)

    board.happen(events.Marked((BLUE,), "acted"), events.PlaceMarked((1,), "mark"))
    board.ask()
    before = stamps()
    board.happen(events.MarksCleared(("acted", "stopped")))
    assert (sorted(board.ask()), stamps()) == ([BLUE], (before[0] + 1, before[1]))
    board.happen(events.MarksCleared(("stopped", "mark")))
    assert (sorted(board.ask()), stamps()) == ([BLUE], (before[0] + 2, before[1] + 1))
    board.happen(events.MarksCleared(("acted", "mark")))
    assert (board.ask(), stamps()) == ([], (before[0] + 2, before[1] + 1))


def test_who_leaves_a_hex_touches_what_hangs_on_it(board: Kept) -> None:
    board.happen(events.Moved((RED,), (1,)))
    board.ask()
    board.happen(events.Moved((RED,), (2,)))
    assert sorted(board.ask()) == [RED, BLUE]


def test_values_are_made_anew_when_what_they_are_made_of_changes(board: Kept) -> None:
    board.ask("clear")
    assert board.ask("mud") == [RED, BLUE]


def test_forces_of_one_side_are_touched_by_its_own_counters_alone(board: Kept) -> None:
    before = board.derived.stamp(forces("red")), board.derived.stamp(forces("blue"))
    board.happen(events.Moved((RED,), (5,)), events.Marked((BLUE,), "acted"))
    assert (board.derived.stamp(forces("red")) == before[0], board.derived.stamp(forces("blue")) == before[1]) == (False, True)


def test_a_copy_goes_its_own_way(board: Kept) -> None:
    board.ask()
    other = board.derived.copy()
    other.touch(events.Moved((RED,), (5,)), board.position)
    assert board.ask() == []


def test_what_was_touched_long_ago_is_made_anew_all_the_same_and_nothing_else(board: Kept) -> None:
    board.ask()
    board.happen(events.Marked((RED,), "tired"))
    board.happen(*[events.Marked((BLUE,), "seen", number) for number in range(2 * NOTES)])
    assert board.ask() == [RED, BLUE]
    board.happen(*[events.Marked((BLUE,), "seen", number) for number in range(2 * NOTES)])
    assert board.ask() == [BLUE]


def test_copies_that_have_gone_their_own_ways_for_long_know_what_touched_each_of_them(board: Kept) -> None:
    board.happen(*[events.Marked((BLUE,), "seen", number) for number in range(NOTES - 1)])
    board.ask()
    red, blue = board.derived, board.derived.copy()
    board.happen(*[events.Marked((RED,), "tired", number) for number in range(NOTES)])
    assert board.ask() == [RED]
    board.derived = blue
    board.happen(*[events.Marked((BLUE,), "seen", number) for number in range(NOTES)])
    assert board.ask() == [BLUE]
    board.derived = red
    assert board.ask() == []


def test_what_another_copy_has_made_is_taken_where_nothing_has_happened_in_between(board: Kept) -> None:
    ahead, here, reds = board.derived.copy(), board.derived.copy(), (forces("red"),)
    moved = events.Moved((RED,), (5,))
    ahead.touch(moved, board.position)
    ahead.get("got", reds, lambda: "after the move")
    ahead.follow("followed", reds, lambda: "after the move", lambda old, _: old)
    ahead.keep("kept", ("after",), lambda: "after the move")
    here.look_ahead(ahead)
    assert here.get("got", reds, lambda: "before") == "before"
    assert here.follow("followed", reds, lambda: "before", lambda old, _: old) == "before"
    assert here.keep("kept", ("before",), lambda: "before") == "before"
    here.touch(moved, board.position)
    assert here.get("got", reds, lambda: "anew") == "after the move"
    assert here.follow("followed", reds, lambda: "anew", lambda old, _: "mended") == "after the move"
    assert here.keep("kept", ("after",), lambda: "anew") == "after the move"
    here.look_ahead(None)
    here.touch(moved, board.position)
    ahead.touch(moved, board.position)
    ahead.get("got", reds, lambda: "after two moves")
    assert here.get("got", reds, lambda: "anew") == "anew"


def test_what_hangs_on_the_setting_alone_is_made_once_for_all_its_positions() -> None:
    setting = toy_setting()
    made: list[int] = []
    for _ in range(2):
        Derived(setting).get("static", (), lambda: made.append(1))
    assert made == [1]


def test_a_value_made_of_others_is_mended_where_that_can_be() -> None:
    derived = Derived(toy_setting())

    def keep(*of: int) -> tuple[object, ...]:
        return derived.keep(
            "kept", of, lambda: ("made", *of), mend=lambda old, was: ("mended", *of, old[0]) if was[0] == of[0] else None
        )

    assert [keep(1, 2), keep(1, 2), keep(1, 3), keep(2, 3)] == [("made", 1, 2), ("made", 1, 2), ("mended", 1, 3, "made"), ("made", 2, 3)]


def test_a_value_that_follows_places_is_told_which_were_touched_and_only_when_its_aspects_changed(board: Kept) -> None:
    told: list[set[int]] = []

    def follow() -> str:
        def mend(old: str, places: frozenset[int]) -> str:
            told.append(set(places))
            return old + "+"

        return board.derived.follow("key", (forces("red"),), lambda: "made", mend)

    assert (follow(), follow()) == ("made", "made")
    board.happen(events.Moved((BLUE,), (3,)))
    assert follow() == "made"
    board.happen(events.Moved((RED,), (5,)))
    assert (follow(), follow()) == ("made+", "made+")
    assert told == [{0, 1, 3, 5}]   # also what was touched while it need not be made anew
    board.happen(events.Moved((RED,), (6,)), events.PlaceMarked(tuple(range(100, 101 + MANY)), "mark"))
    assert follow() == "made++"
    assert told[1:] == [{5, 6}]   # marks are no forces


def turning_point() -> Setting:
    return pack.setting(load_rules("war_for_the_motherland"), load_pack("war_for_the_motherland"), "turning_point", {})


@pytest.mark.parametrize("number", [3, 4])
def test_options_after_every_order_of_a_game_are_those_made_from_nothing(number: int) -> None:
    setting = turning_point()
    rng = random.Random(number)

    def compare(keeper: ServerDice, entry: Entry) -> None:
        view = keeper.match.view
        if view.position.outcome is None and rng.random() < 0.9:   # now and then nobody asks, and more has happened at the next time
            properties.dropping_derived_changes_nothing(view)

    play(setting, {side: load("busy") for side in setting.sides}, number, watch=compare)

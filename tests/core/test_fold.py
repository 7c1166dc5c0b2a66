"""Every event type is folded, and spoils what hangs on it."""

from __future__ import annotations

import typing

import msgspec

from core import events
from core.board import OUT
from core.derived import ASPECTS, CHITS, CONTROL, MARKS, PLACES, SPOILS, STEPS, TOUCHES, UNITS, Derived
from core.fold import FOLDERS, fold
from core.position import Position
from core.units import UnitId
from tests.toy.ruleset import toy_setting

ALL = set(typing.get_args(events.AnyEvent))


def test_no_event_type_is_missing_from_the_fold() -> None:
    assert set(FOLDERS) == ALL == set(events.Event.__subclasses__())


def test_no_event_type_is_missing_from_what_spoils_derived_fields() -> None:
    assert set(TOUCHES) == ALL
    assert {aspect for some in TOUCHES.values() for aspect in some} <= set(ASPECTS)


def test_every_event_type_that_changes_units_or_places_spoils_what_hangs_on_them() -> None:
    of_units_or_places = {kind for kind, aspects in TOUCHES.items() if set(aspects) & {UNITS, STEPS, MARKS, PLACES, CHITS, CONTROL}}
    assert set(SPOILS) == of_units_or_places - {events.CupFilled}   # a cup is no place


def test_every_event_type_has_a_tag_of_its_own() -> None:
    tags = [kind.__struct_config__.tag for kind in ALL]
    assert len(set(tags)) == len(tags)


def test_a_drawn_chit_leaves_its_cup_and_a_returned_one_is_back() -> None:
    position = Position()
    fold(position, events.Placed(UnitId(0), "army", "1", 3, 2))
    fold(position, events.CupFilled("C", "C 1-2/1-1", 2))
    fold(position, events.Drawn("C", "C 1-2/1-1", UnitId(0)))
    assert (position.cups["C"], position.chits) == ({"C 1-2/1-1": 1}, {0: "C 1-2/1-1"})
    fold(position, events.Returned(UnitId(0), "C"))
    assert (position.cups["C"], position.chits) == ({"C 1-2/1-1": 2}, {})


def test_a_removed_unit_leaves_its_hex_and_its_marks() -> None:
    position = Position()
    fold(position, events.Placed(UnitId(0), "army", "1", 3, 2))
    fold(position, events.Marked((UnitId(0),), "spent", 4))
    fold(position, events.Removed(UnitId(0), "eliminated"))
    assert position.at(3) == ()
    assert position.unit_marks == {}
    assert UnitId(0) in position.units


def test_the_counters_on_the_map_are_those_of_now_in_every_copy() -> None:
    position, army, corps = Position(), UnitId(1), UnitId(0)
    for happened, there in (
        (events.Placed(army, "army", "1", 3, 2), {army: (3, 2)}),
        (events.Placed(corps, "corps", "2", OUT, 1), {army: (3, 2)}),
        (events.Moved((corps,), (4, 5)), {corps: (5, 1), army: (3, 2)}),
        (events.StepsChanged(army, 1), {corps: (5, 1), army: (3, 1)}),
        (events.Removed(army, "eliminated"), {corps: (5, 1)}),
    ):
        before, was = position.copy(), position.on_map()
        fold(position, happened)
        assert list({unit.id: (unit.place, unit.steps) for unit in position.on_map()}.items()) == list(there.items())
        assert before.on_map() == was
    position.forget((corps,))
    assert position.on_map() == ()


def test_a_kept_value_is_made_anew_only_after_an_event_that_touches_it() -> None:
    derived, made = Derived(toy_setting()), []
    for event in (None, events.Rolled("combat", 6, 3), events.TrackSet("turn", 2)):
        if event is not None:
            derived.touch(event, Position())
        derived.get("turn", ("tracks",), lambda: made.append(1))
    assert len(made) == 2


def test_events_survive_their_bytes() -> None:
    line = events.Line("attack", "3", (events.Part("3", "8.1", events.Text("strength", {})),))
    happened: list[events.Event] = [events.Explained("battle", events.Text("x", {"n": 1}), (line,)), events.Moved((UnitId(1),), (4, 5))]
    data = msgspec.msgpack.encode(happened)
    assert msgspec.msgpack.decode(data, type=list[events.AnyEvent]) == happened


def test_cleared_marks_leave_all_who_bear_them_and_nobody_else_nor_a_copy() -> None:
    position = Position()
    fold(position, events.Placed(UnitId(0), "army", "1", 3, 2))
    fold(position, events.Marked((UnitId(0),), "spent", 4))
    fold(position, events.Marked((UnitId(0),), "moved"))
    fold(position, events.PlaceMarked((3, 4), "spent"))
    fold(position, events.PlaceMarked((4,), "destroyed"))
    before = position.copy()
    fold(position, events.MarksCleared(("spent",)))
    assert position.unit_marks == {"moved": {UnitId(0): 1}}
    assert position.place_marks == {"destroyed": {4: 1}}
    assert before.mark(UnitId(0), "spent") == 4
    assert before.place_mark(3, "spent") == 1


def test_marks_of_places_are_written_over_and_taken_off_without_a_copy_noticing() -> None:
    position = Position()
    fold(position, events.PlaceMarked((3, 4), "spent", 2))
    before = position.copy()
    fold(position, events.PlaceMarked((4, 9), "spent", 5))
    assert [position.place_mark(place, "spent") for place in (3, 4, 9)] == [2, 5, 5]
    fold(position, events.PlaceUnmarked((3, 8), "spent"))
    assert position.places_marked("spent") == [4, 9]
    fold(position, events.PlaceUnmarked((9, 4), "spent"))
    fold(position, events.PlaceUnmarked((9,), "spent"))
    assert (position.places_marked("spent"), position.place_marks) == ([], {})
    assert [before.place_mark(place, "spent") for place in (3, 4, 9)] == [2, 2, 0]


def test_only_marks_that_a_unit_bears_are_named() -> None:
    position, (one, two) = Position(), (UnitId(1), UnitId(2))
    fold(position, events.Marked((one, two), "spent", 4))
    fold(position, events.Marked((two,), "moved"))
    fold(position, events.Marked((), "finished"))
    before = position.copy()
    assert (position.marks_of(two), position.marks_of(one)) == ([("moved", 1), ("spent", 4)], [("spent", 4)])
    fold(position, events.Unmarked((two, one), "moved"))
    fold(position, events.Unmarked((one,), "finished"))
    fold(position, events.Unmarked((one,), "spent"))
    assert (position.unit_marks, position.marked("spent")) == ({"spent": {two: 4}}, [two])
    position.forget((two,))
    assert position.unit_marks == {}
    assert (before.marks_of(two), before.marked("spent")) == ([("moved", 1), ("spent", 4)], [one, two])


def test_marks_are_written_by_who_bears_them_then_by_name_however_they_came_about() -> None:
    position, other = Position(), Position()
    marks = [("spent", 4, 7), ("moved", 9, 1), ("moved", 4, 2)]
    for here, rows in ((position, marks), (other, marks[::-1])):
        for mark, bearer, value in rows:
            fold(here, events.Marked((UnitId(bearer),), mark, value))
            fold(here, events.PlaceMarked((bearer,), mark, value))
    stored = msgspec.msgpack.decode(position.encode())
    assert stored["unit_marks"] == stored["place_marks"] == [[4, "moved", 2], [4, "spent", 7], [9, "moved", 1]]
    assert other.encode() == position.encode() == Position.decode(position.encode()).encode()

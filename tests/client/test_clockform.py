"""The form of a clock: days for play by mail, hours and minutes for an evening, and usual clocks in one choice."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from client.durations import DAY, HOUR, MINUTE, SECOND
from client.meeting.clockform import BY_HAND, PRESETS, ClockForm, DurationEdit
from core.errors import BadInput
from core.terms import ClockTerms, Terms, check


@pytest.fixture
def form(qapp: object, qtbot: QtBot) -> ClockForm:
    made = ClockForm()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.mark.parametrize("preset", PRESETS)
def test_each_usual_clock_is_filled_in_as_it_is_and_a_server_takes_it(form: ClockForm, preset: str) -> None:
    form.choose(preset)
    assert form.terms() == PRESETS[preset]
    check(Terms(clock=form.terms()), ("red", "blue"))
    assert form.presets.count() == len(PRESETS) + 1


def test_play_by_mail_is_filled_in_by_days(form: ClockForm, qtbot: QtBot) -> None:
    form.choose("mail")
    assert {unit: edit.text() for unit, edit in form.time.fields.items()} == {"days": "3", "hours": "0", "minutes": "0"}
    days = form.time.fields["days"]
    days.selectAll()
    qtbot.keyClicks(days, "14")
    assert form.terms() == ClockTerms("turn", 14 * DAY, 0, "claim")
    assert form.presets.currentData() == BY_HAND


def test_units_add_up_and_an_empty_field_is_nothing(qapp: object, qtbot: QtBot) -> None:
    edit = DurationEdit("More", {"hours": "hours", "minutes": "minutes", "seconds": "seconds"})
    qtbot.addWidget(edit)
    edit.show_ms(26 * HOUR + 5 * MINUTE + 7 * SECOND)
    assert [field.text() for field in edit.fields.values()] == ["26", "5", "7"]
    edit.fields["minutes"].clear()
    assert edit.ms() == 26 * HOUR + 7 * SECOND


@pytest.mark.parametrize("typed", ["soon", "-1", "1.5", "9" * 12, "٣"])
def test_what_is_no_number_is_told_with_its_field(form: ClockForm, typed: str) -> None:
    form.choose("evening")
    form.time.fields["days"].setText(typed)
    with pytest.raises(BadInput, match="Time: days: expected a whole number from 0 to 365"):
        form.terms()


def test_a_clock_without_time_is_said_where_time_is_filled_in_until_some_is(form: ClockForm, qtbot: QtBot) -> None:
    form.choose("evening")
    assert form.has_time()
    for edit in form.time.fields.values():
        edit.setText("0")
    assert not form.has_time()
    assert form.time.fault.isVisible()
    assert form.time.fault.text() == "Fill in some time: a clock without any would be out at once."
    qtbot.keyClicks(form.time.fields["minutes"], "5")
    assert not form.time.fault.isVisible()
    form.choose("none")
    assert form.has_time()


def test_only_what_the_kind_needs_is_asked_for(form: ClockForm) -> None:
    seen: dict[str, tuple[bool, ...]] = {}
    for kind in ("none", "absolute", "fischer", "turn"):
        form.kind.setCurrentIndex(form.kind.findData(kind))
        seen[kind] = tuple(part.isVisible() for part in (form.time, form.more, form.flag))
    assert seen == {
        "none": (False, False, False), "absolute": (True, False, True), "fischer": (True, True, True), "turn": (True, False, True),
    }


def test_no_clock_is_said_but_once(form: ClockForm, qtbot: QtBot) -> None:
    form.choose("none")
    assert not form.kind.isVisible()
    form.choose(BY_HAND)
    assert form.kind.isVisible()

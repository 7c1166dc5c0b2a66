"""What a question asks for is in sight, marked, and answered without a pick that leaves no choice; long lines of panels go on below."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.panels.todo import Task, TodoPanel
from client.panels.widgets import LineButton
from client.qt import Qt
from client.session.composing import Clicked, Composer
from client.session.saved import SavedMatch
from core.board import Hex
from core.errors import Refused
from core.options import Door, Offer
from core.orders import HexPick, OptionPick, Pick, Picks, UnitPick, compose
from core.text import text
from core.units import UnitId
from tests.toy.ruleset import Pay

Maker = Callable[..., SavedMatch]

BEAR, FLEE = OptionPick("strike"), OptionPick("go")


@pytest.fixture
def match(new_match: Maker) -> SavedMatch:
    return new_match()


def _ask(match: SavedMatch, monkeypatch: pytest.MonkeyPatch, *units: UnitId, may_end: bool = False) -> None:
    """Let the moment be a question: one of some units bears it, which ends it, or goes to a hex."""
    doors = tuple(Door(UnitPick(unit)) for unit in units)
    unfinished = Refused("1", text("something is missing"))
    goal = Hex(match.view.unit(units[0]).place)

    def offered(walk: Picks = ()) -> Offer:
        match walk:
            case ():
                ending = (Door(OptionPick("end")),) if may_end else ()
                return Offer((Door(BEAR), Door(FLEE), *ending), unfinished)
            case (OptionPick(option="end"),):
                return Offer()
            case (_,):
                return Offer(doors, unfinished)
            case (OptionPick(option="strike"), _):
                return Offer()
            case (_, _):
                return Offer((Door(HexPick(goal)),), unfinished)
            case _:
                return Offer()

    monkeypatch.setattr(match, "options", offered)


def _mine(match: SavedMatch) -> list[UnitId]:
    view = match.view
    return [unit for here in view.position.occupied() for unit in view.side_at(here, view.side_to_act())]


def test_the_only_unit_that_can_bear_it_need_not_be_named(match: SavedMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = _mine(match)[0]
    _ask(match, monkeypatch, unit)
    composer = Composer(match)
    assert composer.choose(BEAR) is Clicked.READY
    assert composer.picks == (BEAR, UnitPick(unit))


def test_the_only_unit_that_can_go_is_taken_and_its_hex_still_asked_for(match: SavedMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = _mine(match)[0]
    _ask(match, monkeypatch, unit)
    composer = Composer(match)
    assert composer.choose(FLEE) is Clicked.PICKED
    assert composer.picks == (FLEE, UnitPick(unit))
    composer.back()
    assert composer.picks == ()


def test_what_a_question_shows_first_bears_the_first_key_and_keeps_it(match: SavedMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = _mine(match)[0]
    goal = HexPick(Hex(match.view.unit(unit).place))
    _ask(match, monkeypatch, unit)
    monkeypatch.setattr(Composer, "ways", lambda self: {})  # hexes are buttons, where there is no reach
    composer = Composer(match)

    def keys() -> dict[Pick, int | None]:
        return {choice.pick: choice.number for choice in composer.ways_on()}

    assert (heads := keys()) == {BEAR: heads[BEAR], FLEE: heads[FLEE]}
    composer.choose(FLEE)
    assert keys() == {goal: 1, BEAR: 2}
    composer.choose(goal)
    composer.back()
    assert keys() == {goal: 1, BEAR: 2}
    composer.back()
    assert keys() == heads


def test_of_two_units_one_is_asked_for(match: SavedMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    _ask(match, monkeypatch, *_mine(match)[:2])
    composer = Composer(match)
    assert composer.choose(BEAR) is Clicked.PICKED
    assert composer.picks == (BEAR,)


def test_where_the_phase_can_end_even_the_only_unit_is_named(match: SavedMatch, monkeypatch: pytest.MonkeyPatch) -> None:
    _ask(match, monkeypatch, _mine(match)[0], may_end=True)
    composer = Composer(match)
    composer.choose(BEAR)
    assert composer.picks == (BEAR,)
    assert composer.asked() == ()


@pytest.mark.parametrize("asks", [True, False])
def test_where_a_question_must_be_answered_nothing_tells_that_the_phase_can_end(
    page: GamePage, monkeypatch: pytest.MonkeyPatch, asks: bool
) -> None:
    fire = OptionPick("fire")

    def offered(walk: Picks = ()) -> Offer:
        match walk:
            case ():
                return Offer((Door(BEAR),), Refused("1", text("something is missing"))) if asks else Offer((Door(OptionPick("end")),))
            case (OptionPick(option="strike"),):
                return Offer((Door(fire),), Refused("1", text("it must be said")))
            case _:
                return Offer()

    monkeypatch.setattr(page.match, "options", offered)
    monkeypatch.setattr(type(page.match.view.ruleset), "duties", lambda self, view: ())
    page.composer.reset()
    page.show_draft()
    words = " ".join(label.text() for label in page.todo.findChildren(QLabel))
    assert ("the phase can end" in words, "until it is answered" in words) == (not asks, asks)


def test_a_question_marks_where_it_is_and_brings_it_into_sight(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    match = page.match
    assert isinstance(match, SavedMatch)
    unit = _mine(match)[0]
    here = Hex(match.view.unit(unit).place)
    _ask(match, monkeypatch, unit)
    shown, marked = list[Hex](), list[Hex]()
    monkeypatch.setattr(page.map, "show_hex", shown.append)
    monkeypatch.setattr(page.scene.marks, "show", lambda hexes, **_: marked.extend(hexes))
    monkeypatch.setattr(match, "moments", lambda: ("an entry more",) * 100)
    page.composer.reset()
    page.show_draft()
    assert marked == [here]
    assert shown == [here]
    page.show_draft()
    assert shown == [here], "what was moved since is the player's"


def test_a_new_phase_shows_where_its_side_can_act_and_later_orders_move_nothing(
    page: GamePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = page.match
    assert isinstance(match, SavedMatch)
    seen, entries = list[Hex](), ["an entry more"] * 100
    monkeypatch.setattr(page.map, "show_hex", seen.append)
    monkeypatch.setattr(page.map, "centre_within_map", seen.append)
    monkeypatch.setattr(page, "_is_in_sight", lambda _here: False)
    monkeypatch.setattr(match, "moments", lambda: tuple(entries))
    page._asked_by = None
    page._brought.clear()
    page.show_draft()
    assert set(seen) <= {here for led in page.composer.able().values() for here in led}
    assert seen
    seen.clear()
    entries.append("his own order")
    page.show_draft()
    assert seen == []
    page._asked_by = ((1, "red"), "blue", Pay)
    entries.append("the other side's answer to it")
    page.show_draft()
    assert seen == [], "what came of the order stays in sight"


def test_of_places_too_far_apart_for_one_look_the_nearest_is_brought_into_sight(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    match, hexes = page.match, [Hex(0), Hex(11), Hex(24)]
    seen = list[Hex]()
    monkeypatch.setattr(page.map, "has_room_for", lambda _hexes: False)
    monkeypatch.setattr(page, "_is_in_sight", lambda _here: False)
    monkeypatch.setattr(page.map, "show_hex", seen.append)
    monkeypatch.setattr(page.map, "centre_within_map", seen.append)
    page.map.centerOn(page.scene.centre(hexes[-1]).x, page.scene.centre(hexes[-1]).y)
    monkeypatch.setattr(page.composer, "able", lambda: {BEAR: tuple(hexes)})
    monkeypatch.setattr(page.composer, "must_answer", lambda: True)
    monkeypatch.setattr(match, "moments", lambda: ("an entry more",) * 100)
    page._show_what_is_asked()
    assert seen == [min(hexes, key=page.map.off_middle)]
    assert seen != [hexes[0]]


def test_a_counter_beside_the_map_brings_no_empty_stack_to_the_front(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    match = page.match
    assert isinstance(match, SavedMatch)
    unit = _mine(match)[0]
    _ask(match, monkeypatch, unit)
    page.composer.reset()
    page.composer.choose(FLEE)
    monkeypatch.setattr(page, "selected_hex", None)
    before = page.side.current
    position = match.match.view.position
    position.put(msgspec.structs.replace(position.units[unit], place=-2))
    page.show_draft()
    assert page.composer.units() == (unit,)
    assert page.side.current == before != "stack"


def test_a_long_task_goes_on_in_another_line(qtbot: QtBot) -> None:
    panel = TodoPanel()
    qtbot.addWidget(panel)
    panel.resize(300, 400)
    words = "Too many units in one place: " + "at the end of the phase one goes " * 3
    panel.show_tasks([Task("Short", (Hex(1),)), Task(words, (Hex(1),))], "")
    panel.show()
    short, long = panel.findChildren(LineButton)
    assert short.width() == long.width() <= panel.viewport().width()
    assert long.height() >= long.heightForWidth(long.width()) > 1.8 * short.height()
    with qtbot.waitSignal(panel.hexes_wanted) as sent:
        long.click()
    assert sent.args == [(Hex(1),)]


# ---------------------------------------------------------------- one click where nothing else can be meant


def test_no_is_an_answer_at_once_for_all_that_it_leaves_undone(battlefield: GamePage) -> None:
    page = battlefield
    page.undo()
    page.undo()  # back to whether depots are expended
    page.warns = True
    asked = sorted({here for led in page.composer.able().values() for here in led})
    assert page.composer.asked() == tuple(asked) != ()
    before = len(page.match.moments())
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("keep_depots")))
    assert len(page.match.moments()) == before + 1


def _rest_only(match: SavedMatch) -> None:
    """Let every unit of the first side act, so that only the end of its turn is open."""
    while len(heads := [door.pick for door in match.options(()).doors if door.is_open]) > 1:
        walk: Picks = (heads[0],)
        while not match.options(walk).complete:
            walk = (*walk, match.options(walk).picks[0])
        head = walk[0]
        assert isinstance(head, OptionPick)
        match.order(compose(match.setting.ruleset.orders[head.option].order, walk[1:]))


def test_enter_takes_the_only_choice_that_there_is_and_the_card_says_so(page: GamePage, qtbot: QtBot) -> None:
    match = page.match
    assert isinstance(match, SavedMatch)
    page.warns = False
    page.map.set_cursor(None)
    before = len(match.moments())
    qtbot.keyClick(page.map, Qt.Key.Key_Return)
    assert len(match.moments()) == before, "while there is a choice, Enter takes none"
    _rest_only(match)
    page.refresh()
    assert [choice.pick for choice in page.prompt.keyed] == [OptionPick("end")]
    assert page.prompt.primary.text() == "0  End   ↵"
    side = match.view.side_to_act()
    qtbot.keyClick(page.map, Qt.Key.Key_Return)
    assert match.view.side_to_act() != side


def test_the_step_back_says_what_it_does_and_is_not_there_before_a_first_click(page: GamePage) -> None:
    assert page.prompt.back is None
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("strike")))
    assert page.prompt.back is not None
    assert page.prompt.back.text() == "Drop this order   Esc"
    assert page.prompt.drop is None
    page.choose(next(choice for choice in page.prompt.keyed if isinstance(choice.pick, UnitPick)))
    assert page.prompt.back.text() == "Step back   Esc"
    assert page.prompt.drop is not None
    assert page.prompt.drop.text() == "Drop the order   Shift+Esc"
    page.prompt.drop.click()
    assert not page.composer.picks
    assert page.prompt.back is None


def test_a_question_that_begins_its_only_order_by_itself_has_no_step_back(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    units = _mine(page.match)  # type: ignore[arg-type]

    def offered(walk: Picks = ()) -> Offer:
        return Offer((Door(BEAR),) if not walk else tuple(map(Door, map(UnitPick, units))), Refused("1", text("a unit must be named")))

    monkeypatch.setattr(page.match, "options", offered)
    page.refresh()
    assert page.composer.picks == (BEAR,)
    assert page.prompt.back is None


def test_the_hex_that_one_stack_alone_can_go_to_takes_that_stack_where_a_question_is_open(
    page: GamePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    composer, view = page.composer, page.match.view
    able = composer.able()[FLEE]
    reached = [here for stack in able for here in view.board.adjacent[stack] if not view.position.at(here)]
    alone = next(here for here in reached if reached.count(here) == 1)
    shared = next(here for here in reached if reached.count(here) > 1)
    page.click(alone)
    assert not composer.picks, "in a phase, whoever clicks beside his counters wants to look"
    orders = page.match.setting.ruleset.orders
    monkeypatch.setitem(orders, "end", msgspec.structs.replace(orders["end"], declines=True))
    page.refresh()
    page.click(shared)
    assert not composer.picks
    assert composer.refused is not None
    assert str(composer.refused.text).startswith("several stacks can go to T")
    page.click(alone)
    assert [view.unit(unit).place in view.board.adjacent[alone] for unit in composer.units()] == [True]
    before = len(page.match.moments())
    page.click(alone)
    assert len(page.match.moments()) == before + 1, "the second click goes there"


def test_tasks_that_a_click_left_as_they_were_are_not_built_anew(qtbot: QtBot) -> None:
    panel = TodoPanel()
    qtbot.addWidget(panel)
    built = []
    for tasks in ([Task("move", (Hex(1),))], [Task("move", (Hex(1),))], [Task("move", (Hex(2),))], []):
        panel.show_tasks(tasks, "")
        built.append(panel.column.itemAt(0).widget())
    assert built[0] is built[1]
    assert len({id(one) for one in built[1:]}) == 3

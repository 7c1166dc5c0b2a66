"""Enter does what the card says: it picks where the hex cursor was moved on to, or gives the order; one press settles nothing unnamed."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtWidgets import QHBoxLayout, QPushButton
from pytestqt.qtbot import QtBot

from client.game import GamePage
from client.qt import Qt
from client.session.composing import Clicked
from core.board import Hex
from core.errors import Refused
from core.events import FramePushed, Placed
from core.fold import fold
from core.options import Door, Offer
from core.orders import HexPick, OptionPick, Picks, UnitPick
from core.rulesets.war_for_the_motherland.economy import Evacuation
from core.rulesets.war_for_the_motherland.terms import SOVIET
from core.text import text
from core.units import UnitId
from tests.client.hands import at, play_to
from tests.client.test_for_good import happen, place

BEAR, GO, STRIKE = OptionPick("pay"), OptionPick("go"), OptionPick("strike")


def enter(page: GamePage, qtbot: QtBot) -> None:
    qtbot.keyClick(page.map, Qt.Key.Key_Return)


def primary(page: GamePage) -> str:
    assert page.prompt.primary is not None
    return page.prompt.primary.text()


@pytest.fixture
def evacuating(battlefield: GamePage) -> tuple[GamePage, UnitId, UnitId]:
    """A question about factories in two cities."""
    page = battlefield
    one, two = place(page, "sov_factory", at(page, "E4510")), place(page, "sov_factory", at(page, "E4509"))
    happen(page, FramePushed(Evacuation(side=SOVIET).frame()))
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("evacuate")))
    return page, one, two


def test_enter_picks_where_the_hex_cursor_was_moved_on_to_and_then_gives(
    evacuating: tuple[GamePage, UnitId, UnitId], qtbot: QtBot
) -> None:
    page, one, two = evacuating
    page.map.set_cursor(at(page, "E4510"))
    enter(page, qtbot)
    assert page.composer.units() == (one,)
    assert primary(page).endswith("↵")
    page.map.set_cursor(at(page, "E4509"))
    assert not primary(page).endswith("↵")
    assert "Evacuate factories" in [made.text() for made in page.battle.findChildren(QPushButton)], "nor does the panel's button say so"
    assert page.prompt.words.text().endswith(f"Enter takes {page.match.view.board.name(at(page, 'E4509'))} first")
    before = len(page.match.moments())
    enter(page, qtbot)
    assert page.composer.units() == (one, two)
    assert len(page.match.moments()) == before
    assert primary(page).endswith("↵")
    enter(page, qtbot)
    assert len(page.match.moments()) == before + 1
    assert page.match.view.unit(one).place < 0 > page.match.view.unit(two).place


def test_a_look_elsewhere_keeps_no_whole_draft_from_being_given(evacuating: tuple[GamePage, UnitId, UnitId], qtbot: QtBot) -> None:
    page, one, _two = evacuating
    page.map.set_cursor(at(page, "E4510"))
    enter(page, qtbot)
    page.map.set_cursor(at(page, "E4512"))
    assert primary(page).endswith("↵")
    enter(page, qtbot)
    assert page.match.view.unit(one).place < 0


def _ask_one_of_two(page: GamePage, monkeypatch: pytest.MonkeyPatch, *, asks: bool) -> tuple[Hex, list[UnitId]]:
    """Let one of two counters in a hex bear something: as the only order, or as one of two."""
    view = page.match.view
    first = next(unit.id for unit in view.position.on_map() if view.side(unit.id) == view.side_to_act())
    here = Hex(view.unit(first).place)
    second = UnitId(view.position.next_unit)
    fold(view.position, Placed(second, view.unit(first).type, "X", here, 1))
    view.derived.clear()
    units = list(view.position.at(here))

    def offered(walk: Picks = ()) -> Offer:
        match walk:
            case ():
                return Offer((Door(BEAR),) if asks else (Door(BEAR), Door(OptionPick("end"))), Refused("4", text("something is missing")))
            case (_,) if walk[0] == BEAR:
                return Offer(tuple(Door(UnitPick(unit)) for unit in units), Refused("4", text("a unit is missing")))
            case _:
                return Offer()

    monkeypatch.setattr(page.match, "options", offered)
    page.refresh()
    return here, units


@pytest.mark.parametrize("asks", [True, False])
def test_one_press_on_a_hex_settles_nothing_between_the_counters_that_stand_there(
    page: GamePage, monkeypatch: pytest.MonkeyPatch, asks: bool
) -> None:
    here, units = _ask_one_of_two(page, monkeypatch, asks=asks)
    given = list[object]()
    monkeypatch.setattr(page.match, "order", given.append)
    page.map.set_cursor(here)
    page.accept()
    assert not given
    assert page.composer.picks == (BEAR, UnitPick(units[0]))
    assert page.match.view.name(units[0]) in page.prompt.words.text()
    assert page.composer.click(here) is Clicked.PICKED
    assert page.composer.picks == (BEAR, UnitPick(units[1])), "a further click takes the other"
    page.show_draft()
    page.accept()
    assert [msgspec.structs.asdict(order)["unit"] for order in given] == [units[1]]  # type: ignore[arg-type]


def test_the_choice_under_the_hex_cursor_bears_the_sign_of_enter(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    view = page.match.view
    one, two = [unit.id for unit in view.position.on_map() if view.side(unit.id) == view.side_to_act()][:2]

    def offered(walk: Picks = ()) -> Offer:
        doors = (Door(BEAR),) if not walk else tuple(Door(UnitPick(unit)) for unit in (one, two)) if len(walk) == 1 else ()
        return Offer(doors, Refused("4", text("something is missing")) if len(walk) < 2 else None)

    monkeypatch.setattr(page.match, "options", offered)
    page.refresh()
    faces = {unit: page.prompt.button_of(UnitPick(unit)) for unit in (one, two)}
    assert not any(face is None or face.text().endswith("↵") for face in faces.values())
    page.map.set_cursor(Hex(view.unit(two).place))
    faces = {unit: page.prompt.button_of(UnitPick(unit)) for unit in (one, two)}
    assert [face is not None and face.text().endswith("↵") for face in faces.values()] == [False, True]


def test_enter_on_a_hex_does_not_end_the_phase_and_the_card_does_not_say_so(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page.match, "options", lambda walk=(): Offer() if walk else Offer((Door(OptionPick("end")),)))
    page.warns = False
    page.refresh()
    assert primary(page) == "0  End   ↵"
    page.map.set_cursor(at(page, "T0303"))
    assert primary(page) == "0  End"
    side = page.match.view.side_to_act()
    page.accept()
    assert page.match.view.side_to_act() == side
    page.map.set_cursor(None)
    page.accept()
    assert page.match.view.side_to_act() != side


# ---------------------------------------------------------------- keys of choices


def test_an_order_keeps_its_key_while_a_draft_of_another_is_composed(page: GamePage) -> None:
    assert {choice.pick: choice.number for choice in page.prompt.keyed} == {GO: 1, STRIKE: 2, OptionPick("end"): 0}
    page.click(next(here for here in page.composer.able()[GO] if here in page.composer.able()[STRIKE]))
    assert page.composer.picks[0] == GO
    button = page.prompt.button_of(STRIKE)
    assert button is not None
    assert button.text().startswith("2 ")
    assert page.prompt.choose(2)
    assert page.composer.picks[0] == STRIKE


def test_an_order_keeps_its_key_when_one_before_it_closes(page: GamePage, monkeypatch: pytest.MonkeyPatch) -> None:
    options = page.match.options

    def closed(walk: Picks = ()) -> Offer:
        offered, shut = options(walk), Refused("3", text("no"))
        doors = tuple(msgspec.structs.replace(door, refused=shut) if door.pick == GO else door for door in offered.doors)
        return Offer(doors, offered.unfinished)

    monkeypatch.setattr(page.match, "options", closed)
    page.refresh()
    assert {choice.pick: choice.number for choice in page.prompt.keyed} == {STRIKE: 2, OptionPick("end"): 0}


def test_the_card_of_an_attack_names_its_target(page: GamePage) -> None:
    view = page.match.view
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == STRIKE))
    while not page.composer.is_complete:
        page.composer.choose(page.composer.offer().picks[0])
    page.show_draft()
    target = next(pick.hex for pick in page.composer.picks if isinstance(pick, HexPick))
    assert page.prompt.words.text() == f"Strike: {view.board.name(target)}"


def rows(page: GamePage) -> list[int]:
    """Return how many choices lie in each row of the card."""
    return [line.count() for line in page.prompt.choices.findChildren(QHBoxLayout)]


def test_choices_stay_where_they_are_whatever_signs_they_bear(page: GamePage) -> None:
    choices = page.composer.ways_on()
    page.prompt.show_prompt(heading="Now", words="", rule="", choices=choices)
    with_keys = rows(page)
    bare = [msgspec.structs.replace(choice, number=None) for choice in choices]
    page.prompt.show_prompt(heading="Now", words="", rule="", choices=bare, entered=choices[0].pick)
    assert rows(page) == with_keys


def test_a_foe_that_a_stack_can_not_overrun_tells_why(battlefield: GamePage) -> None:
    page = battlefield
    play_to(page, "overrun")
    page.click(at(page, "E4513"))
    page.map.set_cursor(at(page, "E4613"))
    told = page.hint.text()
    assert told.startswith("Enemy units are in E4613 near Serafimovich (5.32a)")
    assert told.endswith("Overrun: a river lies before E4613 near Serafimovich (6.28a)")

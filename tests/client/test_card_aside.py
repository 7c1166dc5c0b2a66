"""The prompt card and what it asks about: it leaves its place for a target that has no key."""

from __future__ import annotations

import pytest

from client.game import GamePage
from client.qt import QPoint
from core.board import Hex
from core.orders import HexPick, OptionPick
from tests.client.hands import play_to


def targets_of(page: GamePage) -> list[Hex]:
    return [door.pick.hex for door in page.composer.offer().doors if door.is_open and isinstance(door.pick, HexPick)]


def test_a_target_without_a_key_drives_the_card_from_its_place(battlefield: GamePage) -> None:
    page = battlefield
    page.composer.choose(OptionPick("attack"))
    page.show_draft()
    targets = targets_of(page)
    assert len(targets) > 9, "too many for keys"
    centre, home = page.scene.centre(targets[0]), page._prompt_home()
    under = home + QPoint(page.prompt.width() // 2, page.prompt.height() // 2)
    off = page.map.mapFromScene(centre.x, centre.y) - under
    page.map._scroll_by(off.x(), off.y())
    page.place_cards()
    assert page.prompt.pos() != home
    assert not page.prompt.geometry().contains(page._on_screen(targets[0]))


def test_the_card_is_at_home_where_it_hides_the_fewest_of_those_who_can_act(battlefield: GamePage) -> None:
    page = battlefield
    play_to(page, "move")
    able = page.composer.able()[OptionPick("move")]
    home = page._corners()[0]
    under = home + QPoint(page.prompt.width() // 2, page.prompt.height() // 2)
    beneath = max(able, key=lambda here: sum(page.match.setting.board.distance(here, there) < 4 for there in able))
    centre = page.scene.centre(beneath)
    off = page.map.mapFromScene(centre.x, centre.y) - under
    page.map._scroll_by(off.x(), off.y())
    page.settle_card(able)
    page.place_cards()
    settled = page.prompt.pos()
    assert settled != home
    assert page._hides(settled, able) == min(page._hides(corner, able) for corner in page._corners()) < page._hides(home, able)
    page.click(beneath)
    page.step_all_back()
    assert page.prompt.pos() == settled, "what is picked and dropped does not move it"


def test_a_phase_begins_with_the_card_where_it_hides_the_fewest_counters(battlefield: GamePage) -> None:
    page = battlefield
    able = {here for led in page.composer.able().values() for here in led}
    view = page.match.view
    stacks = [here for here in view.position.occupied() if view.side_at(here, view.side_to_act())]
    hidden = {corner.toTuple(): (page._hides(corner, able), page._hides(corner, stacks)) for corner in page._corners()}
    assert hidden[page._corners()[0].toTuple()] > min(hidden.values()), "beside the tools it would lie over some"
    assert hidden[page.prompt.pos().toTuple()] == min(hidden.values())


@pytest.mark.parametrize("corner", [0, 1])
def test_the_card_stays_at_home_where_no_counter_is_seen(battlefield: GamePage, monkeypatch: pytest.MonkeyPatch, corner: int) -> None:
    page = battlefield
    page._home = corner
    monkeypatch.setattr(page, "_on_screen", lambda here: QPoint(-500, -500))
    page.settle_card(page.match.view.position.occupied(), page.match.view.position.occupied())
    page.place_cards()
    assert page.prompt.pos() == page._corners()[corner]


def test_who_attacks_drives_the_card_from_its_place(battlefield: GamePage) -> None:
    page = battlefield
    board = page.match.setting.board
    page.click(board.hex("E4613"))
    attackers = [board.hex("E4513"), board.hex("E4512")]
    for here in attackers:
        page.click(here)
    assert {page.match.view.unit(unit).place for unit in page.composer.units()} == set(attackers)
    for here in attackers:
        centre, home = page.scene.centre(here), page._prompt_home()
        under = home + QPoint(page.prompt.width() // 2, page.prompt.height() - 4)
        off = page.map.mapFromScene(centre.x, centre.y) - under
        page.map._scroll_by(off.x(), off.y())
        page.place_cards()
        assert not page.prompt.geometry().contains(page._on_screen(here))

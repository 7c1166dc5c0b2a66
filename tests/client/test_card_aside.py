"""The prompt card and what it asks about: it leaves its place for a target that has no key."""

from __future__ import annotations

from client.game import GamePage
from client.qt import QPoint
from core.board import Hex
from core.orders import HexPick, OptionPick


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

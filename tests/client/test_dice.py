"""The dice card: what it shows, how long it stays, where it lies."""

from __future__ import annotations

from client.game import GamePage
from client.learning.card import LessonCard
from client.map.palette import LIGHT
from client.panels.dice import rows_of
from client.session.tally import Roll, Throw, throws_of
from client.session.words import Figure, LogLine
from core.lessons import LessonStep
from core.orders import HexPick, OptionPick, UnitPick
from core.text import text
from tests.toy.ruleset import End, PayStep


def dice_line(purpose: str, value: int) -> LogLine:
    return LogLine("dice", text("{purpose}: rolls {value}", purpose=purpose, value=value))


def battle(page: GamePage) -> None:
    page.choose(next(choice for choice in page.prompt.keyed if choice.pick == OptionPick("strike")))
    page.click(page.match.setting.board.hex("T0203"))
    page.click(next(pick.hex for pick in page.composer.offer().picks if isinstance(pick, HexPick)))
    page.give()
    assert page.dice.isVisible()


def test_dice_show_on_a_card(page: GamePage) -> None:
    rolls = [Roll("red", "combat", 6, face) for face in range(1, 7)] + [Roll("red", "combat", 10, 9)]
    page.dice.show_throws([Throw(tuple(rolls), text("A battle"))])
    assert page.dice.isVisible()
    image = page.dice.grab().toImage()
    ink = LIGHT.ink.lower()
    assert any(image.pixelColor(x, y).name() == ink for x in range(image.width()) for y in range(image.height()))


def test_each_die_stands_beside_what_it_was_thrown_for() -> None:
    combat, first, second = Roll("red", "combat", 6, 4), Roll("red", "recovery", 6, 2), Roll("red", "recovery", 6, 5)
    lines = [
        dice_line("combat", 4), LogLine("battle", text("Attack on Kiev: 1/2")), LogLine("loss", text("7 Inf Army: eliminated")),
        dice_line("recovery", 2), LogLine("other", text("7 Inf Army comes on turn 26"), (Figure("due", "26", "26", ()),)),
        dice_line("recovery", 5),
    ]
    throws = throws_of((combat, first, second), lines)
    assert [row.words for row in rows_of(throws)] == ["Attack on Kiev: 1/2", "7 Inf Army comes on turn 26", "Recovery"]
    assert [row.rolls for row in rows_of(throws)] == [(combat,), (first,), (second,)]
    assert rows_of([*throws, *throws])[3:] == [((combat, first, second), "Combat, recovery")]


def test_an_answer_without_dice_leaves_those_of_the_battle_on_their_card(page: GamePage) -> None:
    battle(page)
    words, pays = page.dice.words, page.match.options((OptionPick("pay"),)).picks
    page.match.order(PayStep(pays[0].unit) if pays and isinstance(pays[0], UnitPick) else End())
    page.follow()
    assert page.dice.isVisible()
    assert page.dice.words == words


def test_dice_that_are_undone_are_shown_no_more(page: GamePage) -> None:
    battle(page)
    page.undo()
    assert not page.dice.isVisible()


def test_the_dice_do_not_lie_over_the_card_of_a_lesson(page: GamePage) -> None:
    card = LessonCard(page.map)
    page.other_cards.append(card)
    card.show_step(LessonStep(title="A step", text="Its words"), 0, 2, waits=False)
    page.dice.show_throws([Throw((Roll("red", "combat", 6, 3),), text("Attack"))])
    for low in (12, page.map.height() - card.height() - 12):
        card.move((page.map.width() - card.width()) // 2, low)
        page.place_cards()
        assert not page.dice.geometry().intersects(card.geometry())

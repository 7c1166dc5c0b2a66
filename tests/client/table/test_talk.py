"""Chat at the table, in a side, and among spectators."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from client.qt import Qt
from tests.client.table.people import Person, duel


def test_what_is_said_at_the_table_is_read_by_the_others_and_in_a_side_by_it_alone(person: Person) -> None:
    anna, boris = duel(person)
    anna.page.write()
    anna.qtbot.keyClicks(anna.page.chat.line, "Good luck")
    anna.press("Send")
    anna.until(lambda: not anna.page.chat.line.text())
    boris.until(lambda: "Good luck" in boris.page.chat.text.toPlainText())
    boris.until(lambda: "Anna: Good luck" in boris.said)
    chat = anna.page.chat
    chat.room.setCurrentIndex(chat.room.findData("side:red"))
    chat.line.setText("Left flank first")
    chat._say()
    anna.until(lambda: "Left flank first" in chat.text.toPlainText())
    chat.room.setCurrentIndex(chat.room.findData("game"))
    chat.line.setText("Your move")
    chat._say()
    boris.until(lambda: "Your move" in boris.page.chat.text.toPlainText())
    assert "Left flank" not in boris.page.chat.text.toPlainText()


def test_whoever_writes_faster_than_others_read_is_told_below_the_line_and_keeps_it(person: Person) -> None:
    anna, _ = duel(person)
    chat = anna.page.chat
    for number in range(20):
        chat.line.setText(f"line {number}")
        chat._say()
        anna.until(lambda: not chat._waits)
        if not chat.fault.isHidden():
            break
    assert "faster than others read" in chat.fault.text()
    assert chat.line.text() == f"line {number}"


def test_what_was_said_before_one_came_is_no_news(person: Person) -> None:
    anna, _ = duel(person)
    anna.page.chat.say_wanted.emit("game", "long ago")
    anna.until(lambda: bool(anna.page.match.talk.lines))
    carla = person("Carla")
    carla.open()
    carla.until(lambda: "long ago" in carla.page.chat.text.toPlainText())
    carla.until(lambda: bool(carla.page.match.talk.people))
    assert not carla.said
    assert [carla.page.chat.room.itemData(i) for i in range(carla.page.chat.room.count())] == ["spectators"]


def test_a_panel_opened_from_the_chat_has_no_button_under_the_keys(person: Person, qtbot: QtBot) -> None:
    anna, _ = duel(person)
    anna.page.window().activateWindow()
    anna.page.open_side("chat")
    anna.page.chat.line.setFocus()
    qtbot.waitUntil(anna.page.chat.line.hasFocus)
    anna.page.open_side("players")
    assert anna.page.map.hasFocus()


def test_what_is_new_in_the_chat_is_marked_in_a_narrow_window_until_it_is_in_sight(person: Person) -> None:
    anna, boris = duel(person)
    boris.window.resize(1280, 800)
    sign = boris.page.rail.signs["chat"]
    boris.until(sign.isVisible)
    plain = sign.grab().toImage()
    anna.page.chat.say_wanted.emit("game", "Good luck")
    boris.until(lambda: sign.accessibleName() == "Chat: something is new")
    assert sign.grab().toImage() != plain
    boris.qtbot.mouseClick(sign, Qt.MouseButton.LeftButton)
    assert "Good luck" in boris.page.chat.text.toPlainText()
    assert sign.accessibleName() == "Chat"


def test_what_is_new_in_a_chat_that_lies_behind_another_docked_panel_is_marked_on_its_tab(person: Person) -> None:
    anna, boris = duel(person)
    side = boris.page.side
    side.put("chat", "left")
    side.join("forces", "chat")
    docked = side._docked["chat"]

    def tabs() -> dict[str, QPushButton]:
        made = [docked._tabs.itemAt(i).widget() for i in range(docked._tabs.count())]
        return {one.text(): one for one in made if isinstance(one, QPushButton)}

    anna.page.chat.say_wanted.emit("game", "Good luck")
    boris.until(lambda: list(tabs()) == ["Chat ●", "Forces"])
    tabs()["Chat ●"].click()
    assert boris.page.chat.isVisible()
    assert list(tabs()) == ["Chat", "Forces"]

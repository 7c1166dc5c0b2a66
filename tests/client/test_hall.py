"""The list of a server's games: told apart, in a steady order, with waiting times that run."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from client.map.palette import LIGHT
from client.meeting.hall import Hall
from core import protocol
from core.pack import Pack
from core.terms import DiceTerms
from tests.client.conftest import delete


@pytest.fixture
def hall(qapp: object, toy: Pack) -> Iterator[Hall]:
    made = Hall([toy], LIGHT)
    made.enter("Anna", protocol.PLAYER, "")
    made.show_tab("games")
    yield made
    delete(made)


def line(game: str, since_ms: int, *, over: bool = False, player: str = "Boris") -> protocol.GameLine:
    chairs = (protocol.SeatLine("red", "", player, False, False),)
    return protocol.GameLine(game, "toy", "duel", {"red": player}, "blue", 3, "blue", 3, over, since_ms=since_ms, chairs=chairs)


def listed(hall: Hall) -> list[str]:
    """Return the headings of the cards from the top down."""
    column = hall.games.column
    cards = [column.itemAt(i).widget() for i in range(column.count())]
    return [card.findChildren(QLabel)[0].text().rpartition(" · ")[2] for card in cards if card is not None]


def test_games_of_one_scenario_are_told_apart(hall: Hall) -> None:
    hall.show_games((line("duel-3f2a1c", 1), line("evening", 2)), 0)
    assert sorted(listed(hall)) == ["3f2a1c", "evening"]


def test_a_game_is_told_of_as_its_card_is_headed(hall: Hall) -> None:
    hall.show_games((line("duel-3f2a1c", 1),), 0)
    heading = hall.games.findChildren(QLabel)[0].text()
    assert heading.endswith(" · 3f2a1c")
    assert [hall.name_of(game) for game in ("duel-3f2a1c", "evening")] == [heading, "evening"]


def test_a_game_is_called_as_before_until_the_list_comes_over_a_line_that_is_there_again(hall: Hall) -> None:
    hall.show_games((line("duel-3f2a1c", 1),), 0)
    heading = hall.name_of("duel-3f2a1c")
    hall.enter("Anna", protocol.PLAYER, "127.0.0.1:5757")
    assert hall.name_of("duel-3f2a1c") == heading
    hall.enter("Anna", protocol.PLAYER, "")
    assert hall.name_of("duel-3f2a1c") == "duel-3f2a1c", "nothing is known of another server's games"


@pytest.mark.parametrize(("version", "is_newer"), [(0, False), (1, False), (2, True)])
def test_a_game_by_later_rules_than_ours_says_so_and_lets_nobody_sit_down(hall: Hall, version: int, is_newer: bool) -> None:
    hall.show_games((msgspec.structs.replace(line("a", 1, player=""), version=version),), 0)
    told = [shown.text() for shown in hall.games.findChildren(QLabel) if not shown.isHidden()]
    assert any("needs a newer version of this program" in words for words in told) == is_newer
    seats = [made.text() for made in hall.games.findChildren(QPushButton) if not made.isHidden()]
    assert seats == ([] if is_newer else ["Watch", "Play Red"])


def test_no_card_changes_its_place_while_the_list_is_looked_at(hall: Hall) -> None:
    games = (line("a", 30), line("b", 20), line("c", 10), line("d", 5, over=True), line("e", 1, player="Anna"))
    hall.show_games(games, 0)
    assert listed(hall) == ["e", "a", "b", "c", "d"]
    moved = (*games[:2], msgspec.structs.replace(games[2], since_ms=99, turn=4), msgspec.structs.replace(games[0], game="f"), *games[3:])
    hall.show_games(moved, 0)
    assert listed(hall) == ["e", "a", "b", "c", "f", "d"], "what is new stands below those that run"
    hall.show_games((*moved[1:-1], msgspec.structs.replace(games[4], over=True)), 0)
    assert listed(hall) == ["e", "b", "c", "f", "d"]
    hall.sort_anew()
    hall.show_games(moved, 0)
    assert listed(hall) == ["e", "c", "a", "f", "b", "d"], "once it is looked at again"


def test_how_long_a_game_waits_runs_on_while_nothing_moves(hall: Hall) -> None:
    games = (line("a", 1_000),)
    hall.show_games(games, 121_000)
    assert hall._states["a"].text() == "Turn 3, waits for the Blue for 2 min"
    shown = hall._states["a"]
    hall.show_games(games, 301_000)
    assert hall._states["a"] is shown, "no card is made anew"
    assert shown.text() == "Turn 3, waits for the Blue for 5 min"


def test_a_game_whose_dice_wait_says_for_whom_and_not_for_the_side_that_has_given_its_order(hall: Hall) -> None:
    games = (msgspec.structs.replace(line("a", 1_000), dice=("Boris",)),)
    hall.show_games(games, 121_000)
    assert hall._states["a"].text() == "Turn 3, the dice wait for Boris"


def test_of_very_many_games_ones_own_and_the_newest_are_shown(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.meeting.hall.MOST_SHOWN", 3)
    hall.show_games((*(line(f"g{number}", number) for number in range(100)), line("mine", 0, player="Anna")), 0)
    column = hall.games.column
    shown = [label.text() for i in range(column.count()) if (card := column.itemAt(i).widget()) for label in card.findChildren(QLabel)]
    assert [text.rpartition(" · ")[2] for text in shown if text.startswith("Duel")] == ["mine", "g99", "g98"]
    last = [column.itemAt(i).widget() for i in range(column.count())][-2]
    assert isinstance(last, QLabel)
    assert last.text() == "and 98 more, which can't all be shown"


def test_a_game_whose_list_does_not_tell_where_it_stands_is_shown_without_that(hall: Hall) -> None:
    hall.show_games((msgspec.structs.replace(line("a", 0), waits_for="", turn=0, phase=""),), 0)
    assert "turn" not in hall._states["a"].text().lower()


def test_a_game_that_waits_for_a_side_at_which_nobody_sits_says_so(hall: Hall) -> None:
    empty = protocol.SeatLine("blue", "", "", False, False)
    games = (msgspec.structs.replace(line("a", 1_000), chairs=(*line("a", 1).chairs, empty)),)
    hall.show_games(games, 121_000)
    assert hall._states["a"].text() == "Turn 3, waits for somebody who plays the Blue"


@pytest.mark.parametrize(("tab", "owner", "is_told"), [("new", "Boris", True), ("games", "Boris", False), ("new", "Anna", False)])
def test_a_game_that_somebody_begins_is_told_to_who_reads_another_tab(
    hall: Hall, qtbot: QtBot, tab: str, owner: str, is_told: bool
) -> None:
    hall.show()
    hall.show_games((line("a", 1),), 0)
    hall.show_tab(tab)
    told: list[str] = []
    hall.told.connect(told.append)
    hall.add_game(msgspec.structs.replace(line("duel-evening", 2), owner=owner), 0)
    assert told == (["Boris has begun Duel · evening: it stands under Games"] if is_told else [])
    assert hall.tabs["games"].text() == ("Games ●" if is_told else "Games")
    hall.show_tab("games")
    assert hall.tabs["games"].text() == "Games"
    hall.hide()


@pytest.mark.parametrize(("dice", "state"), [("server", "the Blue decides"), ("witnessed", "waits for somebody who plays the Red")])
def test_a_game_whose_dice_all_witness_waits_for_whoever_is_missing(hall: Hall, dice: str, state: str) -> None:
    chairs = (protocol.SeatLine("red", "", "", False, False), protocol.SeatLine("blue", "", "Boris", True, False))
    terms = protocol.LineTerms(dice=DiceTerms(dice))  # type: ignore[arg-type]
    hall.show_games((msgspec.structs.replace(line("a", 0), chairs=chairs, terms=terms),), 0)
    told = next(shown.text() for shown in hall.games.findChildren(QLabel) if shown.text().startswith("Turn 3"))
    assert told.startswith(f"Turn 3, {state}")


def test_what_was_told_of_a_new_game_goes_once_the_list_is_seen(hall: Hall) -> None:
    said: list[str] = []
    hall.told.connect(said.append)
    hall.told_enough.connect(said.remove)
    hall.show()
    hall.show_games((), 0)
    hall.show_tab("chat")
    hall.show_games((msgspec.structs.replace(line("evening", 1), owner="Boris"),), 0)
    assert said
    hall.show_tab("games")
    assert not said

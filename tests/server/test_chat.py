"""Chat: kept, bounded, and read by those alone whom it is for."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from client.connection import table
from client.connection.games import Up
from client.connection.notes import Trouble
from core import protocol
from core.errors import BadInput
from core.log import Admit, Resign
from core.terms import SpectatorTerms, Terms
from server import chat, steady
from server.viewers import BUNCH
from tests.server.conftest import Host, Player
from tests.server.tables import GAME, answer_to, do, duel, follow, open_table, take_turn
from tests.toy.ruleset import End

NewPlayer = Callable[..., Player]


def say(one: Player, room: str, words: str, game: str = GAME) -> str:
    answer = answer_to(one, table.say(one.games, game, room, words))
    return "" if answer.refused is None else str(answer.refused)


def hear(one: Player, words: str) -> protocol.ChatLine:
    def has(note: object) -> bool:
        return isinstance(note, protocol.Chat) and any(line.text == words for line in note.lines)

    heard = one.wait(has)
    assert isinstance(heard, protocol.Chat)
    return next(line for line in heard.lines if line.text == words)


def reads(one: Player) -> list[str]:
    """Return what comes when somebody asks for what was said at the table, once though it was on its way to him already."""
    one.notes.clear()
    one.games.send(protocol.ReadChat(GAME))
    one.games.send(protocol.ListGames())  # answered behind it
    one.until(lambda: any(isinstance(note, protocol.Games) for note in one.notes))
    heard = [line for note in one.notes if isinstance(note, protocol.Chat) and note.game == GAME for line in note.lines]
    return [line.text for line in dict.fromkeys(heard)]


def test_what_is_said_at_a_table_is_heard_there_and_by_whoever_comes_later(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    assert say(anna, chat.GAME, "good luck") == ""
    heard = hear(boris, "good luck")
    assert (heard.player, heard.room, heard.number) == ("Anna", "game", 0)
    host.stop()
    host.start(host.address)
    carla = player("Carla")
    carla.wait(lambda note: isinstance(note, Up))
    carla.games.follow(GAME)
    hear(carla, "good luck")


def test_no_word_of_chat_is_an_entry(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    entries = len(match.log)
    say(anna, chat.GAME, "hm")
    assert len(match.log) == entries


def test_a_sides_room_is_its_own(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    assert "only who sits at red" in say(boris, "side:red", "what are you up to?")
    assert say(anna, "side:red", "the left flank") == ""
    assert say(anna, chat.GAME, "your move") == ""
    hear(boris, "your move")
    boris.games.send(protocol.ReadChat(GAME))
    heard = boris.wait(lambda note: isinstance(note, protocol.Chat))
    assert isinstance(heard, protocol.Chat)
    assert [line.text for line in heard.lines] == ["your move"]


def test_no_gap_in_the_numbers_tells_that_others_talked(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    follow(carla)
    for one, room in ((anna, chat.GAME), (anna, "side:red"), (carla, chat.SPECTATORS), (anna, "side:red"), (boris, chat.GAME)):
        assert say(one, room, f"in {room}") == ""
    boris.notes.clear()
    boris.games.send(protocol.ReadChat(GAME))
    heard = boris.wait(lambda note: isinstance(note, protocol.Chat))
    assert isinstance(heard, protocol.Chat)
    assert [(line.room, line.number) for line in heard.lines] == [("game", 0), ("game", 1)]
    boris.games.send(protocol.ReadChat(GAME, 0))
    later = boris.wait(lambda note: isinstance(note, protocol.Chat))
    assert isinstance(later, protocol.Chat)
    assert [(line.player, line.number) for line in later.lines] == [("Boris", 1)]


def test_however_much_is_said_elsewhere_all_that_may_be_read_comes(host: Host, player: NewPlayer) -> None:
    """A thousand lines of a side's, or of those who look on, pushed out what the players had said; how many came told how much."""
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    assert say(anna, chat.GAME, "good luck") == ""
    store = host.service.store
    kept = [store.add_line(GAME, protocol.ChatLine(-1, 0, "side:red", "Anna", "psst"), line_id=f"n{n}") for n in range(1_100)]
    for one in kept:
        one.result(30)
    boris.games.send(protocol.ReadChat(GAME))
    hear(boris, "good luck")  # at once
    boris.games.send(protocol.ReadChat(GAME))
    hear(boris, "good luck")


def test_spectators_talk_is_not_for_players_while_the_game_runs(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    follow(carla)
    assert "spectators' room" in say(carla, chat.GAME, "look left!")
    assert say(carla, chat.SPECTATORS, "she does not see it") == ""
    assert "players write in the room of the game" in say(anna, chat.SPECTATORS, "what?")
    assert do(anna, "red", Resign("red")) == ""
    boris.games.send(protocol.ReadChat(GAME))
    hear(boris, "she does not see it")


def test_who_leaves_his_seat_for_a_moment_hears_nothing_of_what_spectators_say_of_his_game(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    assert take_turn(anna, "red", End()) == ""
    follow(carla)
    assert say(carla, chat.SPECTATORS, "strike at 7, he does not see it") == ""
    assert reads(carla) == ["strike at 7, he does not see it"]
    boris.games.send(protocol.LeaveSeat(GAME, "blue"))
    assert reads(boris) == []
    assert "who has played" in say(boris, chat.SPECTATORS, "where?")


def test_what_was_said_comes_in_messages_of_some_size(host: Host, player: NewPlayer) -> None:
    """One who read nothing had the server keep two hundred lines of four hundred kilobytes, as often as he asked."""
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    store = host.service.store
    long = chr(0x1F600) * 500
    for one in [store.add_line(GAME, protocol.ChatLine(-1, 0, chat.GAME, "Anna", f"{n} {long}"), line_id=f"n{n}") for n in range(200)]:
        one.result(30)
    boris.games.send(protocol.ReadChat(GAME))

    def heard() -> list[protocol.Chat]:
        return [note for note in boris.notes if isinstance(note, protocol.Chat)]

    boris.until(lambda: sum(len(note.lines) for note in heard()) == 200)
    assert [line.number for note in heard() for line in note.lines] == list(range(200))
    assert max(len(protocol.encode(note)) for note in heard()) < BUNCH + 100


def test_the_owner_may_let_players_read_what_spectators_write(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    follow(carla)
    assert do(anna, "", Admit(SpectatorTerms(chat=True))) == ""
    say(carla, chat.SPECTATORS, "well played")
    hear(anna, "well played")


def test_an_owner_who_plays_lets_nobody_read_what_spectators_said_before(player: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = itertools.count(1_000_000)
    monkeypatch.setattr("server.steady.now_ms", lambda: next(moments))  # no two things happen at the same one
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    follow(carla)
    assert say(carla, chat.SPECTATORS, "strike at 7") == ""
    assert do(anna, "", Admit(SpectatorTerms(chat=True))) == ""
    assert say(carla, chat.SPECTATORS, "well played") == ""
    assert reads(anna) == reads(boris) == ["well played"]
    assert do(anna, "", Admit(SpectatorTerms())) == ""
    assert say(carla, chat.SPECTATORS, "and at 8") == ""
    assert reads(anna) == []
    assert do(anna, "", Admit(SpectatorTerms(chat=True))) == ""
    assert say(carla, chat.SPECTATORS, "again") == ""
    assert reads(anna) == ["again"]
    assert reads(carla) == ["strike at 7", "well played", "and at 8", "again"]


def test_players_who_were_shut_out_for_a_while_read_what_spectators_say_from_when_they_are_let_in_again(
    player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = itertools.count(1_000_000)
    monkeypatch.setattr("server.steady.now_ms", lambda: next(moments))
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris, Terms(spectators=SpectatorTerms(chat=True)))
    follow(carla)
    assert say(carla, chat.SPECTATORS, "good evening") == ""
    assert reads(anna) == ["good evening"]
    assert do(anna, "", Admit(SpectatorTerms())) == ""
    assert say(carla, chat.SPECTATORS, "strike at 7") == ""
    assert do(anna, "", Admit(SpectatorTerms(chat=True))) == ""
    assert say(carla, chat.SPECTATORS, "well played") == ""
    assert reads(anna) == reads(boris) == ["well played"]


def test_players_read_what_spectators_say_where_the_games_time_is_ahead_of_the_servers(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    with monkeypatch.context() as ahead:
        ahead.setattr("server.steady.now_ms", lambda: steady.wall_ms() + 60_000)
        duel(anna, boris)
    host.stop()
    host.start(host.address)
    for one in (anna, carla):
        follow(one)
    assert do(anna, "", Admit(SpectatorTerms(chat=True))) == ""
    assert say(carla, chat.SPECTATORS, "well played") == ""
    assert reads(anna) == ["well played"]


def test_what_spectators_said_before_players_were_let_in_keeps_nothing_from_them(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    assert say(anna, chat.GAME, "good luck") == ""
    store = host.service.store
    for number in range(chat.HISTORY):
        store.add_line(GAME, protocol.ChatLine(-1, 0, chat.SPECTATORS, "Carla", "psst"), line_id=f"n{number}").result(30)
    assert do(anna, "", Admit(SpectatorTerms(chat=True))) == ""
    assert reads(boris) == ["good luck"]


def test_the_lobby_has_its_own_chat(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    anna.wait(lambda note: isinstance(note, Up))
    boris.wait(lambda note: isinstance(note, Up))
    boris.games.send(protocol.ReadChat(""))
    boris.games.send(protocol.ListGames())
    boris.wait(lambda note: isinstance(note, protocol.Games))
    assert say(anna, chat.LOBBY, "a game, anybody?", game="") == ""
    hear(boris, "a game, anybody?")


def test_a_line_that_is_sent_twice_is_written_once(player: NewPlayer) -> None:
    anna = player("Anna")
    open_table(anna)
    anna.games.send(protocol.TakeSeat(GAME, "red"))
    frame = protocol.Say(GAME, chat.GAME, "once", "echo")
    for _ in range(2):
        anna.games.send(frame)
        assert answer_to(anna, "once").refused is None
    anna.notes.clear()
    anna.games.send(protocol.ReadChat(GAME))
    heard = anna.wait(lambda note: isinstance(note, protocol.Chat))
    assert isinstance(heard, protocol.Chat)
    assert [line.text for line in heard.lines] == ["echo"]


def test_whoever_writes_too_fast_is_asked_to_wait(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    answers = [say(anna, chat.GAME, f"line {number}") for number in range(chat.BURST + 2)]
    assert answers[: chat.BURST] == [""] * chat.BURST
    assert any("wait a moment" in answer for answer in answers[chat.BURST :])
    assert say(boris, chat.GAME, "others are not held up") == ""


def test_a_line_that_was_kept_is_answered_as_then_however_fast_somebody_writes(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    frames = [protocol.Say(GAME, chat.GAME, f"id-{number}", f"line {number}") for number in range(chat.BURST + 2)]
    first = []
    for frame in frames:
        anna.games.send(frame)
        first.append(answer_to(anna, frame.order_id))
    kept = [(frame, answer) for frame, answer in zip(frames, first, strict=True) if answer.refused is None]
    assert len(kept) < len(frames)
    for frame, answer in kept:
        anna.games.send(frame)
        assert answer_to(anna, frame.order_id) == answer


def test_rooms_that_are_not_there_are_told(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    for game, room in ((GAME, "side:green"), (GAME, "kitchen"), ("", "game")):
        table.say(anna.games, game, room, "hello")
        trouble = anna.wait(lambda note: isinstance(note, Trouble))
        assert isinstance(trouble, Trouble)
        assert trouble.fault is not None
        assert trouble.fault.where == "room"


@pytest.mark.parametrize("words", ["", "x" * 501, " blank at an end ", "two\nlines", "\x1b[2J", "turned \u202e round"])
def test_words_that_are_too_long_or_play_tricks_are_no_chat(words: str) -> None:
    with pytest.raises(BadInput, match="text"):
        protocol.decode_from_client(protocol.encode(protocol.Say(GAME, "game", "id", words)))

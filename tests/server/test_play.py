"""Games over real sockets: played, refused, rewound, resumed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest

from client.connection.games import Games, Up
from client.connection.notes import Answered, Grown, Ready, Trouble
from core import protocol
from core.bots import Bot
from core.bots.random_bot import choose
from core.match import Match
from core.terms import ClockTerms, DiceTerms, Terms
from server import publishing
from tests.server.conftest import Host, Player, of, signed
from tests.toy.ruleset import End

NewPlayer = Callable[..., Player]


def open_game(one: Player, game: str = "first") -> Match:
    one.wait(lambda note: isinstance(note, Up))
    one.games.send(protocol.CreateGame(game, "toy", "duel"))
    return followed(one, game)


def look_on(one: Player, game: str = "first") -> Match:
    """Follow a game that is there, once one is connected; return it as it is known then."""
    one.wait(lambda note: isinstance(note, Up))
    return followed(one, game)


def followed(one: Player, game: str) -> Match:
    one.games.follow(game)
    one.wait(lambda note: isinstance(note, Ready))
    match = one.games.match(game)
    assert match is not None
    return match


def sit(one: Player, game: str, side: str) -> None:
    one.games.send(protocol.TakeSeat(game, side))
    one.wait(lambda note: isinstance(note, Grown) and any(entry.act is not None for entry in note.entries))


def play_on(one: Player, match: Match, rng: random.Random, *, orders: int = 1000, bot: Bot = choose) -> None:
    for _ in range(orders):
        with one.games.reading():
            view = match.view
        if view.position.outcome is not None:
            return
        order_id = one.games.give(match.game, view.side_to_act(), bot(view, rng))
        answer = one.wait(lambda note, wanted=order_id: isinstance(note, Answered) and note.order_id == wanted)
        assert isinstance(answer, Answered)
        assert answer.refused is None, answer


def test_games_that_one_program_has_opened_share_board_and_counters(player: NewPlayer) -> None:
    anna = player("Anna")
    first = open_game(anna)
    anna.games.unfollow("first")
    anna.games.send(protocol.CreateGame("second", "toy", "duel", terms=Terms(clock=ClockTerms("absolute", 60_000))))
    anna.games.follow("second")
    anna.wait(lambda note: isinstance(note, Ready) and note.game == "second")
    second = anna.games.match("second")
    assert second is not None
    assert first.setting.board is second.setting.board
    assert first.setting.types is second.setting.types


def test_one_player_on_both_sides_plays_a_game_to_its_end(player: NewPlayer) -> None:
    anna = player("Anna")
    match = open_game(anna)
    sit(anna, "first", "red")
    sit(anna, "first", "blue")
    play_on(anna, match, random.Random(1))
    assert match.view.position.outcome is not None


@pytest.mark.parametrize(
    "other",
    [
        protocol.CreateGame("first", "nothing", "duel"),
        protocol.CreateGame("first", "toy", "nowhere"),
        protocol.CreateGame("first", "toy", "duel", terms=Terms(dice=DiceTerms("witnessed"))),
    ],
)
def test_who_would_begin_another_game_under_an_id_that_is_taken_is_told_and_the_same_is_begun_once(
    player: NewPlayer, other: protocol.CreateGame
) -> None:
    anna, boris = player("Anna"), player("Boris")
    open_game(anna)
    open_game(boris)
    boris.games.send(other)
    answer = boris.wait(lambda note: isinstance(note, Answered))
    assert isinstance(answer, Answered)
    assert str(answer.refused) == (
        "a game first is here already, and another than you would begin: toy/duel, with server dice, begun by Anna"
    )


def test_another_client_catches_up_with_a_whole_game(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match = open_game(anna)
    sit(anna, "first", "red")
    sit(anna, "first", "blue")
    play_on(anna, match, random.Random(2))
    other = look_on(boris)
    assert other.view.position.digest() == match.view.position.digest()
    assert other.log.last_hash == match.log.last_hash


def test_a_server_that_comes_back_has_every_game(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    first, second = open_game(anna, "first"), None
    sit(anna, "first", "red")
    sit(anna, "first", "blue")
    play_on(anna, first, random.Random(3), orders=7)
    before = first.view.position.digest()
    host.stop()
    host.start()
    again = player("Anna")
    second = look_on(again)
    assert second.view.position.digest() == before
    play_on(again, second, random.Random(4))
    assert second.view.position.outcome is not None


def test_an_order_sent_twice_does_nothing_twice(player: NewPlayer) -> None:
    anna = player("Anna")
    match = open_game(anna)
    sit(anna, "first", "red")
    frame = signed(of("Anna"), match, protocol.Give("first", "red", "same", match.log.moved_at, match.codec.encode(End())))
    anna.games.send(frame)
    anna.wait(lambda note: isinstance(note, Answered))
    anna.games.send(frame)
    answer = anna.wait(lambda note: isinstance(note, Answered))
    assert isinstance(answer, Answered)
    assert answer.refused is None
    assert sum(entry.bears_order for entry in match.log.entries) == 2


def test_an_order_made_at_an_earlier_entry_is_refused(player: NewPlayer) -> None:
    anna = player("Anna")
    match = open_game(anna)
    sit(anna, "first", "red")
    sit(anna, "first", "blue")
    anna.games.give("first", "red", End())
    anna.wait(lambda note: isinstance(note, Answered))
    anna.games.send(protocol.Give("first", "blue", "late", 0, match.codec.encode(End())))
    answer = anna.wait(lambda note: isinstance(note, Answered))
    assert isinstance(answer, Answered)
    assert "gone on" in str(answer.refused)


def test_nobody_moves_for_a_seat_that_he_does_not_hold(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match = open_game(anna)
    sit(anna, "first", "red")
    boris.wait(lambda note: isinstance(note, Up))
    frame = protocol.Give("first", "red", "mine", match.log.moved_at, match.codec.encode(End()))
    boris.games.send(signed(of("Boris"), match, frame))
    answer = boris.wait(lambda note: isinstance(note, Answered))
    assert isinstance(answer, Answered)
    assert "held by Anna" in str(answer.refused)


def test_a_name_belongs_to_whoever_holds_its_key(player: NewPlayer) -> None:
    player("Anna").wait(lambda note: isinstance(note, Up))
    thief = player("Anna", of("Mallory"))
    answer = thief.wait(lambda note: isinstance(note, Answered))
    assert isinstance(answer, Answered)
    assert "somebody else" in str(answer.refused)


def test_undo_is_free_before_chance_and_asked_for_after_another_side_acted(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match = open_game(anna)
    sit(anna, "first", "red")
    look_on(boris)
    boris.games.send(protocol.TakeSeat("first", "blue"))
    anna.wait(lambda note: isinstance(note, Grown))
    start = match.log.head
    anna.games.give("first", "red", End())
    anna.wait(lambda note: isinstance(note, Answered))
    anna.games.send(protocol.AskRewind("first", "red", start))
    anna.wait(lambda note: isinstance(note, Grown) and note.entries[0].moves)
    assert match.log.head == start
    anna.games.give("first", "red", End())
    anna.wait(lambda note: isinstance(note, Answered))
    theirs = boris.games.match("first")
    assert theirs is not None
    boris.wait(lambda note: isinstance(note, Grown) and theirs.log.head == match.log.head)
    boris.games.give("first", "blue", End())
    boris.wait(lambda note: isinstance(note, Answered))
    boris.games.send(protocol.AskRewind("first", "blue", start))
    asked = anna.wait(lambda note: isinstance(note, Grown) and note.entries[0].act is not None)
    assert isinstance(asked, Grown)
    anna.games.send(protocol.Answer("first", "red", asked.entries[0].number, True))
    anna.wait(lambda note: isinstance(note, Grown) and match.log.head == start)


def test_nonsense_is_answered_and_the_server_goes_on(player: NewPlayer) -> None:
    anna = player("Anna")
    anna.wait(lambda note: isinstance(note, Up))
    line = anna.games.line
    assert line is not None
    nested = b"\x82\xa5frame\xa4ping\xa5later" + b"\x91" * 5000 + b"\xc0"  # in a field that a later version may have
    no_text = b"\x82\xa5frame\xa4list\xa5known\xa2\xff\xfe"
    for data in (b"", b"\xc1", b"\x81\xa5frame\xa4oops", b"\x91" * 5000, nested, no_text, protocol.encode(protocol.Follow("nowhere"))):
        line._outbox.put(data)
        line._nudge()
        assert isinstance(anna.wait(lambda note: isinstance(note, Trouble)), Trouble)
    open_game_after = anna.games
    assert isinstance(open_game_after, Games)
    anna.games.send(protocol.CreateGame("still", "toy", "duel"))
    anna.games.follow("still")
    anna.wait(lambda note: isinstance(note, Ready))


def test_a_game_followed_twice_before_it_is_open_is_followed_once(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match = open_game(anna)
    sit(anna, "first", "red")
    boris.wait(lambda note: isinstance(note, Up))
    boris.games.follow("first")
    boris.games.follow("first")
    boris.wait(lambda note: isinstance(note, Ready))
    other = boris.games.match("first")
    assert other is not None
    assert other.log.last_hash == match.log.last_hash
    assert not any(isinstance(note, Trouble) for note in boris.notes)


def test_what_is_new_goes_to_who_is_shown_all_at_once_and_no_clock_is_asked_for_it(host: Host, player: NewPlayer) -> None:
    anna, asked = player("Anna"), list[int]()
    open_game(anna)

    async def publish() -> None:
        room = host.service.room("first")
        usual, room.now_ms = room.now_ms, lambda: asked.append(1) or 0
        publishing.publish(host.service.sessions, room)
        room.now_ms = usual

    asyncio.run_coroutine_threadsafe(publish(), host._loop).result(10)
    assert not asked

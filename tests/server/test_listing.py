"""The list of games: told whole once, then as what has changed of it; whoever puts that together has the whole list."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from client.connection.games import Up
from client.connection.listed import GameList
from client.connection.notes import Trouble
from core import protocol
from core.protocol import GameLine, SeatLine
from core.terms import ClockTerms, SeatTerms, SpectatorTerms, Terms
from server.listing import FEW, Listing, line_terms
from server.viewers import BUNCH
from tests.server.conftest import Host, Player
from tests.server.test_play import open_game

NewPlayer = Callable[[str], Player]


def line(number: int, *, last: int = 0) -> GameLine:
    return GameLine(f"game-{number}", "toy", "duel", {"red": "Anna"}, "red", 1, "red", last, over=False)


def games(messages: list[bytes]) -> list[protocol.Games]:
    found = [protocol.decode_from_server(message) for message in messages]
    assert all(isinstance(one, protocol.Games) for one in found)
    return found  # type: ignore[return-value]


def heard(mine: GameList, messages: list[bytes]) -> tuple[GameLine, ...]:
    told = [mine.take(part) for part in games(messages)]
    assert told[:-1] == [None] * (len(told) - 1)
    assert told[-1] is not None
    return told[-1].games


def test_what_was_told_is_not_told_again() -> None:
    listing, mine = Listing(), GameList()
    lines = tuple(line(number) for number in range(300))
    assert heard(mine, listing.messages(lines)) == lines
    again = listing.messages(lines, mine.asked().known)
    assert [one.games for one in games(again)] == [()]
    assert heard(mine, again) == lines
    changed = (*lines[:7], line(7, last=3), *lines[8:], line(300))
    news = listing.messages(changed, mine.asked().known)
    assert [one.games for one in games(news)] == [(changed[7], changed[300])]
    assert heard(mine, news) == changed


def test_lines_of_ones_own_take_the_place_of_what_all_others_are_told() -> None:
    listing, mine = Listing(), GameList()
    lines = tuple(line(number) for number in range(300))
    own = (line(3, last=9), line(299, last=7))
    theirs = (*lines[:3], own[0], *lines[4:299], own[1])
    assert heard(mine, listing.messages(lines, own=own)) == theirs
    changed = (*lines[:7], line(7, last=3), *lines[8:], line(300))
    news = listing.messages(changed, mine.asked().known, (line(3, last=10),))
    assert heard(mine, news) == (*theirs[:3], line(3, last=10), *theirs[4:7], changed[7], *theirs[8:], changed[300])


def test_whoever_sits_at_very_many_games_is_told_of_them_in_messages_that_his_line_takes() -> None:
    listing, mine = Listing(), GameList()
    lines = tuple(line(number) for number in range(10_000))
    own = tuple(line(number, last=9) for number in range(10_000))
    told = listing.messages(lines, own=own)
    assert max(map(len, told)) < 2 * BUNCH
    assert heard(mine, told) == own
    news = listing.messages((*lines, line(10_000)), mine.asked().known, own)
    assert max(map(len, news)) < 2 * BUNCH
    assert heard(mine, news) == (*own, line(10_000))


def test_a_long_list_is_not_read_again_for_whoever_has_lines_of_his_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ten thousand games that held everybody up for half a second, each time that he asked."""
    listing, mine = Listing(), GameList()
    lines = tuple(line(number) for number in range(300))
    with monkeypatch.context() as patch:
        patch.delattr(protocol, "decode_from_server")
        told = listing.messages(lines, own=(line(3, last=9),))
    assert heard(mine, told) == (*lines[:3], line(3, last=9), *lines[4:])


def test_a_game_that_is_gone_is_told_once_and_may_come_back() -> None:
    listing, mine = Listing(), GameList()
    lines = tuple(line(number) for number in range(3))
    heard(mine, listing.messages(lines))
    without = listing.messages(lines[:2], mine.asked().known)
    assert [one.gone for one in games(without)] == [("game-2",)]
    assert heard(mine, without) == lines[:2]
    assert games(listing.messages(lines[:2], mine.asked().known))[0].gone == ()
    assert heard(mine, listing.messages(lines, mine.asked().known)) == lines


@pytest.mark.parametrize("mark", ["", "x", "5", ".", "a.b", "0000000.1", "{name}.", "{name}.-1", "{name}.7", "{name}.٣", "{name}.1.1"])
def test_whoever_names_a_list_that_was_never_told_here_is_told_the_whole(mark: str) -> None:
    listing = Listing()
    lines = tuple(line(number) for number in range(5))
    name = games(listing.messages(lines))[-1].mark.partition(".")[0]
    told = games(listing.messages(lines, mark.format(name=name)))
    assert ([one.added for one in told], told[0].games) == ([False], lines)


def test_where_much_has_changed_the_whole_list_is_told_in_messages_of_some_size() -> None:
    listing, mine = Listing(), GameList()
    lines = tuple(line(number) for number in range(10 * FEW))
    heard(mine, listing.messages(lines))
    later = (*(line(number, last=1) for number in range(FEW + 1)), *lines[FEW + 1 :])
    told = listing.messages(later, mine.asked().known)
    assert [(one.added, bool(one.mark)) for one in games(told)] == [(False, False)] * (len(told) - 1) + [(False, True)]
    assert len(told) > 1
    assert heard(mine, told) == later
    assert listing.messages(later, "") == told


@pytest.mark.parametrize("seed", range(5))
def test_two_who_ask_at_odd_moments_each_have_the_whole_list(seed: int) -> None:
    rng, listing, there = random.Random(seed), Listing(), {number: line(number) for number in range(6)}
    both = GameList(), GameList()
    for moment in range(60):
        number = rng.randrange(12)
        if rng.random() < 0.2:
            there.pop(number, None)
        else:
            there[number] = line(number, last=moment)
        mine = rng.choice(both)
        lines = tuple(there.values())
        shown = heard(mine, listing.messages(lines, mine.asked().known))
        assert sorted(shown, key=lambda one: one.game) == sorted(lines, key=lambda one: one.game)


def test_an_answer_that_is_no_list_leaves_the_list_as_it_is() -> None:
    listing, mine = Listing(), GameList()
    lines = tuple(line(number) for number in range(3))
    heard(mine, listing.messages(lines))
    mark = mine.asked()
    told = mine.take(protocol.Games((line(9),)))
    assert told is not None
    assert told.games == (line(9),)
    assert mine.asked() == mark
    assert heard(mine, listing.messages(lines, mark.known)) == lines


def test_players_who_ask_again_are_sent_what_has_changed_and_shown_all(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = player("Anna")
    anna.wait(lambda note: isinstance(note, Up))
    came: list[protocol.Games] = []
    take = GameList.take
    monkeypatch.setattr(GameList, "take", lambda mine, part: (came.append(part), take(mine, part))[1])

    def listed() -> list[str]:
        anna.games.send(protocol.ListGames())
        note = anna.wait(lambda note: isinstance(note, protocol.Games) and bool(note.games))
        assert isinstance(note, protocol.Games)
        return [one.game for one in note.games]

    for game in ("one", "two", "three"):
        anna.games.send(protocol.CreateGame(game, "toy", "duel"))
        anna.wait(lambda note, game=game: isinstance(note, protocol.Games) and note.games[0].game == game)  # type: ignore[misc]
    assert listed() == ["one", "two", "three"]
    assert listed() == ["one", "two", "three"]
    assert came[-1].games == ()
    anna.games.send(protocol.TakeSeat("two", "red"))
    assert listed() == ["one", "two", "three"]
    assert [one.game for one in came[-1].games] == ["two"]
    host.stop()
    host.start(host.place.tcp)
    anna.wait(lambda note: isinstance(note, Up), seconds=30)
    assert listed() == ["one", "two", "three"]
    assert not came[-1].added


@pytest.mark.parametrize(
    "told", [{}, {"clock": ClockTerms("fischer", 60_000, 1_000)}, {"referees": ("Rita",), "spectators": SpectatorTerms(delay_entries=3)}]
)
def test_a_line_tells_what_is_unusual_in_the_terms_and_its_bytes_nothing_else(told: dict[str, Any]) -> None:
    terms = Terms(owner="Anna", seats=(SeatTerms("red"), SeatTerms("blue")), **told)
    short = msgspec.structs.replace(line(1), terms=line_terms(terms))
    data = msgspec.msgpack.encode(short)
    assert set(msgspec.msgpack.decode(data).get("terms", {})) == set(told)
    read = msgspec.msgpack.decode(data, type=GameLine)
    assert read == short
    assert msgspec.msgpack.encode(read) == data  # as it is kept of a game that is put away
    assert [getattr(read.terms, name) for name in ("clock", "spectators", "referees", "dice")] == [
        terms.clock, terms.spectators, terms.referees, terms.dice,
    ]


def test_the_list_of_a_thousand_usual_games_is_short() -> None:
    chairs = tuple(SeatLine(side, "", player, False, False) for side, player in (("axis", "Anna"), ("soviet", "Boris")))
    seats = {chair.side: chair.player for chair in chairs}
    usual = GameLine(
        "game-1", "war_for_the_motherland", "turning_point", seats, "axis", 3, "axis combat", 1_234, False,
        owner="Anna", since_ms=1_795_892_000_000, chairs=chairs, terms=line_terms(Terms(owner="Anna")),
    )
    lines = tuple(msgspec.structs.replace(usual, game=f"game-{number:04}") for number in range(1_000))
    assert sum(map(len, Listing().messages(lines))) < 300_000


def test_a_list_tells_by_which_rules_a_game_is_and_one_by_later_rules_than_ours_is_refused_in_a_sentence(
    host: Host, player: Callable[[str], Player]
) -> None:
    anna = player("Anna")
    open_game(anna)
    head = anna.games._opened["first"].head
    anna.games.send(protocol.ListGames())
    listed = anna.wait(lambda note: isinstance(note, protocol.Games) and bool(note.games))
    assert isinstance(listed, protocol.Games)
    assert [line.version for line in listed.games] == [head.version]
    pack = anna.games._opened["first"].pack
    with anna.games.reading():
        anna.games._wanted.add("other")
        later = msgspec.structs.replace(head, game="other", version=head.version + 1)
        anna.games.happen(protocol.Opened("other", later, pack, 5))
    assert anna.games.match("other") is None
    troubles = [str(note.text) for note in anna.notes if isinstance(note, Trouble)]
    assert troubles == ["other: this game needs a newer version of this program: its rules have changed since yours"]

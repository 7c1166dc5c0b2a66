"""Spectators: what they see, how late, and all of it once the game is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from client.connection import table
from client.connection.games import Up
from client.connection.line import Down
from client.connection.notes import Answered, Grown, Ready, Trouble
from core import protocol
from core.log import ROOT, Admit, Consent, Offer, Pause, Referee, Resign, Result, Rewind, Seat, Withdraw
from core.signed import CROSSED
from core.terms import CLOSED, ClockTerms, SpectatorTerms, Terms
from core.text import text
from server import publishing
from server.security import Limit
from server.sessions import Session
from server.store.durable import durable
from tests.server.conftest import Host, Player
from tests.server.store.test_durable import turned
from tests.server.tables import GAME, answer_to, do, duel, follow, last, open_table, order, sit, take_turn, until
from tests.server.test_table import Hands
from tests.toy.ruleset import End

NewPlayer = Callable[..., Player]


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    made = Hands()
    monkeypatch.setattr("server.steady.now_ms", made)
    return made


def watched(**terms: Any) -> Terms:
    return Terms(spectators=SpectatorTerms(**terms))


def seen(one: Player) -> int:
    match = one.games.match(GAME)
    assert match is not None
    with one.games.reading():
        return len(match.log)


def test_a_spectator_sees_an_open_game_as_it_goes_and_touches_nothing(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    match, _ = duel(anna, boris)
    theirs = follow(carla)
    assert order(anna, "red", End()) == ""
    until(carla, lambda known: known.log.last_hash == match.log.last_hash)
    assert "held by Boris" in order(carla, "blue", End())
    for act in (Resign("blue"), Admit(SpectatorTerms())):
        assert do(carla, "blue", act) != ""
    assert theirs.log.last_hash == match.log.last_hash


def test_a_spectator_is_some_entries_behind_and_catches_up_at_the_end(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    match, _ = duel(anna, boris, watched(delay_entries=2))
    follow(carla)
    assert seen(carla) == len(match.log) - 2
    for one, side in ((anna, "red"), (boris, "blue")):
        assert take_turn(one, side, End()) == ""
        until(carla, lambda known: len(known.log) == len(match.log) - 2)
    assert do(boris, "blue", Resign("blue")) == ""
    until(carla, lambda known: known.log.last_hash == match.log.last_hash)


def test_a_spectator_is_some_minutes_behind_and_no_entry_comes_early(hands: Hands, player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    match, _ = duel(anna, boris, watched(delay_ms=60_000))
    before = len(match.log)
    hands.ms += 60_000
    follow(carla)
    assert seen(carla) == before
    assert order(anna, "red", End()) == ""
    hands.ms += 59_000
    assert take_turn(boris, "blue", End()) == ""
    assert seen(carla) == before
    hands.ms += 1_000
    assert take_turn(anna, "red", End()) == ""
    until(carla, lambda known: len(known.log) == before + 1)


def test_what_was_held_back_comes_by_itself_when_it_is_old_enough(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    match, _ = duel(anna, boris, watched(delay_ms=300))
    follow(carla)
    assert order(anna, "red", End()) == ""
    until(carla, lambda known: known.log.last_hash == match.log.last_hash)


def test_a_delayed_spectator_is_not_told_by_the_way_whom_the_game_waits_for(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris, watched(delay_entries=50))
    follow(carla)
    order(anna, "red", End())
    boris.wait(lambda note: isinstance(note, protocol.Waiting) and note.side == "blue")
    carla.games.send(protocol.ListGames())
    carla.wait(lambda note: isinstance(note, protocol.Games))
    assert not any(isinstance(note, protocol.Waiting) for note in carla.notes)


def test_a_closed_game_is_shown_to_nobody_until_it_ends_and_then_to_all(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    match, _ = duel(anna, boris, watched(view="closed"))
    carla.wait(lambda note: isinstance(note, Up))
    carla.games.follow(GAME)
    refused = carla.wait(lambda note: isinstance(note, Answered))
    assert "closed to spectators" in str(refused)
    order(anna, "red", End())
    do(anna, "red", Resign("red"))
    carla.games.follow(GAME)
    carla.wait(lambda note: isinstance(note, Ready))
    until(carla, lambda known: known.log.last_hash == match.log.last_hash)


def test_who_is_given_a_seat_at_a_closed_game_that_he_asked_for_is_sent_it(host: Host, player: NewPlayer) -> None:
    anna, boris, umpire = player("Anna"), player("Boris"), player("Owner")
    duel(anna, boris, watched(view="closed"))
    assert do(boris, "blue", Seat("blue", "")) == ""
    boris.games.close()
    back = player("Boris")
    back.wait(lambda note: isinstance(note, Up))
    back.games.follow(GAME)
    refused = back.wait(lambda note: isinstance(note, Answered)).refused  # type: ignore[union-attr]
    assert "closed to spectators" in str(refused)
    umpire.wait(lambda note: isinstance(note, Up))
    answer_to(umpire, table.do(umpire.games, GAME, "", Seat("blue", "Boris")))
    back.wait(lambda note: isinstance(note, Ready))
    match = back.games.match(GAME)
    assert match is not None
    assert match.log.last_hash == host.service.rooms[GAME].match.log.last_hash


def leave_and_sit_again(one: Player, side: str) -> None:
    assert do(one, side, Seat(side, "")) == ""
    sit(one, side)


class ToldLate:
    """Lets somebody wait for how the seats of his games stand, until `come`."""

    def __init__(self, one: Player) -> None:
        self._games, self._note, self._late = one.games, one.games._note_waiting, list[protocol.Waiting]()
        one.games._note_waiting = self._late.append  # type: ignore[method-assign]

    def come(self) -> None:
        with self._games.reading():
            self._games._note_waiting = self._note  # type: ignore[method-assign]
            for waiting in self._late:
                self._note(waiting)


def test_who_left_a_closed_game_lets_others_have_his_seat_however_much_has_happened_there_since(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, watched(view="closed"))
    assert take_turn(anna, "red", End()) == ""
    until(boris, lambda known: known.view.side_to_act() == "blue")
    assert do(boris, "blue", Seat("blue", "")) == ""
    until(anna, lambda known: not known.table.holders("blue"))
    for _ in range(CROSSED // 2 + 1):
        leave_and_sit_again(anna, "red")
    assert do(boris, "blue", Seat("blue", "")) == ""
    assert not host.service.rooms[GAME].match.table.chairs["blue", ""].kept_for


def test_who_left_lets_others_have_his_seat_from_a_program_that_is_shown_less_than_he_saw(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, watched(delay_entries=2 * CROSSED))
    for _ in range(CROSSED):
        leave_and_sit_again(anna, "red")
    assert take_turn(anna, "red", End()) == ""
    until(boris, lambda known: known.view.side_to_act() == "blue")
    boris.games.send(protocol.LeaveSeat(GAME, "blue"))
    until(anna, lambda known: not known.table.holders("blue"))
    again = player("Boris")
    theirs = follow(again)
    assert len(theirs.log) < len(host.service.rooms[GAME].match.log) - CROSSED
    assert do(again, "blue", Seat("blue", "")) == ""
    assert not host.service.rooms[GAME].match.table.chairs["blue", ""].kept_for


def test_who_follows_a_game_whose_seat_he_left_leaves_it_to_others_before_he_is_told_how_its_seats_stand(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, watched(delay_entries=CROSSED + 1))
    for _ in range(CROSSED):
        leave_and_sit_again(anna, "red")
    assert take_turn(anna, "red", End()) == ""
    until(boris, lambda known: known.view.side_to_act() == "blue")
    assert do(boris, "blue", Seat("blue", "")) == ""
    again = player("Boris")
    seats = ToldLate(again)
    follow(again)
    asked = table.do(again.games, GAME, "blue", Seat("blue", ""))
    seats.come()
    assert answer_to(again, asked).refused is None


def test_who_left_a_closed_game_and_is_back_leaves_again_before_he_is_told_how_its_seats_stand(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, watched(view="closed"))
    assert take_turn(anna, "red", End()) == ""
    until(boris, lambda known: known.view.side_to_act() == "blue")
    for _ in range(CROSSED // 2 + 1):
        leave_and_sit_again(boris, "blue")
    assert do(anna, "red", Seat("red", "")) == ""
    anna.until(lambda: any(line.kept_for == "Anna" for line in anna.games._chairs.get(GAME, ())))
    seats = ToldLate(anna)
    sit(anna, "red")
    asked = table.do(anna.games, GAME, "red", Seat("red", ""))
    seats.come()
    assert answer_to(anna, asked).refused is None


def test_a_game_that_is_closed_while_somebody_watches_shows_him_no_more(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    match, _ = duel(anna, boris)
    follow(carla)
    assert do(anna, "", Admit(SpectatorTerms("closed"))) == ""
    carla.wait(lambda note: isinstance(note, Answered) and "closed to spectators" in str(note.refused))
    shown = seen(carla)
    order(anna, "red", End())
    boris.wait(lambda note: isinstance(note, Grown) and note.entries[-1].bears_order)
    assert seen(carla) == shown
    do(anna, "red", Resign("red"))
    until(carla, lambda known: known.log.last_hash == match.log.last_hash)


def test_a_game_that_is_closed_while_somebody_catches_up_shows_him_no_more(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    carla.wait(lambda note: isinstance(note, Up))
    monkeypatch.setattr("server.viewers.bunches", lambda things: ((thing,) for thing in things))
    sessions, room, told = host.service.sessions, host.service.rooms[GAME], list[int]()
    patiently = sessions.send_patiently

    async def slowly(session: Session, frame: protocol.Frame) -> bool:
        if isinstance(frame, protocol.NewEntries):
            told.extend(entry.number for entry in frame.entries)
            await room.act(Admit(SpectatorTerms("closed")), player="Anna")  # before there is room for the next
        return await patiently(session, frame)

    monkeypatch.setattr(sessions, "send_patiently", slowly)
    carla.games.follow(GAME)
    carla.wait(lambda note: isinstance(note, Answered) and "closed to spectators" in str(note.refused))
    assert take_turn(anna, "red", End()) == ""
    assert told == [0]
    assert {one.player for one in sessions.followers(GAME) if GAME in one.sent} == {"Anna", "Boris"}


def test_whoever_sits_down_sees_at_once_what_spectators_do_not(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    match, _ = duel(anna, boris, watched(delay_entries=5))
    for one, side in ((anna, "red"), (boris, "blue")) * 2:
        assert take_turn(one, side, End()) == ""
    follow(carla)
    assert seen(carla) < len(match.log)
    boris.games.send(protocol.LeaveSeat(GAME, "blue"))
    boris.wait(lambda note: isinstance(note, protocol.Waiting) and any(chair.kept_for == "Boris" for chair in note.chairs))
    assert do(boris, "blue", Seat("blue", "")) == ""  # others may have it
    sit(carla, "blue")
    until(carla, lambda known: known.log.last_hash == match.log.last_hash)


@pytest.mark.parametrize("terms", [{"delay_entries": 50}, {"view": "closed"}], ids=["later", "no more"])
def test_who_is_shown_the_game_later_or_no_more_is_told_how_its_seats_stand_now_and_of_no_clock(
    player: NewPlayer, terms: dict[str, object]
) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    clock = ClockTerms("absolute", 600_000)
    open_table(anna, Terms(spectators=SpectatorTerms(**terms), clock=clock))  # type: ignore[arg-type]
    follow(boris)
    follow(carla)
    sit(anna, "red")
    boris.games.send(protocol.TakeSeat(GAME, "blue"))

    def told(note: object) -> bool:
        return isinstance(note, protocol.Waiting) and [line.player for line in note.chairs] == ["Anna", "Boris"]

    waiting = carla.wait(told)
    assert isinstance(waiting, protocol.Waiting)
    assert (waiting.side, waiting.runs, waiting.left_ms) == ("", False, {})
    played = anna.wait(lambda note: isinstance(note, protocol.Waiting) and note.runs)
    assert isinstance(played, protocol.Waiting)
    assert not played.chairs


@pytest.mark.parametrize("terms", [{"delay_entries": 3}, {"delay_ms": 3_600_000}], ids=["by entries", "by time"])
def test_no_answer_tells_who_is_shown_a_game_later_where_it_stands(terms: dict[str, int], player: NewPlayer) -> None:
    """He asks for what he may not have, of entries that there are and of such as there are not."""
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    match, _ = duel(anna, boris, watched(**terms))
    follow(carla)
    assert take_turn(anna, "red", End()) == ""
    assert do(anna, "red", Offer("draw")) == ""
    number = last(anna).number

    def said(to: int, offer: int) -> list[str]:
        asked = [
            protocol.AskRewind(GAME, "red", to), protocol.Answer(GAME, "blue", offer, yes=True),
            protocol.Give(GAME, "red", f"give{to}", to, b"\x81\xa5order\xa3end", bytes(64)),
        ]
        acts = [Rewind(to), Offer("rewind", to), Consent(offer, yes=True), Withdraw(offer), Pause(on=to > 90), Pause(on=to <= 90)]
        answers = []
        for frame in asked:
            carla.games.send(frame)
            answers.append(carla.wait(lambda note: isinstance(note, Answered | Trouble)))
        told = [str(one.refused) for one in answers if isinstance(one, Answered)]
        return [words.replace(str(to), "N").replace(str(offer), "N") for words in [*told, *(do(carla, "red", act) for act in acts)]]

    with anna.games.reading():
        moved, head = match.log.moved_at, match.log.head
    answers = {tuple(said(to, offer)) for to, offer in ((moved, number), (head, number), (98, 99), (number, moved))}
    assert len(answers) == 1, answers
    assert len(next(iter(answers))) == 9


def test_a_referee_who_is_shown_a_game_later_is_told_nothing_of_entries_that_he_does_not_know(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    match, _ = duel(anna, boris, replace(watched(delay_entries=9), referees=("Carla",)))
    follow(carla)
    assert take_turn(anna, "red", End()) == ""
    with anna.games.reading():
        moved, last_one = match.log.moved_at, len(match.log) - 1
    for to in (moved, last_one, 98):
        for act in (Rewind(to), Consent(to, yes=True)):
            assert do(carla, "", act) == f"you know no entry {to}"
        carla.games.send(protocol.AskRewind(GAME, "", to))
        answer = carla.wait(lambda note: isinstance(note, Answered))
        assert isinstance(answer, Answered)
        assert str(answer.refused) == f"you know no entry {to}"
    assert do(carla, "", Rewind(0)) == ""


@pytest.mark.parametrize(("terms", "known"), [({"view": CLOSED}, ROOT), ({"delay_entries": 50}, 0), ({"delay_ms": 3_600_000}, 0)])
def test_no_act_of_an_owner_who_is_shown_his_game_later_tells_him_how_long_it_is(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch, terms: dict[str, Any], known: int
) -> None:
    olga, anna, boris = player("Olga"), player("Anna"), player("Boris")
    open_table(olga, watched(**terms))
    for one, side in ((anna, "red"), (boris, "blue")):
        follow(one)
        sit(one, side)
    until(anna, lambda match: bool(match.table.holders("blue")))
    accepted, send = [], host.service.sessions.send

    def recording(session: Session, frame: protocol.FromServer) -> bool:
        accepted.extend([frame.number] if isinstance(frame, protocol.Accepted) and session.player == "Olga" else [])
        return send(session, frame)

    monkeypatch.setattr(host.service.sessions, "send", recording)
    for one, side in ((anna, "red"), (boris, "blue")):
        assert take_turn(one, side, End()) == ""
        assert do(olga, "", Admit(SpectatorTerms(**terms))) == ""
    assert accepted == [known, known]


def test_what_players_say_to_each_other_is_told_as_late_as_the_game_that_they_talk_of(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris, watched(delay_ms=3_600_000))
    follow(carla)
    answer_to(anna, table.say(anna.games, GAME, "game", "now I have lost the bridge"))
    late = player("Late")
    follow(late)
    late.games.send(protocol.ReadChat(GAME))
    table.say(carla.games, GAME, "spectators", "quiet today")
    for one in (carla, late):
        one.until(lambda one=one: "quiet today" in str(one.notes))  # type: ignore[misc]
        lines = [line for note in one.notes if isinstance(note, protocol.Chat) for line in note.lines]
        assert not [line for line in lines if line.player == "Anna"]
    assert do(boris, "blue", Resign("blue")) == ""
    again = player("Again")
    follow(again)
    again.games.send(protocol.ReadChat(GAME))
    assert "the bridge" in str(again.wait(lambda note: isinstance(note, protocol.Chat)))


@pytest.mark.parametrize(
    "terms", [{"delay_entries": 3}, {"delay_ms": 3_600_000}, {"view": "closed"}], ids=["by entries", "by time", "closed"]
)
def test_the_list_of_games_tells_where_one_that_is_shown_later_stands_to_nobody_but_its_players(
    terms: dict[str, object], host: Host, player: NewPlayer
) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    match, _ = duel(anna, boris, watched(**terms))
    carla.wait(lambda note: isinstance(note, Up))

    def listed(one: Player) -> protocol.GameLine:
        one.notes.clear()
        one.games.send(protocol.ListGames())
        note = one.wait(lambda note: isinstance(note, protocol.Games))
        assert isinstance(note, protocol.Games)
        (line,) = note.games
        return line

    def made_again(one: Player) -> protocol.GameLine:
        one.notes.clear()
        one.games.send(protocol.CreateGame(GAME, "toy", "duel", terms=watched(**terms)))
        note = one.wait(lambda note: isinstance(note, protocol.Games))
        assert isinstance(note, protocol.Games)
        return note.games[0]

    before = [listed(carla), made_again(carla)]
    for side in ("red", "blue"):
        with anna.games.reading():
            assert match.view.side_to_act() == side
        assert take_turn(anna if side == "red" else boris, side, End()) == ""
        until(anna, lambda known, side=side: known.view.side_to_act() != side)  # type: ignore[misc]
        assert [listed(carla), made_again(carla)] == before
        for one in (anna, boris):
            line = listed(one)
            assert (line.waits_for, line.last, line.turn) == (match.view.side_to_act(), len(match.log) - 1, match.view.position.turn)
    assert all(chair.player and chair.online for chair in before[0].chairs)
    assert do(boris, "blue", Resign("blue")) == ""
    until(anna, lambda known: known.table.ended is not None)
    assert (listed(carla).over, listed(carla).winner, listed(carla).last) == (True, "red", len(match.log) - 1)


def test_the_list_tells_by_what_spectators_are_shown_now(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    assert do(anna, "", Admit(SpectatorTerms(view="table", delay_entries=2))) == ""
    carla.wait(lambda note: isinstance(note, Up))
    carla.games.send(protocol.ListGames())
    note = carla.wait(lambda note: isinstance(note, protocol.Games))
    assert isinstance(note, protocol.Games)
    assert (note.games[0].waits_for, note.games[0].terms.spectators.delay_entries) == ("", 2)


def test_the_end_of_a_long_game_that_was_closed_ends_the_line_of_nobody_who_looked_on(host: Host, player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris, watched(view=CLOSED))
    carla.wait(lambda note: isinstance(note, Up))
    carla.games.follow(GAME)
    assert "closed" in str(carla.wait(lambda note: isinstance(note, Answered)).refused)
    room = host.service.rooms[GAME]

    async def grow() -> None:
        """Write 5 MB down, tell nobody until the game ends: more than a line holds on which nothing is read at that moment."""
        written = []
        for _ in range(8_000):
            entry = room.match.act(Referee(text("x" * 480)), player="Owner")
            written.append(durable(room.store.add_entry(GAME, entry)))
            room.match.accept_act(entry)
        await asyncio.gather(*written)
        publishing.publish(host.service.sessions, room, [await room.act(Result("", "enough"), player="Owner")])

    host.within(grow())
    for one in (anna, boris, carla):
        until(one, lambda known: known.log.last_hash == room.match.log.last_hash)
        assert not [note for note in one.notes if isinstance(note, Down)]
    assert host.service.sessions.ended == 0


def test_who_has_asked_for_as_much_as_he_may_is_sent_what_he_missed_of_a_game_that_ends(host: Host, player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris, watched(view=CLOSED))
    carla.wait(lambda note: isinstance(note, Up))
    carla.games.follow(GAME)
    carla.wait(lambda note: isinstance(note, Answered))
    room = host.service.rooms[GAME]

    async def end() -> None:
        host.service.limits.catching = Limit(0, 0)
        new = [await room.act(Referee(text("a word")), player="Owner") for _ in range(publishing.AT_ONCE)]
        publishing.publish(host.service.sessions, room, [*new, await room.act(Result("", "enough"), player="Owner")])

    host.within(end())
    carla.wait(lambda note: isinstance(note, Ready))
    until(carla, lambda known: known.log.last_hash == room.match.log.last_hash)


def test_who_leaves_a_game_while_he_is_sent_what_he_missed_of_it_is_not_counted_among_its_followers_again(
    host: Host, player: NewPlayer
) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    follow(carla)
    room = host.service.rooms[GAME]
    (session,) = host.service.sessions.of("Carla")

    async def leave_meanwhile() -> None:
        new = [await room.act(Referee(text("a word")), player="Owner") for _ in range(publishing.AT_ONCE + 1)]
        publishing.publish(host.service.sessions, room, new)
        sending = session.catching_up[GAME]
        host.service.sessions.unfollow(session, GAME)
        await asyncio.wait([sending])

    host.within(leave_meanwhile())
    assert session not in host.service.sessions.followers(GAME)
    assert not session.catching_up


def test_whoever_is_sent_much_over_many_lines_is_sent_it_one_after_another(host: Host, player: NewPlayer) -> None:
    anna, boris, carla, again = player("Anna"), player("Boris"), player("Carla"), player("Carla")
    duel(anna, boris)
    for one in (carla, again):
        follow(one)
    room, sessions = host.service.rooms[GAME], host.service.sessions
    lines = sessions.of("Carla")
    before = [session.sent[GAME] for session in lines]

    async def miss() -> None:
        async with sessions.sending(lines[0].user):
            new = [await room.act(Referee(text("a word")), player="Owner") for _ in range(publishing.AT_ONCE + 1)]
            publishing.publish(sessions, room, new)
            for _ in range(10):
                await turned()
            assert [session.sent[GAME] for session in lines] == before

    host.within(miss())
    for one in (carla, again):
        until(one, lambda known: known.log.last_hash == room.match.log.last_hash)


def test_a_game_that_is_closed_while_somebody_waits_for_what_he_missed_of_it_comes_when_it_is_open_again(
    host: Host, player: NewPlayer
) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    follow(carla)
    room, sessions = host.service.rooms[GAME], host.service.sessions
    (session,) = sessions.of("Carla")

    async def close_meanwhile() -> None:
        async with sessions.sending(session.user):
            new = [await room.act(Referee(text("a word")), player="Owner") for _ in range(publishing.AT_ONCE + 1)]
            publishing.publish(sessions, room, new)
            sending = session.catching_up[GAME]
            publishing.publish(sessions, room, [await room.act(Admit(SpectatorTerms(CLOSED)), player="Owner")])
        await asyncio.wait([sending])
        publishing.publish(sessions, room, [await room.act(Admit(SpectatorTerms()), player="Owner")])

    host.within(close_meanwhile())
    until(carla, lambda known: known.log.last_hash == room.match.log.last_hash)

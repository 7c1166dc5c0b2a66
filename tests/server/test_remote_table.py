"""The table as a window's model of a server's game knows it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from client.connection.notes import Answered, Grown, Note
from client.session.remote import RemoteMatch
from core import protocol
from core.errors import Refused
from core.gamefile import read
from core.log import Flag, Rewind, Seat
from core.terms import ClockTerms, SeatTerms, Terms
from core.trials.verify import verify
from tests.server.conftest import Player, toy
from tests.server.tables import GAME, do, duel, follow, open_table, sit, take_turn, until
from tests.server.test_table import Hands
from tests.toy.ruleset import End

NewPlayer = Callable[..., Player]


class Window:
    """What a window does with the notes of its line: it hands them to the match that it shows."""

    def __init__(self, one: Player) -> None:
        self.player = one
        assert one.games.line is not None
        self.match = RemoteMatch(one.games, GAME, one.games.line.name)
        self.said: list[str] = []

    def until(self, wanted: Callable[[], bool]) -> None:
        while not wanted():
            self._take(self.player.wait(lambda note: True))

    def _take(self, note: Note) -> None:
        match note:
            case Grown():
                self.match.take_entries(note)
            case protocol.Waiting() | protocol.Present() | protocol.Chat() | protocol.Answers():
                self.match.talk.take(note)
            case Answered():
                refused = self.match.take_answer(note)
                self.said += [str(refused)] if refused is not None else []


def windows(player: NewPlayer, terms: Terms | None = None) -> tuple[Window, Window]:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, terms)
    return Window(anna), Window(boris)


def test_a_draw_is_offered_taken_back_offered_again_and_agreed(player: NewPlayer) -> None:
    anna, boris = windows(player)
    with pytest.raises(Refused, match="nothing is offered"):
        anna.match.withdraw()
    anna.match.offer("draw")
    boris.until(lambda: boris.match.open_offer() is not None)
    anna.until(lambda: bool(anna.match.match.table.offers))
    assert anna.match.open_offer() is None
    anna.match.withdraw()
    boris.until(lambda: boris.match.open_offer() is None)
    anna.match.offer("draw")
    boris.until(lambda: boris.match.open_offer() is not None)
    offer = boris.match.open_offer()
    assert offer is not None
    boris.match.answer(offer, yes=True)
    for one in (anna, boris):
        one.until(lambda one=one: one.match.outcome is not None)  # type: ignore[misc]
        assert not one.match.may_act
    assert anna.match.outcome is not None
    assert anna.match.outcome.result == "a draw was agreed"


def test_who_sits_at_a_further_seat_takes_the_first_one_of_his_side_when_it_is_free(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    open_table(anna, Terms(seats=(SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second"))))
    match = follow(boris)
    sit(boris, "blue", "second")
    boris.games.send(protocol.TakeSeat(GAME, "blue"))  # as he does who comes back
    window = Window(boris)
    window.match.take_seat("blue", "")
    window.until(lambda: len(match.table.seats_of("blue", "Boris")) == 2)
    assert [chair.name for chair in match.table.seats_of("blue", "Boris")] == ["", "second"]
    boris.games.send(protocol.ListGames())
    boris.wait(lambda note: isinstance(note, protocol.Games))
    assert window.said == []
    assert sum(isinstance(entry.act, Seat) for entry in match.log.entries) == 2
    assert verify(read(anna.games.file(GAME)), load=toy).findings == ()


def test_who_plays_two_sides_beside_another_brings_back_unasked_what_he_took_back_so(player: NewPlayer) -> None:
    """For his other side it would have been offered to who sits beside him."""
    anna, boris, rita = player("Anna"), player("Boris"), player("Rita")
    open_table(anna, Terms(seats=(SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second")), referees=("Rita",)))
    for one in (boris, rita):
        follow(one)
    sit(anna, "red")
    sit(boris, "blue", "second")
    assert do(rita, "", Seat("blue", "Anna")) == ""
    for side in ("red", "blue"):
        assert take_turn(anna, side, End()) == ""
    until(anna, lambda match: match.view.side_to_act() == "red")
    window = Window(anna)
    entries = window.match.match.log.entries
    for way in (window.match.undo, window.match.redo):
        many = len(entries)
        way()
        window.until(lambda many=many: len(entries) > many)  # type: ignore[misc]
        assert isinstance(entries[many].act, Rewind)


def test_a_program_that_does_not_sign_that_its_player_sits_down_is_told_why_he_does_not(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    open_table(anna)
    match = follow(boris)
    assert boris.games.line is not None
    boris.games.line.send(protocol.TakeSeat(GAME, "blue"))
    answer = boris.wait(lambda note: isinstance(note, Answered))
    assert isinstance(answer, Answered)
    assert str(answer.refused).startswith("your program does not sign that you sit down")
    assert not match.table.holders("blue")


def test_a_pause_is_agreed_on_and_ended(player: NewPlayer) -> None:
    anna, boris = windows(player)
    assert anna.match.may_act
    anna.match.offer("pause")
    boris.until(lambda: boris.match.open_offer() is not None)
    offer = boris.match.open_offer()
    assert offer is not None
    boris.match.answer(offer, yes=True)
    anna.until(lambda: anna.match.match.table.paused)
    assert not anna.match.may_act
    boris.until(lambda: boris.match.match.table.paused)
    boris.match.go_on()
    anna.until(lambda: anna.match.may_act)


def test_clocks_are_reckoned_by_the_servers_time(monkeypatch: pytest.MonkeyPatch, player: NewPlayer) -> None:
    hands = Hands()
    monkeypatch.setattr("server.steady.now_ms", hands)
    anna, boris = windows(player, Terms(clock=ClockTerms("absolute", 60_000, on_flag="claim")))
    boris.match.talk._clock = lambda: 5_000
    boris.until(lambda: boris.match.talk.waiting is not None)
    assert boris.match.talk.now_ms() == hands.ms
    boris.match.talk._clock = lambda: 15_000
    assert boris.match.talk.left_ms(boris.match.match) == {"red": 50_000, "blue": 60_000}
    assert boris.match.talk.waited_ms() == 10_000 + hands.ms - boris.match.match.log.entries[0].time_ms
    hands.ms += 60_000
    anna.match.order(End())
    boris.until(lambda: isinstance(boris.match.match.log.entries[-1].act, Flag) or boris.match.match.log.entries[-1].bears_order)
    boris.until(lambda: bool(boris.match.match.table.clocks.fallen))
    boris.match.claim()
    boris.until(lambda: boris.match.outcome is not None)
    assert boris.match.outcome is not None
    assert boris.match.outcome.winner == "blue"


def test_chat_people_and_answers_are_known_and_told_again_to_a_window_that_comes_late(player: NewPlayer) -> None:
    anna, boris = windows(player)
    boris.match.say("hello")
    anna.until(lambda: [line.text for line in anna.match.talk.lines] == ["hello"])
    late = Window(boris.player)
    late.until(lambda: [line.text for line in late.match.talk.lines] == ["hello"])
    late.until(lambda: {person.name for person in late.match.talk.people} == {"Anna", "Boris"})
    late.match.answer_ahead("Act", End(), this_turn=True)
    late.until(lambda: bool(late.match.talk.answers.get("blue")))
    assert [(kept.decision, kept.turn) for kept in late.match.talk.answers["blue"]] == [("Act", 1)]
    late.match.revoke("Act")
    late.until(lambda: not late.match.talk.answers["blue"])


def test_a_spectator_speaks_to_spectators_and_for_no_side(player: NewPlayer) -> None:
    windows(player)
    carla = player("Carla")
    follow(carla)
    window = Window(carla)
    window.match.say("hm")
    window.until(lambda: [line.room for line in window.match.talk.lines] == ["spectators"])
    for act in (window.match.resign, window.match.go_on, lambda: window.match.offer("draw")):
        with pytest.raises(Refused, match="no seat that speaks"):
            act()

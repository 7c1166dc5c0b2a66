"""Who lets witnessed dice wait: on whose clock, for how long, and what the others may choose then."""

from __future__ import annotations

import random

import pytest

from client.connection import table
from client.connection.games import Up
from client.connection.notes import Answered
from client.session.remote import RemoteMatch
from core import protocol
from core.log import ChainPublished, Fallback, Flag, Late, Pause, SetClock
from core.table import LEADERS_WITNESS
from core.terms import ClockTerms, SeatTerms
from tests.server.conftest import Host, of
from tests.server.random_table import begun_as
from tests.server.tables import Withheld, answer_to
from tests.server.test_table import Hands
from tests.server.witnessed import (
    SIDES,
    NewPlayer,
    _short,
    a_strike,
    acts,
    both,
    enter,
    fouls,
    play_to_strike,
    report_of,
    waits_for,
    without_boris,
)

__all__ = ["_short"]
CLOCK = ClockTerms("absolute", 600_000)


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    """The server's clock, moved by hand, by which alone nobody becomes late."""
    made = Hands()
    monkeypatch.setattr("server.steady.now_ms", made)
    monkeypatch.setattr("server.witness.LATE_S", 3_600)
    return made


def test_after_the_agreed_time_the_other_side_may_go_on_unwitnessed(host: Host, player: NewPlayer) -> None:
    anna, _, order_id = without_boris(player, wait_ms=0)
    anna.games.choose("w", "Boris", "unwitnessed")
    anna.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    report = report_of(anna)
    assert report.holds, report.findings
    assert "not witnessed by Boris, as the others chose" in [remark.text for remark in report.remarks]


def test_a_window_knows_for_whom_the_dice_wait_and_chooses(host: Host, player: NewPlayer) -> None:
    anna, match, _ = without_boris(player, wait_ms=0)
    window = RemoteMatch(anna.games, "w", "Anna")
    assert window.late_witness() == ("Boris", 0)
    window.choose("Boris", "unwitnessed")
    anna.until(lambda: acts(match, Fallback) == 1)
    anna.until(lambda: match.log.k == 1)
    assert RemoteMatch(anna.games, "w", "Anna").late_witness() is None


def test_who_comes_back_after_he_showed_his_link_may_still_choose(host: Host, player: NewPlayer) -> None:
    anna, *_ = without_boris(player, wait_ms=0)
    anna.games.close()
    back = player("Anna")
    match = enter(back)
    back.until(lambda: back.games._witnessing._games["w"].waits is not None)
    back.games.choose("w", "Boris", "wait")
    back.until(lambda: acts(match, Fallback) == 1)
    back.games.choose("w", "Boris", "unwitnessed")
    back.until(lambda: match.log.k == 1 and any(entry.k for entry in match.log.entries))
    report = report_of(back)
    assert report.holds, report.findings


def test_whose_link_comes_late_and_before_anothers_is_waited_for_no_more(host: Host, player: NewPlayer) -> None:
    players, matches = both(player)
    withheld = {name: Withheld(one, "w") for name, one in players.items()}
    for one in withheld.values():
        one.is_held = True
    play_to_strike(players, matches, random.Random(1))
    anna = players["Anna"]
    anna.until(lambda: matches["Anna"].witnesses.late_for(1) == {"Anna", "Boris"})
    withheld["Anna"].release()
    anna.until(lambda: matches["Anna"].witnesses.late_for(1) == {"Boris"})
    withheld["Boris"].release()
    anna.until(lambda: any(entry.k for entry in matches["Anna"].log.entries))
    assert [(entry.act.participant, entry.act.came) for entry in matches["Anna"].log.entries if isinstance(entry.act, Late)][2:] == [
        ("Anna", True)
    ]
    report = report_of(anna)
    assert report.holds, report.findings


@pytest.mark.parametrize(("took_ms", "charged_ms"), [(400, 0), (1_900, 1_400)])
def test_whose_link_takes_its_time_each_time_pays_for_it_and_not_whose_order_it_is(
    host: Host, player: NewPlayer, hands: Hands, took_ms: int, charged_ms: int
) -> None:
    """Links that were shown just before their owner was named late cost the other side two seconds each."""
    players, matches = both(player, clock=CLOCK)
    withheld = {name: Withheld(one, "w") for name, one in players.items()}
    for one in withheld.values():
        one.is_held = True
    giver, _ = play_to_strike(players, matches, random.Random(1))
    other = next(name for name in players if name != giver)
    players[other].until(lambda: bool(withheld[other].asked))
    withheld[giver].release()
    players[giver].until(lambda: giver in host.service.rooms["w"].gathering.shown)  # type: ignore[union-attr]
    hands.ms += took_ms
    withheld[other].release()
    players[giver].until(lambda: any(entry.k for entry in matches[giver].log.entries))
    left = {name: matches[giver].table.clocks.left_ms[side] for side, name in SIDES.items()}
    assert left == {other: 600_000 - charged_ms, giver: 600_000 - (took_ms - charged_ms)}
    report = report_of(players[giver])
    assert report.holds, report.findings


@pytest.mark.parametrize("claims", [False, True])
def test_nobody_lets_anothers_flag_fall_by_a_link_that_he_shows_a_moment_later(
    host: Host, player: NewPlayer, hands: Hands, claims: bool
) -> None:
    """The order came in time; who kept his link for as long as the other side had left won the game."""
    enter(rita := player("Rita"), clock=CLOCK, referees=("Rita",))
    players, matches = both(player)
    withheld = {name: Withheld(one, "w") for name, one in players.items()}
    for one in withheld.values():
        one.is_held = True
    giver, _ = play_to_strike(players, matches, random.Random(1))
    other = next(name for name in players if name != giver)
    sides = {name: side for side, name in SIDES.items()}
    players[other].until(lambda: bool(withheld[other].asked))
    withheld[giver].release()
    players[giver].until(lambda: giver in host.service.rooms["w"].gathering.shown)  # type: ignore[union-attr]
    assert answer_to(rita, table.do(rita.games, "w", "", SetClock(sides[giver], 1_000))).refused is None
    hands.ms += 1_000
    if claims:
        assert answer_to(players[other], table.do(players[other].games, "w", sides[other], Flag(sides[giver]))).refused is not None
    players[giver].until(lambda: bool(acts(matches[giver], Late) or acts(matches[giver], Flag)))
    withheld[other].release()
    players[giver].until(lambda: any(entry.k for entry in matches[giver].log.entries) or acts(matches[giver], Flag) > 0)
    assert acts(matches[giver], Flag) == 0
    assert matches[giver].table.clocks.left_ms == {sides[other]: 599_000, sides[giver]: 1_000}
    report = report_of(players[giver])
    assert report.holds, report.findings


def test_no_flag_falls_for_ones_own_link_before_it_is_late(host: Host, player: NewPlayer, hands: Hands) -> None:
    """The order came in time, and only its dice are waited for."""
    enter(rita := player("Rita"), clock=CLOCK, referees=("Rita",))
    players, matches = both(player)
    giver = SIDES[matches["Anna"].view.side_to_act()]
    withheld = Withheld(players[giver], "w")
    withheld.is_held = True
    assert play_to_strike({giver: players[giver]}, {giver: matches[giver]}, random.Random(1))[0] == giver
    side, other = (next(side for side, name in SIDES.items() if (name == giver) == mine) for mine in (True, False))
    players[giver].until(lambda: bool(withheld.asked))
    assert answer_to(rita, table.do(rita.games, "w", "", SetClock(side, 1_000))).refused is None
    hands.ms += 1_000
    for ms in (500_000, 400_000):  # the game is looked after behind each
        assert answer_to(rita, table.do(rita.games, "w", "", SetClock(other, ms))).refused is None
    assert acts(matches[giver], Flag) == 0
    withheld.release()
    players[giver].until(lambda: any(entry.k for entry in matches[giver].log.entries))
    assert report_of(players[giver]).holds


def test_nobody_may_go_on_before_the_agreed_time_or_about_his_own_link(host: Host, player: NewPlayer) -> None:
    anna, match, _ = without_boris(player)
    for absent, words in (("Boris", "s left to witness"), ("Anna", "is not missing")):
        anna.games.choose("w", absent, "unwitnessed")
        refused = anna.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
        assert words in str(refused)
    assert acts(match, Fallback) == 0


def test_the_agreed_time_begins_anew_where_the_server_was_away(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody could show anything meanwhile: whose program was back first could claim the game before the other's was."""
    hands = Hands()
    monkeypatch.setattr("server.steady.now_ms", hands)
    anna, match, _ = without_boris(player)
    host.stop()
    hands.ms += 600_000
    host.start(host.address)
    anna.wait(lambda note: isinstance(note, Up))
    anna.games.choose("w", "Boris", "claim")
    answer = anna.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    assert isinstance(answer, Answered)
    assert str(answer.refused) == "Boris has 60 s left to witness"
    hands.ms += 60_000
    anna.games.choose("w", "Boris", "claim")
    anna.until(lambda: acts(match, Fallback) == 1)
    assert report_of(anna).holds


def test_in_a_pause_nobody_goes_on_without_a_link(host: Host, player: NewPlayer) -> None:
    anna, match, _ = without_boris(player, wait_ms=0)
    enter(rita := player("Rita", of("Owner")))
    answer_to(rita, table.do(rita.games, "w", "", Pause(on=True)))
    anna.games.choose("w", "Boris", "claim")
    refused = anna.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    assert "paused" in str(refused)
    answer_to(rita, table.do(rita.games, "w", "", Pause(on=False)))
    anna.games.choose("w", "Boris", "claim")
    anna.until(lambda: match.table.ended is not None)
    report = report_of(anna)
    assert report.holds, report.findings


def test_who_sits_beside_a_sides_leader_and_shows_no_link_holds_nobody_up(host: Host, player: NewPlayer) -> None:
    """A friend of the other side's sat down there, and the leader's time ran out for him, who could do nothing about it."""
    players, matches = both(player, wait_ms=0, seats=(SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second")))
    anna, boris, dora = *players.values(), player("Dora")
    enter(dora)
    dora.games.send(protocol.TakeSeat("w", "blue", "second"))
    for name, one in players.items():
        one.until(lambda match=matches[name]: acts(match, ChainPublished) == 3)  # type: ignore[misc]
    dora.games.close()
    play_to_strike(players, matches, random.Random(1))
    anna.until(lambda: matches["Anna"].log.k == 1)
    late = {entry.act.participant for entry in matches["Anna"].log.entries if isinstance(entry.act, Late)}
    assert late <= {"Anna", "Boris"}  # on a slow machine theirs are late too, and come
    report = report_of(anna)
    assert report.holds, report.findings
    assert fouls(anna, boris) == []


@pytest.mark.parametrize("units", [None, (1,)], ids=["leads", "commands some"])
def test_without_the_link_of_one_side_the_other_goes_on_by_who_plays_it_while_its_leader_is_away(
    host: Host, player: NewPlayer, units: tuple[int, ...] | None
) -> None:
    """Nobody else could, and the game would wait for ever."""
    seats = (SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second", units))  # type: ignore[arg-type]
    players, _ = both(player, wait_ms=0, seats=seats)
    anna, boris, dora = *players.values(), player("Dora")
    match = enter(dora)
    dora.games.send(protocol.TakeSeat("w", "blue", "second"))
    dora.until(lambda: acts(match, ChainPublished) == 3)
    boris.games.send(protocol.LeaveSeat("w", "blue"))
    dora.until(lambda: match.witnesses.participants == ("Anna", "Dora", "server"))
    Withheld(anna, "w").is_held = True
    anna.games.give("w", "red", a_strike(match))
    dora.until(lambda: waits_for("Anna", match))
    if units is not None:
        dora.games.choose("w", "Anna", "claim")
        dora.wait(lambda note: isinstance(note, Answered) and "can't claim the game for it" in str(note.refused))
    dora.games.choose("w", "Anna", "unwitnessed")
    dora.until(lambda: match.log.k == 1)
    report = report_of(dora)
    assert report.holds, report.findings
    assert fouls(anna, boris, dora) == []


def test_who_leads_a_side_beside_its_witness_is_told_what_waits_and_chooses(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun_as(monkeypatch, LEADERS_WITNESS)  # in games from then and before: since, who has the first seat speaks for his side alone
    players, _ = both(player, wait_ms=0, seats=(SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second")))
    anna, boris, dora = *players.values(), player("Dora")
    match = enter(dora)
    dora.games.send(protocol.TakeSeat("w", "blue", "second"))
    dora.until(lambda: acts(match, ChainPublished) == 3)
    Withheld(anna, "w").is_held = True
    anna.games.give("w", "red", a_strike(match))
    dora.until(lambda: waits_for("Anna", match))
    boris.games.close()
    dora.games.choose("w", "Anna", "unwitnessed")
    dora.until(lambda: match.log.k == 1)
    report = report_of(dora)
    assert report.holds, report.findings
    assert fouls(anna, dora) == []


def test_who_did_not_follow_a_game_is_told_nothing_of_what_was_decided_without_him(player: NewPlayer) -> None:
    """He sat in the lobby, his line was up, and he was not asked."""
    players, matches = both(player, wait_ms=0)
    anna, boris = players["Anna"], players["Boris"]
    boris.games.unfollow("w")
    assert answer_to(boris, table.say(boris.games, "w", "game", "back soon")).refused is None  # behind it
    play_to_strike({"Anna": anna}, matches | {"Boris": matches["Anna"]}, random.Random(1))
    anna.until(lambda: waits_for("Boris", matches["Anna"]))
    anna.games.choose("w", "Boris", "unwitnessed")
    anna.until(lambda: matches["Anna"].log.k == 1)
    boris.games.follow("w")
    boris.until(lambda: matches["Boris"].log.k == 1)
    assert fouls(boris, anna) == []


def test_a_claim_ends_the_game(host: Host, player: NewPlayer) -> None:
    anna, match, _ = without_boris(player, wait_ms=0)
    anna.games.choose("w", "Boris", "claim")
    anna.until(lambda: acts(match, Fallback) == 1)
    assert match.outcome is not None
    assert report_of(anna).holds

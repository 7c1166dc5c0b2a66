"""A server that was started anew: players' programs try again every five seconds, and until then nobody pays, nor is called late."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core import protocol
from core.log import Flag, Late
from core.terms import ClockTerms, DiceTerms, Terms
from core.trials.verify import verify
from server import steady
from server.rooms import Room
from server.service import RETURN_MS
from server.tending import LOOK_AT_CLOCK_EVERY_S
from server.witness import LATE_S
from tests.server.conftest import toy
from tests.server.random_table import GAME, House, Person, found_wrong
from tests.server.test_held_up import SIDES, Played, acts, at_a_strike, played
from tests.toy.ruleset import End

AWAY_S, RETURN_S = 60.0, RETURN_MS / 1000
CLOCK, WITNESSED = ClockTerms("absolute", 20_000, 0, "lose"), DiceTerms("witnessed", 20_000)
Play = Callable[[Terms, str, Played], None]


async def shows_his_link(house: House, person: Person) -> None:
    """Take all that somebody's program sends to the server, and what it answers; nobody else hears of it."""
    while person.line.out:
        await house.deliver(person)
        house.hear(person)


async def all_come_back(house: House) -> None:
    for name in SIDES.values():
        await house.connect(name)
    await house.all_told()


async def strikes_and_dies(house: House) -> None:
    """Let Anna strike with four seconds left, and the server die when it has her link and not Boris'."""
    order = await at_a_strike(house)
    await house.pass_time(16)
    house.people["Anna"].games.give(GAME, "red", order)
    await shows_his_link(house, house.people["Anna"])
    assert house.room.missing() == ["Boris"]
    await house.start_anew(away_s=AWAY_S)
    assert set(house.room.missing()) == set(SIDES.values())


def told_of_clocks(person: Person) -> list[tuple[bool, dict[str, int]]]:
    """Return what somebody was told of his game's clocks: whether one runs, and what they show."""
    frames = map(protocol.decode_from_server, person.heard)
    return [(frame.runs, frame.left_ms) for frame in frames if isinstance(frame, protocol.Waiting)]


def test_who_showed_his_link_with_little_time_left_does_not_lose_by_a_restart(played: Play) -> None:
    """He was named late two seconds after the start, and lost on time before his program tried again."""

    async def what(house: House) -> None:
        await strikes_and_dies(house)
        await house.pass_time(RETURN_S - 0.1)
        await all_come_back(house)
        match = house.room.match
        assert (match.log.k, acts(match, Late), acts(match, Flag)) == (1, 0, 0)
        assert match.table.clocks.left_ms == {"red": 4_000, "blue": 20_000}
        assert not any(found_wrong(person) for person in house.people.values())
        assert verify(house.file(), load=toy).findings == ()

    played(Terms(clock=CLOCK, dice=WITNESSED), "Anna", what)


@pytest.mark.parametrize("clock", [ClockTerms(), CLOCK], ids=["no clock", "a clock"])
def test_who_does_not_come_back_is_late_when_all_others_could_have(played: Play, clock: ClockTerms) -> None:
    async def what(house: House) -> None:
        await strikes_and_dies(house)
        await house.pass_time(RETURN_S + LATE_S - 0.1)
        assert acts(house.room.match, Late) == 0
        await house.pass_time(0.1 + LOOK_AT_CLOCK_EVERY_S)
        named = [entry.act for entry in house.room.match.log.entries if isinstance(entry.act, Late)]
        assert [(late.participant, late.ms) for late in named] == [("Anna", 2_000), ("Boris", 2_000)]
        await all_come_back(house)
        assert house.room.match.log.k == 1
        assert not any(found_wrong(person) for person in house.people.values())

    played(Terms(clock=clock, dice=WITNESSED), "Anna", what)


def test_clocks_stand_until_all_can_be_back_and_their_players_see_it(played: Play) -> None:
    left = {"red": 20_000, "blue": 20_000}

    async def what(house: House) -> None:
        boris = house.people["Boris"]
        await house.restart(away_s=AWAY_S)
        boris.heard.clear()
        await house.all_told()
        await house.pass_time(RETURN_S + LOOK_AT_CLOCK_EVERY_S)
        await house.all_told()
        assert [runs for runs, _ in told_of_clocks(boris)] == [False, True]
        assert told_of_clocks(boris)[0][1] == left
        await house.pass_time(5)
        house.people["Anna"].games.give(GAME, "red", End())
        await house.all_told()
        assert house.room.match.table.clocks.left_ms == left | {"red": 20_000 - 5_000 - round(1000 * LOOK_AT_CLOCK_EVERY_S)}
        assert verify(house.file(), load=toy).findings == ()

    played(Terms(clock=CLOCK), "Anna", what)


def test_no_time_stands_still_where_no_clock_runs_and_no_order_waits(played: Play) -> None:
    async def what(house: House) -> None:
        await house.start_anew(away_s=AWAY_S)
        assert not steady.is_held()

    played(Terms(dice=WITNESSED), "Anna", what)


def test_a_server_that_reads_many_games_at_its_start_lets_nobody_pay_for_that(played: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """They can come back when the last one is read."""
    resume = Room.resume.__func__  # type: ignore[attr-defined]

    async def what(house: House) -> None:
        anna = house.people["Anna"]
        for number in range(3):
            anna.games.send(protocol.CreateGame(f"{GAME}{number}", "toy", "duel", terms=Terms()))
        await house.all_told()

        async def slowly(cls: type[Room], *where: object, **how: object) -> Room:
            house.loop.now_s += RETURN_S - 1
            return await resume(cls, *where, **how)  # type: ignore[no-any-return]

        monkeypatch.setattr(Room, "resume", classmethod(slowly))
        monkeypatch.setattr("server.service.summaries.true_line", lambda *_, **__: None)
        await house.start_anew(away_s=AWAY_S)
        now = house.room.now_ms()
        await house.pass_time(RETURN_S - 0.1)
        assert (house.room.now_ms(), house.room.match.table.clocks_at(now).left_ms["red"]) == (now, 20_000)

    played(Terms(clock=CLOCK), "Anna", what)


__all__ = ["played"]

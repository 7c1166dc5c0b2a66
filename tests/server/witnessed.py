"""What tests of witnessed dice do again and again: seat two who witness, play until dice are wanted, and look at what came of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from client.connection.fouls import Foul
from client.connection.games import Up
from client.connection.notes import Answered, Ready
from core import protocol
from core.bots.random_bot import choose
from core.gamefile import read
from core.log import ChainPublished
from core.match import Match
from core.orders import name_of
from core.terms import ClockTerms, DiceTerms, SeatTerms, Terms
from core.trials.verify import Report, verify
from tests.server.conftest import Player, take_names, toy
from tests.toy.ruleset import Strike

NewPlayer = Callable[..., Player]
SIDES = {"red": "Anna", "blue": "Boris"}


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)
    monkeypatch.setattr("server.witness.LATE_S", 0.05)


def terms(
    wait_ms: int = 60_000, clock: ClockTerms | None = None, seats: tuple[SeatTerms, ...] = (), referees: tuple[str, ...] = ()
) -> Terms:
    return Terms(dice=DiceTerms("witnessed", wait_ms), clock=clock or ClockTerms(), seats=seats, referees=referees)


def enter(
    one: Player, *, wait_ms: int = 60_000, clock: ClockTerms | None = None, seats: tuple[SeatTerms, ...] = (),
    referees: tuple[str, ...] = (), game: str = "w",
) -> Match:
    one.wait(lambda note: isinstance(note, Up))
    take_names(one.games, referees)
    one.games.send(protocol.CreateGame(game, "toy", "duel", terms=terms(wait_ms, clock, seats, referees)))
    one.games.follow(game)
    one.until(lambda: any(isinstance(note, Ready) for note in one.notes))
    match = one.games.match(game)
    assert match is not None
    return match


def acts(match: Match, kind: type) -> int:
    return sum(isinstance(entry.act, kind) for entry in match.log.entries)


def waits_for(name: str, match: Match) -> bool:
    """Say whether the first dice wait for somebody alone: on a slow machine the others' links are late too, and come."""
    return match.witnesses.late_for(1) == {name}


def seat(players: dict[str, Player], matches: dict[str, Match], game: str = "w") -> None:
    """Seat players at red and blue, and wait until each knows both chains."""
    for side, name in SIDES.items():
        players[name].games.send(protocol.TakeSeat(game, side))
    for name, one in players.items():
        one.until(lambda match=matches[name]: acts(match, ChainPublished) == 2)  # type: ignore[misc]


def both(player: NewPlayer, **options: Any) -> tuple[dict[str, Player], dict[str, Match]]:
    players = {name: player(name) for name in SIDES.values()}
    matches = {name: enter(one, **options) for name, one in players.items()}
    seat(players, matches)
    return players, matches


def a_strike(match: Match) -> Strike:
    """Return a strike that red can give now."""
    view = match.view
    mine = [unit for unit in view.position.on_map() if view.side(unit.id) == "red"]
    return next(Strike((unit.id,), here) for unit in mine for here in view.board.adjacent[unit.place] if view.side_at(here, "blue"))


def play_to_strike(players: dict[str, Player], matches: dict[str, Match], rng: random.Random) -> tuple[str, str]:
    """Play until a strike is given; return who gave it, and its order id, without waiting for the answer."""
    while True:
        here = max(matches.values(), key=lambda match: len(match.log))
        giver = SIDES[here.view.side_to_act()]
        one, match = players[giver], matches[giver]
        one.until(lambda match=match, here=here: len(match.log) == len(here.log))  # type: ignore[misc]
        order = choose(match.view, rng)
        order_id = one.games.give("w", match.view.side_to_act(), order)
        if name_of(order) == "strike":
            return giver, order_id
        answer = one.wait(lambda note, wanted=order_id: isinstance(note, Answered) and note.order_id == wanted)
        assert isinstance(answer, Answered)
        assert answer.refused is None, answer


def without_boris(player: NewPlayer, **options: Any) -> tuple[Player, Match, str]:
    """Let Anna's order wait for Boris, who is gone; return her, what she knows of the game, and the order's id."""
    players, matches = both(player, **options)
    anna, match = players["Anna"], matches["Anna"]
    players["Boris"].games.close()
    _, order_id = play_to_strike({"Anna": anna}, matches, random.Random(1))
    anna.until(lambda: waits_for("Boris", match))
    return anna, match, order_id


def report_of(one: Player, game: str = "w") -> Report:
    return verify(read(one.games.file(game)), load=toy)


def fouls(*players: Player) -> list[Foul]:
    return [note for one in players for note in one.notes if isinstance(note, Foul)]

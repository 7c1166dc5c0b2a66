"""Table acts of every kind at odd moments: each is refused in words or done whole, all see the same, and the file holds."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from core.bots.random_bot import choose
from core.gamefile import read
from core.log import Admit, AnyAct, Claim, Consent, Flag, Limit, Offer, Pause, Referee, Resign, Result, Rewind, Seat, SetClock, Withdraw
from core.terms import SpectatorTerms, Terms
from core.text import text
from core.trials.verify import verify
from tests.server.conftest import Player, toy
from tests.server.tables import GAME, do, duel, follow, order, until

NewPlayer = Callable[..., Player]


def some_act(rng: random.Random, side: str, player: str, last: int) -> AnyAct:
    """Return an act that may or may not be allowed now."""
    other, entry = rng.choice(("red", "blue")), rng.randrange(-1, last + 3)
    return rng.choice((
        Rewind(entry), Seat(other, rng.choice(("", player, "Boris"))), Limit(other, "", (1,)), Offer("rewind", entry), Offer("draw"),
        Offer("pause"), Withdraw(entry), Consent(entry, yes=rng.random() < 0.7), Flag(other), Claim(other), Pause(on=rng.random() < 0.4),
        Pause(on=False), SetClock(other, 1000), Admit(SpectatorTerms("open")), Referee(text("a word")),
        *([Resign(side), Result("", "enough")] if rng.random() < 0.1 else ()),
    ))


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_asked_of_the_table_and_whenever_the_game_stays_one_and_verifies(player: NewPlayer, seed: int) -> None:
    rng = random.Random(seed)
    anna, boris, umpire = player("Anna"), player("Boris"), player("Umpire")
    duel(anna, boris, Terms(referees=("Umpire",)))
    follow(umpire)
    players = {"Anna": (anna, "red"), "Boris": (boris, "blue"), "Umpire": (umpire, "")}
    done = refused = 0
    for _ in range(60):
        name = rng.choice(("Anna", "Anna", "Boris", "Boris", "Umpire"))
        one, side = players[name]
        with one.games.reading():
            seen = one.games.match(GAME)
            assert seen is not None
            last, to_act = len(seen.log) - 1, seen.view.side_to_act()
            wanted = choose(seen.view, rng) if to_act and to_act == side and rng.random() < 0.6 else None
        why = do(one, side, some_act(rng, side, name, last)) if wanted is None else order(one, side, wanted)
        done, refused = done + (not why), refused + bool(why)
    assert done
    assert refused
    newest = max(len(one.games.match(GAME).log) for one, _ in players.values())  # type: ignore[union-attr]
    hashes, places = set(), set()
    for one, _ in players.values():
        until(one, lambda known: len(known.log) >= newest)
        seen = one.games.match(GAME)
        assert seen is not None
        with one.games.reading():
            hashes.add(seen.log.last_hash)
            places.add(seen.view.position.digest())
    assert (len(hashes), len(places)) == (1, 1)
    report = verify(read(anna.games.file(GAME), name="odd"), load=toy)
    assert report.holds, report.findings

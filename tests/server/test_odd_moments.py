"""Table acts of every kind at odd moments: each is refused in words or done whole, all see the same, and the file holds."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from client.connection.games import Up
from client.connection.notes import Answered, Note
from core import protocol
from core.bots.random_bot import choose
from core.gamefile import read
from core.log import Admit, AnyAct, Claim, Consent, Flag, Limit, Offer, Pause, Referee, Resign, Result, Rewind, Seat, SetClock, Withdraw
from core.terms import DiceTerms, SeatTerms, SpectatorTerms, Terms
from core.text import text
from core.trials.verify import verify
from tests.server.conftest import Host, Player, toy
from tests.server.tables import GAME, Withheld, do, duel, follow, open_table, order, sit, until

NewPlayer = Callable[..., Player]


def some_act(rng: random.Random, side: str, player: str, last: int, *, may_end: bool = True) -> AnyAct:
    """Return an act that may or may not be allowed now; of those that end the game alone only if it *may_end*."""
    other, entry = rng.choice(("red", "blue")), rng.randrange(-1, last + 3)
    return rng.choice((
        Rewind(entry), Seat(other, rng.choice(("", player, "Boris"))), Limit(other, "", (1,)), Offer("rewind", entry), Offer("draw"),
        Offer("pause"), Withdraw(entry), Consent(entry, yes=rng.random() < 0.7), Flag(other), Claim(other), Pause(on=rng.random() < 0.4),
        Pause(on=False), SetClock(other, 1000), Admit(SpectatorTerms("open")), Referee(text("a word")),
        *([Resign(side), Result("", "enough")] if may_end and rng.random() < 0.1 else ()),
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
    agree(*(one for one, _ in players.values()))


def agree(*all_: Player) -> None:
    """Wait until all know the same log and position, and verify the file of the first."""
    newest = max(len(one.games.match(GAME).log) for one in all_)  # type: ignore[union-attr]
    hashes, places = set(), set()
    for one in all_:
        until(one, lambda known: len(known.log) >= newest)
        seen = one.games.match(GAME)
        assert seen is not None
        with one.games.reading():
            hashes.add(seen.log.last_hash)
            places.add(seen.view.position.digest())
    assert (len(hashes), len(places)) == (1, 1)
    report = verify(read(all_[0].games.file(GAME), name="odd"), load=toy)
    assert report.holds, report.findings


@pytest.mark.parametrize("seed", range(6))
def test_acts_while_an_order_waits_for_links_with_several_at_a_side_and_one_at_both(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)
    rng = random.Random(seed)
    players = {name: player(name) for name in ("Anna", "Boris", "Carla", "Dora", "Umpire")}
    anna, boris, carla = (players[name] for name in ("Anna", "Boris", "Carla"))
    seats = tuple(SeatTerms(side, name) for side, name in (("red", ""), ("red", "second"), ("blue", ""), ("blue", "second")))
    open_table(anna, Terms(seats=seats, referees=("Umpire",), dice=DiceTerms("witnessed")))
    for name in ("Boris", "Carla", "Dora", "Umpire"):
        follow(players[name])
    for name, side, seat in (("Anna", "red", ""), ("Carla", "red", "second"), ("Boris", "blue", ""), ("Dora", "blue", "second")):
        sit(players[name], side, seat)
    answered: set[str] = set()
    for one in players.values():
        note_answers(one, answered)
    withheld, table = Withheld(boris), host.service.rooms[GAME].match
    sides = {"Anna": ("red",), "Boris": ("blue",), "Carla": ("red",), "Dora": ("blue", "red"), "Umpire": ("",)}
    anna.until(lambda: table.witnesses.refusal() is None)
    done = refused = 0
    for number in range(50):
        may_end = number > 25
        name = rng.choice(tuple(players))
        one, side = players[name], rng.choice(sides[name])
        withheld.is_held = rng.random() < 0.7
        with one.games.reading():
            seen = one.games.match(GAME)
            assert seen is not None
            last, to_act = len(seen.log) - 1, seen.view.side_to_act()
            wanted = choose(seen.view, rng) if to_act and rng.random() < 0.6 else None
        if wanted is None:
            why = do(one, side, some_act(rng, side, name, last, may_end=may_end))
            done, refused = done + (not why), refused + bool(why)
            continue
        order_id, before = one.games.give(GAME, to_act if side else "", wanted), withheld.asked
        one.until(lambda order_id=order_id, before=before: withheld.asked > before or order_id in answered)  # type: ignore[misc]
        while order_id not in answered and rng.random() < 0.8:
            other = rng.choice(tuple(players))
            why = do(players[other], side_ := rng.choice(sides[other]), some_act(rng, side_, other, last, may_end=may_end))
            done, refused = done + (not why), refused + bool(why)
        withheld.release()
        one.until(lambda order_id=order_id: order_id in answered or table.table.ended is not None, seconds=30)  # type: ignore[misc]
    assert done
    assert refused
    agree(*players.values())
    owner = player("Owner")
    owner.wait(lambda note: isinstance(note, Up))
    owner.games.send(protocol.Kick("Carla"))
    carla.wait(lambda note: isinstance(note, Answered) and "shut out" in str(note.refused))
    do(players["Umpire"], "", Referee(text("the others go on")))
    agree(*(one for name, one in players.items() if name != "Carla"))


def note_answers(one: Player, into: set[str]) -> None:
    """Note which orders and acts were answered, whoever waits for what meanwhile."""
    tell = one.games._tell

    def noted(note: Note) -> None:
        if isinstance(note, Answered):
            into.add(note.order_id)
        tell(note)

    one.games._tell = noted

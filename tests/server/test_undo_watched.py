"""Undo and redo between two players while a third watches: all three stand at the same position after each step."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core import protocol
from core.log import Consent, Resign
from core.match import Match
from core.orders import Order
from core.position import Outcome
from tests.server.conftest import Player
from tests.server.tables import GAME, do, duel, follow, order, until
from tests.server.test_table import go
from tests.toy.ruleset import PayStep, Strike

NewPlayer = Callable[..., Player]


class Three:
    """Two players and a spectator at one game."""

    def __init__(self, player: NewPlayer) -> None:
        self.anna, self.boris, self.carla = player("Anna"), player("Boris"), player("Carla")
        self.match, _ = duel(self.anna, self.boris)
        follow(self.carla)
        self.history: dict[int, str] = {}
        self.same()

    def same(self) -> str:
        """Wait until all know the same log; check that they stand at the same position, and return its hash."""
        newest = max(self._last(one) for one in (self.anna, self.boris, self.carla))
        for one in (self.anna, self.boris, self.carla):
            until(one, lambda known: len(known.log) - 1 >= newest)
        assert len({self._hash(one) for one in (self.anna, self.boris, self.carla)}) == 1
        digests = set()
        for one in (self.anna, self.boris, self.carla):
            with one.games.reading():
                match = one.games.match(GAME)
                assert match is not None
                digests.add(match.view.position.digest())
                again = match.log.seek(match.log.head).digest()
                assert again in digests, "what is folded anew is what was followed"
        assert len(digests) == 1
        head, digest = self.match.log.head, digests.pop()
        assert self.history.setdefault(head, digest) == digest, f"entry {head} had another position before"
        return digest

    @staticmethod
    def _last(one: Player) -> int:
        match = one.games.match(GAME)
        assert match is not None
        with one.games.reading():
            return len(match.log) - 1

    @staticmethod
    def _hash(one: Player) -> bytes:
        match = one.games.match(GAME)
        assert match is not None
        with one.games.reading():
            return match.log.last_hash

    def give(self, one: Player, side: str, wanted: Order) -> str:
        assert order(one, side, wanted) == ""
        return self.same()

    def go_to(self, one: Player, side: str, to: int) -> str:
        one.games.send(protocol.AskRewind(GAME, side, to))
        until(self.anna, lambda known: known.log.head == to)
        return self.same()

    def agree(self, one: Player, side: str, to: int) -> str:
        """Go to an entry with the other side's consent, which is needed as a die was seen."""
        stood = self.match.log.head
        one.games.send(protocol.AskRewind(GAME, side, to))
        until(self.boris, lambda known: bool(known.table.offers))
        self.same()
        assert self.match.log.head == stood, "nobody goes back alone"
        assert do(self.boris, "blue", Consent(max(self.match.table.offers), yes=True)) == ""
        digest = self.same()
        assert self.match.log.head == to
        return digest

    def back(self) -> int:
        back = self.match.log.back()
        assert back is not None
        return back

    def forward(self) -> int:
        forward = self.match.log.forward()
        assert forward is not None
        return forward


@pytest.fixture
def three(player: NewPlayer) -> Three:
    return Three(player)


def test_two_moves_two_undos_two_redos_bugs_of_peers_6(three: Three) -> None:
    anna, match = three.anna, three.match
    start = three.same()
    first = three.give(anna, "red", go(match, 0))
    second = three.give(anna, "red", go(match, 1))
    assert len({start, first, second}) == 3
    assert three.go_to(anna, "red", three.back()) == first
    assert three.go_to(anna, "red", three.back()) == start
    assert three.go_to(anna, "red", three.forward()) == first
    assert three.go_to(anna, "red", three.forward()) == second


def test_an_undone_move_that_is_made_otherwise_grows_another_branch_and_redo_follows_it_bugs_of_peers_6(three: Three) -> None:
    anna, match = three.anna, three.match
    three.give(anna, "red", go(match, 0))
    three.go_to(anna, "red", three.back())
    other = three.give(anna, "red", go(match, 1))
    three.go_to(anna, "red", three.back())
    assert three.go_to(anna, "red", three.forward()) == other


def strike(match: Match) -> Strike:
    view = match.view
    red = next(u.id for u in view.position.on_map() if view.side(u.id) == "red")
    here = next(h for h in view.board.adjacent[view.unit(red).place] if view.side_at(h, "blue"))
    return Strike((red,), here)


def test_an_interrupted_order_is_undone_given_again_and_redone_bugs_of_peers_7(three: Three) -> None:
    """A strike that hits is interrupted by the other side's choice; undone and given again, its die is another."""
    match, start = three.match, three.match.log.head
    rolled: list[int] = []
    hit = -1
    while hit < 0:
        after = three.give(three.anna, "red", strike(match))
        entry = match.log.entries[match.log.head]
        rolled.append(entry.k)
        hit = entry.number if match.view.side_to_act() == "blue" else -1
        three.agree(three.anna, "red", start)
        assert three.agree(three.anna, "red", entry.number) == after, "what was undone comes back as it was"
        if hit < 0:
            three.agree(three.anna, "red", start)
    assert rolled == list(range(1, len(rolled) + 1)), "no number of chance comes twice"
    victim = match.view.side_at(match.view.decision().hex, "blue")[0]  # type: ignore[union-attr]
    three.give(three.boris, "blue", PayStep(victim))


def test_a_game_that_ends_amid_a_combat_replays_to_its_end_and_steps_back_bugs_of_peers_9(three: Three, player: NewPlayer) -> None:
    match, start = three.match, three.match.log.head
    while match.view.side_to_act() == "red":
        if match.log.head != start:
            three.agree(three.anna, "red", start)
        amid = three.give(three.anna, "red", strike(match))
    assert do(three.anna, "red", Resign("red")) == ""
    three.same()
    late = player("Late")
    replayed = follow(late)
    assert replayed.outcome == Outcome("blue", "red resigned")
    assert replayed.log.last_hash == match.log.last_hash
    assert replayed.view.position.digest() == amid
    assert replayed.log.seek(replayed.log.entries[replayed.log.head].parent).digest() == three.history[start]
    assert replayed.log.seek(replayed.log.head).digest() == amid
    assert "the game is over" in order(three.boris, "blue", PayStep(match.view.side_at(match.view.decision().hex, "blue")[0]))  # type: ignore[union-attr]

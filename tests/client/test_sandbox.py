"""What if: a branch off any moment, played here, of which the real game knows nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from client.session.remote import RemoteMatch
from client.session.replay import FileMatch
from client.session.sandbox import SandboxMatch
from client.session.saved import SavedMatch
from core.errors import Refused
from core.match import Match
from core.orders import OptionPick, Order, Picks, compose
from core.pack import Pack
from core.units import UnitId
from tests.toy.ruleset import End, Go, free

Maker = Callable[..., SavedMatch]


@pytest.fixture
def played(new_match: Maker) -> SavedMatch:
    match = new_match()
    orders: list[Order] = [Go(UnitId(0), free(match.view, UnitId(0))[0]), End(), End()]
    for order in orders:
        match.order(order)
    return match


@pytest.mark.parametrize("index", [0, 1, 2, 3])
def test_a_branch_begins_with_the_position_of_its_moment(played: SavedMatch, index: int) -> None:
    branch = SandboxMatch(played, index, clock=lambda: 0)
    played.seek(index)
    assert branch.view.position.digest() == played.view.position.digest()
    assert branch.cursor == index
    assert branch.may_act


def test_the_real_game_learns_nothing_of_the_branch(played: SavedMatch) -> None:
    before = played.to_bytes()
    branch = SandboxMatch(played, 1, clock=lambda: 0)
    branch.order(End())
    branch.order(End())
    assert played.to_bytes() == before
    assert len(branch.moments()) == 4


def test_dice_fall_in_a_branch(played: SavedMatch) -> None:
    branch = SandboxMatch(played, 1, clock=lambda: 0)
    branch.order(first_of(branch, "strike"))
    assert branch.tally(branch.cursor).rolls
    assert branch.match.log.k == 1


def first_of(match: SandboxMatch, name: str) -> Order:
    """Return the order of a type that the first open picks lead to."""
    walk: Picks = (OptionPick(name),)
    while not match.options(walk).complete:
        walk = (*walk, next(iter(match.options(walk).picks)))
    return compose(match.setting.ruleset.orders[name].order, walk[1:])


def test_undo_stops_where_the_branch_begins(played: SavedMatch) -> None:
    branch = SandboxMatch(played, 2, clock=lambda: 0)
    branch.order(End())
    branch.undo()
    assert branch.cursor == 2
    with pytest.raises(Refused) as refused:
        branch.undo()
    assert "real game" in str(refused.value)


def test_a_bot_can_sit_in_a_branch(played: SavedMatch) -> None:
    branch = SandboxMatch(played, 3, clock=lambda: 0, seats={"red": "random", "blue": "person"})
    assert branch.bot_to_act == ("random" if branch.match.view.side_to_act() == "red" else "")


def test_a_branch_can_be_written_and_watched_like_any_game(played: SavedMatch) -> None:
    branch = SandboxMatch(played, 1, clock=lambda: 0)
    branch.order(first_of(branch, "strike"))
    watched = FileMatch(branch.to_bytes(), name="branch", clock=lambda: 0)
    assert len(watched.moments()) == len(branch.moments())
    watched.seek(2)
    assert watched.view.position.digest() == branch.view.position.digest()


class Line:
    """A line to a server, over which the game comes; once it is closed, nothing may be asked any more."""

    def __init__(self, known: SavedMatch) -> None:
        self._known = known
        self.is_closed = False

    def match(self, game: str) -> Match:
        assert not self.is_closed
        return self._known.match

    def pack(self, game: str) -> Pack:
        return self._known.pack

    def reading(self) -> threading.RLock:
        return threading.RLock()

    def __getattr__(self, name: str) -> Callable[..., None]:
        assert not self.is_closed, f"the server was asked for {name}"
        return lambda *args: None


def test_of_a_branch_of_a_game_on_a_server_nothing_goes_there(played: SavedMatch) -> None:
    line = Line(played)
    remote = RemoteMatch(line, "toy", "Anna")  # type: ignore[arg-type]
    line.is_closed = True
    branch = SandboxMatch(remote, 2, clock=lambda: 0)
    branch.order(End())
    branch.undo()
    branch.redo()
    branch.order(End())
    assert len(branch.moments()) == 5
    assert len(remote.moments()) == 4

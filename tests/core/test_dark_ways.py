"""Going back in games with secrets: whether others are asked hangs on what who goes back was told, and tells him no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import pytest

from core.board import Hex
from core.errors import Broken
from core.events import Event, Explained, Moved, Revealed, Veiled
from core.game import Game
from core.hidden import Secrets
from core.log import Entry
from core.match import ServerDice, new_server_match
from core.orders import Order
from core.seen import SeenLog, fingerprint
from core.table import SIDES_ARE_APART
from core.text import text
from core.trials.properties import views_keep_their_law
from core.units import UnitId
from tests.hidden_toy import ruleset as toy
from tests.hidden_toy.pack import ambush
from tests.hidden_toy.ruleset import Deploy, End, Lay, March, Plan

SETTING = ambush()
RED, BLUE = UnitId(0), UnitId(6)
AT, BACK, AWAY, NEAR, HOME = (Hex(SETTING.board.hex(name)) for name in ("T0202", "T0201", "T0101", "T0302", "T0402"))
KEPT = msgspec.structs.replace(toy.SECRETS, explanations={"spotted": "red"}, rolls={"spotting": "red"})

Happens = Callable[[Game, Order], Iterator[Event]]


def begun() -> ServerDice:
    """Return a game in which red is to act, a counter of each side on the map."""
    keeper = new_server_match(SETTING, game="ways", seed=bytes(32), clock=lambda: 0)
    for side, order in (
        ("red", Deploy(RED, AT)), ("red", End()), ("blue", Deploy(BLUE, HOME)), ("blue", End()),
        ("red", Plan("bold")), ("blue", Plan("bold")),
    ):
        keeper.order(side, order)
    return keeper


def lets(keeper: ServerDice, to: int, side: str) -> bool:
    return keeper.match.table.lets_undo(keeper.match.log, to, side)


def ordered(keeper: ServerDice, side: str, order: Order) -> Entry:
    keeper.order(side, order)
    return keeper.match.log.entries[-1]


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Keep what else happens at blue's marches from blue."""

    def keeping(happens: Happens, secrets: Secrets = KEPT) -> None:
        march = toy.RULESET.orders["march"]

        def handle(game: Game, order: March) -> Iterator[Event]:
            side = game.side_to_act()
            yield from march.handle(game, order)
            if side == "blue" and game.position.place_mark(AT, "red_mine"):
                yield from happens(game, order)

        monkeypatch.setitem(toy.RULESET.orders, "march", msgspec.structs.replace(march, handle=handle))
        monkeypatch.setattr(toy.RULESET, "secrets", secrets)

    return keeping


def spots(game: Game, order: Order) -> Iterator[Event]:
    yield Explained("spotted", text("red's miners saw it"))


def rolls(game: Game, order: Order) -> Iterator[Event]:
    yield from game.roll("spotting")


def answers() -> list[bool]:
    """Return whether blue takes its march back unasked where red has laid a mine and where it has not, which look alike to it."""
    free, prints = [], set()
    for lays in (False, True):
        keeper = begun()
        if lays:
            keeper.order("red", Lay(AT))
        keeper.order("red", March((RED,), AWAY))
        keeper.order("red", End())
        before = keeper.match.log.head
        keeper.order("blue", March((BLUE,), NEAR))
        free.append(lets(keeper, before, "blue"))
        prints.add(fingerprint(SeenLog(SETTING, keeper.match.log, "blue").grow()))
    assert len(prints) == 1, "blue was told"
    return free


@pytest.mark.parametrize("happens", [spots, rolls])
def test_what_is_hidden_from_who_gave_an_order_makes_no_difference_to_whether_he_takes_it_back(
    kept: Callable[..., None], happens: Happens
) -> None:
    kept(happens)
    assert answers() == [True, True]


def test_nobody_takes_back_what_may_have_thrown_dice_that_he_is_not_told_of(kept: Callable[..., None]) -> None:
    """Else he gave it again until what came of it pleased him."""
    kept(rolls, msgspec.structs.replace(KEPT, unseen_chance=frozenset({"march"})))
    assert answers() == [False, False]


def test_a_ruleset_says_which_orders_throw_dice_that_who_gives_them_is_not_told_of(
    kept: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(rolls)
    keeper = begun()
    for side, order in (("red", Lay(AT)), ("red", March((RED,), AWAY)), ("red", End())):
        keeper.order(side, order)
    entry = ordered(keeper, "blue", March((BLUE,), NEAR))
    with pytest.raises(Broken, match="march"):
        views_keep_their_law(keeper.match, entry)
    monkeypatch.setattr(toy.RULESET, "secrets", msgspec.structs.replace(KEPT, unseen_chance=frozenset({"march"})))
    views_keep_their_law(keeper.match, entry)


def test_what_somebody_has_done_unseen_since_tells_nobody_of_it_when_he_goes_on_as_before() -> None:
    """Red marches, takes it back, lays a mine or not, and marches after all: blue is asked in neither game, or would know."""
    for lays in (False, True):
        keeper = begun()
        before = keeper.match.log.head
        marched = ordered(keeper, "red", March((RED,), AWAY)).number
        keeper.rewind(before)
        if lays:
            keeper.order("red", Lay(AT))
        assert lets(keeper, marched, "red")
        assert not lets(keeper, marched, "blue")


@pytest.mark.parametrize(
    "happens",
    [
        lambda game: game.roll("strike"),
        lambda game: iter((Explained("march", text("a march")),)),
        lambda game: iter((Revealed(BLUE),)),
        lambda game: iter((Revealed(RED),)),
        lambda game: game.draw("deck", toy.staff(game, "blue")),
        lambda game: iter((Moved((RED,), (AT,)),)),
    ],
    ids=["a roll", "an explanation", "an own counter turned up", "another's", "a card", "a stack of the other side's moves"],
)
def test_what_somebody_was_told_beside_what_he_did_is_not_taken_back_unasked(
    monkeypatch: pytest.MonkeyPatch, happens: Callable[[Game], Iterator[Event]]
) -> None:
    keeper = begun()
    keeper.order("red", March((RED,), AWAY))
    keeper.order("red", End())
    before = keeper.match.log.head
    keeper.order("blue", March((BLUE,), NEAR))
    assert lets(keeper, before, "blue")
    keeper.rewind(before)
    march = toy.RULESET.orders["march"]

    def handle(game: Game, order: March) -> Iterator[Event]:
        yield from march.handle(game, order)
        yield from happens(game)

    monkeypatch.setitem(toy.RULESET.orders, "march", msgspec.structs.replace(march, handle=handle))
    keeper.order("blue", March((BLUE,), NEAR))
    assert not lets(keeper, before, "blue")


def test_nobody_goes_unasked_to_what_is_none_of_his_or_is_not_there() -> None:
    keeper = begun()
    log = keeper.match.log
    before = log.head
    keeper.order("red", March((RED,), AWAY))
    assert lets(keeper, before, "red")
    assert not lets(keeper, before, "blue")
    assert not lets(keeper, before - 1, "red")  # blue's plan lies between
    assert not any(lets(keeper, to, "red") for to in (-1, len(log), 10**9))


def test_an_order_that_can_not_be_read_is_not_taken_back_unasked() -> None:
    keeper = begun()
    log = keeper.match.log
    before = log.head
    log.add(log.seal(time_ms=0, side="red", order=b"\xff"))
    assert not lets(keeper, before, "red")


def test_in_a_log_that_is_cut_for_somebody_what_came_in_sight_or_out_of_it_is_not_taken_back_unasked() -> None:
    keeper = begun()
    log = keeper.match.log
    before = log.head
    log.add(log.seal(time_ms=0, side="red", order=b"\x81\xa5order\xa3lay", events=(Veiled((RED,)),)))
    assert not lets(keeper, before, "red")


def test_games_from_before_are_held_to_what_was_so_then(kept: Callable[..., None]) -> None:
    kept(rolls)
    keeper = begun()
    keeper.match.table.version = SIDES_ARE_APART - 1
    for side, order in (("red", Lay(AT)), ("red", March((RED,), AWAY)), ("red", End())):
        keeper.order(side, order)
    before = keeper.match.log.head
    keeper.order("blue", March((BLUE,), NEAR))
    assert not lets(keeper, before, "blue")

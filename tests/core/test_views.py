"""What each side may see: one law for positions and events, over whole games, and against an oracle that was written apart."""

from __future__ import annotations

import random

import pytest

from core.bots.random_bot import busy, choose
from core.cutting import FOR_ALL, NAMED, OF_ONE, OF_SOME, TOLD, Cut, settled
from core.errors import Refused
from core.events import Concealed, Event, Moved, Placed, Removed, Revealed, Shown, Veiled
from core.fold import fold, fold_all
from core.hidden import OPEN, PUBLIC, Eye, Secrets, is_unknown
from core.match import ServerDice, new_server_match
from core.options import options
from core.orders import Pick, Picks
from core.position import Position
from core.setting import Setting
from core.units import Side, UnitId
from core.views import View, cut, eye_of, view_for
from tests.hidden_toy.pack import ambush
from tests.hidden_toy.ruleset import Deploy, Lay

VIEWERS = ("red", "blue", PUBLIC, OPEN)
SETTING = ambush()


def played(seed: int) -> ServerDice:
    keeper = new_server_match(SETTING, game="views", seed=bytes([seed]) * 32, clock=lambda: 0)
    rng = random.Random(seed)
    while keeper.match.view.position.outcome is None:
        side = keeper.match.view.side_to_act()
        keeper.order(side, busy(keeper.match.view.seen_by(side), rng))
    return keeper


GAMES = [played(seed) for seed in range(8)]


def events_of(keeper: ServerDice) -> list[Event]:
    return [event for entry in keeper.match.log.path() for event in entry.events]


def test_nobody_forgot_to_say_who_may_see_an_event() -> None:
    assert set(Event.__subclasses__()) == FOR_ALL | NAMED | OF_ONE | OF_SOME | TOLD


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("keeper", GAMES, ids=lambda keeper: keeper.match.game)
def test_the_view_of_what_was_folded_is_the_fold_of_what_was_cut(keeper: ServerDice, viewer: str) -> None:
    position, seen = Position(), view_for(SETTING, Position(), viewer)
    for event in events_of(keeper):
        fold_all(seen, cut(SETTING, position, event, viewer))
        fold(position, event)
        assert seen.to_builtins() == view_for(SETTING, position, viewer).to_builtins(), event


KINDS_OF_SECRETS = {
    "a cup of one side": Secrets(cups={"deck": "red"}),
    "a cup of one side whose chits lie face down": Secrets(cups={"deck": "blue"}, chits=frozenset({"deck"})),
    "chits face down": Secrets(chits=frozenset({"deck"})),
    "marks of units": Secrets(unit_marks=frozenset({"moved"})),
    "marks of places and tracks": Secrets(place_marks={"red_mine": "red"}, tracks={"blue_plan": "blue", "red_mines": "red"}),
    "boxes": Secrets(boxes={"red_camp": "red"}, unit_marks=frozenset({"moved"})),
    "rolls and explanations": Secrets(stacks=True, rolls={"strike": "red"}, explanations={"draw": "blue"}),
    "stacks alone": Secrets(stacks=True),
}


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("secrets", KINDS_OF_SECRETS.values(), ids=KINDS_OF_SECRETS)
def test_the_law_holds_for_each_kind_of_secret_alone(secrets: Secrets, viewer: str) -> None:
    eye = Eye(secrets, viewer, types=SETTING.types, board=SETTING.board, sides=SETTING.sides)
    cut_away = 0
    for keeper in GAMES[:4]:
        cutting, seen = Cut(eye, Position()), eye.view(Position())
        for event in events_of(keeper):
            if not secrets.stacks and isinstance(event, Concealed | Revealed):
                continue
            told = cutting.take(event)
            cut_away += told != (event,)
            fold_all(seen, told)
            assert seen.to_builtins() == eye.view(cutting.position).to_builtins(), event
    assert bool(cut_away) == (viewer != OPEN and not _is_all_of(secrets, viewer))


def _is_all_of(secrets: Secrets, viewer: str) -> bool:
    """Say whether a viewer owns all that these secrets keep: then nothing is cut for him."""
    owners = {*secrets.boxes.values(), *secrets.place_marks.values(), *secrets.tracks.values(), *secrets.cups.values()}
    return not secrets.stacks and not secrets.unit_marks and not secrets.chits and not secrets.boxes and owners == {viewer}


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("keeper", GAMES, ids=lambda keeper: keeper.match.game)
def test_an_entry_told_at_once_folds_to_the_same_view(keeper: ServerDice, viewer: str) -> None:
    position, seen = Position(), view_for(SETTING, Position(), viewer)
    for entry in keeper.match.log.path():
        told: list[Event] = []
        for event in entry.events:
            told += cut(SETTING, position, event, viewer)
            fold(position, event)
        fold_all(seen, settled(told))
        assert seen.to_builtins() == view_for(SETTING, position, viewer).to_builtins(), entry.number


def doors(view: View, picks: Picks) -> list[tuple[Pick, str]]:
    return [(door.pick, str(door.refused)) for door in options(view, picks).doors]


@pytest.mark.parametrize("keeper", GAMES, ids=lambda keeper: keeper.match.game)
def test_whoever_is_to_act_is_offered_the_same_on_his_view_as_on_the_position(keeper: ServerDice) -> None:
    log = keeper.match.log
    for entry in log.path()[:-1]:
        whole = View(SETTING, log.seek(entry.number))
        own = whole.seen_by(whole.side_to_act())
        for picks in ((), *((pick,) for pick in options(whole).picks)):
            assert doors(own, picks) == doors(whole, picks)
        for viewer in VIEWERS:
            assert whole.seen_by(viewer).prompt() == whole.prompt()
        assert not options(whole.seen_by(whole.other(whole.side_to_act()))).doors


def test_how_long_refusals_take_hangs_on_what_is_hidden_once_a_position_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cutting a view takes the longer the more is hidden: who gives wrong orders by the thousand would measure it."""
    match = new_server_match(SETTING, game="views", seed=bytes(32), clock=lambda: 0).match
    cuts: list[str] = []

    def counted(setting: Setting, position: Position, viewer: Side) -> Position:
        cuts.append(viewer)
        return view_for(setting, position, viewer)

    monkeypatch.setattr("core.views.view_for", counted)
    side = match.view.side_to_act()
    for _ in range(3):
        with pytest.raises(Refused, match="no order of this moment"):
            match.propose(side, Lay())
        with pytest.raises(Refused, match="decides now"):
            match.propose(match.view.other(side), Lay())
    assert cuts == [side]
    placed = next(one for one in (choose(match.view, random.Random(seed)) for seed in range(99)) if isinstance(one, Deploy))
    accepted = match.propose(side, placed)
    assert isinstance(accepted, tuple)
    match.accept(*accepted)
    with pytest.raises(Refused):
        match.propose(match.view.side_to_act(), Lay())
    assert cuts == [side, match.view.side_to_act()]


@pytest.mark.parametrize("viewer", ["red", "blue", PUBLIC])
@pytest.mark.parametrize("keeper", GAMES, ids=lambda keeper: keeper.match.game)
def test_a_view_holds_what_an_oracle_says_and_no_more(keeper: ServerDice, viewer: str) -> None:
    """bugs-of-peers 21: the wrong player's facts. The oracle reads the full position fact by fact, and shares no code with the view."""
    for entry in keeper.match.log.path():
        position = keeper.match.log.seek(entry.number)
        view = view_for(SETTING, position, viewer)
        mine = {unit for unit, counter in position.units.items() if counter.type.startswith(viewer)}
        camps = {SETTING.board.box("red_camp"), SETTING.board.box("blue_camp")}
        known = {u for u, counter in position.units.items() if u in mine or (u not in position.hidden and counter.place not in camps)}
        assert {unit for unit in view.units if not is_unknown(unit)} == known
        stacks = {(c.type.split("_")[0], c.place) for u, c in position.units.items() if u not in known and c.place >= 0}
        assert {(view.units[u].type.removeprefix("?"), view.units[u].place) for u in view.units if is_unknown(u)} == stacks
        assert set(view.chits) == set(position.chits) & mine
        assert sum(view.cups["deck"].values()) == sum(position.cups["deck"].values()) + len(set(position.chits) - mine)
        assert view.place_marks.keys() <= {f"{viewer}_mine"}
        assert {track for track in view.tracks if track.endswith(("_plan", "_mines"))} <= {f"{viewer}_plan", f"{viewer}_mines"}
        assert view.next_unit == 0


def test_the_games_show_and_veil_and_hide_enough_to_test_anything_with() -> None:
    told = [e for keeper in GAMES for seen in [Position()] for e in _cut_all(keeper, "blue", seen)]
    assert sum(isinstance(event, Shown) and event.unit.id >= 0 for event in told) > 20
    assert sum(isinstance(event, Veiled) for event in told) > 20
    assert {type(event).__name__ for event in told} >= {"UnknownMoved", "Explained", "Rolled", "CupFilled", "StepsChanged", "Removed"}


def _cut_all(keeper: ServerDice, viewer: str, position: Position) -> list[Event]:
    told: list[Event] = []
    for event in events_of(keeper):
        told += cut(SETTING, position, event, viewer)
        fold(position, event)
    return told


@pytest.mark.parametrize("viewer", ["blue", PUBLIC])
def test_neither_how_many_counters_are_placed_nor_in_what_order_is_told(viewer: str) -> None:
    here, there = SETTING.board.hex("T0101"), SETTING.board.hex("T0201")
    told = set()
    for places in ((here, there), (there, here), (here, here, there), (there, there, here, there)):
        happened: list[Event] = []
        for number, place in enumerate(places):
            happened += [Concealed((UnitId(number),)), Placed(UnitId(number), "red_scout", "x", place, 2)]
        told.add(Cut(eye_of(SETTING, viewer), Position()).take_all(happened))
    assert len(told) == 1
    assert {event.unit.place for event in told.pop() if isinstance(event, Shown)} == {here, there}


def test_an_unknown_stack_that_comes_and_goes_within_an_entry_is_not_told() -> None:
    here, there, beyond = (SETTING.board.hex(label) for label in ("T0101", "T0201", "T0301"))
    happened = [Concealed((UnitId(0),)), Placed(UnitId(0), "red_scout", "x", here, 2), Removed(UnitId(0), "x")]
    assert Cut(eye_of(SETTING, "blue"), Position()).take_all(happened) == ()
    moved = [*happened[:2], Moved((UnitId(0),), (there,)), Moved((UnitId(0),), (beyond,))]
    *_, last = Cut(eye_of(SETTING, "blue"), Position()).take_all(moved)
    assert isinstance(last, Shown)
    assert last.unit.place == beyond


def test_a_position_with_hidden_counters_is_what_its_bytes_say() -> None:
    position = GAMES[0].match.log.seek(0)
    assert position.hidden
    assert Position.decode(position.encode()).hidden == position.hidden
    assert Position.decode(view_for(SETTING, position, "red").encode()) == view_for(SETTING, position, "red")

"""A host who plays does at the table what its rules refuse her: other players' programs tell, and `verify` finds it."""

from __future__ import annotations

import random
from collections.abc import Callable

import msgspec
import pytest

from core.bots.random_bot import choose
from core.game import StopDice, decide
from core.identity import link_message
from core.log import AnyAct, Away, Claim, Entry, Flag, Limit, Pause, Resign, Result, Seat, SetClock
from core.orders import Order, name_of
from core.signed import order_bytes
from core.terms import ClockTerms, DiceTerms, Terms
from core.views import View
from core.witnesses import SERVER
from tests.server.hostile import at_a_strike, pause, record_of, words
from tests.toy.witnessed import WAIT_MS, Host, key_of, rolled, seated


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)


@pytest.mark.parametrize("owner", ["", "Olga"], ids=["nobody's game", "Olga's game"])
@pytest.mark.parametrize(("act", "side", "player", "why"), [
    (Claim("red"), "red", "Anna", "no fallen flag gives the game to red"),
    (Flag("blue"), "", "", "the time of blue is not out"),
    (Result("red", "enough"), "", "Anna", "only a referee may end the game with a result"),
    (Result("", "enough"), "", "", "whoever does something at a table has a name"),
    (SetClock("blue", 0), "", "Anna", "only a referee may set a clock"),
    (Pause(on=True), "red", "Anna", "the others must agree to a pause"),
    (Seat("blue", ""), "", "Anna", "the blue seat is held by Boris, not by Anna"),
    (Limit("blue", "", ()), "red", "Anna", "the first seat of blue has no limit"),
], ids=["claims", "flag", "wins", "nobody ends it", "sets a clock", "pauses", "frees a seat", "limits"])
def test_what_the_rules_of_the_table_refuse_is_told_and_found_whoever_owns_the_game(
    act: AnyAct, side: str, player: str, why: str, owner: str
) -> None:
    """A host began a game whose terms named no owner, as only those of one person alone do: nothing was held to any rule."""
    clock = ClockTerms("absolute", 3_600_000, 0, "claim")
    keeper = seated(terms=Terms(owner=owner, clock=clock, dice=DiceTerms("witnessed", WAIT_MS)))
    rolled(keeper)
    keeper.act(act, side=side, player=player)
    who = player or "nobody"
    assert words(keeper.programs["Boris"]) == [f"the server wrote down what {who} could not do: {why}"]
    assert [finding.text for finding in keeper.report().findings] == [f"{who} could not do this: {why}"]


def without_dice(view: View) -> Order:
    """Return an order that may be given in a position and draws nothing."""
    found = (choose(view, random.Random(seed)) for seed in range(500))
    return next(order for order in found if name_of(order) in ("end", "go", "pay"))


def goes_on(keeper: Host, parent: int) -> Entry:
    """Write down an order of the side that is to act behind an entry, signed, and with what it leads to there; all are told."""
    match, log = keeper.match, keeper.match.log
    view = View(match.setting, log.seek(parent))
    side, order = view.side_to_act(), without_dice(view)
    data, player = match.codec.encode(order), keeper.holder(side)
    signature = key_of(player).sign(order_bytes(log, "duel", side, data))
    events = decide(view, side, order, StopDice()).events
    sealed = log.seal(time_ms=keeper.now_ms, side=side, player=player, order=data, events=events, signature=signature)
    bare = msgspec.structs.replace(sealed, parent=parent, hash=b"")
    entry = msgspec.structs.replace(bare, hash=bare.digest())
    match.accept_foreign(entry)
    keeper.tell(entry)
    return entry


def test_an_order_at_another_position_than_the_games_is_told_and_gets_no_more_dice() -> None:
    """By it a host took back, unasked, what Boris had done since, and dice that she disliked."""
    keeper = seated()
    start, head = keeper.match.log.head, rolled(keeper).number
    forged = goes_on(keeper, start)
    told = [f"the server went on from entry {start} with entry {forged.number}, and the game stood at entry {head}"]
    assert words(keeper.programs["Boris"]) == told
    assert [finding.text for finding in keeper.report().findings] == [f"it was decided at entry {start}, and the head was {head}"]
    assert keeper.ask("Boris", keeper.waiting()) is None


def resign(keeper: Host) -> None:
    keeper.act(Resign("blue"), side="blue", player="Boris")


over = pytest.mark.parametrize(("stops", "why"), [(pause, "paused"), (resign, "over: blue resigned")])


@over
def test_an_order_in_a_pause_or_when_the_table_has_ended_the_game_is_told_and_found(stops: Callable[[Host], None], why: str) -> None:
    """A host played on while her clock stood still."""
    keeper = seated()
    stops(keeper)
    goes_on(keeper, keeper.match.log.head)
    assert words(keeper.programs["Boris"]) == [f"the server wrote down what Anna could not do: the game is {why}"]
    assert [finding.text for finding in keeper.report().findings] == [f"Anna could not order this: the game is {why}"]


@over
@pytest.mark.parametrize("something_comes", [False, True])
def test_for_an_order_in_a_pause_or_when_the_table_has_ended_the_game_no_link_is_shown(
    stops: Callable[[Host], None], why: str, something_comes: bool
) -> None:
    keeper, order = at_a_strike()
    stops(keeper)
    record = record_of(keeper, order)
    if something_comes:
        keeper.act(Away(0))
    assert keeper.ask("Boris", record) is None
    told = f"the server asks for the dice of an order that {record.player} could not give: the game was {why}"
    assert words(keeper.programs["Boris"]) == [told]
    keeper.match.hold(record)
    links = {SERVER: keeper.chain.link(1)}
    for name in ("Anna", "Boris"):
        link = keeper.programs[name].witness.chain.link(1)
        links[name] = link + key_of(name).sign(link_message("duel", 1, record.digest(), link))
    keeper.finish(links)
    found = f"{record.player} could not order this: the game {'was' if something_comes else 'is'} {why}"
    assert [finding.text for finding in keeper.report().findings] == [found]


def test_an_order_that_waited_as_the_game_was_paused_is_told_and_found_by_nobody() -> None:
    keeper = seated()
    pending = keeper.waiting()
    pause(keeper)
    links = keeper.gather(pending)
    keeper.act(Pause(on=False), side="red", player="Anna")
    pause(keeper)
    keeper.finish(links)
    assert [words(program) for program in keeper.programs.values()] == [[], []]
    assert keeper.report().findings == ()

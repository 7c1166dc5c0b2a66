"""A host who plays does at the table what its rules refuse her: other players' programs tell, and `verify` finds it."""

from __future__ import annotations

import pytest

from core.log import AnyAct, Claim, Flag, Limit, Pause, Result, Seat, SetClock
from core.terms import ClockTerms, DiceTerms, Terms
from tests.server.hostile import words
from tests.toy.witnessed import WAIT_MS, rolled, seated


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

"""What a game says of answers that can be given before their decision comes up."""

from __future__ import annotations

import pytest

from core import rulesets
from core.orders import OptionPick, compose
from core.ruleset import Ahead, Registry
from core.text import text
from rasputitsa.packs import installed
from tests.toy.ruleset import Act


@pytest.mark.parametrize("game", installed())
def test_every_decision_of_a_game_is_called_by_words_and_not_by_its_class(game: str) -> None:
    ruleset = rulesets.load(game)
    assert ruleset.titles.keys() == ruleset.decisions.keys()
    named = {name: title.template for name, title in ruleset.titles.items()}
    assert not {name for name, title in named.items() if title == name}
    assert len(set(named.values())) == len(named)


@pytest.mark.parametrize("game", installed())
def test_every_answer_ahead_is_an_order_of_its_decision_that_names_neither_unit_nor_hex(game: str) -> None:
    ruleset = rulesets.load(game)
    assert ruleset.ahead
    for name, answers in ruleset.ahead.items():
        for answer in answers:
            assert {type(pick) for pick in answer.picks} == {OptionPick}
            head = answer.picks[0]
            assert isinstance(head, OptionPick)
            assert head.option in ruleset.decisions[name].orders
            compose(ruleset.orders[head.option].order, answer.picks[1:])


def test_an_answer_that_a_decision_does_not_take_is_a_broken_promise() -> None:
    with pytest.raises(AssertionError, match="Act is answered so"):
        Registry().decision(lambda view, decision: text("act"), ahead=(Ahead.of(text("fly"), "fly"),))(Act)

"""Who is in supply when Turning Point begins (16.2, 9.1): the map must not starve those whom history supplied."""

from __future__ import annotations

import pytest

from core.match import new_server_match
from core.pack import setting
from core.rulesets import load
from core.rulesets.war_for_the_motherland import supply
from tests.packs import pack_of

NAME = "war_for_the_motherland"

# Far out in the Kalmyk steppe: the 16th Motorized's KG 5½ hexes from a depot (4 allowed), the 28th Army 7½ from a headquarters (6 allowed).
OUT = {"E5505", "E5405"}


@pytest.mark.rule(NAME, "16.2a")
def test_everybody_but_the_two_in_the_kalmyk_steppe_begins_in_supply() -> None:
    begun = new_server_match(setting(load(NAME), pack_of(NAME), "turning_point"), game="g", seed=bytes(32), clock=lambda: 0)
    view = begun.match.view
    states = {view.board.label(unit.place): supply.judge(view, unit.id) for unit in view.position.on_map()}
    assert {label for label, state in states.items() if state != "supplied"} == OUT
    assert {states[label] for label in OUT} == {"out"}

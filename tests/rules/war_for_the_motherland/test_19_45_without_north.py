"""19.45, an option: the campaign without map N."""

from __future__ import annotations

from functools import cache

import msgspec
import pytest

from core.pack import setting
from core.rulesets import load
from core.rulesets.war_for_the_motherland import supply, without_north
from core.setting import Setting
from tests.packs import pack_of
from tests.rules.war_for_the_motherland.made_scenarios import made, set_up

NAME = "war_for_the_motherland"


@cache
def campaign(without_north: bool) -> Setting:
    return setting(load(NAME), pack_of(NAME), "war_for_the_motherland", {"without_north": without_north})


def northern(labels: object) -> list[str]:
    return [label for label in labels if label.startswith("N") and label[1:].isdigit()]  # type: ignore[attr-defined]


@pytest.mark.rule(NAME, "19.45")
def test_with_map_n_its_units_assets_ports_and_sources_are_there() -> None:
    table = set_up(campaign(False))
    assert "N" in table.setting.scenario.sections
    standing = {unit.name for label in ("N1229", "N1327", "N1031") for unit in table.position.units_at(table.hex(label))}
    assert standing >= {"14", "19", "Murmansk"}
    assert northern(map(table.board.label, supply.sources(table.view, "axis"))) == ["N1032", "N2034", "N2834"]


@pytest.mark.rule(NAME, "19.45")
def test_without_map_n_nothing_of_it_exists() -> None:
    whole, table = set_up(campaign(False)), set_up(campaign(True))
    assert table.setting.scenario.sections == ("C", "E")
    assert not northern(table.board.labels)
    gone = {(unit.type, unit.name) for unit in whole.position.units.values() if northern([whole.board.label(unit.place)])}
    left = {(unit.type, unit.name) for unit in table.position.units.values()}
    assert gone
    assert left == {(unit.type, unit.name) for unit in whole.position.units.values()} - gone
    assert not northern(map(table.board.label, supply.sources(table.view, "axis")))
    assert not table.position.at(table.board.box("destroyed_ea"))  # D-85: what isn't there is not destroyed


@pytest.mark.rule(NAME, "19.45")
def test_victory_and_production_stay_as_they_are() -> None:
    assert campaign(True).scenario.rules["victory"] == campaign(False).scenario.rules["victory"]
    assert campaign(True).charts.turns == campaign(False).charts.turns


@pytest.mark.rule(NAME, "19.45")
def test_markers_laid_under_units_of_the_north_go_with_them() -> None:
    rows = '["N1229", "sov_infantry_army", "14"], ["C1119", "sov_infantry_army", "23"]'
    words = 'preset_markers = [["sov_infantry_army", "14", "C* 2-3/1-2", 1], ["sov_infantry_army", "23", "C* 2-3/1-2", 1]]'
    words += '\n[rules.victory]\ncities = { N1327 = 5, C1418 = 7 }\nlevels = [["", "Draw", 0]]'
    table = set_up(made(setup=rows, rules=words, sections="CN", options={"without_north": True}))
    assert [table.unit(unit).name for unit in table.position.chits] == ["23"]
    assert table.setting.scenario.rules["victory"]["cities"] == {"C1418": 7}


@pytest.mark.rule(NAME, "19.45")
@pytest.mark.parametrize("word", ["axis_sources", "soviet_sources", "axis_control", "conquered_sources", "not_for_arrivals", "unsupplied"])
def test_no_rule_of_the_scenario_names_a_hex_of_the_north(word: str) -> None:
    scenario = pack_of(NAME).scenarios[NAME]
    scenario = msgspec.structs.replace(scenario, rules={**scenario.rules, word: ["N1032", "C1225", "E4312"]})
    assert without_north.left_out(scenario).rules[word] == ["C1225", "E4312"]


@pytest.mark.rule(NAME, "19.45")
def test_scenarios_without_map_n_do_not_change() -> None:
    pack = pack_of(NAME)
    assert setting(load(NAME), pack, "turning_point", {"without_north": True}).scenario == pack.scenarios["turning_point"]


@pytest.mark.rule(NAME, "19.45")
def test_the_option_is_part_of_what_a_game_is_and_off_unless_agreed() -> None:
    assert campaign(True).identity().options["without_north"] is True
    assert setting(load(NAME), pack_of(NAME), "turning_point").options["without_north"] is False

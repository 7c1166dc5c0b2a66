"""Faulty packs: every fault told at once, each with file, line, field, what was expected and what came."""

from __future__ import annotations

import pytest

from core.errors import BadInput
from core.pack import Pack, build_board, chosen_options, setting
from core.rulesets import load, playable
from tests.packs import pack_of
from tests.toy.ruleset import RULESET, toy_files

NAME = "war_for_the_motherland"


def damaged(name: str, *changes: tuple[str, str]) -> dict[str, bytes]:
    files = dict(pack_of(NAME).files)
    for old, new in changes:
        assert old.encode() in files[name], old
        files[name] = files[name].replace(old.encode(), new.encode(), 1)
    return files


def faults_of(files: dict[str, bytes]) -> list[str]:
    with pytest.raises(BadInput) as caught:
        setting(load(NAME), Pack(files), "turning_point")
    return [str(fault) for fault in caught.value.faults]


def test_two_faulty_unit_types_are_told_with_their_lines() -> None:
    files = damaged("units.toml", ("steps = 4", 'steps = "four"'), ("motorized = true", "motorised = true"))
    told = faults_of(files)
    assert len(told) == 2
    assert told[0].endswith("unit[0].motorised: expected only known fields, got `motorised`")
    assert told[1].startswith("units.toml:14: unit[0].steps: expected a whole number, got 'four'")


def test_a_face_of_a_counter_has_three_values_and_no_fourth() -> None:
    (told,) = faults_of(damaged("units.toml", ("faces = [[9, 8, 7]", "faces = [[9, 8, 7, 5]")))
    assert told == "units.toml:13: unit[0].faces[0]: expected a list of at most 3 values, got 4 values"


def test_a_unit_of_the_wrong_form_hides_no_strange_name_elsewhere_and_makes_none_strange() -> None:
    files = damaged("units.toml", ("steps = 4", 'steps = "four"'), ('nation = "rumanian"', 'nation = "ruritanian"'))
    text = files["scenarios/turning_point.toml"].decode()
    files["scenarios/turning_point.toml"] = text.replace('"ita_army"', '"ita_navy"', 1).encode()
    told = faults_of(files)
    assert [fault.partition(": ")[2] for fault in told] == [
        "unit[0].steps: expected a whole number, got 'four'",
        next(fault for fault in told if "ruritanian" in fault).partition(": ")[2],
        next(fault for fault in told if "ita_navy" in fault).partition(": ")[2],
    ]
    lines = files["units.toml"].decode().splitlines()
    assert "ruritanian" in lines[int(told[1].split(":")[1]) - 1]


def test_all_faults_of_a_chart_are_told_at_once_each_with_its_line_and_what_there_is() -> None:
    changes = (('row = "woods"', 'row = "wood"'), ("motorized = 3", "motorized = -3"), ("supply = 2", 'supply = "2"'))
    files = damaged("charts/terrain.toml", *changes)
    told = faults_of(files)
    assert len(told) == 3
    assert any(fault.endswith("terrain[1].row: expected one of clear, woods, major_city, got wood") for fault in told)
    lines = files["charts/terrain.toml"].decode().splitlines()
    assert {lines[int(fault.split(":")[1]) - 1] for fault in told} >= {'row = "wood"', 'supply = "2"'}


def test_an_unknown_word_of_a_scenario_is_named_with_its_line() -> None:
    (told,) = faults_of(damaged("scenarios/turning_point.toml", ("sea_movement", "see_movement")))
    assert "rules.see_movement: expected only known fields" in told
    line = int(told.split(":")[1])
    text = damaged("scenarios/turning_point.toml", ("sea_movement", "see_movement"))["scenarios/turning_point.toml"].decode()
    assert "see_movement" in text.splitlines()[line - 1]


def test_units_off_the_map_and_unknown_types_are_told_together() -> None:
    files = damaged("scenarios/turning_point.toml", ('"E6511"', '"E9911"'), ('"E6407"', '"E9907"'))
    assert len(faults_of(files)) == 2
    files = damaged("scenarios/turning_point.toml", ('"ita_army"', '"ita_navy"'), ('"sov_tank_army"', '"sov_tank_navy"'))
    assert len(faults_of(files)) == 2


def test_a_missing_chart_and_broken_toml_are_told() -> None:
    files = dict(pack_of(NAME).files)
    del files["charts/combat.toml"]
    files["charts/turns.toml"] = b"[[turn]\n"
    told = faults_of(files)
    assert any(fault.startswith("charts/combat.toml") for fault in told)
    assert any(fault.startswith("charts/turns.toml:1") for fault in told)


def test_a_row_of_the_map_with_hexes_that_do_not_touch_is_told_with_its_line() -> None:
    files = toy_files()
    files["map/T/hexsides.csv"] += b"T0101,T0505,river,,\n"
    pack = Pack(files)
    with pytest.raises(BadInput, match=r"map/T/hexsides.csv:2: expected two neighbouring hexes, got T0101 and T0505"):
        build_board(pack, pack.scenarios["duel"])


def test_a_number_that_equals_a_choice_is_kept_as_the_choice() -> None:
    manifest = pack_of("war_for_the_motherland").manifest
    for option in (one for one in manifest.option if one.choices == (False, True)):
        assert [chosen_options(manifest, {option.id: number})[option.id] for number in (0, 1)] == [False, True]
        assert type(chosen_options(manifest, {option.id: 1})[option.id]) is bool
    with pytest.raises(BadInput, match="expected one of False, True, got 2"):
        chosen_options(manifest, {"city_losses": 2})


def test_unknown_scenario_option_and_ruleset_are_told_with_what_there_is() -> None:
    with pytest.raises(BadInput, match="expected one of duel, got war"):
        setting(RULESET, Pack(toy_files()), "war")
    with pytest.raises(BadInput, match="no option"):
        chosen_options(Pack(toy_files()).manifest, {"fog": True})
    for name in ("chess", "land_without_end"):
        with pytest.raises(BadInput) as told:
            load(name)
        assert told.value.faults[0].expected == "one of " + ", ".join(playable()), "and no other"
        assert told.value.faults[0].got.startswith(name)
    assert all(load(name).orders for name in playable())


def test_an_override_replaces_a_file_and_changes_the_hash() -> None:
    files = toy_files()
    chart = files["units.toml"].replace(b"steps = 2", b"steps = 3")
    changed = Pack(files, {"units.toml": chart})
    assert changed.digest != Pack(files).digest
    assert changed.overridden == ("units.toml",)
    assert {kind.steps for kind in changed.types.values()} == {3}


def test_a_file_is_parsed_once_and_anew_when_it_was_replaced() -> None:
    pack = Pack(toy_files())
    assert pack.toml("units.toml") is pack.toml("units.toml")
    pack.files["units.toml"] = pack.files["units.toml"].replace(b"steps = 2", b"steps = 3")
    assert {unit["steps"] for unit in pack.toml("units.toml").tree["unit"]} == {3}

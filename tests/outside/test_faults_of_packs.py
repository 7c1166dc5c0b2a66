"""Whatever an owner's file has wrong is told, with all else that is wrong, and without a flood of what follows from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.rulesets.war_for_the_motherland import sequence, terms
from rasputitsa import endings, main, packs

GAME = "war_for_the_motherland"
CHARTS = ("attrition", "breakdown", "combat", "strength_markers", "terrain", "turns")
FILES = (
    *("pack.toml", "units.toml", "scenarios/turning_point.toml", "map/C/section.toml"),
    *(f"charts/{name}.toml" for name in CHARTS),
    *(f"map/C/{name}.csv" for name in ("hexes", "hexsides", "rails", "names")),
)


def lay(folder: Path, name: str, data: bytes) -> None:
    """Lay a file into an owner's folder."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def change(folder: Path, name: str, *changes: tuple[str, str]) -> None:
    """Lay a copy of one of the pack's files into an owner's folder, changed."""
    text = packs.base_files(GAME)[name].decode()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    lay(folder, name, text.encode())


def faults(folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the faults that check-pack tells of a folder."""
    assert main.run(["check-pack", GAME, "--overrides", str(folder)]) == endings.BAD_INPUT
    return [line for line in capsys.readouterr().err.splitlines() if not line.startswith("rasputitsa: ")]


def files_in(told: list[str]) -> set[str]:
    return {line.partition(":")[0] for line in told}


@pytest.mark.parametrize("data", [b"\xff\xfea", b"x = \"\xe9\"\n", b"\x00"], ids=["UTF-16", "Latin-1", "no text"])
def test_what_is_no_text_is_told_of_each_file(data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = [name for name in FILES if name.endswith(".toml")]
    for name in tables:
        lay(tmp_path, name, data)
    told = faults(tmp_path, capsys)
    assert files_in(told) == set(tables)
    assert len(told) == len(tables)


def test_empty_files_are_told_of_each_and_of_nothing_that_stands_on_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in FILES:
        lay(tmp_path, name, b"")
    told = faults(tmp_path, capsys)
    unread = {"map/C/hexes.csv", "map/C/hexsides.csv", "map/C/rails.csv", "map/C/names.csv"}  # they mean nothing without section.toml
    assert files_in(told) == set(FILES) - unread


def test_a_mark_before_the_text_and_the_line_ends_of_windows_change_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in FILES:
        lay(tmp_path, name, b"\xef\xbb\xbf" + packs.base_files(GAME)[name].replace(b"\n", b"\r\n"))
    assert main.run(["check-pack", GAME, "--overrides", str(tmp_path)]) == endings.DONE
    assert capsys.readouterr().out.count("the same as the pack's") == len(FILES)


def test_faults_of_units_do_not_hide_those_of_charts_and_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(tmp_path, "units.toml", ("steps = 4", 'steps = "four"'))
    change(tmp_path, "charts/turns.toml", ('weather = "clear"', 'weather = "rain"'))
    change(tmp_path, "map/C/hexsides.csv", ("C0101,", "C9901,"))
    assert files_in(faults(tmp_path, capsys)) == {"units.toml", "charts/turns.toml", "map/C/hexsides.csv"}


def test_a_table_without_its_columns_is_one_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(tmp_path, "map/C/hexes.csv", ("hex,terrain,", "hex,"))
    assert faults(tmp_path, capsys) == [
        "map/C/hexes.csv:1: expected hex,terrain,city,name,port,country,features,note, got hex,city,name,port,country,features,note",
        "map/C/hexes.csv: expected most of the section's 2450 hexes, got 0",
    ]


def test_a_quote_left_open_is_told_on_the_line_where_it_opens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(tmp_path, "map/C/hexes.csv", ("\nC0105,", '\nC0105,"'))
    told = faults(tmp_path, capsys)
    assert told[0].startswith("map/C/hexes.csv:6: expected a row of CSV, got ")
    assert len(told) == 2


def test_a_field_without_end_is_no_crash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(tmp_path, "map/C/hexes.csv", ("\nC0105,", "\nC0105," + 200_000 * "x"))
    assert faults(tmp_path, capsys)[0].startswith("map/C/hexes.csv:6: expected a row of CSV, got field larger")


def test_lists_within_lists_without_end_are_no_crash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = packs.base_files(GAME)["charts/turns.toml"] + b"\nx = " + 5000 * b"[" + 5000 * b"]" + b"\n"
    lay(tmp_path, "charts/turns.toml", text)
    assert faults(tmp_path, capsys) == ["charts/turns.toml:1: expected TOML, got lists or tables too deep within one another"]


def test_a_number_without_end_is_no_crash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lay(tmp_path, "charts/turns.toml", packs.base_files(GAME)["charts/turns.toml"] + b"\nx = " + 5_000 * b"9" + b"\n")
    assert faults(tmp_path, capsys) == ["charts/turns.toml:1: expected TOML, got a number of very many digits"]


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("C9999", "a hex of section C: lines 01 to 70, positions 01 to 35"),
        ("E0101", "a hex of section C: lines 01 to 70, positions 01 to 35"),
        ("C12", "a label such as E4312"),
    ],
)
def test_a_hex_that_the_section_cannot_have_is_a_fault(label: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = packs.base_files(GAME)["map/C/hexes.csv"]
    lay(tmp_path, "map/C/hexes.csv", table + f"{label},clear,,,,soviet,,\n".encode())
    line = table.count(b"\n") + 1
    assert faults(tmp_path, capsys) == [f"map/C/hexes.csv:{line}: hex: expected {said}, got {label}"]


@pytest.mark.parametrize(
    ("name", "old", "new", "field"),
    [
        ("hexes", ",clear,", ",desert,", "terrain"),
        ("hexes", ",minor,", ",huge,", "city"),
        ("hexes", ",black_sea,", ",red_sea,", "port"),
        ("hexes", ",soviet,", ",sowjet,", "country"),
        ("hexes", ",fortress,", ",bunker,", "features"),
        ("hexsides", ",minor_river,", ",brook,", "kind"),
        ("rails", ",1943", ",1943-13", "opened"),
    ],
)
def test_a_word_that_no_rule_knows_is_a_fault(
    name: str, old: str, new: str, field: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(tmp_path, f"map/C/{name}.csv", (old, new))
    told = [line for line in faults(tmp_path, capsys) if f": {field}: expected " in line]
    assert len(told) == 1
    assert told[0].endswith(f", got {new.strip(',')}") or field == "opened"


def test_a_value_out_of_bounds_is_told_with_its_bounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(tmp_path, "charts/strength_markers.toml", ("count = 6", "count = 6000000"))
    assert faults(tmp_path, capsys) == ["charts/strength_markers.toml:11: marker[0].count: expected a whole number <= 99, got 6000000"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('kind = "panzer"', 'kind = "panzr"', "kind: expected one of air_fleet, "),
        ('size = "XXX"', 'size = "XXI"', "size: expected one of XXXXX, XXXX, XXX, XX, KG, special, marker, got XXI"),
        ('stacking = "corps"', 'stacking = "crops"', "stacking: expected one of army, corps, kg, division, got crops"),
        ('stacking = "free"', 'stacking = "kg"', "stacking: expected free, got kg"),
        ('traits = ["zoc", "strategic"]', 'traits = ["zoc", "strategik"]', "traits: expected of zoc, "),
        ('cup = "C"', 'cup = "D"', "cup: expected one of A, B, C, got D"),
        ("steps = 4", "steps = 3", "steps: expected 4, a step for each face and those of ger_panzer_kg, got 3"),
        ("[[9, 8, 7], [7, 6, 7]]", "[]", "faces: expected at least one face, got none"),
        ("[[9, 8, 7], [7, 6, 7]]", "[[9, 8, -7], [7, 6, 7]]", "faces[0]: expected whole numbers >= 0, got [9, 8, -7]"),
        ("[[9, 8, 7], [7, 6, 7]]", "[[9, 8], [7, 6, 7]]", "faces[0]: expected a list of at least 3 values, got 2 values"),
        ('then = "ger_panzer_kg"', 'then = "ger_infantry_kg"', "then: expected a unit of the same nation and kind, got ger_infantry_kg"),
    ],
)
def test_what_no_rule_knows_of_a_unit_is_told(old: str, new: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(tmp_path, "units.toml", (old, new))
    (told,) = faults(tmp_path, capsys)
    where, _, what = told.partition(": unit[")
    before = packs.base_files(GAME)["units.toml"].decode().partition(old)[0]
    assert where == f"units.toml:{before.count(chr(10)) + 1}"
    assert what.partition("].")[2].startswith(said)


def test_a_fault_in_each_of_many_files_is_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lay(tmp_path, "charts/terain.toml", b"")
    change(tmp_path, "charts/terrain.toml", ('row = "woods"', 'row = "wood"'))
    change(tmp_path, "charts/combat.toml", ('"DE"', '"Q1"'))
    change(tmp_path, "units.toml", ("steps = 4", 'steps = "four"'))
    change(tmp_path, "map/C/hexes.csv", ("C0103,forest", "C0103,marsh"))
    change(tmp_path, "map/C/hexsides.csv", ("minor_river", "brook"))
    told = faults(tmp_path, capsys)
    assert [line for line in told if "C0103" in line or "marsh" in line] == [
        "map/C/hexes.csv:4: terrain: expected one of clear, forest, swamp, mountain, tundra, sea, lake, got marsh"
    ]
    files = ("charts/terain.toml", "charts/terrain.toml", "charts/combat.toml", "units.toml", "map/C/hexes.csv", "map/C/hexsides.csv")
    assert files_in(told) == set(files)
    assert len(told) == len(set(told))


def test_a_type_that_there_is_not_hides_no_hex_that_there_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = ('["C2632", "ger_infantry_corps", "26"]', '["C2731", "ger_infantry_corps", "1"]')
    change(
        tmp_path, "scenarios/fall_barbarossa.toml",
        (old[0], old[0].replace("C2632", "C9932")), (old[1], old[1].replace("corps", "crops")),
    )
    told = faults(tmp_path, capsys)
    assert [line.partition(": ")[2] for line in told] == [
        "setup[1]: expected the id of a unit type, got ger_infantry_crops",
        "setup[0]: expected a hex in play or a box, got C9932",
    ]


TURNING_POINT = "scenarios/turning_point.toml"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"51"],\n', '"51", 9],\n', "setup[16]: expected 1 to 4 steps, or none for full strength, got 9 steps"),
        ('"51"],\n', '"51", -2],\n', "setup[16]: expected 1 to 4 steps, or none for full strength, got -2 steps"),
        (
            '"ger_infantry_corps", "11"', '"ger_infantry_corps", "51"',
            "setup[17]: expected each counter once (it is in line 32), got ger_infantry_corps 51 again",
        ),
        ("last_turn = 24", "last_turn = 21", "last_turn: expected a turn from 22 on, the first, got 21"),
        ("lines = [43, 70]", "lines = [70, 43]", "lines: expected first and last line, such as [43, 70], got [70, 43]"),
        ('"1942-11"', '"Nov 1942"', "rails_until: expected a year or a month such as 1942-08, got Nov 1942"),
        ('sections = ["E"]', 'sections = ["E", "E"]', "sections: expected each section once, got E again"),
        ('side = "axis"', 'side = "axes"', "arrival[0].side: expected axis or soviet, got axes"),
        (
            '["ger_panzer_corps", "57"]', '["sov_infantry_army", "57"]',
            "arrival[0].units: expected units of the side axis, got sov_infantry_army 57 of the side soviet",
        ),
        ('[22, "axis_combat"]', '[22, "combat"]', "rules.skipped: expected one of mutual_supply, axis_movement, "),
        ('[22, "axis_combat"]', '[25, "axis_combat"]', "rules.skipped: expected a turn from 22 to 24, got 25"),
        ('["A", "C"]', '["A", "D"]', "rules.without_star_of: expected classes of A, B, C, got D"),
        ("markers_until = 21", "markers_until = 0", "rules.markers_until: expected a turn from 1 on, got 0"),
        (
            '"C 6-9/3-5", 1', '"C 9-9/3-5", 1',
            "rules.preset_markers: expected a marker that lies in cup C at the start, got C 9-9/3-5 for sov_infantry_army 62",
        ),
        ('"C 6-9/3-5", 1', '"C 6-9/3-5", 3', "rules.preset_markers: expected 1 or 2 steps for sov_infantry_army 62, got 3"),
        (
            '["fleets", "ger_air_fleet_5", "4"]', '["fleets", "ger_air_fleet_5", "4"], ["fleets", "ger_infantry_corps", "7"]',
            "setup[50]: expected counters that belong in box fleets, got ",
        ),
    ],
)
def test_what_a_scenario_cannot_begin_with_is_told(
    old: str, new: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(tmp_path, TURNING_POINT, (old, new))
    told = [line for line in faults(tmp_path, capsys) if said in line]
    assert len(told) == 1
    assert told[0].startswith(f"{TURNING_POINT}:")


def test_a_set_up_is_judged_though_a_chart_is_at_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(tmp_path, "charts/terrain.toml", ('row = "woods"', 'row = "wood"'))
    change(tmp_path, TURNING_POINT, ('["E4511", "sov_infantry_army", "21"]', '["E4709", "sov_infantry_army", "21"]'))
    told = faults(tmp_path, capsys)
    assert files_in(told) == {"charts/terrain.toml", TURNING_POINT}
    assert any("expected a hex without the enemy, got E4709" in line for line in told)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('letter = "C"', 'letter = "Q"', "letter: expected C, as the folder is called, got Q"),
        ("\nlines = [1, 70]", "\nlines = [70, 1]", "lines: expected the first and the last, of two digits, got [70, 1]"),
        ("positions = [1, 35]", "positions = [1, 350]", "positions: expected the first and the last, of two digits, got [1, 350]"),
    ],
)
def test_a_section_that_numbers_no_hexes_is_one_fault(
    old: str, new: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(tmp_path, "map/C/section.toml", (old, new))
    (told,) = faults(tmp_path, capsys)
    assert told.partition(": ")[2] == said


def test_names_that_nobody_could_write_on_the_map_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(
        tmp_path, "map/C/names.csv",
        ("city,Akhtyrka,-10.00,", "city,Akhtyrka,nan,"),
        ("city,Akkerman,-19.50,49.36,0,2,", "town,Akkerman,-19.50,1e9,720,9,"),
    )
    assert [line.removeprefix("map/C/names.csv:") for line in faults(tmp_path, capsys)] == [
        "2: x: expected a place on the board's plane, got nan",
        "3: kind: expected one of city, lake, mountains, region, river, sea, got town",
        "3: y: expected a place on the board's plane, got 1e9",
        "3: angle: expected degrees from -90 to 90, got 720",
        "3: size: expected a size from 1 to 4, got 9",
    ]


def test_the_phases_that_a_scenario_may_skip_are_those_of_the_sequence_of_play() -> None:
    assert tuple(name for name, _, _ in sequence.PHASES) == terms.PHASE_NAMES


def test_a_wrong_form_hides_nothing_else_of_its_scenario(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(
        tmp_path, TURNING_POINT,
        ('title = "Turning Point"', "title = 7"),
        ('"ger_infantry_corps", "51"],\n', '"ger_infantry_corps", "51", "two"],\n'),
        ('["E4509", "sov_infantry_army", "24"]', '["E9911", "sov_infantry_army", "24"]'),
        ('["E4511", "sov_infantry_army", "21"]', '["E4611", "sov_infantry_army", "21"]'),
        ("sea_movement = false", 'sea_movement = "no"'),
        ('["A", "C"]', '["A", "D"]'),
    )
    assert [line.partition(": ")[2] for line in faults(tmp_path, capsys)] == [
        "title: expected text, got 7",
        "setup[16][3]: expected a whole number, got 'two'",
        "rules.sea_movement: expected true or false, got 'no'",
        "rules.without_star_of: expected classes of A, B, C, got D",
        "setup[40]: expected a hex in play or a box, got E9911",
        "setup[42]: expected a hex without the enemy, got Kletskaya (E4611), where Axis units stand",
    ]


def test_of_supply_nothing_is_told_while_a_line_of_the_set_up_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    depot = '"axis_depot_extended", "a"],\n'
    change(tmp_path, TURNING_POINT, (depot, depot.replace('"a"', '"a", "one"')))
    (told,) = faults(tmp_path, capsys)
    assert "expected a whole number, got 'one'" in told


def test_who_has_a_marker_is_not_missed_while_his_own_line_is_at_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(tmp_path, TURNING_POINT, ('"sov_infantry_army", "62"]', '"sov_infantry_army", "62", "one"]'))
    (told,) = faults(tmp_path, capsys)
    assert told.endswith("expected a whole number, got 'one'")


def test_a_wrong_form_of_words_alone_hides_no_hunger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(tmp_path, TURNING_POINT, ('rule = "16.0"', "rule = 16.0"), ('unsupplied = ["E5505", "E5405"]', 'unsupplied = ["E5505"]'))
    told = faults(tmp_path, capsys)
    assert told[0].endswith(": rule: expected text, got 16.0")
    assert all("expected a unit in supply, or its hex in rules.unsupplied" in line for line in told[1:])
    assert len(told) == 2


def test_the_set_up_of_one_scenario_is_judged_though_another_has_a_wrong_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(tmp_path, "scenarios/fall_barbarossa.toml", ("last_turn = 12", 'last_turn = "twelve"'))
    change(tmp_path, TURNING_POINT, ('["E4511", "sov_infantry_army", "21"]', '["E4611", "sov_infantry_army", "21"]'))
    told = faults(tmp_path, capsys)
    assert files_in(told) == {"scenarios/fall_barbarossa.toml", TURNING_POINT}
    assert any("expected a hex without the enemy, got Kletskaya (E4611)" in line for line in told)


def test_units_that_are_called_otherwise_hide_no_fault_of_a_scenario_that_needs_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, data in packs.base_files(GAME).items():
        if b"ger_panzer_corps" in data:
            lay(tmp_path, name, data.replace(b"ger_panzer_corps", b"ger_tank_corps").replace(b'["E4509", ', b'["E9911", '))
    told = faults(tmp_path, capsys)
    assert files_in(told) == {TURNING_POINT}
    assert all("expected a hex in play or a box, got E9911" in line for line in told)


def test_a_wrong_form_in_every_scenario_is_told_of_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenarios = {name for name in packs.base_files(GAME) if name.startswith("scenarios/")}
    for name in scenarios:
        change(tmp_path, name, ("last_turn = ", 'last_turn = "late" # '))
    told = faults(tmp_path, capsys)
    assert files_in(told) == scenarios
    assert all("last_turn: expected a whole number" in line for line in told)

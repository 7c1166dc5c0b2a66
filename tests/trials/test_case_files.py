"""What case files can say: faults with their lines, differences, words of the grammar, the examples of the manual."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.errors import BadInput
from core.text import whole_number
from core.trials.case_board import hexes_in
from core.trials.case_checks import cites
from core.trials.case_file import lines_of
from core.trials.case_units import handles_in
from core.trials.cases import Result, load, rules_of, run
from rasputitsa.case import MOST
from rasputitsa.case import case as command
from tests.trials.test_cases import library

HEAD = """title = "A case"
game = "war_for_the_motherland"
scenario = "turning_point"
rules = ["5.13"]
turn = 14
phase = "axis_movement"
"""
BOARD = """
[board]
rows = [18, 22]
columns = [7, 13]

[units]
A = "2010 corps 5-7-4"
"""
MANUAL = Path(__file__).parents[2] / "docs" / "cases.md"


def played(text: str) -> Result:
    return run(load("case.toml", text.encode(), library()))


def faults(text: str) -> list[str]:
    with pytest.raises(BadInput) as caught:
        load("case.toml", text.encode(), library())
    return [str(fault) for fault in caught.value.faults]


# -------------------------------------------------------------------- the manual

EXAMPLES = [block for block in re.findall(r"```toml\n(.*?)```", MANUAL.read_text(encoding="utf-8"), re.DOTALL) if block.startswith("title")]


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_of_the_manual_pass(example: str) -> None:
    result = played(example)
    assert (result.state, result.lines) == ("passed", ())


def test_the_manual_names_every_key() -> None:
    from core.trials import case_file

    text = MANUAL.read_text(encoding="utf-8")
    for struct in (case_file.CaseText, case_file.BoardText, case_file.StateText, case_file.StepText, case_file.ExpectText):
        names = [name for name in struct.__struct_fields__ if f"`{name}`" not in text and f"[{name}]" not in text]
        assert not names, f"{struct.__name__}: {names}"


# -------------------------------------------------------------------- faults


def test_all_faults_of_a_file_are_told_with_their_lines() -> None:
    text = HEAD.replace("14", '"14"') + BOARD.replace("[7, 13]", "[7, 13]\nterain = {}") + '\n[[step]]\nordr = "move A to 2011"\n'
    told = faults(text)
    assert [line.partition(": ")[0] for line in told] == ["case.toml:5", "case.toml:11", "case.toml:17"]


def test_values_that_are_no_words_are_told_each_on_its_line() -> None:
    """The place of a value in a table of free names was once looked for without end."""
    said = faults((HEAD + BOARD).replace('A = "2010', 'B = 3\nC = 9999999999999999999\nA = "2010'))
    assert [line for line in said if "whole number" in line] == [
        "case.toml:13: units.B: expected text or a table, got a whole number",
        "case.toml:14: units.C: expected text or a table, got a whole number",
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('["5.13"]', '["5.999"]', "case.toml:4: rules: expected a rule of the game's ledger, got 5.999"),
        ('"turning_point"', '"typhoon"', "case.toml:3: scenario: expected one of"),
        ('"axis_movement"', '"axis_sleep"', "case.toml:6: phase: expected one of the phases"),
        ("2010 corps", "2099 corps", "case.toml:13: units.A: expected a hex of the board or a box"),
        ("2010 corps 5-7-4", "2010 corps 5-7-5", "case.toml:13: units.A: expected a unit type"),
        ("2010 corps 5-7-4", "2010 corps 5-7-4 +moved=²", "case.toml:13: units.A: expected a whole number, got ²"),
        ("2010 corps 5-7-4", "2010 corps 5-7-4 +moved=" + "9" * 5000, "case.toml:13: units.A: expected a whole number, got 999"),
        ("2010 corps 5-7-4", "2010 corps 5-7-4 steps=²", "case.toml:13: units.A: expected a whole number, got ²"),
        ("2010 corps 5-7-4", "2010 corps 5-7-4 steps=two", "case.toml:13: units.A: expected a whole number, got two"),
        ("2010 corps 5-7-4", "2010 corps 5-7-4 =5-7-²", "case.toml:13: units.A: expected values such as 5-7-4"),
        ("2010 corps 5-7-4", "2010 corps 5-7-4 =5-7-" + "9" * 5000, "case.toml:13: units.A: expected values such as 5-7-4"),
        ("2010 corps 5-7-4", "2010 corps C-" + "9" * 5000, "case.toml:13: units.A: expected a unit type"),
        ("2010 corps 5-7-4", "2010 corps", "expected words that only one type fits"),
        ("2010 corps 5-7-4", "2010 corps 5-7-4 +tired", "expected one of the marks"),
        ("2010 corps 5-7-4", "2010 corps 5-7-4 [6-9]", "expected a unit that draws chits"),
        ("2010 corps 5-7-4", "2010 infantry army C-3 [99-1]", "expected a chit of cup C"),
        ('A = "2010', 'with = "2010', "expected a name that is no hex and no word of the order grammar"),
        ('A = "2010', '2011 = "2010', "expected a name that is no hex and no word of the order grammar"),
    ],
)
def test_a_wrong_word_is_a_fault(old: str, new: str, said: str) -> None:
    text = (HEAD + BOARD).replace(old, new)
    assert any(said in line for line in faults(text)), faults(text)


@pytest.mark.parametrize(("word", "number"), [("12", 12), ("-3", -3), ("--3", None), ("²", None), ("9" * 5000, None), ("", None)])
def test_a_word_is_a_number_that_can_be_counted_or_none(word: str, number: int | None) -> None:
    assert whole_number(word) == number


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('order = "fly A to 2011"', "expected an order's name first"),
        ('until = "sunrise"', "expected a phase, an order's name or `end`"),
        ('draws = ["C 99-9"]', "expected a chit with its cup"),
        ('expect.marks = { A = "!tired" }', "expected one of the marks"),
        ('expect.may = "fly"', "expected one of"),
        ('change.marks = { A = "moved=²" }', "expected a whole number, got ²"),
        ('change.cups = { C = ["6-9 x²"] }', "expected a whole number, got ²"),
        ('expect.decides = "neutral"', "expected one of axis, soviet"),
        ('expect.at = { A = "9999" }', "expected a hex of the board or a box"),
        ("expect.cups = { C = { \"99-9\" = 1 } }", "expected a chit with its cup"),
        ('change.control = { axis = "9999" }', "expected a hex of the board"),
        ('change.marks = { Q = "moved" }', "expected a unit of [units] or [called]"),
    ],
)
def test_a_wrong_word_in_a_step_is_a_fault(line: str, said: str) -> None:
    told = faults(HEAD + BOARD + f"\n[[step]]\n{line}\n")
    assert len(told) == 1
    assert told[0].startswith("case.toml:16: step[0].")
    assert said in told[0]


@pytest.mark.parametrize(
    ("first", "second", "key"),
    [
        ('begin = { turn = 15, phase = "axis_movement" }', 'order = "move A to 2011"', "order"),
        ('until = "axis_combat"', 'order = "move A to 2011"', "order"),
        ('begin = { turn = 15, phase = "axis_movement" }', 'until = "axis_combat"', "until"),
    ],
)
def test_what_a_step_would_pass_over_is_a_fault(first: str, second: str, key: str) -> None:
    told = faults(HEAD + BOARD + f"\n[[step]]\n{first}\n{second}\n")
    assert len(told) == 1
    assert told[0].startswith(f"case.toml:17: step[0].{key}: expected one of begin, until and order in a step")


@pytest.mark.parametrize(
    "board",
    ['picture = "2010 . x ."', 'sides = { lake = "2010/2012" }', 'rails = ["2010 2012"]', 'terrain = { forest = "9901" }'],
)
def test_a_wrong_board_is_a_fault(board: str) -> None:
    text = HEAD + BOARD.replace("columns = [7, 13]", "columns = [7, 13]\n" + board)
    assert [line.partition(":")[2].partition(":")[0] for line in faults(text)] == ["11"]


# -------------------------------------------------------------------- differences


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ('order = "move A to 2011"\nexpect.at = { A = "2012" }', "case.toml:17: A is at 2011, not at 2012"),
        ('order = "move A along 2011 2012 2013 1913 1813"', "move A along 2011 2012 2013 1913 1813: refused:"),
        ('order = "move A to 2011"\nrefused = "5.13"', "case.toml:17: move A to 2011: accepted, and should be refused by 5.13"),
        ('order = "move A along 2009-2007 1907 1807"\nrefused = "5.14"', "refused by 5.13, not by 5.14"),
        ('order = "move A to 2011"\ndice = [3]', "dice or draws that nobody asked for: 3"),
        ('order = "move Q to 2011"', "expected words for its fields"),
        ('order = "move #² to 2011"', "expected a handle of [units] or [called], #number"),
        ('order = "move #' + "9" * 5000 + ' to 2011"', "expected a handle of [units] or [called], #number"),
        ('expect.explained = { attack = "5" }', "nothing explains attack"),
        ('expect.decides = "soviet"', "axis decides"),
        ('expect.may = "move"', "the orders that are open are end_phase, move, not move"),
        ('expect.next = { "move A" = "2011" }', "after move A are offered:"),
        ('expect.values = { A = "3-5-4" }', "A shows 5-7-4, not 3-5-4"),
        ('expect.marks = { A = "moved" }', "A has moved 0, not any"),
        ('expect.hexes = { "2010" = "" }', "2010 holds A. Corps, not nothing"),
        ('until = "attack"', "case.toml:16: the script has no die left, and one is rolled"),
    ],
)
def test_what_differs_fails_the_case_and_is_told(step: str, said: str) -> None:
    result = played(HEAD + BOARD + f"\n[[step]]\n{step}\n")
    assert result.state == "failed"
    assert any(said in line for line in result.lines), result.lines


def test_what_never_comes_is_told() -> None:
    result = played(HEAD + BOARD + '\n[special]\naxis_sources = ["2010"]\n\n[[step]]\nuntil = "attack"\n')
    assert result.lines == ("case.toml:19: attack never came: turn 24, Administrative",)


def test_what_follows_a_difference_is_not_run() -> None:
    result = played(HEAD + BOARD + '\n[[step]]\nexpect.at = { A = "2011" }\n\n[[step]]\norder = "move A to 1807"\n')
    assert len(result.lines) == 1


def test_an_open_case_is_told_apart_and_must_not_pass() -> None:
    wrong = BOARD + '\n[[step]]\nexpect.at = { A = "2011" }\n'
    assert played(HEAD + 'open = "not yet"\n' + wrong).state == "open"
    assert played(HEAD + 'open = "not yet"\n' + BOARD).state == "failed"


def test_undo_and_again_go_back() -> None:
    steps = """
[[step]]
order = "move A to 2011"
undo = true
expect.at = { A = "2011" }

[[step]]
expect.at = { A = "2010" }

[[step]]
order = "move A to 2009"

[[step]]
again = true
expect.at = { A = "2010" }
expect.accepted = ["move A to 2011"]
"""
    assert played(HEAD + BOARD + steps).lines == ()


def test_a_picture_is_drawn_as_the_map_is_seen() -> None:
    text = HEAD + """
[board]
picture = '''
2012   . f s
2112    ~ . .
'''
legend = { f = "forest", s = "swamp", "~" = "lake" }
sides = { minor_river = "2012-2010/2111" }
rails = ["2012-2010"]

[units]
A = "2012 corps 5-7-4"

[[step]]
order = "move A along 2011 2010"
expect.marks = { A = "spent=12" }

[[step]]
order = "move A to 2112"
refused = "5.21"
"""
    assert played(text).lines == ()


def test_a_table_says_the_same_as_words() -> None:
    unit = '{ at = "2010", type = "ger_infantry_corps", steps = 3, marks = "out_of_supply" }'
    text = HEAD + BOARD.replace('"2010 corps 5-7-4"', unit) + """
[[step]]
order = { order = "move", units = ["A"], path = ["2011", "2012"] }
expect.at = { A = "2012" }
expect.values = { A = "3-5-4" }

[[step]]
order = "move A to 2013"
refused = "5.13"
"""
    assert played(text).lines == ()


# -------------------------------------------------------------------- small parts


def test_lists_of_hexes_and_handles() -> None:
    assert hexes_in("2010, 2013-2011") == ["2010", "2013", "2012", "2011"]
    assert hexes_in("E1909-E2010") == ["E1909", "E1910", "E2009", "E2010"]
    assert handles_in("K2-K4") == ["K2", "K3", "K4"]
    assert handles_in("K-L") == ["K-L"]


def test_rules_by_paragraph() -> None:
    assert rules_of(["5.24a", "5.24b", "5.25"], "5.24") == ("5.24a", "5.24b")
    assert rules_of(["5.24a", "5.25"], "5.25") == ("5.25",)
    assert rules_of(["5.24a"], "5.2") == ()
    assert (cites("5.24a", "5.24"), cites("5.24", "5.24a"), cites("5.24b", "5.24a")) == (True, False, False)


def test_lines_of_keys_in_lists_and_below_them() -> None:
    text = 'a = 1\n[[step]]\nb = 1\n[step.expect]\nc = """\nd = 2\n"""\n[[step]]\nexpect.c = 3\n'
    found = lines_of(text)
    assert found == {"a": 1, "step[0]": 2, "step[0].b": 3, "step[0].expect": 4, "step[0].expect.c": 5, "step[1]": 8, "step[1].expect.c": 9}


# -------------------------------------------------------------------- the command


def test_the_command_tells_a_line_a_case_and_its_code(tmp_path: Path) -> None:
    good, bad, faulty = (tmp_path / f"{name}.toml" for name in ("good", "bad", "faulty"))
    good.write_text(HEAD + BOARD)
    bad.write_text(HEAD + BOARD + '\n[[step]]\nexpect.at = { A = "2011" }\n')
    faulty.write_text(HEAD + BOARD + "\n[[step]]\ncolour = 1\n")
    runner = CliRunner()
    for files, code, lines in (
        ([good], 0, ["good: passed: A case", "1 passed"]),
        ([good, bad], 1, ["good: passed: A case", "bad: failed: A case", f"    {bad}:16: A is at 2010, not at 2011", "1 failed, 1 passed"]),
        ([tmp_path], 2, ["bad: failed: A case"]),
    ):
        result = runner.invoke(command, [str(file) for file in files], standalone_mode=False)
        assert result.return_value == code
        assert result.stdout.splitlines()[: len(lines)] == lines


def test_a_file_that_is_no_case_however_large_it_is_is_not_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "large.toml").write_text("#" * (MOST + 1))
    result = CliRunner().invoke(command, [str(tmp_path)], standalone_mode=False)
    assert (result.return_value, f"at most {MOST} bytes" in result.stderr) == (2, True), result.output


def test_the_words_of_a_game_are_listed() -> None:
    result = CliRunner().invoke(command, ["--words", "war_for_the_motherland"], standalone_mode=False)
    assert "  attack <targets: hexes> <units: units>: Attack (8.21)" in result.stdout.splitlines()
    assert "  ger_infantry_corps: 5-7-4 3-5-4, 4 steps; german infantry corps" in result.stdout.splitlines()

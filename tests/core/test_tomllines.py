"""Lines of values in TOML, as people write it."""

from __future__ import annotations

import pytest

from core.tomllines import line_of

TEXT = '''# a scenario
id = "x"
lines = [1, 2]
setup = [
  ["E1", "a", "1"],  # one ] [ in a note
  ["E2", "b ] [ , ", "2"], ["E3", "c", '3 ]'],

  ["E4", """
a long, [ name""", "4"],
]

[[arrival]]
turn = 1
units = [["a", "1"], ["b", "2"]]

[[arrival]]
turn = 2
units = [
  ["a", "1"],
  ["b", "2"],
]

[rules]
sources = ["E1", "E2"]
turn = 9
[rules.victory]
cities = { E1 = 3, "E2" = { low = 1,
  high = 2 } }

[[rules.victory.levels]]
least = 0
[[rules.victory.levels]]
least = 5

[end]
id = "y"
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("id", 2), ("lines", 3), ("lines[1]", 3), ("setup", 4), ("setup[0]", 5), ("setup[0][2]", 5), ("setup[1]", 6), ("setup[2]", 6),
        ("setup[3]", 8), ("setup[3][2]", 9), ("setup[4]", 4), ("arrival", 12), ("arrival[0].turn", 13), ("arrival[0].units[1]", 14),
        ("arrival[1]", 16), ("arrival[1].turn", 17), ("arrival[1].units[1][0]", 20), ("arrival[1].none", 16), ("arrival[2]", 1),
        ("rules", 23), ("rules.sources[1]", 24), ("rules.turn", 25), ("rules.victory", 26), ("rules.victory.cities", 27),
        ("rules.victory.cities.E1", 27), ("rules.victory.cities.E2.high", 28), ("rules.victory.cities.E9", 27),
        ("rules.victory.least", 26),
        ("rules.victory.levels[1].least", 33), ("rules.victory.levels[0]", 30), ("end.id", 36),
        ("nothing", 1), ("", 1), ("rules.none.at", 23),
    ],
)  # fmt: skip
def test_a_value_is_found_on_its_line_or_what_holds_it_on_its_own(path: str, line: int) -> None:
    assert line_of(TEXT, path) == line


@pytest.mark.parametrize("text", ["", "a", "a = [", "a = [[", "[a", 'a = "', "a = [1,", "a = {b", "a = { b = ", "a = [#", "\n\n"])
def test_text_that_is_cut_off_has_lines_too(text: str) -> None:
    for path in ("a", "a[0]", "a[1][0]", "a.b", "a.b.c", "a[0].b"):
        assert 1 <= line_of(text, path) <= text.count("\n") + 1

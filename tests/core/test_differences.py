"""What an owner's file changes of the pack beneath it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.differences import Difference, differences, reconstructions
from core.errors import BadInput

TERRAIN = b"""\
source = "reconstructed"

[[terrain]]
id = "forest"
motorized = 2

[[terrain]]
id = "swamp"
motorized = 4
rows = [["a", 1], ["b", 2]]
"""


def found(before: bytes, after: bytes, name: str = "charts/terrain.toml") -> list[Difference]:
    return list(differences(name, before, after))


def test_a_file_that_is_the_same_differs_in_nothing() -> None:
    assert found(TERRAIN, TERRAIN) == []


def test_a_changed_value_is_named_by_its_table_with_its_line() -> None:
    assert found(TERRAIN, TERRAIN.replace(b"motorized = 2", b"motorized = 3")) == [
        Difference("charts/terrain.toml:5", "terrain forest: motorized", "2", "3")
    ]


def test_the_order_of_tables_is_no_difference() -> None:
    head, forest, swamp = TERRAIN.split(b"\n\n")
    assert found(TERRAIN, b"\n\n".join([head, swamp, forest])) == []


def test_a_table_that_is_left_out_is_missing_value_by_value() -> None:
    lacking = TERRAIN[: TERRAIN.index(b"[[terrain]]\nid = \"swamp\"")]
    missing = found(TERRAIN, lacking)
    assert all(one.missing for one in missing)
    assert ("terrain swamp: motorized", "4") in [(one.what, one.before) for one in missing]
    assert missing[0].where == "charts/terrain.toml:8"


def test_a_line_of_a_heap_that_changes_is_one_new_and_one_missing() -> None:
    changed = found(TERRAIN, TERRAIN.replace(b'["b", 2]', b'["b", 3]'))
    assert [(one.before, one.after) for one in changed] == [("", '["b", 3]'), ('["b", 2]', "")]


def test_a_counter_that_is_set_up_elsewhere_is_one_change() -> None:
    before = b'setup = [\n  ["E4708", "army", "62"],\n  ["E4809", "army", "64"],\n  ["E4809", "osg", "1"],\n]\n'
    assert found(before, before.replace(b'["E4809", "army"', b'["E4807", "army"')) == [
        Difference("charts/terrain.toml:3", "setup", '["E4809", "army", "64"]', '["E4807", "army", "64"]')
    ]


def test_a_line_that_could_be_any_of_several_is_new_and_those_are_missing() -> None:
    before = b'setup = [\n  ["E4708", "army", "62"],\n  ["E4809", "army", "62"],\n]\n'
    changed = found(before, b'setup = [\n  ["E4511", "army", "62"],\n]\n')
    assert [one.missing for one in changed] == [False, True, True]


def test_figures_are_told_by_their_place() -> None:
    before = b"faces = [[5, 4, 9], [3, 2, 9]]\n"
    assert found(before, b"faces = [\n  [5, 4, 9],\n  [3, 3, 9],\n]\n") == [
        Difference("charts/terrain.toml:3", "faces 2", "[3, 2, 9]", "[3, 3, 9]")
    ]
    assert found(before, b"faces = [[5, 4, 9]]\n") == [Difference("charts/terrain.toml:1", "faces 2", "[3, 2, 9]", "")]
    assert len(found(before, b"faces = [[3, 2, 9], [5, 4, 9]]\n")) == 2


def test_the_same_line_twice_counts_twice() -> None:
    doubled = found(TERRAIN, TERRAIN.replace(b'["b", 2]', b'["b", 2], ["b", 2]'))
    assert [(one.before, one.after) for one in doubled] == [("", '["b", 2]')]


def test_rows_of_a_map_are_told_apart_by_their_hexes() -> None:
    head = b"hex,terrain,city,name,port,country,features,note\n"
    before = head + b"E1601,forest,,,,soviet,edge,\nE1602,swamp,,,,soviet,edge,\n"
    after = head + b"E1601,clear,,,,soviet,edge,\nE1603,swamp,,,,soviet,edge,\n"
    assert found(before, after, "map/E/hexes.csv") == [
        Difference("map/E/hexes.csv:2", "E1601: terrain", '"forest"', '"clear"'),
        Difference("map/E/hexes.csv:3", "E1603", "", "E1603,swamp,,,,soviet,edge"),
        Difference("map/E/hexes.csv:3", "E1602", "E1602,swamp,,,,soviet,edge", ""),
    ]


def test_a_file_that_is_no_toml_is_refused_with_its_line() -> None:
    with pytest.raises(BadInput, match=r"charts/terrain\.toml:1"):
        found(TERRAIN, b"motorized = ")


@given(st.dictionaries(st.text("abc", min_size=1), st.integers(), min_size=1), st.dictionaries(st.text("abc", min_size=1), st.integers()))
def test_every_changed_new_and_missing_value_is_told_once(before: dict[str, int], after: dict[str, int]) -> None:
    told = {one.what: (one.before, one.after) for one in found(_toml(before), _toml(after))}
    expected = {
        key: (str(before.get(key, "")), str(after.get(key, "")))
        for key in before.keys() | after.keys()
        if before.get(key) != after.get(key)
    }
    assert told == expected


def _toml(values: dict[str, int]) -> bytes:
    return "".join(f"{key} = {value}\n" for key, value in values.items()).encode()


def test_what_is_reconstructed_is_found_with_its_line() -> None:
    assert [(one.where, one.what) for one in reconstructions("units.toml", TERRAIN)] == [("units.toml:1", "the whole file")]
    units = b'[[unit]]\nid = "a"\nsource = "rulebook"\n[[unit]]\nid = "b"\nsource = "reconstructed"\n'
    assert [(one.where, one.what) for one in reconstructions("units.toml", units)] == [("units.toml:4", "unit b")]

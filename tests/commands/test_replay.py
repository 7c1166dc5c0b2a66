"""`rasputitsa replay` tells a battle so that a player can check it: who was ordered, whose points, which modifiers."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from client.session.words import box_title, describe
from core.events import Moved, Removed, Returned
from core.gamefile import head_of, write
from core.log import AnyAct, ChainPublished, Fallback, Late, Log, Rewind
from core.match import new_server_match
from core.orders import Order
from core.pack import Pack, setting
from core.rulesets import load
from core.rulesets.war_for_the_motherland.air import EndFleets
from core.rulesets.war_for_the_motherland.combat_phase import Attack
from core.rulesets.war_for_the_motherland.supply_phase import KeepDepots
from rasputitsa import main
from rasputitsa.replay import _act, _tell_entry
from tests.packs import pack_of
from tests.toy.ruleset import toy_files

NAME = "war_for_the_motherland"


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The replay of a game whose first battle is the 64th Army's attack on Kalach."""
    pack = pack_of(NAME)
    keeper = new_server_match(setting(load(NAME), pack, "turning_point"), game="g", seed=bytes(32), clock=lambda: 0)
    view = keeper.match.view
    army = next(unit.id for unit in view.position.on_map() if view.name(unit.id) == "64. Army")
    orders: tuple[tuple[str, Order], ...] = (
        ("axis", KeepDepots()),
        ("axis", EndFleets()),
        ("soviet", Attack((view.board.hex("E4810"),), (army,))),
    )
    for side, order in orders:
        keeper.order(side, order)
    file = tmp_path / "kalach.rasputitsa"
    file.write_bytes(write(head_of(keeper.match, made_by="test"), pack.files, keeper.match.log))
    assert main.run(["replay", str(file), "--from", "1"]) == 0
    return capsys.readouterr().out


def test_an_order_names_its_units_and_hexes(told: str) -> None:
    assert "soviet: Attack, Kalach (E4810), 64. Army\n" in told


def test_each_part_of_a_figure_says_what_it_is(told: str) -> None:
    assert re.search(r"^ +attack: \d+ \(64\. Army\)$", told, re.MULTILINE)
    assert "drm: 4 = 1 (winter, 11.28) + 3 (OSG 1, 8.62)\n" in told


def test_who_lacks_supply_is_told_with_the_reason(told: str) -> None:
    assert "28. Army (E5405): out (8 hexes to supply, 6 allowed, 9.51)\n" in told


def test_a_marker_that_comes_off_is_told() -> None:
    pack = pack_of(NAME)
    keeper = new_server_match(setting(load(NAME), pack, "turning_point"), game="g", seed=bytes(32), clock=lambda: 0)
    view = keeper.match.view
    army = next(unit.id for unit in view.position.on_map() if view.name(unit.id) == "62. Army")
    told = [str(line.text) for cup in ("C", "") if (line := describe(Returned(army, cup), view)) is not None]
    assert told == ["62. Army: its marker goes back into cup C", "62. Army: its marker leaves the game"]


def test_what_happened_at_the_table_is_told_as_in_the_windows_log_and_no_bytes_are_printed() -> None:
    manifest = Pack(toy_files()).manifest
    acts: tuple[tuple[AnyAct, str], ...] = (
        (Late("Robot", 2, 2000), "the dice wait for Robot"),
        (Fallback("Robot", 2, "unwitnessed", bytes(32)), "Anna goes on without the dice link of Robot"),
        (ChainPublished("Anna", bytes(32), 100), "Anna witnesses the dice from here on, with a chain of 100 links"),
        (Rewind(4), "Anna takes back what came after entry 4"),
        (Rewind(9), "Anna brings back what was taken back, up to entry 9"),
    )
    for act, words in acts:
        entry = msgspec.structs.replace(Log().seal(time_ms=0, side="red", player="Anna", act=act), parent=7)
        assert _act(entry, manifest) == words
    at_this_table = msgspec.structs.replace(entry, player="person")
    assert _act(at_this_table, manifest) == "Red brings back what was taken back, up to entry 9"


def test_what_leaves_the_map_for_a_box_is_told_in_one_line_as_in_the_windows_log() -> None:
    pack = pack_of(NAME)
    keeper = new_server_match(setting(load(NAME), pack, "turning_point"), game="g", seed=bytes(32), clock=lambda: 0)
    view = keeper.match.view
    unit, box = min(view.position.units), view.board.box("out")
    entry = Log().seal(time_ms=0, side="", player="", events=(Removed(unit, "eliminated"), Moved((unit,), (box,))))
    _, *told = _tell_entry(keeper.match, pack.manifest, entry, view.position)
    assert [line.strip() for line in told] == [f"{view.name(unit)}: eliminated, to the {box_title('out', pack.manifest.box_titles)}"]

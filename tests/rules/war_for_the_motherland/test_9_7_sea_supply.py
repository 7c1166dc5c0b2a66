from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from core.rulesets.war_for_the_motherland import arrivals, sea_supply, supply_overlay
from core.rulesets.war_for_the_motherland.terms import SOVIET, SOVIET_SUPPLIED
from core.trials.table import PlainBoard, Table
from core.views import View
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import (
    ARMY,
    CORPS,
    DEPOT,
    FRONT,
    ITALIANS,
    OSG,
    RUMANIANS,
    control,
    lay,
    row,
    status,
)
from tests.rules.war_for_the_motherland.phase_one import phase_one

R = "war_for_the_motherland"
# Where the real ports lie on this board: bases on a railroad in row 26, the others far off in row 17.
PORTS = {"C6205": "2604", "C6402": "2608", "C5718": "2612", "C6313": "2616", "C9901": "1705"}


def ports(plain: PlainBoard, found: Mapping[str, str] = PORTS) -> None:
    """Rename hexes as the map labels the ports; C9901 is a further port of the Black Sea."""
    plain.rail(*row(26, 1, 20))
    names = {label: name for name, label in found.items()}
    for label, name in names.items():
        plain.facts[name] = msgspec.structs.replace(plain.facts.pop(label), label=name, city="minor", port="black_sea")
    plain.sides = {tuple(names.get(label, label) for label in pair): kinds for pair, kinds in plain.sides.items()}  # type: ignore[misc]


def coast(new_table: NewTable, turn: int = 13, *, axis: str = "", soviet: str = "") -> Table:
    """Return a table with both sides' sources at the ends of the railroad and these ports held."""
    table = lay(new_table, turn, ports, axis=["2620"], soviet=["2601"])
    for side, held in (("axis", axis), ("soviet", soviet)):
        for label in held.split():
            control(table, label, side)
    return table


@pytest.mark.rule(R, "9.71a", "9.35")
@pytest.mark.parametrize("base", ["C6205", "C6402"])
@pytest.mark.parametrize(("label", "found"), [("C9901", "supplied"), ("1707", "supplied"), ("1708", "isolated")])
def test_soviets_within_two_hexes_of_a_port_are_supplied_by_sea(new_table: NewTable, base: str, label: str, found: str) -> None:
    table = coast(new_table, soviet=f"{base} C9901")
    assert status(table, table.place(ARMY, label)) == found


@pytest.mark.rule(R, "9.71a")
@pytest.mark.parametrize("held", ["C9901", "C9901 C6313"])
def test_without_novorossiisk_and_tuapse_there_is_no_soviet_sea_supply(new_table: NewTable, held: str) -> None:
    table = coast(new_table, axis="C6205 C6402", soviet=held)
    assert status(table, table.place(ARMY, "C9901")) == "isolated"


@pytest.mark.rule(R, "9.71a")
def test_an_enemy_who_comes_before_a_port_cuts_what_it_fed_a_moment_ago(new_table: NewTable) -> None:
    table = coast(new_table, soviet="C6205 C9901")
    fed = sea_supply.supplied_from(table.view, SOVIET)
    assert table.hex("1707") in fed
    table.place(CORPS, "1707")
    left = sea_supply.supplied_from(table.view, SOVIET)
    assert table.hex("C9901") in left < fed
    assert left == sea_supply.supplied_from(View(table.view.setting, table.view.position.copy()), SOVIET)


@pytest.mark.rule(R, "9.71a")
def test_a_base_needs_its_railroad(new_table: NewTable) -> None:
    table = coast(new_table, soviet="C6205 C9901")
    army = table.place(ARMY, "C9901")
    table.place(CORPS, "2602")
    assert status(table, army) == "isolated"


@pytest.mark.rule(R, "9.71a")
def test_a_port_that_is_not_held_gives_nothing(new_table: NewTable) -> None:
    table = coast(new_table, soviet="C6205", axis="C9901")
    assert status(table, table.place(ARMY, "1706")) == "isolated"


@pytest.mark.rule(R, "9.71b")
def test_enemy_zoc_on_every_path_to_the_port_cuts_it_off(new_table: NewTable) -> None:
    table = coast(new_table, soviet="C6205 C9901")
    army = table.place(ARMY, "1707")
    table.place(CORPS, "1806")  # reaches 1706 and C9901's side of it
    assert status(table, army) == "isolated"
    table.place(ARMY, "C9901")
    table.place(ARMY, "1706")
    assert status(table, army) == "supplied"


@pytest.mark.rule(R, "9.73a")
@pytest.mark.parametrize("kind", [FRONT, OSG])
def test_neither_headquarters_nor_osg_are_supplied_by_sea(new_table: NewTable, kind: str) -> None:
    table = coast(new_table, soviet="C6205 C9901")
    assert status(table, table.place(kind, "C9901")) == "out"


@pytest.mark.rule(R, "9.74")
@pytest.mark.parametrize(("holder", "found"), [("axis", "isolated"), ("soviet", "supplied")])
@pytest.mark.parametrize("at", ["C5718", "2413"])  # in the port, and near it: it hands nothing on
def test_odessa_gets_nothing_by_sea_while_sevastopol_is_axis(new_table: NewTable, holder: str, found: str, at: str) -> None:
    table = coast(new_table, soviet="C6402 C5718", **({"axis": "C6313"} if holder == "axis" else {}))
    if holder == "soviet":
        control(table, "C6313", "soviet")
    assert status(table, table.place(ARMY, at)) == found


@pytest.mark.rule(R, "9.72", "9.73b", "9.29")
def test_germans_alone_use_axis_sea_supply(new_table: NewTable) -> None:
    table = coast(new_table, axis="C5718 C6313 C9901")
    german, rumanian, italian = (table.place(kind, "1706") for kind in (CORPS, RUMANIANS, ITALIANS))
    assert [status(table, unit) for unit in (german, rumanian, italian)] == ["supplied", "isolated", "isolated"]
    line = [table.board.label(here) for here in supply_overlay.line_of(table.view, german)]
    assert line == ["1706", "C9901"]


@pytest.mark.rule(R, "9.73a")
def test_an_airbase_gets_nothing_by_sea_and_a_depot_needs_nothing(new_table: NewTable) -> None:
    table = coast(new_table, axis="C5718 C6313 C9901")
    assert status(table, table.place("ger_airbase", "1706")) == "out"
    depot = table.place(DEPOT, "1706")
    assert not sea_supply.reaches(table.view, table.view.type(depot), table.hex("1706"))
    assert status(table, depot) == "supplied"


@pytest.mark.rule(R, "9.72")
@pytest.mark.parametrize("lost", ["C5718", "C6313"])
def test_the_axis_needs_both_odessa_and_sevastopol(new_table: NewTable, lost: str) -> None:
    held = " ".join({"C5718", "C6313", "C9901"} - {lost})
    table = coast(new_table, axis=held, soviet=lost)
    assert status(table, table.place(CORPS, "1706")) == "isolated"


@pytest.mark.rule(R, "9.73c")
def test_ports_of_other_seas_give_nothing(new_table: NewTable) -> None:
    def edit(plain: PlainBoard) -> None:
        ports(plain)
        plain.hex("C9901", port="baltic")

    table = lay(new_table, 13, edit, soviet=["2601"])
    for label in ("C6205", "C9901"):
        control(table, label, "soviet")
    assert status(table, table.place(ARMY, "C9901")) == "isolated"


@pytest.mark.rule(R, "9.71a", "13.15b")
def test_hexes_that_the_sea_supplies_are_in_the_picture(new_table: NewTable) -> None:
    table = coast(new_table, soviet="C6205 C9901")
    phase_one(table, 13)
    assert table.position.place_mark(table.hex("1707"), SOVIET_SUPPLIED)
    assert not table.position.place_mark(table.hex("1708"), SOVIET_SUPPLIED)


@pytest.mark.rule(R, "9.72", "9.73b", "13.11a", "13.15b")
def test_german_reinforcements_come_to_hexes_that_the_sea_supplies_and_no_others_do(new_table: NewTable) -> None:
    table = coast(new_table, axis="C5718 C6313 C9901")
    phase_one(table, 13)
    corps, italians, depot, base = (table.place(kind, "arrivals") for kind in (CORPS, ITALIANS, DEPOT, "ger_airbase"))
    assert arrivals.refusal_at(table.view, corps, table.hex("1707")) is None
    assert table.hex("1707") in arrivals.legal_hexes(table.view, corps)
    for unit, label in ((corps, "1708"), (italians, "1707"), (depot, "1707"), (base, "1707")):
        refused = arrivals.refusal_at(table.view, unit, table.hex(label))
        assert refused is not None
        assert refused.rule == "13.15"
        assert table.hex(label) not in arrivals.legal_hexes(table.view, unit)


@pytest.mark.rule(R, "9.72", "13.15b")
def test_once_the_sea_gives_nothing_german_reinforcements_stay_away(new_table: NewTable) -> None:
    table = coast(new_table, axis="C5718 C6313 C9901")
    phase_one(table, 13)
    control(table, "C5718", "soviet")
    phase_one(table, 14)
    assert table.hex("1707") not in arrivals.legal_hexes(table.view, table.place(CORPS, "arrivals"))


@pytest.mark.rule(R, "12.42")
@pytest.mark.parametrize(
    ("turn", "switch", "base", "found"),
    [(13, True, "soviet", "supplied"), (9, True, "soviet", "isolated"), (13, False, "soviet", "isolated"), (13, True, "axis", "isolated")],
)
def test_archangelsk_in_railroad_supply_supplies_murmansk(new_table: NewTable, turn: int, switch: bool, base: str, found: str) -> None:
    def edit(plain: PlainBoard) -> None:
        ports(plain, {"N2718": "2604", "N1327": "1705"})

    table = lay(new_table, turn, edit, soviet=["2601"], options={"north_sea_supply": switch})
    control(table, "N2718", base)
    control(table, "N1327", "soviet")
    assert status(table, table.place(ARMY, "1706")) == found

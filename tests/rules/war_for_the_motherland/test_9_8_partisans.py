from __future__ import annotations

import pytest

from core.events import FramePopped, FramePushed, Marked
from core.options import options
from core.orders import HexPick, OptionPick, UnitPick
from core.rulesets.war_for_the_motherland import partisans, supply, zoc
from core.rulesets.war_for_the_motherland.partisans import EndPartisans, PartisansChoice, PlacePartisan
from core.rulesets.war_for_the_motherland.terms import PLACED_PARTISAN, has_enemy
from core.trials.table import PlainBoard, Table
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import ARMY, CORPS, PARTISAN, lay
from tests.rules.war_for_the_motherland.moments import refusal

R = "war_for_the_motherland"


def countries(plain: PlainBoard) -> None:
    for label in plain.facts:
        plain.hex(label, country="soviet" if label < "2300" else "rumania")
    plain.hex("1605", terrain="lake")


def asked(new_table: NewTable, *, last: bool = False, **options: bool) -> Table:
    """Return a table on which the Soviet is asked for partisans."""
    table = lay(new_table, 13, countries, options=options)
    table.happen(FramePushed(PartisansChoice(side="axis").frame()), FramePushed(PartisansChoice(side="soviet", last=last).frame()))
    return table


@pytest.mark.rule(R, "9.82a", "9.82b")
def test_a_partisan_goes_anywhere_in_the_soviet_union_but_to_axis_units_and_other_partisans(new_table: NewTable) -> None:
    table = asked(new_table)
    new = table.place(PARTISAN, "arrivals")
    table.place(CORPS, "2010")
    table.place(PARTISAN, "2012")
    for label in ("2010", "2012", "2310", "1605"):
        assert table.refused(PlacePartisan(new, table.hex(label))) == "9.82"
    table.order(PlacePartisan(new, table.hex("2011")))
    assert table.where(new) == "2011"


@pytest.mark.rule(R, "9.82a")
def test_a_partisan_may_stand_with_soviets(new_table: NewTable) -> None:
    table = asked(new_table)
    new = table.place(PARTISAN, "arrivals")
    table.place(ARMY, "2011")
    table.order(PlacePartisan(new, table.hex("2011")))
    assert table.where(new) == "2011"


@pytest.mark.rule(R, "9.81a", "9.81b", "3.0.7h")
def test_each_partisan_is_placed_or_moved_once_a_turn(new_table: NewTable) -> None:
    table = asked(new_table)
    old, new = table.place(PARTISAN, "2012"), table.place(PARTISAN, "arrivals")
    table.order(PlacePartisan(old, table.hex("2014")))
    assert table.refused(PlacePartisan(old, table.hex("2015"))) == "9.81"
    table.order(PlacePartisan(new, table.hex("2012")))
    assert len(table.position.frames) == 1  # nobody is left to be placed
    assert {table.where(old), table.where(new)} == {"2014", "2012"}


@pytest.mark.rule(R, "9.81b")
def test_partisans_may_stay_where_they_are(new_table: NewTable) -> None:
    table = asked(new_table, last=True)
    old = table.place(PARTISAN, "2012")
    table.order(EndPartisans())
    assert table.where(old) == "2012"


@pytest.mark.rule(R, "13.17b")
@pytest.mark.parametrize(("last", "refused"), [(False, False), (True, True)])
def test_a_new_partisan_waits_no_longer_than_the_administrative_phase(new_table: NewTable, last: bool, refused: bool) -> None:
    table = asked(new_table, last=last)
    table.place(PARTISAN, "arrivals")
    if refused:
        assert table.refused(EndPartisans()) == "13.17"
    else:
        table.order(EndPartisans())


@pytest.mark.rule(R, "13.17b", "9.82a")
def test_a_new_partisan_without_a_hex_holds_up_nobody(new_table: NewTable) -> None:
    def rumania(plain: PlainBoard) -> None:
        for label in plain.facts:
            plain.hex(label, country="rumania")

    table = lay(new_table, 13, rumania)
    choice = PartisansChoice(side="soviet", last=True)
    table.happen(FramePushed(PartisansChoice(side="axis").frame()), FramePushed(choice.frame()))
    new = table.place(PARTISAN, "arrivals")
    assert not partisans.open_hexes(table.view)
    table.order(EndPartisans())
    assert table.where(new) == "arrivals"


@pytest.mark.rule(R, "9.82b", "13.17b")
def test_of_two_new_partisans_one_takes_the_only_hex_and_the_other_waits(new_table: NewTable) -> None:
    def one_hex(plain: PlainBoard) -> None:
        for label in plain.facts:
            plain.hex(label, country="soviet" if label == "2010" else "rumania")

    table = lay(new_table, 13, one_hex)
    choice = PartisansChoice(side="soviet", last=True)
    table.happen(FramePushed(PartisansChoice(side="axis").frame()), FramePushed(choice.frame()))
    first, second = table.place(PARTISAN, "arrivals"), table.place(PARTISAN, "arrivals")
    assert table.refused(PlacePartisan()) == "9.81"
    table.order(PlacePartisan(first, table.hex("2010")))
    assert table.refused(PlacePartisan()) == "9.82"
    table.order(EndPartisans())
    assert table.where(second) == "arrivals"


@pytest.mark.rule(R, "9.81a")
def test_partisans_that_have_not_arrived_and_other_units_are_refused(new_table: NewTable) -> None:
    table = asked(new_table)
    away, army = table.place(PARTISAN, "track"), table.place(ARMY, "2010")
    table.place(PARTISAN, "arrivals")
    assert table.refused(PlacePartisan(away, table.hex("2011"))) == "9.81"
    assert table.refused(PlacePartisan(army, table.hex("2011"))) == "9.81"
    assert refusal(table, PlacePartisan(away, table.hex("2011"))) == f"{table.view.name(away)} has not arrived"
    assert refusal(table, PlacePartisan(army, table.hex("2011"))) == f"{table.view.name(army)} is no partisan"


@pytest.mark.rule(R, "20.35")
@pytest.mark.parametrize(("label", "rule"), [("2012", "20.35"), ("2013", "")])
def test_a_security_division_keeps_partisans_two_hexes_off(new_table: NewTable, label: str, rule: str) -> None:
    table = asked(new_table, security_divisions=True)
    new = table.place(PARTISAN, "arrivals")
    table.place("ger_security_division", "2010")
    if rule:
        assert table.refused(PlacePartisan(new, table.hex(label))) == rule
    else:
        table.order(PlacePartisan(new, table.hex(label)))


@pytest.mark.rule(R, "9.81b", "9.82a")
def test_what_is_offered_is_accepted_and_nothing_else(new_table: NewTable) -> None:
    table = asked(new_table)
    new = table.place(PARTISAN, "arrivals")
    table.place(CORPS, "2010")
    table.happen(Marked((table.place(PARTISAN, "2012"),), PLACED_PARTISAN))
    offered = {pick.hex for pick in options(table.view, (OptionPick("place_partisan"), UnitPick(new))).picks if isinstance(pick, HexPick)}
    assert offered == set(partisans.open_hexes(table.view))
    for here in range(table.board.size):
        draft = partisans.compose_place(table.view, PlacePartisan(new, here))
        assert draft.complete == (here in offered)
    table.happen(FramePopped())


@pytest.mark.rule(R, "9.84b")
def test_a_partisan_is_no_enemy_in_the_way_and_holds_nothing(new_table: NewTable) -> None:
    table = asked(new_table)
    table.place(PARTISAN, "2010")
    here = table.hex("2010")
    assert not has_enemy(table.view, here, "axis")
    assert not zoc.exerted(table.view, "soviet")
    assert here not in supply.blocked(table.view, "axis")

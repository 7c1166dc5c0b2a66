from __future__ import annotations

import pytest

from core.events import Explained, Rolled
from core.game import NeedsDice, StopDice, decide
from core.rulesets.war_for_the_motherland import supply, supply_phase
from core.rulesets.war_for_the_motherland.air import FleetsChoice, PlaceFleet
from core.rulesets.war_for_the_motherland.supply_phase import DepotsChoice, Expend, KeepDepots
from core.rulesets.war_for_the_motherland.terms import (
    AXIS_SUPPLIED,
    DUE,
    LACK_OF_SUPPLY,
    OUT_OF_SUPPLY,
    RUMANIAN_SUPPLIED,
    SOVIET_SUPPLIED,
)
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import (
    AIRBASE,
    ARMY,
    CORPS,
    DEPOT,
    FACTORY,
    FLEET,
    FRONT,
    KG,
    OSG,
    RUMANIAN_HQ,
    RUMANIANS,
    control,
    lay,
    row,
)
from tests.rules.war_for_the_motherland.moments import refusal
from tests.rules.war_for_the_motherland.phase_one import phase_one

R = "war_for_the_motherland"


def marks(table: Table, unit: UnitId) -> str:
    """Return the supply marker of a unit."""
    found = [mark for mark in (OUT_OF_SUPPLY, LACK_OF_SUPPLY) if table.position.mark(unit, mark)]
    assert len(found) < 2
    return found[0] if found else ""


def rolls(table: Table) -> list[str]:
    return [event.purpose for event in table.events if isinstance(event, Rolled)]


def waits_for(table: Table, decision: type) -> bool:
    return isinstance(table.view.decision(), decision)


# -------------------------------------------------------------------- depots


def test_the_pass_that_stops_at_a_die_tells_nobody_s_line_where_anybody_is_isolated(
    new_table: NewTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = lay(new_table, 10, axis=["2601"])
    table.place(DEPOT, "1806"), table.place(CORPS, "1808")
    phase_one(table, 10)
    monkeypatch.setattr(supply_phase, "_line", lambda *_: pytest.fail("what is thrown away was told"))
    with pytest.raises(NeedsDice):
        decide(table.view, "axis", KeepDepots(), StopDice())


@pytest.mark.rule(R, "3.0.1.0", "9.26a", "9.26c", "9.27", "9.23")
def test_an_expended_depot_supplies_six_corps_and_comes_back_four_turns_later(new_table: NewTable) -> None:
    table = lay(new_table, 10, axis=["2601"])
    depot = table.place(DEPOT, "1806")
    corps = [table.place(CORPS, "1808") for _ in range(6)]
    phase_one(table, 10)
    assert waits_for(table, DepotsChoice)
    table.order(Expend((depot,)))
    assert {marks(table, unit) for unit in corps} == {""}
    assert table.where(depot) == "track"
    assert table.position.mark(depot, DUE) == 14


@pytest.mark.rule(R, "9.26a")
def test_a_depot_that_is_kept_stays_and_leaves_its_units_without_supply(new_table: NewTable) -> None:
    table = lay(new_table, 10, axis=["2601"])
    depot, corps = table.place(DEPOT, "1806"), table.place(CORPS, "1808")
    phase_one(table, 10)
    table.order(KeepDepots(), dice=[6])
    assert (table.where(depot), marks(table, corps)) == ("1806", OUT_OF_SUPPLY)


@pytest.mark.rule(R, "9.26a")
@pytest.mark.parametrize(
    ("at", "gaining"), [(("1808",), "{} would"), (("2604",), "No unit would"), (("1807", "1808", "1808"), "{}, {}, {} would"),
                        (("1807", "1808", "1808", "1708"), "4 units would")],
)
def test_the_question_says_who_would_gain_by_a_depot(new_table: NewTable, at: tuple[str, ...], gaining: str) -> None:
    table = lay(new_table, 10, axis=["2601"])
    first = table.place(DEPOT, "1806")
    names = [table.view.name(table.place(CORPS, hex)) for hex in at]
    phase_one(table, 10)
    decision = table.view.decision()
    assert isinstance(decision, DepotsChoice)
    asked = str(table.setting.ruleset.prompts["DepotsChoice"](table.view, decision))
    depot = "it" if gaining == "No unit would" else table.view.name(first)
    assert asked == f"Expend supply depots? {gaining.format(*names)} gain supply by {depot}"


@pytest.mark.rule(R, "9.26a")
def test_the_question_names_the_depots_by_which_somebody_would_gain_unless_they_are_many(new_table: NewTable) -> None:
    table = lay(new_table, 10, axis=["2601"])
    idle, *depots = (table.place(DEPOT, at) for at in ("2602", "1806", "1807"))
    corps = table.view.name(table.place(CORPS, "1808"))
    phase_one(table, 10)
    ask = table.setting.ruleset.prompts["DepotsChoice"]
    decision = table.view.decision()
    assert isinstance(decision, DepotsChoice)
    named = ", ".join(table.view.name(depot) for depot in depots)
    assert table.view.name(idle) not in named
    assert str(ask(table.view, decision)) == f"Expend supply depots? {corps} would gain supply by {named}"
    for at in ("1906", "1907"):
        table.place(DEPOT, at)
    assert str(ask(table.view, decision)) == f"Expend supply depots? {corps} would gain supply by it"


@pytest.mark.rule(R, "9.26a")
def test_a_depot_that_changes_nobody_s_supply_says_so_before_it_is_expended(new_table: NewTable) -> None:
    table = lay(new_table, 10, axis=["2601"])
    depot = table.place(DEPOT, "1806")
    table.place(CORPS, "2604")
    phase_one(table, 10)
    preview = supply_phase.preview_expend(table.view, Expend((depot,)))
    assert preview is not None
    assert (str(preview.title), preview.lines) == ("1 depot expended: no unit gains or loses supply", ())


@pytest.mark.rule(R, "9.26d")
def test_a_linked_depot_may_be_expended_for_no_reason_and_the_chain_behind_it_is_cut(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2602"])
    near, far = table.place(DEPOT, "2606"), table.place(DEPOT, "2610")
    corps = table.place(CORPS, "2612")
    phase_one(table, 13)
    preview = supply_phase.preview_expend(table.view, Expend((near,)))
    assert preview is not None
    assert [(line.key, line.value) for line in preview.lines] == [(table.view.name(corps), "loses supply")]
    table.order(Expend((near,)))
    assert marks(table, corps) == OUT_OF_SUPPLY
    assert (table.where(near), table.where(far)) == ("track", "2610")


@pytest.mark.rule(R, "9.26a")
def test_only_depots_on_the_map_are_expended(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2602"])
    table.place(DEPOT, "2606")
    away, corps = table.place(DEPOT, "track"), table.place(CORPS, "2606")
    phase_one(table, 13)
    assert table.refused(Expend((away,))) == "9.26"
    assert table.refused(Expend((corps,))) == "9.26"
    assert table.refused(Expend()) == "9.26"
    names = [table.view.name(unit) for unit in (away, corps)]
    assert refusal(table, Expend((away,))) == f"{names[0]} is not on the map"
    assert refusal(table, Expend((corps,))) == f"{names[1]} is no supply depot"


@pytest.mark.rule(R, "9.26a", "3.0.1.0")
def test_depots_are_not_expended_once_fleets_are_placed(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2602"])
    depot = table.place(DEPOT, "2606")
    table.place(AIRBASE, "2606", name="1")
    table.place(FLEET, "fleets", name="1")
    phase_one(table, 13)
    table.order(KeepDepots())
    assert waits_for(table, FleetsChoice)
    assert table.refused(Expend((depot,))) == "9.26"


@pytest.mark.rule(R, "19.44a")
@pytest.mark.parametrize(("holder", "found"), [("axis", ""), ("soviet", OUT_OF_SUPPLY)])
def test_a_conquered_port_is_a_source_by_who_holds_it_when_the_phase_begins(new_table: NewTable, holder: str, found: str) -> None:
    table = lay(new_table, 13, axis=["2601"], conquered_sources=["2006"])
    corps = table.place(CORPS, "2010")
    control(table, "2006", holder)
    phase_one(table, 13, dice=[6] if found else [])
    assert marks(table, corps) == found


# -------------------------------------------------------------------- airbases


@pytest.mark.rule(R, "3.0.1a", "9.55", "9.63", "10.14", "13.52")
def test_an_airbase_without_supply_goes_before_its_fleet_is_placed(new_table: NewTable) -> None:
    table = lay(new_table, 14, axis=["2601"])
    airbase = table.place(AIRBASE, "1810", name="1")
    fleet = table.place(FLEET, "fleets", name="1")
    corps = table.place(CORPS, "1812")
    phase_one(table, 14, dice=[6])
    assert (table.where(airbase), table.position.mark(airbase, DUE)) == ("track", 18)
    assert table.where(fleet) == "fleets"
    assert marks(table, corps) == OUT_OF_SUPPLY


@pytest.mark.rule(R, "3.0.1a", "9.26b")
def test_an_expended_depot_keeps_an_airbase_and_its_fleet_flies(new_table: NewTable) -> None:
    table = lay(new_table, 14, axis=["2601"])
    depot = table.place(DEPOT, "1810")
    table.place(AIRBASE, "1813", name="1")
    fleet = table.place(FLEET, "fleets", name="1")
    phase_one(table, 14)
    table.order(Expend((depot,)))
    table.order(PlaceFleet(fleet, table.hex("1815")))
    assert (table.where(fleet), table.where(depot)) == ("1815", "track")


# -------------------------------------------------------------------- units


@pytest.mark.rule(R, "3.0.1c", "9.11", "9.51", "9.13")
def test_marks_are_set_and_taken_off_by_the_present_lines(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2006"])
    lost = table.place(CORPS, "2013")
    found = table.place(CORPS, "2010", out_of_supply=1)
    relieved = table.place(CORPS, "2009", lack_of_supply=1)
    phase_one(table, 13)
    assert (marks(table, lost), marks(table, found), marks(table, relieved)) == (OUT_OF_SUPPLY, "", "")


@pytest.mark.rule(R, "9.12")
def test_a_status_stays_as_it_was_judged(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2006"])
    lost, fed = table.place(CORPS, "2013"), table.place(CORPS, "2010")
    phase_one(table, 13)
    table.place(ARMY, "2005")
    table.place(DEPOT, "2014")
    assert (marks(table, lost), marks(table, fed)) == (OUT_OF_SUPPLY, "")
    assert supply.judge(table.view, fed) == "isolated"


@pytest.mark.rule(R, "9.51")
def test_the_log_tells_how_far_supply_was(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2006"])
    corps = table.place(CORPS, "2013")
    phase_one(table, 13)
    told = next(event for event in table.events if isinstance(event, Explained) and event.subject == "supply")
    assert [str(part.text) for line in told.lines for part in line.parts] == ["7 hexes to supply, 4 allowed"]
    assert table.view.name(corps) in told.lines[0].key


def reasons(table: Table) -> list[tuple[str, str]]:
    """Return value and rule of each line of the log about supply."""
    told = next(event for event in table.events if isinstance(event, Explained) and event.subject == "supply")
    return [(part.value, part.rule) for line in told.lines for part in line.parts]


@pytest.mark.rule(R, "9.51", "9.58")
@pytest.mark.parametrize(("at", "told"), [("2013", ("out", "9.51")), ("2016", ("isolated", "9.58"))])
def test_the_log_names_the_rule_by_which_an_axis_unit_is_out(new_table: NewTable, at: str, told: tuple[str, str]) -> None:
    table = lay(new_table, 13, axis=["2006"])
    table.place(CORPS, at)
    phase_one(table, 13, dice=[6] if told[0] == "isolated" else [])
    assert reasons(table) == [told]


@pytest.mark.rule(R, "9.34")
def test_the_log_names_the_rule_by_which_a_soviet_army_is_in_lack_of_supply(new_table: NewTable) -> None:
    table = lay(new_table, 13, soviet=["2001"])
    table.place(FACTORY, "2610"), table.place(ARMY, "2610")
    table.place(ARMY, "1610")
    phase_one(table, 13, dice=[6])
    assert sorted(reasons(table)) == [("isolated", "9.58"), ("lack", "9.34")]
    told = next(event for event in table.events if isinstance(event, Explained) and event.subject == "supply")
    assert str(told.title) == "Out of Supply: 1, Lack of Supply: 1"


@pytest.mark.rule(R, "9.26a")
def test_the_preview_of_depots_names_only_those_whose_line_changes(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2602"])
    near, _ = table.place(DEPOT, "2606"), table.place(DEPOT, "2610")
    fed, loses, hungry = table.place(CORPS, "2603"), table.place(CORPS, "2612"), table.place(CORPS, "1620")
    phase_one(table, 13)
    preview = supply_phase.preview_expend(table.view, Expend((near,)))
    assert preview is not None
    assert [(line.key, line.value) for line in preview.lines] == [(table.view.name(loses), "loses supply")], (fed, hungry)


@pytest.mark.rule(R, "9.57", "9.31a", "9.32a")
@pytest.mark.parametrize(("die", "due"), [(1, 14), (3, 14), (4, 15), (6, 15)])
def test_a_headquarters_out_of_supply_goes_and_its_armies_are_out(new_table: NewTable, die: int, due: int) -> None:
    table = lay(new_table, 13, soviet=["1601"])
    headquarters, army = table.place(FRONT, "2008"), table.place(ARMY, "2010")
    phase_one(table, 13, dice=[die, 6])
    assert rolls(table) == ["recovery", "attrition"]
    assert (table.where(headquarters), table.position.mark(headquarters, DUE)) == ("track", due)
    assert (marks(table, headquarters), marks(table, army)) == ("", OUT_OF_SUPPLY)


@pytest.mark.rule(R, "9.28d", "9.57")
def test_a_rumanian_headquarters_out_of_supply_rolls_too(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2601"])
    headquarters = table.place(RUMANIAN_HQ, "2008")
    phase_one(table, 13, dice=[4])
    assert (table.where(headquarters), table.position.mark(headquarters, DUE)) == ("track", 15)


@pytest.mark.rule(R, "9.56")
def test_an_osg_out_of_supply_is_destroyed(new_table: NewTable) -> None:
    table = lay(new_table, 13, soviet=["1601"])
    osg = table.place(OSG, "2008")
    phase_one(table, 13)
    assert table.where(osg) == "out"


@pytest.mark.rule(R, "9.31a", "9.56")
def test_an_osg_within_six_hexes_of_a_supplied_headquarters_stays(new_table: NewTable) -> None:
    table = lay(new_table, 13, lambda plain: plain.rail(*row(20, 1, 8)), soviet=["2001"])
    table.place(FRONT, "2008")
    osg = table.place(OSG, "2014")
    phase_one(table, 13)
    assert (table.where(osg), marks(table, osg)) == ("2014", "")


@pytest.mark.rule(R, "9.58", "3.0.1c")
def test_isolated_units_roll_axis_first_and_in_hex_order(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2601"], soviet=["2602"])
    army = table.place(ARMY, "1603", chit="C 3-5/2-3")
    later, first = table.place(CORPS, "1812"), table.place(KG, "1707")
    phase_one(table, 13, dice=[1, 6, 2])
    assert [table.unit(unit).steps for unit in (first, later, army)] == [1, 4, 1]
    assert {marks(table, unit) for unit in (first, later, army)} == {OUT_OF_SUPPLY}


@pytest.mark.rule(R, "13.15b", "13.11a")
def test_the_picture_of_supplied_hexes_is_kept(new_table: NewTable) -> None:
    table = lay(new_table, 13, lambda plain: plain.rail(*row(20, 1, 8)), axis=["2001"], soviet=["2620"])
    table.place(RUMANIAN_HQ, "2008")
    table.place(RUMANIANS, "2009")
    phase_one(table, 13)
    table.place(ARMY, "2002")

    def pictured(mark: str) -> set[str]:
        return {table.board.label(place) for place in table.position.places_marked(mark)}

    assert {"2009", "2012"} <= pictured(RUMANIAN_SUPPLIED)
    assert "2013" not in pictured(RUMANIAN_SUPPLIED)
    assert {"2001", "2002", "2008"} <= pictured(AXIS_SUPPLIED)
    assert "2009" not in pictured(AXIS_SUPPLIED)
    assert pictured(SOVIET_SUPPLIED) == set()


@pytest.mark.rule(R, "13.15b", "13.11a", "9.12")
def test_hexes_that_were_cut_off_since_the_last_turn_are_in_the_picture_no_more(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2001"])
    phase_one(table, 13)
    assert table.position.place_mark(table.hex("2005"), AXIS_SUPPLIED)
    table.place(ARMY, "2003")
    phase_one(table, 14, dice=[6])  # the army is isolated
    assert not table.position.place_mark(table.hex("2005"), AXIS_SUPPLIED)
    assert table.position.place_mark(table.hex("2001"), AXIS_SUPPLIED)


@pytest.mark.rule(R, "19.44c")
def test_a_source_that_serves_no_arrivals_is_left_out_of_the_picture_only(new_table: NewTable) -> None:
    table = lay(new_table, 13, axis=["2001", "2601"], not_for_arrivals=["2001"])
    corps = table.place(CORPS, "2003")
    phase_one(table, 13)
    assert marks(table, corps) == ""
    assert not table.position.place_mark(table.hex("2003"), AXIS_SUPPLIED)
    assert table.position.place_mark(table.hex("2603"), AXIS_SUPPLIED)

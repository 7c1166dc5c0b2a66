"""What `steady` does between the battles: Guards, rebuilding, corps and Kampfgruppen, ships; each on a small plain board."""

from __future__ import annotations

import random

import pytest

from core import bots
from core.events import FramePushed
from core.orders import Order
from core.rulesets.war_for_the_motherland import marching, supply
from core.rulesets.war_for_the_motherland.air import PlaceFleet, PlaceFleets
from core.rulesets.war_for_the_motherland.bot import ground, marches, posts, trains
from core.rulesets.war_for_the_motherland.conversion import AskConversions, ConvertArmy
from core.rulesets.war_for_the_motherland.economy import PlaceOsg, ProduceOsg
from core.rulesets.war_for_the_motherland.movement import BY_SEA
from core.rulesets.war_for_the_motherland.organization import AskOrganization, BreakDown, BuildUp, EndOrganization, ExchangeStep
from core.rulesets.war_for_the_motherland.partisans import PartisansChoice, PlacePartisan
from core.rulesets.war_for_the_motherland.rebuilding import AskArmyBreakdown, AskRebuilding, Incorporate, KeepArmies, RebuildArmy
from core.rulesets.war_for_the_motherland.sea_movement import Sail
from core.rulesets.war_for_the_motherland.terms import FINISHED
from core.trials.table import Table
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.lines_of_supply import AIRBASE, DEPOT, FLEET, PARTISAN, lay, row
from tests.rules.war_for_the_motherland.moments import run
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES, SOVIET_MOVES
from tests.rules.war_for_the_motherland.phase_one import phase_one
from tests.rules.war_for_the_motherland.test_5_5_sea_movement import CONSTANZA, EVERY_PORT, ODESSA, harbours

AT = "2010"
ARMY, RIFLES = "sov_infantry_army", "sov_infantry_corps"
CORPS, KG = "ger_infantry_corps", "ger_infantry_kg"
PANZERS, PANZER_KG = "ger_panzer_corps", "ger_panzer_kg"


@pytest.fixture
def table() -> Table:
    return NewTable()()


def choice(table: Table) -> Order:
    return bots.load("steady")(table.view, random.Random(1))


# -------------------------------------------------------------------- armies


def test_the_army_nearest_to_the_enemy_becomes_guards(table: Table) -> None:
    table.place("sov_guard_army", "conversion_waiting", name="2")
    table.place(ARMY, "1604")
    front = table.place(ARMY, AT)
    table.place(CORPS, "2210")
    run(table, 13, AskConversions())
    assert choice(table) == ConvertArmy(front, "2. Guards Army")


def test_two_corps_of_a_hex_are_made_an_army_and_single_ones_wait(table: Table) -> None:
    table.place(ARMY, "converted", name="64")
    table.place(RIFLES, "2014")
    pair = (table.place(RIFLES, AT), table.place(RIFLES, AT))
    run(table, 13, AskRebuilding())
    assert choice(table) == RebuildArmy(pair, "64. Army")


def test_a_corps_fills_up_the_weakened_army_beside_it(table: Table) -> None:
    army, corps = table.place(ARMY, AT, chit="C 3-5/2-3", steps=1), table.place(RIFLES, "2009")
    run(table, 13, AskRebuilding())
    assert choice(table) == Incorporate((army, corps))


# -------------------------------------------------------------------- corps and Kampfgruppen


def test_kampfgruppen_of_a_corps_are_built_up_to_the_strongest_that_they_make(table: Table) -> None:
    table.place(CORPS, "broken_down")
    pair = (table.place(KG, AT), table.place(KG, AT))
    run(table, 13, AskOrganization())
    assert choice(table) == BuildUp(pair)


def test_a_step_goes_to_the_unit_that_gains_more_by_it_than_the_other_loses(table: Table) -> None:
    corps, kg = table.place(PANZERS, AT, steps=3), table.place(PANZER_KG, AT, steps=1)
    run(table, 13, AskOrganization())
    order = choice(table)
    assert isinstance(order, ExchangeStep)
    assert order.units == (corps, kg)
    table.order(order)
    assert table.unit(corps).steps == 4


def test_a_corps_in_a_closed_front_stays_whole(table: Table) -> None:
    for at in ("2009", AT, "2011"):
        table.place(CORPS, at)
    table.place(ARMY, "1810")
    run(table, 13, AskOrganization())
    assert choice(table) == EndOrganization()


def test_a_corps_alone_among_armies_that_it_can_not_attack_breaks_down_to_cover_more(table: Table) -> None:
    corps = table.place(CORPS, AT)
    for here in sorted(set(table.board.within(table.hex(AT), 3)) - set(table.board.within(table.hex(AT), 2))):
        table.place(ARMY, table.board.label(here), chit="C 3-5/2-3")
    run(table, 13, AskOrganization())
    assert choice(table) == BreakDown(corps)


# -------------------------------------------------------------------- armies into corps


def test_armies_are_not_broken_down(table: Table) -> None:
    table = NewTable()(options={"army_breakdown": True})
    table.place(ARMY, AT)
    table.place(ARMY, "2414")
    run(table, 14, AskArmyBreakdown())
    assert choice(table) == KeepArmies()


# -------------------------------------------------------------------- fleets, partisans, support groups


def test_a_fleet_flies_for_the_corps_that_no_line_reaches() -> None:
    table = lay(NewTable(), 13, axis=["2610"])
    table.place(AIRBASE, "2610", name="1")
    fleet = table.place(FLEET, "fleets", name="1")
    table.place(CORPS, "2310")
    for at in ("2508", "2510", "2512", "2210"):
        table.place(ARMY, at)
    phase_one(table, 13, steps=(PlaceFleets(),))
    order = choice(table)
    assert isinstance(order, PlaceFleet)
    assert order.fleet == fleet
    assert order.hex is not None
    zone = table.setting.types[FLEET].values["azoi"]
    assert table.board.distance(order.hex, table.hex("2310")) <= zone


def test_a_partisan_goes_onto_a_line_of_supply() -> None:
    table = lay(NewTable(), 13, lambda plain: [plain.hex(label, country="soviet") for label in plain.facts], axis=["2610"])
    table.place(PARTISAN, "arrivals")
    table.place(CORPS, "2210")
    table.happen(FramePushed(PartisansChoice(side="soviet").frame()))
    order = choice(table)
    assert isinstance(order, PlacePartisan)
    assert order.hex in ground.enemy_lines(table.view, "soviet")


def test_a_support_group_arrives_behind_the_front_that_it_shall_fire_for() -> None:
    table = NewTable()(lambda board: board.rail(*row(16, 1, 12)), rules={"osg_production": True})
    table.place("sov_headquarters", "1604")
    table.place(ARMY, "1808")
    table.place(CORPS, "2008")
    run(table, 14, ProduceOsg())
    order = choice(table)
    assert isinstance(order, PlaceOsg)
    assert order.hex is not None
    assert 2 <= table.board.distance(order.hex, table.hex("2008")) <= 4


# -------------------------------------------------------------------- depots


def test_a_depot_stays_in_its_chain_though_the_link_is_as_long_as_it_may_be() -> None:
    table = lay(NewTable(), 13, axis=["2620"])
    link, end = table.place(DEPOT, "2616"), table.place(DEPOT, "2612")
    table.place(CORPS, "2609")
    table.place(ARMY, "2604")
    depot = posts.standing(table.view, link)
    assert supply.network(table.view, "axis").links.keys() == {table.hex("2616"), table.hex("2612")}
    assert trains.worth(table.view, depot, table.hex("2616")) > trains.worth(table.view, depot, table.hex("2615")) + 1
    assert trains.worth(table.view, posts.standing(table.view, end), table.hex("2612")) > 0


# -------------------------------------------------------------------- ships


def test_who_is_shut_in_a_port_goes_out_by_sea_and_takes_another_half_along() -> None:
    table, units = harbours(NewTable(), soviet=EVERY_PORT, turn=3, phase=SOVIET_MOVES, p2017="sov_marine_corps", a2017="sov_marine_corps")
    shut_in(table, ODESSA)
    order = choice(table)
    assert isinstance(order, Sail)
    assert set(order.units) == set(units)


def test_nobody_sails_away_from_an_enemy_who_threatens_nobody() -> None:
    table, _ = harbours(NewTable(), soviet=EVERY_PORT, turn=3, phase=SOVIET_MOVES, p2319=ARMY)
    assert not isinstance(choice(table), Sail)


def test_a_reserve_goes_by_sea_to_the_port_next_to_the_front() -> None:
    table, (army,) = harbours(NewTable(), soviet=EVERY_PORT, turn=3, phase=SOVIET_MOVES, p2017=ARMY)
    assert choice(table) == Sail((army,), table.hex(CONSTANZA))


def shut_in(table: Table, port: str) -> None:
    """Put a panzer corps into each hex around a port."""
    for here in table.board.adjacent[table.hex(port)]:
        table.place(PANZERS, table.board.label(here))


def test_reserves_still_go_by_rail_after_somebody_has_sailed() -> None:
    table, (corps, *_) = harbours(NewTable(), phase=AXIS_MOVES, p2017=CORPS)
    table.order(Sail((corps,), table.hex(CONSTANZA)))
    assert table.position.mark(corps, FINISHED) == BY_SEA
    units = marches.reserves(table.view, "axis")
    assert len(units) == len(marching.own_units(table.view, "axis"))

"""Sea movement (5.5)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.board import HexFacts
from core.events import ControlChanged
from core.game import StopDice, decide
from core.options import options, refusal
from core.orders import OptionPick, Picks, compose
from core.rulesets.war_for_the_motherland.sea_movement import Sail
from core.rulesets.war_for_the_motherland.terms import OUT_OF_SUPPLY
from core.trials.table import PlainBoard, Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moving import AXIS_MOVES, PANZERS_MOVE, SOVIET_MOVES, move, strategic

GAME = "war_for_the_motherland"
CORPS, KG, ARMY = "ger_infantry_corps", "ger_infantry_kg", "sov_infantry_army"
ODESSA, CONSTANZA, SEVASTOPOL = "2017", "2319", "2010"
LENINGRAD, KONIGSBERG, MURMANSK, ARCHANGELSK = "C1418", "C2933", "N1327", "N2718"


def ports(board: PlainBoard) -> None:
    for label in (ODESSA, CONSTANZA, SEVASTOPOL):
        board.hex(label, port="black_sea")
    for i, label in enumerate((LENINGRAD, KONIGSBERG, MURMANSK, ARCHANGELSK)):
        far = 100 + 2 * i
        board.facts[label] = HexFacts(label, far, far, far, far, "clear", port="baltic" if label[0] == "C" else "white_sea")


def harbours(new_table: NewTable, *, soviet: str = "", turn: int = 13, phase: str = AXIS_MOVES, **kinds: str) -> tuple[Table, list[UnitId]]:
    """Ports that the Axis holds but for those of *soviet*; units by place: ``p2017="ger_infantry_corps"``."""
    table = new_table(ports, rules={"sea_movement": True})
    for label in (ODESSA, CONSTANZA, SEVASTOPOL, LENINGRAD, KONIGSBERG, MURMANSK, ARCHANGELSK):
        table.happen(ControlChanged(table.hex(label), "soviet" if label in soviet.split() else "axis"))
    table.place(CORPS, "2620")
    table.place("ger_panzer_corps", "2620")
    table.place(ARMY, "1601")
    units = [table.place(kind, place.strip("abp")) for place, kind in kinds.items()]
    table.begin(turn, phase)
    return table, units


def sail(table: Table, *units: UnitId, to: str) -> Sail:
    return Sail(units, table.hex(to))


EVERY_PORT = f"{ODESSA} {CONSTANZA} {SEVASTOPOL} {LENINGRAD} {KONIGSBERG} {MURMANSK} {ARCHANGELSK}"


@pytest.mark.rule(GAME, "5.51a", "5.53a", "5.58")
def test_one_unit_a_phase_goes_from_port_to_port(new_table: NewTable) -> None:
    table, (corps, kg) = harbours(new_table, p2017=CORPS, a2017=KG)
    assert table.refused(sail(table, corps, kg, to=CONSTANZA)) == "5.51a"
    assert table.refused(sail(table, corps, to="2017")) == "5.58"  # where it is already
    table.order(sail(table, corps, to=CONSTANZA))
    assert table.where(corps) == CONSTANZA
    assert table.refused(sail(table, kg, to=CONSTANZA)) == "5.51a"


@pytest.mark.rule(GAME, "5.53a", "5.53b")
def test_a_passage_is_seen_before_the_order_is_given(new_table: NewTable) -> None:
    table, (one, two) = harbours(new_table, p2017=KG, a2017=KG)
    preview = table.setting.ruleset.orders["sail"].preview
    assert preview is not None
    assert preview(table.view, Sail((one, two))) is None
    told = preview(table.view, sail(table, one, two, to=CONSTANZA))
    assert told is not None
    names = [table.view.board.name(table.hex(label)) for label in (ODESSA, CONSTANZA)]
    assert (str(told.title), [line.key for line in told.lines]) == (
        f"By sea from {names[0]} to {names[1]}", [table.view.name(unit) for unit in (one, two)]
    )
    assert {(line.value, part.rule) for line in told.lines for part in line.parts} == {("moves no more", "5.53b")}


@pytest.mark.rule(GAME, "5.55a", "5.55b")
def test_two_half_units_go_between_the_same_ports(new_table: NewTable) -> None:
    table, (one, two, mountain, elsewhere) = harbours(new_table, p2017=KG, a2017=KG, b2017="ger_mountain_kg", p2319=KG)
    assert table.refused(sail(table, one, elsewhere, to=SEVASTOPOL)) == "5.55b"
    assert table.refused(sail(table, one, two, mountain, to=CONSTANZA)) == "5.51a"
    table.order(sail(table, one, mountain, to=CONSTANZA))
    assert table.where(one) == table.where(mountain) == CONSTANZA


@pytest.mark.rule(GAME, "5.51b", "5.53a")
@pytest.mark.parametrize(("phase", "told"), [
    (AXIS_MOVES, ["5.53a: no unit that may go by sea is in a friendly port with a route to another"]),
    ("german_mechanized_movement", []),
])
def test_what_nobody_can_do_says_what_all_lack_and_what_a_phase_does_not_have_is_not_named(
    new_table: NewTable, phase: str, told: list[str]
) -> None:
    table, _ = harbours(new_table, phase=phase, p2010="ger_airbase")
    closed = [door.refused for door in options(table.view).doors if door.pick == OptionPick("sail")]
    assert [f"{why.rule}: {why.text}" for why in closed if why is not None] == told
    assert len(closed) == len(told)


@pytest.mark.rule(GAME, "5.51a", "5.55a", "5.55b")
def test_the_second_half_unit_may_follow_the_first_between_the_same_ports(new_table: NewTable) -> None:
    table, (one, two, corps, elsewhere) = harbours(new_table, p2017=KG, a2017="ger_mountain_kg", b2017=CORPS, p2010=KG)
    table.order(sail(table, one, to=CONSTANZA))
    assert table.refused(sail(table, two, to=SEVASTOPOL)) == "5.55b"
    assert table.refused(sail(table, elsewhere, to=CONSTANZA)) == "5.55b"
    assert table.refused(sail(table, corps, to=CONSTANZA)) == "5.51a"
    table.order(sail(table, two, to=CONSTANZA))
    assert table.where(two) == CONSTANZA
    assert table.refused(sail(table, one, to=ODESSA)) == "5.51a"


@pytest.mark.rule(GAME, "5.51a", "5.55a")
def test_two_half_units_do_not_follow_one_together(new_table: NewTable) -> None:
    table, (one, two, three) = harbours(new_table, p2017=KG, a2017=KG, b2017=KG)
    table.order(sail(table, one, to=CONSTANZA))
    assert table.refused(sail(table, two, three, to=CONSTANZA)) == "5.51a"


@pytest.mark.rule(GAME, "5.54a", "5.54b", "20.33a")
@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("ger_security_division", "20.33a"),
        ("ger_panzer_kg", "5.54a"),
        ("ger_airbase", "5.54a"),
        ("ita_army", "5.54a"),
        ("ger_siege_artillery", "5.54a"),
        ("rum_headquarters", "5.54a"),
        ("rum_infantry_corps", ""),
        ("axis_depot_normal", ""),
        ("ger_mountain_corps", ""),
    ],
)
def test_axis_passengers(new_table: NewTable, kind: str, rule: str) -> None:
    table, (unit,) = harbours(new_table, p2017=kind)
    if rule:
        assert table.refused(sail(table, unit, to=CONSTANZA)) == rule
    else:
        table.order(sail(table, unit, to=CONSTANZA))


@pytest.mark.rule(GAME, "5.54a", "5.54b")
@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (ARMY, ""),
        ("sov_guard_army", ""),
        ("sov_marine_corps", ""),
        ("sov_airborne_corps", ""),
        ("sov_tank_army", "5.54a"),
        ("sov_mechanized_corps", "5.54a"),
        ("sov_osg", "5.54a"),
        ("sov_headquarters", "5.54a"),
    ],
)
def test_soviet_passengers(new_table: NewTable, kind: str, rule: str) -> None:
    table, (unit,) = harbours(new_table, soviet=EVERY_PORT, phase=SOVIET_MOVES, p2017=kind)
    if rule:
        assert table.refused(sail(table, unit, to=CONSTANZA)) == rule
    else:
        table.order(sail(table, unit, to=CONSTANZA))


@pytest.mark.rule(GAME, "5.53c", "5.56")
def test_neither_lack_of_supply_nor_zoc_bars_the_sea(new_table: NewTable) -> None:
    table = new_table(ports, rules={"sea_movement": True})
    for label in (ODESSA, SEVASTOPOL):
        table.happen(ControlChanged(table.hex(label), "soviet"))
    table.place(CORPS, "2016")
    table.place(CORPS, "2009")
    army = table.place(ARMY, ODESSA, **{OUT_OF_SUPPLY: 1})
    table.begin(13, SOVIET_MOVES)
    table.order(sail(table, army, to=SEVASTOPOL))
    assert table.where(army) == SEVASTOPOL


@pytest.mark.rule(GAME, "5.52", "5.53a")
def test_only_friendly_ports_serve(new_table: NewTable) -> None:
    table, (corps,) = harbours(new_table, soviet=SEVASTOPOL, p2017=CORPS)
    assert table.refused(sail(table, corps, to=SEVASTOPOL)) == "5.53a"
    inland, (corps,) = harbours(new_table, p2018=CORPS)
    assert inland.refused(sail(inland, corps, to=CONSTANZA)) == "5.53a"


@pytest.mark.rule(GAME, "5.57a", "5.57b", "5.57c", "11.25")
@pytest.mark.parametrize(
    ("start", "goal", "turn", "rule"),
    [
        (MURMANSK, ARCHANGELSK, 13, ""),
        (ARCHANGELSK, MURMANSK, 12, ""),
        (MURMANSK, ARCHANGELSK, 9, "5.57c"),
        (MURMANSK, LENINGRAD, 13, "5.57a"),
        (LENINGRAD, KONIGSBERG, 13, ""),
        (LENINGRAD, KONIGSBERG, 23, "5.57c"),
        (LENINGRAD, ODESSA, 13, "5.57b"),
        (ODESSA, LENINGRAD, 13, "5.58"),
        (ODESSA, SEVASTOPOL, 23, ""),
    ],
)
def test_sea_routes(new_table: NewTable, start: str, goal: str, turn: int, rule: str) -> None:
    table, (army,) = harbours(new_table, soviet=EVERY_PORT, phase=SOVIET_MOVES, turn=turn, **{f"p{start}": ARMY})
    if not rule:
        table.order(sail(table, army, to=goal))
        assert table.where(army) == goal
    else:
        assert table.refused(sail(table, army, to=goal)) == rule
        assert table.where(army) == start


@pytest.mark.rule(GAME, "5.53b", "5.61")
def test_who_sailed_moves_no_more_and_who_moved_does_not_sail(new_table: NewTable) -> None:
    table, (corps, other) = harbours(new_table, p2017=CORPS, p2319=CORPS)
    table.order(sail(table, corps, to=SEVASTOPOL))
    assert table.refused(move(table, corps, to="2009")) == "5.53b"
    assert table.refused(strategic(table, corps, to="2009")) == "5.53b"
    table.order(move(table, other, to="2318"))
    table, (corps, other) = harbours(new_table, p2017=CORPS, p2319=CORPS)
    table.order(move(table, other, to="2318 2319"))
    assert table.refused(sail(table, corps, to=CONSTANZA)) == "3.0.2b"


@pytest.mark.rule(GAME, "5.51b")
def test_nobody_sails_in_the_mechanized_phase(new_table: NewTable) -> None:
    table, (corps,) = harbours(new_table, phase=PANZERS_MOVE, p2017=CORPS)
    assert table.refused(sail(table, corps, to=CONSTANZA)) == "5.51b"


@pytest.mark.rule(GAME, "16.41a")
def test_turning_point_has_no_sea_movement(new_table: NewTable) -> None:
    table = new_table(ports)
    corps = table.place(CORPS, ODESSA)
    table.begin(13, AXIS_MOVES)
    assert table.refused(sail(table, corps, to=CONSTANZA)) == "16.41a"


@pytest.mark.rule(GAME, "4.15b", "5.53a")
def test_another_allied_nation_in_the_port_bars_it(new_table: NewTable) -> None:
    table, (rumanian, _) = harbours(new_table, p2017="rum_infantry_corps", p2319="hun_corps")
    assert table.refused(sail(table, rumanian, to=CONSTANZA)) == "4.15b"
    table.order(sail(table, rumanian, to=SEVASTOPOL))


@pytest.mark.rule(GAME, "4.15b", "5.53a", "5.58")
@pytest.mark.parametrize(
    ("held", "guest", "rule"),
    [(CONSTANZA, "hun_corps", "4.15b"), (CONSTANZA, "ger_infantry_corps", ""), (KONIGSBERG, "hun_corps", "5.53a")],
)
def test_who_has_no_other_port_is_told_why_the_last_one_is_closed(new_table: NewTable, held: str, guest: str, rule: str) -> None:
    enemy_ports = " ".join(port for port in EVERY_PORT.split() if port not in (ODESSA, held))
    table, (rumanian, *_) = harbours(new_table, soviet=enemy_ports, p2017="rum_infantry_corps", p2319=guest)
    if rule:
        assert table.refused(sail(table, rumanian, to=CONSTANZA)) == rule
    else:
        table.order(sail(table, rumanian, to=CONSTANZA))


@pytest.mark.rule(GAME, "5.51a")
@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_every_offered_passage_is_accepted(seed: int) -> None:
    dice = random.Random(seed)
    table = NewTable()(ports, rules={"sea_movement": True})
    labels = EVERY_PORT.split()
    for label in labels:
        table.happen(ControlChanged(table.hex(label), "axis"))
    for kind in (CORPS, KG, KG, KG, "rum_infantry_corps", "hun_corps", "ger_panzer_kg"):
        table.place(kind, dice.choice(labels))
    table.begin(dice.choice([9, 13]), AXIS_MOVES)
    picks: Picks = (OptionPick("sail"),)
    if picks[0] not in options(table.view).picks:
        return
    while not options(table.view, picks).complete:
        offered = options(table.view, picks).picks
        assert offered, picks
        picks = (*picks, dice.choice(offered))
    order = compose(Sail, picks[1:])
    assert refusal(table.view, order) is None
    decide(table.view, "axis", order, StopDice())

"""Combat: totals, column, modifiers, roll (8.1, 8.3 to 8.7, 11.27, 11.28)."""

from __future__ import annotations

import pytest

from core.errors import BadInput
from core.events import PlaceMarked
from core.game import NeedsDice, StopDice, decide
from core.pack import Pack
from core.rulesets.war_for_the_motherland import combat
from core.rulesets.war_for_the_motherland.charts import load_charts
from core.rulesets.war_for_the_motherland.combat import SiegeArtillery
from core.rulesets.war_for_the_motherland.combat_phase import Attack
from core.trials.table import PlainBoard, Table
from tests.packs import pack_of
from tests.rules.war_for_the_motherland.battles import (
    ARMY,
    CORPS,
    FIRST_WINTER,
    GUN,
    ITALIANS,
    MUD,
    OSG,
    RUMANIANS,
    SECOND_WINTER,
    STRONG,
    TANKS,
    attack,
    axis,
    begin,
    line,
    refused_attack,
    soviet,
    terrain,
    waits_for,
)
from tests.rules.war_for_the_motherland.conftest import NewTable

RULES = "war_for_the_motherland"
FLEET = "ger_air_fleet_3"


def duel(new_table: NewTable, attacks: int, defends: int, ground: str = "clear", *, side: str = "axis", turn: int = 13) -> Table:
    """Let one unit stand in 2009, ready to attack another in 2010 that has this defence."""

    def edit(board: PlainBoard) -> None:
        board.hex("2010", **({"city": "major"} if ground == "major_city" else {"terrain": ground}))

    table = new_table(edit)
    place, other = (axis, soviet) if side == "axis" else (soviet, axis)
    place(table, "2009", attacks, 5)
    other(table, "2010", 2, defends)
    begin(table, side, turn=turn)
    return table


def test_who_asks_whether_an_attack_needs_dice_has_nothing_reckoned(new_table: NewTable, monkeypatch: pytest.MonkeyPatch) -> None:
    table = duel(new_table, 12, 6)
    order = Attack((table.hex("2010"),), table.view.position.at(table.hex("2009")))
    monkeypatch.setattr(combat.reckoning, "reckon", lambda *_, **__: pytest.fail("the battle was reckoned before its die"))
    with pytest.raises(NeedsDice):
        decide(table.view, "axis", order, StopDice())


@pytest.mark.rule(RULES, "8.1.3a", "8.1.3b", "8.1.4a", "8.1.4b", "8.1.7", "8.41")
@pytest.mark.parametrize(
    ("attacks", "defends", "ground", "die", "column", "result"),
    [
        (15, 4, "clear", 5, "3:1", "D2"),
        (11, 6, "clear", 6, "3:2", "D1"),
        (12, 6, "clear", 6, "2:1", "D2"),
        (2, 9, "clear", 3, "1:3", "A2"),
        (2, 9, "forest", 3, "1:2", "A2"),
        (40, 4, "clear", 2, "7:1", "D3"),
        (40, 4, "major_city", 2, "9:1", "D3"),
        (12, 6, "clear", 4, "2:1", "D1"),
        (12, 6, "forest", 4, "2:1", "NE"),
        (12, 6, "mountain", 4, "2:1", "NE"),
        (12, 6, "major_city", 4, "2:1", "NE"),
        (12, 6, "swamp", 4, "2:1", "NE"),
        (12, 6, "major_city", 3, "2:1", "A1"),
        (12, 6, "forest", 3, "2:1", "NE"),
        (12, 6, "tundra", 4, "2:1", "D1"),
    ],
)
def test_ratio_and_terrain_give_the_column(
    new_table: NewTable, attacks: int, defends: int, ground: str, die: int, column: str, result: str
) -> None:
    table = duel(new_table, attacks, defends, ground)
    attack(table, "2010", table.position.at(table.hex("2009")), die)
    assert (line(table, "column"), line(table, "roll"), line(table, "result")) == (column, str(die), result)


@pytest.mark.rule(RULES, "8.1.2a", "8.31")
def test_strengths_of_several_units_are_added(new_table: NewTable) -> None:
    table = new_table()
    units = [axis(table, "2009", 9, 8), axis(table, "1909", 5, 7)]
    soviet(table, "2010", 2, 3), soviet(table, "2010", 2, 2)
    begin(table)
    attack(table, "2010", units, 1)
    assert table.explained("attack") == "9 + 5"
    assert table.explained("defence") == "3 + 2"
    assert line(table, "ratio") == "14:5"


@pytest.mark.rule(RULES, "9.52b", "9.53b", "2.4a")
def test_units_without_supply_are_halved_one_by_one(new_table: NewTable) -> None:
    table = new_table()
    units = [
        axis(table, "2009", 5, 7, out_of_supply=1),
        axis(table, "2009", 3, 5, out_of_supply=1),
        axis(table, "2009", 9, 8, lack_of_supply=1),
    ]
    soviet(table, "2010", 2, 7, out_of_supply=1), soviet(table, "2010", 2, 7, lack_of_supply=1)
    begin(table)
    attack(table, "2010", units, 1)
    assert table.explained("attack") == "3 (9.52) + 2 (9.52) + 5 (9.53)"
    assert table.explained("defence") == "4 (9.52) + 7"


# -------------------------------------------------------------------- air


def with_fleet(new_table: NewTable, attacks: int, defends: int, *, at: str = "2012", side: str = "axis", turn: int = 14) -> Table:
    table = duel(new_table, attacks, defends, side=side, turn=turn)
    table.place(FLEET, at)
    return table


@pytest.mark.rule(RULES, "8.1.5", "8.52", "8.51", "8.1.4b")
@pytest.mark.parametrize(
    ("attacks", "defends", "die", "column", "result"), [(2, 9, 5, "1:2", "NE"), (28, 4, 1, "7:1", "D2"), (9, 3, 4, "4:1", "D2")]
)
def test_air_support_shifts_an_axis_attack_right_within_the_table(
    new_table: NewTable, attacks: int, defends: int, die: int, column: str, result: str
) -> None:
    table = with_fleet(new_table, attacks, defends)
    attack(table, "2010", table.position.at(table.hex("2009")), die)
    assert (line(table, "column"), line(table, "result")) == (column, result)
    assert table.explained("column").endswith(f"{column} (8.52)")


@pytest.mark.rule(RULES, "8.53")
@pytest.mark.parametrize(("die", "result"), [(4, "D1"), (6, "D2"), (3, "NE")])
def test_air_support_shifts_a_soviet_attack_left(new_table: NewTable, die: int, result: str) -> None:
    table = with_fleet(new_table, 18, 6, side="soviet")
    attack(table, "2010", table.position.at(table.hex("2009")), die)
    assert (line(table, "column"), line(table, "result")) == ("2:1", result)
    assert table.explained("column") == "3:1 + 2:1 (8.53)"


@pytest.mark.rule(RULES, "8.54", "10.22")
def test_two_fleets_shift_no_more_than_one(new_table: NewTable) -> None:
    table = with_fleet(new_table, 9, 3)
    table.place(FLEET, "2011")
    attack(table, "2010", table.position.at(table.hex("2009")), 1)
    assert line(table, "column") == "4:1"


@pytest.mark.rule(RULES, "8.55")
@pytest.mark.parametrize("turn", [MUD, SECOND_WINTER])
def test_there_is_no_air_support_in_mud_and_snow(new_table: NewTable, turn: int) -> None:
    table = with_fleet(new_table, 9, 3, turn=turn)
    attack(table, "2010", table.position.at(table.hex("2009")), 1)
    assert line(table, "column") == "3:1"


@pytest.mark.rule(RULES, "8.52", "8.34", "10.22")
@pytest.mark.parametrize(("fleets", "column"), [(["2013"], "4:1"), (["2014"], "3:1"), (["2014", "2005"], "3:1")])
def test_one_fleet_must_cover_all_attacked_hexes(new_table: NewTable, fleets: list[str], column: str) -> None:
    table = new_table()
    unit = axis(table, "1910", 9, 8)
    soviet(table, "2010", 2, 2), soviet(table, "2011", 2, 1)
    for at in fleets:
        table.place(FLEET, at)
    begin(table, turn=14)
    attack(table, ["2010", "2011"], [unit], 1)
    assert line(table, "column") == column


# -------------------------------------------------------------------- rivers


def across(new_table: NewTable, attackers: list[tuple[str, int]], defences: list[int], *, minor: str = "", major: str = "") -> str:
    """Return how the defence of 2010 comes about when units of these places and strengths attack it over these hexsides."""

    def edit(board: PlainBoard) -> None:
        for kind, labels in (("minor_river", minor), ("major_river", major)):
            for label in labels.split():
                board.side(label, "2010", kind)

    table = new_table(edit)
    units = [axis(table, at, strength, 5) for at, strength in attackers]
    for value in defences:
        soviet(table, "2010", 1, value)
    begin(table)
    attack(table, "2010", units, 6)
    return table.explained("defence")


@pytest.mark.rule(RULES, "8.1.2c", "8.42a")
def test_a_minor_river_adds_two_to_the_defence(new_table: NewTable) -> None:
    assert across(new_table, [("2009", 9)], [3], minor="2009") == "3 + 2 (8.42)"


@pytest.mark.rule(RULES, "8.42b")
def test_a_lone_point_behind_a_minor_river_gets_one(new_table: NewTable) -> None:
    assert across(new_table, [("2009", 9)], [1], minor="2009") == "1 + 1 (8.42)"


@pytest.mark.rule(RULES, "8.42a", "8.42b")
def test_two_lone_points_get_two(new_table: NewTable) -> None:
    assert across(new_table, [("2009", 9)], [1, 1], minor="2009") == "1 + 1 + 2 (8.42)"


@pytest.mark.rule(RULES, "8.43a")
def test_a_major_river_doubles_the_defence(new_table: NewTable) -> None:
    assert across(new_table, [("2009", 9)], [3], major="2009") == "3 + 3 (8.43)"


@pytest.mark.rule(RULES, "8.44")
def test_major_and_minor_rivers_together_double(new_table: NewTable) -> None:
    assert across(new_table, [("2009", 9), ("1909", 9)], [3], minor="2009", major="1909") == "3 + 3 (8.44)"


@pytest.mark.rule(RULES, "8.45")
def test_one_attacker_over_land_takes_the_bonus_away(new_table: NewTable) -> None:
    assert across(new_table, [("2009", 9), ("1909", 1)], [3], major="2009") == "3"


@pytest.mark.rule(RULES, "2.4b", "2.4c", "8.43a", "9.52b")
def test_half_and_double_give_the_printed_value(new_table: NewTable) -> None:
    table = new_table(lambda board: board.side("2009", "2010", "major_river"))
    unit = axis(table, "2009", 9, 8)
    soviet(table, "2010", 1, 7, out_of_supply=1)
    begin(table)
    attack(table, "2010", [unit], 6)
    assert (table.explained("defence"), line(table, "ratio")) == ("4 (9.52) + 3 (8.43)", "9:7")


@pytest.mark.rule(RULES, "8.1.5", "8.42a", "8.52")
def test_river_and_air_both_count(new_table: NewTable) -> None:
    table = new_table(lambda board: board.side("2009", "2010", "minor_river"))
    unit = axis(table, "2009", 14, 8)
    table.place(ARMY, "2010", chit="C 4-6/2-4")
    table.place(FLEET, "2012")
    begin(table, turn=14)
    attack(table, "2010", [unit], 4)
    assert (table.explained("column"), line(table, "result")) == ("3:2 + 2:1 (8.52)", "D1")


def frozen_lake(new_table: NewTable) -> Table:
    return new_table(lambda board: board.side("2009", "2010", "lake", "ice_road"))


@pytest.mark.rule(RULES, "8.46a", "8.43a")
def test_infantry_attacks_over_ice_as_over_a_major_river(new_table: NewTable) -> None:
    table = frozen_lake(new_table)
    army = table.place(ARMY, "2009", chit=STRONG)
    axis(table, "2010", 5, 7)
    begin(table, "soviet", turn=FIRST_WINTER)
    attack(table, "2010", [army], 1)
    assert table.explained("defence") == "7 + 7 (8.43)"


@pytest.mark.rule(RULES, "8.46a", "8.46b", "4.24a")
@pytest.mark.parametrize(("turn", "kind"), [(FIRST_WINTER, TANKS), (FIRST_WINTER, "sov_mechanized_corps"), (MUD, ARMY)])
def test_armor_never_attacks_over_ice_and_nobody_over_water(new_table: NewTable, turn: int, kind: str) -> None:
    table = frozen_lake(new_table)
    unit = table.place(kind, "2009")
    other = table.place(ARMY, "2110")
    axis(table, "2010", 5, 7)
    begin(table, "soviet", turn=turn)
    assert refused_attack(table, "2010", [unit]) == "8.46"
    assert refused_attack(table, "2010", [unit, other]) == "8.46"


@pytest.mark.rule(RULES, "8.46b")
def test_germans_never_attack_over_ice(new_table: NewTable) -> None:
    table = frozen_lake(new_table)
    unit = axis(table, "2009", 5, 7)
    axis(table, "2109", 5, 7)
    soviet(table, "2010", 1, 7)
    begin(table, turn=FIRST_WINTER)
    assert refused_attack(table, "2010", [unit]) == "8.46"


# -------------------------------------------------------------------- die roll modifiers


@pytest.mark.rule(RULES, "11.27", "11.28", "8.1.6a")
@pytest.mark.parametrize(
    ("turn", "roll", "parts"), [(8, 8, "5 + 3 (11.27)"), (22, 6, "5 + 1 (11.28)"), (39, 6, "5 + 1 (11.28)"), (13, 5, "5")]
)
def test_winter_adds_to_the_die(new_table: NewTable, turn: int, roll: int, parts: str) -> None:
    table = duel(new_table, 6, 6, turn=turn)
    attack(table, "2010", table.position.at(table.hex("2009")), 5)
    assert (line(table, "roll"), table.explained("roll")) == (str(roll), parts)


@pytest.mark.rule(RULES, "8.62a", "8.61", "8.1.6b")
def test_winter_offensive_with_support(new_table: NewTable) -> None:
    table = new_table()
    armies = [table.place(ARMY, "2009", chit="C 6-8/3-5"), table.place(ARMY, "1909", chit="C 5-7/3-4")]
    axis(table, "2010", 5, 7), axis(table, "2010", 5, 7)
    table.place(OSG, "2007")
    begin(table, "soviet", turn=FIRST_WINTER)
    attack(table, "2010", armies, 3)
    assert (line(table, "ratio"), line(table, "column"), line(table, "drm")) == ("11:14", "1:2", "6")
    assert (line(table, "roll"), line(table, "result"), waits_for(table)) == ("9", "1/-", "soviet PayResult")


@pytest.mark.rule(RULES, "8.1.6b")
def test_a_roll_above_ten_counts_ten(new_table: NewTable) -> None:
    table = duel(new_table, 6, 6, side="soviet", turn=FIRST_WINTER)
    table.place(OSG, "2009")
    attack(table, "2010", table.position.at(table.hex("2009"))[:1], 6)
    assert (line(table, "roll"), table.explained("roll")) == ("10", "6 + 3 (11.27) + 3 (8.62) + -2 (8.1.6)")


@pytest.mark.rule(RULES, "8.62a", "8.62b", "8.63", "8.64")
@pytest.mark.parametrize(("osg", "drm"), [(["2013"], "3"), (["2014"], "0"), (["2013", "2012"], "3")])
def test_support_reaches_three_hexes_over_anything_and_only_once(new_table: NewTable, osg: list[str], drm: str) -> None:
    def edit(board: PlainBoard) -> None:
        terrain(board, "lake", "2011")

    table = new_table(edit)
    unit = soviet(table, "2009", 6, 5)
    axis(table, "2010", 5, 7), axis(table, "2012", 5, 7)
    for at in osg:
        table.place(OSG, at)
    begin(table, "soviet")
    attack(table, "2010", [unit], 5)
    assert line(table, "drm") == drm


@pytest.mark.rule(RULES, "8.62a", "8.34")
def test_support_must_reach_every_attacked_hex(new_table: NewTable) -> None:
    table = new_table()
    unit = soviet(table, "1910", 9, 5)
    axis(table, "2010", 2, 3), axis(table, "2011", 2, 3)
    table.place(OSG, "2007")
    begin(table, "soviet")
    attack(table, ["2010", "2011"], [unit], 5)
    assert line(table, "drm") == "0"


@pytest.mark.rule(RULES, "8.61")
def test_support_never_defends(new_table: NewTable) -> None:
    table = duel(new_table, 9, 3)
    table.place(OSG, "2011")
    attack(table, "2010", table.position.at(table.hex("2009")), 1)
    assert line(table, "drm") == "0"


# -------------------------------------------------------------------- siege artillery


def siege(new_table: NewTable, gun: str = "2007", *, city: bool = True, kind: str = CORPS) -> Table:
    """Let 14 points attack 7 in a major city, the siege artillery standing by."""

    def edit(board: PlainBoard) -> None:
        if city:
            board.hex("2010", city="major")

    table = new_table(edit)
    axis(table, "2009", 5, 7, like=kind), axis(table, "2009", 9, 8, like=kind)
    soviet(table, "2010", 2, 7)
    table.place(GUN, gun)
    begin(table, turn=14)
    return table


def assault(table: Table, use: str = "") -> None:
    units = [unit for unit in table.position.at(table.hex("2009")) if table.view.type(unit).kind != "siege_artillery"]
    attack(table, "2010", units, 0 if use else 4)
    if use:
        assert waits_for(table) == "axis ChooseSiege"
        table.order(SiegeArtillery(use), dice=[4])


@pytest.mark.rule(RULES, "8.71", "8.72")
@pytest.mark.parametrize(("use", "roll", "result"), [("fire", "8", "1/-"), ("hold", "4", "NE")])
def test_the_axis_says_before_the_die_whether_the_big_gun_fires(new_table: NewTable, use: str, roll: str, result: str) -> None:
    table = siege(new_table, "2008")
    assault(table, use)
    assert (line(table, "column"), line(table, "roll"), line(table, "result")) == ("2:1", roll, result)


@pytest.mark.rule(RULES, "8.72")
@pytest.mark.parametrize(("gun", "told"), [("2008", "4"), ("2007", "")])
def test_who_looks_at_an_attack_is_told_that_the_big_gun_may_fire(new_table: NewTable, gun: str, told: str) -> None:
    table = siege(new_table, gun)
    units = table.position.at(table.hex("2009"))
    shown = combat.preview(table.view, units, (table.hex("2010"),), overrun=False)
    lines = {line.key: line for line in shown.lines}
    assert (lines["siege_artillery"].value if told else "") == told
    assert ("siege_artillery" in lines) is bool(told)
    assert lines["drm"].value == "0"  # asked before the die: it is not counted yet


@pytest.mark.rule(RULES, "8.71", "8.72")
def test_who_looks_at_an_attack_reads_what_the_die_brings_if_the_big_gun_fires(new_table: NewTable) -> None:
    table = siege(new_table, "2008")
    shown = combat.preview(table.view, table.position.at(table.hex("2009")), (table.hex("2010"),), overrun=False)
    told = {line.key: str(line) for line in shown.lines}["if_it_fires"]
    assert told.replace("\u00a0", " ") == "D1 33 %, 1/- 17 %, 1/1 50 %"  # 2:1 at a major city, rolls 5 to 10


@pytest.mark.rule(RULES, "8.72")
def test_whoever_is_asked_for_the_big_gun_sees_the_battle_with_and_without_it(new_table: NewTable) -> None:
    table = siege(new_table, "2008")
    units = table.position.at(table.hex("2009"))
    before = combat.preview(table.view, units, (table.hex("2010"),), overrun=False)
    assert combat.preview_siege(table.view, SiegeArtillery()) is None
    attack(table, "2010", units)
    assert combat.preview_siege(table.view, SiegeArtillery()) == before  # no marker was left to be drawn
    assert combat.preview_siege(table.view, SiegeArtillery("fire")) is None  # it is given at once


@pytest.mark.rule(RULES, "8.72")
def test_the_big_gun_either_fires_or_holds(new_table: NewTable) -> None:
    table = siege(new_table, "2008")
    attack(table, "2010", table.position.at(table.hex("2009")))
    assert table.refused(SiegeArtillery("wait")) == "8.72"
    assert table.refused(SiegeArtillery()) == "8.72"


@pytest.mark.rule(RULES, "8.71")
def test_three_hexes_are_too_far_for_the_big_gun(new_table: NewTable) -> None:
    table = siege(new_table, "2007")
    assault(table)
    assert line(table, "drm") == "0"


@pytest.mark.rule(RULES, "8.74")
def test_the_big_gun_is_for_cities(new_table: NewTable) -> None:
    table = siege(new_table, "2008", city=False)
    assault(table)
    assert line(table, "drm") == "0"


@pytest.mark.rule(RULES, "8.71")
def test_the_big_gun_needs_a_german_attacker(new_table: NewTable) -> None:
    table = siege(new_table, "2008", kind=RUMANIANS)
    assault(table)
    assert line(table, "drm") == "0"


@pytest.mark.rule(RULES, "8.74")
def test_the_big_gun_fires_once_a_phase(new_table: NewTable) -> None:
    def edit(board: PlainBoard) -> None:
        board.hex("2010", city="major")
        board.hex("2011", city="major")

    table = new_table(edit)
    first, second = axis(table, "1910", 14, 8), axis(table, "1911", 9, 8)
    soviet(table, "2010", 2, 7), soviet(table, "2011", 2, 9)
    table.place(GUN, "1810")
    begin(table, turn=14)
    attack(table, "2010", [first])
    table.order(SiegeArtillery("fire"), dice=[4])
    assert (line(table, "roll"), line(table, "result"), waits_for(table)) == ("8", "1/-", "axis ChooseCombat")
    attack(table, "2011", [second], 6)
    assert (line(table, "roll"), line(table, "result")) == ("6", "NE")


@pytest.mark.rule(RULES, "8.73")
@pytest.mark.parametrize(("guard", "fires"), [("", False), (FLEET, False), (CORPS, True)])
def test_the_big_gun_alone_in_a_zoc_is_silent(new_table: NewTable, guard: str, fires: bool) -> None:
    table = new_table(lambda board: board.hex("2010", city="major"))
    unit = axis(table, "2009", 9, 8)
    soviet(table, "2010", 2, 7)
    table.place(GUN, "1910")
    if guard:
        table.place(guard, "1910")
    begin(table, turn=26)
    attack(table, "2010", [unit], 0 if fires else 4)
    assert waits_for(table).endswith("ChooseSiege") is fires


# -------------------------------------------------------------------- fortress, several hexes, nations


@pytest.mark.rule(RULES, "8.47a", "8.47b")
@pytest.mark.parametrize(("destroyed", "result"), [(False, "NE"), (True, "D1")])
def test_a_fortress_counts_as_a_major_city_until_the_axis_was_in_it(new_table: NewTable, destroyed: bool, result: str) -> None:
    table = new_table(lambda board: board.hex("2010", features=["fortress"]))
    unit = axis(table, "2009", 9, 8)
    soviet(table, "2010", 2, 6)
    if destroyed:
        table.happen(PlaceMarked((table.hex("2010"),), "destroyed"))
    begin(table)
    attack(table, "2010", [unit], 5)
    assert (line(table, "column"), line(table, "result")) == ("3:2", result)


@pytest.mark.rule(RULES, "8.34", "8.35")
def test_one_unit_attacks_two_hexes_on_the_better_terrain(new_table: NewTable) -> None:
    table = new_table(lambda board: terrain(board, "forest", "2011"))
    unit = axis(table, "1910", 9, 8)
    soviet(table, "2010", 2, 2), soviet(table, "2011", 2, 1)
    begin(table)
    attack(table, ["2010", "2011"], [unit], 2)
    # On the clear row, a two at 3:1 has no effect.
    assert (line(table, "column"), table.explained("defence"), line(table, "result")) == ("3:1", "2 + 1", "A1")


@pytest.mark.rule(RULES, "8.36b")
def test_soviets_may_hit_two_allied_nations_at_once(new_table: NewTable) -> None:
    table = new_table()
    army = table.place(ARMY, "1910", chit=STRONG)
    table.place(RUMANIANS, "2010"), table.place(ITALIANS, "2011")
    begin(table, "soviet")
    attack(table, ["2010", "2011"], [army], 1)
    assert table.explained("defence") == "3 + 5"


# -------------------------------------------------------------------- the table as a file


def test_a_combat_table_with_faulty_cells_is_refused_with_all_its_faults() -> None:
    pack = pack_of(RULES)
    name = "charts/combat.toml"
    faulty = pack.files[name].replace(b'"9:1"]', b'"9-1"]').replace(b'"D3", "DE"]', b'"D3", "XX"]', 1)
    with pytest.raises(BadInput) as told:
        load_charts(Pack({**pack.files, name: faulty}))
    assert [(fault.where, fault.got) for fault in told.value.faults] == [
        ("charts/combat.toml:9: headings.major_city", "9-1"),
        ("charts/combat.toml:17: rolls.4", "XX"),
    ]


def test_the_table_rises_with_the_roll_up_to_six_and_with_the_odds() -> None:
    chart = load_charts(pack_of(RULES)).combat
    order = ["AE", "A2", "A1", "NE", "D1", "D2", "D3", "DE"]
    before = [0] * 10
    for roll in range(1, 7):
        row = [order.index(result) for result in chart.rolls[str(roll)]]
        assert row == sorted(row)
        assert all(one >= other for one, other in zip(row, before, strict=True))
        before = row

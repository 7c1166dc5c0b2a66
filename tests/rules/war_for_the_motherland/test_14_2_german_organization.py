"""14.1, 14.2: German corps break down, KG build corps, units exchange steps."""

from __future__ import annotations

import pytest

from core.options import options
from core.orders import HexPick, OptionPick, UnitPick
from core.rulesets.war_for_the_motherland import organization
from core.rulesets.war_for_the_motherland.organization import (
    AskOrganization,
    BreakDown,
    BuildUp,
    EndOrganization,
    ExchangeStep,
)
from core.trials.table import Table
from core.units import UnitId
from tests.rules.war_for_the_motherland.conftest import NewTable
from tests.rules.war_for_the_motherland.moments import offered_units, refusal, run, waits_for

NAME = "war_for_the_motherland"
AT = "2010"


def ask(table: Table, turn: int = 13) -> None:
    run(table, turn, AskOrganization())


def stands(table: Table, at: str = AT) -> list[tuple[str, int]]:
    """Return type and steps of what stands in a hex, strongest first."""
    return sorted(((unit.type, unit.steps) for unit in table.position.units_at(table.hex(at))), key=lambda unit: (-unit[1], unit[0]))


def keep_asking(table: Table) -> None:
    """Give the Axis something to do elsewhere, so that he is asked on."""
    table.place("ger_panzer_corps", "2518")


def check_breakdown(table: Table, unit: UnitId, *, allowed: bool) -> None:
    """Check that a unit may be broken down now, or is refused by 14.21."""
    if allowed:
        assert unit in offered_units(table, "break_down")
    else:
        assert table.refused(BreakDown(unit)) == "14.21"


# -------------------------------------------------------------------- breakdown


@pytest.mark.rule(NAME, "14.21a", "14.22", "3.0.7a")
@pytest.mark.parametrize(
    ("corps", "steps", "made"),
    [
        ("ger_panzer_corps", 4, [("ger_panzer_kg", 2), ("ger_panzer_kg", 2)]),
        ("ger_panzer_corps", 3, [("ger_panzer_kg", 2), ("ger_panzer_kg", 1)]),
        ("ger_infantry_corps", 4, [("ger_infantry_kg", 2), ("ger_infantry_kg", 2)]),
        ("ger_infantry_corps", 3, [("ger_infantry_kg", 2), ("ger_infantry_kg", 1)]),
        ("ger_mountain_corps", 3, [("ger_mountain_kg", 1)] * 3),
        ("ger_mountain_corps", 2, [("ger_mountain_kg", 1)] * 2),
    ],
)
def test_a_corps_breaks_into_the_kg_of_the_chart(new_table: NewTable, corps: str, steps: int, made: list[tuple[str, int]]) -> None:
    table = new_table()
    unit = table.place(corps, AT, steps=steps)
    ask(table)
    table.order(BreakDown(unit))
    assert stands(table) == made
    assert table.where(unit) == "broken_down"


@pytest.mark.rule(NAME, "14.21a", "14.21b", "14.22")
@pytest.mark.parametrize(
    ("kind", "steps", "told"),
    [
        ("ger_panzer_corps", 3, ("2 KG", "2 (14.22) + 1 (14.22)", "3")),
        ("ger_mountain_corps", 3, ("3 KG", "1 (14.22) + 1 (14.22) + 1 (14.22)", "3")),
        ("ger_panzer_kg", 2, ("2 KG", "1 (14.21) + 1 (14.21)", "2")),
    ],
)
def test_what_a_unit_becomes_is_shown_before_it_is_broken_down(
    new_table: NewTable, kind: str, steps: int, told: tuple[str, str, str]
) -> None:
    table = new_table()
    unit = table.place(kind, AT, steps=steps)
    ask(table)
    preview = table.setting.ruleset.orders["break_down"].preview
    assert preview is not None
    assert preview(table.view, BreakDown()) is None
    shown = preview(table.view, BreakDown(unit))
    assert shown is not None
    into, parts, total = told
    assert str(shown.title) == f"{table.view.name(unit)} becomes {into}"
    assert [(line.key, str(line), line.value) for line in shown.lines] == [("steps", parts, total)]


@pytest.mark.rule(NAME, "14.21b", "14.25a")
def test_a_kg_of_two_steps_is_divided(new_table: NewTable) -> None:
    table = new_table()
    kg = table.place("ger_panzer_kg", AT)
    ask(table)
    table.order(BreakDown(kg))
    assert stands(table) == [("ger_panzer_kg", 1), ("ger_panzer_kg", 1)]


def test_kg_of_a_breakdown_bear_none_of_the_names_that_the_schedule_still_brings(new_table: NewTable) -> None:
    table = new_table()  # the KG b and c come on turns 23 and 24
    corps = table.place("ger_infantry_corps", AT)
    ask(table)
    table.order(BreakDown(corps))
    assert [unit.name for unit in table.position.units_at(table.hex(AT))] == ["a", "d"]


@pytest.mark.rule(NAME, "14.21c")
@pytest.mark.parametrize(
    ("others", "allowed"), [((), True), (("ger_panzer_corps",), True), (("ger_panzer_corps", "ger_infantry_kg"), False)]
)
def test_dividing_a_kg_keeps_the_stacking_limit(new_table: NewTable, others: tuple[str, ...], allowed: bool) -> None:
    table = new_table()
    keep_asking(table)
    kg = table.place("ger_panzer_kg", AT)
    for other in others:
        table.place(other, AT)
    ask(table)
    check_breakdown(table, kg, allowed=allowed)


@pytest.mark.rule(NAME, "14.21c")
@pytest.mark.parametrize(
    ("steps", "others", "allowed"),
    [
        (3, ("ger_infantry_kg",), True),
        (3, ("ger_infantry_kg", "ger_panzer_division"), True),
        (3, ("ger_infantry_corps",), False),
        (2, ("ger_infantry_corps",), True),
    ],
)
def test_three_mountain_kg_for_one_corps_keep_the_stacking_limit(
    new_table: NewTable, steps: int, others: tuple[str, ...], allowed: bool
) -> None:
    table = new_table()
    keep_asking(table)
    corps = table.place("ger_mountain_corps", AT, steps=steps)
    for other in others:
        table.place(other, AT)
    ask(table)
    check_breakdown(table, corps, allowed=allowed)


@pytest.mark.rule(NAME, "14.21b")
@pytest.mark.parametrize(("kind", "steps"), [("ger_panzer_kg", 1), ("ger_mountain_kg", 1), ("ger_panzer_division", 2), ("ger_airbase", 1)])
def test_what_has_no_line_in_the_chart_is_not_divided(new_table: NewTable, kind: str, steps: int) -> None:
    table = new_table()
    keep_asking(table)
    unit = table.place(kind, AT, steps=steps)
    ask(table)
    assert table.refused(BreakDown(unit)) == "14.21"


@pytest.mark.rule(NAME, "14.12a", "9.54")
@pytest.mark.parametrize("mark", ["out_of_supply", "lack_of_supply"])
def test_nothing_is_organized_without_full_supply(new_table: NewTable, mark: str) -> None:
    table = new_table()
    keep_asking(table)
    unit = table.place("ger_panzer_corps", AT, **{mark: 1})
    ask(table)
    assert table.refused(BreakDown(unit)) == "14.12"


@pytest.mark.rule(NAME, "14.12a", "14.12b", "11.15a")
@pytest.mark.parametrize(("turn", "allowed"), [(13, False), (23, False), (12, True), (26, True)])
def test_nothing_is_organized_in_enemy_zoc_but_in_mud(new_table: NewTable, turn: int, allowed: bool) -> None:
    table = new_table()
    keep_asking(table)
    unit = table.place("ger_panzer_corps", AT)
    table.place("sov_infantry_army", "2009")
    ask(table, turn)
    if allowed:
        assert unit in offered_units(table, "break_down")
    else:
        assert table.refused(BreakDown(unit)) == "14.12"


@pytest.mark.rule(NAME, "14.12a")
def test_an_army_over_a_lake_hexside_hinders_nobody(new_table: NewTable) -> None:
    table = new_table(lambda board: board.side("2010", "2009", "lake"))
    unit = table.place("ger_panzer_corps", AT)
    table.place("sov_infantry_army", "2009")
    ask(table)
    assert offered_units(table, "break_down") == {unit}


@pytest.mark.rule(NAME, "14.15")
@pytest.mark.parametrize("kind", ["ita_army", "hun_army", "rum_infantry_corps", "fin_corps"])
def test_other_axis_units_organize_nothing(new_table: NewTable, kind: str) -> None:
    table = new_table()
    keep_asking(table)
    unit = table.place(kind, AT)
    ask(table)
    assert table.refused(BreakDown(unit)) == "14.15"


@pytest.mark.rule(NAME, "17.42a")
def test_frozen_units_do_not_break_down(new_table: NewTable) -> None:
    table = new_table()
    keep_asking(table)
    unit = table.place("ger_infantry_corps", AT, frozen=1)
    ask(table, 1)
    assert table.refused(BreakDown(unit)) == "17.42a"


@pytest.mark.rule(NAME, "14.25b")
def test_the_kg_of_a_corps_are_not_divided_in_the_same_turn(new_table: NewTable) -> None:
    table = new_table()
    keep_asking(table)
    corps = table.place("ger_panzer_corps", AT)
    ask(table)
    table.order(BreakDown(corps))
    made = table.position.at(table.hex(AT))
    assert [table.refused(BreakDown(unit)) for unit in made] == ["14.25", "14.25"]
    assert table.refused(BuildUp(made)) == "14.25"


@pytest.mark.rule(NAME, "14.11")
def test_the_axis_may_stop_and_is_not_asked_for_nothing(new_table: NewTable) -> None:
    table = new_table()
    keep_asking(table)
    ask(table)
    table.order(EndOrganization())
    assert waits_for(table) == ""
    table = new_table()
    table.place("ger_mountain_kg", AT)
    table.place("rum_infantry_corps", AT)
    ask(table)
    assert waits_for(table) == ""


# -------------------------------------------------------------------- buildup


@pytest.mark.rule(NAME, "14.23a", "14.13")
@pytest.mark.parametrize(
    ("kg", "steps", "corps", "full"),
    [
        ("ger_panzer_kg", (2, 2), "ger_panzer_corps", 4),
        ("ger_panzer_kg", (2, 1), "ger_panzer_corps", 3),
        ("ger_infantry_kg", (1, 2), "ger_infantry_corps", 3),
        ("ger_mountain_kg", (1, 1), "ger_mountain_corps", 2),
        ("ger_mountain_kg", (1, 1, 1), "ger_mountain_corps", 3),
    ],
)
def test_kg_build_the_corps_of_the_chart(new_table: NewTable, kg: str, steps: tuple[int, ...], corps: str, full: int) -> None:
    table = new_table()
    idle = table.place(corps, "broken_down", name="40")
    some = tuple(table.place(kg, AT, steps=n) for n in steps)
    ask(table)
    table.order(BuildUp(some))
    assert stands(table) == [(corps, full)]
    assert table.where(idle) == AT
    assert [table.where(unit) for unit in some] == ["out"] * len(some)


@pytest.mark.rule(NAME, "14.23b")
def test_no_corps_is_built_beyond_those_broken_down_or_destroyed(new_table: NewTable) -> None:
    table = new_table()
    keep_asking(table)
    table.place("ger_infantry_corps", "broken_down")
    table.place("ger_panzer_corps", "arrivals")
    some = (table.place("ger_panzer_kg", AT), table.place("ger_panzer_kg", AT))
    ask(table)
    assert table.refused(BuildUp(some)) == "14.23"


@pytest.mark.rule(NAME, "14.23b")
def test_kg_of_different_types_build_nothing(new_table: NewTable) -> None:
    table = new_table()
    for kind in ("ger_panzer_corps", "ger_infantry_corps"):
        table.place(kind, "broken_down")
    panzers = [table.place("ger_panzer_kg", AT) for _ in range(2)]
    infantry = [table.place("ger_infantry_kg", AT) for _ in range(2)]
    ask(table)
    assert table.refused(BuildUp((panzers[0], infantry[0]))) == "14.23"
    assert refusal(table, BuildUp((panzers[0], infantry[0]))) == f"{table.view.name(infantry[0])} is of another type"


@pytest.mark.rule(NAME, "14.13")
def test_kg_in_different_hexes_build_nothing(new_table: NewTable) -> None:
    table = new_table()
    table.place("ger_panzer_corps", "broken_down")
    here = [table.place("ger_panzer_kg", AT) for _ in range(2)]
    there = [table.place("ger_panzer_kg", "2012") for _ in range(2)]
    ask(table)
    assert table.refused(BuildUp((here[0], there[0]))) == "14.13"


@pytest.mark.rule(NAME, "14.23a")
def test_a_part_of_what_a_corps_needs_is_no_corps_yet(new_table: NewTable) -> None:
    table = new_table()
    table.place("ger_infantry_corps", "broken_down")
    one, two = table.place("ger_infantry_kg", AT), table.place("ger_infantry_kg", AT)
    ask(table)
    assert table.refused(BuildUp((one,))) == "14.23"
    table.order(BuildUp((one, two)))
    assert stands(table) == [("ger_infantry_corps", 4)]


@pytest.mark.rule(NAME, "14.22", "14.23a")
def test_two_kg_of_one_step_are_no_line_of_the_chart(new_table: NewTable) -> None:
    table = new_table()
    keep_asking(table)
    table.place("ger_panzer_corps", "broken_down")
    some = (table.place("ger_panzer_kg", AT, steps=1), table.place("ger_panzer_kg", AT, steps=1))
    ask(table)
    assert table.refused(BuildUp(some)) == "14.23"


@pytest.mark.rule(NAME, "14.24")
def test_a_kg_from_the_schedule_is_a_kg_like_any_other(new_table: NewTable) -> None:
    table = new_table()
    table.place("ger_infantry_corps", "broken_down")
    some = (table.place("ger_infantry_kg", AT, name="b"), table.place("ger_infantry_kg", AT))
    ask(table, 23)
    table.order(BuildUp(some))
    assert stands(table) == [("ger_infantry_corps", 4)]


# -------------------------------------------------------------------- exchange of steps


def exchange(table: Table, one: UnitId, two: UnitId, *, taker: UnitId) -> None:
    table.order(ExchangeStep((one, two), table.view.name(taker)))


@pytest.mark.rule(NAME, "14.26a", "14.26b", "14.28")
@pytest.mark.parametrize(
    ("kind", "made"),
    [
        ("ger_infantry_corps", [("ger_infantry_corps", 4), ("ger_infantry_kg", 2)]),
        ("ger_panzer_corps", [("ger_panzer_corps", 4), ("ger_panzer_kg", 2)]),
    ],
)
def test_of_two_weak_corps_one_becomes_a_kg_and_the_other_is_whole(new_table: NewTable, kind: str, made: list[tuple[str, int]]) -> None:
    table = new_table()
    one, two = table.place(kind, AT, steps=3), table.place(kind, AT, steps=3)
    ask(table)
    exchange(table, one, two, taker=two)
    assert stands(table) == made
    assert table.where(one) == "broken_down"
    assert waits_for(table) == ""  # both have had their one action


@pytest.mark.rule(NAME, "14.28", "14.27")
def test_a_kg_of_one_step_is_absorbed(new_table: NewTable) -> None:
    table = new_table()
    keep_asking(table)
    kg, corps = table.place("ger_panzer_kg", AT, steps=1), table.place("ger_panzer_corps", AT, steps=3)
    ask(table)
    exchange(table, kg, corps, taker=corps)
    assert stands(table) == [("ger_panzer_corps", 4)]
    assert table.refused(BreakDown(corps)) == "14.25"


@pytest.mark.rule(NAME, "17.42a", "14.26b", "14.28")
def test_a_frozen_corps_becomes_no_kg_by_giving_a_step(new_table: NewTable) -> None:
    table = new_table()
    keep_asking(table)
    bound, free = table.place("ger_infantry_corps", AT, steps=3, frozen=1), table.place("ger_infantry_corps", AT, steps=3)
    ask(table, 1)
    assert table.refused(ExchangeStep((bound, free), table.view.name(free))) == "17.42a"
    assert table.refused(ExchangeStep((free, bound), table.view.name(free))) == "17.42a"
    exchange(table, free, bound, taker=bound)
    assert stands(table) == [("ger_infantry_corps", 4), ("ger_infantry_kg", 2)]


@pytest.mark.rule(NAME, "17.42a", "14.26b")
def test_two_frozen_corps_have_no_step_to_exchange(new_table: NewTable) -> None:
    table = new_table()
    keep_asking(table)
    bound = [table.place("ger_infantry_corps", AT, steps=3, frozen=1) for _ in range(2)]
    ask(table, 1)
    assert offered_units(table, "exchange_step") == set()
    assert table.refused(ExchangeStep((bound[0],))) == "14.26"


@pytest.mark.rule(NAME, "17.42a", "14.26a")
def test_a_frozen_unit_that_stays_what_it_is_gives_a_step(new_table: NewTable) -> None:
    table = new_table()
    whole, weak = table.place("ger_infantry_corps", AT, frozen=1), table.place("ger_infantry_kg", AT, steps=1, frozen=1)
    ask(table, 1)
    exchange(table, whole, weak, taker=weak)
    assert stands(table) == [("ger_infantry_corps", 3), ("ger_infantry_kg", 2)]


@pytest.mark.rule(NAME, "14.26a", "14.27")
@pytest.mark.parametrize(("kind", "kg"), [("ger_infantry_corps", "ger_infantry_kg"), ("ger_panzer_corps", "ger_panzer_kg")])
def test_a_whole_corps_that_gives_a_step_stays_a_corps_and_gives_no_other(new_table: NewTable, kind: str, kg: str) -> None:
    table = new_table()
    giver, one, two = table.place(kind, AT), table.place(kg, AT, steps=1), table.place(kg, AT, steps=1)
    table.place(kind, AT)
    ask(table)
    exchange(table, giver, one, taker=one)
    assert stands(table) == [(kind, 4), (kind, 3), (kg, 2), (kg, 1)]
    assert table.refused(ExchangeStep((giver, two), table.view.name(two))) == "14.25"


@pytest.mark.rule(NAME, "14.26a")
def test_who_is_whole_takes_no_step(new_table: NewTable) -> None:
    table = new_table()
    weak, one, two = (table.place("ger_panzer_corps", AT, steps=steps) for steps in (3, 4, 4))
    ask(table)
    assert table.refused(ExchangeStep((one, two), table.view.name(two))) == "14.26"
    assert table.refused(ExchangeStep((one, weak), table.view.name(one))) == "14.26"
    assert refusal(table, ExchangeStep((weak, one, two), table.view.name(weak))) == "a step goes from one unit to one other"


@pytest.mark.rule(NAME, "14.21b", "14.25b")
def test_the_halves_of_a_kg_have_had_their_action(new_table: NewTable) -> None:
    table = new_table()
    keep_asking(table)
    kg = table.place("ger_panzer_kg", AT)
    ask(table)
    table.order(BreakDown(kg))
    new = UnitId(table.position.next_unit - 1)
    assert stands(table) == [("ger_panzer_kg", 1)] * 2
    assert [table.refused(BreakDown(half)) for half in (kg, new)] == ["14.25"] * 2


@pytest.mark.rule(NAME, "14.29b")
def test_a_panzer_division_gives_a_step_but_takes_none(new_table: NewTable) -> None:
    table = new_table()
    division, corps = table.place("ger_panzer_division", AT, name="GD"), table.place("ger_panzer_corps", AT, steps=3)
    ask(table)
    exchange(table, division, corps, taker=corps)
    assert stands(table) == [("ger_panzer_corps", 4), ("ger_panzer_division", 1)]
    weak, whole = table.place("ger_panzer_division", "2012", steps=1), table.place("ger_panzer_corps", "2012", steps=3)
    ask(table)
    assert table.refused(ExchangeStep((weak, whole), table.view.name(weak))) == "14.29"
    assert refusal(table, ExchangeStep((weak, whole), table.view.name(weak))) == f"{table.view.name(weak)} gives steps, but takes none"


@pytest.mark.rule(NAME, "14.29a", "20.33b")
@pytest.mark.parametrize("kind", ["ger_mountain_corps", "ger_security_division", "ger_siege_artillery"])
def test_only_infantry_and_panzers_exchange(new_table: NewTable, kind: str) -> None:
    table = new_table()
    keep_asking(table)
    unit = table.place(kind, AT)
    corps = table.place("ger_infantry_corps", AT, steps=3)
    ask(table)
    assert table.refused(ExchangeStep((unit, corps), table.view.name(corps))) == "14.29"


@pytest.mark.rule(NAME, "14.26a")
def test_infantry_and_panzers_exchange_nothing_with_each_other(new_table: NewTable) -> None:
    table = new_table()
    panzers = [table.place("ger_panzer_corps", AT, steps=n) for n in (4, 3)]
    infantry = table.place("ger_infantry_corps", AT, steps=3)
    table.place("ger_infantry_kg", AT)
    ask(table)
    assert table.refused(ExchangeStep((panzers[0], infantry), table.view.name(infantry))) == "14.26"
    assert refusal(table, ExchangeStep((panzers[0], infantry), "")) == f"{table.view.name(infantry)} is of another type"


@pytest.mark.rule(NAME, "14.26a")
def test_whole_corps_have_no_step_to_exchange(new_table: NewTable) -> None:
    table = new_table()
    keep_asking(table)
    one, two = (table.place("ger_infantry_corps", AT) for _ in range(2))
    ask(table)
    assert table.refused(ExchangeStep((one, two), table.view.name(two))) == "14.26"
    assert refusal(table, ExchangeStep((one,))) == f"{table.view.name(one)} has nobody to exchange a step with"


@pytest.mark.rule(NAME, "14.13")
def test_a_step_goes_to_no_other_hex(new_table: NewTable) -> None:
    table = new_table()
    near = [table.place("ger_infantry_corps", AT, steps=n) for n in (4, 3)]
    far = [table.place("ger_infantry_corps", "2012", steps=n) for n in (4, 3)]
    ask(table)
    assert table.refused(ExchangeStep((near[0], far[1]), table.view.name(far[1]))) == "14.13"


@pytest.mark.rule(NAME, "14.27")
def test_a_corps_built_in_this_turn_exchanges_nothing(new_table: NewTable) -> None:
    table = new_table()
    keep_asking(table)
    built = table.place("ger_infantry_corps", "broken_down")
    some = (table.place("ger_infantry_kg", AT, steps=2), table.place("ger_infantry_kg", AT, steps=1))
    giver = table.place("ger_infantry_corps", AT)
    ask(table)
    table.order(BuildUp(some))
    assert stands(table) == [("ger_infantry_corps", 4), ("ger_infantry_corps", 3)]
    assert table.refused(ExchangeStep((giver, built), table.view.name(built))) == "14.25"


# -------------------------------------------------------------------- who is looked at


def some_to_organize(new_table: NewTable) -> tuple[Table, list[UnitId]]:
    """Return a table where corps and KG can do all that 14.2 knows."""
    table = new_table()
    table.place("ger_panzer_corps", "broken_down")
    units = [table.place(kind, AT, steps=steps) for kind, steps in (("ger_panzer_kg", 2), ("ger_panzer_kg", 1), ("ger_infantry_kg", 1))]
    units += [table.place("ger_panzer_corps", at) for at in ("2510", "2512", "2514", "2516", "2518")]
    ask(table)
    return table, units


def test_a_door_found_alone_is_the_one_among_all(new_table: NewTable) -> None:
    table, units = some_to_organize(new_table)
    offered = 0
    for walk in [(name, *some) for name in ("break_down", "build_up", "exchange_step") for some in ((), (units[0],), (units[2],))]:
        picks = (OptionPick(walk[0]), *(UnitPick(unit) for unit in walk[1:]))
        among = options(table.view, picks).picks
        for pick in (*map(UnitPick, (*units, UnitId(0), UnitId(999))), HexPick(table.hex(AT)), OptionPick("nothing")):
            assert (options(table.view, picks).door(pick) is not None) == (pick in among), (walk, pick)
        offered += len(among)
    assert offered > 10


def test_after_an_action_only_those_whom_it_touched_are_looked_at_again(new_table: NewTable, monkeypatch: pytest.MonkeyPatch) -> None:
    table, units = some_to_organize(new_table)
    looked: list[UnitId] = []
    real = organization.refusal_for
    monkeypatch.setattr(organization, "refusal_for", lambda view, unit: (looked.append(unit), real(view, unit))[1])
    table.order(BreakDown(units[-1]))
    new = [unit.id for unit in table.position.units_at(table.hex("2518"))]
    assert looked == new

"""What a chart must hold besides its form, so that no game stumbles over a gap in it: an owner may have typed it in.

Rules: 5.21, 8.1.4 (combat), 9.91, 11.0 (turns), 14.22.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from core.datafile import Faults, TomlFile
from core.mechanics import odds
from core.mechanics.combat_table import read_result

if TYPE_CHECKING:
    from core.pack import Pack
    from core.rulesets.war_for_the_motherland.charts import AttritionChart, BreakdownChart, CombatChart, TerrainChart, TurnRecord

TERRAINS = ("clear", "forest", "swamp", "mountain", "tundra", "minor_city", "major_city", "fortress")
HEXSIDES = ("minor_river", "major_river", "ice_road")
LONGEST_ROLL = 20  # no modified roll of the attrition die comes near it


def check_terrain(file: TomlFile, chart: TerrainChart, pack: Pack, faults: Faults) -> None:
    """Each terrain and each hexside has one row."""
    del pack
    _check_ids(file, "terrain", [row.id for row in chart.terrain], TERRAINS, faults)
    _check_ids(file, "hexside", [row.id for row in chart.hexside], HEXSIDES, faults)


def _check_ids(file: TomlFile, table: str, found: list[str], wanted: Iterable[str], faults: Faults) -> None:
    wanted = tuple(wanted)
    for i, id in enumerate(found):
        if id not in wanted:
            faults.add(file.where(f"{table}[{i}].id"), "one of " + ", ".join(wanted), id)
        elif id in found[:i]:
            faults.add(file.where(f"{table}[{i}].id"), "each once", f"{id} again")
    for id in wanted:
        if id not in found:
            faults.add(file.where(table), f'a [[{table}]] with id = "{id}"', "none")


def check_combat(file: TomlFile, chart: CombatChart, pack: Pack, faults: Faults) -> None:
    """All rows are equally long, all rolls are there, each cell can be read."""
    del pack
    widths = {len(row) for row in (*chart.headings.values(), *chart.rolls.values())}
    if len(widths) != 1:
        faults.add(file.where("rolls"), "rows of equal length", sorted(widths))
    for name in ("clear", "woods", "major_city"):
        if name not in chart.headings:
            faults.add(file.where("headings"), f"a row {name}", "none")
    wanted = {str(roll) for roll in range(1, chart.highest_roll + 1)}
    if set(chart.rolls) != wanted:
        faults.add(file.where("rolls"), f"rolls 1 to {chart.highest_roll}", ", ".join(chart.rolls))
    for row, headings in chart.headings.items():
        for heading in headings:
            _check_cell(file, f"headings.{row}", "a ratio such as 3:2", heading, odds.ratio, faults)
    for roll, results in chart.rolls.items():
        for result in results:
            _check_cell(file, f"rolls.{roll}", "NE, AE, DE or points such as A2, D1, 1/2, 1/-", result, read_result, faults)


def _check_cell(file: TomlFile, path: str, expected: str, cell: str, read: Callable[[str], object], faults: Faults) -> None:
    try:
        read(cell)
    except ValueError:
        faults.add(file.where(path), expected, cell)


def check_turns(file: TomlFile, chart: TurnRecord, pack: Pack, faults: Faults) -> None:
    """Turns are numbered from 1 without a gap, as far as any scenario goes; only snow turns have a winter."""
    _check_numbers(file, [turn.number for turn in chart.turn], max(scenario.last_turn for scenario in pack.scenarios.values()), faults)
    for i, turn in enumerate(chart.turn):
        if turn.weather != "snow" and (turn.winter or turn.combat_modifier):
            faults.add(file.where(f"turn[{i}].weather"), "snow, as it has a winter", turn.weather)


def _check_numbers(file: TomlFile, numbers: list[int], last: int, faults: Faults) -> None:
    """Each turn is there once and in its order: one left out is told by itself, not by all that come after it."""
    end, times = max(last, len(numbers)), Counter(numbers)
    for i, number in enumerate(numbers):
        where = file.where(f"turn[{i}].number")
        first = numbers.index(number)
        stays = number - 1 if numbers[number - 1 : number] == [number] else first  # of two alike, the one in its place is the right one
        if not 1 <= number <= end:
            faults.add(where, f"a number from 1 to {end}", number)
        elif times[number] > 1 and i != stays:
            faults.add(where, "each turn once", f"{number} again")
        elif times[number] == 1 and number > min(numbers[i + 1 : i + 2], default=number):
            faults.add(where, f"turns in their order, {numbers[i + 1]} before {number}", number)
    missing = sorted(set(range(1, end + 1)) - set(numbers))
    if missing:
        faults.add(file.where("turn"), f"turns 1 to {end}, each once", f"none with number {_runs(missing)}")


def _runs(numbers: list[int]) -> str:
    """Write rising numbers shortly.

    >>> _runs([3, 7, 8, 9])
    '3, 7 to 9'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == end else f"{first} to {end}" for first, end in runs)


def check_attrition(file: TomlFile, chart: AttritionChart, pack: Pack, faults: Faults) -> None:
    """Each nation has its modifier, and each modified roll a result."""
    nations = {nation.id for nation in pack.manifest.nation}
    for nation in sorted(nations - set(chart.nation)):
        faults.add(file.where("nation"), f"a modifier for {nation}", "none")
    for nation in sorted(set(chart.nation) - nations):
        faults.add(file.where(f"nation.{nation}"), "one of " + ", ".join(sorted(nations)), nation)
    ends = [row.up_to for row in chart.result]
    if not ends or ends != sorted(set(ends)) or ends[-1] < LONGEST_ROLL:
        faults.add(file.where("result"), f"rising values of up_to, the last at least {LONGEST_ROLL}", ends)
    for terrain in chart.hard_terrain:
        if terrain not in TERRAINS:
            faults.add(file.where("hard_terrain"), "of " + ", ".join(TERRAINS), terrain)


def check_breakdown(file: TomlFile, chart: BreakdownChart, pack: Pack, faults: Faults) -> None:
    """Corps and KG are unit types, and no corps of so many steps has two rows."""
    rows = Counter((row.corps, row.steps) for row in chart.breakdown)
    for i, row in enumerate(chart.breakdown):
        for field, id in (("corps", row.corps), ("kg", row.kg)):
            if id not in pack.types:
                faults.add(file.where(f"breakdown[{i}].{field}"), "the id of a unit type", id)
        if rows[row.corps, row.steps] > 1:
            faults.add(file.where(f"breakdown[{i}].steps"), f"one row for {row.corps} of {row.steps} steps", rows[row.corps, row.steps])


def check_markers(file: TomlFile, chart: Any, pack: Pack, faults: Faults) -> None:
    """Every class has markers."""
    del pack
    for cls in "ABC":
        if not any(marker.cls == cls and marker.count for marker in chart.marker):
            faults.add(file.where("marker"), f"markers of class {cls}", "none")


CHECKS: dict[str, Callable[[TomlFile, Any, Any, Faults], None]] = {
    "terrain": check_terrain,
    "combat": check_combat,
    "attrition": check_attrition,
    "turns": check_turns,
    "strength_markers": check_markers,
    "breakdown": check_breakdown,
}

"""Whether a scenario can begin as it is written: units on land and within stacking, sources that feed, nobody starved.

Who begins out of supply because history had him so is named by the scenario (``unsupplied``, hexes by their labels).

Rules: 4.1 (placing), 9.21, 9.32, 16.2a, 17.2a, 18.2, 19.2; D-55.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.datafile import Faults, TomlFile
from core.errors import Fault
from core.game import Game, StopDice
from core.pack import Pack
from core.position import Position
from core.rulesets.war_for_the_motherland import box_checks, scenario_setup, stacking, supply, weather
from core.rulesets.war_for_the_motherland.terms import AXIS, SOVIET, TRACK
from core.setting import Setting
from core.units import Side
from core.views import View

SOURCES: tuple[tuple[str, Side], ...] = (("axis_sources", AXIS), ("soviet_sources", SOVIET))


def check_set_up(pack: Pack, chosen: Setting, *, whole: bool = True) -> None:
    """Set a scenario up and look at it; BadInput with all faults. Of supply nothing is said unless the set-up is *whole*."""
    game = Game(chosen, Position(), StopDice())
    for event in scenario_setup.set_up(game):
        game.apply(event)
    file = pack.toml(f"scenarios/{chosen.scenario.id}.toml")
    faults = Faults()
    for check in (_places, _boxes, _stacks, _sources, _hungry) if whole else (_places, _boxes, _stacks):
        faults.found += check(game, file)
    faults.check()


def _line(view: View, file: TomlFile, unit: int) -> str:
    """Return where a unit stands in the file: counters are numbered by the set-up's lines."""
    placed = view.setting.scenario.setup
    return file.where(f"setup[{unit}]") if unit < len(placed) else file.where("setup")


def _places(view: View, file: TomlFile) -> Iterator[Fault]:
    for unit in sorted(view.position.on_map(), key=lambda unit: unit.id):
        here = Hex(unit.place)
        if not weather.is_land(view, here):
            yield Fault(_line(view, file, unit.id), "a hex of land", f"{view.board.name(here)}, {view.board.terrain(here)}")
        if view.side(unit.id) == SOVIET and view.side_at(here, AXIS):
            yield Fault(_line(view, file, unit.id), "a hex without the enemy", f"{view.board.name(here)}, where Axis units stand")


def _boxes(view: View, file: TomlFile) -> Iterator[Fault]:
    """A box beside the map is for certain counters; what lies on the turn track would need a turn to come on."""
    board = view.board
    for box in (*box_checks.BELONGS, TRACK):
        belongs = box_checks.BELONGS.get(box)
        for unit in sorted(view.position.at(board.box(box))):
            if belongs is None or not belongs(view.type(unit)):
                yield Fault(_line(view, file, unit), f"counters that belong in box {box}", view.name(unit))


def _stacks(view: View, file: TomlFile) -> Iterator[Fault]:
    for here in map(Hex, view.position.occupied()):
        units = sorted(view.position.at(here))
        for side in (AXIS, SOVIET):
            if stacking.excess(view, here, side):
                last = max(unit for unit in units if view.side(unit) == side)
                yield Fault(_line(view, file, last), "a stack within the limits of 4.1", f"too many units in {view.board.name(here)}")
        for unit in units:
            if stacking.closed_to_nation(view, unit, here):
                yield Fault(_line(view, file, unit), "one minor nation a hex (4.15)", f"{view.name(unit)} in {view.board.name(here)}")


def _sources(view: View, file: TomlFile) -> Iterator[Fault]:
    """A source feeds only if no enemy bars it and a line can leave it (9.21); a Soviet one needs a railroad (9.32)."""
    for key, side in SOURCES:
        open_ones = supply.sources(view, side)
        for label in view.setting.scenario.rules.get(key, ()):
            here = view.board.hex(label)
            if here not in open_ones:
                yield Fault(file.where(f"rules.{key}"), "sources out of the enemy's reach", f"{label}, which he holds or bars")
            elif not any(_leads(view, here, there, side) for there in view.board.adjacent[here]):
                way = "railroad" if side == SOVIET else "line of supply"
                yield Fault(file.where(f"rules.{key}"), f"sources that a {way} leads from", f"{label}, which none does")


def _leads(view: View, here: Hex, there: Hex, side: Side) -> bool:
    board = view.board
    if not weather.is_land(view, there):
        return False
    if board.side_has(here, there, "rail"):
        return True
    return side == AXIS and not board.side_has(here, there, "major_river") and not weather.bars_all(view, here, there)


def _hungry(view: View, file: TomlFile) -> Iterator[Fault]:
    """Nobody begins out of supply but those whom the scenario names; and these do."""
    named = {view.board.hex(label): label for label in view.setting.scenario.rules.get("unsupplied", ())}
    starving: set[Hex] = set()
    for unit in supply.judged(view):
        here = Hex(view.unit(unit).place)
        state = supply.judge(view, unit)
        if state == "supplied":
            continue
        starving.add(here)
        if here not in named:
            yield Fault(_line(view, file, unit), "a unit in supply, or its hex in rules.unsupplied", f"{view.name(unit)}, {WORDS[state]}")
    for here, label in named.items():
        if here not in starving:
            yield Fault(file.where("rules.unsupplied"), "hexes of units that begin out of supply", f"{label}, where nobody does")


WORDS = {"lack": "with Lack of Supply", "out": "Out of Supply", "isolated": "isolated"}

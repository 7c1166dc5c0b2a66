"""Fields of battle: units of any values, attacks that are declared and rolled in one line, results looked up in the log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core import events
from core.options import options
from core.orders import OptionPick
from core.rulesets.war_for_the_motherland.advance import Advance, EndAdvance
from core.rulesets.war_for_the_motherland.combat import LoseStep
from core.rulesets.war_for_the_motherland.combat_phase import Attack
from core.rulesets.war_for_the_motherland.retreat import Retreat
from core.trials.table import PlainBoard, Table
from core.units import UnitId

CORPS, KG, PANZERS, PANZER_KG = "ger_infantry_corps", "ger_infantry_kg", "ger_panzer_corps", "ger_panzer_kg"
ARMY, TANKS, SOVIET_CORPS, FACTORY, OSG = "sov_infantry_army", "sov_tank_army", "sov_infantry_corps", "sov_factory", "sov_osg"
DEPOT, AIRBASE, GUN, RUMANIANS, ITALIANS = "axis_depot_normal", "ger_airbase", "ger_siege_artillery", "rum_infantry_corps", "ita_army"
STRONG, WEAK, GREAT = "C 6-9/3-5", "C 3-5/2-3", "C 9-10/5-6"
CLEAR_TURN, FIRST_WINTER, SECOND_WINTER, MUD = 13, 9, 22, 12


def axis(table: Table, at: str, attack: int, defence: int, *, like: str = CORPS, move: int = 4, **marks: int) -> UnitId:
    """Place an Axis unit of these values on its full face."""
    return _placed(table, at, attack, defence, like, move, marks)


def soviet(table: Table, at: str, attack: int, defence: int, *, like: str = SOVIET_CORPS, move: int = 4, **marks: int) -> UnitId:
    """Place a Soviet unit of these printed values."""
    return _placed(table, at, attack, defence, like, move, marks)


def _placed(table: Table, at: str, attack: int, defence: int, like: str, move: int, marks: dict[str, int]) -> UnitId:
    name = f"{like}_{attack}_{defence}_{move}"
    if name not in table.setting.types:
        rest = tuple((face.attack, face.defence, face.move) for face in table.setting.types[like].faces[1:])
        table.new_type(name, like=like, faces=[(attack, defence, move), *rest])
    return table.place(name, at, **marks)


def begin(table: Table, side: str = "axis", *, turn: int = CLEAR_TURN, held: bool = True) -> None:
    """Begin a side's combat phase; *held*: a pair far away keeps it and the opponent's from passing by themselves."""
    if held:
        table.place(CORPS, "2601"), table.place(SOVIET_CORPS, "2602")
    table.begin(turn, f"{side}_combat")


def attack(
    table: Table,
    targets: str | Sequence[str],
    units: Iterable[UnitId],
    die: int = 0,
    *,
    draws: Sequence[str] = (),
    recovery: int = 0,
) -> None:
    """Declare an attack with a forced die, and one for a recovery that follows at once; 0: none is rolled yet."""
    labels = [targets] if isinstance(targets, str) else targets
    order = Attack(tuple(table.hex(label) for label in labels), tuple(units))
    table.order(order, dice=[roll for roll in (die, recovery) if roll], draws=draws)


def refused_attack(table: Table, targets: str | Sequence[str], units: Iterable[UnitId]) -> str:
    """Return the rule that refuses an attack."""
    labels = [targets] if isinstance(targets, str) else targets
    return table.refused(Attack(tuple(table.hex(label) for label in labels), tuple(units)))


def lose(table: Table, unit: UnitId, *, dice: Sequence[int] = ()) -> None:
    """Pay by a step."""
    table.order(LoseStep(unit), dice=dice)


def retreat(table: Table, units: Iterable[UnitId], *path: str, dice: Sequence[int] = ()) -> None:
    """Retreat units together along a path, as far as the game asks for each hex; *dice* fall at the last."""
    for i, label in enumerate(path):
        table.order(Retreat(tuple(units), table.hex(label)), dice=dice if i == len(path) - 1 else ())


def refused_retreat(table: Table, units: Iterable[UnitId], there: str) -> str:
    """Return the rule that refuses a hex of retreat."""
    return table.refused(Retreat(tuple(units), table.hex(there)))


def advance(table: Table, units: Iterable[UnitId], *path: str) -> None:
    """Advance units together."""
    table.order(Advance(tuple(units), tuple(table.hex(label) for label in path)))


def refused_advance(table: Table, units: Iterable[UnitId], *path: str) -> str:
    """Return the rule that refuses an advance."""
    return table.refused(Advance(tuple(units), tuple(table.hex(label) for label in path)))


def stay(table: Table) -> None:
    """Advance no further."""
    table.order(EndAdvance())


def waits_for(table: Table) -> str:
    """Return side and decision that the game waits for: ``axis PayResult``."""
    decision = table.view.decision()
    return f"{decision.side} {type(decision).__name__}" if decision is not None else ""


def open_orders(table: Table) -> list[str]:
    """Return the names of the orders that are open."""
    picks = options(table.view).picks
    return [pick.option for pick in picks if isinstance(pick, OptionPick)]


def line(table: Table, key: str) -> str:
    """Return the value of an explained line of the last battle: its result, column, roll."""
    for event in reversed(table.events):
        if isinstance(event, events.Explained) and event.subject == "battle":
            return next(line.value for line in event.lines if line.key == key)
    raise AssertionError("no battle was fought")


def shows(table: Table, unit: UnitId) -> str:
    """Return the bottom line of a counter as it stands: ``3-5-4``."""
    return table.setting.ruleset.counter(table.view, unit).values


def standing(table: Table, at: str) -> list[str]:
    """Return what stands in a hex by its values, lowest number first."""
    return [shows(table, unit) for unit in table.position.at(table.hex(at))]


def is_gone(table: Table, unit: UnitId) -> bool:
    """Say whether a counter has left the map."""
    return table.position.units[unit].place < 0


def terrain(board: PlainBoard, terrain: str, *labels: str) -> None:
    """Print terrain into hexes."""
    for label in labels:
        board.hex(label, terrain=terrain)

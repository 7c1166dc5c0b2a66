"""The words that a game's case files can use: orders with their fields, phases, marks, places, chits, unit types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from core.board import Board, HexFacts
from core.orders import FieldKind, fields_of
from core.pack import Pack, Scenario, chosen_options
from core.position import Position
from core.ruleset import Ruleset
from core.setting import Setting
from core.trials.case_units import SIZES
from core.units import UnitType
from core.views import View

_PICKS = {
    ("unit", "set"): "units",
    ("unit", "one"): "a unit",
    ("hex", "set"): "hexes",
    ("hex", "path"): "hexes in order",
    ("hex", "one"): "a hex",
    ("option", "one"): "a word",
    ("number", "one"): "a number",
    ("text", "one"): "words",
}


def words(ruleset: Ruleset, pack: Pack) -> Iterator[str]:
    """Yield lines that list the words of a game, section by section."""
    scenario = next(iter(pack.scenarios.values()))
    setting = _setting(ruleset, pack, scenario)
    vocabulary = ruleset.vocabulary(setting)
    yield from _section("Scenarios", (f"{one.id}: turns {one.first_turn} to {one.last_turn}" for one in pack.scenarios.values()))
    yield from _section("Options", (f"{one.id} = {str(one.default).lower()}: {one.title} ({one.rule})" for one in pack.manifest.option))
    yield from _section("Sides", pack.manifest.sides)
    yield from _section("Phases", (f"{name}: {side or 'both sides'}" for name, side in ruleset.phases(View(setting, Position()))))
    yield from _section("Orders", (_order(ruleset, name) for name in sorted(ruleset.orders)))
    yield from _section("Marks of units", sorted(vocabulary.unit_marks))
    yield from _section("Marks of hexes", sorted(vocabulary.place_marks))
    yield from _section("Tracks", sorted(vocabulary.tracks))
    yield from _section("Boxes", ("out", *pack.manifest.boxes))
    yield from _section("Chits", vocabulary.chits)
    yield from _section("Unit types", (_type(one) for one in pack.types.values()))


def _setting(ruleset: Ruleset, pack: Pack, scenario: Scenario) -> Setting:
    board = Board([HexFacts("0101", 0, 0, 0.0, 0.0, "clear")], {}, boxes=pack.manifest.boxes)
    return Setting(
        ruleset=ruleset,
        board=board,
        types=dict(pack.types),
        charts=ruleset.charts(pack),
        scenario=msgspec.structs.replace(scenario, rules={}),  # no phase is skipped
        options=chosen_options(pack.manifest, {}),
        sides=pack.manifest.sides,
        pack=pack.digest,
    )


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"{title}:"
    yield from (f"  {line}" for line in lines)
    yield ""


def _order(ruleset: Ruleset, name: str) -> str:
    kind = ruleset.orders[name]
    fields = " ".join(f"<{_field(field)}>" for field in fields_of(kind.order))
    return f"{name} {fields}: {kind.label} ({kind.rule})".replace(" :", ":")


def _field(field: FieldKind) -> str:
    return f"{field.name}: {_PICKS[field.pick, field.many]}"


def _type(type: UnitType) -> str:
    faces = " ".join(f"{face.attack}-{face.defence}-{face.move}" for face in type.faces)
    shown = f"{type.cup}-{type.move}" if type.cup else faces or "no values"
    size = SIZES.get(type.size, type.size)
    return f"{type.id}: {shown}, {type.steps} {'step' if type.steps == 1 else 'steps'}; {type.nation} {type.kind} {size}"

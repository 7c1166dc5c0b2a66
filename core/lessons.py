"""Lessons: guided first steps that a pack brings as ``learn/<id>.toml``. Here they are read and checked; a window follows them.

A step says a few words, points at hexes and parts of the window, and is over when something has been done (`Until`) or, where it waits
for nothing, when its reader goes on.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from core.board import Board
from core.datafile import Faults, TomlFile
from core.errors import BadInput
from core.pack import Pack, setting
from core.ruleset import Ruleset
from core.setting import Setting
from core.units import Side

FOLDER = "learn/"

# What a step may point at or wait for, by the names that the window gives its parts.
PANELS = ("todo", "stack", "battle", "log", "rules", "forces", "record", "notes")
PARTS = ("header", "map", "timeline", "side", "prompt", "tools", "minimap", *PANELS)


class Until(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ends a step; one of these.

    *select*: the hex was selected. *target*: the draft names the hex. *order*: an order of that type was given since the step began.
    *open*: an order of that type may be given. *phase*, *turn*: the game has come there. *overlay*: it is shown. *panel*: it is in front.
    *answers*: "why?" is being answered. *past*: a moment of the past is shown; *live*: the present is.
    """

    select: str = ""
    target: str = ""
    order: str = ""
    open: str = ""
    phase: str = ""
    turn: int = 0
    overlay: str = ""
    panel: str = ""
    answers: bool = False
    past: bool = False
    live: bool = False

    def said(self) -> list[str]:
        """Return the names of the fields that say something."""
        return [name for name in self.__struct_fields__ if getattr(self, name)]


class LessonStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step: a heading, words, what to point at, what ends it; *during* are the phases that it has any sense in, all if empty.

    *hexes* are ringed on the map; *part* is a part of the window by its name there; *option* a choice of the card by its order type.
    """

    title: str
    text: str
    hexes: tuple[str, ...] = ()
    part: str = ""
    option: str = ""
    during: tuple[str, ...] = ()
    until: Until = Until()


class Lesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lesson: the scenario that is played, whose side, against whom, and the number that its dice hang on."""

    title: str
    blurb: str
    scenario: str
    side: Side
    seed: int
    step: tuple[LessonStep, ...]
    opponent: str = "steady"


def names(pack: Pack) -> tuple[str, ...]:
    """Return the files of a pack's lessons."""
    return tuple(sorted(name for name in pack.files if name.startswith(FOLDER) and name.endswith(".toml")))


def read(pack: Pack, name: str) -> Lesson:
    """Return a lesson of a pack, checked as far as the pack alone allows.

    Raises:
        BadInput: with every fault.
    """
    file, faults = pack.toml(name), Faults()
    found: Lesson | None = file.struct(file.tree, Lesson, "", faults)
    if found is not None:
        _expect(file, faults, "scenario", found.scenario, pack.scenarios)
        _expect(file, faults, "side", found.side, pack.manifest.sides)
        for i, step in enumerate(found.step):
            said = step.until.said()
            if len(said) > 1:
                faults.add(file.where(f"step[{i}].until"), "one thing that ends the step", ", ".join(said))
    faults.check()
    assert found is not None, "a lesson that is none has faults"
    return found


def check(pack: Pack, name: str, lesson: Lesson, game: Setting) -> None:
    """Check a lesson against what it speaks of: hexes, order types, phases and overlays of the game, parts of the window.

    Raises:
        BadInput: with every fault.
    """
    file, faults, ruleset = pack.toml(name), Faults(), game.ruleset
    for i, step in enumerate(lesson.step):
        where, until = f"step[{i}]", step.until
        _hexes(file, faults, f"{where}.hexes", step.hexes, game.board)
        _hexes(file, faults, f"{where}.until.select", [until.select] if until.select else [], game.board)
        _hexes(file, faults, f"{where}.until.target", [until.target] if until.target else [], game.board)
        _orders(file, faults, where, step, ruleset)
        for phase in (*step.during, *([until.phase] if until.phase else [])):
            if not _is_phase(ruleset, phase):
                faults.add(file.where(where), "a phase of the game", phase)
        if step.part:
            _expect(file, faults, f"{where}.part", step.part, PARTS)
        if until.panel:
            _expect(file, faults, f"{where}.until.panel", until.panel, PANELS)
        if until.overlay:
            _expect(file, faults, f"{where}.until.overlay", until.overlay, ruleset.overlays)
    faults.check()


def _orders(file: TomlFile, faults: Faults, where: str, step: LessonStep, ruleset: Ruleset) -> None:
    for field, name in (("option", step.option), ("until.order", step.until.order), ("until.open", step.until.open)):
        if name:
            _expect(file, faults, f"{where}.{field}", name, ruleset.orders)


def _hexes(file: TomlFile, faults: Faults, path: str, labels: Iterable[str], board: Board) -> None:
    for label in labels:
        if not board.has(label):
            faults.add(file.where(path), "a hex of the scenario's map", label)


def _is_phase(ruleset: Ruleset, phase: str) -> bool:
    try:
        ruleset.phase_name(phase)
    except (KeyError, BadInput):
        return False
    return True


def _expect(file: TomlFile, faults: Faults, path: str, got: str, known: Iterable[str]) -> None:
    if got not in known:
        faults.add(file.where(path), "one of " + ", ".join(sorted(known)), got)


def check_all(pack: Pack, ruleset: Ruleset) -> None:
    """Read and check every lesson of a pack.

    Raises:
        BadInput: with the faults of all of them.
    """
    faults = Faults()
    for name in names(pack):
        try:
            lesson = read(pack, name)
            check(pack, name, lesson, setting(ruleset, pack, lesson.scenario))
        except BadInput as error:
            faults.take(error)
    faults.check()

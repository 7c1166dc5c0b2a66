"""Named corrections: what geography gets wrong for the game, each with its reason; they survive every rebuild.

A correction is one of four: a town's *place* and a river's *bank* steer the pipeline; a *hex*, a *hexside* or a *rail* is
set at its end. One that changes nothing any more, or names a hex that isn't there, is a fault.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from core.datafile import Faults, TomlFile
from core.errors import BadInput, Fault
from mapmaker.draft import SIDE_KINDS, Draft, RailFact
from mapmaker.grid import Grid, Spot
from mapmaker.lattice import Side, side


class HexChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields of a hex that get a new value; None leaves one as it is."""

    terrain: str | None = None
    city: str | None = None
    name: str | None = None
    port: str | None = None
    country: str | None = None
    features: tuple[str, ...] | None = None


class Correction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One ``[[correction]]``.

    *place* with *hex*: the town lies in this hex. *river* with *hex* and *bank*: the hex lies on this bank, seen downstream.
    *hex* with *set*: fields of the hex. *hexside* with *add* or *remove*: a kind of the hexside, *name* the river's.
    *rail* with *add* or *remove*: a line between two hexes (remove ``all`` for every line), with *opened*.
    """

    section: str
    reason: str
    hex: str = ""
    set: HexChange | None = None
    place: str = ""
    river: str = ""
    bank: Literal["left", "right", ""] = ""
    hexside: tuple[str, str] | None = None
    rail: tuple[str, str] | None = None
    add: str = ""
    remove: str = ""
    name: str = ""
    opened: str = ""

    def __str__(self) -> str:
        what = "/".join(self.hexside or self.rail or ()) or " ".join(filter(None, (self.place or self.river, self.hex)))
        return f"{what}: {self.reason}"

    def kind(self) -> str | None:
        """Return which of the kinds it is; None if its fields belong to none."""
        given = {key for key in ("hex", "set", "place", "river", "bank", "hexside", "rail", "add", "remove") if getattr(self, key)}
        change = given & {"add", "remove"}
        for kind, fields in (("place", {"place", "hex"}), ("bank", {"river", "hex", "bank"}), ("hex", {"hex", "set"})):
            if given == fields:
                return kind
        for kind in ("hexside", "rail"):
            if given - change == {kind} and len(change) == 1:
                return kind
        return None


def read_corrections(path: Path, grid: Grid) -> tuple[Correction, ...]:
    """Read ``corrections.toml``; no file is no correction.

    Raises:
        BadInput: with every fault: unknown fields, unknown hexes, hexes that aren't neighbours, no reason.
    """
    if not path.exists():
        return ()
    file, faults = TomlFile(str(path), path.read_bytes()), Faults()
    for strange in sorted(set(file.tree) - {"correction"}):
        faults.add(file.where(strange), "only [[correction]] tables", strange)
    found = file.numbered("correction", Correction, faults, required=False)
    for i, one in found:
        faults.found += _faults(one, file.where(f"correction[{i}]"), grid)
    faults.check()
    return tuple(one for _, one in found)


def _faults(one: Correction, where: str, grid: Grid) -> Iterable[Fault]:
    if not one.reason.strip():
        yield Fault(f"{where}: reason", "why", "nothing")
    if one.kind() is None:
        yield Fault(where, "place and hex; river, hex and bank; hex and set; hexside or rail with add or remove", repr(one))
    if one.hexside and (one.add or one.remove) not in SIDE_KINDS:
        yield Fault(f"{where}: kind", " ".join(SIDE_KINDS), one.add or one.remove)
    labels = [one.hex] if one.hex else [*(one.hexside or ()), *(one.rail or ())]
    spots: list[Spot] = []
    for label in labels:
        spot = _spot(label, one.section, grid)
        if spot is None:
            yield Fault(f"{where}: hex", f"a hex of section {one.section}", label)
        else:
            spots.append(spot)
    if len(spots) == 2 and spots[1] not in grid.neighbours(spots[0]):
        yield Fault(where, "two neighbouring hexes", "/".join(labels))


def _spot(label: str, letter: str, grid: Grid) -> Spot | None:
    try:
        spot = grid.spot(label)
        return spot if grid.section(letter).label(spot) == label else None
    except BadInput:
        return None


def moved_places(corrections: Iterable[Correction], grid: Grid) -> dict[str, Spot]:
    """Return the towns that corrections put into a hex."""
    return {one.place: grid.spot(one.hex) for one in corrections if one.kind() == "place"}


def correct(draft: Draft, corrections: Iterable[Correction]) -> list[str]:
    """Apply the corrections of hexes, hexsides and railways; return a line for each that changed nothing."""
    idle = []
    for one in corrections:
        changed = True
        match one.kind():
            case "hex":
                changed = _correct_hex(draft, one)
            case "hexside":
                changed = _correct_side(draft, one)
            case "rail":
                changed = _correct_rail(draft, one)
        if not changed:
            idle.append(f"correction {one} — changes nothing")
    return idle


def _correct_hex(draft: Draft, one: Correction) -> bool:
    assert one.set is not None
    here = draft.hexes[draft.lattice.grid.spot(one.hex)]
    changed = False
    for key in ("terrain", "city", "name", "port", "country"):
        value = getattr(one.set, key)
        if value is not None and value != getattr(here, key):
            setattr(here, key, value)
            changed = True
    if one.set.features is not None and set(one.set.features) != here.features:
        here.features = set(one.set.features)
        changed = True
    if changed:
        here.note = "; ".join(filter(None, (here.note, one.reason)))
    return changed


def _pair(draft: Draft, labels: tuple[str, str]) -> Side:
    grid = draft.lattice.grid
    return side(grid.spot(labels[0]), grid.spot(labels[1]))


def _correct_side(draft: Draft, one: Correction) -> bool:
    assert one.hexside is not None
    where = _pair(draft, one.hexside)
    kinds = draft.sides.get(where, {})
    if one.remove:
        return kinds.pop(one.remove, None) is not None
    if one.add in kinds and (not one.name or kinds[one.add].name == one.name):
        return False
    draft.add_side(where, one.add, one.name, one.reason)
    draft.corrected_sides.add(where)
    return True


def _correct_rail(draft: Draft, one: Correction) -> bool:
    assert one.rail is not None
    where = _pair(draft, one.rail)
    fact = draft.rails.get(where)
    draft.corrected_rails.update(where)
    if one.remove == "all":
        return draft.rails.pop(where, None) is not None
    if one.remove:
        if fact is None or one.remove not in fact.lines:
            return False
        fact.lines.remove(one.remove)
        if not fact.lines:
            del draft.rails[where]
        return True
    if fact is not None and one.add in fact.lines:
        return False
    if fact is None:
        draft.rails[where] = RailFact([one.add], one.opened, one.reason)
    else:
        fact.lines.append(one.add)
        fact.opened = min(fact.opened, one.opened)
    return True

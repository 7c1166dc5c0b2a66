"""A case under way, and what its file changes by hand: counters, chits, marks, control, whatever the rules think of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import msgspec

from core import events
from core.position import Position
from core.ruleset import Vocabulary
from core.trials import case_board, case_units
from core.trials.case_file import StateText
from core.trials.case_loading import Case
from core.trials.case_orders import Units
from core.trials.case_units import Catalogue, Counter
from core.trials.table import Table
from core.units import UnitId
from core.views import View


class Play:
    """A case under way: its table, the names of its units, what it found out."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.units = Units()
        self.view = View(case.setting, Position())
        self.happened: tuple[events.Event, ...] = ()
        self.lines: list[str] = []
        self.chits = case.setting.ruleset.vocabulary(case.setting).chits

    def say(self, path: str, line: str) -> None:
        """Note a difference."""
        self.lines.append(f"{self.case.source.where(path).rpartition(':')[0]}: {line}")

    def draws(self, words: Collection[str]) -> list[str]:
        """Return the full names of chits."""
        return [case_units.full_chit(self.chits, one) for one in words]


def change(play: Play, state: StateText, counters: tuple[Counter, ...]) -> None:
    """Place, move, mark and remove as the file says, whatever the rules think of it."""
    table = Table.on(play.view)
    table.happen(*_fill_cups(play, state.cups))
    for counter in counters:
        _place(play, table, counter)
    board, handles = play.case.setting.board, play.units
    for handle, label in state.move.items():
        table.happen(events.Moved((handles.one(play.view, handle),), (board.place(label),)))
    for handle, steps in state.steps.items():
        table.happen(events.StepsChanged(handles.one(play.view, handle), steps))
    for handle, text in state.chits.items():
        _lay_chit(play, table, handle, text)
    for handle, text in state.marks.items():
        for mark, value in case_units.marks_in(play.case.source, _vocabulary(play), text, "marks").items():
            unit = (handles.one(play.view, handle),)
            table.happen(events.Marked(unit, mark, value) if value else events.Unmarked(unit, mark))
    for word in case_board.words(state.remove):
        for gone in handles.find(play.view, word):
            table.happen(events.Removed(gone, "by the case"))
    table.happen(*_places(play, state))


def _vocabulary(play: Play) -> Vocabulary:
    return play.case.setting.ruleset.vocabulary(play.case.setting)


def _places(play: Play, state: StateText) -> Iterator[events.Event]:
    board = play.case.setting.board
    for side, labels in state.control.items():
        for label in case_board.hexes_in(labels):
            yield events.ControlChanged(board.hex(label), side)
    for mark, labels in state.hex_marks.items():
        name, _, value = mark.partition("=")
        yield events.PlaceMarked(tuple(board.hex(label) for label in case_board.hexes_in(labels)), name, int(value or 1))
    for track, stand in state.tracks.items():
        yield events.TrackSet(track, stand)


def _fill_cups(play: Play, cups: Mapping[str, tuple[str, ...]]) -> Iterator[events.Event]:
    for cup, chits in cups.items():
        for one in chits:
            words, _, count = one.partition(" x")
            yield events.CupFilled(cup, case_units.full_chit(play.chits, f"{cup} {words}"), int(count or 1))


def _place(play: Play, table: Table, counter: Counter) -> None:
    type = counter.type
    if counter.faces:
        type = f"{counter.type} of {counter.handle}"
        if type not in play.case.setting.types:
            like = play.case.setting.types[counter.type]
            play.case.setting.types[type] = msgspec.structs.replace(like, id=type, faces=counter.faces)
    unit = UnitId(play.view.position.next_unit)
    table.happen(events.Placed(unit, type, counter.name, play.case.setting.board.place(counter.place), counter.steps))
    play.units.handles[counter.handle] = unit
    if counter.chit:
        _put_chit(table, counter.chit, unit)
    for mark, value in counter.marks.items():
        table.happen(events.Marked((unit,), mark, value))


def _put_chit(table: Table, chit: str, unit: UnitId) -> None:
    cup = chit.partition(" ")[0].rstrip("*")
    table.happen(events.CupFilled(cup, chit, 1), events.ChitPlaced(cup, chit, unit))


def _lay_chit(play: Play, table: Table, handle: str, text: str) -> None:
    unit = play.units.one(play.view, handle)
    kind = play.view.type(unit)
    catalogue = Catalogue(play.case.setting.types, _vocabulary(play))
    chit, steps = case_units.read_chit(play.case.source, catalogue, kind, text, kind.steps, f"chits.{handle}")
    play.case.source.faults.check()
    if unit in play.view.position.chits:
        table.happen(events.Returned(unit, ""))
    _put_chit(table, chit, unit)
    table.happen(events.StepsChanged(unit, steps))

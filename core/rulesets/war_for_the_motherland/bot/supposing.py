"""Positions that could be: a view after units moved or vanished, with nothing else decided."""

from __future__ import annotations

from collections.abc import Iterable

from core.board import Place
from core.events import Event, Moved, Removed
from core.fold import fold
from core.units import UnitId
from core.views import View


def supposing(view: View, *happened: Event) -> View:
    """Return a view of the position that these events would make of the present one."""
    position, derived = view.position.copy(), view.derived.copy()
    for event in happened:
        derived.touch(event, position)
        fold(position, event)
    return View(view.setting, position, viewer=view.viewer, derived=derived)


def moved(view: View, units: Iterable[UnitId], place: Place) -> View:
    """Return a view in which units stand elsewhere."""
    return supposing(view, Moved(tuple(units), (place,)))


def without(view: View, units: Iterable[UnitId]) -> View:
    """Return a view in which units are gone."""
    return supposing(view, *(Removed(unit, "supposed") for unit in units))

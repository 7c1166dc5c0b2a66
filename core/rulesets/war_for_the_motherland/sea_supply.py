"""Supply over sea (9.7, 12.42): which ports give it, and to whom.

Rules: 9.71a, 9.71b, 9.72, 9.73a, 9.73b, 9.73c, 9.74, 12.42.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.board import Hex
from core.derived import CONTROL, MARKS, STEPS, TRACKS, UNITS
from core.mechanics import supply as lines
from core.rulesets.war_for_the_motherland import supply, weather
from core.rulesets.war_for_the_motherland.terms import AXIS, SOVIET, is_ea
from core.units import Side, UnitType
from core.views import View

SEVASTOPOL, ODESSA = "C6313", "C5718"  # 9.72, 9.74
SOVIET_BASES = ("C6205", "C6402")  # Novorossiisk, Tuapse (9.71)
NORTHERN = ("N1327", "N2718")  # Murmansk, Archangelsk (12.42)
FROM_PORT = 2  # hexes (9.71)
BLACK_SEA = "black_sea"  # what its ports bear in a map's data (5.58, 9.73)
_ASPECTS = (UNITS, STEPS, TRACKS, MARKS, CONTROL)


def reaches(view: View, kind: UnitType, here: Hex) -> bool:
    """Say whether a unit of this type in this hex is supplied by sea (9.71, 9.72, 9.73)."""
    return may_use(kind) and here in supplied_from(view, kind.side)


def may_use(kind: UnitType) -> bool:
    """Say whether units of a type may be supplied by sea at all (9.73, D-56)."""
    return not (kind.kind in supply.SERVICE or is_ea(kind) or (kind.side == AXIS and kind.nation != "german"))


def supplied_from(view: View, side: Side) -> frozenset[Hex]:
    """Return the hexes where units that may use it are supplied by sea."""
    return view.derived.get(("sea supply", side), _ASPECTS, lambda: _supplied_from(view, side))


def _supplied_from(view: View, side: Side) -> frozenset[Hex]:
    fields, without = _fields(view, side), _shut(view) if side == SOVIET else ()
    of = (*fields.items(), without)
    return view.derived.keep(("fed from ports", side), of, lambda: frozenset().union(*_fed_from(view, fields)).difference(without))


def _fed_from(view: View, fields: Mapping[Hex, lines.Field]) -> Iterator[frozenset[Hex]]:
    """Yield the hexes that each port feeds: those near it from where a line leads to this very port (9.71, 9.72)."""
    for port, field in fields.items():
        yield frozenset(here for here in view.board.within(port, FROM_PORT) if field.reaches(here))


def _fields(view: View, side: Side) -> Mapping[Hex, lines.Field]:
    """Return the lines to each port that gives."""
    return view.derived.get(("sea lines", side), _ASPECTS, lambda: {port: _field(view, side, port) for port in ports(view, side)})


def _field(view: View, side: Side, port: Hex) -> lines.Field:
    limit, of = supply.RANGE_HALVES[side], (supply.counts(view, side), supply.blocked(view, side))
    found: lines.Field = view.derived.keep(
        ("sea field", side, port), of,
        lambda: lines.trace(of[0], sources=(port,), blocked=of[1], limit=limit),
        mend=lambda old, was: old.mended(of[1]) if was[0] == of[0] else None,
    )
    return found


def line(view: View, side: Side, here: Hex) -> tuple[Hex, ...]:
    """Return the shortest line from a hex to a port that supplies it, empty if none does."""
    fields = [field for port, field in _fields(view, side).items() if here in view.board.within(port, FROM_PORT) and field.reaches(here)]
    return min(fields, key=lambda field: field.distance(here)).path(here) if fields else ()


def ports(view: View, side: Side) -> tuple[Hex, ...]:
    """Return the ports over which a side supplies units now."""
    return view.derived.get(("ports that give", side), _ASPECTS, lambda: _ports(view, side))


def _ports(view: View, side: Side) -> tuple[Hex, ...]:
    if side == AXIS:
        return _friendly_ports(view, AXIS) if all(_is_base(view, label, AXIS) for label in (ODESSA, SEVASTOPOL)) else ()  # 9.72
    black_sea = _friendly_ports(view, SOVIET) if any(_is_base(view, label, SOVIET) for label in SOVIET_BASES) else ()  # 9.71
    without = _shut(view)
    return tuple(port for port in black_sea if port not in without) + _northern_ports(view)


def _friendly_ports(view: View, side: Side) -> tuple[Hex, ...]:
    return tuple(port for port in ports_of(view, BLACK_SEA) if _holds(view, port, side))  # 9.73


def ports_of(view: View, sea: str) -> tuple[Hex, ...]:
    """Return the hexes with a port of a sea, lowest first."""
    facts = view.board.facts
    return view.derived.get(("ports", sea), (), lambda: tuple(Hex(i) for i, fact in enumerate(facts) if fact.port == sea))


def _holds(view: View, here: Hex, side: Side) -> bool:
    return view.position.control.get(here) == side


def _is_base(view: View, label: str, side: Side) -> bool:
    """Say whether a side holds a port of this label in normal railroad supply (9.71, 9.72, D-56)."""
    if not view.board.has(label):
        return False
    here = view.board.hex(label)
    return _holds(view, here, side) and supply.rail_to_source(view, here, side)


def _shut(view: View) -> tuple[Hex, ...]:
    """Return Odessa while the Axis holds Sevastopol: its port feeds no Soviet, nor does another port feed who stands there (9.74)."""
    board = view.board
    if board.has(ODESSA) and board.has(SEVASTOPOL) and _holds(view, board.hex(SEVASTOPOL), AXIS):
        return (board.hex(ODESSA),)
    return ()


def _northern_ports(view: View) -> tuple[Hex, ...]:
    """Return Murmansk and Archangelsk, each while the other is held in railroad supply (12.42, D-56)."""
    if not view.options.get("north_sea_supply") or weather.is_snow(view):
        return ()
    one, two = NORTHERN
    return tuple(
        view.board.hex(port)
        for port, base in ((one, two), (two, one))
        if _is_base(view, base, SOVIET) and view.board.has(port) and _holds(view, view.board.hex(port), SOVIET)
    )

"""Soviet airborne corps: one drop a phase, one in a corps' life (13.4).

Rules: 11.13, 11.26, 13.42a, 13.42b, 13.43a, 13.43b, 13.44a, 13.44b, 13.45, 13.46.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.derived import MARKS, TRACKS, UNITS
from core.errors import Refused
from core.events import Event, Explained, FramePopped, FramePushed, Line, Marked, Moved, Part
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, OneHex, OneUnit, Order, Pick, UnitPick
from core.ruleset import Chance, Preview
from core.rulesets.war_for_the_motherland import arrivals, control, recovery, weather, zoc
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.strength import is_out_of_supply
from core.rulesets.war_for_the_motherland.terms import DROPPED, PARATROOP_WAITING, SOVIET, has_enemy
from core.text import text
from core.units import UnitId
from core.views import View

DROP_RANGE = 6  # 13.42
LANDED_UP_TO = 2  # 13.43
DIE = 6
BAD_WEATHER = -3  # 11.13, 11.26, D-64


class DropAirborne(Order, frozen=True, tag="drop_airborne"):
    """Drop an airborne corps onto a hex (13.42)."""

    unit: OneUnit = None
    hex: OneHex = None


def can_drop(view: View) -> bool:
    """Say whether a corps waits for its drop and a hex is open to it."""
    return bool(waiting(view)) and bool(open_hexes(view))


def open_hexes(view: View) -> tuple[Hex, ...]:
    """Return the hexes that a corps may be dropped onto, lowest first."""
    return view.derived.get("drop hexes", (UNITS, MARKS, TRACKS), lambda: _open_hexes(view))


def _open_hexes(view: View) -> tuple[Hex, ...]:
    return tuple(here for here in sorted(_in_range(view)) if refusal_at(view, here) is None)


def waiting(view: View) -> tuple[UnitId, ...]:
    """Return the corps that wait for their drop (13.41, 13.45)."""
    return view.side_at(view.board.box(PARATROOP_WAITING), SOVIET)


def _in_range(view: View) -> frozenset[Hex]:
    """Return the hexes near a headquarters that was in supply this turn (13.42, D-76)."""
    return view.derived.get("drop range", (UNITS, MARKS), lambda: _around_headquarters(view))


def _around_headquarters(view: View) -> frozenset[Hex]:
    staffs = [u for u in view.position.on_map() if view.types[u.type].kind == "headquarters" and view.types[u.type].side == SOVIET]
    near = [view.board.within(Hex(staff.place), DROP_RANGE) for staff in staffs if not is_out_of_supply(view, staff.id)]
    return frozenset().union(*near)


def refusal_at(view: View, here: Hex) -> Refused | None:
    """Return why nobody may be dropped onto a hex, None if it may be tried."""
    name = view.board.name(here)
    if here not in _in_range(view):
        return Refused("13.42", text("{hex} is more than {n} hexes from every supplied headquarters", hex=name, n=DROP_RANGE))
    if not weather.is_land(view, here):
        return Refused("13.42", text("{hex} is water", hex=name))
    if has_enemy(view, here, SOVIET):
        return Refused("13.42", text("{hex} is held by Axis units", hex=name))
    return None


def compose_drop(view: View, draft: DropAirborne) -> Offer:
    """Offer the waiting corps, then the hexes in range."""
    decision = view.decision()
    assert isinstance(decision, arrivals.Reinforce)
    if decision.side != SOVIET:
        return _nobody(Refused("13.41", text("only the Soviet side has airborne corps")))
    if decision.dropped:
        return _nobody(Refused("13.44", text("one corps has dropped in this phase")))
    if draft.unit is None:
        doors = [Door(UnitPick(unit)) for unit in waiting(view)] if can_drop(view) else []
        return offer(doors, unfinished=_no_corps(view), unknown=lambda pick: _not_waiting(view, pick))
    if draft.hex is None:
        return offer(
            (Door(HexPick(here)) for here in open_hexes(view)),
            unfinished=Refused("13.42", text("a hex must be chosen for the drop")),
            unknown=lambda pick: refusal_at(view, pick.hex) if isinstance(pick, HexPick) else None,
        )
    return Offer()


def _nobody(why: Refused) -> Offer:
    return Offer(unfinished=why, unknown=lambda pick: why)


def _no_corps(view: View) -> Refused:
    if not waiting(view):
        return Refused("13.41", text("no airborne corps waits for its drop"))
    if not open_hexes(view):
        return Refused("13.42", text("no hex within {n} hexes of a supplied headquarters is open to a drop", n=DROP_RANGE))
    return Refused("13.42", text("a corps must be chosen"))


def _not_waiting(view: View, pick: Pick) -> Refused | None:
    if not isinstance(pick, UnitPick):
        return None
    rule = "13.45" if view.position.mark(pick.unit, DROPPED) else "13.41"
    return Refused(rule, text("{unit} does not wait for a drop", unit=view.name(pick.unit)))


def _is_axis(view: View) -> bool:
    return view.side_to_act() != SOVIET  # 13.41


def preview_drop(view: View, draft: DropAirborne) -> Preview | None:
    """Return the chances of a landing, by the very figures that decide it."""
    if draft.unit is None or draft.hex is None:
        return None
    faces = range(1, DIE + 1)
    lands = sum(_landing(view, draft.hex, die)[0] <= LANDED_UP_TO for die in faces)
    parts = _landing(view, draft.hex, 0)[1].parts[1:]
    limit = Line("landing", f"≤ {LANDED_UP_TO}", (Part(f"≤ {LANDED_UP_TO}", "13.43", text("the roll that lands")),))
    chances = (
        Chance("lands", lands, DIE, text("the corps stands in the hex")),
        Chance("lost", DIE - lands, DIE, text("the corps is eliminated")),
    )
    title = text("{unit} drops onto {hex}", unit=view.name(draft.unit), hex=view.board.name(draft.hex))
    modifiers = (Line("drm", str(sum(int(part.value) for part in parts)), parts),) if parts else ()
    return Preview(title, (limit, *modifiers), tuple(chance for chance in chances if chance.cases))


@RULES.order(DropAirborne, text("Drop an airborne corps"), rule="13.42", compose=compose_drop, preview=preview_drop, absent=_is_axis)
def take_drop(game: Game, order: DropAirborne) -> Iterator[Event]:
    """Roll for the landing: the corps stands in the hex or is lost (13.43)."""
    assert order.unit is not None
    assert order.hex is not None
    yield FramePopped()
    yield FramePushed(arrivals.AskReinforcements(side=SOVIET, dropped=True).frame())  # 13.44
    die = yield from game.roll("landing")
    total, line = _landing(game, order.hex, die)
    words = "{unit} drops onto {hex} and lands" if total <= LANDED_UP_TO else "{unit} drops onto {hex} and is lost"
    yield Explained("landing", text(words, unit=game.name(order.unit), hex=game.board.name(order.hex)), (line,))
    if total > LANDED_UP_TO:
        yield from recovery.eliminate(game, order.unit, "lost in the drop")  # 13.43
        return
    yield Moved((order.unit,), (order.hex,))
    yield Marked((order.unit,), DROPPED)  # 13.45
    yield from control.enter(game, (order.unit,), order.hex)


def _landing(view: View, here: Hex, die: int) -> tuple[int, Line]:
    parts = [Part(str(die), "", text("die"))]
    if zoc.in_enemy_zoc(view, here, SOVIET):
        parts.append(Part("1", "13.43", text("in an Axis ZOC")))
    if weather.is_mud(view) or weather.is_snow(view):
        parts.append(Part(str(BAD_WEATHER), "11.13" if weather.is_mud(view) else "11.26", text("weather")))
    total = sum(int(part.value) for part in parts)
    return total, Line("landing", str(total), tuple(parts))

"""Conversion of armies into Guard and Shock armies (13.2).

Rules: 3.0.7b, 11.15 (Soviet part), 13.21, 13.22, 13.23a, 13.23b, 13.24a, 13.24b, 13.25a, 13.25b, 13.26, 14.33.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.board import Hex
from core.errors import Refused
from core.events import Event, FramePopped, FramePushed, Placed
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import OneOption, OneUnit, OptionPick, Order, Pick, UnitPick
from core.ruleset import Ahead
from core.rulesets.war_for_the_motherland import recovery, strength_markers, weather, zoc
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.strength import is_supplied
from core.rulesets.war_for_the_motherland.terms import CONVERSION_WAITING, CONVERTED, SOVIET
from core.text import Text, text
from core.units import UnitId
from core.views import View


class AskConversions(Step, frozen=True, kw_only=True):
    """Ask for the next conversion while one is possible (13.22, 13.25)."""


def _prompt(view: View, decision: Convert) -> Text:
    del decision
    return text("Convert armies ({n} {n:Guard or Shock army waits|Guard and Shock armies wait})", n=len(waiting(view)))


@RULES.decision(
    _prompt, title=text("Conversion of armies"),
    ahead=(Ahead.of(text("Convert no more armies"), "end_conversions", side=SOVIET),),
)
class Convert(Decision, frozen=True, kw_only=True):
    """The Soviet side converts an army, or leaves the Guards in their box (13.22)."""

    orders = ("convert", "end_conversions")
    rule = "13.22"


class ConvertArmy(Order, frozen=True, tag="convert"):
    """Exchange an army on the map for a waiting Guard or Shock army, called by its name."""

    army: OneUnit = None
    into: OneOption = None


class EndConversions(Order, frozen=True, tag="end_conversions"):
    """Convert no more armies this turn."""


@RULES.step(AskConversions)
def ask_conversions(game: Game, step: AskConversions) -> Iterator[Event]:
    """Ask while a Guard or Shock army waits and an army may take it."""
    del step
    if waiting(game) and any(refusal_for(game, unit.id) is None for unit in game.position.on_map()):
        yield FramePushed(Convert(side=SOVIET).frame())


def waiting(view: View) -> tuple[UnitId, ...]:
    """Return the Guard and Shock armies that wait (13.21)."""
    return view.side_at(view.board.box(CONVERSION_WAITING), SOVIET)


def refusal_for(view: View, unit: UnitId) -> Refused | None:
    """Return why a unit can't be converted now, None if it can."""
    kind, name = view.type(unit), view.name(unit)
    if view.unit(unit).place < 0:
        return Refused("13.22", text("{unit} is not on the map", unit=name))
    if kind.kind in ("guard", "shock"):
        return Refused("13.25", text("{unit} is a Guard or Shock army already", unit=name))
    if not (kind.kind == "infantry" and kind.cup == "C"):  # D-72
        return Refused("13.21", text("{unit} is no infantry army of class C", unit=name))
    if not is_supplied(view, unit):
        return Refused("13.23", text("{unit} is not in supply", unit=name))
    if zoc.in_enemy_zoc(view, Hex(view.unit(unit).place), SOVIET) and not weather.is_mud(view):  # 11.15
        return Refused("13.23", text("{unit} is in an Axis ZOC", unit=name))
    return None


def compose_conversion(view: View, draft: ConvertArmy) -> Offer:
    """Offer the armies that may be converted, then what waits."""
    if draft.army is None:
        armies = [unit.id for unit in view.position.on_map() if refusal_for(view, unit.id) is None] if waiting(view) else []
        return offer(
            (Door(UnitPick(unit)) for unit in armies),
            unfinished=Refused("13.22", text("an army must be chosen" if armies else "no army can be converted")),
            unknown=lambda pick: _closed_to(view, pick),
        )
    if draft.into is None:
        names = dict.fromkeys(view.name(unit) for unit in waiting(view))
        return offer(
            (Door(OptionPick(name), label=text("into {unit}", unit=name)) for name in names),
            unfinished=Refused("13.22", text("a waiting Guard or Shock army must be chosen")),
            unknown=lambda pick: Refused("13.25", text("no such army waits in the Conversion Waiting Box")),
        )
    return Offer()


def _closed_to(view: View, pick: Pick) -> Refused | None:
    return refusal_for(view, pick.unit) if isinstance(pick, UnitPick) else None


@RULES.order(ConvertArmy, text("Convert an army"), rule="13.22", compose=compose_conversion)
def take_conversion(game: Game, order: ConvertArmy) -> Iterator[Event]:
    """Exchange the counters; a marker under the army goes, and a new one is drawn, front up (13.24)."""
    assert order.army is not None
    guards = next(unit for unit in waiting(game) if game.name(unit) == order.into)
    here, had_marker = game.unit(order.army).place, order.army in game.position.chits
    yield FramePopped()
    yield FramePushed(AskConversions().frame())
    if had_marker:
        yield from strength_markers.remove_from(game, order.army)  # 13.24, 7.24
    yield from recovery.to_box(game, order.army, CONVERTED, "converted")  # 13.22, 13.26
    counter = game.unit(guards)
    yield Placed(guards, counter.type, counter.name, here, game.type(guards).steps)
    if had_marker:
        yield from strength_markers.draw_for(game, guards)  # 13.24


def compose_end(view: View, draft: EndConversions) -> Offer:
    """Nobody has to convert."""
    del view, draft
    return Offer()


@RULES.order(EndConversions, text("Convert no more armies"), rule="13.22", compose=compose_end)
def take_end(game: Game, order: EndConversions) -> Iterator[Event]:
    """Leave the rest in the box."""
    del game, order
    yield FramePopped()

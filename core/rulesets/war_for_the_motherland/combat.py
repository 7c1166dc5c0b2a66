"""A battle from its declaration to its end: draws, siege artillery, die, result, payment (8.1, 8.8). Overruns are battles too.

Rules: 8.1.2b, 8.1.6b, 8.1.7, 8.1.8, 8.22b, 8.22c, 8.72, 8.74, 8.81, 8.82, 8.83, 8.84a, 8.84b, 8.86a, 8.86b, 8.87, 8.107a to 8.107c, 8.118;
7.11; D-33, D-39 to D-41, D-45, D-50.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from msgspec.structs import replace

from core.board import Hex
from core.errors import Refused
from core.events import Event, Explained, FramePopped, FramePushed, Line, Marked, MarksCleared, Part, Unmarked
from core.flow import Decision, Step
from core.game import Game
from core.mechanics.combat_table import read_result
from core.options import Door, Offer, offer
from core.orders import OneOption, OneUnit, OptionPick, Order, Pick, UnitPick
from core.ruleset import Ahead, Chance, Preview
from core.rulesets.war_for_the_motherland import (
    advance,
    city_losses,
    crowds,
    foreseen,
    losses,
    reckoning,
    recovery,
    retreat,
    stacking,
    strength_markers,
)
from core.rulesets.war_for_the_motherland.battle import (
    ATTACKING,
    DEFENDING,
    Battle,
    Paid,
    Pay,
    PayResult,
    defenders,
    fighters,
    in_hex_order,
    side_of,
    table_of,
)
from core.rulesets.war_for_the_motherland.registry import RULES
from core.rulesets.war_for_the_motherland.terms import (
    ADVANCED,
    ATTACKED,
    AXIS,
    IN_BATTLE,
    OF_A_BATTLE,
    REFUGEE,
    RETREATED_FROM,
    WAS_ATTACKED,
    units_at,
)
from core.text import Text, text
from core.units import UnitId
from core.views import View

ATTACKED_ALONE_ONCE = 3  # the version of the rules; in games begun before, a refugee left alone could be attacked again and again
GIVEN_UP_FIRST = 3  # the same; before, who could have got away once others were given up was lost with them


class Aftermath(Step, frozen=True, kw_only=True):
    """All has been paid: the winner may advance (8.87)."""

    battle: Battle


class EndBattle(Step, frozen=True, kw_only=True):
    """Stacking is enforced, and the battle is over (8.118)."""

    battle: Battle


# -------------------------------------------------------------------- until the die


def begin_battle(game: Game, *, attackers: tuple[UnitId, ...], targets: tuple[Hex, ...], overrun: bool) -> Iterator[Event]:
    """Fight a battle that was declared; what follows it must lie on the stack already."""
    side = game.side(attackers[0])
    defending, suffering = defenders(game, targets, side, overrun=overrun)
    sources = tuple(sorted({Hex(game.unit(unit).place) for unit in attackers}))
    in_city = city_losses.threaten(game, attackers, targets)
    yield Marked(attackers, IN_BATTLE, ATTACKING)
    yield Marked(tuple(defending), IN_BATTLE, DEFENDING)
    if not overrun:
        yield Marked(attackers, ATTACKED)  # 8.23
        yield Marked((*defending, *suffering), WAS_ATTACKED)
        alone = tuple(unit for unit in defending if game.position.mark(unit, REFUGEE))
        if alone and game.setting.version >= ATTACKED_ALONE_ONCE:
            yield Unmarked(alone, REFUGEE)  # D-45: who defends himself as usual is attacked no more (8.23)
    for army in (*in_hex_order(game, attackers), *in_hex_order(game, defending)):
        yield from strength_markers.draw_for(game, army)  # 7.11, D-33
    battle = Battle(side=side, targets=targets, sources=sources, overrun=overrun, in_city=in_city)
    if reckoning.siege_artillery(game, attackers, targets, overrun=overrun) is not None:
        yield FramePushed(ChooseSiege(side=AXIS, battle=battle).frame())  # 8.72
    else:
        yield from resolve(game, battle, siege=False)


class SiegeArtillery(Order, frozen=True, tag="siege_artillery"):
    """Let the siege artillery fire, or hold it back (8.72)."""

    use: OneOption = None


def _ask_siege(view: View, decision: ChooseSiege) -> Text:
    target = ", ".join(view.board.name(here) for here in decision.battle.targets)
    return text("Shall the siege artillery fire at {hex}?", hex=target)


@RULES.decision(
    _ask_siege, title=text("Fire of the siege artillery"),
    ahead=(
        Ahead.of(text("Fire: +4"), "siege_artillery", "fire", side=AXIS),
        Ahead.of(text("Hold it back"), "siege_artillery", "hold", side=AXIS),
    ),
)
class ChooseSiege(Decision, frozen=True, kw_only=True):
    """The Axis says whether the siege artillery fires, before the die (8.72)."""

    orders: ClassVar = ("siege_artillery",)
    rule: ClassVar = "8.72"
    battle: Battle


def compose_siege(view: View, draft: SiegeArtillery) -> Offer:
    """Offer to fire or to hold."""
    doors = (Door(OptionPick("fire"), label=text("Fire: +4")), Door(OptionPick("hold"), label=text("Hold it back")))
    if draft.use is None:
        return offer(doors, unfinished=Refused("8.72", text("fire or hold must be said")))
    return offer(unfinished=None if draft.use in ("fire", "hold") else Refused("8.72", text("fire or hold must be said")))


def preview_siege(view: View, draft: SiegeArtillery) -> Preview | None:
    """Return the battle with and without the fire, all markers drawn, until one of them is chosen."""
    choice = view.decision()
    if draft.use is not None or not isinstance(choice, ChooseSiege):
        return None
    return preview(view, fighters(view, ATTACKING), choice.battle.targets, overrun=choice.battle.overrun)


@RULES.order(SiegeArtillery, text("Siege artillery"), rule="8.72", compose=compose_siege, preview=preview_siege)
def take_siege(game: Game, order: SiegeArtillery) -> Iterator[Event]:
    """Fight on with or without the bonus."""
    choice = game.decision()
    assert isinstance(choice, ChooseSiege), choice
    yield FramePopped()
    yield from resolve(game, choice.battle, siege=order.use == "fire")


def resolve(game: Game, battle: Battle, *, siege: bool) -> Iterator[Event]:
    """Roll the die, tell how the result came about, and apply it (8.1.7, 8.1.8)."""
    die = yield from game.roll("combat")  # changes nothing by itself; the pass that stops there need not reckon
    attackers = fighters(game, ATTACKING)
    reckoned = reckoning.reckon(game, attackers, battle.targets, overrun=battle.overrun, siege=siege)
    gun = reckoning.siege_artillery(game, attackers, battle.targets, overrun=battle.overrun) if siege else None
    table = table_of(game)
    roll = table.capped(die + reckoned.drm)  # 8.1.6b
    battle = replace(battle, result=table.result(roll, reckoned.column))
    roll_line = Line("roll", str(roll), (Part(str(die), "", text("die")), *reckoned.drm_parts, *_held(die + reckoned.drm, roll)))
    result_line = Line("result", battle.result, (Part(battle.result, "", reckoning.result_meaning(battle.result)),))
    yield Explained("battle", _title(game, battle), (*reckoned.lines, roll_line, result_line))
    if gun is not None:
        yield Marked((gun,), ATTACKED)  # 8.74
    yield from apply_result(game, battle)


def _held(total: int, roll: int) -> tuple[Part, ...]:
    """Return what takes a roll back to where the table ends."""
    return (Part(str(roll - total), "8.1.6", text("a roll counts {n} at the most", n=roll)),) if roll != total else ()


def _title(view: View, battle: Battle) -> Text:
    target = ", ".join(view.board.name(here) for here in battle.targets)
    if battle.overrun:
        return text("Overrun of {hex}: {result}", hex=target, result=battle.result)
    return text("Attack on {hex}: {result}", hex=target, result=battle.result)


# -------------------------------------------------------------------- the result


def apply_result(game: Game, battle: Battle) -> Iterator[Event]:
    """Eliminate who is lost as a whole, then let the sides pay, the defender first (8.81 to 8.86)."""
    result = battle.meaning()
    if result.defender or result.eliminated == "defender":
        for unit in defenders(game, battle.targets, battle.side, overrun=battle.overrun)[1]:
            yield from recovery.eliminate(game, unit)  # 8.107, D-45
    if result.eliminated:
        role = ATTACKING if result.eliminated == "attacker" else DEFENDING
        for unit in in_hex_order(game, fighters(game, role)):
            yield from recovery.eliminate(game, unit)  # 8.81, 8.82
        yield FramePushed(Aftermath(battle=battle).frame())
    elif result.defender:
        yield FramePushed(Pay(battle=battle, role=DEFENDING, points=result.defender, hexes=result.retreat).frame())
    else:
        yield FramePushed(Pay(battle=battle, role=ATTACKING, points=result.attacker, hexes=result.retreat).frame())


@RULES.step(Pay)
def run_pay(game: Game, step: Pay) -> Iterator[Event]:
    """Take what is forced; ask the hurt side as soon as it has a choice."""
    units = fighters(game, step.role)
    if not units or not step.points:
        yield FramePushed(crowds.SettleCrowds(battle=step.battle, role=step.role).frame())
        return
    side = side_of(game, step.battle, step.role)
    ask = PayResult(side=side, battle=step.battle, role=step.role, points=step.points, hexes=step.hexes)
    able = losses.bearers(game, units)
    doomed = sum(losses.steps_left(game, unit) for unit in units) <= step.points
    if game.setting.version >= GIVEN_UP_FIRST:
        doomed = doomed and not retreat.may_open(game, ask, able)
    if retreat.no_retreat(game, ask) is None or (len(able) > 1 and not doomed):
        yield FramePushed(ask.frame())
    else:
        yield from _pay_step(game, ask, able[0])


def _pay_step(game: Game, choice: PayResult, unit: UnitId) -> Iterator[Event]:
    yield from losses.lose_step(game, unit)
    battle = choice.battle.with_lost(choice.role, 1)
    points, hexes = choice.points - 1, choice.hexes
    yield FramePushed(Pay(battle=battle, role=choice.role, points=points, hexes=hexes).frame())


class LoseStep(Order, frozen=True, tag="lose_step"):
    """Pay a point of the result by a step of a unit (8.84)."""

    unit: OneUnit = None


def compose_loss(view: View, draft: LoseStep) -> Offer:
    """Offer those who may bear the step."""
    choice = view.decision()
    assert isinstance(choice, PayResult), choice
    units = fighters(view, choice.role)
    able = losses.bearers(view, units)
    if draft.unit is None:
        doors = (Door(UnitPick(unit), _no_bearer(view, units, able, unit), losses.end_of(view, unit)) for unit in units)
        return offer(
            doors,
            unfinished=Refused("8.84" if choice.hexes else "8.86", text("a unit must be chosen")),
            unknown=lambda pick: _no_bearer_pick(view, units, able, pick),
        )
    return offer(unfinished=_no_bearer(view, units, able, draft.unit))


def _no_bearer_pick(view: View, units: Sequence[UnitId], able: Sequence[UnitId], pick: Pick) -> Refused | None:
    return _no_bearer(view, units, able, pick.unit) if isinstance(pick, UnitPick) else None


def _no_bearer(view: View, units: Sequence[UnitId], able: Sequence[UnitId], unit: UnitId) -> Refused | None:
    if unit in able:
        return None
    if unit not in units:
        return Refused("8.22", text("{unit} has no part in this battle", unit=view.name(unit)))
    first = view.name(able[0])
    return Refused("8.95", text("{first} must lose a step before {unit}", first=first, unit=view.name(unit)))


@RULES.order(LoseStep, text("Lose a step"), rule="8.84", compose=compose_loss)
def take_lose_step(game: Game, order: LoseStep) -> Iterator[Event]:
    """Take the step from the named unit."""
    choice = game.decision()
    assert isinstance(choice, PayResult), choice
    assert order.unit is not None, order
    yield FramePopped()
    yield from _pay_step(game, choice, order.unit)


@RULES.step(Paid)
def run_paid(game: Game, step: Paid) -> Iterator[Event]:
    """Let the attacker pay after the defender in a red box, then look who may advance (8.86)."""
    result = step.battle.meaning()
    if step.role == DEFENDING and result.attacker:
        yield FramePushed(Pay(battle=step.battle, role=ATTACKING, points=result.attacker, hexes=False).frame())  # D-50
    else:
        yield FramePushed(Aftermath(battle=step.battle).frame())


# -------------------------------------------------------------------- afterwards


@RULES.step(Aftermath)
def run_aftermath(game: Game, step: Aftermath) -> Iterator[Event]:
    """Remember who fled to friends, and offer the advance."""
    yield FramePushed(EndBattle(battle=step.battle).frame())
    if step.battle.in_city:
        yield FramePushed(city_losses.RollCityLosses().frame())  # 20.41
    if not step.battle.overrun:
        yield from _mark_refugees(game)  # 8.107, not after overruns
    chance = advance.opportunity(game, step.battle)
    if chance is not None and chance.length > 0:
        yield FramePushed(chance.frame())
    elif chance is not None:
        yield advance.why_none(game, chance)


def _mark_refugees(game: Game) -> Iterator[Event]:
    beaten = [unit for role in (ATTACKING, DEFENDING) for unit in fighters(game, role) if game.position.mark(unit, RETREATED_FROM)]
    for unit in beaten:
        here = Hex(game.unit(unit).place)
        if any(other not in beaten for other in units_at(game, here, game.side(unit))):
            yield Marked((unit,), REFUGEE)
        elif game.position.mark(unit, REFUGEE):
            yield Unmarked((unit,), REFUGEE)


@RULES.step(EndBattle)
def run_end_battle(game: Game, step: EndBattle) -> Iterator[Event]:
    """Clear the battle's marks; where units advanced, stacking is enforced at once (8.118, D-13)."""
    places: dict[str, set[Hex]] = {}
    for unit in game.position.marked(ADVANCED):
        places.setdefault(game.side(unit), set()).add(Hex(game.unit(unit).place))
    yield MarksCleared(OF_A_BATTLE)
    for side, hexes in sorted(places.items()):
        yield FramePushed(stacking.CheckStacking(side=side, places=tuple(sorted(hexes))).frame())


# -------------------------------------------------------------------- before it is given


def preview(view: View, attackers: Sequence[UnitId], targets: Sequence[Hex], *, overrun: bool) -> Preview:
    """Return what a battle would be, by the very reckoning that decides it.

    Unknown markers count as their cup's mean in the figures; the chances are those of every draw and every die together.
    """
    reckoned = reckoning.reckon(view, attackers, targets, overrun=overrun)
    columns = foreseen.columns(view, attackers, targets, overrun=overrun)
    lines = [
        _column_line(view, line, attackers, targets, columns, overrun=overrun) if line.key == "column" else line for line in reckoned.lines
    ]
    gun = reckoning.siege_artillery(view, attackers, targets, overrun=overrun)
    if gun is not None:
        lines.append(Line("siege_artillery", "4", (Part("4", "8.72", text("{unit} may fire: asked before the die", unit=view.name(gun))),)))
        lines.append(Line("if_it_fires", _shares(_cases(view, columns, reckoned.drm + reckoning.SIEGE_DRM))))
    if city_losses.threaten(view, attackers, targets):
        lines.append(city_losses.warning(view, attackers))
    cases = _cases(view, columns, reckoned.drm)
    every, shared = sum(cases.values()), math.gcd(*cases.values())
    chances = tuple(
        Chance(result, ways // shared, every // shared, reckoning.result_meaning(result), read_result(result).hurt)
        for result, ways in cases.items()
    )
    side = view.side(attackers[0])
    expected = _expected_losses(view, attackers, defenders(view, targets, side, overrun=overrun)[0], cases)
    hexes = ", ".join(view.board.name(here) for here in targets)
    title = text("Overrun of {hex}", hex=hexes) if overrun else text("Attack on {hex}", hex=hexes)
    return Preview(title, tuple(lines), chances, expected)


def _column_line(
    view: View, line: Line, attackers: Sequence[UnitId], targets: Sequence[Hex], columns: Mapping[int, int], *, overrun: bool
) -> Line:
    """Return the column as it is told beforehand: with the lowest and the highest where the markers to be drawn decide.

    A shift by air support is told of both, so that no figure between them stands beside a range that holds it already.
    """
    if len(columns) == 1:
        return line
    headings = table_of(view).headings[reckoning.terrain_row(view, targets)]
    (_, *shift), words = line.parts, "from {low} to {high}, by the markers that are drawn"
    plain = foreseen.columns(view, attackers, targets, overrun=overrun, shifted=False) if shift else columns
    low, high = headings[min(plain)], headings[max(plain)]
    parts = [Part(f"{low} … {high}", "7.11", text(words, low=low, high=high))]
    parts += [replace(part, value=f"{headings[min(columns)]} … {headings[max(columns)]}") for part in shift]
    return Line("column", f"≈{line.value}", tuple(parts))


def _cases(view: View, columns: Mapping[int, int], drm: int) -> dict[str, int]:
    """Return in how many cases, of all draws and dice, each result comes; those of low dice and columns first."""
    table, cases, place = table_of(view), Counter[str](), Counter[str]()
    for column, ways in columns.items():
        for die in range(1, view.charts.combat.faces + 1):
            result = table.result(die + drm, column)
            cases[result] += ways
            place[result] += ways * (die + column)
    return {result: cases[result] for result in sorted(cases, key=lambda result: place[result] / cases[result])}


def _shares(cases: Mapping[str, int]) -> str:
    """Return results with the share of the cases in which each comes."""
    every = sum(cases.values())
    return ", ".join(f"{result}\u00a0{round(100 * ways / every)}\u00a0%" for result, ways in cases.items())  # none breaks at a line's end


def _expected_losses(
    view: View, attackers: Sequence[UnitId], defending: Sequence[UnitId], cases: Mapping[str, int]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the mean steps lost by each side in hundredths: with as many points as possible paid by hexes, and with none."""
    have = [sum(losses.steps_left(view, unit) for unit in units) for units in (attackers, defending)]
    low, high = [0, 0], [0, 0]
    for written, ways in cases.items():
        result = read_result(written)
        points = [result.attacker, result.defender]
        for i, name in enumerate(("attacker", "defender")):
            worst = have[i] if result.eliminated == name else min(points[i], have[i])
            high[i] += ways * worst
            low[i] += 0 if result.retreat else ways * worst
    n = sum(cases.values())
    return (100 * low[0] // n, 100 * high[0] // n), (100 * low[1] // n, 100 * high[1] // n)

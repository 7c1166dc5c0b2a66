"""What draws a side where: what it wants to take, what it has to hold, and the enemies that somebody has to face.

An aim draws less when those who stand around it suffice for it. So a front comes about by itself: who is too many in one place is drawn to
where there are too few, and an open road to a city draws those of its holder as well as those who want it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
import numpy.typing as npt

from core.board import Hex
from core.rulesets.war_for_the_motherland import moscow, supply, victory, weather
from core.rulesets.war_for_the_motherland.bot import ground, shares
from core.rulesets.war_for_the_motherland.bot.worth_of_units import Standing, is_near_the_end, of_side, roster
from core.rulesets.war_for_the_motherland.terms import AXIS, BEGAN_AT, SOVIET, is_ea
from core.units import Side
from core.views import View

CITY, CITY_POINTS = 3.0, 8.0  # weight of a city: by itself, and points of victory that are worth another hex of way
ASSET_WEIGHT, SOURCE_WEIGHT, DEPOT_WEIGHT, ENEMY_WEIGHT, HUNGRY_WEIGHT = 3.0, 4.0, 5.0, 0.0, 3.0
DECISIVE = 12.0  # weight that Moscow gains for its holder as long as its fall may end the war
OFFENSIVE, LAST_OFFENSIVE = 14.0, 8.0  # hexes of way that aims gain in the eyes of a side that is strong enough to attack; near the end
THREATENED = 4.0  # weight that a city to be held gains when the enemy is before it
MENACE = (6, 15)  # hexes: enemies so near call for all to come to where the war may be decided, and those so far for nobody
CALLED = 5  # hexes around that place in which troops are called for
ALARM = (5, 18)  # hexes: enemies so near to what is to be held threaten it fully, and those so far not at all
HELD = (3, 9)  # hexes: own units so near to an aim see to it fully, and those so far not at all
CROWDED, MOST_CROWDED = 9.0, 2.0  # hexes of way that an aim loses when those around it suffice; so many times at most
LONE, NEAR_LINES = 0.5, 2  # how much sooner those around an enemy off the lines suffice in a drive; hexes from lines where he is not
LEAST_NEED = 12.0  # strength that it takes to go for what no enemy is near to
GARRISON_NEED = 4.0  # the same to hold something
BOLD = 0.6  # share of the weight of what is to be held that a side disregards while it attacks with all its might
FEEDERS, FEEDER_WEIGHT = ("supply_depot", "headquarters"), 4.0  # what feeds others, and its weight
MOST_CUT_WEIGHT = 6.0  # weight of a hex in which a line is cut, at most
LINE_WORTH = 3.0  # enemy lines that feed less are not aimed at

Ways = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.float64]


class Aim(msgspec.Struct, frozen=True, order=True):
    """A hex that a side wants to take, or to hold, with its weight in hexes of way."""

    here: Hex
    weight: float
    hold: bool


# -------------------------------------------------------------------- the pull of all aims


def pull(view: View, side: Side) -> list[float]:
    """Return for each hex how strongly it draws a side: the best of all aims less the way to it."""
    return pulls(view, side)[0]


def draw(view: View, side: Side) -> list[float]:
    """Return for each hex how strongly what a side wants to take draws it, as `pull` does without what is to be held.

    What feeds the troops follows it: it is to be guarded itself, and would be drawn to where it stands.
    """
    return pulls(view, side)[1]


def pulls(view: View, side: Side) -> tuple[list[float], list[float], list[float]]:
    """Return `pull`, `draw`, and the same of what is to be held alone, for less than one after the other."""
    wanted = aims(view, side)
    losses = tuple((CROWDED * np.array(_crowds(view, side, wanted)) + np.array(_prices(view, side, wanted))).tolist())
    of = (wanted, losses, weather.is_snow(view))
    return view.derived.keep(("bot pull", side), of, lambda: _make_pulls(view, side, wanted, losses))


def _prices(view: View, side: Side, wanted: tuple[Aim, ...]) -> tuple[float, ...]:
    """Return for each aim the hexes of way that it loses, or gains, in a drive, so that each city draws its share of the troops."""
    drive = ground.drive(view, side)
    if not drive:
        return (0.0,) * len(wanted)
    starts = tuple((_start(view, one), max(one.attack, one.defence)) for one in of_side(view, side) if one.attack)
    of = (wanted, starts, drive, weather.is_snow(view))
    return view.derived.keep(("bot prices", side), of, lambda: _make_prices(view, side, wanted, starts, drive))


def _start(view: View, one: Standing) -> Hex:
    """Return where a unit began the phase: shares stay as they are while it lasts."""
    began = view.position.mark(one.unit, BEGAN_AT)
    return Hex(began - 1) if began else one.here


def _make_prices(
    view: View, side: Side, wanted: tuple[Aim, ...], starts: tuple[tuple[Hex, float], ...], drive: float
) -> tuple[float, ...]:
    found = np.zeros(len(wanted))
    some = [number for number, aim in enumerate(wanted) if not aim.hold and aim.here in cities(view)]
    if some and starts:
        ways = np.minimum(_ways(view, side, wanted)[np.ix_(some, [here for here, _ in starts])].astype(np.float64), 4.0 * ground.FAR)
        draws = np.array([wanted[number].weight for number in some])[:, None] - ways
        worths = np.array([prizes(view)[wanted[number].here] for number in some])
        found[some] = np.round(drive * shares.prices(draws, worths, np.array([strength for _, strength in starts])))
    return tuple(found.tolist())


def cities(view: View) -> frozenset[Hex]:
    """Return the cities that count for victory."""
    return view.derived.get("bot cities", (), lambda: frozenset(_cities(view)))


def _cities(view: View) -> Iterator[Hex]:
    return (view.board.hex(label) for label in victory.conditions(view).cities if view.board.has(label))


def _make_pulls(
    view: View, side: Side, wanted: tuple[Aim, ...], losses: tuple[float, ...]
) -> tuple[list[float], list[float], list[float]]:
    weights = (np.array([aim.weight for aim in wanted]) - np.array(losses)).astype(np.float32)[:, None]
    ways, held = _ways(view, side, wanted), np.array([aim.hold for aim in wanted], dtype=bool)
    taking = (weights[~held] - ways[~held]).max(axis=0, initial=-3.0 * ground.FAR)
    holding = (weights[held] - ways[held]).max(axis=0, initial=-ground.FAR)
    return np.maximum(taking, holding).tolist(), taking.tolist(), holding.tolist()


def _ways(view: View, side: Side, wanted: tuple[Aim, ...]) -> Ways:
    """Return a row of ways for each aim."""
    hexes = tuple(aim.here for aim in wanted)
    return view.derived.keep(("bot ways", side), (hexes, weather.is_snow(view)), lambda: _make_ways(view, hexes))


def _make_ways(view: View, hexes: tuple[Hex, ...]) -> Ways:
    return np.vstack([np.zeros((0, view.board.size), dtype=np.float32), *(ground.away(view, here) for here in hexes)])


def _crowds(view: View, side: Side, wanted: tuple[Aim, ...]) -> tuple[float, ...]:
    """Return for each aim how well those around it suffice for it, in quarters; a side that has more than enough of all asks for more."""
    own = [one for one in of_side(view, side) if one.attack]
    near = _share(_ways(view, side, wanted)[:, [one.here for one in own]], *HELD)
    strengths = _strengths(own)
    plenty = max(1.0, float(strengths.sum()) / max(1.0, float(_strengths(_fighters(view, side)).sum())))
    spare = np.where(_passed_by(view, side, wanted), plenty ** (1.0 - LONE * ground.drive(view, side)), plenty)
    crowds = near @ strengths / _needs(view, side, wanted) / spare
    return tuple(np.minimum(MOST_CROWDED, np.floor(4 * crowds) / 4).tolist())


def _passed_by(view: View, side: Side, wanted: tuple[Aim, ...]) -> npt.NDArray[np.bool_]:
    """Say of each aim whether a drive goes on past it: an enemy who is neither in a prize nor by the lines that feed the side."""
    if not cities(view) or not ground.drive(view, side):
        return np.zeros(len(wanted), dtype=bool)
    met = prizes(view).keys() | _along_lines(view, side)
    return np.array([not aim.hold and aim.here not in met for aim in wanted], dtype=bool)


def _along_lines(view: View, side: Side) -> frozenset[Hex]:
    """Return the hexes near the lines on which most of a side's troops hang."""
    on = tuple(sorted(here for here, worth in ground.lifelines(view, side).items() if worth >= 2 * LINE_WORTH))
    return view.derived.keep(("bot along lines", side), (on,), lambda: _around_all(view, on))


def _around_all(view: View, hexes: tuple[Hex, ...]) -> frozenset[Hex]:
    return frozenset(there for here in hexes for there in view.board.within(here, NEAR_LINES))


def _needs(view: View, side: Side, wanted: tuple[Aim, ...]) -> Numbers:
    """Return the strength that each aim takes: against those around it, and if it is to be held, those who can come to it."""
    return view.derived.keep(("bot needs", side), (*ground.of_enemy(view, side), wanted), lambda: _make_needs(view, side, wanted))


def _make_needs(view: View, side: Side, wanted: tuple[Aim, ...]) -> Numbers:
    foes = _fighters(view, side)
    ways = _ways(view, side, wanted)[:, [one.here for one in foes]]
    held = np.array([aim.hold for aim in wanted], dtype=bool)[:, None]
    near = np.where(held, _share(ways, *ALARM), _share(ways, *HELD))
    found: Numbers = np.where(held[:, 0], GARRISON_NEED, LEAST_NEED) + near @ _strengths(foes)
    return found


def _fighters(view: View, side: Side) -> list[Standing]:
    """Return the enemies of a side that fight."""
    return [one for one in ground.enemies(view, side) if one.attack]


def _strengths(some: list[Standing]) -> Numbers:
    return np.array([max(one.attack, one.defence) for one in some])


def _share(ways: Ways, near: int, far: int) -> Numbers:
    """Return what counts of units by their ways: all of those that are near, nothing of those that are far."""
    return np.clip((far - ways.astype(np.float64)) / (far - near), 0.0, 1.0)


# -------------------------------------------------------------------- the aims


def aims(view: View, side: Side) -> tuple[Aim, ...]:
    """Return what a side wants to take, has to hold, and has to face."""
    control = tuple(sorted(view.position.control.items()))
    routes = ground.enemy_lines(view, side) if is_near_the_end(view) else {}  # before that `posts` looks at them where they are in reach
    eager = round(ground.posture(view, side), 1)
    of = (*ground.of_enemy(view, side), control, _hungry(view, side), eager, routes, _feeders(view, side), _cuts(view, side))
    return view.derived.keep(("bot aims", side), of, lambda: _aims(view, side, eager, routes))


def _aims(view: View, side: Side, posture: float, routes: dict[Hex, float]) -> tuple[Aim, ...]:
    eager = (LAST_OFFENSIVE if is_near_the_end(view) else OFFENSIVE) * posture
    near = ground.gap(view, side)
    found: dict[Hex, Aim] = {}

    def add(here: Hex, weight: float, *, hold: bool = False) -> None:
        if here not in found or found[here].weight < weight:
            found[here] = Aim(here, weight, hold)

    def guard(here: Hex, weight: float) -> None:
        if near[here] < ALARM[1]:
            add(here, (weight + THREATENED) * (1.0 - BOLD * posture) * (ALARM[1] - near[here]) / ALARM[1], hold=True)

    for here, weight in prizes(view).items():
        if holder(view, here) != side:
            add(here, weight * posture + eager)
        else:
            guard(here, held(view, here, weight))
    for here in _feeders(view, side):
        guard(here, FEEDER_WEIGHT)
    for here in _capitals(view, side):
        guard(here, SOURCE_WEIGHT)
    for here, worth in _cuts(view, side):
        add(here, min(MOST_CUT_WEIGHT, worth / 5) + eager)
    for one in ground.enemies(view, side):
        service = one.kind.kind in supply.SERVICE or is_ea(one.kind)
        add(one.here, (DEPOT_WEIGHT if service else ENEMY_WEIGHT) + eager)
    for here, worth in routes.items():
        if worth >= LINE_WORTH:
            add(here, min(4.0, worth / 5) + eager)
    for here in _hungry(view, side):
        add(here, HUNGRY_WEIGHT + eager)
    return tuple(sorted(found.values()))


def _feeders(view: View, side: Side) -> tuple[Hex, ...]:
    """Return the hexes of what feeds the troops of a side, to be guarded: its depots and headquarters."""
    return tuple(sorted({one.here for one in of_side(view, side) if one.kind.kind in FEEDERS}))


def _capitals(view: View, side: Side) -> tuple[Hex, ...]:
    """Return the capitals of a side's nations that it holds."""
    held = (user for user in supply.CAPITALS if supply.side_of(user) == side and not supply.capital_lost(view, user))
    return tuple(view.board.hex(supply.CAPITALS[user]) for user in held if view.board.has(supply.CAPITALS[user]))


def _cuts(view: View, side: Side) -> tuple[tuple[Hex, float], ...]:
    """Return the hexes in which lines of a side are cut, to be opened again, each with the value that hangs on it."""
    found = ground.mends(view, side)
    return tuple(sorted((here, float(round(worth))) for here, worth in found.items() if worth >= LINE_WORTH))


def _hungry(view: View, side: Side) -> tuple[Hex, ...]:
    """Return the hexes of own units that were judged without supply, to be relieved."""
    marked = view.position.unit_marks.get("out_of_supply", {})
    return tuple(sorted({one.here for one in of_side(view, side) if one.unit in marked}))


# -------------------------------------------------------------------- prizes


def prizes(view: View) -> dict[Hex, float]:
    """Return the hexes that count for both sides: cities of the scenario, economic assets, the sources of supply."""
    assets = tuple(sorted((one.here, one.kind.kind) for one in roster(view) if is_ea(one.kind)))
    return view.derived.keep("bot prizes", (assets,), lambda: _prizes(view, assets))


def _prizes(view: View, assets: tuple[tuple[Hex, str], ...]) -> dict[Hex, float]:
    board, rules, count = view.board, view.setting.scenario.rules, victory.conditions(view)
    found = {board.hex(label): CITY + points / CITY_POINTS for label, points in count.cities.items() if board.has(label)}
    for here, kind in assets:
        points = count.assets.get(kind, count.assets.get("other", 0))
        found[here] = found.get(here, 0.0) + ASSET_WEIGHT + points / CITY_POINTS
    for label in (*rules.get("axis_sources", ()), *rules.get("soviet_sources", ()), supply.MOSCOW):
        if board.has(label):
            found.setdefault(board.hex(label), SOURCE_WEIGHT)
    return found


def held(view: View, here: Hex, weight: float) -> float:
    """Return the weight of a prize for its holder: of Moscow more, as long as its fall may end the war (19.43)."""
    return weight + DECISIVE if is_decisive(view, here) else weight


def is_decisive(view: View, here: Hex) -> bool:
    """Say whether the fall of a prize may end the war (19.43)."""
    return moscow.is_moscow(view, here) and moscow.is_open(view)


def menaced(view: View, side: Side, here: Hex) -> float:
    """Return how near enemies are to a place, from 0 for far to 1 for before it."""
    near, far = MENACE
    return min(1.0, max(0.0, (far - ground.gap(view, side)[here]) / (far - near)))


def called(view: View, side: Side, here: Hex) -> float:
    """Return how much troops are called for to a hex, from 0 to 1: by a menaced place near to it whose fall may end the war."""
    if side != SOVIET or not moscow.is_open(view):
        return 0.0
    place = view.board.hex(supply.MOSCOW)
    return menaced(view, side, place) * max(0.0, 1.0 - view.board.distance(here, place) / CALLED)


def holder(view: View, here: Hex) -> Side:
    """Return who holds a prize: who controls it, else whose land it is."""
    held = view.position.control.get(here)
    if held:
        return held
    if view.board.label(here) in view.setting.scenario.rules.get("axis_sources", ()):
        return AXIS
    return SOVIET

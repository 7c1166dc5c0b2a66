"""Options are exact in every decision of sections 12 to 14, over random positions: what is offered is accepted, and nothing else is."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from core.bots.random_bot import order_of
from core.flow import Step
from core.game import decide
from core.options import options, refusal
from core.orders import OptionPick, Order, Picks
from core.rulesets import load
from core.rulesets.war_for_the_motherland.administration import BeginAdministration
from core.rulesets.war_for_the_motherland.arrivals import KeepRailroads, PlaceReinforcements
from core.rulesets.war_for_the_motherland.conversion import AskConversions
from core.rulesets.war_for_the_motherland.economy import AskEvacuation, ProduceOsg
from core.rulesets.war_for_the_motherland.organization import AskOrganization
from core.rulesets.war_for_the_motherland.rebuilding import AskArmyBreakdown, AskRebuilding, Incorporate
from core.rulesets.war_for_the_motherland.terms import AXIS_SUPPLIED, RUMANIAN_SUPPLIED, SOVIET_SUPPLIED
from core.rulesets.war_for_the_motherland.withdrawals import WithdrawAirbase
from core.trials.properties import accepted_is_offered, every_walk, offered_is_accepted
from core.trials.table import PlainBoard, Table
from core.views import View
from tests.packs import PLAIN, pack_of
from tests.rules.war_for_the_motherland.moments import RandomDice, mark_hexes, run, waits_for

FIELD = [f"{line}{column:02}" for line in range(16, 20) for column in range(1, 11)]
GERMANS = ("ger_panzer_corps", "ger_infantry_corps", "ger_mountain_corps", "ger_panzer_kg", "ger_infantry_kg", "ger_mountain_kg")
OTHER_AXIS = (
    "ger_airbase",
    "ger_panzer_division",
    "rum_infantry_corps",
    "ita_army",
    "ger_airbase",
    "axis_depot_normal",
    "rum_headquarters",
)
ARMIES = ("sov_infantry_army", "sov_guard_army", "sov_tank_army", "sov_siberian_army")
CORPS = ("sov_infantry_corps", "sov_mechanized_corps", "sov_airborne_corps", "sov_marine_corps", "sov_headquarters", "sov_factory")
CHITS = {"C": "C 3-5/2-3", "B": "B 5-6/3-4", "A": "A 7-5/4-3"}
BOXES = ("conversion_waiting", "converted", "broken_down", "track", "arrivals", "paratroop_waiting", "destroyed_ea")
OPTIONS = {"army_breakdown": True, "security_divisions": True}


def small_table() -> Table:
    """A table of forty hexes with a railroad, so small that most orders can be enumerated."""
    board = PlainBoard(PLAIN, lines=(16, 19), positions=(1, 10))
    board.rail(*FIELD[:10])
    rules = {"axis_sources": ["1910"], "soviet_sources": ["1601"], "skipped": [], "preset_markers": []}
    more = {"osg_production": True, "guard_and_shock_on_map": False}
    return Table(
        load("war_for_the_motherland"), pack_of("war_for_the_motherland"), "turning_point", board=board, rules=rules | more, options=OPTIONS
    )


def scatter(table: Table, rng: random.Random) -> None:
    """Put counters of all kinds into random hexes and boxes with random steps, marks and markers; sides keep to their own hexes."""
    border = rng.randrange(3, 9)
    soviet = [label for label in FIELD if int(label[2:]) < border]
    here = {"soviet": rng.sample(soviet, min(8, len(soviet))), "axis": rng.sample([label for label in FIELD if label not in soviet], 6)}
    for kind in rng.choices((*GERMANS, *GERMANS, *OTHER_AXIS, *ARMIES, *CORPS, *CORPS), k=24):
        put(table, rng, kind, rng.choice(here[table.setting.types[kind].side]))
    for box in BOXES:
        for kind in rng.choices((*GERMANS[:3], *ARMIES, "sov_shock_army", "sov_airborne_corps", "sov_headquarters", "sov_osg"), k=2):
            put(table, rng, kind, box)
    for mark in (AXIS_SUPPLIED, RUMANIAN_SUPPLIED, SOVIET_SUPPLIED):
        mark_hexes(table, mark, *rng.sample(FIELD, 25))


def put(table: Table, rng: random.Random, kind: str, at: str) -> None:
    type = table.setting.types[kind]
    chit = CHITS[type.cup] if type.cup and at in FIELD and rng.random() < 0.6 else ""
    own = max(len(type.faces), 2 if type.cup else 1)  # steps that the counter itself has
    steps = type.steps - rng.randrange(own) if at in FIELD and (chit or (type.faces and type.steps > 1)) else type.steps
    marks = {mark: 1 for mark in ("out_of_supply", "lack_of_supply", "organized") if rng.random() < 0.1}
    if at in ("track", "arrivals") and rng.random() < 0.6:
        marks = {"due": table.position.turn + rng.randrange(4)}
    table.place(kind, at, steps=steps, chit=chit, **(marks if at in FIELD or "due" in marks else {}))


def random_order(view: View, rng: random.Random) -> Order:
    """Return an order that is offered; an end only when nothing else is."""
    walk: Picks = ()
    while True:
        offered = options(view, walk)
        picks = offered.picks
        if offered.complete and (not picks or rng.random() < 0.5):
            return order_of(view, walk)
        rich = [pick for pick in picks if not (isinstance(pick, OptionPick) and pick.option.startswith(("end_", "keep_")))]
        walk = (*walk, rng.choice(rich or picks))


def pairs_are_exact(view: View) -> None:
    """Of all pairs of Soviet units, whole hexes apart or not, those that are offered for incorporation are accepted and no others."""
    decision = view.decision()
    if decision is None or "incorporate" not in decision.orders:
        return
    soviets = [unit.id for unit in view.position.on_map() if view.types[unit.type].side == "soviet"]
    accepted = {pair for pair in combinations(soviets, 2) if refusal(view, Incorporate(pair)) is None}
    open_ = OptionPick("incorporate") in options(view).picks
    assert accepted == ({order_of(view, walk).units for walk in every_walk(view, "incorporate")} if open_ else set())  # type: ignore[attr-defined]


def play_out(table: Table, rng: random.Random, most: int) -> list[str]:
    """Hold each decision to its promises and answer it at random, *most* decisions or until nothing is asked; return what was asked."""
    asked: list[str] = []
    while waits_for(table) and len(asked) < most:
        asked.append(waits_for(table))
        offered_is_accepted(table.view, rng)
        accepted_is_offered(table.view, rng)
        pairs_are_exact(table.view)
        decided = decide(table.view, table.view.side_to_act(), random_order(table.view, rng), RandomDice(rng))
        table.view = View(table.setting, decided.position, derived=decided.derived)
    return asked


MOMENTS: dict[str, tuple[int, tuple[Step, ...]]] = {
    "axis reinforcements": (13, (KeepRailroads(), PlaceReinforcements(side="axis"))),
    "soviet reinforcements": (23, (KeepRailroads(), PlaceReinforcements(side="soviet"))),
    "organization": (13, (AskOrganization(),)),
    "organization in mud": (12, (AskOrganization(),)),
    "conversion": (12, (AskConversions(),)),
    "rebuilding": (13, (AskRebuilding(),)),
    "army breakdown": (14, (AskArmyBreakdown(),)),
    "production and evacuation": (14, (BeginAdministration(), ProduceOsg(), AskEvacuation())),
    "withdrawal": (31, (WithdrawAirbase(),)),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_options_are_exact_over_random_positions(moment: str) -> None:
    asked: list[str] = []
    turn, steps = MOMENTS[moment]
    for seed in range(60):
        rng = random.Random(f"{moment} {seed}")
        table = small_table()
        scatter(table, rng)
        run(table, turn, *steps)
        try:
            asked += play_out(table, rng, 4)
        except Exception as error:
            error.add_note(f"{moment}, seed {seed}")
            raise
        if len(asked) >= 12:
            return
    assert len(asked) >= 6, f"only {len(asked)} questions were asked"

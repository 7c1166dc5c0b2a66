"""The game of ambushes.

1. Each side deploys counters from its secret camp, face down, into its two lines of the map; then each writes down a secret plan.
2. In a side's phase its stacks march a hex, lay mines, draw and play cards, and strike stacks beside them.
3. The top counter of a stack is turned up when an enemy comes beside it; in a strike all of both stacks. At the beginning of a side's phase
   its counters that stand beside no enemy are turned down again.
4. A strike adds the strengths of one stack, a die, the plan (bold: 1) and a card (1); more than the defender's strength costs a step.
5. Whoever marches onto a mine of the enemy loses a step there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from core.board import OUT, Hex
from core.errors import Refused
from core.events import (
    Concealed,
    CupFilled,
    Event,
    Explained,
    FramePopped,
    FramePushed,
    GameEnded,
    Line,
    Marked,
    MarksCleared,
    Moved,
    Part,
    PhaseBegan,
    Placed,
    PlaceMarked,
    PlaceUnmarked,
    Removed,
    Returned,
    Revealed,
    StepsChanged,
    TrackSet,
)
from core.flow import Decision, Step
from core.game import Game
from core.hidden import Secrets
from core.options import Door, Offer, offer
from core.orders import HexPick, OneHex, OneOption, OneUnit, OptionPick, Order, UnitPick, UnitSet
from core.pack import Pack
from core.position import Outcome
from core.ruleset import CounterLook, Registry, Ruleset, Vocabulary
from core.setting import Setting
from core.text import Text, text
from core.units import Side, UnitId
from core.views import View

RULES = Registry()
SIDES = ("red", "blue")
KINDS = {"guard": 3, "scout": 1, "dummy": 0}
CARDS = {"rush": 6, "fog": 6}
MINES = 2
PLANS = ("bold", "wary")
SECRETS = Secrets(
    stacks=True,
    boxes={f"{side}_camp": side for side in SIDES},
    unit_marks=frozenset({"moved"}),
    place_marks={f"{side}_mine": side for side in SIDES},
    tracks={f"{side}_{what}": side for side in SIDES for what in ("plan", "mines")},
    chits=frozenset({"deck"}),
)


class Deploying(Decision, frozen=True, kw_only=True):
    orders: ClassVar[tuple[str, ...]] = ("deploy", "end_phase")
    rule: ClassVar[str] = "1"


class Planning(Decision, frozen=True, kw_only=True):
    orders: ClassVar[tuple[str, ...]] = ("plan",)
    rule: ClassVar[str] = "1"


class Acting(Decision, frozen=True, kw_only=True):
    orders: ClassVar[tuple[str, ...]] = ("march", "strike", "lay", "draw", "play", "end_phase")
    rule: ClassVar[str] = "2"


class Paying(Decision, frozen=True, kw_only=True):
    orders: ClassVar[tuple[str, ...]] = ("pay",)
    rule: ClassVar[str] = "4"
    hex: int


class Next(Step, frozen=True, kw_only=True):
    turn: int
    side: Side


class Deploy(Order, frozen=True, tag="deploy"):
    unit: OneUnit = None
    hex: OneHex = None


class Plan(Order, frozen=True, tag="plan"):
    plan: OneOption = None


class March(Order, frozen=True, tag="march"):
    units: UnitSet = ()
    hex: OneHex = None


class Strike(Order, frozen=True, tag="strike"):
    unit: OneUnit = None
    hex: OneHex = None


class Lay(Order, frozen=True, tag="lay"):
    hex: OneHex = None


class Draw(Order, frozen=True, tag="draw"):
    pass


class PlayCard(Order, frozen=True, tag="play"):
    pass


class End(Order, frozen=True, tag="end_phase"):
    pass


class PayStep(Order, frozen=True, tag="pay"):
    unit: OneUnit = None


for _decision, _words in (
    (Deploying, "{side} deploys"),
    (Planning, "{side} plans"),
    (Acting, "{side} acts"),
    (Paying, "{side} loses a step"),
):
    RULES.decision(lambda view, decision, words=_words: text(words, side=decision.side))(_decision)


# -------------------------------------------------------------------- what may be done


def fighters(view: View, side: Side) -> list[UnitId]:
    """Return a side's counters on the map that are no staff and have not moved."""
    here = [unit.id for unit in view.position.on_map() if unit.id >= 0 and view.side(unit.id) == side]
    return [unit for unit in here if not view.type(unit).cup and not view.position.mark(unit, "moved")]


def enemies_beside(view: View, here: Hex, side: Side) -> list[Hex]:
    return [there for there in view.board.adjacent[here] if view.side_at(there, view.other(side))]


def free(view: View, here: Hex, side: Side) -> list[Hex]:
    return [there for there in view.board.adjacent[here] if not view.side_at(there, view.other(side))]


def staffs(view: View, side: Side) -> list[UnitId]:
    """Return the staff of a side; none if it has paid a step."""
    return [unit.id for unit in view.position.on_map() if unit.id >= 0 and view.side(unit.id) == side and view.type(unit.id).cup]


def staff(view: View, side: Side) -> UnitId:
    (found,) = staffs(view, side)
    return found


def missing(what: str) -> Refused:
    return Refused("2", text("{what} is missing", what=what))


def compose_deploy(view: View, draft: Deploy) -> Offer:
    side = view.side_to_act()
    if draft.unit is None:
        return offer([Door(UnitPick(unit)) for unit in view.side_at(view.board.box(f"{side}_camp"), side)], unfinished=missing("a counter"))
    if draft.hex is None:
        lines = "12" if side == "red" else "45"
        zone = [Hex(here) for here, label in enumerate(view.board.labels) if label[2] in lines]
        return offer([Door(HexPick(here)) for here in zone], unfinished=missing("a hex"))
    return offer()


def compose_plan(view: View, draft: Plan) -> Offer:
    if draft.plan is None:
        return offer([Door(OptionPick(plan)) for plan in PLANS], unfinished=missing("a plan"))
    return offer()


def compose_march(view: View, draft: March) -> Offer:
    side = view.side_to_act()
    if draft.hex is not None:
        return offer()
    places = {view.unit(unit).place for unit in draft.units}
    doors: list[Door] = [
        Door(UnitPick(unit))
        for unit in fighters(view, side)
        if unit not in draft.units and (not places or view.unit(unit).place in places) and free(view, Hex(view.unit(unit).place), side)
    ]
    for place in places:
        doors += [Door(HexPick(there)) for there in free(view, Hex(place), side)]
    return offer(doors, unfinished=missing("a hex"))


def compose_strike(view: View, draft: Strike) -> Offer:
    side = view.side_to_act()
    if draft.unit is None:
        able = [unit for unit in fighters(view, side) if enemies_beside(view, Hex(view.unit(unit).place), side)]
        return offer([Door(UnitPick(unit)) for unit in able], unfinished=missing("a counter of the stack that strikes"))
    if draft.hex is None:
        targets = enemies_beside(view, Hex(view.unit(draft.unit).place), side)
        return offer([Door(HexPick(there)) for there in targets], unfinished=missing("a target"))
    return offer()


def compose_lay(view: View, draft: Lay) -> Offer:
    side = view.side_to_act()
    if not view.position.tracks[f"{side}_mines"]:
        return offer(unfinished=Refused("2", text("no mines are left")))
    if draft.hex is None:
        own = sorted({Hex(view.unit(unit).place) for unit in fighters(view, side)})
        return offer(
            [Door(HexPick(here)) for here in own if not view.position.place_mark(here, f"{side}_mine")], unfinished=missing("a hex")
        )
    return offer()


def compose_draw(view: View, draft: Draw) -> Offer:
    if not staffs(view, view.side_to_act()):
        return offer(unfinished=missing("the staff"))
    mine = staff(view, view.side_to_act())
    if mine in view.position.chits:
        return offer(unfinished=Refused("2", text("the staff holds a card already")))
    if view.position.mark(mine, "moved"):
        return offer(unfinished=Refused("2", text("the staff has drawn in this phase")))
    return offer()


def compose_play(view: View, draft: PlayCard) -> Offer:
    if not any(one in view.position.chits for one in staffs(view, view.side_to_act())):
        return offer(unfinished=Refused("2", text("the staff holds no card")))
    return offer()


def compose_pay(view: View, draft: PayStep) -> Offer:
    decision = view.decision()
    assert isinstance(decision, Paying)
    if draft.unit is None:
        return offer([Door(UnitPick(unit)) for unit in view.side_at(decision.hex, decision.side)], unfinished=missing("a counter"))
    return offer()


# -------------------------------------------------------------------- what happens


@RULES.order(Deploy, text("Deploy"), rule="1", compose=compose_deploy)
def take_deploy(game: Game, order: Deploy) -> Iterator[Event]:
    assert order.unit is not None
    assert order.hex is not None
    yield Moved((order.unit,), (order.hex,))


@RULES.order(Plan, text("Plan"), rule="1", compose=compose_plan)
def take_plan(game: Game, order: Plan) -> Iterator[Event]:
    assert order.plan is not None
    yield TrackSet(f"{game.side_to_act()}_plan", PLANS.index(order.plan))
    yield FramePopped()


@RULES.order(March, text("March"), rule="2", compose=compose_march)
def take_march(game: Game, order: March) -> Iterator[Event]:
    assert order.hex is not None
    side = game.side_to_act()
    mine = f"{game.other(side)}_mine"
    yield Moved(order.units, (order.hex,))
    yield Marked(order.units, "moved")
    yield from turn_up(game, order.hex, side)
    if game.position.place_mark(order.hex, mine):
        yield PlaceUnmarked((order.hex,), mine)
        yield Explained("mine", text("a mine in {hex}", hex=game.board.name(order.hex)))
        yield FramePushed(Paying(side=side, hex=order.hex).frame())


def turn_up(game: Game, here: Hex, side: Side) -> Iterator[Event]:
    """Turn the top counters up of a stack and of the enemy's stacks beside it."""
    beside = enemies_beside(game, here, side)
    for place, owner in ([(here, side)] if beside else []) + [(there, game.other(side)) for there in beside]:
        known = [unit for unit in game.side_at(place, owner) if unit not in game.hidden_at(place, owner)]
        if not known:
            yield Revealed(game.side_at(place, owner)[0])


@RULES.order(Strike, text("Strike"), rule="4", compose=compose_strike)
def take_strike(game: Game, order: Strike) -> Iterator[Event]:
    assert order.unit is not None
    assert order.hex is not None
    side, here = game.side_to_act(), Hex(game.unit(order.unit).place)
    other = game.other(side)
    for place, owner in ((here, side), (order.hex, other)):
        for unit in game.hidden_at(place, owner):
            yield Revealed(unit)
    yield Marked(tuple(unit for unit in game.side_at(here, side) if not game.type(unit).cup), "moved")
    force, defence = strength(game, here, side), strength(game, order.hex, other)
    roll = yield from game.roll("strike")
    bold = 1 - game.position.tracks[f"{side}_plan"]
    card = game.position.tracks.get(f"{side}_rush", 0)
    total = force + roll + bold + card
    parts = tuple(Part(str(value), "4", text(what)) for value, what in ((force, "stack"), (roll, "die"), (bold, "plan"), (card, "card")))
    yield Explained("strike", text("strike"), (Line("attack", str(total), parts), Line("defence", str(defence))))
    if total > defence + 3:
        yield FramePushed(Paying(side=other, hex=order.hex).frame())


def strength(game: Game, here: Hex, side: Side) -> int:
    return sum(game.type(unit).values["strength"] * game.unit(unit).steps for unit in game.side_at(here, side))


@RULES.order(Lay, text("Lay a mine"), rule="2", compose=compose_lay)
def take_lay(game: Game, order: Lay) -> Iterator[Event]:
    assert order.hex is not None
    side = game.side_to_act()
    yield PlaceMarked((order.hex,), f"{side}_mine")
    yield TrackSet(f"{side}_mines", game.position.tracks[f"{side}_mines"] - 1)


@RULES.order(Draw, text("Draw"), rule="2", compose=compose_draw)
def take_draw(game: Game, order: Draw) -> Iterator[Event]:
    side = game.side_to_act()
    yield from game.draw("deck", staff(game, side))
    yield Marked((staff(game, side),), "moved")
    yield Explained("draw", text("{side} draws a card", side=side))


@RULES.order(PlayCard, text("Play"), rule="2", compose=compose_play)
def take_play(game: Game, order: PlayCard) -> Iterator[Event]:
    side = game.side_to_act()
    card = game.position.chits[staff(game, side)]
    yield Returned(staff(game, side), "")
    yield Explained("play", text("{side} plays {card}", side=side, card=card))
    yield TrackSet(f"{side}_rush", int(card == "rush"))


@RULES.order(End, text("End"), rule="2", compose=lambda view, draft: offer())
def take_end(game: Game, order: End) -> Iterator[Event]:
    yield FramePopped()


@RULES.order(PayStep, text("Lose a step"), rule="4", compose=compose_pay)
def take_pay(game: Game, order: PayStep) -> Iterator[Event]:
    assert order.unit is not None
    yield FramePopped()
    steps = game.unit(order.unit).steps - 1
    yield StepsChanged(order.unit, steps)
    if steps <= 0:
        yield Revealed(order.unit)
        yield Removed(order.unit, "eliminated")


@RULES.step(Next)
def run_next(game: Game, step: Next) -> Iterator[Event]:
    yield MarksCleared(("moved",))
    if step.turn > game.setting.scenario.last_turn:
        score = dict(RULESET.score(game))
        winner = max(SIDES, key=lambda side: score[side]) if len(set(score.values())) > 1 else ""
        yield GameEnded(Outcome(winner, "most steps", score))
        return
    yield PhaseBegan(step.turn, step.side, step.side)
    yield TrackSet(f"{step.side}_rush", 0)
    yield from turn_down(game, step.side)
    after = Next(turn=step.turn, side="blue") if step.side == "red" else Next(turn=step.turn + 1, side="red")
    yield FramePushed(after.frame())
    yield FramePushed(Acting(side=step.side).frame())


def turn_down(game: Game, side: Side) -> Iterator[Event]:
    """Turn a side's counters down that stand beside no enemy."""
    known = [unit for unit in fighters(game, side) if unit not in game.position.hidden]
    alone = tuple(unit for unit in known if not enemies_beside(game, Hex(game.unit(unit).place), side))
    if alone:
        yield Concealed(alone)


class Ambush(Ruleset):
    def charts(self, pack: Pack) -> Any:
        return None

    def begin(self, game: Game) -> Iterator[Event]:
        yield TrackSet("turn", 1)
        for side in SIDES:
            yield TrackSet(f"{side}_mines", MINES)
        for card, count in CARDS.items():
            yield CupFilled("deck", card, count)
        for number, line in enumerate(game.setting.scenario.setup):
            kind = game.types[line.type]
            if not kind.cup:
                yield Concealed((UnitId(number),))
            yield Placed(UnitId(number), line.type, line.name, game.board.place(line.place), kind.steps)
        yield FramePushed(Next(turn=1, side="red").frame())
        for decision in (Planning, Deploying):
            for side in reversed(SIDES):
                yield FramePushed(decision(side=side).frame())

    def enter(self, game: Game, turn: int, phase: str) -> Iterator[Event]:
        yield FramePushed(Next(turn=turn, side=phase).frame())

    def vocabulary(self, setting: Setting) -> Vocabulary:
        tracks = {"turn"} | {f"{side}_{what}" for side in SIDES for what in ("plan", "mines", "rush")}
        return Vocabulary(frozenset({"moved"}), frozenset({f"{side}_mine" for side in SIDES}), frozenset(tracks), tuple(CARDS))

    def counter(self, view: View, unit: UnitId) -> CounterLook:
        return CounterLook(str(view.type(unit).values["strength"]), view.unit(unit).steps, 2)

    def phase_name(self, phase: str) -> Text:
        return text(phase or "deployment")

    def phases(self, view: View) -> tuple[tuple[str, Side], ...]:
        return tuple((side, side) for side in SIDES)

    def turn_name(self, view: View, turn: int) -> Text:
        return text("turn {turn}", turn=turn)

    def score(self, view: View) -> Mapping[str, int]:
        alive = [unit for unit in view.position.units.values() if unit.place != OUT]
        return {side: sum(unit.steps for unit in alive if view.types[unit.type].side == side) for side in SIDES}


RULESET = Ambush("ambush", version=1, registry=RULES, secrets=SECRETS)

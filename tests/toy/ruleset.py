"""The toy game: in a side's phase each of its pawns may go one hex, or strike a neighbour: 4 or more costs a step of the owner's choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from core.board import Hex
from core.errors import Refused
from core.events import (
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
    Removed,
    StepsChanged,
    TrackSet,
)
from core.flow import Decision, Step
from core.game import Game
from core.options import Door, Offer, offer
from core.orders import HexPick, OneHex, OneUnit, Order, UnitPick, UnitSet
from core.pack import Pack, setting
from core.position import Outcome
from core.ruleset import CounterLook, Registry, Ruleset, Vocabulary
from core.setting import Setting
from core.text import Text, text
from core.units import Side, UnitId
from core.views import View

RULES = Registry()
SIDES = ("red", "blue")


class Act(Decision, frozen=True, kw_only=True):
    orders: ClassVar[tuple[str, ...]] = ("go", "strike", "end")
    rule: ClassVar[str] = "2"


class Pay(Decision, frozen=True, kw_only=True):
    orders: ClassVar[tuple[str, ...]] = ("pay",)
    rule: ClassVar[str] = "4"
    hex: int


class Next(Step, frozen=True, kw_only=True):
    turn: int
    side: Side


class Go(Order, frozen=True, tag="go"):
    unit: OneUnit = None
    hex: OneHex = None


class Strike(Order, frozen=True, tag="strike"):
    units: UnitSet = ()
    hex: OneHex = None


class End(Order, frozen=True, tag="end"):
    pass


class PayStep(Order, frozen=True, tag="pay"):
    unit: OneUnit = None


RULES.decision(lambda view, decision: text("{side} acts", side=decision.side))(Act)
RULES.decision(lambda view, decision: text("{side} loses a step", side=decision.side))(Pay)


def fresh(view: View, side: Side) -> list[UnitId]:
    return [u.id for u in view.position.on_map() if view.side(u.id) == side and not view.position.mark(u.id, "acted")]


def free(view: View, unit: UnitId) -> list[Hex]:
    return [h for h in view.board.adjacent[view.unit(unit).place] if not view.position.at(h)]


def targets(view: View, units: tuple[UnitId, ...], side: Side) -> list[Hex]:
    near = [set(view.board.adjacent[view.unit(u).place]) for u in units]
    return sorted(h for h in set.intersection(*near) if view.side_at(h, view.other(side)))


def missing(what: str) -> Refused:
    return Refused("2", text("{what} is missing", what=what))


def compose_go(view: View, draft: Go) -> Offer:
    side = view.side_to_act()
    if draft.unit is None:
        doors = [Door(UnitPick(u), None if free(view, u) else Refused("3", text("no free hex"))) for u in fresh(view, side)]
        return offer(doors, unfinished=missing("a unit"))
    if draft.hex is None:
        return offer([Door(HexPick(h)) for h in free(view, draft.unit)], unfinished=missing("a hex"))
    return offer()


def compose_strike(view: View, draft: Strike) -> Offer:
    side = view.side_to_act()
    doors: list[Door] = []
    if draft.hex is not None:
        return offer()
    for unit in fresh(view, side):
        if unit not in draft.units and targets(view, (*draft.units, unit), side):
            doors.append(Door(UnitPick(unit)))
    if draft.units:
        doors += [Door(HexPick(h)) for h in targets(view, draft.units, side)]
    return offer(doors, unfinished=missing("a target"))


def compose_pay(view: View, draft: PayStep) -> Offer:
    decision = view.decision()
    assert isinstance(decision, Pay)
    if draft.unit is None:
        return offer([Door(UnitPick(u)) for u in view.side_at(decision.hex, decision.side)], unfinished=missing("a unit"))
    return offer()


@RULES.order(Go, text("Go"), rule="3", compose=compose_go)
def take_go(game: Game, order: Go) -> Iterator[Event]:
    assert order.unit is not None
    assert order.hex is not None
    yield Moved((order.unit,), (order.hex,))
    yield Marked((order.unit,), "acted")


@RULES.order(Strike, text("Strike"), rule="4", compose=compose_strike)
def take_strike(game: Game, order: Strike) -> Iterator[Event]:
    assert order.hex is not None
    yield Marked(order.units, "acted")
    roll = yield from game.roll("strike")
    total = roll + len(order.units) - 1
    part = Part(str(roll), "4", text("die"))
    yield Explained("strike", text("strike"), (Line("roll", str(total), (part,)),))
    if total >= 4:
        victim = game.other(game.side(order.units[0]))
        yield FramePushed(Pay(side=victim, hex=order.hex).frame())


@RULES.order(End, text("End"), rule="2", compose=lambda view, draft: offer())
def take_end(game: Game, order: End) -> Iterator[Event]:
    yield FramePopped()


@RULES.order(PayStep, text("Lose a step"), rule="4", compose=compose_pay)
def take_pay(game: Game, order: PayStep) -> Iterator[Event]:
    assert order.unit is not None
    yield FramePopped()
    steps = game.unit(order.unit).steps - 1
    yield StepsChanged(order.unit, steps)
    if not steps:
        yield Removed(order.unit, "eliminated")


@RULES.step(Next)
def run_next(game: Game, step: Next) -> Iterator[Event]:
    yield MarksCleared(("acted",))
    if step.turn > game.setting.scenario.last_turn:
        score = dict(RULESET.score(game))
        winner = max(SIDES, key=lambda side: score[side]) if len(set(score.values())) > 1 else ""
        yield GameEnded(Outcome(winner, "most steps", score))
        return
    yield PhaseBegan(step.turn, step.side, step.side)
    after = Next(turn=step.turn, side="blue") if step.side == "red" else Next(turn=step.turn + 1, side="red")
    yield FramePushed(after.frame())
    yield FramePushed(Act(side=step.side).frame())


class Toy(Ruleset):
    def charts(self, pack: Pack) -> Any:
        return None

    def begin(self, game: Game) -> Iterator[Event]:
        yield TrackSet("turn", 1)
        for number, line in enumerate(game.setting.scenario.setup):
            yield Placed(UnitId(number), line.type, line.name, game.board.place(line.place), 2)
        yield FramePushed(Next(turn=1, side="red").frame())

    def enter(self, game: Game, turn: int, phase: str) -> Iterator[Event]:
        yield FramePushed(Next(turn=turn, side=phase).frame())

    def vocabulary(self, setting: Setting) -> Vocabulary:
        return Vocabulary(frozenset({"acted"}), frozenset(), frozenset({"turn"}))

    def counter(self, view: View, unit: UnitId) -> CounterLook:
        return CounterLook("1-1-1", view.unit(unit).steps, 2)

    def phase_name(self, phase: str) -> Text:
        return text(phase)

    def phases(self, view: View) -> tuple[tuple[str, Side], ...]:
        return tuple((side, side) for side in SIDES)

    def turn_name(self, view: View, turn: int) -> Text:
        return text("turn {turn}", turn=turn)

    def score(self, view: View) -> Mapping[str, int]:
        return {side: sum(u.steps for u in view.position.on_map() if view.side(u.id) == side) for side in SIDES}


RULESET = Toy("toy", version=1, registry=RULES)

_PAWN = (
    'id = "{side}_pawn"\nside = "{side}"\nnation = "{side}"\nkind = "pawn"\nsize = "X"\nstacking = "one"\n'
    'name = "{side} pawn {{id}}"\nsteps = 2\n'
)


def toy_files() -> dict[str, bytes]:
    """Return the pack's files."""
    hexes = [f"T{line:02}{place:02},clear,,,,,," for line in range(1, 6) for place in range(1, 6)]
    setup = [[f"T{line:02}{place:02}", f"{side}_pawn", f"{place}"] for side, line in (("red", 2), ("blue", 3)) for place in (1, 3, 5)]
    nations = "".join(f'[[nation]]\nid = "{side}"\ntitle = "{side}"\nside = "{side}"\ncolour = "#808080"\n' for side in SIDES)
    texts = {
        "pack.toml": 'ruleset = "toy"\ntitle = "Toy"\nsides = ["red", "blue"]\n[side_titles]\nred = "Red"\nblue = "Blue"\n'
        '[side_colours]\nred = "#aa0000"\nblue = "#0000aa"\n' + nations,
        "units.toml": "".join("[[unit]]\n" + _PAWN.format(side=side) for side in SIDES),
        "scenarios/duel.toml": 'id = "duel"\ntitle = "Duel"\nrule = "1"\nsections = ["T"]\nfirst_turn = 1\nlast_turn = 3\n'
        'source = "rulebook"\n'
        f"setup = {setup}\n",
        "map/T/section.toml": 'letter = "T"\norientation = "pointy-top"\nline_grows = "south"\nposition_grows = "west"\nshift_even = 0.0\n'
        "shift_odd = 0.5\n",
        "map/T/hexes.csv": "hex,terrain,city,name,port,country,features,note\n" + "\n".join(hexes) + "\n",
        "map/T/hexsides.csv": "hex,other,kind,name,note\n",
        "map/T/rails.csv": "hex,other,line,opened,note\n",
        "map/T/names.csv": "kind,name,x,y,angle,size,note\n",
    }
    return {name: words.encode() for name, words in texts.items()}


def toy_setting() -> Setting:
    """Return the setting of a duel."""
    return setting(RULESET, Pack(toy_files()), "duel")

"""What a ruleset is made of, as server, client, bots and trials see it: nothing of it names a game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from core.board import Hex, Place
from core.errors import Refused
from core.events import Event, Line
from core.flow import Decision, Step
from core.hidden import NOTHING, Secrets
from core.options import Offer
from core.orders import OptionPick, Order, Picks, name_of
from core.text import Text, text
from core.units import Side, UnitId

if TYPE_CHECKING:
    from core.game import Game
    from core.pack import Pack, Scenario
    from core.setting import Setting
    from core.views import View

MOVEMENT_POINTS = text("{n:movement point|movement points}", n=0)


class Way(msgspec.Struct, frozen=True):
    """A hex that a draft can be completed to, the picks' path to it and what it costs, in quarter points.

    *warning* says what will have to be mended there later (a limit that is checked at the end of the phase). *barred* are the
    neighbours that a zone of control keeps the draft from entering next, whatever points it has. *budget_quarters* is what there is
    to pay the cost from, 0 where that is nothing or not the same for all that go.
    *counted* names what the cost is counted in, for *n* of them.
    """

    hex: Hex
    path: tuple[Hex, ...]
    cost_quarters: int
    warning: Text | None = None
    barred: tuple[Hex, ...] = ()
    budget_quarters: int = 0
    counted: Text = MOVEMENT_POINTS


Hurt = Literal["", "nobody", "attacker", "defender", "both"]


class Chance(msgspec.Struct, frozen=True):
    """One possible result of a draft, with its share of *of* equally likely cases.

    *hurt* is who pays for it, empty where the ruleset does not say.
    """

    result: str
    cases: int
    of: int
    meaning: Text
    hurt: Hurt = ""


class Preview(msgspec.Struct, frozen=True):
    """What an attack would be: its arithmetic and its results, before it is given. Never draws.

    *losses* are expected steps of (attacker, defender) as (low, high) in hundredths; they differ where a player chooses.
    """

    title: Text
    lines: tuple[Line, ...] = ()
    chances: tuple[Chance, ...] = ()
    losses: tuple[tuple[int, int], tuple[int, int]] | None = None


class CounterLook(msgspec.Struct, frozen=True):
    """How a counter shows at this moment.

    *values* is its bottom line (``"9-8-7"``); *badges* are words of a closed set: ``out_of_supply``, ``lack_of_supply``,
    ``moved``, ``attacked``, ``disrupted``; *done*: it can't act any more now.
    """

    values: str
    steps: int
    full_steps: int
    badges: tuple[str, ...] = ()
    done: bool = False


class Overlay(msgspec.Struct, frozen=True):
    """Something to lay over the map: hexes with a short label each (may be empty), lines from hex to hex, hexsides of a front.

    A hexside is (hex on the overlay's own side, the hex beyond).
    """

    title: Text
    hexes: dict[Hex, str] = {}
    lines: tuple[tuple[Hex, ...], ...] = ()
    front: tuple[tuple[Hex, Hex], ...] = ()


class Duty(msgspec.Struct, frozen=True):
    """What a side still must or can do in this phase; *must* holds an end of the phase back.

    *foreseen*: nothing that is left to do, but what comes of the phase's end as things stand; its text is a sentence.
    *order*: the order type that does it, empty where several do or none; who lists both tells of the duty alone.
    """

    text: Text
    rule: str
    must: bool = False
    places: tuple[Place, ...] = ()
    foreseen: bool = False
    order: str = ""


class Answer(msgspec.Struct, frozen=True):
    """One answer to "why?": words, their rule, the hexes they speak of, a line from hex to hex that shows it.

    *good* says whether it speaks for the unit or against it; None if neither.
    """

    text: Text
    rule: str = ""
    places: tuple[Hex, ...] = ()
    line: tuple[Hex, ...] = ()
    good: bool | None = None


class Row(msgspec.Struct, frozen=True):
    """One row of a sheet: what it is, its value (in words, if it is no number), the rule that it hangs on, where on the map it is."""

    label: Text
    value: str | Text = ""
    rule: str = ""
    places: tuple[Place, ...] = ()


class Sheet(msgspec.Struct, frozen=True):
    """A part of what lies beside the map: a track, a pool, what is due."""

    title: Text
    rows: tuple[Row, ...]


class RuleText(msgspec.Struct, frozen=True):
    """One rule of a rulebook in our words: its id (``8.42a``), a title, what must be so; *tags* say what it is about, with commas."""

    id: str
    title: str
    must: str
    tags: str = ""

    @property
    def printed(self) -> str:
        """Return the number that the rulebook prints: ``8.42`` of ``8.42a``."""
        return self.id.rstrip("abcdefghijklmnopqrstuvwxyz")


class Losses(msgspec.Struct, frozen=True):
    """Which words of `Removed` mean a loss, where all others only change what a unit is, or where it waits; and which dice bring one about.

    Attributes:
        whole: the unit is lost, with all its steps.
        weakened: another counter, placed next, bears what is left of it.
        rolled: purposes of dice that decide on one unit, whoever's order brought them on: they are its owner's.
    """

    whole: frozenset[str] = frozenset({"eliminated"})
    weakened: frozenset[str] = frozenset()
    rolled: frozenset[str] = frozenset()

    def are(self, why: str) -> bool:
        """Say whether a word means a loss.

        >>> Losses().are("eliminated"), Losses().are("converted")
        (True, False)
        """
        return why in self.whole or why in self.weakened


ELIMINATION = Losses()


class Vocabulary(msgspec.Struct, frozen=True):
    """Words that a position of a game may hold, for those who write positions down: marks, tracks, chits by their full names."""

    unit_marks: frozenset[str]
    place_marks: frozenset[str]
    tracks: frozenset[str]
    chits: tuple[str, ...] = ()


class Ahead(msgspec.Struct, frozen=True):
    """An answer that can be given before its decision comes up: one that needs to know nothing of the position.

    *side* is who is asked, empty for any side.
    """

    label: Text
    picks: Picks
    side: Side = ""

    @classmethod
    def of(cls, label: Text, order: str, *options: str, side: Side = "") -> Ahead:
        """Return the answer of an order type with named choices."""
        return cls(label, tuple(OptionPick(name) for name in (order, *options)), side)


Compose = Callable[[Any, Any], Offer]
Handle = Callable[[Any, Any], Iterator[Event]]


class OrderKind(msgspec.Struct, frozen=True):
    """An order type of a ruleset.

    *rule*: where the rulebook gives this order its moment, cited when it comes at another. *compose(view, draft)* answers the
    next picks; *handle(game, order)* yields the events. *reach(view, draft)* and *preview(view, draft)* are for showing.
    *declines*: it says no to a question, so that what it leaves undone is just what was asked; no end of a phase does.
    *nobody* tells why it is closed when every first pick is refused, else one counter's reason would be told: the first one whose rule
    refuses any of them, so that what the likeliest counters lack stands first. *absent(view)*: there is no such thing at this moment,
    and it isn't worth naming. *covers(view, draft)* are the hexes in range of what the draft places or moves, from where it would leave it.
    *together(view, order)* tells what keeps the units of a whole order apart, all of which the view knows. It is asked where the walk
    refuses one that it didn't offer: alone that one finds nobody, and the reason may be the other.
    """

    order: type[Order]
    label: Text
    rule: str
    compose: Compose
    handle: Handle
    reach: Callable[[Any, Any], tuple[Way, ...]] | None = None
    preview: Callable[[Any, Any], Preview | None] | None = None
    declines: bool = False
    nobody: tuple[Refused, ...] = ()
    absent: Callable[[Any], bool] | None = None
    covers: Callable[[Any, Any], frozenset[Hex]] | None = None
    together: Callable[[Any, Any], Refused | None] | None = None


class Registry:
    """Order types, decisions, steps and overlays of a ruleset; its modules fill it when they are imported."""

    def __init__(self) -> None:
        self.orders: dict[str, OrderKind] = {}
        self.decisions: dict[str, type[Decision]] = {}
        self.prompts: dict[str, Callable[[Any, Any], Text]] = {}
        self.titles: dict[str, Text] = {}
        self.ahead: dict[str, tuple[Ahead, ...]] = {}
        self.steps: dict[str, tuple[type[Step], Handle]] = {}
        self.overlays: dict[str, Callable[[View, Side], Overlay]] = {}

    def order(
        self,
        order: type[Order],
        label: Text,
        *,
        rule: str,
        compose: Compose,
        reach: Callable[[Any, Any], tuple[Way, ...]] | None = None,
        preview: Callable[[Any, Any], Preview | None] | None = None,
        declines: bool = False,
        nobody: tuple[Refused, ...] = (),
        absent: Callable[[Any], bool] | None = None,
        covers: Callable[[Any, Any], frozenset[Hex]] | None = None,
        together: Callable[[Any, Any], Refused | None] | None = None,
    ) -> Callable[[Handle], Handle]:
        """Register the handler of an order type."""

        def register(handle: Handle) -> Handle:
            name = name_of(order)
            assert name not in self.orders, f"order {name} twice"
            shown = (reach, preview, declines, nobody, absent, covers, together)
            self.orders[name] = OrderKind(order, label, rule, compose, handle, *shown)
            return handle

        return register

    def decision(
        self, prompt: Callable[[Any, Any], Text], *, title: Text | None = None, ahead: tuple[Ahead, ...] = ()
    ) -> Callable[[type[Decision]], type[Decision]]:
        """Register a decision with the words that ask for it: ``prompt(view, decision)``.

        *title* is what it is called when it is not open; *ahead* are answers to it that can be given then.
        """

        def register(decision: type[Decision]) -> type[Decision]:
            """Keep a decision's words, title and answers ahead by its name; an answer ahead must be one of its orders."""
            name = decision.__name__
            assert {answer.picks[0] for answer in ahead} <= {*map(OptionPick, decision.orders)}, f"{name} is answered so"
            self.decisions[name] = decision
            self.prompts[name] = prompt
            self.titles[name] = title if title is not None else Text(name)
            if ahead:
                self.ahead[name] = ahead
            return decision

        return register

    def step(self, step: type[Step]) -> Callable[[Handle], Handle]:
        """Register the function that runs a step: ``run(game, step)``, after its frame was popped."""

        def register(run: Handle) -> Handle:
            self.steps[step.__name__] = (step, run)
            return run

        return register

    def overlay(self, name: str) -> Callable[[Callable[[View, Side], Overlay]], Callable[[View, Side], Overlay]]:
        """Register something to lay over the map, made for one side: ``make(view, side)``."""

        def register(make: Callable[[View, Side], Overlay]) -> Callable[[View, Side], Overlay]:
            self.overlays[name] = make
            return make

        return register


class Ruleset(ABC):
    """A game's rules, and the questions that others ask of it; a game's package overrides the methods.

    Args:
        id: name of the package under `core.rulesets`, and of the folder under ``scenarios``.
        version: grows when a rule is decided otherwise than before.
        registry: what the package's modules registered.
        secrets: what only one side may see; nothing, if it isn't said.
        losses: by which words of `Removed` units are lost.
    """

    def __init__(
        self, id: str, *, version: int, registry: Registry, secrets: Secrets = NOTHING, losses: Losses = ELIMINATION
    ) -> None:
        self.id = id
        self.version = version
        self.secrets = secrets
        self.losses = losses
        self.orders = registry.orders
        self.decisions = registry.decisions
        self.prompts = registry.prompts
        self.titles = registry.titles
        self.ahead = registry.ahead
        self.steps = registry.steps
        self.overlays = registry.overlays

    @abstractmethod
    def charts(self, pack: Pack) -> Any:
        """Return the pack's charts as the ruleset types them.

        Raises:
            BadInput: a chart is missing or faulty.
        """

    def check_scenario(self, pack: Pack, scenario: Scenario) -> None:
        """Check what only the ruleset can know of a scenario.

        Raises:
            BadInput: with all faults.
        """
        del pack, scenario  # a game without words of its own has nothing to check

    def check_set_up(self, pack: Pack, chosen: Setting, *, whole: bool = True) -> None:
        """Check how a scenario begins: who stands where, and who lives. Slower than `check_scenario`: for those who make packs.

        Args:
            whole: False if something of the set-up is left out because it is at fault: then nothing is said of what may hang on that.

        Raises:
            BadInput: with all faults.
        """
        del pack, chosen, whole  # a game that knows no faulty beginning

    def scenario_with(self, scenario: Scenario, options: Mapping[str, bool | int | str]) -> Scenario:
        """Return a scenario as the chosen options change it, such as one that leaves out a part of the map."""
        return scenario

    @abstractmethod
    def begin(self, game: Game) -> Iterator[Event]:
        """Set the scenario up and push the first frames."""

    @abstractmethod
    def enter(self, game: Game, turn: int, phase: str) -> Iterator[Event]:
        """Push the frames that begin a phase of a turn, as if the turn had run up to it; for case files."""

    @abstractmethod
    def vocabulary(self, setting: Setting) -> Vocabulary:
        """Return the marks, tracks and chits that there are; for case files."""

    @abstractmethod
    def counter(self, view: View, unit: UnitId) -> CounterLook:
        """Return how a counter shows."""

    @abstractmethod
    def phase_name(self, phase: str) -> Text:
        """Return a phase's name for people."""

    @abstractmethod
    def phases(self, view: View) -> tuple[tuple[str, Side], ...]:
        """Return the phases of the running turn in order, each with its phasing side (empty: both)."""

    @abstractmethod
    def turn_name(self, view: View, turn: int) -> Text:
        """Return a turn's name for people: date and weather."""

    def weather(self, view: View, turn: int) -> str:
        """Return the weather of a turn: ``clear``, ``mud``, ``snow``; for tints."""
        return "clear"

    @abstractmethod
    def score(self, view: View) -> Mapping[str, int]:
        """Return the victory points as they would count now, by side."""

    def figures(self, view: View) -> Mapping[str, float]:
        """Return what tells how a game goes, each figure by its name, for statistics over many games."""
        return {f"score_{side}": float(points) for side, points in self.score(view).items()}

    def figure_names(self, view: View) -> frozenset[str]:
        """Return the names of all figures that a game may have, now or later."""
        return frozenset(self.figures(view))

    def broken(self, view: View) -> Iterator[str]:
        """Yield what is wrong with a position that a side is asked in, by the game's own invariants; nothing if all holds."""
        return iter(())

    def duties(self, view: View) -> tuple[Duty, ...]:
        """Return what the side to act still must or can do."""
        return ()

    def remarks(self, view: View, unit: UnitId) -> tuple[Text, ...]:
        """Return what is read beside a unit that the viewer knows: what its figures are called, and what it has left of them now."""
        return ()

    def why_unit(self, view: View, unit: UnitId) -> tuple[Answer, ...]:
        """Return what holds of a unit now beside what `options` says of it: its supply, its zone of control."""
        return ()

    def why_hex(self, view: View, here: Hex) -> tuple[Answer, ...]:
        """Return what holds of a hex now: zones of control with where they come from, limits."""
        return ()

    def front(self, view: View, side: Side) -> tuple[tuple[Hex, Hex], ...]:
        """Return the hexsides where a side's ground meets the enemy's, each as (its own hex, the hex beyond); none: a game has none."""
        return ()

    def sheets(self, view: View) -> tuple[Sheet, ...]:
        """Return what lies beside the map besides the boxes' counters: tracks, pools, what is due."""
        return ()

    def rules(self) -> tuple[RuleText, ...]:
        """Return every rule of the rulebook in our words, in its order; empty if there is no ledger."""
        return ()

    def readings(self) -> tuple[RuleText, ...]:
        """Return how the rules are read where their words leave it open, each with a number that rules and refusals cite (``D-47``)."""
        return ()

    def rule_text(self, id: str) -> tuple[RuleText, ...]:
        """Return what a rule says: ``8.42a`` alone, or for the printed ``8.42`` all that it is made of; empty for an unknown one."""
        return tuple(rule for rule in self.rules() if id in (rule.id, rule.printed))

    # ---------------------------------------------------------------- rules of thumb, for bots

    def candidates(self, view: View, name: str) -> Sequence[Order] | None:
        """Return the orders of a type that deserve a look, where there are too many to weigh them all; None: all that are offered."""
        return None

    def worth(self, view: View, order: Order) -> float | None:
        """Return what an order promises the side to act, in points of the score; 0 is doing nothing. None if the rules can't tell."""
        return None

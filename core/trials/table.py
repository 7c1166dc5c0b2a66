"""A table to try rules on: any board, any counters, any moment, forced dice and draws. Case files and tests stand on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import msgspec

from core import events
from core.board import Board, Hex, HexFacts
from core.errors import Broken, Refused
from core.game import Game, NeedsDice, StopDice, decide, run_steps
from core.orders import Order
from core.pack import Pack, Section, build_board, chosen_options
from core.position import Position
from core.ruleset import Ruleset
from core.setting import Setting
from core.units import Face, Side, Unit, UnitId, UnitType
from core.views import View


class ScriptedDice:
    """Dice that fall as they were told; running out, or naming a chit that isn't there, is an error of the script."""

    def __init__(self, rolls: Iterable[int] = (), draws: Iterable[str] = ()) -> None:
        self.rolls = list(rolls)
        self.draws = list(draws)

    def roll(self, faces: int) -> int:
        """Return the next forced roll."""
        if not self.rolls:
            raise Broken("the script has no die left, and one is rolled")
        value = self.rolls.pop(0)
        if not 1 <= value <= faces:
            raise Broken(f"a die of {faces} can't show {value}")
        return value

    def draw(self, chits: Mapping[str, int]) -> str:
        """Return the next forced chit."""
        if not self.draws:
            raise Broken("the script has no chit left, and one is drawn")
        chit = self.draws.pop(0)
        if chit not in chits:
            raise Broken(f"the cup holds no {chit}, only {', '.join(chits)}")
        return chit

    def left(self) -> str:
        """Say what of the script was not used, empty if nothing."""
        return ", ".join([*map(str, self.rolls), *self.draws])


class PlainBoard:
    """A small board under construction: clear hexes, numbered as a section of the map numbers its own.

    Args:
        section: the numbering.
        lines, positions: first and last of each.
    """

    def __init__(self, section: Section, lines: tuple[int, int] = (16, 26), positions: tuple[int, int] = (1, 20)) -> None:
        self.section = section
        self.facts: dict[str, HexFacts] = {}
        self.sides: dict[tuple[str, str], set[str]] = {}
        for line in range(lines[0], lines[1] + 1):
            for position in range(positions[0], positions[1] + 1):
                label = f"{line:02}{position:02}"
                self.facts[label] = section.facts(label, "clear")

    def hex(self, label: str, **facts: object) -> None:
        """Change what is printed in a hex: terrain, city, name, port, country, features."""
        if "features" in facts:
            facts["features"] = frozenset(facts["features"])  # type: ignore[call-overload]
        self.facts[label] = msgspec.structs.replace(self.facts[label], **facts)

    def side(self, one: str, other: str, *kinds: str) -> None:
        """Add kinds to the hexside between two neighbours."""
        self.sides.setdefault((one, other), set()).update(kinds)

    def rail(self, *labels: str) -> None:
        """Lay a railroad through hexes."""
        for one, other in pairwise(labels):
            self.side(one, other, "rail")

    def build(self, boxes: Iterable[str]) -> Board:
        """Return the board."""
        ordered = sorted(self.facts.values(), key=lambda fact: fact.label)
        return Board(ordered, self.sides, orientation=self.section.orientation, boxes=boxes)


class Table:
    """A position that is set up piece by piece, then played with forced dice.

    Args:
        ruleset, pack: the game.
        scenario: whose own rules hold (sources, skipped phases); its set-up is not placed.
        board: a PlainBoard, or None for the scenario's own map.
        rules: replaces entries of the scenario's rules.

    Attributes:
        events: what the last order, or `begin`, led to.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        pack: Pack,
        scenario: str,
        *,
        board: PlainBoard | None = None,
        options: Mapping[str, bool | int | str] | None = None,
        rules: Mapping[str, object] | None = None,
    ) -> None:
        agreed = chosen_options(pack.manifest, options or {})
        chosen = ruleset.scenario_with(pack.scenarios[scenario], agreed)
        if rules is not None:
            chosen = msgspec.structs.replace(chosen, rules={**chosen.rules, **rules})
        made = build_board(pack, chosen) if board is None else board.build(pack.manifest.boxes)
        self.setting = Setting(
            ruleset=ruleset,
            board=made,
            types=dict(pack.types),
            charts=ruleset.charts(pack),
            scenario=chosen,
            options=agreed,
            sides=pack.manifest.sides,
            pack=pack.digest,
        )
        self.view = View(self.setting, Position())
        self.events: tuple[events.Event, ...] = ()

    @classmethod
    def on(cls, view: View) -> Table:
        """Return a table on a position that is there already."""
        table = cls.__new__(cls)
        table.setting, table.view, table.events = view.setting, view, ()
        return table

    # ---------------------------------------------------------------- setting up

    @property
    def position(self) -> Position:
        """Return the position as it stands."""
        return self.view.position

    @property
    def board(self) -> Board:
        """Return the board."""
        return self.setting.board

    def happen(self, *happened: events.Event) -> None:
        """Fold events into the position, whatever the rules say."""
        game = Game(self.setting, self.position, StopDice(), derived=self.view.derived)
        for event in happened:
            game.apply(event)

    def new_type(self, id: str, *, like: str, **changes: object) -> UnitType:
        """Make a unit type with other values than a printed one: ``faces=[(5, 7, 4)]``."""
        if "faces" in changes:
            changes["faces"] = tuple(Face(*face) for face in changes["faces"])  # type: ignore[attr-defined]
        made = msgspec.structs.replace(self.setting.types[like], id=id, **changes)
        self.setting.types[id] = made
        return made

    def place(self, type: str, at: str, *, name: str = "", steps: int = 0, chit: str = "", **marks: int) -> UnitId:
        """Place a counter in a hex or box, with its chit and marks; return its number."""
        unit = UnitId(self.position.next_unit)
        full = self.setting.types[type].steps
        self.happen(events.Placed(unit, type, name or f"t{unit}", self.board.place(at), steps or full))
        if chit:
            cup = chit.partition(" ")[0].rstrip("*")
            self.happen(events.CupFilled(cup, chit, 1), events.ChitPlaced(cup, chit, unit))
        for mark, value in marks.items():
            self.happen(events.Marked((unit,), mark, value))
        return unit

    def cup(self, cup: str, chits: Mapping[str, int]) -> None:
        """Put chits into a cup."""
        self.happen(*(events.CupFilled(cup, chit, count) for chit, count in chits.items()))

    def begin(self, turn: int, phase: str, *, dice: Sequence[int] = (), draws: Sequence[str] = ()) -> None:
        """Begin a phase of a turn and run to the first decision."""
        script = ScriptedDice(dice, draws)
        game = Game(self.setting, self.position, script, derived=self.view.derived)
        happened: list[events.Event] = []
        while self.position.frames:
            game.apply(events.FramePopped())
        game.apply(events.TrackSet("turn", turn))
        for event in self.setting.ruleset.enter(game, turn, phase):
            game.apply(event)
            happened.append(event)
        run_steps(game, happened)
        self.events = tuple(happened)
        _check_used(script)

    # ---------------------------------------------------------------- playing

    def order(
        self, order: Order, *, dice: Sequence[int] = (), draws: Sequence[str] = (), side: Side = ""
    ) -> tuple[events.Event, ...]:
        """Give an order with forced dice and draws; Refused if the game says no."""
        script = ScriptedDice(dice, draws)
        decided = decide(self.view, side or self.view.side_to_act(), order, script)
        _check_used(script)
        self.view = View(self.setting, decided.position, derived=decided.derived)
        self.events = decided.events
        return decided.events

    def refused(self, order: Order, *, side: Side = "") -> str:
        """Return the id of the rule that refuses an order; AssertionError if it is accepted."""
        try:
            decide(self.view, side or self.view.side_to_act(), order, StopDice())
        except Refused as refused:
            return refused.rule
        except NeedsDice as error:
            raise AssertionError(f"{order} is accepted") from error
        raise AssertionError(f"{order} is accepted")

    # ---------------------------------------------------------------- looking

    def hex(self, label: str) -> Hex:
        """Return a hex by its label."""
        return self.board.hex(label)

    def unit(self, unit: UnitId) -> Unit:
        """Return a counter."""
        return self.position.units[unit]

    def where(self, unit: UnitId) -> str:
        """Return the label of the hex or box where a counter is."""
        return self.board.label(self.position.units[unit].place)

    def explained(self, key: str) -> str:
        """Return how an explained figure of the last order came about: ``3 + 2 (8.42)``."""
        for event in reversed(self.events):
            if isinstance(event, events.Explained):
                for line in event.lines:
                    if line.key == key:
                        return str(line)
        raise AssertionError(f"nothing explains {key}")


def _check_used(script: ScriptedDice) -> None:
    if script.left():
        raise Broken(f"not used of the script: {script.left()}")

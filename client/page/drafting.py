"""The table with an order under composition: its reach and marks on the map, the prompt, stack, battle and tasks beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from client import reading
from client.map.counters import art_of
from client.map.palette import Palette
from client.page.ending import score_words
from client.panels.battle import brief_odds
from client.panels.prompt import Lead
from client.panels.todo import Task
from client.panels.why import why_of
from client.panels.widgets import CounterButton
from client.qt import Signal
from client.session.composing import Choice
from client.session.dragging import DragComposer
from client.session.match import Match
from client.table import ABOUT, CROWD, Table
from client.words import capital, cite, say, word
from core.board import Hex
from core.errors import Refused
from core.flow import Decision
from core.options import Offer
from core.orders import HexPick, OptionPick, Pick, Picks, UnitPick
from core.ruleset import Answer, OrderKind
from core.text import text
from core.units import Side, UnitId

Asked = tuple[tuple[int, str], Side, type[Decision]]  # turn and phase, who decides, and what

FEW = 3  # places of a decision that are all brought into sight, and counters that the card names


class DraftTable(Table):
    """Shows what the composer holds; it gives no order.

    Signals:
        happened(): what is picked or shown has changed.
    """

    happened = Signal()

    def __init__(self, match: Match, palette: Palette) -> None:
        super().__init__(match, palette)
        self.composer = DragComposer(match)
        self.answers = False
        self._hover: Hex | None = None
        self._tasks: list[Task] = []
        self._opened_for_battle = False
        self.fought_in: tuple[int, str] | None = None  # turn and phase of the battle whose result the Battle panel shows
        self.fought_at: tuple[int, int] = (0, 0)  # its moment, and the number of that moment's entry: another one if it was taken back
        self.stack.side_titles = match.manifest.side_titles
        self._picked_at: Hex | None = None  # where the hex cursor was as the draft became what it is
        self._picked: Picks = ()  # that draft
        self._told_of: Hex | None = None  # the hex cursor that the card tells of
        self._asked_at = -1  # the moment whose decision was brought into sight, and what it was
        self._asked_by: Asked | None = None
        self._brought: set[Asked] = set()  # what was brought into sight in this phase
        self._settled_in: tuple[tuple[int, str], Side] | None = None  # the phase in which the card has chosen its corner, and whose
        self.warns = True  # of what is left undone, before an order ends it

    def _colour(self, side: Side) -> str:
        return reading.colour_of(self.match, self.palette_, side)

    def show_draft(self) -> None:
        """Show the order under composition: reach, marks, panels, prompt."""
        composer = self.composer
        if composer.picks != self._picked:
            self._picked, self._picked_at = composer.picks, self.map.cursor_hex
        units = composer.units()
        self.scene.select(units or composer.looked_at()[0])
        self.map.fans_by_itself = len(composer.picks) <= 1  # while hexes are being picked, a spread stack would lie over them
        if not self.map.fans_by_itself and not self.scene.fan_keys:
            self.scene.fan(None)
        if units and self.match.view.unit(units[0]).place >= 0:
            self.selected_hex = Hex(self.match.view.unit(units[0]).place)
        self.scene.reach.show(reading.reachable(composer.ways()))
        self._show_marks(composer.offer() if self.match.may_act else Offer())
        self._show_prompt()
        self._show_panels()
        self._show_path(moved=False)
        self._show_what_is_asked()
        self.place_cards()
        self.happened.emit()

    def _show_front(self) -> None:
        super()._show_front()
        self.look_at_decision()
        self.place_cards()

    def look_at_decision(self) -> None:
        """Bring the decision into sight anew: the map has gone elsewhere by itself."""
        self._asked_at = -1
        self._show_what_is_asked()

    def _show_what_is_asked(self) -> None:
        """Bring into sight, once, where a new decision is: on a large map a bot may fight far from what is looked at.

        After an order of his own the player looks at what came of it, not at where the phase goes on.
        """
        moment, decision = len(self.match.moments()), self.match.view.decision()
        if moment == self._asked_at or not self.map.isVisible():
            return
        asked_by = None if decision is None else (self._phase(), decision.side, type(decision))
        is_new = asked_by != self._asked_by and (asked_by not in self._brought or self.composer.is_asked())
        self._asked_at, self._asked_by = moment, asked_by
        self._brought = {one for one in (asked_by, *self._brought) if one is not None and one[0] == self._phase()}
        hexes = sorted({here for led in self.composer.able().values() for here in led})
        if self.composer.must_answer() or (is_new and len(hexes) <= FEW):
            self._bring_together(hexes)
        elif is_new and hexes and not any(map(self._is_in_sight, hexes)):
            self.map.centre_within_map(self.scene.geometry.thickest(hexes, CROWD))
        if hexes and not self.composer.must_answer() and self._settled_in != self._whose_phase():
            self._settled_in = self._whose_phase()
            view = self.match.view
            self.settle_card(hexes, [here for here in view.position.occupied() if view.side_at(here, view.side_to_act())])

    def _bring_together(self, hexes: Sequence[Hex]) -> None:
        """Bring hexes into sight, all of them where there is room for that; else one of them, the nearest to what is looked at."""
        if self.map.has_room_for(hexes):
            for here in hexes:
                self.map.show_hex(here)
        elif not any(map(self._is_in_sight, hexes)):
            self.map.centre_within_map(min(hexes, key=self.map.off_middle))

    def goals(self) -> list[Hex]:
        """Return the hexes that the draft can go on to, none if some lie next to where its units stand: then all lie about those."""
        if not self.composer.picks:
            return []
        view, board = self.match.view, self.match.setting.board
        goals = sorted(pick.hex for pick in self.composer.offer().picks if isinstance(pick, HexPick))
        stands = {Hex(unit.place) for unit in map(view.unit, self.composer.units()) if unit.place >= 0}
        return [] if any(board.distance(here, goal) <= 1 for here in stands for goal in goals) else goals

    def look_at_goals(self) -> None:
        """Bring the hexes for what is being placed, or who can begin an order, into sight if none is: nothing else points to them."""
        goals = self.goals()
        if not goals and len(self.composer.picks) == 1:
            goals = [here for here, _ in self._open_places(self.composer.offer())]
        if goals and self.map.isVisible() and not any(map(self._is_in_sight, goals)):
            self.map.centre_within_map(self.scene.geometry.thickest(goals, CROWD))
            self.place_cards()

    def _is_in_sight(self, here: Hex) -> bool:
        return self.map.viewport().rect().contains(self._on_screen(here))

    def _show_marks(self, offered: Offer) -> None:
        open_hexes, targets = list[Hex](), list[Hex]()
        aimed = self._aimed_at()
        self.scene.attack.show(self._aims(aimed))
        targets += [*self.composer.aims, *self.composer.looked_at()[1], *self.composer.turns()]
        open_hexes += self._led_to()
        if self.composer.picks:
            targets += aimed
            for place, hostile in self._open_places(offered):
                (targets if hostile else open_hexes).append(place)
        else:
            open_hexes += self.composer.asked()
        keys = dict[Hex, str]()
        for choice in self.composer.ways_on():
            if choice.number is not None and choice.place is not None and choice.place >= 0:
                here = Hex(choice.place)  # of a stack each counter has a key
                keys[here] = f"{keys[here]}, {choice.number}" if here in keys else str(choice.number)
        chosen = {c.pick.unit: str(c.number) for c in self.composer.ways_on() if c.number is not None and isinstance(c.pick, UnitPick)}
        picked = {unit: str(number) for unit, number in self.composer.keys_of_picked().items()}
        self.scene.key_units(*((chosen, picked) if self.match.may_act else ({}, {})))
        preview = self.composer.preview() if aimed else None
        odds = brief_odds(preview) if preview is not None else ""
        self.scene.marks.show(
            sorted(set(open_hexes)),
            targets=sorted(set(targets)),
            keys=keys if self.match.may_act else {},
            labels={aimed[0]: odds} if odds else {},
            warned=[door.pick.hex for door in offered.doors if door.warning is not None and isinstance(door.pick, HexPick)],
        )

    def _open_places(self, offered: Offer) -> Iterator[tuple[Hex, bool]]:
        """Yield where what the draft asks for next may be picked, and whether that is a hex of the other side; reach is left out."""
        view, ways = self.match.view, self.composer.ways()
        enemy = view.other(view.side_to_act()) if view.side_to_act() else ""
        for door in offered.doors:
            place, of_hex = self.composer.place_of(door.pick), isinstance(door.pick, HexPick)
            if door.is_open and place is not None and place >= 0 and not (of_hex and place in ways):
                yield Hex(place), of_hex and bool(view.side_at(Hex(place), enemy))

    def _aimed_at(self) -> list[Hex]:
        """Return the hexes of the other side that the draft names."""
        if not self.composer.picks:
            return []
        view = self.match.view
        enemy = view.other(view.side_to_act())
        return [pick.hex for pick in self.composer.picks if isinstance(pick, HexPick) and view.side_at(pick.hex, enemy)]

    def _led_to(self) -> list[Hex]:
        """Return the hexes that the draft names, without those that it aims at."""
        aimed = self._aimed_at()
        return [pick.hex for pick in self.composer.picks if isinstance(pick, HexPick) and pick.hex not in aimed]

    def worth_seeing(self) -> dict[Hex, int]:
        """Return the hexes that no card should hide: the selection, its reach, what it aims at or may aim at, who does or may join."""
        aimed = self._aimed_at()
        weights = dict.fromkeys(self.composer.ways(), 3) | dict.fromkeys(aimed, ABOUT)
        if self.selected_hex is not None:
            weights[self.selected_hex] = ABOUT - 1
        if self.composer.picks and self.match.may_act:  # targets have keys only where there are few
            weights |= {here: ABOUT for here, hostile in self._open_places(self.composer.offer()) if hostile or aimed}
            stands = (self.match.view.unit(unit).place for unit in self.composer.units()) if aimed else ()
            weights |= {Hex(place): ABOUT for place in stands if place >= 0}
        return weights | dict.fromkeys(self.composer.asked(), ABOUT)

    def concerned(self) -> set[Hex]:
        """Return the hexes that the draft names or has keys for, and where its units stand."""
        stands = [self.match.view.unit(unit).place for unit in self.composer.units()]
        keyed = [choice.place for choice in self.prompt.keyed if choice.place is not None]
        return {Hex(place) for place in (*stands, *keyed) if place >= 0} | {*self._led_to(), *self._aimed_at()}

    def _aims(self, aimed: Sequence[Hex]) -> list[tuple[Hex, Hex]]:
        """Return an arrow from each hex of picked units to a target beside it."""
        view, board = self.match.view, self.match.setting.board
        stands = sorted({Hex(view.unit(unit).place) for unit in self.composer.units() if view.unit(unit).place >= 0})
        return [(here, target) for here in stands for target in aimed if target in board.adjacent[here]]

    def _show_prompt(self) -> None:
        self._told_of = self.map.cursor_hex
        view, match = self.match.view, self.match
        decision, outcome = view.decision(), match.outcome
        self.prompt.side_colour = self._colour(view.side_to_act() if outcome is None else outcome.winner)
        if outcome is not None:
            self.prompt.show_prompt(heading=reading.result_of(match), words=score_words(match), rule="", choices=(), leads=self.leads())
        elif decision is None or not match.is_live:
            self.prompt.hide()
        elif not match.may_act:
            who = self.tr("{side} decides").format(side=reading.title_of(self.match, decision.side))
            prompt = view.prompt()
            words = capital(say(prompt)) if prompt is not None else ""
            self.prompt.show_prompt(heading=who, words=words, rule=decision.rule, choices=())
        else:
            self._show_own_prompt(decision.rule)

    def _show_own_prompt(self, rule: str) -> None:
        composer, view = self.composer, self.match.view
        prompt = view.prompt()
        heading = capital(say(prompt)) if prompt is not None else reading.waits_for(self.match)
        kind, words = composer.kind, ""
        if kind is not None:
            words = capital(say(kind.label))
            missing, rule = composer.offer().unfinished, kind.rule
            if missing is not None:
                rule = missing.rule if composer.before is None else rule  # no click began it: the question itself is cited
                words = self.tr("{order}: {missing}").format(order=words, missing=say(missing.text))
            elif named := self._named():
                words = self.tr("{order}: {hexes}").format(order=words, hexes=named)
        give = capital(say(kind.label)) if kind is not None and composer.is_complete else ""
        here, choices = self.next_pick(), composer.ways_on()
        if give and here is not None and composer.takes(here):
            words = self.tr("{draft}. Enter takes {hex} first").format(draft=words, hex=word(view.board.name(here)))
        self.prompt.show_prompt(
            heading=heading,
            words=words,
            rule=rule,
            choices=choices,
            give=give,
            gives=here is None,
            lone=composer.lone,
            entered=self._choice_at(here, choices) if here is not None else composer.lone,
            back=self._back_words(),
            drop=self.tr("Drop the order") if composer.clicks > 1 else "",
            note=capital(cite(composer.refused)) if composer.refused is not None else self._undone(),
        )

    def _named(self) -> str:
        """Return what a whole draft names: the hexes that it leads to or aims at, else its counters."""
        view, hexes, units = self.match.view, [*self._led_to(), *self._aimed_at()], self.composer.units()
        if hexes:
            return ", ".join(word(view.board.name(here)) for here in hexes)
        return ", ".join(map(view.name, units)) if len(units) <= FEW else ""

    def next_pick(self) -> Hex | None:
        """Return the hex that Enter picks, None if it gives the draft, or what alone can be given.

        A draft that could be given asks for nothing: it takes a hex only if the hex cursor was moved there since the last pick.
        """
        here, composer = self.map.cursor_hex, self.composer
        if here is None or not composer.is_complete:
            return here
        if here == self._picked_at:
            return None
        astray = bool(composer.ways()) and composer.preview() is None  # a way that was led elsewhere: the refusal tells why not there
        return here if astray or composer.takes(here) else None

    def _enter_gives(self) -> bool:
        """Say whether Enter gives the draft, as it stands or once it is whole."""
        return not self.composer.is_complete or self.next_pick() is None

    def _choice_at(self, here: Hex, choices: Sequence[Choice]) -> Pick | None:
        """Return the choice that a pick of a hex takes, None if it takes none, or one of several."""
        there = [choice.pick for choice in choices if choice.place == here and choice.number is not None]
        return there[0] if len(there) == 1 else None

    def _back_words(self) -> str:
        """Return what one step back does to the draft, empty where no click has led to it."""
        before = self.composer.before
        if before is None:
            return ""
        return self.tr("Step back") if before else self.tr("Drop this order")

    def leads(self) -> list[Lead]:
        """Return the ways on from the end of a game."""
        return []

    def _undone(self) -> str:
        """Return what a draft that asks for nothing would leave undone (moves, attacks, duties), and what comes then; empty if nothing.

        Who says no to a question was just asked.
        """
        composer, kind = self.composer, self.composer.kind
        ends = len(composer.picks) == 1 and composer.is_complete and not composer.offer().picks
        if composer.lone is None and (not ends or (kind is not None and kind.declines)):
            return ""
        left = [task.brief or task.words for task in self._tasks if task.weighs and not task.foreseen]
        told = [self.tr("Left undone: {what}").format(what=", ".join(left))] if left else []
        return ". ".join([*told, *(task.words for task in self._tasks if task.foreseen)])

    def _show_panels(self) -> None:
        composer = self.composer
        self._show_stack()
        self._show_tasks()
        preview = composer.preview()
        answers = not composer.units() or composer.is_asked()
        if preview is None and self.fought_in == self._phase() and self._was_fought() and answers:
            self._fold_after_battle()
            return  # what the last battle led to stays in front until something else is asked, or another phase has begun
        self.fought_in = None
        if preview is None and not self.match.is_live and self.tell_battle(self.match.cursor):
            self._fold_after_battle()
            return
        if preview is None:
            self.battle.show_nothing()
            self._fold_after_battle()
            units = composer.units()
            stands = bool(units) and self.match.view.unit(units[0]).place >= 0  # counters beside the map stand in no stack
            if self.side.current == "battle" or (self.side.current == "stack" and not stands):
                self.side.bring_back()
            if stands and self.follows():
                self.side.bring("stack")
            return
        kind, missing = composer.kind, composer.offer().unfinished
        assert kind is not None, "a preview belongs to an order type"
        self.battle.show_preview(
            preview,
            verb=capital(say(kind.label)),
            ready=composer.is_complete,
            missing="" if missing is None else capital(say(missing.text)),
            gives=self._enter_gives(),
            attackers=[self._counter_button(unit, picked=True) for unit in composer.units()],
            defenders=[self._counter_button(unit, picked=False) for unit in self._targets()],
        )
        self.side.bring("battle")
        if self._narrow and not self.battle.isVisible():
            self._opened_for_battle = True
            self.side.show()
            self.place_cards()
            for here in self._aimed_at():
                self.map.show_hex(here)

    def tell_battle(self, index: int) -> bool:
        """Write the battle of a moment into its panel; False if there was none."""
        lines = self.match.lines(index)
        if not any(line.kind == "battle" for line in lines):
            return False
        self.battle.show_result([line for line in lines if line.kind in ("battle", "loss", "move")])
        return True

    def _fold_after_battle(self) -> None:
        """Fold the side panel again that was opened for an attack."""
        if self._opened_for_battle:
            self._opened_for_battle = False
            self.side.hide()

    def _was_fought(self) -> bool:
        """Say whether the battle of the Battle panel is part of the game as it stands, and now is shown."""
        index, number = self.fought_at
        moments = self.match.moments()
        return self.match.is_live and index < len(moments) and moments[index].number == number

    def _phase(self) -> tuple[int, str]:
        """Return turn and phase of the shown moment."""
        return self.match.view.position.turn, self.match.view.position.phase

    def _whose_phase(self) -> tuple[tuple[int, str], Side]:
        """Return turn and phase of the shown moment, and who is to decide."""
        return self._phase(), self.match.view.side_to_act()

    def follows(self) -> bool:
        """Say whether the side panel shows the stack that is selected; not while what is in front there is about to be used with it."""
        return True

    def _show_stack(self) -> None:
        """Show the selected hex, with answers to "why?" and their lines on the map while those are wanted."""
        here, told, answers, of_hex = self.selected_hex, None, tuple[Answer, ...](), tuple[Answer, ...]()
        if here is not None and self.answers and not self._aimed_at():  # whose lines would lie over what an attack shows
            told, answers, of_hex = why_of(self.match, self.composer, here)
        self.scene.answers.show(answers, of_hex, here)
        self.stack.show_hex(self.match.view, here, self.composer.units(), told)
        self.happened.emit()

    def toggle_answers(self) -> None:
        """Answer "why?" for the selected hex and its units, or no more."""
        self.answers = not self.answers
        if self.answers and self.selected_hex is None:
            self.selected_hex = self.map.cursor_hex if self.map.cursor_hex is not None else self.map.hovered
        self._show_stack()
        if self.answers:
            self.open_side("stack")

    def _targets(self) -> list[UnitId]:
        view = self.match.view
        enemy = view.other(view.side_to_act())
        return [unit for here in self._aimed_at() for unit in view.side_at(here, enemy)]

    def _counter_button(self, unit: UnitId, *, picked: bool) -> CounterButton:
        view = self.match.view
        made = CounterButton(art_of(view, unit, self.scene.nations), self.palette_, picked=picked, tip=view.name(unit), size=40)
        if picked:
            made.pressed.connect(lambda: self.battle.unit_pressed.emit(unit))
        return made

    def _show_tasks(self) -> None:
        self._tasks = sorted(self._tasks_now(), key=lambda task: task.foreseen) if self.match.may_act else []
        self.todo.show_tasks(self._tasks, self._waits_for())

    def _tasks_now(self) -> Iterator[Task]:
        """Yield the duties, then what can be begun; an order that a duty asks for is told of once, and leads where it can begin."""
        view, able, beside = self.match.view, self.composer.able(), self.composer.beside()
        duties = view.ruleset.duties(view)
        for duty in duties:
            places = duty.places or able.get(OptionPick(duty.order), ())
            hexes = tuple(Hex(place) for place in places if place >= 0)
            yield Task(f"{capital(say(duty.text))} ({duty.rule})", hexes, duty.must, weighs=True, foreseen=duty.foreseen)
        told = {OptionPick(duty.order) for duty in duties}
        for head in {**able, **beside}:
            assert isinstance(head, OptionPick), "a walk begins with an order type"
            if head not in told:
                yield self._able_task(view.ruleset.orders[head.option], able.get(head, ()), beside.get(head, 0))

    def _able_task(self, kind: OrderKind, hexes: tuple[Hex, ...], beside: int) -> Task:
        """Return the line of an order that can begin in these hexes and with so many counters beside the map."""
        order, counted, weighs = say(kind.label), self._counted(hexes), kind.reach is not None or kind.preview is not None
        if not beside:
            brief = say(text("{order} ({counted})", order=order, counted=counted))
            return Task(say(text("{order}: {counted}", order=capital(order), counted=counted)), hexes, weighs=weighs, brief=brief)
        if not hexes:
            brief = say(text("{order} ({n})", order=order, n=beside))
            return Task(say(text("{order}: {n} beside the map", order=capital(order), n=beside)), (), weighs=True, brief=brief)
        words = say(text("{order}: {counted}, {more} beside the map", order=capital(order), counted=counted, more=beside))
        brief = say(text("{order} ({counted}, {more} beside the map)", order=order, counted=counted, more=beside))
        return Task(words, hexes, weighs=True, brief=brief)

    def _counted(self, hexes: Sequence[Hex]) -> str:
        """Return how many stacks can begin an order in these hexes, or are its targets; how many hexes, where not all are either."""
        view, n = self.match.view, len(hexes)
        mine, enemy = view.side_to_act(), view.other(view.side_to_act())
        if all(view.side_at(here, mine) for here in hexes):
            return say(text("{n} {n:stack|stacks}", n=n))
        if all(view.side_at(here, enemy) for here in hexes):
            return say(text("{n} {n:target|targets}", n=n))
        return say(text("{n} {n:hex|hexes}", n=n))

    def _waits_for(self) -> str:
        """Return whom or what the game waits for beside the tasks; empty where the phase goes on by them, or can end."""
        if not self.match.may_act:
            return reading.waits_for(self.match)
        asks = not self._tasks and self.composer.must_answer()
        return self.tr("The card asks something first: nothing else can be done until it is answered.") if asks else ""

    def _hovered(self, here: Hex | None) -> None:
        self._hover = here
        self._show_path(moved=True)
        here = self.map.cursor_hex
        if here != self._told_of:
            self._show_prompt()  # tells what Enter does there
            self.battle.say_enter(gives=self._enter_gives())
            self.bring_out([] if here is None else [here])

    def _hover_in_sight(self) -> Hex | None:
        """Return the hex under the cursor, None where the map has moved it out of sight since: a key leads to another stack."""
        return self._hover if self._hover is not None and self._is_in_sight(self._hover) else None

    def refusal_words(self, here: Hex, why: Refused) -> str:
        """Return why a hex is closed to the draft, and why another order that is against foes is closed there as well."""
        words, other = capital(cite(why)), self.composer.why_no_turn(here)
        if other is None or other.refused is None:
            return words
        against = self.tr("{order}: {why}").format(order=capital(say(other.label)), why=cite(other.refused))
        return f"{words}\n{against}"

    def _show_path(self, *, moved: bool) -> None:
        """Show the way to the hex under the cursor and its sum, or why there is none; a hex that nobody has *moved* to need not say why."""
        here, composer = self._hover_in_sight(), self.composer
        self.scene.ring.show(composer.covered(here))
        way = composer.ways().get(here) if here is not None else None
        start = self.selected_hex
        if way is not None and start is not None and composer.units():
            self.scene.path.show([[start, *composer.fixed(), *way.path]])
            cost = reading.cost_words(way)
            words = cost if way.cost_quarters else word(self.match.view.board.name(way.hex))  # an advance costs nothing
            if way.warning is not None:
                words += f"\n{capital(say(way.warning))}"
            self.show_hint(way.hex, words)
            return
        self.scene.path.show([[start, *composer.fixed()]] if start is not None and composer.fixed() else [])
        preview = composer.preview_with(HexPick(here)) if here is not None and composer.units() else None
        if preview is None and here is not None and composer.held:
            preview = composer.preview_of_drop(here)
        if preview is not None and here is not None:
            self.show_hint(here, " · ".join(filter(None, (brief_odds(preview), say(preview.title)))))
            return
        door = composer.door_to(here) if here is not None and composer.picks else None
        if door is not None and here is not None and (door.label is not None or door.warning is not None):
            told = [capital(say(words)) for words in (door.label, door.warning) if words is not None]
            self.show_hint(here, "\n".join(told))
            return
        why = composer.why_not(here) if moved and here is not None and composer.units() else None
        if here is not None and composer.held:
            why = composer.why_no_drop(here)
        if why is not None and here is not None and here != start:
            self.show_hint(here, self.refusal_words(here, why))
        else:
            self.hint.hide()

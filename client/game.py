"""The page of a game: the map with its panels, wired to a match. It shows and asks; the match decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QShortcut

from client import reading
from client.map.counters import art_of
from client.map.levels import Level, level_at
from client.map.palette import Palette
from client.panels.battle import brief_odds
from client.panels.todo import Task
from client.panels.why import why_of
from client.panels.widgets import CounterButton
from client.qt import Qt, QTimer, Signal
from client.session.bookmarks import Bookmarks
from client.session.composing import Choice, Clicked, Composer
from client.session.local import LocalMatch
from client.session.match import Match, Moment
from client.table import Table
from client.thinking import Thinker
from client.words import capital, cite, say
from core.board import Hex
from core.errors import BadInput, Broken, Refused
from core.options import Offer
from core.orders import HexPick, OptionPick
from core.ruleset import Answer
from core.units import Side, UnitId

SETTLE_MS = 90  # that the time cursor must rest before score, log and panels follow it
BOT_PAUSE_MS = 60  # between a bot's orders, so that they can be followed


class GamePage(Table):
    """One game.

    Signals:
        changed(): entries were added, or the head moved.
        said(str): something for the status of the window.
    """

    changed = Signal()
    said = Signal(str)

    def __init__(self, match: Match, palette: Palette, bookmarks: Bookmarks | None = None) -> None:
        super().__init__(match, palette)
        self.bookmarks = bookmarks if bookmarks is not None else Bookmarks()
        self.composer = Composer(match)
        self._overlays_on: dict[tuple[str, Side], bool] = {}
        self._hover: Hex | None = None
        self._tasks: list[Task] = []
        self._opened_for_battle = False
        self.animates = True
        self.shows_moves = True
        self.answers = False
        self._wire()
        self.thinker = Thinker(self)
        self.thinker.decided.connect(self._bot_decided)
        self.thinker.failed.connect(self._bot_failed)
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.timeout.connect(self.refresh)
        self._bot_timer = QTimer(self)
        self._bot_timer.setSingleShot(True)
        self._bot_timer.timeout.connect(self._ask_bot)
        self.refresh()

    def _wire(self) -> None:
        self.map.hex_clicked.connect(lambda here, adding: self.click(Hex(here), adding=adding))
        self.map.hex_double_clicked.connect(lambda here: self._take_all(Hex(here)))
        self.map.unit_clicked.connect(lambda unit, adding: self.click_unit(UnitId(unit), adding=adding))
        self.map.hex_hovered.connect(self._hovered)
        self.map.zoomed.connect(lambda scale: self.place_cards())
        self.map.moved.connect(self.hint.hide)
        self.stack.unit_pressed.connect(lambda unit: self.click_unit(UnitId(unit), adding=True))
        self.battle.unit_pressed.connect(lambda unit: self.click_unit(UnitId(unit), adding=True))
        self.battle.give_wanted.connect(self.give)
        self.log.place_wanted.connect(lambda here: self._go_to(Hex(here)))
        self.log.moment_wanted.connect(self.seek)
        self.forces.place_wanted.connect(lambda here: self._go_to(Hex(here)))
        self.stack.why_wanted.connect(self.toggle_answers)
        for teller in (self.log, self.battle, self.prompt, self.stack):
            teller.rule_wanted.connect(self.show_rule)
        self.todo.hexes_wanted.connect(self._visit)
        self.prompt.chosen.connect(self.choose)
        self.prompt.give_wanted.connect(self.give)
        self.prompt.back_wanted.connect(self.step_back)
        self.timeline.sought.connect(self.seek)
        self.timeline.now_wanted.connect(self.back_to_now)
        self.rail.wanted.connect(self.open_tab)
        self.overlay_wanted.connect(self.toggle_overlay)
        self.goto.returnPressed.connect(self._goto_entered)
        for number in range(1, 10):
            key = QShortcut(str(number), self)
            key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            key.activated.connect(lambda number=number: self.prompt.choose(number))

    # ---------------------------------------------------------------- showing

    def refresh(self) -> None:
        """Show the match as it stands now: after an order, an undo, or a step in time."""
        self._show_moment()
        self._settling.stop()
        self.header.score.setText(reading.score_line(self.match))
        self._show_timeline()
        self.log.show_match(self.match)
        self.forces.show_match(self.match)
        for (name, side), on in self._overlays_on.items():
            if on:
                self._show_overlay(name, side)
        self.show_draft()
        self._bot_timer.start(BOT_PAUSE_MS)

    def _show_moment(self) -> None:
        """Show what can be shown at once: counters, moves, turn and phase; the rest follows when the cursor rests."""
        self.composer.reset()
        view = self.match.view
        weather = view.ruleset.weather(view, view.position.turn)
        self.scene.show_view(view, weather=weather)
        self.scene.moves.show(reading.moves_of_phase(self.match) if self.shows_moves else [])
        self._show_minimap(weather)
        self._show_header()
        self.frame.setVisible(not self.match.is_live)

    def _colour(self, side: Side) -> str:
        return reading.colour_of(self.match, self.palette_, side)

    def _show_minimap(self, weather: str) -> None:
        view, dots = self.match.view, []
        for here in view.position.occupied():
            centre = self.scene.centre(here)
            dots.append((centre.x, centre.y, self._colour(view.side(view.position.at(here)[0]))))
        self.minimap.show_stacks(dots, weather)

    def _show_header(self) -> None:
        self.header.turn.setText(reading.turn_line(self.match))
        self.header.chips.show_phases(reading.phase_chips(self.match, self.palette_))
        self.header.waits.setText(reading.waits_for(self.match))

    def _show_timeline(self) -> None:
        match = self.match
        self.timeline.strip.show_moments(
            match.moments(),
            reading.turn_blocks(match, self.palette_),
            match.cursor,
            colour=self._colour,
            card=lambda index: reading.moment_card(match, index),
            flags={i: note for i, moment in enumerate(match.moments()) if (note := self.bookmarks.notes.get(moment.number)) is not None},
        )
        self.timeline.show_state(match.cursor, len(match.moments()), live=match.is_live)

    # ---------------------------------------------------------------- the draft

    def show_draft(self) -> None:
        """Show the order under composition: reach, marks, panels, prompt."""
        composer = self.composer
        units = composer.units()
        self.scene.select(units)
        self.map.fans_by_itself = len(composer.picks) <= 1  # while hexes are being picked, a spread stack would lie over them
        if not self.map.fans_by_itself:
            self.scene.fan(None)
        if units and self.match.view.unit(units[0]).place >= 0:
            self.selected_hex = Hex(self.match.view.unit(units[0]).place)
        self.scene.reach.show(reading.reachable(composer.ways()))
        self._show_marks(composer.offer() if self.match.may_act else Offer())
        self._show_prompt()
        self._show_panels()
        self._show_path()
        self.place_cards()

    def _show_marks(self, offered: Offer) -> None:
        open_hexes, targets, ways = list[Hex](), list[Hex](), self.composer.ways()
        aimed = self._aimed_at()
        self.scene.attack.show(self._aims(aimed))
        if self.composer.picks:
            targets += aimed
            enemy = self.match.view.other(self.match.view.side_to_act()) if self.match.view.side_to_act() else ""
            for door in offered.doors:
                place = self.composer.place_of(door.pick)
                if not door.is_open or place is None or place < 0 or (isinstance(door.pick, HexPick) and place in ways):
                    continue
                hostile = isinstance(door.pick, HexPick) and bool(self.match.view.side_at(place, enemy))
                (targets if hostile else open_hexes).append(Hex(place))
        keys = {
            Hex(choice.place): str(i)
            for i, choice in enumerate([c for c in self.composer.choices() if c.refused is None][:9], 1)
            if choice.place is not None and choice.place >= 0
        }
        preview = self.composer.preview() if aimed else None
        odds = brief_odds(preview) if preview is not None else ""
        self.scene.marks.show(
            sorted(set(open_hexes)),
            targets=sorted(set(targets)),
            keys=keys if self.match.may_act else {},
            labels={aimed[0]: odds} if odds else {},
        )

    def _aimed_at(self) -> list[Hex]:
        """Return the hexes of the other side that the draft names."""
        if not self.composer.picks:
            return []
        view = self.match.view
        enemy = view.other(view.side_to_act())
        return [pick.hex for pick in self.composer.picks if isinstance(pick, HexPick) and view.side_at(pick.hex, enemy)]

    def worth_seeing(self) -> dict[Hex, int]:
        """Return the hexes that no card should hide: the selection, its reach, what it aims at."""
        weights = dict.fromkeys(self.composer.ways(), 3) | dict.fromkeys(self._aimed_at(), 6)
        if self.selected_hex is not None:
            weights[self.selected_hex] = 6
        return weights

    def _aims(self, aimed: Sequence[Hex]) -> list[tuple[Hex, Hex]]:
        """Return an arrow from each hex of picked units to a target beside it."""
        view, board = self.match.view, self.match.setting.board
        stands = sorted({Hex(view.unit(unit).place) for unit in self.composer.units() if view.unit(unit).place >= 0})
        return [(here, target) for here in stands for target in aimed if target in board.adjacent[here]]

    def _show_prompt(self) -> None:
        view, match = self.match.view, self.match
        decision, outcome = view.decision(), view.position.outcome
        self.prompt.side_colour = self._colour(view.side_to_act() or (outcome.winner if outcome else ""))
        if outcome is not None:
            words = ", ".join(f"{reading.title_of(self.match, key)} {value}" for key, value in outcome.score.items())
            self.prompt.show_prompt(heading=outcome.result, words=words, rule="", choices=())
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
            missing = composer.offer().unfinished
            if missing is not None:
                words = self.tr("{order}: {missing}").format(order=words, missing=say(missing.text))
        give = capital(say(kind.label)) if kind is not None and composer.is_complete else ""
        choices = [*composer.choices(), *composer.alternatives()]
        self.prompt.show_prompt(
            heading=heading,
            words=words,
            rule=kind.rule if kind is not None else rule,
            choices=choices,
            give=give,
            can_go_back=bool(composer.picks),
            note=cite(composer.refused) if composer.refused is not None else "",
        )

    def _show_panels(self) -> None:
        composer = self.composer
        self._show_stack()
        self._show_tasks()
        preview = composer.preview()
        if preview is None:
            self.battle.show_nothing()
            if self._opened_for_battle:
                self._opened_for_battle = False
                self.side.hide()
            if self.side.current == "battle" or (self.side.current == "stack" and not composer.units()):
                self.side.bring_back()
            elif composer.units():
                self.side.bring("stack")
            return
        kind, missing = composer.kind, composer.offer().unfinished
        assert kind is not None, "a preview belongs to an order type"
        self.battle.show_preview(
            preview,
            verb=capital(say(kind.label)),
            ready=composer.is_complete,
            missing="" if missing is None else say(missing.text),
            attackers=[self._counter_button(unit, picked=True) for unit in composer.units()],
            defenders=[self._counter_button(unit, picked=False) for unit in self._targets()],
        )
        self.side.bring("battle")
        if self._narrow and not self.side.isVisible():
            self._opened_for_battle = True
            self.side.show()
            self.place_cards()
            for here in self._aimed_at():
                self.map.show_hex(here)

    def _show_stack(self) -> None:
        """Show the selected hex, with answers to "why?" and their lines on the map while those are wanted."""
        here, told, answers = self.selected_hex, None, tuple[Answer, ...]()
        if here is not None and self.answers:
            told, answers = why_of(self.match, self.composer, here)
        self.scene.answers.show(answers)
        self.stack.show_hex(self.match.view, here, self.composer.units(), told)

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
        match, view = self.match, self.match.view
        self._tasks = []
        if match.may_act:
            for duty in view.ruleset.duties(view):
                hexes = tuple(Hex(place) for place in duty.places if place >= 0)
                self._tasks.append(Task(f"{capital(say(duty.text))} ({duty.rule})", hexes, duty.must))
            for head, hexes in self.composer.able().items():
                assert isinstance(head, OptionPick), "a walk begins with an order type"
                what = say(view.ruleset.orders[head.option].label)
                self._tasks.append(Task(self.tr("{order}: {places}").format(order=capital(what), places=len(hexes)), hexes))
        self.todo.show_tasks(self._tasks, "" if match.may_act else reading.waits_for(self.match))

    # ---------------------------------------------------------------- acting

    def click(self, here: Hex, *, adding: bool = False) -> None:
        """Do what a click on a hex means."""
        self.selected_hex = here
        self._after(self.composer.click(here, adding=adding), here)

    def click_unit(self, unit: UnitId, *, adding: bool = False) -> None:
        """Do what a click on a counter means."""
        place = self.match.view.unit(unit).place
        self._after(self.composer.click_unit(unit, adding=adding), Hex(place) if place >= 0 else None)

    def choose(self, choice: Choice) -> None:
        """Take a choice of the prompt."""
        if isinstance(choice.pick, OptionPick) and choice.pick in [c.pick for c in self.composer.alternatives()]:
            self.composer.switch(choice.pick)
            self.show_draft()
            return
        self._after(self.composer.choose(choice.pick), None)

    def _take_all(self, here: Hex) -> None:
        if not self.composer.units():
            self.click(here)

    def _after(self, clicked: Clicked, here: Hex | None) -> None:
        match clicked:
            case Clicked.READY:
                self.give()
            case Clicked.REFUSED:
                self.show_draft()
                if self.composer.refused is not None and here is not None:
                    self.show_hint(here, cite(self.composer.refused))
            case Clicked.PICKED | Clicked.NOTHING:
                self.show_draft()

    def give(self) -> None:
        """Give the draft as an order, if it is one."""
        order = self.composer.draft()
        if order is None or not self.composer.is_complete:
            return
        try:
            self.match.order(order)
        except Refused as refused:
            self.composer.refused = refused
            self.show_draft()
            return
        if self.match.awaits_answer:
            self.composer.reset()
            self.show_draft()
            return
        self._changed()

    def follow(self) -> None:
        """Show what came from elsewhere; whoever looks at the past stays there."""
        if self.match.is_live:
            self._changed()
        else:
            self._show_timeline()
            self.changed.emit()

    def _changed(self) -> None:
        before = self.scene.whereabouts()
        self.refresh()
        self._show_dice()
        if self.animates and self.match.moments():
            self.scene.glide(before, [route.move for route in self.match.moves(self.match.cursor)])
        self.changed.emit()

    def _show_dice(self) -> None:
        """Show the dice of the last order, and the battle that they decided."""
        index = self.match.cursor
        battles = [capital(say(line.text)) for line in self.match.lines(index) if line.kind == "battle"]
        rolls = self.match.tally(index).rolls
        words = battles[-1] if battles else capital(rolls[-1].purpose.replace("_", " ")) if rolls else ""
        self.dice.show_rolls(rolls, words)
        self.place_cards()

    def step_back(self) -> None:
        """Go one step back: close what is open, take back a pick, then the selection."""
        if self.goto.isVisible():
            self.goto.hide()
            self.map.setFocus()
        elif self.scene.fanned is not None:
            self.scene.fan(None)
        elif self.composer.back():
            self.show_draft()
        elif self.selected_hex is not None or self.map.cursor_hex is not None:
            self.selected_hex = None
            self.map.set_cursor(None)
            self.hint.hide()
            self.show_draft()

    def accept(self) -> None:
        """Do what Enter means: give a draft that is seen whole, else pick the hex under the cursor, else give what there is."""
        seen_whole = self.composer.is_complete and (self.map.cursor_hex is None or self.composer.preview() is not None)
        if seen_whole or not self.map.pick_cursor():
            self.give()

    def undo(self) -> None:
        """Take the last order back."""
        self._try(self.match.undo)

    def redo(self) -> None:
        """Bring an undone order back."""
        self._try(self.match.redo)

    def _try(self, act: Callable[[], None]) -> None:
        self.thinker.drop()
        try:
            act()
        except Refused as refused:
            self.said.emit(cite(refused))
            self._bot_timer.start(BOT_PAUSE_MS)
            return
        self.log.forget()
        self._changed()

    # ---------------------------------------------------------------- bots

    def _ask_bot(self) -> None:
        match = self.match
        if isinstance(match, LocalMatch) and match.bot_to_act and not self.thinker.is_busy:
            seed = f"{match.match.game} {len(match.match.log)}"
            self.thinker.ask(match.bot_to_act, match.bot_view(), seed)

    def _bot_decided(self, order: object) -> None:
        match = self.match
        if not isinstance(match, LocalMatch):
            return
        try:
            match.bot_order(order)  # type: ignore[arg-type]
        except Refused as refused:
            self.said.emit(self.tr("The bot gave an order that is refused: {why}").format(why=cite(refused)))
            return
        self.follow()
        if not match.is_live:
            self._bot_timer.start(BOT_PAUSE_MS)

    def _bot_failed(self, error: object) -> None:
        if isinstance(error, (BadInput, Broken, Refused)):
            self.said.emit(self.tr("The bot can't go on: {why}").format(why=str(error)))
            return
        assert isinstance(error, BaseException), "a thread fails by an exception"
        raise error

    # ---------------------------------------------------------------- time

    def seek(self, index: int) -> None:
        """Show another moment."""
        if 0 <= index < len(self.match.moments()) and index != self.match.cursor:
            self.match.seek(index)
            if self.match.is_live:
                self.refresh()
                return
            self._show_moment()
            self.prompt.hide()
            self.timeline.strip.show_cursor(index)
            self.timeline.show_state(index, len(self.match.moments()), live=False)
            self._settling.start(SETTLE_MS)

    def back_to_now(self) -> None:
        """Show the present."""
        self.timeline.stop()
        self.seek(len(self.match.moments()) - 1)

    def step(self, by: int) -> None:
        """Step entries."""
        self.seek(max(0, min(len(self.match.moments()) - 1, self.match.cursor + by)))

    def step_to_change(self, by: int, *, what: str) -> None:
        """Step to where ``phase``, ``turn`` changes, or to the next ``battle`` or ``bookmark``; nowhere if there is none."""
        moments, here = self.match.moments(), self.match.moments()[self.match.cursor]
        tests: dict[str, Callable[[Moment], bool]] = {
            "battle": lambda there: bool(there.battles),
            "bookmark": lambda there: there.number in self.bookmarks.notes,
            "turn": lambda there: there.turn != here.turn,
            "phase": lambda there: (there.turn, there.phase) != (here.turn, here.phase),
        }
        ahead = range(self.match.cursor + by, len(moments) if by > 0 else -1, by)
        found = next((index for index in ahead if tests[what](moments[index])), None)
        if found is None and what in ("turn", "phase"):
            found = len(moments) - 1 if by > 0 else 0
        if found is None:
            self.said.emit(self.tr("There is none that way"))
        else:
            self.seek(found)

    def toggle_bookmark(self) -> None:
        """Set a bookmark at the shown moment, or take it away."""
        number = self.match.moments()[self.match.cursor].number
        try:
            is_set = self.bookmarks.toggle(number, reading.moment_card(self.match, self.match.cursor).partition("\n")[0])
        except OSError as error:
            self.said.emit(self.tr("The bookmark could not be saved: {why}").format(why=str(error)))
            return
        self.said.emit(self.tr("Bookmark set") if is_set else self.tr("Bookmark taken away"))
        self._show_timeline()

    # ---------------------------------------------------------------- places

    def next_stack(self) -> None:
        """Select the next stack that can act."""
        hexes = sorted({here for places in self.composer.able().values() for here in places})
        if not hexes:
            return
        now = self.selected_hex if self.selected_hex is not None else -1
        after = [here for here in hexes if here > now]
        chosen = after[0] if after else hexes[0]
        self.composer.reset()
        self.map.show_hex(chosen)
        self.click(chosen)

    def next_task(self) -> None:
        """Go to the next thing to do: what must be done first."""
        for task in sorted(self._tasks, key=lambda task: not task.must):
            if task.hexes:
                self._visit(task.hexes)
                return

    def _visit(self, hexes: Sequence[Hex]) -> None:
        """Go to the first of these hexes after the selected one."""
        now = self.selected_hex if self.selected_hex is not None else -1
        after = [here for here in hexes if here > now]
        self._go_to(after[0] if after else hexes[0])

    def _go_to(self, here: Hex) -> None:
        self.map.set_cursor(here)
        self.selected_hex = here
        self._show_stack()

    def ask_hex(self) -> None:
        """Ask for a hex to go to."""
        self.goto.clear()
        self.goto.show()
        self.goto.raise_()
        self.goto.setFocus()

    def _goto_entered(self) -> None:
        found = reading.find_hex(self.match, self.goto.text())
        if found is None:
            self.said.emit(self.tr("There is no hex {name} on this map").format(name=self.goto.text()))
            self.goto.selectAll()
            return
        self.goto.hide()
        self.map.setFocus()
        self._go_to(found)

    def fan(self) -> None:
        """Spread the stack under the cursor, or close it."""
        here = self.map.cursor_hex if self.map.cursor_hex is not None else self.map.hovered
        self.scene.fan(None if self.scene.fanned is not None else here)

    # ---------------------------------------------------------------- the cursor

    def _hovered(self, here: Hex | None) -> None:
        self._hover = here
        self._show_path()

    def _show_path(self) -> None:
        """Show the way to the hex under the cursor and its sum, or why there is none."""
        here, composer = self._hover, self.composer
        way = composer.ways().get(here) if here is not None else None
        start = self.selected_hex
        if way is not None and start is not None and composer.units():
            self.scene.path.show([[start, *way.path]])
            words = self.tr("{cost} movement points").format(cost=reading.quarters(way.cost_quarters))
            if way.warning is not None:
                words += f"\n{capital(say(way.warning))}"
            self.show_hint(way.hex, words)
            return
        self.scene.path.show([])
        preview = composer.preview_with(HexPick(here)) if here is not None and composer.units() else None
        if preview is not None and here is not None:
            self.show_hint(here, " · ".join(filter(None, (brief_odds(preview), say(preview.title)))))
            return
        why = composer.why_not(here) if here is not None and composer.units() else None
        if why is not None and here is not None and here != start:
            self.show_hint(here, cite(why))
        else:
            self.hint.hide()

    # ---------------------------------------------------------------- overlays, theme

    def toggle_moves(self) -> None:
        """Show or hide the moves of the phase."""
        self.shows_moves = not self.shows_moves
        self.refresh()

    def toggle_overlay(self, name: str, side: Side = "") -> None:
        """Show or hide an overlay of one side, or of both."""
        sides = [side] if side else list(self.match.setting.sides)
        on = not all(self._overlays_on.get((name, one), False) for one in sides)
        for one in sides:
            self._overlays_on[name, one] = on
            self._show_overlay(name, one)
        self.overlay_buttons[name].setChecked(any(self._overlays_on.get((name, one)) for one in self.match.setting.sides))

    def _show_overlay(self, name: str, side: Side) -> None:
        key = f"{name} {side}"
        if not self._overlays_on.get((name, side)):
            self.scene.show_overlay(key, None, colour="#000000")
            return
        overlay = self.match.setting.ruleset.overlays[name](self.match.view, side)
        self.scene.show_overlay(key, overlay.hexes, overlay.lines, colour=self._colour(side))

    def set_palette(self, palette: Palette) -> None:
        """Change the theme."""
        self.palette_ = palette
        self.scene.set_palette(palette)
        for part in (self.stack, self.battle, self.log, self.prompt, self.rules, self.forces, self.dice, self.frame, self.minimap):
            part.palette_ = palette
        self.rules.show_found()
        self.forces.write()
        self.header.set_palette(palette)
        self.timeline.set_palette(palette)
        self.log.forget()
        self.style_hint()
        self.refresh()

    @property
    def level(self) -> Level:
        """Return how much the map shows now."""
        return level_at(self.map.scale_now())

    def close_down(self) -> None:
        """Stop timers and threads before the page goes."""
        self._bot_timer.stop()
        self._settling.stop()
        self.timeline.stop()
        self.scene.settle()
        self.scene.tiles.forget_waiting()
        self.thinker.stop()

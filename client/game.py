"""The page of a game: the map with its panels, wired to a match. It shows and asks; the match decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QVBoxLayout, QWidget

from client.map.counters import art_of
from client.map.levels import Level, level_at
from client.map.overlays import Reachable
from client.map.palette import Palette, mixed, side_colour
from client.map.scene import MapScene
from client.map.view import ZOOM_STEPS, MapView
from client.panels.battle import BattlePanel, brief_odds
from client.panels.header import Header, PhaseChip
from client.panels.log import LogPanel
from client.panels.prompt import PromptCard
from client.panels.side import Rail, SidePanel
from client.panels.stack import StackPanel
from client.panels.timeline import Timeline, TurnBlock
from client.panels.todo import Task, TodoPanel
from client.panels.widgets import CounterButton, button
from client.qt import QPoint, QRect, Qt, QTimer, Signal
from client.session.composing import Choice, Clicked, Composer
from client.session.local import LocalMatch
from client.session.match import Match
from client.style import HEADER_HEIGHT, PANEL_WIDTH, RAIL_WIDTH, TIMELINE_HEIGHT
from client.thinking import Thinker
from client.words import capital, cite, say
from core.board import Hex, HexFacts
from core.errors import BadInput, Broken, Refused
from core.options import Offer
from core.orders import HexPick, OptionPick
from core.ruleset import Way
from core.units import Side, UnitId

NARROW = 1400  # below this width the side panel folds to a rail
BOT_PAUSE_MS = 60  # between a bot's orders, so that they can be followed


class GamePage(QWidget):
    """One game.

    Signals:
        changed(): entries were added, or the head moved.
        said(str): something for the status of the window.
    """

    changed = Signal()
    said = Signal(str)

    def __init__(self, match: Match, palette: Palette) -> None:
        super().__init__()
        self.setObjectName("page")
        self.match = match
        self.palette_ = palette
        self.composer = Composer(match)
        self.selected_hex: Hex | None = None
        self._overlays_on: dict[tuple[str, Side], bool] = {}
        self._hover: Hex | None = None
        self._tasks: list[Task] = []
        self._side_wanted = True
        self._timeline_wanted = True
        self._fitted = False
        self._narrow = False
        self._opened_for_battle = False
        self._build()
        self._wire()
        self.thinker = Thinker(self)
        self.thinker.decided.connect(self._bot_decided)
        self.thinker.failed.connect(self._bot_failed)
        self._bot_timer = QTimer(self)
        self._bot_timer.setSingleShot(True)
        self._bot_timer.timeout.connect(self._ask_bot)
        self.refresh()

    # ---------------------------------------------------------------- building

    def _build(self) -> None:
        match, palette = self.match, self.palette_
        self.scene = MapScene(match.setting.board, match.manifest, match.lettering, palette)
        self.map = MapView(self.scene)
        self.map.setParent(self)
        self.header = Header(palette)
        self.header.setParent(self)
        self.header.title.setText(match.title)
        self.timeline = Timeline(palette)
        self.timeline.setParent(self)
        self.stack = StackPanel(palette, self.scene.nations)
        self.battle = BattlePanel(palette)
        self.battle.show_nothing()
        self.log = LogPanel(palette)
        self.todo = TodoPanel()
        titles = {"stack": self.tr("Stack"), "battle": self.tr("Battle"), "log": self.tr("Log"), "todo": self.tr("To do")}
        pages = {"stack": self.stack, "battle": self.battle, "log": self.log, "todo": self.todo}
        self.side = SidePanel(self, {name: (titles[name], page) for name, page in pages.items()})
        self.rail = Rail(self, titles)
        self.prompt = PromptCard(self.map, palette)
        self.hint = QLabel(self.map)
        self.hint.setObjectName("hint")
        self.hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hint.setTextFormat(Qt.TextFormat.PlainText)
        self.hint.hide()
        self.goto = QLineEdit(self.map)
        self.goto.setPlaceholderText(self.tr("Hex number or name"))
        self.goto.setFixedWidth(220)
        self.goto.hide()
        self.frame = _PastFrame(self.map, palette)
        self.tools = self._tools()
        self._style_hint()

    def _tools(self) -> QFrame:
        tools = QFrame(self.map)
        tools.setObjectName("tools")
        layout = QVBoxLayout(tools)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(2)
        for words, tip, press in (
            ("+", self.tr("Zoom in (+)"), lambda: self.map.zoom_by(1)),
            ("−", self.tr("Zoom out (-)"), lambda: self.map.zoom_by(-1)),
            ("□", self.tr("Whole map (Ctrl+0)"), self.map.zoom_fit),
        ):
            layout.addWidget(button(words, press, name="tool", tip=tip))
        self.overlay_buttons = {}
        for name in self.match.setting.ruleset.overlays:
            tip = self.tr("{overlay} of both sides").format(overlay=capital(name.replace("_", " ")))
            made = button(name[:2].title(), lambda name=name: self.toggle_overlay(name), name="tool", tip=tip, checkable=True)  # type: ignore[misc]
            self.overlay_buttons[name] = made
            layout.addWidget(made)
        return tools

    def _wire(self) -> None:
        self.map.hex_clicked.connect(lambda here, adding: self.click(Hex(here), adding=adding))
        self.map.hex_double_clicked.connect(lambda here: self._take_all(Hex(here)))
        self.map.unit_clicked.connect(lambda unit, adding: self.click_unit(UnitId(unit), adding=adding))
        self.map.hex_hovered.connect(self._hovered)
        self.map.zoomed.connect(lambda scale: self._place_cards())
        self.map.moved.connect(self.hint.hide)
        self.stack.unit_pressed.connect(lambda unit: self.click_unit(UnitId(unit), adding=True))
        self.battle.unit_pressed.connect(lambda unit: self.click_unit(UnitId(unit), adding=True))
        self.battle.give_wanted.connect(self.give)
        self.log.place_wanted.connect(lambda here: self._go_to(Hex(here)))
        self.log.moment_wanted.connect(self.seek)
        self.todo.hexes_wanted.connect(self._visit)
        self.prompt.chosen.connect(self.choose)
        self.prompt.give_wanted.connect(self.give)
        self.prompt.back_wanted.connect(self.step_back)
        self.timeline.sought.connect(self.seek)
        self.timeline.now_wanted.connect(self.back_to_now)
        self.rail.wanted.connect(self._rail_pressed)
        self.goto.returnPressed.connect(self._goto_entered)
        for number in range(1, 10):
            key = QShortcut(str(number), self)
            key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            key.activated.connect(lambda number=number: self.prompt.choose(number))

    # ---------------------------------------------------------------- layout

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay_out()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.lay_out()
        if not self._fitted:
            self._fitted = True
            self._show_front()

    def lay_out(self) -> None:
        """Give each part its place: the map what is left."""
        width, height = self.width(), self.height()
        narrow = width < NARROW
        top = HEADER_HEIGHT
        bottom = height - (TIMELINE_HEIGHT if self._timeline_wanted else 0)
        right = width
        if self._side_wanted:
            right = width - (RAIL_WIDTH if narrow else PANEL_WIDTH + 12)
        self.header.setGeometry(0, 0, width, top)
        self.map.setGeometry(0, top, right, bottom - top)
        self.timeline.setGeometry(0, bottom, width, TIMELINE_HEIGHT)
        self.timeline.setVisible(self._timeline_wanted)
        self.rail.setVisible(narrow and self._side_wanted)
        self.rail.setGeometry(width - RAIL_WIDTH, top, RAIL_WIDTH, bottom - top)
        left = width - PANEL_WIDTH - (RAIL_WIDTH + 6 if narrow else 6)
        self.side.setGeometry(left, top + 6, PANEL_WIDTH, bottom - top - 12)
        if not narrow:
            self.side.setVisible(self._side_wanted)
        elif not self._side_wanted or not self._narrow:
            self.side.hide()
        self._narrow = narrow
        self.side.raise_()
        self.frame.setGeometry(self.map.rect())
        self._place_cards()

    def _show_front(self) -> None:
        """Begin at 100 %, where the counters are."""
        self.map.zoom_to(ZOOM_STEPS.index(1.0))
        occupied, board = self.match.view.position.occupied(), self.match.setting.board
        if occupied:
            thick = max(occupied, key=lambda here: sum(board.distance(here, other) <= 5 for other in occupied))
            self.map.centre_within_map(thick)

    def _place_cards(self) -> None:
        self.tools.adjustSize()
        self.tools.move(10, 10)
        self.prompt.fit()
        self.prompt.move(self._prompt_place())
        self.goto.move((self.map.width() - self.goto.width()) // 2, 14)

    def _prompt_place(self) -> QPoint:
        """Return where the card hides least: a corner of the map, or beside the one hex that it asks about.

        On a tie it stays near that hex, or where it is.
        """
        left, right = self.tools.width() + 22, self._free_width() - self.prompt.width() - 12
        low = self.map.height() - self.prompt.height() - 12
        places = [QPoint(x, y) for y in (10, low) for x in (left, max(left, right))]
        near = self.prompt.pos()
        asked = {c.place for c in self.prompt.keyed if c.place is not None and c.place >= 0}
        if len(asked) == 1:
            near = self._on_screen(Hex(next(iter(asked))))
            for dx, dy in ((60, -self.prompt.height() // 2), (-60 - self.prompt.width(), -self.prompt.height() // 2)):
                x = max(left, min(near.x() + dx, right))
                places.append(QPoint(x, max(10, min(near.y() + dy, low))))
        weights = dict.fromkeys(self.match.view.position.occupied(), 1) | dict.fromkeys(self.composer.ways(), 3)
        weights |= dict.fromkeys(self._aimed_at(), 6)
        if self.selected_hex is not None:
            weights[self.selected_hex] = 6
        points = [(self._on_screen(here), weight) for here, weight in weights.items()]

        def hidden(corner: QPoint) -> tuple[int, int]:
            box = QRect(corner, self.prompt.size()).adjusted(-24, -24, 24, 24)
            return sum(weight for point, weight in points if box.contains(point)), (corner - near).manhattanLength()

        return min(places, key=hidden)

    def _on_screen(self, here: Hex) -> QPoint:
        centre = self.scene.centre(here)
        return self.map.mapFromScene(centre.x, centre.y)

    def _free_width(self) -> int:
        """Return how much of the map's width no panel covers."""
        return self.side.x() if self._narrow and self.side.isVisible() else self.map.width()

    def toggle_side(self) -> None:
        """Show or hide the side panel."""
        self._side_wanted = not self._side_wanted
        self.lay_out()

    def toggle_timeline(self) -> None:
        """Show or hide the timeline."""
        self._timeline_wanted = not self._timeline_wanted
        self.lay_out()

    def toggle_all(self) -> None:
        """Show nothing but the map, or everything again."""
        self._side_wanted = self._timeline_wanted = not (self._side_wanted or self._timeline_wanted)
        self.lay_out()

    def _rail_pressed(self, name: str) -> None:
        if self.side.isVisible() and self.side.current == name:
            self.side.hide()
        else:
            self.side.bring(name)
            self.side.show()
            self.side.raise_()
        self._place_cards()

    # ---------------------------------------------------------------- showing

    def refresh(self) -> None:
        """Show the match as it stands now: after an order, an undo, or a step in time."""
        self.composer.reset()
        view = self.match.view
        weather = view.ruleset.weather(view, view.position.turn)
        self.scene.show_view(view, weather=weather)
        moves = self.match.moves(self.match.cursor) if self.match.moments() else []
        self.scene.moves.show([[Hex(p) for p in move.path if p >= 0] for move in moves])
        self._show_header()
        self._show_timeline()
        self.log.show_match(self.match)
        for (name, side), on in self._overlays_on.items():
            if on:
                self._show_overlay(name, side)
        self.frame.setVisible(not self.match.is_live)
        self.show_draft()
        self._bot_timer.start(BOT_PAUSE_MS)

    def _colour(self, side: Side) -> str:
        return side_colour(self.palette_, self.match.setting.sides, self.match.manifest.side_colours, side)

    def _side_title(self, side: Side) -> str:
        return self.match.manifest.side_titles.get(side, side)

    def _show_header(self) -> None:
        view = self.match.view
        ruleset, position = view.ruleset, view.position
        turn = say(ruleset.turn_name(view, position.turn))
        self.header.turn.setText(self.tr("Turn {turn} · {date}").format(turn=position.turn, date=turn))
        self.header.chips.show_phases(self._chips())
        score = ruleset.score(view)
        self.header.score.setText(" · ".join(f"{self._side_title(side)} {points}" for side, points in score.items()))
        self.header.waits.setText(self._waits())

    def _chips(self) -> tuple[PhaseChip, ...]:
        view = self.match.view
        chips, reached = [], False
        for phase, side in view.ruleset.phases(view):
            now = phase == view.position.phase
            state = "now" if now else "next" if reached else "done"
            reached = reached or now
            chips.append(PhaseChip(say(view.ruleset.phase_name(phase)), self._colour(side), state))
        if not reached:  # before the first phase
            chips = [PhaseChip(chip.name, chip.colour, "next") for chip in chips]
        return tuple(chips)

    def _waits(self) -> str:
        view = self.match.view
        side = view.side_to_act()
        if not side:
            return self.tr("Game over")
        if self.match.may_act:
            return self.tr("{side}: your decision").format(side=self._side_title(side))
        return self.tr("{side} decides").format(side=self._side_title(side))

    def _show_timeline(self) -> None:
        moments, view = self.match.moments(), self.match.view
        scenario, blocks = self.match.setting.scenario, list[TurnBlock]()
        for turn in range(scenario.first_turn, scenario.last_turn + 1):
            indices = [i for i, moment in enumerate(moments) if moment.turn == turn]
            weather = view.ruleset.weather(view, turn)
            tint = {"snow": self.palette_.snow, "mud": mixed(self.palette_.chrome, self.palette_.mud, 0.3)}.get(
                weather, mixed(self.palette_.chrome, self.palette_.paper, 0.7)
            )
            name = f"{turn} · {say(view.ruleset.turn_name(view, turn))}"
            blocks.append(TurnBlock(name, tint, indices[0] if indices else 0, indices[-1] if indices else -1))
        self.timeline.strip.show_moments(moments, blocks, self.match.cursor, colour=self._colour, card=self._moment_card)
        self.timeline.show_state(self.match.cursor, len(moments), live=self.match.is_live)

    def _moment_card(self, index: int) -> str:
        moment, ruleset = self.match.moments()[index], self.match.setting.ruleset
        who = self._side_title(moment.side) if moment.side else self.tr("set-up")
        phase = say(ruleset.phase_name(moment.phase))
        return self.tr("Turn {turn}, {phase}\nEntry {number}, {who}").format(turn=moment.turn, phase=phase, number=moment.number, who=who)

    # ---------------------------------------------------------------- the draft

    def show_draft(self) -> None:
        """Show the order under composition: reach, marks, panels, prompt."""
        composer = self.composer
        units = composer.units()
        self.scene.select(units)
        if units and self.match.view.unit(units[0]).place >= 0:
            self.selected_hex = Hex(self.match.view.unit(units[0]).place)
        self.scene.reach.show(_reachable(composer.ways()))
        self._show_marks(composer.offer() if self.match.may_act else Offer())
        self._show_prompt()
        self._show_panels()
        self._show_path()

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
            words = ", ".join(f"{self._side_title(key)} {value}" for key, value in outcome.score.items())
            self.prompt.show_prompt(heading=outcome.result, words=words, rule="", choices=())
        elif decision is None or not match.is_live:
            self.prompt.hide()
        elif not match.may_act:
            who = self.tr("{side} decides").format(side=self._side_title(decision.side))
            prompt = view.prompt()
            words = capital(say(prompt)) if prompt is not None else ""
            self.prompt.show_prompt(heading=who, words=words, rule=decision.rule, choices=())
        else:
            self._show_own_prompt(decision.rule)
        self._place_cards()

    def _show_own_prompt(self, rule: str) -> None:
        composer, view = self.composer, self.match.view
        prompt = view.prompt()
        heading = capital(say(prompt)) if prompt is not None else self._waits()
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
        composer, view = self.composer, self.match.view
        self.stack.show_hex(view, self.selected_hex, composer.units())
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

    def _targets(self) -> list[UnitId]:
        view = self.match.view
        enemy = view.other(view.side_to_act())
        return [unit for here in self._aimed_at() for unit in view.side_at(here, enemy)]

    def _counter_button(self, unit: UnitId, *, picked: bool) -> CounterButton:
        view = self.match.view
        made = CounterButton(art_of(view, unit, self.scene.nations), self.palette_, picked=picked, tip=view.name(unit), size=46)
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
                self._tasks.append(Task(self.tr("{order}: %n place(s)", "", len(hexes)).format(order=capital(what)), hexes))
        self.todo.show_tasks(self._tasks, "" if match.may_act else self._waits())

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
                    self._show_hint(here, cite(self.composer.refused), warns=True)
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
        self._changed()

    def _changed(self) -> None:
        self.refresh()
        self.changed.emit()

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
        if match.is_live:
            self._changed()
        else:
            self._show_timeline()
            self.changed.emit()
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
            self.refresh()

    def back_to_now(self) -> None:
        """Show the present."""
        self.timeline.stop()
        self.seek(len(self.match.moments()) - 1)

    def step(self, by: int) -> None:
        """Step entries."""
        self.seek(max(0, min(len(self.match.moments()) - 1, self.match.cursor + by)))

    def step_to_change(self, by: int, *, what: str) -> None:
        """Step to where ``phase``, ``turn`` changes, or to the next ``battle``."""
        moments, index = self.match.moments(), self.match.cursor
        here = moments[index]
        while 0 <= index + by < len(moments):
            index += by
            there = moments[index]
            if what == "battle" and there.battles:
                break
            if what == "turn" and there.turn != here.turn:
                break
            if what == "phase" and (there.turn, there.phase) != (here.turn, here.phase):
                break
        self.seek(index)

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
        self.stack.show_hex(self.match.view, here, self.composer.units())

    def ask_hex(self) -> None:
        """Ask for a hex to go to."""
        self.goto.clear()
        self.goto.show()
        self.goto.raise_()
        self.goto.setFocus()

    def _goto_entered(self) -> None:
        found = find_hex(self.match, self.goto.text())
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
            words = self.tr("{cost} movement points").format(cost=quarters(way.cost_quarters))
            if way.warning is not None:
                words += f"\n{capital(say(way.warning))}"
            self._show_hint(way.hex, words, warns=way.warning is not None)
            return
        self.scene.path.show([])
        preview = composer.preview_with(HexPick(here)) if here is not None and composer.units() else None
        if preview is not None and here is not None:
            self._show_hint(here, " · ".join(filter(None, (brief_odds(preview), say(preview.title)))), warns=False)
            return
        why = composer.why_not(here) if here is not None and composer.units() else None
        if why is not None and here is not None and here != start:
            self._show_hint(here, cite(why), warns=True)
        else:
            self.hint.hide()

    def _show_hint(self, here: Hex, words: str, *, warns: bool) -> None:
        centre = self.scene.centre(here)
        point = self.map.mapFromScene(centre.x, centre.y)
        self.hint.setText(words)
        self.hint.setProperty("warns", warns)
        self.hint.setMaximumWidth(300)
        self.hint.setWordWrap(len(words) > 46)
        self.hint.adjustSize()
        x = min(point.x() + 34, self.map.width() - self.hint.width() - 6)
        self.hint.move(max(4, x), max(4, min(point.y() - 46, self.map.height() - self.hint.height() - 4)))
        self.hint.show()
        self.hint.raise_()

    def _style_hint(self) -> None:
        p = self.palette_
        self.hint.setStyleSheet(
            f"QLabel#hint {{ background: {p.card}; border: 1px solid {p.ink_soft}; border-radius: 6px; padding: 4px 8px; color: {p.ink}; }}"
        )

    # ---------------------------------------------------------------- overlays, theme

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
        for part in (self.stack, self.battle, self.log, self.prompt, self.frame):
            part.palette_ = palette
        self.header.set_palette(palette)
        self.timeline.set_palette(palette)
        self.log.forget()
        self._style_hint()
        self.refresh()

    @property
    def level(self) -> Level:
        """Return how much the map shows now."""
        return level_at(self.map.scale_now())

    def close_down(self) -> None:
        """Stop timers and threads before the page goes."""
        self._bot_timer.stop()
        self.timeline.stop()
        self.thinker.stop()


class _PastFrame(QWidget):
    """A thin amber frame over the map: this is not now."""

    def __init__(self, parent: QWidget, palette: Palette) -> None:
        super().__init__(parent)
        self.palette_ = palette
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, 0, self.width(), 4, QColor(self.palette_.accent))
        painter.fillRect(0, self.height() - 4, self.width(), 4, QColor(self.palette_.accent))
        painter.fillRect(0, 0, 4, self.height(), QColor(self.palette_.accent))
        painter.fillRect(self.width() - 4, 0, 4, self.height(), QColor(self.palette_.accent))
        painter.end()


def quarters(cost: int) -> str:
    """Return quarter points as people write them.

    >>> quarters(10)
    '2½'
    """
    whole, part = divmod(cost, 4)
    fraction = ("", "¼", "½", "¾")[part]
    return f"{whole or ''}{fraction}" or "0"


def _reachable(ways: dict[Hex, Way]) -> dict[Hex, Reachable]:
    """Return reach in three tints by the share of the dearest way."""
    most = max((way.cost_quarters for way in ways.values()), default=0) or 1
    return {
        here: Reachable(min(2, 3 * way.cost_quarters // (most + 1)), quarters(way.cost_quarters), way.warning is not None)
        for here, way in ways.items()
    }


def find_hex(match: Match, words: str) -> Hex | None:
    """Return the hex of a label, of the end of one, or of a place's name; None if there is none."""
    wanted, facts = words.strip().casefold(), match.setting.board.facts
    if not wanted:
        return None
    tests: tuple[Callable[[HexFacts], bool], ...] = (
        lambda fact: fact.label.casefold() == wanted,
        lambda fact: fact.label[-4:] == wanted,
        lambda fact: fact.name.casefold() == wanted,
        lambda fact: fact.name.casefold().startswith(wanted),
    )
    for test in tests:
        for index, fact in enumerate(facts):
            if test(fact):
                return Hex(index)
    return None

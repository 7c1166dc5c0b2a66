"""The page of a game: the map with its panels, wired to a match. It shows and asks; the match decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QApplication, QLineEdit

from client import reading
from client.map.levels import Level, level_at
from client.map.palette import Palette
from client.page.bots import BotSeats
from client.page.drafting import DraftTable
from client.page.dragging import Dragging
from client.page.handing import HandingCard
from client.page.kept import Kept
from client.page.overlays import OverlaySwitches
from client.page.time import TimeTravel
from client.panels.notes import Note
from client.panels.prompt import Lead
from client.qt import Qt, Signal
from client.session.bookmarks import Bookmarks
from client.session.composing import MAX_CHOICES, Choice, Clicked
from client.session.local import LocalMatch
from client.session.match import Match
from client.session.stacks import stacked
from client.session.tally import throws_of
from client.weakly import weakly
from client.words import capital, cite, say
from core.board import Hex
from core.errors import Refused
from core.orders import OptionPick, UnitPick
from core.units import Side, UnitId

LEAST_SPREAD = 0.71  # pixels a scene unit that a stack is spread with by a key where counters are blocks
LATELY = 8  # moments that may come at a stroke, as answers to an order do, and leave its dice worth seeing


class GamePage(DraftTable):
    """One game.

    Args:
        at_once: whether the match is shown at once; else `go_on_with` follows.

    Signals:
        changed(): entries were added, or the head moved.
        said(str): something for the status of the window.
        copy_wanted(): the game shall be saved as a file somewhere.
        start_wanted(): another game shall be begun.
    """

    changed = Signal()
    said = Signal(str)
    copy_wanted = Signal()
    start_wanted = Signal()

    def __init__(self, match: Match, palette: Palette, bookmarks: Bookmarks | None = None, *, at_once: bool = True) -> None:
        super().__init__(match, palette)
        self.animates = True
        self._left: tuple[Hex, Hex] | None = None  # where the counters of the last order went, and the hex that they left empty
        self._gave = False  # whether the last click on a hex gave an order
        self._told_to = len(match.moments())  # before which all dice were shown
        self.moves_of = "phase"  # whose moves are drawn: of the "phase", of the "turn" before and this one, of none
        self.time = TimeTravel(match, bookmarks if bookmarks is not None else Bookmarks(), self)
        self.overlays = OverlaySwitches(match, self.scene, weakly(self._colour))
        self.bots = BotSeats(match, self)
        self.dragging = Dragging(self, weakly(self._after))
        self.handing = HandingCard(self.map, match)
        self.other_cards.append(self.handing)
        self._viewer = match.view.viewer
        self._wire()
        if at_once:
            self.refresh()

    def _wire(self) -> None:
        self.map.hex_clicked.connect(lambda here, adding: self.click(Hex(here), adding=adding))
        self.map.hex_double_clicked.connect(lambda here: self._take_all(Hex(here)))
        self.map.unit_clicked.connect(lambda unit, adding: self.click_unit(UnitId(unit), adding=adding))
        self.map.hex_hovered.connect(self._hovered)
        self.map.zoomed.connect(self.place_cards_soon)
        self.map.moved.connect(self.hint.hide)
        self.stack.unit_pressed.connect(lambda unit: self.click_unit(UnitId(unit), adding=True))
        self.battle.unit_pressed.connect(lambda unit: self.click_unit(UnitId(unit), adding=True))
        self.battle.give_wanted.connect(self.give)
        self.log.place_wanted.connect(lambda here: self._go_to(Hex(here)))
        self.log.moment_wanted.connect(self.time.seek)
        self.forces.place_wanted.connect(lambda here: self._go_to(Hex(here)))
        self.record.place_wanted.connect(lambda here: self._go_to(Hex(here)))
        self.notes.moment_wanted.connect(self.time.seek)
        self.notes.written.connect(self.time.note)
        self.notes.removed.connect(self.time.remove_note)
        self.stack.why_wanted.connect(self.toggle_answers)
        for teller in (self.log, self.battle, self.prompt, self.stack, self.record):
            teller.rule_wanted.connect(self.show_rule)
        self.todo.hexes_wanted.connect(self._visit)
        self.side.tab_chosen.connect(lambda name: self.happened.emit())
        self.prompt.chosen.connect(self.choose)
        self.prompt.give_wanted.connect(self.give)
        self.prompt.back_wanted.connect(self.step_back)
        self.prompt.drop_wanted.connect(self.step_all_back)
        self._wire_time()
        self.rail.wanted.connect(self.open_tab)
        self.overlay_wanted.connect(self.toggle_overlay)
        self.handing.taken.connect(self._sit_down)
        self.bots.decided.connect(self.follow)
        self.bots.said.connect(self.said)
        self.goto.returnPressed.connect(self._goto_entered)
        for number in range(10):
            key = QShortcut(str(number), self)
            key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            key.activated.connect(lambda number=number: self._number(number))

    def _wire_time(self) -> None:
        self.timeline.sought.connect(self.time.seek)
        self.timeline.now_wanted.connect(self.back_to_now)
        self.time.passed.connect(self._pass)
        self.time.arrived.connect(self.refresh)
        self.time.marked.connect(self._show_timeline)
        self.time.reached.connect(self._show_battle)
        self.time.said.connect(self.said)

    # ---------------------------------------------------------------- showing

    def refresh(self) -> None:
        """Show the match as it stands now: after an order, an undo, or a step in time; a draft was for what stood before."""
        self.composer.reset()
        self.show_again()

    def show_again(self) -> None:
        """Show everything anew, and the order under composition as it is; what is dragged goes back."""
        self._put_back()
        if self.match.view.viewer != self._viewer:
            self._forget_viewer()
        self._show_moment()
        self.time.rest()
        self.header.score.setText(reading.score_line(self.match))
        self._show_timeline()
        self.log.show_match(self.match)
        self.forces.show_match(self.match)
        self.record.show_match(self.match)
        self.overlays.show()
        self.show_draft()
        self.handing.show_match()
        self.bots.wake()

    def kept(self) -> Kept:
        """Return what a page that is built instead of this one shall go on with; what is dragged goes back."""
        self._put_back()
        return Kept(self.composer, self.selected_hex, self.map.cursor_hex, self.answers, self.moves_of, self.overlays.on())

    def take_over(self, before: GamePage) -> None:
        """Begin with what another page of the same map has painted and written, though its widgets may have gone."""
        self.scene.take_over(before.scene)
        self.minimap.take_over(before.minimap)
        self.log.take_over(before.log)

    def _put_back(self) -> None:
        if self.composer.held:
            self.map.put_back()

    def go_on_with(self, kept: Kept) -> None:
        """Go on where another page of the same match stopped."""
        self.composer, self.answers, self.moves_of = kept.composer, kept.answers, kept.moves_of
        self.overlays.switch(kept.overlays)
        for name, one in self.overlay_buttons.items():
            one.setChecked(self.overlays.is_on(name))
        self.map.set_cursor(kept.cursor_hex)
        self.selected_hex = kept.selected_hex
        self.show_again()

    def _forget_viewer(self) -> None:
        """Forget what was shown to whoever sat at the screen before."""
        self._viewer = self.match.view.viewer
        self.selected_hex = None
        self.map.set_cursor(None)
        self.map.forget_mouse()
        self.scene.fan(None)
        self.hint.hide()
        self.log.forget()
        self.notes.forget()
        self.dice.hide()
        self._told_to = len(self.match.moments()) - 1  # the last one's dice may be told to whoever looks now, as he sees them

    def _sit_down(self) -> None:
        """Show the game to the player who was called, as his side sees it."""
        if isinstance(self.match, LocalMatch) and self.handing.awaits:
            self.match.sit_down()
            self.refresh()
            self._show_dice()
            self.place_cards()
            self.map.setFocus()
            self.changed.emit()

    def _show_moment(self) -> None:
        """Show what can be shown at once: counters, moves, turn and phase; the rest follows when the cursor rests."""
        self.map.let_go()
        view = self.match.view
        weather = view.ruleset.weather(view, view.position.turn)
        self.scene.show_view(view, weather=weather)
        self.scene.moves.show(reading.moves_since(self.match, self.moves_of))
        self._show_minimap(weather)
        self._show_header()
        self.frame.setVisible(not self.match.is_live)

    def _show_minimap(self, weather: str) -> None:
        view, dots = self.match.view, []
        for here in view.position.occupied():
            centre = self.scene.centre(here)
            dots.append((centre.x, centre.y, self._colour(view.side(view.position.at(here)[0]))))
        self.minimap.show_stacks(dots, weather)

    def _show_header(self) -> None:
        self.header.turn.setText(reading.turn_line(self.match))
        self.header.show_phases(reading.phase_chips(self.match, self.palette_))
        self.header.waits.setText(reading.waits_for(self.match))

    def _pass(self, index: int) -> None:
        """Show a moment of the past that the cursor may leave at once."""
        self.composer.reset()
        self._show_moment()
        self.prompt.hide()
        self.timeline.strip.show_cursor(index)
        self.timeline.show_state(index, len(self.match.moments()), live=False)
        self.happened.emit()

    def _show_battle(self, index: int) -> None:
        """Lead the hex cursor to a moment's battle, and its panel to the front."""
        for line in self.match.lines(index):
            for place in line.places if line.kind == "battle" else ():
                if place >= 0:
                    self.map.set_cursor(Hex(place))
        if self.tell_battle(index) and not self._narrow:
            self.side.bring("battle")

    def back_to_now(self) -> None:
        """Show the present, and play no more."""
        self.timeline.stop()
        self.time.back_to_now()

    def _show_timeline(self) -> None:
        match, notes = self.match, self.time.notes()
        self.timeline.strip.show_moments(
            match.moments(),
            reading.turn_blocks(match, self.palette_),
            match.cursor,
            colour=weakly(self._colour),
            card=lambda index: reading.moment_card(match, index),
            flags=notes,
            heights=match.course.losses,
            runs=match.course.runs,
        )
        self._show_notes(notes)
        self.timeline.show_state(match.cursor, len(match.moments()), live=match.is_live)

    def _show_notes(self, notes: Mapping[int, str]) -> None:
        def told(index: int) -> Note:
            return Note(index, reading.moment_card(self.match, index).partition("\n")[0], notes.get(index, ""))

        self.notes.show_notes([told(index) for index in notes], told(self.match.cursor))

    def write_note(self) -> None:
        """Begin to write a note at the shown moment."""
        self.open_side("notes")
        self._show_notes(self.time.notes())  # the cursor may not have rested yet
        self.notes.write_at_now()

    # ---------------------------------------------------------------- acting

    def click(self, here: Hex, *, adding: bool = False) -> None:
        """Do what a click on a hex means."""
        self.selected_hex = here
        entries = len(self.match.moments())
        self._after(self.composer.click(here, adding=adding), here)
        self._gave = self.match.awaits_answer or len(self.match.moments()) > entries

    def click_unit(self, unit: UnitId, *, adding: bool = False) -> None:
        """Do what a click on a counter means."""
        place = self.match.view.unit(unit).place
        self._after(self.composer.click_unit(unit, adding=adding), Hex(place) if place >= 0 else None)

    def choose(self, choice: Choice) -> None:
        """Take a choice of the prompt; one that is closed says why."""
        if choice.refused is not None:
            self.composer.refused = choice.refused
            self.show_draft()
            return
        if isinstance(choice.pick, OptionPick) and choice.pick in [c.pick for c in self.composer.alternatives()]:
            self.composer.switch(choice.pick)
            self.show_draft()
            return
        self._after(self.composer.choose(choice.pick), None)
        if isinstance(choice.pick, UnitPick) and choice.place is not None and choice.place >= 0:
            self.map.show_hex(Hex(choice.place))  # a name on the card may be that of a counter far away
            self.place_cards()

    def _take_all(self, here: Hex) -> None:
        """Take all of a stack that can act; a double click whose first click gave an order is that one click."""
        if not self._gave:
            self.selected_hex = here
            self._after(self.composer.take_all(here), here)

    def _after(self, clicked: Clicked, here: Hex | None) -> None:
        match clicked:
            case Clicked.READY if self.warns and self._undone():
                self.show_draft()  # the card says what is left undone, and asks for Enter
            case Clicked.READY:
                self.give()
            case Clicked.REFUSED | Clicked.NOTHING:
                self.show_draft()
                if here is not None and not self.composer.units() and self.match.view.position.at(here) and self.follows():
                    self.side.bring("stack")  # who can't be ordered about can still be looked at
                if self.composer.refused is not None and here is not None:
                    self.show_hint(here, self.refusal_words(here, self.composer.refused))
            case Clicked.PICKED:
                self.show_draft()
                self.look_at_goals()

    def give(self) -> None:
        """Give the draft as an order, if it is one; without one, what alone can be given."""
        lone = self.composer.lone
        if lone is not None:
            self._after(self.composer.choose(lone), None)
            return
        order = self.composer.draft()
        if order is None or not self.composer.is_complete:
            return
        ordered, left = self.composer.units(), self.selected_hex
        try:
            self.match.order(order)
        except Refused as refused:
            self.composer.refused = refused
            self.show_draft()
            return
        if self.match.awaits_answer:
            self._sent()
            return
        self._go_along(ordered, left)
        self._changed()

    def _go_along(self, units: Sequence[UnitId], left: Hex | None) -> None:
        """Select the hex where counters went, if the one that they left is empty now."""
        places = [self.match.view.unit(unit).place for unit in units if unit in self.match.view.position.units]
        if left is not None and places and places[0] >= 0 and not self.match.view.position.at(left):
            self.selected_hex = Hex(places[0])
            self._left = (self.selected_hex, left)

    def _sent(self) -> None:
        """Show that an order is under way."""
        self.composer.reset()
        self.show_draft()

    def follow(self) -> None:
        """Show what came from elsewhere; whoever looks at the past stays there."""
        if self.match.is_live:
            self._changed()
        else:
            self.frame.show()  # until more came, what is shown was the last that was known
            self._show_timeline()
            self.changed.emit()

    def _changed(self) -> None:
        before = self.scene.whereabouts()
        self.refresh()
        self._show_dice()
        self.place_cards()
        if self.animates and self.match.moments():
            self.scene.glide(before, [route.move for route in self.match.moves(self.match.cursor)])
        self.changed.emit()

    def _show_dice(self) -> None:
        """Show the dice that fell last since some were shown, and the battle that they decided; an answer without dice leaves them."""
        first, self._told_to = self._told_to, len(self.match.moments())
        if self._told_to < first:
            self.dice.hide()  # they were undone
        for index in reversed(range(max(first, self._told_to - LATELY), self._told_to)):
            throws = throws_of(self.match.tally(index).rolls, self.match.lines(index))
            if throws:
                self.dice.show_throws(throws)
            if self._show_fought(index) or throws:
                return

    def _show_fought(self, index: int) -> bool:
        """Show the battle of a moment in its panel; False if there was none."""
        if not self.tell_battle(index):
            return False
        self.fought_in, self.fought_at = self._phase(), (index, self.match.moments()[index].number)
        if not self._narrow:  # where the panel would lie over the map, the card has to do
            self.side.bring("battle")
        return True

    def leads(self) -> list[Lead]:
        """Return the ways on from the end of a game: its replay, how the score was counted, a copy, and another game."""
        ways = [
            Lead(self.tr("Replay from the start"), self.tr("Show the whole game again, moment by moment"), self._replay),
            Lead(self.tr("Score in the log"), self.tr("Show how the score was counted"), self._open_log),
            Lead(self.tr("Save a copy …"), self.tr("Write the game to a file (Ctrl+S)"), self.copy_wanted.emit),
        ]
        if isinstance(self.match, LocalMatch):
            ways.append(Lead(self.tr("New game"), self.tr("Go to the start page; this game is kept"), self.start_wanted.emit))
        return ways

    def _open_log(self) -> None:
        """Show the log; where the panel lies over the map, the same again closes it."""
        if self._narrow:
            self.open_tab("log")
        else:
            self.open_side("log")

    def _replay(self) -> None:
        self.time.seek(0)
        self.timeline.toggle_play()

    def step_back(self) -> bool:
        """Go one step back: close what is open, take back a pick, then the selection; say whether there was one."""
        focused = QApplication.focusWidget()
        if self.map.is_carrying:
            self.map.put_back()
        elif isinstance(focused, QLineEdit) and focused is not self.goto:
            self.map.setFocus()  # out of a search, a note, the chat: keys mean the map again
        elif self.goto.isVisible():
            self.goto.hide()
            self.map.setFocus()
        elif self.scene.fanned is not None:
            self.scene.fan(None)
        elif self.composer.back():
            self.show_draft()
        elif self.selected_hex is not None or self.map.cursor_hex is not None:
            self.selected_hex = self.composer.standby = None
            self.map.set_cursor(None)
            self.hint.hide()
            self.show_draft()
        else:
            return False
        return True

    def step_all_back(self) -> bool:
        """Go all steps back at once, until nothing is put together or selected; say whether there were any."""
        self.composer.as_one()
        if not self.step_back():
            return False
        while self.step_back():
            continue
        return True

    def accept(self) -> None:
        """Do what Enter means, as the card tells: pick the hex under the cursor, or give what there is."""
        if self.handing.awaits:
            self.handing.accept()
            return
        if self.next_pick() is None or not self.map.pick_cursor():
            self.give()

    def lead_through(self) -> None:
        """Fix the way of the draft through the hex under the cursor, or add what stands there, as a click with Shift does."""
        if self.map.cursor_hex is not None and not self.handing.awaits:
            self.click(self.map.cursor_hex, adding=True)

    def undo(self) -> None:
        """Take the last order back."""
        self._try(self.match.undo)

    def redo(self) -> None:
        """Bring an undone order back."""
        self._try(self.match.redo)

    def _try(self, act: Callable[[], None]) -> None:
        """Go back or forth, and tell where that leads to if it is another phase, or somebody else's seat: nothing else would."""
        self.bots.drop()
        before = self._whose_phase()
        try:
            act()
        except Refused as refused:
            self.said.emit(capital(cite(refused)))
            self.bots.wake()
            return
        self.log.forget()
        self.fought_in = None
        self.dice.hide()
        self._told_to = len(self.match.moments())  # what is brought back was shown
        self._changed()
        if self._whose_phase() != before and self.match.outcome is None:
            turn, phase = self._phase()
            told = self.tr("Turn {turn}, {phase} again. {who}")
            names = {"phase": say(self.match.view.ruleset.phase_name(phase)), "who": reading.waits_for(self.match)}
            self.said.emit(told.format(turn=turn, **names))

    # ---------------------------------------------------------------- places

    def next_stack(self) -> None:
        """Select the next stack that can act; by the order type that the player chose, if he did."""
        able = self.composer.able()
        wanted = self.composer.chosen if self.composer.chosen in able else None
        hexes = sorted({here for head, places in able.items() if wanted in (None, head) for here in places})
        if not hexes:
            return
        now = self.selected_hex if self.selected_hex is not None else -1
        if self._left is not None and now == self._left[0]:
            now = self._left[1]  # goes on from there, not from where its counters went
        after = [here for here in hexes if here > now]
        chosen = after[0] if after else hexes[0]
        self.composer.reset()
        if wanted is not None:
            self.composer.choose(wanted)
        if self.map.cursor_hex is None:
            self.map.show_hex(chosen)
        else:  # it would go on telling of where it was, and Enter would mean that hex
            self.map.set_cursor(chosen)
        self.click(chosen)
        self.bring_out([Hex(c.place) for c in self.prompt.keyed if c.place is not None and c.place >= 0] + [chosen])

    def next_task(self) -> None:
        """Go to the next hex for what is being placed; else to the next thing to do, what must be done first."""
        goals = self.goals()
        if goals:
            self._visit(goals)
            return
        for task in sorted(self._tasks, key=lambda task: not task.must):
            if task.hexes:
                self._visit(task.hexes)
                return

    def _visit(self, hexes: Sequence[Hex]) -> None:
        """Go to the one of these hexes that is nearest to what is looked at; from one of them to the next."""
        now = self.selected_hex
        if now is None or now not in hexes:
            self._go_to(min(hexes, key=self._off_sight))
            return
        after = [here for here in hexes if here > now]
        self._go_to(after[0] if after else hexes[0])

    def _off_sight(self, here: Hex) -> float:
        """Return how far a hex is from the cursor, or from the middle of what is seen where the cursor is out of sight."""
        cursor = self.map.cursor_hex
        if cursor is not None and self._is_in_sight(cursor):
            return self.match.setting.board.distance(cursor, here)
        return self.map.off_middle(here)

    def _go_to(self, here: Hex) -> None:
        self.map.set_cursor(here)
        self.selected_hex = here
        self._show_stack()
        self.place_cards()

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
        """Spread the stack under the cursor, else the selected one, with a key for each of its counters, or close it."""
        here = next((one for one in (self.map.cursor_hex, self.map.hovered, self.selected_hex) if one is not None), None)
        if here is None or self.scene.fan_keys or not self.match.view.position.at(here):
            self.scene.fan(None)
            return
        if self.level == Level.FAR:  # there, blocks stand for counters
            self.map.zoom_to_scale(LEAST_SPREAD, self._on_screen(here))
        units = stacked(self.match.view, here)[:MAX_CHOICES]
        self.scene.fan(here, {unit.id: str(number) for number, unit in enumerate(units, 1)})
        self.map.ensureVisible(self.scene.fan_bounds(), 20, 20)

    def _number(self, number: int) -> None:
        """Pick the counter that has this key in the spread stack, or take out a picked one; else the choice of the card."""
        unit = next((unit for unit, key in self.scene.keys_of_fan().items() if key == str(number)), None)
        if unit is not None and unit not in self.scene.unit_keys:
            self.click_unit(unit, adding=True)
        elif not self.prompt.choose(number) and (picked := self._picked_by(number)) is not None:
            self.click_unit(picked, adding=True)

    def _picked_by(self, number: int) -> UnitId | None:
        """Return the counter of the draft that the card offered by a key."""
        return next((unit for unit, key in self.composer.keys_of_picked().items() if key == number), None)

    # ---------------------------------------------------------------- overlays, theme

    def show_moves(self, of: str) -> None:
        """Show the moves of the ``phase``, or of this ``turn`` and the one before; hide them if they are shown."""
        self.moves_of = "" if self.moves_of == of else of
        self.show_again()

    def toggle_overlay(self, name: str, side: Side = "") -> None:
        """Show or hide an overlay of one side, or of both, and let its button tell."""
        self.overlays.toggle(name, side)
        self.overlay_buttons[name].setChecked(self.overlays.is_on(name))
        if self.overlays.shows_nothing(name):
            self.said.emit(self.tr("{overlay}: nothing to show now").format(overlay=reading.overlay_title(name)))
        self.happened.emit()

    def set_palette(self, palette: Palette) -> None:
        """Change the theme."""
        self.palette_ = palette
        self.scene.set_palette(palette)
        written = (self.stack, self.battle, self.log, self.prompt, self.rules, self.forces, self.record, self.notes)
        for part in (*written, self.dice, self.frame, self.minimap):
            part.palette_ = palette
        self.rules.write()
        self.header.set_palette(palette)
        self.timeline.set_palette(palette)
        self.log.forget()
        self.show_again()

    @property
    def level(self) -> Level:
        """Return how much the map shows now."""
        return level_at(self.map.scale_now())

    def close_down(self) -> None:
        """Stop timers and threads before the page goes."""
        self.time.rest()
        self.timeline.stop()
        self.scene.settle()
        self.scene.idle.stop()
        self.bots.stop()

"""The Players panel: seats, who is here, clocks, whom the game waits for; offers, answers given ahead; what a referee does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from client import termwords
from client.durations import clock_face, how_long
from client.map.palette import Palette
from client.panels.ahead import AheadChooser
from client.panels.referee import RefereeBox
from client.panels.widgets import Column, as_tip, button, clear, label, paint_side, program_tip, row
from client.qt import QTimer, Signal
from client.reading import colour_of, held_up, result_of, title_of
from client.session.remote import RemoteMatch
from client.words import capital, say, sentence, side_titles
from core.errors import BadInput
from core.hidden import is_unknown
from core.orders import HexPick, Order, UnitPick, name_of, picks_of
from core.protocol import KeptAnswer, Person
from core.ruleset import Ahead
from core.table import Chair
from core.text import Text, text
from core.units import Side

ALARM_MS = 60_000  # from which a clock is shown as a warning
AT_ONCE = 20  # of those who look on whose programs are told: more are no tip


class SideFrame(QWidget):
    """A frame with a bar of its side's colour at the left."""

    def __init__(self, colour: str) -> None:
        super().__init__()
        self._colour = colour

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_side(self, self._colour, left=0, gap=2)


class PlayersPanel(Column):
    """Shows the table of a server's game.

    Signals:
        act_wanted(str): ``draw``, ``pause``, ``resign``, or ``go_to`` the shown moment.
        seat_wanted(str, str, str): ``take``, ``leave`` or ``free`` a side's seat of a name, let it command the units that are selected
            besides (``more``), ``all`` units, or ``none``.
        ahead_wanted(bool): the order under composition shall be given, and kept as an answer; whether for this turn only.
        prepared_wanted(str, object, bool): a decision that is not open shall be answered when it comes: which, by which `Ahead`,
            whether for this turn only.
        revoke_wanted(str): the answer to a decision shall be forgotten.
        rule_wanted(object): a referee's or the owner's act.
        lobby_wanted(): back to the server's games.
    """

    act_wanted = Signal(str)
    seat_wanted = Signal(str, str, str)
    ahead_wanted = Signal(bool)
    prepared_wanted = Signal(str, object, bool)
    revoke_wanted = Signal(str)
    rule_wanted = Signal(object)
    lobby_wanted = Signal()

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.palette_ = palette
        self._key: object = None
        self._asks = ""  # which button asks for a second word
        self._decision = ""  # that shall be answered ahead
        self._pressed = ""  # the button that was pressed last, below which it is said why that can't be
        self._match: RemoteMatch | None = None
        self.clocks: dict[Side, QLabel] = {}
        self.presence: dict[str, QLabel] = {}  # by side and name of the seat
        self.waits = label("", "soft", wrap=True)
        self.fault = label("", "warning", wrap=True)
        self.buttons: dict[str, QPushButton] = {}
        body = self._holder = QWidget()
        self._body = QVBoxLayout(body)
        self._body.setContentsMargins(0, 0, 0, 0)
        self._body.setSpacing(8)
        self.referee = RefereeBox()
        self.referee.rule_wanted.connect(self._rule)
        tip = self.tr("Go to the lobby; the game goes on (Ctrl+J)")
        back = button(self.tr("Back to the server's games"), self.lobby_wanted.emit, tip=tip)
        for part in (self.waits, body, self.fault, self.referee, back):
            self.column.addWidget(part)
        self.column.addStretch(1)
        self.fault.hide()

    def show_table(self, match: RemoteMatch, *, draft: Order | None) -> None:
        """Show the table as it stands; *draft* is an order that is composed and could be kept as an answer, None without one."""
        now = match.match.table
        key = (
            match.chairs(), match.talk.people, match.talk.unnamed, match.talk.answers, now.ended, now.paused, now.offers.keys(),
            match.is_live, draft, match.may_rule(), match.talk.dropped, now.spectators, now.moved, self.palette_.name, self._asks,
        )
        self._match = match
        if repr(key) != self._key:
            self._key = repr(key)
            self._fill(match, draft)
            self.referee.show_for(match)
        self.tick()

    def tick(self) -> None:
        """Let the clocks run on."""
        match = self._match
        if match is None:
            return
        left = match.talk.left_ms(match.match)
        for side, shown in self.clocks.items():
            if side in left:
                shown.setText(clock_face(left[side]))
                runs = match.match.table.clocks.runs and match.match.table.on_clock() == side
                style = f"font-weight: {700 if runs else 500}; font-size: 18px;"
                shown.setStyleSheet(f"{style} color: {self.palette_.danger};" if left[side] < ALARM_MS else style)
        people = {person.name: person for person in match.talk.people}
        for chair in match.chairs().values():
            if chair.player in people and _seat(chair) in self.presence:
                here, who = self.presence[_seat(chair)], people[chair.player]
                here.setText(self._is_here(who, match.talk.now_ms()))
                here.setToolTip(program_tip(who.programs))
        self.waits.setText(self._waiting(match))

    def _waiting(self, match: RemoteMatch) -> str:
        waiting = match.talk.waiting
        if match.match.outcome is not None:
            return result_of(match)
        if held := held_up(match):
            return held
        lacking = match.match.witnesses.refusal()
        if lacking is not None:
            return sentence(lacking, side_titles(match.manifest))
        if waiting is None or not waiting.side:
            return ""
        words = self.tr("Waits for the {side}, for {time}")
        if match.vacant():
            words = self.tr("Waits for somebody who plays the {side}, for {time}")
        return words.format(side=title_of(match, waiting.side), time=how_long(match.talk.waited_ms()))

    def _is_here(self, person: Person, now_ms: int) -> str:
        if person.here:
            return self.tr("● here")
        return self.tr("○ away for {time}").format(time=how_long(max(0, now_ms - person.since_ms)))

    def tell_fault(self, words: str) -> None:
        """Say why something that was wanted here can't be, below the button that was pressed for it; empty: nothing is wrong."""
        self.fault.setText(words)
        self._place_fault()
        if words:
            QTimer.singleShot(0, self, lambda: self.ensureWidgetVisible(self.fault))  # once it has its place

    def _place_fault(self) -> None:
        """Put what was said where it was asked for, or below all that can be asked for."""
        pressed = self.buttons.get(self._pressed)
        holder = pressed.parentWidget() if pressed is not None else None
        layout = holder.layout() if holder is not None else None
        if isinstance(layout, QVBoxLayout) and pressed is not None:
            layout.insertWidget(layout.indexOf(pressed) + 1, self.fault)
        else:
            self.column.insertWidget(self.column.indexOf(self._holder) + 1, self.fault)
        self.fault.setVisible(bool(self.fault.text()))

    def _rule(self, act: object) -> None:
        self._pressed = ""
        self.rule_wanted.emit(act)

    # ---------------------------------------------------------------- building

    def _fill(self, match: RemoteMatch, draft: Order | None) -> None:
        self.column.insertWidget(self.column.indexOf(self._holder) + 1, self.fault)  # it stays, whatever it was put below
        clear(self._body)
        self.clocks.clear()
        self.presence.clear()
        self.buttons.clear()
        for side in match.match.table.sides:
            self._body.addWidget(self._side(match, side))
        self._onlookers(match)
        self._agreed(match)
        self._offers(match)
        self._answers(match, draft)
        self._place_fault()

    def _side(self, match: RemoteMatch, side: Side) -> QWidget:
        holder = SideFrame(colour_of(match, self.palette_, side))
        column = QVBoxLayout(holder)
        column.setContentsMargins(14, 2, 0, 2)
        column.setSpacing(4)
        clock = label("")
        clock.setAccessibleName(self.tr("Clock of the {side}").format(side=title_of(match, side)))
        if match.match.table.clocks.are_kept:
            self.clocks[side] = clock
        column.addLayout(row(label(title_of(match, side), "subheading"), clock, stretch=0))
        for chair in match.chairs().values():
            if chair.side == side:
                self._chair(column, match, chair)
        return holder

    def _chair(self, column: QVBoxLayout, match: RemoteMatch, chair: Chair) -> None:
        here = label("", "soft")
        kept = self.tr("kept for {player}").format(player=chair.kept_for) if chair.kept_for else self.tr("free")
        who = chair.player or kept
        words = f"{chair.name}: {who}" if chair.name else who
        if chair.units is not None:
            is_known = not any(is_unknown(unit) for unit in chair.units)
            units = text("{n} {n:unit|units}", n=len(chair.units)) if is_known else text("some units")
            words = f"{words} ({say(units)})"
        column.addLayout(row(label(words, wrap=True), here, stretch=0))
        if chair.player:
            self.presence[_seat(chair)] = here
        if match.match.outcome is None:
            self._seat_buttons(column, match, chair)

    def _seat_buttons(self, column: QVBoxLayout, match: RemoteMatch, chair: Chair) -> None:
        if match.may_limit(chair):
            self._seat_button(column, "more", chair, self.tr("Let it command the selected stack"))
            if chair.units is None:
                self._seat_button(column, "none", chair, self.tr("Let it command nothing"))
            else:
                self._seat_button(column, "all", chair, self.tr("Let it command everything"))
        if not chair.player:
            if match.why_not_sit(chair) is None:
                self._seat_button(column, "take", chair, self.tr("Sit down here"))
            if match.may_let_others_sit(chair):
                self._seat_button(column, "open", chair, self.tr("Let others sit here"))
        elif chair.player == match.player:
            self._leaving(column, match, chair)
        elif self._may_free(match):
            self._seat_button(column, "free", chair, self.tr("Free this seat"))

    def _leaving(self, column: QVBoxLayout, match: RemoteMatch, chair: Chair) -> None:
        """Let a seat be left: at once before the first order, after it on a second word."""
        key = f"leave {_seat(chair)}"
        if not match.match.table.moved:
            self._seat_button(column, "leave", chair, self.tr("Leave this seat"))
        elif self._asks != key:
            self._button(column, f"ask {key}", self.tr("Leave this seat …"), lambda: self._ask_for(key))
        else:
            column.addWidget(label(self._what_leaving_means(match, chair), "warning", wrap=True))
            self._seat_button(column, "leave", chair, self.tr("Yes, leave it"))
            self._button(column, f"stay {_seat(chair)}", self.tr("No, stay"), lambda: self._ask_for(""))

    def _what_leaving_means(self, match: RemoteMatch, chair: Chair) -> str:
        words = [self.tr("Leave this seat? Whenever the {side} must decide, the game waits for whoever sits here.")]
        if match.match.table.clocks.are_kept:
            words.append(self.tr("The clock of the {side} runs on."))
        if len(match.my_sides()) > 1:
            words.append(self.tr("Others may sit down here."))
        else:
            words.append(self.tr("It is kept for you; you, the game's owner or a referee can let others sit here."))
        return " ".join(words).format(side=title_of(match, chair.side))

    @staticmethod
    def _may_free(match: RemoteMatch) -> bool:
        """Say whether another's seat may be freed here: by a referee, and by the game's owner before its first order."""
        begun = any(entry.order for entry in match.match.log.entries)
        return match.may_rule() or (match.match.terms.owner == match.player and not begun)

    def _seat_button(self, column: QVBoxLayout, what: str, chair: Chair, words: str) -> None:
        def wanted() -> None:
            self._asks = ""
            self.seat_wanted.emit(what, chair.side, chair.name)

        self._button(column, f"{what} {_seat(chair)}", words, wanted).setToolTip(as_tip(f"{words}: {_seat(chair)}"))

    def _onlookers(self, match: RemoteMatch) -> None:
        watching = [person for person in match.talk.people if not person.sides]
        if watching:
            names = ", ".join(person.name for person in watching)
            if match.talk.unnamed:
                names = f"{names} {say(text('and {n} more', n=match.talk.unnamed))}"
            told = label(self.tr("Looking on: {names}").format(names=names), "soft", wrap=True)
            told.setToolTip(as_tip("\n".join(f"{one.name}: {', '.join(one.programs)}" for one in watching[:AT_ONCE] if one.programs)))
            self._body.addWidget(told)

    def _agreed(self, match: RemoteMatch) -> None:
        terms = match.match.terms
        told = (
            termwords.clock_words(terms.clock), termwords.dice_words(terms.dice),
            termwords.spectator_words(match.match.table.spectators, side_titles(match.manifest)), *termwords.ruling_words(terms),
        )
        self._body.addWidget(label("\n".join(capital(words) for words in told), "soft", wrap=True))

    def _offers(self, match: RemoteMatch) -> None:
        if match.match.outcome is None and match.leads_any():
            self._act("draw", self.tr("Offer a draw"))
            if not match.match.table.paused:
                self._act("pause", self.tr("Ask for a pause"))
            if self._asks == "resign":
                self._body.addWidget(label(self.tr("Resign for good? The other side wins."), "warning", wrap=True))
                self._act("resign", self.tr("Yes, resign"))
                self._add("stay", self.tr("No, play on"), lambda: self._ask_for(""))
            else:
                self._add("ask_resign", self.tr("Resign …"), lambda: self._ask_for("resign"))
        if not match.is_live and (match.may_rule() or (match.leads_any() and match.match.outcome is None)):
            asks = self.tr("Go back to the shown moment") if match.may_rule() else self.tr("Ask to go back to the shown moment")
            self._act("go_to", asks)

    def _ask_for(self, what: str) -> None:
        """Ask for a second word to something; empty: to nothing any more."""
        self._asks = what
        if self._match is not None:
            match = self._match
            QTimer.singleShot(0, self, lambda: self.show_table(match, draft=None))  # not amidst a signal of what goes

    def _act(self, what: str, words: str) -> None:
        def wanted() -> None:
            self._asks = ""
            self.act_wanted.emit(what)

        self._add(what, words, wanted)

    def _add(self, what: str, words: str, press: Callable[[], object]) -> None:
        self._button(self._body, what, words, press)

    def _button(self, column: QVBoxLayout, what: str, words: str, press: Callable[[], object]) -> QPushButton:
        def pressed() -> None:
            self._pressed = what
            press()

        made = self.buttons[what] = button(words, pressed, tip=words)
        column.addWidget(made)
        return made

    def _answers(self, match: RemoteMatch, draft: Order | None) -> None:
        kept = [(side, answer) for side, answers in match.talk.answers.items() for answer in answers]
        prepared = self._prepared(match)
        if not kept and draft is None and not prepared and match.talk.dropped is None:
            return
        self._body.addWidget(label(self.tr("Answers given ahead"), "subheading"))
        if match.talk.dropped is not None:
            self._body.addWidget(label(self._dropped(match, match.talk.dropped), "warning", wrap=True))
        for _, answer in kept:
            self._body.addWidget(label(self._told(match, answer), wrap=True))
            forget = self.tr("Forget this answer")
            self._add(f"revoke {answer.decision}", forget, lambda decision=answer.decision: self.revoke_wanted.emit(decision))  # type: ignore[misc]
        if draft is not None:
            if any(isinstance(pick, UnitPick | HexPick) for pick in picks_of(draft)):
                words = self.tr("Your order names counters or hexes. As an answer it is used again only where just these may do just this; "
                                "the first time they may not, it is dropped, and you decide.")
                self._body.addWidget(label(words, "soft", wrap=True))
            self._add("ahead turn", self.tr("Answer so, all this turn"), lambda: self.ahead_wanted.emit(True))
            self._add("ahead", self.tr("Answer so from now on"), lambda: self.ahead_wanted.emit(False))
        if prepared:
            self._ask_ahead(match, prepared)

    @staticmethod
    def _prepared(match: RemoteMatch) -> list[tuple[str, Ahead]]:
        """Return the answers that can be given before their decision is open, with the decision, by whoever sits for a side to the end."""
        if match.match.outcome is not None or not match.leads_any():
            return []
        listed = match.setting.ruleset.ahead.items()
        return [(name, answer) for name, answers in listed for answer in answers if answer.side in ("", *match.my_sides())]

    def _ask_ahead(self, match: RemoteMatch, prepared: Sequence[tuple[str, Ahead]]) -> None:
        """Ask for an answer to a decision that may come up later."""
        titles = match.setting.ruleset.titles
        chooser = self.prepared = AheadChooser([(name, titles[name], answer) for name, answer in prepared])
        chooser.decision.currentIndexChanged.connect(lambda: self._keep_decision(chooser))
        chooser.choose(self._decision)
        words = self.tr("Before a decision comes up, only what names no counter and no hex can be answered. When this comes up:")
        self._body.addWidget(label(words, "soft", wrap=True))
        self._body.addWidget(chooser)
        for what, words, turn in (
            ("prepare turn", self.tr("Keep this answer, all this turn"), True), ("prepare", self.tr("Keep this answer from now on"), False),
        ):
            self._add(what, words, lambda turn=turn: self.prepared_wanted.emit(*chooser.chosen(), turn))  # type: ignore[misc]

    def _keep_decision(self, chooser: AheadChooser) -> None:
        """Remember which decision was chosen: the panel is filled anew when something at the table changes."""
        self._decision, _ = chooser.chosen()

    @staticmethod
    def _dropped(match: RemoteMatch, why: Text) -> str:
        """Return why an answer was dropped, with its decision called as players call it."""
        title = match.setting.ruleset.titles.get(str(why.args.get("decision")))
        return capital(say(why if title is None else msgspec.structs.replace(why, args={**why.args, "decision": say(title)})))

    def _told(self, match: RemoteMatch, answer: KeptAnswer) -> str:
        ruleset = match.setting.ruleset
        title = ruleset.titles.get(answer.decision)
        decision = answer.decision if title is None else say(title)
        try:
            order = match.match.codec.decode(answer.order)
        except BadInput:  # a server may tell what it likes
            what = "?"
        else:
            known = [one.label for one in ruleset.ahead.get(answer.decision, ()) if match.order_of(one) == order]
            what = capital(say(known[0] if known else ruleset.orders[name_of(type(order))].label))
        if answer.turn < 0:
            return self.tr("{decision}: {order}").format(decision=decision, order=what)
        return self.tr("{decision}: {order}, up to turn {turn}").format(decision=decision, order=what, turn=answer.turn)


def _seat(chair: Chair) -> str:
    """Return by what a seat's buttons and words are found: its side, and its name if it has one."""
    return f"{chair.side} {chair.name}".strip()

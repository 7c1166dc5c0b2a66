"""The prompt card: who decides what by which rule, and the choices as buttons with keys 1 to 9, and 0 for what ends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from client.map.palette import Palette
from client.panels.card import Card
from client.panels.links import linked, rule_label, rule_of, show_rules
from client.panels.widgets import button, clear, paint_side, row
from client.qt import Qt, Signal
from client.scale import px
from client.session.composing import Choice
from client.words import capital, cite, say
from core.orders import Pick

BAND = 20  # before the words, with the side's colour in it
GAP = 6


class Lead(NamedTuple):
    """A way on that is no choice of the game."""

    words: str
    tip: str
    act: Callable[[], object]


class PromptCard(Card):
    """Floats over the map.

    Signals:
        chosen(object): a `Choice` was taken; if it is closed, its reason is wanted.
        give_wanted(): the draft shall be given as it stands.
        back_wanted(): one step back.
        drop_wanted(): all steps back.
        rule_wanted(str): a rule's number was clicked.
    """

    chosen = Signal(object)
    give_wanted = Signal()
    back_wanted = Signal()
    drop_wanted = Signal()
    rule_wanted = Signal(str)

    def __init__(self, parent: QWidget, palette: Palette) -> None:
        super().__init__(parent, left=BAND)
        self.palette_ = palette
        self.side_colour = palette.ink_soft
        self._open: list[Choice] = []
        self._buttons: dict[Pick, QPushButton] = {}
        self._plain: dict[QPushButton, str] = {}  # the words of choices without their key, and without the sign for Enter
        self.primary: QPushButton | None = None  # what Enter presses
        self.back: QPushButton | None = None
        self.drop: QPushButton | None = None
        self.heading = self.written("subheading", less=px(76))
        self.words = self.written("soft")
        self.rule = rule_label()
        self.choices = QVBoxLayout()
        self.choices.setSpacing(GAP)
        self.note = self.written("warning")
        self.note.setTextFormat(Qt.TextFormat.RichText)
        for part in (self.rule, self.note):
            part.linkActivated.connect(lambda target: self.rule_wanted.emit(rule_of(target)))
        top = row(self.heading)
        top.addStretch(1)
        top.addWidget(self.rule, 0, Qt.AlignmentFlag.AlignTop)
        self.column.addLayout(top)
        self.column.addWidget(self.words)
        self.column.addLayout(self.choices)
        self.column.addWidget(self.note)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_side(self, self.side_colour, left=1, gap=8)

    def show_prompt(
        self,
        *,
        heading: str,
        words: str,
        rule: str,
        choices: Sequence[Choice],
        give: str = "",
        gives: bool = True,
        lone: Pick | None = None,
        entered: Pick | None = None,
        back: str = "",
        drop: str = "",
        note: str = "",
        leads: Sequence[Lead] = (),
    ) -> None:
        """Show a decision.

        Args:
            give: what gives the draft, empty where it isn't whole.
            gives: whether Enter does so.
            lone: the choice that is the only one.
            entered: the choice that Enter takes, None if it takes none of these.
            back: what a step back does, empty where there is none.
            drop: what all steps back do, empty where there is one at most.
            leads: ways on from here.
        """
        self.heading.setText(heading)
        self.words.setText(words)
        self.words.setVisible(bool(words))
        show_rules(self.rule, [rule] if rule else [], self.palette_)
        self.note.setText(linked(note, self.palette_.danger))
        self.note.setVisible(bool(note))
        clear(self.choices)
        self._open = [choice for choice in choices if choice.refused is None]
        buttons = [self._choice(choice, is_lone=choice.pick == lone, by_enter=choice.pick == entered) for choice in choices]
        self._buttons = {choice.pick: made for choice, made in zip(choices, buttons, strict=True)}
        self._plain = {made: capital(say(choice.label)) for choice, made in zip(choices, buttons, strict=True)}
        self.primary = None if lone is None else self._buttons[lone]
        if give:
            tip = self.tr("Give this order (Enter)") if gives else self.tr("Give this order")
            self.primary = button(f"{give}   ↵" if gives else give, self.give_wanted.emit, name="primary", tip=tip)
            buttons.append(self.primary)
        self.back = self._back(back, self.back_wanted.emit, key=self.tr("Esc")) if back else None
        self.drop = self._back(drop, self.drop_wanted.emit, key=self.tr("Shift+Esc")) if drop else None
        buttons += [made for made in (self.back, self.drop) if made is not None]
        buttons += [button(lead.words, lead.act, tip=lead.tip) for lead in leads]
        self._lay(buttons)
        self.fit()
        self.setVisible(True)

    def _back(self, words: str, act: Callable[[], object], *, key: str) -> QPushButton:
        return button(f"{words}   {key}", act, tip=self.tr("{what} ({key})").format(what=words, key=key))

    def _choice(self, choice: Choice, *, is_lone: bool, by_enter: bool) -> QPushButton:
        words = capital(say(choice.label))
        if choice.refused is not None:
            made = button(words, lambda: self.chosen.emit(choice), name="closed", tip=capital(cite(choice.refused)))
            made.setAccessibleDescription(capital(cite(choice.refused)))
            return made
        tip, face = words, words
        if choice.number is not None:
            tip, face = self.tr("{what} (key {key})").format(what=words, key=choice.number), f"{choice.number}  {words}"
            if by_enter:
                tip = self.tr("{what} (Enter, or key {key})").format(what=words, key=choice.number)
        return button(f"{face}   ↵" if by_enter else face, lambda: self.chosen.emit(choice), name="primary" if is_lone else "", tip=tip)

    def _lay(self, buttons: Sequence[QPushButton]) -> None:
        """Lay buttons in rows: as many side by side as their words leave room for, and the same ones whatever signs they bear now."""
        line, left = QHBoxLayout(), -1
        for made in buttons:
            made.setParent(self)
            made.ensurePolished()  # before its style is on, a button asks for too little room
            needed = made.sizeHint().width() + GAP
            if made in self._plain:
                letters = made.fontMetrics()
                needed += letters.horizontalAdvance(f"0  {self._plain[made]}   ↵") - letters.horizontalAdvance(made.text())
            if needed > left:
                line, left = QHBoxLayout(), self.inner
                line.setSpacing(GAP)
                self.choices.addLayout(line)
            line.addWidget(made, 1)
            made.show()  # a layout counts only what is shown, and would show it later
            left -= needed

    def choose(self, number: int) -> bool:
        """Take the choice with a key, 0 for what ends the moment; False if there is none."""
        found = next((choice for choice in self._open if choice.number == number), None)
        if found is not None:
            self.chosen.emit(found)
        return found is not None

    def button_of(self, pick: Pick) -> QPushButton | None:
        """Return the button of a choice, None if that isn't offered."""
        return self._buttons.get(pick)

    @property
    def keyed(self) -> Sequence[Choice]:
        """Return the open choices that have keys."""
        return [choice for choice in self._open if choice.number is not None]

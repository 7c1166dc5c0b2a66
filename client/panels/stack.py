"""The Stack panel: the counters of a hex, what they are, and which of them are picked."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from PySide6.QtWidgets import QVBoxLayout, QWidget

from client.map.counters import art_of
from client.map.palette import Palette
from client.panels.why import Why, add_answers
from client.panels.widgets import Column, CounterButton, button, label, row
from client.qt import Signal
from client.session.stacks import stacked
from client.words import capital, say, word
from core.board import Hex
from core.hidden import is_unknown
from core.pack import Nation
from core.units import UnitId
from core.views import View

ABBREVIATION = 3  # letters up to which a type's name is one


class StackPanel(Column):
    """Shows one hex.

    Signals:
        unit_pressed(int): a counter was clicked: in or out of the draft.
        why_wanted(): answers to "why?" shall be shown, or no more.
        rule_wanted(str): a rule's number was clicked.
    """

    unit_pressed = Signal(int)
    why_wanted = Signal()
    rule_wanted = Signal(str)

    def __init__(self, palette: Palette, nations: Mapping[str, Nation]) -> None:
        super().__init__()
        self.palette_ = palette
        self.nations = nations
        self.side_titles: Mapping[str, str] = {}
        self._counters: dict[UnitId, CounterButton] = {}

    def show_hex(self, view: View, here: Hex | None, picked: Collection[UnitId], why: Why | None = None) -> None:
        """Show a hex's ground and counters, with answers to "why?" where *why* gives them; no hex shows how to begin."""
        focused = next((unit for unit, counter in self._counters.items() if counter.hasFocus()), None)
        column = self.refill()
        self._counters = {}
        if here is None:
            column.addWidget(label(self.tr("Nothing selected"), "heading"))
            column.addWidget(
                label(self.tr("Click a stack on the map, or press Space for the next one that can act."), "soft", wrap=True)
            )
            column.addStretch(1)
            return
        column.addWidget(label(word(view.board.name(here)), "heading", wrap=True))
        column.addWidget(label(self._ground(view, here), "soft", wrap=True))
        if why is not None:
            add_answers(column, why.of_hex, self.palette_, self.rule_wanted.emit)
        for unit in reversed(stacked(view, here)):
            column.addWidget(self._unit(view, unit.id, picked=unit.id in picked))
            if why is not None:
                add_answers(column, why.of_units.get(unit.id, ()), self.palette_, self.rule_wanted.emit)
        words = self.tr("Why? (W)") if why is None else self.tr("No more answers (W)")
        tip = self.tr("Say what these units can do, what they can't and why, their supply and the zones of control (W)")
        column.addWidget(button(words, self.why_wanted.emit, name="line", tip=tip))
        column.addStretch(1)
        if focused is not None and focused in self._counters:
            self._counters[focused].setFocus()  # keys go on from where they were

    def _ground(self, view: View, here: Hex) -> str:
        fact = view.board.facts[here]
        parts = [word(fact.terrain.replace("_", " "))]
        if fact.city:
            parts.append(self.tr("{size} city").format(size=word(fact.city)))
        if fact.port:
            parts.append(self.tr("port on the {sea}").format(sea=word(fact.port.replace("_", " ").title())))
        parts += [word(feature.replace("_", " ")) for feature in sorted(fact.features - {"edge"})]
        held = view.position.control.get(here)
        if held:
            parts.append(self.tr("held by the {side}").format(side=word(self.side_titles.get(held, held))))
        return capital(", ".join(parts))

    def _unit(self, view: View, unit: UnitId, *, picked: bool) -> QWidget:
        look, kind = view.look(unit), view.type(unit)
        holder = QWidget()
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(label(view.name(unit), "subheading", wrap=True))
        type_name = kind.kind.upper() if len(kind.kind) <= ABBREVIATION else kind.kind.replace("_", " ")
        nation = self.nations.get(kind.nation)
        state = [] if is_unknown(unit) else [word(nation.title if nation is not None else kind.nation.title()), word(type_name)]
        if look.full_steps > 1:
            state.append(self.tr("{steps} of {full} steps").format(steps=look.steps, full=look.full_steps))
        if state:
            words.addWidget(label(", ".join(state), "soft", wrap=True))
        badges = [word(badge.replace("_", " ")) for badge in look.badges] + ([self.tr("done")] if look.done else [])
        chit = view.position.chits.get(unit)
        if chit:
            badges.insert(0, self.tr("strength {chit}").format(chit=chit))
        if badges:
            words.addWidget(label(capital(", ".join(badges)), "soft", wrap=True))
        for remark in () if is_unknown(unit) else view.ruleset.remarks(view, unit):
            words.addWidget(label(capital(say(remark)), "soft", wrap=True))
        words.addStretch(1)
        tip = self.tr("{unit}: click to take in or out").format(unit=view.name(unit))
        counter = CounterButton(art_of(view, unit, self.nations), self.palette_, picked=picked, tip=tip)
        counter.pressed.connect(lambda: self.unit_pressed.emit(unit))
        self._counters[unit] = counter
        layout = row(counter)
        layout.addLayout(words, 1)
        holder.setLayout(layout)
        return holder

"""How long each side may think, asked in days, hours and minutes; usual clocks are filled in by one choice."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from client.durations import DAY, HOUR, MINUTE, SECOND
from client.panels.referee import whole
from client.panels.widgets import Chooser, label, row
from client.qt import Signal
from client.scale import px
from core.errors import BadInput
from core.terms import ClockTerms

LENGTHS = {"days": DAY, "hours": HOUR, "minutes": MINUTE, "seconds": SECOND}
MOST = {"days": 365, "hours": 8_760, "minutes": 525_600, "seconds": 86_400}
BY_HAND = ""
PRESETS = {
    "none": ClockTerms(),
    "evening": ClockTerms("absolute", 90 * MINUTE, 0, "lose"),
    "brisk": ClockTerms("fischer", 45 * MINUTE, 60 * SECOND, "lose"),
    "weekend": ClockTerms("absolute", 8 * HOUR, 0, "claim"),
    "mail": ClockTerms("turn", 3 * DAY, 0, "claim"),
    "slow_mail": ClockTerms("fischer", 30 * DAY, 12 * HOUR, "claim"),
}


class DurationEdit(QWidget):
    """A stretch of time, a field for each unit.

    Args:
        words: what it is for.
        units: the names of the units and what they are called, from the largest to the smallest.

    Signals:
        edited(): somebody typed.
    """

    edited = Signal()

    def __init__(self, words: str, units: Mapping[str, str]) -> None:
        super().__init__()
        self._words = words
        self.fields: dict[str, QLineEdit] = {}
        parts: list[QWidget] = []
        for unit, title in units.items():
            edit = self.fields[unit] = QLineEdit("0")
            edit.setAccessibleName(self.tr("{what}: {unit}").format(what=words, unit=title))
            edit.setFixedWidth(px(62))
            edit.textEdited.connect(lambda _: self._typed())
            parts += [edit, label(title, "soft")]
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(label(words, "soft", wrap=True))
        fields = row(*parts, spacing=5)
        fields.addStretch(1)
        column.addLayout(fields)
        self.fault = label("", "warning", wrap=True)
        self.fault.hide()
        column.addWidget(self.fault)

    def _typed(self) -> None:
        self.tell_fault("")
        self.edited.emit()

    def show_ms(self, ms: int) -> None:
        """Fill a time in, in the largest units that it has."""
        self.tell_fault("")
        for unit, edit in self.fields.items():
            number, ms = divmod(ms, LENGTHS[unit])
            edit.setText(str(number))

    def tell_fault(self, words: str) -> None:
        """Say below the fields what is wrong with what was filled in; nothing if *words* is empty."""
        self.fault.setText(words)
        self.fault.setVisible(bool(words))

    def ms(self) -> int:
        """Return the time that is filled in; an empty field is none.

        Raises:
            BadInput: a field holds no whole number; it names the field.
        """
        total = 0
        for unit, edit in self.fields.items():
            found = whole(edit.text() or "0", MOST[unit])
            if found is None:
                edit.setFocus()
                raise BadInput.one(edit.accessibleName(), f"a whole number from 0 to {MOST[unit]}", edit.text())
            total += found * LENGTHS[unit]
        return total


class ClockForm(QWidget):
    """Asks for a clock."""

    def __init__(self) -> None:
        super().__init__()
        self.presets = self._chooser(self.tr("Usual clocks"), {
            "none": self.tr("No clock"), "evening": self.tr("One evening: 90 minutes each"),
            "brisk": self.tr("Brisk: 45 minutes each, and 1 minute more for each phase"),
            "weekend": self.tr("A weekend: 8 hours each"), "mail": self.tr("By mail: 3 days for each turn"),
            "slow_mail": self.tr("By mail, no hurry: 30 days each, and 12 hours more for each phase"),
            BY_HAND: self.tr("As filled in below"),
        })
        self.kind = self._chooser(self.tr("Kind of clock"), {
            "none": self.tr("No clock"), "absolute": self.tr("A time for the whole game"),
            "fischer": self.tr("A time for the game, and more for each phase"), "turn": self.tr("A time for each turn"),
        })
        self.flag = self._chooser(self.tr("When the time is out"), {
            "lose": self.tr("Who runs out of time loses"), "claim": self.tr("Then the others may claim the game"),
            "show": self.tr("It is only shown"),
        })
        days, hours, minutes, seconds = self.tr("days"), self.tr("hours"), self.tr("minutes"), self.tr("seconds")
        self.time = DurationEdit(self.tr("Time"), {"days": days, "hours": hours, "minutes": minutes})
        self.more = DurationEdit(self.tr("More for each phase"), {"hours": hours, "minutes": minutes, "seconds": seconds})
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for part in (self.presets, self.kind, self.time, self.more, self.flag):
            column.addWidget(part)
        self.presets.activated.connect(lambda _: self._take_preset())
        for chooser in (self.kind, self.flag):
            chooser.activated.connect(lambda _: self._by_hand())
        self.kind.currentIndexChanged.connect(lambda _: self._show_needed())
        for edit in (self.time, self.more):
            edit.edited.connect(self._by_hand)
        self.choose("none")

    @staticmethod
    def _chooser(name: str, choices: Mapping[str, str]) -> Chooser:
        made = Chooser()
        made.setAccessibleName(name)
        for value, words in choices.items():
            made.addItem(words, value)
        return made

    def choose(self, preset: str) -> None:
        """Fill one of the usual clocks in."""
        self.presets.setCurrentIndex(self.presets.findData(preset))
        self._take_preset()

    def _take_preset(self) -> None:
        clock = PRESETS.get(self.presets.currentData())
        if clock is not None:
            self.show_clock(clock)
        self._show_needed()

    def show_clock(self, clock: ClockTerms) -> None:
        """Fill a clock in."""
        self.kind.setCurrentIndex(self.kind.findData(clock.kind))
        self.flag.setCurrentIndex(self.flag.findData(clock.on_flag))
        self.time.show_ms(clock.time_ms)
        self.more.show_ms(clock.increment_ms)
        self._show_needed()

    def _by_hand(self) -> None:
        self.presets.setCurrentIndex(self.presets.findData(BY_HAND))

    def _show_needed(self) -> None:
        """Show only what the chosen kind asks for."""
        kind = self.kind.currentData()
        self.kind.setVisible(kind != "none" or self.presets.currentData() == BY_HAND)
        self.time.setVisible(kind != "none")
        self.flag.setVisible(kind != "none")
        self.more.setVisible(kind == "fischer")

    def has_time(self) -> bool:
        """Say whether there is time on the clock, if there shall be one; if not, show where it is filled in that some is needed."""
        if self.kind.currentData() == "none" or self.time.ms():
            return True
        self.time.tell_fault(self.tr("Fill in some time: a clock without any would be out at once."))
        list(self.time.fields.values())[-1].setFocus()
        return False

    def terms(self) -> ClockTerms:
        """Return the clock that is filled in; BadInput, naming the field, if it is none."""
        kind = self.kind.currentData()
        if kind == "none":
            return ClockTerms()
        return ClockTerms(kind, self.time.ms(), self.more.ms() if kind == "fischer" else 0, self.flag.currentData())

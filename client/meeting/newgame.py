"""The form of a new game: scenario and options, clock, dice, what spectators see, and the seats of each side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from client import termwords
from client.durations import MINUTE
from client.meeting.clockform import ClockForm
from client.panels.referee import whole
from client.panels.widgets import Chooser, Column, button, clear, label, row
from client.qt import Signal
from client.scale import px
from client.session.words import together
from client.words import side_title, word
from core.errors import BadInput
from core.pack import Manifest, Option, Pack
from core.terms import DiceTerms, SeatTerms, SpectatorTerms, Terms, check

LONGEST_NAME = 24
NAME = re.compile(r"[A-Za-z0-9._-]+")
MOST = {"wait": 1_440, "entries": 100_000, "later": 525_600}
FIRST = {"wait": "2", "entries": "0", "later": "0"}


class NewGameForm(Column):
    """Asks what the table agrees on.

    Signals:
        begin_wanted(): the game shall be begun as it is filled in.
    """

    begin_wanted = Signal()

    def __init__(self, packs: Sequence[Pack]) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("A new game"))
        self._packs = {pack.manifest.ruleset: pack for pack in packs}
        self.scenario = Chooser()
        self.scenario.setAccessibleName(self.tr("Scenario of a new game"))
        for pack in packs:
            for scenario in pack.scenarios.values():
                self.scenario.addItem(word(together(scenario.title, pack.manifest.title)), (pack.manifest.ruleset, scenario.id))
        self.begin = button(self.tr("Begin this game"), self.begin_wanted.emit, name="primary", tip=self.tr("Begin it on the server"))
        self.column.addLayout(row(self.scenario, self.begin, stretch=0))
        self.called = QLineEdit()
        self.called.setAccessibleName(self.tr("Name of the game"))
        self.called.setPlaceholderText(self.tr("its name, if it shall have one"))
        self.called.setMaxLength(LONGEST_NAME)
        self.column.addWidget(self.called)
        self.numbers: dict[str, QLineEdit] = {}
        self.fault = label("", "warning", wrap=True)
        self.fault.hide()
        self.column.addWidget(self.fault)
        self._build_clock()
        self._build_dice()
        self._build_spectators()
        self._filled = ""  # for which game the seats and options are asked
        self._sides = self.part(self.tr("Seats: names with commas where several play a side"), wrap=True)
        self._options = self.part(self.tr("Optional rules"), wrap=True)
        self.seats: dict[str, QLineEdit] = {}
        self.options: dict[str, Chooser] = {}
        self._option_lines: dict[str, QWidget] = {}
        self.column.addStretch(1)
        self.scenario.currentIndexChanged.connect(lambda _: self._chosen())
        lengths = [scenario.last_turn - scenario.first_turn for pack in packs for scenario in pack.scenarios.values()]
        self.scenario.setCurrentIndex(lengths.index(min(lengths)) if lengths else 0)  # the one to begin with, as on the start page
        self._chosen()

    def begin_anew(self) -> None:
        """Ask for everything as at first: what was filled in for a game that was begun, or on another server, is out of sight."""
        self.called.clear()
        for what, edit in self.numbers.items():
            edit.setText(FIRST[what])
        self.clock.choose("none")
        for chooser in (self.dice, self.chat):
            chooser.setCurrentIndex(0)
        self._filled = ""
        self._chosen()
        self.tell_fault("")

    # ---------------------------------------------------------------- building

    def _chooser(self, name: str, choices: dict[str, Any]) -> Chooser:
        made = Chooser()
        made.setAccessibleName(name)
        for words, value in choices.items():
            made.addItem(words, value)
        return made

    def _number(self, what: str, words: str) -> QWidget:
        edit = self.numbers[what] = QLineEdit(FIRST[what])
        edit.setAccessibleName(words)
        edit.setFixedWidth(px(90))
        holder = QWidget()
        holder.setLayout(row(label(words, "soft", wrap=True), edit, stretch=0))
        return holder

    def _build_clock(self) -> None:
        column = self.part(self.tr("Clock"), wrap=True)
        self.clock = ClockForm()
        column.addWidget(self.clock)

    def _build_dice(self) -> None:
        column = self.part(self.tr("Dice"), wrap=True)
        self.dice = self._chooser(self.tr("Where the dice come from"), {
            self.tr("From the server: play whenever you like"): "server",
            self.tr("Witnessed by all who play, who must be there"): "witnessed",
        })
        self._patience = self._number("wait", self.tr("Minutes that a missing player may let the others wait"))
        column.addWidget(self.dice)
        column.addWidget(self._patience)
        self.dice.currentIndexChanged.connect(lambda _: self._show_needed())

    def _build_spectators(self) -> None:
        column = self.part(self.tr("Spectators"), wrap=True)
        self.view = self._chooser(self.tr("What spectators see"), {})
        self.chat = self._chooser(self.tr("What spectators write"), {
            self.tr("Players don't read what spectators write"): False, self.tr("Players read what spectators write"): True,
        })
        self._later = [
            self._number("entries", self.tr("Entries later")), self._number("later", self.tr("Minutes later")),
        ]
        for part in (self.view, *self._later, self.chat):
            column.addWidget(part)

    def _show_needed(self) -> None:
        """Show only what the chosen kinds ask for."""
        self._patience.setVisible(self.dice.currentData() == "witnessed")

    def _chosen(self) -> None:
        """Ask for what the chosen game needs; what was filled in for another scenario of the same game stays."""
        game = self.scenario.currentData()
        self.begin.setEnabled(game is not None)
        if game is None or game[0] != self._filled:
            self._filled = game[0] if game is not None else ""
            clear(self._sides)
            clear(self._options)
            self.seats, self.options = {}, {}
            if game is not None:
                self._ask_for(self._packs[game[0]].manifest)
        if game is not None:
            scenario = self._packs[game[0]].scenarios[game[1]]
            for option in self._packs[game[0]].manifest.option:
                self._option_lines[option.id].setVisible(option.matters_in(scenario))

    def _ask_for(self, manifest: Manifest) -> None:
        """Ask for seats and options of a game."""
        lines = QGridLayout()
        lines.setHorizontalSpacing(8)
        for i, side in enumerate(manifest.sides):
            edit = self.seats[side] = QLineEdit()
            edit.setAccessibleName(self.tr("Seats of the {side}").format(side=side_title(manifest, side)))
            edit.setPlaceholderText(self.tr("one seat"))
            lines.addWidget(label(side_title(manifest, side)), i, 0)
            lines.addWidget(edit, i, 1)
        self._sides.addLayout(lines)
        for option in manifest.option:
            self._option_lines[option.id] = self._option(option)
            self._options.addWidget(self._option_lines[option.id])
        self.view.clear()
        titles = {side: side_title(manifest, side) for side in manifest.sides}
        for name, words in termwords.view_titles(titles).items():
            self.view.addItem(self.tr("They see {what}").format(what=words), name)
        self._show_needed()

    def _option(self, option: Option) -> QWidget:
        titles: dict[object, str] = {False: self.tr("no"), True: self.tr("yes")}
        choices = {(titles[one] if isinstance(one, bool) else word(str(one))): one for one in option.choices}
        words = f"{word(option.title)} ({option.rule})" if option.rule else word(option.title)
        made = self.options[option.id] = self._chooser(words, choices)
        made.setCurrentIndex(max(0, [made.itemData(i) for i in range(made.count())].index(option.default)))
        made.setFixedWidth(px(130))
        holder = QWidget()
        holder.setLayout(row(label(words, wrap=True), made, stretch=0))
        return holder

    # ---------------------------------------------------------------- reading

    def tell_fault(self, words: str) -> None:
        """Say what is wrong with what was filled in; empty: nothing is."""
        self.fault.setText(words)
        self.fault.setVisible(bool(words))

    def chosen_options(self) -> dict[str, bool | int | str]:
        """Return what was chosen otherwise than usual, of what changes anything in the scenario."""
        game, scenario = self.scenario.currentData()
        files = self._packs[game]
        usual = {option.id: option.default for option in files.manifest.option if option.matters_in(files.scenarios[scenario])}
        return {name: made.currentData() for name, made in self.options.items() if name in usual and made.currentData() != usual[name]}

    def name(self) -> str:
        """Return what the game shall be called, empty if it has no name; BadInput, naming the field, if that can be none."""
        typed = self.called.text().strip()
        name = "-".join(typed.split())
        if name and not NAME.fullmatch(name):
            self.called.setFocus()
            raise BadInput.one(self.called.accessibleName(), "letters from a to z, digits, dots and dashes", typed)
        return name

    def _whole(self, what: str) -> int:
        """Return a number of the form; BadInput, naming its field, if it is none."""
        found = whole(self.numbers[what].text(), MOST[what])
        if found is None:
            where = self.numbers[what].accessibleName()
            self.numbers[what].setFocus()
            raise BadInput.one(where, f"a whole number from 0 to {MOST[what]}", self.numbers[what].text() or "nothing")
        return found

    def terms(self) -> Terms:
        """Return what the table shall agree on; BadInput, naming the field, if it can't."""
        clock = self.clock.terms()
        wait = self._whole("wait") * MINUTE if self.dice.currentData() == "witnessed" else DiceTerms().wait_ms
        spectators = SpectatorTerms(
            self.view.currentData(), self._whole("entries"), self._whole("later") * MINUTE, bool(self.chat.currentData())
        )
        made = Terms(clock=clock, seats=self._seats(), spectators=spectators, dice=DiceTerms(self.dice.currentData(), wait))
        check(made, self._packs[self.scenario.currentData()[0]].manifest.sides)
        return made

    def _seats(self) -> tuple[SeatTerms, ...]:
        named = {side: [name.strip() for name in edit.text().split(",") if name.strip()] for side, edit in self.seats.items()}
        if not any(named.values()):
            return ()
        for side, names in named.items():
            for name in names:
                if names.count(name) > 1:
                    raise BadInput.one(self.seats[side].accessibleName(), "for each seat a name of its own", f"{name} twice")
                if len(name) > 40:
                    raise BadInput.one(self.seats[side].accessibleName(), "names of at most 40 letters", name)
        return tuple(SeatTerms(side, name) for side, names in named.items() for name in names or ("",))

"""The Battle panel: what the order under composition would lead to, each figure with its rules, before it is given."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from client import fonts
from client.map.palette import Palette, mixed
from client.panels.links import is_cited, linked, rule_label, rule_of, show_rules
from client.panels.widgets import Column, CounterButton, button, clear, label, row
from client.qt import QRectF, QSize, Qt, QTimer, Signal
from client.scale import px
from client.session.words import Figure, LogLine, figure_of, with_minus
from client.style import PANEL_WIDTH
from client.words import capital, reckoned, say
from core.ruleset import Chance, Hurt, Preview

MODIFIER_KEYS = ("drm", "modifier", "modifiers")
ODDS_KEYS = ("column", "odds", "ratio")


NAME_WIDTH = 44  # of a result, before its bar
ODDS_WIDTH = 130  # of odds with a modifier
SETTLED_MS = 20  # after which the panel has the height that it gets


def colour_of_hurt(hurt: Hurt, palette: Palette) -> str:
    """Return the colour of a bar by who pays for the result: pale enough for the words that stand on it."""
    full = {"attacker": palette.danger, "defender": palette.good, "both": palette.accent, "nobody": palette.ink_soft}
    return mixed(full.get(hurt, palette.major_river), palette.chrome, 0.6 if palette.dark or hurt == "nobody" else 0.45)


class ChanceBar(QWidget):
    """One result as a bar: its share of the cases, its percentage, and in a word who pays, as its colour says."""

    def __init__(self, chance: Chance, palette: Palette) -> None:
        super().__init__()
        self._chance, self._palette = chance, palette
        self._hurt = {
            "attacker": self.tr("attacker"), "defender": self.tr("defender"), "both": self.tr("both"), "nobody": self.tr("nobody"),
        }.get(chance.hurt, "")
        self.setFixedHeight(px(20))
        percent = round(100 * chance.cases / chance.of)
        self._words = self.tr("{percent} %").format(percent=percent) if percent else self.tr("under 1 %")
        self.setToolTip(f"{chance.result}: {self._words}, {say(chance.meaning)}")
        self.setAccessibleName(self.toolTip())

    def sizeHint(self) -> QSize:
        return QSize(200, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        before = px(NAME_WIDTH)
        name, track = QRectF(0, 0, before, self.height()), QRectF(before + 2, 2, self.width() - before - 2, self.height() - 4)
        painter.setFont(fonts.interface(px(13), QFont.Weight.Bold))
        painter.setPen(QColor(self._palette.ink))
        painter.drawText(name, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._chance.result)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mixed(self._palette.chrome, self._palette.ink, 0.07)))
        painter.drawRoundedRect(track, 4, 4)
        full = QRectF(track)
        full.setWidth(max(4.0, track.width() * self._chance.cases / self._chance.of))
        painter.setBrush(QColor(colour_of_hurt(self._chance.hurt, self._palette)))
        painter.drawRoundedRect(full, 4, 4)
        painter.setPen(QColor(self._palette.ink))
        painter.setFont(fonts.interface(px(12), QFont.Weight.DemiBold))
        painter.drawText(track.adjusted(6, 0, -6, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._words)
        painter.drawText(track.adjusted(6, 0, -6, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self._hurt)
        painter.end()


class BattlePanel(Column):
    """Shows a preview.

    Signals:
        give_wanted(): the big button was pressed.
        unit_pressed(int): a counter was clicked: out of the draft.
        rule_wanted(str): a rule's number was clicked.
        titled(str): it shows something else now, and bears this title.
    """

    titled = Signal(str)
    give_wanted = Signal()
    unit_pressed = Signal(int)
    rule_wanted = Signal(str)

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.palette_ = palette
        self._meanings: list[QLabel] = []
        self._give: QPushButton | None = None  # gives what is shown, None where that is no draft
        self._verb = ""
        self._folded = False  # whether the bars stand without words, for want of room
        self._in_words = False  # whether words are wanted all the same
        self._words_button = QPushButton()
        self._folding = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._folding.timeout.connect(self._fold)
        self.verticalScrollBar().rangeChanged.connect(self._folding.start)
        self._foot = QWidget(self)
        self._below = QVBoxLayout(self._foot)
        self._below.setContentsMargins(14, 6, 14, 8)
        self._fill_foot()

    def _fill_foot(self, *parts: QWidget) -> None:
        """Let parts stand below what scrolls, so that they are in sight however much that is."""
        clear(self._below)
        for part in parts:
            self._below.addWidget(part)
            part.show()  # at once: a layout makes no room for what it has yet to show
        self._foot.setVisible(bool(parts))
        self._place_foot()

    def _place_foot(self) -> None:
        below, height = self._below, 0
        if self._foot.isVisibleTo(self):
            height = below.totalHeightForWidth(self.width()) if below.hasHeightForWidth() else below.totalSizeHint().height()
        self.setViewportMargins(0, 0, 0, height)
        self._foot.setGeometry(0, self.height() - height, self.width(), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_foot()
        self._folding.start()

    def refill(self) -> QVBoxLayout:
        """Empty the panel and return its column."""
        self._fill_foot()
        self._meanings, self._give = [], None
        return super().refill()

    def show_nothing(self) -> None:
        """Say how an attack begins."""
        column = self.refill()
        self.titled.emit(self.tr("Battle"))
        self._folded = self._in_words = False
        column.addWidget(label(self.tr("No battle"), "heading"))
        words = self.tr("When an attack is being composed, its odds stand here with every modifier and its rule.")
        column.addWidget(label(words, "soft", wrap=True))
        column.addStretch(1)

    def show_result(self, lines: Sequence[LogLine]) -> None:
        """Show what an order led to: the battles with their figures, then what moved and was lost."""
        column = self.refill()
        self.titled.emit(self.tr("Battle"))
        for line in lines:
            fought = line.kind == "battle"
            column.addWidget(label(capital(say(line.text)), "heading" if fought else "", wrap=True))
            if fought and line.figures:
                column.addWidget(self._table(line.figures))
        column.addStretch(1)

    def show_preview(
        self,
        preview: Preview,
        *,
        verb: str,
        ready: bool,
        missing: str,
        gives: bool = True,
        attackers: Sequence[CounterButton] = (),
        defenders: Sequence[CounterButton] = (),
    ) -> None:
        """Show arithmetic and chances; the button bears *verb*, and is held back while *missing* says what lacks.

        *gives* says whether Enter presses it.
        """
        column = self.refill()
        self.titled.emit(self.tr("Battle") if preview.chances or preview.losses is not None else self.tr("Order"))
        column.addWidget(label(say(preview.title), "heading", wrap=True))
        figures = [figure_of(line) for line in preview.lines]
        odds = brief_odds(preview)
        beside = odds if attackers and defenders and _has_room(attackers, defenders) else ""
        if attackers or defenders:
            column.addLayout(self._sides(attackers, defenders, between=beside))
        if odds and not beside:
            column.addWidget(label(odds, "odds"))
        column.addWidget(self._table(figures))
        if preview.chances:
            told = any(chance.hurt for chance in preview.chances)
            title = label(self.tr("What can happen, and to whom") if told else self.tr("What can happen"), "subheading", wrap=True)
            self._words_button = button("", self._turn_words, name="chip", tip=self.tr("Say of each result what it means"))
            column.addLayout(row(title, self._words_button, stretch=0))
            bars = QVBoxLayout()
            bars.setSpacing(4)
            for chance in preview.chances:
                bars.addLayout(self._chance(chance))
            column.addLayout(bars)
            self._show_words(on=not self._folded)
        if preview.losses is not None:
            column.addWidget(label(self._losses(preview.losses), "soft", wrap=True))
        self._give, self._verb = button(verb, self.give_wanted.emit, name="primary"), verb
        self.say_enter(gives=gives)
        self._give.setEnabled(ready)
        column.addStretch(1)
        self._fill_foot(self._give, *([label(missing, "soft", wrap=True)] if missing else []))

    def say_enter(self, *, gives: bool) -> None:
        """Let the button of a preview say whether Enter presses it."""
        if self._give is not None:
            self._give.setText(f"{self._verb}   ↵" if gives else self._verb)
            self._give.setToolTip(self.tr("{verb} (Enter)").format(verb=self._verb) if gives else self._verb)

    def _chance(self, chance: Chance) -> QVBoxLayout:
        meaning = label(say(chance.meaning), "soft", wrap=True)
        self._meanings.append(meaning)
        meaning.setContentsMargins(px(NAME_WIDTH) + 2, 0, 0, 0)
        both = QVBoxLayout()
        both.setSpacing(0)
        both.addWidget(ChanceBar(chance, self.palette_))
        both.addWidget(meaning)
        return both

    def _turn_words(self) -> None:
        self._in_words = not self._in_words
        self._fold()

    def _show_words(self, *, on: bool) -> None:
        """Show in words what each result means, or the bars alone; with the button that turns one into the other."""
        self._folded = not on
        for meaning in self._meanings:
            meaning.setVisible(on)
        self._words_button.setText(self.tr("Bars only") if on else self.tr("In words"))
        self._words_button.setVisible(self._in_words or not on)

    def _fold(self) -> None:
        """Leave the words out where the bars with them are higher than the panel, and they are not asked for."""
        if not self._meanings:
            return
        high, width = self.column.heightForWidth(self.viewport().width()), self._meanings[0].width()
        if self._folded:
            high += sum(meaning.heightForWidth(width) for meaning in self._meanings)
        fits = high <= self.viewport().height()
        self._show_words(on=self._in_words or fits)
        if fits:
            self._in_words = False
            self._words_button.hide()

    def _sides(self, attackers: Sequence[CounterButton], defenders: Sequence[CounterButton], *, between: str) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(2)
        for column, counters, abreast in ((0, attackers, 3), (4, defenders, 2)):
            for i, counter in enumerate(counters):
                grid.addWidget(counter, i // abreast, column + i % abreast)
        if defenders:  # a landing or a depot that is expended is against nobody
            middle = label(between, "odds") if between else label(self.tr("against"), "soft")
            grid.addWidget(middle, 0, 3, Qt.AlignmentFlag.AlignCenter)
        grid.setColumnStretch(6, 1)
        return grid

    def _table(self, figures: Sequence[Figure]) -> QFrame:
        table = QFrame()
        grid = QGridLayout(table)
        grid.setContentsMargins(0, 4, 0, 4)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for i, figure in enumerate(figures):
            cited = _uncited(figure)
            told_sum = reckoned(cited)
            total = f"≈\u00a0{figure.total[1:]}" if figure.total.startswith("≈") else f"=\u00a0{figure.total}"
            words = f"{told_sum} {total}" if figure.total else told_sum  # no value stands alone on a line
            told, rules = label("", "subheading", wrap=True), rule_label()
            told.setTextFormat(Qt.TextFormat.RichText)
            told.setText(linked(words, self.palette_.ink))
            told.setTextInteractionFlags(rules.textInteractionFlags())
            told.setAccessibleName(words)
            told.setAlignment(Qt.AlignmentFlag.AlignRight)
            show_rules(rules, [rule for rule in figure.rules if not is_cited(rule, cited)], self.palette_)
            for part in (told, rules):
                part.linkActivated.connect(lambda target: self.rule_wanted.emit(rule_of(target)))
            for column, part in enumerate((label(say(figure.name)), told, rules)):
                grid.addWidget(part, i, column, Qt.AlignmentFlag.AlignTop if column != 1 else Qt.AlignmentFlag(0))
        return table

    def _losses(self, losses: tuple[tuple[int, int], tuple[int, int]]) -> str:
        ours, his = (_range(low, high) for low, high in losses)
        return self.tr("Expected losses: attacker {ours} steps, defender {his} steps").format(ours=ours, his=his)


def _has_room(attackers: Sequence[CounterButton], defenders: Sequence[CounterButton]) -> bool:
    """Say whether the odds have room between the counters of both sides."""
    counters = sum(counter.width() + 2 for counter in (*attackers[:3], *defenders[:2]))
    return counters + px(ODDS_WIDTH) <= px(PANEL_WIDTH) - 40


def _uncited(figure: Figure) -> str:
    """Return how a figure came about; of one part without its rule, which stands beside it."""
    return figure.sum.removesuffix(f" ({figure.rules[0]})") if figure.rules and not figure.is_sum else figure.sum


def brief_odds(preview: Preview) -> str:
    """Return the odds in short, with the die's modifier if there is one: ``3:1 +4``; empty where nothing names odds."""
    found = {line.key: line.value for line in preview.lines}
    odds = next((found[key] for key in ODDS_KEYS if key in found), "")
    drm = with_minus(next((found[key] for key in MODIFIER_KEYS if key in found), "0"))
    if not odds or drm in ("0", "+0"):
        return odds
    return f"{odds} {drm if drm[:1] in '+-−' else '+' + drm}"


def _range(low: int, high: int) -> str:
    """Return hundredths as a figure, or as two where a player chooses."""
    return f"{low / 100:.2f}" if low == high else f"{low / 100:.2f}–{high / 100:.2f}"

"""The header: what is played, the turn, the phases as chips, the score, and who is waited for."""

from __future__ import annotations

import html
from collections.abc import Sequence

import msgspec
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QToolTip, QWidget

from client import fonts
from client.map.palette import Palette, mixed, text_on
from client.map.pens import pen
from client.panels.widgets import as_tip, label
from client.qt import QEvent, QRectF, QSize, Qt
from client.scale import px
from client.style import HEADER_HEIGHT

SOLID = "\u00a0"  # a space at which no line is broken
EDGE, SPACING = 16, 14  # pixels at the ends, and between the parts
PADDING, GAP = 18, 4  # pixels beside a chip's words, and between chips


class PhaseChip(msgspec.Struct, frozen=True):
    """One phase: its name, the colour of its side, ``done``, ``now`` or ``next``."""

    name: str
    colour: str
    state: str


class SideClock(msgspec.Struct, frozen=True):
    """What a side has left: its name, the face of its clock, whether that runs now, and whether it has nearly run down."""

    side: str
    face: str
    runs: bool
    is_short: bool


class PhaseChips(QWidget):
    """The turn's phases in order, the running one filled; names shrink to their initials, or to dots, when there is no room."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.palette_ = palette
        self._chips: tuple[PhaseChip, ...] = ()
        self._boxes: list[QRectF] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(px(HEADER_HEIGHT) - 10)
        self.setMinimumWidth(120)

    def show_phases(self, chips: tuple[PhaseChip, ...]) -> None:
        """Show these phases."""
        if chips != self._chips:
            self._chips = chips
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(px(560), px(HEADER_HEIGHT) - 10)

    def short_width(self) -> int:
        """Return the width that the chips need to be told apart: with initials for all but the running one."""
        metrics = QFontMetricsF(fonts.interface(px(12), QFont.Weight.Medium))
        return round(_room(metrics, self._initials())) + 4

    def _initials(self) -> list[str]:
        return [chip.name if chip.state == "now" else "".join(word[0] for word in chip.name.split()) for chip in self._chips]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = fonts.interface(px(12), QFont.Weight.Medium)
        metrics = QFontMetricsF(font)
        words = self._fitting(metrics)
        self._boxes, x = [], 2.0
        for chip, word in zip(self._chips, words, strict=True):
            wide = _wide(metrics, word)
            high = min(wide, metrics.height() + px(9))
            box = QRectF(x, (self.height() - high) / 2, wide, high)
            self._boxes.append(box)
            if word:
                self._paint(painter, chip, word, box, font)
                x = box.right() + GAP
        painter.end()

    def _fitting(self, metrics: QFontMetricsF) -> list[str]:
        """Return the chips' words whole if they fit, else as initials but for the running one and those near it, else as dots.

        Where there is no room for dots either, the running one stands alone.
        """
        whole = [chip.name for chip in self._chips]
        dots = [chip.name if chip.state == "now" else "·" for chip in self._chips]
        short = self._initials()
        left = self.width() - _room(metrics, short)
        if left < 0:
            return dots if _room(metrics, dots) <= self.width() else self._alone(metrics)
        now = next((i for i, chip in enumerate(self._chips) if chip.state == "now"), 0)
        for i in sorted(range(len(whole)), key=lambda i: (abs(i - now), i < now)):  # the phase to come before the one that is over
            left -= _wide(metrics, whole[i]) - _wide(metrics, short[i])
            if left < 0:
                break
            short[i] = whole[i]
        return short

    def _alone(self, metrics: QFontMetricsF) -> list[str]:
        room = self.width() - PADDING - GAP
        return [
            metrics.elidedText(chip.name, Qt.TextElideMode.ElideRight, room) if chip.state == "now" else "" for chip in self._chips
        ]

    def _paint(self, painter: QPainter, chip: PhaseChip, word: str, box: QRectF, font: QFont) -> None:
        chrome = self.palette_.chrome
        ground = {"now": chip.colour, "done": mixed(chrome, self.palette_.ink, 0.05), "next": chrome}[chip.state]
        ink = {"now": text_on(chip.colour), "done": mixed(self.palette_.ink_soft, chrome, 0.25), "next": self.palette_.ink}[chip.state]
        painter.setPen(Qt.PenStyle.NoPen if chip.state != "next" else pen(self.palette_.chrome_line, 1))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        painter.setFont(font)
        painter.setPen(QColor(ink))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, word)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            for chip, box in zip(self._chips, self._boxes, strict=False):
                if box.contains(event.pos()):
                    QToolTip.showText(event.globalPos(), chip.name, self)
                    return True
            QToolTip.hideText()
        return super().event(event)


def _wide(metrics: QFontMetricsF, word: str) -> float:
    """Return how wide the chip of a word is; where the word is left out there is none."""
    return metrics.horizontalAdvance(word) + PADDING if word else 0.0


def _room(metrics: QFontMetricsF, words: Sequence[str]) -> float:
    return sum(_wide(metrics, word) + GAP for word in words)


class Header(QFrame):
    """The strip at the top of a game."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.palette_ = palette
        self.setObjectName("header")
        self.setFixedHeight(px(HEADER_HEIGHT))
        self._title = ""
        self.title = label("", "title")
        self.turn = label("", "turn")
        self.chips = PhaseChips(palette)
        self.score = label("", "subheading")
        self.score.setToolTip(self.tr("Victory points so far; the Record panel tells what it takes to win"))
        self.waits = label("", "warning")
        self.clocks = label("")
        self.clocks.setTextFormat(Qt.TextFormat.RichText)
        self.clocks.setToolTip(self.tr("What each side has left on its clock; the one that runs is bold"))
        self.clocks.hide()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(EDGE, 0, EDGE, 0)
        layout.setSpacing(SPACING)
        for part in (self.title, self.turn, self.chips, self.clocks, self.waits, self.score):  # no clock beside the score
            layout.addWidget(part, 1 if part is self.chips else 0)

    def show_title(self, title: str) -> None:
        """Name the game; where there is no room, only what stands last in its name."""
        self._title = title
        self._fit()

    def show_phases(self, chips: tuple[PhaseChip, ...]) -> None:
        """Show the turn's phases."""
        self.chips.show_phases(chips)
        self._fit()

    def show_clocks(self, clocks: Sequence[SideClock]) -> None:
        """Show what each side has left; none where there are no clocks, or where the past is shown."""
        words = f"{SOLID}· ".join(self._clock(clock) for clock in clocks)
        if words != self.clocks.text():
            self.clocks.setText(words)
            self.clocks.setAccessibleName(", ".join(f"{clock.side} {clock.face}" for clock in clocks))
        self.clocks.setVisible(bool(clocks))

    def _clock(self, clock: SideClock) -> str:
        words = f"{html.escape(clock.side)}{SOLID}{clock.face}"
        words = f"<b>{words}</b>" if clock.runs else words
        return f'<span style="color: {self.palette_.danger}">{words}</span>' if clock.is_short else words

    def _fit(self) -> None:
        whole = self.title.fontMetrics().horizontalAdvance(self._title)
        shown = [part for part in (self.turn, self.waits, self.clocks, self.score) if not part.isHidden()]
        beside = sum(part.sizeHint().width() for part in shown) + 2 * EDGE + (1 + len(shown)) * SPACING
        fits = whole + beside + self.chips.short_width() <= self.width()
        words = self._title if fits else self._title.rpartition(" · ")[2]
        if words != self.title.text():
            self.title.setText(words)
            self.title.setToolTip(as_tip(self._title))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # what stands beside the title has grown or shrunk
            self._fit()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def set_palette(self, palette: Palette) -> None:
        """Change the theme."""
        self.palette_ = self.chips.palette_ = palette
        self.chips.update()

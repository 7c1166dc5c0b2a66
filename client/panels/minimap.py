"""The mini-map: the whole board small, the stacks as dots, and the part that the map shows; a click goes there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QFrame, QWidget

from client.map.ground import Ground
from client.map.palette import Palette
from client.map.pens import pen
from client.qt import QPointF, QRectF, QSize, Qt, QTimer, Signal

LARGEST = QSize(190, 170)

Key = tuple[str, str, float]  # theme, weather and pixel ratio


class MiniMap(QFrame):
    """Shows all of the board.

    Signals:
        place_wanted(object): a point of the scene was pressed.
    """

    place_wanted = Signal(object)

    def __init__(self, parent: QWidget, ground: Ground, palette: Palette) -> None:
        super().__init__(parent)
        self.ground = ground
        self.palette_ = palette
        self.weather = "clear"
        self._dots: Sequence[tuple[float, float, str]] = ()
        self._seen = QRectF()
        self._kept: tuple[Key, QPixmap] | None = None
        self._begun: tuple[Key, Iterator[QPixmap | None]] | None = None
        self._painting = QTimer(self, singleShot=True, interval=0)
        self._painting.timeout.connect(self._paint_background)
        self._dotted: QPixmap | None = None  # the ground with stacks, in the theme that is named
        self._dotted_of = ""
        bounds = ground.bounds
        self._scale = min(LARGEST.width() / bounds.width(), LARGEST.height() / bounds.height())
        self.setFixedSize(round(bounds.width() * self._scale), round(bounds.height() * self._scale))
        self.setToolTip(self.tr("The whole map: click to go there"))
        self.setAccessibleName(self.tr("Small map"))

    def show_stacks(self, dots: Sequence[tuple[float, float, str]], weather: str) -> None:
        """Show stacks as (x, y, colour)."""
        self._dots, self.weather = dots, weather
        self._dotted = None
        self.update()

    def show_seen(self, seen: QRectF) -> None:
        """Frame what the map shows."""
        if seen != self._seen:
            self._seen = seen
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event)

    def _go(self, event: QMouseEvent) -> None:
        bounds = self.ground.bounds
        where = event.position() / self._scale
        self.place_wanted.emit(QPointF(where.x() + bounds.left(), where.y() + bounds.top()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._dotted is None or self._dotted.devicePixelRatio() != self.devicePixelRatioF() or self._dotted_of != self.palette_.name:
            self._dotted, self._dotted_of = self._with_dots(), self.palette_.name
        painter.drawPixmap(0, 0, self._dotted)
        painter.scale(self._scale, self._scale)
        painter.translate(-self.ground.bounds.left(), -self.ground.bounds.top())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen(self.palette_.accent, 2 / self._scale))
        half = 1.5 / self._scale  # of the frame's pen, and the map's own: at an edge of the map it is seen whole
        painter.drawRect(self._seen.intersected(self.ground.bounds.adjusted(half, half, -half, -half)))
        painter.resetTransform()
        painter.setPen(pen(self.palette_.ink_soft, 1))
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()

    def _with_dots(self) -> QPixmap:
        """Return the ground with the stacks on it, painted once a position."""
        made = self._background().copy()
        painter = QPainter(made)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(self._scale, self._scale)
        painter.translate(-self.ground.bounds.left(), -self.ground.bounds.top())
        painter.setPen(Qt.PenStyle.NoPen)
        for x, y, colour in self._dots:
            painter.setBrush(QColor(colour))
            painter.drawRect(QRectF(x - 22, y - 22, 44, 44))
        painter.end()
        return made

    def _key(self) -> Key:
        return self.palette_.name, self.weather, self.devicePixelRatioF()

    def _background(self) -> QPixmap:
        """Return the ground at this size; one in another theme or weather, or bare paper, until there is time to paint it."""
        key = self._key()
        if self._kept is None or self._kept[0] != key:
            self._painting.start()
        if self._kept is not None and self._kept[0][2] == key[2]:
            return self._kept[1]
        paper = QPixmap(self.size() * key[2])
        paper.setDevicePixelRatio(key[2])
        paper.fill(QColor(self.palette_.paper))
        return paper

    def _paint_background(self) -> None:
        """Paint the ground a step further, once a theme and weather: for a large map it takes several frames' time."""
        key = self._key()
        if self._begun is None or self._begun[0] != key:
            self._begun = key, self._painted(key)
        made = next(self._begun[1])
        if made is None:
            self._painting.start()
            return
        self._kept, self._dotted, self._begun = (key, made), None, None
        self.update()

    def _painted(self, key: Key) -> Iterator[QPixmap | None]:
        """Paint the ground in steps, and yield it after the last one."""
        palette, weather, ratio = self.palette_, self.weather, key[2]
        pixmap = QPixmap(self.size() * ratio)
        painter = QPainter(pixmap)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            scale = self._scale * ratio
            painter.scale(scale, scale)
            painter.translate(-self.ground.bounds.left(), -self.ground.bounds.top())
            for _ in self.ground.painting(painter, self.ground.bounds, palette, scale=self._scale, weather=weather):
                yield None
        finally:
            painter.end()
        pixmap.setDevicePixelRatio(ratio)
        yield pixmap

    def take_over(self, before: MiniMap) -> None:
        """Begin with the ground that another one has painted, if it is of the same map."""
        if before.ground is self.ground:
            self._kept = before._kept

"""A turn as a moving picture: an animated PNG, one frame a moment at which something moved, fought or changed.

Pillow writes it, and keeps each frame whole until the last has come. So frames have 256 colours, the same for all: a byte a pixel, which
is a quarter, and a file less than a third as long. No channel is off by more than 50 of 255
anywhere, that of a real game by 30, large areas by 1.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from PIL import Image, ImageQt
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from client import fonts, reading
from client.map.geometry import HEX
from client.map.ground import ground_of
from client.map.lettering import names_of
from client.map.palette import LIGHT, Palette
from client.map.pens import pen
from client.map.tiles import paint_map
from client.qt import QPointF, QRectF, QSize, Qt
from client.render import need_application, paint_counters
from client.session.match import Match
from client.turns import moments_in
from client.words import capital, say
from core.board import Hex
from core.views import View

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

FRAME_MS, BATTLE_MS, LAST_MS = 700, 1400, 3000
STRIP = 34  # pixels of words below the map
WIDTH = 900
LEAST_HEX = 20  # pixels of a hex of the whole map, where no width is asked for
COUNTERS_FROM = 22 / HEX  # the scale from which counters are drawn as such
MOST_PIXELS = 300_000_000  # of all frames: a byte each, and one more in Pillow's copy; the busiest turn of two bots had 270,000,000
DRAWN = 0.8  # the share that is done when all frames are drawn
SAMPLES = 8  # frames that the colours are taken from


class _Written(io.BytesIO):
    """A file in memory that calls a function whenever more is written."""

    def __init__(self, told: Callable[[], object]) -> None:
        super().__init__()
        self._told = told

    def write(self, content: ReadableBuffer, /) -> int:
        self._told()
        return super().write(content)


class Film:
    """Draws a turn of a match.

    A turn of more frames than there is memory for has several moments in each, with all their moves.

    Args:
        match: any match; it is left at the moment where it was.
        turn: which turn.
        width: of the picture, in pixels; None: as wide as a page, or as hexes need that can be told apart.
        area: the part of the map that is shown, in scene units; None: the whole map.
        going: is called again and again while the picture is written; what it raises ends that.

    Raises:
        BadInput: the game has no moment in that turn.
    """

    def __init__(
        self,
        match: Match,
        turn: int,
        *,
        width: int | None = None,
        area: QRectF | None = None,
        palette: Palette = LIGHT,
        going: Callable[[], object] = lambda: None,
    ) -> None:
        self._application = need_application()
        fonts.load()
        self.match, self.palette, self.turn = match, palette, turn
        self.moments = moments_in(match, turn, turn)
        self._ground = ground_of(match.setting.board)
        self._geometry, self._names = self._ground.geometry, names_of(match.setting.board, match.lettering)
        self._area = self._part(area)
        self._width = width or max(WIDTH, math.ceil(self._area.width() / HEX * LEAST_HEX))
        self._going = going
        self._maps: dict[str, QImage] = {}
        self.shown = [i for i in self.moments if self._tells(i)] or self.moments[-1:]
        self.frames: list[Image.Image] = []
        self._durations: list[int] = []

    def draw(self) -> Iterator[float]:
        """Draw frame after frame; yields the share that is done, so that the caller may show it or stop."""
        before = self.match.cursor
        try:
            joined = self._joined()
            colours = self._colours(joined)
            for n, moments in enumerate(joined, 1):
                self.frames.append(self._drawn(moments).quantize(palette=colours, dither=Image.Dither.NONE))
                fought = any(self.match.moments()[index].battles for index in moments)
                self._durations.append(BATTLE_MS if fought else FRAME_MS)
                yield DRAWN * (n / len(joined))
            self._durations[-1] = LAST_MS
        finally:
            self.match.seek(before)

    def to_bytes(self) -> bytes:
        """Return the picture; `draw` comes first."""
        first, *rest = self.frames
        content = _Written(self._going)
        first.save(content, "PNG", save_all=True, append_images=rest, duration=self._durations, loop=0)
        return content.getvalue()

    @property
    def is_joined(self) -> bool:
        """Say whether a frame has several moments."""
        return len(self.frames) < len(self.shown)

    # ---------------------------------------------------------------- what is shown

    def _joined(self) -> list[Sequence[int]]:
        """Return the moments of each frame: one, or as many as spare memory."""
        size = self._size()
        pixels = len(self.shown) * size.width() * (size.height() + STRIP)
        each = math.ceil(pixels / MOST_PIXELS)
        return [self.shown[n : n + each] for n in range(0, len(self.shown), each)]

    def _tells(self, index: int) -> bool:
        """Say whether a moment is worth a frame: something moved, fought, was lost, or a phase began."""
        return any(line.kind in ("move", "battle", "loss", "phase") for line in self.match.lines(index))

    def _part(self, area: QRectF | None) -> QRectF:
        """Return what is shown of the map: all of it, where nothing is asked for or only the table beside it."""
        bounds = QRectF(self._ground.bounds)
        part = bounds if area is None else area.intersected(bounds)
        return bounds if part.isEmpty() else part

    # ---------------------------------------------------------------- drawing

    def _colours(self, joined: Sequence[Sequence[int]]) -> Image.Image:
        """Return a picture of one third the size with the colours that all frames shall have; nearest pixels keep colours as they are."""
        sheet: Image.Image | None = None
        picked = joined[:: math.ceil(len(joined) / SAMPLES)]
        for n, moments in enumerate(picked):
            frame = self._drawn(moments)
            width, height = math.ceil(frame.width / 3), math.ceil(frame.height / 3)
            sheet = sheet or Image.new("RGB", (width, height * len(picked)))
            sheet.paste(frame.resize((width, height), Image.Resampling.NEAREST), (0, n * height))
        assert sheet is not None, "a film has a frame"
        return sheet.quantize(256, Image.Quantize.FASTOCTREE)

    def _drawn(self, moments: Sequence[int]) -> Image.Image:
        self.match.seek(moments[-1])
        return ImageQt.fromqimage(self._frame(moments))

    def _size(self) -> QSize:
        """Return how large the map is in the picture."""
        return QSize(self._width, max(1, round(self._area.height() * self._width / self._area.width())))

    def _frame(self, moments: Sequence[int]) -> QImage:
        view, scale = self.match.view, self._width / self._area.width()
        ground = self._map(view, scale)
        image = QImage(QSize(ground.width(), ground.height() + STRIP), QImage.Format.Format_RGB32)
        image.fill(QColor(self.palette.chrome))
        painter = QPainter(image)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.drawImage(0, 0, ground)
        painter.save()
        painter.setClipRect(0, 0, ground.width(), ground.height())
        painter.scale(scale, scale)
        painter.translate(-self._area.left(), -self._area.top())
        self._paint_routes(painter, moments)
        # Never as blocks: a film shows counters, however small.
        paint_counters(painter, view, self._geometry, self.match.manifest, self.palette, scale=max(scale, COUNTERS_FROM))
        painter.restore()
        self._paint_words(painter, image, moments)
        painter.end()
        return image

    def _map(self, view: View, scale: float) -> QImage:
        weather = view.ruleset.weather(view, view.position.turn)
        if weather not in self._maps:
            image = QImage(self._size(), QImage.Format.Format_RGB32)
            painter = QPainter(image)
            painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
            painter.scale(scale, scale)
            painter.translate(-self._area.left(), -self._area.top())
            paint_map(painter, self._area, self._ground, self._names, self.palette, scale=scale, weather=weather)
            painter.end()
            self._maps[weather] = image
        return self._maps[weather]

    def _paint_routes(self, painter: QPainter, moments: Sequence[int]) -> None:
        painter.setPen(pen(self.palette.accent, 6.0, alpha=0.9))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for route in (route for index in moments for route in self.match.moves(index)):
            points = [self._geometry.centre(Hex(place)) for place in (route.start, *route.move.path) if place >= 0]
            if len(points) > 1:
                painter.drawPolyline([QPointF(p.x, p.y) for p in points])

    def _paint_words(self, painter: QPainter, image: QImage, moments: Sequence[int]) -> None:
        head = reading.moment_card(self.match, moments[-1]).partition("\n")[0]
        told = [line for index in moments for line in self.match.lines(index) if line.kind in ("battle", "loss", "move")]
        most = next((line for kind in ("battle", "loss", "move") for line in told if line.kind == kind), None)
        box = QRectF(14, image.height() - STRIP, image.width() - 28, STRIP)
        painter.setFont(fonts.interface(14, QFont.Weight.DemiBold))
        painter.setPen(QColor(self.palette.ink))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, head)
        if most is None:
            return
        left = box.adjusted(painter.fontMetrics().horizontalAdvance(head) + 18, 0, 0, 0)
        painter.setFont(fonts.interface(14, QFont.Weight.Normal))
        words = painter.fontMetrics().elidedText(capital(say(most.text)), Qt.TextElideMode.ElideRight, int(left.width()))
        painter.drawText(left, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)

"""Pictures of where a scenario begins, drawn in a thread of their own so that the start page never waits for one."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from PySide6.QtGui import QImage, QPainter

from client.map.ground import ground_of
from client.map.lettering import names_of
from client.map.palette import Palette
from client.map.tiles import paint_map
from client.qt import QObject, QSize, QSizeF, QThread, Signal
from client.render import crowded_area, paint_counters
from client.session import saved
from core import pack, rulesets
from core.errors import BadInput, Refused
from core.match import new_server_match
from core.pack import Pack
from core.views import View

HEX_PX = 40.0  # how wide a hex is drawn: counters show their symbols
SEED = bytes(32)  # what chance lays out in a set-up is another thing in the game itself


class Wanted(msgspec.Struct, frozen=True):
    """What a picture shows: a scenario of a pack in a theme, so many logical pixels large at a pixel ratio."""

    ruleset: str
    scenario: str
    palette: str
    width: int
    height: int
    ratio: float


class _Drawing(QThread):
    """One picture to be drawn.

    Signals:
        drawn(object): the picture; null if there can be none.
    """

    drawn = Signal(object)

    def __init__(self, files: Pack, wanted: Wanted, palette: Palette, parent: QObject) -> None:
        super().__init__(parent)
        self._files, self._wanted, self._palette = files, wanted, palette

    def run(self) -> None:
        try:
            chosen = pack.setting(rulesets.load(self._files.manifest.ruleset), self._files, self._wanted.scenario)
            view = new_server_match(chosen, game="sketch", seed=SEED, clock=saved.clock, links=1).match.view
        except (BadInput, Refused):  # whoever begins it is told why: here only the picture is missing
            self.drawn.emit(QImage())
            return
        self.drawn.emit(draw(view, self._files, self._wanted, self._palette))


class Sketcher(QObject):
    """Draws pictures and keeps them; what is drawn when another is wanted is not shown.

    Attributes:
        kept: the pictures that are there; null where there can be none.

    Signals:
        drawn(object, object): a picture, and what was `Wanted`.
    """

    drawn = Signal(object, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.kept: dict[Wanted, QImage] = {}
        self._being_drawn: set[Wanted] = set()
        self._wanted: Wanted | None = None
        self._ahead: list[tuple[Pack, Wanted, Palette]] = []

    def ask(self, files: Pack, scenario: str, palette: Palette, size: QSize, ratio: float) -> None:
        """Draw where a scenario begins; the answer comes by the signal, at once if it is there already."""
        wanted = Wanted(files.manifest.ruleset, scenario, palette.name, size.width(), size.height(), ratio)
        self._wanted = wanted
        if wanted in self.kept:
            self.drawn.emit(self.kept[wanted], wanted)
            return
        self._draw(files, wanted, palette)

    def ask_ahead(self, packs: Iterable[tuple[Pack, str]], palette: Palette, size: QSize, ratio: float) -> None:
        """Draw where some scenarios begin, one after the other, so that whoever chooses one of them sees it at once."""
        scenarios = [(files, Wanted(files.manifest.ruleset, one, palette.name, size.width(), size.height(), ratio)) for files, one in packs]
        self._ahead = [(files, wanted, palette) for files, wanted in scenarios]
        self._go_ahead()

    def _go_ahead(self) -> None:
        """Begin the next of the pictures that may be wanted, if none is being drawn."""
        while self._ahead and not self._being_drawn:
            files, wanted, palette = self._ahead.pop(0)
            if wanted not in self.kept:
                self._draw(files, wanted, palette)

    def _draw(self, files: Pack, wanted: Wanted, palette: Palette) -> None:
        if wanted in self._being_drawn:
            return
        self._being_drawn.add(wanted)
        drawing = _Drawing(files, wanted, palette, self)
        drawing.drawn.connect(lambda image: self._take(wanted, image))
        drawing.finished.connect(drawing.deleteLater)
        drawing.start(QThread.Priority.LowPriority)

    def stop(self) -> None:
        """Wait for what is being drawn, before the window goes."""
        self._wanted = None
        self._ahead.clear()
        for drawing in self.findChildren(_Drawing):
            drawing.wait()

    def _take(self, wanted: Wanted, image: QImage) -> None:
        self.kept[wanted] = image
        self._being_drawn.discard(wanted)
        self._go_ahead()
        if wanted == self._wanted:
            self.drawn.emit(image, wanted)


def draw(view: View, files: Pack, wanted: Wanted, palette: Palette) -> QImage:
    """Return a picture of the part of the map where most counters lie."""
    ground = ground_of(view.board)
    geometry, names = ground.geometry, names_of(view.board, files.lettering(view.setting.scenario.sections))
    scale = max(HEX_PX / 64.0, wanted.width / ground.bounds.width(), wanted.height / ground.bounds.height())
    area = crowded_area(view, ground, QSizeF(wanted.width / scale, wanted.height / scale))
    image = QImage(round(wanted.width * wanted.ratio), round(wanted.height * wanted.ratio), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.scale(scale * wanted.ratio, scale * wanted.ratio)
    painter.translate(-area.left(), -area.top())
    paint_map(painter, area, ground, names, palette, scale=scale, weather=view.ruleset.weather(view, view.position.turn))
    paint_counters(painter, view, geometry, files.manifest, palette, scale=scale)
    painter.end()
    image.setDevicePixelRatio(wanted.ratio)
    return image

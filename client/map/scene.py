"""The map's scene: tiles below, overlays between, counters on top. Shows a view; decides nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QGraphicsScene

from client.map.counters import HALF, CounterPixmaps, art_of, nations_in
from client.map.fan import APART, FanLayer, Slip, fan_offset
from client.map.front import Facing, FrontLayer
from client.map.geometry import HEX, Point
from client.map.ground import ground_of
from client.map.idle import Idle
from client.map.items import FAN_Z, STEP, CounterItem, stack_offset
from client.map.lettering import names_of
from client.map.overlays import AnswersLayer, CursorLayer, HexesLayer, Layer, MarksLayer, MovesLayer, NamesLayer, ReachLayer, RingLayer
from client.map.palette import Palette, side_colour
from client.map.tiles import GroundItem, TilePainter
from client.qt import QEasingCurve, QPointF, QRectF, QVariantAnimation
from client.session.stacks import stacked
from client.weakly import weakly
from core.board import Board, Hex
from core.events import Moved
from core.pack import Lettering, Manifest
from core.units import UnitId
from core.views import View

COUNTERS_Z = 10.0
FRAME = 4.0  # around a selected counter, in scene units
GLIDE_MS = 320


class MapScene(QGraphicsScene):
    """The board, its counters and overlays.

    Args:
        board: the map.
        manifest: colours of sides and nations.
        lettering: names to write.
        palette: the theme.
    """

    def __init__(self, board: Board, manifest: Manifest, lettering: tuple[Lettering, ...], palette: Palette) -> None:
        super().__init__()
        self.board = board
        self.manifest = manifest
        self.nations = nations_in(palette, manifest)
        self.palette_ = palette
        self.ground = ground_of(board)
        self.geometry = self.ground.geometry
        self.names = names_of(board, lettering)
        self.idle = Idle()
        self.tiles = TilePainter(self.ground, self.names, palette, self.idle)
        self.pixmaps = CounterPixmaps(palette, self.idle)
        self.counters: dict[UnitId, CounterItem] = {}
        self._ground_item = GroundItem(self.tiles)
        self.addItem(self._ground_item)
        self.front = FrontLayer(self.geometry, palette)
        self.front.asks, self.front.is_drawn = weakly(self._facings), weakly(self._is_front_drawn)
        self.reach = ReachLayer(self.geometry, palette)
        self.marks = MarksLayer(self.geometry, palette)
        self.ring = RingLayer(self.geometry, palette)
        self.moves = MovesLayer(self.geometry, palette, z=5, colour=palette.ink_soft, alpha=0.6, gap=22.0)
        self.path = MovesLayer(self.geometry, palette, z=22, colour=palette.accent, alpha=0.95)
        self.attack = MovesLayer(self.geometry, palette, z=19, colour=palette.target, alpha=0.9, lift=0.34)
        self.answers = AnswersLayer(self.geometry, palette)
        self.cursor = CursorLayer(self.geometry, palette)
        self.slips = FanLayer(self.geometry, palette)
        self.over = NamesLayer(self.geometry, palette, self.names)
        self.over.crossed = weakly(self._crossed)
        self.over.is_ready, self.tiles.told_whole = self.tiles.is_whole, weakly(self._ground_is_whole)
        self.reach.costs.names = self.names
        self.overlays: dict[str, HexesLayer] = {}
        for layer in self._layers():
            self.addItem(layer)
        room = 5 * HEX  # of table around the map, so that its edge can be looked at beside the cards
        self.setSceneRect(self.ground.bounds.adjusted(-room, -room, room, room))
        self.setBackgroundBrush(QBrush(QColor(palette.table)))
        self._fanned: Hex | None = None
        self.unit_keys: Mapping[UnitId, str] = MappingProxyType({})  # of what the card asks for
        self.picked_keys: Mapping[UnitId, str] = MappingProxyType({})  # of what was picked of it
        self.fan_keys: Mapping[UnitId, str] = MappingProxyType({})  # of a stack that was spread to be picked from by them
        self._selected: frozenset[UnitId] = frozenset()
        self._view: View | None = None
        self._gliding: QVariantAnimation | None = None
        self.setBspTreeDepth(8)  # fixed: the index would tune itself anew at each change of numbers

    def _is_front_drawn(self) -> bool:
        """Say whether an overlay draws the front."""
        return any(layer.crossed for layer in self.overlays.values())

    def _ground_is_whole(self) -> None:
        self.over.update()

    def _crossed(self) -> tuple[QRectF, ...]:
        """Return what is drawn along hexsides, and from hex to hex, and would strike through names."""
        drawn = self.reach.crossed + self.answers.lined + self.marks.area.crossed
        return sum((layer.crossed + layer.lined for layer in self.overlays.values()), drawn)

    def _layers(self) -> list[Layer]:
        drawn = [self.front, self.reach, self.ring, self.marks, self.marks.words, self.marks.area, self.moves, self.path, self.attack]
        return [*drawn, self.answers, self.cursor, self.slips, self.slips.ground, self.over]

    # ---------------------------------------------------------------- showing

    def show_view(self, view: View, *, weather: str) -> None:
        """Show a position."""
        self._view = view
        self.front.show()
        self.settle()
        if weather != self.tiles.weather:
            self.tiles.weather = weather
            self._ground_item.update()
        on_map = view.position.on_map()
        present = {unit.id for unit in on_map}
        for gone in [unit for unit in self.counters if unit not in present]:
            self.removeItem(self.counters.pop(gone))
        if self._fanned is not None and (self.fan_keys or self.height_of(self._fanned) < 2):
            self._fanned, self.fan_keys = None, MappingProxyType({})
        for here in view.position.occupied():
            self._show_stack(view, here)
        self._show_slips()
        self.over.show(self._stand(here, len(view.position.at(here))) for here in view.position.occupied())

    def _facings(self) -> list[Facing]:
        """Return the front of each side in the position that is shown."""
        view = self._view
        if view is None:
            return []
        sides = view.setting.sides
        return [
            Facing(side_colour(self.palette_, sides, self.manifest.side_colours, side), view.ruleset.front(view, side)) for side in sides
        ]

    def _stand(self, here: Hex, count: int) -> QRectF:
        """Return what so many counters of a hex cover, framed as selected ones are."""
        centre, half = self.geometry.centre(here), HALF + FRAME + abs(stack_offset(0, count).x())
        return QRectF(centre.x - half, centre.y - half, 2 * half, 2 * half)

    def _words_before(self, name: str, scale: float) -> list[QRectF]:
        """Return where words stand that those of an overlay keep off: the costs of reach, and overlays that were laid before it."""
        before = list(self.overlays)
        layers = [self.overlays[one].labels.placed_now(scale) for one in before[: before.index(name)]] if name in before else []
        return [box for placed in (self.reach.costs.at(scale), *layers) for box in placed.values()]

    def _show_stack(self, view: View, here: Hex) -> None:
        units = stacked(view, here)
        arts = [art_of(view, unit.id, self.nations) for unit in units]
        steps = sum(art.steps for art in arts)
        centre = self.geometry.centre(here)
        for index, (unit, art) in enumerate(zip(units, arts, strict=True)):
            item = self.counters.get(unit.id)
            if item is None:
                item = CounterItem(unit.id, art, self.pixmaps)
                self.counters[unit.id] = item
                self.addItem(item)
            colour = side_colour(self.palette_, view.setting.sides, self.manifest.side_colours, view.side(unit.id))
            is_top = index == len(units) - 1
            item.show_as(
                art, side_colour=colour, count=len(units) if is_top else 0, steps=steps, selected=unit.id in self._selected
            )
            offset = fan_offset(index, len(units)) if here == self._fanned else stack_offset(index, len(units))
            item.setPos(centre.x + offset.x(), centre.y + offset.y())
            item.setZValue(self._height(index, picked=unit.id in self._selected, fanned=here == self._fanned))

    @staticmethod
    def _height(index: int, *, picked: bool, fanned: bool) -> float:
        """Return how high the counter *index* from below lies: those that are picked above the rest of their stack."""
        return (FAN_Z if fanned else COUNTERS_Z) + 0.01 * index + (0.5 if picked and not fanned else 0.0)

    # ---------------------------------------------------------------- moving

    def whereabouts(self) -> dict[UnitId, QPointF]:
        """Return where each counter lies now."""
        return {unit: item.pos() for unit, item in self.counters.items()}

    def glide(self, before: Mapping[UnitId, QPointF], moves: Sequence[Moved]) -> None:
        """Let counters that moved run from where they lay along their paths, all within GLIDE_MS."""
        routes: list[tuple[CounterItem, QPointF, list[QPointF]]] = []
        for move in moves:
            hexes = [self.geometry.centre(Hex(place)) for place in move.path if place >= 0]
            for unit in move.units:
                item = self.counters.get(unit)
                if item is not None and unit in before and before[unit] != item.pos() and hexes:
                    points = [before[unit], *(QPointF(*point) for point in hexes[:-1]), item.pos()]
                    routes.append((item, item.pos(), points))
        if not routes:
            return
        glide = QVariantAnimation(self)
        glide.setStartValue(0.0)
        glide.setEndValue(1.0)
        glide.setDuration(GLIDE_MS)
        glide.setEasingCurve(QEasingCurve.Type.InOutQuad)
        glide.valueChanged.connect(lambda share: [item.setPos(_along(points, float(share))) for item, _, points in routes])
        glide.finished.connect(lambda: [item.setPos(goal) for item, goal, _ in routes])
        self._gliding = glide
        glide.start()

    def settle(self) -> None:
        """End what still glides; every counter lies where it belongs."""
        if self._gliding is not None:
            self._gliding.setCurrentTime(GLIDE_MS)
            self._gliding.stop()
            self._gliding.deleteLater()
            self._gliding = None

    # ---------------------------------------------------------------- what is picked and spread

    def select(self, units: Collection[UnitId]) -> None:
        """Frame these counters."""
        chosen = frozenset(units)
        if chosen == self._selected:
            return
        changed, self._selected = chosen ^ self._selected, chosen
        if self._view is not None:
            for here in {place for unit in changed if (place := self._place_of(self._view, unit)) is not None}:
                self._lift_picked(self._view, here)
        for unit in changed:
            item = self.counters.get(unit)
            if item is not None:
                item.show_as(
                    item.art, side_colour=item.side_colour, count=item.count, steps=item.steps, selected=unit in chosen
                )

    def _place_of(self, view: View, unit: UnitId) -> Hex | None:
        """Return the hex where a counter stands, None beside the map or if it is gone."""
        if unit not in self.counters:
            return None
        place = view.unit(unit).place
        return Hex(place) if place >= 0 else None

    def _lift_picked(self, view: View, here: Hex) -> None:
        """Let what is picked of a stack lie on top, so that its frame goes round no other counter."""
        for index, unit in enumerate(stacked(view, here)):
            if unit.id in self.counters:
                height = self._height(index, picked=unit.id in self._selected, fanned=here == self._fanned)
                self.counters[unit.id].setZValue(height)

    def fan(self, here: Hex | None, keys: Mapping[UnitId, str] = MappingProxyType({})) -> None:
        """Spread the stack of a hex like a roof above it, None to close; *keys* are those by which its counters can be picked."""
        if here == self._fanned and keys == self.fan_keys:
            return
        self.settle()  # what glides would come to lie in the stack that is spread meanwhile
        old, self._fanned, self.fan_keys = self._fanned, here, keys
        if self._view is None:
            return
        for place in (old, here):
            if place is not None and self._view.position.at(place):
                self._show_stack(self._view, place)
        self._show_slips()

    def _show_slips(self) -> None:
        """Write key and name beside each counter of the spread stack."""
        here, view = self._fanned, self._view
        if here is None or view is None:
            self.slips.show(QPointF(), ())
            return
        units, keys = stacked(view, here), self.keys_of_fan()
        offsets = (fan_offset(index, len(units)) for index in range(len(units)))
        slips = [Slip(offset, keys.get(unit.id, ""), view.name(unit.id)) for offset, unit in zip(offsets, units, strict=True)]
        self.slips.show(QPointF(*self.centre(here)), slips)

    def keys_of_fan(self) -> Mapping[UnitId, str]:
        """Return the keys of the counters of the spread stack: those of the card where it asks for them, else the stack's own.

        A counter that was picked keeps its key beside those that are still offered.
        """
        here, view = self._fanned, self._view
        spread = view.position.at(here) if here is not None and view is not None else ()
        asked = {unit: key for unit in spread if (key := self.unit_keys.get(unit) or self.picked_keys.get(unit))}
        return asked if len(asked) == len(spread) or any(unit in self.unit_keys for unit in asked) else self.fan_keys

    def key_units(self, keys: Mapping[UnitId, str], picked: Mapping[UnitId, str] = MappingProxyType({})) -> None:
        """Take the keys by which the card offers counters, and those by which it offered the *picked* ones."""
        if (keys, picked) != (self.unit_keys, self.picked_keys):
            self.unit_keys, self.picked_keys = keys, picked
            self._show_slips()

    def is_below_fan(self, point: QPointF) -> bool:
        """Say whether a point lies between a hex and its stack that is spread above it: who goes there shall find it still spread."""
        if self._fanned is None:
            return False
        off = point - QPointF(*self.centre(self._fanned))
        count = self.height_of(self._fanned)
        return abs(off.x()) <= APART and fan_offset(count // 2, count).y() <= off.y() <= 0

    def fan_bounds(self) -> QRectF:
        """Return what the spread stack takes up with its slips."""
        if self._fanned is None or self._view is None:
            return QRectF()
        centre, bounds = QPointF(*self.centre(self._fanned)), QRectF()
        count = self.height_of(self._fanned)
        for middle in (centre + fan_offset(index, count) for index in range(count)):
            bounds = bounds.united(QRectF(middle.x() - HALF, middle.y() - HALF, 2 * HALF, 2 * HALF))
        for box in self.slips.boxes(1.0):
            bounds = bounds.united(box)
        return bounds

    def height_of(self, here: Hex) -> int:
        """Return how many counters lie in a hex."""
        return len(self._view.position.at(here)) if self._view is not None else 0

    @property
    def fanned(self) -> Hex | None:
        """Return the hex whose stack is spread."""
        return self._fanned

    def unit_at(self, x: float, y: float) -> UnitId | None:
        """Return the counter of the spread stack at a point, by arithmetic."""
        if self._fanned is None or self._view is None:
            return None
        spread = (self.counters[unit] for unit in self._view.position.at(self._fanned))
        hit = [one for one in spread if abs(one.x() - x) <= HALF and abs(one.y() - y) <= HALF]
        return max(hit, key=CounterItem.zValue).unit if hit else None  # the one that is seen there

    def is_on_stack(self, here: Hex, x: float, y: float) -> bool:
        """Say whether a point lies on the counters of a hex, or where they lie when they are not spread."""
        centre = self.geometry.centre(here)
        return self.height_of(here) > 0 and max(abs(centre.x - x), abs(centre.y - y)) <= HALF + STEP

    def show_overlay(
        self,
        name: str,
        hexes: Mapping[Hex, str] | None,
        lines: Sequence[Sequence[Hex]] = (),
        *,
        front: Sequence[tuple[Hex, Hex]] = (),
        colour: str,
    ) -> None:
        """Show one of the ruleset's overlays in a colour; None takes it away."""
        old = self.overlays.pop(name, None)
        if old is not None:
            self.removeItem(old)
            self.removeItem(old.labels)
            old.tiles.stop()
        if hexes is not None:
            layer = HexesLayer(self.geometry, self.palette_, colour)
            layer.show(hexes, lines, front)
            self.overlays[name] = layer
            layer.labels.placed.names = self.names
            layer.labels.placed.others = partial(weakly(self._words_before), name)
            layer.labels.idle = layer.tiles.idle = self.idle if self.pixmaps.patient else None
            if old is not None:
                layer.tiles.take_over(old.tiles)
            self.addItem(layer)
            self.addItem(layer.labels)

    def set_palette(self, palette: Palette) -> None:
        """Change the theme of everything; the view has to be shown again, as sides have other colours now."""
        self.palette_ = palette
        self.nations.update(nations_in(palette, self.manifest))
        self.tiles.palette = palette
        self.pixmaps.palette = palette
        self.moves.colour, self.path.colour, self.attack.colour = palette.ink_soft, palette.accent, palette.target
        for layer in (*self._layers(), *self.overlays.values(), *(layer.labels for layer in self.overlays.values())):
            layer.palette = palette
        self.setBackgroundBrush(QBrush(QColor(palette.table)))
        self.update()

    def be_patient(self) -> None:
        """Let what is missing be stood in for until there is time to paint it: for a window that must never wait."""
        self.tiles.patient = self.pixmaps.patient = True
        self.over.idle = self.idle
        self.front.be_patient(self.idle)

    def take_over(self, before: MapScene) -> None:
        """Begin with what another scene has painted, so that nothing has to be painted anew that looks the same."""
        self.tiles.take_over(before.tiles)
        self.pixmaps.take_over(before.pixmaps)

    def centre(self, here: Hex) -> Point:
        """Return a hex's middle in scene units."""
        return self.geometry.centre(here)


def _along(points: Sequence[QPointF], share: float) -> QPointF:
    """Return the point at a share 0 … 1 of a way whose legs all take the same time."""
    leg = min(len(points) - 2, int(share * (len(points) - 1)))
    part = share * (len(points) - 1) - leg
    return points[leg] + (points[leg + 1] - points[leg]) * part

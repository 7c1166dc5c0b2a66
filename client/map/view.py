"""The view on the map: zoom by wheel, pinch and keys, pan, the hex cursor, and clicks turned into hexes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtGui import QKeyEvent, QMouseEvent, QNativeGestureEvent, QPainter, QTransform, QWheelEvent
from PySide6.QtWidgets import QApplication, QFrame, QGestureEvent, QGraphicsView, QPinchGesture

from client.map.geometry import HEX
from client.map.ghost import Ghost
from client.map.scene import MapScene
from client.qt import QEvent, QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from core.board import Hex
from core.units import UnitId

LEAST, MOST = 0.1, 4.0  # logical pixels a scene unit
ZOOM_STEPS = (LEAST, *(2 ** (k / 4) for k in range(-13, 9)))  # where keys and buttons stop, so that tiles serve again
NOTCHES = 480  # eighths of a degree that the wheel is turned to double the scale: four notches of a common mouse
PAN_PX = 90
EDGE_PX, EDGE_AFTER_MS, EDGE_STEP_MS, EDGE_STEP_PX = 8, 300, 16, 12
FAN_AFTER_MS = 150


class Sight(NamedTuple):
    """What a view shows: its scale, and the point of the scene in its middle."""

    scale: float
    middle: QPointF


class MapView(QGraphicsView):
    """A window on the scene.

    Attributes:
        lift: asked where a drag begins on a counter of a hex (or on one of the spread stack); returns the counters that go along, none
            where the drag shall pan the map.
        covers: asked what lies over the map for good, in pixels of the viewport: a hex that shall be seen is brought out beside it.
        covered_right: pixels at the right that a panel lies over, see `cover_right`.

    Signals:
        hex_clicked(int, bool): a hex was picked by mouse or keyboard; whether Shift was held.
        hex_double_clicked(int).
        unit_clicked(int, bool): a counter of the spread stack was clicked.
        passed(int): the counters dragged shall go through this hex: Shift was pressed over it, or is held.
        dropped(object): the counters dragged were dropped on this hex; None beside the map, or the drag was given up.
        hex_hovered(object): the hex under the mouse, or None.
        zoomed(float): logical pixels a scene unit.
        moved(): what is seen has changed.
    """

    hex_clicked = Signal(int, bool)
    hex_double_clicked = Signal(int)
    unit_clicked = Signal(int, bool)
    passed = Signal(int)
    dropped = Signal(object)
    hex_hovered = Signal(object)
    zoomed = Signal(float)
    moved = Signal()

    def __init__(self, scene: MapScene) -> None:
        super().__init__(scene)
        self._scene = scene
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.SmartViewportUpdate)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)  # zooming keeps the point under the cursor by itself
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Map"))
        self.viewport().setAccessibleName(self.accessibleName())
        self.cursor_hex: Hex | None = None
        self.hovered: Hex | None = None
        self.fans_by_itself = True
        self.covered_right = 0
        self.pans_at_edge = True
        self._pressed: QPoint | None = None
        self._last: QPoint | None = None
        self._dragging = False
        self._by_left = False
        self.lift: Callable[[Hex, UnitId | None], tuple[UnitId, ...]] = lambda here, unit: ()
        self.covers: Callable[[], Sequence[QRect]] = lambda: ()
        self._ghost: Ghost | None = None
        self._passed: Hex | None = None  # the hex that was told last of those that the drag goes through
        self._fan_timer = QTimer(self, singleShot=True, interval=FAN_AFTER_MS)
        self._fan_timer.timeout.connect(self._fan_hovered)
        self._edge = QPoint()  # the way that the map shall run while the mouse rests at its edge
        self._edge_timer = QTimer(self)
        self._edge_timer.timeout.connect(self._pan_at_edge)
        self.viewport().grabGesture(Qt.GestureType.PinchGesture)

    # ---------------------------------------------------------------- zoom

    def scale_now(self) -> float:
        """Return logical pixels a scene unit."""
        return self.transform().m11()

    def zoom_by(self, steps: int, around: QPoint | None = None) -> None:
        """Zoom to another step of the ladder, in for positive numbers; *around* is a point of the viewport.

        By default it is the hex cursor if that is in sight, else the middle.
        """
        if around is None and self.cursor_hex is not None:
            centre = self._scene.centre(self.cursor_hex)
            point = self.mapFromScene(centre.x, centre.y)
            around = point if self.viewport().rect().contains(point) else None
        now = self.scale_now()
        nearest = min(range(len(ZOOM_STEPS)), key=lambda i: abs(math.log(ZOOM_STEPS[i] / now)))
        self.zoom_to(max(0, min(len(ZOOM_STEPS) - 1, nearest + steps)), around)

    def zoom_to(self, step: int, around: QPoint | None = None) -> None:
        """Zoom to a step of the ladder."""
        self.zoom_to_scale(ZOOM_STEPS[step], around)

    def zoom_to_scale(self, scale: float, around: QPoint | None = None) -> None:
        """Zoom to any scale from LEAST to MOST, so that what lies under *around* stays there."""
        scale = max(LEAST, min(MOST, scale))
        if scale == self.scale_now():
            return
        place = QPointF(around if around is not None else self.viewport().rect().center())
        inverse, _ = self.viewportTransform().inverted()
        point = inverse.map(place)
        self.setTransform(QTransform.fromScale(scale, scale))
        self._make_room()
        off = self.viewportTransform().map(point) - place
        self._scroll_by(round(off.x()), round(off.y()))
        self.zoomed.emit(scale)
        self.moved.emit()

    def cover_right(self, width: int) -> None:
        """Learn how many pixels at the right a panel lies over: nothing that shall be looked at is left there."""
        if width != self.covered_right:
            self.covered_right = width
            self._make_room()

    def _make_room(self) -> None:
        """Let the scene run on so far to the right that its edge can be brought out from under a panel."""
        scene, more = self._scene.sceneRect(), self.covered_right / self.scale_now()
        if more or self.sceneRect() != scene:
            self.setSceneRect(scene.adjusted(0, 0, more, 0))

    def sight(self) -> Sight:
        """Return what is seen: the scale, and the point of the scene in the middle."""
        return Sight(self.scale_now(), self.mapToScene(self.viewport().rect().center()))

    def part_in_sight(self) -> QRectF:
        """Return the part of the scene that the viewport shows."""
        return self.mapToScene(self.viewport().rect()).boundingRect()

    def look_at(self, sight: Sight) -> None:
        """Show what another view of the same map showed."""
        self.zoom_to_scale(sight.scale)
        self.centerOn(sight.middle)

    def zoom_fit(self) -> None:
        """Show the whole map at the largest scale that holds it beside what a panel covers."""
        bounds = self._scene.ground.bounds
        self.zoom_to_scale(min(self._free_width() / bounds.width(), self.viewport().height() / bounds.height()))
        self._centre_free(bounds.center())

    def _free_width(self) -> int:
        return self.viewport().width() - self.covered_right

    def _centre_free(self, point: QPointF) -> None:
        """Bring a point of the scene into the middle of what no panel covers."""
        self.centerOn(point.x() + self.covered_right / self.scale_now() / 2, point.y())

    def _scroll_by(self, dx: int, dy: int) -> None:
        self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() + dx)
        self.verticalScrollBar().setValue(self.verticalScrollBar().value() + dy)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta()
        if turned.y():
            self.zoom_to_scale(self.scale_now() * 2 ** (turned.y() / NOTCHES), event.position().toPoint())
        elif turned.x():
            self._scroll_by(-turned.x(), 0)
        event.accept()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom_to_scale(self.scale_now() * (1 + event.value()), event.position().toPoint())
            return True
        if isinstance(event, QGestureEvent):
            pinch = event.gesture(Qt.GestureType.PinchGesture)
            if isinstance(pinch, QPinchGesture):
                self.zoom_to_scale(self.scale_now() * pinch.scaleFactor(), self.viewport().mapFromGlobal(pinch.centerPoint().toPoint()))
                return True
        return super().viewportEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.viewport().update()  # tiles and counters are made for the new screen as they are painted
        return super().event(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self.moved.emit()

    # ---------------------------------------------------------------- mouse

    def hex_at(self, where: QPoint) -> Hex | None:
        """Return the hex at a point of the viewport."""
        point = self.mapToScene(where)
        return self._scene.geometry.hex_at(point.x(), point.y())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._ghost is not None:  # another button
            self.put_back()
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._pressed = self._last = event.position().toPoint()
        self._by_left = event.button() == Qt.MouseButton.LeftButton
        self._dragging = event.button() == Qt.MouseButton.MiddleButton
        if self._dragging:
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        where = event.position().toPoint()
        if self._pressed is not None and self._last is not None:
            far = (where - self._pressed).manhattanLength() >= QApplication.startDragDistance()
            if far and not self._dragging and self._ghost is None:
                self._take_hold(self._pressed)
                self._dragging = self._ghost is None
                self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            if self._dragging:
                delta = where - self._last
                self._last = where
                self._scroll_by(-delta.x(), -delta.y())
                return
            if self._ghost is not None:
                self._last = where
                self._ghost.move_to(self.mapToScene(where))
                if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                    self._pass(self.hex_at(where))
        self._watch_edge(where)
        self._hover(self.hex_at(where), self.mapToScene(where))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        self.viewport().unsetCursor()
        if self._ghost is not None:
            where = event.position().toPoint()
            self.let_go()
            self.dropped.emit(self.hex_at(where) if self._is_bare(where) else None)
            return
        if pressed is None or self._dragging or event.button() != Qt.MouseButton.LeftButton:
            self._dragging = False
            return
        where = event.position().toPoint()
        adding = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        point = self.mapToScene(where)
        unit = self._scene.unit_at(point.x(), point.y())
        if unit is not None:
            self.unit_clicked.emit(unit, adding)
            return
        here = self.hex_at(where)
        if here is not None:
            self.set_cursor(None)
            self.hex_clicked.emit(here, adding)

    # ---------------------------------------------------------------- counters in the hand

    @property
    def is_carrying(self) -> bool:
        """Say whether counters are being dragged."""
        return self._ghost is not None

    def _take_hold(self, where: QPoint) -> None:
        """Take the counters at a point into the hand, if they are to be had."""
        point, here = self.mapToScene(where), self.hex_at(where)
        unit = self._scene.unit_at(point.x(), point.y())
        if not self._by_left or here is None or (unit is None and not self._scene.is_on_stack(here, point.x(), point.y())):
            return
        units = self.lift(self._scene.fanned if unit is not None and self._scene.fanned is not None else here, unit)
        if units:
            self._ghost = Ghost(self._scene, units)

    def _pass(self, here: Hex | None) -> None:
        """Tell of a hex that the counters in the hand shall go through; one that they stay over is told once."""
        if here is not None and here != self._passed:
            self._passed = here
            self.passed.emit(here)

    def put_back(self) -> None:
        """Give a drag up."""
        if self._ghost is not None:
            self.let_go()
            self.dropped.emit(None)

    def let_go(self) -> None:
        """Hold no counters any more, and tell nobody."""
        if self._ghost is not None:
            self._ghost.end()
            self._ghost, self._pressed, self._passed = None, None, None
            self._edge_timer.stop()
            self.viewport().unsetCursor()

    def _is_bare(self, where: QPoint) -> bool:
        """Say whether a point of the viewport is in sight, under no card or panel."""
        window, port = self.window(), self.viewport()
        return port.rect().contains(where) and window.childAt(port.mapTo(window, where)) is port

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Tell of a double click; the release after it is no click any more."""
        here = self.hex_at(event.position().toPoint())
        if here is not None and event.button() == Qt.MouseButton.LeftButton:
            self.hex_double_clicked.emit(here)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._edge_timer.stop()
        self._hover(None, QPointF())

    def _watch_edge(self, where: QPoint) -> None:
        """Let the map run when the mouse rests at its edge; on its way over the edge it does not."""
        port = self.viewport().rect()
        self._edge = QPoint(
            (where.x() >= port.right() - EDGE_PX) - (where.x() <= EDGE_PX), (where.y() >= port.bottom() - EDGE_PX) - (where.y() <= EDGE_PX)
        )
        if self._edge.isNull() or not self.pans_at_edge or (self._pressed is not None and self._ghost is None):
            self._edge_timer.stop()
        elif not self._edge_timer.isActive():
            self._edge_timer.start(EDGE_AFTER_MS)

    def _pan_at_edge(self) -> None:
        self._scroll_by(EDGE_STEP_PX * self._edge.x(), EDGE_STEP_PX * self._edge.y())
        if self._ghost is not None and self._last is not None:
            self._ghost.move_to(self.mapToScene(self._last))
            self._hover(self.hex_at(self._last), self.mapToScene(self._last))
        self._edge_timer.start(EDGE_STEP_MS)

    def _hover(self, here: Hex | None, point: QPointF) -> None:
        if self._scene.unit_at(point.x(), point.y()) is not None or (self._ghost is None and self._scene.is_below_fan(point)):
            return
        if here == self.hovered:
            return
        self.hovered = here
        if self._scene.fanned is not None and here != self._scene.fanned:
            self._scene.fan(None)
        self._scene.cursor.show(self.cursor_hex, here)
        self._fan_timer.start()
        self.hex_hovered.emit(here)

    def forget_mouse(self) -> None:
        """Frame no hex under the mouse until it moves."""
        self._hover(None, self._scene.ground.bounds.bottomRight() + QPointF(HEX, HEX))

    def _fan_hovered(self) -> None:
        """Spread the stack under the mouse, if it holds more counters than can be told apart."""
        if not self.fans_by_itself or self.hovered is None or self._dragging or self._ghost is not None or self.scale_now() * HEX < 36:
            return
        if self._scene.height_of(self.hovered) > 1:
            self._scene.fan(self.hovered)

    # ---------------------------------------------------------------- keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        direction = {
            Qt.Key.Key_Left: (-1.0, 0.0),
            Qt.Key.Key_Right: (1.0, 0.0),
            Qt.Key.Key_Up: (-0.3, -1.0),
            Qt.Key.Key_Down: (0.3, 1.0),
        }.get(Qt.Key(event.key()))
        if event.key() == Qt.Key.Key_Shift and not event.isAutoRepeat() and self._ghost is not None and self._last is not None:
            self._passed = None  # pressed anew
            self._pass(self.hex_at(self._last))
        elif direction is None:
            event.ignore()
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._scroll_by(*(round(PAN_PX * math.copysign(abs(part) > 0.5, part)) for part in direction))
        else:
            self._step_cursor(*direction)

    def _step_cursor(self, dx: float, dy: float) -> None:
        here = self.cursor_hex
        if here is None:
            middle = self.mapToScene(self.viewport().rect().center())
            here = self.hovered if self.hovered is not None else self._scene.geometry.hex_at(middle.x(), middle.y())
            self.set_cursor(here)
            return
        geometry = self._scene.geometry
        if not dx or abs(dy) > abs(dx):  # straight up and down by turns, so that the cursor keeps its column
            row = geometry.cube_of[here][1]
            dx = (0.3 if row % 2 else -0.3) * math.copysign(1, dy) if geometry.pointy else 0.0
        there = geometry.toward(here, dx, dy)
        if there is not None:
            self.set_cursor(there)

    def set_cursor(self, here: Hex | None) -> None:
        """Put the hex cursor somewhere, and bring it into sight."""
        self.cursor_hex = here
        self._scene.cursor.show(here, self.hovered)
        if here is not None and self._scene.fan_keys and here != self._scene.fanned:
            self._scene.fan(None)
        if here is not None:
            self.show_hex(here)
            self.hex_hovered.emit(here)

    def show_hex(self, here: Hex) -> None:
        """Scroll so far that a hex is in sight, no more."""
        centre = self._scene.centre(here)
        self.ensureVisible(centre.x - HEX, centre.y - HEX, 2 * HEX, 2 * HEX, 40, 40)
        right = self.mapFromScene(centre.x + HEX, centre.y).x() - self._free_width()
        if self.covered_right and right > 0:
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() + right)
        self._bring_out(here)

    def _bring_out(self, here: Hex) -> None:
        """Scroll a hex out from under what lies over the map: the shortest way that leaves all of it in sight."""
        centre, port = self._scene.centre(here), self.viewport().rect().adjusted(0, 0, -self.covered_right, 0)
        half = round(HEX * self.scale_now() / 2)
        middle = self.mapFromScene(centre.x, centre.y)
        box, covers = QRect(middle.x() - half, middle.y() - half, 2 * half, 2 * half), self.covers()
        over = [cover for cover in covers if cover.intersects(box)]
        ways = [
            way for cover in over for way in (
                QPoint(cover.right() + 1 - box.left(), 0), QPoint(cover.left() - 1 - box.right(), 0),
                QPoint(0, cover.bottom() + 1 - box.top()), QPoint(0, cover.top() - 1 - box.bottom()),
            )
        ]
        for way in sorted(ways, key=QPoint.manhattanLength):
            moved = box.translated(way)
            if port.contains(moved) and not any(cover.intersects(moved) for cover in covers):
                self._scroll_by(-way.x(), -way.y())
                return

    def has_room_for(self, hexes: Sequence[Hex]) -> bool:
        """Say whether these hexes could be in sight at once, as large as they are now."""
        centres = [self._scene.centre(here) for here in hexes]
        xs, ys = [centre.x for centre in centres] or [0.0], [centre.y for centre in centres] or [0.0]
        wide, high = (self.scale_now() * (max(of) - min(of) + 2 * HEX) for of in (xs, ys))
        return wide <= self._free_width() and high <= self.viewport().height()

    def off_middle(self, here: Hex) -> float:
        """Return how far a hex is from the middle of what is seen, in units of the scene."""
        middle, centre = self.sight().middle, self._scene.centre(here)
        return math.hypot(centre.x - middle.x(), centre.y - middle.y())

    def centre_within_map(self, here: Hex) -> None:
        """Bring a hex as near to the middle as can be without showing the table beyond the map's edge."""
        centre, bounds = self._scene.centre(here), self._scene.ground.bounds
        half_width, half_height = (of / self.scale_now() / 2 for of in (self._free_width(), self.viewport().height()))
        x = min(max(centre.x, bounds.left() + half_width), max(bounds.right() - half_width, bounds.center().x()))
        y = min(max(centre.y, bounds.top() + half_height), max(bounds.bottom() - half_height, bounds.center().y()))
        if 2 * half_width > bounds.width():
            x = bounds.center().x()
        if 2 * half_height > bounds.height():
            y = bounds.center().y()
        self._centre_free(QPointF(x, y))

    def pick_cursor(self) -> bool:
        """Pick the hex under the hex cursor; False if there is none."""
        if self.cursor_hex is None:
            return False
        self.hex_clicked.emit(self.cursor_hex, False)
        return True

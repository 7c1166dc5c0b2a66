"""The likeness of counters that follows the mouse while they are dragged."""

from __future__ import annotations

from collections.abc import Sequence

from client.map.items import CounterItem, stack_offset
from client.map.scene import MapScene
from client.qt import QPointF
from core.units import UnitId

GHOST_Z = 60.0  # above all else on the map
GHOST_OPACITY, LIFTED_OPACITY = 0.85, 0.4


class Ghost:
    """Counters in the hand: their likeness goes with the mouse, they themselves lie pale where they were.

    Args:
        scene: where they lie.
        units: which, on the map.
    """

    def __init__(self, scene: MapScene, units: Sequence[UnitId]) -> None:
        self._scene = scene
        self._lifted = sorted((scene.counters[unit] for unit in units), key=CounterItem.zValue)
        steps = sum(item.art.steps for item in self._lifted)
        self.items: list[CounterItem] = []
        for index, item in enumerate(self._lifted):
            item.setOpacity(LIFTED_OPACITY)
            likeness = CounterItem(item.unit, item.art, scene.pixmaps)
            count = len(self._lifted) if index == len(self._lifted) - 1 else 0
            likeness.show_as(item.art, side_colour=item.side_colour, count=count, steps=steps, selected=True)
            likeness.setZValue(GHOST_Z + index * 0.01)
            likeness.setOpacity(GHOST_OPACITY)
            scene.addItem(likeness)
            self.items.append(likeness)

    def move_to(self, point: QPointF) -> None:
        """Follow the mouse."""
        for index, likeness in enumerate(self.items):
            likeness.setPos(point + stack_offset(index, len(self.items)))

    def end(self) -> None:
        """Go; the counters show whole again."""
        for item in self._lifted:
            item.setOpacity(1.0)
        for likeness in self.items:
            self._scene.removeItem(likeness)
        self.items = []

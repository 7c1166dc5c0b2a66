"""Which overlays of the ruleset lie on the map, for which side."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from client.map.scene import MapScene
from client.session.match import Match
from core.ruleset import Overlay
from core.units import Side


class OverlaySwitches:
    """Shows the overlays that the player switched on, from what the viewer may know.

    Args:
        match: its view is all that an overlay is made from.
        scene: shows them.
        colour: returns a side's colour in the theme of now.
    """

    def __init__(self, match: Match, scene: MapScene, colour: Callable[[Side], str]) -> None:
        self.match = match
        self.scene = scene
        self._colour = colour
        self._on: dict[tuple[str, Side], bool] = {}
        self._shown: dict[tuple[str, Side], Overlay] = {}

    def toggle(self, name: str, side: Side = "") -> None:
        """Show or hide an overlay of one side, or of both."""
        sides = [side] if side else list(self.match.setting.sides)
        on = not all(self._on.get((name, one), False) for one in sides)
        for one in sides:
            self._on[name, one] = on
            self._show(name, one)

    def on(self) -> frozenset[tuple[str, Side]]:
        """Return those that are shown, each with its side."""
        return frozenset(one for one, on in self._on.items() if on)

    def switch(self, on: Iterable[tuple[str, Side]]) -> None:
        """Let these be shown by the next `show`, and no others."""
        self._on = dict.fromkeys(on, True)

    def is_on(self, name: str) -> bool:
        """Say whether an overlay is shown for any side."""
        return any(self._on.get((name, side)) for side in self.match.setting.sides)

    def shows_nothing(self, name: str) -> bool:
        """Say whether an overlay is on, and there is nothing that it could show."""
        shown = [self._shown[name, side] for side in self.match.setting.sides if self._on.get((name, side))]
        return bool(shown) and not any(overlay.hexes or overlay.lines or overlay.front for overlay in shown)

    def show(self) -> None:
        """Show those that are on as they are at the shown moment."""
        for (name, side), on in self._on.items():
            if on:
                self._show(name, side)

    def _show(self, name: str, side: Side) -> None:
        key = f"{name} {side}"
        if not self._on.get((name, side)):
            self.scene.show_overlay(key, None, colour="#000000")
            return
        overlay = self._shown[name, side] = self.match.setting.ruleset.overlays[name](self.match.view, side)
        self.scene.show_overlay(key, overlay.hexes, overlay.lines, front=overlay.front, colour=self._colour(side))

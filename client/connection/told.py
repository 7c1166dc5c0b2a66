"""What a client was told of games with secrets, kept to be held against the whole log when it lies open."""

from __future__ import annotations

from core.match import Match
from core.seen import SeenEntry, check
from core.units import Side


class Told:
    """What was told of one game: a stretch for each viewer that this client was while it ran."""

    def __init__(self) -> None:
        self._stretches: list[tuple[Side, list[SeenEntry]]] = []

    def begin(self, viewer: Side) -> None:
        """Begin a stretch: the game comes anew, as another viewer sees it."""
        self._stretches.append((viewer, []))

    def note(self, seen: SeenEntry) -> None:
        """Keep what was told; the same entry once."""
        stretch = self._stretches[-1][1]
        assert seen.number == len(stretch), f"entry {seen.number} was told after {len(stretch) - 1}"
        stretch.append(seen)

    def check(self, match: Match) -> list[str]:
        """Return what was told otherwise than the opened log has it; what is checked is forgotten."""
        stretches, self._stretches = self._stretches, []
        return [wrong for viewer, told in stretches if (wrong := check(match.setting, match.log, viewer, told))]

    def __bool__(self) -> bool:
        return bool(self._stretches)

"""What a client was told of games with secrets, kept to be held against the whole log when it lies open."""

from __future__ import annotations

from collections.abc import Sequence

from core.log import Log
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
        """Return what was told otherwise than the opened log has it; what is checked is forgotten.

        Who has left his seat may be shown the running game later than he was told of it: what is ahead of that is kept until it is there.
        """
        due = [match.outcome is not None or _is_there(match.log, told) for _, told in self._stretches]
        stretches, self._stretches = self._stretches, [one for one, is_due in zip(self._stretches, due, strict=True) if not is_due]
        ready = [one for one, is_due in zip(stretches, due, strict=True) if is_due]
        found = (check(match.setting, match.log, viewer, told, version=match.table_version) for viewer, told in ready)
        return [wrong for wrong in found if wrong]

    def __bool__(self) -> bool:
        return bool(self._stretches)


def _is_there(log: Log, told: Sequence[SeenEntry]) -> bool:
    """Say whether a log has come as far as what was told."""
    return not told or any(entry.hash == told[-1].commitment for entry in reversed(log.entries))

"""A game from a file, to be watched: any entry, in both directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from client.session.match import LoggedMatch
from core import gamefile
from core.pack import Pack


class FileMatch(LoggedMatch):
    """A game read from bytes; it begins at its first entry, as a film does.

    Args:
        whole: read all of it at once; else only the first entry, and the rest by `go_on`.

    Attributes:
        file: where the bytes come from, None where that is no file.

    Raises:
        BadInput: with all faults of what was read.
    """

    def __init__(
        self, data: bytes, *, name: str, clock: Callable[[], int], file: Path | None = None, whole: bool = True
    ) -> None:
        self._opening = gamefile.Opening(data, clock=clock, name=name)
        self.file = file
        self._goes_along = False  # to the end, while more of the file is read
        self.file_players = dict(self._opening.head.players)
        super().__init__(self._opening.match, Pack(self._opening.files))
        if whole:
            for _ in self.go_on():
                pass

    def go_on(self) -> Iterator[float]:
        """Read what is left; yield the share that is done. The shown moment stays while more of them follow, unless it was the last.

        Whoever went to the last moment that there was meant the end of the game.

        Raises:
            BadInput: with all faults of the file; what comes before them can be looked at.
        """
        try:
            for share in self._opening.go_on():
                self._grow()  # at each step: what is told late is told at one stretch
                yield share
        finally:
            self._grow()

    def seek(self, index: int) -> None:
        """Show another moment; from the last one on the end is shown, however far the file is read."""
        super().seek(index)
        self._goes_along = self.is_live

    def _grow(self) -> None:
        at = self.cursor
        self.refresh()
        if not self._goes_along:
            super().seek(at)

    def players(self) -> dict[str, str]:
        """Return who played each side."""
        return self.file_players

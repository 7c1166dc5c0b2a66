"""A game from a file, to be watched: any entry, in both directions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from client.session.match import LoggedMatch
from core import gamefile
from core.pack import Pack


class FileMatch(LoggedMatch):
    """A game read from bytes; it begins at its first entry, as a film does.

    Attributes:
        file: where the bytes come from, None where that is no file.

    Raises:
        BadInput: with all faults of the file.
    """

    def __init__(self, data: bytes, *, name: str, clock: Callable[[], int], file: Path | None = None) -> None:
        read = gamefile.read(data, name=name)
        match = gamefile.open_match(read, clock=clock)
        self.file = file
        self.file_players = dict(read.head.players)
        super().__init__(match, Pack(read.files))
        self.seek(0)

    def players(self) -> dict[str, str]:
        """Return who played each side."""
        return self.file_players

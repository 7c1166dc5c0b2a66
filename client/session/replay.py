"""A game from a file, to be watched: any entry, in both directions."""

from __future__ import annotations

from collections.abc import Callable

from client.session.match import LoggedMatch
from core import gamefile
from core.pack import Pack


class FileMatch(LoggedMatch):
    """A game read from bytes; it begins at its first entry, as a film does.

    Raises:
        BadInput: with all faults of the file.
    """

    def __init__(self, data: bytes, *, name: str, clock: Callable[[], int]) -> None:
        file = gamefile.read(data, name=name)
        match = gamefile.open_match(file, clock=clock)
        self.file_players = dict(file.head.players)
        super().__init__(match, Pack(file.files))
        self.seek(0)

    def players(self) -> dict[str, str]:
        """Return who played each side."""
        return self.file_players

"""A scenario pack on its way, which goes on where a cut line left it."""

from __future__ import annotations

from core import protocol


class Parcel:
    """The pieces of a pack that have come.

    Attributes:
        files: the pack's, as far as they are here.
        pieces: how many have come.
        was_continued: whether they came in more than one sending.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytearray] = {}
        self.pieces = 0
        self.was_continued = False
        self._left = 0
        self._is_asked_anew = False

    def asked(self) -> int:
        """Take note that the rest is asked for; return after how many pieces."""
        self._is_asked_anew = True
        return self.pieces

    def take(self, part: protocol.PackPart) -> None:
        """Take a piece in; where the first one after an asking is not the next, the server sends all again."""
        if self._is_asked_anew:
            self.was_continued = bool(self.pieces) and part.left == self._left - 1
            if not self.was_continued:
                self.files, self.pieces = {}, 0
            self._is_asked_anew = False
        self.files.setdefault(part.name, bytearray()).extend(part.data)
        self.pieces += 1
        self._left = part.left

    @property
    def size(self) -> int:
        """Return how many bytes and letters of names have come."""
        return sum(len(name) + len(data) for name, data in self.files.items())

"""Bookmarks of a game with a note each, kept beside its file; the game itself knows nothing of them."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

SUFFIX = ".notes.json"


class Bookmarks:
    """Notes by the number of the entry they stand at.

    Args:
        file: where they are kept; None keeps them only as long as the window.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        self.notes: dict[int, str] = _read(file)

    def toggle(self, number: int, note: str = "") -> bool:
        """Set a bookmark, or take it away if there is one; say whether there is one now.

        Raises:
            OSError: the file can't be written; nothing has changed.
        """
        if number in self.notes:
            self.remove(number)
        else:
            self.set(number, note)
        return number in self.notes

    def set(self, number: int, note: str) -> None:
        """Write a note at an entry, instead of the one that was there.

        Raises:
            OSError: the file can't be written; nothing has changed.
        """
        self._change({**self.notes, number: note})

    def remove(self, number: int) -> None:
        """Take the note of an entry away.

        Raises:
            OSError: the file can't be written; nothing has changed.
        """
        self._change({n: note for n, note in self.notes.items() if n != number})

    def _change(self, notes: dict[int, str]) -> None:
        before, self.notes = self.notes, notes
        try:
            self._write()
        except OSError:
            self.notes = before
            raise

    def _write(self) -> None:
        if self.file is None:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        part = self.file.with_name(self.file.name + ".part")
        part.write_bytes(msgspec.json.encode(dict(sorted(self.notes.items()))))
        os.replace(part, self.file)


def beside(game: Path) -> Path:
    """Return where the bookmarks of a game file are kept."""
    return game.with_suffix(SUFFIX)


def _read(file: Path | None) -> dict[int, str]:
    """Return the notes of a file; none if there is none or it can't be read: they are no part of the game."""
    if file is None:
        return {}
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[int, str])
    except (OSError, msgspec.DecodeError):
        return {}

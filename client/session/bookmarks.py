"""Bookmarks of a game with a note each, kept beside its file; the game itself knows nothing of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from client.session.screen import PASSED_ON
from core.errors import Refused
from core.units import Side

SUFFIX = ".notes.json"
ALL = ""  # the owner of notes that everybody at the screen may read

Kept = dict[tuple[Side, int], str]


class Bookmarks:
    """Notes by the number of the entry they stand at.

    Args:
        file: where they are kept; None keeps them only as long as the window.
        owners: returns whose notes may be read now: sides, or ALL; the first writes. None of them while a screen is passed on.
    """

    def __init__(self, file: Path | None = None, owners: Callable[[], tuple[Side, ...]] = lambda: (ALL,)) -> None:
        self.file = file
        self._owners = owners
        self._kept = _read(file)

    @property
    def notes(self) -> dict[int, str]:
        """Return the notes that may be read now; several at one entry follow one another."""
        found: dict[int, str] = {}
        for owner in self._owners():
            for (kept_by, number), note in self._kept.items():
                if kept_by == owner:
                    found[number] = f"{found[number]} · {note}" if number in found else note
        return found

    def toggle(self, number: int, note: str = "") -> bool:
        """Set a bookmark, or take it away if there is one; say whether there is one now.

        Raises:
            OSError: the file can't be written; nothing has changed.
            Refused: the screen is being passed on.
        """
        if number in self.notes:
            self.remove(number)
        else:
            self.set(number, note)
        return number in self.notes

    def set(self, number: int, note: str) -> None:
        """Write a note at an entry, instead of what could be read there.

        Raises:
            OSError: the file can't be written; nothing has changed.
            Refused: the screen is being passed on.
        """
        if not self._owners():
            raise Refused("", PASSED_ON)
        self._change({**self._without(number), (self._owners()[0], number): note})

    def remove(self, number: int) -> None:
        """Take away what can be read at an entry.

        Raises:
            OSError: the file can't be written; nothing has changed.
        """
        self._change(self._without(number))

    def _without(self, number: int) -> Kept:
        mine = {(owner, number) for owner in self._owners()}
        return {key: note for key, note in self._kept.items() if key not in mine}

    def _change(self, kept: Kept) -> None:
        before, self._kept = self._kept, kept
        try:
            self._write()
        except OSError:
            self._kept = before
            raise

    def _write(self) -> None:
        if self.file is None:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        part = self.file.with_name(self.file.name + ".part")
        told = {f"{number} {owner}".strip(): note for (owner, number), note in sorted(self._kept.items())}
        part.write_bytes(msgspec.json.encode(told))
        os.replace(part, self.file)


def beside(game: Path) -> Path:
    """Return where the bookmarks of a game file are kept."""
    return game.with_suffix(SUFFIX)


def _read(file: Path | None) -> Kept:
    """Return the notes of a file, by owner and entry; none if there is none or it can't be read: they are no part of the game."""
    if file is None:
        return {}
    try:
        told = msgspec.json.decode(file.read_bytes(), type=dict[str, str])
        parts = [(*key.partition(" "), note) for key, note in told.items()]
        return {(owner, int(number)): note for number, _, owner, note in parts}
    except (OSError, ValueError):  # a DecodeError is a ValueError
        return {}

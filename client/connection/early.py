"""Entries that come before their game can be opened, as its pack is not here yet."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from core.log import Entry
from core.seen import SeenEntry

MOST_EARLY = 64 << 20  # bytes of a game: ten times the longest one


class Early:
    """Keeps them by game, each once, up to the first one that is missing: that is asked for again."""

    def __init__(self) -> None:
        self._kept: dict[str, list[Entry | SeenEntry]] = {}
        self._bytes: dict[str, int] = {}

    def keep(self, game: str, entries: Sequence[Entry | SeenEntry]) -> bool:
        """Keep entries; return False where they are too many, and none of that game are kept any more."""
        kept = self._kept.setdefault(game, [])
        new = [entry for entry in entries if entry.number >= len(kept)]
        if not new or new[0].number > len(kept):
            return True
        kept += new
        self._bytes[game] = self._bytes.get(game, 0) + len(msgspec.msgpack.encode(new))
        if self._bytes[game] > MOST_EARLY:
            self.pop(game)
            return False
        return True

    def last(self, game: str) -> Entry | SeenEntry | None:
        """Return the last one that is kept of a game."""
        kept = self._kept.get(game)
        return kept[-1] if kept else None

    def pop(self, game: str) -> tuple[Entry | SeenEntry, ...]:
        """Return those of a game, and keep them no more."""
        self._bytes.pop(game, None)
        return tuple(self._kept.pop(game, ()))

"""Whether a game that comes from its beginning again is the one that was known before.

It does so where something came that did not follow, or where a server wants it to: behind either it could bring another log.
"""

from __future__ import annotations

from core.match import Match


class Dropped:
    """Keeps what was known of games that are to come from their beginning: number and hash of the last entry.

    Of one that a viewer is told in part nothing is kept: its entries may have other numbers when it comes again.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, bytes]] = {}

    def drop(self, match: Match) -> None:
        """A game is to come from its beginning."""
        last, (known, _) = len(match.log) - 1, self._known.get(match.game, (-1, b""))
        if last > known and not match.viewer:  # else it is dropped again before it has come as far
            self._known[match.game] = (last, match.hash_of(last))

    def forget(self, game: str) -> None:
        """It is told that a game is another than it was."""
        self._known.pop(game, None)

    def is_another(self, match: Match, *, is_all: bool) -> bool:
        """Say, once a game has come as far as it was known, or *is_all* that there is, whether it is another than it was."""
        number, known = self._known.get(match.game, (-1, b""))
        has_come = number < len(match.log)
        if number < 0 or match.viewer or not (has_come or is_all):
            return False
        self.forget(match.game)
        return not has_come or match.hash_of(number) != known

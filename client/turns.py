"""Turns of a game, as those who draw some of them ask for them."""

from __future__ import annotations

from client.session.match import Match
from core.errors import BadInput


def moments_in(match: Match, first: int, last: int) -> list[int]:
    """Return the moments from the beginning of a turn to the end of another.

    Raises:
        BadInput: the game has no moment in either of them.
    """
    played = sorted({moment.turn for moment in match.moments() if moment.turn})
    for turn in (first, last):
        if turn not in played:
            raise BadInput.one("turn", f"a turn that was played, {played[0]} to {played[-1]}" if played else "a turn that was played", turn)
    return [index for index, moment in enumerate(match.moments()) if first <= moment.turn <= last]

"""Who sits in a game under the player's name, and not by his key: a host could seat a key of her own there, and play for him by it.

In a game that has come from another server it may be somebody who was so called there. Nothing that he does is the player's either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from client.connection.fouls import Foul
from core.identity import PublicKey
from core.log import Seat, TakenOver
from core.match import Match
from core.text import text

SEATED = text("the server seated somebody under your name with another key")
SITS = text("the server lets somebody sit there under your name with another key: nothing of it is yours, and you give no orders there")
ELSEWHERE = "{game}: somebody sits there under your name with another key, from before this server kept the game: nothing of it is yours"


def is_anothers(match: Match, act: Seat, name: str, own: PublicKey, *, live: bool) -> bool:
    """Say whether somebody else sits down under a player's name, in whose stead: not one so called of another server's game."""
    return act.player == name and act.key != own and (live or match.witnesses.key(name) == own)


def sits_anothers(match: Match, name: str, own: PublicKey) -> bool:
    """Say whether somebody sits under a player's name by another key than his, or by none where a server writes down each one's."""
    if name not in match.witnesses.seated or match.witnesses.key(name) == own:
        return False
    sat = _sat_down(match, name)
    return bool(sat.key or (sat.keeper and match.witnesses.signs_seats))


class _Sat(NamedTuple):
    """By which key somebody sat down last, which server kept the game then, and whether it has done so since."""

    key: PublicKey
    keeper: PublicKey
    is_kept_since: bool


def _sat_down(match: Match, name: str) -> _Sat:
    keeper, sat = match.witnesses.first_keeper, _Sat("", "", is_kept_since=True)
    for entry in match.log.entries:
        if isinstance(entry.act, TakenOver):
            keeper, sat = entry.act.key, sat._replace(is_kept_since=False)
        elif isinstance(entry.act, Seat) and entry.act.player == name:
            sat = _Sat(entry.act.key, keeper, is_kept_since=True)
    return sat


class Namesakes:
    """Tells of whoever sits under the player's name by another key, whenever he sat down: once of a game and key.

    Args:
        tell: called where this server has seated him.
        remark: called where he may be somebody of another server.
    """

    def __init__(self, tell: Callable[[Foul], None], remark: Callable[[str], None]) -> None:
        self._tell, self._remark = tell, remark
        self._asked: set[str] = set()
        self._told: set[tuple[str, PublicKey]] = set()

    def asks_to_sit(self, game: str) -> None:
        """We ask this server for a seat of a game."""
        self._asked.add(game)

    def was_refused(self, game: str) -> None:
        """The server could not do something at a game, it may have been to seat us."""
        self._asked.discard(game)

    def was_told(self, game: str, key: PublicKey) -> None:
        """That somebody sat down by a key was told as it came."""
        self._told.add((game, key))

    def look(self, match: Match, name: str, own: PublicKey, *, server: PublicKey) -> None:
        """A game is known to its end, on the server of a key: tell who sits there in our stead."""
        which = (match.game, match.witnesses.key(name))
        if which in self._told or not sits_anothers(match, name, own):
            return
        self._told.add(which)
        sat = _sat_down(match, name)
        if match.game in self._asked or (sat.is_kept_since and sat.keeper == server):
            self._tell(Foul(match.game, SITS))
        else:
            self._remark(ELSEWHERE.format(game=match.game))

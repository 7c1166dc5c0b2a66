"""A server's list of games, as one client has it: fetched once, and then only what has changed of it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from core import protocol
from core.protocol import GameLine
from core.units import Side

MOST = 20_000  # games of a list that are kept: each is a line that somebody has to look through


def empty_side(line: GameLine) -> Side:
    """Return the side that a game waits for and nobody plays, empty if somebody does; where all sides witness the dice, any of them."""
    asked = dict.fromkeys([line.waits_for, *(chair.side for chair in line.chairs if line.terms.dice.kind == "witnessed")])
    held = {chair.side: any(other.player for other in line.chairs if other.side == chair.side) for chair in line.chairs}
    return next((side for side in asked if not held.get(side, True)), "")


class Ended(msgspec.Struct, frozen=True):
    """How a game ended: its *result*, and its *winner* where that does not name him, who *claimed* it or not."""

    result: str
    winner: str
    claimed: bool = False


def how_it_ended(line: GameLine, titles: Mapping[Side, str]) -> Ended:
    """Return how a game that is over ended; its server tells of sides by their short names, where *titles* are what to call them."""
    words = re.sub(r"\w+", lambda found: titles.get(found[0], found[0]), line.result)
    winner = titles.get(line.winner, line.winner)
    if winner and (by := re.match(rf"{re.escape(winner)} claimed the game(?:: |, as )(?=.)", words)):
        return Ended(words[by.end() :], winner, claimed=True)
    return Ended(words, winner if winner not in words else "")


class GameList:
    """What came of the list of games."""

    def __init__(self) -> None:
        self._lines: dict[str, GameLine] = {}
        self._mark = ""
        self._parts: list[protocol.Games] = []

    def asked(self) -> protocol.ListGames:
        """Return what asks for the list, or for what has changed of it."""
        return protocol.ListGames(self._mark)

    def line(self, game: str) -> GameLine | None:
        """Return what a game's line is in the list that is kept, None where it has none."""
        return self._lines.get(game)

    def take(self, part: protocol.Games) -> protocol.Games | None:
        """Take a message in; return the whole list when the last one of an answer has come, what it brought if it was no list."""
        parts = [*(self._parts if self._parts and self._parts[-1].left == part.left + 1 else []), part]
        is_too_long = sum(1 + len(one.games) for one in parts) > MOST
        self._parts = parts if part.left and not is_too_long else []
        if self._parts:
            return None
        if is_too_long:  # what is there by now is told; the rest nobody would look through
            self._mark, self._lines = "", {}
            return protocol.Games(tuple(line for one in parts for line in one.games)[:MOST])
        came = {line.game: line for one in parts for line in one.games}
        if not part.mark:  # an answer to `create`, or a server that gives no marks
            return protocol.Games(tuple(came.values()))
        if len(came) != part.count:  # some of it was lost on the way: next time all is asked for
            self._mark = ""
            return protocol.Games(tuple(came.values()))
        if part.added and not self._mark:  # to what is not kept any more
            return protocol.Games(tuple(came.values()))
        self._lines = {**self._lines, **came} if part.added else came
        for game in part.gone:
            self._lines.pop(game, None)
        self._mark = part.mark
        told = tuple(self._lines.values())[:MOST]
        if len(self._lines) > MOST:  # then all is asked for the next time
            self._mark, self._lines = "", {}
        return protocol.Games(told)

"""What a player does at the table of a followed game and not in it: acts, chat, answers given ahead.

Each function sends one frame, again after a silence until it is answered, and returns the id that the answer will bear
(`client.connection.notes.Answered`). What comes of it arrives as entries, or as a note `Chat` or `Answers`.
"""

from __future__ import annotations

import secrets

from client.connection.games import Games
from core import protocol
from core.identity import ahead_message, standing_message
from core.log import AnyAct
from core.orders import Order
from core.units import Side

ANY_TURN = -1


def new_id() -> str:
    """Return an id for something that is asked."""
    return secrets.token_hex(8)


def do(games: Games, game: str, side: Side, act: AnyAct) -> str:
    """Do a table act for a side; as a referee or the game's owner for none."""
    return games.ask(protocol.DoAct(game, side, new_id(), act))


def say(games: Games, game: str, room: str, words: str) -> str:
    """Write a line in a room of a game, or in the server's lobby."""
    return games.ask(protocol.Say(game, room, new_id(), words))


def answer_ahead(games: Games, game: str, side: Side, decision: str, order: Order, *, turn: int = ANY_TURN) -> str:
    """Let the server give an order whenever a decision of this name comes up for the side, until after a turn."""
    with games.reading():
        match = games.match(game)
        assert match is not None, f"{game} is not open"
        data, began, bounds = match.codec.encode(order), match.hash_of(0), match.witnesses.bounds_answers
    message = ahead_message(game, began, side, decision, turn, data) if bounds else standing_message(game, began, side, data)
    signature = games.sign(message)
    return games.ask(protocol.AnswerAhead(game, side, new_id(), decision, data, turn, signature))


def revoke(games: Games, game: str, side: Side, decision: str) -> str:
    """Take back the answer to a decision."""
    return games.ask(protocol.Revoke(game, side, new_id(), decision))

"""What a player's program is told of a server's games: notes, which whoever follows them takes in one after another."""

from __future__ import annotations

import msgspec

from client.connection.fouls import Foul
from client.connection.left_out import LeftOut
from client.connection.line import Down, Up
from core import protocol
from core.errors import Fault
from core.log import Entry
from core.text import Text
from core.units import Side


class Grown(msgspec.Struct, frozen=True):
    """A followed game has new entries; *entries* in order."""

    game: str
    entries: tuple[Entry, ...]


class Anew(msgspec.Struct, frozen=True):
    """A followed game begins anew, as another viewer sees it: a seat was taken or left, or the game is over and its secrets lie open."""

    game: str
    viewer: Side


class Ready(msgspec.Struct, frozen=True):
    """A followed game is known up to the server's last entry."""

    game: str


class Answered(msgspec.Struct, frozen=True):
    """An order or request was answered: *refused* is None when it was accepted; *ends_line*: why the line is tried no more."""

    game: str
    order_id: str
    rule: str
    refused: Text | None
    ends_line: bool = False


class Trouble(msgspec.Struct, frozen=True):
    """Something can't be used or broke; for the player to read. *fault* and *broke* (the server itself) where the server said so, or
    a game can't be opened here.

    *unknown* is the game that isn't there, or not yet. *is_remark*: nothing goes wrong by it. *is_newer*: the game is of a later
    program than ours.
    """

    text: str
    fault: Fault | None = None
    broke: bool = False
    unknown: str = ""
    is_remark: bool = False
    is_newer: bool = False


AtTable = protocol.Waiting | protocol.Present | protocol.Chat | protocol.Answers
Note = Grown | Anew | Ready | Answered | Trouble | Foul | LeftOut | Up | Down | protocol.Games | protocol.Invite | protocol.Status | AtTable

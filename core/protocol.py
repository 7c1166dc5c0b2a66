"""Frames of the wire: typed, versioned, bounded. Described for people in docs/protocol.md.

Every message is one msgpack map with the frame's tag under ``frame``. Unknown fields are skipped, so that later versions may add some;
a frame of unknown tag is an error that names it. Bytes of an order are decoded by the game's ruleset, strictly.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec

from core.errors import BadInput
from core.gamefile import Head
from core.log import Entry
from core.text import Text
from core.units import Side

VERSION = 1
MAX_FRAME = 1 << 20
PACK_PART = 64 << 10
SERVER = "server"  # in `Failed.where`: not what you sent, but the server itself
NO_GAME = "game"  # in `Failed.where`: there is no such game here

# No controls, nothing invisible or that turns the writing round, no blank at an end: a name looks like what it is.
_UNSEEN = r"\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=40, pattern=rf"\A(?!\s)[^{_UNSEEN}]+(?<!\s)\Z")]
Id = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=r"\A[A-Za-z0-9._-]+\Z")]
Word = Annotated[str, msgspec.Meta(max_length=64)]
OrderBytes = Annotated[bytes, msgspec.Meta(max_length=16 << 10)]
Number = Annotated[int, msgspec.Meta(ge=-1, le=1 << 40)]


class Frame(msgspec.Struct, frozen=True, tag_field="frame"):
    """Base of all frames."""


# -------------------------------------------------------------------- from the client


class Hello(Frame, frozen=True, tag="hello"):
    """The first frame: who is there. A new name is known by its *token* from then on; the server makes one if it is short."""

    version: int
    name: Name
    token: Annotated[bytes, msgspec.Meta(max_length=64)] = b""
    program: Word = ""


class ListGames(Frame, frozen=True, tag="list"):
    """Which games are there?"""


class CreateGame(Frame, frozen=True, tag="create"):
    """Begin a game; the id is the client's choice, so that asking twice makes one game."""

    game: Id
    ruleset: Word
    scenario: Word
    options: Annotated[dict[Word, bool | int | Word], msgspec.Meta(max_length=64)] = {}


class Follow(Frame, frozen=True, tag="follow"):
    """Send me this game from the entry after *after* on, now and as it goes on."""

    game: Id
    after: Number = -1


class Unfollow(Frame, frozen=True, tag="unfollow"):
    """Send me no more of this game."""

    game: Id


class NeedPack(Frame, frozen=True, tag="need_pack"):
    """Send me the scenario pack of this hash."""

    pack: Word


class TakeSeat(Frame, frozen=True, tag="take_seat"):
    """I want to play this side."""

    game: Id
    side: Word


class LeaveSeat(Frame, frozen=True, tag="leave_seat"):
    """I don't play this side any more."""

    game: Id
    side: Word


class Give(Frame, frozen=True, tag="give"):
    """An order.

    *seq* is the last entry that moved the game when it was made; *order_id* is the client's, so that sending twice does nothing twice.
    """

    game: Id
    side: Word
    order_id: Id
    seq: Number
    order: OrderBytes


class AskRewind(Frame, frozen=True, tag="ask_rewind"):
    """Go back (or forward again) to this entry."""

    game: Id
    side: Word
    to: Number


class Answer(Frame, frozen=True, tag="answer"):
    """Yes or no to the offer in this entry."""

    game: Id
    side: Word
    offer: Number
    yes: bool


class GiveUp(Frame, frozen=True, tag="give_up"):
    """This side resigns."""

    game: Id
    side: Word


class Ping(Frame, frozen=True, tag="ping"):
    """Are you there?"""


FromClient = (
    Hello | ListGames | CreateGame | Follow | Unfollow | NeedPack | TakeSeat | LeaveSeat | Give | AskRewind | Answer | GiveUp | Ping
)

# -------------------------------------------------------------------- from the server


class Welcome(Frame, frozen=True, tag="welcome"):
    """You are known by this name; keep the token. *max_frame*: bytes that a message may have."""

    version: int
    name: str
    token: bytes
    max_frame: int
    program: str = ""


class GameLine(msgspec.Struct, frozen=True):
    """One game in a list."""

    game: str
    ruleset: str
    scenario: str
    seats: dict[Side, str]
    waits_for: Side
    turn: int
    phase: str
    last: int
    over: bool


class Games(Frame, frozen=True, tag="games"):
    """The games of this server."""

    games: tuple[GameLine, ...]


class Opened(Frame, frozen=True, tag="opened"):
    """You follow this game: what it is, the hash of its pack, its last entry."""

    game: str
    head: Head
    pack: str
    last: int


class PackPart(Frame, frozen=True, tag="pack_part"):
    """A piece of one file of a pack; *left* counts the pieces that are still to come, of all files."""

    pack: str
    name: str
    data: bytes
    left: int


class NewEntries(Frame, frozen=True, tag="entries"):
    """Entries of a game that you follow, in order."""

    game: str
    entries: tuple[Entry, ...]


class Accepted(Frame, frozen=True, tag="accepted"):
    """Your order is entry *number*, and durable."""

    game: str
    order_id: str
    number: int


class NotAccepted(Frame, frozen=True, tag="refused"):
    """Your order, or request, is refused by this rule (empty: by the table, not the game)."""

    game: str
    order_id: str
    rule: str
    text: Text


class Failed(Frame, frozen=True, tag="failed"):
    """What you sent can't be used, or something broke here. *where* names the field."""

    where: str
    expected: str
    got: str
    game: str = ""
    order_id: str = ""


class Pong(Frame, frozen=True, tag="pong"):
    """I am here."""


class WhoAreYou(Frame, frozen=True, tag="who_are_you"):
    """I don't know this connection (any more): say hello, and follow again what you followed."""


FromServer = Welcome | Games | Opened | PackPart | NewEntries | Accepted | NotAccepted | Failed | Pong | WhoAreYou

_encoder = msgspec.msgpack.Encoder()
_from_client = msgspec.msgpack.Decoder(FromClient)
_from_server = msgspec.msgpack.Decoder(FromServer)


_ADDRESS = re.compile(r"tcp://(?P<host>\[[0-9A-Fa-f:.%\w]+\]|[^\s:/\[\]]+):(?P<port>\d{1,5}|\*)\Z")


def check_address(where: str, address: str, *, any_port: bool = False) -> None:
    """Check that an address is ``tcp://HOST:PORT``; BadInput, naming *where* it was given, if not.

    Args:
        any_port: let the port be ``*``, for one that the system chooses.
    """
    found = _ADDRESS.match(address)
    port = found["port"] if found else ""
    if port == "*" and any_port:
        return
    if not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise BadInput.one(where, "tcp://HOST:PORT, such as tcp://192.168.1.20:5757", address)


def encode(frame: Frame) -> bytes:
    """Return a frame's bytes."""
    return _encoder.encode(frame)


def decode_from_client(data: bytes) -> FromClient:
    """Return what a client sent; BadInput naming the field if it is no frame."""
    return _decode(_from_client, data)  # type: ignore[no-any-return]


def decode_from_server(data: bytes) -> FromServer:
    """Return what a server sent; BadInput naming the field if it is no frame."""
    return _decode(_from_server, data)  # type: ignore[no-any-return]


def _decode(decoder: Any, data: bytes) -> Any:
    if len(data) > MAX_FRAME:
        raise BadInput.one("frame", f"at most {MAX_FRAME} bytes", len(data))
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        what, _, path = str(error).partition(" - at ")
        raise BadInput.one(f"frame {path}".rstrip(), "a frame of this protocol", what) from error

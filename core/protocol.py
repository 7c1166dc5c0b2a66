"""Frames of the wire: typed, versioned, bounded. Described for people in docs/protocol.md.

Every message is one msgpack map with the frame's tag under ``frame``. Unknown fields are skipped, so that later versions may add some;
a frame of unknown tag is an error that names it. Bytes of an order are decoded by the game's ruleset, strictly.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from core.address import PROTOCOL
from core.dice import LINKS
from core.errors import BadInput
from core.gamefile import Head
from core.identity import Signature, SignatureAndNumber
from core.log import AnyAct, Entry, Pending
from core.seen import SeenEntry
from core.terms import Terms
from core.text import Text
from core.units import Side

VERSION = PROTOCOL
MAX_FRAME = 1 << 20  # of what a server sends
MAX_ASKED = 64 << 10  # of what a client sends; the largest that one has reason to, a new game on terms, has some 4 KiB
PACK_PART = 64 << 10
AROUND = 42  # bytes that encryption puts around a message on the line, about
SERVER = "server"  # in `Failed.where`: not what you sent, but the server itself
NO_GAME = "game"  # in `Failed.where`: there is no such game here
CLOSED = "the game is closed to spectators until it ends"  # of one that is followed, or asked for; it comes when it is open
FOLLOWS_MANY = "you follow {n} games already: close one first"  # of one that is asked for
READS_MUCH = "you have asked for more of games than anybody can read; wait a minute"  # of one that is asked for
NOT_WRITTEN = "the server can't write it down now: {why}"  # of what is refused; an order may be half-way, and is finished later
GONE_ON = "the game has gone on meanwhile; try again"  # of what is refused, as another process has written to the game
ACT_NOT_SIGNED = "the act is not signed by the key of {player}"  # among others, by what was written down already
ANOTHER_IS_HERE = "a game {game} is here already, and another than you would begin"  # with this begins why none is begun
ORDER_WAITS = "an order waits for its dice"  # with this begins why another one is refused
ENDED = "ended"  # in `Accepted.order_id`: the server ends, as its owner asked
NO_NAME = "hello: name"  # in `Failed.where`: the key is new here, and no name came with it

# No controls, nothing invisible or that turns the writing round, no blank at an end: a name looks like what it is.
_UNSEEN = r"\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=40, pattern=rf"\A(?!\s)[^{_UNSEEN}]+(?<!\s)\Z")]
NameOrNone = Annotated[str, msgspec.Meta(max_length=40, pattern=rf"\A(?:(?!\s)[^{_UNSEEN}]+(?<!\s))?\Z")]
KeyOrNone = Annotated[str, msgspec.Meta(max_length=52, pattern=r"\A(?:[a-z2-7]{51}[aq])?\Z")]
Id = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=r"\A[A-Za-z0-9._-]+\Z")]
IdOrNone = Annotated[str, msgspec.Meta(max_length=64, pattern=r"\A[A-Za-z0-9._-]*\Z")]
Word = Annotated[str, msgspec.Meta(max_length=64)]
OrderBytes = Annotated[bytes, msgspec.Meta(max_length=16 << 10)]
Role = Literal["player", "spectator", "referee", "owner"]
ROLES: tuple[Role, ...] = ("spectator", "player", "referee", "owner")  # who may do least first
PLAYER: Literal["player"] = "player"
SPECTATOR: Literal["spectator"] = "spectator"
OWNER: Literal["owner"] = "owner"
Said = Annotated[str, msgspec.Meta(min_length=1, max_length=500, pattern=rf"\A(?!\s)[^{_UNSEEN}]+(?<!\s)\Z")]
LATEST_MS = 1 << 45  # a thousand years from now, as a calendar takes it
Moment = Annotated[int, msgspec.Meta(ge=0, le=LATEST_MS)]  # in milliseconds
Number = Annotated[int, msgspec.Meta(ge=-1, le=1 << 40)]
Hash = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
# What a server may have made up: bounded, lest it fill a screen or turn the writing round; no name of an honest one's comes near.
Called = Annotated[str, msgspec.Meta(max_length=200, pattern=rf"\A[^{_UNSEEN}]*\Z")]
Told = Annotated[str, msgspec.Meta(max_length=8_000)]
# What somebody's program says that it is, as others are told: of so few letters that it is no writing and no name of another alphabet.
PROGRAM_LETTERS, LONGEST_PROGRAM, MOST_PROGRAMS = "A-Za-z0-9 .?+_/()-", 32, 2
Program = Annotated[str, msgspec.Meta(max_length=LONGEST_PROGRAM, pattern=rf"\A[{PROGRAM_LETTERS}]*\Z")]


class Frame(msgspec.Struct, frozen=True, tag_field="frame"):
    """Base of all frames."""


# -------------------------------------------------------------------- from the client


class Hello(Frame, frozen=True, tag="hello"):
    """The first frame: who is there.

    *key* is the Ed25519 key whose X25519 form the connection is encrypted with. A key that is new here gets *name*, by an *invite* code
    unless the server is open; a known one may leave both empty. *suggested* is the name that a new key takes if *name* is empty.
    *program* is its name and version, as others are told.
    """

    version: int
    name: NameOrNone = ""
    key: KeyOrNone = ""
    invite: Word = ""
    program: Word = ""
    suggested: NameOrNone = ""


class ListGames(Frame, frozen=True, tag="list"):
    """Which games are there? *known* is the mark of the last list that came: what has changed since then is enough."""

    known: IdOrNone = ""


class CreateGame(Frame, frozen=True, tag="create"):
    """Begin a game; the id is the client's choice, so that asking twice makes one game."""

    game: Id
    ruleset: Word
    scenario: Word
    options: Annotated[dict[Word, bool | int | Word], msgspec.Meta(max_length=64)] = {}
    terms: Terms = Terms()


class Follow(Frame, frozen=True, tag="follow"):
    """Send me this game from the entry after *after* on, now and as it goes on; *viewer* is the one whose numbers I know it by.

    *known* is the hash of entry *after* as I know it (its commitment, for a viewer): if that is another than the server's, it comes anew.
    """

    game: Id
    after: Number = -1
    viewer: Word = ""
    known: Annotated[bytes, msgspec.Meta(max_length=32)] = b""


class Unfollow(Frame, frozen=True, tag="unfollow"):
    """Send me no more of this game."""

    game: Id


class NeedPack(Frame, frozen=True, tag="need_pack"):
    """Send me the scenario pack of this hash, but for its first pieces: *after* so many, which came before the line was cut.

    A server that doesn't know this yet sends all, and *left* of the first piece tells (`PackPart`).
    """

    pack: Word
    after: Annotated[int, msgspec.Meta(ge=0, le=1 << 20)] = 0


class TakeSeat(Frame, frozen=True, tag="take_seat"):
    """I want to play this side, on its seat of this name.

    *signature* is the player's, over `core.identity.seat_message`, with the number that is signed behind it (`core.identity.with_number`).
    """

    game: Id
    side: Word
    seat: Word = ""
    signature: SignatureAndNumber = b""


class LeaveSeat(Frame, frozen=True, tag="leave_seat"):
    """I don't play this side any more."""

    game: Id
    side: Word
    seat: Word = ""
    signature: Signature = b""


class Give(Frame, frozen=True, tag="give"):
    """An order.

    *seq* is the last entry that moved the game when it was made; *order_id* is the client's, so that sending twice does nothing twice.
    *signature* is the player's, over `core.identity.order_message`.
    """

    game: Id
    side: Word
    order_id: Id
    seq: Number
    order: OrderBytes
    signature: Signature = b""


class AskRewind(Frame, frozen=True, tag="ask_rewind"):
    """Go back (or forward again) to this entry.

    *signature* is for the offer that comes of it where others must be asked, *undo* (`core.identity.undo_message`) for where it is free.
    """

    game: Id
    side: Word
    to: Number
    signature: Signature = b""
    undo: Signature = b""


class Answer(Frame, frozen=True, tag="answer"):
    """Yes or no to the offer in this entry."""

    game: Id
    side: Word
    offer: Number
    yes: bool
    signature: Signature = b""


class GiveUp(Frame, frozen=True, tag="give_up"):
    """This side resigns."""

    game: Id
    side: Word
    signature: Signature = b""


class MakeInvite(Frame, frozen=True, tag="make_invite"):
    """Make an invite code, for so many newcomers and days. Owners only."""

    role: Role = PLAYER
    uses: int = 1
    days: int = 7


class RevokeInvite(Frame, frozen=True, tag="revoke_invite"):
    """Let an invite *code*, or the one of this mark in the status, let nobody in any more. Owners only."""

    code: Word


class GiveRole(Frame, frozen=True, tag="give_role"):
    """Give a name a role; one that was shut out is let in again. Owners only."""

    name: Name
    role: Role


class Kick(Frame, frozen=True, tag="kick"):
    """Shut a name's key out. Owners only."""

    name: Name


class AskStatus(Frame, frozen=True, tag="ask_status"):
    """How is the server? Owners only."""


class TakeIn(Frame, frozen=True, tag="take_in"):
    """Take in the game of this file, which was put among the server's arrivals, in its folder. Owners only."""

    file: Id


class EndServer(Frame, frozen=True, tag="end_server"):
    """End, and keep the games: a server that was started by a window, and outlives it. Owners only."""


# Witnessed dice: what players' programs send.


class PublishChain(Frame, frozen=True, tag="publish_chain"):
    """The end of my dice chain for this game, signed (`core.identity.chain_message`)."""

    game: Id
    end: Hash
    links: Annotated[int, msgspec.Meta(ge=1, le=LINKS)]
    signature: Signature


class ShowLink(Frame, frozen=True, tag="show_link"):
    """My link for number *k*, against the pending record of this hash, signed (`core.identity.link_message`)."""

    game: Id
    k: Number
    pending: Hash
    link: Hash
    signature: Signature


class ChooseFallback(Frame, frozen=True, tag="choose_fallback"):
    """A participant's link stays away: I choose for *side*, and sign it (`core.signed.fallback_signature`)."""

    game: Id
    side: Word
    participant: Name
    k: Number
    pending: Hash
    choice: Literal["wait", "unwitnessed", "claim"]
    signature: SignatureAndNumber


# The table: acts, chat, answers given ahead.


class DoAct(Frame, frozen=True, tag="act"):
    """A table act for *side* (empty: as referee or owner).

    *order_id* is the client's, so that sending twice does nothing twice; *signature* the player's, over
    `core.identity.act_then_message`, as in the frames of one act.
    """

    game: Id
    side: Word
    order_id: Id
    act: AnyAct
    signature: SignatureAndNumber = b""


class Say(Frame, frozen=True, tag="say"):
    """A line of chat in a room of a game: ``game``, ``side:`` and its name, ``spectators``; or in the ``lobby``, of no game."""

    game: IdOrNone
    room: Word
    order_id: Id
    text: Said


class ReadChat(Frame, frozen=True, tag="read_chat"):
    """Send me the chat of a game or of the lobby, of each room after line *after*, as far as I may read it; the lobby's as it goes on."""

    game: IdOrNone
    after: Number = -1


class AnswerAhead(Frame, frozen=True, tag="answer_ahead"):
    """When this decision comes up for my side, give this order for me; up to *turn*, or for ever if that is -1.

    *order_id* names the answer; the same decision has one answer at a time. *signature* is the player's, over
    `core.identity.ahead_message`; in games whose head has ``table`` 3 or less over `core.identity.standing_message`.
    """

    game: Id
    side: Word
    order_id: Id
    decision: Word
    order: OrderBytes
    turn: Number = -1
    signature: Signature = b""


class Revoke(Frame, frozen=True, tag="revoke"):
    """Forget the answer that was given ahead for this decision."""

    game: Id
    side: Word
    order_id: Id
    decision: Word


class ListAnswers(Frame, frozen=True, tag="list_answers"):
    """Which answers has my side given ahead?"""

    game: Id
    side: Word


class Ping(Frame, frozen=True, tag="ping", omit_defaults=True):
    """Are you there? *number* counts those of one line, from 1 on; 0: it bears none, and is what servers of before take for a ping."""

    number: Annotated[int, msgspec.Meta(ge=0, le=1 << 40)] = 0


FromClient = (
    Hello | ListGames | CreateGame | Follow | Unfollow | NeedPack | TakeSeat | LeaveSeat | Give | AskRewind | Answer | GiveUp | Ping
    | PublishChain | ShowLink | ChooseFallback
    | DoAct | Say | ReadChat | AnswerAhead | Revoke | ListAnswers
    | MakeInvite | RevokeInvite | GiveRole | Kick | AskStatus | TakeIn | EndServer
)

# -------------------------------------------------------------------- from the server


class Welcome(Frame, frozen=True, tag="welcome"):
    """You are known by this name, in this role. *max_frame*: bytes that a message may have."""

    version: int
    name: Called
    role: Role
    max_frame: int
    program: Called = ""


class Invite(Frame, frozen=True, tag="invite"):
    """The invite code that you asked for; only its hash is kept. Lists call it by its *mark*."""

    code: Called
    role: Role
    uses: int
    days: int
    mark: Called = ""


class OpenInvite(msgspec.Struct, frozen=True):
    """An invite code that still lets *uses* newcomers in as *role*; the code itself nobody knows but who has it."""

    mark: Called
    role: Role
    uses: int
    until_ms: int


class Member(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who holds a name; *lines* are the connections that he has now, *programs* what is at their other ends, as it says."""

    name: Called
    role: Role
    is_shut_out: bool
    fingerprint: Called
    lines: int
    programs: tuple[Program, ...] = ()


class Status(Frame, frozen=True, tag="status"):
    """How the server is: times in seconds, memory in bytes, *queue* messages and writes that wait.

    *unnamed* members and *unread* faulty games are not listed. *trouble* says what is wrong with the place where its games are kept, empty
    if nothing is. *may_end*: an owner may `EndServer`.
    """

    program: Called
    uptime_s: int
    memory: int
    connections: int
    queue: int
    games: int
    faulty: dict[Called, Told]
    members: tuple[Member, ...]
    unnamed: int = 0
    trouble: Told = ""
    unread: int = 0
    invites: tuple[OpenInvite, ...] = ()
    may_end: bool = False


class SeatLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """One seat in a list; *limited*: it may order only some units; *kept_for* is who left it, while it is his."""

    side: Side
    seat: Called
    player: Called
    online: bool
    limited: bool
    kept_for: Called = ""


class LineTerms(Terms, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a table agreed on, as a list tells it: without what is usual, and without owner and seats, which stand in the line."""


class GameLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """One game in a list.

    *seats* are the sides' first ones. *since_ms* is when the game began to wait for *waits_for*, by the server's clock. *winner* and
    *result* are empty until it is *over*. *dice* are those for whose links the dice wait, once the log says so. *version* is that of its
    rules, 0 if it is not told.
    """

    game: Called
    ruleset: Called
    scenario: Called
    seats: dict[Side, str]
    waits_for: Side
    turn: int
    phase: Called
    last: int
    over: bool
    owner: Called = ""
    since_ms: int = 0
    paused: bool = False
    winner: Side = ""
    result: Told = ""
    chairs: tuple[SeatLine, ...] = ()
    terms: LineTerms = LineTerms()
    dice: tuple[Called, ...] = ()
    version: int = 0


class Games(Frame, frozen=True, tag="games"):
    """Games of this server; *left* counts the messages that are still to come of a long list.

    A list's last message has its *mark*, and how many lines its messages *count* together; what answers `create` is no list, and has
    neither. One that is *added* to the list whose mark was asked with tells the games that are new or have changed, in all its messages,
    and in the last those that are *gone*.
    """

    games: tuple[GameLine, ...]
    left: int = 0
    mark: Called = ""
    count: int = 0
    added: bool = False
    gone: tuple[str, ...] = ()


class Opened(Frame, frozen=True, tag="opened"):
    """You follow this game: what it is, the hash of its pack, its last entry.

    *viewer* is empty where you are sent all entries as they are, else whose view of the game you get: a side, or ``*public``. When another
    one is told than before, all that came before is void, but for the commitments, and the game comes anew from its beginning. So it does
    when it is *another* than what the follower knew: the server goes on from a backup, say.
    """

    game: Called
    head: Head
    pack: str
    last: int
    viewer: Side = ""
    another: bool = False


class PackPart(Frame, frozen=True, tag="pack_part"):
    """A piece of one file of a pack; *left* counts the pieces that are still to come, of all files."""

    pack: Called
    name: Called
    data: bytes
    left: int


class NewEntries(Frame, frozen=True, tag="entries"):
    """Entries of a game that you follow, in order."""

    game: Called
    entries: tuple[Entry, ...]


class SeenEntries(Frame, frozen=True, tag="seen_entries"):
    """What *viewer* may know of a game that you follow, by his numbers, in order."""

    game: Called
    viewer: Side
    entries: tuple[SeenEntry, ...]


class Accepted(Frame, frozen=True, tag="accepted"):
    """Your order is entry *number*, and durable."""

    game: Called
    order_id: Called
    number: int


class NotAccepted(Frame, frozen=True, tag="refused"):
    """Your order, or request, is refused by this rule (empty: by the table, not the game)."""

    game: Called
    order_id: Called
    rule: Called
    text: Text


class Failed(Frame, frozen=True, tag="failed"):
    """What you sent can't be used, or something broke here. *where* names the field."""

    where: Told
    expected: Told
    got: Told
    game: Called = ""
    order_id: Called = ""


class LinkWanted(Frame, frozen=True, tag="link_wanted"):
    """An order waits for chance, and for your link for its number; *signature* is the server's (`core.identity.waiting_message`)."""

    game: Called
    pending: Pending
    signature: bytes = b""


class Waiting(Frame, frozen=True, tag="waiting"):
    """Whom a game that you follow waits for, since when, and the clocks: all by the server's clock, which shows *now_ms*.

    *left_ms* is empty where no clock is kept; *runs*: that of *side* is running.

    Whoever is shown the game later than it is played, or no more until it ends, is told nothing of it but how the seats stand now:
    *chairs*, of which the lists tell as well. All others are told none.
    """

    game: Called
    side: Side
    since_ms: int
    now_ms: int
    left_ms: dict[Side, int]
    runs: bool
    paused: bool
    chairs: tuple[SeatLine, ...] = ()


class Person(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody at a game: at these sides' seats or none, here or away since then; *programs* are those that he is here with."""

    name: Called
    sides: tuple[Side, ...]
    here: bool
    since_ms: int
    programs: tuple[Program, ...] = ()


class Present(Frame, frozen=True, tag="present", omit_defaults=True):
    """Who sits at a game that you follow, or watches it; of a crowd that watches *unnamed* are not listed."""

    game: Called
    people: tuple[Person, ...]
    unnamed: int = 0


class ChatLine(msgspec.Struct, frozen=True):
    """One line of chat. Numbers count those of its room: a gap would tell that somebody spoke where one can't hear."""

    number: int
    time_ms: Moment
    room: Called
    player: Called
    text: Told


class Chat(Frame, frozen=True, tag="chat"):
    """Lines of chat, in order; of the lobby if the game is empty."""

    game: Called
    lines: tuple[ChatLine, ...]


class KeptAnswer(msgspec.Struct, frozen=True):
    """An answer given ahead by somebody of your side."""

    decision: Called
    player: Called
    order: bytes
    turn: int


class Answers(Frame, frozen=True, tag="answers"):
    """The answers that your side has given ahead; *dropped*: why one of them is gone, or None."""

    game: Called
    side: Side
    answers: tuple[KeptAnswer, ...]
    dropped: Text | None = None


class Pong(Frame, frozen=True, tag="pong"):
    """I am here, and *last* is the last entry that you were sent of each game that you follow, by your numbers.

    Messages come in order: whoever hears this and lacks one of them knows that it was lost; but not while the server *is_busy* with
    what the same peer sent before: then it only says that it is there. *number* is that of the ping, 0 where that has none.
    """

    last: dict[str, int] = {}
    is_busy: bool = False
    number: int = 0


class WhoAreYou(Frame, frozen=True, tag="who_are_you"):
    """I don't know this connection (any more): say hello, and follow again what you followed."""


FromServer = (
    Welcome | Games | Opened | PackPart | NewEntries | SeenEntries | Accepted | NotAccepted | Failed | Pong | WhoAreYou | Invite | Status
    | LinkWanted
    | Waiting | Present | Chat | Answers
)

_encoder = msgspec.msgpack.Encoder()
_from_client = msgspec.msgpack.Decoder(FromClient)
_from_server = msgspec.msgpack.Decoder(FromServer)


def encode(frame: Frame) -> bytes:
    """Return a frame's bytes."""
    return _encoder.encode(frame)


def decode_from_client(data: bytes) -> FromClient:
    """Return what a client sent; BadInput naming the field if it is no frame."""
    return _decode(_from_client, data, most=MAX_ASKED)  # type: ignore[no-any-return]


def decode_from_server(data: bytes) -> FromServer:
    """Return what a server sent; BadInput naming the field if it is no frame."""
    return _decode(_from_server, data, most=MAX_FRAME)  # type: ignore[no-any-return]


def _decode(decoder: Any, data: bytes, *, most: int) -> Any:
    if len(data) > most:
        raise BadInput.one("frame", f"at most {most} bytes", len(data))
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        what, _, path = str(error).partition(" - at ")
        raise BadInput.one(f"frame {path}".rstrip(), "a frame of this protocol", what) from error

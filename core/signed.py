"""Whether what a log says that its players, participants and keeper did bears their signatures: asked by server, client and `verify`.

Who had which key when is told by `core.witnesses`; what exactly is signed, by `core.identity`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from core import identity
from core.dice import ChainEnd, parted
from core.identity import parted_from_number, seat_message
from core.log import AnyAct, ChainPublished, Entry, Fallback, Late, Log, Pause, Pending, Rewind, Seat, TakenOver
from core.table_rules import is_signed
from core.units import Side
from core.witnesses import CLAIM, SERVER, Witnesses

CROSSED = 32  # entries that may have come since the last one that somebody knew who did an act
Awaited = Callable[[], tuple[str, int]]
Sign = Callable[[bytes], bytes]
MomentMessage = Callable[[str, bytes, Side, AnyAct], bytes]  # game, hash of the last entry known, side, act


class SeenUndo(NamedTuple):
    """Going back as its player saw it: number and hash of the last entry that moved the game, and where he went, by his numbers."""

    seq: int
    before: bytes
    to: int


def order_bytes(log: Log, game: str, side: Side, order: bytes) -> bytes:
    """Return what is signed with an order that is given at the end of a log."""
    seq = log.moved_at
    before = log.entries[seq].hash if seq >= 0 else bytes(32)
    return identity.order_message(game, side, seq, before, order)


def signed_order(
    witnesses: Witnesses, log: Log, entry: Entry | Pending, game: str, *, awaited: Awaited, seen: tuple[int, bytes] | None = None
) -> bool:
    """Say whether an order that follows the log is signed by its player's key; True where he signs nothing.

    Args:
        awaited: returns name and turn of the decision that the log's end waits for; asked only where the order was given ahead.
        seen: number and hash of the last entry that moved the game as the player knew it, where the game has secrets.
    """
    key = witnesses.key(entry.player)
    if not key:
        return True
    if identity.verify(key, order_bytes(log, game, entry.side, entry.order), entry.signature):
        return True
    if seen is not None and identity.verify(key, identity.order_message(game, entry.side, *seen, entry.order), entry.signature):
        return True
    return _signed_ahead(witnesses, key, log, entry, game, awaited)


def _signed_ahead(witnesses: Witnesses, key: str, log: Log, entry: Entry | Pending, game: str, awaited: Awaited) -> bool:
    began = log.entries[0].hash if len(log) else bytes(32)
    if not witnesses.bounds_answers:
        return identity.verify(key, identity.standing_message(game, began, entry.side, entry.order), entry.signature)
    parts = parted_from_number(entry.signature)
    if parts is None:
        return False
    (signature, upto), (decision, turn) = parts, awaited()
    message = identity.ahead_message(game, began, entry.side, decision, upto, entry.order)
    return (upto < 0 or turn <= upto) and identity.verify(key, message, signature)


def has_to_sign(witnesses: Witnesses, entry: Entry) -> bool:
    """Say whether a table act is one that its player signs, and he has a key; chains, choices about links and ways back apart."""
    act = entry.act
    if isinstance(act, Seat) and sits_down(act, entry.player):
        signs = witnesses.seats_by_key and bool(witnesses.kept_by)
        return witnesses.signs_seats and (signs or bool(act.key) or any(witnesses.keys.values()))  # but in games in which nobody signs
    if act is None or not witnesses.key(entry.player):
        return False
    leaves = isinstance(act, Seat) and not act.player and witnesses.holders.get((act.side, act.seat)) == entry.player  # for whatever side
    return leaves or is_signed(act, entry.side) or (witnesses.signs_as_owner and _as_owner(witnesses, entry))


def _as_owner(witnesses: Witnesses, entry: Entry) -> bool:
    """Say whether an act for no side is of a game's owner who plays it: in his name a server could end a game that it dislikes."""
    plays = entry.player in witnesses.has_played or entry.player in witnesses.seated
    # A pause that was agreed on is carried out in the name of who offered it, who may have left since.
    is_his = bool(entry.side) and (
        not witnesses.seats_by_key or entry.side in witnesses.sides_of(entry.player) or isinstance(entry.act, Pause)
    )
    return plays and not is_his and not isinstance(entry.act, ChainPublished | Fallback | Late | Rewind | TakenOver)


def is_players_to_sign(witnesses: Witnesses, entry: Entry, *, signs_undo: bool) -> bool:
    """Say whether a table act is one that its player, or whoever takes the game over, signs; what was agreed on before it apart.

    Args:
        signs_undo: whether whoever goes back without asking signs it.
    """
    act = entry.act
    if isinstance(act, Rewind):
        is_players = bool(entry.side) or entry.player in witnesses.seated
        return is_players and signs_undo and bool(witnesses.key(entry.player))
    if isinstance(act, Fallback):
        return witnesses.witnessed
    return isinstance(act, ChainPublished | TakenOver) or has_to_sign(witnesses, entry)


def signed_by_keeper(witnesses: Witnesses, entry: Entry, game: str, *, keeper: str) -> bool:
    """Say whether a table act is signed by the server that keeps the log; *keeper* is the key of the game's head."""
    message = identity.kept_message(game, entry.unsigned_digest())
    return bool(entry.signature) and identity.verify(witnesses.keeper or keeper, message, entry.signature)


def signed_act(
    witnesses: Witnesses, log: Log, entry: Entry, game: str, *, named: Sequence[AnyAct] = (), told: Sequence[bytes] = (), late: bool = False
) -> bool:
    """Say whether a table act is signed by its player's key; True where he signs nothing, or the act is none that is signed.

    Signed for a moment it is good for that one, but for what crossed it on the line, and once; where dice are witnessed, until the game
    is moved: a server could keep back what offers or answers until it knows the dice. As earlier programs sign it is good for the whole
    game: whoever keeps the log could write it down again; so does whoever left his seat what he does as the game's owner.

    Args:
        named: the act by the numbers by which its player may have named it; none: as the log has it. Where a game has secrets a server
            takes his own alone: who tries the log's would learn from what is taken how much was done unseen.
        told: hashes of the entries that he may have known last, there; none: the log's last ones (`last_of_the_log`).
        late: whether it may come late: the game may have been moved, or taken over, since.
    """
    key, act, binds = witnesses.key(entry.player), entry.act, witnesses.binds_to_moment and not late
    if act is None or not has_to_sign(witnesses, entry):
        return True
    if isinstance(act, Seat) and sits_down(act, entry.player):
        return signed_seat(witnesses, entry, act, game)
    acts = named or (act,)
    messages = (identity.act_message(game, log.entries[0].hash, entry.side, one) for one in acts)
    looks_on = _as_owner(witnesses, entry) and entry.player not in witnesses.seated  # and may be shown the game later
    if (looks_on or not binds) and any(identity.verify(key, message, entry.signature) for message in messages):
        return True
    moments = dict.fromkeys(told or last_of_the_log(witnesses, log, act, late=late))
    message = moment_message(witnesses, act, entry.player)
    then = (message(game, last, entry.side, one) for last in reversed(moments) for one in acts)
    return entry.signature not in witnesses.spent and any(identity.verify(key, message, entry.signature) for message in then)


def last_of_the_log(witnesses: Witnesses, log: Log, act: AnyAct, *, late: bool = False) -> list[bytes]:
    """Return the hashes of the entries of which somebody who is shown all may have known one last when he signed an act."""
    binds = witnesses.binds_to_moment and not late
    first = max(len(log) - CROSSED, log.moved_at if binds else 0, 0 if late else witnesses.kept_since, 0)
    return [one.hash for one in (*log.entries[first:], *_before_he_left(witnesses, log, act))]


def moment_message(witnesses: Witnesses, act: AnyAct, player: str, *, has_left: bool | None = None) -> MomentMessage:
    """Return what makes the message that a player signs with an act, for a moment: to leave a seat is another than to let others have it.

    Args:
        witnesses: before the act.
        has_left: whether he has left the seat, as far as who signs it knows; None: as *witnesses* say.
    """
    if not isinstance(act, Seat) or act.player or not witnesses.tells_opening:
        return identity.act_then_message
    opens = witnesses.holders.get((act.side, act.seat)) != player if has_left is None else has_left
    return identity.open_message if opens else identity.act_then_message


def sits_down(act: Seat, player: str) -> bool:
    """Say whether an act by which a player takes a seat is his own: a referee may give him one."""
    return bool(act.player) and act.player == player


def signed_seat(witnesses: Witnesses, entry: Entry, act: Seat, game: str) -> bool:
    """Say whether whoever sits down signed it by the key that he sits down under: this once, for that seat or any of its side."""
    parts = parted_from_number(entry.signature)
    if not act.key or parts is None or entry.signature in witnesses.spent:
        return False
    signature, number = parts
    seats = dict.fromkeys((act.seat, *witnesses.any_seat(act.side)))
    messages = (seat_message(game, witnesses.kept_by, act.side, seat, number) for seat in seats)
    return any(identity.verify(act.key, message, signature) for message in messages)


def _before_he_left(witnesses: Witnesses, log: Log, act: AnyAct) -> Sequence[Entry]:
    """Return the entries that somebody may know last who lets others have the seat that he left: he may be shown nothing since.

    A program that starts anew meanwhile is shown the game as late as all who look on: of a long delay its first entries alone.
    """
    left = left_at(witnesses, act)
    return () if left is None else [*log.entries[max(0, left + 1 - CROSSED) : left + 1], *log.entries[:CROSSED]]


def left_at(witnesses: Witnesses, act: AnyAct) -> int | None:
    """Return by which entry an empty seat that an act is about was left; None if it is about none."""
    vacated = witnesses.vacated.get((act.side, act.seat)) if isinstance(act, Seat) else None
    return None if vacated is None else vacated[1]


def signed_undo(witnesses: Witnesses, log: Log, entry: Entry, game: str, *, seen: Sequence[SeenUndo] = ()) -> bool:
    """Say whether going back is signed by the key of whoever did it, at that very moment; True where he signs nothing.

    Args:
        log: the entries before it.
        seen: how its player may have seen the moment; none: as the log has it. Where a game has secrets a server takes his own way alone.
    """
    act, key = entry.act, witnesses.key(entry.player)
    assert isinstance(act, Rewind), "nobody goes back"
    if not key:
        return True
    return any(
        identity.verify(key, identity.undo_message(game, entry.side, one.seq, one.before, one.to), entry.signature)
        for one in seen or (undo_by_the_log(log, act),)
    )


def undo_by_the_log(log: Log, act: Rewind) -> SeenUndo:
    """Return going back at a log's end as whoever is shown all of it sees it."""
    return SeenUndo(log.moved_at, log.entries[log.moved_at].hash, act.to)


def signed_link(witnesses: Witnesses, participant: str, shown: bytes, *, game: str, k: int, pending: bytes) -> bool:
    """Say whether a link is signed for this very record; True where its owner signs nothing."""
    link, signature = parted(shown)
    key = witnesses.key(participant) if participant not in witnesses.of_head else ""
    return not key or identity.verify(key, identity.link_message(game, k, pending, link), signature)


def signed_chain(witnesses: Witnesses, entry: Entry, *, game: str, agreed: bytes) -> bool:
    """Say whether a chain's end is published by its owner, who holds a seat, and is the one that he published before under this key."""
    act = entry.act
    assert isinstance(act, ChainPublished), "no published chain"
    before, key = witnesses.chains.get(act.player), witnesses.key(act.player)
    mine = act.player == entry.player and act.player in witnesses.seated and act.player not in witnesses.of_head
    same = before is None or witnesses.published_under.get(act.player) != key or before == ChainEnd(act.player, act.end, act.links)
    message = identity.chain_message(game, agreed, act.end, act.links)
    return mine and same and bool(key) and identity.verify(key, message, entry.signature)


def signed_takeover(witnesses: Witnesses, entry: Entry, *, game: str) -> bool:
    """Say whether a server has signed that it takes the game over here: one of whose kind the game has, and for nobody."""
    act = entry.act
    assert isinstance(act, TakenOver), "nothing is taken over"
    message = identity.takeover_message(game, entry.before, act.end, act.links)
    nobodys = not entry.player and not entry.side and SERVER in witnesses.of_head
    return nobodys and bool(act.key) and identity.verify(act.key, message, entry.signature)


def fallback_signature(witnesses: Witnesses, sign: Sign, game: str, act: Fallback, *, number: int) -> bytes:
    """Return by what a player signs his choice about a link, as it stands in the entry.

    Args:
        sign: returns his signature of a message.
        number: any that he has not signed that choice for before.
    """
    what = (game, act.k, act.pending, act.participant, act.choice)
    if not witnesses.numbers_choices:
        return sign(identity.fallback_message(*what))
    return identity.with_number(sign(identity.fallback_message(*what, number)), number)


def signed_fallback(witnesses: Witnesses, entry: Entry, *, game: str) -> bool:
    """Say whether a fallback is the choice, signed, of somebody who may choose, for a side of his: whose choice it is nobody signs."""
    act = entry.act
    assert isinstance(act, Fallback), "no fallback"
    is_his = entry.side in witnesses.choosing(entry.player, act.participant)
    if act.choice == CLAIM and not (witnesses.may_be_claimed(act.participant) and entry.side in witnesses.sides_claimed_by(entry.player)):
        return False
    return is_his and entry.player != act.participant and _signs_choice(witnesses, entry, act, game)


def _signs_choice(witnesses: Witnesses, entry: Entry, act: Fallback, game: str) -> bool:
    """Say whether a choice bears its player's signature: that of one to wait on could be written down as often as a server likes."""
    key, signature, numbers = witnesses.key(entry.player), entry.signature, list[int]()
    if witnesses.numbers_choices:
        if (parts := parted_from_number(signature)) is None or signature in witnesses.spent:
            return False
        signature, numbers = parts[0], [parts[1]]
    message = identity.fallback_message(game, act.k, act.pending, act.participant, act.choice, *numbers)
    return bool(key) and identity.verify(key, message, signature)

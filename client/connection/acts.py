"""Signing what is done at a table: a frame that becomes a table act bears its player's signature for that very act."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec

from core import protocol
from core.identity import Identity, PublicKey, act_message, seat_signature, undo_message
from core.log import AnyAct, Consent, Offer, Resign, Rewind, Seat
from core.match import Match
from core.seen import POINTS_TO_ENTRY, POINTS_TO_POSITION
from core.signed import CROSSED, Sign, moment_message
from core.table import Chair
from core.table_rules import is_alone

F = TypeVar("F", bound=protocol.Frame)


def act_of(frame: protocol.Frame, match: Match, player: str) -> AnyAct | None:
    """Return the act that a frame asks for, None if it asks for none that is signed."""
    match frame:
        case protocol.DoAct():
            return frame.act
        case protocol.Answer():
            return Consent(frame.offer, frame.yes)
        case protocol.GiveUp():
            return Resign(frame.side)
        case protocol.AskRewind():
            return Offer("rewind", frame.to)  # what becomes of it where it is not free
        case protocol.LeaveSeat():
            held = match.table.seats_of(frame.side, player)
            return Seat(frame.side, "", held[0].name if held and not frame.seat else frame.seat)
        case _:
            return None


def frees_seat(frame: protocol.Frame) -> bool:
    """Say whether a frame leaves a seat, or lets others have one: it is signed for a moment by which it is known how the seats stand."""
    by_act = isinstance(frame, protocol.DoAct) and isinstance(frame.act, Seat) and not frame.act.player
    return by_act or isinstance(frame, protocol.LeaveSeat)


class Sittings:
    """By what a player signs that he sits down, on one server: alike until that has come of it.

    A server that refused the first falsely would have two, and could seat him again when he has left. But where no signatures are shown, or
    it says that it knows this one already, he signs anew: he may have been told nothing of what came of it, and never sat there again.
    """

    def __init__(self) -> None:
        self._signed: dict[tuple[str, PublicKey, str, str], bytes] = {}
        self._of_id: dict[str, bytes] = {}

    def signature(
        self, own: Identity, server: PublicKey, game: str, side: str, seat: str, match: Match | None, order_id: str = ""
    ) -> bytes:
        """Return the signature for a seat of a game; *match* is what is known of that. Asked for again by its id it is signed alike."""
        if order_id not in self._of_id:
            found = self._for(own, (game, server, side, seat), match)
            if not order_id:
                return found
            self._of_id[order_id] = found
        return self._of_id[order_id]

    def of_id(self, order_id: str) -> bytes:
        """Return the signature by which a seat was asked for under an id; empty if none was."""
        return self._of_id.get(order_id, b"")

    def _for(self, own: Identity, which: tuple[str, PublicKey, str, str], match: Match | None) -> bytes:
        known = self._signed.get(which)
        if known is None or (match is not None and (match.viewer or known in match.witnesses.spent)):
            known = self._signed[which] = seat_signature(own, *which, number=secrets.randbits(63))
        return known

    def forget(self, game: str) -> None:
        """No signature of ours that was given for a game counts any more.

        The server takes none, and may know it from before; or it shows the game without signatures, and what came of them is not seen.
        """
        for which in [one for one in self._signed if one[0] == game]:
            del self._signed[which]


def sits_down(frame: protocol.Frame, player: str, match: Match | None) -> tuple[str, str] | None:
    """Return side and seat that a frame takes for whoever sends it, None if it takes none, or takes it by an act where nobody signs that.

    Servers from before such games were begun can't read so long a signature of an act; of a frame that takes a seat they read none.
    """
    if isinstance(frame, protocol.TakeSeat):
        return frame.side, frame.seat
    signs = match is not None and match.witnesses.signs_seats
    if isinstance(frame, protocol.DoAct) and isinstance(frame.act, Seat) and frame.act.player == player != "" and signs:
        return frame.act.side, frame.act.seat
    return None


def _named(act: AnyAct) -> int:
    """Return the latest entry that an act names: signed for a moment before it, it would hold for whatever a server wrote there instead."""
    return max(getattr(act, POINTS_TO_POSITION, 0), getattr(act, POINTS_TO_ENTRY, 0))


def _is_left(chair: protocol.SeatLine, act: AnyAct, player: str) -> bool:
    """Say whether an act is about the very seat that its player has left."""
    return isinstance(act, Seat) and (chair.side, chair.seat, chair.kept_for) == (act.side, act.seat, player)


def _is_kept(chair: Chair, act: AnyAct) -> bool:
    """Say whether an act is about a seat that is known to be kept for who left it, its player or another."""
    return isinstance(act, Seat) and (chair.side, chair.name) == (act.side, act.seat) and bool(chair.kept_for)


def signed(frame: F, match: Match, player: str, sign: Sign, spent: dict[bytes, str], *, chairs: Sequence[protocol.SeatLine] = ()) -> F:
    """Return a frame with the signature of the act that it asks for; as it is where it asks for none, or the game has no entry yet.

    Args:
        sign: returns the player's signature of a message.
        spent: signatures of acts that were given so far, with the ids under which they were asked for, grown by this one: each is good
            once, and for what is asked for again under its id.
        chairs: how the seats stand now, where the game is shown later. What is known last may then be older than any moment that holds:
            whoever lets others have the seat that he left signs it for one of the game's first.
    """
    act, own_id = act_of(frame, match, player), getattr(frame, "order_id", "")
    if act is None or not len(match.log):
        return frame
    side, seq = getattr(frame, "side", ""), match.log.moved_at
    if isinstance(act, Rewind):
        return msgspec.structs.replace(frame, signature=sign(undo_message(match.game, side, seq, match.hash_of(seq), act.to)))
    if chairs and not side:  # who looks on later, and rules or owns the game, knows no moment that holds
        return msgspec.structs.replace(frame, signature=sign(act_message(match.game, match.hash_of(0), side, act)))
    # The same act again before anything is known to have come of the first, as where it is shown later, is signed for the moment before.
    moved = seq if match.witnesses.binds_to_moment else 0
    first = max(len(match.log) - CROSSED, min(_named(act), len(match.log) - 1), moved, match.witnesses.kept_since, 0)
    late = range(len(match.log) - 1, first - 1, -1)
    # What asks to leave a seat is never signed to let others have it, whatever the server says of that seat for a moment.
    may_have_left = not isinstance(frame, protocol.LeaveSeat)
    is_shown_later = may_have_left and any(_is_left(chair, act, player) for chair in chairs)
    has_left = may_have_left and (is_shown_later or any(_is_kept(chair, act) for chair in match.table.chairs.values()))
    message = moment_message(match.witnesses, act, player, has_left=has_left if side else None)  # for no side it is another's seat
    moments = range(min(len(match.log), CROSSED)) if is_shown_later else late
    signatures = (sign(message(match.game, match.hash_of(number), side, act)) for number in moments)
    if isinstance(frame, protocol.LeaveSeat):
        return msgspec.structs.replace(frame, signature=_once([*signatures], match, spent))
    changes = {}
    if isinstance(frame, protocol.AskRewind):
        changes["undo"] = sign(undo_message(match.game, side, seq, match.hash_of(seq), frame.to))
    if not isinstance(frame, protocol.AskRewind) or not _goes_back_freely(frame, match, player):
        changes["signature"] = _unspent(signatures, spent, own_id)
        spent[changes["signature"]] = own_id
    return msgspec.structs.replace(frame, **changes)


def _goes_back_freely(frame: protocol.AskRewind, match: Match, player: str) -> bool:
    """Say whether nobody needs to be asked: then no offer to go back is signed, which would hold for more moments than that.

    Where the game has secrets its player can't know it.
    """
    if match.setting.ruleset.secrets:
        return False
    table, is_there = match.table, frame.to in range(len(match.log))
    return is_alone(table, player) or (is_there and table.lets_undo(match.log, frame.to, frame.side) and not table.paused)


def _unspent(signatures: Iterator[bytes], spent: Mapping[bytes, str], own_id: str) -> bytes:
    """Return the signature for what is asked under an id: the one that it was asked for by, while it may hold; else the latest unspent one.

    One for each asking again could be written down each by itself.
    """
    if own_id and own_id in spent.values():
        signatures = iter(found := [*signatures])
        if (given := next((one for one in found if spent.get(one) == own_id), None)) is not None:
            return given
    latest = next(signatures)
    # Where all were given nothing may have come of any: the line may have lost them.
    return next((one for one in itertools.chain((latest,), signatures) if one not in spent), latest)


def _once(signatures: Sequence[bytes], match: Match, spent: dict[bytes, str]) -> bytes:
    """Return the signature by which a seat is left: the one given before, if nothing has come of it.

    A server that refused the first falsely would have two, and could write down as well that others may have the seat. Where no signatures
    are shown nobody knows what has come of one, and none is given again.
    """
    if match.viewer:
        found = next((one for one in signatures if one not in spent), signatures[0])
    else:
        found = next((one for one in signatures if one in spent and one not in match.witnesses.spent), signatures[0])
    spent[found] = ""
    return found

"""Who witnesses the dice of a game, and by which keys: a fold of its log's table acts.

In a game with ``witnessed`` dice every player who holds a seat publishes the end of a hash chain (`core.log.ChainPublished`); from the next
number on no dice fall without a link of each of them, and of the server. Who leaves his last seat is asked no more, nor is who only looks
on from his; who takes one over is asked as soon as he has published. Until then he orders nothing, and keeps nobody waiting at whose side
another has published. With ``server`` dice the chains of the game's head are all there are.

A chain counts absolutely: its link for number *k* is the one that *k* hashes lead to its end, whenever its owner sat down. But it gives no
dice to an order that waited before it was published: whoever knew the others' links by then could choose one that pleases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from core import identity
from core.dice import ChainEnd, fits, parted
from core.errors import Refused
from core.log import AnyAct, ChainPublished, Entry, Fallback, Late, Limit, Log, Pause, Pending, Rewind, Seat, TakenOver
from core.table import ACTS_ARE_OF_THE_MOMENT, CHAINS_MAKE_WITNESSES, VERSION, WITNESSES_MAY_ORDER
from core.table_rules import is_signed
from core.terms import SeatTerms
from core.text import text
from core.units import Side

SERVER = "server"  # as a participant; no player's name in a witnessed game
WITNESSED = "witnessed"
WAIT, UNWITNESSED, CLAIM = "wait", "unwitnessed", "claim"
CHOICES = (WAIT, UNWITNESSED, CLAIM)
CROSSED = 32  # entries that may have come since the last one that somebody knew who did an act
FARTHEST = 1_000_000  # numbers from a link to the next that is shown; else a file or a server could have others hash without end


Awaited = Callable[[], tuple[str, int]]


class SeenUndo(NamedTuple):
    """Going back as its player saw it: number and hash of the last entry that moved the game, and where he went, by his numbers."""

    seq: int
    before: bytes
    to: int


class Witnesses:
    """Who holds seats and has published chains, after the entries that were noted.

    Args:
        chains: the chains of the game's head.
        sides: all sides of the game.
        seats: those of the table, each side's first one before its others.
        witnessed: whether players witness.
        version: of how the table is reckoned: in games from before 1 the time to witness ran on in a pause; in those from before 2 all
            waited for each player's chain; in those from before 3 also who only looked on from his seat witnessed, a game could be
            claimed for the link of anybody, and about that of who had left his seat meanwhile whoever sat at his side chose; in those from
            before 4 what players signed held also after the game had been moved, what they answered ahead at any decision and turn, and
            whoever sat at a side chose for it.

    Attributes:
        holders: the player of each (side, seat) that is held.
        keys: the key under which each player sat down last; none where nobody signs.
        chains: the end of each participant's chain.
        keeper: the key of the server that has taken the game over; empty while the one of the head keeps it.
    """

    def __init__(
        self, chains: Iterable[ChainEnd], sides: Sequence[Side], seats: Sequence[SeatTerms], *, witnessed: bool, version: int = VERSION
    ) -> None:
        self.sides, self.seats, self.version = tuple(sides), tuple(seats), version
        self.witnessed = witnessed
        self.holders: dict[tuple[Side, str], str] = {}
        self.keys: dict[str, str] = {}
        self.chains = {end.participant: end for end in chains}
        self.keeper = ""
        self._of_head = tuple(sorted(self.chains))
        self._first = {seat.side: seat.name for seat in reversed(self.seats)}  # who leads a side witnesses, whatever is written down of it
        self._look_on = {(seat.side, seat.name) for seat in self.seats if seat.units is not None and not seat.units}  # and order nothing
        self._limited = {(seat.side, seat.name) for seat in self.seats if seat.units is not None}  # and speak not for their side
        self._excused: set[tuple[str, int, bytes]] = set()
        self._published_under: dict[str, str] = {}
        self._waited_since: dict[tuple[str, int], int] = {}
        self._came: set[tuple[str, int]] = set()
        self._paused_at: int | None = None
        self._signed: set[bytes] = set()  # signatures of acts: each is good once
        self._left: dict[tuple[Side, str], int] = {}  # the entry by which each empty seat was left
        self._left_of: dict[str, set[Side]] = {}  # of which sides each player has had a seat no more since the game was moved last

    def note(self, entry: Entry) -> None:
        """Take in one entry."""
        if entry.moves:
            self._left_of.clear()
        if entry.act is None:
            return
        if entry.signature:
            self._signed.add(entry.signature)
        match entry.act:
            case Seat() as seat:
                self._note_seat(entry.number, seat)
            case Limit() as limit:
                self._note_limit(limit)
            case ChainPublished() as published:
                self.chains[published.player] = ChainEnd(published.player, published.end, published.links)
                self._published_under[published.player] = self.key(published.player)
            case TakenOver() as taken_over:
                self.chains[SERVER] = ChainEnd(SERVER, taken_over.end, taken_over.links)
                self.keeper = taken_over.key
            case Late(came=True) as late:
                self._came.add((late.participant, late.k))
            case Late() as late:
                self._came.discard((late.participant, late.k))  # it was lost with a server that ended
                self._waited_since[late.participant, late.k] = entry.time_ms - late.ms
            case Fallback(choice="wait") as chosen:
                self._waited_since[chosen.participant, chosen.k] = entry.time_ms
            case Fallback(choice="unwitnessed") as chosen:
                self._excused.add((chosen.participant, chosen.k, chosen.pending))
            case Pause(on=True) if self.version:
                self._paused_at = entry.time_ms if self._paused_at is None else self._paused_at
            case Pause(on=False) if self._paused_at is not None:
                for which, since in self._waited_since.items():
                    self._waited_since[which] = since + max(entry.time_ms - max(since, self._paused_at), 0)
                self._paused_at = None
            case _:
                return

    def _note_limit(self, act: Limit) -> None:
        seat = {(act.side, act.seat)}
        self._limited = self._limited - seat if act.units is None else self._limited | seat
        self._look_on = self._look_on | seat if act.units is not None and not act.units else self._look_on - seat

    def _note_seat(self, number: int, act: Seat) -> None:
        before = self.holders.pop((act.side, act.seat), "")
        if before and before != act.player:
            self._left_of.setdefault(before, set()).add(act.side)
        if act.player:
            self.holders[act.side, act.seat] = act.player
            self.keys[act.player] = act.key
            self._left.pop((act.side, act.seat), None)
        elif before:
            self._left[act.side, act.seat] = number

    # ---------------------------------------------------------------- questions

    @property
    def seated(self) -> tuple[str, ...]:
        """Return the players who hold a seat."""
        return tuple(sorted(set(self.holders.values())))

    @property
    def ordering(self) -> Mapping[tuple[Side, str], str]:
        """Return the players of the (side, seat) from which somebody orders and, where players witness, witnesses."""
        if self.version < WITNESSES_MAY_ORDER or not self._look_on:
            return self.holders
        further = {(side, seat) for side, seat in self._look_on if seat != self._first.get(side)}
        return {seat: holder for seat, holder in self.holders.items() if seat not in further}

    @property
    def without_chain(self) -> list[str]:
        """Return who orders from a seat and has published no chain where players witness."""
        return [player for player in sorted({*self.ordering.values()}) if player not in self.chains] if self.witnessed else []

    @property
    def participants(self) -> tuple[str, ...]:
        """Return whose links the next number needs."""
        players = [player for player in self.ordering.values() if player in self.chains] if self.witnessed else []
        return tuple(sorted({*self._of_head, *players}))

    def chains_asked(self) -> dict[str, ChainEnd]:
        """Return the chains of which the next number needs links, by participant."""
        return {name: self.chains[name] for name in self.participants}

    def players_of(self, side: Side) -> set[str]:
        """Return who holds a seat of a side."""
        return {holder for (held, _), holder in self.holders.items() if held == side}

    def sides_of(self, player: str) -> set[Side]:
        """Return the sides of which a player holds a seat."""
        return {side for (side, _), holder in self.holders.items() if holder == player}

    def sides_led_by(self, player: str) -> set[Side]:
        """Return the sides for which a player speaks: he holds a seat of theirs without limit."""
        if self.version < ACTS_ARE_OF_THE_MOMENT:
            return self.sides_of(player)
        first = set(self._first.items())
        return {seat[0] for seat, holder in self.holders.items() if holder == player and (seat in first or seat not in self._limited)}

    def key(self, player: str) -> str:
        """Return the key that a player's orders and links are signed by, empty where he signs nothing."""
        return self.keys.get(player, "")

    def is_excused(self, participant: str, k: int, pending: bytes) -> bool:
        """Say whether somebody chose to go on without a participant's link for this pending record."""
        return (participant, k, pending) in self._excused

    def late_for(self, k: int) -> set[str]:
        """Return who was named late for a number, and whose link has not come since."""
        return {participant for participant, number in self._waited_since.keys() - self._came if number == k}

    def patience_left(self, participant: str, k: int, *, now_ms: int, wait_ms: int) -> int | None:
        """Return how many milliseconds a participant has left before others may go on without him; None if he is not named late.

        They stand still in a pause, as clocks do.
        """
        since = self._waited_since.get((participant, k))
        if since is None:
            return None
        now_ms = now_ms if self._paused_at is None else max(since, self._paused_at)
        return since + wait_ms - now_ms

    def refusal(self, player: str = "") -> Refused | None:
        """Return why no order can be decided yet, None if it can: every side is held, and by somebody who has published a chain.

        Args:
            player: whose order it would be, empty for anybody's: he must have published his.
        """
        if not self.witnessed:
            return None
        held = {side for side, _ in self.ordering}
        for side in self.sides:
            if side not in held:
                return Refused("", text("the dice are witnessed: the game waits until somebody plays the {side} side", side=side))
        lacking = self._waited_for_chains()
        if lacking:
            return Refused("", text("the dice are witnessed: the game waits for the program of {player}", player=lacking[0]))
        if player in self.without_chain:
            return Refused("", text("the dice are witnessed: {player} orders nothing until his program takes part in them", player=player))
        return None

    def _waited_for_chains(self) -> list[str]:
        """Return who must publish a chain before anybody orders."""
        without = self.without_chain
        if self.version < CHAINS_MAKE_WITNESSES:
            return without
        served = {side for (side, _), holder in self.ordering.items() if holder in self.chains}
        return [name for name in without if {side for (side, _), holder in self.ordering.items() if holder == name} - served]

    def sides_about(self, participant: str) -> set[Side]:
        """Return the sides that have no say when a participant's link stays away: his, those included that he left while it was waited for.

        Else who dislikes the dice leaves his seat, and a friend of his who sits down there goes on without his link.
        """
        left = self._left_of.get(participant, set()) if self.version >= WITNESSES_MAY_ORDER else set()
        return self.sides_of(participant) | left

    def may_choose(self, chooser: str, participant: str) -> bool:
        """Say whether a player may choose what shall be when a participant's link stays away: he leads a side that isn't the other's."""
        return chooser != participant and bool(self.sides_led_by(chooser) - self.sides_about(participant))

    def may_be_claimed(self, participant: str) -> bool:
        """Say whether the game may be claimed as a participant's link stays away: no side is lost by who sits beside its first player."""
        first = {(side, self._first.get(side, "")) for side in self.sides_about(participant)}
        return self.version < WITNESSES_MAY_ORDER or any(self.holders.get(seat, participant) == participant for seat in first)

    # ---------------------------------------------------------------- signatures

    def signed_order(
        self, log: Log, entry: Entry | Pending, game: str, *, awaited: Awaited, seen: tuple[int, bytes] | None = None
    ) -> bool:
        """Say whether an order that follows the log is signed by its player's key; True where he signs nothing.

        Args:
            awaited: returns name and turn of the decision that the log's end waits for; asked only where the order was given ahead.
            seen: number and hash of the last entry that moved the game as the player knew it, where the game has secrets.
        """
        key = self.key(entry.player)
        if not key:
            return True
        if identity.verify(key, order_bytes(log, game, entry.side, entry.order), entry.signature):
            return True
        if seen is not None and identity.verify(key, identity.order_message(game, entry.side, *seen, entry.order), entry.signature):
            return True
        return self._signed_ahead(key, log, entry, game, awaited)

    @property
    def bounds_answers(self) -> bool:
        """Whether an answer that is given ahead is signed for one decision and up to one turn."""
        return self.version >= ACTS_ARE_OF_THE_MOMENT

    def _signed_ahead(self, key: str, log: Log, entry: Entry | Pending, game: str, awaited: Awaited) -> bool:
        began = log.entries[0].hash if len(log) else bytes(32)
        if not self.bounds_answers:
            return identity.verify(key, identity.standing_message(game, began, entry.side, entry.order), entry.signature)
        parts = identity.parted_from_turn(entry.signature)
        if parts is None:
            return False
        (signature, upto), (decision, turn) = parts, awaited()
        message = identity.ahead_message(game, began, entry.side, decision, upto, entry.order)
        return (upto < 0 or turn <= upto) and identity.verify(key, message, signature)

    def has_to_sign(self, entry: Entry) -> bool:
        """Say whether a table act is one that its player signs, and he has a key; chains, choices about links and ways back apart."""
        act = entry.act
        leaves = isinstance(act, Seat) and not act.player and self.holders.get((act.side, act.seat)) == entry.player  # for whatever side
        return bool(self.key(entry.player)) and act is not None and (leaves or is_signed(act, entry.side))

    def is_players_to_sign(self, entry: Entry, *, signs_undo: bool) -> bool:
        """Say whether a table act is one that its player, or whoever takes the game over, signs; what was agreed on before it apart.

        Args:
            signs_undo: whether whoever goes back without asking signs it.
        """
        act = entry.act
        if isinstance(act, Rewind):
            is_players = bool(entry.side) or entry.player in self.seated
            return is_players and signs_undo and bool(self.key(entry.player))
        if isinstance(act, Fallback):
            return self.witnessed
        return isinstance(act, ChainPublished | TakenOver) or self.has_to_sign(entry)

    def signed_by_keeper(self, entry: Entry, game: str, *, keeper: str) -> bool:
        """Say whether a table act is signed by the server that keeps the log; *keeper* is the key of the game's head."""
        message = identity.kept_message(game, entry.unsigned_digest())
        return bool(entry.signature) and identity.verify(self.keeper or keeper, message, entry.signature)

    def signed_act(
        self, log: Log, entry: Entry, game: str, *, mine: AnyAct | None = None, told: Iterable[bytes] = (), late: bool = False
    ) -> bool:
        """Say whether a table act is signed by its player's key; True where he signs nothing, or the act is none that is signed.

        Signed for a moment it is good for that one, but for what crossed it on the line, and once; where dice are witnessed, until the game
        is moved: a server could keep back what offers or answers until it knows the dice. As earlier programs sign it is good for the whole
        game: whoever keeps the log could write it down again.

        Args:
            mine: the act by the numbers of its player, where the game has secrets.
            told: hashes of the last entries that he was told of, there.
            late: whether it may come late: the game may have been moved since.
        """
        key, act, binds = self.key(entry.player), entry.act, self.binds_to_moment and not late
        if act is None or not self.has_to_sign(entry):
            return True
        acts = (act,) if mine is None or mine == act else (mine, act)
        messages = (identity.act_message(game, log.entries[0].hash, entry.side, one) for one in acts)
        if not binds and any(identity.verify(key, message, entry.signature) for message in messages):
            return True
        first = max(len(log) - CROSSED, log.moved_at if binds else 0, 0)
        known = [*log.entries[first:], *self._before_he_left(log, act)]
        moments = dict.fromkeys((*(() if binds else told), *(one.hash for one in known)))
        then = (identity.act_then_message(game, last, entry.side, one) for last in reversed(moments) for one in acts)
        return entry.signature not in self._signed and any(identity.verify(key, message, entry.signature) for message in then)

    @property
    def binds_to_moment(self) -> bool:
        """Whether what players sign holds no longer than until the game is moved."""
        return self.witnessed and self.version >= ACTS_ARE_OF_THE_MOMENT

    def _before_he_left(self, log: Log, act: AnyAct) -> Sequence[Entry]:
        """Return the entries that somebody may know last who lets others have the seat that he left: he may be shown nothing since.

        A program that starts anew meanwhile is shown the game as late as all who look on: of a long delay its first entries alone.
        """
        left = self._left.get((act.side, act.seat)) if isinstance(act, Seat) else None
        return () if left is None else [*log.entries[max(0, left + 1 - CROSSED) : left + 1], *log.entries[:CROSSED]]

    def signed_undo(self, log: Log, entry: Entry, game: str, *, seen: SeenUndo | None = None) -> bool:
        """Say whether going back is signed by the key of whoever did it, at that very moment; True where he signs nothing.

        Args:
            log: the entries before it.
            seen: how its player saw the moment, where the game has secrets.
        """
        act, key = entry.act, self.key(entry.player)
        assert isinstance(act, Rewind), "nobody goes back"
        if not key:
            return True
        moments = [SeenUndo(log.moved_at, log.entries[log.moved_at].hash, act.to), *([] if seen is None else [seen])]
        return any(
            identity.verify(key, identity.undo_message(game, entry.side, one.seq, one.before, one.to), entry.signature) for one in moments
        )

    def fits_chain(self, participant: str, k: int, shown: bytes, last: tuple[int, bytes]) -> bool:
        """Say whether what a participant shows for *k* is a link of his chain; *last* is the number and link that he showed before."""
        end, (number, link) = self.chains[participant], last
        return number < k <= min(end.links, number + FARTHEST) and fits(parted(shown)[0], link, gap=k - number)

    def signed_link(self, participant: str, shown: bytes, *, game: str, k: int, pending: bytes) -> bool:
        """Say whether a link is signed for this very record; True where its owner signs nothing."""
        link, signature = parted(shown)
        key = self.key(participant) if participant not in self._of_head else ""
        return not key or identity.verify(key, identity.link_message(game, k, pending, link), signature)

    def signed_chain(self, entry: Entry, *, game: str, agreed: bytes) -> bool:
        """Say whether a chain's end is published by its owner, who holds a seat, and is the one that he published before under this key."""
        act = entry.act
        assert isinstance(act, ChainPublished), "no published chain"
        before, key = self.chains.get(act.player), self.key(act.player)
        mine = act.player == entry.player and act.player in self.seated and act.player not in self._of_head
        same = before is None or self._published_under.get(act.player) != key or before == ChainEnd(act.player, act.end, act.links)
        message = identity.chain_message(game, agreed, act.end, act.links)
        return mine and same and bool(key) and identity.verify(key, message, entry.signature)

    def signed_takeover(self, entry: Entry, *, game: str) -> bool:
        """Say whether a server has signed that it takes the game over here: one of whose kind the game has, and for nobody."""
        act = entry.act
        assert isinstance(act, TakenOver), "nothing is taken over"
        message = identity.takeover_message(game, entry.before, act.end, act.links)
        nobodys = not entry.player and not entry.side and SERVER in self._of_head
        return nobodys and bool(act.key) and identity.verify(act.key, message, entry.signature)

    def signed_fallback(self, entry: Entry, *, game: str) -> bool:
        """Say whether a fallback is the choice, signed, of somebody who may choose, for a side of his: whose choice it is nobody signs."""
        act = entry.act
        assert isinstance(act, Fallback), "no fallback"
        key = self.key(entry.player)
        message = identity.fallback_message(game, act.k, act.pending, act.participant, act.choice)
        is_his = entry.side in self.sides_led_by(entry.player) - self.sides_about(act.participant)
        is_his = is_his and (act.choice != CLAIM or self.may_be_claimed(act.participant))
        return is_his and entry.player != act.participant and bool(key) and identity.verify(key, message, entry.signature)


def whose_seat(entry: Entry, then: Witnesses, now: Witnesses, *, hosted: bool) -> str:
    """Return who held the seats of an order's side, where its player held none; empty where he did.

    Args:
        then, now: who held seats when the order began to wait, and at the end of the log before it.
        hosted: whether the game is a server's (`core.match.Match.is_hosted`): in others there may be no seats.
    """
    held = then.players_of(entry.side) if hosted else then.players_of(entry.side) | now.players_of(entry.side)
    if entry.player in held or not (held or hosted):  # nobody plays for who left, but in games that had no seats
        return ""
    return " and ".join(sorted(held)) or "nobody"


def order_bytes(log: Log, game: str, side: Side, order: bytes) -> bytes:
    """Return what is signed with an order that is given at the end of a log."""
    seq = log.moved_at
    before = log.entries[seq].hash if seq >= 0 else bytes(32)
    return identity.order_message(game, side, seq, before, order)


def after(log: Log, chains: Iterable[ChainEnd], known: Witnesses, *, before: bytes) -> Witnesses:
    """Return who held seats and had published chains, and by which keys, after the entry with the hash *before*, in the game of *known*."""
    then = Witnesses(chains, known.sides, known.seats, witnessed=known.witnessed, version=known.version)
    for entry in log.entries:
        then.note(entry)
        if entry.hash == before:
            break
    return then


def links_alone(shown: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the links without their signatures: a signature could be made anew until the dice please."""
    return {participant: parted(link)[0] for participant, link in shown.items()}

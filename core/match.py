"""A game under way: a setting, its log, and the two passes by which an order becomes an entry.

Pass 1 decides with dice that stop at the first draw: it refuses, or ends without chance, or needs links. Then a `Pending` record is made;
whoever keeps the log writes it down durably and only then brings links. Pass 2 decides from the start with the stream that the links key.
If pass 2 breaks or the process dies, the order stays pending and the same links finish it later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Self

import msgspec

from core.derived import Derived
from core.dice import Chain, ChainEnd, Keeper, Stream, parted
from core.errors import BadInput, Refused
from core.fold import fold
from core.game import Decided, Dice, NeedsDice, StopDice, begin, decide, needs_chance
from core.identity import Identity, kept_message
from core.log import AnyAct, ChainPublished, Entry, Late, Limit, Log, Pending, Rewind, Seat, TakenOver
from core.orders import Order, normal
from core.position import Outcome, Position
from core.setting import Setting
from core.shapes import decoder
from core.signed import is_players_to_sign, signed_link
from core.table import VERSION, Table
from core.table_rules import follows
from core.terms import Terms
from core.text import text
from core.units import Side
from core.views import View, eyes_of
from core.waiting import Behind, why_none_waits
from core.witnesses import SERVER, WITNESSED, Witnesses, after, links_alone

Clock = Callable[[], int]
Salt = Callable[[], bytes]


def no_salt() -> bytes:
    """Return no salt, for games that hide nothing or never leave this process."""
    return b""


class _Head:
    """The head of a log, as a match and its table look at it. The table knows this and not the match: held in a cycle, a game would stay in
    memory when nobody has it any more.

    Attributes:
        kept: the view of the match there, None where it must be made anew.
    """

    def __init__(self, setting: Setting, log: Log) -> None:
        self._setting, self._log = setting, log
        self.kept: View | None = None

    def side_after(self, number: int) -> Side:
        child = self._log.child(number)
        if child is not None:
            return self._log.entries[child].side
        view = self.kept if number == self._log.head else None
        return (view or View(self._setting, self._log.seek(number))).side_to_act()


class OrderCodec:
    """Turns a ruleset's orders into bytes and back, strictly."""

    def __init__(self, setting: Setting) -> None:
        kinds = tuple(kind.order for kind in setting.ruleset.orders.values())
        union = kinds[0]
        for kind in kinds[1:]:
            union = union | kind  # type: ignore[assignment]
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = decoder(union)
        self._encoded: tuple[Order | None, bytes] = (None, b"")  # the last one: a server asks for its signature, and then to write it down

    def encode(self, order: Order) -> bytes:
        """Return an order's bytes, its sets sorted."""
        if self._encoded[0] is not order:
            self._encoded = (order, self._encoder.encode(normal(order)))
        return self._encoded[1]

    def decode(self, data: bytes) -> Order:
        """Return the order; BadInput if it isn't one of this ruleset's."""
        try:
            order: Order = self._decoder.decode(data)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise BadInput.one("order", "an order of this game", error) from error
        return order


class Match:
    """A game: setting, log, present view.

    Args:
        setting: rules, board, scenario.
        game: the game's id, part of every dice stream.
        chains: the chain ends that are published before the first entry: the server's.
        clock: returns milliseconds; entries carry them.
        salt: returns random bytes for each entry.
        terms: what the table agreed on.
        keeper: the server that keeps the log.
        signs_undo: whether whoever goes back without asking has to sign it (`core.gamefile.Head`).
        table_version: of how its table is reckoned (`core.table.VERSION`).

    Attributes:
        viewer: whose view of the game it is; empty for one that sees everything (`core.seen.SeenMatch`).
        witnesses: who holds seats and has published chains at the end of the log.
        kept_by: the server that keeps the log here, None where nobody does who signs.

    The position at the head is folded when it is first asked for.
    """

    viewer: Side = ""

    def __init__(
        self,
        setting: Setting,
        *,
        game: str,
        chains: tuple[ChainEnd, ...],
        clock: Clock,
        salt: Salt = no_salt,
        log: Log | None = None,
        terms: Terms | None = None,
        keeper: Keeper | None = None,
        signs_undo: bool = False,
        table_version: int = VERSION,
    ) -> None:
        self.setting = setting
        self.game = game
        self.chains = chains
        self.terms = terms or Terms()
        self.keeper = keeper or Keeper()
        self.signs_undo, self.table_version = signs_undo, table_version
        self.kept_by: Identity | None = None
        self.codec = OrderCodec(setting)
        self.log = log if log is not None else Log()
        self._clock = clock
        self._salt = salt
        seats, witnessed = self.terms.seats_for(setting.sides), setting.dice == WITNESSED
        self.witnesses = Witnesses(chains, setting.sides, seats, witnessed=witnessed, version=table_version, keeper=self.keeper.key)
        self._shown: dict[str, tuple[int, bytes]] = {end.participant: (0, end.end) for end in chains}
        self._asked: tuple[bytes, Mapping[str, ChainEnd]] = (b"", {})
        # An order that no rule refuses in this view, and that draws; with what was derived until then.
        self._allowed: tuple[View, Side, bytes, Derived | None] | None = None
        for entry in self.log.entries:
            self._note(entry)
        self._head = _Head(setting, self.log)
        self._seen: tuple[View, View] | None = None  # a view, and what the side to act may know of it
        self._table = Table(setting.sides, self.terms, self._head.side_after, version=table_version, eye_of=eyes_of(setting))

    @classmethod
    def on(cls, log: Log, known: Match) -> Self:
        """Return a match of the game that *known* is of, on a log of its own or the same, its clock standing still."""
        made = cls(
            known.setting, game=known.game, chains=known.chains, clock=lambda: 0, log=log, terms=known.terms, keeper=known.keeper,
            signs_undo=known.signs_undo, table_version=known.table_version,
        )
        made.viewer = known.viewer
        return made

    @property
    def table(self) -> Table:
        """The table as the log's acts have made it.

        Raises:
            BadInput: an act of a foreign log names a seat that the game hasn't.
        """
        table = self._table
        return table if table.noted == len(self.log.entries) else table.take(self.log)  # asked for many times an order

    def take_in(self, most: int) -> bool:
        """Let the table take in so many entries at the most, where a long log is not to hold anybody up; say whether others are left.

        Raises:
            BadInput: an act of a foreign log names a seat that the game hasn't.
        """
        return self._table.take(self.log, most).noted < len(self.log.entries)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, by its rules or at the table; None while it goes on."""
        ended = self.table.ended
        return Outcome(ended.winner, str(ended.text)) if ended is not None else self.view.position.outcome

    @property
    def is_hosted(self) -> bool:
        """Say whether the game is a server's; others are of one person alone, or from before there were terms to hold anybody to."""
        return bool(self.terms.owner or (self.table_version and self.keeper.key))

    def side_after(self, number: int) -> Side:
        """Return the side that was to act after an order-bearing entry, empty if the rules ended the game there."""
        return self._head.side_after(number)

    @property
    def view(self) -> View:
        """The position at the head, as far as the viewer knows it."""
        if self._head.kept is None:
            self._head.kept = View(self.setting, self.log.seek(self.log.head) if self.log.entries else Position(), viewer=self.viewer)
        return self._head.kept

    def awaited(self) -> tuple[str, int]:
        """Return the name of the decision that the game waits for, empty for none, and its turn."""
        return self.view.awaited()

    def hash_of(self, number: int) -> bytes:
        """Return the hash of an entry, as orders are signed over it; zeros for none."""
        return self.log.entries[number].hash if number >= 0 else bytes(32)

    # ---------------------------------------------------------------- orders

    def why_none_waits(self, late: Late) -> str:
        """Return why no order can wait for a link as an act says that comes now; empty if it can."""
        then = self.witnesses if late.waits is None else self.witnesses_after(late.waits.before)
        behind = Behind(
            self.game, self.log, self.table, self.witnesses, self.codec.decode, self._draws, self.awaited, hosted=self.is_hosted
        )
        return why_none_waits(late, then, behind)

    def _draws(self, pending: Pending) -> bool:
        """Say whether an order needs chance; also where rules of before may have decided otherwise."""
        if self.setting.version != self.setting.ruleset.version:
            return True
        try:
            order = self.codec.decode(pending.order) if pending.order else None
        except BadInput:
            return False
        return needs_chance(self.view, pending.side, order)

    def propose(
        self, side: Side, order: Order | None, *, player: str = "", signature: bytes = b""
    ) -> tuple[Entry, Decided] | Pending:
        """Run pass 1: return the sealed entry with what it leads to, or the pending record that needs links.

        An *order* of None sets the game up. Nothing has changed yet: `accept` or `hold` does.

        Raises:
            Refused: the order breaks a rule, another one is still pending, or not all who shall witness the dice are there.
        """
        if self.log.pending is not None:
            raise Refused("", text("an order is being decided; wait for its result"))
        lacking = self.witnesses.refusal(player)
        if lacking is not None and order is not None:
            raise lacking.anew()
        order_bytes = b"" if order is None else self.codec.encode(order)
        try:
            decided = self._decide(side, order, StopDice())
        except NeedsDice as stopped:
            if lacking is not None:
                raise lacking.anew() from None  # a set-up that draws waits for its witnesses
            self._allowed = (self.view, side, order_bytes, stopped.derived)
            return Pending(side, player, order_bytes, self.log.head, self.log.k + 1, self.log.last_hash, signature)
        entry = self.log.seal(
            time_ms=self._clock(), side=side, player=player, order=order_bytes, events=decided.events,
            salt=self._salt(), signature=signature,
        )
        return entry, decided

    def hold(self, pending: Pending) -> None:
        """Keep the pending record, once it is durable; *k* is spent from now on."""
        self.log.hold(pending)

    def finish(self, links: Mapping[str, bytes]) -> tuple[Entry, Decided]:
        """Run pass 2 of the pending order with all links for its *k*.

        Args:
            links: as they are shown, each with its owner's signature behind it.

        Raises:
            BadInput: a link is missing, doesn't fit its chain or is not signed for this record; the order stays pending.
        """
        pending = self.log.pending
        assert pending is not None, "nothing is pending"
        self.check_links(pending, links)
        order = self.codec.decode(pending.order) if pending.order else None
        dice = Stream(links_alone(links), game=self.game, k=pending.k, pending=pending.digest())
        decided = self._decide(pending.side, order, dice, is_allowed=self._was_allowed(pending))
        entry = self.log.seal(
            time_ms=self._clock(), side=pending.side, player=pending.player, order=pending.order, events=decided.events,
            k=pending.k, links=dict(sorted(links.items())), salt=self._salt(), signature=pending.signature,
            pending=pending.before,
        )
        return entry, decided

    def accept(self, entry: Entry, decided: Decided) -> None:
        """Add a sealed entry, once it is durable."""
        self.log.add(entry)
        self._note(entry)
        self._head.kept, self._allowed, self._seen = View(self.setting, decided.position, derived=decided.derived), None, None

    # ---------------------------------------------------------------- links

    def wanted(self, pending: Pending) -> tuple[str, ...]:
        """Return whose links a pending record needs: those asked when it began to wait, without whom the others chose to go on."""
        digest = pending.digest()
        return tuple(name for name in self._asked_after(pending.before) if not self.witnesses.is_excused(name, pending.k, digest))

    def _asked_after(self, before: bytes) -> Mapping[str, ChainEnd]:
        if before != self._asked[0]:
            self._asked = (before, self.witnesses_after(before).chains_asked())
        return self._asked[1]

    def witnesses_after(self, before: bytes) -> Witnesses:
        """Return who held seats and had published chains, and by which keys, after the entry with a hash: when an order began to wait."""
        if before == self.log.last_hash:
            return self.witnesses
        return after(self.log, self.chains, self.witnesses, before=before)

    def check_link(self, pending: Pending, participant: str, shown: bytes) -> None:
        """Check a link that is shown for a pending record; BadInput if it is another's, not the next, or not signed for the record."""
        where = f"link {pending.k} of {participant}"
        if participant not in self.wanted(pending):
            raise BadInput.one(where, "a link of " + ", ".join(self.wanted(pending)), "one that nobody asked for")
        if self.witnesses.chains[participant] != self._asked_after(pending.before)[participant]:
            raise BadInput.one(where, "one of the chain that was there when the order began to wait", "one of a chain published since")
        if not self.witnesses.fits_chain(participant, pending.k, shown, self._shown[participant]):
            raise BadInput.one(where, "the next link of the published chain", shown.hex() or "none")
        if not signed_link(self.witnesses, participant, shown, game=self.game, k=pending.k, pending=pending.digest()):
            raise BadInput.one(where, "its owner's signature for this record", "another")

    def check_links(self, pending: Pending, links: Mapping[str, bytes]) -> None:
        """Check that links are those of all who are asked, and of nobody else; BadInput if not."""
        for participant in sorted({*self.wanted(pending), *links}):
            self.check_link(pending, participant, links.get(participant, b""))

    def _note(self, entry: Entry) -> None:
        """Take in who sits, what was published and what was shown."""
        if entry.act is not None:
            self._note_chain(entry.act)
        self.witnesses.note(entry)
        if entry.bears_order and entry.k:  # of any other whoever keeps the log could give a chain other links
            self._shown |= {participant: (entry.k, parted(shown)[0]) for participant, shown in entry.links.items()}

    def _note_chain(self, act: AnyAct) -> None:
        if isinstance(act, ChainPublished) and self._is_new_chain(act):
            self._shown[act.player] = (0, act.end)
        if isinstance(act, TakenOver):
            self._shown[SERVER] = (0, act.end)

    def _is_new_chain(self, published: ChainPublished) -> bool:
        known = self.witnesses.chains.get(published.player)
        return known is None or (known.end, known.links) != (published.end, published.links)

    def _was_allowed(self, pending: Pending) -> bool:
        """Say whether pass 1 found here that no rule refuses a pending order, and the game stands as it did then."""
        if self._allowed is None:
            return False
        view, side, order, _ = self._allowed
        return view is self._head.kept and (side, order) == (pending.side, pending.order)

    def _decide(self, side: Side, order: Order | None, dice: Dice, *, is_allowed: bool = False) -> Decided:
        if order is None:
            return begin(self.setting, dice)
        ahead = self._allowed[3] if is_allowed and self._allowed is not None else None
        return decide(self.view, side, order, dice, is_allowed=is_allowed, seen=self._seen_by(side), ahead=ahead)

    def _seen_by(self, side: Side) -> View | None:
        """Return what the side to act may know, made once: how long that takes tells how much is hidden, to who asks often enough."""
        if not self.setting.ruleset.secrets or side != self.view.side_to_act():
            return None
        if self._seen is None or self._seen[0] is not self.view:
            self._seen = (self.view, self.view.seen_by(side))
        return self._seen[1]

    # ---------------------------------------------------------------- table acts

    def act(self, act: AnyAct, *, side: Side = "", player: str = "", signature: bytes = b"") -> Entry:
        """Return the sealed entry of a table act.

        Raises:
            Refused: a rewind to an entry without position; a rewind, or another keeper, while an order is pending.
        """
        if isinstance(act, Rewind | TakenOver) and self.log.pending is not None:
            raise Refused("", text("an order is being decided; wait for its result"))
        has_position = not isinstance(act, Rewind) or (0 <= act.to < len(self.log.entries) and self.log.entries[act.to].bears_order)
        if isinstance(act, Rewind) and not has_position:
            raise Refused("", text("entry {to} has no position to go back to", to=act.to))
        entry = self.log.seal(time_ms=self._clock(), side=side, player=player, act=act, salt=self._salt(), signature=signature)
        return entry if self._is_signed_by_others(entry) else self._signed_as_keeper(entry)

    def _is_signed_by_others(self, entry: Entry) -> bool:
        return entry.act != follows(self.table) and is_players_to_sign(self.witnesses, entry, signs_undo=self.signs_undo)

    def _signed_as_keeper(self, entry: Entry) -> Entry:
        """Return an act that no player signs with the signature of the server that keeps the log, where that is this one."""
        if self.kept_by is None or self.kept_by.key != (self.witnesses.keeper or self.keeper.key):
            return entry
        return self.log.signed(entry, self.kept_by.sign(kept_message(self.game, entry.unsigned_digest())))

    def accept_act(self, entry: Entry) -> None:
        """Add the sealed entry of a table act, once it is durable."""
        if self.log.pending is not None:
            self.wanted(self.log.pending)  # who was asked stays so, whoever leaves meanwhile
        self.log.add(entry)
        self._note(entry)
        if isinstance(entry.act, Rewind):
            self._head.kept = None

    def accept_foreign(self, entry: Entry) -> None:
        """Add an entry that another keeper of the log sealed, such as a server's; nothing has changed where it can't be.

        Raises:
            ValueError: it doesn't follow the last one.
            BadInput: it names a seat that the game hasn't, and no table could be reckoned by it.
        Whatever else folding raises where its events don't follow from the position at the head.
        """
        act, kept = entry.act, self._head.kept
        if isinstance(act, Seat | Limit) and (act.side, act.seat) not in self._table.chairs:
            raise BadInput.one(f"entry {entry.number}", "a seat of this game", f"{act.side} {act.seat}".strip())
        follows = entry.bears_order and entry.parent == self.log.head
        followed = self._followed(kept, entry) if follows and kept is not None else None
        self.log.add(entry)
        self._note(entry)
        if entry.moves:
            self._head.kept = followed

    def accept_checked(self, entry: Entry) -> None:
        """Add an entry of a file, its number and hashes found to follow.

        Raises:
            ValueError: it has no place in the tree.
        """
        self.log.add_checked(entry)
        self._note(entry)
        if entry.moves:
            self._head.kept = None

    def _followed(self, view: View, entry: Entry) -> View:
        """Return the view behind an entry at the one before."""
        position, derived = view.position.copy(), view.derived.copy()
        for event in entry.events:
            derived.touch(event, position)
            fold(position, event)
        return View(self.setting, position, viewer=self.viewer, derived=derived)


class ServerDice:
    """A match whose only participant is its own keeper: orders become entries in one call. For bots, hot seat, trials.

    Args:
        match: made with this chain's end among its chains.
        chain: the keeper's chain.
    """

    def __init__(self, match: Match, chain: Chain, *, participant: str = "server") -> None:
        self.match = match
        self.chain = chain
        self.participant = participant

    def begin(self) -> Entry:
        """Set the game up."""
        return self.order("", None)

    def order(self, side: Side, order: Order | None, *, player: str = "") -> Entry:
        """Give an order; return its entry. Refused if the game says no."""
        proposed = self.match.propose(side, order, player=player)
        if isinstance(proposed, Pending):
            self.match.hold(proposed)
            proposed = self.finish()
        self.match.accept(*proposed)
        return proposed[0]

    def finish(self) -> tuple[Entry, Decided]:
        """Return the entry of the pending order, not yet accepted."""
        pending = self.match.log.pending
        assert pending is not None, "nothing is pending"
        return self.match.finish({self.participant: self.chain.link(pending.k)})

    def rewind(self, to: int, *, side: Side = "", player: str = "") -> Entry:
        """Move the head."""
        entry = self.match.act(Rewind(to), side=side, player=player)
        self.match.accept_act(entry)
        return entry


def new_server_match(setting: Setting, *, game: str, seed: bytes, clock: Clock, links: int = 10_000) -> ServerDice:
    """Return a match with `server` dice, set up and waiting for its first order."""
    chain = Chain(seed, links=links)
    match = Match(setting, game=game, chains=(ChainEnd("server", chain.end, links),), clock=clock)
    keeper = ServerDice(match, chain)
    keeper.begin()
    return keeper

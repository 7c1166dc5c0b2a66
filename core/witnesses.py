"""Who witnesses the dice of a game, and by which keys: a fold of its log's table acts.

In a game with ``witnessed`` dice every player who holds a seat publishes the end of a hash chain (`core.log.ChainPublished`); from the next
number on no dice fall without a link of one player of each side and of the server: of whoever has its first seat, or, while nobody sits
there, the next that commands all of it, or some. Who leaves his last seat is asked no more; who is to witness is asked as soon as he has
published, and until then he orders nothing. With ``server`` dice the chains of the game's head are all there are.

Nobody witnesses beside him: whoever sat down there could let the side wait on its own clock, or, a friend of the other side's, give that
one throws to choose from by his link that comes or stays away; and so could friends of a host's at her own.

A chain counts absolutely: its link for number *k* is the one that *k* hashes lead to its end, whenever its owner sat down. But it gives no
dice to an order that waited before it was published: whoever knew the others' links by then could choose one that pleases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from core.dice import ChainEnd, fits, parted
from core.errors import Refused
from core.log import ROOT, ChainPublished, Entry, Fallback, Late, Limit, Log, Pause, Seat, TakenOver
from core.table import (
    ACTS_ARE_OF_THE_MOMENT,
    CHAINS_MAKE_WITNESSES,
    LEADERS_WITNESS,
    SEATS_ARE_SIGNED,
    SIDES_ARE_APART,
    VERSION,
    WITNESSES_MAY_ORDER,
)
from core.terms import SeatTerms
from core.text import text
from core.units import Side, UnitId

SERVER = "server"  # as a participant; no player's name in a witnessed game
WITNESSED = "witnessed"
WAIT, UNWITNESSED, CLAIM = "wait", "unwitnessed", "claim"
CHOICES = (WAIT, UNWITNESSED, CLAIM)
LATE_MS = 2_000  # after so long whoever lets an order wait is named late, and pays for no more of what was before
FARTHEST = 1_000_000  # numbers from a link to the next that is shown; else a file or a server could have others hash without end


class Witnesses:
    """Who holds seats and has published chains, after the entries that were noted.

    Args:
        chains: the chains of the game's head.
        sides: all sides of the game.
        seats: those of the table, each side's first one before its others.
        witnessed: whether players witness.
        keeper: the key of the game's head.
        version: of how the table is reckoned: in games from before 1 the time to witness ran on in a pause; in those from before 2 all
            waited for each player's chain; in those from before 3 also who only looked on from his seat witnessed, a game could be
            claimed for the link of anybody, and about that of who had left his seat meanwhile whoever sat at his side chose; in those from
            before 4 what players signed held also after the game had been moved, what they answered ahead at any decision and turn, and
            whoever sat at a side chose for it; and while an order waited for its links others could sit down. In those from before 5 that
            somebody sat down was the server's word. In those from before 6 all of a side witnessed who might order, and a choice about a
            link was signed alike each time. In those from before 7 somebody sat under no key on a
            server, who had left a seat let others have it by what he signed to leave it, and no entry told for which order somebody was
            late.

    Attributes:
        holders: the player of each (side, seat) that is held.
        keys: the key under which each player sat down last; none where nobody signs.
        chains: the end of each participant's chain.
        keeper: the key of the server that has taken the game over; empty while the one of the head keeps it.
        kept_since: the entry by which it has: what is signed for one before it may be of a copy that another server keeps.
        of_head: the participants whose chains are the head's.
        published_under: the key under which each player published his chain.
        vacated: who sat last at each seat that is empty, and the entry by which he has it no more.
        sat: who has sat down, each time, but for who came back to a seat that he had just left.
        spent: signatures of acts: each is good once.
        has_played: who has sat at a side since the first order.
    """

    def __init__(
        self, chains: Iterable[ChainEnd], sides: Sequence[Side], seats: Sequence[SeatTerms], *, witnessed: bool, version: int = VERSION,
        keeper: str = "",
    ) -> None:
        self.sides, self.seats, self.version = tuple(sides), tuple(seats), version
        self.witnessed = witnessed
        self.holders: dict[tuple[Side, str], str] = {}
        self.keys: dict[str, str] = {}
        self.chains = {end.participant: end for end in chains}
        self.keeper, self.first_keeper = "", keeper
        self.kept_since = 0
        self.of_head = tuple(sorted(self.chains))
        self._first = {seat.side: seat.name for seat in reversed(self.seats)}  # who leads a side witnesses, whatever is written down of it
        self._units = {(seat.side, seat.name): seat.units for seat in self.seats}  # that each may order; None: all
        self._look_on = self._looking_on()
        self._excused: set[tuple[str, int, bytes]] = set()
        self._chosen: dict[tuple[str, int, bytes], set[Side]] = {}  # by which sides, where all have to; who leads several chooses for each
        self.published_under: dict[str, str] = {}
        self._waited_since: dict[tuple[str, int], int] = {}
        self._came: set[tuple[str, int]] = set()
        self._records: dict[int, bytes] = {}  # for each number, the hash of the record for which somebody was named late
        self._paused_at: int | None = None
        self.spent: set[bytes] = set()
        self.vacated: dict[tuple[Side, str], tuple[str, int]] = {}
        self.sat: list[str] = []
        self.has_played: set[str] = set()
        self._moved = False
        self._left_by: dict[tuple[Side, str], str] = {}  # who sat last at each seat that is empty, and has not let others have it
        self._kept_for: dict[tuple[Side, str], str] = {}  # of seats that were left for a while
        self._left_of: dict[str, set[Side]] = {}  # of which sides each player has had a seat no more since the game was moved last

    def note(self, entry: Entry) -> None:
        """Take in one entry."""
        if entry.order and not self._moved:
            self._moved = True
            self.has_played.update(self.holders.values())
            if entry.k and self.version >= LEADERS_WITNESS:  # also who left as it waited for its dice, as the table has it
                self.has_played.update(self._left_of)
        if entry.moves:
            self._left_of.clear()
        if entry.act is None:
            return
        if entry.signature:
            self.spent.add(entry.signature)
        match entry.act:
            case Seat() as seat:
                self._note_kept(entry.player, seat)
                self._note_seat(entry.number, seat)
            case Limit() as limit:
                self._note_limit(limit)
            case ChainPublished() as published:
                self.chains[published.player] = ChainEnd(published.player, published.end, published.links)
                self.published_under[published.player] = self.key(published.player)
            case TakenOver() as taken_over:
                self.chains[SERVER] = ChainEnd(SERVER, taken_over.end, taken_over.links)
                self.keeper = taken_over.key
                self.kept_since = entry.number if self.version >= ACTS_ARE_OF_THE_MOMENT else 0
            case Late(came=True) as late:
                self._came.add((late.participant, late.k))
            case Late() as late:
                self._came.discard((late.participant, late.k))  # it was lost with a server that ended
                self._waited_since[late.participant, late.k] = entry.time_ms - late.ms
                if late.waits is not None:
                    self._records.setdefault(late.k, late.waits.digest())
            case Fallback(choice="wait") as chosen:
                self._waited_since[chosen.participant, chosen.k] = entry.time_ms
            case Fallback(choice="unwitnessed") as chosen:
                self._note_choice(entry.player, chosen)
            case Pause(on=True) if self.version:
                self._paused_at = entry.time_ms if self._paused_at is None else self._paused_at
            case Pause(on=False) if self._paused_at is not None:
                for which, since in self._waited_since.items():
                    self._waited_since[which] = since + max(entry.time_ms - max(since, self._paused_at), 0)
                self._paused_at = None
            case _:
                return

    def _note_choice(self, player: str, act: Fallback) -> None:
        which = (act.participant, act.k, act.pending)
        if self.is_of_all(act.participant):
            self._chosen.setdefault(which, set()).update(self.choosing(player, act.participant))
        else:
            self._excused.add(which)

    def _note_limit(self, act: Limit) -> None:
        self._units[act.side, act.seat] = act.units
        self._look_on = self._looking_on()

    def _looking_on(self) -> set[tuple[Side, str]]:
        """Return the seats from which nothing is ordered."""
        return {seat for seat, units in self._units.items() if units is not None and not units}

    def _note_kept(self, player: str, act: Seat) -> None:
        """Note for whom a seat is kept: who leaves it himself after the first order, and plays on at no other side."""
        which = (act.side, act.seat)
        leaves = not act.player and bool(player) and self.holders.get(which) == player
        if leaves and self._moved and self.sides_of(player) == {act.side}:
            self._kept_for[which] = player
        else:
            self._kept_for.pop(which, None)

    def _note_seat(self, number: int, act: Seat) -> None:
        if act.player and not self.comes_back(act):  # so no order waits
            self.sat.append(act.player)
            if self.bars_joining:
                self._left_of.clear()
        before = self.holders.pop((act.side, act.seat), "")
        if before and before != act.player:
            self._left_of.setdefault(before, set()).add(act.side)
        self._left_by.pop((act.side, act.seat), None)
        if act.player:
            self.holders[act.side, act.seat] = act.player
            self.keys[act.player] = act.key
            self.has_played |= {act.player} if self._moved else set()
            self.vacated.pop((act.side, act.seat), None)
        elif before:
            self.vacated[act.side, act.seat] = (before, number)
            self._left_by[act.side, act.seat] = before

    def comes_back(self, act: Seat) -> bool:
        """Say whether somebody sits down again at the seat that he has left since the game was moved, and nobody sat down since."""
        player, _ = self.vacated.get((act.side, act.seat), ("", ROOT))
        return player == act.player and act.side in self._left_of.get(act.player, ())

    # ---------------------------------------------------------------- questions

    @property
    def seated(self) -> tuple[str, ...]:
        """Return the players who hold a seat."""
        return tuple(sorted(set(self.holders.values())))

    @property
    def ordering(self) -> Mapping[tuple[Side, str], str]:
        """Return the players of the (side, seat) from which somebody orders."""
        if self.version < WITNESSES_MAY_ORDER or not self._look_on:
            return self.holders
        further = {(side, seat) for side, seat in self._look_on if seat != self._first.get(side)}
        return {seat: holder for seat, holder in self.holders.items() if seat not in further}

    @property
    def witnessing(self) -> Mapping[tuple[Side, str], str]:
        """Return the players of the (side, seat) from which somebody witnesses where players do: of each side one."""
        if self.version < LEADERS_WITNESS:
            return self.ordering
        ordering = self.ordering
        seats = (self._witness_of(side, ordering) for side in self.sides)
        return {seat: ordering[seat] for seat in seats if seat is not None}

    def _witness_of(self, side: Side, ordering: Mapping[tuple[Side, str], str]) -> tuple[Side, str] | None:
        """Return the seat from which a side's dice are witnessed: the first of those held that command all of it, else of all."""
        held = ((seat.side, seat.name) for seat in self.seats if seat.side == side and (seat.side, seat.name) in ordering)
        return min(held, key=lambda seat: self._may_order(*seat) is not None, default=None)

    @property
    def without_chain(self) -> list[str]:
        """Return who is to witness from a seat and has published no chain where players witness."""
        return [player for player in sorted({*self.witnessing.values()}) if player not in self.chains] if self.witnessed else []

    @property
    def participants(self) -> tuple[str, ...]:
        """Return whose links the next number needs."""
        return self._with_chain(self.witnessing)

    def _with_chain(self, seats: Mapping[tuple[Side, str], str]) -> tuple[str, ...]:
        """Return who takes part in the dice if the players of these seats do."""
        players = [player for player in seats.values() if player in self.chains] if self.witnessed else []
        return tuple(sorted({*self.of_head, *players}))

    @property
    def bars_joining(self) -> bool:
        """Whether nobody takes part in the dice anew while an order waits for them."""
        return self.version >= ACTS_ARE_OF_THE_MOMENT

    def joined_since(self, then: Witnesses) -> list[str]:
        """Return who takes part in the dice now and did not, or by another chain, as an order began to wait *then*; or sat down since.

        Nobody sits down or publishes meanwhile: else a host could say of any order that it began to wait before somebody did.
        """
        if not self.bars_joining:
            return []
        able = then.able()
        joined = [name for name, end in self.able().items() if able.get(name) != end]
        return [*dict.fromkeys((*joined, *self.sat[len(then.sat) :]))]

    def may_be_late(self, participant: str) -> bool:
        """Say whether an order can wait for somebody's link: he plays, or has left since the game was moved, and nobody sat down since."""
        if not self.bars_joining:
            return True
        return participant in self.chains and (participant in self.seated or participant in self._left_of)

    def chains_asked(self) -> dict[str, ChainEnd]:
        """Return the chains of which the next number needs links, by participant."""
        return {name: self.chains[name] for name in self.participants}

    def able(self) -> dict[str, ChainEnd]:
        """Return the chains of all who witness, or would if nobody led their side."""
        return {name: self.chains[name] for name in self._with_chain(self.ordering)}

    def players_of(self, side: Side) -> set[str]:
        """Return who holds a seat of a side."""
        return {holder for (held, _), holder in self.holders.items() if held == side}

    def sides_of(self, player: str) -> set[Side]:
        """Return the sides of which a player holds a seat."""
        return {side for (side, _), holder in self.holders.items() if holder == player}

    def sides_led_by(self, player: str) -> set[Side]:
        """Return the sides for which a player speaks: he holds their first seat, or one without limit while that is nobody's."""
        if self.version < ACTS_ARE_OF_THE_MOMENT:
            return self.sides_of(player)
        led = self._sides_without_limit(player)
        return led if self.version < SIDES_ARE_APART else {side for side in led if self._leader_of(side) in ("", player)}

    def sides_claimed_by(self, player: str) -> set[Side]:
        """Return the sides for which a player may claim the game: he leads them, or nobody sits at the first seat, and his has no limit."""
        own = self._sides_without_limit(player)
        return self.sides_led_by(player) | {side for side in own if not self.holders.get((side, self._first.get(side, "")))}

    def _sides_without_limit(self, player: str) -> set[Side]:
        """Return the sides all of whose units a player may order from a seat of his."""
        return {side for (side, seat), holder in self.holders.items() if holder == player and self._may_order(side, seat) is None}

    def _leader_of(self, side: Side) -> str:
        """Return whose the first seat of a side is: he sits there, or has left it for a while; empty if it is nobody's."""
        first = (side, self._first.get(side, ""))
        return self.holders.get(first, "") or self._kept_for.get(first, "")

    def sides_witnessed_by(self, player: str) -> set[Side]:
        """Return the sides of which a player is the one who witnesses; none in games from before, where others did as well."""
        if self.version < LEADERS_WITNESS:
            return set()
        return {side for (side, _), holder in self.witnessing.items() if holder == player}

    def _may_order(self, side: Side, seat: str) -> tuple[UnitId, ...] | None:
        """Return the units that a seat may order, None if all: whatever is written down of it the first of a side has no limit."""
        return None if seat == self._first.get(side) else self._units.get((side, seat))

    def commands(self, player: str, side: Side, units: Iterable[UnitId]) -> bool:
        """Say whether a player's seats may order units of a side, or what no unit does if none is named; in games from before all may."""
        theirs = [self._may_order(held, seat) for (held, seat), holder in self.holders.items() if (held, holder) == (side, player)]
        if self.version < ACTS_ARE_OF_THE_MOMENT or None in theirs or not theirs:  # that he holds none is found by itself
            return True
        return bool(named := set(units)) and named <= {unit for of_seat in theirs for unit in of_seat or ()}

    def key(self, player: str) -> str:
        """Return the key that a player's orders and links are signed by, empty where he signs nothing."""
        return self.keys.get(player, "")

    def is_excused(self, participant: str, k: int, pending: bytes) -> bool:
        """Say whether those who may chose to go on without a participant's link for this pending record."""
        which = (participant, k, pending)
        if which in self._excused:
            return True
        if not (chosen := self._chosen.get(which)):  # as nearly always, and asked several times a roll
            return False
        led = {side for player in self.seated if player != participant for side in self.sides_led_by(player)}
        return bool(led) and chosen >= led

    def named_for(self, k: int) -> set[str]:
        """Return who was named late for a number, also if his link has come since."""
        return {participant for participant, number in self._waited_since if number == k}

    def named_in_vain(self, entry: Entry, k: int) -> bool:
        """Say whether an entry moves the game without dice though somebody was named late for *k*, the next number: so no order waited."""
        return self.version >= ACTS_ARE_OF_THE_MOMENT and entry.moves and not entry.k and bool(self.named_for(k))

    def named_early(self, k: int) -> bool:
        """Say whether anybody was named late for *k* though its order, that begins to wait now, did not wait yet."""
        return self.bars_joining and bool(self.named_for(k))

    def late_for(self, k: int) -> set[str]:
        """Return who was named late for a number, and whose link has not come since."""
        return {participant for participant in self.named_for(k) if (participant, k) not in self._came}

    def patience_left(self, participant: str, k: int, *, now_ms: int, wait_ms: int) -> int | None:
        """Return how many milliseconds a participant has left before others may go on without him; None if he is not named late.

        They stand still in a pause, as clocks do.
        """
        since = self._waited_since.get((participant, k))
        if since is None:
            return None
        now_ms = now_ms if self._paused_at is None else max(since, self._paused_at)
        return since + wait_ms - now_ms

    def is_given_up(self, k: int, *, now_ms: int, wait_ms: int) -> bool:
        """Say whether all who let number *k* wait have had their time: others may go on without them, if anybody is there who may."""
        late = self.late_for(k)
        return bool(late) and all((self.patience_left(one, k, now_ms=now_ms, wait_ms=wait_ms) or 0) <= 0 for one in late)

    def may_be_chosen(self, k: int) -> bool:
        """Say whether somebody who sits there, and lets number *k* not wait, may choose about all who do."""
        late = self.late_for(k)
        return any(all(self.may_choose(player, other) for other in late) for player in self.seated if player not in late)

    def refusal(self, player: str = "") -> Refused | None:
        """Return why no order can be decided yet, None if it can: every side is held, and by somebody who has published a chain.

        Args:
            player: whose order it would be, empty for anybody's: he must have published his.
        """
        if not self.witnessed:
            return None
        held = {side for side, _ in self.witnessing}
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
        served = {side for (side, _), holder in self.witnessing.items() if holder in self.chains}
        return [name for name in without if {side for (side, _), holder in self.witnessing.items() if holder == name} - served]

    def sides_about(self, participant: str) -> set[Side]:
        """Return the sides that have no say when a participant's link stays away: his, those included that he left while it was waited for.

        Else who dislikes the dice leaves his seat, and a friend of his who sits down there goes on without his link.
        """
        left = self._left_of.get(participant, set()) if self.version >= WITNESSES_MAY_ORDER else set()
        return self.sides_of(participant) | left

    def may_choose(self, chooser: str, participant: str) -> bool:
        """Say whether a player may choose what shall be when a participant's link stays away."""
        return bool(self.choosing(chooser, participant))

    def choosing(self, chooser: str, participant: str) -> set[Side]:
        """Return for which sides a player may choose what shall be when a participant's link stays away: he leads them.

        They are none of the other's; but where he is of all sides, all of them choose that must, or nobody could. Nor need he lead a side
        for which he witnesses while its leader is away.
        """
        if chooser == participant:
            return set()
        led = self.sides_led_by(chooser) | self.sides_witnessed_by(chooser)
        return led if self.is_of_all(participant) else led - self.sides_about(participant)

    def choosers(self, missing: Iterable[str]) -> set[str]:
        """Return who may choose about anybody's link that is missing: they need know for which record."""
        absent = set(missing)
        return {player for player in self.seated if any(self.may_choose(player, one) for one in absent)}

    def is_of_all(self, participant: str) -> bool:
        """Say whether no side is another's than a participant's; in games from before nobody chose about such a one."""
        return self.version >= SEATS_ARE_SIGNED and self.sides_about(participant) >= set(self.sides)

    def may_be_claimed(self, participant: str) -> bool:
        """Say whether the game may be claimed as a participant's link stays away: no side is lost by who sits beside its first player."""
        first = {(side, self._first.get(side, "")) for side in self.sides_about(participant)}
        left_by = self._left_by if self.version >= ACTS_ARE_OF_THE_MOMENT else {}
        if self.is_of_all(participant):
            return False
        return self.version < WITNESSES_MAY_ORDER or any(
            (self.holders.get(seat) or left_by.get(seat) or participant) == participant for seat in first
        )

    def fits_chain(self, participant: str, k: int, shown: bytes, last: tuple[int, bytes]) -> bool:
        """Say whether what a participant shows for *k* is a link of his chain; *last* is the number and link that he showed before."""
        end, (number, link) = self.chains[participant], last
        return number < k <= min(end.links, number + FARTHEST) and fits(parted(shown)[0], link, gap=k - number)

    @property
    def bounds_answers(self) -> bool:
        """Whether an answer that is given ahead is signed for one decision and up to one turn."""
        return self.version >= ACTS_ARE_OF_THE_MOMENT

    @property
    def signs_as_owner(self) -> bool:
        """Whether who has a key signs also what he does for no side."""
        return self.version >= ACTS_ARE_OF_THE_MOMENT

    @property
    def signs_seats(self) -> bool:
        """Whether whoever sits down signs it: for the server that keeps the game."""
        return self.version >= SEATS_ARE_SIGNED

    @property
    def tells_choosers(self) -> bool:
        """Whether who may choose about a link, and shows none himself, is told the record that waits for it."""
        return self.version >= LEADERS_WITNESS

    @property
    def seats_by_key(self) -> bool:
        """Whether nobody sits under no key on a server, and what its owner does for any side is his."""
        return self.version >= SIDES_ARE_APART

    def any_seat(self, side: Side) -> tuple[str, ...]:
        """Return the name that whoever sits down anywhere at a side signs for: none where a seat of it bears that name."""
        is_ones = self.version >= SIDES_ARE_APART and any((seat.side, seat.name) == (side, "") for seat in self.seats)
        return () if is_ones else ("",)

    @property
    def tells_opening(self) -> bool:
        """Whether who lets others have the seat that he left signs that otherwise than that he leaves it."""
        return self.version >= SIDES_ARE_APART

    @property
    def names_records(self) -> bool:
        """Whether an entry that names somebody late holds the order that waits for his link."""
        return self.version >= SIDES_ARE_APART

    def record_of(self, k: int) -> bytes:
        """Return the hash of the record that was said to wait as somebody was named late for a number, empty where none was."""
        return self._records.get(k, b"")

    @property
    def numbers_choices(self) -> bool:
        """Whether a choice about a link is signed with a number, and good once."""
        return self.version >= LEADERS_WITNESS

    @property
    def kept_by(self) -> str:
        """The key of the server that keeps the game; empty where none signs."""
        return self.keeper or self.first_keeper

    @property
    def binds_to_moment(self) -> bool:
        """Whether what players sign holds no longer than until the game is moved."""
        return self.witnessed and self.version >= ACTS_ARE_OF_THE_MOMENT


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


def after(log: Log, chains: Iterable[ChainEnd], known: Witnesses, *, before: bytes) -> Witnesses:
    """Return who held seats and had published chains, and by which keys, after the entry with the hash *before*, in the game of *known*."""
    then = Witnesses(
        chains, known.sides, known.seats, witnessed=known.witnessed, version=known.version, keeper=known.first_keeper
    )
    for entry in log.entries:
        then.note(entry)
        if entry.hash == before:
            break
    return then


def links_alone(shown: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the links without their signatures: a signature could be made anew until the dice please."""
    return {participant: parted(link)[0] for participant, link in shown.items()}

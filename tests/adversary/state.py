"""One moment of a game whose host cheats, and how another one follows from it.

A state is a log, what the host has in his hand besides, and what Boris' program has shown. It never changes; what is written makes the next
one. Every entry is looked at by Boris' program and by `verify` before it is taken in: whatever they find ends the way there.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from client.connection.shown import Shown
from core import protocol
from core.dice import Stream
from core.errors import BadInput, Refused
from core.game import decide
from core.gamefile import read, write
from core.identity import Identity, chain_message, link_message, order_message, waiting_message
from core.log import AnyAct, ChainPublished, Entry, Log, Pending, Seat
from core.orders import Order
from core.signed import moment_message
from core.table import SideAfter, Table
from core.trials.verify import _Recheck, verify
from core.units import Side
from core.witnesses import SERVER, links_alone
from tests.adversary.table import ANEW, ANNA, BORIS, GAME, TOM, Program, Stage, key_of, some, toy
from tests.toy.witnessed import SERVER_KEY, seated_by


class Caught(Exception):
    """What a host wrote was told, or found; or nobody can write it."""


class Knew(NamedTuple):
    """What was known when Boris signed an act: the last number for which he had shown his link, and the last whose dice lay open."""

    shown: int
    decided: int


class Kept(NamedTuple):
    """An act that Boris signed, in the host's hand, and what was known then."""

    act: AnyAct
    side: Side
    signature: bytes
    signed: Knew


class Written(NamedTuple):
    """Of an entry with an act of Boris': what he knew as he signed it, and what was known as it was written."""

    signed: Knew
    then: Knew


class State:
    """A moment.

    Attributes:
        shown: what Boris' program has shown, by number.
        waiting: the order that the host says waits for dice; *made_at* tells after how many entries it was made, whatever it says itself.
        kept: what Boris signed and the host has not written yet.
        knew: what Boris knew when he signed each act that stands in the log, by entry.
        forced: entries by which the host had Boris sit down, who had not asked for it.
        stolen_ms: how long blue's time ran while the order waits and Boris has shown his link, and nobody of blue kept others waiting.
        trail: the moves that led here.
    """

    def __init__(self, stage: Stage, log: Log, *, now_ms: int = 0) -> None:
        self.stage, self.now_ms = stage, now_ms
        self.match = stage.match(log, now_ms)
        self.shown: dict[int, Shown] = {}
        self.waiting: Pending | None = None
        self.made_at = 0
        self.kept: tuple[Kept, ...] = ()
        self.knew: dict[int, Written] = {}
        self.forced: frozenset[int] = frozenset()
        self.stolen_ms = 0
        self.trail: tuple[str, ...] = ()

    @property
    def log(self) -> Log:
        return self.match.log

    @property
    def known(self) -> Knew:
        """What is known now."""
        return Knew(max(self.shown, default=0), self.log.k)

    @property
    def record(self) -> Pending | None:
        """The record for whose number, the next, Boris has shown his link."""
        found = self.shown.get(self.log.k + 1)
        return None if found is None else found.pending

    def later(self, *, log: Log | None = None, now_ms: int | None = None) -> State:
        """Return a state that is as this one but for its log or its time."""
        made = State(self.stage, self.log if log is None else log, now_ms=self.now_ms if now_ms is None else now_ms)
        made.match._table = _forked(self.match.table, made.match._head.side_after)
        for name in ("shown", "waiting", "made_at", "kept", "knew", "forced", "stolen_ms", "trail"):
            setattr(made, name, getattr(self, name))
        return made

    def signer(self, name: str) -> Identity:
        """Return what somebody signs by: Anna may have come back under another key."""
        anew = name == ANNA and self.match.witnesses.key(ANNA) == key_of(ANEW).key
        return key_of(ANEW if anew else name)

    def sits(self, act: Seat) -> bytes:
        """Return by what somebody signs that he sits down now; in games from before nobody does."""
        signer = next(one for one in (key_of(act.player), key_of(ANEW)) if one.key == act.key)
        return seated_by(signer, act, number=len(self.log)) if self.match.witnesses.signs_seats else b""

    # ---------------------------------------------------------------- writing

    def write(self, act: AnyAct, *, side: Side = "", player: str = "", signature: bytes | None = None) -> State:
        """Return the state after a table act; without *signature* its player signs it, who is no honest one, or it needs none."""
        if signature is None:
            signature = self._signed(act, side, player)
        entry = self.log.seal(time_ms=self.now_ms, side=side, player=player, act=act, signature=signature)
        return self.take(entry)

    def _signed(self, act: AnyAct, side: Side, player: str) -> bytes:
        if isinstance(act, Seat) and act.player == player != BORIS:
            return self.sits(act)
        if not player or player == BORIS or not len(self.log):
            return b""
        if isinstance(act, ChainPublished):
            return self.signer(player).sign(chain_message(GAME, self.stage.agreed, act.end, act.links))
        message = moment_message(self.match.witnesses, act, player)
        return self.signer(player).sign(message(GAME, self.log.last_hash, side, act))

    def take(self, entry: Entry) -> State:
        """Return the state after an entry; Caught if Boris' program tells of it, or `verify` finds it."""
        program = Program(self.stage, self.shown)
        program.witness.watch(self.match, entry, live=True)
        if program.fouls:
            raise Caught(f"told: {program.fouls[0]}")
        found = Judge(self).findings_of(entry)
        if found:
            raise Caught(f"found: {found[0]}")
        log = self.log.copied()
        log.add(entry)
        after = self.later(log=log)
        if not entry.moves:
            after.match._head.kept = self.match._head.kept
        else:
            after.waiting, after.stolen_ms = None, 0  # of what ran until then a program tells that was there
        return after

    def cut_back(self) -> State:
        """Return the state after the host ended, and came back without the last order that has dice, and whatever was behind it."""
        last = max(entry.number for entry in self.log.entries if entry.k)
        log = Log()
        for entry in self.log.entries[:last]:
            log.add_checked(entry)
        after = State(self.stage, log, now_ms=self.now_ms)
        after.shown, after.kept, after.trail = self.shown, self.kept, self.trail
        after.waiting = self.log.entries[last].pending_record()
        after.made_at = next((entry.number + 1 for entry in log.entries if entry.hash == after.waiting.before), 0)
        after.knew = {number: known for number, known in self.knew.items() if number < last}
        after.forced = frozenset(number for number in self.forced if number < last)
        return after

    def order(self, order: Order, player: str, *, before: bytes = b"") -> State:
        """Return the state after an order that somebody signs: it stands in the log, or waits for chance.

        Args:
            before: the entry after which it is said to have begun to wait, where it is not the last one.
        """
        side = self.match.view.side_to_act()
        moved = self.log.moved_at
        signature = self.signer(player).sign(order_message(GAME, side, moved, self.match.hash_of(moved), self.match.codec.encode(order)))
        try:
            found = self.match.propose(side, order, player=player, signature=signature)
        except Refused as refused:
            raise Caught(str(refused)) from refused
        if not isinstance(found, Pending):
            return self.take(found[0])
        after = self.later()
        after.waiting = msgspec.structs.replace(found, before=before or found.before)
        after.made_at = len(self.log)
        return after

    def ask(self) -> State:
        """Return the state after Boris' program was asked for its link, and has shown it."""
        pending = self.waiting
        assert pending is not None, "no order waits"
        program = Program(self.stage, self.shown)
        signature = SERVER_KEY.sign(waiting_message(GAME, pending.k, pending.digest()))
        program.witness.answer(self.match, protocol.LinkWanted(GAME, pending, signature))
        if not any(isinstance(frame, protocol.ShowLink) for frame in program.sent):
            raise Caught(f"told: {program.fouls[0]}" if program.fouls else "Boris shows nothing")
        after = self.later()
        after.shown = program.memory.known
        return after

    def links(self, pending: Pending) -> dict[str, bytes]:
        """Return all links of a record that the host has."""
        taken_over = bool(self.match.witnesses.keeper)
        made = {SERVER: (self.stage.other_chain if taken_over else self.stage.chains[SERVER]).link(pending.k)}
        for name in self.match.witnesses_after(pending.before).participants:
            if name == SERVER or (name == BORIS and self.record != pending):
                continue
            chain = self.stage.chains[ANEW if name == ANNA and self.signer(ANNA) is key_of(ANEW) else name]
            link = chain.link(pending.k)
            made[name] = link + self.signer(name).sign(link_message(GAME, pending.k, pending.digest(), link))
        return made

    def finish(self, links: Mapping[str, bytes]) -> State:
        """Return the state after the order that waits got the dice of these links, whether all that were asked for or not."""
        pending = self.waiting
        assert pending is not None, "no order waits"
        order = self.match.codec.decode(pending.order)
        dice = Stream(links_alone(links), game=GAME, k=pending.k, pending=pending.digest())
        try:
            decided = decide(self.match.view, pending.side, order, dice)
        except (Refused, BadInput) as error:
            raise Caught(str(error)) from error
        return self.take(self.log.seal(
            time_ms=self.now_ms, side=pending.side, player=pending.player, order=pending.order, events=decided.events,
            k=pending.k, links=dict(sorted(links.items())), signature=pending.signature, pending=pending.before,
        ))


def _forked(table: Table, side_after: SideAfter) -> Table:
    """Return a table that stands as another: to take in all entries anew for each state took most of the time."""
    made = copy.copy(table)
    for name, value in vars(table).items():
        if isinstance(value, dict | set | list):
            setattr(made, name, copy.copy(value))
    made.played = {side: set(players) for side, players in table.played.items()}
    made._side_after = side_after
    return made


def findings(state: State) -> list[str]:
    """Return what `verify` finds in the whole game, and what it remarks of a referee who has not played it."""
    report = verify(read(write(state.stage.head, state.stage.file.files, state.log)), load=toy)
    ruled = [one for one in report.remarks if one.kind == "table" and not _has_sat(state, state.log.entries[one.entry].player)]
    return [one.text for one in (*report.findings, *ruled)]


def _has_sat(state: State, player: str) -> bool:
    """Say whether somebody has sat anywhere since the first order was given: who leaves his seat to rule on his own game is no referee."""
    first = next((one.number for one in state.log.entries if one.order), state.made_at or len(state.log))
    there: set[str] = set()
    for entry in state.log.entries:
        if isinstance(entry.act, Seat) and entry.act.player:
            there.add(entry.act.player)
        elif isinstance(entry.act, Seat) and entry.number < first:
            there.discard(entry.player)
    return player in there


class Judge(_Recheck):
    """What `core.trials.verify` finds in the next entry of a log in which it has found nothing."""

    def __init__(self, state: State) -> None:
        super().__init__(state.stage.file, state.match)
        self.state = state
        self.log, self.witnesses, self.table = state.log, state.match.witnesses, state.match.table
        self.k, self.shown = state.log.k, dict(state.match._shown)

    def findings_of(self, entry: Entry) -> list[str]:
        """Return what is wrong with an entry, and what a referee did who has not played, which is remarked: everybody can read of it."""
        self._check_time(entry)
        self._check_chance(entry)
        self._check_table(entry)
        if entry.bears_order:
            self._check_order(entry)
        ruled = [one for one in self.remarks if one.kind == "table" and not _has_sat(self.state, entry.player)]
        return [one.text for one in (*self.findings, *ruled)]


def begin(stage: Stage) -> State:
    """Return the game of a stage at the order that needs a die."""
    state = State(stage, Log())
    found = state.match.propose("", None)
    assert not isinstance(found, Pending), "the set-up draws"
    state = state.take(found[0])
    for side, name, seat in stage.seats():
        if name == BORIS and "came" in stage.words:
            state = _sat_down(state, side, TOM, seat).write(Seat(side, "", seat), side=side, player=TOM)
        state = _sat_down(state, side, name, seat)
    for kind in () if "first" in stage.words else ("go", "end") if "blue" in stage.words else ("go",):
        order = some(state.match.view, kind)
        assert order is not None, f"no {kind}"
        state = state.order(order, ANNA)
    stage.start = state.log.head
    stage.earlier = state.log.entries[stage.start].parent
    strike = some(state.match.view, "strike")
    assert strike is not None, "no strike"
    stage.strike = strike
    return state


def _sat_down(state: State, side: Side, name: str, seat: str) -> State:
    """Return the state after a player sat down and published his chain."""
    act = Seat(side, name, seat, key=key_of(name).key)
    state = state.write(act, side=side, player=name, signature=state.sits(act))
    chain = state.stage.chains[name]
    signature = key_of(name).sign(chain_message(GAME, state.stage.agreed, chain.end, chain.links))
    return state.write(ChainPublished(name, chain.end, chain.links), player=name, signature=signature)

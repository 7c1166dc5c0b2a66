"""What a server does for its games by itself: flags that fall, answers given ahead, entries that spectators may see by now.

A game is looked after when entries of it were published (`Room.stirred`), when a clock runs out and when an entry has become old enough
for its spectators; nothing is polled.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING
from weakref import ref

from core import protocol
from core.hidden import OPEN
from core.log import ROOT, Away, Entry, Flag
from core.table_rules import Who
from core.units import Side
from server import publishing, spectators, standing, steady, witness
from server.always import Faults, again
from server.listing import seat_lines
from server.rooms import Room
from server.sessions import Session
from server.shelf import ticks
from server.store.contract import Taken
from server.store.durable import durable
from server.summaries import summary_of
from server.table import carry_out, perform

if TYPE_CHECKING:
    from server.service import Service

KEEPER = Who(keeper=True)
SOONEST_S = 0.01
ALIVE_EVERY_S = 10.0
PUT_AWAY_EVERY_S = 20.0
LOOK_AT_STORE_EVERY_S = 30.0
LOOK_AT_CLOCK_EVERY_S = 0.5
AGAIN_S = 5.0  # when something could not be written down
LATEST_S = 24 * 3600.0  # a timer that far is set again
Told = tuple[Side, int, bool, bool, tuple[protocol.SeatLine, ...]]  # whom a game waits for, since when; paused; whether clocks run; seats
logger = logging.getLogger("rasputitsa.server")


class Tending:
    """Looks after the games of a service.

    Args:
        service: whose games.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._alarms: dict[str, asyncio.TimerHandle] = {}
        self._soon: dict[str, asyncio.Handle] = {}
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._always: list[asyncio.Task[None]] = []
        self._faults = Faults()
        self._read_lately: set[str] = set()  # games that another process had written to
        self._stopped = self._unwritten = False
        self._trouble = ""  # what was said last of the place of the store

    def begin(self) -> None:
        """Begin with what goes on all the time: who is here, and since when nobody keeps time should the server end."""
        loop = asyncio.get_running_loop()
        always = (
            self._service.presence.keep_looking(),
            again("noting that the server is there", self._note_alive_if_due, ALIVE_EVERY_S),
            self._keep_time(),
            again("putting games away", self.put_idle_away, PUT_AWAY_EVERY_S),
            again("looking at the store's place", self._look_at_store, LOOK_AT_STORE_EVERY_S),
        )
        self._always = [loop.create_task(one) for one in always]

    async def _note_alive_if_due(self) -> None:
        if self._service.rooms.any_clock_runs:
            await self._note_alive()

    async def _keep_time(self) -> None:
        """Look at the clock all the time, so that it stands still while this process or the disk does; then say how all clocks stand."""
        with steady.watched() as look:
            leaps = look()

            async def look_at_clock() -> None:
                nonlocal leaps
                self.hold_clock()
                if (now := look()) != leaps:
                    leaps = now
                    self.tell_all_anew()

            await again("keeping the time", look_at_clock, LOOK_AT_CLOCK_EVERY_S)

    def hold_clock(self) -> None:
        """Let the clock stand still where it counts and nothing can be written down; where it does not count let it show the time again."""
        is_at_stake = self._service.rooms.is_any_clock_at_stake
        steady.hold(wanted=is_at_stake and self._service.store.is_held_up)
        if not is_at_stake:
            steady.catch_up()

    def tell_all_anew(self) -> None:
        """Tell of each game again whom it waits for and what its clocks show, at once in all: so it tells nothing of any one."""
        for session in self._service.sessions:
            session.waits.clear()
        for room in list(self._service.rooms.loaded.values()):
            with self._faults.told(f"telling how the clocks of {room.stored.game} stand"):
                if room.lock.locked():  # where an order waits for the disk its players are told no later than all others
                    self._tell_waiting(room, room.now_ms())
                self.stir(room)

    async def _note_alive(self) -> None:
        try:
            await durable(self._service.store.keep_alive(steady.now_ms()))
        except OSError as error:
            self._say_unwritten("that the server is there", error)
        else:
            self._unwritten = False

    def _say_unwritten(self, what: str, error: OSError) -> None:
        """Log once that nothing can be written, until something can."""
        if not self._unwritten:
            logger.error("it could not be written down %s: %s", what, error)
        self._unwritten = True

    async def _look_at_store(self) -> None:
        self.look_at_store()

    def look_at_store(self) -> str:
        """Return what is wrong with the place of the store, empty if nothing is; the log tells it once."""
        trouble = self._service.store.trouble()
        if trouble != self._trouble:
            self._trouble = trouble
            logger.log(logging.ERROR if trouble else logging.INFO, "%s", trouble or "nothing is wrong with the store any more")
        return trouble

    # ---------------------------------------------------------------- in memory and out of it

    def attend(self, room: Room) -> None:
        """Look after a game that came into memory, for as long as it stays."""
        held = ref(room)  # a room that held itself by what it calls would stay in memory when it was put away

        def stir() -> None:
            found = held()
            assert found is not None, "a room calls this while it is there"
            self.stir(found)

        room.stirred = stir
        self.stir(room)

    async def take_on(self, room: Room) -> None:
        """Look after a game at the start, and put it away if nothing of it is due."""
        self.attend(room)
        await self.looked_after(room.stored.game)
        self.put_away_if_idle(room)

    async def looked_after(self, game: str) -> None:
        """Wait until a game was looked after, if that is due or under way."""
        while game in self._soon:
            await asyncio.sleep(0)
        if (task := self._under_way.get(game)) is not None:
            await asyncio.wait([task])

    def put_away_if_idle(self, room: Room) -> None:
        """Let go of a game that nobody follows and nobody is at."""
        game = room.stored.game
        at_it = game in self._soon or game in self._under_way
        if not room.is_busy and not at_it and not any(True for _ in self._service.sessions.followers(game)):
            self._keep_summary(room).add_done_callback(_note_summary)
            self._service.rooms.put_away(room)

    def _keep_summary(self, room: Room) -> Future[None]:
        line, is_due = self._service.rooms.line(room), ticks(room) or is_anything_due(room)
        return self._service.store.keep_summary(room.stored.game, summary_of(room, line, program=self._service.program, is_due=is_due))

    async def put_idle_away(self) -> None:
        """Let go of all games that nobody has asked for lately; orders have their turn after each, as a thousand would take 40 ms."""
        for room in self._service.rooms.unused():
            with self._faults.told(f"putting {room.stored.game} away"):
                if self._service.rooms.is_unused(room):
                    self.put_away_if_idle(room)
            await asyncio.sleep(0)

    def _wake(self, game: str) -> None:
        """Look after a game whose moment has come, wherever it lies."""
        if game not in self._service.rooms.loaded and game not in self._under_way and not self._stopped:
            self._under_way[game] = asyncio.get_running_loop().create_task(self._wake_put_away(game))
            return
        try:
            self.stir(self._service.room(game))
        except Exception as error:
            self._failed(game, error)

    async def _wake_put_away(self, game: str) -> None:
        try:
            await self._service.reading.have_read(game)
            room = self._service.room(game)
            self._under_way.pop(game, None)
            self.stir(room)
        except Exception as error:
            self._under_way.pop(game, None)
            self._failed(game, error)

    def stir(self, room: Room) -> None:
        """Look after a game soon; once, however often it is asked for."""
        game = room.stored.game
        if game not in self._soon and game not in self._under_way and not self._stopped:
            self._soon[game] = asyncio.get_running_loop().call_soon(self._look, room)

    def _look(self, room: Room) -> None:
        """Look after a game: at once where there is nothing to write, as after most orders; else in a task."""
        game = room.stored.game
        del self._soon[game]
        try:
            if room.lock.locked() or is_anything_due(room):
                self._under_way[game] = asyncio.get_running_loop().create_task(self._look_after(room))
            else:
                self._tell(room)
        except Exception as error:
            self._failed(game, error)

    async def stop(self) -> None:
        """Let go of all games, for good."""
        self._stopped = True
        for due in (*self._alarms.values(), *self._soon.values()):
            due.cancel()
        for room in self._service.rooms.loaded.values():
            if room.gathering is not None and room.gathering.timer is not None:
                room.gathering.timer.cancel()
        tasks = [*self._under_way.values(), *self._always]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._note_alive()
        kept: list[Future[None]] = []
        for room in self._service.rooms.loaded.values():
            with self._faults.told(f"keeping a summary of {room.stored.game}"):
                kept.append(self._keep_summary(room))
        await asyncio.gather(*map(durable, kept), return_exceptions=True)
        for one in kept:
            _note_summary(one)

    async def _look_after(self, room: Room) -> None:
        game = room.stored.game
        try:
            async with room.lock:
                self._under_way.pop(game, None)  # what comes from here on stirs again
                await witness.settle(self._service, room)
                self._tell(room, await self._due(room))
        except Exception as error:
            self._failed(game, error)

    def _failed(self, game: str, error: Exception) -> None:
        """Say that a game could not be looked after; where nothing can be written or read now, that is tried again."""
        if isinstance(error, Taken):
            self._read_anew(game)
        elif isinstance(error, OSError):
            self._say_unwritten(f"what is due in {game}", error)
            self._set_timer(game, AGAIN_S)
        else:
            logger.error("game %s could not be looked after", game, exc_info=error)

    def _read_anew(self, game: str) -> None:
        """Read a game anew that another server process on the same store has written to: then it is looked after again.

        Where the other is always the first, that is done every `AGAIN_S`, and other games have their turn.
        """
        if game in self._read_lately:
            self._set_timer(game, AGAIN_S)
            return
        self._read_lately.add(game)
        asyncio.get_running_loop().call_later(AGAIN_S, self._read_lately.discard, game)
        self._service.look_again(game)

    async def _due(self, room: Room) -> list[Entry]:
        """Write down what has become due; return the new entries."""
        new = await room.begin_if_possible() + await carry_out(room) + await witness.name_late(room)
        fall = room.match.table.next_fall()
        if fall is not None and fall.at_ms <= room.now_ms():
            new += await self._fall(room, fall.side)
        elif not new:
            new += await standing.use(self._service, room)
        return new

    async def _fall(self, room: Room, side: Side) -> list[Entry]:
        """Let a flag fall, but where others are waited for, or its side's own order is, a moment longer."""
        named = await witness.name_for_flag(room, side)
        return named or ([] if witness.holds_flag(room, side) else await perform(room, Flag(side), KEEPER))

    # ---------------------------------------------------------------- telling

    def _tell(self, room: Room, new: Sequence[Entry] = ()) -> None:
        """Tell followers what they may know by now, *new* entries among it, and look again when more is due."""
        if new or spectators.are_held_up(room):
            publishing.publish(self._service.sessions, room, new)
        witness.tell_dropped(self._service, room)
        witness.ask(self._service, room)
        now = room.now_ms()
        self._tell_waiting(room, now)
        self._set_alarm(room, now)

    def _tell_waiting(self, room: Room, now: int) -> None:
        game = room.stored.game
        told: dict[Side, Told] = {}
        later: protocol.Waiting | None = None
        for session in self._service.sessions.followers(game):
            seen = spectators.sight(room, session.player, now)
            # Told when it changes: clients reckon clocks by the log. Where anything is hidden, a message at a moment at which nothing
            # happened for the viewer would tell that something did.
            if seen.upto is not None or seen.is_closed:
                later = later or seats_alone(room, now)
                if session.waits.get(game) != what_is_told(later):
                    tell_waiting(self._service, session, later)
            elif session.waits.get(game) != (told.get(seen.viewer) or told.setdefault(seen.viewer, what_waits(room, seen.viewer))):
                tell_waiting(self._service, session, waiting(room, now, seen.viewer))  # made only here: most orders change nothing of it

    def _set_alarm(self, room: Room, now: int) -> None:
        game = room.stored.game
        self._drop_alarm(game)
        fall = room.match.table.next_fall()
        if fall is not None and fall.at_ms <= now and witness.holds_flag(room, fall.side):
            fall = None  # it is looked at again when links are late
        due = [at for at in (fall.at_ms if fall is not None else None, spectators.next_due_ms(room, now)) if at is not None]
        if due:
            self._set_timer(game, min(max((min(due) - now) / 1000, SOONEST_S), LATEST_S))

    def _drop_alarm(self, game: str) -> None:
        if (alarm := self._alarms.pop(game, None)) is not None:
            alarm.cancel()

    def _set_timer(self, game: str, wait_s: float) -> None:
        self._drop_alarm(game)
        if not self._stopped:
            self._alarms[game] = asyncio.get_running_loop().call_later(wait_s, self._wake, game)


def what_is_told(frame: protocol.Waiting) -> Told:
    """Return what of whom a game waits for is told when it changes."""
    return (frame.side, frame.since_ms, frame.paused, frame.runs, frame.chairs)


def what_waits(room: Room, viewer: Side = OPEN) -> Told:
    """Return what `waiting` tells a viewer when it changes, without making it."""
    match = room.match
    side = "" if match.outcome is not None else match.view.side_to_act()
    since = room.viewers.waited_since(viewer, side) if side else 0
    return (side, since, match.table.paused, ticks(room) and not steady.is_held(), ())


def tell_waiting(service: Service, session: Session, frame: protocol.Waiting) -> None:
    """Tell somebody whom a game waits for, and note that he knows: it is not told again when something happens that he can't see."""
    session.waits[frame.game] = what_is_told(frame)
    service.sessions.send(session, frame)


def _note_summary(kept: Future[None]) -> None:
    """Note that a game will be read at the next start, as its summary could not be kept."""
    if not kept.cancelled() and (error := kept.exception()) is not None:
        logger.info("a game will be read at the next start: %s", error)


def is_anything_due(room: Room) -> bool:
    """Say whether something of a game is to be written down, or may be: what `Tending._due` writes."""
    table, fall = room.match.table, room.match.table.next_fall()
    is_new = room.match.log.head == ROOT and table.ended is None  # to be set up, as soon as its witnesses are there
    has_fallen = fall is not None and fall.at_ms <= room.now_ms()
    return room.gathering is not None or is_new or table.agreed is not None or has_fallen or standing.is_due(room)


def waiting(room: Room, now: int, viewer: Side = OPEN) -> protocol.Waiting:
    """Return whom a game waits for, and its clocks as they stand *now*, as far as a viewer can tell."""
    side, since, paused, runs, chairs = what_waits(room, viewer)
    table = room.match.table
    left = dict(table.clocks_at(now).left_ms) if table.clocks.are_kept else {}
    return protocol.Waiting(room.match.game, side, since, now, left, runs, paused, chairs)


def seats_alone(room: Room, now: int) -> protocol.Waiting:
    """Return how the seats of a game stand *now*, for whoever is shown the game later than it is played."""
    return protocol.Waiting(room.match.game, "", 0, now, {}, runs=False, paused=False, chairs=seat_lines(room.match.table))


async def was_away(room: Room, since_ms: int) -> None:
    """Write down that nobody kept the log since a moment, if a clock would have run.

    Where the rules hide something, from when it would have been noted next: a later entry may be one that nobody else may know of.
    """
    now, noted_ms = room.now_ms(), since_ms + (round(ALIVE_EVERY_S * 1000) if room.viewers.hides else 0)
    ms = now - max(noted_ms, room.match.log.entries[-1].time_ms if room.match.log.entries else now)
    if ticks(room) and ms > 0:
        await perform(room, Away(ms), KEEPER)

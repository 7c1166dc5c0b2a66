"""Games by bots over a server that is killed again and again: what was acknowledged is kept, and nothing is there by halves.

Half of the times the server kills itself at a named place between receipt and acknowledgement (`server.faultpoints`), else it gets a
SIGKILL from here, wherever it is. After each death the store is held against all that was acknowledged; at the end every game's file, as
the bots' programs have it, is verified.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import secrets
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from client.connection.bot_player import BotPlayer
from client.connection.notes import Answered
from core import bots, protocol
from core.address import parse
from core.errors import Broken, Refused
from core.gamefile import read
from core.identity import Identity
from core.log import Log
from core.setting import Setting
from core.terms import DiceTerms, Terms
from core.trials.verify import verify
from rasputitsa.local_server import READY, command, logged
from server import faultpoints
from server.store.sqlite import STORE, SqliteStore

AT_ONCE = 3  # games
MOST_TIMES = 12  # that a place is reached before it is the last
LONGEST = 40  # orders that a server is left alive for at most
LOOK_S = 0.5
FIRST_PORT, PORTS = 10_000, 22_000  # below those that Linux and others give of themselves
PATIENCE_S = 120.0  # in which some order must be acknowledged, or some game end
POINTS = (*faultpoints.OF_ORDERS, *faultpoints.OF_LINKS, *faultpoints.OF_STORE)
Killed = Callable[[int, str], None]


class Survived(msgspec.Struct, frozen=True):
    """What came of it: games played to their end, orders acknowledged, deaths by where they came."""

    games: int
    orders: int
    deaths: dict[str, int]


class _Counting(BotPlayer):
    """A bot that notes each order of its own that was acknowledged."""

    def __init__(self, name: str, *, seed: str, game: str, side: str, create: protocol.CreateGame | None, tell: Callable[[], None]) -> None:
        super().__init__(bots.load(name), seed=seed, game=game, side=side, create=create)
        self.acknowledged: list[str] = []
        self._told = tell

    def _answered(self, note: Answered) -> None:
        if note.refused is None:
            self.acknowledged.append(note.order_id)
        super()._answered(note)
        self._told()


class _Mortal:
    """A server process that is started again at the same address, over the same data."""

    def __init__(self, data: Path, tell: Callable[[], None]) -> None:
        self.data = data
        self.address = ""
        self._tell = tell
        self._process: subprocess.Popen[str] | None = None

    def start(self, fault: str) -> None:
        """Start it, to die at a place if one is named; Broken if it ends otherwise before it is up."""
        where = parse("address", self.address).tcp if self.address else f"tcp://127.0.0.1:{lasting_port()}"
        environment = {**os.environ, faultpoints.VARIABLE: fault}
        # Its stderr goes into its log too, and nobody reads a pipe meanwhile.
        self._process = subprocess.Popen(
            command(self.data, where), env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        threading.Thread(target=self._wait, args=(self._process,), daemon=True).start()
        if line.startswith(READY):
            self.address = line.removeprefix(READY).strip()
        elif self._process.wait() != -signal.SIGKILL:
            raise Broken("the server did not come up again")

    def _wait(self, process: subprocess.Popen[str]) -> None:
        process.wait()
        self._tell()

    @property
    def is_dead(self) -> bool:
        """Say whether it has died."""
        return self._process is None or self._process.poll() is not None

    def kill(self) -> None:
        """Kill it, as by ``kill -9``, if it lives, and let go of its pipes."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()


def lasting_port() -> int:
    """Return a port that is free, of those that the system gives to nobody by itself: else somebody gets it while the server is dead.

    That may be the very program that tries to reach the server: the port that it calls from is then the one that it calls.
    """
    while True:
        port = FIRST_PORT + secrets.randbelow(PORTS)
        with socket.socket() as tried, contextlib.suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return port


class Massacre:
    """Plays games over a server that dies.

    Args:
        setting: what is played.
        bot: who plays all sides.
        seed: of the bots' choices and the deaths.
        killed: called after each death with its number and place.
    """

    def __init__(self, setting: Setting, bot: str, *, seed: int, killed: Killed = lambda number, where: None) -> None:
        self._setting, self._bot, self._seed, self._killed = setting, bot, seed, killed
        self._rng = random.Random(f"kill {seed}")
        self._changed = threading.Condition()
        self._orders = self._games = 0
        self._deaths: dict[str, int] = {}

    def run(self, games: int, kills: int) -> Survived:
        """Play at least so many games, and die at least so many times; Broken if anything was lost, or a file does not verify."""
        with tempfile.TemporaryDirectory(prefix="rasputitsa-kill-") as folder:
            server = _Mortal(Path(folder), self._note)
            try:
                server.start("")
                while self._games < games or sum(self._deaths.values()) < kills:
                    self._play_some(server, min(AT_ONCE, max(games - self._games, 0) or AT_ONCE), kills)
            except (Broken, Refused) as error:  # the latter of a bot that can't go on
                raise Broken(f"{error}\n{logged(server.data)}") from error
            finally:
                server.kill()
        return Survived(self._games, self._orders, self._deaths)

    def _note(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _play_some(self, server: _Mortal, many: int, kills: int) -> None:
        players = [player for number in range(self._games, self._games + many) for player in self._seated(server, number)]
        try:
            while not self._are_over(players):
                fault = self._fault() if sum(self._deaths.values()) < kills else ""
                self._live_and_die(server, players, fault)
            for player in players[:: len(self._setting.sides)]:
                self._verify(player)
        finally:
            for player in players:
                player.close()
        self._games += many
        self._orders += sum(len(player.acknowledged) for player in players)

    def _seated(self, server: _Mortal, number: int) -> list[_Counting]:
        """Begin a game with a bot at each side; every other one with witnessed dice, where the rules allow them."""
        witnessed = number % 2 == 1 and not self._setting.ruleset.secrets
        game = f"kill-{self._seed}-{number}"
        create = create_game(self._setting, game, Terms(dice=DiceTerms("witnessed" if witnessed else "server")))
        made = []
        for side in self._setting.sides:
            name = f"{side} {number}"
            one = _Counting(self._bot, seed=f"{game} {side}", game=game, side=side, create=create, tell=self._note)
            one.start(server.address, name, identity=Identity(hashlib.sha256(f"{self._seed} {name}".encode()).digest()))
            made.append(one)
        return made

    @staticmethod
    def _are_over(players: list[_Counting]) -> bool:
        over = [player.wait(0) for player in players]  # each raises what went wrong with it
        return all(over)

    def _fault(self) -> str:
        """Choose where the server dies next; empty: wherever it is."""
        return f"{self._rng.choice(POINTS)}#{self._rng.randrange(1, MOST_TIMES)}" if self._rng.random() < 0.5 else "anywhere"

    def _live_and_die(self, server: _Mortal, players: list[_Counting], fault: str) -> None:
        """Start the server anew, to die once more if *fault* says where; else let the games come to their end."""
        if fault or server.is_dead:
            server.kill()
            server.start("" if fault == "anywhere" else fault)
        more = self._rng.randrange(1, LONGEST) if fault == "anywhere" else 3 * LONGEST  # a place may be far off
        upto = sum(len(player.acknowledged) for player in players) + more

        def enough() -> bool:
            had = sum(len(player.acknowledged) for player in players)
            return server.is_dead or self._are_over(players) or (bool(fault) and had >= upto)

        had, since = -1, time.monotonic()
        with self._changed:
            while not enough():
                self._changed.wait(LOOK_S)  # a game's end is told by nobody
                have = sum(len(player.acknowledged) for player in players)
                if have != had:
                    had, since = have, time.monotonic()
                elif time.monotonic() - since > PATIENCE_S:
                    raise Broken(f"nothing went on for {PATIENCE_S:.0f} s; the server was to die at {fault or 'no place'}")
        if not fault or (self._are_over(players) and not server.is_dead):
            return
        where = fault.partition("#")[0] if server.is_dead else "anywhere"
        server.kill()
        self._deaths[where] = self._deaths.get(where, 0) + 1
        self._hold(server, players)
        self._killed(sum(self._deaths.values()), where)

    # ---------------------------------------------------------------- what must hold

    def _hold(self, server: _Mortal, players: list[_Counting]) -> None:
        """Hold the store of the dead server against what was acknowledged.

        Raises:
            Broken: something is lost, or there by halves.
        """
        store = SqliteStore(server.data / STORE)
        try:
            for player in players:
                hold_game(store, player)
        finally:
            store.close()

    def _verify(self, player: _Counting) -> None:
        report = verify(read(player.games.file(player.game)))
        if not report.holds or report.remarks:
            raise Broken(f"{player.game} does not verify: {(*report.findings, *report.remarks)[0]}")


def create_game(setting: Setting, game: str, terms: Terms) -> protocol.CreateGame:
    """Return what asks a server for a game of a setting, its options included."""
    return protocol.CreateGame(game, setting.ruleset.id, setting.scenario.id, dict(setting.options), terms)


def hold_game(store: SqliteStore, player: _Counting) -> None:
    """Hold one game of a store against what one player knows of it; Broken if something is lost or there by halves."""
    if player.game not in store.names():
        if player.acknowledged:
            raise Broken(f"{player.game} is lost")
        return
    log, orders, pending = Log(), store.orders(player.game), store.pending(player.game)
    for entry in store.entries(player.game):
        log.add(entry)  # raises if it does not follow
    lost = [order_id for order_id in player.acknowledged if order_id not in orders]
    if lost:
        raise Broken(f"{player.game}: order {lost[0]} of {player.side} was acknowledged and is lost")
    with player.games.reading():
        match = player.games.match(player.game)
        known = [entry.hash for entry in match.log.entries] if match is not None else []
    if [entry.hash for entry in log.entries[: len(known)]] != known:
        raise Broken(f"{player.game}: {player.side} was told entries that are not there")
    if sorted(orders.values()) != sorted(entry.number for entry in log.entries if entry.order):
        raise Broken(f"{player.game}: an order is there without its entry, twice, or the other way round")
    rolled = {entry.k: entry.pending_record() for entry in log.entries if entry.links}
    for record, _ in pending:
        if record.k in rolled and rolled[record.k] != record:
            raise Broken(f"{player.game}: number {record.k} was spent on another order than it was kept for")
    if len([record for record, _ in pending if record.k > log.k]) > 1:
        raise Broken(f"{player.game}: two orders wait for their dice")

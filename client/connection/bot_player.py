"""A bot at a seat of a server's game: a client like any other."""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable

from client.connection.fouls import Foul
from client.connection.games import Games
from client.connection.identity import KnownServers
from client.connection.line import Down, Up
from client.connection.notes import Anew, Answered, Grown, Note, Ready, Trouble
from client.connection.offline import NO_LINE
from core import protocol
from core.bots import Bot
from core.errors import BadInput, Broken, Refused
from core.events import Event
from core.identity import Identity
from core.match import Match
from core.text import text
from core.units import Side
from core.views import View

GIVE_UP_AFTER = 20  # refusals by a rule in a row: the bot and the server see different games
MOST_WAITING = 50  # notes that the bot has not taken in
WAIT_FOR_GAME_S = 30.0
ASK_AGAIN_S = 0.2
AT_MOST_S = 5.0  # between two askings, where a server takes no more for now, or can't write

Watch = Callable[[Event, View], None]


class BotPlayer:
    """Plays one side to the end of the game.

    Args:
        bot, seed: who decides, and what he draws his choices from.
        game, side: where he sits.
        create: the frame that begins the game, for the one who begins it.
        watch: called with each event that comes, and the view after its entry; in the player's own thread.
        line_changed: called when the line comes up or goes down; in the same thread.

    Attributes:
        trouble: what went wrong, None while all is well.
    """

    def __init__(
        self,
        bot: Bot,
        *,
        seed: str,
        game: str,
        side: Side,
        create: protocol.CreateGame | None = None,
        watch: Watch | None = None,
        line_changed: Callable[[Up | Down], None] = lambda note: None,
    ) -> None:
        self.bot, self.game, self.side = bot, game, side
        self.trouble: Exception | None = None
        self.games = Games(self._notes_put, is_behind=lambda: self._notes.qsize() > MOST_WAITING)
        self._notes: queue.SimpleQueue[Note | None] = queue.SimpleQueue()
        self._rng = random.Random(seed)
        self._create, self._watch, self._line_changed = create, watch, line_changed
        self._ready = self._sat = False
        self._asked = ""
        self._refusals = self._put_off = 0
        self._held = False  # the seat, at any time
        self._patience = time.monotonic() + WAIT_FOR_GAME_S
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"bot for {side}", daemon=True)

    def start(
        self, address: str, name: str, *, identity: Identity, known: KnownServers | None = None, suggested: str = ""
    ) -> None:
        """Connect and play."""
        self._thread.start()
        self.games.connect(address, name, identity=identity, known=known, suggested=suggested)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end of the game; False if it took longer.

        Raises:
            Refused: the server says no to the name or the seat, or does what the bot can't go on from.
            BadInput: there is no such game, side or scenario there.
            Broken: the bot, or the server, could not go on.
        """
        over = self._over.wait(seconds)
        if self.trouble is not None:
            raise self.trouble
        return over

    def close(self) -> None:
        """Leave."""
        self._notes.put(None)
        self.games.close()
        self._thread.join(5)

    def _notes_put(self, note: Note) -> None:
        self._notes.put(note)

    def _run(self) -> None:
        while (note := self._notes.get()) is not None:
            try:
                self._hear(note)
            except (BadInput, Refused, OSError) as error:
                self._fail(error)
            except Exception as error:  # the thread's border: whoever waits is told
                broken = Broken(f"{self.side}: {type(error).__name__}: {error}")
                broken.__cause__ = error
                self._fail(broken)

    def _fail(self, trouble: Exception) -> None:
        if self.trouble is None:  # what comes after the first follows from it
            self.trouble = trouble
        self._over.set()

    def _hear(self, note: Note) -> None:
        if isinstance(note, Up | Down):
            self._line_changed(note)
        match note:
            case Up():
                self._patience = time.monotonic() + WAIT_FOR_GAME_S
                self._enter()
            case Anew():
                self._ready = False
            case Ready():
                self._ready = True
                self._sit()
            case Grown() if self._watch is not None:
                view = self._view()
                for entry in note.entries:
                    for event in entry.events:
                        self._watch(event, view)
            case Answered() if not note.order_id:
                self._refused(note)
            case Answered() if note.order_id == self._asked:
                self._answered(note)
            case Trouble() if not note.is_remark:
                self._troubled(note)
            case Foul():
                raise Refused("", text("the server does what no honest one does: {what}", what=str(note)))
            case _:
                return
        self._act()

    def _enter(self) -> None:
        """Begin the game if that is ours to do, and follow it: one frame asks for it, and one answer tells that it isn't there."""
        if self._create is not None:
            self.games.send(self._create)
        self._sat = False
        self.games.follow(self.game)

    def _sit(self) -> bool:
        """Sit down, unless we have; say whether that was left to do."""
        if not self._sat:
            self._sat = True
            self.games.send(protocol.TakeSeat(self.game, self.side))
            return True
        return False

    def _refused(self, note: Answered) -> None:
        if note.refused is None or note.refused == NO_LINE:  # it is asked for again when there is one
            return
        if note.game == self.game and note.refused.template == protocol.NOT_WRITTEN:
            self._wait_longer()
            self._enter()
            return
        if note.game == self.game and self._create is None and self._sit():
            self.games.follow(self.game)  # it is closed to whoever holds no seat
            return
        raise Refused(note.rule, note.refused)  # to our name, or the seat

    def _troubled(self, note: Trouble) -> None:
        if note.unknown == self.game and time.monotonic() < self._patience:
            time.sleep(ASK_AGAIN_S)  # whoever begins it may be on his way, or the server died before it was written down
            self._enter()
        elif note.broke:
            raise Broken(note.text)
        elif note.is_newer:
            raise Refused("", text("{what}", what=note.text))
        elif note.fault is None:  # such as a game that went on from a backup: nothing broke, and nobody is to report it
            raise Refused("", text("{what}; begin the bot anew to go on from there", what=note.text))
        else:
            raise BadInput([note.fault])

    def _answered(self, note: Answered) -> None:
        self._asked = ""
        if note.refused is None:
            self._refusals = self._put_off = 0
        elif note.rule:
            self._refusals += 1
            if self._refusals >= GIVE_UP_AFTER:
                raise Broken(f"{self.side}: {note.refused} ({note.rule}), {self._refusals} times")
        else:
            self._wait_longer()

    def _wait_longer(self) -> None:
        """Wait, longer each time, for a server that is told too much, or whose disk is full for an hour."""
        self._put_off += 1
        time.sleep(min(ASK_AGAIN_S * self._put_off, AT_MOST_S))

    def _view(self) -> View:
        with self.games.reading():
            match = self.games.match(self.game)
            assert match is not None, "a note of a game that is not open"
            return match.view

    def _has_ended(self) -> bool:
        with self.games.reading():
            match = self.games.match(self.game)
            return match is not None and match.outcome is not None

    def _is_unseated(self, match: Match) -> bool:
        """Say whether we had a seat and have none."""
        assert self.games.line is not None, "a match before a line"
        with self.games.reading():
            sits = self.games.line.name in match.table.holders(self.side)
        self._held |= sits
        return self._held and not sits

    def _is_anothers(self, match: Match) -> bool:
        """Say whether somebody so called as we has our seat, by a key that is not ours."""
        assert self.games.line is not None, "a match before a line"
        return self.games.line.name in match.table.holders(self.side) and self.games.sits_anothers(match)

    def _act(self) -> None:
        """Give an order if it is this side's turn, no order is on its way, the game does not pause, and the dice have their witnesses.

        Raises:
            Refused: the seat is ours no more, as a referee has freed it; or it never was.
        """
        match = self.games.match(self.game)
        if not self._ready or self._asked or self._over.is_set() or match is None or match.witnesses.refusal() is not None:
            return
        view = self._view()
        if self._has_ended():
            self._over.set()
        elif self._is_unseated(match):
            raise Refused("", text("{side} is not ours to play any more: somebody has freed our seat", side=self.side))
        elif self._is_anothers(match):
            raise Refused("", text("{side} is played under our name by another key: nothing of it is ours", side=self.side))
        elif view.side_to_act() == self.side and not (match.table.paused or view.hides_from(self.side)):  # its own view is on its way
            self._asked = self.games.give(self.game, self.side, self.bot(view, self._rng))

"""A bot at a seat of a server's game: a client like any other."""

from __future__ import annotations

import queue
import random
import threading
from collections.abc import Callable

from client.connection.games import Answered, Games, Grown, Note, Ready, Trouble
from client.connection.line import Up
from core import protocol
from core.bots import Bot
from core.errors import Broken
from core.events import Event
from core.units import Side
from core.views import View

GIVE_UP_AFTER = 20  # refusals in a row: the bot and the server see different games

Watch = Callable[[Event, View], None]


class BotPlayer:
    """Plays one side to the end of the game.

    Args:
        bot, seed: who decides, and what he draws his choices from.
        game, side: where he sits.
        create: the frame that begins the game, for the one who begins it.
        watch: called with each event that comes, and the view after its entry; in the player's own thread.

    Attributes:
        trouble: what went wrong, empty while all is well.
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
    ) -> None:
        self.bot, self.game, self.side = bot, game, side
        self.trouble = ""
        self.games = Games(self._notes_put)
        self._notes: queue.SimpleQueue[Note | None] = queue.SimpleQueue()
        self._rng = random.Random(seed)
        self._create, self._watch = create, watch
        self._ready = False
        self._asked = ""
        self._refusals = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"bot for {side}", daemon=True)

    def start(self, address: str, name: str) -> None:
        """Connect and play."""
        self._thread.start()
        self.games.connect(address, name)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end of the game; False if it took longer.

        Raises:
            Broken: the bot could not go on.
        """
        over = self._over.wait(seconds)
        if self.trouble:
            raise Broken(self.trouble)
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
            except Exception as error:  # the thread's border: whoever waits is told
                self._fail(f"{type(error).__name__}: {error}")

    def _fail(self, trouble: str) -> None:
        self.trouble = trouble
        self._over.set()

    def _hear(self, note: Note) -> None:
        match note:
            case Up():
                if self._create is not None:
                    self.games.send(self._create)
                self.games.send(protocol.TakeSeat(self.game, self.side))
                self.games.follow(self.game)
            case Ready():
                self._ready = True
            case Grown() if self._watch is not None:
                view = self._view()
                for entry in note.entries:
                    for event in entry.events:
                        self._watch(event, view)
            case Answered() if note.order_id == self._asked:
                self._answered(note)
            case Trouble():
                if "a game of this server" in note.text:
                    self.games.send(protocol.TakeSeat(self.game, self.side))
                    self.games.follow(self.game)
                else:
                    self._fail(note.text)
            case _:
                return
        self._act()

    def _answered(self, note: Answered) -> None:
        self._asked = ""
        self._refusals = 0 if note.refused is None else self._refusals + 1
        if self._refusals >= GIVE_UP_AFTER:
            self._fail(f"{self.side}: {note.refused} ({note.rule})")

    def _view(self) -> View:
        with self.games.reading():
            match = self.games.match(self.game)
            assert match is not None, "a note of a game that is not open"
            return match.view

    def _act(self) -> None:
        """Give an order if it is this side's turn, the seat is held, and no order is on its way."""
        if not self._ready or self._asked or self._over.is_set() or self.games.match(self.game) is None:
            return
        view = self._view()
        if view.position.outcome is not None:
            self._over.set()
        elif view.side_to_act() == self.side:
            self._asked = self.games.give(self.game, self.side, self.bot(view, self._rng))

"""What is told of a server's table besides its entries: chat, who is here, whom the game waits for and how long, answers given ahead."""

from __future__ import annotations

from collections.abc import Callable

from client.connection.notes import AtTable
from core import protocol
from core.match import Match
from core.text import Text
from core.units import Side

Clock = Callable[[], int]
MOST_LINES = 10_000  # of chat that are kept


class TableTalk:
    """All that was told of one game's table.

    Args:
        game: its id.
        clock: this machine's clock in milliseconds; it need not agree with the server's.

    Attributes:
        lines: the chat, in order.
        people: who sits there or watches, but for *unnamed* of a crowd.
        waiting: whom the game waits for, None until that was told.
        answers: those that our sides have given ahead.
        dropped: why the last answer that could not be used was dropped, None if none was.
    """

    def __init__(self, game: str, clock: Clock) -> None:
        self.game = game
        self.lines: list[protocol.ChatLine] = []
        self.people: tuple[protocol.Person, ...] = ()
        self.unnamed = 0
        self.waiting: protocol.Waiting | None = None
        self.answers: dict[Side, tuple[protocol.KeptAnswer, ...]] = {}
        self.dropped: Text | None = None
        self._clock = clock
        self._ahead_ms = 0  # the server's clock is ahead of ours by so much

    def take(self, note: AtTable) -> bool:
        """Take a note in; say whether it was of this game and told anything new."""
        if note.game != self.game:
            return False
        match note:
            case protocol.Chat():
                known = {(line.room, line.number) for line in self.lines}
                new = [line for line in note.lines if (line.room, line.number) not in known]
                self.lines = sorted([*self.lines, *new], key=lambda line: (line.time_ms, line.number))[-MOST_LINES:]
                return bool(new)
            case protocol.Present():
                self.people, self.unnamed = note.people, note.unnamed
            case protocol.Waiting():
                self.waiting, self._ahead_ms = note, note.now_ms - self._clock()
            case protocol.Answers():
                self.answers[note.side] = note.answers
                self.dropped = note.dropped or self.dropped
        return True

    def now_ms(self) -> int:
        """Return what the server's clock shows now."""
        return self._clock() + self._ahead_ms

    @property
    def chairs(self) -> tuple[protocol.SeatLine, ...]:
        """Return how the seats stand by now, where the game is shown later than it is played; nothing elsewhere: the log says it."""
        return self.waiting.chairs if self.waiting is not None else ()

    def left_ms(self, match: Match) -> dict[Side, int]:
        """Return what each side has left of its time: now, or at the last entry of a game that is shown later. Nothing without clocks."""
        clocks = match.table.clocks
        if self.chairs:
            return dict(clocks.left_ms) if clocks.are_kept else {}
        return dict(match.table.clocks_at(self.now_ms()).left_ms) if clocks.are_kept else {}

    def waited_ms(self) -> int:
        """Return for how long the game has been waiting."""
        return max(0, self.now_ms() - self.waiting.since_ms) if self.waiting is not None and self.waiting.side else 0

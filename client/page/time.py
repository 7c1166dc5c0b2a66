"""Travel in time: the moment that is shown, steps by entry, phase, turn, battle and bookmark."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from client import reading
from client.qt import QObject, QTimer, Signal
from client.session.bookmarks import Bookmarks
from client.session.match import Match, Moment
from client.words import capital, cite
from core.errors import Refused

SETTLE_MS = 90  # that the time cursor must rest before score, log and panels follow it


def _phase(moment: Moment) -> tuple[int, str]:
    return moment.turn, moment.phase


class TimeTravel(QObject):
    """Moves a match through its moments.

    Signals:
        passed(int): another moment of the past is shown; more may follow at once.
        arrived(): the cursor rests: everything may follow it.
        marked(): a bookmark was set or taken away.
        reached(int): the battle at this moment was asked for.
        said(str): something for the status of the window.
    """

    passed = Signal(int)
    arrived = Signal()
    marked = Signal()
    reached = Signal(int)
    said = Signal(str)

    def __init__(self, match: Match, bookmarks: Bookmarks, parent: QObject) -> None:
        super().__init__(parent)
        self.match = match
        self.bookmarks = bookmarks
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.timeout.connect(self.arrived)

    def seek(self, index: int) -> None:
        """Show another moment."""
        if 0 <= index < len(self.match.moments()) and index != self.match.cursor:
            self.match.seek(index)
            if self.match.is_live:
                self.arrived.emit()
                return
            self.passed.emit(index)
            self._settling.start(SETTLE_MS)

    def rest(self) -> None:
        """Wait for nothing: everything has followed."""
        self._settling.stop()

    def back_to_now(self) -> None:
        """Show the present."""
        self.seek(len(self.match.moments()) - 1)

    def step(self, by: int) -> None:
        """Step entries."""
        self.seek(max(0, min(len(self.match.moments()) - 1, self.match.cursor + by)))

    def step_to_change(self, by: int, *, what: str) -> None:
        """Step to where the ``phase`` or ``turn`` begins, or to the next ``battle`` or ``bookmark``; nowhere if there is none.

        Back, too, it goes to where one begins: to that of the shown moment, and from there to the one before.
        """
        moments, noted = self.match.moments(), self.bookmarks.notes
        tests: dict[str, Callable[[int], bool]] = {
            "battle": lambda index: bool(moments[index].battles),
            "bookmark": lambda index: moments[index].number in noted,
            "turn": lambda index: index == 0 or moments[index].turn != moments[index - 1].turn,
            "phase": lambda index: index == 0 or _phase(moments[index]) != _phase(moments[index - 1]),
        }
        ahead = range(self.match.cursor + by, len(moments) if by > 0 else -1, by)
        found = next(filter(tests[what], ahead), None)
        if found is None and what in ("turn", "phase"):
            found = len(moments) - 1 if by > 0 else 0
        if found is None:
            none = {"battle": self.tr("No battle lies that way"), "bookmark": self.tr("No bookmark lies that way")}
            self.said.emit(none[what])
        else:
            self.seek(found)
            if what == "battle":
                self.reached.emit(found)

    def toggle_bookmark(self) -> None:
        """Set a bookmark at the shown moment, or take it away; a note that somebody wrote is not lost by one key."""
        index = self.match.cursor
        words = reading.moment_card(self.match, index).partition("\n")[0]
        if self.bookmarks.notes.get(self._number(index), words) != words:
            self.said.emit(self.tr("A note stands here: it is taken away in the Notes panel"))
            return
        if self._keep(lambda: self.bookmarks.toggle(self._number(index), words)):
            is_set = self._number(index) in self.bookmarks.notes
            self.said.emit(self.tr("Bookmark set") if is_set else self.tr("Bookmark taken away"))

    def note(self, index: int, words: str) -> None:
        """Write a note at a moment."""
        self._keep(lambda: self.bookmarks.set(self._number(index), words))

    def remove_note(self, index: int) -> None:
        """Take the note of a moment away."""
        self._keep(lambda: self.bookmarks.remove(self._number(index)))

    def notes(self) -> dict[int, str]:
        """Return the notes by the index of their moment."""
        kept, moments = self.bookmarks.notes, self.match.moments()
        places = ((bisect_left(moments, number, key=_number_of), number) for number in sorted(kept))  # of a long game few have notes
        return {i: kept[number] for i, number in places if i < len(moments) and moments[i].number == number}

    def _number(self, index: int) -> int:
        return self.match.moments()[index].number

    def _keep(self, change: Callable[[], object]) -> bool:
        """Change the bookmarks; say whether they could be kept."""
        try:
            change()
        except Refused as refused:
            self.said.emit(capital(cite(refused)))
            return False
        except OSError as error:
            self.said.emit(self.tr("The bookmark could not be saved: {why}").format(why=str(error)))
            return False
        self.marked.emit()
        return True


def _number_of(moment: Moment) -> int:
    return moment.number

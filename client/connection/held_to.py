"""What a client holds its server to in all games that it follows: what it told before, what it says of our orders, how it shows a game.

`client.connection.games` says what is asked and what comes; what no honest server does is told here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from client.connection.fouls import Foul
from client.connection.promised import Promised, Unseen
from client.connection.taken_back import TakenBack
from client.connection.told import Told
from client.connection.witnessing import Witnessing
from core import protocol
from core.log import Entry, Pending, Seat
from core.match import Match
from core.seen import SeenEntry
from core.text import Text, text

UNSEEN_ASKED, UNSEEN_TOLD = 2, 4  # after how many pongs a game is asked for again, and it is told, that takes orders and is shown later
SHOWN_LATER = "the server takes your orders, and says that it shows you the game later than it is played: its clock can't be checked so"
NEVER_LEFT = (
    "the server said for a while that it shows you the game later than it is played, as if you had left your seat: "
    "you had not, unless it went on from a backup of before you did so elsewhere"
)


class HeldTo:
    """Keeps what one server told and promised.

    Args:
        witnessing: looks at dice and clocks.
        tell: called with what an honest server does not do.
        trouble: called with how a game was told otherwise than it happened.
        remark: called with what is worth knowing, and may be honest as well.
        ask_again: asks for a game from what is known of it on.
        spent: as for `client.connection.taken_back.TakenBack`.
    """

    def __init__(
        self,
        witnessing: Witnessing,
        tell: Callable[[Foul], None],
        trouble: Callable[[str], None],
        remark: Callable[[str], None],
        ask_again: Callable[[str], None],
        spent: Mapping[bytes, str],
    ) -> None:
        self._witnessing, self._tell, self._trouble, self._remark, self._ask_again = witnessing, tell, trouble, remark, ask_again
        self._taken_back = TakenBack(spent)
        self._promised, self._unseen = Promised(), Unseen()
        self._told: dict[str, Told] = {}
        self._read_upto: dict[str, int] = {}  # the last entry as a game was opened first: those behind it happen while it is followed
        self._is_now: dict[str, bool] = {}  # whether followed games are shown to us as they are played, as far as it was told
        self._sat: dict[str, int] = {}  # at which we sat as they were said to be shown later: how many entries were known then
        self._leaves: dict[str, set[bytes]] = {}  # by what we signed that we leave our seats, whatever has come of it
        self._sits_again: set[str] = set()  # those of them that are said to be shown as they are played since

    # ---------------------------------------------------------------- orders

    def line_is_up(self, asked: Iterable[str]) -> None:
        """The line came up; what was asked before, by these ids, has no answer yet."""
        self._promised.begin_anew(asked)
        self._unseen.begin_anew()

    def asks(self, frame: object) -> None:
        """Take note of what is asked for the first time."""
        self._taken_back.asked(frame)
        if isinstance(frame, protocol.Give):
            self._witnessing.gives(frame)
        if isinstance(frame, protocol.Give) and not self.is_now(frame.game, unless_told=True):
            self._unseen.given(frame)

    def refused(self, frame: object, game: str, why: Text, match: Match | None, *, is_known: bool) -> None:
        """Take note that something was refused that we asked for; *is_known*: nothing of the game is on its way."""
        if isinstance(frame, protocol.Give):
            self._witnessing.is_answered(frame)
        waits = None if match is None else self._waits(match)
        is_ours = isinstance(frame, protocol.Give) and waits is not None and waits.signature == frame.signature
        # It has waited since before this program was started; or it may be done, and is shown later.
        is_known = is_known and not is_ours and self.is_now(game, unless_told=True)
        self._taken_back.refused(frame, why, match, is_known=is_known, another_waits=waits is not None and not is_ours)

    def gives_up(self, frame: protocol.AnswerAhead | protocol.Revoke) -> None:
        """Take note that something is not asked for again, though it has no answer."""
        self._taken_back.gives_up(frame)

    def tells_kept(self, told: protocol.Answers) -> None:
        """Take note which answers given ahead the server says that it keeps."""
        self._taken_back.tells_kept(told)

    def _waits(self, match: Match) -> Pending | None:
        """Return the order that waits for its dice, None if that is not known here."""
        waits = self._witnessing.waits(match.game)
        return waits if waits is not None and waits.k > match.log.k else None

    def accepted(self, frame: object, number: int, match: Match | None, *, is_behind: bool) -> None:
        """Take note that something was done that we asked for; where it is not written down as it is said to be, ask for the game again.

        Args:
            match: the game, where it is followed.
            is_behind: something of it is on its way.
        """
        if isinstance(frame, protocol.Give):
            self._witnessing.is_answered(frame)
        is_known = match is not None and not is_behind and self.is_now(match.game, unless_told=True)
        self._taken_back.accepted(frame, match if is_known else None)
        if not isinstance(frame, protocol.Give) or match is None:
            return
        self._unseen.accepted(frame)
        is_kept = self._promised.accepted(frame, number, match)
        if is_behind:
            return
        if not is_kept:
            self._ask_again(match.game)
        elif self._promised.is_new(frame.order_id):
            self._witnessing.plays(match.game)

    def heard(self, match: Match, at_ms: int | None, *, is_known: bool) -> None:
        """A ping that was sent then is answered; *is_known*: all of the game is here that was sent before."""
        if not self.is_now(match.game):
            self._look_at_unseen(match)
        elif is_known:
            self._taken_back.known_to_its_end(match, self._waits(match))
            if (wrong := self._promised.broken(match)) is not None:
                self._tell(Foul(match.game, wrong))
            if match.game in self._sits_again:
                self._look_at_seat(match)
            if at_ms is not None:
                self._witnessing.heard_all(match, at_ms)

    def comes(self, match: Match) -> None:
        """Something came of a game, or the server said that it is there."""
        if (waits := self._waits(match)) is not None and (wrong := self._taken_back.waits(waits)) is not None:
            self._tell(Foul(match.game, wrong))
        if self.is_now(match.game, unless_told=True):  # `opened` leaves it open till the next word: a server could say it again and again
            self._witnessing.comes(match)

    def _look_at_seat(self, match: Match) -> None:
        """A game is known to its end that was said to be shown later for a while: who has sat there all the time is shown it as it is."""
        self._sits_again.remove(match.game)
        known = self._sat.pop(match.game)
        if self._witnessing.sits(match) and not any(isinstance(entry.act, Seat) for entry in match.log.entries[known:]):
            self._tell(Foul(match.game, text(NEVER_LEFT)))

    def _look_at_unseen(self, match: Match) -> None:
        pongs = self._unseen.count_pong(match.game)
        if pongs == UNSEEN_ASKED:
            self._ask_again(match.game)
        elif pongs == UNSEEN_TOLD and self._witnessing.sits(match):
            self._tell(Foul(match.game, text(SHOWN_LATER)))

    # ---------------------------------------------------------------- how a game is shown

    def sees(self, game: str, *, is_now: bool, match: Match | None = None) -> None:
        """Note whether a game is shown to us as it is played; who has left his seat may be shown it later.

        Args:
            match: the game, where the server has said so, and it is known and hides nothing.
        """
        self._is_now[game] = is_now
        if is_now:
            self._unseen.sees_now(game)
        else:
            self._witnessing.sees_later(game)
        if match is not None and is_now and game in self._sat:
            self._sits_again.add(game)
        elif match is not None and not is_now and self._witnessing.sits(match) and not self._may_have_left(match):
            self._sat.setdefault(game, len(match.log))

    def asks_to_leave(self, frame: protocol.Frame) -> None:
        """Take note that we ask to leave a seat, or that others may have one."""
        self._leaves.setdefault(getattr(frame, "game", ""), set()).add(getattr(frame, "signature", b""))

    def _may_have_left(self, match: Match) -> bool:
        """Say whether we asked to leave, and it is not written down here: that comes later, or never after a backup of before that."""
        return not self._leaves.get(match.game, set()) <= match.witnesses.spent

    def is_now(self, game: str, *, unless_told: bool = False) -> bool:
        """Say whether a game is shown to us as it is played; *unless_told*, where that is not known."""
        return self._is_now.get(game, unless_told)

    def untold(self, games: Iterable[str]) -> set[str]:
        """Return those of some games of which it is not known how they are shown."""
        return {*games} - self._is_now.keys()

    def opens(self, game: str, last: int) -> None:
        """A game is opened, maybe again, up to an entry: how it is shown is told behind that."""
        self._is_now.pop(game, None)
        self._witnessing.reopens(game, last)

    def follows_no_more(self, game: str) -> None:
        """What comes of a game, when it is followed again, may have happened at any time."""
        self._witnessing.follows_no_more(game)
        self._promised.forget(game)
        self._forget_seat(game)

    def _forget_seat(self, game: str) -> None:
        self._sat.pop(game, None)
        self._sits_again.discard(game)

    # ---------------------------------------------------------------- what comes

    def begins(self, match: Match, last: int) -> None:
        """What comes of a game comes from its beginning, up to the last entry that there was as it was opened, and on from there."""
        self._read_upto.setdefault(match.game, last)
        if match.viewer:
            self._told.setdefault(match.game, Told()).begin(match.viewer)

    def comes_anew(self, game: str, *, another: bool) -> None:
        """A game is to come from its beginning, maybe *another* of its name, or by other numbers than those of before."""
        self._promised.forget(game)
        self._forget_seat(game)
        if another:
            self._read_upto.pop(game, None)

    def sees_entry(self, game: str, entry: SeenEntry) -> None:
        """An entry is told in part."""
        self._told[game].note(entry)

    def watch(self, match: Match, entry: Entry) -> None:
        """Look at an entry before it is taken in."""
        # Not by what was opened last: a server that opens a game anew before each entry would have none of them decided again.
        self._witnessing.watch(match, entry, live=entry.number > self._read_upto[match.game])
        if (wrong := self._taken_back.fault(match, entry)) is not None:
            self._tell(Foul(match.game, wrong))
        elif (known := self._taken_back.remark(entry)) is not None:
            self._remark(f"{match.game}: {known}")

    def known_to_its_end(self, match: Match) -> None:
        """A game is known to its end: compare it with what was told of it in part, where that lies open now."""
        game, told = match.game, self._told.get(match.game)
        if told is not None and not match.viewer:
            for wrong in told.check(match):
                self._trouble(f"{game}: the server told the game otherwise than it happened: {wrong}")
            if not told:
                del self._told[game]
        self._read_upto[game] = min(self._read_upto[game], len(match.log) - 1)  # a server may have said falsely that there is more

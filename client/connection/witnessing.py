"""All games that a client takes part in or looks on at over one line: each is witnessed, or watched, from when it is opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from client.connection import hours
from client.connection.face import Face
from client.connection.fouls import Foul
from client.connection.hourglass import Hourglass
from client.connection.kept_back import could_not_write
from client.connection.left_out import LeftOut
from client.connection.namesake import Namesakes, is_anothers, sits_anothers
from client.connection.seatings import Seatings
from client.connection.shown import Memory
from client.connection.unanswered import Unanswered
from client.connection.watcher import Behind, Watcher
from client.connection.witness import Choice, Send, Witness
from core import identity, protocol
from core.errors import BadInput
from core.gamefile import Head, held_to_less
from core.log import Entry, Pending, Seat
from core.match import Match
from core.table_rules import DAY_MS
from core.text import text
from core.units import Side
from core.witnesses import WITNESSED

EXTRA = (
    "our clock has lost {seconds} s more than have passed here as the game waited for us: what others did was dated back, "
    "or the server's clock set forward"
)
STOOD = (
    "our clock has lost {seconds} s while the server said that no clock runs, unless what it said when they ran again was lost on its way"
)
UNCHECKED = (
    "{game}: for {others} s in all while the game waited for others, and for {ours} s while it waited for us, the server was there and its "
    "clock could not be checked: it said that no clock runs, as where it can't write, or its answers came late, as where it, or this "
    "program, has much to do, or the line was made anew; how long anybody thought then is its word alone"
)
UNANSWERED = (
    "for {seconds} s in all the server has had orders of yours while your clock ran, and neither took nor refused them, unless they, or "
    "the answers, were lost on their way again and again"
)
UNANSWERED_FREE = (
    "{game}: for {minutes} minutes in all the server has had orders of yours, and neither took nor refused them, unless they, or the "
    "answers, were lost on their way again and again"
)
DATES = (
    "{game}: by the dates of the server {days} days more have passed than here since this program knows the game, unless its clock was set "
    "right: a time that is agreed in days, as the two weeks for which a seat is kept, may not have passed"
)
BEHIND = "the server says that its clock shows {seconds} s less than it has to: what is left of the clocks is shown here without that"
SLOW = "the server has said that its clock shows {seconds} s less than it does: there was less left of the clocks than was shown here"
SPARED = (
    "the clocks of others stood still for {seconds} s as the game waited for them, though the server was there, unless it went on from a "
    "backup of before that: then the log says that a server took the game over"
)


class Witnessing:
    """All games that one client witnesses, or watches, on one server.

    Args:
        send: sends a frame to the server.
        tell: called with what an honest server does not do, and with what is decided by our links' absence.
        trouble: called with what goes wrong here.
        remark: called with what is worth knowing, and nothing goes wrong by it.
    """

    def __init__(
        self, send: Send, tell: Callable[[Foul | LeftOut], None], trouble: Callable[[str], None], remark: Callable[[str], None]
    ) -> None:
        self._send, self._tell, self._trouble, self._remark = send, tell, trouble, remark
        self._own: identity.Identity | None = None
        self._memory: Memory | None = None
        self._file: Path | None = None
        self._name, self._server = "", ""
        self._namesakes, self._seatings = Namesakes(tell, remark), Seatings(tell, remark)
        self._games: dict[str, Witness] = {}
        self._watched: dict[str, Watcher] = {}
        self._heads: dict[str, Head] = {}
        self._earlier: set[str] = set()  # games that are held to less than those begun today, which is to be told to who sits down there
        self._behind = Behind()
        self._early: dict[str, protocol.LinkWanted] = {}
        self._glasses: dict[str, Hourglass] = {}
        self._faces: dict[str, Face] = {}
        self._unanswered = Unanswered()
        self._told: set[tuple[str, str]] = set()  # games, and what was told of their clocks

    def be(self, own: identity.Identity, file: Path | None) -> None:
        """Witness as this identity, and remember in this file; None: no longer than the process, as the identity."""
        self._own, self._file = own, file

    def known_as(self, name: str, *, server: identity.PublicKey = "", silent_since_ms: int | None = None) -> None:
        """The server knows us by this name now; what was sent before may not have come.

        Args:
            server: its key.
            silent_since_ms: when it was heard last before, None where it never was.
        """
        self._name, self._server = name, server
        for witness in self._games.values():
            witness.line_is_up(silent_since_ms)
        for glass in self._glasses.values():
            glass.line_is_up()
        for face in self._faces.values():
            face.begin_anew()
        self._unanswered.line_is_up()

    def close(self) -> None:
        """Close the memory, and look back no more."""
        self._behind.close()
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def begin(self, head: Head, match: Match) -> None:
        """Take part in a game that comes from its beginning, if its dice are witnessed, else watch it; anew where it has another head."""
        if head.game in self._glasses:
            self._glasses[head.game].begin_anew()  # its log was counted already, and may go another way now, as after a backup
        if self._own is None or (head.game in self._games and self._heads[head.game] == head):
            return
        self._heads[head.game] = head
        self._earlier.discard(head.game)
        if held_to_less(head, rules=match.setting.ruleset.version) and not match.setting.ruleset.secrets:
            self._earlier.add(head.game)
        self._games.pop(head.game, None)
        self._watched.pop(head.game, None)
        if head.terms.dice.kind != WITNESSED:
            if not match.setting.ruleset.secrets:
                self._watched[head.game] = Watcher(self._own.key, self._name, head, foul=self._tell)
            return
        try:
            self._memory = self._memory or Memory(self._file)
        except (BadInput, OSError) as error:
            self._trouble(f"the dice of {head.game} are not witnessed here: {error}")
            return
        self._games[head.game] = Witness(
            self._own, self._name, head, self._memory, send=self._send, tell=self._tell, trouble=self._trouble
        )

    def reopens(self, game: str, last: int) -> None:
        """A game is opened, maybe again, up to an entry."""
        if game in self._games:
            self._games[game].reopens(last)

    def follows_no_more(self, game: str) -> None:
        """A game is followed no more: what comes of it may have happened at any time since."""
        if game in self._games:
            self._games[game].begin_anew()
        self._glass(game).begin_anew()
        self._faces[game] = Face(hours.now_ms())

    def _glass(self, game: str) -> Hourglass:
        return self._glasses.setdefault(game, Hourglass())

    def sees_later(self, game: str) -> None:
        """A game is shown later than it is played: what comes of it may have happened at any time since we follow it.

        What is found by pings that are answered while it is shown as it is played goes on: nothing comes sooner than it is written.
        """
        if game in self._games:
            self._games[game].sees_later()

    def plays(self, game: str) -> None:
        """An order that we gave since the line came up, while we follow the game, was written down."""
        if game in self._games:
            self._games[game].plays()

    def heard_all(self, match: Match, at_ms: int) -> None:
        """A ping that was sent at some moment was answered, and all of a game that was written before is known."""
        face, glass = self._faces.setdefault(match.game, Face(hours.now_ms())), self._glass(match.game)
        glass.heard(match, self._sides(match), at_ms, face.most_ms(at_ms))
        face.heard(at_ms)
        self._tell_unchecked(match)
        if match.game in self._games:
            self._games[match.game].heard(at_ms)
            self._games[match.game].look_for_lost(match, at_ms)
            self._games[match.game].look_at_chain(match, runs=glass.runs)
        self._look_at_orders(match, at_ms)

    def gives(self, frame: protocol.Give) -> None:
        """An order is given for the first time."""
        self._unanswered.gives(frame)

    def is_answered(self, frame: protocol.Give) -> None:
        """An order was taken, or refused."""
        self._unanswered.is_answered(frame)

    def _look_at_orders(self, match: Match, at_ms: int) -> None:
        """Tell of orders that the server has had for long; who is asked for no links can't know whether one waits for some."""
        is_told = not match.witnesses.witnessed or self._name in match.witnesses.participants
        sides, runs = self._sides(match) if is_told else set(), self._glass(match.game).runs
        waited_ms = self._unanswered.heard(match, sides, at_ms, runs=runs, waits=self._asked_for(match.game))
        if waited_ms and match.table.clocks.are_kept:
            self._tell(Foul(match.game, text(UNANSWERED, seconds=waited_ms // 1000)))
        elif waited_ms:
            self._remark(UNANSWERED_FREE.format(game=match.game, minutes=waited_ms // 60_000))

    def _sides(self, match: Match) -> set[Side]:
        """Return the sides that we play, as far as is known here."""
        return match.witnesses.sides_of(self._name) if self._own and match.witnesses.key(self._name) == self._own.key else set()

    def comes(self, match: Match) -> None:
        """Something came of a game, or the server said that it is there."""
        self._glass(match.game).unchecked.passes(match, self._sides(match))
        self._tell_unchecked(match)

    def _tell_unchecked(self, match: Match) -> None:
        if self.sits(match) and (thought := self._glass(match.game).unchecked.much()) is not None:
            self._remark(UNCHECKED.format(game=match.game, others=thought.others_ms // 1000, ours=thought.ours_ms // 1000))

    def was_refused(self, answer: protocol.NotAccepted | protocol.Failed) -> None:
        """The server has not done something at a game that was asked for without an id."""
        self._namesakes.was_refused(answer.game)
        if answer.game in self._games and could_not_write(answer):
            self._games[answer.game].was_not_written()

    def asks_to_sit(self, game: str, seat: str, signature: bytes) -> None:
        """We ask for a seat of a game, by a signature."""
        self._namesakes.asks_to_sit(game)
        self._seatings.asks(game, seat, signature)

    def may_not_sit(self, game: str, signature: bytes = b"") -> None:
        """The server says that it takes nothing by which we asked for a seat of a game, or not this *signature*."""
        if signature:
            self._seatings.may_not_sit(signature)
        else:
            self._seatings.was_refused(game)

    def stand(self, game: str, now_ms: int, *, runs: bool) -> int:
        """The server says what its clock shows, and whether a game's clocks run; return what that clock shows at the least."""
        self._glass(game).stand(runs=runs)
        face = self._faces.setdefault(game, Face(hours.now_ms()))
        least_ms = face.tell(now_ms, runs=runs)
        if behind_ms := face.behind_ms(now_ms):
            self._tell(Foul(game, text(BEHIND, seconds=behind_ms // 1000)))
        return least_ms

    def waits(self, game: str) -> Pending | None:
        """Return the record for whose dice a link was asked last, as should be, None if none was."""
        return self._games[game].waits if game in self._games else None

    def _asked_for(self, game: str) -> Pending | None:
        """Return the record for whose dice a link was asked last, whatever stood against showing it, None if none was."""
        return self._games[game].asked_for if game in self._games else None

    def owes_chain(self, match: Match) -> bool:
        """Say whether our chain for a game is not known to the server, as far as is known here."""
        return match.game in self._games and self._games[match.game].owes_chain(match)

    def publish_again(self, match: Match) -> None:
        """What was sent has not come."""
        self._games[match.game].publish_again(match)

    def watch(self, match: Match, entry: Entry, *, live: bool) -> None:
        """Look at an entry before it is taken in."""
        watching = self._games.get(match.game) or self._watched.get(match.game)
        if watching is not None:
            watching.watch(match, entry, live=live)
            if isinstance(entry.act, Seat) and self._own and is_anothers(match, entry.act, self._name, self._own.key, live=live):
                self._namesakes.was_told(match.game, entry.act.key)
        if self._own is not None:
            self._seatings.watch(match, entry, self._name, self._own.key, live=live)
        if match.game in self._glasses and self._own is not None:
            self._look_at_clock(match, entry)
        if live and match.game in self._faces and (slow_ms := self._faces[match.game].count_slow_ms(match, entry)) and self.sits(match):
            self._tell(Foul(match.game, text(SLOW, seconds=slow_ms // 1000)))

    def sits(self, match: Match) -> bool:
        """Say whether we sit at a game, as far as is known here."""
        return self._own is not None and self._name in match.witnesses.seated and match.witnesses.key(self._name) == self._own.key

    def sits_anothers(self, match: Match) -> bool:
        """Say whether who sits at a game under our name is somebody else, by his key: nothing of it is ours."""
        return self._own is not None and sits_anothers(match, self._name, self._own.key)

    def _look_at_clock(self, match: Match, entry: Entry) -> None:
        """Compare the clocks at each entry, also while we only look on; who plays, or has, is told."""
        is_ours = self._own is not None and match.witnesses.key(self._name) == self._own.key
        for words, ms in zip((EXTRA, STOOD, SPARED), self._glasses[match.game].count(match, entry, self._sides(match)), strict=True):
            if ms and is_ours and (match.game, words) not in self._told:
                self._told.add((match.game, words))
                self._tell(Foul(match.game, text(words, seconds=ms // 1000)))
        days = self._glasses[match.game].ahead_ms(entry) // DAY_MS
        if days >= 1 and is_ours and (match.game, DATES) not in self._told:
            self._told.add((match.game, DATES))
            self._remark(DATES.format(game=match.game, days=days))

    def look_back(self, match: Match, *, here: bool) -> None:
        """A game is known to its end: look at what happened before it was opened; *here*: what comes from here on happens now."""
        if self._own is not None:
            self._namesakes.look(match, self._name, self._own.key, server=self._server)
            self._seatings.look_for_key(match, self._name, self._own.key)
        if self.sits(match):
            self._seatings.look(match, self._name)
        if match.game in self._games and here:
            self._games[match.game].known_to_its_end(match)
        if match.game in self._games:
            self._games[match.game].look_back(match, self._behind)
        if match.game in self._watched:
            self._watched[match.game].look_back(match, self._behind)
        if match.game in self._earlier:
            self._tell_of_rules(match)

    def _tell_of_rules(self, match: Match) -> None:
        """Tell who sits at a game that is held to less than one begun today, once, and not who has played on there already."""
        if not self.sits(match):
            return
        self._earlier.discard(match.game)
        if not any(entry.order and entry.player == self._name for entry in match.log.entries):
            more = ", and bend its dice" if match.game in self._games else ""
            why = held_to_less(self._heads[match.game], rules=match.setting.ruleset.version)[0]
            self._remark(f"{match.game}: {why}: the host of this game can do more in it unseen{more}")

    def tell_found(self) -> None:
        """Tell what was found since of what happened before games were opened."""
        for found in self._behind.found():
            if isinstance(found, Foul):
                self._tell(found)
            else:
                self._remark(str(found))

    def catch_up(self, match: Match) -> None:
        """After entries came: do what is to be done at the game as it stands."""
        witness = self._games.get(match.game)
        if witness is not None:
            early = self._early.pop(match.game, None)
            if early is not None:
                witness.answer(match, early)
            witness.catch_up(match)

    def answer(self, match: Match | None, wanted: protocol.LinkWanted) -> None:
        """Show a link, or keep the request until the game is open."""
        witness = self._games.get(wanted.game)
        if match is None or witness is None:
            self._early[wanted.game] = wanted
        else:
            witness.answer(match, wanted)

    def choose(self, match: Match, participant: str, choice: Choice) -> None:
        """Choose what shall be about the order that waits for a participant's link."""
        self._games[match.game].choose(match, participant, choice)

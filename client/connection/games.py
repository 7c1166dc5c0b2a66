"""Games followed over a line: each a `core.match.Match` grown from the server's entries; orders sent once and answered once."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from client.connection.acts import Sittings, frees_seat, signed, sits_down
from client.connection.agreed import Agreed
from client.connection.dropped import Dropped
from client.connection.due import Due
from client.connection.early import Early
from client.connection.fouls import Foul
from client.connection.held_to import HeldTo
from client.connection.identity import KnownServers
from client.connection.line import Down, GivenUp, Happening, Line, Remark, Up
from client.connection.listed import GameList
from client.connection.notes import Anew, Answered, AtTable, Grown, Note, Ready, Trouble
from client.connection.offline import why_not_now
from client.connection.packs import FindPack, Packs
from client.connection.taken_back import which_of
from client.connection.unnumbered import Unnumbered
from client.connection.unsayable import fault_of, why_unsayable
from client.connection.witness import Choice
from client.connection.witnessing import Witnessing
from client.weakly import weakly
from core import protocol
from core.errors import BadInput, Fault
from core.gamefile import VERSION_AT, GameFile, began_so, keeper_signed, open_match, write
from core.identity import Identity, PublicKey, order_message
from core.log import Entry, Seat
from core.match import Match
from core.orders import Order
from core.pack import Pack
from core.rulesets import RULESET_AT
from core.seen import SeenEntry, SeenMatch
from core.text import Text, text
from core.units import Side

WITNESSED_FILE = "witnessed.sqlite"  # beside the servers that were met
ASKED_SINCE = text("the line was cut before that was answered, and you have asked for something else since")
LONGEST = 4_000  # letters of what a server says
Asking = protocol.Give | protocol.DoAct | protocol.Say | protocol.AnswerAhead | protocol.Revoke


class Games:
    """What one client follows on one server.

    Args:
        line: a line whose listener is this object's `happen`; see `connect`.
        tell: called in the line's thread with each note.
        find_pack: returns the pack of a hash if it is here already.
        is_behind: says whether whoever is told has much to take in still: nothing more is taken from the server meanwhile.
    """

    def __init__(
        self, tell: Callable[[Note], None], find_pack: FindPack = lambda digest: None, *, is_behind: Callable[[], bool] = lambda: False
    ) -> None:
        self._tell, self._is_behind = tell, is_behind
        self._lock = threading.RLock()
        self._matches: dict[str, Match] = {}
        self._opened: dict[str, protocol.Opened] = {}
        self._packs, self._early = Packs(find_pack, weakly(self.send)), Early()
        self._wanted: set[str] = set()
        self._unopened: dict[str, int] = {}  # how often games were asked for and not opened since: what comes of them is still from before
        self._asked: dict[str, Asking] = {}
        self._list = GameList()
        self._due, self._dropped, self._unnumbered = Due(), Dropped(), Unnumbered()
        self._identity: Identity | None = None
        self._server: PublicKey = ""
        self._is_down = False  # the line has been up, or was tried, and is not
        self._sittings = Sittings()
        self._chairs: dict[str, tuple[protocol.SeatLine, ...]] = {}  # how seats stand now; none of games that we are shown as they are
        self._held: dict[str, list[protocol.Frame]] = {}  # what can't be signed before it is known how a game's seats stand
        self._spent: dict[bytes, str] = {}  # signatures of table acts, with the ids of what asked for them
        self._witnessing = Witnessing(
            weakly(self.send), tell, lambda words: tell(Trouble(words)), lambda words: tell(Trouble(words, is_remark=True))
        )
        self._agreed = Agreed(tell, lambda words: tell(Trouble(words, is_remark=True)))
        self._held_to = HeldTo(
            self._witnessing, tell, lambda words: tell(Trouble(words)), lambda words: tell(Trouble(words, is_remark=True)),
            weakly(self._ask_for), self._spent,
        )
        self.line: Line | None = None

    def connect(
        self, address: str, name: str, *, identity: Identity, known: KnownServers | None = None, suggested: str = ""
    ) -> None:
        """Open the line, as whoever *identity* is."""
        self._identity = identity
        # A player whose key is kept must not forget, from one start to the next, which dice he witnessed.
        self._witnessing.be(identity, known.file.with_name(WITNESSED_FILE) if known is not None and known.file is not None else None)
        self.line = Line(address, name, self.happen, identity=identity, known=known, suggested=suggested, is_behind=self._is_behind)
        self.line.start()

    def close(self) -> None:
        """Close the line."""
        if self.line is not None:
            self.line.close()
        self._witnessing.close()

    # ---------------------------------------------------------------- asking

    def send(self, frame: protocol.Frame) -> None:
        """Send a frame; one that asks for a table act is signed, one that frees a seat as soon as it is known how the seats stand.

        What no server could read, or is done at a table while there is no line, is told here, in the caller's thread, as the server would,
        and never sent.
        """
        if (fault := fault_of(frame)) is not None:
            if isinstance(frame, protocol.Follow):  # it would be asked for again for ever
                self._due.games.discard(frame.game)
                self._wanted.discard(frame.game)
            self._tell(Trouble(str(fault), fault))
            return
        if (why := why_not_now(frame, is_down=self._is_down)) is not None:
            self._tell(Answered(getattr(frame, "game", ""), "", "", why))
            return
        self._pass_on(frame)

    def _pass_on(self, frame: protocol.Frame) -> None:
        """Send a frame that a server can read."""
        assert self.line is not None, "send before connect"
        self._agreed.sends(frame, self._list)
        if isinstance(frame, protocol.ListGames):
            frame = self._list.asked()
        match = self._matches.get(getattr(frame, "game", ""))
        if self._identity is not None and (seat := sits_down(frame, self.line.name, match)) is not None:
            with self._lock:
                game, own_id = getattr(frame, "game", ""), getattr(frame, "order_id", "")
                signature = self._sittings.signature(self._identity, self._server, game, *seat, match, own_id)
            frame = msgspec.structs.replace(frame, signature=signature)
            self._witnessing.asks_to_sit(game, seat[1], signature)
        elif match is not None and self._identity is not None:
            with self._lock:
                chairs = self._chairs.get(match.game)
                if chairs is None and match.game in self._wanted and frees_seat(frame):
                    held = self._held.setdefault(match.game, [])
                    if frame not in held:
                        held.append(frame)
                    return
                frame = signed(frame, match, self.line.name, self._identity.sign, self._spent, chairs=chairs or ())
        with self._lock:
            if frees_seat(frame):
                self._held_to.asks_to_leave(frame)
            self._due.sends(frame, self.line.pinged)
            self._unnumbered.sends(frame, self.line.pinged, self.line.answered)
        self.line.send(frame)

    def follow(self, game: str) -> None:
        """Follow a game from what is known of it on."""
        with self._lock:
            if game not in self._wanted:
                self._witnessing.follows_no_more(game)
            self._wanted.add(game)
            frame = self._following(game)
        self.send(frame)

    def unfollow(self, game: str) -> None:
        """Follow a game no more; what is known of it stays known."""
        with self._lock:
            self._wanted.discard(game)
            self._due.games.discard(game)
            self._held_to.follows_no_more(game)
            self._send_held(game)
        self.send(protocol.Unfollow(game))

    def _ask_for(self, game: str) -> None:
        """Ask for a game from what is known of it on."""
        self.send(self._following(game))

    def _following(self, game: str) -> protocol.Follow:
        """Return what asks for a game from what is known of it on."""
        self._due.games.add(game)
        self._unopened[game] = self._unopened.get(game, 0) + 1
        match = self._matches.get(game)
        if game in self._due.anew:
            return protocol.Follow(game)
        if match is None:
            return self._following_early(game)
        last = len(match.log) - 1
        return protocol.Follow(game, last, match.viewer, match.hash_of(last) if last >= 0 else b"")

    def _following_early(self, game: str) -> protocol.Follow:
        """Return what asks for a game whose pack is not here yet, from what was kept of it on.

        Over a line that is cut often it would never come otherwise.
        """
        last = self._early.last(game)
        if last is None or game not in self._opened:
            return protocol.Follow(game)
        return protocol.Follow(game, last.number, self._opened[game].viewer, _true_hash(last))

    def give(self, game: str, side: Side, order: Order) -> str:
        """Send an order made at what is known now; return its id."""
        with self._lock:
            match = self._matches[game]
            order_id = secrets.token_hex(8)
            frame = self._signed(protocol.Give(game, side, order_id, match.log.moved_at, match.codec.encode(order)), match)
        return self.ask(frame)

    def _signed(self, frame: protocol.Give, match: Match) -> protocol.Give:
        """Sign an order as one for this very moment of the game."""
        message = order_message(frame.game, frame.side, frame.seq, match.hash_of(frame.seq), frame.order)
        return msgspec.structs.replace(frame, signature=self.sign(message))

    def ask(self, frame: Asking) -> str:
        """Send a frame that is answered, again after a silence until it is; return its id.

        What no server could read, or is no order while there is no line, is refused here, in the caller's thread, and never sent.
        """
        with self._lock:
            if (why := why_unsayable(frame) or why_not_now(frame, is_down=self._is_down)) is not None:
                self._tell(Answered(frame.game, frame.order_id, "", why))
                return frame.order_id
            self._asked[frame.order_id] = frame
            self._held_to.asks(frame)
        self._pass_on(frame)
        return frame.order_id

    def sign(self, message: bytes) -> bytes:
        """Sign a message as whoever connected."""
        assert self._identity is not None, "a signature before connect"
        return self._identity.sign(message)

    def choose(self, game: str, participant: str, choice: Choice) -> None:
        """Choose what shall be, as a participant's link stays away from the order that waits; Refused if none does."""
        with self._lock:
            self._witnessing.choose(self._matches[game], participant, choice)

    def match(self, game: str) -> Match | None:
        """Return a followed game, None until it is open; read it under `reading`, or in the line's thread."""
        return self._matches.get(game)

    def is_set_up(self, game: str) -> bool:
        """Say whether a followed game has begun: a set-up that could not be written yet, or waits for its dice, is none."""
        with self._lock:
            return any(entry.act is None for entry in self._matches[game].log.entries)

    def sits_anothers(self, match: Match) -> bool:
        """Say whether who sits at a game under our name is somebody else, by his key: nothing of it is ours."""
        return self._witnessing.sits_anothers(match)

    def pack(self, game: str) -> Pack:
        """Return the pack of a followed game that is open."""
        return self._packs.of(self._opened[game].pack)

    def reading(self) -> threading.RLock:
        """Return the lock under which matches change."""
        return self._lock

    def file(self, game: str) -> bytes:
        """Return a followed game as a game file."""
        with self._lock:
            opened = self._opened[game]
            match = self._matches[game]
            return write(msgspec.structs.replace(opened.head, viewer=match.viewer), self._packs.of(opened.pack).files, match.log)

    # ---------------------------------------------------------------- hearing

    def happen(self, what: Happening) -> None:
        """Take in what the line tells, in its thread."""
        with self._lock:
            self._witnessing.tell_found()
            HAPPENS[type(what)](self, what)
            games = self._wanted if isinstance(what, protocol.Pong) else {getattr(what, "game", "")} & self._wanted
            for match in [self._matches[game] for game in games if game in self._matches]:
                self._held_to.comes(match)

    def _come_up(self, up: Up) -> None:
        self._is_down, self._server = False, up.server
        self._due.begin_anew()
        self._unnumbered.begin_anew()
        self._held_to.line_is_up(self._asked)
        self._witnessing.known_as(up.name, server=up.server, silent_since_ms=up.heard_ms)
        self._again()
        self._tell(up)

    def _go_down(self, down: Down) -> None:
        self._is_down = True
        self._tell(down)

    def _end(self, given_up: GivenUp) -> None:
        self._is_down = True
        self._tell(Answered("", "", "", _cut(given_up.words), ends_line=True))

    def _note_answers(self, answers: protocol.Answers) -> None:
        self._held_to.tells_kept(answers)
        self._tell(answers)

    def _tell_of(self, what: AtTable | protocol.Invite | protocol.Status) -> None:
        """Tell what needs no more than that."""
        self._tell(what)

    def _note_list(self, games: protocol.Games) -> None:
        if (listed := self._list.take(games)) is not None:
            self._tell(listed)

    def _note_pong(self, pong: protocol.Pong) -> None:
        if not pong.is_busy:
            self._ask_for_lost(pong)

    def _show_link(self, wanted: protocol.LinkWanted) -> None:
        if wanted.game in self._wanted:
            self._witnessing.answer(self._matches.get(wanted.game), wanted)

    def _leave_to_line(self, what: protocol.Welcome | protocol.WhoAreYou) -> None:
        """Do nothing: the line has."""

    def _take_new(self, new: protocol.NewEntries) -> None:
        self._take_entries(new.game, "", new.entries)

    def _take_seen(self, seen: protocol.SeenEntries) -> None:
        self._take_entries(seen.game, seen.viewer, seen.entries)

    def _refuse(self, refused: protocol.NotAccepted) -> None:
        """Take in that something was refused that we asked for."""
        game = self._not_done(refused.order_id, refused.text) or refused.game
        self._no_game(refused)
        if refused.text.template == protocol.ACT_NOT_SIGNED:
            self._sittings.forget(refused.game)
            self._witnessing.may_not_sit(refused.game)
        self._tell(Answered(game, refused.order_id, refused.rule, _cut(refused.text)))

    def _not_done(self, order_id: str, why: Text) -> str:
        """Take note that something is said not to be done that we asked for; return of which game that was, whatever is said."""
        if (asked := self._asked.pop(order_id, None)) is None:
            return ""
        match, is_known = self._matches.get(asked.game), asked.game in self._wanted - self._due.games
        self._held_to.refused(asked, asked.game, why, match, is_known=is_known)
        self._may_not_sit(asked.game, self._sittings.of_id(order_id))
        return asked.game

    def _may_not_sit(self, game: str, signature: bytes) -> None:
        """Take note that a seat is refused that was asked for by a signature, if by one, and by no other asking that has no answer yet."""
        if signature and all(self._sittings.of_id(order_id) != signature for order_id in self._asked):
            self._witnessing.may_not_sit(game, signature)

    def _accept(self, accepted: protocol.Accepted) -> None:
        """Take in that something was done that we asked for, of whichever game that was."""
        asked = self._asked.pop(accepted.order_id, None)
        game = accepted.game if asked is None else asked.game
        match = self._matches.get(game) if game in self._wanted else None
        self._held_to.accepted(asked, accepted.number, match, is_behind=game in self._due.games)
        self._tell(Answered(game, accepted.order_id, "", None))

    def _note_waiting(self, waiting: protocol.Waiting) -> None:
        """Tell whom a game waits for, and keep how its seats stand now, which is told to who is shown the game later."""
        if waiting.game in self._wanted:
            is_now = not waiting.chairs or any(self._is_mine(chair.player) for chair in waiting.chairs)
            chairs = () if is_now else waiting.chairs  # else a window would show clocks as they stood at the last entry
            self._note_chairs(waiting.game, chairs)
            self._note_sight(waiting.game, is_now=is_now, is_told=True)
            now_ms = self._witnessing.stand(waiting.game, waiting.now_ms, runs=waiting.runs)
            waiting = msgspec.structs.replace(waiting, now_ms=now_ms, chairs=chairs)
        self._tell(waiting)

    def _note_sight(self, game: str, *, is_now: bool, is_told: bool) -> None:
        """Note whether a game is shown to us as it is played; *is_told*: the server says so."""
        match = self._matches.get(game)
        self._held_to.sees(game, is_now=is_now, match=match if is_told and match is not None and not match.viewer else None)
        if is_now and game in self._matches:
            self._look_back(game)

    def _note_chairs(self, game: str, chairs: tuple[protocol.SeatLine, ...]) -> None:
        self._chairs[game] = chairs
        self._send_held(game)

    def _send_held(self, game: str) -> None:
        for frame in self._held.pop(game, ()):
            self._pass_on(frame)

    def _fail(self, failed: protocol.Failed) -> None:
        fault = Fault(failed.where or "frame", failed.expected, failed.got)
        unknown = failed.game if failed.where == protocol.NO_GAME else ""
        self._no_game(failed)
        self._tell(Trouble(str(fault), fault, failed.where == protocol.SERVER, unknown))
        if failed.order_id in self._asked:
            # A fault of the server's own may have come when it was half-way.
            why = text(protocol.NOT_WRITTEN, why=failed.got) if failed.where == protocol.SERVER else Text(failed.got)
            game = self._not_done(failed.order_id, why)
            refused = Text("the server could not take the order: {why}", {"why": failed.got})
            self._tell(Answered(game, failed.order_id, "", refused))

    def _again(self) -> None:
        """After a silence: follow what was followed, and send again the orders whose answer is not known."""
        self._unopened.clear()
        self._held.clear()  # what is to be sent again is asked for
        for game in sorted(self._wanted):
            self._ask_for(game)
        for order_id in list(self._asked):
            self._ask_again(order_id)

    def _ask_again(self, order_id: str) -> None:
        """Send again what has no answer; but of what was asked about one answer ahead only the last.

        What was refused, as in a pause, could be kept now, though it was taken back since: that is done, and nothing is done twice.
        """
        frame = self._asked[order_id]
        if isinstance(frame, protocol.AnswerAhead | protocol.Revoke):
            ahead = (one for one in self._asked.values() if isinstance(one, protocol.AnswerAhead | protocol.Revoke))
            if frame is not [one for one in ahead if which_of(one) == which_of(frame)][-1]:
                del self._asked[order_id]
                self._held_to.gives_up(frame)
                self._tell(Answered(frame.game, order_id, "", ASKED_SINCE))
                return
        self._pass_on(frame)

    def _no_game(self, answer: protocol.NotAccepted | protocol.Failed) -> None:
        """A game that was asked for does not come, or something else that is asked for without an id, such as a chain; the reason is told.

        What is refused by other words than those that keep a game away is not the game: where that was lost it is asked for again.
        """
        if answer.order_id:
            return
        why = answer.text.template if isinstance(answer, protocol.NotAccepted) else ""
        self._due.was_refused(answer.game, why=why)
        self._witnessing.was_refused(answer)
        self._agreed.was_refused(answer.game, why=why)
        for asked in self._unnumbered.refused(answer.game, why, answered=0 if self.line is None else self.line.answered):
            if isinstance(asked, protocol.TakeSeat):
                self._may_not_sit(answer.game, asked.signature)
        if isinstance(answer, protocol.Failed) or why in (protocol.CLOSED, protocol.FOLLOWS_MANY):
            self._due.games.discard(answer.game)
            self._count_answer(answer.game)

    def _count_answer(self, game: str) -> None:
        """Note that an asking for a game was answered."""
        if game in self._unopened:
            self._unopened[game] = max(self._unopened[game] - 1, 0)

    def _ask_for_lost(self, pong: protocol.Pong) -> None:
        """Ask again for what should have come by now."""
        for game in self._held_to.untold(self._wanted & self._opened.keys()):  # it was lost, or is told by no server of before
            self._note_sight(game, is_now=True, is_told=False)
        for game in list(self._held):  # how its seats stand was lost, or is told by no server of before
            self._note_chairs(game, ())
        for game in self._wanted & self._opened.keys() & self._matches.keys() & pong.last.keys():
            self._believe_last(game, pong.last[game])
        lacking = self._due.lacking(pong, self._matches, self._wanted)
        for game in self._due.withheld():
            self._tell(Foul(game, text("the server says that it has sent more of this game, and does not: when it writes is not known")))
        if self.line is None:
            return
        for game in self._wanted & self._matches.keys():
            self._held_to.heard(self._matches[game], self.line.heard_ms, is_known=game not in lacking)
        owed = {f"chain {game}": match for game, match in self._matches.items() if self._witnessing.owes_chain(match)}
        lost = self._due.lost((*lacking, *self._asked, *owed), self.line.answered)
        for game in sorted(lost & lacking):
            self._unopened.pop(game, None)
            self._ask_for(game)
        for name in sorted(lost & owed.keys()):
            self._witnessing.publish_again(owed[name])
        for order_id in sorted(lost & self._asked.keys()):
            self._ask_again(order_id)

    def _believe_last(self, game: str, last: int) -> None:
        """Take note which entry the server says that it sent last; as it opened the game it may have told of more than there is."""
        opened = self._opened[game]
        if opened.last > last:
            self._opened[game] = msgspec.structs.replace(opened, last=last)
            self._ready(game)

    def _open(self, opened: protocol.Opened) -> None:
        self._count_answer(opened.game)
        if opened.game not in self._wanted:
            return  # followed no more by now, or never
        before = self._opened.get(opened.game)
        if before is not None and (before.head, before.pack) != (opened.head, opened.pack):
            opened = msgspec.structs.replace(opened, another=True)
        if before is not None and (before.viewer != opened.viewer or opened.another or opened.game in self._due.anew):
            self._drop(opened)
        self._opened[opened.game] = opened
        self._chairs.pop(opened.game, None)  # whoever sits down or leaves is shown it otherwise from here on; behind it he is told
        self._held_to.opens(opened.game, opened.last)
        if opened.game in self._matches:
            self._witnessing.catch_up(self._matches[opened.game])
            self._ready(opened.game)
            return
        if (pack := self._packs.find(opened.pack)) is None:
            self._packs.ask_for(opened.pack, {one.pack for game, one in self._opened.items() if game not in self._matches})
        else:
            self._begin(opened, pack)

    def _drop(self, opened: protocol.Opened) -> None:
        """Know nothing of a game any more, as it comes from its beginning."""
        self._early.pop(opened.game)
        self._due.anew.discard(opened.game)
        match = self._matches.pop(opened.game, None)
        self._held_to.comes_anew(opened.game, another=match is not None and (opened.another or bool(match.viewer)))
        if match is None:
            return
        if opened.another:
            self._tell_another(opened.game)
        else:
            self._dropped.drop(match)
        self._tell(Anew(opened.game, opened.viewer))

    def _tell_another(self, game: str) -> None:
        self._dropped.forget(game)
        self._tell(Trouble(f"{game}: the server's game is another than it was: it went on from a backup, or was changed"))

    def _begin(self, opened: protocol.Opened, pack: Pack) -> None:
        self._packs.keep(opened.pack, pack, {one.pack for one in self._opened.values()})
        try:
            if opened.head.game != opened.game:  # what is signed at it would hold for that other game
                raise BadInput.one(f"{opened.game}: head: game", "the game that was asked for", opened.head.game)
            file = GameFile(msgspec.structs.replace(opened.head, viewer=opened.viewer), pack.files, (), None)
            made = open_match(file, clock=lambda: 0, pack=pack, boards=self._packs.boards)
            if not keeper_signed(opened.head):
                raise BadInput.one(f"{opened.game}: head: keeper", "its server's signature of terms and dice chain", "none that fits")
            if opened.viewer and not made.setting.ruleset.secrets:  # nothing of a game that is told in part can be checked
                raise BadInput.one(f"{opened.game}: viewer", "all of it, as its rules hide nothing", opened.viewer)
        except BadInput as error:
            self._due.stuck.add(opened.game)
            is_newer = any(fault.where in (RULESET_AT, VERSION_AT) for fault in error.faults)
            words = "this game needs a newer version of this program: its rules have changed since yours"
            self._tell(Trouble(f"{opened.game}: {words}" if is_newer else str(error), error.faults[0], is_newer=is_newer))
            return
        if opened.viewer:
            self._sittings.forget(opened.game)
        self._matches[opened.game] = made
        self._held_to.begins(made, opened.last)
        self._witnessing.begin(opened.head, made)
        self._agreed.comes(opened.head, pack.manifest, self.line.name if self.line is not None else "")
        self._take_entries(opened.game, opened.viewer, self._early.pop(opened.game))
        self._ready(opened.game)

    def _take_part(self, part: protocol.PackPart) -> None:
        """Take in a piece of a pack; once it is here the games begin that wait for it."""
        came = self._packs.take(part)
        waiting = [opened for game, opened in self._opened.items() if opened.pack == part.pack and game not in self._matches]
        if isinstance(came, Pack):
            for opened in waiting:
                self._begin(opened, came)
        elif came is not None:
            if came.for_good:
                self._due.stuck.update(opened.game for opened in waiting)
            self._tell(Trouble(came.why))

    def _take_entries(self, game: str, viewer: Side, entries: Sequence[Entry | SeenEntry]) -> None:
        match = self._matches.get(game)
        if game not in self._opened or viewer != self._opened[game].viewer or game in self._due.stuck:
            return  # from before the game began anew for another viewer, or never asked for, or nothing follows what is known of it
        if match is None:
            if not self._early.keep(game, entries):
                self._due.stuck.add(game)
                self._tell(Trouble(f"{game} does not end, and its pack does not come; it was given up"))
            return
        new: list[Entry] = []
        for entry in entries:
            if entry.number < len(match.log):
                if _true_hash(entry) == match.hash_of(entry.number):
                    continue  # sent twice
                self._due.stuck.add(game)
                self._tell(Trouble(f"entry {entry.number} of {game} is another one than the server told before"))
                break
            if entry.number > len(match.log):
                self._ask_for(game)
                break
            try:
                new.append(self._take_one(match, entry))
                if isinstance(entry.act, Seat) and entry.number > self._opened[game].last and self._is_mine(entry.act.player):
                    self._note_chairs(game, ())  # who has just sat down is shown the game as it is; so Waiting will say, too
            except Exception as error:  # the border: whatever a server makes up, the line goes on
                self._due.stuck.add(game)
                self._tell(Trouble(f"entry {entry.number} of {game} does not follow: {str(error) or type(error).__name__}"))
                break
        if new:
            self._tell(Grown(game, tuple(new)))
            self._witnessing.catch_up(match)
            self._ready(game)

    def _is_mine(self, name: str) -> bool:
        return self.line is not None and name == self.line.name

    def _take_one(self, match: Match, entry: Entry | SeenEntry) -> Entry:
        """Add an entry to a match; return it as the match has it."""
        if isinstance(entry, SeenEntry):
            assert isinstance(match, SeenMatch), "a viewer's entry for a game that lies open"
            taken = match.take(entry)
            self._held_to.sees_entry(match.game, entry)
            return taken
        if entry.number == 0 and not began_so(entry, self._opened[match.game].head):
            raise ValueError("it was written under other terms than the server tells now")
        self._held_to.watch(match, entry)
        match.accept_foreign(entry)
        return entry

    def _is_ready(self, game: str) -> bool:
        return len(self._matches[game].log) - 1 >= self._opened[game].last

    def _look_back(self, game: str) -> None:
        """Look at what has come of a game that is known to its end."""
        here = game in self._wanted and not self._unopened.get(game) and self._held_to.is_now(game)
        if self._is_ready(game) and self._dropped.is_another(self._matches[game], is_all=here):
            self._tell_another(game)
        if self._is_ready(game):
            self._witnessing.look_back(self._matches[game], here=here)

    def _is_sound(self, match: Match) -> bool:
        """Say whether a game can be shown as it has come; what came before it was opened is folded here for the first time."""
        try:
            match.view, match.table  # noqa: B018  both are made here
        except Exception as error:  # the border: whatever a server makes up, the line goes on
            if match.game not in self._due.stuck:
                self._due.stuck.add(match.game)
                self._tell(Trouble(f"what has come of {match.game} does not follow: {type(error).__name__}: {error}"))
            return False
        return True

    def _ready(self, game: str) -> None:
        if not self._is_ready(game):
            return
        match = self._matches[game]
        if not self._is_sound(match):
            return
        self._held_to.known_to_its_end(match)
        if not self._unopened.get(game):  # else what came is still from before it was asked for last
            self._due.games.discard(game)
        self._look_back(game)
        self._tell(Ready(game))


HAPPENS: dict[type, Callable[[Games, Any], None]] = {
    Up: Games._come_up,
    Down: Games._go_down,
    Remark: lambda games, remark: games._tell(Trouble(remark.text, is_remark=True)),
    GivenUp: Games._end,
    protocol.Opened: Games._open,
    protocol.PackPart: Games._take_part,
    protocol.NewEntries: Games._take_new,
    protocol.SeenEntries: Games._take_seen,
    protocol.Accepted: Games._accept,
    protocol.NotAccepted: Games._refuse,
    protocol.Failed: Games._fail,
    protocol.Pong: Games._note_pong,
    protocol.LinkWanted: Games._show_link,
    protocol.Waiting: Games._note_waiting,
    protocol.Games: Games._note_list,
    protocol.Welcome: Games._leave_to_line,
    protocol.WhoAreYou: Games._leave_to_line,
    protocol.Answers: Games._note_answers,
    **dict.fromkeys((protocol.Present, protocol.Chat, protocol.Invite, protocol.Status), Games._tell_of),
}


def _true_hash(entry: Entry | SeenEntry) -> bytes:
    """Return the hash of an entry of the server's log, also of one that a viewer is told in part."""
    return entry.commitment if isinstance(entry, SeenEntry) else entry.hash


def _cut(words: Text) -> Text:
    """Return words that fit a screen, whatever a server made up."""
    return words if len(whole := str(words)) <= LONGEST else Text(whole[:LONGEST] + " …")

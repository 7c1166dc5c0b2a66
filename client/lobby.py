"""The lobby: the door to the servers, and behind it the hall of the one that was joined, with its games and its chat."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

import msgspec

from client.connection import table
from client.connection.fouls import Foul
from client.connection.left_out import LeftOut
from client.connection.line import Up
from client.connection.notes import Anew, Answered, Grown, Note, Ready
from client.map.palette import LIGHT, Palette
from client.meeting import lastgame
from client.meeting.growing import Growing
from client.meeting.hall import Hall
from client.meeting.joining import SHUT_OUT, Joining
from client.meeting.lastgame import LastGame
from client.qt import QSettings, QTimer, Signal
from client.session.remote import RemoteMatch
from client.session.saved import clock
from client.weakly import weakly
from client.words import NO_NAME, name_among, next_name, sentence
from core import protocol
from core.address import parse
from core.errors import BadInput, Refused
from core.pack import Pack, apart
from core.text import Text, shortened
from core.units import Side

ASK_AGAIN_MS = 4000


class Lobby(Joining):
    """The games of the server that was joined, and the one of them that is shown.

    Signals:
        match_opened(object): a `RemoteMatch` to be shown.
        match_grown(): the shown match has new entries.
        match_anew(): the shown match begins anew, as another viewer sees it.
        match_told(): something was told of the shown match's table, and not of the game.
        match_caught_up(): the shown match is known up to the server's last entry.
        answered(object): an `Answered` of the shown match.
        fouled(str): the server did what an honest one does not do; it stays on the screen until it is read.
        left_out(str, str): something was decided without us, as a dice link stayed away; it stays as well. Words, and what kind of thing.
        others_known(): the server has told who is connected.
    """

    match_opened = Signal(object)
    match_grown = Signal()
    match_anew = Signal()
    match_told = Signal()
    match_caught_up = Signal()
    answered = Signal(object)
    fouled = Signal(str)
    left_out = Signal(str, str)
    others_known = Signal()

    def __init__(self, packs: Sequence[Pack], settings: QSettings, *, keys: Path | None = None, palette: Palette = LIGHT) -> None:
        super().__init__(packs, settings, keys=keys, palette=palette)
        self._growing = Growing(self, weakly(self._take_entries))
        self._anew = self._wanted = self._creating = ""
        self._again: tuple[tuple[Side, str], ...] = ()  # seats to be taken at the game that is being begun
        self._here: frozenset[str] | None = None  # who is connected, None while the server has not told us
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._ask)

    def _wire_hall(self, hall: Hall) -> None:
        hall.seat_wanted.connect(self.take)
        hall.watch_wanted.connect(self.follow)
        hall.left.connect(self._disconnect)
        hall.retry_wanted.connect(self._hurry)
        hall.told.connect(self.said)
        hall.told_enough.connect(self.said_enough)
        hall.new.begin_wanted.connect(self.begin_game)
        hall.people.send_wanted.connect(self._send)
        hall.people.end_wanted.connect(self._end_server)
        hall.chat.say_wanted.connect(self._say)
        hall.tabs["people"].clicked.connect(self._ask)

    # ---------------------------------------------------------------- the line

    def close_line(self) -> None:
        """Leave the server, and the game of it that is shown."""
        self._timer.stop()
        super().close_line()
        self._forget_ended()
        self._leave_match()
        self._wanted = self._creating = ""
        self._here = None

    def come_back(self) -> None:
        """Show the hall again after a game, if there is a line."""
        if self.link is not None:
            if self.match is not None:
                self.link.games.unfollow(self.match.game)
            self._want("")
            self._forget_ended()
            self._leave_match()
            self.hall.sort_anew()
            self._ask()
            self._timer.start(ASK_AGAIN_MS)

    def _leave_match(self) -> None:
        self._growing.forget()
        self.match, self._again = None, ()

    def _ask(self) -> None:
        if self._is_up:
            self._send(protocol.ListGames())
            if self.hall.tab == "people":
                self._send(protocol.AskStatus())
            else:
                self.ask_who_is_here()

    def ask_who_is_here(self) -> None:
        """Ask the server that runs beside this window who is connected: whoever ends it shall know."""
        if self._is_up and self.hosting.runs and self._place.is_here and self.role == protocol.OWNER:
            self._send(protocol.AskStatus())

    def _up(self, note: Up) -> None:
        super()._up(note)
        if self.match is None:
            self._timer.start(ASK_AGAIN_MS)
        self._ask()
        self._send(protocol.ReadChat(""))

    def _tell_fault(self, words: str) -> None:
        if self._creating:
            self._creating = ""
            self.hall.new.tell_fault(words)
        else:
            super()._tell_fault(words)

    # ---------------------------------------------------------------- what comes

    def _hear(self, note: Note) -> None:
        if self.link is None:
            return
        match note:
            case protocol.Games():
                self._show(note.games)
            case Ready() if note.game == self._wanted:
                self._open(note.game)
            case Answered(refused=Text(protocol.CLOSED)) if note.game == self._wanted:
                self._want("")  # it would come to the front when it ends, over whatever is done then
                self._hear_of_match(note)
            case protocol.Invite():
                self.hall.people.show_invite(note)
            case protocol.Status():
                self.hall.people.show_status(note)
                self._here = frozenset(member.name for member in note.members if member.lines)
                self.others_known.emit()
            case protocol.Chat(game=""):
                if self.talk.take(note):
                    self.hall.chat.show_lines(self.talk.lines)
            case Answered(game="", order_id=protocol.ENDED, refused=None):
                self._server_was_ended()
            case Answered(game="") if self._chat_answered(note):
                return
            case Foul():
                self.fouled.emit(self.tr("{game}: {what}").format(game=self.hall.name_of(note.game), what=note))
            case LeftOut():
                words = sentence(Refused("", note.text), self.hall.titles_of(note.game))
                self.left_out.emit(self.tr("{game}: {what}").format(game=self.hall.name_of(note.game), what=words), note.kind)
            case _:
                self._hear_of_match(note)

    def _hear_of_match(self, note: Note) -> None:
        """Take in what comes about the game that is shown, and answers; the rest is about the line."""
        shown = self.match
        match note:
            case Anew():
                self._anew = note.game
            case Ready() if shown is not None and note.game == self._anew == shown.game:
                self._anew = ""
                self._growing.forget()
                shown.begin_anew()
                self.match_anew.emit()
                self.match_caught_up.emit()
            case Ready() if shown is not None and note.game == shown.game:
                self.match_caught_up.emit()
            case Grown() if shown is not None and note.game == shown.game != self._anew:
                self._growing.take(note, at_once=shown.may_act or shown.awaits_answer)
            case protocol.Waiting() | protocol.Present() | protocol.Chat() | protocol.Answers() if shown is not None:
                if shown.talk.take(note):
                    self.match_told.emit()
                if isinstance(note, protocol.Chat) and self._timer.isActive():
                    self._ask()  # it may tell of another game
            case Answered(game="", order_id="", refused=Text() as why) if note.ends_line or SHUT_OUT in why.template:
                super()._hear(note)
            case Answered() if shown is not None:
                self._growing.flush()
                shown.take_answer(note)
                self.answered.emit(note)
            case _:
                super()._hear(note)

    def _take_entries(self, grown: Grown) -> None:
        if self.match is not None and self.match.take_entries(grown):
            self._ask_for_another()
            self.match_grown.emit()

    def _ask_for_another(self) -> None:
        """Ask for the server's games where the one that is shown is over: somebody of its table may begin another one."""
        if self.match is None or self.match.match.outcome is None:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start(ASK_AGAIN_MS)

    def _chat_answered(self, note: Answered) -> bool:
        why = "" if note.refused is None else sentence(Refused(note.rule, note.refused), {})
        return self.hall.chat.answered(note.order_id, why)

    # ---------------------------------------------------------------- games

    def _show(self, games: tuple[protocol.GameLine, ...]) -> None:
        if self._creating and any(line.game == self._creating for line in games):
            begun, self._creating = self._creating, ""
            self.hall.new.begin_anew()
            self.hall.show_tab("games")
            self._ask()
            self._sit_down_again(begun)
        if self._goal is not None and self._is_up:
            self._open_goal(self._goal, games)
        if self.match is not None and self.match.see_games(games):
            self.match_told.emit()
        if len(games) == 1:
            self.hall.add_game(games[0], clock())  # the answer to `create`, or a server with one game
        else:
            self.hall.show_games(games, clock())

    def go_on(self, last: LastGame) -> None:
        """Go on with a game of a server: of one that runs, or of our own, which is started if it does not."""
        if last.own and not self.hosting.link:
            self.host()
        else:
            self.join(last.link)
        self._goal = last

    def _open_goal(self, goal: LastGame, games: tuple[protocol.GameLine, ...]) -> None:
        """Open the game that shall be gone on with; where another server was joined meanwhile it is gone on with later."""
        self._goal = None
        if not self._is_at(goal):
            return
        if any(line.game == goal.game for line in games):
            self.follow(goal.game)
            return
        lastgame.forget(self.settings)
        self._tell_fault(self.tr("The game that you played last is not on this server any more"))

    def _is_at(self, last: LastGame) -> bool:
        """Say whether the server that we have joined is the one of a game that was played before."""
        there, here = parse("server", last.link), self._place
        is_ours = self._is_own or (bool(self.hosting.link) and here.is_here)
        return there.place == here.place or (there.key != "" and there.key == here.key) or (last.own and is_ours)

    def _forget_ended(self) -> None:
        """Offer a game that is over no more."""
        if self.match is not None and self.match.match.outcome is not None:
            lastgame.forget(self.settings)

    def _open(self, game: str) -> None:
        assert self.link is not None, "a game is open on a line"
        if not self.link.games.is_set_up(game):
            self._tell_fault(self.tr("This game is not set up yet; it opens here as soon as it is"))
            return
        self._wanted = ""
        try:
            self.match = RemoteMatch(self.link.games, game, self.link.name, role=self.role)
        except BadInput as error:
            self._tell_fault(str(error))
            return
        self._ask_for_another()
        place = msgspec.structs.replace(self._place, invite="")
        lastgame.remember(self.settings, LastGame(place.link, game, self.match.title, own=place.is_here))
        self.match_opened.emit(self.match)
        self._remark_pack(self.match.pack)

    def _remark_pack(self, played: Pack) -> None:
        """Say in which files a game's pack is not the one of these rules that is here: charts or counters may be the host's own."""
        here = next((pack for pack in self.packs if pack.manifest.ruleset == played.manifest.ruleset), played)
        if differ := apart(played.files, here.files):
            self.said.emit(self.tr("This game is played with other files than yours: {files}").format(files=shortened(differ, most=4)))

    def take(self, game: str, side: Side, seat: str = "") -> None:
        """Take a seat and follow the game."""
        self._send(protocol.TakeSeat(game, side, seat))
        self.follow(game)

    def follow(self, game: str) -> None:
        """Open a game."""
        assert self.link is not None, "a list comes over a line"
        self._want(game)
        self.link.games.follow(game)

    def _want(self, game: str) -> None:
        """Wait for a game to be opened, or for none, and no more for the one that has not come: nobody looks on at it."""
        before, self._wanted = self._wanted, game
        if before not in ("", game) and self.link is not None:
            self.link.games.unfollow(before)

    def begin_game(self) -> str:
        """Begin the game that is filled in on the server; return its id, empty if that can't be."""
        chosen = self.new.currentData()
        if self.link is None or chosen is None:
            return ""
        form = self.hall.new
        form.tell_fault("")
        try:
            if not form.clock.has_time():
                return ""
            terms, name = form.terms(), form.name()
        except BadInput as error:
            form.tell_fault("\n".join(str(fault) for fault in error.faults))
            return ""
        ruleset, scenario = chosen
        game = f"{scenario}-{name or secrets.token_hex(3)}"
        if any(line.game == game for line in self.hall.lines):
            form.tell_fault(self.tr("There is a game of this name here already"))
            return ""
        self._creating = game
        self._send(protocol.CreateGame(game, ruleset, scenario, form.chosen_options(), terms))
        self._ask()
        return game

    def play_again(self, *, swapped: bool) -> None:
        """Begin a game on the terms of the one that is shown, sit down at it as there, or at the other side, and tell the others."""
        shown = self.match
        if self.link is None or shown is None or not self._is_up:
            self.said.emit(self.tr("There is no line to the server now."))
            return
        setting, mine = shown.setting, [chair for chair in shown.match.table.chairs.values() if chair.player == self.link.name]
        if not mine:  # a referee has freed it, or it was left, since that was offered
            self.said.emit(self.tr("You hold no seat of this game any more."))
            return
        if not self._again:  # else it is asked for once more what is under way, and the server begins it once
            self._creating = self._name_again(shown)
        self._again = tuple((chair.side, chair.name) for chair in mine)
        if swapped:
            other = next(side for side in setting.sides if side != mine[0].side)
            self._again = ((other, shown.match.table.first_seat(other).name),)
        terms = msgspec.structs.replace(shown.match.terms, owner="")
        self._send(protocol.CreateGame(self._creating, shown.manifest.ruleset, setting.scenario.id, dict(setting.options), terms))
        self.said.emit(self._sets_up())
        self._ask()

    def _sets_up(self) -> str:
        return self.tr("Setting up another game …")

    def _name_again(self, shown: RemoteMatch) -> str:
        """Return the id of a game after another one: named as that, with the next number that is free; or by letters alone, as that."""
        scenario = shown.setting.scenario.id
        name = name_among(shown.game, scenario)
        taken = {name_among(line.game, scenario) for line in self.hall.lines} | {name}
        return f"{scenario}-{secrets.token_hex(3) if NO_NAME.fullmatch(name) else next_name(name, taken)}"

    def _sit_down_again(self, game: str) -> None:
        """Go from the game that is over to the one that was begun after it."""
        seats, self._again = self._again, ()
        self.said_enough.emit(self._sets_up())
        shown = self.match
        if not seats or shown is None or self.link is None:
            return
        words = self.tr("Here is another game on the same terms: {name}, in the lobby")
        shown.say(words.format(name=name_among(game, shown.setting.scenario.id)))
        for side, seat in seats[1:]:
            self._send(protocol.TakeSeat(game, side, seat))
        self.go_over(game, *seats[0])

    def go_over(self, game: str, side: Side, seat: str) -> None:
        """Go from the game that is over to a seat of another one."""
        if self.link is None or self.match is None:
            return
        self.link.games.unfollow(self.match.game)
        self._forget_ended()
        self._leave_match()
        self.take(game, side, seat)

    def _say(self, room: str, words: str) -> None:
        if self.link is not None and self._is_up:
            self.hall.chat.sent(table.say(self.link.games, "", room, words))
        else:
            self.hall.chat.tell_fault(self.tr("There is no line to the server now."))

    def others_here(self) -> tuple[str, ...] | None:
        """Return who else is connected: all of them where the server tells us, else who sits at its games or looks on at ours.

        None without a line: nobody can tell.
        """
        if self.link is None:
            return None
        here = self._here
        if here is None:
            lines = self._hall.lines if self._hall is not None else ()
            here = frozenset(chair.player for line in lines for chair in line.chairs if chair.online)
        around = {person.name for person in self.match.talk.people if person.here} if self.match is not None else set()
        return tuple(sorted((here | around) - {self.link.name, ""}, key=str.casefold))

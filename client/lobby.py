"""The lobby: the door to the servers, and behind it the hall of the one that was joined; the line to it, and what comes over it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from client.connection import table
from client.connection.fouls import Foul
from client.connection.games import Anew, Answered, Grown, Note, Ready, Trouble
from client.connection.identity import CHANGED, KEY_FILE, SERVERS_FILE, KnownServers, identity_in, user_folder
from client.connection.line import Down, Up
from client.link import Link
from client.map.palette import LIGHT, Palette
from client.meeting import lastgame
from client.meeting.around import Around
from client.meeting.door import Door
from client.meeting.growing import Growing
from client.meeting.hall import Hall
from client.meeting.hosting import Hosting
from client.meeting.lastgame import LastGame
from client.panels.widgets import Chooser
from client.qt import QSettings, QTimer, Signal
from client.scale import px
from client.session.remote import RemoteMatch
from client.session.talk import TableTalk
from client.words import capital, cite
from core import protocol
from core.address import Place, parse
from core.errors import BadInput, Refused
from core.identity import fingerprint
from core.pack import Pack
from core.units import Side

PORT = 5757
ASK_AGAIN_MS = 4000
SHUT_OUT = "shut out"  # in the words of a server that takes somebody in no more
RUNS_ALREADY = "another server runs on"  # in the words of a server that finds its folder taken
WIDTH = 860


class Lobby(QWidget):
    """One server at a time: found, joined, its games.

    Signals:
        match_opened(object): a `RemoteMatch` to be shown.
        match_grown(): the shown match has new entries.
        match_anew(): the shown match begins anew, as another viewer sees it.
        match_told(): something was told of the shown match's table, and not of the game.
        match_caught_up(): the shown match is known up to the server's last entry.
        line_changed(object): the line broke or is there again, while a match is shown: `Up` or `Down`.
        answered(object): an `Answered` of the shown match.
        turned_out(str): the server takes us in no more, while a match is shown: why.
        fouled(str): the server did what an honest one does not do; it stays on the screen until it is read.
        said(str): something to be read.
        left(): back to the start page.
    """

    match_opened = Signal(object)
    match_grown = Signal()
    match_anew = Signal()
    match_told = Signal()
    match_caught_up = Signal()
    line_changed = Signal(object)
    answered = Signal(object)
    turned_out = Signal(str)
    fouled = Signal(str)
    said = Signal(str)
    left = Signal()

    def __init__(self, packs: Sequence[Pack], settings: QSettings, *, keys: Path | None = None, palette: Palette = LIGHT) -> None:
        super().__init__()
        self.setObjectName("page")
        self.packs, self.settings = packs, settings
        self.keys = keys if keys is not None else user_folder()  # where this user's key and known servers are
        self.link: Link | None = None
        self.match: RemoteMatch | None = None
        self._growing = Growing(self, self._take_entries)
        self.role: protocol.Role = protocol.PLAYER
        self.talk = TableTalk("", _now_ms)  # the server's own chat
        self._anew = self._wanted = self._creating = ""
        self._goal = ""  # the game that shall be gone on with once its server has listed what it has
        self._is_up = False  # the server has taken us in
        self._place = Place("", 0)
        self.hosting = Hosting(self)
        self.door = Door()
        self.around = Around(self.door, self.keys, is_wanted=lambda: self.link is None and self.isVisible())
        self._hall: Hall | None = None
        self._palette = palette
        self._build()
        self._wire()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._ask)

    def _build(self) -> None:
        self._card = QFrame()
        self._card.setObjectName("card")
        column = QVBoxLayout(self._card)
        column.setContentsMargins(10, 10, 10, 10)
        self._stack = QStackedWidget()
        self._stack.setStyleSheet("QStackedWidget { background: transparent; }")  # the card shows through
        self._stack.addWidget(self.door)
        column.addWidget(self._stack)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(20, 20, 20, 20)
        outer.addStretch(1)
        outer.addWidget(self._card)
        outer.addStretch(1)
        self.address, self.name, self.go = self.door.address, self.door.name, self.door.go
        self.address.setText(str(self.settings.value("address", f"127.0.0.1:{PORT}")))
        self.name.setText(str(self.settings.value("player", "")))
        self.door.admits.setCurrentIndex(int(str(self.settings.value("host/invited", "false")) == "true"))

    def _wire(self) -> None:
        door = self.door
        door.connect_wanted.connect(self.connect_)
        door.join_wanted.connect(self.join)
        self.around.renewed.connect(self.connect_)
        door.host_wanted.connect(self.host)
        door.stop_wanted.connect(self._stop_hosting)
        door.left.connect(self.leave)
        self.hosting.started.connect(self._hosted)
        self.hosting.ended.connect(self._hosting_ended)

    @property
    def hall(self) -> Hall:
        """Return the hall, built when a server is joined for the first time: the start page shall not wait for it."""
        if self._hall is None:
            self._hall = Hall(self.packs, self._palette)
            self._stack.addWidget(self._hall)
            self._wire_hall(self._hall)
        return self._hall

    @property
    def state(self) -> QLabel:
        """Return the line about the server that is joined."""
        return self.hall.state

    @property
    def new(self) -> Chooser:
        """Return the scenarios that can be begun."""
        return self.hall.new.scenario

    def _wire_hall(self, hall: Hall) -> None:
        hall.seat_wanted.connect(self.take)
        hall.watch_wanted.connect(self.follow)
        hall.left.connect(self._disconnect)
        hall.retry_wanted.connect(self._hurry)
        hall.new.begin_wanted.connect(self.begin_game)
        hall.people.send_wanted.connect(self._send)
        hall.chat.say_wanted.connect(self._say)
        hall.tabs["people"].clicked.connect(self._ask)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the card as wide as it may be."""
        super().resizeEvent(event)
        self._card.setFixedWidth(max(320, min(px(WIDTH), self.width() - 40)))

    def set_palette(self, palette: Palette) -> None:
        """Change the theme."""
        self._palette = palette
        if self._hall is not None:
            self._hall.chat.palette_ = palette
            self._hall.chat.show_lines(self.talk.lines)

    def _tell(self, words: str) -> None:
        """Say something about the line, wherever it is looked at."""
        self.door.state.setText(words)
        if self._hall is not None:
            self._hall.state.setText(words)

    # ---------------------------------------------------------------- the line

    def connect_(self) -> None:
        """Connect to the server that is named, or say below each field what is wrong with it."""
        self.close_line()
        self.door.hide_warning()
        self.door.tell_fault("", "")
        place = self._typed_place()
        if place is None:
            return
        try:
            identity, known = identity_in(self.keys / KEY_FILE), KnownServers(self.keys / SERVERS_FILE)
        except (BadInput, OSError) as error:
            self._tell(self.tr("Your key can't be used: {why}").format(why=error))
            return
        name, met = self.name.text().strip(), known.get(place.place)
        if not self._is_name(name) or not (name or (met is not None and met.name)):
            words = self.tr("Your name: 1 to 40 letters that can be seen are wanted, not “{got}”").format(got=name)
            self.door.tell_fault("name", words if name else self.tr("Say under which name you play there, and connect."))
            return
        self.settings.setValue("player", name)
        self.settings.setValue("address", place.place)  # the key is remembered beside it, and an invite is good but once
        self._place = place
        packs = {pack.digest: pack for pack in self.packs}
        self.link = Link(self, packs.get)
        self.link.heard.connect(self._hear)
        self.hall.enter(name, protocol.PLAYER, "")
        self.hall.show_tab("games")
        self.hall.games.refill()
        self._stack.setCurrentWidget(self.hall)
        self.hall.tabs["games"].setFocus()  # not where Enter would leave again
        self._tell(self.tr("Connecting to {server} …").format(server=place.place))
        self.link.connect_to(place.link, name, identity=identity, known=known)
        self.around.stop()

    def _typed_place(self) -> Place | None:
        """Return what is typed as an address, with the invite code that is typed; None, with the reason shown, if it is none."""
        try:
            place = parse(self.tr("Server"), self.address.text().strip())
        except BadInput as error:
            self.door.tell_fault("address", str(error.faults[0]))
            return None
        typed = self.door.code.text().strip()
        code = "-".join(typed.split())  # read out over a telephone, it is written with spaces
        if not code:
            return place
        if not all(letter.isalnum() or letter == "-" for letter in code) or not code.isascii() or len(code) > 64:
            words = self.tr("Invite code: letters, digits and dashes are wanted, 64 at most, not “{got}”").format(got=typed)
            self.door.tell_fault("code", words)
            return None
        return msgspec.structs.replace(place, invite=code)

    @staticmethod
    def _is_name(name: str) -> bool:
        try:
            protocol.decode_from_client(protocol.encode(protocol.Hello(protocol.VERSION, name)))
        except BadInput:
            return False
        return True

    def join(self, address: str) -> None:
        """Connect to a server of the lists, under the name that we have there."""
        self.address.setText(address)
        try:
            met = KnownServers(self.keys / SERVERS_FILE).get(parse("server", address).place)
        except BadInput:
            met = None  # `connect_` says what is wrong
        if met is not None and met.name:
            self.name.setText(met.name)
        self.connect_()

    def close_line(self) -> None:
        """Leave the server; one that was started here goes on until the window goes."""
        self._timer.stop()
        if self.link is not None:
            self.link.close()
            self.link = None
        self._forget_ended()
        self._leave_match()
        self._wanted = self._creating = ""
        self._is_up = False
        self._stack.setCurrentWidget(self.door)

    def _disconnect(self) -> None:
        self._goal = ""
        self.close_line()
        self._tell("")
        self.around.look()

    def leave(self) -> None:
        """Go back to the start page."""
        self._goal = ""
        self.close_line()
        self._tell("")
        self.left.emit()

    def come_back(self) -> None:
        """Show the hall again after a game, if there is a line."""
        if self.link is not None:
            if self.match is not None:
                self.link.games.unfollow(self.match.game)
            self._forget_ended()
            self._leave_match()
            self._wanted = ""
            self._ask()
            self._timer.start(ASK_AGAIN_MS)

    def _leave_match(self) -> None:
        self._growing.forget()
        self.match = None

    def _send(self, frame: protocol.Frame) -> None:
        if self.link is not None:
            self.link.games.send(frame)

    def _ask(self) -> None:
        if self._is_up:
            self._send(protocol.ListGames())
            if self.hall.tab == "people":
                self._send(protocol.AskStatus())

    def _hurry(self) -> None:
        if self.link is not None and self.link.games.line is not None:
            self.link.games.line.hurry()

    # ---------------------------------------------------------------- servers around

    def showEvent(self, event: QShowEvent) -> None:
        """Look for servers while the page is seen and none is connected."""
        super().showEvent(event)
        self.around.look()

    def hideEvent(self, event: QHideEvent) -> None:
        """Look no more."""
        super().hideEvent(event)
        self.around.stop()

    # ---------------------------------------------------------------- what comes

    def _hear(self, note: Note) -> None:
        if self.link is None:
            return
        match note:
            case Up():
                self._up(note)
            case Down():
                self._down(note)
            case protocol.Games():
                self._show(note.games)
            case Ready() if note.game == self._wanted:
                self._open(note.game)
            case protocol.Invite():
                self.hall.people.show_invite(note)
            case protocol.Status():
                self.hall.people.show_status(note)
            case protocol.Chat(game=""):
                if self.talk.take(note):
                    self.hall.chat.show_lines(self.talk.lines)
            case Answered(game="") if self._chat_answered(note):
                return
            case Trouble():
                self._trouble(note)
            case Foul():
                self.fouled.emit(self.tr("{game}: {what}").format(game=note.game, what=note))
            case _:
                self._hear_of_match(note)

    def _hear_of_match(self, note: Note) -> None:
        """Take in what comes about the game that is shown, and answers."""
        shown = self.match
        match note:
            case Anew():
                self._anew = note.game
            case Ready() if shown is not None and note.game == self._anew == shown.game:
                self._anew = ""
                self._growing.forget()
                shown.begin_anew()
                self.match_anew.emit()
            case Ready() if shown is not None and note.game == shown.game:
                self.match_caught_up.emit()
            case Grown() if shown is not None and note.game == shown.game != self._anew:
                self._growing.take(note, at_once=shown.may_act or shown.awaits_answer)
            case protocol.Waiting() | protocol.Present() | protocol.Chat() | protocol.Answers() if shown is not None:
                if shown.talk.take(note):
                    self.match_told.emit()
            case Answered(game="", order_id="") if note.refused is not None and SHUT_OUT in note.refused.template:
                self._refused(Refused(note.rule, note.refused), "")
            case Answered() if shown is not None:
                self._growing.flush()
                shown.take_answer(note)
                self.answered.emit(note)
            case Answered() if note.refused is not None:
                self._refused(Refused(note.rule, note.refused), note.game)
            case _:
                return

    def _take_entries(self, grown: Grown) -> None:
        if self.match is not None and self.match.take_entries(grown):
            self.match_grown.emit()

    def _up(self, note: Up) -> None:
        assert self.link is not None, "nothing is heard without a line"
        self._is_up, self.role = True, note.role
        self.link.name = note.name
        place = msgspec.structs.replace(self._place, key=note.server or self._place.key, invite="")
        self.hall.enter(note.name, note.role, self._link_for_others(place))
        self.hall.retry.hide()
        self._tell(self._connected(note))
        if self.match is not None:
            self.line_changed.emit(note)
        else:
            self._timer.start(ASK_AGAIN_MS)
        self._ask()
        self._send(protocol.ReadChat(""))

    def _link_for_others(self, place: Place) -> str:
        return self.hosting.link if self.hosting.link and place.is_here else place.link

    def _down(self, note: Down) -> None:
        words = self.tr("No line: {why}. It is tried again.").format(why=note.reason)
        self._tell(words)
        self.hall.retry.setVisible(note.retry_s > 0)
        if self.match is not None:
            self.line_changed.emit(note)

    def _chat_answered(self, note: Answered) -> bool:
        why = "" if note.refused is None else cite(Refused(note.rule, note.refused))
        return self.hall.chat.answered(note.order_id, why)

    def _trouble(self, trouble: Trouble) -> None:
        if not self._is_up and trouble.fault is not None and "name" in trouble.fault.where:
            self._turned_away("name", trouble.text)
        elif self.match is None:
            self._tell_fault(trouble.text)
        else:
            self.said.emit(trouble.text)

    def _tell_fault(self, words: str) -> None:
        """Say what can't be, where it was asked for."""
        if self._creating:
            self._creating = ""
            self.hall.new.tell_fault(words)
        elif self.hall.tab == "people":
            self.hall.people.tell_fault(words)
        else:
            self.hall.state.setText(words)
            self.said.emit(words)

    def _refused(self, refused: Refused, game: str) -> None:
        """Say why the server does not do what was asked, or does not take us in: name, invite, key; all of them can be changed."""
        if self.match is not None and SHUT_OUT in refused.text.template:
            self._turned_away("", capital(cite(refused)))
            self.turned_out.emit(capital(cite(refused)))  # the page of the match stays, to be looked at
        elif self._is_up:
            self._tell_fault(capital(cite(refused)))
        elif refused.text.template == CHANGED:
            told = {name: str(value) for name, value in refused.text.args.items()}
            self._turned_away("", "")
            self.door.warn(told["place"], told["was"], told["now"])
        else:
            self._turned_away(_field_of(refused), capital(cite(refused)))

    def _turned_away(self, field: str, words: str) -> None:
        self.close_line()
        self.around.look()
        self._tell(words if not field else "")
        self.door.tell_fault(field, words)

    def _connected(self, up: Up) -> str:
        if self.hosting.link and self._place.is_here:
            words = self.tr("Connected as {name}. Anybody on this network may join, others by {link}")
            if self.door.admits.currentData():
                words = self.tr("Connected as {name}. Newcomers need this link and an invite code, which People makes: {link}")
            return words.format(name=up.name, link=self.hosting.link)
        if not up.is_new:
            words = self.tr("Connected as {name} to {server}")
            return words.format(name=up.name, server=self._place.place)
        words = self.tr("Connected as {name}. This server is new to you; its fingerprint is {print}: ask its host whether that is his.")
        return words.format(name=up.name, print=fingerprint(up.server))

    # ---------------------------------------------------------------- games

    def _show(self, games: tuple[protocol.GameLine, ...]) -> None:
        if self._creating and any(line.game == self._creating for line in games):
            self._creating = ""
            self.hall.new.tell_fault("")
            self.hall.show_tab("games")
            self._ask()
        if self._goal and self._is_up:
            self._open_goal(games)
        if len(games) == 1:
            self.hall.add_game(games[0], _now_ms())  # the answer to `create`, or a server with one game
        else:
            self.hall.show_games(games, _now_ms())

    def go_on(self, last: LastGame) -> None:
        """Go on with a game of a server: of one that runs, or of our own, which is started if it does not."""
        if last.own and not self.hosting.link:
            self.host()
        else:
            self.join(last.link)
        self._goal = last.game

    def _open_goal(self, games: tuple[protocol.GameLine, ...]) -> None:
        goal, self._goal = self._goal, ""
        if any(line.game == goal for line in games):
            self.follow(goal)
            return
        lastgame.forget(self.settings)
        self._tell_fault(self.tr("The game that you played last is not on this server any more"))

    def _forget_ended(self) -> None:
        """Offer a game that is over no more."""
        if self.match is not None and self.match.match.outcome is not None:
            lastgame.forget(self.settings)

    def _open(self, game: str) -> None:
        assert self.link is not None, "a game is open on a line"
        self._wanted = ""
        try:
            self.match = RemoteMatch(self.link.games, game, self.link.name, role=self.role)
        except BadInput as error:
            self._tell_fault(str(error))
            return
        self._timer.stop()
        place = msgspec.structs.replace(self._place, invite="")
        lastgame.remember(self.settings, LastGame(place.link, game, self.match.title, own=place.is_here))
        self.match_opened.emit(self.match)

    def take(self, game: str, side: Side, seat: str = "") -> None:
        """Take a seat and follow the game."""
        self._send(protocol.TakeSeat(game, side, seat))
        self.follow(game)

    def follow(self, game: str) -> None:
        """Open a game."""
        assert self.link is not None, "a list comes over a line"
        self._wanted = game
        self.link.games.follow(game)

    def begin_game(self) -> str:
        """Begin the game that is filled in on the server; return its id, empty if that can't be."""
        chosen = self.new.currentData()
        if self.link is None or chosen is None:
            return ""
        form = self.hall.new
        form.tell_fault("")
        try:
            terms = form.terms()
        except BadInput as error:
            form.tell_fault("\n".join(str(fault) for fault in error.faults))
            return ""
        ruleset, scenario = chosen
        self._creating = game = f"{scenario}-{secrets.token_hex(3)}"
        self._send(protocol.CreateGame(game, ruleset, scenario, form.chosen_options(), terms))
        self._ask()
        return game

    def _say(self, room: str, words: str) -> None:
        if self.link is not None and self._is_up:
            self.hall.chat.sent(table.say(self.link.games, "", room, words))
        else:
            self.hall.chat.tell_fault(self.tr("There is no line to the server now."))

    # ---------------------------------------------------------------- a server of one's own

    def host(self) -> None:
        """Start a server as a process of its own and connect to it."""
        if self.hosting.link:
            self._hosted(self.hosting.link)
            return
        invited = bool(self.door.admits.currentData())
        self.settings.setValue("host/invited", "true" if invited else "false")
        self._tell(self.tr("Starting a server on port {port} …").format(port=PORT))
        self.hosting.start(PORT, invited=invited)
        self.door.show_hosting(runs=True)

    def _hosted(self, link: str) -> None:
        here = msgspec.structs.replace(parse("server", link), host="127.0.0.1")
        self.address.setText(here.link)
        if not self.name.text().strip():
            self._tell(self.tr("Your server runs. Say under which name you play, and connect."))
            self.name.setFocus()
            return
        self.connect_()

    def _hosting_ended(self, why: str) -> None:
        self.door.show_hosting(runs=False)
        if RUNS_ALREADY in why:  # left to its last players by a window that closed, or hosted by another window
            self._join_own()
            return
        self._goal = ""
        self._tell(self.tr("The server ended: {why}").format(why=why or self.tr("no reason given")))

    def _join_own(self) -> None:
        """Join the server that runs here already."""
        self.address.setText(f"tcp://127.0.0.1:{PORT}")
        if self.name.text().strip():
            self.connect_()
            return
        self._tell(self.tr("Your server runs already. Say under which name you play, and connect."))
        self.name.setFocus()

    def _stop_hosting(self) -> None:
        self.hosting.stop()
        self.door.show_hosting(runs=False)
        self._tell(self.tr("The server was ended; its games are kept, and are there again when you host again."))

    def others_here(self) -> tuple[str, ...] | None:
        """Return who else sits at a game of the server, or looks on at ours, and is connected; None without a line: nobody can tell."""
        if self.link is None:
            return None
        me = self.link.name
        seated = {chair.player for line in (self._hall.lines if self._hall is not None else ()) for chair in line.chairs if chair.online}
        around = {person.name for person in self.match.talk.people if person.here} if self.match is not None else set()
        return tuple(sorted((seated | around) - {me, ""}, key=str.casefold))

    def close_down(self) -> None:
        """Close the line, and end the server that was started here."""
        self.close_line()
        self.around.stop()
        self.hosting.stop()
        for link in self.findChildren(Link):
            link.wait()
        self.around.wait()


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _field_of(refused: Refused) -> str:
    """Return which field a server's refusal is about, empty if about none: its words come from the server as a template."""
    words = refused.text.template
    if "invite" in words:
        return "code"
    return "name" if "name" in refused.text.args and SHUT_OUT not in words else ""

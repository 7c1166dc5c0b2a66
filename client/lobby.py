"""The lobby: a server's games, free seats, and a new game; or a server of one's own, started as a process."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from client.connection.fouls import Foul
from client.connection.games import Anew, Answered, Grown, Note, Ready, Trouble
from client.connection.identity import KEY_FILE, SERVERS_FILE, KnownServers, identity_in, user_folder
from client.connection.lan import Found
from client.connection.line import Down, Up
from client.link import Link
from client.nearby import Nearby
from client.panels.widgets import Chooser, Column, button, clear, label, row
from client.qt import QProcess, QSettings, Qt, QTimer, Signal
from client.scale import px
from client.session.remote import RemoteMatch
from client.words import cite
from core import protocol
from core.address import Place, parse
from core.errors import BadInput, Refused
from core.identity import fingerprint
from core.pack import Pack
from core.units import Side

PORT = 5757
READY = "listening on "
ASK_AGAIN_MS = 4000


class Lobby(QWidget):
    """One server's games.

    Signals:
        match_opened(object): a `RemoteMatch` to be shown.
        match_grown(): the shown match has new entries, or an answer came.
        said(str): something to be read.
        left(): back to the start page.
    """

    match_opened = Signal(object)
    match_grown = Signal()
    said = Signal(str)
    left = Signal()

    def __init__(self, packs: Sequence[Pack], settings: QSettings, *, keys: Path | None = None) -> None:
        super().__init__()
        self.setObjectName("page")
        self.packs, self.settings = packs, settings
        self.keys = keys if keys is not None else user_folder()  # where this user's key and known servers are
        self.link: Link | None = None
        self.match: RemoteMatch | None = None
        self._anew = ""
        self._wanted = ""
        self._is_up = False  # the server has taken us in
        self._server: QProcess | None = None
        self._hosted = ""  # the join link of the server that was started here
        self._build()
        self.nearby = Nearby(self)
        self.nearby.found.connect(self.show_nearby)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._ask)

    def _build(self) -> None:
        card = QFrame()
        card.setObjectName("card")
        card.setFixedWidth(px(640))
        column = QVBoxLayout(card)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        self.heading = label(self.tr("Play over the network"), "heading")
        words = self.tr("Names and games are kept by the server. Connections are encrypted; a join link also tells which server it is.")
        self.address = QLineEdit(str(self.settings.value("address", f"127.0.0.1:{PORT}")))
        self.address.setAccessibleName(self.tr("Server"))
        self.name = QLineEdit(str(self.settings.value("player", "")))
        self.name.setPlaceholderText(self.tr("Your name"))
        self.name.setAccessibleName(self.tr("Your name"))
        self.go = button(self.tr("Connect"), self.connect_, name="primary", tip=self.tr("Connect to this server"))
        self.state = label("", "soft", wrap=True)
        self.state.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.list = Column()
        self.list.setMinimumHeight(230)
        self.list.setAccessibleName(self.tr("Games on this server"))
        self.new = Chooser()
        self.new.setAccessibleName(self.tr("Scenario of a new game"))
        for pack in self.packs:
            for scenario in pack.scenarios.values():
                self.new.addItem(f"{scenario.title} · {pack.manifest.title}", (pack.manifest.ruleset, scenario.id))
        self.begin = button(self.tr("Begin a new game"), self.begin_game, tip=self.tr("Begin this scenario on the server"))
        back = button(self.tr("Back"), self.leave, tip=self.tr("Back to the start page"))
        column.addWidget(self.heading)
        column.addWidget(label(words, "soft", wrap=True))
        column.addLayout(row(self.address, self.name, self.go, stretch=0))
        column.addWidget(self.state)
        column.addWidget(self.list, 1)
        column.addLayout(row(self.new, self.begin, back, stretch=0))
        outer = QVBoxLayout(self)
        outer.addStretch(1)
        outer.addWidget(card, 4, Qt.AlignmentFlag.AlignHCenter)
        outer.addStretch(1)
        self._enable(connected=False)

    def _enable(self, *, connected: bool) -> None:
        for part in (self.new, self.begin):
            part.setEnabled(connected)
        for entry in (self.address, self.name):
            entry.setReadOnly(connected)
        self.go.setEnabled(not connected)

    # ---------------------------------------------------------------- the line

    def connect_(self) -> None:
        """Connect to the server that is named."""
        name, address = self.name.text().strip(), self.address.text().strip()
        if not name or not address:
            self.state.setText(self.tr("A server and a name are needed."))
            return
        self.close_line()
        try:
            place = parse(self.tr("Server"), address)
            identity, known = identity_in(self.keys / KEY_FILE), KnownServers(self.keys / SERVERS_FILE)
        except (BadInput, OSError) as error:
            self.state.setText(self.tr("That can't be used: {why}").format(why=error))
            return
        self.settings.setValue("player", name)
        self.settings.setValue("address", place.place)  # the key is remembered beside it, and an invite is good but once
        packs = {pack.digest: pack for pack in self.packs}
        self.link = Link(self, packs.get)
        self.link.heard.connect(self._hear)
        self.state.setText(self.tr("Connecting to {server} …").format(server=place.place))
        self.link.connect_to(address, name, identity=identity, known=known)
        self._enable(connected=True)
        self.nearby.stop()
        self.list.refill()

    def showEvent(self, event: QShowEvent) -> None:
        """Look for servers while the page is seen and none is connected."""
        super().showEvent(event)
        self._look_around()

    def hideEvent(self, event: QHideEvent) -> None:
        """Look no more."""
        super().hideEvent(event)
        self.nearby.stop()

    def _look_around(self) -> None:
        if self.link is not None or not self.isVisible():
            return
        try:
            why = self.nearby.start(KnownServers(self.keys / SERVERS_FILE))
        except (BadInput, OSError) as error:
            why = str(error)
        words = self.tr("Servers on the local network appear here.")
        self.list.refill().addWidget(label(why or words, "soft", wrap=True))

    def show_nearby(self, servers: Sequence[Found]) -> None:
        """List the servers on the local network, until one is connected."""
        if self.link is not None:
            return
        column = self.list.refill()
        if not servers:
            column.addWidget(label(self.tr("No server is announced on the local network."), "soft"))
        for server in servers:
            column.addWidget(self._nearby_line(server))
        column.addStretch(1)

    def _nearby_line(self, server: Found) -> QWidget:
        states = {"new": self.tr("not met before"), "known": self.tr("met before"), "changed": self.tr("another key than before")}
        place = server.places[0]
        remark = states[server.state] if server.speaks_ours else self.tr("speaks another version")
        words = self.tr("{name} · {games} games\n{place} · fingerprint {print} · {remark}")
        told = words.format(name=server.name, games=server.games, place=place.place, print=server.print_ or self.tr("none"), remark=remark)
        join = button(self.tr("Join"), lambda: self._join(place), tip=self.tr("Connect to this server"))
        holder = QFrame()
        holder.setLayout(row(label(told, wrap=True), join, stretch=0))
        return holder

    def _join(self, place: Place) -> None:
        self.address.setText(place.link)
        self.connect_()

    def close_line(self) -> None:
        """Leave the server; one that was started here goes on until the window goes."""
        self._timer.stop()
        if self.link is not None:
            self.link.close()
            self.link.deleteLater()
            self.link = None
        self.match = None
        self._wanted = ""
        self._is_up = False
        self._enable(connected=False)

    def leave(self) -> None:
        """Go back to the start page."""
        self.close_line()
        clear(self.list.column)
        self.state.setText("")
        self.left.emit()

    def _ask(self) -> None:
        if self.link is not None:
            self.link.games.send(protocol.ListGames())

    def _hear(self, note: Note) -> None:
        if self.link is None:
            return
        match note:
            case Up():
                self._is_up = True
                self.link.name = note.name
                self.state.setText(self._connected(note))
                self._ask()
                self._timer.start(ASK_AGAIN_MS)
            case Down():
                self.state.setText(self.tr("No line: {why}. It is tried again.").format(why=note.reason))
                self.said.emit(self.state.text())
            case protocol.Games():
                self._show(note.games)
            case Ready() if note.game == self._wanted:
                self._open(note.game)
            case Anew():
                self._anew = note.game
            case Ready() if self.match is not None and note.game == self._anew == self.match.game:
                self._anew = ""
                self.match.begin_anew()
                self.match_grown.emit()
            case Grown() if self.match is not None and note.game == self.match.game != self._anew:
                if self.match.take_entries(note):
                    self.match_grown.emit()
            case protocol.Waiting() | protocol.Present() | protocol.Chat() | protocol.Answers() if self.match is not None:
                if self.match.talk.take(note):
                    self.match_grown.emit()
            case Answered() if self.match is not None:
                refused = self.match.take_answer(note)
                if refused is not None:
                    self.said.emit(cite(refused))
                self.match_grown.emit()
            case Answered() if note.refused is not None and not self._is_up:
                self._turned_away(Refused(note.rule, note.refused))
            case Answered() if note.refused is not None:
                self.said.emit(cite(Refused(note.rule, note.refused)))
            case Trouble():
                self.state.setText(note.text)
                self.said.emit(note.text)
            case Foul():
                self.state.setText(self.tr("{game}: the server does not keep to the rules of the dice: {what}").format(
                    game=note.game, what=note
                ))
                self.said.emit(self.state.text())
            case _:
                return

    def _turned_away(self, refused: Refused) -> None:
        """Say why the server does not take us in: name, invite, key; all of them can be changed here."""
        self.close_line()
        self._look_around()
        self.state.setText(cite(refused))
        self.said.emit(self.state.text())

    def _connected(self, up: Up) -> str:
        if self._hosted:
            return self.tr("Connected as {name}. Others join by {link}").format(name=up.name, link=self._hosted)
        if not up.is_new:
            return self.tr("Connected as {name}").format(name=up.name)
        words = self.tr("Connected as {name}. This server is new to you; its fingerprint is {print}: ask its host whether that is his.")
        return words.format(name=up.name, print=fingerprint(up.server))

    def _open(self, game: str) -> None:
        assert self.link is not None, "a game is open on a line"
        self._wanted = ""
        try:
            self.match = RemoteMatch(self.link.games, game, self.link.name)
        except BadInput as error:
            self.said.emit(str(error))
            return
        self._timer.stop()
        self.match_opened.emit(self.match)

    # ---------------------------------------------------------------- games

    def _show(self, games: Sequence[protocol.GameLine]) -> None:
        column = self.list.refill()
        if not games:
            column.addWidget(label(self.tr("There is no game on this server yet."), "soft"))
        for line in games:
            column.addWidget(self._line(line))
        column.addStretch(1)

    def _line(self, line: protocol.GameLine) -> QWidget:
        holder = QFrame()
        titles = self._titles(line.ruleset)
        seats = ", ".join(f"{titles.get(side, side)}: {player or self.tr('free')}" for side, player in line.seats.items())
        waits = titles.get(line.waits_for, line.waits_for)
        state = self.tr("turn {turn}, {side} decides").format(turn=line.turn, side=waits)
        if line.over:
            state = self.tr("over: {result}").format(result=line.result)
        elif line.paused:
            state = self.tr("turn {turn}, paused").format(turn=line.turn)
        words = label(f"{line.scenario.replace('_', ' ').capitalize()} · {state}\n{seats}", wrap=True)
        parts: list[QWidget] = [words]
        for side, player in line.seats.items():
            if player in ("", self.link.name if self.link is not None else ""):
                verb = self.tr("Play {side}") if not player else self.tr("Go on as {side}")
                take = button(verb.format(side=titles.get(side, side)), lambda game=line.game, side=side: self.take(game, side))  # type: ignore[misc]
                take.setToolTip(self.tr("Take this seat"))
                parts.append(take)
        watch = button(self.tr("Watch"), lambda: self.follow(line.game), tip=self.tr("Look on"))
        holder.setLayout(row(*parts, watch, stretch=0))
        return holder

    def _titles(self, ruleset: str) -> dict[Side, str]:
        """Return the sides' names of a game whose pack is here."""
        return next((pack.manifest.side_titles for pack in self.packs if pack.manifest.ruleset == ruleset), {})

    def take(self, game: str, side: Side) -> None:
        """Take a seat and follow the game."""
        assert self.link is not None, "a list comes over a line"
        self.link.games.send(protocol.TakeSeat(game, side))
        self.follow(game)

    def follow(self, game: str) -> None:
        """Open a game."""
        assert self.link is not None, "a list comes over a line"
        self._wanted = game
        self.link.games.follow(game)

    def begin_game(self) -> str:
        """Begin the chosen scenario on the server; return the game's id, empty if that can't be."""
        chosen = self.new.currentData()
        if self.link is None or chosen is None:
            return ""
        ruleset, scenario = chosen
        game = f"{scenario}-{secrets.token_hex(3)}"
        self.link.games.send(protocol.CreateGame(game, ruleset, scenario))
        self._ask()
        return game

    # ---------------------------------------------------------------- a server of one's own

    def host(self) -> None:
        """Start a server as a process of its own and connect to it."""
        if self._server is None:
            self._server = QProcess(self)
            self._server.readyReadStandardOutput.connect(self._server_says)
            self._server.errorOccurred.connect(lambda _: self._server_failed())
            self._server.finished.connect(lambda *_: self._server_failed())
            self._server.start(sys.executable, ["-m", "rasputitsa", "host", "--address", f"tcp://0.0.0.0:{PORT}", "--open"])
        self.state.setText(self.tr("Starting a server on port {port} …").format(port=PORT))

    def _server_says(self) -> None:
        assert self._server is not None, "only a running server says something"
        said = bytes(self._server.readAllStandardOutput().data()).decode(errors="replace")
        if READY in said:
            self._hosted = said.partition(READY)[2].split()[0]
            here = msgspec.structs.replace(parse("server", self._hosted), host="127.0.0.1")
            self.address.setText(here.link)
            if not self.name.text().strip():
                self.name.setText(self.tr("Host"))
            self.connect_()

    def _server_failed(self) -> None:
        if self._server is None:
            return
        why = bytes(self._server.readAllStandardError().data()).decode(errors="replace").strip().splitlines()
        self._server, self._hosted = None, ""
        self.state.setText(self.tr("The server ended: {why}").format(why=why[-1] if why else self.tr("no reason given")))

    def close_down(self) -> None:
        """Close the line, and end the server that was started here."""
        self.close_line()
        self.nearby.stop()
        if self._server is not None:
            server, self._server, self._hosted = self._server, None, ""
            server.terminate()
            if not server.waitForFinished(5000):
                server.kill()
                server.waitForFinished(1000)

"""Joining a server: the line to it, how it takes us in or not, and a server of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from client.connection import own
from client.connection.identity import CHANGED, KEY_FILE, SERVERS_FILE, KnownServers, identity_in
from client.connection.line import Down, Up
from client.connection.notes import Answered, Note, Trouble
from client.link import Link
from client.map.palette import Palette
from client.meeting.hosting import Hosting, free_port, own_port
from client.meeting.lastgame import LastGame
from client.meeting.rooms import PORT, Rooms
from client.qt import QSettings, QTimer, Signal
from client.session.remote import RemoteMatch
from client.words import sentence
from core import protocol
from core.address import Place, parse
from core.errors import BadInput, Refused
from core.identity import PublicKey, fingerprint
from core.pack import Pack

SHUT_OUT = "shut out"  # in the words of a server that takes somebody in no more
FAULT_MS = 12_000  # that a refusal can be read before it is said again where we are connected
RUNS_ALREADY = "another server runs on"  # in the words of a server that finds its folder taken


class Joining(Rooms):
    """One server at a time: found, joined, left; what it says of anything but the line is heard by a subclass.

    Signals:
        line_changed(object): the line broke or is there again, while a match is shown: `Up` or `Down`.
        turned_out(str): the line is tried no more, while a match is shown: why, as where the server has shut us out.
        said(str): something to be read.
        troubled(str): something is wrong with a game, while a match is shown; it stays on the screen until it is read.
        said_enough(str): what was said is over, and need not be read any more.
        left(): back to the start page.
        server_ended(str): the server that was started here, by this window or an earlier one, has ended while a match of it is shown: why.
    """

    line_changed = Signal(object)
    turned_out = Signal(str)
    said = Signal(str)
    troubled = Signal(str)
    said_enough = Signal(str)
    left = Signal()
    server_ended = Signal(str)

    def __init__(self, packs: Sequence[Pack], settings: QSettings, *, keys: Path | None, palette: Palette) -> None:
        super().__init__(packs, settings, keys=keys, palette=palette)
        self.match: RemoteMatch | None = None  # that is shown
        self.role: protocol.Role = protocol.PLAYER
        self._goal: LastGame | None = None  # the game that shall be gone on with once its server has listed what it has
        self._is_up = False  # the server has taken us in
        self._was_offered = False  # to start our own server again, since the line broke
        self._where = ""  # what was said of the line
        self._is_own = False  # it runs in the folder of our own server, which needs no fingerprint to be told from others
        self._place = self._others_by = Place("", 0)  # where we reach it, and where others do
        self.hosting = Hosting(self)
        self._wire()

    def _wire(self) -> None:
        door = self.door
        door.connect_wanted.connect(self.connect_)
        door.join_wanted.connect(self.join)
        door.given_up.connect(self._disconnect)
        self.around.renewed.connect(self.connect_)
        door.host_wanted.connect(self.host)
        door.stop_wanted.connect(self._stop_hosting)
        door.left.connect(self.leave)
        self.hosting.started.connect(self._hosted)
        self.hosting.ended.connect(self._hosting_ended)

    # ---------------------------------------------------------------- the line

    def connect_(self) -> None:
        """Connect to the server that is named, or say below each field what is wrong with it."""
        self._is_own = False
        self.close_line()
        self._tell("")  # what was tried before is tried no more
        self.door.hide_warning()
        self.door.tell_fault("", "")
        place = self.door.typed_place()
        if place is None:
            return
        try:
            identity, known = identity_in(self.keys / KEY_FILE), KnownServers(self.keys / SERVERS_FILE)
        except (BadInput, OSError) as error:
            self._tell(self.tr("Your key can't be used: {why}").format(why=error))
            return
        name, met = self.name.text().strip(), known.get(place.place)
        if not self.door.has_name(is_known=met is not None and bool(met.name)):
            return
        self.settings.setValue("player", name)
        self.settings.setValue("address", place.place)  # the key is remembered beside it, and an invite is good but once
        if (place.key, place.place) != (self._place.key, self._place.place):
            self.hall.new.begin_anew()
        self._place = place
        packs = {pack.digest: pack for pack in self.packs}
        self.link = Link(self, packs.get)
        self.link.heard.connect(self._hear)
        self.hall.enter(name, protocol.PLAYER, "")
        self.hall.show_tab("games")
        self.hall.games.refill()
        self.door.give_up.show()
        self._tell(self.tr("Connecting to {server} …").format(server=place.place))
        self.link.connect_to(place.link, name, identity=identity, known=known)
        self.around.stop()

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
        if self.link is not None:
            self.link.close()
            self.link = None
        self._is_up = False
        self.door.give_up.hide()
        self._stack.setCurrentWidget(self.door)

    def _disconnect(self) -> None:
        self._goal = None
        self.close_line()
        self._tell("")
        self.around.look()

    def leave(self) -> None:
        """Go back to the start page."""
        self._goal = None
        self.close_line()
        self._tell("")
        self.left.emit()

    def _send(self, frame: protocol.Frame) -> None:
        if self.link is not None:
            self.link.games.send(frame)

    def _hurry(self) -> None:
        if self.link is not None and self.link.games.line is not None:
            self.link.games.line.hurry()

    def _hear(self, note: Note) -> None:
        """Take in what comes over the line and is about it."""
        match note:
            case Up():
                self._up(note)
            case Down():
                self._down(note)
            case Trouble():
                self._trouble(note)
            case Answered() if note.refused is not None:
                self._refused(note, Refused(note.rule, note.refused))
            case _:
                return

    def _up(self, note: Up) -> None:
        assert self.link is not None, "nothing is heard without a line"
        self._is_up, self.role, self._was_offered = True, note.role, False
        self.link.name = note.name
        place = msgspec.structs.replace(self._place, key=note.server or self._place.key, invite="")
        self._others_by = self._place_for_others(place)
        self.hall.enter(note.name, note.role, self._others_by.link)
        self.hall.retry.hide()
        if self._stack.currentWidget() is not self.hall:  # not before it took us in: an address may be mistyped
            self._stack.setCurrentWidget(self.hall)
            self.hall.tabs[self.hall.tab].setFocus()  # not where Enter would leave again
        self._where = self._connected(note)
        self._tell(self._where)
        if self.match is not None:
            self.line_changed.emit(note)

    def _place_for_others(self, place: Place) -> Place:
        """Return where others reach the server that we reach at a place: one that runs here may outlive the window that knew its link."""
        if not place.is_here:
            return place
        return parse("server", self.hosting.link) if self.hosting.link else own.from_outside(place)

    def _down(self, note: Down) -> None:
        self._where = self.tr("No line: {why}. It is tried again.").format(why=note.reason)
        self._tell(self._where)
        self.hall.retry.setVisible(note.retry_s > 0)
        if self.match is not None:
            self.line_changed.emit(note)
            self._offer_to_start()

    def _offer_to_start(self) -> None:
        """Offer once to start our own server again that an earlier window had started, where it has ended without a word."""
        is_ours = self._place.is_here and self.role == protocol.OWNER and own_port(self.keys, 0) == self._place.port
        if is_ours and not (self._was_offered or self.hosting.runs) and free_port(self._place.port) == self._place.port:
            self._was_offered = True
            self.server_ended.emit("")

    def _trouble(self, trouble: Trouble) -> None:
        if not self._is_up and trouble.fault is not None and "name" in trouble.fault.where:
            self._turned_away("name", trouble.text)
        elif self.match is None:
            self._tell_fault(self._named(trouble.text))
        elif trouble.fault is None and not trouble.is_remark:
            self.troubled.emit(self._named(trouble.text))
        else:
            self.said.emit(self._named(trouble.text))

    def _named(self, words: str) -> str:
        """Return words of our own that begin with a game's id with what the list calls it instead."""
        game, colon, what = words.partition(": ")
        return f"{self.hall.name_of(game)}: {what}" if colon else words

    def _tell_fault(self, words: str) -> None:
        """Say what can't be, where it was asked for."""
        if self.hall.tab == "people":
            self.hall.people.tell_fault(words)
        else:
            self._tell(words)
            self.said.emit(words)
            if self._is_up:
                QTimer.singleShot(FAULT_MS, self, lambda: self._had_been_read(words))

    def _had_been_read(self, words: str) -> None:
        """Say again where we are connected, if nothing else was said since."""
        if self._is_up and self.state.text() == words:
            self._tell(self._where)

    def _refused(self, answer: Answered, refused: Refused) -> None:
        """Say why the server does not do what was asked, or takes us in no more: name, invite, key; all of them can be changed."""
        words, shown = sentence(refused, self.hall.titles_of(answer.game)), self.match
        if self._is_up and not (answer.ends_line or (shown is not None and SHUT_OUT in refused.text.template)):
            self._tell_fault(words)
        elif refused.text.template == CHANGED:
            told = {name: str(value) for name, value in refused.text.args.items()}
            self._turned_away("", "")
            self.door.warn(told["place"], told["was"], told["now"])
            words = self.tr("the server at {place} has another key than before: ask its host").format(place=told["place"])
        else:
            self._turned_away(_field_of(refused) if shown is None else "", words)
        if shown is not None and self.link is None:
            self.turned_out.emit(words)  # the page of the match stays, to be looked at

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
        if self._is_own or not up.is_new or self._place.key == up.server:  # a link tells its server's key
            words = self.tr("Connected as {name} to {server}")
            if self._others_by.is_here and up.role == protocol.OWNER:
                words = self.tr("Connected as {name} to {server}, whose link is good on this computer alone")
            return words.format(name=up.name, server=self._others_by.place)
        words = self.tr("Connected as {name}. This server is new to you; its fingerprint is {print}: ask its host whether that is his.")
        return words.format(name=up.name, print=fingerprint(up.server))

    # ---------------------------------------------------------------- a server of one's own

    def host(self) -> None:
        """Start a server as a process of its own and connect to it."""
        if self.hosting.link:
            self._hosted(self.hosting.link)
            return
        invited = bool(self.door.admits.currentData())
        self.settings.setValue("host/invited", "true" if invited else "false")
        port = free_port(PORT)  # another server of this computer may have the usual one
        self._tell(self.tr("Starting a server on port {port} …").format(port=port))
        self.hosting.start(port, invited=invited)
        self.door.show_hosting(runs=True)

    def _own_key(self) -> PublicKey:
        """Return the key of the server that was started here, empty without one."""
        return parse("server", self.hosting.link).key if self.hosting.link else ""

    def start_again(self) -> None:
        """Start the server again that had ended; the line that is tried finds it."""
        self.hosting.start(self._place.port, invited=bool(self.door.admits.currentData()))
        self.door.show_hosting(runs=True)

    def _hosted(self, link: str) -> None:
        if self._goes_on_here():
            return
        here = msgspec.structs.replace(parse("server", link), host="127.0.0.1")
        self.address.setText(here.link)
        if not self.name.text().strip():
            self._tell(self.tr("Your server runs. Say under which name you play, and connect."))
            self.name.setFocus()
            return
        self.connect_()

    def _goes_on_here(self) -> bool:
        """Try the line of the match that is shown again at once, if it is one of a server here; say whether it is."""
        goes_on = self.match is not None and self.link is not None and self._place.is_here
        if goes_on:
            self._hurry()
        return goes_on

    def _hosting_ended(self, why: str) -> None:
        self.door.show_hosting(runs=False)
        if RUNS_ALREADY in why:  # left to its last players by a window that closed, or hosted by another window
            if not self._goes_on_here():
                self._join_own()
            return
        self._goal = None
        self._tell(self.tr("The server ended: {why}").format(why=why or self.tr("no reason given")))
        if self.match is not None and self._place.is_here:
            self.server_ended.emit(why)

    def _join_own(self) -> None:
        """Join the server that runs here already."""
        self.address.setText(f"tcp://127.0.0.1:{own_port(self.keys, PORT)}")
        if self.name.text().strip():
            self.connect_()
            self._is_own = True
            return
        self._tell(self.tr("Your server runs already. Say under which name you play, and connect."))
        self.name.setFocus()

    def _end_server(self) -> None:
        """End the server that we own: the one that this window started, or one that an earlier window did."""
        if self.hosting.link and self._place.is_here:
            self._disconnect()
            self._stop_hosting()
        else:
            self._send(protocol.EndServer())

    def _stop_hosting(self) -> None:
        self.hosting.stop()
        self.door.show_hosting(runs=False)
        self._tell_ended()

    def _server_was_ended(self) -> None:
        self._disconnect()
        self._tell_ended()

    def _tell_ended(self) -> None:
        self._tell(self.tr("The server was ended; its games are kept, and are there again when you host again."))

    def close_down(self) -> None:
        """Close the line, and end the server that was started here."""
        self.close_line()
        self.around.stop()
        self.hosting.stop()
        for link in self.findChildren(Link):
            link.wait()
        self.around.wait()


def _field_of(refused: Refused) -> str:
    """Return which field a server's refusal is about, empty if about none: its words come from the server as a template."""
    words = refused.text.template
    if "invite" in words:
        return "code"
    return "name" if "name" in refused.text.args and SHUT_OUT not in words else ""

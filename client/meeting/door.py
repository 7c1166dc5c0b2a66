"""The door to the servers: an address or link to be typed, those on the local network, those met before, and one of one's own."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QVBoxLayout, QWidget

from client.connection.identity import Known
from client.connection.lan import Found
from client.meeting.nearby_list import called, list_servers, server_line
from client.panels.widgets import Chooser, Column, button, clear, label, row
from client.qt import Qt, QTimer, Signal
from client.words import say
from core import protocol
from core.address import DEFAULT_PORT, Place, parse
from core.errors import BadInput
from core.identity import fingerprint
from core.text import text

FIELDS = ("address", "name", "code")


class Door(Column):
    """Asks which server shall be joined, and as whom.

    Signals:
        connect_wanted(): to the server that is typed.
        given_up(): it shall be tried no more.
        join_wanted(str): an address or link was chosen from the lists.
        rename_wanted(str, str): a server that was met shall be called otherwise: its place, its new title.
        forget_wanted(str): the key of a server that was met shall be forgotten: its place.
        renew_wanted(str): its key shall be forgotten, and it be joined again under its new one.
        host_wanted(): a server shall be started here, or the one that was be joined again.
        stop_wanted(): the server that was started here shall end.
        left(): back to the start page.
    """

    connect_wanted = Signal()
    given_up = Signal()
    join_wanted = Signal(str)
    rename_wanted = Signal(str, str)
    forget_wanted = Signal(str)
    renew_wanted = Signal(str)
    host_wanted = Signal()
    stop_wanted = Signal()
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Servers"))
        self._known: Sequence[Known] = ()
        self._renaming = self._forgetting = ""
        self._changed_place = ""
        back = button(self.tr("Back to the start page"), self.left.emit, tip=self.tr("Leave the servers alone, and go back"))
        self.column.addLayout(row(label(self.tr("Play over the network"), "heading"), back, stretch=0))
        words = self.tr("Names and games are kept by the server. Connections are encrypted; a join link also tells which server it is.")
        self.column.addWidget(label(words, "soft", wrap=True))
        self._build_form()
        self._build_warning()
        self.nearby, self.known = self.part(self.tr("On the local network")), self.part(self.tr("Servers you have met"))
        self._build_hosting()
        self.column.addStretch(1)

    def _build_form(self) -> None:
        self.address, self.name, self.code = QLineEdit(), QLineEdit(), QLineEdit()
        told = {
            "address": self.tr("Address or join link"), "name": self.tr("Your name"), "code": self.tr("Code, if you have one"),
        }
        self.faults: dict[str, QLabel] = {}
        for field, edit in zip(FIELDS, (self.address, self.name, self.code), strict=True):
            edit.setPlaceholderText(told[field])
            edit.setAccessibleName(told[field])
            edit.returnPressed.connect(self.connect_wanted)
        self.go = button(self.tr("Connect"), self.connect_wanted.emit, name="primary", tip=self.tr("Connect to this server"))
        self.column.addLayout(row(label(self.tr("Server")), self.address, stretch=1))
        self._add_fault("address")
        self.column.addLayout(row(label(self.tr("Name")), self.name, label(self.tr("Invite")), self.code, self.go, stretch=3))
        self._add_fault("name")
        self._add_fault("code")
        self.state = label("", "soft", wrap=True)
        self.state.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        keeps = self.state.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)
        self.state.setSizePolicy(keeps)
        self.state.hide()
        self.give_up = button(self.tr("Stop trying"), self.given_up.emit, tip=self.tr("Try no more to reach this server"))
        self.give_up.hide()
        self.column.addLayout(row(self.state, self.give_up, stretch=0))

    def tell(self, words: str) -> None:
        """Say something below the form, or nothing: an empty line would be read aloud as a thing without a name."""
        self.state.setText(words)
        self.state.setVisible(bool(words))

    def _invited(self, link: str) -> Place | None:
        """Take a whole invitation that was put where its code belongs apart: it tells the server as well."""
        try:
            place = parse(self.tr("Invite"), link)
        except BadInput as error:
            self.tell_fault("code", str(error.faults[0]))
            return None
        self.address.setText(msgspec.structs.replace(place, invite="").link)
        self.code.setText(place.invite)
        return place

    def typed_place(self) -> Place | None:
        """Return what is typed as an address, with the invite code that is typed; None, with the reason shown, if it is none."""
        typed = self.code.text().strip()
        if "://" in typed:  # whatever else is typed as an address, or nothing
            return self._invited(typed)
        try:
            place = parse(self.tr("Server"), _with_port(self.address.text().strip()))
        except BadInput as error:
            self.tell_fault("address", str(error.faults[0]))
            return None
        code = "-".join(typed.split())  # read out over a telephone, it is written with spaces
        if not code:
            return place
        if not all(letter.isalnum() or letter == "-" for letter in code) or not code.isascii() or len(code) > 64:
            words = self.tr("Invite code: letters, digits and dashes are wanted, 64 at most, not “{got}”").format(got=typed)
            self.tell_fault("code", words)
            return None
        return msgspec.structs.replace(place, invite=code)

    def has_name(self, *, is_known: bool) -> bool:
        """Say whether a name is typed that can be one, or none where the server *is_known* to have one for us; if not, show why."""
        name = self.name.text().strip()
        if _is_name(name) and (name or is_known):
            return True
        if name:
            self.tell_fault("name", self.tr("Your name: 1 to 40 letters that can be seen are wanted, not “{got}”").format(got=name))
        else:  # nothing was done wrong yet
            self.tell(self.tr("Say under which name you play there, and connect."))
            self.name.setFocus()
        return False

    def _add_fault(self, field: str) -> None:
        shown = self.faults[field] = label("", "warning", wrap=True)
        shown.hide()
        self.column.addWidget(shown)

    def tell_fault(self, field: str, words: str) -> None:
        """Say below a field what is wrong with what was typed into it; an empty *field*: nothing is wrong with any."""
        for name, shown in self.faults.items():
            shown.setText(words if name == field else "")
            shown.setVisible(name == field)
        if field:
            {"address": self.address, "name": self.name, "code": self.code}[field].setFocus()

    # ---------------------------------------------------------------- another key than before

    def _build_warning(self) -> None:
        self.warning = QFrame()
        self.warning.setObjectName("lesson")
        column = QVBoxLayout(self.warning)
        self._warned = label("", wrap=True)
        self._warned.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(label(self.tr("This server has another key than before"), "warning", wrap=True))
        column.addWidget(self._warned)
        keep = button(self.tr("Don't connect"), self.hide_warning, tip=self.tr("Keep the old key, and stay away"))
        renew = button(self.tr("Its host says so: trust the new key"), lambda: self.renew_wanted.emit(self._changed_place))
        renew.setToolTip(self.tr("Forget the old key, and connect"))
        column.addLayout(row(keep, renew))
        self.renew, self.stay_away = renew, keep
        self.warning.hide()
        self.column.addWidget(self.warning)

    def warn(self, place: str, was: str, now: str) -> None:
        """Show that a server's key is another than the one that is remembered, and what can be done."""
        self._changed_place = place
        words = self.tr(
            "{place}\nfingerprint before: {was}\nfingerprint now: {now}\n"
            "Either it was set up anew, or somebody stands between you and it. Ask its host, by telephone say, for his fingerprint."
        )
        self._warned.setText(words.format(place=place, was=was, now=now))
        self.warning.show()

    def hide_warning(self) -> None:
        """Show the warning no more."""
        self.warning.hide()

    # ---------------------------------------------------------------- lists

    def tell_nearby(self, words: str) -> None:
        """Say something in place of the servers nearby."""
        list_servers(self.nearby, (), words)

    def show_nearby(self, servers: Sequence[Found]) -> None:
        """List the servers on the local network."""
        lines = [self._nearby_line(server) for server in servers]
        list_servers(self.nearby, lines, self.tr("No server is announced on the local network."))

    def _nearby_line(self, server: Found) -> QWidget:
        states = {
            "new": self.tr("not met before"), "known": self.tr("met before"), "own": self.tr("runs on this computer"),
            "changed": self.tr("another key than before"),
        }
        place = server.places[0]
        remark = states[server.state] if server.speaks_ours else self.tr("speaks another version")
        told = say(text(
            "{name} · {games} {games:game|games}\n{place} · fingerprint {print} · {remark}",
            name=called(server), games=server.games, place=place.place, print=server.print_ or self.tr("none"), remark=remark,
        ))
        return server_line(server, told, self.join_wanted.emit)

    def show_known(self, servers: Sequence[Known]) -> None:
        """List the servers that were met."""
        self._known = servers
        clear(self.known)
        if not servers:
            words = self.tr("None yet. Whom you join is remembered here, with the fingerprint of its key.")
            self.known.addWidget(label(words, "soft", wrap=True))
        for server in servers:
            self.known.addWidget(self._known_line(server))

    def _known_line(self, server: Known) -> QWidget:
        if server.place == self._renaming:
            return self._rename_line(server)
        words = self.tr("{title}\n{place} · fingerprint {print} · you are {name} there")
        told = words.format(
            title=server.title or server.place, place=server.place, print=fingerprint(server.key), name=server.name or self.tr("nobody")
        )
        if server.place == self._forgetting:
            tip = self.tr("Its key will be taken on trust again")
            sure = button(self.tr("Yes, forget it"), lambda: self._forget(server.place), tip=tip)
            keep = button(self.tr("Keep it"), lambda: self._mark(), tip=self.tr("Keep this server"))
            return _line(label(told, wrap=True), sure, keep)
        join = button(self.tr("Join"), lambda: self.join_wanted.emit(f"tcp://{server.place}"), tip=self.tr("Connect to this server"))
        rename = button(self.tr("Rename"), lambda: self._mark(renaming=server.place), tip=self.tr("Call this server otherwise"))
        forget = button(self.tr("Forget"), lambda: self._mark(forgetting=server.place), tip=self.tr("Forget this server and its key"))
        return _line(label(told, wrap=True), join, rename, forget)

    def _rename_line(self, server: Known) -> QWidget:
        title = QLineEdit(server.title)
        title.setMaxLength(40)
        title.setPlaceholderText(server.place)
        title.setAccessibleName(self.tr("New name of the server"))
        title.returnPressed.connect(lambda: self._rename(server.place, title.text().strip()))
        keep = button(self.tr("Keep"), lambda: self._rename(server.place, title.text().strip()), tip=self.tr("Keep this name (Enter)"))
        QTimer.singleShot(0, title, title.setFocus)
        return _line(title, keep)

    def _mark(self, *, renaming: str = "", forgetting: str = "") -> None:
        self._renaming, self._forgetting = renaming, forgetting
        QTimer.singleShot(0, self, lambda: self.show_known(self._known))  # not now: a button that goes is what called

    def _rename(self, place: str, title: str) -> None:
        self._renaming = ""
        QTimer.singleShot(0, self, lambda: self.rename_wanted.emit(place, title))

    def _forget(self, place: str) -> None:
        self._forgetting = ""
        QTimer.singleShot(0, self, lambda: self.forget_wanted.emit(place))

    # ---------------------------------------------------------------- hosting

    def _build_hosting(self) -> None:
        self.column.addWidget(label(self.tr("Host a server on this computer"), "subheading"))
        words = self.tr(
            "It keeps games on this disk, for as long as this window is open, or until the last player leaves; "
            "others on your network find it by themselves."
        )
        self.column.addWidget(label(words, "soft", wrap=True))
        self.admits = Chooser()
        self.admits.setAccessibleName(self.tr("Who may join your server"))
        self.admits.addItem(self.tr("Anybody on this network may join"), False)
        self.admits.addItem(self.tr("Newcomers need an invite code"), True)
        self.host = button("", self.host_wanted.emit)
        ends = self.tr("End the server that was started here")
        self.stop = button(self.tr("Stop hosting …"), lambda: self._ask_to_stop(on=True), tip=ends)
        self.column.addLayout(row(self.admits, self.host, self.stop, stretch=0))
        asked = self.tr("End the server? Others may be connected to it; games are kept, and go on when you host again.")
        self.stop_now = button(self.tr("Yes, end it"), self.stop_wanted.emit, tip=ends)
        go_on = button(self.tr("No, go on"), lambda: self._ask_to_stop(on=False), tip=self.tr("Let the server go on"))
        self._stopping = QFrame()
        self._stopping.setLayout(row(label(asked, "warning", wrap=True), self.stop_now, go_on, stretch=0))
        self.column.addWidget(self._stopping)
        self.show_hosting(runs=False)

    def _ask_to_stop(self, *, on: bool) -> None:
        self._stopping.setVisible(on)

    def show_hosting(self, *, runs: bool) -> None:
        """Show whether a server that was started here runs."""
        self.admits.setEnabled(not runs)
        self.host.setText(self.tr("Join your server") if runs else self.tr("Start a server"))
        self.host.setToolTip(self.tr("Join the server that was started here") if runs else self.tr("Start a server here and join it"))
        self.stop.setVisible(runs)
        self._ask_to_stop(on=False)


def _line(*parts: QWidget) -> QWidget:
    """Return a line of a list: the first part takes what the others leave."""
    holder = QFrame()
    holder.setLayout(row(*parts, stretch=0))
    return holder


def _with_port(address: str) -> str:
    """Return an address of numbers, or of a domain, with the usual port if it was told without one."""
    return f"{address}:{DEFAULT_PORT}" if re.fullmatch(r"[\w-]+(\.[\w-]+)+", address) else address


def _is_name(name: str) -> bool:
    try:
        protocol.decode_from_client(protocol.encode(protocol.Hello(protocol.VERSION, name)))
    except BadInput:
        return False
    return True

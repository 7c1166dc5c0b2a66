"""What a server's owner does: invite codes, roles, who is shut out, how the server is."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QLineEdit, QVBoxLayout, QWidget

from client.durations import MINUTE, SECOND, how_long
from client.panels.referee import whole
from client.panels.widgets import Chooser, Column, button, clear, label, program_tip, row
from client.qt import Qt, QTimer, Signal
from client.scale import px
from client.session.saved import clock
from client.words import capital, say
from core import protocol
from core.text import text

MOST_USES, MOST_DAYS = 1_000, 366


class PeopleBox(Column):
    """Shown to owners.

    Signals:
        send_wanted(object): a frame for the server.
        end_wanted(): the server shall end.
    """

    send_wanted = Signal(object)
    end_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("People of this server"))
        self.me = ""  # who looks on here
        self.link = ""  # the server's join link, an invite is added to it
        self.print_ = ""  # the fingerprint of its key, which who joins by its address alone asks for
        self.code = self._invited = ""
        self._kicking = ""
        self._status: protocol.Status | None = None
        self._build_invite()
        self.fault = label("", "warning", wrap=True)
        self.fault.hide()
        self.column.addWidget(self.fault)
        self.column.addWidget(label(self.tr("Who holds a name here"), "subheading"))
        self.how = label("", "soft", wrap=True)
        self.column.addWidget(self.how)
        self.trouble = label("", "warning", wrap=True)
        self.trouble.hide()
        self.column.addWidget(self.trouble)
        holder = Column()
        self.members = holder.column
        self.members.setContentsMargins(0, 4, 4, 4)  # in line with what is above
        holder.setAccessibleName(self.tr("Who holds a name here"))
        self.column.addWidget(holder, 1)
        self._build_end()

    def _build_end(self) -> None:
        ends = self.tr("End the server that a window left running, for everybody; its games are kept")
        self.end = button(self.tr("End this server …"), lambda: self._ask_to_end(on=True), tip=ends)
        self.end.hide()
        self.end_now = button(self.tr("Yes, end it"), self.end_wanted.emit, tip=ends)
        go_on = button(self.tr("No, go on"), lambda: self._ask_to_end(on=False), tip=self.tr("Let the server go on"))
        self._ending = QFrame()
        warned = label(self.tr("Everybody who plays there is cut off."), "warning", wrap=True)
        self._ending.setLayout(row(warned, self.end_now, go_on, stretch=0))
        self._ending.hide()
        self.column.addLayout(row(self.end))
        self.column.addWidget(self._ending)

    def _ask_to_end(self, *, on: bool) -> None:
        self._ending.setVisible(on)
        self.end.setEnabled(not on)
        if on:
            self.end_now.setFocus()

    def _build_invite(self) -> None:
        self.column.addWidget(label(self.tr("Invite somebody"), "subheading"))
        self.role = self._roles(self.tr("What they may do"))
        self.uses, self.days = QLineEdit("1"), QLineEdit("7")
        for edit, words in ((self.uses, self.tr("How many people")), (self.days, self.tr("For how many days"))):
            edit.setAccessibleName(words)
            edit.setFixedWidth(px(60))
        parts = (self.role, label(self.tr("people")), self.uses, label(self.tr("days")), self.days)
        self.column.addLayout(row(*parts, stretch=0))
        make = button(self.tr("Make an invite code"), self._invite, tip=self.tr("Make a code that lets newcomers in"))
        self.copy = button(self.tr("Copy the invitation"), self._copy, tip=self.tr("Copy the link with the code, to be sent to a friend"))
        self.copy.setEnabled(False)
        self.column.addLayout(row(make, self.copy))
        self.told = label("", wrap=True)
        self.told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.told.hide()
        self.column.addWidget(self.told)
        holder = QWidget()
        self.invites = QVBoxLayout(holder)
        self.invites.setContentsMargins(0, 4, 4, 4)
        holder.setAccessibleName(self.tr("Invite codes that are open"))
        self.column.addWidget(holder)

    def _roles(self, name: str) -> Chooser:
        titles = {
            "player": self.tr("may play"), "spectator": self.tr("may look on"), "referee": self.tr("is a referee"),
            "owner": self.tr("owns the server"),
        }
        made = Chooser()
        made.setAccessibleName(name)
        for role in get_args(protocol.Role):
            made.addItem(titles[role], role)
        return made

    def tell_fault(self, words: str) -> None:
        """Say why what was wanted can't be; empty: nothing is wrong."""
        self.fault.setText(words)
        self.fault.setVisible(bool(words))
        if words:
            self._again()  # a role that is refused was chosen in its box, and does not hold

    # ---------------------------------------------------------------- invites

    def _invite(self) -> None:
        self.tell_fault("")
        uses, days = whole(self.uses.text(), MOST_USES), whole(self.days.text(), MOST_DAYS)
        for edit, found, most in ((self.uses, uses, MOST_USES), (self.days, days, MOST_DAYS)):
            if not found:
                words = self.tr("{field}: a whole number from 1 to {most} is wanted, not “{got}”")
                self.tell_fault(words.format(field=edit.accessibleName(), most=most, got=edit.text()))
                edit.setFocus()
                return
        self.send_wanted.emit(protocol.MakeInvite(self.role.currentData(), uses or 1, days or 1))

    def show_invite(self, invite: protocol.Invite) -> None:
        """Show a code that was made; it can't be shown again."""
        self.code = invite.code
        self._invited = f"{self.link}?invite={invite.code}" if self.link.startswith("rasputitsa://") else invite.code
        words = say(text(
            "Code {code}, good for {uses} {uses:newcomer|newcomers} and {days} {days:day|days}. It is shown but once.",
            code=invite.code, uses=invite.uses, days=invite.days,
        ))
        if invite.mark:
            words += " " + self.tr("The list calls it {mark}.").format(mark=invite.mark)
        self.told.setText(words + (f"\n{self._invited}" if self._invited != invite.code else ""))
        self.told.show()
        self.copy.setEnabled(True)

    def _show_invites(self, invites: tuple[protocol.OpenInvite, ...]) -> None:
        """List the codes that let somebody in yet, by their marks, as nobody but who has a code knows it."""
        clear(self.invites)
        if invites:
            self.invites.addWidget(label(self.tr("Invite codes that are open"), "soft"))
        for invite in invites:
            words = say(text(
                "{mark}: {role}, {uses} {uses:newcomer|newcomers}, {time} more",
                mark=invite.mark, role=self.role.itemText(self.role.findData(invite.role)), uses=invite.uses,
                time=how_long(max(0, invite.until_ms - clock() + MINUTE)),  # one for 7 days was made a moment ago
            ))
            back = button(self.tr("Take back"), self._revoking(invite.mark), tip=self.tr("Let this code let nobody in any more"))
            holder = QWidget()
            holder.setLayout(row(label(words, wrap=True), back, stretch=0))
            self.invites.addWidget(holder)

    def _revoking(self, mark: str) -> Callable[[], None]:
        def revoke() -> None:
            self.tell_fault("")
            self.send_wanted.emit(protocol.RevokeInvite(mark))

        return revoke

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._invited)

    # ---------------------------------------------------------------- members

    def show_status(self, status: protocol.Status, *, anew: bool = False) -> None:
        """Show who holds names, and how the server is."""
        is_same = self._status is not None and self._status.members == status.members and not anew
        if self._status is None or self._status.invites != status.invites:
            self._show_invites(status.invites)
        self._status = status
        self.end.setVisible(status.may_end)
        told = [say(text(
            "{program}, up for {time} · {lines} {lines:connection|connections} · {games} {games:game|games}",
            program=status.program, time=how_long(status.uptime_s * SECOND), lines=status.connections, games=status.games,
        ))]
        if self.print_:
            told.insert(0, self.tr("The fingerprint of this server is {print}").format(print=self.print_))
        told += [f"{game}: {why}" for game, why in status.faulty.items()]
        if status.unread:
            told.append(say(text("and {n} {n:game|games} more that can't be read", n=status.unread)))
        self.how.setText("\n".join(told))
        self.trouble.setText(capital(status.trouble))
        self.trouble.setVisible(bool(status.trouble))
        if is_same:
            return  # what is being chosen there stays open
        clear(self.members)
        for member in status.members:
            self.members.addWidget(self._member(member))
        if status.unnamed:
            self.members.addWidget(label(say(text("and {n} more", n=status.unnamed)), "soft"))
        self.members.addStretch(1)

    def _member(self, member: protocol.Member) -> QWidget:
        here = self.tr("here") if member.lines else self.tr("away")
        state = self.tr("shut out") if member.is_shut_out else here
        key = self.tr("key of {name}: {print}").format(name=member.name, print=member.fingerprint)  # the server has one, too
        told = label(f"{member.name} · {state}\n{key}", "soft" if member.is_shut_out else "", wrap=True)
        told.setToolTip(program_tip(member.programs))
        role = self._roles(self.tr("Role of {name}").format(name=member.name))
        role.setCurrentIndex(role.findData(member.role))
        role.currentIndexChanged.connect(lambda _: self._give(member.name, role.currentData()))
        holder = QFrame()
        if member.is_shut_out:
            back = button(self.tr("Let in again"), lambda: self._give(member.name, member.role), tip=self.tr("Let this key in again"))
            holder.setLayout(row(told, back, stretch=0))
        elif self._kicking == member.name:
            sure = button(self.tr("Yes, shut out"), lambda: self._kick(member.name), tip=self.tr("Let this key in no more"))
            holder.setLayout(row(told, sure, button(self.tr("No"), self._unmark, tip=self.tr("Leave it")), stretch=0))
        else:
            if member.name == self.me:
                holder.setLayout(row(told, role, stretch=0))
                return holder
            out = button(self.tr("Shut out"), lambda: self._mark(member.name), tip=self.tr("Let this key in no more"))
            holder.setLayout(row(told, role, out, stretch=0))
        return holder

    def _give(self, name: str, role: protocol.Role) -> None:
        self.tell_fault("")
        self.send_wanted.emit(protocol.GiveRole(name, role))

    def _mark(self, name: str) -> None:
        self._kicking = name
        self._again()

    def _unmark(self) -> None:
        self._mark("")

    def _kick(self, name: str) -> None:
        self._kicking = ""
        self.tell_fault("")
        self.send_wanted.emit(protocol.Kick(name))

    def _again(self) -> None:
        status = self._status
        if status is not None:
            QTimer.singleShot(0, self, lambda: self.show_status(status, anew=True))  # not now: a button that goes is what called

"""The servers around: those on the local network, and those that were met; the door lists them while none is joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from client.connection.identity import SERVERS_FILE, KnownServers
from client.connection.lan import Found
from client.meeting.door import Door
from client.nearby import Nearby
from client.qt import QObject, Signal
from core.errors import BadInput
from core.identity import PublicKey


class Around(QObject):
    """Looks for servers, and keeps what is changed of those that were met.

    Args:
        door: lists them, and asks for the changes.
        keys: the folder of the known servers.
        is_wanted: whether the door is looked at, and no server joined.
        own: returns the key of the server that was started here, empty without one.

    Signals:
        renewed(): what was known of a server is forgotten, so that its new key can be trusted.
    """

    renewed = Signal()

    def __init__(self, door: Door, keys: Path, *, is_wanted: Callable[[], bool], own: Callable[[], PublicKey]) -> None:
        super().__init__(door)
        self._door, self._keys, self._is_wanted, self._own = door, keys, is_wanted, own
        self.nearby = Nearby(self)
        self.nearby.found.connect(self.show_nearby)
        door.rename_wanted.connect(self._rename)
        door.forget_wanted.connect(self._forget)
        door.renew_wanted.connect(self._renew)

    def look(self) -> None:
        """Look for servers while that is wanted, and list those that were met."""
        if not self._is_wanted():
            return
        try:
            known = KnownServers(self._keys / SERVERS_FILE)
            why = self.nearby.start(known)
            self._list(known)
        except (BadInput, OSError) as error:
            why = str(error)
        self._door.tell_nearby(why or self.tr("Servers on the local network appear here by themselves."))

    def _list(self, known: KnownServers) -> None:
        self._door.show_known(sorted(known.all().values(), key=lambda server: (server.title or server.place).casefold()))

    def stop(self) -> None:
        """Look no more."""
        self.nearby.stop()

    def wait(self) -> None:
        """Wait until the last look is over."""
        self.nearby.wait()

    def show_nearby(self, servers: Sequence[Found]) -> None:
        """List the servers on the local network, until one is joined."""
        if self._is_wanted():
            own = self._own()  # it is not known by its key before it is joined
            self._door.show_nearby([msgspec.structs.replace(one, state="own") if own and one.key == own else one for one in servers])

    def _change(self, place: str, *, title: str | None = None) -> bool:
        """Rename a server that was met, or forget it where no title is given, and list them anew; say whether that could be kept."""
        try:
            known = KnownServers(self._keys / SERVERS_FILE)
            if title is None:
                known.forget(place)
            else:
                known.rename(place, title)
            self._list(known)  # and those nearby stay listed
        except (BadInput, OSError) as error:
            self._door.tell(self.tr("The servers that were met can't be kept: {why}").format(why=error))
            return False
        return True

    def _rename(self, place: str, title: str) -> None:
        self._change(place, title=title)

    def _forget(self, place: str) -> None:
        self._change(place)

    def _renew(self, place: str) -> None:
        if self._change(place):
            self.renewed.emit()

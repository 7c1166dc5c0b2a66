"""Where a server is: ``tcp://HOST:PORT``, or a join link that also carries its key and an invite.

``rasputitsa://HOST:PORT/KEY?invite=CODE`` is what a host hands to a friend: whoever connects by it knows the server's key beforehand and
needs to trust nobody on the way. A plain address has no key; it must be remembered or asked for (docs/protocol.md).
"""

from __future__ import annotations

import ipaddress
import re

import msgspec

from core.errors import BadInput
from core.identity import curve_key

DEFAULT_PORT = 5757
PROTOCOL = 3  # the version of what is spoken there (`core.protocol`)
EXPECTED = "tcp://HOST:PORT, such as tcp://192.168.1.20:5757, or a join link rasputitsa://HOST:PORT/KEY"
_HOST = r"(?P<host>\[[0-9A-Fa-f:.%\w]+\]|[^\s:/\[\]?]+)"
_REST = r"(?:/(?P<key>\w*))?(?:\?invite=(?P<invite>[A-Za-z0-9-]{0,64}))?"
_ADDRESS = re.compile(rf"(?:(?P<scheme>(?i:tcp|rasputitsa))://)?{_HOST}:(?P<port>[0-9]{{1,5}}|\*){_REST}\Z")


class Place(msgspec.Struct, frozen=True):
    """A server's place. *port* 0: any; *key* is its public key, empty where not known; *invite* a code for a newcomer.

    >>> parse("ADDRESS", "tcp://10.0.0.7:5757").tcp
    'tcp://10.0.0.7:5757'
    >>> parse("ADDRESS", "rasputitsa://[fe80::1]:5757/73aufbtt62x6retewoahgrformtj2es2ka4fkibgq7nvu4jik6pq?invite=abcd").place
    '[fe80::1]:5757'
    >>> Place("10.0.0.7", 5757, invite="abcd").link
    'tcp://10.0.0.7:5757?invite=abcd'
    """

    host: str
    port: int
    key: str = ""
    invite: str = ""

    @property
    def place(self) -> str:
        """Return ``HOST:PORT``."""
        return f"{self.host}:{self.port or '*'}"

    @property
    def tcp(self) -> str:
        """Return what a socket connects to."""
        return f"tcp://{self.place}"

    @property
    def link(self) -> str:
        """Return the join link; the plain address where the key is not known; with the invite, if there is one, in any case."""
        where = f"rasputitsa://{self.place}/{self.key}" if self.key else self.tcp
        return where + (f"?invite={self.invite}" if self.invite else "")

    @property
    def is_here(self) -> bool:
        """Say whether it is on this machine's loopback."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False  # a name, such as 127.example.org


def one_spelling(host: str) -> str:
    """Return the one spelling of a host by which it is remembered.

    >>> one_spelling("Club.Example."), one_spelling("[FE80:0:0:0:0:0:0:1%Eth0]")
    ('club.example', '[fe80::1%Eth0]')
    """
    if host.startswith("["):
        try:
            return f"[{ipaddress.IPv6Address(host[1:-1])}]"
        except ValueError:
            return host
    return (host.removesuffix(".") or host).lower()


def one_place(place: str) -> str:
    """Return the one spelling of ``HOST:PORT``."""
    host, _, port = place.rpartition(":")
    return f"{one_spelling(host)}:{port}"


def parse(where: str, text: str, *, any_port: bool = False) -> Place:
    """Read an address, with or without ``tcp://``, or a join link; BadInput, naming *where* it was given, if it is none.

    Blanks and line ends at its edges are no part of it, and however a host is spelt, the place has `one_spelling`.

    Args:
        any_port: let the port be ``*``, for one that the system chooses.
    """
    found = _ADDRESS.match(text.strip())
    if found is None:
        raise BadInput.one(where, EXPECTED, text)
    port, host = found["port"], one_spelling(found["host"])
    if port == "*" and any_port:
        return Place(host, 0)
    if not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise BadInput.one(where, EXPECTED, text)
    key = found["key"] or ""
    if (found["scheme"] or "").lower() == "rasputitsa" or key:
        try:
            curve_key(key)
        except BadInput as error:
            raise BadInput.one(where, "a join link with a server's key, as its host has given it", text) from error
    return Place(host, int(port), key, found["invite"] or "")

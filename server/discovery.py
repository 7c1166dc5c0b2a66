"""How others find a server: the line of text that tells its key, the join links, and the announcement on the local network (zeroconf).

Anybody can announce anything: an announcement is a hint, and what counts is the key, which the client checks and remembers.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import secrets
import socket
import traceback
import unicodedata
import warnings
from collections.abc import Callable

import ifaddr
import msgspec
from zeroconf import Error, IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from core import protocol
from core.address import Place
from core.identity import PublicKey, fingerprint
from server.always import again

SERVICE = "_rasputitsa._tcp.local."
TXT_BYTES = 255  # of one entry, with its name
LABEL_BYTES = 63 - len("-999")  # of a name in the DNS, with room for the number that zeroconf puts behind one which is taken
BACKLOG = 100  # of who asks for the key
AGAIN_S = 1.0  # after whoever asks could not be let in
TAKEN_MS = 2_000  # for whoever has a name already to say so
MOST_NUMBERED = 100
LOOK_S = 5.0  # between looks at this machine's addresses
LOOKS_AN_UPDATE = 6
logger = logging.getLogger("rasputitsa.server.discovery")


# -------------------------------------------------------------------- this machine's addresses


def addresses() -> list[str]:
    """Return the addresses of this machine's interfaces, IPv4 first, without loopback; not of its name: that is 127.0.1.1 on Debian.

    Link-local ones of IPv6 need a zone, which differs from machine to machine, and are left out.
    """
    found: list[str] = []
    for adapter in ifaddr.get_adapters():
        for text in _texts(adapter):
            address = ipaddress.ip_address(text)
            if not address.is_loopback and not (address.version == 6 and address.is_link_local):
                found.append(text)
    return sorted(dict.fromkeys(found), key=lambda text: ":" in text)


def _texts(adapter: ifaddr.Adapter) -> list[str]:
    return [ip.ip if isinstance(ip.ip, str) else ip.ip[0] for ip in adapter.ips]


def reachable(bound: Place) -> list[str]:
    """Return the addresses at which a bound socket is reached from other machines."""
    host = bound.host.strip("[]")
    if host == "0.0.0.0":
        return [one for one in addresses() if ":" not in one]
    if host == "::":
        return addresses()
    return [] if bound.is_here else [host]


def interfaces_of(hosts: list[str]) -> set[int | None]:
    """Return the numbers of the interfaces that have these addresses; one that went and came back has another, and is in no group."""
    found = {text: adapter.index for adapter in ifaddr.get_adapters() for text in _texts(adapter)}
    return {found[host] for host in hosts if host in found}


def heard_at(hosts: list[str]) -> list[str]:
    """Return these addresses, and one of the other kind of each interface where all of its are of one, if it has any.

    Who asks whether a name is taken by IPv6 alone is heard by none that listens to IPv4 alone; a client hears both.
    """
    found = list(hosts)
    for texts in map(_texts, ifaddr.get_adapters()):
        kinds = {":" in text for text in texts if text in hosts}
        if len(kinds) == 1:
            found += [text for text in texts if (":" in text) not in kinds][:1]
    return found


def links(bound: Place, *, invite: str = "") -> list[str]:
    """Return the join links of a server, one an address; of a server on the loopback that one."""
    hosts = [f"[{one}]" if ":" in one else one for one in reachable(bound)]
    if not hosts:
        hosts = [{"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(bound.host, bound.host)]
    return [msgspec.structs.replace(bound, host=host, invite=invite).link for host in hosts]


# -------------------------------------------------------------------- the line that tells the key


class Greeter:
    """Tells whoever asks, one port above the server's, which version it speaks and what its key is: a line of clear text.

    It reads nothing, and is done with a connection at once. Its sockets are its own: where no file can be opened any more, one of asyncio
    writes a hundred records into the log at each of its tries, and each of those brings a try more.
    """

    def __init__(self, key: PublicKey) -> None:
        self._line = f"rasputitsa {protocol.VERSION} {key}\n".encode()
        self._open: list[socket.socket] = []
        self._waits: dict[socket.socket, asyncio.TimerHandle] = {}
        self._is_full = False

    def open(self, bound: Place) -> bool:
        """Answer from now on, in the running loop; False, with the reason logged, if the port can't be had: the join link tells the key."""
        hosts = ["0.0.0.0", "::"] if bound.host == "[::]" else [bound.host.strip("[]")]
        try:
            for host in hosts:
                kind = socket.AF_INET6 if ":" in host else socket.AF_INET
                self._open.append(socket.create_server((host, bound.port + 1), family=kind, backlog=BACKLOG))
        except (OSError, OverflowError) as error:
            logger.warning("nobody can ask for the key; hand out the join link", extra={"port": bound.port + 1, "reason": str(error)})
            self.close()
            return False
        for one in self._open:
            one.setblocking(False)
            self._listen(one)
        return True

    def _listen(self, at: socket.socket) -> None:
        self._waits.pop(at, None)
        asyncio.get_running_loop().add_reader(at, self._tell_next, at)

    def _tell_next(self, at: socket.socket) -> None:
        """Tell whoever has asked first; the log says once that nobody can be let in, until somebody can."""
        try:
            line, _ = at.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # whoever asked is gone
        except OSError as error:
            if not self._is_full:
                logger.warning("nobody can ask for the key now", extra={"reason": str(error)})
            self._is_full = True
            loop = asyncio.get_running_loop()
            loop.remove_reader(at)
            self._waits[at] = loop.call_later(AGAIN_S, self._listen, at)
            return
        self._is_full = False
        with line, contextlib.suppress(OSError):  # gone as well
            line.setblocking(False)
            line.send(self._line)  # there is room for it on a new line

    def close(self) -> None:
        """Answer no more."""
        for wait in self._waits.values():
            wait.cancel()
        for one in self._open:
            asyncio.get_running_loop().remove_reader(one)
            one.close()
        self._open.clear()


# -------------------------------------------------------------------- zeroconf


class Announcing(msgspec.Struct, frozen=True):
    """How a server is announced: what it is called; empty for this machine's name."""

    name: str = ""


def called(name: str) -> str:
    """Return a name, or this machine's, composed as names of the DNS are, and cut to what it takes."""
    wanted = unicodedata.normalize("NFC", name or socket.gethostname().partition(".")[0])
    plain = "".join(letter if letter.isprintable() and letter != "." else " " for letter in wanted)
    return plain.strip().encode()[:LABEL_BYTES].decode(errors="ignore").strip() or "rasputitsa"


def _full(name: str) -> str:
    return f"{name}.{SERVICE}"


def txt(key: PublicKey, games: int, players: int) -> dict[str, str]:
    """Return what is said of the server: version, how many games and players, key, start of its fingerprint; each at most 255 bytes."""
    said = {"version": str(protocol.VERSION), "games": str(games), "players": str(players), "key": key, "print": fingerprint(key)[:9]}
    assert all(len(f"{name}={value}".encode()) <= TXT_BYTES for name, value in said.items()), said
    return said


def _zeroconf(hosts: list[str], version: IPVersion) -> AsyncZeroconf:
    """Return zeroconf on these addresses; OSError and errors of its own if it can't use them."""
    with warnings.catch_warnings():
        # It drops sockets unclosed whose interface vanishes while it binds; they close as they go.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            return AsyncZeroconf(interfaces=hosts, ip_version=version)
        except BaseException as error:
            traceback.clear_frames(error.__traceback__)  # what they hold of it goes here and not later
            raise


def _zeroconf_on_both_kinds(hosts: list[str]) -> AsyncZeroconf:
    """Return zeroconf on these addresses, and on others of the same interfaces where that can be; errors as for `_zeroconf`."""
    heard = heard_at(hosts)
    try:
        return _zeroconf(heard, _kinds(heard))
    except (OSError, RuntimeError, Error):
        if heard == hosts:
            raise
    return _zeroconf(hosts, _kinds(hosts))


def _kinds(hosts: list[str]) -> IPVersion:
    return IPVersion.All if any(":" in host for host in hosts) else IPVersion.V4Only


async def _free(zeroconf: AsyncZeroconf, name: str) -> str:
    """Return a name that nobody has: this one, or, as whoever has it already writes it, with a number behind it.

    To the DNS capitals and small letters are one, and a client finds one server of two such names; zeroconf numbers only equal ones, of
    which it has heard: whoever announced his within the last second may not say so again (RFC 6762, section 6).
    """
    found = await zeroconf.async_get_service_info(SERVICE, name, TAKEN_MS)
    if found is None:
        return name
    stem = found.name.removesuffix(f".{SERVICE}")
    for number in range(2, MOST_NUMBERED):
        if await zeroconf.async_get_service_info(SERVICE, numbered := _full(f"{stem}-{number}"), TAKEN_MS) is None:
            return numbered
    return name


class Announcement:
    """A server's announcement on the local network. Where there is no network, or no multicast, the server runs without.

    Args:
        bound: where it answers.
        counts: returns how many games it has, and how many players are connected.
    """

    def __init__(self, announcing: Announcing, bound: Place, counts: Callable[[], tuple[int, int]]) -> None:
        self._announcing, self._bound, self._counts = announcing, bound, counts
        # A restored server has the key of the one that was backed up: under one name in the DNS each would have the other's addresses.
        self._host = f"rasputitsa-{bound.key[:16]}-{secrets.token_hex(4)}.local."
        self._zeroconf: AsyncZeroconf | None = None
        self._info: AsyncServiceInfo | None = None
        self._failed = ""  # why it could not be announced last, told once
        self._told_as = ""  # under which other name than its own it is found, told once
        self._looks = 0
        self._was: tuple[list[str], set[int | None]] | None = None  # which addresses and interfaces there were at the last look
        self._told = (0, 0)  # which counts were told last

    async def open(self) -> bool:
        """Announce the server; False, with the reason logged, if that can't be."""
        hosts = reachable(self._bound)
        if not hosts:
            logger.info("not announced: no address that others reach", extra={"bound": self._bound.place})
            return False
        self._info = self._said(_full(wanted := called(self._announcing.name)))
        try:
            self._zeroconf = _zeroconf_on_both_kinds(hosts)
            self._info.name = await _free(self._zeroconf, self._info.name)
            await self._zeroconf.async_register_service(self._info, allow_name_change=True)
        except (OSError, RuntimeError, Error) as error:
            reason = f"{type(error).__name__}: {error}"
            level = logging.INFO if reason == self._failed else logging.WARNING
            logger.log(level, "not announced on the local network", extra={"reason": reason})
            self._failed = reason
            await self.close()
            return False
        self._failed = ""
        logger.info("announced", extra={"as": self._info.name, "addresses": ", ".join(hosts)})
        self._tell_if_taken(wanted, self._info.name)
        return True

    def _tell_if_taken(self, wanted: str, name: str) -> None:
        """Tell the host that another has his server's name: his players may take that one for his."""
        if name in (_full(wanted), self._told_as):
            return
        self._told_as = name
        words = "another server is announced as %s here; this one is found as %s, and told from it by its fingerprint, %s"
        logger.warning(words, wanted, name.removesuffix(f".{SERVICE}"), fingerprint(self._bound.key))

    async def keep(self) -> None:
        """Announce the server until cancelled: anew when this machine's addresses have changed, or when it could not be.

        A machine may come to its network late, leave it, and come back under another address, or under the same by another interface (a
        driver that was loaded anew). One that was down for a moment needs nothing: the system keeps its groups. How many games and
        players the server has is told when that has changed.
        """
        await again("announcing the server on the local network", self._look, LOOK_S)

    async def _look(self) -> None:
        is_due = self._looks % LOOKS_AN_UPDATE == 0
        hosts = reachable(self._bound)
        if (now := (hosts, interfaces_of(hosts))) != self._was or (is_due and hosts and self._zeroconf is None):
            await self.close()
            self._was, self._told = now, self._counts()
            await self.open()
        elif is_due and (counts := self._counts()) != self._told and self._zeroconf is not None and self._info is not None:
            self._info = self._said(self._info.name)
            await self._zeroconf.async_update_service(self._info)
            self._told = counts
        self._looks += 1

    def _said(self, name: str) -> AsyncServiceInfo:
        return AsyncServiceInfo(
            SERVICE, name, port=self._bound.port, properties=txt(self._bound.key, *self._counts()),
            server=self._host, parsed_addresses=reachable(self._bound),
        )

    async def close(self) -> None:
        """Say goodbye."""
        zeroconf, self._zeroconf = self._zeroconf, None
        if zeroconf is not None:
            try:
                await zeroconf.async_unregister_all_services()
            except OSError as error:
                logger.warning("no goodbye on the local network", extra={"reason": str(error)})
            await zeroconf.async_close()

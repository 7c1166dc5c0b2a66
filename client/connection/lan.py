"""The servers that are announced on the local network, as they come and go; no Qt.

What an announcement says is a hint: whoever connects checks the key.
"""

from __future__ import annotations

import errno
import threading
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import msgspec
from zeroconf import Error, InterfaceChoice, IPVersion, ServiceBrowser, ServiceInfo, ServiceListener, Zeroconf

from client.connection.identity import KnownServers
from core.address import PROTOCOL, Place, parse
from core.errors import BadInput
from core.identity import PublicKey, fingerprint
from core.text import printable

SERVICE = "_rasputitsa._tcp.local."
ASK_MS = 3_000
AT_ONCE = 16  # servers that are asked what they say of themselves; one that is announced and doesn't answer keeps no other from being found
MOST = 100  # servers that are listed; the first that came
MOST_PLACES = 8  # of a server
NAME = 63  # letters of a name


class Found(msgspec.Struct, frozen=True):
    """A server that is announced.

    *places* are its addresses, the likeliest first; *key* what it says its key is, empty if it says none that is one. *state* tells how
    that compares with what we remember of these addresses: ``new``, ``known``, ``own`` if it was met on this computer, or ``changed``:
    then it is not to be trusted.
    """

    name: str
    places: tuple[Place, ...]
    key: PublicKey
    version: int
    games: int
    state: str
    players: int = 0

    @property
    def print_(self) -> str:
        """Return the fingerprint of the key that it says is its own."""
        return fingerprint(self.key) if self.key else ""

    @property
    def speaks_ours(self) -> bool:
        """Say whether it speaks our version of the protocol."""
        return self.version == PROTOCOL


Listener = Callable[[tuple[Found, ...]], None]


class Browser:
    """Looks for servers until it is closed.

    Args:
        tell: called with all that are there, whenever that changes; in threads of its own, one call after the other, the newest last.
        known: the servers that we have met.

    Raises:
        OSError: there is no network that could be asked.
    """

    def __init__(self, tell: Listener, known: KnownServers) -> None:
        self._tell, self._known = tell, known
        self._found: dict[str, Found] = {}
        self._there: set[str] = set()  # names that are announced, and have not gone while they were asked
        self._lock, self._telling = threading.Lock(), threading.Lock()
        self._askers = ThreadPoolExecutor(AT_ONCE, "asker")
        self._zeroconf = _zeroconf()
        self._browser = ServiceBrowser(self._zeroconf, SERVICE, listener=_Hearing(self))

    def found(self) -> tuple[Found, ...]:
        """Return the servers that are there, by name."""
        with self._lock:
            return tuple(self._found[name] for name in sorted(self._found))

    def close(self) -> None:
        """Look no more."""
        self._browser.cancel()
        self._askers.shutdown(cancel_futures=True)
        self._zeroconf.close()

    def came(self, name: str) -> None:
        """Ask what a server says of itself, as soon as one of few askers is free; what can't be used is left out."""
        with self._lock:
            self._there.add(name)
        with suppress(RuntimeError):  # nobody looks any more
            self._askers.submit(self._ask, name)

    def _ask(self, name: str) -> None:
        try:
            info = self._zeroconf.get_service_info(SERVICE, name, timeout=ASK_MS)
        except (Error, OSError, RuntimeError):  # a name that can be none, or nobody looks any more
            info = None
        found = None if info is None else read(info, self._known)
        with self._lock:
            if found is None or name not in self._there:
                self._found.pop(name, None)
            elif name in self._found or len(self._found) < MOST:
                self._found[name] = found
        self._tell_found()

    def _tell_found(self) -> None:
        # Several are asked at once: who was told late what had been there before would show that for as long as nothing changes.
        with self._telling:
            self._tell(self.found())

    def went(self, name: str) -> None:
        """Forget a server that said goodbye, or was silent for too long."""
        with self._lock:
            self._there.discard(name)
            self._found.pop(name, None)
        self._tell_found()


class _Hearing(ServiceListener):
    """What zeroconf calls."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    def add_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        self._browser.came(name)

    def update_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        self._browser.came(name)

    def remove_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        self._browser.went(name)


def _zeroconf() -> Zeroconf:
    for version in (IPVersion.All, IPVersion.V4Only):  # some systems have IPv6 switched off
        try:
            return _zeroconf_of(version)
        except OSError as error:
            failed: Exception = error
        except (RuntimeError, Error) as error:  # zeroconf's, for a machine none of whose interfaces is up
            failed = error
    raise OSError(errno.ENETDOWN, f"the local network can't be asked: {failed}") from failed


def _zeroconf_of(version: IPVersion) -> Zeroconf:
    with warnings.catch_warnings():
        # It drops sockets unclosed whose interface vanishes while it binds; they close as they go.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            return Zeroconf(interfaces=InterfaceChoice.All, ip_version=version)
        except BaseException as error:
            traceback.clear_frames(error.__traceback__)  # what they hold of it goes here and not later
            raise


def read(info: ServiceInfo, known: KnownServers) -> Found | None:
    """Return what an announcement says, None if it names no place. Anybody may announce anything: nothing of it is believed unchecked."""
    said = {name.decode(errors="replace"): (value or b"").decode(errors="replace") for name, value in info.properties.items()}
    places = _places(info)
    if not places:
        return None
    try:
        key = parse("announced", f"rasputitsa://{places[0].place}/{said.get('key', '')}").key
    except BadInput:
        key = ""
    name = printable(" ".join(info.name.removesuffix(f".{SERVICE}").split()))[:NAME] or "?"
    with_key = tuple(msgspec.structs.replace(place, key=key) for place in places)
    return Found(
        name, with_key, key, _number(said.get("version", "")), _number(said.get("games", "")),
        _state(places, key, known), _number(said.get("players", "")),
    )


def _places(info: ServiceInfo) -> tuple[Place, ...]:
    places = []
    for address in info.parsed_scoped_addresses()[:MOST_PLACES]:
        host = f"[{address}]" if ":" in address else address
        try:
            places.append(parse("announced", f"tcp://{host}:{info.port}"))
        except BadInput:
            continue
    return tuple(places)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0


def _state(places: tuple[Place, ...], key: PublicKey, known: KnownServers) -> str:
    met = [server for place in places if (server := known.get(place.place)) is not None]
    if any(server.key != key for server in met):
        return "changed"
    elsewhere = [server for server in known.all().values() if key and server.key == key]
    if any(parse("met", server.place).is_here for server in elsewhere):
        return "own"
    return "known" if met or elsewhere else "new"

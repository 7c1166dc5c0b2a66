"""Who we are and whom we know: the key file of this user, and the servers that he has met.

A server's key is learned from a join link, or, for a bare address, from the line of text that the server gives one port above its own;
it is remembered, and another key at the same address is refused until the player says so. The secret never leaves its file but for signing.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import json
import os
import secrets
import socket
import stat
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
import platformdirs

from client.bounded import read_bounded
from client.writing import OWNER_MAY, name_once, write_whole
from core import identity
from core.address import PROTOCOL, Place, one_place
from core.errors import BadInput, Refused
from core.identity import SEED_BYTES, Identity, fingerprint
from core.text import Text, text

KEY_FILE = "identity.key"
SERVERS_FILE = "servers.json"
FIRST_LINE = "rasputitsa identity 1: this is a secret, keep a copy where nobody else can read it"
GREETING = "rasputitsa"
GREETING_BYTES = 200
GREETING_S = 3.0
MOST = 1_000  # bytes of a key file; it has some 130
CHANGED = (
    "the server at {place} shows another key than before: it was {was}, and is now {now}. Either it was set up anew, or somebody "
    "stands between you and it. Ask its host; if the new fingerprint is his, forget the old one: rasputitsa join --forget {place}"
)


def user_folder() -> Path:
    """Return the folder of this user's key, known servers and games; OSError if the system knows no home of his."""
    try:
        return platformdirs.user_data_path("rasputitsa", appauthor=False)
    except RuntimeError as error:
        raise OSError(errno.ENOENT, "expected the folder of whoever runs this, and the system knows none of his", "HOME") from error


# -------------------------------------------------------------------- the key file


def identity_in(file: Path) -> Identity:
    """Return the identity that a file keeps, to its owner alone from now on; made with the file if that is not there yet.

    Raises:
        BadInput: the file is not one of ours, or damaged; its content is never told.
        OSError: it can't be read, or not be made.
    """
    try:
        ours = identity_of(file)
    except FileNotFoundError:
        return _made(file)
    _keep_private(file)  # what is no key of ours is left as it is
    return ours


def identity_of(file: Path) -> Identity:
    """Return the identity that a file keeps, which is left as it is; errors as for `identity_in`, and FileNotFoundError."""
    return Identity(_seed(file, read_bounded(file, MOST)))


def _made(file: Path) -> Identity:
    """Make a new identity; of two processes that do so at once both have the first one's."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    seed = base64.b32encode(secrets.token_bytes(SEED_BYTES)).decode().rstrip("=").lower()
    ours = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        write_whole(ours, f"{FIRST_LINE}\n{seed}\n".encode(), mode=OWNER_MAY)
        with contextlib.suppress(FileExistsError):
            name_once(ours, file)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from error  # of a name for a moment nobody has heard
    finally:
        ours.unlink(missing_ok=True)
    return Identity(_seed(file, file.read_bytes()))


def _keep_private(file: Path) -> None:
    """Take away what others may do with the file, where the file system knows of others."""
    if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
        file.chmod(0o600)


def _seed(file: Path, content: bytes) -> bytes:
    lines = content.decode("utf-8", errors="replace").splitlines()
    if len(lines) != 2 or lines[0] != FIRST_LINE:
        expected = f"two lines, the first {FIRST_LINE.partition(':')[0]!r}"
        raise BadInput.one(str(file), expected, f"{len(content)} bytes that are something else")
    try:
        return identity.key_bytes(lines[1])
    except BadInput:
        raise BadInput.one(f"{file}:2", "52 letters a-z and digits 2-7", f"{len(lines[1])} characters, not all of them such") from None


# -------------------------------------------------------------------- known servers


class Known(msgspec.Struct, frozen=True):
    """A server that was met: its place, its key, our name there, and what we call it (empty: by its place)."""

    place: str
    key: identity.PublicKey
    name: str = ""
    title: str = ""


class _File(msgspec.Struct, frozen=True):
    version: int
    servers: tuple[Known, ...]


class KnownServers:
    """The servers that this user has met.

    Args:
        file: keeps them; None: they are forgotten with the process.

    Raises:
        BadInput: the file is damaged.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        self._servers = self._read()
        self._unwritten: dict[str, Known] = {}  # what the file could not be made to keep yet

    def _read(self) -> dict[str, Known]:
        if self.file is None or not self.file.is_file():
            return {}
        try:
            found = msgspec.json.decode(self.file.read_bytes(), type=_File)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadInput.one(str(self.file), "the servers that were met", error) from error
        # Earlier versions remembered a server once for each spelling of its host; of two, the one that is spelt as now.
        by_age = sorted(found.servers, key=lambda server: server.place == one_place(server.place))
        spelt = (msgspec.structs.replace(server, place=one_place(server.place)) for server in by_age)
        return {server.place: server for server in spelt}

    def _write(self) -> None:
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            made = _File(1, tuple(sorted(self._servers.values(), key=lambda server: server.place)))
            write_whole(self.file, json.dumps(msgspec.to_builtins(made), indent=1).encode())

    def get(self, place: str) -> Known | None:
        """Return the server that was met at ``HOST:PORT``, however its host is spelt."""
        return self._servers.get(one_place(place))

    def all(self) -> Mapping[str, Known]:
        """Return all that were met, by place."""
        return dict(self._servers)

    def remember(self, place: str, key: identity.PublicKey, name: str = "") -> None:
        """Remember the server at a place, in place of any other."""
        met = self.get(place)
        self._keep(Known(one_place(place), key, name, met.title if met is not None else ""))

    def rename(self, place: str, title: str) -> None:
        """Call a server that was met otherwise from now on; nothing if it was not met."""
        met = self.get(place)
        if met is not None:
            self._keep(msgspec.structs.replace(met, title=title))

    def _keep(self, known: Known) -> None:
        if self._servers.get(known.place) != known or known.place in self._unwritten:
            self._unwritten[known.place] = self._servers[known.place] = known
            kept = self._read() if self.file is not None else self._servers  # another process may have written
            self._servers = {**kept, **self._unwritten}
            self._write()
            self._unwritten.clear()

    def forget(self, place: str) -> bool:
        """Forget the server at a place; say whether there was one."""
        self._servers = {**self._read(), **self._unwritten} if self.file is not None else self._servers
        self._unwritten.pop(one_place(place), None)
        found = self._servers.pop(one_place(place), None) is not None
        if found:
            self._write()
        return found

    def met(self, place: Place, key: identity.PublicKey) -> bool:
        """Say whether the server of a key was met: at a place, or at another from which it may have come there.

        Raises:
            Refused: another key is remembered of the place.
        """
        known = self.get(place.place)
        if known is not None and known.key != key:
            raise Refused("", changed(place, known.key, key))
        return any(server.key == key for server in self._servers.values())


def changed(place: Place, was: identity.PublicKey, now: identity.PublicKey) -> Text:
    """Return what is said when a server shows another key than before."""
    return text(CHANGED, place=place.place, was=fingerprint(was), now=fingerprint(now))


# -------------------------------------------------------------------- asking a server for its key


class OtherVersion(Refused):
    """A server says that it speaks another version of the protocol.

    Attributes:
        key: what it says its key is; empty where that is none in our version.
    """

    def __init__(self, words: Text, key: identity.PublicKey) -> None:
        super().__init__("", words)
        self.key = key


def ask_key(place: Place, *, seconds: float = GREETING_S) -> identity.PublicKey:
    """Return the key that the server at a place says is its own: a line of clear text, one port above the server's.

    *seconds* are the patience for the connection, and then for the whole line.

    Raises:
        OSError: nobody answers there.
        BadInput: no machine can be called so, or what answers is no server of ours. OtherVersion: it speaks another version.
    """
    where = f"{place.host}:{place.port + 1}"
    try:
        line = socket.create_connection((place.host.strip("[]"), place.port + 1), timeout=seconds)
    except UnicodeError as error:  # the DNS has no form for it
        raise BadInput.one("HOST", "the name or the address of a machine", place.host) from error
    with line:
        said = _greeting(line, seconds)
    words = said.decode("ascii", errors="replace").split()
    if len(words) < 3 or words[0] != GREETING or not words[1].isdigit():
        raise BadInput.one(where, "the greeting of a server of this game", repr(said[:40]))
    if int(words[1]) != PROTOCOL:
        told = "the server at {place} speaks version {theirs} of the protocol, and this program version {ours}"
        raise OtherVersion(text(told, place=place.place, theirs=words[1], ours=PROTOCOL), words[2] if _is_key(words[2]) else "")
    identity.key_bytes(words[2])
    return words[2]


def why_no_key(place: Place, error: OSError) -> str:
    """Return what to say where a server can't be asked for its key: where nobody is at its own port either, a key is not what lacks."""
    why = error.strerror or str(error)
    return why_nobody(place, error) or f"{why}: its key can't be asked for, at port {place.port + 1}; a join link would tell it"


def why_nobody(place: Place, error: OSError, *, seconds: float = GREETING_S) -> str:
    """Return what to say where nobody is at a server's own port, as it could not be asked for its key; empty if somebody is."""
    why = error.strerror or str(error)
    if isinstance(error, socket.gaierror):
        return f"no machine called {place.host} is found ({why})"
    try:
        socket.create_connection((place.host.strip("[]"), place.port), timeout=seconds).close()
    except OSError:
        return f"nobody answers at {place.place} ({why}): its server may not be running"
    return ""


def _greeting(line: socket.socket, seconds: float) -> bytes:
    """Return the line of text that comes, as far as a greeting is long; TimeoutError if it is not there in time, however it dribbles."""
    said, until = b"", time.monotonic() + seconds
    while not said.endswith(b"\n") and len(said) < GREETING_BYTES:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError(errno.ETIMEDOUT, "timed out")
        line.settimeout(left)
        more = line.recv(GREETING_BYTES)
        if not more:
            break
        said += more
    return said


def _is_key(word: str) -> bool:
    try:
        identity.key_bytes(word)
    except BadInput:
        return False
    return True

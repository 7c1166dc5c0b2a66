"""The key file of a user, and the servers that he has met."""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client.connection import identity
from client.connection.identity import MOST, KnownServers, OtherVersion, ask_key, identity_in
from client.writing import name_once
from core.address import Place, parse
from core.errors import BadInput, Refused
from core.identity import Identity

ANNA, BORIS = Identity(b"a" * 32), Identity(b"b" * 32)


# -------------------------------------------------------------------- the key file


def test_a_key_is_made_once_and_is_nobody_elses_to_read(tmp_path: Path) -> None:
    file = tmp_path / "new" / "identity.key"
    first = identity_in(file)
    assert identity_in(file).key == first.key
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [one.name for one in file.parent.iterdir()] == ["identity.key"]


@pytest.mark.parametrize(("content", "words"), [(b"0" * (MOST + 1), f"at most {MOST} bytes"), (b"of mine", "two lines")])
def test_what_is_no_key_file_is_not_read_to_its_end_and_stays_as_it_is(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "notes"
    file.write_bytes(content)
    file.chmod(0o644)
    with pytest.raises(BadInput, match=words):
        identity_in(file)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (content, 0o644)


def test_a_key_is_nobody_elses_to_read_from_its_first_byte_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modes = []
    written = os.fsync

    def look(fd: int) -> None:
        mode = os.fstat(fd).st_mode
        if stat.S_ISREG(mode):  # and no folder
            modes.append(stat.S_IMODE(mode))
        written(fd)

    monkeypatch.setattr("client.writing.os.fsync", look)
    identity_in(tmp_path / "identity.key")
    assert modes == [0o600]


def test_a_key_that_can_not_be_written_is_told_by_the_name_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("client.writing.os.fsync", full)
    with pytest.raises(OSError, match="No space left") as told:
        identity_in(tmp_path / "identity.key")
    assert told.value.filename == str(tmp_path / "identity.key")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(params=["hard links", "none"])
def links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a file system that knows hard links, or one that knows none."""
    if request.param == "none":

        def refused(*names: Path) -> None:
            raise PermissionError(errno.EPERM, "Operation not permitted", *map(str, names))

        monkeypatch.setattr(os, "link", refused)


@pytest.mark.usefixtures("links")
def test_a_key_is_made_on_any_file_system_and_that_of_another_is_never_written_over(tmp_path: Path) -> None:
    file, part = tmp_path / "identity.key", tmp_path / "part"
    key = identity_in(file).key
    part.write_text("another")
    with pytest.raises(FileExistsError):
        name_once(part, file)
    part.unlink()
    assert identity_in(file).key == key
    assert [one.name for one in tmp_path.iterdir()] == ["identity.key"]


def test_two_that_make_it_at_once_have_the_same(tmp_path: Path) -> None:
    file = tmp_path / "identity.key"
    start = threading.Barrier(8)
    keys: list[str] = []

    def make() -> None:
        start.wait(10)
        keys.append(identity_in(file).key)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(keys) == 8
    assert len(set(keys)) == 1


def test_what_others_may_do_with_the_file_is_taken_from_them(tmp_path: Path) -> None:
    file = tmp_path / "identity.key"
    key = identity_in(file).key
    file.chmod(0o644)
    assert identity_in(file).key == key
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def spoiled(content: bytes, how: str) -> bytes:
    match how:
        case "cut":
            return content[:-10]
        case "empty":
            return b""
        case "other":
            return b"-----BEGIN OPENSSH PRIVATE KEY-----\n" + content
        case "binary":
            return bytes(range(256))
        case _:
            return content.replace(content.splitlines()[1][:4], b"10!8")


@pytest.mark.parametrize("how", ["cut", "empty", "other", "binary", "letters"])
def test_a_damaged_file_is_named_and_nothing_of_it_told(how: str, tmp_path: Path) -> None:
    file = tmp_path / "identity.key"
    identity_in(file)
    secret = file.read_text("ascii").splitlines()[1]
    file.write_bytes(spoiled(file.read_bytes(), how))
    with pytest.raises(BadInput, match=str(file)) as caught:
        identity_in(file)
    assert "expected" in str(caught.value)
    assert secret[6:30] not in str(caught.value)
    assert caught.value.__suppress_context__ or how != "letters"


def test_a_folder_that_can_not_be_written_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match="file"):
        identity_in(tmp_path / "file" / "identity.key")


# -------------------------------------------------------------------- known servers


def test_servers_are_remembered_and_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "servers.json"
    known = KnownServers(file)
    known.remember("10.0.0.7:5757", ANNA.key, "Anna")
    known.remember("10.0.0.8:5757", BORIS.key)
    again = KnownServers(file)
    assert {place: (one.key, one.name) for place, one in again.all().items()} == {
        "10.0.0.7:5757": (ANNA.key, "Anna"), "10.0.0.8:5757": (BORIS.key, ""),
    }
    assert again.forget("10.0.0.7:5757")
    assert not again.forget("10.0.0.7:5757")
    assert set(KnownServers(file).all()) == {"10.0.0.8:5757"}


def test_what_another_process_remembered_meanwhile_is_kept(tmp_path: Path) -> None:
    one, other = KnownServers(tmp_path / "servers.json"), KnownServers(tmp_path / "servers.json")
    one.remember("10.0.0.7:5757", ANNA.key)
    other.remember("10.0.0.8:5757", BORIS.key)
    assert set(KnownServers(tmp_path / "servers.json").all()) == {"10.0.0.7:5757", "10.0.0.8:5757"}


def test_a_server_that_could_not_be_kept_is_known_all_the_same_and_kept_as_soon_as_it_can_be(tmp_path: Path) -> None:
    file = tmp_path / "servers.json"
    known = KnownServers(file)
    file.mkdir()
    for _ in range(2):
        with pytest.raises(OSError, match="servers"):
            known.remember("10.0.0.7:5757", ANNA.key)
        assert set(known.all()) == {"10.0.0.7:5757"}
    file.rmdir()
    KnownServers(file).remember("10.0.0.8:5757", ANNA.key)
    known.remember("10.0.0.7:5757", ANNA.key)
    assert set(KnownServers(file).all()) == {"10.0.0.7:5757", "10.0.0.8:5757"}


SPELLINGS = ("Club.example:5757", "club.example.:5757", "club.example:5757", "CLUB.EXAMPLE.:5757")


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_changed_key_is_seen_however_the_host_is_spelt(tmp_path: Path, spelling: str) -> None:
    known = KnownServers(tmp_path / "servers.json")
    known.remember("Club.Example:5757", ANNA.key, "Anna")
    with pytest.raises(Refused, match="another key"):
        known.met(parse("ADDRESS", f"tcp://{spelling}"), BORIS.key)
    assert set(known.all()) == {"club.example:5757"}
    assert known.forget(spelling)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_what_was_remembered_by_another_spelling_is_found(tmp_path: Path, spelling: str) -> None:
    file = tmp_path / "servers.json"
    file.write_text(json.dumps({"version": 1, "servers": [{"place": spelling, "key": ANNA.key, "name": "Anna", "title": "ours"}]}))
    met = KnownServers(file).get(parse("ADDRESS", "club.example:5757").place)
    assert met is not None
    assert (met.key, met.name, met.title) == (ANNA.key, "Anna", "ours")


def test_of_two_spellings_that_were_remembered_the_one_of_now_counts(tmp_path: Path) -> None:
    servers = [{"place": "club:5757", "key": ANNA.key}, {"place": "Club:5757", "key": BORIS.key}]
    for order in (servers, servers[::-1]):
        file = tmp_path / "servers.json"
        file.write_text(json.dumps({"version": 1, "servers": order}))
        assert {place: one.key for place, one in KnownServers(file).all().items()} == {"club:5757": ANNA.key}


def test_a_damaged_list_of_servers_is_named(tmp_path: Path) -> None:
    (tmp_path / "servers.json").write_text('{"version": 1, "servers": [{"place": 3}]}', "utf-8")
    with pytest.raises(BadInput, match=r"servers\.json"):
        KnownServers(tmp_path / "servers.json")


# -------------------------------------------------------------------- asking for a key

Answering = Callable[[bytes], Place]


@pytest.fixture
def answering() -> Iterator[Answering]:
    """A port that says some bytes to whoever connects, and closes."""
    doors: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def answer(said: bytes) -> Place:
        door = socket.create_server(("127.0.0.1", 0))
        doors.append(door)

        def serve() -> None:
            line, _ = door.accept()
            with line:
                line.sendall(said)

        threads.append(threading.Thread(target=serve))
        threads[-1].start()
        return Place("127.0.0.1", door.getsockname()[1] - 1)

    yield answer
    for thread in threads:
        thread.join(10)
    for door in doors:
        door.close()


def test_a_server_says_its_key(answering: Answering) -> None:
    assert ask_key(answering(f"rasputitsa 3 {ANNA.key}\n".encode())) == ANNA.key


def test_a_server_of_another_version_is_told_with_both(answering: Answering) -> None:
    for key, known in ((ANNA.key, ANNA.key), ("unheard-of", "")):
        with pytest.raises(OtherVersion, match="speaks version 4 of the protocol, and this program version 3") as refused:
            ask_key(answering(f"rasputitsa 4 {key} and more\n".encode()))
        assert refused.value.key == known


@pytest.mark.parametrize(
    "said", [b"", b"SSH-2.0-OpenSSH_9.6\r\n", b"\xff" * 500, b"rasputitsa\n", b"rasputitsa two x\n", b"rasputitsa 3 " + b"a" * 51 + b"b\n"]
)
def test_what_is_no_greeting_is_named(said: bytes, answering: Answering) -> None:
    with pytest.raises(BadInput, match="expected"):
        ask_key(answering(said))


class Dribble:
    """A line on which a letter comes each second of a clock that only it moves."""

    def __init__(self) -> None:
        self.now, self.patience = 100.0, 0.0

    def settimeout(self, seconds: float) -> None:
        self.patience = seconds

    def recv(self, most: int) -> bytes:
        if self.patience < 1:
            raise TimeoutError
        self.now += 1
        return b"r"

    def __enter__(self) -> Dribble:
        return self

    def __exit__(self, *error: object) -> None:
        return


def test_a_greeting_that_comes_letter_by_letter_is_waited_for_no_longer_than_any(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Dribble()
    monkeypatch.setattr(identity.socket, "create_connection", lambda *where, timeout: line)
    monkeypatch.setattr(identity.time, "monotonic", lambda: line.now)
    with pytest.raises(TimeoutError):
        ask_key(Place("club", 5757), seconds=3)
    assert line.now == 103


@pytest.mark.parametrize("host", ["club..example", "x" * 64, "h\u202ex"])
def test_a_host_that_no_machine_can_be_called_is_named(host: str) -> None:
    with pytest.raises(BadInput, match=f"HOST: expected the name or the address of a machine, got {host}"):
        ask_key(Place(host, 5757))


def test_nothing_is_told_of_the_secret_by_printing_anything() -> None:
    assert "6161" not in repr(ANNA) + str(ANNA) + repr(vars(KnownServers()))
    assert identity.FIRST_LINE.startswith("rasputitsa identity 1")

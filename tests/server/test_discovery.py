"""Servers found on a local network: real announcements between network namespaces, where the machine allows them."""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import os
import queue
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from zeroconf import BadTypeInNameException, ServiceInfo

from client.connection import lan
from client.connection.identity import KnownServers
from client.connection.lan import SERVICE
from core import protocol
from core.address import Place, parse
from core.identity import Identity, fingerprint
from server import discovery
from tests.server.conftest import free_pair

KEY = Identity(b"s" * 32).key
ROOT = Path(__file__).parents[2]
CLI = (sys.executable, "-m", "rasputitsa")
WATCH = """
import sys
from client.connection.identity import KnownServers
from client.connection.lan import Browser
browser = Browser(lambda found: print(*(one.name for one in found), flush=True), KnownServers())
print("watching", flush=True)
sys.stdin.read()
browser.close()
"""


# -------------------------------------------------------------------- what is said


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Anna's table", "Anna's table"), ("a.b", "a b"), ("ж" * 60, "ж" * 29), ("x" * 99, "x" * 59), (" . ", "rasputitsa"),
        ("Cafe\u0301", "Café"), ("a\tb\nc", "a b c"), ("a\u202eb", "a b"), ("a\udcffb", "a b"),
    ],
)
def test_a_name_fits_into_the_dns(name: str, expected: str) -> None:
    assert discovery.called(name) == expected


def test_what_is_announced_tells_version_games_and_key() -> None:
    said = discovery.txt(KEY, 12_345, 7)
    assert (said["version"], said["games"], said["players"], said["key"]) == ("3", "12345", "7", KEY)


def test_links_name_each_address_of_a_server_that_is_bound_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "addresses", lambda: ["10.0.0.7", "192.168.1.2", "fd00::7"])
    assert discovery.links(Place("0.0.0.0", 5757, KEY), invite="abcd-efgh") == [
        f"rasputitsa://10.0.0.7:5757/{KEY}?invite=abcd-efgh", f"rasputitsa://192.168.1.2:5757/{KEY}?invite=abcd-efgh",
    ]
    assert [parse("", link).host for link in discovery.links(Place("[::]", 5757, KEY))] == ["10.0.0.7", "192.168.1.2", "[fd00::7]"]
    assert discovery.links(Place("10.0.0.7", 1, KEY)) == [f"rasputitsa://10.0.0.7:1/{KEY}"]


def test_a_machine_without_a_network_is_reached_by_its_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "addresses", list)
    assert discovery.links(Place("0.0.0.0", 5757, KEY)) == [f"rasputitsa://127.0.0.1:5757/{KEY}"]


@pytest.mark.parametrize("vanishes", ["before it is joined", "while it binds"])
def test_an_interface_that_vanishes_leaves_no_socket_open_and_no_server_without_its_players(
    monkeypatch: pytest.MonkeyPatch, vanishes: str
) -> None:
    monkeypatch.setattr(discovery, "addresses", lambda: ["192.0.2.1"])  # nobody's
    if vanishes == "while it binds":
        monkeypatch.setattr("zeroconf._utils.net.add_multicast_member", lambda *_: True)
    told: list[bool] = []

    async def announce() -> None:
        announcement = discovery.Announcement(discovery.Announcing("evening"), Place("0.0.0.0", 5757, KEY), lambda: (1, 0))
        told.append(await announcement.open())
        await announcement.close()

    asyncio.run(announce())
    gc.collect()  # a socket that was left open would warn here
    assert told == [vanishes == "while it binds"]


def test_where_no_file_can_be_opened_the_log_says_once_that_nobody_can_ask_for_the_key_and_then_they_can(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One who asked was enough to have the whole log turn over in a quarter of a minute."""
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(discovery, "AGAIN_S", 0.001)
    tries: list[int] = []
    tried = asyncio.Event()
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    accept = socket.socket.accept

    def counted(at: socket.socket) -> object:
        tries.append(1)
        if len(tries) == 5:
            tried.set()
        return accept(at)

    async def ask() -> bytes:
        greeter = discovery.Greeter(KEY)
        port = free_pair()
        assert greeter.open(Place("127.0.0.1", port, KEY))
        monkeypatch.setattr(socket.socket, "accept", counted)
        with socket.create_connection(("127.0.0.1", port + 1), timeout=10) as line:
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (1, usual[1]))
                await tried.wait()
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, usual)
            said = await asyncio.to_thread(line.recv, 1_000)
        greeter.close()
        return said

    assert asyncio.run(ask()) == f"rasputitsa {protocol.VERSION} {KEY}\n".encode()
    assert [record.getMessage() for record in caplog.records] == ["nobody can ask for the key now"]


def announced(**said: str) -> ServiceInfo:
    return ServiceInfo(SERVICE, f"evening.{SERVICE}", port=5757, properties=said, server="x.local.", parsed_addresses=["10.0.0.7"])


class Network:
    """A network of words: what is announced where, and which addresses this machine has at each look."""

    def __init__(self, *looks: list[str] | None) -> None:
        self.looks, self.said = list(looks), list[str]()  # None: a look at which no file can be opened
        self.fails = 0  # how many times nothing can be announced
        self.interfaces = [1]  # at each look; the last one stays
        self.taken = 0  # the number that comes behind a name, as another has it; 0: none has
        self.seen = asyncio.Event()

    def reachable(self, bound: Place) -> list[str]:
        now = self.looks[0]
        if not now:  # a look at which there is no network
            del self.looks[0]
        if now is None:
            raise OSError(errno.EMFILE, "Too many open files")
        return now

    def interfaces_of(self, hosts: list[str]) -> set[int | None]:
        return {self.interfaces.pop(0) if len(self.interfaces) > 1 else self.interfaces[0]}

    def zeroconf(self, hosts: list[str], version: object) -> Network:
        if self.fails:
            self.fails -= 1
            raise OSError(101, "Network is unreachable")
        self.said.append(" ".join(hosts))
        return self

    async def async_get_service_info(self, kind: str, name: str, patience_ms: int) -> None:
        return None

    async def async_register_service(self, info: ServiceInfo, *, allow_name_change: bool) -> None:
        if self.taken:
            info.name = f"{info.name.removesuffix(f'.{SERVICE}')}-{self.taken}.{SERVICE}"
        self._look_on()

    async def async_unregister_all_services(self) -> None:
        self.said.append("goodbye")

    async def async_close(self) -> None:
        return None

    def _look_on(self) -> None:
        if len(self.looks) == 1:
            self.seen.set()
        else:
            del self.looks[0]


def kept_announced(network: Network, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keep a server announced until it was at the last of a network's addresses; return what was said."""
    monkeypatch.setattr(discovery, "reachable", network.reachable)
    monkeypatch.setattr(discovery, "interfaces_of", network.interfaces_of)
    monkeypatch.setattr(discovery, "_zeroconf", network.zeroconf)
    monkeypatch.setattr(discovery, "LOOK_S", 0.001)

    async def keep() -> None:
        announcement = discovery.Announcement(discovery.Announcing("Club"), Place("0.0.0.0", 5757, KEY), lambda: (0, 0))
        keeping = asyncio.create_task(announcement.keep())
        await asyncio.wait_for(network.seen.wait(), 10)
        keeping.cancel()
        await announcement.close()

    asyncio.run(keep())
    return network.said


def test_a_server_is_announced_anew_where_its_machine_has_come_to_another_network(monkeypatch: pytest.MonkeyPatch) -> None:
    said = kept_announced(Network(["10.0.0.1"], ["10.0.0.1", "10.0.1.1"], [], ["10.0.2.1"]), monkeypatch)
    assert said == ["10.0.0.1", "goodbye", "10.0.0.1 10.0.1.1", "goodbye", "10.0.2.1", "goodbye"]


def test_a_server_is_announced_anew_where_its_address_has_come_back_by_another_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(["10.0.0.1"], ["10.0.0.1"])
    network.interfaces = [1, 1, 1, 2]
    assert kept_announced(network, monkeypatch) == ["10.0.0.1", "goodbye", "10.0.0.1", "goodbye"]


def test_an_address_is_its_interfaces() -> None:
    interfaces = {index for index, _ in socket.if_nameindex()}
    assert discovery.interfaces_of(["127.0.0.1"]) <= interfaces
    assert len(discovery.interfaces_of(["127.0.0.1"])) == 1
    assert discovery.interfaces_of(["192.0.2.77"]) == set()  # nobody's


def test_a_server_that_could_not_be_announced_is_when_that_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(["10.0.0.1"])
    network.fails = 2
    assert kept_announced(network, monkeypatch) == ["10.0.0.1", "goodbye"]


def test_a_server_is_announced_again_when_files_are_to_be_had_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """To look at its machine's addresses takes one: where there was none it was announced no more, and nothing told of it."""
    network = Network(["10.0.0.1"], None, None, ["10.0.0.2"])
    assert kept_announced(network, monkeypatch) == ["10.0.0.1", "goodbye", "10.0.0.2", "goodbye"]
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [
        "announcing the server on the local network went wrong, and is tried again: [Errno 24] Too many open files"
    ]


def test_a_host_is_told_once_that_another_is_announced_by_his_servers_name(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    network = Network(["10.0.0.1"], ["10.0.0.2"])
    network.taken = 2
    kept_announced(network, monkeypatch)
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        f"another server is announced as Club here; this one is found as Club-2, and told from it by its fingerprint, {fingerprint(KEY)}"
    ]


def test_a_host_whose_servers_name_nobody_else_has_is_told_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kept_announced(Network(["10.0.0.1"]), monkeypatch)
    assert [record for record in caplog.records if record.levelname == "WARNING"] == []


def test_an_announcement_is_read_and_held_against_what_is_remembered() -> None:
    known = KnownServers()
    found = lan.read(announced(version="3", games="3", players="4", key=KEY), known)
    assert found is not None
    assert (found.name, found.games, found.players, found.key, found.state, found.places[0].link) == (
        "evening", 3, 4, KEY, "new", f"rasputitsa://10.0.0.7:5757/{KEY}"
    )
    known.remember("10.0.0.7:5757", KEY)
    assert lan.read(announced(version="3", key=KEY), known).state == "known"  # type: ignore[union-attr]
    assert lan.read(announced(version="3", key=Identity(b"m" * 32).key), known).state == "changed"  # type: ignore[union-attr]


def test_a_server_that_was_met_at_another_address_is_known_by_its_key() -> None:
    known = KnownServers()
    known.remember("10.0.0.9:5757", KEY)
    assert lan.read(announced(version="3", key=KEY), known).state == "known"  # type: ignore[union-attr]
    known.remember("127.0.0.1:5757", KEY)
    assert lan.read(announced(version="3", key=KEY), known).state == "own"  # type: ignore[union-attr]
    assert lan.read(announced(version="3", key=Identity(b"m" * 32).key), known).state == "new"  # type: ignore[union-attr]
    assert lan.read(announced(version="3"), known).state == "new"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "said", [{}, {"version": "x" * 200, "games": "-1", "key": "nonsense"}, {"version": "٣", "key": "a" * 52}, {"key": KEY[:-1] + "b"}]
)
def test_nonsense_that_is_announced_is_no_key(said: dict[str, str]) -> None:
    found = lan.read(announced(**said), KnownServers())
    assert found is not None
    assert (found.version, found.games, found.speaks_ours) == (0, 0, False)


def test_what_a_server_is_called_does_nothing_to_a_terminal_or_window_and_it_has_few_addresses() -> None:
    info = ServiceInfo(
        SERVICE, f"\u202eturned \u2028{'x' * 40}.{SERVICE}", port=5757, properties={}, server="x.local.",
        parsed_addresses=[f"10.0.0.{number}" for number in range(200)],
    )
    found = lan.read(info, KnownServers())
    assert found is not None
    assert found.name == "\\u202eturned " + "x" * 40
    assert len(found.places) == lan.MOST_PLACES


class Silent:
    """A network on which most who are announced say nothing of themselves."""

    def __init__(self) -> None:
        self.over = threading.Event()

    def get_service_info(self, service: str, name: str, *, timeout: int) -> ServiceInfo | None:
        if name.startswith("silent"):
            self.over.wait(30)
            return None
        if name.startswith("bad"):
            raise BadTypeInNameException(name)
        return ServiceInfo(SERVICE, name, port=5757, properties={}, server="x.local.", parsed_addresses=["10.0.0.7"])

    def cancel(self) -> None:
        self.over.set()

    def close(self) -> None:
        self.over.set()


def test_servers_that_are_announced_and_say_nothing_keep_no_other_from_being_found(monkeypatch: pytest.MonkeyPatch) -> None:
    network, came = Silent(), threading.Event()
    monkeypatch.setattr(lan, "_zeroconf", lambda: network)
    monkeypatch.setattr(lan, "ServiceBrowser", lambda *_, **__: network)
    monkeypatch.setattr(lan, "MOST", 3)
    browser = lan.Browser(lambda found: len(found) == 3 and came.set(), KnownServers())  # type: ignore[arg-type, func-returns-value]
    try:
        for number in range(5):
            browser.came(f"silent {number}.{SERVICE}")
        browser.came(f"bad\x1b[31m.{SERVICE}")
        for number in range(6):
            browser.came(f"server {number}.{SERVICE}")
        assert came.wait(10)
    finally:
        browser.close()
    assert len(browser.found()) == 3
    browser.came(f"late.{SERVICE}")  # nobody looks any more


class Slow(Silent):
    """A network on which a server says what it has to say after it has gone."""

    def get_service_info(self, service: str, name: str, *, timeout: int) -> ServiceInfo | None:
        self.over.wait(30)
        return super().get_service_info(service, name, timeout=timeout)


def test_a_server_that_goes_while_it_is_asked_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Slow()
    monkeypatch.setattr(lan, "_zeroconf", lambda: network)
    monkeypatch.setattr(lan, "ServiceBrowser", lambda *_, **__: network)
    told: queue.SimpleQueue[tuple[lan.Found, ...]] = queue.SimpleQueue()
    browser = lan.Browser(told.put, KnownServers())
    try:
        browser.came(f"short.{SERVICE}")
        browser.went(f"short.{SERVICE}")
        assert told.get(timeout=10) == ()
        network.over.set()
        assert told.get(timeout=10) == ()
    finally:
        browser.close()


class Door:
    """A lock that tells when somebody else comes to it."""

    def __init__(self) -> None:
        self._lock, self._came = threading.Lock(), 0
        self.second = threading.Event()

    def __enter__(self) -> None:
        self._came += 1
        if self._came == 2:
            self.second.set()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_servers_that_answer_at_once_are_told_one_after_the_other_the_newest_list_last(monkeypatch: pytest.MonkeyPatch) -> None:
    network, door = Slow(), Door()
    told, inside = list[int](), list[int]()

    def tell(found: tuple[lan.Found, ...]) -> None:
        inside.append(len(told))
        if len(inside) == 1:
            network.over.set()  # now the other answers
            assert door.second.wait(10)
        else:
            door.second.set()  # it is told meanwhile
        told.append(len(found))

    monkeypatch.setattr(lan, "_zeroconf", lambda: network)
    monkeypatch.setattr(lan, "ServiceBrowser", lambda *_, **__: network)
    browser = lan.Browser(tell, KnownServers())
    browser._telling = door  # type: ignore[assignment]
    try:
        browser.came(f"slow.{SERVICE}")
        browser.went(f"other.{SERVICE}")
    finally:
        browser.close()
    assert (told, inside) == ([0, 1], [0, 1])


# -------------------------------------------------------------------- between hosts


HOSTS = ("a", "b", "c", "alone", "dead")


class Hosts:
    """Machines of one network: namespaces, each with an interface on a bridge; one that has its loopback only, and one not even that."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tag = f"r{os.getpid() % 100_000:x}"
        self.running: list[subprocess.Popen[str]] = []
        for name in HOSTS:
            ip("netns", "add", self.of(name))
            if name != "dead":
                ip("-n", self.of(name), "link", "set", "lo", "up")
        ip("link", "add", f"{self.tag}br", "type", "bridge")
        ip("link", "set", f"{self.tag}br", "up")
        for number, name in enumerate(("a", "b", "c"), 1):
            ip("link", "add", f"{self.tag}{name}", "type", "veth", "peer", "name", "eth0", "netns", self.of(name))
            ip("link", "set", f"{self.tag}{name}", "master", f"{self.tag}br", "up")
            ip("-n", self.of(name), "addr", "add", f"10.77.0.{number}/24", "dev", "eth0")
            ip("-n", self.of(name), "addr", "add", f"fd77::{number}/64", "dev", "eth0", "nodad")
            ip("-n", self.of(name), "link", "set", "eth0", "up")

    def of(self, name: str) -> str:
        return f"{self.tag}-{name}"

    def start(self, where: str, *command: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "XDG_DATA_HOME": str(self.folder / where)}
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.of(where), *command], cwd=ROOT, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        self.running.append(process)
        return process

    def run(self, where: str, *args: str) -> tuple[int, str, str]:
        process = self.start(where, *CLI, *args)
        out, said = process.communicate(timeout=90)
        return process.returncode, out, said

    def host(self, where: str, *args: str, address: str = "tcp://0.0.0.0:5757") -> tuple[subprocess.Popen[str], str]:
        process = self.start(where, *CLI, "host", "--address", address, *args)
        return process, line_of(process).removeprefix("listening on ").strip()

    def end(self) -> None:
        """End what still runs on them."""
        while self.running:
            process = self.running.pop()
            process.terminate()
            process.communicate(timeout=30)

    def close(self) -> None:
        for name in HOSTS:
            subprocess.run(["ip", "netns", "del", self.of(name)], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", f"{self.tag}br"], check=False, capture_output=True)


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def ip(*args: str) -> None:
    done = subprocess.run(["ip", *args], check=False, capture_output=True, text=True)
    if done.returncode:
        raise OSError(done.returncode, f"ip {' '.join(args)}: {done.stderr.strip()}")


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    if shutil.which("ip") is None:
        pytest.skip("no `ip` (package iproute2) to make network namespaces with")
    tried = subprocess.run(["ip", "netns", "add", f"r{os.getpid()}-try"], check=False, capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"this machine forbids network namespaces: {tried.stderr.strip()}")
    ip("netns", "del", f"r{os.getpid()}-try")
    made = Hosts(tmp_path_factory.mktemp("hosts"))
    yield made
    made.close()


@pytest.fixture
def hosts(network: Hosts) -> Iterator[Hosts]:
    """Return the machines, on which nothing runs: what a test that failed had started is no other's business."""
    yield network
    network.end()


Ask = Callable[..., list[dict[str, object]]]


def found_by(hosts: Hosts, where: str, count: int) -> dict[str, dict[str, object]]:
    code, out, said = hosts.run(where, "find", "--json", "--seconds", "60", "--count", str(count))
    assert code == 0, said
    return {str(one["name"]): one for one in json.loads(out)}


@pytest.mark.xdist_group("namespaces")
def test_hosts_are_found_over_the_network_join_and_say_goodbye(hosts: Hosts) -> None:
    first, link = hosts.host("a", "--name", "evening", "--open")
    found_by(hosts, "c", 1)  # it is announced, so the name is its own
    second, _ = hosts.host("b", "--name", "evening", "--open")
    found = found_by(hosts, "c", 2)
    assert {name: one["addresses"] for name, one in found.items()} == {"evening": ["10.77.0.1:5757"], "evening-2": ["10.77.0.2:5757"]}
    assert parse("link", link).place == "10.77.0.1:5757"
    code, out, said = hosts.run("c", "find", "--seconds", "60", "--count", "2")
    assert (code, out.count("not met before"), "evening-2" in out) == (0, 2, True), said
    assert link in [one["links"][0] for one in found.values()]  # type: ignore[index]
    for address in ("tcp://10.77.0.1:5757", link):
        code, out, said = hosts.run("c", "join", address, "--name", "Anna")
        assert (code, "game" in out) == (0, True), said
    assert "state\": \"known" in json.dumps(found_by(hosts, "c", 2))
    watching = hosts.start("c", sys.executable, "-c", WATCH)
    while set(line_of(watching).split()) != {"evening", "evening-2"}:
        assert watching.poll() is None
    first.terminate()
    while len(line_of(watching).split()) != 1:
        assert watching.poll() is None
    second.terminate()
    while line_of(watching).split():
        assert watching.poll() is None
    assert (first.wait(30), second.wait(30)) == (0, 0)


@pytest.mark.xdist_group("namespaces")
def test_a_server_that_was_restored_beside_its_original_under_a_name_in_capitals_has_its_own_name_and_address(hosts: Hosts) -> None:
    data = {where: hosts.folder / f"twin {where}" for where in "ab"}
    first, _ = hosts.host("a", "--name", "évening", "--data", str(data["a"]))
    found_by(hosts, "c", 1)
    data["b"].mkdir()
    shutil.copy(data["a"] / "server.key", data["b"])
    second, _ = hosts.host("b", "--name", "E\u0301VENING", "--data", str(data["b"]))
    found = found_by(hosts, "c", 2)
    assert {name: one["addresses"] for name, one in found.items()} == {"évening": ["10.77.0.1:5757"], "évening-2": ["10.77.0.2:5757"]}
    first.terminate()
    second.terminate()
    _, said = second.communicate(timeout=30)
    assert (first.wait(30), second.returncode, "this one is found as évening-2" in said) == (0, 0, True), said


@pytest.mark.xdist_group("namespaces")
def test_a_server_on_ipv6_alone_has_not_the_name_of_one_on_ipv4(hosts: Hosts) -> None:
    hosts.host("a", "--name", "night", "--data", str(hosts.folder / "four"))
    found_by(hosts, "c", 1)
    hosts.host("a", "--name", "NIGHT", "--data", str(hosts.folder / "six"), address="tcp://[fd77::1]:6110")
    found = found_by(hosts, "c", 2)
    assert {name: one["addresses"] for name, one in found.items()} == {"night": ["10.77.0.1:5757"], "night-2": ["[fd77::1]:6110"]}


@pytest.mark.xdist_group("namespaces")
def test_a_machine_that_has_its_loopback_only_hosts_finds_nobody_and_joins_itself(hosts: Hosts) -> None:
    server, link = hosts.host("alone", "--open")
    assert parse("link", link).host == "127.0.0.1"
    code, out, said = hosts.run("alone", "find", "--seconds", "0.3")
    assert (code, out, said) == (1, "", "no server was announced here in 0.3 s\n")
    code, out, said = hosts.run("alone", "join", "tcp://127.0.0.1:5757", "--name", "Anna")
    assert (code, "game" in out) == (0, True), said
    server.terminate()
    _, said = server.communicate(timeout=30)
    assert (server.returncode, "Traceback" in said) == (0, False)


@pytest.mark.xdist_group("namespaces")
def test_a_machine_none_of_whose_interfaces_is_up_is_told_so(hosts: Hosts) -> None:
    code, out, said = hosts.run("dead", "find", "--seconds", "0.3")
    assert (code, out) == (3, "")
    assert "the local network can't be asked" in said
    server, link = hosts.host("dead", "--open")
    assert parse("link", link).host == "127.0.0.1"
    server.terminate()
    assert server.wait(30) == 0

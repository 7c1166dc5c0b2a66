"""docs/hosting.md: its commands are there as it writes them, and its firewall lets through what it says."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from rasputitsa import main

PAGE = (Path(__file__).parents[2] / "docs" / "hosting.md").read_text(encoding="utf-8")
LINES = re.findall(r"(?m)^(?:    |ExecStart=)(.*)$", PAGE)
COMMAND = re.compile(rf"\brasputitsa ((?:{'|'.join(main.COMMANDS)})\b.*)")
BARE = [re.sub(r"\$\$?\(.*?\)'?", "DATE", line.partition("  #")[0]) for line in LINES]
COMMANDS = sorted({found[1].strip() for line in BARE if (found := COMMAND.search(line))})
FIREWALL = [line for line in LINES if line.startswith("nft add ")]
LISTENS = """
import socket, sys
taking = socket.create_server(("::", 5757), family=socket.AF_INET6, backlog=100, dualstack_ipv6=True)
print("listening", flush=True)
sys.stdin.read()
"""
COUNTS = """
import json, socket, sys
held, refused = [], 0
for _ in range(40):
    try:
        held.append(socket.create_connection((sys.argv[1], 5757), timeout=10))
    except ConnectionRefusedError:
        refused += 1
print(json.dumps([len(held), refused]))
"""


@pytest.mark.parametrize("line", COMMANDS)
def test_every_option_of_a_command_on_the_page_is_one(line: str) -> None:
    name, *args = shlex.split(line)
    command = main.load(name)
    assert command is not None
    context = click.Context(command, info_name=name)

    _, rest, _ = command.make_parser(context).parse_args(args)  # raises where it knows an option not

    assert rest == []


class Pair:
    """Two machines with a line between them: namespaces, in the first of which a server listens behind the page's firewall."""

    def __init__(self) -> None:
        tag = f"f{os.getpid() % 100_000:x}"
        self.server, self.client = f"{tag}-s", f"{tag}-c"
        for name in (self.server, self.client):
            ip("netns", "add", name)
        ip("link", "add", "eth0", "netns", self.server, "type", "veth", "peer", "name", "eth0", "netns", self.client)
        for name, number in ((self.server, 1), (self.client, 2), (self.client, 3)):
            ip("-n", name, "addr", "add", f"10.79.0.{number}/24", "dev", "eth0")
            ip("-n", name, "addr", "add", f"fd79::{number}/64", "dev", "eth0", "nodad")
            ip("-n", name, "link", "set", "eth0", "up")
        for line in FIREWALL:
            subprocess.run(["ip", "netns", "exec", self.server, *shlex.split(line)], check=True)
        self.listening = subprocess.Popen(
            ["ip", "netns", "exec", self.server, sys.executable, "-c", LISTENS], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.listening.stdout is not None
        assert self.listening.stdout.readline() == "listening\n"

    def count(self, address: str) -> tuple[int, int]:
        """Return how many of forty lines that one address opens at once are let through, and how many are refused."""
        done = subprocess.run(
            ["ip", "netns", "exec", self.client, sys.executable, "-c", COUNTS, address], check=True, capture_output=True, text=True
        )
        taken, refused = json.loads(done.stdout)
        return taken, refused

    def close(self) -> None:
        if hasattr(self, "listening"):
            self.listening.communicate(timeout=30)
        for name in (self.server, self.client):
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def ip(*args: str) -> None:
    subprocess.run(["ip", *args], check=True, capture_output=True, text=True)


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    for program, package in (("ip", "iproute2"), ("nft", "nftables")):
        if shutil.which(program) is None:
            pytest.skip(f"no `{program}` (package {package})")
    tried = subprocess.run(["unshare", "--net", "nft", "list", "ruleset"], check=False, capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"this machine forbids network namespaces, or a firewall in them: {tried.stderr.strip()}")
    made = Pair()
    yield made
    made.close()


@pytest.mark.parametrize("address", ["10.79.0.1", "fd79::1"])
def test_the_firewall_refuses_the_31st_line_of_one_address_at_once(pair: Pair, address: str) -> None:
    assert pair.count(address) == (30, 10)

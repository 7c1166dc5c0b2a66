"""`rasputitsa find`: the servers on the local network."""

from __future__ import annotations

import json
import math
import threading

import click
from rich.table import Table
from rich.text import Text

from client.connection.identity import SERVERS_FILE, KnownServers, user_folder
from client.connection.lan import Browser, Found
from core.errors import BadInput
from core.text import printable
from rasputitsa.screen import FINGERPRINT, folded, show, whole

STATES = {"new": "not met before", "known": "met before", "own": "runs on this computer", "changed": "ANOTHER KEY THAN BEFORE"}


@click.command(epilog="\b\nExample:\n  rasputitsa find\n  rasputitsa find --seconds 10 --json")
@click.option("--seconds", type=click.FloatRange(0.1, 600), default=3.0, show_default=True, help="How long to listen.")
@click.option("--count", type=click.IntRange(1), help="End as soon as so many were found.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, with the join link of each address.")
def find(seconds: float, count: int | None, as_json: bool) -> int:
    """List the servers that are announced on the local network. Exit code 1 if there is none.

    Many wireless networks keep announcements back: `rasputitsa join tcp://HOST:5757`, or a join link, works there too.
    """
    if math.isnan(seconds):
        raise BadInput.one("--seconds", "a number of seconds", seconds)
    enough = threading.Event()

    def tell(found: tuple[Found, ...]) -> None:
        if count is not None and len(found) >= count:
            enough.set()

    browser = Browser(tell, KnownServers(user_folder() / SERVERS_FILE))
    try:
        enough.wait(seconds)
        found = browser.found()
    finally:
        browser.close()
    if as_json:
        click.echo(json.dumps([as_plain(server) for server in found], indent=1))
    elif found:
        show(_table(found))
    else:
        click.echo(f"no server was announced here in {seconds:g} s", err=True)
    return 0 if found else 1


def as_plain(server: Found) -> dict[str, object]:
    """Return a server as JSON takes it."""
    return {
        "name": server.name, "version": server.version, "games": server.games, "key": server.key, "fingerprint": server.print_,
        "state": server.state, "addresses": [place.place for place in server.places], "links": [place.link for place in server.places],
    }


def _table(found: tuple[Found, ...]) -> Table:
    # What is compared letter by letter, or typed, is whole however narrow the terminal.
    table = Table(folded("server"), whole("address"), folded("games"), whole("fingerprint", FINGERPRINT), folded(""))
    for server in found:
        remark = STATES[server.state] if server.speaks_ours else f"speaks version {server.version} of the protocol"
        places = "\n".join(printable(place.place) for place in server.places)
        name, games, print_, remark = map(printable, (server.name, str(server.games), server.print_, remark))
        table.add_row(*map(Text, (name, places, games, print_, remark)))
    return table

"""What tests of who gets in, and of what he may do there, have in common."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import zmq

from client.connection.games import Up
from client.connection.notes import Answered
from core import protocol
from core.identity import Identity
from tests.server.conftest import Host, Player, of

_watches = itertools.count()


def hello(name: str, who: Identity | None = None, **more: object) -> bytes:
    return protocol.encode(protocol.Hello(protocol.VERSION, name, (who or of(name)).key, **more))  # type: ignore[arg-type]


def heard(socket: zmq.Socket[bytes]) -> protocol.FromServer:
    assert socket.poll(10_000), "no answer"
    return protocol.decode_from_server(socket.recv())


def refusal(one: Player) -> str:
    answer = one.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    assert isinstance(answer, Answered)
    return str(answer.refused)


def up(one: Player) -> Up:
    note = one.wait(lambda note: isinstance(note, Up))
    assert isinstance(note, Up)
    return note


def invite(host: Host, role: protocol.Role = "player", *, uses: int = 1) -> str:
    """Let the owner make an invite over his own line."""
    owner = Player(host.address, "", of("Owner"))
    try:
        up(owner)
        owner.games.send(protocol.MakeInvite(role, uses, 7))
        made = owner.wait(lambda note: isinstance(note, protocol.Invite))
        assert isinstance(made, protocol.Invite)
        return made.code
    finally:
        owner.games.close()


def closed(host: Host) -> None:
    """Start the server anew as one that newcomers are invited to."""
    host.stop()
    host.start(is_open=False)


@contextmanager
def watched(socket: zmq.Socket[bytes], events: int) -> Iterator[zmq.Socket[bytes]]:
    """Yield what tells of these events of a socket."""
    monitor = socket.get_monitor_socket(events, f"inproc://told-{next(_watches)}")
    try:
        yield monitor
    finally:
        socket.disable_monitor()  # before what it tells to is closed
        monitor.close(linger=0)

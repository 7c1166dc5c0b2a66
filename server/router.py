"""The socket at which a server is spoken to: what libzmq is told of it, and why it could not be bound."""

from __future__ import annotations

import errno
import os

import zmq
import zmq.asyncio

from core import protocol
from core.address import Place, parse
from core.errors import BadInput
from core.identity import Identity
from server import security

HEARTBEAT_MS, HEARTBEAT_TIMEOUT_MS, HEARTBEAT_TTL_MS, HANDSHAKE_MS = 5_000, 15_000, 30_000, 10_000
SEND_LIMIT = 32  # messages that may wait for one peer; with viewers.BUNCH this bounds what one that doesn't read costs, for 20 s, to 2 MiB
BACKLOG = 1_024  # connections that the system holds until they are taken in: after a restart all come back at once
# What the system says of a place that can't be had, and where it has nothing left: no fault of the address.
OF_THE_SYSTEM = (errno.EADDRINUSE, errno.EACCES, errno.EADDRNOTAVAIL, errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


def bound(context: zmq.asyncio.Context, wanted: Place, identity: Identity) -> zmq.Socket[bytes]:
    """Return a socket that is bound at a place and speaks with whom the context's gate lets in.

    Raises:
        zmq.ZMQError: it can't be had there; see `why_not`.
    """
    socket = made(context, identity)
    try:
        socket.setsockopt(zmq.IPV6, int(wanted.host.startswith("[")))
        socket.bind(wanted.tcp)
    except zmq.ZMQError:
        socket.close()
        raise
    return socket


def check_free(address: str) -> None:
    """Find out whether an address can be had, before games are read for minutes.

    Raises:
        BadInput: it is no address of this machine.
        OSError: it is in use, or not for everybody, or the system has no socket left.
    """
    wanted = parse("address", address, any_port=True)
    with zmq.Context() as context, context.socket(zmq.ROUTER) as socket:
        try:
            socket.setsockopt(zmq.IPV6, int(wanted.host.startswith("[")))
            socket.bind(wanted.tcp)
        except zmq.ZMQError as error:
            raise why_not(error, address) from error


def why_not(error: zmq.ZMQError, address: str) -> OSError | BadInput:
    """Return what to raise where a socket can't be had at an address: whether the system says so, or it is no address of this machine."""
    if error.errno in OF_THE_SYSTEM:
        return OSError(error.errno, os.strerror(error.errno), address)
    return BadInput.one("address", "an address of this machine, such as tcp://127.0.0.1:5757", address)


def made(context: zmq.asyncio.Context, identity: Identity) -> zmq.Socket[bytes]:
    """Return the socket, bound nowhere yet."""
    # A plain socket of the gate's context, which its types don't foresee.
    socket: zmq.Socket[bytes] = context.socket(zmq.ROUTER, socket_class=zmq.Socket)  # type: ignore[assignment, arg-type]
    security.encrypt(socket, identity)
    socket.setsockopt(zmq.ROUTER_MANDATORY, 1)
    socket.setsockopt(zmq.ROUTER_HANDOVER, 0)
    socket.setsockopt(zmq.MAXMSGSIZE, protocol.MAX_ASKED)
    # Where libzmq 4.3.5 takes nothing more of a line, and that one breaks off, a heartbeat then ends the process ("!_io_error"), so it
    # has to take in all that comes; who floods it has his line ended (`server.service`, `server.endless`).
    socket.setsockopt(zmq.RCVHWM, 0)
    socket.setsockopt(zmq.SNDHWM, SEND_LIMIT)
    socket.setsockopt(zmq.BACKLOG, BACKLOG)
    socket.setsockopt(zmq.HEARTBEAT_IVL, HEARTBEAT_MS)
    socket.setsockopt(zmq.HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT_MS)
    socket.setsockopt(zmq.HEARTBEAT_TTL, HEARTBEAT_TTL_MS)
    socket.setsockopt(zmq.HANDSHAKE_IVL, HANDSHAKE_MS)
    socket.setsockopt(zmq.LINGER, 500)
    return socket

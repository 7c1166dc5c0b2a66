"""A server on a data folder, from its start to its end, and how others find it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from core.address import Place
from core.identity import Identity, PublicKey
from server import arrivals, router
from server.discovery import Announcement, Announcing, Greeter
from server.service import PackLoader, Service
from server.store.sqlite import STORE, SqliteStore, holding


@asynccontextmanager
async def found(service: Service, bound: Place, announce: Announcing | None) -> AsyncIterator[None]:
    """Let others find the server: tell its key to whoever asks, and announce it if that is wanted."""
    greeter = Greeter(service.identity.key)
    greeter.open(bound)
    announcement = None if announce is None else Announcement(announce, bound, service.counts)
    keeping = None if announcement is None else asyncio.create_task(announcement.keep())
    try:
        yield
    finally:
        greeter.close()
        if keeping is not None and announcement is not None:
            keeping.cancel()
            await asyncio.wait([keeping])
            await announcement.close()


async def run(
    data: Path,
    address: str,
    packs: PackLoader,
    stop: asyncio.Event,
    *,
    identity: Identity,
    owner: PublicKey | None = None,
    is_open: bool = False,
    program: str = "rasputitsa",
    announce: Announcing | None = None,
    apart: bool = False,
    ready: Callable[[Place, Service], None],
) -> None:
    """Serve the games of a data folder until *stop* is set.

    Args:
        identity: the server's own key.
        owner: whose key owns the server, if nobody's does yet.
        is_open: whether newcomers need no invite.
        announce: how the local network is told; None: not at all.
        apart: whether a process beside this one appends to the store; orders are answered sooner so where many come.
        ready: called with the bound place as soon as the server answers.

    Raises:
        BadInput: the address can't be used, or the store is damaged.
        Refused: another server runs on the folder.
        OSError: folder or address can't be had.
        Broken: the gate broke.
    """
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    with holding(data) as guards:
        store = SqliteStore(data / STORE, guards)
        try:
            service = Service(store, packs, identity=identity, is_open=is_open, program=program)
            service.arrivals = data / arrivals.ARRIVALS
            arrivals.clear(service.arrivals)
            if owner is not None:
                await service.accounts.own(owner)
            try:
                router.check_free(address)
                if apart:
                    store.append_apart()
                await service.resume(stop)
                if stop.is_set():
                    return
                bound = service.bind(address)  # not before all that comes is taken in at once: nothing else bounds it
                async with found(service, bound, announce):
                    ready(bound, service)
                    await service.serve(stop)
            finally:
                service.close()
        finally:
            store.close()

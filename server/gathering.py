"""An order that waits for links, and those that have come."""

from __future__ import annotations

import asyncio

from core.log import Pending


class Gathering:
    """Links come in for one pending record.

    Attributes:
        pending: the record, durable.
        digest: its hash, which every link is shown against.
        order_id: whose answer waits for it.
        shown: what came, by participant, checked.
        timer: runs until it is late; None before anybody was asked.
        asked_ms: since when they are asked for; None before.
        is_told: whether whoever gave the order was told that it was dropped.
        is_late: whether those whose links are missing are to be named.
    """

    def __init__(self, pending: Pending, order_id: str) -> None:
        self.pending = pending
        self.digest = pending.digest()
        self.order_id = order_id
        self.shown: dict[str, bytes] = {}
        self.timer: asyncio.TimerHandle | None = None
        self.asked_ms: int | None = None
        self.is_late = self.is_told = False

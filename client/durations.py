"""Times in words: what a clock shows, and how long something has been so."""

from __future__ import annotations

import time

from client.qt import QCoreApplication

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000


def tr(words: str) -> str:
    """Return words of this module in the player's language."""
    return QCoreApplication.translate("durations", words)


def clock_face(ms: int) -> str:
    """Return what a clock shows that has so much left; less than nothing with a minus.

    >>> clock_face(3_725_000), clock_face(59_999), clock_face(-61_000)
    ('1:02:05', '0:59', '−1:01')
    """
    sign, whole = ("−", -ms // SECOND) if ms < 0 else ("", ms // SECOND)
    days, rest = divmod(whole, 86_400)
    hours, rest = divmod(rest, 3_600)
    face = f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours or days else f"{rest // 60}:{rest % 60:02}"
    return sign + (tr("{n} d {clock}").format(n=days, clock=face) if days else face)


def how_long(ms: int) -> str:
    """Return a stretch of time in its largest unit."""
    for unit, words in ((DAY, tr("{n} d")), (HOUR, tr("{n} h")), (MINUTE, tr("{n} min"))):
        if ms >= unit:
            return words.format(n=ms // unit)
    return tr("{n} s").format(n=max(0, ms) // SECOND)


def hour_of(time_ms: int) -> str:
    """Return the hour and minute of a moment, as this machine's zone has them."""
    return time.strftime("%H:%M", time.localtime(time_ms / SECOND))

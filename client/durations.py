"""Times in words: what a clock shows, and how long something has been so."""

from __future__ import annotations

import time

from client.qt import QCoreApplication
from client.words import say
from core.text import text

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
_UNITS = (
    (DAY, text("{n} {n:day|days}")), (HOUR, text("{n} {n:hour|hours}")), (MINUTE, text("{n} {n:minute|minutes}")),
    (SECOND, text("{n} {n:second|seconds}")),
)


def tr(words: str) -> str:
    """Return words of this module in the player's language."""
    return QCoreApplication.translate("durations", words)


def clock_face(ms: int) -> str:
    """Return what a clock shows that has so much left; less than nothing with a minus.

    >>> clock_face(3_725_000), clock_face(59_999), clock_face(-61_000), clock_face(-999)
    ('1:02:05', '0:59', '−1:01', '0:00')
    """
    sign, whole = ("−", -ms // SECOND) if ms <= -SECOND else ("", max(0, ms // SECOND))
    days, rest = divmod(whole, 86_400)
    hours, rest = divmod(rest, 3_600)
    face = f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours or days else f"{rest // 60}:{rest % 60:02}"
    return sign + (tr("{n} d {clock}").format(n=days, clock=face) if days else face)


def span(ms: int) -> str:
    """Return an agreed stretch of time in words, from its largest unit down; whole minutes of less than three hours stay minutes.

    >>> span(DAY * 30), span(90 * MINUTE), span(HOUR + 30 * SECOND)
    ('30 days', '90 minutes', '1 hour 30 seconds')
    """
    in_minutes = HOUR < ms < 3 * HOUR and ms % HOUR and not ms % MINUTE
    parts = []
    for unit, words in _UNITS:
        if ms >= unit and not (unit == HOUR and in_minutes):
            parts.append(say(text(words.template, n=ms // unit)))
            ms %= unit
    return " ".join(parts) or say(text(_UNITS[-1][1].template, n=0))


def how_long(ms: int) -> str:
    """Return a stretch of time in its largest unit."""
    for unit, words in ((DAY, tr("{n} d")), (HOUR, tr("{n} h")), (MINUTE, tr("{n} min"))):
        if ms >= unit:
            return words.format(n=ms // unit)
    return tr("{n} s").format(n=max(0, ms) // SECOND)


def hour_of(time_ms: int) -> str:
    """Return the hour and minute of a moment, as this machine's zone has them."""
    return time.strftime("%H:%M", time.localtime(time_ms / SECOND))


def day_of(time_ms: int) -> str:
    """Return the day of a moment, as this machine's zone has it."""
    return time.strftime("%Y-%m-%d", time.localtime(time_ms / SECOND))

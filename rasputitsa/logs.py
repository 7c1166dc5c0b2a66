"""The logs of a server: short lines on the screen, and a file with one JSON object a line, which names no secrets."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import time
import traceback
from collections import Counter
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

import click

from core.text import printable
from server.security import Clock, Limit, source

LOG_BYTES = 1 << 20
KEPT = 3
TOLD_BURST, TOLD_PER_S = 30, 1 / 60  # lines that say the same of one player or address: else who comes again and again writes a log full
_OWN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


def extras(record: logging.LogRecord) -> dict[str, object]:
    """Return what the caller gave with ``extra``."""
    return {name: value for name, value in record.__dict__.items() if name not in _OWN}


class Sparing(logging.Filter):
    """Passes few lines that say the same of one player or address, and with each how many there were before that it did not."""

    def __init__(self, *, clock: Clock = time.monotonic) -> None:
        super().__init__()
        self._limit, self._untold = Limit(TOLD_BURST, TOLD_PER_S, clock=clock), Counter[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether a record is to be told; faults always are."""
        told = extras(record)
        who = str(told.get("player") or source(str(told.get("address", ""))))
        if not who or record.levelno >= logging.ERROR:
            return True
        what = f"{record.getMessage()} {who}"
        if not self._limit.take(what):
            self._untold[what] += 1
            return False
        if before := self._untold.pop(what, 0):
            record.before = before
        return True


class OneLine(logging.Formatter):
    """For the screen: time, level, message, ``key=value`` …; tracebacks are in the file."""

    def formatException(self, ei: object) -> str:  # noqa: N802  logging's name
        """Return the exception alone."""
        error = ei[1] if isinstance(ei, tuple) else None
        return printable(f"  {type(error).__name__}: {error}")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  logging's name
        """Return one record without its exception: whatever was said, a line."""
        return printable(" ".join((super().formatMessage(record), *(f"{name}={value}" for name, value in extras(record).items()))))

    def format(self, record: logging.LogRecord) -> str:
        """Return one record, never with the text that another handler made of its exception."""
        record.exc_text = None
        told = super().format(record)
        record.exc_text = None
        return told


class JsonLine(logging.Formatter):
    """For programs and for whoever looks closely: one JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one record as one line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **extras(record),
        }
        if record.exc_info:
            line["exception"] = "".join(traceback.format_exception(*record.exc_info))
        words = json.dumps(line, ensure_ascii=False, default=str)
        return words if words.isprintable() else "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in words)


def end_line(file: Path) -> None:
    """Have a log go on in a new line where a disk that was full, or a fall of the machine, let the last one end in its midst.

    Else what is said next would be lost with it. Nothing is cut off or written over: a server that runs may be writing there. Whether it
    can be written to at all is told by whoever opens it.
    """
    if file.is_file():
        with contextlib.suppress(OSError), open(file, "ab+") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(size - 1, 0))
            if size and log.read() != b"\n":
                log.write(b"\n")


def log_to(files: list[Path], level: str) -> None:
    """Log to stderr in short and to files in full; a file that can't be written is said once."""
    screen = logging.StreamHandler()
    screen.setFormatter(OneLine("%(asctime)s %(levelname)s %(message)s"))
    handlers: list[logging.Handler] = [screen]
    for file in files:
        try:
            end_line(file)
            full = RotatingFileHandler(file, maxBytes=LOG_BYTES, backupCount=KEPT, encoding="utf-8")
        except OSError as error:
            click.echo(f"no log in {file}: {error.strerror}", err=True)
            continue
        full.setFormatter(JsonLine())
        handlers.append(full)
    for handler in handlers:
        handler.addFilter(Sparing())
    logging.basicConfig(level=level, handlers=handlers, force=True)
    logging.raiseExceptions = False  # a disk that is full must not turn the log into a stream of tracebacks

"""Game files of a command line: read within bounds; and what their content may have been made to do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from client.bounded import read_bounded
from core import gamefile
from core.errors import BadInput, Broken, Fault, Refused
from core.gamefile import GameFile
from core.trials.verify import verify


def read_game(path: Path) -> GameFile:
    """Return the game of a file, its form and hash chain checked."""
    return gamefile.read(read_bounded(path, gamefile.MAX_FILE), name=str(path))


@contextlib.contextmanager
def named(file: Path) -> Iterator[None]:
    """Have what is wrong in the content of a game file name the file: its pack has files of the same names as those installed here."""
    try:
        yield
    except BadInput as error:
        raise BadInput(Fault(f"{file}: {fault.where}", fault.expected, fault.got) for fault in error.faults) from error


@contextlib.contextmanager
def of_a_game(game: GameFile, name: str) -> Iterator[None]:
    """Turn what breaks while a game is shown into a fault of its file, if a recheck finds one; else it is ours.

    Raises:
        BadInput: the file was altered and sealed again; with the first finding.
    """
    try:
        yield
    except (BadInput, Refused, OSError):
        raise
    except Exception as error:
        found = verify(game).findings
        if not found:
            raise Broken(f"{type(error).__name__}: {error}") from error
        first = found[0]
        raise BadInput.one(f"{name}: entry {first.entry}", "what follows from the rules", f"{first.kind}: {first.text}") from error

"""Reading files that somebody has named: whatever they are, no more than a bound of them."""

from __future__ import annotations

from pathlib import Path

from core.errors import BadInput


def read_bounded(path: Path, most: int) -> bytes:
    """Return a file's bytes; BadInput if it is larger than *most*, whatever it is and however large it says it is."""
    with open(path, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise BadInput.one(str(path), f"at most {most} bytes", "more")
    return data

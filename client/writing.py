"""Writing files so that they are there whole, or as they were."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or as it was.

    Raises:
        OSError: it could not be written; nothing is left of it.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(part, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from error

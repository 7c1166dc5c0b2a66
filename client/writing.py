"""Writing files so that they are there whole, or as they were."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path

ALL_MAY = 0o666  # whom the user's umask lets
OWNER_MAY = 0o600


def write_whole(path: Path, content: bytes, *, mode: int = ALL_MAY) -> None:
    """Write a file so that it is there whole or as it was.

    Args:
        mode: who may do what with it, from its first byte on: a secret that is hidden once it is written has been read.

    Raises:
        OSError: it could not be written, and nothing is left of it; or its folder could not be synced, and it is there.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from error


def name_once(part: Path, path: Path) -> None:
    """Give a whole file its name, if nobody has taken that meanwhile; *part* may be there afterwards.

    Raises:
        FileExistsError: somebody has. OSError: it could not be named.
    """
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except (OSError, AttributeError, NotImplementedError) as error:  # no file system for two names of one file, as on many sticks
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error
        part.rename(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder outlast a power cut, where the system syncs folders; OSError if the disk fails."""
    try:
        held = os.open(folder, os.O_RDONLY)
    except PermissionError:  # Windows opens no folder, and others none that may only be written to
        return
    try:
        os.fsync(held)
    except OSError as error:
        if error.errno != errno.EINVAL:  # of a file system that has nothing to sync there
            raise
    finally:
        os.close(held)

"""What this program is: its name and version, as servers and the Help menu are told."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

NAME = "rasputitsa"


@cache
def own_version() -> str:
    """Return this program's version; empty if it is run from a folder that nobody installed."""
    try:
        return version(NAME)
    except PackageNotFoundError:
        return ""


def program() -> str:
    """Return this program's name and version."""
    return f"{NAME} {own_version()}".rstrip()

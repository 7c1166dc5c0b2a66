"""Opening the window from a command."""

from __future__ import annotations

from pathlib import Path

from rasputitsa import endings
from rasputitsa.packs import installed, load_pack


def open_window(file: Path | None = None) -> int:
    """Show the window, at a game file if one is given, until it is closed; return its exit code."""
    from client.window import run  # Qt is imported only where a window is wanted

    return run([load_pack(name) for name in installed()], file=file, report=endings.write_crash_report)

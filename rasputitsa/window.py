"""Opening the window from a command."""

from __future__ import annotations

from pathlib import Path

from core.errors import BadInput
from rasputitsa import display, endings
from rasputitsa.packs import installed, load_pack


def open_window(file: Path | None = None, chosen: tuple[str, str] | None = None) -> int:
    """Show the window, at a game file or with a game and its scenario chosen if given, until it is closed; return its exit code."""
    if not display.answers():
        what = f"{display.named()} does not answer" if display.named() else "none is named"
        raise BadInput.one("display", "one that a window can be shown on", what)
    from client.window import run  # Qt is imported only where a window is wanted

    return run([load_pack(name) for name in installed()], file=file, chosen=chosen, report=endings.write_crash_report)

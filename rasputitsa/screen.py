"""What is printed with rich: tables on stdout, progress on stderr."""

from __future__ import annotations

from rich.console import Console
from rich.progress import Progress

from core.text import printable


class Screen(Console):
    """A console that lets a reader's going away end the command as it ends any other."""

    def on_broken_pipe(self) -> None:
        """Say what happened, instead of ending the process here."""
        raise BrokenPipeError


def progress() -> Progress:
    """Return progress bars on stderr, that nobody sees but at a terminal."""
    console = Screen(stderr=True)
    return Progress(console=console, transient=True, disable=not console.is_terminal)


__all__ = ["Screen", "printable", "progress"]

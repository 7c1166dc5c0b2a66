"""What is printed with rich: tables on stdout, progress on stderr."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.progress import Progress
from rich.table import Column, Table

from core.text import printable

FINGERPRINT = 24  # letters of one: five groups of four
PIPED_COLUMNS = 500  # what another program reads is cut nowhere, and a row is a line


class Screen(Console):
    """A console that lets a reader's going away end the command as it ends any other."""

    def on_broken_pipe(self) -> None:
        """Say what happened, instead of ending the process here."""
        raise BrokenPipeError


def whole(title: str, width: int = 0) -> Column:
    """Return a column that no other narrows: what is typed, or compared letter by letter, is of no use without its end."""
    return Column(title, no_wrap=True, min_width=width)


def folded(title: str) -> Column:
    """Return a column that takes more lines where it lacks room, and cuts no word off."""
    return Column(title, overflow="fold")


def show(table: Table) -> None:
    """Print a table: within a terminal's width, or a row a line for whatever else reads it."""
    Screen(width=None if sys.stdout.isatty() else PIPED_COLUMNS).print(table)


def progress() -> Progress:
    """Return progress bars on stderr, that nobody sees but at a terminal."""
    console = Screen(stderr=True)
    return Progress(console=console, transient=True, disable=not console.is_terminal)


__all__ = ["FINGERPRINT", "Screen", "folded", "printable", "progress", "show", "whole"]

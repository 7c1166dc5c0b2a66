"""Kinds of values on a command line, where those of click take what nothing can be done with."""

from __future__ import annotations

import os

import click

Value = str | os.PathLike[str]


class NamedPath(click.Path):
    """A path that has a name: click takes none for the folder one is in, and who writes "$FOLDER" and has no FOLDER does not mean that."""

    def convert(self, value: Value, param: click.Parameter | None, ctx: click.Context | None) -> str | bytes | os.PathLike[str]:
        """Return the path; a usage error if it is empty."""
        if value == "":
            self.fail("expected a path, got nothing", param, ctx)
        return super().convert(value, param, ctx)


class Words(click.types.StringParamType):
    """What goes to a server, or to others, as text: bytes that are no UTF-8 can't be sent."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text; a usage error if it has bytes that are none."""
        words = str(value)
        try:
            words.encode()
        except UnicodeEncodeError:
            self.fail(f"expected text in UTF-8, got {words.encode(errors='surrogateescape')!r}", param, ctx)
        return words


TEXT = Words()

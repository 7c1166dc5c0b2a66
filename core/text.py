"""Words for people: a template and its arguments, formatted and translated only where they are shown."""

from __future__ import annotations

import msgspec

Argument = str | int


class Text(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A template in English with named arguments.

    >>> str(text("{n} hexes to {hex}", n=3, hex="E4708"))
    '3 hexes to E4708'
    """

    template: str
    args: dict[str, Argument] = {}

    def __str__(self) -> str:
        return self.template.format_map(self.args)

    def __hash__(self) -> int:
        return hash((self.template, tuple(sorted(self.args.items(), key=lambda item: item[0]))))


def text(template: str, /, **args: Argument) -> Text:
    """Make a Text; every name in *template* must be among *args*."""
    return Text(template, args)

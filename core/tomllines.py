"""On which line of a TOML file a value stands. Parsers keep the values and forget the lines; people who mend files need them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_STEP = re.compile(r"([\w-]+)|\[(\d+)\]")
_STRING = re.compile(r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'', re.DOTALL)
_KEY = re.compile(r"[\"']?(?P<key>[\w-]+)[\"']?\s*=\s*")

Step = str | int


def line_of(text: str, path: str) -> int:
    """Return the line, from 1, of a value such as ``unit[2].faces[0]``, or of the nearest thing above it that has one.

    >>> line_of('a = 1\\n[[unit]]\\nid = "x"\\nfaces = [\\n  [1, 2],\\n  [3, 4],\\n]', "unit[0].faces[1][0]")
    6
    """
    steps: list[Step] = [name or int(index) for name, index in _STEP.findall(path)]
    start, end, steps = _table(text, steps)
    at = start
    if steps and isinstance(steps[0], str):
        found = _key(text, steps[0], start, end)
        if found is not None:
            at = _inside(text, found, steps[1:])
    return text.count("\n", 0, at) + 1


def _table(text: str, steps: list[Step]) -> tuple[int, int, list[Step]]:
    """Return where the innermost table with a header of its own on a path begins, where its keys end, and what is left of the path."""
    start, end, name = 0, len(text), ""
    while steps and isinstance(steps[0], str):
        full = f"{name}.{steps[0]}" if name else steps[0]
        which = steps[1] if len(steps) > 1 and isinstance(steps[1], int) else 0
        header = re.compile(rf"(?m)^[ \t]*\[\[?\s*{re.escape(full)}\s*\]")
        headers = [found.start() for found in header.finditer(text, start, end)]
        if which >= len(headers):
            break
        start = headers[which]
        # What follows belongs to this table until its like comes, or another that is none of its own.
        following = re.compile(rf"(?m)^[ \t]*\[(?:\[\s*{re.escape(full)}\s*\]|\[?(?!\s*{re.escape(full)}\.)[ \t]*[\w.-]+\s*\])")
        after = following.search(text, text.find("\n", start) % (len(text) + 1))
        end = min(end, after.start()) if after else end
        name, steps = full, steps[2:] if len(steps) > 1 and isinstance(steps[1], int) else steps[1:]
    return start, end, steps


def _key(text: str, key: str, start: int, end: int) -> int | None:
    """Return where the value of a key of the table that begins at *start* stands; its own keys come before any other header."""
    first = text.find("\n", start) + 1 if text[start:end].lstrip().startswith("[") else start
    header, ours = r"(?P<header>\[\[?[ \t]*[\w.-]+[ \t]*\])", rf"[\"']?{re.escape(key)}[\"']?[ \t]*=[ \t]*"
    found = re.compile(rf"(?m)^[ \t]*(?:{header}|{ours})").search(text, first, end)
    return None if found is None or found["header"] else found.end()


def _inside(text: str, at: int, steps: list[Step]) -> int:
    """Follow steps into the value that begins at *at*, as far as they lead."""
    for step in steps:
        if at >= len(text) or text[at] not in "[{":
            return at
        children = list(_children(text, at))
        found = [place for number, (key, place) in enumerate(children) if step in (key, number) and (key is None) == isinstance(step, int)]
        if not found:
            return at
        at = found[0]
    return at


def _children(text: str, at: int) -> Iterator[tuple[str | None, int]]:
    """Yield key (None in an array) and place of each value within the brackets that open at *at*."""
    in_table, depth, fresh = text[at] == "{", 0, False
    while at < len(text):
        letter = text[at]
        if letter == "#":
            at = text.find("\n", at) % (len(text) + 1)
        elif letter.isspace() or letter == ",":
            fresh = fresh or (letter == "," and depth == 1)
            at += 1
        else:
            if fresh and letter not in "]}":
                key = _KEY.match(text, at) if in_table else None
                at = key.end() if key else at
                yield (key["key"] if key else None), at
                fresh, letter = False, text[at] if at < len(text) else ""
            string = _STRING.match(text, at)
            at = string.end() if string else at + 1
            depth += (letter in "[{" and bool(letter)) - (letter in "]}" and bool(letter))
            if not depth:
                return
            fresh = fresh or (depth == 1 and letter in "[{")

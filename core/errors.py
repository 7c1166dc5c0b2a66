"""The three families of errors: the game says no, the input is bad, a promise of ours broke."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from core.text import Text


class Refused(Exception):
    """The game says no to an order, and cites the rule that says so.

    Attributes:
        rule: id of the rule as the rulebook spells it.
        text: what was expected and what came.
    """

    def __init__(self, rule: str, text: Text) -> None:
        super().__init__(rule, text)
        self.rule = rule
        self.text = text

    def __str__(self) -> str:
        return f"{self.text} ({self.rule})" if self.rule else str(self.text)

    def anew(self) -> Refused:
        """Return the same to be raised: what was raised holds the frames that it passed, which shall not hold it in turn."""
        return Refused(self.rule, self.text)


class Fault(msgspec.Struct, frozen=True):
    """One fault of an input: where it stands, what was expected, what came."""

    where: str
    expected: str
    got: str

    def __str__(self) -> str:
        return f"{self.where}: expected {self.expected}, got {self.got}"


class BadInput(Exception):
    """A file, frame or command line that can't be used; all its faults at once."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        assert self.faults, "bad input without a fault"
        super().__init__("\n".join(str(fault) for fault in self.faults))

    @classmethod
    def one(cls, where: str, expected: str, got: object) -> BadInput:
        """Make the error of a single fault."""
        return cls([Fault(where, expected, str(got))])


class Broken(Exception):
    """A promise of the program failed; never the user's fault."""

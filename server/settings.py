"""Settings that games share: board, charts and what is kept for all positions of them are there once, however many games go on.

Games that were agreed on otherwise still share the board: whoever begins a game with each choice of options there is would fill the memory.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Hashable, Mapping

import msgspec

from core.board import Board
from core.gamefile import Head, as_agreed, check_version
from core.pack import Pack, setting
from core.ruleset import Ruleset
from core.setting import Setting

KEPT = 16  # settings at most; of a long game one takes some MB
Options = Mapping[str, bool | int | str]


class Settings:
    """Makes settings, each once; the ones that were not asked for longest are made again when they are. For any thread."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], Setting] = {}
        self._boards: weakref.WeakValueDictionary[Hashable, Board] = weakref.WeakValueDictionary()  # of all that are anywhere in use
        self._lock = threading.Lock()

    def of(self, ruleset: Ruleset, head: Head, digest: str, pack: Callable[[], Pack]) -> Setting:
        """Return what stays the same through a game that was begun, whose head says what was agreed on.

        Args:
            digest: the hash of the pack; *pack* returns it, and is only called if nothing of the kind is here.

        Raises:
            BadInput: unknown scenario or option, faults in the pack, or rules later than ours, by which a later program had begun it.
        """
        check_version(head, ruleset)
        key = _key_of(head, digest)
        made = self._made.get(key)
        if made is None:
            made = as_agreed(setting(ruleset, pack(), head.scenario, head.options, boards=self._boards), head)
        return self._keep(key, made)

    def are_at_hand(self, head: Head, digest: str) -> bool:
        """Say whether that of a game that was begun is here: of a large map one takes a tenth of a second to make, and its board more."""
        return _key_of(head, digest) in self._made

    async def made(self, ruleset: Ruleset, pack: Pack, scenario: str, options: Options, *, dice: str) -> Setting:
        """Return that of a new game, while others have their turn: of a large map one takes half a second; errors as for `of`."""
        key = _key(ruleset.id, pack.digest, scenario, options, dice, ruleset.version)
        found = self._made.get(key)
        if found is None:
            new = await asyncio.to_thread(self._make, ruleset, pack, scenario, options, dice)
            found = self._made.get(key, new)  # somebody else may have made it meanwhile
        return self._keep(key, found)

    def _make(self, ruleset: Ruleset, pack: Pack, scenario: str, options: Options, dice: str) -> Setting:
        return msgspec.structs.replace(setting(ruleset, pack, scenario, options, boards=self._boards), dice=dice)

    def _keep(self, key: tuple[object, ...], found: Setting) -> Setting:
        with self._lock:
            self._made.pop(key, None)
            self._made[key] = found
            if len(self._made) > KEPT:
                del self._made[next(iter(self._made))]
        return found


def _key_of(head: Head, digest: str) -> tuple[object, ...]:
    return _key(head.ruleset, digest, head.scenario, head.options, head.terms.dice.kind, head.version)


def _key(ruleset: str, digest: str, scenario: str, options: Options, dice: str, version: int) -> tuple[object, ...]:
    chosen = tuple(sorted((name, type(value).__name__, value) for name, value in options.items()))  # 1 is not True here
    return ruleset, version, digest, scenario, chosen, dice

"""Settings that games share: board, charts and what is kept for all positions of them are there once, however many games go on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import msgspec

from core.gamefile import Head, as_agreed, check_version
from core.pack import Pack, setting
from core.ruleset import Ruleset
from core.setting import Setting

KEPT = 16  # settings at most; of a large map one takes some MB
Options = Mapping[str, bool | int | str]


class Settings:
    """Makes settings, each once; the ones that were not asked for longest are made again when they are."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], Setting] = {}

    def of(self, ruleset: Ruleset, head: Head, digest: str, pack: Callable[[], Pack]) -> Setting:
        """Return what stays the same through a game that was begun, whose head says what was agreed on.

        Args:
            digest: the hash of the pack; *pack* returns it, and is only called if nothing of the kind is here.

        Raises:
            BadInput: unknown scenario or option, faults in the pack, or rules later than ours, by which a later program had begun it.
        """
        check_version(head, ruleset)
        key = _key(ruleset, digest, head.scenario, head.options, head.terms.dice.kind, head.version)
        return self._keep(key, self._made.get(key) or as_agreed(setting(ruleset, pack(), head.scenario, head.options), head))

    async def made(self, ruleset: Ruleset, pack: Pack, scenario: str, options: Options, *, dice: str) -> Setting:
        """Return that of a new game, while others have their turn: of a large map one takes half a second; errors as for `of`."""
        key = _key(ruleset, pack.digest, scenario, options, dice, ruleset.version)
        found = self._made.get(key)
        if found is None:
            new = await asyncio.to_thread(_make, ruleset, pack, scenario, options, dice)
            found = self._made.get(key, new)  # somebody else may have made it meanwhile
        return self._keep(key, found)

    def _keep(self, key: tuple[object, ...], found: Setting) -> Setting:
        self._made.pop(key, None)
        self._made[key] = found
        if len(self._made) > KEPT:
            del self._made[next(iter(self._made))]
        return found


def _key(ruleset: Ruleset, digest: str, scenario: str, options: Options, dice: str, version: int) -> tuple[object, ...]:
    chosen = tuple(sorted((name, type(value).__name__, value) for name, value in options.items()))  # 1 is not True here
    return ruleset.id, version, digest, scenario, chosen, dice


def _make(ruleset: Ruleset, pack: Pack, scenario: str, options: Options, dice: str) -> Setting:
    return msgspec.structs.replace(setting(ruleset, pack, scenario, options), dice=dice)

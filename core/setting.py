"""What stays the same through a whole game: rules, board, counters, charts, scenario, options."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import msgspec

from core.board import Board
from core.events import GameBegan
from core.units import Side, UnitType

if TYPE_CHECKING:
    from core.pack import Scenario
    from core.ruleset import Ruleset


class Setting(msgspec.Struct, frozen=True):
    """The immutable part of a game; made by `core.pack.setting`.

    *charts* is the ruleset's own typed struct; *pack* the SHA-256 of the files it came from; *version* that of the ruleset under which the
    game was begun, today's if it isn't said; *lasting* what `core.derived` keeps for all positions of the setting.
    """

    ruleset: Ruleset
    board: Board
    types: dict[str, UnitType]
    charts: Any
    scenario: Scenario
    options: dict[str, bool | int | str]
    sides: tuple[Side, ...]
    pack: str
    dice: str = "server"
    version: int = 0
    lasting: dict[Hashable, Any] = {}

    def __post_init__(self) -> None:
        # Another setting made from this one by `replace` must not keep what was derived from it.
        msgspec.structs.force_setattr(self, "lasting", {})
        if not self.version:
            msgspec.structs.force_setattr(self, "version", self.ruleset.version)

    def identity(self) -> GameBegan:
        """Return the first event of a game in this setting."""
        return GameBegan(
            self.ruleset.id,
            self.version,
            self.scenario.id,
            dict(sorted(self.options.items())),
            self.sides,
            self.dice,
            self.pack,
        )

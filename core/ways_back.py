"""Whether somebody could go back where an entry says that he did: asked by `verify` of a file, and live by players' programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from core.log import Entry, Log, Rewind
from core.signed import SeenUndo, signed_undo
from core.table import Table
from core.table_rules import is_alone, may_rule
from core.witnesses import Witnesses

WayBack = Literal["right", "unsigned", "unasked", "as referee"]


def way_back(
    log: Log, table: Table, witnesses: Witnesses, entry: Entry, game: str, *, hosted: bool, signs: bool, seen: Sequence[SeenUndo] = ()
) -> WayBack:
    """Say whether whoever goes back was let by the others, or needed to ask nobody and signed it; or is a referee.

    Args:
        log, table, witnesses: before the entry.
        hosted: whether the game is a server's (`core.match.Match.is_hosted`).
        signs: whether the game holds its players to sign it (`core.gamefile.Head.signs_undo`).
        seen: how its player may have seen the moment (`core.signed.signed_undo`).
    """
    act = entry.act
    assert isinstance(act, Rewind), "nobody goes back"
    agreed, seated, goes_on = table.agreed, set(witnesses.seated), True
    if agreed is not None and (agreed.what, agreed.to) == ("rewind", act.to):
        return "right"
    alone, mine = seated <= {entry.player}, entry.side in witnesses.sides_of(entry.player)
    if hosted:  # else the game is of one person alone, or from before there were terms
        commands = table.commands_all(entry.side, entry.player)
        goes_on = table.ended is None and act.to != log.head
        # No seat was kept for anybody before tables had versions: whoever sat there last could go where he liked.
        alone, mine = (is_alone(table, entry.player) if table.version else alone) and commands, commands and not table.paused
    if goes_on and (alone or (mine and table.lets_undo(log, act.to, entry.side))):
        is_players = bool(entry.side) or entry.player in seated
        return "unsigned" if is_players and signs and not signed_undo(witnesses, log, entry, game, seen=seen) else "right"
    rules = not entry.side and entry.player and entry.player not in seated and may_rule(table, entry.player)
    return "as referee" if rules else "unasked"

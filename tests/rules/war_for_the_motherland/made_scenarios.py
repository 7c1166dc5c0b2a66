"""Scenarios that a test writes itself, on the pack's own maps: they pass every check that a scenario file passes."""

from __future__ import annotations

from collections.abc import Mapping

from core.game import Game
from core.pack import Pack, setting
from core.position import Position
from core.rulesets import load
from core.rulesets.war_for_the_motherland import scenario_setup
from core.setting import Setting
from core.trials.table import ScriptedDice, Table
from core.views import View
from tests.packs import pack_of

NAME = "war_for_the_motherland"
SOURCES = {
    "C": 'axis_sources = ["C3634"]\nsoviet_sources = ["C1501"]\n',
    "N": 'axis_sources = ["N2034"]\nsoviet_sources = ["N2718"]\n',
    "CN": 'axis_sources = ["C3634", "N2034"]\nsoviet_sources = ["C1501", "N2718"]\n',
}


def made(
    *, setup: str = "", rules: str = "", sections: str = "C", turns: tuple[int, int] = (1, 2), options: Mapping[str, bool] | None = None
) -> Setting:
    """Return the setting of a scenario in these sections; *setup* holds rows of the set-up, *rules* lines of its table ``[rules]``."""
    letters = ", ".join(f'"{letter}"' for letter in sections)
    file = (
        f'id = "trial"\ntitle = "Trial"\nrule = "15.0"\nsource = "reconstructed"\nsections = [{letters}]\n'
        f"first_turn = {turns[0]}\nlast_turn = {turns[1]}\nsetup = [{setup}]\n[rules]\n{SOURCES[sections]}{rules}\n"
    )
    if "victory" not in rules:
        file += '[rules.victory]\nlevels = [["", "Draw", 0]]\n'
    files = {**pack_of(NAME).files, "scenarios/trial.toml": file.encode()}
    return setting(load(NAME), Pack(files), "trial", options)


def set_up(chosen: Setting) -> Table:
    """Return a table on which a setting has been set up; its first turn has not begun."""
    game = Game(chosen, Position(), ScriptedDice())
    for event in scenario_setup.set_up(game):
        game.apply(event)
    return Table.on(View(chosen, game.position))

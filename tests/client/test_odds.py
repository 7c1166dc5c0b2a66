"""The odds that are shown before an attack and those that decide it: one reckoning."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from client.map.palette import LIGHT, PALETTES, Palette, contrast
from client.panels.battle import BattlePanel, ChanceBar, colour_of_hurt
from client.session import saved
from client.session.saved import SavedMatch
from core import pack, rulesets
from core.bots import load as bot
from core.events import Drawn, Explained, Line
from core.match import new_server_match
from core.orders import Order
from core.ruleset import Chance, Hurt, Preview
from core.rulesets.war_for_the_motherland import reckoning
from core.text import text
from core.views import View
from rasputitsa.packs import load_pack

ENOUGH = 8  # attacks
GAMES = 6  # at most: how many battles a bot fights is its own matter


def game(number: int) -> SavedMatch:
    """Return a game of Turning Point with people on both sides; a bot's orders are given in their names."""
    seed = number.to_bytes(32, "big")
    files = load_pack("war_for_the_motherland")
    setting = pack.setting(rulesets.load("war_for_the_motherland"), files, "turning_point")
    keeper = new_server_match(setting, game="odds", seed=seed, clock=saved.clock, links=2000)
    return SavedMatch(keeper, files, dict.fromkeys(setting.sides, "person"), seed=seed)


def previewed(match: SavedMatch, order: Order) -> Preview | None:
    """Return what the window shows of an order that is put together, None where nothing is reckoned."""
    kind = match.setting.ruleset.orders[str(type(order).__struct_config__.tag)]
    return None if kind.preview is None else kind.preview(match.view, order)


def reckoned(lines: tuple[Line, ...]) -> dict[str, Line]:
    return {line.key: line for line in lines if line.key in ("attack", "defence", "ratio", "column", "drm")}


def attacks(asked: list[View]) -> Iterator[tuple[Preview, Explained, bool]]:
    """Play one game after the other, and tell of each battle: what was shown, what decided it, and whether a strength was drawn in between.

    Both must have *asked* the reckoning.
    """
    rng, steady = random.Random(3), bot("steady")
    for number in range(GAMES):
        match = game(number)
        while match.outcome is None:
            order = steady(match.view, rng)
            asked.clear()
            shown = previewed(match, order)
            was_shown_by_it = bool(asked)
            asked.clear()
            match.order(order)
            events = match.entries(match.cursor)[-1].events
            told = [event for event in events if isinstance(event, Explained) and event.subject == "battle"]
            if shown is not None and told:
                assert was_shown_by_it, "the window asks another function than the battle"
                assert asked, "the battle asks another function than the window"
                yield shown, told[0], any(isinstance(event, Drawn) for event in events)


def test_41_what_is_shown_before_an_attack_is_what_decides_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[View] = []
    real = reckoning.reckon

    def reckon(view: View, *args: Any, **kwargs: Any) -> object:
        asked.append(view)
        return real(view, *args, **kwargs)

    monkeypatch.setattr(reckoning, "reckon", reckon)
    compared = drawn = 0
    for shown, told, drew in attacks(asked):
        assert next(line.value for line in told.lines if line.key == "result") in {chance.result for chance in shown.chances}
        if drew:  # the window showed the mean of what might be drawn, and the chances of all that might
            drawn += 1
            continue
        assert reckoned(shown.lines)
        assert reckoned(shown.lines) == reckoned(told.lines)
        compared += 1
        if compared == ENOUGH:
            break
    assert drawn, "no strength was drawn"
    assert compared == ENOUGH, f"only {compared} battles between armies of known strength were fought"


@pytest.mark.parametrize(("cases", "told"), [(1, "under 1 %"), (6, "1 %"), (500, "50 %")])
def test_what_can_hardly_happen_is_not_told_as_impossible(qtbot: QtBot, cases: int, told: str) -> None:
    bar = ChanceBar(Chance("D1", cases, 1000, text("the defender loses a step")), LIGHT)
    qtbot.addWidget(bar)
    assert bar.accessibleName() == f"D1: {told}, the defender loses a step"


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_each_bar_has_the_colour_of_who_pays_and_words_that_can_be_read_on_it(qtbot: QtBot, palette: Palette) -> None:
    colours = {hurt: colour_of_hurt(hurt, palette) for hurt in get_args(Hurt)}
    assert len(set(colours.values())) == len(colours)
    assert min(contrast(palette.ink, colour) for colour in colours.values()) >= 4.5
    for hurt, colour in colours.items():
        bar = ChanceBar(Chance("D1", 1, 1, text("something"), hurt), palette)
        qtbot.addWidget(bar)
        bar.resize(300, 24)
        assert bar.grab().toImage().pixelColor(150, 4).name().upper() == colour


def test_who_pays_is_told_by_a_word_too_at_the_end_of_the_bar(qtbot: QtBot) -> None:
    told = set[bytes]()
    for hurt in get_args(Hurt):
        bar = ChanceBar(Chance("D1", 0, 1, text("something"), hurt), LIGHT)
        qtbot.addWidget(bar)
        bar.resize(300, 24)
        image = bar.grab().toImage().copy(150, 0, 150, 24)
        told.add(bytes(image.constBits()))
    assert len(told) == len(get_args(Hurt))


def test_the_panel_asks_to_whom_only_where_that_is_known(qtbot: QtBot) -> None:
    panel = BattlePanel(LIGHT)
    qtbot.addWidget(panel)
    told: tuple[tuple[Hurt, str], ...] = (("both", "What can happen, and to whom"), ("", "What can happen"))
    for hurt, heading in told:
        chances = (Chance("1/1", 1, 1, text("something"), hurt),)
        panel.show_preview(Preview(text("a battle"), (), chances), verb="Strike", ready=True, missing="")
        assert heading in {one.text() for one in panel.findChildren(QLabel)}

"""Counters that a viewer doesn't know: one back for all, on the map, in panels and in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from client.map.counters import art_of
from client.map.palette import PALETTES
from client.map.scene import MapScene
from client.panels.forces import ForcesPanel
from client.panels.stack import StackPanel
from client.qt import QCoreApplication, QEvent
from client.render import render_position
from client.session.match import LoggedMatch
from core.match import Match, ServerDice, new_server_match
from core.orders import Order
from core.pack import Pack
from core.seen import SeenLog, SeenMatch
from core.units import UnitId
from core.views import View
from rasputitsa.replay import _tell
from tests.client.conftest import delete
from tests.hidden_toy.pack import ambush, files
from tests.hidden_toy.ruleset import Deploy, End, March, Plan

SETTING = ambush()
BOARD = SETTING.board
PACK = Pack(files())
PALETTE = next(iter(PALETTES.values()))
AT = BOARD.hex("T0202")


def dark(*units: int) -> ServerDice:
    """Return a game in which red's counters stand in one hex, and blue is to deploy."""
    keeper = new_server_match(SETTING, game="dark", seed=bytes(32), clock=lambda: 0, links=1000)
    for unit in units:
        keeper.order("red", Deploy(UnitId(unit), AT))
    keeper.order("red", End())
    return keeper


def as_blue(keeper: ServerDice) -> View:
    return keeper.match.view.seen_by("blue")


STACKS = {"one guard": (0,), "one dummy": (2,), "three counters": (0, 1, 2), "six": (0, 1, 2, 3, 4, 5)}


@pytest.mark.usefixtures("qapp")
def test_a_picture_of_the_map_is_the_same_whatever_lies_under_a_back(tmp_path: Path) -> None:
    """bugs-of-peers 16: a pixel difference gave dummies away."""
    pictures = []
    for name, units in STACKS.items():
        file = tmp_path / f"{name}.png"
        render_position(as_blue(dark(*units)), (), file, 700, manifest=PACK.manifest, palette=PALETTE)
        pictures.append(file.read_bytes())
    assert len(set(pictures)) == 1
    own = tmp_path / "own.png"
    render_position(dark(0).match.view, (), own, 700, manifest=PACK.manifest, palette=PALETTE)
    assert own.read_bytes() != pictures[0]


def test_all_backs_of_a_side_are_one_picture() -> None:
    arts = {art_of(as_blue(dark(*units)), unit, {}) for units in STACKS.values() for unit in as_blue(dark(*units)).position.at(AT)}
    assert len(arts) == 1
    back = arts.pop()
    assert (back.kind, back.values, back.id, back.steps, back.badges) == ("unknown", "", "", 0, ())


@pytest.fixture
def panel(qtbot: QtBot) -> Iterator[StackPanel]:
    made = StackPanel(PALETTE, {})
    yield made
    delete(made)


def written(widget: QWidget) -> list[tuple[str, str]]:
    """Return all words of a widget and of its tooltips."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    labels = [(one.text(), one.toolTip()) for one in widget.findChildren(QLabel)]
    return labels + [(one.text(), one.toolTip()) for one in widget.findChildren(QPushButton)]


def test_a_stack_says_the_same_whatever_lies_under_its_back(panel: StackPanel) -> None:
    """bugs-of-peers 14: the menu of a concealed unit shows what only real ones have."""
    told = []
    for units in STACKS.values():
        panel.show_hex(as_blue(dark(*units)), AT, ())
        told.append(written(panel))
    assert all(words == told[0] for words in told)
    assert any("Unknown counters" in words for words, _ in told[0])


def test_a_map_has_the_same_items_whatever_lies_under_a_back(qtbot: QtBot) -> None:
    """bugs-of-peers 14: items to count and to pick are one a stack."""
    counts = []
    for units in STACKS.values():
        scene = MapScene(BOARD, PACK.manifest, (), PALETTE)
        scene.show_view(as_blue(dark(*units)), weather="clear")
        counts.append((len(scene.items()), sorted(scene.counters)))
        scene.deleteLater()
    assert all(count == counts[0] for count in counts)


class Watched(LoggedMatch):
    """What blue is told of a game, as a window shows it."""

    def __init__(self, keeper: ServerDice) -> None:
        self.told = SeenLog(SETTING, keeper.match.log, "blue")
        super().__init__(SeenMatch.of(Match(SETTING, game="dark", chains=keeper.match.chains, clock=lambda: 0), "blue"), PACK)
        self.hear()

    def hear(self) -> None:
        assert isinstance(self.match, SeenMatch)
        for entry in self.told.grow()[len(self.match.log) :]:
            self.match.take(entry)
        self.refresh()


def met() -> ServerDice:
    """Return a game in which a red counter came beside a blue one, was seen, and is away again."""
    keeper = new_server_match(SETTING, game="dark", seed=bytes(32), clock=lambda: 0, links=1000)
    orders: list[tuple[str, Order]] = [
        ("red", Deploy(UnitId(0), AT)), ("red", End()), ("blue", Deploy(UnitId(6), BOARD.hex("T0402"))), ("blue", End()),
        ("red", Plan("bold")), ("blue", Plan("bold")), ("red", March((UnitId(0),), BOARD.hex("T0302"))),
    ]
    for side, order in orders:
        keeper.order(side, order)
    return keeper


def test_a_counter_that_was_inspected_is_gone_from_all_panels_when_it_is_turned_down(qtbot: QtBot, panel: StackPanel) -> None:
    """bugs-of-peers 15 and bugs-of-peers 18: what was open stayed open; the lists showed the enemy's units."""
    keeper = met()
    match, forces = Watched(keeper), ForcesPanel(PALETTE)
    here, name = BOARD.hex("T0302"), "red-1-guard"
    panel.show_hex(match.view, here, ())
    assert any(name in words for words, _ in written(panel))
    for side, order in (("red", End()), ("blue", March((UnitId(6),), BOARD.hex("T0502"))), ("blue", End())):
        keeper.order(side, order)
    match.hear()
    assert match.view.side_to_act() == "red"
    panel.show_hex(match.view, here, ())
    assert not any(name in words or name in tip for words, tip in written(panel))
    assert any("Unknown counters" in words for words, _ in written(panel))
    forces.show()
    forces.show_match(match)
    assert name not in forces.text.toPlainText()
    forces.search.setText(name)
    forces.write()
    assert name not in forces.text.toPlainText()
    delete(forces)


def test_a_viewer_reads_in_the_log_what_he_saw_though_it_is_hidden_now() -> None:
    keeper = met()
    for side, order in (("red", End()), ("blue", March((UnitId(6),), BOARD.hex("T0502"))), ("blue", End())):
        keeper.order(side, order)
    match = Watched(keeper)
    told = [str(line.text) for index in range(len(match.moments())) for line in match.lines(index)]
    assert "unknown counters to T0302" in told
    assert "red guard red-1-guard is seen in T0302" in told
    assert not any("red-2" in line for line in told)


def test_a_record_of_what_a_viewer_was_told_is_replayed_without_what_he_may_not_read() -> None:
    keeper = met()
    for side, order in (("red", End()), ("blue", March((UnitId(6),), BOARD.hex("T0502"))), ("blue", End())):
        keeper.order(side, order)
    told = list(_tell(Watched(keeper).match, PACK.manifest, 0, None))
    assert any("red: an order that may not be read here" in line for line in told)
    assert any("blue: Deploy" in line for line in told)
    assert any("red-1-guard is seen" in line for line in told)
    assert not any("red-2" in line for line in told)


def test_the_last_moves_of_unknown_counters_are_drawn_by_their_path_alone() -> None:
    match = Watched(met())
    routes = [route for index in range(len(match.moments())) for route in match.moves(index)]
    unknown = [route for route in routes if not route.move.units]
    assert [(route.start, route.move.path) for route in unknown] == [(AT, (BOARD.hex("T0302"),))]

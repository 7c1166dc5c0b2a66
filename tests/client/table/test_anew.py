"""A game with secrets that begins anew, as another viewer sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from client.qt import QSettings
from core import gamefile, protocol
from core.orders import Order
from core.pack import Pack
from core.terms import Terms
from core.units import UnitId
from tests.client.conftest import delete
from tests.client.table.people import GAME, Somebody, order
from tests.hidden_toy.pack import files
from tests.hidden_toy.ruleset import RULESET, Deploy, End, Lay, Plan
from tests.server.dark import AT, THERE, DarkHost


@pytest.fixture
def dark_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DarkHost]:
    monkeypatch.setattr("server.rooms.load", lambda name: RULESET)
    monkeypatch.setattr("core.rulesets.load", lambda name: RULESET)
    opens = {**gamefile.open_match.__kwdefaults__, "load": lambda name: RULESET}
    monkeypatch.setattr("core.gamefile.open_match.__kwdefaults__", opens)
    opening = {**gamefile.Opening.__init__.__kwdefaults__, "load": lambda name: RULESET}
    monkeypatch.setattr("core.gamefile.Opening.__init__.__kwdefaults__", opening)
    made = DarkHost(tmp_path / "server")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def dark_person(qtbot: QtBot, qapp: object, dark_host: DarkHost, tmp_path: Path) -> Iterator[Callable[[str], Somebody]]:
    QSettings("rasputitsa", "rasputitsa").clear()
    made: list[Somebody] = []

    def new(name: str) -> Somebody:
        made.append(Somebody(name, Pack(files()), tmp_path, qtbot))
        made[-1].join(dark_host)
        return made[-1]

    yield new
    for one in made:
        one.window.close()
        delete(one.window)


def test_what_was_told_at_the_table_is_not_told_again_when_all_lies_open(dark_person: Callable[[str], Somebody]) -> None:
    anna, boris, carla, rita = (dark_person(name) for name in ("Anna", "Boris", "Carla", "Rita"))
    assert anna.window.lobby.link is not None
    anna.window.lobby.link.games.send(protocol.CreateGame(GAME, "ambush", "ambush", terms=Terms(referees=("Rita",))))
    anna.until(lambda: any(line.game == GAME for line in anna.window.lobby.hall._lines or ()))
    for one, side in ((anna, "red"), (boris, "blue"), (carla, ""), (rita, "")):
        one.open(side)
    orders: list[tuple[Somebody, Order]] = [
        (anna, Deploy(UnitId(0), AT)), (anna, Deploy(UnitId(2), THERE)), (anna, End()), (boris, End()), (anna, Plan("bold")),
        (boris, Plan("bold")), (anna, Lay(AT)), (anna, Lay(THERE)),  # nobody else is told of a mine
    ]
    for one, wanted in orders:
        one.until(lambda one=one: one.page.match.may_act)  # type: ignore[misc]
        order(one, wanted)
    remark = "Referee Rita: Play on, please"
    rita.page.players.referee.remark.setText("Play on, please")
    rita.page.players.referee._say()
    carla.until(lambda: remark in carla.said)
    known = len(carla.page.match.match.log)
    boris.page._act("resign")
    carla.until(lambda: carla.page.match.match.viewer == "" and carla.page.match.outcome is not None)
    assert len(carla.page.match.match.log) > known + 2, "two entries were nothing for her before, and one is new"
    assert carla.said.count(remark) == 1

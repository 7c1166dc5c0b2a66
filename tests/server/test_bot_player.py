"""A bot's own client: what it asks of a server, and how often."""

from __future__ import annotations

import errno
import queue
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from client.connection.bot_player import GIVE_UP_AFTER, BotPlayer
from client.connection.line import Down, Line, Up
from client.connection.notes import Trouble
from core import protocol
from core.bots.random_bot import choose
from core.errors import BadInput, Refused
from core.gamefile import VERSION_AT
from core.log import ChainPublished, Entry, Pause, Seat
from core.terms import DiceTerms, SeatTerms, SpectatorTerms, Terms
from server import security
from server.store.contract import Appended
from tests.server.conftest import PATIENCE_S, Host, Player, of
from tests.server.tables import GAME, do, follow, open_table, sit, take_turn, until
from tests.toy.ruleset import End

NewPlayer = Callable[..., Player]


class Asked:
    """What a bot has sent, and whoever waits for it."""

    def __init__(self) -> None:
        self.frames: list[protocol.Frame] = []
        self._changed = threading.Condition()

    def note(self, frame: protocol.Frame) -> None:
        with self._changed:
            self.frames.append(frame)
            self._changed.notify_all()

    def wait_for(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.frames) >= count, 10), self.frames


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    made, send = Asked(), Line.send

    def noted(line: Line, frame: protocol.Frame) -> None:
        if threading.current_thread().name.startswith("bot for"):
            made.note(frame)
        send(line, frame)

    monkeypatch.setattr(Line, "send", noted)
    monkeypatch.setattr("client.connection.bot_player.ASK_AGAIN_S", 0)
    return made


@pytest.fixture
def robot(host: Host) -> Iterator[BotPlayer]:
    made = BotPlayer(choose, seed="1", game=GAME, side="blue")
    made.start(host.address, "Robot", identity=of("Robot"))
    yield made
    made.close()


def test_a_bot_whose_game_went_on_from_a_backup_says_so_and_reports_no_fault_of_the_program(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    open_table(anna)
    sit(anna, "red")
    robot = BotPlayer(choose, seed="1", game=GAME, side="blue")
    robot.start(host.address, "Robot", identity=of("Robot"))
    until(anna, lambda match: match.table.holders("blue") == {"Robot"})
    robot._notes_put(Trouble(f"{GAME}: the server's game is another than it was: it went on from a backup, or was changed"))
    with pytest.raises(Refused, match="it went on from a backup, or was changed; begin the bot anew to go on from there"):
        robot.wait(PATIENCE_S)
    robot.close()


def test_a_bot_asks_once_a_try_for_a_game_that_is_not_there_yet_and_sits_down_when_it_is(
    asked: Asked, robot: BotPlayer, player: NewPlayer
) -> None:
    asked.wait_for(6)
    assert set(map(type, asked.frames[:6])) == {protocol.Follow}
    open_table(anna := player("Anna"))
    until(anna, lambda match: match.table.holders("blue") == {"Robot"})
    assert robot.trouble is None
    seats = [frame for frame in asked.frames if isinstance(frame, protocol.TakeSeat)]
    assert len(seats) == 1


def test_a_bot_takes_a_seat_of_a_game_that_is_closed_to_spectators(host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    open_table(anna, Terms(spectators=SpectatorTerms("closed")))
    follow(boris)
    sit(anna, "red")
    sit(boris, "blue")  # from now on nobody else sees it
    boris.games.send(protocol.LeaveSeat(GAME, "blue"))
    until(anna, lambda match: not match.table.holders("blue"))
    robot = BotPlayer(choose, seed="1", game=GAME, side="blue")
    robot.start(host.address, "Robot", identity=of("Robot"))
    until(anna, lambda match: match.table.holders("blue") == {"Robot"})
    robot.close()


def test_a_bot_that_comes_back_has_the_seat_that_it_had_and_takes_no_other(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    open_table(anna, Terms(seats=(SeatTerms("red"), SeatTerms("blue", "North"), SeatTerms("blue", "South"))))
    robot = BotPlayer(choose, seed="1", game=GAME, side="blue")
    robot.start(host.address, "Robot", identity=of("Robot"))
    until(anna, lambda match: match.table.holders("blue") == {"Robot"})
    robot.games.send(protocol.TakeSeat(GAME, "blue"))  # as it does each time when the line is back
    robot.games.send(protocol.LeaveSeat(GAME, "blue", "North"))  # answered in turn
    until(anna, lambda match: match.log.entries[-1].act == Seat("blue", "", "North"))
    match = anna.games.match(GAME)
    assert match is not None
    assert not match.table.holders("blue")
    robot.close()


def test_a_bot_that_is_refused_by_no_rule_asks_later_and_later(host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server takes so many orders a second of one player, and its disk may be full for a while: twenty refusals came within a moment."""
    now, waited = [0.0], list[float]()
    host.service.limits.ordering = security.Limit(1, 1.0, clock=lambda: now[0])

    def sleep(seconds: float) -> None:
        waited.append(round(seconds, 1))
        now[0] += seconds

    monkeypatch.setattr("client.connection.bot_player.time", SimpleNamespace(sleep=sleep, monotonic=time.monotonic))
    anna = player("Anna")
    open_table(anna)
    robots = [BotPlayer(choose, seed="1", game=GAME, side=side) for side in ("red", "blue")]
    for robot in robots:
        robot.start(host.address, "Robot", identity=of("Robot"))
    until(anna, lambda match: sum(bool(entry.order) for entry in match.log.entries) > 4)
    for robot in robots:
        assert robot.trouble is None
        robot.close()
    assert waited[:4] == [0.2, 0.4, 0.6, 0.2]


def test_a_bot_does_not_give_up_on_a_server_that_can_not_write_for_a_while(
    asked: Asked, host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = player("Anna")
    open_table(anna)
    sit(anna, "blue")
    takes = [False]
    monkeypatch.setattr(host.service.limits.ordering, "take", lambda player: takes[0])
    robot = BotPlayer(choose, seed="1", game=GAME, side="red")
    robot.start(host.address, "Robot", identity=of("Robot"))
    asked.wait_for(2 * GIVE_UP_AFTER)
    takes[0] = True
    until(anna, lambda match: any(entry.order for entry in match.log.entries))
    assert robot.trouble is None
    robot.close()


@pytest.mark.parametrize("what", ["a seat", "a dice chain", "an order with witnessed dice"])
def test_a_bot_goes_on_when_a_server_that_could_not_write_it_down_can(
    what: str, asked: Asked, host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a program sends without an id is refused without one: as the disk was full for a moment it ended, and so did the game."""
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)
    store, failed = host.service.store, list[str]()
    add_entry = store.add_entry

    def full(game: str, entry: Entry, **how: Any) -> Appended:
        made = {Seat: "a seat", ChainPublished: "a dice chain"}.get(type(entry.act), "an order with witnessed dice" if entry.k else "")
        if made == what and len(failed) < 2:
            failed.append(made)
            raise OSError(errno.ENOSPC, "No space left on device")
        return add_entry(game, entry, **how)

    monkeypatch.setattr(store, "add_entry", full)
    anna = player("Anna")
    open_table(anna, Terms(dice=DiceTerms("witnessed")))
    robots = [BotPlayer(choose, seed="1", game=GAME, side=side) for side in ("red", "blue")]
    for robot in robots:
        robot.start(host.address, f"Robot {robot.side}", identity=of(robot.side))
    until(anna, lambda match: match.log.k > 1)
    assert failed == [what] * 2
    for robot in robots:
        assert robot.trouble is None
        robot.close()


def test_a_bot_whose_line_breaks_before_it_sits_down_does_so_when_it_is_back(host: Host, player: NewPlayer) -> None:
    anna, downs = player("Anna"), queue.SimpleQueue[Down]()
    open_table(anna)
    sit(anna, "red")
    robot = BotPlayer(choose, seed="1", game=GAME, side="blue", line_changed=lambda note: isinstance(note, Down) and downs.put(note))
    robot.start(host.address, "Robot", identity=of("Robot"))
    until(anna, lambda match: match.table.holders("blue") == {"Robot"})
    host.stop()
    downs.get(timeout=PATIENCE_S)
    robot.games.send(protocol.TakeSeat(GAME, "blue"))  # as if the game had come just before
    host.start(host.address)
    anna.wait(lambda note: isinstance(note, Up))
    assert take_turn(anna, "red", End()) == ""
    until(anna, lambda match: match.log.entries[-1].side == "blue")
    assert robot.trouble is None
    robot.close()


def test_a_bot_gives_no_order_in_a_pause(asked: Asked, host: Host, player: NewPlayer) -> None:
    anna, rita = player("Anna"), player("Rita")
    open_table(anna, Terms(referees=("Rita",)))
    follow(rita)
    sit(anna, "blue")
    assert do(rita, "", Pause(on=True)) == ""
    robot = BotPlayer(choose, seed="1", game=GAME, side="red")
    robot.start(host.address, "Robot", identity=of("Robot"))
    until(anna, lambda match: match.table.holders("red") == {"Robot"})
    until(rita, lambda match: match.table.holders("red") == {"Robot"})
    assert do(rita, "", Pause(on=False)) == ""
    until(anna, lambda match: match.view.side_to_act() == "blue")
    match = anna.games.match(GAME)
    assert match is not None
    given = [frame for frame in asked.frames if isinstance(frame, protocol.Give)]
    assert len(given) == sum(entry.player == "Robot" and bool(entry.order) for entry in match.log.entries)  # none was refused
    robot.close()


def test_a_bot_whose_seat_a_referee_frees_says_so_and_ends(host: Host, player: NewPlayer) -> None:
    anna, rita = player("Anna"), player("Rita")
    open_table(anna, Terms(referees=("Rita",)))
    follow(rita)
    robot = BotPlayer(choose, seed="1", game=GAME, side="blue")
    robot.start(host.address, "Robot", identity=of("Robot"))
    until(anna, lambda match: match.table.holders("blue") == {"Robot"})
    assert do(rita, "", Seat("blue", "")) == ""
    with pytest.raises(Refused, match="not ours to play any more"):
        robot.wait(PATIENCE_S)
    robot.close()


def test_a_bot_whose_program_is_older_than_a_game_says_so_as_whoever_asked_for_it_reads_it(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BadInput.one(VERSION_AT, "rules of version 2 or earlier", 3)

    open_table(player("Anna"))
    monkeypatch.setattr("client.connection.games.open_match", refuse)
    robot = BotPlayer(choose, seed="1", game=GAME, side="blue")
    robot.start(host.address, "Robot", identity=of("Robot"))
    with pytest.raises(Refused, match="this game needs a newer version of this program: its rules have changed since yours"):
        robot.wait(PATIENCE_S)
    robot.close()

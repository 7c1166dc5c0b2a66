"""What the server is measured on is what it says."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import core.match
from benchmarks.kit import durable, games, recorded, timers
from benchmarks.kit.crowd import Idle, Linger, Open, Play, Played, Rush
from benchmarks.kit.hosting import crowds, served
from benchmarks.kit.timers import Timers
from core.dice import seed
from core.log import Entry
from core.match import new_server_match
from server.store.sqlite import STORE, SqliteStore


@pytest.fixture(scope="module")
def recording() -> recorded.Recording:
    return recorded.record("busy", 3)


def test_a_recorded_game_that_is_played_again_is_the_same_game(recording, monkeypatch):
    monkeypatch.setattr(core.match, "Stream", recorded.stream_of({recording.name: recording}))
    again = new_server_match(games.turning_point(), game=recorded.game_id(recording, 7), seed=seed(b"other", "dice"), clock=lambda: 0)
    for step in recording.steps:
        again.order(step.side, again.match.codec.decode(step.order))
    real = games.game_of("busy", 3).match.log.entries
    assert [entry.events for entry in again.match.log.entries] == [entry.events for entry in real]
    assert any(step.ends_phase for step in recording.steps)
    assert recording.dice


def test_a_recorded_roll_that_can_not_be_is_told(recording):
    stream = recorded.RecordedStream(iter((6,)), iter(("A",)))
    with pytest.raises(AssertionError, match="a recorded roll of 6, asked for one of 4 faces"):
        stream.roll(4)
    with pytest.raises(AssertionError, match="a recorded chit A"):
        stream.draw({"A": 0, "B": 2})


def test_time_is_counted_once_where_one_kind_of_work_calls_another(monkeypatch):
    clock = iter(range(0, 100, 1))
    monkeypatch.setattr(timers.time, "thread_time", lambda: float(next(clock)))
    counted = Timers()
    inner = counted.wrap("inner", lambda: None)
    outer = counted.wrap("outer", lambda: (inner(), inner()))
    outer()  # the clock is asked at its begin, twice an inner one, and at its end
    assert counted.kinds == {"inner": 2.0, "outer": 3.0}


@pytest.mark.parametrize("group", [1, 5])
def test_both_stores_hold_the_same_rows(tmp_path: Path, group: int):
    rates = durable.race(tmp_path, group, rounds=1, games_at_once=3, entries=20)
    assert rates.group == pytest.approx(group, rel=0.5)
    rows = []
    for name in ("ours", "bare"):
        with closing(sqlite3.connect(tmp_path / f"{name}.sqlite")) as store:
            rows.append([store.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in ("entries", "orders")])
    assert rows[0] == rows[1]
    assert len(rows[0][0]) >= 2 * group


def test_players_play_their_recordings_on_a_real_server(tmp_path: Path, recording):
    file = tmp_path / "recordings"
    recorded.save({recording.name: recording}, file)
    with served(file, tmp_path / "server") as server:
        with crowds(file, server.link, 2, processes=1) as players:
            assert players.tell(Open(), int) == [4]
            rushed, = players.tell(Rush(0.3), Played)
            server.count_kinds()
            played, = players.tell(Play(100.0, 0.3), Played)
        spent = server.spent()
    assert spent.kinds["decide"] > 0
    given = sum(len(one.within) + len(one.ending) for one in (rushed, played))
    with closing(SqliteStore(tmp_path / "server" / "games" / STORE)) as store:
        logs = [orders_of(store.entries(recorded.game_id(recording, number))) for number in range(2)]
    assert sum(map(len, logs)) == given > 0
    for log in logs:
        assert log == [step.order for step in recording.steps[: len(log)]]


def orders_of(entries: list[Entry]) -> list[bytes]:
    return [entry.order for entry in entries if entry.order]


def test_idle_players_are_known_to_a_server_that_began_with_few_descriptors(tmp_path: Path, recording):
    file = tmp_path / "recordings"
    recorded.save({recording.name: recording}, file)
    with served(file, tmp_path / "server", descriptors=64) as server, crowds(file, server.link, 0, processes=1) as players:
        assert players.tell(Idle(100), int) == [100]
        assert players.tell(Linger(0.2), int)[0] > 0
        assert server.spent().players == 100

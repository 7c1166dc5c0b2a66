"""`rasputitsa soak --kill`: games over a server that dies, and what would be said if it lost anything."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from core.errors import BadInput, Broken
from core.terms import Terms
from rasputitsa import soak as command
from rasputitsa.killing import _Mortal, create_game, hold_game, lasting_port
from rasputitsa.match import made_setting
from server.store.sqlite import STORE, SqliteStore
from tests.server.conftest import Host, Player
from tests.server.test_play import End, open_game, sit

NewPlayer = Callable[..., Player]


def test_a_game_is_played_to_its_end_over_a_server_that_dies_and_nothing_is_lost() -> None:
    asked = ["--kill", "2", "--games", "1", "--bot", "random"]
    result = CliRunner().invoke(command.soak, asked, catch_exceptions=False, standalone_mode=False)
    assert result.return_value == 0, result.stdout
    assert "none lost, none twice; all files verify" in result.stdout
    assert "killed" in result.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell it elsewhere")
def test_nobody_is_given_the_port_of_a_server_while_it_is_dead() -> None:
    first, last = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    assert not any(first <= lasting_port() <= last for _ in range(1000))


def test_a_server_that_ends_before_it_is_to_die_is_told(tmp_path: Path) -> None:
    server = _Mortal(tmp_path, lambda: None)
    with socket.socket() as others:
        others.bind(("127.0.0.1", lasting_port()))
        others.listen()
        server.address = f"tcp://127.0.0.1:{others.getsockname()[1]}"
        with pytest.raises(Broken, match="did not come up"):
            server.start("before entry")
    server.kill()


def test_games_over_a_server_have_the_options_that_were_asked_for() -> None:
    chosen = made_setting("war_for_the_motherland", "turning_point", {"army_breakdown": True})
    assert create_game(chosen, "first", Terms()).options == chosen.options


def test_what_does_not_go_with_it_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--kill"):
        CliRunner().invoke(command.soak, ["--kill", "2", "--out", str(tmp_path / "x")], catch_exceptions=False, standalone_mode=False)


def test_an_acknowledged_order_that_is_not_in_the_store_is_found(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    match = open_game(anna)
    sit(anna, "first", "red")
    kept = anna.games.give("first", "red", End())
    anna.until(lambda: match.view.side_to_act() == "blue")
    host.stop()
    one = SimpleNamespace(game="first", side="red", acknowledged=[kept], games=anna.games)
    store = SqliteStore(host.data / STORE)
    try:
        hold_game(store, one)  # type: ignore[arg-type]
        one.acknowledged.append("another")
        with pytest.raises(Broken, match="order another of red was acknowledged and is lost"):
            hold_game(store, one)  # type: ignore[arg-type]
        one.game, one.acknowledged = "second", [kept]
        with pytest.raises(Broken, match="second is lost"):
            hold_game(store, one)  # type: ignore[arg-type]
    finally:
        store.close()
    host.start()

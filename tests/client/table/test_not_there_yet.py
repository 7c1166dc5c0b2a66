"""Games that are asked for and not shown: not set up yet, closed, or left before they have come."""

from __future__ import annotations

import pytest

from core import protocol
from core.terms import SpectatorTerms, Terms
from server.rooms import Room
from tests.client.table.people import GAME, Person, Somebody, begin, duel
from tests.server.conftest import Host


def begun(one: Somebody, host: Host, terms: Terms | None = None) -> None:
    """Begin a game that can't be set up yet."""
    assert one.window.lobby.link is not None
    one.window.lobby.link.games.send(protocol.CreateGame(GAME, "toy", "duel", terms=terms or Terms()))
    one.until(lambda: GAME in host.service.rooms.loaded)
    one.window.lobby._ask()
    one.until(lambda: any(line.game == GAME for line in one.window.lobby.hall.lines))


def test_a_game_that_is_not_set_up_yet_says_so_and_is_opened_as_soon_as_it_is(
    person: Person, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins = Room.begin_if_possible

    async def full(room: Room) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Room, "begin_if_possible", full)
    anna = person("Anna")
    begun(anna, host)
    anna.window.lobby.take(GAME, "red")
    anna.until(lambda: anna.window.lobby.state.text() == "This game is not set up yet; it opens here as soon as it is")
    assert anna.window.game is None
    monkeypatch.setattr(Room, "begin_if_possible", begins)
    boris = person("Boris")
    boris.window.lobby.take(GAME, "blue")
    for one in (anna, boris):
        one.until(lambda one=one: one.window.game is not None and one.page.match.view is not None)  # type: ignore[misc]


def test_a_game_that_is_closed_does_not_come_to_the_front_when_it_ends(person: Person, host: Host) -> None:
    anna, _ = duel(person, Terms(spectators=SpectatorTerms("closed")))
    carla = person("Carla")
    lobby = carla.window.lobby
    lobby.follow(GAME)
    carla.until(lambda: "closed to spectators" in lobby.state.text())
    assert lobby.link is not None
    anna.page._act("resign")
    anna.until(lambda: anna.page.match.outcome is not None)
    lobby._ask()
    carla.until(lambda: any(line.over for line in lobby.hall.lines))
    assert GAME not in lobby.link.games._wanted
    assert carla.window.game is None


def test_whoever_asks_for_another_game_before_one_has_come_looks_on_at_that_one_alone(person: Person, host: Host) -> None:
    anna, carla = person("Anna"), person("Carla")
    begin(anna)
    assert anna.window.lobby.link is not None
    anna.window.lobby.link.games.send(protocol.CreateGame("other", "toy", "duel"))
    lobby = carla.window.lobby
    carla.until(lambda: {line.game for line in lobby.hall.lines} == {GAME, "other"})
    assert lobby.link is not None
    lobby.follow(GAME)
    lobby.follow("other")
    carla.until(lambda: carla.window.game is not None and carla.page.match.game == "other")
    assert lobby.link.games._wanted == {"other"}
    carla.window.join()
    lobby.follow(GAME)
    carla.window.join()
    assert not lobby.link.games._wanted
    carla.until(lambda: not any(one.player == "Carla" for game in (GAME, "other") for one in host.service.sessions.followers(game)))

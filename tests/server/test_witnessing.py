"""Which games a player's program witnesses or watches, and that it begins anew with one that comes back as another."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import msgspec
import pytest

from client.connection import watcher
from client.connection.watcher import REST_S, SLICE
from client.connection.witnessing import Witnessing
from core import protocol
from core.dice import Chain, ChainEnd, Keeper
from core.gamefile import Head, agreement, head_of
from core.identity import chain_message, verify
from core.log import Log, Seat
from core.match import Match, ServerDice
from core.terms import DiceTerms, Terms
from core.witnesses import SERVER, WITNESSED
from tests.server.conftest import of
from tests.server.tables import under
from tests.server.test_watched import Kept
from tests.toy.ruleset import End, toy_setting

GAME = "duel"
HOST = of("Boris")


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)


@pytest.fixture
def sent() -> list[protocol.Frame]:
    return []


@pytest.fixture
def annas(sent: list[protocol.Frame]) -> Iterator[Witnessing]:
    witnessing = Witnessing(sent.append, lambda foul: pytest.fail(str(foul)), pytest.fail)
    witnessing.be(of("Anna"), None)
    witnessing.known_as("Anna")
    yield witnessing
    witnessing.close()


def begun(seed: bytes, dice: DiceTerms) -> tuple[Head, Match]:
    """Return a game at which Anna sits, under a chain of its server's own."""
    chain = Chain(seed * 32, links=1000)
    match = Match(
        msgspec.structs.replace(toy_setting(), dice=dice.kind), game=GAME, chains=(ChainEnd(SERVER, chain.end, 1000),), clock=lambda: 0,
        terms=Terms(dice=dice), keeper=Keeper(HOST.key), signs_undo=True,
    )
    ServerDice(match, chain).begin()
    match.accept_act(match.act(Seat("red", "Anna", key=of("Anna").key), side="red", player="Anna", signature=b""))
    return under(head_of(match), match.terms, HOST), match


def test_of_a_game_that_comes_back_as_another_the_chain_is_published_that_is_of_that_one(
    annas: Witnessing, sent: list[protocol.Frame]
) -> None:
    for seed in (b"a", b"b"):
        head, match = begun(seed, DiceTerms(WITNESSED))
        annas.begin(head, match)
        annas.catch_up(match)
        published = sent[-1]
        assert isinstance(published, protocol.PublishChain)
        message = chain_message(GAME, agreement(head), published.end, published.links)
        assert verify(of("Anna").key, message, published.signature)
    assert len({frame.end for frame in sent if isinstance(frame, protocol.PublishChain)}) == 2


def test_of_the_same_game_that_comes_once_more_what_was_sent_and_seen_is_still_known(annas: Witnessing, sent: list[protocol.Frame]) -> None:
    head, match = begun(b"a", DiceTerms(WITNESSED))
    for _ in range(2):
        annas.begin(head, match)
        annas.catch_up(match)
    assert len(sent) == 1


def test_a_game_that_comes_back_with_dice_of_the_server_alone_is_watched_and_not_witnessed(
    annas: Witnessing, sent: list[protocol.Frame]
) -> None:
    annas.begin(*begun(b"a", DiceTerms(WITNESSED)))
    head, match = begun(b"b", DiceTerms("server"))
    annas.begin(head, match)
    annas.catch_up(match)
    assert sent == []
    assert (GAME in annas._games, GAME in annas._watched) == (False, True)
    annas.begin(*begun(b"c", DiceTerms(WITNESSED)))
    assert (GAME in annas._games, GAME in annas._watched) == (True, False)


def test_whoever_looks_back_at_a_long_game_leaves_the_interpreter_to_others_again_and_again() -> None:
    log, rests = Kept(), list[float | None]()

    class Ended(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            rests.append(timeout)
            return self.is_set()

    while len(log.entries) <= 3 * SLICE:
        log.order(End())
        log.back(of(log.entries[-1].player))
    looking = watcher.Watcher(of("Boris").key, "Boris", log.head, foul=lambda foul: pytest.fail(str(foul)))
    assert watcher._fouls(looking, Match.on(Log(), log.match), log.entries, Ended()) == []
    assert rests == [REST_S] * 3

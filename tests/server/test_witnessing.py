"""Which games a player's program witnesses or watches, and that it begins anew with one that comes back as another."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial

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
from core.table import VERSION
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
def told() -> list[str]:
    return []


@pytest.fixture
def annas(sent: list[protocol.Frame], told: list[str]) -> Iterator[Witnessing]:
    witnessing = Witnessing(sent.append, lambda foul: pytest.fail(str(foul)), pytest.fail, told.append)
    witnessing.be(of("Anna"), None)
    witnessing.known_as("Anna")
    yield witnessing
    witnessing.close()


def begun(seed: bytes, dice: DiceTerms, *, version: int = VERSION, signs_undo: bool = True) -> tuple[Head, Match]:
    """Return a game at which Anna sits, under a chain of its server's own."""
    chain = Chain(seed * 32, links=1000)
    match = Match(
        msgspec.structs.replace(toy_setting(), dice=dice.kind), game=GAME, chains=(ChainEnd(SERVER, chain.end, 1000),), clock=lambda: 0,
        terms=Terms(dice=dice), keeper=Keeper(HOST.key), signs_undo=signs_undo, table_version=version,
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


OLDER = f"duel: the table goes by version {{}} of its rules, today's by {VERSION}"
NO_SIGNED_UNDO = "duel: whoever goes back without asking need not sign it"
UNSEEN = "the host of this game can do more in it unseen"


@pytest.mark.parametrize(("kind", "version", "signs_undo", "is_told"), [
    (WITNESSED, VERSION, True, False), (WITNESSED, VERSION - 1, True, True), (WITNESSED, 0, True, True),
    ("server", VERSION, True, False), ("server", VERSION - 1, True, True), ("server", VERSION, False, True),
])
@pytest.mark.parametrize("ordered_by", ["", "Tom", "Anna"])
def test_who_sits_down_at_a_game_that_is_held_to_less_than_one_begun_today_is_told_once(
    annas: Witnessing, told: list[str], kind: str, version: int, signs_undo: bool, is_told: bool, ordered_by: str
) -> None:
    """Also where others have played there already; a host could begin it so today."""
    head, match = begun(b"a", DiceTerms(kind), version=version, signs_undo=signs_undo)
    annas.begin(head, match)
    if ordered_by:
        match.log.add(match.log.seal(time_ms=0, side="red", player=ordered_by, order=b"any"))
    for _ in range(2):
        annas.look_back(match, here=True)
    why = OLDER.format(version) if version < VERSION else NO_SIGNED_UNDO
    words = f"{why}: {UNSEEN}{', and bend its dice' if kind == WITNESSED else ''}"
    assert told == ([words] if is_told and ordered_by != "Anna" else [])


@pytest.mark.parametrize("kind", [WITNESSED, "server"])
def test_who_sits_down_at_a_game_that_bears_no_key_of_its_server_is_told(annas: Witnessing, told: list[str], kind: str) -> None:
    head, match = begun(b"a", DiceTerms(kind))
    annas.begin(msgspec.structs.replace(head, keeper=Keeper()), match)
    annas.look_back(match, here=True)
    assert [words.split(":")[1] for words in told] == [" no server answers for it by its key"]


def test_who_looks_on_is_told_nothing_of_the_rules_of_a_game_until_he_sits_down_there(annas: Witnessing, told: list[str]) -> None:
    head, match = begun(b"a", DiceTerms("server"), version=VERSION - 1)
    annas.known_as("")
    annas.begin(head, match)
    annas.look_back(match, here=True)
    assert told == []
    annas.known_as("Anna")
    annas.look_back(match, here=True)
    assert told == [f"{OLDER.format(VERSION - 1)}: {UNSEEN}"]


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
    assert watcher._fouls(partial(looking.fouls, live=False), Match.on(Log(), log.match), log.entries, Ended()) == []
    assert rests == [REST_S] * 3

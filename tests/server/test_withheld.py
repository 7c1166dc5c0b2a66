"""A host says with each pong that she has sent more of a game: so its end is never known, and what she dates as she likes not looked at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from client.connection.due import LONG_MS, LOST_MS, MANY, PINGS_MS
from core import protocol
from core.log import Referee
from core.text import Text, text
from tests.server.conftest import Here, open_toy
from tests.server.following import GAME, Boris
from tests.toy.witnessed import seated

TOLD = "the server says that it has sent more of this game, and does not: when it writes is not known"


@pytest.fixture
def boris(monkeypatch: pytest.MonkeyPatch, here: Here) -> Iterator[Boris]:
    monkeypatch.setattr("client.connection.games.open_match", open_toy)
    made = Boris(seated(), None)
    made.reads((), upto=len(made.host.match.log) - 1)
    yield made
    made.games._witnessing.close()


def pongs(boris: Boris, here: Here, *, ms: int, more: int, every_ms: int = PINGS_MS) -> None:
    """Let pings be answered for so long, by a server that says that it has sent so many more entries than it has."""
    for _ in range(ms // every_ms):
        here.ms += every_ms
        boris.games.happen(protocol.Pong({GAME: len(boris.host.match.log) - 1 + more}))


@pytest.mark.parametrize(("more", "told"), [(0, []), (1, [TOLD])])
def test_entries_that_a_server_says_that_it_has_sent_and_never_does_are_told_of_once(
    boris: Boris, here: Here, more: int, told: list[str]
) -> None:
    pongs(boris, here, ms=LONG_MS - PINGS_MS, more=more)
    assert boris.words() == []
    for _ in range(2):
        pongs(boris, here, ms=LONG_MS, more=more)
        assert boris.words() == told


@pytest.mark.parametrize(("last", "told"), [(0, []), (9_999, [TOLD])])
def test_a_game_that_is_never_known_to_its_end_is_told_also_where_no_answer_names_it(
    boris: Boris, here: Here, last: int, told: list[str]
) -> None:
    """A host said of it that there is more, and had her answers leave it out: what was refused and is written down was told to nobody."""
    boris.games.follow(GAME)
    boris.opens(len(boris.host.match.log) - 1 + last)
    for _ in range(2 * LONG_MS // PINGS_MS):
        here.ms += PINGS_MS
        boris.games.happen(protocol.Pong({}))
    assert boris.words() == told


def test_what_is_followed_no_more_before_it_is_here_is_not_asked_for_again(boris: Boris, here: Here) -> None:
    boris.games.follow(GAME)
    boris.games.unfollow(GAME)
    asked = boris.follows()
    for _ in range(4):
        boris.line.pings.sends(here.ms)
        boris.line.pings.answers(protocol.Pong({}))
        boris.games.happen(protocol.Pong({}))
    assert boris.follows() == asked


@pytest.mark.parametrize(("why", "times", "told"), [(protocol.READS_MUCH, 1, []), (protocol.READS_MUCH, 3, [TOLD]), ("busy", 2, [TOLD])])
def test_nothing_is_told_of_a_game_that_a_server_does_not_send_for_a_while_to_who_has_asked_for_much(
    boris: Boris, here: Here, why: str, times: int, told: list[str]
) -> None:
    boris.games.follow(GAME)
    for _ in range(times):
        boris.games.happen(protocol.NotAccepted(GAME, "", "", Text(why, {})))
        for _ in range(LONG_MS // PINGS_MS - 1):
            here.ms += PINGS_MS
            boris.games.happen(protocol.Pong({}))
    assert boris.words() == told


def test_what_is_withheld_over_one_line_after_the_other_is_told(boris: Boris, here: Here) -> None:
    for _ in range(3):
        pongs(boris, here, ms=LONG_MS - PINGS_MS, more=1)
        boris.games._due.begin_anew()
    assert boris.words() == [TOLD]


def test_a_long_game_that_comes_slowly_is_not_withheld(boris: Boris, here: Here) -> None:
    entries = list(boris.host.match.log.entries)
    boris.games.follow(GAME)
    boris.opens(9_999)
    for _ in range(2 * LONG_MS // PINGS_MS):
        for _ in range(MANY):
            entries.append(boris.host.act(Referee(text("a word")), player="Rita"))
        boris.hears(*entries[-MANY:])
        here.ms += PINGS_MS
        boris.games.happen(protocol.Pong({}))
    assert boris.words() == []


def test_it_is_found_also_where_it_is_so_now_and_then(boris: Boris, here: Here) -> None:
    for _ in range(LONG_MS // PINGS_MS):
        assert boris.words() == []
        pongs(boris, here, ms=PINGS_MS, more=0)
        pongs(boris, here, ms=PINGS_MS, more=1)
    assert boris.words() == [TOLD]


def test_nothing_is_told_of_what_is_lost_as_lines_are_cut_or_a_machine_sleeps(boris: Boris, here: Here) -> None:
    for _ in range(40):
        pongs(boris, here, ms=LOST_MS, more=1)
        boris.games._due.begin_anew()
    pongs(boris, here, ms=2 * LONG_MS, more=1, every_ms=LONG_MS)
    assert boris.words() == []

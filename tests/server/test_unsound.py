"""A server that makes up what no program can reckon with: a game by which a window would break is given up, and all else goes on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from client.connection import witness
from client.connection.notes import Ready, Trouble
from core import protocol
from core.bots.random_bot import choose
from core.events import Removed
from core.log import AnyAct, Limit, Pending, Seat
from core.signed import order_bytes
from core.units import UnitId
from tests.server.following import GAME, Boris, opens_toys
from tests.toy.witnessed import Host, key_of, seated

__all__ = ["opens_toys"]  # a fixture


@pytest.fixture
def host() -> Host:
    return seated()


@pytest.fixture
def boris(host: Host, tmp_path: Path) -> Iterator[Boris]:
    made = Boris(host, tmp_path / "witnessed.sqlite")
    yield made
    made.games._witnessing.close()


def troubles(boris: Boris) -> list[str]:
    return [note.text for note in boris.notes if isinstance(note, Trouble)]


def end_of(host: Host) -> int:
    return len(host.match.log) - 1


@pytest.mark.parametrize("act", [Seat("green", "Zed", key=key_of("Zed").key), Limit("green", "attic", None)])
def test_an_act_that_names_a_seat_that_the_game_has_not_is_not_taken_in(host: Host, boris: Boris, act: AnyAct) -> None:
    """From then on nothing of the table could be reckoned, at each pong and each time anything was drawn."""
    boris.reads((), upto=end_of(host))
    boris.hears(host.match.log.seal(time_ms=0, act=act))
    match = boris.games.match(GAME)
    assert match is not None
    assert any("a seat of this game, got green" in words for words in troubles(boris))
    assert len(match.log) == len(host.match.log)
    assert match.table.players() == {"Anna", "Boris"}
    boris.is_answered(0, end_of(host))


@pytest.mark.parametrize("live", [True, False])
def test_events_that_do_not_follow_make_no_game_that_is_shown(host: Host, boris: Boris, live: bool) -> None:
    order, side, log = choose(host.match.view, random.Random(1)), host.match.view.side_to_act(), host.match.log
    player, data = host.holder(side), host.match.codec.encode(order)
    if live:
        boris.reads((), upto=end_of(host))
    entry = log.seal(
        time_ms=0, side=side, player=player, order=data, events=(Removed(UnitId(999), "eliminated"),),
        signature=key_of(player).sign(order_bytes(log, GAME, side, data)),
    )
    log.add(entry)
    if live:
        boris.hears(entry)
        match = boris.games.match(GAME)
        assert match is not None
        assert len(match.log) == entry.number
        assert match.view.side_to_act() == side
    else:
        boris.reads((), upto=end_of(host))
        assert not any(isinstance(note, Ready) for note in boris.notes)
    assert len([words for words in troubles(boris) if "not follow" in words]) == 1
    boris.is_answered(0, end_of(host))


def test_a_game_that_comes_with_another_pack_is_another(host: Host, boris: Boris) -> None:
    """Its window broke as the game was saved, or shown anew: the pack of that hash was not there."""
    boris.reads((), upto=end_of(host))
    boris.games.happen(protocol.Opened(GAME, host.head, "1" * 64, end_of(host)))
    boris.hears(*host.match.log.entries)
    assert "duel: the server's game is another than it was: it went on from a backup, or was changed" in troubles(boris)
    assert boris.games.pack(GAME).manifest.ruleset
    assert boris.games.file(GAME)


def test_what_is_refused_of_games_that_nobody_asked_for_is_not_kept(boris: Boris) -> None:
    for number in range(100):
        boris.games.happen(protocol.Failed("what", "one thing", "another", f"game{number}"))
    assert not boris.games._unopened


def test_evidence_fills_no_disk_under_whatever_heads_a_game_comes(
    host: Host, boris: Boris, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(witness, "MOST_EVIDENCE", 3)
    for made_by in range(3):
        host.head = msgspec.structs.replace(host.head, made_by=str(made_by))
        boris.reads((), upto=end_of(host))
        for number in range(5):
            forged = Pending("red", "Anna", b"", 0, 7, bytes(32), bytes([made_by, number]))
            boris.games.happen(protocol.LinkWanted(GAME, forged, b""))
    assert len(list((tmp_path / "evidence").iterdir())) == 3

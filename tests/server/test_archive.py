"""A store as a backup, and games that go from one server to another."""

from __future__ import annotations

import asyncio
import errno
import itertools
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import pytest
from msgspec.structs import replace

from client.connection.fouls import Foul
from client.connection.games import Up
from client.connection.identity import KnownServers
from client.connection.notes import Answered, Ready
from core import gamefile, protocol
from core.bots.random_bot import busy
from core.bots.walks import order_of
from core.errors import BadInput, Refused
from core.gamefile import GameFile
from core.identity import Identity
from core.log import Away, Resign, Seat, TakenOver
from core.match import Match
from core.options import options
from core.orders import OptionPick, Order, Picks
from core.terms import ClockTerms, DiceTerms, Terms
from core.trials.verify import verify
from core.views import View
from server import archive
from server.accounts import Accounts, user_of
from server.store import backups, schema
from server.store.apart import Waiting
from server.store.group_commit import GroupCommit
from server.store.reads import looking_at
from server.store.sqlite import STORE, SqliteStore
from tests.server.conftest import SERVER, Host, Player, of, raw_line, toy
from tests.server.store.test_store import damage
from tests.server.tables import GAME, change_terms, do, duel, follow, open_table, order, sit, take_turn, under, until
from tests.server.test_play import play_on
from tests.server.test_shelf import on_loop
from tests.toy.ruleset import End
from tests.toy.witnessed import seated

NewPlayer = Callable[..., Player]
OTHER = Identity(b"o" * 32)


@pytest.fixture
def other(host: Host, tmp_path: Path) -> Iterator[Host]:
    """A second server, with nothing in it; started by the test."""
    made = Host(tmp_path / "other")
    made.data.mkdir()
    yield made
    if getattr(made, "_thread", None) is not None and made._thread.is_alive():
        made.stop()


def exported(host: Host, game: str = GAME) -> GameFile:
    with looking_at(host.data / STORE) as store:
        return gamefile.read(archive.export(store, game))


def taken_in(data: Path, file: GameFile, keeper: Identity = SERVER) -> Match:
    store = SqliteStore(data / STORE)
    try:
        return asyncio.run(archive.take_in(store, file, keeper=keeper, find_ruleset=toy))
    finally:
        store.close()


def remarks(file: GameFile) -> list[str]:
    report = verify(file, load=toy)
    assert report.holds, report.findings
    return [remark.text for remark in report.remarks]


def alone(player: NewPlayer, *, orders: int = 1000, seed: int = 1) -> tuple[Player, Match]:
    anna = player("Anna")
    match = open_table(anna)
    sit(anna, "red")
    sit(anna, "blue")
    play_on(anna, match, random.Random(seed), orders=orders)
    return anna, match


# ---------------------------------------------------------------- out


def test_an_exported_game_holds_its_pack_every_entry_and_the_signatures_of_its_players(host: Host, player: NewPlayer) -> None:
    _, match = alone(player)
    file = exported(host)
    assert file.entries == tuple(match.log.entries)
    assert remarks(file) == []
    report = verify(file, load=toy)
    assert report.signed == report.orders - 1 > 0
    assert host.service.store.game(GAME).seed not in gamefile.write(file.head, file.files, match.log)


@pytest.mark.parametrize("keeper", [SERVER, OTHER, None], ids=["the same server", "another server", "no server"])
@pytest.mark.parametrize("kind", ["server", "witnessed"])
def test_nobody_gives_a_game_other_terms_than_it_was_played_under(
    host: Host, player: NewPlayer, kind: Literal["server", "witnessed"], keeper: Identity | None
) -> None:
    agreed = Terms(clock=ClockTerms("absolute", 3_600_000), dice=DiceTerms(kind))
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris, agreed)
    until(anna, lambda match: len(match.log) > 2 and match.witnesses.refusal() is None)
    order(anna if match.view.side_to_act() == "red" else boris, match.view.side_to_act(), End())
    file = exported(host)
    assert verify(file, load=toy).holds
    assert under(file.head, file.head.terms, SERVER) == file.head
    for terms in (replace(file.head.terms, clock=ClockTerms("absolute", 3_600_000, on_flag="show")), replace(file.head.terms, owner="")):
        report = verify(replace(file, head=under(file.head, terms, keeper)), load=toy)
        assert "other terms" in report.findings[0].text, report


def test_a_game_whose_terms_were_altered_in_the_store_is_not_served(host: Host, player: NewPlayer) -> None:
    alone(player, orders=4)
    host.stop()
    change_terms(host, Terms(clock=ClockTerms("absolute", 1_000)))
    host.start()
    with pytest.raises(BadInput, match="other terms"):
        on_loop(host, lambda: host.service.room(GAME))


def test_a_game_is_exported_while_its_server_writes_to_it(host: Host, player: NewPlayer) -> None:
    anna, match = alone(player, orders=4)
    with looking_at(host.data / STORE) as store:
        before = len(store.entries(GAME))
        play_on(anna, match, random.Random(2), orders=3)
        assert len(store.entries(GAME)) == before < len(match.log)
    assert len(exported(host).entries) == len(match.log)


def test_a_game_that_was_altered_in_the_store_is_not_exported(host: Host, player: NewPlayer) -> None:
    alone(player, orders=4)
    host.stop()
    with closing(sqlite3.connect(host.data / STORE)) as store, store:
        (trigger,) = store.execute("SELECT sql FROM sqlite_schema WHERE name = 'entries_update'").fetchone()
        store.execute("DROP TRIGGER entries_update")
        store.execute("UPDATE entries SET entry = (SELECT entry FROM entries WHERE number = 2) WHERE number = 3")
        store.execute(trigger)
    with pytest.raises(BadInput, match="not altered"):
        exported(host)
    host.start()


def test_a_game_that_is_not_there_is_told(host: Host) -> None:
    with pytest.raises(BadInput, match="a game of this store"):
        exported(host, "nothing")


# ---------------------------------------------------------------- in


def test_a_game_goes_on_at_another_server_under_the_same_names_and_new_dice(host: Host, other: Host, player: NewPlayer) -> None:
    _, match = alone(player, orders=6)
    taken_in(other.data, exported(host))
    other.start()
    again = player("Anna", address=other.address)
    here = follow(again)
    assert [entry.hash for entry in here.log.entries[: len(match.log)]] == [entry.hash for entry in match.log.entries]
    play_on(again, here, random.Random(2))
    file = exported(other)
    assert isinstance(file.entries[len(match.log)].act, TakenOver)
    assert any(entry.k for entry in file.entries[len(match.log) :])
    assert remarks(file) == ["a server took the game over, from another or from a backup; its dice come from a new chain"]
    assert not any(isinstance(note, Foul) for note in again.notes)


def test_a_witnessed_game_goes_on_at_another_server_and_its_players_see_no_foul(
    host: Host, other: Host, player: NewPlayer, tmp_path: Path
) -> None:
    known = {name: KnownServers(tmp_path / name / "servers.json") for name in ("Anna", "Boris")}
    anna, boris = (player(name, known=known[name]) for name in known)
    match = open_table(anna, Terms(dice=DiceTerms("witnessed")))
    follow(boris)
    for one, side in ((anna, "red"), (boris, "blue")):
        one.games.send(protocol.TakeSeat(GAME, side))
    anna.until(lambda: len(match.witnesses.chains) == 3)
    play_to_a_die(match, anna, boris, random.Random(1))
    file = exported(host)
    taken_in(other.data, file)
    host.stop()
    other.start()
    a, b = (player(name, address=other.address, known=known[name]) for name in known)
    here, _ = follow(a), follow(b)
    play_to_a_die(here, a, b, random.Random(2))
    assert len(remarks(exported(other))) == 1
    assert not any(isinstance(note, Foul) for one in (a, b) for note in one.notes)
    host.start()


def play_to_a_die(match: Match, anna: Player, boris: Player, rng: random.Random) -> None:
    """Play until one more die has fallen: strike whenever that is offered, as who wanders may never meet anybody."""
    sides = {"red": anna, "blue": boris}
    before = match.log.k
    while match.log.k == before:
        with anna.games.reading():
            view = match.view
        assert view.position.outcome is None, "the game ended without a die"
        one = sides[view.side_to_act()]
        length = len(match.log)
        mine = one.games.match(match.game)
        assert mine is not None
        one.until(lambda mine=mine, length=length: len(mine.log) >= length)  # type: ignore[misc]
        assert order(one, view.side_to_act(), fierce(view, rng)) == ""
        anna.until(lambda length=length: len(match.log) > length)  # type: ignore[misc]


def fierce(view: View, rng: random.Random) -> Order:
    strikes = [pick for pick in options(view).picks if pick == OptionPick("strike")]
    walk: Picks = tuple(strikes[:1])
    while walk and not (offered := options(view, walk)).complete:
        walk = (*walk, rng.choice(offered.picks))
    return order_of(view, walk) if walk else busy(view, rng)


def test_a_game_that_is_over_is_kept_as_it_is(host: Host, other: Host, player: NewPlayer) -> None:
    _, match = alone(player)
    assert match.outcome is not None
    file = exported(host)
    taken_in(other.data, file)
    other.start()
    assert exported(other) == file
    again = player("Anna", address=other.address)
    here = follow(again)
    assert here.outcome == match.outcome


def test_no_dice_are_thrown_in_a_record_though_its_player_goes_back(host: Host, other: Host, player: NewPlayer) -> None:
    _, match = alone(player)
    taken_in(other.data, exported(host))
    other.start()
    again = player("Anna", address=other.address)
    here = follow(again)
    strike = next(entry for entry in match.log.path() if entry.k)
    again.games.send(protocol.AskRewind(GAME, strike.side, strike.parent))
    until(again, lambda match: match.log.head == strike.parent)
    assert "no dice can be thrown" in order(again, strike.side, here.codec.decode(strike.order))
    assert order(again, here.view.side_to_act(), End()) == ""


def test_nobody_else_comes_under_the_names_of_a_game_that_was_taken_in(host: Host, other: Host, player: NewPlayer) -> None:
    duel(player("Anna"), player("Boris"))
    taken_in(other.data, exported(host))
    store = SqliteStore(other.data / STORE)
    kept = {account.name: account.key for account in Accounts(store)}
    store.close()
    assert kept == {"Anna": of("Anna").key, "Boris": of("Boris").key}
    other.start()
    mallory = player("Anna", of("Mallory"), address=other.address)
    assert "belongs to somebody else" in str(mallory.wait(lambda note: "belongs" in str(note)))


def test_nobody_else_comes_under_the_name_of_who_left_a_seat_that_is_kept_for_him_or_owns_the_game(
    host: Host, other: Host, player: NewPlayer
) -> None:
    """Else a stranger of that name would sit down there, and the owner's would let him have whatever seat he likes."""
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    assert take_turn(anna, "red", End()) == ""
    for one, side in ((anna, "red"), (boris, "blue")):
        assert do(one, side, Seat(side, "")) == ""
    taken_in(other.data, exported(host))
    store = SqliteStore(other.data / STORE)
    kept = {account.name: account.key for account in Accounts(store)}
    store.close()
    assert kept == {"Anna": of("Anna").key, "Boris": of("Boris").key}


def test_a_game_whose_players_names_are_taken_is_refused_and_nothing_of_it_is_kept(host: Host, other: Host, player: NewPlayer) -> None:
    duel(player("Anna"), player("Boris"))
    store = SqliteStore(other.data / STORE)
    asyncio.run(Accounts(store, is_open=True).enter(of("Mallory").key, "Boris", ""))
    with pytest.raises(Refused, match="belongs to somebody else"):
        asyncio.run(archive.take_in(store, exported(host), keeper=SERVER, find_ruleset=toy))
    assert store.names() == []
    assert Accounts(store).of_user(user_of(of("Anna").key)) is None
    store.close()


def test_a_game_is_taken_in_once(host: Host, other: Host, player: NewPlayer) -> None:
    duel(player("Anna"), player("Boris"))
    taken_in(other.data, exported(host))
    with pytest.raises(Refused, match="is here already"):
        taken_in(other.data, exported(host))


def test_a_what_if_game_of_an_earlier_version_is_kept_by_no_server(host: Host, other: Host, player: NewPlayer) -> None:
    duel(player("Anna"), player("Boris"))
    file = exported(host)
    tried = replace(file, head=replace(file.head, game="practice what if"))
    with pytest.raises(Refused, match="no server keeps those"):
        taken_in(other.data, tried)


def test_a_server_that_nobody_had_joined_takes_a_game_in_while_it_runs_and_lets_its_players_and_newcomers_in(
    host: Host, other: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.arrivals.load", toy)
    _, match = alone(player)
    arrivals = other.data / "arrivals"
    arrivals.mkdir()
    with looking_at(host.data / STORE) as store:
        (arrivals / "moved").write_bytes(archive.export(store, GAME))
    other.start()
    with raw_line(other, of("Owner")) as owner:
        for frame in (protocol.Hello(protocol.VERSION, "", of("Owner").key), protocol.TakeIn("moved")):
            owner.send(protocol.encode(frame))
            assert owner.poll(10_000)
            answer = protocol.decode_from_server(owner.recv())
    assert answer == protocol.Accepted(GAME, "moved", len(match.log) - 1)
    again, newcomer = player("Anna", address=other.address), player("Carla", address=other.address)
    for one in (again, newcomer):
        assert isinstance(one.wait(lambda note: isinstance(note, Up | Answered)), Up)
    assert follow(again, up=True).log.last_hash == match.log.last_hash


def test_what_a_killed_import_left_among_the_arrivals_is_cleared_away_a_day_later(other: Host) -> None:
    arrivals = other.data / "arrivals"
    arrivals.mkdir()
    for name in ("left", "just put there"):
        (arrivals / name).write_bytes(b"a game")
    os.utime(arrivals / "left", (0, 0))
    other.start()
    assert [file.name for file in arrivals.iterdir()] == ["just put there"]


def test_a_game_that_waits_for_its_dice_stays_with_its_server(tmp_path: Path) -> None:
    store = SqliteStore(Path(shutil.copy(Path(__file__).parent / "store" / "stores" / "version_3.sqlite", tmp_path)))
    file = gamefile.read(archive.export(store, "waits"))
    assert file.pending is not None
    with pytest.raises(Refused, match="only its own server can finish it"):
        taken_in(tmp_path, file)
    store.close()


def test_an_order_that_waited_as_the_table_ended_a_game_is_known_where_that_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody goes back behind it there either: its dice may be known."""
    file = ended_while_an_order_waited(monkeypatch)
    taken_in(tmp_path, file)
    with looking_at(tmp_path / STORE) as store:
        assert [record for record, _ in store.pending(file.head.game)] == [file.pending]


def ended_while_an_order_waited(monkeypatch: pytest.MonkeyPatch) -> GameFile:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)
    keeper = seated()
    assert keeper.propose(keeper.strike(random.Random(1))) is not None
    keeper.act(Resign("blue"), side="blue", player="Boris")
    return keeper.file()


def test_an_import_that_the_disk_breaks_off_anywhere_is_whole_when_it_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = ended_while_an_order_waited(monkeypatch)
    for written in itertools.count():
        data = tmp_path / str(written)
        data.mkdir()
        with monkeypatch.context() as disk:
            disk.setattr(GroupCommit, "_queue", full_after(written))
            is_kept = not raises_oserror(taken_in, data, file)
        if not is_kept:
            taken_in(data, file)
        with looking_at(data / STORE) as store:
            assert [record for record, _ in store.pending(file.head.game)] == [file.pending], f"{written} writes"
        if is_kept:
            break
    assert written > 2


def raises_oserror(job: Callable[..., object], *given: object) -> bool:
    try:
        job(*given)
    except OSError:
        return True
    return False


def full_after(writes: int) -> Callable[[GroupCommit, Waiting], Future[Any]]:
    """Return what queues so many writes, and has no room for more."""
    queue, left = GroupCommit._queue, iter(range(writes))

    def queued(commits: GroupCommit, one: Waiting) -> Future[Any]:
        if next(left, None) is not None:
            return queue(commits, one)
        one.done.set_exception(OSError(errno.ENOSPC, "No space left on device"))
        return one.done

    return queued


def test_no_clock_ran_on_the_way(host: Host, other: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, Terms(clock=ClockTerms("absolute", 3_600_000)))
    assert order(anna, "red", End()) == ""
    file = exported(host)
    late = gamefile.GameFile(file.head, file.files, file.entries, None)
    match = taken_in(other.data, late)
    away, taken = match.log.entries[len(file.entries) :]
    assert isinstance(away.act, Away)
    assert away.act.ms == away.time_ms - file.entries[-1].time_ms
    assert isinstance(taken.act, TakenOver)
    assert remarks(gamefile.read(gamefile.write(file.head, file.files, match.log)))


# ---------------------------------------------------------------- backups


def test_a_backup_ends_however_much_is_written_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite began its copy again at each write: beside a busy server that went on for as long as orders came."""
    monkeypatch.setattr(backups, "PAGES", 1)
    store, told = SqliteStore(tmp_path / STORE), list[int]()

    def write(done: int, total: int) -> None:
        store.add_pack(f"while page {done} was copied", {"file": bytes(10_000)}).result()
        told.append(done)
        assert len(told) <= total, "it began again"

    try:
        backups.backup(tmp_path, tmp_path / "copy", key=b"", progress=write)
        assert told == sorted(set(told))
        assert len(told) > 10
        with closing(sqlite3.connect(tmp_path / "copy")) as copy:
            assert copy.execute("SELECT count(*) FROM packs").fetchone() == (0,)  # as it was when it began
    finally:
        store.close()


def test_a_backup_made_while_the_server_runs_has_all_that_was_acknowledged(host: Host, player: NewPlayer, tmp_path: Path) -> None:
    _, match = alone(player, orders=6)
    assert backups.backup(host.data, tmp_path / "copy", key=b"key") == 1
    with looking_at(tmp_path / "copy") as store:
        assert [entry.hash for entry in store.entries(GAME)] == [entry.hash for entry in match.log.entries]
    with schema.reading(tmp_path / "copy") as copy:
        assert backups.server_key(copy, tmp_path / "copy") == b"key"
    assert (tmp_path / "copy").stat().st_mode & 0o077 == 0
    assert sorted(file.name for file in tmp_path.iterdir() if "copy" in file.name) == ["copy"]


def test_nothing_is_written_over_and_nothing_half_left(host: Host, tmp_path: Path) -> None:
    file = tmp_path / "copy"
    file.write_bytes(b"mine")
    with pytest.raises(Refused, match="is there already"):
        backups.backup(host.data, file, key=b"")
    assert file.read_bytes() == b"mine"
    with pytest.raises(BadInput, match="no such file"):
        backups.backup(tmp_path / "nowhere", tmp_path / "other copy", key=b"")
    assert not (tmp_path / "other copy").exists()


def test_nothing_is_restored_beside_the_journal_of_another_store(host: Host, tmp_path: Path) -> None:
    backups.backup(host.data, tmp_path / "copy", key=b"the key")
    left = tmp_path / "new" / f"{STORE}-wal"
    left.parent.mkdir()
    left.write_bytes(b"of a store that was moved away")
    with pytest.raises(Refused, match="the journal of a store that was"):
        backups.restore(tmp_path / "copy", left.parent)
    assert [file.name for file in left.parent.iterdir()] == [left.name]


def test_a_restored_server_has_every_game_and_they_go_on_under_new_dice(host: Host, other: Host, player: NewPlayer, tmp_path: Path) -> None:
    anna, match = alone(player, orders=5)
    backups.backup(host.data, tmp_path / "copy", key=b"the key")
    saved = len(match.log)
    while not any(entry.k for entry in match.log.entries[saved:]):
        assert match.outcome is None, "a game that ended without dice"
        play_on(anna, match, random.Random(5), orders=6, bot=busy)  # what the backup does not know: its links are known to Anna
    host.stop()
    other.data.rmdir()
    assert backups.restore(tmp_path / "copy", other.data) == b"the key"
    other.start()
    again = player("Anna", address=other.address)
    here = follow(again)
    assert [entry.hash for entry in here.log.entries[:saved]] == [entry.hash for entry in match.log.entries[:saved]]
    assert isinstance(here.log.entries[saved].act, TakenOver)
    play_on(again, here, random.Random(6))
    lost = {entry.k: entry.links for entry in match.log.entries[saved:] if entry.k}
    assert lost
    assert all(lost[entry.k] != entry.links for entry in here.log.entries[saved:] if entry.k in lost)
    assert len(remarks(exported(other))) == 1
    other.stop()
    other.start()
    assert sum(isinstance(entry.act, TakenOver) for entry in exported(other).entries) == 1  # once
    host.start()


def test_a_player_who_knows_more_than_the_backup_is_told_and_plays_on_from_there(
    host: Host, player: NewPlayer, tmp_path: Path
) -> None:
    anna, match = alone(player, orders=5)
    backups.backup(host.data, tmp_path / "copy", key=b"")
    play_on(anna, match, random.Random(5), orders=6)
    host.stop()
    backups.restore(tmp_path / "copy", tmp_path / "new")
    host.data = tmp_path / "new"
    host.start(host.address)
    anna.wait(lambda note: "another than it was" in str(note))
    anna.wait(lambda note: isinstance(note, Ready))
    here = anna.games.match(GAME)
    assert here is not None
    assert here is not match
    play_on(anna, here, random.Random(6))
    file = exported(host)
    assert file.entries == tuple(here.log.entries)
    assert len(remarks(file)) == 1


def test_a_server_that_has_lost_its_key_takes_its_games_over_with_a_new_one(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone(player, orders=5)
    before = len(exported(host).entries)
    host.stop()
    monkeypatch.setattr("tests.server.conftest.SERVER", OTHER)
    host.start()
    act = exported(host).entries[before].act
    assert isinstance(act, TakenOver)
    assert act.key == OTHER.key
    again = player("Anna")
    play_on(again, follow(again), random.Random(3))
    assert len(remarks(exported(host))) == 1


def test_a_store_that_is_no_backup_is_not_restored_and_no_folder_is_restored_into_twice(host: Host, other: Host, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a backup"):
        backups.restore(host.data / STORE, tmp_path / "new")
    backups.backup(host.data, tmp_path / "copy", key=b"")
    backups.restore(tmp_path / "copy", other.data)
    with pytest.raises(Refused, match="is there already"):
        backups.restore(tmp_path / "copy", other.data)


DIES = "import os, sys; from pathlib import Path; from server.store import backups; die = lambda *_: os.kill(os.getpid(), 9); "
BACKUP = DIES + "backups.backup(Path(sys.argv[1]), Path(sys.argv[2]), key=b'the key', progress=die)"
RESTORE = DIES + "backups.restore(Path(sys.argv[1]), Path(sys.argv[2]), keep_key=die)"
NAMED = DIES + "backups._name = lambda *names: die(os.link(*names)); backups.restore(Path(sys.argv[1]), Path(sys.argv[2]))"


def killed(script: str, *where: Path) -> None:
    """Run what dies by SIGKILL in the midst of its work."""
    ended = subprocess.run([sys.executable, "-c", script, *map(str, where)], cwd=Path(__file__).parents[2])
    assert ended.returncode == -signal.SIGKILL


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL")
def test_a_backup_and_a_restore_that_were_killed_leave_nothing_under_their_names_and_the_next_ones_are_whole(
    host: Host, player: NewPlayer, tmp_path: Path
) -> None:
    alone(player, orders=5)
    (tmp_path / "backups").mkdir()
    file, data = tmp_path / "backups" / "copy", tmp_path / "new"
    killed(BACKUP, host.data, file)
    assert not file.exists()
    backups.backup(host.data, file, key=b"the key")
    assert [one.name for one in file.parent.iterdir()] == ["copy"]
    killed(RESTORE, file, data)
    assert not (data / STORE).exists()
    kept: list[bytes] = []
    backups.restore(file, data, keep_key=lambda key: kept.append(key) if not (data / STORE).exists() else None)
    assert kept == [b"the key"], "the key is kept before the store is there"
    assert [one.name for one in data.iterdir()] == [STORE]
    assert SqliteStore(data / STORE).names() == [GAME]


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL")
def test_a_server_starts_on_a_store_whose_restore_was_killed_when_it_had_just_given_it_its_name(host: Host, tmp_path: Path) -> None:
    file, data = tmp_path / "copy", tmp_path / "new"
    backups.backup(host.data, file, key=b"the key")
    killed(NAMED, file, data)
    assert len(list(data.iterdir())) == 2, "both names are there"
    SqliteStore(data / STORE).close()
    assert [one.name for one in data.iterdir()] == [STORE]


def written_to_a_full_disk(wanted: Path, named: tuple[str | None, ...]) -> None:
    with backups.new_file(wanted) as part:
        raise OSError(errno.ENOSPC, "No space left on device", *(str(part) if name == "part" else name for name in named))


@pytest.mark.parametrize("named", [(), ("part",), ("from", None, "part")])
def test_what_the_system_says_of_a_file_that_can_not_be_written_names_that_file(named: tuple[str | None, ...], tmp_path: Path) -> None:
    wanted = tmp_path / "copy"
    with pytest.raises(OSError, match="No space left") as caught:
        written_to_a_full_disk(wanted, named)
    assert caught.value.filename == str(wanted)
    with pytest.raises(OSError, match="No such file") as caught, backups.new_file(tmp_path / "nowhere" / "copy"):
        pytest.fail("there is no such folder")
    assert caught.value.filename == str(tmp_path / "nowhere" / "copy")
    assert not list(tmp_path.iterdir())


def no_second_name(*_: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")  # as on a memory stick


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_is_just_being_written_is_not_begun_again_nor_one_that_came_meanwhile_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_second_name)
    file = tmp_path / "copy"
    with backups.new_file(file) as part:
        part.write_bytes(b"first")
        with pytest.raises(Refused, match="just being written"), backups.new_file(file):
            pass
    assert file.read_bytes() == b"first"
    other = tmp_path / "other"
    writing = backups.new_file(other)
    writing.__enter__().write_bytes(b"ours")
    other.write_bytes(b"somebody else's")
    with pytest.raises(Refused, match="is there already"):
        writing.__exit__(None, None, None)
    assert other.read_bytes() == b"somebody else's"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["copy", "other"]


@pytest.mark.skipif(os.name != "posix", reason="not everybody may make links there")
def test_a_restore_where_a_link_leads_nowhere_is_refused_before_the_key_is_kept(host: Host, tmp_path: Path) -> None:
    """The next server began without games under the old key."""
    file, data, kept = tmp_path / "copy", tmp_path / "new", list[bytes]()
    backups.backup(host.data, file, key=b"the key")
    data.mkdir()
    (data / STORE).symlink_to(tmp_path / "a disk that is lost")
    with pytest.raises(Refused, match="a link that leads nowhere"):
        backups.restore(file, data, keep_key=kept.append)
    assert kept == []


def test_no_backup_is_made_of_a_damaged_store(tmp_path: Path) -> None:
    SqliteStore(tmp_path / STORE).close()
    damage(tmp_path / STORE)
    with pytest.raises(BadInput, match="an undamaged store"):
        backups.backup(tmp_path, tmp_path / "copy", key=b"")
    assert [file.name for file in tmp_path.iterdir() if "copy" in file.name] == []


def test_a_damaged_backup_is_told(host: Host, player: NewPlayer, tmp_path: Path) -> None:
    alone(player, orders=6)
    backups.backup(host.data, tmp_path / "copy", key=b"")
    data = bytearray((tmp_path / "copy").read_bytes())
    for page in range(4096, len(data) - 4096, 4096):
        data[page : page + 64] = bytes(64)
    (tmp_path / "copy").write_bytes(data)
    with pytest.raises(BadInput):
        backups.restore(tmp_path / "copy", tmp_path / "new")
    assert not (tmp_path / "new" / STORE).exists()



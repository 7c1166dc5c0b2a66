"""backup, restore, export and import as commands, beside a server that runs."""

from __future__ import annotations

import asyncio
import lzma
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from client.connection.identity import identity_in
from core import gamefile, protocol
from core.bots.random_bot import choose
from core.identity import Identity, order_message, seat_signature
from core.log import Log, Seat
from rasputitsa import import_games
from rasputitsa.packs import load_pack
from server.rooms import Room
from server.settings import Settings
from server.store.sqlite import STORE, SqliteStore
from tests.commands.test_host import ROOT, Owner
from tests.server.store.test_soundness import write

GAME, ANNA = "evening", Identity(b"a" * 32)
RELEASED = Path(__file__).parents[1] / "trials" / "released"


async def _play(store: SqliteStore, folder: Path) -> None:
    keeper = identity_in(folder / "server.key")
    pack = load_pack("war_for_the_motherland")
    room = await Room.create(store, GAME, pack, "turning_point", {}, settings=Settings(), keeper=keeper)
    await room.begin_if_possible()
    match = room.match
    for number, side in enumerate(match.setting.sides, 1):
        signature = seat_signature(ANNA, GAME, keeper.key, side, "", number=number)
        await room.append(match.act(Seat(side, "Anna", key=ANNA.key), side=side, player="Anna", signature=signature))
    rng = random.Random(1)
    for number in range(6):
        view, moved = match.view, match.log.moved_at
        side, order = view.side_to_act(), choose(view, rng)
        signature = ANNA.sign(order_message(GAME, side, moved, match.hash_of(moved), match.codec.encode(order)))
        await room.order(side, order, player="Anna", order_id=f"{number}", signature=signature)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a game of a few orders."""
    folder = tmp_path_factory.mktemp("played")
    store = SqliteStore(folder / STORE)
    asyncio.run(_play(store, folder))
    store.close()
    return folder


@pytest.fixture
def owner(tmp_path: Path, played: Path) -> Iterator[Owner]:
    made = Owner(tmp_path)
    made.data.mkdir()
    for name in (STORE, "server.key"):
        (made.data / name).write_bytes((played / name).read_bytes())
    yield made
    if made.server is not None and made.server.poll() is None:
        made.server.kill()
        made.server.communicate()


@pytest.mark.parametrize("wanted", ["list", "game"])
def test_a_game_that_the_disk_has_damaged_is_told_and_the_others_are_listed(owner: Owner, tmp_path: Path, wanted: str) -> None:
    store = owner.data / STORE
    write(store, "INSERT INTO games SELECT 'another', pack, head, seed, made_ms + 1 FROM games")
    write(store, "UPDATE entries SET entry = zeroblob(99) WHERE number = 4")
    asked = ["export", str(owner.data), *([GAME, str(tmp_path / "file")] if wanted == "game" else [])]
    done, words = said(owner.someone("owner", *asked))
    told = "entry 4: expected what a server has written, got Expected `array`, got `int`"
    if wanted == "game":
        assert (done, words) == (2, f"{told}\n")
    else:
        assert (done, words.splitlines()[0]) == (1, f"{GAME}  can't be read: {told}")
        assert words.splitlines()[1:] == ["another  war_for_the_motherland/turning_point  0 entries"]


def said(done: subprocess.CompletedProcess[str]) -> tuple[int, str]:
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(("bad", "code"), [("cut short", 2), ("a folder", 3)])
def test_a_key_that_no_server_could_use_is_told_and_not_backed_up(owner: Owner, tmp_path: Path, bad: str, code: int) -> None:
    key = owner.data / "server.key"
    content = key.read_bytes()
    key.unlink()
    key.mkdir() if bad == "a folder" else key.write_bytes(content[:-9])
    done, words = said(owner.someone("owner", "backup", str(owner.data), str(tmp_path / "copy")))
    assert (done, "server.key" in words, (tmp_path / "copy").exists()) == (code, True, False), words


# Restores, and is killed when it has written the key, and not yet given it its name.
DIES = """
import os, pathlib, signal, sys
from rasputitsa import main
pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
main.run(["restore", *sys.argv[1:]])
"""


@pytest.mark.skipif(os.name != "posix", reason="a file has other modes there")
def test_a_backup_leaves_the_servers_key_as_it_is(owner: Owner, tmp_path: Path) -> None:
    """Whoever may only read the folder could make none."""
    (owner.data / "server.key").chmod(0o644)
    assert said(owner.someone("owner", "backup", str(owner.data), str(tmp_path / "copy")))[0] == 0
    assert (owner.data / "server.key").stat().st_mode & 0o777 == 0o644


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL")
def test_a_restore_that_was_killed_leaves_no_key_to_the_next_one(owner: Owner, tmp_path: Path) -> None:
    copy, there = tmp_path / "copy", tmp_path / "there"
    assert said(owner.someone("owner", "backup", str(owner.data), str(copy)))[0] == 0
    killed = subprocess.run([sys.executable, "-c", DIES, str(copy), str(there)], cwd=ROOT, env=owner.environment("owner"))
    assert killed.returncode == -signal.SIGKILL
    assert [file.name for file in there.glob(".server.key.*")], "it had written it"
    assert said(owner.someone("owner", "restore", str(copy), str(there)))[0] == 0
    assert {file.name for file in there.iterdir()} == {STORE, "server.key"}


def test_a_backup_of_a_store_that_has_lost_bytes_is_made_and_restored_and_each_says_what_they_cost(owner: Owner, tmp_path: Path) -> None:
    write(owner.data / STORE, "UPDATE entries SET entry = zeroblob(length(entry)) WHERE number = 1")
    copy = tmp_path / "copy"
    code, words = said(owner.someone("owner", "backup", str(owner.data), str(copy)))
    told = "entry 1 was altered, or is missing; an earlier backup may have it whole"
    assert (code, told in words, copy.exists()) == (1, True, True)
    code, words = said(owner.someone("owner", "restore", str(copy), str(tmp_path / "there")))
    assert (code, told in words, (tmp_path / "there" / STORE).exists()) == (1, True, True)


def test_a_running_server_is_backed_up_and_another_goes_on_from_it(owner: Owner, tmp_path: Path) -> None:
    owner.start()
    key = (owner.data / "server.key").read_bytes()
    copy, there = tmp_path / "copy", tmp_path / "there"
    assert said(owner.someone("owner", "backup", str(owner.data), str(copy)))[0] == 0
    code, words = said(owner.someone("owner", "backup", str(owner.data), str(copy)))
    assert (code, "is there already" in words) == (3, True)
    owner.stop()
    assert said(owner.someone("owner", "restore", str(copy), str(there)))[0] == 0
    code, words = said(owner.someone("owner", "restore", str(copy), str(there)))
    assert (code, "a server's already" in words) == (3, True)
    assert (there / "server.key").read_bytes() == key
    assert (there / "server.key").stat().st_mode & 0o077 == 0
    owner.data = there
    owner.start()
    assert " 1 game\n" in owner.does("--status").stdout
    owner.stop()


@pytest.mark.parametrize("by_key", [False, True])
def test_a_running_server_takes_a_game_in_from_its_owner_and_from_nobody_else(owner: Owner, tmp_path: Path, by_key: bool) -> None:
    file = tmp_path / "evening.rasputitsa"
    assert said(owner.someone("owner", "export", str(owner.data), GAME, str(file)))[0] == 0
    owner.data = tmp_path / "there"
    owner.start("--open")
    code, words = said(owner.someone("mallory", "import", str(owner.data), str(file)))
    assert (code, "that is for the owner of this server" in words) == (3, True)
    assert " 0 games\n" in owner.does("--status").stdout
    who = "mallory" if by_key else "owner"  # whoever has the owner's key is he
    keys = ["--key", str(owner.folder / "owner" / "rasputitsa" / "identity.key")] if by_key else []
    code, words = said(owner.someone(who, "import", *keys, str(owner.data), str(file)))
    assert (code, f"{GAME}: 9 entries, it goes on here" in words) == (0, True), words
    assert list((owner.data / "arrivals").iterdir()) == []
    assert GAME in owner.someone("dora", "join", owner.link, "--name", "Dora").stdout
    again = tmp_path / "again.rasputitsa"
    assert said(owner.someone("owner", "export", str(owner.data), GAME, str(again)))[0] == 0
    assert "took the game over" in said(owner.someone("owner", "verify", str(again)))[1]
    owner.stop()
    assert "9 entries" not in said(owner.someone("owner", "export", str(owner.data)))[1]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can leave others what they may not write to")
def test_what_root_puts_among_the_arrivals_is_whose_folder_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = 65534
    (tmp_path / "game").write_bytes(b"a game")
    (tmp_path / "games").mkdir()
    os.chown(tmp_path / "games", nobody, nobody)
    owners: list[int] = []

    def ask(data: Path, frame: protocol.TakeIn, **how: object) -> None:
        owners.extend(one.stat().st_uid for one in (data / "arrivals", data / "arrivals" / frame.file))

    monkeypatch.setattr("rasputitsa.owner.ask", ask)
    import_games._by_server(tmp_path / "games", None, tmp_path / "game", game=None)  # type: ignore[arg-type]
    assert owners == [nobody, nobody]


def test_a_game_is_exported_verified_and_taken_in_by_another_server(owner: Owner, tmp_path: Path) -> None:
    owner.start()
    file, there = tmp_path / "evening.rasputitsa", tmp_path / "there"
    assert said(owner.someone("owner", "export", str(owner.data))) == (0, f"{GAME}  war_for_the_motherland/turning_point  9 entries\n")
    assert said(owner.someone("owner", "export", str(owner.data), GAME, str(file)))[0] == 0
    assert said(owner.someone("owner", "verify", str(file)))[0] == 0
    code, words = said(owner.someone("owner", "import", str(owner.data), str(file)))
    assert (code, f"a game {GAME} is here already" in words) == (3, True)
    owner.stop()
    code, words = said(owner.someone("owner", "import", str(owner.data), str(file)))
    assert (code, f"a game {GAME} is here already" in words) == (3, True)
    owner.data = there
    owner.start()
    owner.stop()
    code, words = said(owner.someone("owner", "import", str(there), str(file)))
    assert (code, "it goes on here" in words) == (0, True)
    owner.start()
    assert " 1 game\n" in owner.does("--status").stdout
    owner.stop()
    again = tmp_path / "again.rasputitsa"
    assert said(owner.someone("owner", "export", str(there), GAME, str(again)))[0] == 0
    code, known = said(owner.someone("owner", "verify", str(again)))
    assert (code, "a server took the game over" in known) == (0, True)
    code, words = said(owner.someone("owner", "import", str(there), str(again)))
    assert (code, known in words, "is here already" in words) == (3, True, True), "whoever takes a game in is told what verify tells"


def test_what_can_not_be_is_told_in_a_line(owner: Owner, tmp_path: Path) -> None:
    file = tmp_path / "file"
    cases = [
        (("export", str(owner.data), "nothing", str(file)), 2, "a game of this store"),
        (("export", str(owner.data), GAME), 2, "where the game is to be written"),
        (("export", str(tmp_path), GAME, str(file)), 2, "no such file"),
        (("backup", str(tmp_path / "nowhere"), str(file)), 2, "does not exist"),
        (("restore", str(owner.data / STORE), str(tmp_path / "new")), 2, "a backup that was made by"),
        (("restore", str(owner.data / "server.key"), str(tmp_path / "new")), 2, "a store of games"),
        (("import", str(owner.data), str(owner.data / "server.key")), 2, "record"),
    ]
    for args, code, words in cases:
        found = said(owner.someone("owner", *args))
        assert (found[0], words in found[1]) == (code, True), (args, found)
    assert not file.exists()


def test_a_file_that_can_not_be_read_keeps_no_other_from_being_taken_in(owner: Owner, tmp_path: Path) -> None:
    owner.start()
    owner.stop()
    bad, file, there = tmp_path / "bad.rasputitsa", tmp_path / "evening.rasputitsa", tmp_path / "there"
    bad.write_text("no game")
    owner.someone("owner", "export", str(owner.data), GAME, str(file))
    owner.data = there
    owner.start()
    owner.stop()
    assert said(owner.someone("owner", "export", str(there))) == (0, f"no games in {there}\n")
    code, found = said(owner.someone("owner", "import", str(there), str(bad), str(file)))
    assert (code, f"{bad}: expected a game file" in found) == (2, True), found
    assert f"{file}: {GAME}: " in found


@pytest.mark.parametrize(("kept", "words"), [
    ((), "there is no server in {there} yet: start one with rasputitsa host --data {there}"),
    (("server.key",), "{there} is no whole server's: it has no games.sqlite"),
    ((STORE,), "{there} is no whole server's: it has no server.key"),
])
def test_a_game_is_taken_into_no_folder_but_a_servers(kept: tuple[str, ...], words: str, owner: Owner, tmp_path: Path) -> None:
    file, there = tmp_path / "evening.rasputitsa", tmp_path / "there"
    owner.start()
    owner.stop()
    owner.someone("owner", "export", str(owner.data), GAME, str(file))
    if kept:
        there.mkdir()
    for name in kept:
        shutil.copy(owner.data / name, there / name)
    code, found = said(owner.someone("owner", "import", str(there), str(file)))
    assert (code, words.format(there=there) in found) == (3, True), found
    assert (sorted(one.name for one in there.iterdir()) if there.exists() else []) == sorted(kept)


def test_the_command_that_starts_a_server_is_told_as_a_shell_takes_it(owner: Owner, tmp_path: Path) -> None:
    copy, there = tmp_path / "copy", tmp_path / "club's games"
    command = f"rasputitsa host --data {shlex.quote(str(there))}"
    assert command in said(owner.someone("owner", "host", "--data", str(there), "--invite"))[1]
    assert said(owner.someone("owner", "backup", str(owner.data), str(copy)))[0] == 0
    assert command in said(owner.someone("owner", "restore", str(copy), str(there)))[1]


def test_a_game_that_was_sealed_anew_is_not_taken_in(owner: Owner, tmp_path: Path) -> None:
    file = tmp_path / "forged.rasputitsa"
    owner.someone("owner", "export", str(owner.data), GAME, str(file))
    owner.data = there = tmp_path / "there"
    owner.start()
    owner.stop()
    game, log = gamefile.read(file.read_bytes()), Log()
    for entry in game.entries[:-1]:
        log.add(entry)
    last = game.entries[-1]
    forged = msgspec.structs.replace(last, events=last.events[:-1], hash=b"")
    log.add(msgspec.structs.replace(forged, hash=forged.digest()))
    file.write_bytes(gamefile.write(game.head, game.files, log))
    code, words = said(owner.someone("owner", "import", str(there), str(file)))
    assert (code, "not taken in" in words) == (1, True), words
    assert said(owner.someone("owner", "export", str(there))) == (0, f"no games in {there}\n")


def test_a_game_that_earlier_rules_decided_otherwise_is_taken_in_on_the_owners_word(owner: Owner, tmp_path: Path) -> None:
    old = gamefile.read(lzma.decompress(sorted(RELEASED.glob("2-steady*"))[0].read_bytes()))
    log, first = Log(), next(entry for entry in old.entries if entry.order)
    for entry in old.entries[: first.number]:
        log.add(entry)
    other = msgspec.structs.replace(first, events=first.events[:-1], hash=b"")
    log.add(msgspec.structs.replace(other, hash=other.digest()))
    file = tmp_path / "earlier.rasputitsa"
    file.write_bytes(gamefile.write(old.head, old.files, log))
    code, words = said(owner.someone("owner", "verify", str(file)))
    assert (code, "begun under version 1" in words, "earlier rules may have decided so" in words) == (1, True, True), words
    owner.data = there = tmp_path / "there"
    owner.start()
    owner.stop()
    code, words = said(owner.someone("owner", "import", str(there), str(file)))
    assert (code, "--earlier-rules" in words) == (1, True), words
    code, words = said(owner.someone("owner", "import", "--earlier-rules", str(there), str(file)))
    assert (code, f"{len(log.entries)} entries" in words) == (0, True), words

"""A server as a command: who gets in by what the owner says, and what the logs tell."""

from __future__ import annotations

import io
import json
import logging
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client.connection.games import Games
from client.connection.line import Down
from client.connection.notes import Note
from core import protocol
from core.address import parse
from core.identity import fingerprint
from rasputitsa import logs
from rasputitsa.endings import system_says
from rasputitsa.join import _next
from rasputitsa.logs import JsonLine, OneLine, end_line
from rasputitsa.owner import _answer, note_gone
from server.store.sqlite import holding
from tests.server.conftest import free_pair

ROOT = Path(__file__).parents[2]
AS_ON_WINDOWS = """
import asyncio, runpy, sys

def refuse(*_):
    raise NotImplementedError

class Proactor(asyncio.SelectorEventLoop):
    add_reader = refuse

class Policy(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self):
        return Proactor()

asyncio.set_event_loop_policy(Policy())
asyncio.SelectorEventLoop.add_signal_handler = refuse
sys.argv[0] = "rasputitsa"
runpy.run_module("rasputitsa", run_name="__main__")
"""
UNDER_NOHUP = """
import runpy, signal, sys

signal.signal(signal.SIGHUP, signal.SIG_IGN)
sys.argv[0] = "rasputitsa"
runpy.run_module("rasputitsa", run_name="__main__")
"""
TOLD_TO_END_AS_IT_STARTS = """
import os, runpy, signal, sys

class Finder:
    def find_spec(self, name, *_):
        if name == "rasputitsa.serving":
            os.kill(os.getpid(), signal.SIGTERM)

sys.meta_path.insert(0, Finder())
sys.argv[0] = "rasputitsa"
runpy.run_module("rasputitsa", run_name="__main__")
"""


class Owner:
    """Whoever runs a server from a folder; and others, each with a folder of his own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "games"
        self.link = ""
        self.server: subprocess.Popen[str] | None = None
        self.program: tuple[str, ...] = ("-m", "rasputitsa")

    def start(self, *more: str, address: str = "") -> None:
        while not self._starts(more, address or f"tcp://127.0.0.1:{free_pair()}"):  # the port above tells the key
            said = self._said()
            assert not address, said
            assert "Address already in use" in said, said  # another test took the port since it was found free

    def _starts(self, more: tuple[str, ...], address: str) -> bool:
        args = ("host", "--address", address, "--data", str(self.data), "--invited", "--quiet", "--log-level", "info", *more)
        self.server = subprocess.Popen(
            [sys.executable, *self.program, *args], cwd=ROOT, env=self.environment("owner"), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        assert self.server.stdout is not None
        self.link = self.server.stdout.readline().removeprefix("listening on ").strip()
        return bool(self.link)

    def stop(self) -> str:
        assert self.server is not None
        self.server.terminate()
        said = self._said()
        assert self.server.returncode == 0, said
        return said

    def _said(self) -> str:
        assert self.server is not None
        return self.server.communicate(timeout=60)[1]

    def environment(self, who: str) -> dict[str, str]:
        return {**os.environ, "XDG_DATA_HOME": str(self.folder / who)}

    def does(self, *args: str) -> subprocess.CompletedProcess[str]:
        return self.someone("owner", "host", "--data", str(self.data), *args)

    def someone(self, who: str, *args: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "rasputitsa", *args], cwd=ROOT, env=self.environment(who), text=True, capture_output=True, check=False
        )
        assert "Traceback" not in done.stderr
        return done


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    made = Owner(tmp_path)
    yield made
    if made.server is not None and made.server.poll() is None:
        made.server.kill()
        made.server.communicate()


def test_an_invite_for_a_server_on_all_addresses_names_those_that_others_reach(owner: Owner) -> None:
    owner.start(address="tcp://0.0.0.0:*")
    made = owner.does("--invite")
    links = [line.removeprefix("join by ") for line in made.stdout.splitlines() if line.startswith("join by ")]
    assert links[0] == f"{owner.link}?invite={code_of(made.stdout)}"
    owner.stop()


def test_a_server_whose_key_has_changed_is_refused_until_it_is_forgotten(owner: Owner) -> None:
    owner.start("--open")
    address = parse("link", owner.link).tcp
    first = owner.someone("anna", "join", address, "--name", "Anna")
    assert (first.returncode, "the server is new to you, its fingerprint" in first.stderr) == (0, True)
    again = owner.someone("anna", "join", address)
    assert (again.returncode, "new to you" in again.stderr) == (0, False)
    owner.stop()
    (owner.data / "server.key").unlink()
    owner.start("--open", address=address)
    changed = owner.someone("anna", "join", address)
    assert (changed.returncode, "shows another key than before" in changed.stderr) == (3, True)
    assert f"rasputitsa join --forget {parse('link', owner.link).place}" in changed.stderr
    assert owner.someone("anna", "join", "--forget", address).returncode == 0
    assert owner.someone("anna", "join", address).returncode == 0
    nobody = owner.someone("anna", "join", "--forget", "tcp://192.0.2.9:5757")
    assert (nobody.returncode, "a server that was met" in nobody.stderr) == (2, True)
    owner.stop()


def code_of(said: str) -> str:
    found = re.search(r"invite code (\S+):", said)
    assert found is not None, said
    return found[1]


def test_a_second_server_on_a_folder_is_refused_and_leaves_the_first_one_to_its_owner(owner: Owner) -> None:
    owner.start()
    second = owner.does("--address", "tcp://127.0.0.1:*")
    assert (second.returncode, "another server runs on" in second.stderr) == (3, True), second.stderr
    assert owner.does("--invite").returncode == 0
    assert owner.does("--status").returncode == 0
    owner.stop()
    assert "no server runs on" in owner.does("--status").stderr


def test_of_a_server_that_was_killed_its_owner_is_told_that_none_runs(owner: Owner) -> None:
    owner.start()
    assert owner.server is not None
    owner.server.kill()
    owner.server.communicate()
    assert "no server runs on" in owner.does("--status").stderr


def test_of_a_server_that_starts_its_owner_is_told_that_it_does_not_answer_yet(owner: Owner) -> None:
    """He was told that none runs, and would start a second one; or waited for one that was killed."""
    owner.start()
    assert owner.server is not None
    owner.server.kill()
    owner.server.communicate()
    with holding(owner.data):
        (owner.data / "running").write_bytes(b"\xff\xfe")
        damaged = owner.does("--status")
        assert (damaged.returncode, "running" in damaged.stderr) == (2, True), damaged.stderr
    note_gone(owner.data)
    with holding(owner.data):
        for asked in ("--status", "--invite"):
            assert "no server answers there" in owner.does(asked).stderr
    assert "no server runs on" in owner.does("--status").stderr
    assert not (owner.data / "running").exists()


def test_why_a_line_went_down_names_its_address_once() -> None:
    notes: queue.SimpleQueue[Note] = queue.SimpleQueue()
    place, reason = parse("address", "tcp://127.0.0.1:6311"), "tcp://127.0.0.1:6311 closed the line"
    for ask in (lambda: _answer(notes, Games(notes.put), protocol.AskStatus(), place, 1.0), lambda: _next(notes, place.tcp)):
        notes.put(Down(reason, 0.0))
        with pytest.raises(OSError, match="closed the line") as caught:
            ask()
        assert system_says(caught.value) == reason


def test_a_note_of_a_server_that_runs_is_left_to_it(owner: Owner) -> None:
    owner.start()
    note_gone(owner.data)
    assert owner.does("--status").returncode == 0
    owner.stop()


def test_an_invite_is_listed_and_taken_back_whether_the_server_runs_or_not(owner: Owner) -> None:
    owner.start("--invited")
    first, second = (owner.does("--invite").stdout for _ in range(2))
    listed = owner.does("--status").stdout
    marks = [re.search(r"listed as (\w+)", said)[1] for said in (first, second)]  # type: ignore[index]
    assert all(f"open invite {mark}: player, 1 newcomer, until 20" in listed for mark in marks)
    assert owner.does("--revoke", code_of(first)).returncode == 0
    assert owner.someone("boris", "join", owner.link, "--name", "Boris", "--invite", code_of(first)).returncode == 3
    owner.stop()
    assert owner.does("--revoke", marks[1]).returncode == 0
    again = owner.does("--revoke", marks[1])
    assert (again.returncode, "a code that is open here" in again.stderr) == (2, True)
    owner.start("--invited")
    assert "open invite" not in owner.does("--status").stdout
    owner.stop()


def test_the_owner_invites_looks_after_and_shuts_out(owner: Owner) -> None:
    owner.start("--log", str(owner.folder / "second.log"))
    assert owner.someone("boris", "join", owner.link, "--name", "Boris").returncode == 3
    code = code_of(owner.does("--invite").stdout)
    let_in = owner.someone("boris", "join", owner.link, "--name", "Boris", "--invite", code)
    assert (let_in.returncode, "connected as Boris" in let_in.stderr) == (0, True)
    assert owner.someone("boris", "join", owner.link).returncode == 0
    again = owner.someone("carla", "join", owner.link, "--name", "Carla", "--invite", code)
    assert (again.returncode, "not good" in again.stderr) == (3, True)
    address, another = parse("link", owner.link).tcp, code_of(owner.does("--invite").stdout)  # a plain address takes a code as well
    assert owner.someone("dora", "join", address, "--name", "Dora", "--invite", another).returncode == 0
    status = json.loads(owner.does("--status", "--json").stdout)
    assert {(one["name"], one["role"], one["is_shut_out"]) for one in status["members"]} == {
        ("Boris", "player", False), ("Dora", "player", False)
    }  # whoever was heard of lately comes first, and that hangs on how fast all this went
    assert status["games"] == 0
    assert "shut out" in owner.does("--kick", "Boris").stdout
    out = owner.someone("boris", "join", owner.link)
    assert (out.returncode, "does not let this key in" in out.stderr) == (3, True)
    assert "spectator" in owner.does("--give", "Boris", "--role", "spectator").stdout
    assert owner.someone("boris", "join", owner.link).returncode == 0
    theirs = owner.someone("boris", "host", "--data", str(owner.data), "--status")
    assert (theirs.returncode, "for the owner" in theirs.stderr) == (3, True)
    strangers = owner.someone("carla", "host", "--data", str(owner.data), "--status")
    assert (strangers.returncode, "your key is nobody's there: " in strangers.stderr) == (3, True)
    assert str(owner.folder / "carla" / "rasputitsa" / "identity.key") in strangers.stderr
    owner.stop()
    lines = [json.loads(line) for line in (owner.folder / "second.log").read_text("utf-8").splitlines()]
    assert next(line for line in lines if line["message"] == "shut out")["player"] == "Boris"
    assert (owner.data / "server.log").read_text("utf-8") == (owner.folder / "second.log").read_text("utf-8")
    assert_no_secrets(owner, code)


def test_a_log_that_ends_in_the_midst_of_a_line_goes_on_in_a_new_one(owner: Owner) -> None:
    log, torn = owner.folder / "second.log", '{"time": "2026-11-30T08:33'
    log.write_text(torn)
    owner.start("--open", "--log", str(log))
    assert owner.someone("anna", "join", owner.link, "--name", "Anna").returncode == 0
    owner.stop()
    whole = (owner.data / "server.log").read_text("utf-8")
    assert whole
    assert log.read_text("utf-8") == f"{torn}\n{whole}"


def test_a_line_that_another_process_writes_as_a_log_is_ended_is_not_written_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text('{"time": "20')

    class ReadAsAnotherWrites(io.BufferedRandom):
        def read(self, size: int | None = -1, /) -> bytes:
            found = super().read(size)
            with log.open("a") as others:
                others.write("another's line\n")
            return found

    monkeypatch.setattr(logs, "open", lambda file, mode: ReadAsAnotherWrites(io.FileIO(file, mode.replace("b", ""))), raising=False)
    end_line(log)
    assert log.read_text() == '{"time": "20another\'s line\n\n'


def assert_no_secrets(owner: Owner, code: str) -> None:
    keys = {file: file.read_text("ascii").splitlines()[1] for file in owner.folder.rglob("*.key")}
    assert {file.name for file in keys} == {"identity.key", "server.key"}
    for file in owner.folder.rglob("*"):
        if file.is_file() and file not in keys:
            content = file.read_bytes()
            for secret in (*keys.values(), code, code.replace("-", "")):
                assert secret.encode() not in content, f"{file} holds a secret"


def test_an_invite_made_while_no_server_runs_is_good_when_one_does(owner: Owner) -> None:
    early = owner.does("--invite")
    assert (early.returncode, "no server in" in early.stderr) == (3, True)
    owner.start()
    owner.stop()
    made = owner.does("--invite", "--uses", "2", "--role", "referee")
    assert (made.returncode, f"{owner.link}?invite={code_of(made.stdout)} (where it answered last)" in made.stdout) == (0, True)
    (owner.data / "last-address").unlink()  # as in a folder that was set up from a backup
    assert "the host's address for HOST" in owner.does("--invite").stdout
    ended = owner.does("--status")
    assert (ended.returncode, "no server runs on" in ended.stderr) == (3, True)
    owner.start()
    for who in ("Anna", "Boris"):
        assert owner.someone(who, "join", owner.link, "--name", who, "--invite", code_of(made.stdout)).returncode == 0
    status = json.loads(owner.does("--status", "--json").stdout)
    assert {one["name"]: one["role"] for one in status["members"]} == {"Anna": "referee", "Boris": "referee"}
    owner.stop()


def test_a_name_that_the_owners_terminal_has_no_letters_for_is_told_all_the_same(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    owner.start("--open")
    assert owner.someone("dora", "join", owner.link, "--name", "Žluťoučký").returncode == 0
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    told = owner.does("--status")
    assert (told.returncode, r"\u017dlu\u0165ou\u010dk" in told.stdout) == (0, True), told.stdout + told.stderr
    owner.stop()


def test_an_owner_asks_with_another_key_file_than_his_own(owner: Owner) -> None:
    owner.start("--open")
    bot = str(owner.folder / "bot.key")
    assert owner.someone("owner", "join", owner.link, "--name", "Robot", "--key", bot).returncode == 0
    assert owner.does("--status", "--key", bot).returncode == 3
    assert owner.does("--give", "Robot", "--role", "owner").returncode == 0
    for ask in (("--status",), ("--invite",), ("--give", "Robot", "--role", "player")):
        assert owner.does(*ask, "--key", bot).returncode == 0
    assert owner.does("--kick", "Robot", "--key", bot).returncode == 3
    lacking = owner.does("--status", "--key", str(owner.folder / "none.key"))
    assert (lacking.returncode, "--key" in lacking.stderr) == (2, True)
    assert not (owner.folder / "none.key").exists()
    owner.stop()


@pytest.mark.parametrize(
    ("lose", "lost"), [(Path.unlink, "no"), (lambda store: os.truncate(store, 0), "an empty")], ids=["gone", "emptied"]
)
def test_a_server_that_finds_its_key_but_no_games_says_that_it_begins_anew(owner: Owner, lose: Callable[[Path], None], lost: str) -> None:
    begins = f"has a server's key, but {lost} games.sqlite: a new one is begun, without games and names"
    owner.start()
    assert begins not in owner.stop()
    lose(owner.data / "games.sqlite")
    copied = owner.someone("owner", "backup", str(owner.data), str(owner.folder / "copy"))
    assert (copied.returncode, "got no such file" in copied.stderr or "got an empty file" in copied.stderr) == (2, True)
    owner.start()
    assert begins in owner.stop()


def test_a_server_that_takes_up_games_of_before_keys_misses_none(owner: Owner) -> None:
    owner.data.mkdir()
    shutil.copy(ROOT / "tests" / "server" / "store" / "stores" / "version_1.sqlite", owner.data / "games.sqlite")
    owner.start()
    assert "than its games knew" not in owner.stop()


def test_a_server_that_is_told_to_end_before_it_serves_ends_as_one_that_does(owner: Owner) -> None:
    owner.program = ("-c", TOLD_TO_END_AS_IT_STARTS)
    assert not owner._starts((), "tcp://127.0.0.1:*")
    assert owner.stop() == ""


@pytest.mark.parametrize("is_noted", [True, False])
def test_a_server_that_finds_games_and_another_key_than_theirs_says_so_once(owner: Owner, *, is_noted: bool) -> None:
    warns = "has another server.key than its games knew"
    owner.start()
    was = fingerprint(parse("link", owner.link).key)
    assert warns not in owner.stop()
    (owner.data / "server.key").unlink()
    if not is_noted:
        (owner.data / "last-address").unlink()
    owner.start()
    said = owner.stop()
    assert (warns in said, f"knew (fingerprint {was})" in said) == (True, is_noted)
    owner.start()
    assert warns not in owner.stop()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--invite", "--status"), "one of --invite, --revoke, --give, --kick, --status"),
        (("--invite", "--uses", "0"), "--uses: expected a whole number from 1 to 1000, got 0"),
        (("--invite", "--days", "9999"), "--days: expected a whole number from 1 to 366, got 9999"),
        (("--address", "ipc://here"), "--address"),
        (("--address", ""), "--address"),
        (("--address", "tcp://127.0.0.1:80000"), "with a port from 1 to 65534, got tcp://127.0.0.1:80000"),
        (("--address", "tcp://127.0.0.1:65535"), "with a port from 1 to 65534, got tcp://127.0.0.1:65535"),
        (("--address", "rasputitsa://127.0.0.1:5757/" + "a" * 52), "--address: expected tcp://HOST:PORT"),
        (("--uses", "8"), "--uses: expected --invite with it, got none"),
        (("--days", "30", "--status"), "--days: expected --invite with it, got --status"),
        (("--role", "referee"), "--role: expected --invite or --give with it, got none"),
        (("--json",), "--json: expected --status with it, got none"),
        (("--status", "--port", "6000"), "--port: expected no address with --status, which goes to the server of --data, got 6000"),
        (("--invite", "--address", "tcp://10.0.0.7:5757"), "--address: expected no address with --invite"),
        (("--port", "6000", "--address", "tcp://127.0.0.1:1"), "--port: expected no --address with it, which names a port as well, got"),
        (("--invite", "--open"), "--open and --invited: expected a server that is to start, got --invite"),
        (("--status", "--log-level", "info"), "--log-level: expected a server that is to start, got --status"),
        (("--revoke", ""), "--revoke: expected an invite code"),
        (("--give", ""), "--give: expected a name"),
        (("--kick", ""), "--kick: expected a name"),
        (("--kick", "", "--status"), "one of --invite, --revoke, --give, --kick, --status"),
    ],
)
def test_what_can_not_be_asked_is_told(args: tuple[str, ...], words: str, owner: Owner) -> None:
    owner.start()
    owner.stop()
    done = owner.does(*args)
    assert (done.returncode, words in done.stderr) == (2, True), done.stderr


def test_a_number_that_no_frame_holds_is_told_while_the_server_runs_as_well(owner: Owner) -> None:
    owner.start()
    done = owner.does("--invite", "--uses", str(10**30))
    assert (done.returncode, "--uses: expected a whole number from 1 to 1000" in done.stderr) == (2, True), done.stderr
    owner.stop()


def test_an_invite_code_is_taken_however_it_was_copied_and_what_is_none_is_named(owner: Owner) -> None:
    owner.start()
    code = code_of(owner.does("--invite").stdout)
    wrong = owner.someone("anna", "join", owner.link, "--name", "Anna", "--invite", f"{code}!")
    words = f"--invite: expected an invite code: at most 64 letters, digits, dashes, got {code}!"
    assert (wrong.returncode, words in wrong.stderr) == (2, True), wrong.stderr
    copied = owner.someone("anna", "join", owner.link, "--name", "Anna", "--invite", f" {code.replace('-', ' ')}\n")
    assert (copied.returncode, "connected as Anna" in copied.stderr) == (0, True), copied.stderr
    owner.stop()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--side", "axis"), "--side: expected --game with it, got none"),
        (("--bot", "busy"), "--bot: expected --game with it, got none"),
        (("--dice", "witnessed"), "--dice: expected --new with it, got none"),
    ],
)
def test_what_belongs_to_a_game_that_was_not_asked_for_is_told(args: tuple[str, ...], words: str, owner: Owner) -> None:
    done = owner.someone("anna", "join", "tcp://127.0.0.1:1", *args)
    assert (done.returncode, words in done.stderr) == (2, True), done.stderr


def test_a_damaged_key_of_the_server_keeps_it_from_starting(owner: Owner) -> None:
    owner.data.mkdir()
    (owner.data / "server.key").write_bytes(b"not a key")
    done = owner.does("--address", "tcp://127.0.0.1:*")
    assert done.returncode == 2
    assert "server.key: expected two lines" in done.stderr


# -------------------------------------------------------------------- log lines


def test_a_line_of_the_log_is_one_object_whatever_was_said() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        record = logging.getLogger("rasputitsa.test").makeRecord(
            "rasputitsa.test", logging.ERROR, "file", 1, "a %s broke\nbadly \x1b[2J\x9b\u2028", ("frame",), sys.exc_info(),
            extra={"player": "Анна"},
        )
    line = JsonLine().format(record)
    assert line.isprintable()
    found = json.loads(line)
    assert found["message"] == "a frame broke\nbadly \x1b[2J\x9b\u2028"
    assert (found["level"], found["logger"], found["player"]) == ("error", "rasputitsa.test", "Анна")
    assert "ValueError: two\nlines" in found["exception"]
    short = OneLine("%(levelname)s %(message)s").format(record)
    assert short.splitlines() == [r"ERROR a frame broke\nbadly \x1b[2J\x9b\u2028 player=Анна", r"  ValueError: two\nlines"]


def test_the_log_tells_sparingly_what_one_player_or_address_brings_about_again_and_again() -> None:
    """One key wrote it full in three hours: with lines that were ended, and with coming and going."""
    now, sparing = [0.0], logs.Sparing(clock=lambda: now[0])

    def is_told(message: str, *, level: int = logging.INFO, **told: str) -> bool:
        record = logging.getLogger("rasputitsa.test").makeRecord("rasputitsa.test", level, "file", 1, message, (), None, extra=told)
        last[0] = record
        return sparing.filter(record)

    last = [logging.makeLogRecord({})]
    lines = {"hello": {"player": "Mallory", "role": "player"}, "a line was ended": {"address": "10.0.0.7", "reason": "a flood"}}
    for message, told in lines.items():
        assert [is_told(message, **told) for _ in range(40)] == [True] * logs.TOLD_BURST + [False] * (40 - logs.TOLD_BURST)
    assert is_told("hello", player="Anna")
    assert is_told("a frame broke", level=logging.ERROR, player="Mallory")
    assert is_told("a game was read")
    now[0] += 60
    assert is_told("hello", player="Mallory")
    assert logs.extras(last[0]) == {"player": "Mallory", "before": 40 - logs.TOLD_BURST}


def test_the_server_names_the_command_that_makes_an_invite_for_its_own_folder(owner: Owner) -> None:
    owner.data = owner.folder / "club's games"
    owner.start()
    said = owner.stop()
    command = next(line for line in said.splitlines() if line.startswith("a newcomer needs an invite: ")).partition(": ")[2]
    asked = shlex.split(command.removesuffix(" makes one"))
    assert owner.does(*asked[2:]).returncode == 0


def test_a_server_without_an_owner_says_why_in_words(owner: Owner) -> None:
    (owner.folder / "owner").write_text("in the way of the folder")
    owner.start()
    (line,) = [line for line in owner.stop().splitlines() if "no owner" in line]
    assert line.endswith(": Not a directory")
    assert "Errno" not in line


def test_a_server_serves_and_ends_where_the_usual_loop_watches_no_sockets_and_none_takes_signals(owner: Owner) -> None:
    owner.program = ("-c", AS_ON_WINDOWS)
    owner.start()
    assert owner.does("--status").returncode == 0
    assert "Traceback" not in owner.stop()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_server_whose_terminal_is_closed_ends_in_order(owner: Owner) -> None:
    owner.start()
    assert owner.server is not None
    owner.server.send_signal(signal.SIGHUP)
    assert "Traceback" not in owner.server.communicate(timeout=60)[1]
    assert owner.server.returncode == 0
    assert not (owner.data / "running").exists()
    assert not (owner.data / "games.sqlite-wal").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_server_that_was_started_to_outlive_its_terminal_does(owner: Owner) -> None:
    owner.program = ("-c", UNDER_NOHUP)
    owner.start()
    assert owner.server is not None
    owner.server.send_signal(signal.SIGHUP)
    assert owner.does("--status").returncode == 0
    owner.stop()

"""Commands under people who mean ill, or machines that do: closed pipes, full disks, dead displays, forged files, killed parents."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from client.bounded import read_bounded
from client.writing import write_whole
from core import gamefile
from core.address import parse
from core.errors import BadInput, Broken
from core.events import Rolled
from core.gamefile import GameFile
from core.pack import setting
from core.rulesets import load
from core.text import Text, printable
from core.trials.selfplay import play
from rasputitsa import display, main
from rasputitsa.files import of_a_game
from rasputitsa.local_server import local_server
from rasputitsa.packs import load_pack

ROOT = Path(__file__).parents[2]
GAME, SCENARIO = "war_for_the_motherland", "turning_point"
PATIENCE_S = 240  # a command took 39 s to start on a machine of whose two cores each had a dozen takers


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "rasputitsa", *args]


def rasputitsa(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    ours = {**os.environ, "COLUMNS": "200", **environment}
    return subprocess.run(command(*args), cwd=ROOT, env=ours, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


@pytest.fixture(scope="module")
def game() -> GameFile:
    from core.bots import load as bot

    chosen = setting(load(GAME), load_pack(GAME), SCENARIO)
    keeper = play(chosen, {side: bot("busy") for side in chosen.sides}, 1)
    return gamefile.read(gamefile.write(gamefile.head_of(keeper.match), load_pack(GAME).files, keeper.match.log))


@pytest.fixture(scope="module")
def file(game: GameFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(game, tmp_path_factory.mktemp("games") / "game.rasputitsa")


def written(game: GameFile, path: Path) -> Path:
    """Write a game, however it was altered, with a hash chain that fits."""
    from core.log import Log

    log, before = Log(), bytes(32)
    for entry in game.entries:
        bare = msgspec.structs.replace(entry, before=before, hash=b"")
        log.entries.append(msgspec.structs.replace(bare, hash=bare.digest()))
        before = log.last_hash
    path.write_bytes(gamefile.write(game.head, game.files, log))
    return path


def forged(game: GameFile) -> GameFile:
    """Return a game whose first die fell otherwise."""
    entries = list(game.entries)
    number = next(entry.number for entry in entries if any(isinstance(event, Rolled) for event in entry.events))
    events = tuple(
        msgspec.structs.replace(event, value=event.value % event.faces + 1) if isinstance(event, Rolled) else event
        for event in entries[number].events
    )
    entries[number] = msgspec.structs.replace(entries[number], events=events)
    return msgspec.structs.replace(game, entries=tuple(entries))


# -------------------------------------------------------------------- streams


@pytest.mark.parametrize("args", [("rules", GAME), ("scenarios",)])
def test_a_table_whose_reader_goes_away_ends_as_any_output_does(args: tuple[str, ...]) -> None:
    with subprocess.Popen(command(*args), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(PATIENCE_S) == 141
        assert process.stderr.read() == b""


def test_a_game_whose_reader_goes_away_ends_as_any_output_does(tmp_path: Path) -> None:
    args = command("play", "--headless", "--axis", "busy", "--soviet", "busy", "--out", str(tmp_path))
    with subprocess.Popen(args, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(PATIENCE_S) == 141
        assert process.stderr.read() == b""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="a shell of Unix")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_command_without_its_streams_does_its_work(closed: str) -> None:
    shell = ["sh", "-c", f'"$@" {closed}', "sh", *command("rules", GAME, "--section", "3.0")]
    done = subprocess.run(shell, cwd=ROOT, capture_output=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_output_to_a_full_disk_is_an_error_of_the_system() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            command("rules", GAME), cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S, check=False
        )
    assert (done.returncode, done.stderr) == (3, "rasputitsa: No space left on device\n")


# -------------------------------------------------------------------- files


def test_a_file_that_can_not_be_written_is_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "Дон.png"
    write_whole(file, b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*Дон\.png'"):
        write_whole(file, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["Дон.png"]
    assert file.read_bytes() == b"old"


def test_a_picture_for_a_folder_that_is_not_there_leaves_nothing(file: Path, tmp_path: Path) -> None:
    done = rasputitsa("render", str(file), "--out", str(tmp_path / "no" / "don.svg"))
    assert done.returncode == 3
    assert "No such file or directory" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["don.gif", "don", "don.png.bak"])
def test_a_picture_of_an_unknown_kind_is_refused(name: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["render", str(file), "--out", name]) == 2
    assert ".png, .svg or .html" in capsys.readouterr().err


@pytest.mark.parametrize(("args", "idle"), [
    (("--entry", "3"), "--entry"),
    (("--region", "E4312-E5307", "--width", "900"), "--region and --width"),
])
def test_a_page_of_the_whole_game_refuses_what_only_a_picture_heeds(
    args: tuple[str, ...], idle: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    page = tmp_path / "game.html"
    assert main.run(["render", str(file), "--out", str(page), *args]) == 2
    assert f"--out: expected a picture, .png or .svg, with {idle}, got" in capsys.readouterr().err
    assert not page.exists()


def test_a_folder_that_takes_no_files_is_told_before_a_game_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def read_only(**_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", "a name of no meaning")

    monkeypatch.setattr("rasputitsa.play.tempfile.TemporaryFile", read_only)
    monkeypatch.setattr("rasputitsa.play._play_headless", lambda *_: pytest.fail("it was played"))
    assert main.run(["play", "--headless", "--out", str(tmp_path)]) == 3
    assert capsys.readouterr().err == f"rasputitsa: {tmp_path}: Read-only file system\n"


def test_a_file_without_an_end_is_read_no_further_than_games_go(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(100))
    with pytest.raises(BadInput, match="at most 99 bytes"):
        read_bounded(tmp_path / "large", 99)
    assert read_bounded(tmp_path / "large", 100) == bytes(100)


@pytest.mark.parametrize("args", [("--from", "100000"), ("--from", "9", "--to", "8")])
def test_entries_that_are_not_there_are_told(args: tuple[str, ...], file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["replay", str(file), *args]) == 2
    assert args[-2] in capsys.readouterr().err


def test_a_folder_without_cases_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["case", str(tmp_path)]) == 2
    assert "a folder with case files" in capsys.readouterr().err


def test_a_die_that_fell_otherwise_is_found_though_the_chain_was_made_anew(
    game: GameFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(["verify", str(written(game, tmp_path / "as it was.rasputitsa"))]) == 0
    assert main.run(["verify", str(written(forged(game), tmp_path / "forged.rasputitsa"))]) == 1
    assert "Rolled" in capsys.readouterr().out


def test_a_pack_that_was_altered_is_found_and_the_field_named_in_which_it_shows(
    game: GameFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {**game.files, "charts/turns.toml": game.files["charts/turns.toml"] + b"# a word more\n"}
    altered = written(msgspec.structs.replace(game, files=files), tmp_path / "altered.rasputitsa")
    assert main.run(["verify", str(altered)]) == 1
    assert "entry 0: rules: event 0, GameBegan: pack is '" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["verify", "replay", "render"])
def test_of_a_pack_that_was_damaged_the_game_file_is_named_and_not_only_what_lies_in_it(
    game: GameFile, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    files = {**game.files, "charts/turns.toml": b"nonsense"}
    altered = written(msgspec.structs.replace(game, files=files), tmp_path / "altered.rasputitsa")
    assert main.run([command, str(altered)]) == 2
    assert capsys.readouterr().err.startswith(f"{altered}: charts/turns.toml")


def test_what_breaks_over_a_forged_game_is_the_files_fault_and_over_a_sound_one_ours(game: GameFile) -> None:
    with pytest.raises(BadInput, match=r"forged: entry \d+: expected what follows from the rules"), of_a_game(forged(game), "forged"):
        raise KeyError("a unit that nobody placed")
    with pytest.raises(Broken, match="KeyError"), of_a_game(game, "sound"):
        raise KeyError("a unit")


def test_a_file_says_nothing_to_the_terminal(game: GameFile, tmp_path: Path) -> None:
    head = msgspec.structs.replace(game.head, scenario="\x1b[2Jwiped\x07")
    done = rasputitsa("verify", str(written(msgspec.structs.replace(game, head=head), tmp_path / "x.rasputitsa")))
    assert done.returncode == 2
    assert r"\x1b[2Jwiped\x07" in done.stderr
    assert "\x1b" not in done.stderr


def test_words_are_printed_as_they_are_but_for_controls() -> None:
    assert printable("Дон, Süd: 3 → 4") == "Дон, Süd: 3 → 4"
    assert printable("a\x1b[31m\u202eb\tc\x9b") == r"a\x1b[31m\u202eb\tc\x9b"


def test_words_of_a_file_add_no_lines_of_their_own_to_what_is_printed(game: GameFile, tmp_path: Path) -> None:
    head = msgspec.structs.replace(game.head, scenario="duel\nx.rasputitsa: 9 entries, 4 orders: everything holds")
    done = rasputitsa("verify", str(written(msgspec.structs.replace(game, head=head), tmp_path / "x.rasputitsa")))
    assert not [line for line in done.stderr.splitlines() if line.endswith("everything holds") and "duel\\nx" not in line]
    assert printable("one\ntwo\r\u2028") == r"one\ntwo\r\u2028"


def test_a_template_of_another_can_ask_for_nothing_but_its_arguments() -> None:
    assert str(Text("{n:>999999999} {n.__class__} {n!r} {n} {m} {", {"n": 1})) == "{n:>999999999} {n.__class__} {n!r} 1 {m} {"


# -------------------------------------------------------------------- displays


def test_a_display_that_is_not_there_is_told_before_qt_ends_the_process(file: Path) -> None:
    for environment in ({"DISPLAY": ":4711", "QT_QPA_PLATFORM": ""}, {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}):
        done = rasputitsa("replay", str(file), "--window", **environment)
        assert done.returncode == 2
        assert done.stderr.startswith("display: expected one that a window can be shown on")


def test_a_display_that_is_there_answers(display_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("QT_QPA_PLATFORM", "")
    monkeypatch.setenv("DISPLAY", display_name)
    assert display.answers()
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert not display.answers()


@pytest.fixture
def display_name(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue("display"))


def test_a_picture_needs_no_display(file: Path, tmp_path: Path) -> None:
    done = rasputitsa("render", str(file), "--out", str(tmp_path / "x.png"), "--width", "300", DISPLAY=":4711", QT_QPA_PLATFORM="")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"


def test_a_picture_where_qt_is_not_installed_says_what_it_needs(file: Path, tmp_path: Path) -> None:
    script = "import sys; sys.modules['PySide6'] = None; from rasputitsa.main import run; sys.exit(run(sys.argv[1:]))"
    asked = [sys.executable, "-c", script, "render", str(file), "--out", str(tmp_path / "x.png")]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, "this command needs the package PySide6: " in done.stderr) == (3, True), done.stderr


def test_the_help_of_a_command_needs_none_of_its_packages() -> None:
    script = """
import sys
sys.modules["shapely"] = sys.modules["pyproj"] = None
from rasputitsa.main import run
sys.exit(run(sys.argv[1:]))
"""
    for args, code, words in ((["build-map", "--help"], 0, "Example"), (["build-map", GAME], 3, "[maps]")):
        done = subprocess.run(
            [sys.executable, "-c", script, *args], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        assert done.returncode == code, done.stderr
        assert words in done.stdout + done.stderr


def test_what_copies_a_store_or_looks_for_servers_loads_nothing_that_games_are_made_of() -> None:
    """A backup beside a server that runs took twice as long of its processors."""
    told = "import sys; from rasputitsa.main import load; [*map(load, sys.argv[1:])]; print(*sys.modules.keys() & {'numpy', 'core.game'})"
    loaded = subprocess.run([sys.executable, "-c", told, "backup", "restore", "find"], capture_output=True, text=True, check=True, cwd=ROOT)
    assert loaded.stdout == "\n"


# -------------------------------------------------------------------- processes


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are looked up as Linux shows them")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_a_server_ends_with_the_game_that_started_it(sent: signal.Signals, code: int, tmp_path: Path) -> None:
    args = command("play", "--headless", "--axis", "busy", "--soviet", "busy", "--out", str(tmp_path))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(args, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("turn 22"):
                break
        (server,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("ascii").split()
        process.send_signal(sent)
        _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code
    assert "Traceback" not in said
    wait_for_end(int(server))
    if sent != signal.SIGKILL:
        assert list(tmp_path.iterdir()) == []


def wait_for_end(process: int) -> None:
    """Wait until a process that is no child of ours has ended."""
    with suppress(ProcessLookupError):
        handle = os.pidfd_open(process)
        try:
            import select

            ended, _, _ = select.select([handle], [], [], 30)
        finally:
            os.close(handle)
        assert ended, f"process {process} goes on"


def test_ctrl_c_ends_a_series_without_playing_it_out() -> None:
    """At whatever moment it comes: while processes start, or in mid-game."""
    args = command("match", "steady", "steady", "--games", "1000", "--jobs", "2")
    with subprocess.Popen(args, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while process.poll() is None and children.exists() and len(children.read_text("ascii").split()) < 2:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in said


STARTED = """
import sys
from PySide6.QtCore import QTimer
from client import window
shown = window.MainWindow.showEvent
def show(self, event):
    shown(self, event)
    QTimer.singleShot(0, lambda: print("shown", flush=True))
window.MainWindow.showEvent = show
from rasputitsa.main import run
sys.exit(run(["play"]))
"""


@pytest.mark.no_offscreen
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_closes_the_window(sent: signal.Signals, code: int, display: str, windowed: dict[str, str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTED], cwd=ROOT, env=windowed, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "shown\n"
        process.send_signal(sent)
        _, said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, said) == (code, "")


# -------------------------------------------------------------------- servers


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with local_server(tmp_path_factory.mktemp("server")) as bound:
        yield bound


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("--game", "g1", "--side", "axis", "--new", f"{GAME}/nowhere"), 2, "turning_point"),
        (("--game", "g2", "--side", "axis", "--new", "nothing/nowhere"), 2, GAME),
        (("--game", "g3", "--side", "red", "--new", f"{GAME}/{SCENARIO}"), 2, "axis or soviet"),
        (("--game", "g 4", "--side", "axis"), 2, "--game"),
        (("--game", "g5"), 2, "--side"),
        (("--new", f"{GAME}/{SCENARIO}"), 2, "--game"),
        (("--game", "g6", "--side", "axis", "--new", GAME), 2, "--new: expected GAME-RULES/SCENARIO"),
        (("--game", "g7", "--side", "axis", "--new", ""), 2, "--new: expected GAME-RULES/SCENARIO"),
        (("--name", "An\x07na"), 2, "--name"),
        (("--name", "A" * 41), 2, "--name"),
    ],
)
def test_what_a_server_does_not_have_is_told(args: tuple[str, ...], code: int, words: str, address: str) -> None:
    done = rasputitsa("join", address, *args)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert words in done.stderr


def test_no_game_is_begun_for_a_side_that_it_does_not_have(address: str) -> None:
    assert rasputitsa("join", address, "--game", "sideless", "--side", "red", "--new", f"{GAME}/{SCENARIO}").returncode == 2
    done = rasputitsa("join", address)
    assert (done.returncode, "sideless" in done.stdout) == (0, False), done.stderr


def test_a_name_is_kept_for_whoever_took_it(address: str, tmp_path: Path) -> None:
    for _ in range(2):
        assert rasputitsa("join", address, "--name", "Anna", XDG_DATA_HOME=str(tmp_path / "Anna")).returncode == 0
    thief = rasputitsa("join", address, "--name", "Anna", XDG_DATA_HOME=str(tmp_path))
    assert thief.returncode == 3
    assert "belongs to somebody else" in thief.stderr


def test_an_address_in_use_and_a_folder_in_use_are_refused(address: str, tmp_path: Path) -> None:
    taken = rasputitsa("host", "--address", parse("address", address).tcp, "--data", str(tmp_path / "other"))
    assert (taken.returncode, parse("address", address).tcp in taken.stderr) == (3, True)
    with local_server(tmp_path / "mine"):
        second = rasputitsa("host", "--address", "tcp://127.0.0.1:*", "--data", str(tmp_path / "mine"))
    assert (second.returncode, "another server runs on" in second.stderr) == (3, True)


def test_nobody_at_the_other_end_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["join", "tcp://127.0.0.1:1"]) == 3
    assert "rasputitsa: nobody answers at 127.0.0.1:1 (Connection refused): its server may not be running" in capsys.readouterr().err


# -------------------------------------------------------------------- packs


@pytest.mark.parametrize("value", ["-0.0", "[]", '"x"', "{ Z0101 = 3 }", "{ C2706 = 'x' }"])
def test_a_fault_of_an_override_is_told_with_file_line_and_field_and_nothing_begins(value: str, tmp_path: Path) -> None:
    name = f"scenarios/{GAME}.toml"
    text = load_pack(GAME).files[name].decode()
    line = next(number for number, words in enumerate(text.splitlines(), 1) if words.startswith("cities = "))
    override = tmp_path / "rasputitsa" / "overrides" / GAME / name
    override.parent.mkdir(parents=True)
    override.write_text("\n".join(f"cities = {value}" if n == line else words for n, words in enumerate(text.splitlines(), 1)), "utf-8")
    checked = rasputitsa("check-pack", GAME, XDG_DATA_HOME=str(tmp_path))
    assert checked.returncode == 2, checked.stdout + checked.stderr
    assert checked.stderr.startswith(f"{name}:{line}: rules.victory.cities")
    begun = rasputitsa("play", "--headless", "--scenario", GAME, "--out", str(tmp_path / "out"), XDG_DATA_HOME=str(tmp_path))
    assert begun.returncode == 2
    assert begun.stderr.startswith(f"{name}:{line}: rules.victory.cities")
    assert list((tmp_path / "out").iterdir()) == []

"""`rasputitsa play --headless`: a server process, two bots, a game file that verifies, a picture, the result."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.position import Outcome
from rasputitsa import play
from rasputitsa.packs import load_pack

ROOT = Path(__file__).parents[2]


def rasputitsa(*args: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "COLUMNS": "200"}
    command = [sys.executable, "-m", "rasputitsa", *args]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("games")
    done = rasputitsa("play", "--headless", "--axis", "busy", "--soviet", "busy", "--seed", "1", "--out", str(folder), folder=folder)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def test_it_says_each_phase_the_result_and_where_things_are(played: tuple[Path, str]) -> None:
    folder, said = played
    for line in (r"turn 22 +Mutual Supply", r"turn 24 +Administrative", r"result: ", r"victory points: Axis \d+"):
        assert re.search(line, said), said
    for what in ("game file", "final map"):
        named = re.search(rf"{what}: (.+)", said)
        assert named is not None
        assert Path(named[1]).parent == folder
        assert Path(named[1]).stat().st_size > 10_000


def test_its_file_verifies(played: tuple[Path, str]) -> None:
    folder, _ = played
    done = rasputitsa("verify", *map(str, folder.glob("*.rasputitsa")), folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "everything holds" in done.stdout


def test_it_can_be_told_entry_by_entry(played: tuple[Path, str]) -> None:
    folder, _ = played
    (file,) = folder.glob("*.rasputitsa")
    done = rasputitsa("replay", str(file), "--from", "3", "--to", "40", folder=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].split()[0] == "3"


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: data[: len(data) // 2], "the end of the file"),
        (lambda data: data[:-400] + bytes([data[-400] ^ 1]) + data[-399:], "expected"),
        (lambda data: b"not a game", "expected a game file, which begins with a record `head`, got another file"),
        (lambda data: b"", "expected a game file, which begins with a record `head`, got an empty one"),
    ],
    ids=["cut", "altered", "foreign", "empty"],
)
def test_a_damaged_file_is_refused_with_its_faults(played: tuple[Path, str], tmp_path: Path, damage: object, words: str) -> None:
    folder, _ = played
    (file,) = folder.glob("*.rasputitsa")
    damaged = tmp_path / "damaged.rasputitsa"
    damaged.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    for command in ("verify", "replay", "render"):
        done = rasputitsa(command, str(damaged), folder=tmp_path)
        assert done.returncode == 2, (command, done.stdout, done.stderr)
        assert words in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("play", "--headless", "--scenario", "nowhere"), "turning_point"),
        (("play", "--headless", "--axis", "genius"), "steady"),
        (("match", "steady", "nobody"), "nobody"),
        (("host", "--address", "tcp://999.1.1.1:5"), "address"),
        (("join", "somewhere"), "tcp://HOST:PORT"),
    ],
)
def test_wrong_options_are_told_in_one_line(args: tuple[str, ...], words: str, tmp_path: Path) -> None:
    done = rasputitsa(*args, folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_the_result_is_said_though_its_file_has_no_room(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def no_room(file: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(file))

    monkeypatch.setattr(play, "write_whole", no_room)
    outcome = Outcome("axis", "Axis victory", {"axis": 63})
    match = SimpleNamespace(view=SimpleNamespace(position=SimpleNamespace(outcome=outcome)))
    games = SimpleNamespace(match=lambda game: match, file=lambda game: b"")
    with pytest.raises(OSError, match="No space left"):
        play._finish(games, "evening", load_pack("war_for_the_motherland"), Path("full"))  # type: ignore[arg-type]
    assert capsys.readouterr().out.splitlines() == ["result: Axis victory (winner: Axis)", "victory points: Axis 63"]

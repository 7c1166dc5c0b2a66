"""The command group: loads lazily, ends in lines and codes."""

from __future__ import annotations

import asyncio
import errno
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from client.connection import identity
from core.errors import BadInput, Broken, Fault, Refused
from core.text import text
from rasputitsa import __version__, endings, main, packs

HEAVY = ("PySide6", "zmq", "numpy", "networkx", "shapely")


@pytest.fixture
def command(monkeypatch):
    """Put a command in place of ``replay`` that does what the test says."""

    def make(act):
        monkeypatch.setattr(main, "load", lambda name: click.Command(name, callback=act))
        return main.run(["replay"])

    return make


def raising(error):
    def act():
        raise error

    return act


@pytest.mark.parametrize("name", main.COMMANDS)
def test_command_is_there_with_help_and_example(name, capsys):
    found = main.load(name)
    assert found.name == name
    assert main.run([name, "--help"]) == 0
    help_text = capsys.readouterr().out
    assert f"rasputitsa {name}" in help_text.partition("Example")[2]


def test_every_command_is_in_the_documentation():
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert [name for name in main.COMMANDS if f"`{name}`" not in page] == []


def test_version(capsys):
    assert main.run(["--version"]) == 0
    assert capsys.readouterr().out == f"rasputitsa {__version__}\n"


def test_help_imports_no_command():
    script = f"""
import sys
from rasputitsa.main import run
assert run(["--help"]) == 0
print([name for name in {HEAVY!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(sys.platform == "win32", reason="it knows no niceness")
@pytest.mark.parametrize("name", main.COMMANDS)
def test_what_is_run_beside_a_server_gives_way_to_it_and_nothing_else_does(name):
    script = f"""
import os, sys
from rasputitsa import main
asked = []
os.nice = asked.append
sys.argv, main.run = ["rasputitsa", {name!r}, "--help"], lambda: len(asked)
main.main()
"""
    done = subprocess.run([sys.executable, "-c", script], check=False)
    assert bool(done.returncode) == (name in ("backup", "export", "import"))


def test_misspelt_command_gets_a_hint(capsys):
    assert main.run(["reply"]) == endings.BAD_INPUT
    assert "'replay'" in capsys.readouterr().err


def test_command_whose_package_is_not_installed_names_the_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shapely", None)
    for name in [name for name in sys.modules if name.startswith(("mapmaker", "rasputitsa.build_map"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(main.importlib, "import_module", lambda _: __import__("shapely"))
    assert main.run(["build-map"]) == endings.REFUSED
    assert "[maps]" in capsys.readouterr().err


def test_the_command_that_brings_a_package_can_be_copied_as_it_is(monkeypatch):
    monkeypatch.setattr(endings, "CHECKOUT", Path("/games/my checkout"))
    command = shlex.split(endings.how_to_get("shapely").partition(": ")[2])
    assert command == [sys.executable, "-m", "pip", "install", "--no-build-isolation", "-e", "/games/my checkout[maps]"]


def test_module_of_ours_that_is_missing_is_our_fault(monkeypatch, capsys):
    monkeypatch.setattr(main.importlib, "import_module", lambda _: __import__("core.nowhere"))
    assert main.run(["replay"]) == endings.INTERNAL


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (Refused("7.31", text("{n} steps", n=9)), 3, "rasputitsa: refused: 9 steps (7.31)"),
        (BadInput([Fault("units.toml:41", "a number", "x")]), 2, "units.toml:41: expected a number, got x"),
        (OSError(errno.ENOSPC, "No space left on device", "game.log"), 3, "game.log: No space left on device"),
        (PermissionError(errno.EACCES, "Permission denied", b"x"), 3, "rasputitsa: x: Permission denied"),
        (KeyboardInterrupt(), 130, "rasputitsa: interrupted"),
        (EOFError(), 130, "rasputitsa: interrupted"),
        (click.Abort(), 130, "rasputitsa: interrupted"),
        (click.BadParameter("no such side"), 2, "no such side"),
        (click.ClickException("can't"), 2, "can't"),
        (click.exceptions.Exit(1), 1, ""),
        (SystemExit(1), 1, ""),
        (SystemExit("two games differ"), 1, "two games differ"),
        (ImportError("libEGL.so.1: cannot open shared object file: No such file"), 3, "run.py play"),
        (ExceptionGroup("tasks", [Refused("1.1", text("no"))]), 3, "refused: no (1.1)"),
    ],
)
def test_each_error_ends_in_a_line_and_a_code(command, capsys, error, code, line):
    assert command(raising(error)) == code
    said = capsys.readouterr().err
    assert line in said
    assert "Traceback" not in said


def test_all_faults_are_listed_and_counted(command, capsys):
    assert command(raising(BadInput([Fault("a:1", "x", "y"), Fault("a:2", "x", "z")]))) == 2
    assert capsys.readouterr().err.splitlines() == [
        "a:1: expected x, got y",
        "a:2: expected x, got z",
        "rasputitsa: 2 faults",
    ]


@pytest.mark.parametrize("error", [Broken("hash differs"), ZeroDivisionError("division by zero"), RecursionError()])
def test_unforeseen_error_leaves_a_report(command, capsys, monkeypatch, tmp_path, error):
    monkeypatch.setattr(endings.platformdirs, "user_log_path", lambda *_, **__: tmp_path)
    monkeypatch.setattr(sys, "argv", ["rasputitsa", "join", "secret-invite-code"])
    assert command(raising(error)) == endings.INTERNAL
    (file,) = tmp_path.iterdir()
    report = file.read_text(encoding="utf-8")
    (line,) = capsys.readouterr().err.splitlines()
    assert str(file) in line
    assert "Traceback" in report
    assert "secret-invite-code" not in report


def test_report_that_can_not_be_written_hides_nothing(command, capsys, monkeypatch):
    monkeypatch.setattr(endings.platformdirs, "user_log_path", raising_path)
    assert command(raising(ZeroDivisionError("division by zero"))) == endings.INTERNAL
    (line,) = capsys.readouterr().err.splitlines()
    assert "division by zero" in line
    assert "Read-only" in line


def raising_path(*_, **__):
    raise OSError(errno.EROFS, "Read-only file system")


@pytest.fixture
def homeless(monkeypatch):
    """A user of whom the system knows no home, and no variable names one."""

    def knows_none(*_, **__):
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(endings.platformdirs, "user_log_path", knows_none)
    monkeypatch.setattr(identity.platformdirs, "user_data_path", knows_none)


@pytest.mark.parametrize("args", [["find"], ["host"], ["host", "--status"], ["join", "tcp://127.0.0.1:9"]])
def test_whoever_has_no_home_is_told_so(homeless, capsys, args):
    assert main.run(args) == endings.REFUSED
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("rasputitsa: HOME: expected")


def test_whoever_has_no_home_plays_with_the_charts_of_the_game(homeless):
    pack = packs.load_pack.__wrapped__("war_for_the_motherland")
    assert not pack.overridden


def test_a_crash_of_whoever_has_no_home_is_told_in_a_line(homeless, command, capsys):
    assert command(raising(ZeroDivisionError("division by zero"))) == endings.INTERNAL
    (line,) = capsys.readouterr().err.splitlines()
    assert "division by zero" in line
    assert "home directory" in line


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (1, 1), (0, 0)])
def test_command_returns_its_code(command, returned, code):
    assert command(lambda: returned) == code


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["fuzz", "--frames", "1", "--scenario", "nope"], "scenario: expected one of fall_barbarossa, "),
        (["soak", "--minutes", "nan"], "--minutes: expected a number of minutes, got nan"),
        (["find", "--seconds", "nan"], "--seconds: expected a number of seconds, got nan"),
        (["render", __file__, "--turn", "22", "--entry", "3"], "--turn: expected no --entry with it, got both"),
    ],
)
def test_what_can_not_be_asked_for_is_told_before_any_work(args, told, capsys):
    assert main.run(args) == endings.BAD_INPUT
    assert capsys.readouterr().err.startswith(told)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["host", "--invite", "--data", ""], "'--data': expected a path, got nothing"),
        (["backup", ".", ""], "'FILE': expected a path, got nothing"),
        (["restore", __file__, ""], "'DATA': expected a path, got nothing"),
        (["join", "tcp://127.0.0.1:1", "--name", "\udcff"], "'--name': expected text in UTF-8, got b'\\xff'"),
        (["host", "--kick", "Mallory\udcff"], "'--kick': expected text in UTF-8, got b'Mallory\\xff'"),
    ],
)
def test_a_place_without_a_name_and_what_is_no_text_are_told(args, told, capsys):
    assert main.run(args) == endings.BAD_INPUT
    assert f"Invalid value for {told}" in capsys.readouterr().err


def test_reader_that_goes_away_ends_quietly():
    script = """
import click
from rasputitsa import main
main.load = lambda name: click.Command(name, callback=lambda: [print("line") for _ in range(100000)])
main.main()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script, "replay"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), said) == (endings.PIPE_CLOSED, "")


def test_tasks_of_asyncio_end_like_plain_calls(command, capsys):
    async def both():
        async with asyncio.TaskGroup() as group:
            group.create_task(refuse())

    async def refuse():
        raise Refused("5.1", text("closed"))

    assert command(lambda: asyncio.run(both())) == endings.REFUSED
    assert "closed (5.1)" in capsys.readouterr().err

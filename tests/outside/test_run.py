"""The one-command start, in a small checkout with stand-ins for pip, apt-get and ``python -m venv``."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROJECT = """
[build-system]
requires = ["setuptools"]
[project]
name = "small"
version = "1"
dependencies = ["first"]
[tool.setuptools]
packages = []
[tool.ruff]
line-length = 120
"""

# Stands in for .venv/bin/python: notes how it was called; what pip does is a script of the test's.
PYTHON_STAND_IN = """#!/bin/sh
echo "$@" >> calls
case "$1 $2" in
  "-m pip") . ./pip.sh ;;
  "setup.py build_ext") touch core_ext/_toy.built.so ;;
  "-m rasputitsa") exit 7 ;;
esac
"""
VENV_STAND_IN = """
import pathlib, sys
scripts = pathlib.Path(sys.argv[1], "bin")
scripts.mkdir()
python = scripts / "python"
python.write_text(pathlib.Path("python.sh").read_text())
python.chmod(0o755)
with open("calls", "a") as calls:
    calls.write("made venv\\n")
"""
PIP_WORKS = 'echo "Installing collected packages: first"; touch core_ext/_toy.built.so'


class Checkout:
    """A checkout with run.py, one kernel, and stand-ins for what run.py calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("run.py", (ROOT / "run.py").read_text(encoding="utf-8"))
        self.write("pyproject.toml", PROJECT)
        self.write("setup.py", "")
        self.write("core_ext/_toy.pyx", "one")
        self.write("python.sh", PYTHON_STAND_IN)
        self.write("venv.py", VENV_STAND_IN)  # `python -m venv` looks in the current folder first
        self.pip(PIP_WORKS)
        self.script("fake/apt-get", 'echo "apt-get $@" >> "$CALLS"; exit 100')

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def script(self, name: str, text: str) -> None:
        self.write(name, f"#!/bin/sh\n{text}\n")
        (self.folder / name).chmod(0o755)

    def pip(self, script: str) -> None:
        self.write("pip.sh", script + "\n")

    @property
    def environment(self) -> dict[str, str]:
        path = f"{self.folder / 'fake'}{os.pathsep}{os.environ['PATH']}"
        return os.environ | {"PATH": path, "CALLS": str(self.folder / "calls")}

    def start(self, *args: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "run.py", *(args or ("play", "--headless", "--seed", "5"))]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert "Traceback" not in done.stderr + done.stdout
        return done

    def calls(self) -> list[str]:
        """Return what was called since the last look."""
        file = self.folder / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines


PLAYED = "-m rasputitsa play --headless --seed 5"
PIP = "-m pip install --disable-pip-version-check --no-input"
INSTALLED = [f"{PIP} setuptools", f"{PIP} --no-build-isolation -e ."]


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


@pytest.fixture
def ready(checkout):
    checkout.start()
    checkout.calls()
    return checkout


def test_first_start_makes_venv_installs_and_becomes_the_game(checkout):
    done = checkout.start()
    assert checkout.calls() == ["made venv", *INSTALLED, PLAYED]
    assert done.returncode == 7


def test_second_start_only_plays(ready):
    ready.start()
    assert ready.calls() == [PLAYED]


def test_new_dependency_is_installed_into_the_venv_there_is(ready):
    ready.write("pyproject.toml", PROJECT.replace('"first"', '"first", "second"'))
    ready.start()
    assert ready.calls() == ["-c import pip", *INSTALLED, PLAYED]


def test_changed_setting_of_a_tool_installs_nothing(ready):
    ready.write("pyproject.toml", PROJECT.replace("120", "100"))
    ready.start()
    assert ready.calls() == [PLAYED]


BUILT = "setup.py build_ext --inplace --force"


def test_changed_kernel_is_built_once(ready):
    ready.write("core_ext/_toy.pyx", "two")
    ready.start()
    ready.start()
    assert ready.calls() == [BUILT, PLAYED, PLAYED]


def test_lost_kernel_is_built_again(ready):
    (ready.folder / "core_ext/_toy.built.so").unlink()
    ready.start()
    assert ready.calls() == [BUILT, PLAYED]


def test_cut_off_build_is_repeated_even_if_the_source_went_back(ready):
    ready.write("core_ext/_toy.pyx", "two")
    ready.write(".venv/bin/python", PYTHON_STAND_IN.replace("touch core_ext/_toy.built.so", "kill -9 $PPID"))
    ready.start()
    ready.write(".venv/bin/python", PYTHON_STAND_IN)
    ready.write("core_ext/_toy.pyx", "one")
    ready.calls()
    ready.start()
    assert ready.calls() == [BUILT, PLAYED]


def test_moved_checkout_is_set_up_again(ready):
    moved = ready.folder.with_name("moved")
    ready.folder.rename(moved)
    ready.folder = moved
    ready.start()
    assert ready.calls() == ["-c import pip", *INSTALLED, PLAYED]


@pytest.mark.parametrize("at", [1, 2])
def test_set_up_that_was_cut_off_starts_from_nothing(checkout, at):
    checkout.pip(f'[ $(grep -c pip calls) = {at} ] && kill -9 $PPID; {PIP_WORKS}')
    assert checkout.start().returncode == -signal.SIGKILL
    checkout.calls()
    checkout.pip(PIP_WORKS)
    checkout.write(".venv/half-made", "")
    checkout.start()
    assert checkout.calls() == ["made venv", *INSTALLED, PLAYED]
    assert not (checkout.folder / ".venv/half-made").exists()


def test_start_waits_for_a_pip_that_outlived_its_own_start(checkout):
    until_go = "i=0; until [ -e go ] || [ $((i=i+1)) -gt 400 ]; do sleep 0.05; done"
    checkout.pip(f"kill -9 $PPID; {until_go}; echo old pip done >> calls; {PIP_WORKS}")
    killed = subprocess.Popen(
        [sys.executable, "run.py", "play"], cwd=checkout.folder, env=checkout.environment, stderr=subprocess.DEVNULL
    )
    assert killed.wait() == -signal.SIGKILL
    checkout.pip(PIP_WORKS)
    second = subprocess.Popen(
        [sys.executable, "run.py", "play"], cwd=checkout.folder, env=checkout.environment, stderr=subprocess.PIPE, text=True
    )
    assert second.stderr is not None
    assert "waiting" in second.stderr.readline()
    (checkout.folder / "go").touch()
    second.communicate()
    calls = checkout.calls()
    assert calls.index("old pip done") < calls.index("made venv", 1)


def test_without_network_the_reason_is_told_and_nothing_is_lost(ready):
    ready.write("pyproject.toml", PROJECT.replace('"first"', '"second"'))
    ready.pip('echo "ERROR: No matching distribution found for second"; exit 1')
    done = ready.start()
    assert done.returncode == 3
    assert "No matching distribution found for second" in done.stderr
    assert "No package index" in done.stderr
    ready.calls()
    ready.pip(PIP_WORKS)
    ready.start()
    assert "made venv" not in ready.calls()


def test_failure_after_packages_began_to_change_starts_from_nothing(ready):
    ready.write("pyproject.toml", PROJECT.replace('"first"', '"second"'))
    ready.pip('echo "Installing collected packages: second"; echo "No space left on device"; exit 1')
    done = ready.start()
    assert done.returncode == 3
    assert "The disk is full" in done.stderr
    ready.calls()
    ready.pip(PIP_WORKS)
    ready.start()
    assert ready.calls()[0] == "made venv"


def test_test_adds_its_extras_and_play_keeps_them(ready):
    ready.start("test", "--only", "ruff")
    assert f"{PIP} --no-build-isolation -e .[maps,test]" in ready.calls()
    ready.start()
    assert ready.calls() == [PLAYED]


def test_all_stages_run_and_failures_are_summed_up(ready):
    lint = "echo imports looked at"
    failing = PYTHON_STAND_IN.replace("esac", '  "-m mypy") exit 1 ;;\nesac')
    ready.start("test", "--only", "ruff")
    ready.write(".venv/bin/python", failing)
    ready.script(".venv/bin/lint-imports", lint)
    done = ready.start("test", "-k", "reach")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "failed: mypy"
    assert "imports looked at" in done.stdout
    assert ready.calls()[-1] == "-m pytest -n 2 --dist loadgroup -k reach"


@pytest.mark.parametrize("args", [(), ("nope",), ("test", "--only", "nope")])
def test_bad_usage_is_code_two(checkout, args):
    done = subprocess.run([sys.executable, "run.py", *args], cwd=checkout.folder, capture_output=True, check=False)
    assert done.returncode == 2
    assert checkout.calls() == []


@pytest.mark.parametrize("args", [("--help",), ("play", "--help"), ("test", "--help")])
def test_help_sets_nothing_up(checkout, args):
    done = checkout.start(*args)
    assert done.returncode == 0
    assert "usage: run.py" in done.stdout
    assert checkout.calls() == []


@pytest.mark.parametrize("args", [("--help",), ("play", "--help"), ("test", "--help")])
def test_reader_that_goes_away_ends_quietly(ready, args):
    reader, writer = os.pipe()
    os.close(reader)  # gone before the first word
    with os.fdopen(writer, "wb") as out:
        done = subprocess.run(
            [sys.executable, "run.py", *args], cwd=ready.folder, env=ready.environment, stdout=out, stderr=subprocess.PIPE, check=False
        )
    assert done.stderr == b""
    assert done.returncode in (0, 141)


def test_interrupt_ends_without_traceback(checkout):
    checkout.pip("kill -INT $PPID; exec sleep 30")
    done = checkout.start()
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1].startswith("run.py: interrupted")


def test_folder_that_can_not_be_written_is_named(checkout):
    (checkout.folder / ".venv").write_text("in the way")
    done = checkout.start()
    assert done.returncode == 3
    assert ".venv" in done.stderr


def nobody_may_write(checkout):
    """Take the right to write from the checkout, for root too, who has it in any folder."""
    text = (checkout.folder / "run.py").read_text(encoding="utf-8")
    checkout.write("run.py", text.replace("return os.access(ROOT, os.W_OK)", "return False"))
    (checkout.folder / ".venv.lock").unlink(missing_ok=True)


def test_checkout_of_somebody_else_is_played_as_it_is(ready):
    nobody_may_write(ready)
    ready.start()
    assert ready.calls() == [PLAYED]
    assert not (ready.folder / ".venv.lock").exists()


def test_checkout_of_somebody_else_that_is_not_set_up_is_told(ready):
    nobody_may_write(ready)
    ready.write("core_ext/_toy.pyx", "two")
    done = ready.start()
    assert done.returncode == 3
    assert f"{ready.folder} has to be set up first" in done.stderr
    assert ready.calls() == []


# --- packages of the system, asked of the module itself

NOWHERE = {"libnowhere.so.1": "libnowhere1"}


@pytest.fixture
def run(checkout) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("run_under_test", checkout.folder / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def machine(run, checkout, monkeypatch) -> Callable[..., None]:
    """Make this a machine of a root or not, with an apt-get that does as the script says."""

    def make(*, root: bool, apt: str) -> None:
        checkout.script("fake/apt-get", f'echo "apt-get $@" >> "$CALLS"; {apt}')
        monkeypatch.setattr(run.os, "geteuid", lambda: 0 if root else 1000)
        for name, value in checkout.environment.items():
            monkeypatch.setenv(name, value)

    return make


INSTALL = "install --yes --no-install-recommends libnowhere1"


def test_missing_library_is_known_by_its_package(run):
    missing = run.missing_packages(NOWHERE | {"libc.so.6": "libc6"}, {"nowhere": "nowhere"}, venv=False, build=False)
    assert missing == NOWHERE | {"nowhere": "nowhere"}


def test_missing_compiler_is_named(run, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler -O2")
    missing = run.missing_packages({}, {}, venv=False, build=True)
    assert missing["no-such-compiler"] == "gcc"


def test_user_is_told_the_command(run, machine, checkout):
    machine(root=False, apt="exit 0")
    with pytest.raises(run.Impossible) as told:
        run.need_system(NOWHERE)
    assert f"sudo apt-get {INSTALL}" in str(told.value)
    assert "libnowhere.so.1" in str(told.value)
    assert checkout.calls() == []


def test_root_gets_it_installed(run, machine, checkout):
    machine(root=True, apt="exit 0")
    run.need_system(NOWHERE)
    assert checkout.calls() == [f"apt-get -o DPkg::Lock::Timeout=120 {INSTALL}"]


def test_old_package_lists_are_renewed(run, machine, checkout):
    machine(root=True, apt='case "$*" in *update*) touch "$CALLS.new";; esac; [ -e "$CALLS.new" ]')
    run.need_system(NOWHERE)
    option = "apt-get -o DPkg::Lock::Timeout=120"
    assert checkout.calls() == [f"{option} {INSTALL}", f"{option} update", f"{option} {INSTALL}"]


def test_root_without_network_is_told_the_command(run, machine):
    machine(root=True, apt='echo "E: no network"; exit 100')
    with pytest.raises(run.Impossible) as told:
        run.need_system(NOWHERE)
    assert "E: no network" in str(told.value)
    assert f"apt-get {INSTALL}" in str(told.value)


def test_system_without_apt_is_told_what_is_missing(run, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(run.Impossible, match="libnowhere"):
        run.need_system(NOWHERE)


def test_a_program_where_only_roots_path_leads_is_there_for_everybody(run, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    programs = {"ldconfig": "libc-bin", "nowhere": "nowhere"}
    assert run.missing_packages({}, programs, venv=False, build=False) == {"nowhere": "nowhere"}


def test_stamp_cut_off_while_written_counts_as_none(run, checkout, ready):
    (checkout.folder / ".venv/rasputitsa.json").write_text(json.dumps({"root": 1})[:-2])
    assert run.stamp() == {}

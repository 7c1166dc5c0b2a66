"""How a command ends: from an exception to lines on stderr and an exit code."""

from __future__ import annotations

import os
import platform
import shlex
import sys
import time
import traceback
from pathlib import Path

import click
import platformdirs

from core.errors import BadInput, Broken, Refused
from core.text import counted, printable
from rasputitsa import __version__

DONE = 0
FAILED = 1  # what was asked about failed: a case, a verification, a check
BAD_INPUT = 2
REFUSED = 3  # the game, the system or the network says no
INTERNAL = 70
INTERRUPTED = 130
PIPE_CLOSED = 141
TERMINATED = 143

CHECKOUT = Path(__file__).resolve().parents[1]
EXTRA_OF_PACKAGE = {
    "PySide6": "",  # part of every installation, but left out of an image that has no window
    "shapely": "maps",
    "pyproj": "maps",
    "scipy": "bench",
    "rustworkx": "bench",
    "pytest": "test",
    "hypothesis": "test",
}


class Missing(Exception):
    """A command can't be loaded, because a module that it needs is not installed."""

    def __init__(self, command: str, module: str) -> None:
        super().__init__(command, module)
        self.command = command
        self.module = module

    def __str__(self) -> str:
        if self.module.partition(".")[0] in EXTRA_OF_PACKAGE:
            return f"{self.command!r} needs {how_to_get(self.module)}"
        return f"{self.command!r} is not part of this installation (no module {self.module})"


def how_to_get(module: str) -> str:
    """Return the package of a module that only some commands need, and what installs it."""
    package = module.partition(".")[0]
    extra = EXTRA_OF_PACKAGE[package]
    # As run.py installs: into the very environment that runs this, the kernels built against the numpy that is there.
    install = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "-e", f"{CHECKOUT}[{extra}]" if extra else str(CHECKOUT)]
    return f"the package {package}: {shlex.join(install)}"


def report(error: BaseException) -> int:
    """Say on stderr what ended the command, and return its exit code.

    Errors that nobody foresaw, and broken promises of ours, leave a crash report in the user's log folder.
    """
    error = only_cause(error)
    match error:
        case SystemExit():
            return leave(error)
        case click.exceptions.Exit():
            return error.exit_code
        case click.UsageError():
            error.show()
            return BAD_INPUT
        case click.Abort() | KeyboardInterrupt() | EOFError():
            say("interrupted")
            return INTERRUPTED
        case click.ClickException():
            say(error.format_message())
            return BAD_INPUT
        case BadInput():
            return list_faults(error)
        case Refused():
            say(f"refused: {error}")
            return REFUSED
        case Missing():
            say(str(error))
            return REFUSED
        case ModuleNotFoundError(name=str(module)) if module.partition(".")[0] in EXTRA_OF_PACKAGE:
            say(f"this command needs {how_to_get(module)}")
            return REFUSED
        case BrokenPipeError():
            return close_pipe()
        case OSError():
            say(system_says(error))
            return REFUSED
        case ImportError() if "cannot open shared object file" in str(error):
            # Qt comes as a wheel, the libraries it leans on as packages of the system.
            say(f"a system library is missing: {error}; `python3 run.py play` names the package that brings it")
            return REFUSED
    return crash(error)


def only_cause(error: BaseException) -> BaseException:
    """Unwrap groups of one: tasks wrap what they raise."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def leave(error: SystemExit) -> int:
    """Return the code of a ``sys.exit``; a text instead of a code is said first."""
    if error.code is None:
        return DONE
    if isinstance(error.code, int):
        return error.code
    say(str(error.code))
    return FAILED


def list_faults(error: BadInput) -> int:
    for fault in error.faults:
        click.echo(printable(str(fault)), err=True)
    if len(error.faults) > 1:
        say(counted(len(error.faults), "fault"))
    return BAD_INPUT


def system_says(error: OSError) -> str:
    """Return one line for a system error, the file or address first."""
    what = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        return what
    return f"{os.fsdecode(error.filename) if not isinstance(error.filename, int) else error.filename}: {what}"


def close_pipe() -> int:
    """Let go of a stdout that nobody reads any more, so that Python's own flush at exit stays silent."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED


def crash(error: BaseException) -> int:
    """Write a crash report and name it in one line."""
    what = f"{type(error).__name__}: {error}".splitlines()[0]
    kind = "a promise of ours broke" if isinstance(error, Broken) else "an error that nobody foresaw"
    try:
        where = f"the report is in {write_crash_report(error)}"
    except OSError as second:
        where = f"and no report could be written ({system_says(second)})"
    except RuntimeError as second:  # of platformdirs, where nobody has a home
        where = f"and no report could be written ({second})"
    say(f"{kind}: {what}; {where}")
    return INTERNAL


def write_crash_report(error: BaseException) -> Path:
    """Write what a developer needs to the user's log folder and return the file.

    Arguments of the command line are left out beyond the command's name: they may hold an invite code.
    """
    folder = platformdirs.user_log_path("rasputitsa", appauthor=False, ensure_exists=True)
    file = folder / f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    head = [
        f"rasputitsa {__version__}, {' '.join(sys.argv[1:2])}",
        f"Python {platform.python_version()} on {platform.platform()}",
        "",
    ]
    file.write_text("\n".join(head) + "".join(traceback.format_exception(error)), encoding="utf-8")
    return file


def say(line: str) -> None:
    """Print one line of ours on stderr."""
    click.echo(printable(f"rasputitsa: {line}"), err=True)

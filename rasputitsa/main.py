"""The command group ``rasputitsa``: loads a command when it is called and ends every error in lines and a code."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
import threading
from collections.abc import Sequence
from difflib import get_close_matches
from types import FrameType
from typing import NoReturn

import click

from rasputitsa import __version__, endings

# Each command lives in the module of its name and is imported only when it is wanted: `rasputitsa rules` must not
# wait for Qt. So that the list needs no import either, each one's line stands here.
COMMANDS = {
    "play": "Play: the window, or two bots over a local server without a display.",
    "host": "Run a server that others join.",
    "backup": "Copy all of a server into one file, while it runs.",
    "restore": "Set a server up from its backup.",
    "export": "Write a server's game into a file that anyone can check.",
    "import": "Take games of files into a server.",
    "find": "List the servers on the local network.",
    "join": "List a server's games, or let a bot play one of them.",
    "match": "Let two bots play many games and print the score.",
    "soak": "Play games by bots and check every promise on the way.",
    "fuzz": "Send a server what nobody should send.",
    "replay": "Print or show a finished game, entry by entry.",
    "verify": "Recheck a game file: chain, dice, fold, and each order's outcome.",
    "case": "Run case files: positions, orders, and what must come of them.",
    "rules": "Print each rule of a game: proved, written or missing.",
    "scenarios": "List the games and scenarios there are.",
    "check-pack": "Check a game's data, and tell what your own charts change.",
    "render": "Draw any position of a game file as PNG or SVG.",
    "build-map": "Make a map's hexes, hexsides, rails and names from geography.",
    "bench": "Measure, against named goals.",
}

MODULE_OF = {"import": "import_games"}  # of commands that Python has the word for itself
BESIDE_A_SERVER = frozenset({"backup", "export", "import"})  # each takes a second of a processor only to begin, as its players wait
LEAST_WANTED = 19  # of Unix: the system gives whoever is there as well sixty times as much
OURS = frozenset({"core", "core_ext", "server", "client", "mapmaker", "rasputitsa"})


class CommandGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else " `rasputitsa --help` lists all."
            ctx.fail(f"There is no command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def load(name: str) -> click.Command:
    """Import the command *name* from the module of that name.

    Raises:
        endings.Missing: the command, or a package that it needs, is not installed.
    """
    plain = MODULE_OF.get(name, name.replace("-", "_"))
    module = f"rasputitsa.{plain}"
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or module
        if missing != module and missing.partition(".")[0] in OURS:
            raise  # a module of ours that should be there: a fault of the program
        raise endings.Missing(name, missing) from error
    command = getattr(found, plain, None)
    assert isinstance(command, click.Command), f"{module} has no command {name!r}"
    return command


@click.group(
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nExample:\n  rasputitsa play --help\n\nExit codes: 0 done, 1 what was asked about failed, "
    "2 bad usage or input, 3 refused or not possible here, 70 an error of ours, 130 interrupted.",
)
@click.version_option(__version__, "--version", prog_name="rasputitsa", message="%(prog)s %(version)s")
def rasputitsa() -> None:
    """Eastern Front board wargames over the network, every rule enforced."""


def run(args: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; a command returns its own code or None."""
    prepare()
    try:
        # Not click's own main(): it answers a closed pipe and Ctrl-C itself, with codes of its own.
        with rasputitsa.make_context("rasputitsa", list(sys.argv[1:] if args is None else args)) as context:
            code = rasputitsa.invoke(context)
        sys.stdout.flush()
    except BaseException as error:  # the border: whatever comes becomes lines and a code, never a traceback
        return endings.report(error)
    return code if isinstance(code, int) else endings.DONE


def prepare() -> None:
    """Have what is said come out, whatever stands at the other end, and let a SIGTERM end a command as Ctrl-C does: in order.

    A process without stdout or stderr gets some that nobody reads. Letters that a terminal has not are escaped: others choose their names.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  it lives as long as the process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, terminate)


def terminate(number: int, frame: FrameType | None) -> NoReturn:
    """End the command."""
    del number, frame
    raise SystemExit(endings.TERMINATED)


def give_way() -> None:
    """Take the processors only where nobody else wants them, as far as the system knows such a thing."""
    if sys.platform != "win32":
        os.nice(LEAST_WANTED)


def main() -> NoReturn:
    """Run the command line of this process and exit."""
    if BESIDE_A_SERVER.intersection(sys.argv[1:2]):
        give_way()  # before anything is imported for the command, which is most of what it takes
    sys.exit(run())

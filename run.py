#!/usr/bin/env python3
"""Set up everything in ``.venv``, then play or test.

    python3 run.py play [--headless] [OPTIONS]   start the game (options: those of `rasputitsa play`)
    python3 run.py test [--only STAGE] [ARGS]    run every check and test (ARGS go to pytest)

Standard library only. What is there already is left alone, so that a second start is at work at once and needs no network.
Exit codes: 0 done, 1 a check or test failed, 2 bad usage, 3 the set-up is not possible here, 130 interrupted,
141 nobody reads what is printed.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import hashlib
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if sys.version_info < (3, 11):  # noqa: UP036 - an older Python gets this far, and is told so
    print(f"run.py: expected Python 3.11 or newer, got {sys.version.split()[0]} ({sys.executable})", file=sys.stderr)
    sys.exit(3)

import tomllib  # new in 3.11

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = SCRIPTS / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / "rasputitsa.json"  # what was installed and built, written when it stands
UNFINISHED = VENV / "unfinished"  # there while packages change: a .venv that holds it is made anew
LOG = VENV / "install.log"

# What the wheels of Qt open at run time, and the Debian packages that bring it (read off Qt's plugins with ldd).
DRAWING = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libX11.so.6": "libx11-6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libstdc++.so.6": "libstdc++6",
}
X11 = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
WAYLAND = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}

PLAY_EXTRAS: tuple[str, ...] = ()
TEST_EXTRAS = ("maps", "test")


class Impossible(Exception):
    """The set-up can't be done here; the text says what is missing and what brings it."""


# --- the command line


def main() -> int:
    """Run one command and return its exit code; no traceback reaches the user."""
    try:
        return command(sys.argv[1:])
    except Impossible as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 3
    except BrokenPipeError:
        # Whoever read our words has seen enough. Python's own flush at the end must find somebody who takes the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print("\nrun.py: interrupted; the next start takes up from here", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"run.py: {error.filename or 'system'}: {error.strerror or error}", file=sys.stderr)
        return 3


def command(args: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(metavar="{play,test}", required=True)
    playing = commands.add_parser(
        "play",
        add_help=False,
        allow_abbrev=False,
        help="set up and start the game",
        description="Set up, then start the game: the window, or without a display (or with --headless) two bots\n"
        "that play over a local server. All other options are those of `rasputitsa play`.",
        epilog="Example: python3 run.py play --headless",
        formatter_class=argparse.RawTextHelpFormatter,
    )
    playing.add_argument("-h", "--help", action="store_true", help="show this, and the options of `rasputitsa play`")
    playing.add_argument("--headless", action="store_true", help="no window, even with a display")
    playing.set_defaults(run=play, parser=playing)
    testing = commands.add_parser(
        "test",
        allow_abbrev=False,
        help="set up and run every check and test",
        description="Set up, then run every check and test. Other arguments are handed to pytest.",
        epilog="Examples:\n  python3 run.py test\n  python3 run.py test --only pytest -k reach",
        formatter_class=argparse.RawTextHelpFormatter,
    )
    testing.add_argument("--only", choices=STAGES, action="append", help="run this stage; may be given again")
    testing.set_defaults(run=test)
    options, rest = parser.parse_known_args(args)
    code: int = options.run(options, rest)
    return code


def play(options: argparse.Namespace, rest: list[str]) -> int:
    """Set up and become ``rasputitsa play``."""
    if options.help:
        return help_to_play(options.parser)
    x11, wayland = bool(os.environ.get("DISPLAY")), bool(os.environ.get("WAYLAND_DISPLAY"))
    libraries = dict(DRAWING)
    if not options.headless:
        # With both, Qt falls back from Wayland to X11, so one of them is enough.
        libraries |= X11 if x11 else WAYLAND if wayland else {}
    set_up(libraries, PLAY_EXTRAS, programs={})
    return become(["play", *(["--headless"] if options.headless else []), *rest])


def help_to_play(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    if stamp().get("installed") is None:
        print("\nThe options of `rasputitsa play` can be shown after the first start.")
        return 0
    print(flush=True)
    return become(["play", "--help"])


def become(args: list[str]) -> int:
    """Replace this process by ``rasputitsa`` with *args*."""
    argv = [str(PYTHON), "-m", "rasputitsa", *args]
    sys.stdout.flush()
    if os.name != "nt":
        os.execv(argv[0], argv)
    return subprocess.call(argv)


# --- checks and tests

STAGES = ("ruff", "mypy", "imports", "pytest")


def test(options: argparse.Namespace, rest: list[str]) -> int:
    """Run all stages, even after one failed, and sum up."""
    set_up(DRAWING | X11, TEST_EXTRAS, programs={"Xvfb": "xvfb", "chromium": "chromium", "ip": "iproute2", "nft": "nftables"})
    commands = {
        "ruff": [str(PYTHON), "-m", "ruff", "check", "."],
        "mypy": [str(PYTHON), "-m", "mypy"],
        "imports": [str(SCRIPTS / "lint-imports")],
        "pytest": [str(PYTHON), "-m", "pytest", "-n", "2", "--dist", "loadgroup", *rest],
    }
    failed: list[str] = []
    took: list[str] = []
    for stage in options.only or STAGES:
        print(f"\n=== {stage}: {shlex.join(Path(a).name if a == commands[stage][0] else a for a in commands[stage])}")
        sys.stdout.flush()
        began = time.monotonic()
        code = subprocess.run(commands[stage], cwd=ROOT, check=False).returncode
        took.append(f"{stage} {'passed' if code == 0 else 'FAILED'} in {time.monotonic() - began:.0f} s")
        if code:
            failed.append(stage)
    print(f"\n{'; '.join(took)}")
    print(f"failed: {', '.join(failed)}" if failed else "all passed")
    return 1 if failed else 0


# --- the set-up


def set_up(libraries: dict[str, str], extras: tuple[str, ...], *, programs: dict[str, str]) -> None:
    """Make ``.venv`` whole: packages of the system, packages of Python, kernels; each only if it is missing or changed.

    Args:
        libraries: shared libraries and the Debian packages that bring them.
        extras: optional dependencies of ``pyproject.toml``.
        programs: programs and the Debian packages that bring them.
    """
    with only_one_set_up():
        have = stamp()
        extras = tuple(sorted({*extras, *have.get("extras", ())}))
        want = {"root": str(ROOT), "extras": extras, "installed": dependencies(extras), "built": kernels()}
        install = have.get("installed") != want["installed"]
        build = install or have.get("built") != want["built"] or not all_kernels_built()
        if build and not may_change_checkout():
            raise Impossible(f"{ROOT} has to be set up first, and you can't write there: whoever owns it does that by the same command")
        need_system(missing_packages(libraries, programs, venv=not have, build=build))
        if install:
            install_packages(extras)
        elif build:
            write_whole(STAMP, json.dumps(want | {"built": "begun"}, indent=1))
            build_kernels()
        if build:
            write_whole(STAMP, json.dumps(want, indent=1))


@contextlib.contextmanager
def only_one_set_up() -> Iterator[None]:
    """Hold the set-up's lock, so that two starts at once don't write over each other."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    if not may_change_checkout():
        yield
        return
    with open(ROOT / ".venv.lock", "w") as lock:
        # A pip that outlives a killed start inherits the lock, and the next start waits until it is gone.
        os.set_inheritable(lock.fileno(), True)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another start is setting up; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def may_change_checkout() -> bool:
    """Say whether this user could set anything up: a checkout of somebody else, or on a disk that is read only, is played as it is."""
    return os.access(ROOT, os.W_OK)


def stamp() -> dict[str, Any]:
    """Return what the last set-up left standing, or nothing if it was cut off, made elsewhere or never done."""
    if UNFINISHED.exists() or not PYTHON.exists():
        return {}
    try:
        found = json.loads(STAMP.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) and found.get("root") == str(ROOT) else {}


def dependencies(extras: tuple[str, ...]) -> str:
    """Return a hash of what has to be installed; a tool's settings in the same file don't count."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)
    parts = [project["build-system"], project["project"], project["tool"]["setuptools"], extras]
    return digest(json.dumps(parts, sort_keys=True).encode())


def kernels() -> str:
    """Return a hash of what the kernels are built from."""
    sources = [ROOT / "setup.py", *sorted(ROOT.glob("core_ext/*.pyx")), *sorted(ROOT.glob("core_ext/*.pxd"))]
    return digest(*(part for source in sources for part in (source.name.encode(), source.read_bytes())))


def digest(*parts: bytes) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()


def all_kernels_built() -> bool:
    pattern = "{}.*.pyd" if os.name == "nt" else "{}.*.so"
    return all(any(ROOT.glob(f"core_ext/{pattern.format(source.stem)}")) for source in ROOT.glob("core_ext/_*.pyx"))


def install_packages(extras: tuple[str, ...]) -> None:
    """Make ``.venv`` if need be, and install all packages and this one, which builds the kernels."""
    make_venv()
    UNFINISHED.touch()
    with open(ROOT / "pyproject.toml", "rb") as file:
        tools = tomllib.load(file)["build-system"]["requires"]
    say("installing the build tools")
    pip_install(tools, "the build tools could not be installed")
    say("installing packages and building the kernels (a few minutes the first time)")
    clear_old_builds()
    here = f".[{','.join(extras)}]" if extras else "."
    # Without isolation the kernels are built against the very numpy that they will run with.
    pip_install(["--no-build-isolation", "-e", here], "the packages could not be installed")
    UNFINISHED.unlink()


def pip_install(what: list[str], failure: str) -> None:
    """Run ``pip install``; when it fails before it changed anything, ``.venv`` is not taken for unfinished.

    Raises:
        Impossible: it failed.
    """
    began = LOG.stat().st_size if LOG.exists() else 0
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    try:
        run_logged([*pip, *what], failure)
    except Impossible:
        if b"Installing collected packages" not in LOG.read_bytes()[began:]:
            UNFINISHED.unlink(missing_ok=True)
        raise


def make_venv() -> None:
    """Make an empty ``.venv``; one that works and was not cut off is kept."""
    if PYTHON.exists() and not UNFINISHED.exists() and quietly([str(PYTHON), "-c", "import pip"]) == 0:
        return
    if VENV.is_symlink() or VENV.is_file():
        raise Impossible(f"{VENV}: expected a folder of ours or nothing, got a link or file; move it away")
    if VENV.exists():
        say("the last set-up was cut off: making .venv anew")
        # The marker goes last: if even this is cut off, the next start still sees it.
        for entry in VENV.iterdir():
            if entry != UNFINISHED:
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    VENV.mkdir(exist_ok=True)
    UNFINISHED.touch()
    say("making .venv")
    base = getattr(sys, "_base_executable", sys.executable)  # never a .venv from the .venv being replaced
    run_logged([base, "-m", "venv", str(VENV)], "python -m venv failed")


def build_kernels() -> None:
    """Build the kernels in place; sources changed, packages did not."""
    say("building the kernels")
    clear_old_builds()
    run_logged([str(PYTHON), "setup.py", "build_ext", "--inplace", "--force"], "the kernels could not be built")


def clear_old_builds() -> None:
    """Remove intermediate files: one that a cut-off build left half-written would pass for new."""
    for folder in ROOT.glob("build/*"):
        if folder.name == "cython" or folder.name.startswith(("temp.", "lib.")):
            shutil.rmtree(folder)


def run_logged(argv: list[str], failure: str) -> None:
    """Run *argv* in the checkout with its output in the log.

    Raises:
        Impossible: it failed; with the last lines of its output.
    """
    with open(LOG, "a", encoding="utf-8") as log:
        log.write(f"\n$ {shlex.join(argv)}\n")
        log.flush()
        began = log.tell()
        done = subprocess.run(argv, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, close_fds=False, check=False)
    if done.returncode == 0:
        return
    output = LOG.read_bytes()[began:].decode(errors="replace")
    told = [line for line in output.strip().splitlines() if not line.startswith("WARNING")]
    tail = "\n".join(f"    {line}" for line in told[-12:])
    raise Impossible(f"{failure} (exit code {done.returncode}):\n{tail}\n{hint(output)}\nAll of it: {LOG}")


def hint(output: str) -> str:
    """Return what may be done about a failed installation."""
    if "No space left on device" in output:
        return "The disk is full: the set-up takes about 1 GB. Make room and start again."
    signs = ("NewConnectionError", "Temporary failure in name resolution", "No matching distribution", "ConnectTimeout",
             "Network is unreachable", "ProxyError", "Read timed out")
    if any(sign in output for sign in signs):
        return "No package index that pip is set to use could be reached or had it. Start again when it can be."
    return "Start again when that is mended; nothing half-made is used."


# --- packages of the system


def missing_packages(libraries: dict[str, str], programs: dict[str, str], *, venv: bool, build: bool) -> dict[str, str]:
    """Return what is missing on this machine, and the Debian package that brings each."""
    if not sys.platform.startswith("linux"):
        return {}
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    missing = {name: package for name, package in libraries.items() if not can_load(name)}
    everywhere = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"])  # where Debian's paths of users don't lead
    missing |= {name: package for name, package in programs.items() if not shutil.which(name, path=everywhere)}
    if venv and importlib.util.find_spec("ensurepip") is None:
        missing["ensurepip"] = f"{python}-venv"
    if build:
        missing |= missing_for_building(python)
    return missing


def can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing_for_building(python: str) -> dict[str, str]:
    """Return what the kernels' build lacks: a compiler, the C library's headers, Python's headers."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if not shutil.which(compiler):
        # The others can't be tried without it; the package manager leaves alone what is there.
        return {compiler: "gcc", "stdio.h": "libc6-dev"} | missing_header("Python.h", python)
    found = quietly([compiler, "-E", "-include", "stdio.h", "-x", "c", os.devnull]) == 0
    return ({} if found else {"stdio.h": "libc6-dev"}) | missing_header("Python.h", python)


def missing_header(name: str, python: str) -> dict[str, str]:
    return {} if Path(sysconfig.get_path("include"), name).exists() else {name: f"{python}-dev"}


def need_system(missing: dict[str, str]) -> None:
    """Install missing packages of the system when the user is root.

    Raises:
        Impossible: something is missing and could not be installed; names it, and the command that brings it.
    """
    if not missing:
        return
    names = ", ".join(sorted(missing))
    if not shutil.which("apt-get"):
        raise Impossible(f"missing on this machine: {names}. Install the packages that bring them, and start again.")
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *sorted(set(missing.values()))]
    if os.geteuid() != 0:
        raise Impossible(f"missing on this machine: {names}. This brings them:\n\n    sudo {shlex.join(install)}\n")
    say(f"missing on this machine: {names}; running: {shlex.join(install)}")
    # The lists of a fresh machine are empty or old: first as they are, then with new ones.
    if apt(install).returncode == 0:
        return
    for step in (["apt-get", "update"], install):
        done = apt(step)
        if done.returncode:
            tail = "\n".join(f"    {line}" for line in done.stdout.strip().splitlines()[-6:])
            by_hand = f"apt-get update && {shlex.join(install)}"
            raise Impossible(f"`{shlex.join(step[:2])}` failed:\n{tail}\nBy hand:\n\n    {by_hand}\n")


def apt(argv: list[str]) -> subprocess.CompletedProcess[str]:
    """Run *argv*, asking nothing, waiting for another package manager to finish."""
    argv = [argv[0], "-o", "DPkg::Lock::Timeout=120", *argv[1:]]
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        argv, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False,
    )


# --- small things


def write_whole(path: Path, text: str) -> None:
    """Write *text* to *path* so that a reader finds the old text or the new one, never a part."""
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def quietly(argv: list[str]) -> int:
    """Run *argv* without its output and return its exit code."""
    return subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode


def say(line: str) -> None:
    print(f"run.py: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

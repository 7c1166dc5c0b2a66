"""What every test stands on: no screen, no user's files, marks that name real rules."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Before anything imports Qt. An outer setting wins, so that `QT_QPA_PLATFORM=xcb pytest` shows windows.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from hypothesis import HealthCheck, settings

from tests.marks import faults_of_marks

# The full check is the same on every machine and day; `HYPOTHESIS_PROFILE=explore` looks for new examples.
# Nor is a slow machine a fault: Hypothesis would fail a test whose first ten examples took half a minute to make.
settings.register_profile(
    "check", derandomize=True, deadline=None, database=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "check"))


def pytest_configure(config: pytest.Config) -> None:
    """Move the user's folders and language away before anything can write into the real ones, and let Ctrl-C reach what the tests start.

    A shell lets a job in its background ignore Ctrl-C, and processes hand that on to those that they start.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.platform == "linux":
        os.environ["LC_ALL"] = "C.UTF-8"  # nobody's language; and of a locale that is not UTF-8 Qt warns, which fails a test
    home = Path(tempfile.mkdtemp(prefix="rasputitsa-tests-"))
    for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
        folder = home / name.lower()
        folder.mkdir(mode=0o700)
        os.environ[name] = str(folder)
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give window tests their display, and refuse marks that name no rule."""
    for item in items:
        if item.get_closest_marker("no_offscreen") and "display" not in getattr(item, "fixturenames", ()):
            raise pytest.UsageError(f"{item.nodeid}: marked no_offscreen: expected the fixture `display`, got none")
    faults = faults_of_marks(items)
    if faults:
        raise pytest.UsageError("\n".join(faults))


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """A virtual X display of this worker's own, as the text for DISPLAY; for windows in processes of their own."""
    server = shutil.which("Xvfb")
    if server is None:
        pytest.fail("Xvfb is missing; `python3 run.py test` names the package that brings it")
    ours, theirs = os.pipe()
    command = [server, "-displayfd", str(theirs), "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"]
    process = subprocess.Popen(command, pass_fds=[theirs], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    os.close(theirs)
    try:
        with open(ours, encoding="ascii") as pipe:
            number = pipe.readline().strip()  # written when the server takes connections; empty if it died
        if not number:
            _, said = process.communicate()
            pytest.fail(f"Xvfb did not start: {said.decode(errors='replace')}")
        yield f":{number}"
    finally:
        process.terminate()
        process.communicate()


@pytest.fixture
def windowed(display: str) -> dict[str, str]:
    """The environment for a process that shows a real window on the virtual display."""
    return {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"} | {
        "DISPLAY": display,
        "QT_QPA_PLATFORM": "xcb",
    }

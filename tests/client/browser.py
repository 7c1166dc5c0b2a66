"""A headless browser on its debugging pipe: enough of the protocol to open a page, press keys and read what is shown.

Chromium reads commands from descriptor 3 and writes answers to descriptor 4, each ended by a zero byte; a JSON reader is all it takes.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
)  # fmt: skip

WIRING = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"


class Browser:
    """A tab of a running browser."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._rest = b""
        self._number = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Give a command and return its result; events that come before it are kept."""
        self._number += 1
        command: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while True:
            told = self._read()
            if told.get("id") == self._number:
                assert "error" not in told, told["error"]
                result: dict[str, Any] = told["result"]
                return result
            self.events.append(told)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._answers, 1 << 16)
            assert more, "the browser has gone"
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        return told

    # ---------------------------------------------------------------- what a test does

    def open(self, page: Path) -> None:
        """Open a file and wait until it is loaded."""
        self.call("Page.navigate", url=page.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def ask(self, script: str) -> Any:
        """Return the value of an expression in the page; a promise is waited for."""
        told = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Wait until an expression is true, looked at whenever the page is drawn."""
        self.ask(f"new Promise(on => {{ const look = () => {condition} ? on(true) : requestAnimationFrame(look); look() }})")

    def press(self, key: str) -> None:
        """Press a key of the keyboard."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def picture(self) -> bytes:
        """Return what is shown, as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def requests(self) -> list[str]:
        """Return every address that the page has asked for."""
        return [event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"]

    def complaints(self) -> list[str]:
        """Return what the page threw or the browser logged against it."""
        thrown = [event["params"] for event in self.events if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")]
        return [json.dumps(one) for one in thrown]


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Start a browser with a profile in *folder*; it is ended afterwards."""
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    assert program is not None, "no Chromium: `python3 run.py test` installs it, or `apt-get install chromium`"
    (here_in, commands), (answers, there_out) = os.pipe(), os.pipe()
    theirs = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (here_in, there_out)]  # so high that neither is in the other's way
    os.close(here_in)
    os.close(there_out)
    argv = [sys.executable, "-c", WIRING, *map(str, theirs), program, *SWITCHES, f"--user-data-dir={folder}", "--window-size=1280,800"]
    with open(folder / "browser.log", "wb") as log:
        running = subprocess.Popen(argv, pass_fds=theirs, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    for end in theirs:
        os.close(end)
    try:
        yield Browser(commands, answers)
    finally:
        os.close(commands)
        os.close(answers)
        running.terminate()
        running.wait(timeout=20)

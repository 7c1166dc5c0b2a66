"""A virtual screen of the benchmark's own, whose pixels it can read; without Xvfb, windows that nobody sees."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SIZE = (1920, 1080)
HEADER = struct.Struct(">25I")  # of an X window dump: sizes, depth, masks; then a name and the colours
FILE = "Xvfb_screen0"


@dataclass(frozen=True)
class Screen:
    """Where windows are shown.

    Attributes:
        environment: for a process that shows its window there.
        picture: the file that holds the screen's pixels; None where nothing is seen.
    """

    environment: dict[str, str]
    picture: Path | None

    def pixels(self) -> NDArray[np.uint32]:
        """Return the pixels as 0xRRGGBB, as they are now."""
        assert self.picture is not None, "an unseen window has no pixels"
        dump = np.memmap(self.picture, np.uint8, "r")
        head = HEADER.unpack(dump[: HEADER.size].tobytes())
        size, width, height, line, colours = head[0], head[4], head[5], head[12], head[19]
        start = size + 12 * colours
        rows = dump[start : start + line * height].view("<u4").reshape(height, line // 4)
        return rows[:, :width] & np.uint32(0xFFFFFF)

    def share_of(self, *colours: str) -> float:
        """Return how much of the screen has one of these colours."""
        seen = self.pixels()
        return float(sum(np.count_nonzero(seen == int(colour[1:], 16)) for colour in colours) / seen.size)


@contextmanager
def virtual_screen() -> Iterator[Screen]:
    """Start Xvfb, if it is installed, and stop it afterwards."""
    bare = {name: value for name, value in os.environ.items() if name not in ("WAYLAND_DISPLAY", "DISPLAY")}
    server = shutil.which("Xvfb")
    if server is None:
        yield Screen(bare | {"QT_QPA_PLATFORM": "offscreen"}, None)
        return
    ours, theirs = os.pipe()
    with tempfile.TemporaryDirectory() as folder:
        size = "{}x{}x24".format(*SIZE)
        command = [server, "-displayfd", str(theirs), "-screen", "0", size, "-fbdir", folder, "-nolisten", "tcp", "-noreset"]
        process = subprocess.Popen(command, pass_fds=[theirs], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs)
        try:
            with open(ours, encoding="ascii") as pipe:
                number = pipe.readline().strip()
            yield Screen(bare | {"QT_QPA_PLATFORM": "xcb", "DISPLAY": f":{number}"}, Path(folder, FILE))
        finally:
            process.terminate()
            process.wait()

"""Two threads that convert into a type for the first time don't meet in msgspec."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MEET = """
import sys, threading
import msgspec
from core import shapes
sys.setswitchinterval(1e-6)
for number in range(150):
    fields = [(f"f{i}", "tuple[int, ...] | None", None) for i in range(12)]
    made = msgspec.defstruct(f"Made{number}", fields, module=__name__)
    gate = threading.Barrier(4)
    def first():
        gate.wait()
        assert shapes.convert({"f3": [1, 2]}, made).f3 == (1, 2)
        shapes.decoder(made)
    threads = [threading.Thread(target=first) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
print("whole")
"""


def test_first_conversions_in_several_threads_leave_the_interpreter_whole() -> None:
    done = subprocess.run([sys.executable, "-c", MEET], cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "whole"), done.stderr

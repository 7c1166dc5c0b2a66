"""Two threads that convert into a type for the first time don't meet in msgspec: without the lock this crashes the interpreter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MEET = """
import sys, threading
from core import shapes
sys.setswitchinterval(1e-6)
SOURCE = '''
from __future__ import annotations
import msgspec
class Inner(msgspec.Struct):
    a: int = 0
    b: tuple[int, ...] = ()
    c: dict[str, Inner] = {}
class Made(msgspec.Struct):
    x: tuple[Inner, ...] = ()
    y: dict[str, tuple[Inner, ...]] = {}
    z: Inner | None = None
'''
for number in range(60):
    space = {"__name__": f"made{number}"}
    module = type(sys)(f"made{number}"); sys.modules[module.__name__] = module
    exec(SOURCE, module.__dict__)
    gate = threading.Barrier(6)
    def first():
        gate.wait()
        shapes.convert({"x": [{"a": 1}]}, module.Made)
    threads = [threading.Thread(target=first) for _ in range(6)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
print("whole")
"""


def test_first_conversions_in_several_threads_leave_the_interpreter_whole() -> None:
    done = subprocess.run([sys.executable, "-c", MEET], cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "whole"), done.stderr

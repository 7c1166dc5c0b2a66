"""The house's order: what no linter holds."""

from __future__ import annotations

import ast
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("core", "core_ext", "server", "client", "mapmaker", "rasputitsa")
RULESETS = sorted(path.parent.name for path in (ROOT / "core" / "rulesets").glob("*/__init__.py"))
CLOCKS = {"time", "monotonic", "perf_counter", "process_time", "time_ns", "monotonic_ns", "perf_counter_ns", "elapsed"}


def sources(*folders: str) -> list[Path]:
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


def test_there_are_five_rulesets():
    assert len(RULESETS) == 5


@pytest.mark.parametrize("file", sources("client", "server"), ids=name_of)
def test_client_and_server_name_no_ruleset(file):
    text = file.read_text(encoding="utf-8").lower()
    named = [ruleset for ruleset in RULESETS if ruleset in text or ruleset.replace("_", " ") in text]
    assert not named


@pytest.mark.parametrize("file", [ROOT / "run.py", ROOT / "setup.py", *sources(*PACKAGES)], ids=name_of)
def test_module_says_what_it_is(file):
    assert ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize("package", ["server", "server/store", "client/connection"])
def test_the_map_of_a_package_has_each_of_its_modules_and_no_other(package):
    folder = ROOT / package
    there = {module.name for module in pkgutil.iter_modules([str(folder)])}
    assert set(re.findall(r"`(\w+)`", ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))))) == there


@pytest.mark.parametrize("file", sources("core/bots", "core/trials"), ids=name_of)
def test_core_takes_only_handed_chance(file):
    assert taken_of_random(ast.parse(file.read_text(encoding="utf-8"))) <= {"Random"}


def taken_of_random(tree: ast.AST) -> set[str]:
    """Return the names that a module uses of ``random``; an unseeded ``Random()`` counts as ``Random() unseeded``."""
    taken: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "random":
            taken |= {alias.name for alias in node.names}
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "random":
            taken.add(node.attr)
        if isinstance(node, ast.Call) and called(node) == "Random" and not node.args:
            taken.add("Random() unseeded")
    return taken


@pytest.mark.parametrize("line", ["random.choice(x)", "from random import shuffle", "random.Random()", "Random()"])
def test_chance_of_its_own_is_found(line):
    assert not taken_of_random(ast.parse(line)) <= {"Random"}


@pytest.mark.parametrize("file", sources("tests"), ids=name_of)
def test_tests_wait_for_conditions_and_assert_no_times(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert [f"line {line}: {fault}" for line, fault in faults_of_time(tree)] == []


def faults_of_time(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line of each sleep, and of each assertion about what a clock said."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) in ("sleep", "wait") and is_a_pause(node):
            yield node.lineno, f"waits for time: {ast.unparse(node)}"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from timed_assertions(node)


def called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


def is_a_pause(call: ast.Call) -> bool:
    """Tell sleeping from waiting: ``process.wait()`` waits for a condition, ``qtbot.wait(50)`` for time."""
    on_qtbot = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "qtbot"
    return bool(call.args) and (called(call) == "sleep" or on_qtbot)


def timed_assertions(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[int, str]]:
    timed: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and reads_clock(node.value, timed):
            timed |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(function):
        if isinstance(node, ast.Assert) and reads_clock(node.test, timed):
            yield node.lineno, f"asserts a time: {ast.unparse(node.test)}"


def reads_clock(expression: ast.expr, timed: set[str]) -> bool:
    """Whether *expression* calls a clock of the module ``time``, or uses one of the names in *timed*."""
    return any(
        (isinstance(node, ast.Name) and node.id in timed)
        or (isinstance(node, ast.Call) and ast.unparse(node.func).removeprefix("time.") in CLOCKS and not node.args)
        for node in ast.walk(expression)
    )


@pytest.mark.parametrize(
    "line",
    [
        "time.sleep(1)",
        "qtbot.wait(50)",
        "assert time.monotonic() < 5",
        "began = perf_counter(); took = perf_counter() - began; assert took < 1",
    ],
)
def test_timed_tests_are_found(line):
    assert list(faults_of_time(ast.parse(f"def test(qtbot):\n    {line}")))


@pytest.mark.parametrize("line", ["process.wait()", "qtbot.waitSignal(s, timeout=500)", "assert clock.left == 5"])
def test_waiting_for_conditions_is_fine(line):
    assert not list(faults_of_time(ast.parse(f"def test(qtbot):\n    {line}")))

from __future__ import annotations

import json
import shutil
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from core.errors import BadInput
from rasputitsa import bench, endings
from rasputitsa.bench import Figure

FAST = Figure("a move", 2.0, "µs", goal=5.0, spread=(1.5, 2.5))
SLOW = Figure("a game", 9.0, "s", goal=3.0, note="with two bots")
RATIO = Figure("others", 12.0, "times our time", goal=10.0, better="more")
TOLD = Figure("a phase", 1234.0, "ms")


@pytest.fixture
def areas(monkeypatch):
    """Two areas that measure nothing; one of them has work to profile."""
    there = {
        "kernels": SimpleNamespace(figures=lambda: iter([FAST, RATIO, TOLD]), work=lambda: lambda: sorted(range(1000))),
        "core": SimpleNamespace(figures=lambda: iter([TOLD, SLOW])),
    }
    monkeypatch.setattr(bench, "known_areas", lambda: tuple(there))
    monkeypatch.setattr(bench, "load", there.__getitem__)


def run(*args: str):
    return CliRunner().invoke(bench.bench, list(args), standalone_mode=False)


@pytest.mark.parametrize(("figure", "holds"), [(FAST, True), (SLOW, False), (RATIO, True), (TOLD, None)])
def test_a_figure_says_whether_it_holds(figure, holds):
    assert figure.holds is holds


def test_what_is_missed_is_said_first(areas):
    told = run().stdout.splitlines()
    core = told[told.index("core:") + 1 :]
    assert core[0].split() == ["MISSED", "9", "s", "at", "most", "3", "a", "game", "(with", "two", "bots)"]
    assert core[-1] == "1 of 3 goals missed"


@pytest.mark.parametrize(
    ("args", "code"),
    [([], endings.DONE), (["--strict"], endings.FAILED), (["core", "--strict"], endings.FAILED), (["kernels", "--strict"], endings.DONE)],
)
def test_only_strict_fails_on_a_missed_goal(areas, args, code):
    assert run(*args).return_value == code


def test_figures_are_written_with_the_facts_of_the_machine(areas, tmp_path):
    file = tmp_path / "figures.json"
    run("kernels", "--json", str(file))
    written = json.loads(file.read_text(encoding="utf-8"))
    assert list(written["areas"]) == ["kernels"]
    assert written["areas"]["kernels"][0] == {
        "name": "a move", "value": 2.0, "unit": "µs", "goal": 5.0, "better": "less", "spread": [1.5, 2.5], "note": "", "holds": True,
    }
    assert written["machine"]["processors"] >= 1


def test_an_unknown_area_is_named(areas):
    error = run("kernel").exception
    assert isinstance(error, BadInput)
    assert "any of kernels, core, got kernel" in str(error)


def test_a_profile_shows_the_work_of_each_area(areas):
    told = run("--profile").stdout
    assert "kernels: own time by function" in told
    assert "sorted" in told
    assert "core: has no work to profile" in told


def test_a_profile_takes_no_file(areas, tmp_path):
    assert "leave out --json" in str(run("--profile", "--json", str(tmp_path / "x")).exception)


def test_the_areas_are_the_modules_of_the_folder():
    assert "kernels" in bench.known_areas()


def test_an_installation_without_benchmarks_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "BENCHMARKS", tmp_path)
    with pytest.raises(endings.Missing):
        bench.known_areas()


def test_others_give_the_kernels_answers():
    for package in ("scipy", "rustworkx", "networkx"):
        pytest.importorskip(package)
    if shutil.which("cc") is None and shutil.which("gcc") is None:
        pytest.skip("no C compiler")
    from benchmarks import kernels
    from benchmarks.kit import ground

    kernels.check(ground.scene(ground.rectangle(300), 25))
    kernels.check(ground.scene(ground.largest_map(), 250))

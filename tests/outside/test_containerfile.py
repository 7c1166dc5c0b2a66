"""The image of the server is made of what the project has today, and of nothing that only the window needs."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
PACKAGES = [name.rstrip("*") for name in SETUPTOOLS["packages"]["find"]["include"]]
COPIED = [
    source
    for line in (ROOT / "Containerfile").read_text("utf-8").splitlines()
    if line.startswith("COPY ") and not line.startswith("COPY --from")
    for source in line.split()[1:-1]
]
WITHOUT_QT = """
import sys
sys.modules["PySide6"] = None
import importlib
for name in ("host", "owner", "backup", "restore", "export", "import_games", "verify"):
    importlib.import_module(f"rasputitsa.{name}")
"""


@pytest.mark.parametrize("folder", [*PACKAGES, "scenarios"])
def test_the_image_has_every_package_and_all_scenarios(folder: str) -> None:
    assert folder in COPIED


def test_what_the_image_is_made_of_is_there_and_let_through() -> None:
    let_through = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")]

    assert sorted(let_through) == sorted(COPIED)
    assert [source for source in COPIED if not (ROOT / source).exists()] == []


def test_a_host_needs_no_qt() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_QT], cwd=ROOT, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")

"""The window on a real X display, in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
from pathlib import Path
from client.window import MainWindow, application
from rasputitsa.packs import installed, load_pack

app = application()
assert app.platformName() == "xcb", app.platformName()
window = MainWindow([load_pack(name) for name in installed()], folder=Path(sys.argv[1]))
window.resize(1400, 860)
window.show()
window.start.opponent.setCurrentIndex(window.start.opponent.findData("random"))
window.start.play.click()
for _ in range(1000):
    app.processEvents()
    page = window.game
    if page is not None and page.match.may_act and page.map.isVisible() and not page.scene.idle.is_busy:
        break
    app.thread().msleep(20)
assert page.match.may_act
picture = app.primaryScreen().grabWindow(window.winId()).toImage()
colours = {picture.pixelColor(x, y).name() for x in range(0, picture.width(), 3) for y in range(0, picture.height(), 3)}
nations = {nation.id: nation.colour for nation in page.match.manifest.nation}
print(picture.width(), len(colours), page.palette_.chrome.lower() in colours, page.palette_.table.lower() in colours)
window.close()
"""


@pytest.mark.no_offscreen
def test_one_click_begins_a_game_that_can_be_seen(windowed: dict[str, str], tmp_path: object) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], env=windowed, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    width, colours, chrome, table = done.stdout.split()
    assert int(width) >= 1400
    assert int(colours) > 500
    assert (chrome, table) == ("True", "True")
    assert not done.stderr.strip(), done.stderr


@pytest.mark.no_offscreen
def test_the_guides_pictures_are_taken_by_playing_a_phase_and_more(windowed: dict[str, str], tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "docs" / "pictures" / "take.py"
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], env=windowed, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    taken = {file.name for file in tmp_path.glob("*.png")}
    others = {"window.png", "lobby.png", "table.png"}  # by take_window.py and take_table.py
    assert taken == {file.name for file in script.parent.glob("*.png")} - others
    shown = set(re.findall(r"pictures/(\w+\.png)", (script.parent.parent / "playing.md").read_text(encoding="utf-8")))
    assert shown - others == taken
    assert not done.stderr.strip(), done.stderr

"""Windows for tests: offscreen in this process, a virtual display for a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

WINDOW = """
from PySide6.QtWidgets import QApplication, QLabel
app = QApplication([])
label = QLabel("Rasputitsa")
label.show()
app.processEvents()
print(app.platformName(), label.isVisible(), label.fontMetrics().horizontalAdvance("Don") > 0)
"""


def test_widgets_are_drawn_offscreen(qtbot, qapp):
    assert qapp.platformName() == "offscreen"


@pytest.mark.no_offscreen
def test_window_opens_on_the_virtual_display(display, windowed):
    done = subprocess.run([sys.executable, "-c", WINDOW], env=windowed, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("xcb True True\n", "")

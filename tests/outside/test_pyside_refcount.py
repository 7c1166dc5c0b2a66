"""Whether this release of PySide6 may be let in: 6.12.0 dropped a reference of None with each call."""

import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

CALLS = 200


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from Python 3.12 on, and its count stands still")
def test_calls_that_return_nothing_leave_the_count_of_none_alone(qapp):
    image = QImage(16, 16, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    pen = QPen(QColor(Qt.GlobalColor.black))
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        painter.setPen(pen)
        painter.drawRect(0, 0, 4, 4)
    lost = before - sys.getrefcount(None)
    painter.end()
    assert lost < CALLS // 10

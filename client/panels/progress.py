"""Long work under way: what is done, how much of it, and a button that stops it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtWidgets import QFrame, QProgressBar, QVBoxLayout, QWidget

from client.panels.widgets import button, label
from client.qt import QEvent, QObject, Qt, QTimer
from client.scale import px

WIDTH = 380


class Work(QFrame):
    """Runs an iterator of shares (0 … 1) piece by piece between events of the window, as a card at its bottom.

    Args:
        parent: the window over which the card floats.
        title: what is being done.
        shares: the work; each step yields how much is done. It is closed when the work is stopped.
        done: called when all is done.
        failed: called with an OSError or our own error that ended the work.
    """

    def __init__(
        self,
        parent: QWidget,
        title: str,
        shares: Iterator[float],
        *,
        done: Callable[[], object],
        failed: Callable[[Exception], object],
        stopped: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setFixedWidth(px(WIDTH))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._shares, self._done, self._failed, self._stopped = shares, done, failed, stopped
        self.bar = QProgressBar()
        self.bar.setRange(0, 100)
        self.bar.setAccessibleName(title)
        self.stop_button = button(self.tr("Stop"), self.stop, tip=self.tr("Stop this; nothing is written"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 12, 18, 12)
        layout.addWidget(label(title, "subheading", wrap=True))
        layout.addWidget(self.bar)
        layout.addWidget(self.stop_button, 0, Qt.AlignmentFlag.AlignRight)
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._step)
        parent.installEventFilter(self)
        self.adjustSize()
        self._place()
        self.show()
        self.raise_()
        self._timer.start()

    def stop(self) -> None:
        """Stop; what was made is thrown away."""
        close = getattr(self._shares, "close", None)
        if close is not None:
            close()
        self._end()
        self._stopped()

    def _step(self) -> None:
        try:
            share = next(self._shares, None)
        except Exception as error:
            self._end()
            self._failed(error)
            return
        if share is None:
            self._end()
            self._done()
        else:
            self.bar.setValue(round(100 * share))

    def _end(self) -> None:
        self._timer.stop()
        self.hide()
        self.deleteLater()

    def _place(self) -> None:
        host = self.parentWidget()
        if host is not None:
            self.move((host.width() - self.width()) // 2, host.height() - self.height() - 76)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

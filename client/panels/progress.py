"""Long work under way: what is done, how much of it, and a button that stops it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtWidgets import QProgressBar, QWidget

from client.panels.card import Card, cards_on
from client.panels.widgets import button
from client.qt import QEvent, QObject, QPoint, QRect, Qt, QThread, QTimer, Signal
from client.scale import px
from client.style import TIMELINE_HEIGHT

WIDTH = 380
GAP = 10  # to what it must not lie over
SHORT_MS = 250  # that work may take before its card is shown, where nobody expects it to take long

Tell = Callable[[float], None]


class Stopped(Exception):
    """Nobody wants the work any more."""


class ProgressCard(Card):
    """A card at the bottom of a window, with a bar and a button; subclasses do the work.

    Args:
        parent: the window over which the card floats.
        title: what is being done.
        stop: called by the button.
        after_ms: when the card is seen.
    """

    def __init__(self, parent: QWidget, title: str, stop: Callable[[], object], *, after_ms: int = 0) -> None:
        super().__init__(parent, width=WIDTH)
        self.bar = QProgressBar()
        self.bar.setRange(0, 100)
        self.bar.setAccessibleName(title)
        self.stop_button = button(self.tr("Stop"), stop, tip=self.tr("Stop this, as if it had not been asked for"))
        heading = self.written("subheading")
        heading.setText(title)
        self.column.addWidget(heading)
        self.column.addWidget(self.bar)
        self.column.addWidget(self.stop_button, 0, Qt.AlignmentFlag.AlignRight)
        parent.installEventFilter(self)
        self.fit()
        self._place()
        self._showing = QTimer(self, singleShot=True, interval=after_ms)
        self._showing.timeout.connect(self._appear)
        if after_ms:
            self._showing.start()
        else:
            self._appear()

    def tell(self, share: float) -> None:
        """Show how much is done."""
        percent = round(100 * share)
        if percent != self.bar.value():
            self.bar.setValue(percent)
            self._place()  # cards may have come where it lies

    def _appear(self) -> None:
        self._place()
        self.show()
        self.raise_()

    def _end(self) -> None:
        self._showing.stop()
        self.hide()
        self.deleteLater()

    def _place(self) -> None:
        """Lie above the cards that ask or tell something where it would be: they are what is looked at."""
        host = self.parentWidget()
        assert host is not None, "the card lies on a window"
        corner = QPoint((host.width() - self.width()) // 2, host.height() - self.height() - px(TIMELINE_HEIGHT) - 2 * GAP)
        at = QRect(corner, self.size())
        for box in sorted(cards_on(host, but=self), key=QRect.top, reverse=True):
            if box.intersects(at) and box.top() - GAP - at.height() >= 0:
                at.moveBottom(box.top() - GAP)
        self.move(at.topLeft())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False


class Work(ProgressCard):
    """Runs an iterator of shares (0 … 1) piece by piece between events of the window.

    Args:
        shares: the work; each step yields how much is done. It is closed when the work is stopped.
        done: called when all is done.
        failed: called with an OSError or our own error that ended the work.
        stopped: called when it was stopped.
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
        super().__init__(parent, title, self.stop)
        self._shares, self._done, self._failed, self._stopped = shares, done, failed, stopped
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._step)
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
            self.tell(share)

    def _end(self) -> None:
        self._timer.stop()
        super()._end()


class _Labour(QThread):
    """The thread of an `Aside`.

    Signals:
        told(float): the share that is done.
        ended(object, object): the result, and the exception instead of one or None.
    """

    told = Signal(float)
    ended = Signal(object, object)

    def __init__(self, work: Callable[[Tell], object], parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self.unwanted = False

    def run(self) -> None:
        try:
            self.ended.emit(self._work(self._tell), None)
        except Stopped:
            return
        except Exception as error:
            self.ended.emit(None, error)

    def _tell(self, share: float) -> None:
        if self.unwanted:
            raise Stopped
        self.told.emit(share)


class Aside(ProgressCard):
    """Runs work in a thread of its own, while the window goes on.

    Args:
        work: is called in the thread with a function that takes the share that is done, and ends it where it was stopped.
        done: called with the result.
        failed: called with the exception that ended the work.
        stopped: called when it was stopped; what it makes after that is thrown away.
    """

    def __init__(
        self,
        parent: QWidget,
        title: str,
        work: Callable[[Tell], object],
        *,
        done: Callable[[object], object],
        failed: Callable[[Exception], object],
        stopped: Callable[[], object] = lambda: None,
        after_ms: int = 0,
    ) -> None:
        super().__init__(parent, title, self.stop, after_ms=after_ms)
        self._done, self._failed, self._stopped = done, failed, stopped
        self._labour = _Labour(work, parent)  # which outlives this card
        self._labour.told.connect(self.tell, Qt.ConnectionType.QueuedConnection)
        self._labour.ended.connect(self._ended, Qt.ConnectionType.QueuedConnection)
        self._labour.finished.connect(self._labour.deleteLater)
        self._labour.start()

    def stop(self) -> None:
        """Want the result no more; the thread ends when it next tells how far it is."""
        if not self._labour.unwanted:
            self._labour.unwanted = True
            self._end()
            self._stopped()

    def _ended(self, result: object, error: Exception | None) -> None:
        if self._labour.unwanted:
            return
        self._labour.unwanted = True
        self._end()
        if error is not None:
            self._failed(error)
        else:
            self._done(result)


def wait_for_all(window: QWidget) -> None:
    """Wait for every thread that still works for a window, before it goes; none has more than a stretch to do."""
    for labour in window.findChildren(_Labour):
        labour.unwanted = True
        labour.wait()

"""A bot thinks in a thread of its own, on a view of its own, and answers by a signal."""

from __future__ import annotations

import random

from client.qt import QObject, QThread, Signal
from core import bots
from core.views import View


class _Thought(QThread):
    """One order to be found.

    Signals:
        found(object): the order.
        failed(object): the exception.
    """

    found = Signal(object)
    failed = Signal(object)

    def __init__(self, name: str, view: View, seed: str, parent: QObject) -> None:
        super().__init__(parent)
        self._name, self._view, self._seed = name, view, seed

    def run(self) -> None:
        try:
            order = bots.load(self._name)(self._view, random.Random(self._seed))
        except Exception as error:
            self.failed.emit(error)
            return
        self.found.emit(order)


class Thinker(QObject):
    """Lets bots think, one thought at a time; an answer to a question that was dropped is thrown away.

    Signals:
        decided(object): the order.
        failed(object): the exception that ended the thought.
    """

    decided = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._thought: _Thought | None = None

    @property
    def is_busy(self) -> bool:
        """Say whether a thought that is still wanted is under way."""
        return self._thought is not None

    def ask(self, name: str, view: View, seed: str) -> None:
        """Let a bot think about a view of its own; *seed* makes the answer repeatable."""
        self.drop()
        thought = _Thought(name, view, seed, self)
        thought.found.connect(lambda order: self._answer(thought, order))
        thought.failed.connect(lambda error: self._fail(thought, error))
        thought.finished.connect(thought.deleteLater)
        self._thought = thought
        thought.start()

    def drop(self) -> None:
        """Want no answer any more."""
        self._thought = None

    def stop(self) -> None:
        """Wait for every thread that still runs, at most some seconds, before the window goes."""
        self.drop()
        for thought in self.findChildren(_Thought):
            thought.wait(5000)

    def _answer(self, thought: _Thought, order: object) -> None:
        if thought is self._thought:
            self._thought = None
            self.decided.emit(order)

    def _fail(self, thought: _Thought, error: object) -> None:
        if thought is self._thought:
            self._thought = None
            self.failed.emit(error)

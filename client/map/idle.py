"""Work that can wait: done when nothing else is to be done, a few milliseconds at a stretch, and not while one zooms."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from client.qt import QElapsedTimer, QTimer

REST_MS = 70  # that a scale must last before work for it is begun: while one zooms it would be done in vain
SLICE_MS = 5  # that the event loop is kept from what the player does, at most, and one job

Job = Callable[[], object]
MORE = object()  # what a job returns that is not done: it is gone on with before the others of its group


def by_steps(steps: Iterator[object]) -> Job:
    """Return a job that goes one step further each time."""
    done = object()
    return lambda: None if next(steps, done) is done else MORE


class Idle:
    """Jobs by groups: those that are added to one by one come before those that are given as a whole."""

    def __init__(self) -> None:
        self._jobs: dict[str, deque[Job]] = {}
        self._scale = 0.0
        self._timer = QTimer(singleShot=True)
        self._timer.timeout.connect(self._work)

    def come_to(self, scale: float) -> None:
        """Forget what was wanted at another scale, and let this one last a little."""
        if scale != self._scale:
            self._scale = scale
            self._jobs.clear()
            self._timer.start(REST_MS)

    def add(self, group: str, job: Job) -> None:
        """Do a job after the others of its group, and before groups that are given as a whole: what is added singly is short."""
        if group not in self._jobs:
            self._jobs = {group: deque(), **self._jobs}
        self._jobs[group].append(job)
        self._wake()

    def replace(self, group: str, jobs: Iterable[Job]) -> None:
        """Do these jobs of a group, and none that it had before."""
        self._jobs[group] = deque(jobs)
        self._wake()

    def awaits(self, group: str, job: Job) -> bool:
        """Say whether a job of a group is still to be done."""
        return job in self._jobs.get(group, ())

    def has(self, group: str) -> bool:
        """Say whether a group has something to do."""
        return bool(self._jobs.get(group))

    @property
    def is_busy(self) -> bool:
        """Say whether anything waits to be done."""
        return self._timer.isActive()

    def stop(self) -> None:
        """Do nothing any more."""
        self._timer.stop()
        self._jobs.clear()

    def _wake(self) -> None:
        if not self._timer.isActive():
            self._timer.start(0)

    def _work(self) -> None:
        spent = QElapsedTimer()
        spent.start()
        while not spent.hasExpired(SLICE_MS):
            jobs = next((jobs for jobs in self._jobs.values() if jobs), None)
            if jobs is None:
                return
            job = jobs.popleft()
            if job() is MORE:
                jobs.appendleft(job)
        self._timer.start(0)

"""A server that does as it should over lines that do as they like: whatever happens to both, its clock is called no liar's."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable

import pytest

from client.connection.hours import PROMPT_MS, WRITTEN_MS
from core.log import Away, Pause, Referee
from core.terms import ClockTerms, DiceTerms, Terms
from core.text import text
from tests.server.conftest import Here
from tests.server.test_dated_back import PINGS_MS, Boris
from tests.toy.ruleset import End
from tests.toy.witnessed import WAIT_MS, seated

TICK_MS = 250
TICKS = 6_000
ALIVE_MS = 10_000  # how often it is noted that the server is there


class Honest:
    """A server, Boris' line to it, and what befalls them, tick by tick."""

    def __init__(self, here: Here, rng: random.Random) -> None:
        host = seated(terms=Terms(clock=ClockTerms("absolute", 36_000_000), dice=DiceTerms("witnessed", WAIT_MS)))
        self.here, self.rng, self.boris = here, rng, Boris(host, here)
        self.host = host
        self.behind_ms = rng.randrange(10**6)  # by how much the server's clock shows less than the one here
        self.stood_ms = 0  # of that, what it will make up for
        self.down: deque[tuple[int, Callable[[], None]]] = deque()  # what is on its way to Boris, and when it comes
        self.up: deque[tuple[int, int]] = deque()  # pings on their way to the server: when they come, and were sent
        self.is_held = self.is_up = False
        self.runs: bool | None = None  # as was told last
        self.late_ms = 0  # how long messages take
        self.stalled_ms = self.ready_ms = self.alive_ms = self.pinged_ms = 0
        self.writing: tuple[int, int, str] | None = None  # what is being written: when it began by the server's clock, till when, what
        host.now_ms = self.clock()
        self.comes_up()

    def clock(self) -> int:
        return self.here.ms - self.behind_ms

    def ticks(self) -> bool:
        return self.host.match.table.clocks.runs and self.host.match.outcome is None

    # ---------------------------------------------------------------- the line

    def sends(self, what: Callable[[], None]) -> None:
        if self.is_up:
            comes_ms = self.here.ms + self.rng.randrange(self.late_ms + 50)
            self.down.append((max(comes_ms, self.down[-1][0] if self.down else 0), what))

    def tells(self) -> None:
        """Say how clocks stand, if that has changed."""
        if self.is_up and (runs := self.ticks() and not self.is_held) != self.runs:
            self.runs, shown = runs, self.clock()
            self.sends(lambda: void(self.boris.witnessing.stand("duel", shown, runs=runs)))

    def comes_up(self) -> None:
        self.is_up, self.runs = True, None
        self.down.clear()
        self.up.clear()
        self.boris.witnessing.known_as("Boris", silent_since_ms=self.here.ms)
        self.pinged_ms = self.here.ms
        known = len(self.host.match.log)
        self.sends(lambda: self.hears(known))
        self.tells()

    def goes_down(self) -> None:
        self.is_up = False
        self.down.clear()
        self.up.clear()

    def hears(self, known: int) -> None:
        for entry in self.host.match.log.entries[len(self.boris.match.log) : known]:
            self.boris.witnessing.watch(self.boris.match, entry, live=True)
            self.boris.match.accept_foreign(entry)

    def answers(self, at_ms: int) -> None:
        known = len(self.host.match.log)

        def pong() -> None:
            assert len(self.boris.match.log) == known
            self.boris.witnessing.heard_all(self.boris.match, at_ms)

        self.sends(pong)

    # ---------------------------------------------------------------- the server

    def begins_to_write(self, what: str) -> None:
        if self.writing is None and not self.is_held:
            self.writing = (self.clock(), self.here.ms + self.rng.randrange(WRITTEN_MS), what)

    def has_written(self) -> None:
        assert self.writing is not None
        self.host.now_ms, _, what = self.writing
        self.writing = None
        if what == "end" and self.host.match.outcome is None and not self.host.match.table.paused:
            self.host.order(End())
        elif what == "pause":
            self.host.act(Pause(on=not self.host.match.table.paused), player="Rita")
        else:
            self.host.act(Referee(text("meanwhile")), player="Rita")
        known = len(self.host.match.log)
        self.sends(lambda: self.hears(known))

    def starts_anew(self) -> None:
        """End, and start again: nobody kept the log since it was noted last that the server is there."""
        self.goes_down()
        self.writing, self.is_held, self.stalled_ms = None, False, 0
        self.behind_ms -= self.stood_ms
        self.stood_ms = 0
        if self.ticks():
            self.host.now_ms = self.clock()
            self.host.act(Away(max(self.clock() - max(self.alive_ms, self.host.match.log.entries[-1].time_ms), 0)))

    # ---------------------------------------------------------------- what happens

    def passes(self, ms: int) -> None:
        self.here.ms += ms
        if self.is_held or self.stalled_ms > PROMPT_MS:
            self.behind_ms += ms
            self.stood_ms += ms

    def tick(self) -> None:
        self.passes(TICK_MS)
        if self.stalled_ms > 0:
            self.ready_ms += TICK_MS
            if self.ready_ms >= self.stalled_ms:
                self.stalled_ms = 0
        else:
            self.serves()
        if self.is_up and self.here.ms - self.pinged_ms >= PINGS_MS:
            self.pinged_ms = self.here.ms
            self.up.append((self.here.ms + self.rng.randrange(self.late_ms + 50), self.here.ms))
        while self.down and self.down[0][0] <= self.here.ms:
            self.down.popleft()[1]()
            self.boris.witnessing.comes(self.boris.match)

    def serves(self) -> None:
        if self.here.ms - self.alive_ms - self.behind_ms >= ALIVE_MS:
            self.alive_ms = self.clock()
        if self.writing is not None and self.writing[1] <= self.here.ms:
            self.has_written()
        if not self.ticks() and self.writing is None:
            self.behind_ms -= self.stood_ms
            self.stood_ms = 0
        self.tells()
        while self.up and self.up[0][0] <= self.here.ms:
            self.answers(self.up.popleft()[1])

    def befalls(self) -> None:
        match self.rng.choices(
            ("nothing", "end", "act", "pause", "late", "cut", "asleep", "stalled", "held", "anew"), (6_000, 3, 40, 2, 20, 4, 1, 1, 2, 1)
        )[0]:
            case "late":
                self.late_ms = self.rng.choice((0, 0, 100, 1_000, 4_000, 15_000))
            case "cut":
                self.goes_down()
                self.passes(self.rng.choice((1_000, 30_000, 600_000)))
                self.comes_up()
            case "asleep" if not self.writing:  # this machine, and the server goes on
                self.passes(self.rng.choice((6_000, 60_000, 3_600_000)))
            case "stalled" if not self.writing:
                self.stalled_ms, self.ready_ms = self.rng.choice((1_000, 2_500, 4_000, 60_000)), 0
            case "held" if not self.writing and self.ticks():
                self.is_held = not self.is_held
            case "anew":
                self.starts_anew()
                self.passes(self.rng.choice((0, 5_000)))
                self.comes_up()
            case "end" | "act" | "pause" as what:
                if not self.stalled_ms:
                    self.begins_to_write(what)
        if self.is_held and self.rng.random() < 0.01:
            self.is_held = False


def void(_: object) -> None:
    """Take what nobody needs."""


@pytest.mark.parametrize("seed", range(20))
def test_an_honest_clock_is_called_no_liars(here: Here, seed: int) -> None:
    honest = Honest(here, random.Random(seed))
    for _ in range(TICKS):
        honest.befalls()
        honest.tick()
    assert honest.boris.told == []
    assert len(honest.boris.match.log) > 20
    honest.boris.witnessing.close()

"""A host who plays dates her orders back: her opponent pays for her thinking. His program knows when nothing had been written yet."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import msgspec
import pytest

from client.connection.games import Games
from client.connection.hours import FREE_MS, NEAR_MS, PROMPT_MS, WRITTEN_MS
from client.connection.stopped import SILENT_MS, UNHEARD_MS
from client.connection.witnessing import Witnessing
from core import protocol
from core.gamefile import GameFile, open_match
from core.log import Away, Late, Pause, Referee, Resign
from core.match import Match
from core.terms import ClockTerms, DiceTerms, SeatTerms, Terms
from core.text import text
from tests.server.conftest import Here, of
from tests.toy.ruleset import End, toy_files
from tests.toy.witnessed import WAIT_MS, Host, key_of, seated, toy

PINGS_MS = 5_000
TOLD = (
    "our clock has lost {} s more than have passed here as the game waited for us: what others did was dated back, "
    "or the server's clock set forward"
)


class Boris:
    """What his program makes of a game that it is told: the time here, and what it tells him."""

    def __init__(self, host: Host, here: Here) -> None:
        self.host, self.here = host, here
        self.told, self.remarks = list[str](), list[str]()
        self.witnessing = Witnessing(lambda frame: None, lambda foul: self.told.append(str(foul.text)), pytest.fail, self.remarks.append)
        self.witnessing.be(key_of("Boris"), None)
        self.witnessing.known_as("Boris")
        self.match: Match = open_match(GameFile(host.head, toy_files(), (), None), clock=lambda: 0, load=toy)
        self.witnessing.begin(host.head, self.match)
        self.hear(live=False)

    def hear(self, *, live: bool = True) -> None:
        """Take in what was written since."""
        for entry in self.host.match.log.entries[len(self.match.log) :]:
            self.witnessing.watch(self.match, entry, live=live)
            self.match.accept_foreign(entry)

    def ping(self) -> None:
        """Have a ping answered."""
        self.witnessing.heard_all(self.match, self.here.ms)

    def passes(self, ms: int) -> None:
        """Let time pass by both clocks, with a ping every five seconds."""
        for _ in range(ms // PINGS_MS):
            self.here.ms += PINGS_MS
            self.host.now_ms += PINGS_MS
            self.ping()

    def turns(self, thinks_ms: int, *, dated_back_ms: int) -> None:
        """Let Anna think, end her turn by an order that is dated back, and Boris end his at once."""
        self.passes(thinks_ms)
        self.host.now_ms -= dated_back_ms
        self.host.order(End())
        self.host.now_ms += dated_back_ms
        self.hear()
        self.host.order(End())
        self.hear()


@pytest.fixture
def boris(here: Here) -> Iterator[Boris]:
    made = Boris(seated(terms=Terms(clock=ClockTerms("absolute", 3_600_000), dice=DiceTerms("witnessed", WAIT_MS))), here)
    yield made
    made.witnessing.close()


@pytest.mark.parametrize("dated_back_ms", [0, FREE_MS, FREE_MS + WRITTEN_MS, FREE_MS + WRITTEN_MS + 1_000, 600_000])
def test_thinking_that_a_host_has_her_opponent_pay_for_is_told_to_him_once(boris: Boris, dated_back_ms: int) -> None:
    extra = dated_back_ms - WRITTEN_MS
    for _ in range(2):
        boris.turns(600_000, dated_back_ms=dated_back_ms)
        assert boris.told[:1] == ([TOLD.format(extra // 1_000)] if extra > FREE_MS else boris.told)
    assert len(boris.told) <= 1


def test_it_is_found_also_where_it_is_little_each_time(boris: Boris) -> None:
    for _ in range(2):
        boris.turns(60_000, dated_back_ms=12_000)
        assert boris.told == []
    boris.turns(60_000, dated_back_ms=12_000)
    assert boris.told == [TOLD.format(30)]


@pytest.mark.parametrize("says_so", [False, True])
@pytest.mark.parametrize(("ahead_ms", "is_told"), [(0, False), (FREE_MS, False), (580_000, True)])
def test_a_clock_that_leaps_before_anything_else_comes_is_told(here: Here, says_so: bool, ahead_ms: int, is_told: bool) -> None:
    """Boris opened the game in his own turn: he lost by time with minutes left, and was told nothing."""
    host = seated(terms=Terms(clock=ClockTerms("absolute", 3_600_000), dice=DiceTerms("witnessed", WAIT_MS)))
    host.order(End())
    boris = Boris(host, here)
    boris.witnessing.stand("duel", host.now_ms, runs=True)
    boris.passes(60_000)
    host.now_ms += ahead_ms
    if says_so:
        boris.witnessing.stand("duel", host.now_ms, runs=True)
    host.order(End())
    boris.hear()
    assert (TOLD.format(574) in boris.told) == is_told
    assert is_told or not boris.told
    boris.witnessing.close()


def test_nothing_is_told_of_a_line_on_which_all_comes_late_nor_of_a_clock_that_stood_still(boris: Boris) -> None:
    for late_ms in (0, 300_000, 1_000):
        boris.passes(60_000)
        boris.host.order(End())
        boris.host.now_ms += late_ms
        boris.here.ms += late_ms
        boris.hear()
        boris.host.order(End())
        boris.here.ms += late_ms  # of the server's, which could write nothing down
        boris.hear()
    assert boris.told == []


def test_a_ping_that_is_answered_tells_that_the_server_has_our_links(boris: Boris, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[int] = []
    monkeypatch.setattr(boris.witnessing._games["duel"], "heard", heard.append)
    boris.witnessing.heard_all(boris.match, 7)
    assert heard == [7]


@pytest.mark.parametrize("forgets", ["follows it no more", "never pinged"])
def test_nothing_is_told_of_what_may_have_been_written_at_any_time(boris: Boris, forgets: str) -> None:
    boris.host.order(End())
    if forgets == "follows it no more":
        boris.ping()
        boris.hear()
        boris.witnessing.follows_no_more("duel")
    boris.host.now_ms += 600_000
    boris.host.act(Referee(text("meanwhile")), player="Rita")
    boris.host.now_ms += 600_000
    boris.host.order(End())
    boris.hear()
    assert boris.told == []


def test_nothing_is_told_of_what_is_given_back_or_paid_for_by_others(boris: Boris) -> None:
    boris.host.order(End())
    boris.ping()
    boris.hear()
    pending = boris.host.propose(boris.host.strike(random.Random(1)))
    assert pending is not None
    for act, here_ms in ((Away(600_000), 0), (Late("Boris", 1, 0), 600_000)):
        boris.host.now_ms += 600_000
        boris.here.ms += here_ms
        boris.host.act(act)
        boris.hear()
    assert not any(told.startswith("our clock has lost") for told in boris.told)


@pytest.mark.parametrize(("away_ms", "is_told"), [(0, True), (560_000, False)])
def test_time_that_is_taken_by_an_entry_that_says_that_nobody_kept_the_log_is_told(boris: Boris, away_ms: int, is_told: bool) -> None:
    """Dated ahead it took minutes from Boris' clock, and gave nothing back: he lost by time, and was told nothing."""
    boris.ping()
    boris.host.order(End())
    boris.hear()
    boris.passes(20_000)
    boris.host.now_ms += 560_000
    boris.host.act(Away(away_ms))
    boris.hear()
    boris.passes(20_000)
    boris.host.order(End())
    boris.hear()
    assert any(told.startswith("our clock has lost") for told in boris.told) == is_told


def test_a_game_that_is_known_to_its_end_is_said_to_be_quiet_as_a_ping_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    games, quiet = Games(lambda note: None), list[tuple[Match, int]]()
    monkeypatch.setattr(games._witnessing, "heard_all", lambda match, at_ms: quiet.append((match, at_ms)))

    class Line:
        name, heard_ms, pinged, answered = "Boris", 7, 0, 0

        def send(self, frame: protocol.Frame) -> None:
            return

    games.line, games._identity = Line(), of("Boris")  # type: ignore[assignment]
    host = seated()
    for name in ("now", "behind", "later", "unfollowed"):
        head = msgspec.structs.replace(host.head, game=name)
        games._matches[name] = open_match(GameFile(head, toy_files(), (), None), clock=lambda: 0, load=toy)
        games._held_to._is_now[name] = name != "later"
    games._wanted |= {"now", "behind", "later"}
    games.happen(protocol.Pong({"now": -1, "behind": 0, "later": -1}))
    assert quiet == [(games._matches["now"], 7)]


def test_whether_clocks_run_is_taken_as_it_is_told_of_games_that_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    games, told = Games(lambda note: None), list[tuple[str, bool]]()
    monkeypatch.setattr(games._witnessing, "stand", lambda game, now_ms, *, runs: told.append((game, runs)) or now_ms)
    games._wanted.add("duel")
    for game, runs_now in (("duel", True), ("duel", False), ("another", True)):
        games.happen(protocol.Waiting(game, "red", 0, 0, {}, runs=runs_now, paused=False))
    assert told == [("duel", True), ("duel", False)]


# -------------------------------------------------------------------- what others think for


SPARED = "the clocks of others stood still for {} s as the game waited for them, though the server was there"


def runs(boris: Boris, *, runs: bool = True) -> None:
    boris.witnessing.stand("duel", boris.here.ms, runs=runs)


def thinks(boris: Boris, ms: int, *, by_log_ms: int | None = None, every_ms: int = PINGS_MS, answered_after_ms: int = 0) -> None:
    """Let Anna think for so long, by the log for another time, while pings are answered, and what is known of clocks is told again."""
    for _ in range(ms // every_ms):
        at_ms = boris.here.ms = boris.here.ms + every_ms
        runs(boris, runs=boris.witnessing._turns["duel"].others._runs)
        boris.here.ms += answered_after_ms
        boris.witnessing.heard_all(boris.match, at_ms)
    boris.host.now_ms += ms if by_log_ms is None else by_log_ms


def ends_turn(boris: Boris) -> None:
    """End Anna's turn, and Boris' at once."""
    for _ in range(2):
        boris.host.order(End())
        boris.hear()


@pytest.mark.parametrize("way", ["its clock stands still", "it says that it was away"])
@pytest.mark.parametrize(("ms", "told"), [(20_000, []), (600_000, [SPARED.format(568)])])
def test_a_clock_that_stands_still_while_a_host_thinks_is_told_to_her_opponent(boris: Boris, ms: int, way: str, told: list[str]) -> None:
    runs(boris)
    if way == "its clock stands still":
        thinks(boris, ms, by_log_ms=0)
    else:
        thinks(boris, ms)
        boris.host.act(Away(ms))
    ends_turn(boris)
    assert boris.told == told
    thinks(boris, ms, by_log_ms=ms)
    ends_turn(boris)
    assert boris.told == told


def test_what_it_saves_her_is_summed_up(boris: Boris) -> None:
    runs(boris)
    for _ in range(2):
        thinks(boris, 60_000, by_log_ms=45_000)
        ends_turn(boris)
        assert boris.told == []
    thinks(boris, 60_000, by_log_ms=45_000)
    ends_turn(boris)
    assert boris.told == [SPARED.format(30)]


def told_of_nothing(boris: Boris) -> None:
    boris.ping()


def told_that_no_clock_runs(boris: Boris) -> None:
    runs(boris)
    runs(boris, runs=False)


def line_that_was_down(boris: Boris) -> None:
    runs(boris)
    boris.witnessing.known_as("Boris")


def game_that_is_shown_later(boris: Boris) -> None:
    runs(boris)
    boris.witnessing.follows_no_more("duel")


@pytest.mark.parametrize("why", [told_of_nothing, told_that_no_clock_runs, line_that_was_down, game_that_is_shown_later])
def test_nothing_is_told_of_a_clock_that_need_not_run_as_far_as_is_known(boris: Boris, why: Callable[[Boris], None]) -> None:
    why(boris)
    thinks(boris, 600_000, by_log_ms=0)
    ends_turn(boris)
    assert boris.told == []


def test_a_disk_that_is_held_up_lets_clocks_stand_as_long_as_it_is(boris: Boris) -> None:
    runs(boris)
    thinks(boris, 60_000)
    runs(boris, runs=False)
    thinks(boris, 600_000, by_log_ms=0)
    boris.here.ms += 600_000
    runs(boris)
    thinks(boris, 60_000)
    ends_turn(boris)
    assert boris.told == []


@pytest.mark.parametrize(("every_ms", "answered_after_ms"), [(PINGS_MS, PROMPT_MS + 1), (NEAR_MS + 1, 0)], ids=["busy", "asleep"])
def test_a_server_that_does_not_answer_at_once_may_have_stood_still(boris: Boris, every_ms: int, answered_after_ms: int) -> None:
    runs(boris)
    thinks(boris, 600_000, by_log_ms=0, every_ms=every_ms, answered_after_ms=answered_after_ms)
    ends_turn(boris)
    assert boris.told == []


def test_our_own_clock_may_stand_still(boris: Boris) -> None:
    runs(boris)
    boris.host.order(End())
    boris.hear()
    thinks(boris, 600_000, by_log_ms=0)
    boris.host.order(End())
    boris.hear()
    assert boris.told == []


@pytest.mark.parametrize("stands", [False, True])
def test_what_passes_while_somebody_looks_on_is_held_against_each_entry_that_comes_then(here: Here, stands: bool) -> None:
    """Not against the first one that comes as he plays; where the clock stood still he is told then."""
    seats = (SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second"))
    host = Host(terms=Terms(seats=seats, clock=ClockTerms("absolute", 3_600_000), dice=DiceTerms("witnessed", WAIT_MS)))
    host.begin()
    host.sit("red", "Anna")
    host.sit("blue", "Dora")
    boris = Boris(host, here)
    runs(boris)
    for _ in range(4):  # it is Anna's turn again
        thinks(boris, 60_000, by_log_ms=0 if stands else None)
        host.order(End())
        boris.hear()
    assert boris.told == []
    host.sit("blue", "Boris", "second")
    boris.hear(live=False)
    thinks(boris, 10_000)
    ends_turn(boris)
    assert bool(boris.told) == stands


STOOD = (
    "duel: the server said for {} s in all that no clock runs, as where it can't write, while the game waited for others, and for {} s "
    "while it waited for us: what was thought meanwhile costs nobody time"
)


def boris_thinks(boris: Boris) -> None:
    """End Anna's turn; no clock runs while Boris has his."""
    boris.host.order(End())
    boris.hear()
    thinks(boris, 20_000, by_log_ms=0)
    boris.host.order(End())
    boris.hear()


def test_a_server_that_says_often_that_no_clock_runs_is_remarked_once(boris: Boris) -> None:
    """A host who says so while she thinks is held to no clock by her log."""
    runs(boris, runs=False)
    boris_thinks(boris)
    thinks(boris, 55_000, by_log_ms=0)
    assert boris.remarks == []
    thinks(boris, 65_000, by_log_ms=0)
    assert (boris.remarks, boris.told) == ([STOOD.format(60, 20)], [])


def paused(boris: Boris) -> None:
    boris.host.act(Pause(on=True), player="Rita")
    boris.hear()


def resigned(boris: Boris) -> None:
    boris.host.act(Resign("red"), side="red", player="Anna")
    boris.hear()


def line_up_anew(boris: Boris) -> None:
    boris.witnessing.known_as("Boris")


def shown_later(boris: Boris) -> None:
    boris.witnessing.follows_no_more("duel")


def left_his_seat(boris: Boris) -> None:
    boris.host.leave("blue")
    boris.hear()


def runs_again(boris: Boris) -> None:
    runs(boris)


@pytest.mark.parametrize("why", [paused, resigned, line_up_anew, shown_later, left_his_seat, runs_again])
def test_no_clock_need_run_for_whom_none_does_by_the_log_or_as_far_as_is_known(boris: Boris, why: Callable[[Boris], None]) -> None:
    runs(boris, runs=False)
    why(boris)
    for _ in range(24):
        boris.here.ms += PINGS_MS
        boris.ping()
    assert boris.remarks == []


def test_of_a_time_without_pings_nothing_is_known(boris: Boris) -> None:
    runs(boris, runs=False)
    thinks(boris, 10 * (NEAR_MS + 1), by_log_ms=0, every_ms=NEAR_MS + 1)
    assert boris.remarks == []


UNHEARD = (
    "duel: the server was there, and answered nothing for {} s in all, as where it has much to do, while the game waited for "
    "others, and for {} s while it waited for us: what they did may have been dated back"
)


def comes(boris: Boris, *, ms: int, every_ms: int = PINGS_MS, answered: bool = False) -> None:
    """Let time pass in which the server is there; *answered*: it answers pings as well."""
    for _ in range(ms // every_ms):
        boris.here.ms += every_ms
        if answered:
            boris.ping()
        boris.witnessing.comes(boris.match)


def test_a_server_that_is_there_and_answers_no_ping_for_long_is_remarked_once(boris: Boris) -> None:
    """A host who is busy while she thinks is held to no clock of ours, and dates back what she does."""
    boris.ping()
    boris.host.order(End())
    boris.hear()
    comes(boris, ms=35_000)
    boris.host.order(End())
    boris.hear()
    boris.ping()
    comes(boris, ms=70_000)
    assert boris.remarks == []
    comes(boris, ms=65_000)
    assert (boris.remarks, boris.told) == ([UNHEARD.format(60, 20)], [])


@pytest.mark.parametrize(("every_ms", "answered"), [(PINGS_MS, True), (SILENT_MS + 1, False)], ids=["it answers", "asleep"])
def test_nothing_is_remarked_of_a_server_that_answers_or_of_a_time_in_which_nothing_came(
    boris: Boris, every_ms: int, answered: bool
) -> None:
    boris.ping()
    comes(boris, ms=600_000, every_ms=every_ms, answered=answered)
    assert boris.remarks == []


@pytest.mark.parametrize("why", [line_up_anew, shown_later, Boris.ping])
def test_what_comes_behind_a_break_may_be_answered_a_moment_later(boris: Boris, why: Callable[[Boris], None]) -> None:
    boris.ping()
    for _ in range(20):
        comes(boris, ms=UNHEARD_MS)
        why(boris)
    assert boris.remarks == []


@pytest.mark.parametrize("why", [paused, resigned, left_his_seat])
def test_nothing_is_remarked_where_no_clock_runs_or_he_does_not_play(boris: Boris, why: Callable[[Boris], None]) -> None:
    boris.ping()
    why(boris)
    comes(boris, ms=600_000)
    assert boris.remarks == []


def test_all_that_comes_of_a_followed_game_tells_that_its_server_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    games, told = Games(lambda note: None), list[str]()
    monkeypatch.setattr(games._witnessing, "comes", lambda match: told.append(match.game))
    host = seated()
    for name in ("now", "later", "unfollowed"):
        head = msgspec.structs.replace(host.head, game=name)
        games._matches[name] = open_match(GameFile(head, toy_files(), (), None), clock=lambda: 0, load=toy)
        games._held_to._is_now[name] = name != "later"
    games._wanted |= {"now", "later"}
    games.happen(protocol.Pong(is_busy=True))
    for name in ("now", "later", "unfollowed", "elsewhere"):
        games.happen(protocol.Present(name, ()))
    assert told == ["now", "now"]

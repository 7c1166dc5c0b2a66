"""A host who plays dates her orders back: her opponent pays for her thinking. His program knows when nothing had been written yet."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import msgspec
import pytest

from client.connection.games import Games
from client.connection.hourglass import SILENT_MS, TOLD_MS
from client.connection.hours import FREE_MS, NEAR_MS, PROMPT_MS, WRITTEN_MS
from client.connection.witnessing import Witnessing
from core import protocol
from core.gamefile import GameFile, open_match
from core.log import Away, Late, Pause, Referee, Resign, SetClock
from core.match import Match
from core.table import VERSION
from core.table_rules import DAY_MS
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


def away_for_nothing(boris: Boris) -> None:
    boris.host.act(Away(0))


def paused_for_nothing(boris: Boris) -> None:
    for is_on in (True, False):
        boris.host.act(Pause(on=is_on), player="Rita")


@pytest.mark.parametrize("writes", [away_for_nothing, paused_for_nothing])
@pytest.mark.parametrize("pings", [False, True], ids=["behind one ping", "one a ping"])
def test_it_is_found_however_many_entries_take_it(boris: Boris, pings: bool, writes: Callable[[Boris], None]) -> None:
    """What writing an entry may take was free for each, and what had passed since the ping before: a flag fell after 55 s of 895."""
    boris.passes(PINGS_MS)
    boris.host.order(End())
    boris.hear()
    taken_ms = 0
    while not boris.told:
        boris.here.ms += (PINGS_MS - 10) * pings
        boris.host.now_ms += (PINGS_MS - 10) * pings + WRITTEN_MS - 10
        taken_ms += WRITTEN_MS - 10
        writes(boris)
        boris.hear()
        boris.here.ms += 10 * pings
        boris.host.now_ms += 10 * pings
        if pings:
            boris.ping()
    assert boris.told == [TOLD.format(21)]
    assert taken_ms <= FREE_MS + 3 * WRITTEN_MS


STOOD = "our clock has lost {} s while the server said that no clock runs, unless what it said when they ran again was lost on its way"


@pytest.mark.parametrize(("side", "is_told"), [("blue", False), ("red", True)])
def test_what_is_left_of_a_clock_by_a_referees_word_was_not_lost(boris: Boris, side: str, is_told: bool) -> None:
    boris.ping()
    boris.host.order(End())
    boris.hear()
    boris.host.now_ms += 600_000
    boris.host.act(SetClock(side, 3_600_000), player="Rita")
    boris.hear()
    assert any(told.startswith("our clock has lost") for told in boris.told) == is_told


@pytest.mark.parametrize(("down_ms", "told"), [(0, [TOLD.format(598)]), (600_000 - FREE_MS, []), (600_000, [])])
@pytest.mark.parametrize("times", [1, 3])
def test_what_our_clock_loses_while_the_line_is_down_has_passed(boris: Boris, down_ms: int, times: int, told: list[str]) -> None:
    """The host cuts it for a moment, and lays what she thought for, by the log, to him."""
    boris.ping()
    boris.host.order(End())
    boris.hear()
    for _ in range(times):
        boris.here.ms += down_ms // times
        boris.witnessing.known_as("Boris")
    boris.host.now_ms += 600_000
    boris.host.order(End())
    boris.hear()
    assert boris.told == told


@pytest.mark.parametrize(("part", "is_told"), [(2_000, False), (500, True)])
def test_a_clock_that_goes_a_little_faster_than_ours_is_no_hosts_fault(here: Here, part: int, is_told: bool) -> None:
    boris = Boris(seated(terms=Terms(clock=ClockTerms("absolute", 3 * DAY_MS), dice=DiceTerms("witnessed", WAIT_MS))), here)
    boris.ping()
    boris.host.order(End())
    boris.hear()
    boris.here.ms += DAY_MS
    boris.host.now_ms += DAY_MS + DAY_MS // part
    boris.host.order(End())
    boris.hear()
    assert bool(boris.told) == is_told
    boris.witnessing.close()


@pytest.mark.parametrize(("stood_ms", "by_log_ms", "told"), [
    (600_000, 600_000, [STOOD.format(597)]), (600_000, 0, []), (FREE_MS + WRITTEN_MS, FREE_MS + WRITTEN_MS, []),
], ids=["it ran", "it stood", "for a moment"])
def test_what_our_clock_loses_while_the_server_says_that_none_runs_is_told(
    boris: Boris, stood_ms: int, by_log_ms: int, told: list[str]
) -> None:
    """Boris had 575 s on his screen, where the clock stood still, and his flag fell."""
    boris.ping()
    boris.host.order(End())
    boris.hear()
    runs(boris, runs=False)
    thinks(boris, stood_ms, by_log_ms=by_log_ms)
    runs(boris)
    thinks(boris, 60_000)
    boris.host.order(End())
    boris.hear()
    assert boris.told == told


def test_a_clock_that_runs_by_the_log_only_since_the_last_entry_may_be_said_to_run_a_moment_later(boris: Boris) -> None:
    boris.host.order(End())
    boris.host.act(Pause(on=True), player="Rita")
    boris.hear()
    runs(boris, runs=False)
    boris.passes(600_000)
    boris.host.act(Pause(on=False), player="Rita")
    boris.hear()
    boris.passes(FREE_MS)
    runs(boris)
    boris.passes(600_000)
    boris.host.order(End())
    boris.hear()
    assert boris.told == []


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


SPARED = (
    "the clocks of others stood still for {} s as the game waited for them, though the server was there, unless it went on from a "
    "backup of before that: then the log says that a server took the game over"
)


def runs(boris: Boris, *, runs: bool = True) -> None:
    boris.witnessing.stand("duel", boris.here.ms, runs=runs)


def thinks(boris: Boris, ms: int, *, by_log_ms: int | None = None, every_ms: int = PINGS_MS, answered_after_ms: int = 0) -> None:
    """Let Anna think for so long, by the log for another time, while pings are answered, and what is known of clocks is told again."""
    for _ in range(ms // every_ms):
        at_ms = boris.here.ms = boris.here.ms + every_ms
        runs(boris, runs=bool(boris.witnessing._glass("duel")._runs))
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
        thinks(boris, 60_000, by_log_ms=47_000)
        ends_turn(boris)
        assert boris.told == []
    thinks(boris, 60_000, by_log_ms=47_000)
    ends_turn(boris)
    assert boris.told == [SPARED.format(3 * 13 - 2 - 3 * 60 // 20)]


def test_what_it_saves_her_is_summed_up_however_many_entries_it_takes(boris: Boris) -> None:
    """An entry before each answer left nothing that was known to have passed, or the time that writing one may take was free for each."""
    runs(boris)
    for _ in range(20):
        boris.here.ms += PINGS_MS - 10
        boris.host.act(Away(0))
        boris.hear()
        boris.here.ms += 10
        boris.ping()
    assert boris.told == [SPARED.format(22)]


# -------------------------------------------------------------------- what is read twice


def reads_anew(boris: Boris) -> None:
    """Read the game from its beginning, under the head that it had, as after a restored backup."""
    boris.match = open_match(GameFile(boris.host.head, toy_files(), (), None), clock=lambda: 0, load=toy)
    boris.witnessing.known_as("Boris")
    boris.witnessing.begin(boris.host.head, boris.match)
    boris.hear(live=False)
    runs(boris)


def test_nothing_that_he_thought_is_counted_again_where_the_game_comes_from_its_beginning(boris: Boris) -> None:
    """After a backup was restored the server was called one that dates orders back: its log was held against no time at all."""
    runs(boris)
    for _ in range(3):
        boris.passes(60_000)
        boris.host.order(End())
        boris.hear()
    reads_anew(boris)
    for _ in range(2):
        boris.passes(10_000)
        boris.host.order(End())
        boris.hear()
    assert boris.told == []


@pytest.mark.parametrize("how", ["dated back", "stands still"])
def test_what_was_found_before_the_game_came_from_its_beginning_stays_found(boris: Boris, how: str) -> None:
    runs(boris)
    for turn in range(3):
        assert boris.told == []
        if how == "dated back":
            boris.turns(60_000, dated_back_ms=12_000)
        else:
            thinks(boris, 60_000, by_log_ms=47_000)
            ends_turn(boris)
        if turn == 1:
            reads_anew(boris)
            boris.ping()
    assert boris.told[-1:] == [TOLD.format(30) if how == "dated back" else SPARED.format(26)]


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


UNCHECKED = (
    "duel: for {} s in all while the game waited for others, and for {} s while it waited for us, the server was there and its "
    "clock could not be checked: it said that no clock runs, as where it can't write, or its answers came late, as where it, or this "
    "program, has much to do, or the line was made anew; how long anybody thought then is its word alone"
)


def boris_thinks(boris: Boris) -> None:
    """End Anna's turn; no clock runs while Boris has his."""
    boris.host.order(End())
    boris.hear()
    thinks(boris, 20_000, by_log_ms=0)
    boris.host.order(End())
    boris.hear()


def test_a_server_that_says_often_that_no_clock_runs_is_remarked(boris: Boris) -> None:
    """A host who says so while she thinks is held to no clock by her log."""
    runs(boris, runs=False)
    boris_thinks(boris)
    thinks(boris, 55_000, by_log_ms=0)
    assert boris.remarks == []
    thinks(boris, 60_000, by_log_ms=0)
    assert (boris.remarks, boris.told) == ([UNCHECKED.format(60, 20)], [])


def test_it_is_remarked_again_as_it_has_doubled(boris: Boris) -> None:
    """It was told at a minute, which honest lines come to as well; then she thought for an hour, and he read of a minute."""
    runs(boris, runs=False)
    thinks(boris, 3_600_000, by_log_ms=0)
    assert (boris.remarks, boris.told) == ([UNCHECKED.format(60 * minutes, 0) for minutes in (1, 2, 4, 8, 16, 32)], [])


def paused(boris: Boris) -> None:
    boris.host.act(Pause(on=True), player="Rita")
    boris.hear()


def resigned(boris: Boris) -> None:
    boris.host.act(Resign("red"), side="red", player="Anna")
    boris.hear()


def left_his_seat(boris: Boris) -> None:
    boris.host.leave("blue")
    boris.hear()


def runs_again(boris: Boris) -> None:
    runs(boris)


@pytest.mark.parametrize("why", [paused, resigned, left_his_seat, runs_again])
def test_no_clock_need_run_for_whom_none_does_by_the_log_or_as_is_said(boris: Boris, why: Callable[[Boris], None]) -> None:
    runs(boris, runs=False)
    why(boris)
    for _ in range(24):
        boris.here.ms += PINGS_MS
        boris.ping()
    assert boris.remarks == []


def test_of_a_time_without_pings_nothing_is_known(boris: Boris) -> None:
    runs(boris, runs=False)
    thinks(boris, 10 * (SILENT_MS + 1), by_log_ms=0, every_ms=SILENT_MS + 1)
    assert boris.remarks == []


def comes(boris: Boris, *, ms: int, every_ms: int = PINGS_MS, answered: bool = False) -> None:
    """Let time pass in which the server is there; *answered*: it answers pings as well."""
    for _ in range(ms // every_ms):
        boris.here.ms += every_ms
        if answered:
            boris.ping()
        boris.witnessing.comes(boris.match)


def test_a_server_that_is_there_and_answers_no_ping_for_long_is_remarked(boris: Boris) -> None:
    """A host who is busy while she thinks is held to no clock of ours, and dates back what she does."""
    boris.ping()
    boris.host.order(End())
    boris.hear()
    comes(boris, ms=35_000)
    boris.host.order(End())
    boris.hear()
    boris.ping()
    comes(boris, ms=55_000)
    assert boris.remarks == []
    comes(boris, ms=60_000)
    assert (boris.remarks, boris.told) == ([UNCHECKED.format(60, 35)], [])


def test_a_server_that_answers_no_ping_while_his_order_lies_there_is_remarked(boris: Boris) -> None:
    boris.host.order(End())
    boris.hear()
    boris.ping()
    comes(boris, ms=TOLD_MS - PINGS_MS)
    assert boris.remarks == []
    comes(boris, ms=PINGS_MS)
    assert boris.remarks == [UNCHECKED.format(0, 60)]


@pytest.mark.parametrize(("every_ms", "answered"), [(PINGS_MS, True), (SILENT_MS + 1, False)], ids=["it answers", "asleep"])
def test_nothing_is_remarked_of_a_server_that_answers_or_of_a_time_in_which_nothing_came(
    boris: Boris, every_ms: int, answered: bool
) -> None:
    runs(boris)
    comes(boris, ms=600_000, every_ms=every_ms, answered=answered)
    assert boris.remarks == []


def line_up_anew(boris: Boris) -> None:
    boris.witnessing.known_as("Boris")
    runs(boris)


def shown_later(boris: Boris) -> None:
    boris.witnessing.follows_no_more("duel")
    runs(boris)


def game_that_comes_anew(boris: Boris) -> None:
    boris.witnessing.begin(msgspec.structs.replace(boris.host.head, table=VERSION - boris.here.ms % 2), boris.match)
    boris.here.ms += 1
    runs(boris)


def no_clock_ran_for_a_moment(boris: Boris) -> None:
    runs(boris, runs=False)
    runs(boris)
    boris.ping()


def late_answer(boris: Boris) -> None:
    boris.witnessing.heard_all(boris.match, boris.here.ms - PROMPT_MS - 1)


def answer_to_each_second_ping(boris: Boris) -> None:
    if boris.here.ms % (2 * PINGS_MS) == 0:
        boris.ping()


@pytest.mark.parametrize("why", [
    line_up_anew, shown_later, game_that_comes_anew, no_clock_ran_for_a_moment, late_answer, answer_to_each_second_ping,
])
def test_a_host_who_has_her_clock_checked_by_nothing_is_remarked_whatever_she_does(boris: Boris, why: Callable[[Boris], None]) -> None:
    """Each of these cleared what was counted, though it tells nothing of her clock: she thought for nothing."""
    runs(boris)
    for _ in range(TOLD_MS // PINGS_MS):
        assert boris.remarks == []
        comes(boris, ms=PINGS_MS)
        why(boris)
    comes(boris, ms=2 * PINGS_MS)
    why(boris)
    assert boris.remarks == [UNCHECKED.format(60, 0)]


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


# -------------------------------------------------------------------- dates


DATES = (
    "duel: by the dates of the server {} days more have passed than here since this program knows the game, unless its clock was set "
    "right: a time that is agreed in days, as the two weeks for which a seat is kept, may not have passed"
)


@pytest.mark.parametrize(("days", "here_days", "told"), [(14, 0, [14]), (14, 14, []), (14, 13, [1]), (0, 14, [])])
@pytest.mark.parametrize("clock", ["none", "absolute"])
def test_days_that_pass_within_one_entry_and_not_here_are_remarked(
    here: Here, clock: str, days: int, here_days: int, told: list[int]
) -> None:
    """A host whose log lay two weeks in the past let two weeks pass at once: the seat that was left last night was anybody's."""
    boris = Boris(seated(terms=Terms(clock=ClockTerms(clock, 3_600_000 if clock != "none" else 0))), here)
    boris.ping()
    boris.host.act(Pause(on=True), player="Rita")
    boris.hear()
    boris.host.now_ms += days * DAY_MS
    boris.here.ms += here_days * DAY_MS
    for _ in range(2):
        boris.host.act(Referee(text("two weeks later")), player="Rita")
        boris.hear()
    assert (boris.remarks, boris.told) == ([DATES.format(one) for one in told], [])
    boris.witnessing.close()


def test_a_server_that_slept_for_days_and_makes_up_for_it_is_not_remarked(boris: Boris) -> None:
    boris.host.act(Pause(on=True), player="Rita")
    boris.ping()
    boris.hear()
    for _ in range(3):
        boris.here.ms += 3 * DAY_MS
        boris.ping()
        boris.host.act(Referee(text("its clock stood still")), player="Rita")
        boris.hear()
        boris.host.now_ms += 3 * DAY_MS
        boris.host.act(Referee(text("and caught up")), player="Rita")
        boris.hear()
    assert boris.remarks == []


def test_what_was_written_while_a_line_was_down_for_days_comes_at_once(boris: Boris) -> None:
    boris.ping()
    boris.host.act(Pause(on=True), player="Rita")
    boris.here.ms += 20 * DAY_MS
    boris.hear()
    boris.host.now_ms += 20 * DAY_MS
    boris.host.act(Referee(text("three weeks later")), player="Rita")
    boris.hear()
    assert boris.remarks == []

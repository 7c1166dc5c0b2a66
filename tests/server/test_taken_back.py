"""An order that was refused, an answer ahead that was taken back: a host who plays uses it when it suits her, and its giver is told."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from client.connection import table
from client.connection.fouls import Foul
from client.connection.games import Games
from client.connection.notes import Note
from client.connection.taken_back import DONE, WAITS_REFUSED, WRITTEN
from core import protocol
from core.bots.random_bot import choose
from core.log import AnyAct, Entry, Late, Pending, Resign
from core.orders import Order, name_of
from core.pack import Pack
from core.text import text
from tests.server.conftest import of, open_toy
from tests.server.following import Boris
from tests.server.random_table import Line
from tests.server.test_watched import GAME, Kept, some
from tests.toy.ruleset import End, toy_files
from tests.toy.witnessed import Host, seated

TOLD = [WRITTEN]


LEFT = (protocol.SeatLine("red", "", "", online=False, limited=False, kept_for="Anna"),)


class Anna:
    """Her program, which hears what a test says of a game that Boris keeps."""

    def __init__(self, log: Kept) -> None:
        self.log, self.notes = log, list[Note]()
        self.games = Games(self.notes.append, lambda digest: Pack(dict(toy_files())))
        self.games._identity, self.games.line = of("Anna"), Line("Anna")  # type: ignore[assignment]
        self.games._witnessing.be(of("Anna"), None)
        self.games._witnessing.known_as("Anna")
        self.games.follow(GAME)
        self._begins()

    def comes_anew(self) -> None:
        """The server says that its game is another than she knows, and sends all of it."""
        self._begins(another=True)

    def _begins(self, *, another: bool = False) -> None:
        self.games.happen(protocol.Opened(GAME, self.log.head, "0" * 64, len(self.log.entries) - 1, another=another))
        self.hears(*self.log.entries)

    def hears(self, *entries: Entry) -> None:
        self.games.happen(protocol.NewEntries(GAME, entries))

    def sent(self) -> protocol.Give | protocol.AnswerAhead | protocol.Revoke | protocol.DoAct:
        """Return what she sent last."""
        frame = self.games.line.out.pop()  # type: ignore[union-attr]
        assert isinstance(frame, protocol.Give | protocol.AnswerAhead | protocol.Revoke | protocol.DoAct)
        return frame

    def gives(self) -> protocol.Give:
        self.games.give(GAME, "red", End())
        frame = self.sent()
        assert isinstance(frame, protocol.Give)
        return frame

    def does(self, act: AnyAct) -> protocol.DoAct:
        table.do(self.games, GAME, "red", act)
        frame = self.sent()
        assert isinstance(frame, protocol.DoAct)
        return frame

    def answers(self, order: Order | None = None, *, turn: int = -1, refused: str = "") -> protocol.AnswerAhead:
        """Answer the decision that the game waits for ahead; the server keeps it, or refuses to."""
        table.answer_ahead(self.games, GAME, "red", self.log.match.awaited()[0], order or End(), turn=turn)
        frame = self.sent()
        assert isinstance(frame, protocol.AnswerAhead)
        if refused:
            self.is_refused(frame.order_id, refused)
        else:
            self.games.happen(protocol.Accepted(GAME, frame.order_id, -1))
        return frame

    def revokes(self) -> None:
        table.revoke(self.games, GAME, "red", self.log.match.awaited()[0])
        self.games.happen(protocol.Accepted(GAME, self.sent().order_id, -1))

    def is_refused(self, order_id: str, words: str = "the game is paused") -> None:
        self.games.happen(protocol.NotAccepted(GAME, order_id, "", text(words, why="no room")))

    def words(self) -> list[str]:
        return [str(note.text) for note in self.notes if isinstance(note, Foul)]


@pytest.fixture
def log() -> Kept:
    return Kept()


@pytest.fixture
def anna(log: Kept, monkeypatch: pytest.MonkeyPatch) -> Iterator[Anna]:
    monkeypatch.setattr("client.connection.games.open_match", open_toy)
    made = Anna(log)
    yield made
    made.games._witnessing.close()


def refused(anna: Anna, given: protocol.Give) -> None:
    anna.is_refused(given.order_id)


def half_way(anna: Anna, given: protocol.Give) -> None:
    anna.is_refused(given.order_id, protocol.NOT_WRITTEN)


def clicked_twice(anna: Anna, given: protocol.Give) -> None:
    again = anna.gives()
    assert again.signature == given.signature
    anna.is_refused(again.order_id, "an order waits for its dice")


def given_before(anna: Anna, given: protocol.Give) -> None:
    """By her program, before it was started anew; it waits for a link."""
    anna.is_refused(given.order_id, "an order waits for its dice, and they wait for {names}")


def asked_before(anna: Anna, given: protocol.Give) -> None:
    ask(anna, given)
    refused(anna, given)


def asked_behind(anna: Anna, given: protocol.Give) -> None:
    refused(anna, given)
    ask(anna, given)


def ask(anna: Anna, given: protocol.Give) -> None:
    """Ask for the dice of an order, as a host does whom nobody owes a link: the server alone throws them."""
    record = Pending("red", "Anna", given.order, 0, 1, b"", given.signature)
    anna.games.happen(protocol.LinkWanted(GAME, record))


def given_anew(anna: Anna, given: protocol.Give) -> None:
    anna.is_refused(given.order_id)
    anna.gives()


def accepted(anna: Anna, given: protocol.Give) -> None:
    anna.games.happen(protocol.Accepted(GAME, given.order_id, 3))


def failed(anna: Anna, given: protocol.Give) -> None:
    anna.games.happen(protocol.Failed("server", "", "a fault of a rule, behind its dice", GAME, given.order_id))


def failed_as_busy(anna: Anna, given: protocol.Give) -> None:
    """She reads only that it could not be taken."""
    anna.games.happen(protocol.Failed("act", "another one", "busy", GAME, given.order_id))


def refused_at_another_game(anna: Anna, given: protocol.Give) -> None:
    anna.games.happen(protocol.NotAccepted("another", given.order_id, "", text("busy")))


def shown_later(anna: Anna, given: protocol.Give) -> None:
    """She has left her seat, and gave it before her program was started anew: it is done, and not shown yet."""
    anna.games.happen(protocol.Waiting(GAME, "", 0, 0, {}, runs=False, paused=False, chairs=LEFT))
    refused(anna, given)


def asked_for_again(anna: Anna, given: protocol.Give) -> None:
    """What is done by now is on its way."""
    anna.games.follow(GAME)
    refused(anna, given)


@pytest.mark.parametrize(("happens", "told"), [
    (refused, TOLD), (shown_later, []), (asked_for_again, []), (half_way, []), (clicked_twice, []), (given_before, TOLD),
    (asked_before, TOLD), (asked_behind, TOLD), (given_anew, []), (accepted, []), (failed, []), (failed_as_busy, TOLD),
    (refused_at_another_game, TOLD),
])
def test_an_order_that_was_refused_and_is_written_down_is_told(
    log: Kept, anna: Anna, happens: Callable[[Anna, protocol.Give], None], told: list[str]
) -> None:
    given = anna.gives()
    happens(anna, given)
    anna.hears(log.order(End(), given.signature))
    assert anna.words() == told


def test_of_an_order_that_was_accepted_nothing_is_kept(log: Kept, anna: Anna) -> None:
    """A bot's program grew by half a kilobyte with each."""
    given = anna.gives()
    entry = log.order(End(), given.signature)
    anna.hears(entry)
    anna.games.happen(protocol.Accepted(GAME, given.order_id, entry.number))
    assert not anna.games._held_to._taken_back._given
    assert not anna.games._held_to._promised._old


def test_an_order_that_was_clicked_twice_and_accepted_once_is_not_taken_back(log: Kept, anna: Anna) -> None:
    """Where the game comes anew its entry comes once more."""
    given, again = anna.gives(), anna.gives()
    entry = log.order(End(), given.signature)
    anna.hears(entry)
    anna.games.happen(protocol.Accepted(GAME, given.order_id, entry.number))
    refused(anna, again)
    assert not anna.games._held_to._taken_back._refused


def used(log: Kept, answer: protocol.AnswerAhead) -> Entry:
    """Use an answer as a server does."""
    return log.order(log.match.codec.decode(answer.order), answer.signature + answer.turn.to_bytes(8, "big", signed=True))


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("revokes", [False, True])
def test_an_answer_ahead_that_was_taken_back_and_is_used_is_told(log: Kept, anna: Anna, revokes: bool, anew: bool) -> None:
    answer = anna.answers()
    if revokes:
        anna.revokes()
    if anew:
        assert anna.answers().signature == answer.signature
    anna.hears(used(log, answer))
    assert anna.words() == (TOLD if revokes and not anew else [])


def test_what_was_used_while_nobody_followed_may_have_been_so_before_it_was_taken_back(log: Kept, anna: Anna) -> None:
    answer = anna.answers()
    anna.games.unfollow(GAME)
    entry = used(log, answer)
    anna.revokes()
    anna.games.follow(GAME)
    anna.games.happen(protocol.Opened(GAME, log.head, "0" * 64, entry.number))
    anna.hears(entry)
    assert anna.words() == []


@pytest.mark.parametrize(("early", "told"), [(True, []), (False, TOLD)])
def test_a_game_that_comes_anew_tells_once_more_where_an_answer_was_used_before_it_was_taken_back(
    log: Kept, anna: Anna, early: bool, told: list[str]
) -> None:
    """As when it is over, and its secrets lie open."""
    answer = anna.answers()
    if early:
        anna.hears(used(log, answer))
    anna.revokes()
    if not early:
        used(log, answer)
    anna.comes_anew()
    assert anna.words() == told


@pytest.mark.parametrize(("words", "told"), [("the game is paused", TOLD), (protocol.NOT_WRITTEN, [])])
@pytest.mark.parametrize("kept", [False, True], ids=["alone", "kept already"])
def test_an_answer_ahead_that_was_refused_and_is_used_is_told(log: Kept, anna: Anna, kept: bool, words: str, told: list[str]) -> None:
    if kept:
        anna.answers()
    answer = anna.answers(refused=words)
    anna.hears(used(log, answer))
    assert anna.words() == ([] if kept else told)


def test_an_answer_that_was_asked_for_twice_and_kept_once_is_not_taken_back(log: Kept, anna: Anna) -> None:
    refused_once, answer = anna.answers(refused="the game is paused"), anna.answers()
    assert answer.signature == refused_once.signature
    anna.hears(used(log, answer))
    assert anna.words() == []


def goes_on(log: Kept, anna: Anna) -> None:
    for _ in range(3):
        anna.hears(log.order(choose(log.match.view, random.Random(1))))


@pytest.mark.parametrize(("words", "told"), [("the game is paused", [DONE]), (protocol.NOT_WRITTEN, [])])
@pytest.mark.parametrize("happens", [lambda log, anna: None, goes_on], ids=["at once", "later"])
def test_an_act_that_was_refused_and_is_written_down_is_told(
    log: Kept, anna: Anna, happens: Callable[[Kept, Anna], None], words: str, told: list[str]
) -> None:
    act = anna.does(Resign("red"))
    anna.is_refused(act.order_id, words)
    happens(log, anna)
    anna.hears(log.act(Resign("red"), "red", "Anna", act.signature))
    assert anna.words() == told


def test_an_act_that_was_asked_for_anew_and_is_written_down_once_is_not_told(log: Kept, anna: Anna) -> None:
    first = anna.does(Resign("red"))
    anna.is_refused(first.order_id)
    again = anna.does(Resign("red"))
    anna.hears(log.act(Resign("red"), "red", "Anna", again.signature))
    assert anna.words() == []


def test_an_act_that_is_known_to_be_done_is_refused_in_vain(log: Kept, anna: Anna) -> None:
    """Asked for once more when the line was cut, it may be; the game that comes anew tells of it again."""
    act = anna.does(Resign("red"))
    anna.hears(log.act(Resign("red"), "red", "Anna", act.signature))
    anna.is_refused(act.order_id)
    anna.comes_anew()
    assert DONE not in anna.words()


def test_an_order_that_was_refused_and_is_said_to_wait_is_told(log: Kept, anna: Anna) -> None:
    """For its own player's link, as he had left: the game was claimed."""
    given = anna.gives()
    refused(anna, given)
    record = Pending("red", "Anna", given.order, log.match.log.head, 1, log.entries[-1].hash, given.signature)
    anna.hears(log.act(Late("Anna", 1, 0, waits=record)))
    assert WAITS_REFUSED in anna.words()


@pytest.mark.parametrize(("which", "told"), [(0, TOLD), (1, [])])
def test_an_answer_ahead_in_whose_place_came_another_is_told_where_it_is_used(log: Kept, anna: Anna, which: int, told: list[str]) -> None:
    answers = anna.answers(), anna.answers(turn=9)
    anna.hears(used(log, answers[which]))
    assert anna.words() == told


def test_an_answer_that_waits_for_its_dice_already_is_taken_back_by_nothing(log: Kept, anna: Anna) -> None:
    order = some(log, "strike")
    answer = anna.answers(order)
    entry = used(log, answer)
    anna.revokes()
    anna.hears(entry)
    assert anna.words() == []


@pytest.fixture
def host() -> Host:
    """A game with witnessed dice, in which Boris may strike."""
    host = seated()
    for seed in range(400):
        if host.match.view.side_to_act() == "blue" and strikes(host):
            return host
        host.order(choose(host.match.view, random.Random(seed)))
    raise AssertionError("Boris never strikes")


def strikes(host: Host) -> list[Order]:
    found = (choose(host.match.view, random.Random(seed)) for seed in range(50))
    return [order for order in found if name_of(order) == "strike"]


@pytest.mark.parametrize(("asks", "told"), [
    ("nothing", TOLD), ("junk", TOLD), ("its dice", [WAITS_REFUSED]), ("its dice before", []),
])
def test_an_order_waits_for_its_dice_where_a_link_was_shown_for_it_and_not_where_anything_was_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, host: Host, asks: str, told: list[str]
) -> None:
    """A number that is decided is asked for without a word, by any signature: what had been refused was then written down untold."""
    monkeypatch.setattr("client.connection.games.open_match", open_toy)
    boris, own = Boris(host, tmp_path / "witnessed.sqlite"), host.programs.pop("Boris")
    boris.reads((), upto=len(host.match.log) - 1)
    given = boris.gives(strikes(host)[0])
    host.programs["Boris"] = own
    if asks == "its dice before":
        again, early = boris.gives(strikes(host)[0]), host.propose(strikes(host)[0])
        assert early is not None
        assert again.signature == given.signature
        boris.is_asked(early)
        boris.games.happen(protocol.NotAccepted(GAME, again.order_id, "", text("the game is paused")))
    boris.games.happen(protocol.NotAccepted(GAME, given.order_id, "", text("the game is paused")))
    pending = host.pending or host.propose(host.match.codec.decode(given.order))
    assert pending is not None
    assert pending.signature == given.signature
    if asks == "junk":
        boris.is_asked(msgspec.structs.replace(pending, k=pending.k - 1))
    elif asks == "its dice":
        boris.is_asked(pending)
    boris.hears(host.finish(host.gather(pending)))
    assert [words for words in boris.words() if words in (*TOLD, WAITS_REFUSED)] == told
    boris.games._witnessing.close()

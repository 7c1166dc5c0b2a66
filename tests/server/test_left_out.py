"""What is decided by a link that stays away is told to its owner, whatever the server has his program believe of the line."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import struct_time

import msgspec
import pytest

from client.connection.left_out import BEFORE, MOST_TOLD, LeftOut, day_and_hour
from client.connection.line import Up
from client.connection.shown import Memory
from client.connection.watcher import Behind
from core import protocol
from core.log import Flag, Late, Offer
from core.table import LEADERS_WITNESS
from core.terms import ClockTerms, DiceTerms, SeatTerms, Terms
from server.witness import LATE_S
from tests.server.conftest import open_toy
from tests.server.following import Boris
from tests.server.hostile import at_a_strike, words
from tests.server.random_table import GAME, House, Person, found_wrong
from tests.server.test_held_up import WAIT_MS as WAIT_IN_HOUSE_MS
from tests.server.test_held_up import Played, played  # noqa: F401
from tests.server.test_held_up import at_a_strike as at_a_strike_in
from tests.toy.ruleset import End
from tests.toy.witnessed import SIDES, WAIT_MS, Host, Program, seated

NOT_ASKED, ASKED = ": this program was not asked for it", ": this program was asked for it"


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)


def told(program: Program) -> list[str]:
    """Return what a program tells of that was decided without its player, but for the hour."""
    return [str(one).partition(", and has had its line since ")[0].partition("; decided at ")[0] for one in program.left_out]


@pytest.mark.parametrize(("choice", "said"), [
    ("unwitnessed", "Anna went on without your link for the dice of number 1"),
    ("claim", "Anna claimed the game, as your link for the dice of number 1 stayed away"),
])
def test_who_was_away_reads_what_was_decided_without_him(choice: str, said: str) -> None:
    host, order = at_a_strike()
    pending = host.propose(order)
    assert pending is not None
    host.gather(pending, absent=["Boris"])
    host.give_up_on("Boris", pending, choice)
    assert (words(host.programs["Boris"]), told(host.programs["Boris"])) == ([], [said + NOT_ASKED])
    assert told(host.programs["Anna"]) == []


def test_who_could_not_show_his_link_reads_that_he_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    host, order = at_a_strike()
    boris = host.programs["Boris"]
    monkeypatch.setattr(boris.memory, "show", lambda *_, known: (_ for _ in ()).throw(OSError("no room")))
    pending = host.propose(order)
    assert pending is not None
    host.gather(pending)
    host.give_up_on("Boris", pending, "unwitnessed")
    assert told(boris) == ["Anna went on without your link for the dice of number 1" + ASKED]


@pytest.mark.parametrize(("away", "said"), [
    (False, ": this program was not asked for it, and has had its line since 20:15; decided at 20:13"),
    (True, ": this program's line was down then, and has been up since 20:15; decided at 20:13"),
])
def test_who_was_away_reads_when_it_was_decided_and_that_his_line_was_down_then(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, away: bool, said: str
) -> None:
    """As his computer slept: what he read told him nothing but that his program had had its line, and not been asked."""
    monkeypatch.setattr("client.connection.games.open_match", open_toy)
    monkeypatch.setattr("client.connection.witness.hour", lambda: "20:15")
    monkeypatch.setattr("client.connection.left_out.day_and_hour", lambda time_ms: f"20:{time_ms // 60_000}")
    host, order = at_a_strike()
    host.now_ms = 12 * 60_000
    boris = Boris(host, tmp_path / "witnessed.sqlite")
    boris.reads((), upto=(last := len(host.match.log) - 1))
    pending = host.propose(order)
    assert pending is not None
    host.gather(pending, absent=["Boris"])
    host.give_up_on("Boris", pending, "unwitnessed")
    boris.games.happen(Up("Boris"))
    boris.opens(len(host.match.log) - 1 if away else last)
    boris.hears(*host.match.log.entries[last + 1 :])
    assert [str(one) for one in boris.notes if isinstance(one, LeftOut)] == [
        "Anna went on without your link for the dice of number 1" + said
    ]
    boris.games._witnessing.close()


@pytest.mark.parametrize(("then", "said"), [
    ((1943, 2, 2, 20, 15, 0, 0, 0, 0), "20:15"), ((1943, 2, 1, 20, 15, 0, 0, 0, 0), "1943-02-01 20:15"),
])
def test_the_day_is_told_where_it_was_another(monkeypatch: pytest.MonkeyPatch, then: tuple[int, ...], said: str) -> None:
    monkeypatch.setattr("time.localtime", lambda *at: struct_time(then if at else (1943, 2, 2, 21, 0, 0, 0, 0, 0)))
    assert day_and_hour(0) == said


def test_time_that_ran_out_for_his_link_is_told() -> None:
    clock = ClockTerms("absolute", 60_000, 0, "lose")
    host = seated(terms=Terms(dice=DiceTerms("witnessed", WAIT_MS), clock=clock))
    pending = host.propose(host.strike(random.Random(1)))
    assert pending is not None
    host.gather(pending, absent=["Boris"])
    host.act(Late("Boris", pending.k, 0))
    host.now_ms += 60_001
    host.act(Flag("blue"))
    assert (words(host.programs["Boris"]), told(host.programs["Anna"])) == ([], [])
    assert told(host.programs["Boris"]) == ["time ran out for blue as your link for the dice of number 1 was waited for" + NOT_ASKED]


def test_that_he_has_to_wait_on_is_nothing_that_was_decided() -> None:
    host, order = at_a_strike()
    pending = host.propose(order)
    assert pending is not None
    host.gather(pending, absent=["Boris"])
    host.give_up_on("Boris", pending, "wait")
    assert told(host.programs["Boris"]) == []


def test_who_sits_beside_him_decides_nothing_for_his_side_that_he_does_not_read() -> None:
    """A friend of the host's sat at his side: without her link or with it, whichever dice pleased her, were two throws to choose from."""
    seats = (SeatTerms("red"), SeatTerms("blue"), SeatTerms("blue", "second"))
    host = seated(terms=Terms(dice=DiceTerms("witnessed", WAIT_MS), seats=seats), table=LEADERS_WITNESS)
    host.sit("blue", "Fritz", "second")
    pending = host.propose(host.strike(random.Random(1)))
    assert pending is not None
    host.gather(pending, absent=["Anna"])
    host.act(Late("Anna", pending.k, 0))
    host.now_ms += WAIT_MS
    host.chooses("Fritz", "blue", "Anna", pending, "unwitnessed")
    assert told(host.programs["Boris"]) == ["Fritz decided for your side about the link of Anna for the dice of number 1: unwitnessed"]
    assert told(host.programs["Fritz"]) == []


@pytest.mark.parametrize("far", [True, False], ids=["of a far number", "of the next"])
def test_a_link_that_is_asked_for_in_vain_was_not_asked_for(far: bool) -> None:
    """Once asked against a record that follows nothing known a program took all links to come as asked for, and kept silent for ever."""
    host, order = at_a_strike()
    boris = host.programs["Boris"]
    boris.witness.known_to_its_end(boris.match)
    pending = host.propose(order)
    assert pending is not None
    k = 10**6 if far else pending.k
    boris.witness.answer(boris.match, host.wanted(msgspec.structs.replace(pending, before=b"?" * 32, k=k)))
    host.gather(pending, absent=["Boris"])
    host.give_up_on("Boris", pending, "unwitnessed")
    assert words(boris) == ["Anna decided about your link (unwitnessed), for which the server never asked"]


def test_who_was_asked_before_what_the_order_waited_behind_had_come_was_asked() -> None:
    host, order = at_a_strike()
    boris = host.programs.pop("Boris")
    boris.witness.known_to_its_end(boris.match)
    known = len(host.match.log)
    host.act(Offer("draw"), side="red", player="Anna")
    host.programs["Boris"] = boris
    pending = host.propose(order)
    assert pending is not None
    boris.witness.answer(boris.match, host.wanted(pending))  # what came before is on its way
    late = host.match.act(Late("Boris", pending.k, 0, waits=pending))
    host.match.accept_act(late)
    boris.hear(host.match.log.entries[known:])
    assert (words(boris), len(boris.links())) == ([], 1)


def lies_of_the_end(house: House, person: Person) -> None:
    """Have a server say to somebody, as it opens the game, that there is more of it than there is, and ask him for no link."""
    send = house.wire.send

    def lie(peer: bytes, data: bytes) -> None:
        frame = protocol.decode_from_server(data)
        if peer == person.peer and isinstance(frame, protocol.Opened):
            data = protocol.encode(msgspec.structs.replace(frame, last=frame.last + 1000))
        if peer != person.peer or not isinstance(frame, protocol.LinkWanted):
            send(peer, data)

    house.wire.send = lie  # type: ignore[method-assign]


def test_a_game_that_is_said_to_go_on_further_than_it_does_is_known_to_its_end_all_the_same(
    played: Callable[[Terms, str, Played], None]  # noqa: F811
) -> None:
    """For as long as more was to come nobody was there, and who was asked for no link learnt nothing of it."""

    async def what(house: House) -> None:
        anna, boris = (house.people[name] for name in ("Anna", "Boris"))
        order = await at_a_strike_in(house)
        lies_of_the_end(house, boris)
        await house.connect("Boris")
        await house.all_told()
        house.ping(boris)
        await house.all_told()
        anna.games.give(GAME, "red", order)
        await house.all_told()
        await house.pass_time(LATE_S + WAIT_IN_HOUSE_MS / 1000 + 1)
        await house.all_told()
        anna.games.choose(GAME, "Boris", "unwitnessed")
        await house.all_told()
        assert house.room.match.log.k == 1
        assert [note for note in boris.notes if isinstance(note, LeftOut)] == []
        assert found_wrong(boris) == ["Anna decided about your link (unwitnessed), for which the server never asked"]

    played(Terms(dice=DiceTerms("witnessed", WAIT_IN_HOUSE_MS)), "Anna", what)


def comes_back(host: Host, file: Path | None = None) -> Program:
    """Start the program of Boris anew: it reads what was written without it, and remembers what it had shown."""
    boris = Program("Boris", host.head, file=file)
    boris.hear(host.match.log.entries, live=False)
    with closing(Behind()) as behind:
        boris.witness.look_back(boris.match, behind)
    return boris


def without_boris(host: Host, choice: str) -> None:
    """Decide about the next dice without the program of Boris, which does not run."""
    host.programs.pop("Boris", None)
    pending = host.propose(host.strike(random.Random(1)))
    assert pending is not None
    links = host.gather(pending, absent=["Boris"])
    host.give_up_on("Boris", pending, choice)
    if choice == "unwitnessed":
        host.finish(links)


def test_who_opens_a_game_again_reads_once_what_was_decided_without_him_since_his_last_link(tmp_path: Path) -> None:
    """A host claimed it for a link that she had no need to ask for, and in the morning it was over without a word."""
    file = tmp_path / "shown.sqlite"
    host = Host(terms=Terms(dice=DiceTerms("witnessed", WAIT_MS)))
    host.begin()
    host.programs["Boris"] = Program("Boris", host.head, file=file)
    host.programs["Boris"].hear(host.match.log.entries)
    for side, name in SIDES.items():
        host.sit(side, name)
    order = host.strike(random.Random(1))
    host.order(order)
    without_boris(host, "claim")
    assert told(comes_back(host, file)) == ["Anna claimed the game, as your link for the dice of number 2 stayed away" + BEFORE]
    assert told(comes_back(host, file)) == []


def test_what_he_read_as_it_happened_is_not_told_again(tmp_path: Path) -> None:
    host, order = at_a_strike()
    boris = host.programs["Boris"]
    boris.memory = Memory(tmp_path / "shown.sqlite")
    boris.restart()
    boris.hear(host.match.log.entries)
    pending = host.propose(order)
    assert pending is not None
    host.gather(pending, absent=["Boris"])
    host.give_up_on("Boris", pending, "unwitnessed")
    assert len(boris.left_out) == 1
    assert told(comes_back(host, tmp_path / "shown.sqlite")) == []


def test_of_much_that_was_decided_without_him_the_last_is_told() -> None:
    host = seated(terms=Terms(dice=DiceTerms("witnessed", WAIT_MS)))
    numbers = range(1, MOST_TOLD + 3)
    for _ in numbers:
        without_boris(host, "unwitnessed")
    went_on = [f"Anna went on without your link for the dice of number {number}{BEFORE}" for number in numbers[2:]]
    assert told(comes_back(host)) == [*went_on, "so it was decided 2 times more before"]


def test_an_entry_is_none_the_worse_for_a_players_own_disk_that_cannot_be_read() -> None:
    """It was told as a fault of the server's, and the game went on no more until the line was made anew."""
    host, _ = at_a_strike()
    boris = host.programs["Boris"]
    boris.memory.close()
    entry = host.order(End())
    assert (boris.match.log.last_hash, words(boris)) == (entry.hash, [])
    assert boris.troubles == ["what was witnessed of duel can't be read here: [Errno 5] Cannot operate on a closed database.: 'None'"]

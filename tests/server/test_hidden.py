"""Games with secrets over real sockets: no byte that a side is sent tells what the other hides, and at the end all is checked."""

from __future__ import annotations

import random
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from client.connection import line as line_module
from client.connection import table
from client.connection.bot_player import BotPlayer
from client.connection.games import Anew, Answered, Games, Grown, Note, Ready, Trouble, Up
from client.session.remote import RemoteMatch
from core import gamefile, protocol
from core.bots.random_bot import busy
from core.bots.walks import every_walk
from core.errors import BadInput, Refused
from core.events import Shown
from core.hidden import PUBLIC, is_unknown
from core.log import ROOT, Consent, Entry, Offer, Rewind, Seat, Withdraw
from core.match import Match
from core.options import options
from core.orders import OptionPick, Order, Picks, UnitPick, value_of
from core.pack import Pack
from core.seen import SeenEntry, SeenLog
from core.terms import DiceTerms, SpectatorTerms, Terms
from core.trials.verify import verify
from core.units import UnitId
from core.views import View
from server import service
from tests.hidden_toy.pack import ambush, files
from tests.hidden_toy.ruleset import RULESET, Deploy, Draw, End, Lay, March, Plan
from tests.server.conftest import SERVER, Host, Player, of

SETTING = ambush()
GAME = "dark"
SECRET_WORDS = {"red": (b"red_plan", b"red_mine"), "blue": (b"blue_plan", b"blue_mine")}


def packs(name: str) -> Pack:
    return Pack(files())


class DarkHost(Host):
    async def _serving(self, address: str, is_open: bool, ready: Any) -> None:
        owner = of("Owner").key
        await service.run(self.data, address, packs, self._stop, identity=SERVER, owner=owner, is_open=is_open, ready=ready)


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> dict[int, list[bytes]]:
    """Record every message that a client's thread receives, as it comes from the socket."""
    recorded: dict[int, list[bytes]] = defaultdict(list)
    decode = protocol.decode_from_server

    def recording(data: bytes) -> protocol.FromServer:
        recorded[threading.get_ident()].append(data)
        return decode(data)

    monkeypatch.setattr(line_module.protocol, "decode_from_server", recording)
    return recorded


@pytest.fixture
def dark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heard: dict[int, list[bytes]]) -> Iterator[DarkHost]:
    monkeypatch.setattr("server.rooms.load", lambda name: RULESET)
    monkeypatch.setattr("client.connection.games.open_match", _open)
    made = DarkHost(tmp_path)
    made.start()
    yield made
    made.stop()


_really_open = gamefile.open_match


def _open(file: gamefile.GameFile, *, clock: Callable[[], int]) -> Match:
    return _really_open(file, clock=clock, load=lambda name: RULESET)


@pytest.fixture
def client(dark: DarkHost) -> Iterator[Callable[[str], Listener]]:
    made: list[Listener] = []

    def new(name: str) -> Listener:
        made.append(Listener(dark.address, name))
        made[-1].wait(lambda note: isinstance(note, Up))
        return made[-1]

    yield new
    for one in made:
        one.games.close()


class Listener(Player):
    """A client of the dark game whose thread is known, so that its bytes can be told from those of others."""

    thread = 0

    def __init__(self, address: str, name: str) -> None:
        self.said: list[Note] = []
        super().__init__(address, name)

    def _note(self, note: Note) -> None:
        self.thread = threading.get_ident()
        self.said.append(note)
        super()._note(note)

    @property
    def match(self) -> Match:
        found = self.games.match(GAME)
        assert found is not None, "the game is not open"
        return found

    def stands(self, side: str) -> bool:
        """Say whether the game waits for a side, as far as it is known here."""
        with self.games.reading():
            match = self.games.match(GAME)
            return match is not None and match.viewer != "" and len(match.log) > 0 and match.view.side_to_act() == side

    def sit(self, side: str) -> None:
        self.games.send(protocol.TakeSeat(GAME, side))
        self.games.follow(GAME)
        self.until(lambda: (match := self.games.match(GAME)) is not None and match.viewer == side)

    def give(self, side: str, order: Order) -> Answered:
        order_id = self.games.give(GAME, side, order)
        answer = self.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
        assert isinstance(answer, Answered)
        return answer


NewClient = Callable[[str], Listener]


def begun(client: NewClient, *, watched: bool = False) -> dict[str, Listener]:
    """Return two players at a new game, and somebody who watches: he was there before the set-up had ended."""
    anna, boris = client("Anna"), client("Boris")
    anna.games.send(protocol.CreateGame(GAME, "ambush", "ambush"))
    anna.games.follow(GAME)
    anna.wait(lambda note: isinstance(note, Ready))
    there = {"red": anna, "blue": boris}
    if watched:
        there[PUBLIC] = client("Carla")
        there[PUBLIC].games.follow(GAME)
        there[PUBLIC].wait(lambda note: isinstance(note, Ready))
    anna.sit("red")
    boris.sit("blue")
    return there


def truth(dark: DarkHost) -> Match:
    return dark.service.rooms[GAME].match


def known_here(one: Listener, dark: DarkHost, viewer: str) -> Callable[[], bool]:
    """Return whether a client has heard of everything that it may know of."""
    return lambda: len(one.match.log) == len(SeenLog(SETTING, truth(dark).log, viewer).grow())


def other(side: str) -> str:
    return "blue" if side == "red" else "red"


def play(dark: DarkHost, there: dict[str, Listener], rng: random.Random, *, most: int = 400, undo: float = 0.1) -> None:
    """Play at random, each side from what its client knows; some orders are taken back, or it is asked to."""
    for _ in range(most):
        if truth(dark).outcome is not None:
            return
        side = truth(dark).view.side_to_act()
        one = there[side]
        one.until(known_here(one, dark, side))
        with one.games.reading():
            order, head = busy(one.match.view, rng), one.match.log.head
        answer = one.give(side, order)
        assert answer.refused is None, answer
        if truth(dark).outcome is None and rng.random() < undo:
            take_back(dark, there, side, head, yes=rng.random() < 0.5)


def take_back(dark: DarkHost, there: dict[str, Listener], side: str, to: int, *, yes: bool) -> None:
    """Ask to go back to an entry, by the side's own number; if the other side is asked, it answers."""
    one, two = there[side], there[other(side)]
    one.until(known_here(one, dark, side))
    with one.games.reading():
        last = len(one.match.log)
    one.games.send(protocol.AskRewind(GAME, side, to))
    one.until(lambda: len(one.match.log) > last)
    asked = one.match.log.entries[last]
    if isinstance(asked.act, Rewind):
        return
    two.until(known_here(two, dark, other(side)))
    with two.games.reading():
        offer = next(entry.number for entry in reversed(two.match.log.entries) if isinstance(entry.act, Offer))
        last = len(two.match.log)
    two.games.send(protocol.Answer(GAME, other(side), offer, yes))
    two.until(lambda: len(two.match.log) > last + int(yes))


# -------------------------------------------------------------------- what the bytes hold


def told_names(match: Match, viewer: str) -> set[bytes]:
    """Return the names of the other side's counters that a viewer was shown by the rules."""
    shown = {
        event.unit.name
        for entry in SeenLog(SETTING, match.log, viewer).grow()
        for event in entry.events
        if isinstance(event, Shown) and event.unit.id >= 0
    }
    return {name.encode() for name in shown}


@pytest.mark.parametrize("seed", range(3))
def test_no_byte_of_a_whole_game_tells_what_the_other_side_hides(
    dark: DarkHost, client: NewClient, heard: dict[int, list[bytes]], seed: int
) -> None:
    """bugs-of-peers 4 (undo, snapshots), bugs-of-peers 5 (the set-up, to whoever joins early), bugs-of-peers 20 (counts).

    And bugs-of-peers 21: the wrong side's facts.
    """
    there = begun(client, watched=True)
    marks = {viewer: len(heard[one.thread]) for viewer, one in there.items()}
    assert min(marks.values()) > 0
    play(dark, there, random.Random(seed), most=60)
    names = {unit.name.encode() for unit in truth(dark).view.position.units.values() if "-" in unit.name}
    for viewer, one in there.items():
        if truth(dark).outcome is None:
            one.until(known_here(one, dark, viewer))
        sent = b"".join(running(heard[one.thread]))
        hidden = {name for name in names if not name.startswith(viewer.encode())} - told_names(truth(dark), viewer)
        assert hidden, "all was revealed: the game tests nothing"
        assert [name for name in sorted(hidden) if name in sent] == []
        for side, words in SECRET_WORDS.items():
            if side != viewer:
                assert [word for word in words if word in sent] == []


def running(messages: list[bytes]) -> list[bytes]:
    """Return the messages that came while the game ran, but for the pack, which holds what is printed on all counters."""
    frames = [protocol.decode_from_server(data) for data in messages]
    opened = next((n for n, frame in enumerate(frames) if isinstance(frame, protocol.NewEntries)), len(frames))
    return [data for data, frame in zip(messages[:opened], frames, strict=False) if not isinstance(frame, protocol.PackPart)]


# -------------------------------------------------------------------- two games that differ only in what is hidden


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no clock and no random byte tell two games apart."""
    monkeypatch.setattr("server.steady.now_ms", lambda: 1_000)
    monkeypatch.setattr("server.rooms.secrets", SimpleNamespace(token_bytes=bytes))


class Red(msgspec.Struct, frozen=True):
    """What red does that blue may not know of."""

    first: Deploy
    second: Deploy
    plan: str
    mines: int
    undone: int
    ahead: bool


BOARD = SETTING.board
AT, THERE = BOARD.hex("T0202"), BOARD.hex("T0204")
PLAIN = Red(Deploy(UnitId(0), AT), Deploy(UnitId(2), THERE), "bold", 0, 0, ahead=False)
TWINS = {
    "the counters of two stacks are in each other's place": msgspec.structs.replace(
        PLAIN, first=Deploy(UnitId(2), AT), second=Deploy(UnitId(0), THERE)
    ),
    "another plan": msgspec.structs.replace(PLAIN, plan="wary"),
    "a mine is laid": msgspec.structs.replace(PLAIN, mines=1),
    "a mine is laid and taken back, twice": msgspec.structs.replace(PLAIN, undone=2),
    "an answer is given ahead": msgspec.structs.replace(PLAIN, ahead=True),
}


def script(dark: DarkHost, there: dict[str, Listener], red: Red) -> None:
    """Play a game whose red side does what it hides; blue asks for what he may and may not."""
    anna, boris = there["red"], there["blue"]

    def give(side: str, order: Order) -> None:
        there[side].until(known_here(there[side], dark, side))
        assert there[side].give(side, order).refused is None

    give("red", red.first)
    give("red", red.second)
    give("red", End())
    give("blue", Deploy(UnitId(6), BOARD.hex("T0402")))
    give("blue", End())
    if red.ahead:
        sent = table.answer_ahead(anna.games, GAME, "red", "Planning", Plan(red.plan))
        anna.wait(lambda note: isinstance(note, Answered) and note.order_id == sent)
        anna.until(lambda: truth(dark).view.side_to_act() == "blue")
    else:
        give("red", Plan(red.plan))
    give("blue", Plan("wary"))
    for n in range(red.mines + red.undone):
        anna.until(known_here(anna, dark, "red"))
        head = anna.match.log.head
        give("red", Lay(AT))
        if n >= red.mines:
            take_back(dark, there, "red", head, yes=True)
    ask_in_vain(dark, boris)
    give("red", Draw())
    ask_in_vain(dark, boris)
    give("red", March((red.first.unit,), BOARD.hex("T0203")))  # type: ignore[arg-type]
    give("red", End())
    boris.until(known_here(boris, dark, "blue"))
    before = boris.match.log.head
    give("blue", End())
    for _ in range(red.mines):
        give("red", Lay(BOARD.hex("T0203")))
    take_back(dark, there, "blue", before, yes=False)   # it must be asked for, whether red has done anything or not
    assert any(isinstance(entry.act, Offer) for entry in boris.match.log.entries)
    boris.until(known_here(boris, dark, "blue"))


def ask_in_vain(dark: DarkHost, boris: Listener) -> None:
    """Ask, as blue in red's turn, for all that tells where the log stands: orders of now and of then, going back, an offer."""
    boris.until(known_here(boris, dark, "blue"))
    with boris.games.reading():
        match = boris.match
        seqs, last, data = (match.log.moved_at, match.log.moved_at - 1, 10_000, ROOT), len(match.log) - 1, match.codec.encode(End())
    for seq in seqs:
        boris.games.send(protocol.Give(GAME, "blue", f"vain{seq}", seq, data, b"x" * 64))
        boris.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    for to in (match.log.head, last + 1, 10_000, ROOT):
        boris.games.send(protocol.AskRewind(GAME, "blue", to))
        boris.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    for side in ("blue", "red", ""):
        for frame in (protocol.DoAct(GAME, side, f"vain-{side}", Rewind(match.log.head)), protocol.AskRewind(GAME, side, match.log.head)):
            boris.games.send(frame)
            boris.wait(lambda note: isinstance(note, Answered | Trouble))
    boris.games.send(protocol.Answer(GAME, "blue", last, yes=True))
    boris.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    boris.games.send(protocol.ListGames())
    boris.wait(lambda note: isinstance(note, protocol.Games))


def told_bytes(messages: list[bytes]) -> list[bytes]:
    """Return what came, with the commitments blanked; what comes by the clock (a pong, whom the game waits for) is left out."""
    told: list[bytes] = []
    for data in messages:
        frame = protocol.decode_from_server(data)
        if isinstance(frame, protocol.SeenEntries):
            told += [msgspec.msgpack.encode(msgspec.structs.replace(entry, commitment=b"")) for entry in frame.entries]
        elif isinstance(frame, protocol.Accepted):
            told.append(protocol.encode(msgspec.structs.replace(frame, order_id="")))  # the client's own, and random
        elif isinstance(frame, protocol.Games):
            told.append(protocol.encode(msgspec.structs.replace(frame, mark=frame.mark.partition(".")[2])))  # without the server's name
        elif not isinstance(frame, protocol.Pong | protocol.Waiting | protocol.Present | protocol.Welcome | protocol.PackPart):
            told.append(protocol.encode(frame))
    return told


def recorded(dark: DarkHost, client: NewClient, heard: dict[int, list[bytes]], red: Red) -> tuple[list[bytes], list[bytes]]:
    there = begun(client, watched=True)
    script(dark, there, red)
    carla = there[PUBLIC]
    carla.until(known_here(carla, dark, PUBLIC))
    told = told_bytes(heard[there["blue"].thread]), told_bytes(heard[carla.thread])
    for one in there.values():
        one.games.close()
        heard.pop(one.thread)   # a later thread may have its number
    return told


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("red", TWINS.values(), ids=TWINS)
def test_games_that_differ_in_what_is_hidden_send_the_other_side_the_same_bytes(
    dark: DarkHost, client: NewClient, heard: dict[int, list[bytes]], tmp_path: Path, red: Red
) -> None:
    """bugs-of-peers 4 and bugs-of-peers 20: entries, refusals, numbers, lists and what is undone are the same to the last byte."""
    plain = recorded(dark, client, heard, PLAIN)
    dark.stop()
    dark.data = tmp_path / "twin"
    dark.start()
    twin = recorded(dark, client, heard, red)
    assert len(plain[0]) > 35
    assert twin[0] == plain[0]
    assert twin[1] == plain[1]


@pytest.mark.usefixtures("still")
def test_nothing_at_all_is_sent_while_the_other_side_does_what_can_not_be_seen(
    dark: DarkHost, client: NewClient, heard: dict[int, list[bytes]]
) -> None:
    there = begun(client)
    anna, boris = there["red"], there["blue"]
    for side, order in (("red", PLAIN.first), ("red", End()), ("blue", End()), ("red", Plan("bold")), ("blue", Plan("bold"))):
        there[side].until(known_here(there[side], dark, side))
        assert there[side].give(side, order).refused is None
    boris.until(known_here(boris, dark, "blue"))
    ask = len(heard[boris.thread])
    boris.games.send(protocol.ListGames())   # what was on its way has come when this is answered
    boris.wait(lambda note: isinstance(note, protocol.Games))
    before = len(heard[boris.thread])
    assert before > ask
    for _ in range(3):
        anna.until(known_here(anna, dark, "red"))
        head = anna.match.log.head
        assert anna.give("red", Lay(AT)).refused is None
        take_back(dark, there, "red", head, yes=True)
    boris.games.send(protocol.ListGames())
    boris.wait(lambda note: isinstance(note, protocol.Games))
    came = [protocol.decode_from_server(data) for data in heard[boris.thread][before:]]
    assert [type(frame) for frame in came if not isinstance(frame, protocol.Pong)] == [protocol.Games]


# -------------------------------------------------------------------- the end, and after


def test_at_the_end_all_lies_open_and_everybody_has_checked_it(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    play(dark, there, random.Random(5))
    assert truth(dark).outcome is not None
    for one in there.values():
        one.until(lambda one=one: one.match.viewer == "" and len(one.match.log) == len(truth(dark).log))
        assert one.match.log.last_hash == truth(dark).log.last_hash
        assert not [note for note in one.said if isinstance(note, Trouble)]
        assert [note.viewer for note in one.said if isinstance(note, Anew)][-1] == ""
    file = gamefile.read(there["blue"].games.file(GAME))
    report = verify(file, load=lambda name: RULESET)
    assert report.findings == ()
    assert report.signed > 10
    assert {type(entry.act) for entry in file.entries if forged_last(file, entry.number)} == {Offer, Consent, Rewind}
    there["red"].games.send(protocol.AskRewind(GAME, "red", 0))
    answer = there["red"].wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    assert isinstance(answer, Answered)
    assert "over" in str(answer.refused)


def forged_last(file: gamefile.GameFile, number: int) -> bool:
    """Say whether a file that ends with this entry is found to be forged when the entry bears no signature."""
    bare = msgspec.structs.replace(file.entries[number], signature=b"", hash=b"")
    if bare.act is None:
        return False
    ended = msgspec.structs.replace(file, entries=(*file.entries[:number], msgspec.structs.replace(bare, hash=bare.digest())))
    return [one.kind for one in verify(ended, load=lambda name: RULESET).findings] == ["signature"]


def test_a_server_that_told_another_story_is_found_out(dark: DarkHost, client: NewClient, monkeypatch: pytest.MonkeyPatch) -> None:
    take = Games._take_entries

    def lied_to(self: Games, game: str, viewer: str, entries: tuple[Entry | SeenEntry, ...]) -> None:
        if viewer == "blue":
            entries = tuple(msgspec.structs.replace(entry, time_ms=entry.time_ms + 1) if entry.number == 3 else entry for entry in entries)
        take(self, game, viewer, entries)

    monkeypatch.setattr(Games, "_take_entries", lied_to)
    there = begun(client)
    play(dark, there, random.Random(6), undo=0)
    for one in there.values():
        one.until(lambda one=one: one.match.viewer == "" and len(one.match.log) == len(truth(dark).log))
    found = [note.text for note in there["blue"].said if isinstance(note, Trouble)]
    assert len(found) == 1
    assert "entry 3 was told otherwise than it happened" in found[0]
    assert not [note for note in there["red"].said if isinstance(note, Trouble)]


def test_a_server_that_comes_back_goes_on_by_the_same_numbers(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    play(dark, there, random.Random(7), most=12)
    for side, one in there.items():
        one.until(known_here(one, dark, side))
    known = {side: [entry.salt for entry in one.match.log.entries] for side, one in there.items()}
    address = dark.place.tcp
    dark.stop()
    dark.start(address)
    for one in there.values():
        one.wait(lambda note: isinstance(note, Up))
        one.wait(lambda note: isinstance(note, Ready))
    assert [sum(isinstance(note, Anew) for note in one.said) for one in there.values()] == [1, 0]  # as Anna sat down, and never again
    play(dark, there, random.Random(8), most=5)
    for side, one in there.items():
        assert [entry.salt for entry in one.match.log.entries][: len(known[side])] == known[side]


def test_two_bots_play_a_dark_game_to_its_end(dark: DarkHost) -> None:
    bots = [
        BotPlayer(busy, seed=side, game=GAME, side=side, create=_create() if side == "red" else None) for side in ("red", "blue")
    ]
    for bot in bots:
        bot.start(dark.address, f"Bot {bot.side}", identity=of(bot.side))
    try:
        assert all(bot.wait(60) for bot in bots)
    finally:
        for bot in bots:
            bot.close()
    assert truth(dark).view.position.outcome is not None


def _create() -> protocol.CreateGame:
    return protocol.CreateGame(GAME, "ambush", "ambush")


# -------------------------------------------------------------------- seats, spectators, files


def test_nobody_sits_down_where_he_knows_the_secrets_of_the_other_side(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    anna, boris = there["red"], there["blue"]
    for side, one in there.items():
        one.games.send(protocol.LeaveSeat(GAME, side))
        one.until(sees_as(one, PUBLIC))
    anna.games.send(protocol.TakeSeat(GAME, "blue"))
    answer = anna.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    assert isinstance(answer, Answered)
    assert str(answer.refused) == "Anna has seen what red keeps secret"
    boris.games.send(protocol.TakeSeat(GAME, "blue"))
    boris.until(sees_as(boris, "blue"))


def sees_as(one: Listener, viewer: str) -> Callable[[], bool]:
    """Return what says whether somebody has the game as this viewer by now; while it begins anew he has none."""
    return lambda: (match := one.games.match(GAME)) is not None and match.viewer == viewer


def test_one_person_on_both_sides_sees_all(client: NewClient) -> None:
    anna = client("Anna")
    anna.games.send(_create())
    anna.sit("red")
    anna.games.send(protocol.TakeSeat(GAME, "blue"))
    anna.until(lambda: (match := anna.games.match(GAME)) is not None and match.viewer == "" and len(match.log) > 2)
    assert anna.match.view.position.cups["deck"]


def test_whoever_witnesses_dice_would_see_the_order_so_a_dark_game_has_none(client: NewClient) -> None:
    anna = client("Anna")
    anna.games.send(protocol.CreateGame(GAME, "ambush", "ambush", terms=Terms(dice=DiceTerms("witnessed"))))
    found = anna.wait(lambda note: isinstance(note, Trouble))
    assert isinstance(found, Trouble)
    assert "secrets" in found.text


def test_a_window_begins_anew_as_another_viewer_and_saves_what_it_was_told(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    play(dark, there, random.Random(9), most=15, undo=0)
    boris = there["blue"]
    boris.until(known_here(boris, dark, "blue"))
    window = RemoteMatch(boris.games, GAME, "Boris")
    assert window.view.position == boris.match.view.position
    assert (window.match.viewer, window.view.viewer) == ("blue", "blue")
    assert window.my_sides() == ("blue",)
    for index in range(len(window.moments())):
        window.seek(index)
        assert window.lines(index) is not None
        assert bool(window.order_name(index)) == (window.match.log.path()[index].side == "blue")
    file = gamefile.read(window.to_bytes())
    assert file.head.viewer == "blue"
    with pytest.raises(BadInput, match="was told of it while it ran"):
        verify(file, load=lambda name: RULESET)


def test_entries_grow_in_a_window_as_they_are_told(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    boris = there["blue"]
    window = RemoteMatch(boris.games, GAME, "Boris")
    play(dark, there, random.Random(10), most=10)
    boris.until(known_here(boris, dark, "blue"))
    for note in boris.said:
        if isinstance(note, Grown):
            window.take_entries(note)
    assert window.view.position == boris.match.view.position


def test_a_side_that_gives_up_opens_the_game(dark: DarkHost, client: NewClient) -> None:
    there = begun(client, watched=True)
    play(dark, there, random.Random(11), most=15, undo=0)
    there["blue"].games.send(protocol.GiveUp(GAME, "blue"))
    for one in there.values():
        one.until(lambda one=one: one.match.viewer == "" and len(one.match.log) == len(truth(dark).log))
        assert not [note for note in one.said if isinstance(note, Trouble)]
    assert truth(dark).view.position.outcome is None


def test_no_order_leaves_a_window_that_shows_the_past(dark: DarkHost, client: NewClient) -> None:
    """bugs-of-peers 24: moves were accepted while history was looked at."""
    there = begun(client)
    anna = there["red"]
    assert anna.give("red", Deploy(UnitId(0), AT)).refused is None
    anna.until(known_here(anna, dark, "red"))
    window = RemoteMatch(anna.games, GAME, "Anna")
    window.seek(0)
    with pytest.raises(Refused, match="the past"):
        window.order(Deploy(UnitId(1), AT))
    assert not window.awaits_answer
    assert not window.options().picks
    window.seek(1)
    assert OptionPick("deploy") in window.options().picks


def test_what_one_side_is_offered_never_names_what_it_can_not_know(dark: DarkHost, client: NewClient) -> None:
    """bugs-of-peers 19 and bugs-of-peers 36: overlays and offers worked out from the full position."""
    there = begun(client)
    rng = random.Random(12)
    for _ in range(25):
        play(dark, there, rng, most=1, undo=0)
        if truth(dark).outcome is not None:
            break
        for side, one in there.items():
            one.until(known_here(one, dark, side))
            with one.games.reading():
                view = one.match.view
            hidden = {unit for unit in truth(dark).view.position.units if unit not in view.position.units}
            assert hidden
            assert not any(view.side(unit) == side for unit in view.position.units if is_unknown(unit))
            assert side == view.side_to_act() or not options(view).doors
            named = {pick.unit for walk in walks(view) for pick in walk if isinstance(pick, UnitPick)}
            assert not named & hidden


def walks(view: View) -> list[Picks]:
    return [walk for pick in options(view).picks for walk in every_walk(view, str(value_of(pick)))]


def test_spectators_see_a_side_or_all_only_where_that_was_agreed(dark: DarkHost, client: NewClient) -> None:
    anna, boris, carla = client("Anna"), client("Boris"), client("Carla")
    for game, view, viewer in (("table", "table", PUBLIC), ("all", "open", ""), ("reds", "red", "red")):
        anna.games.send(protocol.CreateGame(game, "ambush", "ambush", terms=Terms(spectators=SpectatorTerms(view))))
        anna.wait(lambda note: isinstance(note, protocol.Games))
        carla.games.follow(game)
        carla.wait(lambda note, game=game: isinstance(note, Ready) and note.game == game)
        match = carla.games.match(game)
        assert match is not None
        assert match.viewer == PUBLIC  # whoever looks on may still sit down
        for one, side in ((anna, "red"), (boris, "blue")):
            one.games.send(protocol.TakeSeat(game, side))
        carla.until(sees(carla, viewer, game))


def test_how_many_dice_have_fallen_is_told_to_nobody_who_shows_links_that_nobody_wants(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    for side, order in (("red", PLAIN.first), ("red", End()), ("blue", End()), ("red", Plan("bold")), ("blue", Plan("bold"))):
        there[side].until(known_here(there[side], dark, side))
        assert there[side].give(side, order).refused is None
    there["red"].until(known_here(there["red"], dark, "red"))
    spent, told = truth(dark).log.k, []
    for draws in range(2):
        for k in (spent, spent + 1, 1 << 40):
            there["blue"].games.send(protocol.ShowLink(GAME, k, bytes(32), bytes(32), bytes(64)))
            answer = there["blue"].wait(lambda note: isinstance(note, Answered | Trouble))
            assert isinstance(answer, Answered), answer
            told.append(str(answer.refused))
        if not draws:
            assert there["red"].give("red", Draw()).refused is None
    assert truth(dark).log.k > spent
    assert set(told) == {"the dice of this game are the server's alone"}


def test_who_has_looked_at_secrets_as_a_spectator_sits_down_at_no_side(dark: DarkHost, client: NewClient) -> None:
    """Else a player could leave his seat, look at what the other side hides, and come back."""
    anna, boris, carla = client("Anna"), client("Boris"), client("Carla")
    anna.games.send(protocol.CreateGame(GAME, "ambush", "ambush", terms=Terms(spectators=SpectatorTerms("open"))))
    for one in (anna, boris, carla):
        one.games.follow(GAME)
        one.wait(lambda note: isinstance(note, Ready))
        assert one.match.viewer == PUBLIC  # somebody who sits down yet
    anna.sit("red")
    boris.sit("blue")
    carla.until(sees(carla, ""))
    boris.until(known_here(boris, dark, "blue"))
    assert refused(boris, table.do(boris.games, GAME, "blue", Seat("blue", ""))) == "None"
    boris.until(sees(boris, ""))
    for name, one in (("Boris", boris), ("Carla", carla)):
        one.games.send(protocol.TakeSeat(GAME, "blue"))
        answer = one.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
        assert "only a referee gives somebody a seat now" in str(answer)
        assert "only a referee" in refused(one, table.do(one.games, GAME, "", Seat("blue", name)))
    owner = client("Owner")
    owner.games.follow(GAME)
    owner.wait(lambda note: isinstance(note, Ready))
    assert refused(owner, table.do(owner.games, GAME, "", Seat("blue", "Carla"))) == "None"
    carla.until(sees(carla, "blue"))


def sees(one: Listener, viewer: str, game: str = GAME) -> Callable[[], bool]:
    """Return whether a client has a game as this viewer; for a moment it has none, when it becomes another."""
    return lambda: (match := one.games.match(game)) is not None and match.viewer == viewer


def refused(one: Listener, order_id: str) -> str:
    answer = one.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    assert isinstance(answer, Answered)
    return str(answer.refused)


def test_an_offer_stands_for_both_though_one_of_them_does_what_can_not_be_seen(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    anna, boris = there["red"], there["blue"]
    for side, order in (("red", PLAIN.first), ("red", End()), ("blue", End()), ("red", Plan("bold")), ("blue", Plan("bold"))):
        there[side].until(known_here(there[side], dark, side))
        assert there[side].give(side, order).refused is None
    asked = table.do(boris.games, GAME, "blue", Offer("draw"))
    boris.wait(lambda note: isinstance(note, Answered) and note.order_id == asked)
    anna.until(known_here(anna, dark, "red"))
    head = anna.match.log.head
    assert anna.give("red", Lay(AT)).refused is None
    take_back(dark, there, "red", head, yes=True)
    boris.until(known_here(boris, dark, "blue"))
    offer = next(entry.number for entry in boris.match.log.entries if isinstance(entry.act, Offer))
    asked = table.do(boris.games, GAME, "blue", Withdraw(offer))
    answer = boris.wait(lambda note: isinstance(note, Answered) and note.order_id == asked)
    assert isinstance(answer, Answered)
    assert answer.refused is None


def test_a_delay_counts_what_its_spectator_may_know_alone(dark: DarkHost, client: NewClient) -> None:
    anna, boris, carla = client("Anna"), client("Boris"), client("Carla")
    terms = Terms(spectators=SpectatorTerms(delay_entries=2))
    anna.games.send(protocol.CreateGame(GAME, "ambush", "ambush", terms=terms))
    anna.games.follow(GAME)
    anna.wait(lambda note: isinstance(note, Ready))
    there = {"red": anna, "blue": boris}
    for side, one in there.items():
        one.sit(side)
    for side, order in (("red", PLAIN.first), ("red", End()), ("blue", End()), ("red", Plan("bold")), ("blue", Plan("bold"))):
        there[side].until(known_here(there[side], dark, side))
        assert there[side].give(side, order).refused is None
    carla.games.follow(GAME)
    carla.wait(lambda note: isinstance(note, Ready))
    known = len(carla.match.log)
    assert known == len(SeenLog(SETTING, truth(dark).log, PUBLIC).grow()) - 2
    for _ in range(2):
        anna.until(known_here(anna, dark, "red"))
        head = anna.match.log.head
        assert anna.give("red", Lay(AT)).refused is None
        take_back(dark, there, "red", head, yes=True)
    carla.games.send(protocol.ListGames())
    carla.wait(lambda note: isinstance(note, protocol.Games))
    assert len(carla.match.log) == known

"""Games whose dice the server alone throws: what a host writes there in another's name each player's program finds, and nothing else."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec
import pytest

from client.connection import watcher
from client.connection.fouls import Foul
from client.connection.games import Games
from client.connection.namesake import ELSEWHERE
from client.connection.notes import Grown, Note, Trouble
from core import protocol
from core.bots.random_bot import choose
from core.dice import Chain, ChainEnd, Keeper
from core.gamefile import Head, head_of, read, write
from core.identity import Identity, act_then_message, ahead_message, takeover_message, undo_message, with_number
from core.log import AnyAct, Consent, Entry, Fallback, Late, Log, Offer, Pause, Resign, Rewind, Seat, TakenOver
from core.match import Match, ServerDice
from core.orders import Order, name_of
from core.pack import Pack
from core.signed import moment_message, order_bytes
from core.table import SIDES_ARE_APART, VERSION
from core.terms import Terms
from core.trials.verify import verify
from core.witnesses import SERVER
from tests.server.conftest import Player, of, open_toy, toy
from tests.server.tables import duel, follow, take_turn, under
from tests.toy.ruleset import End, toy_files, toy_setting
from tests.toy.witnessed import salt_after, seated_by

GAME = "duel"
SIDES = {"red": "Anna", "blue": "Boris"}
HOST = of("Anna")
SIGNERS = {of(name).key: of(name) for name in ("Anna", "Boris", "another Boris")}
SIGNED_BY = "the server wrote down an order that {} did not sign"


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.games.open_match", open_toy)


class Kept:
    """A log that Anna keeps, honestly; whoever forges it seals what he likes."""

    def __init__(self, *, seats: bool = True, hosted: bool = True, table: int = VERSION) -> None:
        self.chain, self.keeper = Chain(b"c" * 32, links=1000), HOST
        self.match = Match(
            toy_setting(), game=GAME, chains=(ChainEnd(SERVER, self.chain.end, 1000),), clock=lambda: 0,
            salt=lambda: salt_after(self.match.log, self.head), terms=Terms(owner="Anna" if hosted else ""),
            keeper=Keeper(HOST.key if hosted else ""), signs_undo=True, table_version=table,
        )
        self.dice = ServerDice(self.match, self.chain)
        self.dice.begin()
        for side, name in SIDES.items() if seats else ():
            self.act(Seat(side, name, key=of(name).key), side, name)

    @property
    def head(self) -> Head:
        return under(head_of(self.match), self.match.terms, HOST if self.match.keeper.key else None)

    @property
    def entries(self) -> list[Entry]:
        return self.match.log.entries

    def signature(self, order: Order, signer: Identity) -> bytes:
        return signer.sign(order_bytes(self.match.log, GAME, self.match.view.side_to_act(), self.match.codec.encode(order)))

    def order(self, order: Order, signature: bytes | None = None, *, player: str = "") -> Entry:
        """Write down an order of the side to act; of its player and signed by him, if nothing else is said."""
        side = self.match.view.side_to_act()
        player = player or SIDES[side]
        signed = self.signature(order, of(player)) if signature is None else signature
        proposed = self.match.propose(side, order, player=player, signature=signed)
        if not isinstance(proposed, tuple):
            self.match.hold(proposed)
            proposed = self.dice.finish()
        self.match.accept(*proposed)
        return proposed[0]

    def act(self, act: AnyAct, side: str = "", player: str = "", signature: bytes | None = None) -> Entry:
        """Write down an act; signed by its player, if nothing else is said."""
        if signature is None and isinstance(act, Seat) and act.player == player:
            signature = seated_by(SIGNERS.get(act.key, of(player)), act, number=len(self.match.log), server=self.keeper)
        if signature is None:
            message = moment_message(self.match.witnesses, act, player)
            signature = of(player).sign(message(GAME, self.match.log.last_hash, side, act)) if player else b""
        entry = self.match.act(act, side=side, player=player, signature=signature)
        self.match.accept_act(entry)
        return entry

    def back(self, signer: Identity) -> Entry:
        """Take the last order back in the name of whoever gave it."""
        entry, log = self.entries[-1], self.match.log
        message = undo_message(GAME, entry.side, log.moved_at, log.last_hash, entry.parent)
        return self.act(Rewind(entry.parent), entry.side, entry.player, signer.sign(message))

    def forge(self, entry: Entry, **changes: object) -> Entry:
        """Write an entry down as the host would like it to be."""
        bare = msgspec.structs.replace(entry, **changes, hash=b"")
        self.entries[-1] = msgspec.structs.replace(bare, hash=bare.digest())
        return self.entries[-1]


def some(log: Kept, kind: str) -> Order:
    """Return an order of a kind that may be given now."""
    found = (choose(log.match.view, random.Random(seed)) for seed in range(500))
    return next(order for order in found if name_of(order) == kind)


@pytest.fixture
def told() -> Iterator[Callable[..., list[Note]]]:
    """Return what lets somebody's program hear a game, all of it as it happens or all of it when it is opened."""
    opened: list[Games] = []

    def hear(log: Kept, *, live: bool, name: str = "Boris") -> list[Note]:
        notes: list[Note] = []
        games = Games(notes.append, lambda digest: Pack(dict(toy_files())))
        opened.append(games)
        games.send = lambda frame: None  # type: ignore[method-assign]
        games._witnessing.be(of(name), None)
        games._witnessing.known_as(name)
        games.follow(GAME)
        games.happen(protocol.Opened(GAME, log.head, "0" * 64, -1 if live else len(log.entries) - 1))
        games.happen(protocol.NewEntries(GAME, tuple(log.entries)))
        games._witnessing._behind._thread.shutdown()
        games.happen(protocol.Pong())
        return notes

    yield hear
    for games in opened:
        games._witnessing.close()


def words(notes: Sequence[Note]) -> list[str]:
    return [str(note) for note in notes if isinstance(note, Foul | Trouble)]


both = pytest.mark.parametrize("live", [True, False], ids=["live", "caught up"])
Hear = Callable[..., list[Note]]


# -------------------------------------------------------------------- what is right


def honest() -> Kept:
    """Return a game with all that players sign, and what they need not."""
    log = Kept()
    log.order(some(log, "go"))
    log.back(of("Anna"))
    start = log.match.log.head
    log.order(some(log, "strike"))
    offer = log.act(Offer("rewind", start), "red", "Anna")
    log.act(Consent(offer.number, True), "blue", "Boris")
    log.act(Rewind(start), "red", "Anna", b"")
    offer = log.act(Offer("pause"), "blue", "Boris")
    log.act(Consent(offer.number, True), "red", "Anna")
    log.act(Pause(on=True), "blue", "Boris", b"")
    log.act(Pause(on=False), "red", "Anna")
    log.act(Seat("blue", ""), "blue", "Boris")
    log.act(Seat("blue", "Boris", key=of("Boris").key), "blue", "Boris")
    new = Chain(b"n" * 32, links=1000)
    signature = of("Other").sign(takeover_message(GAME, log.match.log.last_hash, new.end, 1000))
    log.act(TakenOver(of("Other").key, new.end, 1000), signature=signature)
    log.dice.chain = new
    log.order(some(log, "strike"))
    side, given = log.match.view.side_to_act(), choose(log.match.view, random.Random(1))
    (decision, turn), data = log.match.awaited(), log.match.codec.encode(given)
    ahead = of(SIDES[side]).sign(ahead_message(GAME, log.entries[0].hash, side, decision, turn, data))
    log.order(given, with_number(ahead, turn))
    log.act(Resign("red"), "red", "Anna")
    return log


@both
@pytest.mark.parametrize("name", ["Boris", "Carla"])
def test_nothing_is_told_of_a_game_in_which_each_signed_what_is_his(told: Hear, live: bool, name: str) -> None:
    log = honest()
    assert verify(read(write(log.head, toy_files(), log.match.log)), load=toy).holds
    assert words(told(log, live=live, name=name)) == []


@both
def test_nothing_is_told_of_a_game_in_which_nobody_signs(told: Hear, live: bool) -> None:
    log = Kept(seats=False, table=SIDES_ARE_APART - 1)
    for side, name in SIDES.items():
        log.act(Seat(side, name), side, name, b"")
    for kind in ("go", "strike"):
        log.order(some(log, kind), b"")
    assert words(told(log, live=live, name="Carla")) == []


@both
def test_who_is_seated_under_no_key_is_told_and_found(told: Hear, live: bool) -> None:
    """In his name a host then wrote down what she liked: nobody signed there."""
    log = Kept(seats=False)
    for side, name in SIDES.items():
        log.act(Seat(side, name), side, name, b"")
    assert words(told(log, live=live, name="Carla"))
    kinds = [finding.kind for finding in verify(read(write(log.head, toy_files(), log.match.log)), load=toy).findings]
    assert kinds == ["signature", "signature"]


@both
def test_nothing_is_told_of_a_game_of_one_person_in_which_nobody_sits(told: Hear, live: bool) -> None:
    log = Kept(seats=False, hosted=False)
    log.order(End(), b"", player="me")
    assert words(told(log, live=live)) == []


@both
def test_an_entry_that_was_damaged_tells_nothing_of_its_host(told: Hear, live: bool) -> None:
    log = Kept()
    log.entries[-1] = msgspec.structs.replace(log.order(End()), order=b"")
    (trouble,) = words(told(log, live=live))
    assert "breaks the hash chain" in trouble


def test_of_who_was_called_so_where_the_game_came_from_no_more_is_told_than_that(told: Hear) -> None:
    log = Kept(seats=False)
    log.act(Seat("red", "Anna", key=HOST.key), "red", "Anna")
    log.act(Seat("blue", "Boris", key=of("another Boris").key), "blue", "Boris")
    log.order(End())
    assert [note.text for note in told(log, live=False) if isinstance(note, Foul | Trouble)] == [ELSEWHERE.format(game=GAME)]


# -------------------------------------------------------------------- what is not


def test_an_order_that_its_player_did_not_sign_is_told_before_it_is_shown(told: Hear) -> None:
    log = Kept()
    log.order(End())
    log.order(End(), log.signature(End(), HOST))
    notes = told(log, live=True)
    assert words(notes) == [SIGNED_BY.format("Boris")]
    assert [type(note) for note in notes if isinstance(note, Foul | Grown)] == [Foul, Grown]


def test_such_an_order_of_before_a_game_was_opened_is_told_with_the_next_message(told: Hear) -> None:
    log = Kept()
    log.order(End())
    log.order(End(), b"")
    log.order(End())
    notes = told(log, live=False)
    assert words(notes) == [SIGNED_BY.format("Boris")]
    assert isinstance(notes[-1], Foul)


def test_of_a_game_that_is_made_up_the_first_fouls_are_told(told: Hear, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "MOST_TOLD", 3)
    log = Kept()
    for _ in range(5):
        log.order(End(), b"")
    assert words(told(log, live=False)) == [SIGNED_BY.format(name) for name in ("Anna", "Boris", "Anna")]


def test_what_can_not_be_looked_at_is_told() -> None:
    log = Kept()
    log.act(Seat("blue", "Carla", "a seat that is not there", of("Carla").key), "blue", "Carla")
    log.match.log.add(log.match.log.seal(time_ms=0, side="red", player="Anna", act=Rewind(0)))
    found = look_back(log, threading.Event())
    told = ["the server wrote down what Carla could not do", f"entry {len(log.entries) - 1} can't be looked at"]
    assert [str(foul.text).split(":")[0] for foul in found] == told


def test_nothing_more_is_looked_at_when_the_line_is_closed() -> None:
    log, ended = Kept(), threading.Event()
    log.order(End(), b"")
    assert look_back(log, ended)
    ended.set()
    assert look_back(log, ended) == []


def look_back(log: Kept, ended: threading.Event) -> list[Foul]:
    """Return what Boris' program finds in a game that it has opened."""
    boris = watcher.Watcher(of("Boris").key, "Boris", log.head, foul=lambda foul: None)
    return watcher._fouls(partial(boris.fouls, live=False), Match.on(Log(), log.match), log.entries, ended)


@both
def test_an_order_that_is_written_down_again_is_told(told: Hear, live: bool) -> None:
    log = Kept()
    log.order(End())
    entry = log.order(End())
    log.order(End())
    log.order(End(), entry.signature)
    assert words(told(log, live=live)) == [SIGNED_BY.format("Boris")]


@both
@pytest.mark.parametrize("key", [HOST.key, ""], ids=["of the host", "none"])
def test_a_player_is_told_that_somebody_else_was_seated_under_his_name(told: Hear, live: bool, key: str) -> None:
    log = Kept()
    log.order(End())
    log.act(Seat("blue", "Boris", key=key), "blue", "Boris")
    log.order(End(), log.signature(End(), HOST))
    unsigned = [] if key else ["the server wrote down what Boris did not sign: Seat"]
    assert words(told(log, live=live)) == [*unsigned, "the server seated somebody under your name with another key"]


def test_a_player_is_told_of_somebody_who_sits_down_under_his_name_as_he_watches(told: Hear) -> None:
    log = Kept(seats=False)
    log.act(Seat("blue", "Boris", key=HOST.key), "blue", "Boris")
    assert words(told(log, live=True)) == ["the server seated somebody under your name with another key"]


@both
@pytest.mark.parametrize("name", ["Boris", "Carla"])
@pytest.mark.parametrize("forgery", [
    "unsigned", "by the host", "for the other side", "for another seat", "for another server", "of another time", "as an act",
])
def test_that_somebody_sat_down_who_did_not_sign_it_is_told(told: Hear, live: bool, name: str, forgery: str) -> None:
    log, seat, boris = Kept(), Seat("blue", "Boris", key=of("Boris").key), of("Boris")
    was = next(entry.signature for entry in log.entries if entry.player == "Boris")
    log.act(Seat("blue", ""), "blue", "Boris")
    log.act(seat, "blue", "Boris", {
        "unsigned": b"", "by the host": seated_by(HOST, seat, number=9, server=HOST),
        "for the other side": seated_by(boris, msgspec.structs.replace(seat, side="red"), number=9, server=HOST),
        "for another server": seated_by(boris, seat, number=9, server=of("Other")),
        "for another seat": seated_by(boris, msgspec.structs.replace(seat, seat="second"), number=9, server=HOST), "of another time": was,
        "as an act": boris.sign(act_then_message(GAME, log.match.log.last_hash, "blue", seat)),
    }[forgery])
    assert words(told(log, live=live, name=name)) == ["the server wrote down what Boris did not sign: Seat"]
    findings = verify(read(write(log.head, toy_files(), log.match.log)), load=toy).findings
    assert [(one.kind, one.text) for one in findings] == [("signature", "Boris did not sign this: Seat")]


def test_that_somebody_sat_down_without_a_key_where_others_have_theirs_is_found() -> None:
    log = Kept(seats=False)
    log.act(Seat("red", "Anna", key=HOST.key), "red", "Anna")
    log.act(Seat("blue", "Boris"), "blue", "Boris", b"")
    findings = verify(read(write(log.head, toy_files(), log.match.log)), load=toy).findings
    assert [one.text for one in findings] == ["Boris did not sign this: Seat"]


@both
def test_in_a_game_from_before_nobody_signs_that_he_sits_down(told: Hear, live: bool) -> None:
    log = Kept(table=4)
    log.act(Seat("blue", ""), "blue", "Boris")
    log.act(Seat("blue", "Boris", key=of("Boris").key), "blue", "Boris", b"")
    assert verify(read(write(log.head, toy_files(), log.match.log)), load=toy).holds
    assert not any(isinstance(note, Foul) for note in told(log, live=live))


@both
def test_what_nobody_ordered_is_told(told: Hear, live: bool) -> None:
    log = Kept()
    log.forge(log.order(End()), order=b"")
    assert words(told(log, live=live)) == [
        "the server wrote down what is no order and no act: it bears no order, and the game had begun"
    ]


@both
def test_a_set_up_that_is_not_the_scenarios_is_told(told: Hear, live: bool) -> None:
    log = Kept(seats=False)
    log.forge(log.entries[0], events=log.entries[0].events[:-1])
    assert words(told(log, live=live)) == ["entry 0 is not what its order and dice lead to"]


@both
def test_an_order_at_another_position_than_the_games_is_told(told: Hear, live: bool) -> None:
    """It takes back, unasked, what others did since."""
    log = Kept()
    start = log.match.log.head
    log.order(some(log, "go"))
    log.forge(log.order(some(log, "go")), parent=start)
    first, last = log.entries[-2].number, log.entries[-1].number
    assert words(told(log, live=live)) == [f"the server went on from entry {start} with entry {last}, and the game stood at entry {first}"]


def test_that_no_server_answers_for_a_game_of_several_people_is_remarked() -> None:
    """Without an owner, too, it is held to no rules of its table: nothing else would tell it from one of one person alone."""
    for seats in (True, False):
        log = Kept(hosted=False, seats=seats)
        log.order(End())
        report = verify(read(write(log.head, toy_files(), log.match.log)), load=toy)
        words = "no server answers for it by its key: a host could do more in it that nobody finds than in a game begun today"
        assert [one.text for one in report.remarks] == ([words] if seats else [])


@both
def test_an_order_in_a_pause_is_told(told: Hear, live: bool) -> None:
    log = Kept()
    offer = log.act(Offer("pause"), "blue", "Boris")
    log.act(Consent(offer.number, True), "red", "Anna")
    log.act(Pause(on=True), "blue", "Boris", b"")
    log.order(some(log, "go"))
    assert words(told(log, live=live)) == ["the server wrote down what Anna could not do: the game is paused"]


@both
def test_an_order_of_who_does_not_play_the_side_is_told(told: Hear, live: bool) -> None:
    for log in (Kept(), Kept(seats=False)):
        log.order(End(), player="Boris")
        assert words(told(log, live=live)) == ["the server wrote down an order of Boris, who did not play red"]


@both
def test_what_is_done_at_the_table_in_anothers_name_is_told(told: Hear, live: bool) -> None:
    log = Kept()
    log.act(Resign("blue"), "blue", "Boris", b"x" * 64)
    assert words(told(log, live=live)) == ["the server wrote down what Boris did not sign: Resign"]


@both
def test_an_order_that_was_taken_back_behind_its_players_back_is_told(told: Hear, live: bool) -> None:
    log = Kept()
    log.order(End())
    log.order(some(log, "go"))
    number = log.entries[-1].parent
    log.back(HOST)
    assert words(told(log, live=live)) == [f"the server wrote down that Boris went back to entry {number}, who did not sign it"]


@both
@pytest.mark.parametrize("forgery", ["another link", "a later number", "a moment before"])
def test_dice_that_are_not_those_of_the_servers_chain_for_this_moment_are_told(told: Hear, live: bool, forgery: str) -> None:
    log = Kept()
    entry = log.order(some(log, "strike"))
    match forgery:
        case "another link":
            log.forge(entry, links={SERVER: Chain(b"d" * 32, links=1000).link(1)})
        case "a later number":
            log.forge(entry, k=2, links={SERVER: log.chain.link(2)})
        case _:
            log.forge(entry, pending=bytes(32))
    (told_of,) = words(told(log, live=live))
    assert told_of.startswith("the server used dice that do not fit: ")


@both
@pytest.mark.parametrize("act", [Late("Boris", 1, 2_000), *(Fallback("Boris", 1, choice, bytes(32)) for choice in ("claim", "wait"))])
def test_that_somebody_was_waited_for_where_the_server_alone_throws_the_dice_is_told(told: Hear, live: bool, act: AnyAct) -> None:
    """It took the game from him, or time."""
    log = Kept()
    log.order(End())
    entry = log.act(act, *("red", "Anna") if isinstance(act, Fallback) else ("", ""), b"")
    found = [one.text for one in verify(read(write(log.head, toy_files(), log.match.log)), load=toy).findings]
    assert any(words_of_it in text for text in found for words_of_it in ("the server's alone", "was waited for")), entry
    assert any("the dice of this game are the server's alone" in one or "did not sign" in one for one in words(told(log, live=live)))


# -------------------------------------------------------------------- over a line


def test_nothing_is_told_of_a_game_that_a_server_keeps(player: Callable[..., Player]) -> None:
    anna, boris, late = player("Anna"), player("Boris"), player("Late")
    found: list[Foul] = []
    for one in (anna, boris, late):
        one.games._witnessing._foul = found.append
    duel(anna, boris)
    for one, side in ((anna, "red"), (boris, "blue"), (anna, "red")):
        assert take_turn(one, side, End()) == ""
    match = follow(late)
    assert len(match.log) > 3
    late.games._witnessing._behind._thread.shutdown()
    late.games.send(protocol.ListGames())
    late.wait(lambda note: isinstance(note, protocol.Games))
    assert found == []

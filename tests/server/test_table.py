"""The table over real sockets: acts are checked, written, told to all, and once only."""

from __future__ import annotations

import queue
from collections.abc import Callable

import msgspec
import pytest

from client.connection import table
from client.connection.acts import signed
from client.connection.line import Happening, Line, Up
from client.connection.notes import Answered, Grown, Ready, Trouble
from core import gamefile, protocol
from core.identity import act_message, act_then_message
from core.log import Consent, Flag, Limit, Offer, Pause, Referee, Resign, Result, Rewind, Seat, SetClock, Withdraw
from core.match import Match
from core.table_rules import DAY_MS
from core.terms import ClockTerms, SeatTerms, Terms
from core.text import text
from core.trials.verify import verify
from core.units import UnitId
from server import security
from tests.server.conftest import Host, Player, of, toy
from tests.server.tables import GAME, answer_to, do, duel, follow, last, open_table, order, sit, take_turn, until
from tests.toy.ruleset import End, Go
from tests.toy.table import ToyTable

NewPlayer = Callable[..., Player]
TIMED = Terms(clock=ClockTerms("absolute", 60_000), referees=("Rita",))


class Hands:
    """A clock whose hands are moved by the test."""

    def __init__(self) -> None:
        self.ms = 1_000_000

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    made = Hands()
    monkeypatch.setattr("server.steady.now_ms", made)
    return made


def line(one: Player) -> protocol.GameLine:
    one.games.send(protocol.ListGames())
    games = one.wait(lambda note: isinstance(note, protocol.Games))
    assert isinstance(games, protocol.Games)
    return games.games[0]


def go(match: Match, unit: int) -> Go:
    view = match.view
    return Go(UnitId(unit), next(h for h in view.board.adjacent[view.unit(UnitId(unit)).place] if not view.position.at(h)))


# ---------------------------------------------------------------- the lobby


def test_a_list_of_games_that_is_too_long_for_a_message_comes_whole_in_several(
    player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.listing.BUNCH", 500)
    anna = player("Anna")
    anna.wait(lambda note: isinstance(note, Up))
    parts: list[protocol.Games] = []
    take = anna.games._list.take
    monkeypatch.setattr(anna.games._list, "take", lambda part: (parts.append(part), take(part))[1])
    names = [f"game-{number}" for number in range(7)]
    for name in names:
        anna.games.send(protocol.CreateGame(name, "toy", "duel"))
        anna.wait(lambda note: isinstance(note, protocol.Games))
    parts.clear()
    anna.games.send(protocol.ListGames())
    found = anna.wait(lambda note: isinstance(note, protocol.Games))
    assert isinstance(found, protocol.Games)
    assert [line.game for line in found.games] == names
    assert [part.left for part in parts] == list(reversed(range(len(parts))))
    assert len(parts) > 2
    take(parts[0])  # the rest of it is lost on the way
    cut = take(parts[-1])
    assert cut is not None
    assert cut.games == parts[-1].games
    assert anna.games._list.asked() == protocol.ListGames()


# ---------------------------------------------------------------- seats


def test_a_game_is_made_on_its_terms_and_its_maker_owns_it(player: NewPlayer) -> None:
    anna = player("Anna")
    terms = Terms(owner="somebody else", seats=(SeatTerms("red"), SeatTerms("red", "north", (UnitId(0),)), SeatTerms("blue")))
    match = open_table(anna, terms)
    assert match.table.terms.owner == "Anna"
    sit(anna, "red")
    found = line(anna)
    assert found.owner == "Anna"
    assert [(chair.side, chair.seat, chair.player, chair.online, chair.limited) for chair in found.chairs] == [
        ("red", "", "Anna", True, False), ("red", "north", "", False, True), ("blue", "", "", False, False)
    ]


@pytest.mark.parametrize(("terms", "told"), [
    (Terms(clock=ClockTerms("turn")), "time_ms"),
    (Terms(referees=("Anna", "Rita")), "referees[1]"),  # else whoever takes that name first rules on the game
])
def test_terms_that_do_not_fit_make_no_game(terms: Terms, told: str, player: NewPlayer) -> None:
    anna = player("Anna")
    anna.wait(lambda note: not isinstance(note, Trouble))
    anna.games.send(protocol.CreateGame(GAME, "toy", "duel", terms=terms))
    trouble = anna.wait(lambda note: isinstance(note, Trouble))
    assert told in str(trouble)
    open_table_after = player("Boris")
    open_table(open_table_after)


def test_a_limited_seat_orders_its_units_only(player: NewPlayer) -> None:
    anna, nora, boris = player("Anna"), player("Nora"), player("Boris")
    terms = Terms(seats=(SeatTerms("red"), SeatTerms("red", "north", (UnitId(0),)), SeatTerms("blue")))
    match, _ = duel(anna, boris, terms)
    theirs = follow(nora)
    sit(nora, "red", "north")
    assert "does not command unit 1" in order(nora, "red", go(theirs, 1))
    assert order(nora, "red", go(theirs, 0)) == ""
    assert do(anna, "red", Limit("red", "north", (UnitId(1),))) == ""
    until(nora, lambda known: known.log.last_hash == match.log.last_hash)
    assert order(nora, "red", go(theirs, 1)) == ""
    assert "names no unit" in order(nora, "red", End())


def test_the_owner_frees_a_seat_and_another_takes_it_over(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    duel(anna, boris)
    follow(carla)
    assert "held by Boris" in do(carla, "blue", Seat("blue", "Carla"))
    assert do(anna, "", Seat("blue", "")) == ""
    sit(carla, "blue")
    until(anna, lambda match: match.table.holders("blue") == {"Carla"})


# ---------------------------------------------------------------- offers and ends


def test_a_draw_is_offered_accepted_and_ends_the_game_for_all(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    assert do(anna, "red", Offer("draw")) == ""
    until(boris, lambda match: bool(match.table.offers))
    assert do(boris, "blue", Consent(last(boris).number, yes=True)) == ""
    until(anna, lambda match: match.outcome is not None)
    assert order(anna, "red", End()) == "the game is over: a draw was agreed"
    found = line(anna)
    assert (found.over, found.winner, found.result, found.waits_for) == (True, "", "a draw was agreed", "")


def test_an_offer_is_withdrawn_and_can_not_be_accepted_any_more(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    do(anna, "red", Offer("draw"))
    number = last(anna).number
    assert do(anna, "red", Withdraw(number)) == ""
    assert "no open offer" in do(boris, "blue", Consent(number, yes=True))


def test_a_side_resigns_and_the_lobby_says_who_won(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    assert do(boris, "blue", Resign("blue")) == ""
    found = line(anna)
    assert (found.over, found.winner, found.result) == (True, "red", "blue resigned")
    assert "the game is over: blue resigned" in order(anna, "red", End())


def test_an_act_that_is_sent_twice_is_done_once(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    frame = protocol.DoAct(GAME, "red", "the-same", Offer("draw"))
    for _ in range(2):
        anna.games.send(frame)
        assert answer_to(anna, "the-same").refused is None
    assert sum(isinstance(entry.act, Offer) for entry in match.log.entries) == 1


def test_an_act_that_its_player_did_not_sign_is_refused(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    act, began = Resign("red"), match.hash_of(0)
    forged = {
        "another game's": of("Anna").sign(act_message("other", began, "red", act)),
        "another side's": of("Anna").sign(act_message(GAME, began, "blue", act)),
        "another act's": of("Anna").sign(act_message(GAME, began, "red", Offer("draw"))),
        "another player's": of("Boris").sign(act_message(GAME, began, "red", act)),
        "nobody's": b"",
    }
    for number, (whose, signature) in enumerate(forged.items()):
        assert anna.games.line is not None
        anna.games.line.send(protocol.DoAct(GAME, "red", f"forged-{number}", act, signature))
        assert "not signed" in str(answer_to(anna, f"forged-{number}").refused), whose
    assert match.outcome is None


def test_a_consent_that_nobody_gave_is_found_in_the_file(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    assert do(anna, "red", Offer("draw")) == ""
    file = gamefile.read(anna.games.file(GAME))
    assert verify(file, load=toy).findings == ()
    with anna.games.reading():
        forged = match.log.seal(time_ms=match.log.entries[-1].time_ms, side="blue", player="Boris", act=Consent(last(anna).number, True))
    found = verify(msgspec.structs.replace(file, entries=(*file.entries, forged)), load=toy).findings
    assert [(finding.entry, finding.kind, finding.text) for finding in found] == [
        (forged.number, "signature", "Boris did not sign this: Consent")
    ]


def test_what_nobody_may_ask_for_is_refused(player: NewPlayer) -> None:
    from core.log import ChainPublished, Late

    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    for act in (ChainPublished("Anna", b"", 1), Late("Boris", 1, 1)):
        assert "nobody may ask" in do(anna, "red", act)


def test_a_client_that_comes_late_knows_the_table_as_it_is(player: NewPlayer) -> None:
    anna, boris, carla = player("Anna"), player("Boris"), player("Carla")
    match, _ = duel(anna, boris)
    do(anna, "red", Offer("draw"))
    theirs = follow(carla)
    assert theirs.table.chairs == match.table.chairs
    assert theirs.table.offers == match.table.offers


@pytest.mark.parametrize("words", ["", "x" * 501, "turned \u202e round", "\x1b[2J"])
def test_what_goes_on_record_can_be_read(words: str, player: NewPlayer) -> None:
    anna, boris, rita = player("Anna"), player("Boris"), player("Rita")
    match, _ = duel(anna, boris, TIMED)
    follow(rita)
    entries = len(match.log)
    for act in (Referee(text("{words}", words=words)), Result("", words)):
        assert answer_to(rita, table.do(rita.games, GAME, "", act)).refused is not None
    assert len(match.log) == entries


@pytest.mark.parametrize("after", [-1, 0, 2, 3])
def test_whoever_comes_back_is_sent_what_he_lacks_from_any_entry_on(after: int, host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    do(anna, "red", Offer("draw"))
    order(anna, "red", End())
    heard: queue.SimpleQueue[Happening] = queue.SimpleQueue()
    line = Line(host.address, "Boris", heard.put, identity=of("Boris"))
    line.start()
    try:
        while not isinstance(heard.get(timeout=10), Up):
            continue
        line.send(protocol.Follow(GAME, after))
        numbers: list[int] = []
        while not numbers or numbers[-1] < len(match.log) - 1:
            what = heard.get(timeout=10)
            numbers += [entry.number for entry in what.entries] if isinstance(what, protocol.NewEntries) else []
        assert numbers == list(range(after + 1, len(match.log)))
    finally:
        line.close()


@pytest.mark.parametrize("to", [-1, 1, 99])
def test_nobody_goes_back_to_where_there_is_no_position(to: int, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    anna.games.send(protocol.AskRewind(GAME, "red", to))
    refused = anna.wait(lambda note: isinstance(note, Answered))
    assert isinstance(refused, Answered)
    assert "no position to go back to" in str(refused.refused)


def test_whoever_goes_back_freely_signs_it_for_that_moment_alone(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    start, first = match.log.head, asked_back(anna, match)
    assert first.undo != asked_back(anna, match, to=1).undo
    assert anna.games.line is not None
    for again in (False, True):
        assert order(anna, "red", go(match, 0)) == ""
        if again:
            anna.games.line.send(first)  # as a server might that wants to take an order back behind her
            refused = anna.wait(lambda note: isinstance(note, Answered))
            assert isinstance(refused, Answered)
            assert "not signed by the key of Anna" in str(refused.refused)
        anna.games.line.send(first := asked_back(anna, match, to=start))
        until(anna, lambda match: match.log.head == start)
    file = gamefile.read(anna.games.file(GAME))
    assert file.head.signs_undo
    assert verify(file, load=toy).findings == ()
    assert verify(unsigned(file), load=toy).findings[0].text == f"Anna did not sign the way back to entry {start}"
    older = msgspec.structs.replace(unsigned(file), head=msgspec.structs.replace(file.head, signs_undo=False))
    assert [one.kind for one in verify(older, load=toy).findings] == ["signature", "table"]  # all signed for the head as it was


def asked_back(one: Player, match: Match, *, to: int | None = None) -> protocol.AskRewind:
    """Return what asks to go back now, signed."""
    with one.games.reading():
        return signed(protocol.AskRewind(GAME, "red", match.log.head if to is None else to), match, "Anna", of("Anna").sign, {})


def test_what_is_asked_for_again_is_signed_alike_and_another_time_for_another_moment() -> None:
    toy_game = ToyTable().sit(red="Anna", blue="Boris")
    spent: dict[bytes, str] = {}

    def sent(order_id: str) -> bytes:
        return signed(protocol.DoAct(GAME, "red", order_id, Offer("draw")), toy_game.match, "Anna", of("Anna").sign, spent).signature

    first = sent("one")
    assert [sent("one") for _ in range(5)] == [first] * 5, "what was lost on the way comes again"
    assert len({first, sent("two"), sent("three")}) == 3
    assert sent("four") == first, "all were given, and nothing may have come of any"
    toy_game.do("Anna", "red", Offer("pause"))
    assert sent("two") not in (first, sent("five")), "one for each moment could be written down each by itself"
    assert len({sent("two") for _ in range(2)}) == 1


def test_who_goes_back_freely_signs_no_offer_to_do_so() -> None:
    """It held for more moments than the way back: a server that had used that could write the offer down when it liked."""
    toy_game = ToyTable().sit(red="Anna", blue="Boris")
    to = toy_game.match.log.head

    def sent() -> protocol.AskRewind:
        return signed(protocol.AskRewind(GAME, "red", to), toy_game.match, "Anna", of("Anna").sign, {})

    for given, is_free in ((go(toy_game.match, 1), True), (End(), True), (End(), False)):
        toy_game.order("Anna" if toy_game.match.view.side_to_act() == "red" else "Boris", given)
        frame = sent()
        assert bool(frame.undo)
        assert bool(frame.signature) != is_free


def test_who_asks_to_go_back_freely_as_another_acts_is_told_to_ask_again(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    to = match.log.head
    assert order(anna, "red", End()) == ""
    frame = msgspec.structs.replace(asked_back(anna, match, to=to), signature=b"")
    assert take_turn(boris, "blue", End()) == ""
    anna.games.line.send(frame)  # type: ignore[union-attr]
    told = anna.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    assert "ask again" in str(told)


def test_a_seat_is_left_under_one_signature_however_often_that_is_asked_for() -> None:
    """A server that refused it falsely had two, and wrote down as well that others may have the seat."""
    toy_game = ToyTable().sit(red="Anna", blue="Boris")
    toy_game.do("Anna", "red", Offer("pause"))
    spent: dict[bytes, str] = {}
    frame = protocol.LeaveSeat(GAME, "blue")
    found = {signed(frame, toy_game.match, "Boris", of("Boris").sign, spent).signature for _ in range(3)}
    toy_game.do("Anna", "red", Offer("draw"))
    found |= {signed(frame, toy_game.match, "Boris", of("Boris").sign, spent).signature}
    assert len(found) == 1


def test_who_left_his_seat_and_is_shown_the_game_later_signs_what_he_does_as_its_owner_for_the_whole_game() -> None:
    toy_game = ToyTable(Terms(owner="Anna")).sit(red="Anna", blue="Boris")
    toy_game.order("Anna", End())
    toy_game.do("Anna", "red", Seat("red", ""))
    seats = (("red", ""), ("blue", "Boris"))
    chairs = tuple(protocol.SeatLine(side, "", player, online=False, limited=False) for side, player in seats)
    frame = protocol.DoAct(GAME, "", "id", Result("", "tired"))
    found = signed(frame, toy_game.match, "Anna", of("Anna").sign, {}, chairs=chairs).signature
    assert found == of("Anna").sign(act_message(toy_game.match.game, toy_game.match.hash_of(0), "", Result("", "tired")))


def test_an_answer_is_signed_for_no_moment_before_what_it_answers() -> None:
    """A server that does not answer has its player press the key again: what he signed then held for any other offer there."""
    toy_game = ToyTable().sit(red="Anna", blue="Boris")
    offer, match = toy_game.do("Anna", "red", Offer("pause")).number, toy_game.match
    asked = protocol.Answer(GAME, "blue", offer, yes=True)
    spent: dict[bytes, str] = {}
    given = {signed(asked, match, "Boris", of("Boris").sign, spent).signature for _ in range(3)}
    assert given == {of("Boris").sign(act_then_message(match.game, match.log.last_hash, "blue", Consent(offer, True)))}


def unsigned(file: gamefile.GameFile) -> gamefile.GameFile:
    """Return a file whose last entry bears no signature, sealed again."""
    bare = msgspec.structs.replace(file.entries[-1], signature=b"", hash=b"")
    return msgspec.structs.replace(file, entries=(*file.entries[:-1], msgspec.structs.replace(bare, hash=bare.digest())))


# ---------------------------------------------------------------- clocks


def test_a_flag_falls_by_itself_when_the_time_is_out(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, Terms(clock=ClockTerms("absolute", 300)))
    until(boris, lambda match: match.table.ended is not None)
    assert isinstance(last(boris).act, Flag)
    assert (line(anna).winner, line(anna).result) == ("blue", "red ran out of time")


def test_an_order_that_comes_after_the_time_is_refused_and_the_flag_falls(hands: Hands, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, TIMED)
    hands.ms += 60_000
    assert "red ran out of time" in order(anna, "red", End())
    until(boris, lambda match: match.table.ended is not None)


def test_the_other_side_claims_a_flag_that_nobody_saw_fall(
    hands: Hands, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.tending.SOONEST_S", 60)  # the server looks at the clock later than Boris
    monkeypatch.setattr("server.tending.LATEST_S", 60)
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, TIMED)
    hands.ms += 59_999
    assert "is not out" in do(boris, "blue", Flag("red"))
    hands.ms += 1
    assert do(boris, "blue", Flag("red")) == ""


def test_a_machine_whose_clock_goes_backwards_costs_nobody_time_and_gives_none(hands: Hands, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris, TIMED)
    hands.ms += 10_000
    assert order(anna, "red", End()) == ""
    hands.ms -= 3_600_000
    assert take_turn(boris, "blue", End()) == ""
    times = [entry.time_ms for entry in match.log.entries]
    assert times == sorted(times)
    assert match.table.clocks.left_ms == {"red": 50_000, "blue": 60_000}


def test_clocks_run_on_where_a_server_before_had_a_later_clock(hands: Hands, host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, TIMED)
    assert order(anna, "red", End()) == ""
    host.stop()
    hands.ms -= 3_600_000
    host.start(host.address)
    for one in (anna, boris):
        one.wait(lambda note: isinstance(note, Up))
        one.until(lambda: len(host.service.sessions.followers(GAME)) == 2)  # the game is in memory, and its time goes on
    before = last(boris).time_ms
    hands.ms += 7_000
    assert take_turn(boris, "blue", End()) == ""
    until(anna, lambda match: match.log.entries[-1].side == "blue")
    assert last(anna).time_ms == before + 7_000


def test_nobodys_clock_runs_while_the_server_is_away(hands: Hands, host: Host, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris, TIMED)
    hands.ms += 10_000
    host.stop()
    hands.ms += 3_600_000
    host.start(host.address)
    anna.wait(lambda note: isinstance(note, Grown) and match.log.entries[-1].act.__class__.__name__ == "Away")
    assert match.table.clocks_at(hands.ms).left_ms == {"red": 50_000, "blue": 60_000}


def test_followers_hear_whom_the_game_waits_for_since_when_and_what_is_left(hands: Hands, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, TIMED)
    hands.ms += 5_000
    order(anna, "red", End())
    waiting = boris.wait(lambda note: isinstance(note, protocol.Waiting) and note.side == "blue")
    assert isinstance(waiting, protocol.Waiting)
    assert (waiting.since_ms, waiting.left_ms, waiting.runs) == (hands.ms, {"red": 55_000, "blue": 60_000}, True)


# ---------------------------------------------------------------- referees


def test_a_referees_acts_are_entries_that_all_see(player: NewPlayer) -> None:
    anna, boris, rita = player("Anna"), player("Boris"), player("Rita")
    match, _ = duel(anna, boris, TIMED)
    theirs = follow(rita)
    start = match.log.head
    order(anna, "red", End())
    until(rita, lambda known: known.log.head != start)
    for act in (
        Referee(text("the phone rang")), Pause(on=True), SetClock("red", 99_000), Rewind(start), Pause(on=False), Seat("blue", "Boris"),
    ):
        assert do(rita, "", act) == "", act
        until(boris, lambda match, act=act: type(match.log.entries[-1].act) is type(act))
        assert (last(boris).player, last(boris).side) == ("Rita", "")
    assert theirs.log.head == start
    assert do(rita, "", Result("blue", "by the club's rule 7")) == ""
    until(anna, lambda match: match.outcome is not None)
    assert match.outcome is not None
    assert (match.outcome.winner, match.outcome.result) == ("blue", "ended by Rita: by the club's rule 7")


FURTHER = (SeatTerms("red"), SeatTerms("red", "second"), SeatTerms("blue"))


def agree_on_a_pause(anna: Player, boris: Player) -> None:
    assert do(anna, "red", Offer("pause")) == ""
    until(boris, lambda match: bool(match.table.offers))
    assert do(boris, "blue", Consent(last(boris).number, yes=True)) == ""
    until(anna, lambda match: match.table.paused)


def test_a_pause_that_was_agreed_on_ends_while_the_other_side_is_here_or_a_day_later(
    hands: Hands, host: Host, player: NewPlayer
) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, TIMED)
    assert take_turn(anna, "red", End()) == ""
    agree_on_a_pause(anna, boris)
    hands.ms += 60_001
    boris.games.close()
    host.hears_nothing_of("Boris")
    awaited = "the pause was agreed on, and Boris of blue is not here; you can end it alone in 23 h and 59 min"
    assert do(anna, "red", Pause(on=False)) == awaited
    boris = player("Boris")
    boris.wait(lambda note: isinstance(note, Up))
    assert do(anna, "red", Pause(on=False)) == awaited  # he is elsewhere, and nothing is asked of his program
    follow(boris, up=True)
    boris.games.send(protocol.LeaveSeat(GAME, "blue"))
    until(anna, lambda match: not match.table.holders("blue"))
    boris.games.send(protocol.Unfollow(GAME))
    boris.games.send(protocol.ListGames())
    boris.wait(lambda note: isinstance(note, protocol.Games))  # answered behind it
    assert do(anna, "red", Pause(on=False)) == awaited
    hands.ms += DAY_MS - 60_001
    assert do(anna, "red", Pause(on=False)) == ""
    until(anna, lambda match: not match.table.paused)


@pytest.mark.parametrize("by", ["the other, who is here", "a referee", "who plays both sides"])
def test_a_pause_that_was_agreed_on_is_ended_by(by: str, host: Host, player: NewPlayer) -> None:
    anna, boris, rita = player("Anna"), player("Boris"), player("Rita")
    duel(anna, boris, TIMED)
    follow(rita)
    assert take_turn(anna, "red", End()) == ""
    agree_on_a_pause(anna, boris)
    if by == "the other, who is here":
        assert do(anna, "red", Pause(on=False)) == ""
        return
    boris.games.close()
    host.hears_nothing_of("Boris")
    if by == "who plays both sides":
        assert do(rita, "", Seat("blue", "Anna")) == ""
    one, side = (rita, "") if by == "a referee" else (anna, "red")
    assert do(one, side, Pause(on=False)) == ""


def test_a_seat_that_a_referee_gives_to_a_name_that_looks_alike_is_its_holders(player: NewPlayer) -> None:
    anna, rita = player("Anna"), player("Rita")
    match = open_table(anna, TIMED)
    follow(rita)
    assert do(rita, "", Seat("red", "ANNA")) == ""
    until(anna, lambda known: bool(known.table.players()))
    assert match.table.holders("red") == {"Anna"}


def test_players_are_no_referees(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, TIMED)
    for act in (SetClock("red", 99_000), Result("red", "mine"), Referee(text("hush")), Pause(on=True)):
        assert do(anna, "", act) != "", act


def create(one: Player, game: str) -> str:
    """Begin a game; return why it was refused, or nothing."""
    one.notes.clear()
    one.games.send(protocol.CreateGame(game, "toy", "duel"))
    answer = one.wait(lambda note: isinstance(note, protocol.Games | Answered))
    return str(answer.refused) if isinstance(answer, Answered) else ""


def test_nobody_but_an_owner_has_more_tables_than_so_many_at_which_nobody_else_sits(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.lobby.MOST_TABLES", 3)
    anna, boris, owner = player("Anna"), player("Boris"), player("Owner")
    for one in (anna, boris, owner):
        one.wait(lambda note: isinstance(note, Up))
    assert [create(anna, f"table-{number}") for number in range(3)] == ["", "", ""]
    anna.games.send(protocol.TakeSeat("table-0", "red"))
    assert "you have 3 games here at which nobody else sits" in create(anna, "more")
    assert create(anna, "table-1") == ""  # it is there
    host.stop()
    host.start(host.address)
    for one in (anna, boris, owner):
        one.wait(lambda note: isinstance(note, Up))
    assert "3 games here" in create(anna, "more")
    boris.games.follow("table-1")
    boris.games.send(protocol.TakeSeat("table-1", "blue"))
    boris.wait(lambda note: isinstance(note, Grown))
    assert create(anna, "more") == ""
    assert "3 games here" in create(anna, "still-more")
    anna.games.follow("more")
    anna.wait(lambda note: isinstance(note, Ready))
    assert answer_to(anna, table.do(anna.games, "more", "", Result("", "nobody came"))).refused is None
    assert create(anna, "still-more") == ""
    assert [create(owner, f"owner-{number}") for number in range(5)] == [""] * 5


def test_two_who_sit_down_at_each_others_tables_begin_only_so_many_at_once(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, owner = player("Anna"), player("Owner")
    for one in (anna, owner):
        one.wait(lambda note: isinstance(note, Up))
    host.service.limits.founding = security.Limit(3, 0.1, clock=lambda: 0.0)
    monkeypatch.setattr("server.shelf.Shelf.empty_tables", lambda *_: 0)  # as somebody sits at each
    assert [create(anna, f"table-{number}") for number in range(3)] == ["", "", ""]
    assert "wait a moment" in create(anna, "more")
    assert create(anna, "table-1") == ""  # it is there
    assert create(owner, "another") == ""


def test_nobody_fills_the_disk_with_what_he_does_at_a_table(host: Host, player: NewPlayer) -> None:
    """Each act is kept for as long as its game: some hundred a second were 17 GB a day."""
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris)
    host.service.limits.acting = security.Limit(4, 1.0, clock=lambda: 0.0)
    for number in range(2):
        assert do(anna, "red", Offer("draw")) == ""
        assert do(anna, "red", Withdraw(last(anna).number)) == "", number
    assert "wait a moment" in do(anna, "red", Offer("draw"))
    assert do(boris, "blue", Offer("draw")) == ""
    assert order(anna, "red", End()) == ""


def test_a_long_act_counts_as_several(host: Host, player: NewPlayer) -> None:
    """Limits of thousands of units took twenty times the disk that so many acts may, and a gigabyte of memory in an hour."""
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, Terms(seats=FURTHER))
    host.service.limits.acting = security.Limit(6, 1.0, clock=lambda: 0.0)
    long = Limit("red", "second", tuple(map(UnitId, range(1_000, 1_500))))
    assert do(anna, "red", long) == ""
    assert "wait a moment" in do(anna, "red", long)
    assert do(anna, "red", Limit("red", "second", ())) == ""


@pytest.mark.parametrize("act", [SetClock("green", 1), Seat("green", "Anna"), Offer("tea")])
def test_acts_that_name_what_is_not_there_are_told_where(act: object, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    duel(anna, boris, TIMED)
    side = "red" if not isinstance(act, SetClock) else ""
    who = anna if side else player("Rita")
    if not side:
        follow(who)
    answer = answer_to(who, _send(who, side, act))
    assert isinstance(answer, Answered)
    assert answer.refused is not None


def _send(one: Player, side: str, act: object) -> str:
    return table.do(one.games, GAME, side, act)  # type: ignore[arg-type]

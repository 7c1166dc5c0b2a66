"""A file in which something happened at the table that could not have: verify finds it and says why."""

from __future__ import annotations

import random

import msgspec
import pytest

from core import dice, gamefile
from core.bots.random_bot import choose
from core.errors import BadInput
from core.identity import Identity
from core.log import (
    Admit,
    AnyAct,
    Away,
    ChainPublished,
    Claim,
    Consent,
    Entry,
    Flag,
    Late,
    Log,
    Offer,
    Pause,
    Pending,
    Referee,
    Resign,
    Result,
    Rewind,
    Seat,
    SetClock,
    TakenOver,
)
from core.table import VERSION
from core.table_rules import GONE_MS, Who
from core.terms import ClockTerms, DiceTerms, SeatTerms, SpectatorTerms, Terms
from core.text import text
from core.trials.verify import Report, verify
from core.units import UnitId
from core.witnesses import Witnesses
from tests.server.tables import under
from tests.toy.ruleset import RULESET, End, Go, toy_files
from tests.toy.table import ToyTable
from tests.toy.witnessed import WAIT_MS, Host, key_of, seated, seated_by

CLOCK = ClockTerms("absolute", 60_000)


def duel(terms: Terms | None = None) -> ToyTable:
    toy = ToyTable(terms or Terms(owner="Anna", clock=CLOCK, referees=("Rita",))).sit(red="Anna", blue="Boris")
    toy.now = 10_000
    toy.order("Anna", End())
    return toy


NO_KEY = "no server answers for it by its key: a host could do more in it that nobody finds than in a game begun today"


def report(toy: ToyTable) -> Report:
    data = gamefile.write(gamefile.head_of(toy.match), toy_files(), toy.match.log)
    return verify(gamefile.read(data), load=lambda name: RULESET)


def salted(log: Log, head: gamefile.Head) -> Log:
    """Return a log as it would be if it had been begun under a head, and each entry been sealed behind that."""
    again = Log()
    for entry in log.entries:
        salt = entry.salt if again.entries else gamefile.first_salt(bytes(gamefile.SALT_BYTES), head)
        bare = msgspec.structs.replace(entry, before=again.last_hash, salt=salt, hash=b"")
        again.add(msgspec.structs.replace(bare, hash=bare.digest()))
    return again


@pytest.mark.parametrize(("version", "signs_undo", "said"), [
    (VERSION, True, []), (VERSION - 1, True, ["version"]), (VERSION, False, ["version"]), (VERSION - 1, False, ["version", "version"]),
])
def test_what_a_server_begins_by_earlier_rules_holds_and_is_remarked(version: int, signs_undo: bool, said: list[str]) -> None:
    toy = ToyTable(Terms(owner="Anna"))
    head = gamefile.head_of(toy.match)
    earlier = under(msgspec.structs.replace(head, table=version, signs_undo=signs_undo), head.terms, Identity(b"k" * 32))
    found = verify(gamefile.read(gamefile.write(earlier, toy_files(), salted(toy.match.log, earlier))), load=lambda name: RULESET)
    assert found.findings == ()
    assert [remark.kind for remark in found.remarks] == said


@pytest.mark.parametrize(("version", "found"), [(3, []), (4, ["table"]), (VERSION, ["table"])])
def test_a_servers_game_whose_first_entry_tells_nothing_of_what_was_agreed_on_is_found(version: int, found: list[str]) -> None:
    """A host began one so today: nothing that was signed in it held it to its terms, and she gave out its file with others."""
    toy = ToyTable(Terms(owner="Anna"))
    head = under(msgspec.structs.replace(gamefile.head_of(toy.match), table=version), Terms(owner="Anna"), Identity(b"k" * 32))
    of_file = gamefile.read(gamefile.write(head, toy_files(), toy.match.log))
    assert [finding.kind for finding in verify(of_file, load=lambda name: RULESET).findings] == found


def forge(toy: ToyTable, act: AnyAct, *, player: str = "", side: str = "") -> Entry:
    """Write an act down without asking whether it is allowed, as a host could who cheats."""
    entry = toy.match.act(act, side=side, player=player)
    toy.match.accept_act(entry)
    return entry


def test_an_honest_table_verifies_and_a_referees_acts_are_remarked() -> None:
    toy = duel()
    toy.do("Rita", "", Pause(on=True))
    toy.do("Rita", "", SetClock("red", 90_000))
    toy.do("Rita", "", Pause(on=False))
    toy.do("Boris", "blue", Resign("blue"))
    found = report(toy)
    assert found.findings == ()
    assert [remark.text for remark in found.remarks] == [
        NO_KEY, "Rita acted as referee: Pause", "Rita acted as referee: SetClock", "Rita acted as referee: Pause"
    ]


def test_what_an_owner_decides_who_never_played_is_remarked_as_nobody_signs_it() -> None:
    """The host had made him up: in his name others could have the seat of Boris, and a friend of hers sat down there and resigned."""
    host = seated(terms=Terms(owner="Zed", dice=DiceTerms("witnessed", WAIT_MS)))
    host.order(End())
    host.act(Seat("blue", ""), side="blue", player="Boris")
    host.act(Seat("blue", ""), player="Zed")
    found = host.report()
    assert found.findings == ()
    assert "Zed, who owns the game and has never played it, decided about it, and nobody signed that: Seat" in [
        remark.text for remark in found.remarks
    ]


@pytest.mark.parametrize("is_his", [False, True])
def test_who_signed_nothing_of_a_game_but_that_he_sat_down_is_remarked(is_his: bool) -> None:
    """By the signature of Boris' seat in their game the host had him lose another one of that id on time, which he never saw."""
    host = Host(terms=Terms(owner="Anna", dice=DiceTerms("witnessed", WAIT_MS), clock=ClockTerms("absolute", 60_000, 0, "lose")))
    host.begin()
    host.sit("red", "Anna")
    if is_his:
        host.sit("blue", "Boris")
    else:
        seat = Seat("blue", "Boris", key=key_of("Boris").key)
        host.act(seat, side="blue", player="Boris", signature=seated_by(key_of("Boris"), seat, number=1))
    side = host.match.table.on_clock()
    host.now_ms += 61_000
    host.act(Flag(side))
    found = host.report()
    assert found.findings == ()
    words = "Boris has signed nothing of this game but that he sat down, which its server can write into others of this id"
    assert (words in [remark.text for remark in found.remarks]) == (not is_his)


def test_the_games_owner_who_sits_nowhere_and_lets_rule_by_his_role_on_the_server_did_nothing_wrong() -> None:
    toy = duel(Terms(owner="Olga", clock=CLOCK))
    toy.do("Olga", "", Admit(SpectatorTerms("closed")))  # as the game's owner
    toy.do("Olga", "", SetClock("red", 90_000), role=True)
    toy.do("Olga", "", Referee(text("no more haste")), role=True)
    found = report(toy)
    assert found.findings == ()
    assert [remark.text for remark in found.remarks] == [NO_KEY, "Olga acted as referee: SetClock", "Olga acted as referee: Referee"]


@pytest.mark.parametrize(
    ("act", "player", "side", "why"),
    [
        (Flag("blue"), "", "", "is not out"),
        (Away(1_000), "Anna", "red", "nobody may ask"),
        (Resign("blue"), "Anna", "red", "can't resign for"),
        (Claim("red"), "Anna", "red", "no fallen flag"),
        (Result("red", "mine"), "Anna", "", "only a referee"),
        (SetClock("red", 9), "Anna", "", "only a referee"),
        (Pause(on=True), "Boris", "blue", "must agree"),
        (Seat("red", "Eve"), "Eve", "red", "held by Anna"),
        (Referee(text("hush")), "Boris", "", "only a referee"),
    ],
)
def test_what_nobody_was_allowed_to_do_is_found(act: AnyAct, player: str, side: str, why: str) -> None:
    toy = duel()
    number = forge(toy, act, player=player, side=side).number
    found = report(toy)
    assert [(finding.entry, finding.kind) for finding in found.findings] == [(number, "table")]
    assert why in found.findings[0].text


def test_an_order_after_the_end_is_found() -> None:
    toy = duel()
    toy.do("Boris", "blue", Resign("blue"))
    toy.keeper.order("blue", End(), player="Boris")
    assert "the game is over" in report(toy).findings[0].text


def test_an_order_beyond_a_seats_limit_is_found() -> None:
    seats = (SeatTerms("red"), SeatTerms("red", "north", (UnitId(0),)), SeatTerms("blue"))
    toy = ToyTable(Terms(owner="Anna", seats=seats)).sit(red="Anna", blue="Boris")
    toy.do("Nora", "red", Seat("red", "Nora", "north"))
    toy.keeper.order("red", End(), player="Nora")
    assert "names no unit" in report(toy).findings[0].text


@pytest.mark.parametrize("player", ["", "Boris", "Nobody"])
def test_an_order_for_a_seat_that_nobody_holds_is_found(player: str) -> None:
    toy = duel()
    toy.do("Boris", "blue", Seat("blue", ""))  # for a while: the game is to wait for him
    number = toy.keeper.order("blue", End(), player=player).number
    found = report(toy).findings
    assert [(one.entry, one.text) for one in found] == [(number, f"{player or 'nobody'} ordered, and the seat of blue was nobody's")]


def strike_of_blue(seed: int) -> tuple[ToyTable, Pending] | None:
    """Play at random until blue would strike; return the record of that order, given by Clara. None if the game ends before."""
    toy, rng = duel(), random.Random(seed)
    while side := toy.match.view.side_to_act():
        order = choose(toy.match.view, rng)
        if side == "blue" and isinstance(found := toy.match.propose(side, order, player="Clara"), Pending):
            return toy, found
        toy.order({"red": "Anna", "blue": "Boris"}[side], order)
    return None


def test_an_order_of_who_sat_down_since_it_began_to_wait_is_found() -> None:
    toy, pending = next(found for seed in range(100) if (found := strike_of_blue(seed)) is not None)
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.do("Clara", "blue", Seat("blue", "Clara"))
    toy.match.hold(pending)
    toy.match.accept(*toy.match.finish({"server": toy.keeper.chain.link(pending.k)}))
    assert "Clara ordered, and the seat of blue was Boris's" in [finding.text for finding in report(toy).findings]


def test_at_a_table_that_a_server_keeps_nobody_does_nothing() -> None:
    toy = ToyTable(Terms(clock=CLOCK)).sit(red="Anna", blue="Boris")
    forge(toy, Result("red", "mine"))
    head = msgspec.structs.replace(gamefile.head_of(toy.match), keeper=dice.Keeper("k" * 52))
    data = gamefile.write(head, toy_files(), salted(toy.match.log, head))
    found = [one.text for one in verify(gamefile.read(data), load=lambda name: RULESET).findings if one.kind == "table"]
    assert found == ["nobody could not do this: whoever does something at a table has a name"]


def test_a_seat_that_the_game_has_not_is_told_with_its_entry() -> None:
    toy = duel()
    forged = toy.match.act(Seat("red", "Eve", "attic"), side="red", player="Eve")
    toy.match.log.add(forged)
    data = gamefile.write(gamefile.head_of(toy.match), toy_files(), toy.match.log)
    with pytest.raises(gamefile.BadInput, match=f"entry {forged.number}: expected a seat of this game, got red attic"):
        gamefile.open_match(gamefile.read(data), clock=lambda: 0, load=lambda name: RULESET)


def test_numbers_that_are_forged_again_and_again_make_nobody_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of 20 KB took six seconds."""
    toy = duel()
    log = toy.match.log
    for _ in range(20):
        log.add(log.seal(time_ms=10_000, act=TakenOver("", bytes(32), 1 << 40)))
        forged = log.seal(time_ms=10_000, side="red", order=b"\xc0", k=99_999, links={"server": bytes(32)}, pending=log.last_hash)
        log.add(forged)
    data = gamefile.write(gamefile.head_of(toy.match), toy_files(), log)
    hashed, step = [], dice.step
    monkeypatch.setattr(dice, "step", lambda link: (hashed.append(link), step(link))[1])
    found = verify(gamefile.read(data), load=lambda name: RULESET)
    assert len([finding for finding in found.findings if "its number is 99999" in finding.text]) == 20
    assert len(hashed) < 1_000


def test_keepers_without_end_make_nobody_hash_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each begins a chain of its own, and from its end to the number that has come it is far: 4 MB took minutes."""
    monkeypatch.setattr("core.trials.verify.MOST_BRIDGED", 3_000)
    toy = duel()
    log = toy.match.log
    for k in range(1_001, 1_021):
        log.add(log.seal(time_ms=10_000, act=TakenOver("", bytes(32), 1 << 40)))
        log.add(log.seal(time_ms=10_000, side="red", order=b"\xc0", k=k, links={"server": bytes(32)}, pending=log.last_hash))
    data = gamefile.write(gamefile.head_of(toy.match), toy_files(), log)
    hashed, step = [], dice.step
    monkeypatch.setattr(dice, "step", lambda link: (hashed.append(link), step(link))[1])
    found = verify(gamefile.read(data), load=lambda name: RULESET)
    assert len([finding for finding in found.findings if "too many chains begin anew" in finding.text]) > 10
    assert len(hashed) < 4_000


@pytest.mark.parametrize("acts_alone", [True, False])
def test_records_that_are_said_to_have_waited_make_nobody_read_the_log_again_and_again(
    monkeypatch: pytest.MonkeyPatch, acts_alone: bool
) -> None:
    toy = duel()
    log = toy.match.log
    first, many = log.last_hash, 60
    for k in range(1, many + 1):
        before = first if acts_alone else log.last_hash
        word, order = Referee(text("a word")), {"side": "red", "order": b"\xc0"}
        log.add(log.seal(time_ms=10_000, act=word))
        waited = {"k": k, "links": {"server": bytes(32)}, "pending": before}
        log.add(log.seal(time_ms=10_000, **({"act": word} if acts_alone else order), **waited))  # type: ignore[arg-type]
    data = gamefile.write(gamefile.head_of(toy.match), toy_files(), log)
    noted, note = [], Witnesses.note
    monkeypatch.setattr(Witnesses, "note", lambda self, entry: (noted.append(entry), note(self, entry))[1])
    assert not verify(gamefile.read(data), load=lambda name: RULESET).holds
    assert len(noted) < 4 * len(log)


def test_the_terms_travel_in_the_file() -> None:
    toy = duel()
    data = gamefile.write(gamefile.head_of(toy.match), toy_files(), toy.match.log)
    again = gamefile.open_match(gamefile.read(data), clock=lambda: 0, load=lambda name: RULESET)
    assert again.table.terms == toy.match.table.terms
    assert msgspec.structs.asdict(again.table.clocks) == msgspec.structs.asdict(toy.match.table.clocks)


def by_hand(toy: ToyTable, *, version: int) -> list[str]:
    """Return what verify finds of the table in a file whose head says by which version it is reckoned."""
    head = msgspec.structs.replace(gamefile.head_of(toy.match), table=version)
    found = verify(gamefile.read(gamefile.write(head, toy_files(), toy.match.log)), load=lambda name: RULESET)
    return [finding.text for finding in found.findings if finding.kind == "table"]


def test_a_flag_that_fell_by_the_reckoning_of_before_verifies_in_a_game_from_before() -> None:
    toy = ToyTable(Terms(owner="Anna", clock=CLOCK, dice=DiceTerms("witnessed")), version=0).sit(red="Anna", blue="Boris")
    toy.now = 30_000
    forge(toy, Late("Boris", 1, 2_000))
    toy.now = 62_000
    toy.perform(Flag("red"), Who(keeper=True))
    assert toy.match.table.ended is not None
    assert by_hand(toy, version=0) == []
    assert by_hand(toy, version=1) == ["nobody could not do this: the time of red is not out"]


@pytest.mark.parametrize("act", [Claim("blue"), Flag("blue"), Consent(9, yes=True)])
def test_what_came_after_the_end_by_the_rules_verifies_in_a_game_from_before(act: AnyAct) -> None:
    toy = ToyTable(Terms(owner="Anna", clock=ClockTerms("absolute", 60_000, 0, "claim")), version=0).sit(red="Anna", blue="Boris")
    toy.now = 70_000
    toy.perform(Flag("red"), Who(keeper=True))
    for _ in range(5):
        toy.order({"red": "Anna", "blue": "Boris"}[toy.match.view.side_to_act()], End())
    assert toy.do("Boris", "blue", Offer("draw")).number == 9
    toy.now = 200_000
    toy.order("Boris", End())
    assert toy.match.outcome is not None
    if isinstance(act, Consent):
        toy.do("Anna", "red", act)
    else:
        toy.perform(act, Who(keeper=True) if isinstance(act, Flag) else toy.who("Boris", "blue"))
    assert by_hand(toy, version=0) == []
    assert len(by_hand(toy, version=1)) == 1


def test_a_pause_that_was_agreed_on_twice_verifies_in_a_game_from_before() -> None:
    toy = ToyTable(Terms(owner="Anna", clock=CLOCK, referees=("Rita",)), version=0).sit(red="Anna", blue="Boris")
    offer = toy.do("Anna", "red", Offer("pause"))
    toy.do("Rita", "", Pause(on=True))
    forge(toy, Consent(offer.number, yes=True), player="Boris", side="blue")
    assert by_hand(toy, version=0) == []
    assert len(by_hand(toy, version=1)) == 1


def test_a_flag_that_fell_by_time_that_ran_after_the_end_verifies_in_a_game_from_before() -> None:
    """Boris left a game that its rules had ended, a referee went back in it, and Boris paid for what had passed meanwhile."""
    terms = Terms(owner="Anna", clock=CLOCK, referees=("Rita",), dice=DiceTerms("witnessed"))
    toy = ToyTable(terms, version=1).sit(red="Anna", blue="Boris")
    for name in ("Anna", "Boris"):
        forge(toy, ChainPublished(name, bytes(32), 9), player=name)
    toy.order("Anna", End())
    before = toy.match.log.head
    while toy.match.outcome is None:
        toy.order({"red": "Anna", "blue": "Boris"}[toy.match.view.side_to_act()], End())
    toy.do("Boris", "blue", Seat("blue", ""))
    toy.now = 50_000
    toy.do("Boris", "blue", Seat("blue", "Boris"))
    toy.do("Rita", "", Rewind(before))
    toy.now = 65_000
    toy.perform(Flag("blue"), Who(keeper=True))
    assert by_hand(toy, version=1) == []
    assert by_hand(toy, version=2) == ["nobody could not do this: the time of blue is not out"]


def test_a_file_whose_table_a_later_program_reckons_is_refused() -> None:
    toy = duel()
    head = msgspec.structs.replace(gamefile.head_of(toy.match), table=VERSION + 1)
    with pytest.raises(BadInput, match=r"head: version: expected a table of version"):
        gamefile.open_match(gamefile.read(gamefile.write(head, toy_files(), toy.match.log)), clock=lambda: 0, load=lambda name: RULESET)


def test_a_link_that_is_said_to_have_come_was_late() -> None:
    toy = ToyTable(Terms(owner="Anna", clock=CLOCK, dice=DiceTerms("witnessed")), version=3).sit(red="Anna", blue="Boris")
    forge(toy, Late("Boris", 1, 2_000))
    forge(toy, Late("Boris", 1, 0, came=True))
    forge(toy, Late("Anna", 1, 0, came=True))
    assert [finding.text for finding in report(toy).findings if "link" in finding.text] == ["link 1 of Anna was not late"]


def test_a_named_referee_who_sits_down_is_none_any_more() -> None:
    toy = duel(Terms(owner="Anna", clock=CLOCK, referees=("Boris",)))
    forge(toy, SetClock("red", 1_000), player="Boris")
    assert [finding.text for finding in report(toy).findings] == ["Boris could not do this: only a referee may set a clock"]


def test_who_has_resigned_takes_back_no_order_of_his_to_go_on() -> None:
    toy = duel()
    toy.do("Boris", "blue", Resign("blue"))
    forge(toy, Rewind(toy.match.log.head), player="Boris", side="blue")  # where it stands: nothing is on the way
    assert toy.match.table.ended is None
    assert [finding.text for finding in report(toy).findings] == ["it goes back to entry 3, and nobody was asked"]


def test_nobody_goes_back_freely_from_a_limited_seat_nor_in_a_pause_nor_for_a_side_that_he_does_not_play() -> None:
    terms = Terms(owner="Anna", referees=("Rita",), seats=(SeatTerms("red"), SeatTerms("red", "wing", (UnitId(0),)), SeatTerms("blue")))
    for player, side, paused in (("Carla", "red", False), ("Anna", "red", True), ("Anna", "red", False)):
        toy = ToyTable(terms).sit(red="Anna", blue="Boris")
        toy.do("Carla", "red", Seat("red", "Carla", "wing"))
        toy.order("Anna", Go(UnitId(0), toy.match.view.board.adjacent[toy.match.view.unit(UnitId(0)).place][0]))
        if paused:
            toy.do("Rita", "", Pause(on=True))
        forge(toy, Rewind(0), player=player, side=side)
        assert len(report(toy).findings) == (player == "Carla" or paused)
    alone = ToyTable(Terms(owner="Anna")).sit(blue="Boris")
    forge(alone, Rewind(0), player="Boris", side="red")
    assert len(report(alone).findings) == 1


def left_behind(*, freed: bool, version: int = VERSION) -> ToyTable:
    """Return a game in which Boris has left his seat, and Anna went back over what both did; *freed*: she let others have it before."""
    toy = ToyTable(Terms(owner="Anna", clock=CLOCK), version=version).sit(red="Anna", blue="Boris")
    toy.order("Anna", End())
    toy.order("Boris", End())
    toy.do("Boris", "blue", Seat("blue", ""))
    if freed:
        toy.now += GONE_MS  # sooner she may not
        toy.do("Anna", "", Seat("blue", ""))
    forge(toy, Rewind(0), player="Anna", side="red")
    return toy


@pytest.mark.parametrize("freed", [False, True])
def test_a_way_back_of_who_stayed_behind_is_found_while_a_seat_is_kept_and_when_its_owner_freed_it(freed: bool) -> None:
    assert [finding.text for finding in report(left_behind(freed=freed)).findings] == ["it goes back to entry 0, and nobody was asked"]
    assert report(left_behind(freed=freed, version=0)).holds  # no seat was kept for anybody then

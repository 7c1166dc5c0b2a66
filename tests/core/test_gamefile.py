"""A game as bytes: written, read back, verified; every fault of a damaged file named."""

from __future__ import annotations

import gc
import io
import random
import tracemalloc
from collections.abc import Callable
from itertools import pairwise

import msgpack
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import gamefile, protocol
from core.dice import ChainEnd, Keeper
from core.errors import BadInput
from core.events import Moved, Rolled
from core.gamefile import GameFile, Head, Opening, head_of, open_match, read, write
from core.log import AnyAct, Consent, Entry, Log, Offer, Pending, Referee, Rewind, Seat
from core.match import ServerDice
from core.ruleset import Ruleset
from core.seen import SeenMatch
from core.terms import ClockTerms, DiceTerms, SeatTerms, Terms
from core.text import text
from core.trials.verify import verify
from core.units import UnitId
from core.witnesses import SERVER, WITNESSED
from tests.core.test_match import new_match, play
from tests.toy.ruleset import RULESET, toy_files


def toy(name: str) -> Ruleset:
    return RULESET


def a_game() -> ServerDice:
    keeper = new_match()
    play(keeper, random.Random(11))
    keeper.rewind(2)
    play(keeper, random.Random(12))
    return keeper


GAME = a_game()
FILE = write(head_of(GAME.match), toy_files(), GAME.match.log)


def test_a_game_read_back_is_the_game_and_verifies() -> None:
    file = read(FILE)
    assert list(file.entries) == GAME.match.log.entries
    assert open_match(file, clock=lambda: 0, load=toy).view.position == GAME.match.view.position
    report = verify(file, load=toy)
    assert report.holds, report.findings
    assert report.rolls > 0


@pytest.mark.parametrize("game", ["", "../../away", "/etc/away", " a", "a  b", "a/ b", "a\n", "x" * 65])
def test_a_game_whose_id_could_lead_out_of_a_folder_is_refused_from_a_file_and_from_a_server(game: str) -> None:
    head = msgspec.structs.replace(head_of(GAME.match), game=game)
    with pytest.raises(BadInput, match=r"\$\.game"):
        read(write(head, toy_files(), GAME.match.log))
    with pytest.raises(BadInput, match=r"\$\.head\.game"):
        protocol.decode_from_server(protocol.encode(protocol.Opened("away", head, "0" * 64, 0)))


def test_a_what_if_game_of_an_earlier_version_has_spaces_in_its_id_and_is_read() -> None:
    head = msgspec.structs.replace(head_of(GAME.match), game="practice what if")
    assert read(write(head, toy_files(), GAME.match.log)).head.game == "practice what if"


def opened(data: bytes) -> Opening:
    return Opening(data, clock=lambda: 0, load=toy)


def test_a_game_is_shown_at_its_first_entry_before_the_rest_is_read() -> None:
    opening = opened(FILE)
    assert len(opening.match.log) == 1
    assert opening.match.view.position == GAME.match.log.seek(0)


@pytest.mark.parametrize("on", [True, False])
def test_the_collector_is_left_as_it_was_and_passes_by_what_a_long_file_holds(monkeypatch: pytest.MonkeyPatch, on: bool) -> None:
    monkeypatch.setattr("core.gamefile.SLICE", 7)
    was_on, frozen = gc.isenabled(), gc.get_freeze_count()
    (gc.enable if on else gc.disable)()
    try:
        file = read(FILE)
        assert gc.isenabled() == on
        assert (gc.get_freeze_count() > frozen) == on
        listed = {id(each) for each in gc.get_objects()}
        assert any(id(entry.links) in listed or id(entry.events) in listed for entry in file.entries[:7]) != on
    finally:
        (gc.enable if was_on else gc.disable)()
        gc.unfreeze()


@pytest.mark.parametrize(
    "work",
    [
        lambda: play(new_match(), random.Random(11)),
        lambda: open_match(read(FILE), clock=lambda: 0, load=toy).table,
        lambda: list(opened(FILE).go_on()),
        lambda: verify(read(FILE), load=toy),
    ],
    ids=["played", "read", "opened", "verified"],
)
def test_a_game_that_nobody_has_any_more_is_gone_at_once(work: Callable[[], object]) -> None:
    """A cycle would keep it until the collector comes, or for ever once a long file was read: then that passes it by."""
    work()  # what is imported or kept for good is there now
    gc.collect()
    gc.disable()
    try:
        work()
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_a_game_that_was_never_set_up_is_not_opened() -> None:
    """As a server exports one whose set-up waits for the players' dice."""
    data = write(head_of(GAME.match), toy_files(), Log())
    assert read(data).entries == ()
    with pytest.raises(BadInput, match="expected a game that was set up, got no entry"):
        opened(data)


def test_a_game_opened_slice_by_slice_is_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.gamefile.SLICE", 7)
    opening = opened(FILE)
    shares = list(opening.go_on())
    assert shares == sorted(shares)
    assert (shares[0] > 0, shares[-1]) == (True, 1.0)
    assert opening.match.log.entries == GAME.match.log.entries
    assert opening.match.view.position == GAME.match.view.position
    assert opening.files == toy_files()


def test_the_table_of_a_game_that_is_opened_takes_a_slice_at_a_stretch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.gamefile.SLICE", 3)
    opening = opened(FILE)
    noted = [0, *(opening.match._table.noted for _ in opening.go_on())]
    assert noted[-1] == len(GAME.match.log) > 3
    assert max(after - before for before, after in pairwise(noted)) == 3


@given(st.integers(0, len(FILE) - 1), st.sampled_from(["cut", "flipped"]))
def test_opening_refuses_what_reading_refuses(at: int, how: str) -> None:
    damaged = FILE[:at] if how == "cut" else FILE[:at] + bytes([FILE[at] ^ 1]) + FILE[at + 1 :]
    try:
        open_match(read(damaged), clock=lambda: 0, load=toy)
    except BadInput:
        with pytest.raises(BadInput):
            list(opened(damaged).go_on())
    else:
        assert list(opened(damaged).go_on())[-1] == 1.0


def test_opening_tells_all_faults_that_reading_tells() -> None:
    file = read(FILE)
    broken = [msgspec.structs.replace(entry, time_ms=99) if entry.number in (1, 5) else entry for entry in file.entries]
    log = msgspec.structs.replace(file, entries=tuple(broken))
    data = rewritten(log)
    with pytest.raises(BadInput) as told:
        read(data)
    with pytest.raises(BadInput) as again:
        list(opened(data).go_on())
    assert [fault.where for fault in told.value.faults] == ["game file: entry 1", "game file: entry 5"]
    assert again.value.faults == told.value.faults


def test_an_entry_that_can_not_be_decoded_is_named_by_its_number_in_few_words_and_no_other_is_accused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    records = list(msgpack.Unpacker(io.BytesIO(FILE)))
    at = [kind for kind, _ in records].index("entry") + 3
    entry = msgspec.msgpack.decode(records[at][1])
    entry[6] = [["x" * 70_000]]
    records[at][1] = msgspec.msgpack.encode(entry)
    monkeypatch.setattr(gamefile, "MOST_FAULTS", 3)
    for reads in (read, lambda data: list(opened(data).go_on())):
        with pytest.raises(BadInput) as caught:
            reads(b"".join(map(msgspec.msgpack.encode, records)))
        (fault,) = caught.value.faults
        assert fault.where == "game file: entry 3"
        assert fault.got.startswith("Invalid value 'xxx")
        assert fault.got.endswith("xxx' - at `$[6][0][0]`")
        assert len(fault.got) == 200


def rewritten(file: GameFile) -> bytes:
    class Entries:
        entries = file.entries
        pending = file.pending
        last_hash = file.entries[-1].hash

        def __len__(self) -> int:
            return len(self.entries)

    return write(file.head, file.files, Entries())  # type: ignore[arg-type]


def test_a_file_of_nothing_but_faults_is_read_no_further_than_a_thousand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five megabytes of tiny entries took 300 of memory, and 400,000 lines to tell."""
    tiny = msgspec.msgpack.encode(["entry", msgspec.msgpack.encode(Entry(0, -1, 0, "", "", b"", (), None, 0, {}, b"", b"", b""))])
    for reads in (read, lambda data: list(opened(data).go_on())):
        with pytest.raises(BadInput) as caught:
            reads(FILE + 5_000 * tiny)
        assert len(caught.value.faults) <= gamefile.MOST_FAULTS + 2
        assert caught.value.faults[-1].got == "more; it was read no further"
    monkeypatch.setattr(gamefile, "MAX_RECORDS", 9)
    with pytest.raises(BadInput, match="a file of at most 9 records"):
        read(FILE)


@pytest.mark.parametrize("what", [b"\xdc\xff\xff", b"\xde\xff\xff", b"\x92\xc6\x7f\xff\xff\xff"], ids=["arrays", "maps", "bytes"])
def test_a_file_that_claims_to_hold_more_than_it_has_costs_no_memory(what: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match="a record"):
            read(what * 300)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 4 << 20


def test_an_entry_whose_parent_is_no_order_is_refused() -> None:
    file = read(FILE)
    rewind = next(entry for entry in file.entries if isinstance(entry.act, Rewind))
    forged = resealed(file, rewind.number + 1, parent=rewind.number)
    with pytest.raises(BadInput, match=f"no parent {rewind.number}"):
        open_match(forged, clock=lambda: 0, load=toy)
    with pytest.raises(BadInput, match=f"no parent {rewind.number}"):
        list(opened(rewritten(forged)).go_on())


@given(st.integers(0, len(FILE) - 1))
def test_a_file_cut_anywhere_is_refused(size: int) -> None:
    with pytest.raises(BadInput):
        read(FILE[:size])


@given(st.integers(0, len(FILE) - 1), st.integers(1, 255))
def test_a_changed_byte_is_found(at: int, flip: int) -> None:
    changed = bytearray(FILE)
    changed[at] ^= flip
    try:
        file = read(bytes(changed))
    except BadInput:
        return
    pack_changed = file.files != toy_files()
    assert pack_changed or file.head != head_of(GAME.match)


def resealed(file: GameFile, number: int, **changes: object) -> GameFile:
    """Return a file whose entry was changed and the hash chain made anew, as a forger would."""
    entries: list[Entry] = []
    for entry in file.entries:
        edits = changes if entry.number == number else {}
        before = entries[-1].hash if entries else bytes(32)
        bare = msgspec.structs.replace(entry, before=before, hash=b"", **edits)
        entries.append(msgspec.structs.replace(bare, hash=bare.digest()))
    return msgspec.structs.replace(file, entries=tuple(entries))


def first_roll(file: GameFile) -> Entry:
    return next(entry for entry in file.entries if entry.k)


def test_a_forged_die_is_found() -> None:
    file = read(FILE)
    entry = first_roll(file)
    forged = tuple(Rolled(e.purpose, e.faces, 7 - e.value) if isinstance(e, Rolled) else e for e in entry.events)
    report = verify(resealed(file, entry.number, events=forged), load=toy)
    assert [finding.entry for finding in report.findings][:1] == [entry.number]


def test_a_forged_link_is_found() -> None:
    file = read(FILE)
    entry = first_roll(file)
    report = verify(resealed(file, entry.number, links={"server": bytes(32)}), load=toy)
    assert any(finding.kind == "dice" for finding in report.findings)


def test_an_entry_can_not_say_after_what_it_waited_for_chance() -> None:
    """Else whoever keeps the log could try one after another until the dice please him."""
    file = read(FILE)
    report = verify(resealed(file, first_roll(file).number, pending=b"g" * 32), load=toy)
    assert any("after no entry of this moment" in finding.text for finding in report.findings)


def test_a_number_can_not_be_skipped() -> None:
    file = read(FILE)
    entry = next(entry for entry in file.entries if entry.k == 2)
    report = verify(resealed(file, entry.number, k=3, links={"server": GAME.chain.link(3)}), load=toy)
    assert any("its number is 3, and the next one was 2" in finding.text for finding in report.findings)


@pytest.mark.parametrize("number", [1 << 40, -1])
def test_a_number_that_no_chain_has_is_found_without_walking_to_it(number: int) -> None:
    file = read(FILE)
    report = verify(resealed(file, first_roll(file).number, k=number), load=toy)
    assert any(finding.kind == "dice" for finding in report.findings)


def test_links_of_nobody_who_published_a_chain_are_found() -> None:
    file = read(FILE)
    entry = first_roll(file)
    for links in ({}, {**entry.links, "eve": bytes(32)}):
        report = verify(resealed(file, entry.number, links=links), load=toy)
        assert any("chains were published by server" in finding.text for finding in report.findings)
    unpublished = msgspec.structs.replace(file, head=msgspec.structs.replace(file.head, chains=()))
    assert any("published by nobody" in finding.text for finding in verify(unpublished, load=toy).findings)


def test_a_chain_is_no_longer_than_was_published() -> None:
    file = read(FILE)
    chains = (msgspec.structs.replace(file.head.chains[0], links=1),)
    report = verify(msgspec.structs.replace(file, head=msgspec.structs.replace(file.head, chains=chains)), load=toy)
    assert any("link 2 of server does not fit" in finding.text for finding in report.findings)


def seated(*acts: Entry) -> GameFile:
    """Return the game with two players at their seats from entry 1 on, ended by some acts."""
    file = read(FILE)
    first, rest = file.entries[0], [entry for entry in file.entries[1:] if not isinstance(entry.act, Rewind)]
    path = {entry.number for entry in GAME.match.log.path()}
    orders = [msgspec.structs.replace(entry, player=entry.side) for entry in rest if entry.number in path]
    table = [act_of(Seat("red", "red"), "red"), act_of(Seat("blue", "blue"), "blue")]
    entries: list[Entry] = []
    parent = 0
    for entry in [first, *table, *orders, *acts]:
        number, before = len(entries), entries[-1].hash if entries else bytes(32)
        bare = msgspec.structs.replace(entry, number=number, before=before, hash=b"", parent=entry.parent if not number else parent)
        entries.append(msgspec.structs.replace(bare, hash=bare.digest()))
        parent = number if entry.bears_order else parent
    return msgspec.structs.replace(file, entries=tuple(entries))


def act_of(act: AnyAct, side: str) -> Entry:
    return Entry(0, 0, 0, side, side, b"", (), act, 0, {}, b"", b"", b"")


def table_findings(file: GameFile) -> list[str]:
    return [finding.text for finding in verify(file, load=toy).findings if finding.kind == "table"]


def test_going_back_needs_the_others_word() -> None:
    assert table_findings(seated()) == []
    last = len(seated().entries)
    assert table_findings(seated(act_of(Rewind(3), "red"))) == ["it goes back to entry 3, and nobody was asked"]
    offer = act_of(Offer("rewind", 3), "red")
    back = act_of(Rewind(3), "red")
    assert table_findings(seated(offer, act_of(Consent(last, True), "blue"), back)) == []
    assert len(table_findings(seated(offer, act_of(Consent(last, False), "blue"), back))) == 1
    assert len(table_findings(seated(offer, act_of(Consent(last, True), "red"), back))) == 1
    assert len(table_findings(seated(offer, act_of(Consent(last, True), "blue"), act_of(Rewind(4), "red")))) == 1


def test_an_order_of_somebody_who_does_not_hold_the_seat_is_found() -> None:
    file = seated()
    number = next(entry.number for entry in file.entries[3:] if entry.bears_order)
    assert table_findings(resealed(file, number, player="eve"))[0].startswith("eve ordered")


@pytest.mark.parametrize(("terms", "where"), [
    (Terms(seats=(SeatTerms("red"),)), "terms: seats"), (Terms(clock=ClockTerms("absolute", 0)), "time_ms"), (Terms(owner="A\nB"), "owner"),
])
def test_a_file_of_terms_that_fit_no_game_is_refused(terms: Terms, where: str) -> None:
    """A server that took it in could list no games any more: a side of it has no seat."""
    file = read(FILE)
    with pytest.raises(BadInput, match=where):
        verify(msgspec.structs.replace(file, head=msgspec.structs.replace(file.head, terms=terms)), load=toy)


@pytest.mark.parametrize("names", [(), ("Boris",), (SERVER, "Boris")])
@pytest.mark.parametrize("agreed", [{"keeper": Keeper("k" * 52)}, {"terms": Terms(dice=DiceTerms(WITNESSED))}])
def test_a_head_with_another_chain_than_the_servers_is_refused(names: tuple[str, ...], agreed: dict[str, object]) -> None:
    """Boris sits down, has "published", and whoever made the chain up knows all dice of the game."""
    file = read(FILE)
    chains = tuple(ChainEnd(name, file.head.chains[0].end, 1000) for name in names)
    with pytest.raises(BadInput, match="head: chains: expected one, the server's"):
        verify(msgspec.structs.replace(file, head=msgspec.structs.replace(file.head, chains=chains, **agreed)), load=toy)


def test_a_game_can_not_begin_twice() -> None:
    file = read(FILE)
    with pytest.raises(BadInput, match=r"entry 1\b.*begins the game again"):
        open_match(resealed(file, 1, parent=-1), clock=lambda: 0, load=toy)
    again = resealed(file, 1, order=b"", events=file.entries[0].events)
    assert any("the game had begun" in finding.text for finding in verify(again, load=toy).findings)


def test_events_of_a_way_that_was_left_are_told_where_they_do_not_follow() -> None:
    """Clocks ask who was to act there; what is at the head is sound."""
    log = Log()
    log.add(GAME.match.log.entries[0])
    for act in (Seat("red", "Anna"), Seat("blue", "Boris")):
        log.add(log.seal(time_ms=1, act=act))
    log.add(log.seal(time_ms=2, side="red", player="Anna", order=b"\xc0", events=(Moved((UnitId(0),), ()),)))
    for act in (Referee(text("so it was")), Rewind(0)):
        log.add(log.seal(time_ms=3, act=act))
    head = msgspec.structs.replace(head_of(GAME.match), terms=Terms(clock=ClockTerms("absolute", 60_000)))
    data = write(head, toy_files(), log)
    for way in (lambda: open_match(read(data), clock=lambda: 0, load=toy), lambda: list(opened(data).go_on())):
        with pytest.raises(BadInput, match="events that follow from one another"):
            way()


def test_a_log_that_says_nothing_does_not_hold() -> None:
    file = msgspec.structs.replace(read(FILE), entries=())
    assert not verify(file, load=toy).holds


def test_a_waiting_order_that_does_not_wait_at_the_end_is_found() -> None:
    file = msgspec.structs.replace(read(FILE), pending=Pending("red", "", b"", 0, 99, bytes(32)))
    assert [finding.kind for finding in verify(file, load=toy).findings] == ["dice"]


@pytest.mark.parametrize("seed", range(60))
def test_altered_events_are_found_whatever_they_say(seed: int) -> None:
    """Also on branches that the game has left, and where folding or deciding breaks."""
    file, rng = read(FILE), random.Random(seed)
    entry = rng.choice([entry for entry in file.entries if entry.events])
    events = list(entry.events)
    at = rng.randrange(len(events))
    fields = events[at].__struct_fields__
    if fields and rng.random() < 0.7:
        name = rng.choice(fields)
        changed = rng.choice([-1, 0, 1 << 40, "", "nowhere", (), None, {}])
        events[at] = msgspec.structs.replace(events[at], **{name: changed})
    elif rng.random() < 0.5:
        del events[at]
    else:
        events.insert(at, rng.choice(rng.choice([e for e in file.entries if e.events]).events))
    forged = resealed(file, entry.number, events=tuple(events))
    try:
        report = verify(forged, load=toy)
    except BadInput:
        return
    assert not report.holds or tuple(events) == entry.events


@pytest.mark.parametrize("version", [0, -1, 99])
def test_a_file_of_a_later_version_of_the_rules_is_refused(version: int) -> None:
    file = read(FILE)
    later = msgspec.structs.replace(file, head=msgspec.structs.replace(file.head, version=version))
    with pytest.raises(BadInput, match="version"):
        open_match(later, clock=lambda: 0, load=toy)


def test_a_match_and_a_copy_on_another_log_tell_all_of_the_head_that_they_are_of() -> None:
    bare = head_of(GAME.match)
    head = msgspec.structs.replace(
        bare, made_by="trial", players={"red": "Anna"}, terms=Terms(owner="Anna"), keeper=Keeper("k" * 64, b"signed"), viewer="red",
        signs_undo=True,
    )
    alike = [field.name for field in msgspec.structs.fields(Head) if not field.required and getattr(head, field.name) == field.default]
    assert not alike, f"try other values than the default of {alike}"
    opened_of_it = open_match(GameFile(head, toy_files(), (), None), clock=lambda: 0, load=toy)
    for match in (opened_of_it, type(opened_of_it).on(Log(), opened_of_it), SeenMatch.of(opened_of_it, "red")):
        assert head_of(match, made_by="trial", players={"red": "Anna"}) == head

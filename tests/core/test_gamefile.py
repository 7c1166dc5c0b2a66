"""A game as bytes: written, read back, verified; every fault of a damaged file named."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput
from core.events import Rolled
from core.gamefile import GameFile, Opening, head_of, open_match, read, write
from core.log import Entry, Rewind
from core.match import ServerDice
from core.ruleset import Ruleset
from core.trials.verify import verify
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


def opened(data: bytes) -> Opening:
    return Opening(data, clock=lambda: 0, load=toy)


def test_a_game_is_shown_at_its_first_entry_before_the_rest_is_read() -> None:
    opening = opened(FILE)
    assert len(opening.match.log) == 1
    assert opening.match.view.position == GAME.match.log.seek(0)


def test_a_game_opened_slice_by_slice_is_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.gamefile.SLICE", 7)
    opening = opened(FILE)
    shares = list(opening.go_on())
    assert shares == sorted(shares)
    assert (shares[0] > 0, shares[-1]) == (True, 1.0)
    assert opening.match.log.entries == GAME.match.log.entries
    assert opening.match.view.position == GAME.match.view.position
    assert opening.files == toy_files()


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


def rewritten(file: GameFile) -> bytes:
    class Entries:
        entries = file.entries
        pending = file.pending
        last_hash = file.entries[-1].hash

        def __len__(self) -> int:
            return len(self.entries)

    return write(file.head, file.files, Entries())  # type: ignore[arg-type]


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


def test_a_file_of_a_later_version_of_the_rules_is_refused() -> None:
    file = read(FILE)
    later = msgspec.structs.replace(file, head=msgspec.structs.replace(file.head, version=99))
    with pytest.raises(BadInput, match="version"):
        open_match(later, clock=lambda: 0, load=toy)

"""A game as bytes: written, read back, verified; every fault of a damaged file named."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput
from core.events import Rolled
from core.gamefile import GameFile, head_of, open_match, read, write
from core.log import Entry
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

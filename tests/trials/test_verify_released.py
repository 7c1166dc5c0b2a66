"""Game files that earlier versions wrote still verify: what happened is decided alike, however it is explained today."""

from __future__ import annotations

import lzma
import re
from pathlib import Path

import msgspec
import pytest

from core.events import Explained, Rolled
from core.gamefile import GameFile, agreement, head_of, open_match, read
from core.log import Entry
from core.text import text, whole_number
from core.trials.verify import Report, verify

RELEASED = sorted((Path(__file__).parent / "released").glob("*.rasputitsa.xz"))  # CONTRIBUTING tells how one is added

HEX = re.compile(rb"(?<!\()\b[A-Z]\d{4}\b")


def file_of(path: Path) -> GameFile:
    return read(lzma.decompress(path.read_bytes()), name=path.name)


@pytest.mark.parametrize("path", RELEASED, ids=lambda path: path.name.partition(".")[0])
def test_a_file_of_an_earlier_version_verifies(path: Path) -> None:
    report = verify(file_of(path))
    assert report.holds, report.findings
    assert {remark.kind for remark in report.remarks} <= {"words", "version"}, report.remarks
    assert report.rolls
    assert report.signed


def test_that_a_game_was_begun_under_earlier_rules_is_remarked() -> None:
    """A host could begin one so today, and pass off what today's rules decide otherwise as decided by those."""
    file = next(file for file in map(file_of, RELEASED) if file.head.version == 1)
    today = open_match(file, clock=lambda: 0).setting.ruleset.version
    words = f"it was begun under version 1 of its rules; a game begun today goes by version {today}"
    assert words in [remark.text for remark in verify(file).remarks]


def test_a_game_of_an_earlier_version_is_saved_as_what_it_is() -> None:
    file = file_of(RELEASED[0])
    match = open_match(file, clock=lambda: 0)
    assert (file.head.version, match.setting.ruleset.version > 1) == (1, True)
    assert agreement(head_of(match, made_by=file.head.made_by, players=file.head.players)) == agreement(file.head)


def retold(file: GameFile, number: int, kind: type) -> GameFile:
    """Return a file whose entry with a number has other words, or another roll: what its keeper could have sealed."""
    def other(event: object) -> object:
        if isinstance(event, Explained):
            return msgspec.structs.replace(event, title=text("told otherwise"))
        return msgspec.structs.replace(event, value=event.value % event.faces + 1) if isinstance(event, Rolled) else event

    entry = file.entries[number]
    events = tuple(other(event) if isinstance(event, kind) else event for event in entry.events)
    assert events != entry.events
    entries = [*file.entries[:number], msgspec.structs.replace(entry, events=events)]
    return msgspec.structs.replace(file, entries=tuple(entries))


def first_roll(file: GameFile) -> int:
    """Return the first entry with a roll whose explanation names no hex without a name: those are called otherwise today."""
    def explains(entry: Entry) -> bool:
        told = [msgspec.json.encode(event) for event in entry.events if isinstance(event, Explained)]
        return bool(told) and not HEX.search(b" ".join(told)) and Rolled in {type(event) for event in entry.events}

    return next(entry.number for entry in file.entries if explains(entry))


def reworded_entries(report: Report) -> int:
    """Return how many entries a report remarks as explained otherwise than today."""
    return sum(whole_number(remark.text.split()[0]) or 0 for remark in report.remarks if remark.kind == "words")


def test_another_explanation_is_remarked_once_and_another_roll_is_found() -> None:
    whole = next(file for file in map(file_of, RELEASED) if file.head.version == 1)
    number = first_roll(whole)
    file = msgspec.structs.replace(whole, entries=whole.entries[: number + 1])
    reworded = verify(retold(file, number, Explained))
    assert "earlier" not in {finding.kind for finding in reworded.findings}
    assert [remark.kind for remark in reworded.remarks if remark.kind != "version"] == ["words"]
    assert reworded_entries(reworded) == reworded_entries(verify(file)) + 1
    assert "earlier" in {finding.kind for finding in verify(retold(file, number, Rolled)).findings}

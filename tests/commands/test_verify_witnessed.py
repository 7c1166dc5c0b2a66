"""`rasputitsa verify` on a game whose dice were witnessed, and on one where somebody stayed away."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from core.gamefile import GameFile, head_of, write
from core.match import new_server_match
from core.pack import Pack, setting
from core.rulesets import load
from core.trials.verify import Report
from rasputitsa import main
from rasputitsa.packs import base_files
from rasputitsa.verify import _signed
from tests.toy.ruleset import toy_files
from tests.toy.witnessed import Host, seated, toy


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    from core.trials import verify

    def by_toy(file: GameFile, progress: Callable[[int, int], None]) -> Report:
        return verify.verify(file, progress=progress, load=lambda name: toy(name) if name == "toy" else load(name))

    monkeypatch.setattr("client.connection.witness.LINKS", 500)
    monkeypatch.setattr("rasputitsa.verify.recheck", by_toy)


def said(host: Host, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """Verify a game's file; return the exit status and what was printed, without the file's name."""
    file = folder / "game.rasputitsa"
    file.write_bytes(write(host.head, toy_files(), host.match.log))
    status = main.run(["verify", str(file)])
    return status, [line.removeprefix(f"{file}: ") for line in capsys.readouterr().out.splitlines()]


def test_a_witnessed_game_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    host = seated()
    host.order(host.strike(random.Random(1)))
    orders = sum(bool(entry.order) for entry in host.match.log.entries)
    assert said(host, tmp_path, capsys) == (
        0, [f"{len(host.match.log)} entries, {orders} orders (all signed), 1 with dice: everything holds"],
    )


def test_dice_that_not_all_have_witnessed_are_listed_and_are_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    host = seated()
    pending = host.waiting()
    chosen = host.give_up_on("Boris", pending, "unwitnessed")
    entry = host.finish(host.gather(pending, absent=["Boris"]))
    status, lines = said(host, tmp_path, capsys)
    assert status == 0
    assert lines[:2] == [
        f"entry {chosen.number}: remark: Anna went on without a link of Boris",
        f"entry {entry.number}: remark: not witnessed by Boris, as the others chose",
    ]


def test_a_choice_that_nobody_signed_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    host = seated()
    pending = host.waiting()
    with monkeypatch.context() as forger:
        forger.setattr("core.identity.fallback_message", lambda *parts: b"another")
        host.give_up_on("Boris", pending, "unwitnessed")
    host.finish(host.gather(pending, absent=["Boris"]))
    status, lines = said(host, tmp_path, capsys)
    assert status == 1
    assert any("signature: Anna did not choose this" in line for line in lines)


def test_an_order_that_nobody_signed_is_named() -> None:
    report = Report(7, 5, 0, (), signed=3, unsigned=(2,))
    assert _signed(report) == "3 signed; not in entry 2"
    many = msgspec.structs.replace(report, unsigned=tuple(range(2, 14)))
    assert _signed(many) == "3 signed; not in entries 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …"
    assert _signed(Report(7, 5, 0, (), unsigned=(2, 3))) == "none signed"


def test_a_pack_of_the_hosts_own_under_a_known_title_is_remarked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for own, remarks in (({}, 0), ({"notes.md": b"my own"}, 1)):
        pack = Pack(base_files("war_for_the_motherland"), own)
        keeper = new_server_match(setting(load(pack.manifest.ruleset), pack, "turning_point"), game="g", seed=bytes(32), clock=lambda: 0)
        file = tmp_path / "game.rasputitsa"
        file.write_bytes(write(head_of(keeper.match), pack.files, keeper.match.log))
        assert main.run(["verify", str(file)]) == 0
        told = capsys.readouterr().out
        assert told.count("remark: its pack is not the one installed here: it differs in notes.md") == told.count("remark") == remarks

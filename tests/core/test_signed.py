"""What of a log its players sign, what the server does, and what nobody: above all behind a file's end."""

from __future__ import annotations

import pytest

from core.dice import Chain
from core.identity import act_then_message, kept_message, takeover_message
from core.log import (
    AnyAct,
    Away,
    ChainPublished,
    Claim,
    Consent,
    Flag,
    Offer,
    Pause,
    Resign,
    Result,
    Seat,
    TakenOver,
)
from core.signed import signed_by_keeper
from core.table import VERSION
from tests.toy.ruleset import End
from tests.toy.witnessed import SERVER_KEY, SIDES, Host, key_of, seated


@pytest.fixture(autouse=True)
def _short_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.connection.witness.LINKS", 500)


def test_what_nobody_signed_at_the_end_of_a_file_is_remarked_once() -> None:
    """Whoever hands a file on could have written it: that a flag fell, or what a referee did."""
    host = seated()
    host.order(End())
    host.act(Seat("blue", ""), side="blue", player="Boris")  # as who leaves signs
    assert host.report().remarks == ()
    first = host.sit("blue", "Boris") and host.act(Flag("blue"))
    host.act(Result("red", "enough"), player="Rita")
    assert [(remark.entry, remark.text) for remark in host.report().remarks if remark.kind == "signature"] == [
        (first.number, "nobody signed what the file ends with, from here on: Flag, Result")
    ]


def test_who_sits_down_took_nothing_as_it_stands_there() -> None:
    """He signs it for no moment: whoever hands a file on could have written anything before it."""
    host = seated()
    host.act(Seat("blue", ""), side="blue", player="Boris")
    ruled = host.act(Pause(on=True), player="Rita")
    host.act(Seat("blue", "Boris", key=key_of("Boris").key), side="blue", player="Boris")
    assert [(remark.entry, remark.text) for remark in host.report().remarks if remark.kind == "signature"] == [
        (ruled.number, "nobody signed what the file ends with, from here on: Pause")
    ]


@pytest.mark.parametrize("last", [Flag("blue"), Result("red", "enough"), Pause(on=True)])
def test_what_no_player_signs_the_server_signs_so_that_whoever_hands_a_file_on_can_not_write_it_behind_the_end(last: AnyAct) -> None:
    host = seated()
    host.order(End())
    host.match.kept_by = SERVER_KEY
    player = "" if isinstance(last, Flag) else "Rita"
    entry = host.act(last, player=player)
    assert signed_by_keeper(host.match.witnesses, entry, "duel", keeper=SERVER_KEY.key)
    by_server = (entry.number, f"the server alone signed what the file ends with, from here on: {type(last).__name__}")
    assert signatures_remarked(host) == [by_server]
    host.match.kept_by = None
    forged = host.act(Away(5), signature=key_of("Eve").sign(kept_message("duel", entry.hash)))
    assert signatures_remarked(host) == [by_server, (forged.number, "nobody signed what the file ends with, from here on: Away")]
    host.match.kept_by = SERVER_KEY
    host.act(Away(5))
    assert signatures_remarked(host) == [(entry.number, f"{by_server[1]}, Away")], "the server signs all before"


def signatures_remarked(host: Host) -> list[tuple[int, str]]:
    return [(remark.entry, remark.text) for remark in host.report().remarks if remark.kind == "signature"]


def test_a_server_signs_nothing_that_a_player_has_to_and_nothing_once_another_keeps_the_game() -> None:
    host = seated()
    host.match.kept_by = SERVER_KEY
    host.order(End())
    left = host.act(Seat("blue", ""), side="blue", player="Boris")
    assert not signed_by_keeper(host.match.witnesses, left, "duel", keeper=SERVER_KEY.key)
    host.sit("blue", "Boris")
    host.rewind(0)  # as both agreed
    assert signed_by_keeper(host.match.witnesses, host.match.log.entries[-1], "duel", keeper=SERVER_KEY.key)
    other = Chain(b"o" * 32, links=1000)
    key, signed = key_of("Other"), takeover_message("duel", host.match.log.last_hash, other.end, 1000)
    host.act(TakenOver(key.key, other.end, 1000), signature=key.sign(signed))
    assert host.act(Flag("blue")).signature == b""
    host.match.kept_by = key
    assert signed_by_keeper(host.match.witnesses, host.act(Flag("red")), "duel", keeper=SERVER_KEY.key)


@pytest.mark.parametrize("then", [ChainPublished, Claim, Seat])
def test_what_is_signed_behind_it_vouches_for_no_end_that_nobody_signed(then: type[AnyAct]) -> None:
    """Whoever hands a file on may play himself, or write something there again that is good for any moment."""
    host = seated()
    host.order(End())
    host.act(Result("red", "enough"), player="Rita") if then is Seat else host.act(Flag("blue"))
    if then is ChainPublished:
        chain = next(entry for entry in host.match.log.entries if isinstance(entry.act, ChainPublished) and entry.player == "Boris")
        host.act(chain.act, player="Boris", signature=chain.signature)  # type: ignore[arg-type]
    else:
        host.act(Claim("red") if then is Claim else Seat("red", ""), side="red", player="Anna")
    assert [remark.text for remark in host.report().remarks if remark.kind == "signature"] == [
        f"nobody signed what the file ends with, from here on: {'Result' if then is Seat else 'Flag'}"
    ]


def test_who_signs_by_another_key_than_before_is_remarked() -> None:
    """Whoever hands a file on could have written down that somebody came back, and sign for him from there on."""
    host = seated()
    host.order(End())
    host.act(Seat("blue", ""), side="blue", player="Boris")
    host.sit("blue", "Boris")
    host.act(Seat("blue", ""), side="blue", player="Boris")
    number = host.act(Seat("blue", "Boris", key=key_of("Eve").key), side="blue", player="Boris").number
    lost = Resign("blue")
    signature = key_of("Eve").sign(act_then_message("duel", host.match.log.last_hash, "blue", lost))
    host.act(lost, side="blue", player="Boris", signature=signature)
    assert [(remark.entry, remark.text) for remark in host.report().remarks] == [
        (number, "Boris signs by another key from here on: whoever knows him can say whether it is his")
    ]


def test_what_the_sides_agreed_on_is_signed_by_their_answer_and_what_a_referee_does_is_not() -> None:
    host = seated()
    host.order(End())
    host.rewind(0)
    assert [remark for remark in host.report().remarks if remark.kind == "signature"] == []
    host.act(Pause(on=True), player="Rita")
    assert [remark.text for remark in host.report().remarks if remark.kind == "signature"] == [
        "nobody signed what the file ends with, from here on: Pause"
    ]


@pytest.mark.parametrize(("version", "findings"), [(3, []), (VERSION, ["signature"])])
def test_what_was_signed_for_a_copy_of_the_game_is_not_written_down_where_another_server_goes_on_with_it(
    version: int, findings: list[str]
) -> None:
    host = Host(table=version)
    host.begin()
    for side, name in SIDES.items():
        host.sit(side, name)
    signature = key_of("Boris").sign(act_then_message("duel", host.match.log.last_hash, "blue", Resign("blue")))
    new = Chain(b"n" * 32, links=500)
    message = takeover_message("duel", host.match.log.last_hash, new.end, 500)
    host.act(TakenOver(key_of("Other").key, new.end, 500), signature=key_of("Other").sign(message))
    host.act(Resign("blue"), side="blue", player="Boris", signature=signature)
    assert [finding.kind for finding in host.report().findings] == findings


def test_a_pause_that_was_agreed_on_as_who_offered_it_left_is_signed_by_nobody() -> None:
    host = seated()
    host.order(End())
    offer = host.act(Offer("pause"), side="red", player="Anna")
    host.act(Seat("red", ""), side="red", player="Anna")
    host.act(Consent(offer.number, True), side="blue", player="Boris")
    pause = host.match.act(Pause(on=True), side="red", player="Anna")
    host.match.accept_act(pause)
    host.tell(pause)
    assert (host.report().findings, host.programs["Boris"].fouls) == ((), [])

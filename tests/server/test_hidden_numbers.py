"""A game with secrets numbers its entries for each viewer: by no guess at the log's own numbers is anything taken, so nobody can count."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from client.connection import line as line_module
from core import protocol
from core.hidden import PUBLIC
from core.identity import act_then_message, undo_message
from core.log import Offer, Rewind, Withdraw
from core.terms import SpectatorTerms, Terms
from server.sessions import Session
from tests.hidden_toy.ruleset import March
from tests.server.conftest import of, raw_line
from tests.server.dark import GAME, DarkHost, Listener, begun, client, dark, heard, known_here, set_up, truth
from tests.server.test_hidden_asked import Asker
from tests.server.test_hidden_undo import ANOTHER, BLUE, gives, to_the_minefield

__all__ = ["client", "dark", "heard"]  # fixtures
BORIS = of("Boris")


@pytest.fixture
def there(dark: DarkHost, client: Callable[[str], Listener]) -> dict[str, Listener]:
    """A game in which red has laid a mine that blue knows nothing of, and blue is to march."""
    there = begun(client)
    to_the_minefield(dark, there)
    there["blue"].until(known_here(there["blue"], dark, "blue"))
    return there


@pytest.fixture
def asker(dark: DarkHost, there: dict[str, Listener]) -> Iterator[Asker]:
    with raw_line(dark, BORIS) as line:
        yield Asker(line, "Boris")


def is_refused(asker: Asker, frame: protocol.FromClient) -> bool:
    before = len(asker.heard)
    asker.ask(frame)
    return any(isinstance(protocol.decode_from_server(data), protocol.NotAccepted) for data in asker.heard[before:])


def test_an_act_signed_by_the_logs_number_of_an_offer_is_refused(dark: DarkHost, there: dict[str, Listener], asker: Asker) -> None:
    blue = there["blue"]
    number, last, draw = len(blue.match.log), blue.match.hash_of(len(blue.match.log) - 1), Offer("draw")
    asker.ask(protocol.DoAct(GAME, "blue", "offers", draw, BORIS.sign(act_then_message(GAME, last, "blue", draw))))
    blue.until(lambda: len(blue.match.log) > number)
    true = next(entry.number for entry in truth(dark).log.entries if isinstance(entry.act, Offer))
    assert true > number

    def withdrawn(named: int) -> protocol.DoAct:
        signature = BORIS.sign(act_then_message(GAME, blue.match.hash_of(number), "blue", Withdraw(named)))
        return protocol.DoAct(GAME, "blue", f"withdrawn-{named}", Withdraw(number), signature)

    assert is_refused(asker, withdrawn(true))
    asker.ask(withdrawn(number))
    blue.until(lambda: isinstance(blue.match.log.entries[-1].act, Withdraw))


def test_going_back_signed_by_the_logs_numbers_is_refused(dark: DarkHost, there: dict[str, Listener], asker: Asker) -> None:
    blue = there["blue"]
    to = blue.match.log.head
    gives(dark, blue, "blue", March((BLUE,), ANOTHER))
    seq, unseen = blue.match.log.moved_at, len(truth(dark).log) - len(blue.match.log)
    assert unseen > 0

    def back(off: int) -> protocol.AskRewind:
        signature = BORIS.sign(undo_message(GAME, "blue", seq + off, blue.match.hash_of(seq), to + off))
        return protocol.AskRewind(GAME, "blue", to, b"", signature)

    assert is_refused(asker, back(unseen))
    asker.ask(back(0))
    blue.until(lambda: isinstance(blue.match.log.entries[-1].act, Rewind))


def test_who_leaves_his_seat_and_does_not_hear_that_he_is_told_as_nobody_asks_again(
    dark: DarkHost, client: Callable[[str], Listener], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shown later he is sent less than he knew: by that alone he can tell that it is another count."""
    monkeypatch.setattr(line_module, "PING_S", 0.05)
    there = begun(client, Terms(spectators=SpectatorTerms("table", 3)))
    set_up(dark, there)
    boris = there["blue"]
    boris.until(known_here(boris, dark, "blue"))
    send, lost = dark.service.sessions.send, list[protocol.Opened]()

    def losing(session: Session, frame: protocol.Frame) -> bool:
        if isinstance(frame, protocol.Opened) and session.player == "Boris" and not lost:
            lost.append(frame)
            return True
        return send(session, frame)

    monkeypatch.setattr(dark.service.sessions, "send", losing)
    boris.games.send(protocol.LeaveSeat(GAME, "blue"))
    boris.until(lambda: (match := boris.games.match(GAME)) is not None and match.viewer == PUBLIC)
    assert lost

"""A game with secrets numbers its entries for each viewer: by no guess at the log's own numbers is anything taken, so nobody can count."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from client.connection import line as line_module
from client.connection import table
from core import protocol
from core.hidden import PUBLIC
from core.identity import act_then_message, open_message, undo_message
from core.log import Offer, Referee, Rewind, Seat, Withdraw
from core.signed import CROSSED
from core.terms import SpectatorTerms, Terms
from core.text import text
from server.sessions import Session
from tests.hidden_toy.ruleset import Lay, March
from tests.server.conftest import of, raw_line
from tests.server.dark import AT, GAME, DarkHost, Listener, begun, client, dark, heard, known_here, set_up, truth
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


@pytest.mark.parametrize("mines", [0, 1])
def test_who_has_left_his_seat_signs_by_moments_that_are_counted_by_his_own_numbers(
    dark: DarkHost, client: Callable[[str], Listener], mines: int
) -> None:
    """What is taken of older and older ones does not hang on what the other side did unseen before he left."""
    there = begun(client)
    set_up(dark, there)
    red, blue = there["red"], there["blue"]

    def offers_in_vain(times: int) -> None:
        for _ in range(times):
            blue.until(known_here(blue, dark, "blue"))
            for act in (Offer("draw"), Withdraw(len(blue.match.log))):
                known = len(blue.match.log)
                table.do(blue.games, GAME, "blue", act)
                blue.until(lambda known=known: len(blue.match.log) > known)

    offers_in_vain(CROSSED)
    for _ in range(mines):
        gives(dark, red, "red", Lay(AT))
    offers_in_vain(4)
    hashes = [blue.match.hash_of(known) for known in range(len(blue.match.log))]
    blue.games.send(protocol.LeaveSeat(GAME, "blue"))
    room = dark.service.room(GAME)
    blue.until(lambda: "Boris" not in room.match.table.players())

    async def go_on() -> None:
        for _ in range(CROSSED):
            await room.act(Referee(text("a word")), player="Rita")

    dark.within(go_on())
    opens = Seat("blue", "")
    with raw_line(dark, BORIS) as line:
        asker = Asker(line, "Boris")

        def is_taken(back: int) -> bool:
            signature = BORIS.sign(open_message(GAME, hashes[-back], "blue", opens))
            return not is_refused(asker, protocol.DoAct(GAME, "blue", f"opens-{back}", opens, signature))

        assert not is_taken(CROSSED)
        assert is_taken(CROSSED - 1)

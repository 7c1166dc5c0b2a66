"""Taking an order back in a game with secrets: what it met may be the other side's, and is nobody's to find out for nothing."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from client.connection.notes import Answered, Ready
from core import protocol
from core.events import Removed
from core.gamefile import read, write
from core.hidden import PUBLIC
from core.log import Consent, Log, Offer, Rewind
from core.orders import Order
from core.terms import Terms
from core.trials.verify import verify
from core.units import UnitId
from tests.hidden_toy.pack import files
from tests.hidden_toy.ruleset import RULESET, Deploy, Draw, End, Lay, March, Plan
from tests.server.dark import AT, BOARD, GAME, DarkHost, Listener, begun, client, dark, heard, known_here, set_up

__all__ = ["client", "dark", "heard"]
RED, BLUE = UnitId(0), UnitId(6)
NEAR, MINED, FAR = (BOARD.hex(name) for name in ("T0402", "T0302", "T0202"))
ASIDE, ANOTHER = BOARD.hex("T0102"), BOARD.hex("T0502")


def to_the_minefield(dark: DarkHost, there: dict[str, Listener]) -> None:
    """Have red lay a mine and go away, till blue is to march beside it."""
    orders: list[tuple[str, Order]] = [
        ("red", Deploy(RED, FAR)), ("red", End()), ("blue", Deploy(BLUE, NEAR)), ("blue", End()),
        ("red", Plan("bold")), ("blue", Plan("bold")),
        ("red", March((RED,), MINED)), ("red", End()), ("blue", End()),
        ("red", Lay(MINED)), ("red", March((RED,), FAR)), ("red", End()), ("blue", End()), ("red", March((RED,), ASIDE)), ("red", End()),
    ]
    for side, order in orders:
        gives(dark, there[side], side, order)


def gives(dark: DarkHost, one: Listener, side: str, order: Order) -> None:
    one.until(known_here(one, dark, side))
    answer = one.give(side, order)
    assert answer.refused is None, answer
    one.until(known_here(one, dark, side))


@pytest.mark.parametrize(("where", "act"), [(MINED, Offer), (ANOTHER, Rewind)], ids=["onto a mine", "where nothing is"])
def test_who_marches_onto_a_mine_that_he_does_not_see_asks_before_he_goes_back(
    dark: DarkHost, client: Callable[[str], Listener], where: int, act: type[Offer | Rewind]
) -> None:
    there = begun(client)
    to_the_minefield(dark, there)
    boris = there["blue"]
    boris.until(known_here(boris, dark, "blue"))
    before = boris.match.log.head
    gives(dark, boris, "blue", March((BLUE,), where))
    many = len(boris.match.log)
    boris.games.send(protocol.AskRewind(GAME, "blue", before))
    boris.until(lambda: len(boris.match.log) > many)
    assert isinstance(boris.match.log.entries[many].act, act)


def test_a_file_in_which_a_way_back_leads_over_what_can_not_be_is_found_out(dark: DarkHost, client: Callable[[str], Listener]) -> None:
    there = begun(client)
    to_the_minefield(dark, there)
    boris = there["blue"]
    boris.until(known_here(boris, dark, "blue"))
    before, room = boris.match.log.head, dark.service.rooms[GAME]
    gives(dark, boris, "blue", March((BLUE,), ANOTHER))
    boris.games.send(protocol.AskRewind(GAME, "blue", before))
    boris.until(lambda: isinstance(boris.match.log.entries[-1].act, Rewind))
    file = read(write(room.head, files(), room.match.log))
    assert verify(file, load=lambda name: RULESET).findings == ()
    forged = Log()
    for entry in file.entries:
        marched = entry.number == len(file.entries) - 2
        bare = msgspec.structs.replace(entry, before=forged.last_hash, events=(Removed(UnitId(99), ""),) if marched else entry.events)
        forged.add(msgspec.structs.replace(bare, hash=bare.digest()))
    found = verify(read(write(room.head, files(), forged)), load=lambda name: RULESET).findings
    assert any("its events don't follow from one another" in finding.text for finding in found)


@pytest.mark.parametrize("lays", [False, True], ids=["nothing unseen", "a mine unseen"])
def test_no_answer_to_an_offer_to_go_back_tells_whether_the_other_side_has_done_something_unseen(
    dark: DarkHost, client: Callable[[str], Listener], lays: bool
) -> None:
    there = begun(client, Terms(referees=("Rita",)))
    set_up(dark, there)
    anna, boris, rita = there["red"], there["blue"], client("Rita")
    rita.games.follow(GAME)
    rita.wait(lambda note: isinstance(note, Ready))
    all_told(dark, anna, boris, rita)
    blues, ritas = boris.match.log.head, rita.match.log.head
    if lays:
        gives(dark, anna, "red", Lay(AT))
    reds = anna.match.log.head
    gives(dark, anna, "red", Draw())
    anna.games.send(protocol.AskRewind(GAME, "red", reds))
    anna.until(lambda: isinstance(anna.match.log.entries[-1].act, Offer))
    assert does(rita, "", Rewind(ritas)) == ""
    all_told(dark, anna, boris, rita)
    assert does(boris, "blue", Consent(offer_of("red", boris), yes=True)) == f"the game stands at entry {blues}"


@pytest.mark.parametrize("lays", [False, True], ids=["nothing unseen", "a mine unseen"])
def test_who_offered_what_has_been_done_reads_no_agreement_on_it_that_tells_what_was_unseen(
    dark: DarkHost, client: Callable[[str], Listener], lays: bool
) -> None:
    """Both sides offer to go back to the same entry; blue agrees, and then red does, for whom the game went on unseen."""
    there = begun(client)
    set_up(dark, there)
    anna, boris = there["red"], there["blue"]
    all_told(dark, anna, boris)
    blues = boris.match.log.head
    if lays:
        gives(dark, anna, "red", Lay(AT))
    reds = anna.match.log.head
    gives(dark, anna, "red", Draw())
    for one, side, to in ((anna, "red", reds), (boris, "blue", blues)):
        one.games.send(protocol.AskRewind(GAME, side, to))
        one.until(lambda one=one, side=side: offered(side, one))  # type: ignore[misc]
        all_told(dark, anna, boris)
    assert does(boris, "blue", Consent(offer_of("red", boris), yes=True)) == ""
    all_told(dark, anna, boris)
    assert boris.match.log.head == blues
    assert "the game stands at entry" in does(anna, "red", Consent(offer_of("blue", anna), yes=True))


def offer_of(side: str, one: Listener) -> int:
    """Return an offer of a side's by somebody's numbers."""
    return offered(side, one)[0]


def offered(side: str, one: Listener) -> list[int]:
    return [entry.number for entry in one.match.log.entries if isinstance(entry.act, Offer) and entry.side == side]


def all_told(dark: DarkHost, *there: Listener) -> None:
    for one, viewer in zip(there, ("red", "blue", PUBLIC), strict=False):
        one.until(known_here(one, dark, viewer))


def does(one: Listener, side: str, act: Consent | Rewind) -> str:
    """Return why an act is refused, nothing if it is done."""
    order_id = f"{type(act).__name__}-{side}"
    one.games.ask(protocol.DoAct(GAME, side, order_id, act))
    answer = one.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    assert isinstance(answer, Answered)
    return "" if answer.refused is None else str(answer.refused)

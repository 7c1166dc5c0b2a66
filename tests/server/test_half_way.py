"""What a server says that it can't write down, or refuses while an order waits for its dice: it may be half-way, and is no lie.

Whoever plays may say so as well, and use it when it suits her; what is done later is remarked then, with what else it may come of.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from client.connection.fouls import Foul
from client.connection.notes import Trouble
from client.connection.taken_back import DONE, HAD_WAITED, LATER, WRITTEN
from core import protocol
from core.log import Entry, Offer, Resign
from core.match import Match
from core.terms import DiceTerms, Terms
from core.text import text
from server.store.contract import Appended
from tests.server.conftest import Host, Player, open_toy
from tests.server.following import Boris
from tests.server.tables import GAME as TABLE
from tests.server.tables import Withheld, answer_to, duel, follow, until
from tests.server.test_taken_back import Anna, anna, log, used
from tests.server.test_taken_back import host as rolling
from tests.server.test_taken_back import strikes as his_strikes
from tests.server.test_watched import GAME, Kept, some
from tests.server.witnessed import a_strike
from tests.toy.ruleset import End
from tests.toy.witnessed import Host as Rolling

__all__ = ["anna", "log", "rolling"]  # fixtures

NewPlayer = Callable[..., Player]
WAITS = protocol.ORDER_WAITS + ", and they wait for {names}"


def is_answered(anna: Anna) -> None:
    """A ping of hers is: she knows the game to its end."""
    anna.games.happen(protocol.Pong({GAME: len(anna.log.entries) - 1}))


def remarks(anna: Anna) -> list[str]:
    return [note.text.removeprefix(f"{GAME}: ") for note in anna.notes if isinstance(note, Trouble) and note.is_remark]


# -------------------------------------------------------------------- as an order waits


def test_an_order_without_dice_never_waited_for_them(log: Kept, anna: Anna) -> None:
    given = anna.gives()
    anna.is_refused(given.order_id, WAITS)
    anna.hears(log.order(End(), given.signature))
    assert (anna.words(), remarks(anna)) == ([WRITTEN], [])


@pytest.mark.parametrize(("since", "told"), [("before", ([], [HAD_WAITED])), ("later", ([WRITTEN], []))])
def test_an_order_with_dice_may_be_the_one_that_waits_if_it_has_since_before(
    log: Kept, anna: Anna, since: str, told: tuple[list[str], list[str]]
) -> None:
    strike = some(log, "strike")
    anna.games.give(GAME, "red", strike)
    given = anna.sent()
    anna.is_refused(given.order_id, WAITS)
    if since == "later":
        anna.hears(log.act(Offer("pause"), "blue", "Boris"))
    anna.hears(log.order(strike, given.signature))
    assert (anna.words(), remarks(anna)) == told


@pytest.mark.parametrize("another_waits", [True, False])
def test_an_order_does_not_wait_where_another_is_known_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rolling: Rolling, another_waits: bool
) -> None:
    """A host had both, and took the one whose dice she liked."""
    monkeypatch.setattr("client.connection.games.open_match", open_toy)
    boris, own = Boris(rolling, tmp_path / "witnessed.sqlite"), rolling.programs.pop("Boris")
    boris.reads((), upto=len(rolling.match.log) - 1)
    some_strikes = dict.fromkeys(his_strikes(rolling))
    first, other = [*some_strikes][:2]
    given = boris.gives(first)
    if another_waits:
        pending = rolling.propose(other)
        assert pending is not None
        boris.is_asked(pending)
        rolling.pending = None
        rolling.restart()
    boris.games.happen(protocol.NotAccepted(GAME, given.order_id, "", text(WAITS, names="Anna")))
    rolling.programs["Boris"] = own
    boris.hears(rolling.order(first))
    assert (WRITTEN in boris.words(), f"{GAME}: {HAD_WAITED}" in boris.words()) == (another_waits, not another_waits)
    boris.games._witnessing.close()


def test_an_act_never_waits_for_dice(log: Kept, anna: Anna) -> None:
    act = anna.does(Resign("red"))
    anna.is_refused(act.order_id, WAITS)
    anna.hears(log.act(Resign("red"), "red", "Anna", act.signature))
    assert anna.words() == [DONE]


@pytest.fixture
def withheld(monkeypatch: pytest.MonkeyPatch) -> Callable[[Player], Withheld]:
    monkeypatch.setattr("client.connection.witness.LINKS", 1000)

    def withhold(one: Player) -> Withheld:
        made = Withheld(one)
        made.is_held = True
        return made

    return withhold


def fouls(one: Player) -> list[str]:
    return [str(note.text) for note in one.notes if isinstance(note, Foul)]


def has_struck(match: Match) -> bool:
    return any(entry.k and entry.order for entry in match.log.entries)


def test_what_was_given_before_a_program_was_started_anew_is_no_lie_where_it_waits(
    player: NewPlayer, withheld: Callable[[Player], Withheld], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.witness.LATE_S", 60.0)
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris, Terms(dice=DiceTerms("witnessed")))
    until(anna, lambda known: len(known.witnesses.chains) == 3)
    his, again = withheld(boris), player("Anna")
    follow(again)
    anna.games.give(TABLE, "red", a_strike(match))
    boris.until(lambda: his.asked > 0)
    refused = answer_to(again, again.games.give(TABLE, "red", a_strike(match))).refused
    assert refused is not None
    assert refused.template == WAITS
    his.release()
    until(again, has_struck)
    assert fouls(again) == []


# -------------------------------------------------------------------- as nothing can be written


def test_an_order_is_finished_when_the_disk_has_room_again_and_nobody_is_called_a_liar(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, failed = host.service.store, list[Entry]()
    add_entry = store.add_entry

    def full(game: str, entry: Entry, **how: Any) -> Appended:
        if entry.k and entry.order and not failed:
            failed.append(entry)
            raise OSError(errno.ENOSPC, "No space left on device")
        return add_entry(game, entry, **how)

    monkeypatch.setattr(store, "add_entry", full)
    anna, boris = player("Anna"), player("Boris")
    match, _ = duel(anna, boris)
    refused = answer_to(anna, anna.games.give(TABLE, "red", a_strike(match))).refused
    assert refused is not None
    assert refused.template == protocol.NOT_WRITTEN
    until(anna, has_struck)
    assert fouls(anna) == []


def an_order(anna: Anna) -> Callable[[], Entry]:
    given = anna.gives()
    anna.is_refused(given.order_id, protocol.NOT_WRITTEN)
    return lambda: anna.log.order(End(), given.signature)


def an_act(anna: Anna) -> Callable[[], Entry]:
    act = anna.does(Resign("red"))
    anna.is_refused(act.order_id, protocol.NOT_WRITTEN)
    return lambda: anna.log.act(Resign("red"), "red", "Anna", act.signature)


def an_answer(anna: Anna) -> Callable[[], Entry]:
    answer = anna.answers(refused=protocol.NOT_WRITTEN)
    return lambda: used(anna.log, answer)


def a_broken_rule(anna: Anna) -> Callable[[], Entry]:
    given = anna.gives()
    anna.games.happen(protocol.Failed(protocol.SERVER, "", "a fault of a rule, behind its dice", GAME, given.order_id))
    return lambda: anna.log.order(End(), given.signature)


unwritten = pytest.mark.parametrize("write", [an_order, an_act, an_answer, a_broken_rule])


@unwritten
@pytest.mark.parametrize(("later", "told"), [(False, []), (True, [LATER])], ids=["at once", "later"])
def test_what_could_not_be_written_down_and_is_later_is_remarked_once(
    anna: Anna, write: Callable[[Anna], Callable[[], Entry]], later: bool, told: list[str]
) -> None:
    """Else whoever plays has two orders of one moment to choose from, or all the time that she likes."""
    written = write(anna)
    if later:
        is_answered(anna)
    anna.hears(written())
    assert (anna.words(), remarks(anna)) == ([], told)
    anna.comes_anew()
    assert remarks(anna) == told


def test_what_could_not_be_written_down_and_is_given_anew_is_not_remarked(anna: Anna) -> None:
    an_order(anna)
    is_answered(anna)
    given = anna.gives()
    anna.hears(anna.log.order(End(), given.signature))
    assert (anna.words(), remarks(anna)) == ([], [])


def test_what_was_given_twice_and_could_not_be_written_down_once_is_not_remarked(anna: Anna) -> None:
    anna.gives()
    write = an_order(anna)
    is_answered(anna)
    anna.hears(write())
    assert (anna.words(), remarks(anna)) == ([], [])


def test_an_answer_that_is_kept_and_could_not_be_written_down_again_is_used_without_a_remark(anna: Anna) -> None:
    anna.answers()
    write = an_answer(anna)
    is_answered(anna)
    anna.hears(write())
    assert (anna.words(), remarks(anna)) == ([], [])

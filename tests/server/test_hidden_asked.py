"""Two games that differ in what is hidden alone: whatever the other side and a spectator ask, at random, is answered by the same bytes.

What is asked goes over lines of its own, which ask for nothing by themselves as a client does, and the next thing is asked when all has
come that the last one brought.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import zmq

from core import protocol
from core.errors import BadInput
from core.hidden import PUBLIC
from core.identity import order_message
from core.log import ROOT, Admit, Claim, Consent, Flag, Limit, Offer, Pause, Referee, Result, Rewind, Seat, SetClock, Withdraw
from core.match import Match
from core.terms import SpectatorTerms
from core.text import text
from core.units import UnitId
from tests.hidden_toy.ruleset import Deploy, Draw, End, Lay, March, Plan, PlayCard
from tests.server import test_hidden as hidden
from tests.server.conftest import of, raw_line
from tests.server.dark import GAME, PLAIN, TWINS, DarkHost, Listener, NewClient, Red, begun, client, dark, heard, known_here
from tests.server.test_hidden import still

__all__ = ["client", "dark", "heard", "still"]  # fixtures
ASKED = 30  # at each moment, by each
SEED = 1
Sign = Callable[[str, int, bytes], bytes]


class Asker:
    """A line that sends what it is told to, and has all that came over it."""

    def __init__(self, socket: zmq.Socket[bytes], name: str) -> None:
        self._socket, self._asked = socket, 0
        self.heard: list[bytes] = []
        self.ask(protocol.Hello(protocol.VERSION, name, of(name).key))

    def ask(self, frame: protocol.FromClient) -> None:
        """Ask, and wait for all that comes before the answer to a question that only this one has asked."""
        self._asked += 1
        echo = protocol.ListAnswers(f"echo{self._asked}", "")
        for one in (frame, echo):
            self._socket.send(protocol.encode(one))
        while True:
            assert self._socket.poll(20_000), f"no answer to {frame}"
            data = self._socket.recv()
            answer = protocol.decode_from_server(data)
            if isinstance(answer, protocol.Failed | protocol.NotAccepted) and answer.game == echo.game:
                return
            self.heard.append(data)


def questions(rng: random.Random, match: Match, sign: Sign) -> Iterator[protocol.FromClient]:
    """Yield what somebody may ask who knows a game as *match*, and what no program of ours would."""
    board = match.setting.board
    here = [board.hex(name) for name in ("T0202", "T0203", "T0204", "T0402", "T0401")]
    last, head, moved = len(match.log) - 1, match.log.head, match.log.moved_at
    while True:
        number = rng.choice((ROOT, 0, 1, 2, 3, last - 1, last, last + 1, last + 2, head, moved, 10_000, 1 << 40))
        side, other = rng.choice(("blue", "blue", "red", "", "x")), rng.choice(("blue", "red"))
        turn, k, who = rng.choice((-1, 0, 1, 2)), rng.choice((1, 2, 3, 10)), rng.choice(("Anna", "server", "Boris"))
        order_id, unit = f"asked{rng.randrange(10**9)}", UnitId(rng.randrange(16))
        order = match.codec.encode(
            rng.choice((
                End(), Lay(rng.choice(here)), Draw(), Plan(rng.choice(("bold", "wary"))), Deploy(unit, rng.choice(here)),
                March((unit,), rng.choice(here)), PlayCard(),
            ))
        )
        act = rng.choice((
            Rewind(number), Seat(other, rng.choice(("", "Boris", "Anna", "Carla"))), Limit("red", "", (unit,)), Offer("rewind", number),
            Withdraw(number), Consent(number, yes=False), Claim(other), Pause(on=True), Flag(other), SetClock("red", 5),
            Admit(SpectatorTerms("open")), Referee(text("a word")), Result("", "enough"),
        ))
        signature = rng.choice((b"", bytes(64)))
        yield rng.choice((
            protocol.Give(GAME, side, order_id, number, order, signature),
            protocol.Give(GAME, side, order_id, moved, order, sign(side, moved, order)),
            protocol.DoAct(GAME, side, order_id, act, signature),
            protocol.DoAct(GAME, side, order_id, act, signature),
            protocol.AskRewind(GAME, side, number, bytes(64), bytes(64)),
            protocol.Answer(GAME, side, number, yes=False, signature=bytes(64)),
            protocol.ShowLink(GAME, k, bytes(32), bytes(32), bytes(64)),
            protocol.ChooseFallback(GAME, side, who, k, bytes(32), "wait", bytes(64)),
            protocol.PublishChain(GAME, bytes(32), 5, bytes(64)),
            protocol.AnswerAhead(GAME, side, order_id, rng.choice(("Planning", "Paying", "x")), order, turn, bytes(64)),
            protocol.Revoke(GAME, side, order_id, rng.choice(("Planning", "x"))),
            protocol.ListAnswers(GAME, side),
            protocol.ReadChat(GAME, number),
            protocol.Say(GAME, rng.choice(("game", "spectators", "side:red", "side:blue")), order_id, "a word"),
            protocol.Follow(GAME, number, rng.choice((match.viewer, "red", "")), rng.choice((b"", bytes(32)))),
            protocol.Unfollow(GAME),
            protocol.TakeSeat(GAME, side, rng.choice(("", "x"))),
            protocol.ListGames(rng.choice(("", "x"))),
            protocol.Ping(),
        ))


def told_to_those_who_ask(dark: DarkHost, client: NewClient, heard: dict[int, list[bytes]], red: Red, seed: int) -> list[list[bytes]]:
    """Play the script of a red side, ask at its moments, and return what was heard over each line."""
    there = begun(client, watched=True)
    moments = 0

    def ask(host: DarkHost, _: Listener | None = None) -> None:
        nonlocal moments
        moments += 1
        for at, (viewer, asker) in enumerate(askers.items()):
            one = there[viewer]
            one.until(known_here(one, host, viewer))

            def sign(side: str, seq: int, order: bytes, one: Listener = one) -> bytes:
                return one.games.sign(order_message(GAME, side, seq, one.match.log.entries[seq].salt, order))

            rng = random.Random(f"{seed} {moments} {at}")
            for _ in range(ASKED):
                with one.games.reading():
                    frame = next(questions(rng, one.match, sign))
                asker.ask(frame)
                one.until(known_here(one, host, viewer))

    with ExitStack() as lines, pytest.MonkeyPatch.context() as patch:
        askers = {
            viewer: Asker(lines.enter_context(raw_line(dark, of(name))), name) for viewer, name in (("blue", "Boris"), (PUBLIC, "Carla"))
        }
        patch.setattr(hidden, "ask_in_vain", ask)
        hidden.script(dark, there, red)
        ask(dark)
    for one in there.values():
        one.games.close()
        heard.pop(one.thread, None)
    return [hidden.told_bytes(asker.heard) for asker in askers.values()]


@pytest.fixture(autouse=True)
def talkative(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody be told that he talks too much: that hangs on the time."""
    monkeypatch.setattr("server.chat.BURST", 10_000)


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("red", TWINS.values(), ids=TWINS)
def test_games_that_differ_in_what_is_hidden_answer_whatever_is_asked_alike(
    dark: DarkHost, client: NewClient, heard: dict[int, list[bytes]], tmp_path: Path, red: Red
) -> None:
    plain = told_to_those_who_ask(dark, client, heard, PLAIN, SEED)
    dark.stop()
    dark.data = tmp_path / "twin"
    dark.start()
    twin = told_to_those_who_ask(dark, client, heard, red, SEED)
    assert min(len(told) for told in plain) > 50
    for here, there in zip(plain, twin, strict=True):
        differ = [(said(one), said(two)) for one, two in zip(here, there, strict=False) if one != two]
        assert (differ[:1], len(here)) == ([], len(there)), f"seed {SEED}"


def said(data: bytes) -> object:
    """Return what a message says, for whoever reads why the test failed; an entry without its frame stays as it is."""
    try:
        return protocol.decode_from_server(data)
    except BadInput:
        return data

"""Two games that differ only in what red hides: whatever the others do, right or wrong, and whenever, they are sent the same bytes.

With `TWINS=200 TWINS_FROM=1000` in the environment more of it is tried.
"""

from __future__ import annotations

import functools
import os
import random
from types import SimpleNamespace

import msgspec
import pytest

from client.connection import table as ways
from core import gamefile, protocol
from core.bots.random_bot import choose
from core.errors import BadInput, Refused
from core.log import Admit, AnyAct, Consent, Pause, Seat
from core.match import Match
from core.orders import Order
from core.pack import Pack
from core.terms import ClockTerms, SpectatorTerms, Terms
from core.views import View
from tests.hidden_toy.pack import files
from tests.hidden_toy.ruleset import RULESET, Acting, Deploying, Draw, End, Lay, March, Plan, Planning, PlayCard, Strike
from tests.server.dark import AT, PLAIN, TWINS, Red
from tests.server.random_table import GAME, VERSIONS, Chance, House, Person, Slow, Way, begun_as, found_wrong, opened, run_slow

FROM, MANY, STEPS = (int(os.environ.get(name, default)) for name, default in (("TWINS_FROM", 0), ("TWINS", 2), ("TWIN_STEPS", 150)))
SIDES = {"Anna": ("red",), "Boris": ("blue",), "Rita": ("",), "Sven": ()}
OTHERS = ("Boris", "Rita", "Sven")
TELLS = (March, Strike, Draw, PlayCard)  # they turn counters up, or take dice, which hang on what is hidden as on all before them
Told = dict[str, list[bytes]]


class Blind(Chance):
    """Does what it likes, but for what lets somebody see red's secrets by right."""

    def _any_act(self, person: Person, match: Match, side: str) -> AnyAct:
        while True:
            act = super()._any_act(person, match, side)
            shows = isinstance(act, Admit) and act.spectators.view in ("open", "red")
            if not shows and not (isinstance(act, Seat) and act.side == "red"):
                return act

    def _ways_ahead(self, person: Person, match: Match) -> list[Way]:
        return []  # an answer might be a draw

    def order(self, person: Person) -> None:
        if person.match is not None:
            self._order(person, person.match)

    def _order(self, person: Person, match: Match) -> bool:
        side = match.view.side_to_act()
        if person.name != "Boris" or side not in ("red", "blue") or match.viewer not in ("", "blue"):
            return False
        order = choose(match.view, self.rng) if side == "blue" else End()
        person.games.give(GAME, side, End() if isinstance(order, TELLS) else order)
        return True


def next_of(red: Red, view: View, done: set[str]) -> Order:
    """Return what red does: what it hides as the twin has it, and nothing else."""
    deploys = [order for order in (red.first, red.second) if f"{order.unit}" not in done]
    match view.decision():
        case Deploying() if deploys:
            done.add(f"{deploys[0].unit}")
            return deploys[0]
        case Planning():
            return Plan(red.plan)
        case Acting() if red.mines and "mine" not in done:
            done.add("mine")
            return Lay(AT)
        case _:
            return End()


async def play_red(house: House, red: Red, done: set[str]) -> None:
    """Let red do all that it does in its turn: what is hidden of it takes no time."""
    anna = house.people["Anna"]
    await catch_up(house, anna)
    for offer in list(anna.match.table.offers.values()) if anna.match is not None else ():
        if offer.side == "blue":
            ways.do(anna.games, GAME, "red", Consent(offer.number, yes=offer.what == "pause"))
            await catch_up(house, anna)
    if anna.match is not None and anna.match.table.paused:
        ways.do(anna.games, GAME, "red", Pause(on=False))
        await catch_up(house, anna)
    for _ in range(6):
        match = anna.match
        if match is None or match.viewer != "red" or match.table.paused or match.view.side_to_act() != "red":
            return
        order = next_of(red, match.view, done)
        anna.games.give(GAME, "red", order)
        await catch_up(house, anna)
        if isinstance(order, End | Plan):
            return


async def catch_up(house: House, person: Person) -> None:
    """Let all come that is on its way to somebody's program, and from it."""
    house.hear(person)
    while person.line.out:
        await house.deliver(person)
        house.hear(person)


async def begin(house: House, chance: Blind, red: Red, done: set[str]) -> None:
    """Play until both have deployed and planned: what can be told apart is there by then."""
    boris = house.people["Boris"]
    for _ in range(40):
        if isinstance(house.room.match.view.decision(), Acting):
            return
        await play_red(house, red, done)
        await catch_up(house, boris)
        chance.order(boris)
        await catch_up(house, boris)
    raise AssertionError("the plans are not made")


async def a_step(house: House, chance: Blind, red: Red, done: set[str]) -> None:
    rng = chance.rng
    person = house.people[rng.choice(OTHERS)]
    match rng.choices(("act", "red", "blue", "hear", "time", "again", "away", "restart"), (40, 15, 8, 20, 12, 4, 3, 2))[0]:
        case "act":
            house.hear(person)
            chance.act(person)
            while person.line.out:
                await house.deliver(person, twice=rng.random() < 0.2)
        case "red":
            await play_red(house, red, done)
        case "blue":
            chance.order(house.people["Boris"])
            await catch_up(house, house.people["Boris"])
        case "hear":
            house.hear(person)
        case "time":
            await house.pass_time(rng.choice((0.1, 0.5, 2.0, 10.0)))
        case "again":
            await house.connect(person.name)
        case "away":
            house.put_away()
        case "restart":
            await house.restart(away_s=rng.choice((0.1, 5.0, 60.0)))
    await house.quiet()


def some_terms(rng: random.Random) -> Terms:
    clock = rng.choice((ClockTerms(), ClockTerms("absolute", 60_000, 0, "show"), ClockTerms("turn", 60_000, 0, "claim")))
    spectators = SpectatorTerms(rng.choice(("table", "closed", "blue")), rng.choice((0, 3)), rng.choice((0, 5_000)))
    return Terms(clock=clock, spectators=spectators, referees=("Rita",))


async def told_in(house: House, red: Red, seed: int) -> Told:
    """Return what the others are sent until the game is over, step by step."""
    rng, done = random.Random(f"course {seed}"), set[str]()
    chance = Blind(house, SIDES, may_end=False)
    chance.rng = rng
    await opened(house, some_terms(rng), "ambush", owner="Anna")
    for name in SIDES:
        await house.connect(name)
        house.people[name].games.follow(GAME)
    await house.all_told()
    for name, side in (("Anna", "red"), ("Boris", "blue")):
        house.people[name].games.send(protocol.TakeSeat(GAME, side))
        await house.all_told()
    for person in house.people.values():
        person.heard.clear()
    await begin(house, chance, red, done)
    told: Told = {}
    for _ in range(STEPS):
        for name in OTHERS:
            house.hear(house.people[name])
            assert not found_wrong(house.people[name])
        told = {name: list(house.people[name].heard) for name in OTHERS}
        await a_step(house, chance, red, done)
        if house.room.match.outcome is not None:  # all lies open
            break
    assert not house.broke
    return {name: [one for data in messages if (one := bare(data))] for name, messages in told.items()}


def bare(data: bytes) -> bytes:
    """Return a message without what is random, and the pack, which holds what is printed on all counters."""
    frame = protocol.decode_from_server(data)
    match frame:
        case protocol.SeenEntries():
            entries = tuple(msgspec.structs.replace(entry, commitment=b"") for entry in frame.entries)
            return protocol.encode(msgspec.structs.replace(frame, entries=entries))
        case protocol.Accepted() | protocol.NotAccepted() | protocol.Failed():
            return protocol.encode(msgspec.structs.replace(frame, order_id=""))
        case protocol.Games():
            return protocol.encode(msgspec.structs.replace(frame, mark=frame.mark.partition(".")[2]))
        case protocol.PackPart():
            return b""
        case protocol.NewEntries():
            raise AssertionError("somebody is told all")
        case _:
            return data


def said(data: bytes) -> object:
    try:
        return protocol.decode_from_server(data)
    except (BadInput, Refused):
        return data


@pytest.fixture(autouse=True)
def dark(monkeypatch: pytest.MonkeyPatch) -> None:
    open_match = gamefile.open_match
    monkeypatch.setattr("server.rooms.load", lambda name: RULESET)
    monkeypatch.setattr("client.connection.games.open_match", functools.partial(open_match, load=lambda name: RULESET))
    monkeypatch.setattr("server.rooms.secrets", SimpleNamespace(token_bytes=bytes))
    for where in ("server.rooms", "server.chains"):
        monkeypatch.setattr(f"{where}.LINKS", 300)


def played(red: Red, seed: int) -> Told:
    told: Told = {}

    async def play(loop: Slow) -> None:
        told.update(await told_in(House(loop, Pack(files()), random.Random(seed)), red, seed))

    run_slow(play)
    return told


TOLD_APART = {name: red for name, red in TWINS.items() if not red.undone and not red.ahead}


@pytest.mark.parametrize("seed", range(FROM, FROM + MANY))
@pytest.mark.parametrize("red", TOLD_APART.values(), ids=TOLD_APART)
def test_whatever_is_done_at_a_table_nobody_is_told_what_red_hides(monkeypatch: pytest.MonkeyPatch, red: Red, seed: int) -> None:
    begun_as(monkeypatch, VERSIONS[seed % len(VERSIONS)])
    plain, twin = played(PLAIN, seed), played(red, seed)
    assert len(plain["Boris"]) > 10
    for name in OTHERS:
        differ = [(said(one), said(two)) for one, two in zip(plain[name], twin[name], strict=False) if one != two]
        assert (differ[:1], len(plain[name])) == ([], len(twin[name])), f"{name}, seed {seed}"

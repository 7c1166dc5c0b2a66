"""A table at which anything is done at any time, right or wrong: what must hold after each thing.

With `TABLES=400 TABLES_FROM=1000 TABLE_STEPS=300` in the environment more of it is tried.
"""

from __future__ import annotations

import functools
import os
import random
from collections.abc import Callable, Iterator

import msgspec
import pytest

from client.connection import table as ways
from core import gamefile, protocol
from core.bots.random_bot import choose
from core.errors import BadInput, Refused
from core.events import PhaseBegan
from core.log import Away, Consent, Fallback, Late, Pause, Rewind, Seat, SetClock
from core.match import Match
from core.pack import Pack
from core.ruleset import Ruleset
from core.table import RULES_STOP_CLOCKS, VERSION, WITNESSES_MAY_ORDER, Ended, Table
from core.table_rules import Who, permit
from core.terms import ClockTerms, DiceTerms, SeatTerms, SpectatorTerms, Terms
from core.trials.verify import verify
from core.views import eyes_of
from core.witnesses import Witnesses
from server.rooms import Room
from server.settings import Settings
from server.table import LEAVES_IT, LETS_IN, with_key
from server.witness import holds_flag
from tests.hidden_toy import pack as hidden_pack
from tests.hidden_toy import ruleset as hidden_ruleset
from tests.server.conftest import SERVER
from tests.server.random_table import GAME, VERSIONS, Chance, House, Person, Slow, begun_as, found_wrong, opened, run_slow
from tests.toy import ruleset as toy_ruleset

FROM, MANY, STEPS = (int(os.environ.get(name, default)) for name, default in (("TABLES_FROM", 0), ("TABLES", 7), ("TABLE_STEPS", 130)))
TRIED = [(seed, version) for version in VERSIONS for seed in range(FROM, FROM + (MANY if version == VERSION else (MANY + 1) // 2))]
PEOPLE = {"Anna": ("red",), "Carla": ("red",), "Boris": ("blue",), "Dora": ("blue", "red"), "Rita": ("",), "Sven": ()}
UMPIRE = "Wilma"  # who comes when all was done that could be: Rita may have played, and rules on nothing then
OPEN, DARK = (toy_ruleset.RULESET, toy_ruleset.toy_files, "duel"), (hidden_ruleset.RULESET, hidden_pack.files, "ambush")
PLAYED_OUT = 400  # orders, more than either game has


class Tables(msgspec.Struct):
    """What a test needs of the game that is played."""

    ruleset: Ruleset
    files: Callable[[], dict[str, bytes]]
    scenario: str

    def load(self, name: str) -> Ruleset:
        return self.ruleset


@pytest.fixture(params=[OPEN, DARK], ids=["open", "dark"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Tables:
    made, open_match = Tables(*request.param), gamefile.open_match
    monkeypatch.setattr("server.rooms.load", made.load)
    monkeypatch.setattr("client.connection.games.open_match", functools.partial(open_match, load=made.load))
    for where in ("server.rooms", "server.chains", "client.connection.witness"):
        monkeypatch.setattr(f"{where}.LINKS", 300)
    return made


def some_terms(rng: random.Random, *, dark: bool) -> Terms:
    kind = rng.choice(("none", "absolute", "absolute", "fischer", "turn"))
    flag = rng.choice(("lose", "claim", "show"))
    increment = 5_000 if kind == "fischer" else 0
    clock = ClockTerms() if kind == "none" else ClockTerms(kind, rng.choice((20_000, 120_000, 600_000)), increment, flag)
    wing = rng.choice((None, ()))
    several = (SeatTerms("red"), SeatTerms("red", "second", wing), SeatTerms("blue"), SeatTerms("blue", "second"))
    spectators = SpectatorTerms(rng.choice(("table", "open", "closed", "red")), rng.choice((0, 3)), rng.choice((0, 5_000)))
    dice = DiceTerms("server" if dark else rng.choice(("server", "witnessed", "witnessed")), rng.choice((0, 3_000, 20_000)))
    return Terms(clock=clock, seats=rng.choice(((), several)), spectators=spectators, dice=dice, referees=("Rita", UMPIRE))


@pytest.mark.parametrize(("seed", "version"), TRIED)
def test_whatever_is_done_at_a_table_and_whenever(monkeypatch: pytest.MonkeyPatch, kind: Tables, seed: int, version: int) -> None:
    rng = random.Random(seed)
    begun_as(monkeypatch, version)
    monkeypatch.setattr("secrets.token_bytes", rng.randbytes)
    monkeypatch.setattr("secrets.token_hex", lambda size: rng.randbytes(size).hex())

    async def play(loop: Slow) -> None:
        monkeypatch.setattr("client.connection.hours.now_ms", lambda: round(loop.now_s * 1000))
        house = House(loop, Pack(kind.files()), rng, mute=["Dora"] if seed % 4 == 1 else [])
        await begin(house, kind)
        await everything(house, Chance(house, PEOPLE, may_end=seed % 3 != 0), kind)

    run_slow(play)


async def begin(house: House, kind: Tables) -> None:
    terms = some_terms(house.rng, dark=bool(kind.ruleset.secrets))
    await opened(house, terms, kind.scenario, owner="Anna")
    for name in PEOPLE:
        await house.connect(name)
        house.people[name].games.follow(GAME)
    await house.all_told()
    if house.rng.random() < 0.85:
        house.people["Anna"].games.send(protocol.TakeSeat(GAME, "red", ""))
        house.people[house.rng.choice(("Boris", "Dora"))].games.send(protocol.TakeSeat(GAME, "blue", ""))
        await house.all_told()


async def everything(house: House, chance: Chance, kind: Tables) -> None:
    house.on_refused = functools.partial(is_found_if_forged, house, kind)
    for _ in range(STEPS):
        ended, length = house.room.match.table.ended, len(house.room.match.log)
        then = None if house.room.gathering is None else house.room.match.witnesses_after(house.room.gathering.pending.before)
        await a_step(house, chance)
        holds(house, kind)
        stays_decided(house.room, ended, length)
        others_chose(house.room, then, length)
    house.on_refused = lambda *_: None
    await all_know_the_same(house, kind)
    await goes_on_to_its_end(house)
    await all_know_the_same(house, kind)


async def a_step(house: House, chance: Chance) -> None:
    rng = house.rng
    person = rng.choice(list(house.people.values()))
    match rng.choices(("act", "deliver", "hear", "time", "again", "away", "restart", "all"), (40, 20, 20, 10, 2, 2, 1, 8))[0]:
        case "act":
            if rng.random() < 0.7:
                house.hear(person)
            chance.act(person)
            while person.line.out and rng.random() < 0.8:
                await house.deliver(person)
        case "deliver" if person.line.out:
            await house.deliver(person, twice=rng.random() < 0.3)
        case "hear":
            house.hear(person, rng.choice((1, 3, 100)))
        case "time":
            await house.pass_time(rng.choice((0.1, 0.5, 1.0, 2.0, 3.0, 10.0)))
        case "again":
            await house.connect(person.name)
        case "away":
            house.put_away()
        case "restart":
            await house.start_anew(away_s=rng.choice((0.1, 5.0, 60.0)))
            for name in rng.sample(list(house.people), len(house.people)):
                await house.pass_time(rng.choice((0.0, 0.0, 1.0, 2.0)))
                await house.connect(name)
        case "all":
            await house.all_told()
    await house.quiet()


# -------------------------------------------------------------------- what must hold


def holds(house: House, kind: Tables) -> None:
    assert not house.broke
    room = house.room
    for person in house.people.values():
        # A link may be lost on the way when others go on without it, or its player's time runs out: that is no lie of anybody's.
        assert not [wrong for wrong in found_wrong(person) if "unless it was" not in wrong], person.name
    is_the_same_when_read(room, kind)
    fall = room.match.table.next_fall()
    assert fall is None or fall.at_ms + 10 >= room.now_ms() or holds_flag(room, fall.side), "the flag has not fallen"
    who_is_waited_for_pays(room)
    who_is_asked_can_answer(room)


def state_of(thing: object) -> dict[str, object]:
    return {name: value for name, value in vars(thing).items() if name not in ("_side_after", "_eye_of")}


def is_the_same_when_read(room: Room, kind: Tables) -> None:
    match = room.match
    read = Room.read(room.store, room.store.game(GAME), settings=Settings(), keeper=SERVER)
    for one in (Match.on(match.log.copied(), match), read.match):
        assert state_of(one.table) == state_of(match.table)
        assert state_of(one.witnesses) == state_of(match.witnesses)
    assert (read.match.log.pending, read.match.log.k, read.orders) == (match.log.pending, match.log.k, room.orders)
    assert (read.gathering is None, read.dropped is None) == (room.gathering is None, room.dropped is None)
    assert read.match.view.position.digest() == match.view.position.digest()


def who_is_waited_for_pays(room: Room) -> None:
    match, table = room.match, room.match.table
    stands = match.outcome is not None and match.table_version >= RULES_STOP_CLOCKS
    assert not (stands and table.clocks.are_kept and table.clocks.runs), "the game is over, and a clock runs"
    if not (table.clocks.are_kept and table.clocks.runs and table.to_act()):
        return
    owing = match.witnesses.late_for(match.log.k).intersection(room.missing())
    theirs = {chair.side for chair in table.chairs.values() if owing & {chair.player, chair.kept_for}}
    if theirs:
        assert table.on_clock() in theirs, f"{table.on_clock()} pays, and the others wait for {sorted(owing)}"
    elif not owing and match.witnesses.refusal() is None:
        assert table.on_clock() == table.to_act()


def who_is_asked_can_answer(room: Room) -> None:
    table, moment = room.match.table, room.moment()
    for offer in table.offers.values():
        assert table.ended is None
        assert offer.what == "rewind" or not moment.over
        assert offer.what != "pause" or not table.paused
        for side in table.to_answer(offer.side, offer.player) - offer.yes:
            for player in sorted(table.holders(side) - {offer.player}):
                if table.leads(side, player):
                    permit(moment, Consent(offer.number, yes=False), Who(player, side))


def stays_decided(room: Room, ended: Ended | None, length: int) -> None:
    new = room.match.log.entries[length:]
    assert ended is None or room.match.table.ended == ended or any(isinstance(entry.act, Rewind) for entry in new)


def others_chose(room: Room, then: Witnesses | None, length: int) -> None:
    """Nobody of his side goes on without somebody's link, *then* being how the seats stood when the order began to wait for it."""
    for entry in room.match.log.entries[length:] if then is not None and then.version >= WITNESSES_MAY_ORDER else ():
        assert not isinstance(entry.act, Fallback) or entry.side not in then.sides_of(entry.act.participant), entry


def is_found_if_forged(
    house: House, kind: Tables, person: Person, frame: protocol.DoAct, answer: protocol.NotAccepted | protocol.Failed
) -> None:
    """What the server refuses is found in the file, had it been written down; but who is a referee by his role no file says."""
    room, log = house.room, house.room.match.log
    sits_nowhere = not frame.side and person.name not in room.match.table.players()
    if sits_nowhere or not log.entries or log.pending is not None or kind.ruleset.secrets:
        return
    if isinstance(answer, protocol.NotAccepted) and answer.text.template in (LEAVES_IT, LETS_IN):
        return  # a server's manners: who leads a side acts for it alone, whoever sits beside him
    if isinstance(frame.act, Pause):
        return  # whether somebody is here who has to be for it to end no file says
    if isinstance(frame.act, Rewind) and not any(entry.number == frame.act.to and entry.bears_order for entry in log.entries):
        return  # no log takes it in
    try:
        act = with_key(house.service, house.service.sessions._all[person.peer], frame.act)
    except (BadInput, Refused):
        return
    file = house.file()
    entry = log.copied().seal(
        time_ms=room.now_ms(), side=frame.side, player=person.name, act=act, signature=frame.signature
    )
    try:
        report = verify(msgspec.structs.replace(file, entries=(*file.entries, entry)), load=kind.load)
    except BadInput:
        return
    assert not report.holds, f"{person.name} was refused for {frame.side}: {act}"


# -------------------------------------------------------------------- the whole


async def all_know_the_same(house: House, kind: Tables) -> None:
    for name in house.people:
        await house.connect(name)
    await house.all_told()
    holds(house, kind)
    room = house.room
    for name in room.match.table.players():
        match = house.people[name].match
        assert match is not None
        if not match.viewer:
            assert match.log.last_hash == room.match.log.last_hash
            assert state_of(match.table) == state_of(room.match.table)
    file = house.file()
    assert verify(file, load=kind.load).findings == ()
    assert list(uncharged(room.match)) == []


def uncharged(match: Match) -> Iterator[str]:
    """Yield where another time was charged than passed while clocks ran."""
    version = match.table_version
    table = Table(match.setting.sides, match.terms, match.side_after, version=version, eye_of=eyes_of(match.setting))
    for entry in match.log.entries if table.clocks.are_kept else ():
        before, waits = table.clocks, bool(table.to_act())
        table.note(entry)
        if isinstance(entry.act, Away | SetClock | Late) or any(isinstance(event, PhaseBegan) for event in entry.events):
            continue
        if not waits and version < RULES_STOP_CLOCKS:
            continue  # who left a game that was over paid for it
        charged = sum(before.left_ms.values()) - sum(table.clocks.left_ms.values())
        if charged != (entry.time_ms - before.at_ms if before.runs and waits else 0):
            yield f"entry {entry.number}: {charged}"


async def goes_on_to_its_end(house: House) -> None:
    """Whatever was done, those who want to can play on: a referee helps where it is for him to do."""
    (await house.connect(UMPIRE)).games.follow(GAME)
    await house.all_told()
    for _ in range(PLAYED_OUT):
        match = house.room.match
        if match.outcome is not None:
            return
        if not await is_helped(house):
            await give_order(house)
    raise AssertionError("it does not end")


async def is_helped(house: House) -> bool:
    """Do what keeps the game from going on; say whether anything did."""
    table, umpire = house.room.match.table, house.people[UMPIRE]
    mute = [chair for chair in table.chairs.values() if chair.player in house.mute and table.terms.dice.kind == "witnessed"]
    led = {chair.side for chair in table.chairs.values() if chair.player and chair.units is None}
    if mute:  # he orders nothing, and at a side of his alone all wait for him
        ways.do(umpire.games, GAME, "", Seat(mute[0].side, "", mute[0].name))
    elif table.paused:
        ways.do(umpire.games, GAME, "", Pause(on=False))
    elif len(led) < len(table.sides):
        seats = (chair for chair in table.chairs.values() if chair.side not in led and chair.units is None)
        chair = next(seats)
        name = {"red": "Anna", "blue": "Boris"}[chair.side]
        ways.do(umpire.games, GAME, "", Seat(chair.side, name, chair.name))
    elif table.clocks.are_kept and min(table.clocks.left_ms.values()) < 300_000:
        for side in table.sides:
            ways.do(umpire.games, GAME, "", SetClock(side, 600_000))
    elif house.room.gathering is not None:
        await house.pass_time(5)
    else:
        return False
    await house.all_told()
    return True


async def give_order(house: House) -> None:
    room = house.room
    side, length = room.match.view.side_to_act(), len(room.match.log)
    chair = next(chair for chair in room.match.table.chairs.values() if chair.side == side and chair.units is None and chair.player)
    house.people[chair.player].games.give(GAME, side, choose(room.match.view, house.rng))
    await house.all_told()
    room = house.room
    assert len(room.match.log) > length or room.gathering is not None, house.people[chair.player].notes[-1]

"""Games with secrets at the table: who sits, watches and saves sees what is his to see, and at the end all is checked."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing

import msgspec
import pytest

from client.connection import table
from client.connection.bot_player import BotPlayer
from client.connection.games import Games, Up
from client.connection.notes import Anew, Answered, Grown, Note, Ready, Trouble
from client.session.remote import RemoteMatch
from core import gamefile, protocol
from core.bots.random_bot import busy
from core.bots.walks import every_walk
from core.errors import BadInput, Refused
from core.events import Event
from core.game import Game
from core.hidden import PUBLIC, is_unknown
from core.log import Admit, Away, Consent, Entry, Offer, Rewind, Seat, Withdraw
from core.options import options
from core.orders import OptionPick, Picks, UnitPick, value_of
from core.seen import SeenEntry, SeenLog
from core.terms import ClockTerms, DiceTerms, SeatTerms, SpectatorTerms, Terms
from core.trials.verify import verify
from core.units import UnitId
from core.views import View
from server.presence import last_heard
from server.store.sqlite import STORE
from server.viewers import Viewers
from tests.hidden_toy.ruleset import RULESET, Ambush, Deploy, Draw, End, Lay, Plan, staff
from tests.server.conftest import of
from tests.server.dark import (
    AT,
    BOARD,
    GAME,
    PLAIN,
    SETTING,
    DarkHost,
    Listener,
    NewClient,
    all_open,
    begun,
    client,
    dark,
    heard,
    known_here,
    play,
    set_up,
    take_back,
    truth,
)
from tests.server.test_table import Hands

__all__ = ["client", "dark", "heard"]  # fixtures


# -------------------------------------------------------------------- the end, and after


def test_at_the_end_all_lies_open_and_everybody_has_checked_it(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    play(dark, there, random.Random(5))
    assert truth(dark).outcome is not None
    for one in there.values():
        one.until(all_open(one, dark))
        assert one.match.log.last_hash == truth(dark).log.last_hash
        assert not [note for note in one.said if isinstance(note, Trouble)]
        assert [note.viewer for note in one.said if isinstance(note, Anew)][-1] == ""
    file = gamefile.read(there["blue"].games.file(GAME))
    report = verify(file, load=lambda name: RULESET)
    assert report.findings == ()
    assert report.signed > 10
    assert {type(entry.act) for entry in file.entries if forged_last(file, entry.number)} == {Seat, Offer, Consent, Rewind}
    there["red"].games.send(protocol.AskRewind(GAME, "red", 0))
    answer = there["red"].wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    assert isinstance(answer, Answered)
    assert "over" in str(answer.refused)


def forged_last(file: gamefile.GameFile, number: int) -> bool:
    """Say whether a file that ends with this entry is found to be forged when the entry bears no signature."""
    bare = msgspec.structs.replace(file.entries[number], signature=b"", hash=b"")
    if bare.act is None:
        return False
    ended = msgspec.structs.replace(file, entries=(*file.entries[:number], msgspec.structs.replace(bare, hash=bare.digest())))
    return [one.kind for one in verify(ended, load=lambda name: RULESET).findings] == ["signature"]


def test_a_server_that_told_another_story_is_found_out(dark: DarkHost, client: NewClient, monkeypatch: pytest.MonkeyPatch) -> None:
    take = Games._take_entries

    def lied_to(self: Games, game: str, viewer: str, entries: tuple[Entry | SeenEntry, ...]) -> None:
        if viewer == "blue":
            entries = tuple(msgspec.structs.replace(entry, time_ms=entry.time_ms + 1) if entry.number == 3 else entry for entry in entries)
        take(self, game, viewer, entries)

    monkeypatch.setattr(Games, "_take_entries", lied_to)
    there = begun(client)
    play(dark, there, random.Random(6), undo=0)
    for one in there.values():
        one.until(all_open(one, dark))
    found = [note.text for note in there["blue"].said if isinstance(note, Trouble)]
    assert len(found) == 1
    assert "entry 3 was told otherwise than it happened" in found[0]
    assert not [note for note in there["red"].said if isinstance(note, Trouble)]


def test_who_leaves_his_seat_and_is_shown_the_game_later_finds_nothing_told_otherwise(dark: DarkHost, client: NewClient) -> None:
    there = begun(client, Terms(spectators=SpectatorTerms("open", 3)))
    boris = there["blue"]
    play(dark, there, random.Random(5), most=3, undo=0)
    boris.until(known_here(boris, dark, "blue"))
    boris.games.send(protocol.LeaveSeat(GAME, "blue"))
    boris.wait(lambda note: isinstance(note, Anew) and note.viewer == "")
    boris.wait(lambda note: isinstance(note, Ready))
    assert len(boris.match.log) < len(truth(dark).log)
    there["red"].games.send(protocol.GiveUp(GAME, "red"))
    boris.until(lambda: all_open(boris, dark)() and boris.match.outcome is not None)
    boris.until(lambda: not boris.games._held_to._told)
    assert not [note for note in boris.said if isinstance(note, Trouble)]


def test_a_server_that_comes_back_goes_on_by_the_same_numbers(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    play(dark, there, random.Random(7), most=12)
    for side, one in there.items():
        one.until(known_here(one, dark, side))
    known = {side: [entry.salt for entry in one.match.log.entries] for side, one in there.items()}
    address = dark.place.tcp
    dark.stop()
    dark.start(address)
    for one in there.values():
        one.wait(lambda note: isinstance(note, Up))
        one.wait(lambda note: isinstance(note, Ready))
    assert [sum(isinstance(note, Anew) for note in one.said) for one in there.values()] == [1, 0]  # as Anna sat down, and never again
    play(dark, there, random.Random(8), most=5)
    for side, one in there.items():
        assert [entry.salt for entry in one.match.log.entries][: len(known[side])] == known[side]


def test_two_bots_play_a_dark_game_to_its_end(dark: DarkHost) -> None:
    bots = [
        BotPlayer(busy, seed=side, game=GAME, side=side, create=_create() if side == "red" else None) for side in ("red", "blue")
    ]
    for bot in bots:
        bot.start(dark.address, f"Bot {bot.side}", identity=of(bot.side))
    try:
        assert all(bot.wait(60) for bot in bots)
    finally:
        for bot in bots:
            bot.close()
    assert truth(dark).view.position.outcome is not None


def _create() -> protocol.CreateGame:
    return protocol.CreateGame(GAME, "ambush", "ambush")


# -------------------------------------------------------------------- seats, spectators, files


def test_nobody_sits_down_where_he_knows_the_secrets_of_the_other_side(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    anna, boris = there["red"], there["blue"]
    for side, one in there.items():
        one.games.send(protocol.LeaveSeat(GAME, side))
        one.until(sees(one, PUBLIC))
    anna.games.send(protocol.TakeSeat(GAME, "blue"))
    answer = anna.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    assert isinstance(answer, Answered)
    assert str(answer.refused) == "Anna has seen what red keeps secret"
    boris.games.send(protocol.TakeSeat(GAME, "blue"))
    boris.until(sees(boris, "blue"))


def test_nobody_sits_down_at_a_side_whose_secrets_its_opponent_has_seen(dark: DarkHost, client: NewClient) -> None:
    """She had played both, and left one."""
    anna, boris = client("Anna"), client("Boris")
    anna.games.send(_create())
    anna.sit("red")
    anna.games.send(protocol.TakeSeat(GAME, "blue"))
    anna.until(all_open(anna, dark))
    assert anna.give("red", Deploy(UnitId(0), AT)).refused is None
    anna.games.send(protocol.LeaveSeat(GAME, "red"))
    anna.until(sees(anna, "blue"))
    boris.games.follow(GAME)
    boris.wait(lambda note: isinstance(note, Ready))
    boris.games.send(protocol.TakeSeat(GAME, "red"))
    refused = boris.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    assert "Anna has seen what red keeps secret" in str(getattr(refused, "refused", ""))


def test_nobody_sits_down_at_a_side_whose_hand_its_opponent_has_seen_before_the_first_order(
    dark: DarkHost, client: NewClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The set-up had dealt it, and nobody was refused or told anything."""
    begin = type(RULESET).begin

    def dealing(self: Ambush, game: Game) -> Iterator[Event]:
        yield from begin(self, game)
        yield from game.draw("deck", staff(game, "red"))

    monkeypatch.setattr(type(RULESET), "begin", dealing)
    anna, boris = client("Anna"), client("Boris")
    anna.games.send(_create())
    anna.sit("red")
    anna.games.send(protocol.TakeSeat(GAME, "blue"))
    anna.until(sees(anna, ""))
    anna.games.send(protocol.LeaveSeat(GAME, "red"))
    anna.until(sees(anna, "blue"))
    boris.games.follow(GAME)
    boris.wait(lambda note: isinstance(note, Ready))
    boris.games.send(protocol.TakeSeat(GAME, "red"))
    refused = boris.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    assert "Anna has seen what red keeps secret" in str(getattr(refused, "refused", ""))


@pytest.mark.parametrize("lays", [False, True], ids=["nothing unseen", "a mine unseen"])
def test_after_a_server_was_killed_nobody_is_told_when_the_other_side_has_done_something_unseen(
    dark: DarkHost, client: NewClient, monkeypatch: pytest.MonkeyPatch, lays: bool
) -> None:
    hands = Hands()
    monkeypatch.setattr("server.steady.now_ms", hands)
    there = begun(client, Terms(clock=ClockTerms("absolute", 3_600_000)))
    set_up(dark, there)
    noted_ms, address = hands.ms, dark.address
    hands.ms += 1_013
    if lays:
        there["red"].until(known_here(there["red"], dark, "red"))
        assert there["red"].give("red", Lay(AT)).refused is None
    dark.stop()
    with closing(sqlite3.connect(dark.data / STORE)) as store, store:
        store.execute("UPDATE alive SET time_ms = ?", (noted_ms,))  # as it stands where nothing was noted any more
    hands.ms += 60_000
    dark.start(address)
    boris = there["blue"]
    boris.until(lambda: any(isinstance(entry.act, Away) for entry in boris.match.log.entries))
    (away,) = (entry.act for entry in boris.match.log.entries if isinstance(entry.act, Away))
    assert away == Away(51_013)


@pytest.mark.parametrize("leaves", [False, True], ids=["sits there", "has left for a while"])
def test_nobody_sits_down_beside_who_has_secrets_by_now_but_by_a_referees_hand(dark: DarkHost, client: NewClient, leaves: bool) -> None:
    """A friend of the other side's would see them; also who had sat there before there were any."""
    seats = (SeatTerms("red"), SeatTerms("red", "second"), SeatTerms("blue"))
    there = begun(client, Terms(seats=seats, referees=("Rita",)))
    carla, rita = client("Carla"), client("Rita")
    for one in (carla, rita):
        one.games.follow(GAME)
        one.wait(lambda note: isinstance(note, Ready))

    def sits() -> None:
        carla.games.send(protocol.TakeSeat(GAME, "red", "second"))
        carla.until(lambda: carla.sits("red"))

    def goes(one: Listener, seat: str) -> None:
        one.games.send(protocol.LeaveSeat(GAME, "red", seat))
        one.until(sees(one, PUBLIC))

    sits()
    goes(carla, "second")
    set_up(dark, there)
    if leaves:
        goes(there["red"], "")
    carla.games.send(protocol.TakeSeat(GAME, "red", "second"))
    assert refused(carla, "").startswith("Anna plays red by now")
    assert refused(rita, table.do(rita.games, GAME, "", Seat("red", "Carla", "second"))) == "None"
    carla.until(lambda: carla.sits("red"))
    goes(carla, "second")
    sits()


def test_one_person_on_both_sides_sees_all(client: NewClient) -> None:
    anna = client("Anna")
    anna.games.send(_create())
    anna.sit("red")
    anna.games.send(protocol.TakeSeat(GAME, "blue"))
    anna.until(lambda: (match := anna.games.match(GAME)) is not None and match.viewer == "" and len(match.log) > 2)
    assert anna.match.view.position.cups["deck"]


def test_whoever_witnesses_dice_would_see_the_order_so_a_dark_game_has_none(client: NewClient) -> None:
    anna = client("Anna")
    anna.games.send(protocol.CreateGame(GAME, "ambush", "ambush", terms=Terms(dice=DiceTerms("witnessed"))))
    found = anna.wait(lambda note: isinstance(note, Trouble))
    assert isinstance(found, Trouble)
    assert "secrets" in found.text


def test_a_window_begins_anew_as_another_viewer_and_saves_what_it_was_told(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    play(dark, there, random.Random(9), most=15, undo=0)
    boris = there["blue"]
    boris.until(known_here(boris, dark, "blue"))
    window = RemoteMatch(boris.games, GAME, "Boris")
    assert window.view.position == boris.match.view.position
    assert (window.match.viewer, window.view.viewer) == ("blue", "blue")
    assert window.my_sides() == ("blue",)
    for index in range(len(window.moments())):
        window.seek(index)
        assert window.lines(index) is not None
        assert bool(window.order_name(index)) == (window.match.log.path()[index].side == "blue")
    file = gamefile.read(window.to_bytes())
    assert file.head.viewer == "blue"
    with pytest.raises(BadInput, match="was told of it while it ran"):
        verify(file, load=lambda name: RULESET)


def test_entries_grow_in_a_window_as_they_are_told(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    boris = there["blue"]
    window = RemoteMatch(boris.games, GAME, "Boris")
    play(dark, there, random.Random(10), most=10)
    boris.until(known_here(boris, dark, "blue"))
    for note in boris.said:
        if isinstance(note, Grown):
            window.take_entries(note)
    assert window.view.position == boris.match.view.position


def test_a_side_that_gives_up_opens_the_game(dark: DarkHost, client: NewClient) -> None:
    there = begun(client, watched=True)
    play(dark, there, random.Random(11), most=15, undo=0)
    there["blue"].games.send(protocol.GiveUp(GAME, "blue"))
    for one in there.values():
        one.until(all_open(one, dark))
        assert not [note for note in one.said if isinstance(note, Trouble)]
    assert truth(dark).view.position.outcome is None


def test_no_order_leaves_a_window_that_shows_the_past(dark: DarkHost, client: NewClient) -> None:
    """bugs-of-peers 24: moves were accepted while history was looked at."""
    there = begun(client)
    anna = there["red"]
    assert anna.give("red", Deploy(UnitId(0), AT)).refused is None
    anna.until(known_here(anna, dark, "red"))
    window = RemoteMatch(anna.games, GAME, "Anna")
    window.seek(0)
    with pytest.raises(Refused, match="the past"):
        window.order(Deploy(UnitId(1), AT))
    assert not window.awaits_answer
    assert not window.options().picks
    window.seek(1)
    assert OptionPick("deploy") in window.options().picks


def test_what_one_side_is_offered_never_names_what_it_can_not_know(dark: DarkHost, client: NewClient) -> None:
    """bugs-of-peers 19 and bugs-of-peers 36: overlays and offers worked out from the full position."""
    there = begun(client)
    rng = random.Random(12)
    for _ in range(25):
        play(dark, there, rng, most=1, undo=0)
        if truth(dark).outcome is not None:
            break
        for side, one in there.items():
            one.until(known_here(one, dark, side))
            with one.games.reading():
                view = one.match.view
            hidden = {unit for unit in truth(dark).view.position.units if unit not in view.position.units}
            assert hidden
            assert not any(view.side(unit) == side for unit in view.position.units if is_unknown(unit))
            assert side == view.side_to_act() or not options(view).doors
            for seen in (view, truth(dark).view.seen_by(side)):  # as it was told, and as whoever keeps the game reckons it
                named = {pick.unit for walk in walks(seen) for pick in walk if isinstance(pick, UnitPick)}
                assert not (named | seen.position.units.keys()) & hidden


def walks(view: View) -> list[Picks]:
    return [walk for pick in options(view).picks for walk in every_walk(view, str(value_of(pick)))]


def test_spectators_see_a_side_or_all_only_where_that_was_agreed(dark: DarkHost, client: NewClient) -> None:
    anna, boris, carla = client("Anna"), client("Boris"), client("Carla")
    for game, view, viewer in (("table", "table", PUBLIC), ("all", "open", ""), ("reds", "red", "red")):
        anna.games.send(protocol.CreateGame(game, "ambush", "ambush", terms=Terms(spectators=SpectatorTerms(view))))
        anna.wait(lambda note: isinstance(note, protocol.Games))
        carla.games.follow(game)
        carla.wait(lambda note, game=game: isinstance(note, Ready) and note.game == game)
        match = carla.games.match(game)
        assert match is not None
        assert match.viewer == PUBLIC  # whoever looks on may still sit down
        for one, side in ((anna, "red"), (boris, "blue")):
            one.games.send(protocol.TakeSeat(game, side))
        carla.until(sees(carla, viewer, game))


def test_how_many_dice_have_fallen_is_told_to_nobody_who_shows_links_that_nobody_wants(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    set_up(dark, there)
    there["red"].until(known_here(there["red"], dark, "red"))
    spent, told = truth(dark).log.k, []
    for draws in range(2):
        for k in (spent, spent + 1, 1 << 40):
            there["blue"].games.send(protocol.ShowLink(GAME, k, bytes(32), bytes(32), bytes(64)))
            answer = there["blue"].wait(lambda note: isinstance(note, Answered | Trouble))
            assert isinstance(answer, Answered), answer
            told.append(str(answer.refused))
        if not draws:
            assert there["red"].give("red", Draw()).refused is None
    assert truth(dark).log.k > spent
    assert set(told) == {"the dice of this game are the server's alone"}


def test_since_when_somebody_is_away_tells_nothing_of_what_he_did_unseen(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    anna = there["red"]
    anna.until(known_here(anna, dark, "red"))
    for order in (PLAIN.first, PLAIN.second, End()):
        assert anna.give("red", order).refused is None
    there["blue"].until(known_here(there["blue"], dark, "blue"))
    assert there["blue"].give("blue", Deploy(UnitId(6), BOARD.hex("T0402"))).refused is None
    assert there["blue"].give("blue", End()).refused is None
    for side in ("red", "blue"):
        there[side].until(known_here(there[side], dark, side))
        assert there[side].give(side, Plan("wary")).refused is None
    anna.until(known_here(anna, dark, "red"))
    head, unseen = anna.match.log.head, len(truth(dark).log)
    assert anna.give("red", Lay(AT)).refused is None
    take_back(dark, there, "red", head, yes=True)
    seen = {entry.commitment for entry in SeenLog(SETTING, truth(dark).log, PUBLIC).grow()}
    assert seen.isdisjoint(entry.hash for entry in truth(dark).log.entries[unseen:])
    room, entries = dark.service.rooms[GAME], truth(dark).log.entries
    entries[:] = [msgspec.structs.replace(entry, time_ms=entry.number) for entry in entries]  # whatever this machine's clock shows
    room.viewers = Viewers(room.match)
    assert last_heard(room, "Anna") == max(entry.number for entry in entries if entry.player == "Anna" and entry.hash in seen)


def test_who_has_looked_at_secrets_as_a_spectator_sits_down_at_no_side(dark: DarkHost, client: NewClient) -> None:
    """Else a player could leave his seat, look at what the other side hides, and come back."""
    anna, boris, carla = client("Anna"), client("Boris"), client("Carla")
    anna.games.send(protocol.CreateGame(GAME, "ambush", "ambush", terms=Terms(spectators=SpectatorTerms("open"))))
    for one in (anna, boris, carla):
        one.games.follow(GAME)
        one.wait(lambda note: isinstance(note, Ready))
        assert one.match.viewer == PUBLIC  # somebody who sits down yet
    anna.sit("red")
    boris.sit("blue")
    carla.until(sees(carla, ""))
    anna.until(known_here(anna, dark, "red"))
    assert anna.give("red", Deploy(UnitId(0), AT)).refused is None
    boris.until(known_here(boris, dark, "blue"))
    assert refused(boris, table.do(boris.games, GAME, "blue", Seat("blue", ""))) == "None"
    assert refused(boris, table.do(boris.games, GAME, "blue", Seat("blue", ""))) == "None"  # for good: others may have it
    boris.until(sees(boris, ""))
    for name, one in (("Boris", boris), ("Carla", carla)):
        one.games.send(protocol.TakeSeat(GAME, "blue"))
        answer = one.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
        assert "only a referee gives somebody a seat now" in str(answer)
        assert "only a referee" in refused(one, table.do(one.games, GAME, "", Seat("blue", name)))
    owner = client("Owner")
    owner.games.follow(GAME)
    owner.wait(lambda note: isinstance(note, Ready))
    himself = refused(owner, table.do(owner.games, GAME, "", Seat("blue", "Owner")))
    assert "only a referee gives somebody a seat now" in himself, "nobody vouches for himself"
    assert refused(owner, table.do(owner.games, GAME, "", Seat("blue", "Carla"))) == "None"
    carla.until(sees(carla, "blue"))


def test_who_sat_down_for_a_moment_before_there_were_secrets_keeps_nobody_out(dark: DarkHost, client: NewClient) -> None:
    """The game was blocked for good: nobody, not he himself, could sit down but by a referee's hand."""
    anna, boris = client("Anna"), client("Boris")
    anna.games.send(protocol.CreateGame(GAME, "ambush", "ambush", terms=Terms(spectators=SpectatorTerms("open"))))
    anna.sit("red")
    for _ in range(2):
        boris.sit("blue")
        boris.games.send(protocol.LeaveSeat(GAME, "blue"))
        boris.until(sees(boris, ""))


class Quick(Listener):
    """Somebody who sits down again in the very moment in which his game comes anew, as he has left: nothing of it is here yet."""

    def _note(self, note: Note) -> None:
        super()._note(note)
        if isinstance(note, Anew) and note.viewer == "":
            self.games.send(protocol.TakeSeat(GAME, "blue"))


def test_who_sits_down_again_while_the_game_comes_anew_signs_that_anew(dark: DarkHost, client: NewClient) -> None:
    """As he sat there he saw no signatures: the server knew the one by which he had sat down, and said that it was not his key's."""
    anna = client("Anna")
    anna.games.send(protocol.CreateGame(GAME, "ambush", "ambush", terms=Terms(spectators=SpectatorTerms("open"))))
    anna.sit("red")
    boris = Quick(dark.address, "Boris")
    with closing(boris.games):
        boris.wait(lambda note: isinstance(note, Up))
        boris.sit("blue")
        boris.games.send(protocol.LeaveSeat(GAME, "blue"))
        boris.wait(lambda note: isinstance(note, Anew) and note.viewer == "blue")
    assert not any(isinstance(note, Answered) and note.refused is not None for note in boris.said)


def test_who_looks_on_as_another_viewer_from_now_on_is_told_again_how_the_seats_stand(dark: DarkHost, client: NewClient) -> None:
    anna, boris, carla, umpire = client("Anna"), client("Boris"), client("Carla"), client("Owner")
    anna.games.send(protocol.CreateGame(GAME, "ambush", "ambush", terms=Terms(spectators=SpectatorTerms("open", 2))))
    for one in (anna, boris, carla, umpire):
        one.games.follow(GAME)
        one.wait(lambda note: isinstance(note, Ready))
    anna.sit("red")
    boris.sit("blue")
    carla.wait(lambda note: isinstance(note, Anew) and note.viewer == "")
    carla.wait(lambda note: isinstance(note, protocol.Waiting) and [line.player for line in note.chairs] == ["Anna", "Boris"])
    assert refused(umpire, table.do(umpire.games, GAME, "", Admit(SpectatorTerms("table", 2)))) == "None"
    carla.wait(lambda note: isinstance(note, Anew) and note.viewer == PUBLIC)
    carla.wait(lambda note: isinstance(note, protocol.Waiting) and [line.player for line in note.chairs] == ["Anna", "Boris"])


def test_who_is_shown_nothing_of_a_game_until_it_ends_is_not_told_when_something_happens_in_it(dark: DarkHost, client: NewClient) -> None:
    """The next entry brought how the seats stand, at each line anew: so he heard each order as it was given, an unseen one, too."""
    there, carla = begun(client, Terms(spectators=SpectatorTerms("closed"))), client("Carla")
    anna = there["red"]
    set_up(dark, there)
    carla.games.follow(GAME)
    carla.wait(lambda note: isinstance(note, Answered) and "closed" in str(note.refused))
    (told,) = (note for note in carla.said if isinstance(note, protocol.Waiting))
    assert [line.player for line in told.chairs] == ["Anna", "Boris"]
    for order in (Lay(AT), End()):
        anna.until(known_here(anna, dark, "red"))
        assert anna.give("red", order).refused is None
    carla.settle()
    assert [note for note in carla.said if isinstance(note, protocol.Waiting)] == [told]


@pytest.mark.parametrize("view", ["table", "open"])
def test_a_referee_hears_by_no_refusal_that_something_happened_which_he_can_not_see(dark: DarkHost, client: NewClient, view: str) -> None:
    """To go back to where the game stood for him was refused, until red had done something unseen: then red lost it."""
    there, rita = begun(client, Terms(referees=("Rita",), spectators=SpectatorTerms(view))), client("Rita")
    anna = there["red"]
    set_up(dark, there)
    rita.games.follow(GAME)
    rita.wait(lambda note: isinstance(note, Ready))
    head = rita.match.log.head
    stands = f"the game stands at entry {head}"
    assert goes_back(rita, head) == [stands, stands]
    anna.until(known_here(anna, dark, "red"))
    assert anna.give("red", Lay(AT)).refused is None
    laid = truth(dark).log.head
    told = goes_back(rita, head)
    assert told == ([stands, stands] if view == "table" else ["None", stands])  # who sees it takes it back
    assert (truth(dark).log.head == laid) == (view == "table")


def goes_back(referee: Listener, to: int) -> list[str]:
    """Ask in both ways to go to an entry; return why it is refused."""
    done = refused(referee, table.do(referee.games, GAME, "", Rewind(to)))
    referee.games.send(protocol.AskRewind(GAME, "", to))
    return [done, refused(referee, "")]


def sees(one: Listener, viewer: str, game: str = GAME) -> Callable[[], bool]:
    """Return whether a client has a game as this viewer; for a moment it has none, when it becomes another."""
    return lambda: (match := one.games.match(game)) is not None and match.viewer == viewer


def refused(one: Listener, order_id: str) -> str:
    answer = one.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
    assert isinstance(answer, Answered)
    return str(answer.refused)


def test_an_offer_stands_for_both_though_one_of_them_does_what_can_not_be_seen(dark: DarkHost, client: NewClient) -> None:
    there = begun(client)
    anna, boris = there["red"], there["blue"]
    set_up(dark, there)
    asked = table.do(boris.games, GAME, "blue", Offer("draw"))
    boris.wait(lambda note: isinstance(note, Answered) and note.order_id == asked)
    anna.until(known_here(anna, dark, "red"))
    head = anna.match.log.head
    assert anna.give("red", Lay(AT)).refused is None
    take_back(dark, there, "red", head, yes=True)
    boris.until(known_here(boris, dark, "blue"))
    offer = next(entry.number for entry in boris.match.log.entries if isinstance(entry.act, Offer))
    asked = table.do(boris.games, GAME, "blue", Withdraw(offer))
    answer = boris.wait(lambda note: isinstance(note, Answered) and note.order_id == asked)
    assert isinstance(answer, Answered)
    assert answer.refused is None


def test_a_delay_counts_what_its_spectator_may_know_alone(dark: DarkHost, client: NewClient) -> None:
    there, carla = begun(client, Terms(spectators=SpectatorTerms(delay_entries=2))), client("Carla")
    anna = there["red"]
    set_up(dark, there)
    carla.games.follow(GAME)
    carla.wait(lambda note: isinstance(note, Ready))
    known = len(carla.match.log)
    assert known == len(SeenLog(SETTING, truth(dark).log, PUBLIC).grow()) - 2
    for _ in range(2):
        anna.until(known_here(anna, dark, "red"))
        head = anna.match.log.head
        assert anna.give("red", Lay(AT)).refused is None
        take_back(dark, there, "red", head, yes=True)
    carla.settle()
    assert len(carla.match.log) == known

"""What owners do with a server: invites, roles, who is shut out, how it is, its end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import zmq

from client.connection.notes import Answered, Ready, Trouble
from client.program import program
from core import identity, protocol
from server.accounts import digest_of, mark_of
from server.admin import FAULTY, INVITES, MEMBERS, WHY
from tests.server.conftest import Host, Player, of, raw_line
from tests.server.doors import closed, heard, hello, invite, refusal, up, watched
from tests.server.test_play import open_game

NewPlayer = Callable[..., Player]


@pytest.mark.parametrize(
    "frame",
    [
        protocol.MakeInvite(), protocol.RevokeInvite("0"), protocol.GiveRole("Anna", "owner"), protocol.Kick("Boris"), protocol.AskStatus(),
        protocol.EndServer(),
    ],
)
def test_what_is_the_owners_is_refused_to_others(frame: protocol.Frame, player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    up(anna), up(boris)
    anna.games.send(frame)
    assert "for the owner" in refusal(anna)


def test_open_invites_are_listed_without_their_codes_and_taken_back_by_code_or_mark_for_good(host: Host, player: NewPlayer) -> None:
    closed(host)
    by_code, by_mark, used = invite(host), invite(host, "spectator", uses=3), invite(host)
    up(player("Carla", address=f"{host.address}?invite={used}"))
    owner = player("", of("Owner"))
    up(owner)

    def asked(frame: protocol.Frame) -> dict[str, int]:
        owner.games.send(frame)
        status = owner.wait(lambda note: isinstance(note, protocol.Status))
        assert isinstance(status, protocol.Status)
        assert by_code not in str(status)
        return {one.role: one.uses for one in status.invites}

    assert asked(protocol.AskStatus()) == {"player": 1, "spectator": 3}
    assert asked(protocol.RevokeInvite(by_code.upper())) == {"spectator": 3}
    assert asked(protocol.RevokeInvite(mark_of(digest_of(by_mark)))) == {}
    owner.games.send(protocol.RevokeInvite(by_mark))
    trouble = owner.wait(lambda note: isinstance(note, Trouble))
    assert "a code that is open here" in str(trouble)
    closed(host)
    for number, code in enumerate((by_code, by_mark)):
        assert "not good" in refusal(player(f"Late {number}", address=f"{host.address}?invite={code}"))


def test_an_owner_who_is_made_less_is_so_on_all_his_lines_also_where_he_has_no_name(player: NewPlayer) -> None:
    """A line on which he looked after the server without a name kept what an owner may."""
    nameless = player("", of("Owner"))
    up(nameless)
    named, other = player("Olga", of("Owner")), player("Boris")
    up(named)
    up(other)
    named.games.send(protocol.GiveRole("Boris", "owner"))
    named.wait(lambda note: isinstance(note, protocol.Status))
    other.games.send(protocol.GiveRole("Olga", "player"))
    other.wait(lambda note: isinstance(note, protocol.Status))
    nameless.games.send(protocol.MakeInvite("owner", 1, 7))
    assert "for the owner" in refusal(nameless)


def test_the_codes_that_an_owner_made_before_he_took_a_name_go_with_him(host: Host, player: NewPlayer) -> None:
    """One who was shut out came back by such a code, as an owner, and shut the other out."""
    nameless = player("", of("Owner"))
    up(nameless)
    nameless.games.send(protocol.MakeInvite("owner", 1, 7))
    made = nameless.wait(lambda note: isinstance(note, protocol.Invite))
    assert isinstance(made, protocol.Invite)
    named, other = player("Olga", of("Owner")), player("Boris")
    up(named)
    up(other)
    named.games.send(protocol.GiveRole("Boris", "owner"))
    named.wait(lambda note: isinstance(note, protocol.Status))
    other.games.send(protocol.Kick("Olga"))
    status = other.wait(lambda note: isinstance(note, protocol.Status) and any(one.is_shut_out for one in note.members))
    assert isinstance(status, protocol.Status)
    assert status.invites == ()
    closed(host)
    assert "not good" in refusal(player("Olga again", address=f"{host.address}?invite={made.code}"))


def test_whoever_is_shut_out_hears_so_and_comes_back_only_when_let_in_again(host: Host, player: NewPlayer) -> None:
    owner, boris = player("Olga", of("Owner")), player("Boris")
    assert up(owner).role == "owner"
    up(boris)
    owner.games.send(protocol.Kick("boris"))
    status = owner.wait(lambda note: isinstance(note, protocol.Status))
    assert isinstance(status, protocol.Status)
    assert {(one.name, one.is_shut_out) for one in status.members} == {("Olga", False), ("Boris", True)}
    assert "shut out" in refusal(boris)
    assert "does not let this key in" in refusal(player("Boris"))
    host.stop()
    host.start()
    assert "does not let this key in" in refusal(player("Boris"))
    owner = player("Olga", of("Owner"))
    up(owner)
    owner.games.send(protocol.GiveRole("Boris", "player"))
    owner.wait(lambda note: isinstance(note, protocol.Status))
    up(player("Boris"))


def test_whoever_is_shut_out_is_sent_no_more_of_what_he_followed(host: Host, player: NewPlayer) -> None:
    owner, boris = player("Olga", of("Owner")), player("Boris")
    open_game(owner)
    up(boris)
    boris.games.follow("first")
    boris.wait(lambda note: isinstance(note, Ready))
    owner.games.send(protocol.Kick("Boris"))
    owner.wait(lambda note: isinstance(note, protocol.Status))
    assert {session.player for session in host.service.sessions.followers("first")} == {"Olga"}
    assert host.service.sessions.of("Boris") == []


def test_the_lines_of_whoever_is_shut_out_are_ended_also_one_on_which_nothing_was_said_before(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes one of the files that the server may have open, and on each he went on sending."""
    monkeypatch.setattr("server.sessions.READ_S", 0.01)
    owner = player("Olga", of("Owner"))
    up(owner)
    with raw_line(host, of("Boris")) as boris, raw_line(host, of("Boris"), IMMEDIATE=1, SNDTIMEO=10_000) as silent:
        boris.send(hello("Boris"))
        assert isinstance(heard(boris), protocol.Welcome)
        assert silent.poll(10_000, zmq.POLLOUT), "no handshake"
        with watched(boris, zmq.EVENT_DISCONNECTED) as ended, watched(silent, zmq.EVENT_DISCONNECTED) as ended_too:
            owner.games.send(protocol.Kick("Boris"))
            said = heard(boris)
            assert isinstance(said, protocol.NotAccepted)
            assert "shut out" in str(said.text)
            assert ended.poll(10_000), "his line was kept"
            assert not ended_too.poll(0)
            silent.send(protocol.encode(protocol.Ping()))
            assert ended_too.poll(10_000), "his other line was kept"


def test_the_only_owner_stays_one(player: NewPlayer) -> None:
    owner = player("Olga", of("Owner"))
    up(owner)
    for frame in (protocol.Kick("Olga"), protocol.GiveRole("Olga", "player")):
        owner.games.send(frame)
        assert "only owner" in refusal(owner)


def test_of_very_many_names_the_status_tells_those_who_are_here_and_may_do_most(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.admin.MEMBERS", 2)
    for name in ("Anna", "Boris", "Carla"):
        one = player(name)
        up(one)
        one.games.close()
    owner, dora = player("Chief", of("Owner")), player("Dora")
    for here in (owner, dora):
        up(here)
    owner.games.send(protocol.AskStatus())
    status = owner.wait(lambda note: isinstance(note, protocol.Status))
    assert isinstance(status, protocol.Status)
    assert len(status.members) == 2
    assert status.unnamed == 3
    assert status.members[0].name == "Chief"
    assert [one.lines for one in status.members] == [1, 1]


def test_of_very_many_games_that_can_not_be_read_the_status_tells_as_many_as_a_message_holds(host: Host, player: NewPlayer) -> None:
    owner = player("Olga", of("Owner"))
    up(owner)
    host.service.faulty |= {f"game-{number:05}" + "g" * 50: "ValueError: " + "x" * 10_000 for number in range(3_000)}
    owner.games.send(protocol.AskStatus())
    status = owner.wait(lambda note: isinstance(note, protocol.Status))
    assert isinstance(status, protocol.Status)
    assert len(status.faulty) + status.unread == 3_000
    assert status.faulty["game-00000" + "g" * 50].startswith("ValueError: xxx")


def test_a_status_fits_a_message_whatever_its_people_and_games_are_called() -> None:
    letter, program = "\N{DESERET CAPITAL LETTER LONG I}", "x" * protocol.LONGEST_PROGRAM
    members = (protocol.Member(letter * 40, "spectator", True, "abcd-" * 5, 1 << 20, (program,) * protocol.MOST_PROGRAMS),) * MEMBERS
    faulty = {f"{number:064}": letter * WHY for number in range(FAULTY)}
    invites = (protocol.OpenInvite("m" * 64, "spectator", 1 << 20, protocol.LATEST_MS),) * INVITES
    worst = protocol.Status("x" * 64, 1 << 40, 1 << 40, 1 << 20, 1 << 20, 1 << 40, faulty, members, 1, letter * 1_000, 1, invites, True)
    assert len(protocol.encode(worst)) < protocol.MAX_FRAME


def test_the_status_tells_who_and_what_is_there(host: Host, player: NewPlayer) -> None:
    owner, anna = player("Olga", of("Owner")), player("Anna")
    open_game(anna)
    up(owner)
    status = status_of(owner)
    assert (status.games, status.connections, status.faulty) == (1, 2, {})
    assert status.memory > 1 << 20
    assert {(one.name, one.role, one.lines) for one in status.members} == {("Olga", "owner", 1), ("Anna", "player", 1)}
    assert [one.programs for one in status.members] == [(program(),)] * 2
    assert status.members[0].fingerprint == identity.fingerprint(of(status.members[0].name.replace("Olga", "Owner")).key)


def test_the_status_counts_no_line_that_was_closed(host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.admin.SILENT_S", 10_000.0)
    owner, anna = player("Olga", of("Owner")), player("Anna")
    up(owner)
    up(anna)
    status = status_of(owner)
    assert (status.connections, {one.name: one.lines for one in status.members}) == (2, {"Olga": 1, "Anna": 1})
    anna.games.close()
    for _ in range(1_000):  # how soon the system tells of a line's end is its own
        status = status_of(owner)
        if status.connections == 1:
            break
    assert (status.connections, {one.name: (one.lines, one.programs) for one in status.members}) == (
        1, {"Olga": (1, (program(),)), "Anna": (0, ())},
    )


def status_of(owner: Player) -> protocol.Status:
    owner.games.send(protocol.AskStatus())
    status = owner.wait(lambda note: isinstance(note, protocol.Status))
    assert isinstance(status, protocol.Status)
    return status


def test_an_owner_ends_only_a_server_that_was_lent_to_its_players(host: Host, player: NewPlayer) -> None:
    owner, status = player("Olga", of("Owner")), protocol.AskStatus()
    up(owner)

    def may_end() -> bool:
        owner.games.send(status)
        told = owner.wait(lambda note: isinstance(note, protocol.Status))
        assert isinstance(told, protocol.Status)
        return told.may_end

    assert not may_end()
    owner.games.send(protocol.EndServer())
    assert "whoever started it ends it there" in refusal(owner)
    host.service.ending = host._stop
    assert may_end()
    owner.games.send(protocol.EndServer())
    answer = owner.wait(lambda note: isinstance(note, Answered) and note.refused is None)
    assert isinstance(answer, Answered)
    assert answer.order_id == protocol.ENDED
    host._thread.join(10)
    assert not host._thread.is_alive()


def test_an_owner_without_a_name_can_take_back_what_he_gave(player: NewPlayer) -> None:
    owner, boris = player("", of("Owner")), player("Boris")
    up(owner)
    up(boris)
    given, taken = protocol.GiveRole("Boris", "owner"), protocol.GiveRole("Boris", "player")
    for frame in (given, taken, given, protocol.Kick("Boris")):
        owner.games.send(frame)
        assert isinstance(owner.wait(lambda note: isinstance(note, protocol.Status | Answered)), protocol.Status)

"""Who gets in, and as whom: real sockets, honest and forged."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec
import pytest
import zmq
import zmq.asyncio

from client.connection.games import Answered, Ready, Trouble, Up
from client.connection.identity import KnownServers
from client.program import program
from core import identity, protocol
from core.identity import Identity, curve_key
from core.log import Resign
from server import security
from server.accounts import digest_of, mark_of
from server.admin import FAULTY, INVITES, MEMBERS, WHY
from server.security import KNOWN_BURST, UNKNOWN_BURST, Gate, encrypt
from server.sessions import Sessions
from tests.server.conftest import SERVER, Host, Player, of, raw_line, signed
from tests.server.test_play import End, open_game, sit
from tests.server.test_shelf import put_away

NewPlayer = Callable[..., Player]
_watches = itertools.count()
OVER = zmq.EVENT_DISCONNECTED | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL


def hello(name: str, who: Identity | None = None, **more: object) -> bytes:
    return protocol.encode(protocol.Hello(protocol.VERSION, name, (who or of(name)).key, **more))  # type: ignore[arg-type]


def heard(socket: zmq.Socket[bytes]) -> protocol.FromServer:
    assert socket.poll(10_000), "no answer"
    return protocol.decode_from_server(socket.recv())


def is_thrown_out(socket: zmq.Socket[bytes], address: str) -> bool:
    """Connect, say hello, and wait until the other end has closed the line; say whether nothing came of it."""
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.SNDTIMEO, 0)
    with watched(socket, OVER) as monitor:
        socket.connect(address)
        with suppress(zmq.Again):
            socket.send(hello("Anna"))
        assert monitor.poll(10_000), "the line was kept"
        return not socket.poll(0)


@contextmanager
def watched(socket: zmq.Socket[bytes], events: int) -> Iterator[zmq.Socket[bytes]]:
    """Yield what tells of these events of a socket."""
    monitor = socket.get_monitor_socket(events, f"inproc://told-{next(_watches)}")
    try:
        yield monitor
    finally:
        socket.disable_monitor()  # before what it tells to is closed
        monitor.close(linger=0)


def curved(socket: zmq.Socket[bytes], who: Identity, server: Identity) -> zmq.Socket[bytes]:
    socket.setsockopt(zmq.CURVE_SERVERKEY, identity.curve_key(server.key))
    socket.setsockopt(zmq.CURVE_PUBLICKEY, identity.curve_key(who.key))
    socket.setsockopt(zmq.CURVE_SECRETKEY, who.curve_secret())
    return socket


def refusal(one: Player) -> str:
    answer = one.wait(lambda note: isinstance(note, Answered) and note.refused is not None)
    assert isinstance(answer, Answered)
    return str(answer.refused)


def up(one: Player) -> Up:
    note = one.wait(lambda note: isinstance(note, Up))
    assert isinstance(note, Up)
    return note


def invite(host: Host, role: protocol.Role = "player", *, uses: int = 1) -> str:
    """Let the owner make an invite over his own line."""
    owner = Player(host.address, "", of("Owner"))
    try:
        up(owner)
        owner.games.send(protocol.MakeInvite(role, uses, 7))
        made = owner.wait(lambda note: isinstance(note, protocol.Invite))
        assert isinstance(made, protocol.Invite)
        return made.code
    finally:
        owner.games.close()


def closed(host: Host) -> None:
    """Start the server anew as one that newcomers are invited to."""
    host.stop()
    host.start(is_open=False)


# -------------------------------------------------------------------- the handshake


def test_a_client_without_curve_gets_nothing(host: Host) -> None:
    with closing(zmq.Context.instance().socket(zmq.DEALER)) as plain:
        assert is_thrown_out(plain, host.place.tcp)


def test_a_client_that_knows_another_key_of_the_server_gets_nothing(host: Host) -> None:
    with closing(zmq.Context.instance().socket(zmq.DEALER)) as lost:
        assert is_thrown_out(curved(lost, of("Anna"), of("Somebody")), host.place.tcp)


def test_a_key_that_is_known_is_limited_for_itself_alone_wherever_it_comes_from() -> None:
    """One member with very many lines kept everybody else out."""
    now = [0.0]
    gate = Gate(lambda user: True, lambda user: False, clock=lambda: now[0])
    keys = {name: [curve_key(of(name).key)] for name in ("Mallory", "Anna")}
    for _ in range(KNOWN_BURST):
        assert gate.decide("127.0.0.1", b"CURVE", keys["Mallory"])[0] == b"200"
    assert gate.decide("10.0.0.7", b"CURVE", keys["Mallory"])[0] == b"300"
    assert gate.decide("10.0.0.7", b"CURVE", keys["Anna"])[0] == b"200"
    now[0] += 1
    assert gate.decide("10.0.0.7", b"CURVE", keys["Mallory"])[0] == b"200"


@pytest.mark.parametrize(("address", "another"), [("2001:db8:1:2::7", "2001:db8:1:2:ffff::8"), ("::ffff:10.0.0.7", "10.0.0.7"), ("?", "?")])
def test_all_addresses_of_one_network_of_ipv6_are_counted_as_one(address: str, another: str) -> None:
    """Whoever has such a network has more addresses than anybody can count, and took a fresh one for each name."""
    gate, keys = Gate(lambda user: False, lambda user: False, clock=lambda: 0.0), [curve_key(of("Mallory").key)]
    for _ in range(UNKNOWN_BURST):
        assert gate.decide(address, b"CURVE", keys)[0] == b"200"
    assert gate.decide(another, b"CURVE", keys)[0] == b"300"
    assert gate.decide("2001:db8:1:3::7", b"CURVE", keys)[0] == b"200"


def test_of_one_network_of_ipv6_no_more_names_are_taken_than_of_one_address(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = iter(["2001:db8:1:2::7", "2001:db8:1:2::8"])
    comes_over = host.service.sessions.comes_over
    monkeypatch.setattr(
        host.service.sessions, "comes_over", lambda session, line, address: comes_over(session, line, next(addresses))
    )
    host.service.naming = security.Limit(1, 1.0, clock=lambda: 0.0)
    player("Boris").wait(lambda note: isinstance(note, Up))
    assert "too many names" in refusal(player("Carla"))


def test_where_no_gate_is_open_nobody_gets_in() -> None:
    with zmq.Context() as context, closing(context.socket(zmq.ROUTER)) as router:
        encrypt(router, SERVER)
        port = router.bind_to_random_port("tcp://127.0.0.1")
        with closing(zmq.Context.instance().socket(zmq.DEALER)) as one:
            assert is_thrown_out(curved(one, of("Anna"), SERVER), f"tcp://127.0.0.1:{port}")
        assert not router.poll(0)


def test_a_second_gate_in_one_context_is_refused() -> None:
    async def open_two() -> None:
        context = zmq.asyncio.Context()
        gate = Gate(lambda user: True, lambda user: False)
        first = gate.open(context)
        try:
            with pytest.raises(zmq.ZMQError, match="in use"):
                gate.open(context)
        finally:
            first.cancel()
            await asyncio.wait([first])
            context.term()

    asyncio.run(open_two())


def test_a_routing_id_of_ones_own_is_refused_so_that_nobody_can_wait_for_anothers_mail(host: Host) -> None:
    with raw_line(host, of("Mallory"), ROUTING_ID=b"alice") as mallory:  # type: ignore[arg-type]
        mallory.send(hello("Mallory"))
        answer = heard(mallory)
        assert isinstance(answer, protocol.Failed)
        assert (answer.where, answer.expected, answer.got) == ("routing id", "one that the server chose", "b'alice'")
        mallory.send(protocol.encode(protocol.ListGames()))
        assert isinstance(heard(mallory), protocol.Failed)


def test_a_line_under_the_routing_id_of_another_ends_nothing_and_hears_nothing_of_it(host: Host) -> None:
    with raw_line(host, of("Anna"), ROUTING_ID=b"alice") as anna, watched(anna, zmq.EVENT_DISCONNECTED) as ended:  # type: ignore[arg-type]
        anna.send(hello("Anna"))
        assert isinstance(heard(anna), protocol.Failed)
        with closing(zmq.Context.instance().socket(zmq.DEALER)) as mallory:
            mallory.setsockopt(zmq.ROUTING_ID, b"alice")
            mallory.setsockopt(zmq.LINGER, 0)
            with watched(curved(mallory, of("Mallory"), SERVER), zmq.EVENT_HANDSHAKE_SUCCEEDED) as met:
                mallory.connect(host.place.tcp)
                assert met.poll(10_000), "no handshake"
            with raw_line(host, of("Boris")) as boris:  # who comes after Mallory is taken in after him
                boris.send(hello("Boris"))
                assert isinstance(heard(boris), protocol.Welcome)
            anna.send(hello("Anna"))
            assert isinstance(heard(anna), protocol.Failed)
            assert not ended.poll(0), "Anna's line was ended"
            assert not mallory.poll(0)


def test_a_routing_id_is_nobodys_name() -> None:
    known = Sessions()
    anna = known.heard(b"\0abcd", "anna's key")
    anna.player = "Anna"
    assert known.heard(b"\0abcd", "anna's key") is anna
    mallory = known.heard(b"\0abcd", "mallory's key")
    assert (mallory.player, known.knows(anna)) == ("", False)


def test_the_key_of_a_hello_must_be_that_of_the_connection(host: Host) -> None:
    with raw_line(host, of("Mallory")) as mallory:
        mallory.send(hello("Anna", of("Anna")))
        answer = heard(mallory)
        assert isinstance(answer, protocol.Failed)
        assert answer.where == "hello: key"


def test_another_version_is_told_both_versions(host: Host) -> None:
    with raw_line(host, of("Anna")) as old:
        old.send(msgspec.msgpack.encode({"frame": "hello", "version": 1, "name": "Anna", "token": b"t" * 32, "program": "rasputitsa 0.1"}))
        answer = heard(old)
        assert isinstance(answer, protocol.NotAccepted)
        assert "speaks version 3 of the protocol, and your program rasputitsa 0.1 version 1" in str(answer.text)


def test_a_message_that_is_too_long_ends_its_own_line_only(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    with raw_line(host, of("Mallory")) as mallory:
        mallory.send(hello("Mallory"))
        assert isinstance(heard(mallory), protocol.Welcome)
        mallory.send(bytes(protocol.MAX_ASKED + 1))
    open_game(anna)


# -------------------------------------------------------------------- invites, names, roles


def test_a_newcomer_without_an_invite_gets_no_further_than_hello(host: Host, player: NewPlayer) -> None:
    closed(host)
    stranger = player("Stranger")
    assert "needs an invite code" in refusal(stranger)
    with raw_line(host, of("Stranger")) as raw:
        for frame in (protocol.ListGames(), protocol.Follow("g"), protocol.AskStatus()):
            raw.send(protocol.encode(frame))
            assert isinstance(heard(raw), protocol.WhoAreYou)


def test_an_invite_lets_one_newcomer_in_and_he_needs_it_no_more(host: Host, player: NewPlayer) -> None:
    closed(host)
    code = invite(host)
    link = msgspec.structs.replace(host.place, invite=code.upper()).link
    assert up(player("Anna", address=link)).role == "player"
    assert up(player("Anna")).name == "Anna"
    assert "not good" in refusal(player("Boris", address=link))


def test_an_invite_of_several_uses_lets_so_many_in_in_its_role(host: Host, player: NewPlayer) -> None:
    closed(host)
    link = msgspec.structs.replace(host.place, invite=invite(host, "spectator", uses=2)).link
    watchers = [player(name, address=link) for name in ("Anna", "Boris")]
    assert [up(one).role for one in watchers] == ["spectator", "spectator"]
    assert "not good" in refusal(player("Carla", address=link))
    watchers[0].games.send(protocol.CreateGame("g", "toy", "duel"))
    assert "you are a spectator" in refusal(watchers[0])


def test_invite_codes_can_not_be_tried_for_ever(host: Host) -> None:
    closed(host)
    said = []
    for number in range(security.CODE_BURST + 1):
        with raw_line(host, of(f"Mallory {number}")) as raw:
            raw.send(hello(f"Mallory {number}", invite="guess"))
            answer = heard(raw)
            assert isinstance(answer, protocol.NotAccepted)
            said.append(str(answer.text))
    assert "not good" in said[-2]
    assert "too many invite codes" in said[-1]


def test_a_club_behind_one_address_comes_in_by_good_codes_however_many_they_are(host: Host, player: NewPlayer) -> None:
    closed(host)
    host.service.codes = security.Limit(2, 0.0)
    code = invite(host, uses=4)
    for number in range(4):
        assert up(player(f"Member {number}", address=f"{host.address}?invite={code}")).role == "player"
    for _ in range(2):
        with raw_line(host, of("Mallory")) as raw:
            raw.send(hello("Mallory", invite=code))
            assert "not good" in str(heard(raw).text)  # type: ignore[union-attr]
    with raw_line(host, of("Mallory")) as raw:
        raw.send(hello("Mallory", invite=invite(host)))  # else he could guess on and on
        assert "too many invite codes" in str(heard(raw).text)  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["ANNA", "Аnnа", "Anná", "Ａnna"])
def test_names_that_look_alike_are_one_name(name: str, host: Host, player: NewPlayer) -> None:
    up(player("Anna"))
    assert "who is somebody else here" in refusal(player(name, of("Mallory")))


def test_a_key_has_one_name(player: NewPlayer) -> None:
    up(player("Anna"))
    assert up(player("", of("Anna"))).name == "Anna"
    assert "known here as Anna, not as Boris" in refusal(player("Boris", of("Anna")))


def test_a_new_key_without_a_name_is_asked_for_one(player: NewPlayer) -> None:
    trouble = player("", of("Nameless")).wait(lambda note: isinstance(note, Trouble))
    assert "a name, as your key is new here" in str(trouble)


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


def test_who_looks_after_the_server_without_a_name_is_counted_as_no_player(host: Host, player: NewPlayer) -> None:
    up(player("", of("Owner")))
    up(player("Anna"))
    assert host.service.counts() == (0, 1)


def test_who_has_gone_is_announced_as_no_player_any_more(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    up(anna)
    up(player("Boris"))
    anna.games.close()
    host.hears_nothing_of("Anna")
    assert host.service.counts() == (0, 1)


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
    invites = (protocol.OpenInvite("m" * 64, "spectator", 1 << 20, 1 << 45),) * INVITES
    worst = protocol.Status("x" * 64, 1 << 40, 1 << 40, 1 << 20, 1 << 20, 1 << 40, faulty, members, 1, letter * 1_000, 1, invites, True)
    assert len(protocol.encode(worst)) < protocol.MAX_FRAME


def test_the_status_tells_who_and_what_is_there(host: Host, player: NewPlayer) -> None:
    owner, anna = player("Olga", of("Owner")), player("Anna")
    open_game(anna)
    up(owner)
    owner.games.send(protocol.AskStatus())
    status = owner.wait(lambda note: isinstance(note, protocol.Status))
    assert isinstance(status, protocol.Status)
    assert (status.games, status.connections, status.faulty) == (1, 2, {})
    assert status.memory > 1 << 20
    assert {(one.name, one.role, one.lines) for one in status.members} == {("Olga", "owner", 1), ("Anna", "player", 1)}
    assert [one.programs for one in status.members] == [(program(),)] * 2
    assert status.members[0].fingerprint == identity.fingerprint(of(status.members[0].name.replace("Olga", "Owner")).key)


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


# -------------------------------------------------------------------- signed orders


def test_an_order_is_taken_only_with_the_signature_of_its_giver_for_this_moment(player: NewPlayer) -> None:
    anna = player("Anna")
    match = open_game(anna)
    sit(anna, "first", "red")
    sit(anna, "first", "blue")
    order = match.codec.encode(End())
    bare = protocol.Give("first", "red", "bare", match.log.moved_at, order)
    forged = signed(of("Mallory"), match, msgspec.structs.replace(bare, order_id="forged"))
    elsewhere = msgspec.structs.replace(signed(of("Anna"), match, msgspec.structs.replace(bare, side="blue")), side="red", order_id="side")
    for frame in (bare, forged, elsewhere):
        anna.games.send(frame)
        assert "not signed by the key of Anna" in refusal(anna)
    good = signed(of("Anna"), match, msgspec.structs.replace(bare, order_id="good"))
    anna.games.send(good)
    answer = anna.wait(lambda note: isinstance(note, Answered))
    assert isinstance(answer, Answered)
    assert answer.refused is None
    with anna.games.reading():
        entry = next(entry for entry in match.log.entries if entry.order)
    before = match.log.entries[bare.seq].hash
    message = identity.order_message("first", "red", bare.seq, before, entry.order)
    assert identity.verify(of("Anna").key, message, entry.signature)


def test_a_signed_order_can_not_be_given_again_at_another_moment(player: NewPlayer) -> None:
    anna = player("Anna")
    match = open_game(anna)
    sit(anna, "first", "red")
    sit(anna, "first", "blue")
    frame = signed(of("Anna"), match, protocol.Give("first", "red", "one", match.log.moved_at, match.codec.encode(End())))
    anna.games.send(frame)
    anna.wait(lambda note: isinstance(note, Answered))
    anna.games.give("first", "blue", End())
    anna.wait(lambda note: isinstance(note, Answered))
    with anna.games.reading():
        now = match.log.moved_at
    anna.games.send(msgspec.structs.replace(frame, order_id="two", seq=now))
    assert "not signed" in refusal(anna)


# -------------------------------------------------------------------- the server's key


def test_a_servers_key_is_asked_for_once_shown_and_remembered(host: Host, player: NewPlayer, tmp_path: Path) -> None:
    known = KnownServers(tmp_path / "known" / "servers.json")
    first = up(player("Anna", address=host.place.tcp, known=known))
    assert (first.is_new, first.server) == (True, SERVER.key)
    again = KnownServers(tmp_path / "known" / "servers.json")
    assert not up(player("Anna", address=host.place.tcp, known=again)).is_new
    met = again.get(host.place.place)
    assert met is not None
    assert (met.key, met.name) == (SERVER.key, "Anna")


def test_a_server_that_can_not_be_remembered_is_joined_all_the_same_and_that_is_told(host: Host, player: NewPlayer, tmp_path: Path) -> None:
    known = KnownServers(tmp_path / "known" / "servers.json")
    (tmp_path / "known").write_bytes(b"a file where the folder should be")
    anna = player("Anna", address=host.place.tcp, known=known)
    assert "a file that keeps the servers" in str(anna.wait(lambda note: isinstance(note, Trouble)))
    open_game(anna)


def test_another_key_at_a_known_address_is_refused_until_the_old_one_is_forgotten(host: Host, player: NewPlayer) -> None:
    known = KnownServers()
    known.remember(host.place.place, of("the server before").key)
    words = refusal(player("Anna", address=host.place.tcp, known=known))
    assert "shows another key than before" in words
    assert identity.fingerprint(SERVER.key) in words
    assert f"rasputitsa join --forget {host.place.place}" in words
    assert known.forget(host.place.place)
    up(player("Anna", address=host.place.tcp, known=known))


def test_a_link_with_another_key_than_the_remembered_one_is_refused(player: NewPlayer) -> None:
    known = KnownServers()
    known.remember("192.0.2.77:5757", of("the server before").key)
    link = f"rasputitsa://192.0.2.77:5757/{of('somebody').key}"
    assert "shows another key than before" in refusal(player("Anna", address=link, known=known))


# -------------------------------------------------------------------- secrets


def test_neither_store_nor_log_nor_wire_file_holds_a_secret(host: Host, player: NewPlayer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    code = invite(host)
    anna = player("Anna", address=msgspec.structs.replace(host.place, invite=code).link)
    open_game(anna)
    sit(anna, "first", "red")
    anna.games.give("first", "red", End())
    anna.wait(lambda note: isinstance(note, Answered))
    up(player("Stranger"))
    host.stop()
    kept = b"".join(file.read_bytes() for file in host.data.rglob("*") if file.is_file()) + caplog.text.encode()
    kept += repr([record.__dict__ for record in caplog.records]).encode()
    assert of("Anna").key.encode() in kept  # what is looked at is what was written
    for name, secret in {
        "code": code.encode(), "bare code": code.replace("-", "").encode(),
        "Anna's seed": hashlib.sha256(b"Anna").digest(), "Anna's line": of("Anna").curve_secret(),
        "the server's seed": b"s" * 32, "the server's line": SERVER.curve_secret(),
    }.items():
        for form in (secret, secret.hex().encode(), repr(secret).encode()):
            assert form not in kept, name
    host.start()


def test_ready_is_told_of_games_that_are_followed_over_an_encrypted_line(player: NewPlayer) -> None:
    anna, boris = player("Anna"), player("Boris")
    open_game(anna)
    up(boris)
    boris.games.follow("first")
    boris.wait(lambda note: isinstance(note, Ready))


def test_many_hellos_of_one_connection_are_one_line_of_the_log(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    eve = of("Eve")
    hello = protocol.encode(protocol.Hello(protocol.VERSION, "Eve", eve.key))
    with caplog.at_level("INFO", "rasputitsa.server"), raw_line(host, eve) as line:
        for _ in range(20):
            line.send(hello)
        for _ in range(20):
            assert line.poll(5_000)
            assert isinstance(protocol.decode_from_server(line.recv()), protocol.Welcome)
    assert [record.getMessage() for record in caplog.records].count("hello") == 1


def test_the_log_says_of_who_is_new_that_he_is_and_has_no_empty_names(
    host: Host, player: NewPlayer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", "rasputitsa.server"):
        for name, who in (("", of("Owner")), ("", of("Owner")), ("Anna", of("Anna")), ("Anna", of("Anna"))):
            up(player(name, who))
    told = [{name: vars(record)[name] for name in ("player", "role", "new") if name in vars(record)} for record in caplog.records
            if record.getMessage() == "hello"]
    assert told == [{"role": "owner"}] * 2 + [{"player": "Anna", "role": "player", "new": True}, {"player": "Anna", "role": "player"}]


def test_names_of_an_open_server_are_taken_from_one_address_so_fast_and_no_faster(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever took one a second had all ten thousand in three hours, for good."""
    anna = player("Anna")
    anna.wait(lambda note: isinstance(note, Up))
    code = asyncio.run_coroutine_threadsafe(host.service.accounts.invite("player", uses=1, days=1), host._loop).result(10)
    monkeypatch.setattr("server.security.is_loopback", lambda address: False)
    host.service.naming = security.Limit(1, 1.0, clock=lambda: 0.0)
    player("Boris").wait(lambda note: isinstance(note, Up))
    refused = player("Carla").wait(lambda note: isinstance(note, Answered))
    assert "too many names" in str(refused)
    player("Dora", address=f"{host.address}?invite={code}").wait(lambda note: isinstance(note, Up))
    player("Anna").wait(lambda note: isinstance(note, Up))  # who has a name comes in


def test_orders_and_whole_games_are_taken_and_sent_so_fast_and_no_faster(host: Host, player: NewPlayer) -> None:
    """Each order is kept for ever, on the host's disk; and who asked for a long game on and on kept all others from playing."""
    anna = player("Anna")
    match = open_game(anna)
    for side in ("red", "blue"):
        sit(anna, "first", side)
    host.service.ordering = security.Limit(1, 1.0, clock=lambda: 0.0)

    def given() -> str:
        anna.until(lambda: anna.games.match("first") is not None)
        with anna.games.reading():
            side = match.view.side_to_act()
        order_id = anna.games.give("first", side, End())
        answer = anna.wait(lambda note: isinstance(note, Answered) and note.order_id == order_id)
        assert isinstance(answer, Answered)
        return str(answer.refused)

    assert given() == "None"
    assert "more orders than anybody can" in given()
    host.service.catching = security.Limit(2, 1.0, clock=lambda: 0.0)
    boris = player("Boris")
    boris.wait(lambda note: isinstance(note, Up))
    for _ in range(2):
        boris.games.follow("first")
        boris.wait(lambda note: isinstance(note, Ready))
    boris.games.follow("first")
    assert "more of games than anybody can read" in str(boris.wait(lambda note: isinstance(note, Answered)))


def test_games_that_were_put_away_and_packs_are_read_so_fast_and_no_faster_whatever_asks_for_them(host: Host, player: NewPlayer) -> None:
    """By a line of chat, or an order, for each of its games somebody had a server hold all of them in memory."""
    anna, eve = player("Anna"), player("Eve")
    open_game(anna)
    pack = host.service.rooms["first"].stored.pack
    up(eve)

    def asked(frame: protocol.Frame) -> str:
        eve.games.send(frame)
        return str(eve.wait(lambda note: isinstance(note, Answered | Trouble)))

    anna.games.unfollow("first")
    frames = [
        protocol.DoAct("first", "red", "act", Resign("red")), protocol.ListAnswers("first", "red"), protocol.LeaveSeat("first", "red"),
        protocol.Give("first", "red", "give", 0, b"", bytes(64)), protocol.CreateGame("first", "toy", "duel"),
        protocol.Say("first", "side:red", "say", "psst"), protocol.ReadChat("first"),
        protocol.ShowLink("first", 1, bytes(32), bytes(32), bytes(64)),
    ]
    for frame in frames:
        host.service.catching = security.Limit(1, 1.0, clock=lambda: 0.0)
        for refused in (False, True):
            anna.until(lambda: not host.service.sessions.followers("first"))
            put_away(host, "first")
            if isinstance(frame, protocol.ReadChat | protocol.CreateGame) and not refused:
                eve.games.send(frame)  # there may be nothing to answer
                eve.until(lambda: "first" in host.service.rooms.loaded)
            else:
                assert ("more of games than" in asked(frame)) == refused, frame
    host.service.catching = security.Limit(1, 0.0, clock=lambda: 0.0)
    with raw_line(host, of("Eve")) as line:
        line.send(hello("Eve"))
        assert isinstance(heard(line), protocol.Welcome)
        for wanted in (protocol.PackPart, protocol.NotAccepted):
            line.send(protocol.encode(protocol.NeedPack(pack)))
            while isinstance(frame_heard := heard(line), protocol.PackPart) and frame_heard.left:
                continue
            assert isinstance(frame_heard, wanted)


def test_of_who_has_asked_for_more_than_anybody_can_read_no_game_is_read(host: Host, player: NewPlayer) -> None:
    anna, eve = player("Anna"), player("Eve")
    open_game(anna)
    up(eve)
    anna.games.unfollow("first")
    anna.until(lambda: not host.service.sessions.followers("first"))
    put_away(host, "first")
    host.service.catching = security.Limit(1, 0.0)
    host.service.catching.take("Eve")
    eve.games.send(protocol.Follow("first"))
    assert "more of games than anybody can read" in str(eve.wait(lambda note: isinstance(note, Answered)))
    assert "first" not in host.service.rooms.loaded


def test_who_waits_for_a_game_that_is_not_there_yet_has_asked_for_nothing_that_is_read(host: Host, player: NewPlayer) -> None:
    anna = player("Anna")
    host.service.catching = security.Limit(2, 0.0)
    with raw_line(host, of("Boris")) as raw:
        raw.send(hello("Boris"))
        assert isinstance(heard(raw), protocol.Welcome)
        for _ in range(3):
            raw.send(protocol.encode(protocol.Follow("first")))
            assert "a game of this server" in str(heard(raw))
        open_game(anna)
        raw.send(protocol.encode(protocol.Follow("first")))
        while not isinstance(answer := heard(raw), protocol.NotAccepted | protocol.Opened):
            pass
        assert isinstance(answer, protocol.Opened)


def test_whoever_says_that_he_knows_a_game_and_does_not_is_counted_all_that_he_is_sent(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "CATCH_ENTRIES", 1)
    anna = player("Anna")
    open_game(anna)
    for side in ("red", "blue"):
        sit(anna, "first", side)
    for asked in (protocol.Follow("first", 1_000, "", bytes(32)), protocol.Follow("first", 1_000, "red")):
        host.service.catching = security.Limit(3, 0.0)
        with raw_line(host, of("Boris")) as raw:
            raw.send(hello("Boris"))
            assert isinstance(heard(raw), protocol.Welcome)
            for _ in range(2):
                raw.send(protocol.encode(asked))
            while not isinstance(answer := heard(raw), protocol.NotAccepted):
                pass
            assert "more of games than anybody can read" in str(answer.text)


def test_a_limit_takes_many_at_once_and_all_of_it_where_more_is_asked_for() -> None:
    now = [0.0]
    limit = security.Limit(10, 1.0, clock=lambda: now[0])
    assert [limit.take("Anna", 6), limit.take("Anna", 6), limit.take("Anna", 4)] == [True, False, True]
    now[0] = 9.0
    assert not limit.take("Anna", 500)
    now[0] = 10.0
    assert limit.take("Anna", 500)
    assert not limit.take("Anna")

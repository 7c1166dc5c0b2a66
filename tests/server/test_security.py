"""Who gets in, and as whom: real sockets, honest and forged."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import msgspec
import pytest
import zmq
import zmq.asyncio

from client.connection.identity import KnownServers
from client.connection.notes import Answered, Ready, Trouble
from core import identity, protocol
from core.address import parse
from core.identity import Identity
from rasputitsa import join
from server.security import DOMAIN, REFUSED_BURST, Gate, encrypt
from server.sessions import Sessions
from tests.server.conftest import SERVER, Host, Player, of, raw_line, signed
from tests.server.doors import closed, heard, hello, invite, refusal, up, watched
from tests.server.test_play import End, open_game, sit

NewPlayer = Callable[..., Player]
OVER = zmq.EVENT_DISCONNECTED | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL


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


def curved(socket: zmq.Socket[bytes], who: Identity, server: Identity) -> zmq.Socket[bytes]:
    socket.setsockopt(zmq.CURVE_SERVERKEY, identity.curve_key(server.key))
    socket.setsockopt(zmq.CURVE_PUBLICKEY, identity.curve_key(who.key))
    socket.setsockopt(zmq.CURVE_SECRETKEY, who.curve_secret())
    return socket


# -------------------------------------------------------------------- the handshake


def test_a_client_without_curve_gets_nothing(host: Host) -> None:
    with closing(zmq.Context.instance().socket(zmq.DEALER)) as plain:
        assert is_thrown_out(plain, host.place.tcp)


def test_a_client_that_knows_another_key_of_the_server_gets_nothing(host: Host) -> None:
    with closing(zmq.Context.instance().socket(zmq.DEALER)) as lost:
        assert is_thrown_out(curved(lost, of("Anna"), of("Somebody")), host.place.tcp)


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


def test_a_server_that_has_come_to_another_address_is_not_new(host: Host, player: NewPlayer) -> None:
    known = KnownServers()
    known.remember("192.0.2.77:5757", SERVER.key)
    assert not up(player("Anna", address=host.place.tcp, known=known)).is_new


def test_a_server_that_can_not_be_remembered_is_joined_all_the_same_and_that_is_told(host: Host, player: NewPlayer, tmp_path: Path) -> None:
    known = KnownServers(tmp_path / "known" / "servers.json")
    (tmp_path / "known").write_bytes(b"a file where the folder should be")
    anna = player("Anna", address=host.place.tcp, known=known)
    told = anna.wait(lambda note: isinstance(note, Trouble))
    assert isinstance(told, Trouble)
    assert told.is_remark
    assert "this server is remembered no longer than this program runs" in told.text
    open_game(anna)


def test_the_games_of_a_server_that_can_not_be_remembered_are_listed(
    host: Host, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its line up `rasputitsa join` told no games, and a bot ended."""
    (tmp_path / "servers.json").mkdir()
    join._list(join.Joining(parse("ADDRESS", host.place.tcp), "Anna", of("Anna"), KnownServers(tmp_path / "servers.json")))
    printed = capsys.readouterr()
    assert "waits for" in printed.out
    assert "this server is remembered no longer than this program runs" in printed.err


def test_another_key_at_a_known_address_is_refused_until_the_old_one_is_forgotten(host: Host, player: NewPlayer) -> None:
    known = KnownServers()
    known.remember(host.place.place, of("the server before").key)
    words = refusal(player("Anna", address=host.place.tcp, known=known))
    assert "shows another key than before" in words
    assert identity.fingerprint(SERVER.key) in words
    assert f"rasputitsa join --forget {host.place.place}" in words
    assert known.forget(host.place.place)
    up(player("Anna", address=host.place.tcp, known=known))


@pytest.mark.parametrize("greeting", [f"rasputitsa 99 {SERVER.key}", "rasputitsa 99 unheard-of", "SSH-2.0-OpenSSH_9.6"])
def test_whoever_answers_for_a_known_server_in_clear_text_ends_no_line(
    host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch, greeting: str
) -> None:
    monkeypatch.setattr("client.connection.identity._greeting", lambda line, seconds: f"{greeting}\n".encode())
    known = KnownServers()
    known.remember(host.place.place, SERVER.key)
    up(player("Anna", address=host.place.tcp, known=known))


def test_another_key_of_another_version_is_another_key(host: Host, player: NewPlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    said = f"rasputitsa 99 {of('somebody').key}\n".encode()
    monkeypatch.setattr("client.connection.identity._greeting", lambda line, seconds: said)
    known = KnownServers()
    known.remember(host.place.place, SERVER.key)
    assert "shows another key than before" in refusal(player("Anna", address=host.place.tcp, known=known))
    assert "speaks version 99" in refusal(player("Boris", address=host.place.tcp, known=KnownServers()))


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




def test_of_refused_connections_the_log_tells_some_and_how_many_others_there_were(caplog: pytest.LogCaptureFixture) -> None:
    """One key wrote it full in a minute and a half, and what it had told before was gone."""
    now = [0.0]
    gate = Gate(lambda user: False, lambda user: True, clock=lambda: now[0])
    request = [b"1.0", b"1", DOMAIN, b"10.0.0.7", b"", b"CURVE", bytes(32)]
    with caplog.at_level("INFO", "rasputitsa.server.security"):
        for _ in range(1_000):
            assert gate._reply(request)[2] == b"400"
        now[0] += 60.0
        gate._reply(request)
    told = [vars(record) for record in caplog.records]
    assert len(told) == REFUSED_BURST + 1
    assert (told[-1]["address"], told[-1]["before"]) == ("10.0.0.7", 1_000 - REFUSED_BURST)

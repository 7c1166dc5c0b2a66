"""Names, keys and invites as pure facts: whatever comes in whatever order, a name is one key's, and a code lets in no more than it says."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import protocol
from core.errors import BadInput, Refused
from core.identity import Identity
from server import accounts as accounts_module
from server.accounts import Account, Accounts, user_of
from server.lookalikes import likeness
from server.security import CODE_BURST, Gate, Limit, check_role, is_loopback
from server.store.sqlite import SqliteStore

DAY_MS = 86_400_000
KEYS = [Identity(bytes([number]) * 32).key for number in range(1, 6)]
NAMES = ["Anna", "ANNA", "Аnna", "Boris", "Carla", "Dora"]


class Book:
    """Accounts over a store of their own, with a clock that is set by hand."""

    def __init__(self, folder: Path, *, is_open: bool = False) -> None:
        self.file = folder / "games.sqlite"
        self.now = 1_000_000
        self.is_open = is_open
        self.open()

    def open(self) -> None:
        self.store = SqliteStore(self.file)
        self.accounts = Accounts(self.store, is_open=self.is_open, now_ms=lambda: self.now)

    def again(self) -> None:
        self.store.close()
        self.open()

    def invite(self, role: protocol.Role = "player", *, uses: int = 1, days: int = 7) -> str:
        return asyncio.run(self.accounts.invite(role, uses=uses, days=days))

    def enter(self, key: str, name: str, code: str = "") -> Account:
        return asyncio.run(self.accounts.enter(key, name, code))


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    made = Book(tmp_path)
    yield made
    made.store.close()


def test_a_code_is_good_until_its_day(book: Book) -> None:
    code = book.invite(uses=2, days=1)
    book.now += DAY_MS
    assert book.enter(KEYS[0], "Anna", code).role == "player"
    book.now += 1
    with pytest.raises(Refused, match="too old"):
        book.enter(KEYS[1], "Boris", code)


def test_a_code_is_read_however_it_is_written(book: Book) -> None:
    code = book.invite(uses=3)
    for number, written in enumerate((code.upper(), code.replace("-", ""), f"  {code} ")):
        assert book.enter(KEYS[number], NAMES[number + 3], written).name == NAMES[number + 3]


def test_two_at_once_with_a_code_for_one_are_one(book: Book) -> None:
    code = book.invite()

    async def both() -> list[Account | BaseException]:
        entering = (book.accounts.enter(key, name, code) for key, name in ((KEYS[0], "Anna"), (KEYS[1], "Boris")))
        return await asyncio.gather(*entering, return_exceptions=True)

    found = asyncio.run(both())
    assert [type(one) for one in found] == [Account, Refused]


def test_whoever_is_known_waits_for_no_newcomers_name_to_be_durable(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    book.is_open = True
    book.again()
    book.enter(KEYS[0], "Anna")
    asyncio.run(book.accounts.own(KEYS[2]))
    disk: Future[None] = Future()

    async def meanwhile() -> list[Account]:
        asked = asyncio.Event()

        def stand_still(number: int, act: bytes) -> Future[None]:
            asked.set()
            return disk

        monkeypatch.setattr(book.store, "add_account_act", stand_still)
        boris = asyncio.create_task(book.accounts.enter(KEYS[1], "Boris", ""))
        await asked.wait()
        known = [book.accounts.enter(KEYS[0], "", ""), book.accounts.enter(KEYS[2], "", "")]
        came = [only_step(one) for one in known]
        disk.set_result(None)
        return [*came, await boris]

    assert [(one.name, one.role) for one in asyncio.run(meanwhile())] == [("Anna", "player"), ("", "owner"), ("Boris", "player")]


def only_step(entering: Coroutine[object, None, Account]) -> Account:
    """Return what comes of a coroutine that waits for nothing."""
    with pytest.raises(StopIteration) as ended:
        entering.send(None)
    account: Account = ended.value.value
    return account


def test_whoever_came_before_keys_had_his_name_and_nobody_takes_it_without_an_invite(tmp_path: Path) -> None:
    book = Book(tmp_path, is_open=True)
    book.store.write(lambda connection: connection.execute("INSERT INTO players VALUES ('Anna', x'00')")).result()
    book.again()
    with pytest.raises(Refused, match="before keys"):
        book.enter(KEYS[0], "anna")
    assert book.enter(KEYS[0], "anna", book.invite()).name == "anna"
    assert book.enter(KEYS[1], "Boris").name == "Boris"
    book.store.close()


def test_the_first_owner_stays_the_owner_whoever_starts_the_server_later(book: Book) -> None:
    asyncio.run(book.accounts.own(KEYS[0]))
    asyncio.run(book.accounts.own(KEYS[1]))
    book.again()
    assert book.enter(KEYS[0], "Olga").role == "owner"
    with pytest.raises(Refused, match="invite"):
        book.enter(KEYS[1], "Mallory")


def test_a_player_of_a_server_without_owner_can_become_one(book: Book) -> None:
    book.enter(KEYS[0], "Anna", book.invite())
    asyncio.run(book.accounts.own(KEYS[0]))
    book.again()
    assert book.accounts.named("ANNA").role == "owner"


def test_a_write_that_fails_lets_nobody_in(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    code = book.invite()
    book.store.write(lambda connection: connection.execute("INSERT INTO accounts VALUES (1, x'00')")).result()
    with pytest.raises(Exception, match="UNIQUE"):
        book.enter(KEYS[0], "Anna", code)
    assert book.accounts.of_user(user_of(KEYS[0])) is None


def test_an_open_server_that_strangers_have_filled_takes_whom_its_owner_invites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever filled ten thousand names shut it for ever, as no name is had back."""
    monkeypatch.setattr(accounts_module, "MAX_PLAYERS", 1)
    book = Book(tmp_path, is_open=True)
    book.enter(KEYS[0], "Anna")
    with pytest.raises(Refused, match="takes more by invite codes only"):
        book.enter(KEYS[1], "Boris")
    assert book.enter(KEYS[1], "Boris", book.invite()).name == "Boris"
    assert book.enter(KEYS[0], "Anna").name == "Anna"
    book.store.close()


ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("enter"), st.sampled_from(KEYS), st.sampled_from(NAMES), st.integers(0, 3)),
        st.tuples(st.just("invite"), st.integers(1, 2), st.sampled_from(["player", "spectator"]), st.just(0)),
        st.tuples(st.just("grant"), st.sampled_from(NAMES), st.sampled_from(["player", "referee", "owner"]), st.just(0)),
        st.tuples(st.just("shut out"), st.sampled_from(NAMES), st.just(""), st.just(0)),
        st.tuples(st.just("own"), st.sampled_from(KEYS), st.just(""), st.just(0)),
    ),
    max_size=14,
)


@given(acts=ACTS)
def test_names_stay_one_keys_and_codes_let_in_what_they_say(acts: list[tuple[str, object, object, int]]) -> None:
    store = _Memory()
    book = Accounts(store, now_ms=lambda: 5)  # type: ignore[arg-type]
    codes: list[tuple[str, int]] = []
    used: dict[str, int] = {}

    async def do(what: str, first: object, second: object, third: int) -> None:
        match what:
            case "enter":
                code = codes[third % len(codes)][0] if codes and third else ""
                before = len(book)
                await book.enter(str(first), str(second), code)
                if len(book) > before and not code:
                    assert book.of_user(user_of(str(first))).role == "owner"  # type: ignore[union-attr]
                used[code] = used.get(code, 0) + len(book) - before
            case "invite":
                codes.append((await book.invite(second, uses=int(str(first)), days=1), int(str(first))))  # type: ignore[arg-type]
            case "grant":
                await book.grant(str(first), second)  # type: ignore[arg-type]
            case "shut out":
                await book.shut_out(str(first))
            case _:
                await book.own(str(first))

    async def play() -> None:
        for act in acts:
            try:
                await do(*act)
            except (Refused, BadInput):
                continue

    asyncio.run(play())
    names = [likeness(account.name) for account in book]
    assert len(names) == len(set(names))
    assert all(used.get(code, 0) <= uses for code, uses in codes)
    assert sorted(Accounts(store, now_ms=lambda: 5), key=repr) == sorted(book, key=repr)  # type: ignore[arg-type]


class _Memory:
    """What accounts need of a store, in memory."""

    def __init__(self) -> None:
        self.acts: list[bytes] = []

    def old_names(self) -> list[str]:
        return []

    def account_acts(self) -> list[bytes]:
        return self.acts

    def add_account_act(self, number: int, act: bytes) -> object:
        from concurrent.futures import Future

        assert number == len(self.acts)
        self.acts.append(act)
        done: Future[None] = Future()
        done.set_result(None)
        return done


# -------------------------------------------------------------------- names that look alike


@pytest.mark.parametrize("name", [
    "Anna\ufe0f", "An\u034fna", "Anna\u3164", "Anna\u2800", "Anna\u180b", "Anna\U000e0061", "Anna\U000e0100", "Anna\U0001d173",
    "Anna\ue000", "\u3164", "\u0301", "Anna\u00a0B",
], ids=ascii)  # fmt: skip
def test_nobody_takes_a_name_with_letters_that_show_nothing(name: str, tmp_path: Path) -> None:
    book = Book(tmp_path, is_open=True)
    with pytest.raises(Refused, match=r"letters that can be seen, and this one has (U\+|accents)"):
        book.enter(KEYS[1], name)
    book.store.close()


@pytest.mark.parametrize("name", ["server", "SERVER"])
def test_nobody_takes_the_servers_own_name(name: str, tmp_path: Path) -> None:
    book = Book(tmp_path, is_open=True)
    with pytest.raises(Refused, match="is the server's own here"):
        book.enter(KEYS[1], name)
    book.store.close()


@pytest.mark.parametrize(("held", "wanted"), [
    ("Paul", "PauI"), ("PauI", "Paul"), ("Ilse", "llse"), ("BoriS", "Bori\u0405"), ("Gina", "\u0261ina"),
    ("Max", "\u039cax"), ("Hans", "\u0397ans"), ("Nina", "\u039dina"), ("Zoe", "\u0396oe"), ("Yuri", "\u03a5uri"), ("MaxI", "\u039caxl"),
    ("Yuri", "\u04aeuri"), ("Victor", "\u0475ictor"), ("Victor", "Vi\u03f2tor"), ("Boris", "B\u1d0fris"), ("TOM", "\ua4d4\ua4f3\ua4df"),
    ("uno", "\u057d\u0578\u0585"), ("SOS", "\u054f\u0555\u054f"), ("Abba", "\u15c5\u15f7\u15f7\u15c5"), ("Hall", "Ha\ua781l"),
    ("Hall", "Ha\u0196l"), ("Boris", "\u0412\u043e\u0433\u0456\u0455"), ("fox", "\uab35ox"), ("Oslo", "\u00d8slo"), ("Anna", "An\u043fa"),
    ("Jean-Paul", "Jean\u2010Paul"), ("O'Neil", "O\u2019Neil"), ("\u039c\u03b1\u03c1\u03af\u03b1", "\u039c\u0391\u03a1\u0399\u0391"),
])  # fmt: skip
def test_nobody_takes_a_name_that_reads_like_anothers(held: str, wanted: str, tmp_path: Path) -> None:
    book = Book(tmp_path, is_open=True)
    book.enter(KEYS[0], held)
    with pytest.raises(Refused, match=f"looks like {held}"):
        book.enter(KEYS[1], wanted)
    book.store.close()


@pytest.mark.parametrize("name", ["\u13aanna", "Ann\u0561", "\ua4eenna", "Pete\u0433", "\u0410\u03b4\u03b4a"], ids=ascii)
def test_nobody_takes_a_name_of_alphabets_that_may_be_taken_for_one_another(name: str, tmp_path: Path) -> None:
    book = Book(tmp_path, is_open=True)
    with pytest.raises(Refused, match="mixes letters that may be taken for one another"):
        book.enter(KEYS[1], name)
    book.store.close()


@pytest.mark.parametrize("name", ["\u2c80\u2c9a\u2c9a\u2c80", "\U00010315\U0001030f\U0001030c", "\U000102a1\U000102a0"], ids=ascii)
def test_nobody_takes_a_name_of_letters_in_which_nobody_writes_his_today(name: str, tmp_path: Path) -> None:
    book = Book(tmp_path, is_open=True)
    with pytest.raises(Refused, match="nobody writes his name today"):
        book.enter(KEYS[1], name)
    book.store.close()


def test_names_of_all_the_world_are_taken(tmp_path: Path) -> None:
    book = Book(tmp_path, is_open=True)
    for key, name in zip(KEYS, ("O\u02bbtkir Jürgen 2", "Дмитрий", "山田 Taro", "علي", "नेहा"), strict=True):
        assert book.enter(key, name).name == name
    book.store.close()


def test_of_two_names_that_an_earlier_program_took_for_different_ones_each_is_its_own(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "games.sqlite")
    for number, (key, name) in enumerate(zip(KEYS, ("Anna", "Anna\ufe0f"), strict=False)):
        store.add_account_act(number, accounts_module._encode(accounts_module.Named(name, key, "player", 1))).result(10)
    store.close()
    book = Book(tmp_path)
    assert [book.accounts.named(name).key for name in ("Anna", "Anna\ufe0f", "ANNA")] == [KEYS[0], KEYS[1], KEYS[0]]
    asyncio.run(book.accounts.shut_out("Anna\ufe0f"))
    assert [book.accounts.is_shut_out(user_of(key)) for key in KEYS[:2]] == [False, True]
    book.store.close()


# -------------------------------------------------------------------- the gate


def test_new_keys_from_one_address_are_let_in_only_so_many_a_minute() -> None:
    now = [0.0]
    gate = Gate(lambda user: False, lambda user: False, clock=lambda: now[0])
    keys = [bytes([n // 256, n % 256]) * 16 for n in range(200)]
    tried = [gate.decide("10.0.0.7", b"CURVE", [key])[0] for key in keys]
    assert tried.count(b"200") == 60
    assert set(tried[60:]) == {b"300"}
    assert gate.decide("10.0.0.8", b"CURVE", [keys[0]])[0] == b"200"
    assert gate.decide("127.0.0.1", b"CURVE", [keys[0]])[0] == b"200"
    now[0] += 5
    assert [gate.decide("10.0.0.7", b"CURVE", [key])[0] for key in keys[:6]].count(b"200") == 5


def test_a_known_key_is_let_in_however_many_strangers_come_from_its_address() -> None:
    from core.identity import key_text

    known = key_text(bytes(31) + b"\x01")
    gate = Gate(lambda user: user == known, lambda user: False)
    for number in range(100):
        gate.decide("10.0.0.7", b"CURVE", [bytes([number]) * 32])
    assert gate.decide("10.0.0.7", b"CURVE", [bytes(31) + b"\x01"]) == (b"200", b"OK", known)


@pytest.mark.parametrize(("mechanism", "credentials"), [
    (b"NULL", []), (b"PLAIN", [b"user", b"password"]), (b"CURVE", []), (b"CURVE", [b"short"]), (b"CURVE", [bytes(32), bytes(32)]),
])  # fmt: skip
def test_nothing_but_curve_gets_through(mechanism: bytes, credentials: list[bytes]) -> None:
    assert Gate(lambda user: True, lambda user: False).decide("10.0.0.7", mechanism, credentials)[0] == b"400"


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 3)), max_size=60))
def test_a_limit_gives_no_more_than_its_burst_and_rate(takes: list[tuple[int, float]]) -> None:
    now = [0.0]
    limit = Limit(CODE_BURST, 0.5, clock=lambda: now[0])
    given_: dict[str, int] = {}
    for who, pause in takes:
        now[0] += pause
        given_[str(who)] = given_.get(str(who), 0) + limit.take(str(who))
    assert all(count <= CODE_BURST + now[0] * 0.5 + 1e-6 for count in given_.values())


@pytest.mark.parametrize(("address", "own"), [
    ("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("::ffff:127.0.0.1", True), ("10.0.0.7", False), ("fe80::1%eth0", False),
    ("::ffff:10.0.0.7", False), ("", False), ("nonsense", False),
])  # fmt: skip
def test_what_is_this_machines_own(address: str, own: bool) -> None:
    assert is_loopback(address) is own


def test_without_a_name_only_looking_and_looking_after_is_allowed() -> None:
    check_role("", "owner", protocol.AskStatus())
    check_role("", "owner", protocol.ListGames())
    with pytest.raises(Refused, match="take a name first"):
        check_role("", "owner", protocol.CreateGame("g", "toy", "duel"))


@pytest.mark.parametrize("ends", ["shut_out", "made less"])
def test_nobody_comes_in_by_the_codes_of_an_owner_who_is_none_any_more(ends: str, book: Book) -> None:
    """One who was shut out came back by a code that he had made for himself, and owned the server again."""
    asyncio.run(book.accounts.own(KEYS[0]))
    book.enter(KEYS[0], "Anna")
    book.enter(KEYS[1], "Boris", book.invite("owner"))
    his = asyncio.run(book.accounts.invite("owner", uses=3, days=9, by="Boris"))
    hers = asyncio.run(book.accounts.invite("player", uses=3, days=9, by="Anna"))
    asyncio.run(book.accounts.shut_out("Boris") if ends == "shut_out" else book.accounts.grant("Boris", "player"))
    for _ in range(2):
        assert len(book.accounts.open_invites()) == 1
        with pytest.raises(Refused, match="not good"):
            book.enter(KEYS[2], "Carla", his)
        book.again()
    assert book.enter(KEYS[3], "Dora", hers).role == "player"
    with pytest.raises(Refused, match="for the owner"):
        asyncio.run(book.accounts.invite("owner", uses=1, days=1, by="Boris"))

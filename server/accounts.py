"""Names, keys, roles and invites of one server: the fold of what became of them, which the store keeps.

A name belongs to a key. A newcomer brings an invite code, unless the server is open; the code is stored hashed. Names that look alike are
one name here, so that nobody passes for another.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Literal

import msgspec

from core.errors import BadInput, Refused
from core.identity import PublicKey, curve_key, key_text
from core.protocol import NO_NAME, OWNER, Name, OpenInvite, Role
from core.shapes import decoder
from core.text import text
from core.witnesses import SERVER
from server.lookalikes import check_legible, check_of_one_alphabet, likeness, likenesses
from server.store.contract import Store
from server.store.durable import durable

MAX_PLAYERS = 10_000  # of an open server, after which it is open no more: strangers who fill it keep out nobody whom an owner invites
MAX_INVITES = 10_000
MAX_USES = 1_000
MAX_DAYS = 366
CODE_BYTES = 10
MARK_LETTERS = 8


class Named(msgspec.Struct, frozen=True, tag="named"):
    """A name came to belong to a key; *invite* is the hash of the code that let it in, empty where none was needed."""

    name: Name
    key: PublicKey
    role: Role
    time_ms: int
    invite: bytes = b""


class Granted(msgspec.Struct, frozen=True, tag="granted"):
    """A name was given a role; one that was shut out is let in again by it."""

    name: Name
    role: Role
    time_ms: int


class ShutOut(msgspec.Struct, frozen=True, tag="shut_out"):
    """A name's key may not connect any more."""

    name: Name
    time_ms: int


class Owned(msgspec.Struct, frozen=True, tag="owned"):
    """This key is an owner's, whatever name it takes."""

    key: PublicKey
    time_ms: int


class Invited(msgspec.Struct, frozen=True, tag="invited"):
    """An invite code of this hash lets *uses* newcomers in as *role*, until *until_ms*.

    *by* is the owner who made it, or his key where he had no name, empty if that was the host beside his server: nobody comes in by it any
    more once he is no owner.
    """

    digest: Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
    role: Role
    uses: int
    until_ms: int
    time_ms: int
    by: str = ""


class Revoked(msgspec.Struct, frozen=True, tag="revoked"):
    """The invite code of this hash lets nobody in any more."""

    digest: Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
    time_ms: int


AccountAct = Named | Granted | ShutOut | Owned | Invited | Revoked
_acts = decoder(AccountAct)
_encode = msgspec.msgpack.Encoder().encode


class Account(msgspec.Struct, frozen=True):
    """Who holds a name."""

    name: str
    key: PublicKey
    role: Literal["player", "spectator", "referee", "owner"]
    is_shut_out: bool = False


def user_of(key: PublicKey) -> str:
    """Return the user that the gate names for whoever holds a key; BadInput if it is no key."""
    return key_text(curve_key(key))


class Accounts:
    """All names of a server.

    Args:
        store: keeps what becomes of them.
        is_open: whether newcomers need no invite.
        now_ms: the wall clock.

    Raises:
        BadInput: what the store has kept can't be read.
    """

    def __init__(self, store: Store, *, is_open: bool = False, now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self.is_open = is_open
        self._store, self._now_ms = store, now_ms
        self._by_user: dict[str, Account] = {}
        self._by_name: dict[str, str] = {}  # → user
        self._by_likeness: dict[str, str] = {}  # → user, the first one
        self._taken_for: dict[str, str] = {}  # → user
        self._invites: dict[bytes, Invited] = {}
        self._used: dict[bytes, int] = {}
        self._owner_keys: set[PublicKey] = set()
        self._lock = asyncio.Lock()
        self._number = 0
        self._old_names = {likeness(name) for name in store.old_names()}
        for data in store.account_acts():
            self._fold(_act(data, self._number))

    def _fold(self, act: AccountAct) -> None:
        self._number += 1
        match act:
            case Named():
                user = user_of(act.key)
                self._by_user[user] = Account(act.name, act.key, act.role)
                self._by_name[act.name] = user
                self._by_likeness.setdefault(likeness(act.name), user)
                for one in likenesses(act.name):
                    self._taken_for.setdefault(one, user)
                if act.invite:
                    self._used[act.invite] = self._used.get(act.invite, 0) + 1
            case Granted():
                self._change(act.name, role=act.role, is_shut_out=False)
                if act.role != OWNER:
                    self._drop_invites(act.name)
            case ShutOut():
                self._change(act.name, is_shut_out=True)
                self._drop_invites(act.name)
            case Owned():
                self._owner_keys.add(act.key)
            case Invited():
                self._invites[act.digest] = act
            case Revoked():
                self._invites.pop(act.digest, None)

    def _change(self, name: str, **changes: object) -> None:
        user = user_of(self.named(name).key)
        self._by_user[user] = msgspec.structs.replace(self._by_user[user], **changes)

    def _drop_invites(self, name: str) -> None:
        """Let the codes of somebody who owns the server no more let nobody in: else he comes back by one, as an owner."""
        his = (name, self.named(name).key)
        self._invites = {digest: invite for digest, invite in self._invites.items() if invite.by not in his}

    async def _write(self, act: AccountAct) -> None:
        await durable(self._store.add_account_act(self._number, _encode(act)))
        self._fold(act)

    # ---------------------------------------------------------------- asking

    def of_user(self, user: str) -> Account | None:
        """Return who a user of the gate is, None if he has no name here."""
        return self._by_user.get(user)

    def named(self, name: str) -> Account:
        """Return who holds a name; BadInput if nobody does."""
        user = self._user_named(name)
        if user is None:
            raise BadInput.one("name", "a name that somebody holds here", name)
        return self._by_user[user]

    def is_held(self, name: str) -> bool:
        """Say whether somebody is called just so."""
        return name in self._by_name

    def _user_named(self, name: str) -> str | None:
        """Return who holds just this name, else one like it: earlier programs let some in that look alike."""
        return self._by_name.get(name, self._by_likeness.get(likeness(name)))

    def is_shut_out(self, user: str) -> bool:
        """Say whether a user's key was shut out."""
        account = self._by_user.get(user)
        return account is not None and account.is_shut_out

    def __iter__(self) -> Iterator[Account]:
        return iter(list(self._by_user.values()))

    def __len__(self) -> int:
        return len(self._by_user)

    @property
    def has_owner(self) -> bool:
        """Say whether an owner's key is known."""
        return bool(self._owner_keys) or any(account.role == OWNER for account in self)

    # ---------------------------------------------------------------- changing

    async def enter(self, key: PublicKey, name: str, code: str, *, suggested: str = "") -> Account:
        """Return who holds a key; one that is new here gets the name that it asks for, or else the *suggested* one.

        Raises:
            Refused: the name is another's, the key has another name, or there is no good invite.
            BadInput: no name is given and the key has none.
        """
        if (known := self._known(key, name, suggested)) is not None:
            return known  # he waits for no newcomer's name to be durable: games can be read on while the disk stands still
        async with self._lock:
            return self._known(key, name, suggested) or await self._newcomer(key, name or suggested, code)

    def _known(self, key: PublicKey, name: str, suggested: str) -> Account | None:
        """Return who holds a key as he asks to be known, None if it is new here; an owner looks after his server without a name as well."""
        if (known := self._by_user.get(user_of(key))) is not None:
            return _as_asked(known, key, name)
        return Account("", key, OWNER) if key in self._owner_keys and not (name or suggested) else None

    async def _newcomer(self, key: PublicKey, name: str, code: str) -> Account:
        if not name:
            raise BadInput.one(NO_NAME, "a name, as your key is new here", "none")
        check_legible(name)
        if likeness(name) == SERVER:  # his links would be taken for the server's, and he witness no dice
            raise Refused("", text("the name {name} is the server's own here", name=name))
        self._check_free(name)
        check_of_one_alphabet(name)
        role, invite = self._admission(key, name, code)
        await self._write(Named(name, key, role, self._now_ms(), invite))
        return self._by_user[user_of(key)]

    async def keep_names(self, keys: Mapping[str, PublicKey]) -> None:
        """Let names be theirs whose keys these are, as in a game that comes from another server; one without a key is anybody's.

        Raises:
            Refused: a name is, or looks like, somebody else's here, or a key has another name. Nothing has changed.
        """
        async with self._lock:
            new = [name for name, key in sorted(keys.items()) if key and not self._is_his(name, key)]
            if len({likeness(name) for name in new}) < len(new):
                raise Refused("", text("names that look alike: {names}", names=", ".join(new)))
            for name in new:
                await self._write(Named(name, keys[name], "player", self._now_ms()))

    def _is_his(self, name: str, key: PublicKey) -> bool:
        """Say whether a name is a key's already; Refused if either is another's."""
        known = self._by_user.get(user_of(key))
        if known is not None and known.name != name:
            raise Refused("", text("{name} is known here as {known}", name=name, known=known.name))
        if known is None:
            self._check_free(name)
        return known is not None

    def _check_free(self, name: str) -> None:
        holder = next((self._taken_for[one] for one in sorted(likenesses(name)) if one in self._taken_for), None)
        if holder is not None:
            theirs = self._by_user[holder].name
            if theirs == name:
                raise Refused("", text("the name {name} belongs to somebody else here", name=name))
            raise Refused("", text("the name {name} looks like {theirs}, who is somebody else here", name=name, theirs=theirs))

    def _admission(self, key: PublicKey, name: str, code: str) -> tuple[Role, bytes]:
        """Return the role of a newcomer, and the hash of the invite that he uses up."""
        if key in self._owner_keys:
            return OWNER, b""
        if code:
            if not self.lets_in(code):
                raise Refused("", text("this invite code is not good: unknown, used up, or too old"))
            return self._invites[digest_of(code)].role, digest_of(code)
        if likenesses(name) & self._old_names:
            raise Refused("", text("the name {name} was somebody's before keys: it is had again by an invite code only", name=name))
        if not self.is_open:
            raise Refused("", text("a newcomer needs an invite code here; the server's owner makes them"))
        if len(self) >= MAX_PLAYERS:
            raise Refused("", text("this server has {most} players and takes more by invite codes only", most=MAX_PLAYERS))
        return "player", b""

    async def own(self, key: PublicKey) -> None:
        """Make a key an owner's, if none is yet."""
        async with self._lock:
            if self.has_owner:
                return
            await self._write(Owned(key, self._now_ms()))
            known = self._by_user.get(user_of(key))
            if known is not None:
                await self._write(Granted(known.name, OWNER, self._now_ms()))

    async def invite(self, role: Role, *, uses: int, days: int, by: str = "", key: str = "") -> str:
        """Return a new invite code.

        Args:
            by: the owner who asks for it, empty if he has no name.
            key: his; empty: the host, beside his server.

        Raises:
            BadInput: too many uses or days. Refused: too many codes are open, or who asks is no owner by now.
        """
        for what, value, most in (("uses", uses, MAX_USES), ("days", days, MAX_DAYS)):
            if not 1 <= value <= most:
                raise BadInput.one(what, f"a whole number from 1 to {most}", value)
        now = self._now_ms()
        code = base64.b32encode(secrets.token_bytes(CODE_BYTES)).decode().lower()
        async with self._lock:
            if by and (self.named(by).role != OWNER or self.named(by).is_shut_out):
                raise Refused("", text("that is for the owner of this server"))
            if len(self.open_invites()) >= MAX_INVITES:
                raise Refused("", text("too many invites are open here"))
            await self._write(Invited(digest_of(code), role, uses, now + days * 86_400_000, now, by or key))
        return "-".join(code[at : at + 4] for at in range(0, len(code), 4))

    def lets_in(self, code: str) -> bool:
        """Say whether a code lets somebody in now."""
        invite = self._invites.get(digest_of(code))
        return invite is not None and self._uses_left(invite) > 0

    def open_invites(self) -> list[OpenInvite]:
        """Return the codes that still let somebody in, the one that ends first at the head."""
        still = ((invite, self._uses_left(invite)) for invite in self._invites.values())
        made = [OpenInvite(mark_of(invite.digest), invite.role, left, invite.until_ms) for invite, left in still if left]
        return sorted(made, key=lambda one: (one.until_ms, one.mark))

    def _uses_left(self, invite: Invited) -> int:
        return max(0, invite.uses - self._used.get(invite.digest, 0)) if self._now_ms() <= invite.until_ms else 0

    async def revoke(self, code: str) -> None:
        """Let an invite code, or the one that a list names by its mark, let nobody in any more; BadInput if none is open that is meant."""
        async with self._lock:
            meant = {digest_of(code), *(digest for digest in self._invites if mark_of(digest) == code.strip().lower())}
            found = [digest for digest, invite in self._invites.items() if digest in meant and self._uses_left(invite)]
            if not found:
                raise BadInput.one("invite", "a code that is open here, or its mark in the list", code)
            for digest in found:
                await self._write(Revoked(digest, self._now_ms()))

    async def grant(self, name: str, role: Role) -> Account:
        """Give a name a role; return who holds it.

        Raises:
            BadInput: nobody holds the name. Refused: it is the last owner's.
        """
        async with self._lock:
            account = self.named(name)
            self._keep_an_owner(account, stays=role == OWNER)
            await self._write(Granted(account.name, role, self._now_ms()))
            return self.named(name)

    async def shut_out(self, name: str) -> Account:
        """Let a name's key connect no more; errors as for `grant`."""
        async with self._lock:
            account = self.named(name)
            self._keep_an_owner(account, stays=False)
            await self._write(ShutOut(account.name, self._now_ms()))
            return self.named(name)

    def _keep_an_owner(self, account: Account, *, stays: bool) -> None:
        if any(user_of(key) not in self._by_user for key in self._owner_keys):
            return  # he has taken no name, and looks after the server all the same: whom he made an owner he can make less
        owners = [one for one in self if one.role == OWNER and not one.is_shut_out]
        if owners == [account] and not stays:
            raise Refused("", text("{name} is the only owner here", name=account.name))


def _as_asked(known: Account, key: PublicKey, name: str) -> Account:
    if known.is_shut_out:
        raise Refused("", text("{name} was shut out of this server", name=known.name))
    if known.key != key:
        raise Refused("", text("{name} is known here by another key of the same secret", name=known.name))
    if name and name != known.name:
        raise Refused("", text("your key is known here as {known}, not as {name}", known=known.name, name=name))
    return known


def _act(data: bytes, number: int) -> AccountAct:
    """Return an act that the store has kept."""
    try:
        act: AccountAct = _acts.decode(data)
    except (msgspec.MsgspecError, ValueError) as error:
        raise BadInput.one(f"accounts in the store: act {number}", "what became of a name, a key or an invite", error) from error
    return act


def digest_of(code: str) -> bytes:
    """Return the hash of an invite code, however it is written."""
    bare = "".join(code.split()).replace("-", "").lower()
    return hashlib.sha256(b"rasputitsa invite 1\0" + bare.encode()).digest()


def mark_of(digest: bytes) -> str:
    """Return what a code is called in a list: it lets nobody in."""
    return digest.hex()[:MARK_LETTERS]

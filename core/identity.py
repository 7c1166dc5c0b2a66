"""Who somebody is: one Ed25519 key, and the bytes that it signs.

A key's X25519 form is the CURVE key of the wire, so whoever holds a connection under it is the player. Texts of keys are base32 in small
letters, made to be read aloud and typed. What is signed begins with a domain of its own and names the length of each field: no two
messages of different meaning have the same bytes, and a signature for one game or moment is good for no other.

Secrets come in as arguments: this module neither draws nor stores any.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import hmac
import struct
from typing import Annotated

import msgspec
from nacl import bindings, exceptions

from core.errors import BadInput

SEED_BYTES = 32
SIGNATURE_BYTES = 64
KEY_BYTES = 32
KEY_LETTERS = 52
KEYS_AT_HAND = 4_096  # texts of keys that are not read again at every signature
# Only what can stand at the end of 256 bits in base32 ends a key: each key has one text.
PublicKey = Annotated[str, msgspec.Meta(min_length=52, max_length=52, pattern=r"\A[a-z2-7]{51}[aq]\Z")]
Signature = Annotated[bytes, msgspec.Meta(max_length=SIGNATURE_BYTES)]
SignatureAndNumber = Annotated[bytes, msgspec.Meta(max_length=SIGNATURE_BYTES + 8)]  # see `with_number`

_ORDER = b"rasputitsa order 1"
_LINK = b"rasputitsa link 1"
_CHAIN_END = b"rasputitsa chain end 1"
_WAITING = b"rasputitsa waiting 1"
_FALLBACK = b"rasputitsa fallback 1"
_ACT = b"rasputitsa table act 1"
_ACT_THEN = b"rasputitsa table act 2"
_OPEN = b"rasputitsa seat opened"
_TAKEN_OVER = b"rasputitsa taken over 1"
_UNDO = b"rasputitsa undo 1"
_KEPT = b"rasputitsa kept 1"
_STANDING = b"rasputitsa standing answer 1"
_AHEAD = b"rasputitsa standing answer 2"
_SEAT = b"rasputitsa seat 1"
_DERIVED = b"rasputitsa derived 1"
_NUMBER = struct.Struct(">q")
_in_order = msgspec.msgpack.Encoder(order="deterministic")


class Identity:
    """A key pair, made from 32 secret bytes.

    Attributes:
        key: the public key as text.

    >>> anna = Identity(bytes(32))
    >>> verify(anna.key, b"advance", anna.sign(b"advance")), verify(anna.key, b"retreat", anna.sign(b"advance"))
    (True, False)
    """

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError(f"an identity is made from {SEED_BYTES} bytes, not from {len(seed)}")
        public, self._secret = bindings.crypto_sign_seed_keypair(seed)
        self._seed = seed
        self.key: PublicKey = key_text(public)

    def __repr__(self) -> str:
        return f"Identity({self.key})"  # never the secret: this may stand in a log

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message, 64 bytes."""
        return bindings.crypto_sign(message, self._secret)[:SIGNATURE_BYTES]

    def curve_secret(self) -> bytes:
        """Return the secret X25519 key of the wire, 32 bytes."""
        return bindings.crypto_sign_ed25519_sk_to_curve25519(self._secret)

    def derived(self, purpose: str) -> bytes:
        """Return 32 secret bytes for one purpose, such as the dice chain of a game; they tell nothing of the key or of each other."""
        return hmac.new(self._seed, packed(_DERIVED, purpose.encode()), hashlib.sha256).digest()


def verify(key: PublicKey, message: bytes, signature: bytes) -> bool:
    """Say whether *signature* is that of *key* for *message*; a key or signature that can't be one is no."""
    if len(signature) != SIGNATURE_BYTES:
        return False
    try:
        bindings.crypto_sign_open(signature + message, key_bytes(key))
    except (exceptions.BadSignatureError, BadInput):
        return False
    return True


# -------------------------------------------------------------------- keys as text


def key_text(public: bytes) -> PublicKey:
    """Return a public key of 32 bytes as text, 52 letters and digits."""
    assert len(public) == KEY_BYTES, f"a public key of {len(public)} bytes"
    return base64.b32encode(public).decode().rstrip("=").lower()


@functools.lru_cache(maxsize=KEYS_AT_HAND)
def key_bytes(key: PublicKey) -> bytes:
    """Return the 32 bytes of a public key; BadInput if the text is none."""
    try:
        public = base64.b32decode(key.upper() + "====")
    except ValueError as error:
        raise BadInput.one("key", "a public key of 52 letters a-z and digits 2-7", key[:80]) from error
    if len(public) != KEY_BYTES or key_text(public) != key:
        raise BadInput.one("key", "a public key of 52 letters a-z and digits 2-7", key[:80])
    return public


def curve_key(key: PublicKey) -> bytes:
    """Return the X25519 form of a public key, 32 bytes: what its holder shows on the wire.

    Raises:
        BadInput: it is no point of the curve, or one of small order that belongs to nobody.
    """
    try:
        return bindings.crypto_sign_ed25519_pk_to_curve25519(key_bytes(key))
    except exceptions.CryptoError as error:
        raise BadInput.one("key", "a public Ed25519 key", key) from error


def fingerprint(key: PublicKey) -> str:
    """Return what people compare: five groups of four letters and digits (100 bits of the key's SHA-256)."""
    letters = base64.b32encode(hashlib.sha256(key_bytes(key)).digest()).decode().lower()[:20]
    return "-".join(letters[at : at + 4] for at in range(0, 20, 4))


# -------------------------------------------------------------------- what is signed


def packed(domain: bytes, *fields: bytes) -> bytes:
    """Return a domain and fields, each with its length before it."""
    return b"".join([len(field).to_bytes(4, "big") + field for field in (domain, *fields)])  # a generator takes half as long again


def order_message(game: str, side: str, seq: int, before: bytes, order: bytes) -> bytes:
    """Return what a player signs with an order.

    Args:
        seq: number of the last entry that moved the game when the order was made, -1 for none (`core.log.Log.moved_at`).
        before: that entry's hash, zeros for none; it binds the order to this very game, whatever others bear its name.
        order: the order's bytes as they stand in the entry.
    """
    return packed(_ORDER, game.encode(), side.encode(), str(seq).encode(), before, order)


def link_message(game: str, k: int, pending: bytes, link: bytes) -> bytes:
    """Return what a participant signs with the link that he shows for number *k* and the pending record of this hash."""
    return packed(_LINK, game.encode(), str(k).encode(), pending, link)


def chain_message(game: str, agreed: bytes, end: bytes, links: int) -> bytes:
    """Return what a participant signs with the end of his dice chain of so many links.

    Args:
        agreed: hash of what the game is (`core.gamefile.agreement`): rules, scenario, terms, the server's own chain.
    """
    return packed(_CHAIN_END, game.encode(), agreed, end, str(links).encode())


def kept_message(game: str, entry: bytes) -> bytes:
    """Return what a server signs with a table act that no player signs: the hash of its *entry* without a signature, and so all before."""
    return packed(_KEPT, game.encode(), entry)


def takeover_message(game: str, before: bytes, end: bytes, links: int) -> bytes:
    """Return what a server signs that takes a game over behind the entry with the hash *before*, with a dice chain of its own."""
    return packed(_TAKEN_OVER, game.encode(), before, end, str(links).encode())


def standing_message(game: str, began: bytes, side: str, order: bytes) -> bytes:
    """Return what a player signs with an answer that he gives ahead.

    Args:
        began: hash of the log's first entry; it binds the answer to this very game.
        order: the order's bytes as they will stand in the entry.
    """
    return packed(_STANDING, game.encode(), began, side.encode(), order)


def ahead_message(game: str, began: bytes, side: str, decision: str, turn: int, order: bytes) -> bytes:
    """Return what a player signs with an answer that he gives ahead, for one decision and up to one turn.

    Args:
        began, side, order: as for `standing_message`, which earlier programs sign.
        decision: the name of the decision that it answers.
        turn: the last one that it is for, -1 for any.
    """
    return packed(_AHEAD, game.encode(), began, side.encode(), decision.encode(), str(turn).encode(), order)


def with_number(signature: bytes, number: int) -> bytes:
    """Return a signature as it stands in an entry that is for a number, too: that one behind it.

    The number is the last turn that an answer given ahead is for, or the one that tells sitting down, or a choice, from any other time.
    """
    return signature + _NUMBER.pack(number)


def parted_from_number(signature: bytes) -> tuple[bytes, int] | None:
    """Return a signature parted from the number behind it, None where there is none."""
    if len(signature) != SIGNATURE_BYTES + _NUMBER.size:
        return None
    return signature[:SIGNATURE_BYTES], _NUMBER.unpack_from(signature, SIGNATURE_BYTES)[0]


def act_message(game: str, began: bytes, side: str, act: msgspec.Struct) -> bytes:
    """Return what a player signs with an act at the table.

    Args:
        began: hash of the log's first entry; it binds the act to this very game.
        side: for which he acts, empty for none.
        act: as it will stand in the entry.
    """
    return packed(_ACT, game.encode(), began, side.encode(), _in_order.encode(act))


def act_then_message(game: str, last: bytes, side: str, act: msgspec.Struct) -> bytes:
    """Return what a player signs with an act at the table, good for one moment, and once: who keeps the log can't write it down again.

    Args:
        last: hash of the last entry that he knows; it binds the act to this very game, too.
        side, act: as for `act_message`, which earlier programs sign.
    """
    return packed(_ACT_THEN, game.encode(), last, side.encode(), _in_order.encode(act))


def open_message(game: str, last: bytes, side: str, act: msgspec.Struct) -> bytes:
    """Return what a player signs who lets others have the seat that he has left, good for one moment, and once.

    It stands in the log as leaving does; but by a signature for that, which came to nothing, nobody loses his seat.

    Args:
        last, side, act: as for `act_then_message`, which earlier programs sign.
    """
    return packed(_OPEN, game.encode(), last, side.encode(), _in_order.encode(act))


def seat_message(game: str, server: PublicKey, side: str, seat: str, number: int) -> bytes:
    """Return what a player signs who sits down: of the game he may know nothing yet but its name.

    Args:
        server: the key of the server that keeps it: others may keep games of that name.
        seat: its name, empty for any of the side, or its first.
        number: any that he has not signed for before: so it is good once.
    """
    return packed(_SEAT, game.encode(), server.encode(), side.encode(), seat.encode(), str(number).encode())


def seat_signature(signer: Identity, game: str, server: PublicKey, side: str, seat: str, *, number: int) -> bytes:
    """Return by what somebody signs that he sits down, with the number behind it, as it stands in the entry."""
    return with_number(signer.sign(seat_message(game, server, side, seat, number)), number)


def undo_message(game: str, side: str, seq: int, before: bytes, to: int) -> bytes:
    """Return what a player signs who goes back, or forward again, without asking: good for one moment of one game, as an order is.

    Args:
        seq, before: number and hash of the last entry that moved the game, as for an order.
        to: the entry that he goes to.
    """
    return packed(_UNDO, game.encode(), side.encode(), str(seq).encode(), before, str(to).encode())


def waiting_message(game: str, k: int, pending: bytes) -> bytes:
    """Return what a server signs when it asks for the links of number *k* against the pending record of this hash."""
    return packed(_WAITING, game.encode(), str(k).encode(), pending)


def fallback_message(game: str, k: int, pending: bytes, participant: str, choice: str, number: int | None = None) -> bytes:
    """Return what a player signs who chooses what shall be, as *participant* has not shown his link for the pending record of this hash.

    Args:
        number: any that he has not signed that choice for before, so that it is good once; None in games from before choices had one.
    """
    numbered = () if number is None else (str(number).encode(),)
    return packed(_FALLBACK, game.encode(), str(k).encode(), pending, participant.encode(), choice.encode(), *numbered)

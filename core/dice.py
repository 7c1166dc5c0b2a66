"""Dice that nobody can foresee or bend, the host included, and that anyone can check from the game's file.

Each participant keeps a *hash chain*: a secret seed hashed many times over. Its end is published when the game begins. An entry of
the log that needs chance takes the next number *k*, and every participant shows the link that hashes to the one shown for *k - 1*.
All links of *k*, the game, *k* and the pending order together key a stream that yields as many rolls and draws as the order asks for.
With one participant, the server, these are ``server`` dice; with all players' chains they are ``witnessed``.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

import msgspec

LINKS = 100_000  # of a chain; computing all of them takes 0.05 s
LINK_BYTES = 32
_KEEP = 200  # every so many links one is kept, and all of the stretch that was asked for last, as links are shown one after another
_CHAIN = b"rasputitsa chain 1\0"
_STREAM = b"rasputitsa stream 1\0"


def step(link: bytes) -> bytes:
    """Return the hash of a link: the link before it, as they are shown."""
    return hashlib.sha256(_CHAIN + link).digest()


def seed(key: bytes, game: str) -> bytes:
    """Return the seed of a participant's chain for one game, derived from his secret key."""
    return hmac.new(key, _CHAIN + game.encode(), hashlib.sha256).digest()


def hashed(seed: bytes, links: int) -> Iterator[bytes]:
    """Yield what a chain keeps while it is made, its end last: for whoever has something else to do meanwhile."""
    link = seed
    for done in range(1, links + 1):
        link = step(link)
        if done % _KEEP == 0 or done == links:
            yield link


class Chain:
    """A participant's own chain, with its secrets.

    Args:
        seed: 32 secret bytes.
        links: how many entries it lasts.
        made: what `hashed` has yielded of it; None: it is made here and now.

    >>> chain = Chain(bytes(32), links=10)
    >>> step(chain.link(1)) == chain.end, step(chain.link(2)) == chain.link(1)
    (True, True)
    """

    def __init__(self, seed: bytes, *, links: int = LINKS, made: Iterable[bytes] | None = None) -> None:
        self.links = links
        kept = [seed, *(hashed(seed, links) if made is None else made)]
        self.end = kept[-1]
        self._kept = kept[: links // _KEEP + 1]
        self._near: tuple[int, list[bytes]] = (-1, [])

    def link(self, k: int) -> bytes:
        """Return the link for number *k*, 1 … links.

        Raises:
            ValueError: the chain has no such link.
        """
        if not 1 <= k <= self.links:
            raise ValueError(f"a chain of {self.links} links has none for {k}")
        stretch, within = divmod(self.links - k, _KEEP)
        if self._near[0] != stretch:
            self._near = (stretch, [*accumulate(range(_KEEP - 1), lambda link, _: step(link), initial=self._kept[stretch])])
        return self._near[1][within]


class Keeper(msgspec.Struct, frozen=True):
    """The server that keeps a log: its public key, and its signature of its own chain's end; empty where it has no key."""

    key: str = ""
    signature: bytes = b""


class ChainEnd(msgspec.Struct, frozen=True, array_like=True):
    """What a participant publishes at the start: who, the end of his chain, how many links it has."""

    participant: str
    end: bytes
    links: int


def parted(shown: bytes) -> tuple[bytes, bytes]:
    """Return a link as it stands in an entry, parted from its owner's signature; the server's has none."""
    return shown[:LINK_BYTES], shown[LINK_BYTES:]


def fits(link: bytes, shown: bytes, *, gap: int = 1) -> bool:
    """Say whether *link* leads to the last one *shown*, *gap* numbers before it."""
    for _ in range(gap):
        link = step(link)
    return hmac.compare_digest(link, shown)


class Stream:
    """Dice of one entry. Rolls and draws come from separate streams, so that neither moves the other.

    Args:
        links: the link of each participant for *k*.
        game: the game's id.
        k: the number that the entry spends.
        pending: hash of the pending record: order and entry before it.
    """

    def __init__(self, links: Mapping[str, bytes], *, game: str, k: int, pending: bytes) -> None:
        secret = b"".join(len(name).to_bytes(2, "big") + name.encode() + link for name, link in sorted(links.items()))
        message = _STREAM + game.encode() + b"\0" + k.to_bytes(8, "big") + pending
        self._key = hmac.new(secret, message, hashlib.sha256).digest()
        self._buffers: dict[bytes, tuple[int, bytes]] = {}

    def _byte(self, domain: bytes) -> int:
        block, rest = self._buffers.get(domain, (0, b""))
        if not rest:
            rest = hmac.new(self._key, domain + block.to_bytes(8, "big"), hashlib.sha256).digest()
            block += 1
        self._buffers[domain] = (block, rest[1:])
        return rest[0]

    def below(self, n: int, domain: bytes) -> int:
        """Return 0 … n-1, each equally likely: values that would favour some are thrown away.

        Raises:
            ValueError: *n* is not positive.
        """
        if n < 1:
            raise ValueError(f"nothing can be drawn from {n} possibilities")
        width = max(1, ((n - 1).bit_length() + 7) // 8)
        limit = 256**width - 256**width % n
        while True:
            value = int.from_bytes(bytes(self._byte(domain) for _ in range(width)), "big")
            if value < limit:
                return value % n

    def roll(self, faces: int) -> int:
        """Return 1 … *faces*."""
        return 1 + self.below(faces, b"die %d\0" % faces)

    def draw(self, chits: Mapping[str, int]) -> str:
        """Return one chit of a multiset, each counter of it as likely as any other."""
        left = self.below(sum(chits.values()), b"chit\0")
        for chit, count in sorted(chits.items()):
            if left < count:
                return chit
            left -= count
        raise AssertionError("unreachable: the draw is below the sum of all counts")

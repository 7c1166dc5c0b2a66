"""The scenario packs of the games that a client follows: found here, or sent by the server piece by piece."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from typing import NamedTuple

from client.connection.parcel import Parcel
from core import protocol
from core.board import Board
from core.errors import BadInput
from core.pack import Pack

MOST_OF_PACK = 32 << 20  # bytes of a pack; the largest has 2 MB
FindPack = Callable[[str], Pack | None]


class NoPack(NamedTuple):
    """Why what came is no pack; *for_good*: it is not asked for again over this line, as it did not end."""

    why: str
    for_good: bool = False


class Packs:
    """Keeps packs by their hashes.

    Args:
        find: returns the pack of a hash if it is here already.
        ask: sends what asks for the rest of one.

    Attributes:
        boards: those of the games that are open, each once, however many games share it.
    """

    def __init__(self, find: FindPack, ask: Callable[[protocol.NeedPack], None]) -> None:
        self.boards: weakref.WeakValueDictionary[Hashable, Board] = weakref.WeakValueDictionary()
        self._find, self._ask = find, ask
        self._packs: dict[str, Pack] = {}
        self._parcels: dict[str, Parcel] = {}  # those that were asked for

    def of(self, digest: str) -> Pack:
        """Return the pack of a game that is open."""
        return self._packs[digest]

    def find(self, digest: str) -> Pack | None:
        """Return a pack that is here."""
        return self._packs.get(digest) or self._find(digest)

    def keep(self, digest: str, pack: Pack, needed: set[str]) -> None:
        """Keep a pack of a game that is opened, and of the others only those that are needed."""
        self._packs = {one: known for one, known in self._packs.items() if one in needed} | {digest: pack}

    def ask_for(self, digest: str, waited_for: set[str]) -> None:
        """Ask for what has not come of a pack; of one that no game waits for any more nothing is kept."""
        self._parcels = {one: parcel for one, parcel in self._parcels.items() if one in waited_for}
        self._ask(protocol.NeedPack(digest, self._parcels.setdefault(digest, Parcel()).asked()))

    def take(self, part: protocol.PackPart) -> Pack | NoPack | None:
        """Take in a piece of a pack; return that as all of it is here, or that it is none; None where neither is known."""
        parcel = self._parcels.get(part.pack)
        if parcel is None:
            return None  # nobody asked for it
        parcel.take(part)
        if parcel.size > MOST_OF_PACK:
            del self._parcels[part.pack]
            return NoPack(f"the pack of hash {part.pack[:12]}… does not end; it was given up", for_good=True)
        if part.left:
            return None
        del self._parcels[part.pack]
        made = _made(part.pack, parcel)
        if isinstance(made, NoPack) and parcel.was_continued:  # perhaps by another server, which cuts it otherwise
            self.ask_for(part.pack, {*self._parcels, part.pack})
            return None
        return made


def _made(digest: str, parcel: Parcel) -> Pack | NoPack:
    """Return the pack whose pieces have all come, or what is wrong with it: a piece that came twice, say."""
    try:
        pack = Pack({name: bytes(data) for name, data in parcel.files.items()})
    except BadInput as error:
        return NoPack(str(error))
    return pack if pack.digest == digest else NoPack(f"the pack that came is not the one of hash {digest[:12]}…")

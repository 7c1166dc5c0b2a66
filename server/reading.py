"""How games that lie in the store are read while others have their turn: a long one takes so long that all would stand still meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from server.rooms import Room

if TYPE_CHECKING:
    from server.service import Service

LONG = 2_000  # entries; a shorter game is read in a twentieth of a second
READ_AT_ONCE = 2  # games that take long, as each thread takes the interpreter from all other games


class Reading:
    """Reads games of a service.

    Args:
        service: whose games.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._under_way: dict[str, asyncio.Task[Room]] = {}
        self._may_read = asyncio.Semaphore(READ_AT_ONCE)
        self._for: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # by user

    async def have_read(self, game: str, *, user: str = "") -> None:
        """Read a game that lies in the store beside all others, if that takes so long that they would stand still meanwhile.

        Where that goes wrong, whoever asks for the game is told by `Service.room`.

        Args:
            user: who asks for it, the server itself if nobody does. One user's games are read one after another, over however many lines
                he asks: else others would wait for all of them.
        """
        if self._service.rooms.length_of_lying(game) < LONG and self._is_setting_at_hand(game):
            return
        async with self._for.setdefault(user, asyncio.Lock()):
            if game in self._under_way:
                await asyncio.wait([self._under_way[game]])
            elif game in self._service.rooms and game not in self._service.rooms.loaded:  # nobody else had it read meanwhile
                await self._have_read(game)

    async def _have_read(self, game: str) -> None:
        reading = self._under_way[game] = asyncio.create_task(self.beside(game))
        reading.add_done_callback(lambda _: self._under_way.pop(game, None))
        await asyncio.wait([reading])
        if reading.exception() is None and game in self._service.rooms and game not in self._service.rooms.loaded:
            self._service.rooms.add(reading.result())
            self._service.tending.attend(reading.result())

    def _is_setting_at_hand(self, game: str) -> bool:
        """Say whether what a game stands on is in memory; True where it can't be read, of which `Service.room` tells."""
        try:
            stored = self._service.store.game(game)
        except Exception:
            return True
        return self._service.settings.are_at_hand(stored.head, stored.pack)

    async def beside(self, game: str) -> Room:
        """Read a game of the store while others have their turn."""
        async with self._may_read:
            return await asyncio.to_thread(self._read, game)

    def at_once(self, game: str) -> Room:
        """Read a game of the store; its log is taken in as far as that is asked for."""
        store = self._service.store
        return Room.read(store, store.game(game), settings=self._service.settings, keeper=self._service.identity)

    def _read(self, game: str) -> Room:
        """Read a game of the store with all of its log taken in."""
        room = self.at_once(game)
        room.match.take_in(len(room.match.log))
        room.match.view.decision()
        return room

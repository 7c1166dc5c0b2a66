"""Games recorded once by bots, for clients that give their orders again; and dice that fall as they fell then.

A stream of dice is keyed by the hash of the entry before it, which bears random salt and the time: the same order never finds the same dice
twice. So the server that is measured gets its rolls and draws from the recording. Nothing else in it differs from one that is hosted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from benchmarks.kit import games
from core.dice import Stream
from core.events import Drawn, PhaseBegan, Rolled
from core.log import Entry
from core.match import ServerDice

RECORDED = (("steady", 3), ("busy", 3), ("steady", 4), ("busy", 4), ("steady", 5), ("busy", 5))  # bot and number of the game


class Step(msgspec.Struct, frozen=True, array_like=True):
    """One order; *ends_phase*: another phase had begun when it was decided."""

    side: str
    order: bytes
    ends_phase: bool


class Fallen(msgspec.Struct, frozen=True, array_like=True):
    """What the dice of one number showed, and the chits that were drawn by it."""

    rolls: tuple[int, ...]
    chits: tuple[str, ...]


class Recording(msgspec.Struct, frozen=True, array_like=True):
    """A whole game: its orders, and by number what chance made of them."""

    name: str
    ruleset: str
    scenario: str
    steps: tuple[Step, ...]
    dice: dict[int, Fallen]


_decoder = msgspec.msgpack.Decoder(dict[str, Recording])


def record(bot: str, number: int) -> Recording:
    """Let two bots play a game, and return it as a recording."""
    return of_match(f"{bot}-{number}", games.game_of(bot, number))


def of_match(name: str, keeper: ServerDice) -> Recording:
    """Return a game that was played."""
    entries, chosen = keeper.match.log.entries, keeper.match.setting
    steps = tuple(Step(entry.side, entry.order, _begins_phase(entry)) for entry in entries[1:])
    return Recording(name, chosen.ruleset.id, chosen.scenario.id, steps, {entry.k: fallen(entry) for entry in entries if entry.k})


def _begins_phase(entry: Entry) -> bool:
    return any(isinstance(event, PhaseBegan) for event in entry.events)


def fallen(entry: Entry) -> Fallen:
    """Return what the dice of an entry showed."""
    rolls = tuple(event.value for event in entry.events if isinstance(event, Rolled))
    return Fallen(rolls, tuple(event.chit for event in entry.events if isinstance(event, Drawn)))


def save(recordings: Mapping[str, Recording], file: Path) -> None:
    """Write recordings down for the processes that play them."""
    file.write_bytes(msgspec.msgpack.encode(recordings))


def read(file: Path) -> dict[str, Recording]:
    """Return recordings by name."""
    return _decoder.decode(file.read_bytes())


def game_id(recording: Recording, number: int) -> str:
    """Return the id of one of many games that follow a recording."""
    return f"{recording.name}.{number}"


@dataclass
class RecordedStream:
    """Dice of one entry that fall as they fell in the recording."""

    rolls: Iterator[int]
    chits: Iterator[str]

    def roll(self, faces: int) -> int:
        """Return the next roll of the recording."""
        value = next(self.rolls)
        assert 1 <= value <= faces, f"a recorded roll of {value}, asked for one of {faces} faces"
        return value

    def draw(self, chits: Mapping[str, int]) -> str:
        """Return the next chit of the recording."""
        chit = next(self.chits)
        assert chits.get(chit, 0) > 0, f"a recorded chit {chit} that is not in the cup: {dict(chits)}"
        return chit


def stream_of(recordings: Mapping[str, Recording]) -> type[Stream]:
    """Return what stands in for `core.dice.Stream` where recorded games are played; it does the work of the real one as well."""

    class Replayed(Stream):
        def __init__(self, links: Mapping[str, bytes], *, game: str, k: int, pending: bytes) -> None:
            super().__init__(links, game=game, k=k, pending=pending)
            shown = recordings[game.partition(".")[0]].dice[k]
            self._recorded = RecordedStream(iter(shown.rolls), iter(shown.chits))

        def roll(self, faces: int) -> int:
            super().roll(faces)
            return self._recorded.roll(faces)

        def draw(self, chits: Mapping[str, int]) -> str:
            super().draw(chits)
            return self._recorded.draw(chits)

    return Replayed

"""Games on this machine: where they lie, how they are begun, saved and taken up again. Paths come from the caller."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from client.session.local import LocalMatch
from client.writing import write_whole
from core import gamefile, pack, rulesets
from core.dice import Chain
from core.errors import BadInput
from core.match import Match, ServerDice, new_server_match
from core.pack import Pack
from core.units import Side
from core.views import View

SUFFIX = ".rasputitsa"
LINKS = 10_000
MOST_LISTED = 200  # saved games that are read at a time


class Card(msgspec.Struct):
    """What the start page says of a saved game without reading it; *seed* is the secret of its dice."""

    title: str
    moment: str
    waits_for: str
    seats: dict[Side, str]
    seed: str
    over: bool = False


class Saved(msgspec.Struct, frozen=True):
    """A saved game: its file, card, the picture of its last position (which may not exist), and when it was saved."""

    file: Path
    card: Card
    picture: Path
    saved_ms: int = 0


class Listed(msgspec.Struct, frozen=True):
    """Some saved games, the latest first; *left* are the files that are older than these."""

    games: tuple[Saved, ...] = ()
    left: int = 0


def clock() -> int:
    """Return the time in milliseconds."""
    return time.time_ns() // 1_000_000


def begin(files: Pack, scenario: str, seats: Mapping[Side, str], *, options: Mapping[str, bool | int | str] | None = None) -> SavedMatch:
    """Begin a local game.

    Raises:
        BadInput: the game or scenario can't be played, with all faults.
    """
    ruleset = rulesets.load(files.manifest.ruleset)
    chosen = pack.setting(ruleset, files, scenario, options)
    seed = secrets.token_bytes(32)
    game = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"
    keeper = new_server_match(chosen, game=game, seed=seed, clock=clock, links=LINKS)
    return SavedMatch(keeper, files, seats, seed=seed)


def resume(file: Path) -> SavedMatch:
    """Take a saved game up again.

    Raises:
        BadInput: the file or its card is faulty.
        OSError: it can't be read.
    """
    card = read_card(file)
    if card is None:
        raise BadInput.one(str(file), "a game that was begun on this machine", "a file without its card; it can be watched")
    read = gamefile.read(file.read_bytes(), name=file.name)
    match: Match = gamefile.open_match(read, clock=clock)
    keeper = ServerDice(match, Chain(bytes.fromhex(card.seed), links=match.chains[0].links))
    return SavedMatch(keeper, Pack(read.files), card.seats, seed=bytes.fromhex(card.seed), name=file.stem)


def free_name(folder: Path, name: str) -> str:
    """Return a name that no file of a folder bears, not even notes of a game that is gone: this one, or with a number behind it."""
    taken = {file.name.partition(".")[0] for file in folder.glob(f"{name}*")}
    names = itertools.chain([name], (f"{name}-{n}" for n in itertools.count(2)))
    return next(one for one in names if one not in taken)


def read_card(file: Path) -> Card | None:
    """Return the card of a saved game, None if there is none that can be read."""
    try:
        return msgspec.json.decode(file.with_suffix(".json").read_bytes(), type=Card)
    except (OSError, msgspec.DecodeError):
        return None


def recent(folder: Path, *, after: int = 0, at_most: int = MOST_LISTED) -> Listed:
    """Return the saved games of a folder, the latest first, without those of the *after* latest files."""
    if not folder.is_dir():
        return Listed()
    files = sorted(((file.stat().st_mtime, file) for file in folder.glob(f"*{SUFFIX}")), reverse=True)
    found = []
    for saved_s, file in files[after : after + at_most]:
        card = read_card(file)
        if card is not None:
            found.append(Saved(file, card, file.with_suffix(".png"), int(saved_s * 1000)))
    return Listed(tuple(found), max(0, len(files) - after - at_most))


class SavedMatch(LocalMatch):
    """A local game that can be written down with what is needed to go on with it.

    Attributes:
        name: what its files are called, without suffix; by default as the game is.
    """

    def __init__(self, keeper: ServerDice, files: Pack, seats: Mapping[Side, str], *, seed: bytes, name: str = "") -> None:
        self._seed = seed
        self.name = name or keeper.match.game
        super().__init__(keeper, files, seats)

    def save(self, folder: Path) -> Path:
        """Write game and card, whole or not at all.

        Raises:
            OSError: the folder can't be written.
        """
        return self.saver(folder)()

    def saver(self, folder: Path, *, draw: Callable[[View, Path], None] | None = None) -> Callable[[], Path]:
        """Return what saves the game of now, in any thread, whatever is played meanwhile; *draw* makes the picture of a view at a path."""
        file, card, content = folder / f"{self.name}{SUFFIX}", self._card(), self.writer()
        view = self.picture_view() if draw is not None else None

        def save() -> Path:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(file, content())
            write_whole(file.with_suffix(".json"), msgspec.json.encode(card))
            if draw is not None and view is not None:
                draw(view, file.with_suffix(".png"))
            return file

        return save

    def _card(self) -> Card:
        view = self.match.view
        moment = f"{self.setting.ruleset.turn_name(view, view.position.turn)} · {self.setting.ruleset.phase_name(view.position.phase)}"
        side = view.side_to_act()
        over = view.position.outcome is not None
        return Card(self.title, moment, self.manifest.side_titles.get(side, ""), self.seats, self._seed.hex(), over)

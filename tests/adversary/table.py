"""The table at which a hostile host plays: the game up to an order that needs a die, and what its players hold in their hands.

Anna keeps the log and plays red; whoever else is not Boris is a friend of hers, and signs what she likes. Boris plays blue and runs the
honest program. What a base says in words, such as ``beside limited clock``, is in `WORDS`.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from typing import Any

import msgspec

from client.connection.fouls import Foul
from client.connection.left_out import LeftOut
from client.connection.shown import Memory, Shown
from client.connection.witness import Witness
from core import protocol
from core.bots.random_bot import choose
from core.dice import Chain, ChainEnd, Keeper
from core.gamefile import GameFile, Head, agreement, new_head, open_match
from core.identity import Identity, chain_message
from core.log import Log, Pending
from core.match import Match
from core.orders import Order, name_of
from core.ruleset import Ruleset
from core.table import VERSION
from core.terms import ClockTerms, DiceTerms, SeatTerms, Terms
from core.units import Side
from core.views import View
from core.witnesses import SERVER
from tests.toy.ruleset import RULESET, End, toy_files, toy_setting
from tests.toy.witnessed import SERVER_KEY, WAIT_MS, salt_after
from tests.toy.witnessed import key_of as new_key

BORIS, ANNA, DORA, CLARA, TOM = "Boris", "Anna", "Dora", "Clara", "Tom"
ANEW = "Anna anew"  # Anna under another key, with another chain
RED, BLUE = "red", "blue"
GAME = "duel"
SECOND = "second"  # the name of each side's further seat
LINKS = 200  # of a chain
TIME_MS = WAIT_MS - 10_000  # on a clock: less than what one waits for a link
DORAS = (3,)  # the units that Dora commands where she is limited
WORDS = {
    "beside": "Dora sits beside Boris, at a further seat of blue",
    "limited": "she commands some units alone",
    "onlooker": "she commands none",
    "pool": "Clara sits beside Anna",
    "third": "Tom sits nowhere",
    "owner": "and he owns the game, not Anna",
    "his": "or Boris does",
    "first": "nobody has given an order yet",
    "came": "Boris sat down where Tom had sat",
    "blue": "it is Boris who is to order, and not Anna",
    "hers": "the order is Dora's",
    "clock": "time is kept, and who has none left loses",
    "fischer": "time is kept, and grows",
    "turn": "time is kept for each turn",
    "claim": "who has no time left loses when the others say so",
    "draw": "Anna has offered a draw",
    "rewind": "Anna has offered to go back",
    "pause": "Anna has offered a pause",
    "own": "such an offer is Boris' own instead",
    "back": "he had left his seat before the order, and come back",
    "unasked": "or the host had him sit down again, who had not asked for it",
    "waits": "the order waits for its die",
    "shown": "and Boris has shown his link",
    "thrown": "and the die has fallen",
    "slow": "Anna was named late with her link, and the agreed time is over",
    "gone": "and she has left her seat",
    "late": "so was Dora",
    "blamed": "so was Boris",
    "again": "then the host dropped the order, and it was given anew",
    "left": "Boris has left his seat",
    "opened": "and the owner has let others have it",
    "refused": "Boris has said yes, or has made his offer, and the host kept it back",
}


@functools.cache
def key_of(name: str) -> Identity:
    """Return a player's identity."""
    return new_key(name)


def toy(name: str) -> Ruleset:
    return RULESET


class Recalled(Memory):
    """What Boris' program has shown, as its disk would have it; made anew for each moment, so that no program remembers more."""

    def __init__(self, shown: dict[int, Shown]) -> None:
        self.file = None
        self.known = shown

    def show(self, chain: bytes, pending: Pending, signature: bytes, *, known: int) -> Shown:
        """Remember that a link is shown; return what was shown first for its number."""
        return self.known.setdefault(pending.k, Shown(pending.k, pending, signature, known))

    def get(self, chain: bytes, k: int) -> Shown | None:
        """Return what was shown for a number, None if nothing was."""
        return self.known.get(k)

    def last(self, chain: bytes) -> Shown | None:
        """Return what was shown for the highest number, None if nothing was."""
        return self.known[max(self.known)] if self.known else None

    def tells(self, chain: bytes, entry: bytes) -> bool:
        """Say whether what an entry decides was not told before: a program that is made anew for each moment has told nothing."""
        return True


class Stage:
    """What stands still while a base is explored.

    Args:
        base: words of `WORDS`.
        version: of how the table is reckoned.

    Attributes:
        head: what the game is.
        strike: the order that needs a die, at the entry *start*.
        friends: Anna and whoever is with her.
        chains: those of all players, and of Anna's server; *other_chain* is the server's when it takes the game over.
    """

    def __init__(self, base: str, *, version: int = VERSION) -> None:
        unknown = set(base.split()) - set(WORDS)
        if unknown:
            raise ValueError(f"no words of a base: {', '.join(sorted(unknown))}")
        self.words = frozenset(base.split())
        self.friends = tuple(self._friends())
        self.other_chain = Chain(b"o" * 32, links=LINKS)  # of the server, when it takes the game over
        self.chains = {name: Chain(name.encode().ljust(32, b"."), links=LINKS) for name in (SERVER, BORIS, ANEW, *self.friends)}
        self.head = self._head(version)
        self.agreed = agreement(self.head)
        self.file = GameFile(self.head, toy_files(), (), None)
        self.empty = open_match(self.file, clock=lambda: 0, load=toy)
        self.strike: Order = End()
        self.start = self.earlier = -1

    def _friends(self) -> Iterator[str]:
        yield ANNA
        further = {DORA: {"beside"}, CLARA: {"pool"}, TOM: {"third", "came"}}
        yield from (name for name, words in further.items() if words & self.words)

    def _head(self, version: int) -> Head:
        """Return the head of the game, its server's chain signed."""
        end = ChainEnd(SERVER, self.chains[SERVER].end, LINKS)
        bare = new_head(
            toy_setting(), GAME, (end,), terms=self._terms(), keeper=Keeper(SERVER_KEY.key), signs_undo=True, table=version
        )
        signature = SERVER_KEY.sign(chain_message(GAME, agreement(bare), end.end, end.links))
        return msgspec.structs.replace(bare, keeper=Keeper(SERVER_KEY.key, signature))

    def _terms(self) -> Terms:
        units = () if "onlooker" in self.words else DORAS if "limited" in self.words else None
        seats = (SeatTerms(RED), SeatTerms(RED, SECOND), SeatTerms(BLUE), SeatTerms(BLUE, SECOND, units))
        if not self.words & {"beside", "pool"}:
            seats = (SeatTerms(RED), SeatTerms(BLUE))
        on_flag = "claim" if "claim" in self.words else "lose"
        kinds: dict[str, Any] = {"clock": ("absolute", 0), "fischer": ("fischer", 5_000), "turn": ("turn", 0)}
        kind, more = next((kinds[word] for word in kinds if word in self.words), ("none", 0))
        clock = ClockTerms(kind, TIME_MS if kind != "none" else 0, more, on_flag if kind != "none" else "lose")
        owner = TOM if "owner" in self.words else BORIS if "his" in self.words else ANNA
        return Terms(owner=owner, clock=clock, seats=seats, dice=DiceTerms("witnessed", WAIT_MS))

    def seats(self) -> Iterator[tuple[Side, str, str]]:
        """Yield side, player and seat of all who sit down."""
        yield from ((RED, ANNA, ""), (BLUE, BORIS, ""))
        yield from ((side, name, SECOND) for side, name in ((BLUE, DORA), (RED, CLARA)) if name in self.friends)

    def match(self, log: Log, now_ms: int) -> Match:
        """Return the match on a log, its clock standing at a moment."""
        known = self.empty
        return Match(
            known.setting, game=GAME, chains=known.chains, clock=lambda: now_ms, log=log, terms=known.terms, keeper=known.keeper,
            salt=functools.partial(salt_after, log, self.head), signs_undo=known.signs_undo, table_version=known.table_version,
        )


class Program:
    """Boris' program at one moment, as if it had just begun anew, and was there by now: all it knows is the log and what it has shown.

    So it tells nothing of time that has not passed, nor of links that it was not asked for, as one does that was there meanwhile.

    Attributes:
        fouls: what it told of the host.
        sent: what it sent.
    """

    def __init__(self, stage: Stage, shown: dict[int, Shown]) -> None:
        self.fouls: list[Foul] = []  # and nothing of what it says of a link that stayed away, whoever's fault that is
        self.sent: list[protocol.Frame] = []
        self.memory = Recalled(dict(shown))
        self.witness = Witness(
            key_of(BORIS), BORIS, stage.head, self.memory, send=self.sent.append, tell=self._note, trouble=_fail
        )
        self.witness._chain = stage.chains[BORIS]  # a short one: his own takes a while to make
        self.witness._is_here = True

    def _note(self, note: Foul | LeftOut) -> None:
        if isinstance(note, Foul):
            self.fouls.append(note)


def _fail(words: str) -> None:
    raise AssertionError(words)


def some(view: View, kind: str) -> Order | None:
    """Return some order of a kind that the side to act may give, None if none is found."""
    tries = (choose(view, random.Random(number)) for number in range(60))
    return next((order for order in tries if name_of(order) == kind), None)

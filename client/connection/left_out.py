"""What is decided by our link's absence, or in our side's name about another's: it is told always, with what this program knows of it.

Whether a link was asked for only its owner and the server know, and when a program was there is found by what the server sends it. So what
comes of a link that stayed away is no matter of who did wrong: who was away is told what came of it, and who was not knows better.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from core.log import Entry, Fallback, Flag
from core.match import Match
from core.text import Text, text
from core.witnesses import CLAIM, WAIT

WENT_ON = "{player} went on without your link for the dice of number {k}"
CLAIMED = "{player} claimed the game, as your link for the dice of number {k} stayed away"
RAN_OUT = "time ran out for {side} as your link for the dice of number {k} was waited for"
FOR_US = "{player} decided for your side about the link of {participant} for the dice of number {k}: {choice}"
SHOWN, ASKED, UNASKED = ": this program has shown it", ": this program was asked for it", ": this program was not asked for it"
LINE = ", and has had its line since {since}"
AWAY = ": this program's line was down then, and has been up since {since}"
DECIDED = "; decided at {at}"
BEFORE = "; that was before this program opened the game"
AND_MORE = "so it was decided {n} times more before"
WHO = ("player", "participant", "side", "choice")
MOST_TOLD = 5  # of what was decided before a game was opened: the last ones tell how it stands


class LeftOut(msgspec.Struct, frozen=True):
    """Something was decided without us, for the player to read: an honest server may have written it as well as another."""

    game: str
    text: Text

    def __str__(self) -> str:
        return str(self.text)

    @property
    def kind(self) -> str:
        """Return what is the same where it was decided so again and again."""
        return str(Text(f"{self.game}: {self.text.template}", {name: self.text.args[name] for name in WHO if name in self.text.args}))


class Knows(NamedTuple):
    """What a program knows of its own link for the next dice: whether it has shown it, was asked for it, and when its line came up.

    *since* is empty of what was decided before the game was opened here: then it can't have been asked. *was_down*: its line was, as that
    was decided.
    """

    shown: bool
    asked: bool
    since: str
    was_down: bool = False


def what_was_decided(match: Match, entry: Entry, name: str, knows: Callable[[], Knows]) -> Text | None:
    """Return what an entry, which the match does not have yet, decides by a player's link that stays away, or for him; None if nothing."""
    act, witnesses, k = entry.act, match.witnesses, match.log.k + 1
    if isinstance(act, Flag) and act.side in witnesses.sides_about(name) and name in witnesses.late_for(k):
        return _by_absence(text(RAN_OUT, side=act.side, k=k), entry, knows())
    if not isinstance(act, Fallback) or act.choice == WAIT:
        return None
    if act.participant == name:
        return _by_absence(text(CLAIMED if act.choice == CLAIM else WENT_ON, player=entry.player, k=act.k), entry, knows())
    if entry.player != name and entry.side in witnesses.sides_of(name):
        return text(FOR_US, player=entry.player, participant=act.participant, k=act.k, choice=act.choice)
    return None


def _by_absence(decided: Text, entry: Entry, knows: Knows) -> Text:
    args = {**decided.args, "since": knows.since, "at": day_and_hour(entry.time_ms)}
    if not knows.since:
        own = (SHOWN if knows.shown else "") + BEFORE
    elif knows.was_down:
        own = (SHOWN if knows.shown else "") + AWAY
    else:
        own = (SHOWN if knows.shown else ASKED if knows.asked else UNASKED) + LINE
    return Text(decided.template + own + DECIDED, args)


def in_few(game: str, missed: Sequence[Text]) -> Iterator[LeftOut]:
    """Yield what was decided before a game was opened, the last of it if that is much."""
    more = len(missed) - MOST_TOLD
    for what in (*missed[-MOST_TOLD:], *([text(AND_MORE, n=more)] if more > 0 else ())):
        yield LeftOut(game, what)


def hour() -> str:
    """Return the hour that it is here now."""
    return time.strftime("%H:%M")


def day_and_hour(time_ms: int) -> str:
    """Return when something was, by what time it is here; the day is told where it was another."""
    then = time.localtime(time_ms / 1000)
    return time.strftime("%H:%M" if then[:3] == time.localtime()[:3] else "%Y-%m-%d %H:%M", then)

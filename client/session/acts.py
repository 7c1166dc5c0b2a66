"""Table acts in words: who sat down, what was offered and answered, what a referee did, how the table ended the game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from client.session.words import LogLine
from core.log import (
    Admit,
    Away,
    ChainPublished,
    Claim,
    Consent,
    Entry,
    Fallback,
    Flag,
    Late,
    Limit,
    Log,
    Offer,
    Pause,
    Referee,
    Resign,
    Result,
    Rewind,
    Seat,
    SetClock,
    TakenOver,
    Withdraw,
)
from core.table import Fate, Lost, lost_by
from core.text import Text, text
from core.units import Side

SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS = 1_000, 60_000, 3_600_000, 86_400_000
NO_FATES: Mapping[int, Fate] = MappingProxyType({})
PERSON = "person"  # who plays at this window, where nobody has a name


def lines_of(
    entries: Iterable[Entry], titles: Mapping[Side, str], left: Mapping[int, Fate] = NO_FATES, *, log: Log | None = None
) -> Iterator[LogLine]:
    """Yield a line for each act among entries that a player would want to read of; going back freely, as all do, is none.

    *left* is what became of seats that were left, by entry; *log*, which they are of, tells what an agreed way back took back.
    """
    for entry in entries:
        words = _words(entry, titles) if entry.number not in left else _of_seat(entry, titles, left[entry.number])
        if words is None and log is not None:
            words = _of_agreed_way(entry, titles, log)
        if words is not None:
            yield LogLine("table", words)


def of_no_news(entry: Entry, titles: Mapping[Side, str]) -> Text:
    """Return words for an act that `lines_of` leaves out: an order taken back or brought back, and a chain of dice."""
    who = titles.get(entry.side, entry.side) if entry.player in ("", PERSON) else entry.player
    match entry.act:
        case Rewind(to=to) if to > entry.parent:
            return text("{player} brings back what was taken back, up to entry {to}", player=who, to=to)
        case Rewind(to=to):
            return text("{player} takes back what came after entry {to}", player=who, to=to)
        case ChainPublished(links=links):
            return text("{player} witnesses the dice from here on, with a chain of {n} {n:link|links}", player=who, n=links)
        case _:
            raise AssertionError(f"{entry.act} is told by `lines_of`")


def _words(entry: Entry, titles: Mapping[Side, str]) -> Text | None:
    who = entry.player or titles.get(entry.side, entry.side) or "?"
    match entry.act:
        case Seat(player=player, side=side) if player:
            return text("{player} sits down at {side}", player=player, side=titles.get(side, side))
        case Seat():
            return _of_seat(entry, titles, "freed")
        case Limit(side=side, seat=seat):
            return text("{player} sets what the seat {seat} of {side} commands", player=who, seat=seat, side=titles.get(side, side))
        case Offer(what=what):
            return text(_OFFERED.get(what, "{player} offers {what}"), player=who, what=what)
        case Withdraw():
            return text("{player} takes the offer back", player=who)
        case Consent(yes=True):
            return text("{player} agrees", player=who)
        case Consent():
            return text("{player} says no", player=who)
        case Pause(on=True) if entry.side:
            return text("the game is paused, as agreed")
        case Pause(on=True):
            return text("the game is paused by {player}", player=who)
        case Pause():
            return text("{player} lets the game go on", player=who)
        case Rewind(to=to) if not entry.side and entry.player not in ("", PERSON):
            return text("{player} takes the game back to entry {to}", player=who, to=to)
        case _:
            return _of_end(entry, who, titles) or _of_keeper(entry, who, titles)


def _of_agreed_way(entry: Entry, titles: Mapping[Side, str], log: Log) -> Text | None:
    """Return what a way back that the sides agreed on took back; None for one that was free, and for all other acts."""
    consent = log.entries[entry.number - 1].act  # what is agreed is done with the last of them
    if not isinstance(entry.act, Rewind) or not isinstance(consent, Consent) or not consent.yes:
        return None
    lost = lost_by(log, entry.act.to, entry.parent)
    if not lost.orders:
        return text("the game goes on where it was: what was undone is brought back")
    return lost_words(lost, titles, _WENT_BACK)


def lost_words(lost: Lost, titles: Mapping[Side, str], templates: tuple[str, str, str]) -> Text:
    """Return words for orders that a way back costs, of three templates: none of them with dice, all, some."""
    sides = ", ".join(f"{titles.get(side, side)} {count}" for side, count in lost.orders.items())
    n = sum(lost.orders.values())
    none, every, some = templates
    if lost.rolls in (0, n):
        return text(every if lost.rolls else none, n=n, sides=sides)
    return text(some, n=n, sides=sides, rolls=lost.rolls)


_WENT_BACK = (
    text("the game goes back: {n} {n:order is|orders are} taken back ({sides}), none with dice").template,
    text("the game goes back: {n} {n:order is|orders are} taken back ({sides}), with dice").template,
    text("the game goes back: {n} {n:order is|orders are} taken back ({sides}), {rolls} of them with dice").template,
)


def _of_seat(entry: Entry, titles: Mapping[Side, str], fate: Fate) -> Text | None:
    """Return words for what became of a seat that somebody left or freed."""
    if not isinstance(entry.act, Seat):
        return None
    side = titles.get(entry.act.side, entry.act.side)
    return text(_LEFT[fate], player=entry.player or side, side=side)


_LEFT: dict[Fate, str] = {
    "left": text("{player} leaves a seat of {side}").template,
    "kept": text("{player} leaves a seat of {side}; it is kept for {player}").template,
    "freed": text("{player} frees a seat of {side}").template,
    "opened": text("{player} lets others sit at {side}").template,
}
_OFFERED = {
    "rewind": text("{player} asks to go back").template,
    "draw": text("{player} offers a draw").template,
    "pause": text("{player} asks for a pause").template,
}


def _of_end(entry: Entry, who: str, titles: Mapping[Side, str]) -> Text | None:
    """Return words for an act that may end the game."""
    match entry.act:
        case Resign(side=side):
            return text("{side} resigns", side=titles.get(side, side))
        case Flag(side=side):
            return text("{side} ran out of time", side=titles.get(side, side))
        case Claim(side=side):
            return text("{side} claims the game", side=titles.get(side, side))
        case Result(winner=winner, text=why) if winner:
            return text("{player} ends the game, {side} wins: {why}", player=who, side=titles.get(winner, winner), why=why)
        case Result(text=why):
            return text("{player} ends the game: {why}", player=who, why=why)
        case _:
            return None


_AWAY = (
    (2 * DAY_MS, DAY_MS, text("the server was away for {n} {n:day|days}; no clock ran").template),
    (2 * HOUR_MS, HOUR_MS, text("the server was away for {n} {n:hour|hours}; no clock ran").template),
    (MINUTE_MS, MINUTE_MS, text("the server was away for {n} {n:minute|minutes}; no clock ran").template),
    (SECOND_MS, SECOND_MS, text("the server was away for {n} {n:second|seconds}; no clock ran").template),
)


def _of_away(ms: int) -> Text:
    """Return for how long no clock ran, in a unit of which there is one at least, and of long ones two."""
    for least, unit, template in _AWAY:
        if ms >= least:
            return text(template, n=ms // unit)
    return text("the server was away for less than a second; no clock ran")


def _of_keeper(entry: Entry, who: str, titles: Mapping[Side, str]) -> Text | None:
    """Return words for what a referee, the server, or whoever waits for dice does."""
    match entry.act:
        case Referee(text=said):
            return text("referee {player}: {said}", player=who, said=str(said))
        case SetClock(side=side, left_ms=left):
            side = titles.get(side, side)
            return text("referee {player} sets the clock of {side} to {n} {n:minute|minutes}", player=who, side=side, n=left // MINUTE_MS)
        case Admit():
            return text("{player} changes what spectators see", player=who)
        case Away(ms=ms):
            return _of_away(ms)
        case TakenOver():
            return text("a server took the game over, from another or from a backup: its dice come from a new chain")
        case Late(participant=late, came=True):
            return text("the dice link of {player} has come", player=late)
        case Late(participant=late):
            return text("the dice wait for {player}", player=late)
        case Fallback(participant=late, choice="unwitnessed"):
            return text("{player} goes on without the dice link of {late}", player=who, late=late)
        case Fallback(participant=late, choice="wait"):
            return text("{player} goes on waiting for {late}", player=who, late=late)
        case Fallback(participant=late):
            return text("{player} claims the game, as the dice link of {late} stayed away", player=who, late=late)
        case _:
            return None

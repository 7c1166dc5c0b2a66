"""What a table has agreed on, in words: clock, dice, spectators."""

from __future__ import annotations

from collections.abc import Mapping

from client.durations import how_long, span
from client.qt import QCoreApplication
from client.words import capital, say
from core.terms import CLOSED, OPEN, TABLE, ClockTerms, DiceTerms, SpectatorTerms, Terms
from core.text import text
from core.units import Side


def tr(words: str) -> str:
    """Return words of this module in the player's language."""
    return QCoreApplication.translate("termwords", words)


def clock_words(clock: ClockTerms) -> str:
    """Return how long each side may think."""
    time = span(clock.time_ms)
    match clock.kind:
        case "none":
            return tr("no clock")
        case "fischer" if clock.increment_ms:
            words = tr("{time}, and {more} more for each phase").format(time=time, more=span(clock.increment_ms))
        case "absolute" | "fischer":
            words = tr("{time} for the game").format(time=time)
        case "turn":
            words = tr("{time} for each turn").format(time=time)
    flags = {"lose": tr("who runs out of time loses"), "claim": tr("then the others may claim"), "show": tr("only shown")}
    return f"{words}; {flags[clock.on_flag]}"


def dice_words(dice: DiceTerms) -> str:
    """Return where the dice come from."""
    if dice.kind == "server":
        return tr("dice of the server")
    return tr("dice witnessed by all who play; after {time} without a link the others choose").format(time=how_long(dice.wait_ms))


def view_titles(sides: Mapping[Side, str]) -> dict[str, str]:
    """Return what spectators may be shown, by its name in the terms."""
    titles = {TABLE: tr("what lies open"), OPEN: tr("everything"), CLOSED: tr("nothing until the end")}
    return titles | {side: tr("what the {side} sees").format(side=title) for side, title in sides.items()}


def delay_words(spectators: SpectatorTerms) -> str:
    """Return how much later spectators see it, empty if at once."""
    parts = []
    if spectators.delay_entries:
        parts.append(say(text("{n} {n:entry|entries}", n=spectators.delay_entries)))
    if spectators.delay_ms:
        parts.append(how_long(spectators.delay_ms))
    return tr("{time} later").format(time=" + ".join(parts)) if parts else ""


def late_words(spectators: SpectatorTerms) -> str:
    """Return in short how much later spectators see a game than it is played; empty if at once."""
    if spectators.view == CLOSED:
        return tr("Held until the end")
    return capital(delay_words(spectators))


def spectator_words(spectators: SpectatorTerms, sides: Mapping[Side, str]) -> str:
    """Return what spectators see, and when."""
    what = view_titles(sides).get(spectators.view, spectators.view)
    words = tr("spectators see {what}").format(what=what)
    late = delay_words(spectators)
    return f"{words}, {late}" if late else words


def ruling_words(terms: Terms) -> list[str]:
    """Return who owns the game, and who may rule in it and end it."""
    owner = [tr("begun by {owner}").format(owner=terms.owner)] if terms.owner else []
    names = ", ".join(terms.referees)
    return [*owner, tr("who may rule in it, and end it: {names}").format(names=names)] if names else owner


def short(terms: Terms, sides: Mapping[Side, str]) -> str:
    """Return the terms in one line, as far as they are not the usual ones."""
    parts = []
    if terms.clock.kind != "none":
        parts.append(clock_words(terms.clock))
    if terms.dice.kind != "server":
        parts.append(tr("witnessed dice"))
    if terms.spectators.view != TABLE or delay_words(terms.spectators):
        parts.append(spectator_words(terms.spectators, sides))
    if terms.referees:
        parts.append(tr("referees: {names}").format(names=", ".join(terms.referees)))
    return " · ".join(parts)

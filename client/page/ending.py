"""How a game ended, for the card that tells it: the score with its arithmetic and rules."""

from __future__ import annotations

from client import reading
from client.session.match import Match
from client.session.words import LogLine
from client.words import say


def score_words(match: Match) -> str:
    """Return the score of the shown end by side, and what each part of it counts, with its rule; empty while the game goes on."""
    if match.outcome is None or not match.outcome.score:  # as where the table ended it: the rules have counted nothing for that
        return ""
    sums = ", ".join(f"{reading.title_of(match, side)} {points}" for side, points in match.outcome.score.items())
    line = _counted(match)
    counted = [figure for figure in line.figures if figure.total and figure.rules] if line is not None else []
    parts = [f"{say(figure.name)} {figure.total} ({', '.join(figure.rules)})" for figure in counted]
    if parts and len(match.outcome.score) == 1:
        return f"{sums} = {' + '.join(parts)}"
    return "\n".join(filter(None, (sums, ", ".join(parts))))


def _counted(match: Match) -> LogLine | None:
    """Return the line of the log that counts the score."""
    if not match.moments():
        return None
    return next((line for line in reversed(match.lines(match.cursor)) if line.kind == "other" and line.figures), None)

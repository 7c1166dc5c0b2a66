"""Whether a game that comes is the one that was asked for, or listed: other dice, clocks, options or referees are easily overlooked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from client.connection.fouls import Foul
from client.connection.listed import GameList
from core import protocol
from core.errors import BadInput
from core.gamefile import Head
from core.pack import Manifest, chosen_options
from core.terms import Terms
from core.text import text

ANOTHER = "the game is another than you asked for, unless somebody else has begun one of that name: {what} differ"
OWNED = "{game}: {owner} owns the game that you asked for"
NOT_AS_LISTED = "{game}: the game is another than was listed as you took your seat: {what} differ"


class Agreed:
    """Keeps what was asked for of one server, and what was listed, until it comes.

    Args:
        tell: called where a game is another than was asked for.
        remark: called where it may be so by somebody else's doing.
    """

    def __init__(self, tell: Callable[[Foul], None], remark: Callable[[str], None]) -> None:
        self._tell, self._remark = tell, remark
        self._asked: dict[str, protocol.CreateGame] = {}
        self._refused: set[str] = set()  # those of them that may have been refused, and begun all the same, or by somebody else
        self._listed: dict[str, protocol.GameLine] = {}

    def sends(self, frame: protocol.Frame, games: GameList) -> None:
        """Keep what a frame asks for, as the games are listed by then."""
        if isinstance(frame, protocol.CreateGame):
            self._asked[frame.game] = frame
            self._refused.discard(frame.game)
        elif isinstance(frame, protocol.TakeSeat) and (line := games.line(frame.game)) is not None:
            self._listed[frame.game] = line

    def was_refused(self, game: str, *, why: str) -> None:
        """Something was refused at a game; it may have been to begin it. *why*: the words, before what they tell of is filled in."""
        if why.startswith(protocol.ANOTHER_IS_HERE):
            self._asked.pop(game, None)
        elif game in self._asked:
            self._refused.add(game)

    def comes(self, head: Head, manifest: Manifest, name: str) -> None:
        """A game is opened: tell once what of it is otherwise than it was to be; *name* is ours."""
        asked, line, refused = self._asked.pop(head.game, None), self._listed.pop(head.game, None), head.game in self._refused
        self._refused.discard(head.game)
        if asked is not None and (what := ", ".join(_differ_from_asked(asked, head, manifest))):
            if refused:
                self._remark(f"{head.game}: {text(ANOTHER, what=what)}")
            else:
                self._tell(Foul(head.game, text(ANOTHER, what=what)))
        if asked is not None and not refused and head.terms.owner != name:
            self._remark(OWNED.format(game=head.game, owner=head.terms.owner or "nobody"))
        if line is not None and (what := ", ".join(_differ_from_listed(line, head))):
            self._remark(NOT_AS_LISTED.format(game=head.game, what=what))


def _differ_from_asked(asked: protocol.CreateGame, head: Head, manifest: Manifest) -> Iterator[str]:
    try:
        options: object = chosen_options(manifest, asked.options)
    except BadInput:  # the pack that came has none of these
        options = asked.options
    yield from _differ(
        rules=((asked.ruleset, asked.scenario), (head.ruleset, head.scenario)), options=(options, head.options),
        seats=(asked.terms.seats, head.terms.seats), spectators=(asked.terms.spectators, head.terms.spectators),
    )
    yield from _terms_differ(asked.terms, head.terms)


def _differ_from_listed(line: protocol.GameLine, head: Head) -> Iterator[str]:
    yield from _differ(rules=((line.ruleset, line.scenario), (head.ruleset, head.scenario)), owners=(line.owner, head.terms.owner))
    yield from _terms_differ(line.terms, head.terms)


def _terms_differ(wanted: Terms, got: Terms) -> Iterator[str]:
    yield from _differ(clocks=(wanted.clock, got.clock), dice=(wanted.dice, got.dice), referees=(wanted.referees, got.referees))


def _differ(**pairs: tuple[object, object]) -> Iterator[str]:
    """Yield the names of what is wanted and not got so."""
    yield from (name for name, (wanted, got) in pairs.items() if wanted != got)

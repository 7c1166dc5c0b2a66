"""What the header, the timeline and the reach overlay say of a match: read from its view, formatted for people. Knows no widgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from client.map.overlays import Reachable
from client.map.palette import Palette, side_colour, turn_tint
from client.panels.header import PhaseChip
from client.panels.timeline import TurnBlock
from client.qt import QCoreApplication
from client.session.match import LoggedMatch, Match, Moment
from client.session.remote import RemoteMatch
from client.words import capital, say, side_title
from core.board import OUT, Hex, HexFacts
from core.ruleset import Way
from core.text import Text, text
from core.units import Side

TAKEN_KEYS = frozenset("BFGIKLMNPQWX")  # letters that are keys of the window, or shall be


def tr(words: str) -> str:
    """Return words of this module in the player's language."""
    return QCoreApplication.translate("reading", words)


def colour_of(match: Match, palette: Palette, side: Side) -> str:
    """Return a side's colour in a theme."""
    return side_colour(palette, match.setting.sides, match.manifest.side_colours, side)


def title_of(match: Match, side: Side) -> str:
    """Return a side's name for people."""
    return side_title(match.manifest, side)


def phase_chips(match: Match, palette: Palette) -> tuple[PhaseChip, ...]:
    """Return the running turn's phases; before the first all are still to come."""
    view = match.view
    phases = view.ruleset.phases(view)
    names = [phase for phase, _ in phases]
    now = names.index(view.position.phase) if view.position.phase in names else -1
    return tuple(
        PhaseChip(
            say(view.ruleset.phase_name(phase)),
            colour_of(match, palette, side),
            "now" if i == now else "done" if i < now else "next",
        )
        for i, (phase, side) in enumerate(phases)
    )


def waits_for(match: Match) -> str:
    """Return who decides, or that the game is over."""
    side = match.view.side_to_act()
    if not side or match.outcome is not None:  # where the table ended it, the position still waits for somebody
        return tr("Game over")
    if match.may_act:
        return tr("{side}: your decision").format(side=title_of(match, side))
    return tr("{side} decides").format(side=title_of(match, side))


def held_up(match: RemoteMatch) -> str:
    """Return what a server's game waits for besides a decision: a pause's end, or a link of the dice; empty if for nothing."""
    if match.outcome is not None or not match.is_live:
        return ""
    if match.match.table.paused:
        return tr("The game is paused")
    late = match.late_names()
    if match.player in late:
        return tr("The dice wait for your program")
    return tr("The dice wait for {players}").format(players=", ".join(late)) if late else ""


_READ_AS = {  # what reads better where the winner is named before it, or has to be named
    text("{side} claimed the game: the others had no time left").template:
        text("{side} wins by claim: the others had no time left").template,
    text("{side} claimed the game, as a link of the dice stayed away").template:
        text("{side} wins by claim: a link of the dice stayed away").template,
    text("ended by {player}: {why}").template: text("{why} (ended by {player})").template,
}


def result_of(match: Match) -> str:
    """Return how the game has ended at the moment that is shown: who won, and by what; empty while it goes on."""
    outcome = match.outcome
    if outcome is None:
        return ""
    ended = match.match.table.ended if isinstance(match, LoggedMatch) and match.is_live else None
    if ended is None:
        return outcome.result  # the rulebook's words name the winner
    titles = match.manifest.side_titles
    told = {name: titles.get(str(value), value) if name == "side" else value for name, value in ended.text.args.items()}
    why = say(Text(_READ_AS.get(ended.text.template, ended.text.template), told))
    if not ended.winner or ended.text.args.get("side") == ended.winner:  # who claimed the game is named already
        return capital(why)
    return tr("{winner} wins: {why}").format(winner=title_of(match, ended.winner), why=why)


def score_line(match: Match) -> str:
    """Return the victory points by side."""
    return " · ".join(f"{title_of(match, side)} {points}" for side, points in match.setting.ruleset.score(match.view).items())


def turn_line(match: Match) -> str:
    """Return the turn with its date."""
    view = match.view
    turn = view.position.turn
    return tr("Turn {turn} · {date}").format(turn=turn, date=say(view.ruleset.turn_name(view, turn)))


def turn_blocks(match: Match, palette: Palette) -> list[TurnBlock]:
    """Return every turn of the scenario with its weather's tint and the moments that it holds."""
    view, scenario = match.view, match.setting.scenario
    blocks, held = [], dict[int, tuple[int, int]]()
    for run in match.course.runs:
        held[run.turn] = held.get(run.turn, (run.first, 0))[0], run.last
    for turn in range(scenario.first_turn, scenario.last_turn + 1):
        name = f"{turn} · {say(view.ruleset.turn_name(view, turn))}"
        tint = turn_tint(palette, view.ruleset.weather(view, turn))
        blocks.append(TurnBlock(name, tint, *held.get(turn, (0, -1))))
    return blocks


def moves_since(match: Match, of: str) -> list[list[Hex]]:
    """Return the paths of all moves up to the shown moment, each with where it began.

    *of*: ``phase`` from the beginning of the shown phase, ``turn`` from that of the turn before; empty for none.
    """
    moments, index = match.moments(), match.cursor
    if not moments or not of:
        return []
    now, first = moments[index], index

    def counts(there: Moment) -> bool:
        return there.turn >= now.turn - 1 if of == "turn" else (there.turn, there.phase) == (now.turn, now.phase)

    while first > 0 and counts(moments[first - 1]):
        first -= 1
    paths = []
    for i in range(first, index + 1):
        for route in match.moves(i):
            places = (route.start, *route.move.path)
            hexes = [Hex(place) for place, before in zip(places, (OUT, *places), strict=False) if place >= 0 and place != before]
            if len(hexes) >= 2:
                paths.append(hexes)
    return paths


def moment_card(match: Match, index: int) -> str:
    """Return the words for a moment of the timeline."""
    moment = match.moments()[index]
    who = title_of(match, moment.side) if moment.side else tr("set-up")
    phase = say(match.setting.ruleset.phase_name(moment.phase))
    return tr("Turn {turn}, {phase}\nEntry {number}, {who}").format(turn=moment.turn, phase=phase, number=moment.number, who=who)


def quarters(cost: int) -> str:
    """Return quarter points as people write them.

    >>> quarters(10)
    '2½'
    """
    whole, part = divmod(cost, 4)
    fraction = ("", "¼", "½", "¾")[part]
    return f"{whole or ''}{fraction}" or "0"


def cost_words(way: Way) -> str:
    """Return what a way costs, of how much where all that go have the same."""
    cost, budget = way.cost_quarters, way.budget_quarters
    last = budget or cost
    of = say(Text(way.counted.template, {**way.counted.args, "n": last // 4 if last % 4 == 0 else 2}))  # half of them are several
    if budget:
        return tr("{cost} of {budget} {points}").format(cost=quarters(cost), budget=quarters(budget), points=of)
    return tr("{cost} {points}").format(cost=quarters(cost), points=of)


def reachable(ways: Mapping[Hex, Way]) -> dict[Hex, Reachable]:
    """Return reach in three tints by the share of the dearest way."""
    most = max((way.cost_quarters for way in ways.values()), default=0)
    return {
        here: Reachable(
            min(2, 3 * way.cost_quarters // (most + 1)), quarters(way.cost_quarters) if most else "", way.warning is not None, way.barred
        )
        for here, way in ways.items()
    }


def overlay_keys(match: Match) -> dict[str, str]:
    """Return a letter for each overlay of the ruleset: the first of its name that no other action has."""
    keys: dict[str, str] = {}
    for name in match.setting.ruleset.overlays:
        free = (letter for letter in name.upper() if letter.isalpha() and letter not in TAKEN_KEYS | set(keys.values()))
        keys[name] = next(free, "")
    return keys


def overlay_title(name: str) -> str:
    """Return an overlay's name for people: ``ZOC``, ``Supply cuts``; a short word is an abbreviation."""
    return name.upper() if len(name) <= 3 else capital(name.replace("_", " "))


def find_hex(match: Match, words: str) -> Hex | None:
    """Return the hex of a label, of the end of one, or of a place's name; None if there is none."""
    wanted, facts = words.strip().casefold(), match.setting.board.facts
    if not wanted:
        return None
    tests: tuple[Callable[[HexFacts], bool], ...] = (
        lambda fact: fact.label.casefold() == wanted,
        lambda fact: fact.label[-4:] == wanted,
        lambda fact: fact.name.casefold() == wanted,
        lambda fact: fact.name.casefold().startswith(wanted),
    )
    for test in tests:
        for index, fact in enumerate(facts):
            if test(fact):
                return Hex(index)
    return None

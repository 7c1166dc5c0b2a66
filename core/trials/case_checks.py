"""What a case expects, held against a position: each difference is a line of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from core.errors import BadInput, Refused
from core.events import Event, Explained, Line
from core.options import options, refusal
from core.orders import HexPick, OptionPick, Pick, UnitPick, name_of, picks_of, value_of
from core.trials.case_board import hexes_in
from core.trials.case_file import ExpectText, OrderText
from core.trials.case_orders import Units, parse
from core.trials.case_units import find_chit, full_chit
from core.units import UnitId
from core.views import View

Differences = Iterator[str]


class Look:
    """A position that is looked at, with the names of the case and the events of its last step."""

    def __init__(self, view: View, units: Units, happened: Iterable[Event]) -> None:
        self.view = view
        self.units = units
        self.happened = tuple(happened)

    def label(self, unit: UnitId) -> str:
        """Return where a unit is: the label of a hex or box."""
        return self.view.board.label(self.view.position.units[unit].place) if unit in self.view.position.units else "out"


def differences(look: Look, expect: ExpectText) -> list[tuple[str, str]]:
    """Return what is not as expected, a line each with the key that expects it; empty if all holds."""
    found: list[tuple[str, str]] = []
    for key, check in CHECKS.items():
        try:
            found.extend((key, line) for line in check(look, expect))
        except BadInput as error:
            found.extend((key, str(fault)) for fault in error.faults)
    return found


def cites(rule: str, wanted: str) -> bool:
    """Say whether a rule is the one that was expected; a paragraph stands for its parts too: 5.24 for 5.24a.

    >>> cites("5.24a", "5.24"), cites("5.24", "5.24a"), cites("5.241", "5.24")
    (True, False, False)
    """
    return rule == wanted or (rule[:-1] == wanted and rule[-1:].isalpha())


# -------------------------------------------------------------------- units


def _at(look: Look, expect: ExpectText) -> Differences:
    for word, place in expect.at.items():
        for unit in look.units.find(look.view, word):
            if look.label(unit) != place:
                yield f"{word} is at {look.label(unit)}, not at {place}"


def _steps(look: Look, expect: ExpectText) -> Differences:
    for word, steps in expect.steps.items():
        for unit in look.units.find(look.view, word):
            if look.view.unit(unit).steps != steps:
                yield f"{word} has {look.view.unit(unit).steps} steps, not {steps}"


def _values(look: Look, expect: ExpectText) -> Differences:
    for word, values in expect.values.items():
        for unit in look.units.find(look.view, word):
            shown = look.view.ruleset.counter(look.view, unit).values
            if shown != values:
                yield f"{word} shows {shown}, not {values}"


def _chits(look: Look, expect: ExpectText) -> Differences:
    chits = look.view.ruleset.vocabulary(look.view.setting).chits
    for word, text in expect.chits.items():
        for unit in look.units.find(look.view, word):
            under, kind = look.view.position.chits.get(unit, ""), look.view.type(unit)
            inner = text.strip("[] ")
            back = inner.endswith(" back")
            wanted = find_chit(chits, kind.cup, inner.removesuffix(" back").removesuffix(" front"), back=back) if text else ""
            if text and not wanted:
                raise BadInput.one(f"chit of {word}", f"a chit of cup {kind.cup}", text)
            if under != wanted:
                yield f"{word} has the chit {under or 'none'}, not {wanted or 'none'}"
            elif text and (back or inner.endswith(" front")) and back == (look.view.unit(unit).steps == kind.steps):
                yield f"{word} has its chit's {'front' if back else 'back'} up"


def _marks(look: Look, expect: ExpectText) -> Differences:
    for word, text in expect.marks.items():
        for unit in look.units.find(look.view, word):
            for mark, value in _mark_words(text):
                is_now = look.view.position.mark(unit, mark)
                if (value is None and not is_now) or (value is not None and is_now != value):
                    yield f"{word} has {mark} {is_now}, not {'any' if value is None else value}"


def _mark_words(text: str) -> Iterator[tuple[str, int | None]]:
    """Yield each mark with the value it must have: 0 for ``!mark``, None for any."""
    for word in text.replace(",", " ").split():
        mark, _, value = word.removeprefix("!").partition("=")
        yield mark, 0 if word.startswith("!") else int(value) if value else None


# -------------------------------------------------------------------- places


def _hexes(look: Look, expect: ExpectText) -> Differences:
    for label, words in expect.hexes.items():
        wanted = {unit for word in words.replace(",", " ").split() for unit in look.units.find(look.view, word)}
        there = set(look.view.position.at(look.view.board.place(label)))
        if wanted != there:
            yield f"{label} holds {_names(look, there)}, not {_names(look, wanted)}"


def _names(look: Look, units: Iterable[UnitId]) -> str:
    return ", ".join(look.view.name(unit) for unit in sorted(units)) or "nothing"


def _empty(look: Look, expect: ExpectText) -> Differences:
    for label in hexes_in(expect.empty):
        there = look.view.position.at(look.view.board.place(label))
        if there:
            yield f"{label} holds {_names(look, there)}, and should be empty"


def _control(look: Look, expect: ExpectText) -> Differences:
    for label, side in expect.control.items():
        held = look.view.position.control.get(look.view.board.hex(label), "")
        if held != side:
            yield f"{label} is held by {held or 'nobody'}, not by {side or 'nobody'}"


def _hex_marks(look: Look, expect: ExpectText) -> Differences:
    for labels, text in expect.hex_marks.items():
        for label in hexes_in(labels):
            for mark, value in _mark_words(text):
                is_now = look.view.position.place_mark(look.view.board.hex(label), mark)
                if (value is None and not is_now) or (value is not None and is_now != value):
                    yield f"{label} has {mark} {is_now}, not {'any' if value is None else value}"


def _tracks(look: Look, expect: ExpectText) -> Differences:
    for track, value in expect.tracks.items():
        if look.view.position.tracks.get(track, 0) != value:
            yield f"track {track} stands at {look.view.position.tracks.get(track, 0)}, not at {value}"


def _cups(look: Look, expect: ExpectText) -> Differences:
    chits = look.view.ruleset.vocabulary(look.view.setting).chits
    for cup, counts in expect.cups.items():
        held = look.view.position.cups.get(cup, {})
        for words, count in counts.items():
            number = sum(held.values()) if words == "all" else held.get(full_chit(chits, f"{cup} {words}") or words, 0)
            if number != count:
                yield f"cup {cup} holds {number} of {words}, not {count}"


# -------------------------------------------------------------------- what was told


def _explained(look: Look, expect: ExpectText) -> Differences:
    wanted: Mapping[str, str] = {**expect.explained, **({} if expect.result is None else {"result": expect.result})}
    for key, text in wanted.items():
        told = list(_lines(look, key))
        if not told:
            yield f"nothing explains {key}"
        elif text not in _tellings(told[-1]):
            yield f"{key} is {told[-1].value} = {', '.join(_tellings(told[-1])[1:])}; not {text}"


def _lines(look: Look, key: str) -> Iterator[Line]:
    """Yield the lines of this key, which may name its subject first: ``battle.attack``."""
    subject, dot, name = key.partition(".")
    for event in look.happened:
        if isinstance(event, Explained) and (not dot or event.subject == subject):
            yield from (line for line in event.lines if line.key == (name if dot else key))


def _tellings(line: Line) -> list[str]:
    """Return the ways to tell a figure: its value, its sum, each of its parts with the rule, and with the words."""
    with_rules = [f"{part.value} ({part.rule})" for part in line.parts if part.rule]
    return [line.value, str(line), *with_rules, *(f"{part.value} {part.text}" for part in line.parts)]


# -------------------------------------------------------------------- what may be done


def _decides(look: Look, expect: ExpectText) -> Differences:
    side = look.view.side_to_act()
    if expect.decides is not None and side != expect.decides:
        yield f"{side or 'nobody'} decides ({look.view.prompt() or 'nothing is asked'}), not {expect.decides or 'nobody'}"


def _may(look: Look, expect: ExpectText) -> Differences:
    if expect.may is not None:
        doors = {str(value_of(pick)) for pick in options(look.view).picks}
        wanted = set(expect.may.replace(",", " ").split())
        if doors != wanted:
            yield f"the orders that are open are {', '.join(sorted(doors)) or 'none'}, not {', '.join(sorted(wanted)) or 'none'}"


def _accepted(look: Look, expect: ExpectText) -> Differences:
    for text in expect.accepted:
        closed = refusal(look.view, parse(look.view, look.units, text))
        if closed is not None:
            yield f"{shown(text)}: refused: {closed}"


def _refused(look: Look, expect: ExpectText) -> Differences:
    for text, rule in expect.refused.items():
        yield from wrong_refusal(text, refusal(look.view, parse(look.view, look.units, text)), rule)


def wrong_refusal(text: OrderText, closed: Refused | None, rule: str) -> Differences:
    """Yield how a refusal is not the one that was expected."""
    if closed is None:
        yield f"{shown(text)}: accepted, and should be refused by {rule}"
    elif not cites(closed.rule, rule):
        yield f"{shown(text)}: refused by {closed.rule}, not by {rule}: {closed.text}"


def _next(look: Look, expect: ExpectText) -> Differences:
    for text, words in expect.next.items():
        draft = parse(look.view, look.units, text)
        open_now = options(look.view, (OptionPick(name_of(draft)), *picks_of(draft))).picks
        wanted = {pick for word in words.replace(",", " ").split() for pick in _picks(look, word)}
        if set(open_now) != wanted:
            yield f"after {text} are offered: {_said(look, open_now)}; not: {_said(look, wanted)}"


def _picks(look: Look, word: str) -> list[Pick]:
    board = look.view.board
    if all(board.has(label) for label in hexes_in(word)):
        return [HexPick(board.hex(label)) for label in hexes_in(word)]
    if look.units.looks_like_unit(word) or ":" in word:
        return [UnitPick(unit) for unit in look.units.find(look.view, word)]
    return [OptionPick(word)]


def _said(look: Look, picks: Iterable[Pick]) -> str:
    return ", ".join(sorted(look.view.name_pick(pick) for pick in picks)) or "nothing"


# -------------------------------------------------------------------- the game


def _game(look: Look, expect: ExpectText) -> Differences:
    position = look.view.position
    outcome = position.outcome
    facts: list[tuple[str, object, object]] = [
        ("turn", position.turn, expect.turn),
        ("phase", position.phase, expect.phase),
        ("outcome", outcome.result if outcome else "none yet", expect.outcome),
        ("winner", outcome.winner if outcome else "none yet", expect.winner),
    ]
    for name, is_now, wanted in facts:
        if wanted is not None and is_now != wanted:
            yield f"{name} is {is_now}, not {wanted}"
    scores = look.view.ruleset.score(look.view) if expect.score else {}
    for side, points in expect.score.items():
        if scores.get(side) != points:
            yield f"score of {side} is {scores.get(side, 'none')}, not {points}"


def shown(text: OrderText) -> str:
    """Return an order as the case writes it."""
    return text if isinstance(text, str) else ", ".join(f"{key} {value}" for key, value in text.items())


CHECKS: dict[str, Callable[[Look, ExpectText], Differences]] = {
    "at": _at,
    "steps": _steps,
    "values": _values,
    "chits": _chits,
    "marks": _marks,
    "hexes": _hexes,
    "empty": _empty,
    "control": _control,
    "hex_marks": _hex_marks,
    "tracks": _tracks,
    "cups": _cups,
    "explained": _explained,
    "decides": _decides,
    "may": _may,
    "accepted": _accepted,
    "refused": _refused,
    "next": _next,
    "outcome": _game,
}

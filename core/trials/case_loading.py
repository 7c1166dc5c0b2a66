"""Loading case files: text into a case that can be run, or all faults of the file."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import msgspec

from core.board import Board
from core.datafile import TomlFile
from core.errors import BadInput
from core.pack import Arrival, Pack, Scenario, Section, build_board, chosen_options
from core.position import Position
from core.ruleset import Ruleset
from core.setting import Setting
from core.trials import case_board, case_file, case_units
from core.trials.case_file import CaseText, ExpectText, OrderText, Source, StateText, StepText
from core.trials.case_orders import FILLERS
from core.trials.case_units import Catalogue, Counter
from core.views import View


class Case(msgspec.Struct, frozen=True):
    """A case that can be run.

    *open* tells why it can't pass yet, empty if it must pass. *counters* are those of the set-up, and of each step that adds some.
    """

    id: str
    text: CaseText
    setting: Setting
    counters: tuple[tuple[Counter, ...], ...]
    source: Source

    @property
    def title(self) -> str:
        """Return the case's title."""
        return self.text.title

    @property
    def rules(self) -> tuple[str, ...]:
        """Return the rules that the case proves, as its file spells them."""
        return self.text.rules


class Library:
    """What cases stand on: packs, rulesets and ledgers, each read once.

    Args:
        ruleset: returns a ruleset by its name; BadInput if there is none.
        pack: returns its pack.
        ledger: returns the ids of its rules, None if there is no ledger.
    """

    def __init__(
        self,
        ruleset: Callable[[str], Ruleset],
        pack: Callable[[str], Pack],
        ledger: Callable[[str], Collection[str] | None],
    ) -> None:
        self.ruleset = ruleset
        self.pack = pack
        self.ledger = ledger
        self._boards: dict[tuple[str, str, tuple[str, ...]], Board] = {}
        self._charts: dict[str, Any] = {}

    def board(self, pack: Pack, scenario: Scenario) -> Board:
        """Return a scenario's own map."""
        key = (pack.digest, scenario.id, scenario.sections)
        if key not in self._boards:
            self._boards[key] = build_board(pack, scenario)
        return self._boards[key]

    def charts(self, ruleset: Ruleset, pack: Pack) -> Any:
        """Return a pack's charts."""
        if pack.digest not in self._charts:
            self._charts[pack.digest] = ruleset.charts(pack)
        return self._charts[pack.digest]


def rules_of(ids: Collection[str], wanted: str) -> tuple[str, ...]:
    """Return the ids of a ledger that a rule stands for: itself, or all parts of a paragraph.

    >>> rules_of(["5.24a", "5.24b", "5.25"], "5.24")
    ('5.24a', '5.24b')
    """
    if wanted in ids:
        return (wanted,)
    return tuple(id for id in ids if id[:-1] == wanted and id[-1].isalpha())


# -------------------------------------------------------------------- loading


def load(name: str, data: bytes, library: Library) -> Case:
    """Return the case of a file.

    Args:
        name: of the file, for messages; the case is called by its last part.

    Raises:
        BadInput: with every fault of the file.
    """
    file = TomlFile(name, data)
    source = Source(file)
    text = case_file.read(source, file.tree)
    source.faults.check()
    assert text is not None
    ruleset, pack = library.ruleset(text.game), library.pack(text.game)
    _check_rules(source, text, library.ledger(text.game))
    setting = _setting(source, text, ruleset, pack, library)
    if setting is None:
        source.faults.check()
    assert setting is not None
    catalogue = Catalogue(setting.types, ruleset.vocabulary(setting))
    states: list[tuple[StateText, str]] = [(text, "")] + [(step.change, f"step[{i}].change.") for i, step in enumerate(text.step)]
    counters = tuple(tuple(case_units.counters(source, catalogue, state.units, f"{path}units")) for state, path in states)
    case = Case(name.replace("\\", "/").rpartition("/")[2].removesuffix(".toml"), text, setting, counters, source)
    _check_words(case, states)
    source.faults.check()
    return case


def _check_rules(source: Source, text: CaseText, ids: Collection[str] | None) -> None:
    if not text.rules:
        source.fault("rules", "at least one rule that the case proves", "none")
    for rule in text.rules if ids is not None else ():
        assert ids is not None
        if not rules_of(ids, rule):
            source.fault("rules", "a rule of the game's ledger", rule)


def _setting(source: Source, text: CaseText, ruleset: Ruleset, pack: Pack, library: Library) -> Setting | None:
    if text.scenario not in pack.scenarios:
        source.fault("scenario", "one of " + ", ".join(sorted(pack.scenarios)), text.scenario)
        return None
    try:
        chosen = chosen_options(pack.manifest, text.options)
    except BadInput as error:
        for fault in error.faults:
            source.fault("options", fault.expected, fault.got)
        return None
    scenario = ruleset.scenario_with(pack.scenarios[text.scenario], chosen)
    board = _board(source, text, pack, scenario, library)
    arrivals = scenario.arrival if text.arrival is None else tuple(Arrival(a.turn, a.side, a.units) for a in text.arrival)
    scenario = msgspec.structs.replace(scenario, rules={**scenario.rules, **text.special}, arrival=arrivals)
    return Setting(
        ruleset=ruleset,
        board=board,
        types=dict(pack.types),
        charts=library.charts(ruleset, pack),
        scenario=scenario,
        options=chosen,
        sides=pack.manifest.sides,
        pack=pack.digest,
    )


def _board(source: Source, text: CaseText, pack: Pack, scenario: Scenario, library: Library) -> Board:
    if text.board is None:
        return library.board(pack, scenario)
    numbering = text.board.numbering
    if numbering is None:
        file = pack.toml(f"map/{scenario.sections[0]}/section.toml")
        found = file.struct(file.tree, Section, "", source.faults)
        assert isinstance(found, Section)
        numbering = found
    own = case_board.is_own_board(text.board)
    if own and text.setup:
        source.fault("setup", "the scenario's map for its set-up", "a board of one's own")
    base = None if own else library.board(pack, scenario)
    return case_board.make(text.board, numbering, source, pack.manifest.boxes, base)


def _check_words(case: Case, states: list[tuple[StateText, str]]) -> None:
    """Note what names no place, mark, chit, unit or order."""
    source, board = case.source, case.setting.board
    known = {counter.handle for some in case.counters for counter in some} | set(case.text.called)
    for handle in known:
        if handle.lower() in FILLERS or board.has(handle) or handle[:1] in "#*+" or "@" in handle or ":" in handle:
            source.fault(f"units.{handle}", "a name that is no hex and no word of the order grammar", handle)
    for (state, path), counters in zip(states, case.counters, strict=True):
        for counter in counters:
            if not (board.has(counter.place) or counter.place in board.boxes):
                source.fault(f"{path}units.{counter.handle}", "a hex of the board or a box: " + ", ".join(board.boxes), counter.place)
        _check_state(case, state, path, known)
    for i, step in enumerate(case.text.step):
        _check_orders(case, step, f"step[{i}]")
        _check_chits(case, step.draws, f"step[{i}].draws")
        _check_expect(case, step.expect, f"step[{i}].expect")
    _check_orders(case, StepText(expect=case.text.expect), "")
    _check_expect(case, case.text.expect, "expect")
    _check_moments(case)
    _check_chits(case, case.text.draws, "draws")


def _check_moments(case: Case) -> None:
    text, setting = case.text, case.setting
    if text.phase and text.turn is None:
        case.source.fault("phase", "a turn besides", "none")
    phases = [name for name, _ in setting.ruleset.phases(View(setting, Position()))]
    moments = [(text.phase, "phase")] if text.phase else []
    moments += [(text.expect.phase, "expect.phase")] if text.expect.phase else []
    for i, step in enumerate(text.step):
        moments += [(step.begin.phase, f"step[{i}].begin")] if step.begin is not None else []
        moments += [(step.expect.phase, f"step[{i}].expect.phase")] if step.expect.phase else []
    for phase, path in moments:
        if phase not in phases:
            case.source.fault(path, "one of the phases " + ", ".join(phases), phase)
    for i, step in enumerate(text.step):
        given = [key for key in ("begin", "until", "order") if getattr(step, key)]
        if len(given) > 1:   # only the first would happen, and the case pass without the rest
            case.source.fault(f"step[{i}].{given[-1]}", "one of begin, until and order in a step", " and ".join(given))
        if step.until and step.until != "end" and step.until not in (*phases, *setting.ruleset.orders):
            case.source.fault(f"step[{i}].until", "a phase, an order's name or `end`", step.until)


def _check_state(case: Case, state: StateText, path: str, known: Collection[str]) -> None:
    source, setting = case.source, case.setting
    vocabulary = setting.ruleset.vocabulary(setting)
    for name in ("marks", "steps", "chits", "move"):
        for handle in getattr(state, name):
            if handle not in known and not set("@:#*") & set(handle):
                source.fault(f"{path}{name}.{handle}", "a unit of [units] or [called]", handle)
    for handle, text in state.marks.items():
        case_units.marks_in(source, vocabulary, text, f"{path}marks.{handle}")
    for mark, labels in state.hex_marks.items():
        case_units.marks_in(source, vocabulary, mark, f"{path}hex_marks.{mark}", of_hexes=True)
        _check_hexes(case, labels, f"{path}hex_marks.{mark}")
    for side, labels in state.control.items():
        if side not in setting.sides:
            source.fault(f"{path}control.{side}", " or ".join(setting.sides), side)
        _check_hexes(case, labels, f"{path}control.{side}")
    for handle, label in state.move.items():
        if not (setting.board.has(label) or label in setting.board.boxes):
            source.fault(f"{path}move.{handle}", "a hex of the board or a box: " + ", ".join(setting.board.boxes), label)
    for track in state.tracks:
        if track not in vocabulary.tracks:
            source.fault(f"{path}tracks.{track}", "one of " + ", ".join(sorted(vocabulary.tracks)), track)
    for cup, chits in state.cups.items():
        _check_chits(case, [f"{cup} {chit.partition(' x')[0]}" for chit in chits], f"{path}cups.{cup}")
        for chit in chits:
            case_units.number_at(source, chit.partition(" x")[2] or "1", f"{path}cups.{cup}")


def _check_expect(case: Case, expect: ExpectText, path: str) -> None:
    """Note what an expectation names that isn't there: a mistyped word must not pass as something that is missing."""
    source, setting, vocabulary = case.source, case.setting, case.setting.ruleset.vocabulary(case.setting)
    for word, text in expect.marks.items():
        case_units.marks_in(source, vocabulary, text, f"{path}.marks.{word}")
    for labels, text in expect.hex_marks.items():
        case_units.marks_in(source, vocabulary, text, f"{path}.hex_marks.{labels}", of_hexes=True)
        _check_hexes(case, labels, f"{path}.hex_marks.{labels}")
    for label in (*expect.control, *case_board.hexes_in(expect.empty)):
        _check_hexes(case, label, f"{path}.control" if label in expect.control else f"{path}.empty")
    for label in (*expect.at.values(), *expect.hexes):
        if not (setting.board.has(label) or label in setting.board.boxes):
            where = f"{path}.hexes" if label in expect.hexes else f"{path}.at"
            source.fault(where, "a hex of the board or a box: " + ", ".join(setting.board.boxes), label)
    for key, words, known in (
        ("tracks", list(expect.tracks), vocabulary.tracks),
        ("may", case_board.words(expect.may or ""), setting.ruleset.orders),
        ("decides", [expect.decides] if expect.decides else [], setting.sides),
        ("winner", [expect.winner] if expect.winner else [], setting.sides),
        ("score", list(expect.score), setting.sides),
        ("control", [side for side in expect.control.values() if side], setting.sides),
    ):
        for word in words:
            if word not in known:
                source.fault(f"{path}.{key}", "one of " + ", ".join(sorted(known)), word)
    _check_chits(case, [f"{cup} {chit}" for cup, chits in expect.cups.items() for chit in chits if chit != "all"], f"{path}.cups")


def _check_hexes(case: Case, labels: str, path: str) -> None:
    for label in case_board.hexes_in(labels):
        if not case.setting.board.has(label):
            case.source.fault(path, "a hex of the board", label)


def _check_chits(case: Case, chits: Collection[str], path: str) -> None:
    known = case.setting.ruleset.vocabulary(case.setting).chits
    for chit in chits:
        if not case_units.full_chit(known, chit):
            case.source.fault(path, "a chit with its cup, such as " + ", ".join(known[:3]), chit)


def _check_orders(case: Case, step: StepText, path: str) -> None:
    """Check the names of orders; their other words are read when they are given, since units come and go."""
    texts: list[tuple[OrderText, str]] = [(step.order, f"{path}.order")] if step.order else []
    texts += [(text, f"{path}.expect.accepted") for text in step.expect.accepted]
    texts += [(text, f"{path}.expect.refused") for text in step.expect.refused]
    texts += [(text, f"{path}.expect.next") for text in step.expect.next]
    orders = case.setting.ruleset.orders
    for text, where in texts:
        name = text.split()[0] if isinstance(text, str) else str(text.get("order", ""))
        if name not in orders:
            case.source.fault(where.lstrip("."), "an order's name first: " + ", ".join(sorted(orders)), name)

"""What the ledger of a rulebook asks for, and what of it stands in the code, the tests and the case files.

A ledger is ``core/rulesets/<ruleset>/rules.tsv``: one row a rule. A rule is *proved* if a test is marked with its id, or a case file names
it; *written* if its id stands in the ruleset's code; else *missing*. Rows tagged ``flavour`` hold nothing to play.
"""

from __future__ import annotations

import ast
import csv
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from core.errors import BadInput
from core.rulesets import NAMES

ROOT = Path(__file__).parent.parent
State = Literal["proved", "written", "missing", "flavour"]
STATES: tuple[State, ...] = ("proved", "written", "missing", "flavour")
COLUMNS = ["id", "title", "must", "tags"]
_NUMBER = r"\d+(?:\.\d+)+[a-z]?"
_CITED = re.compile(rf"(?<![\w.])({_NUMBER})(?: to ({_NUMBER}))?(?!\w)")
_CASE_KEYS = frozenset({"rule", "rules"})


class Rule(msgspec.Struct, frozen=True):
    """One row of a ledger."""

    id: str
    title: str
    must: str
    tags: frozenset[str]

    @property
    def paragraph(self) -> str:
        """Return the number that the rulebook prints: ``8.42`` of ``8.42a``."""
        return self.id.rstrip("abcdefghijklmnopqrstuvwxyz")


class Standing(msgspec.Struct, frozen=True):
    """How a rule stands: its state, and the tests and case files that prove it."""

    rule: Rule
    state: State
    tests: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()


def ledgers(root: Path = ROOT) -> tuple[str, ...]:
    """Return the rulesets that have a ledger."""
    return tuple(name for name in NAMES if (root / "core" / "rulesets" / name / "rules.tsv").is_file())


def read_ledger(ruleset: str, root: Path = ROOT) -> tuple[Rule, ...]:
    """Return the rules of a rulebook in the ledger's order.

    Raises:
        BadInput: there is no such ledger, or it isn't one.
    """
    if ruleset not in ledgers(root):
        raise BadInput.one("ruleset", "one of " + ", ".join(ledgers(root)), ruleset)
    with open(root / "core" / "rulesets" / ruleset / "rules.tsv", encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        if reader.fieldnames != COLUMNS:
            raise BadInput.one(f"{ruleset}/rules.tsv:1", ", ".join(COLUMNS), ", ".join(reader.fieldnames or ()))
        return tuple(Rule(row["id"], row["title"], row["must"], frozenset(filter(None, row["tags"].split(",")))) for row in reader)


def title_of_case(case: str, root: Path = ROOT) -> str:
    """Return the title of a case file that `named_in_cases` found; empty if it has none."""
    return str(tomllib.loads((root / case).read_text(encoding="utf-8")).get("title", ""))


def standings(ruleset: str, root: Path = ROOT) -> tuple[Standing, ...]:
    """Return how each rule of a ledger stands."""
    rules = read_ledger(ruleset, root)
    cited = cited_in_code(ruleset, rules, root)
    tests, cases = marked_in_tests(ruleset, root), named_in_cases(ruleset, root)
    return tuple(_standing(rule, rule.id in cited, tests.get(rule.id, ()), cases.get(rule.id, ())) for rule in rules)


def _standing(rule: Rule, cited: bool, tests: tuple[str, ...], cases: tuple[str, ...]) -> Standing:
    state: State = "missing"
    if tests or cases:
        state = "proved"
    elif "flavour" in rule.tags:
        state = "flavour"
    elif cited:
        state = "written"
    return Standing(rule, state, tests, cases)


def has_tests(root: Path = ROOT) -> bool:
    """Say whether the tests are here; an installed package has none."""
    return (root / "tests").is_dir()


# -------------------------------------------------------------------- the code


def cited_in_code(ruleset: str, rules: tuple[Rule, ...], root: Path = ROOT) -> frozenset[str]:
    """Return the ids that a ruleset's code cites; a printed number stands for all rows made of it, "9.41 to 9.47" for all between."""
    package = root / "core" / "rulesets" / ruleset
    found: set[str] = set()
    for file in sorted(package.rglob("*.py")):
        found |= cited_in(file.read_text(encoding="utf-8"), rules)
    return frozenset(found)


def cited_in(words: str, rules: tuple[Rule, ...]) -> set[str]:
    """Return the ids of a ledger that are cited in a text."""
    found: set[str] = set()
    for first, last in _CITED.findall(words):
        start = _rows(first, rules)
        end = _rows(last, rules) if last else start
        if start and end:
            found |= {rule.id for rule in rules[start[0] : end[-1] + 1]} if last else {rules[i].id for i in start}
    return found


def _rows(number: str, rules: tuple[Rule, ...]) -> list[int]:
    exact = [i for i, rule in enumerate(rules) if rule.id == number]
    return exact or [i for i, rule in enumerate(rules) if rule.paragraph == number]


# -------------------------------------------------------------------- the tests


def marked_in_tests(ruleset: str, root: Path = ROOT) -> dict[str, tuple[str, ...]]:
    """Return the tests that are marked with each id; a test that is skipped or expected to fail proves nothing."""
    found: dict[str, set[str]] = {}
    for file in sorted((root / "tests").rglob("test_*.py")):
        for test, ids in marks_of(file.read_text(encoding="utf-8"), ruleset):
            for id in ids:
                found.setdefault(id, set()).add(f"{file.relative_to(root).as_posix()}::{test}")
    return {id: tuple(sorted(tests)) for id, tests in found.items()}


def marks_of(source: str, ruleset: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each test of a module with the ids that it is marked with."""
    tree = ast.parse(source)
    named = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_put_off(node):
            ids = [id for mark in _marks(node.decorator_list, "rule") for id in _ids(mark, ruleset, named)]
            if ids:
                yield node.name, ids


def _marks(nodes: Iterable[ast.expr], name: str) -> Iterator[ast.AST]:
    """Yield the marks of a name among decorators, and those in the parameters of ``parametrize``."""
    for node in nodes:
        for inner in ast.walk(node):
            what = inner.func if isinstance(inner, ast.Call) else inner
            if isinstance(what, ast.Attribute) and what.attr == name and _is_mark(what.value):
                yield inner


def _is_mark(value: ast.expr) -> bool:
    return isinstance(value, ast.Attribute) and value.attr == "mark"


def _is_put_off(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(True for name in ("skip", "skipif", "xfail") for _ in _marks(node.decorator_list, name))


def _ids(mark: ast.AST, ruleset: str, named: Mapping[str, Any]) -> list[str]:
    if not isinstance(mark, ast.Call):
        return []
    words = [arg.value if isinstance(arg, ast.Constant) else named.get(arg.id) if isinstance(arg, ast.Name) else None for arg in mark.args]
    return [str(word) for word in words[1:] if word is not None] if words and words[0] == ruleset else []


# -------------------------------------------------------------------- the case files


def named_in_cases(ruleset: str, root: Path = ROOT) -> dict[str, tuple[str, ...]]:
    """Return the case files of a ruleset that name each id, as a rule that they show or one that an order is refused by."""
    found: dict[str, set[str]] = {}
    folder = root / "tests" / "cases"
    for file in sorted(folder.rglob("*.toml")):
        try:
            tree = tomllib.loads(file.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            continue  # `rasputitsa case` says what is wrong with it
        if tree.get("ruleset", file.relative_to(folder).parts[0]) == ruleset:
            for id in _named(tree):
                found.setdefault(id, set()).add(file.relative_to(root).as_posix())
    return {id: tuple(sorted(files)) for id, files in found.items()}


def _named(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for inner, some in value.items():
            yield from _named(some, inner)
    elif isinstance(value, list):
        for some in value:
            yield from _named(some, key)
    elif isinstance(value, str) and key in _CASE_KEYS:
        yield value


def totals(some: Iterable[Standing]) -> dict[State, int]:
    """Return how many rules are in each state."""
    count = Counter(one.state for one in some)
    return {state: count[state] for state in STATES}

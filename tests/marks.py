"""Checks the marks ``@pytest.mark.rule(ruleset, id…)`` against the ledgers."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

RULESETS = Path(__file__).parents[1] / "core" / "rulesets"


def faults_of_marks(items: Iterable[pytest.Item]) -> list[str]:
    """Return a line for each mark that names no ruleset, or a rule that its ledger lacks."""
    marks = {(item.nodeid.partition("[")[0], mark.args) for item in items for mark in item.iter_markers("rule")}
    return [f"{test}: {fault}" for test, args in sorted(marks) for fault in faults_of_mark(args)]


def faults_of_mark(args: tuple[object, ...]) -> list[str]:
    if len(args) < 2 or not all(isinstance(arg, str) for arg in args):
        return [f"mark rule: expected a ruleset and rule ids, got {args!r}"]
    ruleset, *rules = map(str, args)
    known = ledger(ruleset)
    if known is None:
        return [f"mark rule: expected a ruleset with a ledger, got {ruleset!r}"]
    return [f"mark rule: expected an id of {ruleset}/rules.tsv, got {rule!r}" for rule in rules if rule not in known]


@cache
def ledger(ruleset: str) -> frozenset[str] | None:
    """Return the rule ids of a ruleset's ledger, or None when there is no such ledger."""
    file = RULESETS / ruleset / "rules.tsv"
    if not file.is_file():
        return None
    with open(file, encoding="utf-8", newline="") as lines:
        return frozenset(row["id"] for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))

"""The ledger of a rulebook, as a ruleset's package holds it: every rule with its number, in our words."""

from __future__ import annotations

import pkgutil
from functools import lru_cache

from core.errors import BadInput, Broken
from core.ruleset import RuleText

COLUMNS = ["id", "title", "must", "tags"]


@lru_cache
def read(ruleset: str, name: str = "rules.tsv") -> tuple[RuleText, ...]:
    """Return the rules of a ruleset's ``rules.tsv``, or its readings of them in ``readings.tsv``, in their order.

    Raises:
        BadInput: the ledger isn't one.
    """
    content = pkgutil.get_data(f"core.rulesets.{ruleset}", name)
    if content is None:
        raise Broken(f"the package of {ruleset} gives no data")
    head, *rows = content.decode("utf-8").splitlines()
    if head.split("\t") != COLUMNS:
        raise BadInput.one(f"{ruleset}/{name}:1", ", ".join(COLUMNS), head)
    return tuple(RuleText(*row.split("\t")[:4]) for row in rows if row)

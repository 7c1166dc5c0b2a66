"""One package a game; each has a module ``ruleset`` with its `core.ruleset.Ruleset` as ``RULESET``."""

from __future__ import annotations

import importlib
from importlib.util import find_spec

from core.errors import BadInput
from core.ruleset import Ruleset

RULESET_AT = "ruleset"  # where a fault is that lies in a name that is no ruleset's
NAMES = (
    "war_for_the_motherland",
    "for_the_motherland",
    "war_in_the_east",
    "east_front_series",
    "land_without_end",
)


def playable() -> tuple[str, ...]:
    """Return the names of the rulesets that have rules."""
    return tuple(name for name in NAMES if find_spec(f"core.rulesets.{name}.ruleset") is not None)


def plays(name: str, version: int) -> bool:
    """Say whether games by a version of a ruleset can be played here: by one that is known, and no later version than ours."""
    try:
        return version <= load(name).version
    except BadInput:
        return False


def load(name: str) -> Ruleset:
    """Return a ruleset by its name.

    Raises:
        BadInput: there is no such ruleset, or it can't be played yet.
    """
    if name not in NAMES:
        raise BadInput.one(RULESET_AT, "one of " + ", ".join(playable()), name)
    try:
        module = importlib.import_module(f"core.rulesets.{name}.ruleset")
    except ModuleNotFoundError as error:
        if error.name != f"core.rulesets.{name}.ruleset":
            raise
        raise BadInput.one(RULESET_AT, "one of " + ", ".join(playable()), f"{name}, which has no rules yet") from error
    ruleset: Ruleset = module.RULESET
    return ruleset

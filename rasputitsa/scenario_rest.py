"""What is left of a scenario file without what is at fault in it, so that one fault hides no other."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from core.datafile import Faults, TomlFile
from core.errors import BadInput, Fault
from core.pack import Pack, Scenario
from core.ruleset import Ruleset

OF_PEOPLE = {"title": "", "rule": "", "source": "rulebook"}  # fields that a scenario needs and no rule reads
BEFORE_OR_AFTER = frozenset({*OF_PEOPLE, "id", "blurb", "note", "arrival"})  # what no set-up hangs on


def judge_rest(ruleset: Ruleset, pack: Pack, file: TomlFile, faults: Faults) -> tuple[Scenario, bool] | None:
    """Note what else is wrong with a scenario file, some faults of which are noted already.

    What is left of it is laid into the pack. Returns it and whether all that its set-up hangs on is left; None if that could not be played,
    as some things can't be left out.
    """
    while True:
        out = _at_fault(file, faults.found)
        left = file.without(out)
        left.tree = OF_PEOPLE | left.tree | {"id": file.name.removeprefix("scenarios/").removesuffix(".toml")}
        scenario: Scenario | None = left.struct(left.tree, Scenario, "", Faults())
        if scenario is None:
            return None
        pack.lay(left, scenario)
        found = Faults()
        pack.check_scenario(scenario, found)
        try:
            ruleset.check_scenario(pack, scenario)
        except BadInput as error:
            found.take(error)
        mine = _at_fault(file, found.found)
        new = [fault for fault in found.found if not _at_fault(file, [fault]) & out]
        faults.found += new
        if not mine - out:
            return None if mine else (scenario, _is_whole(out))


def _at_fault(file: TomlFile, faults: Iterable[Fault]) -> frozenset[str]:
    """Return the parts of a file that faults name: ``setup[3]``, ``rules.skipped``, ``title``."""
    wheres = (fault.where for fault in faults if fault.where.startswith(f"{file.name}:"))
    return frozenset(file.part_of(where.partition(": ")[2]) for where in wheres)


def _is_whole(out: Iterable[str]) -> bool:
    fields = {field.encode_name for field in msgspec.structs.fields(Scenario)}
    return all(part.partition("[")[0] in BEFORE_OR_AFTER or part.partition("[")[0].partition(".")[0] not in fields for part in out)

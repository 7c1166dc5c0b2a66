"""Whether what a scenario says in its table ``[rules]`` can be played: phases, markers and turns that there are.

Rules: 7.15, 13.32, 16.23, 16.44, 16.45, 17.41.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from core.datafile import Faults, TomlFile
from core.errors import BadInput
from core.pack import Pack, Scenario
from core.rulesets.war_for_the_motherland.charts import Marker, MarkerMix
from core.rulesets.war_for_the_motherland.terms import PHASE_NAMES
from core.rulesets.war_for_the_motherland.unit_checks import CUPS

if TYPE_CHECKING:
    from core.rulesets.war_for_the_motherland.scenario_setup import Words

MIX = "charts/strength_markers.toml"


def check_words(pack: Pack, file: TomlFile, scenario: Scenario, words: Words, faults: Faults) -> None:
    """Note phases, turns, classes and markers that the game or the scenario doesn't have."""
    first, last = scenario.first_turn, scenario.last_turn
    for turn, phase in words.skipped:
        if phase not in PHASE_NAMES:
            faults.add(file.where("rules.skipped"), "one of " + ", ".join(PHASE_NAMES), phase)
        if not first <= turn <= last:
            faults.add(file.where("rules.skipped"), f"a turn from {first} to {last}", turn)
    for cls in words.without_star_of:
        if cls not in CUPS:
            faults.add(file.where("rules.without_star_of"), "classes of " + ", ".join(CUPS), cls)
    if words.markers_until < 1:
        faults.add(file.where("rules.markers_until"), "a turn from 1 on", words.markers_until)
    if words.turn_without_rivers and not first <= words.turn_without_rivers <= last:
        faults.add(file.where("rules.turn_without_rivers"), f"a turn from {first} to {last}, or 0 for none", words.turn_without_rivers)
    _check_markers(pack, file, words, faults)


def _check_markers(pack: Pack, file: TomlFile, words: Words, faults: Faults) -> None:
    """A marker that lies under an army at the start comes out of the army's own cup, which must hold it (16.23)."""
    in_cups = _at_start(pack, words)
    if in_cups is None:
        return  # the chart is at fault, of which its own check tells
    for id, name, chit, steps in words.preset_markers:
        kind = pack.types.get(id)
        cup = kind.cup if kind is not None and kind.cup in CUPS else chit[:1]  # of a unit that is at fault its own check tells
        if not in_cups[chit] or chit[:1] != cup:
            expected = f"a marker that lies in cup {cup} at the start" if cup in CUPS else "a marker such as C 6-9/3-5"
            faults.add(file.where("rules.preset_markers"), expected, f"{chit} for {id} {name}")
        in_cups[chit] -= 1
        if steps not in (1, 2):
            faults.add(file.where("rules.preset_markers"), f"1 or 2 steps for {id} {name}", steps)


def _at_start(pack: Pack, words: Words) -> Counter[str] | None:
    """Return how many markers of each kind lie in the cups when the scenario begins; None if their chart is at fault."""
    try:
        file = pack.toml(MIX)
    except BadInput:
        return None
    mix: MarkerMix | None = file.struct(file.tree, MarkerMix, "", Faults())
    if mix is None:
        return None

    def is_there(marker: Marker) -> bool:
        return marker.turn <= words.markers_until and not (marker.star and marker.cls in words.without_star_of)  # 16.44

    found: Counter[str] = Counter()
    for marker in filter(is_there, mix.marker):
        found[marker.chit] += marker.count
    return found

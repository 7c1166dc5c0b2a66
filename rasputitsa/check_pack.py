"""`rasputitsa check-pack`: all faults of a game's data, and what an owner's files change of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

import click
from rich.text import Text

from core import lessons, text
from core.datafile import Faults, TomlFile
from core.differences import Difference, differences, reconstructions
from core.errors import BadInput
from core.pack import Pack, Scenario, build_board, setting
from core.ruleset import Ruleset
from core.rulesets import load
from core.trials.map_check import check_map, lost_railways
from rasputitsa import packs
from rasputitsa.kinds import NamedPath
from rasputitsa.scenario_rest import judge_rest
from rasputitsa.screen import Screen

SHOWN = 40  # differences of one file told one by one


@click.command(
    "check-pack",
    epilog="\b\nExamples:\n  rasputitsa check-pack war_for_the_motherland\n"
    "  rasputitsa check-pack war_for_the_motherland --overrides my-charts --all",
)
@click.argument("ruleset")
@click.option(
    "--overrides",
    type=NamedPath(exists=True, file_okay=False, path_type=Path),
    help="A folder with files that replace those of the pack. Default: your own folder of overrides.",
)
@click.option("--all", "every", is_flag=True, help=f"Tell every difference; without it, at most {SHOWN} of a file.")
def check_pack(ruleset: str, overrides: Path | None, *, every: bool) -> None:
    """Check the data of the game RULESET: units, charts, map, scenarios, with your overrides laid over them.

    All faults are told at once, each with file, line, what was expected and what came. Then: which values your files change, which of
    the pack's values they lack, and what is still reconstructed.
    """
    base, mine = packs.base_files(ruleset), packs.files_in(overrides or packs.overrides_folder(ruleset))
    console = Screen()
    if mine:
        console.print(Text(f"Files laid over the pack: {', '.join(mine)}"))
    faults = Faults()
    known = check_names(base, mine, faults)
    try:
        pack = load_pack(ruleset, base, known)
        check_contents(ruleset, pack, base)
    except BadInput as error:
        faults.take(error)
    faults.check()
    for name in pack.overridden:
        tell_changes(console, name, list(differences(name, base[name], mine[name])) if name in base else None, every=every)
    for line in lost_railways(Pack(base), pack):
        console.print(Text(line, style="yellow"))
    tell_reconstructed(console, pack)
    console.print(Text(f"{ruleset}: no faults in {text.counted(len(pack.files), 'file')}"))


def check_names(base: dict[str, bytes], mine: dict[str, bytes], faults: Faults) -> dict[str, bytes]:
    """Return the owner's files that the pack can have, and note those that replace nothing; a new scenario is no fault."""
    strange = [name for name in mine if name not in base and not (name.startswith("scenarios/") and name.endswith(".toml"))]
    for name in strange:
        faults.add(name, "the name of a file of the pack, such as charts/terrain.toml", "one that replaces nothing")
    return {name: data for name, data in mine.items() if name not in strange}


def load_pack(ruleset: str, base: dict[str, bytes], mine: dict[str, bytes]) -> Pack:
    """Return the pack with the owner's files laid over it.

    Raises:
        BadInput: where it can't be loaded; and then with the faults of the charts and the map as well, which are looked at with the
            pack's own files in the place of those of the owner's that are at fault.
    """
    try:
        return Pack(base, mine)
    except BadInput as error:
        faults = Faults()
        faults.take(error)
    bad = {fault.where.partition(":")[0] for fault in faults.found}
    sound = {name: data for name, data in mine.items() if name not in bad and not name.startswith(("scenarios/", "learn/"))}
    if bad <= set(mine):
        pack = _pack_without_scenarios(base, sound)
        _try(faults, load(ruleset).charts, pack)
        if check_map(pack, faults):
            _check_scenarios(faults, load(ruleset), pack, {name: data for name, data in mine.items() if name.startswith("scenarios/")})
            _check_set_ups(faults, load(ruleset), pack, base)
    raise BadInput(list(dict.fromkeys(faults.found)))


def _pack_without_scenarios(base: dict[str, bytes], sound: dict[str, bytes]) -> Pack:
    """Return the pack with those of the owner's files that are no scenarios; without his units where the pack's scenarios need others."""
    try:
        return Pack(base, sound)
    except BadInput:
        return Pack(base, {name: data for name, data in sound.items() if name.startswith(("charts/", "map/"))})


def _check_scenarios(faults: Faults, ruleset: Ruleset, pack: Pack, mine: dict[str, bytes]) -> None:
    """Note what a ruleset has against the owner's scenarios and the words of his map, in a pack that could be loaded without the former.

    What it has against the pack's own scenarios follows from the owner's map, or from units that are not judged here.
    """
    for scenario in list(pack.scenarios.values()):
        if f"scenarios/{scenario.id}.toml" not in mine:
            found = Faults()
            _try(found, ruleset.check_scenario, pack, scenario)
            faults.found += [fault for fault in found.found if fault.where.startswith("map/")]
    for name, data in mine.items():
        pack.files[name] = data
        _judge_rest(faults, ruleset, pack, name)


def _judge_rest(faults: Faults, ruleset: Ruleset, pack: Pack, name: str) -> tuple[Scenario, bool] | None:
    """Note what is wrong with the rest of a scenario file, and return what `judge_rest` does."""
    try:
        file = TomlFile(name, pack.files[name])
    except BadInput:
        return None  # told when the pack was loaded
    return judge_rest(ruleset, pack, file, faults)


def check_contents(name: str, pack: Pack, base: dict[str, bytes]) -> None:
    """Check what a pack's own loading leaves to its ruleset and to the map; *base* are the files without the owner's.

    Raises:
        BadInput: with the faults of all files.
    """
    faults = Faults()
    ruleset = load(name)
    _try(faults, ruleset.charts, pack)
    readable = check_map(pack, faults)
    for scenario in pack.scenarios.values():
        if readable:
            _try(faults, ruleset.check_scenario, pack, scenario)
        _try(faults, build_board, pack, scenario)
        _try(faults, pack.lettering, scenario.sections)
    for id in [id for id in pack.scenarios if _is_at_fault(faults, f"scenarios/{id}.toml")]:
        _judge_rest(faults, ruleset, pack, f"scenarios/{id}.toml")
    _try(faults, lessons.check_all, pack, ruleset)
    _check_set_ups(faults, ruleset, pack, base)
    faults.found = list(dict.fromkeys(faults.found))  # scenarios share sections of the map
    faults.check()


def _is_at_fault(faults: Faults, name: str) -> bool:
    return any(fault.where.startswith(f"{name}:") for fault in faults.found)


def _check_set_ups(faults: Faults, ruleset: Ruleset, pack: Pack, base: dict[str, bytes]) -> None:
    """Set up the scenarios that can be: the pack's own charts stand for those of the owner's that are at fault.

    With a fault in the units or on the map nothing can be said of where somebody stands. Of a scenario that is at fault itself the rest
    is set up.
    """
    bad = {fault.where.partition(":")[0] for fault in faults.found}
    if not all(name.startswith(("charts/", "scenarios/", "learn/")) for name in bad):
        return
    judged = _pack_with_stand_ins(pack, {name: base.get(name) for name in bad})
    if judged is None:
        return
    for id in sorted(pack.scenarios):
        whole = True
        if (name := f"scenarios/{id}.toml") in bad:
            judged.files[name] = pack.files[name]
            rest = _judge_rest(_copy(faults), ruleset, judged, name)
            if rest is None:
                continue
            whole = rest[1]
        found = Faults()
        _try(found, lambda id=id, whole=whole: ruleset.check_set_up(judged, setting(ruleset, judged, id), whole=whole))
        faults.found += [fault for fault in found.found if not fault.where.startswith("charts/")]


def _pack_with_stand_ins(pack: Pack, instead: dict[str, bytes | None]) -> Pack | None:
    """Return a pack with the pack's own files *instead* of those that are at fault, None where that is no pack either.

    Its own scenarios do not stand in where they need units that the owner calls otherwise.
    """
    sound = {name: data for name, data in pack.files.items() if name not in instead}
    own = {name: data for name, data in instead.items() if data is not None}
    for stand_ins in (own, {name: data for name, data in own.items() if not name.startswith("scenarios/")}):
        with contextlib.suppress(BadInput):
            return Pack(sound, stand_ins)
    return None


def _copy(faults: Faults) -> Faults:
    copied = Faults()
    copied.found = list(faults.found)
    return copied


def _try(faults: Faults, check: Callable[..., object], *what: object) -> None:
    try:
        check(*what)
    except BadInput as error:
        faults.take(error)


def tell_changes(console: Screen, name: str, found: Sequence[Difference] | None, *, every: bool) -> None:
    """Print what a file of the owner's changes; *found* is None for one that the pack doesn't have."""
    if found is None:
        console.print(Text(f"{name}: new, a scenario of your own"))
        return
    console.print(Text(f"{name}: {counted(found)}", style="bold"))
    for one in found if every else found[:SHOWN]:
        console.print(Text(f"  {one.where}: {one.what}: {change(one)}"))
    if not every and len(found) > SHOWN:
        console.print(Text(f"  and {len(found) - SHOWN} more; --all tells them"))


def counted(found: Sequence[Difference]) -> str:
    """Return how many differences there are, in words."""
    missing = sum(one.missing for one in found)
    changed = len(found) - missing
    if not found:
        return "the same as the pack's"
    return f"{changed} {'value differs' if changed == 1 else 'values differ'}, {missing} missing"


def change(one: Difference) -> str:
    """Return a difference in words."""
    if one.missing:
        return f"missing (the pack has {one.before})"
    return f"{one.before} → {one.after}" if one.before else f"new: {one.after}"


def tell_reconstructed(console: Screen, pack: Pack) -> None:
    """Print what of the data in use is reconstructed."""
    for name, data in sorted(pack.files.items()):
        if name.endswith(".toml") and name != "pack.toml":
            found = list(reconstructions(name, data))
            if found:
                what = "the section's map" if name.endswith("/section.toml") else ", ".join(one.what for one in found)
                console.print(Text(f"{name}: reconstructed: {what}", style="dim"))

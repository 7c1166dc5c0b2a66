"""Scenario packs of this installation: the files of a game's folder, with the user's own overrides laid over them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from client.connection.identity import user_folder
from core.errors import BadInput
from core.gamefile import GameFile
from core.pack import Pack, apart
from core.rulesets import NAMES

SCENARIOS = Path(__file__).parent.parent / "scenarios"


def overrides_folder(ruleset: str) -> Path:
    """Return the folder where a user may put files that replace those of a game's pack; OSError if he has no home."""
    return user_folder() / "overrides" / ruleset


def _overrides(ruleset: str) -> dict[str, bytes]:
    """Return the user's files for a game; who has no home has none."""
    try:
        folder = overrides_folder(ruleset)
    except OSError:
        return {}
    return files_in(folder)


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files under a folder by their relative name, with forward slashes; none if it isn't there."""
    if not folder.is_dir():
        return {}
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def installed() -> tuple[str, ...]:
    """Return the rulesets that have a pack here, in the order of `core.rulesets.NAMES`."""
    return tuple(name for name in NAMES if (SCENARIOS / name / "pack.toml").is_file())


def base_files(ruleset: str) -> dict[str, bytes]:
    """Return the files of a game's pack as it was installed; BadInput if there is no such pack."""
    if ruleset not in installed():
        raise BadInput.one("ruleset", "one of " + ", ".join(installed()), ruleset)
    return files_in(SCENARIOS / ruleset)


def unlike_installed(game: GameFile) -> tuple[str, ...]:
    """Return the names of the files in which a game's pack is not the one installed here, user's overrides aside; none if none is."""
    ruleset = game.head.ruleset
    return apart(game.files, base_files(ruleset)) if ruleset in installed() else ()


@cache
def load_pack(ruleset: str) -> Pack:
    """Return a game's pack with the user's overrides.

    Raises:
        BadInput: there is no such pack, or it has faults; all of them.
    """
    return Pack(base_files(ruleset), _overrides(ruleset))

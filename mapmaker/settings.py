"""What a game wants of its map: ``build.toml``, beside the game's map or, for all that it doesn't say, ``scenarios/geo``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from core.errors import BadInput


class TerrainRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A hex is of this terrain if areas of these kinds cover at least so much of its land; the first rule that holds counts.

    *north_of*: a latitude; hexes south of it are left alone.
    """

    terrain: str
    kinds: tuple[str, ...]
    share: float
    north_of: float = -90.0


class WaterRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a hex is land, lake or sea, and when water bars a hexside: shares from 0 to 1."""

    land_share: float
    lake_share: float
    barred_share: float


class RiverRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which rivers count, and from where they are major.

    *shortest*: in hexes, shorter ones are left out but for those *kept*.
    *major_from*: river → place from which on it is major; if it is empty,
    the classes of the geography hold; else every river that isn't named is minor. A place ``source`` means all of it.
    """

    shortest: float
    kept: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    major_from: dict[str, str] = {}


class CityRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which towns are cities: by size (1 to 4), and by name."""

    minor_size: int
    major_size: int
    major: tuple[str, ...] = ()
    minor: tuple[str, ...] = ()


class IceRoad(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A winter road over a lake, from shore to shore (lon, lat)."""

    name: str
    points: tuple[tuple[float, float], ...]


class Reach(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A promise of the map: on *day* railways lead from each of these hexes to one of those, all on lines of the section.

    *lines*: from, to; the part of the section that is in play.
    """

    section: str
    start: tuple[str, ...]
    to: tuple[str, ...]
    day: str
    lines: tuple[int, int]
    reason: str


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``build.toml``."""

    areas: str
    water: WaterRules
    rivers: RiverRules
    cities: CityRules
    terrain: tuple[TerrainRule, ...]
    ice_road: tuple[IceRoad, ...] = ()
    reach: tuple[Reach, ...] = ()


def read_settings(general: Path, own: Path) -> Settings:
    """Read the *general* settings and the game's *own* over them (a missing own file is none).

    Raises:
        BadInput: one of them is not TOML, or has unknown or wrong fields.
    """
    tree = _toml(general)
    if own.exists():
        for key, value in _toml(own).items():
            tree[key] = {**tree[key], **value} if isinstance(value, dict) and key in tree else value
    try:
        return msgspec.convert(tree, Settings)
    except msgspec.ValidationError as error:
        raise BadInput.one(f"{general} and {own}", "settings of the map", error) from error


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput.one(str(path), "a TOML file", error) from error

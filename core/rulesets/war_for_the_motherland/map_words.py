"""The words that the tables of a map may use: an owner may have typed them in, and a word that no rule knows would do nothing or worse.

Rules: 5.21 (terrain), 5.58 (seas), 5.71 (countries), 8.43, 9.44.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.datafile import Faults, read_csv
from core.pack import RAIL_COLUMNS, SIDE_COLUMNS

if TYPE_CHECKING:
    from core.pack import Pack

WORDS: Mapping[str, tuple[str, ...]] = {
    "terrain": ("clear", "forest", "swamp", "mountain", "tundra", "sea", "lake"),
    "city": ("", "minor", "major"),
    "port": ("", "azov", "baltic", "barents", "black_sea", "caspian", "white_sea"),
    "country": (
        *("", "bulgaria", "finland", "germany", "hungary", "norway", "poland"),
        *("rumania", "serbia", "slovakia", "soviet", "sweden"),
    ),
}
FEATURES = ("arctic", "edge", "fortress", "terminus")
KINDS = ("minor_river", "major_river", "sea", "lake", "ice_road", "strait", "causeway", "border")
OPENED = re.compile(r"(|[0-9]{4}(-(0[1-9]|1[0-2]))?)")


def check_hex(where: str, row: Mapping[str, str], faults: Faults) -> None:
    """Note the words of a row of ``hexes.csv`` that no rule knows; of a terrain that is missing the map's own check tells."""
    for field, words in WORDS.items():
        if row[field] not in words and not (field == "terrain" and not row[field]):
            faults.add(f"{where}: {field}", _one_of(words), row[field])
    for word in filter(None, row["features"].split(";")):
        if word not in FEATURES:
            faults.add(f"{where}: features", _one_of(FEATURES), word)


def check_sides(pack: Pack, letter: str, faults: Faults) -> None:
    """Note kinds of hexsides that no rule knows, and railways that opened at no time."""
    name = f"map/{letter}/hexsides.csv"
    for line, row in read_csv(name, pack.files.get(name, b""), SIDE_COLUMNS, faults):
        if row["kind"] not in KINDS:
            faults.add(f"{name}:{line}: kind", _one_of(KINDS), row["kind"])
    name = f"map/{letter}/rails.csv"
    for line, row in read_csv(name, pack.files.get(name, b""), RAIL_COLUMNS, faults):
        if not OPENED.fullmatch(row["opened"]):
            faults.add(f"{name}:{line}: opened", "nothing, a year or a month such as 1942-08", row["opened"])


def _one_of(words: tuple[str, ...]) -> str:
    return ("nothing or one of " if "" in words else "one of ") + ", ".join(filter(None, words))

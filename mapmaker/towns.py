"""Towns, ports and countries: what stands in a hex because people live there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import shapely

from core.errors import BadInput
from mapmaker.draft import Draft
from mapmaker.grid import Floats, Grid, Spot
from mapmaker.lattice import side
from mapmaker.settings import CityRules
from mapmaker.sources import Border, Place, Waters

DAY = "1941-06-21"
SAME_TOWN = 0.06  # degrees
STAND_INS = frozenset({"west", "east", "north", "south", "edge"})  # endings of rows that stand for the hex beside a town
BORDERS = frozenset({"state", "demarcation", "administrative"})


def known_towns(grid: Grid, places: Iterable[Place]) -> tuple[tuple[Place, ...], dict[str, Spot]]:
    """Return all towns, those that only the game names among them, and the hexes that it fixes for towns.

    A named hex belongs to the town of its name, or to the one at its place, however the game spells it.
    """
    towns = {place.name: place for place in places}
    xy = np.array([(place.lon, place.lat) for place in towns.values()])
    names = list(towns)
    fixed: dict[str, Spot] = {}
    for row in grid.named:
        if row.snap != "yes" or not row.lat or row.name.rpartition("_")[2] in STAND_INS:
            continue
        name, lon, lat = row.name, float(row.lon), float(row.lat)
        if name not in towns:
            gaps = np.hypot((xy[:, 0] - lon) * np.cos(np.radians(lat)), xy[:, 1] - lat)
            nearest = int(gaps.argmin())
            name = names[nearest] if gaps[nearest] < SAME_TOWN else name.replace("_", " ")
        if name not in towns:
            towns[name] = Place(name, lon, lat, 1, "", False)
        fixed.setdefault(name, grid.spot(row.label))
    return tuple(towns.values()), fixed


def place_towns(draft: Draft, places: Iterable[Place], fixed: Mapping[str, Spot]) -> None:
    """Give each town its hex: the one that is fixed for it, else by arithmetic."""
    grid = draft.lattice.grid
    for place in places:
        spot = fixed.get(place.name) or grid.spot_at(place.lon, place.lat)
        if spot in draft.lattice.index:
            draft.places[place.name] = spot
            draft.town_points[place.name] = grid.point(place.lon, place.lat)


def name_towns(draft: Draft, places: Iterable[Place], rules: CityRules, waters: Waters) -> None:
    """Write the greatest town of each hex into it, and its port."""
    ranked = sorted(places, key=lambda place: (-_rank(place, rules), -place.size, place.name))
    for place in ranked:
        spot = draft.places.get(place.name)
        if spot is None:
            continue
        here = draft.hexes[spot]
        if here.name:
            here.note = "; ".join(filter(None, (here.note, f"also {place.name}")))
        else:
            here.name, here.city = place.name, ("", "minor", "major")[_rank(place, rules)]
        if place.port and not here.port:
            here.port = _sea_of(place, waters)


def _rank(place: Place, rules: CityRules) -> int:
    if place.name in rules.major or place.size >= rules.major_size:
        return 2
    return 1 if place.name in rules.minor or place.size >= rules.minor_size or place.port else 0


def _sea_of(place: Place, waters: Waters) -> str:
    for sea in waters.sea:
        if any(west <= place.lon <= east and south <= place.lat <= north for west, south, east, north in sea.boxes):
            return sea.name
    raise BadInput.one(f"places.tsv: {place.name}: port", "a place in a box of waters.toml", f"{place.lon} {place.lat}")


def colour_countries(
    draft: Draft, places: Iterable[Place], borders: Iterable[Border], countries: Mapping[str, str]
) -> None:
    """Give each land hex the country of its town, else of the nearest town that no border of June 1941 lies before."""
    grid = draft.lattice.grid
    valid = [
        border.shape
        for border in borders
        if border.kind in BORDERS and border.valid_from <= DAY and (not border.valid_to or border.valid_to > DAY)
    ]
    wall = shapely.union_all(valid)
    shapely.prepare(wall)
    towns = [place for place in places if place.country in countries]
    xy = np.array([(place.lon, place.lat) for place in towns])
    names = [countries[place.country] for place in towns]
    lonlat = grid.inverse(draft.lattice.xy)
    for spot, (lon, lat) in zip(draft.lattice.spots, lonlat, strict=True):
        if not draft.hexes[spot].is_water:
            draft.hexes[spot].country = _country(lon, lat, xy, names, wall)
    for place, country in zip(towns, names, strict=True):
        home = draft.places.get(place.name)
        if home is not None and draft.hexes[home].name == place.name:
            draft.hexes[home].country = country
    for spot in draft.lattice.spots:
        for there in draft.lattice.around[spot]:
            one, other = draft.hexes[spot], draft.hexes[there]
            if spot < there and one.country and other.country and one.country != other.country:
                draft.add_side(side(spot, there), "border")


def _country(lon: float, lat: float, xy: Floats, names: list[str], wall: shapely.Geometry) -> str:
    narrow = np.cos(np.radians(lat))
    gaps = np.hypot((xy[:, 0] - lon) * narrow, xy[:, 1] - lat)
    nearest: list[int] = np.argsort(gaps, kind="stable")[:40].tolist()
    for i in nearest:
        if not shapely.intersects(wall, shapely.LineString([(lon, lat), xy[i]])):
            return names[i]
    return names[nearest[0]]

"""The whole way from geography to a game's map: ground, water, terrain, towns, rivers, railways, countries, corrections."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import shapely

from mapmaker import rails, rivers, towns
from mapmaker.corrections import Correction, correct, moved_places, read_corrections
from mapmaker.draft import Draft
from mapmaker.grid import Grid, Spot
from mapmaker.ground import Cover, at_hex, measure
from mapmaker.lattice import Lattice, side
from mapmaker.names import letter
from mapmaker.settings import Settings, read_settings
from mapmaker.sources import Geography, read_geography
from mapmaker.tables import NameRow, Tables, tables

ARCTIC_CIRCLE = 66.56  # degrees north
DRY_ENOUGH = 0.02  # a hex that the text or a town needs is land if it has any land at all


class Built(NamedTuple):
    """A finished map: the draft, its lettering, the geography it came from, what went wrong and what the
    scale swallowed, one line each."""

    grid: Grid
    geography: Geography
    settings: Settings
    draft: Draft
    names: tuple[NameRow, ...]
    faults: tuple[str, ...]
    notes: tuple[str, ...]

    def section(self, letter: str) -> Tables:
        """Return the tables of a section; BadInput if the game has none of this letter."""
        return tables(self.draft, self.names, self.grid.section(letter))


def build_map(scenarios: Path, ruleset: str) -> Built:
    """Build the map of a game, all its sections together.

    Raises:
        BadInput: with the faults of any file read.
    """
    geo = scenarios / "geo"
    own = scenarios / ruleset / "map"
    grid = Grid.load(geo / ruleset)
    settings = read_settings(geo / "build.toml", own / "build.toml")
    geography = read_geography(geo, terrain=settings.areas)
    return make(grid, geography, settings, read_corrections(own / "corrections.toml", grid))


def make(grid: Grid, geography: Geography, settings: Settings, corrections: tuple[Correction, ...]) -> Built:
    """Make the map out of what was read."""
    lattice = Lattice(grid)
    draft = Draft(lattice)
    known, fixed = towns.known_towns(grid, geography.places)
    places = {place.name: place for place in known}
    towns.place_towns(draft, known, {**fixed, **moved_places(corrections, grid)})
    cover = measure(lattice, geography)
    flood(draft, cover, settings)
    grow(draft, cover, settings)
    towns.name_towns(draft, known, settings.cities, geography.waters)
    idle = rivers.lay_rivers(draft, geography.rivers, places, settings.rivers, corrections)
    rails.lay_railways(draft, geography.railways, rails.junctions(geography.railways), geography.rivers)
    towns.colour_countries(draft, geography.places, geography.borders, geography.countries)
    cross_ice(draft, settings)
    idle += idle_places(draft, corrections, fixed)
    idle += correct(draft, corrections)
    rails.mark_termini(draft, geography.railways)
    names = letter(draft, known, geography.lettering)
    return Built(grid, geography, settings, draft, tuple(names), (*draft.unmade, *idle), tuple(draft.notes))


def idle_places(draft: Draft, corrections: tuple[Correction, ...], fixed: Mapping[str, Spot]) -> list[str]:
    """Return a line for each corrected place that is unknown, or lies in its hex without the correction."""
    grid = draft.lattice.grid
    idle = []
    for one in corrections:
        if one.kind() != "place":
            continue
        if one.place not in draft.places:
            idle.append(f"correction {one} — unknown place")
        elif fixed.get(one.place, grid.nearest(*draft.town_points[one.place])) == grid.spot(one.hex):
            idle.append(f"correction {one} — changes nothing")
    return idle


def flood(draft: Draft, cover: Cover, settings: Settings) -> None:
    """Make hexes sea or lake, and bar the hexsides that are all water."""
    grid = draft.lattice.grid
    needed = set(draft.places.values()) | {grid.spot(row.label) for row in grid.named}
    sea, lake = at_hex(draft.lattice, cover.sea), at_hex(draft.lattice, cover.lake)
    for spot, here in draft.hexes.items():
        wet = min(1.0, sea[spot] + lake[spot])
        land_needed = DRY_ENOUGH if spot in needed else settings.water.land_share
        if 1.0 - wet < land_needed or (spot not in needed and lake[spot] > settings.water.lake_share):
            here.terrain = "sea" if sea[spot] >= lake[spot] else "lake"
    for where, ends in draft.lattice.ends.items():
        del ends
        wet_hexes = [draft.hexes[spot].terrain for spot in where if draft.hexes[spot].is_water]
        shares = (cover.side_sea[where], cover.side_lake[where])
        if wet_hexes:
            draft.add_side(where, "sea" if "sea" in wet_hexes else "lake")
        elif sum(shares) >= settings.water.barred_share:
            draft.add_side(where, "sea" if shares[0] >= shares[1] else "lake")


def grow(draft: Draft, cover: Cover, settings: Settings) -> None:
    """Give land hexes the terrain of the first rule that holds, and mark the Arctic."""
    for i, (spot, here) in enumerate(draft.hexes.items()):
        assert draft.lattice.spots[i] == spot, "hexes in the lattice's order"
        if here.is_water:
            continue
        for rule in settings.terrain:
            share = sum(float(cover.kinds[kind][i]) for kind in rule.kinds if kind in cover.kinds)
            if share >= rule.share and cover.latitude[i] > rule.north_of:
                here.terrain = rule.terrain
                break
        if cover.latitude[i] > ARCTIC_CIRCLE:
            here.features.add("arctic")


def cross_ice(draft: Draft, settings: Settings) -> None:
    """Mark the lake hexsides that a winter road crosses."""
    grid = draft.lattice.grid
    for road in settings.ice_road:
        line = shapely.LineString([grid.point(lon, lat) for lon, lat in road.points])
        length = np.arange(0.0, line.length, 0.02)
        way: list[Spot] = []
        for point in shapely.get_coordinates(shapely.line_interpolate_point(line, length)):
            spot = grid.nearest(*point)
            if not way or way[-1] != spot:
                way.append(spot)
        for here, there in pairwise(way):
            if draft.has_side(side(here, there), "lake"):
                draft.add_side(side(here, there), "ice_road", road.name)

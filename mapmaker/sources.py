"""The geography of 1941 as it lies in ``scenarios/geo``: places, rivers, railways, areas, borders, lettering."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
import shapely
import shapely.geometry

from core.errors import BadInput
from mapmaker.grid import Floats

T = TypeVar("T")

# Natural Earth is clipped to this frame (west, south, east, north): beyond it there is no data, not sea.
FRAME = (12.0, 40.0, 56.0, 71.0)


class Place(msgspec.Struct, frozen=True):
    """A town as it was called in 1941-45. *size* 4: 500 000 people and more, 3: 100 000, 2: 30 000, 1: fewer."""

    name: str
    lon: float
    lat: float
    size: int
    country: str
    port: bool


class River(NamedTuple):
    """A river from source to mouth; *major* says for each point whether it is an obstacle to an army from there on."""

    name: str
    lon: Floats
    lat: Floats
    major: tuple[bool, ...]


class Station(msgspec.Struct, frozen=True):
    """A place on a railway line; *opened* says when the stretch from the station before it opened, if after June 1941."""

    name: str
    lon: float
    lat: float
    opened: str


class Railway(NamedTuple):
    """A railway line: its id, its name, its stations in order."""

    id: str
    name: str
    stations: tuple[Station, ...]


class Area(NamedTuple):
    """A polygon of terrain, in degrees; *density* says how much of it is really so."""

    kind: str
    name: str
    density: float
    shape: shapely.Geometry


class Border(NamedTuple):
    """A border line in degrees, and the days it was valid (ISO dates, empty: open)."""

    kind: str
    shape: shapely.Geometry
    valid_from: str
    valid_to: str


class Lettering(msgspec.Struct, frozen=True):
    """A name to be written on maps, from one point to another."""

    kind: Literal["sea", "lake", "region", "mountains"]
    name: str
    lon: float
    lat: float
    to_lon: float
    to_lat: float
    size: int


class Sea(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sea with ports, as boxes (west, south, east, north); the first that holds a port names its sea."""

    name: str
    boxes: tuple[tuple[float, float, float, float], ...]


class Lake(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lake that Natural Earth lacks, as a ring of (lon, lat)."""

    name: str
    outline: tuple[tuple[float, float], ...]


class Waters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``waters.toml``: which lakes of Natural Earth existed in 1941, those it lacks, and the seas."""

    reservoirs_of_1941: tuple[str, ...]
    lakes_left_out: tuple[str, ...]
    sea: tuple[Sea, ...]
    lake: tuple[Lake, ...] = ()
    sea_beyond: tuple[tuple[float, float, float, float], ...] = ()


class Geography(NamedTuple):
    """Everything that the pipeline reads, for all games."""

    places: tuple[Place, ...]
    rivers: tuple[River, ...]
    railways: tuple[Railway, ...]
    areas: tuple[Area, ...]
    borders: tuple[Border, ...]
    lettering: tuple[Lettering, ...]
    waters: Waters
    countries: dict[str, str]
    land: shapely.Geometry
    lakes: shapely.Geometry


def read_geography(folder: Path, *, terrain: str = "terrain.geojson") -> Geography:
    """Read all of ``scenarios/geo``; *terrain* is the file of areas that suits the game's scale.

    Raises:
        BadInput: a file is missing or has a faulty row.
    """
    waters = _toml(folder / "waters.toml", Waters)
    natural = folder / "natural_earth"
    return Geography(
        tuple(_places(folder / "places.tsv")),
        tuple(_rivers(folder / "rivers.tsv")),
        tuple(_railways(folder / "railways.tsv")),
        tuple(_areas(folder / terrain)),
        tuple(_borders(folder / "borders.geojson")),
        tuple(msgspec.convert(row, Lettering, strict=False) for row in rows(folder / "lettering.tsv")),
        waters,
        _toml(folder / "countries.toml", dict[str, str]),
        shapely.make_valid(shapely.union_all([shape for _, shape in features(natural / "land.geojson")])),
        _lakes(natural, waters),
    )


def rows(path: Path) -> list[dict[str, str]]:
    """Read a table with tabs; BadInput if it is missing or a row has too few or too many fields."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            found = list(reader)
    except (FileNotFoundError, UnicodeDecodeError) as error:
        raise BadInput.one(str(path), "a table in UTF-8", error) from error
    for i, row in enumerate(found):
        if None in row or None in row.values():
            raise BadInput.one(f"{path}:{i + 2}", f"{len(reader.fieldnames or ())} fields", list(row.values()))
    return found


def features(path: Path) -> Iterator[tuple[dict[str, Any], shapely.Geometry]]:
    """Yield properties and shape of each feature of a GeoJSON file."""
    try:
        tree = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise BadInput.one(str(path), "GeoJSON", error) from error
    for feature in tree["features"]:
        if feature["geometry"] and feature["geometry"]["coordinates"]:
            yield feature["properties"], shapely.make_valid(shapely.geometry.shape(feature["geometry"]))


def _toml(path: Path, cls: type[T]) -> T:
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), cls)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadInput.one(str(path), "a TOML file of the geography", error) from error


def _number(row: dict[str, str], key: str, path: Path, line: int) -> float:
    try:
        return float(row[key])
    except ValueError as error:
        raise BadInput.one(f"{path}:{line}: {key}", "a number", row[key]) from error


def _places(path: Path) -> Iterator[Place]:
    for line, row in enumerate(rows(path), 2):
        lon, lat = _number(row, "lon", path, line), _number(row, "lat", path, line)
        size = int(_number(row, "size", path, line))
        yield Place(row["name"], lon, lat, size, row["country_june_1941"], row["port"] == "yes")


def _rivers(path: Path) -> Iterator[River]:
    courses: dict[str, list[tuple[float, float, bool]]] = {}
    for line, row in enumerate(rows(path), 2):
        point = (_number(row, "lon", path, line), _number(row, "lat", path, line), row["class"] == "major")
        courses.setdefault(row["river"], []).append(point)
    for name, course in courses.items():
        lon, lat, major = zip(*course, strict=True)
        yield River(name, np.array(lon), np.array(lat), major)


def _railways(path: Path) -> Iterator[Railway]:
    lines: dict[str, tuple[str, list[Station]]] = {}
    for line, row in enumerate(rows(path), 2):
        lon, lat = _number(row, "lon", path, line), _number(row, "lat", path, line)
        station = Station(row["place"], lon, lat, row["opened"])
        lines.setdefault(row["line"], (row["line_name"], []))[1].append(station)
    for line_id, (name, stations) in lines.items():
        yield Railway(line_id, name, tuple(stations))


def _areas(path: Path) -> Iterator[Area]:
    for facts, shape in features(path):
        yield Area(facts["kind"], facts["name"], float(facts["density"]), shape)


def _borders(path: Path) -> Iterator[Border]:
    for facts, shape in features(path):
        yield Border(facts["kind"], shape, facts["valid_from"] or "", facts["valid_to"] or "")


def _lakes(folder: Path, waters: Waters) -> shapely.Geometry:
    shapes = [shapely.Polygon(lake.outline) for lake in waters.lake]
    for name in ("lakes.geojson", "lakes_europe.geojson"):
        for facts, shape in features(folder / name):
            lake = facts.get("name") or ""
            filled_later = facts["featurecla"] == "Reservoir" and lake not in waters.reservoirs_of_1941
            if not filled_later and lake not in waters.lakes_left_out:
                shapes.append(shape)
    return shapely.union_all(shapes)

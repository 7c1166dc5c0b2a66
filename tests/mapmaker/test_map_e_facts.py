"""Map E south of hexrow 43: what the rulebook names lies where it says, and the region is that of November 1942."""

from __future__ import annotations

import pytest

from mapmaker.grid import read_named
from tests.mapmaker.conftest import SCENARIOS, WATER, SheetE

NAMED = [row for row in read_named(SCENARIOS / "geo/war_for_the_motherland/named_hexes.tsv") if row.map == "E"]
STARTS = sorted({row.label: row.says for row in NAMED if "start" in row.says}.items())
SOURCES = sorted({row.label for row in NAMED if "source" in row.says} | {"E5317"})

TOWNS = [
    ("Stalingrad", "E4708", "major"), ("Rostov", "E5317", "major"), ("Tiflis", "E7005", "major"),
    ("Astrakhan", "E5401", "minor"), ("Grozny", "E6504", "minor"), ("Mozdok", "E6407", "minor"),
    ("Kotelnikovo", "E5110", "minor"), ("Morozovsk", "E4913", "minor"), ("Tatsinskaya", "E5014", "minor"),
    ("Kalach", "E4810", "minor"), ("Salsk", "E5513", "minor"), ("Elista", "E5508", "minor"),
    ("Tikhoretsk", "E5816", "minor"), ("Armavir", "E6014", "minor"), ("Maikop", "E6216", "minor"),
    ("Voroshilovsk", "E6012", "minor"), ("Ordzhonikidze", "E6606", "minor"), ("Nalchik", "E6508", "minor"),
    ("Makhachkala", "E6401", "minor"), ("Sukhumi", "E6713", "minor"), ("Kamyshin", "E4307", "minor"),
    ("Serafimovich", "E4512", ""), ("Kletskaya", "E4611", ""), ("Boguchar", "E4416", ""),
]  # fmt: skip

# river, hexes on one bank, hexes on the other
BANKS = [
    ("Volga", "E4708 E4609 E4809 E4908 E4307 E5505 E5405 E5302", "E4806 E4707 E4805 E4304 E4306 E5202 E5301 E5401"),
    (
        "Don",
        "E4516 E4611 E4612 E4613 E4614 E4615 E4416 E4717 E4812 E4913 E5014 E5216 E5316 E5317",
        "E4512 E4515 E4513 E4511 E4510 E4311 E4312 E4610 E4709 E4708 E4810 E4809 E5110 E5211 E5513 E5816",
    ),
]

# a river, and what it joins: a river, the sea, or one beyond the map's edge
MOUTHS = [
    ("Volga", "sea"), ("Terek", "sea"), ("Sulak", "sea"), ("Rioni", "sea"), ("Kuma", "sea"), ("Khoper", "Don"),
    ("Medveditsa", "Don"), ("Ilovlya", "Don"), ("Chir", "Don"), ("Myshkova", "Don"), ("Aksai (Yesaulovsky)", "Don"),
    ("Northern Donets", "Don"), ("Sal", "Don"), ("Manych", "Don"), ("Kalitva", "Northern Donets"), ("Kalaus", "Manych"),
    ("Laba", "Kuban"), ("Belaya (Kuban)", "Kuban"), ("Pshish", "edge"), ("Malka", "Terek"), ("Baksan", "Malka"),
    ("Sunzha", "Terek"),
]  # fmt: skip

# from, to, at most so many hexes by rail
LINES = [
    ("Stalingrad - Kotelnikovo", "E4708", "E5110", 4), ("Kotelnikovo - Salsk", "E5110", "E5513", 5),
    ("Salsk - Tikhoretsk", "E5513", "E5816", 4), ("Stalingrad - Kalach - Morozovsk", "E4708", "E4913", 6),
    ("Morozovsk - Tatsinskaya - Likhaya", "E4913", "E5016", 3), ("Likhaya - Rostov", "E5016", "E5317", 4),
    ("Povorino - Stalingrad", "E4312", "E4708", 7), ("Volga lateral", "E4309", "E4610", 3),
    ("Pallasovka - Baskunchak", "E4304", "E4804", 5), ("Baskunchak - Astrakhan", "E4804", "E5401", 6),
    ("Baskunchak - Leninsk", "E4804", "E4806", 2), ("Astrakhan - Kizlyar", "E5401", "E6302", 11),
    ("Kizlyar - Gudermes", "E6302", "E6403", 2), ("Rostov - Tikhoretsk", "E5317", "E5816", 5),
    ("Tikhoretsk - Armavir", "E5816", "E6014", 3), ("Armavir - Pyatigorsk", "E6014", "E6309", 6),
    ("Pyatigorsk - Prokhladny", "E6309", "E6408", 2), ("Prokhladny - Mozdok - Gudermes", "E6408", "E6403", 6),
    ("Gudermes - Makhachkala", "E6403", "E6401", 4), ("Prokhladny - Beslan - Ordzhonikidze", "E6408", "E6606", 4),
    ("Beslan - Grozny", "E6606", "E6504", 4), ("Armavir - Maikop", "E6014", "E6216", 5),
    ("Rostov - Salsk", "E5317", "E5513", 5), ("Millerovo - Likhaya", "E4816", "E5016", 2),
    ("Kropotkin - Voroshilovsk", "E5915", "E6012", 4), ("Poti - Tiflis", "E7012", "E7005", 9),
    ("Sukhumi - Tiflis", "E6713", "E7005", 12),
]  # fmt: skip

TERRAIN = [
    ("the crest of the Caucasus", "mountain", "E6613 E6612 E6611 E6710 E6709 E6708 E6707 E6706 E6705 E6604 E6703 E6802"),
    ("the Caucasus behind Tuapse and Sochi", "mountain", "E6316 E6416 E6415 E6514"),
    ("the Black Sea slope", "forest", "E6616 E6615 E6714"),
    ("the Volga's delta and bottoms", "swamp", "E5501 E5401 E4806 E5203"),
    ("the Terek's delta", "swamp", "E6302 E6301 E6202"),
    ("the Colchis lowland", "swamp", "E6912 E7012"),
    ("the Kalmyk and Nogai steppes", "clear", "E5508 E5505 E5405 E5306 E5706 E6006 E6105 E6206"),
    ("the Don steppe", "clear", "E4612 E4711 E4812 E4913 E5113 E5211 E5415"),
    ("the Kuban", "clear", "E5816 E5716 E6014 E6013"),
    ("the Black Sea", "sea", "E6716 E6815 E6916 E7014 E6617"),
    ("the Caspian", "sea", "E5701 E5801 E5901 E6001 E6101"),
]


@pytest.mark.parametrize(("label", "says"), STARTS, ids=[label for label, _ in STARTS])
def test_a_unit_starts_on_land(sheet_e: SheetE, label: str, says: str) -> None:
    assert sheet_e.terrain(label) not in WATER, says


def test_all_hexes_of_the_set_up_are_known() -> None:
    assert len(STARTS) == 45


@pytest.mark.parametrize("label", SOURCES)
def test_a_source_is_land_on_a_railway(sheet_e: SheetE, label: str) -> None:
    assert sheet_e.terrain(label) not in WATER
    assert sheet_e.tracks[label]


def test_the_sources_are_the_seven_of_the_text() -> None:
    assert SOURCES == ["E4304", "E4309", "E4312", "E4717", "E5317", "E6401", "E7005"]


@pytest.mark.parametrize("label", ["E6812", "E6403", "E4806", "E4312"])
def test_a_soviet_headquarters_has_a_railway_to_a_source(sheet_e: SheetE, label: str) -> None:
    assert sheet_e.ride(label, ["E4312", "E4309", "E4304", "E6401", "E7005"]) is not None


@pytest.mark.parametrize("label", ["E5211", "E4913"])
def test_a_rumanian_headquarters_has_a_railway_to_a_source(sheet_e: SheetE, label: str) -> None:
    assert sheet_e.ride(label, ["E4717", "E5317"]) is not None


@pytest.mark.parametrize("start", ["E6812", "E6403", "E4806", "E4312"])
def test_soviet_supply_does_not_run_through_axis_lines(sheet_e: SheetE, start: str) -> None:
    axis = {label for label, says in STARTS if "Axis" in says}
    tracks = {here: there - axis for here, there in sheet_e.tracks.items() if here not in axis}
    seen, queue = {start}, [start]
    while queue:
        new = tracks[queue.pop()] - seen
        seen |= new
        queue += new
    assert seen & {"E4312", "E4309", "E4304", "E6401", "E7005"}


@pytest.mark.parametrize(("name", "label", "city"), TOWNS, ids=[name for name, _, _ in TOWNS])
def test_a_town_lies_in_its_hex(sheet_e: SheetE, name: str, label: str, city: str) -> None:
    assert (sheet_e.hexes[label]["name"], sheet_e.hexes[label]["city"]) == (name, city)


def test_kotelnikovo_is_next_to_the_rumanian_headquarters(sheet_e: SheetE) -> None:
    assert "E5110" in sheet_e.neighbours("E5211")


@pytest.mark.parametrize(("river", "one", "other"), BANKS, ids=[river for river, _, _ in BANKS])
def test_a_great_river_divides_its_banks(sheet_e: SheetE, river: str, one: str, other: str) -> None:
    left, right = one.split(), other.split()
    bank = sheet_e.spread(left[0], river=river)
    assert set(left) <= bank
    assert not set(right) & bank
    assert set(right) <= sheet_e.spread(right[0], river=river)


@pytest.mark.parametrize("river", ["Volga", "Don"])
def test_volga_and_don_are_major(sheet_e: SheetE, river: str) -> None:
    assert {row["kind"] for row in sheet_e.sides if row["name"] == river} == {"major_river"}


def test_no_other_river_is_major(sheet_e: SheetE) -> None:
    assert {row["name"] for row in sheet_e.sides if row["kind"] == "major_river"} == {"Volga", "Don"}


RIVERS = sorted({river for river, _ in MOUTHS} | {"Don", "Kuban", "Yeya", "Kura"})


def test_the_rivers_tested_are_all_there_are(sheet_e: SheetE) -> None:
    assert sorted({row["name"] for row in sheet_e.sides if row["kind"].endswith("_river")}) == RIVERS


@pytest.mark.parametrize("river", RIVERS)
def test_a_river_is_one_unbroken_line(sheet_e: SheetE, river: str) -> None:
    count = sheet_e.course(river)
    assert sorted(count.values()) == [1, 1] + [2] * (len(count) - 2), "two ends, no fork"
    seen, queue = set(), [next(iter(count))]
    pairs = [sheet_e.corners(row) for row in sheet_e.sides if row["name"] == river]
    while queue:
        here = queue.pop()
        seen.add(here)
        queue += [corner for pair in pairs if here in pair for corner in pair if corner not in seen]
    assert seen == set(count)


@pytest.mark.parametrize(("river", "into"), MOUTHS, ids=[river for river, _ in MOUTHS])
def test_a_river_ends_in_the_river_or_sea_that_it_joins(sheet_e: SheetE, river: str, into: str) -> None:
    ends = {corner for corner, times in sheet_e.course(river).items() if times == 1}
    if into == "edge":
        assert ends & _edge(sheet_e)
    elif into == "sea":
        shore = {corner for row in sheet_e.sides if row["kind"] == "sea" for corner in sheet_e.corners(row)}
        assert ends & shore or ends & _edge(sheet_e), "the shore, or the map's edge before it"
    else:
        assert ends & set(sheet_e.course(into))


def _edge(sheet_e: SheetE) -> set[tuple[float, float]]:
    """Corners where fewer than three hexes of the sheet meet."""
    count: dict[tuple[float, float], set[str]] = {}
    for here in sheet_e.hexes:
        for there in sheet_e.neighbours(here):
            for corner in sheet_e.corners({"hex": here, "other": there}):
                count.setdefault(corner, set()).update((here, there))
    return {corner for corner, hexes in count.items() if len(hexes) < 3}


def test_no_hexside_belongs_to_two_rivers(sheet_e: SheetE) -> None:
    pairs = [(row["hex"], row["other"]) for row in sheet_e.sides if row["kind"].endswith("_river")]
    assert len(pairs) == len(set(pairs))


@pytest.mark.parametrize(("soviet", "axis"), [("E4512", "E4612"), ("E4512", "E4613"), ("E4515", "E4615"), ("E4515", "E4516")])
def test_the_don_lies_between_those_who_face_each_other_over_it(sheet_e: SheetE, soviet: str, axis: str) -> None:
    assert sheet_e.kinds(soviet, axis) == {"major_river"}


@pytest.mark.parametrize(("name", "start", "goal", "most"), LINES, ids=[line[0] for line in LINES])
def test_a_railway_joins_its_towns(sheet_e: SheetE, name: str, start: str, goal: str, most: int) -> None:
    length = sheet_e.ride(start, [goal])
    assert length is not None, name
    assert length <= most


@pytest.mark.parametrize("label", ["E5508", "E5505", "E5405", "E5706", "E6611", "E6706"])
def test_no_railway_runs_in_the_kalmyk_steppe_or_over_the_crest(sheet_e: SheetE, label: str) -> None:
    assert not sheet_e.tracks[label]


def test_only_the_ferry_of_stalingrad_carries_a_railway_over_the_volga_between_saratov_and_astrakhan(sheet_e: SheetE) -> None:
    volga = {(row["hex"], row["other"]) for row in sheet_e.sides if row["name"] == "Volga"}
    crossed = volga & {(row["hex"], row["other"]) for row in sheet_e.rails}
    assert ("E4707", "E4708") in crossed
    crossed.discard(("E4707", "E4708"))
    assert all("E5401" in pair or "E5501" in pair or "E5601" in pair for pair in crossed), "only below Astrakhan"


def test_lines_opened_in_1942_say_so(sheet_e: SheetE) -> None:
    opened = {row["opened"] for row in sheet_e.rails if "N57" in row["line"].split(";") or "N52" in row["line"].split(";")}
    assert opened == {"1942-08"}


@pytest.mark.parametrize(("what", "terrain", "labels"), TERRAIN, ids=[what for what, _, _ in TERRAIN])
def test_the_land_is_as_it_was(sheet_e: SheetE, what: str, terrain: str, labels: str) -> None:
    assert {label: sheet_e.terrain(label) for label in labels.split()} == dict.fromkeys(labels.split(), terrain), what


def test_no_lake_of_a_later_dam_is_on_the_map(sheet_e: SheetE) -> None:
    assert "lake" not in {row["terrain"] for row in sheet_e.hexes.values()}
    assert "lake" not in {row["kind"] for row in sheet_e.sides}


@pytest.mark.rule("war_for_the_motherland", "16.1b", "16.43")
def test_every_hex_of_the_half_map_is_there_half_hexes_too(sheet_e: SheetE) -> None:
    assert set(sheet_e.hexes) == {f"E{row}{column:02d}" for row in range(43, 71) for column in range(1, 18)}


def test_shores_bar_every_step_into_the_sea(sheet_e: SheetE) -> None:
    for here in sheet_e.hexes:
        for there in sheet_e.neighbours(here):
            if (sheet_e.terrain(here) == "sea") != (sheet_e.terrain(there) == "sea"):
                assert sheet_e.kinds(here, there) == {"sea"}


def test_the_soviet_union_holds_all_land_of_the_half_map(sheet_e: SheetE) -> None:
    assert {row["country"] for row in sheet_e.hexes.values() if row["terrain"] != "sea"} == {"soviet"}

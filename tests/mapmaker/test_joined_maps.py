"""Maps C, E and N joined: every hex that the rulebook names, the coasts, rivers, railways and borders of June 1941."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pytest

from core.board import Board, Hex
from core.pack import Scenario, build_board
from mapmaker.grid import Grid, NamedHex, read_named
from mapmaker.lattice import hexside_ends
from mapmaker.sources import read_geography
from tests.mapmaker.conftest import SCENARIOS, WATER, read
from tests.packs import pack_of

NAME = "war_for_the_motherland"
MAPS = SCENARIOS / NAME / "map"
NAMED = [row for row in read_named(SCENARIOS / "geo" / NAME / "named_hexes.tsv") if row.map in "CN" and row.snap == "yes"]

# how people of this map spell what the rulebook's list spells otherwise
SPELT = {"Vilnius": "Vilna"}

MAJOR = frozenset(
    [
        "C2706",
        "C1418",
        "C6313",
        "C4508",
        "C5104",
        "C3902",
        "C5301",
        "C4419",
        "C5718",
        "C2227",
        "C3015",
        "C3322",
        "C3634",
        "C2933",
        "C6327",
        "C6127",
        "C1225",
        "E4708",
    ]
)

# from, to, at most so many hexes by rail in June 1941
LINES = [
    ("Moscow - Leningrad", "C2706", "C1418", 20),
    ("Moscow - Smolensk", "C2706", "C3015", 11),
    ("Smolensk - Minsk", "C3015", "C3322", 9),
    ("Minsk - Brest", "C3322", "C3729", 9),
    ("Brest - Warsaw", "C3729", "C3634", 6),
    ("Warsaw - Vilna - Leningrad", "C3026", "C1418", 22),
    ("Konigsberg - Kaunas", "C2933", "C2928", 7),
    ("Kaunas - Vilna", "C2928", "C3026", 3),
    ("Memel - Tilsit", "C2632", "C2831", 3),
    ("Riga - Pskov", "C2227", "C2020", 10),
    ("Pskov - Luga - Leningrad", "C2020", "C1418", 9),
    ("Reval - Narva - Leningrad", "C1525", "C1418", 9),
    ("Riga - Dvinsk", "C2227", "C2624", 7),
    ("Dvinsk - Vitebsk", "C2624", "C2918", 9),
    ("Moscow - Orel - Kursk - Kharkov", "C2706", "C4508", 20),
    ("Moscow - Bryansk - Kiev", "C2706", "C4419", 24),
    ("Bryansk - Gomel", "C3511", "C3717", 8),
    ("Gomel - Pinsk - Brest", "C3717", "C3729", 15),
    ("Kiev - Zhitomir", "C4419", "C4422", 7),
    ("Lvov - Przemysl", "C4529", "C4532", 4),
    ("Lvov - Tarnopol - Proskurov", "C4529", "C4725", 6),
    ("Proskurov - Zhmerinka - Vinnitsa", "C4725", "C4822", 5),
    ("Zhmerinka - Odessa", "C4822", "C5718", 13),
    ("Odessa - Kishinev", "C5718", "C5522", 6),
    ("Jassy - Kishinev", "C5424", "C5522", 3),
    ("Cernauti - Lvov", "C5127", "C4529", 8),
    ("Ploesti - Bucharest", "C6127", "C6327", 3),
    ("Bucharest - Constanta", "C6327", "C6423", 7),
    ("Bucharest - Giurgiu", "C6327", "C6528", 3),
    ("Ploesti - Focsani - Jassy", "C6127", "C5424", 14),
    ("Kharkov - Lozovaya - Melitopol - Sevastopol", "C4508", "C6313", 24),
    ("Dzhankoy - Kerch", "C5911", "C6007", 8),
    ("Kharkov - Slavyansk - Rostov", "C4508", "C5301", 14),
    ("Stalino - Rostov", "C5104", "C5301", 8),
    ("Voronezh - Rostov", "C3902", "C5301", 20),
    ("Voronezh - Kursk", "C3902", "C3908", 7),
    ("Kiev - Poltava - Kharkov", "C4419", "C4508", 15),
    ("Dnepropetrovsk - Zaporozhye", "C5010", "C5210", 5),
    ("Krivoi Rog - Nikopol - Zaporozhye", "C5213", "C5210", 6),
    ("Novorossiysk - Krasnodar", "C6205", "C6102", 5),
    ("Leningrad - Volkhov - Vologda", "C1418", "C1503", 19),
    ("Vologda - Archangelsk", "C1503", "N2718", 20),
    ("Leningrad - Petrozavodsk", "C1418", "C0812", 11),
    ("Petrozavodsk - Murmansk", "C0812", "N1327", 26),
    ("Helsinki - Viipuri", "C1225", "C1119", 9),
    ("Viipuri - Leningrad", "C1119", "C1418", 4),
    ("Helsinki - Kajaani", "C1225", "N2834", 17),
    ("Moscow - Gorky", "C2706", "E2312", 14),
    ("Moscow - Ryazan - Penza - Kuibyshev", "C2706", "E3101", 29),
    ("Moscow - Saratov", "C2706", "E3807", 27),
    ("Gorky - Kotelnich", "E2312", "E1607", 10),
    ("Kazan - Moscow", "E2304", "C2706", 26),
    ("Rostov - Stalingrad", "C5301", "E4708", 14),
    ("Rostov - Tikhoretsk", "C5301", "E5816", 5),
    ("Krasnodar - Tikhoretsk", "C6102", "E5816", 4),
    ("Tuapse - Armavir", "C6402", "E6014", 6),
]

# river, hexes on one bank, hexes on the other (river hexsides and water bar the way, in a ring of five hexes around)
BANKS = [
    ("Dnepr", "C4419 C4715 C5010 C5513", "C4418 C4614 C5009 C5611"),
    ("Vistula", "C3634 C4034", "C3633 C4032"),
    ("Neman", "C2831 C2932", "C2730 C2829"),
    ("Western Dvina", "C2427 C2625", "C2326 C2523"),
    ("Dnestr", "C5522 C5223", "C5520 C5220"),
    ("Southern Bug", "C5217 C5316", "C5219 C5418"),
    ("Danube", "C6628 C6633", "C6528 C6332"),
    ("Don", "C4004 C4203 C5301", "C4002 C4102 C5402"),
    ("Volga", "C2309 C2105 E2411 E3807 E2705", "C2307 C1904 E2211 E3806 E2703"),
]

# a river, and what it joins
MOUTHS = [
    ("Berezina", "Dnepr"),
    ("Sozh", "Dnepr"),
    ("Desna", "Dnepr"),
    ("Seim", "Desna"),
    ("Pripyat", "Dnepr"),
    ("Goryn", "Pripyat"),
    ("Styr", "Pripyat"),
    ("Sula", "Dnepr"),
    ("Psel", "Dnepr"),
    ("Vorskla", "Dnepr"),
    ("Bug", "Vistula"),
    ("Narew", "Bug"),
    ("San", "Vistula"),
    ("Wisloka", "Vistula"),
    ("Msta", "Volkhov"),
    ("Wieprz", "Vistula"),
    ("Prut", "Danube"),
    ("Siret", "Danube"),
    ("Olt", "Danube"),
    ("Oka", "Volga"),
    ("Moskva", "Oka"),
    ("Ugra", "Oka"),
    ("Kama", "Volga"),
    ("Sura", "Volga"),
    ("Moksha", "Oka"),
    ("Oskol", "Northern Donets"),
    ("Voronezh", "Don"),
    ("Viliya (Neris)", "Neman"),
]

# a river, and a hexside of the sea at its mouth
SEAS = [
    ("Mezen", "N2015", "N2016"),
    ("Northern Dvina", "N2620", "N2719"),
    ("Onega", "N2821", "N2822"),
    ("Kem", "N2525", "N2626"),
    ("Luga", "C1420", "C1421"),
    ("Western Dvina", "C2127", "C2228"),
    ("Neman", "C2731", "C2732"),
    ("Danube", "C6020", "C6120"),
    ("Dnestr", "C5718", "C5818"),
    ("Southern Bug", "C5617", "C5716"),
    ("Dnepr", "C5715", "C5716"),
    ("Mius", "C5302", "C5403"),
    ("Don", "C5302", "C5402"),
    ("Kuban", "C5905", "C6005"),
    ("Rioni", "E7012", "E7013"),
    ("Volga", "E5602", "E5701"),
]

TERRAIN = [
    ("the Pripet marshes", "swamp", "C3824 C3825 C3826 C3827 C3923 C3924 C3925 C3926 C4024 C4025"),
    ("the Carpathians", "mountain", "C4731 C4831 C4931 C5030 C5128 C5129 C5228 C5328 C5428 C5527 C5627"),
    ("the southern Carpathians", "mountain", "C6030 C6031 C6032 C6033"),
    ("the mountains of the Crimea", "mountain", "C6211 C6312 C6311"),
    ("the Balkan", "mountain", "C6830 C6831 C6832"),
    ("the Bryansk woods", "forest", "C3511 C3611 C3711 C3812"),
    ("the Ukraine", "clear", "C4514 C4612 C4813 C5115 C5413 C4908"),
    ("the Crimean steppe", "clear", "C5912 C6012"),
    ("the delta of the Danube", "swamp", "C6120 C6121 C6221"),
    ("the taiga of the north", "forest", "C0404 C0604 C0724 C0824"),
    ("the coast of Kola", "tundra", "N1225 N1324 N1423 N1522"),
    ("the Khibiny", "mountain", "N1727 N1627"),
    ("the Mari woods", "forest", "E2106 E2207 E2208"),
    ("Ladoga", "lake", "C1016 C1115 C1116 C1215 C1216 C0916"),
    ("Onega", "lake", "C0810 C0811 C0710 C1010"),
    ("Peipus", "lake", "C1822"),
    ("Ilmen", "lake", "C1916"),
    ("the Gulf of Finland", "sea", "C1323 C1424"),
    ("the Gulf of Riga", "sea", "C2127 C1927"),
    ("the Baltic", "sea", "C2434 C2234"),
    ("the Sea of Azov", "sea", "C5708 C5807 C5403"),
    ("the Black Sea", "sea", "C6710 C6319 C6018"),
    ("the White Sea", "sea", "N2323 N2523"),
    ("the Barents Sea", "sea", "N1023 N1121"),
]

PORTS = [
    ("black_sea", "C5718 C6313 C6205 C6402 C6007 C6109 C6423"),
    ("baltic", "C1418 C2933 C2227 C1525 C1225 C2331 C2632"),
    ("azov", "C5405 C5506"),
    ("barents", "N1327"),
    ("white_sea", "N2718 N1928"),
]

COUNTRIES = [
    ("germany", "C2933 C2831 C3134 C2632"),
    ("poland", "C3634 C4032 C4135 C3732"),
    ("soviet", "C3729 C4529 C3026 C2227 C1119 C5127 C5522 C3229 N1327 C1327"),
    ("rumania", "C6327 C5424 C6423 C6024"),
    ("hungary", "C4835 C5235 C5431"),
    ("finland", "C1225 N2834 N1129 C1227 C1228"),
    ("bulgaria", "C6834 C6724"),
]


class Sheets:
    """The joined board, with the names of its rivers and the questions that tests ask."""

    def __init__(self, letters: str) -> None:
        scenario = Scenario(
            id="joined", title="", rule="", sections=tuple(letters), first_turn=1, last_turn=1, source="", rails_until="1941-06"
        )
        self.board: Board = build_board(pack_of(NAME), scenario)
        self.rivers: dict[str, set[frozenset[Hex]]] = defaultdict(set)
        for letter in letters:
            for row in read(MAPS / letter / "hexsides.csv"):
                if row["kind"].endswith("_river") and self.board.has(row["hex"]) and self.board.has(row["other"]):
                    self.rivers[row["name"]].add(frozenset((self.board.hex(row["hex"]), self.board.hex(row["other"]))))

    def spread(self, start: Hex, river: str) -> set[Hex]:
        """The land in a ring of five hexes that is reached without crossing a river or water."""
        seen, queue = {start}, [start]
        while queue:
            here = queue.pop()
            for there in self.board.adjacent[here]:
                wet = self.board.terrain(there) in WATER or any(self.board.side_has(here, there, kind) for kind in WATER)
                if there in seen or wet or frozenset((here, there)) in self.rivers[river] or self.board.distance(start, there) > 5:
                    continue
                seen.add(there)
                queue.append(there)
        return seen

    def ride(self, start: str, goal: str) -> int | None:
        """Hexes of railway from *start* to *goal*; None if none leads there."""
        wanted, length = self.board.hex(goal), 0
        seen = ring = {self.board.hex(start)}
        while ring:
            if wanted in ring:
                return length
            ring = {there for here in ring for there in self.board.adjacent[here] if self.board.side_has(here, there, "rail")} - seen
            seen, length = seen | ring, length + 1
        return None

    def corners(self, pair: Iterable[Hex]) -> list[tuple[float, float]]:
        """The two ends of a hexside."""
        one, other = (self.board.facts[here] for here in pair)
        return [(round(x, 3), round(y, 3)) for x, y in hexside_ends((one.x, one.y), (other.x, other.y))]

    def course(self, river: str) -> dict[tuple[float, float], int]:
        """The corners that a river passes, each with the number of its hexsides there."""
        count: dict[tuple[float, float], int] = defaultdict(int)
        for pair in self.rivers[river]:
            for corner in self.corners(pair):
                count[corner] += 1
        return dict(count)


@pytest.fixture(scope="module")
def sheets() -> Sheets:
    return Sheets("CEN")


# -------------------------------------------------------------------- joins


@pytest.mark.parametrize(("letters", "size"), [("C", 2450), ("CE", 3330), ("CEN", 4114)])
def test_joined_maps_have_each_hex_once(letters: str, size: int) -> None:
    board = Sheets(letters).board
    assert board.size == size
    assert len({(fact.q, fact.r) for fact in board.facts}) == size


def test_a_shared_hex_has_two_labels_and_the_first_map_names_it(sheets: Sheets) -> None:
    assert sheets.board.hex("E5317") == sheets.board.hex("C5301")
    assert sheets.board.label(sheets.board.hex("E5317")) == "C5301"
    assert not any(label.startswith("E") and label.endswith("17") for label in sheets.board.labels)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C5301", "E5316"),
        ("C2701", "E2716"),
        ("C4201", "E4216"),
        ("C0107", "N2821"),
        ("C0112", "N2826"),
        ("C0102", "N2817"),
        ("C0118", "N2832"),
    ],
)
def test_hexes_touch_over_the_joins(sheets: Sheets, one: str, other: str) -> None:
    assert sheets.board.are_adjacent(sheets.board.hex(one), sheets.board.hex(other))


def test_both_maps_say_the_same_of_the_hexes_they_share() -> None:
    grid = Grid.load(SCENARIOS / "geo" / NAME)
    known = {grid.spot(row["hex"]): row for row in read(MAPS / "C" / "hexes.csv")}
    shared = [(row, known[grid.spot(row["hex"])]) for row in read(MAPS / "E" / "hexes.csv") if grid.spot(row["hex"]) in known]
    assert len(shared) == 55
    for one, other in shared:
        same = ("terrain", "city", "name", "port", "country")
        assert {key: one[key] for key in same} == {key: other[key] for key in same}


@pytest.mark.parametrize(
    ("one", "other"), [("C0104", "N2818"), ("C0112", "N2826"), ("C0119", "N2833"), ("C0120", "N2834"), ("C5301", "E5316")]
)
def test_railways_run_on_over_the_joins(sheets: Sheets, one: str, other: str) -> None:
    assert sheets.board.side_has(sheets.board.hex(one), sheets.board.hex(other), "rail")


def test_rivers_and_shores_run_on_over_the_joins(sheets: Sheets) -> None:
    board = sheets.board
    assert board.side_has(board.hex("C0107"), board.hex("N2821"), "minor_river")
    assert board.side_has(board.hex("C0107"), board.hex("N2822"), "sea")
    assert set(sheets.course("Volga").values()) <= {1, 2}


def test_water_is_shut_on_every_side(sheets: Sheets) -> None:
    board = sheets.board
    for here in map(Hex, range(board.size)):
        for there in board.adjacent[here]:
            if (board.terrain(here) in WATER) != (board.terrain(there) in WATER):
                assert any(board.side_has(here, there, kind) for kind in WATER), f"{board.label(here)}/{board.label(there)}"


# -------------------------------------------------------------------- what the text names


@pytest.mark.parametrize("row", NAMED, ids=[row.label for row in NAMED])
def test_a_city_lies_where_the_rulebook_puts_it(sheets: Sheets, row: NamedHex) -> None:
    fact = sheets.board.facts[sheets.board.hex(row.label)]
    assert fact.name == SPELT.get(row.name, row.name)
    assert fact.terrain not in WATER
    assert fact.city == ("major" if row.label in MAJOR else "minor")


@pytest.mark.parametrize("label", ["N1032", "N2034", "N2834"])
@pytest.mark.rule(NAME, "19.44c")
def test_the_axis_sources_of_the_north_are_land(sheets: Sheets, label: str) -> None:
    assert sheets.board.terrain(sheets.board.hex(label)) not in WATER


def test_the_straits_of_kerch_are_the_three_hexsides_of_the_text(sheets: Sheets) -> None:
    board = sheets.board
    pairs = {
        frozenset((board.label(here), board.label(there)))
        for here in map(Hex, range(board.size))
        for there in board.adjacent[here]
        if board.side_has(here, there, "strait")
    }
    assert pairs == {frozenset(pair) for pair in (("C6006", "C6007"), ("C6007", "C6106"), ("C6106", "C6107"))}


def test_the_causeway_of_the_crimea_is_where_the_text_puts_it(sheets: Sheets) -> None:
    assert sheets.board.side_has(sheets.board.hex("C5710"), sheets.board.hex("C5811"), "causeway")


def test_the_only_dry_way_into_the_crimea_is_perekop(sheets: Sheets) -> None:
    """9.44 gives the causeway to supply and railways alone: the Sivash beside it bars whoever walks."""
    board = sheets.board
    seen, queue, doors = {board.hex("C5911")}, [board.hex("C5911")], set()
    while queue:
        here = queue.pop()
        for there in board.adjacent[here]:
            kinds = ("sea", "lake", "causeway", "strait")
            if board.terrain(there) in WATER or any(board.side_has(here, there, kind) for kind in kinds) or there in seen:
                continue
            if board.label(there) == "C5712":
                doors.add(board.label(here))
                continue
            seen.add(there)
            queue.append(there)
    assert doors == {"C5812"}
    assert {board.label(here) for here in seen} >= {"C5811", "C5812", "C5911", "C6007", "C6109", "C6113", "C6212", "C6311", "C6313"}
    assert len(seen) < 30


# a hex, and one that lies over the water: the only ways between them are others
WATERS = [
    ("the Moon Sound off Haapsalu", "C1627 C1727", "C1628"),
    ("the Moon Sound off Virtsu", "C1727 C1827", "C1728"),
    ("the sound between Hiiumaa and Saaremaa", "C1628 C1629", "C1728 C1729"),
    ("Neva Bay", "C1318", "C1419"),
    ("Motovsky Bay", "N1028", "N1127"),
]


@pytest.mark.parametrize(("name", "here", "there"), WATERS, ids=[name for name, _, _ in WATERS])
def test_no_step_leads_over_open_water(sheets: Sheets, name: str, here: str, there: str) -> None:
    board = sheets.board
    pairs = [(board.hex(one), board.hex(other)) for one in here.split() for other in there.split()]
    touching = [pair for pair in pairs if board.are_adjacent(*pair)]
    assert touching, name
    assert all(board.side_has(*pair, "sea") for pair in touching)


def _walk(sheets: Sheets, start: str) -> set[str]:
    """Return the labels of all land that is reached on foot from a hex, straits and ice roads not counted."""
    board, seen = sheets.board, {sheets.board.hex(start)}
    queue = list(seen)
    while queue:
        here = queue.pop()
        for there in board.adjacent[here]:
            if there not in seen and board.terrain(there) not in WATER and not board.side_has(here, there, *WATER, "causeway", "strait"):
                seen.add(there)
                queue.append(there)
    return {board.label(here) for here in seen}


@pytest.mark.parametrize(("start", "island"), [("C1628", {"C1628", "C1629"}), ("C1829", {"C1728", "C1729", "C1829"})])
def test_the_islands_of_estonia_are_not_reached_on_foot(sheets: Sheets, start: str, island: set[str]) -> None:
    assert _walk(sheets, start) == island


def test_the_winter_road_of_ladoga_leads_round_the_neva(sheets: Sheets) -> None:
    board = sheets.board
    assert board.side_has(board.hex("C1316"), board.hex("C1416"), "ice_road")
    assert {frozenset(map(board.label, pair)) for pair in sheets.rivers["Neva"]} == {
        frozenset(("C1316", "C1417")),
        frozenset(("C1317", "C1417")),
    }


def test_only_sevastopol_is_a_fortress(sheets: Sheets) -> None:
    assert [fact.label for fact in sheets.board.facts if "fortress" in fact.features] == ["C6313"]


# -------------------------------------------------------------------- geography


@pytest.mark.parametrize(("name", "start", "goal", "most"), LINES, ids=[line[0] for line in LINES])
def test_a_railway_of_1941_joins_its_towns(sheets: Sheets, name: str, start: str, goal: str, most: int) -> None:
    length = sheets.ride(start, goal)
    assert length is not None, name
    assert length <= most


@pytest.mark.parametrize(("river", "one", "other"), BANKS, ids=[river for river, _, _ in BANKS])
def test_a_great_river_divides_its_banks(sheets: Sheets, river: str, one: str, other: str) -> None:
    for left, right in zip(one.split(), other.split(), strict=True):
        bank = sheets.spread(sheets.board.hex(left), river)
        assert sheets.board.hex(right) not in bank, f"{left} and {right}"


@pytest.mark.parametrize("river", sorted({river for river, _ in MOUTHS} | {river for river, _, _ in BANKS}))
def test_a_river_has_no_branch(sheets: Sheets, river: str) -> None:
    assert sheets.rivers[river]
    assert set(sheets.course(river).values()) <= {1, 2}


def test_cernauti_lies_on_the_southern_bank_of_the_prut(sheets: Sheets) -> None:
    assert sheets.board.facts[sheets.board.hex("C5127")].name == "Cernauti"
    north = {frozenset((sheets.board.hex("C5127"), sheets.board.hex(there))) for there in ("C5027", "C5028")}
    south = {frozenset((sheets.board.hex("C5127"), sheets.board.hex(there))) for there in ("C5227", "C5228")}
    assert north <= sheets.rivers["Prut"]
    assert not south & sheets.rivers["Prut"]


def test_akhtyrka_lies_on_the_eastern_bank_of_the_vorskla(sheets: Sheets) -> None:
    assert sheets.board.facts[sheets.board.hex("C4410")].name == "Akhtyrka"
    west = {frozenset((sheets.board.hex("C4410"), sheets.board.hex(there))) for there in ("C4310", "C4411")}
    east = {frozenset((sheets.board.hex("C4410"), sheets.board.hex(there))) for there in ("C4409", "C4509", "C4510")}
    assert west <= sheets.rivers["Vorskla"]
    assert not east & sheets.rivers["Vorskla"]


def test_the_narva_runs_from_lake_peipus_to_the_sea(sheets: Sheets) -> None:
    board = sheets.board
    ends = {corner for corner, times in sheets.course("Narva").items() if times == 1}
    shore = {
        kind: {corner for here in map(Hex, range(board.size)) for there in board.adjacent[here] for corner in sheets.corners((here, there))
               if board.side_has(here, there, kind)}
        for kind in WATER
    }  # fmt: skip
    assert len(ends) == 2
    assert ends & shore["lake"]
    assert ends & shore["sea"]


@pytest.mark.parametrize(("river", "into"), MOUTHS, ids=[river for river, _ in MOUTHS])
def test_a_river_ends_in_the_river_that_it_joins(sheets: Sheets, river: str, into: str) -> None:
    ends = {corner for corner, times in sheets.course(river).items() if times == 1}
    assert ends & set(sheets.course(into))


@pytest.mark.parametrize(("river", "one", "other"), SEAS, ids=[river for river, _, _ in SEAS])
def test_a_river_ends_in_its_sea(sheets: Sheets, river: str, one: str, other: str) -> None:
    pair = (sheets.board.hex(one), sheets.board.hex(other))
    assert sheets.board.side_has(*pair, "sea")
    ends = {corner for corner, times in sheets.course(river).items() if times == 1}
    assert ends & set(sheets.corners(pair))


@pytest.mark.parametrize(("here", "there"), [("N2028", "N2027"), ("N2127", "N2027"), ("N1928", "N1927")])
def test_the_gulf_of_kandalaksha_reaches_its_port(sheets: Sheets, here: str, there: str) -> None:
    assert sheets.board.side_has(sheets.board.hex(here), sheets.board.hex(there), "sea")


def test_the_branch_of_kineshma_ends_on_the_right_bank_of_the_volga(sheets: Sheets) -> None:
    board = sheets.board
    assert board.side_has(board.hex("E2116"), board.hex("C2101"), "rail")
    assert not board.side_has(board.hex("E2116"), board.hex("E2016"), "rail")


@pytest.mark.parametrize(("what", "terrain", "labels"), TERRAIN, ids=[what for what, _, _ in TERRAIN])
def test_the_land_is_as_it_was(sheets: Sheets, what: str, terrain: str, labels: str) -> None:
    found = {label: sheets.board.terrain(sheets.board.hex(label)) for label in labels.split()}
    assert found == dict.fromkeys(labels.split(), terrain), what


def test_the_lakes_are_those_of_1941(sheets: Sheets) -> None:
    lakes = {fact.label for fact in sheets.board.facts if fact.terrain == "lake"}
    ladoga_onega = {label for label in lakes if label[:3] in ("C07", "C08", "C09", "C10", "C11", "C12", "C13")}
    assert lakes - ladoga_onega == {"C1822", "C1916"}, "Peipus and Ilmen, and no lake of a later dam"


@pytest.mark.parametrize(("sea", "labels"), PORTS, ids=[sea for sea, _ in PORTS])
def test_a_port_lies_on_its_sea(sheets: Sheets, sea: str, labels: str) -> None:
    assert {label: sheets.board.facts[sheets.board.hex(label)].port for label in labels.split()} == dict.fromkeys(labels.split(), sea)


@pytest.mark.parametrize(("country", "labels"), COUNTRIES, ids=[country for country, _ in COUNTRIES])
def test_borders_are_those_of_june_1941(sheets: Sheets, country: str, labels: str) -> None:
    assert {label: sheets.board.facts[sheets.board.hex(label)].country for label in labels.split()} == dict.fromkeys(
        labels.split(), country
    )


def test_a_border_runs_wherever_two_countries_meet_on_land_and_nowhere_else(sheets: Sheets) -> None:
    board = sheets.board
    land = [Hex(i) for i in range(board.size) if board.terrain(Hex(i)) not in WATER]
    for here in land:
        for there in board.adjacent[here]:
            if board.terrain(there) not in WATER and not any(board.side_has(here, there, kind) for kind in WATER):
                abroad = board.facts[here].country != board.facts[there].country
                assert board.side_has(here, there, "border") == abroad, f"{board.label(here)}/{board.label(there)}"


# a railway, a river beside it, and how often it crosses (0: it keeps to its bank)
BRIDGES = [
    ("Bologoe - Rybinsk - Yaroslavl", "N20", "Volga", 1),
    ("Saratov - Petrov Val", "N52", "Volga", 0),
    ("Gorky - Arzamas", "N38", "Oka", 0),
    ("Warsaw - Radom", "B33", "Vistula", 0),
    ("Orsha - Mogilev - Zhlobin", "C18", "Dnepr", 0),
    ("Beltsy - Oknitsa - Cernauti", "R09", "Dnestr", 0),
    ("Mogilev-Podolsky - Oknitsa", "U45", "Dnestr", 1),
    ("Chudovo - Novgorod - Staraya Russa", "N23", "Volkhov", 0),
    ("Dvinsk - Krustpils - Riga", "B01", "Western Dvina", 0),
    ("Rezekne - Krustpils - Riga", "C11", "Western Dvina", 0),
    ("Pascani - Jassy", "R03", "Siret", 1),
    ("Ruse - Stara Zagora", "K05", "Danube", 0),
    ("Ruse - Varna", "K06", "Danube", 0),
    ("Dvinsk - Polotsk - Vitebsk", "C12", "Western Dvina", 1),
    ("Mitau - Krustpils", "B05", "Western Dvina", 1),
    ("Valga - Gulbene - Krustpils", "B48", "Western Dvina", 0),
    ("Warsaw - Ostroleka - Lomza", "B25", "Narew", 0),
    ("Kazlu Ruda - Suwalki", "B12", "Neman", 0),
    ("Rozwadow - Mielec - Debica", "B36", "Wisloka", 0),
    ("Leningrad - Volkhov - Tikhvin", "N14", "Volkhov", 1),
    ("Bologoe - Staraya Russa", "N05", "Lovat", 1),
    ("Gorky - Kotelnich", "N31", "Vyatka", 0),
    ("Moscow - Ryazan - Ruzaevka", "N41", "Oka", 1),
    ("the outer ring of Moscow", "C47", "Oka", 0),
    ("Moscow - Kazan", "N35", "Volga", 1),
    ("Zeleny Dol - Yoshkar-Ola", "X06", "Volga", 0),
    ("Bryansk - Zhukovka - Kletnya", "C45", "Desna", 1),
    ("Focsani - Marasesti", "R01", "Siret", 0),
    ("Marasesti - Suceava - Cernauti", "R02", "Siret", 1),
    ("Marasesti - Tecuci", "R04", "Siret", 1),
    ("Adjud - Ghimes", "R18", "Siret", 0),
    ("Bacau - Piatra Neamt", "X14", "Bistrita", 0),
    ("Jassy - Ungheny - Kishinev", "R03", "Prut", 1),
    ("Ungheny - Beltsy", "R08", "Prut", 0),
    ("Beltsy - Lipkany - Cernauti", "R09", "Prut", 1),
    ("Znamenka - Novy Bug - Nikolaev", "U22", "Ingul", 0),
    ("Kupyansk - Rubezhnoe - Lisichansk", "U07", "Northern Donets", 1),
    ("Volnovakha - Mariupol", "U15", "Kalmius", 0),
    ("Simferopol - Sevastopol", "U02", "Salgir", 0),
    ("Mozdok - Chervlennaya - Gudermes", "U59", "Terek", 1),
]


@pytest.mark.parametrize(("name", "line", "river", "times"), BRIDGES, ids=[name for name, _, _, _ in BRIDGES])
def test_a_railway_crosses_a_river_as_often_as_it_did(sheets: Sheets, name: str, line: str, river: str, times: int) -> None:
    rows = [row for letter in "CEN" for row in read(MAPS / letter / "rails.csv") if line in row["line"].split(";")]
    pairs = {frozenset((sheets.board.hex(row["hex"]), sheets.board.hex(row["other"]))) for row in rows}
    assert pairs, name
    assert len(pairs & sheets.rivers[river]) == times


# a town, the river beside it, the neighbours on the other bank
TOWN_BANKS = [
    ("Sandomierz", "C4133", "Vistula", {"C4033", "C4132", "C4233", "C4234"}),
    ("Novgorod", "C1816", "Volkhov", {"C1715", "C1815", "C1915"}),
    ("Ruse", "C6628", "Danube", {"C6528"}),
    ("Staraya Russa", "C2016", "Lovat", {"C1915", "C2015", "C2115"}),
    ("Mariupol", "C5405", "Kalmius", {"C5304", "C5404"}),
    ("Bacau", "C5626", "Bistrita", {"C5627", "C5726"}),
]


@pytest.mark.parametrize(("name", "label", "river", "across"), TOWN_BANKS, ids=[row[0] for row in TOWN_BANKS])
def test_a_town_lies_on_the_bank_that_it_had(sheets: Sheets, name: str, label: str, river: str, across: set[str]) -> None:
    board = sheets.board
    home = board.hex(label)
    assert board.facts[home].name == name
    assert {board.label(there) for there in board.adjacent[home] if frozenset((home, there)) in sheets.rivers[river]} == across


def test_the_border_on_the_prut_is_the_prut(sheets: Sheets) -> None:
    board = sheets.board
    for pair in sheets.rivers["Prut"]:
        one, other = (board.facts[here] for here in pair)
        if min(one.label, other.label) >= "C5323":  # above, the border of the Bukovina leaves the river
            assert board.side_has(*pair, "border"), (one.label, other.label)
            assert {one.country, other.country} == {"rumania", "soviet"}, (one.label, other.label)


def test_molotovsk_has_its_railway_to_archangelsk(sheets: Sheets) -> None:
    assert sheets.ride("N2719", "N2718") == 1


def neighbours_by_rail() -> Iterable[tuple[str, str, str]]:
    """Yield each line's towns that follow each other, both named on the maps, where the whole stretch was open in June 1941."""
    known = {row["name"] for letter in "CEN" for row in read(MAPS / letter / "hexes.csv") if row["name"]}
    for line in read_geography(SCENARIOS / "geo").railways:
        last = ""
        for station in line.stations:
            if station.opened > "1941-06":
                last = ""
            if station.name in known:
                if last and last != station.name:
                    yield line.id, last, station.name
                last = station.name


def test_every_railway_of_1941_joins_the_towns_along_it_without_a_great_detour(sheets: Sheets) -> None:
    board = sheets.board
    labels = {fact.name: fact.label for fact in board.facts if fact.name}
    pairs = [(line, labels[one], labels[other]) for line, one, other in neighbours_by_rail()]
    assert len(pairs) > 300
    for line, one, other in pairs:
        length, straight = sheets.ride(one, other), board.distance(board.hex(one), board.hex(other))
        assert length is not None, f"{line}: {one} - {other}"
        assert length <= 1.5 * straight + 2, f"{line}: {one} - {other} takes {length} hexes"

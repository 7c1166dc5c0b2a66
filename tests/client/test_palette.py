"""Every text can be read on what it stands on, in every theme."""

from __future__ import annotations

from itertools import combinations

import pytest

from client.game import GamePage
from client.map.counters import nations_in
from client.map.palette import PALETTES, Palette, contrast, mixed, rgb, side_colour, text_on, turn_tint
from tests.packs import SCENARIOS, pack_of

themes = pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES.keys())
PACKS = sorted(path.parent.name for path in SCENARIOS.glob("*/pack.toml"))


@themes
@pytest.mark.parametrize("ground", ["chrome", "card", "paper"])
@pytest.mark.parametrize("ink", ["ink", "ink_soft", "danger", "good"])
def test_texts_have_a_contrast_of_four_and_a_half_to_one(palette: Palette, ground: str, ink: str) -> None:
    assert contrast(getattr(palette, ink), getattr(palette, ground)) >= 4.5


@themes
def test_names_on_the_map_can_be_read(palette: Palette) -> None:
    for water in (palette.sea, palette.lake, palette.paper):
        assert contrast(palette.water_name, water) >= 4.5
    for terrain in palette.ground.values():
        assert contrast(palette.ink, terrain.fill) >= 4.5


@themes
def test_the_weather_of_turns_can_be_told_apart_on_the_timeline_and_their_names_read(palette: Palette) -> None:
    tints = [turn_tint(palette, weather) for weather in ("clear", "mud", "snow")]
    for one, other in combinations(tints, 2):
        assert sum((a - b) ** 2 for a, b in zip(rgb(one), rgb(other), strict=True)) ** 0.5 >= 30, (one, other)
    clear, mud, _ = tints
    assert sum((a - b) ** 2 for a, b in zip(rgb(clear), rgb(mud), strict=True)) ** 0.5 >= 60  # both are brownish
    assert min(contrast(palette.ink, tint) for tint in tints) >= 4.5


@themes
def test_costs_can_be_read_on_the_tint_of_their_reach(palette: Palette) -> None:
    for tint in palette.reach:
        assert contrast(palette.reach_ink, mixed(palette.paper, tint, 0.34)) >= 4.5


@themes
@pytest.mark.parametrize("ruleset", PACKS)
def test_counters_and_chips_choose_ink_that_can_be_read(palette: Palette, ruleset: str) -> None:
    manifest = pack_of(ruleset).manifest
    grounds = [nation.colour for nation in manifest.nation] + [nation.elite for nation in manifest.nation if nation.elite]
    for ground in (*grounds, *manifest.side_colours.values(), *palette.sides, palette.accent):
        assert contrast(text_on(ground), ground) >= 4.5


def simulated(colour: str, kind: str) -> tuple[float, ...]:
    """Return a colour as eyes without one kind of cones see it (matrices of Machado and others, full severity)."""
    red, green, blue = rgb(colour)
    rows = {
        "deuteran": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
        "tritan": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
    }[kind]
    return tuple(a * red + b * green + c * blue for a, b, c in rows)


@pytest.mark.parametrize("kind", ["deuteran", "tritan"])
def test_colour_blind_themes_keep_the_sides_and_reach_against_target_apart(kind: str) -> None:
    palette = PALETTES[kind]
    for one, other in (palette.sides, (palette.reach[0], palette.target), (palette.good, palette.danger)):
        a, b = simulated(one, kind), simulated(other, kind)
        assert sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5 > 60


@pytest.mark.parametrize("palette", PALETTES.values(), ids=lambda palette: palette.name)
@pytest.mark.parametrize("colour", ["#5C6B63", "#B4472F", "#101010", "#FDFDFD"])
def test_a_sides_colour_stands_out_in_every_theme(palette: Palette, colour: str) -> None:
    shown = side_colour(palette, ("one",), {"one": colour}, "one")
    if not palette.sides:
        assert min(contrast(shown, palette.chrome), contrast(shown, palette.paper)) >= 3


@pytest.mark.parametrize("ruleset", PACKS)
@pytest.mark.parametrize("kind", ["deuteran", "tritan"])
def test_colour_blind_themes_keep_the_counters_of_the_sides_apart(ruleset: str, kind: str) -> None:
    nations = nations_in(PALETTES[kind], pack_of(ruleset).manifest).values()
    counters = [(nation.side, colour) for nation in nations for colour in (nation.colour, nation.elite) if colour]
    for (side, one), (other, two) in combinations(counters, 2):
        if side != other:
            a, b = simulated(one, kind), simulated(two, kind)
            assert sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5 > 60, (one, two)
        assert contrast(text_on(one), one) >= 4.5


def test_a_theme_without_colours_of_its_own_leaves_the_packs_and_a_change_of_theme_is_followed(page: GamePage) -> None:
    manifest = page.match.manifest
    assert list(nations_in(PALETTES["light"], manifest).values()) == list(manifest.nation)
    held = page.scene.nations
    page.set_palette(PALETTES["tritan"])
    assert page.scene.nations is held
    assert held == nations_in(PALETTES["tritan"], manifest)


@pytest.mark.parametrize("palette", PALETTES.values(), ids=list(PALETTES))
def test_the_name_of_a_region_can_be_read_on_every_ground_and_stays_paler_than_a_towns(palette: Palette) -> None:
    for ground in (palette.paper, *(one.fill for one in palette.ground.values())):
        assert contrast(palette.region_name, ground) >= 3, ground  # large letters
        assert contrast(palette.region_name, ground) < contrast(palette.ink, ground)

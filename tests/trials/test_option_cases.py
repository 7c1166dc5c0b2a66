"""Every option of a game changes what its words say: one case plays with it, one without."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from core.pack import Option
from tests.packs import pack_of

CASES = Path(__file__).parents[1] / "cases"
GAME = "war_for_the_motherland"
PAIRS = {  # option: the case with it, the case without it
    "extended_depots": ("20_options/M-286", "20_options/M-286b"),
    "army_breakdown": ("20_options/M-358", "20_options/M-287b"),
    "security_divisions": ("20_options/M-357", "20_options/M-357b"),
    "city_losses": ("20_city_losses/M-290", "20_city_losses/M-290b"),
    "without_north": ("19_campaign/M-285", "19_campaign/M-285b"),
    "north_sea_supply": ("09_sea_supply/D-56", "09_sea_supply/D-56b"),
    "minimum_advance_one": ("08_advance/D-47", "08_advance/D-47b"),
}


@pytest.mark.parametrize("option", pack_of(GAME).manifest.option, ids=lambda option: option.id)
def test_an_option_has_a_case_with_it_and_one_without(option: Option) -> None:
    assert [chosen(option, case) for case in PAIRS[option.id]] == [True, False]


@pytest.mark.parametrize("option", sorted(PAIRS))
def test_both_cases_begin_alike(option: str) -> None:
    one, other = (read(case) for case in PAIRS[option])
    assert one["units"] == other["units"]
    assert one["scenario"] == other["scenario"]


def read(case: str) -> dict[str, object]:
    return tomllib.loads((CASES / GAME / f"{case}.toml").read_text(encoding="utf-8"))


def chosen(option: Option, case: str) -> object:
    options = read(case).get("options", {})
    assert isinstance(options, dict)
    return options.get(option.id, option.default)

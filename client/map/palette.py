"""Every colour of the client, by theme: light print, dark, high contrast, and two for colour-blind eyes.

Colours are ``#rrggbb``. A terrain word that a theme doesn't know is drawn as clear ground.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import msgspec


class Ground(msgspec.Struct, frozen=True):
    """How one kind of terrain is painted: fill, glyph of a closed set (``tree``, ``reed``, ``hachure``, ``dot``, ``tuft``), its ink."""

    fill: str
    glyph: str = ""
    ink: str = ""


class Palette(msgspec.Struct, frozen=True):
    """A theme. *reach* are the tints of three cost steps, near to far; *sides* what replaces a pack's side colours, in its order."""

    name: str
    title: str
    dark: bool
    paper: str
    table: str
    ink: str
    ink_soft: str
    chrome: str
    chrome_line: str
    card: str
    accent: str
    danger: str
    good: str
    sea: str
    sea_light: str
    lake: str
    coast: str
    minor_river: str
    major_river: str
    major_river_core: str
    water_name: str
    region_name: str
    rail: str
    border: str
    minor_city: str
    major_city: str
    snow: str
    mud: str
    reach: tuple[str, str, str]
    reach_ink: str
    target: str
    sides: tuple[str, ...]
    ground: dict[str, Ground]


LIGHT_GROUND = {
    "forest": Ground("#BFCB9F", "tree", "#7E9464"),
    "woods": Ground("#BFCB9F", "tree", "#7E9464"),
    "forest_swamp": Ground("#B5C6AE", "reed", "#5F8A86"),
    "swamp": Ground("#C4D2C0", "reed", "#5F8A86"),
    "mountain": Ground("#CDBB9D", "hachure", "#8D7553"),
    "rough": Ground("#DACDB0", "dot", "#A58F68"),
    "tundra": Ground("#DADCCB", "tuft", "#8E9A84"),
    "arctic": Ground("#DADCCB", "tuft", "#8E9A84"),
    "salt": Ground("#E3DCD2", "dot", "#A79C88"),
    "desert": Ground("#E9DDB8", "dot", "#B79F68"),
}

LIGHT = Palette(
    name="light", title="Print", dark=False,
    paper="#EAE3D0", table="#CFC6B2", ink="#2B2620", ink_soft="#5E564B",
    chrome="#F6F2E8", chrome_line="#D8CFBB", card="#FBF8F0",
    accent="#D9A21B", danger="#B3261E", good="#1E6656",
    sea="#A8C4D6", sea_light="#C3D8E4", lake="#B7CFDD", coast="#6E93AB",
    minor_river="#5D8DB5", major_river="#3C6C9E", major_river_core="#7FA9CE",
    water_name="#234F79", region_name="#6F6550",
    rail="#4A4440", border="#9A3B3B", minor_city="#8C7B6B", major_city="#54473D",
    snow="#E6EEF5", mud="#A78F68",
    reach=("#3E8E5A", "#5FA36F", "#8DBB8F"), reach_ink="#164A29", target="#B3261E",
    sides=(), ground=LIGHT_GROUND,
)

DARK_GROUND = {
    "forest": Ground("#3C4733", "tree", "#7E9464"),
    "woods": Ground("#3C4733", "tree", "#7E9464"),
    "forest_swamp": Ground("#374540", "reed", "#6FA09B"),
    "swamp": Ground("#3B4743", "reed", "#6FA09B"),
    "mountain": Ground("#54483A", "hachure", "#A98F6B"),
    "rough": Ground("#494234", "dot", "#8F7E5D"),
    "tundra": Ground("#44463F", "tuft", "#8E9A84"),
    "arctic": Ground("#44463F", "tuft", "#8E9A84"),
    "salt": Ground("#46423C", "dot", "#8F8573"),
    "desert": Ground("#4A4331", "dot", "#9C8857"),
}

DARK = msgspec.structs.replace(
    LIGHT,
    name="dark", title="Dark", dark=True,
    paper="#3A362F", table="#211F1B", ink="#F2ECDD", ink_soft="#C3BAA7",
    chrome="#2A2722", chrome_line="#4B463C", card="#34302A",
    accent="#E5B53A", danger="#FF8A7E", good="#6FCBB4",
    sea="#26394A", sea_light="#304759", lake="#2B4356", coast="#5F87A3",
    minor_river="#6C9FCA", major_river="#7FB0DC", major_river_core="#35597C",
    water_name="#A9CBEA", region_name="#B4AA94",
    rail="#B8AFA0", border="#D87A7A", minor_city="#A9998A", major_city="#D9CDBB",
    snow="#5B6670", mud="#8A6A3C",
    reach=("#4FB377", "#3F8F5F", "#33704C"), reach_ink="#C8F2D6", target="#FF7A6E",
    ground=DARK_GROUND,
)

CONTRAST = msgspec.structs.replace(
    LIGHT,
    name="contrast", title="High contrast",
    paper="#FFFFFF", table="#D0D0D0", ink="#000000", ink_soft="#2A2A2A",
    chrome="#FFFFFF", chrome_line="#000000", card="#FFFFFF",
    accent="#B35C00", danger="#A00000", good="#005A46",
    sea="#9CCBEA", sea_light="#BFE0F5", lake="#A9D4EE", coast="#003A66",
    minor_river="#0063B1", major_river="#003C78", major_river_core="#4FA3E3",
    water_name="#00386B", region_name="#4A4A4A",
    rail="#000000", border="#A00000", minor_city="#4A4A4A", major_city="#000000",
    snow="#D9EBFF", mud="#B59B6B",
    reach=("#007A33", "#3FA35F", "#8CCB9C"), reach_ink="#003D19", target="#C00000",
)

# Okabe and Ito's colours: sides in blue and vermilion, reach in blue, so that red against green carries nothing.
DEUTERAN = msgspec.structs.replace(
    LIGHT,
    name="deuteran", title="Red-green safe",
    accent="#B88400", danger="#A63A00", good="#00557F",
    reach=("#0072B2", "#4A9BCB", "#93C4E0"), reach_ink="#00405F", target="#A63A00",
    sides=("#3F5F8A", "#B4530F"),
)

# Blue against yellow carries nothing: sides in dark teal and red, the selection in magenta.
TRITAN = msgspec.structs.replace(
    LIGHT,
    name="tritan", title="Blue-yellow safe",
    accent="#A8206E", danger="#9E1B1B", good="#00695C",
    target="#9E1B1B",
    sides=("#2F5F5A", "#B03A48"),
)

PALETTES = {palette.name: palette for palette in (LIGHT, DARK, CONTRAST, DEUTERAN, TRITAN)}

CLEAR = Ground("")


def rgb(colour: str) -> tuple[int, int, int]:
    """Return red, green, blue of ``#rrggbb``, 0 … 255.

    >>> rgb("#EAE3D0")
    (234, 227, 208)
    """
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mixed(one: str, other: str, share: float) -> str:
    """Return *one* with so much of *other* in it, 0 … 1."""
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in zip(rgb(one), rgb(other), strict=True))


def luminance(colour: str) -> float:
    """Return the relative luminance as WCAG 2 defines it, 0 (black) … 1 (white)."""
    linear = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 … 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@lru_cache(maxsize=512)
def text_on(ground: str) -> str:
    """Return black or white ink, whichever reads better on *ground*."""
    return "#17130F" if contrast("#17130F", ground) >= contrast("#FFFFFF", ground) else "#FFFFFF"


def side_colour(palette: Palette, sides: tuple[str, ...], colours: dict[str, str], side: str) -> str:
    """Return a side's colour: the theme's own if it has any, else the pack's; grey for no side."""
    if side not in sides:
        return palette.ink_soft
    index = sides.index(side)
    if index < len(palette.sides):
        return palette.sides[index]
    return seen_on(colours.get(side, palette.ink_soft), palette.ink, (palette.chrome, palette.paper))


def turn_tint(palette: Palette, weather: str) -> str:
    """Return the colour of a turn with some weather on the timeline; on a dark ground brown must be fuller to be told from clear."""
    tints = {"snow": palette.snow, "mud": mixed(palette.chrome, palette.mud, 0.8 if palette.dark else 0.5)}
    return tints.get(weather, mixed(palette.chrome, palette.paper, 0.7))


SEEN, READ = 3.0, 7.0  # contrast that a mark needs to be seen as a shape, and small words to be read amidst hatching


@lru_cache(maxsize=256)
def seen_on(colour: str, ink: str, grounds: tuple[str, ...], *, least: float = SEEN) -> str:
    """Return a colour, turned towards the *ink* so far that it stands out from all *grounds*."""
    for turned in _turned(colour, ink):
        if min(contrast(turned, ground) for ground in grounds) >= least:
            return turned
    return ink


def _turned(colour: str, ink: str) -> Iterator[str]:
    """Turn a colour towards the ink in steps; to a light one by way of the brightest of its hue, for ink alone would bleach it."""
    if luminance(ink) > luminance(colour):
        red, green, blue = (255 * part // max(1, *rgb(colour)) for part in rgb(colour))
        bright = f"#{red:02X}{green:02X}{blue:02X}"
        yield from (mixed(colour, bright, share / 10) for share in range(10))
        colour = bright
    yield from (mixed(colour, ink, share / 10) for share in range(10))

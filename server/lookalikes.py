"""Names that look alike, so that nobody passes for another; and those that nobody can read, or that mix what looks alike."""

from __future__ import annotations

import string
import unicodedata

from core.errors import Refused
from core.text import text

# Letters and marks by their kind that show nothing: fillers, joiners, selectors of variants, the empty Braille cell.
_NOT_SEEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U0001d159"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
# By the plain one: letters of other alphabets, and odd ones of the Latin, that can't be told from it; figures, strokes and marks as well.
_LOOK_LIKE = {
    "a": "аαɑᴀꓮᎪᗅᗩ", "b": "вβʙꓐᏴᗷ", "c": "сᴄꓚᏟᑕ", "d": "ԁᴅꓓᎠđᗞᗪ", "e": "еεᴇꓰᎬⴹ", "f": "ꓝꬵᖴ", "g": "ԍɡɢꓖᏀց",
    "h": "нһʜꓧᎻħհᕼ", "i": "іιıɩɪꓲ¡ⵊ", "j": "јϳȷᴊꓙᎫᏧյᒍ", "k": "кκᴋꓗᏦ", "l": "ӏ1|ǀʟꓡᏞꞁǃłլᒪⵏ", "m": "мᴍꓟᎷᗰ",
    "n": "ηɴꓠпոռ", "o": "оο0ᴏꓳøօⵔⵙסهഠଠ", "p": "рρᴘꓑᏢᑭ", "q": "ԛզ", "r": "ʀꓣᎡгᖇ", "s": "ѕꜱꓢᏚᔕ", "t": "тτᴛꓔᎢŧⵝⵜ",
    "u": "υᴜꓴսᑌ", "v": "ѵνᴠꓦᏙᐯ", "w": "ԝѡωᴡꓪᎳᏔ", "x": "хχꓫ᙭ⵅ", "y": "уүγʏꓬᎩ", "z": "ᴢꓜᏃʐ", "-": "‐‑‒–—−",
    "'": "’‘ʼʻ′`",
}  # fmt: skip
_ALIKE = str.maketrans({one: plain for plain, alike in _LOOK_LIKE.items() for one in alike})
_BEFORE = str.maketrans("ϲϹ", "cc")  # what NFKC takes for a sigma
_TALL = str.maketrans("IІΙƖ", "llll")  # capitals that look like a small l
_CAPITALS = str.maketrans("ΖΗΜΝΥϺϜՏ", "zhmnymfs")  # capitals, Greek but for the last, that look otherwise than their small letters do
_APOSTROPHES = "ʻʼ"  # of Uzbek, Ukrainian and others: letters
# What a name may have beside letters: other figures and signs look like some of those.
_SIGNS = frozenset(string.digits + string.punctuation + " " + _LOOK_LIKE["-"] + _LOOK_LIKE["'"])
_AT_THE_EDGE = " .,"  # seen by nobody there
_OF_OTHER_SHAPES = frozenset({"CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO"})
_EAST_ASIAN = "EAST ASIAN"
# Alphabets in which people write their names today: those of which it is known which letters look like Latin ones, or few enough do.
_LIVING = frozenset({
    _EAST_ASIAN,
    "LATIN", "CYRILLIC", "GREEK", "CHEROKEE", "LISU", "ARMENIAN", "CANADIAN", "TIFINAGH", "GEORGIAN", "HEBREW", "ARABIC", "SYRIAC",
    "THAANA", "NKO", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "THAI",
    "LAO", "TIBETAN", "MYANMAR", "ETHIOPIC", "KHMER", "MONGOLIAN", "YI",
})  # fmt: skip


def likeness(name: str) -> str:
    """Return what names that look alike have in common.

    >>> likeness("Anna") == likeness("ANNA") == likeness("Аnnа") != likeness("Hanna")
    True
    """
    plain = unicodedata.normalize("NFKC", name.translate(_BEFORE)).casefold()
    letters = unicodedata.normalize("NFKD", plain.translate(_ALIKE))
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter) and letter not in _NOT_SEEN)
    return " ".join(bare.translate(_ALIKE).split()).strip(_AT_THE_EDGE)


def likenesses(name: str) -> frozenset[str]:
    """Return all that a name may be taken for: what it is like, also to who reads each capital I as a small l, or Greek capitals as Latin.

    >>> likenesses("Paul") & likenesses("PauI")
    frozenset({'paul'})
    """
    plain = unicodedata.normalize("NFKC", name.translate(_BEFORE))
    latin = plain.translate(_CAPITALS)
    return frozenset(map(likeness, (plain, latin, plain.translate(_TALL), latin.translate(_TALL))))


def check_legible(name: str) -> None:
    """Refuse a name that can't be read: with letters that show nothing, of an alphabet in which nobody writes his name today, or none."""
    unseen = [letter for letter in name if not letter.isprintable() or letter in _NOT_SEEN]
    if unseen or not likeness(name):
        what = f"U+{ord(unseen[0]):04X}" if unseen else "accents alone"
        raise Refused("", text("a name is of letters that can be seen, and this one has {what}", what=what))
    if odd := [one for one in name if unicodedata.category(one)[0] not in "LM" and one not in _SIGNS]:
        words = "a name is of letters, the figures 0 to 9 and the signs of a keyboard, and {name} has {what}"
        raise Refused("", text(words, name=name, what=unicodedata.name(odd[0], f"U+{ord(odd[0]):04X}").lower()))
    if dead := _alphabets(name) - _LIVING:
        words = "the name {name} has letters in which nobody writes his name today, and others may take for theirs: {alphabets}"
        raise Refused("", text(words, name=name, alphabets=", ".join(sorted(dead)).lower()))


def check_of_one_alphabet(name: str) -> None:
    """Refuse a name of alphabets that may be taken for one another: some letters of each look nearly like some of another.

    A word of East Asia may stand beside another, as nobody reads its letters as that one's; within a word single strokes are read so.
    """
    together = [_alphabets(name) - {_EAST_ASIAN}, *map(_alphabets, name.split())]
    if alphabets := next((some for some in together if len(some) > 1), set[str]()):
        mixed = ", ".join(sorted(alphabets)).lower()
        raise Refused("", text("the name {name} mixes letters that may be taken for one another: {alphabets}", name=name, alphabets=mixed))


def _alphabets(name: str) -> set[str]:
    """Return the alphabets of a name, as Unicode calls them; those of East Asia, whose letters are like one another's to nobody, as one."""
    letters = [letter for letter in unicodedata.normalize("NFKC", name) if letter.isalpha() and letter not in _APOSTROPHES]
    alphabets = {unicodedata.name(letter, "UNNAMED").split()[0] for letter in letters}
    return (alphabets - _OF_OTHER_SHAPES) | ({_EAST_ASIAN} if alphabets & _OF_OTHER_SHAPES else set())

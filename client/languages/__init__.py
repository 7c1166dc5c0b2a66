"""Languages of the window: a catalogue is a JSON file ``<code>.json`` with its own name and a translation for each English text.

Texts that a catalogue lacks stay English. `collect` lists all texts there are, and writes a catalogue for a translator to fill.
The *pseudo* language makes every text longer and marks it: whatever is cut, or not marked, can't be translated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from client.qt import QCoreApplication, QTranslator
from core.errors import BadInput

ENGLISH, PSEUDO = "en", "pseudo"
HERE = Path(__file__).parent
OPEN, SHUT = "«", "»"
LONGER = 0.4
WORD = "word"  # the context of words that a template takes in, and of a pack's
SHORT = 30  # letters


class Catalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A language: how it calls itself, and its words for English ones; empty where they are not translated yet."""

    name: str
    texts: dict[str, str]


class _Translator(QTranslator):
    """Looks a text up; what is missing stays English."""

    def __init__(self, texts: Mapping[str, str], parent: QCoreApplication) -> None:
        super().__init__(parent)
        self._texts = texts

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str:
        return self._texts.get(source, source)  # an empty text would be a translation into nothing

    def isEmpty(self) -> bool:
        return False


class PseudoTranslator(QTranslator):
    """Gives every text back between marks, and longer by LONGER; a hex's number, a date or a counter's name stays what it is."""

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str:
        if context == WORD and (len(source) < SHORT and not source.isalpha() and any(map(str.isdigit, source))):
            return source
        return f"{OPEN}{source}{'·' * round(LONGER * len(source))}{SHUT}" if source else ""

    def isEmpty(self) -> bool:
        return False


def found(folders: Iterable[Path] = (HERE,)) -> dict[str, Path]:
    """Return the catalogues of some folders by their codes."""
    return {file.stem: file for folder in folders if folder.is_dir() for file in sorted(folder.glob("*.json"))}


def read(file: Path) -> Catalogue:
    """Return a catalogue.

    Raises:
        BadInput: it is none.
        OSError: it can't be read.
    """
    try:
        return msgspec.json.decode(file.read_bytes(), type=Catalogue)
    except msgspec.DecodeError as error:
        raise BadInput.one(str(file), "a catalogue: its name, and texts by English ones", error) from error


def install(app: QCoreApplication, code: str, folders: Iterable[Path] = (HERE,)) -> QTranslator | None:
    """Let the application speak a language from now on; None for English and for one that is not there.

    Raises:
        BadInput: its catalogue is faulty.
        OSError: it can't be read.
    """
    if code == PSEUDO:
        translator: QTranslator = PseudoTranslator(app)
    elif code in (files := found(folders)):
        translator = _Translator({source: words for source, words in read(files[code]).texts.items() if words}, app)
    else:
        return None
    app.installTranslator(translator)
    return translator

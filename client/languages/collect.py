"""``python -m client.languages.collect FILE.json [NAME]`` writes a catalogue with every text, keeping the translations that it has."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from client import languages
from client.map.palette import PALETTES
from client.panels.stack import ABBREVIATION
from client.writing import write_whole
from core import lessons
from core.errors import BadInput
from core.pack import Pack, build_board

ROOT = Path(__file__).parents[2]
FOLDERS = ("client", "core")


def texts(root: Path = ROOT) -> set[str]:
    """Return all that is shown to people: what `tr` and `translate` get in the client, what `text` gets in the core, and packs."""
    files = (file for folder in FOLDERS for file in (root / folder).rglob("*.py"))
    written = {words for file in files for words in _texts_of(ast.parse(file.read_text(encoding="utf-8"))) if words}
    packs = (pack_texts(_pack(file.parent)) for file in (root / "scenarios").glob("*/pack.toml"))
    return written.union({palette.title for palette in PALETTES.values()}, *packs)


def pack_texts(pack: Pack) -> set[str]:
    """Return what a pack shows to people: titles, what scenarios and lessons say, what counters, ground and weather are called."""
    manifest, scenarios = pack.manifest, pack.scenarios.values()
    titles = [manifest.title, *manifest.side_titles.values(), *manifest.box_titles.values()]
    titles += [one.title for one in manifest.option] + [one.title for one in manifest.nation]
    titles += [words for one in scenarios for words in (one.title, one.blurb)]
    for lesson in (lessons.read(pack, name) for name in lessons.names(pack)):
        titles += [lesson.title, lesson.blurb] + [words for step in lesson.step for words in (step.title, step.text)]
    facts = [facts for scenario in scenarios for facts in build_board(pack, scenario).facts]
    kinds = {kind.kind.upper() if len(kind.kind) <= ABBREVIATION else kind.kind for kind in pack.types.values()}
    grounds = {word for fact in facts for word in (fact.terrain, fact.city, *fact.features)}
    choices = {choice for option in manifest.option for choice in option.choices if isinstance(choice, str)}
    seas = {fact.port.replace("_", " ").title() for fact in facts}
    charts = [words for name in pack.files if name.startswith("charts/") for words in _named(pack.toml(name).tree)]
    return {*titles, *choices, *seas, *charts, *(word.replace("_", " ") for word in kinds | grounds)} - {""}


def _named(tree: object) -> Iterator[str]:
    """Yield what lines of a chart are called: a turn's date and weather."""
    if isinstance(tree, list):
        for one in tree:
            yield from _named(one)
    elif isinstance(tree, dict):
        for key, value in tree.items():
            if isinstance(value, str) and key in ("name", "weather"):
                yield value
            yield from _named(value)


def _pack(folder: Path) -> Pack:
    return Pack({file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()})


def _texts_of(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
        argument = node.args[1] if name == "translate" and len(node.args) > 1 else node.args[0]
        if name in ("tr", "translate", "text"):
            words = [argument, *(taken.value for taken in node.keywords if name == "text")]  # what a template takes in is translated too
            parts = (one.value for part in words for one in ast.walk(part) if isinstance(one, ast.Constant))
            yield from (part for part in parts if isinstance(part, str))


def main(argv: list[str]) -> int:
    """Write or complete a catalogue, and say how much is left to do; what can't be read or written is one line, as for all commands."""
    if not 1 <= len(argv) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        complete(Path(argv[0]), argv)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename or argv[0]}: {error.strerror or error}", file=sys.stderr)
        return 3
    return 0


def complete(file: Path, argv: list[str]) -> None:
    """Write a catalogue with all texts, keeping the translations that *file* has; a second word of *argv* is its language's name.

    Raises:
        BadInput: the file is no catalogue. OSError: it can't be read or written.
    """
    known = languages.read(file) if file.exists() else languages.Catalogue(argv[1] if len(argv) == 2 else file.stem, {})
    whole = {source: known.texts.get(source, "") for source in sorted(texts())}
    made = languages.Catalogue(argv[1] if len(argv) == 2 else known.name, whole)
    write_whole(file, msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")
    print(f"{file}: {len(whole)} texts, {sum(not words for words in whole.values())} without a translation")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

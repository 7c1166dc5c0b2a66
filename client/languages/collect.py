"""``python -m client.languages.collect FILE.json [NAME]`` writes a catalogue with every text, keeping the translations that it has."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from client import languages
from client.map.palette import PALETTES
from client.writing import write_whole

ROOT = Path(__file__).parents[2]
FOLDERS = ("client", "core")


def texts(root: Path = ROOT) -> set[str]:
    """Return all that is shown to people: what `tr` and `translate` get in the client, and the templates of `text` in the core."""
    files = (file for folder in FOLDERS for file in (root / folder).rglob("*.py"))
    written = {words for file in files for words in _texts_of(ast.parse(file.read_text(encoding="utf-8"))) if words}
    return written | {palette.title for palette in PALETTES.values()}


def _texts_of(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
        argument = node.args[1] if name == "translate" and len(node.args) > 1 else node.args[0]
        if name in ("tr", "translate", "text"):
            yield from (part.value for part in ast.walk(argument) if isinstance(part, ast.Constant) and isinstance(part.value, str))


def main(argv: list[str]) -> int:
    """Write or complete a catalogue, and say how much is left to do."""
    if not 1 <= len(argv) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    file = Path(argv[0])
    known = languages.read(file) if file.exists() else languages.Catalogue(argv[1] if len(argv) == 2 else file.stem, {})
    whole = {source: known.texts.get(source, "") for source in sorted(texts())}
    made = languages.Catalogue(argv[1] if len(argv) == 2 else known.name, whole)
    write_whole(file, msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")
    print(f"{file}: {len(whole)} texts, {sum(not words for words in whole.values())} without a translation")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

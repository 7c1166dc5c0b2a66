"""``python -m tests.adversary --base "beside limited clock" --depth 4 [--say "move|move"] [--only WORD] [--walks 500]``"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence

from core.table import VERSION
from tests.adversary.bases import begin_at
from tests.adversary.explore import Hole, explore, walk
from tests.adversary.invariants import broken
from tests.adversary.moves import done, moves
from tests.adversary.state import Caught, findings
from tests.adversary.table import WORDS


def main(args: Sequence[str]) -> int:
    """Explore from bases, or do what is said; return 1 if a hole was found."""
    words = "\n".join(f"  {word:10}{what}" for word, what in WORDS.items())
    parser = argparse.ArgumentParser(
        prog="tests.adversary", description="Look for what a hostile host brings about unseen.", epilog=f"words of a base:\n{words}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--base", action="append", help="where to begin; several are gone through one after another")
    parser.add_argument("--depth", type=int, default=3, help="how many moves deep (3)")
    parser.add_argument("--walks", type=int, default=0, help="go so many ways by chance instead, each of --depth moves")
    parser.add_argument("--say", help="do these moves, parted by |, and tell what comes of each, and what could be done then")
    parser.add_argument("--only", default="", help="tell of ways alone that have this word")
    parser.add_argument("--table", type=int, default=VERSION, help=f"the version of how the table is reckoned ({VERSION})")
    found = parser.parse_args(args)
    if found.say is not None:
        return _say(found.base[0] if found.base else "", found.say, found.table)
    count = 0
    for base in found.base or [""]:
        print(f"from {base or 'nothing'}:", flush=True)
        for one in _walked(base, found) if found.walks else explore(base, depth=found.depth, version=found.table):
            if isinstance(one, int):
                print(f"  {one} states", flush=True)
            elif not found.only or any(found.only in words for words in one.trail):
                count += 1
                print(f"  {one.what}\n    {' | '.join(one.trail)}", flush=True)
    return int(bool(count))


def _walked(base: str, found: argparse.Namespace) -> Iterator[Hole]:
    """Yield what is met on ways that are gone by chance, each kind once."""
    told: set[str] = set()
    for number in range(found.walks):
        hole = walk(base, random.Random(f"{base} {number}"), length=found.depth, version=found.table)
        if hole is not None and hole.what not in told:
            told.add(hole.what)
            yield hole


def _say(base: str, said: str, version: int) -> int:
    state = begin_at(base, version=version)
    for words in filter(None, (one.strip() for one in said.split("|"))):
        try:
            after = done(state, words)
        except Caught as caught:
            print(f"{words}: caught, {caught}")
            return 0
        wrong = next(broken(state, after), "")
        print(f"{words}: {wrong or 'silent'}")
        if wrong:
            return 1
        state = after
    print("verify:", "; ".join(findings(state)) or "holds")
    print("then:", " | ".join(words for words, _ in moves(state)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

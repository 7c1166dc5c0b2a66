"""Games as files: one written out, and taken in elsewhere.

A game's file has no secret. So a game that goes on at another server goes on with a dice chain of that server's own, and an entry
(`core.log.TakenOver`) says so to all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache

from core import gamefile
from core.errors import BadInput, Refused
from core.gamefile import GameFile, open_match
from core.identity import Identity
from core.log import Away, Log
from core.match import Match
from core.pack import Pack
from core.ruleset import Ruleset
from core.rulesets import load
from core.text import text
from server import steady
from server.accounts import Accounts
from server.chains import takeover
from server.store.contract import Store, StoredGame
from server.store.durable import durable
from server.store.reads import StoreReads

# -------------------------------------------------------------------- games out


def export(store: StoreReads, game: str) -> bytes:
    """Return a game of a store as a game file, its hash chain checked.

    Raises:
        BadInput: there is none of this id, or it was altered.
    """
    try:
        stored = store.game(game)
    except KeyError as error:
        raise BadInput.one("GAME", "a game of this store", game) from error
    log = Log()
    for entry in store.entries(game):
        try:
            log.add(entry)
        except ValueError as error:
            raise BadInput.one(f"{store.path}: {game}", "a log that was not altered", error) from error
    waiting = [pending for pending, _ in store.pending(game) if pending.k > log.k]
    if waiting:
        log.hold(waiting[-1])
    return gamefile.write(stored.head, store.pack(stored.pack), log)


# -------------------------------------------------------------------- games in


async def take_in(
    store: Store, file: GameFile, *, keeper: Identity, accounts: Accounts | None = None, find_ruleset: Callable[[str], Ruleset] = load
) -> Match:
    """Keep a game of a file that was verified; one that is not over goes on here, under a dice chain of this server.

    The names at its table, and those for whom a seat is kept, are theirs here as well: nobody else can come under them.

    Args:
        accounts: those of the server that runs on the store; read from it where none does.

    Raises:
        Refused: a game of this id is here, a name at its table is somebody else's here, or it waits for dice that only its server can show.
    """
    head = file.head
    if " " in head.game:
        raise Refused("", text("{game} is a what-if game of somebody's window; no server keeps those", game=head.game))
    if head.game in store.names():
        raise Refused("", text("a game {game} is here already", game=head.game))
    clock = _clock(file)
    match = await asyncio.to_thread(open_match, file, clock=clock, load=find_ruleset)
    over = match.outcome is not None
    if file.pending is not None and not over:
        words = "an order of {game} waits for its dice, and only its own server can finish it: export the game again when it has"
        raise Refused("", text(words, game=head.game))
    known = accounts if accounts is not None else Accounts(store)  # one without a name yet is false
    await known.keep_names({player: match.witnesses.key(player) for player in _of_consequence(match)})
    seed = b"" if over else _go_on(match, clock, keeper)
    pack = Pack(file.files)
    stored = StoredGame(head.game, pack.digest, head, b"")
    await durable(store.add_pack(pack.digest, pack.files))
    # An order that still waits was dropped as the table ended the game: nobody goes back behind it, here as there.
    await durable(store.add_record(stored, steady.now_ms(), tuple(match.log.entries), seed=seed, pending=file.pending))
    return match


def _of_consequence(match: Match) -> set[str]:
    """Return whose names somebody else could do harm with: who sits there, for whom a seat is kept, owner and referees.

    Whose key the log never named, as that of a referee, comes by his name as he did where the game was begun.
    """
    table = match.table
    kept = {chair.kept_for for chair in table.chairs.values()}
    return (table.players() | kept | {table.terms.owner, *table.terms.referees}) - {""}


def _clock(file: GameFile) -> Callable[[], int]:
    """Return a clock that stands still once it was asked: so it is said to the millisecond how long no clock of the game ran."""
    last = file.entries[-1].time_ms if file.entries else 0
    return cache(lambda: max(steady.now_ms(), last))


def _go_on(match: Match, clock: Callable[[], int], keeper: Identity) -> bytes:
    """Write down that no clock ran on the way here, and that this server goes on; return the secret of its chain."""
    clocks, last = match.table.clocks, match.log.entries[-1].time_ms if match.log.entries else 0
    ms = clock() - last
    if clocks.are_kept and clocks.runs and ms:
        match.accept_act(match.act(Away(ms)))
    entry, seed = takeover(match, keeper)
    match.accept_act(entry)
    return seed


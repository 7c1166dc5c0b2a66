"""The server's own dice chains: made while others have their turn, their ends signed, and a new one where the old one may be known."""

from __future__ import annotations

import asyncio
import secrets

import msgspec

from core.dice import Chain, ChainEnd, Keeper, hashed
from core.gamefile import Head, agreement, new_head
from core.identity import Identity, chain_message, takeover_message
from core.log import Entry, TakenOver
from core.match import Match
from core.setting import Setting
from core.terms import Terms
from core.witnesses import SERVER

LINKS = 20_000
PAUSE = 5  # others have their turn after so many that are kept: half a millisecond


async def made_chain(seed: bytes, links: int) -> Chain:
    """Make a chain while others have their turn: it takes 7 ms, and in a thread as well, as hashing so little keeps the interpreter."""
    made: list[bytes] = []
    for link in hashed(seed, links):
        made.append(link)
        if len(made) % PAUSE == 0:
            await asyncio.sleep(0)
    return Chain(seed, links=links, made=made)


def signed_head(chosen: Setting, game: str, chain: Chain, terms: Terms, keeper: Identity) -> Head:
    """Return the head of a new game: its terms, and the end of the server's chain under the server's signature."""
    end = ChainEnd(SERVER, chain.end, chain.links)
    bare = new_head(chosen, game, (end,), made_by="rasputitsa", terms=terms, keeper=Keeper(keeper.key), signs_undo=True)
    signature = keeper.sign(chain_message(game, agreement(bare), end.end, end.links))
    return msgspec.structs.replace(bare, keeper=Keeper(keeper.key, signature))


def takeover(match: Match, keeper: Identity) -> tuple[Entry, bytes]:
    """Return the sealed entry by which a server goes on with a game under a chain of its own, and that chain's secret.

    Raises:
        Refused: an order waits for its dice.
    """
    seed, links = secrets.token_bytes(32), match.log.k + LINKS
    end = Chain(seed, links=links).end
    signature = keeper.sign(takeover_message(match.game, match.log.last_hash, end, links))
    return match.act(TakenOver(keeper.key, end, links), signature=signature), seed

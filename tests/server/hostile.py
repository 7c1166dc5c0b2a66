"""What tests of hostile hosts share: a game at a moment at which dice may be needed, and what a player is told."""

from __future__ import annotations

import random

from core.bots.random_bot import choose
from core.log import Consent, Offer, Pause, Pending
from core.orders import Order, name_of
from core.signed import order_bytes
from core.terms import DiceTerms, Terms
from tests.toy.witnessed import WAIT_MS, Program, key_of, seated
from tests.toy.witnessed import Host as Keeper

BORIS_STRIKES = 4  # a seed of `at_a_strike`


def words(program: Program) -> list[str]:
    return [str(foul.text) for foul in program.fouls]


def at_a_strike(seed: int = 1) -> tuple[Keeper, Order]:
    """Return a game at a moment where a strike may be ordered; Anna hosts, Boris watches."""
    keeper = seated()
    return keeper, keeper.strike(random.Random(seed))


def pause(keeper: Keeper) -> None:
    """Pause a game, as its players agree."""
    offer = keeper.act(Offer("pause"), side="red", player="Anna")
    keeper.act(Consent(offer.number, True), side="blue", player="Boris")
    keeper.act(Pause(on=True), side="red", player="Anna")


def another(keeper: Keeper, order: Order) -> Order:
    """Return another order for this moment that needs dice."""
    found = (choose(keeper.match.view, random.Random(seed)) for seed in range(500))
    return next(one for one in found if name_of(one) == "strike" and one != order)


def record_of(keeper: Keeper, order: Order, *, k: int = 0, signer: str = "") -> Pending:
    """Return the record of an order that the host may make up at this moment."""
    log, side = keeper.match.log, keeper.match.view.side_to_act()
    player, data = keeper.holder(side), keeper.match.codec.encode(order)
    signature = key_of(signer or player).sign(order_bytes(log, "duel", side, data))
    return Pending(side, player, data, log.head, k or log.k + 1, log.last_hash, signature)


def shown(keeper: Keeper, name: str, pending: Pending) -> bytes:
    """Return the link that a player's program shows, with its signature."""
    found = keeper.ask(name, pending)
    assert found is not None, words(keeper.programs[name])
    return found.link + found.signature


def owned(by: str) -> Keeper:
    """Return a game at its start that belongs to a player, on Anna's server."""
    return seated(terms=Terms(owner=by, dice=DiceTerms("witnessed", WAIT_MS)))

"""Recheck each order against its seat as the table stood (`core.permitted` does so for each act)."""

from __future__ import annotations

from core.errors import BadInput, Refused
from core.log import Entry, Log
from core.orders import Order, units_of
from core.table import Table
from core.table_rules import Moment, permit_order


def why_no_order(table: Table, log: Log, entry: Entry, order: Order, *, hosted: bool) -> str:
    """Return why a seat could not give an order after the entries of a log, empty if it could.

    An order that waited for chance was taken before what came between; when an order came, in milliseconds, no entry says.
    """
    came_between = entry.k and entry.pending != log.last_hash
    if not hosted or came_between or entry.player not in table.holders(entry.side):
        return ""
    try:
        permit_order(Moment(table, log, False, 0), entry.side, entry.player, units_of(order))
    except (Refused, BadInput) as error:
        return str(error)
    return ""

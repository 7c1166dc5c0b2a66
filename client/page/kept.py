"""What stays when a page is built anew for the same match: in another size of texts, or another language."""

from __future__ import annotations

import msgspec

from client.session.dragging import DragComposer
from core.board import Hex
from core.units import Side


class Kept(msgspec.Struct, frozen=True):
    """What the player had before him.

    Attributes:
        composer: the order under composition, with its steps back.
        selected_hex: the hex whose stack is shown.
        cursor_hex: where the hex cursor is.
        answers: whether "why?" is being answered.
        moves_of: whose moves are drawn.
        overlays: those that are on, each with its side.
    """

    composer: DragComposer
    selected_hex: Hex | None
    cursor_hex: Hex | None
    answers: bool
    moves_of: str
    overlays: frozenset[tuple[str, Side]]

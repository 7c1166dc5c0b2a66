"""How much one person, or one address, may do of what costs all others."""

from __future__ import annotations

from server import chat, lobby, security


class Limits:
    """What is limited on a server.

    Attributes:
        codes: tries of invite codes, by address.
        naming: names that are taken without an invite, by address.
        talk: lines of chat, by player.
        acting: table acts and answers given ahead, by player.
        catching: games that are asked for, by player.
        ordering: orders, by player.
        founding: games that are begun, by player.
    """

    def __init__(self) -> None:
        self.codes = security.Limit(security.CODE_BURST, security.CODE_PER_S)
        self.naming = security.Limit(security.NAME_BURST, security.NAME_PER_S)
        self.talk = security.Limit(chat.BURST, chat.PER_S)
        self.acting = security.Limit(security.ACT_BURST, security.ACT_PER_S)
        self.catching = security.Limit(security.CATCH_BURST, security.CATCH_PER_S)
        self.ordering = security.Limit(security.ORDER_BURST, security.ORDER_PER_S)
        self.founding = security.Limit(lobby.MOST_TABLES, lobby.TABLES_PER_S)

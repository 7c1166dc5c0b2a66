"""The bots that sit at a local game: asked when it is their turn, followed when they have decided."""

from __future__ import annotations

from client.qt import QObject, QTimer, Signal
from client.session.local import LocalMatch
from client.session.match import Match
from client.thinking import Thinker
from client.words import cite
from core.errors import BadInput, Broken, Refused

BOT_PAUSE_MS = 60  # between a bot's orders, so that they can be followed


class BotSeats(QObject):
    """Lets the bots of a match play.

    Signals:
        decided(): an order of a bot has been given.
        said(str): why a bot can't go on.
    """

    decided = Signal()
    said = Signal(str)

    def __init__(self, match: Match, parent: QObject) -> None:
        super().__init__(parent)
        self.match = match
        self.thinker = Thinker(self)
        self.thinker.decided.connect(self._decided)
        self.thinker.failed.connect(self._failed)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._ask)

    def wake(self) -> None:
        """Ask the bot whose turn it is, if it is one's, after a pause."""
        if isinstance(self.match, LocalMatch):
            self._pause.start(BOT_PAUSE_MS)

    def drop(self) -> None:
        """Want no answer to what was asked: the position has changed."""
        self.thinker.drop()

    def stop(self) -> None:
        """Ask nobody any more, and wait for who is thinking."""
        self._pause.stop()
        self.thinker.stop()

    def _ask(self) -> None:
        match = self.match
        if isinstance(match, LocalMatch) and match.bot_to_act and not self.thinker.is_busy:
            seed = f"{match.match.game} {len(match.match.log)}"
            self.thinker.ask(match.bot_to_act, match.bot_view(), seed)

    def _decided(self, order: object) -> None:
        match = self.match
        if not isinstance(match, LocalMatch):
            return
        try:
            match.bot_order(order)  # type: ignore[arg-type]
        except Refused as refused:
            self.said.emit(self.tr("The bot gave an order that is refused: {why}").format(why=cite(refused)))
            return
        self.decided.emit()
        if not match.is_live:
            self.wake()

    def _failed(self, error: object) -> None:
        if isinstance(error, (BadInput, Broken, Refused)):
            self.said.emit(self.tr("The bot can't go on: {why}").format(why=str(error)))
            return
        assert isinstance(error, BaseException), "a thread fails by an exception"
        raise error

"""The hall of a server that was joined: its games and their seats, a new game, the lobby's chat, and what its owner does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QButtonGroup, QFrame, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from client import termwords
from client.connection.listed import empty_side, how_it_ended
from client.durations import MINUTE, how_long
from client.map.palette import Palette
from client.meeting.newgame import NewGameForm
from client.meeting.people import PeopleBox
from client.panels.chat import ChatPanel
from client.panels.widgets import Column, button, label, row
from client.qt import Qt, QTimer, Signal
from client.words import capital, name_among, side_titles, word
from core import protocol, rulesets
from core.address import parse
from core.identity import fingerprint
from core.pack import Pack
from core.units import Side

MOST_SHOWN = 300  # games: a card each


class Hall(QWidget):
    """Shows what there is on a server.

    Signals:
        seat_wanted(str, str, str): a seat shall be taken, and its game followed: game, side, name of the seat.
        watch_wanted(str): a game shall be followed.
        retry_wanted(): the line shall be tried again at once.
        left(): the line shall be closed.
        told(str): somebody has begun a game while another tab is read: who and which.
        told_enough(str): what was told is seen now.
    """

    seat_wanted = Signal(str, str, str)
    watch_wanted = Signal(str)
    retry_wanted = Signal()
    left = Signal()
    told = Signal(str)
    told_enough = Signal(str)

    def __init__(self, packs: Sequence[Pack], palette: Palette) -> None:
        super().__init__()
        self._packs = packs
        self._lines: tuple[protocol.GameLine, ...] | None = None
        self._order: list[str] = []  # ids of the games as they are listed
        self._states: dict[str, QLabel] = {}  # the line of each about how it stands
        self.me, self.link = "", ""
        self._told = ""
        self.state = label("", "soft", wrap=True)
        self.state.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = button(self.tr("Copy the link"), self._copy, tip=self.tr("Copy the join link, to be sent to a friend"))
        self.retry = button(self.tr("Try now"), self.retry_wanted.emit, tip=self.tr("Try again at once to reach the server"))
        self.retry.hide()
        leave = button(self.tr("Disconnect"), self.left.emit, tip=self.tr("Leave this server"))
        self.games, self.new, self.people = Column(), NewGameForm(packs), PeopleBox()
        for page in (self.games, self.new, self.people):
            page.column.setContentsMargins(0, 10, 4, 12)  # in line with the tabs
        self.games.setAccessibleName(self.tr("Games on this server"))
        self.chat = ChatPanel(palette)
        self.chat.show_rooms({"lobby": self.tr("Lobby")}, {})
        self.chat.show_lines(())
        self._stack = QStackedWidget()
        self._stack.setStyleSheet("QStackedWidget { background: transparent; }")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 12)
        layout.addLayout(row(self.state, self.retry, self.copy, leave, stretch=0))
        layout.addLayout(self._tabs())
        layout.addWidget(self._stack, 1)

    @property
    def lines(self) -> tuple[protocol.GameLine, ...]:
        """Return the games that are listed."""
        return self._lines or ()

    def _tabs(self) -> QVBoxLayout:
        self._group = QButtonGroup(self)
        self.tabs: dict[str, QPushButton] = {}
        titles = {
            "games": (self.tr("Games"), self.games), "new": (self.tr("New game"), self.new), "chat": (self.tr("Chat"), self.chat),
            "people": (self.tr("People"), self.people),
        }
        for name, (title, page) in titles.items():
            made = button(title, lambda name=name: self.show_tab(name), name="tab", tip=title, checkable=True)  # type: ignore[misc]
            self._group.addButton(made)
            self.tabs[name] = made
            self._stack.addWidget(page)
        self._pages: dict[str, QWidget] = {name: page for name, (_, page) in titles.items()}
        bar = row(*self.tabs.values(), spacing=14)
        bar.addStretch(1)
        column = QVBoxLayout()
        column.addLayout(bar)
        return column

    def show_tab(self, name: str) -> None:
        """Bring one of ``games``, ``new``, ``chat``, ``people`` to the front."""
        if any(made.hasFocus() for made in self.tabs.values()):
            self.tabs[name].setFocus()  # else two tabs were underlined
        self.tabs[name].setChecked(True)
        self._stack.setCurrentWidget(self._pages[name])
        if name == "games":
            self._mark_games(on=False)
            self.told_enough.emit(self._told)  # it lies over the tabs

    def _mark_games(self, *, on: bool) -> None:
        self.tabs["games"].setText(self.tr("Games ●") if on else self.tr("Games"))
        self.tabs["games"].setToolTip(self.tr("Games: somebody has begun one") if on else self.tr("Games"))

    @property
    def tab(self) -> str:
        """Return which tab is in front."""
        return next(name for name, made in self.tabs.items() if made.isChecked())

    def enter(self, me: str, role: protocol.Role, link: str) -> None:
        """Show what somebody with a role may do here; an empty *link*: it is not known yet, nor what games there are."""
        self.me, self.link = me, link
        if not link:
            self._lines = None  # over a line that is there again games are called as before, until they are listed anew
        self.sort_anew()
        self.people.link, self.people.me = link, me
        key = parse("link", link).key if link else ""
        self.people.print_ = fingerprint(key) if key else ""
        self.state.setToolTip(self.tr("The fingerprint of this server is {print}").format(print=self.people.print_) if key else "")
        self.copy.setVisible(link.startswith("rasputitsa://"))
        self.tabs["people"].setVisible(role == protocol.OWNER)
        self.tabs["new"].setVisible(role != protocol.SPECTATOR)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.link)

    # ---------------------------------------------------------------- games

    def show_games(self, games: tuple[protocol.GameLine, ...], now_ms: int) -> None:
        """List the games; those that run first."""
        if games != self._lines or (games and not self._order):
            self._tell_of_new(games)
            self._list(games)
        for line in games:
            if (state := self._states.get(line.game)) is not None:
                state.setText(self._state(line, self._titles(line), now_ms))  # how long it waits is told anew

    def _tell_of_new(self, games: tuple[protocol.GameLine, ...]) -> None:
        """Tell of a game that somebody else has begun since the last list, to whoever does not see that list."""
        if self._lines is None or self.tab == "games" or not self.isVisible():
            return
        known = {line.game for line in self._lines}
        for line in games:
            if line.game not in known and not line.over and line.owner != self.me:
                self._mark_games(on=True)
                words = self.tr("{player} has begun {game}: it stands under Games")
                self._told = words.format(player=line.owner, game=self._called(line))
                self.told.emit(self._told)

    def sort_anew(self) -> None:
        """Let the games be sorted when they are listed next: while they are looked at, none changes its place under the mouse."""
        self._order.clear()

    def _list(self, games: tuple[protocol.GameLine, ...]) -> None:
        if not games and self._lines is None and self.tab == "games" and not self.tabs["new"].isHidden():
            self.show_tab("new")  # where there is something to be done
        self._lines = games
        column = self.games.refill()
        self._states.clear()
        if not games:
            words = self.tr("There is no game on this server yet. “New game” begins one.")
            column.addWidget(label(words, "soft", wrap=True))
        in_order = self._in_order(games)
        for line in in_order[:MOST_SHOWN]:
            column.addWidget(self._line(line))
        if left := len(in_order[MOST_SHOWN:]):
            words = self.tr("and {n} more, which can't all be shown")
            column.addWidget(label(words.format(n=left), "soft", wrap=True))
        column.addStretch(1)

    def _in_order(self, games: tuple[protocol.GameLine, ...]) -> list[protocol.GameLine]:
        """Return the games in the order in which they were listed first, each new one after those that run."""
        known = {line.game: line for line in games}
        kept = [game for game in self._order if game in known]
        there = set(kept)
        fresh = [line for line in games if line.game not in there]
        fresh.sort(key=lambda line: (line.over, not self._sits_in(line), -line.since_ms))
        first_over = next((i for i, game in enumerate(kept) if known[game].over), len(kept))
        kept[first_over:first_over] = [line.game for line in fresh if not line.over]
        self._order = [*kept, *(line.game for line in fresh if line.over)]
        return [known[game] for game in self._order]

    def add_game(self, line: protocol.GameLine, now_ms: int) -> None:
        """Show one game that is new or has changed."""
        others = tuple(one for one in self._lines or () if one.game != line.game)
        self.show_games((*others, line), now_ms)

    def _pack(self, line: protocol.GameLine) -> Pack | None:
        return next((pack for pack in self._packs if pack.manifest.ruleset == line.ruleset), None)

    def name_of(self, game: str) -> str:
        """Return what a game is called in the list, and its id if it is not there."""
        return next((self._called(line) for line in self.lines if line.game == game), game)

    def titles_of(self, game: str) -> Mapping[Side, str]:
        """Return what people call the sides of a game that is listed; of none: nothing."""
        return next((self._titles(line) for line in self.lines if line.game == game), {})

    def _titles(self, line: protocol.GameLine) -> Mapping[Side, str]:
        pack = self._pack(line)
        return side_titles(pack.manifest) if pack is not None else {}

    def _line(self, line: protocol.GameLine) -> QWidget:
        titles = self._titles(line)
        holder = QFrame()
        holder.setObjectName("card")
        column = QVBoxLayout(holder)
        column.setContentsMargins(14, 8, 10, 10)
        column.setSpacing(4)
        watch = button(self.tr("Open") if self._sits_in(line) else self.tr("Watch"), lambda: self.watch_wanted.emit(line.game))
        watch.setToolTip(self.tr("Open this game, on your seat or to look on"))
        is_newer = not rulesets.plays(line.ruleset, line.version)
        watch.setVisible(not is_newer)
        column.addLayout(row(label(self._called(line), "subheading", wrap=True), watch, stretch=0))
        if is_newer:
            words = self.tr("This game needs a newer version of this program: its rules have changed since yours.")
            column.addWidget(label(words, "warning", wrap=True))
        state = self._states[line.game] = label("", "soft", wrap=True)
        column.addWidget(state)
        for chair in line.chairs:
            parts = self._chair(line, chair, titles)
            column.addLayout(row(*(parts[:1] if is_newer else parts), stretch=0))
        return holder

    def _called(self, line: protocol.GameLine) -> str:
        """Return a game's scenario and name."""
        pack = self._pack(line)
        scenario = pack.scenarios.get(line.scenario) if pack is not None else None
        title = word(scenario.title) if scenario is not None else line.scenario.replace("_", " ").capitalize()
        return f"{title} · {name_among(line.game, line.scenario)}"

    def _sits_in(self, line: protocol.GameLine) -> bool:
        return any(chair.player == self.me for chair in line.chairs)  # `seats` has only the first of each side

    def _state(self, line: protocol.GameLine, titles: Mapping[Side, str], now_ms: int) -> str:
        waits = titles.get(line.waits_for, line.waits_for)
        waited = now_ms - line.since_ms if line.since_ms else 0
        state = self.tr("turn {turn}, the {side} decides").format(turn=line.turn, side=waits)
        if waited >= MINUTE:
            state = self.tr("turn {turn}, waits for the {side} for {time}").format(turn=line.turn, side=waits, time=how_long(waited))
        if empty := empty_side(line):
            words = self.tr("turn {turn}, waits for somebody who plays the {side}")
            state = words.format(turn=line.turn, side=titles.get(empty, empty))
        if line.dice:
            state = self.tr("turn {turn}, the dice wait for {players}").format(turn=line.turn, players=", ".join(line.dice))
        if line.over:
            state = self._result(line, titles)
        elif line.paused:
            state = self.tr("turn {turn}, paused").format(turn=line.turn)
        elif not waits:
            state = ""  # it is shown to us later, and the list does not tell where it stands
        parts = [state, termwords.short(line.terms, titles)]
        if line.owner:
            parts.append(self.tr("begun by {owner}").format(owner=line.owner))
        return capital(" · ".join(filter(None, parts)))

    def _result(self, line: protocol.GameLine, titles: Mapping[Side, str]) -> str:
        ended = how_it_ended(line, titles)
        if ended.claimed:
            return self.tr("over, {winner} wins by claim: {result}").format(winner=ended.winner, result=ended.result)
        if ended.winner:
            return self.tr("over, {winner} wins: {result}").format(winner=ended.winner, result=ended.result)
        return self.tr("over: {result}").format(result=ended.result)

    def _chair(self, line: protocol.GameLine, chair: protocol.SeatLine, titles: Mapping[Side, str]) -> list[QWidget]:
        title = titles.get(chair.side, chair.side)
        seat = f"{title}, {chair.seat}" if chair.seat else title
        who = self.tr("kept for {player}").format(player=chair.kept_for) if chair.kept_for else self.tr("free")
        if chair.player:
            who = f"{chair.player} ●" if chair.online else f"{chair.player} ○"
        parts: list[QWidget] = [label(f"{seat}: {who}", wrap=True)]
        if line.over or chair.player not in ("", self.me) or chair.kept_for not in ("", self.me):
            return parts
        verb = self.tr("Go on as {side}") if chair.player else self.tr("Play {side}")
        take = button(verb.format(side=title), lambda: self._take(line.game, chair), tip=self.tr("Take this seat, and open the game"))
        return [*parts, take]

    def _take(self, game: str, chair: protocol.SeatLine) -> None:
        QTimer.singleShot(0, self, lambda: self.seat_wanted.emit(game, chair.side, chair.seat))

"""The page of a server's game: what every game's page has, and the table: players with clocks, chat, offers, the state of the line."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from client import reading, termwords
from client.connection.line import Down, Up
from client.connection.notes import Answered
from client.connection.offline import NO_LINE
from client.durations import MINUTE, clock_face, how_long
from client.game import GamePage
from client.map.palette import Palette
from client.panels.chat import ChatPanel
from client.panels.header import SideClock
from client.panels.netbar import BAD, NetBar
from client.panels.players import ALARM_MS, PlayersPanel
from client.panels.prompt import Lead
from client.panels.question import QuestionCard
from client.qt import QTimer, Signal
from client.session.acts import lines_of
from client.session.bookmarks import Bookmarks
from client.session.questions import Question, became_of, questions
from client.session.remote import RemoteMatch
from client.words import capital, say, sentence, side_titles
from core import protocol
from core.errors import Refused
from core.log import Admit, AnyAct, Limit, Pause, Referee, Rewind, Seat, SetClock
from core.table import Chair, OpenOffer
from core.terms import CLOSED, SpectatorTerms
from core.text import text
from core.units import Side

TICK_MS = 1000
ALL_BACK_S = 15.0  # after a line is there again in which others come back that had lost it as well: nobody is told of each
TOLD = (Seat, Limit, SetClock, Referee, Admit, Pause, Rewind)  # acts of others that are told when they happen


class RemotePage(GamePage):
    """One game of a server.

    Args:
        match: the game; its line's notes come by `follow`, `show_table`, `line_changed` and `answered`.

    Signals:
        lobby_wanted(): back to the server's games.
        again_wanted(bool): another game of the same terms; whether with sides swapped.
        news(str): what another has done, which nobody waits for; to be read when there is time.
        sit_wanted(str, str, str): a seat of another game, which somebody of the table has begun: game, side, name of the seat.
    """

    match: RemoteMatch
    lobby_wanted = Signal()
    again_wanted = Signal(bool)
    news = Signal(str)
    sit_wanted = Signal(str, str, str)

    def __init__(self, match: RemoteMatch, palette: Palette, bookmarks: Bookmarks | None = None, *, at_once: bool = True) -> None:
        self._down: Down | None = None
        self._down_at = 0.0
        self._back_at = -ALL_BACK_S
        self._catching_up = False
        self._known = 0  # entries, as the line broke
        self._out = ""  # why the line is tried no more
        self._sat: tuple[Side, ...] = match.my_sides()  # when the table was last told
        self._leaves = False  # whether a seat was left from here
        self._seats_lost: set[Side] = set()
        self._offered: OpenOffer | None = None  # what waited for an answer when the table was last told
        self._acts: set[str] = set()  # ids of what was asked in the Players panel
        self._state: object = None
        self._chat_seen = len(match.talk.lines)
        self._news_to = len(match.match.log)  # entries before which were there when we came, or were looked through
        self._news_ms = 0  # the time of the last of them
        self._here: dict[str, bool] = {}  # who sits at the table, and whether he was here when that was told last
        self._told_before: tuple[protocol.Person, ...] | None = None  # over a line that broke: who is here now is not known by it
        super().__init__(match, palette, bookmarks, at_once=at_once)
        self.bar = NetBar(self)
        self.bar.retry_wanted.connect(self._hurry)
        self.bar.lobby_wanted.connect(self.lobby_wanted)
        self.question = QuestionCard(self.map)
        self.question.replied.connect(self._replied)
        self.other_cards.append(self.question)
        self._wire_table()
        self._state = self._state_now()
        self._ticking = QTimer(self, interval=TICK_MS)
        self._ticking.timeout.connect(self._tick)
        self._ticking.start()
        self.show_table()

    def more_pages(self) -> dict[str, tuple[str, QWidget]]:
        """Return the panels of the table."""
        self.players, self.chat = PlayersPanel(self.palette_), ChatPanel(self.palette_)
        return {"players": (self.tr("Players"), self.players), "chat": (self.tr("Chat"), self.chat)}

    def _wire_table(self) -> None:
        self.chat.say_wanted.connect(lambda room, words: self._ask(lambda: self.chat.sent(self.match.say(words, room=room))))
        self.players.act_wanted.connect(self._act)
        self.players.seat_wanted.connect(self._seat)
        self.players.ahead_wanted.connect(lambda this_turn: self._ask(lambda: self._answer_ahead(this_turn=this_turn)))
        self.players.prepared_wanted.connect(
            lambda decision, answer, turn: self._ask(lambda: self._note(self.match.prepare(decision, answer, this_turn=turn)))
        )
        self.players.revoke_wanted.connect(lambda decision: self._ask(lambda: self._note(self.match.revoke(decision))))
        self.players.rule_wanted.connect(lambda act: self._ask(lambda: self._note(self.match.rule(act))))
        self.players.lobby_wanted.connect(self.lobby_wanted)
        self.happened.connect(self._show_players)
        self.chat.seen.connect(lambda: self.side.mark("chat", on=False))

    # ---------------------------------------------------------------- what comes

    def _state_now(self) -> object:
        match = self.match
        vacant = tuple(match.vacant())
        orders = match.may_act, match.awaits_answer, match.is_provisional
        return match.match.log.head, orders, match.outcome, match.match.viewer, vacant, self._is_closed()

    def follow(self) -> None:
        """Show what came from the server; what is being composed stays if the game has not moved."""
        before, self._state = self._state, self._state_now()
        self.log.forget()
        if before == self._state:
            self.log.show_match(self.match)
        elif isinstance(before, tuple) and isinstance(self._state, tuple) and before[0] == self._state[0] and self.match.is_live:
            self.refresh()
        else:
            super().follow()
        self.show_table()

    def begin_anew(self) -> None:
        """Show the game as another viewer sees it."""
        self._state = None
        self._known = 0  # if the line broke meanwhile: all of it comes
        # His entries are numbered otherwise: what was told is known by its time.
        self._news_to = bisect_right(self.match.match.log.entries, self._news_ms, key=lambda entry: entry.time_ms)
        self.follow()

    def line_changed(self, note: Up | Down) -> None:
        """Take in that the line broke, or is there again."""
        self._down, self._down_at = (note if isinstance(note, Down) else None), time.monotonic()
        self._catching_up = isinstance(note, Up) and not self.match.is_up
        if self.match.is_up and self._down is not None:
            self._known = len(self.match.match.log)
        self._here.clear()  # a server that begins anew knows nobody yet
        self._told_before = self.match.talk.people
        self.match.is_up = isinstance(note, Up)
        self._show_bar()
        self._show_lateness()

    def turned_out(self, why: str) -> None:
        """Take in that the line is tried no more, as where the server has shut us out; what is shown stays, and no order leaves."""
        self._out, self.match.is_up = why, False
        self.question.ask(None)
        self._show_bar()
        self._show_lateness()

    def caught_up(self) -> None:
        """Take in that all is known again that the server has."""
        if self._catching_up:
            self._catching_up, self._back_at = False, time.monotonic()
            is_more = len(self.match.match.log) > self._known
            words = self.tr("The line is there again, and so is what was missed") if is_more else self.tr(
                "The line is there again, and nothing was missed"
            )
            self.said.emit(words)
            self._forget_no_line()
        self._show_bar()

    def _forget_no_line(self) -> None:
        """Say no more that there is no line, where something was asked for without one."""
        refused = Refused("", NO_LINE)
        if self.composer.refused is not None and self.composer.refused.text == refused.text:
            self.composer.refused = None
            self.show_draft()
        for panel in (self.players, self.chat):
            if panel.fault.text() == self._why(refused):
                panel.tell_fault("")

    def answered(self, note: Answered) -> None:
        """Take in an answer of the server; a refusal is shown where it was asked for."""
        refused = None if note.refused is None else Refused(note.rule, note.refused)
        why = "" if refused is None else self._why(refused)
        if self.chat.answered(note.order_id, why):
            return
        if note.order_id in self._acts:
            self._acts.discard(note.order_id)
            self.players.tell_fault(why)
        elif refused is not None:
            self.composer.refused = refused
            self.said.emit(why)
        if refused is not None:
            self.question.forget()
        self.follow()

    # ---------------------------------------------------------------- showing

    def show_table(self) -> None:
        """Show players, chat, and what is asked, as they stand now."""
        if self._state_now() != self._state:  # what was told lets us act, or no more
            self.follow()
            return
        self._see_seats()
        self._tell_news()
        self._tell_who_came()
        self._show_players()
        self._show_chat()
        self._show_question()
        self._show_bar()
        self._show_header()

    def _see_seats(self) -> None:
        """Notice a seat of ours that somebody else freed."""
        now = self.match.my_sides()
        lost = set(self._sat) - set(now)
        if lost and not self._leaves:
            self._seats_lost |= lost
        self._leaves = self._leaves and not lost
        self._seats_lost -= set(now)
        self._sat = now

    def _tell_news(self) -> None:
        """Tell of what others have done at the table since, and not in the game; of many acts, of the last."""
        entries = self.match.match.log.entries
        new, self._news_to, self._news_ms = entries[self._news_to :], len(entries), entries[-1].time_ms
        acts = [entry for entry in new if isinstance(entry.act, TOLD) and entry.player not in ("", self.match.player)]
        ruled = [entry for entry in acts if not entry.side or not isinstance(entry.act, Rewind)]
        told = list(lines_of(ruled, side_titles(self.match.manifest), self.match.match.table.left))
        if told:
            self.news.emit(capital(say(told[-1].text)))

    def _tell_who_came(self) -> None:
        """Tell who of those at the table has gone or come back since that was told last; not that all do after a server was away."""
        people = self.match.talk.people
        if people is self._told_before:
            return
        now = {person.name: person.here for person in people if person.sides and person.name != self.match.player}
        for name, here in now.items():
            if self._here.get(name, here) != here and not (here and time.monotonic() - self._back_at < ALL_BACK_S):
                self.news.emit((self.tr("{player} is back at the table") if here else self._gone()).format(player=name))
        self._here = now

    def _gone(self) -> str:
        """Return what to say of somebody who has gone; a seat of a game that is over nobody needs."""
        if self.match.outcome is not None:
            return self.tr("{player} has gone")
        return self.tr("{player} has gone for now; the seat stays his")

    def _show_players(self) -> None:
        composes = self.match.may_act and self.composer.is_complete
        self.players.show_table(self.match, draft=self.composer.draft() if composes else None)

    def _show_chat(self) -> None:
        match = self.match
        titles = {"game": self.tr("Table"), "spectators": self.tr("Spectators")}
        sides = {f"side:{side}": self.tr("Only the {side}").format(side=reading.title_of(match, side)) for side in match.my_sides()}
        seated = bool(sides) or match.may_rule() or match.outcome is not None
        rooms = {"game": titles["game"]} | sides if seated else {"spectators": titles["spectators"]}
        self.chat.show_rooms(rooms, titles | sides)
        self.chat.show_lines(match.talk.lines)
        new = match.talk.lines[self._chat_seen :] if match.talk.people else ()  # what comes before them was said before we came
        self._chat_seen = len(match.talk.lines)
        others = [line for line in new if line.player != match.player]
        if others and not self.chat.isVisible():
            self.news.emit(self.tr("{player}: {words}").format(player=others[-1].player, words=others[-1].text))
            self.side.mark("chat", on=True)
        elif self.chat.isVisible():
            self.side.mark("chat", on=False)

    def _show_question(self) -> None:
        before, self._offered = self._offered, self.match.own_offer()
        if before is not None and before.number not in self.match.match.table.offers:
            words = became_of(self.match, before)
            if words is not None:
                self.news.emit(capital(say(words)))
        if self.question.ask(next(questions(self.match), None)):
            self.place_cards()

    def _show_bar(self) -> None:
        terms = self.match.match.table.spectators
        looks_on = not self.match.my_sides() and self.match.outcome is None
        result = reading.result_of(self.match)
        if self._out:
            words = self.tr("{why}. What you see stays until you go; no order leaves any more.")
            self.bar.tell(words.format(why=capital(self._out)), mood=BAD, is_over=True)
        elif self._down is not None:
            left = max(0, round(self._down_at + self._down.retry_s - time.monotonic()))
            words = self.tr("No line to the server: {why}. It is tried again; what you see may be old.")
            if left:
                words = self.tr("No line to the server: {why}. It is tried again in {n} s; what you see may be old.")
            self.bar.tell(words.format(why=self._down.reason, n=left), mood=BAD, can_retry=True)
        elif self._catching_up:
            self.bar.tell(self.tr("The line is there again; what was missed is being fetched …"))
        elif result:
            self.bar.tell(self.tr("The game is over. {result}").format(result=result))
        elif self._seats_lost:
            sides = ", ".join(reading.title_of(self.match, side) for side in sorted(self._seats_lost))
            words = self.tr("Your seat at the {side} was freed; you look on until you sit down again (Players, Ctrl+T)")
            self.bar.tell(words.format(side=sides), mood=BAD)
        elif looks_on and not self.match.may_rule():
            self.bar.tell(self._looking_on(terms))
        else:
            self.bar.tell("")

    def _looking_on(self, terms: SpectatorTerms) -> str:
        """Return what whoever looks on is shown."""
        if terms.view == CLOSED and not self.match.talk.chairs:
            return self.tr("You look on until all seats are taken; from then on spectators see nothing until the end")
        words = termwords.spectator_words(terms, side_titles(self.match.manifest))
        return self.tr("You look on: {what}").format(what=words)

    def _show_header(self) -> None:
        super()._show_header()
        self._show_waits()
        self._show_lateness()

    def _show_lateness(self) -> None:
        """Say at the strip why its last entry may not be the game's: there is no line, or it is shown later here."""
        shown_later = self.match.outcome is None and self.match.talk.chairs
        late = termwords.late_words(self.match.match.table.spectators) if shown_later else ""
        self.timeline.tell_late(late if self.match.is_up or self.match.outcome is not None else self.tr("No line"))

    def _show_waits(self) -> None:
        """Show who decides, for how long the game has waited for him, and the clocks of all sides."""
        talk, match = self.match.talk, self.match
        parts, decides = [reading.waits_for(match)], match.match.table.to_act()
        names = sorted(match.match.table.holders(decides) - {match.player}) if decides else []
        if seats := match.vacant() or match.lacking():
            parts = [self.tr("{side}: nobody sits there").format(side=reading.title_of(match, seats[0].side))]
        elif names and match.is_live and match.outcome is None and decides not in match.my_sides():
            parts = [self.tr("{side} ({names}) decides").format(side=reading.title_of(match, decides), names=", ".join(names))]
        if self._is_closed():
            parts = [self.tr("Closed to who looks on, until it ends")]
        elif match.is_provisional:
            parts = [self.tr("Sent, not confirmed yet")]
        elif held := reading.held_up(match):
            parts = [held]
        elif match.outcome is None and match.is_live and talk.waited_ms() >= MINUTE:
            parts.append(self.tr("for {time}").format(time=how_long(talk.waited_ms())))
        self.header.waits.setText(" · ".join(parts))
        self.header.show_clocks(self._clocks() if match.is_live else ())  # the past has none

    def _is_closed(self) -> bool:
        """Say whether nothing of the game is shown here before it ends."""
        return self.match.outcome is None and bool(self.match.talk.chairs) and self.match.match.table.spectators.view == CLOSED

    def _clocks(self) -> list[SideClock]:
        match, left = self.match, self.match.talk.left_ms(self.match.match)
        running = match.match.table.on_clock() if match.match.table.clocks.runs else ""
        return [
            SideClock(reading.title_of(match, side), clock_face(ms), side == running, ms < ALARM_MS)
            for side in match.setting.sides if (ms := left.get(side)) is not None
        ]

    def _show_prompt(self) -> None:
        if self.match.awaits_answer and self.match.is_live:
            self.prompt.side_colour = self.palette_.ink_soft
            words = self.tr("Shown as it will be; the server has the last word.") if self.match.is_provisional else self.tr(
                "Its outcome hangs on dice, or on what you can't see."
            )
            self.prompt.show_prompt(heading=self.tr("Your order is on its way"), words=words, rule="", choices=())
        elif self._is_closed() and self.match.is_live:
            self.prompt.side_colour = self.palette_.ink_soft
            words = self.tr("What you see is how it stood when all seats were taken.")
            self.prompt.show_prompt(heading=self.tr("Closed to who looks on, until it ends"), words=words, rule="", choices=())
        elif vacant := self.match.vacant():
            self._show_vacant(vacant)
        else:
            super()._show_prompt()

    def _show_vacant(self, seats: Sequence[Chair]) -> None:
        """Say that the game waits for a side at which nobody sits, and how its seat is filled."""
        title, kept_for = reading.title_of(self.match, seats[0].side), {chair.kept_for for chair in seats} - {""}
        keepers, may_sit = kept_for - {self.match.player}, any(self.match.why_not_sit(chair) is None for chair in seats)
        if self.match.player in kept_for:
            words = self.tr("The seat is kept for you: sit down there again, or let others have it (Players, Ctrl+T).")
        elif keepers:
            words = self.tr("The seat is kept for {player}, who takes it again in the lobby; who left it, the game's owner or a referee "
                            "lets others sit there (Players, Ctrl+T).").format(player=", ".join(sorted(keepers)))
        elif may_sit:
            words = self.tr("The seat is free: a friend takes it in the lobby (Ctrl+J has the link for him), or you do (Players, Ctrl+T).")
        else:
            words = self.tr("The seat is free: whoever wants to play takes it in the lobby (Ctrl+J has the link).")
        self.prompt.side_colour = self._colour(seats[0].side)
        self.prompt.show_prompt(heading=self.tr("Nobody plays the {side} yet").format(side=title) if not kept_for else self.tr(
            "Nobody plays the {side} now").format(side=title), words=words, rule="", choices=())

    def _tick(self) -> None:
        self.players.tick()
        self._show_waits()
        self._show_question()
        if self._down is not None:
            self._show_bar()

    def place_cards(self) -> None:
        """Give the cards their places, the question at the top."""
        question = getattr(self, "question", None)  # the table places cards before this page is built
        if question is not None:
            left, _ = self._card_bounds(question)
            question.move(max(left, (self._free_width() - question.width()) // 2), 10)
            question.raise_()
        super().place_cards()

    def _sent(self) -> None:
        """Show what the order that was sent leads to, as far as that can be foreseen."""
        before = self.scene.whereabouts()
        self._state = self._state_now()
        self.refresh()
        if self.animates and self.match.is_provisional:
            self.scene.glide(before, self.match.foreseen_moves)

    def leads(self) -> list[Lead]:
        """Return the ways on from the end of a game: for whoever played, also the same table again."""
        ways, mine = super().leads(), self.match.my_sides()
        if mine:
            tip = self.tr("Begin another game with the same seats, clock and dice, and sit down at it; the others find it in the lobby")
            ways.append(Lead(self.tr("Same table again"), tip, lambda: self.again_wanted.emit(False)))
        if len(mine) == 1 and len(self.match.setting.sides) > 1:
            ways.append(Lead(self.tr("Again, sides swapped"), tip, lambda: self.again_wanted.emit(True)))
        return ways

    # ---------------------------------------------------------------- acting

    def _ask(self, act: Callable[[], object]) -> None:
        """Ask the server for something, or say in the panel why that can't be."""
        self.players.tell_fault(capital(self._out))
        if self._out:
            self.said.emit(capital(self._out))
            return
        try:
            act()
        except Refused as refused:
            self.players.tell_fault(self._why(refused))
            self.said.emit(self._why(refused))

    def _why(self, refused: Refused) -> str:
        """Return a refusal as a sentence, sides called as players call them."""
        return sentence(refused, side_titles(self.match.manifest))

    def _note(self, order_id: str) -> None:
        self._acts.add(order_id)

    def _act(self, what: str) -> None:
        match what:
            case "resign":
                self._ask(lambda: self._note(self.match.resign()))
            case "go_to":
                self._ask(lambda: self.match.go_to(self.match.cursor))
            case _:
                self._ask(lambda: self._note(self.match.offer(what)))

    def _seat(self, what: str, side: str, seat: str) -> None:
        match what:
            case "take":
                self._ask(lambda: self.match.take_seat(side, seat))
            case "leave":
                self._leaves = True
                self._ask(lambda: self.match.leave_seat(side, seat))
            case "open":
                self._ask(lambda: self._note(self.match.let_others_sit(side, seat)))
            case "free":
                self._ask(lambda: self._note(self.match.free_seat(side, seat)))
            case _:
                self._ask(lambda: self._note(self._limit(what, self.match.match.table.chairs[side, seat])))

    def follows(self) -> bool:
        """Leave the players in front where seats are told what they command, which are the stacks that are selected meanwhile."""
        return self.side.current != "players" or not any(map(self.match.may_limit, self.match.match.table.chairs.values()))

    def _limit(self, what: str, chair: Chair) -> str:
        """Let a seat command ``all`` units, ``none``, or those of the selected hex besides (``more``)."""
        if what == "all":
            return self.match.limit(chair, None)
        if what == "none":
            return self.match.limit(chair, ())
        units = () if self.selected_hex is None else self.match.view.side_at(self.selected_hex, chair.side)
        if not units:
            raise Refused("", text("select a stack of the {side} first", side=reading.title_of(self.match, chair.side)))
        return self.match.limit(chair, {*units, *(chair.units or ())})

    def _answer_ahead(self, *, this_turn: bool) -> None:
        order = self.composer.draft()
        if order is not None and self.composer.is_complete:
            self._note(self.match.answer_now_and_ahead(order, this_turn=this_turn))

    def _replied(self, question: Question, what: str) -> None:
        match, act = self.match, Pause(on=False)
        offer = match.open_offer()
        replies: dict[str, Callable[[], object]] = {
            "withdraw": match.withdraw, "claim": match.claim, "go_on": match.go_on, "go_on_referee": lambda: self._rule(act),
            "wait": lambda: self._wait_on(question.about),
            "unwitnessed": lambda: match.choose(question.about, "unwitnessed"),
            "claim_dice": lambda: match.choose(question.about, "claim"),
        }
        if what in ("yes", "no"):
            if offer is not None and str(offer.number) == question.about:
                self._ask(lambda: match.answer(offer, yes=what == "yes"))
            else:
                self._show_question()
            return
        if question.kind == "again":
            self._reply_to_another(what)
            return
        self._ask(replies[what])

    def _reply_to_another(self, what: str) -> None:
        """Sit down at the other game, or let it be offered no more."""
        line, side = self.match.another, what.removeprefix("sit ")
        chair = next((chair for chair in self.match.free_in(line) if chair.side == side), None) if line is not None else None
        if line is not None and chair is not None:
            self.sit_wanted.emit(line.game, chair.side, chair.seat)
        elif line is not None:
            self.match.decline(line.game)
        self._show_question()

    def _wait_on(self, late: str) -> None:
        self.match.choose(late, "wait")
        self.said.emit(self.tr("You wait on for {player}; later you may choose again").format(player=late))

    def _rule(self, act: AnyAct) -> None:
        self._note(self.match.rule(act))

    def _hurry(self) -> None:
        line = self.match.games.line
        if line is not None:
            line.hurry()

    def write(self) -> None:
        """Open the chat, ready to be written in."""
        self.open_side("chat")
        self.chat.line.setFocus()

    # ---------------------------------------------------------------- look, end

    def set_palette(self, palette: Palette) -> None:
        """Change the theme."""
        self.chat.palette_ = self.players.palette_ = palette
        super().set_palette(palette)
        self.show_table()

    def close_down(self) -> None:
        """Stop the clocks before the page goes."""
        self._ticking.stop()
        super().close_down()

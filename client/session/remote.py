"""A game kept by a server: followed here on a log of its own, orders sent and answered over the line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import takewhile

from msgspec.structs import replace

from client.connection import table
from client.connection.games import Games
from client.connection.notes import Answered, Grown
from client.connection.offline import NO_LINE
from client.connection.witness import Choice
from client.session.match import NOT_LIVE, LoggedMatch
from client.session.saved import clock
from client.session.talk import TableTalk
from core import protocol
from core.errors import Refused
from core.events import Moved
from core.game import NeedsDice, StopDice, decide
from core.log import ROOT, AnyAct, Claim, Fallback, Limit, Offer, Pause, Resign, Rewind, Seat, Withdraw
from core.match import Match
from core.orders import OptionPick, Order, compose, units_of
from core.ruleset import Ahead
from core.table import Chair, OpenOffer
from core.table_rules import Moment, Who, is_gone, is_referee, permit, permit_order
from core.text import text
from core.units import Side, UnitId
from core.views import View
from core.witnesses import SERVER

WAIT = text("the server has not answered the last order yet")
LETS_RULE = ("referee", "owner")  # roles on a server that make a referee of whoever holds no seat


def _twin(known: Match) -> Match:
    """Return a match on the same setting and a log of its own, for another thread."""
    return type(known).on(known.log.copied(), known)


class RemoteMatch(LoggedMatch):
    """A game on a server, as one player there sees it. Everything but the sending happens in the window's own thread.

    Args:
        games: the line's games; this one is open there.
        game: its id.
        player: who sits here.
        role: what the server lets him do.

    Attributes:
        talk: what is told of the table besides its entries.
        is_up: whether there is a line to the server now.
        foreseen_moves: those of the order that was decided here last.
        another: a game with a seat for us that somebody of the table has begun on the same terms since this one is over; None: none.

    An order whose outcome hangs on no dice is decided here as well, at once: `view` shows what the server will say, until it says so.
    """

    def __init__(self, games: Games, game: str, player: str, *, role: str = protocol.PLAYER) -> None:
        self.games, self.game, self.player, self.role = games, game, player, role
        self.talk = TableTalk(game, clock)
        self.is_up = True
        self._asked = ""
        self._foreseen: View | None = None
        self.foreseen_moves: tuple[Moved, ...] = ()
        self.another: protocol.GameLine | None = None
        self._not_now: set[str] = set()  # games that were offered and not wanted
        self._listed: frozenset[Side] = frozenset()  # whose answers given ahead were asked for
        self.begin_anew()
        games.follow(game)  # what was told before this match was here is told again
        self._list_answers()

    def begin_anew(self) -> None:
        """Take the game from the line as it is there now: at first, and when it begins anew as another viewer sees it."""
        self._foreseen = None
        with self.games.reading():
            known = self.games.match(self.game)
            assert known is not None, "only a game that is known is opened"
            made, pack = _twin(known), self.games.pack(self.game)
        super().__init__(made, pack)

    # ---------------------------------------------------------------- what comes

    def take_entries(self, grown: Grown) -> bool:
        """Add the entries that are new here; say whether there were any."""
        new = [entry for entry in grown.entries if entry.number >= len(self.match.log)]
        for entry in new:
            self.match.accept_foreign(entry)
        if any(entry.moves for entry in new):
            self._foreseen = None
        if new:
            self.refresh()
            self._list_answers()
        return bool(new)

    def _list_answers(self) -> None:
        """Ask for the answers given ahead of each side at which we have sat down."""
        mine = frozenset(self.my_sides())
        for side in sorted(mine - self._listed):
            self.games.send(protocol.ListAnswers(self.game, side))
        self._listed = mine

    def take_answer(self, answered: Answered) -> Refused | None:
        """Note that an order was answered; return the refusal if it was refused."""
        if answered.order_id == self._asked:
            self._asked = ""
            if answered.refused is not None:
                self._foreseen = None
        return None if answered.refused is None else Refused(answered.rule, answered.refused)

    # ---------------------------------------------------------------- another game

    def see_games(self, lines: Iterable[protocol.GameLine]) -> bool:
        """Look through the server's games for another one; say whether what is offered has changed."""
        before = self.another
        wanted = (line for line in lines if self._is_another(line)) if self.outcome is not None and self.my_sides() else iter(())
        self.another = next(wanted, None)
        return self.another != before

    def _is_another(self, line: protocol.GameLine) -> bool:
        now, terms = self.match.table, self.match.terms
        last = max((entry.time_ms for entry in self.match.log.entries if entry.order), default=0)
        same = (line.ruleset, line.scenario) == (self.manifest.ruleset, self.setting.scenario.id)
        same = same and (line.terms.clock, line.terms.dice) == (terms.clock, terms.dice)
        theirs = line.owner in now.players() - {self.player} and line.owner in {chair.player for chair in line.chairs}
        ours = self.player in {chair.player for chair in line.chairs}
        is_new = line.since_ms >= last or not line.since_ms  # a list does not tell it of a game that is shown later to who has no seat
        open_ = not line.over and line.game != self.game and line.game not in self._not_now and is_new
        return same and theirs and open_ and not ours and bool(self.free_in(line))

    @staticmethod
    def free_in(line: protocol.GameLine) -> list[protocol.SeatLine]:
        """Return the seats of a game at which anybody may sit down."""
        return [chair for chair in line.chairs if not chair.player and not chair.kept_for]

    def decline(self, game: str) -> None:
        """Let another game be offered no more."""
        self._not_now.add(game)
        self.another = None

    # ---------------------------------------------------------------- what will be

    @property
    def view(self) -> View:
        """Return the position that is shown: the one that an order leads to while the server has not answered it."""
        return self._foreseen if self._foreseen is not None and self.is_live else super().view

    @property
    def is_provisional(self) -> bool:
        """Say whether what is shown was decided here, and not by the server yet."""
        return self._foreseen is not None and self.is_live

    def _decide(self, side: Side, order: Order) -> View | None:
        """Return what an order leads to, None where that hangs on dice or on what is hidden from here.

        Raises:
            Refused: the order breaks a rule.
        """
        if self.match.viewer or self.match.witnesses.refusal(self.player) is not None:
            return None
        try:
            decided = decide(self.match.view, side, order, StopDice())
        except NeedsDice:
            return None
        self.foreseen_moves = tuple(event for event in decided.events if isinstance(event, Moved))
        return View(self.setting, decided.position, derived=decided.derived)

    # ---------------------------------------------------------------- who plays

    def players(self) -> Mapping[Side, str]:
        """Return who holds each side's first seat, empty where nobody does."""
        chairs = self.chairs().values()
        return {side: next(chair.player for chair in chairs if chair.side == side) for side in self.match.table.sides}

    def chairs(self) -> Mapping[tuple[Side, str], Chair]:
        """Return the seats as they are held now: the log of a game that is shown later than it is played says how they were."""
        known, told = self.match.table.chairs, {(line.side, line.seat): line for line in self.talk.chairs}
        if not told:
            return known
        return {
            key: replace(chair, player=told[key].player, kept_for=told[key].kept_for) if key in told else chair
            for key, chair in known.items()
        }

    def vacant(self) -> list[Chair]:
        """Return the seats of the side that the game waits for, if nobody sits at any."""
        if self.outcome is not None or not self.is_live:
            return []
        return self._empty_seats(self.match.table.to_act())

    def lacking(self) -> list[Chair]:
        """Return the seats of the first side at which nobody sits, if no order can be given without it, as all sides witness the dice."""
        if self.outcome is not None or not self.is_live or not self.match.witnesses.witnessed:
            return []
        return next(filter(None, map(self._empty_seats, self.match.table.sides)), [])

    def _empty_seats(self, side: Side) -> list[Chair]:
        seats = [chair for chair in self.chairs().values() if chair.side == side]
        return [] if any(chair.player for chair in seats) else seats

    def my_sides(self) -> tuple[Side, ...]:
        """Return the sides of which a seat is held here: by our key, as none is by a name alone."""
        if self.games.sits_anothers(self.match):
            return ()
        if not self.talk.chairs:
            return self.match.table.sides_of(self.player)
        mine = {chair.side for chair in self.chairs().values() if chair.player == self.player}
        return tuple(side for side in self.match.table.sides if side in mine)

    @property
    def may_act(self) -> bool:
        """Say whether an order may be given here now: live, a seat of ours that commands anything decides, and nothing is under way."""
        going_on = self.match.table.ended is None and not self.match.table.paused
        view = self.match.view
        side = view.side_to_act()
        return self.is_live and not self._asked and going_on and self._commands(side) and not view.hides_from(side)

    def _commands(self, side: Side) -> bool:
        """Say whether a seat of a side is held here that may order any unit."""
        return side in self.my_sides() and any(seat.units != () for seat in self.match.table.seats_of(side, self.player))

    @property
    def awaits_answer(self) -> bool:
        """Say whether an order was sent and not answered yet."""
        return bool(self._asked)

    def order(self, order: Order) -> None:
        """Send an order; the server's entry or refusal comes later.

        Raises:
            Refused: the past is shown, the seat is another's, an order is under way, there is no line, or the order breaks a rule.
        """
        if not self.is_live:
            raise Refused("", NOT_LIVE)
        if self._asked:
            raise Refused("", WAIT)
        side = self.match.view.side_to_act()
        if side not in self.my_sides():
            raise Refused("", text("you don't hold the seat that decides"))
        if not self.is_up:
            raise Refused("", NO_LINE)
        now = self.match.table
        moment = Moment(now, self.match.log, self.match.view.position.outcome is not None, self.talk.now_ms())
        permit_order(moment, side, self.player, units_of(order))
        foreseen = self._decide(side, order)
        self._asked = self.games.give(self.game, side, order)
        self._foreseen = foreseen

    # ---------------------------------------------------------------- going back

    def undo(self) -> None:
        """Ask the server to go back to before the last order given here; where that isn't free the other side is asked."""
        if self._asked:
            raise Refused("", WAIT)
        mine = self.my_sides()
        number = self.match.log.head
        while number >= 0:
            entry = self.match.log.entries[number]
            if entry.parent == ROOT:
                break
            number = entry.parent
            if entry.side in mine:
                self.games.send(protocol.AskRewind(self.game, entry.side, number))
                return
        raise Refused("", text("there is no order of yours to take back"))

    def go_to(self, index: int) -> None:
        """Ask the server to go back to a moment: as a referee at once, else the other side is asked where it isn't free."""
        number = self.moments()[index].number
        if self.may_rule():
            self.rule(Rewind(number))
        else:
            self.games.send(protocol.AskRewind(self.game, self._leading(), number))

    def redo(self) -> None:
        """Ask the server to bring the undone order back."""
        forward, mine = self.match.log.forward(), self.my_sides()
        if forward is None or not mine:
            raise Refused("", text("there is nothing to bring back"))
        side = self.match.log.entries[forward].side  # as it was taken back: for another side it would have to be asked for
        self.games.send(protocol.AskRewind(self.game, side if side in mine else self._leading(), forward))

    def open_offer(self) -> OpenOffer | None:
        """Return another side's offer that waits for an answer from here, None if there is none."""
        mine, now = self.my_sides(), self.match.table
        for offer in now.offers.values():
            asked = [side for side in mine if side != offer.side and side not in offer.yes and now.leads(side, self.player)]
            if asked and offer.player != self.player:
                return offer
        return None

    def own_offer(self) -> OpenOffer | None:
        """Return the offer that was made here and waits for the others, None if there is none."""
        return next((offer for offer in self.match.table.offers.values() if offer.player == self.player), None)

    # ---------------------------------------------------------------- seats

    def take_seat(self, side: Side, seat: str) -> None:
        """Ask for a free seat."""
        if not seat and self.match.table.seats_of(side, self.player):  # a frame that names none would mean the one that he has
            table.do(self.games, self.game, side, Seat(side, self.player, seat))
        else:
            self.games.send(protocol.TakeSeat(self.game, side, seat))

    def leave_seat(self, side: Side, seat: str) -> None:
        """Give a seat of ours up."""
        self.games.send(protocol.LeaveSeat(self.game, side, seat))

    def why_not_sit(self, chair: Chair) -> Refused | None:
        """Return why a free seat is not for whoever looks on here, None if it is, as far as is known here."""
        if self.talk.chairs and chair.kept_for in ("", self.player) and self.role != protocol.SPECTATOR:
            return None
        now = self.match.table
        moment = Moment(now, self.match.log, self.match.view.position.outcome is not None, self.talk.now_ms())
        try:
            permit(moment, Seat(chair.side, self.player, chair.name), Who(self.player, chair.side, guest=self.role == protocol.SPECTATOR))
        except Refused as refused:
            return refused
        return None

    def may_let_others_sit(self, chair: Chair) -> bool:
        """Say whether others may be let have a seat that is kept for who left it: by him, owner or referee, or at last by who plays."""
        own = chair.kept_for == self.player or self._owns_or_rules()
        return bool(chair.kept_for) and (own or bool(self._may_open_at_last(chair)))

    def _owns_or_rules(self) -> bool:
        return self.player == self.match.terms.owner or self.may_rule()

    def _may_open_at_last(self, chair: Chair) -> tuple[Side, ...]:
        """Return our sides where a seat has been empty for so long that whoever plays lets others have it."""
        return self.my_sides() if self.match.table.frees_at_last and is_gone(chair, self.talk.now_ms()) else ()

    def let_others_sit(self, side: Side, seat: str) -> str:
        """Keep a seat that was left for nobody any more."""
        chair = self.chairs()[side, seat]
        own = (side,) if chair.kept_for == self.player else () if self._owns_or_rules() else self._may_open_at_last(chair)
        return table.do(self.games, self.game, own[0] if own else "", Seat(side, "", seat))

    def free_seat(self, side: Side, seat: str) -> str:
        """Free another's seat, as referee, or as the game's owner before its first order."""
        return table.do(self.games, self.game, "", Seat(side, "", seat))

    def may_limit(self, chair: Chair) -> bool:
        """Say whether it may be said here what a seat commands: by a referee, or by whoever holds its side's first seat."""
        first = self.match.table.first_seat(chair.side)
        return first.name != chair.name and (self.may_rule() or first.player == self.player)

    def limit(self, chair: Chair, units: Iterable[UnitId] | None) -> str:
        """Let a seat command these units and no others; None: all."""
        side = "" if self.may_rule() else chair.side
        return table.do(self.games, self.game, side, Limit(chair.side, chair.name, None if units is None else tuple(sorted(units))))

    # ---------------------------------------------------------------- the table

    def may_rule(self) -> bool:
        """Say whether whoever looks on here is a referee of this game."""
        return is_referee(self.match.table, self.player, role=self.role in LETS_RULE)

    def allows(self, act: AnyAct) -> bool:
        """Say whether whoever looks on here may do an act, as referee or for no side: the server asks the same rules."""
        match, now, wait_ms = self.match, self.talk.now_ms(), self.match.terms.dice.wait_ms
        given_up = match.witnesses.is_given_up(match.log.k + 1, now_ms=now, wait_ms=wait_ms)
        moment = Moment(match.table, match.log, match.view.position.outcome is not None, now, given_up)
        try:
            permit(moment, act, Who(self.player, referee=self.may_rule()))
        except Refused:
            return False
        return True

    def rule(self, act: AnyAct) -> str:
        """Do an act as referee or owner."""
        return table.do(self.games, self.game, "", act)

    def leads_any(self) -> bool:
        """Say whether any side may be spoken for here."""
        return any(self.match.table.leads(side, self.player) for side in self.my_sides())

    def may_claim(self) -> bool:
        """Say whether the flags of all others are down and give the game to a side of ours."""
        return bool(self._claims())

    def _claims(self) -> list[Side]:
        """Return our sides to which the flags of all others, which are down, give the game."""
        now = self.match.table
        up = {side for side in now.sides if side not in now.clocks.fallen}
        mine = self.my_sides() if now.terms.clock.on_flag == "claim" else ()
        return [side for side in mine if now.claims(side, self.player) and up <= {side}]

    def has_run_out(self) -> bool:
        """Say whether a side of ours has no time left, and the game goes on until the others claim it."""
        now = self.match.table
        return now.terms.clock.on_flag == "claim" and any(side in now.clocks.fallen for side in self.my_sides())

    def _leading(self) -> Side:
        """Return a side that may be spoken for here, the one that decides if it is among them; Refused if there is none."""
        decides = self.match.view.side_to_act()
        mine = [side for side in self.my_sides() if self.match.table.leads(side, self.player)]
        if not mine:
            raise Refused("", text("you hold no seat that speaks for a side"))
        return decides if decides in mine else mine[0]

    def offer(self, what: str) -> str:
        """Offer a ``draw`` or ask for a ``pause``; return the id that the answer will bear."""
        return table.do(self.games, self.game, self._leading(), Offer(what))

    def withdraw(self) -> str:
        """Take back what is offered from here; Refused if nothing is."""
        for offer in self.match.table.offers.values():
            if offer.side in self.my_sides():
                return table.do(self.games, self.game, offer.side, Withdraw(offer.number))
        raise Refused("", text("nothing is offered from here"))

    def go_on(self) -> str:
        """End a pause."""
        return table.do(self.games, self.game, self._leading(), Pause(on=False))

    def resign(self) -> str:
        """Give up the side that is spoken for here."""
        side = self._leading()
        return table.do(self.games, self.game, side, Resign(side))

    def claim(self) -> str:
        """Claim the game after the flags of the others have fallen."""
        side = (self._claims() or [self._leading()])[0]
        return table.do(self.games, self.game, side, Claim(side))

    def late_names(self) -> tuple[str, ...]:
        """Return for whose links the dice wait."""
        return tuple(sorted(self.match.witnesses.late_for(self.match.log.k + 1) - self._gone_without()))

    def _gone_without(self) -> set[str]:
        """Return without whose links those who may have chosen to go on with the dice that wait."""
        excused = self.match.witnesses.is_excused
        return {act.participant for _, act in self._choices() if excused(act.participant, act.k, act.pending)}

    def _choices(self) -> list[tuple[str, Fallback]]:
        """Return who chose to go on without somebody's link with the dice that wait."""
        waits = takewhile(lambda entry: not entry.moves, reversed(self.match.log.entries))
        acts = [(entry.player, entry.act) for entry in waits]
        return [(player, act) for player, act in acts if isinstance(act, Fallback) and act.choice == "unwitnessed"]

    def _may_choose(self, participant: str) -> bool:
        """Say whether it is to be chosen here still what shall be without a participant's link: of who is of all sides each has to."""
        choosing = self.match.witnesses.choosing
        players = [player for player, act in self._choices() if act.participant == participant]
        return bool(choosing(self.player, participant).difference(*(choosing(player, participant) for player in players)))

    def throwing_without(self, participant: str) -> tuple[str, ...]:
        """Return whose links the dice that wait have beside the server's, if nobody waits for a participant's any more."""
        return tuple(sorted({*self.match.witnesses.participants} - {SERVER, participant} - self._gone_without()))

    def late_witness(self) -> tuple[str, int] | None:
        """Return for whose link the dice wait, and how many milliseconds he has left before a choice is open here.

        None if they wait for nobody about whom a choice could be made here.
        """
        witnesses, k = self.match.witnesses, self.match.log.k + 1
        for name in self.late_names():
            left = witnesses.patience_left(name, k, now_ms=self.talk.now_ms(), wait_ms=self.match.terms.dice.wait_ms)
            if left is not None and self._may_choose(name):
                return name, max(0, left)
        return None

    def choose(self, participant: str, choice: Choice) -> None:
        """Choose what shall be, as a participant's link stays away: ``wait``, ``unwitnessed`` or ``claim``; Refused if no dice wait."""
        self.games.choose(self.game, participant, choice)

    def say(self, words: str, *, room: str = "") -> str:
        """Write a line of chat: to the table, or as a spectator to the others."""
        usual = "game" if self.my_sides() or self.outcome is not None else "spectators"
        return table.say(self.games, self.game, room or usual, words)

    def answer_ahead(self, decision: str, order: Order, *, this_turn: bool, side: Side = "") -> str:
        """Let the server give an order whenever a decision of this name comes up for our side, in this turn only or until it is revoked.

        *side* is ours that is asked, empty for the one that is spoken for now.
        """
        turn = self.match.view.position.turn if this_turn else table.ANY_TURN
        return table.answer_ahead(self.games, self.game, side or self._leading(), decision, order, turn=turn)

    def order_of(self, answer: Ahead) -> Order:
        """Return the order that an answer of the ruleset's listing is."""
        head = answer.picks[0]
        assert isinstance(head, OptionPick), "an answer begins with an order type"
        return compose(self.setting.ruleset.orders[head.option].order, answer.picks[1:])

    def prepare(self, decision: str, answer: Ahead, *, this_turn: bool) -> str:
        """Let the server answer a decision of this name when one comes up."""
        return self.answer_ahead(decision, self.order_of(answer), this_turn=this_turn, side=answer.side)

    def answer_now_and_ahead(self, order: Order, *, this_turn: bool) -> str:
        """Let the server give an order for the decision that is open now, and for each of its kind that comes."""
        decision, _ = self.match.awaited()
        if not decision or not self.may_act:
            raise Refused("", text("you don't decide now"))
        return self.answer_ahead(decision, order, this_turn=this_turn)

    def revoke(self, decision: str) -> str:
        """Take back the answer to a decision."""
        return table.revoke(self.games, self.game, self._leading(), decision)

    def answer(self, offer: OpenOffer, *, yes: bool) -> None:
        """Answer an offer of another side."""
        side = next(side for side in self.my_sides() if side != offer.side)
        self.games.send(protocol.Answer(self.game, side, offer.number, yes))

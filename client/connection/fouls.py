"""What an honest server does not do: why a link is not shown, and what is wrong with an entry."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from client.connection.shown import Shown
from core import identity, protocol, waiting
from core.dice import Stream
from core.errors import BadInput, Refused
from core.events import happened
from core.game import Dice, NeedsDice, StopDice, begin, decide
from core.gamefile import Head
from core.log import ROOT, AnyAct, ChainPublished, Consent, Entry, Fallback, Flag, Late, Pending, Result, Rewind, Seat, TakenOver
from core.match import Match
from core.orders import units_of
from core.permitted import faults_of_choice, faults_of_late, why_no_order, why_nobody_orders, why_not
from core.signed import signed_act, signed_chain, signed_fallback, signed_order, signed_takeover
from core.table_rules import is_named_referee
from core.text import Text, text
from core.ways_back import way_back
from core.witnesses import Witnesses, links_alone

JOINED = "the server lets an order wait since before {player} took part in the dice"
IN_VAIN = "the server named somebody late for the dice of number {k}, and no order waited for them"
BROKEN = text("no more dice are witnessed here: the server broke its word before")


class Evidence(msgspec.Struct, frozen=True):
    """What a server did and should not have: the game's head, what it asked before and now, or the entry that it wrote."""

    text: str
    head: Head
    shown: Shown | None = None
    asked: protocol.LinkWanted | None = None
    entry: Entry | None = None


class Foul(msgspec.Struct, frozen=True):
    """Something that an honest server does not do; for the player to read. *evidence* names the file that proves it, if one is kept."""

    game: str
    text: Text
    evidence: str = ""

    def __str__(self) -> str:
        return f"{self.text}; what proves it is kept in {self.evidence}" if self.evidence else str(self.text)


# -------------------------------------------------------------------- requests


def doubt(match: Match, head: Head, wanted: protocol.LinkWanted, name: str) -> Text | None:
    """Return why a player shows no link against a record, None if all is well."""
    pending, log = wanted.pending, match.log
    message = identity.waiting_message(head.game, pending.k, pending.digest())
    keeper = match.witnesses.keeper or head.keeper.key
    if keeper and not identity.verify(keeper, message, wanted.signature):
        return text("the server asks for dice and does not sign for it")
    if pending.k != log.k + 1:
        return text("the server asks for the dice of number {k}, and {next} is the next", k=pending.k, next=log.k + 1)
    if pending.parent != log.head or has_moved_since(match, pending.before):
        return text("the server asks for the dice of an order that does not follow the game as it is known here")
    if name not in match.wanted(pending) and not match.witnesses.tells_choosers:
        return text("the server asks for dice that you don't witness")
    if joined := match.witnesses.joined_since(match.witnesses_after(pending.before)):
        return text(JOINED, player=joined[0])
    return _doubt_order(match, pending)


def _doubt_order(match: Match, pending: Pending) -> Text | None:
    if not pending.order:
        return None if match.log.head == ROOT else text("the server asks for the dice of a game that has begun")
    then = match.witnesses_after(pending.before)  # he may have left his seat since, or have come back to it under another key
    if pending.player not in then.players_of(pending.side):
        return text("the server asks for the dice of {player}, who does not play {side}", player=pending.player, side=pending.side)
    if not then.key(pending.player) or not signed_order(then, match.log, pending, match.game, awaited=match.awaited):
        return text("the server asks for the dice of an order that {player} did not sign", player=pending.player)
    if not _commands(match, then, pending):
        return text("the server asks for the dice of an order that the seat of {player} does not command", player=pending.player)
    if match.is_hosted and (why := why_nobody_orders(match.table, match.log, pending.before)):
        return text("the server asks for the dice of an order that {player} could not give: {why}", player=pending.player, why=why)
    return None


def _commands(match: Match, then: Witnesses, given: Entry | Pending) -> bool:
    """Say whether an order's player might give it, by the units that his seats commanded *then*."""
    try:
        return then.commands(given.player, given.side, units_of(match.codec.decode(given.order)))
    except BadInput:  # what can't be read nobody orders
        return False


def has_moved_since(match: Match, before: bytes) -> bool:
    """Say whether the game moved since the entry with a hash, or that entry is not known."""
    return waiting.has_moved_since(match.log, before)


# -------------------------------------------------------------------- entries, before they are taken in


def goes_past(match: Match, entry: Entry, pending: Pending) -> bool:
    """Say whether an entry takes the place of the one whose dice were witnessed: its number, or its turn."""
    if not entry.moves or pending == entry.pending_record():
        return False
    return entry.k >= pending.k or not has_moved_since(match, pending.before)


def accepts_draw(match: Match, act: AnyAct | None) -> bool:
    """Say whether an act accepts a draw: while an order waits for its dice no server lets anybody."""
    offer = match.table.offers.get(act.offer) if isinstance(act, Consent) and act.yes else None
    return offer is not None and offer.what == "draw"


def owner_decides(match: Match, entry: Entry, *, here: bool) -> bool:
    """Say whether the game's owner ends it, or frees another's seat: while an order waits no server lets him.

    Args:
        here: whether somebody is at his seat who has shown his link, and it may be chosen what shall be: so the game isn't given up.
    """
    act, table = entry.act, match.table
    if not isinstance(act, Result | Seat) or not entry.player or (isinstance(act, Seat) and act.player):
        return False
    if is_named_referee(table, entry.player):
        return False
    if isinstance(act, Seat):
        chair = table.chairs.get((act.side, act.seat))
        if chair is not None and entry.player in (chair.player, chair.kept_for):
            return False
    if entry.player in table.has_played or match.witnesses.sides_about(entry.player):  # also who left since the game was moved
        return True
    given_up = not here and match.witnesses.is_given_up(match.log.k + 1, now_ms=entry.time_ms, wait_ms=table.terms.dice.wait_ms)
    return entry.player == table.terms.owner and not (given_up and isinstance(act, Result) and not act.winner)


def runs_out(match: Match, act: Flag, pending: Pending, name: str) -> bool:
    """Say whether time runs out for the side of *name*, who has shown his link, by his order that waits, or as he is called late for it.

    Where another of his side is named late it is by that one's link.
    """
    witnesses = match.witnesses
    if act.side not in witnesses.sides_about(name) or not match.table_version:  # in games from before whose turn it was paid for all links
        return False
    waits_by_him = act.side == pending.side or name in witnesses.named_for(pending.k)
    return waits_by_him and not any(act.side in witnesses.sides_about(other) for other in witnesses.late_for(pending.k) - {name})


def fault_of_kind(entry: Entry) -> Text | None:
    """Return that an entry is of no kind that there is; then nothing else of it can be reckoned."""
    return text("the server wrote down what is no order and no act: {why}", why=entry.misfit) if entry.misfit else None


def fault_of_time(match: Match, entry: Entry) -> Text | None:
    """Return that time went back with an entry; a server's never does, whatever becomes of its machine's clock."""
    if not match.keeper.key or not match.log.dates_back(entry):
        return None
    return text("the server dated entry {number} before the one before it", number=entry.number)


def faults_of_act(match: Match, entry: Entry, agreed: bytes) -> Iterator[Text]:
    """Yield what is wrong with the entry of a table act; *agreed* is the hash of what the game is."""
    act, witnesses = entry.act, match.witnesses
    if act is not None and not signed_act(witnesses, match.log, entry, match.game):
        yield text("the server wrote down what {player} did not sign: {act}", player=entry.player, act=type(act).__name__)
    if isinstance(act, ChainPublished) and not signed_chain(witnesses, entry, game=match.game, agreed=agreed):
        yield text("the server wrote down a dice chain that {player} did not publish", player=act.player)
    if isinstance(act, TakenOver) and not signed_takeover(witnesses, entry, game=match.game):
        yield text("the server wrote down that the game was taken over, and nobody signed for it")
    if isinstance(act, Fallback) and not signed_fallback(witnesses, entry, game=match.game):
        yield text("the server wrote down a choice that {player} did not sign", player=entry.player or "nobody")
    if isinstance(act, Fallback | Late) and witnesses.witnessed:
        for why in _faults_of_waiting(match, entry):
            yield text("the server wrote down that somebody was waited for: {why}", why=why)


def _faults_of_waiting(match: Match, entry: Entry) -> Iterator[str]:
    if isinstance(entry.act, Fallback):
        return faults_of_choice(match.witnesses, match.table, match.log, entry)
    return faults_of_late(match.witnesses, match.table, match.log, entry, why_none_waits=match.why_none_waits)


def not_permitted(match: Match, entry: Entry) -> Iterator[Text]:
    """Yield that an act could not be done, or an order given, where nothing else is wrong with it."""
    if why := _refused(match, entry) if entry.bears_order else why_not(match.table, match.log, entry, hosted=match.is_hosted):
        yield text("the server wrote down what {player} could not do: {why}", player=entry.player or "nobody", why=why)


def _refused(match: Match, entry: Entry) -> str:
    """Return why a seat could not give an order, empty if it could: the game was paused, say, or had ended at the table."""
    if not entry.order:
        return ""
    try:
        order = match.codec.decode(entry.order)
    except BadInput as error:
        return str(error)
    return why_no_order(match.table, match.log, entry, order, hosted=match.is_hosted)


def faults_of_rewind(match: Match, entry: Entry, *, signs: bool) -> Iterator[Text]:
    """Yield what is wrong with an entry that goes back; *signs*: the game's players sign where they need to ask nobody."""
    act = entry.act
    assert isinstance(act, Rewind), "nobody goes back"
    if match.witnesses.named_in_vain(entry, match.log.k + 1):
        yield text(IN_VAIN, k=match.log.k + 1)
    match way_back(match.log, match.table, match.witnesses, entry, match.game, hosted=match.is_hosted, signs=signs):
        case "unsigned":
            yield text("the server wrote down that {player} went back to entry {to}, who did not sign it", player=entry.player, to=act.to)
        case "unasked":
            yield text("the server went back to entry {to}, and nobody was asked", to=act.to)


def fault_of_place(match: Match, entry: Entry) -> Text | None:
    """Return that an entry goes on from another position than the game's: it takes all since then back, and nobody was asked."""
    if entry.parent == match.log.head:
        return None
    words = "the server went on from entry {parent} with entry {number}, and the game stood at entry {head}"
    return text(words, parent=entry.parent, number=entry.number, head=match.log.head)


def faults_of_order(match: Match, entry: Entry, *, live: bool) -> Iterator[Text]:
    """Yield what is wrong with the entry of an order; one that has just happened, *live*, is decided again."""
    if (elsewhere := fault_of_place(match, entry)) is not None:
        yield elsewhere
        return
    then = match.witnesses_after(entry.pending) if entry.k else match.witnesses
    if entry.order and not signed_order(then, match.log, entry, match.game, awaited=match.awaited):
        yield not_signed(entry)
    if entry.order:
        yield from _faults_of_seats(match, then, entry)
    if match.witnesses.named_in_vain(entry, match.log.k + 1) or (entry.k and then.named_early(entry.k)):
        yield text(IN_VAIN, k=match.log.k + 1)
    if entry.k and match.witnesses.record_of(entry.k) not in (b"", entry.pending_record().digest()):
        yield text("the server decided another order than the one for which it named somebody late")
    for name in match.witnesses.joined_since(then) if entry.k else ():
        yield text(JOINED, player=name)
    if entry.k and (why := fault_of_links(match, entry)) is not None:
        yield why
        return
    if live and (wrong := fault_of_outcome(match, entry)) is not None:
        yield wrong


def fault_of_outcome(match: Match, entry: Entry) -> Text | None:
    """Return that what happened in an entry is not what its order and dice lead to; it is decided again."""
    if _follows(match, entry):
        return None
    return text("entry {number} is not what its order and dice lead to", number=entry.number)


def not_signed(entry: Entry) -> Text:
    """Return what is told of an order that its player's key did not sign."""
    return text("the server wrote down an order that {player} did not sign", player=entry.player)


def fault_of_links(match: Match, entry: Entry) -> Text | None:
    """Return what is wrong with the links of an order that needed chance; None if they are those of all who were asked."""
    try:
        match.check_links(entry.pending_record(), entry.links)
    except BadInput as error:
        return text("the server used dice that do not fit: {why}", why=str(error))
    return None


def _faults_of_seats(match: Match, then: Witnesses, entry: Entry) -> Iterator[Text]:
    """Yield what is wrong with who sat where when an order began to wait: a host could play on for, or without, somebody who had left."""
    if entry.player not in then.players_of(entry.side):
        who = entry.player or "nobody"
        yield text("the server wrote down an order of {player}, who did not play {side}", player=who, side=entry.side)
    elif then.refusal(entry.player) is not None:
        yield text("the server let {player} go on before all were there who witness the dice", player=entry.player)
    elif not _commands(match, then, entry):
        yield text("the server wrote down an order that the seat of {player} does not command", player=entry.player)


def _follows(match: Match, entry: Entry) -> bool:
    """Say whether what happened in an entry is what its order and links lead to; a server of another version may explain it otherwise."""
    dice: Dice = StopDice()
    if entry.k:
        dice = Stream(links_alone(entry.links), game=match.game, k=entry.k, pending=entry.pending_record().digest())
    try:
        if not entry.order:
            decided = begin(match.setting, dice)
        else:
            decided = decide(match.view, entry.side, match.codec.decode(entry.order), dice)
    except (Refused, BadInput, NeedsDice):
        return False
    return happened(decided.events) == happened(entry.events)

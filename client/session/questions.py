"""What the table asks whoever looks at a server's game: offers to be answered, dice that wait, a pause; the most urgent first."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from client.session.acts import lost_words
from client.session.remote import RemoteMatch
from core.log import Consent, Withdraw
from core.table import Chair, OpenOffer, lost_by
from core.text import Text, text

SECOND_MS = 1000

_DENIED = {
    "draw": text("{player} says no to a draw").template,
    "pause": text("{player} says no to a pause").template,
    "rewind": text("{player} says no to going back").template,
}


class Reply(msgspec.Struct, frozen=True):
    """A way to answer: what it does (`client.remote`), its words; closed while *is_open* is false."""

    what: str
    label: Text
    is_open: bool = True


class Question(msgspec.Struct, frozen=True):
    """One thing that the table asks or tells: a heading, a line of words or none, the replies (none: it is only told).

    *about* is the entry of the offer, or the name of who is waited for; *where* is where an offered rewind leads.
    """

    kind: str
    heading: Text
    words: Text | None = None
    replies: tuple[Reply, ...] = ()
    about: str = ""
    where: Text | None = None


def questions(match: RemoteMatch) -> Iterator[Question]:
    """Yield what is asked now, the most urgent first."""
    if match.match.outcome is not None:
        yield from _again(match)
        return
    yield from _dice(match)
    offer = match.open_offer()
    if offer is not None:
        yield _asked(match, offer)
    mine = match.own_offer()
    if mine is not None:
        heading = {
            "draw": text("You offered a draw"), "pause": text("You asked for a pause"), "rewind": text("You asked to go back"),
        }[mine.what]
        yield Question("waits", heading, _lost(match, mine) or text("The other side has not answered yet"),
                       (Reply("withdraw", text("Take it back")),), str(mine.number), _where(match, mine))
    if match.may_claim():
        yield Question("claim", text("The time of the others is out"), text("The game is yours if you claim it; or play on"),
                       (Reply("claim", text("Claim the game")),))
    elif match.has_run_out():
        yield Question("flag", text("Your time is out"), text("The other side may claim the game; until it does, you can play on"))
    if match.match.table.paused:
        yield _pause(match)
    lacking = match.lacking()
    if lacking and not match.vacant():  # else the prompt says so
        yield _lacking(match, lacking)


def _lacking(match: RemoteMatch, seats: list[Chair]) -> Question:
    """Tell that no order can be given before somebody sits at a side, and how its seat is filled."""
    side = match.manifest.side_titles.get(seats[0].side, seats[0].side)
    if keepers := sorted({chair.kept_for for chair in seats} - {""}):
        words = text("Both sides witness the dice: no order is taken before {player} sits there again", player=", ".join(keepers))
        return Question("lacking", text("Nobody plays the {side} now", side=side), words)
    words = text("Both sides witness the dice: no order is taken before somebody sits there (Ctrl+J has the link for a friend)")
    return Question("lacking", text("Nobody plays the {side} yet", side=side), words)


def _again(match: RemoteMatch) -> Iterator[Question]:
    """Ask whether another game shall be played that somebody of the table has begun since."""
    line = match.another
    if line is None:
        return
    free = dict.fromkeys(chair.side for chair in match.free_in(line))
    titles = match.manifest.side_titles
    sits = [Reply(f"sit {side}", text("Play {side}", side=titles.get(side, side))) for side in free]
    yield Question("again", text("{player} offers another game", player=line.owner), text("It is on the same terms as this one"),
                   (*sits, Reply("not_now", text("Not now"))), line.game)


def became_of(match: RemoteMatch, offer: OpenOffer) -> Text | None:
    """Return why an offer that was made here is open no more, None where that shows by itself: agreed, taken back, the game over."""
    if match.match.outcome is not None:
        return None
    for entry in match.match.log.entries[offer.number + 1 :]:
        match entry.act:
            case Consent(offer=offer.number, yes=False):
                return text(_DENIED[offer.what], player=entry.player)
            case Consent(offer=offer.number) | Withdraw(offer=offer.number):
                return None
            case _:
                pass
    return text("the game went on, and your offer is open no more")


def _dice(match: RemoteMatch) -> Iterator[Question]:
    clocks = match.match.table.clocks.are_kept
    for name in match.late_names():
        heading = text("The dice wait for the program of {player}", player=name)
        choice = match.late_witness()
        if name == match.player:
            yield Question("dice", text("The dice wait for your program"), text("It shows its link as soon as it can"), about=name)
        elif choice is None or choice[0] != name:
            yield Question("dice", heading, text("His clock runs meanwhile") if clocks else text("The game waits"), about=name)
        else:
            left = -(-choice[1] // SECOND_MS)
            soon = text("You may choose in {n} {n:second|seconds}", n=left)
            if clocks:
                soon = text("His clock runs. You may choose in {n} {n:second|seconds}", n=left)
            words = soon if left else _without(match, name)
            replies = [Reply("wait", text("Wait on"), not left), Reply("unwitnessed", text("Go on without"), not left)]
            if match.match.witnesses.may_be_claimed(name):
                replies.append(Reply("claim_dice", text("Claim the game"), not left))
            yield Question("dice", heading, words, tuple(replies), name)


def _without(match: RemoteMatch, name: str) -> Text:
    """Return what it means to go on without somebody's link: whose the dice are then."""
    throwing = match.throwing_without(name)
    others, is_ours = ", ".join(one for one in throwing if one != match.player), match.player in throwing
    if others and is_ours:
        words = "Waiting costs only time; without his link the dice are those of the server, {names} and you, and the log says so"
        return text(words, names=others)
    if others:
        words = "Waiting costs only time; without his link the dice are those of the server and {names}, and the log says so"
        return text(words, names=others)
    if is_ours:
        return text("Waiting costs only time; without his link the dice are the server's and yours alone, and the log says so")
    return text("Waiting costs only time; without his link the dice are the server's alone, and the log says so")


def _asked(match: RemoteMatch, offer: OpenOffer) -> Question:
    heading = {
        "draw": text("{player} offers a draw", player=offer.player),
        "pause": text("{player} asks for a pause", player=offer.player),
        "rewind": text("{player} asks to go back", player=offer.player),
    }[offer.what]
    words = {"draw": text("The game ends at once, and nobody wins"), "pause": text("Clocks stand still until either side goes on")}
    replies = (Reply("yes", text("Agree")), Reply("no", text("Say no")))
    return Question("offer", heading, _lost(match, offer) or words.get(offer.what), replies, str(offer.number), _where(match, offer))


def _lost(match: RemoteMatch, offer: OpenOffer) -> Text | None:
    """Return what an offered rewind takes back, None for other offers."""
    if offer.what != "rewind":
        return None
    lost = lost_by(match.match.log, offer.to)
    if not lost.orders:
        return text("It brings back what was undone; nothing is lost")
    return lost_words(lost, match.manifest.side_titles, _TAKES_BACK)


_TAKES_BACK = (
    text("It takes back {n} {n:order|orders} ({sides}), none with dice").template,
    text("It takes back {n} {n:order|orders} ({sides}), with dice").template,
    text("It takes back {n} {n:order|orders} ({sides}), {rolls} of them with dice").template,
)


def _where(match: RemoteMatch, offer: OpenOffer) -> Text | None:
    """Return where an offered rewind leads; None for other offers, and where that is not on the way to now."""
    there = next((moment for moment in reversed(match.moments()) if moment.number == offer.to), None)
    if offer.what != "rewind" or there is None:
        return None
    return text("To turn {turn}, {phase}", turn=there.turn, phase=str(match.setting.ruleset.phase_name(there.phase)))


def _pause(match: RemoteMatch) -> Question:
    if match.match.table.ruled:
        replies = (Reply("go_on_referee", text("Let the game go on")),) if match.may_rule() else ()
        return Question("pause", text("A referee has paused the game"), text("Clocks stand still; no order is taken"), replies)
    replies = (Reply("go_on", text("Go on")),) if match.leads_any() else ()
    return Question("pause", text("The game is paused"), text("Clocks stand still; no order is taken"), replies)

"""Witnessed dice on the server: chains published, links asked for and shown, choices when one stays away.

An order that needs chance waits in a `Gathering`: its record is durable, and each participant is asked for his link against it, again
whenever he comes back. Nobody's link is shown to anybody before the entry that uses them all. Who lets the others wait is named by an
entry after `LATE_S` (`core.log.Late`: from then on his clock runs); after the time that the table agreed on, whoever plays another side
may choose what shall be. The server never chooses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from core import protocol
from core.errors import BadInput, Refused
from core.gamefile import agreement
from core.log import ChainPublished, Entry, Fallback, Late
from core.signed import signed_chain, signed_fallback
from core.text import text
from core.units import Side
from core.witnesses import CLAIM, LATE_MS, SERVER, WAIT
from server import faultpoints, publishing, steady
from server.gathering import Gathering
from server.rooms import Room
from server.sessions import Session

if TYPE_CHECKING:
    from server.handlers import Table
    from server.service import Service

LATE_S = LATE_MS / 1000
FAIR_MS = 500  # what a link may take over any network before whose it is pays for it: one long on the way, or a program that is busy
ALONE = text("the dice of this game are the server's alone")


# -------------------------------------------------------------------- chains


async def publish_chain(service: Service, session: Session, frame: protocol.PublishChain) -> None:
    """Write down the end of a player's chain; nothing if it stands there already. A set-up that waited for it begins.

    Nor while an order waits: it is sent again when that is decided. Else a host could say of any order that it has waited since before.
    """
    room = service.room(frame.game)
    async with room.lock.of(session.user):
        publishing.publish(service.sessions, room, await _publish(room, session.player, frame))
        ask(service, room)


async def _publish(room: Room, player: str, frame: protocol.PublishChain) -> list[Entry]:
    match = room.match
    witnesses = match.witnesses
    if not witnesses.witnessed:
        raise Refused("", ALONE)
    if player == SERVER:
        raise Refused("", text("who is called {name} can't witness: it is the server's name there", name=SERVER))
    act = ChainPublished(player, frame.end, frame.links)
    entry = match.act(act, player=player, signature=frame.signature)
    if not signed_chain(witnesses, entry, game=match.game, agreed=agreement(room.head)):
        raise BadInput.one("chain", "the one end of a seated player's own chain, signed by his key", frame.end.hex())
    known = witnesses.chains.get(player)
    if room.gathering is not None or (known is not None and (known.end, known.links) == (frame.end, frame.links)):
        return []
    return [await room.append(entry), *await room.begin_if_possible()]


# -------------------------------------------------------------------- links


async def show_link(service: Service, session: Session, frame: protocol.ShowLink) -> None:
    """Take a link in, and finish the order if it was the last one."""
    room = service.room(frame.game)
    if not room.match.witnesses.witnessed:  # how many numbers are spent may be a secret there
        raise Refused("", ALONE)
    async with room.lock.of(session.user):
        gathering = room.gathering
        owed_by = room.match.witnesses.participants if gathering is None else room.match.wanted(gathering.pending)
        if session.player not in owed_by:  # who looks on may be shown the game later: what else he is told would tell him how far it is
            raise Refused("", text("no link of {player} is asked for", player=session.player))
        if gathering is None or frame.k < gathering.pending.k:
            if frame.k <= room.match.log.k:
                return  # sent twice, or after the others chose
            raise BadInput.one("link", f"one for a number that is asked for, at most {room.match.log.k}", frame.k)
        if (frame.k, frame.pending) != (gathering.pending.k, gathering.digest):
            asked = f"one for number {gathering.pending.k} and the record {gathering.digest.hex()[:12]}…"
            raise BadInput.one("link", asked, f"one for {frame.k} and {frame.pending.hex()[:12]}…")
        room.match.check_link(gathering.pending, session.player, frame.link + frame.signature)
        gathering.shown.setdefault(session.player, frame.link + frame.signature)
        await _charge_last(service, room, session.player)
        await settle(service, room)
        await _note_come(service, room, session.player)


async def settle(service: Service, room: Room) -> None:
    """Finish the order that waits, if nothing is missing, and tell the followers and whoever gave it. The room is locked."""
    gathering = room.gathering
    if gathering is None:
        return
    entry = await room.settle()
    if entry is None:
        return
    if gathering.timer is not None:
        gathering.timer.cancel()
    publishing.publish(service.sessions, room, [entry])
    if gathering.order_id:
        player = gathering.pending.player
        number = room.viewers.number(room.viewer(player), entry.number)
        for session in service.sessions.of(player):
            service.sessions.send(session, protocol.Accepted(room.stored.game, gathering.order_id, number))


async def _charge_last(service: Service, room: Room, player: str) -> None:
    """Let who showed the last link pay with his time for what it took beyond what is fair, were it too little to name him late for it.

    Else the clock of whose order it is ran for it: by whoever shows each of his links just in time.
    """
    gathering, match, table = room.gathering, room.match, room.match.table
    if gathering is None or gathering.asked_ms is None or room.missing() or not (table.clocks.are_kept and table.clocks.runs):
        return
    ms, k = room.now_ms() - gathering.asked_ms - FAIR_MS, gathering.pending.k
    his_own = not table.to_act() or table.to_act() in table.sides_of(player)
    if ms > 0 and not his_own and player not in match.witnesses.late_for(k) and match.table_version:
        publishing.publish(service.sessions, room, [await _write_late(room, gathering, player, min(ms, LATE_MS))])


async def _note_come(service: Service, room: Room, player: str) -> None:
    """Write down that a late link has come, where others are waited for still: else its owner's clock would run for them."""
    gathering = room.gathering
    if gathering is not None and player in room.match.witnesses.late_for(gathering.pending.k) and room.match.table_version:
        publishing.publish(service.sessions, room, [await room.act(Late(player, gathering.pending.k, 0, came=True))])


def tell_dropped(service: Service, room: Room) -> None:
    """Tell whoever gave the order that waited for links when the table ended the game that it was dropped; once."""
    dropped, ended = room.dropped, room.match.table.ended
    if dropped is None or dropped.is_told or ended is None:
        return
    dropped.is_told = True
    words = text("the game ended before your order had its dice: {why}", why=str(ended.text))
    for session in service.sessions.of(dropped.pending.player) if dropped.order_id else ():
        service.sessions.send(session, protocol.NotAccepted(room.stored.game, dropped.order_id, "", words))


def ask(service: Service, room: Room, among: Iterable[Session] | None = None) -> None:
    """Ask all followers whose links are missing; of new sessions, *among*, also those whose link came: they know the record again.

    Who may choose about one that is missing is told the record, too, though none of his is asked for.

    Nobody shows one to a server with another key than began to ask. Nor is anybody late while the clock stands still, as none may be back
    yet: what it shows is told anew as it goes on, and who is missing then asked again.
    """
    gathering = room.gathering
    if gathering is None or room.is_anothers:
        return
    missing, frame = room.missing(), room.link_wanted()
    wanted = room.match.wanted(gathering.pending)
    asked = {*(missing if among is None else wanted), *(room.match.witnesses.choosers(missing) - {*wanted})}
    for session in service.sessions.followers(room.stored.game) if among is None else among:
        if session.player in asked:
            service.sessions.send(session, frame)
    faultpoints.reach("links asked for")
    if missing and gathering.timer is None and not steady.is_held():
        gathering.timer = asyncio.get_running_loop().call_later(LATE_S, _is_late, room, gathering)
        gathering.asked_ms = room.now_ms()


def _is_late(room: Room, gathering: Gathering) -> None:
    gathering.is_late = True
    room.stirred()


async def name_late(room: Room) -> list[Entry]:
    """Name those who let a waiting order wait, once each; return the new entries. The room is locked."""
    is_late = room.gathering is not None and room.gathering.is_late
    return await _name(room, room.missing()) if is_late else []


def _to_name(room: Room, side: Side) -> list[str]:
    """Return who is missing of other sides than the one whose time runs out, and not named yet."""
    gathering = room.gathering
    if gathering is None or gathering.asked_ms is None:
        return []
    named, sides_of = room.match.witnesses.late_for(gathering.pending.k), room.match.witnesses.sides_of
    return [player for player in room.missing() if side not in sides_of(player) and player not in named]


def holds_flag(room: Room, side: Side) -> bool:
    """Say whether a side's order waits for its own players' links, none of them late yet: it came in time, and its flag falls by none."""
    gathering = room.gathering
    return gathering is not None and gathering.pending.side == side and not gathering.is_late and not _to_name(room, side)


async def name_for_flag(room: Room, side: Side) -> list[Entry]:
    """Name those for whom an order waits as the time of a side runs out that waits for them, once each; return the new entries.

    Its order came in time: else it would lose the game by a link that is shown a moment later, before its owner is late. Room locked.
    """
    return await _name(room, _to_name(room, side))


async def _name(room: Room, players: Iterable[str]) -> list[Entry]:
    """Name players late, by what has passed since they were asked: less than the usual where the clock stood still, or a flag falls."""
    gathering = room.gathering
    if gathering is None:
        return []
    waited_ms = 0 if gathering.asked_ms is None else min(room.now_ms() - gathering.asked_ms, round(LATE_S * 1000), LATE_MS)
    named = room.match.witnesses.late_for(gathering.pending.k)
    return [await _write_late(room, gathering, player, waited_ms) for player in players if player not in named]


async def _write_late(room: Room, gathering: Gathering, player: str, ms: int) -> Entry:
    """Write down that somebody let an order wait for so long, and which."""
    waits = gathering.pending if room.match.witnesses.names_records else None
    return await room.act(Late(player, gathering.pending.k, ms, waits=waits))


# -------------------------------------------------------------------- when a link stays away


async def choose(service: Service, session: Session, frame: protocol.ChooseFallback) -> None:
    """Write down what a player chose, as another's link stays away."""
    room = service.room(frame.game)
    async with room.lock.of(session.user):
        _check_choice(room, session.player, frame)
        act = Fallback(frame.participant, frame.k, frame.choice, frame.pending)
        entry = room.match.act(act, side=frame.side, player=session.player, signature=frame.signature)
        if not signed_fallback(room.match.witnesses, entry, game=room.match.game):
            raise BadInput.one("choice", "one signed by the key of whoever chooses", frame.choice)
        publishing.publish(service.sessions, room, [await room.append(entry)])
        await settle(service, room)


def _check_choice(room: Room, player: str, frame: protocol.ChooseFallback) -> None:
    """Refuse a choice of somebody who may not choose, about nobody who is missing, or too early."""
    gathering, witnesses = room.gathering, room.match.witnesses
    if gathering is None or (gathering.pending.k, gathering.digest) != (frame.k, frame.pending):
        raise Refused("", text("no order waits for links of number {k}", k=frame.k))
    if frame.participant not in room.missing():
        raise Refused("", text("the link of {player} is not missing", player=frame.participant))
    if not (room.match.table.leads(frame.side, player) or frame.side in witnesses.sides_witnessed_by(player)):
        raise Refused("", text("{player} does not speak for {side}", player=player, side=frame.side or "any side"))
    if frame.side not in witnesses.choosing(player, frame.participant):
        raise Refused("", text("only another side may choose what shall be without {player}", player=frame.participant))
    if frame.choice == CLAIM and not room.match.table.claims(frame.side, player):
        raise Refused("", text("{player} does not lead {side}, and can't claim the game for it", player=player, side=frame.side))
    if frame.choice == CLAIM and not witnesses.may_be_claimed(frame.participant):
        words = "{player} has not the first seat of his side, and nobody claims the game for his link; go on without it"
        raise Refused("", text(words, player=frame.participant))
    if room.match.table.paused and frame.choice != WAIT:
        raise Refused("", text("the game is paused"))
    wait_ms, left = room.match.terms.dice.wait_ms, _patience_left(room, gathering, frame.participant)
    if left is None or (left > 0 and frame.choice != WAIT):
        seconds = wait_ms // 1000 if left is None else -(-left // 1000)
        raise Refused("", text("{player} has {seconds} s left to witness", player=frame.participant, seconds=seconds))


def _patience_left(room: Room, gathering: Gathering, participant: str) -> int | None:
    """Return how many milliseconds a participant has left before others may go on without him; None if he is not named late.

    They begin anew where the server was away: nobody could show anything meanwhile, and whoever was back first could claim the game.
    """
    now, wait_ms = room.now_ms(), room.match.terms.dice.wait_ms
    left = room.match.witnesses.patience_left(participant, gathering.pending.k, now_ms=now, wait_ms=wait_ms)
    asked_ms = now if gathering.asked_ms is None else gathering.asked_ms
    return None if left is None else max(left, asked_ms + wait_ms - now)


HANDLERS: Table = {
    protocol.PublishChain: publish_chain,
    protocol.ShowLink: show_link,
    protocol.ChooseFallback: choose,
}

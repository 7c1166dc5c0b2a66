"""`rasputitsa join`: take part in a server's games."""

from __future__ import annotations

import errno
import functools
import getpass
import queue
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import click
import msgspec
from rich.cells import cell_len
from rich.table import Column, Table
from rich.text import Text

from client.connection.bot_player import BotPlayer
from client.connection.games import Games
from client.connection.identity import KEY_FILE, SERVERS_FILE, KnownServers, identity_in, user_folder
from client.connection.line import Down, Up
from client.connection.listed import empty_side, how_it_ended
from client.connection.notes import Answered, Note, Trouble
from core import bots, protocol
from core.address import DEFAULT_PORT, Place, parse
from core.errors import BadInput, Refused
from core.identity import Identity, PublicKey, fingerprint
from core.pack import Pack
from core.terms import DiceTerms, Terms
from core.text import printable
from core.units import Side
from rasputitsa.given import given
from rasputitsa.kinds import TEXT, NamedPath
from rasputitsa.packs import base_files, installed
from rasputitsa.play import say_phase
from rasputitsa.screen import show

ANSWER_S = 10.0
DICE: tuple[Literal["server", "witnessed"], ...] = ("server", "witnessed")


@click.command(
    epilog="\b\nExample:\n  rasputitsa join tcp://192.168.1.20:5757\n"
    "  rasputitsa join rasputitsa://192.168.1.20:5757/KEY?invite=CODE --name Anna\n"
    "  rasputitsa join tcp://192.168.1.20:5757 --game evening --side soviet --bot steady"
)
@click.argument("address", type=TEXT)
@click.option(
    "--name", type=TEXT, default="", help="Your name there, which is yours from then on. Default: the one you have, else your login's.",
)
@click.option("--invite", type=TEXT, default="", help="The invite code, where a newcomer needs one and the join link has none.")
@click.option("--key", type=NamedPath(dir_okay=False, path_type=Path), help="A key file instead of yours, made if not there: for a bot.")
@click.option("--forget", is_flag=True, help="Forget the server's key first: its host said that it has another one now.")
@click.option("--game", type=TEXT, default="", help="The game to join; without it, the server's games are listed.")
@click.option("--side", type=TEXT, default="", help="The side to play.")
@click.option("--bot", type=click.Choice(bots.NAMES), default="steady", show_default=True, help="Who plays it.")
@click.option("--new", "scenario", type=TEXT, default="", help="Begin the game first, as GAME-RULES/SCENARIO.")
@click.option(
    "--dice", type=click.Choice(DICE), default="server", show_default=True,
    help="For --new: dice of the server alone, or witnessed by the programs of all who play, which must then be there when dice fall.",
)
def join(
    address: str, name: str, invite: str, key: Path | None, forget: bool, game: str, side: str, bot: str, scenario: str,
    dice: Literal["server", "witnessed"],
) -> None:
    """Join the server at ADDRESS, or by its join link: list its games, or let a bot play a side of one.

    The line is encrypted. The server's key is in the link; for a mere address it is asked for, shown, and remembered: another one
    there is refused. To play yourself, join from the start page of the window.
    """
    place = parse("ADDRESS", address)
    if invite:
        place = msgspec.structs.replace(place, invite=_code(invite))
    if game and not side:
        raise BadInput.one("--side", "a side of the game", "none")
    if scenario and not game:
        raise BadInput.one("--game", "a name for the new game", "none")
    _check_belong(game, scenario)
    ruleset, _, wanted = scenario.partition("/")
    if given("scenario") and not (ruleset and wanted):
        raise BadInput.one("--new", "GAME-RULES/SCENARIO", scenario or "nothing")
    create = protocol.CreateGame(game, ruleset, wanted, terms=Terms(dice=DiceTerms(dice))) if scenario else None
    _check(protocol.Hello(protocol.VERSION, name), "--name", "1 to 40 letters that can be seen, no blank at the ends", name)
    if game:
        _check(protocol.Follow(game), "--game", "1 to 64 letters, digits, dots, dashes", game)
        _check(protocol.TakeSeat(game, side), "--side", "a side of the game", side)
        _check(create or protocol.ListGames(), "--new", "GAME-RULES/SCENARIO", scenario)
    if create is not None:
        _check_side(ruleset, side)
    known = KnownServers(user_folder() / SERVERS_FILE)
    if forget and not known.forget(place.place):
        raise BadInput.one("--forget", "a server that was met: " + (", ".join(known.all()) or "there is none"), place.place)
    line = Joining(place, name, identity_in(key or user_folder() / KEY_FILE), known)
    if not game:
        _list(line)
        return
    player = BotPlayer(
        bots.load(bot), seed=secrets.token_hex(8), game=game, side=side, create=create, watch=say_phase,
        line_changed=functools.partial(_say_line, link=place.key),
    )
    _play(line, player)


class Joining(msgspec.Struct, frozen=True):
    """Which server is joined, and as whom."""

    place: Place
    name: str
    identity: Identity
    known: KnownServers


def _code(written: str) -> str:
    """Return an invite code without the blanks that came with it; BadInput if it is none."""
    bare = "".join(written.split())
    try:
        return parse("--invite", Place("HOST", DEFAULT_PORT, invite=bare).link).invite
    except BadInput as error:
        raise BadInput.one("--invite", "an invite code: at most 64 letters, digits, dashes", written) from error


def _check_belong(game: str, scenario: str) -> None:
    """Raise BadInput for an option that says more about what was not asked for: who forgot --game wanted no list."""
    for name, needed, there in (("side", "--game", game), ("bot", "--game", game), ("dice", "--new", scenario)):
        if given(name) and not there:
            raise BadInput.one(f"--{name}", f"{needed} with it", "none")


def _check_side(ruleset: str, side: str) -> None:
    """Raise BadInput for a side that a new game would not have, before it is begun; of rules that are not here the server will say it."""
    if ruleset in installed():
        sides = Pack(base_files(ruleset)).manifest.sides
        if side not in sides:
            raise BadInput.one("--side", " or ".join(sides), side)


def _login() -> str:
    """Return the name of the login, for whoever has no name there yet and gives none."""
    try:
        return getpass.getuser()[:40]
    except (OSError, KeyError):
        return "guest"


def _check(frame: protocol.Frame, option: str, expected: str, got: str) -> None:
    """Check what an option gives before any server is asked."""
    try:
        protocol.decode_from_client(protocol.encode(frame))
    except BadInput as error:
        raise BadInput.one(option, expected, got) from error


def _say_line(note: Up | Down, *, link: PublicKey = "") -> None:
    """Tell how the line is; *link* is the key that a join link told, which nobody needs to ask the host for."""
    if isinstance(note, Down):
        what = f"no line: {note.reason}; it is tried again"
    else:
        what = f"connected as {note.name}"
        if note.is_new and note.server != link:
            what += f"; the server is new to you, its fingerprint {fingerprint(note.server)}: ask its host whether that is his"
    click.echo(printable(what), err=True)


def _list(line: Joining) -> None:
    notes: queue.SimpleQueue[Note] = queue.SimpleQueue()
    games = Games(notes.put)
    games.connect(line.place.link, line.name, identity=line.identity, known=line.known, suggested=_login())
    address = line.place.tcp
    try:
        while True:
            note = _next(notes, address)
            if isinstance(note, Up):
                _say_line(note, link=line.place.key)
                games.send(protocol.ListGames())
            elif isinstance(note, protocol.Games):
                _show(note)
                return
            elif isinstance(note, Answered) and note.refused is not None:
                raise Refused(note.rule, note.refused)
            elif isinstance(note, Trouble) and note.is_remark:
                click.echo(printable(note.text), err=True)
            elif isinstance(note, Trouble):
                raise BadInput.one(address, "a list of games", note.text)
    finally:
        games.close()


def _next(notes: queue.SimpleQueue[Note], address: str) -> Note:
    try:
        note = notes.get(timeout=ANSWER_S)
    except queue.Empty:
        raise OSError(errno.ETIMEDOUT, f"no answer for {ANSWER_S:.0f} s", address) from None
    if isinstance(note, Down):
        raise OSError(errno.ECONNREFUSED, note.reason)  # which names the address
    return note


def _show(found: protocol.Games) -> None:
    longest = max((cell_len(printable(line.game)) for line in found.games), default=0)
    name = Column("game", min_width=longest, no_wrap=True)  # `--game` takes it only whole
    table = Table(name, *(Column(title, overflow="fold") for title in ("scenario", "seats", "turn", "phase", "waits for")))
    for line in found.games:
        row = (line.game, f"{line.ruleset}/{line.scenario}", _names_of(line.seats), str(line.turn), line.phase, _waits_for(line))
        table.add_row(*(Text(printable(word)) for word in row))
    show(table)


def _names_of(seats: Mapping[Side, str]) -> str:
    """Return seats as one line: ``axis: Anna, soviet: free``."""
    return ", ".join(f"{side}: {player or 'free'}" for side, player in seats.items())


def _waits_for(line: protocol.GameLine) -> str:
    """Return what a game waits for, as the window tells it."""
    if line.over:
        ended = how_it_ended(line, {})  # by the names that --side takes, as in the other columns
        return f"over{f', {ended.winner} wins' if ended.winner else ''}{' by claim' if ended.claimed else ''}: {ended.result}"
    if line.paused:
        return "paused"
    if line.dice:
        return f"the dice links of {', '.join(line.dice)}"
    empty = empty_side(line)
    return f"somebody who plays {empty}" if empty else line.waits_for


def _play(line: Joining, player: BotPlayer) -> None:
    try:
        player.start(line.place.link, line.name, identity=line.identity, known=line.known, suggested=_login())
        while not player.wait(0.5):
            continue
        match = player.games.match(player.game)
        assert match is not None, "the game is over and not open"
        assert match.outcome is not None, "the game is over without an outcome"
        click.echo(printable(f"result: {match.outcome.result}"))
    finally:
        player.close()

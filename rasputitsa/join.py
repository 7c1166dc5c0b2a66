"""`rasputitsa join`: take part in a server's games."""

from __future__ import annotations

import errno
import queue
import secrets

import click
from rich.table import Table
from rich.text import Text

from client.connection.bot_player import BotPlayer
from client.connection.games import Answered, Games, Note, Trouble, names_of
from client.connection.line import Down, Up
from core import bots, protocol
from core.errors import BadInput, Refused
from core.text import printable
from rasputitsa.play import say_phase
from rasputitsa.screen import Screen
from rasputitsa.tokens import token_of

ANSWER_S = 10.0


@click.command(
    epilog="\b\nExample:\n  rasputitsa join tcp://192.168.1.20:5757\n"
    "  rasputitsa join tcp://192.168.1.20:5757 --game evening --side soviet --bot steady"
)
@click.argument("address")
@click.option("--name", default="", help="Your name there, which is yours from then on. Default: one made up for this call.")
@click.option("--game", default="", help="The game to join; without it, the server's games are listed.")
@click.option("--side", default="", help="The side to play.")
@click.option("--bot", type=click.Choice(bots.NAMES), default="steady", show_default=True, help="Who plays it.")
@click.option("--new", "scenario", default="", help="Begin the game first, as GAME-RULES/SCENARIO.")
def join(address: str, name: str, game: str, side: str, bot: str, scenario: str) -> None:
    """Join the server at ADDRESS, such as tcp://192.168.1.20:5757: list its games, or let a bot play a side of one.

    To play yourself, join from the start page of the window.
    """
    protocol.check_address("ADDRESS", address)
    if game and not side:
        raise BadInput.one("--side", "a side of the game", "none")
    if scenario and not game:
        raise BadInput.one("--game", "a name for the new game", "none")
    ruleset, _, wanted = scenario.partition("/")
    create = protocol.CreateGame(game, ruleset, wanted) if scenario else None
    called = name or f"guest-{secrets.token_hex(3)}"
    _check(protocol.Hello(protocol.VERSION, called), "--name", "1 to 40 letters that can be seen, no blank at the ends", called)
    if not game:
        _list(address, called, token_of(address, name) if name else b"")
        return
    _check(protocol.Follow(game), "--game", "1 to 64 letters, digits, dots, dashes", game)
    _check(protocol.TakeSeat(game, side), "--side", "a side of the game", side)
    _check(create or protocol.ListGames(), "--new", "GAME-RULES/SCENARIO", scenario)
    player = BotPlayer(
        bots.load(bot), seed=secrets.token_hex(8), game=game, side=side, create=create, watch=say_phase, line_changed=_say_line
    )
    _play(address, called, player, token_of(address, name) if name else b"")


def _check(frame: protocol.Frame, option: str, expected: str, got: str) -> None:
    """Check what an option gives before any server is asked."""
    try:
        protocol.decode_from_client(protocol.encode(frame))
    except BadInput as error:
        raise BadInput.one(option, expected, got) from error


def _say_line(note: Up | Down) -> None:
    what = f"connected as {note.name}" if isinstance(note, Up) else f"no line: {note.reason}; it is tried again"
    click.echo(printable(what), err=True)


def _list(address: str, name: str, token: bytes) -> None:
    notes: queue.SimpleQueue[Note] = queue.SimpleQueue()
    games = Games(notes.put)
    games.connect(address, name, token=token)
    try:
        while True:
            note = _next(notes, address)
            if isinstance(note, Up):
                games.send(protocol.ListGames())
            elif isinstance(note, protocol.Games):
                _show(note)
                return
            elif isinstance(note, Answered) and note.refused is not None:
                raise Refused(note.rule, note.refused)
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
        raise OSError(errno.ECONNREFUSED, note.reason, address)
    return note


def _show(found: protocol.Games) -> None:
    table = Table("game", "scenario", "seats", "turn", "phase", "waits for")
    for line in found.games:
        waits = "over" if line.over else line.waits_for
        row = (line.game, f"{line.ruleset}/{line.scenario}", names_of(line.seats), str(line.turn), line.phase, waits)
        table.add_row(*(Text(printable(word)) for word in row))
    Screen().print(table)


def _play(address: str, name: str, player: BotPlayer, token: bytes) -> None:
    try:
        player.start(address, name, token=token)
        while not player.wait(0.5):
            continue
        match = player.games.match(player.game)
        assert match is not None, "the game is over and not open"
        assert match.view.position.outcome is not None, "the game is over without an outcome"
        click.echo(f"result: {match.view.position.outcome.result}")
    finally:
        player.close()

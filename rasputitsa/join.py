"""`rasputitsa join`: take part in a server's games."""

from __future__ import annotations

import queue
import secrets

import click
from rich.console import Console
from rich.table import Table

from client.connection.bot_player import BotPlayer
from client.connection.games import Games, Note, Trouble, names_of
from client.connection.line import Down, Up
from core import bots, protocol
from core.errors import BadInput
from rasputitsa.play import say_phase

ANSWER_S = 10.0


@click.command(
    epilog="\b\nExample:\n  rasputitsa join tcp://192.168.1.20:5757\n"
    "  rasputitsa join tcp://192.168.1.20:5757 --game evening --side soviet --bot steady"
)
@click.argument("address")
@click.option("--name", default="", help="Your name there. Default: one made up for this call.")
@click.option("--game", default="", help="The game to join; without it, the server's games are listed.")
@click.option("--side", default="", help="The side to play.")
@click.option("--bot", default="steady", show_default=True, help="Who plays it: " + ", ".join(bots.NAMES) + ".")
@click.option("--new", "scenario", default="", help="Begin the game first, as GAME-RULES/SCENARIO.")
def join(address: str, name: str, game: str, side: str, bot: str, scenario: str) -> None:
    """Join the server at ADDRESS, such as tcp://192.168.1.20:5757: list its games, or let a bot play a side of one."""
    if "://" not in address:
        raise BadInput.one("ADDRESS", "tcp://HOST:PORT", address)
    called = name or f"guest-{secrets.token_hex(3)}"
    if not game:
        _list(address, called)
        return
    if not side:
        raise BadInput.one("--side", "a side of the game", "none")
    create = None
    if scenario:
        ruleset, _, wanted = scenario.partition("/")
        create = protocol.CreateGame(game, ruleset, wanted)
    _play(address, called, BotPlayer(bots.load(bot), seed=secrets.token_hex(8), game=game, side=side, create=create, watch=say_phase))



def _list(address: str, name: str) -> None:
    notes: queue.SimpleQueue[Note] = queue.SimpleQueue()
    games = Games(notes.put)
    games.connect(address, name)
    try:
        while True:
            note = _next(notes, address)
            if isinstance(note, Up):
                games.send(protocol.ListGames())
            elif isinstance(note, protocol.Games):
                _show(note)
                return
            elif isinstance(note, Trouble):
                raise BadInput.one(address, "a list of games", note.text)
    finally:
        games.close()


def _next(notes: queue.SimpleQueue[Note], address: str) -> Note:
    try:
        note = notes.get(timeout=ANSWER_S)
    except queue.Empty:
        raise BadInput.one("ADDRESS", "a server that answers", f"no answer from {address} for {ANSWER_S:.0f} s") from None
    if isinstance(note, Down):
        raise BadInput.one("ADDRESS", "a server that answers", note.reason)
    return note


def _show(found: protocol.Games) -> None:
    table = Table("game", "scenario", "seats", "turn", "phase", "waits for")
    for line in found.games:
        waits = "over" if line.over else line.waits_for
        table.add_row(line.game, f"{line.ruleset}/{line.scenario}", names_of(line.seats), str(line.turn), line.phase, waits)
    Console().print(table)


def _play(address: str, name: str, player: BotPlayer) -> None:
    try:
        player.start(address, name)
        while not player.wait(0.5):
            continue
        match = player.games.match(player.game)
        assert match is not None, "the game is over and not open"
        assert match.view.position.outcome is not None, "the game is over without an outcome"
        click.echo(f"result: {match.view.position.outcome.result}")
    finally:
        player.close()

"""`rasputitsa play`: the window, or two bots over a server of their own."""

from __future__ import annotations

import random
import secrets
import tempfile
import time
from pathlib import Path

import click

from client.connection.bot_player import BotPlayer
from client.connection.games import Games
from client.connection.identity import user_folder
from client.writing import write_whole
from core import bots, protocol
from core.events import Event, PhaseBegan
from core.identity import SEED_BYTES, Identity
from core.pack import Pack, setting
from core.rulesets import load
from core.views import View
from rasputitsa import display
from rasputitsa.given import given
from rasputitsa.kinds import NamedPath
from rasputitsa.local_server import local_server
from rasputitsa.packs import load_pack
from rasputitsa.window import open_window

RULESET, SCENARIO = "war_for_the_motherland", "turning_point"
SUFFIX = ".rasputitsa"
HEADLESS_ALONE = {"first": "--axis", "second": "--soviet", "seed": "--seed", "out": "--out"}


@click.command(epilog="\b\nExample:\n  rasputitsa play\n  rasputitsa play --headless --axis steady --soviet random --out ./games")
@click.option("--headless", is_flag=True, help="No window: two bots play over a server on this machine. The default without a display.")
@click.option("--game", default=RULESET, show_default=True, help="The game; `rasputitsa scenarios` lists them.")
@click.option("--scenario", default=SCENARIO, show_default=True, help="The scenario.")
@click.option("--axis", "first", type=click.Choice(bots.NAMES), default="steady", show_default=True, help="Bot of the first side.")
@click.option("--soviet", "second", type=click.Choice(bots.NAMES), default="steady", show_default=True, help="Bot of the second side.")
@click.option("--seed", type=int, help="Seed of the bots' choices; the dice are the server's, and nobody's to choose.")
@click.option("--out", type=NamedPath(file_okay=False, path_type=Path), help="Folder for game file and map. Default: in the user's data.")
def play(
    headless: bool, game: str, scenario: str, first: str, second: str, seed: int | None, out: Path | None
) -> int | None:
    """Play.

    With a display: the window, on a start page from which a game against a bot is one click, with the scenario that is named. Without
    one: two bots play a scenario through a server process, with a line a phase; it leaves a game file and a picture of the final map,
    and says where.
    """
    if not headless and display.answers():
        return open_window(chosen=_for_window(game, scenario))
    if not headless and display.named():
        click.echo(f"{display.named()} does not answer: playing without a window", err=True)
    folder = out or user_folder() / "games"
    _check_takes_files(folder)
    display.need_none()
    _play_headless(game, scenario, (first, second), random.randrange(1 << 32) if seed is None else seed, folder)
    return None


def _check_takes_files(folder: Path) -> None:
    """Raise OSError where the game could not be kept, before an hour of it was played."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from error


def _for_window(game: str, scenario: str) -> tuple[str, str] | None:
    """Return what the start page begins with, None if the command names nothing; say which options a window has no use for."""
    if idle := [HEADLESS_ALONE[name] for name in given(*HEADLESS_ALONE)]:
        click.echo(f"{', '.join(idle)}: only with --headless; the window asks who plays", err=True)
    if not given("game", "scenario"):
        return None
    setting(load(game), load_pack(game), scenario)  # a fault is told before the window opens
    return game, scenario


def _play_headless(ruleset: str, scenario: str, names: tuple[str, str], seed: int, folder: Path) -> None:
    pack = load_pack(ruleset)
    chosen = [bots.load(name) for name in names]
    setting(load(ruleset), pack, scenario)  # all faults are told before any process starts
    game = f"{scenario}-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
    sides = pack.manifest.sides
    titles = " against ".join(f"{name} ({pack.manifest.side_titles[side]})" for side, name in zip(sides, names, strict=True))
    click.echo(f"{pack.manifest.title}, {pack.scenarios[scenario].title}: {titles}")
    with tempfile.TemporaryDirectory(prefix="rasputitsa-") as data, local_server(Path(data)) as address:
        opening = {"create": protocol.CreateGame(game, ruleset, scenario), "watch": say_phase}
        players = [
            BotPlayer(bot, seed=f"{seed} {side}", game=game, side=side, **(opening if side == sides[0] else {}))  # type: ignore[arg-type]
            for bot, side in zip(chosen, sides, strict=True)
        ]
        try:
            for player, name in zip(players, names, strict=True):
                player.start(address, f"{name} for {player.side}", identity=Identity(secrets.token_bytes(SEED_BYTES)))
            for player in players:
                while not player.wait(0.2):
                    _check(players)
            _finish(players[0].games, game, pack, folder)
        finally:
            for player in players:
                player.close()


def _check(players: list[BotPlayer]) -> None:
    """Raise what stopped any of the players, also one that nobody waits for."""
    for player in players:
        player.wait(0)


def say_phase(event: Event, view: View) -> None:
    """Print a line when a phase begins: turn, phase, who, points."""
    if not isinstance(event, PhaseBegan):
        return
    points = ", ".join(f"{side} {value}" for side, value in view.ruleset.score(view).items())
    who = f" ({event.side})" if event.side else ""
    click.echo(f"turn {event.turn:2}  {view.ruleset.phase_name(event.phase)}{who}  VP: {points}")


def _finish(games: Games, game: str, pack: Pack, folder: Path) -> None:
    """Write game file and picture, and say how it ended."""
    match = games.match(game)
    assert match is not None
    outcome = match.view.position.outcome
    assert outcome is not None
    titles = pack.manifest.side_titles
    winner = titles.get(outcome.winner, "nobody")
    click.echo(f"result: {outcome.result} (winner: {winner})")
    click.echo("victory points: " + ", ".join(f"{titles.get(side, side)} {points}" for side, points in outcome.score.items()))
    file = folder / f"{game}{SUFFIX}"
    write_whole(file, games.file(game))
    click.echo(f"game file: {file}")
    picture = folder / f"{game}.png"
    if _draw(match.view, pack, picture):
        click.echo(f"final map: {picture}")


def _draw(view: View, pack: Pack, picture: Path) -> bool:
    """Draw the final map; False, with the reason said, where Qt can't run."""
    try:
        from client.render import render_position
    except ImportError as error:
        click.echo(f"no picture: Qt can't run here ({error})", err=True)
        return False
    sections = view.setting.scenario.sections
    render_position(view, pack.lettering(sections), picture, manifest=pack.manifest)
    return True

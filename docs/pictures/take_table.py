"""Take the guide's pictures of a server's table: `python docs/pictures/take_table.py [FOLDER]`; two windows play over a server process."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import take

from client.lobby import Lobby
from client.qt import QSettings
from client.remote import RemotePage
from core import protocol
from core.terms import ClockTerms, Terms
from rasputitsa.local_server import local_server

GAMES = {"thursday": Terms(clock=ClockTerms("fischer", 5_400_000, 30_000)), "by-mail": Terms()}


def main() -> None:
    """Take them."""
    if not os.environ.get("DISPLAY"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    album = Path(sys.argv[1]) if len(sys.argv) > 1 else take.HERE
    with tempfile.TemporaryDirectory() as folder, local_server(Path(folder) / "server") as address:
        QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, folder)
        anna, boris = (_join(take.Photographer(Path(folder) / name, album=album), name, address) for name in ("Anna", "Boris"))
        sides = anna.files.manifest.sides
        _begin(anna.window.lobby)
        anna.wait(lambda: len(anna.window.lobby.hall._lines or ()) == len(GAMES))
        boris.window.lobby.take("thursday", sides[1])
        boris.wait(lambda: boris.window.game is not None and sides[1] in _table(boris).match.my_sides())
        anna.window.lobby._ask()
        anna.wait(lambda: any("Boris" in line.seats.values() for line in anna.window.lobby.hall._lines or ()))
        anna.window.lobby.hall.show_tab("games")  # where no game was yet, one is begun first
        anna.take("lobby")
        anna.window.lobby.take("thursday", sides[0])
        anna.wait(lambda: anna.window.game is not None and sides[0] in _table(anna).match.my_sides())
        anna.window.open_table("players")
        _table(boris).match.offer("pause")
        anna.wait(_table(anna).question.isVisible)
        anna.take("table")
        for hand in (anna, boris):
            hand.window.close()


def _join(hand: take.Photographer, name: str, address: str) -> take.Photographer:
    lobby = hand.window.lobby
    hand.window.join()
    lobby.address.setText(address)
    lobby.name.setText(name)
    lobby.connect_()
    hand.wait(lambda: lobby._is_up)
    return hand


def _begin(lobby: Lobby) -> None:
    assert lobby.link is not None, "the lobby is connected"
    for game, terms in GAMES.items():
        lobby.link.games.send(protocol.CreateGame(game, take.GAME, take.SCENARIO, terms=terms))


def _table(hand: take.Photographer) -> RemotePage:
    assert isinstance(hand.window.game, RemotePage), "the game is a server's"
    return hand.window.game


if __name__ == "__main__":
    main()

"""Take the README's picture from the real window: `python docs/pictures/take_window.py [FOLDER]`, on a display of 1920x1080.

Bots play with fixed dice up to the first combat phase; then an attack is put together by clicks, and not given.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import take

from client.qt import QSettings
from client.session import saved
from client.session.local import PERSON
from client.session.saved import SavedMatch
from core import pack, rulesets
from core.board import Hex
from core.bots import load as bot
from core.match import ServerDice, new_server_match
from core.options import options
from core.orders import OptionPick
from core.setting import Setting

SEED, TURN = bytes([7]) * 32, 22
ATTACK = OptionPick("attack")


def main() -> None:
    """Take it."""
    take.SIZE = (1920, 1080)
    with tempfile.TemporaryDirectory() as folder:
        # The settings of whoever runs this, his theme among them, stay out of the picture.
        QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, folder)
        hand = take.Photographer(Path(folder), album=Path(sys.argv[1]) if len(sys.argv) > 1 else take.HERE)
        setting = pack.setting(rulesets.load(take.GAME), hand.files, take.SCENARIO)
        first, second = setting.sides
        seats = {first: "steady", second: PERSON}
        hand.window.show_match(SavedMatch(_combat(setting), hand.files, seats, seed=SEED))
        hand.wait(lambda: hand.page.match.may_act)
        _put_together(hand)
        hand.take("window")
        hand.window.close()


def _combat(setting: Setting) -> ServerDice:
    """Return a game that bots have played until the second side may attack."""
    keeper = new_server_match(setting, game="picture", seed=SEED, clock=lambda: 0, links=saved.LINKS)
    rng, steady = random.Random(5), bot("steady")
    while True:
        view = keeper.match.view
        side = view.side_to_act()
        doors = {door.pick for door in options(view, ()).doors if door.is_open}
        if view.position.turn == TURN and side == setting.sides[1] and ATTACK in doors:
            return keeper
        keeper.order(side, steady(view, rng))


def _put_together(hand: take.Photographer) -> None:
    """Attack a hex that can be with all that stands beside it."""
    page = hand.page
    board = page.match.setting.board
    beside = {
        target: [here for here in page.match.view.position.occupied() if board.distance(here, target) == 1 and not _is_enemy(hand, here)]
        for target in page.composer.able()[ATTACK]
        if _is_enemy(hand, target)
    }
    target = max(beside, key=lambda target: (len(beside[target]), target))
    hand.click(board.label(target))
    for stack in beside[target]:
        hand.click(board.label(stack))
    while not page.composer.is_complete:
        page.choose(page.prompt.keyed[0])
    page.open_side("battle")
    page.map.centre_within_map(target)
    page.map.hex_hovered.emit(None)


def _is_enemy(hand: take.Photographer, here: Hex) -> bool:
    view = hand.page.match.view
    return any(view.side(unit) == view.setting.sides[0] for unit in view.position.at(here))


if __name__ == "__main__":
    main()

"""The guide of a lesson: shows one step after the other and sees when what a step asks for has been done."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget

from client.game import GamePage
from client.learning.card import LessonCard
from client.learning.spots import RingsLayer, Spot
from client.qt import QEvent, QObject, QPoint, QRect, QTimer, Signal
from client.session import saved
from client.session.local import PERSON
from client.session.saved import SavedMatch
from core import pack, rulesets
from core.board import Hex
from core.lessons import Lesson, LessonStep, Until
from core.match import new_server_match
from core.orders import HexPick, OptionPick
from core.pack import Pack

GAME = "lesson"
LINKS = 1000  # dice of a lesson at most
RINGED, ASKED = 50, 25  # what hiding a hex weighs, beside those of `Table.worth_seeing`
UNDER_PROMPT, UNDER_DICE, UNDER_MINIMAP = 30, 20, 10  # and lying over other cards
SPARED = 30  # pixels around the card that it keeps off them too


def begin(files: Pack, lesson: Lesson, folder: Path) -> SavedMatch:
    """Begin the game of a lesson; its dice fall the same each time, as long as the same is done.

    Args:
        folder: where it will be kept, beside those that were begun before: each of them may have been played on.

    Raises:
        BadInput: the scenario can't be played, with all faults.
    """
    setting = pack.setting(rulesets.load(files.manifest.ruleset), files, lesson.scenario)
    seed = lesson.seed.to_bytes(32, "big")
    keeper = new_server_match(setting, game=GAME, seed=seed, clock=lambda: 0, links=LINKS)
    seats = {side: PERSON if side == lesson.side else lesson.opponent for side in setting.sides}
    return SavedMatch(keeper, files, seats, seed=seed, name=saved.free_name(folder, GAME))


class Guide(QObject):
    """Leads through a lesson on a page.

    Args:
        lesson: what is taught.
        page: the game of `begin` on its page.

    Attributes:
        number: the index of the step that is shown.

    Signals:
        left(): the lesson is over, or was left.
    """

    left = Signal()

    def __init__(self, lesson: Lesson, page: GamePage) -> None:
        super().__init__(page)
        self.lesson, self.page = lesson, page
        self.number = 0
        self._furthest = 0
        self._since = 0  # moments that there were when the step began
        self._turn = page.match.view.position.turn
        self.card = LessonCard(page.map)
        self.spot = Spot(page, page.palette_)
        self.rings = RingsLayer(page.scene.geometry, page.palette_)
        page.scene.addItem(self.rings)
        self.card.on_wanted.connect(self.go_on)
        self.card.back_wanted.connect(self.go_back)
        self.card.leave_wanted.connect(self.leave)
        self._looking = QTimer(self, singleShot=True, interval=0)  # once for all that happens at a stroke
        self._looking.timeout.connect(self._look)
        page.happened.connect(self._looking.start)
        page.map.installEventFilter(self)
        page.other_cards.append(self.card)
        self._show()

    @property
    def step(self) -> LessonStep:
        """Return the step that is shown."""
        return self.lesson.step[self.number]

    # ---------------------------------------------------------------- on, back, out

    def go_on(self) -> None:
        """Go on to the next step that makes sense now, or end the lesson after the last one."""
        following = next((n for n in range(self.number + 1, len(self.lesson.step)) if self._makes_sense(self.lesson.step[n])), None)
        if following is None:
            self.leave()
            return
        self.number = following
        self._furthest = max(self._furthest, following)
        self._show()
        self._looking.start()

    def go_back(self) -> None:
        """Show the step before again; what was done stays done."""
        if self.number > 0:
            self.number -= 1
            self._show()

    def leave(self) -> None:
        """End the lesson; the game goes on."""
        self.page.happened.disconnect(self._looking.start)
        self.page.map.removeEventFilter(self)
        self.page.other_cards.remove(self.card)
        self._looking.stop()
        self.page.scene.removeItem(self.rings)
        self.spot.point_at(None)
        self.card.hide()
        self.card.deleteLater()
        self.left.emit()
        self.deleteLater()

    def _makes_sense(self, step: LessonStep) -> bool:
        return not step.during or self.page.match.view.position.phase in step.during

    # ---------------------------------------------------------------- showing

    def _show(self) -> None:
        step, page = self.step, self.page
        self._since = len(page.match.moments())
        self.card.show_step(step, self.number, len(self.lesson.step), waits=bool(step.until.said()) and self.number >= self._furthest)
        hexes = [page.match.setting.board.hex(name) for name in step.hexes]
        self.rings.show(hexes)
        if hexes:
            page.map.show_hex(hexes[0])
        self._place()
        page.place_cards()
        self._point()

    def _place(self) -> None:
        """Put the card where it hides least of what the step and the player are about: above or below, left or right of the middle."""
        page, card = self.page, self.card
        width, room = page.map.width() - page.map.covered_right, max(12, page.map.height() - card.height() - 12)
        columns = (max(8, (width - card.width()) // 2), page.tools.width() + 22, max(8, width - card.width() - 12))
        weights = page.worth_seeing() | dict.fromkeys(self.rings.hexes, RINGED)
        weights |= {Hex(c.place): ASKED for c in page.prompt.keyed if c.place is not None and c.place >= 0}
        cards = ((page.prompt, UNDER_PROMPT), (page.dice, UNDER_DICE), (page.minimap, UNDER_MINIMAP))
        points = [(page.map.mapFromScene(*page.scene.centre(here)), weight) for here, weight in weights.items()]

        def hidden(corner: QPoint) -> int:
            box = QRect(corner, card.size()).adjusted(-SPARED, -SPARED, SPARED, SPARED)
            over = sum(weight for other, weight in cards if other.isVisible() and box.intersects(other.geometry()))
            return over + sum(weight for point, weight in points if box.contains(point))

        places = [QPoint(x, y) for x in columns for y in (12, room)]
        if card.pos() in places and not hidden(card.pos()):
            return  # it doesn't wander without need
        card.move(min(places, key=hidden))
        page.place_dice()

    def _point(self) -> None:
        """Frame what the step points at, where that is to be seen now, in the colours of now."""
        step = self.step
        self.rings.palette = self.spot.palette_ = self.page.palette_
        target: QWidget | None = getattr(self.page, step.part) if step.part else None
        if target is not None and step.part in ("side", *self.page.side.names) and not target.isVisible():
            target = self.page.rail  # folded away in a narrow window
        if step.option:
            target = self.page.prompt.button_of(OptionPick(step.option))
        self.spot.point_at(target)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    # ---------------------------------------------------------------- seeing

    def _look(self) -> None:
        """Go on where what the step asks for has been done; a step that was read before waits for its reader."""
        if self.number < self._furthest:
            return
        if not self._makes_sense(self.step) or self.is_done(self.step.until):
            self.go_on()
        else:
            self._place()
            self._point()

    def is_done(self, until: Until) -> bool:
        """Say whether what a step waits for is so; a step that waits for nothing is never done by itself."""
        page, view, board = self.page, self.page.match.view, self.page.match.setting.board
        if until.select:
            here = board.hex(until.select)
            return page.selected_hex == here or any(view.unit(unit).place == here for unit in page.composer.units())
        if until.target:
            return HexPick(board.hex(until.target)) in page.composer.picks
        if until.order:
            return any(page.match.order_name(i) == until.order for i in range(self._since, len(page.match.moments())))
        if until.open:
            return any(door.is_open and door.pick == OptionPick(until.open) for door in page.composer.offer(()).doors)
        if until.overlay:
            return page.overlays.is_on(until.overlay)
        if until.panel:
            return page.side.isVisible() and page.side.current == until.panel
        if until.answers:
            return page.answers
        if until.past or until.live:
            return page.match.is_live == until.live
        return self._has_come(until)

    def _has_come(self, until: Until) -> bool:
        """Say whether the game has come to the turn or phase."""
        view = self.page.match.view
        now = view.position
        if until.turn:
            return now.turn >= until.turn
        names = [name for name, _ in view.ruleset.phases(view)]
        if until.phase not in names or now.phase not in names:
            return False
        return now.turn > self._turn or names.index(now.phase) >= names.index(until.phase)

"""The table: the map, its panels and cards, and where each of them stands. Knows nothing of what is played on it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial

from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu, QWidget

from client.map.palette import Palette
from client.map.scene import MapScene
from client.map.view import ZOOM_STEPS, MapView
from client.panels.battle import BattlePanel
from client.panels.card import Band
from client.panels.dice import DiceCard
from client.panels.forces import ForcesPanel
from client.panels.header import Header
from client.panels.log import LogPanel
from client.panels.minimap import MiniMap
from client.panels.notes import NotesPanel
from client.panels.past import PastFrame
from client.panels.prompt import PromptCard
from client.panels.rail import Rail
from client.panels.record import RecordPanel
from client.panels.rules import RulesPanel
from client.panels.side import SidePanel
from client.panels.stack import StackPanel
from client.panels.surround import Surround
from client.panels.timeline import Timeline
from client.panels.todo import TodoPanel
from client.panels.tools import Tools
from client.qt import QPoint, QRect, QSize, Qt, QTimer, Signal
from client.reading import overlay_keys
from client.scale import px
from client.session.match import Match
from client.style import HEADER_HEIGHT, PANEL_WIDTH, RAIL_WIDTH, TIMELINE_HEIGHT
from client.weakly import weakly
from client.words import capital, word
from core.board import Hex

REST_MS = 120  # that a zoom must last before the cards look for other places
CROWD = 5  # hexes, within which counters count as being in one place
NEARER_AT_FIRST = 2  # steps of zoom beyond 100 % that the first sight of a map may take
HINT = 300  # width of a hint that needs several lines, in pixels of texts at 100 %
OVER_A_CARD = 1000  # hexes that a card hides rather than lie over another card
ABOUT = 6  # what a hex weighs that the card is about
HALF_HIDDEN = 24  # pixels around the card in which the middle of a hex is as good as hidden
FIRST_PLACES = "log:below"
ABREAST = 2  # columns of tools that leave the small map its place below them
MOST_OF_MAP = 0.5  # of the map's width or height, from which on the small map would be in the way
NARROW = 1400  # below this width the side panel folds to a rail


class Table(QWidget):
    """All that lies on the page of a game.

    Signals:
        overlay_wanted(str): the button of an overlay was pressed.
    """

    overlay_wanted = Signal(str)

    def __init__(self, match: Match, palette: Palette) -> None:
        super().__init__()
        self.setObjectName("page")
        self.match = match
        self.palette_ = palette
        self.selected_hex: Hex | None = None
        self._side_wanted = True
        self._timeline_wanted = True
        self._floats = False
        self._built = self._fitted = False
        self._home = 0  # of the corners: where the card lies
        self._narrow = False
        self._zooming = QTimer(self, singleShot=True, interval=REST_MS)
        self._zooming.timeout.connect(self.place_cards)
        self.band: Band | None = None  # between header and map, over the whole width
        self.other_cards: list[QWidget] = []  # that lie over the map where they want; the prompt keeps off them
        self._build()

    # ---------------------------------------------------------------- building

    def _build(self) -> None:
        match, palette = self.match, self.palette_
        self.scene = MapScene(match.setting.board, match.manifest, match.lettering, palette)
        self.map = MapView(self.scene)
        self.around = Surround(self, self.map)
        self.around.shared.connect(self._map_resized)
        self.scene.be_patient()
        self.header = Header(palette)
        self.header.setParent(self)
        self.header.show_title(word(match.title))
        self.timeline = Timeline(palette)
        self.timeline.setParent(self)
        self.stack = StackPanel(palette, self.scene.nations)
        self.battle = BattlePanel(palette)
        self.battle.show_nothing()
        self.log = LogPanel(palette)
        self.todo = TodoPanel()
        self.rules = RulesPanel(palette, (*match.setting.ruleset.rules(), *match.setting.ruleset.readings()))
        titles = {"stack": self.tr("Stack"), "battle": self.tr("Battle"), "log": self.tr("Log"), "todo": self.tr("To do")}
        titles |= {"rules": self.tr("Rules"), "forces": self.tr("Forces"), "record": self.tr("Record"), "notes": self.tr("Notes")}
        pages = {"todo": self.todo, "stack": self.stack, "battle": self.battle, "log": self.log, "rules": self.rules}
        self.forces = ForcesPanel(palette)
        self.record = RecordPanel(palette)
        self.notes = NotesPanel(palette)
        pages |= {"forces": self.forces, "record": self.record, "notes": self.notes}
        for name, (title, page) in self.more_pages().items():
            titles[name], pages[name] = title, page
        self.side = SidePanel(self, {name: (titles[name], page) for name, page in pages.items()}, self.around)
        self.side.setWindowTitle(self.tr("{game}: panels").format(game=word(match.title)))
        self.side.closed.connect(self.dock_side)
        self.side.menu_wanted.connect(lambda name, where: self.menu_of(name).popup(where))
        self.side.restore_places(FIRST_PLACES)
        self.rail = Rail(self, titles)
        self.battle.titled.connect(lambda title: self.side.rename("battle", title))
        self.side.renamed.connect(self.rail.rename)
        self.side.marked.connect(lambda name, on: self.rail.mark(name, self.palette_.danger if on else ""))
        self.prompt = PromptCard(self.map, palette)
        self.dice = DiceCard(self.map, palette)
        self.hint = QLabel(self.map)
        self.hint.setObjectName("hint")
        self.hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hint.setTextFormat(Qt.TextFormat.PlainText)
        self.hint.hide()
        self.goto = QLineEdit(self.map)
        self.goto.setPlaceholderText(self.tr("Hex number or name"))
        self.goto.setFixedWidth(px(220))
        self.goto.hide()
        self.frame = PastFrame(self.map, palette)
        self.minimap = MiniMap(self.map, self.scene.ground, palette)
        self.minimap.place_wanted.connect(self.map.centerOn)
        self.map.moved.connect(self._show_seen)
        self.tools = self._tools()
        self.prompt.raise_()  # over the tools, where there is room for one of them only
        self.map.covers = weakly(self._covers)
        self.overlay_buttons = self.tools.overlays
        self._built = True

    def _covers(self) -> list[QRect]:
        return [part.geometry() for part in (self.minimap, self.tools, self.prompt) if part.isVisible()]

    def more_pages(self) -> dict[str, tuple[str, QWidget]]:
        """Return panels that this kind of game has besides, by name, with their titles."""
        return {}

    def _tools(self) -> Tools:
        zooms: dict[str, tuple[str, Callable[[], object]]] = {
            "nearer": (self.tr("Zoom in (+)"), lambda: self.map.zoom_by(1)),
            "farther": (self.tr("Zoom out (-)"), lambda: self.map.zoom_by(-1)),
            "whole": (self.tr("Whole map (Ctrl+0)"), self.map.zoom_fit),
        }
        tools = Tools(self.map, zooms, overlay_keys(self.match))
        tools.overlay_wanted.connect(self.overlay_wanted)
        return tools

    # ---------------------------------------------------------------- layout

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay_out()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.lay_out()
        if not self._fitted:
            self._fitted = True
            self._show_front()

    def lay_out(self) -> None:
        """Give each part its place: the map what is left."""
        width, height = self.width(), self.height()
        narrow = width < px(NARROW) and not self._floats
        top, panel, rail, low = (px(size) for size in (HEADER_HEIGHT, PANEL_WIDTH, RAIL_WIDTH, TIMELINE_HEIGHT))
        if self.band is not None:
            self.band.fit(width)
            self.band.setGeometry(0, top, width, self.band.height())
            top += self.band.height()
        bottom = height - (low if self._timeline_wanted else 0)
        right = width
        if self._side_wanted and not self._floats:
            right = width - (rail if narrow else panel + 12)
        self.header.setGeometry(0, 0, width, top)
        self.around.setGeometry(0, top, right, bottom - top)
        self.timeline.setGeometry(0, bottom, width, low)
        self.timeline.setVisible(self._timeline_wanted)
        self.rail.setVisible(narrow and self._side_wanted)
        self.rail.setGeometry(width - rail, top, rail, bottom - top)
        left = width - panel - (rail + 6 if narrow else 6)
        if not self._floats:
            self.side.setGeometry(left, top + 6, panel, bottom - top - 12)
        if not narrow:
            self.side.setVisible(self._side_wanted)
        elif not self._side_wanted or not self._narrow:
            self.side.hide()
        self._narrow = narrow
        self.side.raise_()
        self.around.fit()

    def _map_resized(self) -> None:
        """Give what lies over the map its place anew."""
        if self._built:
            self.frame.setGeometry(self.map.rect())
            self.place_cards()

    def _show_front(self) -> None:
        """Begin where the counters are, at 100 % or as much nearer as lets the map fill the window's width."""
        whole, filling = ZOOM_STEPS.index(1.0), self.map.viewport().width() / self.scene.ground.bounds.width()
        self.map.zoom_to(whole + sum(1.0 <= step < 0.97 * filling for step in ZOOM_STEPS[whole : whole + NEARER_AT_FIRST]))
        occupied = self.match.view.position.occupied()
        if occupied:
            self.map.centre_within_map(self.scene.geometry.thickest(occupied, CROWD))

    def place_cards_soon(self) -> None:
        """Give the cards their places when zooming rests: to look for the best ones takes longer than a frame may."""
        self._zooming.start()

    def place_cards(self) -> None:
        """Give the cards over the map their places."""
        self.map.cover_right(self.map.width() - self._free_width())
        self._place_tools()
        self.prompt.fit()
        self.prompt.move(self._prompt_place())
        if not self.prompt.isHidden() and self.minimap.geometry().intersects(self.prompt.geometry()):
            self.minimap.hide()  # where there is room for one of them only
        self._show_seen()
        self.place_dice()
        self.goto.move((self.map.width() - self.goto.width()) // 2, 14)

    def _place_tools(self) -> None:
        """Put the tools above the small map, in two columns if need be; where that is too low, the small map lies beside them."""
        left, low, small = 10, self.map.height() - self.minimap.height() - 10, self.minimap
        if self.tools.needs(low - 20) <= ABREAST:
            self.tools.fit(low - 20)
        else:
            self.tools.fit(self.map.height() - 20)
            left += self.tools.width() + 10
        self.tools.move(10, 10)
        small.move(left, low)
        small.setVisible(small.width() < self.map.width() * MOST_OF_MAP and small.height() < self.map.height() * MOST_OF_MAP)

    def place_dice(self) -> None:
        """Put the dice at the map's foot, in its middle; else beside or above the cards that would lie below them, or at its head."""
        low, right = self.map.height() - self.dice.height() - 14, self._free_width() - self.dice.width() - 12
        middle = max(10, (self._free_width() - self.dice.width()) // 2)
        cards = [card.geometry().adjusted(-8, -8, 8, 8) for card in (self.prompt, *self.other_cards) if card.isVisible()]
        places = [QPoint(middle, low)]
        for card in cards:
            beside = [QPoint(card.right(), low), QPoint(card.left() - self.dice.width(), low)]
            places += [place for place in beside if 10 <= place.x() <= right]
            places.append(QPoint(middle, card.top() - self.dice.height()))
        places += [QPoint(middle, 14), QPoint(max(10, right), 14)]

        def covered(place: QPoint) -> int:
            box = QRect(place, self.dice.size())
            return (place.y() < 0) + sum(box.intersects(card) for card in cards)

        self.dice.move(min(places, key=covered))

    def _prompt_place(self) -> QPoint:
        """Return where the card lies: in the corner where it is at home, unless it would hide there what it asks about.

        Then it lies in the corner where it hides least of that; what is brought into sight comes out from under it.
        """
        asked = {Hex(c.place) for c in self.prompt.keyed if c.place is not None and c.place >= 0}
        asked |= {here for here, weight in self.worth_seeing().items() if weight >= ABOUT}
        return min((self._prompt_home(), *self._corners()), key=partial(self._hides, hexes=asked))

    def _corners(self) -> list[QPoint]:
        """Return where the card can lie, at the head of the map beside the tools first."""
        left, right = self._card_bounds(self.prompt)
        low = max(10, self.map.height() - self.prompt.height() - 12)
        beside_minimap = max(left, self.minimap.geometry().right() + 12)
        corners = [QPoint(left, 10), QPoint(max(left, right), 10), QPoint(max(left, right), low)]
        return [*corners, QPoint(beside_minimap, low)] if beside_minimap <= right else corners

    def _hides(self, place: QPoint, hexes: Iterable[Hex]) -> int:
        """Return how many of some hexes the card would hide in a place; another card counts more than any of them."""
        box = QRect(place, self.prompt.size()).adjusted(-HALF_HIDDEN, -HALF_HIDDEN, HALF_HIDDEN, HALF_HIDDEN)
        cards = [card.geometry() for card in self.other_cards if card.isVisible()]
        return OVER_A_CARD * sum(map(box.intersects, cards)) + sum(box.contains(self._on_screen(here)) for here in hexes)

    def _prompt_home(self) -> QPoint:
        corners = self._corners()
        return corners[min(self._home, len(corners) - 1)]

    def settle_card(self, hexes: Collection[Hex], others: Collection[Hex] = ()) -> None:
        """Choose the corner that the card is at home in: where it hides the fewest of some hexes, and then of others; else it stays."""
        corners = self._corners()

        def cost(i: int) -> tuple[int, int, bool]:
            return self._hides(corners[i], hexes), self._hides(corners[i], others), i != self._home

        self._home = min(range(len(corners)), key=cost)

    def bring_out(self, hexes: Iterable[Hex]) -> None:
        """Bring hexes that a key has led to out from under the card in its place, so that it need not leave that."""
        self.prompt.move(self._prompt_home())
        for here in hexes:
            self.map.show_hex(here)
        self.place_cards()

    def _card_bounds(self, card: QWidget) -> tuple[int, int]:
        """Return how far left and right a card may lie: beside the tools, but over them where there is room for one of them only."""
        right = self._free_width() - card.width() - 12
        return min(self.tools.width() + 22, max(10, right)), right

    def worth_seeing(self) -> dict[Hex, int]:
        """Return the hexes that no card should hide, with their weight."""
        return {}

    def _show_seen(self) -> None:
        self.minimap.show_seen(self.map.mapToScene(self.map.viewport().rect()).boundingRect())

    def _on_screen(self, here: Hex) -> QPoint:
        centre = self.scene.centre(here)
        return self.map.mapFromScene(centre.x, centre.y)

    def _free_width(self) -> int:
        """Return how much of the map's width no panel covers."""
        if not (self._narrow and self.side.isVisible()):
            return self.map.width()
        return min(self.map.width(), self.map.mapFrom(self, self.side.pos()).x())

    def toggle_side(self) -> None:
        """Show or hide the side panel."""
        self._side_wanted = not self._side_wanted
        self.lay_out()

    def float_side(self) -> None:
        """Let the side panel float in a window of its own, or dock it again."""
        if self._floats:
            self.dock_side()
            return
        corner = self.side.mapToGlobal(QPoint(0, 0))
        self._floats = self._side_wanted = True
        self.side.setWindowFlags(Qt.WindowType.Tool)
        self.side.setGeometry(QRect(corner, self.side.size()))
        self.side.show()
        self.lay_out()

    def dock_side(self) -> None:
        """Put the side panel back beside the map."""
        self._floats = False
        self.side.setWindowFlags(Qt.WindowType.Widget)
        self.side.show()
        self.lay_out()

    def layout_state(self) -> dict[str, str]:
        """Return how the parts lie, for the next time."""
        flags = {"side": self._side_wanted, "timeline": self._timeline_wanted, "floats": self._floats}
        kept = {"tab": self.side.chosen, "places": self.side.places(), "edges": self.around.sizes_told()}
        return {name: "true" if on else "false" for name, on in flags.items()} | kept

    def restore_layout(self, state: Mapping[str, str]) -> None:
        """Lay the parts as they lay before; what is unknown stays as it is."""
        self._side_wanted = state.get("side", "true") == "true"
        self._timeline_wanted = state.get("timeline", "true") == "true"
        self.around.restore_sizes(state.get("edges", ""))
        if "places" in state:
            self.side.restore_places(state["places"])
        if state.get("tab") in self.side.names:
            self.side.choose(state["tab"])
        self.lay_out()
        if state.get("floats") == "true":
            self.float_side()

    def toggle_timeline(self) -> None:
        """Show or hide the timeline."""
        self._timeline_wanted = not self._timeline_wanted
        self.lay_out()

    def toggle_all(self) -> None:
        """Show nothing but the map, or everything again."""
        self._side_wanted = self._timeline_wanted = not (self._side_wanted or self._timeline_wanted)
        self.around.show_edges(on=self._side_wanted)
        self.lay_out()

    def reset_layout(self) -> None:
        """Lay all parts as they lie in a window that is shown for the first time."""
        self.dock_side()
        self.around.reset()
        self.around.show_edges(on=True)
        self.restore_layout({"side": "true", "timeline": "true", "places": FIRST_PLACES, "tab": next(iter(self.side.names))})

    def places(self) -> dict[str, str]:
        """Return the places that a panel can have, with their names."""
        return {
            "left": self.tr("at the left of the map"), "right": self.tr("at the right of the map"), "top": self.tr("above the map"),
            "bottom": self.tr("below the map"), "below": self.tr("below the tabs"), "window": self.tr("in a window of its own"),
            "tabs": self.tr("among the tabs"),
        }

    def menu_of(self, name: str) -> QMenu:
        """Return a menu of the places that a panel can have."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for place, title in self.places().items():
            action = menu.addAction(capital(title))
            action.setEnabled(place != self.side.place_of(name))
            action.triggered.connect(lambda _checked=False, place=place: self.side.put(name, place))
        return menu

    def _is_apart(self, name: str) -> bool:
        """Say whether a panel is seen without the side panel."""
        return self.side.place_of(name) not in ("tabs", "below")

    def open_tab(self, name: str) -> None:
        """Open a tab over the map, or close it if it is in front."""
        if self._is_apart(name):
            self.side.bring(name)
        elif self.side.isVisible() and self.side.current == name:
            self.side.hide()
        else:
            self.side.bring(name)
            self.side.show()
            self.side.raise_()
        self.place_cards()

    def show_rule(self, rule: str) -> None:
        """Open the rule reference at a rule."""
        self.rules.show_rule(rule)
        self.show_rules()

    def show_rules(self) -> None:
        """Open the rule reference."""
        self.open_side("rules")

    def open_side(self, name: str) -> None:
        """Open a panel; a tab stays until another is chosen."""
        if self._is_apart(name):
            self.around.show_edges(on=True)
            self.side.choose(name)
            return
        if not self._side_wanted:
            self.toggle_side()
        typed_in = self.focusWidget()
        self.side.choose(name)
        if typed_in is not None and not typed_in.isVisible():  # else it goes to the first button of the panel, for Space to press
            self.map.setFocus()
        self.side.show()
        self.side.raise_()
        self.place_cards()
        if self._narrow and self.selected_hex is not None:
            self.map.show_hex(self.selected_hex)

    def search_forces(self) -> None:
        """Open the list of counters with the search ready to be typed into."""
        self.open_side("forces")
        self.forces.search.setFocus()
        self.forces.search.selectAll()

    def search_rules(self) -> None:
        """Open the rule reference with the search ready to be typed into."""
        self.show_rules()
        self.rules.search.setFocus()
        self.rules.search.selectAll()

    def _hint_place(self, beside: QPoint) -> QPoint:
        """Return where the hint lies: to the right of a point and above it, unless it would hide there what the draft is about."""
        size, right, low = self.hint.size(), self.map.width() - self.hint.width() - 6, self.map.height() - self.hint.height() - 4
        spots = [(x, y) for x in (34, -34 - size.width()) for y in (-46, 24)]
        places = [QPoint(max(4, min(beside.x() + x, right)), max(4, min(beside.y() + y, low))) for x, y in spots]
        about = [self._on_screen(here) for here in self.concerned()]

        def hides(place: QPoint) -> int:
            box = QRect(place, size).adjusted(-HALF_HIDDEN, -HALF_HIDDEN, HALF_HIDDEN, HALF_HIDDEN)
            return sum(map(box.contains, about)) + 2 * box.contains(beside)

        return min(places, key=hides)

    def concerned(self) -> Collection[Hex]:
        """Return the hexes that the draft names or has keys for, and where its units stand."""
        return ()

    def show_hint(self, here: Hex, words: str) -> None:
        """Show a line or two by a hex."""
        centre = self.scene.centre(here)
        point = self.map.mapFromScene(centre.x, centre.y)
        self.hint.setText(words)
        self.hint.setWordWrap(False)
        least = self.hint.sizeHint()
        self.hint.setWordWrap(least.width() > px(HINT))  # the rule stands at the end: it must not be cut
        # by itself a label with several lines is about as wide as high
        self.hint.resize(QSize(px(HINT), self.hint.heightForWidth(px(HINT))) if self.hint.wordWrap() else least)
        self.hint.move(self._hint_place(point))
        self.hint.show()
        self.hint.raise_()

"""A button whose menu offers the optional rules of a game that is begun here."""

from __future__ import annotations

from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QPushButton, QStyle, QStyleOptionButton

from client.panels.widgets import paint_chevron
from client.qt import QSize, Qt
from client.words import word
from core.pack import Option, Pack

LEFT, RIGHT = 12, 30  # of the words: to the edge, and to that beyond the sign


class TickingMenu(QMenu):
    """A menu that stays open while what can be ticked is clicked, or by keys: several rules are chosen at a time."""

    def __init__(self, parent: QPushButton) -> None:
        super().__init__(parent)
        self._pressed: QAction | None = None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember what is pressed: a menu may open below a mouse that is pressed already."""
        self._pressed = self.actionAt(event.position().toPoint())
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Tick what was clicked, and close for nothing but what can't be ticked."""
        pressed, self._pressed = self._pressed, None
        if pressed is not None and pressed.isCheckable() and pressed is self.actionAt(event.position().toPoint()):
            pressed.trigger()
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tick by Enter or Space as by a click; Esc closes."""
        chosen = self.activeAction()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and chosen is not None and chosen.isCheckable():
            chosen.trigger()
        else:
            super().keyPressEvent(event)


class OptionalRules(QPushButton):
    """Lets optional rules be chosen; its words tell how many are other than usual. What was chosen stays for the game's other scenarios."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen: dict[str, bool | int | str] = {}
        self._offered: dict[str, Option] = {}
        self._game = ""
        self.setMenu(TickingMenu(self))

    def sizeHint(self) -> QSize:
        """Return the size of the words with room for the sign beside them."""
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + LEFT + RIGHT, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return the least size, in which all words are read."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the button, and words and sign as a box to choose from has them: what is left of either by a style sheet is stunted."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        option.features &= ~QStyleOptionButton.ButtonFeature.HasMenu
        painter = QPainter(self)
        self.style().drawControl(QStyle.ControlElement.CE_PushButton, option, painter, self)
        painter.setPen(self.palette().buttonText().color())
        painter.drawText(self.rect().adjusted(LEFT, 0, -RIGHT, 0), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.text())
        painter.end()
        paint_chevron(self)

    def show_game(self, files: Pack, scenario: str) -> None:
        """Offer what changes anything in a scenario."""
        if files.manifest.ruleset != self._game:
            self._game, self.chosen = files.manifest.ruleset, {}
        scene = files.scenarios[scenario]
        self._offered = {option.id: option for option in files.manifest.option if option.matters_in(scene)}
        menu = self.menu()
        menu.clear()
        for inner in menu.findChildren(QMenu):
            inner.deleteLater()  # it belongs to the menu, which takes but its action out
        for option in self._offered.values():
            self._add(menu, option)
        self.setVisible(bool(self._offered))
        self._tell()

    def options(self) -> dict[str, bool | int | str]:
        """Return what was chosen otherwise than usual, of what is offered."""
        return {name: value for name, value in self.chosen.items() if name in self._offered and value != self._offered[name].default}

    def _add(self, menu: QMenu, option: Option) -> None:
        words = f"{word(option.title)} ({option.rule})" if option.rule else word(option.title)
        now = self.chosen.get(option.id, option.default)
        if isinstance(option.default, bool):
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(bool(now))
            action.toggled.connect(lambda on: self._choose(option.id, on))
            return
        inner = menu.addMenu(words)
        group = QActionGroup(inner)
        for value in option.choices:
            action = QAction(word(str(value)), inner, checkable=True, checked=value == now)
            group.addAction(action)
            inner.addAction(action)
            action.triggered.connect(lambda _checked=False, value=value: self._choose(option.id, value))

    def _choose(self, name: str, value: bool | int | str) -> None:
        self.chosen[name] = value
        self._tell()

    def _tell(self) -> None:
        count = len(self.options())
        self.setText(self.tr("Optional rules: {n}").format(n=count) if count else self.tr("Optional rules"))
        self.setToolTip(self.tr("Choose optional rules of the game"))

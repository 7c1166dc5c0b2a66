"""The Rules panel: the rulebook's rules in our words, searchable; every rule number elsewhere leads here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from client.map.palette import Palette, mixed
from client.panels.links import linked, rule_of
from client.qt import Qt, QTimer
from core.ruleset import RuleText

MOST = 120  # rules shown of a search's result; more is no answer
TYPING_MS = 120
LONG_FORMS = {"zoc": "zone of control", "hq": "headquarters", "mp": "movement points"}  # of what the rules shorten, as people search for it


class RulesPanel(QWidget):
    """Shows the ledger of the game that is played."""

    def __init__(self, palette: Palette, rules: Sequence[RuleText]) -> None:
        super().__init__()
        self.palette_ = palette
        self._rules = rules
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Number or words: 8.4, river, retreat …"))
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName(self.tr("Search the rules"))
        self.found = QTextBrowser()
        self.found.setFrameShape(QFrame.Shape.NoFrame)
        self.found.setOpenLinks(False)
        self.found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.found.setAccessibleName(self.tr("Rules"))
        self.found.anchorClicked.connect(lambda url: self.show_rule(rule_of(url.toString())))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 6, 4)
        layout.addWidget(self.search)
        layout.addWidget(self.found, 1)
        self._typed = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._typed.timeout.connect(self.show_found)
        self.search.textEdited.connect(lambda _: self._typed.start())
        self._is_written = False

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_written:
            self.show_found()

    def write(self) -> None:
        """Write everything anew in the theme's colours, when it is seen."""
        self._is_written = False
        if self.isVisible():
            self.show_found()
        else:
            self.found.clear()  # else another theme would style all of it

    def show_rule(self, rule: str) -> None:
        """Show a rule and those of its section, the rule itself marked and in sight."""
        if not rule:
            return
        self.search.setText(rule)
        self.show_found()

    def show_found(self) -> None:
        """Show what the search finds; without words, the sections."""
        wanted = self.search.text().strip()
        exact = [rule for rule in self._rules if wanted in (rule.id, rule.printed)]
        if exact:
            near = [rule for rule in self._rules if _section(rule) == _section(exact[0])]
            self._show(near, marked=exact)
            return
        found = [rule for rule in self._rules if _matches(rule, wanted)]
        self._show(found[:MOST], left_out=len(found) - MOST if wanted else 0)

    def _show(self, rules: Iterable[RuleText], *, marked: Sequence[RuleText] = (), left_out: int = 0) -> None:
        parts = [self._one(rule, marked=rule in marked) for rule in rules]
        if not parts:
            parts = [f"<p>{escape(self.tr('No rule says that.'))}</p>"]
        if left_out > 0:
            parts.append(f"<p>{escape(self.tr('and {n} more').format(n=left_out))}</p>")
        self.found.setHtml("".join(parts))
        self._is_written = True
        if marked:
            self.found.scrollToAnchor(marked[0].id)

    def _one(self, rule: RuleText, *, marked: bool) -> str:
        p = self.palette_
        ground = f";background-color:{mixed(p.chrome, p.accent, 0.22)}" if marked else ""
        head = f'<a name="{escape(rule.id)}"></a><b>{escape(rule.id)}&nbsp; {escape(rule.title)}</b>'
        return f'<p style="margin:0 0 9px 0{ground}">{head}<br>{linked(rule.must, p.ink)}</p>'


def _section(rule: RuleText) -> str:
    """Return the section a rule stands in: ``8.4`` of ``8.42a``."""
    chapter, _, rest = rule.printed.partition(".")
    return f"{chapter}.{rest[:1]}"


def _matches(rule: RuleText, wanted: str) -> bool:
    """Say whether a rule's number begins with what is wanted, or all its words stand in the rule or say what it is about."""
    if wanted[:1].isdigit():
        return rule.id.startswith(wanted)
    text = f"{rule.title} {rule.must} {rule.tags}".casefold()
    text += "".join(f" {long}" for short, long in LONG_FORMS.items() if short in text)
    return all(word in text for word in wanted.casefold().split())

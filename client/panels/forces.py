"""The Forces panel: every counter in play with where it stands, searchable; and what the game has cost so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout

from client.map.palette import Palette
from client.panels.widgets import button, row
from client.panels.written import WrittenPanel
from client.qt import QTimer
from client.scale import px
from client.session.match import Match
from client.session.tally import Luck, luck_of
from client.session.words import box_title
from client.style import PANEL_WIDTH
from client.words import say, side_title, side_titles, word
from core.board import OUT
from core.pack import Arrival
from core.text import text
from core.units import Side, Unit
from core.views import View

TYPING_MS = 120
BAR = 14  # blocks of the longest bar
FILTER_GAP, EDGES = 4, 22  # pixels between the filters' buttons, and beside all of them


class ForcesPanel(WrittenPanel):
    """Shows the shown moment's counters by side, and losses and luck up to it."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette, self.tr("Forces"))
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Name, type, place: tank, 62, Rostov …"))
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName(self.tr("Search the counters"))
        self.column.insertWidget(0, self.search)
        self.filters = QVBoxLayout()
        self.filters.setSpacing(FILTER_GAP)
        self.column.insertLayout(1, self.filters)
        self.side: Side = ""
        self.where = ""
        self._typed = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._typed.timeout.connect(self.write)
        self.search.textEdited.connect(lambda _: self._typed.start())

    def show_match(self, match: Match) -> None:
        """Show the shown moment of a match."""
        if self._match is None:
            self._make_filters(match)
        super().show_match(match)

    def _make_filters(self, match: Match) -> None:
        """Make a button for each side, and one each for what is on the map, beside it, and short of supply: in one row, if it has room."""
        kinds = {"map": self.tr("Map"), "boxes": self.tr("Beside"), "supply": self.tr("Cut")}
        groups = list[list[QPushButton]]()
        for kind, titles in (("side", side_titles(match.manifest)), ("where", kinds)):
            groups.append([])
            for key, title in titles.items():
                made = button(title, lambda kind=kind, key=key: self._filter(kind, key), name="chip", checkable=True)  # type: ignore[misc]
                made.setToolTip(self.tr("Show only these counters: {what}").format(what=title))
                made.setProperty("filter", (kind, key))
                made.setParent(self)
                made.ensurePolished()  # before its style is on, a button asks for too little room
                groups[-1].append(made)
        together = [made for group in groups for made in group]
        needed = sum(made.sizeHint().width() + FILTER_GAP for made in together)
        for line in [together] if needed <= px(PANEL_WIDTH) - EDGES else groups:
            layout = row(*line, spacing=FILTER_GAP)
            layout.addStretch(1)
            self.filters.addLayout(layout)

    def _filter(self, group: str, key: str) -> None:
        """Show only counters of a side, or in a place; the same again shows all."""
        setattr(self, group, "" if getattr(self, group) == key else key)
        for i in range(self.filters.count()):
            item = self.filters.itemAt(i)
            made = item.widget() if item is not None else None
            if isinstance(made, QPushButton):
                kind, value = made.property("filter")
                made.setChecked(getattr(self, kind) == value)
        self.write()

    def parts(self, match: Match) -> Iterable[str]:
        """Return the lists as the search wants them, after losses and luck where it wants all."""
        wanted = self.search.text().casefold().split()
        lists = [self._side(match, side, wanted) for side in match.setting.sides if self.side in ("", side)]
        return lists if wanted or self.side or self.where else [self._losses(match), *lists]

    # ---------------------------------------------------------------- counters

    def _side(self, match: Match, side: Side, wanted: Sequence[str]) -> str:
        view = match.view
        units = [unit for unit in view.position.units.values() if view.side(unit.id) == side]
        units.sort(key=lambda unit: (unit.place < 0, view.type(unit.id).kind, unit.id))
        lines = [line for unit in units if unit.place != OUT and self._is_wanted(match, unit) and (line := self._unit(match, unit, wanted))]
        title = escape(side_title(match.manifest, side))
        head = f'<p style="margin:12px 0 4px 0"><b>{title}: {say(text("{n} {n:counter|counters}", n=len(lines)))}</b></p>'
        return head + "".join(lines) + "".join(self._due(match, side, wanted))

    def _due(self, match: Match, side: Side, wanted: Sequence[str]) -> Iterable[str]:
        """Yield, for each turn that is still to come, who comes by the schedule and is wanted."""
        if self.where not in ("", "boxes"):
            return
        view, coming = match.view, dict[int, list[str]]()
        for arrival in match.setting.scenario.arrival:
            if arrival.side == side and arrival.turn > view.position.turn:
                coming.setdefault(arrival.turn, []).extend(self._coming(view, arrival, wanted))
        for turn, names in sorted(coming.items()):
            if names:
                when = say(view.ruleset.turn_name(view, turn))
                words = self.tr("To come on turn {turn}, {date}: {names}").format(turn=turn, date=when, names=", ".join(names))
                yield f'<p style="margin:2px 0;color:{self.palette_.ink_soft}">{escape(words)}</p>'

    def _coming(self, view: View, arrival: Arrival, wanted: Sequence[str]) -> Iterable[str]:
        for kind, designation in arrival.units:
            name = view.types[kind].called(designation)
            words = f"{name} {word(view.types[kind].kind.replace('_', ' '))} {view.types[kind].nation}".casefold()
            if all(one in words for one in wanted):
                yield name

    def _is_wanted(self, match: Match, unit: Unit) -> bool:
        """Say whether a counter is where the filter wants it."""
        if self.where == "supply":
            return bool(set(match.view.look(unit.id).badges) & {"out_of_supply", "lack_of_supply"})
        return self.where in ("", "map" if unit.place >= 0 else "boxes")

    def _unit(self, match: Match, unit: Unit, wanted: Sequence[str]) -> str:
        view, look = match.view, match.view.look(unit.id)
        name, where = view.name(unit.id), view.board.name(unit.place)
        where = word(box_title(where, match.manifest.box_titles) if unit.place < 0 else where)
        state = [word(view.type(unit.id).kind.replace("_", " ")), look.values, *(word(badge.replace("_", " ")) for badge in look.badges)]
        words = f"{name} {where} {view.type(unit.id).nation} {' '.join(state)}".casefold()
        if not all(word in words for word in wanted):
            return ""
        told = f"{where} · {', '.join(filter(None, state))}"
        link = escape(name)
        if unit.place >= 0:
            link = f'<a style="color:{self.palette_.ink};text-decoration:none" href="hex:{unit.place}">{link}</a>'
        return f'<p style="margin:2px 0">{link} <span style="color:{self.palette_.ink_soft}">{escape(told)}</span></p>'

    # ---------------------------------------------------------------- losses and luck

    def _losses(self, match: Match) -> str:
        tallies = [match.tally(index) for index in range(match.cursor + 1)]
        rows = []
        for side in match.setting.sides:
            steps, units = sum(t.steps.get(side, 0) for t in tallies), sum(t.units.get(side, 0) for t in tallies)
            title = side_title(match.manifest, side)
            rows.append(self.tr("{side}: steps lost {steps}, units lost {units}").format(side=title, steps=steps, units=units))
        luck = [self._luck(match, one) for one in luck_of(roll for tally in tallies for roll in tally.rolls) if one.side]
        head = f'<p style="margin:0 0 4px 0"><b>{escape(self.tr("Losses and luck"))}</b></p>'
        return head + "".join(f'<p style="margin:2px 0">{escape(row)}</p>' for row in rows) + "".join(luck)

    def _luck(self, match: Match, luck: Luck) -> str:
        title = side_title(match.manifest, luck.side)
        words = self.tr("{side}: dice {n}, mean {mean:.2f} (fair {fair:.1f})").format(
            side=title, n=sum(luck.counts), mean=luck.mean, fair=luck.fair
        )
        most, colour = max(luck.counts), self.palette_.major_river
        bars = "".join(
            f'<p style="margin:0">{face}&nbsp; <span style="color:{colour}">{"▆" * round(BAR * count / most)}</span> {count}</p>'
            for face, count in enumerate(luck.counts, 1)
        )
        return f'<p style="margin:8px 0 2px 0">{escape(words)}</p>{bars}'

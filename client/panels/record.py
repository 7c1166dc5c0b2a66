"""The Record panel: the turns with their weather, and what lies beside the map: tracks, what is due, pools and boxes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from client.map.palette import Palette
from client.panels.links import linked
from client.panels.written import WrittenPanel
from client.session.match import Match
from client.session.words import box_title
from client.words import capital, say, word
from core.ruleset import Row, Sheet
from core.units import Unit


class RecordPanel(WrittenPanel):
    """Shows the shown moment's record."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette, self.tr("Turn record, tracks and pools"))

    def parts(self, match: Match) -> Iterable[str]:
        """Return the ruleset's sheets, the boxes, and the turns."""
        return [*(self._sheet(sheet) for sheet in match.setting.ruleset.sheets(match.view)), *self._boxes(match), self._turns(match)]

    # ---------------------------------------------------------------- parts

    def _heading(self, words: str) -> str:
        return f'<p style="margin:12px 0 4px 0"><b>{escape(capital(words))}</b></p>'

    def _line(self, words: str, value: str = "", rule: str = "", place: int = -1) -> str:
        told = escape(capital(words))
        if place >= 0:
            told = f'<a style="color:{self.palette_.ink};text-decoration:none" href="hex:{place}">{told}</a>'
        soft = self.palette_.ink_soft
        more = " ".join(filter(None, (escape(value), linked(f"({rule})", soft) if rule else "")))
        return f'<p style="margin:2px 0">{told}&ensp;<span style="color:{soft}">{more}</span></p>'

    def _sheet(self, sheet: Sheet) -> str:
        return self._heading(say(sheet.title)) + "".join(map(self._row, sheet.rows))

    def _row(self, row: Row) -> str:
        value = word(row.value) if isinstance(row.value, str) else say(row.value)
        return self._line(say(row.label), value, row.rule, next((place for place in row.places if place >= 0), -1))

    def _boxes(self, match: Match) -> Iterator[str]:
        """Yield each box that holds counters; the one out of play is none."""
        view = match.view
        for number, name in enumerate(view.board.boxes):
            units = [view.unit(unit) for unit in view.position.at(-1 - number)]
            if number and units:
                title = word(box_title(name, match.manifest.box_titles))
                yield self._heading(title) + "".join(self._line(self._counter(match, unit)) for unit in units)

    def _counter(self, match: Match, unit: Unit) -> str:
        side = word(match.manifest.side_titles.get(match.view.side(unit.id), ""))
        return f"{match.view.name(unit.id)} ({side})" if side else match.view.name(unit.id)

    def _turns(self, match: Match) -> str:
        view, scenario = match.view, match.setting.scenario
        lines = []
        for turn in range(scenario.first_turn, scenario.last_turn + 1):
            words = self.tr("Turn {turn}: {date}").format(turn=turn, date=say(view.ruleset.turn_name(view, turn)))
            now = self.tr("now") if turn == view.position.turn else ""
            lines.append(f"<b>{self._line(words, now)}</b>" if now else self._line(words))
        return self._heading(self.tr("Turns")) + "".join(lines)

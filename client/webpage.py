"""A game as one web page that any browser replays: drawn states with their log lines. No rule and no fold goes into the page."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from html import escape

import msgspec
from PySide6.QtGui import QImage, QPainter

from client import fonts, reading
from client.map.counters import MARGIN, SIDE, CounterArt, art_of, paint_counter
from client.map.ground import ground_of
from client.map.items import stack_offset
from client.map.lettering import names_of
from client.map.levels import Level
from client.map.palette import LIGHT, Palette
from client.map.tiles import paint_map
from client.qt import QBuffer, QByteArray, QIODevice, QRectF, QSize, Qt
from client.render import CROWD, need_application
from client.session.match import Match
from client.session.stacks import stacked
from client.session.words import LogLine
from client.turns import moments_in
from client.words import capital, reckoned, say
from core.board import Hex
from core.errors import Broken
from core.views import View

WIDEST = 2600  # pixels of the map's picture; larger maps are drawn smaller
SPRITE_SCALE = 2.0
QUALITY = 90  # of WebP: a map takes less than a third of what it takes as PNG

Stand = tuple[int, int, int]  # a counter: its sprite, and its middle in pixels of the map


class State(msgspec.Struct, frozen=True):
    """One moment, drawn: index of its map, words over it, its counters, its log as HTML.

    *units* tells what changed, for a long game would be told over and over: how many of the moment before, from below, stay, how many
    from the top, and who lies between them, from below to top. *at* is where something happened last, in pixels of the map.
    """

    map: int
    title: str
    score: str
    units: tuple[int, int, tuple[Stand, ...]]
    log: str
    battle: bool
    turn: int
    at: tuple[int, int]


class WebPage:
    """Draws a match moment by moment.

    Args:
        match: any match; it is left at the moment where it was.
        palette: the theme of the page.
        turns: the first and the last turn that are shown; None: the whole game.

    Raises:
        BadInput: the game has no moment in one of these turns.
    """

    def __init__(self, match: Match, palette: Palette = LIGHT, *, turns: tuple[int, int] | None = None) -> None:
        self._application = need_application()
        fonts.load()
        self.match, self.palette = match, palette
        self.ground = ground_of(match.setting.board)
        self.geometry, self.names = self.ground.geometry, names_of(match.setting.board, match.lettering)
        self.scale = min(1.0, WIDEST / self.ground.bounds.width())
        self.nations = {nation.id: nation for nation in match.manifest.nation}
        self.maps: dict[str, str] = {}
        self.sprites: dict[CounterArt, int] = {}
        self.pictures: list[str] = []
        self.states: list[State] = []
        self._stood: tuple[Stand, ...] = ()
        self.moments = list(range(len(match.moments()))) if turns is None else moments_in(match, *turns)

    def draw(self) -> Iterator[float]:
        """Draw one moment after the other; yields the share that is done, so that the caller may show it or stop."""
        before = self.match.cursor
        try:
            for done, index in enumerate(self.moments, 1):
                self.match.seek(index)
                self.states.append(self._state(index))
                yield done / len(self.moments)
        finally:
            self.match.seek(before)

    def to_bytes(self) -> bytes:
        """Return the page; `draw` comes first."""
        box = self.ground.bounds
        data = {
            "maps": list(self.maps.values()),
            "sprites": self.pictures,
            "side": round((SIDE + 2 * MARGIN) * self.scale, 1),
            "width": round(box.width() * self.scale),
            "height": round(box.height() * self.scale),
            "states": self.states,
        }
        told = msgspec.json.encode(data).decode().replace("</", "<\\/")  # so that no text can end the script
        p = self.palette
        colours = {"paper": p.chrome, "ink": p.ink, "line": p.chrome_line, "table": p.table, "accent": p.accent, "soft": p.ink_soft}
        style = STYLE
        for name, colour in colours.items():
            style = style.replace(f"${name}", colour)
        page = PAGE.replace("$title", escape(self.match.title)).replace("$style", style)
        return page.replace("$script", SCRIPT).replace("$data", told).encode()

    # ---------------------------------------------------------------- drawing

    def _state(self, index: int) -> State:
        match, view = self.match, self.match.view
        weather = view.ruleset.weather(view, view.position.turn)
        if weather not in self.maps:
            self.maps[weather] = self._map(weather)
        lines = match.lines(index)
        return State(
            list(self.maps).index(weather),
            reading.moment_card(match, index).partition("\n")[0],
            reading.score_line(match),
            self._changed(tuple(self._units(view))),
            "".join(map(_line, lines)),
            any(line.kind == "battle" for line in lines),
            match.moments()[index].turn,
            self._at(lines),
        )

    def _at(self, lines: Sequence[LogLine]) -> tuple[int, int]:
        """Return where the page looks: at what happened last; at first where most counters lie."""
        places = [Hex(place) for line in lines for place in line.places if place >= 0]
        occupied = self.match.view.position.occupied()
        if self.states and not places:
            return self.states[-1].at
        if not places and not occupied:
            return 0, 0
        here = places[-1] if places else self.geometry.thickest(occupied, CROWD)
        centre, corner = self.geometry.centre(here), self.ground.bounds.topLeft()
        return round((centre.x - corner.x()) * self.scale), round((centre.y - corner.y()) * self.scale)

    def _changed(self, stand: tuple[Stand, ...]) -> tuple[int, int, tuple[Stand, ...]]:
        """Return what has changed since the moment before, and take note of who stands now."""
        before, self._stood = self._stood, stand
        below = _alike(before, stand)
        above = _alike(before[below:][::-1], stand[below:][::-1])
        return below, above, stand[below : len(stand) - above]

    def _units(self, view: View) -> Iterator[Stand]:
        box = self.ground.bounds
        for here in view.position.occupied():
            units, centre = stacked(view, here), self.geometry.centre(here)
            for index, unit in enumerate(units):
                offset = stack_offset(index, len(units))
                x, y = centre.x + offset.x() - box.left(), centre.y + offset.y() - box.top()
                yield self._sprite(art_of(view, unit.id, self.nations)), round(x * self.scale), round(y * self.scale)

    def _sprite(self, art: CounterArt) -> int:
        if art not in self.sprites:
            self.sprites[art] = len(self.pictures)
            side = round((SIDE + 2 * MARGIN) * self.scale * SPRITE_SCALE)
            image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
            image.fill(Qt.GlobalColor.transparent)
            painter = _painter(image)
            painter.translate(side / 2, side / 2)
            painter.scale(self.scale * SPRITE_SCALE, self.scale * SPRITE_SCALE)
            paint_counter(painter, art, self.palette, Level.CLOSE)
            painter.end()
            self.pictures.append(_inline(image))
        return self.sprites[art]

    def _map(self, weather: str) -> str:
        box = self.ground.bounds
        image = QImage(
            QSize(round(box.width() * self.scale), round(box.height() * self.scale)), QImage.Format.Format_RGB32
        )
        painter = _painter(image)
        painter.scale(self.scale, self.scale)
        painter.translate(-box.left(), -box.top())
        paint_map(painter, QRectF(box), self.ground, self.names, self.palette, scale=self.scale, weather=weather)
        painter.end()
        return _inline(image)


def _alike(one: Sequence[Stand], other: Sequence[Stand]) -> int:
    """Return how many are the same from the first on."""
    return next((index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _painter(image: QImage) -> QPainter:
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    return painter


def _inline(image: QImage) -> str:
    """Return a picture as the address that holds it."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "WEBP", QUALITY):  # type: ignore[call-overload]
        raise Broken(f"Qt wrote no WebP of a picture of {image.width()} × {image.height()} pixels")
    return "data:image/webp;base64," + base64.b64encode(content.data()).decode()


def _line(line: LogLine) -> str:
    words = escape(capital(say(line.text)))
    if line.kind == "phase":
        return f"<h3>{words}</h3>"
    figures = "".join(
        f"<li>{escape(say(figure.name))}: {escape(reckoned(figure.sum))}{f' = <b>{escape(figure.total)}</b>' if figure.total else ''}</li>"
        for figure in line.figures
    )
    return f"<p>{words}</p>" + (f"<ul>{figures}</ul>" if figures else "")


PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>$title</title><style>$style</style></head><body>
<header><b>$title</b> <span id="moment"></span> <span id="score"></span></header>
<main><div id="map"><img id="ground" alt="Map"></div></main>
<aside id="log" aria-live="polite"></aside>
<footer><button id="back" title="Back (left arrow)">◀</button><button id="play" title="Play or stop (space)">▶</button>
<button id="on" title="On (right arrow)">▶|</button>
<button id="turnback" title="Turn before (Page up)">◀◀</button><button id="turn" title="Next turn (Page down)">▶▶</button>
<button id="battleback" title="Battle before (B)">◀⚔</button><button id="battle" title="Next battle (b)">⚔▶</button>
<input id="at" type="range" min="0" value="0" aria-label="Moment"><span id="count"></span></footer>
<script type="application/json" id="data">$data</script><script>$script</script></body></html>
"""

STYLE = """
* { box-sizing: border-box } body { margin: 0; height: 100vh; display: grid; color: $ink; background: $paper;
  font: 14px/1.35 system-ui, sans-serif; grid: auto 1fr auto / 1fr 330px }
header, footer { grid-column: 1 / 3; padding: 8px 14px; display: flex; gap: 14px; align-items: center }
header { border-bottom: 1px solid $line } footer { border-top: 1px solid $line } #score { margin-left: auto; font-weight: 600 }
main { overflow: auto; background: $table } #map { position: relative; margin: 14px } #map img { position: absolute; display: block }
aside { overflow: auto; padding: 6px 14px; border-left: 1px solid $line } aside h3 { font-size: 14px; margin: 10px 0 4px }
aside p { margin: 3px 0 } aside ul { margin: 0 0 4px; padding-left: 18px; color: $soft; list-style: none }
#at { flex: 1; accent-color: $accent }
button { font: inherit; border: 1px solid $line; border-radius: 6px; background: none; padding: 4px 10px }
.now { border-left: 3px solid $accent; padding-left: 7px }
"""

SCRIPT = """
const data = JSON.parse(document.getElementById('data').textContent), get = id => document.getElementById(id);
const box = get('map'), ground = get('ground'), units = []; let now = 0, timer = null;
box.style.width = data.width + 'px'; box.style.height = data.height + 'px'; get('at').max = data.states.length - 1;
let stood = [];
for (const state of data.states) {
  const [below, above, fresh] = state.units;
  state.units = stood = [...stood.slice(0, below), ...fresh, ...stood.slice(stood.length - above)];
}
function show(index) {
  now = Math.max(0, Math.min(data.states.length - 1, index));
  const state = data.states[now]; ground.src = data.maps[state.map];
  while (units.length < state.units.length) { const one = document.createElement('img'); one.alt = ''; units.push(one); box.append(one); }
  units.forEach((one, i) => {
    const unit = state.units[i]; one.hidden = !unit; if (!unit) return;
    one.src = data.sprites[unit[0]]; one.width = data.side;
    one.style.left = unit[1] - data.side / 2 + 'px'; one.style.top = unit[2] - data.side / 2 + 'px';
  });
  get('moment').textContent = state.title; get('score').textContent = state.score; get('at').value = now;
  get('count').textContent = (now + 1) + ' / ' + data.states.length;
  get('log').innerHTML = data.states.slice(Math.max(0, now - 12), now).map(s => '<div>' + s.log + '</div>').join('')
    + '<div class="now">' + state.log + '</div>';
  get('log').scrollTop = get('log').scrollHeight;
  look(state.at);
}
function look(at) {
  const main = document.querySelector('main'), [x, y] = at.map(pixels => pixels + 14), left = x - main.scrollLeft, top = y - main.scrollTop;
  const seen = left > data.side && top > data.side && left < main.clientWidth - data.side && top < main.clientHeight - data.side;
  if (!seen) main.scrollTo(x - main.clientWidth / 2, y - main.clientHeight / 2);
}
function stop() { clearInterval(timer); timer = null; get('play').textContent = '▶'; }
function play() {
  if (timer) return stop();
  if (now >= data.states.length - 1) show(0);
  get('play').textContent = '❚❚';
  timer = setInterval(() => now < data.states.length - 1 ? show(now + 1) : stop(), 700);
}
function ahead(test) { const next = data.states.findIndex((s, i) => i > now && test(i)); if (next >= 0) show(next); }
function before(test) { for (let i = now - 1; i >= 0; i--) if (test(i)) return show(i); }
const fought = i => data.states[i].battle, begins = i => !i || data.states[i].turn != data.states[i - 1].turn;
get('back').onclick = () => show(now - 1); get('on').onclick = () => show(now + 1); get('play').onclick = play;
get('battle').onclick = () => ahead(fought); get('battleback').onclick = () => before(fought);
get('turn').onclick = () => ahead(begins); get('turnback').onclick = () => before(begins);
get('at').oninput = event => show(+event.target.value);
document.onkeydown = event => {
  const act = { ArrowLeft: () => show(now - 1), ArrowRight: () => show(now + 1), Home: () => show(0),
    End: () => show(data.states.length - 1), PageDown: () => ahead(begins), PageUp: () => before(begins),
    ' ': play, b: () => ahead(fought), B: () => before(fought) }[event.key];
  if (act) { event.preventDefault(); act(); }
};
show(0);
"""
